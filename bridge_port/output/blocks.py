"""A catalogue as blocks of text: one kernel can be replaced, the others stay as they are."""

from __future__ import annotations

import itertools
import re
import tomllib
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from bridge.errors import ArgumentError
from bridge_port.output.catalogue import replacements

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
                raise ArgumentError(
                    one.name, f"another {one.kind} of the pack", "--name or --prefix"
                )
            result.append(one)
        elif before is None:
            result.append(one)
        elif (before.kind, before.meaning) != (one.kind, _with_unit(one, before)):
            wanted = "one thing: give the kernel a --prefix or a pack of its own"
            raise ArgumentError(
                one.name, f"{_told(one)}; in the pack it is {_told(before)}", wanted
            )
    order = ("quantity", "constant", "table", "kernel", "composite")
    result.sort(key=lambda one: order.index(one.kind))
    parts = [(head.strip() or new_head.strip()) + "\n"]
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
