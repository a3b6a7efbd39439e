"""The option `alpha`: a fitted slope of the attraction. docs/physics.md, section 5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bridge
from bridge.errors import ArgumentError, BridgeError
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

FITTED = {"alpha": "FITTED"}
#: Hydrogen of CoolProp 8: T, P, rho, departure of h from the ideal gas over cp, K.
HYDROGEN = [
    (150.0, 2.0e07, 27.1448, -0.992593),
    (200.0, 1.5e07, 16.27, 1.72581),
    (300.0, 3.0e07, 20.4265, 11.1794),
    (400.0, 3.0e07, 15.8787, 13.8531),
]


def evaluate(species: Any, *positional: Any, **named: Any) -> Any:
    named.setdefault("stability", "off")
    return bridge.evaluate(species, *positional, **named)


def slope(species: str, options: dict[str, Any]) -> Any:
    return SharedData(SpeciesData.load(species.split()), Options.parse(options)).fields()["prM"]


def test_hydrogen_above_its_critical_temperature() -> None:
    T, P, rho, h = np.array(HYDROGEN).T
    names = "rho h h_ideal cp W"
    plain, got = (evaluate("H2", T, P, outputs=names, options=o) for o in ({}, FITTED))
    assert (np.abs(plain["rho"] / rho - 1.0) > 0.03).all()
    np.testing.assert_allclose(got["rho"], rho, rtol=4e-3)
    departure = (got["h"] - got["h_ideal"] / got["W"]) / got["cp"]
    np.testing.assert_allclose(departure, h, rtol=0.0, atol=0.3)


def test_species_without_a_slope_stay() -> None:
    names = "O2 H2 H2O"
    plain, fitted = slope(names, {}), slope(names, FITTED)
    np.testing.assert_array_equal(plain[[0, 2]], fitted[[0, 2]])
    assert fitted[1] == 0.29 and plain[1] == pytest.approx(0.0239394, rel=1e-5)
    outputs = "rho h s cp c lnphi_i"
    one, other = (evaluate("O2", 300.0, 1e7, outputs=outputs, options=o) for o in ({}, FITTED))
    for name in outputs.split():
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_a_slope_of_the_user() -> None:
    np.testing.assert_array_equal(slope("H2", {"override": "alphaSlope=0.3"}), slope("H2", {}))
    mixed = {**FITTED, "override": "alphaSlope=0,0.31"}
    np.testing.assert_array_equal(slope("O2 H2", mixed), [slope("O2", {})[0], 0.31])
    with pytest.raises(ArgumentError, match=r"H2: alphaSlope 29, wanted -1 to 2"):
        slope("H2", {**FITTED, "override": "alphaSlope=29"})


def test_the_slope_of_the_table_is_for_peng_robinson() -> None:
    both = {**FITTED, "cubic": "SOAVE_REDLICH_KWONG"}
    with pytest.raises(BridgeError, match=r"alpha.*Peng-Robinson.*alphaSlope="):
        slope("H2", both)
    np.testing.assert_array_equal(slope("H2", {**both, "override": "alphaSlope=0.18"}), [0.18])


def test_the_heat_capacity_is_the_slope_of_the_enthalpy() -> None:
    """dh = cp dT at constant P."""
    T, P = np.array([120.0, 300.0, 900.0]), 2e7
    names = "h cp"
    low, at, high = (
        evaluate("H2", T + d, P, outputs=names, options=FITTED) for d in (-0.01, 0, 0.01)
    )
    np.testing.assert_allclose((high["h"] - low["h"]) / 0.02, at["cp"], rtol=1e-6)
