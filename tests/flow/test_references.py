"""The references by themselves: what is conserved, and what they become for an ideal gas."""

from __future__ import annotations

import numpy as np
import pytest
from flow.mixture import Mixture, R
from flow.references import Fields, Layer, Riemann, State, simple_wave, vortex

HOT, COLD = State(300.0, 20e6), State(160.0, 6e6)
ONE = np.ones((1, 1))


def enthalpy(mixture: Mixture, f: Fields) -> np.ndarray:
    return np.asarray((mixture.energy(f.T, f.rho[None]) + f.P) / f.rho)


def entropy(mixture: Mixture, f: Fields) -> np.ndarray:
    return np.asarray(mixture.entropy(f.T, f.rho[None]) / f.rho)


def gamma_of_cold_oxygen(mixture: Mixture) -> float:
    """A thin gas below the fit of its heat capacity, which is then constant."""
    r = mixture.density(np.array(150.0), np.array(1.0), ONE)
    cp = float(mixture.heat_capacity(np.array([150.0]), r)[0])
    return float(cp / (cp - R / mixture.W[0, 0]))


def point(*values: float) -> Fields:
    return Fields(*(np.array([value]) for value in values))


def check_shock(solution: Riemann, ahead: State, sign: float) -> None:
    """Rankine and Hugoniot, in the frame of the shock; Lax: from faster than sound to slower."""
    mixture = solution.mixture
    rho0 = float(mixture.density(np.array(ahead.T), np.array(ahead.P), ONE).sum())
    rho, T, mass = solution.shock(ahead, solution.P)
    front = ahead.u - sign * mass / rho0
    before = point(rho0, ahead.u - front, ahead.P, ahead.T)
    behind = point(rho, solution.u - front, solution.P, T)
    flux = [
        np.stack([s.rho * s.u, s.rho * s.u**2 + s.P, enthalpy(mixture, s) + 0.5 * s.u**2])
        for s in (before, behind)
    ]
    np.testing.assert_allclose(flux[1], flux[0], rtol=1e-9)
    assert entropy(mixture, behind) > entropy(mixture, before)
    for side, faster in ((before, True), (behind, False)):
        c = mixture.sound_speed(side.T, side.rho[None])
        assert (abs(side.u) > c) == faster


def check_fan(solution: Riemann, xi: np.ndarray, f: Fields, state: State, sign: float) -> None:
    """u -+ c is x/t within, the entropy that outside."""
    fan = (f.P > solution.P * (1 + 1e-9)) & (f.P < state.P * (1 - 1e-9))
    fan &= sign * (xi - solution.u) < 0.0
    assert fan.sum() > 10
    inside = Fields(f.rho[fan], f.u[fan], f.P[fan], f.T[fan])
    c = solution.mixture.sound_speed(inside.T, inside.rho[None])
    np.testing.assert_allclose(inside.u - sign * c, xi[fan], atol=1e-6)
    s, outside = (entropy(solution.mixture, part) for part in (inside, f))
    np.testing.assert_allclose(s, outside[0 if sign > 0.0 else -1], rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "left", "right", "shocks"),
    [
        ("N2", HOT, COLD, (False, True)),
        ("O2", HOT, COLD, (False, True)),
        ("O2", COLD, HOT, (True, False)),
        ("O2", State(200.0, 8e6, 150.0), State(180.0, 7e6, -90.0), (True, True)),
        ("O2", State(300.0, 20e6, -40.0), State(250.0, 19e6, 60.0), (False, False)),
    ],
)
def test_riemann(name: str, left: State, right: State, shocks: tuple[bool, bool]) -> None:
    mixture = Mixture([name])
    solution = Riemann(mixture, left, right)
    pressures = (left.P, right.P)
    assert tuple(solution.P > P for P in pressures) == shocks
    xi = np.linspace(-1500.0, 1500.0, 6001)
    f = solution(xi)
    for state, at in ((left, 0), (right, -1)):
        assert (f.P[at], f.u[at], f.T[at]) == (state.P, state.u, state.T)
    held = np.stack([f.rho, f.rho * f.u, f.rho * (enthalpy(mixture, f) + 0.5 * f.u**2) - f.P])
    flux = np.stack([f.rho * f.u, f.rho * f.u**2 + f.P, (held[2] + f.P) * f.u])
    # What [x0 t, x1 t] holds grows by what flows in: all waves together conserve.
    inflow = (flux - held * xi)[:, 0] - (flux - held * xi)[:, -1]
    content = np.trapezoid(held, xi, axis=1)
    step = 3.0 * (xi[1] - xi[0]) * np.ptp(held, axis=1)  # of each discontinuity
    assert (np.abs(content - inflow) < step + 1e-9 * np.abs(flux).max(axis=1)).all()
    for state, sign, shock in ((left, 1.0, shocks[0]), (right, -1.0, shocks[1])):
        if shock:
            check_shock(solution, state, sign)
        else:
            check_fan(solution, xi, f, state, sign)


