"""Launches one by one, memory of the device that is bound, failures, the choice of a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gpu.cases import CATALOGUE, NAMES, Counted, python, real_gpu, species, states
from kernels import cuda_cases as cases

import bridge
from bridge.backends.base import Binding, Box
from bridge.backends.cpu.single import bind
from bridge.errors import ArgumentError, OutOfMemoryError

pytestmark = pytest.mark.gpu

# ---- devices and what goes wrong ----------------------------------------------------------------


def test_kernels_one_by_one_and_as_a_graph(gpu: Any) -> None:
    ns, n = 6, 3000
    shared, inputs = species(ns, True), states(n, ns)
    inputs["T"][5], inputs["P"][9], inputs["Y"][12] = -1.0, np.nan, 0.0
    plan = cases.plan_of("eosThermalAndViscousProperties", ns)
    want = cases.run(gpu, plan, inputs, shared)
    views, bindings = {}, {}
    for name in (*plan.inputs, *plan.outputs):
        view = gpu.allocate(CATALOGUE.columns(name, ns), n, CATALOGUE.quantity(name).dtype)
        views[name] = view
        bindings[name] = Binding(
            view.address, Box.flat(n, n), view.shape[0], dtype=view.dtype.name, owner=view
        )
        if name in plan.inputs:
            gpu.pack(bind(np.asfortranarray(inputs[name])), 0, n, view)
    for replay in (False, True):
        sequence = gpu.launch_sequence(plan, bindings, replay)
        for _ in range(4):
            for name in plan.outputs:
                views[name][...] = 7
            sequence.run(0, n)
            for name in plan.outputs:
                out = np.zeros(want[name].shape, want[name].dtype, order="F")
                gpu.unpack(views[name], bind(out), 0, n)
                np.testing.assert_allclose(out, want[name], rtol=1e-11, err_msg=name)


def test_memory_of_the_device_is_bound(gpu: Any) -> None:
    """As OpenACC, OpenMP or CUDA Fortran would hand it over: found by its address, not copied."""
    cupy = pytest.importorskip("cupy")
    ns, shape, fringe = 3, (6, 5, 4), 2
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", " ".join(NAMES[:ns]))
    frame.initialize(0, 64, ns, ns + 5, 0)
    tv = frame.tvproperties
    backend = Counted(tv.impl.backend)
    inputs = states(120, ns)
    full = tuple(n + 2 * fringe for n in shape)
    inner = tuple(slice(fringe, fringe + n) for n in shape)
    arrays = {}
    for name, columns in {"T": 1, "P": 1, "Y": ns, "rho": 1}.items():
        host = np.full((*full, columns), -7.0, order="F")
        if name in inputs:
            host[inner] = inputs[name].reshape((*shape, columns), order="F")
        arrays[name] = cupy.asarray(host, order="F")
        bounds = [*full]
        for n in full:
            bounds += [fringe + 1, n - fringe]
        tv.bind(
            "cells",
            name,
            "out" if name == "rho" else "in",
            arrays[name].data.ptr,
            [*bounds, 1, columns, columns],
        )
    tv.run("cells", "eosRhohFromTPprop")
    assert backend.device.api.calls == []
    rho = cupy.asnumpy(arrays["rho"])
    want = bridge.evaluate(
        list(NAMES[:ns]), inputs["T"], inputs["P"], inputs["Y"], ("rho",), backend="cpu"
    )["rho"]
    np.testing.assert_allclose(rho[inner].ravel("F"), want, rtol=1e-12)
    assert np.count_nonzero(rho == -7.0) == rho.size - 120
    frame.finalize()


def test_too_much_memory_says_what_helps(gpu: Any) -> None:
    with pytest.raises(OutOfMemoryError, match=r"asked for .* MiB, .* are free on the GPU: lower"):
        gpu.allocate(1, 1 << 40, "float64")
    gpu.allocate(1, 8, "float64")


_STICKY = """
import cupy, numpy as np, bridge
frame = bridge.Frame()
frame.set("backend", "cuda")
frame.set("species", "N2")
frame.initialize(0, 64, 1, 6, 0)
tv = frame.tvproperties
small = cupy.zeros(64)
far = [1 << 30, 1, 1, (1 << 30) - 63, 1 << 30, 1, 1, 1, 1, 1, 1, 1]  # 8 GiB behind it
for name in ("T", "P", "Y", "rho"):
    tv.bind("cells", name, "out" if name == "rho" else "in", small.data.ptr, far)
for _ in range(2):
    try:
        tv.run("cells", "eosRhohFromTPprop")
    except bridge.BridgeError as error:
        print(error.status, error)
frame.finalize()
"""


@real_gpu
def test_an_illegal_address_is_told_with_its_launch_and_stays(gpu: Any) -> None:
    told = python(_STICKY)
    first, second = [line for line in told.stdout.splitlines() if line.startswith("-7")]
    assert "eosRhohFromTPprop failed on GPU 0" in first and "cudaError" in first
    assert "failed before and the process must end" in second


_CHOSEN = """
import os, bridge
from bridge.backends.cuda import CudaBackend
print("chosen", CudaBackend(0, os.environ["WANTED"]).device.facts.uuid)
"""


@real_gpu
def test_devices_by_uuid_and_what_is_visible(gpu: Any) -> None:
    uuid = gpu.device.facts.uuid
    for visible, wanted in ((None, uuid), (uuid, "given"), (uuid, uuid[:12]), ("0", "nearest")):
        told = python(_CHOSEN, WANTED=wanted, CUDA_VISIBLE_DEVICES=visible)
        assert f"chosen {uuid}" in told.stdout, told.stderr[-2000:]
    told = python(_CHOSEN, WANTED="GPU-12345678", CUDA_VISIBLE_DEVICES=None)
    assert "argument device: got 'GPU-12345678'" in told.stderr and uuid in told.stderr
    told = python(_CHOSEN, WANTED="given", CUDA_VISIBLE_DEVICES="")
    assert "no usable GPU" in told.stderr or "shows none" in told.stderr


@real_gpu
def test_a_device_that_is_not_there() -> None:
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", "N2")
    with pytest.raises(ArgumentError, match="device_id: got 999, wanted 0 to "):
        frame.initialize(999, 64, 1, 6, 0)
