"""Timing side by side: candidates take turns within one run, so that load on the machine slows
all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Times:
    """Seconds per call of each candidate, one entry per round."""

    rounds: dict[str, np.ndarray]

    def median(self, name: str) -> float:
        return float(np.median(self.rounds[name]))

    def fastest(self, name: str) -> float:
        """Of all rounds: for several threads on a machine that others use too."""
        return float(self.rounds[name].min())

    def ratio(self, name: str, reference: str) -> float:
        """How many times faster than `reference`: the median over the rounds."""
        return float(np.median(self.rounds[reference] / self.rounds[name]))


def time_in_turns(
    candidates: Mapping[str, Callable[[], object]],
    *,
    seconds: float = 2.0,
    least: int = 5,
    turn: float = 2e-3,
    clock: Callable[[], float] = time.thread_time,
) -> Times:
    """Let all candidates take turns for about `seconds`, at least `least` rounds.

    A turn begins with one call that is not timed, because the caches hold another candidate's
    data, and repeats a short call until it lasts about `turn` seconds. clock: processor time of
    this thread, so that what other programs take does not count; time.perf_counter where
    candidates have threads of their own.
    """
    repeats: dict[str, int] = {}
    total = 0.0
    for name, call in candidates.items():
        call()  # warm: first touch, caches, thread start
        begin = clock()
        call()
        once = clock() - begin
        repeats[name] = max(1, round(turn / max(once, 1e-9)))
        total += once * (1 + repeats[name])
    rounds = max(least, round(seconds / total))
    times = {name: np.empty(rounds) for name in candidates}
    for k in range(rounds):
        for name, call in candidates.items():
            call()
            begin = clock()
            for _ in range(repeats[name]):
                call()
            times[name][k] = (clock() - begin) / repeats[name]
    return Times(times)
