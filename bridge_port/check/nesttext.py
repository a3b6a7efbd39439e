"""The source of a nest's unit without the rest of its statements, and calls around the nest that
fill and write its variables; in its place the original or the module of the port."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bridge_port.analysis.affine import Affine, affine
from bridge_port.analysis.region import last_line, region
from bridge_port.check.nestmemory import (
    DEFERRED,
    OTHER_KINDS,
    Memory,
    lists_of,
    number,
    setting,
    steps,
)
from bridge_port.kernel import ElementArray
from bridge_port.nest.wholearrays import lower_bound
from bridge_port.output.bindings import bounds_of
from bridge_port.output.fortran import Statement, Use, call, written
from bridge_port.program.symbols import COMMON, DUMMY, LOCAL, MODULE, PARAMETER, Scope, Symbol
from bridge_port.refusal import Refused
from bridge_port.request import Ported
from bridge_port.source.physical import text_of, whole_directives
from bridge_port.syntax.expressions import Apply, Expression, Name, Number, Section
from bridge_port.syntax.rewriting import with_names
from bridge_port.syntax.statements import Continue, Do, walk
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Unit, ends, every

#: What a main program is as a subroutine.
PROGRAM = "zz_program"
#: What one is as a module, of a nest in a procedure inside it.
HOST = "zz_host"
#: Elements along the last dimension of an array of assumed size.
MANY = 200
_READ_ONLY = r"intent[ \t]*\([ \t]*in[ \t]*\)"
_ENTRIES = {("real", 8): "r8", ("real", 4): "r4", ("integer", 4): "i4", ("logical", 4): "l4"}


class UnitText(NamedTuple):
    """file: of the unit; text: of it; front: what is compiled before the port's module, the units
    in front where that uses one of them."""

    file: str
    text: str
    front: str


@dataclass
class Nest:
    """sizes: integers that decide extents and bounds, in the order of their numbers; variables:
    what is filled and written, likewise; scope: of the unit, with names for components of types;
    paths: what these stand for; elements: those of them in all elements of an array; read: what
    the text of the nest names beside them, which is filled as well: a port that has lost an input
    must not meet zeros in it; lists: of those that name points, the dimension that the loop
    subscripts, from 1: their elements have to differ; species: which of the sizes is their number,
    ns: what that is in all runs, 0 where the port knows no species."""

    ported: Ported
    sizes: list[str]
    variables: list[str]
    scope: Scope
    paths: dict[str, Expression]
    elements: Mapping[str, ElementArray]
    read: list[str] = field(default_factory=list)
    #: Texts of all files where they do not compile as they are (`extract`).
    extracted: dict[str, str] = field(default_factory=dict)
    lists: dict[str, int] = field(default_factory=dict)
    species: str = ""
    ns: int = 0

    @classmethod
    def of(cls, ported: Ported, fixed: Iterable[str], species: str = "") -> Nest:
        """species: the variable with their number, NAME or MODULE::NAME, "" of none."""
        procedure = ported.kernels[0].procedure
        unit, scope = ported.unit, ported.program.scope(procedure.unit.parent or ported.unit)
        names: dict[str, None] = {}
        bounds: dict[str, None] = {}

        def within(e: Expression | None) -> None:
            called = functions(scope, e) if e is not None else set()
            for part in e.walk() if e is not None else ():
                if isinstance(part, Name) and part.id not in called:
                    bounds[part.id] = None

        for k in ported.kernels:
            p = k.procedure
            for view in p.views.values():
                names[view.array] = None
                for sub in view.subscripts:
                    within(sub)
                for variable in view.variables:
                    bounds.pop(variable, None)
            own = {*p.views, *(t.name for t in p.temporaries.values())}
            for use in p.arrays.values():
                if use.name not in own:
                    names[use.name] = None
            for value in (*k.constants, *k.tables):
                # Components that a procedure reads by itself keep what they have.
                if value.value is None and "%" not in value.variable:
                    names[value.variable] = None
            for reduction in p.reductions:
                names[reduction.variable] = None
            for e in bounds_of([k]):
                within(e)
        for name in [*names, *unit.arguments]:
            symbol = scope.find(name)
            for e in ends(symbol.dimensions) if symbol is not None else ():
                within(e)
        # What the user has given a value may stand in loops over components alone.
        fixed = list(fixed)
        bounds |= dict.fromkeys(name for name in fixed if scope.find(name) is not None)
        name = species.lower().rpartition("::")[2]
        its = scope.find(name) if name else None
        counted = its is not None and its.counts(species)
        bounds |= {name: None} if counted else {}
        # An integer that the loops count is a result.
        reduced = {r.variable for k in ported.kernels for r in k.procedure.reductions}
        sizes = [
            name for name in [*bounds, *(n for n in names if n not in reduced)]
            if (s := scope.find(name)) is not None and s.type == "integer"
            and s.storage != PARAMETER and (s.dimensions is None or name in bounds)
            and name not in procedure.elements
        ]  # fmt: skip
        for path in procedure.paths.values():
            sizes += [e.id for e in path.walk() if isinstance(e, Name)
                      and (s := scope.find(e.id)) is not None and s.type == "integer"
                      and s.storage != PARAMETER]  # fmt: skip
        # What a function gives before the nest cannot be filled.
        given = {name for name, e in procedure.paths.items() if isinstance(e, Apply)}
        given |= set(procedure.absent)
        sizes = [name for name in dict.fromkeys(sizes) if name not in given]
        variables = [name for name in names if name not in sizes and name not in given]
        read = named(ported, {*sizes, *variables, *fixed})
        elements = procedure.elements
        found = cls(ported, sizes, variables, scope, procedure.paths, elements, read)
        found.lists = lists_of(ported)
        found.species = name if counted else ""
        return found

    @property
    def kept_in_lines(self) -> set[str]:
        """Scalars that the original leaves with a value that nobody reads, and the port as they
        are."""
        lines = [t for k in self.ported.kernels for t in k.procedure.temporaries.values()]
        return {line.scalar for line in lines}

    @property
    def filled(self) -> list[str]:
        """In the order of their numbers."""
        return [*self.variables, *self.read]

    def text_of(self, name: str) -> str:
        """As the unit has it, of an array of assumed size a section."""
        if name in self.paths:
            return expression_text(self.paths[name])
        symbol = self.scope.find(name)
        if symbol is None or not symbol.dimensions or not self.has_no_end(symbol):
            return name
        *others, last = symbol.dimensions
        low = last.lower or Number("1")
        end = (affine(low) + Affine(MANY - 1)).expression
        colons = [":"] * len(others)
        return f"{name}({', '.join([*colons, expression_text(Section(low, end, None))])})"

    def has_no_end(self, symbol: Symbol) -> bool:
        """Whether its last extent is `*`."""
        last = symbol.dimensions[-1] if symbol.dimensions else None
        return last is not None and last.upper is None and not last.deferred

    def _is_dummy(self, name: str) -> bool:
        return name in self.ported.unit.arguments

    # ---- the unit -----------------------------------------------------------------------------

    def unit_text(self, kernel: bool) -> UnitText:
        other = self.scope.find("size")
        if other is not None:
            raise Refused(other.place, "variable size",
                          "the check asks size() of the arrays of the nest, which it hides",
                          "another name, or use ..., only: without it")  # fmt: skip
        early, sizes, variables = self._around("zz_")
        before = [*early, *self._memory(), *sizes, call("zz_to", 1), *variables,
                  *self._reads("zz_"), call("zz_go")]  # fmt: skip
        after = [call("zz_to", 2), *variables]
        if not kernel:
            return self._text([*before, *self._alike()], None, after, [])
        own = [self.ported.call(one) for one in ("bind", "run", "unbind")]
        return self._text(before, own, after, [self._module])

    def race_text(self) -> UnitText:
        """The same with the original and the port in turns (speed/turns.f90), the arrays on a GPU
        if it is said there."""
        early, sizes, variables = self._around("zz_put_")
        bound = [one.arguments[:2] for one in self.ported.module.calls("frame_bind")]

        def all_(entry: str, what: str) -> list[Statement]:
            return [call(entry, *one, f"'{what}'", where="zz_kept()") for one in bound]

        before = [
            *early, *self._memory(), *sizes, *variables, *self._reads("zz_put_"),
            self.ported.call("bind"), *all_("frame_enter_data", "copyin"),
            "do while (zz_turn())", *variables, "if (zz_kernel()) then", self.ported.call("run"),
            "else",
        ]  # fmt: skip
        after = ["end if", call("zz_ended"), "end do", *all_("frame_exit_data", "delete"),
                 self.ported.call("unbind")]  # fmt: skip
        uses = [Use("zz_race", ("zz_turn", "zz_kernel", "zz_ended", "zz_kept")),
                Use("bridge", ("frame_enter_data", "frame_exit_data")), self._module]  # fmt: skip
        return self._text(before, None, after, uses)

    def _alike(self) -> list[Statement]:
        """Sizes with which bind stops the run are none to compare with."""

        def text(e: Expression) -> str:
            return expression_text(with_names(e, self.paths))

        procedure = self.ported.kernels[0].procedure
        lines: list[Statement] = []
        for one in procedure.conforming:
            extents = ", ".join(text(e) for e in one.extents)
            lines.append(f"if (any(shape({text(Name(one.array))}) /= [integer :: {extents}])) "
                         "error stop 'another shape'")  # fmt: skip
        for begin in procedure.beginnings:
            low = text(lower_bound(begin.array, begin.dimension))
            lines.append(f"if ({low} /= {text(begin.first)}) error stop 'other bounds'")
        return list(dict.fromkeys(lines))

    def _memory(self) -> Sequence[Statement]:
        """Statements that allocate what the unit would have allocated."""
        numbers = {n for n in self.sizes
                   if n not in self.paths and self.scope.symbol(n).dimensions is None}  # fmt: skip
        others = [n for n in (*self.sizes, *self.variables) if n not in numbers]
        return Memory(self.ported, self.paths, self.elements).statements(others)

    @property
    def _module(self) -> Use:
        return Use(self.ported.module.name)

    def _text(
        self, before: Sequence[Statement], instead: Sequence[Statement] | None,
        after: Sequence[Statement], uses: Sequence[Use],
    ) -> UnitText:  # fmt: skip
        """The file with nothing but the nest, or what stands instead of it."""
        unit = self.ported.unit
        file = unit.place.file
        whole = self.extracted.get(file)
        text = text_of(Path(file)) if whole is None else whole
        fixed = self._is_fixed(text)
        lines = whole_directives(Path(file), text.removesuffix("\n"), fixed)
        # A continue without a label may hold comments at the line of end.
        own = [s for s in unit.body if s.place.file == file
               and not (isinstance(s, Continue) and not s.label)]  # fmt: skip
        begin = min(s.place.line for s in own)
        end = max(last_line(s) for s in own)
        # Lines that are given may begin in front of the first statement.
        first, last = max(self.ported.first, begin), self.ported.last
        around = [one for one in unit.enclosing if one[0] <= last and one[2] >= first]
        # Heads and ends of constructs that the nest stands in, which give names to variables.
        heads = {n for a, b, c in around for n in (*range(a, b + 1), c)}
        kept = heads if instead is None else set()
        begin = min([begin, *(a for a, _, _ in around)])
        end = max([end, *(c for _, _, c in around)])
        for n in range(begin, end + 1):
            if (n < first or n > last) and n not in kept:
                _blank(lines, n - 1, n)
        if unit.parent is not None and unit.parent.kind == "program":
            self._as_module(lines, unit.parent, fixed)
        head = unit.place.line - 1
        without_pure(self.ported.program.units, unit, lines)
        if unit.kind == "program":
            self._has_statement(lines, unit)
            lines[unit.place.last - 1] = _alone("end subroutine", fixed)
            lines[head] = _alone(f"subroutine {PROGRAM}", fixed)
        self._open_intents(lines, head, begin - 1)
        without_interfaces(unit, lines, begin - 1)
        self._without_mains(lines)
        last_of_all = max([last, *(c for _, _, c in around)])
        lines[last_of_all:last_of_all] = written(after, 4, fixed)
        if instead is not None:
            lines[first - 1 : last] = written(instead, 4, fixed)
        first_of_all = min([first, *(a for a, _, _ in around)]) - 1
        lines[first_of_all:first_of_all] = written(before, 4, fixed)
        at = _end_of_statement(lines, head, fixed)
        lines[at:at] = written(uses, 4, fixed)
        cut = self._cut() if self._module in uses else 0
        text = "\n".join([*(t for t in lines[:cut] if t.startswith("#")), *lines[cut:]]) + "\n"
        return UnitText(file, text, "\n".join(lines[:cut]) + "\n" if cut else "")

    @staticmethod
    def _has_statement(lines: Sequence[str], program: Unit) -> None:
        if not re.match(r"(?i)[ \t]*program\b", lines[program.place.line - 1]):
            raise Refused(program.place, "program", "it has no program statement", "give it one")

    def _as_module(self, lines: list[str], program: Unit, fixed: bool) -> None:
        """A program whose procedures the check calls; without its statements."""
        self._has_statement(lines, program)
        for s in program.body:
            if s.place.file == program.place.file:
                _blank(lines, s.place.line - 1, last_line(s))
        lines[program.place.line - 1] = _alone(f"module {HOST}", fixed)
        lines[program.place.last - 1] = _alone(f"end module {HOST}", fixed)

    def _is_fixed(self, text: str) -> bool:
        from bridge_port.source.lines import read

        return bool(read(self.ported.unit.place.file)[0].fixed) if text else False

    def _without_mains(self, lines: list[str]) -> None:
        """A main program of the file would be a second one."""
        unit = self.ported.unit
        mine = [u for u in self.ported.program.units if u.place.file == unit.place.file]
        for n, one in enumerate(mine):
            if one.kind != "program" or one is unit or one is unit.parent:
                continue
            stop = mine[n + 1].place.line - 1 if n + 1 < len(mine) else len(lines)
            _blank(lines, one.place.line - 1, stop)

    def _around(self, prefix: str) -> tuple[list[Statement], list[Statement], list[Statement]]:
        """Calls that give sizes: those that memory needs, which may be on the way to a component,
        and the others; calls for the variables, whose names begin with the prefix."""
        early: list[Statement] = []
        sizes: list[Statement] = []
        variables: list[Statement] = []
        for k, name in enumerate(self.sizes, 1):
            symbol = self.scope.symbol(name)
            if self._is_dummy(name) and symbol.dimensions is None:
                continue
            text = self.text_of(name)
            simple = symbol.dimensions is None and name not in self.paths
            early += number(symbol) if simple else []
            one = call(setting(symbol.kind), k, _count(text, symbol), text)
            if name in self.lists:
                one = call("zz_list", k, *steps(text, self.lists[name]), text)
            (early if simple else sizes).append(one)
        for k, name in enumerate(self.variables, 1):
            symbol = self.scope.symbol(name)
            entry = (_ENTRIES | OTHER_KINDS).get((symbol.type, symbol.kind))
            if entry is None:
                raise Refused(symbol.place, f"{symbol.type}({symbol.kind}) {name}",
                              "the check does not fill it")  # fmt: skip
            if name in self.elements:
                variables += in_elements(prefix + entry, k, self.elements[name], symbol)
                continue
            text = self.text_of(name)
            variables.append(call(prefix + entry, k, _count(text, symbol), text))
        return early, sizes, variables

    def _reads(self, prefix: str) -> list[Statement]:
        """Calls that fill what the text of the nest names beside its variables."""
        scope = self.ported.program.scope(self.ported.unit)
        return [
            call(prefix + _ENTRIES[symbol.type, symbol.kind], k, _count(name, symbol), name)
            for k, name in enumerate(self.read, len(self.variables) + 1)
            if (symbol := scope.symbol(name)) is not None
        ]

    def _open_intents(self, lines: list[str], head: int, begin: int) -> None:
        """The check gives memory to components of dummies that the unit may only read. Without an
        intent callers may pass on what they only read themselves."""
        scope = self.ported.program.scope(self.ported.unit)
        closed = [d for d in self.ported.unit.arguments if d != "*"
                  and (s := scope.find(d)) is not None and s.intent == "in"
                  and (s.type == "type" or s.attributes & DEFERRED)]  # fmt: skip
        for n in range(head, begin if closed else head):
            lines[n] = re.sub(rf"(?i),[ \t]*{_READ_ONLY}", "", lines[n])
            lines[n] = re.sub(rf"(?i)\b{_READ_ONLY}", "intent(inout)", lines[n])

    # ---- the module ---------------------------------------------------------------------------

    def _cut(self) -> int:
        """Lines in front of the nest's outermost unit, 0 where no module of them is used."""
        top = self.ported.unit
        while top.parent is not None:
            top = top.parent
        used = {one.module for one in self.ported.module.used()}
        modules = self.ported.program.modules.values()
        if any(u.place.file == top.place.file and u.name in used for u in modules):
            return top.place.line - 1
        return 0


