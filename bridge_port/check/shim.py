"""Fortran beside the original: a subroutine that calls a procedure point after point, and access
to the data of modules and COMMON.

Names begin with zz_: those of the original cannot be known to be free. The tests of the translator
write theirs with it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bridge_port.check.inside import Inside
from bridge_port.check.moduledata import access, common, fixed_shape, memory, type_text
from bridge_port.check.numbers import numbered
from bridge_port.check.passedprocedures import PassedProcedures, interface
from bridge_port.check.standins import INDICES, NOTHING, StandIns, looped
from bridge_port.kernel import Kernel, Quantity
from bridge_port.program.symbols import COMMON
from bridge_port.refusal import Refused
from bridge_port.syntax.text import line
from bridge_port.syntax.units import Unit, used_module
from bridge_port.translate.silent import silent as silent_dummies

#: Types of arguments that no kernel has as they are.
OTHERS = ("type", "complex")


def extents(q: Quantity, ns: int) -> list[int]:
    return [{"ns": ns, "ns-1": ns - 1}.get(str(n), 0) or int(n) for n in q.shape]


def columns(q: Quantity, ns: int) -> int:
    count = 1
    for extent in extents(q, ns):
        count *= extent
    return count


def quantities(kernel: Kernel) -> list[Quantity]:
    """Each once, inputs first."""
    found = {q.name: q for q in kernel.inputs}
    for q in kernel.outputs:
        found.setdefault(q.name, q)
    return list(found.values())


#: What `at` of the shim is on entry: outputs without a value, and memory of the calls that follow,
#: are NaN (integers -77777, logicals true), or 0. What differs then has no value. In other runs
#: outputs are 0 before the call.
MARKED, CLEARED = -1, -2
#: At the beginning of the shim.
MARKS = ("  zz_mark = zz_at", "  zz_real = 0", "  zz_whole = merge(-77777, 0, zz_mark == -1)",
         "  if (zz_mark == -1) zz_real = transfer(9221120237041090560_8, zz_real)")  # fmt: skip
NO_VALUE = {"real": "zz_real", "integer": "zz_whole", "logical": "(zz_mark == -1)"}
#: Results of functions have what is in memory.
UNSET = ("  subroutine zz_unset()", "    real(8), volatile :: zz_memory(4000)",
         "    zz_memory = zz_real", "  end subroutine")  # fmt: skip


@dataclass
class Shim:
    """Of one procedure. values: of integer arguments that have one value; species: the variable
    with their number; types: of arguments of a class; name: of the subroutine; texts: of character
    arguments; procedures: for arguments and components that are procedures."""

    program: Any
    unit: Unit
    kernel: Kernel
    ns: int
    values: Mapping[str, int]
    species: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    name: str = "zz_run"
    texts: Mapping[str, str] = field(default_factory=dict)
    procedures: Mapping[str, Unit] = field(default_factory=dict)

    def text(self) -> str:
        # The call of a procedure inside another one stands in that.
        parts = [self.procedure()] if self.around is None else []
        for value in [*self.kernel.constants, *self.kernel.tables]:
            parts.append(access(self.program, self.unit, self.ns, value))
        return wrapped("\n".join([*parts, self.given()]))

    @cached_property
    def around(self) -> Inside | None:
        """The unit around a procedure that stands in another one."""
        parent = self.unit.parent
        if parent is None or parent.kind in ("module", "submodule"):
            return None
        return Inside(self.program, self.unit, self.kernel)

    @property
    def said(self) -> dict[str, str]:
        """What has one value in every run, as Fortran has it."""
        texts = {name: text.replace("'", "''") for name, text in self.texts.items()}
        found = {name: str(value) for name, value in self.values.items()}
        return found | {name: f"'{text}'" for name, text in texts.items()}

    def given(self) -> str:
        """zz_given(): data of modules that have one value in every run."""
        found: dict[tuple[str, str], str] = {}
        if "::" in self.species:
            module, _, name = self.species.partition("::")
            found[module, name] = str(self.ns)
        for unit in self.program.modules.values():
            for d in unit.declarations:
                if d.name in self.unit.arguments or d.attributes & {"parameter", "protected"}:
                    continue
                for name, value in self.said.items():
                    if name.partition("%")[0] == d.name:
                        found[unit.name, name] = value
        lines = ["subroutine zz_given() bind(c)"]
        lines += [f"  use {module}, only: zz_{n} => {name.partition('%')[0]}"
                  for n, (module, name) in enumerate(found)]  # fmt: skip
        for n, ((module, name), value) in enumerate(found.items()):
            lines += [f"  {text}" for text in memory(self.program, module, name, f"zz_{n}")]
            lines.append(f"  zz_{n}{''.join(name.partition('%')[1:])} = {value}")
        return "\n".join([*lines, "end subroutine", ""])

    # ---- the call -----------------------------------------------------------------------------

    def procedure(self) -> str:
        """NAME(first, last, at, quantities): calls it at some points; at: the one it is at."""
        unit, scope = self.unit, self.program.scope(self.unit)
        around = self.around
        all_ = quantities(self.kernel)
        names = [f"zz_q{n}" for n in range(len(all_))]
        by = {q.argument: (name, q) for name, q in zip(names, all_, strict=True) if not q.storage}
        outside = [(name, q) for name, q in zip(names, all_, strict=True) if q.storage]
        arguments = ", ".join(["zz_first", "zz_last", "zz_at", *names])
        head = [f"subroutine {self.name}({arguments}) bind(c)",
                "  use, intrinsic :: iso_c_binding, only: zz_double => c_double, "
                "zz_int => c_int"]  # fmt: skip
        module = unit.parent if around is None else None
        if module is not None:
            head.append(f"  use {used_module(module)}, only: zz_call => {unit.name}")
        own_units = frozenset(around.units) if around is not None else frozenset()
        stand_ins = StandIns(self.program, unit, self.types, units=own_units)
        passed_on = PassedProcedures(self.program, self.procedures)
        head += stand_ins.uses() + passed_on.uses()
        uses, commons = self._outside([q for _, q in outside])
        head += uses
        head += ["  implicit none"] if around is None else around.specification()
        head += ["  integer(zz_int), value :: zz_first, zz_last",
                 "  integer(zz_int), volatile :: zz_at", "  integer :: zz_point",
                 "  integer :: zz_mark, zz_whole", "  real(8) :: zz_real"]  # fmt: skip
        target = "zz_call" if module is not None else unit.name
        head += passed_on.declarations()
        if unit.parent is None:
            if self._explicit(scope):
                head += interface(unit)
            elif unit.kind == "function":
                result = scope.symbol(unit.result or unit.name)
                word = type_text(result)
                if result.type == "character":
                    word = f"character(len={scope.length(result)})"
                head.append(f"  {word}, external :: {unit.name}")
            else:
                head.append(f"  external :: {unit.name}")
        for name, q in zip(names, all_, strict=True):
            word = "real(zz_double)" if q.type == "real" else "integer(zz_int)"
            head.append(f"  {word} :: {name}({columns(q, self.ns)}, zz_last)")
        head.append(f"  integer :: {', '.join(INDICES)}")
        head += commons
        before: list[str] = []
        body: list[str] = []
        after: list[str] = []
        for name, q in outside:  # What the original leaves alone keeps what it has.
            seen = self.around is not None and q.owner in self.around.units
            self._moves(q, name, q.argument if seen else _designator(q), body, after, "77")
        call: list[str] = []
        absent = self.kernel.procedure.absent
        silent = silent_dummies(self.program, unit)
        procedures = self.program.procedure_arguments(unit)
        left_out = False
        own_species = "" if "::" in self.species else self.species.lower()
        for dummy in unit.arguments:
            if dummy == "*":
                raise Refused(unit.place, "alternate return", "the check cannot call it")
            if dummy in absent:
                left_out = True
                continue
            # A variable of the unit around stands there, and is not passed.
            held = around.variables.get(dummy) if around is not None else None
            local = held or f"zz_v_{dummy}"[:63]
            call_ = [] if held else call
            components = [one for one in by if one.startswith(f"{dummy}%")]
            if dummy in self.procedures:
                call.append(f"{dummy}={passed_on[dummy]}" if left_out else passed_on[dummy])
                continue
            if dummy in procedures - silent:  # an optional one
                left_out = True
                continue
            body += passed_on.pointers(dummy, local)
            if dummy in silent or components or scope.symbol(dummy).type in OTHERS:
                declared, passed = stand_ins.declaration(
                    dummy, local, [by[one][1] for one in components]
                )
                head.append(declared)
                call_.append(f"{dummy}={passed}" if left_out else passed)
                body += [
                    f"{local}%{name.partition('%')[2]} = {value}"
                    for name, value in self.said.items()
                    if name.startswith(f"{dummy}%")
                ]
                before += stand_ins.allocations([(by[one][1], local) for one in components])
                for argument in components:
                    name, q = by[argument]
                    self._component(stand_ins, q, name, local, body, after)
                continue
            symbol = scope.symbol(dummy)
            if symbol.type == "character" and symbol.optional and dummy not in self.texts:
                left_out = True
                continue
            call_.append(f"{dummy}={local}" if left_out else local)
            if dummy in by and by[dummy][1].texts:
                name, q = by[dummy]
                numbered(q, name, local, scope.length(symbol), head, body, after)
            elif symbol.type == "character":
                text = self.texts.get(dummy, " ").replace("'", "''")
                length = scope.length(symbol)
                if length is None:
                    length = len(self.texts[dummy]) if dummy in self.texts else 64
                head.append(f"  character(len={length}) :: {local}")
                body.append(f"{local} = '{text}'")
            elif dummy in self.values or (dummy == own_species and dummy not in by):
                head.append(f"  {type_text(symbol)} :: {local}")
                body.append(f"{local} = {self.values.get(dummy, self.ns)}")
            elif dummy in by:
                name, q = by[dummy]
                shape = self._shape(q)
                if held and around is not None:
                    shape = around.shape(held, extents(q, self.ns))
                head.append(f"  {type_text(symbol)} :: {local}{shape}")
                # What an original without intents leaves alone keeps what it has.
                self._moves(q, name, local, body, after, "" if symbol.intent else "77")
            else:  # what the kernel needs not
                head.append(f"  {type_text(symbol)} :: {local}{fixed_shape(scope, symbol)}")
                body.append(f"{local} = {'.false.' if symbol.type == 'logical' else 0}")
        if unit.kind == "function":
            dummy = unit.result or unit.name
            result = scope.symbol(dummy)
            target = f"zz_result = {target}({', '.join(call)})"
            if result.type == "character":
                name, q = by[dummy]
                numbered(q, name, "zz_result", scope.length(result), head, [], after)
                body.append(target)
            elif result.type == "type":
                components = [one for one in by if one.startswith(f"{dummy}%")]
                head.append(stand_ins.declaration(dummy, "zz_result")[0])
                body.append(target)
                for argument in components:
                    name, q = by[argument]
                    self._component(stand_ins, q, name, "zz_result", [], after)
            else:
                complex_parts = [f"{dummy}%{p}" for p in ("re", "im") if result.type == "complex"]
                shape = "" if complex_parts else self._shape(by[dummy][1])
                head.append(f"  {type_text(result)} :: zz_result{shape}")
                body.append(target)
                for argument in complex_parts or [dummy]:
                    name, q = by[argument]
                    self._moves(q, name, f"zz_result{argument[len(dummy) :]}", [], after)
        else:
            body.append(f"call {target}({', '.join(call)})")
        loop = [
            *MARKS,
            *(f"  {text}" for text in before),
            "  do zz_point = zz_first, zz_last",
            "    zz_at = zz_point",
            "    if (zz_mark < 0) call zz_unset()",
        ]
        return "\n".join(
            [*head, *loop, *(f"    {text}" for text in body + after), "  end do",
             "contains", *UNSET, *(NOTHING if stand_ins.external else ()),
             *(around.procedures() if around else ()), f"end subroutine {self.name}", ""]
        )  # fmt: skip

    def _outside(self, quantities_: Sequence[Quantity]) -> tuple[list[str], list[str]]:
        """use statements and COMMON blocks of variables of modules that are arguments."""
        uses: dict[str, None] = {}
        blocks: dict[str, list[str]] = {}
        for q in quantities_:
            if q.storage == COMMON and self.around is not None and self.around.has(q.owner):
                continue
            if q.storage == COMMON:
                name = q.argument
                blocks.setdefault(q.owner, common(self.program, self.unit, q.owner, name))
            elif self.around is None or q.owner not in self.around.units:
                name = q.argument.partition("%")[0]
                uses[f"  use {q.owner}, only: {_own(q.owner, name)} => {name}"] = None
        return list(uses), [text for lines in blocks.values() for text in lines]

    def _explicit(self, scope: Any) -> bool:
        """Whether an external procedure needs an interface where it is called."""
        procedures = self.unit.external | self.program.procedure_arguments(self.unit)
        names = [d for d in self.unit.arguments if d != "*" and d not in procedures]
        symbols = [scope.symbol(d) for d in names]
        return any(
            s.optional
            or s.attributes & {"class", "pointer", "allocatable"}
            or any(one.deferred for one in s.dimensions or ())
            for s in symbols
        )

    def _component(
        self, stand_ins: StandIns, q: Quantity, name: str, local: str, body: list[str],
        after: list[str],
    ) -> None:  # fmt: skip
        """Of an object, to it and from it."""
        found = stand_ins.element(q, local)
        if found is None:
            self._moves(q, name, f"{local}%{q.argument.partition('%')[2]}", body, after)
            return
        element, place, extents_ = found
        column = f"{name}({place}, zz_point)"
        inward = f"({column} /= 0)" if q.type == "logical" else column
        outward = f"merge(1, 0, {element})" if q.type == "logical" else element
        if q.name not in {x.name for x in self.kernel.inputs}:
            inward = NO_VALUE[q.type]
        body += looped(f"{element} = {inward}", extents_)
        if q.name in {x.name for x in self.kernel.outputs}:
            after += looped(f"{column} = {outward}", extents_)

    def _moves(
        self, q: Quantity, name: str, local: str, body: list[str], after: list[str],
        before: str = "",
    ) -> None:  # fmt: skip
        """before: what an output is before the call, "" where it has no value."""
        column = f"{name}(:, zz_point)" if q.shape else f"{name}(1, zz_point)"
        inward, outward = column, "{}"
        if q.shape:
            shape = ", ".join(str(n) for n in extents(q, self.ns))
            inward = f"reshape({column}, [{shape}])"
            outward = "reshape({}, [" + str(columns(q, self.ns)) + "])"
        if q.type == "logical":
            inward = inward.replace(column, f"({column} /= 0)")
            outward = f"merge(1, 0, {outward})"
        if q.name in {x.name for x in self.kernel.inputs}:
            body.append(f"{local} = {inward}")
        else:
            kept = before and {"logical": ".false."}.get(q.type, before)
            body.append(f"{local} = {kept or NO_VALUE[q.type]}")
        if q.name in {x.name for x in self.kernel.outputs}:
            after.append(f"{column} = {outward.format(local)}")

    def _shape(self, q: Quantity) -> str:
        return f"({', '.join(str(n) for n in extents(q, self.ns))})" if q.shape else ""


def _own(module: str, name: str) -> str:
    """A local name of a variable of a module."""
    return f"zz_m_{module}_{name}"[:63]


def _designator(q: Quantity) -> str:
    """Of a variable of a module or COMMON, in the shim."""
    if q.storage == COMMON:
        return q.argument
    name, mark, rest = q.argument.partition("%")
    return _own(q.owner, name) + mark + rest


def wrapped(text: str) -> str:
    """Lines of free form that are no longer than it allows."""
    lines = text.splitlines()
    return "\n".join(line(one.strip(), 2) if len(one) > 90 else one for one in lines) + "\n"
