"""Stages: a plan whose kernels read neighbours, cut into plans that each run on one box.

Between a plan and TVImpl. What a kernel reads around a point has to lie in memory, on more points
than the interior, before the kernel runs: so its makers belong to an earlier stage, whose box is
grown by what its readers need.

A kernel with an order (colours, a sweep) is a stage of its own, on the interior alone. What it
gives a new value stays in the memory of the old one, copied there before if need be, with the
points around that it or a later stage reads.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from bridge.errors import BridgeError
from bridge.plan.fringe import Fringe, Widths
from bridge.plan.order import Order
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
    """A step, or a loop as a whole.

    order: of a step that is a stage of its own; continues: its slots that go on in the memory of
    others; carried: what readers of these need around the interior, which it does not write.
    """

    def __init__(self, item: Step | Loop, extent: Widths) -> None:
        order = None if isinstance(item, Loop) else item.order
        if isinstance(item, Step) and order is not None:
            reads = {slot: order.trimmed(far, extent) for slot, far in item.reads.items()}
            item = replace(item, reads=reads)
        self.item = item
        self.order: Order | None = order
        self.continues = {} if isinstance(item, Loop) else item.continues
        self.carried: dict[int, Fringe] = {}
        steps = item.steps if isinstance(item, Loop) else (item,)
        self.made = {slot for step in steps for slot in step.slots[step.inputs :]}
        self.read: dict[int, Fringe] = {}
        for step in steps:
            for slot in step.slots[: step.inputs]:
                self.read[slot] = self.read.get(slot, Fringe()) | step.reads.get(slot, Fringe())
        if isinstance(item, Loop):
            self.read.setdefault(item.done, Fringe())
        else:
            self.read |= dict.fromkeys(item.positions, Fringe())
        self.grown = Fringe()
        self.level = 0


def split(plan: Plan, exact: Collection[str], extent: Widths) -> Stages:
    """The stages of a plan; exact: outputs whose arrays hold every bit, so that a later stage may
    read them back; extent: of the interior, on which it depends how far sweeps read around it."""
    units, makers = _units(plan, extent)
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
            # a step with an order has the mask itself
            (several and plan.mask is not None and makers[slot].order is None)
            or _late(name in exact, plan.inputs.get(name), makers[slot], readers[slot], readers)
            or not _in_place(slot, plan.inputs.get(name), makers, readers)
        )
    }
    return _Cut(plan, units, makers, readers, stored_late).stages()


def reach(plan: Plan, extent: Widths) -> tuple[dict[int, Fringe], bool]:
    """How far around an interior of so many points a plan reads its inputs, by slot, and whether
    it has several stages."""
    if not (plan.around or plan.ordered):
        return {}, False
    units, makers = _units(plan, extent)
    found: dict[int, Fringe] = {}
    for unit in units:
        for slot, reads in unit.read.items():
            if slot in plan.inputs.values():
                found[slot] = found.get(slot, Fringe()) | (unit.grown + reads)
        for slot, old in unit.continues.items():
            if old not in makers:
                found[old] = found.get(old, Fringe()) | unit.carried.get(slot, Fringe())
    return found, len({(unit.level, unit.grown) for unit in units}) > 1


def _units(plan: Plan, extent: Widths) -> tuple[list[_Unit], dict[int, _Unit]]:
    """The steps with their boxes and levels, and which of them makes a slot."""
    units = [_Unit(item, extent) for item in plan.steps]
    makers: dict[int, _Unit] = {}
    for unit in units:
        for slot in unit.made:
            makers.setdefault(slot, unit)
    _grow(plan, units, makers)
    _level(plan, units, makers)
    return units, makers


def _grow(plan: Plan, units: list[_Unit], makers: dict[int, _Unit]) -> None:
    """A maker's box has the points around it that its readers read."""
    for unit in reversed(units):
        needs = {slot: unit.grown + reads for slot, reads in unit.read.items()}
        for slot, old in unit.continues.items():
            carried = unit.carried.get(slot, Fringe())
            needs[old] = needs.get(old, Fringe()) | carried
        for slot, around in needs.items():
            maker = makers.get(slot)
            if maker is None or maker is unit:
                continue
            if maker.order is None:
                maker.grown |= around
            else:
                _carry(plan, maker, slot, around)


def _carry(plan: Plan, maker: _Unit, slot: int, around: Fringe) -> None:
    """What a step with an order gives a new value has around the interior what was there."""
    if around and slot not in maker.continues:
        assert isinstance(maker.item, Step)
        raise BridgeError(
            f"{plan.name}: {plan.slots[slot].name} is read at neighbours ({around}), and "
            f"{maker.item.kernel}, which makes it with {maker.order}, computes only the interior: "
            f"make it an input of {maker.item.kernel} too"
        )
    maker.carried[slot] = maker.carried.get(slot, Fringe()) | around


def _level(plan: Plan, units: list[_Unit], makers: dict[int, _Unit]) -> None:
    """Number of the stage: later than that of a maker where neighbours are read, or where the
    maker has another box; what replaces an input of the caller comes after those who read the old
    value at neighbours; and a step with an order comes after all before it, and before all after
    it."""
    replaced = {slot: plan.inputs[n] for n, slot in plan.outputs.items() if n in plan.inputs}
    least = 0
    for number, unit in enumerate(units):
        unit.level = least
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
        if unit.order is not None:
            unit.level = max((other.level + 1 for other in units[:number]), default=0)
            least = unit.level + 1


