"""Waves of density and of sound in one dimension, without viscosity."""

from __future__ import annotations

import pytest
from flow import proofsofwaves as proofs
from flow.reading import Solve


def test_density_wave(solve: Solve) -> None:
    found = proofs.density_wave(solve)
    assert found.orders("density")[1:].min() > 3.5, found.errors
    at_32, at_64, _, at_256 = found.errors["pressure"]
    assert at_32 < 1e-3 and at_64 < 1e-4 and at_256 < 1e-6, found.errors


@pytest.mark.parametrize(("u", "scheme"), [(20.0, "RK3"), (-30.0, "RK4")])
def test_small_pulse(solve: Solve, u: float, scheme: str) -> None:
    found = proofs.small_pulse(solve, u, scheme)
    assert abs(found.speed / found.exact - 1.0) < 1e-3
    assert abs(found.peak - 1.0) < 0.06 and found.push < 1.1


def test_large_pulse(solve: Solve) -> None:
    found = proofs.large_pulse(solve)
    assert found.finest < 1e-3, found.errors
    assert found.lowest > 3.0, found.errors
