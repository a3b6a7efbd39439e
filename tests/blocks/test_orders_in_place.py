"""Colours and sweeps on arrays that stay on the device; what they leave as it is; what they read
beside arrays."""

from __future__ import annotations

import numpy as np
import pytest
from blocks.orders import coloured
from blocks.stencils import Block, bind

from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

AROUND = ((1, 1), (1, 1), (1, 1))


@pytest.fixture
def resident(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> TVProperties:
    """A Frame that finds the pack; a CPU has shadow copies."""
    monkeypatch.setenv("BRIDGE_CHECK_RESIDENCY", "1")
    tv: TVProperties = request.getfixturevalue("ordered")
    return tv


def marks_of(block: Block, value: int = -7) -> np.ndarray:
    return np.full(block.shape, value, np.int32, order="F")


@pytest.mark.parametrize("first, layout", [(False, "host"), (True, "host"), (True, "device")])
def test_colours_of_arrays_that_stay(
    resident: TVProperties, capsys: pytest.CaptureFixture[str], first: bool, layout: str
) -> None:
    """The fringe crosses between the colours, nothing else: as with arrays of the host."""
    tv, block = resident, Block((33, 4, 3), AROUND, first=first)
    f, start = block.array(), block.array(3)
    fields = {"here": start.copy(order="F"), "there": start.copy(order="F")}
    marks = {name: marks_of(block) for name in fields}
    for name, u in fields.items():
        bind(tv, block, "od_u", "inout", u, name)
        bind(tv, block, "od_f", "in", f, name)
        bind(tv, block, "od_parity", "out", marks[name], name)
    tv.enter_data("there", "od_u", "copyin", layout)
    tv.enter_data("there", "od_parity", "copyin", layout)
    low, inner = [0, 0, 0, 5, 0, 4], [1, 1, 0, 5, 0, 4]
    for colour in (1, 2):
        for name, u in fields.items():
            tv.run(name, "odVector", colour=colour)
            if name == "there":
                tv.update_host(name, "od_u", inner)
            w = np.moveaxis(u, 0, -1) if first else u
            w[0] = 0.5 * w[1]  # the layer below x
            if name == "there":
                tv.update_device(name, "od_u", low)
    for quantity in ("od_u", "od_parity"):
        tv.exit_data("there", quantity, "copyout")
    assert "warning" not in capsys.readouterr().out
    np.testing.assert_allclose(fields["there"], fields["here"], rtol=0, atol=1e-13)
    np.testing.assert_array_equal(marks["there"], marks["here"])
    assert (block.at(marks["here"]) != -7).all() and (fields["here"] != start).any()


@pytest.mark.parametrize("stay", [("od_u", "od_res"), ("od_u",), ("od_res",)])
def test_sweeps_of_arrays_that_stay(resident: TVProperties, stay: tuple[str, ...]) -> None:
    """Beside arrays that cross for the run; a reduction follows."""
    tv, block = resident, Block((19, 5, 4), ((1, 0), (0, 0), (2, 0)))
    u, count = block.array(3), block.array(value=-7.0)
    wanted = u.copy(order="F")
    bind(tv, block, "od_u", "inout", u)
    bind(tv, block, "od_res", "inout", count)
    for name in stay:
        tv.enter_data("cells", name, "copyin")
    for _ in range(2):
        tv.run("cells", "odRunning")
        line = np.zeros(3)
        for i in range(1, 20):
            line = 0.5 * line + wanted[i, :, 2:]
            wanted[i, :, 2:] = line + 0.25 * np.roll(wanted[i - 1, :, 2:], -1, axis=-1)
    assert tv.reduce("cells", "od_res", "max") == 19.0
    total = tv.reduce("cells", "od_u", "sum", 2)
    np.testing.assert_allclose(total, wanted[1:, :, 2:, 1].sum(), rtol=1e-11)
    for name in stay:
        tv.exit_data("cells", name, "copyout")
    np.testing.assert_allclose(u, wanted, rtol=0, atol=1e-12)
    assert (block.outside(u) == block.outside(wanted)).all()
    assert (block.outside(count) == -7.0).all()


@pytest.mark.parametrize(
    "dtype, scale, first",
    [("float64", 1.0, False), ("float32", 0.3, False), ("float64", 0.3, True)],
)
def test_the_other_colour_keeps_every_bit(
    ordered: TVProperties, dtype: str, scale: float, first: bool
) -> None:
    """Of what is rewritten, and of an output that is no input."""
    block = Block((21, 4, 3), dtype=dtype, first=first)
    u, f, marks = block.array(3), Block((21, 4, 3)).array(), marks_of(block)
    before = u.copy(order="F")
    bind(ordered, block, "od_u", "inout", u, scale=scale)
    bind(ordered, block, "od_f", "in", f)
    bind(ordered, block, "od_parity", "out", marks)
    ordered.run("cells", "odVector", colour=2)
    mine = np.zeros(block.shape, bool)
    coloured(block, lambda i, j, k: mine.__setitem__((i, j, k), True), colours=(2,))
    there, old = (np.moveaxis(one, 0, -1) if block.first else one for one in (u, before))
    np.testing.assert_array_equal(there[~mine], old[~mine])
    assert (there[mine] != old[mine]).all() and (marks[mine] != -7).all()
    assert (marks[~mine] == -7).all()


def test_a_line_counts_points_that_are_masked(ordered: TVProperties) -> None:
    """They keep what they have, and so do their results; what the line keeps goes on."""
    block = Block((11, 5, 2), ((1, 0), (0, 0), (0, 0)))
    u, count = block.array(3), block.array(value=-7.0)
    before = u.copy(order="F")
    blank = marks_of(block, 1)
    blank[3:6, 1::2] = 0
    bind(ordered, block, "od_u", "inout", u)
    bind(ordered, block, "od_res", "out", count)
    bind(ordered, block, "iblank", "in", blank)
    ordered.run("cells", "odRunning")
    places = np.arange(1.0, 12.0)[:, None, None]
    wanted = np.where(block.at(blank) != 0, places, -7.0)
    np.testing.assert_array_equal(block.at(count), wanted)
    np.testing.assert_array_equal(u[blank == 0], before[blank == 0])
    assert (block.at(u)[block.at(blank) != 0] != block.at(before)[block.at(blank) != 0]).any()


@pytest.mark.parametrize("kernel", ["odRedBlack", "odPenta"])
def test_no_points(ordered: TVProperties, kernel: str) -> None:
    """Nothing is read, the fringe neither."""
    block = Block((0, 4, 3), ((0, 0), (0, 0), (0, 0)))
    for name in ("od_p", "od_f", "od_r"):
        bind(ordered, block, name, "in" if name == "od_f" else "inout", block.array())
    for _ in range(2):
        ordered.run("cells", kernel)


def test_tables_and_positions(ordered: TVProperties) -> None:
    block = Block((13, 4, 6))
    r, table = block.array(), np.linspace(-1.0, 2.0, 40)
    wanted = r.copy(order="F")
    bind(ordered, block, "od_r", "inout", r)
    ordered.table("od_t", table)
    ordered.position("cells", 1, 1, 7)
    ordered.run("cells", "odLooked")
    (x, _), (y, _), (z, _) = block.layers
    w = wanted[x : x + 13, y : y + 4, z : z + 6]
    kept = table[12]  # position 12 of the last point, which is the first one of a line
    w[..., 5] *= 2.0
    for k in range(4, -1, -1):
        kept += table[7 + k]
        w[..., k] += 0.5 * w[..., k + 1] + kept
    np.testing.assert_allclose(r, wanted, rtol=0, atol=1e-12)
