"""The pack of beside.py, built once, and a Frame without species that finds it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from blocks.conftest import frame_with
from blocks.conftest import stencils_built as stencils_built
from packsbuilt import built_once
from port import beside
from sharing import Once

import bridge
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
