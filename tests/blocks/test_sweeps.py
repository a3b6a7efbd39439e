"""Kernels with a sweep, against loops in Python: along each line point after point."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from blocks import orders
from blocks.orders import SWEEPS
from blocks.stencils import Block, bind

import bridge
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.fringe import Fringe
from bridge.plan.order import Order
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

#: Interiors: whole vectors, ends within a vector, axes of one point, short axes beside long ones,
#: lines that are cut into pieces.
EXTENTS = [
    (32, 3, 4),
    (21, 18, 3),
    (5, 37, 6),
    (2, 3, 40),
    (1, 9, 5),
    (8, 1, 6),
    (7, 5, 1),
    (1, 1, 1),
    (400, 5, 2),
    (7, 2, 350),
]
NONE = ((0, 0), (0, 0), (0, 0))


def lines(block: Block, array: np.ndarray, axis: int, up: bool = True) -> np.ndarray:
    """The interior with a sweep's axis first, in its order: a view."""
    inner = tuple(
        slice(low, low + n) for n, (low, _) in zip(block.extent, block.layers, strict=True)
    )
    found = np.moveaxis(array[inner], axis, 0)
    return found if up else found[::-1]


def thomas(a: np.ndarray, b: np.ndarray, c: np.ndarray, x: np.ndarray) -> None:
    """Solve along the first axis, in place."""
    cp = np.zeros_like(x)
    for n in range(len(x)):
        m = 1.0 / (b[n] - (a[n] * cp[n - 1] if n else 0.0))
        cp[n] = c[n] * m
        x[n] = (x[n] - (a[n] * x[n - 1] if n else 0.0)) * m
    for n in reversed(range(len(x) - 1)):
        x[n] -= cp[n] * x[n + 1]


@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("extent", EXTENTS)
def test_thomas(ordered: TVProperties, extent: tuple[int, int, int], sweep: str) -> None:
    """Forward and back without any fringe; x solves the system of each line."""
    axis, up = "xyz".index(sweep[0]), sweep[1] == "+"
    block = Block(extent, NONE)
    arrays = {name: block.array() for name in ("od_a", "od_b", "od_c", "od_x")}
    arrays["od_b"] += np.copysign(4.0, arrays["od_b"])
    wanted = arrays["od_x"].copy(order="F")
    for name, array in arrays.items():
        bind(ordered, block, name, "inout" if name == "od_x" else "in", array)
    ordered.run("cells", f"odThomas{sweep[0].upper()}{'Up' if up else 'Down'}")
    a, b, c = (lines(block, arrays[name], axis, up) for name in ("od_a", "od_b", "od_c"))
    x, right = (lines(block, one, axis, up) for one in (arrays["od_x"], wanted.copy()))
    thomas(a, b, c, lines(block, wanted, axis, up))
    np.testing.assert_allclose(arrays["od_x"], wanted, rtol=0, atol=1e-13)
    left = b * x
    left[1:] += a[1:] * x[:-1]
    left[:-1] += c[:-1] * x[1:]
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("sweep", ["x+", "y-", "z+"])
def test_thomas_with_fringes(ordered: TVProperties, sweep: str, first: bool) -> None:
    """Arrays of several layouts; what the first step makes may be bound too; fringes stay."""
    axis, up = "xyz".index(sweep[0]), sweep[1] == "+"
    block = Block((19, 7, 5))
    several = block.array(4)
    held = several if not first else np.asfortranarray(np.moveaxis(several, -1, 0))
    before = held.copy(order="F")
    x = block.array()
    start = x.copy(order="F")
    cp = block.array(value=-7.0)
    for number, name in enumerate(("od_a", "od_b", "od_c")):
        ordered.bind_array(
            "cells", name, "in", held, component_first=first, **block.box,
            SptData=number + 1, EptData=number + 1,
        )  # fmt: skip
    bind(ordered, block, "od_x", "inout", x)
    bind(ordered, block, "od_cp", "out", cp)
    kernel = f"{sweep[0].upper()}{'Up' if up else 'Down'}"
    ordered.run("cells", f"odForward{kernel}", box=[1, 19, 1, 7, 1, 5])
    bind(ordered, block, "od_cp", "in", cp)
    ordered.run("cells", f"odBackward{kernel}")
    wanted = start.copy(order="F")
    a, b, c = (lines(block, several[..., m], axis, up) for m in range(3))
    thomas(a, b, c, lines(block, wanted, axis, up))
    np.testing.assert_allclose(x, wanted, rtol=1e-10, atol=1e-10)
    assert (block.outside(x) == block.outside(start)).all()
    assert (block.outside(cp) == -7.0).all() and (held == before).all()


