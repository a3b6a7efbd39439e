"""Sets of many blocks whose memory stays on the device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from blocks.arena import SIZES, SOME, Arena, Extent
from blocks.stencils import laplacian

import bridge
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

FIRST = [pytest.param(False, id="component last"), pytest.param(True, id="component first")]
NO_FRINGE = ((0, 0), (0, 0), (0, 0))


def apart(tv: TVProperties) -> bool:
    """Whether the device has memory of its own."""
    return tv.impl.backend.device_copies is not None


def entered(
    tv: TVProperties, arena: Arena, name: str, intent: str, first: int = 1, last: int | None = None
) -> None:
    arena.bind(tv, name, intent, first, last)
    tv.enter_data("blocks", name, "copyin")


@pytest.mark.parametrize("first", FIRST)
def test_runs_stay_on_the_device(tv: TVProperties, first: bool) -> None:
    """Kernels of points and of neighbours, an array that is rewritten; values come to the host
    where they are asked for, and nothing else does."""
    p, u = Arena(SIZES, 2, first=first), Arena(SIZES, 3, first=not first)
    rhs = Arena(SIZES, 3, first=first, layers=NO_FRINGE, seed=2)
    out = {name: Arena(SIZES, 2, first=first, value=-7.0) for name in ("st_a", "st_lap")}
    entered(tv, p, "st_p", "in", 2, 2)
    entered(tv, u, "st_u", "inout")
    entered(tv, rhs, "st_rhs", "in")
    for name, arena in out.items():
        entered(tv, arena, name, "out", 1, 1)
    given, updated = p.memory.copy(), u.memory.copy()
    old, wanted_lap = u.all().copy(), laplacian(lambda *o: p.all(*o)[:, 1:])
    root = np.sqrt(1.0 + p.all()[:, 1:] ** 2)
    if apart(tv):  # the device has its own values
        p.memory[...] = np.nan
    for _ in range(2):
        tv.run("blocks", "stUpdate")
    tv.run("blocks", "stRoot")
    tv.run("blocks", "stLaplacian")
    if apart(tv):
        np.testing.assert_array_equal(u.memory, updated)
        assert all((arena.memory == -7.0).all() for arena in out.values())
    outside = u.outside().copy()
    for name in (*out, "st_u"):
        tv.update_host("blocks", name)
    np.testing.assert_allclose(u.all(), old + 0.25 * rhs.all(), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(u.outside(), outside)
    for name, wanted in (("st_a", root), ("st_lap", wanted_lap)):
        np.testing.assert_allclose(out[name].all()[:, :1], wanted, rtol=0, atol=1e-13)
        assert (out[name].outside() == -7.0).all() and (out[name].all()[:, 1] == -7.0).all()
    p.memory[...] = 2.0 * given
    tv.update_device("blocks", "st_p")
    tv.run("blocks", "stLaplacian")
    tv.exit_data("blocks", "st_lap", "copyout")
    np.testing.assert_allclose(out["st_lap"].all()[:, :1], 2.0 * wanted_lap, rtol=0, atol=1e-12)
    tv.exit_data("blocks", "st_u", "delete")
    tv.run("blocks", "stLaplacian")  # where its output is in the host's memory again
    np.testing.assert_allclose(out["st_lap"].all()[:, :1], 2.0 * wanted_lap, rtol=0, atol=1e-12)
    assert (out["st_lap"].outside() == -7.0).all()


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("extents", [SIZES, [(4, 3, 2)] * 5])
def test_updates_move_what_is_bound(tv: TVProperties, first: bool, extents: list[Extent]) -> None:
    """Of all blocks with their fringes: some components, and nothing between the blocks."""
    p = Arena(extents, 4, first=first)
    p.bind(tv, "st_u", "inout", 2, 4)
    p.bind(tv, "st_p", "in", 1, 1)
    tv.enter_data("blocks", "st_u", "create")
    if not apart(tv):
        return
    before = p.memory.copy()
    tv.update_device("blocks", "st_u")
    p.memory[...] = -7.0
    tv.update_host("blocks", "st_u")
    moved = Arena(extents, 4, first=first, value=-7.0)
    moved.memory[...] = before
    for got, wanted in zip(p.arrays(), moved.arrays(), strict=True):
        np.testing.assert_array_equal(got[..., 1:], wanted[..., 1:])
        assert (got[..., 0] == -7.0).all()
        got[...] = -7.0
    assert (p.memory == -7.0).all(), "what lies between the blocks"


def test_names_of_one_memory_share_its_copy(tv: TVProperties) -> None:
    p = Arena(SIZES, 3)
    p.bind(tv, "st_p", "in", 1, 1)
    p.bind(tv, "st_a", "out", 3, 3)
    wanted = np.sqrt(1.0 + p.all()[:, 0] ** 2)
    tv.enter_data("blocks", "st_p", "copyin")
    assert len(tv.impl.residency._residents) == 1
    tv.enter_data("blocks", "st_a", "copyin")
    assert len(tv.impl.residency._residents) == 1, "a reference more"
    tv.run("blocks", "stRoot")
    tv.exit_data("blocks", "st_p", "delete")
    tv.update_host("blocks", "st_a")  # still there
    np.testing.assert_allclose(p.all()[:, 2], wanted, rtol=1e-15)
    tv.exit_data("blocks", "st_a", "copyout")
    with pytest.raises(bridge.StateError, match="is not resident"):
        tv.exit_data("blocks", "st_a", "delete")


def test_memory_that_entered_as_one_array(tv: TVProperties) -> None:
    """Blocks in it find their elements in its copy; a part of it is partially present."""
    p, a = Arena(SIZES), Arena(SIZES, value=-7.0)
    tv.bind_array("whole", "st_p", "in", p.memory.reshape((-1, 1, 1), order="F"))
    tv.enter_data("whole", "st_p", "copyin")
    p.bind(tv, "st_p", "in")
    a.bind(tv, "st_a", "out")
    wanted = np.sqrt(1.0 + p.all() ** 2)
    if apart(tv):
        p.memory[...] = np.nan
    tv.run("blocks", "stRoot")
    np.testing.assert_allclose(a.all(), wanted, rtol=1e-15)
    assert (a.outside() == -7.0).all()
    tv.exit_data("whole", "st_p", "delete")
    half = a.memory[: len(a.memory) // 2].reshape((-1, 1, 1), order="F")
    tv.bind_array("half", "st_a", "out", half)
    tv.enter_data("half", "st_a", "copyin")
    with pytest.raises(bridge.ArgumentError, match="partially present"):
        tv.enter_data("blocks", "st_a", "copyin")
    with pytest.raises(bridge.ArgumentError, match="partially present"):
        tv.run("blocks", "stRoot")


def test_a_regrid_ends_and_begins_data(tv: TVProperties) -> None:
    for seed, extents in enumerate((SIZES, SIZES[::-1])):
        p, a = Arena(extents, seed=seed), Arena(extents, value=-7.0)
        entered(tv, p, "st_p", "in")
        entered(tv, a, "st_a", "out")
        tv.run("blocks", "stRoot")
        tv.exit_data("blocks", "st_a", "copyout")
        tv.exit_data("blocks", "st_p", "delete")
        np.testing.assert_allclose(a.all(), np.sqrt(1.0 + p.all() ** 2), rtol=1e-15)
        assert (a.outside() == -7.0).all()


@pytest.mark.parametrize("first", FIRST)
def test_reductions_of_resident_blocks(tv: TVProperties, first: bool) -> None:
    """The same bits as in the host's memory; with a mask, and by a quantity that kernels make."""
    u, p = Arena(SIZES, 3, first=first), Arena(SIZES, 2, first=first, seed=3)
    blank = Arena(SIZES, dtype="int32", value=0)
    blank.memory[...] = np.random.default_rng(4).integers(0, 2, len(blank.memory))
    u.bind(tv, "st_u", "in")
    p.bind(tv, "st_p", "in", 2, 2)

    def results() -> list[object]:
        asked = ("sum", "min", "maxloc")
        each = tv.reduce("blocks", "st_u", "sum", "each")
        found = [tv.reduce("blocks", name, which) for name in ("st_u", "st_p") for which in asked]
        return [*found, each, tv.reduce("blocks", "st_a", "maxloc")]

    for masked in (False, True):
        if masked:
            blank.bind(tv, "iblank", "in")
        wanted = results()
        for name in ("st_u", "st_p", *(["iblank"] if masked else [])):
            tv.enter_data("blocks", name, "copyin")
        if apart(tv):
            kept = u.memory.copy(), p.memory.copy()
            u.memory[...] = p.memory[...] = 0.0
        assert results() == wanted
        if apart(tv):
            u.memory[...], p.memory[...] = kept
        for name in ("st_u", "st_p"):
            tv.exit_data("blocks", name, "delete")


