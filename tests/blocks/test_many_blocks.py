"""Sets of many blocks in one memory, against NumPy block by block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from blocks.arena import NONE, SIZES, SOME, Arena, Extent, Layers, bound
from blocks.stencils import laplacian

import bridge
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")


def root(p: Arena) -> np.ndarray:
    return np.sqrt(1.0 + p.all().astype(np.float64) ** 2)


# ---- runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", [NONE, SOME, ((2, 2), (2, 2), (2, 2))])
def test_every_point_and_no_other(tv: TVProperties, layers: Layers, backend: str) -> None:
    """On a CPU in chunks of 64 points, wherever these are; on a GPU by one launch."""
    p, a = bound(tv, SIZES, layers=layers)
    assert (tv.run("blocks", "stRoot") > 1) == (backend == "cpu")
    np.testing.assert_allclose(a.all(), root(p), rtol=1e-15)
    assert (a.outside() == -7.0).all()


@pytest.mark.parametrize("dtype, scale", [("float32", 1.0), ("float64", 0.5), ("int32", 4.0)])
@pytest.mark.parametrize("first", [False, True])
def test_elements_and_scales(tv: TVProperties, dtype: str, scale: float, first: bool) -> None:
    """The second component of three; results of another type and with a factor as well."""
    p = Arena(SIZES, 3, first=first, dtype=dtype)
    a = Arena(SIZES, 2, first=first, dtype="float32" if dtype == "float32" else "float64",
              value=-7.0)  # fmt: skip
    p.bind(tv, "st_p", "in", 2, 2, scale)
    a.bind(tv, "st_a", "out", 2, 2, scale)
    tv.run("blocks", "stRoot")
    wanted = np.sqrt(1.0 + (p.all()[:, 1].astype(np.float64) * scale) ** 2) / scale
    np.testing.assert_allclose(a.all()[:, 1], wanted, rtol=1e-6 if dtype == "float32" else 1e-15)
    assert (a.all()[:, 0] == -7.0).all() and (a.outside() == -7.0).all()


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("extents", [SIZES, [(8, 8, 8)] * 5, [(16, 4, 1)] * 3, [(3, 3, 3)] * 40])
def test_several_components_in_place(
    tv: TVProperties, extents: Sequence[Extent], first: bool
) -> None:
    """u = u + dt*rhs of three components, again after new values: rows that fill registers, rows
    that do not."""
    u = Arena(extents, 3, first=first)
    rhs = Arena(extents, 3, first=not first, seed=2)
    before, outside = u.all(), u.outside()
    u.bind(tv, "st_u", "inout")
    rhs.bind(tv, "st_rhs", "in")
    for turn in range(1, 3):
        tv.run("blocks", "stUpdate")
        np.testing.assert_allclose(u.all(), before + turn * 0.125 * rhs.all(), rtol=1e-14)
    np.testing.assert_array_equal(u.outside(), outside)


def test_a_run_goes_on_until_it_is_waited_for(tv: TVProperties) -> None:
    p, a = bound(tv, SIZES)
    tv.run_begin("blocks", "stRoot")
    with pytest.raises(bridge.StateError, match="frame_wait"):
        a.bind(tv, "st_a", "out")
    with pytest.raises(bridge.StateError, match="frame_wait"):
        tv.position_blocks("blocks", np.ones((len(SIZES), 3), dtype=int))
    tv.wait("blocks")
    tv.unchanged("blocks", "st_p")
    tv.run("blocks", "stRoot")
    np.testing.assert_allclose(a.all(), root(p), rtol=1e-15)


def test_a_regrid_replaces_all_blocks(tv: TVProperties) -> None:
    bound(tv, SIZES)
    tv.run("blocks", "stRoot")
    p, a = bound(tv, SIZES[::-1], layers=NONE, seed=5)
    tv.run("blocks", "stRoot")
    np.testing.assert_allclose(a.all(), root(p), rtol=1e-15)
    p.bind(tv, "st_p", "in")
    a = Arena(SIZES, value=-7.0)
    a.bind(tv, "st_a", "out")
    with pytest.raises(bridge.ArgumentError, match=r"\(8, 8, 8\) points in block 1 .*\(2, 2, 2\)"):
        tv.run("blocks", "stRoot")
    Arena(SIZES[:3], value=-7.0).bind(tv, "st_a", "out")
    with pytest.raises(bridge.ArgumentError, match="argument st_a: got 3 blocks.* wanted 12"):
        tv.run("blocks", "stRoot")


@pytest.mark.parametrize("extents", [[], [(0, 3, 3)], [(0, 3, 3), (2, 0, 1)]])
def test_no_points(tv: TVProperties, extents: list[Extent]) -> None:
    _, a = bound(tv, extents)
    tv.run("blocks", "stRoot")
    assert (a.memory == -7.0).all()
    assert tv.reduce("blocks", "st_p", "sum") == 0.0
    assert tv.reduce("blocks", "st_p", "minloc") == (np.inf, None)


def test_masked_points_keep_their_values(tv: TVProperties) -> None:
    p, a = bound(tv, SIZES)
    blank = Arena(SIZES, dtype="int32", value=0)
    open_ = np.random.default_rng(4).integers(0, 2, len(blank.memory))
    blank.memory[...] = open_
    blank.bind(tv, "iblank", "in")
    tv.run("blocks", "stRoot")
    counts = blank.all() != 0
    np.testing.assert_allclose(a.all()[counts], root(p)[counts], rtol=1e-15)
    assert (a.all()[~counts] == -7.0).all() and (a.outside() == -7.0).all()
    assert tv.reduce("blocks", "st_p", "max") == p.all()[counts].max()


def test_positions(tv: TVProperties) -> None:
    """From SptX of each block's bounds, or as the caller gives them."""
    p, place = Arena(SIZES), Arena(SIZES, value=-7.0)
    p.bind(tv, "st_p", "in")
    place.bind(tv, "st_place", "out")
    given = np.random.default_rng(3).integers(-50, 50, (len(SIZES), 3))
    spt = np.array([[low + 1 for low, _ in SOME]] * len(SIZES))
    for starts in (spt, given):
        if starts is given:
            tv.position_blocks("blocks", given)
        tv.run("blocks", "stPlace")
        for block, (extent, start) in enumerate(zip(SIZES, starts, strict=True)):
            i, j, k = np.ogrid[tuple(slice(s, s + n) for s, n in zip(start, extent, strict=True))]
            wanted = p.at(block)[..., 0] + i + 100.0 * j + 10000.0 * k
            np.testing.assert_allclose(place.at(block)[..., 0], wanted, rtol=1e-14)
    tv.position_blocks("blocks", given[:4])
    with pytest.raises(bridge.ArgumentError, match="of 4 blocks .*wanted those of its 12 blocks"):
        tv.run("blocks", "stPlace")
    with pytest.raises(bridge.ArgumentError, match="wanted frame_position_blocks"):
        tv.position("blocks", 1, 1, 1)


