"""Proofs of what the flow solver keeps: uniform flow, totals, a thin layer (see proofs.py)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from flow.proofs import Array, Profile, Totals, Uniform, total, totals
from flow.reading import Output, Solve

TWO: dict[str, Any] = {"Species": "O2 CH4", "Pressure": 8e6, "OtherPressure": 8e6}
JET: dict[str, Any] = {
    **TWO, "Flow": "jet", "Cells": (24, 24, 1), "Lengths": (2.4e-5, 2.4e-5, 1e-6),
    "Temperature": 300.0, "OtherTemperature": 200.0, "Y": (0.0, 1.0), "OtherY": (1.0, 0.0),
    "OtherVelocity": (60.0, 0.0, 0.0), "Width": 2e-6, "Amplitude": 10.0,
}  # fmt: skip


def uniform_flow(solve: Solve, form: str) -> Uniform:
    """A uniform oblique flow of O2 and CH4 at 8 MPa and 180 K in a periodic box, 20 steps: the
    largest relative change of each field."""
    velocity = (40.0, -25.0, 10.0)
    begin, end = (
        solve(
            Flow="uniform", Cells=(8, 7, 6), Lengths=(1e-5, 1e-5, 1e-5), Temperature=180.0,
            Velocity=velocity, Y=(0.7, 0.3), Steps=steps, Energy=form, **TWO,
        )
        for steps in (0, 20)
    )  # fmt: skip
    names = ("rho_O2", "rho_CH4", "rhou", "rhov", "rhow", "P", "T", "c", "eta")
    changes = {name: float(np.abs(end[name] / begin[name] - 1.0).max()) for name in names}
    changes["P of the case"] = float(np.abs(end["P"] / TWO["Pressure"] - 1.0).max())
    return Uniform(changes, end)


def periodic_jet(solve: Solve, scheme: str) -> Totals:
    """Cold O2 between CH4 at 8 MPa in a periodic box, in three dimensions, with viscosity,
    conduction and diffusion, 40 steps. Totals of each species, of momentum in three directions
    and of energy stay, while the fields move."""
    values = {**JET, "Velocity": (5.0, 3.0, -2.0), "Cells": (16, 16, 4), "Scheme": scheme}
    begin, end = (solve(**values, Steps=steps) for steps in (0, 40))
    return totals(begin, end, ("rho_O2", "rho_CH4", "rhou", "rhov", "rhow", "energy"))


@dataclass(frozen=True)
class Drift:
    """By how much the energy of all cells has changed, over that energy: found, and as printed by
    the program. others: changes of the other totals."""

    found: float
    printed: float
    others: dict[str, float]


def energy(output: Output) -> Array:
    """Internal and kinetic energy of a volume."""
    squares = np.asarray(sum(output.velocity(d) ** 2 for d in range(3)))
    return np.asarray(output.rho * (output["e"] + 0.5 * squares))


def energy_drift(solve: Solve) -> Drift:
    """The jet in two dimensions with `Energy = pressure`, which conserves all but energy."""
    values = {**JET, "Energy": "pressure"}
    begin, end = (solve(**values, Steps=steps) for steps in (0, 40))
    was, now = (total(energy(one)) for one in (begin, end))
    line = re.search(r"changed by\s+(\S+) of it", end.printed)
    if line is None:
        raise ValueError(f"energy_drift: the program does not tell it: {end.printed}")
    others = totals(begin, end, ("rho_O2", "rho_CH4", "rhou")).changes
    return Drift((now - was) / abs(was), float(line[1]), others)


@dataclass(frozen=True)
class ThinLayer:
    """Largest relative changes of pressure and velocity; the pressure along x."""

    moved: float  # m
    pressure: float
    velocity: float
    profile: Profile


def thin_layer(solve: Solve, form: str) -> ThinLayer:
    """Four cells from liquid-like to gas-like N2 at 5 MPa, 105 K and 300 K, carried along.
    Exact: pressure and velocity stay. `Energy = pressure` does that, which the form that
    conserves energy cannot do."""
    P, u, cells = 5e6, 50.0, 64
    end = solve(
        Flow="layer", Species="N2", Cells=(cells, 1, 1), Lengths=(6.4e-5,) * 3, Width=2e-6,
        Pressure=P, OtherPressure=P, Temperature=300.0, OtherTemperature=105.0,
        Velocity=(u, 0.0, 0.0), OtherVelocity=(u, 0.0, 0.0), Viscous=False, Steps=300,
        Energy=form,
    )  # fmt: skip
    profile = Profile(end.centres(0), end["P"][:, 0, 0], np.full(cells, P))
    changes = (np.abs(a / b - 1.0).max() for a, b in ((end["P"], P), (end.velocity(), u)))
    pressure, velocity = (float(change) for change in changes)
    return ThinLayer(end.time * u, pressure, velocity, profile)
