"""PointSet: a named group of points (cells, faces, a plane, a block) and its bound arrays.

Between BoundSets, which adds what a caller binds, and TVImpl, which launches on it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from bridge.backends.base import Binding
from bridge.bound.boxes import Boxes
from bridge.bound.positions import First, Starts
from bridge.bound.setarrays import BoundArray, points_of_blocks, points_that_run
from bridge.errors import ArgumentError, InconsistentError, StateError, known_start
from bridge.memory.constants import Constants
from bridge.memory.qlayout import q_columns
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import DEFAULTS, FIRST_GUESSES, MASK, STAND_INS, begins_at_zero
from bridge.plan.plan import Plan
from bridge.prepared import UNCHANGED, Change, Prepared, PreparedRun

_NONE: frozenset[str] = frozenset()
#: Name of a composite or kernel, boxes and colour.
Run = tuple[str, Boxes, int | None]


class PointSet:
    """The bound arrays of one set, and what was prepared for them; frame: for the Frame."""

    def __init__(self, name: str, frame: Prepared) -> None:
        self.name = name
        self.prepared = Prepared(frame)
        #: By name, boxes and colour.
        self.runs: dict[Run, PreparedRun] = self.prepared.of(PreparedRun)
        self.arrays: dict[str, BoundArray] = {}
        #: Arrays of other sets that runs of this one read: set, and where its first point lies.
        self.of_others: dict[str, tuple[PointSet, First]] = {}
        #: Position of the first interior point, or of each block's; None: that of the arrays.
        self.first: Starts | None = None
        #: Outputs that comparisons do not look at; those among them that they write in place.
        self.skipped: set[str] = set()
        self.work: set[str] = set()
        #: Memory of Reductions for what kernels make, which stays.
        self.memory: Any = None
        self._unchanged: set[str] = set()
        #: Whether the run that began last meets some points alone.
        self.in_part = False
        #: Whether the latest run met all points, and ended.
        self.sound = True

    def add(self, array: BoundArray) -> None:
        """Bind, or bind anew: an array at the same address may be another array."""
        self.arrays[array.name] = array
        self.of_others.pop(array.name, None)
        self._unchanged.discard(array.name)
        self._compare(array.name)
        self.prepared.changed(Change.BIND)

    def read_from(self, name: str, other: PointSet, shift: First) -> None:
        """Runs read an array of another set; the first point of this one is `shift` points from
        the first one there."""
        self.of_others[name] = other, shift
        self.prepared.changed(Change.BIND_FROM)

    def reads_of(self, other: PointSet, name: str | None = None) -> bool:
        """Whether runs read an array of another set."""
        return any(
            theirs is other and name in (None, mine)
            for mine, (theirs, _) in self.of_others.items()
        )

    def bound(self, name: str) -> BoundArray:
        """An array of the set; ArgumentError for none."""
        if name not in self.arrays:
            raise ArgumentError(
                "name",
                repr(name),
                f"an array bound in set '{self.name}' ({', '.join(self.arrays)})",
                known_start(name, self.arrays),
            )
        return self.arrays[name]

    def remove(self, name: str) -> None:
        if name in self.of_others:
            del self.of_others[name]
            self.prepared.changed(Change.UNBIND)
            return
        self.bound(name)
        del self.arrays[name]
        self._unchanged.discard(name)
        self._compare(name)
        self.prepared.changed(Change.UNBIND)

    def clear(self) -> None:
        """No array any more."""
        self.arrays.clear()
        self.of_others.clear()
        self._unchanged.clear()
        self.work.clear()
        self.skipped.clear()
        self.prepared.changed(Change.UNBIND)

    def skip(self, name: str, in_place: bool) -> None:
        """Comparisons do not look at this output; in_place: they write it as runs do."""
        array = self.bound(name)
        if not array.written:
            got = f"'{name}' bound '{array.intent}' in set '{self.name}'"
            raise ArgumentError("name", got, "an array bound 'out' or 'inout'")
        self._compare(name)
        self.skipped.add(name)
        if in_place:
            self.work.add(name)
        self.prepared.changed(Change.SKIP)

    def _compare(self, name: str) -> None:
        self.work.discard(name)
        self.skipped.discard(name)

    def say_unchanged(self, name: str) -> None:
        """The next run meets this array, or all with "*", as the set's latest run met it."""
        kept = [bound for bound, array in self.arrays.items() if array.intent == "in"]
        if name != "*" and name not in kept:
            bound = self.arrays.get(name)
            raise ArgumentError(
                "name",
                f"'{name}' bound '{bound.intent}'" if bound else repr(name),
                f"an array bound 'in' in set '{self.name}' ({', '.join(kept) or 'none'})",
                known_start(name, kept),
            )
        if not self.prepared.state[UNCHANGED]:
            self._unchanged.clear()  # those of a run that somebody did without Python
        self._unchanged.update(kept if name == "*" else (name,))
        self.prepared.state[UNCHANGED] = 1

    def take_unchanged(self, layout: tuple[str, ...], ns: int) -> frozenset[str]:
        """Inputs of the next run that stand for arrays said to be unchanged; said for one run,
        which this call begins, even if it is refused.

        None where the run before was not `sound`: nobody knows what it met.
        """
        names, sound, state = self._unchanged, self.sound, self.prepared.state
        self.sound = False
        if not state[UNCHANGED]:
            return _NONE
        self._unchanged = set()
        state[UNCHANGED] = 0
        if not sound:
            return _NONE
        q = self.arrays.get("Q")
        if q is not None and "Q" in names:
            names |= {*(q_columns(layout, ns, q.binding.columns) or {})} - {*self.arrays}
        return frozenset(names)

    @property
    def any_binding(self) -> Binding:
        """Of one of the arrays: all have the same points."""
        return next(iter(self.arrays.values())).binding

    @property
    def of_blocks(self) -> bool:
        """Whether its points are those of many blocks."""
        return bool(self.arrays) and self.any_binding.blocks is not None

    def refuse_mixed(self, array: BoundArray) -> None:
        """ArgumentError for one array in a set of many blocks, or the other way round."""
        others = {*self.arrays} - {array.name}
        if others and self.of_blocks != (array.binding.blocks is not None):
            got, wanted = "an array of one block", "frame_bind_blocks, as for"
            if not self.of_blocks:
                got, wanted = "an array of many blocks", "frame_bind, as for"
            named = ", ".join(f"'{other}'" for other in sorted(others))
            wanted = f"{wanted} {named} of set '{self.name}'"
            raise ArgumentError("name", f"{got} for '{array.name}'", wanted)

    def refuse_blocks(self, argument: str, wanted: str) -> None:
        """ArgumentError for what has no meaning in a set of many blocks."""
        if self.of_blocks:
            got = f"one for set '{self.name}', which has many blocks"
            raise ArgumentError(argument, got, wanted)

    def extent(self) -> tuple[int, int, int]:
        """Interior points along x, y, z."""
        return self.any_binding.box.extent

    def where(self, block: int, i: int, j: int, k: int) -> str:
        """An interior point of a block, counted from 0, as the host counts it."""
        start = np.asarray(next(iter(self.arrays.values())).start)
        x, y, z = (start[block] if start.ndim == 2 else start).tolist()
        at = f"i {x + i}, j {y + j}, k {z + k}"
        return f"{at} of block {block + 1}" if self.of_blocks else at

    def points(self) -> int:
        """Interior points, which every array of the set must agree on, axis by axis; 0 where an
        array has no components, which are points of a run."""
        if not self.arrays:
            raise StateError(
                f"set '{self.name}' has no array of its own: bind one to say its points"
            )
        if self.of_blocks:
            return points_of_blocks(self.name, self.arrays)
        boxes = {name: array.binding.box for name, array in self.arrays.items()}
        first_name, first = next((name, box.extent) for name, box in boxes.items())
        some = any(box.points for box in boxes.values())
        for name, extent in ((name, box.extent) for name, box in boxes.items()):
            if some and extent != first:
                raise ArgumentError(
                    name,
                    f"an interior of {extent} points in set '{self.name}'",
                    f"{first}, as '{first_name}' has",
                )
        return points_that_run(self.name, self.arrays)

    def match(
        self,
        which: Composite | Kernel,
        layout: tuple[str, ...],
        ns: int,
        known: Collection[str] = (),
    ) -> tuple[dict[str, Binding], dict[str, Binding]]:
        """Inputs and outputs of a composite or kernel among the bound arrays; what it neither
        reads nor gives stays as it is. known: inputs that are there without an array."""
        inputs = self.matched_inputs(which, layout, ns, known)
        outputs: dict[str, Binding] = {}
        replaced = which.replaced if isinstance(which, Composite) else None
        for name, array in self.arrays.items():
            if replaced is not None and name in replaced.without and array.written:
                got = f"'{name}' bound '{array.intent}' in set '{self.name}' for {which.name}"
                wanted = f"an output that {replaced.by} of {replaced.file} gives in its place"
                raise ArgumentError("name", got, wanted)
            if name in which.outputs and array.written:
                if inputs.get(name, array.binding) is not array.binding:
                    raise ArgumentError(
                        "intent",
                        f"'{name}' bound 'out' in set '{self.name}', where 'Q' gives its value",
                        f"'inout': {which.name} reads it and gives it a new value",
                    )
                outputs[name] = array.binding
        if not outputs:
            raise StateError(
                f"{which.name} on set '{self.name}' has nowhere to put results: bind one of "
                f"{', '.join(which.outputs)} with intent "
                + ("'inout'" if which.rewrites == which.outputs else "'out'")
                + f" (bound: {', '.join(f'{n} {a.intent}' for n, a in self.arrays.items())})"
            )
        return inputs, outputs

    def matched_inputs(
        self, which: Composite | Kernel, layout: tuple[str, ...], ns: int, known: Collection[str]
    ) -> dict[str, Binding]:
        """The inputs of `match`."""
        available = self._inputs(layout, ns)
        inputs: dict[str, Binding] = {}
        for name in which.inputs:
            if name not in available:
                if name in known or (isinstance(which, Kernel) and begins_at_zero(name)):
                    continue
                if isinstance(which, Composite) and STAND_INS.get(name) in available:
                    name = STAND_INS[name]
                elif (default := self._default(name)) is not None:
                    available[name] = default
            if name not in available:
                raise StateError(
                    f"{which.name} on set '{self.name}' needs '{name}': bind it with intent "
                    f"'in' or 'inout' (bound: {', '.join((*self.arrays, *self.of_others))})"
                )
            inputs[name] = available[name]
        return inputs

    def held(self, name: str, layout: tuple[str, ...], ns: int) -> BoundArray | None:
        """What holds a quantity, whatever its intent: an array of its own or of another set, else
        columns of Q."""
        held = self._held(name)
        if held is not None:
            return held
        q = self._held("Q")
        columns = (q_columns(layout, ns, q.binding.columns) or {}) if q is not None else {}
        if q is None or name not in columns:
            return None
        return replace(q, name=name, binding=q.binding.columns_from(*columns[name]))

    def _held(self, name: str) -> BoundArray | None:
        """An array of the set or of another one, here at the positions of the set's own."""
        if name in self.arrays or name not in self.of_others:
            return self.arrays.get(name)
        other, shift = self.of_others[name]
        binding, own = self._of_other(name, other, shift), next(iter(self.arrays.values()))
        return replace(other.arrays[name], binding=binding, start=own.start)

    def given(self, layout: tuple[str, ...], ns: int) -> dict[str, Binding]:
        """All that kernels may read: arrays bound in or inout, columns of Q, defaults."""
        available = self._inputs(layout, ns)
        for name in (DEFAULTS.keys() | FIRST_GUESSES.keys()) - available.keys():
            default = self._default(name)
            if default is not None:
                available[name] = default
        return available

    def bound_as(self, name: str) -> str:
        """What the caller called the memory of an input."""
        if name in self.arrays or name in self.of_others:
            return f"'{name}'"
        return f"'{FIRST_GUESSES[name]}'" if name in FIRST_GUESSES else f"'Q' ({name})"

    def constants(self, constants: Constants) -> dict[str, Binding]:
        """A binding for each constant: the caller's array, else one value for all points."""
        bound = self._read()
        like = self.any_binding
        return {
            name: bound.get(name) or like.everywhere(constant.memory)
            for name, constant in constants.items()
        }

    def mask(self) -> Binding | None:
        """Of the set's points, in an array of its own or of another set."""
        held = MASK in self.arrays or MASK in self.of_others
        return self._read()[MASK] if held else None

    def not_bound(self, plan: Plan) -> list[str]:
        """Inputs of a plan that no array of the set gives: constants among them."""
        bound = self._read()
        return [name for name in plan.inputs if name not in bound]

    def _inputs(self, layout: tuple[str, ...], ns: int) -> dict[str, Binding]:
        """Quantities the set can provide; an array of its own goes before a column of Q."""
        available: dict[str, Binding] = {}
        read = self._read()
        q = read.pop("Q", None)
        if q is not None:
            columns = q_columns(layout, ns, q.columns) or {}
            for name, (first, count) in columns.items():
                available[name] = q.columns_from(first, count)
        return available | read

    def _read(self) -> dict[str, Binding]:
        """Arrays that runs may read, those of other sets among them."""
        read = {name: array.binding for name, array in self.arrays.items() if array.read}
        for name, (other, shift) in self.of_others.items():
            read[name] = self._of_other(name, other, shift)
        return read

    def _of_other(self, name: str, other: PointSet, shift: First) -> Binding:
        """The points of this set in an array of another one; ArgumentError where it ends before
        them."""
        if name not in other.arrays:
            raise StateError(
                f"set '{self.name}' reads '{name}' of set '{other.name}', which is not bound "
                f"(bound: {', '.join(other.arrays) or 'none'})"
            )
        binding = other.arrays[name].binding.part(shift, self.extent())
        if not self.any_binding.elements:
            return replace(binding, group=self.name)
        for side, _, there in Fringe().missing(binding.fringe):
            raise InconsistentError(
                "shift",
                f"by {shift} set '{self.name}' of {self.extent()} points lies {-there} {side} "
                f"'{name}' of set '{other.name}'",
                "choose points that the array has, its fringe among them",
            )
        return replace(binding, group=self.name)

    def _default(self, name: str) -> Binding | None:
        """An input that is not bound: the array of its first guess, else one value for all, if
        there is one."""
        guess = self.arrays.get(FIRST_GUESSES.get(name, name))
        if guess is not None and guess.read:
            return guess.binding
        if name not in DEFAULTS:
            return None
        return self.any_binding.everywhere(np.array([DEFAULTS[name]]))


class PointSets(dict[str, PointSet]):
    """The sets of a Frame by name."""

    def named(self, name: str) -> PointSet:
        """ArgumentError for a name that no set has."""
        try:
            return self[name]
        except KeyError:
            known = ", ".join(sorted(self)) or "none"
            wanted = f"a set with bound arrays ({known})"
            raise ArgumentError("set", repr(name), wanted, known_start(name, self)) from None
