"""-I and the folders inside: include files, modules and procedures."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.cli import main
from bridge_port.refusal import Refused
from bridge_port.request import Request
from bridge_port.source.folders import Folders
from bridge_port.survey import survey
from bridge_port.survey.survey import Options

MAIN = """
subroutine area(r, a)
  use numbers, only: pi
  implicit none
  include 'factor.inc'
  real(8), intent(in) :: r
  real(8), intent(out) :: a
  real(8) :: s
  call squared(r, s)
  a = factor*pi*s
end subroutine
"""
NUMBERS = """
module numbers
  real(8), parameter :: pi = {0}d0
end module
"""
SQUARED = """
subroutine squared(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  y = {0}*x*x
end subroutine
"""
FACTOR = "  real(8), parameter :: factor = {0}d0\n"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def code(tmp_path: Path) -> Path:
    write(tmp_path / "src/area.f90", MAIN)
    write(tmp_path / "lib/base/numbers.f90", NUMBERS.format(3))
    write(tmp_path / "lib/base/deep/factor.inc", FACTOR.format(7))
    write(tmp_path / "lib/other/squared.f90", SQUARED.format(1))
    return tmp_path


def header(code: Path) -> str:
    request = Request(f"{code}/src/area.f90::area", folders=(str(code / "lib"),))
    return str(request.ported().kernels[0].text)


def test_what_is_used_is_found_in_folders_inside(code: Path) -> None:
    text = header(code)
    assert "3.0" in text and "7.0" in text
    assert "squared" in text


def test_the_nearest_one_counts(code: Path) -> None:
    write(code / "lib/base/old/numbers.f90", NUMBERS.format(4))
    write(code / "lib/base/deep/old/factor.inc", FACTOR.format(8))
    text = header(code)
    assert "3.0" in text and "7.0" in text
    # What lies in the folder itself comes before all that lies inside.
    write(code / "lib/numbers.f90", NUMBERS.format(5))
    write(code / "lib/factor.inc", FACTOR.format(9))
    text = header(code)
    assert "5.0" in text and "9.0" in text


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("lib/other/numbers.f90", NUMBERS.format(4), "numbers"),
        ("lib/base/too/factor.inc", FACTOR.format(8), "factor"),
        ("lib/base/too.f90", SQUARED.format(2), "squared"),
    ],
)
def test_of_two_that_lie_equally_near_neither_is_taken(
    code: Path, file: str, text: str, why: str
) -> None:
    write(code / file, text)
    with pytest.raises(Refused, match=why):
        header(code)


def test_of_two_alike_one_is_taken(code: Path) -> None:
    write(code / "lib/other/numbers.f90", NUMBERS.format(3))
    assert "3.0" in header(code)


def test_a_module_is_looked_for_beside_the_file(code: Path) -> None:
    """It uses another one; what lies there besides is not read."""
    write(code / "src/factors.f90", "module factors\nuse numbers\nend module\n")
    write(code / "src/numbers.f90", NUMBERS.format(6))
    write(
        code / "src/area.f90",
        """\
subroutine area(a)
  use factors
  real(8), intent(out) :: a
  a = pi
end subroutine
""",
    )
    write(code / "src/squared.f90", SQUARED.format(2))
    request = Request(f"{code}/src/area.f90::area")
    ported = request.ported()
    assert "6.0" in str(ported.kernels[0].text)
    assert "squared" not in ported.program.procedures
    pack = str(code / "packs/area")
    assert main(["port", request.source, "-o", pack]) == 0
    assert main(["port", "--check", pack, "--isa", "v2"]) == 0


@pytest.mark.parametrize("folder", ["src", "lib/other", ""])
def test_what_lacks_a_module_names_the_option(code: Path, folder: str) -> None:
    """And the files that have it, where nobody says which of them is meant."""
    if folder:
        write(code / folder / "one/numbers.f90", NUMBERS.format(4))
        write(code / folder / "numbers4.f90", NUMBERS.format(4))
        write(code / folder / "numbers5.f90", NUMBERS.format(5))
    (code / "lib/base/numbers.f90").unlink()
    with pytest.raises(Refused, match=r"module 'numbers'.*--more FILE") as refused:
        header(code)
    named = [word in str(refused.value) for word in ("numbers4.f90", "numbers5.f90")]
    assert named == [bool(folder)] * 2
    assert ("-I FOLDER" in str(refused.value)) is not bool(folder)


def test_a_module_procedure_without_its_interface(code: Path) -> None:
    text = "submodule (m) n\ncontains\nmodule procedure f\nf = 2*x\nend procedure\nend submodule\n"
    write(code / "src/inner.f90", text)
    with pytest.raises(Refused, match="module procedure f: no module .* interface; say --more"):
        Request(f"{code}/src/inner.f90::f").ported()
    # A survey looks through all files of the tree.
    interface = "module real function f(x)\nreal, intent(in) :: x\nend function\n"
    write(code / "src/outer.f90", f"module m\ninterface\n{interface}end interface\nend module\n")
    rows = survey([code / "src"], processes=1).rows
    assert [row.found.how for row in rows if row.found.name == "f"] == ["point"]


def test_hidden_folders_are_left_out(code: Path) -> None:
    write(code / "lib/.old/numbers.f90", NUMBERS.format(4))
    assert "3.0" in header(code)


def test_a_part_of_the_path_may_be_named(code: Path) -> None:
    write(code / "lib/base/too/factor.inc", FACTOR.format(8))
    found = Folders([code / "lib"])
    assert found.inside("deep/factor.inc") == code / "lib/base/deep/factor.inc"
    assert found.inside("factor.inc") is None


def test_a_survey_finds_the_same(code: Path) -> None:
    options = Options(folders=(str(code / "lib"),))
    (row,) = survey([code / "src"], processes=1, options=options).rows
    assert row.found.translates


def test_a_survey_looks_in_the_folders_of_the_user_first(code: Path) -> None:
    # One that nobody named lies nearer, and does not declare the factor.
    write(code / "src/variant/factor.inc", "  real(8), parameter :: other = 1\n")
    named = (str(code / "lib"), str(code / "lib/base/deep"))
    (row,) = survey([code / "src"], processes=1, options=Options(folders=named)).rows
    assert row.found.translates
    (row,) = survey([code / "src"], processes=1, options=Options(folders=named[:1])).rows
    assert not row.found.translates


def test_the_check_compiles_with_the_same_files(code: Path) -> None:
    pack = str(code / "packs/area")
    given = ["port", f"{code}/src/area.f90::area", "-I", str(code / "lib"), "-o", pack]
    assert main(given) == 0
    assert main(["port", "--check", pack, "--isa", "v2"]) == 0


def test_the_check_compiles_in_the_order_of_the_folders(code: Path) -> None:
    write(code / "lib/base/abc.inc/factor.inc", "  no Fortran\n")
    folders = [code / "lib/base/deep", code / "lib/base/abc.inc", code / "lib"]
    given = [text for one in folders for text in ("-I", str(one))]
    pack = str(code / "packs/area")
    assert main(["port", f"{code}/src/area.f90::area", *given, "-o", pack]) == 0
    assert main(["port", "--check", pack, "--isa", "v2"]) == 0
