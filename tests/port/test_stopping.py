"""`--errors status` and `--drop-output`: what stops or writes in a procedure of a point."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
from bridge import cli
from bridge.plan import packs

SOURCE = Path(__file__).parent / "checked" / "stops.f90"
STATUS = ("--errors", "status", "--ends", "library_error")


def port(name: str, folder: Path, *words: str) -> int:
    return cli.main(["port", f"{SOURCE}::{name}", "-o", str(folder), *words])


def refusal(name: str, capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> str:
    assert port(name, folder, *words) == 1
    said = capsys.readouterr().err
    assert not folder.exists()
    return said


def line(words: str, after: str = "") -> str:
    text = SOURCE.read_text()
    return f"stops.f90:{text[: text.index(words, text.index(after))].count(chr(10)) + 1}"


def test_a_refusal_names_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal("state", capsys, tmp_path / "own")
    assert (
        f"{line('error stop ' + chr(39) + 'b')}: error stop" in said and "--errors status" in said
    )
    assert f"{line('print *, b is'.replace('b is', chr(39) + 'b is'))}: print" in said
    assert "--drop-output" in refusal("warned", capsys, tmp_path / "own")


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("left_out", STATUS, ".and., .or."),
        ("turns", STATUS, "in the condition of a loop"),
        ("looked_at", ("--drop-output",), ": write"),
        ("asks", ("--drop-output",), ": write"),
        ("calls", ("--drop-output", *STATUS), ": print"),
        ("state", ("--errors", "status"), "library_error: its source is not given"),
    ],
)
def test_what_is_refused_all_the_same(
    name: str, words: tuple[str, ...], said: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert said in refusal(name, capsys, tmp_path / "own", *words)


READ = """
module read_texts
  implicit none
  interface ask
    module procedure ask_one, ask_two
  end interface
  type :: teller
    integer :: n
  contains
    procedure :: tells => tells_it
  end type
