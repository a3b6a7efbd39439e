"""Primitives on views, bound arrays and arrays, against NumPy written out; what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from unit.blocks import FRINGES, INTERIOR, POINTS, SHAPE
from unit.test_reductions import bound, by_point

import bridge

pytestmark = pytest.mark.usefixtures("backend", "as_numpy")

Make = Callable[..., Any]
EPS = np.finfo(float).eps


def test_gather_and_scatter_of_a_bound_array(make_frame: Make, as_numpy: Any) -> None:
    tv, Q = bound(make_frame)
    T, p = by_point(Q)[:, 4], tv.primitives
    some = np.random.default_rng(1).permutation(POINTS)[:17]
    np.testing.assert_array_equal(as_numpy(p.gather(("cells", "T"), some)), T[some])
    twice = np.array([3, 3, 0])
    np.testing.assert_array_equal(
        as_numpy(p.gather(("cells", "Y"), twice)), by_point(Q)[twice, 5:].T
    )
    np.testing.assert_array_equal(as_numpy(p.values(("cells", "Q"))), by_point(Q).T)
    for passes in (1, 3, 100):
        h = np.asfortranarray(np.random.default_rng(2).random((2, *SHAPE)))[:1]
        h = np.asfortranarray(h)
        before = h.copy()
        tv.bind_array("cells", "rho", "out", h, component_first=True, scale=2.0, **FRINGES)
        p.scatter(np.arange(17.0), some, ("cells", "rho"), passes)
        wanted = before.copy()
        flat = by_point(before[0])[:, 0].copy()
        flat[some] = np.arange(17.0) / 2.0
        wanted[0][INTERIOR] = flat.reshape(before[0][INTERIOR].shape, order="F")
        np.testing.assert_array_equal(h, wanted)
    found = as_numpy(p.gather(("cells", "rho"), some))
    np.testing.assert_array_equal(found, np.arange(17.0))


def test_active_points_go_there_and_back(make_frame: Make, as_numpy: Any) -> None:
    """The talk's nActivePoints: packed into views, launched, and scattered to their places."""
    tv, Q = bound(make_frame, POINTS)
    p = tv.primitives
    blank = np.asfortranarray(np.random.default_rng(4).integers(0, 2, SHAPE).astype(np.int32))
    rho, rho_all = (np.full(SHAPE, -1.0, order="F") for _ in range(2))
    tv.bind_array("cells", "rho", "out", rho_all, **FRINGES)
    tv.run("cells", "eosThermalProperties")
    tv.bind_array("cells", "iblank", "in", blank, **FRINGES)
    tv.bind_array("cells", "rho", "out", rho, **FRINGES)
    points = p.active(("cells", "iblank"))
    on = by_point(blank)[:, 0] != 0
    np.testing.assert_array_equal(as_numpy(points), np.flatnonzero(on))
    n = len(points)
    for name in ("T", "P", "Y"):
        p.scatter(p.gather(("cells", name), points), np.arange(n), name)
    tv.eosThermalProperties(n)
    p.scatter(p.gather("rho", np.arange(n)), points, ("cells", "rho"))
    wanted = np.where(on, by_point(rho_all)[:, 0], -1.0)
    np.testing.assert_allclose(by_point(rho)[:, 0], wanted, rtol=1e-12)
    assert (by_point(rho)[~on] == -1.0).all()


def test_scan_split_sort_and_transpose(make_frame: Make, as_numpy: Any) -> None:
    tv, Q = bound(make_frame)
    p, T = tv.primitives, by_point(Q)[:, 4]
    np.testing.assert_allclose(as_numpy(p.scan(("cells", "T"))), np.cumsum(T), rtol=len(T) * EPS)
    Y = by_point(Q)[:, 5:].T
    before = np.cumsum(Y, axis=1) - Y
    np.testing.assert_allclose(
        as_numpy(p.scan(("cells", "Y"), exclusive=True)),
        before,
        rtol=0,
        atol=len(T) * EPS * before.max(),
    )
    flags = np.array([0, 2, 0, -1, 1], np.int32)
    inclusive = p.scan(flags)
    assert inclusive.dtype == np.int64 and inclusive.tolist() == [0, 2, 2, 1, 2]
    assert p.scan(flags, exclusive=True).tolist() == [0, 0, 2, 2, 1]
    on, off = p.split(flags)
    assert on.tolist() == [1, 3, 4] and off.tolist() == [0, 2]
    keys = np.array([3.0, np.nan, -1.0, 3.0, -1.0])
    assert p.sort_by_key(keys).tolist() == [2, 4, 0, 3, 1]
    order = as_numpy(p.sort_by_key(("cells", "T")))
    np.testing.assert_array_equal(order, np.argsort(T, kind="stable"))
    turned = as_numpy(p.transpose(("cells", "Y")))
    assert turned.flags.c_contiguous and turned.shape == Y.T.shape
    np.testing.assert_array_equal(turned, Y.T)
    np.testing.assert_array_equal(as_numpy(p.transpose(turned)), Y)
    assert p.scan(np.zeros((2, 0))).shape == (2, 0)