def test_host_memory_beside_the_copy(tv: TVProperties) -> None:
    """Some arrays of a run on the device, others in the host's memory."""
    p, a = Arena(SIZES), Arena(SIZES, value=-7.0)
    blank = Arena(SIZES, dtype="int32", value=0)
    blank.memory[...] = np.random.default_rng(4).integers(0, 2, len(blank.memory))
    p.bind(tv, "st_p", "in")
    entered(tv, a, "st_a", "out")
    blank.bind(tv, "iblank", "in")
    tv.run("blocks", "stRoot")
    tv.exit_data("blocks", "st_a", "copyout")
    counts = blank.all() != 0
    np.testing.assert_allclose(a.all(), np.where(counts, np.sqrt(1.0 + p.all() ** 2), -7.0))
    assert (a.outside() == -7.0).all()


def test_stages_in_place(tv: TVProperties) -> None:
    """Steps that read neighbours of what a later step rewrites, in the host's memory and not."""
    p, u = Arena(SIZES), Arena(SIZES, 3, first=True)
    p.bind(tv, "st_p", "in")
    u.bind(tv, "st_u", "inout")
    outside = u.outside().copy()
    for resident in (False, True):
        old = [np.array(u.all(*o)) for o in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))]
        rhs = p.all() * np.array([1.0, 2.0, 3.0]) - (old[0] - old[1]) - (old[2] - old[3])
        wanted = u.all() + 0.125 * rhs
        if resident:
            tv.enter_data("blocks", "st_u", "copyin")
        tv.run("blocks", "stStage")
        if resident:
            tv.update_host("blocks", "st_u")
        np.testing.assert_allclose(u.all(), wanted, rtol=0, atol=1e-13)
        np.testing.assert_array_equal(u.outside(), outside)


