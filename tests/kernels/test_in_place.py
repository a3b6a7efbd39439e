"""Runs on arrays of the caller where they lie: any box, order and length of row, the same bits as
on views, and nothing written but the interior."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.inplace import in_rows
from bridge.backends.host import library
from bridge.measuring.states import States, random_states
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan.catalogue import Catalogue

NS = 3
INPUTS = ("T", "P", "Y")
CHEAP = ("rho",)
SEARCH = ("T", "rho", "status")
#: What no kernel makes: a signalling NaN with a mark.
UNTOUCHED = np.uint64(0x7FF4_0000_DEAD_BEEF)


class Case:
    """A plan on arrays with fringes, and on views of the same points."""

    def __init__(self, isa: str, outputs: tuple[str, ...], extent: tuple[int, int, int]) -> None:
        self.backend = CpuBackend(2, isa)
        self.catalogue = Catalogue.shipped()
        self.points = extent[0] * extent[1] * extent[2]
        self.extent = extent
        states = random_states(NS, self.points, kij=False)
        self.backend.set_shared(SharedData(states.species, Options()))
        self.values = {"T": states.T[None], "P": states.P[None], "Y": states.Y.T}
        inputs: tuple[str, ...] = INPUTS
        if "T" in outputs:  # the search of a temperature: a loop, and a guess from the caller
            self.values["T0"] = np.full((1, self.points), 300.0)
            self.values["h_target"] = self._enthalpy(states)
            inputs = ("h_target", "P", "Y", "T0")
        self.plan = self.catalogue.plan(outputs, inputs, NS, name="case")

    def _enthalpy(self, states: States) -> np.ndarray:
        plan = self.catalogue.plan(["h"], INPUTS, NS, name="enthalpy")
        arrays = {name: self.values[name].copy() for name in INPUTS}
        arrays["h"] = np.zeros((1, self.points))
        bindings = {name: self.flat(array) for name, array in arrays.items()}
        self.backend.program(plan, bindings).run(0, self.points)
        return arrays["h"]

    @staticmethod
    def flat(array: np.ndarray) -> Binding:
        columns, n = array.shape
        box = Box.flat(n, array.strides[0] // array.itemsize)
        return Binding(array.ctypes.data, box, columns, dtype=str(array.dtype), owner=array)

    def on_views(self) -> dict[str, np.ndarray]:
        arrays = {name: self.values[name].copy() for name in self.plan.inputs}
        for name in self.plan.outputs:
            if name not in arrays:
                dtype = self.catalogue.quantity(name).dtype
                columns = self.catalogue.columns(name, NS)
                arrays[name] = np.zeros((columns, self.points), dtype)
        bindings = {name: self.flat(array) for name, array in arrays.items()}
        self.backend.program(self.plan, bindings).run(0, self.points)
        return {name: arrays[name] for name in self.plan.outputs}

    def array(self, columns: int, fringe: int, first: bool) -> tuple[np.ndarray, np.ndarray, Box]:
        """Memory, the interior of it as (columns, points), its box."""
        full = tuple(n + 2 * fringe for n in self.extent)
        shape = (columns, *full) if first else (*full, columns)
        memory = np.full(shape, UNTOUCHED, dtype=np.uint64, order="F").view(np.float64)
        strides = [step // 8 for step in memory.strides]
        points, across = (strides[1:], strides[0]) if first else (strides[:3], strides[3])
        box = Box(self.extent, (points[0], points[1], points[2]), across, fringe * sum(points))
        inner = tuple(slice(fringe, fringe + n) for n in self.extent)
        view = memory[(slice(None), *inner)] if first else np.moveaxis(memory[inner], 3, 0)
        return memory, view, box

    def run(
        self, fringe: int, first: bool, cuts: tuple[int, ...] = (), scale: float = 1.0
    ) -> dict[str, np.ndarray]:
        """Outputs (columns, points); asserts that nothing else was written."""
        bindings, views, memories = {}, {}, {}
        shape = self.extent[::-1]
        for name in {*self.plan.inputs, *self.plan.outputs}:
            columns = self.catalogue.columns(name, NS)
            memory, view, box = self.array(columns, fringe, first)
            if name in self.plan.inputs:
                values = self.values[name].reshape(columns, *shape).transpose(0, 3, 2, 1)
                view[...] = values / scale
            memories[name], views[name] = memory, view
            bindings[name] = Binding(memory.ctypes.data, box, columns, scale, owner=memory)
        before = {name: memory.copy() for name, memory in memories.items()}
        program = self.backend.program(self.plan, bindings)
        for begin, end in zip((0, *cuts), (*cuts, self.points), strict=True):
            program.run(begin, end - begin)
        for name, memory in memories.items():
            if name in self.plan.outputs:
                blank, inside, _ = self.array(len(views[name]), fringe, first)
                inside[...] = 0.0
                outside = blank.view(np.uint64) == UNTOUCHED
                kept = memory.view(np.uint64)[outside] == UNTOUCHED
                assert kept.all(), f"{name}: fringes were written"
            else:
                assert memory.tobytes() == before[name].tobytes(), f"{name}: an input was written"
        return {
            name: views[name].transpose(0, 3, 2, 1).reshape(len(views[name]), -1)
            for name in self.plan.outputs
        }


ISAS = pytest.mark.parametrize("isa", library.ISAS)


def available(isa: str) -> str:
    if isa not in library.available():
        pytest.skip(f"this CPU does not run {isa}")
    return isa


@ISAS
@pytest.mark.parametrize("outputs", [CHEAP, SEARCH, ("h", "D_im", "status")], ids="-".join)
def test_boxes_give_the_bits_of_views(isa: str, outputs: tuple[str, ...]) -> None:
    """Rows of one point to several blocks; whole vectors, tails; inputs and outputs in place,
    staged and packed; cuts within rows."""
    available(isa)
    extents = [(1, 3, 5), (2, 7, 1), (7, 5, 3), (16, 4, 2), (17, 3, 2), (22, 5, 4), (33, 2, 1),
               (40, 1, 1), (700, 2, 1)]  # fmt: skip
    for extent in extents:
        case = Case(isa, outputs, extent)
        expected = case.on_views()
        middle = case.points // 3
        for fringe, first, cuts in product((0, 2), (False, True), ((), (1, middle + 1))):
            if cuts and not 1 < cuts[1] < case.points:
                continue
            got = case.run(fringe, first, cuts)
            for name in outputs:
                assert (
                    got[name].astype(expected[name].dtype).tobytes() == expected[name].tobytes()
                ), (extent, fringe, first, cuts, name)


@ISAS
def test_scaled_arrays_are_multiplied_and_divided(isa: str) -> None:
    case = Case(available(isa), CHEAP, (21, 3, 2))
    expected = case.on_views()["rho"] / 8.0  # a power of two: no rounding
    assert case.run(1, False, scale=8.0)["rho"].tobytes() == expected.tobytes()


@ISAS
def test_both_ways_over_short_rows_were_tried(isa: str) -> None:
    """The cases above take rows and packed points: a cheap plan rows, a dear one packed points."""
    width = library.load(available(isa)).width
    cheap, dear = (
        Catalogue.shipped().plan(o, INPUTS, NS, name="p") for o in (CHEAP, ("h", "D_im", "status"))
    )
    assert in_rows(cheap, 4 * width, width, NS) and in_rows(dear, 4 * width, width, NS)
    assert not in_rows(dear, width + 1, width, NS) and not in_rows(cheap, 1, width, NS)
