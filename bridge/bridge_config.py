"""The command `bridge-config`: compiler and linker flags for a Fortran host.

    gfortran $(bridge-config --fsource) solver.f90 $(bridge-config --fflags --libs)
    FC=gfortran bridge-config --self-test

Files are found through importlib.resources: in an editable install the sources and the library
lie in different folders. Imports nothing heavy.
"""

from __future__ import annotations

import argparse
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


def fflags() -> str:
    return shlex.join([f"-I{include_directory()}"])


def libs() -> str:
    folder = library_directory()
    return shlex.join([f"-L{folder}", "-lbridge", f"-Wl,-rpath,{folder}"])


def sources(*names: str) -> str:
    """Paths of Fortran sources, in the order to compile."""
    return shlex.join([str(entry_file(name)) for name in names])


#: Option -> what it prints, and its help.
ANSWERS: dict[str, tuple[Callable[[], str], str]] = {
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
        print(" ".join(ANSWERS[name][0]() for name in asked))
    except FileNotFoundError as error:
        print(f"bridge-config: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
