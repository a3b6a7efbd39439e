"""Times of a device by events, on a stand-in whose events have times: read late, without a wait;
graphs have events of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import numpy as np
import pytest
from bridge.compiled.order import ffi
from standin import NoError, StandIn

import bridge
import bridge.frame
from bridge.backends import Backend
from bridge.backends.cuda import CudaBackend, cache
from bridge.backends.gpu import deviceclock
from bridge.backends.gpu.watched import stage_of
from bridge.backends.orderlibrary import library

NX, NY, NZ, NS = 20, 8, 6, 2


class Clocked(StandIn):
    """Events are passed when they are recorded; `late` holds them back."""

    def __init__(self) -> None:
        super().__init__()
        self.times: dict[int, int] = {}
        self.made = 0
        self.late = False
        self.skew = self.tick = 0  # nanoseconds that a record takes beside its own
        self.waits = 0
        self.asked_in_capture = False
        self.external: set[int] = set()

    def event(self, timing: bool = False) -> int:
        self.made += 1
        return self.made

    def record(self, *arguments: int) -> None:
        event, _ = arguments
        if self.capturing is None:
            self.skew += self.tick
            self.times[event] = perf_counter_ns() + self.skew

    def record_in_graph(self, *arguments: int) -> None:
        event, _ = arguments
        assert self.capturing is not None, "an event of a graph outside a capture"
        self.external.add(event)
        self._do("event", lambda: self.times.update({event: perf_counter_ns()}))

    def event_done(self, event: int) -> bool:
        self.asked_in_capture |= self.capturing is not None
        return not self.late

    def elapsed(self, begin: int, end: int) -> float:
        if self.late:
            raise NoError("cudaErrorNotReady")
        return 1e-6 * (self.times[end] - self.times[begin])

    def event_synchronize(self, *_: int) -> None:
        self.waits += 1

    def stream_synchronize(self, stream: int) -> None:
        self.waits += 1
        super().stream_synchronize(stream)

    def synchronize(self, *_: int) -> None:
        self.waits += 1


Made = Callable[..., tuple[bridge.Frame, Clocked]]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Made:
    """A Frame on the stand-in, with an array bound for runs in chunks."""

    def made(**settings: str) -> tuple[bridge.Frame, Clocked]:
        api = Clocked()
        monkeypatch.setattr(cache, "compiled", api.compile)
        # The base of the device's clock is the very time of its event, however busy the machine.
        monkeypatch.setattr(deviceclock, "perf_counter_ns", lambda: max(api.times.values()))

        def opened(name: str, recorder: Any = None, **_: Any) -> Backend:
            return CudaBackend(api=api, recorder=recorder)

        monkeypatch.setattr(bridge.frame, "open_backend", opened)
        frame = bridge.Frame()
        frame.set("species", "O2 CH4")
        for key, value in settings.items():
            frame.set(key, value)
        frame.initialize(0, 400, NS, 5 + NS, 0)
        return frame, api

    return made


@pytest.fixture
def arrays() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    Q = np.zeros((NX, NY, NZ, 5 + NS), order="F")
    Q[..., 0], Q[..., 4], Q[..., 5:] = 5e6, 300.0, 0.5
    yield Q, np.zeros((NX, NY, NZ), order="F")


def runs(frame: bridge.Frame, arrays: tuple[np.ndarray, np.ndarray], number: int) -> None:
    tv = frame.tvproperties
    tv.bind_array("cells", "Q", "in", arrays[0])
    tv.bind_array("cells", "rho", "out", arrays[1])
    for _ in range(number):
        tv.run("cells", "eosRhohFromTPprop")


def test_stages_of_a_run(
    make: Made, arrays: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    """Copies, launches and waits, also where the loop is replayed as a graph; as many waits as
    without."""
    timers, trace = tmp_path / "timers.json", tmp_path / "trace.json"
    frame, api = make(timers=str(timers), trace=str(trace))
    begin = perf_counter_ns()
    runs(frame, arrays, 4)
    before = frame.ledger()["run"]
    frame.tvproperties.run("cells", "eosRhohFromTPprop")
    fifth = {field: n - before[field] for field, n in frame.ledger()["run"].items()}
    waits, graphs = api.waits, api.calls.count("graph")
    assert graphs >= 3 and api.external and not api.asked_in_capture
    frame.finalize()
    end = perf_counter_ns()

    plain, other = make()
    runs(plain, arrays, 5)
    assert waits == other.waits + 1  # the one at start-up
    assert not other.external
    plain.finalize()

    found = json.loads(timers.read_text())["ranks"][0]
    device = found["device"]
    chunks = found["host"]["run eosRhohFromTPprop"]["chunks"]
    assert chunks > 5
    assert device["eosRhohFromTPprop"]["calls"] == chunks
    assert device["copy out"]["calls"] == chunks
    assert device["copy in"]["calls"] >= chunks
    assert device["graph"]["calls"] == graphs
    assert all(0.0 < one["total"] < 1e-9 * (end - begin) for one in device.values())
    for stage in ("initialize", "compile", "load kernels", "page-lock", "wait eosRhohFromTPprop"):
        assert found["host"][stage]["calls"] > 0, stage
    assert found["ledger"]["run"]["launches"] == 5 * fifth["launches"] == chunks
    assert fifth["bytes"] == arrays[1].nbytes * (2 + NS + 1)  # P, T and Y in, rho out
    assert fifth["copies"] == (device["copy in"]["calls"] + device["copy out"]["calls"]) / 5
    assert fifth["allocations"] == fifth["programs"] == 0
    assert found["ledger"]["bind"]["page_locks"] >= 2

    events = json.loads(trace.read_text())["traceEvents"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    streams = {number for number, name in tracks.items() if name.startswith("stream ")}
    assert len(streams) >= 3
    spans = [e for e in events if e["ph"] == "X"]
    launches = [e for e in spans if e["tid"] in streams and e["name"] == "eosRhohFromTPprop"]
    assert len(launches) == chunks
    assert {e["cat"] for e in launches} == {"device"}
    calls = [e for e in spans if e["name"] == "call run"]
    first, last = calls[0]["ts"], calls[-1]["ts"] + calls[-1]["dur"]
    assert all(first - 1.0 <= e["ts"] and e["ts"] + e["dur"] <= last + 1.0 for e in launches)


def test_what_the_device_has_not_passed_is_not_asked_for(
    make: Made, arrays: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No event is read before the device has passed it, however many wait; then all are."""
    monkeypatch.setattr(deviceclock, "PENDING", 4)
    frame, api = make(timers="-")
    recorder: Any = frame._observers.recorder
    api.late = True
    runs(frame, arrays, 2)
    assert "eosRhohFromTPprop" not in recorder.device.snapshot()
    api.late = False
    recorder.settle()
    assert recorder.device.snapshot()["eosRhohFromTPprop"][0] > 0
    made = api.made
    for _ in range(50):
        frame.tvproperties.run("cells", "eosRhohFromTPprop")
    assert api.made < made + 200  # events are used again
    frame.finalize()


