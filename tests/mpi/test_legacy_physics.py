"""The legacy Fortran physics, point by point: two transcriptions of the same equations agree.

The Fortran was written from docs/physics.md, not from the kernels, so a slip in either shows.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import numpy as np
import pytest
from hosts import TIME_LIMIT
from kernels.measure import R, error, system
from mpi.conftest import STUB, make

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.fortran

VELOCITY, VREF = (30.0, -4.0, 12.0), 20.0


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """driver(species, T, P, Y, kij) -> name -> (n, width), through the compiled point_driver."""
    if shutil.which("mpif90") is None:
        pytest.skip("no mpif90")
    folder = tmp_path_factory.mktemp("points")
    program = make("point_driver", folder) / "point" / "point_driver"

    def run(species: Any, keyword: Any, *columns: Any, kij: Any = ()) -> Any:
        table = np.column_stack(columns)
        lines = ["species " + " ".join(species)]
        lines += [f"kij {a} {b} {value!r}" for a, b, value in kij]
        lines += [f"{keyword} {len(table)}"]
        lines += [" ".join(f"{value:.17e}" for value in row) for row in table]
        (folder / "states").write_text("\n".join(lines) + "\n")
        command = [program, STUB / "data" / "species.dat", folder / "states", folder / "values"]
        subprocess.run([str(word) for word in command], check=True, timeout=TIME_LIMIT)
        header, *rows = (folder / "values").read_text().splitlines()
        words = header.split()[1:]
        values = np.array([[float(word) for word in row.split()] for row in rows])
        names, widths = words[::2], [int(word) for word in words[1::2]]
        parts = np.split(values, np.cumsum(widths)[:-1], axis=1)
        return dict(zip(names, parts, strict=True))

    return run


def states(n: Any, ns: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    T = rng.uniform(150.0, 3200.0, n)
    P = np.exp(rng.uniform(np.log(1e5), np.log(3e7), n))
    Y = rng.dirichlet(np.ones(ns), n)
    if ns > 1:
        Y[::5, 0] = 0.0
        Y /= Y.sum(axis=1, keepdims=True)
    return T, P, Y


def scale(name: Any, values: Any, data: Any) -> Any:
    """The scale of a quantity, from the run's own T, W, rho (see kernels/measure.py)."""
    T, W, rho = (data[key] for key in ("T", "W", "rho"))
    if name in ("h", "u", "g", "h0", "h_ideal", "h_Yi", "h_Yi_reduced"):
        molar = name == "h_ideal"
        return (R * T if molar else R * T / W * 20.0)[:, None]
    if name in ("h0_i", "hbar_i", "mu_i"):
        return (R * T)[:, None]
    if name == "rhoh0":
        return (rho * R * T / W)[:, None]
    if name in ("s", "s_ideal", "s0_i"):
        return np.full_like(T, R)[:, None]
    if name in ("h_p", "p_rhoi"):
        return (1.0 / rho if name == "h_p" else R * T / W * 20.0)[:, None]
    if name == "vbar_i":
        return (W / rho)[:, None]
    if name == "P_i":
        return (R * T * rho / W)[:, None]
    if name in ("rho_Yi", "rho_Yi_reduced"):
        return (rho * 20.0)[:, None]
    if name == "lnphi_i":
        return 1.0
    return np.abs(values).max(axis=0) * 1e-3


