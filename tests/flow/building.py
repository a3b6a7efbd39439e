"""Programs of the flow solver, built once for a session; values as its command line wants them;
the pack of its loops."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from flow.reading import Output, Solve, read
from hosts import TIME_LIMIT
from packsbuilt import build_here
from sharing import Once

STUB = Path(__file__).parents[2] / "fortran_stub"
#: What the pack is built for, and runs take: GCC needs a third of the time for it.
ISA = "v2"


def built(once: Once, target: str, name: str | None = None, **variables: str) -> Path:
    """The program of a target of fortran_stub/makefile: flow, or flow-absent without a bridge.
    name: of one that is built with other variables of the makefile."""
    if shutil.which("mpif90") is None:
        pytest.skip("no mpif90")

    def make(place: Path) -> None:
        config = place / "bridge-config"
        config.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m bridge.bridge_config "$@"\n')
        config.chmod(0o755)
        variables.update(BUILD=str(place), BRIDGE_CONFIG=str(config))
        settings = [f"{variable}={value}" for variable, value in variables.items()]
        command = ["make", "-s", "-C", str(STUB), *settings, target]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Warning" not in done.stderr, done.stderr

    return once(name or target, make) / target / "flow"


def written(value: object) -> str:
    """As the command line of the solver wants it."""
    if isinstance(value, tuple):
        return ",".join(written(one) for one in value)
    if isinstance(value, bool):
        return ".true." if value else ".false."
    return repr(float(value)) if isinstance(value, float) else str(value)


def words(values: dict[str, object]) -> Iterable[str]:
    return [f"{name}={written(value)}" for name, value in values.items()]


def solver(program: Path, folder: Path) -> Solve:
    """solve(Name=value ...) -> Output. Without Steps the run goes on until EndTime."""
    case, file = folder / "case.nml", folder / "fields"
    case.write_text("&BridgeInputs /\n&Case /\n")

    def run(**values: object) -> Output:
        file.unlink(missing_ok=True)
        settings = {"SpeciesFile": STUB / "data" / "species.dat", "Steps": 10**7, "Scheme": "RK4"}
        settings |= {"OutputFile": file, **values}
        done = subprocess.run(
            [program, case, *words(settings)], capture_output=True, text=True, timeout=TIME_LIMIT
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return replace(read(file), printed=done.stdout)

    return run


def compiled(folder: Path) -> dict[str, str]:
    """Environment of runs that take the pack of a folder, compiled for the CPU."""
    cache = folder.with_name(f"{folder.name}-cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(folder))
        patch.setenv("BRIDGE_CACHE", str(cache))
        build_here(isas=[ISA])
    return {"BRIDGE_PACKS": str(folder), "BRIDGE_CACHE": str(cache)}


def loops(once: Once) -> dict[str, str]:
    """Environment of runs with the loops of two species."""

    def make(place: Path) -> None:
        command = [sys.executable, "-P", str(STUB / "flow" / "make_pack.py")]
        done = subprocess.run([*command, str(place / "pack"), "2"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        compiled(place / "pack")

    place = once("flow_pack", make)
    return {"BRIDGE_PACKS": str(place / "pack"), "BRIDGE_CACHE": str(place / "pack-cache")}


def changed(once: Once, pack: Path) -> dict[str, str]:
    """Environment of runs in one dimension whose loops are not those of Fortran: a coefficient of
    the dissipation is another one. Kernels of y and z are left out."""

    def make(place: Path) -> None:
        folder = place / "pack"
        shutil.copytree(pack, folder)
        header, catalogue = folder / "flow_adx.h", folder / "catalogue.toml"
        text = header.read_text()
        assert text.count("- 5.0 * (pe - pa)") == 1, text
        header.write_text(text.replace("- 5.0 * (pe - pa)", "- 5.1 * (pe - pa)"))
        first, *kernels = catalogue.read_text().split("[[kernel]]")
        kept = [one for one in kernels if one.split('"')[1][-1] not in "yz"]
        catalogue.write_text("[[kernel]]".join([first, *kept]))
        compiled(folder)

    place = once("flow_pack_changed", make)
    return {"BRIDGE_PACKS": str(place / "pack"), "BRIDGE_CACHE": str(place / "pack-cache")}
