"""A shock tube of N2, both sides above the critical pressure, against the exact solution."""

from __future__ import annotations

import numpy as np
from flow.mixture import Mixture
from flow.reading import Solve
from flow.references import Riemann, State


def test_shock_tube(solve: Solve) -> None:
    left, right = State(300.0, 20e6), State(160.0, 6e6)
    exact = Riemann(Mixture(["N2"]), left, right)
    length, time = 1.0, 3.5e-4
    errors = []
    for cells in (100, 200, 400):
        end = solve(
            Flow="tube", Species="N2", Cells=(cells, 1, 1), Lengths=(length,) * 3, Viscous=False,
            Pressure=left.P, Temperature=left.T, OtherPressure=right.P,
            OtherTemperature=right.T, BoundaryX=("slip", "slip"), EndTime=time, Scheme="RK3",
        )  # fmt: skip
        wanted = exact((end.centres(0) - 0.5 * length) / time)
        found = {"rho": end.rho, "u": end.velocity(), "P": end["P"], "T": end["T"]}
        exacts = {name: getattr(wanted, name) for name in found}
        errors.append([
            np.abs(found[name][:, 0, 0] - f).mean() / np.ptp(f) for name, f in exacts.items()
        ])  # fmt: skip
    orders = 0.5 * np.log2(np.array(errors[0]) / errors[2])
    assert max(errors[2]) < 0.02, errors
    assert (orders > 0.8).all(), (errors, orders)
