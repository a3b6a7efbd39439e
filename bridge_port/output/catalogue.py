"""The catalogue of a ported pack: its text, as blocks of which one kernel's can be replaced while
the others stay as they are, and which shipped composite a kernel stands for."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, TypeVar

from bridge.errors import ArgumentError, InconsistentError
from bridge.plan import columns
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.declarations import close_names
from bridge.plan.fringe import AXES
from bridge_port.kernel import HostValue, Kernel, Quantity, Standing
from bridge_port.output.runs import run_names, runs

T = TypeVar("T")
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
        raise InconsistentError(
            "name", f"{name} is an argument and data of a module", "give one of them another name"
        )
    parts = [f"# {pack_name}: made by bridge port."]
    if kernels[0].singles:
        parts[0] += '\nprecision = "original"'
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
            cause = f"it is {kind} in {owner} and {before[0]} in {before[2]}"
            raise InconsistentError(name, cause, "give the kernels different packs or prefixes")
    return {name: value for name, (_, value, _) in found.items()}


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def listed(names: Iterable[str]) -> str:
    return f"[{', '.join(quoted(name) for name in names)}]"


def quantity(q: Quantity) -> str:
    word = q.columns
    if not columns.plain(word):
        raise ArgumentError(q.argument, f"{word} columns", columns.WANTED)
    lines = [f"[quantity.{q.name}]", f"unit = {quoted(q.unit)}"]
    if word != "1":
        lines.append(f"columns = {quoted(word)}")
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


_HEAD = re.compile(
    r"^\[\[?\s*(quantity|constant|table|kernel|composite|replace)\b.*$", re.MULTILINE
)


@dataclass
class Block:
    """kind, name: of what it declares; text: with its lines of comment in front."""

    kind: str
    name: str
    text: str

    @property
    def entry(self) -> dict[str, Any]:
        found = tomllib.loads(self.text)[self.kind]
        return dict(found[0] if isinstance(found, list) else found[self.name])

    @property
    def meaning(self) -> dict[str, Any]:
        return {key: value for key, value in self.entry.items() if key != "about"}


def blocks(text: str) -> tuple[str, list[Block]]:
    """What stands in front, and the blocks but [replace]."""
    starts = [match.start() for match in _HEAD.finditer(text)]
    found = []
    for start, end in itertools.pairwise([*starts, len(text)]):
        part = text[start:end].rstrip() + "\n"
        kind = _HEAD.match(part)
        assert kind is not None
        if kind[1] == "replace":
            continue
        try:
            entry = tomllib.loads(part)[kind[1]]
            name = entry[0]["name"] if isinstance(entry, list) else next(iter(entry))
        except (ValueError, KeyError, StopIteration) as error:
            raise ArgumentError("catalogue", part, f"a block of TOML ({error})") from None
        found.append(Block(kind[1], str(name), part))
    return (text[: starts[0]] if starts else text), found


def merged(old: str, new: str, replaced: set[str]) -> str:
    """The old catalogue with the kernels `replaced` (and what only they use) taken out, and the
    blocks of the new one added. ArgumentError where a name would stand for two things."""
    head, kept = blocks(old)
    new_head, added = blocks(new)
    others = [one for one in kept if one.kind == "kernel" and one.name not in replaced]
    used = {name for one in others for name in _used(one)}
    result = []
    for one in kept:
        if one.kind == "kernel" and one.name in replaced:
            continue
        if one.kind == "composite" and set(one.entry.get("steps", ())) & replaced:
            continue
        if one.kind in ("quantity", "constant", "table") and one.name not in used:
            continue
        result.append(one)
    known = {one.name: one for one in result if one.kind in ("quantity", "constant", "table")}
    names = {one.name for one in result if one.kind in ("kernel", "composite")}
    for one in added:
        before = known.get(one.name)
        if one.kind in ("kernel", "composite"):
            if one.name in names:
                cause = f"another {one.kind} of the pack has this name"
                raise InconsistentError(one.name, cause, "give --name or --prefix")
            result.append(one)
        elif before is None:
            result.append(one)
        elif (before.kind, before.meaning) != (one.kind, _with_unit(one, before)):
            cause = f"it is {_told(one)}, and in the pack it is {_told(before)}"
            remedy = "give the kernel a --prefix or a pack of its own"
            raise InconsistentError(one.name, cause, remedy)
    wanted, had = (tomllib.loads(text).get("precision", "double") for text in (new_head, head))
    if others and wanted != had:
        raise ArgumentError("--precision", wanted, f"{had}, which the pack has, or another pack")
    if wanted != had or not head.strip():
        head = new_head
    order = ("quantity", "constant", "table", "kernel", "composite")
    result.sort(key=lambda one: order.index(one.kind))
    parts = [head.strip() + "\n"]
    parts += [one.text for one in _planned(result)]
    return "\n".join([*parts, *_replacements(old, new, replaced, {one.name for one in result})])


def _told(one: Block) -> str:
    """Its kind, and what the catalogue says of it."""
    words = [f"{key} {value}" for key, value in one.meaning.items()]
    return f"a {one.kind} ({', '.join(words)})" if words else f"a {one.kind}"


def _with_unit(one: Block, before: Block) -> dict[str, Any]:
    """What a block means; a unit that is not known is the one that the pack knows."""
    meaning = one.meaning
    if one.kind == "quantity" and meaning.get("unit") == "1":
        meaning["unit"] = before.meaning.get("unit", "1")
    return meaning


def _replacements(old: str, new: str, replaced: set[str], known: set[str]) -> list[str]:
    """[replace] of both, without the kernels that are replaced and what the pack has no more."""
    before, added = (tomllib.loads(text).get("replace", {}) for text in (old, new))
    inner = ("names", "without")
    entries = {k: by for k, by in before.items() if k not in inner and by not in replaced}
    entries |= {k: by for k, by in added.items() if k not in inner}
    names = {k: v for k, v in before.get("names", {}).items() if k in known}
    without = {k: v for k, v in before.get("without", {}).items() if k in entries}
    if not entries:
        return []
    names |= added.get("names", {})
    without |= added.get("without", {})
    return [replacements(entries, names, without) + "\n"]


def _used(kernel: Block) -> set[str]:
    entry = kernel.entry
    return {*entry.get("inputs", ()), *entry.get("outputs", ()), *entry.get("tables", ())}


def _planned(found: list[Block]) -> list[Block]:
    """Kernels that make the same quantity are run by name alone, and so are those of which each
    one needs what another one makes: in a nest their order says whose values are read."""
    makers: dict[str, int] = {}
    for one in found:
        if one.kind == "kernel":
            for name in one.entry.get("outputs", ()):
                makers[name] = makers.get(name, 0) + 1
    for one in found:
        if one.kind != "kernel":
            continue
        entry = one.entry
        twice = any(makers[name] > 1 for name in entry.get("outputs", ()))
        if twice and "planned" not in entry and "sweep" not in entry:
            _by_name_alone(one)
    while round_ := _cycle(found):
        for one in round_:
            _by_name_alone(one)
    return found


def _cycle(found: list[Block]) -> list[Block]:
    """Planned kernels that need each other's results; none where there are no such ones."""
    makers: dict[str, Block] = {}
    needed: dict[str, set[str]] = {}
    for one in found:
        entry = one.entry
        if one.kind != "kernel" or "sweep" in entry or not entry.get("planned", True):
            continue
        inputs, outputs = set(entry.get("inputs", ())), set(entry.get("outputs", ()))
        for name in outputs - inputs:
            makers[name] = one
            needed.setdefault(name, set()).update(inputs - outputs)
    try:
        TopologicalSorter(needed).prepare()
    except CycleError as error:
        names = sorted({makers[name].name for name in error.args[1]})
        return [one for one in found if one.kind == "kernel" and one.name in names]
    return []


