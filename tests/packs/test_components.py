"""Kernels of one column on arrays of several components: each component is a point."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier, local
from typing import Any

import numpy as np
import pytest
from backends import launcher_of
from packs.loops import BOX, INTERIOR, SHAPE

import bridge
from bridge.bound.rankreductions import RankReductions
from bridge.bound.reductions import Asked, Values
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

NC = 5
GAMMA = 1.5


@pytest.fixture
def tv(without_species: TVProperties) -> TVProperties:
    return without_species


def field(
    seed: int, first: bool, shape: tuple[int, int, int] = SHAPE, nc: int = NC, dtype: Any = float
) -> np.ndarray:
    """(nx, ny, nz, NC), or (NC, nx, ny, nz), in Fortran's order."""
    values = np.random.default_rng(seed).normal(size=(*shape, nc)).astype(dtype)
    return np.asfortranarray(np.moveaxis(values, 3, 0) if first else values)


def last(array: np.ndarray, first: bool) -> np.ndarray:
    """The same array, components behind."""
    return np.moveaxis(array, 0, 3) if first else array


def inside(array: np.ndarray) -> np.ndarray:
    return array[INTERIOR]


#: Whether u and r have their components first: in the same order, and in two.
ORDERS = pytest.mark.parametrize(("first", "other"), [(False, False), (True, True), (True, False)])


