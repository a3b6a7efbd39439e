"""The Fortran solver under mpirun: the same bits on every rank count, one physics both ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpi.conftest import make

import bridge

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]

MULTI_ROOT, TWO_PHASE, STABILITY_OPEN = 1 << 6, 1 << 15, 1 << 16
SPECIES = "O2 CH4 CO2 H2O CO N2".split()
CASE: dict[str, Any] = {"Cells": "40,30,2", "Steps": 8}
RANKS = (1, 2, 3, 4)
WAYS: dict[str, dict[str, Any]] = {
    "fortran": {"Properties": "fortran"},
    "bind": {"Properties": "bridge", "Style": "bind"},
    "stripe": {"Properties": "bridge", "Style": "stripe", "MaxBlock": 301},
}


@pytest.fixture(scope="module")
def runs(solver: Any) -> Any:
    """Every way on every number of ranks."""
    return {
        (way, ranks): solver(ranks, **CASE, **values)
        for way, values in WAYS.items()
        for ranks in RANKS
    }


def test_every_run_ends_well(runs: Any) -> None:
    for key, run in runs.items():
        assert run.status == 0, (key, run.err)
        assert run.fields


@pytest.mark.parametrize("way", WAYS)
def test_interior_is_bit_identical_on_1_to_4_ranks(runs: Any, way: Any) -> None:
    for ranks in RANKS[1:]:
        assert runs[way, ranks].interior == runs[way, 1].interior, f"{ranks} ranks"


def test_stripe_loop_and_bound_arrays_give_the_same_bits(runs: Any) -> None:
    assert runs["stripe", 2].interior == runs["bind", 2].interior


def test_states_are_what_the_case_says(runs: Any) -> None:
    run = runs["bind", 1]
    status = run.field("status").astype(int)
    known = {0, 131072}
    assert set(np.unique(status)) <= known, "nothing but diffusion in the cold oxygen"
    T = run.field("T")
    assert T.min() >= 119.0 and 500.0 < T.max() < 1800.0
    assert run.field("rho").max() > 900.0


def unstable(run: Any) -> int:
    """How many cells of the fields would split into two phases, asked from Python."""
    Y = np.stack([run.field(f"Y_{name}").ravel() for name in SPECIES], axis=1)
    tpd = bridge.evaluate(SPECIES, run.field("T").ravel(), 1e7, Y, "tpd", backend="cpu")["tpd"]
    return int((tpd < -1e-9).sum())


@pytest.mark.parametrize("way", ["bind", "stripe"])
def test_the_demos_case_is_one_phase_and_says_so(runs: Any, way: str) -> None:
    for ranks in RANKS:
        run = runs[way, ranks]
        assert "one phase: all 2400 cells are stable" in run.out
        assert run.out.count("phase:") == 1, "one rank says it for all"
    assert unstable(runs[way, 1]) == 0
    assert runs[way, 1].field("rho").max() > 900.0, "and transcritical"


@pytest.mark.parametrize("steps", [0, 40, 150])
def test_the_demos_case_is_one_phase_at_other_times(solver: Any, steps: int) -> None:
    run = solver(2, Cells="40,30,1", Steps=steps, **WAYS["bind"])
    assert run.status == 0, run.err
    assert "one phase: all 1200 cells are stable" in run.out
    assert unstable(run) == 0


def test_every_mixture_of_the_demos_streams_is_one_phase() -> None:
    """T and Y of a cell lie between those of the streams, T not always on the same line."""
    share = np.random.default_rng(5).dirichlet([0.3, 0.3, 0.3], 2000)
    streams = np.zeros((3, 6))
    streams[0, 0] = streams[1, 1] = 1.0
    streams[2] = [0.05, 0.05, 0.45, 0.0, 0.35, 0.1]
    Y = share @ streams
    for lower in (1.0, 0.8, 0.6):
        T = np.maximum(lower * (share @ [120.0, 290.0, 1800.0]), 120.0)
        found = bridge.evaluate(SPECIES, T, 1e7, Y, ("tpd", "status"), backend="cpu")
        assert found["tpd"].min() >= -1e-9
        assert not (found["status"].astype(int) & (TWO_PHASE | STABILITY_OPEN)).any()


@pytest.mark.parametrize("ranks", [1, 3])
def test_condensing_water_is_counted_over_the_ranks(solver: Any, ranks: int) -> None:
    run = solver(ranks, case="condensing", Cells="40,30,2", Steps=8, **WAYS["bind"])
    assert run.status == 0, run.err
    assert not (run.field("status").astype(int) & MULTI_ROOT).any(), "MULTI_ROOT does not tell it"
    count = unstable(run)
    assert 0.15 < count / 2400 < 0.35
    assert f"two phases: {count} of 2400 cells would split" in run.out


def test_a_case_that_must_be_one_phase_fails_where_it_is_not(solver: Any) -> None:
    case = {"case": "condensing", "Cells": "24,20,1", "Steps": 1, **WAYS["bind"]}
    run = solver(2, Phases="one", **case)
    assert run.status != 0
    assert "the case is not one phase: two phases: " in run.err
    run = solver(2, Phases="off", **case)
    assert run.status == 0 and "cells would split" not in run.out
    run = solver(2, Phases="liquid", **case)
    assert run.status != 0 and "Phases must be off, count or one, got liquid" in run.err


def test_verify_passes_where_water_condenses(solver: Any) -> None:
    """The polar species too: the demo's case has no water."""
    run = solver(2, case="condensing", Properties="verify", Cells="24,20,1", Steps=3)
    assert run.status == 0, run.err
    assert "verify: passed" in run.out and "two phases: " in run.out
    assert run.field("Y_H2O").max() > 0.1


