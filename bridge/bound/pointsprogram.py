"""A plan on some points of their own: the same kernels, any backend, memory of the host.

Points whose kernels read neighbours lie along x, each with the box that it reads; what runs
between two of them is computed and not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bridge.backends.base import Backend, Binding, Box
from bridge.bound.components import spread
from bridge.launchers import Launcher
from bridge.plan.declarations import Declarations
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan
from bridge.plan.stages import reach
from bridge.staged import StagedLauncher
from bridge.timers import Timer

#: Of each name: (points, places, columns) of an input, (points, columns) of an output.
Values = dict[str, np.ndarray]


def together(plan: Plan) -> str:
    """Why points of a plan cannot run by themselves; "" where they can."""
    if plan.ordered:
        return "its points follow each other (colours, a sweep)"
    if any(reads.cells for reads in plan.around.values()):
        return "its kernels read cells anywhere"
    return ""


def reads_of(plan: Plan) -> dict[str, Fringe]:
    """How far around a point the plan reads each of its inputs."""
    around, _ = reach(plan, (1, 1, 1))
    return {name: around.get(slot, Fringe()) for name, slot in plan.inputs.items()}


def places(reads: Fringe) -> np.ndarray:
    """(places, 3): those around a point that are read, x fastest, its own among them."""
    x, y, z = (range(-a, b + 1) for a, b in zip(reads.lower, reads.upper, strict=True))
    return np.array([(i, j, k) for k in z for j in y for i in x])


def centre(reads: Fringe) -> int:
    """Which of the places is the point's own."""
    (a, b, c), (u, v, _) = reads.lower, reads.upper
    return a + (a + u + 1) * (b + (b + v + 1) * c)


class PointsProgram:
    """A plan bound to memory for `capacity` points; columns: of each input, more than the plan's
    where components are points."""

    def __init__(
        self, plan: Plan, backend: Backend, catalogue: Declarations, capacity: int,
        columns: Mapping[str, int],
    ) -> None:  # fmt: skip
        self.plan = plan
        self.capacity = capacity
        self._backend = backend
        self._reads = reads_of(plan)
        total = Fringe()
        for one in self._reads.values():
            total |= one
        self._around = total
        low, high = total.lower, total.upper
        self._wide = 1 + low[0] + high[0]
        nx, ny, nz = capacity * self._wide, 1 + low[1] + high[1], 1 + low[2] + high[2]
        self._arrays: dict[str, np.ndarray] = {}
        bindings: dict[str, Binding] = {}
        components = max(
            (columns[n] for n in plan.inputs if catalogue.quantity(n).per_component), default=1
        )
        for name in dict.fromkeys((*plan.inputs, *plan.outputs)):
            slot = plan.slots[plan.inputs.get(name, plan.outputs.get(name, 0))]
            width = columns.get(name, slot.columns)
            if name not in plan.inputs and catalogue.quantity(name).per_component:
                width = components
            array = np.zeros((width, nz, ny, nx), "int32" if slot.dtype == "int32" else "float64")
            box = Box((nx, ny, nz), (1, nx, nx * ny), nx * ny * nz)
            whole = Binding(array.ctypes.data, box, width, dtype=str(array.dtype), owner=array)
            self._arrays[name] = array
            bindings[name] = whole.part(low, (nx - low[0] - high[0], 1, 1))
        runs = spread(plan, bindings, catalogue, plan.name)
        kind = StagedLauncher if plan.around else Launcher
        launcher = kind(plan.name, plan, backend, Timer(plan.name))
        launcher.bind(runs.each[0], further=runs.each[1:])
        self._points = launcher.all_points(launcher.points, Timer("wait"))

    def run(self, inputs: Mapping[str, np.ndarray]) -> Values:
        """Outputs at points, at most `capacity` of them; inputs: all of the plan's."""
        n = len(next(iter(inputs.values())))
        at = np.minimum(np.arange(self.capacity), n - 1)  # the last one once more
        for name in self.plan.outputs:
            if name not in self.plan.inputs:
                values = self._arrays[name]
                values.fill(np.nan if values.dtype.kind == "f" else np.iinfo(values.dtype).min)
        for name in self.plan.inputs:
            self._fill(name, inputs[name][at])
        self._points.begin(())
        self._points.finish()
        self._backend.synchronize()
        x, y, z = self._around.lower
        return {
            name: self._arrays[name][:, z, y, x :: self._wide][:, :n].T.copy()
            for name in self.plan.outputs
        }

    def _fill(self, name: str, values: np.ndarray) -> None:
        """values: (capacity, places, columns)."""
        array, reads, low = self._arrays[name], self._reads[name], self._around.lower
        if not self._around:
            array[:, 0, 0, :] = values[:, 0].T
            return
        # where it is not read, some value: the point's own
        apart = array.reshape(*array.shape[:3], self.capacity, self._wide)
        apart[...] = values[:, centre(reads)].T[:, None, None, :, None]
        for number, (i, j, k) in enumerate(places(reads).tolist()):
            apart[:, k + low[2], j + low[1], :, i + low[0]] = values[:, number].T


def host(array: Any) -> np.ndarray:
    """An array of NumPy, whatever machine it was on."""
    return array if isinstance(array, np.ndarray) else array.get()
