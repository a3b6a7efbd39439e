"""`bridge bench blocks`: from a 4-D fringe array to another, properties in between.

Ours: arrays bound once, then one run; the Fortran: the solver's loop over the same interior of
the same arrays. Q holds p, u, v, w, T, Y, the other array a component for each property, both
component last.
"""

from __future__ import annotations

import numpy as np

from bridge.backends.cpu.backend import CpuBackend
from bridge.bench.programs import FULL
from bridge.bench.request import Request
from bridge.errors import BridgeError
from bridge.measuring.fortran import BUILDS, BlockLoop, FortranPhysics, sources
from bridge.measuring.report import Report, Row
from bridge.measuring.states import States, random_states
from bridge.measuring.timing import time_in_turns
from bridge.plan.catalogue import Catalogue
from bridge.progress import each
from bridge.request import Request as FrameRequest
from bridge.settings import Settings
from bridge.tvproperties import TVProperties

FRINGE = 2
#: Points of the interior along x and y; z follows from the number of points.
NX, NY = 32, 16
POINTS = 8192
#: Points of a chunk of the run.
CHUNK = 4096
COMPOSITE = "eosThermalAndViscousProperties"


class BoundBlock:
    """Q and the property array of a block, bound to a TVProperties as a host would bind them."""

    def __init__(self, states: States, omega11: str, isa: str | None) -> None:
        ns = states.ns
        nz = states.n // (NX * NY)
        extent = (NX + 2 * FRINGE, NY + 2 * FRINGE, nz + 2 * FRINGE)
        inner = (slice(FRINGE, -FRINGE),) * 3
        self.Q = np.zeros((*extent, 5 + ns), order="F")
        columns = np.column_stack([states.P, *np.zeros((3, states.n)), states.T, states.Y])
        self.Q[inner] = columns.reshape(NX, NY, nz, 5 + ns)
        self.properties = np.full((*extent, len(FULL) + ns), -1.0, order="F")
        settings, backend, catalogue = Settings(), CpuBackend(1, isa), Catalogue.shipped()
        settings.set("omega11", omega11)
        settings.set("stability", "off")
        request = FrameRequest.of(settings, CHUNK, ns, 5 + ns, states.species, catalogue)
        self.tv = TVProperties(request, backend)
        self.isa = backend.library.isa
        bounds = [b for n in extent for b in (FRINGE + 1, n - FRINGE)]
        self.tv.bind_array("cells", "Q", "in", self.Q, *bounds, 1, 5 + ns)
        first = 1
        for name in (*FULL, "status"):
            last = first + (ns if name == "D_im" else 1) - 1
            self.tv.bind_array("cells", name, "out", self.properties, *bounds, first, last)
            first = last + 1

    def run(self) -> None:
        self.tv.run("cells", COMPOSITE)


def measure(request: Request) -> Report:
    """Rows `array-to-array`, ns per point, once for each Fortran reference."""
    from tabulate import tabulate

    folder = sources(request.fortran_stub)
    physics = {name: FortranPhysics(name, folder) for name in BUILDS}
    plane = NX * NY
    points = plane * max(1, (request.points or POINTS) // plane)
    report = Report(f"Array to array, fringes of {FRINGE}, {points} interior points, ns per point")
    lines = []
    for ns in each(request.ns, "NS ="):
        states = random_states(ns, points)
        ours = {v: BoundBlock(states, v, request.isa) for v in ("exact", "fitted")}
        candidates = {variant: block.run for variant, block in ours.items()}
        ours["exact"].run()
        for name, one in physics.items():
            one.use(states.species)
            loop = BlockLoop(
                one, ours["exact"].Q, np.full_like(ours["exact"].properties, -1.0), FRINGE
            )
            loop.run()
            _check(name, loop.properties, ours["exact"].properties)
            candidates[name] = loop.run
        times = time_in_turns(candidates, seconds=request.seconds)
        line: dict[str, object] = {"NS": ns}
        for name in candidates:
            value = 1e9 * times.median(name) / points
            line[f"{name} ns"] = round(value, 1)
            params = {"ns": ns, "backend": "cpu", "variant": name, "threads": 1, "points": points}
            if name in physics:
                params |= {"backend": name, "variant": ""}
                report.rows.append(Row("array-to-array", params, value, "ns/point"))
                continue
            params["isa"] = ours[name].isa
            for reference in physics:
                ratio = times.ratio(name, reference)
                line[f"{name}/{reference.removeprefix('fortran-')}"] = round(ratio, 1)
                report.rows.append(
                    Row("array-to-array", params, value, "ns/point", reference, ratio)
                )
        lines.append(line)
    report.summary = tabulate(lines, "keys")
    return report


def _check(name: str, theirs: np.ndarray, ours: np.ndarray) -> None:
    """The same numbers in the interior, and fringes that nobody wrote."""
    size = np.abs(ours).max(axis=(0, 1, 2))
    difference = float(np.nanmax(np.abs(theirs - ours) / size))
    if not difference < 1e-9 or not np.array_equal(theirs == -1.0, ours == -1.0):
        raise BridgeError(f"{name} and the bridge differ by {difference:.1e}: nothing is timed")
