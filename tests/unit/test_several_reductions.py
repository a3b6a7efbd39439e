"""Several reductions of a set at once: the results of each alone, every kernel run once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.test_reduction import bits
from unit.blocks import FRINGES, SHAPE, block
from unit.test_reductions import bound, in_pieces_and_whole

import bridge
from bridge.bound.boundarrays import Reduction
from bridge.bound.operations import OPERATIONS
from bridge.bound.reductions import Asked, Reduced

pytestmark = pytest.mark.usefixtures("backend")

Make = Callable[..., Any]
ASKED: list[tuple[Any, ...]] = [
    *((name, operation) for name in ("T", "c", "rho") for operation in OPERATIONS
      if operation != "bits"),
    *(("h_Yi", operation, component) for operation in ("sum", "maxloc", "l2")
      for component in (None, "each", 2)),
    ("Y", "min", "each"), ("status", "any"), ("status", "count"), ("velocity", "max", 3),
]  # fmt: skip


def same(found: list[list[Reduced]], wanted: list[list[Reduced]]) -> bool:
    def told(results: list[list[Reduced]]) -> list[Any]:
        return [[(bits(one.value), one.place, one.rank) for one in each] for each in results]

    return told(found) == told(wanted)


def runs(tv: Any) -> dict[str, int]:
    """How often each plan of reductions ran."""
    found = tv.impl.timers.snapshot().items()
    return {name: calls for name, (calls, *_) in found if name.startswith("run reduce_")}


@pytest.mark.parametrize("further", [[], [("status", "bits")]])
def test_each_is_as_alone(make_frame: Make, further: list[Any]) -> None:
    """Of what is bound and what is not; `bits` among them, for which all is made whole."""
    tv, _ = bound(make_frame)
    asked = [*ASKED, *further]
    alone = [tv.reduction("cells", *one) for one in asked]
    for _ in range(3):  # a GPU records the loop at the second
        assert same(tv.reductions("cells", asked), alone)
    assert tv.reduce_several("cells", asked) == [tv.reduce("cells", *one) for one in asked]
    assert same(
        tv.rank_reductions("cells", asked), [tv.rank_reduction("cells", *one) for one in asked]
    )
    assert tv.reduce_several("cells", []) == tv.allreduce_several("cells", []) == []


def test_kernels_run_once_for_all(make_frame: Make) -> None:
    tv, _ = bound(make_frame)
    tv.reduce_several("cells", [("c", "max"), ("T", "min"), ("rho", "sum"), ("c", "sum")])
    assert runs(tv) == {"run reduce_c_rho": 1}
    tv.allreduce_several("cells", [("rho", "max"), ("c", "sum"), ("rho", "l1")])
    assert runs(tv) == {"run reduce_c_rho": 1, "run reduce_rho_c": 1}


def test_pieces_masks_and_threads(make_frame: Make, backend: str) -> None:
    asked: list[Reduction] = [
        ("rho", "sum"),
        ("h_Yi", "maxloc", "each"),
        ("T", "minloc"),
        ("X", "l2", 2),
    ]
    for threads in ("1", "2"):
        tv, whole = in_pieces_and_whole(make_frame, threads)
        assert same(tv.reductions("block", asked), whole.reductions("block", asked))
        assert (tv._bound._sets["block"].memory is None) == (backend != "cuda")
        tv.impl.close()
        whole.impl.close()


def test_without_points(make_frame: Make) -> None:
    tv = make_frame().tvproperties
    bounds = [0, 4, 4, 1, 0, 1, 4, 1, 4, 1]
    for name, columns in (("T", 1), ("P", 1), ("Y", 3)):
        tv.bind("none", name, "in", 0, [*bounds, columns, columns])
    asked = [("rho", "sum"), ("h_Yi", "max", "each"), ("T", "any"), ("Y", "minloc")]
    alone = [tv.reduction("none", *one) for one in asked]
    assert same(tv.reductions("none", asked), alone)


def test_a_change_of_the_set_is_seen(make_frame: Make) -> None:
    tv, Q = bound(make_frame)
    asked = [("rho", "sum"), ("c", "max")]
    first = tv.reduce_several("cells", asked)
    Q2, *_ = block(seed=7)
    tv.bind_array("cells", "Q", "in", Q2, **FRINGES)
    assert (
        tv.reduce_several("cells", asked) == [tv.reduce("cells", *one) for one in asked] != first
    )
    rho = np.full(SHAPE, 3.0, order="F")
    tv.bind_array("cells", "rho", "out", rho, **FRINGES)
    assert tv.reduce_several("cells", asked)[0] == 180.0  # as it stands in the array
    assert tv._bound.prepared_reduction("cells", [Asked(*one) for one in asked]) is not None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([("T", "max"), ("noSuch", "sum")], "noSuch"),
        ([("T", "mean"), ("rho", "sum")], "operation: got 'mean'"),
        ([("rho", "sum"), ("h_target", "sum")], "quantity: got 'h_target'.*set 'cells'"),
        ([("rho", "sum"), ("Y", "sum", 4)], "component: got 4.*'Y', 1 to 3"),
        ([("rho", "sum"), ("T", "bits")], "quantity: got 'T' of float64, wanted integers"),
    ],
)
def test_refused(make_frame: Make, asked: list[Any], message: str) -> None:
    tv, _ = bound(make_frame)
    for several in (tv.reduce_several, tv.allreduce_several):
        with pytest.raises(bridge.ArgumentError, match=message):
            several("cells", asked)


def test_refused_while_a_run_is_pending(make_frame: Make) -> None:
    tv, _ = bound(make_frame)
    tv.bind_array("cells", "rho", "out", np.zeros(SHAPE, order="F"), **FRINGES)
    tv.run_begin("cells", "eosThermalProperties")
    with pytest.raises(bridge.StateError, match="frame_reduce of 'T, c'.*pending.*frame_wait"):
        tv.reduce_several("cells", [("T", "max"), ("c", "max"), ("T", "min")])
    tv.wait("cells")
