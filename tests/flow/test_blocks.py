"""Blocks and ranks of the flow solver, and runs that go on from a file: always the same bits."""

from __future__ import annotations

import os
import zlib
from typing import Any

import pytest
from flow.reading import read
from flow.stages import OPEN, STAGES, Stages, checksum
from hosts import counting

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]

#: Blocks along x, y and z by their number, and the ranks that have them.
LAYOUTS = {
    2: ((2, 1, 1), 2), 3: ((1, 3, 1), 1), 4: ((2, 1, 2), 4), 5: ((5, 1, 1), 2),
    6: ((1, 3, 2), 4), 7: ((7, 1, 1), 1), 8: ((2, 2, 2), 8),
}  # fmt: skip
SIDES: dict[str, dict[str, Any]] = {"periodic": {}, "open": OPEN}


@pytest.mark.parametrize("energy", ["total", "pressure"])
@pytest.mark.parametrize("sides", SIDES)
def test_same_bits_in_fortran(stages: Stages, sides: str, energy: str) -> None:
    values = {**SIDES[sides], "Energy": energy, "Steps": 4}
    one = stages.checksum(absent=True, Blocks=(1, 1, 1), **values)
    assert one != stages.checksum(absent=True, **{**values, "Steps": 3})
    for blocks, ranks in LAYOUTS.values():
        assert one == stages.checksum(absent=True, ranks=ranks, Blocks=blocks, **values), blocks


@pytest.mark.parametrize(
    ("stage", "sides", "energy", "of_eight", "of_six"),
    [
        ("properties", "open", "total", 4, 2),
        ("properties", "open", "pressure", 1, 4),
        ("fluxes", "open", "total", 1, 2),
        ("step", "open", "total", 8, 4),
        ("step", "periodic", "total", 1, 2),
    ],
)
def test_same_bits_by_the_bridge(
    stages: Stages, stage: str, sides: str, energy: str, of_eight: int, of_six: int
) -> None:
    """of_eight, of_six: the ranks that have eight blocks, and six."""
    values = {**SIDES[sides], "Energy": energy, "Offload": stage, "Steps": 3}
    one = stages.checksum(Blocks=(1, 1, 1), **values)
    assert one == stages.checksum(ranks=of_eight, Blocks=(2, 2, 2), **values)
    assert one == stages.checksum(ranks=of_six, Blocks=(1, 3, 2), **values)


def on_a_gpu(
    stages: Stages, ranks: tuple[int, ...], environment: dict[str, str], **values: Any
) -> None:
    """values: with the blocks of all ranks, which share the GPU."""
    values = {"Offload": "step", "Steps": 2, **OPEN, **values}
    environment = {**environment, "BRIDGE_BACKEND": "cuda"}
    one = stages.ended(**{**values, "Blocks": (1, 1, 1)}, environment=environment)
    assert "backend cuda" in one.out
    for number in ranks:
        found = stages.checksum(ranks=number, environment=environment, **values)
        assert found == checksum(one), number


def test_same_bits_on_a_gpu_that_is_none(stages: Stages) -> None:
    on_a_gpu(stages, (2,), counting(standin=True), Cells=(13, 9, 1), Blocks=(2, 1, 1))


@pytest.mark.gpu
@pytest.mark.skipif(os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="needs a process's GPU")
def test_same_bits_on_a_gpu(stages: Stages) -> None:
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "CUDA_PATH") if name in os.environ}
    on_a_gpu(stages, (1, 2, 4, 8), kept, Blocks=(2, 2, 2))


@pytest.mark.parametrize("stage", [*STAGES, "pressure"])
def test_a_run_goes_on_from_its_file(stages: Stages, stage: str) -> None:
    """On other blocks: every byte of the file is that of the run that never stopped."""
    values: dict[str, Any] = {"Offload": stage, **OPEN}
    if stage == "pressure":
        values |= {"Offload": "none", "Energy": "pressure"}
    whole, half, both = (stages.folder / name for name in ("whole", "half", "both"))
    printed = stages.ended(Steps=4, OutputFile=whole, **values)
    stages.ended(Steps=2, OutputFile=half, Blocks=(2, 2, 1), **values)
    stages.ended(Steps=4, RestartFile=half, OutputFile=both, Blocks=(1, 1, 2), **values)
    assert (read(half).step, read(both).step) == (2, 4)
    assert both.read_bytes() == whole.read_bytes() != half.read_bytes()
    assert int(checksum(printed), 16) == zlib.crc32(whole.read_bytes()[4096:])


