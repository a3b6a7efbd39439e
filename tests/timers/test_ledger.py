"""The ledger: what a call copies, allocates and waits for is the same in every step."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from unit.blocks import FRINGES, SHAPE, SPECIES, block

import bridge
from bridge.prepared import Change
from bridge.timers.ledger import FIELDS, OUTSIDE, Account, Ledger

pytestmark = pytest.mark.usefixtures("backend")
COMPOSITE = "eosRhohFromTPprop"
N = 32  # points of a stripe

Counts = dict[str, dict[str, int]]


@pytest.fixture
def frame(backend: str) -> Iterator[bridge.Frame]:
    """With a ledger."""
    frame = bridge.Frame()
    for key, value in {
        "backend": backend,
        "threads": "1",
        "timers": "-",
        "stability": "off",
    }.items():
        frame.set(key, value)
    frame.set("species", " ".join(SPECIES))
    frame.initialize(0, 64, len(SPECIES), 5 + len(SPECIES), 0)
    yield frame
    if frame.initialized:
        frame.finalize()


class Steps:
    """A time step of a solver: a run on bound arrays, stripes through views, a reduction."""

    def __init__(self, frame: bridge.Frame) -> None:
        self.frame, self.tv = frame, frame.tvproperties
        self.Q = block()[0]
        self.rho = np.zeros(SHAPE, order="F")
        self.tv.bind_array("cells", "Q", "in", self.Q, **FRINGES)
        self.tv.bind_array("cells", "rho", "out", self.rho, **FRINGES)

    def step(self) -> None:
        self.tv.run("cells", COMPOSITE)
        self.tv.reduce("cells", "rho", "max")
        stripe = {**FRINGES, "stripeStart": 1, "stripeEnd": N}
        self.tv.populate_input_stripe("Q", self.Q, **stripe)
        self.tv.composite(COMPOSITE, N)
        self.tv.extract_output_stripe("rho", self.rho, **stripe)

    def counts(self) -> Counts:
        """Of one step."""
        before = self.frame.ledger()
        self.step()
        return difference(self.frame.ledger(), before)


def difference(after: Counts, before: Counts) -> Counts:
    nothing = dict.fromkeys(FIELDS, 0)
    return {
        call: {field: n - before.get(call, nothing)[field] for field, n in counts.items()}
        for call, counts in after.items()
    }


@pytest.fixture
def steps(frame: bridge.Frame) -> Steps:
    """After the first steps, in which programs and views are made."""
    made = Steps(frame)
    for _ in range(3):
        made.step()
    return made


def test_every_step_costs_the_same(steps: Steps, backend: str) -> None:
    first = steps.counts()
    for _ in range(5):
        assert steps.counts() == first
    for call in ("run", "reduce", "populate", "launch", "extract"):
        counts = first[call]
        assert counts["calls"] == 1, call
        assert counts["allocations"] == counts["allocated"] == counts["programs"] == 0, call
        assert counts["page_locks"] == 0, call
    width = steps.Q.shape[3]
    if backend == "cpu":
        assert (first["populate"]["copies"], first["populate"]["bytes"]) == (1, 8 * width * N)
        assert first["run"]["copies"] == 0  # in place
        assert sum(counts["synchronisations"] for counts in first.values()) == 0
    else:
        assert first["populate"]["bytes"] == 8 * width * N
        assert first["populate"]["synchronisations"] == 0
        assert first["launch"]["launches"] == 1
        assert first["run"]["launches"] > 0
    assert first["extract"]["bytes"] == 8 * N


def test_steps_keep_no_memory(steps: Steps) -> None:
    """What the ledger does not see, because NumPy or Python takes it: nothing of it stays."""
    device = getattr(steps.tv.impl.backend, "device", None)
    notes = getattr(getattr(device, "api", None), "calls", [])  # of the stand-in
    recorder: Any = steps.frame._observers.recorder
    tracemalloc.start()
    try:
        for _ in range(200):  # events of a device are kept, and read later
            steps.step()
        notes.clear()
        recorder.settle()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(400):
            steps.step()
        notes.clear()
        recorder.settle()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 400 * 40  # caches grow a little
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("broken", ["allocations", "programs", "copies", "synchronisations"])
def test_what_a_run_does_beside_shows(
    steps: Steps, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """A run path that allocates, makes its program anew, copies or waits is found."""
    backend: Any = steps.tv.impl.backend
    sets = steps.tv._bound
    column = np.zeros((N, 1, 1), order="F")
    place = column.ctypes.data, N, 1, 1, 1, N, 1, 1, 1, 1, 1, 1
    transfer = steps.tv.stripe("in", "T", *place)  # made before: only what follows counts
    harm: dict[str, Callable[[], object]] = {
        "allocations": lambda: backend.allocate(1, 8, "float64"),
        "programs": lambda: sets._sets["cells"].prepared.changed(Change.BIND),
        "copies": lambda: transfer.run(1, N),
        "synchronisations": backend.synchronize,
    }
    first = steps.counts()
    runs = sets.runs
    run = runs.run

    def worse(*arguments: Any, **named: Any) -> int:
        harm[broken]()
        return run(*arguments, **named)

    monkeypatch.setattr(runs, "run", worse)
    assert steps.counts()["run"][broken] > first["run"][broken]


def test_stripes_as_a_fortran_program_moves_them(frame: bridge.Frame, backend: str) -> None:
    """Through transfers that were made once, while other threads are in calls and while not."""
    tv, column = frame.tvproperties, np.ones((N, 1, 1), order="F")
    place = column.ctypes.data, N, 1, 1, 1, N, 1, 1, 1, 1, 1, 1
    inward, outward = tv.stripe("in", "T", *place), tv.stripe("out", "T", *place)
    ledger: Any = frame._observers.recorder.ledger  # type: ignore[union-attr]
    before = frame.ledger()
    inward.run(1, N)
    inward.run(1, 5)
    outward.run(1, 3)
    ledger._active[-1] = Account()  # of a thread that is none
    inward.run(2, 8)
    elsewhere = ledger._active.pop(-1)
    found = difference(frame.ledger(), before)
    assert (found["populate"]["calls"], found["populate"]["bytes"]) == (3, 8 * (N + 5 + 7))
    assert (found["extract"]["calls"], found["extract"]["bytes"]) == (1, 8 * 3)
    assert (elsewhere.calls, elsewhere.copies, elsewhere.bytes) == (0, 0, 0)
    if backend == "cpu":
        assert (found["populate"]["copies"], found["extract"]["copies"]) == (3, 1)


def test_calls_are_told_apart(frame: bridge.Frame) -> None:
    steps = Steps(frame)
    assert frame.ledger()["bind"]["calls"] == 2
    steps.step()
    steps.tv.unbind("cells", "*")
    ledger = frame.ledger()
    assert {"bind", "run", "reduce", "populate", "launch", "extract", "unbind"} <= ledger.keys()
    assert ledger["run"]["programs"] + ledger["run"]["launches"] > 0
    assert "outside calls" not in ledger or not ledger["outside calls"]["calls"]


def test_no_setting_no_ledger(backend: str) -> None:
    frame = bridge.Frame()
    frame.set("backend", backend)
    frame.initialize(0, 64, 0, 0, 0)
    assert "run" not in vars(frame.tvproperties)  # nothing is in the way of a call
    with pytest.raises(bridge.StateError, match="set 'timers' or 'trace' before initialize"):
        frame.ledger()
    frame.finalize()


# ---- without a Frame ------------------------------------------------------------------------


def test_what_a_backend_counts_is_that_of_the_call() -> None:
    """The same in every step, whichever backend counts; within another call it is that one's."""
    ledger = Ledger()
    ledger.scratch = scratch = [0]

    def moved(size: int) -> int:
        ledger.copied(size)
        ledger.copied(1)
        ledger.allocated(size)
        ledger.count("launches", 3)
        scratch[0] += 1
        return size

    def within(size: int) -> int:
        return int(move(size)) + int(move(size))

    move, around = ledger.counted("move", moved), ledger.counted("around", within)
    ledger.copied(7)
    for step in range(1, 6):
        assert (move(8), around(8)) == (8, 16)
        counts = {"calls": 1, "copies": 2, "bytes": 9, "allocations": 2, "allocated": 8}
        wanted = dict.fromkeys(FIELDS, 0) | counts | {"launches": 3}
        twice = {field: 2 * n for field, n in wanted.items()} | {"calls": 1}
        assert ledger.entries() == {
            "move": {field: step * n for field, n in wanted.items()},
            "around": {field: step * n for field, n in twice.items()},
            OUTSIDE: dict.fromkeys(FIELDS, 0) | {"copies": 1, "bytes": 7},
        }


@pytest.mark.parametrize("way", ["counted", "launched"])
def test_a_call_that_fails_is_over(way: str) -> None:
    """What comes after it is not its own."""
    ledger = Ledger()

    def wrong(name: str, n: int) -> None:
        ledger.copied(n)
        raise ValueError(name)

    body = getattr(ledger, way)("wrong", wrong)
    for _ in range(2):
        with pytest.raises(ValueError, match="name"):
            body("name", 8)
        ledger.copied(1)
    found = ledger.entries()
    assert (found["wrong"]["calls"], found["wrong"]["bytes"]) == (2, 16)
    assert (found[OUTSIDE]["calls"], found[OUTSIDE]["bytes"]) == (0, 2)