contains
  subroutine tell(x, z, m)
    real(8), intent(in) :: x
    real(8), intent(out) :: z
    character(*), intent(inout) :: m
    z = 3*x
    m = 'a'
  end subroutine
  subroutine ask_one(x, m)
    real(8), intent(in) :: x
    character(*), intent(inout) :: m
    m = 'a'
  end subroutine
  subroutine ask_two(n, m)
    integer, intent(in) :: n
    character(*), intent(inout) :: m
    m = 'b'
  end subroutine
  subroutine tells_it(this, m)
    class(teller), intent(in) :: this
    character(*), intent(inout) :: m
    m = 'a'
  end subroutine
  real(8) function gives(x, m)
    real(8), intent(in) :: x
    character(*), intent(inout) :: m
    m = 'a'
    gives = 3*x
  end function
  subroutine by_call(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    character(4) :: m
    m = 'b'
    call tell(x, y, m)
    if (m == 'a') y = 2*x
  end subroutine
  subroutine by_function(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    character(4) :: m
    m = 'b'
    y = gives(x, m)
    if (m == 'a') y = 2*x
  end subroutine
  subroutine by_generic(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    character(4) :: m
    m = 'b'
    y = x
    call ask(x, m)
    if (m == 'a') y = 2*x
  end subroutine
  subroutine by_object(t, x, y)
    type(teller), intent(in) :: t
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    character(4) :: m
    m = 'b'
    y = x
    call t%tells(m)
    if (m == 'a') y = 2*x
  end subroutine
  subroutine by_generic_too(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    character(4) :: m, shown
    call ask_one(x, shown)
    print *, shown
    m = 'b'
    y = x
    call ask(x, m)
    if (m == 'a') y = 2*x
  end subroutine
  subroutine by_object_too(t, x, y)
    class(teller), intent(in) :: t
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    character(4) :: m, shown
    call tells_it(t, shown)
    print *, shown
    m = 'b'
    y = x
    call t%tells(m)
    if (m == 'a') y = 2*x
  end subroutine
  subroutine by_inner_function(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    character(4) :: m
    m = 'b'
    y = doubled(m)
    if (m == 'a') y = y + 1
  contains
    real(8) function doubled(m)
      character(*), intent(inout) :: m
      m = 'a'
      doubled = 2*x
    end function
  end subroutine
  subroutine by_two(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    call between(x, y)
  contains
    subroutine between(x, y)
      real(8), intent(in) :: x
      real(8), intent(out) :: y
      character(4) :: m
      m = 'b'
      call tell(m=m, z=y, x=x)
      if (m == 'a') y = 2*x
    end subroutine
  end subroutine
end module
"""


@pytest.mark.parametrize("name", ["by_call", "by_function", "by_generic", "by_two"])
def test_a_text_that_a_caller_reads_is_not_left_out(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "read.f90"
    source.write_text(READ)
    words = ["port", f"{source}::{name}", "-o", str(tmp_path / "own"), "--drop-output"]
    assert cli.main(words) == 1  # which text m has is not known, with it or without
    said = capsys.readouterr()
    assert "is left out" not in said.out and not (tmp_path / "own").exists()


def test_a_text_that_a_bound_procedure_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is run while the kernel is written: m is 'a'."""
    source = tmp_path / "read.f90"
    source.write_text(READ)
    words = ["port", f"{source}::by_object", "-o", str(tmp_path / "own"), "--drop-output"]
    assert cli.main(words) == 0
    assert "is left out" not in capsys.readouterr().out
    assert "y = 2.0 * x;" in (tmp_path / "own" / "own_by_object.h").read_text()


@pytest.mark.parametrize("name", ["by_generic_too", "by_object_too", "by_inner_function"])
def test_a_text_that_one_call_prints_and_another_one_reads(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "read.f90"
    source.write_text(READ)
    words = ["port", f"{source}::{name}", "-o", str(tmp_path / "own"), "--drop-output"]
    cli.main(words)
    assert "m = ..." not in capsys.readouterr().out


def test_a_procedure_of_which_nothing_is_left(tmp_path: Path) -> None:
    source = tmp_path / "read.f90"
    source.write_text(READ.replace("if (m == 'a') y = 2*x", "print *, m"))
    words = ["port", f"{source}::by_generic", "-o", str(tmp_path / "own"), "--drop-output"]
    assert cli.main(words) == 0


PARTS = """
module part_texts
  implicit none
  type :: err
    integer :: fail
    character(64) :: msg, kept, handed
  contains
    procedure :: tells => tells_it
  end type
contains
  character(4) function tells_it(this)
    class(err), intent(inout) :: this
    this%fail = this%fail + 1
    tells_it = 'told'
  end function
  subroutine low(x, y, e)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    type(err), intent(inout) :: e
    character(*), parameter :: name = 'low'
    y = x
    if (x < 0) then
      e%fail = -1
      e%msg = 'negative'
      e%kept = 'a'
      e%handed(1:2) = 'b'
    end if
    if (e%fail < 0) e%msg = name // ':' // trim(e%msg)
  end subroutine
  subroutine top(x, y, e)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    type(err), intent(inout) :: e
    call low(x, y, e)
    call fills(e%handed)
    if (e%fail < 0) then
      e%msg = 'top:' // trim(e%msg)
      print *, trim(e%msg)
    end if
  end subroutine
  subroutine fills(text)
    character(*), intent(inout) :: text
    text = 'filled'
  end subroutine
  subroutine compares(x, y, e)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    type(err), intent(inout) :: e
    call low(x, y, e)
    if (e%kept == 'a') y = 2*x
  end subroutine
  subroutine hands(x, y, e)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    type(err), intent(inout) :: e
    call low(x, y, e)
    y = y + asks(e%handed)
  end subroutine
  real(8) function asks(text)
    character(*), intent(in) :: text
    asks = 0
    if (text == 'b') asks = 1
  end function
  subroutine calls_one(x, y, e)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    type(err), intent(inout) :: e
    e%msg = e%tells()
    y = x*e%fail
  end subroutine
  subroutine calls_some(x, y, e)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    type(err), intent(inout) :: e
    if (x < 0) e%msg = e%tells()
    y = x*e%fail
  end subroutine
  subroutine is_named(x, y, e)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    type(err), intent(inout) :: e
    integer :: i
    e%msg = ''
    do i = 1, 2
      e%kept = 'a name'
    end do
    y = x
  end subroutine
  subroutine driver(x)
    real(8) :: x, y
    type(err) :: e
    call low(x, y, e)
    if (e%msg /= '') stop 1
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("name", "lines"), [("low", (24, 25, 26, 28)), ("top", (24, 25, 26, 28, 37, 38, 43))]
)
def test_components_that_are_messages(
    name: str, lines: tuple[int, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What reads one outside of the kernel, as driver does, does not count."""
    source = tmp_path / "parts.f90"
    source.write_text(PARTS)
    words = ["port", f"{source}::{name}", "-o", str(tmp_path / "own"), "--drop-output"]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    assert said.count("is left out") == len(lines)
    for line in lines:
        assert f"parts.f90:{line} is left out" in said
    told = tmp_path / "told.json"
    assert cli.main(["port", "--survey", str(source), "-j", "1", "--machine", "none",
                     "--json", str(told)]) == 0  # fmt: skip
    rows = {row["name"]: row for row in json.loads(told.read_text())["procedures"]}
    assert rows[name]["said"] == ["--drop-output"]
    for other in ("compares", "hands", "calls_one", "calls_some", "is_named"):
        assert not rows[other]["translates"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("compares", "e%kept"),
        ("hands", "e%handed"),
        ("calls_one", "e%msg"),
        ("calls_some", "e%msg"),
        ("is_named", "e%kept"),
    ],
)
def test_components_that_are_read_are_no_messages(
    name: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "parts.f90"
    source.write_text(PARTS)
    words = ["port", f"{source}::{name}", "-o", str(tmp_path / "own"), "--drop-output"]
    assert cli.main(words) == 1
    assert f"character {why}" in capsys.readouterr().err


def test_a_text_that_nobody_of_the_kernel_reads_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "read.f90"
    source.write_text(READ)
    words = ["port", f"{source}::tell", "-o", str(tmp_path / "own"), "--drop-output"]
    assert cli.main(words) == 0
    assert "read.f90:18 is left out: m = ..." in capsys.readouterr().out


def test_options_of_no_procedure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nest = [f"{SOURCE}:36-41", "-o", str(tmp_path / "own")]
    assert cli.main(["port", *nest, *STATUS]) == 2
    assert "a nest gives its points no status" in capsys.readouterr().err
    assert port("state", tmp_path / "own", "--ends", "library_error") == 2
    assert "--errors status" in capsys.readouterr().err


def test_a_point_that_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "own"
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    assert port("state", folder, *STATUS) == 0
    assert port("warned", folder, "--drop-output") == 0
    assert port("of_one", folder, "--value", "n=1") == 0
    said = capsys.readouterr().out
    places = (
        "error stop 'b'",
        "if (x < -0.95d0) error",
        "if (x < -0.8d0) call",
        "stop 2",
        "call library_error",
    )
    for bit, place in enumerate(places):
        assert f"own_state_status has {1 << bit} {line(place)}" in said
    for place in ("write(number, 10)", "errmsg = ''", "errmsg = 'small", "write(*, '(2a)'"):
        assert f"{line(place)} is left out" in said
    assert f"{line('print *, name')} is left out" in said
    catalogue = (folder / "catalogue.toml").read_text()
    assert "own_state_status" in catalogue and f"{line('stop 2')}" in catalogue
    assert f"1 {line(places[0])}" in (folder / "own_state.h").read_text()
    assert "--errors=status" in (folder / "port.toml").read_text()

    assert cli.main(["port", "--check", str(folder), "--isa", "v2", "--json",
                     "--range", "own_b=0,1", "own_a=-1,1", "own_d=-1,1"]) == 0  # fmt: skip
    told = json.loads(capsys.readouterr().out)
    found: dict[str, Any] = {one["kernel"]: one for one in told["kernels"]}
    state = found["own_state"]
    assert 100 < state["stopped"] < 900 and not state["died"]
    compared = {one["name"]: one["compared"] for one in state["machines"][0]["outputs"]}
    assert compared["own_state_status"] > compared["own_c"] > 50
    assert found["own_of_one"]["passed"]
    assert found["own_warned"]["passed"] and not found["own_warned"]["stopped"]

    packs.forget()
    monkeypatch.setenv("BRIDGE_CPU_ISA", "v2")
    monkeypatch.setenv("BRIDGE_BACKEND", "cpu")
    frame = bridge.Frame()
    frame.initialize(0, 64, 0, 5)
    tv = frame.tvproperties
    values = {
        "own_a": [0.5, 0.5, -0.9, 1.0, 0.0, -0.97], "own_b": [0.1, 0.95, 0.1, 0.1, 0.1, 0.1],
        "own_n": [4] * 6, "own_d": [[0.0, 0.9]] * 4 + [[0.5, -0.1]] * 2,
    }  # fmt: skip
    arrays: dict[str, np.ndarray[Any, Any]] = {
        name: np.asfortranarray(v, np.int32 if name == "own_n" else np.float64)
        for name, v in values.items()
    }
    arrays |= {"own_c": np.full(6, 3.0), "own_flag": np.full(6, 9, np.int32)}
    arrays["own_state_status"] = np.full(6, 9, np.int32)
    for name, array in arrays.items():
        intent = "in" if name in ("own_a", "own_b") else "inout"
        if name in ("own_c", "own_flag", "own_state_status"):
            intent = "out"
        tv.bind_array("set", name, intent, array.reshape(6, 1, 1, -1, order="F")
                      if array.ndim > 1 else array.reshape(6, 1, 1))  # fmt: skip
    tv.run("set", "own_state")
    frame.finalize()
    status = arrays["own_state_status"]
    assert list(status[1:3]) == [1, 4] and status[4] == 16
    assert status[3] == 8 and status[0] in (0, 8)
    assert status[5] == 2  # and not what root says of the result
    gone = status != 0
    assert np.isnan(arrays["own_c"][gone]).all() and np.isnan(arrays["own_d"][gone]).all()
    assert not arrays["own_n"][gone].any() and not arrays["own_flag"][gone].any()