def test_riemann_of_an_ideal_gas() -> None:
    """Toro's first test in form: a pressure ratio of 10, here with cold thin oxygen."""
    mixture = Mixture(["O2"])
    g = gamma_of_cold_oxygen(mixture)
    left, right = State(190.0, 100.0), State(130.0, 10.0)
    solution = Riemann(mixture, left, right)
    c = {s: np.sqrt(g * R / mixture.W[0, 0] * s.T) for s in (left, right)}
    x = solution.P / left.P
    fan = 2.0 * c[left] / (g - 1.0) * (1.0 - x ** ((g - 1.0) / (2.0 * g)))
    x = solution.P / right.P
    shock = (x - 1.0) * c[right] * np.sqrt(2.0 / g / ((g + 1.0) * x + g - 1.0))
    assert fan == pytest.approx(shock, rel=1e-5)
    assert solution.u == pytest.approx(fan, rel=1e-5)
    behind = solution(np.array([solution.u + 1e-6]))
    assert behind.rho[0] * R / mixture.W[0, 0] * behind.T[0] == pytest.approx(solution.P, rel=1e-5)


@pytest.mark.parametrize("far", [State(200.0, 1e7), State(160.0, 8e6)])
def test_vortex(far: State) -> None:
    mixture, speed, width = Mixture(["O2"]), 40.0, 0.3
    r = np.linspace(1e-3, 4.0, 400)
    f = vortex(mixture, far, speed, width, r)
    # dh = dP/rho along the isentrope, and u^2/r has an integral
    rho = mixture.density(np.array(far.T), np.array(far.P), ONE).sum()
    at_rest = point(rho, 0.0, far.P, far.T)
    h = enthalpy(mixture, at_rest) - 0.5 * speed**2 * np.exp(1.0 - (r / width) ** 2)
    assert np.abs(enthalpy(mixture, f) - h).max() < 1e-6 * speed**2
    np.testing.assert_allclose(entropy(mixture, f), entropy(mixture, at_rest)[0], rtol=1e-11)
    assert f.u.max() == pytest.approx(speed, rel=1e-3)
    assert f.P[0] < f.P[-1] == far.P


def test_simple_wave() -> None:
    """A small wave moves at c; a larger one of a thin gas as the formula of ideal gases says."""
    mixture, state = Mixture(["O2"]), State(120.0, 1e7, 25.0)
    x = np.linspace(-1.0, 1.0, 41)
    small = 10.0 * np.exp(-((x / 0.2) ** 2))
    speed, f = simple_wave(mixture, state, state.P + small, x)
    c = float(mixture.sound_speed(f.T[:1], f.rho[None, :1])[0])
    assert 550.0 < c < 650.0
    np.testing.assert_allclose(speed, c + 25.0, rtol=1e-6)
    np.testing.assert_allclose(f.u - 25.0, small / (f.rho[0] * c), rtol=1e-4, atol=1e-13)
    g = gamma_of_cold_oxygen(mixture)
    state = State(150.0, 100.0)
    P = 100.0 * (1.0 + 0.5 * np.sin(3.0 * x))
    speed, f = simple_wave(mixture, state, P, x)
    c0 = np.sqrt(g * R / mixture.W[0, 0] * state.T)
    ratio = (P / 100.0) ** ((g - 1.0) / (2.0 * g))
    np.testing.assert_allclose(f.u, 2.0 * c0 / (g - 1.0) * (ratio - 1.0), atol=1e-5 * c0)
    np.testing.assert_allclose(speed - f.u, c0 * ratio, rtol=1e-5)
    np.testing.assert_allclose(f.T, 150.0 * ratio**2, rtol=1e-5)


