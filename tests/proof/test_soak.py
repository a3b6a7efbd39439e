"""The memory of a process stays as it is over many calls; the long form is `ci/soak`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from proof.fuzzing import child

from bridge.bridge_config import entry_file

GROWN = 3


@pytest.mark.parametrize("leak", [0, 100], ids=["as it is", "an array lost every 100 runs"])
def test_memory_stays(tmp_path: Path, leak: int) -> None:
    """400 runs are enough to see a lost array of 256 KiB every 100 of them."""
    done = child("soak.py", ["--share=0.02", f"--leak={leak}"], tmp_path)
    assert done.returncode == (GROWN if leak else 0), done.stdout + done.stderr
    assert ("TOO MUCH" in done.stdout) == bool(leak)


CALLS = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
status = ctypes.c_int()
library.frame_error_policy_(b"return", ctypes.byref(status))
for key, value in ((b"backend", b"cpu"), (b"species", b"O2 CH4")):
    library.frame_set_(key, value, ctypes.byref(status))
library.frame_initialize_(0, 8, 2, 7, 0)
from bridge.entry import calls, viewbodies
memory = (ctypes.c_double * 20_000)()
most = [0, 0]
for k in range(2 * calls.MOST_KEPT + 9):
    at = ctypes.c_void_p(ctypes.addressof(memory) + 8 * k)
    library.frame_castles_populateinputstripe_(b"T", at, *(8, 1, 1, 1, 8, *4 * (1,), 1, 1, 1, 8))
    assert library.frame_status_() == 0
    library.frame_unbind_(b"set %d" % k, b"*", ctypes.byref(status))  # no such set
    most = [max(pair) for pair in zip(most, (len(viewbodies.stripes), len(calls.texts)))]
library.frame_finalize_()
print(most == [calls.MOST_KEPT] * 2, len(viewbodies.stripes), most)
"""


def test_what_is_kept_of_calls_has_a_limit(tmp_path: Path) -> None:
    """A code whose blocks come and go moves stripes of ever other places, under other names."""
    words = [sys.executable, "-P", "-c", CALLS, str(entry_file("libbridge.so"))]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-4:-2] == ["True", "0"], done.stdout
