"""The catalogue of a ported pack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from bridge.errors import ArgumentError
from bridge.plan.fringe import AXES
from bridge_port.kernel import HostValue, Kernel, Quantity
from bridge_port.output.runs import run_names, runs

T = TypeVar("T")
#: Columns that a catalogue can say besides a number.
COLUMNS = ("ns", "ns-1", "ns*ns")
#: Quantities that every run has.
RESERVED = ("position_i", "position_j", "position_k")


def catalogue(kernels: Sequence[Kernel], pack_name: str) -> str:
    """Quantities, constants, tables, kernels, and one composite with all of them as its steps."""
    quantities = same(
        (q.name, _form(q), q, k.name)
        for k in kernels
        for q in [*k.inputs, *k.outputs]
        if q.name not in RESERVED
    )
    constants = same((v.name, f"a {v.type}", v, k.name) for k in kernels for v in k.constants)
    tables = same(
        (v.name, f"a table of {len(v.shape)} dimensions", v, k.name)
        for k in kernels for v in k.tables
    )  # fmt: skip
    for name in (quantities.keys() & constants.keys()) | (tables.keys() & quantities.keys()):
        raise ArgumentError("name", name, "one thing: it is an argument and data of a module")
    parts = [f"# {pack_name}: made by bridge port."]
    parts += [quantity(q) for q in quantities.values()]
    parts += [constant(v) for v in constants.values()]
    parts += [table(v) for v in tables.values()]
    makers = Counter(q.name for k in kernels for q in k.outputs)
    parts += [kernel(k, all(makers[q.name] == 1 for q in k.outputs)) for k in kernels]
    together = zip(runs(kernels), run_names(kernels, pack_name), strict=True)
    made = {name: some for some, name in together if len(some) > 1}
    if len(kernels) > 1 and kernels not in made.values():
        made[whole(kernels, [pack_name, *made])] = list(kernels)
    parts += [composite(some, name) for name, some in made.items()]
    parts += replaced(kernels)
    return "\n\n".join(parts) + "\n"


def _form(q: Quantity) -> str:
    """What two quantities of one name have to have in common."""
    return f"{q.columns} columns of {'reals' if q.type == 'real' else 'integers'} in {q.unit}"


def same(named: Iterable[tuple[str, str, T, str]]) -> dict[str, T]:
    """By name; one name is one thing for all kernels: of one form, as it is told."""
    found: dict[str, tuple[str, T, str]] = {}
    for name, kind, value, owner in named:
        before = found.setdefault(name, (kind, value, owner))
        if before[0] != kind:
            raise ArgumentError(
                name, f"{kind} in {owner} and {before[0]} in {before[2]}",
                "one form: give the kernels different packs or prefixes",
            )  # fmt: skip
    return {name: value for name, (_, value, _) in found.items()}


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def listed(names: Iterable[str]) -> str:
    return f"[{', '.join(quoted(name) for name in names)}]"


def quantity(q: Quantity) -> str:
    columns = q.columns
    if not columns.isdigit() and columns not in COLUMNS:
        raise ArgumentError(q.argument, f"{columns} columns", "a number, ns, ns-1 or ns*ns")
    lines = [f"[quantity.{q.name}]", f"unit = {quoted(q.unit)}"]
    if columns != "1":
        lines.append(f"columns = {quoted(columns)}")
    if q.type != "real":
        lines.append('type = "int32"')
    lines.append(f"about = {quoted(q.about or q.argument)}")
    return "\n".join(lines)


def constant(v: HostValue) -> str:
    lines = [f"[constant.{v.name}]", 'unit = "1"']
    if v.type != "real":
        lines.append(f"type = {quoted('int32' if v.type == 'integer' else 'logical')}")
    if v.value is not None:
        value = float(v.value) if v.type == "real" else v.value
        lines.append(f"value = {str(value).lower() if isinstance(value, bool) else repr(value)}")
    return "\n".join([*lines, f"about = {quoted(about(v))}"])


def table(v: HostValue) -> str:
    size = f"rank = {len(v.shape)}"
    if all(v.shape):
        size = f"size = [{', '.join(str(n) for n in v.shape)}]"
    return "\n".join([f"[table.{v.name}]", 'unit = "1"', size, f"about = {quoted(about(v))}"])


def about(v: HostValue) -> str:
    if not v.owner:
        return v.variable
    return f"{v.variable} of {'common ' if v.storage == 'common' else ''}{v.owner}"


def kernel(k: Kernel, alone: bool) -> str:
    """alone: whether no other kernel makes what it makes."""
    place = k.procedure.place
    inputs = [q.name for q in k.inputs] + [v.name for v in k.constants]
    lines = ["[[kernel]]", f"name = {quoted(k.name)}", f"header = {quoted(k.header)}"]
    if k.tables:
        lines.append(f"tables = {listed(v.name for v in k.tables)}")
    lines.append(f"inputs = {listed(inputs)}")
    lines.append(f"outputs = {listed(q.name for q in k.outputs)}")
    for q in k.inputs:
        if q.reads:
            sides = zip(AXES, q.reads.lower, q.reads.upper, strict=True)
            axes = ", ".join(f"{a} = [{-low}, {up}]" for a, low, up in sides if low or up)
            lines.append(f"reads.{q.name} = {{ {axes} }}")
    if k.procedure.sweep:
        lines.append(f"sweep = {quoted(k.procedure.sweep)}")
    elif not alone or {q.name for q in k.inputs} & {q.name for q in k.outputs}:
        lines.append("planned = false")
    lines.append(f"about = {quoted(f'{k.procedure.name}, ported')}")
    lines.append(f"source = {quoted(f'{Path(place.file).name}:{place.line}')}")
    return "\n".join(lines)


def replaced(kernels: Sequence[Kernel]) -> list[str]:
    """[replace], of kernels that stand for shipped composites."""
    entries = {k.replaces.composite: k.name for k in kernels if k.replaces}
    names = {q.name: q.stands for k in kernels for q in (*k.inputs, *k.outputs) if q.stands}
    without = {
        k.replaces.composite: list(k.replaces.without)
        for k in kernels
        if k.replaces and k.replaces.without
    }
    return [replacements(entries, names, without)] if entries else []


def replacements(
    entries: Mapping[str, str], names: Mapping[str, str], without: Mapping[str, Sequence[str]]
) -> str:
    lines = ["[replace]", *(f"{key} = {quoted(by)}" for key, by in entries.items())]
    if names:
        lines += ["", "[replace.names]", *(f"{k} = {quoted(v)}" for k, v in names.items())]
    if without:
        lines += ["", "[replace.without]", *(f"{k} = {listed(v)}" for k, v in without.items())]
    return "\n".join(lines)


def whole(kernels: Sequence[Kernel], taken: Sequence[str]) -> str:
    """Name of the composite of all kernels, which is that of the nest if nothing else has it."""
    name = taken[0]
    while name in {k.name for k in kernels} | {*taken[1:]}:
        name += "_all"
    return name


def composite(kernels: Sequence[Kernel], name: str) -> str:
    """Some kernels, in their order."""
    made: dict[str, None] = {}
    needed: dict[str, None] = {}
    for k in kernels:
        for q in k.inputs:
            if q.name not in made and q.name not in RESERVED:
                needed[q.name] = None
        made.update(dict.fromkeys(q.name for q in k.outputs))
    lines = ["[[composite]]", f"name = {quoted(name)}", f"inputs = {listed(needed)}"]
    lines.append(f"outputs = {listed(made)}")
    lines.append(f"steps = {listed(k.name for k in kernels)}")
    return "\n".join(lines)
