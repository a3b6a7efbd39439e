"""All sections of this process, and where they are written.

What a section needs is imported where it is made: a package that cannot be imported is a problem
to be told, and takes no other section with it.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge import foreign, mpi, output
from bridge.doctor import folders, mpisides, process, python
from bridge.doctor.findings import Report, Section, written
from bridge.errors import ArgumentError, UnwrittenError, spoken

if TYPE_CHECKING:
    from bridge.doctor import gpus
    from bridge.settings import Settings


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
    chosen, environment = (entered.chosen, entered.environment) if entered else (None, None)
    unmet = python.imported()
    target = None if unmet else _target(backend)
    files = process.mapped_files()  # after the kernel library: it brings what a run has

    def of_python() -> Section:
        found = python.section(files, chosen)
        for what, remedy in unmet.items():
            found.problem(what, remedy, stops=True)
        return found

    def of_processor() -> Section:
        from bridge.doctor import machine

        return machine.section(files, environment, _threads(settings))

    def of_packs() -> Section:
        from bridge.doctor import kernelpacks

        return kernelpacks.section(target)

    told = _looked_at("settings", lambda: _settings(settings), unmet)
    makers: dict[str, Callable[[], Section]] = {
        "Python": of_python,
        "settings": lambda: told,
        "MPI": lambda: mpisides.section(files, program),
        "processor": of_processor,
        "GPUs": lambda: _gpus(backend, told, settings, places),
        "locked memory": _memory,
        "cache": folders.section,
        "packs": of_packs,
    }
    return Report([_looked_at(name, make, unmet) for name, make in makers.items()], rank)


def _looked_at(name: str, make: Callable[[], Section], unmet: Mapping[str, str]) -> Section:
    """A section; where something keeps it from being made, one that says so. unmet: what is known
    to be wrong already."""
    try:
        return make()
    except (Exception, SystemExit) as error:
        found = Section(name)
        what = foreign.told(error) or f"cannot be looked at: {spoken(error)}"
        if what in unmet or (unmet and isinstance(error, ImportError)):
            found.facts["not looked at"] = "see Python"
        else:
            remedy = foreign.remedy(what) or "mend what it names; bridge doctor again"
            found.problem(what, remedy, stops=True)
        return found


def _gpus(
    backend: Any | None, told: Section, settings: Settings | None, places: Sequence[gpus.Place]
) -> Section:
    from bridge.doctor import gpus
    from bridge.settings import Settings

    given = settings or Settings()
    wanted = "auto" if any(one.stops for one in told.problems) else given.backend()
    devices = gpus.section(backend, wanted, places)
    gpus.policies(devices)
    return devices


def _memory() -> Section:
    from bridge.doctor import machine

    return machine.memory()


def place(backend: Any | None) -> gpus.Place:
    """Where the GPU of this rank is."""
    device = getattr(backend, "device", None)
    return socket.gethostname(), "" if device is None else device.facts.pci


def _threads(settings: Settings | None) -> int | None:
    """Of a run."""
    from bridge.settings import Settings

    try:
        return (settings or Settings()).threads(mpi.host_size())
    except ArgumentError:  # told as a setting that is none
        return None


def _target(backend: Any | None) -> str | None:
    if backend is not None:
        return str(backend.target)
    try:
        from bridge.backends.host import library

        return library.choose().isa
    except Exception:  # told in the section of the processor
        return None


def _settings(given: Settings | None) -> Section:
    """What is set, in the program and in the environment, and what of that is none."""
    from bridge.settings import KEYS, Settings, unread_variables

    settings = given or Settings()
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


if __name__ == "__main__":
    write(sys.argv[1], [examine()])
