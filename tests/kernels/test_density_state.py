"""States from a density with an energy or a pressure, and from an entropy: docs/physics.md,
sections 8 and 9."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels import canteraphase
from kernels.statusbits import (
    BAD_P,
    BAD_RHO,
    BAD_T,
    BAD_Y,
    GOOD,
    H_ABOVE,
    H_BELOW,
    H_GAP,
    NEAR_CRITICAL,
    NO_CONV,
    SPECIES,
    UNSTABLE,
    Y_CLIPPED,
    Y_RENORM,
)

import bridge
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

ABS = {"prCross": "ABS"}
STATE = "T P h cp cv c p_rhoe p_rhoi iterations status"
FEW = ["N2", "C12H26", "O2", "CO2", "H2O"]
GRI = [name for name in SpeciesData.load(None).names if name != "C12H26"]


def evaluate(species: Any, *positional: Any, **named: Any) -> Any:
    named.setdefault("stability", "off")
    return bridge.evaluate(species, *positional, **named)


def of_energy(
    rho: Any, e: Any, Y: Any, T0: Any = 300.0, species: Any = SPECIES, **more: Any
) -> Any:
    more.setdefault("composite", "eosThermalFromRhoE")
    return evaluate(species, Y=Y, rho=rho, e=e, T0=T0, **more)


def states(species: list[str], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T K, rho kg/m3 and Y of single phases and of states between two, thin to dense."""
    random = np.random.default_rng(len(species))
    data = SpeciesData.load(species)
    low, high = data.nasa7[:, 0].max(), data.nasa7[:, 2].min()
    Y = random.dirichlet(np.full(len(species), 0.5), n)
    b = SharedData(data).fields()["prB"]
    densest = 1.0 / (Y / data.W @ b)
    T = random.uniform(1.001 * low, 0.999 * high, n)
    for middle in np.unique(data.nasa7[:, 1]):
        T = np.where(abs(T / middle - 1.0) < 1e-5, T * 1.001, T)
    return T, densest * np.exp(random.uniform(np.log(1e-4), np.log(0.9), n)), Y


@pytest.mark.parametrize("count", [1, 2, 5, 16, 53])
def test_against_cantera(count: int) -> None:
    """Cantera gives energy, pressure and the other values at (T, rho)."""
    species = FEW[:count] if count <= len(FEW) else GRI[-count:]
    T, rho, Y = states(species, 80)
    library = canteraphase.phase(species)
    names = ("u", "P", "h", "cp", "cv", "P_T")
    told: dict[str, np.ndarray] = {name: np.empty(len(T)) for name in names}
    for k in range(len(T)):
        library.TDY = T[k], rho[k], Y[k]
        told["u"][k], told["h"][k] = library.int_energy_mass, library.enthalpy_mass
        told["P"][k] = library.P
        told["cp"][k], told["cv"][k] = library.cp_mass, library.cv_mass
        told["P_T"][k] = library.thermal_expansion_coeff / library.isothermal_compressibility
    scale = told["P"] + T * told["P_T"]
    for T0 in (300.0, 1.02 * T):
        got = of_energy(rho, told["u"], Y, T0, species, options=ABS)
        assert not np.any(got["status"] & ~UNSTABLE & 0x7FF00)
        np.testing.assert_allclose(got["T"], T, rtol=1e-11)
        assert np.max(abs(got["P"] - told["P"]) / scale) < 1e-9
        np.testing.assert_allclose(got["cv"], told["cv"], rtol=1e-9)
        energy = told["cv"] * T
        assert np.max(abs(got["h"] - told["h"]) / (energy + scale / rho)) < 1e-9
        falling = got["status"] & UNSTABLE == 0
        stiff = abs(told["cp"]) < 50.0 * told["cv"]  # else 1/P_v multiplies each rounding
        each = falling & stiff
        np.testing.assert_allclose(got["cp"][each], told["cp"][each], rtol=1e-8)
    positive = told["P"] > 0.0
    back = evaluate(
        species, P=told["P"][positive], rho=rho[positive], Y=Y[positive], options=ABS,
        composite="prEOSCalcTFromRhoP",
    )  # fmt: skip
    loss = (scale / (T * told["P_T"]))[positive]  # where P hardly changes with T
    assert np.max(abs(back["T"] / T[positive] - 1.0) / loss) < 1e-9


