"""Kernel packs of tests, most of them built for one instruction set alone, which the tests run
(BRIDGE_CPU_ISA): it compiles in a third of the time of the widest.

The others are compiled from the same text, and tests/packs/test_build.py, test_nests.py and
test_records.py, tests/kernels/test_language.py build and run packs of every part for all.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from sharing import Once

from bridge.backends.host.library import available, choose
from bridge.plan import packbuild

#: The one that compiles fastest.
ISA = "v2"


def quickly() -> str:
    """CXX, with which kernels of many lines compile in a third of the time; no result depends on
    it. The last -O that a compiler gets is the one it takes."""
    return shlex.join(["sh", "-c", f'exec {shlex.join(packbuild.compiler())} "$@" -O1', "sh"])


def ends() -> Collection[str]:
    """The widest and the least instruction set that this machine runs."""
    return {available()[0], available()[-1]}


def build_here(*folders: Path, isas: Collection[str] = ()) -> list[packbuild.Built]:
    """Packs in these folders, or the found ones; none may give a warning. isas: other instruction
    sets than the one that a run takes now."""
    done = list(packbuild.build(folders, isas=isas or [choose().isa]))
    assert all(one.warnings == "" for one in done), [one.warnings for one in done]
    return done


def built_once(
    once: Once, name: str, files: Mapping[str, str], isas: Collection[str] = (ISA,)
) -> tuple[Path, Path]:
    """Folder of the pack of these files, and a cache that holds it for the CPU."""

    def make(place: Path) -> None:
        folder = place / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_PACKS", str(folder))
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            build_here(isas=isas)

    place = once(f"{name}_pack", make)
    return place / name, place / "cache"
