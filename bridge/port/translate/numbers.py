"""Outputs of a kernel that are numbers of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.port.kernel import Quantity
from bridge.port.program.numberedtexts import Numbered
from bridge.port.refusal import Refused
from bridge.port.syntax.units import Unit
from bridge.port.translate.wrapper import Wrapper


def with_texts(unit: Unit, found: Numbered, wrapper: Wrapper) -> list[Quantity]:
    """The outputs, those that are numbers of texts with these."""
    for q in wrapper.inputs:
        if q.argument in found.names and found.texts:
            raise Refused(unit.place, f"character {q.argument}",
                          "it may keep the text that the caller gave it, and is read",
                          "intent(out), or give it a text first")  # fmt: skip
    return [
        replace(q, texts=found.texts, about=f"number of the text {q.argument} of {unit.name}: "
                f"{numbers(found.texts)}")
        if q.argument in found.names and not q.storage else q
        for q in wrapper.outputs
    ]  # fmt: skip


def numbers(texts: Sequence[str]) -> str:
    """As a reader may look them up."""
    return ", ".join(["0 as it was", *(f"{n} '{text}'" for n, text in enumerate(texts, 1))])
