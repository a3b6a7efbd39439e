"""CUDA's multi-process service for the time of a benchmark, in folders of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

CONTROL = "nvidia-cuda-mps-control"


def available() -> bool:
    """Whether the service can be started here."""
    return shutil.which(CONTROL) is not None


@contextmanager
def environment(service: bool) -> Iterator[dict[str, str]]:
    """Variables for processes that share GPUs through the service, or that certainly do not.

    service: start one and stop it at the end. Whoever runs one for all of the machine is left
    alone: both ways have folders of their own.
    """
    with tempfile.TemporaryDirectory(prefix="bridge-mps-") as folder:
        places = {
            "CUDA_MPS_PIPE_DIRECTORY": os.path.join(folder, "pipe"),
            "CUDA_MPS_LOG_DIRECTORY": os.path.join(folder, "log"),
        }
        for place in places.values():
            os.mkdir(place)
        control = {**os.environ, **places}
        if service:
            subprocess.run([CONTROL, "-d"], env=control, check=True, timeout=30.0)
        try:
            yield places
        finally:
            if service:
                subprocess.run(
                    [CONTROL],
                    input="quit\n",
                    text=True,
                    env=control,
                    timeout=60.0,
                    stdout=subprocess.DEVNULL,
                )
