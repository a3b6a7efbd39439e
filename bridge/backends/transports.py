"""How messages of exchanges between GPUs go, which all ranks choose alike from what each one has.

Beside `base`. Pure decisions; a backend says what a rank has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bridge.errors import InconsistentError

#: Values of the setting `exchange`: by NCCL; by an MPI that takes memory of the GPU; by
#: page-locked memory and MPI; the first of them that all ranks can.
NCCL, MPI_DEVICE, STAGED, AUTO = "nccl", "mpi-device", "staged", "auto"


@dataclass(frozen=True)
class Offer:
    """What one rank has for an exchange.

    asked: its setting `exchange`; gpu: the UUID of its GPU, "" for a CPU; resident: whether boxes
    that go to other ranks, or come from them, are on the GPU, None where there are none; nccl:
    version of NCCL, "" for none; no_nccl: why there is none; mpi: whether its MPI takes memory of
    a GPU.
    """

    asked: str
    gpu: str = ""
    resident: bool | None = None
    nccl: str = ""
    no_nccl: str = ""
    mpi: bool = False


@dataclass(frozen=True)
class Transport:
    """way: NCCL, MPI_DEVICE or STAGED; why: no way before it, "" where there is none."""

    way: str = STAGED
    why: str = ""


def chosen(offers: Sequence[Offer]) -> Transport:
    """The same on all ranks; offers: of each of them. InconsistentError where their settings
    differ, or name a way that cannot be."""
    asked = offers[0].asked
    for rank, one in enumerate(offers):
        if one.asked != asked:
            cause = f"'{asked}' on rank 0 and '{one.asked}' on rank {rank}"
            raise InconsistentError("exchange", cause, "give all ranks the same setting")
    lacking = [rank for rank, one in enumerate(offers) if not one.gpu]
    if lacking and asked in (NCCL, MPI_DEVICE):
        cause = f"got '{asked}', and rank {lacking[0]} runs on the CPU"
        raise InconsistentError("exchange", cause, "set auto, or the backend cuda")
    if lacking or not any(one.resident for one in offers):
        return Transport()
    if asked == STAGED:
        return Transport(STAGED, "the setting exchange is staged")
    against = {
        NCCL: against_nccl(offers) or _unlike(offers),
        MPI_DEVICE: _against_mpi(offers),
    }
    if asked != AUTO:
        if against[asked]:
            cause = f"got '{asked}', which cannot be: {against[asked]}"
            raise InconsistentError("exchange", cause, "set auto, which takes what can be")
        return Transport(asked)
    why = f"no NCCL: {against[NCCL]}"
    if not against[NCCL]:
        return Transport(NCCL)
    return Transport(STAGED if against[MPI_DEVICE] else MPI_DEVICE, why)


def against_nccl(offers: Sequence[Offer]) -> str:
    """Why these ranks cannot have it, "" where they can."""
    shared = max(Counter(one.gpu for one in offers).values())
    if shared > 1:
        return f"{shared} ranks share a GPU"
    for rank, one in enumerate(offers):
        if one.no_nccl:
            return one.no_nccl if rank == 0 else f"{one.no_nccl}, on rank {rank}"
        if one.nccl != offers[0].nccl:
            return f"NCCL {offers[0].nccl} on rank 0 and {one.nccl} on rank {rank}"
    return ""


def _unlike(offers: Sequence[Offer]) -> str:
    """Where arrays of some ranks alone are resident, which ones."""
    there = next(rank for rank, one in enumerate(offers) if one.resident)
    for rank, one in enumerate(offers):
        if one.resident is False:
            return f"arrays are resident on rank {there} and not on rank {rank}"
    return ""


def _against_mpi(offers: Sequence[Offer]) -> str:
    for rank, one in enumerate(offers):
        if not one.mpi:
            return f"the MPI of rank {rank} does not say that it takes memory of a GPU"
    return ""
