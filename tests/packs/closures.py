"""Ten closures as CFD codes have them, in Python: a pack that test_python_kernels.py builds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import bridge

C_MU = 0.09
KAPPA, B = 0.41, 5.2
TURNS = 8
#: Coefficients of cp/R of a gas, from the constant one on.
CP = (3.28253784, 1.48308754e-3, -7.57966669e-7, 2.09470555e-10, -2.16717794e-14)
_random = np.random.default_rng(11)
W1, b1 = _random.normal(size=(8, 4)), _random.normal(size=8)
W2, b2 = _random.normal(size=(1, 8)), _random.normal(size=1)


@bridge.kernel(
    inputs="sst_k sst_omega rho", outputs="sst_mut",
    units={"sst_mut": "Pa s", "sst_k": "m2/s2", "sst_omega": "1/s"},
)  # fmt: skip
def eddyViscosity(k: Any, omega: Any, rho: Any) -> Any:
    """Eddy viscosity of the k-omega model.

    k: turbulent kinetic energy
    omega: specific dissipation rate
    """
    limited = max(omega, 1e-10)
    return rho * k / limited


@bridge.kernel(outputs="les_nut", columns={"les_gradient": 9}, units={"les_gradient": "1/s"})
def smagorinsky(les_gradient: Any, les_delta: Any, *, les_cs: Any = 0.17) -> Any:
    """Smagorinsky's eddy viscosity, of the velocity gradient du_i/dx_j."""
    total = 0.0
    for i in range(3):
        for j in range(3):
            s = 0.5 * (les_gradient[3 * i + j] + les_gradient[3 * j + i])
            total += s * s
    return (les_cs * les_delta) ** 2 * np.sqrt(2 * total)


@bridge.kernel(outputs="suth_mu", units={"suth_mu": "Pa s", "suth_S": "K"})
def sutherland(T: Any, *, suth_S: Any = 110.4) -> Any:
    """Sutherland's viscosity of air."""
    t = T / 273.15
    return 1.716e-5 * t**1.5 * (273.15 + suth_S) / (T + suth_S)


def arrhenius(T: Any, A: Any, n: Any, Ea: Any) -> Any:
    """Rate constant of a reaction."""
    return A * T**n * np.exp(-Ea / (8.31446261815324 * T))


@bridge.kernel(outputs="arr_forward arr_backward", inputs="T arr_c")
def rates(T: Any, c: Any) -> Any:
    """Rates of a reaction and of its reverse."""
    forward = arrhenius(T, 1.2e7, 0.5, 6.3e4) * c
    return forward, forward / (1 + np.exp(9.0 - 4000 / T))


def limiter(r: Any) -> Any:
    """Van Leer's limiter."""
    if r <= 0:
        return 0.0
    return 2 * r / (1 + r)


@bridge.kernel(outputs="tvd_slope", inputs="tvd_left tvd_right")
def vanLeer(left: Any, right: Any) -> Any:
    """Slope of a cell, limited."""
    if abs(right) < 1e-12:
        slope = 0.0
    else:
        slope = limiter(left / right) * right
    return slope


@bridge.kernel(
    outputs="mix_z mix_X", inputs="mix_Y mix_W", columns={"mix_Y": 5, "mix_W": 5, "mix_X": 5}
)
def mixtureFraction(Y: Any, W: Any) -> Any:
    """Mixture fraction of the first two species, and mole fractions."""
    moles = sum(y / w for y, w in zip(Y, W, strict=True))
    X = np.zeros(len(Y))
    for i in range(len(Y)):
        X[i] = Y[i] / W[i] / moles
    return min(max(Y[0] + 0.25 * Y[1], 0.0), 1.0), X


@bridge.kernel(outputs="poly_cp poly_h", inputs="T", units={"poly_cp": "J/(mol K)"})
def heatCapacity(T: Any) -> Any:
    """Heat capacity and enthalpy as polynomials."""
    cp, h = 0.0, 0.0
    for i in range(len(CP)):
        cp = cp * T + CP[-1 - i]
        h = h * T + CP[-1 - i] / (len(CP) - i)
    R = 8.31446261815324
    return R * cp, R * T * h


@bridge.kernel(outputs="sponge_force", inputs="sponge_x sponge_u")
def sponge(x: Any, u: Any, *, sponge_start: Any = 0.8, sponge_on: Any = True) -> Any:
    """Force of a sponge layer, towards rest."""
    if sponge_on and sponge_start < x <= 1.0:
        depth = (x - sponge_start) / (1.0 - sponge_start)
        strength = 20.0 * depth**2
    elif x > 1.0:
        strength = 20.0
    else:
        strength = 0.0
    return -strength * u


@bridge.kernel(outputs="law_friction", inputs="law_u law_y law_nu")
def frictionVelocity(u: Any, y: Any, nu: Any) -> Any:
    """Friction velocity of a log law: u/u_tau = log(y u_tau/nu)/kappa + B."""
    friction = math.sqrt(u * nu / y)
    for _ in range(TURNS):
        profile = math.log(y * friction / nu) / KAPPA + B
        step = (u - friction * profile) / (profile + 1 / KAPPA)
        friction = max(friction + step, 0.1 * friction)
    return friction


@bridge.kernel(outputs="net_tau", inputs="net_x", columns={"net_x": 4})
def network(x: Any) -> Any:
    """A network of 4, 8 and 1 neurons."""
    hidden = np.tanh(W1 @ x + b1)
    return (W2 @ hidden + b2)[0]
