"""Runs that go on while the host works: begin, wait, what is refused between them, and inputs
that the caller says have not changed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pytest
from kernels.measure import present
from unit.blocks import FRINGES, INTERIOR, POINTS, SHAPE, SPECIES, block

import bridge
from bridge.launchers import AllPoints, Launcher
from bridge.timers import Timer
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

COMPOSITE = "eosThermalProperties"


def bound(
    make: Callable[..., Any],
    chunk: int = 13,
    seed: int = 1,
    names: tuple[str, ...] = ("rho", "cp"),
) -> tuple[TVProperties, np.ndarray, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """A Frame with set 'cells' on Q; returns its properties, Q, the outputs, what they are to
    be."""
    Q, T, P, Y = block(seed)
    tv = make(chunk).tvproperties
    arrays = {name: np.full(SHAPE, -1.0, order="F") for name in names}
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    for name, array in arrays.items():
        tv.bind_array("cells", name, "out", array, **FRINGES)
    return tv, Q, arrays, expected(Q, names)


def expected(Q: np.ndarray, names: tuple[str, ...] = ("rho", "cp")) -> dict[str, np.ndarray]:
    columns = Q[INTERIOR].reshape(POINTS, -1, order="F")
    return bridge.evaluate(SPECIES, columns[:, 4], columns[:, 0], columns[:, 5:], names)


def check(arrays: dict[str, np.ndarray], want: dict[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        got = array[INTERIOR].ravel(order="F")
        np.testing.assert_allclose(got, want[name], rtol=1e-12, err_msg=name)
        assert np.count_nonzero(array != -1.0) == POINTS


def test_begin_and_wait_are_a_run(make_frame: Callable[..., bridge.Frame]) -> None:
    tv, Q, arrays, want = bound(make_frame)
    for _ in range(4):  # a GPU records the loop at the second and replays it from the third on
        for array in arrays.values():
            array[INTERIOR] = -2.0
        tv.run_begin("cells", COMPOSITE)
        outside = np.ones(SHAPE, bool)
        outside[INTERIOR] = False
        Q[outside] = 7.0  # fringes are the caller's
        assert tv.wait("cells") >= POINTS / 13
        check(arrays, want)


def test_two_sets_are_pending_and_views_are_free(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    tv, Q, arrays, want = bound(make_frame)
    other, *_ = block(9)
    more = {name: np.full(SHAPE, -1.0, order="F") for name in arrays}
    tv.bind_array("faces", "Q", "in", other, **FRINGES)
    for name, array in more.items():
        tv.bind_array("faces", name, "out", array, **FRINGES)
    for _ in range(3):
        for array in (*arrays.values(), *more.values()):
            array[INTERIOR] = -2.0
        tv.run_begin("cells", COMPOSITE)
        tv.run_begin("faces", COMPOSITE)
        tv.populate_input_stripe("Q", Q, **FRINGES, stripeStart=3, stripeEnd=9)
        tv.composite(COMPOSITE, 7)
        stripe = np.full(SHAPE, -1.0, order="F")
        tv.extract_output_stripe("rho", stripe, **FRINGES, stripeStart=3, stripeEnd=9)
        tv.wait("faces")
        tv.wait("cells")
        check(arrays, want)
        check(more, expected(other))
        got = stripe[INTERIOR].ravel(order="F")[2:9]
        np.testing.assert_allclose(got, want["rho"][2:9], rtol=1e-12)


def test_out_of_order_is_refused_by_name(make_frame: Callable[..., bridge.Frame]) -> None:
    tv, Q, arrays, want = bound(make_frame)
    with pytest.raises(bridge.StateError, match=r"frame_wait\('cells'\).*no run.*pending: none"):
        tv.wait("cells")
    tv.run_begin("cells", COMPOSITE)
    data = present(tv.species)
    calls: dict[str, Callable[[], Any]] = {
        f"a run of {COMPOSITE}": lambda: tv.run_begin("cells", COMPOSITE),
        "a run of eosRhohFromTPprop": lambda: tv.run("cells", "eosRhohFromTPprop"),
        "frame_bind of 'rho'": lambda: tv.bind_array("cells", "rho", "out", arrays["rho"]),
        "frame_unbind of 'Q'": lambda: tv.unbind("cells", "Q"),
        r"frame_unbind of '\*'": lambda: tv.unbind("cells", "*"),
        "frame_unchanged of 'Q'": lambda: tv.unchanged("cells", "Q"),
        "new species constants": lambda: tv.use_species(data),
    }
    for what, call in calls.items():
        words = rf"{what} came while {COMPOSITE} is pending on set 'cells'.*frame_wait"
        with pytest.raises(bridge.StateError, match=words):
            call()
    with pytest.raises(bridge.StateError, match=r"frame_wait\('faces'\).*pending: 'cells'"):
        tv.wait("faces")
    tv.bind_array("faces", "Q", "in", Q, **FRINGES)  # another set is free
    tv.wait("cells")
    check(arrays, want)
    with pytest.raises(bridge.StateError, match="no run of this set"):
        tv.wait("cells")
    tv.run("cells", COMPOSITE)


def test_a_begin_that_is_refused_leaves_no_pending_run(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    tv, _, arrays, want = bound(make_frame)
    with pytest.raises(bridge.StateError, match="chungCalcTransProp on set 'cells'"):
        tv.run_begin("cells", "chungCalcTransProp")  # none of its outputs is bound
    with pytest.raises(bridge.ArgumentError, match="set.*wells"):
        tv.run_begin("wells", COMPOSITE)
    tv.run("cells", COMPOSITE)
    check(arrays, want)


def test_finalize_waits(make_frame: Callable[..., bridge.Frame]) -> None:
    Q, *_ = block()
    frame = make_frame(13)
    rho = np.full(SHAPE, -1.0, order="F")
    frame.tvproperties.bind_array("cells", "Q", "in", Q, **FRINGES)
    frame.tvproperties.bind_array("cells", "rho", "out", rho, **FRINGES)
    frame.tvproperties.run_begin("cells", COMPOSITE)
    frame.finalize()
    check({"rho": rho}, expected(Q, ("rho",)))


class Departures:
    """Stands for the backend's side of all runs: what each was told is unchanged, and how many
    were waited for. fails: "begin" or "wait", which raises."""

    failed_at = ""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.unchanged: list[set[str]] = []
        self.waited = 0
        self.fails = ""
        own = Launcher.all_points

        def all_points(launcher: Launcher, chunk: int, wait: Timer) -> AllPoints | Departures:
            return self if launcher.plan.name == COMPOSITE else own(launcher, chunk, wait)

        monkeypatch.setattr(Launcher, "all_points", all_points)

    def begin(self, unchanged: Collection[str]) -> None:
        if self.fails == "begin":
            raise bridge.BridgeError("the run failed")
        self.unchanged.append(set(unchanged))

    def finish(self) -> int:
        if self.fails == "wait":
            raise bridge.BridgeError("the run failed")
        self.waited += 1
        return 1


def test_finalize_waits_for_each_set(
    make_frame: Callable[..., bridge.Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    tv, Q, arrays, _ = bound(make_frame)
    tv.bind_array("faces", "Q", "in", Q, **FRINGES)
    tv.bind_array("faces", "rho", "out", np.zeros(SHAPE, order="F"), **FRINGES)
    departures = Departures(monkeypatch)
    tv.run_begin("cells", COMPOSITE)
    tv.run_begin("faces", COMPOSITE)
    tv.close()
    assert departures.waited == 2


def test_unchanged_is_said_of_one_run_and_one_array(
    make_frame: Callable[..., bridge.Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    tv, Q, arrays, _ = bound(make_frame)
    departures = Departures(monkeypatch)
    tv.unchanged("cells", "Q")
    tv.run("cells", COMPOSITE)
    tv.run("cells", COMPOSITE)
    tv.unchanged("cells", "*")
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.run("cells", COMPOSITE)
    first, second, third = departures.unchanged
    assert {"P", "T", "Y"} <= first and not second and not third


def test_an_empty_block_flies(make_frame: Callable[..., bridge.Frame]) -> None:
    tv = make_frame().tvproperties
    empty = dict(FRINGES, EptY=FRINGES["SptY"] - 1)
    Q = np.zeros((*SHAPE, 8), order="F")
    tv.bind_array("none", "Q", "in", Q, **empty)
    tv.bind_array("none", "rho", "out", np.zeros(SHAPE, order="F"), **empty)
    tv.run_begin("none", COMPOSITE)
    assert tv.wait("none") == 0


@pytest.mark.parametrize("address", [0, 8, None])
@pytest.mark.parametrize("extent", [(0, 5, 4), (5, 0, 4), (5, 4, 0), (0, 0, 0)])
@pytest.mark.parametrize("first", [False, True])
def test_a_rank_that_owns_nothing_runs(
    make_frame: Callable[..., bridge.Frame],
    extent: tuple[int, int, int],
    first: bool,
    address: int | None,
) -> None:
    """Arrays with an extent of 0, at any address: bound, run, said to be unchanged and unbound
    as others are, and another set beside them is none the worse."""
    tv, _, arrays, want = bound(make_frame)
    some = np.zeros((1,))
    bounds = [part for n in extent for part in (1, n)]
    inside = [part for n in extent for part in ((3, n - 2) if n == 0 else (2, n))]

    def bind(name: str, intent: str, columns: int, positions: list[int]) -> None:
        place = some.ctypes.data if address is None else address
        width = -columns if first and columns > 1 else columns
        tv.bind("none", name, intent, place, [*extent, *positions, 1, columns, width])

    for positions in (bounds, inside):
        for name, columns in (("T", 1), ("P", 1), ("Y", 3)):
            bind(name, "in", columns, positions)
        bind("rho", "out", 1, positions)
        for _ in range(3):
            assert tv.run("none", COMPOSITE) == 0
        tv.run_begin("none", COMPOSITE)
        assert tv.run("cells", COMPOSITE) > 0
        assert tv.wait("none") == 0
        tv.unchanged("none", "*")
        assert tv.run("none", COMPOSITE) == 0
    check(arrays, want)
    with pytest.raises(bridge.StateError, match="chungCalcTransProp on set 'none'"):
        tv.run("none", "chungCalcTransProp")  # what is wrong with a run is said here too
    tv.unbind("none", "T")
    tv.unbind("none", "*")
    with pytest.raises(bridge.ArgumentError, match="argument nx: got -1, wanted 0 or more"):
        tv.bind("none", "T", "in", 0, [-1, 5, 4, 1, -1, 1, 5, 1, 4, 1, 1, 1])


def test_an_empty_block_beside_a_bound_array_lets_go_of_nothing(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    """Its address may lie in another array's page, which a GPU has locked and goes on using."""
    tv = make_frame().tvproperties
    memory = np.zeros(1024)
    rho = memory[-memory.ctypes.data % 4096 // 8 :][:8].reshape((8, 1, 1), order="F")
    T, P, Y = (np.ones((8, 1, 1), order="F") * value for value in (300.0, 1e7, 1.0))
    Y = np.asfortranarray(np.stack([0.2 * Y, 0.3 * Y, 0.5 * Y], axis=-1))
    for name, array in {"T": T, "P": P, "Y": Y}.items():
        tv.bind_array("cells", name, "in", array)
    tv.bind_array("cells", "rho", "out", rho)
    want = bridge.evaluate(SPECIES, 300.0, 1e7, [0.2, 0.3, 0.5], ("rho",))["rho"]
    for _ in range(3):
        rho[...] = -1.0
        tv.run("cells", COMPOSITE)
        np.testing.assert_allclose(rho.ravel(), want, rtol=1e-12)
        address, positions = rho.ctypes.data + 8, (1, 0, 1, 1, 1, 1, 1, 1)
        tv.bind("none", "rho", "out", address, [0, 1, 1, *positions, 1])
        tv.unbind("none", "*")


def test_numpy_arrays_with_an_extent_of_zero(make_frame: Callable[..., bridge.Frame]) -> None:
    tv = make_frame().tvproperties
    Q, rho = np.zeros((0, 5, 4, 8), order="F"), np.zeros((0, 5, 4), order="F")
    tv.populate_input_stripe("Q", Q)
    tv.composite(COMPOSITE, 0)
    tv.extract_output_stripe("rho", rho)
    tv.extract_output_stripe("rho", rho, SptX=3, EptX=-2)
    tv.bind_array("none", "Q", "in", Q)
    tv.bind_array("none", "rho", "out", rho, SptX=1, EptX=0)
    assert tv.run("none", COMPOSITE) == 0


# ---- inputs that have not changed --------------------------------------------------------------


@pytest.mark.parametrize("order", ["all", "none", "some", "late"])
def test_unchanged_inputs_give_the_same_results(
    make_frame: Callable[..., bridge.Frame], order: str
) -> None:
    """What was not said to be unchanged is read anew, whatever was said before."""
    tv, Q, arrays, want = bound(make_frame)
    said = {"all": range(6), "none": (), "some": (1, 2, 5), "late": (3, 4, 5)}[order]
    for step in range(6):
        if step in said:
            tv.unchanged("cells", "Q" if step % 2 else "*")
        elif step:
            Q[INTERIOR] = block(step + 3)[0][INTERIOR]
            want = expected(Q)
        for array in arrays.values():
            array[INTERIOR] = -2.0
        tv.run("cells", COMPOSITE)
        check(arrays, want)


def test_an_array_bound_anew_is_read_anew(make_frame: Callable[..., bridge.Frame]) -> None:
    tv, Q, arrays, _ = bound(make_frame)
    for _ in range(2):
        tv.unchanged("cells", "Q")
        tv.run("cells", COMPOSITE)
    tv.unchanged("cells", "Q")
    Q[INTERIOR] = block(5)[0][INTERIOR]
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.run("cells", COMPOSITE)
    check(arrays, expected(Q))


@pytest.mark.parametrize(
    ("name", "message"),
    [("rho", "'rho' bound 'out'.*'in' in set 'cells' .Q."), ("T", "'T'.*bound 'in' in set")],
)
def test_only_inputs_can_be_unchanged(
    make_frame: Callable[..., bridge.Frame], name: str, message: str
) -> None:
    tv, *_ = bound(make_frame)
    with pytest.raises(bridge.ArgumentError, match=message):
        tv.unchanged("cells", name)


def test_what_the_latest_run_did_not_read_is_read_anew(
    make_frame: Callable[..., bridge.Frame],
) -> None:
    """A run of another composite lies between: it met the new contents and kept nothing."""
    tv, Q, arrays, _ = bound(make_frame, names=("rho",))
    solve = "prEOSCalcTFromHP"
    h = np.full(SHAPE, -1.0e5, order="F")
    T = np.full(SHAPE, 300.0, order="F")
    tv.bind_array("cells", "h_target", "in", h, **FRINGES)
    tv.bind_array("cells", "T", "inout", T, **FRINGES)

    def solved() -> np.ndarray:
        T[...] = 300.0
        tv.run("cells", solve)
        return T[INTERIOR].copy()

    for _ in range(2):
        tv.unchanged("cells", "*")
        before = solved()
    h[...] = 4.0e5
    tv.run("cells", COMPOSITE)
    tv.unchanged("cells", "*")
    said = solved()
    np.testing.assert_array_equal(said, solved())
    assert np.all(said > before)


def test_each_set_has_a_latest_run_of_its_own(make_frame: Callable[..., bridge.Frame]) -> None:
    """Two sets on one array: what one of them met is not what the other did."""
    tv, Q, arrays, want = bound(make_frame)
    tv.bind_array("others", "Q", "in", Q, **FRINGES)
    tv.bind_array("others", "rho", "out", np.full(SHAPE, -1.0, order="F"), **FRINGES)
    for _ in range(2):
        tv.unchanged("cells", "Q")
        tv.run("cells", COMPOSITE)
    mine = Q.copy()
    Q[INTERIOR] = block(5)[0][INTERIOR]
    tv.run("others", COMPOSITE)
    Q[...] = mine
    tv.unchanged("cells", "Q")
    tv.run("cells", COMPOSITE)
    check(arrays, want)


@pytest.mark.parametrize("composite", ["chungCalcTransProp", "eosNothing"])
def test_a_refused_run_takes_what_was_said_with_it(
    make_frame: Callable[..., bridge.Frame], composite: str
) -> None:
    tv, Q, arrays, _ = bound(make_frame)
    for _ in range(2):
        tv.unchanged("cells", "Q")
        tv.run("cells", COMPOSITE)
    tv.unchanged("cells", "Q")
    with pytest.raises((bridge.ArgumentError, bridge.StateError)):
        tv.run("cells", composite)  # none of its outputs is bound, or it is unknown
    Q[INTERIOR] = block(5)[0][INTERIOR]
    tv.run("cells", COMPOSITE)
    check(arrays, expected(Q))


@pytest.mark.parametrize("when", ["begin", "wait"])
def test_nothing_is_taken_as_unchanged_after_a_run_that_failed(
    make_frame: Callable[..., bridge.Frame], when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what it met: the latest run that was asked for is no run."""
    tv, Q, *_ = bound(make_frame)
    departures = Departures(monkeypatch)
    tv.run("cells", COMPOSITE)
    departures.fails = when
    with pytest.raises(bridge.BridgeError, match="the run failed"):
        tv.run("cells", COMPOSITE)
    departures.fails, departures.unchanged = "", []
    for _ in range(2):
        tv.unchanged("cells", "Q")
        tv.run("cells", COMPOSITE)
    after, later = departures.unchanged
    assert not after and later