def test_bridge_and_fortran_agree_after_50_steps(solver: Any) -> None:
    both = [solver(2, Cells="40,30,1", Steps=50, **WAYS[way]) for way in ("fortran", "bind")]
    for name in ("T", "rho", "c", "eta", "Y_O2", "Y_CO2"):
        legacy, bridge = (run.field(name) for run in both)
        scale = np.abs(legacy).max()
        assert np.abs(bridge - legacy).max() / scale < 1e-8, name
    assert both[0].interior != both[1].interior, "two runs of the same physics"


def test_verify_reports_and_passes(solver: Any) -> None:
    run = solver(2, Properties="verify", Cells="24,20,1", Steps=3)
    assert run.status == 0, run.err
    assert "passed" in run.out
    for name in ("rho", "eta", "lambda", "D_im", "h_Yi", "c"):
        line = next(line for line in run.out.splitlines() if line.split()[:1] == [name])
        assert 0.0 < float(line.split()[1]) < 1e-10, line


def test_verify_names_the_step_of_the_largest_difference(solver: Any) -> None:
    """Steps done before: 0 for the state at the start, at most Steps for that of the file."""
    steps = {}
    for count in (0, 5):
        run = solver(2, Properties="verify", Cells="24,20,1", Steps=count)
        assert run.status == 0, run.err
        table = run.out.partition("cell (i, j, k)")[2].partition("verify:")[0]
        rows = [line.split() for line in table.splitlines() if len(line.split()) == 8]
        steps[count] = {int(row[-1]) for row in rows}
        assert {"rho", "eta"} <= {row[0] for row in rows}
    assert steps[0] == {0}
    assert steps[5] <= set(range(6)) and 5 in steps[5]


def test_verify_takes_the_stripe_loop_as_well(solver: Any) -> None:
    run = solver(2, Properties="verify", Style="stripe", MaxBlock=77, Cells="24,20,1", Steps=1)
    assert run.status == 0, run.err
    assert "passed" in run.out


def test_species_constants_from_the_host_give_the_same_bits(runs: Any, solver: Any) -> None:
    run = solver(2, SpeciesData="host", **CASE, **WAYS["bind"])
    assert run.status == 0, run.err
    assert run.interior == runs["bind", 2].interior


