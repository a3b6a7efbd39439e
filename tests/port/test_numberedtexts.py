"""Texts that come back as numbers: the module with them, the command, what the survey says."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from bridge import cli
from bridge_port.choices import Choices
from bridge_port.kernel import PointProcedure
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.translate.translate import translate

SOURCE = Path(__file__).parent / "constructs" / "numberedtexts.f90"
ASKS = """
program asks
  use p_both_bridge, only: text_p_both_msg
  use p_cut_bridge, only: text_p_cut
  character(64) :: text
  text = 'as it was'
  call text_p_both_msg(0, text)
  print '(a)', trim(text)
  call text_p_both_msg(1, text)
  print '(a)', trim(text)
  call text_p_cut(1, text)
  print '(a)', trim(text)
end program
"""
WORDS = """
module words
  implicit none
  type, abstract :: law
  contains
    procedure(one), deferred :: of
  end type
  type, extends(law) :: square
  contains
    procedure :: of => of_square
  end type
  type, extends(law) :: cube
  contains
    procedure :: of => of_cube
  end type
  abstract interface
    real(8) function one(this, x)
      import law
      class(law), intent(in) :: this
      real(8), intent(in) :: x
    end function
  end interface
contains
  real(8) function of_square(this, x)
    class(square), intent(in) :: this
    real(8), intent(in) :: x
    of_square = x**2
  end function
  real(8) function of_cube(this, x)
    class(cube), intent(in) :: this
    real(8), intent(in) :: x
    of_cube = x**3
  end function
  subroutine typed(this, x, y)
    class(law), intent(in) :: this
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = this%of(x)
  end subroutine
  subroutine named(scheme, x, y)
    character(*), intent(in) :: scheme
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = x
    select case (trim(scheme))
    case ('square', 'plain')
      y = x**2
    end select
    if (scheme(1:4) == 'cube') y = x**3
  end subroutine
  subroutine one_bad(scheme, x, y)
    character(*), intent(in) :: scheme
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = x
    if (scheme == 'print') open (7)
    if (scheme == 'quiet') y = 2*x
  end subroutine
  subroutine told(x, msg)
    real(8), intent(in) :: x
    character(*), intent(out) :: msg
    msg = 'fine'
    if (x > 1) msg = 'large'
  end subroutine
end module
"""


@pytest.mark.fortran
def test_the_survey_tries_texts_of_components(tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    command = ["port", "--survey", str(SOURCE.parent / "componenttexts.f90"), "--machine", "none"]
    assert cli.main([*command, "-j", "1", "--json", str(told)]) == 0
    rows = {row["name"]: row for row in json.loads(told.read_text())["procedures"]}
    assert rows["by_scheme"]["texts"] == {"p%scheme": ["KPP", "PP", "kpp"]}
    assert rows["of_module"]["texts"] == {"kept%scheme": ["KPP"], "kept%in%law": ["cube"],
                                          "mode": ["fast"]}  # fmt: skip
    assert rows["parts_named"]["texts"] == {} and not rows["parts_named"]["translates"]


def test_a_module_turns_numbers_into_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "p"
    for name in ("both", "cut"):
        assert cli.main(["port", f"{SOURCE}::{name}", "-o", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "p_both_msg is the number of a text: 0 as it was, 1 'done, 'it' // ok'" in said
    assert "numbers of texts: use p_cut_bridge, call text_p_cut(number, text)" in said
    assert "before the first run" not in said
    assert "1 'it is a long', 2 'small'" in (folder / "catalogue.toml").read_text()
    (tmp_path / "asks.f90").write_text(ASKS)
    subprocess.run(
        ["gfortran", f"-J{tmp_path}", "-o", "asks", *map(str, folder.glob("*.f90")), "asks.f90"],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    done = subprocess.run(["./asks"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["as it was", "done, 'it' // ok", "it is a long"]


def test_the_survey_tries_types_and_texts_and_tells_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "words.f90").write_text(WORDS)
    told = tmp_path / "told.json"
    command = ["port", "--survey", str(tmp_path), "--machine", "none", "--json", str(told)]
    assert cli.main([*command, "-j", "1"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "of these 1 take --type, the first of the types (types), 1 take --value NAME='text', a "
        "kernel for each text (texts), 1 give texts back as numbers (numbers), as --json says"
    ) in said
    rows = {row["name"]: row for row in json.loads(told.read_text())["procedures"]}
    assert rows["typed"]["types"] == {"this": "cube"}
    assert rows["named"]["texts"] == {"scheme": ["square", "plain", "cube"]}
    assert rows["told"]["numbers"] == ["msg"]
    assert rows["told"]["as"] == rows["named"]["as"] == rows["typed"]["as"] == "point"
    # One of its texts cannot be: none counts.
    assert not rows["one_bad"]["translates"] and rows["one_bad"]["as"] == "no"
    assert rows["one_bad"]["texts"] == {} and rows["one_bad"]["kernels"] == 0


AROUND = """
subroutine around(x)
  real(8) :: x
  character(6) :: msg
  call inner(x)
contains
  subroutine inner(x)
    real(8), intent(in) :: x
    character(2) :: msg_
    msg_ = 'no'
    if (x > 0.5d0) msg = 'a long text'
  end subroutine
end subroutine
"""


def test_a_text_of_the_unit_around_goes_in_nowhere(tmp_path: Path) -> None:
    source = tmp_path / "around.f90"
    source.write_text(AROUND)
    program = Program([source])
    unit = program.lifted(program.find("inner"))
    procedure = PointProcedure("inner", unit, unit.place)
    with pytest.raises(Refused, match="as-inout msg: .* say --as-output msg"):
        translate(program, procedure, Choices(outside={"msg": "inout"}))
    (number,) = translate(program, procedure, Choices(outside={"msg": "out"})).outputs
    assert number.texts == ("a long text",)  # cut where it is assigned
