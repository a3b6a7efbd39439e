"""A Frame without species for kernels that read neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from blocks import stencils

import bridge
from bridge.plan import packbuild
from bridge.tvproperties import TVProperties


@pytest.fixture(scope="session")
def stencils_built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folder of the pack, and a cache that holds it for the CPU."""
    folder, cache = tmp_path_factory.mktemp("stencils"), tmp_path_factory.mktemp("cache")
    (folder / "catalogue.toml").write_text(stencils.CATALOGUE + stencils.PLACED)
    (folder / "stencils.h").write_text(stencils.HEADER)
    (folder / "points.h").write_text(stencils.POINTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(folder))
        patch.setenv("BRIDGE_CACHE", str(cache))
        for one in packbuild.build():
            assert one.warnings == ""
    return folder, cache


@pytest.fixture
def tv(
    stencils_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TVProperties]:
    """Of a Frame without species that finds the pack."""
    folder, cache = stencils_built
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    frame = bridge.Frame()
    frame.initialize(0, 64, 0, 5)
    yield frame.tvproperties
    frame.finalize()
