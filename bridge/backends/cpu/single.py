"""One named kernel on NumPy arrays: for tests, and for looking at a kernel by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.cpu.backend import CpuBackend
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Plan


def launch_kernel(
    name: str,
    inputs: Mapping[str, Any],
    shared: Any,
    *,
    backend: CpuBackend | None = None,
    catalogue: Catalogue | None = None,
) -> dict[str, np.ndarray]:
    """Outputs of kernel `name`: (n,) arrays, or (n, columns).

    inputs: arrays of the same form for each input of the kernel, in catalogue units; shared: a
    `physics.shared.SharedData`; a missing status word starts at zero.
    """
    catalogue = catalogue or Catalogue.shipped()
    given = dict(inputs)
    n = max(np.shape(value)[0] for value in given.values())
    for missing in set(catalogue.kernel(name).inputs) & {"status"} - set(given):
        given[missing] = np.zeros(n, dtype=np.int32)
    plan = catalogue.single(name, shared.fields()["ns"])
    return run_plan(plan, given, shared, backend=backend, catalogue=catalogue)


def run_plan(
    plan: Plan,
    inputs: Mapping[str, Any],
    shared: Any,
    *,
    backend: CpuBackend | None = None,
    catalogue: Catalogue | None = None,
    block: int | None = None,
) -> dict[str, np.ndarray]:
    """Outputs of a plan on NumPy inputs of shape (n,) or (n, columns), which stay as they are."""
    catalogue = catalogue or Catalogue.shipped()
    backend = backend or CpuBackend()
    backend.set_shared(shared)
    n = max(np.shape(inputs[name])[0] for name in plan.inputs)
    arrays = {
        name: np.array(inputs[name], dtype=catalogue.quantity(name).dtype) for name in plan.inputs
    }
    for name in plan.outputs:
        if name not in arrays:
            quantity = catalogue.quantity(name)
            columns = catalogue.columns(name, shared.fields()["ns"])
            shape: Sequence[int] = (n,) if quantity.columns == "1" else (n, columns)
            arrays[name] = np.zeros(shape, dtype=quantity.dtype)
    bindings = {name: bind(array) for name, array in arrays.items()}
    if block is None:
        backend.program(plan, bindings).run(0, n)
    else:
        backend.executor(plan, bindings, block=block).run(0, n)
    return {name: arrays[name] for name in plan.outputs}


def bind(array: np.ndarray, scale: float = 1.0) -> Binding:
    """A (n,) array, or (n, columns) in C or Fortran order, as memory of a plan."""
    n = array.shape[0]
    columns = 1 if array.ndim == 1 else array.shape[1]
    step = array.strides[0] // array.itemsize
    across = array.strides[1] // array.itemsize if array.ndim == 2 else n
    box = Box((n, 1, 1), (step, step * n, step * n), across)
    return Binding(array.ctypes.data, box, columns, scale, str(array.dtype), array)