def test_positions_of_arrays_that_begin_elsewhere(tv: TVProperties) -> None:
    bound(tv, SIZES)
    Arena(SIZES, layers=NONE, value=-7.0).bind(tv, "st_place", "out")
    with pytest.raises(bridge.StateError, match="block 1 begins at SptX = 3 .*frame_position_bl"):
        tv.run("blocks", "stPlace")


# ---- reductions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [False, True])
def test_reductions_say_the_block(tv: TVProperties, first: bool) -> None:
    u = Arena(SIZES, 3, first=first)
    u.bind(tv, "st_u", "in")
    values = u.all()
    np.testing.assert_allclose(tv.reduce("blocks", "st_u", "sum"), values.sum(), rtol=1e-12)
    assert tv.reduce("blocks", "st_u", "max", "each") == values.max(axis=0).tolist()
    u.at(8)[7, 0, 3, 1] = 99.0
    assert tv.reduce("blocks", "st_u", "maxloc") == (99.0, (10, 2, 5, 2, 9))
    assert tv.reduce("blocks", "st_u", "any")


def test_a_quantity_that_kernels_make_is_reduced(tv: TVProperties) -> None:
    p = Arena(SIZES)
    p.bind(tv, "st_p", "in")
    p.at(3)[30, 3, 2] = 1e6
    value, place = tv.reduce("blocks", "st_a", "maxloc")
    assert value == np.sqrt(1.0 + 1e12) and place == (33, 5, 4, 1, 4)


def test_sums_do_not_depend_on_the_layout(tv: TVProperties) -> None:
    """The points of all blocks in their order are added as those of one array are."""
    p, a = Arena(SIZES), Arena(SIZES, 3, layers=NONE, first=True)
    a.all()
    for block in range(len(SIZES)):
        a.at(block)[..., 1] = p.at(block)[..., 0]
    p.bind(tv, "st_p", "in")
    one = tv.reduce("blocks", "st_p", "sum")
    a.bind(tv, "st_p", "in", 2, 2)
    assert tv.reduce("blocks", "st_p", "sum") == one
    flat = np.asfortranarray(p.all().reshape(-1, 1, 1))
    tv.bind_array("flat", "st_p", "in", flat)
    assert tv.reduce("flat", "st_p", "sum") == one


