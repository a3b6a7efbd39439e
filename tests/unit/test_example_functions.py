"""The modules of examples/functions on the arrays of a Python host: numbers, missing packages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import backends
import numpy as np
import pytest
from unit.blocks import FRINGES, INTERIOR, block
from unit.test_user_functions import with_rho

from bridge.errors import BridgeError
from bridge.tvproperties import TVProperties

FOLDER = Path(__file__).parents[2] / "examples" / "functions"
NAMES = {path.stem for path in FOLDER.glob("*.py")}

Make = Callable[..., Any]


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test imports the modules anew, and has their files in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name in NAMES & set(sys.modules):
        del sys.modules[name]


def with_field(make: Make, resident: bool = False) -> Any:
    """Frame with set 'cells' of 5 x 4 x 3 points: Q, and rho that a function may write."""
    tv, *_ = with_rho(make, resident, python_path=str(FOLDER))
    return tv


def test_no_module_has_a_name_of_python() -> None:
    assert NAMES and not NAMES & set(sys.stdlib_module_names)


def test_spectrum_of_known_waves(
    make_frame: Make, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of 2 + cos of one wave + 3 cos of two waves, shifted from line to line; no matplotlib."""
    tv = with_field(make_frame)
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    def waves(cells: Any) -> None:
        i, j, k = (2 * np.pi * position / 5 for position in cells.positions)
        cells.rho[...] = 2 + np.cos(i + j) + 3 * np.cos(2 * i + k)

    tv.python("cells", waves)
    tv.python("cells", "diagnostics:spectrum", [20.0, 0.0, 0.1])
    with np.load("spectrum.npz") as file:
        np.testing.assert_allclose(file["power"], [4.0, 0.5, 4.5], rtol=1e-13)
    assert "pip install matplotlib" in capfd.readouterr().out
    assert not Path("spectrum.png").exists()


def test_average_of_known_fields(make_frame: Make) -> None:
    tv = with_field(make_frame)
    for value in (3.0, 5.0, 10.0):
        tv.python("cells", lambda cells, value=value: cells.rho.fill(value))
        tv.python("cells", "diagnostics:average", [20.0, 0.0, 0.1], "rho")
    with np.load("average.npz") as file:
        np.testing.assert_allclose(file["rho"], 6.0, rtol=1e-14)


def with_network(
    tv: TVProperties, monkeypatch: pytest.MonkeyPatch, resident: bool
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """eta in set 'cells', and viscosity.npz with any weights; those, and the array. A stand-in's
    arrays are NumPy's, which computes on them in the place of CuPy."""
    if resident and tv.impl.backend.name != "cpu":
        if backends.STANDIN:
            monkeypatch.setitem(sys.modules, "cupy", np)
        pytest.importorskip("cupy")
    eta = np.ones((9, 6, 4), order="F")
    tv.bind_array("cells", "eta", "out", eta, **FRINGES)
    if resident:
        tv.enter_data("cells", "eta", "copyin")
    random = np.random.default_rng(5)
    w = {f"W{n}": random.normal(size=size) for n, size in enumerate([(2, 16), (16, 16), (16, 1)])}
    w |= {f"b{n}": random.normal(size=size) for n, size in enumerate((16, 16, 1))}
    np.savez("viscosity.npz", **w)  # type: ignore[arg-type]
    return w, eta


def viscosities(w: dict[str, np.ndarray], T: np.ndarray, Y: np.ndarray) -> Any:
    x = np.stack([T / 100 - 2, 2 * Y[..., 1] - 1], axis=-1)
    x = np.tanh(np.tanh(x @ w["W0"] + w["b0"]) @ w["W1"] + w["b1"])
    return 1e-5 * np.exp(x @ w["W2"] + w["b2"])[..., 0]


@pytest.mark.parametrize("resident", [False, True])
def test_learned_viscosity_where_the_arrays_lie(
    make_frame: Make, as_numpy: Any, monkeypatch: pytest.MonkeyPatch, resident: bool
) -> None:
    """On the CPU by NumPy, on a GPU by CuPy."""
    tv = with_field(make_frame, resident)
    w, _ = with_network(tv, monkeypatch, resident)
    tv.python("cells", "learned:viscosity", [20.0, 0.0, 0.1])
    seen: list[np.ndarray] = []
    tv.python("cells", lambda c: seen.extend(as_numpy(a).copy() for a in (c.T, c.Y, c.eta)))
    T, Y, found = seen
    np.testing.assert_allclose(found, viscosities(w, T, Y), rtol=1e-11)


@pytest.mark.usefixtures("as_numpy")
def test_a_learned_closure_on_resident_arrays_moves_nothing(
    make_frame: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps of a run and the closure behind it: no byte crosses the link."""
    frame = make_frame(13, timers="-", python_path=str(FOLDER))
    tv = with_field(lambda *_, **__: frame, resident=True)
    w, eta = with_network(tv, monkeypatch, resident=True)
    copied: list[int] = []
    for step in range(4):
        before = frame.ledger()
        tv.run("cells", "eosThermalAndViscousProperties")
        tv.python("cells", "learned:viscosity", [float(step), 0.0, 0.1])
        copied.append(moved(frame.ledger()) - moved(before))
    assert copied[1:] == [0, 0, 0], "the first one takes constants of the species to the device"
    assert frame.ledger()["python"]["calls"] == 4
    assert frame.ledger()["python"]["bytes"] == 0
    tv.update_host("cells", "eta")
    if tv.impl.backend.device_copies is not None:
        assert moved(frame.ledger()) - moved(before) == 8 * eta.size
    Q = block()[0][INTERIOR]
    np.testing.assert_allclose(eta[INTERIOR], viscosities(w, Q[..., 4], Q[..., 5:]), rtol=1e-11)


def moved(ledger: dict[str, dict[str, int]]) -> int:
    """Bytes of all calls."""
    return sum(counts["bytes"] for counts in ledger.values())


def test_store_says_what_to_install(make_frame: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    tv = with_field(make_frame)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "xarray", None)
        with pytest.raises(BridgeError, match="does not import.*pip install xarray zarr"):
            tv.python("cells", "store:write", [20.0, 0.0, 0.1])
    pytest.importorskip("xarray")
    eta = np.ones((9, 6, 4), order="F")
    tv.bind_array("cells", "eta", "out", eta, **FRINGES)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BridgeError, match="store.py:.*pip install zarr"):
        tv.python("cells", "store:write", [20.0, 0.0, 0.1])
