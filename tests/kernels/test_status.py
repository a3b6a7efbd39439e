"""Every bit of the status word, and the edge cases of docs/physics.md, section 17."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.measure import assert_parts
from kernels.statusbits import (
    BAD_P,
    BAD_T,
    BAD_Y,
    CHUNG_SINGULAR,
    GOOD,
    MULTI_ROOT,
    NEAR_CRITICAL,
    T_EXTRAP,
    TRANSPORT_CLAMP,
    UNSTABLE,
    Y_CLIPPED,
    Y_RENORM,
    run,
)

from bridge.backends.cpu.single import launch_kernel
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.plan.inputs import MASK, POSITIONS
from bridge.plan.selection import SEARCHED

pytestmark = pytest.mark.usefixtures("backend")


TARGETS = ("h_target", "s_target", "rho_target", "e_target")


def shared(*names: Any) -> SharedData:
    return SharedData(SpeciesData.load(names))


def status(*arguments: Any, **named: Any) -> int:
    return int(run(*arguments, **named)["status"][0])


def all_outputs(options: dict[str, Any] | None = None) -> list[str]:
    """Every quantity that follows from T, P and Y with these options."""
    catalogue = Catalogue.shipped().with_options(Options.parse(options))
    given = {"T", "P", "Y", "Y_leading", *TARGETS, "T0", "velocity", "Vref", "h0", "rhoh0",
             "lnK0_i", "lnK_i", "P_sat", "rho_liquid", "rho_vapour", "h_liquid", "h_vapour",
             "density_work",
             "r_p", "h_residual", "dT", "status", *SEARCHED, *POSITIONS, MASK}  # fmt: skip
    made = {name for k in catalogue.kernels.values() if k.planned for name in k.makes}
    for kernel in catalogue.kernels.values():
        given |= {*kernel.makes} - made if kernel.option else set()
    return [name for name in catalogue.quantities if name not in given]


@pytest.mark.parametrize("T", [np.nan, np.inf, -np.inf, 0.0, -250.0])
def test_bad_temperature(T: Any) -> None:
    assert status(T, 8e6, GOOD) == BAD_T


@pytest.mark.parametrize("P", [np.nan, np.inf, -np.inf, 0.0, -8e6])
def test_bad_pressure(P: Any) -> None:
    assert status(250.0, P, GOOD) == BAD_P


@pytest.mark.parametrize(
    "Y",
    [[np.nan, 0.5, 0.5], [np.inf, 0.0, 0.0], [0.0, 0.0, 0.0], [-1.0, -0.5, 0.0], [9e-9, 0, 0],
     [np.inf, -np.inf, 1.0], [1.5e308, 1.5e308, 0.0]],
)  # fmt: skip
def test_bad_mass_fractions(Y: Any) -> None:
    assert status(250.0, 8e6, [Y]) == BAD_Y


def test_bits_add_up() -> None:
    assert status(np.nan, -1.0, [[0.0, 0.0, 0.0]]) == BAD_T | BAD_P | BAD_Y


@pytest.mark.parametrize(
    ("T", "P", "Y"),
    [(np.nan, 8e6, GOOD), (250.0, 0.0, GOOD), (250.0, 8e6, np.zeros((1, 3)))],
    ids=["T", "P", "Y"],
)
def test_fatal_points_are_nan_in_every_output(T: Any, P: Any, Y: np.ndarray) -> None:
    names = all_outputs()
    got = run(T, P, Y, names)
    for name in names:
        if got[name].dtype == np.int32:
            assert (got[name] == 0).all(), name
        else:
            assert np.isnan(got[name]).all(), name


def test_sound_points_are_finite_in_every_output() -> None:
    names = all_outputs()
    got = run(250.0, 8e6, GOOD, names)
    assert all(np.isfinite(got[name]).all() for name in names)


def test_clipped() -> None:
    assert status(250.0, 8e6, [[0.7, 0.301, -1e-3]]) == Y_CLIPPED
    assert status(250.0, 8e6, [[0.7, 0.3 + 1e-9, -1e-9]]) == 0
    clipped = run(250.0, 8e6, [[0.7, 0.3, -1e-3]])
    clean = run(250.0, 8e6, [[0.7, 0.3, 0.0]])
    assert clipped["rho"] == clean["rho"]


def test_input_is_not_modified() -> None:
    Y = np.array([[0.7, 0.4, -1e-3]])
    T, P = np.array([np.nan]), np.array([8e6])
    run(T, P, Y)
    assert Y.tolist() == [[0.7, 0.4, -1e-3]] and np.isnan(T[0]) and P[0] == 8e6


@pytest.mark.parametrize("total", [0.5, 1.7])
def test_renormalised(total: float) -> None:
    assert status(250.0, 8e6, total * GOOD) == Y_RENORM
    assert status(250.0, 8e6, (1 + 1e-7) * GOOD) == 0


@pytest.mark.parametrize(
    ("species", "T", "harmful"),
    [
        ("N2", 80.0, False),  # fitted from 300 K: cp is right to 0.1 %
        ("O2", 100.0, False),
        ("CH4", 100.0, False),
        ("H2", 190.0, False),
        ("H2", 100.0, True),  # 3.31 R against 2.7 R
        ("H2", 30.0, True),
        ("CO2", 100.0, True),
        ("C12H26", 200.0, True),
        ("O2", 4000.0, False),
        ("O2", 6000.0, True),
        ("CH4", 6000.0, True),
        ("N2", 9000.0, False),  # fitted to 5000 K
        ("N2", 10100.0, True),  # twice as far, whatever the slope
    ],
)
def test_extrapolated(species: str, T: float, harmful: bool) -> None:
    """Where a constant heat capacity may be off by 3 %."""
    assert bool(status(T, 1e6, [[1.0]], species=species) & T_EXTRAP) == harmful
    polynomial = status(T, 1e6, [[1.0]], species=species, options={"thermoExtrap": "POLYNOMIAL"})
    assert polynomial & T_EXTRAP


@pytest.mark.parametrize("names", ["O2 CH4 H2O CO2", "N2 C12H26", "H2 N2 AR", "OH O H2 CH3OH"])
@pytest.mark.parametrize("mode", ["CONST_CP", "POLYNOMIAL"])
def test_extrapolated_mixtures(names: str, mode: str) -> None:
    """By mass fractions and the fits' slopes at their ends, from the records alone."""
    rng, n, data = np.random.default_rng(3), 3000, SpeciesData.load(names.split())
    T = np.exp(rng.uniform(np.log(30.0), np.log(9000.0), n))
    Y = rng.dirichlet(np.full(len(data.W), 0.4), n)
    Y[::5, 0] = 0.0
    low, high = data.nasa7[:, 0], data.nasa7[:, 2]
    if mode == "POLYNOMIAL":
        outside = (T[:, None] < low) | (T[:, None] > high)
        wanted = (outside & (Y > 1e-12 * Y.sum(axis=1, keepdims=True))).any(axis=1)
    else:
        added, cp = np.zeros((2, n)), np.zeros((2, n))
        for i, record in enumerate(data.nasa7):
            at = {T: np.polynomial.Polynomial(record[3:8] if T <= record[1] else record[10:15])
                  for T in (low[i], high[i])}  # fmt: skip
            ends = {T: (fit(T), abs(fit.deriv()(T))) for T, fit in at.items()}
            below, above = np.maximum(low[i] - T, 0.0), np.maximum(T - high[i], 0.0)
            rise = max(ends[high[i]][1], 0.03 * ends[high[i]][0] / high[i])
            share = Y[:, i] / data.W[i]
            added += share * np.stack([below * ends[low[i]][1], above * rise])
            cp += share * np.array([ends[low[i]][:1], ends[high[i]][:1]])
        wanted = (added > 0.03 * cp).any(axis=0)
    got = run(T, 1e5, 1.7 * Y, ("rho",), species=names, options={"thermoExtrap": mode})
    np.testing.assert_array_equal(got["status"] & T_EXTRAP != 0, wanted)
    assert 0.05 < wanted.mean() < 0.9


