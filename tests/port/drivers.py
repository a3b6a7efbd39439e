"""A driver in Fortran for each original: it loops over points and calls the procedure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bridge.port.kernel import HostValue, Kernel, Quantity
from bridge.port.program.symbols import COMMON
from bridge.port.syntax.units import Unit


@dataclass
class Case:
    """A procedure and its kernel. ranges: of arguments by name, (0.5, 2) and (-3, 8) else."""

    unit: Unit
    kernel: Kernel
    program: Any
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    fixed: Mapping[str, int | str] = field(default_factory=dict)


def all_quantities(kernel: Kernel) -> list[Quantity]:
    """Each once."""
    found = {q.name: q for q in kernel.inputs}
    for q in kernel.outputs:
        found.setdefault(q.name, q)
    return list(found.values())


class Driver:
    def __init__(self, cases: Sequence[Case], ns: int, setup: tuple[str, str]) -> None:
        self.cases, self.ns, self.setup = cases, ns, setup

    def text(self) -> str:
        parts = [self.procedure(case) for case in self.cases]
        seen: set[str] = set()
        for case in self.cases:
            for value in [*case.kernel.constants, *case.kernel.tables]:
                if value.name not in seen:
                    seen.add(value.name)
                    parts.append(self.fetch(case, value))
        if self.setup[1]:
            parts.append(
                "subroutine check_setup() bind(c, name='check_setup')\n"
                f"  {self.setup[0]}\n  {self.setup[1]}\nend subroutine check_setup\n"
            )
        return "\n".join(parts)

    def procedure(self, case: Case) -> str:
        unit, kernel = case.unit, case.kernel
        quantities = all_quantities(kernel)
        names = [f"q{n}" for n in range(len(quantities))]
        by = {q.argument: (name, q) for name, q in zip(names, quantities, strict=True)}
        scope = case.program.scope(unit)
        # Names of this text cannot be those of a module.
        head = [f"subroutine check_{kernel.name}(zz_n, {', '.join(names)}) bind(c)"]
        head.append(
            "  use, intrinsic :: iso_c_binding, only: zz_double => c_double, zz_int => c_int"
        )
        module = unit.parent if unit.parent is not None and unit.parent.kind == "module" else None
        if module is not None:
            types = {
                scope.symbol(d).type_name for d in unit.arguments if scope.symbol(d).type == "type"
            }
            only = ", ".join([f"zz_call => {unit.name}", *sorted(types)])
            head.append(f"  use {module.name}, only: {only}")
        head.append("  implicit none\n  integer(zz_int), value :: zz_n\n  integer :: zz_point")
        body: list[str] = []
        after: list[str] = []
        call = []
        for name, q in zip(names, quantities, strict=True):
            columns = self.columns(q)
            word = "real(zz_double)" if q.type == "real" else "integer(zz_int)"
            head.append(f"  {word} :: {name}({columns}, zz_n)")
        declared: set[str] = set()
        for dummy in unit.arguments:
            symbol = scope.symbol(dummy)
            local = f"zz_v_{dummy}"
            if symbol.type == "character" and dummy not in case.fixed:
                continue  # optional
            call.append(local if module is None else f"{dummy}={local}")
            text = case.fixed.get(dummy)
            if isinstance(text, str):
                length = scope.length(symbol) or len(text)
                head.append(f"  character({length}) :: {local} = '{text}'")
                continue
            if dummy in case.fixed:
                head.append(f"  integer({symbol.kind}) :: {local}")
                body.append(f"{local} = {case.fixed[dummy]}")
                continue
            if symbol.type == "type":
                head.append(f"  type({symbol.type_name}) :: {local}")
                for argument, (name, q) in by.items():
                    if argument.startswith(f"{dummy}%"):
                        place = f"{local}%{argument.partition('%')[2]}"
                        self.moves(q, name, place, kernel, body, after)
                continue
            name, q = by[dummy]
            head.append(f"  {symbol.type}({symbol.kind}) :: {local}{self.shape(q)}")
            declared.add(dummy)
            # What an original without intents leaves alone keeps what it has.
            self.moves(q, name, local, kernel, body, after, "" if symbol.intent else "77")
        target = "zz_call" if module is not None else unit.name
        if unit.kind == "function":
            result = scope.symbol(unit.result)
            name, q = by[unit.result]
            head.append(f"  {result.type}({result.kind}) :: zz_result{self.shape(q)}")
            if module is None:
                head.append(f"  {result.type}({result.kind}), external :: {unit.name}")
            body.append(f"zz_result = {target}({', '.join(call)})")
            self.moves(q, name, "zz_result", kernel, [], after)
        else:
            body.append(f"call {target}({', '.join(call)})")
        lines = [
            *head,
            "  do zz_point = 1, zz_n",
            *[f"    {line}" for line in body + after],
            "  end do",
        ]
        return "\n".join([*lines, f"end subroutine check_{kernel.name}", ""])

    def moves(
        self,
        q: Quantity,
        name: str,
        local: str,
        kernel: Kernel,
        body: list[str],
        after: list[str],
        before: str = "",
    ) -> None:
        inputs = {x.name for x in kernel.inputs}
        outputs = {x.name for x in kernel.outputs}
        column = f"{name}(:, zz_point)" if q.shape else f"{name}(1, zz_point)"
        if q.shape:
            shape = ", ".join(str(n) for n in self.extents(q))
            inward = f"reshape({column}, [{shape}])"
            outward = "reshape({}, [" + str(self.columns(q)) + "])"
        else:
            inward, outward = column, "{}"
        if q.type == "logical":
            inward = inward.replace(column, f"({column} /= 0)")
            outward = f"merge(1, 0, {outward})"
        if q.name in inputs:
            body.append(f"{local} = {inward}")
        else:
            zero = ".false." if q.type == "logical" else before or "0"
            body.append(f"{local} = {zero}")
        if q.name in outputs:
            after.append(f"{column} = {outward.format(local)}")

    def extents(self, q: Quantity) -> list[int]:
        return [{"ns": self.ns, "ns-1": self.ns - 1}.get(str(n), 0) or int(n) for n in q.shape]

    def columns(self, q: Quantity) -> int:
        count = 1
        for extent in self.extents(q):
            count *= extent
        return count

    def shape(self, q: Quantity) -> str:
        return f"({', '.join(str(n) for n in self.extents(q))})" if q.shape else ""

    def fetch(self, case: Case, value: HostValue) -> str:
        variable = value.variable
        text = [f"subroutine fetch_{value.name}(zz_values, zz_sizes) bind(c)"]
        text.append("  use, intrinsic :: iso_c_binding, only: zz_double => c_double, "
                    "zz_long => c_long_long")  # fmt: skip
        declared = []
        if value.storage == COMMON:
            declared = self.common(case, value)
        else:
            text.append(f"  use {value.owner}, only: {variable}")
        text += ["  implicit none", *declared]
        text.append("  real(zz_double) :: zz_values(*)\n  integer(zz_long) :: zz_sizes(3)")
        kind = f"merge(1, 0, {variable})" if value.type == "logical" else variable
        if value.shape:
            for n in range(len(value.shape)):
                text.append(f"  zz_sizes({n + 1}) = size({variable}, {n + 1})")
            text.append(f"  zz_values(1:size({variable})) = reshape({kind}, [size({variable})])")
        else:
            text.append(f"  zz_values(1) = {kind}")
        return "\n".join([*text, f"end subroutine fetch_{value.name}", ""])

    def common(self, case: Case, value: HostValue) -> list[str]:
        for unit in [case.unit, *case.program.procedures.values()]:
            members = [m.name for m in unit.commons if m.block == value.owner]
            if value.variable in members:
                scope = case.program.scope(unit)
                break
        lines = []
        for member in members:
            symbol = scope.symbol(member)
            shape = ", ".join(str(n) for n in scope.extents(symbol))
            lines.append(
                f"  {symbol.type}({symbol.kind}) :: {member}{f'({shape})' if shape else ''}"
            )
        block = f"/{value.owner}/" if value.owner else "//"
        return [*lines, f"  common {block} {', '.join(members)}"]
