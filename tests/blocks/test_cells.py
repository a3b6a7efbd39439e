"""Kernels that read any cell of an array, against NumPy; what of it is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from blocks import cells
from blocks.conftest import frame_with
from blocks.stencils import WIDE, Block, Layers, bind
from packsbuilt import ISA, built_once
from sharing import Once

import bridge
from bridge.backends.base import Binding, Box
from bridge.plan import packbuild
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.fringe import Fringe
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

#: Farther than any array, and what is no number makes of an integer.
FAR = (-(2**31), -1000, 1000, 2**31 - 1)


@pytest.fixture(scope="session")
def cells_built(once: Once) -> tuple[Path, Path]:
    return built_once(once, "cells", {"catalogue.toml": cells.CATALOGUE, "cells.h": cells.HEADER})


@pytest.fixture
def tv(cells_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[TVProperties]:
    yield from frame_with(cells_built, monkeypatch, ISA)


def places(block: Block, first: tuple[int, int, int]) -> np.ndarray:
    """Positions inside the array, its fringe among them, and far outside, for each point."""
    random = np.random.default_rng(5)
    found = np.empty((*block.shape, 3), np.int32, order="F")
    for axis, (n, at, (low, high)) in enumerate(
        zip(block.extent, first, block.layers, strict=True)
    ):
        found[..., axis] = random.integers(at - low - 3, at + n + high + 3, block.shape)
    for number, far in enumerate(FAR):
        found.reshape(-1, order="F")[number::17] = far
    return found


def at_cells(array: np.ndarray, layers: Layers, first: tuple[int, int, int],
             *at: np.ndarray) -> np.ndarray:  # fmt: skip
    """What an array has at these positions, or at the nearest ones that it has."""
    where = [
        np.clip(one.astype(np.int64), lowest - low, lowest - low + n - 1) - (lowest - low)
        for one, lowest, (low, _), n in zip(at, first, layers, array.shape, strict=False)
    ]
    return np.asarray(array[tuple(where)])


@pytest.mark.parametrize(
    "extent, dtype, scale, first",
    [
        ((37, 4, 3), "float64", 1.0, None),
        ((5, 3, 2), "float32", 1.0, (-4, 7, 100)),
        ((16, 1, 1), "float64", 0.5, (1, 1, 1)),
        ((3, 33, 2), "float32", 4.0, None),
    ],
)
def test_cells_at_any_place(
    tv: TVProperties,
    extent: tuple[int, int, int],
    dtype: str,
    scale: float,
    first: tuple[int, int, int] | None,
) -> None:
    """Each array has its own fringe, type and scale; positions outside become the nearest."""
    block = Block(extent, dtype=dtype)
    near = Block(extent, ((2, 2), (2, 0), (2, 1)), seed=3)  # begins at the same position
    start = (3, 3, 3) if first is None else first
    assert all(low == 2 for low, _ in near.layers)
    block.layers = tuple((2, high) for _, high in WIDE)  # type: ignore[assignment]
    block.shape = tuple(n + a + b for n, (a, b) in zip(extent, block.layers, strict=True))
    p, u = block.array(), near.array(2)
    n = near.array(dtype="int32")
    n[...] = np.arange(n.size).reshape(n.shape, order="F")
    m = np.stack([n + 7, -n], axis=-1)
    m = np.asfortranarray(m)
    at = places(block, start)
    for name, array, of, more in (
        ("ce_from", at, block, {}),
        ("ce_p", p, block, {"scale": scale}),
        ("ce_u", u, near, {}),
        ("ce_n", n, near, {}),
        ("ce_m", m, near, {}),
    ):
        bind(tv, of, name, "in", array, **more)  # type: ignore[arg-type]
    results = {
        "ce_there": np.full(block.shape, -7.0, order="F"),
        "ce_u_there": np.full((*block.shape, 2), -7.0, order="F"),
        "ce_n_there": np.full(block.shape, -7, np.int32, order="F"),
        "ce_m_there": np.full((*block.shape, 2), -7, np.int32, order="F"),
    }
    for name, array in results.items():
        bind(tv, block, name, "out", array)
    if first is not None:
        tv.position("cells", *first)
    tv.run("cells", "ceThere")
    index = [np.asarray(block.at(at)[..., axis]) for axis in range(3)]
    for name, source, layers, factor in (
        ("ce_there", p, block.layers, scale),
        ("ce_u_there", u, near.layers, 1.0),
        ("ce_n_there", n, near.layers, 1),
        ("ce_m_there", m, near.layers, 1),
    ):
        found = block.at(results[name])
        wanted = at_cells(source, layers, start, *index) * factor
        np.testing.assert_array_equal(found, wanted, name)
        assert (block.outside(results[name]) == -7).all()


def test_beside_neighbours_and_on_boxes(tv: TVProperties) -> None:
    """One kernel reads cells and neighbours; parts of the set give what all of it gives."""
    block = Block((21, 5, 3))
    p, there, n = block.array(), block.array(), block.array(dtype="int32")
    n[...] = 30
    whole, parts = block.array(value=0.0), block.array(value=0.0)
    for name, array in (("ce_p", p), ("ce_there", there), ("ce_n", n)):
        bind(tv, block, name, "in", array)
    bind(tv, block, "ce_mirror", "out", whole)
    tv.position("cells", 1, 1, 1)
    tv.run("cells", "ceMirror")
    i, j, k = np.meshgrid(*(np.arange(1, m + 1) for m in block.extent), indexing="ij")
    first = (1, 1, 1)
    wanted = (
        at_cells(p, block.layers, first, 30 - i, j, k) + 2.0 * block.at(there, -1, 0, 0)
        + 4.0 * block.at(there) + 8.0 * at_cells(p, block.layers, first, i, j, np.ones_like(k))
    )  # fmt: skip
    np.testing.assert_allclose(block.at(whole), wanted, rtol=0, atol=1e-13)
    bind(tv, block, "ce_mirror", "out", parts)
    tv.run("cells", "ceMirror", box=[4, 21, 1, 5, 1, 3, 1, 3, 2, 5, 2, 3])
    tv.run("cells", "ceMirror", box=[1, 3, 1, 1, 1, 3, 1, 3, 2, 5, 1, 1])
    np.testing.assert_allclose(block.at(parts), wanted, rtol=0, atol=1e-13)


WALLS = [0, 0, 0, 7, 1, 1, 10, 10, 0, 7, 1, 1, 1, 9, 0, 0, 1, 1, 1, 9, 7, 7, 1, 1]


def bordered(field: np.ndarray) -> np.ndarray:
    """With a border that is the cells beside it, with another sign."""
    wanted = -np.pad(field[1:-1, 1:-1, 0], 1, mode="edge")[:, :, None]
    wanted[1:-1, 1:-1] = field[1:-1, 1:-1]
    return np.asarray(wanted)


@pytest.mark.parametrize("resident", [False, True])
def test_the_border_of_an_array_from_its_interior(tv: TVProperties, resident: bool) -> None:
    """What is read and what is written share no element, though the boxes lie on both sides."""
    block = Block((9, 6, 1), ((1, 1), (1, 1), (0, 0)))
    field = block.array()
    wanted = bordered(field)
    bind(tv, block, "ce_edge", "out", field)
    bind(tv, block, "ce_p", "in", field)
    tv.position("cells", 1, 1, 1)
    if resident:
        tv.enter_data("cells", "ce_edge", "copyin")
    for _ in range(2):
        tv.run("cells", "ceEdge", box=WALLS)
    if resident:
        tv.exit_data("cells", "ce_edge", "copyout")
    np.testing.assert_array_equal(field, wanted)
    with pytest.raises(bridge.ArgumentError, match="around its points, at any cell"):
        tv.run("cells", "ceEdge")  # all points: the interior is written
    with pytest.raises(bridge.ArgumentError, match="around its points, at any cell"):
        tv.run("cells", "ceEdge", box=[9, 9, 1, 6, 1, 1, *WALLS[:6]])
    np.testing.assert_array_equal(field, wanted)


def test_a_border_that_is_read_is_not_written(tv: TVProperties) -> None:
    block = Block((9, 6, 1), ((1, 1), (1, 1), (0, 0)))
    field = block.array()
    before = field.copy()
    bind(tv, block, "ce_again", "out", field)
    bind(tv, block, "ce_twice", "in", field)
    with pytest.raises(bridge.ArgumentError, match="around its points, at any cell"):
        tv.run("cells", "ceAgain", box=WALLS)
    np.testing.assert_array_equal(field, before)


def test_a_section_has_no_fringe() -> None:
    """What lies around a section is another array's; a part of an array knows its interior."""
    around, all_cells = Fringe((2, 1, 0), (1, 1, 3)), Fringe(cells="cells")
    array = Binding(0, Box((4, 5, 6), (1, 7, 49), 1, 9), 1, fringe=around, layers=around)
    part = array.part((-1, 5, 2), (1, 1, 2))
    assert array.cells(all_cells) == around
    assert part.cells(all_cells) == Fringe((1, 6, 2), (5, 0, 5))
    interior = Fringe((-1, 5, 2), (4, -1, 2))
    assert part.cells(Fringe(cells="interior")) == interior
    assert replace(part, section=True).cells(all_cells) == interior
    assert part.grown(all_cells).box.extent == (7, 7, 9)


