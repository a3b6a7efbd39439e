"""Flows of a real gas to judge a solver by: simple waves, the Riemann problem, a vortex in
balance, a layer of two species that diffuse. All come from `mixture` and SciPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flow.mixture import Mixture
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = np.ndarray
#: Of all integrations along a curve.
PRECISE = {"method": "DOP853", "rtol": 1e-11, "atol": 0.0, "dense_output": True}


@dataclass(frozen=True)
class State:
    """A fluid at rest or in uniform motion: K, Pa, m/s, mass fractions of the species."""

    T: float
    P: float
    u: float = 0.0
    Y: tuple[float, ...] = (1.0,)


@dataclass(frozen=True)
class Fields:
    """One value for each point, in SI units."""

    rho: Array
    u: Array
    P: Array
    T: Array


class Isentrope:
    """The states of one entropy and composition, by pressure, from that of `state` to `end` Pa."""

    def __init__(self, mixture: Mixture, state: State, end: float) -> None:
        self.mixture, self.Y = mixture, np.array(state.Y)[:, None]
        rho = mixture.density(np.array(state.T), np.array(state.P), self.Y).sum(axis=0)[0]

        def slopes(P: float, y: Array) -> Array:
            T, r = y[1:2], self.Y * y[0]
            c2 = mixture.sound_speed(T, r)[0] ** 2
            P_T, capacity = mixture.pressure_slopes(T, r)[0][0], mixture.energy_slopes(T, r)[0][0]
            heating = T[0] * P_T / (y[0] * capacity * c2)
            return np.array([1.0 / c2, heating, 1.0 / (y[0] * np.sqrt(c2))])

        # The integral of dP/(rho c) begins at 1 m/s, so that relative errors mean something.
        self._begin, self._curve = np.array([[rho], [state.T], [1.0]]), None
        if end != state.P:
            found = solve_ivp(slopes, (state.P, end), self._begin[:, 0], **PRECISE)
            if not found.success:
                raise ArithmeticError(f"isentrope of {state} to {end} Pa: {found.message}")
            self._curve = found.sol

    def __call__(self, P: Array) -> tuple[Array, Array, Array, Array]:
        """Density, temperature, the integral of dP/(rho c) from `state`, and c."""
        P = np.atleast_1d(P)
        rho, T, speed = self._begin + 0.0 * P if self._curve is None else self._curve(P)
        return rho, T, speed - 1.0, self.mixture.sound_speed(T, self.Y * rho)


def simple_wave(mixture: Mixture, state: State, P: Array, x: Array) -> tuple[Array, Fields]:
    """A wave of given pressures P at the points x that runs to the right into `state`. Returns the
    speed u + c at which each value moves, for good until the first shock, and the fields."""
    low = Isentrope(mixture, state, min(state.P, P.min()))(np.minimum(P, state.P))
    high = Isentrope(mixture, state, max(state.P, P.max()))(np.maximum(P, state.P))
    parts = [np.where(P < state.P, *pair) for pair in zip(low, high, strict=True)]
    rho, T, change, c = parts
    u = state.u + change
    return u + c, Fields(rho, u, P, T)


class Riemann:
    """Two states of one composition that meet at x = 0 and t = 0. P and u are those of the middle.

    Either side has a shock or a rarefaction. Real gases of a single phase above the critical
    pressure have no other waves.
    """

    def __init__(self, mixture: Mixture, left: State, right: State) -> None:
        if left.Y != right.Y:
            raise ValueError(f"left and right: one composition, not {left.Y} and {right.Y}")
        self.mixture, self.left, self.right = mixture, left, right
        self.Y = np.array(left.Y)[:, None]

        def difference(P: float) -> float:
            return self._change(left, P) + self._change(right, P) - (left.u - right.u)

        low, high = min(left.P, right.P), max(left.P, right.P)
        while difference(low) > 0.0:
            low *= 0.8
        while difference(high) < 0.0:
            high *= 1.25
        self.P = float(brentq(difference, low, high, xtol=1e-9 * low, rtol=1e-13))
        self.u = left.u - self._change(left, self.P)

    def _at(self, T: float, P: float) -> tuple[float, float]:
        """Density and enthalpy, kg/m3 and J/kg."""
        r = self.mixture.density(np.array(T), np.array(P), self.Y)
        rho = float(r.sum())
        return rho, (float(self.mixture.energy(np.array([T]), r)[0]) + P) / rho

    def shock(self, ahead: State, P: float) -> tuple[float, float, float]:
        """Density and temperature behind a shock of pressure P, and the mass that crosses it,
        kg/(m2 s): those of Rankine and Hugoniot."""
        rho0, h0 = self._at(ahead.T, ahead.P)

        def hugoniot(T: float) -> float:
            rho, h = self._at(T, P)
            return h - h0 - 0.5 * (P - ahead.P) * (1.0 / rho + 1.0 / rho0)

        high = ahead.T
        while hugoniot(high) < 0.0:
            high *= 1.1
        T = float(brentq(hugoniot, 0.9 * ahead.T, high, xtol=1e-11, rtol=1e-13))
        rho, _ = self._at(T, P)
        return rho, T, float(np.sqrt((P - ahead.P) / (1.0 / rho0 - 1.0 / rho)))

    def _change(self, state: State, P: float) -> float:
        """By how much the wave of a side, a shock or a fan, changes the speed of its fluid."""
        if P <= state.P:
            return float(Isentrope(self.mixture, state, P)(np.array(P))[2][0])
        rho0, _ = self._at(state.T, state.P)
        rho, _, _ = self.shock(state, P)
        return float(np.sqrt((P - state.P) * (1.0 / rho0 - 1.0 / rho)))

    def __call__(self, xi: Array) -> Fields:
        """At xi = x/t, m/s."""
        xi = np.asarray(xi, float)
        left = self._side(self.left, xi, 1.0)
        right = self._side(self.right, xi, -1.0)
        names = ("rho", "u", "P", "T")
        return Fields(*(np.where(xi < self.u, left[k], right[k]) for k in names))

    def _side(self, state: State, xi: Array, sign: float) -> dict[str, Array]:
        """The wave that runs against `sign`; xi on the other side of the contact means nothing."""
        rho0, _ = self._at(state.T, state.P)
        outside = {"rho": rho0, "u": state.u, "P": state.P, "T": state.T}
        if state.P < self.P:
            rho, T, mass = self.shock(state, self.P)
            front = state.u - sign * mass / rho0
            inside = {"rho": rho, "u": self.u, "P": self.P, "T": T}
            return {k: np.where(sign * (xi - front) < 0.0, outside[k], inside[k]) for k in inside}
        curve = Isentrope(self.mixture, state, self.P)
        low, high = np.full(xi.shape, self.P), np.full(xi.shape, state.P)
        for _ in range(60):  # the wave's speed falls with the pressure: bisection
            P = 0.5 * (low + high)
            _, _, change, c = curve(P)
            beyond = sign * (state.u - sign * (change + c) - xi) < 0.0
            low, high = np.where(beyond, low, P), np.where(beyond, P, high)
        P = 0.5 * (low + high)
        density, temperature, change, _ = curve(P)
        return {"rho": density, "u": state.u - sign * change, "P": P, "T": temperature}


def vortex(mixture: Mixture, far: State, speed: float, width: float, r: Array) -> Fields:
    """The fluid that turns by speed (r/width) exp((1 - (r/width)^2)/2) around r = 0, at the
    entropy of `far`: dP/dr = rho u^2/r. `u` is this speed; r > 0."""
    rho0 = float(mixture.density(np.array(far.T), np.array(far.P), np.array(far.Y)).sum())
    # Of an incompressible fluid the pressure falls by rho speed^2 e/2; this one becomes thinner.
    curve = Isentrope(mixture, far, far.P - 1.5 * rho0 * speed**2)

    def turning(r: Array) -> Array:
        return np.asarray(speed * (r / width) * np.exp(0.5 * (1.0 - (r / width) ** 2)))

    def slope(at: float, P: Array) -> Array:
        return np.asarray(curve(P)[0] * turning(np.asarray(at)) ** 2 / at)

    edge = 12.0 * width  # nothing moves there
    found = solve_ivp(slope, (edge, r.min()), [far.P], first_step=0.1 * width,
                      max_step=0.3 * width, **PRECISE)  # fmt: skip
    P = np.where(r < edge, found.sol(np.minimum(r, edge))[0], far.P)
    rho, T, _, _ = curve(P)
    return Fields(rho, turning(r), P, T)


class Periodic:
    """Functions of x on a period, known at equal distances, as trigonometric polynomials."""

    def __init__(self, points: int, length: float) -> None:
        self.x = np.arange(points) * length / points
        self._waves = 2.0 * np.pi / length * np.arange(points // 2 + 1)
        self._slope = 1j * self._waves
        self._slope[-1] = 0.0  # the last cosine has zeros of its slope at the points

    def slope(self, f: Array) -> Array:
        found: Array = np.fft.irfft(self._slope * np.fft.rfft(f), f.shape[-1])
        return found

    def at(self, f: Array, x: Array) -> Array:
        """f (..., points) at other places x (m,): (..., m)."""
        parts = np.fft.rfft(f) / f.shape[-1]
        parts[..., 1:-1] *= 2.0
        found: Array = (parts @ np.exp(1j * np.outer(self._waves, x))).real
        return found


def layer_profile(x: Array, length: float, width: float) -> Array:
    """0 on the one side, 1 on the other, which lies between length/4 and 3 length/4."""
    rise = np.tanh((x - 0.25 * length) / width) - np.tanh((x - 0.75 * length) / width)
    return np.asarray(0.5 * rise)


class Layer:
    """Viscous, conducting and diffusing fluid in one periodic dimension.

    The whole equations of compressible flow, not those of low Mach numbers: the sound that a layer
    at rest sends out as it begins to mix is then part of the solution, and a solver can be
    compared with it on thin layers, which take few time steps. Derivatives are those of
    trigonometric polynomials, in time it is an explicit method of order 8. The unknowns are the
    densities of the species, u and T, so no equation is solved for T; that the total energy stays
    is then a test.
    """

    def __init__(self, mixture: Mixture, points: int, length: float) -> None:
        self.mixture, self.grid = mixture, Periodic(points, length)
        self.x = self.grid.x

    def rates(self, y: Array) -> Array:
        """d(r_i, u, T)/dt of y (ns + 2, points)."""
        mixture, slope = self.mixture, self.grid.slope
        r, u, T = y[:-2], y[-2], y[-1]
        rho = r.sum(axis=0)
        P = mixture.pressure(T, r)
        energy = mixture.energy(T, r)
        capacity, U_r = mixture.energy_slopes(T, r)
        eta, conductivity, D = mixture.transport(T, r)
        moles = r / mixture.W
        X = moles / moles.sum(axis=0)
        # rho W_i/W is W_i times the molar density; the diffusion of all together must vanish
        j = -mixture.W * moles.sum(axis=0) * D * slope(X)
        j -= r / rho * j.sum(axis=0)
        q = -conductivity * slope(T) + (mixture.species_enthalpies(T, r) * j).sum(axis=0)
        u_x = slope(u)
        stress = 4.0 / 3.0 * eta * u_x
        r_t = -slope(r * u + j)
        u_t = -u * u_x - slope(P - stress) / rho
        energy_t = -slope(energy * u + q) - (P - stress) * u_x
        T_t = (energy_t - (U_r * r_t).sum(axis=0)) / capacity
        return np.vstack([r_t, u_t, T_t])

    def begin(self, one: State, other: State, width: float) -> Array:
        """Constant pressure and speed of `one`; T and Y go from one state to the other."""
        share = layer_profile(self.x, self.x[1] * len(self.x), width)
        T = one.T + share * (other.T - one.T)
        Y = np.array(one.Y)[:, None] * (1.0 - share) + np.array(other.Y)[:, None] * share
        r = self.mixture.density(T, np.array(one.P), Y)
        return np.vstack([r, np.full(T.shape, one.u), T])

    def after(self, y: Array, time: float, rtol: float = 1e-9) -> Array:
        """The state `time` seconds later than y."""
        # Each unknown has its own scale, a speed that of sound.
        scale = np.abs(y).max(axis=1, keepdims=True)
        scale[-2] = self.mixture.sound_speed(y[-1], y[:-2]).max()

        def rates(_: float, flat: Array) -> Array:
            return np.asarray((self.rates(flat.reshape(y.shape) * scale) / scale).ravel())

        first = min(time, 0.1 * self.x[1] / float(scale[-2, 0]))
        found = solve_ivp(rates, (0.0, time), (y / scale).ravel(), method="DOP853",
                          rtol=rtol, atol=rtol, first_step=first)  # fmt: skip
        if not found.success:
            raise ArithmeticError(found.message)
        return np.asarray(found.y[:, -1].reshape(y.shape) * scale)

    def totals(self, y: Array) -> Array:
        """Means of the densities of the species, of momentum and of total energy."""
        r, u, T = y[:-2], y[-2], y[-1]
        rho = r.sum(axis=0)
        energy = self.mixture.energy(T, r) + 0.5 * rho * u**2
        return np.asarray(np.vstack([r, rho * u, energy]).mean(axis=1))
