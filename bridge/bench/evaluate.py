"""`bridge bench evaluate`: what `bridge.evaluate` costs beside the kernels.

One point, against the limit this project holds itself to; many points, against the program of the
same kernels on arrays that are there already. One thread.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import bridge
from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.bench.request import Request
from bridge.measuring.report import Report, Row
from bridge.measuring.timing import time_in_turns
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.progress import each

SPECIES, Y = "O2 CH4", (0.7, 0.3)
#: Microseconds of a call for one point.
LIMIT = 50.0
POINTS = 1_000_000
OUTPUTS = {
    "density": ("rho",),
    "thermal": ("rho", "h", "cp", "c"),
    "thermal and transport": ("rho", "h", "cp", "c", "eta", "lambda", "D_im"),
}


def measure(request: Request) -> Report:
    """Microseconds of a call, nanoseconds of a point."""
    report = Report(f"bridge.evaluate, {SPECIES}, CPU, one thread")
    mixture = bridge.Mixture(SPECIES, backend="cpu", threads=1)
    composition = np.array(Y)
    evaluate = partial(bridge.evaluate, SPECIES, 300.0, 1e7, Y, backend="cpu", threads=1)
    calls = {f"evaluate, {name}": partial(evaluate, wanted) for name, wanted in OUTPUTS.items()}
    calls["Mixture.evaluate, density"] = partial(mixture.evaluate, 300.0, 1e7, composition, "rho")
    times = time_in_turns(calls, seconds=request.seconds)
    for name in calls:
        value = 1e6 * times.median(name)
        report.rows.append(
            Row(f"one point: {name}", {"points": 1}, value, "us", f"{LIMIT:g} us", LIMIT / value)
        )
    points = POINTS if request.points is None else request.points
    for name in each(OUTPUTS, "many points:"):
        wanted = OUTPUTS[name]
        report.rows += _many(name, wanted, points, request.seconds)
    return report


def _many(name: str, wanted: tuple[str, ...], points: int, seconds: float) -> list[Row]:
    side = max(1, round(points**0.5))
    T, P = np.linspace(150.0, 600.0, points), np.full(points, 1e7)
    composition = np.tile(Y, (points, 1))
    evaluate = partial(bridge.evaluate, SPECIES, outputs=wanted, backend="cpu", threads=1)
    calls = {
        "kernels alone": _program(wanted, {"T": T, "P": P, "Y": composition}),
        "evaluate, arrays": partial(evaluate, T, P, composition),
        "evaluate, one composition": partial(evaluate, T, 1e7, Y),
    }
    times = time_in_turns(calls, seconds=seconds)
    rows = []
    for what in calls:
        value = 1e9 * times.median(what) / points
        compared = None if what == "kernels alone" else times.ratio(what, "kernels alone")
        reference = None if compared is None else "kernels alone"
        params = {"points": points, "outputs": name}
        rows.append(Row(f"many points: {what}", params, value, "ns/point", reference, compared))
    grid = partial(evaluate, np.linspace(150.0, 600.0, side)[:, None], np.full((1, side), 1e7), Y)
    value = 1e9 * time_in_turns({"grid": grid}, seconds=seconds).median("grid") / side**2
    params = {"points": side**2, "outputs": name}
    rows.append(Row("many points: evaluate, a grid", params, value, "ns/point"))
    return rows


def _program(wanted: tuple[str, ...], given: dict[str, np.ndarray]) -> Any:
    """The same kernels, on arrays that are there."""
    data = SpeciesData.resolve(SPECIES)
    backend = CpuBackend(1)
    backend.set_shared(SharedData(data))
    catalogue, ns, points = Catalogue.shipped(), len(data.names), len(given["T"])
    plan = catalogue.plan([*wanted, "status"], list(given), ns, name="evaluate")
    arrays = dict(given)
    for name in plan.outputs:
        columns = catalogue.columns(name, ns)
        arrays[name] = np.zeros((points, columns), catalogue.quantity(name).dtype)
    bindings = {}
    for name, array in arrays.items():
        columns = array.size // points
        box = Box((points, 1, 1), (columns, 0, 0), 1)
        dtype = array.dtype.name
        bindings[name] = Binding(array.ctypes.data, box, columns, dtype=dtype, owner=array)
    return partial(backend.program(plan, bindings).run, 0, points)
