"""Backends: the machines that run plans. `open_backend` chooses one and says which."""

from __future__ import annotations

from typing import Any

from bridge.backends.base import Backend, Binding, Box, Program
from bridge.errors import ArgumentError

__all__ = ["Backend", "Binding", "Box", "Program", "open_backend"]


def open_backend(
    name: str,
    *,
    device_id: int = 0,
    device_policy: str = "given",
    threads: int = 1,
    communicator: Any = None,
    measure: bool = True,
) -> Backend:
    """The backend `name`: "cpu", "cuda", or "auto".

    "auto" is the GPU where one can be used, else the CPU.

    device_id, device_policy, communicator: which GPU this rank gets (the CPU backend needs
    none of them); threads: of the CPU; measure: whether a GPU times the launch policies of what
    it runs, once for its kind, which pays where a composite runs again and again.
    Raises DeviceError where "cuda" is asked for and no device is usable.
    """
    if name not in ("auto", "cpu", "cuda"):
        raise ArgumentError("backend", repr(name), "one of auto, cpu, cuda")
    if name != "cpu":
        from bridge.backends.cuda import CudaBackend, why_unusable

    if name == "cuda" or (name == "auto" and why_unusable() is None):
        return CudaBackend(device_id, device_policy, threads, communicator, measure)
    from bridge.backends.cpu import CpuBackend

    return CpuBackend(threads)
