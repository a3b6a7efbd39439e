"""Stripes in and out of fringe arrays: an identity on the interior, nothing on the fringes.

Checked against NumPy slicing for every box that hypothesis can find.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bridge.backends.cpu import CpuBackend
from bridge.errors import ArgumentError
from bridge.memory.marshal import Bounds, StripeTransfer
from bridge.memory.views import View2D
from bridge.timers import Timer

pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

BACKEND = CpuBackend(threads=1)
UNTOUCHED = -7.25


@st.composite
def boxes(draw: st.DrawFn) -> Any:
    """Interior extents, fringes 0 to 4 on each side, data range, stripe, layout."""
    interior = [draw(st.integers(0 if axis else 1, 7)) for axis in range(3)]
    low = [draw(st.integers(0, 4)) for _ in range(3)]
    high = [draw(st.integers(0, 4)) for _ in range(3)]
    # An array has at least one storage position along each axis.
    high = [max(h, 1 - m - l) for h, m, l in zip(high, interior, low, strict=True)]
    n_data = draw(st.integers(1, 5))
    first = draw(st.integers(1, n_data))
    last = draw(st.integers(first, n_data))
    points = int(np.prod(interior))
    start = draw(st.integers(1, points + 1))
    end = draw(st.integers(start - 1, points))
    component_first = draw(st.booleans())
    return interior, low, high, n_data, first, last, start, end, component_first


def describe(box: Any) -> Any:
    interior, low, high, n_data, first, last, start, end, component_first = box
    extent = tuple(m + l + h for m, l, h in zip(interior, low, high, strict=True))
    start_position = tuple(min(l + 1, n) for l, n in zip(low, extent, strict=True))
    end_position = tuple(s + m - 1 for s, m in zip(start_position, interior, strict=True))
    bounds = Bounds(
        extent, start_position, end_position, first, last, -n_data if component_first else n_data
    )
    slices = tuple(slice(s - 1, e) for s, e in zip(start_position, end_position, strict=True))
    return extent, bounds, slices


def expected_columns(array: Any, slices: Any, first: Any, last: Any, component_first: Any) -> Any:
    """Interior points, x fastest, by NumPy alone: shape (columns, points)."""
    if component_first:
        array = np.moveaxis(array, 0, 3)
    interior = array[slices][..., first - 1 : last]
    return interior.reshape(-1, last - first + 1, order="F").T


def make(extent: Any, n_data: Any, component_first: Any) -> Any:
    shape = (n_data, *extent) if component_first else (*extent, n_data)
    values = np.arange(np.prod(shape), dtype=float) + 0.5
    return np.asfortranarray(values.reshape(shape, order="F"))


@settings(max_examples=300)
@given(boxes())
def test_stripe_in_matches_numpy_and_leaves_the_rest_of_the_view(box: Any) -> None:
    _, _, _, n_data, first, last, start, end, component_first = box
    extent, bounds, slices = describe(box)
    array = make(extent, n_data, component_first)
    before = array.copy()
    n = end - start + 1
    view = View2D(BACKEND, "Y", "1", max(n, 1) + 3, last - first + 1, "float64")
    view.array[...] = UNTOUCHED
    transfer = StripeTransfer(BACKEND, view, array.ctypes.data, bounds, True, Timer("in"))
    assert transfer.run(start, end) == n
    expected = expected_columns(array, slices, first, last, component_first)[:, start - 1 : end]
    np.testing.assert_array_equal(view.array[:, :n], expected)
    assert (view.array[:, n:] == UNTOUCHED).all()
    np.testing.assert_array_equal(array, before)


@settings(max_examples=300)
@given(boxes())
def test_round_trip_is_the_identity_on_the_stripe_and_touches_nothing_else(box: Any) -> None:
    _, _, _, n_data, first, last, start, end, component_first = box
    extent, bounds, slices = describe(box)
    source = make(extent, n_data, component_first)
    target = np.full_like(source, UNTOUCHED)
    n = end - start + 1
    view = View2D(BACKEND, "Y", "1", max(n, 1), last - first + 1, "float64")
    arguments = (bounds, True, Timer("t"))
    StripeTransfer(BACKEND, view, source.ctypes.data, *arguments).run(start, end)
    arguments = (bounds, False, Timer("t"))
    StripeTransfer(BACKEND, view, target.ctypes.data, *arguments).run(start, end)
    moved = np.zeros(int(np.prod(bounds.box().extent)), dtype=bool)
    moved[start - 1 : end] = True
    got = expected_columns(target, slices, first, last, component_first)
    want = expected_columns(source, slices, first, last, component_first)
    np.testing.assert_array_equal(got[:, moved], want[:, moved])
    assert (got[:, ~moved] == UNTOUCHED).all()
    assert np.count_nonzero(target != UNTOUCHED) == n * (last - first + 1)


def test_a_block_in_many_stripes_is_the_block_in_one() -> None:
    box = ([5, 4, 3], [2, 0, 1], [1, 3, 0], 4, 2, 3, 1, 60, False)
    extent, bounds, slices = describe(box)
    source = make(extent, 4, False)
    target = np.full_like(source, UNTOUCHED)
    view = View2D(BACKEND, "Y", "1", 7, 2, "float64")
    into = StripeTransfer(BACKEND, view, source.ctypes.data, bounds, True, Timer("t"))
    out = StripeTransfer(BACKEND, view, target.ctypes.data, bounds, False, Timer("t"))
    for start in range(1, 61, 7):
        end = min(start + 6, 60)
        into.run(start, end)
        out.run(start, end)
    np.testing.assert_array_equal(target[slices][..., 1:3], source[slices][..., 1:3])
    assert np.count_nonzero(target != UNTOUCHED) == 120


GOOD: dict[str, Any] = dict(
    extent=(6, 5, 4), start=(2, 1, 1), end=(5, 5, 4), data_start=1, data_end=2, n_data=2
)


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        (dict(extent=(-1, 5, 4)), "nx"),
        (dict(extent=(6, -1, 4)), "ny"),
        (dict(extent=(6, 5, -7)), "nz"),
        (dict(extent=(0, 5, 4)), "EptX"),
        (dict(extent=(6, 5, 0)), "EptZ"),
        (dict(extent=(0, 5, 4), end=(1, 6, 4)), "EptY"),
        (dict(extent=(0, 5, 4), end=(2, 5, 4)), "EptX"),
        (dict(start=(0, 1, 1)), "SptX"),
        (dict(start=(7, 1, 1), end=(7, 5, 4)), "SptX"),
        (dict(end=(7, 5, 4)), "EptX"),
        (dict(start=(2, 6, 1), end=(5, 7, 4)), "SptY"),
        (dict(start=(5, 1, 1), end=(1, 6, 4)), "EptY"),
        (dict(end=(5, 6, 4)), "EptY"),
        (dict(end=(5, 5, 5)), "EptZ"),
        (dict(data_start=0), "SptData"),
        (dict(data_start=3, data_end=3), "EptData"),
        (dict(data_end=3), "EptData"),
    ],
)
def test_crossed_bounds_are_refused_by_name(change: Any, argument: Any) -> None:
    with pytest.raises(ArgumentError) as refused:
        Bounds(**(GOOD | change)).check()
    assert refused.value.argument == argument


@pytest.mark.parametrize("end", [1, 0, -2])
@pytest.mark.parametrize("n_data", [2, -2])
def test_an_extent_of_zero_is_an_empty_block(end: Any, n_data: Any) -> None:
    """Positions along it name nothing: a rank without points has SptX = 3, EptX = nx - 2 = -2."""
    change = dict(extent=(0, 5, 4), start=(2, 1, 1), end=(end, 5, 4), n_data=n_data)
    bounds = Bounds(**(GOOD | change))
    bounds.check()
    assert bounds.box().extent == (0, 5, 4) and bounds.box().points == 0


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("start, end", [(7, 6), (5, 1), (1, -3), (90, 7), (-4, -5)])
def test_an_axis_may_end_anywhere_before_it_begins(axis: int, start: int, end: int) -> None:
    """As a loop of no rounds; what lies around no points is all of the array, and no more."""
    starts, ends = list(GOOD["start"]), list(GOOD["end"])
    starts[axis], ends[axis] = start, end
    bounds = Bounds(**(GOOD | dict(start=tuple(starts), end=tuple(ends))))
    bounds.check()
    box, fringe, n = bounds.box(), bounds.fringe, GOOD["extent"][axis]
    assert box.points == box.extent[axis] == 0
    assert fringe.lower[axis] + fringe.upper[axis] == n and fringe.lower[axis] >= 0
    grown = bounds.place(0, 2).grown(fringe)
    assert (grown.box.extent, grown.box.offset) == (GOOD["extent"], 0)


def test_no_components_are_no_points_of_a_bound_array() -> None:
    bounds = Bounds.from_twelve([6, 5, 4, 2, 5, 1, 5, 1, 4, 3, 1, 0])
    bounds.check()
    assert bounds.columns == 0
    with pytest.raises(ArgumentError, match="nData: got 0"):
        Bounds.from_twelve([6, 5, 4, 2, 5, 1, 5, 1, 4, 1, 1, 0])


@pytest.mark.parametrize("inward", [True, False])
def test_the_address_of_an_empty_block_is_not_looked_at(inward: Any) -> None:
    view = View2D(BACKEND, "Y", "1", 30, 2, "float64")
    view.array[...] = UNTOUCHED
    bounds = Bounds(**{**GOOD, "extent": (6, 0, 4), "start": (2, 1, 1), "end": (5, 0, 4)})
    for address in (0, 1):
        transfer = StripeTransfer(BACKEND, view, address, bounds, inward, Timer("t"))
        assert transfer.run(1, 0) == 0
        with pytest.raises(ArgumentError, match="at most the block's 0 points"):
            transfer.run(1, 1)
    assert (view.array == UNTOUCHED).all()


@pytest.mark.parametrize(
    ("start", "end", "argument"),
    [(0, 3, "stripeStart"), (78, 81, "stripeEnd"), (5, 3, "stripeEnd"), (1, 31, "stripeEnd")],
)
def test_stripes_outside_block_or_view_are_refused_and_move_nothing(
    start: Any, end: Any, argument: Any
) -> None:
    array = np.asfortranarray(np.random.default_rng(1).random((6, 5, 4, 2)))
    before = array.copy()
    view = View2D(BACKEND, "Y", "1", 30, 2, "float64")
    view.array[...] = UNTOUCHED
    for inward in (True, False):
        view.mark(30)
        transfer = StripeTransfer(
            BACKEND, view, array.ctypes.data, Bounds(**GOOD), inward, Timer("t")
        )
        with pytest.raises(ArgumentError) as refused:
            transfer.run(start, end)
        assert refused.value.argument == argument
    np.testing.assert_array_equal(array, before)
    assert (view.array == UNTOUCHED).all()


def test_width_must_be_the_views() -> None:
    view = View2D(BACKEND, "Y", "1", 10, 3, "float64")
    array = np.zeros((6, 5, 4, 2), order="F")
    with pytest.raises(ArgumentError, match="the 3 of view 'Y'"):
        StripeTransfer(BACKEND, view, array.ctypes.data, Bounds(**GOOD), True, Timer("t"))


def test_more_than_the_view_holds_is_not_extracted() -> None:
    view = View2D(BACKEND, "Y", "1", 10, 2, "float64")
    array = np.full((6, 5, 4, 2), UNTOUCHED, order="F")
    transfer = StripeTransfer(BACKEND, view, array.ctypes.data, Bounds(**GOOD), False, Timer("t"))
    view.mark(4)
    with pytest.raises(ArgumentError, match="holds"):
        transfer.run(1, 5)
    assert (array == UNTOUCHED).all()
