"""`bridge bench latency`: what one call of a compiled host costs, by kind of call.

Runs the small C host that is installed beside libbridge.so; the reference of a row is the limit
this project holds itself to.
"""

from __future__ import annotations

import json
import subprocess

from bridge.bench.report import Report, Row
from bridge.bridge_config import entry_file

#: name of the host's figure -> (what it is, limit in microseconds)
_LIMITS = {
    "refused_in_c_ns": ("call refused in C", 0.3),
    "answered_in_c_ns": ("call answered in C", 0.3),
    "empty_python_body_ns": ("empty Python body", 0.6),
    "stripe_in_8_points_ns": ("stripe of 8 points in, array known", 3.0),
    "stripe_out_8_points_ns": ("stripe of 8 points out, array known", 3.0),
    "stripe_q_in_8_points_ns": ("stripe of 8 points of Q (6 components) in", 3.0),
}


def measure() -> Report:
    """Medians over repeats, microseconds per call."""
    host = subprocess.run(
        [str(entry_file("latency"))], stdout=subprocess.PIPE, text=True, check=True
    )
    figures = json.loads(host.stdout[host.stdout.index("{") : host.stdout.rindex("}") + 1])
    report = Report("Cost of one call from a compiled host")
    repeats = {"calls": figures["calls"], "repeats": figures["repeats"]}
    for name, (what, limit) in _LIMITS.items():
        value = figures[name] * 1e-3
        report.rows.append(
            Row(what, {**repeats, "backend": "cpu"}, value, "us", f"{limit} us", limit / value)
        )
    report.rows.append(Row("start of Python", {"calls": 1}, figures["boot_ns"] * 1e-6, "ms"))
    return report