def test_views_hold_what_was_scattered(make_frame: Make, as_numpy: Any) -> None:
    tv = make_frame(10).tvproperties
    p = tv.primitives
    with pytest.raises(bridge.StateError, match="gather of view 'T' came before it was populated"):
        p.gather("T", [0])
    p.scatter([3.0, 1.0, 2.0], [2, 0, 1], "T")
    assert as_numpy(p.values("T")).tolist() == [1.0, 2.0, 3.0]
    p.scatter([7.0], [1], "T")
    assert as_numpy(p.values("T")).tolist() == [1.0, 7.0, 3.0]
    assert tv.impl.view("T").filled == 3
    for points in ([3], [4, 0]):  # of points that hold nothing
        with pytest.raises(bridge.ArgumentError, match="points: got [34], wanted.*from 0 to 2"):
            p.scatter(np.zeros(len(points)), points, "T")
    with pytest.raises(bridge.ArgumentError, match="got 11 points, wanted at most the 10 of view"):
        p.scatter(np.zeros(11), np.arange(11), "T")


def test_other_types(make_frame: Make, as_numpy: Any) -> None:
    """real(4) arrays hold NaN for what exceeds them; integers take whole numbers alone."""
    tv, _ = bound(make_frame)
    p = tv.primitives
    c = np.zeros(SHAPE, np.float32, order="F")
    status = np.zeros(SHAPE, np.int32, order="F")
    tv.bind_array("cells", "c", "out", c, scale=0.5, **FRINGES)
    tv.bind_array("cells", "status", "out", status, **FRINGES)
    p.scatter([1e300, np.inf, 0.1], [0, 1, 2], ("cells", "c"))
    found = as_numpy(p.gather(("cells", "c"), [0, 1, 2]))
    np.testing.assert_array_equal(found, [np.nan, np.inf, 0.5 * float(np.float32(0.2))])
    p.scatter(np.array([5, 6]), [1, 0], ("cells", "status"))
    assert as_numpy(p.gather(("cells", "status"), [0, 1, 2])).tolist() == [6, 5, 0]
    with pytest.raises(
        bridge.ArgumentError, match="values: got 0.5, wanted whole numbers of int32"
    ):
        p.scatter([0.5], [0], ("cells", "status"))
    with pytest.raises(bridge.ArgumentError, match="values: got 2147483648.0, wanted whole"):
        p.scatter(np.array([1, 2**31]), [0, 1], ("cells", "status"))
    assert as_numpy(p.gather(("cells", "status"), [0, 1, 2])).tolist() == [6, 5, 0]


