"""The programs of examples/fortran, built by their makefile, run and print their results."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import bridge

FOLDER = Path(__file__).parents[2] / "examples" / "fortran"

FUNCTIONS = FOLDER.parent / "functions"
#: What store.py can write with.
STORES = [name for name in ("zarr", "netCDF4", "h5netcdf", "scipy") if find_spec(name)]
#: Folder, output, and fields of each call.
Mixing = tuple[Path, str, list[dict[str, np.ndarray]]]

pytestmark = pytest.mark.fortran


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("make") is None or shutil.which("mpif90") is None:
        pytest.skip("no make, or no mpif90")
    folder = tmp_path_factory.mktemp("examples")
    config = folder / "bridge-config"
    config.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m bridge.bridge_config "$@"\n')
    config.chmod(0o755)
    command = ["make", "-C", str(FOLDER), f"BUILD={folder}", f"BRIDGE_CONFIG={config}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def printed(command: list[str], folder: Path | None = None, **more: str) -> str:
    environment = {**os.environ, "BRIDGE_BACKEND": "cpu", **more}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_program_is_built(programs: Path) -> None:
    sources = {path.stem for path in FOLDER.glob("*.f*")}
    assert len(sources) == 8 and all((programs / name).is_file() for name in sources)


def test_the_serial_program_has_the_numbers_of_the_package(programs: Path) -> None:
    rows = printed([str(programs / "01_serial")]).splitlines()
    T, rho, *_ = zip(
        *(map(float, row.split()) for row in rows if row.strip()[:1].isdigit()), strict=True
    )
    assert list(T) == [250.0, 300.0, 600.0]
    wanted = bridge.evaluate("O2 CH4 H2O", T, 8e6, [0.7, 0.25, 0.05], "rho", backend="cpu").rho
    assert list(rho) == pytest.approx(list(wanted), rel=1e-6)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("02_talk", "335.6"),
        ("03_bind", "step 2: rho of a cell"),
        ("04_errors", "finalize: done"),
        ("06_f77_bind", "end 0"),
        ("07_typed_bind", "entries 288"),
    ],
)
def test_a_program_comes_to_its_end(programs: Path, program: str, said: str) -> None:
    assert said in printed([str(programs / program)])


#: Keeps copies of what the functions beside it see.
KEEPER = """
import numpy as np

def keep(cells):
    names = "T", "Y", "rho", "eta"
    np.savez(f"kept_{cells.values[0]:.0f}.npz", **{name: cells.read(name) for name in names})
"""
STEPS = range(40, 201, 40)


@pytest.fixture(scope="module")
def mixing(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Mixing:
    """Folder and output of the program with all functions whose packages there are, its fields."""
    folder = tmp_path_factory.mktemp("mixing")
    (folder / "keeper.py").write_text(KEEPER)
    printed([sys.executable, "-P", str(FUNCTIONS / "learned.py")], folder)
    names = ["learned:viscosity", "keeper:keep", "diagnostics:average", "diagnostics:spectrum"]
    names += ["picture:draw"] if find_spec("matplotlib") else []
    names += ["store:write"] if STORES and find_spec("xarray") else []
    path = f"{FUNCTIONS}:{folder}"
    out = printed([str(programs / "08_python"), *names], folder, BRIDGE_PYTHON_PATH=path)
    kept = [dict(np.load(folder / f"kept_{step}.npz")) for step in STEPS]
    return folder, out, kept


def test_learned_viscosity(mixing: Mixing) -> None:
    """Within 2.5 % of the kernel, and what it says of its error is true."""
    _, out, kept = mixing
    said = [line.split() for line in out.splitlines() if "learned viscosity" in line]
    assert [words[1] for words in said] == [f"{step}:" for step in STEPS]
    for words, fields in zip(said, kept, strict=True):
        eta = bridge.evaluate("O2 CH4", fields["T"], 8e6, fields["Y"], "eta", backend="cpu").eta
        error = 100 * abs(fields["eta"] / eta - 1).max()
        assert 0 < error < 2.5 and float(words[5]) == pytest.approx(error, abs=0.006)


def test_the_layer_rolls_up(mixing: Mixing) -> None:
    """The interior has no more than what came in: T and mass fractions within their bounds."""
    *_, kept = mixing
    assert "temperatures from  120.00 K to  300.00 K" in mixing[1]
    for fields in kept:
        Y = fields["Y"]
        assert Y.shape == (160, 88, 1, 2) and Y.min() >= 0 and abs(Y.sum(-1) - 1).max() < 1e-15
    ch4 = [fields["Y"][..., 1].mean() for fields in kept]
    assert ch4 == pytest.approx([0.5] * len(ch4), abs=1e-3), "no divergence"


def test_average_and_spectrum(mixing: Mixing) -> None:
    folder, _, kept = mixing
    with np.load(folder / "average.npz") as file:
        assert file["calls"] == len(STEPS)
        for name in ("T", "rho", "eta"):
            mean = np.mean([fields[name] for fields in kept], axis=0)
            np.testing.assert_allclose(file[name], mean, rtol=1e-13)
    with np.load(folder / "spectrum.npz") as file:
        power = file["power"]
    rho = kept[-1]["rho"]
    assert power.shape == (81,) and power.sum() == pytest.approx((rho**2).mean(), rel=1e-12)
    assert power[0] == pytest.approx((rho.mean(axis=0) ** 2).mean(), rel=1e-12)


def test_pictures(mixing: Mixing) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    pictures = [plt.imread(mixing[0] / f"mixing_{step:06d}.png") for step in STEPS]
    shown = FOLDER.parents[1] / "docs" / "pictures" / "examples" / "mixing.png"
    assert plt.imread(shown).shape == pictures[-1].shape
    for picture, before in zip(pictures, [pictures[-1], *pictures], strict=False):
        assert picture.std() > 0.1 and abs(picture - before).max() > 0.1
    assert plt.imread(mixing[0] / "spectrum.png").std() > 0.02


@pytest.mark.skipif(not STORES, reason="no zarr, netCDF4, h5netcdf or SciPy")
def test_stored_fields(mixing: Mixing) -> None:
    xarray = pytest.importorskip("xarray")
    folder, _, kept = mixing
    if find_spec("zarr"):
        stored = xarray.open_zarr(folder / "fields.zarr", consolidated=False, chunks=None)
    else:
        files = [folder / f"fields_{step:06d}.nc" for step in STEPS]
        stored = xarray.concat([xarray.open_dataset(file) for file in files], "time")
    assert list(stored.step.values) == list(STEPS)
    for n, fields in enumerate(kept):
        for name in ("T", "rho", "eta"):
            np.testing.assert_array_equal(stored[name].values[n], fields[name])
    dx = 1e-3 / 160
    assert stored.x.values == pytest.approx(dx * (np.arange(160) + 0.5))
    assert stored.time.values == pytest.approx([step * 0.4 * dx / 10 for step in STEPS])


@pytest.mark.mpi
def test_the_program_of_ranks(programs: Path, mpirun: list[str]) -> None:
    assert "2 ranks, enthalpy from" in printed([*mpirun, "-n", "2", str(programs / "05_mpi")])