def _refuse_searches(plan: Plan, units: list[_Unit], makers: dict[int, _Unit]) -> None:
    """What a search repeats has to start in the same stage."""
    for unit in units:
        if isinstance(unit.item, Loop):
            for slot in unit.made:
                start = makers[slot]
                if (start.level, start.grown) != (unit.level, unit.grown):
                    names = ", ".join(step.kernel for step in unit.item.steps)
                    raise BridgeError(
                        f"{plan.name}: the search of {names} starts from values of neighbours: "
                        "run it as a separate composite"
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


def _in_place(
    slot: int, old: int | None, makers: dict[int, _Unit], readers: dict[int, list[_Unit]]
) -> bool:
    """Whether steps with an order may go on in the output's array from the first to the last:
    they find its old value there, and nobody reads one of the values between after them."""
    while slot in makers and slot in makers[slot].continues:
        unit = makers[slot]
        slot = unit.continues[slot]
        if any(reader.level > unit.level for reader in readers[slot]):
            return False
        if slot not in makers:
            return slot == old
        if makers[slot].order is None:
            return False
    return True


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
        self._temporaries: dict[str, Temporary] = {}
        #: Where a slot lies between stages: a temporary, or an output that is stored where it is
        #: made.
        self._home = {s: n for n, s in plan.outputs.items() if n not in late and s in makers}
        self._stored = {*self._home.values()}

    def stages(self) -> Stages:
        groups: dict[tuple[int, Fringe], list[_Unit]] = {}
        for unit in sorted(
            self._units, key=lambda u: (u.level, sum(u.grown.lower + u.grown.upper))
        ):
            groups.setdefault((unit.level, unit.grown), []).append(unit)
        for unit in reversed(self._units):
            self._place(unit)
        stages = []
        for (_, grown), units in groups.items():
            stages += self._copies(units[0])
            stages.append(self._stage(units, grown))
        stores = self._stores()
        if stores is not None:
            stages.append(stores)
        own = (replace(stage, plan=stage.plan.of_used_slots()) for stage in stages)
        return Stages(tuple(own), self._temporaries)

    def _place(self, unit: _Unit) -> None:
        """Memory of what a step makes; what it goes on in lies there too, if nobody minds."""
        for slot in unit.made:
            if self._makers[slot] is not unit:
                continue
            apart = unit.order is not None or any(
                (r.level, r.grown) != (unit.level, unit.grown) for r in self._readers[slot]
            )
            if slot not in self._home and (apart or slot in self._late.values()):
                self._home[slot] = f"between{slot}_{self._plan.slots[slot].name}"
            self._widen(slot, unit.grown)
        for slot, old in unit.continues.items():
            maker = self._makers.get(old)
            later = any(reader.level > unit.level for reader in self._readers[old])
            if maker is None or later or old in {*self._home, *self._late.values()}:
                pass
            elif self._home[slot] not in self._stored or maker.order is not None:
                self._home[old] = self._home[slot]
            self._widen(slot, self._around(unit, slot))

    def _around(self, unit: _Unit, slot: int) -> Fringe:
        """Layers around the interior that a step with an order finds in memory."""
        own = unit.read.get(unit.continues[slot], Fringe())
        return own | unit.carried.get(slot, Fringe())

    def _widen(self, slot: int, fringe: Fringe) -> None:
        """A temporary has the layers that each of its slots needs."""
        name, kind = self._home.get(slot), self._plan.slots[slot]
        if name is not None and name not in self._stored:
            known = self._temporaries.get(name)
            widest = fringe | (Fringe() if known is None else known.fringe)
            self._temporaries[name] = Temporary(slot, kind.columns, kind.dtype, widest)

    def _copies(self, unit: _Unit) -> list[Stage]:
        """What a step with an order goes on in and does not find there, interior and around."""
        found = []
        for slot, old in unit.continues.items():
            source = {name: old for name, given in self._plan.inputs.items() if given == old}
            if old in self._home:
                source = {self._home[old]: old}
            if self._home[slot] not in source:
                target = {self._home[slot]: old}
                own = replace(self._plan, steps=(), inputs=source, outputs=target, mask=None)
                found.append(Stage(own, self._around(unit, slot)))
        return found

    def _stage(self, units: list[_Unit], grown: Fringe) -> Stage:
        plan = self._plan
        made = {slot for unit in units for slot in unit.made}
        read = {slot for unit in units for slot in unit.read} - made
        continued = {o: self._home[s] for unit in units for s, o in unit.continues.items()}
        inputs = {n: s for n, s in plan.inputs.items() if s in read and s not in continued}
        for slot in read - {*inputs.values()}:
            if slot in continued or slot in self._home:
                inputs[continued.get(slot) or self._home[slot]] = slot
        outputs = {self._home[slot]: slot for slot in made if slot in self._home}
        own = replace(
            plan,
            steps=tuple(unit.item for unit in units),
            inputs=inputs,
            outputs=outputs,
            mask=None,
        )
        ordered = any(unit.order is not None for unit in units)
        return Stage(self._masked(own, ordered or not self._stored.isdisjoint(outputs)), grown)

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
        outputs = {**self._late, **given}
        if not outputs:
            return None
        inputs = {self._home[slot]: slot for slot in self._late.values()}
        inputs |= {n: s for n, s in self._plan.inputs.items() if s in given.values()}
        own = replace(self._plan, steps=(), inputs=inputs, outputs=outputs, mask=None)
        return Stage(self._masked(own, True), Fringe())
