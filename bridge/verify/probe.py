"""Probe: what every kernel of a composite makes at one point, beside the arrays of a set.

A run keeps no intermediate. The point's inputs are taken out of the arrays, and the composite runs
on this one point with every slot of its plan as an output: the same kernels on the same machine.
Where a quantity has several values one after another (a temperature that a check replaces), each
of them needs a run of its own, as an output has one name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bridge.bound import samplepoints as samples
from bridge.bound.pointsets import PointSet
from bridge.bound.pointsprogram import PointsProgram, Values, centre, reads_of, together
from bridge.bound.samplepoints import Sample
from bridge.bound.setarrays import BoundArray
from bridge.errors import ArgumentError
from bridge.memory.hostarrays import integer
from bridge.plan.plan import Loop, Plan
from bridge.tvproperties import TVProperties

#: Numbers of a quantity in a line of text.
A_LINE = 4


@dataclass(frozen=True)
class Probe:
    """what: ran; at: of the point; inputs: name -> (columns,); kernels: in the order in which they
    ran, name and what it made: name -> (columns,), of a search what its last turn made."""

    what: str
    at: str
    inputs: dict[str, np.ndarray]
    kernels: list[tuple[str, dict[str, np.ndarray]]]

    def __getitem__(self, name: str) -> np.ndarray:
        """The latest value of a quantity."""
        latest: dict[str, np.ndarray] = dict(self.inputs)
        for _, made in self.kernels:
            latest |= made
        found: np.ndarray = latest[name]
        return found

    def text(self) -> str:
        """A line for each quantity, or several."""
        lines = [f"{self.what} at {self.at}", *_lines("", self.inputs)]
        for kernel, made in self.kernels:
            lines += _lines(kernel, made)
        return "\n".join(lines)


def probe(
    tv: TVProperties, set: str, composite: str, at: tuple[int, int, int], block: int
) -> Probe:
    """See `Frame.probe`."""
    impl = tv.impl
    point_set, matched = tv.matched(set, composite, "frame_probe")
    plan = replace(matched.plan, mask=None)
    if why := together(plan):
        wanted = "a composite or kernel of single points"
        raise ArgumentError("composite", f"{plan.name}: {why}", wanted)
    sample = _sample(point_set, at, block)
    bindings = impl.residency.all_located(matched.bindings)
    backend, reads = impl.backend, reads_of(plan)
    impl.need_given(plan, point_set.not_bound(plan))
    with backend.working():
        inputs = samples.inputs(plan, bindings, reads, sample, backend)
    columns = {name: values.shape[2] for name, values in inputs.items()}
    made: dict[int, np.ndarray] = {}
    for outputs in _versions(plan):
        every = replace(plan, outputs=outputs)
        found: Values = PointsProgram(every, backend, impl.catalogue, 1, columns).run(inputs)
        made |= {slot: found[name][0] for name, slot in outputs.items()}
    kernels = [
        (
            step.kernel,
            {plan.slots[slot].name: made[slot] for slot in step.slots[step.inputs :]},
        )
        for step in plan.every_step()
    ]
    own = {name: values[0, centre(reads[name])] for name, values in inputs.items()}
    where = f"({', '.join(map(str, at))}) of set '{set}'"
    if block:
        where += f", block {block}"
    return Probe(plan.name, where, own, kernels)


def _versions(plan: Plan) -> list[dict[str, int]]:
    """Outputs, name -> slot, that together have every slot that a kernel writes: first values of
    all quantities, second ones and so on."""
    found: list[dict[str, int]] = []
    seen: dict[str, list[int]] = {}
    for item in plan.steps:
        steps = item.steps if isinstance(item, Loop) else (item,)
        for step in steps:
            for slot in step.slots[step.inputs :]:
                versions = seen.setdefault(plan.slots[slot].name, [])
                if slot not in versions:
                    versions.append(slot)
    for name, slots in seen.items():
        for number, slot in enumerate(slots):
            if number == len(found):
                found.append({})
            found[number][name] = slot
    return found


def _sample(point_set: PointSet, at: tuple[int, int, int], block: int) -> Sample:
    """The point; ArgumentError where it is none of the set."""
    array: BoundArray = next(iter(point_set.arrays.values()))
    binding, number = array.binding, integer("block", block)
    if binding.blocks is None:
        if number:
            raise ArgumentError("block", block, f"0: set '{point_set.name}' has one block")
        extent = binding.box.extent
    else:
        if not 1 <= number <= binding.blocks.count:
            raise ArgumentError("block", block, f"1 to {binding.blocks.count}")
        extent = binding.block(number - 1).box.extent
    start = np.asarray(array.start).reshape(-1, 3)[max(number - 1, 0)].tolist()
    inside = []
    for name, position, first, n in zip("ijk", at, start, extent, strict=True):
        if not first <= integer(name, position) < first + n:
            wanted = f"{first} to {first + n - 1}, the interior of set '{point_set.name}'"
            raise ArgumentError(name, position, wanted)
        inside.append(position - first)
    return Sample(np.array([max(number - 1, 0)]), np.array([inside]), 1)


def _lines(kernel: str, values: Mapping[str, np.ndarray]) -> list[str]:
    lines = []
    for name, numbers in values.items():
        texts = [f"{one:.17g}" if isinstance(one, float) else str(one) for one in numbers.tolist()]
        for at in range(0, len(texts), A_LINE):
            head = (kernel, name) if at == 0 else ("", "")
            lines.append(f"  {head[0]:<32} {head[1]:<16} {' '.join(texts[at : at + A_LINE])}")
        kernel = ""
    return lines
