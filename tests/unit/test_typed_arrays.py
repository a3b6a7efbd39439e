"""Bound NumPy arrays of other types and of more than four dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bridge

SHAPE = (6, 5, 4)
SETS: dict[str, int] = dict(SptX=2, EptX=5, SptY=2, EptY=4, SptZ=2, EptZ=3)
INSIDE = (slice(1, 5), slice(1, 4), slice(1, 3))
COMPOSITE = "eosThermalProperties"


def states() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T in whole kelvin, P in 100000 Pa, Y of two species."""
    count = np.arange(np.prod(SHAPE)).reshape(SHAPE, order="F")
    first = 0.25 + count / 1024.0
    return 280 + count, 80 + count // 8, np.stack([first, 1.0 - first], axis=3)


@pytest.fixture
def tv(make_frame: Callable[..., Any]) -> Any:
    return make_frame(species=("O2", "CH4")).tvproperties


def doubles(tv: Any, *names: str) -> dict[str, np.ndarray]:
    """What float64 arrays of three and four dimensions give."""
    T, P, Y = states()
    results = {name: np.full(SHAPE, -1.0, order="F") for name in names}
    tv.bind_array("plain", "T", "in", np.asfortranarray(T, "f8"), **SETS)
    tv.bind_array("plain", "P", "in", np.asfortranarray(P * 1e5), **SETS)
    tv.bind_array("plain", "Y", "in", np.asfortranarray(Y), **SETS)
    for name, array in results.items():
        tv.bind_array("plain", name, "out", array, **SETS)
    tv.run("plain", COMPOSITE)
    return results


def test_types_of_inputs_and_outputs(tv: Any) -> None:
    """Integers are exact, float32 is rounded once, fringes stay."""
    wanted = doubles(tv, "rho", "c", "status")
    T, P, Y = states()
    rho, c = np.full(SHAPE, -1, "f4", order="F"), np.full(SHAPE, -1, "f4", order="F")
    status = np.full(SHAPE, -1, "i4", order="F")
    tv.bind_array("typed", "T", "in", np.asfortranarray(T, "i4"), **SETS)
    tv.bind_array("typed", "P", "in", np.asfortranarray(P, "i4"), **SETS, scale=1e5)
    tv.bind_array("typed", "Y", "in", np.asfortranarray(Y, "f4"), **SETS)  # exact in float32
    tv.bind_array("typed", "rho", "out", rho, **SETS, scale=1024.0)
    tv.bind_array("typed", "c", "out", c, **SETS)
    tv.bind_array("typed", "status", "out", status, **SETS)
    tv.run("typed", COMPOSITE)
    np.testing.assert_array_equal(rho[INSIDE], (wanted["rho"][INSIDE] / 1024.0).astype("f4"))
    np.testing.assert_array_equal(c, wanted["c"].astype("f4"))
    np.testing.assert_array_equal(status, wanted["status"])


def test_two_outputs_in_one_array_of_words(tv: Any) -> None:
    """Arrays of different types in the same memory: refused where they meet, and only there."""
    T, P, Y = states()
    memory = np.zeros(2 * T.size)
    points = T.size
    bounds = [points, 1, 1, 1, points, 1, 1, 1, 1, 1, 1, 1]
    given = {"T": T * 1.0, "P": P * 1e5, "Y": Y}
    for name, values in given.items():
        array = np.asfortranarray(values)
        width = array.size // points
        tv.bind("s", name, "in", array.ctypes.data, [*bounds[:10], width, width], owner=array)
    at = memory.ctypes.data
    tv.bind("s", "rho", "out", at, bounds, dtype="float32")
    tv.bind("s", "c", "out", at + 4 * points, bounds, dtype="float64")
    tv.run("s", COMPOSITE)  # side by side
    tv.bind("s", "c", "out", at + 4 * points - 4, bounds, dtype="float64")
    with pytest.raises(bridge.ArgumentError, match="elements with 'rho'"):
        tv.run("s", COMPOSITE)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("dimensions", [4, 5, 6, 7])
def test_dimensions_beside_the_points_count_components(
    tv: Any, dimensions: int, first: bool
) -> None:
    wanted = doubles(tv, "rho", "h")
    T, P, Y = states()
    beside = (1, 2, 1, 1)[: dimensions - 3] if dimensions > 4 else (2,)
    turned = np.moveaxis(Y, 3, 0)
    shape = (*beside, *SHAPE) if first else (*SHAPE, *beside)
    y = np.asfortranarray(turned.reshape(shape) if first else Y.reshape(shape))
    sizes = (2, 3, 2, 1)[: dimensions - 3]
    results = np.full((*sizes, *SHAPE) if first else (*SHAPE, *sizes), -1.0, order="F")
    tv.bind_array("n", "T", "in", np.asfortranarray(T, "f8"), **SETS)
    tv.bind_array("n", "P", "in", np.asfortranarray(P * 1e5), **SETS)
    tv.bind_array("n", "Y", "in", y, **SETS, component_first=first)
    last = int(np.prod(sizes))
    for name, component in (("rho", 1), ("h", last)):
        tv.bind_array("n", name, "out", results, **SETS, SptData=component, EptData=component,
                      component_first=first)  # fmt: skip
    tv.run("n", COMPOSITE)
    flat = results.reshape((last, *SHAPE) if first else (*SHAPE, last), order="F")
    flat = np.moveaxis(flat, 0, -1) if first else flat
    np.testing.assert_array_equal(flat[..., 0], wanted["rho"])
    np.testing.assert_array_equal(flat[..., -1], wanted["h"])
    assert (flat[..., 1:-1] == -1.0).all()


@pytest.mark.parametrize(
    ("name", "intent", "data", "message"),
    [
        ("rho", "out", np.zeros(SHAPE, "i4", order="F"), "data of rho: got elements of int32"),
        ("T", "inout", np.zeros(SHAPE, "i4", order="F"), "data of T: got elements of int32"),
        ("status", "out", np.zeros(SHAPE, "f4", order="F"), "data of status: got elements of flo"),
        ("T", "in", np.zeros(SHAPE, "f2", order="F"), "data: got dtype float16, wanted"),
        ("T", "in", np.zeros(SHAPE, "i8", order="F"), "data: got dtype int64"),
        ("T", "in", np.zeros(SHAPE, ">f4", order="F"), "data: got dtype >f4"),
        ("Y", "in", np.zeros((*SHAPE, 2, 1)), "data: got strides .* wanted Fortran order"),
        ("Y", "in", np.zeros((1,) * 8, order="F"), r"data: got shape \(1, 1, 1, 1, 1, 1, 1, 1\)"),
    ],
)
def test_refusals(tv: Any, name: str, intent: str, data: np.ndarray, message: str) -> None:
    with pytest.raises(bridge.ArgumentError, match=message):
        tv.bind_array("s", name, intent, data)


def test_a_type_that_is_none(tv: Any) -> None:
    with pytest.raises(bridge.ArgumentError, match="type: got real4, wanted one of float64"):
        tv.bind("s", "T", "in", 4096, [1] * 12, dtype="real4")
