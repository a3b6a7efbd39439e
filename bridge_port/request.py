"""What the user asks of `bridge port`: which Fortran, how it is read; and the kernels of it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bridge.commandline import near
from bridge.errors import ArgumentError, BridgeError
from bridge_port.analysis.region import last_line, unit_of_lines
from bridge_port.analysis.setting import Setting
from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.nest import directives, outline
from bridge_port.nest.callednest import CalledNest, called_nest, is_nest
from bridge_port.optionnames import OptionNames
from bridge_port.options import Named, Table, complete, in_file, parsed, split
from bridge_port.output.catalogue import standing
from bridge_port.output.fortran import Call, Module, call
from bridge_port.output.hostdata import data_module
from bridge_port.output.module import nest_module
from bridge_port.output.pieces import Pieces, pieces
from bridge_port.program.messages import Left, told, without_output
from bridge_port.program.program import Program
from bridge_port.program.searching import load, narrowed
from bridge_port.program.stopping import stops_as_status
from bridge_port.refusal import SOURCE, Place, Refused, fault
from bridge_port.refusals import further
from bridge_port.semantic.intrinsics import OF_VALUES
from bridge_port.source.folders import Folders
from bridge_port.source.including import including, is_source
from bridge_port.source.lines import left_out
from bridge_port.syntax.parser import parse
from bridge_port.syntax.statements import Statement, walk
from bridge_port.syntax.units import Unit, every
from bridge_port.translate.names import check_length, check_names, prefixed
from bridge_port.translate.outside import IN, INOUT, OPTIONS, OUT
from bridge_port.translate.translate import refuse_without_results, translate

_LINES = re.compile(r":(\d+)(-(\d+))?")


@dataclass
class Ported:
    """unit: the procedure, or the one that the nest stands in; first, last: lines of a nest, 0 of
    a procedure; module: that is generated, if any; actuals: what the unit gives to bind and run;
    called: where the nest is a call, that of the unit; at_call: what its caller gives to bind and
    run; procedures: of a procedure, for its arguments and components that are
    procedures."""

    program: Program
    unit: Unit
    kernels: list[Kernel]
    first: int = 0
    last: int = 0
    module: Module = field(default_factory=Module)
    actuals: dict[str, list[str]] = field(default_factory=dict)
    called: CalledNest | None = None
    at_call: dict[str, list[str]] = field(default_factory=dict)
    procedures: dict[str, Unit] = field(default_factory=dict)

    def pieces(self) -> Pieces:
        """What the kernels were made of."""
        return pieces(self.program, self.kernels, self.unit, self.first, self.last, self.called)

    def call(self, entry: str) -> Call:
        """Of bind, run or unbind of a nest, as the unit can call it."""
        return self._call(entry, self.actuals)

    def told(self, entry: str) -> str:
        """The same where the user writes it: in the place of the loops, or of the call."""
        return str(self._call(entry, self.actuals if self.called is None else self.at_call))

    def _call(self, entry: str, actuals: dict[str, list[str]]) -> Call:
        return call(f"{entry}_{self.module.base}", *actuals[entry])

    @property
    def nest(self) -> bool:
        return bool(self.first)


#: An extent, or the first and the last subscript.
Extent = int | tuple[int, int]


@dataclass
class Request:
    """source: SRC::procedure, SRC:first-last, SRC:line (of a statement that begins there) or
    SRC@name; folders: of includes and of modules and
    procedures; fixed: the form, None by the file's name; values: of integer arguments that have
    one value; shapes: of arguments and their components; replace: the shipped composite in whose
    place the kernel runs;
    stands: shipped quantities, by the argument that holds their values; types: of arguments of a
    class; texts: of characters that have one value; initial: variables of modules that keep their
    initial values; errors: "status" where a point that stops gets one; ends: procedures that end
    the run; drop_output: whether statements that only write are left out, dropped: which; outside:
    variables of modules and COMMON that are arguments of the kernel, in, out or inout by name;
    procedures: what arguments and components that are procedures stand for; presence: of
    optional arguments, whether they are given; singles: whether kernels compute in real(4)."""

    source: str
    more: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    fixed: bool | None = None
    width: int = 72
    prefix: str = ""
    name: str = ""
    private: tuple[str, ...] = ()
    species: str = ""
    values: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, tuple[Extent, ...]] = field(default_factory=dict)
    axes: dict[str, str] = field(default_factory=dict)
    replace: str = ""
    stands: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    initial: tuple[str, ...] = ()
    errors: str = ""
    ends: tuple[str, ...] = ()
    drop_output: bool = False
    outside: dict[str, str] = field(default_factory=dict)
    procedures: dict[str, str] = field(default_factory=dict)
    presence: dict[str, bool] = field(default_factory=dict)
    singles: bool = False
    dropped: Left = field(default_factory=list)

    def __post_init__(self) -> None:
        #: Tells what is wrong with an option of a table by its key.
        self.named: Named = nullcontext

    # ---- the source ---------------------------------------------------------------------------

    def split(self) -> tuple[str, str]:
        """The file, and what stands behind it."""
        return split(self.source)

    def files(self) -> list[str]:
        """The main one last: what it uses stands before it."""
        main, _ = self.split()
        given = (in_file(word) for word in self.procedures.values())
        more = [*self.more, *dict.fromkeys(found[0] for found in given if found is not None)]
        for file in (main, *more):
            if not Path(file).is_file():
                got = f"{file} (a folder)" if Path(file).is_dir() else file
                raise ArgumentError("source", got, f"a file that is there{_beside(file)}")
            if b"\0" in Path(file).read_bytes()[:4096]:
                raise ArgumentError("source", f"{file} (not a text)", "a source file of Fortran")
        for folder in self.folders:
            if not Path(folder).is_dir():
                raise ArgumentError("-I", folder, "a folder that is there")
        known = {Path(file).resolve() for file in (main, *self.more)}
        return [*(file for file in more if file in self.more or Path(file).resolve() not in known),
                main]  # fmt: skip

    def _units(self, folders: Folders, file: Path) -> list[Unit]:
        return parse(file, fixed=self.fixed, width=self.width, folders=folders,
                     defines=self.defines, functions=OF_VALUES)  # fmt: skip

    def ported(self, every: bool = False) -> Ported:
        """Or Refused; every: with all refusals that can be found."""
        with self.named():
            return self._attempted(every)

    def _attempted(self, every: bool) -> Ported:
        self.files()  # are there
        self._read_through()
        files, program = self.files(), None
        try:
            folders = Folders(self.folders)
            program = Program(files, folders, self.defines, self.width, self.fixed)
            load(program, folders, files, partial(self._units, folders))
            self._said(program)
            return self._ported(program)
        except Refused as refused:
            if every and program is not None:
                again = partial(self._ported, program)
                refused.others = further(program, again, refused.refusal)
                refused.nests = self._nests(program)
            self._tell_including(refused)
            raise
        except BridgeError:
            raise
        except Exception as error:
            found = fault(self._place([] if program is None else program.units), error)
            raise Refused(found.place, found.construct, found.why) from error

    def _nests(self, program: Program) -> list[tuple[int, int]]:
        """Lines of the loops over points of the procedure, which are nests by themselves."""
        main, rest = self.split()
        if not rest.startswith("::"):
            return []
        try:
            unit = program.find(rest[2:], main)
        except Refused:
            return []
        setting = Setting(program, unit, program.scope(unit), self.values)
        found = []
        for one in unit.body:
            lines = one.place.line, last_line(one)
            try:
                if one.place.file != unit.place.file or not is_nest(setting, one):
                    continue
                outline(program, unit, *lines, name="nest", said=self._choices())
            except BridgeError:
                continue
            found.append(lines)
        return found

    def _tell_including(self, refused: Refused) -> None:
        """Of a source that another one includes: that one may declare what it lacks."""
        main, rest = self.split()
        if not is_source(Path(main)) or refused.refusal.place.file != main:
            return
        found = including(Path(main), map(Path, self.folders))
        if not found:
            return
        change = f"{refused.refusal.change}; ".removeprefix("; ")
        change += (
            f"this file is included by {', '.join(map(str, found))}, which declares its names"
        )
        if rest.startswith("::"):
            change += f": port {found[0]}{rest}"
        refused.changed(change)

    def _read_through(self) -> None:
        """An included file stands for the one source that includes it. Without that its lines mean
        nothing, or something else: names have no declarations."""
        main, rest = self.split()
        if is_source(Path(main)):
            return
        found = including(Path(main), map(Path, self.folders))
        names = ", ".join(map(str, found))
        if found and not rest.startswith("::"):
            raise Refused(
                Place(main, 0), "lines of an included file",
                f"they stand in procedures of {names}",
                f"port the procedure, {main}::NAME, or put the lines into {found[0].name}",
            )  # fmt: skip
        if len(found) > 1:
            raise Refused(
                Place(main, 0), "an included file", f"{names} include it, each in its own way",
                f"say which, {found[0]}{rest}",
            )  # fmt: skip
        if found:
            self.source = f"{found[0]}{rest}"

    def _place(self, units: Sequence[Unit]) -> Place:
        """Where what is asked for begins, as far as the file shows it."""
        main, rest = self.split()
        if match := _LINES.fullmatch(rest):
            return Place(main, int(match[1]))
        name = rest.lstrip(":@").lower()
        known = [one.place for one in every(units) if one.name == name]
        return known[0] if known else Place(main, 1)

    def _said(self, program: Program) -> None:
        """What is said of statements that stop or write."""
        if self.ends and not self.errors:
            raise ArgumentError("--ends", " ".join(self.ends), "--errors status with it")
        if not self.errors and not self.drop_output:
            return
        if not self.split()[1].startswith("::"):
            if not self.errors:
                return  # of a nest, whose lines are found first
            wanted = (
                "a procedure: a nest gives its points no status; test before its loops, or port "
                "the procedure that stops"
            )
            raise ArgumentError("--errors", self.source, wanted)
        if self.errors:
            stops_as_status([(program, program.units)], self.ends)
        if self.drop_output:
            main, rest = self.split()
            entry = program.find(rest[2:], main)
            self.dropped = without_output([(program, program.units)], entry=entry)

    def _ported(self, program: Program) -> Ported:
        main, rest = self.split()
        if rest.startswith("::"):
            return self._procedure(program, main, rest[2:])
        if rest.startswith("@"):
            unit, first, last = _directive(program, main, rest[1:])
            return self._nest(program, unit, first, last, rest[1:].lower())
        match = _LINES.fullmatch(rest)
        assert match is not None
        first, last = int(match[1]), int(match[3] or match[1])
        if not 1 <= first <= last:
            raise ArgumentError("source", self.source, "lines from 1, the first before the last")
        given = last
        unit, last = unit_of_lines(_units(program, main), main, first, last)
        if not match[2]:
            begun = (s for s in _walked(unit) if s.place.line == first)
            last = max(map(last_line, begun), default=last)
        ported = self._nest(program, unit, first, last)
        if last < given:
            name = Path(main).name
            ported.kernels[0].notes.append(f"{name}:{last + 1}-{given} are left out: "
                                           f"{unit.kind} {unit.name} ends there")  # fmt: skip
        return ported

    def _procedure(self, program: Program, main: str, name: str) -> Ported:
        unit = program.find(name, main)
        if unit.kind == "procedure":
            raise Refused(unit.place, f"module procedure {unit.name}",
                          "no module that is given has its interface",
                          f"say {SOURCE}")  # fmt: skip
        if unit.kind not in ("subroutine", "function"):
            raise Refused(unit.place, f"{unit.kind} {unit.name}", "it is no procedure",
                          "give a loop nest of it by its lines")  # fmt: skip
        unit = program.lifted(unit)
        for argument, text in self.texts.items():
            symbol = program.scope(unit).find(argument)
            if symbol is not None and symbol.type != "character":
                raise ArgumentError("--value", f"{argument}={text}", "an integer")
        OptionNames(program, unit).check(self._choices())
        point = PointProcedure(self.name or unit.name, unit, unit.place, presence=self.presence)
        procedures = self._procedures(program)
        kernel = translate(program, point, self._choices(), procedures)
        refuse_without_results(kernel, unit)
        kernel.notes += told(self.dropped, kernel.places) + self._left_out(kernel.places)
        kernel = standing(kernel, self.replace, self.stands)
        module = data_module(program, kernel)
        if module.name:
            check_length("_bridge", module.base, unit.place)
            check_names(module.text, mentioned(unit), unit.place)
        return Ported(program, unit, [kernel], module=module, procedures=procedures)

    def _procedures(self, program: Program) -> dict[str, Unit]:
        """Units of --procedure: FILE::NAME, MODULE::NAME or a name of the sources."""
        found = {}
        for argument, word in self.procedures.items():
            file, name = in_file(word) or (None, word)
            unit = program.find(name, file)
            if unit.kind not in ("subroutine", "function"):
                wanted = f"a subroutine or a function: {word} is a {unit.kind}"
                raise ArgumentError("--procedure", f"{argument}={word}", wanted)
            found[argument] = unit
        return found

    def _left_out(self, places: Sequence[Place]) -> list[str]:
        """Text that a compiler reads where it is told to."""
        return [
            f"{Path(one.file).name}:{n}: text behind column {self.width} is not read (--width 132)"
            for one in dict.fromkeys(places)
            if (n := left_out(one, self.width, self.fixed))
        ]

    def _choices(self) -> Choices:
        return Choices(
            prefix=self.prefix, private=self.private, species=self.species,
            fixed={**self.values, **self.texts}, shapes=self.shapes, types=self.types,
            initial=self.initial, outside=self.outside, singles=self.singles, axes=self.axes,
            presence=self.presence,
        )  # fmt: skip

    def _nest(
        self, program: Program, unit: Unit, first: int, last: int, directive: str = ""
    ) -> Ported:
        """directive: the name that one gives the nest."""
        if not unit.name and not unit.declarations and any(
            one.construct == "program without end" for one in unit.unread
        ):  # fmt: skip
            raise Refused(
                Place(self.split()[0], first), f"lines {first}-{last}",
                "they stand in no procedure, and nothing declares their names",
                "port the source that includes this file, with these lines put into it",
            )  # fmt: skip
        if self.replace or self.stands:
            wanted = "a procedure: a loop nest has arrays of its own"
            raise ArgumentError("--replace", self.source, wanted)
        for option, said in (("--type", self.types), ("--procedure", self.procedures)):
            if said:
                wanted = "a procedure: a loop nest has no arguments"
                raise ArgumentError(option, self.source, wanted)
        for role in self.outside.values():
            wanted = "a procedure of one point: what a nest reads and writes is bound as it is"
            raise ArgumentError(OPTIONS[role], self.source, wanted)
        main, _ = self.split()
        begin, called = first, called_nest(program, unit, first, last)
        if called is not None:
            unit, first, last = called.unit, called.first, called.last
        of_lines = f"{unit.name or Path(unit.place.file).stem}_{begin}"
        name = self.name or directive or (unit.name if called is not None else of_lines)
        if self.drop_output:
            sources = [(program, program.units)]
            self.dropped = [*self.dropped, *without_output(sources, unit, (first, last))]
        check_length("compare_begin_", prefixed(self.prefix, name), Place(main, begin))
        choices = self._choices()
        OptionNames(program, unit, first, last).check(choices)
        points = outline(program, unit, first, last, name=name, said=choices)
        kernels = [translate(program, one, choices) for one in points]
        places = [*kernels[0].places, Place(unit.place.file, first, last)]
        kernels[0].notes += told(self.dropped, places) + self._left_out(places)
        own = prefixed(self.prefix, name)
        made = nest_module(own, unit, program, kernels, called)
        check_names(made.module.text, mentioned(unit), Place(main, begin))
        if called is not None:
            # The check compiles what the loops need, and not what calls them.
            program = narrowed(program, unit.place.file)
        return Ported(program, unit, kernels, first, last, made.module, made.actuals, called,
                      made.at_call)  # fmt: skip


def mentioned(unit: Unit) -> set[str]:
    """Names that a unit declares, or has in its statements."""
    names = {name for s in walk(unit.body) for e in s.expressions() for name in e.names}
    return names | {d.name for d in unit.declarations}


def _directive(program: Program, main: str, name: str) -> tuple[Unit, int, int]:
    names: list[str] = []
    for unit in _units(program, main):
        nests = directives(unit)
        if name.lower() in nests:
            return unit, *nests[name.lower()]
        names += nests
    raise Refused(Place(main, 0), f"!$bridge begin {name}", "there is no such directive",
                  f"there are {', '.join(names)}" if names else "")  # fmt: skip


def _walked(unit: Unit) -> Iterator[Statement]:
    return (s for s in walk(unit.body) if s.place.file == unit.place.file)


def _units(program: Program, main: str) -> list[Unit]:
    path = Path(main).resolve()
    return [unit for unit in every(program.units) if Path(unit.place.file).resolve() == path]


def _beside(file: str) -> str:
    """The file of its folder that was probably meant, as the end of a message."""
    folder = Path(file).parent
    names = [one.name for one in folder.iterdir() if one.is_file()] if folder.is_dir() else []
    return near(Path(file).name, names)


# ---- of the options ---------------------------------------------------------------------------


def of_words(words: Sequence[str], folder: Path) -> Request:
    """Of the words that a pack's port.toml has kept, and its options."""
    return request_of(parsed(words, folder), Table.read(folder, words[0]))


