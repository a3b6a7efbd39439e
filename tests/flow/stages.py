"""Runs of the flow solver in its stages: a jet of cold oxygen in methane, in three dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from flow.building import ISA, STUB, words
from flow.reading import Output, read
from hosts import Host, Outcome

STAGES = ("none", "properties", "fluxes", "step")
JET: dict[str, Any] = {
    "Flow": "jet", "Species": "O2 CH4", "SpeciesFile": STUB / "data" / "species.dat",
    "Temperature": 290.0, "Y": (0.0, 1.0), "Velocity": (60.0, 0.0, 0.0),
    "OtherTemperature": 200.0, "OtherY": (1.0, 0.0), "OtherVelocity": (15.0, 0.0, 0.0),
    "Amplitude": 6.0, "Width": 4e-5, "Lengths": (2e-4, 2e-4, 1e-4), "Cells": (21, 11, 7),
}  # fmt: skip
OPEN: dict[str, Any] = {"BoundaryX": ("inflow", "outflow"), "BoundaryY": ("wall", "slip")}


@dataclass(frozen=True)
class Stages:
    """Programs with and without a bridge, in a folder of their own."""

    program: Path
    absent: Path
    mpirun: list[str]
    folder: Path
    loops: dict[str, str]

    def run(
        self,
        *given: str,
        ranks: int = 1,
        absent: bool = False,
        environment: dict[str, str] | None = None,
        case: Path | None = None,
        **values: Any,
    ) -> Outcome:
        """given: words of the command line after those of the case; case: its file, else the
        values of JET."""
        if case is None:
            case, values = self.folder / "case.nml", {**JET, **values}
            case.write_text("&BridgeInputs /\n&Case /\n")
        launcher = (*self.mpirun, "-n", str(ranks)) if ranks > 1 else ()
        more = {
            "BRIDGE_BACKEND": "cpu",
            "BRIDGE_CPU_ISA": ISA,
            **self.loops,
            **(environment or {}),
        }
        return Host(self.absent if absent else self.program).run(
            str(case), *words(values), *given, launcher=launcher,
            environment={"OMP_NUM_THREADS": "1", **more},
        )  # fmt: skip

    def ended(self, *given: str, **values: Any) -> Outcome:
        """A run that ends well."""
        outcome = self.run(*given, **values)
        assert outcome.status == 0, outcome.out + outcome.err
        assert "without frame_update" not in outcome.out, outcome.out
        assert "which nothing has filled" not in outcome.out, outcome.out
        return outcome

    def checksum(self, **values: Any) -> str:
        """Of all fields as the run ends."""
        return checksum(self.ended(**values))


def checksum(outcome: Outcome) -> str:
    return outcome.words("checksum")[-1]


def difference(found: Output, wanted: Output) -> dict[str, float]:
    """Over the largest value of a field; of the momenta, over what sound carries."""
    sound = np.abs(wanted.rho * wanted["c"]).max()
    return {
        name: float(np.abs(found[name] - wanted[name]).max())
        / (sound if name in ("rhou", "rhov", "rhow") else np.abs(wanted[name]).max() or 1.0)
        for name in wanted.fields
    }


@dataclass(frozen=True)
class Agreement:
    """By stage: the largest difference of each field from Fortran alone. statuses: no stage has a
    status that Fortran has not. `fortran` and `bridge`: the fields, those of the stage `step`."""

    worst: dict[str, dict[str, float]]
    steps: int
    statuses: bool
    fortran: Output
    bridge: Output


def agreement(stages: Stages, sides: str) -> Agreement:
    """A jet of cold O2 in CH4, in three dimensions, 20 steps by Fortran alone, then properties,
    loops or whole steps by the bridge. Columns: the largest difference over the largest value
    of a field; of momenta over what sound carries."""
    values: dict[str, Any] = {"Steps": 20, **(OPEN if sides == "open" else {})}
    file = stages.folder / "fields"
    stages.ended(absent=True, OutputFile=file, **values)
    wanted = read(file)
    worst, statuses = {}, True
    for stage in STAGES[1:]:
        stages.ended(Offload=stage, OutputFile=file, **values)
        found = read(file)
        if abs(found.time / wanted.time - 1.0) > 1e-12 or found.step != wanted.step:
            raise ValueError(f"{stage}: {found.time} s, not {wanted.time} s as by Fortran alone")
        worst[stage] = difference(found, wanted)
        statuses &= set(np.unique(found["status"])) <= set(np.unique(wanted["status"]))
    return Agreement(worst, wanted.step, statuses, wanted, found)
