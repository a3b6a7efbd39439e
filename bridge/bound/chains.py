"""Sets whose runs follow each other, compared together: later ones read what earlier ones made.

Beside Comparisons. Arrays that any of the sets writes are copied whole, with all that runs read
around their points; the runs go over the copies in the order of the sets, as they would go over
the caller's arrays.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from bridge.backends.base import Binding
from bridge.bound.components import runner_of
from bridge.bound.matching import Matched
from bridge.bound.outputs import check_memory
from bridge.bound.overlap import share_elements, span_of
from bridge.bound.pointsets import PointSet
from bridge.bound.temporaries import Temporary, temporary
from bridge.errors import ArgumentError
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import MASK
from bridge.plan.stages import reach
from bridge.prepared import PreparedRun
from bridge.resident.copies import WholeArray
from bridge.tvimpl import TVImpl

#: Copies lie as their originals do within so many bytes, which decides what a vector may load.
ALIGNMENT = 64

Member = tuple[PointSet, Matched]


def follow(members: Sequence[Member]) -> bool:
    """Whether one of the sets reads or writes what another one writes."""
    for (_, one), (_, other) in combinations(members, 2):
        for a, b in ((one, other), (other, one)):
            for written in a.outputs.values():
                if any(share_elements(written, met) for met in b.bindings.values()):
                    return True
    return False


@dataclass
class _Region:
    """Bytes of the caller's from `first` to `end`; copy: address of theirs."""

    first: int
    end: int
    memory: np.ndarray
    copy: int

    @classmethod
    def of(cls, first: int, end: int) -> _Region:
        memory = np.empty(end - first + ALIGNMENT, np.uint8)
        address = memory.ctypes.data
        return cls(first, end, memory, address + (first - address) % ALIGNMENT)

    def refresh(self) -> None:
        ctypes.memmove(self.copy, self.first, self.end - self.first)


class Chain:
    """members: sets that have points, in the order of their runs, with what these find. The sets'
    `work` arrays are written as by a run."""

    def __init__(self, members: Sequence[Member], impl: TVImpl) -> None:
        self._members, self._impl = members, impl
        arrays = [(ps, a) for ps, _ in members for a in ps.arrays.values()]
        self._regions = [
            _Region.of(first, end)
            for first, end in _grown(
                (a.whole for ps, a in arrays if a.written and a.name not in ps.work),
                [a.whole for _, a in arrays],
            )
        ]
        self._inputs: list[Temporary] = []
        self._runs: list[PreparedRun] = []
        #: Of each set what stands for its outputs, and its mask.
        self.outputs: list[dict[str, Binding]] = []
        self.masks: list[Temporary | None] = []
        for point_set, matched in members:
            self._add(point_set, matched)

    def _add(self, point_set: PointSet, matched: Matched) -> None:
        plan = matched.plan
        check_memory(point_set, plan, matched.inputs, matched.outputs)
        around, _ = reach(plan, point_set.extent())
        group = f"comparison of {plan.name} on set '{point_set.name}'"  # no latest run of the set
        used: dict[str, Binding] = {}
        mask = None
        for name, binding in matched.bindings.items():
            copied = binding
            if not binding.position:
                copied = self._copied(point_set, name, binding)
            slot = plan.inputs.get(name)
            if copied is binding and slot is not None and not binding.position:
                located = self._impl.residency.located(binding, name)
                if slot == plan.mask or located is not binding:
                    one = temporary(binding, around.get(slot, Fringe()))
                    self._inputs.append(one)
                    mask = one if name == MASK else mask
                    copied = one.binding
            used[name] = replace(copied, group=group)
        self.outputs.append({n: used[n] for n in plan.outputs if n not in point_set.skipped})
        self.masks.append(mask)
        runner = runner_of(plan, used, self._impl, point_set.name, "compare")
        run = self._impl.prepared_run([runner], plan.name, group, point_set.prepared)
        self._runs.append(run)

    def _copied(self, point_set: PointSet, name: str, binding: Binding) -> Binding:
        """The same points of the copy, where the memory has one."""
        low, high = span_of(binding)
        for region in self._regions:
            if low < region.end and region.first < high:
                if low < region.first or high > region.end:
                    got = f"'{name}' of set '{point_set.name}', a part of another array"
                    raise ArgumentError("sets", got, "whole arrays where sets follow each other")
                address = region.copy + (binding.address - region.first)
                return replace(binding, address=address, owner=region.memory, resident=False)
        return binding

    def run(self) -> None:
        """On the values that the caller has now."""
        with self._impl.timers["compare"]:
            for region in self._regions:
                region.refresh()
            for one in self._inputs:
                one.refresh()
        for run in self._runs:
            run.run()


def _grown(written: Iterable[WholeArray], known: Sequence[WholeArray]) -> list[tuple[int, int]]:
    """First and last byte of pieces of memory: the arrays that are written, and all that lie in
    the same memory."""
    spans = [(one.address, one.end) for one in written]
    while True:
        found: list[tuple[int, int]] = []
        for first, end in sorted(spans):
            if found and first < found[-1][1]:
                found[-1] = found[-1][0], max(found[-1][1], end)
            else:
                found.append((first, end))
        more = [
            (one.address, one.end)
            for one in known
            if any(a < one.end and one.address < b and not (a <= one.address and one.end <= b)
                   for a, b in found)
        ]  # fmt: skip
        if not more:
            return found
        spans = found + more
