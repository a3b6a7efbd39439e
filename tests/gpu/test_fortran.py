"""Fortran programs on a GPU: bound arrays, pending runs, refusals between begin and wait."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hosts import build

import bridge

pytestmark = pytest.mark.gpu
PROGRAMS = Path(__file__).parents[1] / "fortran"


def density(temperature: Any) -> Any:
    state = bridge.evaluate("O2 CH4", temperature, 1e7, [0.25, 0.75], ("rho",), backend="cpu")
    return float(state["rho"])


def run(folder: Any, name: Any) -> Any:
    host = build(folder, [PROGRAMS / name], with_compiler="gfortran", flags=("-O3",))
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "CUDA_PATH") if name in os.environ}
    outcome = host.run(environment={**kept, "BRIDGE_BACKEND": "cuda"})
    assert outcome.status == 0, outcome.out + outcome.err
    assert "backend cuda" in outcome.out
    return outcome


@pytest.mark.skipif(os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="needs a process's GPU")
@pytest.mark.fortran
def test_a_pending_run(tmp_path: Path, gpu: Any) -> None:
    outcome = run(tmp_path, "pending_run.f90")
    wanted = [-1.0, *(density(temperature) for temperature in (300.0, 400.0, 500.0))]
    assert [float(word) for word in outcome.words("seen")] == pytest.approx(wanted, rel=1e-12)
    assert float(outcome.words("plane")[0]) == pytest.approx(density(300.0), rel=1e-12)
    assert outcome.words("fringe") == [str(6**3 - 4**3)]
    assert outcome.words("status") == ["-4", "0", "-4", "-4", "0", "0", "-3"]
    assert outcome.words("end") == ["0"]


@pytest.mark.skipif(os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="needs a process's GPU")
@pytest.mark.fortran
def test_bound_arrays_are_not_stale(tmp_path: Path, gpu: Any) -> None:
    wanted = [-1.0, density(300.0), density(400.0)]
    got = [float(word) for word in run(tmp_path, "stale.f90").words("target")]
    assert got == pytest.approx(wanted, rel=1e-12)


@pytest.mark.skipif(os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="needs a process's GPU")
@pytest.mark.fortran
def test_lists_of_points(tmp_path: Path, gpu: Any) -> None:
    """Of arrays of the host, of views and of a copy on the device."""
    lines = run(tmp_path, "lists.f90").out.splitlines()
    checks = [line.split() for line in lines if line[-2:] in (" T", " F")]
    assert len(checks) == 15 and all(right == "T" for _, right in checks), checks
    assert sum(line.startswith("refused-") for line in lines) == 10
