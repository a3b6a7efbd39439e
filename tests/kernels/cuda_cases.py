"""Plans, states and arrays for the tests of the CUDA backend, and what its results are held to."""

from __future__ import annotations

from typing import Any

import numpy as np
from kernels.measure import R, gas, worst

from bridge.backends.base import Binding, Box
from bridge.backends.cpu.single import bind
from bridge.physics.shared import SharedData
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Plan

CATALOGUE = Catalogue.shipped()
SPECIES = "O2 CH4 CO2 H2O CO N2".split()
NS = len(SPECIES)
N = 150


def states(n: int = N, ns: int = NS) -> dict[str, np.ndarray]:
    T, P, Y = gas(n, ns)
    random = np.random.default_rng(3)
    return {
        "T": T, "P": P, "Y": Y, "velocity": random.normal(0.0, 100.0, (n, 3)),
        "Vref": np.full(n, 1.0), "T0": np.full(n, 300.0),
    }  # fmt: skip


def run(
    backend: Any,
    plan: Plan,
    inputs: dict[str, np.ndarray],
    shared: SharedData,
    whole: int | None = None,
) -> dict[str, np.ndarray]:
    """Outputs of a plan on host arrays (n, columns) in Fortran order."""
    backend.set_shared(shared)
    n = len(inputs[next(iter(plan.inputs))])
    arrays = {name: np.asfortranarray(inputs[name]) for name in plan.inputs}
    for name in plan.outputs:
        if name not in arrays:
            columns = CATALOGUE.columns(name, shared.fields()["ns"])
            quantity = CATALOGUE.quantity(name)
            shape = (n,) if quantity.columns == "1" else (n, columns)
            arrays[name] = np.zeros(shape, quantity.dtype, order="F")
    bindings = {name: bind(array) for name, array in arrays.items()}
    if whole is None:
        backend.program(plan, bindings).run(0, n)
    else:
        for binding in bindings.values():
            backend.adopt(binding)
        backend.program(plan, bindings).run_box(n, whole)
        for binding in bindings.values():
            backend.release(binding)
    return {name: arrays[name] for name in plan.outputs}


def same(
    got: dict[str, np.ndarray], want: dict[str, np.ndarray], inputs: dict[str, np.ndarray]
) -> None:
    """CPU and GPU agree to 1e-12 in the measure of kernels/measure.py."""
    T = inputs["T"] if "T" in inputs else want["T"]
    W = want.get("W", np.full(len(T), 0.02))
    rho = want.get("rho", np.ones(len(T)))
    scales = {"h": R * T / W, "h0": R * T / W, "rhoh0": rho * R * T / W, "h_p": 1 / rho,
              "h_Yi": (R * T / 0.002)[:, None], "rho_Yi": (rho * 15)[:, None],
              "h_Yi_reduced": (R * T / 0.002)[:, None]}  # fmt: skip
    for name in want:
        if want[name].dtype == np.int32:
            np.testing.assert_array_equal(got[name], want[name], err_msg=name)
        else:
            condition = want.get("Pkappa", 1.0)
            assert worst(got[name], want[name], scales.get(name, 0.0), condition) < 1e-12, name


def plan_of(name: str, ns: int = NS, outputs: tuple[Any, ...] | None = None) -> Plan:
    composite = CATALOGUE.composite(name)
    return CATALOGUE.plan(outputs or composite.outputs, composite.inputs, ns, name=name)


# ---- the caller's arrays --------------------------------------------------------------------


def on_pages(shape: tuple[Any, ...]) -> np.ndarray:
    """A Fortran-ordered array that shares no page with another, as large arrays do not."""
    size = int(np.prod(shape))
    memory = np.zeros(size + 1024)
    skip = -memory.ctypes.data % 4096 // 8
    return memory[skip : skip + size].reshape(shape, order="F")


def fringed(
    shape: tuple[int, int, int],
    fringe: tuple[tuple[int, int], tuple[int, int], tuple[int, int]],
    columns: int,
    layout: str,
    seed: int,
) -> tuple[np.ndarray, Binding, np.ndarray]:
    """A 4-D array with fringes, its binding, and the interior as NumPy sees it."""
    full = [n + sum(f) for n, f in zip(shape, fringe, strict=True)]
    random = np.random.default_rng(seed)
    first = layout == "first"
    array = on_pages((columns, *full) if first else (*full, columns))
    array[...] = random.random(array.shape)
    inner = tuple(slice(f[0], f[0] + n) for n, f in zip(shape, fringe, strict=True))
    view = np.moveaxis(array[(slice(None), *inner)], 0, -1) if first else array[inner]
    strides = [s // 8 for s in view.strides]
    offset = (view.__array_interface__["data"][0] - array.ctypes.data) // 8
    box = Box(shape, (strides[0], strides[1], strides[2]), strides[3], offset)
    return array, Binding(array.ctypes.data, box, columns, owner=array), view
