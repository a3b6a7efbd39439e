"""Quantities by the words that people use for them: density, viscosity, mu, speed of sound.

Beside `declarations`; asked by `bridge quantities`, and where a name is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol, TypeVar


class Described(Protocol):
    """What is known of a quantity."""

    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def symbol(self) -> str: ...
    @property
    def words(self) -> tuple[str, ...]: ...


Q = TypeVar("Q", bound=Described)


def named(phrase: str, quantities: Iterable[Q]) -> list[Q]:
    """Those that are called so, the likeliest first: by name, by symbol, by all of a description,
    by its words, by the beginnings of its words."""
    ranked = [(_rank(phrase, quantity), quantity) for quantity in quantities]
    return [quantity for rank, quantity in sorted(ranked, key=lambda pair: pair[0]) if rank < 9]


def near(phrase: str, quantities: Iterable[Q]) -> list[Q]:
    """Those whose name, words or description look like it, for what was mistyped."""
    from difflib import get_close_matches

    called: dict[str, list[Q]] = {}
    for quantity in quantities:
        for call in {quantity.name, quantity.about.lower(), *map(str.lower, quantity.words)}:
            called.setdefault(call, []).append(quantity)
    found = get_close_matches(phrase.lower(), called, 4, 0.7)
    return list({one.name: one for call in found for one in called[call]}.values())


def _rank(phrase: str, quantity: Described) -> int:
    """From 0 (its name) to 9 (not called so)."""
    wanted = _words(phrase)
    if phrase == quantity.name:
        return 0
    if phrase == quantity.symbol or phrase.lower() == quantity.name.lower():
        return 1
    calls = [quantity.about, *quantity.words]
    if wanted in [_words(call) for call in calls]:
        return 2
    if not wanted:
        return 9
    if wanted == _words(quantity.about)[: len(wanted)]:
        return 3
    if any(set(wanted) <= {*_words(call)} for call in calls):
        return 4
    every = [word for call in (*calls, quantity.name) for word in _words(call)]
    starts = len(phrase) > 2 and all(any(w.startswith(one) for w in every) for one in wanted)
    return 5 if starts else 9


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())
