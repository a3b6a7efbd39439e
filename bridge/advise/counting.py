"""What a plan does with a point: bytes of arrays, and operations that the kernels count.

The kernels' headers are compiled with a number type that counts (kernels/cpu/counted.h) and run on
a few points, kernel after kernel as the plan has them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bridge.kernels.sharedstruct import SharedStruct
from bridge.measuring.states import States, random_states
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan.catalogue import Catalogue
from bridge.plan.counted import CountedKernels
from bridge.plan.inputs import DEFAULTS
from bridge.plan.packbuild import compiler
from bridge.plan.plan import Loop, Plan, Step, Traffic

#: Points that are counted: branches on a point's values are taken as often as these take them.
POINTS = 32


@dataclass(frozen=True)
class Work:
    """Of one point. columns: read and written; between: bytes that kernels hand each other;
    operations: how many of each; singles: in single precision."""

    traffic: Traffic
    columns: tuple[int, int]
    between: int
    operations: dict[str, float]
    singles: bool = False


def work(plan: Plan, catalogue: Catalogue, ns: int, options: Mapping[str, str]) -> Work:
    """Of a point of this plan; BridgeError where a header does not compile."""
    read, written = (
        {
            name: plan.slots[slot]
            for name, slot in some.items()
            if name not in catalogue.constants and name not in catalogue.positions
        }
        for some in (plan.inputs, plan.outputs)
    )
    sizes = {
        name: 4 if slot.dtype == "int32" else plan.itemsize
        for name, slot in (read | written).items()
    }
    inner = set(range(len(plan.slots))) - {*plan.inputs.values(), *plan.outputs.values()}
    return Work(
        plan.traffic(sizes),
        (sum(s.columns for s in read.values()), sum(s.columns for s in written.values())),
        2 * plan.itemsize * sum(plan.slots[slot].columns for slot in inner),
        _count(plan, catalogue, random_states(ns, POINTS), options),
        plan.singles,
    )


def _count(
    plan: Plan, catalogue: Catalogue, states: States, options: Mapping[str, str]
) -> dict[str, float]:
    """Operations of an average point."""
    shared = SharedStruct(SharedData(states.species, Options.parse(dict(options))).fields())
    with tempfile.TemporaryDirectory(prefix="bridge-advise-") as folder:
        counted = CountedKernels(plan.kernels(), catalogue, Path(folder), compiler())
        names, counts = counted.operations(), counted.lib.bridge_counts()
        random = np.random.default_rng(1)
        for point in range(states.n):
            slots = [
                np.zeros(s.columns, np.int64 if s.dtype == "int32" else np.float64)
                for s in plan.slots
            ]
            for name, slot in plan.inputs.items():
                if plan.slots[slot].dtype != "int32":
                    slots[slot][:] = _value(name, catalogue, states, point, random)
            _run(plan.steps, slots, counted, shared.address)
        return {name: counts[k] / states.n for k, name in enumerate(names) if counts[k]}


def _value(
    name: str, catalogue: Catalogue, states: States, point: int, random: np.random.Generator
) -> Any:
    """Something that an input may be."""
    state = {"T": states.T, "P": states.P, "Y": states.Y, "Y_leading": states.Y[:, :-1]}
    if name in state:
        return state[name][point]
    constant = catalogue.constants.get(name)
    if constant is not None and constant.value is not None:
        return constant.value
    return DEFAULTS.get(name, random.uniform(0.5, 1.5))


def _run(
    steps: Sequence[Step | Loop], slots: list[np.ndarray], counted: CountedKernels, shared: int
) -> None:
    for item in steps:
        if isinstance(item, Loop):
            for _ in range(item.limit):
                _run(item.steps, slots, counted, shared)
                if slots[item.done].all():
                    break
        else:
            counted.call(item.kernel, shared, [slots[slot] for slot in item.slots])
