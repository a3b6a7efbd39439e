"""Programs of evaluations: few points on arrays that are kept, many where the caller's arrays lie.

To bind a plan to memory takes some hundred microseconds. A program on arrays of its own is bound
once and used again: values are copied in and out. For many points copies would cost more than
another program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.errors import InconsistentError
from bridge.evaluation.machines import Machine
from bridge.evaluation.request import Request
from bridge.physics.shared import SharedData
from bridge.plan.inputs import POSITIONS

#: Points of a program that is kept, and the bytes that its arrays may take.
POINTS, BYTES = 2048, 256 * 1024


def capacity(request: Request) -> int:
    """Points of a kept program."""
    return max(8, min(POINTS, BYTES // max(request.bytes_of_point, 1)))


class KeptProgram:
    """A request on arrays of its own, for `capacity` points at most; one thread at a time."""

    def __init__(self, machine: Machine, request: Request, shared: SharedData) -> None:
        n = capacity(request)
        self._masked = request.masked
        self._outputs = [(name, request.columns[name].tail) for name in request.plan.outputs]
        self._inputs = [(name, request.columns[name].tail) for name in request.given]
        self._arrays = {
            name: one.zeros((n,))
            for name, one in request.columns.items()
            if name not in request.positions  # these have no memory
        }
        for name, value in _constants(request).items():
            self._arrays[name][...] = value
        bindings = {name: _flat(array) for name, array in self._arrays.items()}
        with machine.alone:
            machine.install(shared)
            self._program = machine.backend.program(request.plan, _positions(n) | bindings)
        self._synchronize = machine.backend.synchronize

    def run(
        self, arrays: Mapping[str, Any], shape: tuple[int, ...], n: int
    ) -> dict[str, np.ndarray]:
        """Outputs by name, of points of this shape, n of them."""
        own = self._arrays
        if self._masked:
            for name, _ in self._outputs:
                own[name][:n] = 0
        for name, tail in self._inputs:
            own[name][:n].reshape(shape + tail)[...] = arrays[name]
        self._program.run(0, n)
        self._synchronize()
        if not shape:  # [()] makes a number of an array without axes
            return {name: own[name][0].copy()[()] for name, _ in self._outputs}
        return {name: own[name][:n].reshape(shape + tail).copy() for name, tail in self._outputs}


def run_in_place(
    machine: Machine,
    request: Request,
    shared: SharedData,
    arrays: Mapping[str, Any],
    shape: tuple[int, ...],
    tables: Mapping[str, np.ndarray],
) -> dict[str, np.ndarray]:
    """The same on the arrays as they are; tables: contents of those that the plan looks up."""
    # A backend with memory of its own copies flat arrays best; a box has three axes.
    flat = not machine.reads_memory_of_the_host or len(shape) > 3 or bool(request.positions)
    n = int(np.prod(shape, dtype=np.int64))
    extent = (n,) if flat else shape
    values = {name: arrays[name] for name in request.given} | {
        name: np.array(value, request.columns[name].quantity.dtype)
        for name, value in _constants(request).items()
    }
    bound: dict[str, np.ndarray] = {}
    for name, value in values.items():
        spread = np.broadcast_to(value, shape + request.columns[name].tail)
        if flat:
            spread = spread.reshape(n, *request.columns[name].tail)
        bound[name] = spread
    results: dict[str, np.ndarray] = {}
    for name in request.plan.outputs:
        column = request.columns[name]
        if name in bound:  # given, and wanted as well: as it was, or with a new value
            result = np.array(bound[name], column.quantity.dtype, order="C")
        else:
            result = (column.zeros if request.masked else column.empty)(extent)
        results[name] = bound[name] = result
    if n:
        bindings = {
            name: _box(array, extent, request.columns[name].tail) for name, array in bound.items()
        }
        _run(machine, request, shared, _positions(n) | bindings, n, tables)
    named = {name: request.columns[name].tail for name in results}
    return {name: results[name].reshape(shape + tail)[()] for name, tail in named.items()}


def _run(
    machine: Machine, request: Request, shared: SharedData, bindings: Mapping[str, Binding],
    n: int, tables: Mapping[str, np.ndarray],
) -> None:  # fmt: skip
    with machine.alone:
        machine.install(shared)
        for name, values in tables.items():
            machine.backend.set_table(name, values)
        program = machine.backend.program(request.plan, bindings)
        if tables:  # another thread's must not come between, nor while it runs
            program.run(0, n)
            machine.backend.synchronize()
    if not tables:
        program.run(0, n)
        machine.backend.synchronize()


def _constants(request: Request) -> dict[str, Any]:
    """Values of constants; ArgumentError for one that has none."""
    for name, value in request.constants.items():
        if value is None:
            cause = f"the constant '{name}' of {request.columns[name].quantity.file} has no value"
            raise InconsistentError("inputs", cause, f"give inputs={{'{name}': value}}")
    return request.constants


def _positions(n: int) -> dict[str, Binding]:
    return {name: Binding.along(axis, (n, 1, 1), 1) for axis, name in enumerate(POSITIONS)}


def _flat(array: np.ndarray) -> Binding:
    return _box(array, array.shape[:1], array.shape[1:])


def _box(array: np.ndarray, extent: tuple[int, ...], tail: tuple[int, ...]) -> Binding:
    """Points of at most three axes as memory of a plan, the last axis as x."""
    itemsize = array.dtype.itemsize
    if not array.flags.aligned or any(step % itemsize for step in array.strides):
        array = array.copy()
    steps = [step // itemsize for step in array.strides]
    axes = [*zip(extent, steps, strict=False)][::-1]
    axes += [(1, 0)] * (3 - len(axes))
    (nx, i), (ny, j), (nz, k) = axes
    columns, apart = (tail[0], steps[-1]) if tail else (1, 1)
    box = Box((nx, ny, nz), (i, j, k), apart)
    return Binding(array.ctypes.data, box, columns, dtype=array.dtype.name, owner=array)
