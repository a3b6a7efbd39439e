"""bridge.evaluate: shapes, scalars, names, status; what it refuses."""

from __future__ import annotations

import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from kernels.measure import assert_parts
from unit.blocks import SPECIES, random_states

import bridge
from bridge.errors import PointsWarning
from bridge.settings import status_bits

pytestmark = pytest.mark.usefixtures("backend")


def test_shapes_and_types() -> None:
    T, P, Y = random_states(7, 3)
    out = bridge.evaluate(SPECIES, T, P, Y, ("rho", "D_im", "nRoots"))
    assert set(out) == {"rho", "D_im", "nRoots", "status"}
    assert out["rho"].shape == (7,) and out["rho"].dtype == np.float64
    assert out["D_im"].shape == (7, 3) and out["D_im"].flags.c_contiguous
    assert out["status"].dtype == np.int32 and out["nRoots"].dtype == np.int32


def test_scalars_and_one_composition_spread() -> None:
    T, P, _ = random_states(5, 3)
    Y = [0.5, 0.3, 0.2]
    spread = bridge.evaluate(SPECIES, T, 1e7, Y, ("rho",))["rho"]
    full = bridge.evaluate(SPECIES, T, np.full(5, 1e7), np.tile(Y, (5, 1)), ("rho",))["rho"]
    np.testing.assert_array_equal(spread, full)
    assert np.ndim(bridge.evaluate("N2", 300.0, 1e5, 1.0)["rho"]) == 0
    assert bridge.evaluate(["N2"], [300.0, 400.0], 1e5, [1.0, 1.0])["rho"].shape == (2,)


# ---- stability -----------------------------------------------------------------------------

TWO_PHASE = status_bits("TWO_PHASE")
WET: dict[str, Any] = {"species": "N2 H2O", "P": 1e5, "Y": [0.5, 0.5], "outputs": "rho"}


def splits(n: int, start: float = 250.0) -> np.ndarray:
    """Temperatures, of which those below some 350 K are of water that condenses."""
    return np.linspace(start, 500.0, n)


def test_points_that_split_are_told_once_and_marked() -> None:
    mixture = bridge.Mixture("N2 H2O")
    T = splits(6)
    told = "3 of 6 points would split.*first: T = 250 K, P = 100000 Pa, Y = N2 0.5, H2O 0.5"
    with pytest.warns(PointsWarning, match=told) as said:
        found = mixture.evaluate(T[:, None], 1e5, [0.5, 0.5], "rho")
    assert said[0].filename == __file__
    splitting = (found["status"][:, 0] & TWO_PHASE) != 0
    assert splitting.tolist() == [True, True, True, False, False, False]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = mixture.evaluate(T[0], 1e5, [0.5, 0.5], "rho")
        assert "TWO_PHASE" in again.status.words and isinstance(again["status"], np.int32)
        asked = mixture.evaluate(T, 1e5, [0.5, 0.5], "tpd")
        solved = mixture.evaluate(None, 1e5, [0.5, 0.5], "rho", h=mixture.evaluate(
            300.0, 1e5, [0.5, 0.5], "h").h)  # fmt: skip
        run = mixture.evaluate(300.0, 1e5, [0.5, 0.5], composite="prEOSThermalProperties")
    np.testing.assert_array_equal(asked.tpd < 0.0, splitting)
    assert solved["status"] & run["status"] & TWO_PHASE
    beside = mixture.evaluate(T, 1e5, [0.5, 0.5], "rho tpd")
    np.testing.assert_array_equal(found["rho"][:, 0], beside["rho"])


def test_some_points_of_a_large_call_are_tested() -> None:
    T = splits(3000)
    with pytest.warns(PointsWarning, match=r"of 1\d\d sampled points of 3000 would split"):
        sampled = bridge.Mixture("N2 H2O").evaluate(T, 1e5, [0.5, 0.5], "rho")
    assert not (sampled.status & TWO_PHASE).any()
    with pytest.warns(PointsWarning, match="of 3000 points would split"):
        whole = bridge.Mixture("N2 H2O", stability="all").evaluate(T, 1e5, [0.5, 0.5], "rho")
    assert whole.status.counts()["TWO_PHASE"] > 1000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bridge.Mixture("N2 H2O").evaluate(splits(3000, 450.0), 1e5, [0.5, 0.5], "rho")


