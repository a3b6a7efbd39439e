"""Pending runs, kept inputs, launch modes and single precision by the GPU's data path, on a
stand-in device: tests marked `gpu` that need no GPU to show a mistake, in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sharing
from hosts import TIME_LIMIT

TESTS = Path(__file__).resolve().parent.parent


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
@pytest.mark.parametrize(
    "module",
    ["unit/test_pending_runs.py", "unit/test_launch_modes.py", "blocks/test_precision.py"],
)
def test_twins_on_a_stand_in(module: Any) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-m", "gpu", str(TESTS / module)]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", *options],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "BRIDGE_TEST_STANDIN": "1",
            "BRIDGE_TEST_SHARED": str(sharing.base),
        },
        timeout=TIME_LIMIT,
    )
    assert done.returncode == 0 and "passed" in done.stdout, done.stdout[-4000:] + done.stderr
