"""Fields of the flow as VTKHDF files: of an OutputFile, and by the running solver."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flow.building import STUB
from flow.reading import Output, Solve, read
from flow.stages import JET, Stages

h5py = pytest.importorskip("h5py")
fields = pytest.importorskip("fields")

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]

#: What the solver needs to find fields.py.
SEARCHED = {"BRIDGE_PYTHON_PATH": str(STUB / "flow")}


def wanted(output: Output) -> dict[str, np.ndarray]:
    """The cell data of a picture, of the fields of the solver's own file."""
    rho = output["rho_O2"] + output["rho_CH4"]
    momentum = [output[name] for name in ("rhou", "rhov", "rhow")]
    found = {"rho": rho, "velocity": np.stack(momentum, axis=-1) / rho[..., None]}
    found |= {f"Y_{name}": output[f"rho_{name}"] / rho for name in ("O2", "CH4")}
    return found | {name: output[name] for name in ("T", "P", "c", "eta", "status")}


def compare(found: dict[str, np.ndarray], output: Output) -> None:
    """Arrays (nx, ny, nz) or (nx, ny, nz, 3); those that the solver divided may be rounded."""
    expected = wanted(output)
    assert set(found) == set(expected)
    for name, values in expected.items():
        assert np.ptp(values) > 0.0 or name in ("status", "velocity"), f"{name} has one value"
        if name in ("T", "P", "c", "eta", "status"):
            np.testing.assert_array_equal(found[name], values, err_msg=name)
        else:
            nothing = 1e-15 * float(np.abs(values).max())
            np.testing.assert_allclose(found[name], values, 1e-15, nothing, err_msg=name)
    assert found["status"].dtype == np.int32


def check(path: Path, output: Output) -> None:
    """A picture has the grid, the time and the fields of an output."""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        nx, ny, nz = output.cells
        assert root.attrs["Type"] == b"ImageData" and list(root.attrs["Version"]) == [2, 0]
        assert list(root.attrs["WholeExtent"]) == [0, nx, 0, ny, 0, nz]
        assert list(root.attrs["Origin"]) == [0.0, 0.0, 0.0]
        widths = np.array(output.lengths) / output.cells
        np.testing.assert_array_equal(root.attrs["Spacing"], widths)
        np.testing.assert_array_equal(root.attrs["Direction"], np.eye(3).ravel())
        assert root["FieldData/TimeValue"][:] == pytest.approx([output.time], rel=1e-15)
        assert list(root["FieldData/step"]) == [output.step]
        data = {name: array[...] for name, array in root["CellData"].items()}
    compare({name: a.transpose(2, 1, 0, *range(3, a.ndim)) for name, a in data.items()}, output)


def converted(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", STUB / "flow" / "fields.py", *words]
    environment = {**os.environ, "PYTHONPATH": str(STUB / "flow")}  # -P leaves its folder out
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, env=environment
    )


@pytest.fixture
def jet(solve: Solve, tmp_path: Path) -> tuple[Output, Path]:
    """A jet, and the picture of its file."""
    output = solve(**{**JET, "Steps": 2})
    picture = tmp_path / "jet.vtkhdf"
    done = converted(tmp_path / "fields", picture)
    assert done.returncode == 0, done.stderr
    return output, picture


def test_the_picture_of_a_file(jet: tuple[Output, Path]) -> None:
    output, picture = jet
    assert output.cells == JET["Cells"]
    check(picture, output)


def test_pyvista_opens_it(jet: tuple[Output, Path]) -> None:
    pyvista = pytest.importorskip("pyvista", reason="no pyvista: pip install pyvista")
    output, picture = jet
    mesh = pyvista.read(picture)
    assert mesh.n_cells == np.prod(output.cells)
    assert mesh.bounds == pytest.approx([x for end in output.lengths for x in (0.0, end)])
    assert mesh.field_data["TimeValue"] == pytest.approx([output.time])
    data = mesh.cell_data
    turned = output.cells[::-1]
    compare(
        {name: np.asarray(data[name]).reshape(*turned, *data[name].shape[1:]).swapaxes(0, 2)
         for name in data},
        output,
    )  # fmt: skip
    for cell in ((0, 0, 0), (20, 3, 1), (7, 10, 6)):
        there = mesh.find_containing_cell([output.centres(d)[cell[d]] for d in range(3)])
        assert data["T"][there] == output["T"][cell]
        assert data["velocity"][there] == pytest.approx(
            [output.velocity(d)[cell] for d in range(3)], rel=1e-14
        )


