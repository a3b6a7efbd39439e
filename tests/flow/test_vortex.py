"""A vortex of dense O2 in balance, carried along."""

from __future__ import annotations

import numpy as np
from flow.mixture import Mixture
from flow.reading import Solve
from flow.references import State, vortex


def test_vortex_that_moves(solve: Solve) -> None:
    """By half a period in both directions: it then stands on the corner, as it was."""
    far, speed, width, stream = State(160.0, 8e6), 60.0, 1e-4, 100.0
    length = 12.0 * width
    mixture, errors, cells = Mixture(["O2"]), [], (32, 48)
    for n in cells:
        end = solve(
            Flow="vortex", Species="O2", Cells=(n, n, 1), Lengths=(length,) * 3, Viscous=False,
            Pressure=far.P, Temperature=far.T, Velocity=(stream, stream, 0.0), Amplitude=speed,
            Width=width, EndTime=0.5 * length / stream, Cfl=0.8,
        )  # fmt: skip
        x = (end.centres(0) + 0.5 * length) % length - 0.5 * length
        x, y = np.meshgrid(x, x, indexing="ij")
        radii, place = np.unique(np.hypot(x, y).round(12), return_inverse=True)
        exact = vortex(mixture, far, speed, width, radii)
        turning = (exact.u / radii)[place].reshape(x.shape)
        wanted = {
            "P": exact.P[place].reshape(x.shape), "rho": exact.rho[place].reshape(x.shape),
            "u": stream - turning * y, "v": stream + turning * x,
        }  # fmt: skip
        found = {"P": end["P"], "rho": end.rho, "u": end.velocity(0), "v": end.velocity(1)}
        errors.append([
            np.sqrt(np.mean((found[name][:, :, 0] - f) ** 2)) / np.ptp(f)
            for name, f in wanted.items()
        ])  # fmt: skip
    orders = np.log(np.array(errors[0]) / errors[1]) / np.log(cells[1] / cells[0])
    assert max(errors[1]) < 0.01, errors
    assert (orders > 3.0).all(), (errors, orders)
