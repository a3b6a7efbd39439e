"""The CPU executor and its packing: boxes, blocks, threads, bits, arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kernels.jobs import CATALOGUE, ISAS, SHARED, composite_plan, states

from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import bind, launch_kernel, run_plan
from bridge.errors import ArgumentError, StateError

pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

# ---- boxes: a fringe array and its interior ----------------------------------------------


class Fringed:
    """A 4-D array with fringes, component last or first, and its interior as NumPy sees it."""

    def __init__(
        self,
        extent: Any,
        before: Any,
        after: Any,
        columns: Any,
        extra: Any,
        first: Any,
        dtype: Any,
        seed: int,
    ) -> None:
        nx, ny, nz = (n + b + a for n, b, a in zip(extent, before, after, strict=True))
        n_data = columns + sum(extra)
        shape = (n_data, nx, ny, nz) if first else (nx, ny, nz, n_data)
        random = np.random.default_rng(seed)
        self.array = np.asfortranarray(random.integers(-99, 99, shape).astype(dtype))
        inner = tuple(slice(b, b + n) for b, n in zip(before, extent, strict=True))
        data = slice(extra[0], extra[0] + columns)
        where = (data, *inner) if first else (*inner, data)
        self.inside = np.zeros(shape, dtype=bool)
        self.inside[where] = True
        view = self.array[where]
        if first:
            view = np.moveaxis(view, 0, -1)
        self.view = view
        strides = [s // self.array.itemsize for s in view.strides]
        address = view.__array_interface__["data"][0] if view.size else self.array.ctypes.data
        offset = (address - self.array.ctypes.data) // self.array.itemsize
        box = Box(extent, (strides[0], strides[1], strides[2]), strides[3], offset)
        self.binding = Binding(
            self.array.ctypes.data, box, columns, dtype=str(np.dtype(dtype)), owner=self.array
        )

    @property
    def points(self) -> np.ndarray:
        """(columns, points), points x fastest, by plain NumPy."""
        return self.view.reshape(-1, self.view.shape[3], order="F").T

    def outside(self) -> np.ndarray:
        return self.array[~self.inside]


triples = st.tuples(*[st.integers(1, 7)] * 3)
fringes = st.tuples(*[st.integers(0, 4)] * 3)
boxes = st.builds(
    lambda extent, before, after, columns, extra, first: (
        extent,
        before,
        after,
        columns,
        extra,
        first,
    ),
    triples,
    fringes,
    fringes,
    st.integers(1, 9),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    st.booleans(),
)
kinds = st.sampled_from([("float64", "float64"), ("int32", "int32"), ("float64", "int32")])


@settings(max_examples=300)
@given(box=boxes, kind=kinds, data=st.data(), scale=st.sampled_from([1.0, 0.5, 1024.0]))
@pytest.mark.parametrize("isa", ISAS)
def test_pack_and_unpack_are_numpy_slices(
    isa: str, box: Any, kind: Any, data: Any, scale: Any
) -> None:
    array_kind, view_kind = kind
    parts: tuple[Any, ...] = (*box, array_kind, 1)
    fringed = Fringed(*parts)
    total = fringed.points.shape[1]
    first = data.draw(st.integers(0, total), label="first")
    n = data.draw(st.integers(0, total - first), label="n")
    if kind == ("float64", "float64"):
        fringed.binding = replace(fringed.binding, scale=scale)
    else:
        scale = 1.0
    backend = CpuBackend(1, isa)
    view = backend.allocate(box[3], n + 3, view_kind)
    view[...] = 7
    backend.pack(fringed.binding, first, n, view)
    expected = (fringed.points[:, first : first + n] * scale).astype(view_kind)
    np.testing.assert_array_equal(view[:, :n], expected)
    assert np.all(view[:, n:] == 7)

    fresh = view[:, :n] + 1
    view[:, :n] = fresh
    whole, fringe = fringed.points.copy(), fringed.outside()
    backend.unpack(view, fringed.binding, first, n)
    whole[:, first : first + n] = fresh / scale
    np.testing.assert_array_equal(fringed.points, whole)
    np.testing.assert_array_equal(fringed.outside(), fringe)


@settings(max_examples=200)
@given(data=st.data(), extent=triples, threads=st.sampled_from([1, 2]))
@pytest.mark.parametrize("isa", ISAS)
def test_a_program_reads_and_writes_boxes(isa: str, data: Any, extent: Any, threads: Any) -> None:
    """completeMassFractions on fringe arrays: exact in double, so NumPy must agree bit for bit."""
    backend = CpuBackend(threads, isa)
    backend.set_shared(SHARED)
    layout = st.tuples(fringes, fringes, st.tuples(st.integers(0, 2), st.integers(0, 2)))
    before, after, extra = data.draw(layout, label="input")
    source = Fringed(extent, before, after, 5, extra, data.draw(st.booleans()), "float64", 2)
    before, after, extra = data.draw(layout, label="output")
    target = Fringed(extent, before, after, 6, extra, data.draw(st.booleans()), "float64", 3)
    way_in = data.draw(st.sampled_from([1.0, 0.25]))
    way_out = data.draw(st.sampled_from([1.0, 8.0]))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], 6, status=False)
    bindings = {
        "Y_leading": replace(source.binding, scale=way_in),
        "Y": replace(target.binding, scale=way_out),
    }
    total = source.points.shape[1]
    first = data.draw(st.integers(0, total - 1), label="first")
    n = data.draw(st.integers(0, total - first), label="n")
    whole, fringe, given_array = target.points.copy(), target.outside(), source.array.copy()
    block = data.draw(st.sampled_from([8, 64, 256]))
    backend.executor(plan, bindings, block=block).run(first, n)
    leading = source.points[:, first : first + n] * way_in
    result = np.vstack([leading, 1.0 - leading.sum(axis=0)]) / way_out
    whole[:, first : first + n] = result
    np.testing.assert_array_equal(target.points, whole)
    np.testing.assert_array_equal(target.outside(), fringe)
    np.testing.assert_array_equal(source.array, given_array)


def test_input_and_output_may_be_one_array() -> None:
    n = 1000
    h, s, T = np.arange(n) * 4.0, np.full(n, 2.0), np.arange(n) % 7.0
    expected = h - T * s
    plan = CATALOGUE.plan(["g"], ["h", "s", "T"], 1, status=False)
    for threads in (1, 2):
        shared_memory = h.copy()
        bindings = {name: bind(a) for name, a in (("s", s), ("T", T))}
        bindings |= {"h": bind(shared_memory), "g": bind(shared_memory)}
        backend = CpuBackend(threads)
        backend.set_shared(SHARED)
        backend.executor(plan, bindings, block=64).run(0, n)
        np.testing.assert_array_equal(shared_memory, expected)


def test_integers_may_live_in_real_arrays() -> None:
    inputs = states(20)
    inputs["T"][3] = -1.0
    plan = CATALOGUE.plan(["status", "nRoots"], list(inputs), 6)
    plain = run_plan(plan, inputs, SHARED)
    status, roots = np.full(20, 0.5), np.full(20, 0.5)
    backend = CpuBackend()
    backend.set_shared(SHARED)
    bindings = {name: bind(array) for name, array in inputs.items()}
    bindings |= {"status": bind(status), "nRoots": bind(roots)}
    backend.program(plan, bindings).run(0, 20)
    np.testing.assert_array_equal(status, plain["status"].astype(float))
    np.testing.assert_array_equal(roots, plain["nRoots"].astype(float))
    assert status[3] == 1.0 and roots[3] == 0.0


def test_a_given_output_is_not_written_back() -> None:
    """In and out through a scale is not the identity to the last bit."""
    inputs = states(100)
    rankine = inputs["T"] * 1.8
    kept, rho = rankine.copy(), np.zeros(100)
    backend = CpuBackend()
    backend.set_shared(SHARED)
    plan = CATALOGUE.plan(["T", "rho"], list(inputs), 6)
    bindings = {name: bind(array) for name, array in inputs.items()}
    bindings |= {"T": bind(rankine, scale=1.0 / 1.8), "rho": bind(rho)}
    assert (kept * (1.0 / 1.8) / (1.0 / 1.8) != kept).any()
    backend.program(plan, bindings).run(0, 100)
    np.testing.assert_array_equal(rankine, kept)
    assert (rho > 0).all()


def test_a_status_word_that_nothing_starts_is_zero() -> None:
    inputs = states(500)
    names = ("X", "W", "v", "cv_ideal", "Tr", "Pr")
    inputs |= run_plan(CATALOGUE.plan(names, list(inputs), 6), inputs, SHARED)
    plan = CATALOGUE.plan(["eta", "status"], ["T", "P", *names], 6)
    assert "status" not in plan.inputs
    started = CATALOGUE.plan(["eta", "status"], ["T", "P", "status", *names], 6)
    zeros = {"status": np.zeros(500, dtype=np.int32)}
    expected = run_plan(started, inputs | zeros, SHARED)
    for block in (8, 64, 256):  # scratch is full of the numbers of the run before
        got = run_plan(plan, inputs, SHARED, block=block)
        np.testing.assert_array_equal(got["status"], expected["status"])


# ---- a point's bits ------------------------------------------------------------------------


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("name", ["eosThermalAndViscousProperties", "prEOSCalcTFromHP"])
def test_bits_do_not_depend_on_place_count_block_or_threads(isa: str, name: str) -> None:
    n = 611
    inputs = states(n)
    h = run_plan(composite_plan("eosThermalProperties"), inputs, SHARED)["h"]
    if name == "prEOSCalcTFromHP":
        inputs |= {"h_target": h, "T0": np.full(n, 300.0)}
    plan = composite_plan(name)
    whole = run_plan(plan, inputs, SHARED, backend=CpuBackend(1, isa))
    assert all(np.isfinite(values).all() for values in whole.values())

    def same(got: dict[str, np.ndarray], where: np.ndarray | slice) -> None:
        for output, values in whole.items():
            np.testing.assert_array_equal(got[output], values[where], err_msg=output)

    for threads, block in ((1, 8), (1, 64), (2, None), (3, 16), (2, 256)):
        backend = CpuBackend(threads, isa)
        same(run_plan(plan, inputs, SHARED, backend=backend, block=block), slice(None))
    for first, count in ((0, 1), (5, 3), (17, 9), (100, 255), (610, 1), (3, 608)):
        part = {key: values[first : first + count] for key, values in inputs.items()}
        same(run_plan(plan, part, SHARED, backend=CpuBackend(1, isa)), slice(first, first + count))
    order = np.random.default_rng(5).permutation(n)
    mixed = {key: values[order] for key, values in inputs.items()}
    same(run_plan(plan, mixed, SHARED, backend=CpuBackend(2, isa)), order)

    spoilt = {key: values.copy() for key, values in inputs.items()}
    bad = np.arange(n) % 3 != 1
    for place, value in enumerate((np.nan, np.inf, -1.0, 0.0, 1e300, 1e-300)):
        spoilt["P"][bad & (np.arange(n) % 6 == place)] = value
    spoilt["Y"][bad & (np.arange(n) % 5 == 0)] = 0.0
    got = run_plan(plan, spoilt, SHARED, backend=CpuBackend(2, isa))
    same({output: values[~bad] for output, values in got.items()}, ~bad)


def test_threads_are_fed() -> None:
    """No more threads than the work feeds, whatever the host allows; in steps of one."""
    plans = {name: composite_plan(name) for name in ("eosRhohFromTPprop", "prEOSCalcTFromHP")}
    plans["full"] = composite_plan("eosThermalAndViscousProperties")
    least = {}
    for name, plan in plans.items():
        arrays = {}
        for quantity in (*plan.inputs, *plan.outputs):
            columns = CATALOGUE.columns(quantity, 6)
            arrays[quantity] = np.zeros((1, columns), CATALOGUE.quantity(quantity).dtype)
        programs = {}
        for threads in (1, 16):
            backend = CpuBackend(threads)
            backend.set_shared(SHARED)
            bindings = {quantity: bind(array) for quantity, array in arrays.items()}
            programs[threads] = backend.executor(plan, bindings)
        fed = programs[16].threads
        least[name] = next(n for n in range(1, 10**6) if fed(n) == 2)
        assert fed(0) == fed(1) == fed(least[name] - 1) == 1
        assert [fed(least[name] // 2 * k) for k in (2, 3, 15, 16, 10**6)] == [2, 3, 15, 16, 16]
        assert programs[1].threads(10**9) == 1
    assert 1000 < least["eosRhohFromTPprop"] < 10000
    assert max(least["full"], least["prEOSCalcTFromHP"]) < 1000


def test_layout_and_sub_range_do_not_change_bits() -> None:
    """In place, through scratch, component first: the same kernels on the same numbers."""
    n = 300
    inputs, plan = states(n), composite_plan("eosThermalProperties")
    expected = run_plan(plan, inputs, SHARED)
    fortran = dict(inputs, Y=np.asfortranarray(inputs["Y"]))
    backend = CpuBackend()
    backend.set_shared(SHARED)
    results = {name: np.zeros_like(values) for name, values in expected.items()}
    bindings = {name: bind(array) for name, array in (fortran | results).items()}
    program = backend.program(plan, bindings)
    for first, count in ((0, 37), (37, 200), (237, 63)):
        program.run(first, count)
    for name, values in expected.items():
        np.testing.assert_array_equal(results[name], values, err_msg=name)


def test_a_scaled_array_is_never_read_in_place() -> None:
    """Contiguous, full blocks: all else speaks for reading it where it is."""
    n = 512
    inputs, plan = states(n), composite_plan("eosThermalProperties")
    bar = inputs["P"] / 1e5
    expected = run_plan(plan, dict(inputs, P=bar * 1e5), SHARED)
    backend = CpuBackend()
    backend.set_shared(SHARED)
    results = {name: np.zeros_like(values) for name, values in expected.items()}
    bindings = {name: bind(array) for name, array in (inputs | results).items()}
    bindings["P"] = bind(bar, scale=1e5)
    backend.program(plan, bindings).run(0, n)
    np.testing.assert_array_equal(results["rho"], expected["rho"])


@pytest.mark.parametrize("name", ["eosThermalAndViscousProperties", "prEOSCalcTFromHP"])
def test_instruction_sets_agree(name: str) -> None:
    inputs = states(400)
    inputs["P"] = np.minimum(inputs["P"], 3e6)  # away from critical points, which amplify
    thermal = run_plan(composite_plan("eosThermalProperties"), inputs, SHARED)
    inputs |= {"h_target": thermal["h"], "T0": np.full(400, 300.0)}
    plan = composite_plan(name)
    results = [run_plan(plan, inputs, SHARED, backend=CpuBackend(1, isa)) for isa in ISAS]
    RT = (8.314462618 * inputs["T"] / thermal["W"])[:, None]
    scales = {"h": RT, "h_Yi": 10 * RT, "h_p": 1 / thermal["rho"][:, None]}
    for other in results[1:]:
        for key, value in results[0].items():
            if key in ("status", "iterations"):
                np.testing.assert_array_equal(other[key] & ~2048, value & ~2048, err_msg=key)
                continue
            value, got = value.reshape(400, -1), other[key].reshape(400, -1)
            error = np.abs(got - value) / np.maximum(np.abs(value), scales.get(key, 0.0))
            limit = 1e-9 if name == "prEOSCalcTFromHP" else 2e-12
            assert error.max() < limit, f"{key}: {error.max():.1e}"


def test_vectors_that_have_finished_a_search_rest() -> None:
    """A point that starts at its answer ends after one evaluation, whoever else goes on."""
    n = 64
    inputs = states(n)
    h = run_plan(composite_plan("eosThermalProperties"), inputs, SHARED)["h"]
    plan = composite_plan("prEOSCalcTFromHP")
    T0 = np.where(np.arange(n) % 2 == 0, inputs["T"], 5000.0)
    got = run_plan(plan, {"h_target": h, "T0": T0, "P": inputs["P"], "Y": inputs["Y"]}, SHARED)
    assert (got["iterations"][::2] <= 2).all() and (got["iterations"][1::2] >= 3).all()
    np.testing.assert_allclose(got["T"], inputs["T"], rtol=1e-9)


# ---- which library, which arguments -------------------------------------------------------


def test_instruction_set_by_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for isa in ISAS:
        monkeypatch.setenv("BRIDGE_CPU_ISA", isa)
        assert f"x86-64-{isa}" in CpuBackend().describe()["isa"]
    monkeypatch.setenv("BRIDGE_CPU_ISA", "avx")
    with pytest.raises(ArgumentError, match=f"BRIDGE_CPU_ISA.*'avx'.*{', '.join(ISAS)}"):
        CpuBackend()
    monkeypatch.delenv("BRIDGE_CPU_ISA")
    assert CpuBackend().library.isa == ISAS[0]
    assert CpuBackend(3).describe()["threads"] == "3"


@pytest.mark.parametrize(
    ("cores", "binding", "shown"),
    [
        ({0}, None, "0 (threads not bound)"),
        ({0, 1, 2, 3, 8}, "false", "0-3,8 (threads not bound)"),
        ({4, 6, 7}, "CLOSE", "4,6-7 (bound: close)"),
    ],
)
def test_cores_are_shown(
    cores: set[int], binding: str | None, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: cores)
    monkeypatch.delenv("OMP_PROC_BIND", raising=False)
    if binding is not None:
        monkeypatch.setenv("OMP_PROC_BIND", binding)
    assert CpuBackend(1).describe()["cores"] == shown


def test_arguments_are_checked() -> None:
    plan = CATALOGUE.plan(["g"], ["h", "s", "T"], 1, status=False)
    good = {name: bind(np.zeros(8)) for name in ("g", "h", "s", "T")}
    backend = CpuBackend()
    with pytest.raises(StateError, match="set_shared first"):
        backend.program(plan, good)
    backend.set_shared(SHARED)
    with pytest.raises(ArgumentError, match="threads.*0"):
        CpuBackend(0)
    with pytest.raises(ArgumentError, match="isa.*'v9'"):
        CpuBackend(1, "v9")
    with pytest.raises(ArgumentError, match="block.*12"):
        backend.executor(plan, good, block=12)
    with pytest.raises(ArgumentError, match="none for s.*each input"):
        backend.program(plan, {k: v for k, v in good.items() if k != "s"})
    with pytest.raises(ArgumentError, match="none for g.*each output"):
        backend.program(plan, {k: v for k, v in good.items() if k != "g"})
    program = backend.program(plan, good)
    program.run(8, 0)
    for first, n in ((0, 9), (8, 1), (-1, 2), (0, -1)):
        with pytest.raises(ArgumentError, match="of the 8 that are bound"):
            program.run(first, n)
    with pytest.raises(ArgumentError, match="T: got 2 components, wanted 1"):
        backend.program(plan, good | {"T": replace(good["T"], columns=2)})
    with pytest.raises(
        ArgumentError, match="g: got elements of int32 for a real quantity that is written"
    ):
        backend.program(plan, good | {"g": bind(np.zeros(8, dtype=np.int32))})


def test_one_named_kernel() -> None:
    got = launch_kernel("prEOSGamma", {"cp": np.array([3.0]), "cv": np.array([2.0])}, SHARED)
    assert list(got) == ["gamma"] and got["gamma"][0] == 1.5
    checked = launch_kernel("prEOSCheckInput", states(5) | {"T": np.full(5, -1.0)}, SHARED)
    assert np.isnan(checked["T"]).all() and (checked["status"] == 1).all()
    cleaned = launch_kernel("prEOSCleanMassFractions", {"Y": states(5)["Y"] * 2}, SHARED)
    np.testing.assert_allclose(cleaned["Yc"].sum(axis=1), 1.0, rtol=1e-15)
    with pytest.raises(ArgumentError, match="'prEOSGama'.*prEOSGamma"):
        launch_kernel("prEOSGama", {"cp": np.ones(1), "cv": np.ones(1)}, SHARED)