@pytest.mark.parametrize(
    ("stage", "ranks", "blocks"),
    [
        ("properties", 1, (2, 1, 2)),
        ("properties", 2, (3, 1, 1)),
        ("fluxes", 1, (1, 1, 1)),
        ("step", 1, (1, 2, 1)),
        ("step", 2, (3, 1, 1)),
    ],
)
def test_the_running_solver_draws(
    stages: Stages, stage: str, ranks: int, blocks: tuple[int, ...]
) -> None:
    """The last picture has the fields of the file, the first one those before any step. Resident
    arrays have a copy that stands for the device, which pictures have to take."""
    if ranks > 1:
        pytest.importorskip("mpi4py")
    folder = stages.folder
    draw = {"PictureEvery": 2, "PictureFile": folder / "jet.vtkhdf", "Offload": stage}
    more = {**SEARCHED, "BRIDGE_CHECK_RESIDENCY": "fringes"}
    # By one block: the bits are the same.
    stages.ended(Steps=0, OutputFile=folder / "before", Offload=stage)
    stages.ended(
        Steps=4, Blocks=blocks, OutputFile=folder / "fields", ranks=ranks, environment=more, **draw
    )
    for step, file in ((0, "before"), (4, "fields")):
        check(folder / f"jet_{step:06d}.vtkhdf", read(folder / file))
    steps_drawn = sorted(path.name for path in folder.glob("jet*"))
    assert steps_drawn == [f"jet_{step:06d}.vtkhdf" for step in (0, 2, 4)]


@pytest.mark.gpu
@pytest.mark.skipif(os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="needs a process's GPU")
def test_a_gpu_draws(stages: Stages) -> None:
    pytest.importorskip("cupy")
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "CUDA_PATH") if name in os.environ}
    folder = stages.folder
    stages.ended(
        Offload="step", Steps=2, Blocks=(2, 1, 1), OutputFile=folder / "fields", PictureEvery=2,
        PictureFile=folder / "jet.vtkhdf",
        environment={**kept, **SEARCHED, "BRIDGE_BACKEND": "cuda"},
    )  # fmt: skip
    check(folder / "jet_000002.vtkhdf", read(folder / "fields"))


def test_arrays_are_copied_before_the_next_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of a device, which are not NumPy's."""
    monkeypatch.setattr(fields, "waiting", [])
    shared = np.arange(6.0).reshape(3, 2, 1)

    def read(name: str) -> Any:
        columns = {"velocity": 3, "Y": 2}.get(name, 0)
        array = np.stack([shared] * columns, axis=-1) if columns else shared
        return SimpleNamespace(get=array.copy) if name == "T" else array

    for last in (0, 1):
        values = np.array([7, 0.5, 6.0, 2.0, 1.0, 6, 2, 1, 3 * last, 0, 0, 1, last], dtype=float)
        fields.write(
            SimpleNamespace(
                text=str(tmp_path / "two.vtkhdf"), values=values, rank=0, read=read,
                species=SimpleNamespace(names=("O2", "CH4")),
            )
        )  # fmt: skip
        shared += 10.0
    with h5py.File(tmp_path / "two_000007.vtkhdf") as file:
        for name in ("T", "rho", "Y_CH4"):
            found = file["VTKHDF/CellData"][name][...].T
            before = np.arange(6.0).reshape(3, 2, 1)
            np.testing.assert_array_equal(found, np.concatenate([before, before + 10.0]))


def test_a_picture_that_fails_leaves_the_one_before(tmp_path: Path) -> None:
    grid = fields.Grid((2, 1, 1), (1.0, 1.0, 1.0), 0, 0.0)
    path = tmp_path / "one.vtkhdf"
    path.write_text("before")
    with pytest.raises(RuntimeError), fields.picture(path, grid):
        raise RuntimeError
    assert [one.name for one in tmp_path.iterdir()] == ["one.vtkhdf"]
    assert path.read_text() == "before"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"PictureEvery": -1}, "PictureEvery must not be negative, got -1"),
        ({"PictureEvery": 1, "Offload": "step"}, "PictureFile must be the name of the pictures"),
        (
            {"PictureEvery": 1, "PictureFile": "jet.vtkhdf"},
            "Offload must be properties, fluxes or step, got none; flow/fields.py makes",
        ),
    ],
)
def test_cases_without_pictures(stages: Stages, values: dict[str, Any], message: str) -> None:
    outcome = stages.run(absent=True, Steps=1, **values)
    assert outcome.status != 0 and message in outcome.err


def test_pictures_that_cannot_be_made(stages: Stages) -> None:
    """The solver says so before its first step."""
    values: dict[str, Any] = {"Offload": "properties", "Cells": (13, 1, 1), "Steps": 5}
    for name, environment, message in (
        ("jet.vtkhdf", {}, "a module in a folder of the setting python_path (which is not set)"),
        ("jet.vti", SEARCHED, "must end in .vtkhdf or .hdf, got jet_000000.vti"),
    ):
        outcome = stages.run(PictureFile=name, PictureEvery=5, environment=environment, **values)
        assert outcome.status != 0 and message in outcome.err, outcome.err
        assert "step " not in outcome.out


def test_files_that_are_none(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("nothing\n")
    for source, target, message in (
        (text, "x.vtkhdf", "begins with 'nothing', not with 'bridge-flow-fields 1'"),
        (tmp_path / "none", "x.vtkhdf", "No such file or directory"),
    ):
        done = converted(source, tmp_path / target)
        assert done.returncode == 1 and message in done.stderr
        assert "Traceback" not in done.stderr
    assert converted(text).returncode == 1
