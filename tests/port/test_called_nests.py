"""Calls as nests: fields in an array of tiles, loops over points in what is called."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hosts import TIME_LIMIT, bridge_config, bridge_objects, compiler
from packsbuilt import ISA
from sharing import Once

from bridge import cli
from bridge_port.refusal import Refused
from bridge_port.request import Ported, Request

HERE = Path(__file__).parent / "tiles"
#: Comments before the calls.
CALLS = ("forwards", "backwards", "sum", "move", "copy", "plane")
FLAGS = ("-O1", "-w", "-fcheck=bounds", "-ffp-contract=off")
pytestmark = pytest.mark.fortran


def line_of(text: str, comment: str) -> int:
    """The line behind a comment."""
    lines = [n for n, one in enumerate(text.splitlines(), 1) if one.strip() == f"! {comment}"]
    assert len(lines) == 1
    return lines[0] + 1


def request(place: Path, comment: str) -> Request:
    line = line_of((place / "steps.f90").read_text(), comment)
    return Request(f"{place}/steps.f90:{line}", prefix="at_", folders=(str(place),))


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for source in HERE.iterdir():
        shutil.copy(source, tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def made(once: Once) -> Path:
    """A folder with the sources and the pack `at` of all calls."""

    def make(place: Path) -> None:
        for source in HERE.iterdir():
            shutil.copy(source, place)
        for comment in CALLS:
            call = request(place, comment).source
            assert cli.main(["port", call, "-I", str(place), "-o", str(place / "at")]) == 0
        build = ["bridge", "packs", "build", "--folder", "at", "--isa", ISA]
        environment = {**os.environ, "BRIDGE_CACHE": str(place / "cache")}
        done = subprocess.run(build, cwd=place, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return once("port_called_nests", make)


def told(ported: Ported) -> list[str]:
    name = ported.module.name
    return [f"block; use {name}", *(ported.told(e) for e in ("bind", "run", "unbind")),
            "end block"]  # fmt: skip


@pytest.fixture(scope="module")
def programs(made: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The original, and the same with bind, run and unbind in the places of the calls."""
    folder = tmp_path_factory.mktemp("called")
    lines = (made / "steps.f90").read_text().splitlines()
    for comment in reversed(CALLS):
        ported = request(made, comment).ported()
        assert ported.called is not None
        first, last = ported.called.lines
        head = lines[first - 1].partition("call ")[0].strip()  # if (...)
        calls = told(ported)
        lines[first - 1 : last] = [f"{head} then", *calls, "end if"] if head else calls
    (folder / "ported.f90").write_text("\n".join(lines) + "\n")
    main = (made / "main.f90").read_text().replace("!begin", "use bridge")
    main = main.replace("!boot", "call frame_initialize(0, 4096, 0, 0, 0)")
    (folder / "main.f90").write_text(main.replace("!end", "call frame_finalize()"))
    modules = sorted(map(str, (made / "at").glob("*_bridge.f90")))
    gfortran = [compiler("gfortran"), "-g", "-ffree-line-length-none", *FLAGS]
    sources = [str(made / name) for name in ("loops.f90", "relaxed.f")]
    whole = [*gfortran, *sources, str(made / "steps.f90"), str(made / "main.f90")]
    for command in (
        [*whole, "-o", "original"],
        [*gfortran, *bridge_objects("gfortran"), *sources, *modules, "ported.f90", "main.f90",
         *bridge_config("--fflags", "--libs", folder=folder), "-o", "ported"],
    ):  # fmt: skip
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return folder / "original", folder / "ported"


def run(program: Path, made: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BRIDGE_PACKS": str(made / "at"), "OMP_NUM_THREADS": "1",
                   "BRIDGE_CPU_ISA": ISA,
                   "BRIDGE_CACHE": str(made / "cache")}  # fmt: skip
    return subprocess.run([str(program), *words], cwd=program.parent, env=environment,
                          capture_output=True, text=True, timeout=TIME_LIMIT)  # fmt: skip


def values(out: str) -> list[float]:
    words = [one for one in out.split() if re.fullmatch(r"[0-9A-F]{16}", one)]
    return [struct.unpack(">d", bytes.fromhex(one))[0] for one in words]


def test_built_code_with_its_calls_replaced(programs: tuple[Path, Path], made: Path) -> None:
    """Of all tiles, bounds, conditions; what a call gives by keywords, expressions, elements."""
    original, ported = (run(one, made) for one in programs)
    assert original.returncode == 0 and ported.returncode == 0, ported.stderr
    wanted, got = values(original.stdout), values(ported.stdout)
    assert len(wanted) == len(got) > 900
    np.testing.assert_allclose(got, wanted, rtol=1e-13)


def test_built_bind_of_one_array_for_two_dummies(programs: tuple[Path, Path], made: Path) -> None:
    stopped = run(programs[1], made, "shared")
    assert stopped.returncode
    assert "bind_at_relaxed: b and a share memory, and the nest writes one" in stopped.stderr