@ORDERS
@pytest.mark.parametrize("masked", [False, True])
def test_an_update_in_place(tv: TVProperties, first: bool, other: bool, masked: bool) -> None:
    """u += gamma dt r, dt and mask of a cell; the same bits as an array for each component."""
    u, r = field(1, first), field(2, other)
    dt = np.asfortranarray(np.random.default_rng(3).uniform(0.1, 0.2, SHAPE))
    mask = np.asfortranarray(np.random.default_rng(4).integers(0, 2, SHAPE).astype(float))
    on = mask[INTERIOR] != 0.0 if masked else np.ones(mask[INTERIOR].shape, dtype=bool)
    before, rhs = last(u, first).copy(order="F"), last(r, other).copy(order="F")
    for c in range(NC):  # one array for each
        tv.bind_array("one", "loop_field", "inout", before, SptData=c + 1, EptData=c + 1, **BOX)
        tv.bind_array("one", "loop_change", "in", rhs, SptData=c + 1, EptData=c + 1, **BOX)
        tv.bind_array("one", "loop_dt", "in", dt, **BOX)
        tv.bind_array("one", "iblank", "in", mask if masked else np.ones_like(mask), **BOX)
        for _ in range(3):
            tv.run("one", "loopAdvance")
    wanted = last(u, first).copy()
    increment = GAMMA * inside(dt)[..., None] * inside(rhs)
    wanted[INTERIOR][on] += 3 * increment[on]
    tv.bind_array("cells", "loop_field", "inout", u, component_first=first, **BOX)
    tv.bind_array("cells", "loop_change", "in", r, component_first=other, **BOX)
    tv.bind_array("cells", "loop_dt", "in", dt, **BOX)
    if masked:
        tv.bind_array("cells", "iblank", "in", mask, **BOX)
    for _ in range(3):  # a GPU replays the third
        tv.run("cells", "loopAdvance")
    np.testing.assert_allclose(last(u, first), wanted, rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(last(u, first), before)


@ORDERS
@pytest.mark.parametrize("shape", [SHAPE, (21, 3, 1), (1, 1, 7)])
def test_arrays_without_fringes(
    tv: TVProperties, shape: tuple[int, int, int], first: bool, other: bool
) -> None:
    """Components that follow each other in all arrays are points of one box."""
    u, r = field(1, first, shape), field(2, other, shape)
    wanted = last(u, first) + GAMMA * last(r, other)
    tv.bind_array("cells", "loop_field", "inout", u, component_first=first)
    tv.bind_array("cells", "loop_change", "in", r, component_first=other)
    tv.run("cells", "loopPlain")
    np.testing.assert_allclose(last(u, first), wanted, rtol=1e-14, atol=1e-14)
    runner = launcher_of(tv, "cells", "loopPlain")
    cells = int(np.prod(shape))
    joined = first == other
    assert runner.points == (NC * cells if joined else cells)
    assert runner.timer.moved == 24 * NC * cells


def test_bytes_of_elements(tv: TVProperties) -> None:
    """A timer counts elements of each array by their own size: real(8), real(4) and integers."""
    u, r = field(1, first=False), field(2, first=False, dtype=np.float32)
    dt, mask = np.ones(SHAPE, np.float32, order="F"), np.ones(SHAPE, np.int32, order="F")
    tv.bind_array("cells", "loop_field", "inout", u, **BOX)
    tv.bind_array("cells", "loop_change", "in", r, **BOX)
    tv.bind_array("cells", "loop_dt", "in", dt, **BOX)
    tv.bind_array("cells", "iblank", "in", mask, **BOX)
    tv.run("cells", "loopAdvance")
    cells = u[INTERIOR].size // NC
    moved = launcher_of(tv, "cells", "loopAdvance").timer.moved
    assert moved == cells * (NC * (8 + 8 + 4) + 4 + 4)


@ORDERS
def test_a_range_of_components(tv: TVProperties, first: bool, other: bool) -> None:
    """Some components of wider arrays, one of them scaled; the others stay."""
    u, r = field(1, first, nc=7), field(2, other, nc=6)
    box, middle = dict(BOX, SptZ=2, EptZ=3), (*INTERIOR[:2], slice(1, 3))
    before = u.copy()
    tv.bind_array(
        "cells", "loop_field", "inout", u, SptData=3, EptData=6, component_first=first, **box
    )
    tv.bind_array(
        "cells", "loop_change", "in", r, SptData=2, EptData=5, component_first=other, scale=2.0,
        **box,
    )  # fmt: skip
    tv.run("cells", "loopPlain")
    wanted = last(before, first).copy()
    wanted[middle][..., 2:6] += GAMMA * 2.0 * last(r, other)[middle][..., 1:5]
    np.testing.assert_allclose(last(u, first), wanted, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_composites_of_several_kernels(tv: TVProperties, first: bool, dtype: Any) -> None:
    """What kernels hand each other has a value for each component; integers and real(4) too."""
    u, square = field(1, first, dtype=dtype), field(5, first)
    level = np.full(u.shape, 9, dtype=np.int32, order="F")
    for name, intent, array in (
        ("loop_field", "in", u), ("loop_square", "out", square), ("loop_level", "out", level),
    ):  # fmt: skip
        tv.bind_array("cells", name, intent, array, component_first=first, **BOX)
    tv.run("cells", "loopSquared")
    values = inside(last(u, first)).astype(float)
    np.testing.assert_allclose(inside(last(square, first)), 0.5 * values**2, rtol=1e-15)
    np.testing.assert_array_equal(inside(last(level, first)), np.where(values > 0.0, 1, -1))
    untouched = last(level, first).copy()
    untouched[INTERIOR] = 9
    assert (untouched == 9).all()


@pytest.mark.parametrize("first", [False, True])
def test_positions_tables_and_constants(tv: TVProperties, first: bool) -> None:
    r, weighted = field(2, first), field(3, first)
    tv.table("loop_table", np.arange(10.0) ** 2)
    tv.bind_array("cells", "loop_change", "in", r, component_first=first, **BOX)
    tv.bind_array("cells", "loop_weighted", "out", weighted, component_first=first, **BOX)
    tv.run("cells", "loopWeighted")
    i, j, k = np.meshgrid(np.arange(3, 8), np.arange(2, 6), np.arange(1, 5), indexing="ij")
    values = inside(last(r, first)) * i[..., None] + (j.astype(float) ** 2 + k)[..., None]
    np.testing.assert_allclose(inside(last(weighted, first)), values, rtol=1e-14, atol=1e-14)
    u = field(1, first)
    wanted = inside(last(u, first)) + 0.25 * inside(last(r, first))
    tv.constant("loop_gamma", 0.25)
    tv.bind_array("cells", "loop_field", "inout", u, component_first=first, **BOX)
    tv.run("cells", "loopPlain")
    np.testing.assert_allclose(inside(last(u, first)), wanted, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("first", [False, True])
def test_reductions(tv: TVProperties, first: bool) -> None:
    """Of a bound array, and of what kernels make of it, each component by itself."""
    u = field(1, first)
    tv.bind_array("cells", "loop_field", "in", u, component_first=first, **BOX)
    values = inside(last(u, first))
    np.testing.assert_allclose(
        tv.reduce("cells", "loop_field", "sum", "each"), values.sum(axis=(0, 1, 2)), rtol=1e-12
    )
    np.testing.assert_allclose(
        tv.reduce("cells", "loop_square", "max", "each"),
        0.5 * (values**2).max(axis=(0, 1, 2)),
        rtol=1e-15,
    )
    most, place = tv.reduce("cells", "loop_square", "maxloc")
    at = np.unravel_index(np.argmax(values**2), values.shape)
    assert place == (at[0] + 3, at[1] + 2, at[2] + 1, at[3] + 1)
    assert most == pytest.approx(0.5 * values[at] ** 2, rel=1e-15)
    with pytest.raises(bridge.ArgumentError, match="component: got 6.*'loop_square', 1 to 5"):
        tv.reduce("cells", "loop_square", "sum", 6)
    with pytest.raises(bridge.ArgumentError, match="loop_half: got one value for each cell"):
        tv.reduce("cells", "loop_half", "sum")


@pytest.mark.parametrize("columns, bounds", [(0, {}), (4, dict(SptData=3, EptData=1))])
def test_no_components_are_no_points(
    tv: TVProperties, columns: int, bounds: dict[str, Any]
) -> None:
    """As a loop over components that has no rounds."""
    u, r = field(1, False, nc=columns), field(2, False, nc=columns)
    status = np.full(SHAPE, -7, np.int32, order="F")
    tv.bind_array("cells", "loop_field", "inout", u, **BOX, **bounds)
    tv.bind_array("cells", "loop_change", "in", r, **BOX, **bounds)
    tv.bind_array("cells", "loop_square", "out", r.copy(order="F"), **BOX, **bounds)
    tv.bind_array("cells", "status", "out", status, **BOX)
    before = u.copy(order="F")
    assert tv.run("cells", "loopPlain") == 0 and tv.run("cells", "loopSquared") == 0
    tv.compare_begin("cells", "loopPlain")
    assert tv.compare("cells", "loopPlain") == 0.0
    for quantity in ("loop_field", "loop_square"):
        assert tv.reduce("cells", quantity, "sum") == 0.0
        assert tv.reduce("cells", quantity, "sum", "each") == []
        assert tv.allreduce("cells", quantity, "max") == -np.inf
        assert tv.allreduce("cells", quantity, "l2", 2) == 0.0
    assert tv.status_counts("cells") == {}
    np.testing.assert_array_equal(u, before)
    assert (status == -7).all()
    tv.bind_array("cells", "loop_change", "in", field(2, False), **BOX)
    with pytest.raises(bridge.ArgumentError, match="no components.* 5, as 'loop_change' has"):
        tv.run("cells", "loopHalf")
    with pytest.raises(bridge.ArgumentError, match="got SptData..EptData = 1..0, 0 components"):
        tv.bind_array("cells", "loop_rhs", "in", r, **BOX, SptData=1, EptData=0)


class TwoRanks:
    """What a communicator of two ranks does, for two threads."""

    def __init__(self) -> None:
        self.barrier = Barrier(2, timeout=60)
        self.found: dict[int, Any] = {}
        self.rank = local()

    def agreed(self, error: BaseException | None, found: Any) -> list[Any]:
        if error is not None:
            self.barrier.abort()
            raise error
        self.found[self.rank.number] = found
        self.barrier.wait()
        both = [self.found[0], self.found[1]]
        self.barrier.wait()
        return both


@pytest.mark.parametrize("component", [None, "each", 2])
def test_a_rank_that_has_no_components(tv: TVProperties, component: Any) -> None:
    """It takes part, and has the results of the others."""
    tv.bind_array("some", "loop_field", "in", field(1, False), **BOX)
    tv.bind_array("none", "loop_field", "in", field(1, False, nc=0), **BOX)
    ranks: Any = TwoRanks()
    reductions = RankReductions(ranks, 2)

    names = ("sum", "l2", "min", "count", "maxloc")

    def values(set: str, asked: list[Asked]) -> list[Values]:
        return tv._bound._values("frame_allreduce", set, asked, whole=True)

    def reduced(rank: int, set: str) -> list[list[float]]:
        ranks.rank.number = rank
        asked = [Asked("loop_field", name, component) for name in names]
        which = [one.which for one in asked]
        alone = [
            reductions.reduce("frame_allreduce", [one.which], partial(values, set, [one]))[0]
            for one in asked
        ]
        together = reductions.reduce("frame_allreduce", which, partial(values, set, asked))
        assert together == alone
        return [[one.value for one in each] for each in together]

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(reduced, (0, 1), ("none", "some"))
    wanted = [
        np.ravel(tv.reduce("some", "loop_field", name.removesuffix("loc"), component)).tolist()
        for name in names
    ]
    assert first == second
    for got, one in zip(first, wanted, strict=True):
        assert got == pytest.approx(one, rel=1e-13)


def test_a_pending_run(tv: TVProperties, backend: str) -> None:
    """Of arrays in two orders: on a GPU a loop for each component."""
    u, r = field(1, False), field(2, True)
    tv.bind_array("cells", "loop_field", "inout", u, **BOX)
    tv.bind_array("cells", "loop_change", "in", r, component_first=True, **BOX)
    wanted = inside(u)
    for turn in range(4):
        wanted = wanted + GAMMA * inside(last(r, True))
        if turn == 3:
            tv.unchanged("cells", "loop_change")
        tv.run_begin("cells", "loopPlain")
        assert tv.wait("cells") >= (3 * NC if backend == "cuda" else 3)
        np.testing.assert_allclose(inside(u), wanted, rtol=1e-14, atol=1e-14)
        if turn < 2:
            r *= 0.5  # the next run reads what is there


def refused(tv: TVProperties, which: str, message: str) -> None:
    with pytest.raises(bridge.ArgumentError, match=message):
        tv.run("cells", which)


def test_what_cannot_be_a_point_for_each_component(tv: TVProperties) -> None:
    u, r = field(1, False), field(2, False, nc=4)
    tv.bind_array("cells", "loop_field", "inout", u, **BOX)
    tv.bind_array("cells", "loop_change", "in", r, **BOX)
    before = u.copy()
    refused(tv, "loopPlain", "argument loop_change: got 4 components in loopPlain on set 'cells', "
                             "wanted 5, as 'loop_field' has")  # fmt: skip
    one = np.zeros(SHAPE, order="F")  # nor is one component an answer for five
    tv.bind_array("cells", "loop_change", "in", one, **BOX)
    refused(tv, "loopPlain", "argument loop_change: got 1 components")
    # a value of a cell, or a status, cannot come of five
    tv.bind_array("cells", "loop_square", "out", before.copy(order="F"), **BOX)
    for name, array in (("loop_half", one), ("status", np.zeros(SHAPE, np.int32, order="F"))):
        tv.bind_array("cells", name, "out", array, **BOX)
        message = f"argument {name}: got one value for each cell as an output of loopSquared on .*"
        refused(tv, "loopSquared", f"{message}the 5 components of 'loop_.*' are per_component")
        tv.unbind("cells", name)
    # a quantity of three columns is none of a cell that five components share
    tv.bind_array("mixed", "loop_change", "in", u, **BOX)
    tv.bind_array("mixed", "loop_rhs", "in", field(2, False, nc=3), **BOX)
    tv.bind_array("mixed", "loop_mixed", "out", before.copy(order="F"), **BOX)
    with pytest.raises(
        bridge.ArgumentError, match="argument loop_rhs: got 3 columns in loopMixed"
    ):
        tv.run("mixed", "loopMixed")
    np.testing.assert_array_equal(u, before)
    # every other quantity has the count that its catalogue says, as ever
    with pytest.raises(bridge.ArgumentError, match="5 components, wanted the 1 of 'loop_dt'"):
        tv.bind_array("cells", "loop_dt", "in", u, **BOX)
    # outputs that share elements are refused over all components
    tv.bind_array("shared", "loop_field", "inout", u, SptData=1, EptData=4, **BOX)
    tv.bind_array("shared", "loop_change", "in", u, SptData=2, EptData=5, **BOX)
    with pytest.raises(
        bridge.ArgumentError, match="loop_field: it shares elements with 'loop_change'"
    ):
        tv.run("shared", "loopPlain")


def test_one_component_is_any_run(tv: TVProperties) -> None:
    """Nothing is refused that one component can give."""
    u, half = field(1, False, nc=1), np.zeros(SHAPE, order="F")
    status = np.zeros(SHAPE, np.int32, order="F")
    square = np.zeros(SHAPE, order="F")
    for name, intent, array in (
        ("loop_field", "in", u), ("loop_half", "out", half), ("status", "out", status),
        ("loop_square", "out", square),
    ):  # fmt: skip
        tv.bind_array("cells", name, intent, array, **BOX)
    tv.run("cells", "loopSquared")
    np.testing.assert_array_equal(inside(half), 0.5 * inside(u)[..., 0])
    np.testing.assert_array_equal(inside(status) != 0, inside(u)[..., 0] > 1.0)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("columns = 3\nper_component = true", "per_component: got True in .quantity.a.* false"),
        ("per_component = 1.5", "per_component: got 1.5 in .quantity.a"),
    ],
)
def test_declarations_that_contradict_themselves(
    tmp_path: Path, entry: str, message: str, found: Callable[..., Any]
) -> None:
    file = tmp_path / "catalogue.toml"
    file.write_text(f'[quantity.a]\nunit = "1"\n{entry}\n')
    with pytest.raises(bridge.ArgumentError, match=message):
        Catalogue.load([shipped_file(), file])


def test_ranks_that_ask_for_different_numbers_of_reductions(tv: TVProperties) -> None:
    """All of them are told, and none waits for another one."""
    tv.bind_array("some", "loop_field", "in", field(1, False), **BOX)
    ranks: Any = TwoRanks()
    reductions = RankReductions(ranks, 2)

    def told(rank: int, names: tuple[str, ...]) -> str:
        ranks.rank.number = rank
        asked = [Asked("loop_field", name) for name in names]
        values = partial(tv._bound._values, "frame_allreduce", "some", asked, whole=True)
        with pytest.raises(bridge.ArgumentError) as raised:
            reductions.reduce("frame_allreduce", [one.which for one in asked], values)
        return str(raised.value)

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(told, (0, 1), (("sum",), ("sum", "min"))))
    wanted = "argument quantities: got {}, wanted as many reductions on every rank"
    assert found == [wanted.format(1), wanted.format(2)]