def test_what_has_no_cells_is_refused(tv: TVProperties, tmp_path: Path) -> None:
    block = Block((4, 3, 2))
    p, again = block.array(), block.array(value=0.0)
    bind(tv, block, "ce_p", "in", p)
    bind(tv, block, "ce_twice", "in", p)
    bind(tv, block, "ce_again", "out", again)
    with pytest.raises(bridge.ArgumentError, match="ceAgain reads 'ce_twice' at any cell"):
        tv.run("cells", "ceBoth")
    with pytest.raises(bridge.ArgumentError, match="site: ceAgain reads 'ce_twice' at any cell"):
        tv.record("cells", "ceAgain", str(tmp_path / "states"))
    with pytest.raises(bridge.BridgeError, match="reads neighbours"):
        tv.launch("ceAgain", 4)
    bounds = [[4, 3, 2, 1, 4, 1, 3, 1, 2, 1, 1, 1]]
    memory, made = np.zeros(24), np.zeros(24)
    tv.bind_blocks("blocks", "ce_twice", "in", memory, bounds, [0])
    tv.bind_blocks("blocks", "ce_again", "out", made, bounds, [0])
    with pytest.raises(bridge.ArgumentError, match="ce_twice is read at any cell"):
        tv.run("blocks", "ceAgain")
    assert (again == 0).all()


@pytest.mark.parametrize("old, new, words", cells.CONTRADICTIONS)
def test_catalogues_that_contradict_themselves(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    assert cells.CATALOGUE.count(old) == 1
    (tmp_path / "cells.h").write_text(cells.HEADER)
    (tmp_path / "catalogue.toml").write_text(cells.CATALOGUE.replace(old, new))
    with pytest.raises(bridge.ArgumentError, match=re.escape(words)):
        Catalogue.load([shipped_file(), tmp_path / "catalogue.toml"])


def test_cells_that_the_header_does_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = cells.HEADER.replace("again = twice.at(i + 1, j, k);", "again = Real(i + j + k);")
    (tmp_path / "cells.h").write_text(header)
    (tmp_path / "catalogue.toml").write_text(cells.CATALOGUE)
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(bridge.ArgumentError, match="by at\\(i, j, k\\)"):
        list(packbuild.build([tmp_path]))
