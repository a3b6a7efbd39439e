"""`bridge port --survey`: what it is given, and what it prints."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from json import dumps, loads
from pathlib import Path
from typing import Any

from bridge import progress
from bridge.commandline import writable
from bridge.errors import ArgumentError
from bridge.machine import Figures, Gpu, keep, known
from bridge_port.survey import report
from bridge_port.survey.profile import Profile
from bridge_port.survey.report import content, reading
from bridge_port.survey.survey import Options, survey, widths


def command(given: argparse.Namespace, values: dict[str, int]) -> int:
    """values: name -> integer, as --value has them. With --json and no file behind it the JSON is
    all that is printed."""
    options = Options(
        tuple(given.folders), tuple(given.defines), given.width, given.fixed,
        frozenset(name.lower() for name in given.private), values, given.seconds,
        tuple(given.more),
    )  # fmt: skip
    json = (given.source or "-") if given.json else None
    return run(given.survey, options, profile=given.profile, machine=given.machine,
               link=given.link, processes=given.processes, every=given.all, json=json)  # fmt: skip


def run(
    paths: Sequence[str | Path], options: Options | None = None, *, profile: str | None = None,
    machine: str | None = None, link: float | None = None, processes: int | None = None,
    every: bool = False, json: str | None = None,
) -> int:  # fmt: skip
    """Prints the report; 0 also where nothing translates: a survey found what there is. 1 where it
    met a fault of its own."""
    options = options or Options()
    if processes is not None and processes < 1:
        raise ArgumentError("-j", processes, "at least 1")
    if not 0.0 < options.seconds < 1e9:
        raise ArgumentError("--seconds", options.seconds, "seconds above 0")
    if link is not None and not 0.0 < link < float("inf"):
        raise ArgumentError("--link", link, "GB/s above 0")
    for path in paths:  # before this machine is measured
        if not Path(path).exists():
            raise ArgumentError("--survey", path, "a file or a folder of Fortran sources")
    if json is not None and json != "-":
        writable("--json", json)
    times = None if profile is None else Profile.read(profile)
    figures, link = figures_of(machine), None if link is None else 1e9 * link
    found = survey(paths, figures=figures, link=link, profile=times, processes=processes,
                   options=options)  # fmt: skip
    found.reading = reading([*map(str, paths)], options)
    files = [*(row.found.source for row in found.rows), *found.unreadable]
    found.widths = widths(dict.fromkeys(files), options)
    if json is not None:
        write(json, content(found))
    status = 1 if found.faults else 0
    if json == "-":
        return status
    print(report.text(found, shutil.get_terminal_size((100, 24)).columns, every))
    return status


def write(path: str, found: dict[str, Any]) -> None:
    text = dumps(found, indent=1)
    if path == "-":
        print(text)
        return
    try:
        Path(path).write_text(text + "\n")
    except OSError as error:
        raise ArgumentError("--json", path, f"a place to write ({error})") from None


def figures_of(machine: str | None) -> Figures | None:
    """None of "none"; of this machine where none is named, measured where they are not known."""
    if machine == "none":
        return None
    if machine is not None:
        return read(machine)
    from bridge.advise.limits import measure
    from bridge.backends.host.library import choose

    figures = known(choose(None).isa)
    if figures is None:
        progress.say("measuring this machine, some seconds")
        with progress.waiting("measuring this machine"):
            figures = measure(None)
        progress.say(f"kept in {keep(figures)}")
    return figures


def read(path: str) -> Figures:
    """Figures that `bridge advise` has kept, copied from a cache."""
    try:
        text: dict[str, Any] = loads(Path(path).read_text())
        text.pop("form", None)
        gpu = text.pop("gpu", None)
        for name in ("memory", "cache"):
            one, every = map(float, text[name])
            if not 0.0 < one <= every:
                raise ValueError(f"{name} {one} {every}")
            text[name] = one, every
        for name in ("vector", "scalar"):
            if not {"fused", "divide", "pow"} <= set(text[name]):
                raise ValueError("operations are missing")
        return Figures(**text, gpu=None if gpu is None else Gpu(**gpu))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        wanted = f"a file of figures of `bridge advise`, or none ({error})"
        raise ArgumentError("--machine", path, wanted) from None
