"""The pack of beside.py, built once, and a Frame without species that finds it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from blocks.conftest import frame_with
from blocks.conftest import stencils_built as stencils_built
from packsbuilt import ISA, built_once
from port import beside
from sharing import Once

import bridge
from bridge import cli
from bridge.plan import packs
from bridge.tvproperties import TVProperties


@pytest.fixture(scope="session")
def beside_built(once: Once) -> tuple[Path, Path]:
    """Folder of the pack, and a cache that holds it for the CPU."""
    files = {"catalogue.toml": beside.CATALOGUE, "beside.h": beside.HEADER}
    return built_once(once, "beside", files)


@pytest.fixture
def frame(
    beside_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[bridge.Frame]:
    folder, cache = beside_built
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
    frame = bridge.Frame()
    yield frame
    if frame.initialized:
        frame.finalize()


@pytest.fixture
def tv(frame: bridge.Frame) -> TVProperties:
    frame.initialize(0, 64, 0, 5)
    return frame.tvproperties


@pytest.fixture
def stencils_tv(
    stencils_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TVProperties]:
    """Of a Frame that finds the pack of tests/blocks."""
    yield from frame_with(stencils_built, monkeypatch)


@pytest.fixture(scope="session")
def made(once: Once) -> Path:
    """A folder with the sources, the pack `own`, and a cache with its libraries."""

    def make(place: Path) -> None:
        for source in (Path(__file__).parent / "checked").iterdir():
            shutil.copy(source, place)
        pack = str(place / "own")
        for name in ("sound_speed", "cube_root", "pick", "sometimes"):
            assert cli.main(["port", f"{place}/gas.f90::{name}", "-o", pack]) == 0
        for name in ("smooth", "largest", "recur"):
            assert cli.main(["port", f"{place}/flow.f90@{name}", "-o", pack]) == 0

    return once("port_check", make)


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy, whose libraries are kept for all tests."""
    shutil.copytree(made, tmp_path / "copy", ignore=shutil.ignore_patterns("cache"))
    monkeypatch.setenv("BRIDGE_CACHE", str(made / "cache"))
    monkeypatch.setenv("BRIDGE_PACKS", str(tmp_path / "copy" / "own"))
    packs.forget()
    return tmp_path / "copy"
