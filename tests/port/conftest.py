"""The pack of beside.py, built once, and a Frame without species that finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from blocks.conftest import stencils_built as stencils_built
from packsbuilt import build_here
from port import beside

import bridge
from bridge.tvproperties import TVProperties

#: once(name, make): a folder that processes of a session share.
Once = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def beside_built(once: Once) -> tuple[Path, Path]:
    """Folder of the pack, and a cache that holds it for the CPU."""

    def make(place: Path) -> None:
        folder = place / "beside"
        folder.mkdir()
        (folder / "catalogue.toml").write_text(beside.CATALOGUE)
        (folder / "beside.h").write_text(beside.HEADER)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_PACKS", str(folder))
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            build_here()

    place = once("beside_pack", make)
    return place / "beside", place / "cache"


@pytest.fixture
def frame(
    beside_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[bridge.Frame]:
    folder, cache = beside_built
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
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
    folder, cache = stencils_built
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    frame = bridge.Frame()
    frame.initialize(0, 64, 0, 5)
    yield frame.tvproperties
    frame.finalize()
