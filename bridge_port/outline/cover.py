"""Which elements of an array are known to be written: boxes of symbolic bounds.

Beside `affine`. A piece is a range for each dimension; a scalar has one piece of none. Pieces that
touch become one. Comparisons that the bounds of loops do not settle count as "not covered".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bridge_port.outline.affine import Affine
from bridge_port.syntax.expressions import Name


@dataclass(frozen=True)
class Range:
    """From low to high; empty where high is below."""

    low: Affine
    high: Affine

    @classmethod
    def at(cls, place: Affine) -> Range:
        return cls(place, place)

    def mentions(self, name: str) -> bool:
        return self.low.mentions(name) or self.high.mentions(name)


Piece = tuple[Range, ...]
#: Variables of loops under way -> the values that they take.
Values = Mapping[str, Range]


def least(value: Affine, values: Values) -> int | None:
    """The least that it can be, None where that is not known."""
    for _ in range(8):
        for term, factor in value.terms:
            if isinstance(term, Name) and term.id in values:
                ends = values[term.id]
                bound = ends.low if factor > 0 else ends.high
                value = value.without(term.id) + bound.times(factor)
                break
        else:
            return value.constant
    return None


def _not_below(value: Affine, other: Affine, values: Values) -> bool:
    difference = least(value - other, values)
    return difference is not None and difference >= 0


def inside(want: Piece, have: Piece, values: Values) -> bool:
    """Whether each point of `want` lies in `have`."""
    return all(
        _not_below(w.low, h.low, values) and _not_below(h.high, w.high, values)
        for w, h in zip(want, have, strict=True)
    )


def _joined(one: Piece, other: Piece, values: Values) -> Piece | None:
    """Both in one, where they differ in one dimension and touch there."""
    different = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if not different:
        return one
    if len(different) > 1:
        return None
    n = different[0]
    for a, b in ((one[n], other[n]), (other[n], one[n])):
        gap = least(a.high - b.low, values)
        if gap is not None and gap >= -1 and _not_below(b.low, a.low, values):
            # b may be empty: then this is a or less, never more than both.
            high = a.high if _not_below(a.high, b.high, values) else b.high
            return (*one[:n], Range(a.low, high), *one[n + 1 :])
    return None


@dataclass(frozen=True)
class Cover:
    """Pieces that are written; everything: where control does not come."""

    pieces: frozenset[Piece] = frozenset()
    everything: bool = False

    def has(self, want: Piece, values: Values) -> bool:
        return self.everything or any(inside(want, piece, values) for piece in self.pieces)

    def plus(self, piece: Piece, values: Values) -> Cover:
        if self.everything:
            return self
        pieces = set(self.pieces)
        merging = True
        while merging:
            merging = False
            for other in pieces:
                joined = _joined(piece, other, values)
                if joined is not None:
                    pieces.discard(other)
                    piece, merging = joined, True
                    break
        return Cover(frozenset({*pieces, piece}))

    def __and__(self, other: Cover) -> Cover:
        """What both have."""
        if self.everything or other.everything:
            return other if self.everything else self
        return Cover(
            frozenset(
                [p for p in self.pieces if any(inside(p, q, {}) for q in other.pieces)]
                + [q for q in other.pieces if any(inside(q, p, {}) for p in self.pieces)]
            )
        )


def joined(covers: Iterable[Cover]) -> Cover:
    """What all of them have."""
    result = Cover(everything=True)
    for cover in covers:
        result = result & cover
    return result
