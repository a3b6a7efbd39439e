"""Proofs of the flow solver in one dimension, or without sides: waves, layers, a shock tube, a
vortex (see proofs.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flow.mixture import Mixture
from flow.proofs import Array, Convergence, Profile, convergence, sound
from flow.reading import Solve
from flow.references import Layer, Riemann, State, simple_wave, vortex

LENGTH = 1e-3  # m, of the waves
COMMON = {"Lengths": (LENGTH,) * 3, "Viscous": False, "Cfl": 0.8}


def density_wave(solve: Solve) -> Convergence:
    """A wave of N2 at 5 MPa, from gas-like 57 kg/m3 to liquid-like 793 kg/m3, is carried along by
    one wavelength. Exact: it has not changed. Columns: the mean error of the density over the
    amplitude of the wave, fourth order, and the largest error of the pressure over the pressure,
    which must stay constant."""
    T, P, u, amplitude = 131.06, 5e6, 100.0, 368.0
    rho, _ = sound(Mixture(["N2"]), T, P)
    profiles: dict[int, dict[str, Profile]] = {}
    errors: dict[str, list[float]] = {"density": [], "pressure": []}
    for cells in (32, 64, 128, 256):
        end = solve(
            Flow="wave", Species="N2", Cells=(cells, 1, 1), Pressure=P, Temperature=T,
            Velocity=(u, 0.0, 0.0), Amplitude=amplitude, EndTime=LENGTH / u, **COMMON,
        )  # fmt: skip
        x = end.centres(0)
        exact = rho + amplitude * np.sin(2.0 * np.pi * x / LENGTH)
        profiles[cells] = {"density": Profile(x, end.rho[:, 0, 0], exact)}
        errors["density"].append(float(np.abs(end.rho[:, 0, 0] - exact).mean()) / amplitude)
        errors["pressure"].append(float(np.abs(end["P"] / P - 1.0).max()))
    return Convergence(tuple(profiles), errors, profiles)


@dataclass(frozen=True)
class SmallPulse:
    """Speeds of sound in m/s, without the stream; peaks over those of the exact pulse."""

    speed: float
    exact: float
    peak: float
    push: float
    profile: Profile


def small_pulse(solve: Solve, u: float, scheme: str) -> SmallPulse:
    """A pulse of sound of 1 kPa in O2 at 10 MPa and 120 K, 50 um wide in a period of 1 mm of 128
    cells, has gone around three times in a stream. Exact: it moves at u + c with the speed of
    sound of the mixture, and keeps its shape."""
    T, P, width, amplitude = 120.0, 1e7, 5e-5, 1e3
    rho, c = sound(Mixture(["O2"]), T, P)
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
    push = np.abs(end.velocity()[:, 0, 0] - u).max() * rho * c / amplitude
    return SmallPulse(
        speed=float((3.0 * LENGTH + late) / time - u), exact=c, push=float(push),
        peak=float(rise.max()) / amplitude, profile=Profile(x, rise / amplitude, begin),
    )  # fmt: skip


def large_pulse(solve: Solve) -> Convergence:
    """A pulse of 2 MPa in O2 at 10 MPa and 120 K has gone half of the period. Exact: a simple
    wave, each pressure of which moves at its own u + c, so the front becomes steep. Columns: mean
    errors over the range of each field."""
    state, width, amplitude = State(120.0, 1e7), 1e-4, 2e6
    mixture = Mixture(["O2"])
    start = np.linspace(-LENGTH, 2.0 * LENGTH, 3001)
    P = state.P + amplitude * np.exp(-(((start - 0.5 * LENGTH) / width) ** 2))
    speed, wave = simple_wave(mixture, state, P, start)
    time = 0.5 * LENGTH / speed.min()
    place = start + speed * time - LENGTH
    if not (np.diff(place) > 0.0).all():
        raise ArithmeticError("large_pulse: a shock, which a simple wave has not")

    def there(x: Array, exact: Array) -> Array:
        """The period's left half has been left by the wave's right half, and not reached yet."""
        left, right = np.interp(x, place, exact), np.interp(x - LENGTH, place, exact)
        return np.asarray(np.where(x < 0.5 * LENGTH, left, right))

    profiles = {}
    for cells in (64, 128):
        end = solve(
            Flow="pulse", Species="O2", Cells=(cells, 1, 1), Pressure=state.P,
            Temperature=state.T, Width=width, Amplitude=amplitude, EndTime=time, **COMMON,
        )  # fmt: skip
        x = end.centres(0)
        found = {"P": end["P"], "u": end.velocity(), "T": end["T"], "rho": end.rho}
        profiles[cells] = {
            name: Profile(x, values[:, 0, 0], there(x, getattr(wave, name)))
            for name, values in found.items()
        }
    return convergence(profiles)


#: O2 and CH4 in equal parts, which conduct heat; O2 and CH4, which diffuse too.
LAYERS = {
    "heat": (State(220.0, 1e7, Y=(0.5, 0.5)), State(300.0, 1e7, Y=(0.5, 0.5))),
    "species": (State(220.0, 1e7, Y=(1.0, 0.0)), State(300.0, 1e7, Y=(0.0, 1.0))),
}


def layer(solve: Solve, kind: str) -> Convergence:
    """Cold O2 beside warm CH4 at 10 MPa, 220 K and 300 K, at rest: heat and species spread, and
    the layer sends out sound as it begins to mix. Compared with a solution of the whole equations
    by trigonometric polynomials of 160 points, whose properties are written a second time, in
    NumPy (`tests/flow/mixture.py`). Columns: mean errors over the mean change of each field;
    second order, as the viscous fluxes are."""
    one, other = LAYERS[kind]
    # Layers this thin take few steps of the time of sound for the time of diffusion.
    width, time = 1e-8, 2.5e-10
    length = 32.0 * width
    reference = Layer(Mixture(["O2", "CH4"]), 160, length)
    begin = reference.begin(one, other, width)
    after = reference.after(begin, time)
    changes = np.abs(after - begin).mean(axis=1)
    names = ("rho_O2", "rho_CH4", "u", "T")
    profiles: dict[int, dict[str, Profile]] = {}
    errors: dict[str, list[float]] = {name: [] for name in names}
    for cells in (64, 128, 256):
        end = solve(
            Flow="layer", Species="O2 CH4", Cells=(cells, 1, 1), Lengths=(length,) * 3,
            Width=width, Pressure=one.P, Temperature=one.T, Y=one.Y, OtherPressure=other.P,
            OtherTemperature=other.T, OtherY=other.Y, EndTime=time,
        )  # fmt: skip
        x = end.centres(0)
        wanted = reference.grid.at(after, x)
        found = (end["rho_O2"], end["rho_CH4"], end.velocity(), end["T"])
        profiles[cells] = {
            name: Profile(x, f[:, 0, 0], row)
            for name, f, row in zip(names, found, wanted, strict=True)
        }
        for name, change in zip(names, changes, strict=True):
            at = profiles[cells][name]
            errors[name].append(float(np.abs(at.found - at.exact).mean() / change))
    return Convergence(tuple(profiles), errors, profiles)


def shock_tube(solve: Solve) -> Convergence:
    """N2 at 20 MPa and 300 K beside N2 at 6 MPa and 160 K. Exact: shock, contact and fan of the
    Riemann problem of the real gas, both sides above the critical pressure. Columns: mean errors
    over the range of each field; first order, as of any scheme at a shock."""
    left, right = State(300.0, 20e6), State(160.0, 6e6)
    exact = Riemann(Mixture(["N2"]), left, right)
    length, time = 1.0, 3.5e-4
    profiles = {}
    for cells in (100, 200, 400):
        end = solve(
            Flow="tube", Species="N2", Cells=(cells, 1, 1), Lengths=(length,) * 3, Viscous=False,
            Pressure=left.P, Temperature=left.T, OtherPressure=right.P,
            OtherTemperature=right.T, BoundaryX=("slip", "slip"), EndTime=time, Scheme="RK3",
        )  # fmt: skip
        x = end.centres(0)
        wanted = exact((x - 0.5 * length) / time)
        found = {"rho": end.rho, "u": end.velocity(), "P": end["P"], "T": end["T"]}
        profiles[cells] = {
            name: Profile(x, values[:, 0, 0], getattr(wanted, name))
            for name, values in found.items()
        }
    return convergence(profiles)


def moving_vortex(solve: Solve) -> Convergence:
    """A vortex of O2 at 8 MPa and 160 K, whose pressure balances its rotation of 60 m/s, is
    carried by half a period in both directions. Exact: it stands on the corner, as it was.
    Columns: root mean square errors over the range of each field. Above third order."""
    far, speed, width, stream = State(160.0, 8e6), 60.0, 1e-4, 100.0
    length, mixture = 12.0 * width, Mixture(["O2"])
    profiles: dict[int, dict[str, Profile]] = {}
    errors: dict[str, list[float]] = {name: [] for name in ("P", "rho", "u", "v")}
    for n in (28, 42):
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
        profiles[n] = {
            name: Profile(np.hypot(x, y).ravel(), found[name][:, :, 0].ravel(), f.ravel())
            for name, f in wanted.items()
        }
        for name, at in profiles[n].items():
            square = np.sqrt(np.mean((at.found - at.exact) ** 2))
            errors[name].append(float(square / np.ptp(at.exact)))
    return Convergence(tuple(profiles), errors, profiles)
