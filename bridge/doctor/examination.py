"""All sections of this process, and where they are written."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge import mpi, output
from bridge.backends.host import library
from bridge.doctor import folders, gpus, kernelpacks, machine, mpisides, process, python
from bridge.doctor.findings import Report, Section, written
from bridge.errors import ArgumentError, BridgeError, UnwrittenError
from bridge.settings import KEYS, Settings, unread_variables


@dataclass(frozen=True)
class Entered:
    """What the entry of a Fortran program knows: `chosen`: how libbridge.so found its Python;
    environment: the host's floating-point environment (fenv_t)."""

    chosen: str
    environment: bytes


def examine(
    entered: Entered | None = None,
    backend: Any | None = None,
    settings: Settings | None = None,
    places: Sequence[gpus.Place] = (),
    program: Path | None = None,
    rank: int | None = None,
) -> Report:
    """This process now. entered: of a Fortran program, None in one that is Python itself;
    backend: that is open, None before initialize; places: of the ranks' GPUs; program: a host to
    be looked at."""
    target, given = _target(backend), settings or Settings()
    files = process.mapped_files()  # after the kernel library: it brings what a run has
    chosen, environment = (entered.chosen, entered.environment) if entered else (None, None)
    told = _settings(given)
    wanted = "auto" if any(one.stops for one in told.problems) else given.backend()
    devices = gpus.section(backend, wanted, places)
    gpus.policies(devices)
    sections = [
        python.section(files, chosen),
        told,
        mpisides.section(files, program),
        machine.section(files, environment, _threads(given)),
        devices,
        machine.memory(),
        folders.section(),
        kernelpacks.section(target),
    ]
    return Report(sections, rank)


def place(backend: Any | None) -> gpus.Place:
    """Where the GPU of this rank is."""
    device = getattr(backend, "device", None)
    return socket.gethostname(), "" if device is None else device.facts.pci


def _threads(settings: Settings) -> int | None:
    """Of a run."""
    try:
        return settings.threads(mpi.host_size())
    except ArgumentError:  # told as a setting that is none
        return None


def _target(backend: Any | None) -> str | None:
    if backend is not None:
        return str(backend.target)
    try:
        return library.choose().isa
    except BridgeError:
        return None


def _settings(settings: Settings) -> Section:
    """What is set, in the program and in the environment, and what of that is none."""
    found = Section("settings")
    for key in KEYS:
        try:
            value = settings.get(key)
        except ArgumentError as error:
            found.problem(str(error), f"unset BRIDGE_{key.upper()}", stops=True)
            continue
        if value is not None:
            found.facts[key] = value
    for name in sorted(os.environ):
        if name.startswith("BRIDGE_"):
            found.facts[name] = os.environ[name]
    for name, line in unread_variables().items():
        found.problem(line, f"unset {name}")
    try:
        settings.options()
    except ArgumentError as error:
        if not found.problems:
            found.problem(str(error), f"unset BRIDGE_{error.argument.upper()}", stops=True)
    if not found.facts:
        found.facts["set"] = "nothing: defaults"
    return found


def write(file: str, reports: Sequence[Report]) -> None:
    """Into a file: JSON where its name ends in .json, else text; UnwrittenError where it takes
    nothing."""
    try:
        output.write_file(file, [written(reports, file.endswith(".json"))])
    except OSError as error:
        raise UnwrittenError(file, error) from None