def request_of(own: argparse.Namespace, table: Table | None = None) -> Request:
    """What the command line says, and a table of options."""
    named = partial((table or Table()).named, own)
    with named():
        request = _request(complete(own, table or Table()))
    request.named = named
    return request


def _request(given: argparse.Namespace) -> Request:
    values, texts = _values(given.value)
    for define in given.defines:
        name = define.removeprefix("-D").partition("=")[0].strip()
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ArgumentError("-D", repr(define), "NAME or NAME=VALUE of the preprocessor")
    shapes = {
        name: tuple(_extent(name, part) for part in word.split(","))
        for name, word in _pairs("--shape", given.shape)
    }
    return Request(
        given.source, tuple(given.more), tuple(given.folders), tuple(given.defines),
        given.fixed, given.width, given.prefix or "", given.name or "", tuple(given.private),
        given.species or "", values, shapes, dict(_pairs("--axis", given.axis)),
        given.replace or "", dict(_pairs("--stand", given.stand)),
        dict(_pairs("--type", given.type)), texts,
        tuple(name.lower() for name in given.initial), given.errors or "",
        tuple(name.lower() for name in given.ends), given.drop_output, _outside(given),
        dict(_pairs("--procedure", given.procedure)),
        _presence(given), given.precision == "original",
    )  # fmt: skip


