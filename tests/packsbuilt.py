"""Kernel packs of tests, built for the one instruction set that a run on this machine takes.

The others are compiled from the same text, and tests/packs/test_build.py, test_launch.py and
test_records.py, tests/kernels/test_language.py build and run packs of every part for all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from sharing import Once

from bridge.backends.host.library import available, choose
from bridge.plan import packbuild


def build_here(*folders: Path, isas: Collection[str] = ()) -> list[packbuild.Built]:
    """Packs in these folders, or the found ones; none may give a warning. isas: other instruction
    sets than the one."""
    done = list(packbuild.build(folders, isas=isas or [choose().isa]))
    assert all(one.warnings == "" for one in done), [one.warnings for one in done]
    return done


def built_once(
    once: Once, name: str, files: Mapping[str, str], every: bool = False
) -> tuple[Path, Path]:
    """Folder of the pack of these files, and a cache that holds it for the CPU; every: for all
    its instruction sets."""

    def make(place: Path) -> None:
        folder = place / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_PACKS", str(folder))
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            build_here(isas=available() if every else ())

    place = once(f"{name}_pack", make)
    return place / name, place / "cache"
