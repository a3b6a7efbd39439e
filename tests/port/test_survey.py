"""A survey of a small tree: free and fixed form, modules, includes, conditions, no text."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from port.test_survey_gains import figures

from bridge.cli import main
from bridge.errors import ArgumentError
from bridge_port.refusal import Place, Refusal
from bridge_port.survey import report, survey
from bridge_port.survey.found import Found
from bridge_port.survey.gains import Range
from bridge_port.survey.profile import Profile
from bridge_port.survey.report import content, general
from bridge_port.survey.survey import Options, Survey

KINDS = """\
module kinds
  integer, parameter :: wp = selected_real_kind(12)
  real(wp), parameter :: gas = 287.0_wp
end module kinds
"""
EOS = """\
module eos
  use kinds
  implicit none
contains
  ! Seven operations: three products, a sum that is fused, a quotient, a root, a comparison.
  subroutine density(p, t, rho, c)
    real(wp), intent(in) :: p, t
    real(wp), intent(out) :: rho, c
    rho = p/(gas*t)
    c = sqrt(1.4_wp*p*t + rho)
    if (c < 1.0_wp) c = 1.0_wp
  end subroutine density
  subroutine update(nx, ny, u, r, dt)
    integer, intent(in) :: nx, ny
    real(wp), intent(inout) :: u(nx, ny)
    real(wp), intent(in) :: r(nx, ny), dt
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        u(i, j) = u(i, j) + dt*r(i, j)
      end do
    end do
  end subroutine update
  subroutine column(nlev, h, z)
    integer, intent(in) :: nlev
    real(wp), intent(in) :: h(nlev)
    real(wp), intent(out) :: z(0:nlev)
    real(wp) :: depth
    integer :: k
    depth = 0.0_wp
    z(0) = depth
    do k = 1, nlev
      if (h(k) < 0) exit; depth = depth + h(k)
      z(k) = depth
    end do
  end subroutine column
  subroutine mixed(n, a, b, s)
    integer, intent(in) :: n
    real(wp), intent(inout) :: a(n, n), b(n, n)
    character(*), intent(in) :: s
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i, j) = 2.0_wp*a(i, j)
      end do
    end do
    print *, s
    do j = 1, n
      do i = 1, n
        write (*, *) b(i, j)
      end do
    end do
  end subroutine mixed
end module eos
"""
OLD = """\
      SUBROUTINE FLUX(Q, F)
      INCLUDE 'gas.inc'
      DOUBLE PRECISION Q, F
C     A statement over two lines.
      F = GAMMA*Q
     1    + Q**2
      END
      SUBROUTINE SPIN(X)
      IF (X .GT. 9.0) GOTO 20
   10 X = X + 1.0
   20 IF (X .LT. 3.0) GOTO 10
      END
"""
INCLUDED = """\
      DOUBLE PRECISION GAMMA
      PARAMETER (GAMMA = 1.4D0)
"""
CONDITION = """\
#ifdef WITH_IO
subroutine stated(x)
  real(8) :: x
  write (*, *) x
end subroutine
#else
subroutine stated(x)
  real(8) :: x
  x = 2*x
end subroutine
#endif
subroutine lost(x)
  use nowhere
  real(8) :: x
  x = x + y
end subroutine
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("code")
    # Users before what they use: no order of files is right for all trees.
    for name, text in {
        "a/eos.f90": EOS, "z/kinds.f90": KINDS, "a/old.f": OLD, "inc/gas.inc": INCLUDED,
        "a/condition.F90": CONDITION, ".git/hidden.f90": EOS,
    }.items():  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "a/object.f90").write_bytes(b"\x7fELF\0\0\0")
    (root / "a/gone.f90").symlink_to(root / "nothing.f90")
    return root


@pytest.fixture(scope="module")
def surveyed(tree: Path) -> Survey:
    return survey([tree], processes=1)


def found(of: Survey, name: str) -> Found:
    return next(row.found for row in of.rows if row.found.name == name)