@pytest.mark.parametrize(
    ("first", "then", "message"),
    [
        ({"Cells": (21, 11, 6)}, {}, "not a file of this grid"),
        ({"Lengths": (2e-4, 2e-4, 2e-4)}, {}, "not a file of this grid"),
        ({"Energy": "pressure"}, {}, "other species, or another form of the energy"),
        ({}, {"Energy": "pressure"}, "other species, or another form of the energy"),
        ({}, {"Species": "CH4 O2"}, "other species, or another form of the energy"),
        ({}, {"Species": "O2 CH4 N2"}, "other species, or another form of the energy"),
    ],
)
def test_a_file_of_another_case(
    stages: Stages, first: dict[str, Any], then: dict[str, Any], message: str
) -> None:
    file = stages.folder / "other"
    stages.ended(absent=True, Steps=1, OutputFile=file, **first)
    outcome = stages.run(absent=True, Steps=2, RestartFile=file, **then)
    assert outcome.status != 0
    assert f"{file}: {message}" in outcome.err


def test_a_file_that_ends_early(stages: Stages) -> None:
    file = stages.folder / "file"
    stages.ended(absent=True, Steps=1, OutputFile=file)
    whole = file.read_bytes()
    for size, message in ((4096 + 8000, f"{file} ends early"), (4000, "cannot read the restart")):
        file.write_bytes(whole[:size])
        outcome = stages.run(absent=True, Steps=2, RestartFile=file)
        assert outcome.status != 0
        assert message in outcome.err
    file.write_bytes(b"x" * len(whole))
    outcome = stages.run(absent=True, Steps=2, RestartFile=file)
    assert outcome.status != 0 and "not of this program" in outcome.err


@pytest.mark.parametrize(("stage", "ranks"), [("none", 2), ("fluxes", 1), ("step", 2)])
def test_a_step_that_fails(stages: Stages, stage: str, ranks: int) -> None:
    """The file has the fields before it, as a run that ends there has them."""
    values: dict[str, Any] = {"Offload": stage, "Cells": (21, 11, 1), "Dt": 5e-8}
    file, good = stages.folder / "last", stages.folder / "good"
    failed = stages.run(ranks=ranks, OutputFile=file, **OPEN, **values)
    assert failed.status != 0
    last = read(file)
    assert last.step > 0, "the first steps go well"
    assert f"step {last.step + 1} failed: status " in failed.err
    assert " in cell " in failed.err and f"the fields before it: {file}" in failed.err
    stages.ended(Steps=last.step, OutputFile=good, **OPEN, **values)
    assert file.read_bytes() == good.read_bytes()


#: Oxygen nearly as hot as enthalpy can be found (6000 K), of which a wave takes pressure at both
#: ends: the enthalpy and the density there are then those of a hotter gas.
HOT: dict[str, Any] = {
    **{"Flow": "layer", "Cells": (32, 1, 1), "Lengths": (1e-4, 1e-4, 1e-4), "Width": 8e-6},
    **{"Y": (1.0, 0.0), "OtherY": (1.0, 0.0), "Temperature": 5999.5, "OtherTemperature": 5700.0},
    **{"Pressure": 3e7, "OtherPressure": 2.5e7, "Viscous": False},
}
#: Along x, and m/s.
ENDS = {"inflow": (("inflow", "slip"), 0.0), "outflow": (("inflow", "outflow"), 100.0)}


@pytest.mark.parametrize(("stage", "ranks"), [("none", 1), ("fluxes", 2), ("step", 2)])
@pytest.mark.parametrize("kind", ["inflow", "outflow"])
def test_a_side_that_fails(stages: Stages, kind: str, stage: str, ranks: int) -> None:
    """The message is that of the stage that met it; the file has the fields before the step."""
    file, good = stages.folder / "last", stages.folder / "good"
    boundaries, speed = ENDS[kind]
    values = {**HOT, "Velocity": (speed, 0.0, 0.0), "OtherVelocity": (speed, 0.0, 0.0)}
    values |= {"BoundaryX": boundaries, "Blocks": (2, 1, 1), "Offload": stage}
    failed = stages.run(ranks=ranks, Steps=100, OutputFile=file, **values)
    assert failed.status != 0
    last = read(file)
    assert last.step > 0, "the first steps go well"
    cell = 1 if kind == "inflow" else 32
    said = f"step {last.step + 1} failed: status 1056 of the {kind} beside cell {cell} 1 1: rho "
    assert said in failed.err, failed.err
    stages.ended(Steps=last.step, OutputFile=good, **values)
    assert file.read_bytes() == good.read_bytes()


def test_a_state_of_one_stage_alone(stages: Stages) -> None:
    """The pressure at the inflow is lowest in a stage of the last step, and higher as it ends."""
    values = {**HOT, "BoundaryX": ENDS["inflow"][0], "Scheme": "RK4", "Cfl": 1.0, "Steps": 18}
    del values["Temperature"]
    values |= {"Velocity": (0.0, 0.0, 0.0), "OtherVelocity": (0.0, 0.0, 0.0)}
    for stage in ("none", "step"):
        failed = stages.run(Offload=stage, Temperature=5998.04641, **values)
        assert "step 18 failed: status 1056 of the inflow beside" in failed.err, failed.err
    stages.ended(Offload="step", Temperature=5998.046, **values)
