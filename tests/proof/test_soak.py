"""The memory of a process stays as it is over many calls; the long form is `ci/soak`."""

from __future__ import annotations

from pathlib import Path

import pytest
from proof.fuzzing import child

GROWN = 3


@pytest.mark.parametrize("leak", [0, 100], ids=["as it is", "an array lost every 100 runs"])
def test_memory_stays(tmp_path: Path, leak: int) -> None:
    """400 runs are enough to see a lost array of 256 KiB every 100 of them."""
    done = child("soak.py", ["--share=0.02", f"--leak={leak}"], tmp_path)
    assert done.returncode == (GROWN if leak else 0), done.stdout + done.stderr
    assert ("TOO MUCH" in done.stdout) == bool(leak)
