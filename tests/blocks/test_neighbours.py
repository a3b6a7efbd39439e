"""Kernels that read neighbours, against NumPy: layouts, types, fringes, boxes, threads."""

from __future__ import annotations

import numpy as np
import pytest
from blocks.stencils import WIDE, Block, bind, divergence, laplacian

import bridge
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

#: Interiors: whole vectors, ends within a vector, few points at the ends of many rows, rows of a
#: few points, planes of each axis.
EXTENTS = [(32, 3, 2), (37, 4, 3), (33, 19, 2), (18, 9, 3), (5, 6, 4), (1, 9, 5), (8, 1, 6)]
EXTENTS += [(7, 5, 1), (1, 1, 1)]


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("extent", EXTENTS)
def test_neighbours_of_every_point(
    tv: TVProperties, extent: tuple[int, int, int], first: bool
) -> None:
    block = Block(extent, first=first)
    p, u = block.array(), block.array(3)
    results = {name: block.array(value=-7.0) for name in ("st_lap", "st_corner", "st_div")}
    bind(tv, block, "st_p", "in", p)
    bind(tv, block, "st_u", "in", u)
    for name, array in results.items():
        bind(tv, block, name, "out", array)
    for kernel in ("stLaplacian", "stCorner", "stDivergence"):
        tv.run("cells", kernel)

    def at(*o: int) -> np.ndarray:
        return block.at(p, *o)

    wanted = {
        "st_lap": laplacian(at),
        "st_corner": at(-2, 1, 2) + 2.0 * at(0, 0, -1) + 3.0 * at(-1, 1, 0),
        "st_div": divergence(lambda *o: block.at(u, *o), at(0, 0, 0)),
    }
    for name, array in results.items():
        np.testing.assert_allclose(block.at(array), wanted[name], rtol=0, atol=1e-14)
        assert (block.outside(array) == -7.0).all()


@pytest.mark.parametrize(
    "dtype, scale", [("float32", 1.0), ("float64", 0.5), ("float32", 4.0), ("int32", 0.25)]
)
def test_elements_and_scales(tv: TVProperties, dtype: str, scale: float) -> None:
    block = Block((19, 4, 3), dtype=dtype)
    p = block.array()
    p[...] = np.round(100 * p)
    lap = Block((19, 4, 3)).array(value=-7.0)
    bind(tv, block, "st_p", "in", p, scale=scale)
    bind(tv, block, "st_lap", "out", lap)
    tv.run("cells", "stLaplacian")
    wanted = laplacian(lambda *o: scale * block.at(p, *o).astype(np.float64))
    np.testing.assert_allclose(block.at(lap), wanted, rtol=1e-14)


def test_integers(tv: TVProperties) -> None:
    block = Block((21, 4, 2), dtype="int32")
    flag, marks, found = block.array(value=0), block.array(2, value=0), block.array(value=-7)
    random = np.random.default_rng(3)
    flag[...] = random.integers(0, 10, flag.shape)
    marks[...] = random.integers(0, 10, marks.shape)
    bind(tv, block, "st_flag", "in", flag)
    bind(tv, block, "st_marks", "in", marks)
    bind(tv, block, "st_open", "out", found)
    tv.run("cells", "stOpen")
    wanted = (
        block.at(flag, 1, 0, 0) + 10 * block.at(flag, -1, 0, 0)
        + 100 * block.at(marks, 0, -1, 0)[..., 0] + 1000 * block.at(marks, 0, 1, 0)[..., 1]
    )  # fmt: skip
    np.testing.assert_array_equal(block.at(found), wanted)
    assert (block.outside(found) == -7).all()


def test_nothing_beyond_the_array_is_read(tv: TVProperties) -> None:
    """The last element that a kernel may read ends a page behind which nothing may be read."""
    block = Block((13, 3, 2), ((1, 1), (1, 1), (1, 1)))
    p, lap = block.array(), block.array(value=-7.0)
    page = guarded(p)
    bind(tv, block, "st_p", "in", page)
    bind(tv, block, "st_lap", "out", lap)
    tv.run("cells", "stLaplacian")
    wanted = laplacian(lambda *o: block.at(p, *o))
    np.testing.assert_allclose(block.at(lap), wanted, rtol=0, atol=1e-14)


def guarded(array: np.ndarray) -> np.ndarray:
    """A copy that ends where mapped memory ends."""
    import ctypes
    import mmap

    size = -(-array.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, size + mmap.PAGESIZE)
    whole = np.frombuffer(memory, dtype=np.uint8)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    assert protect(ctypes.c_void_p(whole.ctypes.data + size), mmap.PAGESIZE, 0) == 0
    copy = whole[size - array.nbytes : size].view(array.dtype)
    copy = copy.reshape(array.shape, order="F")
    copy[...] = array
    return copy


