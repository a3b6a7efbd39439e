"""Texts: what a user says of them, what of a program keeps its value, what is run."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import pytest

from bridge import cli
from bridge.errors import ArgumentError, InconsistentError
from bridge_port import options
from bridge_port.check.shim import Shim
from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.program.keeping import World, assigned_at
from bridge_port.program.program import Program
from bridge_port.program.running import Running
from bridge_port.refusal import NOWHERE, Refused
from bridge_port.request import of_words, request_of
from bridge_port.survey.processes import Clock
from bridge_port.survey.units import Looking
from bridge_port.syntax.expressionparser import expression
from bridge_port.translate.translate import translate

CONSTRUCTS = Path(__file__).parent / "constructs"
NAMES = """
module names
  implicit none
  character(4) :: kept = 'a', added = 'b', read_in = 'c', handed = 'd', aliased = 'e', far = 'f'
  character(4), target :: pointed = 'g'
  character(4) :: bound = 'h', unbound = 'i'
  type holder
  contains
    procedure, nopass :: gives
    procedure, nopass :: takes
  end type
  type(holder) :: one
  integer :: count = 2
  namelist /all/ read_in
contains
  subroutine adds(s)
    character(*), intent(in) :: s
    added = s
    call out(handed, s)
    count = count + 1
  end subroutine
  logical function gives(s)
    character(*), intent(inout) :: s
    s = 'z'
    gives = takes(s)
  end function
  logical function takes(s)
    character(*), intent(in) :: s
    takes = s == 'z'
  end function
  subroutine by_object(l)
    logical, intent(out) :: l
    l = one%gives(bound) .or. one%takes(unbound)
  end subroutine
  subroutine out(to, of)
    character(*) :: to
    character(*), intent(in) :: of
    to = of
  end subroutine
  subroutine uses(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = x
    if (added == 'b') y = length('ab')*x
  end subroutine
  integer function length(s)
    character(*), intent(in) :: s
    character(8) :: t
    t = s
    length = count + len_trim(t) + len(kept)
  end function
end module
subroutine elsewhere
  use names, only: other => far
  other = 'x'
end subroutine
"""


@pytest.fixture
def names(tmp_path: Path) -> Program:
    file = tmp_path / "names.f90"
    file.write_text(NAMES)
    return Program([file])


def kernel(program: Program, name: str, **words: object) -> Kernel:
    unit = program.find(name)
    return translate(program, PointProcedure(unit.name, unit, unit.place), Choices(**words))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("kept", None),
        ("bound", "by_object"),
        ("unbound", None),
        ("added", "adds"),
        ("handed", "adds"),
        ("read_in", "namelist"),
        ("far", "elsewhere"),
        ("pointed", "a pointer"),
    ],
)
def test_what_may_assign_a_variable_is_found(names: Program, name: str, where: str | None) -> None:
    found = assigned_at(names, names.scope(names.modules["names"]).symbol(name))
    assert found is None if where is None else where in str(found)


def test_an_initial_value_is_taken_where_the_user_says_it(names: Program) -> None:
    with pytest.raises(Refused, match="say --initial added"):
        kernel(names, "uses")
    with pytest.raises(Refused, match="say --initial count"):
        kernel(names, "uses", initial=("added",))
    made = kernel(names, "uses", initial=("added", "count"))
    assert "y = 8.0 * x;" in made.text
    assert sorted(made.initial) == ["added", "count"]
    assert "kept is taken to keep its initial value: nothing in the given sources" in str(
        made.notes
    )
    assert "9.0 * x" in kernel(names, "uses", fixed={"added": "b", "count": 3}).text
    assert "* x" not in kernel(names, "uses", fixed={"added": "c"}).text
    with pytest.raises(Refused, match="value far: uses reads no such text"):
        kernel(names, "uses", fixed={"added": "c", "far": "c"})
    with pytest.raises(Refused, match="initial far: uses reads no such variable"):
        kernel(names, "uses", fixed={"added": "c"}, initial=("far",))


def test_the_survey_names_what_has_to_be_said(names: Program) -> None:
    found = Looking(names, Clock()).look(names.find("uses"))
    assert found.translates
    assert sorted(found.initial) == ["added", "count"]


def test_a_text_is_an_argument_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = f"{CONSTRUCTS}/values.f90::said"
    assert cli.main(["port", source, "-o", str(tmp_path / "p")]) == 1
    assert "values.f90:98: character word" in capsys.readouterr().err
    assert cli.main(["port", source, "-o", str(tmp_path / "p"), "--value", "scheme=cube"]) == 0
    text = (tmp_path / "p" / "p_said.h").read_text()
    assert "pow(x, 3)" in text and "o + 1.0" in text
    asked = tomllib.loads((tmp_path / "p" / "port.toml").read_text())["kernel"][0]["asked"]
    request = of_words(asked, tmp_path / "p")
    assert request.texts == {"scheme": "cube"}
    assert len(request.ported().kernels[0].inputs) == 1


def test_a_component_of_a_module_has_a_text() -> None:
    program = Program([CONSTRUCTS / "componenttexts.f90"])
    said: dict[str, int | str] = {"kept%scheme": "KPP", "kept%in%law": "o'x", "mode": "fast"}
    made = kernel(program, "of_module", fixed=said)
    assert "y = 3.0 * x;" in made.text and "y = y + pow(x, 3);" in made.text
    with pytest.raises(Refused, match="character kept%in%law: .* say --value kept%in%law='...'"):
        kernel(program, "of_module", fixed={"kept%scheme": "KPP"})
    with pytest.raises(Refused, match="value p%n: it is no text"):
        kernel(program, "by_scheme", fixed={"p%scheme": "KPP", "p%n": "a"})
    # The check gives the original the same.
    texts = {name: str(text) for name, text in said.items()}
    given = str(Shim(program, program.find("of_module"), made, 0, {}, texts=texts).given())
    for line in ("zz_0%scheme = 'KPP'", "zz_1%in%law = 'o''x'", "zz_2 = 'fast'"):
        assert line in given


@pytest.mark.parametrize(
    ("words", "wanted"), [(["x=1.5"], "an integer, or a text in quotes"), (["scheme="], "NAME=")]
)
def test_values_that_are_neither_are_refused(words: list[str], wanted: str) -> None:
    with pytest.raises(ArgumentError, match=wanted):
        request_of(
            cli_words([f"{CONSTRUCTS}/values.f90::said", "--value", *words]),
        )


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--value", "shceme=cube"], "a character of its source .*scheme"),
        (["--value", "scheme=cube", "--initial", "mod"], "a variable of a module .*mode"),
    ],
)
def test_names_that_are_misspelt_are_refused(words: list[str], wanted: str) -> None:
    request = request_of(cli_words([f"{CONSTRUCTS}/values.f90::said", *words]))
    with pytest.raises(ArgumentError, match=wanted):
        request.ported()


def cli_words(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    options.add(parser)
    return parser.parse_args(words)


def test_digits_in_quotes_are_a_text() -> None:
    request = request_of(cli_words(["a.f90::b", "--value", "n=3", "s='12'", 't="x y"']))
    assert (request.values, request.texts) == ({"n": 3}, {"s": "12", "t": "x y"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'ab' == 'ab   '", True),
        ("'ab' < 'b' .and. 'a' // 'b' == 'ab'", True),
        ("len('ab ') + len_trim('ab ')", 5),
        ("index('banana', 'an') + 10*index('banana', 'an', back=.true.)", 42),
        ("index('ab', '') + 10*index('ab', '', .true.)", 31),
        ("scan('fortran', 'tr') + 10*verify('aab', 'a')", 33),
        ("adjustl('  a') // adjustr('b  ') // trim('c  ') // repeat('d', 2)", "a    bcdd"),
        ("iachar('a') + ichar('b')", 195),
        ("achar(65) // char(66)", "AB"),
        ("lge('b', 'a') .and. llt('a', 'b')", True),
        ("lower('AbC')", "abc"),
        ("list(2)(1:3)", "bet"),
    ],
)
def test_expressions_of_texts(text: str, value: object) -> None:
    program = Program([CONSTRUCTS / "values.f90"])
    scope = program.scope(program.modules["texts"])
    found = Running(World(program), scope, {}).known(expression(text), NOWHERE).scalar
    assert found is not None and found.plain == value


OF_A_NEST = """\
module named
  character(4) :: scheme = 'fast'
contains
  real(8) function doubled(x, what)
    real(8), intent(in) :: x
    character(*), intent(in) :: what
    doubled = x
    if (what == 'fast') doubled = 2*x
  end function doubled
  subroutine step(n, a, mode)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    character(*), intent(in) :: mode
    integer :: i
    do i = 1, n
      if (mode == 'fast') a(i) = 2*a(i)
    end do
    do i = 1, n
      a(i) = doubled(a(i), mode)
    end do
    do i = 1, n
      if (scheme == 'fast') a(i) = 2*a(i)
    end do
  end subroutine step
end module named
"""


def test_a_nest_takes_texts_of_modules_alone(tmp_path: Path) -> None:
    file = tmp_path / "named.f90"
    file.write_text(OF_A_NEST)

    def ported(lines: str, *words: str) -> Kernel:
        (made,) = request_of(cli_words([f"{file}:{lines}", *words])).ported().kernels
        return made

    assert "2.0 *" in ported("21-23", "--value", "scheme=fast").text
    why = "a text of the procedure around is not known .* compare it there, before the loops"
    with pytest.raises(Refused, match=f"character mode of step: {why}"):
        ported("15-17")
    with pytest.raises(Refused, match="character what: no text .* for it; pass a constant$"):
        ported("18-20")
    with pytest.raises(InconsistentError) as refused:
        ported("15-17", "--value", "mode=fast")
    assert str(refused.value) == (
        "argument --value: mode is a character of step, and a loop nest takes texts of modules "
        "alone; compare mode before the loops, and read a logical in its place"
    )
