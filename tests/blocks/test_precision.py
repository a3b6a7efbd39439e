"""Kernels that compute in single precision, against NumPy's float32: its bits on every machine.

The kernels have no product that is added: where one is fused with the sum depends on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from blocks.conftest import frame_with
from blocks.stencils import Block, bind
from packsbuilt import ISA, built_once
from sharing import Once

import bridge
from bridge.errors import ArgumentError
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.plans import Plans
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

F = np.float32
EXTENTS = [(37, 4, 3), (5, 6, 4), (1, 2, 2)]
COLUMNS = {
    "pr_a": 0, "pr_b": 0, "pr_c": 0, "pr_q": 5, "pr_r": 5, "pr_point": 0, "pr_around": 0,
    "pr_near": 5, "pr_line": 0, "pr_many": 33, "pr_cell": 0,
}  # fmt: skip
TABLE = np.array([0.1, -2.7, 3.3, 1e-3])

CATALOGUE = (
    'precision = "original"\n'
    + "".join(
        f'[quantity.{name}]\nunit = "1"\ncolumns = {n or 1}\n' for name, n in COLUMNS.items()
    )
    + """
[quantity.pr_n]
unit = "1"
type = "int32"
[quantity.pr_two]
unit = "1"
type = "int32"
columns = 2
[constant.pr_dt]
unit = "1"
value = 0.1
[table.pr_table]
unit = "1"
rank = 1

[[kernel]]
name = "prPoint"
header = "points.h"
tables = ["pr_table"]
inputs = ["pr_a", "pr_b", "pr_n", "pr_dt"]
outputs = ["pr_point", "pr_two"]
[[kernel]]
name = "prScale"
header = "points.h"
inputs = ["pr_q", "pr_a"]
outputs = ["pr_q"]
[[kernel]]
name = "prMany"
header = "points.h"
inputs = ["pr_r", "pr_a"]
outputs = ["pr_many"]
[[kernel]]
name = "prAround"
header = "blocks.h"
inputs = ["pr_a", "pr_n"]
outputs = ["pr_around"]
reads = { pr_a = { x = [-1, 1], z = [-1, 1] }, pr_n = { y = [0, 1] } }
[[kernel]]
name = "prNear"
header = "blocks.h"
inputs = ["pr_q", "pr_r"]
outputs = ["pr_near"]
reads = { pr_q = { x = [-1, 1], y = [0, 1] } }
[[kernel]]
name = "prLine"
header = "blocks.h"
inputs = ["pr_line", "pr_a"]
outputs = ["pr_line"]
reads = { pr_line = { x = [-1, 0] } }
sweep = "x+"
private = 1
[[kernel]]
name = "prColour"
header = "blocks.h"
inputs = ["pr_c", "pr_b"]
outputs = ["pr_c"]
reads = { pr_c = { x = [-1, 1], y = [-1, 1] } }
colours = 2
[[kernel]]
name = "prCell"
header = "blocks.h"
inputs = ["pr_a", "pr_n", "position_i", "position_j", "position_k"]
outputs = ["pr_cell"]
reads = { pr_a = "cells" }
[[composite]]
name = "prBoth"
inputs = ["pr_q", "pr_a", "pr_r"]
outputs = ["pr_many", "pr_q"]
steps = ["prScale", "prMany"]
"""
)

POINTS = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class Two>
BRIDGE_FN void prPoint(const Shared&, const Table<Real, 1>& table, const Real& a, const Real& b,
                       const Bits<Real>& n, const Real& dt, Real& point, Two& two) {
    Real sum = a + b;
    sum /= max(b - dt, 0.3);
    point = sqrt(sum) - table(n & 3) + Real(n);
    two[0] = Bits<Real>(point) + n;
    two[1] = select(a > 0.7 && b < 1.1, Bits<Real>(-7), n - 1);
}
template <class Real, class In, class Out>
BRIDGE_FN void prScale(const Shared&, const In& q, const Real& a, Out& next) {
    for (int m = 0; m < 5; ++m) next[m] = q[m] / (a + 0.1);
}
template <class Real, class In, class Out>
BRIDGE_FN void prMany(const Shared&, const In& r, const Real& a, Out& many) {
    for (int m = 0; m < 33; ++m) {
        many[m] = r[m % 5] / (a + m);
        many[m] -= 0.1 + a;
    }
}
}
"""

