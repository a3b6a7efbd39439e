"""Single kernels against tables and roots of public libraries."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from kernels.measure import DIFFUSION_SYSTEMS, TOLERANCES, R, group, present, worst

import bridge
from bridge.backends.cpu.single import launch_kernel
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

TOL = TOLERANCES["reference"]


def shared(names: Any, **options: Any) -> SharedData:
    return SharedData(SpeciesData.resolve(names), Options.parse(options))


@pytest.mark.parametrize("mode", ["const", "poly"])
def test_nasa(mode: str) -> None:
    data = group("nasa")
    names = [str(s) for s in data["species"]]
    data_shared = shared(names, thermoExtrap={"const": "CONST_CP", "poly": "POLYNOMIAL"}[mode])
    T = data["T"]
    cp = launch_kernel("prEOSIdealSpeciesCp", {"T": T}, data_shared)["cp0_i"] / R
    h = launch_kernel("prEOSIdealSpeciesEnthalpy", {"T": T}, data_shared)["h0_i"] / R
    s = launch_kernel("prEOSIdealSpeciesEntropy", {"T": T}, data_shared)["s0_i"] / R
    assert worst(cp, data[f"{mode}_cpR"]) < TOL["nasa"]
    assert worst(h, data[f"{mode}_hR"], T[:, None]) < TOL["nasa"]
    assert worst(s, data[f"{mode}_sR"], 1.0) < TOL["nasa"]


def test_cubic() -> None:
    data = group("cubic")
    A, B = data["AB"].T
    run = shared("N2")
    roots = launch_kernel("prEOSSolveCubic", {"A": A, "B": B}, run)
    assert np.array_equal(roots["nRoots"], data["nroots"])
    assert worst(roots["Zmax"], data["Zmax"]) < TOL["cubic"]
    three = data["nroots"] == 3
    assert worst(roots["Zmin"][three], data["Zmin"][three]) < TOL["cubic"]
    assert np.array_equal(roots["Zmin"][~three], roots["Zmax"][~three])
    chosen = launch_kernel("prEOSSelectRoot", {"A": A, "B": B, **roots}, run)
    assert worst(chosen["Z_pr"], data["Z"]) < TOL["cubic"]
    assert np.array_equal(chosen["status"] != 0, three)


def test_cubic_thin_and_dense() -> None:
    """Roots far outside the reference set, against the polynomial evaluated in long double."""
    A, B = (grid.ravel() for grid in np.meshgrid(np.logspace(-11, 2, 40), np.logspace(-10, 1, 40)))
    roots = launch_kernel("prEOSSolveCubic", {"A": A, "B": B}, shared("N2"))
    A, B = A.astype(np.longdouble), B.astype(np.longdouble)
    for name in ("Zmax", "Zmin"):
        Z = roots[name].astype(np.longdouble)
        value = ((Z + B - 1) * Z + A - 3 * B**2 - 2 * B) * Z - (A * B - B**2 - B**3)
        slope = (3 * Z + 2 * (B - 1)) * Z + A - 3 * B**2 - 2 * B
        terms = Z**3 + np.abs(B - 1) * Z**2 + np.abs(A - 3 * B**2 - 2 * B) * Z
        terms += np.abs(A * B - B**2 - B**3)
        assert (Z > B).all()
        # a root to rounding: the residual is that of the last bits of Z or of the terms
        bound = 64 * np.finfo(float).eps * (np.abs(slope) * Z + terms)
        assert (np.abs(value) <= bound).all(), name


def roots_above(A: float, B: float) -> int:
    """Number of roots of the cubic above B, in exact arithmetic (Sturm's chain at B + t)."""
    a, b = Fraction(A), Fraction(B)
    c2, c1, c0 = b - 1, a - 3 * b**2 - 2 * b, -(a * b - b**2 - b**3)
    first = [Fraction(1), c2 + 3 * b, c1 + 2 * c2 * b + 3 * b**2, c0 + c1 * b + c2 * b**2 + b**3]
    chain = [first, [3 * first[0], 2 * first[1], first[2]]]
    while len(chain[-1]) > 1:
        rest, divisor = list(chain[-2]), chain[-1]
        while len(rest) >= len(divisor):
            factor = rest[0] / divisor[0]
            for k, coefficient in enumerate(divisor):
                rest[k] -= factor * coefficient
            rest.pop(0)
        while len(rest) > 1 and rest[0] == 0:
            rest.pop(0)
        chain.append([-coefficient for coefficient in rest])

    def changes(values: list[Any]) -> int:
        signs = [value > 0 for value in values if value != 0]
        return sum(one != two for one, two in zip(signs, signs[1:], strict=False))

    return changes([p[-1] for p in chain]) - changes([p[0] for p in chain])


def test_number_of_roots_is_exact() -> None:
    """From 1 Pa to beyond 100 MPa, liquids next to their spinodal at low pressure among them."""
    random = np.random.default_rng(0)
    n = 600
    B = np.exp(random.uniform(np.log(1e-10), np.log(50.0), n))
    ratio = np.exp(random.uniform(np.log(0.1), np.log(300.0), n))
    ratio[::2] = random.uniform(5.0, 8.0, len(ratio[::2]))
    ratio[1::4] = random.uniform(1.5, 7.0, len(ratio[1::4]))
    B[1::4] = random.uniform(5.0, 30.0, len(ratio[1::4]))
    A = ratio * B
    # one root, from which the polish of a second start would end one bit away
    A = np.append(A, [99.52916021789257, 99.79118172660316, 116.84886112438438])
    B = np.append(B, [8.322718511792834, 8.213563227573204, 7.524117658485844])
    got = launch_kernel("prEOSSolveCubic", {"A": A, "B": B}, shared("N2"))["nRoots"]
    expected = [roots_above(*pair) for pair in zip(A, B, strict=True)]
    assert got.tolist() == expected
    assert expected.count(3) > 50


def test_collision_integral() -> None:
    data = group("omega")
    run = shared("N2", omega22G=-6.435e-4)
    one = np.ones_like(data["Tstar"])
    got = launch_kernel("chungCollisionIntegral", {"T": data["Tstar"], "eps_m": one}, run)
    floored = data["Tstar"] < 0.3
    assert np.array_equal(got["status"] == 8192, floored)
    assert worst(got["Omega22"][~floored], data["omega22"][~floored]) < TOL["tables"]


def test_diffusion_integral() -> None:
    """Omega11 by itself: a species made to have eps = 1 K and sigma = 1 angstrom."""
    data = group("omega")
    constants = {"Tc": 1.2593, "Vc": 1e-6 / 0.809**3, "unchecked": 1}
    T, P = data["Tstar"], 1e5
    got = bridge.evaluate("N2", T, P, 1.0, ("D0_ij",), options={"species": constants})["D0_ij"][
        :, 0
    ]
    W = SpeciesData.load(["N2"]).W[0]
    kB, NA = 1.380649e-23, 6.02214076e23
    scale = 3 / 16 * np.sqrt(2 * np.pi * (kB * T) ** 3 / (W / 2 / NA)) / (P * np.pi * 1e-20)
    above = T >= 0.3  # below it T* counts as 0.3, and one of the 60 is 0.3 less the last bit
    assert above.sum() >= 59
    assert worst((scale / got)[above], data["omega11"][above]) < TOL["tables"]


@pytest.mark.parametrize("name", DIFFUSION_SYSTEMS)
def test_binary_diffusion(name: str) -> None:
    """D0_ij, which carries Omega11."""
    data = group(f"diff_{name}")
    species = [str(s) for s in data["species"]]
    got = bridge.evaluate(species, data["T"], data["P"], data["Y"], ("D0_ij",))
    i, j = np.triu_indices(len(species))
    assert worst(got["D0_ij"], data["Dij_neufeld"][:, i, j]) < TOL["tables"]


def test_cold_binary_diffusion_is_floored() -> None:
    """T*_ij never counts as less than 0.3; written out from the definition."""
    data, T, P = SpeciesData.load(["H2O"]), np.array([25.0, 130.0, 170.0]), 1e5
    eps, sigma = data.Tc[0] / 1.2593, 0.809 * (1e6 * present(data.Vc)[0]) ** (1 / 3)
    x = np.maximum(T / eps, 0.3)
    assert (x > 0.3).tolist() == [False, False, True]
    omega = 1.06036 * x**-0.15610 + 0.19300 * np.exp(-0.47635 * x)
    omega += 1.03587 * np.exp(-1.52996 * x) + 1.76474 * np.exp(-3.89411 * x)
    mass = data.W[0] / 2 / 6.02214076e23
    kT = 1.380649e-23 * T
    expected = 3 / 16 * np.sqrt(2 * np.pi * kT**3 / mass)
    expected /= P * np.pi * (1e-10 * sigma) ** 2 * omega
    got = bridge.evaluate("H2O", T, P, [1.0], ("D0_ij",))["D0_ij"][:, 0]
    assert worst(got, expected) < TOL["tables"]


def mixture(data: dict[str, np.ndarray], pairs: np.ndarray, **options: Any) -> np.ndarray:
    species = [str(s) for s in data["species"]]
    run = shared(species, **options)
    i, j = np.triu_indices(len(species))
    W = data["X"] @ run.species.W
    inputs = {"X": data["X"], "W": W, "T": data["T"], "P": data["P"], "D0_ij": pairs[:, i, j]}
    inputs["takahashi"] = np.ones(len(W))
    return launch_kernel("chungMixtureDiffusion", inputs, run)["D_im"]


@pytest.mark.parametrize("name", DIFFUSION_SYSTEMS)
@pytest.mark.parametrize(("form", "key"), [("MASS_FORM", "Dim_low"), ("MOLE_FORM", "DimMole_low")])
def test_mixture_diffusion(name: str, form: str, key: str) -> None:
    data = group(f"diff_{name}")
    got = mixture(data, data["Dij_low"], massFraction=form)
    # of a species alone in the mixture the library gives none
    present = data["X"] < 1.0 - 1e-9
    assert worst(got[present], data[key][present]) < TOL["tables"]
    assert np.isfinite(got).all() and (got > 0.0).all()


def takahashi(Tr: np.ndarray, Pr: np.ndarray, run: SharedData) -> np.ndarray:
    """The factor, which does not depend on the volume: that is for the status word."""
    inputs = {"Tr": Tr, "Pr": Pr, **dict.fromkeys(("T", "P", "v"), np.ones(len(Tr)))}
    return launch_kernel("chungTakahashiFactor", inputs, run)["takahashi"]


@pytest.mark.parametrize("row", ["default", "cantera32RowPr3"])
def test_takahashi(row: str) -> None:
    Pr, Tr, f = group("takahashi")["Pr_Tr_f"].T
    got = takahashi(Tr, Pr, shared("N2", takahashiRow3=row))
    # the two tables differ in the row Pr = 3 alone
    same = (Pr <= 2.5) | (Pr >= 4.0) if row == "default" else np.ones_like(Pr, bool)
    assert worst(got[same], f[same]) < TOL["tables"]
    assert same.all() or worst(got[~same], f[~same]) > 1e-3


def test_takahashi_rows_meet() -> None:
    """Each tenth of Pr and its neighbours on both sides: no step where one row follows another;
    past the last row its value stays."""
    tenths = np.arange(1, 51) / 10.0
    Pr = np.stack([np.nextafter(tenths, 0.0), tenths, np.nextafter(tenths, 9.0)])
    for Tr in (0.7, 1.1, 3.0):
        f = takahashi(np.full(Pr.size, Tr), Pr.ravel(), shared("N2")).reshape(3, -1)
        assert worst(f[[0, 2]], f[[1, 1]]) < 1e-14
        beyond = takahashi(np.full(4, Tr), np.array([5.0, 7.0, 1e6, np.nan]), shared("N2"))
        np.testing.assert_array_equal(beyond[:3], f[1, -1])
        assert np.isnan(beyond[3])


@pytest.mark.parametrize("name", DIFFUSION_SYSTEMS)
def test_takahashi_pairwise(name: str) -> None:
    """The factor of each pair of the mixture, seen through two species at the state's shares."""
    data = group(f"diff_{name}")
    full = SpeciesData.resolve([str(s) for s in data["species"]])
    ns = len(full.names)
    options = {
        "takaMode": "PAIRWISE",
        "takahashiRow3": "cantera32RowPr3",
        "massFraction": "MOLE_FORM",
    }
    seen = 0
    for i in range(ns):
        for j in range(i + 1, ns):
            run = shared([full.names[i], full.names[j]], **options)
            X = np.maximum(data["X"][:, [i, j]], 1e-20)
            X /= X.sum(axis=1)[:, None]
            Tc, Pc = X @ full.Tc[[i, j]], X @ full.Pc[[i, j]]
            ok = (data["T"] >= Tc) & (data["P"] >= 0.1 * Pc)
            n = len(ok)
            inputs = {"X": X, "W": np.ones(n), "T": data["T"], "P": data["P"],
                      "D0_ij": np.ones((n, 3)), "takahashi": np.ones(n)}  # fmt: skip
            got = launch_kernel("chungMixtureDiffusion", inputs, run)["D_im"][:, 0]
            assert worst(got[ok], data["takaPair"][ok, i, j]) < TOL["tables"]
            seen += ok.sum()
    assert seen > ns