def functions(scope: Scope, e: Expression) -> set[str]:
    """Names that are called. Without implicit none, min of min(a, b) has a type as a variable."""
    return {name for name in e.applied if (one := scope.find(name)) is None or not one.dimensions}


def in_elements(entry: str, number: int, one: ElementArray, symbol: Symbol) -> list[Statement]:
    """A call with a component of all elements of an array, by a copy."""
    count = f"size({expression_text(one.array)})"
    parts = list(enumerate(map(expression_text, one.parts), 1))
    return [
        "block",
        f"{symbol.type}({symbol.kind}), allocatable :: zz_copy(:, :)",
        f"allocate (zz_copy({len(parts)}, {count}))",
        *(f"zz_copy({n}, :) = reshape({part}, [{count}])" for n, part in parts),
        call(entry, number, "size(zz_copy)", "zz_copy"),
        *(f"{part} = reshape(zz_copy({n}, :), shape({part}))" for n, part in parts),
        "end block",
    ]


def named(ported: Ported, known: set[str]) -> list[str]:
    """Variables in the text of the nest that a call can fill, but for those that are known."""
    scope = ported.program.scope(ported.unit)
    statements = region(ported.unit, ported.first, ported.last).statements
    found: dict[str, None] = {}
    called: set[str] = set()
    for s in walk(statements):
        for e in s.expressions():
            found |= dict.fromkeys(part.id for part in e.walk() if isinstance(part, Name))
            called |= functions(scope, e)
    own = {*known, *called, *ported.unit.statement_functions, *ported.unit.external}
    own |= {s.variable for s in walk(statements) if isinstance(s, Do)}
    names = []
    for name in found:
        symbol = scope.find(name)
        if name in own or symbol is None or (symbol.type, symbol.kind) not in _ENTRIES:
            continue
        if any(a <= symbol.place.line <= c for a, _, c in ported.unit.enclosing):
            continue  # a variable of a block
        sizes_known = all(d.deferred or d.upper is not None for d in symbol.dimensions or ())
        if (
            symbol.storage in (LOCAL, DUMMY, MODULE, COMMON)
            and not symbol.attributes & {"pointer", "allocatable", "external", "protected"}
            and not symbol.optional
            and sizes_known
        ):
            names.append(name)
    return names


