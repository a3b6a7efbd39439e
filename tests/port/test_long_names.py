"""Names of the generated module that are none of Fortran's, and what is told of two things of one
name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.errors import ArgumentError
from bridge_port.output.catalogue import merged
from bridge_port.refusal import Refused
from bridge_port.request import Request

CODE = """
module m
  real(8) :: c
contains
  subroutine nest(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 1, n
      a(i) = 2*a(i)
    end do
  end subroutine
  subroutine point(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = c*x
  end subroutine
end module
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "m.f90"
    path.write_text(CODE)
    return path


@pytest.mark.parametrize(
    "name", ["bridge_total", "frame_bind", "c_double", "c_loc", "bridge", "iso_c_binding"]
)
def test_names_that_the_module_has_for_something_else(name: str, tmp_path: Path) -> None:
    path = tmp_path / "m.f90"
    path.write_text(re.sub(r"\ba\b", name, CODE))
    with pytest.raises(Refused, match=f"variable {name}: a name that the module"):
        Request(f"{path}:9-11").ported()


def test_a_nest_with_a_long_name(file: Path) -> None:
    # compare_begin_ and 49 letters are 63.
    assert Request(f"{file}:9-11", name="n" * 49).ported().kernels
    with pytest.raises(Refused, match="at most 63") as caught:
        Request(f"{file}:9-11", name="n" * 50).ported()
    assert "--name" in str(caught.value) and "m.f90:9" in str(caught.value)
    with pytest.raises(Refused, match="at most 63"):
        Request(f"{file}:9-11", prefix="p" * 46 + "_").ported()
    assert Request(f"{file}:9-11", prefix="p" * 46 + "_", name="p" * 46 + "_it").ported()


def test_a_procedure_whose_module_has_a_long_name(file: Path) -> None:
    assert Request(f"{file}::point", name="n" * 56).ported().module.name
    with pytest.raises(Refused, match="at most 63") as caught:
        Request(f"{file}::point", name="n" * 57).ported()
    assert "--name" in str(caught.value)


LONG = """
subroutine nest(n, ind, {0}, s)
  integer, intent(in) :: n, ind(n)
  real(8), intent(inout) :: {0}(n)
  real(8), intent(inout) :: s(n)
  integer :: i
  do i = 1, n
    s(i) = {0}(ind(i))
  end do
end subroutine
"""


def test_a_long_name_of_a_variable(tmp_path: Path) -> None:
    """The module has names that are made of it; what to change says how long it may be."""
    source = tmp_path / "m.f90"
    for letters in (64, 60):
        source.write_text(LONG.format("v" * letters))
        with pytest.raises(Refused, match=f"name v+: it has {letters} letters") as caught:
            Request(f"{source}:7-9").ported()
    most = re.search(r"at most (\d+) letters in its place", str(caught.value))
    assert most is not None and int(most[1]) < 60
    for more in (0, 1):
        source.write_text(LONG.format("v" * (int(most[1]) + more)))
        if not more:
            text = Request(f"{source}:7-9").ported().module.text
            assert max(map(len, re.findall(r"\w+", re.sub(r"'[^']*'|!.*", "", text)))) == 63
            continue
        with pytest.raises(Refused, match="at most"):
            Request(f"{source}:7-9").ported()


def test_a_long_name_of_the_pack(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = file.parent / ("pack" * 14)
    assert main(["port", f"{file}:9-11", "-o", str(pack)]) == 1
    assert "--name" in capsys.readouterr().err
    assert not pack.exists()


def test_two_forms_of_one_name_are_told_in_words() -> None:
    old = '[quantity.x_t]\nunit = "K"\ncolumns = 3\n\n' + kernel("one")
    new = '[quantity.x_t]\nunit = "1"\n\n' + kernel("two")
    with pytest.raises(ArgumentError) as caught:
        merged(old, new, set())
    said = str(caught.value)
    assert "{" not in said and "'" not in said
    assert "a quantity (unit 1), and in the pack it is a quantity (unit K, columns 3);" in said


def kernel(name: str) -> str:
    return (
        f'[[kernel]]\nname = "{name}"\nheader = "{name}.h"\ninputs = ["x_t"]\noutputs = ["x_t"]\n'
    )
