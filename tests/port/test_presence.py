"""Optional arguments: a kernel for each choice of those that are given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bridge import cli
from bridge.errors import ArgumentError
from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.nest import outline
from bridge_port.options import kept, parsed
from bridge_port.output.module import module_text
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.request import of_words
from bridge_port.survey.processes import Clock
from bridge_port.survey.units import Looking
from bridge_port.syntax.text import statement_lines
from bridge_port.translate.translate import translate

SOURCE = Path(__file__).parent / "checked" / "optional.f90"


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


def line(words_: str) -> int:
    text = SOURCE.read_text()
    return text[: text.index(words_)].count("\n") + 1


def nest(program: Program, name: str, said: Mapping[str, bool], *lines: int) -> PointProcedure:
    (one,) = outline(program, program.find(name), *lines, name=name, said=Choices(presence=said))
    return one


def body(one: PointProcedure) -> str:
    return "\n".join(statement_lines(one.unit.body))


def kernel(program: Program, **said: bool) -> Kernel:
    unit = program.find("point")
    return translate(program, PointProcedure("point", unit, unit.place, presence=said))


def test_what_is_not_given_is_out_of_the_calls(program: Program) -> None:
    assert "weighed(a, dt)" in body(nest(program, "plain", {"dt": True}))
    absent = nest(program, "plain", {"dt": False})
    assert "weighed(a)" in body(absent) and "dt" not in absent.scalars
    between = nest(program, "press", {"x": True, "dt": False, "r": False, "total": False})
    assert "weighed(t, x=x)" in body(between)  # by its name, behind what is left out


def test_the_module_says_for_which_choice_it_holds(program: Program) -> None:
    said = {"dt": False}
    one = nest(program, "plain", said)
    made = translate(program, one)
    text = module_text("plain", program.find("plain"), program, [made])
    assert "! They hold where .not. present(dt) alone. bind_plain and run_plain cannot see" in text
    assert "// It holds where .not. present(dt)." in made.text


def test_what_stands_around_need_not_be_said(program: Program) -> None:
    lines = (
        line("      do i = 1, n\n        if (present(x))"),
        line("    end if\n  end subroutine a"),
    )
    one = nest(program, "around", {}, lines[0], lines[1] - 1)
    assert one.presence == {"x": False, "y": True, "z": True}
    assert body(one).strip() == "a = a*y + z"
    with pytest.raises(Refused, match="argument y: around the nest it is given"):
        nest(program, "around", {"y": False}, lines[0], lines[1] - 1)


def test_what_is_passed_on_has_to_be_said(program: Program) -> None:
    for name in ("plain", "within"):
        with pytest.raises(Refused, match="run time alone") as refused:
            nest(program, name, {})
        assert "--present" in refused.value.refusal.change
    with pytest.raises(Refused, match="argument x: it is said to be absent, and is named"):
        nest(program, "within", {"x": False})
    with pytest.raises(Refused, match="argument x: it is said to be absent, and is named"):
        nest(program, "press", dict.fromkeys(("x", "dt", "r", "total"), False))


def test_a_point_has_no_argument_that_is_not_given(program: Program) -> None:
    every = kernel(program)
    assert [q.argument for q in every.inputs] == ["x", "dt"]
    assert any(note.startswith("taken as given: dt, z") for note in every.notes)
    few = kernel(program, dt=False, z=False)
    assert [q.argument for q in few.inputs] == ["x"]
    assert [q.argument for q in few.outputs] == ["y"]
    assert "dt" not in few.text.partition("#pragma once")[2]
    assert not any("taken as given" in note for note in kernel(program, dt=False, z=True).notes)


def test_both_ends_are_looked_at(program: Program) -> None:
    looking = Looking(program, Clock(), 60.0)
    found = {name: looking.look(program.find(name)) for name in ("plain", "only_with", "point")}
    assert found["plain"].how == "loops" and found["plain"].optional == ["dt"]
    assert found["point"].how == "point" and found["point"].optional == ["dt", "z"]
    assert not found["only_with"].translates  # it writes where x is not there


def test_words_stay(tmp_path: Path) -> None:
    words = ["a.f90::point", "--present", "z", "--absent", "dt"]
    assert of_words(words, tmp_path).presence == {"dt": False, "z": True}
    assert kept(parsed(words, tmp_path), tmp_path) == words


def test_names_are_optional_arguments(tmp_path: Path) -> None:
    for option, name in (("--absent", "x"), ("--present", "y")):
        asked = of_words([f"{SOURCE}::point", option, name], tmp_path)
        with pytest.raises(ArgumentError, match=r"an optional argument \(dt, z\)"):
            asked.ported()
    with pytest.raises(ArgumentError, match="--absent"):
        of_words(["a.f90::point", "--present", "dt", "--absent", "dt"], tmp_path)


@pytest.mark.fortran
def test_the_check_calls_it_so_against_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = str(tmp_path / "optional")
    first, last = (
        line("    integer :: i\n    do i = 1, n\n      a(i) = w") + 1,
        line("  end subroutine plain") - 1,
    )
    for source, said in (
        (f"{SOURCE}::point", ("--absent", "dt", "--name", "without")),
        (f"{SOURCE}::point", ("--present", "dt", "--absent", "z", "--name", "with")),
        (f"{SOURCE}:{first}-{last}", ("--present", "dt", "--prefix", "nest_")),
    ):
        assert cli.main(["port", source, "-o", pack, *said]) == 0
    assert cli.main(["port", "--check", pack, "--isa", "v2", "--points", "200"]) == 0
    assert "3 of 3 verified" in capsys.readouterr().out
