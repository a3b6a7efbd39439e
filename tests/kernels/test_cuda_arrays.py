"""Every way in which arrays reach the CUDA backend, on a stand-in device: boxes, columns of
records, units, device memory and page locks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kernels.cuda_cases import CATALOGUE, NS, SPECIES, fringed, on_pages, plan_of, run, states

from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import bind
from bridge.errors import ArgumentError
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("fringe", [((2, 1), (1, 3), (2, 2)), ((0, 0), (0, 0), (0, 0))])
def test_an_input_without_columns_is_not_moved(
    gpu: Any, layout: str, fringe: tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
) -> None:
    """One species, of which an array has all mass fractions but the last: none."""
    gpu.set_shared(SharedData(SpeciesData.load(["O2"])))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], 1, status=False, name="complete")
    _, source, _ = fringed((7, 5, 4), fringe, 5, layout, 1)
    end = source.box.offset + 5 * source.box.data_stride  # behind the last column of Q
    source = replace(source, box=replace(source.box, offset=end))
    _, target, whole = fringed((7, 5, 4), fringe, 1, layout, 2)
    gpu.adopt(target)
    program = gpu.program(plan, {"Y_leading": replace(source, columns=0), "Y": target})
    for _ in range(3):  # as calls, captured, replayed
        whole[...] = -1.0
        gpu.device.api.calls.clear()
        program.run_box(140, 40, ["Y_leading"])
        assert (whole == 1.0).all()
    assert gpu.device.api.calls[0] == "graph"


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("chunk", [3, 8, 21, 40, 100, 1000])
@pytest.mark.parametrize("fringe", [((2, 1), (1, 3), (2, 2)), ((0, 0), (0, 0), (0, 0))])
def test_a_run_reads_and_writes_boxes(
    gpu: Any,
    layout: str,
    locked: bool,
    chunk: int,
    fringe: tuple[tuple[int, int], tuple[int, int], tuple[int, int]],
) -> None:
    """completeMassFractions on fringe arrays: NumPy must agree bit for bit, fringes stay."""
    shape = (7, 5, 4)
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    _, source, leading = fringed(shape, fringe, NS - 1, layout, 1)
    array, target, whole = fringed(shape, fringe, NS, layout, 2)
    before = array.copy()
    for binding in (source, target):
        if locked:
            gpu.adopt(binding)
    program = gpu.program(plan, {"Y_leading": source, "Y": target})
    for _ in range(3):  # as calls, captured, replayed
        whole[...] = -1.0
        leading[...] = np.random.default_rng(7).random(leading.shape)
        chunks = program.run_box(140, chunk)
        assert chunks >= -(-140 // chunk)
        np.testing.assert_array_equal(whole[..., :-1], leading)
        rounding = whole.shape[-1] * np.finfo(float).eps * np.abs(whole).sum(-1)
        assert (np.abs(whole.sum(-1) - 1.0) <= rounding).all()
    if any(sum(f) for f in fringe):
        outside = np.ones(array.shape, bool)
        inner = tuple(slice(f[0], f[0] + n) for n, f in zip(shape, fringe, strict=True))
        outside[(slice(None), *inner) if layout == "first" else inner] = False
        np.testing.assert_array_equal(array[outside], before[outside])
    assert ("graph" in gpu.device.api.calls) == locked


@pytest.mark.parametrize("wide", [False, True])
def test_columns_of_component_first_records_share_a_copy(
    gpu: Any, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All inputs come in one copy of a chunk; where little of a record is bound, and where only a
    part of it is written, points are fetched and put one by one and the rest is left alone."""
    monkeypatch.setenv("BRIDGE_GRAPH", "0")
    shape, fringe = (7, 5, 4), ((1, 1),) * 3
    shared, inputs, plan = (
        SharedData(SpeciesData.load(SPECIES)),
        states(140),
        plan_of("eosRhohFromTPprop"),
    )
    gpu.set_shared(shared)
    width = 60 if wide else 5 + NS
    array, whole, values = fringed(shape, fringe, width, "first", 1)
    results, records, found = fringed(shape, fringe, 7, "first", 2)
    before, outside = array.copy(), results.copy()
    bindings = {}
    for name, first in (("P", 0), ("T", 4), ("Y", 5)):
        columns = CATALOGUE.columns(name, NS)
        values[..., first : first + columns] = inputs[name].reshape((*shape, -1), order="F")
        box = replace(whole.box, offset=whole.box.offset + first)
        bindings[name] = Binding(whole.address, box, columns)
    before[...] = array
    for column, name in enumerate(plan.outputs, start=2):
        box = replace(records.box, offset=records.box.offset + column)
        bindings[name] = Binding(records.address, box, 1)
    for binding in (whole, records):
        gpu.adopt(binding)
    program = gpu.program(plan, bindings)
    want = run(CpuBackend(), plan, inputs, shared)
    gpu.set_shared(shared)
    for _ in range(2):
        gpu.device.api.calls.clear()
        chunks = program.run_box(140, 40)
        copies = sum(call.startswith("copy") for call in gpu.device.api.calls)
        gathers = sum(call.startswith("gather") for call in gpu.device.api.calls)
        assert (copies, gathers) == (0 if wide else chunks, 3 * chunks)
        for column, name in enumerate(plan.outputs, start=2):
            got = found[..., column].ravel(order="F")
            np.testing.assert_allclose(got, want[name], rtol=1e-12, err_msg=name)
            found[..., column] = outside[column, 1:-1, 1:-1, 1:-1]
        np.testing.assert_array_equal(results, outside)
        np.testing.assert_array_equal(array, before)


