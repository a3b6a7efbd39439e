"""Memory that is page-locked, on the device or neither, steady loops that allocate nothing, copies
that do not happen, and the host at work meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from backends import STANDIN, launcher_of
from gpu.cases import CATALOGUE, NAMES, Counted, real_gpu, species, states
from kernels import cuda_cases as cases
from kernels import test_cuda_arrays as bound_arrays
from kernels import test_cuda_kept_inputs as kept_inputs

import bridge
from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend

pytestmark = pytest.mark.gpu

# ---- memory ---------------------------------------------------------------------------------


def test_device_pointers(gpu: Any) -> None:
    """Arrays that the caller keeps on the device, with fringes and without: no copies."""
    cupy = pytest.importorskip("cupy")
    shared, plan, inputs = species(6), cases.plan_of("eosRhohFromTPprop", 6), states(5 * 6 * 7, 6)
    gpu.set_shared(shared)
    want = cases.run(CpuBackend(), plan, inputs, shared)
    for fringe in (0, 2):
        arrays, bindings = {}, {}
        for name in (*plan.inputs, *plan.outputs):
            columns = CATALOGUE.columns(name, 6)
            full = tuple(m + 2 * fringe for m in (5, 6, 7))
            host = np.full((*full, columns), -7.0, order="F")
            inner = tuple(slice(fringe, fringe + m) for m in (5, 6, 7))
            if name in plan.inputs:
                host[inner] = inputs[name].reshape((5, 6, 7, columns), order="F")
            arrays[name] = (cupy.asarray(host, order="F"), inner)
            x, y, z = 1, full[0], full[0] * full[1]
            box = Box((5, 6, 7), (x, y, z), full[0] * full[1] * full[2], fringe * (x + y + z))
            bindings[name] = Binding(arrays[name][0].data.ptr, box, columns)
        gpu.program(plan, bindings).run_box(210, 64)
        for name in plan.outputs:
            array, inner = arrays[name]
            got = cupy.asnumpy(array)
            np.testing.assert_allclose(
                got[inner].reshape(-1, order="F"), want[name], rtol=1e-12, err_msg=name
            )
            assert (name == "status" or got.sum() != 0) and (
                fringe == 0 or got[0, 0, 0, 0] == -7.0
            )


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("chunk", [3, 21, 40, 1000])
@pytest.mark.parametrize("fringe", [((2, 1), (1, 3), (2, 2)), ((0, 0), (0, 0), (0, 0))])
def test_boxes(
    gpu: Any,
    layout: str,
    locked: bool,
    chunk: int,
    fringe: tuple[tuple[int, int], tuple[int, int], tuple[int, int]],
) -> None:
    """Fringe arrays in both orders, page-locked or not; as calls, captured and replayed."""
    shape = (7, 5, 4)
    gpu.set_shared(species(6))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], 6, status=False, name="complete")
    _, source, leading = cases.fringed(shape, fringe, 5, layout, 1)
    array, target, whole = cases.fringed(shape, fringe, 6, layout, 2)
    inner = tuple(slice(f[0], f[0] + n) for n, f in zip(shape, fringe, strict=True))
    outside = np.ones(array.shape, bool)
    outside[(slice(None), *inner) if layout == "first" else inner] = False
    before = array.copy()
    bound = [source, target] if locked else []
    for binding in bound:
        gpu.adopt(binding)
    program = gpu.program(plan, {"Y_leading": source, "Y": target})
    for _ in range(4):
        whole[...] = -1.0
        leading[...] = np.random.default_rng(7).random(leading.shape)
        program.run_box(140, chunk)
        np.testing.assert_array_equal(whole[..., :-1], leading)
        assert np.abs(whole.sum(-1) - 1.0).max() < 1e-15
        np.testing.assert_array_equal(array[outside], before[outside])
    for binding in bound:
        gpu.release(binding)


def test_columns_of_component_first_records_share_a_copy(
    gpu: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(gpu)
    if not STANDIN:
        launch = gpu.device.modules.launch_marshal
        monkeypatch.setattr(
            gpu.device.modules,
            "launch_marshal",
            lambda name, *rest: (gpu.device.api.calls.append(name), launch(name, *rest)),
        )
    bound_arrays.test_columns_of_component_first_records_share_a_copy(counted, False, monkeypatch)
    bound_arrays.test_columns_of_component_first_records_share_a_copy(counted, True, monkeypatch)


def test_an_array_freed_and_bound_again(gpu: Any) -> None:
    """Three times of three: the same address, other pages."""
    shared, plan, inputs = species(2), cases.plan_of("eosRhohFromTPprop", 2), states(300_000, 2)
    first = None
    for _ in range(3):
        got = cases.run(gpu, plan, inputs, shared, whole=40_000)
        first = got if first is None else first
        np.testing.assert_array_equal(got["rho"], first["rho"])


def test_memory_of_ours_may_share_a_page_with_an_array_of_the_caller(gpu: Any) -> None:
    bound_arrays.test_memory_of_ours_may_share_a_page_with_an_array_of_the_caller(gpu)


@real_gpu
def test_a_steady_loop_allocates_nothing(gpu: Any) -> None:
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", "O2 CH4")
    frame.initialize(0, 512, 2, 7, 0)
    tv = frame.tvproperties
    random, n = np.random.default_rng(2), 512
    T = np.asfortranarray(random.uniform(200.0, 2000.0, (8, 8, 8)))
    P, Y = np.full_like(T, 7e6), np.full((8, 8, 8, 2), 0.5, order="F")
    rho = np.zeros_like(T)
    counts = []
    for points in (512, 100, 300, 512):
        for name, array in (("T", T), ("P", P), ("Y", Y)):
            tv.populate_input_stripe(name, array, stripeStart=1, stripeEnd=points)
        tv.eosRhohFromTPprop(points)
        tv.extract_output_stripe("rho", rho, stripeStart=1, stripeEnd=points)
        counts.append(tv.impl.backend.allocations())
    assert len(set(counts)) == 1
    want = bridge.evaluate(
        "O2 CH4", T.ravel("F"), np.full(n, 7e6), np.full((n, 2), 0.5), ("rho",), backend="cpu"
    )["rho"]
    np.testing.assert_allclose(rho.ravel("F"), want, rtol=1e-12)
    frame.finalize()


@real_gpu
def test_frames_follow_one_another(gpu: Any) -> None:
    for _ in range(3):
        frame = bridge.Frame()
        frame.set("backend", "cuda")
        frame.set("species", "N2")
        frame.initialize(0, 64, 1, 6, 0)
        T = np.full((4, 4, 4), 300.0, order="F")
        P = np.full_like(T, 1e5)
        Y, rho = np.ones((4, 4, 4, 1), order="F"), np.zeros_like(T)
        tv = frame.tvproperties
        for name, intent, array in (
            ("T", "in", T),
            ("P", "in", P),
            ("Y", "in", Y),
            ("rho", "out", rho),
        ):
            tv.bind_array("cells", name, intent, array)
        tv.run("cells", "eosRhohFromTPprop")
        assert np.allclose(rho, rho[0, 0, 0]) and 1.1 < rho[0, 0, 0] < 1.2
        frame.finalize()


# ---- while the host works ---------------------------------------------------------------------


@real_gpu
def test_the_host_works_while_a_run_is_pending(gpu: Any) -> None:
    """Begin returns while the device has work for long; what is done until then costs nothing."""
    ns, n = 16, 96
    names = list(NAMES[:ns])
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", " ".join(names))
    frame.initialize(0, 131072, ns, ns + 5, 0)
    tv = frame.tvproperties
    random = np.random.default_rng(1)
    shape = (n, n, n)
    T = np.asfortranarray(random.uniform(250.0, 2500.0, shape))
    P = np.full(shape, 1e7, order="F")
    Y = np.full((*shape, ns), 1.0 / ns, order="F")
    outputs = {"rho": np.zeros(shape, order="F"), "D_im": np.zeros((*shape, ns), order="F")}
    for name, array in {"T": T, "P": P, "Y": Y}.items():
        tv.bind_array("cells", name, "in", array)
    for name, array in outputs.items():
        tv.bind_array("cells", name, "out", array)
    composite = "eosThermalAndViscousProperties"
    for _ in range(3):
        tv.run("cells", composite)
    want = {name: array.copy() for name, array in outputs.items()}
    for _ in range(2):
        for array in outputs.values():
            array[...] = 0.0
        tv.run_begin("cells", composite)
        program: Any = launcher_of(tv, "cells", composite)._program
        turns = 0
        assert program is not None
        while not program.done():
            turns += 1
        assert turns > 10, "the run was over when begin returned"
        tv.wait("cells")
        for name, array in outputs.items():
            np.testing.assert_array_equal(array, want[name])
    frame.finalize()


def test_unchanged_inputs_do_not_cross_the_link(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_GRAPH", "0")
    kept_inputs.test_inputs_that_have_not_changed_are_not_copied(
        Counted(gpu), "last", "0", monkeypatch
    )


@real_gpu
def test_composites_on_resident_views_move_nothing(gpu: Any) -> None:
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", "O2 CH4")
    frame.initialize(0, 512, 2, 7, 0)
    tv = frame.tvproperties
    T = np.full((8, 8, 8), 300.0, order="F")
    Y = np.full((8, 8, 8, 2), 0.5, order="F")
    for name, array in (("T", T), ("P", T * 3e4), ("Y", Y)):
        tv.populate_input_stripe(name, array)
    counted = Counted(tv.impl.backend)
    for _ in range(3):
        tv.eosThermalAndViscousProperties(512)
        tv.prEOSViscousFluxProperties(512)
        tv.launch("prEOSCheckInput", 512)
    assert counted.api.calls == []
    rho = np.zeros_like(T)
    tv.extract_output_stripe("rho", rho)
    assert counted.api.calls == ["copy_async"]
    want = bridge.evaluate("O2 CH4", 300.0, 9e6, [0.5, 0.5], ("rho",), backend="cpu")["rho"]
    np.testing.assert_allclose(rho, want, rtol=1e-12)
    frame.finalize()
