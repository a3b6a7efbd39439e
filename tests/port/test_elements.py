"""Nests over the elements of arrays of derived types: against gfortran."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from sharing import Once

from bridge import cli
from bridge_port.refusal import Refused
from bridge_port.request import Request

HERE = Path(__file__).parent
NESTS = ("reading", "writing", "following", "wholes", "calling", "counting")
pytestmark = pytest.mark.fortran


@pytest.fixture(scope="session")
def made(once: Once) -> Path:
    """A folder with the pack `el` of all nests."""

    def make(place: Path) -> None:
        shutil.copy(HERE / "elements.f90", place)
        for name in NESTS:
            source = f"{place}/elements.f90@{name}"
            assert cli.main(["port", source, "-o", str(place / "el")]) == 0

    return once("port_elements", make)


def test_the_kernels_give_what_the_nests_give(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Arrays of a module, in a type, of explicit and of assumed shape; read by index, spread over
    # another axis, as tables; written under a condition, by a sweep, by array statements.
    shutil.copytree(made, tmp_path / "copy", ignore=shutil.ignore_patterns("cache"))
    monkeypatch.setenv("BRIDGE_CACHE", str(made / "cache"))
    words = ["port", "--check", str(tmp_path / "copy" / "el"), "--fflags=-O0", "--isa", "v2"]
    status = cli.main([*words, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert status == 0, told
    compared = {
        o["name"]: o["compared"] for one in told["kernels"] for o in one["machines"][0]["outputs"]
    }
    assert {*compared} == {"c", "mort", "limits", "number", "eats", "share", "s", "v"}
    assert all(compared.values())


def test_what_is_copied_is_told_and_given(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = str(made / "again")
    assert cli.main(["port", f"{made}/elements.f90@writing", "-o", pack]) == 0
    told = " ".join(capsys.readouterr().out.replace("&\n", " ").split())
    shutil.rmtree(pack)
    every = "is a component of all elements of h%its: copied before each run"
    assert f"mort {every} and back behind it" in told
    assert f"rate {every} " in told and f"rate {every} and back" not in told
    assert "call bind_again_writing(n, lbound(h%its, 1), ubound(h%its, 1))" in told
    assert "h%its(:)%mort, " in told and "h%its(:)%inner%limits(-1), " in told
    # What is read alone does not come back, and no element is bound by its address.
    text = (made / "el" / "el_writing_bridge.f90").read_text()
    assert "real(c_double), intent(inout) :: mort_elements(:)" in text
    assert "real(c_double), intent(in) :: rate_elements(:)" in text
    assert "real(c_double), intent(inout) :: limits_elements3(:)" in text
    assert "has another shape than when it was bound" in " ".join(text.replace("&\n", " ").split())
    # A nest that writes elements is not compared beside its loops; one that reads them is.
    assert "compare_begin_" not in text
    assert "compare_begin_el_reading" in (made / "el" / "el_reading_bridge.f90").read_text()


REFUSED = {
    "allocatable": ("kinds(i)%depths(1)", "index i changes .*depths is a pointer or allocatable"),
    "pointer": ("kinds(i)%link(2)", "index i changes .*link is a pointer or allocatable"),
    "one_of_them": (
        "aims(1)%link(2) + aims(i)%link(2)",
        "index i changes .*link is a pointer or allocatable",
    ),
    "two": ("h(i)%grid(i, 4)%mort", "index i changes .*so does that of"),
    "text": ("len_trim(kinds(i)%label)", "a kernel has numbers and logicals"),
    "class": ("any(i)%mort", "index i changes .*it is of a class"),
    "no_end": ("last(i)%mort", r"index i changes .*it has no end"),
    "value": ("bounded(i)%number", "a bound of the loops is a value of an array of a type"),
    "pointed": ("aims(i)%mort + p%mort", "may be the memory of p%mort"),
    "of_the_index": ("rules%scaled(i)", "no such component, or it is inherited or a procedure"),
    "changing": ("rules%changing()", "no such component, or it is inherited or a procedure"),
    "outer": ("rules%outer()", "no such component, or it is inherited or a procedure"),
    "same_type": ("aims(i)%mort + q(i)", "may be the memory of q"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, tmp_path: Path) -> None:
    expression, why = REFUSED[case]
    source = tmp_path / "refused.f90"
    types = (HERE / "elements.f90").read_text().partition("\nmodule elements\n")[0]
    target = "aims(i)%mort" if case == "pointed" else "q(i)" if case == "same_type" else "c(i)"
    last = "bounded(2)%number" if case == "value" else "n"
    source.write_text(f"""{types}