def _end_of_statement(lines: Sequence[str], at: int, fixed: bool) -> int:
    """Index of the line behind the statement that begins at a line."""
    at += 1
    if fixed:
        while at < len(lines) and re.match(r"^ {5}[^ 0]|^\t[1-9]", lines[at]):
            at += 1
        return at
    while at < len(lines) and lines[at - 1].partition("!")[0].rstrip().endswith("&"):
        at += 1
    return at


def _count(name: str, symbol: Symbol) -> str:
    return "1" if symbol.dimensions is None else f"size({name})"


def _alone(text: str, fixed: bool) -> str:
    """The line of a short statement."""
    return next(written([text], 4, fixed))


_INTERFACE = re.compile(r"(?i)[ \t]*interface[ \t]*(!.*)?$")
_END = re.compile(r"(?i)[ \t]*end[ \t]*interface\b")
_DECLARED = re.compile(r"(?i)[ \t]*(?:[^!'\"]*[ \t)])?(?:subroutine|function)[ \t]+(\w+)")
_PROCEDURE = re.compile(r"(?i)[ \t]*procedure[ \t]*\(")


def procedures_of(unit: Unit) -> list[str]:
    """Arguments that are declared to be procedures. The nest calls none of them, so that in a
    check they are external ones without an interface, which get a pointer to nothing."""
    return [d for d in unit.arguments if d in unit.external or d in unit.interfaces]