def test_one_of_many_operations_is_timed_for_all(
    make: Made, arrays: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Without a trace; calls and the ledger stay exact, and a trace times all."""
    monkeypatch.setattr(deviceclock, "ALWAYS", 4)
    monkeypatch.setattr(deviceclock, "ONE_OF", 3)
    recorded: list[int] = []

    def record(api: Clocked, *arguments: int) -> None:
        recorded.append(arguments[0])
        Clocked.record(api, *arguments)

    traced = {"trace": str(tmp_path / "trace.json")}
    for settings, events in (({}, 2 * (4 + 5)), (traced, 2 * 20)):
        frame, api = make(timers=str(tmp_path / "timers.json"), **settings)
        recorder: Any = frame._observers.recorder
        recorded.clear()
        before = frame.ledger().get("populate", {"bytes": 0})["bytes"]
        transfer = frame.tvproperties.stripe(
            "in", "T", arrays[1].ctypes.data, NX, NY, NZ, 1, NX, 1, NY, 1, NZ, 1, 1
        )
        api.tick = 10**9  # a second, beside which the time of a busy machine is little
        monkeypatch.setattr(api, "record", partial(record, api))
        for _ in range(20):
            transfer.run(1, 100)
        recorder.settle()
        # Of the last 16 those with the numbers 6, 9, 12, 15 and 18.
        assert len(recorded) == events
        calls, total, shortest, longest = recorder.device.snapshot()["copy in"][:4]
        assert calls == 20
        assert 1e9 <= shortest <= longest < 2e9 and 20 * shortest <= total <= 20 * longest
        account = frame.ledger()["populate"]
        assert account["copies"] == account["calls"] == 20
        assert account["bytes"] - before == 20 * 100 * 8
        recorder.settle()  # once more: nothing is told twice
        assert recorder.device.snapshot()["copy in"][0] == 20
        transfer.run(1, 100)
        recorder.settle()
        assert recorder.device.snapshot()["copy in"][0] == 21
        frame.finalize()


def test_launches_that_c_asks_for_are_timed_like_those_of_python(
    make: Made, arrays: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    """C counts them, and asks Python for those alone that are timed."""
    monkeypatch.setattr(deviceclock, "ALWAYS", 4)
    monkeypatch.setattr(deviceclock, "ONE_OF", 3)
    frame, api = make(timers="-", stability="off")
    tv, recorder = frame.tvproperties, frame._observers.recorder
    assert recorder is not None
    for name, intent, array in (("Q", "in", arrays[0]), ("rho", "out", arrays[1])):
        tv.bind_array("cells", name, intent, array)
        tv.enter_data("cells", name, "copyin")
    tv.run("cells", "eosRhohFromTPprop")
    run = tv.plain_run("cells", "eosRhohFromTPprop", None, None)
    assert run is not None
    call, before, recorded = run.calls()[0][0], frame.ledger(), list[int]()

    def record(event: int, stream: int) -> None:
        recorded.append(event)
        Clocked.record(api, event, stream)

    monkeypatch.setattr(api, "record", record)
    again = ffi.cast("int (*)(void*, int)", call.function)
    begun = library().bridge_order_counts()[0]
    for _ in range(19):
        assert again(ffi.cast("void*", call.argument), call.threads) == 0
    assert len(recorded) == 2 * 8  # the numbers 2, 3, 4, 6, 9, 12, 15 and 18
    assert library().bridge_order_counts()[0] == begun + 19
    assert frame.ledger() == before, "whoever asks adds them to his call"
    recorder.settle()
    assert recorder.device.snapshot()["eosRhohFromTPprop"][0] == 20
    tv.run("cells", "eosRhohFromTPprop")
    recorder.settle()
    assert recorder.device.snapshot()["eosRhohFromTPprop"][0] == 21
    assert frame.ledger()["run"]["launches"] == before["run"]["launches"] + 1
    frame.finalize()


def test_times_far_from_the_start_stay_exact(
    make: Made, arrays: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    """The base of the device's clock moves on: differences that are read stay short."""
    frame, api = make(trace=str(tmp_path / "trace.json"))
    recorder: Any = frame._observers.recorder
    longest: list[float] = []

    def elapsed(begin: int, end: int) -> float:
        longest.append(Clocked.elapsed(api, begin, end))
        return longest[-1]

    monkeypatch.setattr(api, "elapsed", elapsed)
    api.tick, copies = 10**9, 20  # a second
    transfer = frame.tvproperties.stripe(
        "in", "T", arrays[1].ctypes.data, NX, NY, NZ, 1, NX, 1, NY, 1, NZ, 1, 1
    )
    for _ in range(copies):
        transfer.run(1, 100)
        recorder.settle()
    assert max(longest) < 4 * deviceclock.FAR
    part = recorder.spans.part()
    name = part["names"].index("copy in")
    flat = part["spans"]
    begins = [flat[at + 2] for at in range(0, len(flat), 4) if flat[at] == name]
    assert len(begins) == copies
    steps = np.diff(begins) / api.tick
    assert (steps > 1.9).all() and (steps < 2.5).all()  # two events a copy
    frame.finalize()


def test_stages_by_the_names_of_functions() -> None:
    assert stage_of("gather_float64_float64") == "unpack"
    assert stage_of("scatter_float64_int32") == "repack"
    assert stage_of("move_boxes_8") == "pack or unpack boxes"
    assert stage_of("bridge_eosThermalProperties") == "eosThermalProperties"
    assert stage_of("box_diffuse") == "diffuse"
    assert stage_of("reduce_float64") == "reduce_float64"


def test_ranges_carry_the_names_of_kernels(
    make: Made, arrays: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where asked for, or where a profiler has started the program; nowhere else."""
    import bridge.timers.recorder

    opened: list[str] = []
    names: list[str] = []

    class Noted:
        def push(self, name: str) -> None:
            opened.append(name)
            names.append(name)

        def pop(self) -> None:
            opened.pop()

    monkeypatch.setattr(bridge.timers.recorder, "Ranges", Noted)
    monkeypatch.setenv("NSYS_PROFILING_SESSION_ID", "1")
    for nvtx, wanted in (("true", True), ("auto", True), ("false", False)):
        names.clear()
        frame, api = make(nvtx=nvtx)
        made = api.made
        runs(frame, arrays, 1)
        assert ("eosRhohFromTPprop" in names) is ("frame run" in names) is wanted, nvtx
        assert not opened and api.made <= made + 3, "no events where nothing is timed"
        frame.finalize()
    monkeypatch.delenv("NSYS_PROFILING_SESSION_ID")
    frame, _ = make()
    assert frame._observers.recorder is None
    frame.finalize()