subroutine refused(n, c, h, any, last, bounded, q)
  use element_types
  integer, intent(in) :: n
  real(dp), intent(inout) :: c(n)
  real(dp), pointer :: q(:)
  type(holder_type), intent(in) :: h(n)
  class(kind_type), intent(in) :: any(:)
  type(kind_type), intent(in) :: last(*), bounded(:)
  type(kind_type), pointer :: p
  integer :: i
  !$bridge begin refused
  do i = 1, {last}
    {target} = {expression}
  end do
  !$bridge end
end subroutine refused
""")
    with pytest.raises(Refused) as refused:
        Request(f"{source}@refused").ported()
    assert refused.value.refusal.change
    assert re.search(why, str(refused.value)), str(refused.value)


def test_components_of_another_name_are_other_memory(tmp_path: Path) -> None:
    source = tmp_path / "apart.f90"
    types = (HERE / "elements.f90").read_text().partition("\nmodule elements\n")[0]
    source.write_text(f"""{types}
subroutine apart(n, p)
  use element_types
  integer, intent(in) :: n
  type(kind_type), pointer :: p
  integer :: i
  !$bridge begin apart
  do i = 1, n
    aims(i)%mort = p%inner%rate
  end do
  !$bridge end
end subroutine apart
""")
    ported = Request(f"{source}@apart").ported()
    assert ported.actuals["run"] == ["p%inner%rate", "aims(:)%mort"]


def test_functions_of_a_type_are_called_before(made: Path) -> None:
    # Of private components, inherited, with arguments that the loops do not change.
    ported = Request(f"{made}/elements.f90@calling").ported()
    calls = ["rules%count()", "strict%count()", "rules%scaled(m)", "rules%scaled(n)"]
    calls.append("strict%scaled(n)")
    assert {*calls} <= {*ported.actuals["run"], *ported.actuals["bind"]}
    assert "rules%count()" in ported.actuals["bind"]


def test_names_of_sections_are_counted_from_the_first(made: Path) -> None:
    # Whatever bounds the arrays have: they are given without them.
    ported = Request(f"{made}/elements.f90@counting").ported()
    assert ported.actuals["bind"][:4] == ["n", "s%w", "t%v", "s%u"]
    assert not any("bound(t%v" in one for one in ported.actuals["bind"])


def test_parts_of_an_element_follow_each_other_as_in_memory(made: Path) -> None:
    ported = Request(f"{made}/elements.f90@reading").ported()
    shares = [one for one in ported.actuals["run"] if "share" in one]
    assert shares == [f"kinds(:)%share({n}, {m})" for m in (1, 2) for n in (1, 2)]


def test_a_copy_has_the_subscripts_of_the_array_of_the_type(made: Path) -> None:
    text = (made / "el" / "el_wholes_bridge.f90").read_text()
    assert "allocate (limits(-1:1, mort_low1:mort_upper1))" in text


FREE = """\
module boxes
  implicit none
  type cell
    real(8) :: t
  end type cell
  type box
    type(cell), allocatable :: cells(:)
    real(8), allocatable :: w(:)
  end type box
contains
  subroutine step(held)
    type(box), intent(inout) :: held
    !$bridge begin free
    held%cells(:)%t = 2*held%cells(:)%t + held%w
    !$bridge end free
  end subroutine step
end module boxes
"""


def test_elements_that_begin_anywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The nest counts them from 1; the check allocates them from another subscript."""
    source = tmp_path / "boxes.f90"
    source.write_text(FREE)
    pack = str(tmp_path / "free")
    assert cli.main(["port", f"{source}@free", "-o", pack]) == 0
    text = next((tmp_path / "free").glob("*_bridge.f90"))
    assert "allocate (t(1:1 + t_upper1 - t_low1))" in text.read_text()
    assert cli.main(["port", "--check", pack, "--fflags=-O0", "--isa", "v2"]) == 0, (
        capsys.readouterr().out
    )