def test_procedures_are_found_with_how_they_translate(surveyed: Survey) -> None:
    how = {row.found.name: row.found.how for row in surveyed.rows}
    assert how == {
        "density": "point", "update": "loops", "column": "column", "mixed": "part",
        "flux": "point", "spin": "no", "stated": "point", "lost": "no",
    }  # fmt: skip
    assert surveyed.files == 6
    assert [row.found.name for row in surveyed.rows if row.found.io] == ["mixed"]


def test_a_module_is_found_wherever_it_lies(surveyed: Survey) -> None:
    work = found(surveyed, "density").work
    assert work is not None and (work.read, work.written, work.fetched) == (16, 16, 16)
    assert work.operations == {
        "multiply": 3, "divide": 1, "add": 1, "fused": 1, "sqrt": 1, "choose": 1,
    }  # fmt: skip
    assert work.flops == 6


def test_a_nest_has_its_bytes_once_a_point(surveyed: Survey) -> None:
    work = found(surveyed, "update").work
    assert work is not None and (work.read, work.written, work.fetched) == (16, 8, 0)
    assert work.operations == {"multiply": 1, "add": 1, "fused": 1}


def test_matrices_of_one_size_are_taken_as_small(tmp_path: Path) -> None:
    """Fields, whose extents are no sizes of vectors, are not."""
    (tmp_path / "m.f90").write_text("""\
subroutine solve(n, a, b)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n), b(n)
  integer :: i, j
  do i = 1, n
    do j = i + 1, n
      a(j, i) = a(j, i)/a(i, i)
      a(j, i + 1:n) = a(j, i + 1:n) - a(j, i)*a(i, i + 1:n)
      b(j) = b(j) - a(j, i)*b(i)
    end do
  end do
end subroutine solve
subroutine field(nx, ny, a)
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, ny)
  integer :: i, j
  do j = 2, ny
    do i = 2, nx
      a(i, j) = a(i - 1, j)*a(nx + 1 - i, j - 1)
    end do
  end do
end subroutine field
""")
    surveyed = survey([tmp_path], processes=1)
    solve, field = found(surveyed, "solve"), found(surveyed, "field")
    assert (solve.how, solve.fixed) == ("column", {"n": 4})
    assert field.how != "column"


NOTHING = """\
module stubs
  implicit none
  type :: state
    real(8) :: t = 300.0d0
  end type state
contains
  subroutine reduced(a, req, n, s)  ! without a library for messages
    real(8), intent(inout) :: a(:)
    integer, intent(out) :: req(*)
    integer, intent(in), value :: n
    class(state), intent(inout) :: s
    real(8) :: kept
#ifdef WITH_MPI
    call summed(a)
#endif
    return
10  continue
  end subroutine reduced
  subroutine later(n)
    integer n
    intent(out) n
  end subroutine later
  subroutine within(a)
    real(8), intent(in) :: a
    real(8) :: b
    b = 2*a
  end subroutine within
  subroutine begun(s)
    type(state), intent(out) :: s
  end subroutine begun
  subroutine begun_apart(s)
    type(state) :: s
    intent(out) :: s
  end subroutine begun_apart
  subroutine freed(a)
    real(8), allocatable, intent(out) :: a(:)
  end subroutine freed
  subroutine freed_apart(a)
    real(8), intent(out) :: a(:)
    allocatable :: a
  end subroutine freed_apart
  subroutine ended()
    type(state) :: s  ! a type may have a final procedure
  end subroutine ended
  subroutine calls(a)
    real(8), intent(inout) :: a
    call outside(a)
  end subroutine calls
  subroutine entered(a)
    real(8), intent(inout) :: a
    return
    entry second(a)
  end subroutine entered
  subroutine unread()
    dimension 5
  end subroutine unread
  subroutine other_way(*)
  end subroutine other_way
  real(8) function value()
  end function value
  subroutine told()
    print *, 'no library'
  end subroutine told
end module stubs
"""


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    root = tmp_path_factory.mktemp("stubs")
    (root / "stubs.F90").write_text(NOTHING)
    return survey([root], processes=1)


