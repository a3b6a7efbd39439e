"""Ranks of which some can use a GPU and some cannot, on stand-in devices: nobody waits for a rank
that has left."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hosts import TIME_LIMIT

SCRIPT = Path(__file__).parent / "open_devices.py"


#: Backend, policy of the device, what each of two ranks has.
CASES = [
    *[("auto", policy, "2", "0") for policy in ("given", "local-rank", "nearest")],
    ("auto", "local-rank", "busy", "1"),
    ("auto", "local-rank", "1", "1"),
    ("auto", "local-rank", "2", "2"),
    *[("cuda", policy, "1", "0") for policy in ("local-rank", "nearest")],
    *[(name, "given", "2", "1") for name in ("auto", "cuda")],
]


@pytest.fixture(scope="module")
def opened(mpirun: list[str]) -> Callable[..., list[str]]:
    """opened(backend, policy, what each rank has) -> how each rank ended, in order; one start of
    ranks for all of CASES."""
    pytest.importorskip("mpi4py")
    own = {k: v for k, v in os.environ.items() if k not in ("BRIDGE_BACKEND", "BRIDGE_DEVICE")}
    line = [*mpirun, "-n", "2", sys.executable, str(SCRIPT), json.dumps(CASES)]
    done = subprocess.run(
        line, env=own, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
    )
    found = [one for one in done.stdout.splitlines() if one.startswith('{"ends"')]
    assert done.returncode == 0 and len(found) == 1, done.stdout + done.stderr
    ends = dict(zip(CASES, json.loads(found[0])["ends"], strict=True))
    return lambda *case: ends[case]


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
