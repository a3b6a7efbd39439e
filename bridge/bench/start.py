"""`bridge bench start`: what a rank costs from nothing to its first result.

Runs the small C host `start`, installed beside libbridge.so: seconds, and where strace is on the
machine the names that file systems are asked about; for 1 and 4 processes at once, with and
without an archive of `bridge bundle`.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from bridge import bundle
from bridge.bridge_config import entry_file
from bridge.measuring.report import Report, Row
from bridge.progress import waiting

REPEATS = 7
#: Seconds and operations that this project aims at, for one rank.
AIM_SECONDS, AIM_OPERATIONS = 0.25, 300


def measure() -> Report:
    """Medians over repeats; of several processes the slowest counts."""
    report = Report("From nothing to a first result")
    with tempfile.TemporaryDirectory() as folder:
        archive, _ = bundle.make(Path(folder))
        _add(report, {"modules": "files"}, {})
        _add(report, {"modules": "archive"}, {"BRIDGE_BUNDLE": str(archive)})
    return report


def _add(report: Report, params: dict[str, Any], variables: dict[str, str]) -> None:
    environment = {**os.environ, **variables}
    if not variables:
        environment.pop("BRIDGE_BUNDLE", None)
    for ranks in (1, 4):
        told = {**params, "ranks": ranks, "repeats": REPEATS}
        _together(ranks, environment)  # the first one finds nothing in the system's memory
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        what = f"modules as {params['modules']}, {ranks} processes: starts"
        with waiting(what, REPEATS) as step:
            times = []
            for step.done in range(1, REPEATS + 1):
                times.append(_together(ranks, environment))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        value = statistics.median(times)
        row = Row("seconds to the first result", told, value, "s")
        if ranks == 1:
            row = replace(row, reference=f"{AIM_SECONDS} s", ratio=AIM_SECONDS / value)
        report.rows.append(row)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        mean = used / (REPEATS * ranks)
        report.rows.append(Row("processor seconds of a rank, mean", told, mean, "s"))
    operations = _operations(environment)
    if operations is not None:
        name, told = "names asked of file systems", {**params, "ranks": 1}
        aim = AIM_OPERATIONS / operations
        report.rows.append(Row(name, told, operations, "", str(AIM_OPERATIONS), aim))


def _together(ranks: int, environment: dict[str, str]) -> float:
    """Seconds of the slowest of several processes started at once, until its first result."""
    line = [str(entry_file("start"))]
    hosts = [
        subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(ranks)
    ]
    texts = [host.communicate()[0] for host in hosts]
    for host in hosts:
        if host.returncode:
            raise subprocess.CalledProcessError(host.returncode, line)
    return max(float(json.loads(text[text.index("{") :])["first_result"]) for text in texts)


def _operations(environment: dict[str, str]) -> int | None:
    """Of one process, from its beginning; None where strace is not there or may not trace."""
    strace = shutil.which("strace")
    if strace is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace")
        line = [strace, "-f", "-qq", "-e", "trace=%file", "-o", str(trace)]
        done = subprocess.run(
            [*line, str(entry_file("start"))], capture_output=True, env=environment
        )
        if done.returncode or not trace.exists():
            return None
        lines = trace.read_text(errors="replace").splitlines()
    # An empty name: of a file that is open already.
    return sum("(" in line and '"", {' not in line for line in lines)
