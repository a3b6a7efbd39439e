"""Words of the command that a refusal asks for, tried one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bridge.port.refusal import Refusal
from bridge.port.survey import words
from bridge.port.syntax.units import Unit


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
    that gets further; each of the texts that an argument is compared with has to translate. The
    reason of the attempt without words where they do not help."""
    said = Said()
    first = why = attempt(said)
    while why is not None:
        word = words.asked(why, program, unit, passed)
        known = said.types | said.texts | said.procedures
        if word is None or word.name in known or (said.texts and word.option == "text"):
            return first, said
        if word.option == "type":
            said.types[word.name] = word.values[0]
            why = attempt(said)
        elif word.option == "procedure":
            why = _procedure(word, said, why, attempt)
        else:
            said.tried[word.name] = list(word.values)
            for text in reversed(word.values):
                said.texts[word.name] = text
                if (why := attempt(said)) is not None:
                    break
    return None, said


def _procedure(
    word: words.Word, said: Said, why: Refusal, attempt: Callable[[Said], Refusal | None]
) -> Refusal | None:
    """The next reason, with the first procedure for which it asks for another word, or None."""
    for one in word.procedures:
        said.procedures[word.name] = one
        found = attempt(said)
        if found is None or (found.change != why.change and "--procedure " in found.change):
            return found
    return found