# ---- stages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("extent", [(33, 5, 4), (6, 4, 3)])
def test_stages_on_grown_boxes(tv: TVProperties, extent: tuple[int, int, int]) -> None:
    """A bound output that a later stage reads around its points is right, its fringe untouched."""
    block = Block(extent, ((2, 2), (1, 1), (1, 2)))
    p = block.array()
    out = {name: block.array(value=-7.0) for name in ("st_a", "st_b", "st_c", "st_lap")}
    bind(tv, block, "st_p", "in", p)
    for name, array in out.items():
        bind(tv, block, name, "out", array)
    tv.run("cells", "stSmoothed")

    def a(*o: int) -> np.ndarray:
        return np.asarray(np.sqrt(1.0 + block.at(p, *o) ** 2))

    def b(i: int, j: int, k: int) -> np.ndarray:
        total = a(i + 1, j, k) + a(i - 1, j, k) + a(i, j + 1, k) + a(i, j - 1, k)
        return np.asarray(0.25 * total)

    wanted = {
        "st_a": a(0, 0, 0),
        "st_b": b(0, 0, 0),
        "st_c": b(1, 0, 0) - b(-1, 0, 0) + a(0, 0, 0) * b(0, 0, 1),
        "st_lap": laplacian(lambda *o: block.at(p, *o)),
    }
    for name, array in out.items():
        np.testing.assert_allclose(block.at(array), wanted[name], rtol=0, atol=1e-14, err_msg=name)
        assert (block.outside(array) == -7.0).all(), name


def test_what_is_not_bound_is_not_needed(tv: TVProperties) -> None:
    block = Block((9, 4, 3), ((2, 2), (1, 1), (0, 1)))
    p, c = block.array(), block.array(value=-7.0)
    bind(tv, block, "st_p", "in", p)
    bind(tv, block, "st_c", "out", c)
    tv.run("cells", "stSmoothed")
    assert np.isfinite(block.at(c)).all() and (block.at(c) != -7.0).all()


@pytest.mark.parametrize("rhs", [False, True])
def test_steps_run_in_their_order(tv: TVProperties, rhs: bool) -> None:
    """A step rewrites what an earlier one made; u is replaced once all have read it."""
    block = Block((18, 5, 3))
    p, u, made = block.array(), block.array(3), block.array(3, value=-7.0)
    before = u.copy(order="F")
    bind(tv, block, "st_p", "in", p)
    bind(tv, block, "st_u", "inout", u)
    if rhs:
        bind(tv, block, "st_rhs", "out", made)
    tv.run("cells", "stStage")

    def at(*o: int) -> np.ndarray:
        return block.at(before, *o)

    wanted = block.at(p)[..., None] * np.array([1.0, 2.0, 3.0])
    wanted = wanted - (at(1, 0, 0) - at(-1, 0, 0)) - (at(0, 1, 0) - at(0, -1, 0))
    np.testing.assert_allclose(block.at(u), at(0, 0, 0) + 0.125 * wanted, rtol=0, atol=1e-14)
    assert (block.outside(u) == block.outside(before)).all()
    if rhs:
        np.testing.assert_allclose(block.at(made), wanted, rtol=0, atol=1e-14)
        assert (block.outside(made) == -7.0).all()


def test_a_mask_leaves_points_as_they_are(tv: TVProperties) -> None:
    block = Block((17, 4, 3), ((2, 2), (1, 1), (1, 2)))
    p, c, blank = block.array(), block.array(value=-7.0), np.ones((21, 6, 6), np.int32, order="F")
    whole = block.array(value=-7.0)
    bind(tv, block, "st_p", "in", p)
    bind(tv, block, "st_c", "out", whole)
    tv.run("cells", "stSmoothed")
    blank[::3] = 0
    bind(tv, block, "st_c", "out", c)
    bind(tv, block, "iblank", "in", blank)
    tv.run("cells", "stSmoothed")
    open_points = block.at(blank) != 0
    np.testing.assert_array_equal(block.at(c), np.where(open_points, block.at(whole), -7.0))


