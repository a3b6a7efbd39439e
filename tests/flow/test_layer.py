"""A layer at rest in which heat and species spread, against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from flow.mixture import Mixture
from flow.reading import Solve
from flow.references import Layer, State

WIDTH = 1e-8  # m: few steps of the time of sound for the time of diffusion
LENGTH = 32.0 * WIDTH
HALF = (0.5, 0.5)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(State(220.0, 1e7, Y=HALF), State(300.0, 1e7, Y=HALF), id="heat"),
        pytest.param(
            State(220.0, 1e7, Y=(1.0, 0.0)), State(300.0, 1e7, Y=(0.0, 1.0)), id="species"
        ),
    ],
)
def test_layer(solve: Solve, one: State, other: State) -> None:
    """The differences fall with the square of the cells' size, as the viscous fluxes say."""
    reference = Layer(Mixture(["O2", "CH4"]), 160, LENGTH)
    begin = reference.begin(one, other, WIDTH)
    time = 2.5e-10
    after = reference.after(begin, time)
    changes = [np.abs(row).mean() for row in after - begin]
    errors = []
    for cells in (64, 128, 256):
        end = solve(
            Flow="layer", Species="O2 CH4", Cells=(cells, 1, 1), Lengths=(LENGTH,) * 3,
            Width=WIDTH, Pressure=one.P, Temperature=one.T, Y=one.Y, OtherPressure=other.P,
            OtherTemperature=other.T, OtherY=other.Y, EndTime=time,
        )  # fmt: skip
        wanted = reference.grid.at(after, end.centres(0))
        found = [end["rho_O2"], end["rho_CH4"], end.velocity(), end["T"]]
        errors.append([
            np.abs(f[:, 0, 0] - row).mean() / change
            for f, row, change in zip(found, wanted, changes, strict=True)
        ])  # fmt: skip
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert max(errors[-1]) < 2e-3, errors
    assert (orders > 1.7).all(), (errors, orders)
