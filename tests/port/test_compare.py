"""Comparisons beside a loop of the host: what is compared, how, and that nothing else changes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from blocks.arena import Arena
from port.beside import EXTENT, Loops

import bridge
from bridge.bound.compared import Total, table
from bridge.bound.differences import Difference
from bridge.bound.samples import TILE, numbers, parts
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")


def kept(loops: Loops) -> dict[str, np.ndarray]:
    return {name: one.copy() for name, one in vars(loops).items() if isinstance(one, np.ndarray)}


def test_a_loop_and_its_kernel(tv: TVProperties) -> None:
    """Several types, a scale, neighbours, an array that is input and output; again and again."""
    loops = Loops()
    loops.bind(tv)
    points = math.prod(EXTENT)
    for _ in range(3):
        before = kept(loops)
        tv.compare_begin("cells", "bsStep")
        for name, values in kept(loops).items():
            np.testing.assert_array_equal(values, before[name], err_msg=name)
        loops.step()
        after = kept(loops)
        assert tv.compare("cells", "bsStep") <= 1e-14
        for name, values in kept(loops).items():
            np.testing.assert_array_equal(values, after[name], err_msg=name)
        found = tv.differences("cells", "bsStep")
        assert {*found} == {"bs_q", "bs_r", "bs_flag"}
        assert [one.points for one in found.values()] == [points] * 3
        assert [one.above for one in found.values()] == [0] * 3


def test_kernels_that_rewrite_what_they_read_around(tv: TVProperties) -> None:
    """Two stages: the first one reads neighbours of what the second gives its new value."""
    loops = Loops()
    loops.bind(tv)
    for share in (1.0, 0.5, 0.7, 0.5):
        tv.compare_begin("cells", "bsUpdate", share)
        loops.update()
        assert tv.compare("cells", "bsUpdate") <= 1e-14
    tv.compare_begin("cells", "bsForce", 0.5)  # positions as well
    loops.r[...] = loops.around(-1, 0) + 0.5 * (11 + np.arange(EXTENT[0]))[:, None, None, None]
    assert tv.compare("cells", "bsForce") <= 1e-14


def test_points_that_follow_each_other(tv: TVProperties) -> None:
    loops = Loops()
    loops.bind(tv)
    with pytest.raises(bridge.ArgumentError, match="share: got 0.5, wanted 1.0.*follow"):
        tv.compare_begin("cells", "bsSweep", 0.5)
    tv.compare_begin("cells", "bsSweep")
    loops.sweep()
    assert tv.compare("cells", "bsSweep") <= 1e-14


def test_where_and_by_how_much(tv: TVProperties, capsys: pytest.CaptureFixture[str]) -> None:
    loops = Loops()
    loops.bind(tv)
    tv.compare_begin("cells", "bsStep")
    loops.step()
    largest = np.abs(loops.r[..., 1]).max()
    loops.r[4, 17, 3, 1] += 1e-6 * largest
    loops.r[5, 17, 3, 1] -= 1e-7 * largest
    loops.r[5, 17, 3, 0] += 1e-9
    loops.flag[12, 0, 4] += 1
    wrong = float(loops.r[4, 17, 3, 1])
    worst = tv.compare("cells", "bsStep")
    assert worst == math.inf  # of an integer
    found = tv.differences("cells", "bsStep")
    r, flag = found["bs_r"], found["bs_flag"]
    assert r.relative == pytest.approx(1e-6, rel=1e-5)
    assert r.absolute == pytest.approx(1e-6 * largest, rel=1e-5)
    assert r.place == (5, 18, 4, 2) and r.above == 2
    assert r.original == wrong and r.bridge == pytest.approx(wrong - 1e-6 * largest)
    assert r.bridge != wrong
    assert flag.place == (13, 1, 5, 1) and flag.above == 1 and flag.relative == math.inf
    assert found["bs_q"].above == 0
    said = capsys.readouterr().out
    assert (
        "rank 0: comparison 1 of bsStep on set 'cells': 'bs_r' differs by 1e-06 at (5, 18" in said
    )
    assert "2 of 1300 points are above 1e-10" in said

    tv.compare_begin("cells", "bsStep")
    loops.step()
    loops.r[0, 0, 0, 0] += 1.0
    tv.compare("cells", "bsStep")
    assert "bs_r" not in capsys.readouterr().out  # the first time alone


def test_nan_and_infinity(tv: TVProperties) -> None:
    loops = Loops()
    loops.u[6, 6, 1, 0] = np.nan
    loops.u[9, 9, 1, 1] = np.inf
    loops.bind(tv)
    with np.errstate(invalid="ignore"):
        tv.compare_begin("cells", "bsStep")
        loops.step()
        assert tv.compare("cells", "bsStep") <= 1e-14  # NaN and infinities on both sides
        tv.compare_begin("cells", "bsStep")
        loops.step()
    loops.r[0, 0, 2, 0] = np.nan
    assert tv.compare("cells", "bsStep") == math.inf
    one = tv.differences("cells", "bsStep")["bs_r"]
    assert one.place == (1, 1, 3, 1) and math.isnan(one.original) and not math.isnan(one.bridge)


def test_a_mask_and_real4(tv: TVProperties) -> None:
    loops = Loops(dtype="float32")
    loops.mask[3:5, :, 2] = 0
    loops.bind(tv, masked=True)
    tv.compare_begin("cells", "bsStep")
    loops.step()
    blank = loops.mask == 0
    loops.r[blank] = loops.q[blank] = 1e30  # whatever the host does there
    loops.flag[blank] = -1
    assert tv.compare("cells", "bsStep") <= 2.5e-7
    found = tv.differences("cells", "bsStep")
    assert {one.points for one in found.values()} == {loops.mask.sum()}
    assert {one.above for one in found.values()} == {0}
    tv.compare_begin("cells", "bsStep", 0.6)
    assert tv.compare("cells", "bsStep") > 0.0  # the loop has not run
    one = tv.differences("cells", "bsStep")["bs_r"]
    assert 0 < one.points < loops.mask.sum()
    assert one.absolute < 1e29  # no blank point


def test_components_as_points_and_many_blocks(
    stencils_tv: TVProperties,
) -> None:
    tv = stencils_tv
    sizes = [(8, 8, 8), (5, 3, 2), (0, 4, 4), (37, 4, 3)]
    p, a = Arena(sizes, 3), Arena(sizes, 3, value=-7.0, first=True)
    p.bind(tv, "st_p", "in")
    a.bind(tv, "st_a", "out")
    tv.compare_begin("blocks", "stRoot")
    assert (a.memory == -7.0).all()
    tv.run("blocks", "stRoot")  # in place of the host's loop
    assert tv.compare("blocks", "stRoot") == 0.0
    tv.compare_begin("blocks", "stRoot")
    number = np.flatnonzero(a.memory != -7.0)[0]  # of the last block: they lie backwards
    a.memory[number] *= 2.0
    assert 0.0 < tv.compare("blocks", "stRoot") <= 1.0
    place = tv.differences("blocks", "stRoot")["st_a"].place
    assert place is not None and len(place) == 5 and place[4] == 4
    with pytest.raises(bridge.ArgumentError, match="share.*one for set 'blocks', which has many"):
        tv.compare_begin("blocks", "stRoot", 0.5)


def test_resident_arrays_are_compared_in_the_hosts_memory(frame: bridge.Frame) -> None:
    frame.set("check_residency", 1)  # a CPU has copies then
    frame.initialize(0, 64, 0, 5)
    tv, loops = frame.tvproperties, Loops()
    loops.bind(tv)
    for name in ("bs_u", "bs_q", "bs_r"):
        tv.enter_data("cells", name, "copyin")
    loops.u[...] *= 1.5  # the copy knows nothing of it
    tv.compare_begin("cells", "bsStep")
    loops.step()
    assert tv.compare("cells", "bsStep") <= 1e-14
    for name in ("bs_u", "bs_q", "bs_r"):
        tv.exit_data("cells", name, "delete")


# ---- a share of the points ----------------------------------------------------------------------


def test_a_share(tv: TVProperties) -> None:
    loops = Loops((20, 40, 30))
    loops.bind(tv)
    points = 0
    for _ in range(12):
        tv.compare_begin("cells", "bsStep", 0.3)
        loops.step()
        loops.q *= 0.1
        loops.r[19, :, :] += 1.0
        tv.compare("cells", "bsStep")
        one = tv.differences("cells", "bsStep")["bs_r"]
        assert one.points % 20 == 0 and one.above == one.points // 20  # whole rows
        if one.place is not None:
            i, j, k, component = one.place
            assert i == 20 and loops.r[i - 1, j - 1, k - 1, component - 1] == one.original
        points += one.points
    assert 0.2 < points / (12 * 24000) < 0.4


def test_the_same_share_on_every_rank_count() -> None:
    """A box in parts has the points that the whole has, by the number of the call."""

    def chosen(extent: Any, first: Any, call: int) -> set[tuple[int, int, int]]:
        found = set()
        for (i, j, k), (nx, ny, nz) in parts(extent, first, 0.4, call):
            assert min(nx, ny, nz) > 0
            for x, y, z in np.ndindex(nx, ny, nz):
                found.add((first[0] + i + x, first[1] + j + y, first[2] + k + z))
        return found

    whole = chosen((6, 50, 20), (-2, 1, 5), 3)
    halves = [((6, 21, 8), (-2, 1, 5)), ((6, 29, 8), (-2, 22, 5))]
    halves += [((6, 21, 12), (-2, 1, 13)), ((6, 29, 12), (-2, 22, 13))]
    together = [chosen(extent, first, 3) for extent, first in halves]
    assert set.union(*together) == whole and sum(map(len, together)) == len(whole)
    assert 0.2 < len(whole) / 6000 < 0.6
    assert chosen((6, 50, 20), (-2, 1, 5), 4) != whole
    assert parts((7, 3, 2), (1, 1, 1), 1.0 - 1e-17, 1) == [((0, 0, k), (7, 3, 1)) for k in (0, 1)]
    assert TILE == (4096, 16, 1)
    # another machine, another NumPy: the same numbers
    assert int(numbers(1, 2, -3, 4)) == 7681667203855609713


# ---- order, refusals, the report ----------------------------------------------------------------


def test_out_of_order(tv: TVProperties) -> None:
    loops = Loops()
    loops.bind(tv)
    with pytest.raises(bridge.StateError, match="bsStep on set 'cells' has nothing to compare"):
        tv.compare("cells", "bsStep")
    with pytest.raises(bridge.StateError, match="never compared"):
        tv.differences("cells", "bsStep")
    tv.compare_begin("cells", "bsStep")
    tv.compare_begin("cells", "bsUpdate")  # another one beside it
    with pytest.raises(bridge.StateError, match="frame_compare_begin of bsStep.*came twice"):
        tv.compare_begin("cells", "bsStep")
    tv.bind_array("cells", "bs_r", "out", np.empty((*EXTENT, 2), order="F"))
    with pytest.raises(bridge.StateError, match="begun: bsUpdate on 'cells'; a new bind forgets"):
        tv.compare("cells", "bsStep")
    tv.compare_begin("cells", "bsStep")
    tv.run_begin("cells", "bsStep")
    with pytest.raises(bridge.StateError, match="frame_compare of bsStep came while"):
        tv.compare("cells", "bsStep")
    tv.wait("cells")
    assert tv.compare("cells", "bsStep") == 0.0
    tv.compare("cells", "bsUpdate")


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, math.nan])
def test_no_share(tv: TVProperties, share: float) -> None:
    Loops().bind(tv)
    with pytest.raises(bridge.ArgumentError, match="share"):
        tv.compare_begin("cells", "bsStep", share)


def test_refusals_of_a_run(tv: TVProperties) -> None:
    """What a run would refuse, a comparison refuses too."""
    loops = Loops()
    with pytest.raises(bridge.ArgumentError, match="set"):
        tv.compare_begin("cells", "bsStep")
    tv.bind_array("cells", "bs_q", "inout", loops.q)
    with pytest.raises(bridge.StateError, match="bs_u"):
        tv.compare_begin("cells", "bsStep")
    with pytest.raises(bridge.ArgumentError, match="composite"):
        tv.compare_begin("cells", "bsStop")
    tv.bind_array("cells", "bs_u", "in", np.zeros((*EXTENT, 2), order="F"))  # without a fringe
    with pytest.raises(bridge.ArgumentError, match="bs_u"):
        tv.compare_begin("cells", "bsStep")
    tv.bind_array("empty", "bs_q", "inout", loops.q, EptX=0)
    tv.bind_array("empty", "bs_u", "in", loops.u, 3, 2, 2, 21)
    tv.compare_begin("empty", "bsStep", 0.5)
    assert tv.compare("empty", "bsStep") == 0.0


def test_the_report_and_the_limit(frame: bridge.Frame, capsys: pytest.CaptureFixture[str]) -> None:
    frame.set("compare_limit", 1e-3)
    frame.initialize(0, 64, 0, 5)
    tv, loops = frame.tvproperties, Loops()
    loops.bind(tv)
    frame.report()
    assert "compared" not in capsys.readouterr().out
    for call in range(3):
        tv.compare_begin("cells", "bsStep")
        loops.step()
        loops.r[2, 0, 0, 0] += (1e-5, 1e-4, 0.0)[call] * np.abs(loops.r[..., 0]).max()
        tv.compare("cells", "bsStep")
    assert "warning" not in capsys.readouterr().out
    frame.report()
    said = capsys.readouterr().out
    assert "limit 0.001" in said
    lines = [line.removeprefix("bridge: ").split() for line in said.splitlines()]
    rows = {words[2]: words for words in lines if words[:2] == ["cells", "bsStep"]}
    row = rows["bs_r"]
    assert row[:6] == ["cells", "bsStep", "bs_r", "3", "3900", "0"]
    assert float(row[6]) == pytest.approx(1e-4, rel=1e-3)
    assert row[8:12] == ["3", "1", "1", "1"] and row[12:] == ["2", "0"]
    assert rows["bs_flag"][3:] == ["3", "3900", "0", "0", "0"]
    with pytest.raises(bridge.ArgumentError, match="compare_limit"):
        bridge.Frame().set("compare_limit", "-1")


def test_the_table_of_several_ranks() -> None:
    key = ("cells", "bsStep", "bs_r")
    ranks = [{key: Total()}, {key: Total()}, {}]
    ranks[0][key].add(Difference(10, 0, 1e-12, 1e-9, (1, 2, 3, 1), 1.0, 1.0), 4)
    ranks[1][key].add(Difference(20, 3, 1e-5, 1e-10, (7, 8, 9, 2), 1.0, 2.0), 6)
    ranks[1][key].add(Difference(20, 0, 1e-6, 2e-10, (4, 5, 6, 2), 1.0, 2.0), 7)
    row = table(ranks).splitlines()[-1].split()
    assert row == "cells bsStep bs_r 2 50 3 1e-05 1e-09 7 8 9 2 6 1".split()
    assert table([{}, {}]) == ""


# ---- several sets for one loop ------------------------------------------------------------------


class Steps(Loops):
    """bsForce on a smaller box of a wider bs_r, which bsMove then reads, and bsSweep."""

    def bind_all(self, tv: TVProperties) -> None:
        self.force = np.full((self.extent[0] + 2, self.extent[1], self.extent[2], 2), 3.0,
                             order="F")  # fmt: skip
        nx, ny, _ = self.extent
        box: dict[str, Any] = {"SptY": 2, "EptY": ny + 1, "SptData": 1, "EptData": 2}
        tv.bind_array("force", "bs_u", "in", self.u, SptX=4, EptX=nx + 2, **box)
        tv.bind_array("force", "bs_r", "out", self.force, SptX=3, EptX=nx + 1)
        tv.position("force", 12, 1, 1)
        tv.bind_array("move", "bs_u", "inout", self.u, SptX=3, EptX=nx + 2, **box)
        tv.bind_array("move", "bs_r", "in", self.force, SptX=2, EptX=nx + 1)
        tv.bind_array("line", "bs_line", "inout", self.line, SptX=2, EptX=nx + 1)

    def steps(self) -> None:
        nx, _, _ = self.extent
        i = 12 + np.arange(nx - 1)[:, None, None, None]
        self.force[2 : nx + 1] = self.around(-1, 0)[1:] + 0.5 * i
        self.around(0, 0)[...] -= 0.125 * self.force[1 : nx + 1]
        self.sweep()


STEPS = ("force", "move", "line"), ("bsForce", "bsMove", "bsSweep")


def test_sets_in_turn(tv: TVProperties) -> None:
    """The second set reads what the first one made, and beside it what the caller has."""
    loops = Steps()
    loops.bind_all(tv)
    for _ in range(2):
        before = kept(loops)
        tv.compare_begin_sets(*STEPS)
        for name, values in kept(loops).items():
            np.testing.assert_array_equal(values, before[name], err_msg=name)
        loops.steps()
        for set, name in zip(*STEPS, strict=True):
            assert tv.compare(set, name) <= 1e-14, set
            assert {one.points for one in tv.differences(set, name).values()} != {0}
    tv.compare_begin_sets(*STEPS)
    loops.steps()
    loops.u[7, 7, 2, 1] += 1e-3
    assert tv.compare("force", "bsForce") <= 1e-14
    assert tv.compare("move", "bsMove") > 1e-5
    assert tv.differences("move", "bsMove")["bs_u"].place == (8, 8, 3, 2)
    tv.compare("line", "bsSweep")
    # One after the other, each on what the caller has: the second one sees an older force.
    for set, name in zip(*STEPS, strict=True):
        tv.compare_begin(set, name)
    loops.steps()
    assert tv.compare("force", "bsForce") <= 1e-14 < tv.compare("move", "bsMove")


def test_a_share_of_the_calls(tv: TVProperties) -> None:
    loops = Steps()
    loops.bind_all(tv)
    seen = []
    for _ in range(9):
        tv.compare_begin_sets(*STEPS, 0.3)
        loops.steps()
        for set, name in zip(*STEPS, strict=True):
            assert tv.compare(set, name) <= 1e-14
        seen.append(bool(tv.differences("move", "bsMove")))
    assert seen == [True, False, False, False, True, False, False, True, False]
    tv.compare_begin_sets(STEPS[0][::2], STEPS[1][::2], 0.3)  # a sweep among them
    loops.steps()
    tv.compare("force", "bsForce")
    tv.compare("line", "bsSweep")
    assert not tv.differences("line", "bsSweep")


def test_sets_that_do_not_meet_are_compared_by_points(tv: TVProperties) -> None:
    first, second = Loops((20, 40, 30)), Loops((20, 40, 30), seed=5)
    first.bind(tv, "a")
    second.bind(tv, "b")
    tv.compare_begin_sets(("a", "b"), ("bsStep", "bsStep"), 0.3)
    for loops, set in ((first, "a"), (second, "b")):
        loops.step()
        assert tv.compare(set, "bsStep") <= 1e-14
        assert 0 < tv.differences(set, "bsStep")["bs_r"].points < 24000


def test_work_arrays_and_numbers(tv: TVProperties, capsys: pytest.CaptureFixture[str]) -> None:
    loops = Loops()
    loops.bind(tv)
    tv.compare_without("cells", "bs_r", in_place=True)
    mine = loops.r.copy()
    tv.compare_begin("cells", "bsStep")
    assert (loops.r != mine).all()  # as by a run
    total = tv.reduce("cells", "bs_r", "sum", 1)
    loops.step()
    loops.r[...] = -5.0
    assert tv.compare("cells", "bsStep") <= 1e-14
    assert {*tv.differences("cells", "bsStep")} == {"bs_q", "bs_flag"}
    numbers = ("cells", "bsStep", "total")
    assert tv.compare_numbers(*numbers, [total], [total], [1.0]) == 0.0
    assert "total" not in capsys.readouterr().out
    wrong = [total, total + 2e-6]
    assert tv.compare_numbers(*numbers, wrong, [total, total], [1.0, 4.0]) == pytest.approx(5e-7)
    one = tv.differences("cells", "bsStep")["total"]
    assert one.place == (2,) and one.points == 2 and one.above == 1 and one.bridge == total
    assert "'total' differs by 5e-07 at (2)" in capsys.readouterr().out
    assert tv.compare_numbers(*numbers, [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]) == math.inf
    tv.compare_begin("cells", "bsStep", 0.4)  # not all of it: as if it were not there
    loops.step()
    assert tv.compare("cells", "bsStep") <= 1e-14
    assert "bs_r" not in tv.differences("cells", "bsStep")
    loops.bind(tv)
    tv.compare_begin("cells", "bsStep")
    loops.step()
    assert tv.compare("cells", "bsStep") <= 1e-14
    assert "bs_r" in tv.differences("cells", "bsStep")  # a new bind


def test_refusals_of_several_sets(tv: TVProperties) -> None:
    loops = Steps()
    loops.bind_all(tv)
    with pytest.raises(bridge.ArgumentError, match="composites: got 1 for 2 sets"):
        tv.compare_begin_sets(("force", "move"), ("bsForce",))
    with pytest.raises(bridge.ArgumentError, match="sets: got force force, wanted each set once"):
        tv.compare_begin_sets(("force", "force"), ("bsForce", "bsForce"))
    with pytest.raises(bridge.ArgumentError, match="share"):
        tv.compare_begin_sets(*STEPS, 0.0)
    with pytest.raises(bridge.ArgumentError, match="'bs_u' bound 'in'.*wanted an array bound"):
        tv.compare_without("force", "bs_u")
    with pytest.raises(bridge.StateError, match="frame_compare_numbers of bsForce.*frame_compare"):
        tv.compare_numbers("force", "bsForce", "x", [0.0], [0.0], [0.0])
    tv.compare_begin("move", "bsMove")
    with pytest.raises(bridge.StateError, match="bsMove on set 'move' came twice"):
        tv.compare_begin_sets(*STEPS)
    with pytest.raises(bridge.StateError, match="nothing to compare"):
        tv.compare("force", "bsForce")
