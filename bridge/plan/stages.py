"""Stages: a plan whose kernels read neighbours, cut into plans that each run on one box.

Between a plan and TVImpl. What a kernel reads around a point has to lie in memory, on more points
than the interior, before the kernel runs: so its makers belong to an earlier stage, whose box is
grown by what its readers need.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from bridge.errors import BridgeError
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Loop, Plan, Step


@dataclass(frozen=True)
class Temporary:
    """A value between stages, in memory of the bridge; fringe: its layers around the interior."""

    slot: int
    columns: int
    dtype: str
    fringe: Fringe


@dataclass(frozen=True)
class Stage:
    """A plan of its own, on the interior grown by some layers. Names of its inputs and outputs are
    quantities, or those of temporaries."""

    plan: Plan
    grown: Fringe


@dataclass(frozen=True)
class Stages:
    """In the order in which they run; temporaries by the names that the stages' plans have."""

    stages: tuple[Stage, ...]
    temporaries: dict[str, Temporary]


class _Unit:
    """A step, or a loop as a whole."""

    def __init__(self, item: Step | Loop) -> None:
        self.item = item
        steps = item.steps if isinstance(item, Loop) else (item,)
        self.made = {slot for step in steps for slot in step.slots[step.inputs :]}
        self.read: dict[int, Fringe] = {}
        for step in steps:
            for slot in step.slots[: step.inputs]:
                self.read[slot] = self.read.get(slot, Fringe()) | step.reads.get(slot, Fringe())
        if isinstance(item, Loop):
            self.read.setdefault(item.done, Fringe())
        self.grown = Fringe()
        self.level = 0


def split(plan: Plan, exact: Collection[str]) -> Stages:
    """The stages of a plan; exact: outputs whose arrays hold every bit, so that a later stage may
    read them back."""
    units, makers = _units(plan)
    _refuse_searches(plan, units, makers)
    readers = {
        slot: [unit for unit in units if slot in unit.read and unit is not makers.get(slot)]
        for slot in range(len(plan.slots))
    }
    several = len({(unit.level, unit.grown) for unit in units}) > 1
    stored_late = {
        name: slot
        for name, slot in plan.outputs.items()
        if slot in makers
        and (
            (several and plan.mask is not None)
            or _late(name in exact, plan.inputs.get(name), makers[slot], readers[slot], readers)
        )
    }
    return _Cut(plan, units, makers, readers, stored_late).stages()


def reach(plan: Plan) -> tuple[dict[int, Fringe], bool]:
    """How far around the interior a plan reads its inputs, by slot, and whether it has several
    stages."""
    if not plan.around:
        return {}, False
    units, _ = _units(plan)
    found: dict[int, Fringe] = {}
    for unit in units:
        for slot, reads in unit.read.items():
            if slot in plan.inputs.values():
                found[slot] = found.get(slot, Fringe()) | (unit.grown + reads)
    return found, len({(unit.level, unit.grown) for unit in units}) > 1


def _units(plan: Plan) -> tuple[list[_Unit], dict[int, _Unit]]:
    """The steps with their boxes and levels, and which of them makes a slot."""
    units = [_Unit(item) for item in plan.steps]
    makers: dict[int, _Unit] = {}
    for unit in units:
        for slot in unit.made:
            makers.setdefault(slot, unit)
    _grow(units, makers)
    _level(plan, units, makers)
    return units, makers


def _grow(units: list[_Unit], makers: dict[int, _Unit]) -> None:
    """A maker's box has the points around it that its readers read."""
    for unit in reversed(units):
        for slot, reads in unit.read.items():
            maker = makers.get(slot)
            if maker is not None and maker is not unit:
                maker.grown |= unit.grown + reads


def _level(plan: Plan, units: list[_Unit], makers: dict[int, _Unit]) -> None:
    """Number of the stage: later than that of a maker where neighbours are read, or where the
    maker has another box; and what replaces an input of the caller comes after those who read the
    old value at neighbours."""
    replaced = {slot: plan.inputs[n] for n, slot in plan.outputs.items() if n in plan.inputs}
    for number, unit in enumerate(units):
        for slot, reads in unit.read.items():
            maker = makers.get(slot)
            if maker is not None and maker is not unit:
                later = bool(reads) or maker.grown != unit.grown
                unit.level = max(unit.level, maker.level + later)
        for old in {replaced[slot] for slot in unit.made if slot in replaced}:
            for other in units[:number]:
                if old in other.read:
                    later = bool(other.read[old]) or bool(other.grown)
                    unit.level = max(unit.level, other.level + later)


