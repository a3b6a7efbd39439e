"""All of a tree, on some processes; a file that cannot be read is a line of the report."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bridge.errors import ArgumentError
from bridge.machine import Figures
from bridge.progress import counted
from bridge_port.options import SECONDS
from bridge_port.refusal import FAULT, Place, Refused, fault
from bridge_port.semantic.intrinsics import OF_VALUES
from bridge_port.source.fixedform import has_text_behind
from bridge_port.source.lines import is_fixed
from bridge_port.source.physical import text_of
from bridge_port.survey.found import NOTHING, Found
from bridge_port.survey.gains import Gains, gains
from bridge_port.survey.processes import ENDED, Clock, Look, Lost, Result, on_processes
from bridge_port.survey.profile import Profile
from bridge_port.survey.tree import Index, Near, Tree, beside, files_of, procedures
from bridge_port.survey.units import Looking
from bridge_port.survey.words import silenced
from bridge_port.syntax.parser import parse
from bridge_port.syntax.statements import Unread, walk
from bridge_port.syntax.units import Unit, every

#: Python's own limit is too low for expressions of some hundred terms.
DEPTH = 6000


@dataclass
class Row:
    """A procedure with what it would gain. share: of the run time, None where it is not known."""

    found: Found
    gains: Gains | None = None
    share: float | None = None


@dataclass
class Survey:
    """unreadable: file -> why; twice: modules of one name in several files; machine: of the
    figures, "" of none; reading: options that a command takes as well; widths: of lines of fixed
    form, with the files of which they read more."""

    paths: list[str]
    files: int
    rows: list[Row] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    twice: dict[str, list[str]] = field(default_factory=dict)
    machine: str = ""
    gpu: str = ""
    profile: Profile | None = None
    reading: list[str] = field(default_factory=list)
    widths: dict[int, list[str]] = field(default_factory=dict)

    @property
    def faults(self) -> list[str]:
        """What this package did not foresee: each procedure or file where it met such a thing."""
        found = [str(one) for row in self.rows for one in row.found.reasons()
                 if one.construct in (FAULT, ENDED)]  # fmt: skip
        marks = f": {FAULT}: ", f": {ENDED}: "
        return found + [why for why in self.unreadable.values() if any(m in why for m in marks)]


@dataclass(frozen=True)
class Options:
    """How files are read and units looked at; what processes are handed. folders: of includes, and
    of sources that the tree uses; more: such sources."""

    folders: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    width: int = 72
    fixed_form: bool | None = None
    private: frozenset[str] = frozenset()
    fixed: Mapping[str, int] = field(default_factory=dict)
    seconds: float = SECONDS
    more: tuple[str, ...] = ()


class Worker:
    """What one process knows."""

    def __init__(self, index: Index, options: Options) -> None:
        self.options = options
        self.clock = Clock()
        self.tree = Tree(
            index, options.folders, options.defines, options.width, options.fixed_form, self.clock
        )
        self.looking: dict[int, Looking] = {}

    def file(
        self, file: str, lost: Lost | None = None, say: Callable[[int, Place], None] | None = None
    ) -> tuple[str, Result]:
        """Its procedures, or why it cannot be read. lost: of procedures that are not looked at;
        say: is told which one comes."""
        try:
            units = procedures(self.tree.units(file))
            program = self.tree.program(file)
            looking = self._looking(program)
            program.begins_elsewhere()  # takes no time of a procedure
        except Refused as refused:
            return file, str(refused.refusal)
        except RecursionError:
            return file, "its statements or expressions are nested too deeply"
        except OSError as error:
            return file, f"{type(error).__name__}: {error}"[:200]
        except Exception as error:
            return file, str(fault(Place(file, 0), error))
        found = []
        for at, unit in enumerate(units):
            if lost and at in lost:
                one = looking.refused(unit, lost[at])
            else:
                if say is not None:
                    say(at, unit.place)
                one = self._procedure(file, at, unit, looking)
            one.source = file
            found.append(one)
        return file, found

    def _procedure(self, file: str, at: int, unit: Unit, looking: Looking) -> Found:
        """The one of this number in the file. What nobody foresaw is the reason against it."""
        try:
            found = looking.look(unit)
        except Refused as refused:
            return looking.refused(unit, refused.refusal)
        except Exception as error:
            return looking.refused(unit, fault(unit.place, error))
        if not found.translates and found.how != NOTHING and silenced(found):
            try:
                return self._silent(file, at, found)
            except Exception as error:
                found.also = fault(unit.place, error)
        return found

    def _looking(self, program: Near) -> Looking:
        if id(program) not in self.looking:
            o = self.options
            self.looking[id(program)] = Looking(program, self.clock, o.seconds, o.private, o.fixed)
        return self.looking[id(program)]

    def _silent(self, file: str, at: int, before: Found) -> Found:
        """A procedure of a file by its number, without output; before: with it."""
        tree = self.tree.silent
        looking, unit = self._looking(tree.program(file)), procedures(tree.units(file))[at]
        try:
            looking.left = tree.output.left_out(entry=unit)
            return looking.silent(unit, before)
        except Refused:
            return before  # a declaration that is not understood
        finally:
            tree.output.put_back()


def prepare() -> None:
    """Syntax trees are many objects that stay: looking for garbage among them takes half of the
    time."""
    sys.setrecursionlimit(max(DEPTH, sys.getrecursionlimit()))
    gc.disable()


def survey(
    paths: Sequence[str | Path], *, figures: Figures | None = None, link: float | None = None,
    profile: Profile | None = None, processes: int | None = None, options: Options | None = None,
) -> Survey:  # fmt: skip
    """Of files, and of folders with all in them.

    figures: of a machine, None for no estimate; link: bytes per second to a GPU that the figures
    do not have; processes: None for all cores.
    """
    for path in paths:
        if not Path(path).exists():
            raise ArgumentError("survey", str(path), "a file or a folder of Fortran sources")
    files = files_of(paths)
    if not files:
        raise ArgumentError("survey", " ".join(map(str, paths)), "a folder with Fortran sources")
    given = options or Options()
    index = Index(files, beside(given.folders, given.more))
    inside = index.folders([*paths, *given.folders], given.folders)
    given = replace(given, folders=(*given.folders, *inside))
    found = Survey([str(path) for path in paths], len(files), twice=index.twice, profile=profile)
    found.unreadable = dict(index.unreadable)
    if figures is not None:
        found.machine = f"{figures.processor}, {figures.cores} cores, x86-64-{figures.isa}"
        found.gpu = figures.gpu.name if figures.gpu is not None else ""
    readable = [file for file in index.files if file not in index.unreadable]
    included = index.included()
    _look(
        found, index, given, [f for f in readable if f not in included], processes, link, figures
    )
    # Procedures of a file that another one includes stand there. A file is looked at alone where
    # a condition of the preprocessor leaves its include out.
    seen = {Path(row.found.file).resolve() for row in found.rows}
    alone = [f for f in readable if f in included and Path(f).resolve() not in seen]
    _look(found, index, given, alone, processes, link, figures)
    order = {file: number for number, file in enumerate(index.files)}
    found.rows.sort(key=lambda row: (order[row.found.source], row.found.line))
    return found


def _look(
    found: Survey, index: Index, options: Options, files: Sequence[str], processes: int | None,
    link: float | None, figures: Figures | None,
) -> None:  # fmt: skip
    """Rows of these files."""
    if not files:
        return
    every_file = counted(_all(index, options, files, processes), len(files), "surveying files")
    for file, result in every_file:
        if isinstance(result, str):
            found.unreadable[file] = result
            continue
        for one in result:
            row = Row(one)
            if figures is not None and one.work is not None:
                row.gains = gains(one.work, figures, link)
            if found.profile is not None:
                row.share = found.profile.share(one.name, one.path.split("::")[:-1])
            found.rows.append(row)


def _all(
    index: Index, options: Options, files: Sequence[str], processes: int | None
) -> Iterable[tuple[str, Result]]:
    count = processes or len(os.sched_getaffinity(0))
    count = max(1, min(count, len(files)))
    if count == 1:
        collects, depth = gc.isenabled(), sys.getrecursionlimit()
        prepare()
        try:
            worker = Worker(index, options)
            yield from map(worker.file, files)
        finally:
            sys.setrecursionlimit(depth)
            if collects:
                gc.enable()
        return
    # Neighbours share modules: a process has some of them in a row.
    chunk = max(1, min(8, len(files) // (4 * count)))

    def begin() -> Look:
        prepare()
        return Worker(index, options).file

    yield from on_processes(files, count, chunk, begin)


#: Files that are read with other widths, and the widths.
MOST, WIDTHS = 40, (132, 0)
#: The last column of numbered lines.
NUMBERED = 80


def widths(files: Iterable[str], given: Options) -> dict[int, list[str]]:
    """Width (0 for all columns) -> files of which it reads more, each under the first that reads
    most."""
    found: dict[int, list[str]] = {}
    tried = 0
    for file in files:
        try:
            lengths = _behind(Path(file), given)
            if lengths and tried < MOST:
                tried += 1
                if (width := _better(file, lengths, given)) is not None:
                    found.setdefault(width, []).append(file)
        except (Refused, OSError, RecursionError):
            continue  # a line of the report by itself
    return found


def _better(file: str, lengths: list[int], given: Options) -> int | None:
    """None where no other width reads more."""
    # A statement that is cut may be one as well: a sum without its last term.
    before = _unread(file, given) + (max(lengths) > NUMBERED)
    counts = [(_unread(file, replace(given, width=w)) + _cut(lengths, w), w) for w in WIDTHS]
    count, width = min(counts, key=lambda one: one[0])
    return width if count < before else None


def _behind(path: Path, given: Options) -> list[int]:
    """Lengths of the lines that go on."""
    if not given.width or not (is_fixed(path) if given.fixed_form is None else given.fixed_form):
        return []
    lines = text_of(path).split("\n")
    return [len(raw.rstrip()) for raw in lines if raw and has_text_behind(raw, given.width)]


def _cut(lengths: list[int], width: int) -> bool:
    return bool(width) and max(lengths) > width


def _unread(file: str, given: Options) -> int:
    """Statements that cannot be read."""
    units = parse(file, fixed=given.fixed_form, width=given.width, folders=given.folders,
                  defines=given.defines, functions=OF_VALUES)  # fmt: skip
    inside = (s for unit in every(units) for s in walk(unit.body))
    return sum(isinstance(s, Unread) for s in inside) + sum(len(u.unread) for u in every(units))