@pytest.mark.parametrize(
    ("species", "kij"),
    [
        (("N2",), ()),
        (("C12H26",), ()),
        (("O2", "CH4", "H2O"), ()),
        (("N2", "CH4", "CO2"), (("N2", "CH4", 0.0289), ("CH4", "CO2", 0.0978))),
        (("O2", "CH4", "CO2", "H2O", "CO", "N2"), ()),
        (("H2", "O2", "H2O", "OH", "H", "O", "HO2", "H2O2", "N2"), ()),
    ],
    ids=lambda value: "-".join(value) if value and isinstance(value[0], str) else "kij",
)
def test_every_quantity_agrees_with_the_kernels(driver: Any, species: Any, kij: Any) -> None:
    T, P, Y = states(60, len(species), len(species))
    legacy = driver(species, "states", T, P, Y, kij=kij)
    matrix = np.zeros((len(species),) * 2)
    for a, b, value in kij:
        i, j = species.index(a), species.index(b)
        matrix[i, j] = matrix[j, i] = value
    names = tuple(legacy)
    ours = bridge.evaluate(
        species,
        T,
        P,
        Y,
        (*names, "Pkappa"),
        kij=matrix,
        velocity=VELOCITY,
        Vref=VREF,
        stability="off",
    )
    data = {"T": T, "W": ours["W"], "rho": ours["rho"]}
    np.testing.assert_array_equal(legacy["status"][:, 0], ours["status"])
    np.testing.assert_array_equal(legacy["nRoots"][:, 0], ours["nRoots"])
    condition = np.maximum(1.0, ours["Pkappa"])
    for name in names:
        if name in ("status", "nRoots"):
            continue
        mine = ours[name].reshape(len(T), -1)
        assert mine.shape == legacy[name].shape, name
        errors = error(mine, legacy[name], scale(name, mine, data), condition)
        assert np.nanmax(errors, initial=0.0) < 1e-11, f"{name}: {np.nanmax(errors)}"
        np.testing.assert_array_equal(np.isnan(mine), np.isnan(legacy[name]), err_msg=name)


def test_temperature_from_enthalpy_agrees(driver: Any) -> None:
    species = ("O2", "CH4", "H2O")
    T, P, Y = states(60, 3, 2)
    h = bridge.evaluate(species, T, P, Y, ("h",))["h"]
    legacy = driver(species, "enthalpies", h, np.full(60, 300.0), P, Y)
    ours = bridge.evaluate(species, None, P, Y, ("rho",), h=h, stability="off")
    np.testing.assert_allclose(legacy["T"][:, 0], ours["T"], rtol=1e-9)
    np.testing.assert_array_equal(legacy["status"][:, 0], ours["status"])


CONSERVATIVE = ("P", "h", "cp", "cv", "c", "p_rhoe", "p_rhoi")


@pytest.mark.parametrize(
    "species", [("O2",), ("O2", "CH4", "H2O"), ("H2", "O2", "H2O", "OH", "H", "O", "HO2", "N2")]
)
def test_a_state_of_density_and_energy_agrees(driver: Any, species: Any) -> None:
    """From guesses near and far; some densities are those of no stable phase."""
    T, P, Y = states(80, len(species), 7)
    state = bridge.evaluate(species, T, P, Y, ("rho", "u"))
    rho, e = state["rho"] * np.where(np.arange(80) % 4, 1.0, 0.7), state["u"]
    T0 = np.where(np.arange(80) % 2, 300.0, 1.02 * T)
    legacy = driver(species, "energies", e, T0, rho, Y)
    ours = bridge.evaluate(species, None, None, Y, ("T", *CONSERVATIVE), rho=rho, e=e, T0=T0)
    np.testing.assert_array_equal(legacy["status"][:, 0], ours["status"])
    np.testing.assert_allclose(legacy["T"][:, 0], ours["T"], rtol=1e-11)
    gas = R * ours["T"] / bridge.evaluate(species, 300.0, 1e5, Y, ("W",))["W"]
    scales = {"P": rho * gas, "h": 20.0 * gas, "p_rhoi": 20.0 * gas}
    for name in CONSERVATIVE:
        mine = ours[name].reshape(80, -1)
        size = scales[name][:, None] if name in scales else np.abs(mine)
        assert np.nanmax(np.abs(legacy[name] - mine) / size) < 1e-9, name
        np.testing.assert_array_equal(np.isnan(mine), np.isnan(legacy[name]), err_msg=name)


def test_bad_densities_are_the_same(driver: Any) -> None:
    """No volume left, none at all, no energy, energies outside the range of T."""
    rho = np.array([1e4, -1.0, 0.0, np.nan, 10.0, 10.0, 10.0, 10.0, 10.0])
    e = np.array([0.0, 0.0, 0.0, 0.0, np.inf, -1e8, 1e9, 0.0, 0.0])
    Y = np.tile([0.2, 0.8], (9, 1))
    Y[7], Y[8] = (np.nan, 1.0), (0.0, 0.0)
    T0 = np.full(9, 300.0)
    names = ("T", "P")
    legacy = driver(("O2", "N2"), "energies", e, T0, rho, Y)
    ours = bridge.evaluate(("O2", "N2"), None, None, Y, names, rho=rho, e=e, T0=T0)
    np.testing.assert_array_equal(legacy["status"][:, 0], ours["status"])
    for name in names:
        np.testing.assert_allclose(legacy[name][:, 0], ours[name], rtol=1e-9)
    assert len(set(ours["status"])) >= 5