def _by_name_alone(one: Block) -> None:
    one.text = one.text.rstrip() + "\nplanned = false\n"


def standing(kernel: Kernel, composite: str, stands: Mapping[str, str]) -> Kernel:
    """The kernel, in the place of the composite ("" of none). stands: quantity by argument;
    arguments that are named as a quantity of the composite, but for case and _, stand for it.
    ArgumentError where one is not known."""
    if not composite and not stands:
        return kernel
    shipped = Catalogue.load([shipped_file()])
    own = {q.argument: q for q in (*kernel.inputs, *kernel.outputs)}
    known: dict[str, str] = {}
    if composite:
        if composite not in shipped.composites:
            wanted = close_names("a shipped composite", composite, shipped.composites)
            raise ArgumentError("--replace", repr(composite), wanted)
        found = shipped.composites[composite]
        near: dict[str, list[str]] = {}
        for name in (*found.inputs, *found.outputs):
            near.setdefault(_plain(name), []).append(name)
        known = {a: near[_plain(a)][0] for a in own if len(near.get(_plain(a), ())) == 1}
    for argument, name in stands.items():
        if argument not in own:
            wanted = f"an argument of {kernel.procedure.name}: {', '.join(own)}"
            raise ArgumentError("--stand", f"{argument}={name}", wanted)
        if name not in shipped.quantities:
            raise ArgumentError("--stand", f"{argument}={name}", shipped.suggest(name))
        known[argument] = name
    units = {name: shipped.quantities[name].unit for name in known.values()}

    def taken(q: Quantity) -> Quantity:
        name = known.get(q.argument, "")
        return replace(q, stands=name, unit=units[name]) if name else q

    kernel.inputs = [taken(q) for q in kernel.inputs]
    kernel.outputs = [taken(q) for q in kernel.outputs]
    if composite:
        made = {q.stands for q in kernel.outputs}
        without = tuple(name for name in shipped.composites[composite].outputs if name not in made)
        kernel.replaces = Standing(composite, without)
    return kernel


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
