"""`bridge plot`: pictures of what runs write, and what it says of other files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge import cli
from bridge.bound.recordings import SAMPLES

plt = pytest.importorskip("matplotlib.pyplot")
RESULTS = Path(__file__).parents[2] / "docs" / "results"
CELLS = (12, 8, 3)
HEADER = """bridge-flow-fields 1
cells 12 8 3
lengths 1.2e-5 8e-6 3e-6
step 50
time 1e-6
headerbytes 4096
fields rho_O2 rho_N2 rhou rhov rhow T P
end
"""
WRITTEN = 7


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(7).random((WRITTEN, *reversed(CELLS)))
    Path("run.fields").write_bytes(HEADER.ljust(4096).encode() + values.astype("<f8").tobytes())
    return tmp_path


def plot(*words: str) -> int:
    return cli.main(["plot", *words])


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Figures that were saved: closed ones still have their axes."""
    from bridge.commands import plot as command

    figures: list[Any] = []
    save = command._save

    def kept(figure: Any, picture: str) -> None:
        figures.append(figure)
        save(figure, picture)

    monkeypatch.setattr(command, "_save", kept)
    return figures


def titles(figure: Any) -> list[str]:
    return [axis.get_title() for axis in figure.axes if axis.get_title()]


def test_fields_of_the_solver(drawn: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert plot("run.fields") == 0
    assert capsys.readouterr().out == "run.png\n" and plt.imread("run.png").std() > 0.02
    (figure,) = drawn
    words = "rho / (kg/m3)|T / K|P / Pa|velocity_x|velocity_y|velocity_z|Y_O2, mass fraction"
    assert titles(figure)[:7] == words.split("|")
    assert figure.axes[0].get_xlabel() == "x / µm" and figure.axes[0].get_xlim() == (0.0, 12.0)
    assert "step 50, 1 µs, plane 2 of 3 normal to z" in figure.get_suptitle()


def test_a_plane_of_chosen_fields(drawn: list[Any]) -> None:
    """Of what is written, and of what is made of it."""
    words = ("--normal", "y", "--plane", "5")
    assert plot("run.fields", "one.pdf", "--fields", "T,rho,Y_N2,velocity_y", *words) == 0
    assert Path("one.pdf").read_bytes()[:4] == b"%PDF"
    shown = [axis.get_images()[0].get_array() for axis in drawn[0].axes if axis.get_title()]
    held = np.fromfile("run.fields", "<f8", offset=4096).reshape(WRITTEN, *reversed(CELLS))
    o2, n2, _, rhov, _, T, _ = held[:, :, 4, :]
    for image, wanted in zip(shown, (T, o2 + n2, n2 / (o2 + n2), rhov / (o2 + n2)), strict=True):
        np.testing.assert_array_equal(image, wanted)
    assert drawn[0].axes[0].get_ylabel() == "z / µm"


def test_arrays_of_numpy(drawn: list[Any]) -> None:
    np.savez("own.npz", T=np.linspace(200.0, 300.0, 9), rho=np.ones((4, 5)), q=np.ones((2, 3, 4)))
    np.save("line.npy", np.arange(5))
    assert plot("own.npz") == 0 and plot("line.npy") == 0
    assert drawn[0].axes[0].get_ylabel() == "T / K" and "rho / (kg/m3)" in titles(drawn[0])
    assert drawn[1].axes[0].get_ylabel() == "line"


def test_a_recording(drawn: list[Any]) -> None:
    states = np.random.default_rng(7).random((SAMPLES, 3, 1))
    states[0] = np.nan
    held: dict[str, Any] = {
        "composite": "advance", "set": "cells", "calls": 3, "points": 4000,
        "place": np.zeros((SAMPLES, 5), int), "outputs": np.array(["rho"]), "input/T": states,
        "offsets/T": np.array([[-1, 0, 0], [0, 0, 0], [1, 0, 0]]),
    }  # fmt: skip
    np.savez("states.0.npz", **held)
    assert plot("states.0.npz", "s.svg") == 0
    (axis,) = drawn[0].axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("T / K", "samples, 1 not finite")
    assert f"advance on set 'cells', {SAMPLES} of 4000 points of 3" in drawn[0].get_suptitle()


def test_measurements() -> None:
    assert plot(str(RESULTS / "kernels-xeon.json")) == 0
    assert plt.imread("kernels-xeon.png").std() > 0.02


def write(name: str, contents: bytes) -> str:
    Path(name).write_bytes(contents)
    return name


@pytest.mark.parametrize(
    ("make", "words", "said"),
    [
        (lambda: "absent", (), "got 'absent' (No such file or directory)"),
        (lambda: ".", (), "got '.' (Is a directory)"),
        (lambda: write("a.txt", b"words"), (), "begins with b'words', wanted fields of the flow"),
        (lambda: write("e", b""), (), "begins with b'', wanted"),
        (lambda: write("c", HEADER.ljust(4096).encode()), (), "of 4096 bytes, wanted 20224"),
        (lambda: write("h", HEADER[:90].encode()), (), "wanted a whole file"),
        (lambda: write("z.npz", b"PK\3\4cut"), (), "wanted a whole file"),
        (lambda: write("j.json", b'{"a": 1'), (), "wanted a whole file"),
        (lambda: write("t.json", b'{"traceEvents": []}'), (), "a trace, wanted ui.perfetto.dev"),
        (lambda: write("r.json", b'{"bridge-replay": 1}'), (), "wanted `bridge replay r.json`"),
        (lambda: str(RESULTS / "start.json"), (), "got measurements of `bench start`"),
        (lambda: str(RESULTS / "gallery-h200.json"), (), "of 'bridge gallery"),
        (lambda: "run.fields", ("--fields", "Tt"), "--fields: got 'Tt', wanted some of rho, T"),
        (lambda: "run.fields", ("--plane", "4"), "--plane: got 4, wanted 1 to 3"),
        (lambda: "run.fields", ("a.gif",), "PICTURE: got 'a.gif', wanted a name that ends in"),
        (lambda: "run.fields", ("no/a.png",), "PICTURE: got 'no/a.png' (No such file"),
    ],
)
def test_what_is_refused(
    make: Any, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plot(make(), *words) == 1
    told = capsys.readouterr()
    assert said in told.err and told.err.count("argument") == 1 and not told.out
    assert not [*Path().glob("*.png")]


def test_arrays_that_no_picture_shows(capsys: pytest.CaptureFixture[str]) -> None:
    np.save("many.npy", np.ones((2, 2, 2, 2)))
    np.save("words.npy", np.array(["a"]))
    assert plot("many.npy") == 1 and "'many' of shape (2, 2, 2, 2)" in capsys.readouterr().err
    assert plot("words.npy") == 1 and "has the type <U1" in capsys.readouterr().err


def test_rows_of_another_form(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {"machine": {"command": "bridge bench kernels"}, "rows": [{"speed": 1}]}
    Path("odd.json").write_text(json.dumps(rows))
    assert plot("odd.json") == 1 and "rows of another form" in capsys.readouterr().err