def test_a_trace_outside_its_fit_is_harmless() -> None:
    """CH4 to 3500 K, C12H26 to 5000 K; with the polynomials any amount counts."""
    for share, bits in ((1e-13, 0), (1e-11, T_EXTRAP)):
        for mode, wanted in (("CONST_CP", 0), ("POLYNOMIAL", bits)):
            got = status(4900.0, 8e6, [[share, 1.0]], species="CH4 C12H26",
                         options={"thermoExtrap": mode})  # fmt: skip
            assert got == wanted, (share, mode)


def test_heat_capacity_stays_beyond_the_range() -> None:
    T = np.array([100.0, 200.0, 3500.0, 9000.0])
    cp, h, s = (
        run(T, 1e5, [1.0, 0, 0], (name,))[name][:, 0] for name in ("cp0_i", "h0_i", "s0_i")
    )
    assert cp[0] == cp[1] and cp[2] == cp[3]
    assert h[1] - h[0] == pytest.approx(100.0 * cp[0], rel=1e-12)
    assert s[3] - s[2] == pytest.approx(cp[3] * np.log(9000 / 3500), rel=1e-12)
    on = run(T, 1e5, [1.0, 0, 0], ("cp0_i",), options={"thermoExtrap": "POLYNOMIAL"})["cp0_i"]
    assert on[0, 0] != cp[0] and on[1, 0] == cp[1]