BLOCKS = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real>
BRIDGE_FN void prAround(const Shared&, const ScalarNeighbours& a, const ScalarIntegerNeighbours& n,
                        Real& around) {
    around = (a.at<1, 0, 0>() + a.at<-1, 0, 0>() + a.at<0, 0, 1>()) / a.at<0, 0, -1>() +
             Real(n.at<0, 1, 0>() - n.at<0, 0, 0>());
}
template <class Real, class In, class Out>
BRIDGE_FN void prNear(const Shared&, const Neighbours& q, const In& r, Out& near) {
    const auto east = q.at<1, 0, 0>(), west = q.at<-1, 0, 0>();
    for (int m = 0; m < 5; ++m)
        near[m] = (east[m] - west[4 - m]) / (r[m] + q[m] + q.at<0, 1, 0>()[m]);
}
template <class Real>
BRIDGE_FN void prLine(const Shared&, const ScalarNeighbours& line, const Real& a, Real& next,
                      Private& kept) {
    kept[0] = kept[0] + a;
    next = line.at<-1, 0, 0>() / 3.0 + kept[0];
}
template <class Real>
BRIDGE_FN void prColour(const Shared&, const ScalarNeighbours& c, const Real& b, Real& next) {
    next = (c.at<-1, 0, 0>() + c.at<1, 0, 0>() + c.at<0, -1, 0>() + c.at<0, 1, 0>() - b) / 3.0;
}
template <class Real>
BRIDGE_FN void prCell(const Shared&, const ScalarCells& a, const Bits<Real>& n,
                      const Bits<Real>& i, const Bits<Real>& j, const Bits<Real>& k, Real& cell) {
    cell = a.at(i + n % 3, j, k) - a.at(i, j + 1, k) / 3.0;
}
}
"""
FILES = {"catalogue.toml": CATALOGUE, "points.h": POINTS, "blocks.h": BLOCKS}


@pytest.fixture(scope="session")
def precision_built(once: Once) -> tuple[Path, Path]:
    return built_once(once, "precision", FILES)


@pytest.fixture
def tv(
    precision_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TVProperties]:
    for one in frame_with(precision_built, monkeypatch, ISA):
        one.table("pr_table", TABLE)
        yield one


class Wanted:
    """What the kernels make on a block, by NumPy in single precision."""

    def __init__(self, block: Block, arrays: Mapping[str, np.ndarray]) -> None:
        self._block, self._arrays = block, arrays

    def at(self, name: str, *offset: int) -> np.ndarray:
        """A quantity around the interior as kernels read it: rounded to real(4)."""
        found = self._block.at(self._arrays[name], *offset)
        return found if found.dtype.kind == "i" else found.astype(F)

    def of_points(self) -> dict[str, np.ndarray]:
        a, b, n = (self.at(name) for name in ("pr_a", "pr_b", "pr_n"))
        total = (a + b) / np.maximum(b - F(0.1), F(0.3))
        point = np.sqrt(total) - TABLE.astype(F)[n & 3] + n.astype(F)
        two = [point.astype(np.int32) + n, np.where((a > F(0.7)) & (b < F(1.1)), -7, n - 1)]
        q, r = self.at("pr_q"), self.at("pr_r")
        many = [r[..., m % 5] / (a + F(m)) - (F(0.1) + a) for m in range(33)]
        return {
            "pr_point": point,
            "pr_two": np.stack(two, -1),
            "pr_q": q / (a + F(0.1))[..., None],
            "pr_many": np.stack(many, -1),
        }

    def around(self) -> dict[str, np.ndarray]:
        a, n, q = (partial(self.at, name) for name in ("pr_a", "pr_n", "pr_q"))
        r = self.at("pr_r")
        around = (a(1, 0, 0) + a(-1, 0, 0) + a(0, 0, 1)) / a(0, 0, -1)
        near = (q(1, 0, 0) - q(-1, 0, 0)[..., ::-1]) / (r + q() + q(0, 1, 0))
        shifted = np.stack([a(o, 0, 0) for o in range(3)])
        cell = np.take_along_axis(shifted, (n() % 3)[None], 0)[0]
        return {
            "pr_around": around + (n(0, 1, 0) - n()).astype(F),
            "pr_near": near,
            "pr_cell": cell - a(0, 1, 0) / F(3.0),
        }

    def in_order(self) -> dict[str, np.ndarray]:
        line, a, kept = self.at("pr_line"), self.at("pr_a"), F(0.0)
        before = self.at("pr_line", -1, 0, 0)[0]
        for i in range(line.shape[0]):
            kept = kept + a[i]
            line[i] = before = before / F(3.0) + kept
        c, b = self._arrays["pr_c"].astype(F), self.at("pr_b")
        (x, _), (y, _), (z, _) = self._block.layers
        for colour in (0, 1):
            old = c.copy()
            for i, j, k in np.ndindex(b.shape):
                if (i + j + k + x + y + z + 3) % 2 == colour:
                    u, v, w = i + x, j + y, k + z
                    total = old[u - 1, v, w] + old[u + 1, v, w] + old[u, v - 1, w]
                    c[u, v, w] = (total + old[u, v + 1, w] - b[i, j, k]) / F(3.0)
        inside = c[x : x + b.shape[0], y : y + b.shape[1], z : z + b.shape[2]]
        return {"pr_line": line, "pr_c": inside}


def bound(tv: TVProperties, block: Block) -> dict[str, np.ndarray]:
    """Arrays of everything that the kernels read and make."""
    arrays = {name: block.array(columns) for name, columns in COLUMNS.items()}
    for array in arrays.values():
        np.copyto(array, np.abs(array) + 0.5)
    random = np.random.default_rng(2)
    for name, columns in {"pr_n": 0, "pr_two": 2}.items():
        arrays[name] = block.array(columns, dtype="int32")
        arrays[name][...] = random.integers(0, 9, arrays[name].shape)
    made = {"pr_point", "pr_two", "pr_many", "pr_around", "pr_near", "pr_cell"}
    for name, array in arrays.items():
        both = name in ("pr_q", "pr_line", "pr_c")
        bind(tv, block, name, "out" if name in made else "inout" if both else "in", array)
    return arrays


def check(tv: TVProperties, extent: tuple[int, int, int], dtype: str, first: bool) -> None:
    """Every kernel on arrays of a block."""
    block = Block(extent, ((2, 2), (1, 2), (1, 2)), first=first, dtype=dtype)
    arrays = bound(tv, block)
    wanted = Wanted(block, {name: array.copy() for name, array in arrays.items()})
    outside = {name: block.outside(array).copy() for name, array in arrays.items()}
    expected = wanted.around() | wanted.of_points() | wanted.in_order()
    for kernel in ("prAround", "prNear", "prCell", "prPoint", "prMany", "prScale", "prLine"):
        tv.run("cells", kernel)
    tv.run("cells", "prColour")
    assert len(expected) == 9
    for name, values in expected.items():
        np.testing.assert_array_equal(block.at(arrays[name]).astype(values.dtype), values, name)
    for name, array in arrays.items():
        np.testing.assert_array_equal(block.outside(array), outside[name], name)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("extent", EXTENTS)
def test_bits_of_float32(
    tv: TVProperties, extent: tuple[int, int, int], dtype: str, first: bool
) -> None:
    check(tv, extent, dtype, first)


def test_a_debuggers_build_has_the_same_bits(
    backend: str, once: Once, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend == "cuda":
        pytest.skip("of the CPU")
    monkeypatch.setenv("BRIDGE_PACKS_DEBUG", "1")
    built = built_once(once, "precision_debug", FILES)
    for tv in frame_with(built, monkeypatch, ISA):
        tv.table("pr_table", TABLE)
        check(tv, EXTENTS[0], "float32", True)


def test_a_composite_and_masked_points(tv: TVProperties) -> None:
    """What passes between kernels is of single precision too."""
    block = Block((21, 5, 3), ((2, 2), (1, 2), (1, 2)), dtype="float32")
    arrays = bound(tv, block)
    before = {name: array.copy() for name, array in arrays.items()}
    expected = Wanted(block, before).of_points()
    tv.run("cells", "prBoth")
    for name in ("pr_q", "pr_many"):
        np.testing.assert_array_equal(block.at(arrays[name]).astype(F), expected[name], name)
    mask = block.array(dtype="int32")
    mask[...] = np.random.default_rng(4).integers(0, 2, mask.shape)
    bind(tv, block, "iblank", "in", mask)
    np.copyto(arrays["pr_q"], before["pr_q"])
    tv.run("cells", "prScale")
    counts = block.at(mask)[..., None] != 0
    kept = block.at(before["pr_q"]).astype(F)
    found = block.at(arrays["pr_q"]).astype(F)
    np.testing.assert_array_equal(found, np.where(counts, expected["pr_q"], kept))


def test_another_unit(tv: TVProperties) -> None:
    """Times a factor in double precision, rounded; and back."""
    block = Block((21, 5, 3), ((2, 2), (1, 2), (1, 2)), dtype="float64")
    arrays = bound(tv, block)
    scaled = np.asfortranarray(arrays["pr_q"] * 1e3)
    bind(tv, block, "pr_q", "inout", scaled, scale=1e-3)
    old = (block.at(scaled) * 1e-3).astype(F)
    tv.run("cells", "prScale")
    wanted = old / (block.at(arrays["pr_a"]).astype(F) + F(0.1))[..., None]
    np.testing.assert_array_equal(block.at(scaled), wanted.astype(float) / 1e-3)


def test_a_reduction_of_what_singles_make(tv: TVProperties) -> None:
    block = Block((37, 4, 3), ((2, 2), (1, 2), (1, 2)), dtype="float32")
    arrays = bound(tv, block)
    wanted = Wanted(block, arrays).around()["pr_around"]
    tv.unbind("cells", "pr_around")
    assert tv.reduce("cells", "pr_around", "max") == wanted.max()


def test_plans_beside_the_packages_quantities(
    precision_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is made in double precision is no part of the same plan: neither the check of T, P and
    Y, nor another quantity that is asked for at once."""
    monkeypatch.setenv("BRIDGE_PACKS", str(precision_built[0]))
    catalogue = Catalogue.load([shipped_file(), precision_built[0] / "catalogue.toml"])
    inputs = ["pr_a", "pr_n", "T", "P", "Y"]
    assert catalogue.plan(["pr_around"], inputs, 2).kernels() == ["prAround"]
    plans = Plans(catalogue, 2)
    plans.species = SpeciesData.resolve(["O2", "CH4"])
    several = plans.quantities(["pr_around", "W"], inputs, "cells")
    assert [list(one.outputs) for one in several] == [["pr_around"], ["W"]]
    assert [one.singles for one in several] == [True, False]


