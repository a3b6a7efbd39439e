"""Kernels with colours, against loops in Python: red points first, then black ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks import orders
from blocks.arena import Arena
from blocks.orders import coloured, points, red_black
from blocks.stencils import WIDE, Block, bind

import bridge
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.order import Order
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

EXTENTS = [
    (32, 3, 2),
    (37, 4, 3),
    (5, 6, 4),
    (1, 9, 5),
    (3, 40, 2),
    (8, 1, 6),
    (7, 5, 1),
    (1, 1, 1),
]


@pytest.mark.parametrize("extent", EXTENTS)
def test_gauss_seidel(ordered: TVProperties, extent: tuple[int, int, int]) -> None:
    block = Block(extent)
    p, f = block.array(), block.array()
    wanted = p.copy(order="F")
    bind(ordered, block, "od_p", "inout", p)
    bind(ordered, block, "od_f", "in", f)
    for _ in range(2):
        ordered.run("cells", "odRedBlack")
        coloured(block, red_black(wanted, f))
    np.testing.assert_allclose(p, wanted, rtol=0, atol=1e-13)
    assert (block.outside(p) == block.outside(wanted)).all()


def test_poisson_converges(ordered: TVProperties) -> None:
    """The discrete solution: its residual vanishes at all points."""
    block = Block((17, 9, 6), ((1, 1), (1, 1), (1, 1)))
    p, f, residual = block.array(value=0.0), block.array(), block.array(value=-7.0)
    bind(ordered, block, "od_p", "inout", p)
    bind(ordered, block, "od_f", "in", f)
    bind(ordered, block, "od_res", "out", residual)
    for _ in range(150):
        ordered.run("cells", "odRedBlack")
    ordered.run("cells", "odResidual")
    assert np.abs(block.at(residual)).max() < 1e-12 < np.abs(block.at(p)).max()


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("extent", [(33, 4, 3), (9, 5, 2)])
def test_components_integers_and_positions(
    ordered: TVProperties, extent: tuple[int, int, int], first: bool
) -> None:
    """Components read each other; an output that is no input has all its points."""
    block = Block(extent, first=first)
    u, f = block.array(3), block.array()
    parity = np.full(block.shape, -7, np.int32, order="F")
    wanted, marks = u.copy(order="F"), parity.copy(order="F")
    w = np.moveaxis(wanted, 0, -1) if first else wanted

    def work(i: int, j: int, k: int) -> None:
        old = w[i, j, k].copy()
        w[i, j, k] = (
            np.roll(old, -1) + 0.25 * (w[i + 1, j, k] - w[i, j - 1, k])
            - 0.5 * (w[i - 1, j, k] + w[i, j + 1, k]) + f[i, j, k + 1]
        )  # fmt: skip
        marks[i, j, k] = (i + 1) % 2

    bind(ordered, block, "od_u", "inout", u)
    bind(ordered, block, "od_f", "in", f)
    bind(ordered, block, "od_parity", "out", parity)
    ordered.run("cells", "odVector")
    coloured(block, work)
    np.testing.assert_allclose(u, wanted, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(parity, marks)


def test_more_components_than_registers_hold(ordered: TVProperties) -> None:
    block = Block((35, 3, 5), ((0, 0), (0, 0), (1, 1)))
    u = block.array(9)
    wanted = u.copy(order="F")

    def work(i: int, j: int, k: int) -> None:
        w = wanted[i, j]
        w[k] = w[k - 1] + 0.5 * w[k + 1][::-1] - 0.25 * w[k][::-1]

    bind(ordered, block, "od_wide", "inout", u)
    ordered.run("cells", "odWide")
    coloured(block, work)
    np.testing.assert_allclose(u, wanted, rtol=0, atol=1e-13)


def test_whole_vectors_of_singles(ordered: TVProperties) -> None:
    """Rows of whole vectors of real(4), as rows end and begin; what real(4) does not hold is NaN,
    and the other colour keeps every bit."""
    for extent in ((70, 3, 2), (33, 2, 1)):
        block = Block(extent, dtype="float32")
        p, f = block.array(), block.array()
        i, j, k = (low for low, _ in block.layers)
        for x in (i + 8, i + 17):  # of each colour a point that becomes too large for real(4)
            f[x, j, k] = 3.3e38
            p[x - 1, j, k] = p[x + 1, j, k] = p[x, j - 1, k] = p[x, j + 1, k] = -3.0e38
            p[x, j, k - 1] = p[x, j, k + 1] = -3.0e38
        before = p.copy(order="F")
        wanted = p.astype(np.float64)
        bind(ordered, block, "od_p", "inout", p)
        bind(ordered, block, "od_f", "in", f)
        with np.errstate(over="ignore", invalid="ignore"):
            for colour in (1, 2):
                ordered.run("cells", "odRedBlack", colour=colour)
                coloured(block, red_black(wanted, f), colours=(colour,))
                lost = np.abs(wanted) > np.finfo(np.float32).max
                wanted[lost] = np.nan
                wanted[...] = wanted.astype(np.float32)
        assert np.isnan(wanted).any()
        np.testing.assert_array_equal(np.isnan(p), np.isnan(wanted))
        np.testing.assert_allclose(p, wanted, rtol=3e-7, atol=1e-6)
        assert (block.outside(p) == block.outside(before)).all()


@pytest.mark.parametrize(
    "dtype, scale, tolerance", [("float32", 1.0, 1e-5), ("float64", 0.5, 1e-13)]
)
def test_elements_and_scales(
    ordered: TVProperties, dtype: str, scale: float, tolerance: float
) -> None:
    block = Block((21, 4, 3), dtype=dtype)
    p, f = block.array(), Block((21, 4, 3), seed=2).array()
    wanted = p.astype(np.float64) * scale
    bind(ordered, block, "od_p", "inout", p, scale=scale)
    bind(ordered, block, "od_f", "in", f)
    ordered.run("cells", "odRedBlack")
    coloured(block, red_black(wanted, f))
    np.testing.assert_allclose(p * scale, wanted, rtol=0, atol=tolerance)


def test_ranks_agree(ordered: TVProperties) -> None:
    """Two parts with positions of one domain, whose fringes are exchanged between the colours,
    give the bits of one."""
    whole = Block((20, 5, 4), ((1, 1), (1, 1), (1, 1)))
    p, f = whole.array(), whole.array()
    parts = [p[:10].copy(order="F"), p[8:].copy(order="F")]
    bind(ordered, whole, "od_p", "inout", p)
    bind(ordered, whole, "od_f", "in", f)
    ordered.run("cells", "odRedBlack")
    half = [Block((8, 5, 4), whole.layers), Block((12, 5, 4), whole.layers)]
    for number, block in enumerate(half):
        name, low = f"part{number}", 8 * number
        mine = np.asfortranarray(f[low : low + block.shape[0]])
        bind(ordered, block, "od_p", "inout", parts[number], name)
        bind(ordered, block, "od_f", "in", mine, name)
        ordered.position(name, 2 + low, 2, 2)
    for colour in (1, 2):
        for number in range(2):
            ordered.run(f"part{number}", "odRedBlack", colour=colour)
        parts[0][9], parts[1][0] = parts[1][1], parts[0][8]
    np.testing.assert_array_equal(parts[0][1:9, 1:-1, 1:-1], p[1:9, 1:-1, 1:-1])
    np.testing.assert_array_equal(parts[1][1:-1, 1:-1, 1:-1], p[9:-1, 1:-1, 1:-1])


@pytest.mark.parametrize("colour", [1, 2])
def test_one_colour_leaves_the_other(ordered: TVProperties, colour: int) -> None:
    block = Block((19, 4, 3))
    p, f = block.array(), block.array()
    wanted = p.copy(order="F")
    bind(ordered, block, "od_p", "inout", p)
    bind(ordered, block, "od_f", "in", f)
    ordered.position("cells", 4, -1, 3)
    ordered.run_begin("cells", "odRedBlack", colour=colour)
    ordered.wait("cells")
    coloured(block, red_black(wanted, f), (4, -1, 3), (colour,))
    np.testing.assert_allclose(p, wanted, rtol=0, atol=1e-13)


def test_boxes_are_worked_on_colour_by_colour(ordered: TVProperties) -> None:
    """Parts in one run give the bits of a run on all points; one box alone is that box."""
    block = Block((19, 6, 5))
    p, f = block.array(), block.array()
    parts, one, wanted = (p.copy(order="F") for _ in range(3))
    bind(ordered, block, "od_f", "in", f)
    bind(ordered, block, "od_p", "inout", p)
    ordered.run("cells", "odRedBlack")
    bind(ordered, block, "od_p", "inout", parts)
    ordered.run(
        "cells", "odRedBlack", box=[1, 10, 1, 6, 1, 5, 11, 19, 1, 3, 1, 5, 11, 19, 4, 6, 1, 5]
    )
    np.testing.assert_array_equal(parts, p)
    bind(ordered, block, "od_p", "inout", one)
    ordered.run("cells", "odRedBlack", box=[4, 11, 2, 5, 3, 3])
    coloured(
        block, red_black(wanted, f),
        where=lambda i, j, k: 5 <= i <= 12 and 2 <= j <= 5 and k == 3,
    )  # fmt: skip
    np.testing.assert_allclose(one, wanted, rtol=0, atol=1e-13)


def test_a_mask_keeps_points(ordered: TVProperties) -> None:
    block = Block((18, 4, 3))
    p, f = block.array(), block.array()
    wanted = p.copy(order="F")
    blank = np.ones(block.shape, np.int32, order="F")
    blank[::5, 1::2] = 0
    bind(ordered, block, "od_p", "inout", p)
    bind(ordered, block, "od_f", "in", f)
    bind(ordered, block, "iblank", "in", blank)
    ordered.run("cells", "odRedBlack")
    coloured(block, red_black(wanted, f), where=lambda i, j, k: bool(blank[i, j, k]))
    np.testing.assert_allclose(p, wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("both", [False, True])
def test_steps(ordered: TVProperties, both: bool, dtype: str) -> None:
    """Two turns of a smoother and what reads its result around each point, the fringe included."""
    block = Block((22, 5, 4), dtype=dtype)
    p, f, residual = block.array(), Block((22, 5, 4)).array(), Block((22, 5, 4)).array(value=-7.0)
    wanted, before = p.astype(np.float64), p.copy(order="F")
    bind(ordered, block, "od_p", "inout" if both else "in", p)
    bind(ordered, block, "od_f", "in", f)
    bind(ordered, block, "od_res", "out", residual)
    ordered.run("cells", "odSmoothed")
    coloured(block, red_black(wanted, f))
    coloured(block, red_black(wanted, f))
    tolerance = 1e-12 if dtype == "float64" else 2e-6
    np.testing.assert_allclose(p, wanted if both else before, rtol=0, atol=tolerance)
    for i, j, k in points(block):
        around = wanted[i + 1, j, k] + wanted[i - 1, j, k] + wanted[i, j + 1, k]
        around += wanted[i, j - 1, k] + wanted[i, j, k + 1] + wanted[i, j, k - 1]
        there = around - 6.0 * wanted[i, j, k] - f[i, j, k]
        assert abs(residual[i, j, k] - there) < 1e-12  # what is between is exact
    assert (block.outside(residual) == -7.0).all()


@pytest.mark.parametrize("bound", [("od_res",), ("od_w", "od_res"), ("od_w",)])
def test_what_an_earlier_step_makes_is_coloured(
    ordered: TVProperties, bound: tuple[str, ...]
) -> None:
    """Around the interior the later steps find what the first one made there."""
    block = Block((21, 3, 2), ((1, 2), (0, 0), (0, 0)))
    f = block.array()
    out = {name: block.array(value=-7.0) for name in bound}
    bind(ordered, block, "od_f", "in", f)
    for name, array in out.items():
        bind(ordered, block, name, "out", array)
    ordered.run("cells", "odRelaxed")
    w = 2.0 * f

    def work(i: int, j: int, k: int) -> None:
        w[i, j, k] = 0.5 * (w[i - 1, j, k] + w[i + 1, j, k])

    coloured(block, work)
    if "od_w" in out:
        np.testing.assert_allclose(block.at(out["od_w"]), block.at(w), rtol=0, atol=1e-14)
    if "od_res" in out:
        slope = block.at(w, 2, 0, 0) - block.at(w, -1, 0, 0)
        np.testing.assert_allclose(block.at(out["od_res"]), slope, rtol=0, atol=1e-13)
    for array in out.values():
        assert (block.outside(array) == -7.0).all()


def test_colours_come_after_all_earlier_steps(ordered: TVProperties) -> None:
    """One of these reads around each point what the colours then replace."""
    block = Block((21, 3, 2), ((1, 2), (0, 0), (0, 0)))
    f, w, res = block.array(), block.array(value=-7.0), block.array(value=-7.0)
    bind(ordered, block, "od_f", "in", f)
    bind(ordered, block, "od_w", "out", w)
    bind(ordered, block, "od_res", "out", res)
    ordered.run("cells", "odSlopeOfOld")
    wanted = 2.0 * f
    slope = block.at(wanted, 2, 0, 0) - block.at(wanted, -1, 0, 0)

    def work(i: int, j: int, k: int) -> None:
        wanted[i, j, k] = 0.5 * (wanted[i - 1, j, k] + wanted[i + 1, j, k])

    coloured(block, work)
    np.testing.assert_allclose(block.at(w), block.at(wanted), rtol=0, atol=1e-14)
    np.testing.assert_allclose(block.at(res), slope, rtol=0, atol=1e-13)


def test_bits_do_not_depend_on_threads(ordered: TVProperties) -> None:
    block = Block((40, 19, 17), WIDE)
    f, start, found = block.array(), block.array(), []
    for threads in (1, 3):
        frame = bridge.Frame()
        frame.set("threads", threads)
        frame.initialize(0, 64, 0, 5)
        p = start.copy(order="F")
        bind(frame.tvproperties, block, "od_p", "inout", p)
        bind(frame.tvproperties, block, "od_f", "in", f)
        frame.tvproperties.run("cells", "odRedBlack")
        found.append(p)
        frame.finalize()
    np.testing.assert_array_equal(found[0], found[1])


# ---- refusals -----------------------------------------------------------------------------------


def test_what_has_no_such_colour_is_refused(ordered: TVProperties) -> None:
    block = Block((9, 4, 3))
    p = block.array()
    before = p.copy(order="F")
    bind(ordered, block, "od_p", "inout", p)
    bind(ordered, block, "od_f", "in", block.array())
    bind(ordered, block, "od_res", "out", block.array())
    with pytest.raises(bridge.ArgumentError, match="colour: got True, wanted 1 or 2"):
        ordered.run("cells", "odRedBlack", colour=True)
    colours: list[Any] = [[1], "red", 1.0]
    for none in colours:
        with pytest.raises(bridge.ArgumentError, match="colour: got .*, wanted a whole number"):
            ordered.run_begin("cells", "odRedBlack", colour=none)
    with pytest.raises(bridge.ArgumentError, match="colour: got 3, wanted 1 or 2"):
        ordered.run("cells", "odRedBlack", colour=3)
    for name in ("odResidual", "odSmoothed"):
        with pytest.raises(
            bridge.ArgumentError, match=f"colour: got 1 of {name}, wanted a kernel"
        ):
            ordered.run("cells", name, colour=1)
    boxes = [1, 4, 1, 4, 1, 3, 5, 9, 1, 4, 1, 3]
    with pytest.raises(
        bridge.ArgumentError, match="odSmoothed runs on 2 boxes, .*odRedBlack has colours"
    ):
        ordered.run("cells", "odSmoothed", box=boxes)
    with pytest.raises(bridge.StateError, match="odRedBlack reads neighbours"):
        ordered.launch("odRedBlack", 3)
    np.testing.assert_array_equal(p, before)


def test_a_fringe_that_is_missing_is_refused(ordered: TVProperties) -> None:
    block = Block((9, 4, 3), ((1, 1), (1, 0), (1, 1)))
    p = block.array()
    bind(ordered, block, "od_p", "inout", p)
    bind(ordered, block, "od_f", "in", block.array())
    with pytest.raises(bridge.ArgumentError, match="a fringe of 0 layers above y"):
        ordered.run("cells", "odRedBlack")


@pytest.mark.parametrize("kernel", ["odRedBlack", "odSmoothed", "odPenta"])
def test_many_blocks_are_refused(ordered: TVProperties, kernel: str) -> None:
    arrays = {name: Arena([(4, 3, 2), (5, 4, 3)]) for name in ("od_p", "od_r", "od_f", "od_res")}
    for name, arena in arrays.items():
        arena.bind(ordered, name, "in" if name == "od_f" else "inout", set="blocks")
    before = {name: arena.memory.copy() for name, arena in arrays.items()}
    message = "argument set: got 'blocks', which has many blocks.*wanted sets of one block each"
    with pytest.raises(bridge.ArgumentError, match=message):
        ordered.run("blocks", kernel)
    for name, arena in arrays.items():
        np.testing.assert_array_equal(arena.memory, before[name])


@pytest.mark.parametrize(
    "lines, words",
    [
        ("colours = 3", "colours: got 3 .*wanted 2"),
        ('colours = 2\nsweep = "x+"', "sweep: got also 'colours'"),
        ("colours = 2\nprivate = 3", "private: got no 'sweep'"),
        ("colours = 2\nreads.q_b = { x = [-1, 1] }", "colours: got colours = 2 .*'reads' of a"),
        ("reads.q_a = { x = [-1, 1] }", "also writes, wanted .*'colours' or a 'sweep'"),
    ],
)
def test_catalogues_that_contradict_themselves(tmp_path: Path, lines: str, words: str) -> None:
    with pytest.raises(bridge.ArgumentError, match=words):
        Catalogue.load([shipped_file(), orders.rewriting(tmp_path, lines)])


def test_even_offsets_of_what_is_written_are_refused() -> None:
    order = Order()
    order.check_offsets("k", {"p"}, {"p": {(0, 0, 0), (1, 0, 0), (0, -1, 2)}, "f": {(1, 1, 0)}})
    for offset in ((1, 1, 0), (0, 0, 2), (-1, 0, 1)):
        with pytest.raises(bridge.ArgumentError, match="odd sum"):
            order.check_offsets("k", {"p"}, {"p": {offset}})