def test_what_does_nothing_is_neither_translated_nor_refused(stubs: Survey) -> None:
    assert [row.found.name for row in stubs.rows if row.found.how == "nothing"] == [
        "reduced", "later"
    ]  # fmt: skip
    one = found(stubs, "reduced")
    assert not one.translates and one.refusal is None
    rows = content(stubs)["procedures"]
    assert [(row["as"], row["translates"], row["refusal"]) for row in rows][0] == (
        "nothing", False, None
    )  # fmt: skip
    text = report.text(stubs, 200, every=True)
    assert "12 procedures, 11 of them without I/O; 2 more do nothing (stubs)" in text
    assert "reduced" not in text and "later" not in text


def test_what_gives_no_result_does_not_translate(stubs: Survey) -> None:
    row = found(stubs, "within")
    assert row.how == "no"
    assert row.refusal is not None and row.refusal.why == "it gives no result of a point"


def test_a_column_says_what_was_taken_for_its_size(surveyed: Survey) -> None:
    one = found(surveyed, "column")
    assert one.fixed == {"nlev": 10}
    # Behind the exit half of the turns count.
    assert one.work is not None and one.work.operations["add"] == 5
    assert (one.work.read, one.work.written) == (80, 88)


def test_the_first_reason_has_its_line(surveyed: Survey, tree: Path) -> None:
    refusal = found(surveyed, "spin").refusal
    assert refusal is not None and refusal.place.file == str(tree / "a/old.f")
    assert refusal.place.line == 11 and "goto" in refusal.construct
    missing = found(surveyed, "lost").refusal
    assert missing is not None and "nowhere" in str(missing) and missing.place.line == 15


def test_nests_of_a_procedure_are_looked_at_one_by_one(surveyed: Survey) -> None:
    mixed = found(surveyed, "mixed")
    assert [(nest.lines, nest.work is not None) for nest in mixed.nests] == [
        ((42, 46), True), ((48, 52), False)
    ]  # fmt: skip
    assert mixed.nests[1].refusal is not None and "write" in mixed.nests[1].refusal.construct


def test_array_statements_are_nests(tmp_path: Path) -> None:
    """Of fields; of vectors of few elements they are the work of a point. A number of components
    that a refusal names is tried."""
    (tmp_path / "fields.f90").write_text(
        """\
subroutine fields(nx, ny, u, du, small)
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: u(nx, ny), small(3)
  real(8), intent(in) :: du(nx, ny)
  u = u + 0.5d0*du
  small = 2*small
  where (u > 1) u = 1
end subroutine fields
subroutine turned(nx, ny, u)
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: u(nx, ny)
  u(2:nx - 1, :) = u(1:nx - 2, :) + u(3:nx, :)
  u(:, 1) = 0
end subroutine turned
subroutine waves(meqn, nx, q, f)
  integer, intent(in) :: meqn, nx
  real(8), intent(in) :: q(meqn, nx)
  real(8), intent(inout) :: f(nx, meqn)
  real(8) :: s
  integer :: i, m
  do i = 1, nx
    s = 0
    do m = 1, meqn
      s = s + q(m, i)
      if (s > 1) exit
      f(i, m) = s
    end do
  end do
end subroutine waves
"""
    )
    rows = {row.found.name: row.found for row in survey([tmp_path], processes=1).rows}
    assert [nest.lines for nest in rows["fields"].nests] == [(5, 5), (7, 7)]
    assert rows["fields"].how == "nests"
    assert rows["turned"].how == "part"
    refusal = rows["turned"].refusal
    assert refusal is not None and refusal.place.line == 12
    assert "another array" in refusal.change
    assert rows["waves"].fixed == {"meqn": 10} and rows["waves"].translates


