"""The CUDA backend on a stand-in device, for the tests of this folder. `gpu` is of type Any there:
under it lies no driver but the stand-in, which keeps lists of its calls."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest
from standin import StandIn

from bridge.backends.cuda import CudaBackend, cache, compiler
from bridge.errors import DeviceError


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """CudaBackend on a stand-in; arguments are the stand-in's and the backend's."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")

    def make(memory: int = 1 << 30, devices: int = 1, **named: Any) -> Any:
        api: Any = StandIn(None, devices, memory)
        monkeypatch.setattr(cache, "compiled", api.compile)
        return CudaBackend(api=api, **named)

    return make


@pytest.fixture
def gpu(make: Callable[..., Any]) -> Any:
    return make()


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> None:
        raise DeviceError("no compiler for GPU kernels: install one\n  tried this")

    monkeypatch.setattr(compiler, "find", find)
