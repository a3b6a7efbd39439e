"""Volume translation, option volumeShift: docs/physics.md, section 6."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.equivalentstates import SPECIES as FEW
from kernels.equivalentstates import check_pressure_derivatives, check_searches
from kernels.measure import R

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

SHIFTED = {"volumeShift": "PENELOUX"}
#: PRMIXTranslated of thermo 0.6.1 with the constants of the table, of the root of lowest Gibbs
#: energy: T, P, X, then V, departures of H, S and Cp (molar), dP/dT at V, ln phi.
THERMO = [
    (100.0, 5000000.0, [0.6, 0.4, 0.0], 3.1795238602263025e-05, -7279.85106902243,
     -42.66967394716368, 21.837087982202103, 1876747.850002133,
     [-2.863839633303647, -4.763405924508814]),
    (220.0, 8000000.0, [0.2, 0.3, 0.5], 4.636277521990349e-05, -9204.709542973345,
     -32.91148277160752, 55.29486169540948, 666374.7930696744,
     [0.559778279644146, -0.16186214741897798, -2.274402707242671]),
    (300.0, 8000000.0, [0.3, 0.3, 0.4], 0.0002487651583356039, -1950.6076328035479,
     -4.753609844262785, 15.992268551343429, 44683.35710054838,
     [-0.004366533579867188, -0.14231075782654581, -0.41570718548242624]),
    (700.0, 30000000.0, [0.5, 0.2, 0.3], 0.00021038088205526046, -431.4093252403509,
     -1.230406115256965, 3.230339911865425, 48647.77708082577,
     [0.09017445197075105, 0.08648235750663587, 0.038254690590031525]),
]  # fmt: skip


def evaluate(species: Any, *positional: Any, **named: Any) -> Any:
    named.setdefault("stability", "off")
    return bridge.evaluate(species, *positional, **named)


def states(n: int = 200, ns: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(21)
    P = np.exp(random.uniform(np.log(1e4), np.log(5e7), n))
    return random.uniform(90.0, 2500.0, n), P, random.dirichlet(np.ones(ns), n)


@pytest.mark.parametrize("state", THERMO, ids=lambda s: f"{s[0]:g} K")
def test_against_thermo(state: Any) -> None:
    T, P, X, V, H, S, Cp, P_T, lnphi = state
    names = "v h s cp h_ideal s_ideal cp_ideal W P_T lnphi_i"
    got = evaluate(FEW, T, P, X=X, outputs=names, options=SHIFTED)
    assert got["v"] == pytest.approx(V, rel=1e-12)
    assert got["h"] * got["W"] - got["h_ideal"] == pytest.approx(H, rel=1e-11)
    assert got["s"] * got["W"] - got["s_ideal"] == pytest.approx(S, rel=1e-11)
    assert got["cp"] * got["W"] - got["cp_ideal"] == pytest.approx(Cp, rel=1e-11)
    assert got["P_T"] == pytest.approx(P_T, rel=1e-11)
    np.testing.assert_allclose(got["lnphi_i"][: len(lnphi)], lnphi, rtol=0, atol=1e-12)


def test_what_a_shift_changes() -> None:
    T, P, Y = states()
    names = ("W v v_pr Z Z_pr X h g u s cp cv c mu_i hbar_i vbar_i lnphi_i rho_p rho_T h_p nRoots "
             "rho h_Yi rho_Yi tpd").split()  # fmt: skip
    plain = evaluate(FEW, T, P, Y, names)
    got = evaluate(FEW, T, P, Y, names, options=SHIFTED)
    c_i = SpeciesData.load(FEW).cShift
    assert c_i is not None
    c, W = plain["X"] @ c_i, plain["W"]

    def same(name: str, expected: Any, scale: Any = 0.0) -> None:
        size = np.maximum(abs(expected), scale)
        assert np.max(abs(got[name] - expected) / size) < 2e-12, name

    for name in ("Z_pr", "v_pr", "nRoots", "s", "cp", "cv", "X"):
        same(name, plain[name])
    same("v", plain["v"] + c)
    same("Z", plain["Z"] + P * c / (R * T))
    same("rho", W / (plain["v"] + c))
    RT = R * T / W
    same("u", plain["u"], RT)
    for name in ("h", "g"):
        same(name, plain[name] + P * c / W, RT)
    for name in ("mu_i", "hbar_i"):
        same(name, plain[name] + P[:, None] * c_i, (R * T)[:, None])
    same("vbar_i", plain["vbar_i"] + c_i, plain["v"][:, None])
    same("lnphi_i", plain["lnphi_i"] + (P / (R * T))[:, None] * c_i, 1.0)
    square = (plain["v"] / got["v"]) ** 2
    same("rho_p", plain["rho_p"] * square)
    same("rho_T", plain["rho_T"] * square)
    same("c", plain["c"] * got["v"] / plain["v"], 1e-6)
    same("h_p", plain["h_p"] + c / W, 1.0 / got["rho"])
    split = plain["tpd"] < -1e-6
    np.testing.assert_allclose(got["tpd"][split], plain["tpd"][split], rtol=1e-8)
    np.testing.assert_array_equal(got["tpd"] < -1e-6, split)
    np.testing.assert_allclose((Y * got["h_Yi"]).sum(axis=1), got["h"], rtol=1e-11)
    np.testing.assert_allclose((Y * got["rho_Yi"]).sum(axis=1), -got["rho"], rtol=1e-11)


def test_derivatives() -> None:
    """Central differences of rho and h in T and P."""
    T, P, Y = states(100)
    T += 200.0
    got = evaluate(FEW, T, P, Y, "rho h rho_p rho_T h_p cp Pkappa status", options=SHIFTED)

    def at(dT: Any, dP: Any) -> Any:
        return evaluate(FEW, T + dT, P + dP, Y, "rho h", options=SHIFTED)

    steady = (got["Pkappa"] < 5.0) & (got["Pkappa"] > 0.2)
    for dT, dP, names in ((1e-5 * T, 0.0, ("rho_T", "cp")), (0.0, 1e-5 * P, ("rho_p", "h_p"))):
        high, low = at(dT, dP), at(-dT, -dP)
        for quantity, name in zip(("rho", "h"), names, strict=True):
            slope = (high[quantity] - low[quantity]) / (2.0 * (dT + dP))
            scale = abs(got[name]) + (0.1 / got["rho"] if name == "h_p" else 0.0)
            assert np.max((abs(slope - got[name]) / scale)[steady]) < 2e-6, name


def test_no_shift_keeps_every_bit() -> None:
    T, P, Y = states()
    names = "rho h g s cp c lnphi_i hbar_i mu_i rho_Yi h_Yi eta lambda D_im tpd status".split()
    plain = evaluate(FEW, T, P, Y, names)
    zero = evaluate(FEW, T, P, Y, names, options={**SHIFTED, "override": "cShift=0"})
    for name in names:
        np.testing.assert_array_equal(plain[name], zero[name], err_msg=name)


def test_states_from_other_quantities() -> None:
    check_searches(*states(), SHIFTED)


def test_pressure_derivatives_by_differences() -> None:
    """Of the pressure, by the density of each species at constant energy of the volume."""
    T, P, Y = states(60)
    check_pressure_derivatives(T + 300.0, P, Y, SHIFTED)


def test_given_densities() -> None:
    """v, rho and Z of a caller are the shifted ones."""
    T, P, Y = states(50)
    names = ("h", "s", "cp", "eta", "v", "rho", "Z")
    made = evaluate(FEW, T, P, Y, names, options=SHIFTED)
    for name in ("v", "rho", "Z"):
        got = evaluate(FEW, T, P, Y, names, options=SHIFTED, inputs={name: made[name]})
        for quantity in names:
            np.testing.assert_allclose(got[quantity], made[quantity], rtol=1e-9, err_msg=quantity)


def test_liquid_densities() -> None:
    """Saturated liquids at 0.7 Tc, kg/m3, of CoolProp 8: what the shifts are fitted to."""
    liquids = {"O2": (108.2067, 4.79194e5, 1045.795), "N2": (88.3344, 3.11683e5, 753.552)}
    for name, (T, P, wanted) in liquids.items():
        given = {"rootPolicy": "SMALLEST"}
        plain = evaluate(name, T, P, outputs="rho", options=given)["rho"]
        got = evaluate(name, T, P, outputs="rho", options={**given, **SHIFTED})["rho"]
        assert plain / wanted > 1.1 and got == pytest.approx(wanted, rel=3e-3), name


def test_inside_a_jump() -> None:
    """Volumes of both ends are shifted alike: the lever rule holds for what comes out."""
    sides = evaluate("CH4", [111.0, 112.5], 1e5, outputs="h", options=SHIFTED)["h"]
    got = evaluate("CH4", P=1e5, h=float(sides.mean()), outputs="rho v Z u s g", options=SHIFTED)
    T = float(got["T"])
    ends = evaluate("CH4", [T - 1e-7, T + 1e-7], 1e5, outputs="h v g", options=SHIFTED)
    x = (sides.mean() - ends["h"][0]) / (ends["h"][1] - ends["h"][0])
    assert got["v"] == pytest.approx(ends["v"][0] + x * (ends["v"][1] - ends["v"][0]), rel=1e-6)
    assert got["Z"] == pytest.approx(1e5 * float(got["v"]) / (R * T), rel=1e-12)
    assert got["g"] == pytest.approx(float(ends["g"].mean()), rel=1e-6)


def test_saturation() -> None:
    """Both phases move by the shift; the pressure stays."""
    names = "P_sat rho_liquid rho_vapour h_liquid h_vapour"
    given = {"composite": "eosSaturation", "outputs": names}
    plain, got = (evaluate("CH4", [100.0, 150.0], options=o, **given) for o in ({}, SHIFTED))
    data = SpeciesData.load(["CH4"])
    assert data.cShift is not None
    c = data.cShift[0] / data.W[0]
    np.testing.assert_array_equal(got["P_sat"], plain["P_sat"])
    for phase in ("liquid", "vapour"):
        np.testing.assert_allclose(1.0 / got[f"rho_{phase}"], 1.0 / plain[f"rho_{phase}"] + c)
        moved = plain[f"h_{phase}"] + plain["P_sat"] * c
        np.testing.assert_allclose(got[f"h_{phase}"], moved, rtol=1e-13)
