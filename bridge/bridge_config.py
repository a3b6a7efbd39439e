"""The command `bridge-config`: compiler and linker flags for a Fortran host.

    gfortran $(bridge-config --fsource) solver.f90 $(bridge-config --fflags --libs)
    FC=gfortran bridge-config --self-test

Files are found through importlib.resources: in an editable install the sources and the library
lie in different folders. Imports nothing heavy.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from bridge import commandline


def entry_file(*parts: str) -> Path:
    """Path of a file of the folder `entry`; raises FileNotFoundError naming it."""
    place = files("bridge.entry").joinpath(*parts)
    path = Path(str(place))
    if not path.exists():
        raise FileNotFoundError(f"{'/'.join(parts)} is not beside the package: {path}")
    return path


def include_directory() -> Path:
    """Folder of `bridge.h`, `bridge_f77.inc` and the sources of the Fortran module."""
    return entry_file("bridge.h").parent


def library_directory() -> Path:
    """Folder of `libbridge.so`."""
    return entry_file("libbridge.so").parent


def pkgconfig_directory() -> Path:
    """Folder of `bridge.pc`, for PKG_CONFIG_PATH."""
    return entry_file("pkgconfig", "bridge.pc").parent


def fflags() -> list[str]:
    return [f"-I{include_directory()}"]


def libs() -> list[str]:
    folder = library_directory()
    return [f"-L{folder}", "-lbridge", f"-Wl,-rpath,{folder}"]


def sources(*names: str) -> list[str]:
    """Paths of Fortran sources, in the order to compile."""
    return [str(entry_file(name)) for name in names]


#: Words that a shell takes as they are: letters of any language, and what paths and flags have.
_AS_IT_IS = re.compile(r"[\w@%+=:,./\-\x80-\U0010ffff]+")


def quoted(word: str) -> str:
    """A word for a shell: between quotes where it has a blank or a sign that shells read."""
    return word if _AS_IT_IS.fullmatch(word) else shlex.quote(word)


#: Option -> what it prints, words of a command or one answer, and its help.
ANSWERS: dict[str, tuple[Callable[[], list[str] | str], str]] = {
    "fsource": (
        lambda: sources("bridge_interfaces.f90", "bridge.f90"),
        "the module bridge, as two sources in the order to compile",
    ),
    "absent-source": (
        lambda: sources("bridge_absent.f90", "bridge.f90"),
        "the same module for a machine without the bridge",
    ),
    "fflags": (fflags, "compiler flags (include 'bridge_f77.inc', bridge.h)"),
    "libs": (libs, "linker flags"),
    "includedir": (lambda: str(include_directory()), "folder of bridge.h and the Fortran files"),
    "libdir": (lambda: str(library_directory()), "folder of libbridge.so"),
    "pkgconfigdir": (lambda: str(pkgconfig_directory()), "folder of bridge.pc"),
    "python": (lambda: sys.executable, "the interpreter of this environment"),
    "version": (lambda: version("fortran-bridge"), "version of the package"),
}


_ASKS_FOR_EVAL = (
    "bridge-config: {} has a blank or a sign that shells read, so words stand between quotes; in "
    "a shell put eval before the command: eval gfortran $(bridge-config --fsource) solver.f90 "
    "$(bridge-config --fflags --libs)"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the answers asked for, in the order of asking, on one line."""
    parser = commandline.Parser(prog="bridge-config", description=__doc__.splitlines()[0])
    for name, (_, about) in ANSWERS.items():
        parser.add_argument(
            f"--{name}", dest="asked", action="append_const", const=name, help=about
        )
    parser.add_argument(
        "--self-test", nargs=argparse.REMAINDER, metavar="OPTION",
        help="compile and run a program of every kind of call; -h behind it lists its options",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    if given.self_test is not None:
        # a program of its own: it computes, which no other answer does
        test = [sys.executable, "-P", "-m", "bridge.conformance", *given.self_test]
        return subprocess.run(test).returncode
    asked = given.asked
    if not asked:
        parser.error("got nothing, wanted one or more of its options, such as --fflags --libs")
    try:
        answers = [ANSWERS[name][0]() for name in asked]
    except FileNotFoundError as error:
        print(f"bridge-config: {error}", file=sys.stderr)
        return 1
    words = [word for answer in answers if isinstance(answer, list) for word in answer]
    told = [a if isinstance(a, str) else " ".join(map(quoted, a)) for a in answers]
    # The bytes of a path, whatever encoding stdout has.
    sys.stdout.buffer.write(os.fsencode(" ".join(told)) + b"\n")
    if words != [quoted(word) for word in words]:
        print(_ASKS_FOR_EVAL.format(include_directory()), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
