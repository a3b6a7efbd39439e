"""The CUDA backend: launches written from the catalogue, arrays moved by the copy engines."""

from __future__ import annotations

import ctypes

from bridge.backends.cuda.backend import CudaBackend
from bridge.errors import DeviceError

__all__ = ["CudaBackend", "why_unusable"]


def why_unusable() -> str | None:
    """Why no GPU can be used here; None where one can. Cheap where there is no driver."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no NVIDIA driver"
    from bridge.backends.cuda import compiler
    from bridge.backends.cuda.api import Api

    try:
        if not Api().devices():
            return "the driver shows no GPU"
        compiler.find()
    except DeviceError as error:
        return str(error)
    return None
