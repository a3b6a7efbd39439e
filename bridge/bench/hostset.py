"""The set of properties of the talk between fringe arrays in host memory, on any backend.

What `bridge bench offload` and `ranks` time: 9 thermal outputs, viscosity, conductivity and NS
mixture-averaged diffusion coefficients (fitted collision integral) from T, P and NS mass
fractions, each in a fringe array of its own, bound once and run again and again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from bridge.backends.base import Backend, Binding, Box, Program
from bridge.bench.programs import FULL, ViewProgram
from bridge.errors import BridgeError
from bridge.measuring.states import States, random_states
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Plan

#: Layers of fringe around a block, as the solver of the talk has them.
FRINGE = 3
#: States that fill a block, one after the other, again and again.
STATES = 4096
#: How far results may be from those of the CPU backend, relative to the largest of each.
AGREEMENT = 1e-9

Extent = tuple[int, int, int]


def set_plan(ns: int) -> Plan:
    """The set as one plan."""
    return Catalogue.shipped().plan(FULL, ("T", "P", "Y"), ns, name="thermalAndViscous")


def shared(states: States, omega11: str) -> SharedData:
    return SharedData(states.species, Options.parse({"omega11": omega11}))


def fringed(extent: Extent, columns: int) -> tuple[np.ndarray, Binding]:
    """A block with fringes, component last, and its interior as memory of a plan."""
    full = tuple(n + 2 * FRINGE for n in extent)
    array = np.zeros((*full, columns), order="F")
    stride = (1, full[0], full[0] * full[1])
    box = Box(extent, stride, full[0] * full[1] * full[2], FRINGE * sum(stride))
    return array, Binding(array.ctypes.data, box, columns, owner=array)


class HostSet:
    """Arrays of one block, filled and bound to a backend.

    extent: interior points along the axes; inward, outward: bytes of a run, each way.
    """

    def __init__(self, backend: Backend, ns: int, extent: Extent, omega11: str = "fitted") -> None:
        self.ns, self.extent = ns, extent
        self.points = extent[0] * extent[1] * extent[2]
        self.plan = set_plan(ns)
        self._backend, self._omega11 = backend, omega11
        states = random_states(ns, STATES, kij=False)
        backend.set_shared(shared(states, omega11))
        catalogue, inputs = Catalogue.shipped(), {"T": states.T, "P": states.P, "Y": states.Y}
        self.arrays: dict[str, np.ndarray] = {}
        self.bindings: dict[str, Binding] = {}
        for name in (*self.plan.inputs, *self.plan.outputs):
            columns = catalogue.columns(name, ns)
            array, binding = fringed(extent, columns)
            for c, values in enumerate(
                inputs[name].reshape(STATES, -1).T if name in inputs else ()
            ):
                array[..., c].reshape(-1, order="F")[:] = np.resize(values, array[..., c].size)
            self.arrays[name], self.bindings[name] = array, binding
            backend.adopt(binding)
        self.inward = 8 * self.points * sum(self.bindings[n].columns for n in self.plan.inputs)
        self.outward = 8 * self.points * sum(self.bindings[n].columns for n in self.plan.outputs)
        self._program = backend.program(self.plan, self.bindings)
        self._views: dict[int, tuple[dict[str, Any], Program]] = {}

    def run(self, chunk: int) -> None:
        """The whole block as `frame_run_` does it, chunks of at most `chunk` points."""
        run_box = getattr(self._program, "run_box", None)  # a GPU has a loop of its own
        if run_box is not None:
            run_box(self.points, chunk)
            return
        for first in range(0, self.points, chunk):
            self._program.run(first, min(chunk, self.points - first))

    def run_stripes(self, chunk: int) -> None:
        """The whole block by the calls of the talk: stripes of every array into views, a launch,
        stripes out, and so on."""
        if chunk not in self._views:
            self._views[chunk] = self._bind_views(min(chunk, self.points))
        views, program = self._views[chunk]
        backend = self._backend
        for first in range(0, self.points, chunk):
            n = min(chunk, self.points - first)
            for name in self.plan.inputs:
                backend.pack(self.bindings[name], first, n, views[name])
            program.run(0, n)
            for name in self.plan.outputs:
                backend.unpack(views[name], self.bindings[name], first, n)

    def _bind_views(self, extent: int) -> tuple[dict[str, Any], Program]:
        backend, views, bindings = self._backend, {}, {}
        for name, binding in self.bindings.items():
            view = views[name] = backend.allocate(binding.columns, extent, "float64")
            box = Box.flat(extent, view.strides[0] // 8)
            bindings[name] = Binding(backend.address(view), box, binding.columns, owner=view)
        return views, backend.program(self.plan, bindings)

    def check(self) -> None:
        """BridgeError unless the arrays hold what the CPU backend finds, and fringes nothing."""
        box = self.bindings["T"].box
        i, j, k = (np.arange(n) * step for n, step in zip(box.extent, box.stride, strict=True))
        places = box.offset + (i[:, None, None] + j[:, None] + k).reshape(-1)
        places = places[:: max(1, len(places) // 2000)]
        expected = _expected(self.ns, self._omega11)
        for name in self.plan.outputs:
            for c, wanted in enumerate(expected[name]):
                got = self.arrays[name][..., c].reshape(-1, order="F")
                wanted = wanted[places % STATES]
                off = float(np.abs(got[places] - wanted).max() / np.abs(wanted).max())
                if not off < AGREEMENT or got[0] or got[-1]:
                    raise BridgeError(
                        f"{name}({c + 1}) of {self.ns} species is wrong by {off:.1e}: "
                        "nothing is timed"
                    )

    def release(self) -> None:
        """The backend forgets the arrays."""
        self._views.clear()
        for binding in self.bindings.values():
            self._backend.release(binding)


@lru_cache(maxsize=2)
def _expected(ns: int, omega11: str) -> dict[str, np.ndarray]:
    program = ViewProgram(random_states(ns, STATES, kij=False), FULL, omega11=omega11)
    program.run()
    return {name: np.array(program.results[name]) for name in FULL}
