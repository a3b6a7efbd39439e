"""DataArrays as arguments: dimensions are matched by name; and one density in an answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bridge
from bridge.errors import ArgumentError, StateError

xr = pytest.importorskip("xarray")
SPECIES = "O2 CH4 N2"
T = xr.DataArray(300.0 + 10.0 * np.arange(6.0).reshape(2, 3), dims=("x", "y"))
P = xr.DataArray(1e5 + 1e4 * np.arange(6.0).reshape(2, 3), dims=("x", "y"))
Y = np.array([[0.2, 0.3, 0.5], [0.5, 0.2, 0.3], [0.1, 0.1, 0.8]])
ALONG_Y = xr.DataArray(Y, dims=("y", "species"), coords={"species": SPECIES.split()})


def evaluate(*state: Any, species: str = SPECIES, **named: Any) -> bridge.Result:
    return bridge.evaluate(species, *state, backend="cpu", **named)


@pytest.mark.parametrize("kept", [True, False])
def test_dimensions_are_matched_by_name(kept: bool) -> None:
    """In the order of their first appearance, whatever the order in each array; few points on
    memory that is kept, and many."""
    n = 3 if kept else 3000
    t = xr.concat([T] * n, "z") + xr.DataArray(np.arange(n) * 1e-3, dims="z")
    wanted = evaluate(t.values, P.values, Y, "rho D_im")
    for p in (P, P.transpose("y", "x")):
        for y in (ALONG_Y, ALONG_Y.transpose("species", "y"), ALONG_Y[:, [2, 0, 1]]):
            got = evaluate(t, p, y, "rho D_im")
            assert got.dims == t.dims and got.shape == t.shape
            np.testing.assert_array_equal(got.rho, wanted.rho)
            np.testing.assert_array_equal(got.D_im, wanted.D_im)
    other = evaluate(t.transpose("y", "z", "x"), P, ALONG_Y, "rho")
    assert other.dims == ("y", "z", "x")
    np.testing.assert_array_equal(other.rho, wanted.rho.transpose(2, 0, 1))


def test_two_lines_make_a_grid() -> None:
    t, p = xr.DataArray([300.0, 400.0], dims="x"), xr.DataArray([1e5, 2e5], dims="y")
    got = evaluate(t, p, species="O2")
    assert got.shape == (2, 2)
    np.testing.assert_array_equal(got.rho, evaluate(t.values[:, None], p.values, species="O2").rho)
    h = evaluate(t, p, outputs="h", species="O2").h
    solved = evaluate(None, p, h=xr.DataArray(h, dims=("x", "y")), species="O2")
    assert solved.dims == ("y", "x") and np.allclose(solved.T, t.values)


def test_names_and_coordinates_come_back() -> None:
    t = T.assign_coords(x=[0.5, 1.5], place=("y", list("abc")), time=7)
    data = evaluate(t, P, ALONG_Y, "rho D_im").to_xarray()
    assert data["rho"].dims == ("x", "y") and data["D_im"].dims == ("x", "y", "species")
    assert data["x"].values.tolist() == [0.5, 1.5] and data["time"] == 7
    assert data["place"].values.tolist() == list("abc")
    assert data["T"].dims == ("x", "y") and (data["T"].values == T.values).all()
    assert data["rho"].sel(x=1.5).dims == ("y",)
    row, other = t.isel(x=1), P.assign_coords(time=8)  # x and time of the row are numbers
    for state in ((row, t * 0.0 + 1e5), (t, row * 0.0 + 1e5), (t, other), (row, other, ALONG_Y)):
        data = evaluate(*state, *([Y[0]] if len(state) < 3 else [])).to_xarray()
        assert ("time" in data) == (state[1] is not other) and "place" in data
        assert "x" not in data or data["x"].dims == ("x",)
    line = xr.DataArray([300.0, 400.0], dims="T", coords={"T": [300.0, 400.0]})
    data = evaluate(line, xr.DataArray([1e5], dims="level"), species="O2").to_xarray()
    assert data["rho"].dims == ("T", "level") and data["P"].dims == ("level",)
    assert data["T"].values.tolist() == [300.0, 400.0]


def test_parts_of_a_composition_by_name() -> None:
    parts = {
        "O2": xr.DataArray([0.1, 0.2, 0.3], dims="y"),
        "N2": 1.0 - xr.DataArray([0.1, 0.2, 0.3], dims="y"),
    }
    plain = {name: one.values for name, one in parts.items()}
    for got, wanted in (
        (evaluate(T, P, parts), evaluate(T.values, P.values, plain)),
        (evaluate(T, P, X=parts), evaluate(T.values, P.values, X=plain)),
    ):
        np.testing.assert_array_equal(got.rho, wanted.rho)


def test_arrays_without_names_have_an_axis_for_each_dimension() -> None:
    wanted = evaluate(T.values, P.values, species="O2").rho
    np.testing.assert_array_equal(evaluate(T, P.values, species="O2").rho, wanted)
    assert evaluate(T, 1e5, species="O2").shape == (2, 3)
    assert evaluate(T, P.values[:, :1], species="O2").shape == (2, 3)
    zero = xr.DataArray(1e5)  # no dimension: a number
    assert evaluate(T.values[0], zero, species="O2").dims is None
    for p in (P.values[0], P.values.T, np.ones((1, 2, 3))):
        with pytest.raises(ArgumentError, match=r"argument P: got .* wanted .*'x': 2, 'y': 3"):
            evaluate(T, p, species="O2")


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ((T, P[:, :2], Y[0]), "P: got dimension 'y' of 2 points, wanted 3 along it, as in T"),
        ((T.assign_coords(x=[1, 2]), P.assign_coords(x=[1, 3]), Y[0]),
         "P: got other coordinates of dimension 'x' than T"),
        ((T, P, xr.DataArray(Y, dims=("k", "y"))), "Y: got columns along dimension 'y', which T"),
        ((T, P, ALONG_Y.assign_coords(species=["O2", "CH4", "AR"])),
         "Y: got names without N2 and with AR, wanted the species O2, CH4, N2"),
        ((T, P, {"O2": 1 - T[0, :2] / T[0, :2]}), r"Y\['O2'\]: got dimension 'y' of 2 points"),
    ],
)  # fmt: skip
def test_what_cannot_be_matched_is_refused_by_name(state: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ArgumentError, match=f"argument {message}"):
        evaluate(*state)


def test_names_of_species_along_arrays_of_constants() -> None:
    kij = xr.DataArray(
        np.zeros((3, 3)), dims=("a", "b"), coords=dict.fromkeys("ab", ["N2", "O2", "CH4"])
    )
    kij[0, 1] = kij[1, 0] = 0.3
    plain = np.zeros((3, 3))
    plain[0, 2] = plain[2, 0] = 0.3
    state = (150.0, 8e6, Y[0])
    assert evaluate(*state, kij=kij).rho == evaluate(*state, kij=plain).rho


def test_a_quantity_within_an_array_has_its_unit() -> None:
    pint = pytest.importorskip("pint")
    bar = xr.DataArray(P.values / 1e5 * pint.UnitRegistry().bar, dims=("x", "y"))
    got = evaluate(T, bar.transpose("y", "x"), species="O2")
    np.testing.assert_allclose(got.rho, evaluate(T, P, species="O2").rho, rtol=1e-13)
    with pytest.raises(ArgumentError, match="argument T: got Quantity in bar"):
        evaluate(bar, P, species="O2")


def test_a_dimension_with_the_name_of_a_result() -> None:
    got = evaluate(T.rename(x="rho"), P[0], species="O2")
    with pytest.raises(StateError, match="to_xarray: 'rho' is a dimension of an argument"):
        got.to_xarray()


# ---- one density ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["v", "rho", "Z"])
@pytest.mark.parametrize("n", [3, 5000])
def test_one_density_in_an_answer(name: str, n: int) -> None:
    """All that is dense follows from the one that is given."""
    t, names = np.linspace(250.0, 400.0, n), ("v", "rho", "Z", "K", "W", "eta", "s")
    twice = 2.0 * evaluate(t, 5e6, Y[0], "v").v
    Z = 5e6 * twice / (8.31446261815324 * t)
    W = evaluate(300.0, 5e6, Y[0], "W").W
    given = {"v": twice, "rho": W / twice, "Z": Z}[name]
    got = evaluate(t, 5e6, 3.0 * Y[0], names, inputs={name: given})
    for quantity, wanted in (("v", twice), ("rho", W / twice), ("Z", Z)):
        np.testing.assert_allclose(got[quantity], wanted, rtol=1e-13)
    same = evaluate(t, 5e6, Y[0], names, inputs={"Z": Z})
    for quantity in names:
        np.testing.assert_allclose(got[quantity], same[quantity], rtol=1e-10)
    assert (got[name] == given).all()


def test_two_densities_are_refused() -> None:
    with pytest.raises(ArgumentError, match="inputs: 'v' and 'rho' each give the density"):
        evaluate(300.0, 1e5, Y[0], "K", inputs={"rho": 1.0, "v": 2e-4})
    with pytest.raises(ArgumentError, match="inputs: h is given, .*'rho'"):
        evaluate(None, 1e5, Y[0], h=1e5, inputs={"rho": 1.0})
