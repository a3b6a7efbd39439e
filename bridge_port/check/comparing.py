"""How far a kernel may be from its original, and where the original says nothing.

Of each output and point: FACTOR x how far the original moves with the last bits of its inputs and
with another order of its operations, ROUNDED x how far it moves where each operation rounds in
another direction and where its real(4) are real(8), and a few units in the last place. Integers
and logicals are equal, where those changes leave the original's as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
#: By reason and output.
Counts = dict[str, dict[str, int]]
FACTOR = 50.0
#: All operations err to one side then, which is nearly the worst that they can do.
ROUNDED = 10.0
#: Units in the last place of a result that is computed in well-conditioned steps: those of
#: transcendental functions on lanes (4 each), through a formula.
RELATIVE = {False: 2e-13, True: 3e-6}  # with single precision in the original
#: A spread above this share of the value: the point lies at a jump, or nothing is known of it.
LOOSE = {False: 1e-5, True: 3e-2}
#: Results below this share of the largest one may be nothing but rounding.
NOTHING = {False: 1e-12, True: 1e-5}
#: Share of values that may lie at a jump where real(4) is promoted.
MOST = 0.1
#: Share of the points that must remain to say anything.
ENOUGH = 0.05


@dataclass
class Output:
    """One output on one machine. worst: largest difference / tolerance; first: index of the first
    failing point, -1; difference: the largest one."""

    name: str
    compared: int
    failing: int
    worst: float
    difference: float
    first: int = -1
    original: list[float] = field(default_factory=list)
    kernel: list[float] = field(default_factory=list)
    constant: bool = False


#: Why a state is not compared, or an element of a nest's variables, in the order in which it is
#: told.
WORDS = {
    "kept": "that the original leaves as they are, and the kernel has to leave",
    "died": "where the original reads out of bounds or stops",
    "endless": "where the original does not end",
    "skipped": "behind so many of these that no more were tried",
    "stopped": "but for the status, where the original stops",
    "unset": "where the original reads a variable that has no value, or gives none",
    "outside": "where the original gives NaN or infinity",
    "jumps": "where last bits of the inputs change the original's branch or digits",
    "nans": "where the original makes NaN on its way, of which Fortran does not say what max and "
            "min give: the kernel has NaN there",
    "unread": "of scalars that nothing reads behind the nest",
    "extreme": "in whose place extreme ones were run (NaN, infinity, 0), on which the kernel ends",
}  # fmt: skip
REASONS = tuple(WORDS)


@dataclass
class Tolerances:
    """limit: by output; why: of each value 0, or why it is not compared: the number of the reason
    in REASONS, from 1."""

    expected: dict[str, Array]
    limit: dict[str, Array]
    why: dict[str, Array]

    @property
    def usable(self) -> dict[str, Array]:
        """Where the original says something."""
        return {name: why == 0 for name, why in self.why.items()}

    def leave(self, name: str, values: Array, reason: str) -> None:
        """Do not compare these, whatever else there is to say of them."""
        self.why[name][values] = 1 + REASONS.index(reason)

    def states(self, reason: str) -> int:
        """Of which a value is not compared."""
        number = 1 + REASONS.index(reason)
        some = [(why == number).any(axis=1) for why in self.why.values()]
        return int(np.any(some, axis=0).sum()) if some else 0

    def values(self, reason: str) -> int:
        number = 1 + REASONS.index(reason)
        return sum(int((why == number).sum()) for why in self.why.values())

    def left_out(self, also: Array) -> tuple[Counts, Counts]:
        """States without a value that is compared, and those with some: by reason and output.
        also: points that are looked at."""
        left: Counts = {}
        partly: Counts = {}
        for name, why in self.why.items():
            whole = (why > 0).all(axis=1)  # nothing of it would be compared
            first = np.where(whole, why.min(axis=1, initial=99), 1 + REASONS.index("extreme"))
            for number, reason in enumerate(REASONS, 1):
                has = (why == number).any(axis=1)
                nothing = (whole | ~also) & (first == number)
                for found, count in ((left, nothing), (partly, ~whole & also & has)):
                    if count.any():
                        found.setdefault(reason, {})[name] = int(count.sum())
        return left, partly


def tolerances(
    expected: Mapping[str, Array], others: Sequence[Mapping[str, Array]], ran: Array, single: bool,
    rounded: Sequence[Mapping[str, Array]] = (), promoted: Sequence[Mapping[str, Array]] = (),
) -> Tolerances:  # fmt: skip
    """others: results with changed bits; ran: points where every run of the original ended;
    rounded: results with other directions of rounding. Where these alone leave too little to
    compare, they do not count. promoted: with real(8) for real(4), see `is_rounding`."""
    found = _tolerances(expected, others, ran, single, (*rounded, *promoted), promoted)
    few = any(usable.any(axis=1).mean() < ENOUGH for usable in found.usable.values())
    if rounded and few:
        return _tolerances(expected, others, ran, single, promoted, promoted)
    return found


def is_rounding(
    expected: Mapping[str, Array], promoted: Mapping[str, Array], usable: Mapping[str, Array]
) -> bool:
    """Whether results of an original that has real(8) for real(4) are those of the original but
    for roundings. They are not where it looks into the bits of its numbers, or has C read them.
    usable: what is compared without these."""
    for name, values in expected.items():
        use = usable[name] & np.isfinite(values)
        if values.dtype.kind != "f" or not use.any():
            continue
        with np.errstate(all="ignore"):
            far = ~(np.abs(promoted[name] - values) <= LOOSE[True] * np.abs(values))
            far &= ~(np.abs(promoted[name]) <= NOTHING[True] * np.abs(values[use]).max())
        if (far & use).sum() > MOST * use.sum():
            return False
    return True


def _tolerances(
    expected: Mapping[str, Array], others: Sequence[Mapping[str, Array]], ran: Array, single: bool,
    rounded: Sequence[Mapping[str, Array]], promoted: Sequence[Mapping[str, Array]],
) -> Tolerances:  # fmt: skip
    limit: dict[str, Array] = {}
    t = Tolerances(dict(expected), limit, {})
    for name, values in expected.items():
        t.why[name] = np.zeros(values.shape, np.int8)
        if values.dtype.kind != "f":
            stable = np.ones(values.shape, bool)
            for other in (*others, *promoted):
                stable &= other[name] == values
            limit[name] = np.zeros(values.shape)
            t.leave(name, ~stable, "jumps")
            t.leave(name, ~ran, "died")
            continue
        spread = np.zeros(values.shape)
        finite = np.isfinite(values)
        with np.errstate(all="ignore"):
            for other in others:
                finite &= np.isfinite(other[name])
                spread = np.fmax(spread, np.abs(other[name] - values))
            turned = np.zeros(values.shape)
            for other in rounded:
                turned = np.fmax(turned, np.abs(other[name] - values))
            turned[~np.isfinite(turned)] = 0.0
            moved = np.fmax(spread, turned)
            loose = moved > LOOSE[single] * np.abs(values)
            # Results that are nothing but rounding: the spread says how much.
            loose &= moved > NOTHING[single] * np.nanmax(np.abs(values[finite]), initial=0.0)
            limit[name] = FACTOR * spread + RELATIVE[single] * np.abs(values) + 1e-300
            limit[name] = np.fmax(limit[name], ROUNDED * turned)
        t.leave(name, loose, "jumps")
        t.leave(name, ~finite, "outside")
        t.leave(name, ~ran, "died")
    return t


def compared(found: Mapping[str, Array], t: Tolerances, also: Array) -> list[Output]:
    """also: points that are to be looked at."""
    results = []
    for name, expected in t.expected.items():
        use = (t.why[name] == 0) & also[:, None]
        kernel = found[name]
        with np.errstate(all="ignore"):
            if expected.dtype.kind == "f":
                step = np.abs(kernel - expected)
                ratio = step / t.limit[name]
            else:
                step = np.abs(kernel.astype(float) - expected)
                ratio = np.where(step > 0, np.inf, 0.0)
        bad = use & ~(ratio <= 1.0)
        rows = np.flatnonzero(bad.any(axis=1))
        of = use if use.any() else np.zeros_like(use)
        worst = np.where(np.isnan(ratio), np.inf, ratio)[of].max(initial=0.0)
        largest = np.where(np.isnan(step), np.inf, step)[of].max(initial=0.0)
        seen = expected[use]
        one = Output(
            name, int(use.any(axis=1).sum()), len(rows), float(worst), float(largest),
            constant=bool(seen.size > 8 and (seen == seen.flat[0]).all()),
        )  # fmt: skip
        if len(rows):
            one.first = int(rows[0])
            one.original = [float(x) for x in expected[one.first]]
            one.kernel = [float(x) for x in kernel[one.first]]
        results.append(one)
    return results
