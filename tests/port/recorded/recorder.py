"""Keeps what `bridge port` makes of every source that it is given: a plugin of pytest.

    pytest -p port.recorded.recorder --port-texts FOLDER [--no-compilers] tests/port

The functions of ENTRIES are replaced by ones that do the same and keep what came out of the
outermost call: what these functions ask each other may change with the translator's inside.
FOLDER/sources has each source under its digest. FOLDER/texts has a file for each request and each
result of it: the request, which is the sources and the arguments, and then the texts. No text
names a folder of this machine, so that two checkouts can be compared (compare.py).
"""

from __future__ import annotations

import errno
import functools
import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from bridge.errors import ArgumentError, BridgeError
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.output.catalogue import catalogue
from bridge_port.program.program import Program, path
from bridge_port.refusal import Refused
from bridge_port.survey.tree import files_of
from bridge_port.syntax.units import Unit

ROOT = Path(__file__).parents[3]
#: Module, function, and what of its result is kept. A package that has them elsewhere has to say
#: so here: an entry that is missing is an error.
ENTRIES = (
    ("bridge_port.request", "Request.ported", "ported"),
    ("bridge_port.translate.translate", "translate", "kernel"),
    ("bridge_port.nest.nests", "outline", "points"),
    ("bridge_port.output.module", "nest_module", "module"),
    ("bridge_port.output.hostdata", "data_module", "named"),
    ("bridge_port.output.catalogue", "catalogue", "catalogue"),
    ("bridge_port.survey.survey", "survey", "survey"),
    ("bridge_port.survey.units", "Looking.look", "found"),
    ("bridge_port.syntax.parser", "parse", "nothing"),
    ("bridge_port.program.program", "Program.__init__", "nothing"),
)
#: Folders that differ from run to run, and from checkout to checkout.
FOLDER = re.compile(
    rf"(?:{re.escape(str(ROOT))}|{re.escape(tempfile.gettempdir())}/[\w.+@-]+)(?:/[\w.+@-]+)*/"
)
#: Where in the translator something unforeseen came from.
INSIDE = re.compile(r"\b\w+\.py:\d+")
#: Where a request of a kernel or of a point is kept, and the sources of a program.
ASKED, READ = "_recorded_as", "_recorded_files"
#: Parts of a record, each with a line of its own in front of it.
PART = "@@@@ "
#: (what a part is, its text)
Part = tuple[str, str]


