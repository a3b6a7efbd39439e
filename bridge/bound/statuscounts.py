"""Counts of the bits of status words: of each run of a set, in sum, and the points they are of.

Beside BoundSets, which tells of each run that ended. The words of a run are in the array `status`
of the set; where none is bound, and counting is asked for, in memory of the bridge that the run
writes as one more output. They are counted where they lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import numpy as np

from bridge import log
from bridge.backends.base import Binding, Box
from bridge.backends.blocks import Blocks
from bridge.bound.pointsets import PointSet
from bridge.bound.temporaries import blocks_of
from bridge.errors import ArgumentError, PointsError, StateError
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.inputs import MASK
from bridge.plan.selection import STATUS
from bridge.prepared import Change
from bridge.settings import POLICIES, STATUS_BITS, StatusPolicy
from bridge.tvimpl import TVImpl

#: Bits of a word.
BITS = 32
#: Distinct halves of a word: they are counted in a table of so many.
_HALF = 1 << 16
#: What counts are called that the host asked for, of words that lay in an array of its own.
ASKED = "frame_status_counts"
#: Points that `first` shows where nobody says how many.
SHOWN = 10


@dataclass
class Counted:
    """Of one composite on one set: runs, points of them, and points by bit."""

    runs: int = 0
    points: int = 0
    bits: np.ndarray = field(default_factory=lambda: np.zeros(BITS, np.int64))

    def add(self, points: int, bits: np.ndarray, runs: int = 1) -> None:
        self.runs += runs
        self.points += points
        self.bits = self.bits + bits


#: By set and composite.
Totals = dict[tuple[str, str], Counted]


class StatusCounts:
    """Of all sets of a Frame; layout: the columns of Q; rank: of this process."""

    def __init__(
        self, impl: TVImpl, layout: tuple[str, ...], policy: StatusPolicy, rank: int
    ) -> None:
        self._impl = impl
        self._layout = layout
        self._rank = rank
        self.policy = policy
        #: Whether each run is counted, or may be stopped at.
        self.active = policy.active
        self.totals: Totals = {}
        #: Of each set: memory for words that are not bound; the counts of its latest run.
        self._memory: dict[str, Any] = {}
        self._hidden: dict[tuple[str, str], Binding] = {}
        self._latest: dict[str, tuple[int, np.ndarray]] = {}
        self._said: float | None = None
        self._unsaid = 0

    # ---- where the words are ---------------------------------------------------------------

    def hidden(self, point_set: PointSet, which: Composite | Kernel) -> dict[str, Binding]:
        """Memory for the status words of a run that binds none; empty where it needs none."""
        self._hidden.pop((point_set.name, which.name), None)
        wanted = self.active and isinstance(which, Composite)
        if (
            not wanted
            or STATUS not in which.outputs
            or STATUS in (*which.inputs, *point_set.arrays)
        ):
            return {}
        like, backend = point_set.any_binding, self._impl.backend
        points = point_set.points()
        if not points:
            return {}
        memory = self._memory.get(point_set.name)
        if memory is None or memory.shape[1] < points:
            memory = backend.allocate(1, points, "int32")
            self._memory[point_set.name] = memory
        address = backend.address(memory)
        ni, nj, _ = like.box.extent
        box = Box(like.box.extent, (1, ni, ni * nj), points)
        if like.blocks is not None:
            box = Box((0, 1, 1), (1, 0, 0), 0)
        binding = Binding(address, box, 1, dtype="int32", owner=memory, group=like.group)
        if like.blocks is not None:
            binding = binding.at(Blocks.flat(like.blocks.extent))
        self._hidden[point_set.name, which.name] = binding
        return {STATUS: binding}

    def _words(self, point_set: PointSet, composite: str | None) -> Binding | None:
        """Where the words of the set's latest run are; None where nowhere."""
        held = point_set.arrays.get(STATUS)
        if held is not None and held.written:
            return self._impl.residency.located(held.binding, STATUS)
        return self._hidden.get((point_set.name, composite or ""))

    # ---- counting --------------------------------------------------------------------------

    def counts_runs_of(self, composite: str) -> bool:
        """Whether the words of such runs are counted: those that make some."""
        return self.active and STATUS in self._impl.catalogue.runnable(composite).outputs

    def ended(self, point_set: PointSet, composite: str) -> None:
        """A run has ended: count its words, say what is bad, PointsError where that stops it."""
        if not self.counts_runs_of(composite):
            return
        words = self._words(point_set, composite)
        if words is None:
            return
        bits = self._count(point_set, composite, words)
        if _some(bits, self.policy.bits):
            told = self._told(point_set, composite, bits)
            if self.policy.action == "stop" and _some(bits, self.policy.stopping):
                first = self.first(point_set, self.policy.stopping, 1)
                raise PointsError(
                    f"{told}; {' '.join(first) or 'no such point is in the arrays now'}"
                )
            self._say(told)

    def _count(self, point_set: PointSet, composite: str, words: Binding) -> np.ndarray:
        bits, points = self._bits(point_set, words)
        self.totals.setdefault((point_set.name, composite), Counted()).add(points, bits)
        self._latest[point_set.name] = points, bits
        return bits

    def counts(self, point_set: PointSet) -> np.ndarray:
        """Points by bit, (32,), of the set's latest run. Where runs are not counted, of the words
        that lie in the bound array now; StateError where there are none."""
        if not point_set.points():
            return np.zeros(BITS, np.int64)
        if self.active and point_set.name in self._latest:
            return self._latest[point_set.name][1]
        words = self._words(point_set, None)
        if words is None:
            raise StateError(
                f"no status words of set '{point_set.name}' are known: bind 'status', or "
                "frame_set('status_counts', .true.) before initialize, and run"
            )
        return self._count(point_set, ASKED, words)

    def _bits(self, point_set: PointSet, words: Binding) -> tuple[np.ndarray, int]:
        """Points by bit and points that count, over all blocks."""
        total, points = np.zeros(BITS, np.int64), 0
        with self._impl.backend.working(), self._impl.timers["count status"]:
            for values, counted in self._pieces(point_set, words):
                some = values if counted is None else values[counted]
                points += int(some.size)
                total += _bits_of(some)
        return total, points

    def _pieces(self, point_set: PointSet, words: Binding) -> Iterator[tuple[Any, Any]]:
        """Words of each block, (nz, ny, nx), and which points count (None: all); arrays of the
        backend."""
        if not point_set.points():
            return
        array = self._impl.backend.ndarray
        mask = point_set.mask()
        if mask is not None:
            mask = self._impl.residency.located(replace(mask, scale=1.0), MASK)
        masks: Any = blocks_of(mask) if mask is not None else iter(())
        for block in blocks_of(words):
            yield array(block)[0], None if mask is None else _like(block, masks, array)

    # ---- saying ----------------------------------------------------------------------------

    def _told(self, point_set: PointSet, composite: str, bits: np.ndarray) -> str:
        points = self._latest[point_set.name][0]
        return f"run of {composite} on set '{point_set.name}': of {points} points {listed(bits)}"

    def _say(self, told: str) -> None:
        """One line, and not another one before the interval is over."""
        now = monotonic()
        if self._said is not None and now - self._said < self.policy.interval:
            self._unsaid += 1
            return
        more = f" ({self._unsaid} more runs since the last line)" if self._unsaid else ""
        self._said, self._unsaid = now, 0
        log.say(f"rank {self._rank}: {told}{more}")

    def first(self, point_set: PointSet, bits: int, most: int = SHOWN) -> list[str]:
        """The first points of the set that have one of these bits, a line each: where, bits, and
        inputs in SI as the arrays hold them now."""
        if not point_set.points():
            return []
        words = next(
            (w for name in self._names(point_set) if (w := self._words(point_set, name))), None
        )
        if words is None:
            self.counts(point_set)  # says why there are none
            return []
        lines: list[str] = []
        with self._impl.backend.working():
            for number, (values, counted) in enumerate(self._pieces(point_set, words)):
                bad = (values & bits) != 0
                if counted is not None:
                    bad &= counted
                found = _host(bad.reshape(-1).nonzero()[0][: most - len(lines)])
                for place in found.tolist():
                    lines.append(self._line(point_set, number, values, place))
                if len(lines) >= most:
                    break
        return lines

    def _names(self, point_set: PointSet) -> Sequence[str]:
        return [name for one, name in self._hidden if one == point_set.name] or [""]

    def _line(self, point_set: PointSet, block: int, values: Any, place: int) -> str:
        nz, ny, nx = values.shape
        k, j, i = place // (nx * ny), place // nx % ny, place % nx
        word = int(values.reshape(-1)[place])
        inputs = []
        for name, binding in point_set.given(self._layout, self._impl.ns).items():
            if name in (STATUS, MASK) or binding.position or binding.box.stride == (0, 0, 0):
                continue  # no values of the host, one of each point
            own = list(blocks_of(self._impl.residency.located(binding, name)))[block]
            held = self._impl.backend.ndarray(own)
            numbers = _host(held[:, k, j, i])
            shown = " ".join(f"{one:.10g}" for one in (numbers * own.scale).tolist())
            inputs.append(f"{name} = {shown}")
        return f"{point_set.where(block, i, j, k)}: {names_of(word)}; {', '.join(inputs)}"

    # ---- the end ---------------------------------------------------------------------------

    def forget(self, set: str) -> None:
        """A set that is no more."""
        self._memory.pop(set, None)
        self._latest.pop(set, None)
        for key in [key for key in self._hidden if key[0] == set]:
            del self._hidden[key]

    def choose(self, action: str) -> None:
        """Another policy; runs are made anew where they begin or cease to be counted."""
        if action not in POLICIES:
            raise ArgumentError("policy", repr(action), f"one of {', '.join(POLICIES)}")
        self.policy = self.policy._replace(action=action)
        if self.policy.active != self.active:
            self.active = self.policy.active
            self._impl.prepared.changed(Change.STATUS_POLICY)

    def met(self) -> Totals:
        """What was counted of all runs; of other composites the bits that programs count by
        themselves, under a set without a name."""
        known, found = {composite for _, composite in self.totals}, dict(self.totals)
        for name, bits in self._impl.backend.met().items():
            if name in self._impl.catalogue.composites and name not in known and bits.any():
                found["", name] = Counted(bits=bits)
        return found

    def close(self) -> None:
        """Say once what all runs of this rank met, where it was counted and some was bad."""
        for line in summary([self.met()]):
            log.say(f"rank {self._rank}: {line}")
        self.totals = {}
        self._memory.clear()
        self._hidden.clear()
        self._latest.clear()


