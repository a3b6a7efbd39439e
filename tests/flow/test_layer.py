"""A layer at rest in which heat and species spread, against the reference."""

from __future__ import annotations

import pytest
from flow import proofsofwaves as proofs
from flow.reading import Solve


@pytest.mark.parametrize("kind", proofs.LAYERS)
def test_layer(solve: Solve, kind: str) -> None:
    found = proofs.layer(solve, kind)
    assert found.finest < 2e-3, found.errors
    assert found.lowest > 1.7, found.errors
