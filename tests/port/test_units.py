"""Units that nests stand in: procedures as arguments, pure ones, names of their variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge import cli
from bridge_port.check.nesttext import Nest
from bridge_port.request import Request

SOURCE = Path(__file__).parent / "checked" / "units.f90"


def texts(name: str) -> tuple[str, str]:
    """Of a nest: its unit under test, and its module."""
    ported = Request(f"{SOURCE}@{name}", prefix="own_").ported()
    return Nest.of(ported, {}).unit_text(kernel=False)[1], ported.module.text


def test_arguments_that_are_procedures_are_external() -> None:
    unit, _ = texts("solved")
    body = unit.partition("subroutine solved")[2].partition("end subroutine solved")[0]
    assert "procedure" not in body and "interface" not in body
    assert "external f\n" in body and "external jacobian\n" in body
    assert "external other; optional other\n" in body and "external :: norm" in body


def test_what_calls_the_unit_is_pure_no_more() -> None:
    unit, _ = texts("counted")
    assert "\n  subroutine counted" in unit and "\n  real(8) function spread_of" in unit
    assert "\n  impure elemental real(8) function doubled" in unit


def test_names_in_the_module() -> None:
    _, module = texts("counted")
    assert "max_ = max(max_, real(bridge_totals(1), 8))" in module
    assert "2_4" in module and "_ik" not in module


@pytest.mark.fortran
def test_nests_give_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = str(tmp_path / "own")
    for name in ("solved", "counted", "layered", "looked_up", "cleared"):
        assert cli.main(["port", f"{SOURCE}@{name}", "-o", pack]) == 0
    assert "call run_own_counted(sum, max)" in capsys.readouterr().out
    assert cli.main(["port", "--check", pack, "--isa", "v2"]) == 0
    said = capsys.readouterr().out
    assert "5 of 5 verified on v2" in said
    # An index from values that are negative leaves its table.
    assert "kinds of values are left out, with which the original ends with status" in said


@pytest.mark.fortran
def test_bounds_of_blocks_and_arguments_have_the_same_parameters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Each of them is declared once, or the module does not compile.
    pack = str(tmp_path / "grid")
    assert cli.main(["port", f"{SOURCE.parent}/blocks.f@slope", "-o", pack]) == 0
    assert cli.main(["port", "--check", pack, "--isa", "v2"]) == 0
    assert "1 of 1 verified on v2" in capsys.readouterr().out


def test_tables_of_two_blocks_have_the_same_parameters(tmp_path: Path) -> None:
    pack = tmp_path / "tables"
    assert cli.main(["port", f"{SOURCE.parent}/blocks.f::tabled", "-o", str(pack)]) == 0
    module = (pack / "tables_tabled_bridge.f90").read_text()
    assert module.count("parameter :: nx") == module.count("parameter :: ny") == 1