def _pairs(option: str, words: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for word in words:
        name, _, value = word.partition("=")
        if not value:
            raise ArgumentError(option, repr(word), "NAME=VALUE")
        pairs.append((name.lower(), value))
    return pairs


def _presence(given: argparse.Namespace) -> dict[str, bool]:
    found = {name.lower(): True for name in given.present}
    for name in (one.lower() for one in given.absent):
        if name in found:
            raise ArgumentError("--absent", name, "one that is not said to be present")
        found[name] = False
    return found


def _outside(given: argparse.Namespace) -> dict[str, str]:
    """One role for each name."""
    found: dict[str, str] = {}
    for role in (OUT, INOUT, IN):
        for name in (one.lower() for one in getattr(given, OPTIONS[role][2:].replace("-", "_"))):
            if name in found or name in (one.lower() for one in given.private):
                raise ArgumentError(OPTIONS[role], name, "one option for each variable")
            found[name] = role
    return found


def _values(words: Sequence[str]) -> tuple[dict[str, int], dict[str, str]]:
    """Of --value: integers, and texts; a text of digits alone stands in quotes."""
    integers: dict[str, int] = {}
    texts: dict[str, str] = {}
    for name, word in _pairs("--value", words):
        if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
            texts[name] = word[1:-1]
        elif re.fullmatch(r"[-+]?\d+", word):
            integers[name] = int(word)
        elif re.fullmatch(r"[-+]?[\d.][\d.ed+-]*", word.lower()):
            raise ArgumentError("--value", f"{name}={word}", "an integer, or a text in quotes")
        else:
            texts[name] = word
    return integers, texts


def _extent(name: str, word: str) -> Extent:
    """N, or FIRST:LAST."""
    first, mark, last = word.partition(":")
    if not mark:
        return _number("--shape", name, word)
    return _number("--shape", name, first), _number("--shape", name, last)


def _number(option: str, name: str, word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise ArgumentError(option, f"{name}={word}", "an integer") from None
