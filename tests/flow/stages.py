"""Runs of the flow solver in its stages: a jet of cold oxygen in methane, in three dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flow.building import ISA, STUB, words
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
        **values: Any,
    ) -> Outcome:
        """given: words of the command line after those of the case."""
        case = self.folder / "case.nml"
        case.write_text("&BridgeInputs /\n&Case /\n")
        launcher = (*self.mpirun, "-n", str(ranks)) if ranks > 1 else ()
        more = {
            "BRIDGE_BACKEND": "cpu",
            "BRIDGE_CPU_ISA": ISA,
            **self.loops,
            **(environment or {}),
        }
        return Host(self.absent if absent else self.program).run(
            str(case), *words({**JET, **values}), *given, launcher=launcher,
            environment={"OMP_NUM_THREADS": "1", **more},
        )  # fmt: skip

    def ended(self, *given: str, **values: Any) -> Outcome:
        """A run that ends well."""
        outcome = self.run(*given, **values)
        assert outcome.status == 0, outcome.out + outcome.err
        assert "without frame_update" not in outcome.out, outcome.out
        return outcome

    def checksum(self, **values: Any) -> str:
        """Of all fields as the run ends."""
        return checksum(self.ended(**values))


def checksum(outcome: Outcome) -> str:
    return outcome.words("checksum")[-1]