def test_a_set_whose_interior_lies_in_the_fringe(tv: TVProperties) -> None:
    """A boundary kernel reads the cells beside its own and writes the fringe of the same array."""
    inner = Block((12, 5, 4), ((1, 1), (1, 1), (1, 1)))
    u = inner.array(3)
    before = u.copy(order="F")
    face = Block((1, 5, 4), ((0, 13), (1, 1), (1, 1)))
    bind(tv, face, "st_u", "in", u)
    bind(tv, face, "st_ghost", "out", u)
    tv.run("cells", "stInflow")
    np.testing.assert_array_equal(
        u[0, 1:6, 1:5], 2.0 * before[1, 1:6, 1:5] - np.array([0.0, 1.0, 2.0])
    )
    u[0, 1:6, 1:5] = before[0, 1:6, 1:5]
    np.testing.assert_array_equal(u, before)


# ---- boxes ------------------------------------------------------------------------------------


def test_inner_and_shell_give_what_one_run_gives(tv: TVProperties) -> None:
    block = Block((19, 6, 5))
    p, whole, parts = block.array(), block.array(value=-7.0), block.array(value=-7.0)
    bind(tv, block, "st_p", "in", p)
    bind(tv, block, "st_lap", "out", whole)
    tv.run("cells", "stLaplacian")
    bind(tv, block, "st_lap", "out", parts)
    tv.run_begin("cells", "stLaplacian", box=[2, 18, 2, 5, 2, 4])
    tv.wait("cells")
    inner = block.at(parts)
    assert (inner[0] == -7.0).all() and (inner[:, :, -1] == -7.0).all()
    assert (inner[1:-1, 1:-1, 1:-1] != -7.0).all()
    shell = [
        *(1, 1, 1, 6, 1, 5), *(19, 19, 1, 6, 1, 5), *(2, 18, 1, 1, 1, 5), *(2, 18, 6, 6, 1, 5),
        *(2, 18, 2, 5, 1, 1), *(2, 18, 2, 5, 5, 5),
    ]  # fmt: skip
    tv.run("cells", "stLaplacian", box=shell)
    np.testing.assert_array_equal(parts, whole)


def test_boxes_of_pointwise_runs_and_positions(tv: TVProperties) -> None:
    block = Block((9, 4, 3))
    p, a = block.array(), block.array(value=-7.0)
    bind(tv, block, "st_p", "in", p)
    bind(tv, block, "st_a", "out", a)
    tv.run("cells", "stRoot", box=(4, 6, 2, 2, 1, 3))
    wanted = np.full((9, 4, 3), -7.0)
    wanted[3:6, 1:2, 0:3] = np.sqrt(1.0 + block.at(p)[3:6, 1:2, 0:3] ** 2)
    np.testing.assert_allclose(block.at(a), wanted, rtol=1e-15)
    assert tv.run("cells", "stRoot", box=(4, 3, 2, 2, 1, 3)) == 0


def test_boxes_reach_into_the_fringe(tv: TVProperties) -> None:
    """As far as all arrays have it, and what the kernel reads around it."""
    block = Block((9, 4, 3), ((2, 1), (1, 1), (1, 1)))
    p, lap, a = block.array(), block.array(value=-7.0), block.array(value=-7.0)
    bind(tv, block, "st_p", "in", p)
    bind(tv, block, "st_lap", "out", lap)
    bind(tv, block, "st_a", "out", a)
    tv.run("cells", "stRoot", box=[-1, 0, 0, 5, 0, 4])
    np.testing.assert_allclose(a[:2], np.sqrt(1.0 + p[:2] ** 2), rtol=1e-15)
    assert (a[2:] == -7.0).all()
    tv.run("cells", "stLaplacian", box=[0, 9, 1, 4, 1, 3])
    wide = Block((10, 4, 3), ((1, 1), (1, 1), (1, 1)))
    wanted = laplacian(lambda *o: wide.at(p, *o))
    np.testing.assert_allclose(wide.at(lap), wanted, rtol=0, atol=1e-14)
    with pytest.raises(bridge.ArgumentError, match="a fringe of 0 layers below x"):
        tv.run("cells", "stLaplacian", box=[-1, 9, 1, 4, 1, 3])


# ---- refusals -----------------------------------------------------------------------------------


def test_a_fringe_that_is_too_small_is_refused_with_what_is_missing(tv: TVProperties) -> None:
    block = Block((9, 4, 3), ((1, 2), (1, 1), (0, 1)))
    p, c = block.array(), block.array(value=-7.0)
    bind(tv, block, "st_p", "in", p)
    bind(tv, block, "st_c", "out", c)
    with pytest.raises(bridge.ArgumentError) as refused:
        tv.run("cells", "stSmoothed")
    text = str(refused.value)
    assert "st_p" in text and "a fringe of 1 layers below x of set 'cells'" in text
    assert "2, as stSmoothed reads it there" in text and "1 missing" in text
    assert (c == -7.0).all()


