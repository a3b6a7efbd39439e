"""The backend under test, a plugin of conftest.py.

A module with the mark `usefixtures("backend")` runs twice: on the CPU, and marked `gpu` on the
CUDA backend. What is marked `gpu` is skipped and counted where there is no GPU; with
BRIDGE_REQUIRE_GPU=1 the session fails there, with BRIDGE_TEST_STANDIN=1 it runs on the stand-in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import kernels.measure
import pytest
from standin import StandIn

import bridge.backends.cpu.single
import bridge.evaluation.function
import bridge.evaluation.machines
import bridge.frame
from bridge.backends import Backend, open_backend
from bridge.backends.cuda import CudaBackend, cache, why_unusable
from bridge.tvproperties import TVProperties

STANDIN = os.environ.get("BRIDGE_TEST_STANDIN") == "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mine = [item for item in items if item.get_closest_marker("gpu")]
    reason = None if STANDIN or not mine else why_unusable()
    if reason is None:
        return
    if os.environ.get("BRIDGE_REQUIRE_GPU") == "1":
        pytest.exit(f"no usable GPU: {reason}", 3)
    for item in mine:
        item.add_marker(pytest.mark.skip(reason=f"no usable GPU: {reason}"))


@pytest.fixture(scope="session")
def cuda() -> Iterator[CudaBackend]:
    """One CUDA backend for the session."""
    if not STANDIN:
        backend = CudaBackend()
        yield backend
        backend.close()
        return
    api: Any = StandIn()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "compiled", api.compile)
        yield CudaBackend(api=api)


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """The backend under test: what `auto` and single kernels open. A Frame opens its own GPU, all
    else takes the session's. A fixture that computes for a module asks for it too."""
    under_test: str = request.param
    gpu: CudaBackend | None = None
    if under_test == "cuda":
        gpu = request.getfixturevalue("cuda")

    def own(name: str, **named: Any) -> Backend:
        name = under_test if name == "auto" else name
        if STANDIN and gpu is not None and name == "cuda":
            api: Any = gpu.device.api
            recorder = named.get("recorder")
            return CudaBackend(named.get("device_id", 0), api=api, recorder=recorder)
        return open_backend(name, **named)

    def shared(name: str, **named: Any) -> Backend:
        if name == "auto":
            return gpu or open_backend("cpu", **named)
        return open_backend(name, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bridge.frame, "open_backend", own)
        patch.setattr(bridge.evaluation.machines, "open_backend", shared)
        if gpu is not None:
            patch.setattr(kernels.measure, "SAME_BITS", False)
            patch.setattr(bridge.backends.cpu.single, "CpuBackend", lambda: gpu)
        bridge.evaluation.function.forget()
        yield under_test
        bridge.evaluation.function.forget()


def launcher_of(tv: TVProperties, set: str, name: str) -> Any:
    """What runs a composite or kernel on all points of a set, as it did last."""
    run = tv._bound.set_of(set).runs.get((name, None, None))
    assert run is not None, f"{name} has not run on set '{set}'"
    [launcher] = run.launchers
    return launcher