class Recorder:
    """What is kept in a folder. depth: of the functions of ENTRIES that run now."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.depth = folder, 0
        (folder / "sources").mkdir(parents=True, exist_ok=True)
        (folder / "texts").mkdir(exist_ok=True)

    # ---- Keeping ------------------------------------------------------------------------------

    def source(self, file: str | Path) -> str:
        """Name and digest of a source; its text is kept."""
        try:
            text = Path(file).read_bytes()
        except OSError:
            return f"{Path(file).name} (none)"
        digest = hashlib.sha256(text).hexdigest()[:16]
        self.place(self.folder / "sources" / f"{digest}-{Path(file).name}", text)
        return f"{Path(file).name} {digest}"

    def keep(self, request: Mapping[str, Any], parts: Sequence[Part]) -> None:
        """One record; its name is the digest of the sources, of the request and of the texts."""
        asked = json.dumps(request, indent=1, sort_keys=True)
        text = "".join(f"{PART}{name}\n{body.rstrip()}\n" for name, body in parts)
        name = "-".join(digest(part) for part in (str(request["sources"]), asked, text))
        self.place(self.folder / "texts" / f"{name}.txt", f"{asked}\n{text}".encode())

    def place(self, file: Path, text: bytes) -> None:
        """Whole, also where another process keeps the same."""
        if file.exists():
            return
        own = file.with_name(f".{os.getpid()}-{file.name}")
        own.write_bytes(text)
        own.replace(file)

    # ---- Requests -----------------------------------------------------------------------------

    def request(self, what: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        sources: list[str] = []
        for value in arguments.values():
            sources += self.sources(value)
        if what in ("parse", "survey", "Program.__init__"):
            given = arguments.get("paths", arguments.get("files", arguments.get("path")))
            sources += [self.source(file) for file in files(given)]
        if not sources:
            units = [value for value in arguments.values() if isinstance(value, Unit)]
            sources = [self.source(unit.place.file) for unit in units]
        asked = {name: described(value) for name, value in arguments.items() if not nothing(value)}
        return {"what": what, "sources": sorted(set(sources)), "asked": asked}

    def sources(self, value: Any) -> list[str]:
        """That an argument was made of."""
        if isinstance(value, Program):
            return list(vars(value).get(READ, {}).values())
        if isinstance(value, Kernel | PointProcedure) and ASKED in vars(value):
            return list(vars(value)[ASKED]["sources"])
        if isinstance(value, list | tuple):
            return [source for one in value for source in self.sources(one)]
        if hasattr(value, "program"):  # a survey's look at one
            return self.sources(value.program)
        if type(value).__name__ == "Request":
            try:
                return [self.source(file) for file in (value.split()[0], *value.more)]
            except ArgumentError:
                return []
        return []

    # ---- Functions that keep what they make ---------------------------------------------------

    def recording(self, what: str, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def recorded(*given: Any, **words: Any) -> Any:
            if self.depth:
                return function(*given, **words)
            request = self.request(what, signature.bind(*given, **words).arguments)
            self.depth += 1
            try:
                result = function(*given, **words)
                self.result(request, kind, result)
            except BridgeError as error:
                self.keep(request, refused(error))
                raise
            finally:
                self.depth -= 1
            return result

        return recorded

    def result(self, request: Mapping[str, Any], kind: str, result: Any) -> None:
        for one in (*made(result), *(result if isinstance(result, list) else [])):
            if isinstance(one, Kernel | PointProcedure):
                vars(one).setdefault(ASKED, request)
        if parts := list(PARTS[kind](result)):
            self.keep(request, [(name, plain(text)) for name, text in parts])

    def adding(self, add: Callable[..., None]) -> Callable[..., None]:
        """Program.add, which knows every file that a program is of."""

        @functools.wraps(add)
        def added(program: Program, units: Sequence[Unit], file: str) -> None:
            vars(program).setdefault(READ, {})[file] = self.source(file)
            add(program, units, file)

        return added


def nothing(value: Any) -> bool:
    """An argument that is left out says the same."""
    return value is None or (isinstance(value, list | tuple | dict | set | frozenset | str)
                             and not value)  # fmt: skip


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def files(given: Any) -> Iterator[Path]:
    """Sources that are named, alone or by their folders."""
    named = [given] if isinstance(given, str | Path) else given
    for one in named if isinstance(named, list | tuple) else []:  # an iterator is not used up
        place = Path(one)
        if place.is_dir():
            yield from files_of([place])
        else:
            yield place


def plain(text: str) -> str:
    """Without what differs from run to run."""
    return INSIDE.sub("the translator", FOLDER.sub("", text))


def described(value: Any) -> Any:
    """An argument as a request names it."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str | Path):
        return plain(str(value))
    if isinstance(value, Mapping):
        return {str(name): described(one) for name, one in sorted(value.items(), key=str)}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [described(one) for one in value]
    if isinstance(value, Unit):
        return f"{path(value)}:{value.place.line}"
    if isinstance(value, Kernel | PointProcedure):
        asked = vars(value).get(ASKED)
        of = {} if asked is None else {"of": digest(json.dumps(asked, sort_keys=True))}
        point = value.procedure if isinstance(value, Kernel) else value
        return {"name": value.name, "line": point.place.line, **of, "unit": described(point.unit),
                "presence": described(point.presence)}  # fmt: skip
    if type(value).__name__ == "Looking":
        return {one: described(getattr(value, one)) for one in ("fixed", "private", "levels")}
    if type(value).__name__ in ("Request", "Options") and is_dataclass(value):
        named = ((one, getattr(value, one.name)) for one in fields(value))
        return {one.name: described(of) for one, of in named
                if not nothing(of) and of != one.default and not callable(of)}  # fmt: skip
    return type(value).__name__


# ---- Results as texts -------------------------------------------------------------------------


def made(result: Any) -> list[Kernel]:
    """The kernels of a result."""
    if isinstance(result, Kernel):
        return [result]
    return list(getattr(result, "kernels", ())) if type(result).__name__ == "Ported" else []


def header(kernel: Kernel) -> Iterator[Part]:
    """With what is needed to run it (bits.py)."""
    yield f"header {kernel.header}", kernel.text
    arguments = {
        "inputs": [[q.name, q.type, q.kind, q.columns, len(q.shape)] for q in kernel.inputs],
        "outputs": [[q.name, q.type, q.kind, q.columns, len(q.shape)] for q in kernel.outputs],
        "constants": [[v.name, v.type, v.kind] for v in kernel.constants],
        "tables": [[v.name, v.type, list(v.shape)] for v in kernel.tables],
    }
    yield f"arguments {kernel.name}", json.dumps(arguments)
    if kernel.notes:
        yield f"notes {kernel.name}", "\n".join(kernel.notes)


