"""The session's CUDA backend under the name that the tests of this folder use."""

from __future__ import annotations

import pytest

from bridge.backends.cuda import CudaBackend


@pytest.fixture
def gpu(cuda: CudaBackend) -> CudaBackend:
    return cuda