@pytest.mark.parametrize("species", [["O2"], ["N2", "C12H26"], FEW, GRI])
@pytest.mark.parametrize("kij", [0.0, 0.05])
def test_pressure_derivatives(species: list[str], kij: float) -> None:
    """Sum of Y_i p_rhoi + h p_rhoe = c^2, and central differences of the composite itself."""
    ns = len(species)
    T, rho, Y = states(species, 40)
    k = kij * (1.0 - np.eye(ns))
    e = evaluate(species, T, 1e6, Y, "u", kij=k)["u"]  # of a thin state: any energy will do
    got = of_energy(rho, e, Y, T, species, kij=k)
    sum_ = (Y * got["p_rhoi"]).sum(axis=-1) + got["h"] * got["p_rhoe"]
    terms = abs(Y * got["p_rhoi"]).sum(axis=-1) + abs(got["h"] * got["p_rhoe"])
    square = np.where(np.isnan(got["c"]), sum_, got["c"] ** 2)
    assert np.max(abs(sum_ - square) / terms) < 1e-12

    def pressure(partial: np.ndarray, energy: np.ndarray) -> Any:
        total = partial.sum(axis=-1)
        found = of_energy(total, energy / total, partial, got["T"], species, kij=k, outputs="P")
        return found["P"]

    scale = abs(got["P"]) + got["T"] * got["p_rhoe"] * rho * got["cv"]
    energy = rho * e
    width = 1e-5 * rho * got["cv"] * got["T"]
    partial = rho[:, None] * Y
    slope = (pressure(partial, energy + width) - pressure(partial, energy - width)) / (2 * width)
    assert np.max(abs(slope - got["p_rhoe"]) * rho * got["cv"] * got["T"] / scale) < 1e-5
    for i in range(ns)[:: max(1, ns // 4)]:
        there = Y[:, i] > 1e-4
        width = np.where(there, 1e-5 * rho, 0.0)
        step = width[:, None] * (np.arange(ns) == i)
        # where the species brings its own energy, T stays, and no digits go with the difference
        own = got["p_rhoi"][:, i] / -got["p_rhoe"]
        high = pressure(partial + step, energy + own * width)
        low = pressure(partial - step, energy - own * width)
        assert np.max((abs(high - low) / (2e-5 * scale))[there]) < 1e-4


def test_guesses() -> None:
    random = np.random.default_rng(5)
    n = 200
    T, P = random.uniform(150.0, 3000.0, n), random.uniform(1e4, 5e7, n)
    Y = random.dirichlet(np.ones(3), n)
    made = evaluate(SPECIES, T, P, Y, "rho u")
    for T0 in (np.nan, np.inf, -5.0, 0.0, 20.0, 300.0, 6000.0, 1e9):
        got = of_energy(made["rho"], made["u"], Y, T0)
        np.testing.assert_allclose(got["T"], T, rtol=1e-11)
        assert got["iterations"].max() < 12 and not np.any(got["status"] & NO_CONV)


def test_keywords() -> None:
    """`evaluate` with rho and e or P returns what is solved for, and any other quantity."""
    made = evaluate(SPECIES, 250.0, 8e6, GOOD[0], "rho u s h c lambda D_im mu_i rho_Yi Z v")
    got = evaluate(SPECIES, rho=made["rho"], e=made["u"], Y=GOOD[0], outputs=list(made)[:-1])
    assert {"T", "P", "iterations", "status"} <= got.keys()
    assert got["T"] == pytest.approx(250.0, rel=1e-12) and got["P"] == pytest.approx(
        8e6, rel=1e-11
    )
    other = evaluate(SPECIES, rho=made["rho"], P=8e6, Y=GOOD[0], outputs=list(made)[:-1])
    assert "iterations" not in other and other["T"] == pytest.approx(250.0, rel=1e-12)
    entropy = evaluate(SPECIES, s=made["s"], P=8e6, Y=GOOD[0], outputs=list(made)[:-1])
    for name in list(made)[:-1]:
        for found in (got, other, entropy):
            np.testing.assert_allclose(found[name], made[name], rtol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"rho": 1.0}, "P: got None, wanted pressures, Pa, or e beside rho"),
        ({"e": 1.0}, "rho: got None, wanted densities, kg/m3, beside e"),
        ({"rho": 1.0, "e": 1.0, "P": 1e5}, "argument P: rho and e are given, and P is solved for"),
        ({"rho": 1.0, "e": 1.0, "T": 300.0}, "argument T: rho is given, and T is solved for"),
        ({"h": 1.0, "s": 1.0, "P": 1e5}, "argument s: h and s are given, and each decides"),
        ({"rho": 1.0, "P": 1e5, "T0": 300.0}, "argument T0: it is the guess for T"),
        ({"P": 1e5}, "T: got None, wanted temperatures, K, or h, s or rho to solve for them"),
    ],
)
def test_half_a_state(named: dict[str, float], said: str) -> None:
    with pytest.raises(bridge.ArgumentError, match=said):
        evaluate(SPECIES, Y=GOOD[0], outputs="cp", **named)