def test_temperature_from_density_and_pressure_agrees(driver: Any) -> None:
    species = ("O2", "CH4", "H2O")
    T, P, Y = states(60, 3, 5)
    rho = bridge.evaluate(species, T, P, Y, ("rho",))["rho"]
    P = P * np.where(np.arange(60) % 5, 1.0, 0.01)  # some below what the range of T reaches
    legacy = driver(species, "pressures", P, rho, Y)
    ours = bridge.evaluate(species, None, P, Y, ("T", "h"), rho=rho)
    np.testing.assert_array_equal(legacy["status"][:, 0], ours["status"])
    np.testing.assert_allclose(legacy["T"][:, 0], ours["T"], rtol=1e-10)
    np.testing.assert_allclose(legacy["h"][:, 0], ours["h"], rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize(
    "species", [("O2",), ("O2", "CH4", "H2O"), ("H2", "O2", "H2O", "OH", "H", "O", "HO2", "N2")]
)
def test_temperature_from_entropy_agrees(driver: Any, species: Any) -> None:
    """From guesses near and far, a third of the points at less pressure as in a nozzle."""
    T, P, Y = states(80, len(species), 13)
    s = bridge.evaluate(species, T, P, Y, ("s",))["s"]
    P = P * np.where(np.arange(80) % 3, 1.0, 0.6)
    s[0], s[1], s[2] = np.nan, -1e6, 1e6
    T0 = np.where(np.arange(80) % 2, 300.0, 1.02 * T)
    legacy = driver(species, "entropies", s, T0, P, Y)
    ours = bridge.evaluate(
        species, None, P, Y, s=s, T0=T0, composite="prEOSCalcTFromSP", stability="off"
    )
    np.testing.assert_array_equal(legacy["status"][:, 0], ours["status"])
    assert [int(bits) & 1537 for bits in ours["status"][:3]] == [1, 512, 1024]
    np.testing.assert_allclose(legacy["T"][:, 0], ours["T"], rtol=1e-11)
    np.testing.assert_array_equal(legacy["iterations"][:, 0], ours["iterations"])
    np.testing.assert_allclose(legacy["rho"][:, 0], ours["rho"], rtol=1e-9)
    gas = R * ours["T"] / bridge.evaluate(species, 300.0, 1e5, Y, ("W",))["W"]
    assert np.nanmax(np.abs(legacy["h"][:, 0] - ours["h"]) / (20.0 * gas)) < 1e-10
    np.testing.assert_array_equal(np.isnan(ours["h"]), np.isnan(legacy["h"][:, 0]))


@pytest.mark.parametrize(
    ("species", "Y", "sides"),
    [(("O2",), [1.0], (119.0, 120.0)), (("O2", "CH4"), [0.5, 0.5], (138.0, 141.0))],
    ids=["pure", "mixture"],
)
def test_both_obey_the_lever_rule_inside_an_enthalpy_jump(
    driver: Any, species: Any, Y: Any, sides: Any
) -> None:
    low, high = bridge.evaluate(species, sides, 1e6, Y, ("h",))["h"]
    targets = low + np.array([0.2, 0.5, 0.8]) * (high - low)
    T0, h = (grid.ravel() for grid in np.meshgrid(np.linspace(100.0, 300.0, 21), targets))
    P, Y = np.full(len(h), 1e6), np.tile(Y, (len(h), 1))
    legacy = driver(species, "enthalpies", h, T0, P, Y)
    ours = bridge.evaluate(species, None, P, Y, ("rho",), h=h, T0=T0, stability="off")
    assert (ours["status"] & 256 != 0).all()
    np.testing.assert_array_equal(legacy["status"][:, 0], ours["status"])
    np.testing.assert_allclose(legacy["T"][:, 0], ours["T"], rtol=3e-12)
    np.testing.assert_allclose(legacy["rho"][:, 0], ours["rho"], rtol=1e-9)
    for target in np.unique(h):
        rho = legacy["rho"][h == target, 0]
        assert np.ptp(rho) < 1e-9 * rho[0]


def test_both_mix_the_phases_inside_an_entropy_jump(driver: Any) -> None:
    low, high = bridge.evaluate("CH4", (111.0, 112.5), 1e5, outputs=("s",))["s"]
    targets = low + np.array([0.2, 0.45, 0.55, 0.8]) * (high - low)
    T0, s = (grid.ravel() for grid in np.meshgrid(np.linspace(100.0, 300.0, 21), targets))
    P, Y = np.full(len(s), 1e5), np.ones((len(s), 1))
    legacy = driver(("CH4",), "entropies", s, T0, P, Y)
    ours = bridge.evaluate("CH4", None, P, Y, ("T", "rho", "h"), s=s, T0=T0, stability="off")
    assert (ours["status"] & 256 != 0).all()
    np.testing.assert_array_equal(legacy["status"][:, 0], ours["status"])
    np.testing.assert_allclose(legacy["T"][:, 0], ours["T"], rtol=3e-12)
    for name in ("rho", "h"):
        np.testing.assert_allclose(legacy[name][:, 0], ours[name], rtol=1e-9)


@pytest.mark.parametrize("species", ["H2O", "N2", "C12H26", "CH4"])
def test_thin_gas_has_one_root(driver: Any, species: Any) -> None:
    """At a few pascal the third cosine would count roots that are not there."""
    rng = np.random.default_rng(11)
    n = 3000
    T = np.append(rng.uniform(150.0, 1500.0, n), 598.3728)
    P = np.append(10.0 ** rng.uniform(-3.0, 5.0, n), 2.7536)
    Y = np.ones((n + 1, 1))
    legacy = driver((species,), "states", T, P, Y)
    ours = bridge.evaluate(species, T, P, Y, ("nRoots", "rho"))
    np.testing.assert_array_equal(legacy["nRoots"][:, 0], ours["nRoots"])
    np.testing.assert_array_equal(legacy["status"][:, 0] % 128, ours["status"] % 128)
    np.testing.assert_allclose(legacy["rho"][:, 0], ours["rho"], rtol=1e-11)
    if species == "H2O":
        assert legacy["nRoots"][-1, 0] == 1 and not legacy["status"][-1, 0]


def test_the_same_points_are_bad(driver: Any) -> None:
    """T and P at the ends of the range of the arithmetic, and beyond."""
    T = np.array([300.0, 300.0, 300.0, 300.0, 1e-11, 1e-9, 1e61, 1e59, -1.0, 300.0])
    P = np.array([1.1e15, 9e14, 9e-101, 2e-100, 1e5, 1e5, 1e5, 1e5, 1e5, 0.0])
    Y = np.ones((len(T), 1))
    legacy = driver(("N2",), "states", T, P, Y)
    ours = bridge.evaluate("N2", T, P, Y, ("rho",))
    np.testing.assert_array_equal(legacy["status"][:, 0].astype(int) & 7, ours["status"] & 7)
    assert (ours["status"] & 7).tolist() == [2, 0, 2, 0, 1, 0, 1, 0, 1, 2]


@pytest.mark.parametrize("name", ["air", "O2_CH4", "H2O2N2_9", "gri53"])
def test_legacy_reproduces_the_reference_values(driver: Any, name: Any) -> None:
    reference = system(name)
    _, T, P, Y = reference.inputs
    species = [str(s) for s in reference["species"]]
    legacy = driver(species, "states", T, P, Y)
    well = reference.well
    for quantity in ("rho", "h", "cp", "c"):
        errors = error(
            legacy[quantity][well, 0],
            reference[quantity][well],
            np.broadcast_to(reference.scale(quantity), T.shape)[well],
            reference["cond"][well],
        )
        assert errors.max() < 1e-11, quantity


def test_shipped_fortran_data_is_the_shipped_table() -> None:
    """fortran_stub/data/species.dat holds the numbers of species.yaml, to the last digit."""
    text = (STUB / "data" / "species.dat").read_text()
    names = [s for s in SpeciesData.load(None).names]
    data = SpeciesData.load(names)
    for i, name in enumerate(names):
        for value in (data.Tc[i], data.Pc[i], data.W[i], *data.nasa7[i]):
            assert any(float(word) == value for word in words_of(text, name)), (name, value)


def words_of(text: str, name: str) -> list[str]:
    """Numbers of the record of one species."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split()[:1] == [name])
    words: list[str] = lines[start].split()[1:]
    for line in lines[start + 1 :]:
        if not line[:1].isspace():
            break
        words += line.split()
    return [word for word in words if word.replace("-", "").replace("+", "")[:1].isdigit()]
