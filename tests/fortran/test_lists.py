"""A Fortran program with lists of points: its numbers, its arrays, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import build

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent
STYLES = [
    ("gfortran", ("-std=f2018", "-Wall", "-Werror", "-O3")),
    ("gfortran", ("-fcheck=all", "-fdefault-integer-8")),
    ("flang", ("-O2",)),
]
MESSAGES = {
    "above": "points: got 25, wanted numbers from 1 to 24",
    "below": "points: got 0, wanted numbers from 1 to 24",
    "size": "nValues: got 3, wanted 2, one for each value",
    "shape": "values: got shape (3, 2), wanted shape (2, 2)",
    "twice": "points: got 1 more than once, wanted each point once",
    "intent": "'T'",
    "whole": "values: got 2.5, wanted whole numbers of int32, 'status' of set 'marks'",
    "points": "nPoints: got 5, wanted 24, one for each value",
    "keys": "keys: got 2 components, wanted values of one component",
    "values": "nValues: got 48, wanted 24, one for each value",
}


@pytest.mark.parametrize(("with_compiler", "flags"), STYLES)
def test_lists(tmp_path: Path, with_compiler: str, flags: tuple[str, ...]) -> None:
    host = build(tmp_path, [HERE / "lists.f90"], with_compiler=with_compiler, flags=flags)
    outcome = host.run()
    assert outcome.status == 0, outcome.out + outcome.err
    checks = [line.split() for line in outcome.out.splitlines() if line[-2:] in (" T", " F")]
    assert [label for label, right in checks if right != "T"] == []
    assert len(checks) == 15
    for label, message in MESSAGES.items():
        status, untouched, *text = outcome.words(f"refused-{label}")
        assert (status, untouched) == ("-3", "T"), label
        assert message in " ".join(text), label
