"""`bridge bench many`: many small blocks in one memory against one block of as many points.

What a code with an adaptive grid has: 1000 blocks of 8 x 8 x 8 points with fringes, bound by one
call for each array. Q holds p, u, v, w, T, Y; one arena has Q of all blocks, another a component
for each property. `regrid` is what comes before the first results on new blocks: five arrays
bound, and their first run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from bridge.backends import open_backend
from bridge.backends.cpu.backend import CpuBackend
from bridge.bench.blocks import COMPOSITE, FRINGE
from bridge.bench.programs import FULL
from bridge.bench.report import Report, Row
from bridge.bench.request import Request
from bridge.bench.states import States, random_states
from bridge.bench.timing import time_in_turns
from bridge.physics.options import Options
from bridge.plan.catalogue import Catalogue
from bridge.timers import Timers
from bridge.tvproperties import TVProperties

#: Points of a block along each axis, blocks, and states that are repeated in them.
EDGE, BLOCKS, STATES = 8, 1000, 4096
ORDERS = ("last", "first")
#: Outputs of a regrid, beside Q: five arrays.
REGRID = "eosThermalProperties"
REGRID_OUTPUTS = ("rho", "h", "cp", "c")

Named = Sequence[tuple[str, int]]


class BlockSet:
    """Cubes of some points along an edge, with fringes, as a set of many blocks.

    order: of components, "last" or "first"; outputs: names and components.
    """

    def __init__(
        self, tv: TVProperties, states: States, edge: int, number: int, order: str, outputs: Named
    ) -> None:
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
        places: list[tuple[str, str, int, int, int]] = [("Q", "in", 0, 1, self._width(0))]
        first = 1
        for name, width in self._outputs:
            places.append((name, "out", 1, first, first + width - 1))
            first += width
        for name, intent, arena, first, last in places:
            bounds = self._bounds[arena]
            bounds[:, 9], bounds[:, 10] = first, last
            memory, offsets = self._arenas[arena], self._offsets[arena]
            self._tv.bind_blocks("blocks", name, intent, memory, bounds, offsets)

    def _width(self, arena: int) -> int:
        return abs(int(self._bounds[arena][0, 11]))

    def run(self, composite: str) -> Callable[[], object]:
        return lambda: self._tv.run("blocks", composite)

    def regrid(self) -> None:
        self.bind()
        self._tv.run("blocks", REGRID)


def measure(request: Request) -> Report:
    """Rows `many-blocks` and `one-block`, ns per point, and `regrid`, ms."""
    from tabulate import tabulate

    backend = request.backend or "cpu"
    clock = time.thread_time if backend == "cpu" else time.perf_counter
    number = max(1, (request.points or BLOCKS * EDGE**3) // EDGE**3)
    edge = max(1, round((number * EDGE**3) ** (1 / 3)))
    title = f"{number} blocks of {EDGE} x {EDGE} x {EDGE} points, one block of {edge} x {edge} x"
    report = Report(f"{title} {edge}; fringes of {FRINGE}, {backend}, one thread")
    lines = []
    for ns in request.ns:
        states = random_states(ns, STATES)
        outputs = [*((name, ns if name == "D_im" else 1) for name in FULL), ("status", 1)]
        regrids = [(name, 1) for name in REGRID_OUTPUTS]
        for order in ORDERS:

            def opened(points: int, states: States = states, ns: int = ns) -> TVProperties:
                cpu = backend == "cpu"
                return TVProperties(
                    CpuBackend(1, request.isa) if cpu else open_backend(backend),
                    Catalogue.shipped(), points, ns, 5 + ns, ("P", "u", "v", "w", "T", "Y"),
                    states.species, Options.parse({}), Timers(),
                )  # fmt: skip

            points = number * EDGE**3
            many = BlockSet(opened(points), states, EDGE, number, order, outputs)
            one = BlockSet(opened(edge**3), states, edge, 1, order, outputs)
            grid = BlockSet(opened(points), states, EDGE, number, order, regrids)
            for each in (many, one, grid):
                each.bind()
            candidates: dict[str, Callable[[], object]] = {
                "many-blocks": many.run(COMPOSITE),
                "one-block": one.run(COMPOSITE),
                "regrid": grid.regrid,
            }
            times = time_in_turns(candidates, seconds=request.seconds, clock=clock)
            params: dict[str, object] = {"ns": ns, "backend": backend, "threads": 1}
            cost = {
                name: 1e9 * times.median(name) / each.points
                for name, each in (("many-blocks", many), ("one-block", one))
            }
            ratio = cost["one-block"] / cost["many-blocks"]
            params |= {"variant": order, "blocks": number}
            report.rows += [
                Row("many-blocks", params, cost["many-blocks"], "ns/point", "one-block", ratio),
                Row("one-block", params, cost["one-block"], "ns/point"),
                Row("regrid", params, 1e3 * times.median("regrid"), "ms"),
            ]
            lines.append(
                {
                    "NS": ns,
                    "components": order,
                    "many ns": round(cost["many-blocks"], 1),
                    "one ns": round(cost["one-block"], 1),
                    "many/one": round(1 / ratio, 2),
                    "regrid ms": round(1e3 * times.median("regrid"), 1),
                }
            )
    report.summary = tabulate(lines, "keys")
    return report
