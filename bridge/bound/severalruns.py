"""SeveralRuns: runs of several sets in one call, one after the other.

Beside SetRuns, which does each of them. Where nobody looks at single runs, and the backend has a
program for all points of all of them together, that program does them.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import partial

from bridge.backends.base import Condition, address_of
from bridge.bound.pendingruns import PendingRuns
from bridge.bound.pointsets import PointSets
from bridge.bound.setruns import SetRuns
from bridge.errors import ArgumentError, BridgeError
from bridge.launchers import AllPoints, AtOnce
from bridge.prepared import (
    BEGUN,
    GENERATION,
    PENDING,
    UNCHANGED,
    Prepared,
    PreparedRun,
    PreparedSeveral,
)
from bridge.tvimpl import TVImpl

Names = tuple[str, ...]
#: Letters of the names of runs in the name of a timer.
LONGEST = 60


class SeveralRuns:
    """impl: where programs are launched; sets: of a Frame; runs: of each; pending: runs that have
    begun."""

    def __init__(self, impl: TVImpl, sets: PointSets, runs: SetRuns, pending: PendingRuns) -> None:
        self._impl = impl
        self._sets = sets
        self._runs = runs
        self._pending = pending
        self._kept: dict[tuple[Names, Names], PreparedSeveral] = impl.prepared.of(PreparedSeveral)

    def run(self, sets: Sequence[str], composites: Sequence[str]) -> int:
        """As `SetRuns.run` of each in this order. Returns the number of chunks of all.

        ArgumentError, before any runs, for lists of different lengths and for names that nobody
        knows; StateError where a run of one of the sets is pending."""
        key = tuple(sets), tuple(composites)
        kept = self._kept.get(key)
        if kept is not None and self._may_go_together(key[0], kept):
            return self._together(key[0], kept)
        self._check(*key)
        chunks = sum(self._runs.run(*one) for one in zip(*key, strict=True))
        if kept is None or not kept.valid():
            self._keep(*key)
        else:
            kept.allow()
        return chunks

    def plain(self, sets: Sequence[str], composites: Sequence[str]) -> PreparedSeveral | None:
        """Runs that were done, if nobody looks at one or counts what it met."""
        kept = self._kept.get((tuple(sets), tuple(composites)))
        return kept if kept is not None and kept.valid() else None

    def _check(self, sets: Names, composites: Names) -> None:
        if not sets:
            raise ArgumentError("sets", "no name", "the names of the sets that run")
        if len(composites) != len(sets):
            wanted = f"{len(sets)}, one of each set"
            raise ArgumentError("composites", f"{len(composites)} names", wanted)
        for set, composite in zip(sets, composites, strict=True):
            self._sets.named(set)
            name = self._impl.catalogue.runnable(composite).name
            self._pending.refuse(f"a run of {name}", set)

    def _keep(self, sets: Names, composites: Names) -> None:
        """What was run may be run again as it was; nothing where somebody looks at single runs."""
        key = sets, composites
        old = self._kept.get(key)
        if old is not None:
            old.forget()
        each = [self._runs.plain(*one, None, None) for one in zip(*key, strict=True)]
        runs = [run for run in each if run is not None]
        if len(runs) < len(each):
            return
        states = [self._sets.named(set).prepared for set in dict.fromkeys(sets)]
        kept = PreparedSeveral(
            runs, self._program(runs), [one for state in states for one in at_rest(state)],
            partial(self._count, sets, runs), partial(self._failed, sets, runs),
        )  # fmt: skip
        kept.keep((self._impl.prepared, *states), key)

    def _program(self, runs: Sequence[PreparedRun]) -> AllPoints | None:
        """All of them together; None where each is done by itself."""
        launchers = [one for run in runs for one in run.launchers]
        if any(one.touched is not None for one in launchers):
            return None
        made = self._impl.backend.series([p for one in launchers for p in one.programs])
        if made is None:
            return None
        names = [run.name for run in runs]
        named = " + ".join(names)
        if len(named) > LONGEST:
            named = f"{names[0]} .. {names[-1]}, {len(names)} runs"
        timer = self._impl.timers.moving(f"run {named}", made.moved)
        return AtOnce([(made, made.points)], timer)

    def _may_go_together(self, sets: Names, kept: PreparedSeveral) -> bool:
        return (
            kept.together is not None
            and kept.valid()
            and not any(self._sets.named(set).prepared.state[UNCHANGED] for set in sets)
            and not self._pending.some
            and kept.most != 0
        )

    def _together(self, sets: Names, kept: PreparedSeveral) -> int:
        assert kept.together is not None
        point_sets = [self._sets.named(set) for set in sets]
        for one in point_sets:
            one.in_part = one.sound = False
        try:
            kept.together.begin(())
        except Exception as error:
            raise kept.failed(error) from error
        chunks = kept.together.finish()
        for one in point_sets:
            one.sound = True
        kept.settle()
        kept.count(1)
        kept.allow()
        return chunks

    def _count(self, sets: Names, runs: Sequence[PreparedRun], times: int) -> None:
        for set, run in zip(sets, runs, strict=True):
            run.counted.past(times)
            if not run.launchers:
                self._runs.without_points[set, run.name] += times

    def _failed(self, sets: Names, runs: Sequence[PreparedRun], error: Exception) -> BridgeError:
        named = ", ".join(
            f"{run.name} on set '{set}'" for set, run in zip(sets, runs, strict=True)
        )
        plans = [one.plan for run in runs for one in run.launchers]
        return self._impl.failed(f"runs of {named}: failed", plans, error)


def at_rest(state: Prepared) -> list[Condition]:
    """Nothing of a set has changed, none of its runs is pending, and the host has not said that
    arrays are unchanged: C looks at these words of each set, of the first one as of any run."""
    now, words = address_of(state.state), (GENERATION, PENDING, BEGUN, UNCHANGED)
    then = array("q", [state.state[GENERATION], 0, 0, 0])
    first, size = address_of(then), then.itemsize
    return [
        Condition(now + size * word, first + size * n, (state, then))
        for n, word in enumerate(words)
    ]