def ported(result: Any) -> Iterator[Part]:
    for kernel in result.kernels:
        yield from header(kernel)
    if result.module.name:
        yield f"module {result.module.name}", result.module.text
    if result.nest:
        yield "calls", "\n".join(result.told(one) for one in ("bind", "run", "unbind"))
    name = result.module.base or result.kernels[0].name
    try:
        yield "catalogue", catalogue(result.kernels, name)
    except ArgumentError as error:
        yield "no catalogue", str(error)


def points(result: Iterable[PointProcedure]) -> Iterator[Part]:
    """What an outline finds; its text is the header that is made of it."""
    for one in result:
        found = [f"sweep {one.sweep}", *(f"array {a}" for a in one.arrays)]
        found += [f"reduction {r.operation} {r.variable}" for r in one.reductions]
        yield f"point {one.name}", "\n".join([*found, *one.notes])


def look(found: Any) -> Iterator[Part]:
    """What a survey says of a procedure."""
    nests = [f"{n.lines} {n.kernels} {n.refusal or ''} {n.call}" for n in found.nests]
    said = [f"{found.how} kernels {found.kernels}", *nests, *map(str, found.reasons())]
    yield f"survey {found.path}:{found.line}", "\n".join(said)


def survey(result: Any) -> Iterator[Part]:
    for row in result.rows:
        yield from look(row.found)
    for file, why in sorted(result.unreadable.items()):
        yield f"survey {Path(file).name}", why


def refused(error: BridgeError) -> list[Part]:
    """A refusal, or what is said of a bad argument."""
    if not isinstance(error, Refused):
        return [("error", plain(str(error)))]
    lines = [str(error.refusal), *map(str, error.others)]
    lines += [f"lines {first}-{last} can be ported" for first, last in error.nests]
    return [("refused", plain("\n".join(lines)))]


PARTS: dict[str, Callable[[Any], Iterable[Part]]] = {
    "ported": ported,
    "kernel": header,
    "points": points,
    "module": lambda result: [("module", result.module.text)],
    "named": lambda result: [(f"module {result.name}", result.text)] if result.name else [],
    "catalogue": lambda result: [("catalogue", result)],
    "survey": survey,
    "found": look,
    "nothing": lambda result: [],
}


# ---- In the place of the functions ------------------------------------------------------------


@contextmanager
def recording(folder: Path) -> Iterator[Recorder]:
    """While it holds, everything that is ported in this process is kept in the folder."""
    recorder, replaced = Recorder(folder), []
    for module, name, kind in ENTRIES:
        owner: Any = import_module(module)
        *classes, function = name.split(".")
        for one in classes:
            owner = getattr(owner, one)
        old = getattr(owner, function)
        replaced.append((owner, function, old, recorder.recording(name, kind, old)))
    replaced.append((Program, "add", Program.add, recorder.adding(Program.add)))
    for owner, name, old, new in replaced:
        put(owner, name, old, new)
    try:
        yield recorder
    finally:
        for owner, name, old, new in replaced:
            put(owner, name, new, old)


def put(owner: Any, name: str, old: Any, new: Any) -> None:
    """Another function where it is defined, and in all modules that have imported it."""
    setattr(owner, name, new)
    if not inspect.ismodule(owner):
        return
    for one in list(sys.modules.values()):
        for own, value in list(getattr(one, "__dict__", {}).items()):
            if value is old:
                setattr(one, own, new)


# ---- As a plugin ------------------------------------------------------------------------------


@contextmanager
def without_compilers() -> Iterator[None]:
    """No program is found but Python and git: a test that would compile fails at once, with what
    it has translated until then."""
    start = subprocess.Popen.__init__

    @functools.wraps(start)
    def started(self: subprocess.Popen[Any], args: Any, *more: Any, **named: Any) -> None:
        words = [args] if isinstance(args, (str, os.PathLike)) else list(args)
        name = Path(os.fsdecode(words[0])).name
        if not name.startswith(("python", "git")):
            raise FileNotFoundError(errno.ENOENT, "no program but Python and git", name)
        start(self, args, *more, **named)

    with mock.patch.object(subprocess.Popen, "__init__", started):
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--port-texts", metavar="FOLDER", help="keep what bridge port makes in it")
    parser.addoption("--no-compilers", action="store_true", help="let all programs be missing")


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("--port-texts")
    if folder:
        running = ExitStack()
        running.enter_context(recording(Path(folder)))
        if config.getoption("--no-compilers"):
            running.enter_context(without_compilers())
        config.add_cleanup(running.close)
