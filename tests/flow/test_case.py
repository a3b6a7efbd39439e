"""Cases that the flow solver refuses: each message names the value."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from flow.building import STUB, words
from flow.stages import JET

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]


def said(program: Path, *arguments: str, folder: Path) -> str:
    """The words of a program that ends badly."""
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode != 0, done.stdout
    assert "checksum" not in done.stdout
    [line] = [line for line in done.stderr.splitlines() if line.startswith("flow, rank 0: ")]
    return line.removeprefix("flow, rank 0: ")


VALUES: list[tuple[dict[str, Any], str]] = [
    ({"Offload": "all"}, "Offload must be none, properties, fluxes or step, got all"),
    (
        {"Offload": "step", "Energy": "pressure"},
        "Energy = pressure runs with Offload none or properties, got step",
    ),
    ({"Properties": "both"}, "Properties must be run or verify, got both"),
    (
        {"Properties": "verify"},
        "Properties = verify compares with Offload properties, fluxes or step, got none",
    ),
    ({"Report": "maybe"}, "Report must be yes or no, got maybe"),
    (
        {"Flow": "plume"},
        "Flow must be uniform, wave, pulse, layer, tube, vortex or jet, got plume",
    ),
    ({"Update": "both"}, "Update must be conserved or primitive, got both"),
    (
        {"Update": "primitive", "Offload": "step"},
        "Update = primitive runs with Energy total and Offload none or properties, got total and",
    ),
    ({"Scheme": "RK5"}, "Scheme must be RK3 or RK4, got RK5"),
    ({"Energy": "heat"}, "Energy must be total or pressure, got heat"),
    *(
        ({f"Boundary{d}": sides}, f"Boundary{d}{message}")
        for d, sides, message in (
            ("X", ("wall", "door"), " must be two of periodic, inflow, outflow, slip, wall; got "
             "wall, door"),
            ("Y", ("periodic", "wall"), ": both sides are periodic, or none"),
            ("Z", ("slip", "periodic"), ": both sides are periodic, or none"),
            ("Y", ("inflow", "wall"), ": an inflow lies at the low side of x"),
            ("X", ("wall", "inflow"), ": an inflow lies at the low side of x"),
            ("X", ("outflow", "wall"), ": an outflow lies at the high side of x"),
            ("Z", ("wall", "outflow"), ": an outflow lies at the high side of x"),
        )
    ),
    ({"Cells": (8, 0, 1)}, "Cells must be positive, got 8 0 1"),
    ({"Lengths": (1.0, 1.0, 0.0)}, "Lengths must be positive, got  1.0000E+00  1.0000E+00"),
    ({"Width": -1.0}, "Width must be positive, got -1.0000E+00"),
    ({"Blocks": (1, -1, 1)}, "Blocks must not be negative, got 1 -1 1"),
    ({"Blocks": (8, 1, 1)}, "Blocks: blocks thinner than their fringes"),
    ({"Cells": (21, 11, 1), "Blocks": (1, 1, 2)}, "Blocks: blocks thinner than their fringes"),
    ({"MaxBlock": 0}, "MaxBlock must be positive, got 0"),
    ({"Warmup": 3, "Steps": 3}, "Warmup must be less than Steps, got 3 of 3"),
    ({"Cfl": 0.0}, "Dt or Cfl must be positive"),
    ({"Y": (0.5, 0.4)}, "Y must hold one mass fraction per species, adding up to one"),
    ({"Y": (0.0, 1.0, 0.1)}, "Y must hold one mass fraction per species"),
    ({"Y": (-1.0, 0.0)}, "Y must hold one mass fraction per species"),
    ({"ProductShare": 1.5}, "ProductShare must lie between 0 and 1, got   1.5000E+00"),
    ({"ProductShare": 0.5, "Flow": "layer"}, "ProductShare is for Flow = jet, got layer"),
    ({"ProductY": (0.5, 0.4)}, "ProductY must hold one mass fraction per species, adding up"),
    ({"SpeciesData": "own"}, "SpeciesData must be bridge or host, got own"),
    ({"Phases": "liquid"}, "Phases must be off, count or one, got liquid"),
    ({"OtherY": (1.5, -0.5)}, "OtherY must hold one mass fraction per species"),
    ({"Temperature": -5.0}, "a mixture of both sides is no valid state"),
    ({"OtherTemperature": 120.0, "Pressure": 1e6, "OtherPressure": 1e6}, "two densities"),
    ({"Species": "O2 XY"}, "XY"),
    ({"SpeciesFile": "/nowhere/species.dat"}, "cannot open the species file /nowhere/species.dat"),
    ({"Steps": "many"}, "Steps=many: &BridgeInputs: "),
    ({"MaxBlock": "many"}, "MaxBlock=many: &BridgeInputs: Cannot match namelist object"),
    ({"Step": 3}, "Step=3: &BridgeInputs: "),
    ({"OutputFile": "/nowhere/fields"}, "OutputFile: "),
    ({"RestartFile": "/nowhere/fields"}, "cannot read the restart file /nowhere/fields"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "message"), VALUES, ids=[str(one[0]) for one in VALUES])
def test_a_value(program: Path, tmp_path: Path, values: dict[str, Any], message: str) -> None:
    (tmp_path / "case.nml").write_text("&BridgeInputs /\n&Case /\n")
    line = said(program, "case.nml", *words({"Steps": 1, **JET, **values}), folder=tmp_path)
    assert line.startswith(message) or (len(message) < 20 and message in line), line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("&Case Steps = many /", "&Case: "),
        ("&Case Stepps = 3 /", "&Case: Cannot match namelist object name stepps"),
        ("&BridgeInputs MaxBlock = x /", "&BridgeInputs: "),
        ("&Case Scheme = 'RK9' /", "Scheme must be RK3 or RK4, got RK9"),
        ("&Case\n  Steps = 3\n", "&Case has no / at its end"),
        ("&Cases\n  Steps = 3\n/\n", "a namelist must be &BridgeInputs or &Case, got &cases"),
    ],
)
def test_a_case_file(program: Path, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "case.nml").write_text(text)
    given = words({"SpeciesFile": JET["SpeciesFile"]})
    assert said(program, "case.nml", *given, folder=tmp_path).startswith(message)


def test_the_command_line(program: Path, tmp_path: Path) -> None:
    assert said(program, folder=tmp_path) == "usage: flow case.nml [Name=value ...]"
    assert said(program, "no.nml", folder=tmp_path) == "cannot open the case no.nml"
    (tmp_path / "case.nml").write_text("&Case /")
    for word in ("Steps", "=3"):
        message = f"expected Name=value, got {word}"
        assert said(program, "case.nml", word, folder=tmp_path) == message


def test_a_case_file_needs_neither_namelist(program: Path, tmp_path: Path) -> None:
    """Nor an end of its last line; names in any letters."""
    given = words({**JET, "Cells": (12, 8, 1), "Steps": 1})
    for text in ("", "&CASE\n Scheme = 'RK4' /", "! a note\n&bridgeinputs MaxBlock = 7 /"):
        (tmp_path / "case.nml").write_text(text)
        done = subprocess.run(
            [program, "case.nml", *given], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def test_fewer_blocks_than_ranks(program: Path, tmp_path: Path, mpirun: list[str]) -> None:
    (tmp_path / "case.nml").write_text("")
    done = subprocess.run(
        [*mpirun, "-n", "2", program, "case.nml", *words({**JET, "Blocks": (1, 1, 1)})],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert "fewer blocks than ranks: 1 for 2" in done.stderr


def test_a_step_that_fails_without_a_file(program: Path, tmp_path: Path) -> None:
    (tmp_path / "case.nml").write_text("")
    given = words({**JET, "Cells": (21, 11, 1), "Dt": 2e-7})
    done = subprocess.run(
        [program, "case.nml", *given], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "failed: status" in done.stderr and "the file has" not in done.stderr


def test_an_outflow_that_no_state_belongs_to(program: Path, tmp_path: Path) -> None:
    """A wave that leaves so low a pressure that the fringe behind it would be no fluid."""
    values = {
        "Flow": "pulse", "Species": "N2", "Temperature": 300.0, "Amplitude": -8e6, "Width": 3e-6,
        "Cells": (64, 1, 1), "Lengths": (1e-4, 1e-4, 1e-4), "Viscous": False,
        "BoundaryX": ("slip", "outflow"), "SpeciesFile": STUB / "data" / "species.dat",
        "Steps": 400,
    }  # fmt: skip
    (tmp_path / "case.nml").write_text("&BridgeInputs /\n&Case /\n")
    command = [str(program), "case.nml", *words(values)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert re.search(
        r"step \d+ failed: status 16384 of the outflow beside cell 64 1 1: rho .* kg/m3, P ",
        done.stderr,
    ), done.stderr
