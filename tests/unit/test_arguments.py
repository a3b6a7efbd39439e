"""What NumPy would drop of an argument without a word: units, names of columns, masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.measure import present
from unit.blocks import SPECIES, random_states

import bridge
from bridge.arguments import real_numbers, spelled
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

UNITS = pytest.importorskip("pint").UnitRegistry()

T, P, Y = random_states(4, 3)


@pytest.fixture(scope="module")
def plain() -> dict[str, np.ndarray]:
    return evaluate()


def evaluate(**change: Any) -> dict[str, np.ndarray]:
    arguments: dict[str, Any] = dict(species=SPECIES, T=T, P=P, Y=Y, outputs=("rho", "h")) | change
    return bridge.evaluate(**arguments, backend="cpu")


class Table:
    """The part of a pandas DataFrame or Series that counts here."""

    def __init__(
        self, values: np.ndarray, columns: Any = None, index: list[str] | None = None
    ) -> None:
        self.values = np.asarray(values)
        self.ndim = self.values.ndim
        if columns is not None:
            self.columns = columns
        self.index = range(len(self.values)) if index is None else index

    def __array__(self, dtype: None = None, copy: None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)


# ---- units ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"P": (P / 1e5) * UNITS.bar},
        {"P": [p * UNITS.MPa for p in P / 1e6]},
        {"T": UNITS.Quantity(T, "kelvin")},
        {"T": UNITS.Quantity(T - 273.15, "degC")},
        {"Y": UNITS.Quantity(100.0 * Y, "percent")},
        {"Y": [[y * UNITS.dimensionless for y in row] for row in Y]},
    ],
    ids=["bar", "list of MPa", "kelvin", "degC", "percent", "list of lists"],
)
def test_units_are_converted(plain: dict[str, np.ndarray], change: dict[str, Any]) -> None:
    got = evaluate(**change)
    for name in ("rho", "h"):
        np.testing.assert_allclose(got[name], plain[name], rtol=1e-11)


def test_units_of_every_argument(plain: dict[str, np.ndarray]) -> None:
    speed = UNITS.km / UNITS.hour
    velocity = np.array([30.0, -4.0, 12.0])
    bare = evaluate(outputs=("h0", "r_p"), velocity=velocity, Vref=20.0)
    got = evaluate(outputs=("h0", "r_p"), velocity=3.6 * velocity * speed, Vref=72.0 * speed)
    for name in ("h0", "r_p"):
        np.testing.assert_allclose(got[name], bare[name], rtol=1e-12)
    h, guess = plain["h"] / 1e3 * UNITS.kJ / UNITS.kg, UNITS.Quantity(20.0, "degC")
    np.testing.assert_allclose(evaluate(T=None, h=h, T0=guess)["T"], T, rtol=1e-9)
    kij = np.full((3, 3), 0.05) - np.diag(np.full(3, 0.05))
    percent = evaluate(kij=100.0 * kij * UNITS.percent)
    np.testing.assert_allclose(percent["rho"], evaluate(kij=kij)["rho"], rtol=1e-12)
    given = evaluate(outputs=("v", "K"), inputs={"v": 0.2 * UNITS.liter / UNITS.mol})
    same = evaluate(outputs=("K",), inputs={"v": 2e-4})
    np.testing.assert_allclose(given["K"], same["K"], rtol=1e-12)


def test_units_of_species_constants() -> None:
    data = SpeciesData.load(["N2"])
    arrays = {name: getattr(data, name) for name in ("W", "Tc", "Pc", "Vc", "omega", "nasa7")}
    other = arrays | {
        "W": 1e3 * data.W * UNITS.g / UNITS.mol,
        "Pc": data.Pc / 1e5 * UNITS.bar,
        "Vc": 1e6 * present(data.Vc) * UNITS.cm**3 / UNITS.mol,
    }
    one, same = (bridge.evaluate(x, 300.0, 1e6, 1.0, ("rho", "eta")) for x in (arrays, other))
    for name in ("rho", "eta"):
        np.testing.assert_allclose(one[name], same[name], rtol=1e-12)
    with pytest.raises(bridge.ArgumentError, match="argument Tc: got Quantity in pascal"):
        bridge.evaluate(arrays | {"Tc": data.Tc * UNITS.Pa}, 300.0, 1e6, 1.0)


def test_every_unit_of_the_catalogue_is_understood() -> None:
    units = {quantity.unit for quantity in Catalogue.shipped().quantities.values()}
    for unit in units:
        value = UNITS.Quantity(3.0, spelled(unit)).to_base_units()
        assert real_numbers("x", value, unit) == pytest.approx(3.0, rel=1e-12), unit


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"P": P * UNITS.kelvin}, "argument P: got Quantity in kelvin .*, wanted Pa, or what"),
        ({"T": T * UNITS.bar}, "argument T: got Quantity in bar"),
        ({"Y": Y * UNITS.kg}, "argument Y: got Quantity in kilogram .*wanted a number without"),
        ({"P": [1e5, 1e5, 1e5, 2e5 * UNITS.m]}, "argument P: got Quantity in meter"),
        ({"T": None, "h": T * UNITS.kelvin}, "argument h: got Quantity in kelvin"),
        ({"T": None, "h": T, "T0": 1.0 * UNITS.bar}, "argument T0: got Quantity in bar"),
        ({"velocity": np.ones(3) * UNITS.Pa}, "argument velocity: got Quantity in pascal"),
        ({"Vref": 1.0 * UNITS.Pa}, "argument Vref: got Quantity in pascal"),
        ({"kij": np.zeros((3, 3)) * UNITS.Pa}, "argument kij: got Quantity in pascal"),
        ({"inputs": {"v": 1.0 * UNITS.Pa}}, "argument v: got Quantity in pascal"),
    ],
)
def test_wrong_dimensions_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(bridge.ArgumentError, match=message):
        evaluate(**change)


def test_units_that_nothing_converts_are_refused(plain: dict[str, np.ndarray]) -> None:
    class Labelled(np.ndarray):
        units = "bar"

    pressure = P.view(Labelled)
    with pytest.raises(bridge.ArgumentError, match="P: got Labelled with units bar, which nothi"):
        evaluate(P=pressure)
    pressure.units = "Pa"  # says what is wanted
    np.testing.assert_array_equal(evaluate(P=pressure)["rho"], plain["rho"])


# ---- masks ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["T", "P", "Y", "h", "T0", "velocity", "Vref", "kij", "v"])
def test_masked_elements_are_refused(plain: dict[str, np.ndarray], name: str) -> None:
    values = {"h": plain["h"], "T0": T, "velocity": np.ones((4, 3)), "Vref": np.ones(4),
              "kij": np.zeros((3, 3)), "v": np.full(4, 1e-3), "T": T, "P": P, "Y": Y}  # fmt: skip

    def change(array: Any) -> dict[str, Any]:
        if name == "v":
            return {"inputs": {"v": array}}
        searched = {"T": None, "h": plain["h"]} if name in ("h", "T0") else {}
        return searched | {name: array}

    bare = evaluate(**change(values[name]))
    clear = evaluate(**change(np.ma.masked_array(values[name])))
    np.testing.assert_array_equal(bare["rho"], clear["rho"])
    mask = np.zeros(values[name].shape, dtype=bool)
    mask.flat[1] = True
    message = f"argument {name}: got an array with 1 of {mask.size} elements masked"
    with pytest.raises(bridge.ArgumentError, match=message):
        evaluate(**change(np.ma.masked_array(values[name], mask)))


def test_masked_element_in_a_list_or_with_a_unit() -> None:
    with pytest.raises(bridge.ArgumentError, match="argument T: .* 1 of 1 elements masked"):
        evaluate(T=[300.0, np.ma.masked, 300.0, 300.0])
    masked = np.ma.masked_array(P, [False, True, False, False])
    with pytest.raises(bridge.ArgumentError, match="argument P: .* 1 of 4 elements masked"):
        evaluate(P=UNITS.Quantity(masked, "Pa"))


# ---- names ------------------------------------------------------------------------------


@pytest.fixture(params=["stand-in", "pandas"])
def table(request: pytest.FixtureRequest) -> Any:
    """table(values, columns, index): a table with names, of pandas where it is installed."""
    if request.param == "stand-in":
        return Table
    pandas = pytest.importorskip("pandas")

    def make(values: Any, columns: Any = None, index: Any = None) -> Any:
        if np.ndim(values) == 1:
            return pandas.Series(values, index=index)
        return pandas.DataFrame(values, columns=columns, index=index)

    return make


TURN = [2, 0, 1]
TURNED = [SPECIES[k] for k in TURN]


def test_columns_are_found_by_their_names(plain: dict[str, np.ndarray], table: type[Any]) -> None:
    for columns, values in ((TURNED, Y[:, TURN]), (SPECIES, Y), (range(3), Y)):
        got = evaluate(Y=table(values, columns=columns))
        np.testing.assert_array_equal(got["rho"], plain["rho"])
    one = evaluate(Y=table(Y[0, TURN], index=TURNED))
    np.testing.assert_array_equal(one["rho"], evaluate(Y=Y[0])["rho"])
    named, bare = (
        evaluate(outputs=("cp_ideal",), inputs={"cp0_i": given})["cp_ideal"]
        for given in (table(Y[:, TURN], TURNED), Y)
    )
    np.testing.assert_array_equal(named, bare)


def test_interaction_coefficients_are_found_by_their_names(
    plain: dict[str, np.ndarray], table: type[Any]
) -> None:
    kij = np.array([[0.0, 0.01, 0.02], [0.01, 0.0, 0.03], [0.02, 0.03, 0.0]])
    got = evaluate(kij=table(kij[np.ix_(TURN, TURN)], TURNED, TURNED))
    np.testing.assert_array_equal(got["rho"], evaluate(kij=kij)["rho"])
    assert (got["rho"] != plain["rho"]).all()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["O2", "CH4", "N2"], "Y: got names without H2O and with N2, wanted the species O2, CH4,"),
        (["O2", "CH4", "O2"], "Y: got 'O2' 2 times, wanted each name once"),
    ],
)
def test_other_columns_are_refused(table: type[Any], columns: list[str], message: str) -> None:
    with pytest.raises(bridge.ArgumentError, match=message):
        evaluate(Y=table(Y, columns=columns))


def test_names_where_none_are_known(table: type[Any]) -> None:
    message = "argument velocity: got names 'ux', 'uy', 'uz', wanted columns without names"
    with pytest.raises(bridge.ArgumentError, match=message):
        evaluate(velocity=table(np.ones((4, 3)), columns=["ux", "uy", "uz"]))


def test_series_are_arrays(plain: dict[str, np.ndarray], table: type[Any]) -> None:
    got = evaluate(T=table(T), P=table(P, index=list("abcd")))
    np.testing.assert_array_equal(got["rho"], plain["rho"])
