"""Procedures of one point give what the nest gives: both compiled, on the same arrays."""

from __future__ import annotations

from pathlib import Path

import pytest
from port.outlined import Case, compare

pytestmark = pytest.mark.fortran

THREE = {"nx": 7, "ny": 6, "nz": 5}
TWO = {"nx": 20, "ny": 18}
OPTIONAL = ("r", "x", "w", "dt", "s", "late")
GIVEN = {"r": True, "x": False, "w": False, "dt": False, "s": True, "late": True}
FREE = [
    Case("flux_x", THREE),
    Case("line_flux", TWO),
    Case("columns", THREE),
    Case("column_line", THREE),
    Case("walls", THREE),
    Case("norms", TWO),
    Case(
        "endless",
        {"nx": 9},
        first={
            "low": "ieee_value(0d0, ieee_positive_inf)",
            "high": "ieee_value(0d0, ieee_negative_inf)",
            "least": "-huge(least) - 1",
        },
    ),
    Case("tallies", TWO),
    Case("positions", TWO),
    Case("shifted", THREE),
    Case("called", TWO),
    Case("layers", {**THREE, "n": 3}),
    Case("marked", TWO, "marked"),
    Case("dissipation", {"nx": 9, "ny": 6, "nz": 5}),
    Case("fringe", TWO),
    Case("blocks", TWO),
    Case("limits", {**TWO, "n": 2}),
    Case("signs", TWO),
    Case("settled", THREE),
    Case("outliers", TWO),
    Case("flagged", {**TWO, "mode": 2}),
    Case("agreed", TWO),
    Case("all_given", TWO, presence=dict.fromkeys(OPTIONAL, True)),
    Case("none_given", TWO, presence=dict.fromkeys(OPTIONAL, False)),
    Case("some_given", TWO, presence=GIVEN),
    Case("others_given", TWO, presence={name: not there for name, there in GIVEN.items()}),
]
FIXED = [Case("old", {"n": 20, "m": 18}), Case("older", {"n": 30}), Case("oldest", {"n": 30}),
         Case("skips", {"n": 30}), Case("either", {"n": 30, "mode": 1}),
         Case("again", {"n": 20, "m": 18})]  # fmt: skip
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    return compare(tmp_path_factory.mktemp("free"), HERE / "nests.f90", FREE)


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    return compare(tmp_path_factory.mktemp("fixed"), HERE / "nests.f", FIXED)


@pytest.mark.parametrize("name", [case.unit for case in FREE])
def test_free_form(name: str, free: dict[str, dict[str, float]]) -> None:
    assert all(d < 1e-12 for d in free[name].values()), free[name]


@pytest.mark.parametrize("name", [case.unit for case in FIXED])
def test_fixed_form(name: str, fixed: dict[str, dict[str, float]]) -> None:
    assert all(d < 1e-12 for d in fixed[name].values()), fixed[name]
