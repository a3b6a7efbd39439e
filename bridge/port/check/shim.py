"""Fortran beside the original: a subroutine that calls a procedure point after point, and access
to the data of modules and COMMON.

Names begin with zz_: those of the original cannot be known to be free. The tests of the translator
write theirs with it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.port.kernel import HostValue, Kernel, Quantity
from bridge.port.program.symbols import COMMON, Symbol
from bridge.port.refusal import Refused
from bridge.port.syntax.text import line
from bridge.port.syntax.units import Unit, every
from bridge.port.syntax.unittext import unit_lines


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


@dataclass
class Shim:
    """Of one procedure. values: of integer arguments that have one value; species: the variable
    with their number; name: of the subroutine; texts: of character arguments."""

    program: Any
    unit: Unit
    kernel: Kernel
    ns: int
    values: Mapping[str, int]
    species: str = ""
    name: str = "zz_run"
    texts: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        parts = [self.procedure()]
        for value in [*self.kernel.constants, *self.kernel.tables]:
            parts.append(self.access(value))
        if "::" in self.species:
            module, _, name = self.species.partition("::")
            parts.append(
                "subroutine zz_species() bind(c)\n"
                f"  use {module}, only: {name}\n  {name} = {self.ns}\nend subroutine\n"
            )
        return wrapped("\n".join(parts))

    # ---- the call -----------------------------------------------------------------------------

    def procedure(self) -> str:
        """NAME(first, last, at, quantities): calls it at some points; at: the one it is at."""
        unit, scope = self.unit, self.program.scope(self.unit)
        if unit.parent is not None and unit.parent.kind != "module":
            raise Refused(unit.place, f"internal procedure {unit.name}",
                          "nothing outside can call it", "check what holds it")  # fmt: skip
        all_ = quantities(self.kernel)
        names = [f"zz_q{n}" for n in range(len(all_))]
        by = {q.argument: (name, q) for name, q in zip(names, all_, strict=True)}
        arguments = ", ".join(["zz_first", "zz_last", "zz_at", *names])
        head = [f"subroutine {self.name}({arguments}) bind(c)",
                "  use, intrinsic :: iso_c_binding, only: zz_double => c_double, "
                "zz_int => c_int"]  # fmt: skip
        module = unit.parent if unit.parent is not None else None
        if module is not None:
            symbols = [scope.symbol(d) for d in unit.arguments if d != "*"]
            types = {s.type_name: s.place for s in symbols if s.type == "type"}
            own = [name for name in types if name in module.types]
            only = ", ".join([f"zz_call => {unit.name}", *sorted(own)])
            head.append(f"  use {module.name}, only: {only}")
            for name in sorted(set(types) - set(own)):
                owners = [u.name for u in self.program.modules.values() if name in u.types]
                if owners:
                    head.append(f"  use {owners[0]}, only: {name}")
        head += ["  implicit none", "  integer(zz_int), value :: zz_first, zz_last",
                 "  integer(zz_int), volatile :: zz_at", "  integer :: zz_point"]  # fmt: skip
        target = "zz_call" if module is not None else unit.name
        if module is None:
            if any(one.deferred for d in unit.arguments if d != "*"
                   for one in scope.symbol(d).dimensions or ()):  # fmt: skip
                head += ["  interface", *unit_lines(replace(unit, body=[], units=[]), 4),
                         "  end interface"]  # fmt: skip
            elif unit.kind == "function":
                result = scope.symbol(unit.result or unit.name)
                head.append(f"  {_type(result)}, external :: {unit.name}")
            else:
                head.append(f"  external :: {unit.name}")
        for name, q in zip(names, all_, strict=True):
            word = "real(zz_double)" if q.type == "real" else "integer(zz_int)"
            head.append(f"  {word} :: {name}({columns(q, self.ns)}, zz_last)")
        body: list[str] = []
        after: list[str] = []
        call = []
        left_out = False
        own_species = "" if "::" in self.species else self.species.lower()
        for dummy in unit.arguments:
            if dummy == "*":
                raise Refused(unit.place, "alternate return", "the check cannot call it")
            symbol = scope.symbol(dummy)
            local = f"zz_v_{dummy}"[:63]
            if symbol.type == "character" and symbol.optional and dummy not in self.texts:
                left_out = True
                continue
            call.append(f"{dummy}={local}" if left_out else local)
            if symbol.type == "character":
                text = self.texts.get(dummy, " ").replace("'", "''")
                length = scope.length(symbol)
                if length is None:
                    length = len(self.texts[dummy]) if dummy in self.texts else 64
                head.append(f"  character(len={length}) :: {local}")
                body.append(f"{local} = '{text}'")
            elif dummy in self.values or (dummy == own_species and dummy not in by):
                head.append(f"  {_type(symbol)} :: {local}")
                body.append(f"{local} = {self.values.get(dummy, self.ns)}")
            elif symbol.type == "type":
                head.append(f"  type({symbol.type_name}) :: {local}")
                for argument, (name, q) in by.items():
                    if argument.startswith(f"{dummy}%"):
                        place = f"{local}%{argument.partition('%')[2]}"
                        self._moves(q, name, place, body, after)
            elif dummy in by:
                name, q = by[dummy]
                head.append(f"  {_type(symbol)} :: {local}{self._shape(q)}")
                # What an original without intents leaves alone keeps what it has.
                self._moves(q, name, local, body, after, "0" if symbol.intent else "77")
            else:  # what the kernel needs not
                head.append(f"  {_type(symbol)} :: {local}{_fixed_shape(scope, symbol)}")
                body.append(f"{local} = {'.false.' if symbol.type == 'logical' else 0}")
        if unit.kind == "function":
            result = scope.symbol(unit.result or unit.name)
            name, q = by[unit.result or unit.name]
            head.append(f"  {_type(result)} :: zz_result{self._shape(q)}")
            body.append(f"zz_result = {target}({', '.join(call)})")
            self._moves(q, name, "zz_result", [], after)
        else:
            body.append(f"call {target}({', '.join(call)})")
        loop = ["  do zz_point = zz_first, zz_last", "    zz_at = zz_point"]
        return "\n".join(
            [*head, *loop, *(f"    {text}" for text in body + after), "  end do",
             f"end subroutine {self.name}", ""]
        )  # fmt: skip

    def _moves(
        self, q: Quantity, name: str, local: str, body: list[str], after: list[str],
        before: str = "0",
    ) -> None:  # fmt: skip
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
            body.append(f"{local} = {'.false.' if q.type == 'logical' else before}")
        if q.name in {x.name for x in self.kernel.outputs}:
            after.append(f"{column} = {outward.format(local)}")

    def _shape(self, q: Quantity) -> str:
        return f"({', '.join(str(n) for n in extents(q, self.ns))})" if q.shape else ""

    # ---- data of modules ----------------------------------------------------------------------

    def access(self, value: HostValue) -> str:
        """zz_host_NAME(values, sizes, set): gets the values and extents, or sets the values."""
        variable = value.variable
        text = [f"subroutine zz_host_{value.name}(zz_values, zz_sizes, zz_set) bind(c)",
                "  use, intrinsic :: iso_c_binding, only: zz_double => c_double, "
                "zz_long => c_long_long, zz_int => c_int"]  # fmt: skip
        declared: list[str] = []
        if value.storage == COMMON:
            declared = self._common(value)
        else:
            text.append(f"  use {value.owner}, only: {variable}")
        text += ["  implicit none", *declared,
                 "  real(zz_double) :: zz_values(*)", "  integer(zz_long) :: zz_sizes(3)",
                 "  integer(zz_int), value :: zz_set"]  # fmt: skip
        symbol = self._symbol(value)
        if symbol is not None and "allocatable" in symbol.attributes:
            # A list has an entry for each species; of tables nothing is known but their rank.
            unknown = (self.ns or 5) if len(value.shape) == 1 else 24
            shape = ", ".join(str(n or unknown) for n in value.shape)
            zero = ".false." if value.type == "logical" else "0"
            text += [f"  if (.not. allocated({variable})) then",
                     f"    allocate ({variable}({shape}))", f"    {variable} = {zero}",
                     "  end if"]  # fmt: skip
        got = f"merge(1, 0, {variable})" if value.type == "logical" else variable
        if value.shape:
            rank = len(value.shape)
            text += [f"  zz_sizes({n}) = size({variable}, {n})" for n in range(1, rank + 1)]
            given = f"reshape(zz_values(1:size({variable})), shape({variable}))"
            given = f"({given} /= 0)" if value.type == "logical" else given
            text.append(f"  if (zz_set /= 0) {variable} = {given}")
            text.append(f"  zz_values(1:size({variable})) = reshape({got}, [size({variable})])")
        else:
            given = "(zz_values(1) /= 0)" if value.type == "logical" else "zz_values(1)"
            text.append(f"  if (zz_set /= 0) {variable} = {given}")
            text.append(f"  zz_values(1) = {got}")
        return "\n".join([*text, "end subroutine", ""])

    def _symbol(self, value: HostValue) -> Symbol | None:
        module = self.program.modules.get(value.owner)
        found: Symbol | None = None
        if module is not None:
            found = self.program.scope(module).find(value.variable)
        return found

    def _common(self, value: HostValue) -> list[str]:
        for unit in [self.unit, *every(self.program.units)]:
            members = [m.name for m in unit.commons if m.block == value.owner]
            if value.variable in members:
                return common_lines(self.program.scope(unit), value.owner, members)
        raise Refused(self.unit.place, f"common {value.owner}", "no unit declares it")


def wrapped(text: str) -> str:
    """Lines of free form that are no longer than it allows."""
    lines = text.splitlines()
    return "\n".join(line(one.strip(), 2) if len(one) > 90 else one for one in lines) + "\n"


def common_lines(scope: Any, block: str, members: Sequence[str]) -> list[str]:
    lines = []
    for member in members:
        symbol = scope.symbol(member)
        lines.append(f"  {_type(symbol)} :: {member}{_fixed_shape(scope, symbol)}")
    return [*lines, f"  common {f'/{block}/' if block else '//'} {', '.join(members)}"]


def _fixed_shape(scope: Any, symbol: Symbol) -> str:
    if symbol.dimensions is None:
        return ""
    return f"({', '.join(str(n or 1) for n in scope.extents(symbol))})"


def _type(symbol: Symbol) -> str:
    if symbol.type == "type":
        return f"type({symbol.type_name})"
    if symbol.type == "character":
        return "character(len=64)"
    return f"{symbol.type}({symbol.kind})"
