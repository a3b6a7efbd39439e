"""Declarations that a generated procedure needs of the unit that a nest stands in.

Some come from a file that the unit includes. With the line `include 'grid.inc'` bounds of COMMON
blocks and parameters are those with which the host is compiled, also where they have changed since
the port. A file is included where it gives the module just these: read as free form it says what
the unit reads in it, it declares nothing but parameters and blocks, and none of its names means
something else in the module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridge_port.kernel import HostValue
from bridge_port.output.fortran import Include, Statement, Use
from bridge_port.program.program import Program
from bridge_port.program.symbols import COMMON, MODULE, PARAMETER, Symbol
from bridge_port.refusal import Refused
from bridge_port.source.folders import Folders, Included
from bridge_port.source.lines import read
from bridge_port.syntax.expressions import Apply, Component, Expression, Name, Number
from bridge_port.syntax.parser import parse_lines
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Declaration, Dimension, TypeName, Unit, ends
from bridge_port.syntax.unittext import declaration_text, implicit_lines

#: Functions that the texts of the module call.
CALLED = frozenset(
    "abs all allocated any huge is_contiguous lbound max maxval merge min nint present real "
    "reshape shape size spacing spread sum transfer trim ubound".split()
)
#: Names of the module's own: its dummies, and what it calls.
_OWN = re.compile(
    r"(bridge|frame|c|compared|compare|bind|run|unbind|record)_\w+|bridge|worst|share|file|int|"
    + "|".join(CALLED)
)
#: What a file of declarations has none of.
_OTHER = (
    "uses", "equivalences", "data", "statement_functions", "types", "interfaces", "bodies",
    "external", "shaped_as", "entries", "body", "units", "public", "private",
)  # fmt: skip


@dataclass(frozen=True)
class Inclusion:
    """name: of the file, as the source has it; blocks: that it declares; needs: names that have to
    be declared in front of it; implicit: lines that give its names their types."""

    name: str
    blocks: frozenset[str]
    names: frozenset[str]
    needs: tuple[str, ...]
    implicit: tuple[str, ...]

    @property
    def lines(self) -> list[Statement]:
        return [*self.implicit, Include(self.name)]


class Inclusions:
    """Of the units of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[tuple[int, Included], Inclusion | None] = {}
        #: Lines that need nothing in front of them.
        self.alone: set[Statement] = set()

    def of(self, symbol: Symbol) -> Inclusion | None:
        """The file that declares a parameter, or the block of a variable; None of others."""
        unit = symbol.scope.unit
        line = self._line(unit, symbol.place.file)
        if line is None:
            return None
        key = id(unit), line
        if key not in self._known:
            self._known[key] = self._inclusion(unit, line)
        found = self._known[key]
        if found is None or (symbol.storage == COMMON and symbol.owner not in found.blocks):
            return None
        return found if symbol.name in found.names else None

    def _line(self, unit: Unit, file: str) -> Included | None:
        """The line of the unit that stands for a file, or for one that includes it."""
        own, seen = unit.place, set()
        folders: Folders = self.program.folders
        waiting = [] if file == own.file else [file]
        while waiting:
            file = waiting.pop()
            seen.add(file)
            for one in folders.included:
                if one.file == file and one.by == own.file and own.line <= one.line <= own.last:
                    return one
                if one.file == file and one.by not in seen:
                    waiting.append(one.by)
        return None

    def _inclusion(self, unit: Unit, line: Included) -> Inclusion | None:
        """None where the file cannot stand in the module."""
        try:
            units = parse_lines(read(line.file, fixed=False, folders=self.program.folders))
        except Refused:
            return None
        if len(units) != 1 or any(getattr(units[0], name) for name in _OTHER):
            return None
        own = units[0]
        if any(one.text for one in own.unread) or own.saves_all or own.hides_all:
            return None
        files = {one.place.file for one in own.declarations}
        files |= {place.file for _, _, place in own.parameters}
        if _said(own.declarations) != _said(d for d in unit.declarations if d.place.file in files):
            return None
        if [(n, e) for n, e, _ in own.parameters] != [
            (n, e) for n, e, place in unit.parameters if place.file in files
        ]:
            return None
        blocks = frozenset(member.block for member in own.commons)
        if [m for m in unit.commons if m.block in blocks] != own.commons:
            return None
        names = frozenset(d.name for d in own.declarations)
        names |= {n for n, _, _ in own.parameters} | {m.name for m in own.commons}
        scope = self.program.scope(unit)
        symbols = [scope.symbol(name, unit.place) for name in sorted(names)]
        if any(one.storage not in (PARAMETER, COMMON) or _OWN.fullmatch(one.name)
               for one in symbols):  # fmt: skip
            return None
        typed = {d.name for d in own.declarations if d.type is not None}
        implicit = own.implicit is None and names != typed
        needs = sorted(_mentioned(own) - names)
        if own.implicit is not None and needs:
            return None  # its IMPLICIT would have to stand in front of these
        if not needs:
            self.alone.add(Include(line.name))
        return Inclusion(
            line.name, blocks, names, tuple(needs),
            tuple(implicit_lines(_typing(unit))) if implicit else (),
        )  # fmt: skip