def test_what_cannot_be_read_is_a_line_of_the_report(surveyed: Survey, tree: Path) -> None:
    assert surveyed.unreadable == {
        str(tree / "a/object.f90"): "it is no text",
        str(tree / "a/gone.f90"): "No such file or directory",
    }
    text = report.text(surveyed)
    assert "files that cannot be read: 2" in text and "a/object.f90: it is no text" in text


SAID = """
subroutine warns(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  y = helper(x)
contains
  real(8) function helper(x)
    real(8), intent(in) :: x
    helper = 2*x
    if (x < 0) print *, 'negative', x
  end function
end subroutine
subroutine stops(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  y = sqrt(x)
  if (x < 0) call fatal('negative')
end subroutine
subroutine fatal(text)
  character(*), intent(in) :: text
  print *, text
  stop 1
end subroutine
subroutine neither(x, y, m)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  character(8), intent(inout) :: m
  y = x
  if (m(1:1) > 'a') y = 2*x
  if (x > 1) print *, x
end subroutine
subroutine prints(x)
  real(8), intent(in) :: x
  print *, x
end subroutine
"""


def test_output_and_ends_of_the_run_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "said.f90").write_text(SAID)
    told = tmp_path / "told.json"
    command = ["port", "--survey", str(tmp_path), "--machine", "none", "--json", str(told)]
    assert main([*command, "-j", "1"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "of these 2 take --drop-output (said), 1 take --errors status (said), as" in said
    rows = {row["name"]: row for row in json.loads(told.read_text())["procedures"]}
    assert rows["warns"]["said"] == ["--drop-output"] == rows["helper"]["said"]
    assert rows["warns"]["as"] == "point" and not rows["warns"]["io"] and rows["helper"]["io"]
    assert rows["warns"]["refusal"] is None
    assert rows["stops"]["said"] == ["--errors status"]
    # What does nothing but write or stop; where it does not help, the reason is the first.
    for name, why in (("fatal", "print"), ("neither", "character m"), ("prints", "print")):
        assert not rows[name]["translates"] and rows[name]["said"] == []
        assert rows[name]["refusal"]["construct"] == why
    for name, words in (("warns", ["--drop-output"]), ("stops", ["--errors", "status"])):
        out = str(tmp_path / name)
        assert main(["port", f"{tmp_path}/said.f90::{name}", "-o", out, *words]) == 0


def test_conditions_of_the_preprocessor_are_taken(tree: Path) -> None:
    with_io = survey(
        [tree / "a/condition.F90"], processes=1, options=Options(defines=("WITH_IO",))
    )
    assert found(with_io, "stated").io and not found(with_io, "stated").translates


def test_processes_find_the_same(surveyed: Survey, tree: Path) -> None:
    other = survey([tree], processes=2)
    assert [row.found for row in other.rows] == [row.found for row in surveyed.rows]
    assert other.unreadable == surveyed.unreadable


def test_of_two_modules_of_a_name_the_nearest_is_taken_and_named(tmp_path: Path) -> None:
    for folder, n in (("one", 3), ("two", 5)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "size.f90").write_text(
            f"module size_of\n  integer, parameter :: n = {n}\nend module\n"
        )
        (tmp_path / folder / "use.f90").write_text(
            f"subroutine {folder}(x)\n  use size_of\n  real(8), intent(inout) :: x(n)\n"
            "  x = 2*x\nend subroutine\n"
        )
    both = survey([tmp_path], processes=1)
    assert list(both.twice) == ["size_of"] and len(both.twice["size_of"]) == 2
    bytes_read = {
        row.found.name: row.found.work.read for row in both.rows if row.found.work is not None
    }
    assert bytes_read == {"one": 24, "two": 40}
    assert "size_of: one/size.f90, two/size.f90" in report.text(both)


def test_procedures_of_an_included_file_count_once(tmp_path: Path) -> None:
    """They stand where they are included; a file whose include is left out stands alone."""
    one = "real(8) function {0}(x)\nreal(8), intent(in) :: x\n{0} = {1}*x\nend function\n"
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "cubes.f90").write_text(one.format("cube", "two*x*x"))
    (parts / "left.f90").write_text(one.format("left", "2"))
    (parts / "alone.f90").write_text(one.format("alone", "3"))
    (tmp_path / "all.F90").write_text(
        "module all\nreal(8) :: two = 2\ncontains\ninclude 'parts/cubes.f90'\n"
        '#ifdef NEVER\n#include "parts/left.f90"\n#endif\nend module\n'
    )
    rows = survey([tmp_path], processes=1).rows
    found = sorted((Path(row.found.source).name, row.found.path) for row in rows)
    assert found == [("all.F90", "all::cube"), ("alone.f90", "alone"), ("left.f90", "left")]
    assert all(row.found.translates for row in rows)


def test_sources_besides_the_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Modules and procedures of -I folders and of --more; nothing of them is surveyed itself."""
    for name in ("src", "lib", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "src" / "main.f90").write_text(
        "subroutine mine(x, y)\n  use numbers, only: factor\n  real(8), intent(in) :: x\n"
        "  real(8), intent(out) :: y\n  include 'more.inc'\n  real(8), external :: square\n"
        "  y = factor*square(x)*two\nend subroutine mine\n"
    )
    (tmp_path / "lib" / "numbers.f90").write_text(
        "module numbers\n  real(8), parameter :: factor = 3d0\nend module numbers\n"
        "subroutine theirs\n  stop\nend subroutine theirs\n"
    )
    (tmp_path / "lib" / "more.inc").write_text("  real(8), parameter :: two = 2d0\n")
    square = tmp_path / "other" / "square.f90"
    square.write_text("real(8) function square(x)\n  real(8), intent(in) :: x\n  square = x*x\n"
                      "end function square\n")  # fmt: skip
    words = ["port", "--survey", str(tmp_path / "src"), "--machine", "none", "-j", "1", "--json"]
    for more, how in (
        ([], "no"), (["-I", "lib"], "no"), (["--more", "other/square.f90"], "no"),
        (["-I", "lib", "--more", "other/square.f90"], "point"),
        (["-I", "lib", "-I", "other"], "point"),
    ):  # fmt: skip
        given = [str(tmp_path / w) if "/" in w or w in ("lib", "other") else w for w in more]
        assert main([*words, *given]) == 0
        [row] = json.loads(capsys.readouterr().out)["procedures"]
        assert (row["name"], row["as"]) == ("mine", how), (more, row["refusal"])
    assert main([*words, "-I", str(tmp_path / "none")]) == 2
    assert "-I: got" in capsys.readouterr().err
    assert main([*words, "--more", str(tmp_path / "none.f90")]) == 2
    assert "--more: got" in capsys.readouterr().err


def test_a_procedure_that_takes_too_long_is_refused(tmp_path: Path) -> None:
    """Long enough that the clock of the processor, which has ticks of some milliseconds, rings."""
    lines = [f"  x = x + sin({n}d0*x)*exp(-x*x)" for n in range(2000)]
    head = ["subroutine slow(x)", "  real(8), intent(inout) :: x"]
    (tmp_path / "slow.f90").write_text("\n".join([*head, *lines, "end subroutine slow", ""]))
    refusal = found(survey([tmp_path], processes=1, options=Options(seconds=1e-6)), "slow").refusal
    assert refusal is not None and refusal.construct == "time"


# ---- Profile --------------------------------------------------------------------------------


def csv(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "profile.csv"
    path.write_text(text)
    return path


def test_a_profile_ranks(tree: Path, tmp_path: Path) -> None:
    path = csv(
        tmp_path,
        "routine,seconds\n__eos_MOD_update,6\nflux_,3\nother::density,0.5\nmpi_wait,0.5\n",
    )
    one = survey([tree], processes=1, profile=Profile.read(path), figures=figures())
    shares = {row.found.name: row.share for row in one.rows if row.share is not None}
    assert shares == {"update": pytest.approx(0.6), "flux": pytest.approx(0.3)}
    assert [row.found.name for row in report.ranked(one.rows)][:2] == ["update", "flux"]
    text = report.text(one, 80)
    assert "90 % of 10 s is in procedures that translate" in text
    ported = [row for row in one.rows if row.share is not None]
    cpu = [(row.share or 0.0, row.gains.cpu) for row in ported if row.gains is not None]
    low = 0.1 + sum(share / found.low for share, found in cpu)
    high = 0.1 + sum(share / found.high for share, found in cpu)
    assert len(cpu) == 2
    assert f"ported on the CPU: {Range(1 / low, 1 / high).text()} faster" in text
    assert "not in the tree: mpi_wait 0.5 s" in text
    lines = [line for line in text.splitlines() if not line.startswith("  bridge port ")]
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize(
    ("text", "got"),
    [("a,b\nc,d\n", "c,d"), ("a,-1\n", "a,-1"), ("alone\n", "alone"), ("", "profile.csv")],
)
def test_a_profile_that_is_none_is_refused(tmp_path: Path, text: str, got: str) -> None:
    with pytest.raises(ArgumentError, match="--profile") as error:
        Profile.read(csv(tmp_path, text))
    assert got in str(error.value)


# ---- Report and command -------------------------------------------------------------------------


def test_reasons_of_a_kind_count_together() -> None:
    place = Place("a.f90", 1)
    kinds = {
        general(Refusal(place, f"call of {name}", "its source is not given"))
        for name in ("mpi_send", "nf90_open")
    }
    assert kinds == {"call of ...: its source is not given"}
    why = "kernels have real, integer and logical values"
    assert general(Refusal(place, "character name", why)) == f"character ...: {why}"
    assert general(Refusal(place, "goto 10", "")) == general(Refusal(place, "goto 200", ""))


def test_json_has_all(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "survey.json"
    assert (
        main(["port", "--survey", str(tree), "--json", str(path), "--machine", "none", "-j", "1"])
        == 0
    )
    text = capsys.readouterr().out
    assert "no estimate of gains" in text and "8 procedures, 7 of them without I/O" in text
    told: dict[str, Any] = json.loads(path.read_text())
    one = next(row for row in told["procedures"] if row["name"] == "density")
    assert one["as"] == "point" and one["work"]["read"] == 16 and one["gain"] is None
    assert one["file"] == str(tree / "a/eos.f90") and one["line"] == 6
    assert {reason["count"] for reason in told["reasons"]} == {1}
    assert set(told["unreadable"]) == {str(tree / "a/object.f90"), str(tree / "a/gone.f90")}


def test_each_nest_has_its_command(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the text and in the JSON, whole: as it is given to the shell."""
    monkeypatch.chdir(tmp_path)
    Path("more.f90").write_text("""\
subroutine several(n, m, nk, a, b, c)
  integer, intent(in) :: n, m, nk
  real(8), intent(inout) :: a(n, nk), b(n), c(m)
  real(8) :: s
  integer :: i, k
  do i = 1, n
    s = 0
    do k = 1, nk
      if (a(i, k) < 0) exit
      s = s + a(i, k)
    end do
    b(i) = s
  end do
  if (m > 2) then
    b(:) = 2*b
  end if
  print *, c(1)
end subroutine several
""")
    given = ["port", "--survey", str(tree), "more.f90", "--machine", "none", "--value", "m=3"]
    assert main([*given, "--json", "all.json"]) == 0
    told = capsys.readouterr().out
    lines = told[told.index("loop nests (") :].split("\n\n")[0].splitlines()
    commands = dict(zip(lines[1::2], lines[2::2], strict=True))
    assert "several, lines 6-13" in commands and "several, line 15" in commands
    assert any(name.startswith("update, lines ") for name in commands)
    assert "numbers of --value" in lines[0]
    rows = json.loads(Path("all.json").read_text())["procedures"]
    kept = {row["command"] for row in rows} | {n["command"] for row in rows for n in row["nests"]}
    assert kept - {""} == {one.strip() for one in commands.values()}
    for one in commands.values():
        assert main(shlex.split(one)[1:]) == 0, one
        assert ("nk=" in one) == ("more.f90:6-13" in one) and ("m=3" in one) == ("more" in one)


def test_the_width_that_reads_more_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not of numbers in columns 73 to 80; of lines that are cut to whole statements as well."""
    head = "      subroutine s{}(n, a, b)\n      integer n, i\n      real(8) a(n), b(n)\n"
    texts = {
        "broken": f"      {'a(1) = b(1)*(2':66} + 3*b(1))",
        "cut": f"      {'a(1) = b(1)':80}+ b(2)",
        "long": f"      a(1) = b(1){' + b(1)*b(1)' * 15}", "plain": "      a(1) = b(1)",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / f"{name}.f").write_text(f"{head.format(name)}{text}\n      end\n")
    lines = (head.format("cards") + texts["plain"] + "\n      end").splitlines()
    cards = "".join(f"{one:72}ABC{n:05}\n" for n, one in enumerate(lines))
    (tmp_path / "cards.f").write_text(cards)
    assert main(["port", "--survey", str(tmp_path), "--machine", "none"]) == 0
    told = capsys.readouterr().out
    assert "which --width 132 reads (2):\n  broken.f, cut.f\n" in told
    assert "which --width 0 reads (1):\n  long.f\n" in told
    assert main(["port", "--survey", str(tmp_path), "--machine", "none", "--width", "0"]) == 0
    assert "behind the last column of" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nowhere"], "survey"),
        (["."], "survey"),
        (["a.f90", "-j", "0"], "-j"),
        (["a.f90", "--seconds", "0"], "--seconds"),
        (["a.f90", "--link", "-1"], "--link"),
        (["a.f90", "--machine", "absent.json"], "--machine"),
        (["a.f90", "--machine", "none", "--json", "no/where.json"], "--json"),
        (["a.f90", "-o", "pack"], "--survey"),
    ],
)
def test_wrong_calls_are_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    named: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if arguments[0] == "a.f90":
        (tmp_path / "a.f90").write_text(KINDS)
    machine = [] if "--machine" in arguments else ["--machine", "none"]
    assert main(["port", "--survey", *arguments, *machine]) == 2
    assert named in capsys.readouterr().err


BASE = """\
module base
  implicit none
  type :: fluid
    real(8) :: r = 2.0d0
  contains
    procedure :: density => fluid_density
    procedure :: volume
  end type
contains
  real(8) function fluid_density(this, p)
    class(fluid), intent(in) :: this
    real(8), intent(in) :: p
    fluid_density = p/this%r
  end function
  real(8) function volume(this, p)
    class(fluid), intent(in) :: this
    real(8), intent(in) :: p
    volume = 1/this%density(p)
  end function
end module
"""
CHILD = """\
module child
  use base
  implicit none
  type, extends(fluid) :: gas
  contains
    procedure :: density => gas_density
  end type
contains
  real(8) function gas_density(this, p)
    class(gas), intent(in) :: this
    real(8), intent(in) :: p
    gas_density = 2*this%fluid%density(p)
  end function
end module
"""


def test_types_of_other_files_that_extend_one_are_seen(tmp_path: Path) -> None:
    """Alone, what the type binds is known; beside another extension the survey says it."""
    (tmp_path / "base.f90").write_text(BASE)
    alone = {row.found.name: row.found.how for row in survey([tmp_path], processes=1).rows}
    assert alone == {"fluid_density": "point", "volume": "point"}
    (tmp_path / "child.f90").write_text(CHILD)
    found = {row.found.name: row.found for row in survey([tmp_path], processes=1).rows}
    assert found["gas_density"].how == found["fluid_density"].how == "point"
    assert found["volume"].how == "point" and found["volume"].types == {"this": "fluid"}
    assert alone and found["gas_density"].types == {}


PROCEDURES = """
module roots
  implicit none
  type :: finder
    procedure(func), pointer, nopass :: f => null()
  end type
  abstract interface
    real(8) function func(x)
      real(8), intent(in) :: x
    end function
    real(8) function other(x, n)
      real(8), intent(in) :: x
      integer, intent(in) :: n
    end function
  end interface
contains
  subroutine step(f, x)
    procedure(func) :: f
    real(8), intent(inout) :: x
    x = x - f(x)
  end subroutine
  subroutine shifted(g, x)
    procedure(other) :: g
    real(8), intent(inout) :: x
    x = x - g(x, 2)
  end subroutine
  subroutine found(me, x)
    type(finder), intent(in) :: me
    real(8), intent(inout) :: x
    x = x - me%f(x)
  end subroutine
  real(8) function never_passed(x)
    real(8), intent(in) :: x
    never_passed = x
  end function
  real(8) function passed(x)
    real(8), intent(in) :: x
    passed = 2*x
  end function
  subroutine passes(x)
    real(8), intent(inout) :: x
    call step(passed, x)
  end subroutine
end module
"""


def test_procedures_of_the_sources_are_tried(tmp_path: Path) -> None:
    file = tmp_path / "roots.f90"
    file.write_text(PROCEDURES)
    done = survey([file], processes=1)
    found = {row.found.name: row.found for row in done.rows}
    assert found["step"].procedures == {"f": "roots::passed"}
    assert found["found"].procedures == {"me%f": "roots::passed"}
    assert found["shifted"].how == "no" and found["shifted"].stand_in
    assert not found["step"].stand_in and not found["passes"].procedures
    summary = report.text(done)
    assert "2 take --procedure, the first of the sources that does" in summary
    assert "not among them: 1 would translate with --procedure" in summary
    rows = {row["name"]: row for row in content(done)["procedures"]}
    assert rows["shifted"]["needs_procedure"] and not rows["shifted"]["translates"]


TABLES = """
module tables
contains
  real(8) function between(k, i, j, f)
    real(8), intent(in) :: k(:, :), f
    integer, intent(in) :: i, j
    between = (1 - f)*k(i, j) + f*k(min(i + 1, size(k, 1)), j)
  end function
  real(8) function largest(k)
    real(8), intent(in) :: k(:, :)
    largest = maxval(k)
  end function
  real(8) function of_row(k, i)
    real(8), intent(in) :: k(:, :)
    integer, intent(in) :: i
    of_row = sum(k(:, i))
  end function
  subroutine handed_on(k, x)
    real(8), intent(in) :: k(:, :)
    real(8), intent(out) :: x
    x = largest(k)
  end subroutine
  real(8) function passed_on(k, i)
    real(8), intent(in) :: k(:, :)
    integer, intent(in) :: i
    passed_on = first_of(k(:, i))
  end function
  real(8) function first_of(row)
    real(8), intent(in) :: row(:)
    first_of = row(1)
  end function
  subroutine filled(k, i)
    real(8), intent(inout) :: k(:, :)
    integer, intent(in) :: i
    k(i, 1) = 2*k(i, 2)
  end subroutine
  subroutine one_call(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = last(n, x)
  end subroutine
  real(8) function last(m, x)
    integer, intent(in) :: m
    real(8), intent(in) :: x
    real(8) :: w(0:m)
    integer :: i
    w(0) = x
    do i = 1, m
      w(i) = w(i - 1)*x + i
    end do
    last = w(m)
  end function
end module
"""


def test_tables_are_taken_as_small_and_fields_are_not(tmp_path: Path) -> None:
    """A procedure without loops that reads single elements; a size of what it calls."""
    (tmp_path / "tables.f90").write_text(TABLES)
    done = survey([tmp_path], processes=1)
    between = found(done, "between")
    assert (between.how, between.shapes) == ("column", {"k": [4, 4]})
    for name in ("largest", "of_row", "handed_on", "passed_on", "filled"):
        assert found(done, name).how != "column", name
    assert (found(done, "one_call").how, found(done, "one_call").fixed) == ("column", {"n": 10})