def test_what_is_refused(tv: TVProperties) -> None:
    p = Arena(SIZES, 2, first=True)
    p.bind(tv, "st_p", "in", 1, 1)
    with pytest.raises(bridge.ArgumentError, match="argument layout: got 'device' .*many blocks"):
        tv.enter_data("blocks", "st_p", "copyin", "device")
    with pytest.raises(bridge.StateError, match="frame_update_device of 'st_p': .* not resident"):
        tv.update_device("blocks", "st_p")
    tv.enter_data("blocks", "st_p", "copyin")
    box, buffer = (1, 1, 1, 1, 1, 1), np.zeros(1)
    for update in (tv.update_device, tv.update_host):
        with pytest.raises(bridge.ArgumentError, match="argument boxes: .*many blocks, wanted an"):
            update("blocks", "st_p", box)
    for move in (tv.pack, tv.unpack):
        with pytest.raises(
            bridge.ArgumentError, match=f"wanted frame_{move.__name__} on a set of"
        ):
            move("blocks", "st_p", box, buffer)
    tv.exit_data("blocks", "st_p", "delete")
    whole = p.memory[: 2 * (len(p.memory) // 2)].reshape((2, -1, 1, 1), order="F")
    tv.bind_array("whole", "st_p", "in", whole, component_first=True)
    tv.enter_data("whole", "st_p", "copyin", "device")
    if apart(tv):
        Arena(SIZES, value=-7.0).bind(tv, "st_a", "out")
        with pytest.raises(bridge.ArgumentError, match="many blocks in the same memory"):
            tv.run("blocks", "stRoot")


@pytest.mark.parametrize("extents", [[], [(0, 3, 3), (2, 0, 1)]])
def test_no_points(tv: TVProperties, extents: list[Extent]) -> None:
    p = Arena(extents)
    p.bind(tv, "st_p", "in")
    Arena(extents, value=-7.0).bind(tv, "st_a", "out")
    tv.enter_data("blocks", "st_p", "copyin")
    tv.run("blocks", "stRoot")
    tv.exit_data("blocks", "st_p", "copyout")


def test_addresses_are_those_that_offsets_count_from(tv: TVProperties) -> None:
    p = Arena(SIZES, 2)
    p.bind(tv, "st_p", "in", 2, 2)
    tv.enter_data("blocks", "st_p", "copyin")
    address = tv.device_address("blocks", "st_p")
    if not apart(tv):
        assert address == p.memory.ctypes.data
        return
    last = int(p.offsets[0])  # blocks lie backwards: this one is the last
    value = np.zeros(1)
    tv.impl.backend.synchronize()
    tv.impl.backend.device.allocator.get(address + 8 * last, value)  # type: ignore[attr-defined]
    assert value[0] == p.memory[last]


# ---- the check on a CPU -------------------------------------------------------------------------


@pytest.fixture
def checked(
    stencils_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, backend: str
) -> Iterator[TVProperties]:
    if backend != "cpu":
        pytest.skip("the check is the CPU's")
    folder, cache = stencils_built
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    monkeypatch.setenv("BRIDGE_CHECK_RESIDENCY", "1")
    frame = bridge.Frame()
    frame.set("backend", "cpu")
    frame.initialize(0, 64, 0, 5)
    yield frame.tvproperties
    frame.finalize()


@pytest.mark.parametrize("first", FIRST)
def test_missing_updates_are_found(
    checked: TVProperties, first: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    tv, p, a = checked, Arena(SIZES, 2, first=first), Arena(SIZES, 2, first=first, value=-7.0)
    blank = Arena(SIZES, dtype="int32", value=1)
    blank.at(0)[2, 2, 2] = 0
    blank.bind(tv, "iblank", "in")
    entered(tv, p, "st_p", "in", 2, 2)
    entered(tv, a, "st_a", "out", 1, 1)
    tv.run("blocks", "stRoot")
    assert np.isnan(a.all()[:, 0]).sum() == len(a.all()) - 1, "nothing is new at a masked point"
    assert (a.outside() == -7.0).all()
    tv.update_host("blocks", "st_a")
    counts = blank.all()[:, 0] != 0
    wanted = np.where(counts, np.sqrt(1.0 + p.all()[:, 1] ** 2), -7.0)
    np.testing.assert_allclose(a.all()[:, 0], wanted, rtol=1e-15)
    for block in (1, 8):
        p.at(block)[0, 0, 0, 1] += 1.0
    capsys.readouterr()
    tv.run("blocks", "stRoot")
    assert "'st_p'" in (said := capsys.readouterr().out) and "in block 2 and 1 others" in said
    tv.update_host("blocks", "st_a")
    assert np.isnan(a.all()[:, 0]).sum() == 2
    assert tv.impl.residency.newer() == []
    tv.run("blocks", "stRoot")
    assert len(tv.impl.residency.newer()) == 1


def test_layers_are_part_of_what_is_checked(
    checked: TVProperties, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fringe that the host fills is read by neighbours."""
    p, lap = Arena(SIZES, layers=SOME), Arena(SIZES, value=-7.0)
    entered(checked, p, "st_p", "in")
    lap.bind(checked, "st_lap", "out")
    p.at(3, -1, 0, 0)[0, 1, 1] = 5.0
    capsys.readouterr()
    checked.run("blocks", "stLaplacian")
    assert "in block 4" in capsys.readouterr().out and np.isnan(lap.all()).sum() == 1
    p.at(3, -1, 0, 0)[0, 1, 1] = 6.0
    checked.update_device("blocks", "st_p")
    checked.run("blocks", "stLaplacian")
    assert not np.isnan(lap.all()).any() and not capsys.readouterr().out
