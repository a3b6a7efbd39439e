"""Constants that are reductions over sets: the bits of `allreduce`, read by later runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packs.test_constants import BOX, INSIDE, TABLE, advanced, arrays, bound, check, started
from standin import StandIn

import bridge
from bridge.bound.operations import OPERATIONS
from bridge.errors import ArgumentError, StateError

pytestmark = pytest.mark.usefixtures("backend")

ONE_NUMBER = [name for name in OPERATIONS if name not in ("minloc", "maxloc", "bits")]


@pytest.fixture
def tv(heat: Path) -> Iterator[bridge.TVProperties]:
    frame = started()
    yield frame.tvproperties
    frame.finalize()


def same(one: float, other: float) -> bool:
    if math.isnan(other):
        return math.isnan(one)
    return float(one).hex() == float(other).hex()


def of_constant(tv: bridge.TVProperties, sets: str, quantity: str, operation: str) -> float:
    tv.allreduce_constant(sets, quantity, operation, "heat_dt")
    return tv.constant_value("heat_dt")


@pytest.mark.parametrize("resident", [False, True])
@pytest.mark.parametrize("operation", ONE_NUMBER)
def test_bits_of_allreduce(tv: bridge.TVProperties, operation: str, resident: bool) -> None:
    """Of one set, of values bound and made, with a mask, and of both halves of it as two sets."""
    random = np.random.default_rng(5)
    shape = (40, 9, 7)
    q = np.asfortranarray(random.normal(size=shape) * 10.0 ** random.integers(-9, 4, shape))
    T = np.asfortranarray(random.uniform(280.0, 900.0, shape))
    mask = np.asfortranarray((random.random(shape) < 0.9).astype(np.int32))
    fields: dict[str, Any] = {"heat_source": q, "T": T, "P": np.full(shape, 5e6, order="F"),
              "Y": np.ones((*shape, 1), order="F"), "iblank": mask}  # fmt: skip
    halves: dict[str, list[np.ndarray]] = {"all": [], "low": [], "high": []}
    for name, array in fields.items():
        parts = {"all": array, "low": array[:, :4], "high": array[:, 4:]}
        for part, values in parts.items():
            own = np.asfortranarray(values)
            halves[part].append(own)
            tv.bind_array(part, name, "in", own)
            if resident:
                tv.enter_data(part, name, "copyin")
    for quantity in ("heat_source", "rho", "c", "iblank"):
        wanted = float(tv.allreduce("all", quantity, operation))
        for _ in range(2):
            assert same(of_constant(tv, "all", quantity, operation), wanted), quantity
            assert same(of_constant(tv, "high low", quantity, operation), wanted), quantity


@pytest.mark.parametrize(
    "special",
    [
        *([0.0, -0.0], [math.inf], [math.inf, -math.inf]),
        *([math.nan, 1e300], [1e308] * 5, [5e-324, 1e-320]),
    ],
)
@pytest.mark.parametrize("resident", [False, True])
def test_numbers_that_are_special(
    tv: bridge.TVProperties, special: list[float], resident: bool
) -> None:
    q = np.zeros((6, 5, 4), order="F")
    q.ravel(order="K")[10 : 10 + len(special)] = special
    tv.bind_array("solid", "heat_source", "in", q)
    if resident:
        tv.enter_data("solid", "heat_source", "copyin")
    for operation in ONE_NUMBER:
        wanted = float(tv.allreduce("solid", "heat_source", operation))
        found = of_constant(tv, "solid", "heat_source", operation)
        assert same(found, wanted), (operation, found, wanted)


def test_runs_read_it_and_the_host_wins_later(tv: bridge.TVProperties) -> None:
    """The same results as with the value given by the host, in turn with values of the host."""
    T, q = arrays()
    rate = np.asfortranarray(np.random.default_rng(1).uniform(0.01, 0.2, (5, 4, 3)))
    bound(tv, T, q)
    tv.table("heat_cp", TABLE)
    tv.bind_array("rates", "heat_source", "in", rate)
    if tv.impl.backend.name != "cpu":
        tv.enter_data("rates", "heat_source", "copyin")
    tv.constant("heat_dt", 0.05)
    for step in range(8):
        before = T.copy(order="F")
        operation = ("max", "min")[step // 2 % 2]
        dt = float(tv.allreduce("rates", "heat_source", operation))
        if step % 4 == 3:  # a value that the host had given before
            dt = 0.05
            tv.constant("heat_dt", dt)
        else:
            tv.allreduce_constant("rates", "heat_source", operation, "heat_dt")
        tv.run("solid", "advanceSolid")
        check(T, before, advanced(before, q, dt))
        assert tv.constant_value("heat_dt") == dt
        other = before.copy(order="F")
        tv.bind_array("twin", "heat_T", "inout", other, **BOX)
        tv.bind_array("twin", "heat_source", "in", q, **BOX)
        tv.constant("heat_dt", dt)
        tv.run("twin", "advanceSolid")
        assert np.array_equal(other[INSIDE], T[INSIDE])


def test_the_host_waits_for_nothing(
    heat: Path, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a device with one rank: no wait, no allocation, no copy; only for the value."""
    if backend == "cpu":
        pytest.skip("a CPU has done it when it returns")
    asked: list[str] = []
    real = StandIn.stream_synchronize, StandIn.event_synchronize

    def stream_synchronize(self: Any, stream: int) -> None:
        asked.append("stream")
        real[0](self, stream)

    def event_synchronize(self: Any, *event: int) -> None:
        asked.append("event")

    monkeypatch.setattr(StandIn, "stream_synchronize", stream_synchronize)
    monkeypatch.setattr(StandIn, "event_synchronize", event_synchronize)
    frame = started()
    tv = frame.tvproperties
    gpu: Any = tv.impl.backend
    device = gpu.device
    if not isinstance(device.api, StandIn):
        pytest.skip("of the stand-in, which counts")
    tv.bind_array("rates", "heat_source", "in", np.ones((40, 9, 7), order="F"))
    tv.enter_data("rates", "heat_source", "copyin")
    for operation in ("max", "sum"):
        tv.allreduce_constant("rates", "heat_source", operation, "heat_dt")
        allocations = tv.impl.backend.allocations()
        asked.clear()
        device.api.calls.clear()
        for _ in range(3):
            tv.allreduce_constant("rates", "heat_source", operation, "heat_dt")
        assert not asked and tv.impl.backend.allocations() == allocations
        assert {one.rpartition("_float64")[0] or one for one in device.api.calls} <= {
            *("constant_clear", "constant_first", "constant_fold", "constant_end"),
            *("constant_grains", "constant_parts"),
        }
        assert tv.constant_value("heat_dt") == {"max": 1.0, "sum": 40.0 * 9 * 7}[operation]
        assert asked == ["event"]
    frame.finalize()