@pytest.mark.parametrize("dtype, scale", [("float64", 1.0), ("float32", 1.0), ("float64", 0.25)])
@pytest.mark.parametrize("extent", [(35, 9, 3), (5, 6, 4), (1, 8, 21), (5, 1100, 2)])
def test_two_points_behind(
    ordered: TVProperties, extent: tuple[int, int, int], dtype: str, scale: float
) -> None:
    """Without functions of the first points the fringe before the line is read."""
    block = Block(extent, ((0, 0), (2, 0), (0, 0)), dtype=dtype)
    r, f = block.array(), Block(extent, block.layers).array()
    wanted = scale * r.astype(np.float64)
    bind(ordered, block, "od_r", "inout", r, scale=scale)
    bind(ordered, block, "od_f", "in", f)
    ordered.run("cells", "odPenta")
    for j in range(2, 2 + extent[1]):
        wanted[:, j] += -0.5 * f[:, j] * wanted[:, j - 1] + 0.25 * wanted[:, j - 2]
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(scale * r, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_functions_of_the_first_and_last_points(ordered: TVProperties, n: int) -> None:
    """Two of the first and one of the last, on lines that may be shorter than these."""
    # of a line that the first ones fill, these might read ahead
    below = 1 if n < 3 else 0
    block = Block((18, 3, n), ((0, 0), (0, 0), (below, 0)))
    r, f = block.array(), block.array()
    wanted = r.copy(order="F")
    w, g = wanted[:, :, below:], f[:, :, below:]
    bind(ordered, block, "od_r", "inout", r)
    bind(ordered, block, "od_f", "in", f)
    ordered.run("cells", "odClosed")
    for step, k in enumerate(reversed(range(n))):
        if step == 0:
            w[:, :, k] = 3.0 * w[:, :, k] + g[:, :, k]
        elif step == 1:
            w[:, :, k] -= g[:, :, k] * w[:, :, k + 1]
        elif k == 0:
            w[:, :, k] = 7.0 * w[:, :, k] + g[:, :, k] * w[:, :, k + 1]
        else:
            w[:, :, k] += -0.5 * g[:, :, k - 1] * w[:, :, k + 1] + 0.25 * w[:, :, k + 2]
    np.testing.assert_allclose(r, wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("extent", [(9, 34, 3), (6, 5, 40), (1, 3, 2), (11, 1, 1), (600, 3, 2)])
def test_private_storage_begins_anew_on_each_line(
    ordered: TVProperties, extent: tuple[int, int, int], first: bool
) -> None:
    block = Block(extent, ((1, 0), (0, 0), (0, 0)), first=first)
    u, count = block.array(3), block.array(value=-7.0)
    wanted = u.copy(order="F")
    w = np.moveaxis(wanted, 0, -1) if first else wanted
    bind(ordered, block, "od_u", "inout", u)
    bind(ordered, block, "od_res", "out", count)
    for _ in range(2):
        ordered.run("cells", "odRunning")
        line = np.zeros((*extent[1:], 3))
        for i in range(1, 1 + extent[0]):
            line = 0.5 * line + w[i]
            w[i] = line + 0.25 * np.roll(w[i - 1], -1, axis=-1)
    np.testing.assert_allclose(u, wanted, rtol=0, atol=1e-12)
    places = np.arange(1, extent[0] + 1, dtype=float)[:, None, None]
    np.testing.assert_array_equal(block.at(count), np.broadcast_to(places, extent))


def test_boxes_and_masks(ordered: TVProperties) -> None:
    """A line of a box begins at the box's first point; blanked points keep what they have."""
    block = Block((12, 11, 3), ((0, 0), (2, 0), (0, 0)))
    r, f = block.array(), block.array()
    wanted, whole = r.copy(order="F"), r.copy(order="F")
    bind(ordered, block, "od_r", "inout", r)
    bind(ordered, block, "od_f", "in", f)
    ordered.run("cells", "odPenta", box=[2, 5, 4, 9, 1, 3, 7, 9, 4, 9, 2, 2])
    for columns, planes in ((slice(1, 5), slice(0, 3)), (slice(6, 9), slice(1, 2))):
        w, g = wanted[columns, :, planes], f[columns, :, planes]
        for j in range(5, 11):
            w[:, j] += -0.5 * g[:, j] * w[:, j - 1] + 0.25 * w[:, j - 2]
    np.testing.assert_allclose(r, wanted, rtol=0, atol=1e-12)
    blank = np.ones(block.shape, np.int32, order="F")
    blank[::3, 4] = 0
    masked = whole.copy(order="F")
    bind(ordered, block, "od_r", "inout", masked)
    bind(ordered, block, "iblank", "in", blank)
    ordered.run("cells", "odPenta")
    for j in range(2, 13):
        new = whole[:, j] - 0.5 * f[:, j] * whole[:, j - 1] + 0.25 * whole[:, j - 2]
        whole[:, j] = np.where(blank[:, j] != 0, new, whole[:, j])
    np.testing.assert_allclose(masked, whole, rtol=0, atol=1e-12)


def test_bits_do_not_depend_on_places(ordered: TVProperties) -> None:
    """Of inputs of several columns, an array and a constant: in whole vectors and, where a mask
    keeps lines out of tiles, at the ends of rows."""
    block = Block((37, 9, 5), ((0, 0), (1, 0), (0, 0)))
    random, k = np.random.default_rng(7), np.array([0.7, -0.3, 1.1])
    start, u = block.array(), block.array(3)
    start[...] = random.normal(size=(1, 10, 1))
    u[...] = random.normal(size=(1, 10, 1, 3))
    wanted = start.copy(order="F")
    for j in range(1, 10):
        wanted[:, j] = u[:, j, :, 0] * wanted[:, j] + k[0] * wanted[:, j - 1]
        wanted[:, j] += u[:, j, :, 1] * k[1] + k[2] * u[:, j, :, 2]
    ordered.constant("od_k", k)
    bind(ordered, block, "od_u", "in", u)
    for mask in (False, True):
        r = start.copy(order="F")
        bind(ordered, block, "od_r", "inout", r)
        if mask:
            bind(ordered, block, "iblank", "in", np.ones(block.shape, np.int32, order="F"))
        ordered.run("cells", "odAffine")
        np.testing.assert_allclose(r, wanted, rtol=1e-12)
        np.testing.assert_array_equal(r, np.broadcast_to(r[:1, :, :1], r.shape))


def test_a_sweep_between_steps_of_points(ordered: TVProperties) -> None:
    """It comes after a step whose result it reads at the point, and before one that reads its own
    result there."""
    block = Block((21, 4, 3), ((1, 0), (0, 0), (0, 0)))
    f, r, res = block.array(), block.array(), block.array(value=-7.0)
    wanted = r.copy(order="F")
    bind(ordered, block, "od_f", "in", f)
    bind(ordered, block, "od_r", "inout", r)
    bind(ordered, block, "od_res", "out", res)
    ordered.run("cells", "odBetween")
    for i in range(1, 22):
        wanted[i] += 0.5 * wanted[i - 1] - 2.0 * f[i]
    np.testing.assert_allclose(r, wanted, rtol=0, atol=1e-12)
    np.testing.assert_allclose(block.at(res), 2.0 * block.at(wanted), rtol=0, atol=1e-12)
    assert (res[0] == -7.0).all()


def test_bits_do_not_depend_on_threads(ordered: TVProperties) -> None:
    block, found = Block((37, 29, 31), NONE), []
    a, c, start = block.array(), block.array(), block.array()
    b = block.array(value=5.0)
    for threads in (1, 3):
        frame = bridge.Frame()
        frame.set("threads", threads)
        frame.initialize(0, 64, 0, 5)
        x = start.copy(order="F")
        for name, array in (("od_a", a), ("od_b", b), ("od_c", c)):
            bind(frame.tvproperties, block, name, "in", array)
        bind(frame.tvproperties, block, "od_x", "inout", x)
        for name in ("XUp", "YDown", "ZUp"):
            frame.tvproperties.run("cells", f"odThomas{name}")
        found.append(x)
        frame.finalize()
    np.testing.assert_array_equal(found[0], found[1])


# ---- refusals -----------------------------------------------------------------------------------


def test_a_fringe_that_is_missing_is_refused(ordered: TVProperties) -> None:
    block = Block((9, 4, 3), ((0, 0), (1, 0), (0, 0)))
    r = block.array()
    before = r.copy(order="F")
    bind(ordered, block, "od_r", "inout", r)
    bind(ordered, block, "od_f", "in", block.array())
    with pytest.raises(bridge.ArgumentError, match="a fringe of 1 layers below y.*1 missing"):
        ordered.run("cells", "odPenta")
    with pytest.raises(
        bridge.ArgumentError, match="colour: got 2 of odPenta, wanted a kernel whose"
    ):
        ordered.run("cells", "odPenta", colour=2)
    np.testing.assert_array_equal(r, before)


@pytest.mark.parametrize(
    "lines, words",
    [
        ('sweep = "x"', "sweep: got 'x' .*one of x\\+"),
        ('sweep = "x+"', "sweep: got sweep = \"x\\+\" .*'reads' of a quantity"),
        ('sweep = "x+"\nreads.q_a = { x = [-1, 1] }', "reads: got x = .*points of sweep x\\+"),
        ('sweep = "y-"\nreads.q_a = { y = [-1, 0] }', "reads: got y = .*like y = \\[0, 1\\]"),
        ('sweep = "z+"\nreads.q_a = { x = [-1, 0], z = [-1, 0] }', "points of sweep z\\+"),
        ('sweep = "x+"\nprivate = -1', "private: got -1"),
        ('sweep = "x+"\nprivate = 2\nfirst = "a b"', "first: got 'a b'"),
        ('last = "qLast"', "last: got no 'sweep'"),
    ],
)
def test_catalogues_that_contradict_themselves(tmp_path: Path, lines: str, words: str) -> None:
    with pytest.raises(bridge.ArgumentError, match=words):
        Catalogue.load([shipped_file(), orders.rewriting(tmp_path, lines)])


def test_offsets_that_a_sweep_does_not_allow() -> None:
    order = Order("y-", first=("one", "two"), last=("end",))
    fine = {"p": {(0, 0, 0), (0, 1, 0), (0, 3, 0)}, "f": {(1, -1, 0), (0, 2, 5)}}
    order.check_offsets("k", {"p"}, fine, "k")
    for offset in ((0, -1, 0), (1, 1, 0), (0, 0, 1)):
        with pytest.raises(bridge.ArgumentError, match="earlier points of sweep y-"):
            order.check_offsets("k", {"p"}, {"p": {offset}}, "k")
    order.check_offsets("k", {"p"}, {"f": {(0, 1, 0), (0, -1, 0)}}, "two")
    for function, offset in (("one", (0, 1, 0)), ("two", (0, 2, 0)), ("end", (0, -1, 0))):
        with pytest.raises(bridge.ArgumentError, match=f"{function} of k reads 'f'"):
            order.check_offsets("k", {"p"}, {"f": {offset}}, function)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_what_leaves_a_line(n: int) -> None:
    """Of x = [-3, 2], point by point: the first two and the last one have their functions."""
    order = Order("x+", first=("one", "two"), last=("end",))
    trimmed = order.trimmed(Fringe((3, 0, 1), (2, 0, 0)), (n, 1, 1))
    before = max([3 - p for p in range(n) if p >= 2] + [0])
    after = max([p + 2 - (n - 1) for p in range(n) if p < 2 or p < n - 1] + [0])
    assert trimmed == Fringe((before, 0, 1), (after, 0, 0))
