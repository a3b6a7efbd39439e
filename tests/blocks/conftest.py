"""A Frame without species for kernels that read neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from blocks import orders, stencils
from packsbuilt import ISA, build_here, built_once, ends
from sharing import Once

import bridge
from bridge.tvproperties import TVProperties

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def examples_built(once: Once) -> Path:
    """A cache that holds the packs of the pages on block kernels, for ISA."""

    def make(place: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_CACHE", str(place))
            build_here(EXAMPLES / "stage_pack", EXAMPLES / "order_pack", isas=[ISA])

    return once("block_examples", make)


@pytest.fixture(scope="session")
def stencils_built(once: Once) -> tuple[Path, Path]:
    """Folder of the pack, and a cache that holds it for the CPU."""
    files = {
        "catalogue.toml": stencils.CATALOGUE + stencils.PLACED,
        "stencils.h": stencils.HEADER,
        "points.h": stencils.POINTS,
    }
    return built_once(once, "stencils", files, isas=ends())


def frame_with(
    built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, isa: str = ""
) -> Iterator[TVProperties]:
    """Of a Frame without species that finds the pack; isa: of this instruction set."""
    folder, cache = built
    if isa:
        monkeypatch.setenv("BRIDGE_CPU_ISA", isa)
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
    yield from frame_with(stencils_built, monkeypatch)


@pytest.fixture(scope="session")
def orders_built(once: Once) -> tuple[Path, Path]:
    """Folder and cache of the pack of kernels with colours and sweeps."""
    files = {"catalogue.toml": orders.CATALOGUE, "orders.h": orders.HEADER}
    return built_once(once, "orders", files, isas=ends())


@pytest.fixture
def ordered(
    orders_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TVProperties]:
    """Of a Frame without species that finds this pack."""
    yield from frame_with(orders_built, monkeypatch)
