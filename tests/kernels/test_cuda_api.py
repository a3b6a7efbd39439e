"""The calls of CUDA without a GPU: cuda-bindings is real, but for what would reach a driver;
CuPy has the names that are asked for and no more."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.backends.cuda.api import Api, CallError
from bridge.errors import DeviceError, OutOfMemoryError

SUCCESS, INVALID = "CUDA_SUCCESS", "CUDA_ERROR_INVALID_VALUE"


class RuntimeFailure(RuntimeError):
    pass


class DriverFailure(RuntimeError):
    pass


class Bindings:
    """cuda.bindings.driver whose calls go to host memory, and end with `status`."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.status = SUCCESS
        self.attributes: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def _end(self) -> Any:
        return (getattr(self._real.CUresult, self.status),)

    def cuMemcpy3DAsync(self, copy: Any, stream: Any) -> Any:
        """As the CUDA Driver API documents CUDA_MEMCPY3D for two linear memories."""
        unified = self._real.CUmemorytype.CU_MEMORYTYPE_UNIFIED
        assert copy.srcMemoryType == copy.dstMemoryType == unified and stream == 7
        for name in ("XInBytes", "Y", "Z", "LOD"):
            assert getattr(copy, f"src{name}") == getattr(copy, f"dst{name}") == 0
        for z in range(copy.Depth):
            for y in range(copy.Height):
                source = int(copy.srcDevice) + (z * copy.srcHeight + y) * copy.srcPitch
                target = int(copy.dstDevice) + (z * copy.dstHeight + y) * copy.dstPitch
                ctypes.memmove(target, source, copy.WidthInBytes)
        return self._end()

    def cuEventRecordWithFlags(self, event: int, stream: int, flags: int) -> Any:
        external = self._real.CUevent_record_flags.CU_EVENT_RECORD_EXTERNAL
        assert (event, stream, flags) == (3, 7, int(external))
        return self._end()

    def cuFuncSetAttribute(self, function: Any, attribute: Any, value: Any) -> Any:
        self.attributes.append((function, attribute.name, value))
        return self._end()


@pytest.fixture
def bindings() -> Any:
    return Bindings(pytest.importorskip("cuda.bindings.driver"))


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A CuPy of names alone."""
    package: Any = ModuleType("cupy")
    cuda: Any = ModuleType("cupy.cuda")
    cuda.runtime = SimpleNamespace(CUDARuntimeError=RuntimeFailure, memcpyDefault=4)
    cuda.driver = SimpleNamespace(CUDADriverError=DriverFailure, launchKernel=print)
    cuda.Module = object
    package.cuda = cuda
    monkeypatch.setitem(sys.modules, "cupy", package)
    monkeypatch.setitem(sys.modules, "cupy.cuda", cuda)
    return cuda


@pytest.fixture
def api(cupy: Any, bindings: Any) -> Any:
    made = Api()
    made._bindings = bindings
    return made


def test_a_copy_in_three_dimensions(api: Any) -> None:
    """Rows and slices of other pitches on both sides; nothing between them is touched."""
    source = np.random.default_rng(1).random((5, 7, 9))
    target = np.zeros((4, 6, 8))
    want = target.copy()
    want[1:4, 2:5, 3:7] = source[2:5, 1:4, 5:9]
    api.copy3d_async(
        target[1:, 2:, 3:].ctypes.data,
        8 * 8,
        6,
        source[2:, 1:, 5:].ctypes.data,
        9 * 8,
        7,
        4 * 8,
        3,
        3,
        7,
    )
    np.testing.assert_array_equal(target, want)


def test_an_event_of_a_graph(api: Any, bindings: Any) -> None:
    api.record_in_graph(3, 7)
    bindings.status = INVALID
    with pytest.raises(CallError, match=INVALID):
        api.record_in_graph(3, 7)


def test_a_status_is_an_error(api: Any, bindings: Any) -> None:
    bindings.status = INVALID
    memory = np.zeros(8)
    at = memory.ctypes.data
    with pytest.raises(api.errors, match=INVALID):
        api.copy3d_async(at, 8, 1, at, 8, 1, 8, 1, 1, 7)
    module = SimpleNamespace(get_function=lambda name: SimpleNamespace(ptr=3))
    with pytest.raises(DeviceError, match=f"kernel rho: {INVALID}"):
        api.function(module, "rho", 1024)


@pytest.mark.parametrize("tile", [0, 1024, 48 * 1024, 48 * 1024 + 8])
def test_shared_memory_of_a_function(api: Any, bindings: Any, tile: Any) -> None:
    """More than 48 KiB per block have to be asked for."""
    function = SimpleNamespace(ptr=3)
    module = SimpleNamespace(get_function={"rho": function}.__getitem__)
    assert api.function(module, "rho", tile) == (3, function)
    want = []
    if tile > 48 * 1024:
        want.append((3, "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", tile))
    if tile:
        want.append((3, "CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT", 100))
    assert bindings.attributes == want


def test_memory_that_is_not_there(api: Any, cupy: Any) -> None:
    def refuse(size: Any) -> None:
        raise RuntimeFailure("cudaErrorMemoryAllocation: out of memory")

    cupy.runtime.malloc, cupy.runtime.memGetInfo = refuse, lambda: (3 << 20, 8 << 20)
    with pytest.raises(OutOfMemoryError, match=r"asked for 4\.0 MiB, 3\.0 of 8\.0 MiB"):
        api.malloc(4 << 20)


@pytest.mark.parametrize("missing", ["cupy", "cuda.bindings"])
def test_what_is_missing_is_named(
    cupy: Any, bindings: Any, monkeypatch: pytest.MonkeyPatch, missing: Any
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == missing.split(".")[0]]:
        if (name + ".").startswith(missing + "."):
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DeviceError, match=rf"CuPy and cuda-bindings \(.*{missing}.*cuda13"):
        Api()


def test_no_private_name_of_cupy() -> None:
    root = Path(bridge.__file__).parent
    for path in root.rglob("*.py"):
        assert not re.search(r"cupy_backends|cupy\._", path.read_text(encoding="utf-8")), path
