"""Words of the command that a refusal asks for, tried one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from bridge_port.refusal import Refusal
from bridge_port.survey import words
from bridge_port.syntax.units import Unit


@dataclass
class Said:
    """types: of objects; texts: the one of an argument that is tried now, tried: all of them;
    procedures: of arguments and components that are procedures."""

    types: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    tried: dict[str, list[str]] = field(default_factory=dict)
    procedures: dict[str, Unit] = field(default_factory=dict)


def with_words(
    program: Any, unit: Unit, passed: words.Passed, attempt: Callable[[Said], Refusal | None]
) -> tuple[Refusal | None, Said]:
    """The type of an object is the first of those that a refusal asks for, a procedure the first
    with which all translates; each of the texts that characters are compared with has to
    translate. The reason of the attempt without words where they do not help."""
    first: Refusal | None = None
    left = words.MOST
    tried: dict[str, list[str]] = {}

    def go(said: Said) -> Said | None:
        """With the words that helped, None of none."""
        nonlocal first, left
        left -= 1
        why = attempt(said)
        if why is None:
            return said
        first = first or why
        word = words.asked(why, program, unit, passed)
        if word is None or word.name in said.types | said.texts | said.procedures or left <= 0:
            return None
        if word.option == "type":
            return go(replace(said, types=said.types | {word.name: word.values[0]}))
        if word.option == "procedure":
            each = (said.procedures | {word.name: one} for one in word.procedures)
            found = (go(replace(said, procedures=one)) for one in each if left > 0)
            return next((one for one in found if one is not None), None)
        tried[word.name] = list(word.values)
        last = None
        for text in reversed(word.values):
            last = go(replace(said, texts=said.texts | {word.name: text}))
            if last is None:
                return None
        return last

    helped = go(Said())
    if helped is None:
        return first, Said()
    return None, replace(helped, tried=tried)
