"""Proofs of the sides of the domain: inflow, outflow, walls (see proofs.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flow.mixture import Mixture
from flow.proofs import Convergence, Profile, Totals, Uniform, convergence, sound, totals
from flow.reading import Output, Solve

LENGTH = 1e-3  # m
#: Sound in dense oxygen, without viscosity.
DENSE = {
    "Species": "O2", "Pressure": 1e7, "Temperature": 120.0, "Lengths": (LENGTH,) * 3,
    "Viscous": False, "Cfl": 0.8,
}  # fmt: skip
TWO = {"Species": "O2 CH4", "Pressure": 8e6, "OtherPressure": 8e6}


@dataclass(frozen=True)
class Reflection:
    """What is left when the pulse has gone: largest deviations over the pulse's amplitude."""

    cells: int
    pressure: float
    velocity: float
    rest: Profile


def outflow(solve: Solve, side: str, mach: float, amplitude: float) -> Reflection:
    """A pulse of sound in O2 at 10 MPa and 120 K leaves through the outflow. It begins in the
    middle, 50 um wide in a channel of 1 mm. What came back has gone 0.4 mm upstream when it is
    measured: the largest deviation of the pressure in the whole channel, over the amplitude
    of the pulse. An outflow that reflects nothing would leave nothing."""
    cells, T, P = 64, 120.0, 1e7
    rho, c = sound(Mixture(["O2"]), T, P)
    u = mach * c
    end = solve(
        Flow="pulse", Cells=(cells, 1, 1), Width=0.05 * LENGTH, Velocity=(u, 0.0, 0.0),
        Amplitude=amplitude, BoundaryX=(side, "outflow"),
        EndTime=0.5 * LENGTH / (c + u) + 0.4 * LENGTH / (c - u), **DENSE,
    )  # fmt: skip
    rise = (end["P"][:, 0, 0] - P) / amplitude
    push = (end.velocity()[:, 0, 0] - u) * rho * c / amplitude
    rest = Profile(end.centres(0), rise, np.zeros(cells))
    return Reflection(cells, float(np.abs(rise).max()), float(np.abs(push).max()), rest)


def uniform_channel(solve: Solve, form: str) -> Uniform:
    """A uniform oblique flow of O2 and CH4 from an inflow to an outflow, 20 steps in three
    dimensions: the largest relative change of each field."""
    velocity = (40.0, -25.0, 10.0)
    begin, end = (
        solve(
            Flow="uniform", Cells=(8, 4, 3), Lengths=(1e-5,) * 3, Temperature=180.0,
            Velocity=velocity, Y=(0.7, 0.3), Steps=steps, Energy=form,
            BoundaryX=("inflow", "outflow"), **TWO,
        )
        for steps in (0, 20)
    )  # fmt: skip
    names = ("rho_O2", "rho_CH4", "rhou", "rhov", "rhow", "P", "T")
    changes = {name: float(np.abs(end[name] / begin[name] - 1.0).max()) for name in names}
    return Uniform(changes, end)


@dataclass(frozen=True)
class Washing:
    """Largest deviations from the state of the inflow: of u relative, of the enthalpy and the
    mass fractions over the difference between both fluids. kept: in the first cell, while the
    other fluid leaves; left: everywhere, when it has left."""

    kept: dict[str, float]
    left: dict[str, float]
    profiles: dict[str, Profile]


def washing(solve: Solve) -> Washing:
    """The inflow keeps its velocity, enthalpy and mass fractions while the other half of the
    channel, of another temperature and composition, leaves through the outflow; then the fluid
    of the inflow fills the channel. Both fluids are mixtures of O2 and CH4 at 8 MPa."""
    length, u, cells = 1e-4, 50.0, 64
    values = {
        **TWO, "Flow": "layer", "Cells": (cells, 1, 1), "Lengths": (length,) * 3,
        "Width": length / 32.0, "Temperature": 220.0, "Y": (0.7, 0.3), "OtherTemperature": 300.0,
        "OtherY": (0.2, 0.8), "Velocity": (u, 0.0, 0.0), "OtherVelocity": (u, 0.0, 0.0),
        "BoundaryX": ("inflow", "outflow"), "Cfl": 0.8,
    }  # fmt: skip

    def of(output: Output) -> dict[str, np.ndarray]:
        fields = {
            "u": output.velocity(), "h": output["e"] + output["P"] / output.rho,
            "Y": output["rho_O2"] / output.rho,
        }  # fmt: skip
        return {name: field[:, 0, 0] for name, field in fields.items()}

    first = solve(**values, Steps=0)
    half, end = (of(solve(**values, EndTime=turns * length / u)) for turns in (0.5, 1.5))
    begin = of(first)
    scales = {name: u if name == "u" else float(np.ptp(begin[name])) for name in begin}
    kept = {name: float(abs(half[name][0] - begin[name][0])) / scales[name] for name in begin}
    left = {name: float(np.abs(end[name] - begin[name][0]).max()) / scales[name] for name in begin}
    x = first.centres(0)
    profiles = {
        name: Profile(x, fields["Y"], np.full(cells, begin["Y"][0]))
        for name, fields in (("begin", begin), ("half", half), ("end", end))
    }
    return Washing(kept, left, profiles)


