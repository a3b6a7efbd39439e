"""Backends: the machines that run plans. `open_backend` chooses one and says which."""

from __future__ import annotations

from typing import Any

from bridge import log
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
) -> Backend:
    """The backend `name`: "cpu", "cuda", or "auto" (the GPU if one is usable, else the CPU).

    device_id, device_policy, communicator: which GPU this rank gets (the CPU backend needs
    none of them); threads: of the CPU.
    Raises DeviceError where "cuda" is asked for and no device is usable.
    """
    if name not in ("auto", "cpu", "cuda"):
        raise ArgumentError("backend", repr(name), "one of auto, cpu, cuda")
    if name != "cpu":
        from bridge.backends.cuda import CudaBackend, why_unusable

        reason = why_unusable() if name == "auto" else None
        if reason is None:
            return CudaBackend(device_id, device_policy, threads, communicator)
        if reason != "no NVIDIA driver":
            log.say(f"the GPU is not used: {reason}")
    from bridge.backends.cpu import CpuBackend

    return CpuBackend(threads)
