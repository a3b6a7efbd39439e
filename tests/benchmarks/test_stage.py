"""The benchmark of a stage: its bound, its pack, its rows and its picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.bench import stage
from bridge.errors import ArgumentError
from bridge.measuring.report import Report

STUB = Path(__file__).parents[2] / "fortran_stub"


def test_bytes_of_a_cell() -> None:
    """Properties 5 + 6 numbers, a flux 5 + 6 + 5, divergence 15 + 5, update 5 + 5 + 5; a quarter
    of a copy."""
    program = object.__new__(stage.Program)
    program._pack = stage.pack_folder(str(STUB))
    assert program.bytes_of_a_cell() == 8.0 * (11 + 3 * 16 + 20 + 15 + 10 / 4)


def test_the_bound_is_the_slower_of_kernels_and_link() -> None:
    cells = (10, 20, 30)
    fast = stage.Rates(1e12, 1e15, 1e15)
    assert stage.bound(cells, fast, 772.0) == pytest.approx(0.772)
    for rates in (stage.Rates(1e15, 1e9, 1e12), stage.Rates(1e15, 1e12, 1e9)):
        assert stage.bound(cells, rates, 772.0) == pytest.approx(2 * 5 * 8 / 10)


def test_a_folder_without_the_example(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="fortran-stub.*examples/stage_pack beside it"):
        stage.pack_folder(str(tmp_path / "fortran_stub"))


def test_rows_and_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report = Report("a stage")
    cells = (128, 128, 64)
    least = stage.bound(cells, stage.Rates(4e12, 5e10, 5e10), 772.0)
    for ranks, own in ((1, 0.25), (2, 0.26)):
        line = stage._add(report, cells, ranks, own, 20.0, 0.25, least)
    assert line["of it"] == "74% (goal 80%)"
    assert line["against one"] == "1.92 (goal 1.9)"
    values = {(row.name, row.params["ranks"]): row for row in report.rows}
    assert values["stage", 2].value == 0.13
    assert values["stage", 1].ratio == 80.0
    assert values["... of the bound", 1].value == pytest.approx(77.2)
    stage.plot(report, str(tmp_path / "stage.png"))
    assert (tmp_path / "stage.png").stat().st_size > 10000
