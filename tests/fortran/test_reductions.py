"""A Fortran program that reduces: its own numbers, places in its own arrays, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import build

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent
STYLES = [
    ("gfortran", ("-std=f2018", "-Wall", "-Werror", "-O3")),
    ("gfortran", ("-fcheck=all", "-fdefault-integer-8", "-fdefault-real-8")),
    ("flang", ("-O2",)),
]
MESSAGES = {
    "operation": "operation: got 'mean', wanted one of sum, min, max, any, minloc, maxloc, l1",
    "component": "component: got 3, wanted a component of 'Y', 1 to 2",
    "component-below": "component: got -1, wanted a component from 1",
    "values": "nValues: got 3, wanted 2, one for each value",
    "place": "place: got a first extent of 2, wanted 3 (i, j, k) or 4",
    "places": "place: got shape (4, 1), wanted shape (4, 2)",
    "bits": "nValues: got 3, wanted 32, one for each value",
    "bits-of-reals": "quantity: got 'T' of float64, wanted integers, as of 'status'",
    "integer": "value: got no real(8) for max, wanted a real(8)",
    "quantity": "'noSuch'",
    "ranks-integer": "value: got no real(8) for sum, wanted a real(8); logicals are for any",
    "ranks-logical": "value: got no real(8) for count, wanted a real(8); logicals are for any",
    "ranks-place": "place: got shape (4), wanted shape (6)",
    "ranks-component": "component: got 0, wanted a component from 1",
    "ranks-values": "nValues: got 3, wanted 2, one for each value",
    "several-quantity": "'noSuch'",
    "several-operation": "operation: got 'mean', wanted one of sum, min, max",
    "several-operations": "operations: got 1 words, wanted 2, as n says",
    "several-components": "quantities: got 2 words, wanted 1, as n says",
    "several-component": "component: got 3, wanted a component of 'Y', 1 to 2",
    "several-values": "nValues: got 2, wanted 3, one for each value",
    "several-none": "n: got 0, wanted at least one reduction",
    "several-places": "place: got shape (4, 1), wanted shape (4, 2)",
    "several-place": "place: got a first extent of 2, wanted 3 (i, j, k) or 4",
    "several-ranks": "place: got shape (4, 2), wanted shape (6, 2)",
}


@pytest.mark.parametrize(("with_compiler", "flags"), STYLES)
def test_reductions(tmp_path: Path, with_compiler: str, flags: tuple[str, ...]) -> None:
    host = build(tmp_path, [HERE / "reductions.f90"], with_compiler=with_compiler, flags=flags)
    outcome = host.run()
    assert outcome.status == 0, outcome.out + outcome.err
    checks = [line.split() for line in outcome.out.splitlines() if line[-2:] in (" T", " F")]
    assert [label for label, right in checks if right != "T"] == []
    assert len(checks) == 30
    for label, message in MESSAGES.items():
        status, untouched, *text = outcome.words(f"refused-{label}")
        assert (status, untouched) == ("-3", "T"), label
        assert message in " ".join(text), label
