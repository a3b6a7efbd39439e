"""T from h: its status bits and edge cases, docs/physics.md, sections 9 and 17."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.measure import assert_parts
from kernels.statusbits import (
    BAD_P,
    BAD_T,
    BAD_Y,
    GOOD,
    H_ABOVE,
    H_BELOW,
    H_GAP,
    MULTI_ROOT,
    NO_CONV,
    SPECIES,
    run,
)
from kernels.test_status import shared

from bridge.backends.cpu.single import launch_kernel

pytestmark = pytest.mark.usefixtures("backend")

# ---- T from h ---------------------------------------------------------------------------


def solve(
    h: Any,
    P: float | np.ndarray,
    Y: np.ndarray,
    species: str = SPECIES,
    T0: float | None = None,
    outputs: tuple[str, ...] = ("rho", "h"),
) -> dict[str, np.ndarray]:
    return run(None, P, Y, outputs, species=species, h=h, T0=T0)


def test_enthalpy_below_and_above() -> None:
    ends = run([20.0, 6000.0], 1e5, [1.0], ("h",), species="N2")["h"]
    got = solve(ends + np.array([-1e4, 1e4]), 1e5, np.ones((2, 1)), "N2")
    assert got["T"].tolist() == [20.0, 6000.0]
    assert got["status"][0] & H_BELOW and got["status"][1] & H_ABOVE
    assert not got["status"][0] & (H_ABOVE | H_GAP | NO_CONV)
    assert not got["status"][1] & (H_BELOW | H_GAP | NO_CONV)


def test_enthalpy_inside_the_latent_heat() -> None:
    sides = run([111.0, 112.5], 1e5, [1.0], ("h", "rho"), species="CH4")
    assert sides["rho"][0] > 300 > sides["rho"][1]
    got = solve([sides["h"].mean()], 1e5, np.ones((1, 1)), "CH4")
    assert got["status"][0] & H_GAP and 111.0 < got["T"][0] < 112.5
    assert got["iterations"][0] <= 60


def test_pseudo_boiling_cycles() -> None:
    """States where plain Newton jumps between two temperatures for ever."""
    for species, T, P in (("O2", 153.04, 5.144e6), ("H2O", 640.0, 2e7)):
        h = run(T, P, [[1.0]], ("h",), species=species)["h"]
        for T0 in (60.0, 124.93, 165.52, 300.0, 583.3, 749.0, 3000.0):
            got = solve(h, P, np.ones((1, 1)), species, T0=T0)
            assert got["T"][0] == pytest.approx(T, rel=1e-9)
            assert not got["status"][0] & 0xF00


def test_enthalpy_not_finite() -> None:
    got = solve([np.nan, np.inf, -1.9e6], 8e6, np.repeat(GOOD, 3, axis=0))
    assert got["status"][:2].tolist() == [BAD_T, BAD_T]
    assert np.isnan(got["T"][:2]).all() and np.isnan(got["rho"][:2]).all()
    assert got["iterations"][:2].tolist() == [0, 0]
    assert np.isfinite(got["T"][2]) and got["iterations"][2] > 0


def test_bad_points_of_the_temperature_search() -> None:
    h = run(250.0, 8e6, GOOD, ("h",))["h"]
    P = np.array([8e6, np.nan, 8e6])
    Y = np.vstack([GOOD, GOOD, np.zeros((1, 3))])
    got = solve(np.repeat(h, 3), P, Y)
    assert got["status"].tolist() == [0, BAD_P, BAD_Y]
    assert np.isnan(got["T"][1:]).all() and got["iterations"][1:].tolist() == [0, 0]
    alone = solve(h, 8e6, GOOD)
    assert alone["T"][0] == got["T"][0] and alone["iterations"][0] == got["iterations"][0]


@pytest.mark.parametrize("T0", [np.nan, np.inf, -5.0, 0.0, 1e9])
def test_bad_guess_is_replaced(T0: Any) -> None:
    h = run(250.0, 8e6, GOOD, ("h",))["h"]
    got = solve(h, 8e6, GOOD, T0=T0)
    assert got["T"][0] == pytest.approx(250.0, rel=1e-9) and got["status"][0] == 0


def test_final_evaluation_belongs_to_the_final_temperature() -> None:
    h = run([150.0, 4000.0], 1e7, [0.7, 0.3, 0.0], ("h",))["h"]
    got = solve(h, 1e7, np.array([[0.7, 0.3, 0.0]] * 2), outputs=("rho", "h", "cp"))
    again = run(got["T"], 1e7, [0.7, 0.3, 0.0], ("rho", "h", "cp"))
    for name in ("rho", "h", "cp", "status"):
        assert_parts(got[name], again[name], name)


def test_no_convergence() -> None:
    """The last permitted evaluation, handed to the kernel with a bracket that is still open."""
    values = {"h_residual": 1e3, "dT": 1.0, "Z_pr": 0.9, "T": 400.0, "lo": 300.0, "hi": 500.0,
              "h_residual_lo": -9e5, "h_residual_hi": 9e5, "Z_lo": 0.2, "Z_hi": 0.8, "step": 50.0,
              "stepOld": 60.0, "done": 0, "iterations": 79, "status_newton": 0}  # fmt: skip
    inputs = {name: np.array([value, value]) for name, value in values.items()}
    inputs["iterations"] = np.array([79, 78], dtype=np.int32)
    got = launch_kernel("prEOSNewtonUpdate", inputs, shared("N2"))
    assert got["status_newton"].tolist() == [NO_CONV, 0] and got["done"].tolist() == [1, 0]
    assert got["T"].tolist() == [399.0, 399.0] and got["iterations"].tolist() == [80, 79]


def test_ended_points_keep_everything() -> None:
    values = {"h_residual": 1e3, "dT": 1.0, "Z_pr": 0.9, "T": 400.0, "lo": 300.0, "hi": 500.0,
              "h_residual_lo": -9e5, "h_residual_hi": 9e5, "Z_lo": 0.2, "Z_hi": 0.8, "step": 50.0,
              "stepOld": 60.0, "done": 1, "iterations": 5, "status_newton": H_GAP}  # fmt: skip
    inputs = {name: np.array([value]) for name, value in values.items()}
    got = launch_kernel("prEOSNewtonUpdate", inputs, shared("N2"))
    assert {name: got[name][0] for name in got} == {name: values[name] for name in got}


def test_search_bits_join_the_status_word() -> None:
    inputs = {"status": np.array([MULTI_ROOT, BAD_P]), "status_newton": np.array([H_GAP, NO_CONV])}
    got = launch_kernel("mergeStatus", inputs, shared("N2"))
    assert got["status"].tolist() == [MULTI_ROOT | H_GAP, BAD_P]
