"""BoundSets: sets of points by name, and the arrays bound to them.

Owned by TVProperties. Results of runs go straight into the caller's arrays; views have no part in
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bridge import log
from bridge.backends.base import ReducedValues
from bridge.bound.comparisons import Comparisons
from bridge.bound.matching import Matched, Matching
from bridge.bound.operations import OPERATIONS, checked_operation
from bridge.bound.pendingruns import PendingRuns
from bridge.bound.pointsets import PointSet, PointSets
from bridge.bound.positions import First, Starts
from bridge.bound.rankreductions import RankReductions, rounds
from bridge.bound.recordings import Recordings
from bridge.bound.reductions import (
    Asked,
    PreparedReduction,
    Reduced,
    Reductions,
    Values,
)
from bridge.bound.setarrays import BoundArray
from bridge.bound.setruns import SetRuns
from bridge.bound.stability import Stability
from bridge.bound.statuscounts import StatusCounts
from bridge.errors import ArgumentError, StateError, UnwrittenError, known_start
from bridge.memory.marshal import HostArray
from bridge.memory.qlayout import check_width
from bridge.mpi import Ranks
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.inputs import ALIASES
from bridge.plan.plans import Plans
from bridge.prepared import Change
from bridge.request import Request
from bridge.resident.copies import WholeArray
from bridge.tvimpl import TVImpl

if TYPE_CHECKING:
    from bridge.bound.severalruns import SeveralRuns


class Exchanging(Protocol):
    """Exchanges of boxes of sets."""

    def refuse(self, what: str, set: str | None = None) -> None:
        """StateError where one of this set, or of any, is under way."""
        ...

    def lines(self) -> list[str]:
        """For a report."""
        ...

    def close(self) -> None:
        """Those that are under way end."""
        ...


class Sequencing(Protocol):
    """Recorded sequences of calls."""

    def lines(self) -> list[str]:
        """For a report."""
        ...

    def close(self) -> None:
        """None is done any more."""
        ...


class BoundSets:
    """All sets of a Frame.

    request: what the Frame is asked for; impl: where programs are launched; plans: of the
    composites; ranks: of the Frame.

    runs: of composites and kernels on the sets.
    """

    def __init__(self, request: Request, impl: TVImpl, plans: Plans, ranks: Ranks) -> None:
        layout, rank = request.layout, ranks.rank
        self._impl = impl
        self._catalogue = impl.catalogue
        self._layout = layout
        self._matching = Matching(impl, layout, plans)
        self._sets = PointSets()
        self._pending = PendingRuns(impl.prepared)
        self._reductions = Reductions(impl, layout, plans)
        self._rank_reductions = RankReductions(ranks.communicator, ranks.size)
        self.comparisons = Comparisons(impl, self._matching, request.compare_limit, rank)
        self.recordings = Recordings(impl, self._matching, rank)
        self.status = StatusCounts(impl, layout, request.status, rank)
        self._rank = rank
        self._reversed: set[str] = set()
        #: Those of the Frame, once there are some.
        self.exchanges: Exchanging | None = None
        self.sequences: Sequencing | None = None
        self.stability = Stability(impl, plans, request.options, request.stability, rank)
        self.runs = SetRuns(
            impl, layout, self._sets, self._pending, self._matching, self.status, self.stability
        )

    @cached_property
    def several_runs(self) -> SeveralRuns:
        """Runs of several sets in one call."""
        from bridge.bound.severalruns import SeveralRuns  # here: most starts have none

        return SeveralRuns(self._impl, self._sets, self.runs, self._pending)

    def bind(self, set: str, name: str, intent: str, array: HostArray) -> None:
        """Add an array to a set, which is made if need be."""
        self._refuse_change(f"frame_bind of '{name}'", set)
        canonical = ALIASES.get(name, name)
        columns, dtype, each = self._impl.nq, "float64", False  # of Q
        if canonical != "Q":
            columns = self._bindable_columns(canonical)
            quantity = self._catalogue.quantity(canonical)
            dtype, each = quantity.dtype, quantity.per_component
            columns = array.bounds.columns if each else columns
        bound = BoundArray.checked(canonical, intent, array, columns, set, dtype)
        bound = replace(bound, per_component=each)
        if canonical == "Q":
            check_width(self._layout, self._impl.ns, self._impl.nq)
        point_set = self._sets.get(set) or PointSet(set, self._impl.prepared)
        point_set.refuse_mixed(bound)
        readers = self._readers(point_set, canonical)
        before = point_set.arrays.get(canonical)
        point_set.add(bound)
        self._sets[set] = point_set
        self._changed(point_set, canonical, readers, before)
        if bound.points:  # the address of an empty block may be anything
            self._impl.backend.adopt(bound.binding)
        self._tell_reversed(set, name, array.bounds.reversed)

    def _tell_reversed(self, set: str, name: str, positions: str) -> None:
        """Once for a set: loops of no rounds are meant so, ends that are mixed up are not."""
        if positions and set not in self._reversed:
            self._reversed.add(set)
            log.say(
                f"rank {self._rank}: '{name}' of set '{set}' has {positions}: no points, and runs "
                "do nothing there"
            )

    def bind_from(self, set: str, name: str, owner: str, shift: First) -> None:
        """Let runs of a set read an array that is bound in another one."""
        for one in (set, owner):
            self._pending.refuse(f"frame_bind_from of '{name}'", one)
        canonical, other = ALIASES.get(name, name), self._sets.named(owner)
        if owner == set:
            raise ArgumentError("from", repr(owner), "another set than the one that reads")
        if canonical not in other.arrays:
            known = ", ".join(other.arrays) or "none"
            wanted = f"an array bound in set '{owner}' ({known})"
            raise ArgumentError("name", repr(name), wanted, known_start(name, other.arrays))
        point_set = self._sets.get(set) or PointSet(set, self._impl.prepared)
        for each in (other, point_set):
            each.refuse_blocks("set", "sets of one block each")
        if canonical in point_set.arrays:
            got = f"{name!r}, which set '{set}' has bound itself"
            raise ArgumentError("name", got, "a name that the set does not bind")
        point_set.read_from(canonical, other, shift)
        self._sets[set] = point_set

    def _refuse_change(self, what: str, set: str | None = None) -> None:
        """StateError where a run or an exchange of this set, or of any, is under way."""
        self._pending.refuse(what, set)
        if self.exchanges is not None:
            self.exchanges.refuse(what, set)

    def _bindable_columns(self, name: str) -> int:
        if name not in self._catalogue.quantities:
            raise self._catalogue.unknown(name)
        return self._catalogue.columns(name, self._impl.ns)

    def _readers(self, point_set: PointSet, name: str | None = None) -> list[PointSet]:
        """Sets that read an array of this one, or any; StateError where a run of one is
        pending."""
        readers = [one for one in self._sets.values() if one.reads_of(point_set, name)]
        what = "the arrays" if name is None else f"'{name}'"
        for reader in readers:
            self._pending.refuse(f"a change of {what} of set '{point_set.name}'", reader.name)
        return readers

    def _changed(
        self, point_set: PointSet, name: str, readers: list[PointSet], before: BoundArray | None
    ) -> None:
        """An array was bound or unbound, in the place of another one or of none."""
        for reader in readers:
            reader.prepared.changed(Change.READ_SET)
        self.comparisons.forget(point_set.name, name)
        if before is not None and before.points:
            self._impl.backend.release(before.binding)

    def unbind(self, set: str, name: str) -> None:
        """Forget an array of a set, or with name "*" the whole set."""
        self._refuse_change(f"frame_unbind of '{name}'", set)
        point_set, canonical = self._sets.named(set), ALIASES.get(name, name)
        one = None if name == "*" else canonical
        readers, before = self._readers(point_set, one), dict(point_set.arrays)
        if one is None:
            point_set.clear()
        else:
            point_set.remove(one)
        for gone in before.keys() - point_set.arrays.keys():
            self._changed(point_set, gone, readers, before[gone])
        if one is not None and one not in before:  # an array of another set
            self.comparisons.forget(set, one)
        self._forget_empty(point_set)

    def _forget_empty(self, point_set: PointSet) -> None:
        """A set without arrays is none, unless others wait for what may be bound in it again."""
        if point_set.arrays or point_set.of_others:
            return
        if not any(reader.reads_of(point_set) for reader in self._sets.values()):
            del self._sets[point_set.name]
            self.status.forget(point_set.name)

    def position(self, set: str, first: Starts) -> None:
        """Say where the first interior point of a set, or of each of its blocks, lies."""
        blocks = isinstance(first, np.ndarray)
        self._pending.refuse(f"frame_position{'_blocks' if blocks else ''}", set)
        point_set = self._sets.named(set)
        if blocks != point_set.of_blocks:
            got = f"{'positions of blocks' if blocks else 'one position'} for set '{set}'"
            calls = "frame_position_blocks", "frame_position"
            wanted = f"{calls[blocks]}: its arrays are of {('many blocks', 'one block')[blocks]}"
            raise ArgumentError("set", got, wanted)
        if not np.array_equal(point_set.first if point_set.first is not None else (), first):
            point_set.first = first
            point_set.prepared.changed(Change.POSITION)

    def reduce(self, set: str, asked: Sequence[Asked]) -> list[list[Reduced]]:
        """The results of each reduction, all in one pass: one over all components of its quantity
        or of the one that is named, with `EACH` one of each."""
        values = self._values("frame_reduce", set, asked)
        return [mine.reduced(one.which) for mine, one in zip(values, asked, strict=True)]

    def prepared_reduction(self, set: str, asked: Sequence[Asked]) -> PreparedReduction | None:
        """What was done of these, if nothing has changed since."""
        return self._reductions.prepared(self._sets.named(set), asked)

    def reduce_there(
        self, set: str, quantity: str, operation: str, component: int | str | None
    ) -> Any:
        """The values where the quantity lies; of several components one of each."""
        which = checked_operation(operation)
        if which.bits:
            raise ArgumentError(
                "operation", repr(operation), "an operation with one value; bits has 32"
            )
        [values] = self._values("frame_reduce", set, [Asked(quantity, operation, component)])
        if values.together:
            raise ArgumentError("component", component, "a component's number, or 'each'")
        return values.there(which)

    def allreduce(self, set: str, asked: Sequence[Asked]) -> list[list[Reduced]]:
        """The same over the points of all ranks."""
        call = "frame_allreduce"
        known = [OPERATIONS.get(one.operation, OPERATIONS["any"]) for one in asked]

        def values() -> list[Values]:
            return self._values(call, set, asked, any(map(rounds, known)))

        return self._rank_reductions.reduce(call, known, values)

    def reduced_values(
        self, call: str, set: str, asked: Asked, whole: bool
    ) -> tuple[PreparedReduction, ReducedValues | None]:
        """The values of a quantity of a set, made if need be, and what was prepared for that; None
        of a set without points. whole: whether they are read more than once."""
        self._values(call, set, [asked], whole)
        return self._reductions.reduced_values(self._sets.named(set), asked, whole)

    def _values(
        self, call: str, set: str, asked: Sequence[Asked], whole: bool = False
    ) -> list[Values]:
        which = [one.which for one in asked]
        point_set = self._sets.named(set)
        names = dict.fromkeys(one.quantity for one in asked)
        self._pending.refuse(f"{call} of '{', '.join(names)}'", set)
        for one, operation in zip(asked, which, strict=True):
            if operation.bits:
                self._reductions.refuse_bits(point_set, one)
        return self._reductions.values(point_set, asked, whole)

    def compare_begin(self, set: str, composite: str, share: float) -> None:
        """See `Comparisons.begin`."""
        point_set, which = self._idle(set, composite, "frame_compare_begin")
        self.comparisons.begin(point_set, which, share)

    def compare_begin_sets(
        self, sets: Sequence[str], composites: Sequence[str], share: float
    ) -> None:
        """See `Comparisons.begin_sets`."""
        if not sets or len(sets) != len(composites):
            got = f"{len(composites)} for {len(sets)} sets"
            raise ArgumentError("composites", got, "one for each set, and at least one")
        if len({*sets}) < len(sets):
            raise ArgumentError("sets", " ".join(sets), "each set once")
        call = "frame_compare_begin_sets"
        runs = [self._idle(*one, call) for one in zip(sets, composites, strict=True)]
        self.comparisons.begin_sets(runs, share)

    def compare(self, set: str, composite: str) -> float:
        """See `Comparisons.compare`."""
        return self.comparisons.compare(*self._idle(set, composite, "frame_compare"))

    def compare_numbers(
        self, set: str, composite: str, name: str, original: Sequence[float],
        bridge: Sequence[float], scale: Sequence[float],
    ) -> float:  # fmt: skip
        """See `Comparisons.numbers`."""
        run = self._idle(set, composite, "frame_compare_numbers")
        return self.comparisons.numbers(run, name, original, bridge, scale)

    def compare_without(self, set: str, name: str, in_place: bool) -> None:
        """See `PointSet.skip`."""
        self._pending.refuse(f"frame_compare_without of '{name}'", set)
        canonical = ALIASES.get(name, name)
        self._sets.named(set).skip(canonical, in_place)
        self.comparisons.forget(set, canonical)

    def record(self, set: str, composite: str, file: str) -> None:
        """See `Recordings.record`."""
        point_set, which = self._idle(set, composite, "frame_record")
        self.recordings.record(point_set, which, file)

    def idle_set(self, set: str, call: str) -> PointSet:
        """A set that no run is pending on; ArgumentError for none."""
        point_set = self._sets.named(set)
        self._pending.refuse(call, set)
        return point_set

    def _idle(self, set: str, composite: str, call: str) -> tuple[PointSet, Composite | Kernel]:
        """A set that no run is pending on, and what is named to it."""
        point_set, which = self._sets.named(set), self._catalogue.runnable(composite)
        self._pending.refuse(f"{call} of {which.name}", set)
        return point_set, which

    def matched(self, set: str, composite: str, call: str) -> tuple[PointSet, Matched]:
        """What a run finds in a set that none is pending on; composite: "" for that of the set's
        latest run, StateError where there was none."""
        point_set = self.idle_set(set, call)
        if not composite:
            ran = [run.name for run in point_set.runs.values()]
            if not ran:
                raise StateError(f"{call}: nothing has run on set '{set}': name a composite")
            composite = ran[-1]
        point_set.points()
        return point_set, self._matching.of(point_set, self._catalogue.runnable(composite))

    def refuse_blocks(self, set: str, argument: str, instead: str) -> None:
        """ArgumentError for an argument that has no meaning in a set of many blocks."""
        self._sets.named(set).refuse_blocks(argument, instead)

    def unchanged(self, set: str, name: str) -> None:
        """The next run of the set meets these contents as its latest run met them."""
        self._pending.refuse(f"frame_unchanged of '{name}'", set)
        self._sets.named(set).say_unchanged(ALIASES.get(name, name))

    # ---- what the rest of TVProperties asks for ------------------------------------------

    def set_of(self, set: str) -> PointSet:
        """A set by its name; ArgumentError for none."""
        return self._sets.named(set)

    def array(self, set: str, name: str) -> BoundArray:
        """An array that is bound; ArgumentError for none."""
        return self._sets.named(set).bound(ALIASES.get(name, name))

    def idle_array(self, call: str, set: str, name: str, written: bool) -> BoundArray:
        """An array of a set that no run is pending on, or columns of Q to read; ArgumentError for
        none, for many blocks, and where it is to be written and was bound 'in'."""
        point_set, canonical = self._sets.named(set), ALIASES.get(name, name)
        self._pending.refuse(f"{call} of '{name}'", set)
        point_set.refuse_blocks("set", "a set of one block")
        point_set.points()
        held = None if written else point_set.held(canonical, self._layout, self._impl.ns)
        array = held or point_set.bound(canonical)
        if written and not array.written:
            got = f"'{name}' bound '{array.intent}' in set '{set}'"
            raise ArgumentError("target", got, "an array bound 'out' or 'inout'")
        return array

    def moved(self, whole: WholeArray, change: Change) -> None:
        """Runs that meet this memory find it elsewhere from now on."""
        for point_set in self._sets.values():
            wholes = [array.whole for array in point_set.arrays.values()]
            if any(one.address < whole.end and whole.address < one.end for one in wholes):
                for one in (point_set, *self._readers(point_set)):
                    one.prepared.changed(change)

    def refuse_while_pending(self, what: str) -> None:
        """StateError where a run or an exchange of any set is under way."""
        self._refuse_change(what)

    def refuse_while_used(self, what: str, name: str) -> None:
        """StateError where a pending run reads this constant or table."""
        self._pending.look()
        for set, run in self._pending.runs.items():
            for plan in {id(one.plan): one.plan for one in run.launchers}.values():
                if name in (*self._sets[set].not_bound(plan), *plan.tables):
                    self._pending.refuse(what, set)

    def _write_recordings(self) -> None:
        """At the end of a run, which does not fail because a file takes nothing."""
        try:
            self.recordings.write()
        except UnwrittenError as error:
            log.say(f"warning: {error}; the recording is lost")

    def close(self) -> None:
        """Wait for pending runs, forget every bound array."""
        try:
            self._pending.wait_all()
            if self.sequences is not None:
                self.sequences.close()
            if self.exchanges is not None:
                self.exchanges.close()
            self._write_recordings()
        finally:
            self._impl.prepared.changed(Change.CLOSE)
            self.status.close()
            self.stability.close()
            self.recordings.clear()
            self._sets.clear()