def test_built_and_checked(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what the loops need is compiled: steps.f90 uses a module that is not given here."""
    shutil.copytree(made, tmp_path / "copy", ignore=shutil.ignore_patterns("cache"))
    steps = tmp_path / "copy" / "steps.f90"
    steps.write_text(steps.read_text().replace("  use tile_loops\n", "  use tile_loops; use no\n"))
    monkeypatch.setenv("BRIDGE_CACHE", str(made / "cache"))
    status = cli.main(["port", "--check", str(tmp_path / "copy" / "at"), "--isa", "v2", "--json"])
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    assert status == 0, kernels
    names = {o["name"] for one in kernels for o in one["machines"][0]["outputs"]}
    assert {"v", "total", "x", "buffer", "b"} <= names and len(kernels) == 5


def test_the_calls_are_told(sources: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ported = request(sources, "backwards").ported()
    tile = "box%tiles(tile)"
    assert ported.told("bind") == (
        f"call bind_at_smoothed({tile}%first, {tile}%last - 1, {tile}%low, {tile}%high - 1, "
        f"{tile}%field%v, {tile}%field%u)"
    )
    assert ported.told("run") == "call run_at_smoothed(dt, .not. predict, strength)"
    # In its own unit it has its own names.
    assert str(ported.call("run")) == "call run_at_smoothed(factor, backwards, strength)"
    pack = sources / "told"
    source = request(sources, "sum").source
    assert cli.main(["port", source, "-I", str(sources), "-o", str(pack)]) == 0
    said = capsys.readouterr().out
    assert "in the place of the call, use told_summed_bridge" in said
    text = (pack / "port.toml").read_text()
    assert f'asked = ["../steps.f90:{source.rpartition(":")[2]}"' in text
    assert 'file = "../loops.f90"' in text and 'file = "../steps.f90"' in text


def test_what_may_be_one_array(sources: Path) -> None:
    """What is only read may; of several arrays each that is written is named."""
    assert "bridge_all_apart" not in request(sources, "sum").ported().module.text
    text = " ".join(request(sources, "copy").ported().module.text.replace("&\n", " ").split())
    assert "['field ', 'buffer'], [.false., .true.], [transfer(c_loc(field)" in text


def test_a_directive_around_a_call_of_fixed_form(sources: Path) -> None:
    ported = Request(f"{sources}/relaxed.f@fixed").ported()
    assert ported.unit.name == "relaxed" and ported.module.name == "fixed_bridge"
    assert ported.told("bind") == "call bind_fixed(n, m, a(1, 1, l), b(1, 1, l))"


#: In `refused`: a call, and what the refusal of it says.
REFUSED = [
    ("call work(n, p, b)", "call work: p, for a, may be passed as a copy, and bind would keep"),
    ("call work(n, open, b)", "call work: open, for a, may be passed as a copy"),
    ("call work(n, c(1:2*n:2), b)", "call work: c.1:2.n:2., for a, may be passed as a copy"),
    ("call work(n, c(order), b)", "call work: c.order., for a, may be passed as a copy"),
    ("call work(n, c(order(:)), b)", "call work: c.order.:.., for a, may be passed as a copy"),
    ("call work(n, 2*c, b)", "call work: 2.c, for a, may be passed as a copy"),
    ("call work(n, (c), b)", "call work: .c., for a, may be passed as a copy"),
    ("call work(n, cells%x, b)", "call work: cells%x, for a, may be passed as a copy"),
    ("call work(n, cells(2)%p, b)", "call work: cells.2.%p, for a, may be passed as a copy"),
    ("call work(n, cells(1:2)%x, b)", "call work: cells.1:2.%x, for a, may be passed as a copy"),
    ("call work(n, many(2, :), b)", "call work: many.2, :., for a, may be passed as a copy"),
    ("call seen(n, 2*c)", "call seen: 2.c, for a, may be passed as a copy"),
    ("call seen(n, c(order))", "call seen: c.order., for a, may be passed as a copy"),
    ("call work(next(n), c, b)", "call work: next.n. would be computed by bind and by run"),
    ("call scaled(n, b)", "call scaled: the caller does not know factor of scaled"),
    ("call maybe(n, b)", "call maybe: it gives nothing for more, which the loops need"),
    ("call held(n, cells)", "call held: the loops need one.2.%x, an element of a dummy"),
    ("call work(n, c, b); call work(n, b, c)", "call work: the lines hold other statements"),
    ("call each(b, n)", "nest: it has no loops, and this is no array statement"),
    ("call doubled(b(1))", "nest: it has no loops, and this is no array statement"),
    ("if (n > 2) call twice(n, c, b)", "call twice: its loops stand in what it calls"),
]
WORKS = """\
module works
  implicit none
  type cell
    real(8) :: x(99)
    real(8), pointer :: p(:)
    real(8) :: y
  end type cell
  real(8), private :: factor = 2
contains
  subroutine work(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 1, n
      b(i) = b(i) + a(i)
    end do
  end subroutine work
  subroutine seen(n, a)
    integer, intent(in) :: n
    real(8) :: a(:)
    integer :: i
    do i = 1, n
      a(i) = 2*a(i)
    end do
  end subroutine seen
  subroutine scaled(n, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 1, n
      b(i) = factor*b(i)
    end do
  end subroutine scaled
  subroutine maybe(n, b, more)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    real(8), intent(in), optional :: more
    integer :: i
    do i = 1, n
      b(i) = more*b(i)
    end do
  end subroutine maybe
  subroutine asked(n, b, more)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    real(8), intent(in), optional :: more
    integer :: i
    do i = 1, n
      b(i) = 2*b(i)
      if (present(more)) b(i) = b(i) + more
    end do
  end subroutine asked
  subroutine held(n, one)
    integer, intent(in) :: n
    type(cell), intent(inout) :: one(0:)
    integer :: i
    do i = 1, n
      one(2)%x(i) = 2
    end do
  end subroutine held
  subroutine twice(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    call work(n, a, b)
    call work(n, b, a)
  end subroutine twice
  elemental subroutine each(x, n)
    real(8), intent(inout) :: x
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      x = x/2
    end do
  end subroutine each
  subroutine doubled(x)
    real(8), intent(inout) :: x
    x = 2*x
  end subroutine doubled
  integer function next(n)
    integer, intent(in) :: n
    next = n + 1
  end function next
end module works
subroutine refused(n, b, open, maybe_there)
  use works, only: asked, cell, work, seen, scaled, maybe, held, twice, doubled, each, next
  integer, intent(in) :: n
  real(8), intent(inout) :: b(n), open(:)
  real(8), intent(in), optional :: maybe_there
  integer :: order(9)
  real(8) :: c(18), many(9, 9), d(9, 9, 2)
  real(8), pointer :: p(:)
  real(8), pointer, contiguous :: q(:)
  type(cell) :: cells(9), one
  CALL
end subroutine refused
"""


def of_call(folder: Path, call: str) -> Ported:
    source = folder / "works.f90"
    source.write_text(WORKS.replace("CALL", call))
    return Request(f"{source}:{1 + WORKS.splitlines().index('  CALL')}").ported()


@pytest.mark.parametrize(("call", "said"), REFUSED)
def test_what_no_bind_can_keep(call: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=said):
        of_call(tmp_path, call)


@pytest.mark.parametrize(
    "given", ["c", "c(n)", "q", "many(:, 2)", "many(3, 2)", "d(:, :, 2)", "cells(n)%x", "one%x(2)",
              "cells(order(n))%x"]
)  # fmt: skip
def test_what_has_no_gaps(given: str, tmp_path: Path) -> None:
    ported = of_call(tmp_path, f"call work(n, {given}, b)")
    assert ported.told("bind") == f"call bind_work(n, {given}, b)"


@pytest.mark.parametrize(
    ("call", "said", "why"),
    [
        ("call asked(n, b, 2d0)", {"more": False}, "it gives more"),
        ("call asked(n, b, c(2))", {"more": False}, "it gives more"),
        ("call asked(n, b)", {"more": True}, "it does not give more"),
        ("call asked(n, b, 2d0)", {"more": True}, ""),
        ("call asked(n, b)", {"more": False}, ""),
        ("call asked(n, b, maybe_there)", {"more": True}, ""),
        ("call asked(n, b, maybe_there)", {"more": False}, ""),
    ],
)
def test_what_is_said_of_optional_arguments_is_what_the_call_gives(
    call: str, said: dict[str, bool], why: str, tmp_path: Path
) -> None:
    source = tmp_path / "works.f90"
    source.write_text(WORKS.replace("CALL", call))
    line = 1 + WORKS.splitlines().index("  CALL")
    request = Request(f"{source}:{line}", presence=said)
    if not why:
        given = {"2d0": "2d0", "maybe_there": "maybe_there"}.get(call[:-1].split(", ")[-1], "")
        told = request.ported().told("run")
        assert told == f"call run_asked({given if said['more'] else ''})"
        return
    with pytest.raises(Refused, match=f"call asked: {why}"):
        request.ported()


def test_sections_whose_gaps_bind_asks_for(tmp_path: Path) -> None:
    ported = of_call(tmp_path, "call seen(n/2, c(1:n:2))")
    assert ported.told("bind") == "call bind_seen(n/2, c(1:n:2))"
    assert "if (.not. is_contiguous(a)) error stop" in ported.module.text


def test_the_loop_around_a_call_says_what_to_port(sources: Path) -> None:
    steps = sources / "steps.f90"
    line = line_of(steps.read_text(), "copy") - 2
    with pytest.raises(Refused) as refused:
        Request(f"{steps}:{line}", folders=(str(sources),)).ported()
    said = refused.value.refusal
    assert said.construct.startswith("component box%tiles(tile)%")
    assert f"port the call of copied alone ({steps}:{line + 2})" in said.change
    with pytest.raises(Refused, match="call copied: its source is not given"):
        text = (sources / "loops.f90").read_text()
        other = sources / "without.f90"
        other.write_text(text[: text.index("module tile_loops")] + steps.read_text().replace(
            "  use tile_loops\n", "  external copied\n"))  # fmt: skip
        here = line_of(other.read_text(), "copy") - 2
        Request(f"{other}:{here}").ported()
