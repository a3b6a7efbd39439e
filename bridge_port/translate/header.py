"""The text of a header: tables, types, functions, the kernel."""

from __future__ import annotations

from bridge_port.kernel import PointProcedure, Quantity
from bridge_port.translate import parts
from bridge_port.translate.body import Held, Port
from bridge_port.translate.text import broken
from bridge_port.translate.values import POINT_TYPES, ZEROS
from bridge_port.translate.wrapper import Wrapper, start_text


def text(
    port: Port, name: str, procedure: PointProcedure, wrapper: Wrapper, status: Quantity | None
) -> str:
    unit = procedure.unit
    kernel = wrapper.text(status)
    lines = [
        f"// {procedure.name}: {port.note_of(procedure.place)}, made by bridge port from "
        f"{unit.kind} {unit.name or procedure.name}.",
        *([f"// It holds where {procedure.holds_where}."] if procedure.presence else ()),
        *([f"// {status.name}: {line}" for line in stops(port)] if status is not None else ()),
        "#pragma once",
        '#include "fortran.h"',
        "",
        "namespace BRIDGE_NAMESPACE {",
        "",
        f"namespace {name}_parts {{",
        "",
    ]
    for table, (variable, values) in port.tables.items():
        numbers = ", ".join(repr(value) for value in values)
        lines.append(f"// {variable}")
        lines += broken(f"BRIDGE_TABLE double {table}[{len(values)}] = {{{numbers}}};", 0)
        lines.append("")
    if port.held:
        lines += [*host(list(port.held.values())), ""]
    for structure in port.structures.values():
        if structure.used:
            lines += [*parts.text(structure), ""]
    for function in port.functions:
        lines += [function.text, ""]
    lines += [f"}}  // namespace {name}_parts", "", *kernel, ""]
    lines += ["}  // namespace BRIDGE_NAMESPACE", ""]
    return "\n".join(lines)


def stops(port: Port) -> list[str]:
    """What the bits of the status say."""
    lines = []
    for at, one in enumerate(port.stops):
        lines.append(f"{1 << min(at, 30)} {port.note_of(one.place)} {one.text[:60]}")
    return lines


def host(members: list[Held]) -> list[str]:
    """Data of the host that procedures read, and what each point has for itself of it."""
    lines = ["// Data of modules and COMMON blocks.", "template <class Real> struct Host {"]
    for held in members:
        if held.value is None:
            continue
        of = f"  // {held.value.owner}" if held.value.owner else ""
        if held.dims:
            lines.append(f"    const Table<Real, {len(held.dims)}>& {held.member};{of}")
        else:
            lines.append(f"    const {POINT_TYPES[held.type]} {held.member};{of}")
    for held in members:
        if held.value is not None:
            continue
        word = POINT_TYPES[held.type]
        if held.dims:
            count = 1
            for dim in held.dims:
                assert dim.extent is not None
                count *= int(dim.extent.number or 0)
            lines.append(f"    {word} {held.member}[{count}] = {{}};")
        else:
            start = ZEROS[held.type] if held.start is None else start_text(held.start)
            lines.append(f"    {word} {held.member} = {start};")
    return [*lines, "};"]
