"""What nobody foresaw ends one procedure of a survey, and never the survey."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge_port.refusal import FAULT, Place, Refused
from bridge_port.survey import report, survey
from bridge_port.survey.command import run
from bridge_port.survey.processes import ENDED
from bridge_port.survey.survey import Survey, Worker
from bridge_port.survey.tree import Tree
from bridge_port.survey.units import Looking

CODE = """
subroutine {0}(a, b)
  real(8), intent(in) :: a
  real(8), intent(out) :: b
  b = 2*a
end subroutine
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for one in ("one", "two", "three"):
        names = [one, "bad"] if one == "two" else [one]
        (tmp_path / f"{one}.f90").write_text("".join(CODE.format(name) for name in names))
    return tmp_path


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """A survey that waits for ever ends here."""

    def ring(*_: object) -> None:
        raise TimeoutError("the survey does not end")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def of(monkeypatch: pytest.MonkeyPatch, what: Callable[[], None]) -> None:
    """This happens where the procedure `bad` is looked at."""
    look = Looking.look

    def looks(self: Looking, unit: Any) -> Any:
        if unit.name == "bad":
            what()
        return look(self, unit)

    monkeypatch.setattr(Looking, "look", looks)


def refused() -> None:
    raise Refused(Place("other.f90", 7), "a statement", "it is odd")


def crashed() -> None:
    raise ZeroDivisionError("by nothing")


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def rows(done: Survey) -> dict[str, Any]:
    return {row.found.name: row.found for row in done.rows}


@pytest.mark.parametrize("processes", [1, 2])
def test_a_refusal_that_nobody_catches_is_the_reason_of_one_row(
    folder: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    of(monkeypatch, refused)
    found = rows(survey([folder], processes=processes))
    assert str(found["bad"].refusal) == "other.f90:7: a statement: it is odd"
    assert [name for name, one in found.items() if one.translates] == ["one", "three", "two"]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_fault_is_told_with_file_and_line_and_in_the_exit_status(
    folder: Path, monkeypatch: pytest.MonkeyPatch, processes: int,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    of(monkeypatch, crashed)
    done = survey([folder], processes=processes)
    refusal = rows(done)["bad"].refusal
    assert refusal.construct == FAULT
    assert "ZeroDivisionError" in refusal.why and "by nothing" in refusal.why
    assert refusal.place == Place(str(folder / "two.f90"), 8, 12)
    assert rows(done)["two"].translates
    assert done.faults == [str(refusal)]
    assert "1 procedures or files met a fault" in report.text(done)
    assert run([folder], machine="none", processes=processes) == 1
    assert "exit status 1" in capsys.readouterr().out


def test_a_process_that_is_killed_costs_one_procedure(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of(monkeypatch, killed)
    done = survey([folder], processes=2)
    found = rows(done)
    assert found["bad"].refusal.construct == ENDED
    assert "SIGKILL" in found["bad"].refusal.why and "memory" in found["bad"].refusal.why
    assert found["bad"].refusal.place.line == 8
    assert [name for name, one in found.items() if one.translates] == ["one", "three", "two"]
    assert done.faults == [str(found["bad"].refusal)]


def test_a_process_that_is_killed_while_it_reads_costs_one_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Worker.file

    def looks(self: Worker, file: str, *rest: Any) -> Any:
        if file.endswith("two.f90"):
            killed()
        return look(self, file, *rest)

    monkeypatch.setattr(Worker, "file", looks)
    done = survey([folder], processes=2)
    assert set(rows(done)) == {"one", "three"}
    assert [Path(file).name for file in done.unreadable] == ["two.f90"]
    assert "SIGKILL" in done.faults[0]


def test_a_file_of_which_each_procedure_ends_its_process_is_given_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = "".join(CODE.format(f"bad{n}") for n in range(9))
    (folder / "two.f90").write_text(many)
    look = Looking.look

    def looks(self: Looking, unit: Any) -> Any:
        if unit.name.startswith("bad"):
            killed()
        return look(self, unit)

    monkeypatch.setattr(Looking, "look", looks)
    done = survey([folder], processes=2)
    assert set(rows(done)) == {"one", "three"}
    assert len(done.faults) == 1


def test_a_fault_of_reading_is_a_line_of_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Tree.program

    def fails(self: Tree, file: str) -> Any:
        if file.endswith("two.f90"):
            crashed()
        return program(self, file)

    monkeypatch.setattr(Tree, "program", fails)
    done = survey([folder], processes=2)
    assert set(rows(done)) == {"one", "three"}
    (why,) = done.unreadable.values()
    assert "two.f90:0" in why and FAULT in why
    assert done.faults == [why]