def wall_layer(solve: Solve, side: str) -> Convergence:
    """A stream of O2 and CH4 at 10 MPa and 200 K between two walls at rest that hold it, from
    the moment when it moves everywhere at one speed. It slows down by diffusion with
    the viscosity of the mixture, and has then the profile of the series of sines. The speed
    is 2 m/s, so that friction does not heat. Walls lie 40 nm apart, so that time steps,
    which are those of sound, are few; they are second order."""
    T, P, Y, width = 200.0, 1e7, (0.6, 0.4), 4e-8
    mixture = Mixture(["O2", "CH4"])
    r = mixture.density(np.array(T), np.array(P), np.array(Y)[:, None])
    nu = float(mixture.transport(np.array([T]), r)[0][0] / r.sum())
    d = "XYZ".index(side)
    speed = np.roll([0.0, 2.0, -1.0], d)  # along the walls in both directions
    profiles = {}
    for n in (16, 32):
        end = solve(
            Flow="uniform", Species="O2 CH4", Cells=tuple(int(c) for c in np.roll([n, 1, 1], d)),
            Lengths=(width,) * 3, Temperature=T, Pressure=P, Y=Y, Velocity=tuple(speed.tolist()),
            EndTime=width**2 / (np.pi**2 * nu), Cfl=0.8, **{f"Boundary{side}": ("wall", "wall")},
        )  # fmt: skip
        x, k = end.centres(d), np.arange(1, 60, 2)[:, None]
        share = (4.0 / (np.pi * k) * np.sin(k * np.pi * x / width) * np.exp(-(k**2))).sum(axis=0)
        profiles[n] = {
            f"along {'xyz'[a]}": Profile(x, end.velocity(a).ravel(), speed[a] * share)
            for a in range(3)
            if a != d
        }
    return convergence(profiles)


@dataclass(frozen=True)
class Echo:
    """A pulse that a slip wall sends back. wall: the pressure at the wall over the amplitude."""

    wall: float
    back: Convergence


def slip_wall(solve: Solve) -> Echo:
    """A pulse of sound in O2 at 10 MPa and 120 K, 0.1 mm wide, meets a slip wall and comes back
    to where it began. At the wall its pressure is doubled; then it is what it was,
    and moves to the other side. Fourth order."""
    T, P, width, amplitude = 120.0, 1e7, 0.1 * LENGTH, 1e3
    rho, c = sound(Mixture(["O2"]), T, P)
    values = {**DENSE, "Flow": "pulse", "Width": width, "Amplitude": amplitude}
    values |= {"BoundaryX": ("slip", "slip")}
    profiles = {}
    for n in (32, 64):
        end = solve(**values, Cells=(n, 1, 1), EndTime=LENGTH / c)
        x = end.centres(0)
        exact = np.exp(-(((x - 0.5 * LENGTH) / width) ** 2))
        rise = (end["P"][:, 0, 0] - P) / amplitude
        push = end.velocity()[:, 0, 0] * rho * c / amplitude
        profiles[n] = {"P": Profile(x, rise, exact), "u": Profile(x, push, -exact)}
    there = solve(**values, Cells=(64, 1, 1), EndTime=0.5 * LENGTH / c)["P"][-1, 0, 0]
    return Echo(float(there - P) / amplitude, convergence(profiles))


def closed_box(solve: Solve) -> Totals:
    """Cold O2 between CH4 moves in a box of slip walls along x and walls without slip along y, 40
    steps. No mass of a species and no energy goes through the walls."""
    values = {
        **TWO, "Flow": "jet", "Cells": (16, 16, 1), "Lengths": (2.4e-5, 2.4e-5, 1e-6),
        "Temperature": 300.0, "OtherTemperature": 200.0, "Y": (0.0, 1.0), "OtherY": (1.0, 0.0),
        "OtherVelocity": (10.0, 0.0, 0.0), "Width": 2e-6, "Amplitude": 20.0,
        "BoundaryX": ("slip", "slip"), "BoundaryY": ("wall", "wall"),
    }  # fmt: skip
    begin, end = (solve(**values, Steps=steps) for steps in (0, 40))
    return totals(begin, end, ("rho_O2", "rho_CH4", "energy"))
