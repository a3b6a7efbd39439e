"""Properties that need no reference: identities, differences, symmetries, limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kernels.measure import TOLERANCES, R, assert_parts, gas, worst

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

TOL = TOLERANCES["property"]
SPECIES = "O2 CH4 CO2 H2O CO N2"
N, NS = 200, 6


def run(
    T: np.ndarray | None,
    P: np.ndarray,
    Y: np.ndarray,
    outputs: Any,
    species: Any = SPECIES,
    **named: Any,
) -> dict[str, np.ndarray]:
    return bridge.evaluate(species, T, P, Y, outputs, **named)


@pytest.fixture(scope="module")
def states() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return gas(N, NS)


@pytest.fixture(scope="module")
def everything(
    states: tuple[np.ndarray, np.ndarray, np.ndarray], backend: str
) -> dict[str, np.ndarray]:
    names = (
        "rho W X v P_v cp cv c h s g u rho_Yi h_Yi mu_i vbar_i hbar_i Pkappa rho_p rho_T h_p "
        "h_T eta lambda D_im Z gamma kappaT alphaV"
    ).split()
    return run(*states, names)


def test_sound_speed(everything: dict[str, np.ndarray]) -> None:
    e = everything
    other = e["v"] * np.sqrt(-e["P_v"] * e["cp"] / (e["cv"] * e["W"]))
    assert worst(e["c"], other, condition=e["Pkappa"]) < TOL["sound_speed"]


def test_euler_sums(
    states: tuple[np.ndarray, np.ndarray, np.ndarray], everything: dict[str, np.ndarray]
) -> None:
    T, _, Y = states
    e, cond = everything, everything["Pkappa"]
    RT = R * T / e["W"]
    assert worst((Y * e["h_Yi"]).sum(1), e["h"], RT, cond) < TOL["euler_sums"]
    assert worst((Y * e["rho_Yi"]).sum(1), -e["rho"], condition=cond) < TOL["euler_sums"]
    assert worst((e["X"] * e["mu_i"]).sum(1), e["g"] * e["W"], R * T, cond) < TOL["euler_sums"]
    assert worst((e["X"] * e["vbar_i"]).sum(1), e["v"], condition=cond) < TOL["euler_sums"]
    assert worst((e["X"] * e["hbar_i"]).sum(1), e["h"] * e["W"], R * T, cond) < TOL["euler_sums"]


def test_definitions(
    states: tuple[np.ndarray, np.ndarray, np.ndarray], everything: dict[str, np.ndarray]
) -> None:
    T, P, _ = states
    e = everything
    assert worst(e["u"], e["h"] - P / e["rho"], R * T / e["W"]) < TOL["euler_sums"]
    assert worst(e["g"], e["h"] - T * e["s"], R * T / e["W"]) < TOL["euler_sums"]
    assert worst(e["rho_p"], e["rho"] * e["kappaT"]) < TOL["euler_sums"]
    assert worst(e["rho_T"], -e["rho"] * e["alphaV"], e["rho"] / T) < TOL["euler_sums"]
    assert worst(e["h_p"], (1 - T * e["alphaV"]) / e["rho"], 1 / e["rho"]) < TOL["euler_sums"]
    assert worst(e["gamma"], e["cp"] / e["cv"]) < TOL["euler_sums"]


def slope(function: Callable[..., Any], x: np.ndarray, step: float | np.ndarray) -> np.ndarray:
    """Central difference of fourth order, a column per output of `function`."""
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    total: np.ndarray = sum(w * function(x + k * step) for k, w in weights.items()) / step
    return total


def test_differences(
    states: tuple[np.ndarray, np.ndarray, np.ndarray], everything: dict[str, np.ndarray]
) -> None:
    T, P, Y = states
    e, cond = everything, everything["Pkappa"]
    # away from the joins of the heat-capacity fits, which are not smooth
    smooth = (np.abs(T - 1000.0) > 10.0) & (T > 310.0)
    names = ("rho", "h", "s")

    def at(T: np.ndarray, P: np.ndarray) -> np.ndarray:
        got = run(T, P, Y, names)
        return np.stack([got[name] for name in names])

    dT = slope(lambda x: at(x, P), T, 1e-3 * T)
    dP = slope(lambda x: at(T, x), P, 1e-3 * P)
    expected_T = np.stack([e["rho_T"], e["cp"], e["cp"] / T])
    expected_P = np.stack([e["rho_p"], e["h_p"], e["rho_T"] / e["rho"] ** 2])
    scale_P = np.stack([0 * T, 1 / e["rho"], 1 / (e["rho"] * T)])
    for k in range(3):
        got, expected = dT[k][smooth], expected_T[k][smooth]
        assert worst(got, expected, condition=cond[smooth]) < TOL["difference"], names[k]
        assert worst(dP[k], expected_P[k], scale_P[k], cond) < TOL["difference"], names[k]


def test_species_derivatives(
    states: tuple[np.ndarray, np.ndarray, np.ndarray], everything: dict[str, np.ndarray]
) -> None:
    """V and H, homogeneous in the masses, differ as rho_Yi and h_Yi say."""
    T, P, Y = states
    e, cond = everything, everything["Pkappa"]
    for i in range(NS):
        step = 1e-3

        def extensive(mass: np.ndarray, i: int = i) -> np.ndarray:
            masses = Y.copy()
            masses[:, i] = Y[:, i] + mass
            total = masses.sum(1)
            got = run(T, P, masses, ("rho", "h"))
            return np.stack([total / got["rho"], total * got["h"]])

        ok = Y[:, i] > 3e-3
        V, H = slope(extensive, np.zeros(N), step)[:, ok]
        scale = (e["rho"] * e["W"] / SpeciesData.load(SPECIES.split()).W[i])[ok]
        rho_Yi = -(e["rho"][ok] ** 2) * V
        assert worst(rho_Yi, e["rho_Yi"][ok, i], scale, cond[ok]) < TOL["difference"]
        RT = (R * T / SpeciesData.load(SPECIES.split()).W[i])[ok]
        assert worst(H, e["h_Yi"][ok, i], RT, cond[ok]) < TOL["difference"]


INVARIANT = ("rho", "h", "cp", "cv", "c", "eta", "lambda")


def same(
    first: dict[str, np.ndarray],
    second: dict[str, np.ndarray],
    T: np.ndarray,
    P: np.ndarray,
    names: tuple[Any, ...] = INVARIANT,
) -> None:
    cond = first["Pkappa"]
    for name in names:
        scale = R * T / first["W"] if name == "h" else 0.0
        assert worst(second[name], first[name], scale, cond) < TOL["invariance"], name


def test_permutation(states: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    T, P, Y = states
    order = [4, 2, 0, 5, 1, 3]
    per_species = ("mu_i", "h_Yi", "rho_Yi", "D_im")
    names = (*INVARIANT, *per_species, "Pkappa", "W")
    first = run(T, P, Y, names)
    second = run(T, P, Y[:, order], names, species=[SPECIES.split()[k] for k in order])
    same(first, second, T, P)
    for name in per_species:
        scale = {"mu_i": R * T, "h_Yi": R * T / first["W"] * 10, "rho_Yi": first["rho"]}
        size = scale[name][:, None] if name in scale else 0.0
        error = worst(second[name], first[name][:, order], size, first["Pkappa"])
        assert error < TOL["invariance"], name


def test_splitting_a_species(states: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    T, P, Y = states
    names = (*INVARIANT, "Pkappa", "W")
    split = np.column_stack([0.3 * Y[:, 0], Y[:, 1:], 0.7 * Y[:, 0]])
    data, place = SpeciesData.load(SPECIES.split()), [*range(NS), 0]
    fields = ("W", "Tc", "Pc", "Vc", "omega", "dipole", "kappa", "nasa7")
    twins = {name: getattr(data, name)[place] for name in fields}
    twins["names"] = [*data.names, data.names[0] + " too"]
    same(run(T, P, Y, names), run(T, P, split, names, species=twins), T, P)


def test_absent_species(states: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    T, P, Y = states
    names = (*INVARIANT, "D_im", "mu_i", "h_Yi", "Pkappa", "W", "status")
    first = run(T, P, Y, names)
    more = np.column_stack([Y, np.zeros((N, 2))])
    second = run(T, P, more, names, species=SPECIES + " H2 C12H26")
    same(first, second, T, P)
    assert np.array_equal(first["status"], second["status"])
    assert worst(second["D_im"][:, :NS], first["D_im"]) < TOL["invariance"]
    for name in ("D_im", "mu_i", "h_Yi"):
        assert np.isfinite(second[name]).all(), name
    assert (second["D_im"] > 0).all()


def test_low_pressure() -> None:
    T, _, Y = gas(50, NS, T=(250.0, 2000.0))
    P = np.full(50, 1.0)
    got = run(T, P, Y, ("Z", "cp", "cv", "W", "eta", "eta0", "takahashi"))
    assert np.abs(got["Z"] - 1.0).max() < 1e-7
    assert worst(got["cp"] - got["cv"], R / got["W"]) < 1e-6
    assert worst(got["eta"], got["eta0"]) < 1e-6
    assert np.abs(got["takahashi"] - 1.0).max() < 1e-5


def test_bounded_is_published_without_polarity(
    states: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    T, P, Y = states
    species = SpeciesData.load(SPECIES.split())
    plain = replace(species, dipole=np.zeros(NS), kappa=np.zeros(NS))
    names = ("eta", "lambda", "omega_m")
    bounded, published = (
        run(T, P, Y, names, species=plain, options={"chungDense": mode})
        for mode in ("BOUNDED", "PUBLISHED")
    )
    assert (bounded["omega_m"] >= 0.0).all()
    for name in names:
        assert_parts(bounded[name], published[name], name)


def test_dilute_part_is_proportional_to_Fc(
    states: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """For fixed E, eta minus its dense part goes with Fc: here as polarity changes Fc alone."""
    T, P, Y = states
    species = SpeciesData.load(SPECIES.split())
    dry = replace(species, dipole=np.zeros(NS), kappa=np.zeros(NS))
    names = ("eta", "eta0", "Fc", "E", "y", "G1")
    wet, plain = (run(T, P, Y, names, species=s) for s in (species, dry))
    assert np.array_equal(wet["E"], plain["E"])
    assert worst(wet["eta0"] / wet["Fc"], plain["eta0"] / plain["Fc"]) < TOL["invariance"]
    # eta = eta0 (1/G2 + E6 y) + eta_p: the difference belongs to the dilute part
    slope = (wet["eta"] - plain["eta"]) / (wet["Fc"] - plain["Fc"])
    dense = plain["eta"] - slope * plain["Fc"]
    other = wet["eta"] - slope * wet["Fc"]
    assert worst(dense, other, plain["eta"]) < TOL["invariance"] * 1e3
    assert (dense > -1e-9 * plain["eta"]).all()


def test_scaled_mass_fractions(states: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    T, P, Y = states
    names = (*INVARIANT, "D_im", "W", "Pkappa", "status")
    first = run(T, P, Y, names)
    for factor in (0.5, 1.7, 4.0):
        second = run(T, P, factor * Y, names)
        same(first, second, T, P)
        assert np.array_equal(second["status"], first["status"] | 16)


def test_neighbours_do_not_matter(states: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Bad points leave every other point bit-identical, wherever they stand."""
    T, P, Y = (array.copy() for array in states)
    names = (*INVARIANT, "D_im", "mu_i", "status")
    first = run(T, P, Y, names)
    bad = {3: "T", 17: "P", 40: "Y", 41: "T", 42: "P", N - 1: "Y"}
    values = [np.nan, 0.0, -1.0, np.inf]
    for k, (point, which) in enumerate(bad.items()):
        if which == "T":
            T[point] = values[k % 4]
        elif which == "P":
            P[point] = values[k % 4]
        else:
            Y[point] = 0.0
    second = run(T, P, Y, names)
    good = np.setdiff1d(np.arange(N), list(bad))
    for name in names:
        assert np.array_equal(first[name][good], second[name][good]), name
        if name != "status":
            assert np.isnan(second[name][list(bad)]).all(), name


