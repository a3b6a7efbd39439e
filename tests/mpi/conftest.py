"""Programs of fortran_stub, built outside the tree against the installed package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).parents[2] / "fortran_stub"


def make(target: str, folder: Path, *more: str) -> Path:
    config = folder / "bridge-config"
    config.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m bridge.bridge_config "$@"\n')
    config.chmod(0o755)
    command = [
        "make",
        "-C",
        str(STUB),
        f"BUILD={folder}",
        f"BRIDGE_CONFIG={config}",
        *more,
        target,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Warning" not in done.stderr, done.stderr
    return folder
