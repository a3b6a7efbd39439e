"""eosFlashRhoE gives back what eosFlashTP has at T and P; its phases are in equilibrium, and have
the density and the energy, by a Peng-Robinson of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.flashstates import PengRobinson
from kernels.measure import CUBICS, R
from kernels.statusbits import (
    BAD_RHO,
    BAD_T,
    H_ABOVE,
    NO_CONV,
    STABILITY_OPEN,
    TWO_PHASE,
    Y_RENORM,
)
from kernels.test_flash import flash, states

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

SPECIES = ["N2", "CO2", "C3H8", "C12H26"]
KIJ = 0.03 * (1.0 - np.eye(4))
PHASES = ("x_i", "y_i", "vapour_fraction", "vapour_mass_fraction", "rho_liquid", "rho_vapour")


def at_density(names: Any, rho: Any, e: Any, T0: Any = 300.0, **more: Any) -> Any:
    more.setdefault("stability", "off")
    more.setdefault("composite", "eosFlashRhoE")
    return bridge.evaluate(list(names), rho=rho, e=e, T0=T0, **more)


def energy(got: Any, P: Any) -> Any:
    return got["h_eq"] - P / got["rho_eq"]


def is_two(got: Any) -> Any:
    return (got["status"] & TWO_PHASE) != 0


@pytest.mark.parametrize(
    ("cubic", "shift"), [*((cubic, "NONE") for cubic in CUBICS), ("PENG_ROBINSON", "PENELOUX")]
)
def test_gives_back_temperature_pressure_and_phases(cubic: str, shift: str) -> None:
    random = np.random.default_rng(8)
    T, P, X = states(random, 4, 600)
    more: dict[str, Any] = {"kij": KIJ, "options": {"volumeShift": shift, "cubic": cubic}}
    asked = "c_eq p_rhoe_eq status rho_eq h_eq h_liquid h_vapour " + " ".join(PHASES)
    told = bridge.evaluate(SPECIES, T, P, X=X, outputs=asked, stability="off", **more)
    settled = (told["status"] & STABILITY_OPEN) == 0
    two = is_two(told) & settled
    assert 150 < two.sum() and (~two & settled).sum() > 150
    guess = T * random.uniform(0.8, 1.2, len(T))
    got = at_density(SPECIES, told["rho_eq"], energy(told, P), guess, X=X, **more)
    np.testing.assert_array_equal(is_two(got)[settled], two[settled])
    assert not (got["status"][settled] & (NO_CONV | STABILITY_OPEN)).any()
    assert (got["flash_iterations"] > 0)[two].all()
    assert not (got["flash_iterations"][~two & settled]).any()
    for name, value in (("T", T), ("P", P), ("c_eq", told["c_eq"])):
        np.testing.assert_allclose(got[name][settled], value[settled], rtol=1e-7, err_msg=name)
    for name in PHASES:
        np.testing.assert_allclose(got[name][two], told[name][two], rtol=1e-7, atol=1e-9)
    for name in ("h_eq", "h_liquid", "h_vapour"):
        scale = 1e-7 * np.abs(told[name]).max()
        np.testing.assert_allclose(got[name][settled], told[name][settled], atol=scale)
    np.testing.assert_allclose(got["p_rhoe_eq"][two], told["p_rhoe_eq"][two], rtol=1e-6)


def test_phases_by_numpy() -> None:
    """Equal fugacities, the pressure of both, material, volume and energy of the feed."""
    random = np.random.default_rng(9)
    data = SpeciesData.load(SPECIES)
    judge = PengRobinson(data, KIJ)
    n = 400
    X = random.dirichlet(np.full(4, 0.7), n) + 1e-6
    X /= X.sum(axis=1, keepdims=True)
    W, rho = X @ data.W, np.exp(random.uniform(np.log(1.0), np.log(500.0), n))
    T = random.uniform(200.0, 700.0, n)
    e = bridge.evaluate(SPECIES, T, 1e5, X=X, kij=KIJ, outputs="h", stability="off")["h"]
    e = e - R * T / W - 2e5 * random.uniform(0.0, 1.0, n)
    got = at_density(SPECIES, rho, e, T, X=X, kij=KIJ)
    two = is_two(got) & ((got["status"] & (NO_CONV | STABILITY_OPEN)) == 0)
    assert two.sum() > 150
    T, P, beta = (got[name][two] for name in ("T", "P", "vapour_fraction"))
    x, y = got["x_i"][two], got["y_i"][two]

    def of(w: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P, and the internal energy of a phase of molar volume v less that of the ideal gas."""
        pull = judge.root_ac * (1.0 + judge.m * (1.0 - np.sqrt(T[:, None] / data.Tc)))
        slope = -0.5 * judge.root_ac * judge.m / np.sqrt(T[:, None] * data.Tc)
        G, b = (w * pull) @ judge.k, w @ judge.b
        a, a_T = (w * pull * G).sum(1), 2.0 * (w * slope * G).sum(1)
        s = np.sqrt(2.0)
        K = np.log((v + (1.0 + s) * b) / (v + (1.0 - s) * b)) / (2.0 * s * b)
        return R * T / (v - b) - a / (v**2 + 2.0 * b * v - b**2), (T * a_T - a) * K

    vx, vy = (x @ data.W) / got["rho_liquid"][two], (y @ data.W) / got["rho_vapour"][two]
    (Px, ux), (Py, uy) = of(x, vx), of(y, vy)
    stiff = R * T / vx  # a liquid's pressure has the rounding of its terms
    assert (np.abs(Px - P) < 1e-8 * P + 1e-10 * stiff).all() and (P > 0.0).all()
    np.testing.assert_allclose(Py, P, rtol=1e-8)
    with np.errstate(divide="ignore"):
        fx = np.log(x) + judge.ln_fugacity_coefficients(T, P, x)
        fy = np.log(y) + judge.ln_fugacity_coefficients(T, P, y)
    there = (x > 1e-250) & (y > 1e-250)
    np.testing.assert_allclose(fx[there], fy[there], rtol=0.0, atol=1e-8)
    both = (1.0 - beta)[:, None] * x + beta[:, None] * y
    np.testing.assert_allclose(both, X[two], rtol=1e-12, atol=1e-14)
    v = (1.0 - beta) * vx + beta * vy
    np.testing.assert_allclose(W[two] / v, rho[two], rtol=1e-11)
    gas = bridge.evaluate(SPECIES, T, 1e5, X=X[two], outputs="h_ideal", stability="off")
    u = gas["h_ideal"] - R * T + (1.0 - beta) * ux + beta * uy
    assert (np.abs(u - e[two] * W[two]) < 1e-10 * R * T + 1e-12 * np.abs(u)).all()


