"""A vortex of dense O2 in balance, carried along."""

from __future__ import annotations

from flow import proofsofwaves as proofs
from flow.reading import Solve


def test_moving_vortex(solve: Solve) -> None:
    found = proofs.moving_vortex(solve)
    assert found.finest < 0.01, found.errors
    assert found.lowest > 3.0, found.errors