def test_a_density_is_given_once() -> None:
    for state in ({"e": -1e5}, {"P": 1e6}):
        with pytest.raises(bridge.InconsistentError, match="'rho' and 'Z' each give the density"):
            evaluate("O2", rho=500.0, outputs="cp", inputs={"Z": 0.5}, **state)


def test_bad_points() -> None:
    """Each has its bit and no number; the good ones beside them have the bits of one alone."""
    made = evaluate(SPECIES, 250.0, 8e6, GOOD[0], "rho u")
    rho = np.repeat(made["rho"], 11)
    e, Y = np.repeat(made["u"], 11), np.repeat(GOOD, 11, axis=0)
    rho[1:6] = np.nan, np.inf, 0.0, -1.0, 1e5
    e[6:8] = np.nan, -np.inf
    Y[8], Y[9], Y[10] = 0.0, Y[9] * 0.5, [0.75, 0.25, -1e-3]
    got = of_energy(rho, e, Y)
    wanted = [0, *[BAD_RHO] * 5, BAD_T, BAD_T, BAD_Y]
    assert got["status"][:9].tolist() == wanted
    assert got["status"][9] & Y_RENORM and got["status"][10] & Y_CLIPPED
    bad = slice(1, 9)
    for name in STATE.split()[:8]:
        assert np.isnan(got[name][bad]).all() and np.isfinite(got[name][0]).all(), name
    assert not got["iterations"][bad].any()
    alone = of_energy(made["rho"], made["u"], GOOD[0])
    for name in STATE.split():
        np.testing.assert_array_equal(got[name][0], alone[name])
    np.testing.assert_allclose(got["T"][9], got["T"][0], rtol=1e-13)  # divided by its sum
    P = np.array([8e6, np.nan, 0.0, -1e5, 1e20])
    other = evaluate(SPECIES, rho=rho[0], P=P, Y=GOOD[0], composite="prEOSCalcTFromRhoP")
    assert other["status"].tolist()[1:] == [BAD_P] * 4 and np.isnan(other["T"][1:]).all()


def test_ends_of_the_range() -> None:
    got = of_energy([1.0, 1.0], [-1e6, 1e8], [1.0], species="N2")
    assert got["T"].tolist() == [20.0, 6000.0]
    assert got["status"][0] & H_BELOW and got["status"][1] & H_ABOVE
    other = evaluate("N2", rho=[1e-3, 0.1], P=[1.0, 1e9], composite="prEOSCalcTFromRhoP")
    assert other["T"].tolist() == [20.0, 6000.0]
    assert other["status"][0] & H_BELOW and other["status"][1] & H_ABOVE


def test_unstable_states_keep_their_values() -> None:
    """Between the spinodals, and a liquid under tension: P of the equation of state as it is."""
    liquid = evaluate("O2", 100.0, 1e6, outputs="rho u")
    rho = np.array([float(liquid["rho"]), 0.94 * float(liquid["rho"]), 500.0])
    got = of_energy(rho, np.repeat(liquid["u"], 3), [1.0], species="O2")
    assert (got["status"] & UNSTABLE != 0).tolist() == [False, True, True]
    assert got["P"][0] == pytest.approx(1e6, rel=1e-9) and got["P"][1] < 0.0
    for name in ("T", "P", "h", "cv", "p_rhoe", "p_rhoi"):
        assert np.isfinite(got[name]).all(), name
    # the state of these values is the one that was given
    T = got["T"]
    fields = SharedData(SpeciesData.load(["O2"])).fields()
    R, b = fields["R"], fields["prB"][0]
    u_i = fields["prU0"][0] - fields["prU1"][0] * np.sqrt(T)
    v = SpeciesData.load(["O2"]).W[0] / rho
    P = R * T / (v - b) - u_i**2 / (v * v + 2 * b * v - b * b)
    np.testing.assert_allclose(got["P"], P, rtol=1e-9, atol=1e-6 * 1e6)


def test_sound_speed_through_the_spinodal() -> None:
    """c^2 passes the zero of dP/dv without a pole: adiabatic stability goes on a little."""
    rho = np.linspace(100.0, 1250.0, 4001)
    e = float(evaluate("O2", 100.0, 1e6, outputs="u")["u"])
    got = of_energy(rho, np.full(len(rho), e), [1.0], species="O2")
    falling = got["status"] & UNSTABLE == 0
    crossings = np.flatnonzero(np.diff(falling))
    assert len(crossings) and np.isfinite(got["c"][crossings]).all()
    square = got["c"] ** 2
    for k in crossings:
        around = square[k - 2 : k + 4]
        assert np.max(abs(np.diff(around, n=2))) < 1e-3 * abs(around).max()