def test_units_and_integers_in_real_arrays(gpu: Any) -> None:
    shape, none = (6, 5, 3), ((1, 1),) * 3
    inputs, plan = states(90), plan_of("eosRhohFromTPprop")
    shared = SharedData(SpeciesData.load(SPECIES))
    gpu.set_shared(shared)
    columns = {"T": 1, "P": 1, "Y": NS, "rho": 1, "h": 1, "status": 1}
    arrays = {name: fringed(shape, none, c, "last", c) for name, c in columns.items()}
    scales = {"T": 1 / 1.8, "P": 1e5, "Y": 1.0, "rho": 1000.0, "h": 2.0, "status": 1.0}
    for name in ("T", "P", "Y"):
        values = inputs[name].reshape((*shape, -1), order="F")
        arrays[name][2][...] = values / scales[name]
    bindings = {
        name: Binding(b.address, b.box, b.columns, scales[name], owner=a)
        for name, (a, b, _) in arrays.items()
    }
    for binding in bindings.values():
        gpu.adopt(binding)
    gpu.program(plan, bindings).run_box(90, 17)
    want = run(CpuBackend(), plan, inputs, shared)
    for name in ("rho", "h", "status"):
        got = arrays[name][2].reshape(-1, order="F") * scales[name]
        np.testing.assert_allclose(got, want[name], rtol=1e-11)


def test_device_memory_is_used_as_it_is(gpu: Any) -> None:
    """Views, and arrays that the caller keeps on the device."""
    inputs, plan = states(64), plan_of("eosRhohFromTPprop")
    shared = SharedData(SpeciesData.load(SPECIES))
    gpu.set_shared(shared)
    views = {}
    for name in (*plan.inputs, *plan.outputs):
        columns = CATALOGUE.columns(name, NS)
        views[name] = gpu.allocate(columns, 80, CATALOGUE.quantity(name).dtype)
    for name in plan.inputs:
        gpu.pack(bind(np.asfortranarray(inputs[name])), 0, 64, views[name])
    bindings = {
        name: Binding(v.address, Box.flat(80, 80), v.shape[0], dtype=v.dtype.name, owner=v)
        for name, v in views.items()
    }
    gpu.device.api.calls.clear()
    program = gpu.program(plan, bindings)
    program.run(0, 40)
    program.run(40, 24)
    assert gpu.device.api.calls == ["bridge_eosRhohFromTPprop"] * 2
    want = run(CpuBackend(), plan, inputs, shared)

    def check() -> None:
        for name in plan.outputs:
            out = np.zeros(64, views[name].dtype)
            gpu.unpack(views[name], bind(out), 0, 64)
            np.testing.assert_allclose(out, want[name], rtol=1e-12)
            views[name][...] = 7

    check()
    for _ in range(3):  # the chunk loop: as calls, recorded, replayed
        gpu.device.api.calls.clear()
        assert program.run_box(64, 17) == 4
        assert not any(call.startswith("copy") for call in gpu.device.api.calls)
        check()


