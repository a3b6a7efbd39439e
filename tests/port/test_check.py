"""`bridge port --check`: originals against kernels, and kernels that were broken by hand."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hosts import TIME_LIMIT

import bridge
from bridge import cli
from bridge.plan import packs, verified
from bridge_port.check import nests, procedures
from bridge_port.check.command import of_the_compiler
from bridge_port.check.nestprograms import Run, Values
from bridge_port.check.nests import NestCheck
from bridge_port.check.nesttext import Nest
from bridge_port.check.procedures import Asked
from bridge_port.refusal import Refused
from bridge_port.request import Request

ISA = ("--isa", "v2")
pytestmark = pytest.mark.fortran


def check(place: Path, *words: str, pack: str = "own") -> int:
    return cli.main(["port", "--check", str(place / pack), "--limit", "5", *words])


def found(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    told = json.loads(capsys.readouterr().out)
    return {one["kernel"]: one for one in told["kernels"]}


def state(place: Path, name: str) -> str:
    return verified.states(found=[packs.Pack.read(place / "own", "here")])[name]


def test_what_is_the_same_is_verified(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert state(place, "own_smooth") == "unverified: not checked"
    assert check(place, *ISA) == 0
    said = capsys.readouterr().out
    assert "7 of 7 verified on v2" in said
    assert "where the original reads a variable that has no value" in said  # sometimes
    assert "does not end on" in said and "own_x = nan" in said  # cube_root of NaN
    for name in ("sound_speed", "cube_root", "pick", "smooth", "largest", "recur"):
        assert state(place, f"own_{name}") == "verified v2"
    assert cli.main(["kernels"]) == 0
    told = capsys.readouterr().out
    assert "verified v2" in told

    header = place / "own" / "own_smooth.h"
    header.write_text(header.read_text() + "\n// looked at\n")
    assert state(place, "own_smooth") == "unverified: header changed"
    source = place / "flow.f90"
    source.write_text(source.read_text().replace("0.25d0 *", "0.5d0 *"))
    assert state(place, "own_recur") == "unverified: flow.f90 has changed"
    assert state(place, "own_largest") == "verified v2"


def test_all_instruction_sets_and_recorded_states(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port = ["port", f"{place}/gas.f90::cube_root", "-o", str(place / "all")]
    assert cli.main(port) == 0  # a pack of its own: one kernel to compile
    capsys.readouterr()
    rows = np.random.default_rng(1).uniform(2.0, 9.0, (40, 1))
    np.savez(
        place / "run.0.npz", place=np.zeros((40, 5), np.int64), allow_pickle=False,
        **{
            "input/all_x": rows, "input/all_y": rows / 2, "range/all_x": np.array([[2.0, 9.0]]),
            "range/all_y": np.array([[1.0, 4.5]]),
        },
    )  # fmt: skip
    words = ("--points", "99", "--states", str(place / "run.0.npz"), "--json")
    assert check(place, *words, pack="all") == 0
    one = found(capsys)["all_cube_root"]
    assert one["points"] == 139 and "40 of the states are recorded ones" in one["notes"]
    names = [machine["name"] for machine in one["machines"]]
    assert names[0] == "v2" and all(machine["passed"] for machine in one["machines"])
    assert set(verified.read(place / "all")[0].verified) == set(names)


def test_recorded_ranges_of_a_nest(tmp_path: Path) -> None:
    """Of each component; random numbers of a check lie in them, and an original that gives NaN
    elsewhere says something. Ranges that the user gives go before them."""
    source = Path(__file__).parent / "checked" / "flow.f90"
    np.savez(
        tmp_path / "waves.0.npz", place=np.zeros((1, 5), np.int64), allow_pickle=False,
        **{"range/p_u": np.array([[7.0, 9.0], [100.0, 200.0]]),
           "range/p_r": np.array([[np.nan, np.nan]])},
    )  # fmt: skip
    np.savez(tmp_path / "waves.1.npz", allow_pickle=False,
             **{"range/p_u": np.array([[8.0, 9.5], [50.0, 90.0]])})  # fmt: skip
    request = Request(f"{source}@waves", prefix="p_")
    ported = request.ported()
    files = tuple(str(tmp_path / f"waves.{n}.npz") for n in (0, 1))
    for ranges, r in (({}, (0.5, 2.0)), ({"r": (-8.0, -7.0)}, (-8.0, -7.0))):
        asked = Asked(tmp_path, tmp_path, 9, "-O2", ("v2",), ranges, files)
        nest = NestCheck(asked, request, ported, tmp_path / "work")
        assert "ranges of the recordings: u" in nest.result.notes
        program = nest.programs.original("base", "-O1")
        sizes = nest.sizes()
        assert sizes
        [dump] = nest.programs.dumps(program, [Run(sizes[0], 3, 0, Values(0.5, 2.0))])
        number = {name: n for n, name in enumerate(nest.nest.variables, 1)}
        u = dump.before[number["u"]].reshape(2, -1, order="F")
        low, high = u.min(axis=1), u.max(axis=1)
        assert low[0] >= 7.0 and 8.0 < high[0] <= 9.5 and low[1] >= 50.0 and high[1] > 100.0
        own = dump.before[number["r"]]
        assert own.min() >= r[0] and own.max() <= r[1]
        assert np.isfinite(dump.after[number["r"]]).all()


def test_what_no_run_changes_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An array of a nest that the original leaves as it is in every run of the check."""
    source = tmp_path / "rare.f90"
    source.write_text("""\
subroutine rare(n, u, w, hit)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: u(n), w(n), hit
  integer :: i
  do i = 1, n
    u(i) = 2d0*u(i) + 1d0
    if (abs(u(i)) > 1d250 .and. abs(u(i)) < 1d251) then
      w(i) = u(i)
      hit = max(hit, u(i))
    end if
  end do
end subroutine rare
""")
    assert cli.main(["port", f"{source}:6-12", "-o", str(tmp_path / "own")]) == 0
    assert check(tmp_path, *ISA) == 0
    said = capsys.readouterr().out
    for name in ("w", "hit"):
        assert f"  {name} is not compared: in these runs the original leaves it as it is" in said
    assert "  u is not compared" not in said and "v2   u " in said


