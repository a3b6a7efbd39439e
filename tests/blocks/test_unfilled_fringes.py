"""BRIDGE_CHECK_RESIDENCY=fringes: runs that read fringes which nothing has filled since the
interior changed."""

from __future__ import annotations

import numpy as np
import pytest
from blocks.stencils import Block, bind

import bridge
from bridge.tvproperties import TVProperties

NX, NY = 6, 4
LAYERS = ((1, 1), (1, 1), (0, 0))
SETS = "left", "right"
LOW = [1, NX, 0, 0, 1, 1]
HIGH = [1, NX, NY + 1, NY + 1, 1, 1]
#: As messages name them.
SIDES = {
    "x": "i = 1..1, j = 2..5, k = 1..1; i = 8..8, j = 2..5, k = 1..1",
    "LOW": "i = 2..7, j = 1..1, k = 1..1",
    "HIGH": "i = 2..7, j = 6..6, k = 1..1",
}


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_BACKEND", "cpu")
    monkeypatch.setenv("BRIDGE_CHECK_RESIDENCY", "fringes")


@pytest.fixture
def cells(checked: None, tv: TVProperties) -> TVProperties:
    """A Frame on the CPU that looks for fringes."""
    return tv


def warnings(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().out.splitlines() if "the fringe of" in line]


def line(kernel: str, name: str, at: str, since: str, set: str = "right") -> str:
    return (
        f"bridge: warning: run of {kernel} on set '{set}' reads the fringe of '{name}' in the "
        f"memory of '{name}' of set '{set}' at {at} (positions as SptX counts them), which "
        f"nothing has filled since {since} changed the interior"
    )


class TwoBlocks:
    """Side by side along x, where they are periodic; along y each has two sides of the domain: a
    loop of the host fills the low one, a run or a buffer the high one."""

    def __init__(self, tv: TVProperties) -> None:
        self.tv = tv
        block = Block((NX, NY, 1), LAYERS)
        self.arrays = {(set, name): block.array(3) for set in SETS for name in ("st_u", "st_rhs")}
        for (set, name), array in self.arrays.items():
            bind(tv, block, name, "inout", array, set)
            if name == "st_u":  # the fringe of the other one is the host's to fill
                tv.enter_data(set, name, "copyin")
        sends = [[1, 1, 1, NY, 1, 1], [NX, NX, 1, NY, 1, 1]] * 2
        takes = [[0, 0, 1, NY, 1, 1], [NX + 1, NX + 1, 1, NY, 1, 1]] * 2
        blocks, faces = [1, 1, 2, 2], [1, 2, 2, 1]
        names = " ".join(SETS)
        tv.exchanges.plan("x", names, "st_u", [0] * 4, faces, blocks, sends, blocks, takes)

    def read(self) -> None:
        for set in SETS:
            self.tv.run(set, "stFluxX")
            self.tv.run(set, "stFluxY")

    def step(self, without: str = "") -> None:
        """without: the fringe that is left out, of the block on the right."""
        tv = self.tv
        self.read()
        for set in SETS:
            tv.run(set, "stUpdate")
        if without != "x":
            tv.exchanges.run("x")
        tv.update_host("right", "st_u", LOW)
        for set in SETS:
            if without != "LOW" or set == "left":
                tv.update_device(set, "st_u", LOW)
        tv.run("left", "stUpdate", HIGH)
        if without != "HIGH":
            tv.unpack("right", "st_u", HIGH, np.ones(3 * NX))


@pytest.mark.parametrize("without", SIDES)
def test_a_fringe_that_is_left_out_is_named_once(
    cells: TVProperties, capsys: pytest.CaptureFixture[str], without: str
) -> None:
    blocks = TwoBlocks(cells)
    for _ in range(3):
        blocks.step()
    assert not warnings(capsys)
    blocks.step(without)
    assert not warnings(capsys), "no run has read it"
    blocks.read()
    kernel, sets = ("stFluxX", SETS) if without == "x" else ("stFluxY", ("right",))
    assert warnings(capsys) == [
        line(kernel, "st_u", SIDES[without], f"run of stUpdate on set '{set}'", set)
        for set in sets
    ]
    for _ in range(2):
        blocks.step(without)
    assert not warnings(capsys), "each is named once"


