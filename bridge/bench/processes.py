"""Programs that a benchmark starts, and mpirun for those of several ranks."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from bridge.errors import BridgeError

#: Seconds that a program may take.
LIMIT = 600.0


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None) -> str:
    """What a command prints; BridgeError with its last words where it fails.

    folder: where it runs, instead of where this process does.
    """
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=LIMIT
    )
    if done.returncode:
        words = (done.stdout + done.stderr)[-3000:]
        raise BridgeError(f"{' '.join(command)} ended with {done.returncode}:\n{words}")
    return done.stdout


def launcher() -> tuple[list[str], str]:
    """The beginning of an mpirun command, and its version."""
    program = shutil.which("mpirun")
    if program is None:
        raise BridgeError("no mpirun on the PATH to start the solver's ranks with")
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    version = said.splitlines()[0] if said else program
    if "Open MPI" not in said and "OpenRTE" not in said:
        return [program], version
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return [program, *as_root, "--oversubscribe", "--bind-to", "none"], version
