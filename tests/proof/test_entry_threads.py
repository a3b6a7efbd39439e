"""Threads of a host in the entry points at the same time: entrythreads.py in its own process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_threads_have_their_own_status(tmp_path: Path) -> None:
    script = Path(__file__).with_name("entrythreads.py")
    done = subprocess.run(
        [sys.executable, "-P", str(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "threads 0 1 2 3", done.stderr
