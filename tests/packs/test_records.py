"""Arrays whose components come first, by loop nests and by the executor: the bits of arrays
component last, whatever rows, fringes, distances of points; nothing written but the interior."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from packsbuilt import built_once
from sharing import Once

from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.nests import NestProgram
from bridge.backends.cpu.program import PointsProgram
from bridge.backends.host import library
from bridge.measuring.states import random_states
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan.catalogue import Catalogue, shipped_file

#: What no kernel makes: a signalling NaN with a mark.
UNTOUCHED = np.uint64(0x7FF4_0000_DEAD_BEEF)
WIDTHS = {"weight": 1, "two": 2, "state": 5, "side": 3, "wide": 9, "matrix": 25, "huge": 33}

CATALOGUE = "".join(
    f'[quantity.{name}]\nunit = "1"\ncolumns = "{columns}"\nabout = "of this test"\n'
    for name, columns in WIDTHS.items()
) + "".join(
    f'[[kernel]]\nname = "{name}"\nheader = "kernels.h"\ninputs = {inputs}\n'
    f'outputs = {outputs}\nabout = "of this test"\n'
    f'[[composite]]\nname = "{name}All"\ninputs = {inputs}\noutputs = {outputs}\n'
    for name, inputs, outputs in (
        ("step", ["state", "weight"], ["state"]),
        ("expand", ["state"], ["matrix", "two"]),
        ("shorten", ["state"], ["side"]),
        ("lengthen", ["side", "weight"], ["wide"]),
        ("beyond", ["state"], ["huge"]),
    )
)
CATALOGUE += '[[composite]]\nname = "both"\ninputs = ["state", "weight"]\noutputs = ["wide"]\n'

KERNELS = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class In, class Out>
BRIDGE_FN void step(const Shared&, const In& old, Real weight, Out& next) {
    for (int m = 0; m < 5; ++m) next[m] = old[4 - m] / weight + old[m];
}
template <class Real, class In, class Matrix, class Two>
BRIDGE_FN void expand(const Shared&, const In& x, Matrix& matrix, Two& two) {
    for (int m = 0; m < 5; ++m)
        for (int n = 0; n < 5; ++n) matrix[m + 5 * n] = x[m] / x[n] - 0.1 * m;
    two[0] = sqrt(x[0]);
    two[1] = exp(-x[1]);
}
template <class Real, class In, class Out>
BRIDGE_FN void shorten(const Shared&, const In& x, Out& y) {
    for (int m = 0; m < 3; ++m) y[m] = x[m] * x[m + 1] + x[m + 2];
}
template <class Real, class In, class Out>
BRIDGE_FN void lengthen(const Shared&, const In& x, Real weight, Out& y) {
    for (int m = 0; m < 9; ++m) y[m] = x[m % 3] / (weight + m);
}
template <class Real, class In, class Out>
BRIDGE_FN void beyond(const Shared&, const In& x, Out& y) {
    for (int m = 0; m < 33; ++m) y[m] = x[m % 5] * (1.0 + m);
}
}
"""

LOOPS = ("stepAll", "expandAll", "lengthenAll", "both", "beyondAll")
#: Rows shorter than a vector of any machine, whole vectors, tails of every length, several blocks.
EXTENTS = [(1, 7, 3), (3, 5, 2), (15, 3, 2), (16, 3, 2), (21, 4, 3), (64, 2, 2), (1100, 2, 1)]
#: Points of rows that are packed.
SHORT = (1, 3)
#: In place of the points of a block of the executor.
NEST = 0
ISAS = pytest.mark.parametrize("isa", library.ISAS)


@pytest.fixture(scope="module")
def catalogue(once: Once) -> Iterator[Catalogue]:
    files = {"catalogue.toml": CATALOGUE, "kernels.h": KERNELS}
    folder, cache = built_once(once, "records", files, isas=library.available())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(folder))
        patch.setenv("BRIDGE_CACHE", str(cache))
        yield Catalogue.load([shipped_file(), folder / "catalogue.toml"])


class Bound(NamedTuple):
    """Memory, its interior (points x, y, z, columns), a binding of that."""

    memory: np.ndarray
    interior: np.ndarray
    binding: Binding