def test_many_blocks_and_components(tv: bridge.TVProperties) -> None:
    """Blocks of a set on a device are brought side by side; components count together."""
    random = np.random.default_rng(8)
    values = random.normal(size=(2, 8, 6, 3))
    one = np.asfortranarray(np.concatenate(values, axis=0))
    tv.bind_array("one", "heat_source", "in", one)
    memory = np.zeros(2 * (10 * 8 * 3))
    blocks = [memory[k * 240 : (k + 1) * 240].reshape((10, 8, 3), order="F") for k in range(2)]
    for block, own in zip(blocks, values, strict=True):
        block[1:-1, 1:-1] = own
    bounds = np.array([[10, 8, 3, 2, 9, 2, 7, 1, 3, 1, 1, 1]] * 2)
    tv.bind_blocks("many", "heat_source", "in", memory, bounds, np.array([0, 240]))
    tv.enter_data("many", "heat_source", "copyin")
    for operation in ONE_NUMBER:
        wanted = float(tv.allreduce("one", "heat_source", operation))
        assert same(float(tv.allreduce("many", "heat_source", operation)), wanted)
        assert same(of_constant(tv, "many", "heat_source", operation), wanted)


def test_a_bind_makes_it_anew(tv: bridge.TVProperties) -> None:
    for size in (3, 7, 4):
        rate = np.full((size, 3, 2), float(size), order="F")
        tv.bind_array("rates", "heat_source", "in", rate)
        assert of_constant(tv, "rates", "heat_source", "sum") == rate.sum()
        rate[0, 0, 0] = 99.0
        assert of_constant(tv, "rates", "heat_source", "max") == 99.0


def test_what_is_refused(tv: bridge.TVProperties) -> None:
    T, q = arrays()
    bound(tv, T, q)

    def refused(*asked: str) -> str:
        with pytest.raises(ArgumentError) as raised:
            tv.allreduce_constant(*asked)
        return str(raised.value)

    with pytest.raises(ArgumentError) as plain:
        tv.constant("none", 1.0)
    assert refused("solid", "heat_T", "max", "none") == str(plain.value)
    for set, quantity, operation in (("solid", "none", "max"), ("solid", "heat_T", "mean"),
                                     ("nowhere", "heat_T", "max")):  # fmt: skip
        with pytest.raises(ArgumentError) as plain:
            tv.allreduce(set, quantity, operation)
        assert refused(set, quantity, operation, "heat_dt") == str(plain.value)
    for operation in ("minloc", "maxloc", "bits"):
        assert f"'{operation}'" in refused("solid", "heat_T", operation, "heat_dt")
    for constant in ("heat_material", "heat_limited", "heat_bounds"):
        assert "a constant of one real number" in refused("solid", "heat_T", "max", constant)
    assert "each set once" in refused("solid solid", "heat_T", "max", "heat_dt")
    assert "names of sets" in refused(" ", "heat_T", "max", "heat_dt")
    with pytest.raises(StateError, match="heat_dt"):
        tv.constant_value("heat_dt")
    with pytest.raises(ArgumentError, match="one number"):
        tv.constant_value("heat_bounds")
    assert tv.constant_value("heat_material") == 1.0
    tv.table("heat_cp", TABLE)
    tv.constant("heat_dt", 0.1)
    tv.run_begin("solid", "advanceSolid")
    with pytest.raises(StateError, match="frame_wait"):
        tv.allreduce_constant("solid", "heat_source", "max", "heat_dt")
    tv.wait("solid")