def test_middle_temperature_belongs_to_the_low_range() -> None:
    data = SpeciesData.load(["N2"])
    mid, a = data.nasa7[0, 1], data.nasa7[0, 3:10]
    cp = run(mid, 1e5, [[1.0]], ("cp0_i",), species="N2")["cp0_i"][0, 0]
    low = a[0] + mid * (a[1] + mid * (a[2] + mid * (a[3] + mid * a[4])))
    assert cp == pytest.approx(8.31446261815324 * low, rel=1e-15)


def test_several_roots() -> None:
    got = run(
        [100.0, 100.0, 300.0], 1e5, [1.0], ("rho", "nRoots", "Zmax", "Zmin", "Z"), species="CH4"
    )
    assert got["nRoots"].tolist() == [3, 3, 1]
    assert (got["status"][:2] & MULTI_ROOT).all() and not got["status"][2] & MULTI_ROOT
    assert got["rho"][0] > 300.0 and got["Z"][0] == got["Zmin"][0] < got["Zmax"][0]
    vapour = run(100.0, 1e5, [[1.0]], species="CH4", options={"rootPolicy": "LARGEST"})["rho"]
    liquid = run(100.0, 1e5, [[1.0]], species="CH4", options={"rootPolicy": "SMALLEST"})["rho"]
    assert vapour[0] < 3.0
    assert_parts(liquid, got["rho"][:1])
    hot = run(115.0, 1e5, [[1.0]], species="CH4")
    assert hot["rho"][0] < 3.0


def test_near_critical() -> None:
    Tc, Pc = 190.564, 4.5992e6
    assert status(Tc, Pc, [[1.0]], species="CH4") & NEAR_CRITICAL
    assert not status(1.05 * Tc, Pc, [[1.0]], species="CH4") & NEAR_CRITICAL
    exact = run(Tc, Pc, [[1.0]], ("rho", "h", "s", "u", "eta", "lambda"), species="CH4")
    rho = Pc * 0.016042999999999998 / (0.30740130869870386 * 8.31446261815324 * Tc)
    assert exact["rho"][0] == pytest.approx(rho, rel=1e-4)
    assert all(np.isfinite(exact[name]).all() for name in exact)


def test_condition_is_what_the_bit_says() -> None:
    T = 190.564 * (1.0 + np.geomspace(1e-9, 1e-2, 10000))
    got = run(T, 4.5992e6, [1.0], ("Pkappa",), species="CH4")
    flagged = got["status"] & NEAR_CRITICAL != 0
    assert np.array_equal(flagged, got["Pkappa"] > 1e4) and flagged.any() and not flagged.all()


def test_published_singular() -> None:
    """Every H2/O2 mixing layer crosses a pole of the published viscosity."""
    x = np.linspace(0.0, 1.0, 401)
    Y = np.column_stack([x, 1 - x])
    options = {"chungDense": "PUBLISHED"}
    raw = run(300.0, 1e7, Y, ("eta", "lambda"), species="H2 O2", options=options)
    flagged = raw["status"] & CHUNG_SINGULAR != 0
    assert flagged.any() and flagged[(raw["eta"] <= 0) | (raw["lambda"] <= 0)].all()
    assert (raw["eta"] <= 0).any() and not flagged.all()
    bounded = run(300.0, 1e7, Y, ("eta", "lambda", "eta0"), species="H2 O2")
    assert not (bounded["status"] & CHUNG_SINGULAR).any()
    assert (bounded["eta"] > 0).all() and (bounded["lambda"] > 0).all()


def test_singular_is_seen_before_the_sign_turns() -> None:
    """A small denominator E1 E4 + E2 + E3 counts although eta is still positive."""
    E = np.array([[1.0, 1.0, -1.9, 1.0, 1.0, 0.1, 1.0, 0.1, 0.1, 0.1]] * 2)
    E[1, 2] = 1.0
    values = {"eta0": 1e-5, "y": 1e-3, "G1": 1.0025, "Tstar": 1.0, "M_m": 28.0,
              "Tcm_chung": 126.0, "Vcm_chung": 90.0}  # fmt: skip
    inputs = {name: np.array([value, value]) for name, value in values.items()} | {"E": E}
    for mode, bits in (("PUBLISHED", [CHUNG_SINGULAR, 0]), ("BOUNDED", [0, 0])):
        data = SharedData(SpeciesData.load(["N2"]), Options(chungDense=mode))
        got = launch_kernel("chungViscosity", inputs, data)
        assert (got["eta"] > 0.0).all() and got["status"].tolist() == bits, mode


