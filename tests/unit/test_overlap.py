"""Which arrays of a set may lie in each other: by elements, not by the ends of the arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.backends.base import Binding, Box
from bridge.bound.overlap import reachable, same_elements, share_elements
from bridge.memory.marshal import Bounds
from bridge.tvproperties import TVProperties

pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

NX, NY, NZ, FRINGE, WIDTH = 9, 7, 6, 2, 8
INNER = dict(
    **{"SptX": FRINGE + 1, "EptX": NX - FRINGE, "SptY": FRINGE + 1, "EptY": NY - FRINGE},
    **{"SptZ": FRINGE + 1, "EptZ": NZ - FRINGE},
)
COMPOSITE = "eosRhohFromTPprop"


# ---- the arithmetic ----------------------------------------------------------------------------


def three(numbers: Iterable[int]) -> tuple[int, int, int]:
    x, y, z = numbers
    return x, y, z


@st.composite
def bound(draw: st.DrawFn) -> Binding:
    """Memory of some array as a caller binds it, near address 0."""
    extent = three(draw(st.integers(1, 4)) for _ in range(3))
    start = three(draw(st.integers(1, n)) for n in extent)
    end = three(draw(st.integers(s - 1, n)) for s, n in zip(start, extent, strict=True))
    data = draw(st.integers(1, 4))
    low = draw(st.integers(1, data))
    high = draw(st.integers(low, data))
    first = draw(st.booleans())
    bounds = Bounds(extent, start, end, low, high, -data if first else data)
    address = draw(st.one_of(st.integers(0, 24).map(lambda e: 4 * e), st.integers(0, 96)))
    dtype = draw(st.sampled_from(("float64", "float64", "float32", "int32")))
    return Binding(address, bounds.box(), bounds.columns, dtype=dtype)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Binding, Binding]:
    """Two arrays; often two views of the same one, whose boxes lie between each other."""
    one = draw(bound())
    if draw(st.booleans()):
        return one, draw(bound())
    box = one.box
    shift = draw(st.integers(-3, 3)) if draw(st.booleans()) else 0
    extent = three(draw(st.integers(0, n)) for n in box.extent)
    moved = Box(extent, box.stride, box.data_stride, box.offset + shift)
    dtype = draw(st.sampled_from((one.dtype, one.dtype, "float64", "float32")))
    return one, Binding(one.address, moved, draw(st.integers(1, one.columns)), dtype=dtype)


def elements(binding: Binding) -> dict[Any, Any]:
    """Address of each (point, component), one by one."""
    box = binding.box
    ranges = (*(range(n) for n in box.extent), range(binding.columns))
    strides = (*box.stride, box.data_stride)
    return {
        index: binding.address
        + binding.itemsize * (box.offset + sum(i * s for i, s in zip(index, strides, strict=True)))
        for index in product(*ranges)
    }


@settings(max_examples=1500)
@given(pairs())
def test_as_element_by_element(pair: tuple[Binding, Binding]) -> None:
    mine, yours = (elements(binding) for binding in pair)
    items = [range(binding.itemsize) for binding in pair]
    taken = {address + byte for address in mine.values() for byte in items[0]}
    shared = any(address + byte in taken for address in yours.values() for byte in items[1])
    assert share_elements(*pair) == share_elements(*reversed(pair)) == shared
    if mine and yours:
        assert same_elements(*pair) == (mine == yours and pair[0].dtype == pair[1].dtype)


@pytest.mark.parametrize("stride", [1, 2, 3, 5])
def test_elements_of_different_size(stride: int) -> None:
    """A double at every byte of a few floats that lie apart, and two doubles."""
    floats = Binding(64, Box((5, 1, 1), (stride, 1, 1), 1), 1, dtype="float32")
    taken = {64 + 4 * stride * i + byte for i in range(5) for byte in range(4)}
    for address, apart in product(range(48, 72 + 20 * stride), (1, 3)):
        doubles = Binding(address, Box((2, 1, 1), (apart, 1, 1), 1), 1)
        met = {address + 8 * apart * i + byte for i in range(2) for byte in range(8)}
        assert share_elements(floats, doubles) == bool(taken & met), (address, apart)
        assert not same_elements(floats, doubles)


@settings(max_examples=600)
@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(1, 4)), max_size=5), st.integers(-3, 120)
)
def test_sums_as_one_by_one(terms: list[Any], target: int) -> None:
    choices = product(*(range(count) for _, count in terms))
    sums = {sum(i * s for i, (s, _) in zip(c, terms, strict=True)) for c in choices}
    assert reachable(terms, target) == (target in sums)


def test_large_arrays_between_each_other() -> None:
    """Components of one array of 53 + 5, in blocks that no list of elements would hold."""
    extent, inner = (2048, 1024, 1024), ((3, 3, 3), (2046, 1022, 1022))
    for first in (True, False):
        n_data = -58 if first else 58
        y = Bounds(extent, *inner, 6, 58, n_data)
        t = Bounds(extent, *inner, 5, 5, n_data)
        last = Bounds(extent, *inner, 58, 58, n_data)
        bindings = [Binding(4096, b.box(), b.columns) for b in (y, t, last)]
        assert not share_elements(bindings[0], bindings[1])
        assert share_elements(bindings[0], bindings[2])
        fringe = Bounds(extent, (1, 1, 1), (2, 1024, 1024), 5, 5, n_data)
        assert not share_elements(Binding(4096, fringe.box(), 1), bindings[1])


# ---- what a run refuses ------------------------------------------------------------------------


@pytest.fixture
def tv(make_frame: Callable[..., bridge.Frame]) -> TVProperties:
    return make_frame().tvproperties


def state(component_first: bool) -> tuple[np.ndarray, np.ndarray]:
    """data(nData, nx, ny, nz) or (nx, ny, nz, nData): P T Y1..Y3 and three more components."""
    shape = (WIDTH, NX, NY, NZ) if component_first else (NX, NY, NZ, WIDTH)
    data = np.zeros(shape, order="F")
    by_component = data if component_first else np.moveaxis(data, 3, 0)
    values = (10e6, 300.0, 0.7, 0.2, 0.1, -1.0, -2.0, -3.0)
    by_component[...] = np.array(values).reshape(WIDTH, 1, 1, 1)
    return data, by_component


def bind(
    tv: TVProperties,
    name: str,
    intent: str,
    data: np.ndarray,
    first: int,
    last: int | None = None,
    component_first: bool = False,
    **bounds: Any,
) -> None:
    tv.bind_array(
        *("cells", name, intent, data),
        **{**INNER, "SptData": first, "EptData": last or first, **bounds},
        component_first=component_first,
    )


def bind_inputs(tv: TVProperties, data: np.ndarray, component_first: bool) -> None:
    for name, first, last in (("P", 1, 1), ("T", 2, 2), ("Y", 3, 5)):
        bind(tv, name, "in", data, first, last, component_first)


def reference() -> dict[str, np.ndarray]:
    return bridge.evaluate("O2 CH4 H2O", 300.0, 10e6, [0.7, 0.2, 0.1], ("rho", "h"), backend="cpu")


@pytest.mark.parametrize("component_first", [True, False])
def test_components_of_one_array_lie_between_each_other(
    tv: TVProperties, component_first: bool
) -> None:
    data, by_component = state(component_first)
    bind_inputs(tv, data, component_first)
    bind(tv, "rho", "out", data, 6, component_first=component_first)
    bind(tv, "h", "out", data, 8, component_first=component_first)
    tv.run("cells", COMPOSITE)
    inner = (slice(2, -2), slice(2, -2), slice(2, -2))
    for name, component in (("rho", 5), ("h", 7)):
        got = by_component[component][inner]
        assert (got == reference()[name]).all(), name
        by_component[component][inner] = -1.0 - (component - 5)
    np.testing.assert_array_equal(by_component, state(component_first)[1])


@pytest.mark.parametrize("component_first", [True, False])
def test_outputs_in_one_place(tv: TVProperties, component_first: bool) -> None:
    data, _ = state(component_first)
    before = data.copy()
    bind_inputs(tv, data, component_first)
    bind(tv, "rho", "out", data, 6, component_first=component_first)
    bind(tv, "h", "out", data, 6, component_first=component_first)
    with pytest.raises(bridge.ArgumentError, match=r"(rho.*'h'|h.*'rho').*set 'cells' writes"):
        tv.run("cells", COMPOSITE)
    np.testing.assert_array_equal(data, before)


def test_outputs_that_overlap_in_part(tv: TVProperties) -> None:
    data, _ = state(False)
    bind_inputs(tv, data, False)
    own = np.zeros(NX * NY * NZ + 1)
    shape: dict[str, Any] = dict(shape=(NX, NY, NZ), order="F")
    bind(tv, "rho", "out", np.ndarray(**shape, buffer=own), 1)
    bind(tv, "h", "out", np.ndarray(**shape, buffer=own, offset=8), 1)
    with pytest.raises(bridge.ArgumentError, match="an array, or components of one"):
        tv.run("cells", COMPOSITE)
    bind(tv, "h", "out", np.zeros((NX, NY, NZ), order="F"), 1)
    tv.run("cells", COMPOSITE)


def test_output_shifted_over_an_input(tv: TVProperties) -> None:
    data, by_component = state(True)
    bind_inputs(tv, data, True)
    bind(tv, "rho", "out", data, 2, component_first=True)
    tv.run("cells", COMPOSITE)  # exactly in the place of T: each point reads its own and writes
    assert (by_component[1][2:-2, 2:-2, 2:-2] == reference()["rho"]).all()
    for first, bounds in ((2, dict(SptX=2, EptX=NX - 3)), (4, {})):
        bind(tv, "rho", "out", data, first, component_first=True, **bounds)
        name = "'T'" if bounds else "'Y'"
        with pytest.raises(bridge.ArgumentError, match=f"rho: it shares elements with {name}"):
            tv.run("cells", COMPOSITE)


def test_outputs_in_q(tv: TVProperties) -> None:
    """Columns that the composite does not read are free, what it reads is not."""
    q = np.zeros((NX, NY, NZ, 8), order="F")  # P u v w T Y1..Y3
    q[...] = (10e6, 0.0, 0.0, 0.0, 300.0, 0.7, 0.2, 0.1)
    bind(tv, "Q", "in", q, 1, 8)
    bind(tv, "rho", "out", q, 2)
    tv.run("cells", COMPOSITE)
    assert (q[2:-2, 2:-2, 2:-2, 1] == reference()["rho"]).all()
    bind(tv, "rho", "out", q, 7)
    with pytest.raises(bridge.ArgumentError, match=r"rho: it shares elements with 'Q' \(Y\)"):
        tv.run("cells", COMPOSITE)


def test_empty_blocks_share_nothing(tv: TVProperties) -> None:
    data, _ = state(True)
    before = data.copy()
    for name, first, last in (("P", 1, 1), ("T", 2, 2), ("Y", 3, 5)):
        bind(tv, name, "in", data, first, last, True, EptX=FRINGE)
    for name in ("rho", "h"):
        bind(tv, name, "out", data, 1, component_first=True, EptX=FRINGE)
    assert tv.run("cells", COMPOSITE) == 0
    np.testing.assert_array_equal(data, before)


def test_sets_may_share_memory(tv: TVProperties) -> None:
    data, by_component = state(True)
    for name in ("cells", "again"):
        for quantity, first, last in (("P", 1, 1), ("T", 2, 2), ("Y", 3, 5), ("rho", 6, 6)):
            way = "out" if quantity == "rho" else "in"
            bounds = dict(INNER, SptData=first, EptData=last)
            tv.bind_array(name, quantity, way, data, **bounds, component_first=True)
        tv.run(name, COMPOSITE)
    assert (by_component[5][2:-2, 2:-2, 2:-2] == reference()["rho"]).all()


def test_temperature_in_its_own_place(tv: TVProperties) -> None:
    """T from h, with the guess in the array that gets the result, which is Q's column as well."""
    known = reference()["h"]
    q = np.zeros((NX, NY, NZ, 8), order="F")
    q[...] = (10e6, 0.0, 0.0, 0.0, 320.0, 0.7, 0.2, 0.1)
    bind(tv, "Q", "in", q, 1, 8)
    bind(tv, "h_target", "in", np.full((NX, NY, NZ), known, order="F"), 1)
    bind(tv, "T", "inout", q, 5)
    tv.run("cells", "prEOSCalcTFromHP")
    np.testing.assert_allclose(q[2:-2, 2:-2, 2:-2, 4], 300.0, rtol=1e-9)
    assert (q[0, 0, 0] == (10e6, 0.0, 0.0, 0.0, 320.0, 0.7, 0.2, 0.1)).all()
