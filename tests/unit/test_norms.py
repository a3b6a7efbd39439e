"""Norms, counts and NaN of sets, and reductions over the ranks of a program of one rank."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.test_reduction import bits, tree
from unit.blocks import FRINGES
from unit.test_reductions import bound, by_point, position

import bridge

pytestmark = pytest.mark.usefixtures("backend")

Make = Callable[..., Any]


def test_norms_of_what_is_bound(make_frame: Make) -> None:
    tv, Q = bound(make_frame)
    Q[..., 1] -= 40.0  # u of both signs
    velocity = by_point(Q)[:, 1:4]
    u = velocity[:, 0]
    assert bits(tv.reduce("cells", "velocity", "l1", 1)) == bits(tree(abs(u)))
    assert bits(tv.reduce("cells", "velocity", "l2", 1)) == bits(math.sqrt(tree(u * u)))
    largest = abs(velocity).max(axis=0)
    assert tv.reduce("cells", "velocity", "linf", "each") == list(largest)
    assert tv.reduce("cells", "velocity", "linf") == largest.max()
    squares = [tree(column * column) for column in velocity.T]
    assert tv.reduce("cells", "velocity", "l2") == math.sqrt(sum(squares))
    (one,) = tv.reduction("cells", "velocity", "linf", 1)
    assert one.place == (*position(int(abs(u).argmax())), 1)
    Q[3, 3, 1, 1] = 0.0
    assert tv.reduce("cells", "velocity", "count", 1) == len(u) - 1
    assert tv.reduce("cells", "velocity", "nan") is False
    Q[4, 3, 2, 2] = np.nan
    assert tv.reduce("cells", "velocity", "nan", "each") == [False, True, False]
    assert tv.reduction("cells", "velocity", "nan")[0].place == (5, 4, 3, 2)
    assert math.isnan(tv.reduce("cells", "velocity", "linf"))
    assert math.isnan(tv.reduce("cells", "velocity", "l2"))
    assert tv.reduce("cells", "rho", "l1") > 0.0  # made by kernels


def test_status_counts_and_a_mask(make_frame: Make) -> None:
    tv, Q = bound(make_frame)
    Q[..., 0], Q[..., 4] = 1e7, 900.0
    assert tv.reduce("cells", "status", "count") == 0
    Q[3, 3, 1, 4] = Q[4, 3, 1, 4] = -1.0
    assert tv.reduce("cells", "status", "count") == 2
    Q[6, 3, 1, 0] = -1.0
    bits = tv.reduce("cells", "status", "bits")
    assert bits[:3] == [2, 1, 0] and len(bits) == 32  # BAD_T, BAD_P
    blank = np.ones(Q.shape[:3], np.int32, order="F")
    blank[3, 3, 1] = 0
    tv.bind_array("cells", "iblank", "in", blank, **FRINGES)
    assert tv.reduce("cells", "status", "count") == 2
    assert tv.allreduce("cells", "status", "count") == 2
    assert tv.allreduce("cells", "status", "bits")[:3] == [1, 1, 0]
    blank[...] = 0
    for operation in ("l1", "l2", "linf", "count", "sum"):
        assert tv.reduce("cells", "T", operation) == 0.0
        assert tv.allreduce("cells", "T", operation) == 0.0
    assert tv.allreduce("cells", "T", "minloc") == (math.inf, None, None)


def test_sums_over_ranks_depend_on_the_points_alone(make_frame: Make) -> None:
    """The same values in another order, in blocks of other sizes; near to the exact sum."""
    random = np.random.default_rng(1)
    values = random.normal(size=6000) * 10.0 ** random.integers(-8, 8, 6000)
    seen: dict[str, set[bytes]] = {"sum": set(), "l1": set(), "l2": set()}
    tv = make_frame().tvproperties
    for shape in ((6000, 1, 1), (60, 10, 10), (1, 6000, 1)):
        some = np.asfortranarray(random.permutation(values).reshape(shape))
        tv.bind_array("cells", "T", "in", some)
        for operation, found in seen.items():
            found.add(bits(tv.allreduce("cells", "T", operation)))
    exact = {
        "sum": math.fsum(values),
        "l1": math.fsum(abs(values)),
        "l2": math.sqrt(math.fsum(values * values)),
    }
    for operation, want in exact.items():
        (one,) = seen[operation]
        assert np.frombuffer(one)[0] == pytest.approx(want, rel=4e-16)


def test_sums_over_ranks_of_other_values(make_frame: Make) -> None:
    """Components, infinities, NaN, and sums that reach the largest number."""
    tv, Q = bound(make_frame)
    Y = by_point(Q)[:, 5:]
    each = [math.fsum(column) for column in Y.T]
    assert tv.allreduce("cells", "Y", "sum", "each") == pytest.approx(each, rel=1e-15)
    assert tv.allreduce("cells", "Y", "sum") == pytest.approx(len(Y), rel=1e-15)
    assert tv.allreduce("cells", "Y", "sum", 2) == pytest.approx(each[1], rel=1e-15)
    assert tv.allreduce("cells", "T", "max") == tv.reduce("cells", "T", "max")
    where = tv.reduce("cells", "T", "maxloc")
    assert tv.allreduce("cells", "T", "maxloc") == (*where, 0)
    large = np.full((40, 1, 1), 1e300, order="F")
    tv.bind_array("large", "T", "in", large)
    assert tv.allreduce("large", "T", "sum") == pytest.approx(4e301, rel=1e-15)
    large[:] = 1e308
    assert tv.allreduce("large", "T", "sum") == math.inf
    large[20:] = -1e308
    assert tv.allreduce("large", "T", "sum") == 0.0
    large[:] = 1e153
    assert tv.allreduce("large", "T", "l2") == pytest.approx(math.sqrt(40.0) * 1e153, rel=1e-15)
    large[3] = -math.inf
    assert tv.allreduce("large", "T", "sum") == -math.inf
    assert tv.allreduce("large", "T", "l1") == math.inf
    large[5] = math.inf
    assert math.isnan(tv.allreduce("large", "T", "sum"))
    large[6] = math.nan
    assert math.isnan(tv.allreduce("large", "T", "l2"))
    assert tv.allreduce("large", "T", "nan") is True


def test_many_blocks_over_ranks(make_frame: Make) -> None:
    """Their points in one block and in two have the same sums; a place names its block."""
    random = np.random.default_rng(6)
    memory = random.normal(size=300) * 10.0 ** random.integers(-8, 3, 300)
    tv = make_frame().tvproperties
    for name, sizes in (("one", (300,)), ("two", (100, 200))):
        bounds = [[n // 10, 5, 2, 1, n // 10, 1, 5, 1, 2, 1, 1, 1] for n in sizes]
        offsets = [sum(sizes[:block]) for block in range(len(sizes))]
        tv.bind_blocks(name, "T", "in", memory, bounds, offsets)
    for operation in ("sum", "l1", "l2"):
        assert tv.allreduce("one", "T", operation) == tv.allreduce("two", "T", operation)
    value, place, rank = tv.allreduce("two", "T", "maxloc")
    assert (value, place) == tv.reduce("two", "T", "maxloc")
    assert rank == 0


def test_refused_over_ranks(make_frame: Make) -> None:
    tv, _ = bound(make_frame)
    with pytest.raises(bridge.ArgumentError, match="operation: got 'mean', wanted one of sum"):
        tv.allreduce("cells", "T", "mean")
    with pytest.raises(bridge.ArgumentError, match="set: got 'walls'"):
        tv.allreduce("walls", "T", "sum")
    tv._bound._rank_reductions._size = 2
    with pytest.raises(bridge.StateError, match="program of 2 ranks has none"):
        tv.allreduce("cells", "T", "sum")


def test_bits_of_integers(make_frame: Make) -> None:
    """All 32 of them, the sign as well; of many words and of none."""
    tv, Q = bound(make_frame)
    words = np.asfortranarray(
        np.random.default_rng(8).integers(-(2**31), 2**31, Q.shape[:3]).astype(np.int32)
    )
    tv.bind_array("cells", "status", "out", words, **FRINGES)
    inside = by_point(words)[:, 0].astype(np.int64)
    wanted = [int((inside >> number & 1).sum()) for number in range(32)]
    assert (
        tv.reduce("cells", "status", "bits") == wanted == tv.allreduce("cells", "status", "bits")
    )
    words[...] = 0
    assert tv.reduce("cells", "status", "bits") == 32 * [0]
    with pytest.raises(bridge.ArgumentError, match="quantity: got 'T' of float64"):
        tv.reduce("cells", "T", "bits")
    with pytest.raises(bridge.ArgumentError, match="operation: got 'bits'"):
        tv.reduce_there("cells", "status", "bits")