@pytest.mark.parametrize(
    "box, words",
    [
        ((-2, 3, 1, 1, 1, 1), "i = -2 to 3, wanted positions from -1 to 10 along x"),
        ((1, 11, 1, 1, 1, 1), "i = 1 to 11"),
        ((1, 9, 1, 4, 1), "5 integers"),
        ((1, 3, 1, 4, 1, 3, 3, 4, 2, 2, 1, 1), "share points"),
    ],
)
def test_boxes_that_are_none(tv: TVProperties, box: tuple[int, ...], words: str) -> None:
    block = Block((9, 4, 3))
    bind(tv, block, "st_p", "in", block.array())
    a = block.array(value=-7.0)
    bind(tv, block, "st_a", "out", a)
    with pytest.raises(bridge.ArgumentError, match=words):
        tv.run("cells", "stRoot", box=box)
    assert (a == -7.0).all()


def test_a_block_without_points_needs_no_fringe(tv: TVProperties) -> None:
    """A rank without cells calls what the others call."""
    for name, intent in (("st_p", "in"), ("st_c", "out")):
        tv.bind("cells", name, intent, 0, [0, 4, 3, 1, 0, 1, 4, 1, 3, 1, 1, 1])
    assert tv.run("cells", "stSmoothed") == 0
    assert tv.run("cells", "stSmoothed", box=(1, 0, 1, 4, 1, 3)) == 0
    tv.run_begin("cells", "stSmoothed")
    assert tv.wait("cells") == 0


def test_neighbours_of_what_is_written_are_refused(tv: TVProperties) -> None:
    block = Block((9, 4, 3))
    u = block.array(3)
    bind(tv, block, "st_u", "in", u)
    bind(tv, block, "st_ghost", "out", u)
    before = u.copy(order="F")
    with pytest.raises(bridge.ArgumentError, match="reads around its points, at"):
        tv.run("cells", "stInflow")
    np.testing.assert_array_equal(u, before)


def test_views_have_no_neighbours(tv: TVProperties) -> None:
    with pytest.raises(bridge.StateError, match="stLaplacian reads neighbours .* frame_run"):
        tv.launch("stLaplacian", 3)


def test_bits_do_not_depend_on_threads(tv: TVProperties, monkeypatch: pytest.MonkeyPatch) -> None:
    block = Block((40, 9, 7), WIDE)
    p, u = block.array(), block.array(3)
    found = []
    for threads in (1, 3):
        frame = bridge.Frame()
        frame.set("threads", threads)
        frame.initialize(0, 64, 0, 5)
        div = block.array(value=-7.0)
        bind(frame.tvproperties, block, "st_p", "in", p)
        bind(frame.tvproperties, block, "st_u", "in", u)
        bind(frame.tvproperties, block, "st_div", "out", div)
        frame.tvproperties.run("cells", "stDivergence")
        found.append(div)
        frame.finalize()
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("extent", [(45, 3, 2), (34, 9, 2)])
@pytest.mark.parametrize("name", ["stLaplacian", "stDivergence", "stCorner"])
def test_bits_do_not_depend_on_place_or_layout(
    tv: TVProperties, name: str, extent: tuple[int, int, int]
) -> None:
    """The last lanes of a row, component-first arrays, other types: the same arithmetic."""
    block, turned = Block(extent), Block(extent, first=True)
    p, u = block.array(dtype="float32"), block.array(3, dtype="float32")
    out = {"stLaplacian": "st_lap", "stDivergence": "st_div", "stCorner": "st_corner"}[name]
    found = []
    for case in ("double", "single", "scaled", "first", "points"):
        own = turned if case == "first" else block
        kind = "float32" if case == "single" else "float64"
        scale = 0.25 if case == "scaled" else 1.0
        mine = np.asfortranarray((u / scale).astype(kind))
        if case == "first":
            mine = np.asfortranarray(np.moveaxis(mine, -1, 0))
        result = block.array(value=-7.0)
        bind(tv, own, "st_p", "in", np.asfortranarray((p / scale).astype(kind)), scale=scale)
        bind(tv, own, "st_u", "in", mine, scale=scale)
        bind(tv, own, out, "out", result)
        if case == "points":
            for i in range(1, extent[0] + 1):
                tv.run("cells", name, box=[i, i, 1, extent[1], 1, extent[2]])
        else:
            tv.run("cells", name)
        found.append(result)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
