"""A shock tube of N2, both sides above the critical pressure, against the exact solution."""

from __future__ import annotations

from flow import proofsofwaves as proofs
from flow.reading import Solve


def test_shock_tube(solve: Solve) -> None:
    found = proofs.shock_tube(solve)
    assert found.finest < 0.02, found.errors
    assert found.overall > 0.8, found.errors
