"""What all comparisons of a run have found, and the table of the report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from bridge.bound.differences import Difference

#: Of the report: set, composite, array.
Key = tuple[str, str, str]


@dataclass
class Total:
    """All comparisons of an array by a composite; call: the number of the one that `worst` is
    of."""

    calls: int = 0
    points: int = 0
    above: int = 0
    absolute: float = 0.0
    worst: Difference = field(default_factory=Difference)
    call: int = 0

    def add(self, one: Difference, call: int) -> None:
        if not self.calls or one.relative > self.worst.relative or self.worst.place is None:
            self.worst, self.call = one, call
        self.calls += 1
        self.points += one.points
        self.above += one.above
        self.absolute = max(self.absolute, one.absolute)


def table(ranks: Sequence[dict[Key, Total]]) -> str:
    """The comparisons of all ranks as text; "" where there were none."""
    from tabulate import tabulate

    rows = []
    for key in dict.fromkeys(key for rank in ranks for key in rank):
        mine = [(number, rank[key]) for number, rank in enumerate(ranks) if key in rank]
        at, worst = max(mine, key=lambda one: (one[1].worst.relative, -one[0]))
        where = worst.worst.place
        rows.append(
            (
                *key,
                max(one.calls for _, one in mine),
                sum(one.points for _, one in mine),
                sum(one.above for _, one in mine),
                _spelled(worst.worst.relative),
                _spelled(max(one.absolute for _, one in mine)),
                *(("",) * 3 if where is None else (" ".join(map(str, where)), worst.call, at)),
            )
        )
    headers = (
        *("set", "composite", "array", "calls", "points", "above\nthe limit"),
        *("largest\ndifference", "absolute", "at\n(i j k component)", "in call", "on rank"),
    )
    return tabulate(rows, headers, tablefmt="simple", disable_numparse=True) if rows else ""


def _spelled(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.3g}"
