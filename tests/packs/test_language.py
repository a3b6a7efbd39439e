"""Integers of several columns on every way to a kernel: arrays, bound boxes, views."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.tvproperties import TVProperties

SHAPE, INTERIOR = (9, 6, 5), (slice(2, 8), slice(1, 5), slice(0, 5))
BOX: dict[str, Any] = dict(SptX=3, EptX=8, SptY=2, EptY=5, SptZ=1, EptZ=5)


def slopes(shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """left, right; slope, the two integers, the steepest slope."""
    random = np.random.default_rng(3)
    left, right = random.normal(size=(2, *shape, 5))
    least = np.minimum(abs(left), abs(right))
    slope = 0.5 * np.where(left * right > 0.0, np.copysign(least, left), 0.0)
    slope += 0.25 * (left + right)
    most = np.abs(slope).argmax(-1)
    words = np.stack([most, np.where(slope[..., 0] < 0.0, -1, 1)], -1)
    return left, right, slope, words, np.take_along_axis(slope, words[..., :1], -1)[..., 0]


def test_evaluate(language: Path) -> None:
    left, right, slope, words, most = slopes((41,))
    names = ("slope", "slope_steepest", "slope_most")
    given = {"slope_left": left, "slope_right": right}
    got = bridge.evaluate("N2", 300.0, 1e5, 1.0, names, inputs=given, backend="cpu")
    np.testing.assert_allclose(got["slope"], slope, rtol=1e-13, atol=1e-15)
    assert got["slope_steepest"].dtype == np.int32
    np.testing.assert_array_equal(got["slope_steepest"], words)
    given = {"slope": slope, "slope_steepest": words}
    got = bridge.evaluate("N2", 300.0, 1e5, 1.0, ("slope_most",), inputs=given, backend="cpu")
    np.testing.assert_array_equal(got["slope_most"], most)


@pytest.mark.parametrize("word", [0.5, np.nan, 2.0**31, -np.inf])
def test_integers_that_are_none(language: Path, word: float) -> None:
    given = {"slope": np.zeros(5), "slope_steepest": [1.0, word]}
    with pytest.raises(bridge.ArgumentError, match="slope_steepest.*integers of 32 bits"):
        bridge.evaluate("N2", 300.0, 1e5, 1.0, ("slope_most",), inputs=given, backend="cpu")


def test_integers_of_the_package_are_no_inputs(language: Path) -> None:
    with pytest.raises(bridge.ArgumentError, match="inputs.*'status'"):
        bridge.evaluate("N2", 300.0, 1e5, 1.0, ("rho",), inputs={"status": 0})


@pytest.fixture
def tv(language: Path) -> Iterator[TVProperties]:
    frame = bridge.Frame()
    for key, value in {"species": "N2", "backend": "cpu", "threads": "1"}.items():
        frame.set(key, value)
    frame.initialize(0, 30, 1, 0)
    yield frame.tvproperties
    frame.finalize()


def test_bound_arrays(tv: TVProperties) -> None:
    """Chunks smaller than the box; the integers come in an array of reals, its fringes stay."""
    left, right, slope, words, most = slopes(SHAPE)
    for name, array in (("slope_left", left), ("slope_right", right)):
        tv.bind_array("cells", name, "in", np.asfortranarray(array), **BOX)
    results = {
        "slope": np.full((*SHAPE, 5), 7.0, order="F"),
        "slope_steepest": np.full((*SHAPE, 2), 7.0, order="F"),
        "slope_most": np.full(SHAPE, 7.0, order="F"),
    }
    for name, array in results.items():
        tv.bind_array("cells", name, "out", array, **BOX)
    tv.run("cells", "slopesOfCells")
    for name, want in (("slope", slope), ("slope_steepest", words), ("slope_most", most)):
        whole = np.full_like(results[name], 7.0)
        whole[INTERIOR] = want[INTERIOR]
        np.testing.assert_allclose(results[name], whole, rtol=1e-13, atol=1e-15)


def test_views(tv: TVProperties) -> None:
    n = 29
    left, right, slope, words, most = slopes((n, 1, 1))
    for name, array in (("slope_left", left), ("slope_right", right)):
        tv.populate_input_stripe(name, np.asfortranarray(array))
    tv.launch("limitedSlopes", n)
    out = np.zeros((n, 1, 1, 2), order="F")
    tv.extract_output_stripe("slope_steepest", out)
    np.testing.assert_array_equal(out, words)
    turned = 4.0 - words
    tv.populate_input_stripe("slope_steepest", np.asfortranarray(turned))
    tv.launch("steepestSlope", n)
    single = np.zeros((n, 1, 1), order="F")
    tv.extract_output_stripe("slope_most", single)
    want = np.take_along_axis(slope, turned[..., :1].astype(int), -1)[..., 0]
    np.testing.assert_allclose(single, want, rtol=1e-13)
