"""A procedure, or the lines of a nest, in a file that another one includes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.cli import main
from bridge_port.refusal import Refused
from bridge_port.request import Request

MODULE = """
module state
  implicit none
  real(8), parameter :: g = 9.81d0
contains
  include 'weight.inc'
  subroutine heavy(m, w, n)
    integer, intent(in) :: n
    real(8), intent(in) :: m(n)
    real(8), intent(out) :: w(n)
    integer :: i
    include 'loop.inc'
  end subroutine
end module
"""
WEIGHT = """
  subroutine weight(m, w)
    real(8), intent(in) :: m
    real(8), intent(out) :: w
    w = g*m
  end subroutine
"""
LOOP = """
    do i = 1, n
      w(i) = g*m(i)
    end do
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "inc").mkdir()
    (tmp_path / "src/state.f90").write_text(MODULE)
    (tmp_path / "inc/weight.inc").write_text(WEIGHT)
    (tmp_path / "inc/loop.inc").write_text(LOOP)
    return tmp_path


def request(code: Path, source: str) -> Request:
    return Request(f"{code}/{source}", folders=(str(code / "inc"),))


def test_it_is_read_through_the_file_that_includes_it(code: Path) -> None:
    asked = request(code, "inc/weight.inc::weight")
    (kernel,) = asked.ported().kernels
    # With the data of its module, and the name of the source for the check.
    assert "9.81" in kernel.text
    assert asked.source == f"{code}/src/state.f90::weight"


def test_a_body_that_stands_in_an_included_file(code: Path) -> None:
    pack = str(code / "packs/heavy")
    given = ["-I", str(code / "inc"), "-o", pack]
    with pytest.raises(Refused) as caught:
        request(code, "inc/loop.inc:2-4").ported()
    assert "src/state.f90" in str(caught.value)
    assert "lines of an included file" in str(caught.value)
    assert main(["port", f"{code}/inc/loop.inc:2-4", *given]) == 1
    assert main(["port", f"{code}/inc/weight.inc::weight", *given]) == 0
    assert main(["port", "--check", pack, "--isa", "v2"]) == 0


def test_two_sources_that_include_it_are_named(code: Path) -> None:
    (code / "src/other.f90").write_text(MODULE.replace("state", "other").replace("9.81", "1.62"))
    with pytest.raises(Refused, match=r"other.f90, .*state.f90 include it") as caught:
        request(code, "inc/weight.inc::weight").ported()
    assert f"{code}/src/other.f90::weight" in str(caught.value)
    (kernel,) = request(code, "src/other.f90::weight").ported().kernels
    assert "1.62" in kernel.text


def test_another_file_of_that_name_beside_the_source(code: Path) -> None:
    (code / "src/weight.inc").write_text(WEIGHT.replace("g*m", "2*m"))
    asked = request(code, "inc/weight.inc::weight")
    asked.ported()
    assert asked.source.endswith("inc/weight.inc::weight")  # nobody includes this one
    (kernel,) = request(code, "src/weight.inc::weight").ported().kernels
    assert "2.0 * m" in kernel.text or "2 * m" in kernel.text


def test_includes_of_includes(code: Path) -> None:
    (code / "src/state.f90").write_text(MODULE.replace("'weight.inc'", "'all.inc'"))
    (code / "inc/all.inc").write_text("include 'weight.inc'\n")
    (kernel,) = request(code, "inc/weight.inc::weight").ported().kernels
    assert "9.81" in kernel.text


def test_one_that_nobody_includes_is_read_alone(code: Path) -> None:
    (code / "inc/alone.inc").write_text(WEIGHT.replace("g*m", "3*m"))
    asked = request(code, "inc/alone.inc::weight")
    assert asked.ported().kernels
    assert asked.source.endswith("alone.inc::weight")


def test_a_source_that_another_one_includes(code: Path) -> None:
    """A file by the name of a source is read alone; where that does not do, the one that makes it
    whole is named."""
    whole = MODULE.replace("weight.inc", "weight.f90").replace("loop.inc", "loop.f90")
    whole = whole.replace("contains", "  integer, parameter :: dp = 8\ncontains")
    (code / "src/state.f90").write_text(whole)
    (code / "src/weight.f90").write_text(WEIGHT.replace("real(8)", "real(dp)"))
    (code / "src/loop.f90").write_text(LOOP)
    with pytest.raises(Refused, match=r"included by .*state.f90, .*: port (.*)$") as caught:
        request(code, "src/weight.f90::weight").ported()
    (kernel,) = Request(str(caught.value).rpartition(": port ")[2]).ported().kernels
    assert "9.81" in kernel.text
    with pytest.raises(Refused, match=r"lines 2-4: they stand in no procedure") as caught:
        request(code, "src/loop.f90:2-4").ported()
    assert "included by" in str(caught.value) and "state.f90" in str(caught.value)
    (code / "src/state.f90").unlink()
    with pytest.raises(Refused, match=r"lines 2-4: they stand in no procedure") as caught:
        request(code, "src/loop.f90:2-4").ported()
    assert "included by" not in str(caught.value)