@pytest.mark.usefixtures("one_isa")
def test_evaluate(precision_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Doubles in and out, which hold what real(4) can."""
    folder, cache = precision_built
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    q, a = np.random.default_rng(1).uniform(0.5, 1.5, (2, 100, 5))
    inputs = {"pr_q": q, "pr_a": a[:, 0], "pr_r": q}
    found = bridge.evaluate(composite="prBoth", inputs=inputs)
    wanted = q.astype(F) / (a[:, :1].astype(F) + F(0.1))
    np.testing.assert_array_equal(found["pr_q"], wanted.astype(float))


def test_refusals(tmp_path: Path) -> None:
    def load(first: str, more: str = "") -> Catalogue:
        path = tmp_path / "catalogue.toml"
        path.write_text(CATALOGUE.replace('precision = "original"', first) + more)
        for name in ("points.h", "blocks.h"):
            (tmp_path / name).write_text(FILES[name])
        return Catalogue.load([shipped_file(), path])

    with pytest.raises(
        ArgumentError, match="precision: got 'half' of .*wanted double or original"
    ):
        load('precision = "half"')
    mixed = """
[[composite]]
name = "prMixed"
inputs = ["pr_q", "pr_a", "Y"]
outputs = ["pr_q", "X"]
steps = ["prScale", "massToMole"]
"""
    shipped = next(k.name for k in Catalogue.shipped().kernels.values() if "X" in k.makes)
    with pytest.raises(ArgumentError, match="prScale, in single precision, and .* in double"):
        load('precision = "original"', mixed.replace("massToMole", shipped))
    catalogue = load('precision = "original"')
    with pytest.raises(ArgumentError, match="in single precision and .* in double.*two runs"):
        catalogue.plan(["pr_point", "W"], ["pr_a", "pr_b", "pr_n", "Y"], 2)
