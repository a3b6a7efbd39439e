"""dilute = KINETIC: transport of the dilute gas by kinetic theory, against cantera; what it needs,
and how plans take its kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.backends.cpu.single import launch_kernel
from bridge.errors import ArgumentError, InconsistentError
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

pytestmark = pytest.mark.usefixtures("backend")

KINETIC = {"dilute": "KINETIC"}
ATM = 101325.0
TEMPERATURES = (300.0, 500.0, 1000.0, 2000.0, 3000.0)
SHARES = (0.0, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
AIR = {"O2": 0.21, "N2": 0.79}
MIXTURES = {
    "hydrogen and air": ("H2 O2 N2", {"H2": 1.0}, AIR),
    "hydrogen and steam": ("H2 H2O", {"H2": 1.0}, {"H2O": 1.0}),
    "methane and air": ("CH4 O2 N2", {"CH4": 1.0}, AIR),
}
#: Largest relative differences.
ETA, D, LAMBDA = 0.01, 0.03, 0.10


@pytest.fixture(scope="module")
def gas() -> Any:
    ct = pytest.importorskip("cantera")
    ct.suppress_thermo_warnings()
    return ct.Solution("gri30.yaml")


def transport(gas: Any, model: str, T: float, X: dict[str, float]) -> Any:
    gas.transport_model = model
    gas.TPX = T, ATM, X
    return gas


def run(species: Any, T: Any, X: Any, outputs: str, **more: Any) -> Any:
    more.setdefault("options", KINETIC)
    return bridge.evaluate(species, T, ATM, X=X, outputs=outputs, stability="off", **more)


@pytest.mark.parametrize("which", MIXTURES)
def test_mixtures_against_cantera(gas: Any, which: str) -> None:
    """From one gas to the other; viscosity and diffusion of its mixture-averaged model, and the
    conductivity of its multicomponent one."""
    names, first, second = MIXTURES[which]
    species = names.split()
    places = [gas.species_index(name) for name in species]
    upper = np.triu_indices(len(species))
    for T in TEMPERATURES:
        for share in SHARES:
            if "H2O" in species and T < 373.0 and share < 0.97:
                continue  # it would rain
            X = np.array([share * first.get(n, 0.0) + (1 - share) * second.get(n, 0.0)
                          for n in species])  # fmt: skip
            state = dict(zip(species, X, strict=True))
            got = run(species, T, X, "eta lambda D0_ij D_im")
            mixed = transport(gas, "mixture-averaged", T, state)
            np.testing.assert_allclose(got.eta, mixed.viscosity, rtol=ETA)
            pairs = mixed.binary_diff_coeffs[np.ix_(places, places)][upper]
            np.testing.assert_allclose(got.D0_ij, pairs, rtol=D)
            if 0.0 < share < 1.0:
                np.testing.assert_allclose(got.D_im, mixed.mix_diff_coeffs[places], rtol=D)
            many = transport(gas, "multicomponent", T, state)
            np.testing.assert_allclose(got["lambda"], many.thermal_conductivity, rtol=LAMBDA)


def test_all_species_against_cantera(gas: Any) -> None:
    """Viscosity and conductivity of each alone: the collision data of the table are those of
    GRI-Mech 3.0, and the integrals those of Monchick and Mason."""
    species = gas.species_names
    for T in (400.0, 1000.0, 2500.0):
        eta, conductivity = [], []
        for name in species:
            one = transport(gas, "mixture-averaged", T, {name: 1.0})
            eta.append(one.viscosity)
            conductivity.append(one.thermal_conductivity)
        got = run(species, T, np.eye(len(species)), "eta0_i lambda0")
        np.testing.assert_allclose(np.diag(got.eta0_i), eta, rtol=ETA)
        np.testing.assert_allclose(got.lambda0, conductivity, rtol=0.03)


def test_the_density_acts_as_in_chungs_form() -> None:
    """eta and lambda are linear in the dilute ones, with factors that the option leaves."""
    names = "eta eta0 lambda psi M_m y G1 E B_chung status"
    state = {"T": [300.0, 500.0], "P": 2e7, "Y": [0.3, 0.7], "stability": "off"}
    chung = bridge.evaluate("H2 N2", outputs=names, **state)  # type: ignore[arg-type]
    kinetic = bridge.evaluate(
        "H2 N2",
        outputs=f"{names} lambda0",
        options=KINETIC,
        **state,  # type: ignore[arg-type]
    )
    for name in ("M_m", "y", "G1", "E", "B_chung"):
        np.testing.assert_array_equal(chung[name], kinetic[name])
    y, G1 = chung["y"], chung["G1"]

    def factor(c: np.ndarray, last: np.ndarray) -> np.ndarray:
        c1, c2, c3, c4, c5 = c.T
        first = c1 * (1.0 - np.exp(-c4 * y)) / y
        value = (first + c2 * G1 * np.exp(c5 * y) + c3 * G1) / (c1 * c4 + c2 + c3)
        return np.asarray(1.0 / value + last * y)

    change = (kinetic["eta"] - chung["eta"]) / (kinetic["eta0"] - chung["eta0"])
    np.testing.assert_allclose(change, factor(chung["E"][:, :5], chung["E"][:, 5]), rtol=1e-9)
    dilute = 31.2e3 * chung["eta0"] * chung["psi"] / chung["M_m"]
    change = (kinetic["lambda"] - chung["lambda"]) / (kinetic["lambda0"] - dilute)
    B = chung["B_chung"]
    np.testing.assert_allclose(change, factor(B[:, :5], B[:, 5]), rtol=1e-9)


# ---- plans ----------------------------------------------------------------------------------


def test_plans_take_its_kernels_with_the_option_alone() -> None:
    shipped = Catalogue.shipped()
    chosen = shipped.with_options(Options.parse(KINETIC))
    assert shipped.with_options(Options()) is shipped
    outputs, given = ["eta", "lambda", "status"], ["T", "P", "Y"]
    own = {k.name for k in shipped.kernels.values() if k.option == ("dilute", "KINETIC")}
    instead = {shipped.kernel(name).in_place_of for name in own} - {""}
    assert own.isdisjoint(shipped.plan(outputs, given, 3).kernels())
    kernels = chosen.plan(outputs, given, 3).kernels()
    assert own <= {*kernels} and instead.isdisjoint(kernels)
    assert not any(instead & {*shipped.kernel(name).fuses} for name in kernels)


def test_a_composite_is_its_parts() -> None:
    """The kernels of a plan one after the other: the same numbers."""
    rng = np.random.default_rng(6)
    T, P, Y = rng.uniform(250, 2500, 50), rng.uniform(1e5, 1e7, 50), rng.dirichlet(np.ones(5), 50)
    species = SpeciesData.load("H2 O2 N2 H2O CO2".split())
    names = ("eta", "lambda", "eta0", "eta0_i", "wilke_i", "lambda0", "psi", "D0_ij")
    got = bridge.evaluate(species, T, P, Y, names, options=KINETIC, stability="off", backend="cpu")
    catalogue = Catalogue.shipped().with_options(Options.parse(KINETIC))
    shared, values = SharedData(species, Options.parse(KINETIC)), {"T": T, "P": P, "Y": Y}
    for name in catalogue.plan([*names, "status"], ["T", "P", "Y"], 5).kernels():
        needs = catalogue.kernel(name).inputs
        values |= launch_kernel(name, {key: values[key] for key in needs if key in values}, shared)
    for name in names:
        np.testing.assert_allclose(got[name], values[name], rtol=1e-12, err_msg=name)


def test_what_the_option_alone_makes_is_refused_without_it() -> None:
    with pytest.raises(ArgumentError, match="'lambda0', wanted with it the option dilute=KINETIC"):
        run("H2 O2", 300.0, [0.5, 0.5], "lambda0", options=None)


def test_fitted_diffusion_has_the_part_of_dipoles() -> None:
    T = np.linspace(200.0, 3000.0, 60)
    names, X = "H2O NH3 N2 H2", np.full(4, 0.25)
    exact, fitted = (
        run(names, T, X, "D0_ij D_im", options=KINETIC | {"omega11": how})
        for how in ("EXACT", "FITTED")
    )
    for name in ("D0_ij", "D_im"):
        np.testing.assert_allclose(fitted[name], exact[name], rtol=1e-7)


# ---- species --------------------------------------------------------------------------------


def test_species_without_collision_data_are_refused_by_name() -> None:
    with pytest.raises(InconsistentError, match="collision data, and none are known of C12H26"):
        run("N2 C12H26", 500.0, [0.9, 0.1], "eta")
    given = SpeciesData.load(["N2", "O2"])
    for collision in (None, np.full((2, 6), np.nan)):
        with pytest.raises(InconsistentError, match="known of N2, O2"):
            run(replace(given, collision=collision), 500.0, [0.9, 0.1], "eta")
    run("N2 C12H26", 500.0, [0.9, 0.1], "eta", options=None)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"geometry": "bent"}, "H2: lennardJones geometry 'bent' is not atom or linear or nonl"),
        ({"epsOverK": 3.8e-22}, "H2: collision well depth 3.8e-22 K, wanted 1 to 5000"),
        ({"sigmaAngstrom": 2.9e-10}, "H2: collision diameter 2.9e-10 angstrom, wanted 1 to 20"),
        ({"dipole": -1.0}, "H2: collision dipole -1 debye"),
        ({"polarizability": "x"}, "H2: lennardJones polarizability is the text 'x'"),
    ],
)
def test_collision_data_that_cannot_be(change: dict[str, Any], what: str) -> None:
    from bridge.physics.speciestable import shipped_records

    record = dict(shipped_records()["H2"])
    record["lennardJones"] = {**record["lennardJones"], **change}
    with pytest.raises(InconsistentError, match=what):
        SpeciesData.from_records({"H2": record}, ["H2"], 0.0, {}, "species")


def test_arrays_of_a_caller_have_them_too() -> None:
    data = SpeciesData.load(["H2", "N2"])
    names = ("W", "Tc", "Pc", "Vc", "omega", "nasa7", "collision")
    arrays = {name: getattr(data, name) for name in names}
    X = [0.4, 0.6]
    want, got = (run(of, 400.0, X, "eta lambda D_im") for of in (["H2", "N2"], arrays))
    for name in want:
        np.testing.assert_array_equal(want[name], got[name])
