"""A Frame without species for kernels that read neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from blocks import orders, stencils

import bridge
from bridge.plan import packbuild
from bridge.tvproperties import TVProperties


@pytest.fixture(scope="session")
def stencils_built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folder of the pack, and a cache that holds it for the CPU."""
    return _built(
        tmp_path_factory, "stencils", stencils.CATALOGUE + stencils.PLACED, stencils.HEADER,
        stencils.POINTS,
    )  # fmt: skip


def _built(
    tmp_path_factory: pytest.TempPathFactory, name: str, catalogue: str, header: str,
    points: str = "",
) -> tuple[Path, Path]:  # fmt: skip
    folder, cache = tmp_path_factory.mktemp(name), tmp_path_factory.mktemp("cache")
    (folder / "catalogue.toml").write_text(catalogue)
    (folder / f"{name}.h").write_text(header)
    (folder / "points.h").write_text(points)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(folder))
        patch.setenv("BRIDGE_CACHE", str(cache))
        for one in packbuild.build():
            assert one.warnings == ""
    return folder, cache


def _frame(
    built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, backend: str = "auto"
) -> Iterator[TVProperties]:
    folder, cache = built
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    frame = bridge.Frame()
    frame.set("backend", backend)
    frame.initialize(0, 64, 0, 5)
    yield frame.tvproperties
    frame.finalize()


@pytest.fixture
def tv(
    stencils_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TVProperties]:
    """Of a Frame without species that finds the pack."""
    yield from _frame(stencils_built, monkeypatch)


@pytest.fixture(scope="session")
def orders_built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folder and cache of the pack of kernels with colours and sweeps."""
    return _built(tmp_path_factory, "orders", orders.CATALOGUE, orders.HEADER)


@pytest.fixture
def ordered(
    orders_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TVProperties]:
    """Of a Frame without species that finds this pack."""
    yield from _frame(orders_built, monkeypatch, "cpu")
