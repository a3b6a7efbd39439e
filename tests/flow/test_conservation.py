"""What must stay: a uniform flow, and the totals of a periodic one."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from flow.reading import Output, Solve

TWO = {"Species": "O2 CH4", "Pressure": 8e6, "OtherPressure": 8e6}
JET = {
    **TWO, "Flow": "jet", "Cells": (24, 24, 1), "Lengths": (2.4e-5, 2.4e-5, 1e-6),
    "Temperature": 300.0, "OtherTemperature": 200.0, "Y": (0.0, 1.0), "OtherY": (1.0, 0.0),
    "OtherVelocity": (60.0, 0.0, 0.0), "Width": 2e-6, "Amplitude": 10.0,
}  # fmt: skip


def energy(output: Output) -> np.ndarray:
    """Internal and kinetic energy of a volume."""
    squares = np.asarray(sum(output.velocity(d) ** 2 for d in range(3)))
    return np.asarray(output.rho * (output["e"] + 0.5 * squares))


@pytest.mark.parametrize("form", ["total", "pressure"])
def test_uniform_flow_stays(solve: Solve, form: str) -> None:
    velocity = (40.0, -25.0, 10.0)
    end = solve(
        Flow="uniform", Cells=(8, 7, 6), Lengths=(1e-5, 1e-5, 1e-5), Temperature=180.0,
        Velocity=velocity, Y=(0.7, 0.3), Steps=20, Energy=form, **TWO,
    )  # fmt: skip
    assert end.step == 20
    for name in ("rho_O2", "rho_CH4", "P", "T", "c", "eta"):
        assert np.abs(end[name] / end[name].mean() - 1.0).max() < 1e-13, name
    assert np.abs(end["P"] / 8e6 - 1.0).max() < 1e-12
    for d, u in enumerate(velocity):
        assert np.abs(end.velocity(d) / u - 1.0).max() < 1e-13


@pytest.mark.parametrize("scheme", ["RK3", "RK4"])
def test_totals_of_a_periodic_jet(solve: Solve, scheme: str) -> None:
    """Of each species, of momentum in three directions and of energy; all of them move."""
    values = {**JET, "Velocity": (5.0, 3.0, -2.0), "Cells": (16, 16, 4), "Scheme": scheme}
    begin, end = (solve(**values, Steps=steps) for steps in (0, 40))
    for name in ("rho_O2", "rho_CH4", "rhou", "rhov", "rhow", "energy"):
        was, now = begin[name], end[name]
        scale = np.abs(was).sum()
        if name.startswith("rho") and name[3] in "uvw":
            scale = (was.max() - min(was.min(), 0.0)) * was.size
        assert abs(math.fsum(now.ravel()) - math.fsum(was.ravel())) < 2e-14 * scale, name
        assert np.abs(now - was).max() > 1e-3 * np.abs(was).max(), name


def test_energy_drifts_by_what_is_printed(solve: Solve) -> None:
    """The form with an equation of pressure conserves all but energy, and says how much of it is
    lost: more than rounding, less than one in a thousand."""
    values = {**JET, "Energy": "pressure"}
    begin, end = (solve(**values, Steps=steps) for steps in (0, 40))
    for name in ("rho_O2", "rho_CH4", "rhou"):
        was, now = (math.fsum(one[name].ravel()) for one in (begin, end))
        assert now == pytest.approx(was, rel=2e-14), name
    was, now = (math.fsum(energy(one).ravel()) for one in (begin, end))
    line = re.search(r"changed by\s+(\S+) of it", end.printed)
    assert line is not None, end.printed
    assert float(line[1]) == pytest.approx((now - was) / abs(was), rel=0.01)
    assert 1e-12 < abs(float(line[1])) < 1e-3


def test_pressure_form_on_a_thin_layer(solve: Solve) -> None:
    """Four cells from liquid-like to gas-like N2: pressure and velocity stay, which the form that
    conserves energy cannot do."""
    values = {
        "Flow": "layer", "Species": "N2", "Cells": (64, 1, 1), "Lengths": (6.4e-5,) * 3,
        "Width": 2e-6, "Pressure": 5e6, "OtherPressure": 5e6, "Temperature": 300.0,
        "OtherTemperature": 105.0, "Velocity": (50.0, 0.0, 0.0), "Viscous": False,
        "OtherVelocity": (50.0, 0.0, 0.0), "Steps": 300,
    }  # fmt: skip
    end = solve(**values, Energy="pressure")
    assert end.time * 50.0 > 0.2 * 6.4e-5
    assert np.abs(end["P"] / 5e6 - 1.0).max() < 1e-12
    assert np.abs(end.velocity() / 50.0 - 1.0).max() < 1e-12
    assert np.abs(solve(**values, Energy="total")["P"] / 5e6 - 1.0).max() > 1e-2