def _typing(unit: Unit) -> Unit:
    """The unit whose IMPLICIT holds."""
    while unit.implicit is None and unit.parent is not None:
        unit = unit.parent
    return unit


def _said(declarations: Iterable[Declaration]) -> list[tuple[Any, ...]]:
    return [(d.name, d.type, d.dimensions, d.attributes, d.value, d.place) for d in declarations]


def _mentioned(unit: Unit) -> set[str]:
    """Names in bounds, values, kinds and lengths."""
    found: set[str] = set()
    for d in unit.declarations:
        for e in d.expressions():
            found |= e.names
    for _, value, _ in unit.parameters:
        found |= value.names
    return found


@dataclass
class Known:
    """arguments: of the procedure, in the order of the unit's; parameters and outside: names that
    are no arguments; arrays: that are bound; lowers: of arrays whose lower bounds only a run
    knows, the arguments that give them, "" of a dimension that begins where the nest says."""

    around: Surroundings
    arguments: list[str]
    parameters: list[str]
    outside: list[str]
    arrays: set[str]
    lowers: dict[str, tuple[str, ...]]

    @property
    def dummies(self) -> list[str]:
        """Of the procedure, lower bounds behind their arrays."""
        lowers = self.lowers
        return [
            one for name in self.arguments for one in (name, *filter(None, lowers.get(name, ())))
        ]

    def actuals(self, given: Callable[[str], Expression]) -> list[str]:
        """What is given for the arguments, with lower bounds."""
        found = []
        for name in self.arguments:
            text = expression_text(given(name))
            found.append(text)
            lowers = enumerate(self.lowers.get(name, ()), 1)
            found += [f"lbound({text}, {n})" for n, low in lowers if low]
        return found

    def declarations(
        self, targets: bool, changed: Container[str] = (), outside: Iterable[str] = ()
    ) -> list[Statement]:
        """Scalars first, because bounds need them. changed: that the procedure gives a value;
        outside: what else it takes from modules and COMMON."""
        lines = self.around.outside_lines([*outside, *self.outside])
        for name in self.parameters:
            lines += self.around.parameter_lines(name)
        lines = self.around.in_order(lines)  # blocks of COMMON have parameters in their bounds too
        ordered = sorted(
            self.arguments, key=lambda n: self.around.symbol(n).dimensions is not None
        )
        lows = [one for name in ordered for one in self.lowers.get(name, ()) if one]
        if lows:
            lines.append(f"integer, intent(in) :: {', '.join(lows)}")
        for name in ordered:
            bound = targets and name in self.arrays
            intent = "inout" if name in changed else "in"
            lines.append(self.around.argument_text(name, bound, intent, self._lows(name)))
        return lines

    def _lows(self, name: str) -> list[Expression] | None:
        """First subscripts of an array that is given with its bounds."""
        if name not in self.lowers:
            return None
        return [
            Name(low) if low else self._first(name, self.around.firsts[name, n])
            for n, low in enumerate(self.lowers[name], 1)
        ]

    def _first(self, name: str, first: Expression) -> Expression:
        """A number, or where another array begins."""
        match first:
            case Apply(Name("lbound"), (Name(other), Number(digits))):
                lows = self.lowers.get(other)
                if lows is not None:
                    return Name(lows[int(digits) - 1])
                if other not in self.outside:
                    raise Refused(self.around.symbol(name).place, f"array {name}",
                                  f"it begins where {other} does, whose bounds are not known here",
                                  f"assign to {name} in a nest of its own")  # fmt: skip
        return first