def test_place_does_not_matter(states: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    T, P, Y = states
    names = (*INVARIANT, "D_im", "mu_i", "status")
    first = run(T, P, Y, names)
    for shift in (1, 3, 64):
        second = run(T[shift:], P[shift:], Y[shift:], names)
        for name in names:
            assert np.array_equal(first[name][shift:], second[name]), name
    alone = run(T[7:8], P[7:8], Y[7:8], names)
    assert all(np.array_equal(first[name][7:8], alone[name]) for name in names)


def test_preconditioned_derivative(states: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    T, P, Y = states
    c = run(T, P, Y, ("c",))["c"]
    velocity = np.stack([2.0 * c, 0.0 * c, 0.0 * c], axis=1)
    names = ("r_p", "rho_p", "rho_T", "h_p", "rho", "h_T", "h0", "rhoh0", "h", "Pkappa")
    fast = run(T, P, Y, names, velocity=velocity, Vref=np.full(N, 1.0))
    assert worst(fast["r_p"], fast["rho_p"], condition=fast["Pkappa"]) < TOL["sound_speed"]
    assert worst(fast["h0"], fast["h"] + 2.0 * c**2, 1e5) < TOL["euler_sums"]
    assert worst(fast["rhoh0"], fast["rho"] * fast["h0"], 1e5) < TOL["euler_sums"]
    slow = run(T, P, Y, names, velocity=0.01 * velocity, Vref=np.full(N, 5.0))
    Vp = np.maximum(0.02 * c, 5.0)
    q = slow
    expected = 1 / Vp**2 - q["rho_T"] * (1 - q["rho"] * q["h_p"]) / (q["rho"] * q["h_T"])
    assert worst(slow["r_p"], expected) < TOL["euler_sums"]


def test_reduced_species_derivatives(
    states: tuple[np.ndarray, np.ndarray, np.ndarray], everything: dict[str, np.ndarray]
) -> None:
    T, P, Y = states
    got = run(T, P, Y, ("rho_Yi_reduced", "h_Yi_reduced"))
    for name in ("rho_Yi", "h_Yi"):
        full = everything[name]
        assert_parts(got[f"{name}_reduced"], full[:, :-1] - full[:, -1:], name)


@pytest.mark.parametrize("guess", [300.0, "near", 3000.0])
def test_temperature_from_enthalpy(
    states: tuple[np.ndarray, np.ndarray, np.ndarray],
    everything: dict[str, np.ndarray],
    guess: float | str,
) -> None:
    T, P, Y = states
    T0 = 1.2 * T if guess == "near" else np.full(N, guess)
    got = run(None, P, Y, ("rho",), h=everything["h"], T0=T0)
    assert worst(got["T"], T) < TOL["temperature"]
    assert worst(got["rho"], everything["rho"], condition=everything["Pkappa"]) < 1e-8
    assert (got["iterations"] >= 1).all() and (got["iterations"] <= 20).all()
    assert not (got["status"] & 0xF00).any()
