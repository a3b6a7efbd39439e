"""A plan: which kernels run, in which order, on which slots.

Made by `catalogue`, run by a backend.

A slot is one value of one quantity. A kernel that rewrites a quantity (the poisoned T of
prEOSCheckInput, the status word) gets a new slot, so the caller's input is never written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


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
    """One kernel on slots, in the order of its catalogue entry: inputs, then outputs."""

    kernel: str
    slots: tuple[int, ...]


@dataclass(frozen=True)
class Loop:
    """Steps repeated, at most `limit` times, until the int32 slot `done` is nonzero everywhere."""

    steps: tuple[Step, ...]
    done: int
    limit: int


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

    def masked(self, name: str) -> Plan:
        """The same with an int32 quantity as its mask, which becomes an input if it is none."""
        slots, inputs = self.slots, self.inputs
        if name not in inputs:
            slots, inputs = (*slots, Slot(name, 1, "int32")), {**inputs, name: len(slots)}
        return replace(self, slots=slots, inputs=inputs, mask=inputs[name])

    def kernels(self) -> list[str]:
        """Names of the kernels in the order they run, loops' bodies once."""
        names: list[str] = []
        for step in self.steps:
            body = step.steps if isinstance(step, Loop) else (step,)
            names.extend(inner.kernel for inner in body)
        return names
