"""Chung viscosity and conductivity against cantera, CoolProp and chemicals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.measure import DEFAULT_SYSTEMS, TOLERANCES, R, System, group, present, system, worst

import bridge
from bridge.backends.cpu.single import launch_kernel
from bridge.physics.options import Options
from bridge.physics.shared import SharedData, shipped_tables
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

pytestmark = pytest.mark.usefixtures("backend")

TOL = TOLERANCES["reference"]
PUBLISHED = {
    "chungDense": "PUBLISHED",
    "chungTables": "cantera32",
    "dilutePrefactor": tuple(
        shipped_tables()["chung"]["dilutePrefactorCantera"][key]
        for key in ("viscosity", "conductivity")
    ),
}


def evaluated(this: System, options: dict[str, Any], dipole: bool = True) -> dict[str, np.ndarray]:
    """Without association, and without dipoles: constants overridden by options."""
    override = {"kappa": 0.0} | ({} if dipole else {"dipole": 0.0})
    names = ("eta", "lambda", "cv_ideal", "rho")
    return bridge.evaluate(*this.inputs, names, options=options | {"species": override})


@pytest.mark.parametrize("name", DEFAULT_SYSTEMS)
@pytest.mark.parametrize("dipole", [True, False], ids=["pub", "nodip"])
def test_published(name: str, dipole: bool) -> None:
    this = system(name)
    got = evaluated(this, PUBLISHED, dipole)
    suffix, cond = ("pub", "eta_cond") if dipole else ("nodip", "eta_cond_nodip")
    ok = this.well & (this[cond] <= TOL["skip_chung_condition"])
    # the density these depend on has the condition of the equation of state
    condition = np.maximum(this[cond], this["cond"])[ok]
    assert worst(got["eta"][ok], this[f"eta_{suffix}"][ok], condition=condition) < TOL["chung"]
    assert worst(got["lambda"][ok], this[f"lam_{suffix}"][ok], condition=condition) < TOL["chung"]
    assert worst(got["cv_ideal"], this["cv0"]) < TOL["chung"]
    negative = ok & (this[f"eta_{suffix}"] <= 0.0)
    assert (got["status"][negative] & 4096).all()


@pytest.mark.parametrize("name", DEFAULT_SYSTEMS)
def test_bounded_equals_published_without_polarity(name: str) -> None:
    this = system(name)
    got = evaluated(this, PUBLISHED | {"chungDense": "BOUNDED"}, dipole=False)
    X = this["X"]
    s15 = present(this.species.Vc) ** 0.5
    omega = X @ (this.species.omega * s15) / (X @ s15)
    ok = this.well & (omega >= 0.0) & (omega <= 1.0)
    cond = np.maximum(this["eta_cond_nodip"], this["cond"])[ok]
    assert worst(got["eta"][ok], this["eta_nodip"][ok], condition=cond) < TOL["chung"]
    assert worst(got["lambda"][ok], this["lam_nodip"][ok], condition=cond) < TOL["chung"]


def chain(
    species: SpeciesData,
    T: np.ndarray,
    v: np.ndarray,
    options: dict[str, Any],
    cv_ideal: np.ndarray,
) -> dict[str, np.ndarray]:
    """eta0, eta, lambda of a pure species at given T, v and ideal heat capacity."""
    run = SharedData(species, Options.parse(options))
    n = len(T)
    values = {"X": np.ones((n, 1)), "T": T, "v": v, "cv_ideal": cv_ideal}
    for name in (
        "chungMixParameters",
        "chungMixMolarMass",
        "chungCollisionIntegral",
        "chungDenseCoefficients",
        "chungReducedDensity",
        "chungDiluteViscosity",
        "chungViscosity",
        "chungPsi",
        "chungThermalConductivity",
    ):
        kernel = Catalogue.shipped().kernel(name)
        inputs = {key: values[key] for key in kernel.inputs if key in values}
        values |= launch_kernel(name, inputs, run)
    return values


def one(
    W: float, Tc: float, Vc: float, omega: float, dipole: float, kappa: float = 0.0
) -> SpeciesData:
    """Pc, which these correlations do not read, is not that of the substance."""
    nasa7 = np.array([[300.0, 1000.0, 5000.0, *([2.5] + [0.0] * 6) * 2]])
    return SpeciesData.from_mapping(
        {"W": [W], "Tc": [Tc], "Pc": [3e6], "Vc": [Vc], "omega": [omega], "dipole": [dipole],
         "kappa": [kappa], "nasa7": nasa7, "unchecked": True}
    )  # fmt: skip


def test_viscosity_of_coolprop() -> None:
    table = group("coolprop_chung")["T_c_Tc_Vc_M_dip_omega_eta"]
    options = {"chungDense": "PUBLISHED", "omega22G": -6.435e-4}
    got = np.empty(len(table))
    constants, index = np.unique(table[:, 2:7], axis=0, return_inverse=True)
    for k, (Tc, Vc, M, dipole, omega) in enumerate(constants):
        rows = np.flatnonzero(index.ravel() == k)
        T, c = table[rows, 0], table[rows, 1]
        species = one(M, Tc, Vc, omega, dipole)
        got[rows] = chain(species, T, 1.0 / c, options, np.full(len(T), 20.0))["eta"]
    assert worst(got, table[:, 7]) < TOL["chung_cross"]


def test_conductivity_of_chemicals() -> None:
    table = group("chemicals_chung")["T_MW_Tc_Vc_omega_Cv_V_mu_dip_kappa_lam"]
    options = {"chungDense": "PUBLISHED", "chungTables": "poling2001"}
    got = np.empty(len(table))
    for k, (T, MW, Tc, Vc, omega, Cv, V, mu, dipole, kappa, _) in enumerate(table):
        species = one(1e-3 * MW, Tc, Vc, omega, dipole, kappa)
        values = chain(species, np.array([T]), np.array([V]), options, np.array([Cv]))
        inputs = {
            key: values[key]
            for key in ("psi", "B_chung", "y", "G1", "M_m", "Tcm_chung", "Vcm_chung", "T")
        }
        inputs["eta0"] = np.array([mu])
        run = SharedData(species, Options.parse(options))
        got[k] = launch_kernel("chungThermalConductivity", inputs, run)["lambda"][0]
    assert worst(got, table[:, 10]) < TOL["chung_cross"]


def test_monatomic_psi_is_one() -> None:
    values = chain(
        one(0.03995, 150.7, 7.5e-5, 0.0, 0.0),
        np.array([300.0]),
        np.array([0.02]),
        {},
        np.array([1.5 * R]),
    )
    assert values["psi"][0] == 1.0
