"""Constants that are reductions over sets and ranks: the value stays where later runs read it.

Beside `rankreductions`, whose results have the same bits. Ranks tell each other in each reduction
whether one cannot go on, or has other points than before; then they agree, here.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bridge.backends.base import (
    Condition,
    ConstantReduction,
    NativeCall,
    ReducedConstant,
    ReducedValues,
    address_of,
)
from bridge.bound.boundsets import BoundSets
from bridge.bound.operations import OPERATIONS, Operation, checked_operation
from bridge.bound.rankreductions import rounds
from bridge.bound.reductions import Asked, PreparedReduction, Repeatable
from bridge.errors import ArgumentError, BridgeError, StateError
from bridge.memory.constants import ConstantView
from bridge.mpi import Allreduce, Ranks
from bridge.prepared import GENERATION, UNCHANGED, Repeated
from bridge.tvimpl import TVImpl

CALL = "frame_allreduce_constant"


class Key(NamedTuple):
    """What is asked for, the same on all ranks."""

    quantity: str
    operation: str
    constant: str

    @property
    def check(self) -> int:
        return zlib.crc32("\n".join(self).encode())


@dataclass
class Agreed:
    """What the ranks know of each other. mine: points and columns that this rank has told; points:
    of all; columns: the most."""

    mine: tuple[int, int]
    points: int
    columns: int


class PreparedConstant(Repeated):
    """A reduction that was done, good until arrays of a set change. reductions: of each set;
    values: of those that have points; does: all of it, once the quantities are made."""

    def __init__(
        self, reductions: Sequence[PreparedReduction], values: Sequence[ReducedValues],
        does: ConstantReduction, points: int, columns: int, key: tuple[str, Key],
    ) -> None:  # fmt: skip
        super().__init__()
        self.reductions, self.values, self.does = reductions, values, does
        self.points, self.columns = points, columns
        of = {id(one.of): one.of for one in reductions}
        self.of = [*of.values()]
        self._made_for = [array("q", (one.generation,)) for one in self.of]
        for one in self.of:
            one.of(PreparedConstant)[key] = self

    def valid(self) -> bool:
        """Whether nothing has changed since."""
        pairs = zip(self.of, self._made_for, strict=True)
        return all(one.generation == was[0] for one, was in pairs)

    def conditions(self) -> tuple[Condition, ...]:
        """Of a reduction that Python need not see: nothing has changed, and the host has not said
        of arrays that the next run finds them unchanged."""
        size, found = array("q").itemsize, []
        for one, was in zip(self.of, self._made_for, strict=True):
            begin, none = address_of(one.state), array("q", (0,))
            found.append(Condition(begin + GENERATION * size, address_of(was), (one, was)))
            found.append(Condition(begin + UNCHANGED * size, address_of(none), (one, none)))
        return tuple(found)


class RepeatableConstant(NamedTuple):
    """A reduction for callers that are no Python. made: what makes quantities; call: does the
    rest."""

    prepared: PreparedConstant
    made: list[Repeatable]
    call: NativeCall


class ReducedConstants:
    """Of all sets of a Frame; ranks: of the Frame."""

    def __init__(self, impl: TVImpl, bound: BoundSets, ranks: Ranks) -> None:
        self._impl, self._bound, self._ranks = impl, bound, ranks
        self._kept: dict[tuple[str, Key], PreparedConstant] = {}
        self._agreed: dict[Key, Agreed] = {}

    def reduce(self, sets: str, quantity: str, operation: str, constant: str, thread: int) -> None:
        """Reduce the quantity over all points of these sets and of all ranks; the result is the
        constant's value in later runs; collective. thread: that gives it."""
        communicator = self._ranks.communicator
        if communicator is None and self._ranks.size > 1:
            raise StateError(
                f"{CALL} is over the ranks of a communicator, and the Frame of this program of "
                f"{self._ranks.size} ranks has none: give one to frame_initialize"
            )
        key = Key(quantity, operation, constant)
        prepared: PreparedConstant | None = None
        error: BaseException | None = None
        before = self._kept.get((sets, key))
        told = communicator is not None and before is not None and before.does.disagreed
        if before is not None:
            before.does.disagreed = False
        try:
            prepared = self._prepare(sets, key)
        except BaseException as raised:
            if communicator is None:
                raise
            error = raised
        with self._impl.timers["reduce"]:
            while told or not self._go(prepared, key, error):
                told = False
                if error is None and prepared is not None:
                    error = prepared.does.failure()
                mine = None if prepared is None else (prepared.points, prepared.columns)
                self._agree(key, error, mine)
        self._view(constant).mark(thread)
        if self._impl.watch is not None:  # what looks at runs sees the host's memory
            self._impl.constants.place_of(constant).settle()

    def _go(
        self, prepared: PreparedConstant | None, key: Key, error: BaseException | None
    ) -> bool:
        """False where the ranks have to agree first."""
        if self._ranks.communicator is None:
            assert prepared is not None
            prepared.does.agree(prepared.points, prepared.columns)
            return prepared.does.go(False)
        agreed = self._agreed.get(key)
        does = self._nothing(key) if prepared is None else prepared.does
        if prepared is None or error is not None or agreed is None:
            return does.go(True)
        does.agree(agreed.points, agreed.columns)
        return does.go(agreed.mine != (prepared.points, prepared.columns))

    def _agree(self, key: Key, error: BaseException | None, mine: tuple[int, int] | None) -> None:
        """Raise on every rank where one cannot go on."""
        communicator = self._ranks.communicator
        if communicator is None:
            raise error or BridgeError(f"{CALL} of '{key.constant}' failed, and does not say why")
        found = communicator.agreed(error, (key, mine))
        for rank, (other, _) in enumerate(found):
            if other != found[0][0]:
                got = f"'{' '.join(other)}' on rank {rank}"
                wanted = f"'{' '.join(found[0][0])}', as on rank 0"
                raise ArgumentError("quantity, operation, constant", got, wanted)
        points, columns = zip(*(each for _, each in found), strict=True)
        assert mine is not None, "a rank without it has an error"
        self._agreed[key] = Agreed(mine, sum(points), max(columns))

    def _ranks_in_c(self) -> Allreduce | None:
        communicator = self._ranks.communicator
        return None if communicator is None else communicator.reductions()

    def _nothing(self, key: Key) -> ConstantReduction:
        """What tells the others that this rank has nothing."""
        asked = ReducedConstant(
            "max", OPERATIONS["max"].measure, False, 0.0, False, 1, 0, key.check
        )
        return self._impl.backend.constant_reduction([], asked, self._ranks_in_c())

    def _view(self, constant: str) -> ConstantView:
        """ArgumentError for a name that is none, and for what has not one real number."""
        declared = self._impl.catalogue.constant(constant)
        if declared.type != "float64" or declared.columns != "1":
            got = f"'{constant}', {declared.columns} of {declared.type}"
            raise ArgumentError("constant", got, "a constant of one real number")
        view = self._impl.constants.get(constant)
        assert view is not None
        return view

    def _prepare(self, sets: str, key: Key) -> PreparedConstant:
        """Make the quantities; the reduction, anew where something has changed."""
        operation = _operation(key.operation)
        view = self._view(key.constant)
        self._bound.refuse_while_used(f"{CALL} of '{key.constant}'", key.constant)
        names = sets.split()
        if not names:
            raise ArgumentError("sets", repr(sets), "names of sets, separated by blanks")
        if len({*names}) < len(names):
            raise ArgumentError("sets", sets, "each set once")
        asked, whole = Asked(key.quantity, key.operation), rounds(operation)
        reductions, values, points, columns = [], [], 0, 1
        for name in names:
            reduction, found = self._bound.reduced_values(CALL, name, asked, whole)
            reductions.append(reduction)
            [source] = reduction.sources
            columns = max(columns, len(source.components))
            if found is not None:
                points += found.binding.box.points
                values.append(found)
        kept = self._kept.get((sets, key))
        if kept is not None and kept.valid() and _same(kept.values, values):
            return kept
        if kept is not None:
            kept.forget()
        one = ReducedConstant(
            operation.base, operation.measure, operation.root, operation.empty, whole, columns,
            view.address, key.check,
        )  # fmt: skip
        self._impl.constants.place_of(key.constant)
        does = self._impl.backend.constant_reduction(values, one, self._ranks_in_c())
        made = PreparedConstant(reductions, values, does, points, columns, (sets, key))
        self._kept[sets, key] = made
        return made

    def value(self, constant: str) -> float:
        """The latest value of a constant; it waits for the reduction that makes it."""
        declared = self._impl.catalogue.constant(constant)
        view = self._impl.constants.get(constant)
        assert view is not None
        self._impl.constants.need("frame_constant_value", [constant])
        if declared.columns != "1":
            got = f"'{constant}', {declared.columns} of {declared.type}"
            raise ArgumentError("constant", got, "a constant of one number")
        if declared.type != "float64":
            return float(view.values[0])
        return self._impl.constants.place_of(constant).get()

    # ---- for callers that are no Python ---------------------------------------------------------

    def repeatable(
        self, sets: str, quantity: str, operation: str, constant: str
    ) -> RepeatableConstant | None:
        """What was done of these; None where Python sees each."""
        key = Key(quantity, operation, constant)
        prepared = self._kept.get((sets, key))
        if prepared is None or not prepared.valid() or self._impl.watch is not None:
            return None
        made = []
        for one in prepared.reductions:
            source = one.sources[0]
            if source.touched is not None and not source.touched.quiet:
                return None
            found = one.making(self._impl, [Asked(quantity, operation)])
            if found is None:
                return None
            made.append(found)
        call = prepared.does.native()
        if call is None:
            return None
        conditions = (*call.conditions, *prepared.conditions())
        return RepeatableConstant(prepared, made, call._replace(conditions=conditions))

    def place(self, constant: str) -> NativeCall | None:
        """What gives the value of a constant; None where Python does."""
        view = self._impl.constants.get(constant)
        return None if view is None or view.place is None else view.place.native()


def _same(some: Sequence[ReducedValues], others: Sequence[ReducedValues]) -> bool:
    """Whether they lie in the same memory."""
    if len(some) != len(others):
        return False
    return all(
        one.binding is two.binding and one.mask is two.mask and one.program is two.program
        for one, two in zip(some, others, strict=True)
    )


def _operation(name: str) -> Operation:
    """ArgumentError for one that has more than one number."""
    which = checked_operation(name)
    if which.bits or name in ("minloc", "maxloc"):
        known = ", ".join(one for one in OPERATIONS if one not in ("minloc", "maxloc", "bits"))
        wanted = f"an operation that gives one number and no place: {known}"
        raise ArgumentError("operation", repr(name), wanted)
    return which
