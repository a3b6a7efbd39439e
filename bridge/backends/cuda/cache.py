"""Compiled kernels on disk: one rank of a node compiles, the others wait and read.

The key is the text, every header it may include, the flags, the architecture, the compiler and the
driver; what was precompiled, on a machine that may have no GPU, serves every driver.
Where there is no compiler, what any of them has made is found by a second name, without one in it.
A lock belongs to the process that holds it and ends with it, so that nobody waits for the dead;
a failure is written beside the lock, so that those who waited do not repeat it. A folder that
takes nothing costs what it would have kept, and no run.

A kept kernel is one file, which is replaced at once: no reader meets halves of two writers. It is
sealed (`caches`), because a driver that loads a kernel which was cut ends the process; one whose
seal is wrong counts as absent, and is compiled again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import multiprocessing
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from bridge import caches, log, mpi, progress
from bridge.backends.cuda import compiler
from bridge.backends.cuda.compiler import Compiled, CompileError, Compiler
from bridge.errors import DeviceError

#: Folders of which it was said that they keep nothing.
_said: set[Path] = set()


def folder() -> Path:
    """Of compiled kernels; made when there is something to keep."""
    return caches.folder("cuda")


#: Names of a source's launches.
_ENTRY = re.compile(r"__global__ void\s+(?:__launch_bounds__\([^)]*\)\s+)?(\w+)\(")

#: Stands for a compiler in the name by which its work is found where there is none.
ANY = "any"


@cache
def headers_digest() -> bytes:
    """Of every kernel header of the package, by name and content."""
    digest = hashlib.sha256()
    root = compiler.include_folder()
    for header in sorted(root.rglob("*.h")):
        digest.update(str(header.relative_to(root)).encode() + b"\0" + header.read_bytes())
    return digest.digest()


def key(
    text: str, arch: str, version: str, headers: tuple[Path, ...] = (), driver: str = "",
    options: tuple[str, ...] = (),
) -> str:  # fmt: skip
    """Name of a compiled source; version: of the compiler, ANY for the second name; headers:
    those outside the package; driver: "" for any; options: of the compiler, beside its FLAGS."""
    digest = hashlib.sha256(headers_digest())
    for header in headers:
        digest.update(str(header).encode() + b"\0" + header.read_bytes())
    for word in (text, arch, version, driver, *compiler.FLAGS, *options):
        digest.update(word.encode() + b"\0")
    return digest.hexdigest()[:32]


def compiled(
    text: str,
    arch: str,
    *,
    headers: tuple[Path, ...] = (),
    using: Compiler | None = None,
    place: Path | None = None,
    driver: str = "",
    options: tuple[str, ...] = (),
) -> Compiled:
    """Machine code of a source, from the cache or compiled into it; options: of the compiler,
    beside its FLAGS.

    CompileError as the compiler's, also where another process met it first; DeviceError where
    there is no compiler and nothing was compiled before.
    """
    place = place or folder()
    if using is None:
        try:
            using = compiler.find()
        except DeviceError as error:
            if options:  # nobody precompiles with options of their own
                raise
            return _without_compiler(text, arch, headers, place, driver, error)
    stem = place / key(text, arch, using.version, headers, driver, options)
    second = place / f"{key(text, arch, ANY, headers, driver, options)}.any"
    serves_all = place / key(text, arch, using.version, headers, options=options)
    wrong: list[str] = []
    found = _read(stem, wrong) or _read(serves_all, wrong)
    if found is None:
        found = _compiled(text, arch, options, using, stem, second, wrong)
    elif not driver:  # precompiled: the compiler that was asked last counts
        _name(second, stem)
    return found


def _compiled(
    text: str, arch: str, options: tuple[str, ...], using: Compiler, stem: Path, second: Path,
    wrong: list[str],
) -> Compiled:  # fmt: skip
    """wrong: kept files that were met and are damaged; said by the process that compiles."""
    asked = time.time()
    with _told(text, arch), locked(stem.with_suffix(".lock")):
        found = _read(stem)
        if found is not None:
            return found
        failure = stem.with_suffix(".error")
        if (told := _failure(failure, asked)) is not None:
            raise CompileError(told)
        for one in dict.fromkeys(wrong):
            log.say(f"{one}; its kernel is compiled again")
        try:
            result = using.compile(text, arch, options)
        except CompileError as error:
            write(failure, caches.seal(str(error).encode()))
            raise
        facts = {"key": stem.name, "arch": arch, "compiler": using.version, "log": result.log}
        kept = json.dumps(facts).encode() + b"\n" + result.cubin
        write(_file(stem), caches.seal(kept))
        _name(second, stem)
        with suppress(OSError):
            failure.unlink()
        return result


@contextmanager
def _told(text: str, arch: str) -> Iterator[None]:
    """Rank 0 says what it compiles, or waits for: ranks of a node compile the same, and one line
    is enough. `bridge kernels build` counts its sources: its processes say nothing here."""
    if mpi.host_rank() or multiprocessing.parent_process() is not None:
        yield
        return
    entries = list(dict.fromkeys(_ENTRY.findall(text)))
    more = f" and {len(entries) - 3} more" if len(entries) > 3 else ""
    with progress.waiting(f"compiling for {arch}: {', '.join(entries[:3])}{more}"):
        yield


def _failure(path: Path, asked: float) -> str | None:
    """What a compiler that was started after `asked` said of the same source."""
    try:
        if path.stat().st_mtime < asked:
            return None
        return caches.read(path).decode()
    except (OSError, ValueError):
        return None


def _name(second: Path, stem: Path) -> None:
    """Let a compiled source be found by its second name too."""
    if _target(second) != stem:
        write(second, caches.seal(stem.name.encode()))


def _target(second: Path) -> Path | None:
    try:
        return second.with_name(caches.read(second).decode())
    except (OSError, ValueError):
        return None


def _without_compiler(
    text: str, arch: str, headers: tuple[Path, ...], place: Path, driver: str, missing: DeviceError
) -> Compiled:
    wrong: list[str] = []
    found = kept(text, arch, headers, place, driver, wrong)
    if found is None:
        damaged = "".join(f"\n{one}" for one in dict.fromkeys(wrong))
        raise DeviceError(
            f"{missing}\nand the kernel was not precompiled for {arch} in {place}: "
            f"'bridge kernels build', or one run where there is a compiler{damaged}"
        ) from missing
    return found


def kept(
    text: str, arch: str, headers: tuple[Path, ...] = (), place: Path | None = None,
    driver: str = "", wrong: list[str] | None = None,
) -> Compiled | None:  # fmt: skip
    """What any compiler has made of a source, for this driver or for all; wrong: gets a line for
    each kept file that is damaged."""
    place = place or folder()
    for serves in dict.fromkeys((driver, "")):
        stem = _target(place / f"{key(text, arch, ANY, headers, serves)}.any")
        found = None if stem is None else _read(stem, wrong)
        if found is not None:
            return found
    return None


def _file(stem: Path) -> Path:
    """Where a compiled source lies: a line of facts and the machine code behind it, sealed."""
    return stem.with_suffix(".kernel")


def _read(stem: Path, wrong: list[str] | None = None) -> Compiled | None:
    """What is kept there, unless it is damaged; wrong: gets a line where it is."""
    path = _file(stem)
    try:
        head, _, cubin = caches.read(path).partition(b"\n")
        facts = json.loads(head)
        if facts["key"] != stem.name:
            raise caches.DamagedError(f"holds the kernel {facts['key']}")
        return Compiled(cubin, facts["log"])
    except OSError:
        return None
    except (ValueError, LookupError, TypeError) as error:
        why = error if isinstance(error, caches.DamagedError) else "cannot be understood"
        if wrong is not None:
            wrong.append(f"{path} {why}")
        return None


def write(path: Path, data: bytes) -> None:
    """All of it or nothing, whoever else writes the same on whatever node; nothing, which is
    said, where the folder takes no more."""
    # Not tempfile: its files are their owner's alone, and a cache may be a project's.
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        _say_not_kept(path.parent, error)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time; each for itself where the folder or its file system knows no lock."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = open(path, "w")
    except OSError as error:
        _say_not_kept(path.parent, error)
        yield
        return
    with lock:
        with suppress(OSError):  # a file system without locks: the last one to write counts
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _say_not_kept(place: Path, error: OSError) -> None:
    if place not in _said:
        _said.add(place)
        log.say(f"compiled kernels are not kept in {place}: {error}")
