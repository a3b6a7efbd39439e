"""The option `cubic`: the equation of Soave, Redlich and Kwong. docs/physics.md, section 6."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.equivalentstates import check_pressure_derivatives, check_searches
from kernels.measure import R

import bridge
from bridge.errors import BridgeError
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

SRK = {"cubic": "SOAVE_REDLICH_KWONG"}
#: SRKMIX of thermo 0.6.1 with the constants of the table and k_ij = 0.04, one gas and five dense
#: fluids: T, P, X, then V, departures of H, S, Cp and Cv (molar), dP/dT, dP/dV, ln phi.
THERMO = [
    ("H2O", 450.0, 200000.0, [1.0],
     0.01852322449911905, -107.48374177629103, -0.1572830570743738,
     0.37672872534578516, 0.05616634036058326, 452.9119200066759, -10689968.26810696,
     [-0.009810580211210179]),
    ("O2", 100.0, 5000000.0, [1.0],
     2.9057781084037825e-05, -6663.327094031613, -42.70574853363166,
     26.99927106995514, 11.243026578625775, 1621285.6274745744, -10920190561498.322,
     [-2.8778194701895377]),
    ("O2 CH4", 180.0, 10000000.0, [0.7, 0.3],
     6.549115246325536e-05, -3955.6691437017043, -16.82875228970132,
     71.98637214051975, 4.686936633117769, 281957.89928182465, -189251534557.49634,
     [-0.43771970896141665, -1.04220184624742]),
    ("N2 CO2 CH4", 320.0, 20000000.0, [0.5, 0.2, 0.3],
     0.00012821681718956163, -1935.0785497875063, -5.197627220530398,
     14.194549567758504, 2.7686588589497947, 103132.78721182753, -172420367508.66263,
     [0.10171284005679909, -0.5169670227836672, -0.1654452298268888]),
    ("O2 CH4 CO2 N2 CO", 130.0, 30000000.0, [0.3, 0.25, 0.05, 0.2, 0.2],
     3.593851876240015e-05, -5694.695708248255, -24.866093823972356,
     23.301752581013623, 10.090339144868956, 1167522.64525305, -8232147490129.549,
     [-2.0761328492273554, -3.244252490239866, -7.39227873496567, -1.0677954072283802,
      -1.3039657009582495]),
    ("O2 CH4 CO2 C2H6 C3H8 C12H26", 420.0, 12000000.0, [0.05, 0.1, 0.1, 0.15, 0.2, 0.4],
     0.000187493270569979, -23322.697138642867, -37.69576068010079,
     52.31978019455451, 22.26007084786177, 246319.41263948195, -664060355528.4353,
     [1.1916516281210403, 0.9213051382791488, 0.32151279418598744, 0.10780677856125642,
      -0.49264754306170166, -5.616249157782971]),
]  # fmt: skip


def evaluate(species: Any, *positional: Any, **named: Any) -> Any:
    named = {"stability": "off", "options": SRK} | named
    return bridge.evaluate(species, *positional, **named)


def states(n: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(31)
    P = np.exp(random.uniform(np.log(1e4), np.log(5e7), n))
    return random.uniform(90.0, 2500.0, n), P, random.dirichlet(np.ones(3), n)


@pytest.mark.parametrize("state", THERMO, ids=lambda s: f"{s[0]} {s[1]:g} K")
def test_against_thermo(state: Any) -> None:
    species, T, P, X, V, H, S, Cp, Cv, P_T, P_v, lnphi = state
    names = "v Z h s cp cv c h_ideal s_ideal cp_ideal cv_ideal W P_T P_v lnphi_i"
    kij = 0.04 * (1.0 - np.eye(len(X)))
    got = evaluate(species.split(), T, P, X=X, outputs=names, kij=kij)
    W = got["W"]
    assert got["v"] == pytest.approx(V, rel=1e-12)
    assert got["Z"] == pytest.approx(P * V / (R * T), rel=1e-12)
    for name, departure in (("h", H), ("s", S), ("cp", Cp), ("cv", Cv)):
        assert got[name] * W - got[f"{name}_ideal"] == pytest.approx(departure, rel=1e-11), name
    assert got["P_T"] == pytest.approx(P_T, rel=1e-11)
    assert got["P_v"] == pytest.approx(P_v, rel=1e-11)
    np.testing.assert_allclose(got["lnphi_i"], lnphi, rtol=0, atol=1e-12)
    speed = np.sqrt(-(V**2) * P_v / W * (got["cp_ideal"] + Cp) / (got["cv_ideal"] + Cv))
    assert got["c"] == pytest.approx(speed, rel=1e-11)


def test_states_from_other_quantities() -> None:
    check_searches(*states(), SRK)


def test_derivatives_by_differences() -> None:
    """Of the pressure, by the density of each species at constant energy of the volume."""
    T, P, Y = states(60)
    check_pressure_derivatives(T + 300.0, P, Y, SRK)


def test_the_critical_point() -> None:
    """Of each species its own: Z is 1/3, with the few digits that there are."""
    for name in ("CH4", "H2O", "C12H26"):
        data = SpeciesData.load([name])
        got = evaluate(name, float(data.Tc[0]), float(data.Pc[0]), outputs="Z Pkappa")
        assert got["Z"] == pytest.approx(1.0 / 3.0, abs=2e-4) and got["Pkappa"] > 1e4


def test_a_single_phase_is_named_by_the_critical_bulk() -> None:
    got = bridge.evaluate("CH4", [120.0, 400.0, 400.0], [1e6, 1e6, 2e8], options=SRK,
                          composite="eosFlashTP", stability="off")  # fmt: skip
    np.testing.assert_array_equal(got["vapour_fraction"], [0.0, 1.0, 0.0])


def test_shifts_of_the_table_are_refused() -> None:
    both = {**SRK, "volumeShift": "PENELOUX"}
    with pytest.raises(BridgeError, match=r"volumeShift.*Peng-Robinson.*cShift="):
        evaluate("CH4", 150.0, 1e6, outputs="rho", options=both)
    plain = evaluate("CH4", 150.0, 1e6, outputs="v")["v"]
    got = evaluate("CH4", 150.0, 1e6, outputs="v", options={**both, "override": "cShift=2e-6"})
    assert got["v"] == pytest.approx(plain + 2e-6, rel=1e-12)


@pytest.mark.parametrize("name", ["cubic", "CUBIC"])
def test_set_by_name_or_number(name: str) -> None:
    for value in ("soave_redlich_kwong", 1):
        got = evaluate("O2", 100.0, 5e6, outputs="v", options={name: value})
        assert got["v"] == pytest.approx(THERMO[1][4], rel=1e-12)
    plain, same = (
        evaluate("O2", 100.0, 5e6, outputs="v", options=options)
        for options in ({}, {"cubic": "PENG_ROBINSON"})
    )
    assert plain["v"] == same["v"] != got["v"]
