"""`bridge bench many`: many small blocks in one memory against one block of as many points.

What a code with an adaptive grid has: 1000 blocks of 8 x 8 x 8 points with fringes, bound by one
call for each array. Q holds p, u, v, w, T, Y; one arena has Q of all blocks, another a component
for each property. `regrid` is what comes before the first results on new blocks: five arrays
bound, and their first run. On a GPU both from arrays of the host and back, and on arrays that stay
on the device.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from bridge.backends import open_backend
from bridge.backends.cpu.backend import CpuBackend
from bridge.bench import gpus
from bridge.bench.blocks import COMPOSITE, FRINGE
from bridge.bench.programs import FULL
from bridge.bench.request import Request
from bridge.measuring.report import Report, Row
from bridge.measuring.states import States, random_states
from bridge.measuring.timing import Times, time_in_turns
from bridge.plan.catalogue import Catalogue
from bridge.progress import each
from bridge.request import Request as FrameRequest
from bridge.settings import Settings
from bridge.tvproperties import TVProperties

#: Points of a block along each axis, blocks, and states that are repeated in them.
EDGE, BLOCKS, STATES = 8, 1000, 4096
ORDERS = ("last", "first")
#: Runs on arrays of a device, between which it does not wait for the host.
TOGETHER = 20
#: Outputs of a regrid, beside Q: five arrays.
REGRID = "eosThermalProperties"
REGRID_OUTPUTS = ("rho", "h", "cp", "c")

Named = Sequence[tuple[str, int]]


class BlockSet:
    """Cubes of some points along an edge, with fringes, as a set of many blocks.

    name: of the set; order: of components, "last" or "first"; outputs: names and components.
    """

    def __init__(
        self, tv: TVProperties, name: str, states: States, edge: int, number: int, order: str,
        outputs: Named,
    ) -> None:  # fmt: skip
        self._name = name
        self.points = number * edge**3
        self._tv = tv
        full = edge + 2 * FRINGE
        cells, first = full**3, order == "first"
        columns = np.column_stack([states.P, *np.zeros((3, states.n)), states.T, states.Y])
        repeats = -(-self.points // states.n)
        given = np.tile(columns, (repeats, 1))[: self.points].reshape(number, edge, edge, edge, -1)
        inner = (slice(None), *(slice(FRINGE, -FRINGE),) * 3)
        widths = columns.shape[1], sum(width for _, width in outputs)
        self._arenas = []
        for width in widths:
            # a block is (z, y, x) of points with components behind them, or before them
            shape = (number, full, full, full, width) if first else (number, width, *[full] * 3)
            self._arenas.append(np.full(shape, -1.0))
        q = self._arenas[0] if first else np.moveaxis(self._arenas[0], 1, -1)
        q[inner] = given
        box = [full, full, full, *[FRINGE + 1, FRINGE + edge] * 3]
        signs = [-width if first else width for width in widths]
        self._bounds = [np.array([[*box, 1, 1, sign]] * number, dtype=np.int32) for sign in signs]
        self._offsets = [cells * width * np.arange(number) for width in widths]
        self._outputs = outputs

    def bind(self) -> None:
        """Every array, as after a regrid."""
        for name, intent, arena, first, last in self._places():
            bounds = self._bounds[arena]
            bounds[:, 9], bounds[:, 10] = first, last
            memory, offsets = self._arenas[arena], self._offsets[arena]
            self._tv.bind_blocks(self._name, name, intent, memory, bounds, offsets)

    def bind_one(self) -> None:
        """The same for one block, as an array of its own."""
        inner = self._bounds[0][0, 3:9].tolist()
        for name, intent, arena, first, last in self._places():
            array, component_first = self._arenas[arena][0].T, self._bounds[arena][0, 11] < 0
            self._tv.bind_array(
                self._name, name, intent, array, *inner, first, last,
                component_first=bool(component_first),
            )  # fmt: skip

    def enter(self) -> None:
        """What is bound stays on the device from here on."""
        for name, *_ in self._places():
            self._tv.enter_data(self._name, name, "copyin")

    def _places(self) -> list[tuple[str, str, int, int, int]]:
        """Name, intent, number of the arena, first and last component of each array."""
        places: list[tuple[str, str, int, int, int]] = [("Q", "in", 0, 1, self._width(0))]
        first = 1
        for name, width in self._outputs:
            places.append((name, "out", 1, first, first + width - 1))
            first += width
        return places

    def _width(self, arena: int) -> int:
        return abs(int(self._bounds[arena][0, 11]))

    def run(self, composite: str) -> Callable[[], object]:
        return lambda: self._tv.run(self._name, composite)

    def runs(self, composite: str, times: int) -> Callable[[], object]:
        """Several runs on arrays of the device, which is waited for at their end."""

        def runs() -> None:
            for _ in range(times):
                self._tv.run(self._name, composite)
            self._tv.impl.backend.synchronize()

        return runs

    def regrid(self) -> None:
        self.bind()
        self._tv.run(self._name, REGRID)


def measure(request: Request) -> Report:
    """Rows `many-blocks` and `one-block`, ns per point, and `regrid`, ms; on a GPU also
    `many-blocks-resident` and `one-block-resident`."""
    from tabulate import tabulate

    backend = request.backend or "cpu"
    number = max(1, (request.points or BLOCKS * EDGE**3) // EDGE**3)
    edge = max(1, round((number * EDGE**3) ** (1 / 3)))
    title = f"{number} blocks of {EDGE} x {EDGE} x {EDGE} points, one block of {edge} x {edge} x"
    report = Report(f"{title} {edge}; fringes of {FRINGE}, {backend}, one thread")
    if backend != "cpu":
        report.machine |= gpus.facts()
    lines = []
    for ns in each(request.ns, "NS ="):
        for order in each(ORDERS, "component"):
            times, points = _times(request, backend, ns, order, number, edge)
            params: dict[str, object] = {"ns": ns, "backend": backend, "threads": 1}
            params |= {"variant": order, "blocks": number}
            line: dict[str, object] = {"NS": ns, "components": order}
            for where in ("", "-resident"):
                many, one = f"many-blocks{where}", f"one-block{where}"
                if many not in times.rounds:
                    continue
                cost = {name: 1e9 * times.median(name) / points[name] for name in (many, one)}
                ratio = cost[one] / cost[many]
                report.rows += [
                    Row(many, params, cost[many], "ns/point", one, ratio),
                    Row(one, params, cost[one], "ns/point"),
                ]
                digits = 3 if where else 1 if backend == "cpu" else 2
                line |= {
                    f"many{where} ns": round(cost[many], digits),
                    f"one{where} ns": round(cost[one], digits),
                    f"many/one{where}": round(1 / ratio, 2),
                }
            report.rows.append(Row("regrid", params, 1e3 * times.median("regrid"), "ms"))
            lines.append(line | {"regrid ms": round(1e3 * times.median("regrid"), 1)})
    report.summary = tabulate(lines, "keys")
    return report


def _times(
    request: Request, backend: str, ns: int, order: str, number: int, edge: int
) -> tuple[Times, dict[str, float]]:
    """Of all candidates of one order of components, and the points of a call."""
    states = random_states(ns, STATES)
    outputs = [*((name, ns if name == "D_im" else 1) for name in FULL), ("status", 1)]
    regrids = [(name, 1) for name in REGRID_OUTPUTS]
    most, settings = max(number * EDGE**3, edge**3), Settings()
    settings.set("stability", "off")
    tv = TVProperties(
        FrameRequest.of(settings, most, ns, 5 + ns, states.species, Catalogue.shipped()),
        CpuBackend(1, request.isa) if backend == "cpu" else open_backend(backend),
    )

    def blocks(name: str, edge: int, number: int, outputs: Named = outputs) -> BlockSet:
        return BlockSet(tv, name, states, edge, number, order, outputs)

    many, one = blocks("many", EDGE, number), blocks("one", edge, 1)
    grid = blocks("grid", EDGE, number, regrids)
    many.bind()
    one.bind_one()
    grid.bind()
    candidates: dict[str, Callable[[], object]] = {
        "many-blocks": many.run(COMPOSITE), "one-block": one.run(COMPOSITE), "regrid": grid.regrid,
    }  # fmt: skip
    points: dict[str, float] = {"many-blocks": many.points, "one-block": one.points}
    if backend != "cpu":
        near, near_one = blocks("near", EDGE, number), blocks("near one", edge, 1)
        near.bind()
        near_one.bind_one()
        for name, each in (("many-blocks-resident", near), ("one-block-resident", near_one)):
            each.enter()
            candidates[name] = each.runs(COMPOSITE, TOGETHER)
            points[name] = TOGETHER * each.points
    clock = time.thread_time if backend == "cpu" else time.perf_counter
    times = time_in_turns(candidates, seconds=request.seconds, clock=clock)
    tv.close()
    return times, points