REFUSED: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "set": ("gather", (("walls", "T"), [0]), "set: got 'walls'"),
    "name": ("gather", (("cells", "rho"), [0]), "name: got 'rho', wanted an array bound in set"),
    "view": ("gather", ("noSuch", [0]), "noSuch"),
    "operand": ("gather", (np.zeros((2, 2, 2)), [0]), "operand: got shape .2, 2, 2. of float64"),
    "past the end": ("gather", (("cells", "T"), [0, POINTS]), f"points: got {POINTS}, wanted"),
    "before": ("gather", (("cells", "T"), [-1]), f"got -1, wanted numbers from 0 to {POINTS - 1}"),
    "no number": ("gather", (("cells", "T"), [0.5]), "points: got shape .1,. of float64"),
    "intent": ("scatter", ([1.0], [0], ("cells", "T")), "name: got 'T', wanted an array bound"),
    "intent of Q": ("scatter", ([1.0], [0], ("cells", "Q")), "target: got 'Q' bound 'in'"),
    "twice": ("scatter", ([1.0, 2.0], [4, 4], ("cells", "eta")), "got 4 more than once"),
    "shape": ("scatter", ([1.0], [0, 1], ("cells", "eta")), r"values: got shape \(1,\), wanted"),
    "passes": ("scatter", ([1.0], [0], ("cells", "eta"), 0), "passes: got 0, wanted at least 1"),
    "range": ("scatter", ([1.0], [POINTS], ("cells", "eta")), f"points: got {POINTS}"),
    "flags": ("split", (("cells", "Y"),), "flags: got 3 components, wanted values of one"),
    "keys": ("sort_by_key", (("cells", "Y"),), "keys: got 3 components"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(make_frame: Make, case: str) -> None:
    """Before anything is written."""
    tv, _ = bound(make_frame)
    eta = np.full(SHAPE, 5.0, order="F")
    tv.bind_array("cells", "eta", "out", eta, **FRINGES)
    call, arguments, message = REFUSED[case]
    with pytest.raises(bridge.ArgumentError, match=message):
        getattr(tv.primitives, call)(*arguments)
    assert (eta == 5.0).all()


def test_refused_while_a_run_is_pending(make_frame: Make) -> None:
    tv, _ = bound(make_frame)
    tv.bind_array("cells", "rho", "out", np.zeros(SHAPE, order="F"), **FRINGES)
    tv.run_begin("cells", "eosThermalProperties")
    with pytest.raises(bridge.StateError, match="gather of 'T'.*pending"):
        tv.primitives.gather(("cells", "T"), [0])
    tv.wait("cells")


def test_resident_arrays(make_frame: Make, as_numpy: Any) -> None:
    """Values are read and written where they are; an update brings them to the array."""
    tv, Q = bound(make_frame)
    rho = np.asfortranarray(np.random.default_rng(1).random(SHAPE))
    tv.bind_array("cells", "rho", "inout", rho, **FRINGES)
    first = by_point(rho)[:3, 0].copy()
    tv.enter_data("cells", "rho", "copyin")
    np.testing.assert_array_equal(
        as_numpy(tv.primitives.gather(("cells", "rho"), [0, 1, 2])), first
    )
    tv.primitives.scatter([9.0, 8.0], [1, 0], ("cells", "rho"))
    tv.update_host("cells", "rho")
    assert by_point(rho)[:3, 0].tolist() == [8.0, 9.0, first[2]]
    tv.exit_data("cells", "rho", "delete")


def test_a_reduction_left_where_its_quantity_lies(make_frame: Make, as_numpy: Any) -> None:
    """The bits of `reduce`, of what is bound, made or resident, for more groups than one."""
    tv = make_frame(50_000).tvproperties
    random = np.random.default_rng(8)
    n = 5 * 1024 + 77
    T = np.asfortranarray(300.0 + random.random((n, 1, 1)))
    Y = np.asfortranarray(random.dirichlet(np.ones(3), (n, 1, 1)))
    blank = np.asfortranarray(random.integers(0, 2, (n, 1, 1)).astype(np.int32))
    arrays = {"T": T, "P": np.full((n, 1, 1), 8e6, order="F"), "Y": Y, "iblank": blank}
    for name, array in arrays.items():
        tv.bind_array("cells", name, "in", array)
    tv.enter_data("cells", "Y", "copyin")
    for name, component in (("T", None), ("rho", None), ("Y", "each"), ("Y", 2)):
        for operation in ("sum", "min", "max", "any", "l1", "l2", "linf", "count", "nan"):
            found = as_numpy(tv.reduce_there("cells", name, operation, component))
            assert found.dtype == np.float64
            wanted = np.ravel(tv.reduce("cells", name, operation, component))
            np.testing.assert_array_equal(found, wanted, err_msg=f"{name} {operation}")
    blank[:] = 0
    assert as_numpy(tv.reduce_there("cells", "rho", "min")).tolist() == [np.inf]
    assert as_numpy(tv.reduce_there("cells", "Y", "linf", "each")).tolist() == [0.0] * 3
    blank[:], T[3] = 1, np.nan
    tv.bind_array("cells", "T", "in", T)
    assert np.isnan(as_numpy(tv.reduce_there("cells", "rho", "l2"))).all()
    with pytest.raises(bridge.ArgumentError, match="component: got None, wanted a component's"):
        tv.reduce_there("cells", "Y", "sum")
    tv.exit_data("cells", "Y", "delete")
