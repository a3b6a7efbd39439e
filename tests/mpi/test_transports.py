"""How messages between GPUs go: as all ranks can, and the reason is told on every rank."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sharing
from hosts import TIME_LIMIT

from bridge.backends.gpu.nccl import spelled
from bridge.backends.transports import NCCL, STAGED, Offer, chosen
from bridge.mpi import says_cuda

SCRIPT = Path(__file__).parent / "transport_ranks.py"
NO_NCCL = "page-locked memory and MPI (no NCCL: "
REFUSED = "InconsistentError: argument exchange: got 'nccl', which cannot be: "
#: What is told in each case of the script, or how it begins.
TOLD = {
    "nccl": "NCCL",
    "staged": "page-locked memory and MPI (the setting exchange is staged)",
    "shared": f"{NO_NCCL}2 ranks share a GPU)",
    "shared, forced": f"{REFUSED}2 ranks share a GPU; set auto, which takes what can be",
    "settings": "InconsistentError: argument exchange: 'auto' on rank 0 and 'nccl' on rank 1",
    "host": "MPI",
    "mixed": None,  # each rank has its own memory
    "mixed, forced": f"{REFUSED}arrays are resident on rank 0 and not on rank 1",
    "cpu": "InconsistentError: argument exchange: got 'nccl', and rank 0 runs on the CPU",
    "no mpi": "InconsistentError: argument exchange: got 'mpi-device', which cannot be: the MPI "
    "of rank 0 does not say that it takes memory of a GPU",
    "left": "StateError: frame_exchange: arrays were resident on the GPU when it was planned",
    "fails": "DeviceError: NCCL answered with error 2 (unhandled system error)",
    "versions": f"{REFUSED}NCCL 2.27.7 on rank 0 and 2.18.5 on rank 1",
    "two libraries": f"{REFUSED}libnccl.so.2 is 2.27.7, and CuPy calls 2.27.8: two libraries "
    "are loaded, on rank 1",
    "no communicator": f"{NO_NCCL}no communicator of NCCL on rank 1: RuntimeError: NCCL_ERROR",
    "no communicator, forced": f"{REFUSED}no communicator of NCCL on rank 1",
    "no library": "MPI from memory of the GPU (no NCCL: cupy.cuda.nccl finds no libnccl.so.2: ",
    "no library, forced": f"{REFUSED}cupy.cuda.nccl finds no libnccl.so.2",
}


def test_every_rank_is_told_the_same(mpirun: Any) -> None:
    pytest.importorskip("mpi4py")
    line = [*mpirun, "-n", "2", sys.executable, "-P", str(SCRIPT), str(sharing.folder("standin"))]
    done = subprocess.run(line, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = next(one for one in done.stdout.splitlines() if one.startswith('{"told"'))
    ranks = json.loads(found)["told"]
    for rank in ranks:
        assert list(rank) == list(TOLD)
        for case, begins in TOLD.items():
            assert begins is None or rank[case].startswith(begins), (case, rank[case])
    mixed = f"{NO_NCCL}arrays are resident on rank 0 and not on rank 1)"
    assert [rank["mixed"] for rank in ranks] == [mixed, "MPI"]


def test_arrays_of_all_ranks_are_resident_or_nccl_is_none() -> None:
    """But for ranks without boxes."""
    there = Offer("auto", "GPU-0", True, "2.27.7")
    none, host = (replace(there, gpu="GPU-1", resident=one) for one in (None, False))
    assert chosen([there, none]).way == NCCL
    found = chosen([there, host])
    assert (found.way, found.why) == (
        STAGED,
        "no NCCL: arrays are resident on rank 0 and not on rank 1",
    )


def test_what_mpi_says() -> None:
    def mpich(supported: int, failed: int) -> Any:
        def query(kind: int, answer: Any) -> int:
            assert kind == 0  # CUDA
            answer._obj.value = supported
            return failed

        return SimpleNamespace(MPIX_GPU_query_support=query)

    assert not says_cuda(SimpleNamespace())
    for answer in (0, 1):
        assert says_cuda(SimpleNamespace(MPIX_Query_cuda_support=lambda a=answer: a)) == answer
        assert says_cuda(mpich(answer, 0)) == answer
    assert not says_cuda(mpich(1, 5))


def test_versions_are_spelled_as_nccl_counts() -> None:
    assert [spelled(one) for one in (2804, 20903, 22707)] == ["2.8.4", "2.9.3", "2.27.7"]