def test_who_is_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    """One species, a caller who says so or whose environment does, a density that is given."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [
            bridge.evaluate("H2O", 300.0, 1e5),
            bridge.evaluate(**WET, T=300.0, stability="off"),
            bridge.evaluate(**WET, T=300.0, inputs={"v": 0.02}),
        ]
        monkeypatch.setenv("BRIDGE_STABILITY", "off")
        found.append(bridge.evaluate(**WET, T=300.0))
    assert not any(one["status"] & TWO_PHASE for one in found)
    monkeypatch.delenv("BRIDGE_STABILITY")
    with pytest.raises(bridge.ArgumentError, match="stability: got 'some', wanted one of off"):
        bridge.evaluate(**WET, T=300.0, stability="some")


def test_ideal_gas_limit_of_nitrogen() -> None:
    rho = bridge.evaluate("N2", 300.0, 10.0, 1.0)["rho"]
    assert rho == pytest.approx(10.0 * 28.0134e-3 / (8.31446261815324 * 300.0), rel=1e-4)


def test_inputs_are_not_modified_and_not_kept() -> None:
    T, P, Y = random_states(9, 3)
    T[3] = -1.0
    copies = T.copy(), P.copy(), Y.copy()
    bridge.evaluate(SPECIES, T, P, Y, ("rho", "T"))
    for array, copy in zip((T, P, Y), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_inputs_may_be_asked_for() -> None:
    T, P, Y = random_states(5, 3)
    out = bridge.evaluate(SPECIES, T, P, Y, ("T", "P", "Y", "Yi", "rho"))
    for name, array in (("T", T), ("P", P), ("Y", Y), ("Yi", Y)):
        np.testing.assert_array_equal(out[name], array)
    assert_parts(out["rho"], bridge.evaluate(SPECIES, T, P, Y)["rho"])
    assert not (out["status"] & 7).any()


def test_strided_and_integer_inputs() -> None:
    T, P, Y = random_states(8, 3)
    expected = bridge.evaluate(SPECIES, T[::2].copy(), P[::2].copy(), Y[::2].copy())["rho"]
    np.testing.assert_array_equal(
        bridge.evaluate(SPECIES, T[::2], P[::2], Y[::2])["rho"], expected
    )
    transposed = np.asfortranarray(Y[::2])
    got = bridge.evaluate(SPECIES, T[::2], P[::2], transposed)["rho"]
    np.testing.assert_array_equal(got, expected)
    assert bridge.evaluate("N2", 300, 100000, 1)["rho"] > 1.0


def test_names_come_in_any_iterable() -> None:
    T, P, Y = random_states(2, 3)
    expected = bridge.evaluate(SPECIES, T, P, Y, ("rho", "h"))
    for names in ({"rho", "h"}, ["rho", "h"], (name for name in ("rho", "h"))):
        got = bridge.evaluate(np.array(SPECIES), T, P, Y, names)
        assert set(got) == {"rho", "h", "status"}
        np.testing.assert_array_equal(got["rho"], expected["rho"])


def test_no_points() -> None:
    out = bridge.evaluate(SPECIES, np.empty(0), np.empty(0), np.empty((0, 3)), ("rho", "D_im"))
    assert out["rho"].shape == (0,) and out["D_im"].shape == (0, 3)


def test_temperature_from_enthalpy() -> None:
    T, P, Y = random_states(30, 3)
    h = bridge.evaluate(SPECIES, T, P, Y, ("h",))["h"]
    for guess in (None, 300.0, 1.2 * T, 3000.0, np.nan):
        out = bridge.evaluate(SPECIES, None, P, Y, ("rho", "cp"), h=h, T0=guess)
        np.testing.assert_allclose(out["T"], T, rtol=1e-9)
        assert (out["iterations"] > 0).all() and out["iterations"].dtype == np.int32
        direct = bridge.evaluate(SPECIES, out["T"], P, Y, ("rho", "cp"))
        np.testing.assert_allclose(out["rho"], direct["rho"], rtol=1e-13)
        np.testing.assert_allclose(out["cp"], direct["cp"], rtol=1e-13)
    givens: tuple[dict[str, Any], ...] = ({}, {"T0": 300.0})
    default, explicit = (bridge.evaluate(SPECIES, None, P, Y, h=h, **given) for given in givens)
    np.testing.assert_array_equal(default["iterations"], explicit["iterations"])
    np.testing.assert_array_equal(default["T"], explicit["T"])


def test_bad_points_get_status_and_nan_and_leave_others_alone() -> None:
    T, P, Y = random_states(20, 3)
    names = ("rho", "cp", "eta", "D_im", "h_Yi")
    clean = bridge.evaluate(SPECIES, T, P, Y, names)
    T[4], P[7], Y[11] = np.nan, 0.0, np.nan
    out = bridge.evaluate(SPECIES, T, P, Y, names)
    assert [out["status"][i] & 7 for i in (4, 7, 11)] == [1, 2, 4]
    others = np.setdiff1d(np.arange(20), [4, 7, 11])
    for name in names:
        assert np.isnan(out[name][[4, 7, 11]]).all(), name
        np.testing.assert_array_equal(out[name][others], clean[name][others])


def test_threads_of_a_python_program_do_not_mix() -> None:
    """Each thread its own species: what one installs is not what another runs on."""
    species = ("O2", "N2", "CH4", "H2")
    expected = {name: bridge.evaluate(name, 300.0, 5e6, 1.0)["rho"] for name in species}

    def repeat(name: str) -> set[float]:
        return {float(bridge.evaluate(name, 300.0, 5e6, 1.0)["rho"]) for _ in range(200)}

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(species)) as pool:
            got = dict(zip(species, pool.map(repeat, species), strict=True))
    finally:
        sys.setswitchinterval(interval)
    assert got == {name: {value} for name, value in expected.items()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            dict(T=np.ones(3)),
            "argument P: got points of shape .4,., wanted a shape that goes",
        ),
        (dict(P=np.ones((4, 2))), "argument P: got points of shape .4, 2."),
        (dict(Y=np.ones((4, 2))), "argument Y: got shape"),
        (dict(Y=np.ones(2)), "argument Y: got shape"),
        (dict(T=None), "argument T"),
        (dict(h=1e5), "argument T"),
        (dict(T0=300.0), "argument T0"),
        (dict(outputs=("density",)), "density"),
        (dict(outputs=" , "), "names of quantities"),
        (dict(outputs=7), "argument outputs: got 7"),
        (dict(outputs=("rho", 1)), "argument outputs: got 1"),
        (dict(outputs=("iterations",)), "also h_target"),
        (
            dict(T=None, h=np.zeros(4), T0=np.ones(3)),
            "T0: got points of shape .3,., .* of .*h",
        ),
        (dict(options="ABS"), "argument options"),
        (dict(species="/no/such/folder/species"), "readable file"),
        (dict(outputs=("h0",)), "velocity"),
        (dict(options={"prCros": "ABS"}), "prCross"),
        (dict(options={"prCross": "SOMETIMES"}), "SIGNED"),
        (dict(species=["O2", "CH5", "H2O"]), "CH5"),
        (dict(T=["hot"] * 4), "argument T"),
        (dict(backend="vulkan"), "auto, cpu, cuda"),
        (dict(kij=np.ones((2, 2))), "kij"),
        (dict(threads=0), "threads"),
        (dict(inputs={"X": np.ones((4, 3)) / 3}), "inputs: 'X' and Y both give the compos"),
        (dict(inputs={"Yc": np.ones((4, 3)) / 3}), "inputs: 'Yc' and Y both"),
        (dict(inputs={"Y_leading": np.ones((4, 2)) / 3}), "inputs: 'Y_leading' and Y both"),
        (dict(species=["O2", "CH4", "O2"]), "species: got 'O2' 2 times, wanted each name once"),
        (dict(species="O2,O2 O2"), "species: got 'O2' 3 times"),
    ],
)
def test_bad_arguments_name_themselves(change: dict[str, Any], message: str) -> None:
    T, P, Y = random_states(4, 3)
    arguments: dict[str, Any] = dict(species=SPECIES, T=T, P=P, Y=Y, outputs=("rho",)) | change
    with pytest.raises(bridge.ArgumentError, match=message):
        bridge.evaluate(**arguments)


def test_importing_bridge_is_light() -> None:
    """`import bridge` loads neither NumPy nor libbridge nor a backend."""
    code = (
        "import sys, bridge; "
        "heavy = [m for m in ('numpy', 'cffi', 'mpi4py', 'cupy', 'yaml') if m in sys.modules]; "
        "assert not heavy, heavy; "
        "assert 'libbridge' not in open('/proc/self/maps').read()"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True, cwd="/")