def test_near_a_critical_point_is_told_whatever_is_asked_for() -> None:
    """At the critical point of the equation, v = 3.9514 b."""
    data = SpeciesData.load(["CO2"])
    b = SharedData(data).fields()["prB"][0]
    rho = data.W[0] / (3.9513730355914416 * b)
    got = evaluate("CO2", rho=rho, P=[1.0, 2.0] * data.Pc, outputs="T")
    assert (got["status"] & NEAR_CRITICAL != 0).tolist() == [True, False]


def test_jump_of_a_fit() -> None:
    """An energy in the small jump of a fit at Tmid is no temperature's: the jump is told."""
    data = SpeciesData.load(GRI)
    fields = SharedData(data).fields()
    records = fields["nasaEnthalpy"].reshape(len(GRI), 19)
    powers = data.nasa7[:, 1][:, None] ** np.arange(6)
    below, above = ((records[:, k : k + 6] * powers).sum(axis=1) for k in (3, 9))
    k = int(np.argmax(above - below))
    name, middle = GRI[k], data.nasa7[k, 1]
    assert (above - below)[k] > 1e-7 * middle
    u = fields["R"] * (0.5 * (below + above)[k] - middle) / data.W[k]
    got = of_energy(1e-6, u, [1.0], species=name)
    assert got["status"] & H_GAP and got["T"] == pytest.approx(middle, rel=1e-9)


def test_entropy() -> None:
    random = np.random.default_rng(9)
    n = 300
    T, P = random.uniform(150.0, 3000.0, n), random.uniform(1e4, 5e7, n)
    Y = random.dirichlet(np.ones(3), n)
    s = evaluate(SPECIES, T, P, Y, "s")["s"]
    for T0 in (300.0, 1.2 * T, 3000.0):
        got = evaluate(SPECIES, P=P, Y=Y, s=s, T0=T0, composite="prEOSCalcTFromSP")
        assert np.max(abs(got["T"] / T - 1.0)) < 1e-9
    wrong = evaluate(SPECIES, P=8e6, Y=GOOD[0], s=[np.nan, -1e6, 1e6], outputs="h")
    assert wrong["status"][0] == BAD_T and np.isnan(wrong["h"][0])
    assert wrong["status"][1] & H_BELOW and wrong["status"][2] & H_ABOVE


def test_entropy_inside_the_latent_heat() -> None:
    """Entropy and enthalpy of a mixture of both phases tell the same state."""
    sides = evaluate("CH4", [111.0, 112.5], 1e5, outputs="s h")
    by_entropy = evaluate("CH4", P=1e5, s=float(sides["s"].mean()), outputs="rho h s u g Z")
    assert by_entropy["status"] & H_GAP
    assert by_entropy["s"] == pytest.approx(float(sides["s"].mean()), rel=1e-9)
    by_enthalpy = evaluate("CH4", P=1e5, h=float(by_entropy["h"]), outputs="rho h s u g Z")
    assert by_enthalpy["status"] & H_GAP
    for name in ("T", "rho", "h", "s", "u", "g", "Z"):
        assert by_entropy[name] == pytest.approx(by_enthalpy[name], rel=1e-8), name


@pytest.mark.parametrize("options", [{}, ABS, {"thermoExtrap": "POLYNOMIAL"}], ids=str)
def test_no_nan_without_a_bit(options: dict[str, str]) -> None:
    """However far away the density, the energy and the pressure are."""
    random = np.random.default_rng(8)
    n = 3000
    rho = 10.0 ** random.uniform(-70.0, 8.0, n)
    e = random.choice([-1.0, 1.0], n) * 10.0 ** random.uniform(-10.0, 300.0, n)
    e[: n // 2] = random.uniform(-1e7, 1e8, n // 2)
    P = 10.0 ** random.uniform(-120.0, 20.0, n)
    Y = random.dirichlet(np.ones(3), n)
    Y[::4] = [1.0, 0.0, 0.0]
    say = BAD_T | BAD_P | BAD_RHO | UNSTABLE | NEAR_CRITICAL
    names = ("T", "P", "h", "u", "cp", "cv", "c", "p_rhoe", "p_rhoi", "Z", "lambda", "h_Yi")
    for state in ({"e": e, "T0": 300.0}, {"P": P}):
        got = evaluate(SPECIES, rho=rho, Y=Y, outputs=names, options=options, **state)
        assert (got["status"] & BAD_RHO != 0).any() and (got["status"] & BAD_RHO == 0).any()
        for name in names:
            values = got[name] if name in got else P
            lost = np.isnan(values).reshape(n, -1).any(axis=1)
            assert (got["status"][lost] & say != 0).all(), name
