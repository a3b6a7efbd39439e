"""The stages of the flow solver: what the bridge takes over gives the fields of Fortran."""

from __future__ import annotations

import os
from pathlib import Path
from runpy import run_path
from tomllib import loads
from typing import Any

import pytest
from flow.building import STUB, changed
from flow.reading import read
from flow.stages import OPEN, Stages, agreement, difference
from hosts import Outcome, counting
from sharing import Once

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]

FLAT: dict[str, Any] = {"Cells": (13, 9, 1), "Blocks": (2, 1, 1), "Steps": 2}
#: One dimension without viscosity.
LINE: dict[str, Any] = {
    **{"Flow": "pulse", "Amplitude": 1e6, "Cells": (32, 1, 1), "Lengths": (2e-4, 2e-4, 2e-4)},
    **{"Viscous": False, "Steps": 3},
}


def verified(outcome: Outcome) -> dict[str, float]:
    """The largest differences of a run with Properties=verify."""
    lines = [line.split() for line in outcome.out.splitlines() if line.startswith("verify: ")]
    return {line[1]: float(line[2]) for line in lines if line[3:4] == ["cell"]}


@pytest.mark.parametrize("sides", ["periodic", "open"])
def test_fields_agree_after_20_steps(stages: Stages, sides: str) -> None:
    found = agreement(stages, sides)
    for stage, worst in found.worst.items():
        assert max(worst.values()) < 1e-10, (stage, worst)
    assert found.steps == 20 and found.statuses


@pytest.mark.parametrize("check", ["0", "fringes"])
@pytest.mark.parametrize("stage", ["properties", "fluxes", "step"])
def test_every_step_is_verified(stages: Stages, stage: str, check: str) -> None:
    """check: with a copy of resident arrays that stands for the device, on which runs work, and a
    look at their fringes; on two ranks."""
    outcome = stages.ended(
        ranks=1 + (check != "0"), Offload=stage, Properties="verify", Steps=3, Blocks=(1, 1, 2),
        **OPEN, environment={"BRIDGE_CHECK_RESIDENCY": check},
    )  # fmt: skip
    assert "verify: passed, 3 steps" in outcome.out
    made = {"densities", "momentum", "energy", "temperature"}
    properties = set("T P c cv p_rhoe p_rhoi eta lambda D_im h_Yi".split())
    assert set(verified(outcome)) == made | properties


def test_energy_as_pressure_is_verified(stages: Stages) -> None:
    values: dict[str, Any] = {"Offload": "properties", "Energy": "pressure", "Steps": 3}
    assert "verify: passed, 3 steps" in stages.ended(Properties="verify", **OPEN, **values).out


def test_a_changed_kernel_is_found(stages: Stages, once: Once) -> None:
    values = {**LINE, "Offload": "step", "Properties": "verify"}
    assert "verify: passed" in stages.ended(**values).out
    loops = changed(once, Path(stages.loops["BRIDGE_PACKS"]))
    outcome = stages.run(environment=loops, **values)
    assert outcome.status != 0
    assert "verify: FAILED, a difference beyond  1.00E-10" in outcome.out
    assert "bridge and fortran do not agree" in outcome.err
    assert 1e-10 < verified(outcome)["energy"] < 1e-2
    more = {**values, "VerifyTolerance": 1e-2}
    assert "verify: passed" in stages.ended(environment=loops, **more).out


def test_other_properties_are_found(stages: Stages) -> None:
    outcome = stages.run(
        Offload="properties", Properties="verify", **FLAT,
        environment={"BRIDGE_OVERRIDE": "dipole=1.0"},
    )  # fmt: skip
    assert outcome.status != 0 and "verify: FAILED" in outcome.out


def on_a_gpu(stages: Stages, environment: dict[str, str], **values: Any) -> None:
    """A step of everything on the device, with sides that Fortran fills."""
    file = stages.folder / "fields"
    stages.ended(absent=True, OutputFile=file, **OPEN, **values)
    wanted = read(file)
    outcome = stages.ended(
        Offload="step", OutputFile=file, **OPEN, **values,
        environment={**environment, "BRIDGE_BACKEND": "cuda"},
    )  # fmt: skip
    assert "backend cuda" in outcome.out
    worst = difference(read(file), wanted)
    assert max(worst.values()) < 1e-10, worst


def test_on_a_gpu_that_is_none(stages: Stages) -> None:
    on_a_gpu(stages, counting(standin=True), **FLAT)


@pytest.mark.gpu
@pytest.mark.skipif(os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="needs a process's GPU")
def test_on_a_gpu(stages: Stages) -> None:
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "CUDA_PATH") if name in os.environ}
    on_a_gpu(stages, kept, Steps=20, Blocks=(2, 1, 2))


@pytest.mark.parametrize("kind", ["cpu", "stand-in"])
def test_repeated_steps_enter_python_never(stages: Stages, kind: str) -> None:
    """Runs, constants, reductions, packs and updates; stability would look at some of the runs."""
    backend = "cpu" if kind == "cpu" else "cuda"
    environment = counting(kind != "cpu", BRIDGE_BACKEND=backend, BRIDGE_STABILITY="off")
    values: dict[str, Any] = {**FLAT, **OPEN, "Offload": "step", "Report": "yes"}

    def entered(steps: int) -> int:
        outcome = stages.ended(environment=environment, **{**values, "Steps": steps})
        return int(outcome.words("entered")[0])

    assert entered(2) == entered(6)


def test_without_a_bridge(stages: Stages) -> None:
    for stage in ("properties", "fluxes", "step"):
        outcome = stages.run(absent=True, Offload=stage, **FLAT)
        assert outcome.status != 0
        assert "this program was built without the bridge" in outcome.err
    here = stages.checksum(Offload="none", **FLAT)
    assert here == stages.checksum(absent=True, Offload="none", **FLAT)


def test_loops_of_many_species_become_kernels(tmp_path: Path) -> None:
    port = run_path(str(STUB / "flow" / "make_pack.py"))["port"]
    for routine in ("stepSys3dKeep", "stepSys3dUpdate"):
        port(str(tmp_path), routine, routine.lower(), ns=53)
    port(str(tmp_path), "stepSys3dCalcGadd", "addx", ns=53, di=1, dj=0, dk=0)
    names = {one["name"] for one in loads((tmp_path / "catalogue.toml").read_text())["kernel"]}
    assert names == {"flow_stepsys3dkeep", "flow_stepsys3dupdate", "flow_addx"}


def test_without_the_pack(stages: Stages) -> None:
    outcome = stages.run(Offload="step", environment={"BRIDGE_PACKS": ""}, **FLAT)
    assert outcome.status != 0
    assert "frame_bind flow_u failed with status -3" in outcome.err, outcome.err
