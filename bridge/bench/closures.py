"""`bridge bench closures`: kernels in Python beside the same written by hand in C++, and beside
NumPy. One thread, bound arrays; both packs are compiled first."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import bridge
from bridge.backends.host.library import choose
from bridge.bench import closurekernels
from bridge.bench.closurekernels import CLOSURES, RANGES, Closure
from bridge.bench.hosted import environment
from bridge.bench.request import Request
from bridge.errors import BridgeError
from bridge.measuring.report import Report, Row
from bridge.measuring.timing import time_in_turns
from bridge.plan import packbuild, packs
from bridge.progress import each
from bridge.pythonkernels import pack
from bridge.tvproperties import TVProperties

POINTS = 1_000_000


def measure(request: Request) -> Report:
    """Two rows for each closure, against C++ and against NumPy."""
    report = Report("Kernels in Python, ns per point")
    isa = choose(request.isa).isa
    with tempfile.TemporaryDirectory(prefix="bridge-closures-") as place:
        hand = Path(place) / "hand"
        closurekernels.write_by_hand(hand)
        own = pack.write(Path(closurekernels.__file__), Path(place) / "own").folder
        with environment(BRIDGE_PACKS=f"{hand}:{own}", BRIDGE_CACHE=place, BRIDGE_CPU_ISA=isa):
            for _ in packbuild.build([hand, own], isas=[isa]):
                pass
            frame = bridge.Frame()
            try:
                for key, value in {"backend": "cpu", "threads": "1"}.items():
                    frame.set(key, value)
                frame.initialize(0, 512, 0, 0)
                for closure in each(CLOSURES, "closures:"):
                    report.rows += _rows(closure, frame.tvproperties, request, isa)
            finally:
                frame.finalize()
                packs.forget()
    return report


def _rows(closure: Closure, tv: TVProperties, request: Request, isa: str) -> list[Row]:
    kernel, points = closure.kernel, request.points or POINTS
    inputs, results = [], []
    for prefix in ("", "h"):
        random = np.random.default_rng(3)
        for quantity in (*kernel.inputs, *kernel.outputs):
            shape = (points, 1, 1, *([4] if quantity in kernel.columns else []))
            low, high = RANGES.get(quantity, (-1.0, 1.0))
            array = np.asfortranarray(random.uniform(low, high, shape))
            intent = "out" if quantity in kernel.outputs else "in"
            tv.bind_array(f"{prefix}{kernel.name}", f"{prefix}{quantity}", intent, array)
            if intent == "out":
                results.append(array[:, 0, 0])
            elif not prefix:
                inputs.append(np.ascontiguousarray(array[:, 0, 0]))
    candidates: dict[str, Callable[[], object]] = {
        "Python": partial(tv.run, kernel.name, kernel.name),
        "C++ by hand": partial(tv.run, f"h{kernel.name}", f"h{kernel.name}"),
        "NumPy": partial(closure.numpy, *inputs),
    }
    times = time_in_turns(candidates, seconds=request.seconds)
    for result in results:
        if not np.allclose(result, closure.numpy(*inputs), rtol=1e-11, atol=1e-13):
            raise BridgeError(f"{kernel.name} and NumPy have other results")
    value = 1e9 * times.median("Python") / points
    params = {"points": points, "threads": 1, "backend": "cpu", "isa": isa}
    return [
        Row(kernel.name, params, value, "ns/point", other, times.ratio("Python", other))
        for other in candidates if other != "Python"
    ]  # fmt: skip
