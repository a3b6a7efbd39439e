"""What the user asks of `bridge port`: which Fortran, how it is read; and the kernels of it."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bridge.errors import ArgumentError, BridgeError
from bridge.port.kernel import Kernel, PointProcedure
from bridge.port.optionnames import OptionNames
from bridge.port.outline import directives, outline
from bridge.port.output.hostdata import data_module
from bridge.port.output.module import nest_module
from bridge.port.output.standing import standing
from bridge.port.program.messages import told, without_output
from bridge.port.program.program import Program
from bridge.port.program.stopping import stops_as_status
from bridge.port.refusal import Place, Refused, fault
from bridge.port.refusals import further
from bridge.port.syntax.expressions import Apply, Name
from bridge.port.syntax.parser import parse
from bridge.port.syntax.statements import Call, Statement, walk
from bridge.port.syntax.units import Unit, every
from bridge.port.translate.names import prefixed
from bridge.port.translate.outside import IN, INOUT, OPTIONS, OUT
from bridge.port.translate.translate import translate

_LINES = re.compile(r"(.+):(\d+)-(\d+)")
_SUFFIXES = (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08")


@dataclass
class Ported:
    """unit: the procedure, or the one that the nest stands in; first, last: lines of a nest, 0 of
    a procedure; module: of a nest, name and text; actuals: what the unit gives to bind and run."""

    program: Program
    unit: Unit
    kernels: list[Kernel]
    first: int = 0
    last: int = 0
    module: tuple[str, str] = ("", "")
    actuals: dict[str, list[str]] = field(default_factory=dict)

    def call(self, entry: str) -> str:
        """Of bind, run or unbind of a nest, as the unit can call it."""
        name = self.module[0].removesuffix("_bridge")
        return f"call {entry}_{name}({', '.join(self.actuals[entry])})"

    @property
    def nest(self) -> bool:
        return bool(self.first)


#: An extent, or the first and the last subscript.
Extent = int | tuple[int, int]


@dataclass
class Request:
    """source: SRC::procedure, SRC:first-last or SRC@name; folders: of includes and of modules and
    procedures; fixed: the form, None by the file's name; values: of integer arguments that have
    one value; shapes: of arguments and their components; replace: the shipped composite in whose
    place the kernel runs;
    stands: shipped quantities, by the argument that holds their values; types: of arguments of a
    class; texts: of characters that have one value; initial: variables of modules that keep their
    initial values; errors: "status" where a point that stops gets one; ends: procedures that end
    the run; drop_output: whether statements that only write are left out, dropped: which; outside:
    variables of modules and COMMON that are arguments of the kernel, in, out or inout by name."""

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
    dropped: list[tuple[Place, str]] = field(default_factory=list)

    # ---- words of a command -------------------------------------------------------------------

    @staticmethod
    def options(parser: argparse.ArgumentParser) -> None:
        """What a kernel depends on, besides the source."""
        add = parser.add_argument
        add(
            "-I",
            dest="folders",
            action="append",
            default=[],
            metavar="FOLDER",
            help="of include files, and of sources with modules and procedures that are used",
        )
        add(
            "-D",
            dest="defines",
            action="append",
            default=[],
            metavar="NAME[=VALUE]",
            help="for preprocessor lines",
        )
        add(
            "--more",
            nargs="+",
            default=[],
            metavar="FILE",
            help="further sources, in the order in which they compile",
        )
        form = parser.add_mutually_exclusive_group()
        form.add_argument(
            "--fixed",
            dest="fixed",
            action="store_true",
            default=None,
            help="fixed form, whatever the file's name",
        )
        form.add_argument(
            "--free", dest="fixed", action="store_false", default=None, help="free form"
        )
        add("--width", type=int, default=72, metavar="N", help="columns of a fixed line")
        add(
            "--prefix",
            metavar="TEXT",
            help="of names in the catalogue (default: the folder's name and _)",
        )
        add("--name", metavar="NAME", help="of the kernel (default: the procedure's)")
        add(
            "--private",
            nargs="+",
            default=[],
            metavar="NAME",
            help="saved or module variables that each point may have for itself, as memo caches",
        )
        for role, about in (
            (OUT, "that a call always gives a value: results of a point"),
            (INOUT, "that a call may read before it gives them a value"),
            (IN, "that the caller sets for each point"),
        ):
            add(OPTIONS[role], nargs="+", default=[], metavar="NAME",
                help=f"variables of modules and COMMON {about}")  # fmt: skip
        add(
            "--species",
            default="",
            metavar="NAME",
            help="the variable that holds the number of species, NAME or MODULE::NAME",
        )
        add(
            "--value",
            nargs="+",
            default=[],
            metavar="NAME=N",
            help="integers that have one value in every run, and characters: NAME='TEXT'",
        )
        add(
            "--initial",
            nargs="+",
            default=[],
            metavar="NAME",
            help="variables of modules that keep their initial values in every run",
        )
        add(
            "--errors",
            choices=["status"],
            default="",
            help="status: a point that comes to stop or error stop gets a status and NaN",
        )
        add(
            "--ends",
            nargs="+",
            default=[],
            metavar="NAME",
            help="with --errors: subroutines that end the run, whose source is not given",
        )
        add(
            "--drop-output",
            action="store_true",
            help="leave write and print statements out, each of which is named",
        )
        add(
            "--shape",
            nargs="+",
            default=[],
            metavar="NAME=N,N",
            help="extents of arguments of assumed shape, and of components that are pointers or "
            "allocatable: state%%t=N, state%%t=0:N",
        )
        add(
            "--type",
            nargs="+",
            default=[],
            metavar="NAME=TYPE",
            help="types of arguments of a class, where procedures depend on them",
        )
        add(
            "--axis",
            nargs="+",
            default=[],
            metavar="VARIABLE=x|y|z",
            help="which loop goes along which axis",
        )
        add(
            "--replace",
            default="",
            metavar="COMPOSITE",
            help="the shipped composite in whose place the kernel of a procedure runs",
        )
        add("--stand", nargs="+", default=[], metavar="ARGUMENT=QUANTITY",
            help="shipped quantities whose values arguments hold; of a composite's, those with "
                 "the same name, but for case and _, need none")  # fmt: skip

    @classmethod
    def of(cls, given: argparse.Namespace) -> Request:
        values, texts = _values(given.value)
        shapes = {
            name: tuple(_extent(name, part) for part in word.split(","))
            for name, word in _pairs(given.shape)
        }
        return cls(
            given.source, tuple(given.more), tuple(given.folders), tuple(given.defines),
            given.fixed, given.width, given.prefix or "", given.name or "", tuple(given.private),
            given.species, values, shapes, dict(_pairs(given.axis)),
            given.replace, dict(_pairs(given.stand)), dict(_pairs(given.type)), texts,
            tuple(name.lower() for name in given.initial), given.errors,
            tuple(name.lower() for name in given.ends), given.drop_output, _outside(given),
        )  # fmt: skip

    @classmethod
    def parsed(cls, words: Sequence[str], folder: Path) -> Request:
        """Of the words in a port.toml; paths from its folder."""
        parser = argparse.ArgumentParser(prog="port.toml", exit_on_error=False)
        parser.add_argument("source")
        cls.options(parser)
        try:
            request = cls.of(parser.parse_args(list(words)))
        except (argparse.ArgumentError, SystemExit) as error:
            raise ArgumentError(
                "asked", " ".join(words), f"words of bridge port ({error})"
            ) from None
        file, rest = request.split()
        request.source = os.path.normpath(folder / file) + rest
        request.more = tuple(os.path.normpath(folder / one) for one in request.more)
        request.folders = tuple(os.path.normpath(folder / one) for one in request.folders)
        return request

    def words(self, folder: Path) -> list[str]:
        """The same for a port.toml in a folder."""

        def relative(file: str) -> str:
            return os.path.relpath(Path(file).resolve(), folder.resolve())

        file, rest = self.split()
        words = [relative(file) + rest]
        for option, items in (
            ("--more", [relative(one) for one in self.more]),
            ("--private", list(self.private)),
            (
                "--value",
                [f"{name}={n}" for name, n in self.values.items()]
                + [f"{name}='{text}'" for name, text in self.texts.items()],
            ),
            ("--initial", list(self.initial)),
            *(
                (OPTIONS[role], [name for name, own in self.outside.items() if own == role])
                for role in (OUT, INOUT, IN)
            ),
            ("--ends", list(self.ends)),
            ("--shape", [f"{k}={','.join(map(_shape_word, v))}" for k, v in self.shapes.items()]),
            ("--type", [f"{name}={one}" for name, one in self.types.items()]),
            ("--axis", [f"{name}={axis}" for name, axis in self.axes.items()]),
            ("--stand", [f"{name}={other}" for name, other in self.stands.items()]),
        ):
            words += [option, *items] if items else []
        words += [f"-I{relative(one)}" for one in self.folders]
        words += [f"-D{one}" for one in self.defines]
        words += ["--drop-output"] if self.drop_output else []
        if self.fixed is not None:
            words.append("--fixed" if self.fixed else "--free")
        if self.width != 72:
            words.append(f"--width={self.width}")
        for option, text in (
            ("prefix", self.prefix), ("name", self.name), ("species", self.species),
            ("replace", self.replace), ("errors", self.errors),
        ):  # fmt: skip
            words += [f"--{option}={text}"] if text else []
        return words

    # ---- the source ---------------------------------------------------------------------------

    def split(self) -> tuple[str, str]:
        """The file, and what stands behind it."""
        text = self.source
        if "::" in text:
            file, _, name = text.partition("::")
            return file, f"::{name}"
        if match := _LINES.fullmatch(text):
            return match[1], f":{match[2]}-{match[3]}"
        file, _, name = text.rpartition("@")
        if file and name.isidentifier():
            return file, f"@{name}"
        wanted = "SRC::procedure, SRC:first-last or SRC@name"
        raise ArgumentError("source", repr(text), wanted)

    def files(self) -> list[str]:
        """The main one last: what it uses stands before it."""
        main, _ = self.split()
        for file in (main, *self.more):
            if not Path(file).is_file():
                raise ArgumentError("source", file, "a file that is there")
        for folder in self.folders:
            if not Path(folder).is_dir():
                raise ArgumentError("-I", folder, "a folder that is there")
        return [*self.more, main]

    def ported(self, every: bool = False) -> Ported:
        """Or Refused; every: with all refusals that can be found."""
        files, program = self.files(), None
        try:
            program = Program(files, self.folders, self.defines, self.width, self.fixed)
            if self.folders:
                load(self, program)
            self._said(program)
            return self._ported(program)
        except Refused as refused:
            if every and program is not None:
                again = partial(self._ported, program)
                refused.others = further(program, again, refused.refusal)
            raise
        except BridgeError:
            raise
        except Exception as error:
            found = fault(self._place([] if program is None else program.units), error)
            raise Refused(found.place, found.construct, found.why) from error

    def _place(self, units: Sequence[Unit]) -> Place:
        """Where what is asked for begins, as far as the file shows it."""
        main, rest = self.split()
        if match := _LINES.fullmatch(main + rest):
            return Place(main, int(match[2]))
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
            stops_as_status(program, self.ends)
        if self.drop_output:
            self.dropped = without_output(program)

    def _ported(self, program: Program) -> Ported:
        main, rest = self.split()
        if rest.startswith("::"):
            return self._procedure(program, main, rest[2:])
        if rest.startswith("@"):
            unit, first, last = _directive(program, main, rest[1:])
            return self._nest(program, unit, first, last, self.name or rest[1:].lower())
        match = _LINES.fullmatch(main + rest)
        assert match is not None
        first, last = int(match[2]), int(match[3])
        if not 1 <= first <= last:
            raise ArgumentError("source", self.source, "lines from 1, the first before the last")
        unit = _around(program, main, first, last)
        name = self.name or f"{unit.name or Path(main).stem}_{first}"
        return self._nest(program, unit, first, last, name)

    def _procedure(self, program: Program, main: str, name: str) -> Ported:
        unit = program.find(name, main)
        if unit.kind not in ("subroutine", "function"):
            raise Refused(unit.place, f"{unit.kind} {unit.name}", "it is no procedure",
                          "give a loop nest of it by its lines")  # fmt: skip
        for argument, text in self.texts.items():
            symbol = program.scope(unit).find(argument)
            if symbol is not None and symbol.type != "character":
                raise ArgumentError("--value", f"{argument}={text}", "an integer")
        self._check_names(OptionNames(program, unit))
        point = PointProcedure(self.name or unit.name, unit, unit.place)
        kernel = translate(
            program, point, prefix=self.prefix, private=self.private, species=self.species,
            fixed={**self.values, **self.texts}, shapes=self.shapes, types=self.types,
            initial=self.initial, outside=self.outside,
        )  # fmt: skip
        kernel.notes += told(self.dropped, kernel.places)
        kernel = standing(kernel, self.replace, self.stands)
        return Ported(program, unit, [kernel], module=data_module(program, kernel))

    def _check_names(self, names: OptionNames) -> None:
        names.check(values=self.values, private=self.private, species=self.species,
                    shapes=self.shapes, axes=self.axes, texts=self.texts,
                    initial=self.initial, outside=self.outside)  # fmt: skip

    def _nest(self, program: Program, unit: Unit, first: int, last: int, name: str) -> Ported:
        if self.replace or self.stands:
            wanted = "a procedure: a loop nest has arrays of its own"
            raise ArgumentError("--replace", self.source, wanted)
        if self.types:
            raise ArgumentError("--type", self.source, "a procedure: a loop nest has no arguments")
        for role in self.outside.values():
            wanted = "a procedure of one point: what a nest reads and writes is bound as it is"
            raise ArgumentError(OPTIONS[role], self.source, wanted)
        if self.drop_output:
            self.dropped += without_output(program, unit, (first, last))
        self._check_names(OptionNames(program, unit, first, last))
        private = frozenset(one.lower() for one in self.private)
        points = outline(program, unit, first, last, name=name, axes=self.axes or None,
                         private=private, constants=self.values)  # fmt: skip
        kernels = [
            translate(program, one, prefix=self.prefix, private=self.private,
                      species=self.species, fixed={**self.values, **dict(self.texts)},
                      shapes=self.shapes, initial=self.initial)
            for one in points
        ]  # fmt: skip
        places = [*kernels[0].places, Place(unit.place.file, first, last)]
        kernels[0].notes += told(self.dropped, places)
        own = prefixed(self.prefix, name)
        text, actuals = nest_module(own, unit, program, kernels)
        return Ported(program, unit, kernels, first, last, (f"{own}_bridge", text), actuals)


def load(request: Request, program: Program) -> None:
    """Modules and procedures of the folders, where the program lacks them; found by a search for
    their statements, so that a folder may hold what is not read."""
    index = _index(request.folders, {Path(file).resolve() for file in request.files()})
    taken: set[Path] = set()
    asked: set[str] = set()
    while True:
        wanted = _wanted(program) - asked
        asked |= wanted
        if not wanted:
            return
        for name in sorted(wanted):
            file = index.get(name)
            if file is None or file in taken:
                continue
            taken.add(file)
            units = parse(file, fixed=request.fixed, width=request.width,
                          folders=request.folders, defines=request.defines)  # fmt: skip
            program.add(units, str(file))


def _wanted(program: Program) -> set[str]:
    """Modules and names that may be procedures, which no file has."""
    names: set[str] = set()
    for unit in every(program.units):
        names |= {use.module for use in unit.uses} - program.modules.keys()
        calls: set[str] = set()
        for s in walk(unit.body):
            if isinstance(s, Call):
                if isinstance(s.procedure, Name):
                    calls.add(s.procedure.id)
            for e in s.expressions():
                for part in e.walk():
                    if isinstance(part, Apply) and isinstance(part.base, Name):
                        calls.add(part.base.id)
        names |= calls - program.procedures.keys()
    return names


_UNIT = re.compile(
    r"^[ \t]*(?:[a-z][\w \t*()=]*?[ \t])?(module|subroutine|function)[ \t]+([a-z]\w*)",
    re.IGNORECASE | re.MULTILINE,
)


_INTERFACE = re.compile(
    r"^[ \t]*(?:abstract[ \t]+)?interface\b.*?^[ \t]*end[ \t]*interface\b",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def _index(folders: Sequence[str], known: set[Path]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in folders:
        for file in sorted(Path(folder).iterdir()):
            if file.suffix.lower() not in _SUFFIXES or file.resolve() in known:
                continue
            text = _INTERFACE.sub("", file.read_text(errors="replace"))
            for match in _UNIT.finditer(text):
                found.setdefault(match[2].lower(), file)
    return found


def _directive(program: Program, main: str, name: str) -> tuple[Unit, int, int]:
    names: list[str] = []
    for unit in _units(program, main):
        nests = directives(unit)
        if name.lower() in nests:
            return unit, *nests[name.lower()]
        names += nests
    raise Refused(Place(main, 0), f"!$bridge begin {name}", "there is no such directive",
                  f"there are {', '.join(names)}" if names else "")  # fmt: skip


def _around(program: Program, main: str, first: int, last: int) -> Unit:
    """The innermost unit with a statement of these lines."""
    found = None
    for unit in _units(program, main):
        if any(first <= s.place.line <= last for s in _walked(unit)):
            found = unit
    if found is None:
        raise Refused(Place(main, first), f"lines {first}-{last}", "no statement begins there")
    return found


def _walked(unit: Unit) -> Iterator[Statement]:
    return (s for s in walk(unit.body) if s.place.file == unit.place.file)


def _units(program: Program, main: str) -> list[Unit]:
    path = Path(main).resolve()
    return [unit for unit in every(program.units) if Path(unit.place.file).resolve() == path]


def _pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for word in words:
        name, _, value = word.partition("=")
        if not value:
            raise ArgumentError("option", repr(word), "NAME=VALUE")
        pairs.append((name.lower(), value))
    return pairs


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
    for name, word in _pairs(words):
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


def _shape_word(extent: Extent) -> str:
    return str(extent) if isinstance(extent, int) else f"{extent[0]}:{extent[1]}"


def _number(option: str, name: str, word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise ArgumentError(option, f"{name}={word}", "an integer") from None