class Linear:
    """A cosine on a uniform mixture, so small that it changes as linear theory says."""

    state, P, size, points = (240.0, [0.6, 0.4]), 1e7, 1e-6, 16

    def __init__(self, thickness: float) -> None:
        self.mixture = mixture = Mixture(["O2", "CH4"])
        T, P, Y = np.array([self.state[0]]), np.array([self.P]), np.array(self.state[1])[:, None]
        self.r = mixture.density(T, P, Y)
        self.T, self.rho, self.c = T, self.r.sum(), mixture.sound_speed(T, self.r)[0]
        eta, conductivity, D = mixture.transport(T, self.r)
        self.cp = mixture.heat_capacity(T, self.r)[0]
        self.heat = conductivity[0] / (self.rho * self.cp)
        self.viscosity = eta[0] / self.rho
        moles = self.r / mixture.W
        W = self.rho / moles.sum()
        self.D = D[0, 0] * W / mixture.W[1, 0]  # of the pair
        self.k = thickness * self.c / self.heat
        self.layer = Layer(mixture, self.points, 2.0 * np.pi / self.k)
        self.cosine = np.cos(self.k * self.layer.x)
        self.base = np.vstack([self.r, [[0.0]], [T]]) + np.zeros((4, self.points))

    def amplitude(self, f: np.ndarray) -> complex:
        return complex(np.fft.rfft(f - f.mean())[1] * 2.0 / self.points)


def test_heat_spreads() -> None:
    a = Linear(0.01)
    T = a.T + a.size * a.cosine * a.T
    y = a.base.copy()
    y[:2] = a.mixture.density(T, np.array(a.P), a.r / a.rho)
    y[3] = T
    end = a.layer.after(y, 0.5 / (a.k**2 * a.heat), 1e-11)
    # The entropy has no part of the sound that the expansion begins with.
    s = [a.mixture.entropy(at[3], at[:2]) / at[:2].sum(axis=0) for at in (y, end)]
    left = a.amplitude(s[1]).real / a.amplitude(s[0]).real
    assert left == pytest.approx(np.exp(-0.5), rel=1e-3)


def test_species_spread() -> None:
    a = Linear(0.01)
    Y = a.r / a.rho + a.size * a.cosine * np.array([[1.0], [-1.0]])
    y = a.base.copy()
    y[:2] = a.mixture.density(a.T, np.array(a.P), Y)
    end = a.layer.after(y, 0.5 / (a.k**2 * a.D), 1e-11)
    left = a.amplitude(end[0] / end[:2].sum(axis=0)).real / a.size
    assert left == pytest.approx(np.exp(-0.5), rel=1e-4)


def test_sound_moves_and_fades() -> None:
    a = Linear(0.003)
    gain = a.size * a.cosine
    P_T, _ = a.mixture.pressure_slopes(a.T, a.r)
    capacity, _ = a.mixture.energy_slopes(a.T, a.r)
    y = a.base.copy()
    y[:2] *= 1.0 + gain
    y[2] = a.c * gain
    y[3] *= 1.0 + P_T / capacity * gain
    time = 8.3 * 2.0 * np.pi / (a.k * a.c)
    end = a.layer.after(y, time, 1e-11)
    ratio = a.amplitude(end[2]) / a.amplitude(y[2])
    gamma = a.cp * a.rho / capacity[0]
    rate = 0.5 * a.k**2 * (4.0 / 3.0 * a.viscosity + (gamma - 1.0) * a.heat)
    assert abs(ratio) == pytest.approx(np.exp(-rate * time), rel=3e-3)
    turn = np.angle(ratio * np.exp(1j * a.k * a.c * time))
    assert abs(turn) < 1e-3 * a.k * a.c * time


def test_layer_of_oxygen_and_methane() -> None:
    """Conserves what it does not write in conservative form, and does not depend on its points."""
    one, other = State(220.0, 1e7, 0.0, (1.0, 0.0)), State(300.0, 1e7, 0.0, (0.0, 1.0))
    width = 1e-8
    ends = []
    for points in (96, 128):
        layer = Layer(Mixture(["O2", "CH4"]), points, 32.0 * width)
        begin = layer.begin(one, other, width)
        end = layer.after(begin, 1.5e-10)
        before, after = layer.totals(begin), layer.totals(end)
        assert np.abs(after[[0, 1, 3]] / before[[0, 1, 3]] - 1.0).max() < 1e-9
        assert abs(after[2]) < 1e-9 * np.abs(end[:2].sum(axis=0) * end[2]).max()
        ends.append(layer.grid.at(end, np.linspace(0.0, 32.0 * width, 50)))
    change = np.abs(ends[1][3] - ends[0][3]).max()
    assert change < 1e-4 and np.abs(end[3] - begin[3]).max() > 4.0
