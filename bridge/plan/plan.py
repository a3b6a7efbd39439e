"""A plan: which kernels run, in which order, on which slots.

Made by `catalogue`, run by a backend.

A slot is one value of one quantity. A kernel that rewrites a quantity (the poisoned T of
prEOSCheckInput, the status word) gets a new slot, so the caller's input is never written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from bridge.errors import InconsistentError
from bridge.plan.fringe import Fringe
from bridge.plan.order import Order


@dataclass(frozen=True)
class Slot:
    """One value: quantity name, columns per point, dtype ("float64" or "int32").

    zero: read though no kernel writes it, so it starts at 0 (a status word that none starts).
    """

    name: str
    columns: int
    dtype: str
    zero: bool = False


@dataclass(frozen=True)
class Step:
    """One kernel on slots, in the order of its catalogue entry: inputs, then outputs; tables: the
    names of those that it looks values up in; inputs: how many of the slots it reads; reads: slots
    that it reads around the point, and how far.

    order: that of its points, where it has one; continues: slots that it gives a new value, with
    the slot of the old one, whose memory they go on in; positions: of points, by which
    their colour or the cells that they read are known; singles: see `Kernel`."""

    kernel: str
    slots: tuple[int, ...]
    tables: tuple[str, ...] = ()
    inputs: int = 0
    reads: dict[int, Fringe] = field(default_factory=dict, hash=False)
    order: Order | None = None
    continues: dict[int, int] = field(default_factory=dict, hash=False)
    positions: tuple[int, ...] = ()
    singles: bool = False

    @property
    def coloured(self) -> bool:
        """Whether it works on the points of one colour."""
        return self.order is not None and not self.order.sweep

    def used(self) -> Iterator[int]:
        """Every slot that it names, some more than once."""
        yield from (*self.slots, *self.continues.values(), *self.positions)

    def renumbered(self, new: Mapping[int, int]) -> Step:
        """The same on other slots; new: slot -> its number there."""
        return replace(
            self,
            slots=tuple(new[slot] for slot in self.slots),
            reads={new[slot]: fringe for slot, fringe in self.reads.items()},
            continues={new[slot]: new[old] for slot, old in self.continues.items()},
            positions=tuple(new[slot] for slot in self.positions),
        )


@dataclass(frozen=True)
class Loop:
    """Steps repeated, at most `limit` times, until the int32 slot `done` is nonzero everywhere."""

    steps: tuple[Step, ...]
    done: int
    limit: int

    def used(self) -> Iterator[int]:
        """Every slot that it names, some more than once."""
        for step in self.steps:
            yield from step.used()
        yield self.done

    def renumbered(self, new: Mapping[int, int]) -> Loop:
        """See `Step`."""
        steps = tuple(step.renumbered(new) for step in self.steps)
        return replace(self, steps=steps, done=new[self.done])


@dataclass(frozen=True)
class Traffic:
    """Bytes of a point between the caller's arrays and the kernels. fetched: what a store brings
    into the cache first; what is read as well is there already."""

    read: int
    written: int
    fetched: int

    @property
    def moved(self) -> int:
        return self.read + self.written + self.fetched


@dataclass(frozen=True)
class Plan:
    """name: what timers and messages call it; inputs, outputs: quantity name -> slot index; mask:
    slot of an input: outputs of points where it is 0 are not written."""

    name: str
    slots: tuple[Slot, ...]
    steps: tuple[Step | Loop, ...]
    inputs: dict[str, int]
    outputs: dict[str, int]
    mask: int | None = None

    def __post_init__(self) -> None:
        alike: dict[bool, str] = {}
        for step in self.every_step():
            alike.setdefault(step.singles, step.kernel)
        if len(alike) > 1:
            cause = f"{self.name} runs {alike[True]} in single precision and {alike[False]}"
            raise InconsistentError("plan", f"{cause} in double", "use two runs")

    def masked(self, name: str) -> Plan:
        """The same with an int32 quantity as its mask, which becomes an input if it is none."""
        slots, inputs = self.slots, self.inputs
        if name not in inputs:
            slots, inputs = (*slots, Slot(name, 1, "int32")), {**inputs, name: len(slots)}
        return replace(self, slots=slots, inputs=inputs, mask=inputs[name])

    def of_used_slots(self) -> Plan:
        """The same without slots that nothing uses, the others in the order of their use: parts of
        a plan that do the same are equal, and compiled once."""
        used = [slot for item in self.steps for slot in item.used()]
        used += [*self.inputs.values(), *self.outputs.values()]
        used += [] if self.mask is None else [self.mask]
        kept = list(dict.fromkeys(used))
        new = {slot: number for number, slot in enumerate(kept)}
        return Plan(
            self.name,
            tuple(self.slots[slot] for slot in kept),
            tuple(item.renumbered(new) for item in self.steps),
            {name: new[slot] for name, slot in self.inputs.items()},
            {name: new[slot] for name, slot in self.outputs.items()},
            None if self.mask is None else new[self.mask],
        )

    def every_step(self) -> Iterator[Step]:
        """The steps in the order they run, loops' bodies once."""
        for item in self.steps:
            yield from item.steps if isinstance(item, Loop) else (item,)

    def kernels(self) -> list[str]:
        """Names of the kernels in the order they run, loops' bodies once."""
        return [step.kernel for step in self.every_step()]

    @property
    def singles(self) -> bool:
        """Whether its kernels compute in single precision, as real(4) does."""
        return any(step.singles for step in self.every_step())

    @property
    def itemsize(self) -> int:
        """Bytes of a number that its kernels compute with."""
        return 4 if self.singles else 8

    @cached_property
    def around(self) -> dict[int, Fringe]:
        """Slots that kernels read around the point, and how far."""
        found: dict[int, Fringe] = {}
        for step in self.every_step():
            for slot, reads in step.reads.items():
                found[slot] = found.get(slot, Fringe()) | reads
        return found

    @property
    def ordered(self) -> bool:
        """Whether points of a step follow each other, so that it knows no chunks."""
        return any(step.order is not None for step in self.every_step())

    @property
    def keeps_points(self) -> bool:
        """Whether some points of an output may keep what they have: those where the mask is 0, or
        those of the other colour."""
        return self.mask is not None or any(step.coloured for step in self.every_step())

    @cached_property
    def block_kernels(self) -> tuple[str, ...]:
        """Those that read neighbours or have an order: they need arrays of a set."""
        return tuple(sorted({s.kernel for s in self.every_step() if s.reads or s.order}))

    @cached_property
    def at_points(self) -> set[int]:
        """Slots that kernels read or write at the point itself, as they are given to it."""
        return {
            slot
            for step in self.every_step()
            for place, slot in enumerate(step.slots)
            if place >= step.inputs or slot not in step.reads
        }

    @cached_property
    def cells_alone(self) -> frozenset[str]:
        """Inputs that are read at any cell of their arrays, and nowhere else: these arrays need
        not have the points of the run."""
        return frozenset(
            name
            for name, slot in self.inputs.items()
            if slot in self.around and self.around[slot].cells and slot not in self.at_points
        )

    def traffic(self, sizes: Mapping[str, int]) -> Traffic:
        """What arrays of the caller a point touches; sizes: bytes of an element of each array.
        Other inputs and outputs are no arrays."""
        read, out = (
            {n: sizes[n] * self.slots[slot].columns for n, slot in some.items() if n in sizes}
            for some in (self.inputs, self.outputs)
        )
        fetched = sum(size for name, size in out.items() if name not in read)
        return Traffic(sum(read.values()), sum(out.values()), fetched)

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that its kernels look values up in."""
        names: dict[str, None] = {}
        for step in self.every_step():
            names.update(dict.fromkeys(step.tables))
        return tuple(names)
