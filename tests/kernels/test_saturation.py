"""eosSaturation against teqp's superancillary equations, and against the slope of its pressure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.measure import CUBICS
from kernels.statusbits import BAD_T, BAD_Y, NEAR_CRITICAL, NO_CONV

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

SPECIES = ["N2", "O2", "CH4", "C3H8", "CO2", "H2O", "NH3", "C12H26"]
VALUES = ("P_sat", "rho_liquid", "rho_vapour", "h_liquid", "h_vapour")


def saturation(species: Any, T: Any, Y: Any = None, **options: str) -> Any:
    return bridge.evaluate(species, T, Y=Y, composite="eosSaturation", options=options)


def judge(teqp: Any, data: SpeciesData, cubic: str) -> Any:
    model = {"Tcrit / K": data.Tc.tolist(), "pcrit / Pa": data.Pc.tolist(),
             "acentric": data.omega.tolist(), "kmat": [[0.0]]}  # fmt: skip
    return teqp.make_model({"kind": CUBICS[cubic], "model": model})


def pressures(model: Any, T: np.ndarray) -> np.ndarray:
    """Of teqp's vapour at its density."""
    one = np.array([1.0])
    R = model.get_R(one)
    densities = [model.superanc_rhoLV(t)[1] for t in T]
    return np.array(
        [
            rho * R * t * (1.0 + model.get_Ar01(t, rho, one))
            for t, rho in zip(T, densities, strict=True)
        ]
    )


@pytest.mark.parametrize("cubic", CUBICS)
@pytest.mark.parametrize("species", SPECIES)
def test_against_teqp(species: str, cubic: str) -> None:
    teqp = pytest.importorskip("teqp")
    data = SpeciesData.load([species])
    model = judge(teqp, data, cubic)
    T = data.Tc[0] * np.array([*np.linspace(0.3, 0.99, 40), 0.999, 0.9999, 0.99999])
    got = saturation(species, T, cubic=cubic)
    assert not (got["status"] & NO_CONV).any()
    liquid, vapour = np.array([model.superanc_rhoLV(t) for t in T]).T * data.W[0]
    tolerance = np.where(T < 0.9995 * data.Tc[0], 1e-11, 1e-9)
    for name, wanted in (("rho_liquid", liquid), ("rho_vapour", vapour)):
        assert (np.abs(got[name] / wanted - 1.0) < tolerance).all(), name
    np.testing.assert_allclose(got["P_sat"], pressures(model, T), rtol=1e-10)
    # Clausius and Clapeyron: the latent heat is T (1/rho_V - 1/rho_L) dP/dT
    step = 1e-5 * T[:40]
    slope = (pressures(model, T[:40] + step) - pressures(model, T[:40] - step)) / (2.0 * step)
    heat = (T * (1.0 / vapour - 1.0 / liquid))[:40] * slope
    np.testing.assert_allclose((got["h_vapour"] - got["h_liquid"])[:40], heat, rtol=1e-7)


@pytest.mark.parametrize("cubic", CUBICS)
def test_near_the_critical_point(cubic: str) -> None:
    data = SpeciesData.load(["CO2"])
    near = np.array([1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
    got = saturation("CO2", data.Tc[0] * (1.0 - near), cubic=cubic)
    np.testing.assert_array_equal(got["status"] & NO_CONV, 0)
    np.testing.assert_array_equal(got["status"] & NEAR_CRITICAL != 0, near < 1e-5)
    assert (got["rho_liquid"] >= got["rho_vapour"]).all()
    np.testing.assert_allclose(got["P_sat"], data.Pc[0], rtol=1e-3)


def test_no_saturation_has_its_bit() -> None:
    got = saturation("O2", [90.0, 200.0, 20.0, 3.0, np.nan, -1.0])
    wanted = [0, NO_CONV, 0, NO_CONV, BAD_T, BAD_T]
    np.testing.assert_array_equal(got["status"] & (NO_CONV | BAD_T | BAD_Y), wanted)
    for name in VALUES:
        np.testing.assert_array_equal(np.isnan(got[name]), np.array(wanted) != 0, name)
    mixed = saturation(["O2", "N2"], 90.0, [[1.0, 0.0], [0.5, 0.5], [0.0, 2.0], [0.0, 0.0]])
    wanted = [0, NO_CONV, 0, BAD_Y]
    np.testing.assert_array_equal(mixed["status"] & (NO_CONV | BAD_T | BAD_Y), wanted)
    for name in VALUES:
        assert mixed[name][0] == pytest.approx(got[name][0], rel=1e-12), name
        assert np.isnan(mixed[name][[1, 3]]).all(), name
    alone = saturation("N2", 90.0)
    assert mixed["P_sat"][2] == pytest.approx(float(alone["P_sat"]), rel=1e-12)


def test_the_two_roots_of_that_pressure() -> None:
    """At P_sat the cubic has both as its outer roots, with equal fugacities."""
    T = np.linspace(150.0, 600.0, 30)
    got = saturation("H2O", np.maximum(T, 280.0))
    for policy, name in (("SMALLEST", "liquid"), ("LARGEST", "vapour")):
        root = bridge.evaluate("H2O", np.maximum(T, 280.0), got["P_sat"], outputs="rho h",
                               options={"rootPolicy": policy}, stability="off")  # fmt: skip
        np.testing.assert_allclose(root["rho"], got[f"rho_{name}"], rtol=1e-11)
        np.testing.assert_allclose(root["h"], got[f"h_{name}"], rtol=1e-11)
