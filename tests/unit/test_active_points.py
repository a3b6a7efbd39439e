"""Runs on the points that a set's iblank leaves: the bits of a run on all points, and nothing else
is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from backends import launcher_of

import bridge

pytestmark = pytest.mark.usefixtures("backend")

Make = Callable[..., Any]
SHAPE = (45, 11, 7)
BOX: Any = dict(SptX=3, EptX=43, SptY=2, EptY=10, SptZ=1, EptZ=6)
INSIDE = np.s_[2:43, 1:10, 0:6]
NS = 3


def masks() -> Iterator[np.ndarray]:
    """Shares of active points below and above that from which all are worked on; a hole, stripes,
    one point, none."""
    random = np.random.default_rng(2)
    for share in (0.03, 0.3, 0.6, 0.95):
        yield random.random(SHAPE) < share
    i, j, _ = np.indices(SHAPE)
    yield np.hypot(i - 20, 4 * (j - 5)) > 12
    yield (i + j) % 8 < 3
    yield (i == 20) & (j == 5) & (np.indices(SHAPE)[2] == 3)
    yield np.zeros(SHAPE, bool)


def bind(tv: Any, set: str) -> dict[str, np.ndarray]:
    """Inputs, and outputs of several types and layouts that hold noise."""
    random = np.random.default_rng(7)
    T = np.asfortranarray(random.uniform(200.0, 900.0, SHAPE))
    T[10, 5, 2] = -1.0  # a bad point
    tv.bind_array(set, "T", "in", T, **BOX)
    tv.bind_array(set, "P", "in", np.full(SHAPE, 60.0, order="F"), scale=1e5, **BOX)
    Y = np.asfortranarray(np.moveaxis(random.dirichlet(np.ones(NS), SHAPE), 3, 0))
    tv.bind_array(set, "Y", "in", Y, component_first=True, **BOX)
    found: dict[str, np.ndarray] = {
        "rho": np.asfortranarray(random.random(SHAPE)),
        "c": np.asfortranarray(random.random(SHAPE).astype(np.float32)),
        "h_Yi": np.asfortranarray(random.random((NS, *SHAPE))),
        "status": np.asfortranarray(random.integers(5, 99, SHAPE, np.int32)),
    }
    for name, array in found.items():
        first = name == "h_Yi"
        tv.bind_array(
            set, name, "out", array, scale=0.3 if name == "c" else 1.0, component_first=first,
            **BOX,
        )  # fmt: skip
    return found


def check(all: dict[str, np.ndarray], some: dict[str, np.ndarray],
          before: dict[str, np.ndarray], active: np.ndarray) -> None:  # fmt: skip
    on = np.zeros(SHAPE, bool)
    on[INSIDE] = active[INSIDE]
    for name, array in some.items():
        here = np.broadcast_to(on, array.shape)
        np.testing.assert_array_equal(array[here], all[name][here], err_msg=name)
        np.testing.assert_array_equal(array[~here], before[name][~here], err_msg=name)


@pytest.mark.parametrize("chunk", [100_000, 100])
def test_active_points_have_the_bits_of_a_run_on_all(make_frame: Make, chunk: int) -> None:
    tv = make_frame(chunk, threads="2").tvproperties
    every = bind(tv, "all")
    tv.run("all", "eosThermalProperties")
    for number, active in enumerate(masks()):
        name = f"some{number}"
        some = bind(tv, name)
        before = {quantity: array.copy() for quantity, array in some.items()}
        mask = np.asfortranarray(active.astype(np.int32) * -2)
        tv.bind_array(name, "iblank", "in", mask, **BOX)
        tv.run(name, "eosThermalProperties")
        check(every, some, before, active)
        # the mask changes without a call
        mask[...] = ~active
        tv.run(name, "eosThermalProperties")
        on = np.ones(SHAPE, bool)
        check(every, some, before, on)
        for quantity, array in some.items():
            array[...] = before[quantity]
        tv.unbind(name, "*")


def test_points_are_worked_on_apart_where_that_is_sooner(make_frame: Make, backend: str) -> None:
    """The test above is about what it says: this plan seeks its active points, a light one not."""
    if backend != "cpu":
        pytest.skip("threads of a GPU each have a point")
    tv = make_frame(100_000).tvproperties
    bind(tv, "cells")
    tv.bind_array("cells", "h", "in", np.ones(SHAPE, order="F"), **BOX)
    tv.bind_array("cells", "u", "out", np.ones(SHAPE, order="F"), **BOX)
    tv.bind_array("cells", "iblank", "in", np.ones(SHAPE, np.int32, order="F"), **BOX)
    tv.run("cells", "eosThermalProperties")
    tv.bind_array("cells", "rho", "inout", np.ones(SHAPE, order="F"), **BOX)
    tv.run("cells", "prEOSInternalEnergy")
    tv.run("cells", "eosThermalProperties")
    found = {
        name: launcher_of(tv, "cells", name)._program._struct.sparse
        for name in ("eosThermalProperties", "prEOSInternalEnergy")
    }
    assert 25 <= found["eosThermalProperties"] <= 95
    assert found["prEOSInternalEnergy"] == 0


def test_a_search_on_active_points(make_frame: Make) -> None:
    """Lanes that search longer than others; T, inout, keeps its value where it is blanked."""
    tv = make_frame(100_000).tvproperties
    T = np.asfortranarray(np.random.default_rng(1).uniform(250.0, 1500.0, SHAPE))
    P, Y = np.full(SHAPE, 6e6, order="F"), np.full((*SHAPE, NS), 1.0 / NS, order="F")
    h = np.zeros(SHAPE, order="F")
    for name, array in (("T", T), ("P", P), ("Y", Y)):
        tv.bind_array("given", name, "in", array, **BOX)
    tv.bind_array("given", "h", "out", h, **BOX)
    tv.run("given", "eosThermalProperties")
    active = np.random.default_rng(3).random(SHAPE) < 0.4
    found = {}
    for set in ("all", "some"):
        guess, turns = np.full(SHAPE, 300.0, order="F"), np.full(SHAPE, -5, np.int32, order="F")
        for name, array in (("h_target", h), ("P", P), ("Y", Y), ("T0", guess.copy(order="F"))):
            tv.bind_array(set, name, "in", array, **BOX)
        tv.bind_array(set, "T", "out", guess, **BOX)
        tv.bind_array(set, "iterations", "out", turns, **BOX)
        found[set] = {"T": guess, "iterations": turns}
    mask = np.asfortranarray(active.astype(np.int32))
    tv.bind_array("some", "iblank", "in", mask, **BOX)
    before = {name: array.copy() for name, array in found["some"].items()}
    for set in found:
        tv.run(set, "prEOSCalcTFromHP")
    assert len(np.unique(found["all"]["iterations"][INSIDE])) > 2
    check(found["all"], found["some"], before, active)


def test_active_points_of_many_blocks(make_frame: Make) -> None:
    """Blocks of several sizes, one of them empty of active points, one of points."""
    sizes = [(20, 4, 3), (5, 5, 5), (0, 4, 4), (17, 3, 2), (9, 9, 2)]
    counts = [int(np.prod(size)) for size in sizes]
    offsets = [sum(counts[:b]) for b in range(len(sizes))]
    total, random = sum(counts), np.random.default_rng(5)
    T = random.uniform(200.0, 900.0, total)
    active = random.random(total) < 0.3
    active[offsets[1] : offsets[1] + counts[1]] = False
    tv = make_frame(100_000).tvproperties
    rho = {set: np.full(total, -1.0) for set in ("all", "some")}
    for set, out in rho.items():
        arrays = {"T": T, "P": np.full(total, 6e6), "rho": out}
        arrays |= {"iblank": active.astype(np.int32)} if set == "some" else {}
        for name, array in arrays.items():
            bounds = [[nx, ny, nz, 1, nx, 1, ny, 1, nz, 1, 1, 1] for nx, ny, nz in sizes]
            intent = "out" if name == "rho" else "in"
            tv.bind_blocks(set, name, intent, array, bounds, offsets)
        bounds = [[nx, ny, nz, 1, nx, 1, ny, 1, nz, 1, NS, -NS] for nx, ny, nz in sizes]
        Y = np.full(NS * total, 1.0 / NS)
        tv.bind_blocks(set, "Y", "in", Y, bounds, [NS * offset for offset in offsets])
        tv.run(set, "eosThermalProperties")
    np.testing.assert_array_equal(rho["some"], np.where(active, rho["all"], -1.0))
    assert isinstance(tv, bridge.TVProperties) and (rho["all"] > 0.0).all()
