"""What must stay: a uniform flow, and the totals of a periodic one."""

from __future__ import annotations

import pytest
from flow import proofsoftotals as proofs
from flow.reading import Solve


@pytest.mark.parametrize("form", ["total", "pressure"])
def test_uniform_flow(solve: Solve, form: str) -> None:
    found = proofs.uniform_flow(solve, form)
    assert max(found.changes.values()) < 1e-13, found.changes


@pytest.mark.parametrize("scheme", ["RK3", "RK4"])
def test_periodic_jet(solve: Solve, scheme: str) -> None:
    found = proofs.periodic_jet(solve, scheme)
    assert max(found.changes.values()) < 2e-14, found.changes
    assert min(found.moves.values()) > 1e-3, found.moves


def test_energy_drift(solve: Solve) -> None:
    """Of more than rounding: the program tells how much."""
    found = proofs.energy_drift(solve)
    assert found.printed == pytest.approx(found.found, rel=0.01)
    assert 1e-12 < abs(found.printed) < 1e-3
    assert max(found.others.values()) < 2e-14, found.others


def test_thin_layer(solve: Solve) -> None:
    pressure, total = (proofs.thin_layer(solve, form) for form in ("pressure", "total"))
    assert pressure.moved > 0.2 * 6.4e-5
    assert pressure.pressure < 1e-12 and pressure.velocity < 1e-12
    assert total.pressure > 1e-2
