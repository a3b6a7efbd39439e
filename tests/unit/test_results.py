"""What an evaluation returns, what is kept between evaluations, and what is said of bad points."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from unit.blocks import SPECIES, random_states

import bridge
from bridge.evaluation import function, memory
from bridge.physics.species import SpeciesData

T, P, Y = random_states(6, 3)
ALL = ("rho", "lambda", "D_im", "status")


@pytest.fixture
def result() -> bridge.Result:
    return bridge.evaluate(SPECIES, T, P, Y, "rho, lambda D_im", backend="cpu")


# ---- a mapping with attributes --------------------------------------------------------------


def test_a_result_is_a_mapping_with_attributes(result: bridge.Result) -> None:
    assert tuple(result) == ALL and isinstance(result, dict)
    assert result.rho is result["rho"] and result.lambda_ is result["lambda"]
    assert result.units == {"rho": "kg/m3", "lambda": "W/(m K)", "D_im": "m2/s", "status": "1"}
    assert result.species == tuple(SPECIES) and result.shape == (6,)
    assert {"rho", "lambda_", "units", "to_xarray"} <= set(dir(result))
    with pytest.raises(AttributeError, match="no 'density': it has rho, lambda, D_im, status"):
        result.density  # type: ignore[attr-defined]  # noqa: B018


def test_a_copy_of_a_result_is_one(result: bridge.Result) -> None:
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(result)):
        assert type(again) is bridge.Result and tuple(again) == ALL
        assert repr(again) == repr(result) and again.status.words.tolist() == ["ok"] * 6
        assert again.units == result.units and again.species == result.species
        np.testing.assert_array_equal(again.D_im, result.D_im)
        np.testing.assert_array_equal(again.inputs["T"], T)
    assert copy.deepcopy(result).rho is not result.rho and copy.copy(result).rho is result.rho
    assert len(pickle.dumps(result)) < 20_000  # of what is told, and not of what ran


def test_a_result_shows_itself(result: bridge.Result) -> None:
    text = repr(result)
    assert text.startswith("<bridge.Result: O2 CH4 H2O, points of shape (6,)>")
    assert "kg/m3      density" in text and f"{result.rho.min():.5g}" in text
    assert "status of 6 points" in text
    one = repr(bridge.evaluate(SPECIES, 300.0, 1e5, [1, 0, 0]))
    assert "one point" in one and "status     ok" in one


def test_status_words() -> None:
    with pytest.warns(bridge.PointsWarning):
        got = bridge.evaluate("N2", [[300.0, -1.0], [3.0e4, np.nan]], 1e5, backend="cpu")
    status = got.status
    assert status.words.tolist() == [["ok", "BAD_T"], ["T_EXTRAP", "BAD_T"]]
    assert status.counts() == {"BAD_T": 2, "T_EXTRAP": 1}
    assert (
        status.bad.tolist() == [[False, True], [False, True]] and (status.ok != status.bad).all()
    )
    assert (status & 1).sum() == 2  # integers as they were
    assert repr(status) == "<status of 4 points: BAD_T 2, T_EXTRAP 1>"
    one = bridge.evaluate("N2", 3.0e4, 1e5, backend="cpu").status
    assert one.words == "T_EXTRAP" and str(one) == "<status: T_EXTRAP>"


def test_a_status_is_read_as_an_array() -> None:
    """Everything that it gives away is an ordinary array: an array of flags that shows itself as
    status words was a wrong message."""
    array = np.array([[0, 1], [64, 5]], dtype=np.int32)
    status = bridge.Status(array)
    for made, wanted in (
        (status == 0, array == 0),
        (status != [0, 1], array != [0, 1]),
        (status > 0, array > 0),
        (64 >= status, array <= 64),
        (status & 1, array & 1),
        (4 | status, array | 4),
        (status ^ status, array ^ array),
        (status >> 1, array >> 1),
        (~status, ~array),
        (array == status, array == array),
        (np.multiply(2.0, status), 2.0 * array),
        (np.where(status, 1, 0), np.where(array, 1, 0)),
        (np.bincount(np.ravel(status)), np.bincount(array.ravel())),
        (np.sum(status, axis=0), array.sum(axis=0)),
        (np.max(status), array.max()),
        (np.any(status, axis=1), array.any(axis=1)),
        (np.stack([status, status]), np.stack([array, array])),
        (np.full((2, 2), 7.0)[status == 0], np.full((2, 2), 7.0)[array == 0]),
        (np.array(status, dtype=np.int64), array.astype(np.int64)),
    ):
        assert not isinstance(made, bridge.Status)
        np.testing.assert_array_equal(made, wanted)
        assert np.asarray(made).dtype == np.asarray(wanted).dtype
    assert np.asarray(status) is array and np.array(status) is not array
    assert (status.shape, status.ndim, status.size) == ((2, 2), 2, 4)
    assert status.dtype == np.int32
    assert status.any() and not status.all() and status.all(axis=1).tolist() == [False, True]
    assert len(status) == 2 and [row.tolist() for row in status] == status.tolist()
    assert int(status[1, 0]) == 64 and isinstance(status[1, 0], np.integer)
    assert status[:, 1].words.tolist() == ["BAD_T", "BAD_T BAD_Y"]
    assert status[array > 0].counts()["BAD_T"] == 2
    assert not bridge.Status(np.int32(0)) and int(bridge.Status(3)) == 3
    again = pickle.loads(pickle.dumps(status))
    assert isinstance(again, bridge.Status) and (again == status).all()
    into: Any = bridge.Status(array.copy())
    found = np.bitwise_or(array, 2, out=into)
    assert not isinstance(found, bridge.Status) and (found == array | 2).all()
    with pytest.raises(ValueError, match="truth value"):
        bool(status)
    with pytest.raises(ValueError, match="int32: float64 needs a copy"):
        np.asarray(status, dtype=np.float64, copy=False)
    with pytest.raises(AttributeError, match=r"no 'mean', np\.asarray\(status\) has"):
        status.mean  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="no 'wrods'$"):
        status.wrods  # type: ignore[attr-defined]  # noqa: B018


# ---- bad points are noticed -----------------------------------------------------------------


@pytest.mark.parametrize("n", [5, 5000])
def test_bad_points_are_told_once(n: int) -> None:
    temperatures, pressures = np.full(n, 300.0), np.full(n, 1e5)
    temperatures[1:3], pressures[2:4] = -1.0, 0.0
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        bridge.evaluate("N2", temperatures, pressures, backend="cpu")
        bridge.Mixture("N2", backend="cpu").evaluate(temperatures, pressures)
        bridge.evaluate("N2", [300.0, 3e4], 1e5, backend="cpu")  # noted, not bad
    for one in told:
        assert one.category is bridge.PointsWarning and one.filename == __file__
        assert f"3 of {n} points are bad (BAD_T 2, BAD_P 2)" in str(one.message)
    assert len(told) == 2


@pytest.mark.parametrize("Y", [{"O2": 0.3}, [0.5, 0.6], [1.1, -0.1]])
def test_a_changed_composition_is_told(Y: dict[str, float] | list[float]) -> None:
    """A species that was forgotten leaves a plausible result: a sum of 1 alone is silent."""
    with pytest.warns(bridge.PointsWarning, match="1 of 1 points have a composition .*Y_"):
        got = bridge.evaluate("O2 CH4", 300.0, 1e5, Y, "rho", backend="cpu")
    assert got.rho > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bridge.evaluate("O2 CH4", 300.0, 1e5, [0.5, 0.5], "rho", backend="cpu")


def test_an_enthalpy_that_no_temperature_has_is_no_answer() -> None:
    for n in (1, 1000):
        h = np.repeat([1.7e3, 1e9, -1e9], n)
        with pytest.warns(
            bridge.PointsWarning, match=rf"{2 * n} of {3 * n} points are bad"
        ) as told:
            got = bridge.evaluate("O2", None, 1e5, h=h, outputs="rho h", backend="cpu")
        assert f"(H_BELOW {n}, H_ABOVE {n}): see result.status" in str(told[0].message)
        assert got.status.ok.tolist() == [True] * n + [False] * 2 * n
        assert (got.status.bad == ~got.status.ok).all()


def test_a_composite_tells_of_bad_points_whatever_is_asked_for() -> None:
    with pytest.warns(
        bridge.PointsWarning, match=r"\(H_ABOVE 1\): the output 'status' says which"
    ):
        got = bridge.evaluate(
            "O2", None, 1e5, h=[1.7e3, 1e9], outputs="T", composite="prEOSCalcTFromHP"
        )
    assert list(got) == ["T"] and got["T"][1] == 6000.0


def test_a_warning_lists_the_bits_of_the_points_that_it_counts() -> None:
    """Extrapolations and roots of good points are no reason for it."""
    temperatures, Y = [300.0, -1.0, 3e4, 300.0], np.array([[1, 0], [2, 0], [1, 0], [0.5, 0]])
    with pytest.warns(bridge.PointsWarning) as told:
        bridge.evaluate("O2 CH4", temperatures, 1e5, Y, "rho", backend="cpu")
    [one] = told
    assert "1 of 4 points are bad (BAD_T 1); 1 of 4 points have a composition" in str(one.message)
    assert str(one.message).endswith("negative (Y_RENORM 1): see result.status")


def test_columns_of_a_repr_are_aligned() -> None:
    got = bridge.evaluate(
        "O2 CH4", np.linspace(100, 300, 5), 1e6, [0.5, 0.5], "rho D_im", backend="cpu"
    )
    rho, diffusion = repr(got).splitlines()[1:3]
    assert rho.index("kg/m3") == diffusion.index("m2/s")


# ---- tables ---------------------------------------------------------------------------------


def test_xarray() -> None:
    pytest.importorskip("xarray")
    t, p = np.linspace(200.0, 400.0, 5), np.array([1e5, 1e6])
    got = bridge.evaluate(SPECIES, t[:, None], p[None, :], [1, 0, 0], "rho D_im", backend="cpu")
    data = got.to_xarray()
    assert data["rho"].dims == ("T", "P") and data["D_im"].dims == ("T", "P", "species")
    assert data["rho"].sel(T=250.0, P=1e6) == got.rho[1, 1]
    assert data["D_im"].sel(species="CH4").shape == (5, 2)
    assert data["rho"].attrs == {"units": "kg/m3", "long_name": "density"}
    assert data["T"].attrs["units"] == "K"
    assert data["status"].attrs["flag_meanings"].split()[0] == "BAD_T"
    line = bridge.evaluate(SPECIES, T, P, Y, "rho E", backend="cpu").to_xarray()
    assert line["E"].dims == ("point", "E_column") and line["P"].dims == ("point",)
    np.testing.assert_array_equal(line["P"], P)
    one = bridge.evaluate("N2", 300.0, 1e5, backend="cpu").to_xarray()
    assert one["rho"].dims == () and one["T"] == 300.0


def test_dataframe() -> None:
    pytest.importorskip("pandas")
    t, p = np.linspace(200.0, 400.0, 5), np.array([1e5, 1e6])
    got = bridge.evaluate(SPECIES, t[:, None], p[None, :], [1, 0, 0], "rho D_im", backend="cpu")
    frame = got.to_dataframe()
    assert list(frame.columns) == [
        *("T", "P", "Y_O2", "Y_CH4", "Y_H2O", "rho", "D_im_O2", "D_im_CH4", "D_im_H2O", "status")
    ]
    np.testing.assert_array_equal(frame["rho"], got.rho.ravel())
    np.testing.assert_array_equal(frame["T"], np.repeat(t, 2))
    np.testing.assert_array_equal(frame["D_im_CH4"], got.D_im[..., 1].ravel())
    assert frame.attrs["units"]["D_im_O2"] == "m2/s"


@pytest.mark.parametrize("module", ["pandas", "xarray"])
def test_what_is_not_installed_is_named(
    result: bridge.Result, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    method = {"pandas": result.to_dataframe, "xarray": result.to_xarray}[module]
    with pytest.raises(bridge.StateError, match=f"needs {module}: pip install {module}"):
        method()


# ---- what is kept ---------------------------------------------------------------------------


@pytest.fixture
def opened() -> Any:
    """Nothing is kept, before and after."""
    function.forget()
    yield
    function.forget()


def test_species_and_options_are_kept_by_what_they_mean(opened: None, tmp_path: Path) -> None:
    def density(species: Any, **named: Any) -> float:
        return float(bridge.evaluate(species, 150.0, 5e6, [0.5, 0.5], backend="cpu", **named).rho)

    plain = density("O2 N2")
    kij = np.array([[0.0, 0.05], [0.05, 0.0]])
    other = density("O2 N2", kij=kij)
    kept = len(function._kept)
    assert (kept, other != plain) == (2, True)
    assert density("O2 N2", kij=kij.copy()) == other and density("O2 N2") == plain
    assert len(function._kept) == kept
    kij[0, 1] = kij[1, 0] = 0.0
    assert density("O2 N2", kij=kij) == plain  # the array was changed in place
    assert density(["O2", "N2"], options={"species": {"omega": 0.3}}) != plain
    data = SpeciesData.load(["O2", "N2"])
    assert density(data) == plain
    data.omega[0] += 0.1
    assert density(data) != plain


def test_a_species_file_that_changes_is_read_again(opened: None, tmp_path: Path) -> None:
    from bridge.compiled.species import CONTENT

    species: Any = CONTENT
    record = next(one for one in species["species"] if one["name"] == "N2")
    file = tmp_path / "table.yaml"
    rho = []
    for factor in (1.0, 1.0, 2.0):
        record_ = record | {"molarMass": factor * record["molarMass"], "unchecked": True}
        file.write_text(yaml.safe_dump({"species": [record_]}))
        os.utime(file, ns=(0, int(factor)))
        rho.append(float(bridge.evaluate(str(file), 300.0, 1e5, backend="cpu").rho))
    assert rho[0] == rho[1] and rho[2] == pytest.approx(2.0 * rho[0])


def test_no_more_than_some_mixtures_and_requests_are_kept(opened: None) -> None:
    for number in range(3 * function.KEPT):
        options = {"omega22G": 1e-4 * number}
        bridge.evaluate("N2", 300.0, 1e5, outputs="eta", options=options, backend="cpu")
    assert len(function._kept) == function.KEPT


def test_threads_of_omp_num_threads_are_those_of_now(
    opened: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for threads in ("1", "2", "1"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        bridge.evaluate("N2", 300.0, 1e5, backend="cpu")
    found = {kept._machine.backend.describe()["threads"] for kept in function._kept.values()}
    assert found == {"1", "2"}


def test_results_are_not_written_again() -> None:
    """Memory that is kept belongs to no result that anybody still has."""
    mixture = bridge.Mixture("N2", backend="cpu")
    n = 300_000  # beyond what NumPy gives

    def density(t: float) -> np.ndarray:
        return mixture.evaluate(np.full(n, t), 1e5)["rho"]

    first = density(300.0)
    part, value = first[100:200], float(first[0])
    del first
    gc.collect()
    seconds = [density(400.0 + k) for k in range(4)]
    assert (part == value).all()
    address = seconds[0].ctypes.data
    del seconds
    gc.collect()
    assert memory._free and sum(one.size for one in memory._free) <= memory.MOST
    again = [density(500.0) for _ in range(4)]
    assert address in [one.ctypes.data for one in again]
    assert (again[0] == again[0][0]).all() and (part == value).all()


def test_results_of_few_points_are_not_written_again() -> None:
    """Programs that are kept hand out copies."""
    mixture = bridge.Mixture("N2", backend="cpu")
    few, one = (mixture.evaluate(t, 1e5, outputs="rho X") for t in ([300.0, 400.0], 300.0))
    kept = few.rho.copy()
    mixture.evaluate([700.0, 800.0], 1e5, outputs="rho X")
    other = mixture.evaluate(700.0, 1e5, outputs="rho X")
    np.testing.assert_array_equal(few.rho, kept)
    assert one.rho == kept[0] != other.rho
    one.X[0] = -1.0
    assert other.X[0] == 1.0


def test_a_program_that_cannot_be_made_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that cannot be imported stood below an IndexError of the list of programs."""

    def missing(*_: Any) -> None:
        raise ImportError("no module")

    monkeypatch.setattr("bridge.evaluation.mixture.KeptProgram", missing)
    with pytest.raises(ImportError) as found:
        bridge.Mixture("N2", backend="cpu").evaluate(300.0, 1e5)
    assert found.value.__context__ is None
    with pytest.raises(bridge.ArgumentError) as refused:  # nor below what has no key to be kept by
        bridge.evaluate("O3X", 300.0, 1e5, kij=np.zeros((1, 1), dtype=object), backend="cpu")
    assert refused.value.__context__ is None


def test_a_mixture_serves_several_threads() -> None:
    mixture = bridge.Mixture("O2 CH4", backend="cpu")
    states = [(200.0 + k, np.array([0.1 * k, 1.0 - 0.1 * k])) for k in range(8)]
    want = [float(mixture.evaluate(t, 5e6, y).rho) for t, y in states]

    def repeat(state: tuple[float, np.ndarray]) -> set[float]:
        return {float(mixture.evaluate(state[0], 5e6, state[1]).rho) for _ in range(200)}

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(repeat, states)) == [{value} for value in want]


def test_a_mixture_says_what_it_is() -> None:
    mixture = bridge.Mixture("O2 CH4", options={"prCross": "ABS"}, backend="cpu")
    assert mixture.species == ("O2", "CH4") and mixture.options.prCross == "ABS"
    assert repr(mixture) == "bridge.Mixture('O2 CH4', backend='cpu')"
    with pytest.raises(bridge.ArgumentError, match="species: got None, wanted species, as kij"):
        bridge.Mixture(kij=np.zeros((2, 2)))
    with pytest.raises(bridge.ArgumentError, match="argument P"):
        mixture.evaluate(300.0, Y=[0.5, 0.5])
