"""Breaks promises of docs/reliability.md by hand, one by one, and looks whether their tests fail.

    python -P tests/proof/broken.py [--list] [WORD ...]

broken.toml has for each promise what is broken (`what`), a file of the checkout, the text that is
`there` (once), what is put `instead`, and the `tests` of which at least one has to fail. WORDs
choose by what is broken, file and tests. First all chosen tests run as they are, and must pass.

Files of the package are changed where the tests import them, in the installed package; C of the
entry and of the order of streams in the checkout, and its libraries are compiled (build/broken)
and put into the package, when it is broken and when it is not any more; anything else in the
checkout. A file gets its text back
before the next one is broken, also where this program is interrupted. The exit status is 1 if a
break is survived.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("broken.toml")
#: What is installed.
PACKAGES = ("bridge/", "bridge_port/", "bridge_gallery/")
#: Seconds for the tests of one break: their own limit for a program is shorter.
LIMIT = 1500


@dataclass(frozen=True)
class Break:
    what: str
    file: str
    there: str
    instead: str
    tests: tuple[str, ...]

    @property
    def compiled(self) -> bool:
        folders = ("bridge/entry/", "bridge/kernels/gpu/")
        return self.file.startswith(folders) and self.file.endswith((".c", ".h"))

    @property
    def place(self) -> Path:
        """The file that the tests use."""
        if self.file.startswith(PACKAGES) and not self.compiled:
            return Path(sysconfig.get_path("platlib")) / self.file
        return ROOT / self.file

    def broken(self, text: str) -> str:
        found = text.count(self.there)
        assert found == 1, f"{self.file} has {self.there!r} {found} times"
        return text.replace(self.there, self.instead)


def breaks() -> list[Break]:
    entries = tomllib.loads(LIST.read_text(encoding="utf-8"))["break"]
    return [Break(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


@contextlib.contextmanager
def done(one: Break) -> Iterator[None]:
    """Within this the promise is broken."""
    text = one.place.read_text(encoding="utf-8")
    try:
        put(one, one.broken(text))
        yield
    finally:
        put(one, text)


def put(one: Break, text: str) -> None:
    one.place.write_text(text, encoding="utf-8")
    # Python knows a file by its second and its size, which may be those of the other text.
    for kept in one.place.parent.glob(f"__pycache__/{one.place.stem}.*.pyc"):
        kept.unlink()
    if one.compiled:
        compile_entry()


def compile_entry() -> None:
    """The libraries in C alone, and put them where the installed ones are."""
    build, entry, kernels = ROOT / "build" / "broken", Path("bridge/entry"), Path("bridge/kernels")
    libraries = {  # where they are compiled, and where they lie
        entry / "libbridge.so": entry / "libbridge.so",
        entry / "_bridge_entry.abi3.so": entry / "_bridge_entry.abi3.so",
        kernels / "libbridge_order.so": kernels / "gpu" / "libbridge_order.so",
    }
    meson = str(Path(sys.executable).with_name("meson"))
    commands = [
        [meson, "compile", "-C", str(build), f"--ninja-args={','.join(map(str, libraries))}"]
    ]
    if not (build / "build.ninja").exists():
        options = ["--buildtype=release", "-Db_ndebug=if-release"]
        commands.insert(0, [meson, "setup", str(build), *options])
    for command in commands:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"PATH": path})  # fmt: skip
    for library, place in libraries.items():
        # Not over the old one: a program that still runs has it in its memory.
        installed = Path(sysconfig.get_path("platlib")) / place
        installed.unlink()
        shutil.copy(build / library, installed)


def failing(tests: Sequence[str]) -> tuple[int, list[str], str]:
    """Exit status of pytest, what has failed, and what pytest printed."""
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-rfE", "--tb=short"]
    command += ["-p", "no:cacheprovider", *tests]
    environment = os.environ | {"OMP_NUM_THREADS": "2"}
    path = [str(Path(sys.executable).parent), environment.get("PATH", "")]
    environment["PATH"] = os.pathsep.join(path)
    ran = subprocess.run(command, cwd=ROOT, env=environment, timeout=LIMIT, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    found = re.findall(r"^(?:FAILED|ERROR) tests/(\S+)", ran.stdout, re.M)
    return ran.returncode, found, ran.stdout


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--list", action="store_true", help="only say what would be broken")
    asked = parser.parse_args(words)
    chosen = [
        one
        for one in breaks()
        if not asked.words or any(word in f"{one} {one.file}" for word in asked.words)
    ]
    if asked.list or not chosen:
        print(*(f"{one.what}: {one.file}" for one in chosen), sep="\n")
        return not chosen
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(3))  # by way of what gives the texts back
    every = dict.fromkeys(test for one in chosen for test in one.tests)
    status, _, told = failing([*every])
    if status:
        print(told, "these tests fail, or none of them ran, before anything is broken", sep="\n")
        return 2
    print(told.splitlines()[-1], "before anything is broken", flush=True)
    survived = 0
    for one in chosen:
        began = time.monotonic()
        with done(one):
            status, found, told = failing(one.tests)
        if status < 0:  # a library that was altered takes the process of the tests with it
            found = [f"pytest died of {signal.Signals(-status).name}"]
        seen = status < 0 or (status == 1 and bool(found))
        survived += not seen
        print(f"{'seen' if seen else 'SURVIVED'}: {one.what} ({time.monotonic() - began:.0f} s)")
        print(*(f"  {name}" for name in found[:4]), sep="\n", flush=True)
        if not seen:
            print(told)
    print(f"{len(chosen)} broken, {survived} survived")
    return int(survived > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
