"""Kernel packs of tests, built for the one instruction set that a run on this machine takes.

The others are compiled from the same text, and tests/packs/test_build.py, test_launch.py and
test_records.py, tests/kernels/test_language.py build and run packs of every part for all.
"""

from __future__ import annotations

from pathlib import Path

from bridge.backends.host.library import choose
from bridge.plan import packbuild


def build_here(*folders: Path) -> list[packbuild.Built]:
    """Packs in these folders, or the found ones; none may give a warning."""
    done = list(packbuild.build(folders, isas=[choose().isa]))
    assert all(one.warnings == "" for one in done), [one.warnings for one in done]
    return done
