"""What the case says of the physics reaches the bridge: options, species, phases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flow.building import STUB
from flow.reading import Output, read
from flow.stages import Stages
from hosts import Outcome

import bridge

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]

SPECIES = "O2 CH4 CO2 H2O CO N2"
#: A jet with hot products in its layers: water condenses where these meet the cold streams.
WET: dict[str, Any] = {
    "Flow": "jet", "Species": SPECIES, "SpeciesFile": STUB / "data" / "species.dat",
    "Temperature": 290.0, "Y": (0.0, 1.0), "OtherTemperature": 150.0, "OtherY": (1.0, 0.0),
    "OtherVelocity": (0.0, 0.0, 0.0), "Velocity": (0.0, 0.0, 0.0), "Amplitude": 0.0,
    "ProductShare": 0.6, "ProductY": (0.05, 0.05, 0.25, 0.35, 0.25, 0.05),
    "Lengths": (1e-6, 1e-6, 1e-6), "Width": 5e-8, "Cells": (8, 40, 1), "Steps": 1,
    "Offload": "properties",
}  # fmt: skip
DRY = {"ProductY": (0.05, 0.05, 0.45, 0.0, 0.35, 0.1)}


def run(stages: Stages, **values: Any) -> tuple[Outcome, Output]:
    file = stages.folder / "fields"
    outcome = stages.ended(**{**WET, **values}, OutputFile=file)
    return outcome, read(file)


def state(fields: Output) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T, P and mass fractions of the cells."""
    Y = np.stack([(fields[name] / fields.rho).ravel() for name in fields.species], axis=1)
    return fields["T"].ravel(), fields["P"].ravel(), Y


def unstable(fields: Output) -> int:
    """How many cells would split into two phases, asked from Python."""
    T, P, Y = state(fields)
    tpd = bridge.evaluate(SPECIES, T, P, Y, "tpd", backend="cpu").tpd
    return int((tpd < -1e-9).sum())


@pytest.mark.filterwarnings("ignore::bridge.PointsWarning")
def test_options_reach_the_bridge(stages: Stages) -> None:
    """Flags and overridden constants of species, as one text."""
    given = "chungDense=PUBLISHED; override=dipole=0.0 kappa=0,0,0,0.05,0,0 ; prCross=abs"
    _, found = run(stages, Options=given)
    _, plain = run(stages)
    options = {
        "chungDense": "PUBLISHED", "prCross": "ABS",
        "species": {"dipole": 0.0, "kappa": [0, 0, 0, 0.05, 0, 0]},
    }  # fmt: skip
    T, P, Y = state(found)
    wanted = bridge.evaluate(SPECIES, T, P, Y, ("eta", "c"), options=options, backend="cpu")
    for name in ("eta", "c"):
        np.testing.assert_allclose(found[name].ravel(), wanted[name], rtol=1e-9)
    assert np.abs(found["eta"] / plain["eta"] - 1.0).max() > 1e-4


@pytest.mark.parametrize(
    ("options", "words"), [("prCross=SOMETIMES", "SIGNED"), ("prCross", "expected key=value")]
)
def test_options_that_are_none(stages: Stages, options: str, words: str) -> None:
    outcome = stages.run(**WET, Options=options)
    assert outcome.status != 0 and words in outcome.err


def test_species_constants_of_the_host_give_the_same_bits(stages: Stages) -> None:
    values = {**WET, "Steps": 2}
    assert stages.checksum(**values) == stages.checksum(**values, SpeciesData="host")


@pytest.mark.filterwarnings("ignore::bridge.PointsWarning")
def test_phases_are_counted_over_the_ranks(stages: Stages) -> None:
    outcome, fields = run(stages, ranks=2, Blocks=(1, 3, 1))
    count = unstable(fields)
    assert 0.1 < count / 320 < 0.6
    assert outcome.out.count(f"two phases: {count} of 320 cells would split") == 1
    refused = stages.run(**WET, Phases="one", ranks=2)
    assert refused.status != 0
    assert "the case is not one phase: two phases: " in refused.err
    assert "cells would split" not in run(stages, Phases="off")[0].out


def test_dry_products_are_one_phase(stages: Stages) -> None:
    outcome, fields = run(stages, **DRY, Phases="one")
    assert "one phase: all 320 cells are stable" in outcome.out
    assert unstable(fields) == 0 and fields["T"].max() > 700.0


@pytest.mark.parametrize("ranks", [1, 2])
def test_cells_with_a_doubt_are_counted(stages: Stages, ranks: int) -> None:
    """Layers of one cell: mass fractions below zero, which count as zero."""
    file = stages.folder / "fields"
    outcome = stages.ended(
        Flow="layer", Width=1e-6, Steps=5, Energy="pressure", OutputFile=file, absent=True,
        ranks=ranks, OtherTemperature=250.0, Cells=(32, 12, 1),
    )  # fmt: skip
    count = int((read(file)["status"].astype(int) & 8 != 0).sum())
    assert 0 < count < 384
    assert f"status: Y_CLIPPED in {count} of 384 cells" in outcome.out


def test_the_jet_of_the_demonstration_stays_one_phase(stages: Stages) -> None:
    """It is transcritical, keeps its energy, and has no negative density."""
    file = stages.folder / "fields"
    outcome = stages.ended(
        case=STUB / "cases" / "jet.nml", Steps=20, Offload="step", OutputFile=file,
        SpeciesFile=STUB / "data" / "species.dat",
    )  # fmt: skip
    assert "one phase: all 4096 cells are stable" in outcome.out
    fields = read(file)
    assert fields.rho.max() > 600.0 and fields.rho.min() < 100.0
    assert min(fields[name].min() for name in fields.species) > -1e-9
    assert abs(float(outcome.words("energy")[4])) < 1e-12
