"""Tolerances of a check from changed originals, and what counts as a difference."""

from __future__ import annotations

import numpy as np

from bridge_port.check.comparing import Array, Tolerances, compared, is_rounding, tolerances

RAN = np.ones(10, bool)


def column(*values: float) -> dict[str, Array]:
    """Ten points of one output: 1, 2, ..., but for the values that are given."""
    found = np.arange(1.0, 11.0)
    found[: len(values)] = values
    return {"y": found[:, None]}


def of(expected: dict[str, Array], others: list[dict[str, Array]], ran: Array = RAN) -> Tolerances:
    return tolerances(expected, others, ran, False)


def test_a_difference_is_one_beyond_the_tolerance() -> None:
    t = of(column(), [column(1 + 1e-13)])
    (one,) = compared(column(1 + 1e-12), t, RAN)
    assert (one.compared, one.failing) == (10, 0)
    (one,) = compared(column(1, 2 + 1e-9, 3, 4 + 1e-9), t, RAN)
    assert (one.failing, one.first) == (2, 1) and one.worst > 1
    (one,) = compared(column(1, 2, np.nan), t, RAN)
    assert (one.failing, one.first, one.worst) == (1, 2, np.inf)
    assert one.original == [3.0]


def test_integers_are_equal() -> None:
    whole = {"n": np.arange(10)[:, None]}
    other = {"n": np.where(np.arange(10) == 3, 7, np.arange(10))[:, None]}
    (one,) = compared(other, of(whole, [whole]), RAN)
    assert (one.compared, one.failing, one.first) == (10, 1, 3)
    # One that last digits decide on says nothing.
    t = of(whole, [other])
    assert t.states("jumps") == 1 and not t.usable["n"][3, 0]
    (one,) = compared(other, t, RAN)
    assert (one.compared, one.failing) == (9, 0)


def test_where_the_original_says_nothing() -> None:
    t = of(column(), [column(np.inf, 2.5)])
    assert (t.states("outside"), t.states("jumps")) == (1, 1)
    assert t.usable["y"][:, 0].tolist() == [False, False] + [True] * 8
    ended = RAN.copy()
    ended[4] = False
    assert not of(column(), [column()], ended).usable["y"][4, 0]


def test_results_that_are_nothing_but_rounding_are_compared() -> None:
    t = of(column(1e-16), [column(-1e-16)])
    assert t.usable["y"].all() and t.states("jumps") == 0
    (one,) = compared(column(3e-16), t, RAN)
    assert one.failing == 0


def test_rounding_counts_where_enough_is_left() -> None:
    wild = {"y": 3 * column()["y"]}
    t = tolerances(column(), [column()], RAN, False, [wild])
    assert t.usable["y"].all()  # else nothing would be
    t = tolerances(column(), [column()], RAN, False, [column(1, 2 + 1e-9)])
    (one,) = compared(column(1, 2 + 5e-9), t, RAN)
    assert one.failing == 0


def test_each_state_is_counted_once() -> None:
    """By the first reason of an output that has none of its values compared."""
    two = {"y": np.arange(20.0).reshape(10, 2) + 1}
    ended = RAN.copy()
    ended[0] = False
    t = of(two, [{"y": two["y"] + np.where(np.arange(20).reshape(10, 2) < 6, np.inf, 0)}], ended)
    t.leave("y", np.isin(np.arange(20), (9, 17)).reshape(10, 2), "unset")
    also = np.arange(10) < 8
    left, partly = t.left_out(also)
    assert left == {"died": {"y": 1}, "outside": {"y": 2}, "extreme": {"y": 2}}
    assert partly == {"unset": {"y": 1}}
    (one,) = compared(two, t, also)
    assert one.compared + 5 == 10


def test_results_of_single_precision_that_cancel_are_compared() -> None:
    """With the difference of an original that has real(8) for real(4)."""
    t = tolerances(column(0), [column(0)], RAN, True, [], [column(5e-8)])
    assert t.usable["y"].all()
    (one,) = compared(column(4e-7), t, RAN)
    assert one.failing == 0
    (one,) = compared(column(6e-7), t, RAN)
    assert one.failing == 1
    whole = {"n": np.arange(10)[:, None]}
    other = {"n": np.where(np.arange(10) == 3, 7, np.arange(10))[:, None]}
    assert not tolerances(whole, [whole], RAN, True, [], [other]).usable["n"][3, 0]


def test_other_results_than_the_original_are_no_rounding() -> None:
    t = of(column(0), [column(0)])
    assert is_rounding(column(0), column(5e-8, 2 + 1e-6), t.usable)
    assert is_rounding(column(0), column(0, 2 + 1), t.usable)  # one of ten, at a jump
    assert not is_rounding(column(0), column(0, 2 + 1, 3 + 1), t.usable)
    assert not is_rounding(column(0), column(0.1, 2 + 1), t.usable)
    t.leave("y", np.isin(np.arange(10), (1, 2))[:, None], "outside")
    assert is_rounding(column(0), column(0, 2 + 1, 3 + 1), t.usable)
