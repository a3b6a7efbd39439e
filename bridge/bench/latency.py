"""`bridge bench latency`: what one call of a compiled host costs, by kind of call.

Runs the small C host that is installed beside libbridge.so, on the CPU and on a GPU where there is
one; the reference of a row is the limit this project holds itself to.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bridge.backends.cuda import why_unusable
from bridge.bridge_config import entry_file
from bridge.measuring.report import Report, Row
from bridge.plan.catalogue import Catalogue
from bridge.progress import waiting

#: name of the host's figure -> (what it is, limit in microseconds)
_LIMITS = {
    "refused_in_c": ("call refused in C", 0.3),
    "answered_in_c": ("call answered in C", 0.3),
    "empty_python_body": ("empty Python body", 0.6),
    "run_again": ("a run that comes again, 3 arrays of 125 points", 0.6),
    "begin_and_wait": ("... in two calls", 1.2),
    "reduce_again": ("the largest of 125 values, asked again", 1.5),
    "function_of_python": ("frame_python, a function that does nothing", 10.0),
    "stripe_in_8_points": ("stripe of 8 points in, array known", 1.0),
    "stripe_out_8_points": ("stripe of 8 points out, array known", 1.0),
    "stripe_q_in_8_points": ("stripe of 8 points of Q (6 components) in", 1.0),
    "named_launch": ("one named launch", 0.8),
    "loop_of_the_host": ("what that run does, as a loop of the host", None),
}
#: Of the threads of a host that each run a set of their own.
_THREADS = 4
_ON_GPU: dict[str, tuple[str, float | None]] = {
    "bare_launch": ("a bare cuLaunchKernel", None),
    "run_again": ("a run that comes again, 3 resident arrays", 5.0),
    "begin_and_wait": ("... in two calls", 5.0),
    "reduce_again": ("the largest of 125 resident values, asked again", None),
    "function_of_python": ("frame_python, a function that does nothing", 15.0),
    "run_with_constants": ("... with three new constants", 5.0),
    "stripe_in_8_points": ("stripe of 8 points in, array known", 8.0),
    "stripe_out_8_points": ("stripe of 8 points out, array known", None),
    "stripe_q_in_8_points": ("stripe of 8 points of Q (6 components) in", 8.0),
    "named_launch": ("one named launch", 8.0),
    "small_composite": ("eosRhohFromTPprop", 10.0),
    "composite": ("eosThermalAndViscousProperties", 10.0),
    "composite_graph": ("... its kernels as one graph", 60.0 / 50),
    "composite_stream": ("... its kernels one by one", None),
}


#: What a CPU has no row of.
ON_GPU_ALONE = {"bare_launch", "run_with_constants"}
#: A kernel with three constants, which a GPU compiles when it runs first.
_PACK = {
    "catalogue.toml": """\
[constant.latency_a]
unit = "1"
about = "of a line"
value = 0.0

[constant.latency_b]
unit = "1"
about = "of a line"
value = 0.0

[constant.latency_c]
unit = "1"
about = "of a line"
value = 0.0

[quantity.latency_x]
unit = "1"
about = "a number"

[quantity.latency_y]
unit = "1"
about = "another one"

[[kernel]]
name = "latencyLine"
header = "latencyLine.h"
inputs = ["latency_x", "latency_a", "latency_b", "latency_c"]
outputs = ["latency_y"]
about = "y = (a x + b) x + c"
""",
    "latencyLine.h": """\
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void latencyLine(const Shared&, const Real& x, const Real& a, const Real& b,
                           const Real& c, Real& y) {
    y = (a * x + b) * x + c;
}

}  // namespace BRIDGE_NAMESPACE
""",
}


def measure() -> Report:
    """Medians over repeats, microseconds per call."""
    report = Report("Cost of one call from a compiled host")
    figures = _host("5000", "21", "cpu")
    repeats = _repeats(figures)
    for name, (what, limit) in _LIMITS.items():
        value = figures[f"{name}_ns"] * 1e-3
        said, share = (None, None) if limit is None else (f"{limit} us", limit / value)
        report.rows.append(Row(what, {**repeats, "backend": "cpu"}, value, "us", said, share))
    report.rows.append(_threads(figures))
    report.rows.append(Row("start of Python", {"calls": 1}, figures["boot_ns"] * 1e-6, "ms"))
    if why_unusable() is None:
        _on_gpu(report)
    return report


def _threads(figures: dict[str, Any]) -> Row:
    """Runs of four threads, each on a set of its own, in the time of one run of one thread."""
    cores = min(_THREADS, len(os.sched_getaffinity(0)))
    value = figures["four_threads"]
    params = {**_repeats(figures), "backend": "cpu", "cores": cores}
    return Row("four threads on four sets", params, value, "x", f"{cores} cores", value / cores)


def _on_gpu(report: Report) -> None:
    """Until a call has returned, and until the device has carried it out too; a graph and a
    sequence have a limit per kernel."""
    with TemporaryDirectory() as folder:
        for name, text in _PACK.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        figures = _host("200", "101", "cuda", BRIDGE_PACKS=folder)
    composite = Catalogue.shipped().composite("eosThermalAndViscousProperties")
    plan = Catalogue.shipped().composite_plan(composite, 1)
    kernels = len(plan.kernels())
    for name, (what, limit) in _ON_GPU.items():
        each = limit * kernels if limit and name == "composite_graph" else limit
        for suffix, until in (("", "returned"), ("_done", "done")):
            value = figures[f"{name}{suffix}_ns"] * 1e-3
            params: dict[str, Any] = {**_repeats(figures), "backend": "cuda", "until": until}
            if name in ("composite_graph", "composite_stream"):
                params["kernels"] = kernels
            reference = None if each is None else f"{each:g} us"
            report.rows.append(
                Row(what, params, value, "us", reference, None if each is None else each / value)
            )


def _host(*arguments: str, **environment: str) -> dict[str, Any]:
    line = [str(entry_file("latency")), *arguments]
    with waiting(f"a compiled program times its calls, {arguments[-1]}"):
        host = subprocess.run(
            line, stdout=subprocess.PIPE, text=True, check=True,
            env={**os.environ, **environment},
        )  # fmt: skip
    figures = host.stdout[host.stdout.index("{") : host.stdout.rindex("}") + 1]
    return dict(json.loads(figures))


def _repeats(figures: dict[str, Any]) -> dict[str, Any]:
    return {"calls": figures["calls"], "repeats": figures["repeats"]}