def test_the_other_values_of_the_setting_do_not_look(
    cells: TVProperties, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BRIDGE_CHECK_RESIDENCY", "1")
    frame = bridge.Frame()
    frame.initialize(0, 64, 0, 5)
    blocks = TwoBlocks(frame.tvproperties)
    blocks.step("x")
    blocks.step("x")
    frame.finalize()
    assert not warnings(capsys)
    blocks = TwoBlocks(cells)
    blocks.step("x")
    blocks.step("x")
    assert len(warnings(capsys)) == 2


def test_boxes_of_a_run_have_no_order(
    cells: TVProperties, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fringe that is made with the interior, before it or after it, is filled; edges are not
    looked at."""
    tv, block = cells, Block((NX, NY, 1), LAYERS)
    for name in ("st_p", "st_a", "st_b"):
        bind(tv, block, name, "inout", block.array())
        tv.enter_data("cells", name, "copyin")
    left, right = [0, 0, 1, NY, 1, 1], [NX + 1, NX + 1, 1, NY, 1, 1]
    inner = [1, NX, 1, NY, 1, 1]
    for _ in range(2):
        tv.run("cells", "stRoot", [*left, *right, *LOW, *HIGH, *inner])
        tv.run("cells", "stSmooth")
        tv.run("cells", "stRoot", [*left, *right, *LOW, *HIGH])
        tv.run("cells", "stRoot")
        tv.run("cells", "stSmooth")
    tv.run("cells", "stSmooth", [1, 2, 2, 3, 1, 1])
    assert not warnings(capsys)
    tv.run("cells", "stRoot")
    tv.run("cells", "stRoot", [*right, *LOW, *HIGH])
    tv.run("cells", "stSmooth", [2, NX, 1, NY, 1, 1])
    assert not warnings(capsys), "it does not reach the fringe that is older"
    tv.run("cells", "stSmooth")
    at, since = "i = 1..1, j = 2..5, k = 1..1", "run of stRoot on set 'cells'"
    assert warnings(capsys) == [line("stSmooth", "st_a", at, since, "cells")]


def test_the_host_changes_the_interior(
    cells: TVProperties, capsys: pytest.CaptureFixture[str]
) -> None:
    tv, block = cells, Block((NX, NY, 1), LAYERS)
    for name in ("st_a", "st_b"):
        bind(tv, block, name, "inout", block.array())
        tv.enter_data("cells", name, "copyin")
    tv.update_device("cells", "st_a", [2, 3, 4, 4, 1, 1])
    tv.run("cells", "stSmooth")
    since = "frame_update_device of 'st_a'"
    assert warnings(capsys) == [
        line("stSmooth", "st_a", "i = 3..4, j = 6..6, k = 1..1", since, "cells")
    ]


def test_a_component_that_is_left_out(
    cells: TVProperties, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fringe of two components is filled, and the kernel may use these alone."""
    tv, block = cells, Block((NX, NY, 1), LAYERS)
    u = block.array(3)
    for name, array in (("st_u", u), ("st_rhs", block.array(3))):
        bind(tv, block, name, "inout", array)
        tv.enter_data("cells", name, "copyin")
    for column, name in enumerate(("st_a", "st_b"), 1):
        bind(tv, block, name, "inout", u, "parts", SptData=column, EptData=column)
    sides = [[0, 0, 1, NY, 1, 1], [NX + 1, NX + 1, 1, NY, 1, 1]]
    for _ in range(2):
        tv.run("cells", "stUpdate")
        for name in ("st_a", "st_b"):
            tv.unpack("parts", name, sides, np.ones(2 * NY))
        tv.run("cells", "stFluxX")
    assert not warnings(capsys)
    tv.run("cells", "stUpdate")
    tv.run("cells", "stFluxX")
    since = "run of stUpdate on set 'cells'"
    assert warnings(capsys) == [line("stFluxX", "st_u", SIDES["x"], since, "cells")]


def test_a_mask_says_which_points_are_new(
    cells: TVProperties, capsys: pytest.CaptureFixture[str]
) -> None:
    tv, block = cells, Block((NX, NY, 1), LAYERS)
    active = np.zeros(block.shape, np.int32, order="F")
    active[1, 2, 0] = 1
    bind(tv, block, "iblank", "in", active)
    for name in ("st_p", "st_a", "st_b"):
        bind(tv, block, name, "inout", block.array())
        tv.enter_data("cells", name, "copyin")
    tv.run("cells", "stRoot")
    tv.run("cells", "stSmooth")
    at, since = "i = 1..1, j = 3..3, k = 1..1", "run of stRoot on set 'cells'"
    assert warnings(capsys) == [line("stSmooth", "st_a", at, since, "cells")]


def test_many_blocks(cells: TVProperties, capsys: pytest.CaptureFixture[str]) -> None:
    tv = cells
    block = Block((NX, NY, 1), LAYERS)
    row, size = [*block.shape, *block.box.values(), 1, 3, 3], 3 * block.array().size
    arrays = {name: np.ones(3 * size) for name in ("st_u", "st_rhs")}
    for name, array in arrays.items():
        tv.bind_blocks("cells", name, "inout", array, [row] * 3, [0, size, 2 * size])
        tv.enter_data("cells", name, "copyin")
    sends = [[1, 1, 1, NY, 1, 1], [NX, NX, 1, NY, 1, 1]] * 3
    takes = [[0, 0, 1, NY, 1, 1], [NX + 1, NX + 1, 1, NY, 1, 1]] * 3
    blocks, faces = [1, 1, 2, 2, 3, 3], [1, 2, 2, 3, 3, 1]
    tv.exchanges.plan("x", "cells", "st_u", [0] * 6, faces, blocks, sends, blocks, takes)
    some = [1, 2, 4]  # of these sides, each block's own layers
    own, sent, taken = ([each[n] for n in some] for each in (blocks, sends, takes))
    tv.exchanges.plan("some", "cells", "st_u", [0] * 3, some, own, sent, own, taken)
    for _ in range(2):
        tv.run("cells", "stFluxX")
        tv.run("cells", "stUpdate")
        tv.exchanges.run("x")
    tv.run("cells", "stFluxX")
    assert not warnings(capsys)
    tv.run("cells", "stUpdate")
    tv.exchanges.run("some")
    tv.run("cells", "stFluxX")
    sides = (1, 1), (8, 2), (8, 3)
    at = "; ".join(f"i = {i}..{i}, j = 2..5, k = 1..1 in block {block}" for i, block in sides)
    since = "run of stUpdate on set 'cells'"
    assert warnings(capsys) == [line("stFluxX", "st_u", at, since, "cells")]