class Case:
    """A composite on arrays of one order, with fringes."""

    def __init__(
        self, catalogue: Catalogue, isa: str, name: str, extent: tuple[int, int, int], threads: int
    ) -> None:
        if isa not in library.available():
            pytest.skip(f"this CPU does not run {isa}")
        self.composite = catalogue.composite(name)
        self.plan = catalogue.composite_plan(self.composite, 1)
        self.backend = CpuBackend(threads, isa)
        self.backend.set_shared(SharedData(random_states(1, 1).species, Options.parse({})))
        self.extent = extent
        self.names = dict.fromkeys((*self.composite.inputs, *self.composite.outputs))

    def array(self, name: str, first: bool, fringe: int, beside: int) -> Bound:
        """beside: components of the array before and behind those that are bound, together."""
        columns, full = WIDTHS[name], tuple(n + 2 * fringe for n in self.extent)
        shape = (columns + beside, *full) if first else (*full, columns + beside)
        memory = np.full(shape, UNTOUCHED, dtype=np.uint64, order="F").view(np.float64)
        inner = tuple(slice(fringe, fringe + n) for n in self.extent)
        mine = slice(beside // 2, beside // 2 + columns)
        view = np.moveaxis(memory[(mine, *inner)], 0, 3) if first else memory[(*inner, mine)]
        x, y, z, c = (step // 8 for step in view.strides)
        box = Box(self.extent, (x, y, z), c, 0)
        address = view.__array_interface__["data"][0]
        return Bound(memory, view, Binding(address, box, columns, owner=memory))

    def bound(self, first: bool, fringe: int = 0, beside: int = 0) -> dict[str, Bound]:
        random = np.random.default_rng(3)
        arrays = {}
        for name in self.names:
            values = random.uniform(0.5, 1.5, (*self.extent, WIDTHS[name]))
            arrays[name] = self.array(name, first and WIDTHS[name] > 1, fringe, beside)
            if name in self.composite.inputs:
                arrays[name].interior[...] = values
        return arrays

    def program(self, arrays: dict[str, Bound], block: int) -> PointsProgram:
        """block: points of a block of the executor; NEST: a loop nest, where rows are not so short
        that it is the executor anyway."""
        bindings = {name: one.binding for name, one in arrays.items()}
        if block != NEST:
            return self.backend.executor(self.plan, bindings, block=block)
        program = self.backend.program(self.plan, bindings)
        assert isinstance(program, NestProgram) or self.extent[0] in SHORT
        return program

    def run(
        self, first: bool, fringe: int, beside: int, cuts: tuple[int, ...], block: int
    ) -> dict[str, bytes]:
        """Outputs; asserts that nothing else was written."""
        arrays = self.bound(first, fringe, beside)
        before = {name: one.memory.copy() for name, one in arrays.items()}
        program = self.program(arrays, block)
        points = int(np.prod(self.extent))
        for begin, end in zip((0, *cuts), (*cuts, points), strict=True):
            program.run(begin, end - begin)
        for name, (memory, inside, _) in arrays.items():
            blank, interior, _ = self.array(name, first and WIDTHS[name] > 1, fringe, beside)
            if name in self.composite.outputs:
                interior[...] = 0.0
            else:
                interior[...] = inside
                assert memory.tobytes() == before[name].tobytes(), f"{name}: an input was written"
            outside = blank.view(np.uint64) == UNTOUCHED
            kept = memory.view(np.uint64)[outside] == UNTOUCHED
            assert kept.all(), f"{name}: more than the interior was written"
        return {name: arrays[name].interior.tobytes() for name in self.composite.outputs}


@ISAS
@pytest.mark.parametrize("name", LOOPS)
def test_records_have_the_bits_of_columns(catalogue: Catalogue, isa: str, name: str) -> None:
    for extent in EXTENTS:
        points = extent[0] * extent[1] * extent[2]
        case = Case(catalogue, isa, name, extent, threads=2)
        expected = case.run(False, 0, 0, (), 512)
        cut = (1, points // 3 + 1)
        for fringe, beside, cuts, block in product((0, 2), (0, 3), ((), cut), (NEST, 512, 32)):
            got = case.run(True, fringe, beside, cuts, block)
            assert got == expected, (extent, fringe, beside, cuts, block)


@ISAS
def test_arrays_of_both_orders_meet_in_a_kernel(catalogue: Catalogue, isa: str) -> None:
    for extent in EXTENTS:
        case = Case(catalogue, isa, "expandAll", extent, threads=1)
        expected = case.run(False, 0, 0, (), 512)
        first, last = case.bound(True, 1), case.bound(False, 1)
        for block, *mixed in product((NEST, 512), *3 * ((False, True),)):
            arrays = {
                name: (first if turned else last)[name]
                for name, turned in zip(case.names, mixed, strict=True)
            }
            case.program(arrays, block).run(0, int(np.prod(extent)))
            for name in case.composite.outputs:
                assert arrays[name].interior.tobytes() == expected[name], (extent, mixed, name)


@pytest.mark.parametrize("block", [NEST, 512])
def test_a_kernel_reads_all_of_a_record_before_it_writes_one(
    catalogue: Catalogue, block: int
) -> None:
    """Against NumPy: a step that mixes the components of the array that it writes."""
    case = Case(catalogue, "v2", "stepAll", (21, 3, 2), threads=1)
    arrays = case.bound(True, 1)
    state, weight = arrays["state"].interior, arrays["weight"].interior
    old = state.copy()
    case.program(arrays, block).run(0, 21 * 3 * 2)
    np.testing.assert_allclose(state, old[..., ::-1] / weight + old, rtol=1e-15)
