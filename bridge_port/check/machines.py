"""Processes that run a kernel: on which machines, and for how long."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bridge.backends.host.library import available
from bridge.errors import ArgumentError

#: Until a process has begun with its first state.
START = 120.0


@cache
def targets() -> tuple[str, ...]:
    """Instruction sets that this machine runs, and cuda where there is a GPU."""
    return (*sorted(available()), *(("cuda",) if _gpu() else ()))


def chosen(asked: Sequence[str]) -> tuple[str, ...]:
    """All of this machine where none is asked for; a GPU is looked for only then."""
    for one in asked:
        if one not in available() and one not in targets():
            raise ArgumentError("--isa", one, f"one of {', '.join(targets())} (this machine)")
    return tuple(asked) or targets()


def _gpu() -> bool:
    code = "from bridge.backends import open_backend; open_backend('cuda').close()"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, timeout=120)
    return done.returncode == 0


def environment(folder: Path, target: str) -> dict[str, str]:
    """folder: of the pack."""
    kept = {k: v for k, v in os.environ.items() if k == "BRIDGE_CACHE" or "BRIDGE_" not in k}
    kept |= {"BRIDGE_PACKS": str(folder.resolve()), "BRIDGE_PYTHON": sys.executable}
    if target == "cuda":
        kept["BRIDGE_BACKEND"] = "cuda"
    else:
        kept |= {"BRIDGE_BACKEND": "cpu", "BRIDGE_CPU_ISA": target}
    kept.setdefault("OMP_NUM_THREADS", "2")
    return kept


def timed(
    command: Sequence[str], folder: Path, environment: dict[str, str], limit: float
) -> tuple[int | None, str, str]:
    """Status (None: killed, because `progress` did not change within `limit` seconds), what it
    said, and what `progress` held."""
    progress = folder / "progress"
    progress.unlink(missing_ok=True)
    with open(folder / "said.txt", "wb") as said:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=said,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        seen, since = "", time.monotonic()
        status: int | None = None
        while True:
            try:
                status = process.wait(0.02)
                break
            except subprocess.TimeoutExpired:
                pass
            now = progress.read_text() if progress.exists() else ""
            if now != seen:
                seen, since = now, time.monotonic()
            if time.monotonic() - since > (limit if seen else max(START, limit)):
                process.kill()
                process.wait()
                break
    return status, (folder / "said.txt").read_text(errors="replace"), seen