class Surroundings:
    """Of one unit."""

    def __init__(self, program: Program, unit: Unit) -> None:
        self.program, self.unit, self.scope = program, unit, program.scope(unit)
        #: Of arrays of assumed size the last subscript that is touched.
        self.ends: dict[str, Expression] = {}
        #: All that generated procedures name of it.
        self.names: set[str] = set()
        #: Arrays and dimensions, from 1, and where they begin in the nest, whatever their bounds.
        self.firsts: Mapping[tuple[str, int], Expression] = {}
        #: Variables of modules that the unit does not see, with their modules.
        self.inside: dict[str, str] = {}
        #: Arrays that the module itself has, and those of them that were asked for.
        self.kept: frozenset[str] = frozenset()
        self.met: set[str] = set()
        while unit.parent is not None:
            unit = unit.parent
        #: Where declarations may come from files that the unit includes.
        self.inclusions: Inclusions | None = None
        #: That the unit stands in, which cannot be used by a module that the unit uses.
        self.module = unit.name if unit.kind in ("module", "submodule") else ""

    def symbol(self, name: str) -> Symbol:
        return self.scope.symbol(name, self.unit.place)

    def size(self, name: str) -> int:
        """Elements of an array, 0 of a scalar."""
        symbol = self.symbol(name)
        if symbol.dimensions is None:
            return 0
        size = 1
        for extent in self.scope.extents(symbol):
            if extent is None:
                raise Refused(symbol.place, f"array {name}", "its extent is no constant")
            size *= extent
        return size

    def is_open(self, name: str) -> bool:
        """Whether an array's place in memory is known by its descriptor alone: where it may have
        gaps, and a lower bound of its own."""
        if name in self.kept:
            return False
        symbol = self.symbol(name)
        deferred = any(one.deferred for one in symbol.dimensions or ())
        return deferred or self._given(symbol) or _of_components(symbol)

    def has_no_end(self, name: str) -> bool:
        """Whether its last extent is `*`."""
        dimensions = self.symbol(name).dimensions or ()
        return bool(dimensions) and dimensions[-1].upper is None and not dimensions[-1].deferred

    def has_own_bounds(self, name: str, bound: bool) -> bool:
        """Whether only a run knows its lower bounds; bound: of an array that is bound."""
        symbol = self.symbol(name)
        if symbol.dimensions is None:
            return False
        deferred = bool(symbol.attributes & {"pointer", "allocatable"}) or _of_components(symbol)
        return deferred or (bound and self._given(symbol))

    def is_own(self, storage: str, owner: str) -> bool:
        """Whether data of a module is of the unit's own one: the unit gives it."""
        return storage == MODULE and owner == self.module

    def is_used(self, value: HostValue) -> bool:
        """Whether a module of the nest finds it by `use` or in COMMON, where nobody gives it."""
        own = self.is_own(value.storage, value.owner) and "%" not in value.variable
        return value.storage in (MODULE, COMMON) and not own

    def is_outside(self, name: str) -> bool:
        """The same of a variable."""
        symbol = self.symbol(name)
        own = self.is_own(symbol.storage, symbol.owner)
        return symbol.storage in (MODULE, COMMON) and not own

    def _given(self, symbol: Symbol) -> bool:
        """An array of the own module, or of one that no pointer may point to: the unit gives
        it."""
        return symbol.storage == MODULE and (
            symbol.owner == self.module
            or "target" not in symbol.attributes
            or "pointer" in symbol.attributes
        )

    def needed(
        self, names: Iterable[str], bounds: Sequence[Expression], bound: bool = False
    ) -> Known:
        """What these variables and expressions need, with what their declarations need. bound:
        whether the arrays are bound."""
        arguments: dict[str, None] = {}
        parameters: dict[str, None] = {}
        outside: dict[str, None] = {}
        arrays = set(names)

        def take(name: str) -> None:
            if name in self.kept:
                self.met.add(name)
                return
            symbol = self.scope.find(name)
            if symbol is None or name in arguments or name in parameters or name in outside:
                return
            if symbol.storage == PARAMETER:
                # One without an owner is of the unit, or of a procedure or a program around it.
                if not symbol.owner or symbol.owner == self.module:
                    parameters[name] = None
                else:
                    outside[name] = None
                return
            if not _of_components(symbol) and symbol.storage not in (MODULE, COMMON):
                for e in ends(symbol.dimensions):
                    within(e)
            given = bound and symbol.dimensions is not None and self._given(symbol)
            (outside if self.is_outside(name) and not given else arguments)[name] = None

        def within(e: Expression) -> None:
            for part in e.walk():
                if isinstance(part, Name):
                    take(part.id)

        for name in dict.fromkeys(names):
            take(name)
        for e in bounds:
            within(e)
        self.names |= {*arguments, *parameters, *outside}
        order = {name: n for n, name in enumerate(self.unit.arguments)}
        ordered = sorted(arguments, key=lambda n: (order.get(n, len(order)), n))
        lowers = {
            name: tuple(
                "" if (name, n) in self.firsts else self.unused(f"{name}_low{n}", arguments)
                for n, _ in enumerate(self.symbol(name).dimensions or (), 1)
            )
            for name in ordered
            if name in arrays and self.has_own_bounds(name, bound)
        }
        return Known(self, ordered, list(parameters), list(outside), arrays, lowers)

    def unused(self, name: str, others: Container[str]) -> str:
        while self.scope.find(name) is not None or name in others:
            name += "_"
        return name

    def outside(self, name: str) -> None:
        """Refused where it is nowhere to be found."""
        if name not in self.inside:
            self.symbol(name)

    def outside_lines(self, names: Iterable[str]) -> list[Statement]:
        """use statements, then COMMON blocks as the unit declares them; the parameters of their
        bounds may come several times."""
        uses: dict[str, set[str]] = {}
        blocks: dict[str, None] = {}
        found = dict.fromkeys(names)
        for name in found:
            if name in self.inside:
                uses.setdefault(self.inside[name], set()).add(name)
                continue
            symbol = self.symbol(name)
            if symbol.storage == COMMON:
                blocks[symbol.owner] = None
            else:
                remote = symbol.name
                text = name if remote == name else f"{name} => {remote}"
                uses.setdefault(symbol.owner, set()).add(text)
        lines: list[Statement] = [Use(m, tuple(sorted(own))) for m, own in sorted(uses.items())]
        for block in blocks:
            lines += self._common(block, found)
        return lines

    def _common(self, block: str, used: Container[str]) -> list[Statement]:
        members = sorted(
            (m for m in self.unit.commons if m.block == block), key=lambda m: m.place_in_block
        )
        if not members:
            raise Refused(
                self.unit.place, f"common {block}", f"{self.unit.name} does not declare it itself"
            )
        names = ", ".join(member.name for member in members)
        included = self._included(self.symbol(members[0].name))
        if included is not None:
            return [*included, f"target :: {names}"]
        lines: list[Statement] = []
        for member in members:
            symbol = self.symbol(member.name)
            for part in (part for e in ends(symbol.dimensions) for part in e.walk()):
                if isinstance(part, Name) and part.id not in used:
                    lines += self.parameter_lines(part.id)
            lines.append(declared(symbol, {"target"}))
        return [*lines, f"common /{block}/ {names}"]

    def in_order(self, lines: Iterable[Statement]) -> list[Statement]:
        """Specification statements, each once: IMPLICIT, also that of an included file, stands in
        front of all others but USE."""
        alone = set() if self.inclusions is None else self.inclusions.alone

        def rank(one: Statement) -> int:
            if isinstance(one, Use):
                return 0
            return 1 if str(one).startswith("implicit ") else 2 if one in alone else 3

        return sorted(dict.fromkeys(lines), key=rank)

    def _included(self, symbol: Symbol) -> list[Statement] | None:
        """The line that includes its declaration, with what has to stand in front of it."""
        found = None if self.inclusions is None else self.inclusions.of(symbol)
        if found is None:
            return None
        needed = [text for name in found.needs for text in self.parameter_lines(name)]
        return [*needed, *found.lines]

    def parameter_lines(self, name: str) -> list[Statement]:
        """Its declaration, or the line that includes it."""
        included = self._included(self.symbol(name))
        return [self.parameter_text(name)] if included is None else included

    def follows(self, name: str) -> bool:
        """Whether the module gets a named constant from the host, by USE or by an included
        file."""
        symbol = self.scope.find(name)
        if symbol is None or symbol.storage != PARAMETER or symbol.dimensions is not None:
            return False
        used = symbol.owner in self.program.modules and symbol.owner != self.module
        return used or self._included(symbol) is not None

    def value_text(self, name: str) -> str | None:
        """Of a named constant; None where it is not known."""
        value = self.scope.constant(Name(name))
        if value is None or isinstance(value, str):
            return None
        if isinstance(value, bool):
            return ".true." if value else ".false."
        if isinstance(value, int):
            return str(value)
        return repr(value) + ("_8" if self.symbol(name).kind == 8 else "")

    def parameter_text(self, name: str) -> str:
        symbol, text = self.symbol(name), self.value_text(name)
        if text is None:
            raise Refused(symbol.place, f"parameter {name}", "its value is not known")
        return _declared(symbol, name, None, {"parameter"}, value=Number(text))

    def argument_text(
        self, name: str, bound: bool, intent: str, lows: Sequence[Expression] | None
    ) -> str:
        """bound: as an array that is bound. Contiguous is not said of it: the compiler would hand
        over a copy of an array with gaps, and the copy would be bound."""
        symbol = self.symbol(name)
        dimensions = self._dimensions(symbol)
        if bound and not lows and self.has_no_end(name):
            if name not in self.ends or dimensions is None:
                raise Refused(symbol.place, f"array {name}", "its last extent is not declared (*)",
                              "declare it")  # fmt: skip
            dimensions = (*dimensions[:-1], Dimension(dimensions[-1].lower, self.ends[name]))
        if lows:
            one = Number("1")
            dimensions = tuple(Dimension(None if low == one else low, None, True) for low in lows)
        intent = "" if bound else "in" if symbol.intent == "in" else intent
        return _declared(symbol, name, dimensions, {"target"} if bound else (), intent)

    def _dimensions(self, symbol: Symbol) -> tuple[Dimension, ...] | None:
        """With numbers where a module declares them, whose names are not known here."""
        if symbol.dimensions is None or symbol.storage != MODULE:
            return symbol.dimensions
        found = []
        for one, (low, high) in zip(symbol.dimensions, symbol.scope.bounds(symbol), strict=True):
            if one.upper is not None and (low is None or high is None):
                raise Refused(symbol.place, f"array {symbol.name}", "its bounds are no constants")
            found.append(one if high is None else Dimension(Number(str(low)), Number(str(high))))
        return tuple(found)


def declared(symbol: Symbol, attributes: Iterable[str] = ()) -> str:
    """As its unit declares it."""
    return _declared(symbol, symbol.name, symbol.dimensions, attributes)


def _declared(
    symbol: Symbol, name: str, dimensions: tuple[Dimension, ...] | None,
    attributes: Iterable[str], intent: str = "", value: Expression | None = None,
) -> str:  # fmt: skip
    kind = TypeName(symbol.type, symbol.kind)
    return declaration_text(
        Declaration(symbol.place, name, kind, dimensions, frozenset(attributes), intent, value)
    )


def _of_components(symbol: Symbol) -> bool:
    """Whether bounds of an array are components of an object, `x(bounds%begin:)`. The generated
    module does not know its type: the array comes with its bounds."""
    bounds = ends(symbol.dimensions)
    return any(isinstance(part, Component) for e in bounds for part in e.walk())


def subtracted(first: Expression, shift: int) -> str:
    """first + shift, as text."""
    text = expression_text(first)
    if not shift:
        return text
    return f"{text} {'+' if shift > 0 else '-'} {abs(shift)}"
