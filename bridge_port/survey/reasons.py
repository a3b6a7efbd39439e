"""Reasons against a port, without the names of one code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from bridge_port.refusal import Refusal

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_NUMBER = re.compile(r"\b\d+\b")
#: Words of a construct that name what is refused; a name of the code follows them.
_KINDS = re.compile(
    r"\b(call of|call|argument|array|scalar|table|constant|function|assignment to|loop variable|"
    r"loop over|equivalence of|exit|cycle|entry|type|module|common|complex|character|logical|"
    r"integer|real|parameter|read of|reference to|procedure|subroutine|variable|of|to|over|say "
    r"private:|say its shape: shape|it is|in|by)\s+(\w+(?:%\w+)*(?:\([^)]*\))?)"
)
_WORDS = frozenset(
    "of to over in by a an the another its array arrays scalar table constant function loop "
    "loops variable argument arguments call calls type module common dummy local result saved "
    "points point value values rank shape whole known given written read private backwards "
    "numbers number it that this which what one none two all no not real integer logical "
    "character complex statement statements procedure procedures nest nests expression "
    "expressions components source memory kernels kernel derived reductions section sections "
    "dimension dimensions other others bounds constants subscript subscripts place line lines "
    "them extent size neighbour neighbours time bridge assumed pointer allocatable kind and or "
    "for along is are whose neither nor translate under after before with as have has".split()
)


def general(refusal: Refusal) -> str:
    """The kind of a refusal: names and numbers left out."""
    construct, why = (_plain(text) for text in (refusal.construct, refusal.why))
    return f"{construct}: {why}" if why else construct


def _plain(text: str) -> str:
    text = _NUMBER.sub("N", _QUOTED.sub("...", text))
    previous = ""
    while previous != text:
        previous = text
        text = _KINDS.sub(lambda m: m[0] if m[2] in _WORDS else f"{m[1]} ...", text)
    return re.sub(r"\s+", " ", text).strip()


def frequent(refusals: Iterable[Refusal]) -> list[tuple[str, int, Refusal]]:
    """(kind, how often, the first one), the most frequent first."""
    counts: Counter[str] = Counter()
    first: dict[str, Refusal] = {}
    for one in refusals:
        kind = general(one)
        counts[kind] += 1
        first.setdefault(kind, one)
    return [(kind, count, first[kind]) for kind, count in counts.most_common()]
