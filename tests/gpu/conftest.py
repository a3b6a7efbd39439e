"""Twins of the CPU's tests: the same functions and fixtures, with every backend a GPU.

A twin file imports all of a CPU test file; what the tests open as "cpu" is the CUDA backend here.
Skipped and counted where there is no GPU. BRIDGE_TEST_STANDIN=1 runs them on the stand-in.
"""

from __future__ import annotations

import os

import kernels.measure
import pytest

import bridge.backends
import bridge.backends.cpu.single
import bridge.evaluation
import bridge.frame
from bridge.backends.cuda import CudaBackend, cache, why_unusable

STANDIN = os.environ.get("BRIDGE_TEST_STANDIN") == "1"


def pytest_collection_modifyitems(items):
    here = os.path.dirname(__file__)
    mine = [item for item in items if str(item.path).startswith(here)]
    reason = None if STANDIN or not mine else why_unusable()
    if reason is not None and os.environ.get("BRIDGE_REQUIRE_GPU") == "1":
        pytest.exit(f"no usable GPU: {reason}", 3)
    for item in mine:
        item.add_marker(pytest.mark.gpu)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=f"no usable GPU: {reason}"))


@pytest.fixture(scope="session")
def gpu(tmp_path_factory):
    """One CUDA backend for the session."""
    if not STANDIN:
        backend = CudaBackend()
        yield backend
        backend.close()
        return
    from standin import StandIn

    api = StandIn(tmp_path_factory.mktemp("standin"))
    kept, cache.compiled = cache.compiled, api.compile
    yield CudaBackend(api=api)
    cache.compiled = kept


@pytest.fixture(scope="module", autouse=True)
def twin(request, gpu):
    """In a twin file, whoever opens a backend gets a GPU: a Frame its own, the rest the
    session's. Before any other fixture, so that what a module computes once is the GPU's too."""
    if not (request.module.__doc__ or "").startswith("Twin"):
        yield
        return
    known = {"auto", "cpu", "cuda"}
    real = bridge.backends.open_backend

    def own(name, **named):
        if name not in known:
            return real(name, **named)
        return CudaBackend(named.get("device_id", 0), api=gpu.device.api if STANDIN else None)

    def session(name, **named):
        return gpu if name in known else real(name, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels.measure, "SAME_BITS", False)
        patch.setattr(bridge.frame, "open_backend", own)
        patch.setattr(bridge.evaluation, "open_backend", session)
        patch.setattr(bridge.backends.cpu.single, "CpuBackend", lambda *_: gpu)
        bridge.evaluation._backend.cache_clear()
        yield
        bridge.evaluation._backend.cache_clear()
