"""`bridge bench timers`: what timers, ledger, trace and verification cost a run.

Frames that differ in these settings alone take turns at the same step on the same arrays: a run on
bound arrays, and the way through views in stripes, which makes most calls for a point.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

import numpy as np

from bridge.backends.host.library import available
from bridge.bench.request import Request
from bridge.frame import Frame
from bridge.measuring.report import Report, Row
from bridge.measuring.states import DEFAULT_NS, States, random_states
from bridge.measuring.timing import Times, time_in_turns
from bridge.memory.marshal import StripeTransfer
from bridge.progress import each
from bridge.settings import VERIFY_FRACTION
from bridge.timers import Timers
from bridge.timers.ledger import Ledger
from bridge.timers.spans import Spans, TracedTimers

COMPOSITE = "eosThermalAndViscousProperties"
OUTPUTS = ("rho", "h", "cp", "c", "eta", "lambda")
#: Points of a set, and of a stripe.
POINTS, STRIPE = 131072, 4096
#: Species.
NS = 4
NX, NY = 64, 32
#: What is on, by the settings that say so.
WAYS = {"off": (), "timers": ("timers",), "timers and trace": ("timers", "trace")}
#: Sampled points are looked at together, so many at a time: of one of these of all points.
LOOK, ONE_OF = 1024, round(1.0 / VERIFY_FRACTION)


class Arrays:
    """Those of the host, the same for all: where they lie makes a difference too."""

    def __init__(self, states: States) -> None:
        ns, nz = states.ns, states.n // (NX * NY)
        self.states = states
        columns = np.column_stack([states.P, *np.zeros((3, states.n)), states.T, states.Y])
        self.Q = np.asfortranarray(columns.reshape(NX, NY, nz, 5 + ns, order="F"))
        self.out = {name: np.zeros((NX, NY, nz), order="F") for name in OUTPUTS}


class Step:
    """A Frame with some of it on."""

    def __init__(self, arrays: Arrays, way: str, folder: Path, backend: str) -> None:
        states, ns = arrays.states, arrays.states.ns
        self.Q, self.out, self.points = arrays.Q, arrays.out, states.n
        self.frame = Frame()
        self.frame.set("species", " ".join(states.species.names))
        self.frame.set("backend", backend)
        self.frame.set("threads", 1)
        for key in WAYS.get(way, ()):
            self.frame.set(key, str(folder / f"{way}.{key}"))
        if way == "verified":
            self.frame.set("verify", "1")
            self.frame.set("verify_file", str(folder / way))
        self.frame.initialize(0, self.points, ns, 5 + ns)
        self.tv = self.frame.tvproperties
        self.tv.bind_array("cells", "Q", "in", self.Q)
        for name, array in self.out.items():
            self.tv.bind_array("cells", name, "out", array)
        self.stripes = Stripes(self, self.tv.stripe, self.tv.composite)

    def run(self) -> None:
        self.tv.run("cells", COMPOSITE)

    def uncounted(self) -> Stripes:
        """Stripes by calls of the same Frame that its ledger does not know of."""
        whole = type(self.tv)
        return Stripes(self, partial(whole.stripe, self.tv), partial(whole.composite, self.tv))


class Stripes:
    """The way through views, as calls of a Fortran program come here: transfers are made once.

    stripe, composite: those methods of TVProperties.
    """

    def __init__(
        self, step: Step, stripe: Callable[..., StripeTransfer], composite: Callable[..., None]
    ) -> None:
        def transfer(direction: str, name: str, array: np.ndarray) -> StripeTransfer:
            nx, ny, nz, *columns = array.shape
            bounds = (nx, ny, nz, 1, nx, 1, ny, 1, nz, 1, *(columns or [1]))
            return stripe(direction, name, array.ctypes.data, *bounds)

        self.points, self.composite = step.points, composite
        self.inward = transfer("in", "Q", step.Q)
        self.outward = [transfer("out", name, array) for name, array in step.out.items()]

    def __call__(self) -> None:
        for first in range(1, self.points + 1, STRIPE):
            last = min(first + STRIPE - 1, self.points)
            self.inward.run(first, last)
            self.composite(COMPOSITE, last - first + 1)
            for transfer in self.outward:
                transfer.run(first, last)


def measure(request: Request) -> Report:
    """Milliseconds of a step, and how many percent more than with nothing on; what one call of a
    timer costs."""
    backend, ns = request.backend or "cpu", NS if request.ns == DEFAULT_NS else request.ns[-1]
    plane = NX * NY
    points = plane * max(1, (request.points or POINTS) // plane)
    arrays = Arrays(random_states(ns, points))
    report = Report(f"What timers and a trace cost, {points} points, {ns} species")
    measured = _in_turns if backend == "cpu" else _one_by_one
    for what in each(("run", "stripes"), "steps with"):
        times = measured(arrays, what, backend, request.seconds)
        report.rows += _rows(what, times, {"backend": backend, "points": points, "ns": ns})
    if backend == "cpu":
        params: dict[str, object] = {"backend": backend, "points": points, "ns": ns}
        report.rows += _switched(arrays, request.seconds, params)
        report.rows += _verified(arrays, request.seconds, params)
    report.rows += [
        Row("one call of a timer, as it is always", {}, _each(Timers()), "ns"),
        Row("... that a trace notes", {}, _each(TracedTimers(Spans())), "ns"),
        Row("one call that a ledger counts, beside the call", {}, _each_call(), "ns"),
    ]
    return report


def _in_turns(arrays: Arrays, what: str, backend: str, seconds: float) -> Times:
    """All ways take turns, by the time of this thread, which is the only one."""
    with TemporaryDirectory() as folder:
        steps = {way: Step(arrays, way, Path(folder), backend) for way in WAYS}
        calls: dict[str, Callable[[], object]] = {
            way: getattr(step, what) for way, step in steps.items()
        }
        times = time_in_turns(calls, seconds=seconds, least=15, clock=time.thread_time)
        for step in steps.values():
            step.frame.finalize()
    return times


def _switched(arrays: Arrays, seconds: float, params: dict[str, object]) -> list[Row]:
    """Stripes of one Frame, in turns counted and not: on the same views, and with no other Frame
    beside, which would change what Python keeps for its calls."""
    with TemporaryDirectory() as folder:
        step = Step(arrays, "timers", Path(folder), "cpu")
        calls = {"counted": step.stripes, "not counted": step.uncounted()}
        times = time_in_turns(dict(calls), seconds=seconds, least=15, clock=time.thread_time)
        step.frame.finalize()
    ratio = times.ratio("counted", "not counted")
    cost = f"{100.0 * (1.0 / ratio - 1.0):+.2f} %"
    told = f"stripes of {STRIPE} points: counted by one Frame ({cost})"
    return [Row(told, params, 1e3 * times.median("counted"), "ms", "not counted", ratio)]


def _verified(arrays: Arrays, seconds: float, params: dict[str, object]) -> list[Row]:
    """So many runs at a time as there is one look at sampled points, where another instruction set
    is there to look with."""
    if len(available()) < 2:
        return []
    runs = -(-LOOK * ONE_OF // arrays.states.n)

    def several(step: Step) -> Callable[[], None]:
        def call() -> None:
            for _ in range(runs):
                step.run()

        return call

    with TemporaryDirectory() as folder:
        steps = {way: Step(arrays, way, Path(folder), "cpu") for way in ("off", "verified")}
        calls: dict[str, Callable[[], object]] = {w: several(s) for w, s in steps.items()}
        times = time_in_turns(calls, seconds=seconds, least=1, clock=time.thread_time)
        with contextlib.redirect_stdout(io.StringIO()):  # the table of what was verified
            for step in steps.values():
                step.frame.finalize()
    ratio = times.ratio("verified", "off")
    cost = f"{100.0 * (1.0 / ratio - 1.0):+.2f} %"
    told = f"a run on bound arrays: 1 point of {ONE_OF} verified ({cost})"
    each = 1e3 * times.median("verified") / runs
    return [Row(told, params, each, "ms", "nothing on", ratio)]


def _one_by_one(arrays: Arrays, what: str, backend: str, seconds: float) -> Times:
    """A Frame after the other, five times each: with three of them open at once the later
    ones took five times as long on an H200 as in a process of their own."""
    rounds = 5
    found = {way: np.empty(rounds) for way in WAYS}
    for turn in range(rounds):
        for way in WAYS:
            with TemporaryDirectory() as folder:
                step = Step(arrays, way, Path(folder), backend)
                alone: dict[str, Callable[[], object]] = {way: getattr(step, what)}
                times = time_in_turns(
                    alone, seconds=seconds / (rounds * len(WAYS)), clock=time.perf_counter
                )
                found[way][turn] = times.median(way)
                step.frame.finalize()
    return Times(found)


def _rows(what: str, times: Times, params: dict[str, object]) -> list[Row]:
    name = {"run": "a run on bound arrays", "stripes": f"stripes of {STRIPE} points"}[what]
    rows = [Row(f"{name}, nothing on", params, 1e3 * times.median("off"), "ms")]
    for way in list(WAYS)[1:]:
        ratio = times.ratio(way, "off")
        told = f"{name}: {way} ({100.0 * (1.0 / ratio - 1.0):+.2f} %)"
        rows.append(Row(told, params, 1e3 * times.median(way), "ms", "nothing on", ratio))
    return rows


def _each(timers: Timers, number: int = 100_000) -> float:
    """Nanoseconds of one entry into a timer."""
    timer = timers["one"]
    begin = perf_counter_ns()
    for _ in range(number):
        start = perf_counter_ns()
        timer.past(start, perf_counter_ns())
    return (perf_counter_ns() - begin) / number


def _each_call(number: int = 100_000) -> float:
    """Nanoseconds that an empty call takes longer for being counted."""

    def empty(first: int, last: int) -> None:
        pass

    counted, took = Ledger().counted("one", empty), []
    for call in (empty, counted):
        begin = perf_counter_ns()
        for _ in range(number):
            call(1, 2)
        took.append(perf_counter_ns() - begin)
    return (took[1] - took[0]) / number