@pytest.mark.parametrize(
    ("policy", "words"), [("abort", "[bridge, rank"), ("return", "frame_initialize failed with")]
)
def test_who_ends_the_job(
    solver: Any, monkeypatch: pytest.MonkeyPatch, policy: str, words: Any
) -> None:
    """OnError: the bridge itself, or the solver that has read the status."""
    monkeypatch.setenv("BRIDGE_BACKEND", "abacus")
    run = solver(2, Properties="bridge", OnError=policy, Cells="24,20,1", Steps=1)
    assert run.status != 0
    assert words in run.out + run.err
    assert "abacus" in run.out + run.err
    assert ("the job ends here" in run.err) == (policy == "abort")


def test_verify_fails_where_the_difference_is_larger_than_allowed(solver: Any) -> None:
    run = solver(2, Properties="verify", Cells="24,20,1", Steps=2, VerifyTolerance="1e-18")
    assert run.status != 0
    assert "do not agree" in run.out + run.err


def test_step_from_the_sound_speed_is_the_same_on_every_rank_count(solver: Any) -> None:
    one, three = (solver(n, Dt=0, Steps=5, Cells="24,20,1", **WAYS["bind"]) for n in (1, 3))
    assert one.status == 0 and one.interior == three.interior
    fixed = solver(1, Steps=5, Cells="24,20,1", **WAYS["bind"])
    assert fixed.interior != one.interior


def test_timers_name_the_parts(runs: Any) -> None:
    timers = runs["bind", 2].timers
    assert timers["run"]["ranks"] == 2
    assert timers["properties_bridge"]["calls"] == CASE["Steps"] + 1
    assert 0.0 < timers["properties_bridge"]["min"] <= timers["properties_bridge"]["max"]
    assert "properties_fortran" not in timers


def test_a_wrong_device_count_or_species_stops_the_job(solver: Any) -> None:
    run = solver(2, Properties="bridge", Species="O2 CH4 CO2 H2O CO XX", Steps=1)
    assert run.status != 0
    assert "XX" in run.out + run.err


def test_options_of_the_case_reach_the_bridge(solver: Any) -> None:
    """Flags and overridden species constants in the namelist, as text."""
    case = {"case": "condensing", "Cells": "24,20,1", "Steps": 1, **WAYS["bind"]}
    given = "chungDense=PUBLISHED; override=dipole=0.0 kappa=0,0,0,0.05,0,0 ; prCross=abs"
    run, plain = solver(2, Options=given, **case), solver(2, **case)
    assert run.status == 0, run.err
    Y = np.stack([run.field(f"Y_{name}").ravel() for name in SPECIES], axis=1)
    options = {
        "chungDense": "PUBLISHED",
        "prCross": "ABS",
        "species": {"dipole": 0.0, "kappa": [0, 0, 0, 0.05, 0, 0]},
    }
    T = run.field("T").ravel()
    expected = bridge.evaluate(SPECIES, T, 1e7, Y, ("eta", "rho"), options=options, backend="cpu")
    for name in ("eta", "rho"):
        np.testing.assert_allclose(run.field(name).ravel(), expected[name], rtol=1e-12)
    assert np.abs(run.field("eta") / plain.field("eta") - 1.0).max() > 1e-4
    refused = solver(1, Options="prCross=SOMETIMES", **case)
    assert refused.status != 0 and "SIGNED" in refused.out + refused.err
    refused = solver(1, Options="prCross", **case)
    assert refused.status != 0 and "key=value" in refused.out + refused.err


def test_without_a_bridge_the_solver_still_runs_on_fortran(solver: Any) -> None:
    program = make("absent", solver.folder, "FFLAGS=-O0") / "absent" / "solver"
    legacy = solver(2, program=program, Cells="24,20,1", Steps=2, Properties="fortran")
    assert legacy.status == 0 and legacy.fields
    refused = solver(2, program=program, Cells="24,20,1", Steps=2, Properties="bridge")
    assert refused.status != 0