def without_interfaces(unit: Unit, lines: list[str], end: int) -> None:
    """The lines of the unit up to an index: its interface blocks of arguments, and its procedure
    statements, become external statements."""
    given = set(procedures_of(unit))
    for d in unit.declarations:
        at = d.place.line - 1
        if d.name in given and d.place.file == unit.place.file and _PROCEDURE.match(lines[at]):
            same = [o for o in unit.declarations if o.place == d.place]
            _blank(lines, at, max(d.place.last, d.place.line))
            optional = [o.name for o in same if "optional" in o.attributes]
            lines[at] = _external([o.name for o in same], optional)
    at = unit.place.line
    while at < end:
        stop = at + 1
        if _INTERFACE.match(lines[at]):
            while stop < end and not _END.match(lines[stop - 1]):
                stop += 1
            found = [m[1].lower() for t in lines[at:stop] if (m := _DECLARED.match(t))]
            names = [n for n in dict.fromkeys(found) if n in given]
            if names:
                _blank(lines, at, stop)
                lines[at] = _external(names, [])
        at = stop


def _blank(lines: list[str], first: int, last: int) -> None:
    """But for lines of the preprocessor."""
    for n in range(first, last):
        if not lines[n].startswith("#"):
            lines[n] = ""


def _external(names: list[str], optional: list[str]) -> str:
    text = f"      external {', '.join(names)}"
    return text + (f"; optional {', '.join(optional)}" if optional else "")


