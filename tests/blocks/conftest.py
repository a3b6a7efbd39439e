"""A Frame without species for kernels that read neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from blocks import orders, stencils
from packsbuilt import build_here

import bridge
from bridge.tvproperties import TVProperties

#: once(name, make): a folder that processes of a session share.
Once = Callable[[str, Callable[[Path], None]], Path]


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def examples_built(once: Once) -> Path:
    """A cache that holds the packs of the pages on block kernels."""

    def make(place: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_CACHE", str(place))
            build_here(EXAMPLES / "stage_pack", EXAMPLES / "order_pack")

    return once("block_examples", make)


@pytest.fixture(scope="session")
def stencils_built(once: Once) -> tuple[Path, Path]:
    """Folder of the pack, and a cache that holds it for the CPU."""
    catalogue = stencils.CATALOGUE + stencils.PLACED
    return _built(once, "stencils", catalogue, stencils.HEADER, stencils.POINTS)


def _built(
    once: Once, name: str, catalogue: str, header: str, points: str = ""
) -> tuple[Path, Path]:
    def make(place: Path) -> None:
        folder = place / "pack"
        folder.mkdir()
        (folder / "catalogue.toml").write_text(catalogue)
        (folder / f"{name}.h").write_text(header)
        (folder / "points.h").write_text(points)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_PACKS", str(folder))
            patch.setenv("BRIDGE_CACHE", str(place / "cache"))
            build_here()

    place = once(f"{name}_pack", make)
    return place / "pack", place / "cache"


def _frame(built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[TVProperties]:
    folder, cache = built
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    frame = bridge.Frame()
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
def orders_built(once: Once) -> tuple[Path, Path]:
    """Folder and cache of the pack of kernels with colours and sweeps."""
    return _built(once, "orders", orders.CATALOGUE, orders.HEADER)


@pytest.fixture
def ordered(
    orders_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TVProperties]:
    """Of a Frame without species that finds this pack."""
    yield from _frame(orders_built, monkeypatch)
