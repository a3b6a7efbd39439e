"""The Fortran module of a ported nest: bind, run and unbind, in the place of the loops.

`bind_NAME` takes the arrays as the original declares them, and what their bounds and those of the
loops need; `run_NAME` takes the scalars that the body reads and those that it reduces. Each kernel
of the nest has a set of its own, because each has its own box. The calls that stand beside the
loops are those of `comparison`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import wrap

from bridge_port.analysis.affine import Affine, affine
from bridge_port.kernel import HostValue, Kernel
from bridge_port.nest.callednest import CalledNest
from bridge_port.output.atcall import AtCall
from bridge_port.output.bindings import TYPES, Array, Bindings, Source, bounds_of
from bridge_port.output.comparison import Comparison, left_out
from bridge_port.output.conformity import Conformity, apart, apart_all, needed
from bridge_port.output.elements import Elements
from bridge_port.output.fortran import Call, Module, Procedure, Statement, Use, call
from bridge_port.output.hostdata import given, given_constants, take_inside
from bridge_port.output.runs import (
    Run,
    fresh,
    local_lines,
    reduced,
    reduction_lines,
    run_lines,
    runs_of,
)
from bridge_port.output.surroundings import CALLED, Inclusions, Known, Surroundings
from bridge_port.program.program import Program
from bridge_port.program.symbols import PARAMETER
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name, Unary
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Unit

AXES = "xyz"
#: What the module names beside the names of the unit: procedures of the bridge, own variables,
#: kinds.
_OWN = re.compile(
    r"(bridge|frame)_\w+|bridge|iso_c_binding|"
    r"c_(associated|double|f_pointer|float|int|intptr_t|loc|null_ptr|ptr)"
)
_LITERAL = re.compile(r"'[^']*'|(?<![\w.])((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?_)([a-z]\w*)", re.I)


@dataclass(frozen=True)
class NestModule:
    """actuals: what the unit of the nest gives to bind, run and unbind; at_call: what a caller of
    the unit gives, {} where the nest is no call."""

    module: Module
    actuals: dict[str, list[str]]
    at_call: dict[str, list[str]]


def module_text(name: str, unit: Unit, program: Program, kernels: Sequence[Kernel]) -> str:
    """See nest_module."""
    return nest_module(name, unit, program, kernels).module.text


def nest_module(
    name: str, unit: Unit, program: Program, kernels: Sequence[Kernel],
    called: CalledNest | None = None,
) -> NestModule:  # fmt: skip
    """name: of the nest; unit: that it stands in; kernels: of its procedures, in their order;
    called: of a nest that is a call of the unit. Refused where an array cannot be bound, and where
    a name cannot stand in the module."""
    made = _Module(name, unit, program, kernels, called)
    return NestModule(made.module(), made.actuals, made.at_call)


class _Module:
    def __init__(
        self, name: str, unit: Unit, program: Program, kernels: Sequence[Kernel],
        called: CalledNest | None,
    ) -> None:  # fmt: skip
        self.name, self.kernels, self.called = name, kernels, called
        procedure = kernels[0].procedure
        self.call = None if called is None else AtCall(program, called, procedure.presence)
        self.around = Surroundings(program, procedure.unit.parent or unit)
        self.around.inclusions = Inclusions(program)
        self.paths = procedure.paths
        self.around.firsts = procedure.firsts
        self.conformity = Conformity(name, self.around, [k.procedure for k in kernels])
        self.around.kept = frozenset(procedure.elements)
        self.actuals: dict[str, list[str]] = {}
        self.at_call: dict[str, list[str]] = {}
        several = len(kernels) > 1
        self.sets = [f"{name}_{n}" if several else name for n, _ in enumerate(kernels, 1)]
        self.bindings = [Bindings(k, self.around, n) for n, k in enumerate(kernels, 1)]
        self.runs = runs_of(name, kernels, self.sets, self.bindings)
        take_inside(program, self.around, kernels, self._written(), self.paths)
        self.elements = Elements(name, procedure.elements, self.around, TYPES, self._written())
        made = [
            b for run in self.runs if run.only_reduces for b in run.bindings
            if any(one.contributed for one in b.arrays)
        ]  # fmt: skip
        self.comparison = Comparison(
            name, self.sets, kernels, self.bindings, made, self.around, self.elements
        )

    def _written(self) -> set[str]:
        """Arrays, and what is reduced."""
        found = {one.name for b in self.bindings for one in b.arrays if one.intent != "in"}
        return found | {r.variable for k in self.kernels for r in k.procedure.reductions}

    def module(self) -> Module:
        bind, run = self._bind(), self._run()
        comparison = self.comparison.procedures()
        refuse_names(self.around)
        place = self.kernels[0].procedure.place
        procedures: list[Procedure | Sequence[str]] = [bind, run, *comparison, self._unbind()]
        variables = [
            *(f"{one.type_text}, allocatable, target, save :: {one.own}({_colons(one.rank)})"
              for one in self._stored()),
            *(f"{one.type_text}, pointer, save :: {one.pointer}({_colons(one.rank)})"
              for one in self._sources()),
            *self.elements.stored(), *self.comparison.saved(),
        ]  # fmt: skip
        own = f"bind_{self.name}, run_{self.name}, unbind_{self.name}"
        return Module(
            f"{self.name}_bridge", [*procedures, *needed(bind)],
            [f"! Loops of {self.around.unit.name}, {place}, by the bridge.", *self._presence()],
            [Use("iso_c_binding", self._imported(bind), intrinsic=True), Use("bridge")],
            [own, *self.comparison.names()], variables, meant=partial(put_in, around=self.around),
        )  # fmt: skip

    def _presence(self) -> list[str]:
        """For which callers of the unit it holds."""
        where = self.kernels[0].procedure.holds_where
        if not where:
            return []
        return wrap(
            f"They hold where {where} alone. bind_{self.name} and run_{self.name} cannot see what "
            f"{self.around.unit.name} was given: ask it around their calls, with the loops of the "
            "original in the other case.",
            98, initial_indent="! ", subsequent_indent="! ",
        )  # fmt: skip

    def _stored(self) -> list[Array]:
        """Arrays of the module's own, each once."""
        found = {one.own: one for b in self.bindings for one in b.arrays if one.own}
        return list(found.values())

    def _sources(self) -> list[Source]:
        found = {s.pointer: s for b in self.bindings for one in b.arrays for s in one.sources}
        return list(found.values())

    def _gives(self, entry: str, known: Known, elements: Sequence[str]) -> None:
        own = known.actuals(lambda name: self.paths.get(name, Name(name)))
        self.actuals[entry] = [*own, *elements]
        if self.call is not None:
            if elements:
                raise Refused(
                    self.kernels[0].procedure.place, "a call as a nest",
                    "components of all elements of an array of a type are copied before its run",
                    "port the loops in the procedure",
                )  # fmt: skip
            self.at_call[entry] = self.call.texts(known, self.paths, entry == "bind")

    # ---- bind ---------------------------------------------------------------------------------

    def _bind(self) -> Procedure:
        names = [one.name for b in self.bindings for one in b.arrays if one.name]
        names += [source.name for source in self._sources()]
        bounds = bounds_of(self.kernels)
        self.around.ends = self._ends()
        bounds += [
            e for k in self.kernels for t in k.procedure.temporaries.values()
            for d in t.components for e in (d.lower, d.upper) if e is not None
        ]  # fmt: skip
        self.elements.check_bounds(bounds)
        tables = [t.variable for k in self.kernels for t in k.tables]
        reduced_ = [r.variable for k in self.kernels for r in k.procedure.reductions]
        names += [name for name in (*tables, *reduced_) if name in self.elements.its]
        names += [*self.conformity.arrays(), *self.conformity.constants()]
        bounds += self.conformity.extents()
        known = self.around.needed(names, bounds, bound=True)
        self._gives("bind", known, self.elements.given_bounds())
        head = [*known.declarations(targets=True), *self.elements.declared_bounds()]
        pointers = {one.pointer: one for b in self.bindings for one in b.arrays}
        for pointer, one in sorted(pointers.items()):
            rank = 4 if one.components else 3
            head.append(f"{one.pointer_type}, pointer :: {pointer}({_colons(rank)})")
        body = [*self.elements.made(), *self.conformity.checks(known), *self._checks()]
        made: set[str] = set()
        for set_, bindings in zip(self.sets, self.bindings, strict=True):
            for one in bindings.arrays:
                if self.comparison.binds(bindings, one):
                    continue
                body += one.prepared(made)
                body.append(self._bind_one(set_, bindings, one))
                body += left_out(set_, bindings, one)
            body += self.comparison.bound_anew(set_, bindings)
            body += _position(set_, bindings)
        for run in self.runs:
            body += self._bind_together(run, made) if len(run.kernels) > 1 else []
        dummies = [*known.dummies, *self.elements.bounds()]
        return Procedure(f"bind_{self.name}", dummies, head, body)

    def _ends(self) -> dict[str, Expression]:
        """Of arrays of assumed size the last subscript that any kernel touches. Of several the
        largest, but for loops of no rounds, which may end beyond the array."""
        every: dict[str, dict[Expression, Expression]] = {}
        for b in self.bindings:
            for name, (first, last, further) in b.ends().items():
                end = (affine(last) + Affine(further)).expression
                least = Unary("-", Apply(Name("huge"), (last,)))
                some = Binary(">=", last, first)
                every.setdefault(name, {})[end] = Apply(Name("merge"), (end, least, some))
        return {
            name: next(iter(ends)) if len(ends) == 1 else Apply(Name("max"), tuple(ends.values()))
            for name, ends in every.items()
        }

    def _bind_together(self, run: Run, made: set[str]) -> list[Statement]:
        """Each array once; what one kernel of them makes and no other kernel reads stays there."""
        lines: list[Statement] = []
        for one, bindings in run.stored():
            if self.comparison.binds(bindings, one):
                continue
            lines += one.prepared(made)
            lines.append(self._bind_one(run.set, bindings, replace(one, intent=run.intent(one))))
        return lines + next(filter(None, (_position(run.set, b) for b in run.bindings)), [])

    def _checks(self) -> list[Statement]:
        """Before anything is bound: arrays without gaps, that have the components that the nest
        touches, and with memory of their own where pointers could share it."""
        arrays: dict[str, Array] = {}
        for one in (a for b in self.bindings for a in b.arrays if a.name):
            if one.name not in arrays or one.is_open:
                arrays[one.name] = one
        lines: list[Statement] = []
        self._check_tables(arrays)
        written = {one.name for b in self.bindings for one in b.arrays if one.intent != "in"}
        if any(arrays[name].quantity.type == "integer" for name in written if name):
            arrays |= self._lists(arrays)
        for name, one in arrays.items():
            if one.is_open:
                text = f"bind_{self.name}: {name} is not contiguous"
                lines.append(f"if (.not. is_contiguous({name})) error stop '{text}'")
        lines += dict.fromkeys(
            part.asked(self.name, one.name, one.points_of_original)
            for b in self.bindings for one in b.arrays for part in one.parts
        )  # fmt: skip
        if self.called is not None:
            return lines + apart_all(self.name, arrays, written)
        shared = [
            name
            for name in arrays
            if self.around.symbol(name).attributes & {"pointer", "target"}
            and name not in self.elements.its  # where the nest is read it is said of these
        ]
        return lines + apart(self.name, arrays, shared, written)

    def _lists(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """Further arrays that say where elements lie: integers that the nest writes could be
        their memory."""
        found: dict[str, Array] = {}
        for one in (a for b in self.bindings for a in b.arrays):
            for source in one.sources:
                symbol = self.around.symbol(source.name)
                shared = self.called is not None or symbol.attributes & {"pointer", "target"}
                if source.name not in arrays and symbol.type == "integer" and shared:
                    quantity = replace(one.quantity, type="integer", kind=symbol.kind)
                    is_open = self.around.is_open(source.name)
                    found[source.name] = replace(
                        one, quantity=quantity, name=source.name, own="", is_open=is_open
                    )
        return found

    def _check_tables(self, arrays: Mapping[str, Array]) -> None:
        """What a run reads before its first point must not change with the points."""
        pointers = [
            name
            for name, one in arrays.items()
            if one.intent != "in" and "pointer" in self.around.symbol(name).attributes
        ]
        for k in self.kernels:
            for table in k.tables:
                symbol = self.around.scope.find(table.variable)
                if pointers and symbol is not None and symbol.attributes & {"pointer", "target"}:
                    raise Refused(
                        k.procedure.place,
                        f"table {table.variable}",
                        f"the pointer {pointers[0]}, which the nest writes, may point to it",
                        "copy it to an array that is no target",
                    )

    def _imported(self, bind: Procedure) -> tuple[str, ...]:
        text = " ".join(map(str, bind.body))
        names = [one for one in ("c_associated", "c_f_pointer", "c_loc") if one in text]
        apart = ("c_intptr_t", "c_ptr") if bind.calls("bridge_apart", "bridge_all_apart") else ()
        return ("c_double", "c_float", "c_int", *names, *apart)

    def _bind_one(self, set_: str, bindings: Bindings, one: Array) -> Call:
        words = [f"'{set_}'", f"'{one.quantity.name}'", f"'{one.intent}'", one.pointer]
        for axis, letter in enumerate(AXES):
            first, last = bindings.positions_of(one, axis)
            words += [f"spt{letter}={self._of_four(first)}", f"ept{letter}={self._of_four(last)}"]
        if one.component_first:
            words.append("component_first=.true.")
        return call("frame_bind", *words)

    def _of_four(self, text: str) -> str:
        """A position as an integer(4), also where a bound is of another kind."""
        symbols = (self.around.scope.find(name) for name in re.findall(r"[a-z]\w*", str(text)))
        kinds = {s.kind for s in symbols if s is not None and s.type == "integer"}
        return f"int({text}, 4)" if kinds - {4} else str(text)

    # ---- run ----------------------------------------------------------------------------------

    def _run(self) -> Procedure:
        comparison, reductions = self.comparison, self.comparison.reductions
        names = [v.variable for v in comparison.values if not self.around.is_used(v)]
        names += [r.variable for r in reductions]
        for value in comparison.values:
            if self.around.is_used(value):
                self.around.outside(value.variable.partition("%")[0])
        known = self.around.needed([*names, *comparison.given_places()], [])
        self._gives("run", known, self.elements.given())
        body: list[Statement] = [*self.elements.before()]
        known_values: set[HostValue] = set()
        waiting: list[Run] = []  # of which nothing stands between one and the next
        for number, run in enumerate(self.runs):
            # What nothing changes is given before the first run, the rest behind what reduces it.
            new = fresh(self.runs[number:], known_values)
            known_values.update(new)
            own = dict.fromkeys(t for k in run.kernels for t in k.tables)
            arrays = [one for one, _ in run.arrays()]
            before: list[Statement] = [*given_constants(new), *given(own, "frame_table")]
            before += [text for one in arrays for text in one.spreading]
            found, maker = reduced(run.kernels), run.name if run.only_reduces else ""
            behind = reduction_lines(self.around, run.set, found, maker)
            if before or maker:
                body += [*run_lines(waiting), *before]
                waiting = []
            if not maker:
                waiting.append(run)
                behind[:0] = [text for one in arrays for text in one.scattering]
            if behind:
                body += [*run_lines(waiting), *behind]
                waiting = []
            anew = {one.name for one in found}
            known_values -= {v for v in known_values if v.variable in anew}
        body += run_lines(waiting)
        changed = {r.variable for r in reductions}
        declared = [
            *known.declarations(False, changed, comparison.outside()),
            *self.elements.declared(changes=True),
            *local_lines(self.around, [reduced(run.kernels) for run in self.runs]),
        ]  # fmt: skip
        dummies = [*known.dummies, *self.elements.arguments()]
        return Procedure(
            f"run_{self.name}", dummies, declared, [*body, *self.elements.behind()]
        )  # fmt: skip

    # ---- unbind -------------------------------------------------------------------------------

    def _unbind(self) -> Procedure:
        self.actuals["unbind"] = []
        if self.call is not None:
            self.at_call["unbind"] = []
        sets = dict.fromkeys([*self.sets, *(run.set for run in self.runs)])
        stored = [one.own for one in self._stored()]
        body: list[Statement] = [
            *(call("frame_unbind", f"'{set_}'", "'*'") for set_ in sets),
            *(f"if (allocated({own})) deallocate ({own})" for own in stored),
            *self.elements.freed(),
        ]
        return Procedure(f"unbind_{self.name}", (), (), body)


def _colons(rank: int) -> str:
    return ", ".join(":" * rank)


def _position(set_: str, bindings: Bindings) -> list[Statement]:
    """Where the points of a set lie, for kernels that ask."""
    if not bindings.positions:
        return []
    return [call("frame_position", f"'{set_}'", *map(expression_text, bindings.firsts()))]


# ---- names -------------------------------------------------------------------------------------


def refuse_names(around: Surroundings) -> None:
    """What the module itself has, `bridge_total`, and what hides a function that it calls and
    cannot have another name."""
    for name in sorted(filter(_OWN.fullmatch, around.names)):
        raise Refused(around.symbol(name).place, f"variable {name}", "a name that the module of "
                      "the port has for something else", "another name")  # fmt: skip
    for name in sorted(around.names & CALLED):
        symbol = around.symbol(name)
        if symbol.dimensions is None and not around.is_outside(name):
            continue
        what = "array" if symbol.dimensions is not None else "variable of a module"
        raise Refused(symbol.place, f"variable {name}", f"an {what} of the name of an intrinsic "
                      "function that the module of the port calls", "another name")  # fmt: skip


def put_in(lines: Iterable[str], around: Surroundings) -> list[str]:
    """The lines of the module, with what means something else there than in the unit.

    A variable may hide an intrinsic function that the module calls, `sum`, `max`: there it has
    another name; who calls gives arguments by their places. Kinds of literals, `1_ik`, become
    numbers."""
    hiding = sorted(around.names & CALLED)
    # A function has parentheses behind it; in quotes stand names of quantities and operations.
    word = re.compile(rf"'[^']*'|(?<!%)\b({'|'.join(hiding)})\b(?![ \t]*\()")
    own = {name: around.unused(f"{name}_", around.names) for name in hiding}

    def kind(found: re.Match[str]) -> str:
        symbol = around.scope.find(found[2].lower()) if found[2] else None
        if symbol is None or symbol.storage != PARAMETER:
            return found[0]
        return f"{found[1]}{around.scope.constant(Name(symbol.name))}"

    renamed = lines if not hiding else (
        word.sub(lambda m: own[m[1]] if m[1] else m[0], text) for text in lines
    )  # fmt: skip
    return [_LITERAL.sub(kind, text) for text in renamed]
