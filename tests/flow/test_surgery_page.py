"""docs/surgery.md has the counts of the sources, and the rules by which lines are counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import docsprograms
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
SOLVER = """
program flowSolver
  use caseModule, only: Offload, Steps
  use nearModule    ! all of it is of the bridge
  implicit none
  integer :: i, seen
  if (Offload /= 'none') call begin
  do i = 1, Steps
    if (Offload == 'none') then
      call legacy
    else
      call near('none', &
                seen)
    end if
    call both
  end do
  if (Offload == 'step') call far
contains
  subroutine both
    if (Offload == 'none') return
    call near('it''s ! no comment', i)
  end subroutine both
  subroutine legacy
    write(*, *) 'Offload'
  end subroutine legacy
end program flowSolver
"""
CASE = """
module caseModule
  public :: Offload, Steps
  character(len=9) :: Offload = 'none'
  integer :: Steps = 1
contains
  subroutine reads
    namelist /BridgeInputs/ Offload
    namelist /Case/ Steps
  end subroutine reads
end module caseModule
"""
NEAR = """
module nearModule
  use bridge
  public :: begin, near, far
contains
  subroutine begin
    call frame_initialize
  end subroutine begin
  subroutine near(text, n)
    call run(text)
  end subroutine near
  subroutine far
    call run('far')
  end subroutine far
  subroutine run(text)
    !$bridge begin run
    call frame_run('call frame_run', text)
  end subroutine run
end module nearModule
"""


@pytest.fixture(scope="module")
def surgery() -> Any:
    """The program that writes the page."""
    return docsprograms.loaded("surgery")


def test_the_page_has_the_counts_of_the_sources(surgery: Any) -> None:
    page = surgery.PAGE.read_text(encoding="utf-8")
    assert page == surgery.filled(page, surgery.counted()), "run python docs/surgery.py --counts"


def test_the_solver_stays_small_and_calls_the_bridge_from_two_files(surgery: Any) -> None:
    sources = surgery.surgerycounts.read()
    assert sum(one.lines for one in sources) <= 3500  # without blank lines and comments
    calls = {one.name: one.calls() for one in sources if one.calls()}
    assert calls.keys() == {"bridgeflowmodule.f90", "bridgepropertiesmodule.f90"}
    assert sum(calls.values()) <= 80
    loops = [one for one in sources if one.name in ("fluxmodule.f90", "sidesmodule.f90")]
    assert [one.of(n) for one in loops for n in (1, 2, 3)] == [0] * 6


def test_lines_are_of_the_stage_that_needs_them(surgery: Any, tmp_path: Path) -> None:
    for name, text in (("flow", SOLVER), ("case", CASE), ("near", NEAR)):
        (tmp_path / f"{name}.f90").write_text(text)
    case, flow, near = surgery.surgerycounts.read(tmp_path)
    # Its declaration, the list that makes it public, the namelist.
    assert [case.lines, *(case.of(n) for n in (1, 2, 3))] == [10, 3, 0, 0]
    # Two use, the declaration with `seen`, begin, if, else, near (2), end if, both (1 + 4); far.
    assert [flow.lines, *(flow.of(n) for n in (1, 2, 3))] == [25, 14, 0, 1]
    assert [near.lines, *(near.of(n) for n in (1, 2, 3))] == [17, 14, 0, 3]
    assert (near.calls(), near.calls(1), near.calls(3), near.marks) == (2, 2, 0, 1)


def test_a_procedure_that_is_not_there_is_told(surgery: Any) -> None:
    import surgerywalk

    station = surgerywalk.STATIONS[0]
    missing = surgerywalk.Station(station.file, "flowSolvers", station.names, station.what)
    with pytest.raises(ValueError, match="has no procedure flowSolvers"):
        surgerywalk.check(missing)
    other = surgerywalk.Station(station.file, station.procedure, "rhsGeomResCalc", station.what)
    with pytest.raises(ValueError, match="flowSolver does not name rhsGeomResCalc"):
        surgerywalk.check(other)


def test_a_profile_is_a_tree_of_shares(surgery: Any) -> None:
    import surgerytimes

    text = """
        1 exp
        2 __eosmodule_MOD_inner.constprop.0
        3 __steppingmodule_MOD_maintimeexplicit
        4 MAIN__
        5 main

        2 __eosmodule_MOD_inner
        6 __steppingmodule_MOD_rhstimestates
        4 MAIN__

        7 [unknown]
"""
    found = list(surgerytimes.chains(text))
    assert found[1:] == [("MAIN__", "rhstimestates", "inner"), ()]
    names = {"inner": "Inner", "rhstimestates": "rhsTimeStates"}
    rows = surgerytimes.tree(Counter(found[:2]), names, 0.1)
    assert sorted(rows) == [(0, "Inner", 0.5), (0, "rhsTimeStates", 0.5), (1, "Inner", 0.5)]