def summary(ranks: Sequence[Totals]) -> list[str]:
    """A line for each set and composite, over ranks; none where no word was counted."""
    together: Totals = {}
    for totals in ranks:
        for key, one in totals.items():
            together.setdefault(key, Counted()).add(one.points, one.bits, one.runs)
    return [
        f"status of {composite} on set '{set}': {one.runs} runs, of {one.points} points "
        f"{listed(one.bits)}"
        if set
        else f"status of {composite}, all runs and launches: {listed(one.bits)}"
        for (set, composite), one in together.items()
    ]


def listed(bits: np.ndarray) -> str:
    """Counts by name: "12 BAD_T, 3 MULTI_ROOT"."""
    some = [f"{bits[bit]} {name_of(bit)}" for bit in range(BITS) if bits[bit]]
    return ", ".join(some) or "none has a bit"


def name_of(bit: int) -> str:
    return STATUS_BITS[bit] if bit < len(STATUS_BITS) else f"bit {bit}"


def names_of(word: int) -> str:
    return " ".join(name_of(bit) for bit in _numbers(word & 0xFFFFFFFF))


def _some(counts: np.ndarray, bits: int) -> bool:
    """Whether points have one of the bits."""
    return any(counts[bit] for bit in _numbers(bits))


def _numbers(bits: int) -> list[int]:
    return [bit for bit in range(BITS) if bits >> bit & 1]


def _bits_of(words: Any) -> np.ndarray:
    """Points by bit, of an array of words on any machine: one look at each half of a word."""
    total = np.zeros(BITS, np.int64)
    if not words.size or not words.any():
        return total
    flat = words.reshape(-1).astype("int64")
    for shift in (0, 16):
        half = (flat >> shift) & (_HALF - 1)
        if not half.any():
            continue
        there = _host(np_like(half).bincount(half))
        values = np.flatnonzero(there)
        for bit in range(16):
            total[shift + bit] = there[values[values >> bit & 1 == 1]].sum()
    return total


def _like(block: Binding, masks: Iterator[Binding], array: Any) -> Any:
    """Which points of a block count: where the whole number in the mask is not 0."""
    values, words = array(next(masks))[0], array(block)[0]
    counts = abs(values) >= 1
    if type(values) is not type(words):  # the mask is the host's, the words the device's
        counts = np_like(words).asarray(counts) if np_like(words) is not np else _host(counts)
    return counts


def np_like(array: Any) -> Any:
    """NumPy or CuPy, whose array this is."""
    if isinstance(array, np.ndarray):
        return np
    import cupy

    return cupy


def _host(array: Any) -> np.ndarray:
    return array if isinstance(array, np.ndarray) else array.get()
