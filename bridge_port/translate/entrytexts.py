"""Texts of the entry: those that the user says, and outputs that are numbers of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bridge_port.kernel import Quantity
from bridge_port.program.numberedtexts import Numbered
from bridge_port.program.symbols import Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.units import Unit
from bridge_port.translate.wrapper import Wrapper


def with_texts(unit: Unit, found: Numbered, wrapper: Wrapper) -> list[Quantity]:
    """The outputs, those that are numbers of texts with these."""
    for q in wrapper.inputs:
        if q.argument in found.names and found.texts:
            # Of a variable of the unit around: nothing says which texts its numbers would mean.
            name = next((v for v, d in unit.captured.items() if d == q.argument), q.argument)
            raise Refused(unit.place, f"as-inout {name}",
                          "a text comes back as a number, and none goes in",
                          f"say --as-output {name}")  # fmt: skip
    return [
        replace(q, texts=found.texts, about=f"number of the text {q.argument} of {unit.name}: "
                f"{numbers(found.texts)}")
        if q.argument in found.names and not q.storage else q
        for q in wrapper.outputs
    ]  # fmt: skip


def numbers(texts: Sequence[str]) -> str:
    """As a reader may look them up."""
    return ", ".join(["0 as it was", *(f"{n} '{text}'" for n, text in enumerate(texts, 1))])


def parted(fixed: Mapping[str, int | str] | None) -> tuple[dict[str, int], dict[str, str]]:
    """Integers and texts."""
    integers = {name: v for name, v in (fixed or {}).items() if isinstance(v, int)}
    return integers, {name.lower(): v for name, v in (fixed or {}).items() if isinstance(v, str)}


def texts_of(
    dummies: Mapping[str, Symbol], letters: Mapping[str, str], unit: Unit
) -> tuple[tuple[str, str], ...]:
    """Of character arguments, with their lengths."""
    found = []
    for name, text in letters.items():
        symbol = dummies.get(name)
        if symbol is None:
            continue  # of a module
        if symbol.type != "character" or symbol.dimensions is not None:
            raise Refused(unit.place, f"value {name}", f"{unit.name} has no such text")
        length = symbol.scope.length(symbol)
        found.append((name, text if length is None else text[:length].ljust(length)))
    return tuple(sorted(found))
