"""Data of modules and COMMON of the original: procedures that get and set them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge_port.kernel import HostValue
from bridge_port.program.program import Program
from bridge_port.program.symbols import COMMON, Symbol
from bridge_port.program.types import type_symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Component, Expression, Name
from bridge_port.syntax.units import Unit, every


def access(program: Program, unit: Unit, ns: int, value: HostValue) -> str:
    """zz_host_NAME(values, sizes, set): gets the values and extents, or sets the values."""
    variable = value.variable
    text = [f"subroutine zz_host_{value.name}(zz_values, zz_sizes, zz_set) bind(c)",
            "  use, intrinsic :: iso_c_binding, only: zz_double => c_double, "
            "zz_long => c_long_long, zz_int => c_int"]  # fmt: skip
    declared: list[str] = []
    if value.storage == COMMON:
        declared = common(program, value.unit or unit, value.owner, variable)
    else:
        text.append(f"  use {value.owner}, only: {variable.partition('%')[0]}")
    text += ["  implicit none", *declared,
             "  real(zz_double) :: zz_values(*)", "  integer(zz_long) :: zz_sizes(3)",
             "  integer(zz_int), value :: zz_set"]  # fmt: skip
    array = value.bounds_of or variable
    symbol = _symbol(program, value.owner, array)
    held = symbol.attributes & {"allocatable", "pointer"} if symbol is not None else ()
    if held:
        known = "allocated" if "allocatable" in held else "associated"
        # A list has an entry for each species; of tables nothing is known but their rank.
        unknown = (ns or 5) if len(value.shape) == 1 else 24
        shape = ", ".join(str(n or unknown) for n in value.shape)
        zero = ".false." if value.type == "logical" else "0"
        memory = f"{array}({shape})" if shape else array
        text += [f"  if (.not. {known}({array})) then",
                 f"    allocate ({memory})", f"    {variable} = {zero}",
                 "  end if"]  # fmt: skip
    got = f"merge(1, 0, {variable})" if value.type == "logical" else variable
    if value.shape:
        text += [
            f"  zz_sizes({n}) = " + (str(size) if value.merged else f"size({variable}, {n})")
            for n, size in enumerate(value.shape, 1)
        ]
        given = f"reshape(zz_values(1:size({variable})), shape({variable}))"
        given = f"({given} /= 0)" if value.type == "logical" else given
        text.append(f"  if (zz_set /= 0) {variable} = {given}")
        text.append(f"  zz_values(1:size({variable})) = reshape({got}, [size({variable})])")
    else:
        given = "(zz_values(1) /= 0)" if value.type == "logical" else "zz_values(1)"
        text.append(f"  if (zz_set /= 0) {variable} = {given}")
        text.append(f"  zz_values(1) = {got}")
    return "\n".join([*text, "end subroutine", ""])


def memory(program: Program, owner: str, variable: str, local: str) -> list[str]:
    """Statements that give memory to a number that is a pointer or allocatable, or lies behind
    one. local: its name in the check, or that of what it is a component of."""
    lines = []
    parts = variable.split("%")
    for count in range(1, len(parts) + 1):
        symbol = _symbol(program, owner, "%".join(parts[:count]))
        held = symbol.attributes & {"allocatable", "pointer"} if symbol is not None else ()
        if symbol is None or not held or symbol.dimensions is not None:
            continue
        known = "allocated" if "allocatable" in held else "associated"
        name = "%".join([local, *parts[1:count]])
        lines.append(f"if (.not. {known}({name})) allocate ({name})")
    return lines


def _symbol(program: Program, owner: str, variable: str) -> Symbol | None:
    module = program.modules.get(owner)
    if module is None:
        return None
    name, *components = variable.split("%")
    e: Expression = Name(name)
    for one in components:
        e = Component(e, one)
    return type_symbol(e, program.scope(module))


def common(program: Program, unit: Unit, block: str, variable: str) -> list[str]:
    for one in [unit, *every(program.units)]:
        members = [m.name for m in one.commons if m.block == block]
        if variable in members:
            return common_lines(program.scope(one), block, members)
    raise Refused(unit.place, f"common {block}", "no unit declares it")


def common_lines(scope: Any, block: str, members: Sequence[str]) -> list[str]:
    lines = []
    for member in members:
        symbol = scope.symbol(member)
        lines.append(f"  {type_text(symbol)} :: {member}{fixed_shape(scope, symbol)}")
    return [*lines, f"  common {f'/{block}/' if block else '//'} {', '.join(members)}"]


def fixed_shape(scope: Any, symbol: Symbol) -> str:
    if symbol.dimensions is None:
        return ""
    return f"({', '.join(str(n or 1) for n in scope.extents(symbol))})"


def type_text(symbol: Symbol) -> str:
    if symbol.type == "type":
        return f"type({symbol.type_name})"
    if symbol.type == "character":
        return "character(len=64)"
    return f"{symbol.type}({symbol.kind})"
