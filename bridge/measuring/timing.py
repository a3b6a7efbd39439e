"""Timing side by side: candidates take turns within one run, so that load on the machine slows
all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bridge.progress import Step, waiting


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
    before: Mapping[str, Callable[[], object]] | None = None,
) -> Times:
    """Let all candidates take turns for about `seconds`, at least `least` rounds.

    A turn begins with one call that is not timed, because the caches hold another candidate's
    data, and repeats a short call until it lasts about `turn` seconds. clock: processor time of
    this thread, so that what other programs take does not count; time.perf_counter where
    candidates have threads of their own; before: what puts a candidate's data back, ahead of
    each of its calls and not timed.
    """
    with waiting("timing", alone=False) as step:
        return _in_turns(candidates, seconds, least, turn, clock, before or {}, step)


def _in_turns(
    candidates: Mapping[str, Callable[[], object]],
    seconds: float,
    least: int,
    turn: float,
    clock: Callable[[], float],
    before: Mapping[str, Callable[[], object]],
    step: Step,
) -> Times:
    repeats: dict[str, int] = {}
    total = 0.0
    for name, call in candidates.items():
        step.what = f"first calls of {name}"
        ready = before.get(name, _nothing)
        ready()
        call()  # warm: first touch, caches, thread start
        ready()
        begin = clock()
        call()
        once = clock() - begin
        repeats[name] = max(1, round(turn / max(once, 1e-9)))
        total += once * (1 + repeats[name])
    rounds = max(least, round(seconds / total))
    times = {name: np.empty(rounds) for name in candidates}
    step.what, step.total = "rounds of timing", rounds
    for k in range(rounds):
        step.done = k + 1
        for name, call in candidates.items():
            times[name][k] = _turn(call, before.get(name), repeats[name], clock)
    return Times(times)


def _turn(
    call: Callable[[], object],
    ready: Callable[[], object] | None,
    repeats: int,
    clock: Callable[[], float],
) -> float:
    """Seconds of one call of a candidate."""
    if ready is None:
        call()
        begin = clock()
        for _ in range(repeats):
            call()
        return (clock() - begin) / repeats
    ready()
    call()
    seconds = 0.0
    for _ in range(repeats):
        ready()
        begin = clock()
        call()
        seconds += clock() - begin
    return seconds / repeats


def _nothing() -> None:
    pass
