"""Whether the points of an evaluation are stable as one phase, where nobody asked for it.

All points of a call of few, some of a larger one. What is found goes into the status words of
the points that were tested, if these are all, and into one warning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bridge.bound.samples import numbers
from bridge.errors import ArgumentError
from bridge.settings import STABILITIES, Settings, status_bits

#: The most points of a call that are all tested; how many of a larger one are.
TESTED, SAMPLED = 1000, 200
#: What has the answer.
OUTPUTS = ("tpd",)
BITS = status_bits("TWO_PHASE STABILITY_OPEN")
_SPLITS, _OPEN = status_bits("TWO_PHASE"), status_bits("STABILITY_OPEN")
#: A volume of the caller's makes it the state of a point, and not P.
_DENSITIES = frozenset(("v", "rho", "Z", "rho_target"))


def mode_of(given: str | None) -> str:
    """`stability` of the caller, else of the environment; ArgumentError for another word."""
    if given is None:
        return Settings().stability()
    mode = str(given).strip().lower()
    if mode not in STABILITIES:
        raise ArgumentError("stability", repr(given), f"one of {', '.join(STABILITIES)}")
    return mode


def state_of(arrays: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any] | None:
    """T, P and Y of the points: T as it was solved for; None where they are not all there."""
    found = {name: values.get(name, arrays.get(name)) for name in ("T", "P", "Y")}
    if any(one is None for one in found.values()) or not _DENSITIES.isdisjoint(arrays):
        return None
    return found


def chosen(state: Mapping[str, Any], shape: tuple[int, ...], n: int) -> dict[str, Any]:
    """The state at some of the points, the same ones in every call of a shape."""
    picked = np.unique(numbers(1, np.arange(SAMPLED)) % np.uint64(n)).astype(np.int64)
    at = np.unravel_index(picked, shape)
    spread = {name: (*shape, *np.shape(one)[-1:]) if name == "Y" else shape
              for name, one in state.items()}  # fmt: skip
    return {name: np.broadcast_to(one, spread[name])[at] for name, one in state.items()}


def told(
    words: np.ndarray, state: Mapping[str, Any], species: Sequence[str], n: int
) -> str | None:
    """What is said of tested points, whose status words are these; None where all are stable."""
    flat = np.atleast_1d(words).reshape(-1)
    splits, open_ = (flat & _SPLITS) != 0, (flat & _OPEN) != 0
    some = splits if splits.any() else open_
    if not some.any():
        return None
    first = int(np.flatnonzero(some)[0])
    shape = np.shape(words)
    T, P = (np.broadcast_to(state[name], shape).reshape(-1)[first] for name in ("T", "P"))
    Y = np.broadcast_to(state["Y"], (*shape, len(species))).reshape(-1, len(species))[first]
    there = ", ".join(f"{name} {y:.4g}" for name, y in zip(species, Y, strict=True) if y > 0.0)
    of = f"{flat.size} points" if flat.size == n else f"{flat.size} sampled points of {n}"
    what = "would split into two phases, and have results of one (TWO_PHASE)"
    if not splits.any():
        what = "could not be tested for stability as one phase (STABILITY_OPEN)"
    return (
        f"{int(some.sum())} of {of} {what}; first: T = {T:.6g} K, P = {P:.6g} Pa, Y = {there}. "
        "This is said once; stability='off' leaves the test out"
    )