def test_bits_belong_to_the_kernels_that_ran() -> None:
    """Transport bits appear only where transport was asked for; bits 0 to 7 always."""
    cold = run(25.0, 1e5, [[1.0]], ("eta",), species="H2O")
    assert cold["status"][0] & TRANSPORT_CLAMP
    assert not run(25.0, 1e5, [[1.0]], ("rho",), species="H2O")["status"][0] & TRANSPORT_CLAMP
    for outputs in (("rho",), ("X",), ("h0_i",), ("lambda", "D_im"), ("status",)):
        got = run(150.0, 1e5, [[0.7, 0.305, -0.001]], outputs)
        assert got["status"][0] & 0xFF == Y_CLIPPED | Y_RENORM | MULTI_ROOT


def test_transport_clamps() -> None:
    got = run(25.0, 1e5, [[1.0]], ("Tstar", "y", "eta"), species="H2O")
    assert got["Tstar"][0] == 0.3 and got["status"][0] & TRANSPORT_CLAMP
    packed = {"v": np.array([2e-5, 1e-3]), "Vcm_chung": np.array([150.0, 150.0])}
    dense = launch_kernel("chungReducedDensity", packed, shared("N2"))
    assert dense["y"].tolist() == [0.95, pytest.approx(0.025)]
    assert dense["G1"][0] == pytest.approx((1 - 0.475) / 0.05**3)
    assert dense["status"].tolist() == [TRANSPORT_CLAMP, 0]
    clear = run(300.0, 1e5, GOOD, ("eta",))
    assert not clear["status"][0] & TRANSPORT_CLAMP


def test_unstable_root() -> None:
    """Chosen roots are stable where the model is sound, so the kernels are fed by hand."""
    run_data = shared("N2")
    values = {"cv_ideal": 20.0, "T": 300.0, "a_TT": -1e-2, "K": 1e4, "W": 0.028}
    inputs = {name: np.array([value, value]) for name, value in values.items()}
    inputs["a_TT"][1] = 0.0
    got = launch_kernel("prEOSCv", inputs, run_data)
    assert got["cv"][0] < 0 and got["status"].tolist() == [UNSTABLE, 0]

    values = {"rho": 1.0, "rho_p": -1e-5, "rho_T": -1e-2, "h_p": 0.0, "h_T": 1000.0}
    inputs = {name: np.array([value] * 3) for name, value in values.items()}
    inputs["rho_p"][1] = 1e-4
    inputs["rho_p"][2] = 1e-4
    inputs["status"] = np.array([0, 0, UNSTABLE], dtype=np.int32)
    got = launch_kernel("prEOSCalcSoundSpeed", inputs, run_data)
    assert np.isnan(got["c"]).tolist() == [True, False, True]
    assert got["status"].tolist() == [UNSTABLE, 0, UNSTABLE]


# ---- everything must stay finite ---------------------------------------------------------


def test_whole_range_is_finite() -> None:
    T, P = (
        grid.ravel() for grid in np.meshgrid(np.geomspace(20, 2e4, 60), np.geomspace(1, 1e8, 40))
    )
    Y = np.random.default_rng(3).dirichlet(np.ones(6), len(T))
    Y[::3] = np.eye(6)[np.arange(len(Y[::3])) % 6]
    names = ("rho h s g u cp cv eta lambda D_im mu_i h_Yi rho_Yi rho_p rho_T h_p").split()
    got = run(T, P, Y, names, species="O2 CH4 CO2 H2O CO N2")
    for name in names:
        assert np.isfinite(got[name]).all(), name
    assert not (got["status"] & (BAD_T | BAD_P | BAD_Y)).any()
    stable = got["status"] & UNSTABLE == 0
    c = run(T, P, Y, ("c",), species="O2 CH4 CO2 H2O CO N2")["c"]
    assert np.isfinite(c[stable]).all() and np.isnan(c[~stable]).all()
    assert (got["eta"] > 0).all() and (got["lambda"] > 0).all() and (got["D_im"] > 0).all()


EXTREMES = [
    {},
    {"thermoExtrap": "POLYNOMIAL"},
    {"prCross": "ABS", "chungDense": "PUBLISHED", "rootPolicy": "LARGEST"},
    {"diffModel": "FULLER", "rootPolicy": "SMALLEST"},
    {"dilute": "KINETIC"},
    {"viscosity": "FRICTION", "override": "criticalViscosity=2e-5"},
]


