"""Ends of rows on each instruction set, by loop nests and by the executor: nothing before
or behind an array is read.

Its first element lies behind a page that nobody may read, or its last one before such a page: a
vector that reaches beyond ends the process.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from blocks import orders, stencils
from blocks.stencils import Block, bind
from packsbuilt import built_once
from sharing import Once

import bridge
from bridge.backends.cpu import CpuBackend
from bridge.backends.host import library
from bridge.plan import packbuild, uniform
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.tvproperties import TVProperties

#: Rows of one point, up to and beyond one, two and four vectors.
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 23, 31, 33)
KERNELS = ("stBack", "stAhead", "stInflow", "stBend", "odRelax")
#: What the array has around the interior: no element that no kernel reads.
AHEAD = ((0, 1), (0, 0), (0, 0))
BEHIND = ((1, 0), (0, 0), (0, 0))
BOTH = ((1, 1), (0, 0), (0, 0))
ALONE = ((0, 0), (0, 0), (0, 0))


def guarded(array: np.ndarray, front: bool) -> np.ndarray:
    """A copy that begins (front) or ends where memory that may be read does."""
    size = -(-array.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, size + 2 * mmap.PAGESIZE)
    whole = np.frombuffer(memory, dtype=np.uint8)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for page in (0, size + mmap.PAGESIZE):
        assert protect(ctypes.c_void_p(whole.ctypes.data + page), mmap.PAGESIZE, 0) == 0
    begin = mmap.PAGESIZE + (0 if front else size - array.nbytes)
    copy = whole[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape, order="F")
    copy[...] = array
    return copy


def these(catalogue: str) -> str:
    """Of a catalogue its quantities, and KERNELS."""
    entries = re.split(r"(?m)^(?=\[)", catalogue)
    named = {f'name = "{name}"' for name in KERNELS}
    return "".join(one for one in entries if one[:2] != "[[" or named & {*one.splitlines()})


@pytest.fixture(scope="session")
def built(once: Once) -> tuple[Path, Path]:
    """Folder of a pack of KERNELS, and a cache that holds it for every instruction set."""
    files = {
        "catalogue.toml": these(stencils.CATALOGUE) + these(orders.CATALOGUE),
        "stencils.h": stencils.HEADER,
        "orders.h": orders.HEADER,
    }
    return built_once(once, "row_ends", files, isas=library.available())


@pytest.fixture(params=product(library.available(), ("nest", "executor")), ids="-".join)
def frame(
    request: pytest.FixtureRequest,
    built: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[TVProperties]:
    """On the CPU with an instruction set, by what runs kernels there."""
    isa, by = request.param
    if by == "executor":
        monkeypatch.setattr(CpuBackend, "program", CpuBackend.executor)
    monkeypatch.setenv("BRIDGE_PACKS", str(built[0]))
    monkeypatch.setenv("BRIDGE_CACHE", str(built[1]))
    monkeypatch.setenv("BRIDGE_CPU_ISA", isa)
    made = bridge.Frame()
    made.set("backend", "cpu")
    made.initialize(0, 64, 0, 5)
    yield made.tvproperties
    made.finalize()


@pytest.mark.parametrize("front", [False, True], ids=["end", "begin"])
@pytest.mark.parametrize(
    ("dtype", "scale"), [("float64", 1.0), ("float64", 3.0), ("float32", 1.0)]
)
def test_stencils(frame: TVProperties, dtype: str, scale: float, front: bool) -> None:
    for n in LENGTHS:
        for kernel, name, layers, offset in (
            ("stBack", "st_ahead", AHEAD, 1),
            ("stAhead", "st_p", BEHIND, -1),
        ):
            block = Block((n, 1, 1), layers)
            values = block.array(dtype=dtype)
            result = block.array(value=-7.0)
            bind(frame, block, name, "in", guarded(values, front), scale=scale)
            bind(frame, block, "st_back" if offset > 0 else "st_ahead", "out", result)
            frame.run("cells", kernel)
            frame.unbind("cells", "*")
            wanted = offset * (block.at(values, offset, 0, 0) - block.at(values)) * scale
            np.testing.assert_allclose(block.at(result), wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("front", [False, True], ids=["end", "begin"])
def test_records(frame: TVProperties, front: bool) -> None:
    for n in LENGTHS:
        block = Block((n, 1, 1), AHEAD, first=True)
        u, ghost = block.array(3), block.array(3, value=-7.0)
        bind(frame, block, "st_u", "in", guarded(u, front))
        bind(frame, block, "st_ghost", "out", ghost)
        frame.run("cells", "stInflow")
        frame.unbind("cells", "*")
        wanted = 2.0 * block.at(u, 1, 0, 0) - np.arange(3)
        np.testing.assert_array_equal(block.at(ghost), wanted)


@pytest.mark.parametrize("front", [False, True], ids=["end", "begin"])
def test_long_rows(frame: TVProperties, front: bool) -> None:
    """Records of a kernel that does the same to every component: read and written as they lie."""
    for n in LENGTHS:
        block = Block((n, 1, 1), BOTH, first=True)
        own = Block((n, 1, 1), ALONE, first=True)
        u, ghost = block.array(3), guarded(own.array(3, value=-7.0), front)
        bind(frame, block, "st_u", "in", guarded(u, front))
        bind(frame, own, "st_ghost", "out", ghost)
        frame.run("cells", "stBend")
        frame.unbind("cells", "*")
        here, ahead, behind = (block.at(u, i, 0, 0) for i in (0, 1, -1))
        np.testing.assert_array_equal(own.at(ghost), (ahead - here) - (here - behind))


def test_its_rows_are_long(built: tuple[Path, Path]) -> None:
    own = Catalogue.load([shipped_file(), built[0] / "catalogue.toml"])
    kernels = [own.kernel("stBend"), own.kernel("stInflow")]
    assert uniform.columns(kernels, own, packbuild.compiler()) == {"stBend": 3}


@pytest.mark.parametrize("front", [False, True], ids=["end", "begin"])
def test_colours(frame: TVProperties, front: bool) -> None:
    """Every other element of a row: the same as in memory that goes on."""
    for n in LENGTHS:
        for colour in (1, 2):
            block = Block((n, 1, 1), BOTH)
            values = block.array()
            found = []
            for w in (guarded(values, front), values.copy(order="F")):
                bind(frame, block, "od_w", "inout", w)
                frame.run("cells", "odRelax", colour=colour)
                frame.unbind("cells", "*")
                found.append(w)
            np.testing.assert_array_equal(found[0], found[1])
            assert (block.outside(found[0]) == block.outside(values)).all()