# ---- threads ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel, out", [("stRoot", "st_a"), ("stLaplacian", "st_lap")])
def test_threads_give_the_same_bits(
    tv: TVProperties, kernel: str, out: str, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    if backend != "cpu":
        pytest.skip("threads of a CPU run")
    from bridge.backends.cpu import program

    p, found = Arena(SIZES * 3), []
    p.bind(tv, "st_p", "in")
    for threads in (1, 2, 3, 7):
        monkeypatch.setattr(program, "points_per_thread", lambda *_: 1)
        monkeypatch.setattr(tv.impl.backend, "threads", threads)
        result = Arena(SIZES * 3, value=-7.0)
        result.bind(tv, out, "out")
        tv.run("blocks", kernel)
        assert (result.outside() == -7.0).all()
        found.append(result.all())
    for one in found[1:]:
        np.testing.assert_array_equal(one, found[0])


# ---- neighbours ---------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [False, True])
def test_neighbours_of_every_block(tv: TVProperties, first: bool) -> None:
    p = Arena(SIZES, 2, first=first)
    lap = Arena(SIZES, value=-7.0)
    p.bind(tv, "st_p", "in", 2, 2)
    lap.bind(tv, "st_lap", "out")
    tv.run("blocks", "stLaplacian")
    wanted = laplacian(lambda *o: p.all(*o)[:, 1:])
    np.testing.assert_allclose(lap.all(), wanted, rtol=0, atol=1e-13)
    assert (lap.outside() == -7.0).all()


def test_stages_on_grown_blocks(tv: TVProperties) -> None:
    """Fringes of results are neither read nor written."""
    layers = ((2, 2), (1, 1), (1, 2))
    p = Arena(SIZES, layers=layers)
    p.bind(tv, "st_p", "in")
    out = {name: Arena(SIZES, layers=layers, value=-7.0) for name in ("st_a", "st_b", "st_c")}
    for name, arena in out.items():
        arena.bind(tv, name, "out")
    tv.run("blocks", "stSmoothed")

    def a(*o: int) -> np.ndarray:
        return np.asarray(np.sqrt(1.0 + p.all(*o) ** 2))

    def b(i: int, j: int, k: int) -> Any:
        return 0.25 * (a(i + 1, j, k) + a(i - 1, j, k) + a(i, j + 1, k) + a(i, j - 1, k))

    wanted = {
        "st_a": a(0, 0, 0),
        "st_b": b(0, 0, 0),
        "st_c": b(1, 0, 0) - b(-1, 0, 0) + a(0, 0, 0) * b(0, 0, 1),
    }
    for name, arena in out.items():
        np.testing.assert_allclose(arena.all(), wanted[name], rtol=0, atol=1e-13, err_msg=name)
        assert (arena.outside() == -7.0).all(), name


def test_a_fringe_that_one_block_lacks_is_refused(tv: TVProperties) -> None:
    p, lap = Arena(SIZES), Arena(SIZES, value=-7.0)
    bounds = p.bounds()
    bounds[3, 4] = bounds[3, 0]  # EptX = nx
    tv.bind_blocks("blocks", "st_p", "in", p.memory, bounds, p.offsets)
    extents = [(38, 4, 3) if block == 3 else n for block, n in enumerate(SIZES)]
    Arena(extents, value=-7.0).bind(tv, "st_lap", "out")
    with pytest.raises(bridge.ArgumentError, match="a fringe of 0 layers above x.* 1 missing"):
        tv.run("blocks", "stLaplacian")
    assert (lap.memory == -7.0).all()


# ---- what is refused ----------------------------------------------------------------------------


def changed(block: int, place: int, value: int) -> Callable[[np.ndarray], None]:
    def change(bounds: np.ndarray) -> None:
        bounds[block, place] = value

    return change


@pytest.mark.parametrize(
    "change, message",
    [
        (changed(3, 3, 0), "argument SptX: got 0 of block 4, wanted a position from 1"),
        (changed(4, 8, 9), "argument EptZ: got 9 of block 5, wanted a position from SptZ"),
        (changed(1, 1, -1), "argument ny: got -1 of block 2"),
        (changed(5, 10, 2), "argument EptData: got 2 of block 6, wanted a component up to"),
        (changed(3, 11, 0), "argument nData: got 0 of block 4"),
        (changed(7, 11, 2), "got SptData, EptData, nData = 1, 1, 2 of block 8, wanted those of"),
        (changed(9, 2, 9999), "argument offsets: got .* of block 10 of .* within the .* elements"),
    ],
)
def test_a_wrong_block_is_told_by_its_number(
    tv: TVProperties, change: Callable[[np.ndarray], None], message: str
) -> None:
    p = Arena(SIZES)
    bounds = p.bounds().astype(np.int64)
    change(bounds)
    with pytest.raises(bridge.ArgumentError, match=message):
        tv.bind_blocks("blocks", "st_p", "in", p.memory, bounds, p.offsets)


@pytest.mark.parametrize(
    "named, message",
    [
        ({"bounds": np.ones((12, 11))}, r"argument bounds: got .*float64"),
        ({"bounds": np.ones((12, 11), dtype=int)}, r"argument bounds: got shape \(12, 11\)"),
        ({"offsets": np.arange(5)}, r"argument offsets: got shape \(5,\), wanted .* 12 blocks"),
        ({"offsets": np.full(12, -1)}, "argument offsets: got -1 of block 1"),
        ({"scale": 0.0}, "argument scale"),
        ({"intent": "both"}, "argument intent"),
        ({"name": "st_u"}, "argument EptData: got .* wanted the 3 of 'st_u'"),
        ({"name": "position_i"}, "argument name: got 'position_i'"),
        ({"data": [1.0]}, "argument data: got list"),
        ({"data": np.ones((9, 9))[:, ::2]}, "argument data: got strides"),
        ({"data": np.ones(9, dtype=np.int64)}, "argument data: got dtype int64"),
    ],
)
def test_wrong_arguments(tv: TVProperties, named: dict[str, Any], message: str) -> None:
    p = Arena(SIZES)
    given = {"set": "blocks", "name": "st_p", "intent": "in", "data": p.memory,
             "bounds": p.bounds(), "offsets": p.offsets}  # fmt: skip
    with pytest.raises(bridge.ArgumentError, match=message):
        tv.bind_blocks(**(given | named))


def test_mixed_sets_and_boxes_are_refused(tv: TVProperties) -> None:
    bound(tv, SIZES)
    one = np.zeros((3, 3, 3), order="F")
    with pytest.raises(
        bridge.ArgumentError, match="array of one block for 'st_b', wanted frame_b"
    ):
        tv.bind_array("blocks", "st_b", "out", one)
    with pytest.raises(bridge.ArgumentError, match="argument box: .* has many blocks"):
        tv.run("blocks", "stRoot", box=(1, 1, 1, 1, 1, 1))
    tv.bind_array("one", "st_a", "out", one)
    with pytest.raises(
        bridge.ArgumentError, match="of many blocks for 'st_p', wanted frame_bind,"
    ):
        Arena(SIZES).bind(tv, "st_p", "in", set="one")
    with pytest.raises(bridge.ArgumentError, match="wanted frame_position: its arrays are of one"):
        tv.position_blocks("one", np.ones((1, 3), dtype=int))
    tv.unbind("blocks", "*")
    tv.bind_array("blocks", "st_a", "out", one)


def test_arrays_of_other_sets_are_of_one_block(tv: TVProperties) -> None:
    bound(tv, SIZES)
    tv.bind_array("one", "st_a", "out", np.zeros((3, 3, 3), order="F"))
    for pair in (("one", "st_p", "blocks"), ("blocks", "st_a", "one")):
        with pytest.raises(bridge.ArgumentError, match="wanted sets of one block each"):
            tv.bind_from(*pair)


def test_outputs_that_share_memory_are_refused(tv: TVProperties) -> None:
    p, a = bound(tv, [(4, 3, 2)] * 6)
    offsets = a.offsets.copy()
    offsets[4] = offsets[2] + 1
    tv.bind_blocks("blocks", "st_a", "out", a.memory, a.bounds(), offsets)
    with pytest.raises(bridge.ArgumentError, match="elements that blocks [35] and [35] of set"):
        tv.run("blocks", "stRoot")
    p.bind(tv, "st_a", "out")
    tv.run("blocks", "stRoot")  # each point exactly in place of its input
    tv.bind_blocks("blocks", "st_a", "out", p.memory, p.bounds(), p.offsets[::-1])
    with pytest.raises(bridge.ArgumentError, match="elements with 'st_p'"):
        tv.run("blocks", "stRoot")


def test_neighbours_are_not_overwritten(tv: TVProperties) -> None:
    p = Arena([(4, 3, 2)] * 6)
    p.bind(tv, "st_p", "in")
    p.bind(tv, "st_lap", "out")
    with pytest.raises(
        bridge.ArgumentError, match="argument st_lap: it shares elements with 'st_p'"
    ):
        tv.run("blocks", "stLaplacian")