def test_arrays_whose_shapes_only_a_run_knows(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Array statements on allocatable arrays, logicals, assumed size, objects that are only read;
    what may lie behind the end of an array is refused."""
    source = Path(__file__).parent / "checked" / "shapes.f90"
    text = source.read_text().splitlines()

    def lines(first: str, last: str) -> str:
        numbers = [n for n, line in enumerate(text, 1) if line.strip() in (first, last)]
        return f"{source}:{numbers[0]}-{numbers[-1]}"

    pack = str(place / "shapes")
    advance = lines("ux(:, :) = ux + dt*f", "any_cloud = any(thick)")
    assert cli.main(["port", advance, "-o", pack]) == 0
    for name in ("lines", "weighted", "enough"):
        assert cli.main(["port", f"{source}@{name}", "-o", pack]) == 0
    said = capsys.readouterr().out
    # Of what stands as a whole alone no lower bound is asked.
    assert "bind_shapes_advance_17(n, f, thick, cloudy, t%p, ux, w, lbound(w, 1))" in said
    assert "real(8), target :: x(n + 1)" in (place / "shapes/shapes_lines_bridge.f90").read_text()
    assert check(place, *ISA, "--json", pack="shapes") == 0
    kernels = found(capsys)
    assert len(kernels) == 4
    for one in kernels.values():
        [machine] = one["machines"]
        names = {output["name"] for output in machine["outputs"]}
        assert names in ({"ux", "p", "thick", "w", "cloudy", "any_cloud"}, {"y", "s", "many"},
                         {"y"}, {"good"})  # fmt: skip
    assert cli.main(["port", f"{source}@beyond", "-o", pack]) == 1
    assert "may lie behind its end" in capsys.readouterr().err
    # A whole allocatable array keeps its shape: bind_ asks for it.
    assert cli.main(["port", f"{source}@renewed", "-o", pack]) == 0
    module = (place / "shapes/shapes_renewed_bridge.f90").read_text()
    assert "call bridge_alike('bind_shapes_renewed: ux', shape(ux), 'f'" in module


def test_cancellation_inside_of_the_original(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Last digits of x move nothing, another rounding of cos does: the kernel may be as far off.
    What is a thousand times further is wrong."""
    pack = str(place / "left")
    assert cli.main(["port", f"{place}/gas.f90::remainder", "-o", pack]) == 0
    assert cli.main(["port", f"{place}/flow.f90@remains", "-o", pack]) == 0
    monkeypatch.setenv("BRIDGE_CACHE", str(place / "cache"))
    words = ["port", "--check", pack, "--json", "--isa", "v2"]
    words += ["--range", "x=1e-2,2e-2", "u=1e-2,2e-2"]
    capsys.readouterr()

    def run() -> dict[str, dict[str, Any]]:
        cli.main(words)
        return found(capsys)

    told = run()
    assert [one["passed"] for one in told.values()] == [True, True], told
    compared = [o["compared"] for one in told.values() for o in one["machines"][0]["outputs"]]
    assert min(compared) > 20 and all(not one["jumps"] for one in told.values())
    with monkeypatch.context() as without:
        without.setattr(procedures, "DIRECTIONS", ())
        without.setattr(nests, "TURNED", ())
        assert not run()["left_remainder"]["passed"]
    for file in ("left_remainder.h", "left_remains.h"):
        header = place / "left" / file
        text = header.read_text()
        assert "cos(" in text
        header.write_text(text.replace("cos(", "(1.0 + 1e-12) * cos(", 1))
    assert not any(one["passed"] for one in run().values())


def test_a_module_variable_of_one_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The original has the value that the user says, whatever its module begins with: memory is
    given to a pointer."""
    source = tmp_path / "levels.f90"
    source.write_text("""\
module sizes
  integer, pointer :: levels
end module sizes
module layers
  use sizes
contains
  subroutine closed(top)
    real(8), intent(inout) :: top(0:levels)
    top(levels) = 2*top(0)
  end subroutine closed
end module layers
""")
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    pack = str(tmp_path / "own")
    assert cli.main(["port", f"{source}::closed", "--value", "levels=4", "-o", pack]) == 0
    capsys.readouterr()
    assert cli.main(["port", "--check", pack, "--json", *ISA]) == 0, capsys.readouterr().out
    [output] = found(capsys)["own_closed"]["machines"][0]["outputs"]
    assert output["compared"] > 500


def test_other_kinds_of_integers_and_logicals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are filled, they may be bounds, and the module has positions of kind 4. The lines that
    are given may begin in front of the first statement."""
    (tmp_path / "kinds.f90").write_text("""\
module kinds
  integer(8) :: from = -1
contains
  subroutine steps(n, on, some, few, b)
    integer(8), intent(in) :: n
    logical(1), intent(in) :: on
    integer(2), intent(in) :: some
    integer(1), intent(in) :: few
    real(8), intent(inout) :: b(n)
    integer(8) :: i
    do i = from, n
      if (on) b(i) = 2*b(i) + some
      b(i) = b(i) + few
    end do
  end subroutine steps
end module kinds
""")
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    pack = str(tmp_path / "own")
    assert cli.main(["port", f"{tmp_path}/kinds.f90:5-14", "-o", pack]) == 0
    capsys.readouterr()
    assert cli.main(["port", "--check", pack, "--json", *ISA]) == 0, capsys.readouterr().out
    [one] = found(capsys).values()
    [output] = one["machines"][0]["outputs"]
    assert output["compared"] > 0 and one["nans"] == 0  # how many: by the sizes that are found


def edit(place: Path, file: str, old: str, new: str) -> None:
    path = place / "own" / file
    text = path.read_text()
    assert old in text, text
    path.write_text(text.replace(old, new))


def test_what_the_text_names_is_filled(tmp_path: Path) -> None:
    """Also what a port does not read: one that has lost an input must not meet zeros there."""
    source = tmp_path / "lost.f90"
    source.write_text("""\
subroutine lost(n, m, a, b, c)
  integer :: n, m, i, j
  real(8) :: a(n, m), b(m), c(n, m), t
!$bridge begin lost
  do j = 1, m
    t = b(j)
    do i = 1, n
      a(i, j) = c(i, j)
    end do
  end do
!$bridge end
end subroutine
""")
    nest = Nest.of(Request(f"{source}@lost").ported(), {})
    assert (sorted(nest.sizes), sorted(nest.variables)) == (["m", "n"], ["a", "c"])
    assert sorted(nest.read) == ["b", "t"]
    _, text, _ = nest.unit_text(kernel=False)
    before, _, after = text.partition("do j = 1, m")
    for name in ("b", "t"):
        assert f", {name})" in before and f", {name})" not in after
    assert nest.filled == [*nest.variables, *nest.read]


def test_functions_without_implicit_none_are_no_variables(tmp_path: Path) -> None:
    source = tmp_path / "implicit.f"
    source.write_text("""\
      SUBROUTINE LEAST(N, A, T)
      DOUBLE PRECISION A(N), T
C$BRIDGE BEGIN LEAST
      DO 10 I = 1, N
        T = MIN(T, SQRT(A(I)) + MOD(N, 3) + A(MAX(I - 1, 1)))
   10 CONTINUE
C$BRIDGE END
      END
""")
    nest = Nest.of(Request(f"{source}@least").ported(), {})
    assert (nest.sizes, nest.variables, nest.read) == (["n"], ["a", "t"], [])


def test_a_variable_that_hides_an_intrinsic_of_the_check(tmp_path: Path) -> None:
    source = tmp_path / "plot.f90"
    source.write_text("""\
module plot
  real :: size = 5
end module
subroutine drawn(n, a)
  use plot
  integer :: n, i
  real(8) :: a(n)
!$bridge begin drawn
  do i = 1, n
    a(i) = 2*a(i)
  end do
!$bridge end
end subroutine
""")
    nest = Nest.of(Request(f"{source}@drawn").ported(), {})
    with pytest.raises(Refused, match="plot.f90:2: variable size: .* hides"):
        nest.unit_text(kernel=False)


def test_modules_of_another_build_lie_beside_the_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are not taken for the modules of the source."""
    old = "module gas\n  integer, parameter :: factor = 3\nend module\n"
    (tmp_path / "old.f90").write_text(old)
    done = ["gfortran", "-c", "-o", "old.o", "old.f90"]
    subprocess.run(done, cwd=tmp_path, check=True, timeout=TIME_LIMIT)
    assert (tmp_path / "gas.mod").is_file()
    source = tmp_path / "gas.f90"
    source.write_text("""\
module gas
contains
  real(8) function twice(x)
    real(8), intent(in) :: x
    twice = 2*x
  end function
end module
""")
    assert cli.main(["port", f"{source}::twice", "-o", str(tmp_path / "own")]) == 0
    assert check(tmp_path, *ISA) == 0
    assert "1 of 1 verified on v2" in capsys.readouterr().out


def test_names_of_one_variable(tmp_path: Path) -> None:
    """gfortran takes a name of associate for memory of its own: where that is not so, a check that
    fails says it."""
    source = tmp_path / "names.f90"
    source.write_text("""\
subroutine names(a, b)
  real(8), intent(in) :: a(5)
  real(8), intent(inout) :: b(5)
  associate (w => b(2:3), q => b(3:4))
    w = q + b(1:2)
    w = w + a(1:2)
  end associate
end subroutine
""")
    [said] = of_the_compiler(Request(f"{source}::names").ported())
    assert said.startswith("names.f90:5: w and b are names of one variable here")


def test_what_was_broken_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(place, "own_sound_speed.h", "level + 1", "level + 2")
    edit(place, "own_cube_root.h", "turns1 < BRIDGE_MOST_TURNS; ++turns1", "turns1 < 2;")
    edit(place, "own_largest.h", "most_max = abs(u)", "most_max = u")
    edit(place, "own_recur.h", "0.25e0", "0.2500001")
    edit(place, "own_smooth_bridge.f90", "eptx=nx - 1 + 1", "eptx=nx + 1")
    assert check(place, *ISA, "--json", "--limit", "3") == 1
    told = found(capsys)
    machine = {name: one["machines"][0] for name, one in told.items()}
    assert {name for name, one in told.items() if one["passed"]} == {"own_pick", "own_sometimes"}

    level = next(o for o in machine["own_sound_speed"]["outputs"] if o["name"] == "own_level")
    assert level["failing"] and level["kernel"][0] == level["original"][0] + 1
    assert set(machine["own_sound_speed"]["states"]) == {"own_p", "own_rho", "own_n"}
    others = [o for o in machine["own_sound_speed"]["outputs"] if o["name"] != "own_level"]
    assert not any(o["failing"] for o in others)
    assert "own_cube_root does not end on the extreme state" in machine["own_cube_root"]["failure"]
    assert "own_x = [nan]" in machine["own_cube_root"]["failure"]
    total = {o["name"]: o["failing"] for o in machine["own_largest"]["outputs"]}
    assert total["most"] and not total["total"]
    assert machine["own_recur"]["outputs"][0]["failing"]
    assert machine["own_smooth"]["failure"] == "memory that the original leaves is written: r"
    assert told["own_pick"]["passed"]
    assert state(place, "own_recur").startswith("unverified")
    assert state(place, "own_pick") == "verified v2"


def test_states_that_the_original_cannot_take(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Out of bounds: counted where it is seldom, and the fault of the ranges where it is not."""
    words = ("--kernel", "own_pick", "--points", "60", "--json")
    assert check(place, *ISA, *words, "--range", "n=1,5") == 0
    one = found(capsys)["own_pick"]
    assert 0 < one["died"] < 30 and any("steps" in note for note in one["notes"])
    assert check(place, *ISA, *words, "--range", "n=5,90") == 1
    one = found(capsys)["own_pick"]
    assert "less than half" in one["failure"] and "--range" in one["failure"]
    assert state(place, "own_pick").startswith("unverified")


def test_a_compiler_that_crashes(
    place: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = tmp_path / "gfortran"
    broken.write_text("#!/bin/sh\necho 'f951: internal compiler error: Aborted' >&2\nexit 4\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert check(place, *ISA, "--kernel", "own_pick") == 1
    said = capsys.readouterr().out
    assert (
        "gfortran itself crashes on the original (f951: internal compiler error: Aborted)" in said
    )


def test_an_original_that_does_not_compile(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = place / "gas.f90"
    source.write_text(source.read_text().replace("y = steps(n)", "y = steps(n) + unknown_name"))
    assert check(place, *ISA, "--kernel", "own_pick") == 1
    said = capsys.readouterr().out
    assert "not verified" in said and "unknown_name" in said


def test_wrong_calls(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (("--kernel", "none"), "one of own_cube_root"),
        (("--points", "0"), "--points"),
        (("--range", "n=2"), "NAME=LOW,HIGH"),
        (("--range", "presure=1,2"), "--range: got presure, wanted an input of the kernels"),
        (("--kernel", "own_pick", "--range", "rho=1,2"), "(n, own_n)"),
        (("--kernel", "own_pick", "--states", "none.npz"), "none.npz"),
    ):
        assert check(place, *ISA, *words) != 0
        told = capsys.readouterr()
        assert said in told.err + told.out


UNSET = """\
module unset
  implicit none
  type pair
    real(8) :: a, b
  end type
contains
  subroutine given(k, x, y, z, m, l, list, p)
    integer, intent(in) :: k
    real(8), intent(in) :: x
    real(8), intent(out) :: y, z, list(2)
    integer, intent(out) :: m
    logical, intent(out) :: l
    type(pair), intent(out) :: p
    y = 2*x
    list(1) = 3*x
    p%a = x
    if (k /= 1) then
      z = y*y
      m = k
      l = x > 1
      list(2) = x
      p%b = x
    end if
  end subroutine
end module
"""


def test_outputs_without_a_value_are_not_compared_and_all_states_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "unset.f90").write_text(UNSET)
    pack = str(tmp_path / "own")
    assert cli.main(["port", f"{tmp_path}/unset.f90::given", "-o", pack]) == 0
    assert cli.main(["port", "--check", pack, "--points", "203", *ISA]) == 0
    said = capsys.readouterr().out
    counts = dict.fromkeys(("y", "z", "m", "l", "list", "p_a", "p_b"), 0)
    for name, number in re.findall(r"(?m)^  v2 +own_(\w+) +(\d+) compared", said):
        counts[name] += int(number)
    unset: dict[str, int] = {}
    for number, names, why in re.findall(r"(?m)^  (\d+) states(.*) not compared, (.*)$", said):
        for name in re.findall(r"own_(\w+)", names) or counts:
            counts[name] += int(number)
            if "gives none" in why:
                unset[name] = int(number)
    assert set(counts.values()) == {203}, said
    assert unset.keys() == {"z", "m", "l", "p_b"} and set(unset.values()) == {unset["z"]}
    assert re.search(r"\d+ states of own_list compared in part, not where the original", said)


SINGLE = """\
module single
  implicit none
  integer, parameter :: sp = selected_real_kind(6)
  real(sp) :: psi(0:50)
contains
  subroutine fill()
    integer :: i
    real :: x
    do i = 0, 50
      x = (1 + 0.16*i)**0.25
      psi(i) = log(0.5*(1 + x)) - 2*atan(x) + 2*atan(1.0)
    end do
  end subroutine
  subroutine clipped(x, y)
    real(4), intent(in) :: x
    real(4), intent(out) :: y
    y = max(x - 1.1, 0.0) + ((x + 0.1) - x - 0.1)
  end subroutine
  subroutine total(a, s, n)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real, intent(inout) :: s
    integer :: i
    do i = 1, n
      s = s + a(i)*a(i)
    end do
  end subroutine
end module
"""
GENERIC = """\
module generic
  implicit none
  interface twice
    module procedure twice4, twice8
  end interface
contains
  real(4) function twice4(x)
    real(4), intent(in) :: x
    twice4 = 2*x
  end function
  real(8) function twice8(x)
    real(8), intent(in) :: x
    twice8 = 2*x
  end function
end module
"""


def test_real4_that_cancels_is_compared_with_what_its_promotion_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "single.f90"
    file.write_text(SINGLE)
    (tmp_path / "generic.f90").write_text(GENERIC)
    pack = tmp_path / "own"
    assert cli.main(["port", f"{file}:9-12", "--name", "fill", "-o", str(pack)]) == 0
    assert cli.main(["port", f"{file}::clipped", "-o", str(pack)]) == 0
    generic = f"{tmp_path}/generic.f90::twice4"
    assert cli.main(["port", generic, "-o", str(pack)]) == 0
    checked = ["port", "--check", str(pack), "--points", "203", *ISA]
    assert cli.main(checked) == 0
    said = capsys.readouterr().out
    assert said.count("compiled once more with real(8) for its real(4)") == 2
    assert "does not compile with real(8) for its real(4) (Error: Ambiguous" in said
    header = pack / "own_clipped.h"
    header.write_text(header.read_text().replace("at_least", "1.0001 * at_least")
                      .replace("max(", "1.0001 * max("))  # fmt: skip
    assert cli.main([*checked, "--kernel", "own_clipped"]) == 1


def test_the_precision_of_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cancels leaves what it leaves in real(4), and the check says the same."""
    file, pack = tmp_path / "single.f90", tmp_path / "own"
    file.write_text(SINGLE)
    original = ["--precision", "original", "-o", str(pack)]
    assert cli.main(["port", f"{file}:9-12", "--name", "fill", *original]) == 0
    assert cli.main(["port", f"{file}::clipped", *original]) == 0
    assert "promoted" not in capsys.readouterr().out
    assert cli.main(["port", "--check", str(pack), "--points", "203", *ISA]) == 0
    assert "real(8) for its real(4)" not in capsys.readouterr().out
    monkeypatch.setenv("BRIDGE_PACKS", str(pack))
    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA[1])
    x = np.random.default_rng(1).uniform(0.5, 1.5, 100).astype(np.float32)
    found = bridge.evaluate(composite="own_clipped", inputs={"own_x": x})["own_y"]
    tenth = np.float32(0.1)
    wanted = np.maximum(x - np.float32(1.1), np.float32(0.0)) + ((x + tenth) - x - tenth)
    np.testing.assert_array_equal(found, wanted.astype(float))
    assert np.any(wanted[x < 1.0] != 0.0)
    # what points give to a sum is real(4) as well
    assert cli.main(["port", f"{file}:24-26", "--name", "total", *original]) == 0
    module = (pack / "own_total_bridge.f90").read_text()
    assert re.search(r"real\(c_float\), allocatable.* :: s_sum_of1", module)
    # another precision in the same pack, until nothing else is in it
    assert cli.main(["port", f"{file}::clipped", "-o", str(pack)]) != 0
    said = capsys.readouterr().err
    assert "--precision: got double, wanted original, which the pack has" in said
    other = tmp_path / "other"
    assert cli.main(["port", f"{file}::clipped", "-o", str(other)]) == 0
    assert cli.main(["port", f"{file}::clipped", "--precision=original", "-o", str(other)]) == 0
    text = (other / "catalogue.toml").read_text()
    assert text.startswith("# other") and text.count('precision = "original"') == 1


@pytest.mark.parametrize(
    "statement", ["y = x * 2d0", "if (x > 0.1d0) y = x", "y = dble(x) + x", "y = x * two"]
)
def test_double_precision_in_a_port_of_the_original_one(
    tmp_path: Path, statement: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mixed.f90"
    file.write_text(
        "subroutine mixed(x, y)\n  real, intent(in) :: x\n  real, intent(out) :: y\n"
        f"  real(8), parameter :: two = 2\n  y = 0.0\n  {statement}\nend subroutine\n"
    )
    words = ["port", f"{file}::mixed", "-o", str(tmp_path / "pack")]
    assert cli.main([*words, "--precision", "original"]) == 1
    told = capsys.readouterr().err
    assert "mixed.f90:6: real(8): kernels that keep the precision of their original" in told
    assert cli.main(words) == 0
    assert "--precision original keeps all" in capsys.readouterr().out


def test_intrinsics_of_real4_are_real4(tmp_path: Path) -> None:
    file = tmp_path / "own.f90"
    file.write_text(
        "subroutine own(x, y)\n  use, intrinsic :: ieee_arithmetic\n  real, intent(in) :: x\n"
        "  real, intent(out) :: y\n  y = dim(x, 1.0) + sign(x, -1.0) + merge(x, 0.0, x > 0.0)\n"
        "  y = y + mod(x, 2.0) + atan2(x, 2.0) + x**2 + x**0.5 + max(x, 1.0, y) + real(int(x))\n"
        "  if (x < 0.0) y = ieee_value(y, ieee_quiet_nan)\nend subroutine\n"
    )
    words = ["port", f"{file}::own", "-o", str(tmp_path / "pack"), "--precision", "original"]
    assert cli.main(words) == 0
