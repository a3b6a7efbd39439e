"""Against teqp at test time: derivatives by automatic differentiation of the Helmholtz energy.

At states the reference file does not hold, with interaction coefficients, and with n-dodecane,
whose slope of the alpha function comes from the 1978 report.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.measure import CUBICS, TOLERANCES, R, worst

import bridge
from bridge.physics.species import SpeciesData

SPECIES = ["C12H26", "N2", "CO2", "CH4"]
TOL = TOLERANCES["property"]["teqp"]
KIJ = np.array(
    [[0.0, 0.14, 0.1, 0.05], [0.14, 0.0, -0.012, 0.03], [0.1, -0.012, 0.0, 0.1],
     [0.05, 0.03, 0.1, 0.0]]
)  # fmt: skip


@pytest.fixture(scope="module", params=CUBICS)
def cubic(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def library(cubic: str) -> Any:
    teqp = pytest.importorskip("teqp")
    data = SpeciesData.load(SPECIES)
    model = {
        "Tcrit / K": data.Tc.tolist(),
        "pcrit / Pa": data.Pc.tolist(),
        "acentric": data.omega.tolist(),
        "kmat": KIJ.tolist(),
    }
    return teqp.make_model({"kind": CUBICS[cubic], "model": model})


@pytest.fixture(scope="module")
def states() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Below every change of sign of the attraction, where SIGNED is what the library has."""
    random = np.random.default_rng(23)
    n = 80
    T = random.uniform(290.0, 1000.0, n)
    P = np.exp(random.uniform(np.log(1e5), np.log(5e7), n))
    return T, P, random.dirichlet(np.full(len(SPECIES), 0.6), n)


def test_states(
    library: Any, states: tuple[np.ndarray, np.ndarray, np.ndarray], cubic: str
) -> None:
    T, P, Y = states
    names = ("rho", "W", "X", "h", "h_ideal", "cv", "cv_ideal", "rho_p", "rho_T", "c", "cp",
             "lnphi_i", "vbar_i", "hbar_i", "h0_i", "Pkappa")  # fmt: skip
    given: dict[str, Any] = {"options": {"cubic": cubic}, "backend": "cpu"}
    got = bridge.evaluate(SPECIES, T, P, Y, names, kij=KIJ, **given)
    W = got["W"]
    expected = {name: np.empty_like(got[name]) for name in ("lnphi_i", "vbar_i")}
    pressure, h, cv, P_rho, P_T = (np.empty_like(T) for _ in range(5))
    for k in range(len(T)):
        X, density = got["X"][k], got["rho"][k] / W[k]
        RT = library.get_R(X) * T[k]
        a01, a02, a10, a20, a11 = (
            getattr(library, f"get_Ar{order}")(T[k], density, X)
            for order in ("01", "02", "10", "20", "11")
        )
        pressure[k] = density * RT * (1.0 + a01)
        h[k] = RT * (a10 + a01)
        cv[k] = -RT / T[k] * a20
        P_rho[k] = RT * (1.0 + 2.0 * a01 + a02)
        P_T[k] = RT / T[k] * density * (1.0 + a01 - a11)
        parts = density * X
        expected["lnphi_i"][k] = np.log(library.get_fugacity_coefficients(T[k], parts))
        expected["vbar_i"][k] = library.get_partial_molar_volumes(T[k], parts)
    cond = got["Pkappa"]
    # a pressure that is a small difference of large terms counts by its terms
    terms = got["rho"] / W * R * T
    assert worst(P, pressure, terms, cond) < TOL
    assert worst(got["h"] * W - got["h_ideal"], h, R * T + np.abs(got["h_ideal"]), cond) < TOL
    assert worst(got["cv"] * W - got["cv_ideal"], cv, R, cond) < TOL
    assert worst(W / got["rho_p"], P_rho, condition=cond) < TOL
    assert worst(-got["rho_T"] / got["rho_p"], P_T, condition=cond) < TOL
    assert worst(got["lnphi_i"], expected["lnphi_i"], 1.0, cond) < TOL
    assert worst(got["vbar_i"], expected["vbar_i"], (W / got["rho"])[:, None], cond) < TOL
    # and by an identity of another kind: c^2 = (cp/cv) dP/drho
    speed = np.sqrt(got["cp"] / got["cv"] * P_rho / W)
    assert worst(got["c"], speed, condition=cond) < TOL


def test_interaction_coefficients_matter(
    library: Any, states: tuple[np.ndarray, np.ndarray, np.ndarray], cubic: str
) -> None:
    """The agreement above is not one that any coefficients would give."""
    T, P, Y = states
    given: dict[str, Any] = {"options": {"cubic": cubic}, "backend": "cpu"}
    got = bridge.evaluate(SPECIES, T, P, Y, ("rho", "W", "X"), **given)
    X, density = got["X"], got["rho"] / got["W"]
    pressure = [
        d * R * t * (1.0 + library.get_Ar01(t, d, x))
        for t, d, x in zip(T, density, X, strict=True)
    ]
    assert np.abs(P / pressure - 1.0).max() > 1e-2