def test_one_phase_is_that_of_the_search_without_phases() -> None:
    random = np.random.default_rng(10)
    n = 200
    X = random.dirichlet(np.full(4, 0.7), n)
    T, P = random.uniform(700.0, 2500.0, n), np.exp(random.uniform(11.0, 17.0, n))
    state = bridge.evaluate(SPECIES, T, P, X=X, outputs="rho h", stability="off")
    e = state["h"] - P / state["rho"]
    got = at_density(SPECIES, state["rho"], e, 0.9 * T, X=X)
    one = at_density(SPECIES, state["rho"], e, 0.9 * T, X=X, composite="eosThermalFromRhoE")
    assert not is_two(got).any()
    for name in ("T", "P", "iterations", "status"):
        np.testing.assert_array_equal(got[name], one[name], name)
    for name in ("c", "p_rhoe"):
        np.testing.assert_allclose(got[name + "_eq"], one[name], rtol=1e-13)
    np.testing.assert_allclose(got["h_eq"], one["h"], rtol=1e-12)
    for name in ("x_i", "y_i"):
        np.testing.assert_allclose(got[name], X, rtol=1e-14)
    np.testing.assert_array_equal(got["rho_liquid"], got["rho_vapour"])
    assert np.isin(got["vapour_fraction"], [0.0, 1.0]).all()