def _refuse_searches(plan: Plan, units: list[_Unit], makers: dict[int, _Unit]) -> None:
    """What a search repeats has to start in the same stage."""
    for unit in units:
        if isinstance(unit.item, Loop):
            for slot in unit.made:
                start = makers[slot]
                if (start.level, start.grown) != (unit.level, unit.grown):
                    names = ", ".join(step.kernel for step in unit.item.steps)
                    raise BridgeError(
                        f"{plan.name}: the search of {names} has neighbours' values to start "
                        "from: run it as a composite of its own"
                    )


def _late(
    exact: bool,
    old: int | None,
    maker: _Unit,
    others: list[_Unit],
    readers: dict[int, list[_Unit]],
) -> bool:
    """Whether an output cannot be stored where it is made: its box is larger than the interior, a
    later stage reads it and the array does not hold it exactly, or the array's old value is read
    later."""
    if maker.grown:
        return True
    if not exact and any(unit.level > maker.level for unit in others):
        return True
    return old is not None and any(unit.level > maker.level for unit in readers[old])


class _Cut:
    """Groups of units, by level and box, as plans."""

    def __init__(
        self,
        plan: Plan,
        units: list[_Unit],
        makers: dict[int, _Unit],
        readers: dict[int, list[_Unit]],
        late: dict[str, int],
    ) -> None:
        self._plan = plan
        self._units = units
        self._makers = makers
        self._readers = readers
        self._late = late
        self._direct = {s: n for n, s in plan.outputs.items() if n not in late and s in makers}
        self._temporaries: dict[str, Temporary] = {}

    def stages(self) -> Stages:
        groups: dict[tuple[int, Fringe], list[_Unit]] = {}
        for unit in sorted(
            self._units, key=lambda u: (u.level, sum(u.grown.lower + u.grown.upper))
        ):
            groups.setdefault((unit.level, unit.grown), []).append(unit)
        for slot, unit in self._makers.items():
            apart = any(
                (r.level, r.grown) != (unit.level, unit.grown) for r in self._readers[slot]
            )
            if slot not in self._direct and (apart or slot in self._late.values()):
                name = f"between{slot}_{self._plan.slots[slot].name}"
                self._temporaries[name] = self._temporary(slot, unit)
        stages = [self._stage(units, grown) for (_, grown), units in groups.items()]
        stores = self._stores()
        if stores is not None:
            stages.append(stores)
        return Stages(tuple(stages), self._temporaries)

    def _temporary(self, slot: int, maker: _Unit) -> Temporary:
        kind = self._plan.slots[slot]
        return Temporary(slot, kind.columns, kind.dtype, maker.grown)

    def _stage(self, units: list[_Unit], grown: Fringe) -> Stage:
        plan = self._plan
        made = {slot for unit in units for slot in unit.made}
        read = {slot for unit in units for slot in unit.read} - made
        named = {one.slot: name for name, one in self._temporaries.items()}
        inputs = {name: slot for name, slot in plan.inputs.items() if slot in read}
        for slot in read - {*inputs.values()}:
            if slot in named or slot in self._direct:
                inputs[named.get(slot) or self._direct[slot]] = slot
        outputs = {named[slot]: slot for slot in made if slot in named}
        stored = {self._direct[slot]: slot for slot in made if slot in self._direct}
        own = replace(
            plan,
            steps=tuple(unit.item for unit in units),
            inputs=inputs,
            outputs={**outputs, **stored},
            mask=None,
        )
        return Stage(self._masked(own, bool(stored)), grown)

    def _masked(self, own: Plan, stores: bool) -> Plan:
        """With the mask of the whole plan, where something of the caller's is written."""
        mask = self._plan.mask
        if mask is None or not stores:
            return own
        name = next(name for name, slot in self._plan.inputs.items() if slot == mask)
        return replace(own, inputs={**own.inputs, name: mask}, mask=mask)

    def _stores(self) -> Stage | None:
        """What is written into the caller's arrays once nobody reads their old contents."""
        given = {n: s for n, s in self._plan.outputs.items() if s not in self._makers}
        named = {one.slot: name for name, one in self._temporaries.items()}
        outputs = {**self._late, **given}
        if not outputs:
            return None
        inputs = {named[slot]: slot for slot in self._late.values()}
        inputs |= {n: s for n, s in self._plan.inputs.items() if s in given.values()}
        own = replace(self._plan, steps=(), inputs=inputs, outputs=outputs, mask=None)
        return Stage(self._masked(own, True), Fringe())
