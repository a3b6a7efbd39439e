"""Reductions of sets: what is bound, what kernels make, places, components, what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
import pytest
from kernels.measure import present
from kernels.test_reduction import bits, tree
from unit.blocks import FRINGES, INTERIOR, POINTS, SHAPE, SPECIES, block

import bridge
from bridge.bound.operations import OPERATIONS
from bridge.bound.reductions import PreparedReduction
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

NS = len(SPECIES)
Make = Callable[..., Any]


def bound(make: Make, chunk: int = 13, **settings: Any) -> tuple[TVProperties, np.ndarray]:
    """Set 'cells' on Q; its interior by points."""
    Q, *_ = block()
    tv = make(chunk, **settings).tvproperties
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    return tv, Q


def kept(tv: TVProperties, set: str) -> dict[Any, Any]:
    """What is prepared of reductions, by quantity and component."""
    return tv._bound.set_of(set).prepared.of(PreparedReduction)


def by_point(array: np.ndarray) -> np.ndarray:
    return array[INTERIOR].reshape(POINTS, -1, order="F")


def position(point: int) -> tuple[int, int, int]:
    """Of a point of the interior in the array, from 1."""
    i, j, k = np.unravel_index(point, (5, 4, 3), order="F")
    return int(i) + 3, int(j) + 2, int(k) + 1


def test_columns_of_Q(make_frame: Make) -> None:
    tv, Q = bound(make_frame)
    T, Y = by_point(Q)[:, 4], by_point(Q)[:, 5:]
    assert bits(tv.reduce("cells", "T", "sum")) == bits(tree(T))
    assert tv.reduce("cells", "T", "min") == T.min()
    assert tv.reduce("cells", "T", "max") == T.max()
    assert tv.reduce("cells", "T", "maxloc") == (T.max(), (*position(int(T.argmax())), 1))
    assert tv.reduce("cells", "T", "minloc") == (T.min(), (*position(int(T.argmin())), 1))
    assert tv.reduce("cells", "T", "any") is True
    sums = [tree(column) for column in Y.T]
    assert tv.reduce("cells", "Y", "sum", "each") == sums
    assert tv.reduce("cells", "Y", "sum", component=2) == sums[1]
    assert tv.reduce("cells", "Yi", "sum") == sums[0] + sums[1] + sums[2]
    assert tv.reduce("cells", "Q", "max", 5) == T.max()
    places = [(Y[:, c].max(), (*position(int(Y[:, c].argmax())), c + 1)) for c in range(NS)]
    assert tv.reduce("cells", "Y", "maxloc", "each") == places
    assert tv.reduce("cells", "Y", "maxloc", 3) == places[2]
    assert tv.reduce("cells", "Y", "maxloc") == max(places)


def test_what_kernels_make_is_what_a_run_gives(make_frame: Make) -> None:
    """Bound nowhere; again, when the inputs have changed; then bound."""
    tv, Q = bound(make_frame)
    for step in range(4):  # a GPU records the loop at the second and replays it from the third on
        Q[INTERIOR][..., 4] += 10.0
        T, P, Y = (by_point(Q)[:, columns] for columns in (4, 0, slice(5, None)))
        want = bridge.evaluate(SPECIES, T, P, Y, ("c", "h_Yi", "status"), stability="off")
        if step == 2:
            tv.unchanged("cells", "Q")  # not so: but no run takes it
            tv.bind_array("cells", "Q", "in", Q, **FRINGES)
        value, place = tv.reduce("cells", "c", "maxloc")
        assert value == pytest.approx(want["c"].max(), rel=1e-12)
        assert place == (*position(int(want["c"].argmax())), 1)
        assert tv.reduce("cells", "c", "sum") == pytest.approx(want["c"].sum(), rel=1e-12)
        each = tv.reduce("cells", "h_Yi", "min", "each")
        np.testing.assert_allclose(each, want["h_Yi"].min(0), rtol=1e-9, atol=1e-3)
        second = tv.reduce("cells", "h_Yi", "max", 2)
        assert second == pytest.approx(want["h_Yi"][:, 1].max(), rel=1e-9, abs=1e-3)
        assert tv.reduce("cells", "status", "any") == bool(want["status"].any())
        assert tv.reduce("cells", "status", "max") == want["status"].max()
    c = np.full(SHAPE, -1.0, order="F")
    tv.bind_array("cells", "c", "out", c, **FRINGES)
    assert tv.reduce("cells", "c", "max") == -1.0  # as it stands in the array
    tv.run("cells", "eosThermalProperties")
    assert bits(tv.reduce("cells", "c", "sum")) == bits(tree(by_point(c)[:, 0]))
    assert bits(tv.reduce("cells", "c", "sum")) == bits(tv.reduce("cells", "c", "sum", 1))


def test_what_kernels_make_does_not_leave_the_device(make_frame: Make, backend: str) -> None:
    if backend != "cuda":
        pytest.skip("has no device")
    tv, _ = bound(make_frame)
    tv.reduce("cells", "c", "max")
    (prepared,) = kept(tv, "cells").values()
    (pipeline,) = prepared.made.run.launchers[0]._program._pipelines.values()
    moved = {name: transfer.moved for name, transfer in pipeline.arrays.transfers.items()}
    assert moved == {"T": True, "P": True, "Y": True, "c": False}


@pytest.mark.parametrize("first", [False, True])
def test_threads_chunks_and_layouts_change_no_bit(make_frame: Make, first: bool) -> None:
    shape = (44, 25, 13)
    random = np.random.default_rng(5)
    extent = np.s_[2:42, 1:24, 0:12]
    T = np.full(shape, np.nan, order="F")
    T[extent] = random.uniform(250.0, 2500.0, (40, 23, 12))
    Y = random.dirichlet(np.ones(NS), shape)
    Y = np.asfortranarray(np.moveaxis(Y, 3, 0) if first else Y)
    fringes: Any = dict(SptX=3, EptX=42, SptY=2, EptY=24, SptZ=1, EptZ=12)
    seen: dict[str, set[bytes]] = {"rho": set(), "T": set(), "Y": set()}
    for chunk, threads in ((1000, "1"), (777, "2"), (100_000, "2"), (40, "1")):
        tv = make_frame(chunk, threads=threads).tvproperties
        tv.bind_array("box", "T", "in", T, **fringes)
        P = np.full(T[extent].shape, 1e7, order="F")
        tv.bind_array("box", "P", "in", P)
        tv.bind_array("box", "Y", "in", Y, component_first=first, **fringes)
        for name, found in seen.items():
            found.add(bits(tv.reduce("box", name, "sum", 1)))
        tv.impl.close()
    assert {name: len(found) for name, found in seen.items()} == dict.fromkeys(seen, 1)
    assert seen["T"] == {bits(tree(T[extent].ravel(order="F")))}


def test_rows_without_fringes_give_the_same(make_frame: Make) -> None:
    tv, Q = bound(make_frame)
    tight = np.asfortranarray(Q[INTERIOR])
    tv.bind_array("tight", "Q", "in", tight)
    for name in ("T", "rho", "cp"):
        sums = {bits(tv.reduce(which, name, "sum")) for which in ("cells", "tight")}
        assert len(sums) == 1, name
    here, there = (tv.reduce(which, "rho", "maxloc")[1] for which in ("cells", "tight"))
    assert here == (there[0] + 2, there[1] + 1, there[2], 1)


def test_a_factor_gives_the_unit_of_the_catalogue(make_frame: Make) -> None:
    tv = make_frame().tvproperties
    bar = np.asfortranarray(np.linspace(50.0, 70.0, 30).reshape(5, 3, 2, order="F"))
    tv.bind_array("cells", "P", "in", bar, scale=1e5)
    assert bits(tv.reduce("cells", "P", "sum")) == bits(tree(bar.ravel(order="F") * 1e5))


def test_nan_and_ties(make_frame: Make) -> None:
    """Nothing is dropped; of equal values the first point counts."""
    tv = make_frame().tvproperties
    T = np.full((50, 40, 1), 300.0, order="F")
    tv.bind_array("cells", "T", "in", T)
    tv.bind_array("cells", "P", "in", np.full(T.shape, 1e7, order="F"))
    tv.bind_array("cells", "Y", "in", np.full((*T.shape, NS), 1.0 / NS, order="F"))
    assert tv.reduce("cells", "T", "maxloc") == (300.0, (1, 1, 1, 1))
    T[7, 30] = T[3, 31] = 400.0
    assert tv.reduce("cells", "T", "maxloc") == (400.0, (8, 31, 1, 1))
    assert tv.reduce("cells", "Y", "maxloc") == (1.0 / NS, (1, 1, 1, 1))
    assert tv.reduce("cells", "status", "any") is False
    T[20, 35] = np.nan
    T[21, 33] = np.nan
    for operation in ("sum", "min", "max"):
        assert math.isnan(tv.reduce("cells", "T", operation))
    for operation in ("minloc", "maxloc"):
        value, place = tv.reduce("cells", "T", operation)
        assert math.isnan(value) and place == (22, 34, 1, 1)
    # what kernels make of a bad point is NaN as well, and its status word says why
    value, place = tv.reduce("cells", "rho", "maxloc")
    assert math.isnan(value) and place == (22, 34, 1, 1)
    assert tv.reduction("cells", "status", "any")[0].place == (22, 34, 1, 1)


def test_nan_among_components(make_frame: Make) -> None:
    """Before every number of the others, the first point's before the first component's."""
    tv, Q = bound(make_frame)
    Q[4, 3, 1, 7] = Q[5, 3, 1, 6] = np.nan
    for operation in ("minloc", "maxloc"):
        value, place = tv.reduce("cells", "Y", operation)
        assert math.isnan(value) and place == (5, 4, 2, 3)
    assert bits(tv.reduce("cells", "Y", "sum")) == bits(np.nan)
    assert tv.reduction("cells", "velocity", "any")[0].place == (3, 2, 1, 1)


def test_a_set_without_points(make_frame: Make) -> None:
    """A rank that owns nothing: what changes no reduction over ranks, and the same refusals."""
    tv = make_frame().tvproperties
    bounds = [0, 4, 4, 1, 0, 1, 4, 1, 4, 1]
    for name, columns in (("T", 1), ("P", 1), ("Y", NS)):
        tv.bind("none", name, "in", 0, [*bounds, columns, columns])
    for name in ("T", "rho"):
        assert tv.reduce("none", name, "sum") == 0.0
        assert tv.reduce("none", name, "min") == math.inf
        assert tv.reduce("none", name, "maxloc") == (-math.inf, None)
        assert tv.reduce("none", name, "any") is False
    assert tv.reduce("none", "Y", "max", "each") == [-math.inf] * NS
    assert tv.reduce("none", "h_Yi", "sum", "each") == [0.0] * NS
    with pytest.raises(bridge.ArgumentError, match="velocity"):
        tv.reduce("none", "h0", "max")


def states(tv: TVProperties, name: str, n: int) -> None:
    """A set of n points from 300 K on."""
    tv.bind_array(name, "T", "in", np.linspace(300.0, 300.0 + 1e-3 * n, n).reshape(n, 1, 1))
    tv.bind_array(name, "P", "in", np.full((n, 1, 1), 1e7))
    Y = np.asfortranarray(np.tile([0.2, 0.3, 0.5], (n, 1)).reshape(n, 1, 1, NS))
    tv.bind_array(name, "Y", "in", Y)


def made_whole(tv: TVProperties) -> None:
    """As on a GPU: quantities are in memory of the set before they are reduced."""
    tv.impl.backend.columns_apart = lambda columns: None  # type: ignore[method-assign]


def in_pieces_and_whole(make_frame: Make, threads: str) -> list[TVProperties]:
    """Two that have the same states in a set, of which some points are blanked."""
    found = [make_frame(5000, threads=threads).tvproperties for _ in range(2)]
    made_whole(found[1])
    for one in found:
        states(one, "block", 20_000)
        counts = np.ones((20_000, 1, 1), "int32")
        counts[500:3000] = 0
        one.bind_array("block", "iblank", "in", counts)
    return found


def test_what_a_cpu_reduces_has_no_memory(make_frame: Make, backend: str) -> None:
    """With the bits and places of what is made whole, which sums over ranks and bits need."""
    if backend == "cuda":
        pytest.skip("holds what it makes")
    for threads in ("1", "2"):
        tv, whole = in_pieces_and_whole(make_frame, threads)
        for name, component in (("rho", None), ("h_Yi", None), ("h_Yi", "each"), ("X", 2)):
            for operation in OPERATIONS:
                if operation == "bits":
                    continue
                found, wanted = (
                    one.reduction("block", name, operation, component) for one in (tv, whole)
                )
                assert [bits(one.value) for one in found] == [bits(one.value) for one in wanted]
                assert [one.place for one in found] == [one.place for one in wanted]
        assert tv._bound._sets["block"].memory is None
        assert tv.allreduce("block", "rho", "max") == tv.reduce("block", "rho", "max")
        assert tv._bound._sets["block"].memory is None
        assert tv.reduce("block", "status", "bits")[0] == 0
        tv.allreduce("block", "rho", "sum")
        memory: Any = tv._bound._sets["block"].memory
        assert memory.shape == (1, 20_000)
        tv.impl.close()
        whole.impl.close()


def test_the_memory_of_a_set_grows_and_stays(make_frame: Make) -> None:
    """For the widest quantity and the largest block that the set has had."""
    tv = make_frame(32).tvproperties
    made_whole(tv)
    sizes, sums = [], []
    for n, name in ((100, "rho"), (100, "h_Yi"), (100, "rho"), (300, "rho"), (20, "rho")):
        states(tv, "block", n)
        sums.append(tv.reduce("block", name, "sum"))
        sizes.append(tv._bound._sets["block"].memory.shape[1])
    assert sizes == [100, 300, 300, 300, 300]
    assert sums[0] == sums[2]
    assert tv.reduce("block", "h_Yi", "max") == tv.reduce("block", "h_Yi", "max")
    each, one = tv.reduce("block", "h_Yi", "sum", "each"), tv.reduce("block", "rho", "sum")
    assert tv._bound._sets["block"].memory.shape[1] == 300
    states(tv, "block", 400)
    tv.reduce("block", "rho", "sum")
    (first,) = kept(tv, "block").values()
    tv.reduce("block", "h_Yi", "sum")  # grows: what was prepared before is made anew
    tv.reduce("block", "rho", "sum")
    (again,) = (one for key, one in kept(tv, "block").items() if key[1] == (("", "rho", None),))
    assert again.made.memory is not first.made.memory
    states(tv, "block", 20)
    assert tv.reduce("block", "h_Yi", "sum", "each") == each
    assert tv.reduce("block", "rho", "sum") == one


def test_threads_of_the_host_reduce_a_set_each(make_frame: Make) -> None:
    tv = make_frame(5000).tvproperties
    names = [f"cells{me}" for me in range(2)]
    for me, name in enumerate(names):
        states(tv, name, 20_000 + 1000 * me)
    wanted = [tv.reduce(name, "rho", "sum") for name in names]
    seen: list[set[float]] = [set(), set()]

    def work(me: int) -> None:
        for _ in range(20):
            seen[me].add(tv.reduce(names[me], "rho", "sum"))

    threads = [Thread(target=work, args=(me,)) for me in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [{one} for one in wanted]


REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "set": (("walls", "T", "sum"), "set: got 'walls'"),
    "quantity": (("cells", "noSuch", "sum"), "noSuch"),
    "operation": (("cells", "T", "mean"), "operation: got 'mean', wanted one of sum, min, max"),
    "made of nothing": (("cells", "h_target", "sum"), "quantity: got 'h_target'.*set 'cells'"),
    "component": (("cells", "Y", "sum", NS + 1), f"component: got {NS + 1}.*'Y', 1 to {NS}"),
    "no component": (("cells", "Y", "sum", 0), "component: got 0"),
    "text": (("cells", "rho", "sum", "all"), "component: got 'all'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(make_frame: Make, case: str) -> None:
    tv, _ = bound(make_frame)
    arguments, message = REFUSED[case]
    with pytest.raises(bridge.ArgumentError, match=message):
        tv.reduce(*arguments)


def test_refused_before_species(make_frame: Make) -> None:
    tv, Q = bound(make_frame, species=None, nq=5 + NS)
    assert tv.reduce("cells", "T", "max") == by_point(Q)[:, 4].max()
    with pytest.raises(bridge.StateError, match="reduction of rho needs species"):
        tv.reduce("cells", "rho", "max")


def test_refused_while_a_run_is_pending(make_frame: Make) -> None:
    tv, Q = bound(make_frame)
    tv.bind_array("cells", "rho", "out", np.zeros(SHAPE, order="F"), **FRINGES)
    tv.run_begin("cells", "eosThermalProperties")
    with pytest.raises(bridge.StateError, match="frame_reduce of 'T'.*pending.*frame_wait"):
        tv.reduce("cells", "T", "max")
    tv.wait("cells")
    assert tv.reduce("cells", "T", "max") == by_point(Q)[:, 4].max()


def test_a_reduction_by_kernels_is_a_run_for_unchanged(make_frame: Make) -> None:
    """It takes what was said and meets the arrays; one of a bound array is none."""
    tv, Q = bound(make_frame)
    tv.reduce("cells", "rho", "sum")
    tv.unchanged("cells", "Q")
    T = by_point(Q)[:, 4]
    assert tv.reduce("cells", "T", "max") == T.max()
    cells = tv._bound._sets["cells"]
    assert cells._unchanged == {"Q"}
    before = tv.reduce("cells", "rho", "sum")  # with what was said
    assert cells._unchanged == set() and cells.sound
    Q[INTERIOR][..., 4] *= 1.5
    after = tv.reduce("cells", "rho", "sum")
    assert after < 0.9 * before
    assert present(tv.reduce("cells", "T", "max")) == 1.5 * T.max()
