"""Arrays whose components come first, worked on where they lie: the bits of arrays component last,
whatever rows, fringes, distances of points and neighbours; nothing written but the interior."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.recordslots import COLUMNS, EITHER, RECORDS, layout
from bridge.backends.host import library
from bridge.measuring.states import random_states
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan import packbuild
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

#: Composites, and the layouts that their kernels take where every array is of records.
LOOPS = {
    "stepAll": [RECORDS],
    "expandAll": [RECORDS],
    "lengthenAll": [RECORDS],
    "both": [EITHER, EITHER],
    "beyondAll": [RECORDS],
}
#: Rows shorter than a vector of any machine, whole vectors, tails of every length, several blocks.
EXTENTS = [(1, 7, 3), (3, 5, 2), (15, 3, 2), (16, 3, 2), (21, 4, 3), (64, 2, 2), (1100, 2, 1)]
ISAS = pytest.mark.parametrize("isa", library.ISAS)


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogue]:
    folder = tmp_path_factory.mktemp("records") / "records_pack"
    folder.mkdir()
    (folder / "catalogue.toml").write_text(CATALOGUE)
    (folder / "kernels.h").write_text(KERNELS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(folder))
        patch.setenv("BRIDGE_CACHE", str(folder.parent / "cache"))
        assert not "".join(built.warnings for built in packbuild.build([folder]))
        yield Catalogue.load([shipped_file(), Path(folder / "catalogue.toml")])


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

    def array(
        self, name: str, first: bool, fringe: int, beside: int
    ) -> tuple[np.ndarray, np.ndarray, Binding]:
        """Memory, its interior (points x, y, z, columns), a binding; beside: components of the
        array before and behind those that are bound, together."""
        columns, full = WIDTHS[name], tuple(n + 2 * fringe for n in self.extent)
        shape = (columns + beside, *full) if first else (*full, columns + beside)
        memory = np.full(shape, UNTOUCHED, dtype=np.uint64, order="F").view(np.float64)
        inner = tuple(slice(fringe, fringe + n) for n in self.extent)
        mine = slice(beside // 2, beside // 2 + columns)
        view = np.moveaxis(memory[(mine, *inner)], 0, 3) if first else memory[(*inner, mine)]
        x, y, z, c = (step // 8 for step in view.strides)
        box = Box(self.extent, (x, y, z), c, 0)
        address = view.__array_interface__["data"][0]
        return memory, view, Binding(address, box, columns, owner=memory)

    def bound(self, first: bool, fringe: int = 0, beside: int = 0) -> dict[str, Any]:
        random = np.random.default_rng(3)
        arrays = {}
        for name in self.names:
            values = random.uniform(0.5, 1.5, (*self.extent, WIDTHS[name]))
            arrays[name] = self.array(name, first and WIDTHS[name] > 1, fringe, beside)
            if name in self.composite.inputs:
                arrays[name][1][...] = values
        return arrays

    def program(self, arrays: dict[str, Any], block: int | None = None) -> Any:
        bindings = {name: binding for name, (_, _, binding) in arrays.items()}
        return self.backend.executor(self.plan, bindings, block=block)

    def run(
        self, first: bool, fringe: int, beside: int, cuts: tuple[int, ...], block: int | None
    ) -> dict[str, bytes]:
        """Outputs; asserts that nothing else was written."""
        arrays = self.bound(first, fringe, beside)
        before = {name: memory.copy() for name, (memory, _, _) in arrays.items()}
        program = self.program(arrays, block)
        points = int(np.prod(self.extent))
        for begin, end in zip((0, *cuts), (*cuts, points), strict=True):
            program.run(begin, end - begin)
        for name, (memory, _, _) in arrays.items():
            blank, interior, _ = self.array(name, first and WIDTHS[name] > 1, fringe, beside)
            if name in self.composite.outputs:
                interior[...] = 0.0
            else:
                interior[...] = arrays[name][1]
                assert memory.tobytes() == before[name].tobytes(), f"{name}: an input was written"
            outside = blank.view(np.uint64) == UNTOUCHED
            kept = memory.view(np.uint64)[outside] == UNTOUCHED
            assert kept.all(), f"{name}: more than the interior was written"
        return {name: arrays[name][1].tobytes() for name in self.composite.outputs}


@ISAS
@pytest.mark.parametrize("name", LOOPS)
def test_records_have_the_bits_of_columns(catalogue: Catalogue, isa: str, name: str) -> None:
    for extent in EXTENTS:
        points = extent[0] * extent[1] * extent[2]
        case = Case(catalogue, isa, name, extent, threads=2)
        expected = case.run(False, 0, 0, (), None)
        cut = (1, points // 3 + 1)
        for fringe, beside, cuts, block in product((0, 2), (0, 3), ((), cut), (None, 32)):
            got = case.run(True, fringe, beside, cuts, block)
            assert got == expected, (extent, fringe, beside, cuts, block)


@ISAS
def test_arrays_of_both_orders_meet_in_a_kernel(catalogue: Catalogue, isa: str) -> None:
    for extent in EXTENTS:
        case = Case(catalogue, isa, "expandAll", extent, threads=1)
        expected = case.run(False, 0, 0, (), None)
        first, last = case.bound(True, 1), case.bound(False, 1)
        for mixed in product((False, True), repeat=3):
            arrays = {
                name: (first if turned else last)[name]
                for name, turned in zip(case.names, mixed, strict=True)
            }
            case.program(arrays).run(0, int(np.prod(extent)))
            for name in case.composite.outputs:
                assert arrays[name][1].tobytes() == expected[name], (extent, mixed, name)


def test_a_kernel_reads_all_of_a_record_before_it_writes_one(catalogue: Catalogue) -> None:
    """Against NumPy: a step that mixes the components of the array that it writes."""
    case = Case(catalogue, "v2", "stepAll", (21, 3, 2), threads=1)
    arrays = case.bound(True, 1)
    old, weight = arrays["state"][1].copy(), arrays["weight"][1]
    program = case.program(arrays)
    program.run(0, 21 * 3 * 2)
    np.testing.assert_allclose(arrays["state"][1], old[..., ::-1] / weight + old, rtol=1e-15)
    assert {n for n, slot in enumerate(program._struct.slots[0:3]) if slot.records} == {
        case.plan.inputs["state"], case.plan.outputs["state"]
    }  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_the_cases_above_took_these_wrappers(catalogue: Catalogue, name: str) -> None:
    """Records next to each other, or a mixture; columns where nothing is a record."""
    case = Case(catalogue, "v2", name, (21, 3, 2), threads=1)

    def layouts(first: bool, beside: int) -> list[int]:
        program = case.program(case.bound(first, 1, beside))
        plan: Any = program._struct
        records = {n: not beside for n in range(plan.n_slots) if plan.slots[n].records}
        return [layout(step, records) for step in case.plan.steps]  # type: ignore[arg-type]

    assert layouts(True, 0) == LOOPS[name]
    assert layouts(True, 3) == [EITHER] * len(LOOPS[name])
    assert layouts(False, 0) == [COLUMNS] * len(LOOPS[name])
