"""Backends: the machines that run plans. `open_backend` chooses one and says which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.backends.agreement import Agreement, Opened
from bridge.backends.base import Backend, Binding, Box, Program
from bridge.errors import ArgumentError, DeviceError

if TYPE_CHECKING:
    from bridge.backends.cuda import CudaBackend
    from bridge.timers.recorder import Recorder

__all__ = ["Backend", "Binding", "Box", "Program", "open_backend"]


def open_backend(
    name: str,
    *,
    device_id: int = 0,
    device_policy: str = "given",
    threads: int = 1,
    communicator: Any = None,
    recorder: Recorder | None = None,
) -> Backend:
    """The backend `name`: "cpu", "cuda", or "auto". Collective on the communicator, if any.

    "auto" is the GPU where every rank of the communicator can open one, else the CPU on all of
    them, whose `describe` says why.

    device_id, device_policy, communicator: which GPU this rank gets (the CPU backend needs
    none of them); threads: of the CPU; recorder: of what it does, see `timers.recorder`.
    Raises DeviceError where "cuda" is asked for and a rank cannot open its GPU, and on every rank
    where the choice of a device is wrong on one; that one raises its ArgumentError.
    """
    if name not in ("auto", "cpu", "cuda"):
        raise ArgumentError("backend", repr(name), "one of auto, cpu, cuda")
    # Both collective calls are every rank's, before anything is raised: see `agreement`.
    local_rank = None if communicator is None else int(communicator.node_rank()[0])
    gpu: CudaBackend | None = None
    error: BaseException | None = None
    if name != "cpu":
        try:
            gpu = _open_gpu(name, device_id, device_policy, threads, local_rank, recorder)
        except BaseException as raised:  # an exit inside a driver's package too
            error = raised
    mine = Opened.of(name, gpu.device.facts.pci if gpu else "", error)
    agreed = Agreement.reach(mine, communicator)
    if communicator is not None and communicator.rank == 0 and not agreed.failure:
        _say_places(agreed)
    if gpu is not None and not agreed.failure and (name == "cuda" or not agreed.obstacle):
        if communicator is not None:
            gpu.device.sharers = agreed.places().count((mine.host, mine.pci))
        return gpu
    if gpu is not None:
        gpu.close()
    if error is not None and mine.final:
        raise error
    if name != "cpu" and agreed.failure:
        raise DeviceError(f"no GPU is used: {agreed.failure}")
    from bridge.backends.cpu import CpuBackend

    return CpuBackend(threads, None, "" if name == "cpu" else agreed.obstacle, recorder)


def _open_gpu(
    name: str, device_id: int, device_policy: str, threads: int, local_rank: int | None,
    recorder: Recorder | None,
) -> CudaBackend:  # fmt: skip
    """This rank's GPU; raises what keeps it from being opened."""
    from bridge.backends.cuda import CudaBackend, why_unusable

    if name == "auto" and (reason := why_unusable()) is not None:
        raise DeviceError(reason)
    return CudaBackend(device_id, device_policy, threads, local_rank, recorder=recorder)


def _say_places(agreed: Agreement) -> None:
    if places := agreed.places():
        from bridge.backends.cuda import devices

        devices.say_sharing(places)
