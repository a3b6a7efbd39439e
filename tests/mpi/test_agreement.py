"""Ranks of which some can use a GPU and some cannot, on stand-in devices: nobody waits for a rank
that has left."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hosts import TIME_LIMIT

SCRIPT = Path(__file__).parent / "open_devices.py"


@pytest.fixture
def opened(mpirun: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """opened(backend, policy, what each rank has) -> how each rank ended, in order."""
    pytest.importorskip("mpi4py")
    monkeypatch.delenv("BRIDGE_BACKEND", raising=False)
    monkeypatch.delenv("BRIDGE_DEVICE", raising=False)

    def opened(name: str, policy: str, *has: str) -> list[str]:
        line = [*mpirun, "-n", str(len(has)), sys.executable, str(SCRIPT), name, policy, *has]
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
        ends = dict(re.findall(r"^rank (\d+): (.*)$", done.stderr, re.M))
        assert len(ends) == len(has), done.stdout + done.stderr
        return [ends[str(rank)] for rank in range(len(has))]

    return opened


@pytest.mark.parametrize("policy", ["given", "local-rank", "nearest"])
def test_auto_is_the_cpu_where_one_rank_has_no_gpu(opened: Any, policy: str) -> None:
    first, second = opened("auto", policy, "2", "0")
    assert first == second
    assert re.fullmatch(r"cpu - none: rank 1 on \S+: no NVIDIA driver", first)


def test_auto_is_the_cpu_where_one_rank_cannot_open_its_gpu(opened: Any) -> None:
    for end in opened("auto", "local-rank", "busy", "1"):
        assert re.match(r"cpu - none: rank 0 on .*cannot be opened: cudaErrorDevicesUnav", end)


def test_auto_is_the_gpu_where_every_rank_has_one(opened: Any) -> None:
    assert opened("auto", "local-rank", "1", "1") == ["cuda 2 ", "cuda 2 "]
    assert opened("auto", "local-rank", "2", "2") == ["cuda 1 ", "cuda 1 "]


@pytest.mark.parametrize("policy", ["local-rank", "nearest"])
def test_cuda_fails_everywhere_where_one_rank_has_no_gpu(opened: Any, policy: str) -> None:
    first, second = opened("cuda", policy, "1", "0")
    assert re.match(r"status -7 .*rank 1 on \S+: no usable GPU", first)
    assert re.match(r"status -7 no usable GPU", second)


@pytest.mark.parametrize("name", ["auto", "cuda"])
def test_a_wrong_number_of_a_device_fails_everywhere(opened: Any, name: Any) -> None:
    """A mistake of the caller, which no other backend makes good."""
    first, second = opened(name, "given", "2", "1")
    assert re.match(r"status -7 .*rank 1 on \S+: argument device_id: got 1", first)
    assert re.match(r"status -3 argument device_id: got 1", second)
