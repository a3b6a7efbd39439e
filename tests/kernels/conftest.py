"""The CUDA backend on a stand-in device, for the tests of this folder."""

from __future__ import annotations

import shutil

import pytest
from standin import StandIn

from bridge.backends.cuda import CudaBackend, cache


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    return tmp_path_factory.mktemp("standin")


@pytest.fixture
def make(folder, monkeypatch):
    """CudaBackend on a stand-in; arguments are the stand-in's and the backend's."""

    def make(memory=1 << 30, devices=1, **named):
        api = StandIn(folder, devices, memory)
        monkeypatch.setattr(cache, "compiled", api.compile)
        return CudaBackend(api=api, **named)

    return make


@pytest.fixture
def gpu(make):
    return make()