def test_memory_of_another_gpu_is_refused(make: Callable[..., Any]) -> None:
    gpu = make(devices=2)
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan, T = plan_of("eosRhohFromTPprop"), np.zeros(8)
    gpu.device.api.foreign[T.ctypes.data] = (T.nbytes, 1)
    arrays = {
        name: np.zeros((8, CATALOGUE.columns(name, NS)), order="F")
        for name in (*plan.inputs, *plan.outputs)
    } | {"T": T}
    program = gpu.program(plan, {name: bind(array) for name, array in arrays.items()})
    with pytest.raises(ArgumentError, match="argument T: got memory of GPU 1"):
        program.run(0, 8)


# ---- page locks -----------------------------------------------------------------------------


def test_binding_again_locks_again(gpu: Any) -> None:
    big = np.zeros(100_000)
    for _ in range(3):
        gpu.adopt(bind(big))
        gpu.release(bind(big))
    assert len(gpu.device.api.locks) == 3 and not gpu.device.api.locked
    assert gpu.device.api.locks[0][0] % 4096 == 0


def test_arrays_in_one_page_are_locked_together(gpu: Any) -> None:
    """Both can be copied in one call each; the page goes with the last of them."""
    memory = on_pages((3000,))
    first, second = memory[:900], memory[900:2900]
    gpu.adopt(bind(first))
    gpu.adopt(bind(second))
    ((address, size),) = gpu.device.api.locked.items()
    assert address == memory.ctypes.data and size == 6 * 4096
    gpu.release(bind(first))
    assert len(gpu.device.api.locked) == 1
    gpu.adopt(bind(first))
    assert len(gpu.device.api.locked) == 1 and len(gpu.device.api.locks) == 3
    gpu.release(bind(second))
    gpu.release(bind(first))
    assert not gpu.device.api.locked


def test_memory_of_ours_may_share_a_page_with_an_array_of_the_caller(gpu: Any) -> None:
    """The heap puts what the backend copies from beside small arrays: a page is locked whole."""
    names = list(SpeciesData.load(None).names)[:16]
    shared, inputs = SharedData(SpeciesData.load(names)), states(8, 16)
    plan = plan_of("eosRhohFromTPprop", 16)
    gpu.set_shared(shared)
    words = gpu._shared.words
    assert words.nbytes > 2 * 4096
    beside = bind(words[-1:])
    gpu.adopt(beside)
    arrays = {name: np.asfortranarray(inputs[name]) for name in plan.inputs}
    arrays |= {name: np.zeros(8, CATALOGUE.quantity(name).dtype) for name in plan.outputs}
    gpu.program(plan, {name: bind(array) for name, array in arrays.items()}).run(0, 8)
    gpu.release(beside)
    want = run(CpuBackend(), plan, inputs, shared)["rho"]
    np.testing.assert_allclose(arrays["rho"], want, rtol=1e-12)


def test_a_system_that_locks_nothing(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU packs instead, and the results are the same."""
    monkeypatch.setattr(gpu.device.api, "lock", lambda *_: False)
    shared, inputs, plan = (
        SharedData(SpeciesData.load(SPECIES)),
        states(),
        plan_of("eosThermalProperties"),
    )
    want = run(gpu, plan, inputs, shared)
    got = run(gpu, plan, inputs, shared, whole=40)
    for name in want:
        np.testing.assert_array_equal(got[name], want[name])
    assert "graph" not in gpu.device.api.calls