@pytest.mark.parametrize("options", EXTREMES, ids=str)
def test_no_nan_without_a_bit(options: dict[str, Any]) -> None:
    """However far away T and P are; and each quantity by itself, with the bits of its kernels."""
    rng = np.random.default_rng(8)
    n = 4000
    far, near = (
        10.0 ** rng.uniform(low, high, (2, n)) for low, high in ((-320, 308.2), (-30, 30))
    )
    T, P = np.concatenate([far, near, near[:, :9]], axis=1)
    T[-9:], P[-9:] = 300.0, [1e300, 1e-300, 5e-324, 1e15, 1.1e15, 1e-100, 1e30, 1.79e308, 1e17]
    Y = rng.dirichlet(np.ones(3), len(T))
    Y[::4] = [1.0, 0.0, 0.0]
    names = all_outputs(options)
    got = run(T, P, Y, names, options=options)
    fatal = got["status"] & (BAD_T | BAD_P) != 0
    assert fatal.any() and not fatal.all() and (got["status"][-9:-6] == BAD_P).all()
    say = BAD_T | BAD_P | NEAR_CRITICAL | UNSTABLE
    for name in names:
        if got[name].dtype == np.int32:
            continue
        lost = np.isnan(got[name]).reshape(len(T), -1).any(axis=1)
        assert lost[fatal].all() and (got["status"][lost] & say != 0).all(), name
        alone = run(T[::7], P[::7], Y[::7], (name,), options=options)
        lost = np.isnan(alone[name]).reshape(len(T[::7]), -1).any(axis=1)
        assert (alone["status"][lost] & say != 0).all(), name


@pytest.mark.parametrize(
    ("T", "P", "bits"),
    [(1e-10, 1e5, 0), (9e-11, 1e5, BAD_T), (1e60, 1e5, 0), (1.1e60, 1e5, BAD_T),
     (300.0, 1e-100, 0), (300.0, 9e-101, BAD_P), (300.0, 1e15, 0), (300.0, 1.1e15, BAD_P)],
)  # fmt: skip
def test_range_of_the_arithmetic(T: Any, P: Any, bits: int) -> None:
    got = run(T, P, [[1.0]], ("rho",), species="N2")
    assert got["status"][0] & (BAD_T | BAD_P) == bits and np.isnan(got["rho"][0]) == bool(bits)


def test_a_lost_density_is_flagged() -> None:
    """v - b rounded away: dP/dv is infinite, whatever else was finite."""
    values = {"T": 300.0, "v_pr": 2e-5, "a": 0.1, "a_T": -1e-4, "b": 2e-5, "D": 8e-10}
    inputs = {name: np.array([value] * 3) for name, value in values.items()}
    inputs["v_pr"][1:] = [1e-3, np.nan]
    got = launch_kernel("prEOSPressureDerivatives", inputs, shared("N2"))
    assert got["status"].tolist() == [NEAR_CRITICAL, 0, NEAR_CRITICAL]


def test_one_species_alone_in_a_mixture() -> None:
    names = ("rho", "h", "cp", "cv", "c", "eta", "lambda", "Pkappa")
    mixture = run(200.0, 5e6, [[0.0, 1.0, 0.0]], (*names, "D_im", "mu_i", "lnphi_i", "vbar_i"))
    pure = run(200.0, 5e6, [[1.0]], names, species="CH4")
    for name in names:
        assert mixture[name][0] == pytest.approx(pure[name][0], rel=1e-12), name
    assert np.isfinite(mixture["D_im"]).all() and np.isfinite(mixture["mu_i"]).all()
    # D_im of the species that is alone: weighted harmonic mean of its pair coefficients
    got = run(200.0, 5e6, [[0.0, 1.0, 0.0]], ("D0_ij", "takahashi"))
    W = np.array([0.031998, 0.016043, 0.018015])
    pairs = got["D0_ij"][0][[1, 4]] * got["takahashi"][0]
    expected = (W[0] + W[2]) / W[1] / (1 / pairs).sum()
    assert mixture["D_im"][0, 1] == pytest.approx(expected, rel=1e-4)


def test_single_species_diffusion() -> None:
    got = run(300.0, 1e5, [[1.0]], ("D_im", "D0_ij", "takahashi"), species="N2")
    expected = got["D0_ij"][0, 0] * got["takahashi"][0]
    assert got["D_im"][0, 0] == pytest.approx(expected, rel=4e-16)
