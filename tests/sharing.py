"""Folders that the processes of a session (pytest -n) share: what is dear to build and then only
read."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path

#: once(name, make): what the fixture of conftest.py gives.
Once = Callable[[str, Callable[[Path], None]], Path]
#: Where they lie: conftest.py sets it.
base = Path("nowhere")


def once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that make(folder) fills, in one of the processes; the others wait for it."""
    place, done = base / name, base / f"{name}.done"
    with open(base / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(place, ignore_errors=True)  # of a process that failed
            place.mkdir()
            make(place)
            done.touch()
    return place


def folder(name: str) -> Path:
    """A folder in which any process may put files, each complete when it gets its name."""
    place = base / name
    place.mkdir(exist_ok=True)
    return place