@pytest.mark.parametrize("name", ["N2", "H2O", "C12H26"])
def test_a_pure_species_has_its_vapour_pressure(name: str) -> None:
    Tc = SpeciesData.load([name]).Tc[0]
    T = Tc * np.linspace(0.6, 0.99, 14)[:, None]
    share = np.linspace(0.001, 0.999, 9)  # of the mass, vapour
    mix = bridge.Mixture(name, stability="off")
    both = mix.evaluate(T, Y=[1.0], composite="eosSaturation")
    volume = share / both["rho_vapour"] + (1.0 - share) / both["rho_liquid"]
    h = share * both["h_vapour"] + (1.0 - share) * both["h_liquid"]
    e = h - both["P_sat"] * volume
    got = at_density([name], 1.0 / volume, e, 1.1 * T + 0.0 * share, Y=[1.0])
    assert is_two(got).all() and not (got["status"] & (NO_CONV | STABILITY_OPEN)).any()
    np.testing.assert_allclose(got["T"], T + 0.0 * share, rtol=1e-8)
    np.testing.assert_allclose(got["P"], both["P_sat"] + 0.0 * share, rtol=1e-7)
    np.testing.assert_allclose(got["vapour_mass_fraction"], share + 0.0 * T, rtol=1e-6)


def test_guess_order_and_neighbours_change_nothing() -> None:
    random = np.random.default_rng(13)
    names = ["CO2", "N2", "H2O"]
    T, P, X = states(random, 3, 120)
    told = flash(names, T, P, X)
    settled = (told["status"] & (STABILITY_OPEN | NO_CONV)) == 0
    rho, e = told["rho_eq"][settled], energy(told, P)[settled]
    T, X = T[settled], X[settled]
    near = at_density(names, rho, e, T, X=X)
    far = at_density(names, rho, e, 2000.0, X=X)
    turned = at_density(names[::-1], rho, e, T, X=X[:, ::-1])
    wider = np.column_stack([X, np.zeros(len(X))])
    more = at_density([*names, "C12H26"], rho, e, T, X=wider)
    assert 20 < is_two(near).sum() < len(T) - 20
    for other in (far, turned, more):
        np.testing.assert_array_equal(is_two(other), is_two(near))
        for name in ("T", "P", "vapour_fraction", "rho_liquid", "rho_vapour", "c_eq"):
            np.testing.assert_allclose(other[name], near[name], rtol=1e-7, atol=1e-9)
    some = np.flatnonzero(is_two(near))[::5]
    for k in some:
        alone = at_density(names, rho[k], e[k], T[k], X=X[k])
        for name in near:
            np.testing.assert_array_equal(alone[name], near[name][k], name)


def test_bad_points_have_their_bits() -> None:
    """A fatal point has its bit and no numbers; what no temperature has is told; mass fractions
    that add up to 2 are scaled."""
    names = ["N2", "C12H26"]
    told = flash(names, 480.0, 4e6, [0.6, 0.4])
    mass = np.array([0.6, 0.4]) * SpeciesData.load(names).W
    Y = mass / mass.sum()
    rho, e = float(told["rho_eq"]), float(energy(told, 4e6))
    got = at_density(
        names, [rho, -1.0, rho, 1e5, rho, rho], [e, e, np.nan, e, 1e12, e], [300.0] * 5 + [np.nan],
        Y=[Y] * 6,
    )  # fmt: skip
    bits = BAD_T | BAD_RHO | H_ABOVE | TWO_PHASE | NO_CONV
    np.testing.assert_array_equal(
        got["status"] & bits, [TWO_PHASE, BAD_RHO, BAD_T, BAD_RHO, H_ABOVE, TWO_PHASE]
    )
    for name in got:
        if name not in ("status", "iterations", "flash_iterations"):
            assert np.isnan(got[name][1:4]).all(), name
            assert np.isfinite(got[name][[0, 5]]).all(), name
    np.testing.assert_allclose(got["T"][[0, 5]], 480.0, rtol=1e-8)
    twice = at_density(names, rho, e, Y=2.0 * Y)
    assert twice["status"] & (Y_RENORM | TWO_PHASE) == Y_RENORM | TWO_PHASE
    np.testing.assert_allclose(twice["T"], 480.0, rtol=1e-8)
