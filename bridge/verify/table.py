"""The totals of a Verifier over ranks, as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

#: A set ("" of views), composite or kernel, quantity, what it was held against.
Key = tuple[str, str, str, str]


@dataclass
class Total:
    """Of one quantity. at: of the largest difference, as text; inputs: there."""

    checks: int = 0
    points: int = 0
    above: int = 0
    ulps: float = 0.0
    measure: float = 0.0
    at: str = ""
    inputs: str = ""


@dataclass
class Told:
    """What a rank has: totals, what it did not verify and why, files written."""

    totals: dict[Key, Total] = field(default_factory=dict)
    skipped: dict[tuple[str, str], str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


def of_set(set: str) -> str:
    """What messages call it."""
    return f"set '{set}'" if set else "views"


def text(ranks: Sequence[Told], limit: float) -> str:
    """One table for all ranks; "" where nothing ran."""
    from tabulate import tabulate

    rows: list[tuple[object, ...]] = []
    inputs: dict[str, list[str]] = {}
    for key in dict.fromkeys(key for rank in ranks for key in rank.totals):
        mine = [(number, one.totals[key]) for number, one in enumerate(ranks)
                if key in one.totals]  # fmt: skip
        at, worst = max(mine, key=lambda one: (one[1].measure, one[1].ulps, -one[0]))
        rows.append(
            (
                key[0] or "(views)", *key[1:],
                sum(one.checks for _, one in mine),
                sum(one.points for _, one in mine),
                sum(one.above for _, one in mine),
                f"{max(one.ulps for _, one in mine):.6g}",
                f"{worst.measure:.2g}", worst.at, at if worst.at else "",
            )
        )  # fmt: skip
        if worst.measure > limit:
            inputs.setdefault(
                f"{key[1]} of {of_set(key[0])}, rank {at}: {worst.inputs}", []
            ).append(f"{key[2]} at {worst.at}")
    headers = ("set", "what ran", "property", "against", "checks", "points", "above\nthe limit",
               "ULP", "largest\ndifference", "at", "on rank")  # fmt: skip
    lines = []
    if rows:
        above = sum(one.above for rank in ranks for one in rank.totals.values())
        lines += [f"verified on samples, limit {limit:g}: {above or 'none'} above it",
                  tabulate(rows, headers, tablefmt="simple", disable_numparse=True)]  # fmt: skip
        lines += [f"{', '.join(names)}: {where}" for where, names in inputs.items()]
    skipped = {key: why for rank in ranks for key, why in rank.skipped.items()}
    lines += [f"not verified: {what} of {of_set(set)}: {why}"
              for (set, what), why in skipped.items()]  # fmt: skip
    lines += [f"written: {file}: 'bridge replay {file}' runs it alone"
              for rank in ranks for file in rank.files]  # fmt: skip
    return "\n".join(lines)
