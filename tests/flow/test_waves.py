"""Waves of density and of sound in one dimension, without viscosity."""

from __future__ import annotations

import numpy as np
import pytest
from flow.mixture import Mixture
from flow.reading import Solve
from flow.references import State, simple_wave

LENGTH = 1e-3
COMMON = {"Lengths": (LENGTH,) * 3, "Viscous": False, "Cfl": 0.8}


def test_density_wave(solve: Solve) -> None:
    """N2 from liquid-like to gas-like at 5 MPa, 57 to 793 kg/m3: moved by one wavelength, at
    constant pressure and velocity. Fourth order."""
    T, P, u, amplitude = 131.06, 5e6, 100.0, 368.0
    rho = Mixture(["N2"]).density(np.array(T), np.array(P), np.ones((1, 1))).sum()
    errors, pressures = [], []
    for cells in (32, 64, 128, 256):
        end = solve(
            Flow="wave", Species="N2", Cells=(cells, 1, 1), Pressure=P, Temperature=T,
            Velocity=(u, 0.0, 0.0), Amplitude=amplitude, EndTime=LENGTH / u, **COMMON,
        )  # fmt: skip
        exact = rho + amplitude * np.sin(2.0 * np.pi * end.centres(0) / LENGTH)
        errors.append(np.abs(end.rho[:, 0, 0] - exact).mean() / amplitude)
        pressures.append(np.abs(end["P"] / P - 1.0).max())
    orders = np.log2(np.array(errors[1:-1]) / errors[2:])
    assert (orders > 3.5).all(), (errors, orders)
    assert pressures[0] < 1e-3 and pressures[1] < 1e-4 and pressures[3] < 1e-6, pressures


@pytest.mark.parametrize(("u", "scheme"), [(20.0, "RK3"), (-30.0, "RK4")])
def test_small_pulse_in_dense_oxygen(solve: Solve, u: float, scheme: str) -> None:
    """It has gone around three times, at u + c."""
    T, P, width, amplitude = 120.0, 1e7, 5e-5, 1e3
    mixture = Mixture(["O2"])
    r = mixture.density(np.array(T), np.array(P), np.ones((1, 1)))
    c = float(mixture.sound_speed(np.array([T]), r)[0])
    time = 3.0 * LENGTH / (u + c)
    end = solve(
        Flow="pulse", Species="O2", Cells=(128, 1, 1), Pressure=P, Temperature=T, Width=width,
        Velocity=(u, 0.0, 0.0), Amplitude=amplitude, EndTime=time, Scheme=scheme,
        **COMMON,
    )  # fmt: skip
    x, rise = end.centres(0), end["P"][:, 0, 0] - P
    begin = np.exp(-(((x - 0.5 * LENGTH) / width) ** 2))
    turn = np.exp(-2j * np.pi * x / LENGTH)
    late = -np.angle((rise @ turn) / (begin @ turn)) / (2.0 * np.pi) * LENGTH
    assert (3.0 * LENGTH + late) / time - u == pytest.approx(c, rel=1e-3)
    assert rise.max() == pytest.approx(amplitude, rel=0.06)
    assert np.abs(end["rhou"][:, 0, 0] / end.rho[:, 0, 0] - u).max() < 1.1 * amplitude / (
        r.sum() * c
    )


def test_large_pulse(solve: Solve) -> None:
    """One of 2 MPa becomes steeper as a simple wave does."""
    state, width, amplitude = State(120.0, 1e7), 1e-4, 2e6
    mixture = Mixture(["O2"])
    start = np.linspace(-LENGTH, 2.0 * LENGTH, 3001)
    P = state.P + amplitude * np.exp(-(((start - 0.5 * LENGTH) / width) ** 2))
    speed, wave = simple_wave(mixture, state, P, start)
    time = 0.5 * LENGTH / speed.min()
    place = start + speed * time - LENGTH
    assert (np.diff(place) > 0.0).all()  # no shock yet
    errors = []
    for cells in (64, 128):
        end = solve(
            Flow="pulse", Species="O2", Cells=(cells, 1, 1), Pressure=state.P,
            Temperature=state.T, Width=width, Amplitude=amplitude, EndTime=time, **COMMON,
        )  # fmt: skip
        x = end.centres(0)
        found = {"P": end["P"], "u": end.velocity(), "T": end["T"], "rho": end.rho}
        differences = []
        for name, values in found.items():
            exact = getattr(wave, name)
            # The period's left half has been left by the wave's right half, and not reached yet.
            there = np.where(x < 0.5 * LENGTH, np.interp(x, place, exact),
                             np.interp(x - LENGTH, place, exact))  # fmt: skip
            differences.append(np.abs(values[:, 0, 0] - there).mean() / np.ptp(exact))
        errors.append(max(differences))
    assert errors[1] < 1e-3 and np.log2(errors[0] / errors[1]) > 3.0, errors
