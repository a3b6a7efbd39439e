"""The sides of the domain: what an outflow reflects, what an inflow keeps, what walls do."""

from __future__ import annotations

import pytest
from flow import proofsofsides as proofs
from flow.reading import Solve


@pytest.mark.parametrize(
    ("side", "mach", "amplitude"),
    [("slip", 0.0, 1e3), ("inflow", 0.1, 1e3), ("inflow", 0.3, 1e3), ("slip", 0.0, 5e5)],
)
def test_outflow(solve: Solve, side: str, mach: float, amplitude: float) -> None:
    found = proofs.outflow(solve, side, mach, amplitude)
    assert 0.0 < found.pressure < 0.02
    assert 0.0 < found.velocity < 0.02


@pytest.mark.parametrize("form", ["total", "pressure"])
def test_uniform_channel(solve: Solve, form: str) -> None:
    found = proofs.uniform_channel(solve, form)
    assert max(found.changes.values()) < 1e-12, found.changes


def test_washing(solve: Solve) -> None:
    found = proofs.washing(solve)
    assert found.kept["u"] < 1e-3 and found.kept["h"] < 5e-3 and found.kept["Y"] < 1e-5
    assert max(found.left.values()) < 5e-3, found.left


@pytest.mark.parametrize("side", ["X", "Y", "Z"])
def test_wall_layer(solve: Solve, side: str) -> None:
    found = proofs.wall_layer(solve, side)
    assert found.finest < 1e-3, found.errors
    assert found.lowest > 1.8, found.errors


def test_slip_wall(solve: Solve) -> None:
    found = proofs.slip_wall(solve)
    assert abs(found.wall - 2.0) < 0.02
    assert found.back.finest < 5e-3, found.back.errors
    assert found.back.lowest > 3.0, found.back.errors


def test_closed_box(solve: Solve) -> None:
    found = proofs.closed_box(solve)
    assert max(found.changes.values()) < 2e-14, found.changes
    assert min(found.moves.values()) > 0.1, found.moves
