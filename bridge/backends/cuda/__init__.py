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
    from bridge.backends.cuda import cache, compiler
    from bridge.backends.cuda.api import Api
    from bridge.backends.gpu import marshal

    try:
        found = Api().devices()
    except DeviceError as error:
        return str(error)
    if not found:
        return "the driver shows no GPU"
    try:
        compiler.find()
    except DeviceError as error:
        # The marshalling kernels are part of all that this version precompiles.
        missing = {one.arch for one in found if cache.kept(marshal.SOURCE, one.arch) is None}
        if missing:
            archs = " ".join(sorted(missing))
            return f"nothing is precompiled for {archs} in {cache.folder()}, and {error}"
    return None