def pointer_to_nothing(scope: Scope, unit: Unit, name: str) -> str:
    """The declaration of what is passed for such an argument."""
    types = [d.type for d in unit.declarations if d.name == name and d.type is not None]
    word = ""
    if types:
        symbol = scope.symbol(name)
        if symbol.type in ("character", "type"):
            raise Refused(
                symbol.place, f"argument {name}",
                f"the check cannot give a function of type {symbol.type}",
                "move the nest to a procedure of its own",
            )  # fmt: skip
        word = f"{symbol.type}({symbol.kind})"
    return f"procedure({word}), pointer :: {name} => null()"


def without_pure(units: Sequence[Unit], unit: Unit, lines: list[str]) -> None:
    """Heads of procedures: the nest calls what fills its variables, so that its unit is not pure,
    nor is what calls it. units: of the program; lines: of the file of the nest's unit."""
    file = unit.place.file
    inside = [
        u for u in every(units) if u.place.file == file and u.kind not in ("module", "submodule")
    ]
    types = [t for u in every(units) for t in u.types.values()]
    generics = [(name, s) for u in every(units) for name, s in u.interfaces.items()]
    names = {unit.name}
    found: list[Unit] = [unit]
    again = True
    while again:
        names |= {b.name for t in types for b in t.bindings.values()
                  if b.target in names or names & set(b.specifics)}  # fmt: skip
        names |= {name for name, specifics in generics if names & set(specifics)}
        word = re.compile(rf"(?i)\b({'|'.join(map(re.escape, sorted(names)))})\b")
        more = [u for u in inside if u not in found
                and any(word.search(t) for t in lines[u.place.line : u.place.last])]  # fmt: skip
        found += more
        names |= {u.name for u in more}
        again = bool(more)
    for one in found:
        head = one.place.line - 1
        lines[head] = re.sub(r"(?i)\bpure\b[ \t]*", "", lines[head])
        if one is unit:
            lines[head] = re.sub(r"(?i)\b(impure[ \t]+)?elemental\b[ \t]*", "", lines[head])
        elif not re.search(r"(?i)\bimpure\b", lines[head]):
            lines[head] = re.sub(r"(?i)\belemental\b", "impure elemental", lines[head])
