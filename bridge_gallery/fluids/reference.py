"""A step of stable fluids with NumPy, in single precision and in the order of additions that the
kernels have: what every rung is checked against.

Fields are (n + 2, n + 2) with the border, row y first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Field = np.ndarray
NONE, VERTICAL, HORIZONTAL = 0, 1, 2
SWEEPS = 20


@dataclass(frozen=True)
class Settings:
    """Of a run, as the legacy program has them."""

    dt: float = 0.1
    diffusion: float = 1e-5
    viscosity: float = 1e-5
    force: float = 5.0
    source: float = 100.0

    def share(self, what: float, n: int) -> np.float32:
        """Share of the neighbours in a diffusion of this strength."""
        return np.float32(self.dt) * np.float32(what) * np.float32(n) * np.float32(n)


def sources(n: int, which: int, strong: float) -> Field:
    """What a reaction puts; which: 0 u, 1 v, 2 density."""
    field = np.zeros((n + 2, n + 2), "f4")
    field[n // 2, n // 2] = np.float32(strong) * np.float32(10)
    field[64:n:64, 64:n:64] = source_values(n, which, strong)
    return field


def source_values(n: int, which: int, strong: float) -> Field:
    """Those but the one in the middle: rows and columns 64, 128 and so on, below n."""
    at = np.arange(64, n, 64)
    values = np.full((len(at), len(at)), np.float32(strong) * np.float32(1000))
    if which != 2:
        values *= (n // 2 - at).astype("f4").reshape((-1, 1) if which == 0 else (1, -1))
        values /= np.float32(n // 2)
    return values


def react(u0: Field, v0: Field, d0: Field, with_: Settings) -> None:
    """Sources where the last step left nearly nothing."""
    n = u0.shape[0] - 2
    velocity, density = (u0 * u0 + v0 * v0).max(), d0.max()
    for field in (u0, v0, d0):
        field[...] = 0
    if velocity < np.float32(5e-7):
        u0[...], v0[...] = (sources(n, which, with_.force) for which in (0, 1))
    if density < 1:
        d0[...] = sources(n, 2, with_.source)


def set_bnd(x: Field, boundary: int) -> None:
    """The border by the cells inside."""
    side = np.float32(-1 if boundary == VERTICAL else 1)
    end = np.float32(-1 if boundary == HORIZONTAL else 1)
    x[1:-1, 0], x[1:-1, -1] = side * x[1:-1, 1], side * x[1:-1, -2]
    x[0, 1:-1], x[-1, 1:-1] = end * x[1, 1:-1], end * x[-2, 1:-1]
    half = np.float32(0.5)
    for row, by in ((0, 1), (-1, -2)):
        for col, beside in ((0, 1), (-1, -2)):
            x[row, col] = half * (x[row, beside] + x[by, col])


def lin_solve(x: Field, rhs: Field, boundary: int, a: np.float32, c: np.float32) -> None:
    """20 sweeps, each over red cells, black cells and the border."""
    y, k = np.indices(x.shape)
    cells = (y > 0) & (y < x.shape[0] - 1) & (k > 0) & (k < x.shape[1] - 1)
    colours = [np.flatnonzero(cells & ((y + k) % 2 == colour)) for colour in (0, 1)]
    flat, right, row = x.reshape(-1), rhs.reshape(-1), x.shape[1]
    for _ in range(SWEEPS):
        for at in colours:
            around = flat[at - 1] + flat[at + 1] + flat[at - row] + flat[at + row]
            flat[at] = (right[at] + a * around) / c
        set_bnd(x, boundary)


def diffuse(x: Field, x0: Field, boundary: int, a: np.float32) -> None:
    lin_solve(x, x0, boundary, a, np.float32(1) + np.float32(4) * a)


def project(u: Field, v: Field, p: Field, div: Field) -> None:
    """Takes the divergence out of (u, v)."""
    n = np.float32(u.shape[0] - 2)
    half, inside = np.float32(0.5), (slice(1, -1), slice(1, -1))
    div[inside] = (
        -half * (u[1:-1, 2:] - u[1:-1, :-2] + v[2:, 1:-1] - v[:-2, 1:-1]) / n
    )  # fmt: skip
    p[inside] = 0
    set_bnd(div, NONE)
    set_bnd(p, NONE)
    lin_solve(p, div, NONE, np.float32(1), np.float32(4))
    u[inside] -= half * n * (p[1:-1, 2:] - p[1:-1, :-2])
    v[inside] -= half * n * (p[2:, 1:-1] - p[:-2, 1:-1])
    set_bnd(u, VERTICAL)
    set_bnd(v, HORIZONTAL)


def advect(d: Field, d0: Field, u: Field, v: Field, boundary: int, dt: float) -> None:
    """What was where the flow came from."""
    n = d.shape[0] - 2
    one, dt0 = np.float32(1), np.float32(dt) * np.float32(n)
    y, x = (values.astype("f4") for values in np.mgrid[1 : n + 1, 1 : n + 1])
    low, high = np.float32(0.5), np.float32(n + 0.5)
    x = np.clip(x - dt0 * u[1:-1, 1:-1], low, high)
    y = np.clip(y - dt0 * v[1:-1, 1:-1], low, high)
    i, j = x.astype(int), y.astype(int)
    s1, t1 = x - i.astype("f4"), y - j.astype("f4")
    s0, t0 = one - s1, one - t1
    d[1:-1, 1:-1] = s0 * (t0 * d0[j, i] + t1 * d0[j + 1, i]) + s1 * (
        t0 * d0[j, i + 1] + t1 * d0[j + 1, i + 1]
    )
    set_bnd(d, boundary)


def step(fields: dict[str, Field], with_: Settings) -> None:
    """One step of u, v, d, and of u0, v0, d0, which the next one's reaction reads."""
    u, v, d, u0, v0, d0 = (fields[name] for name in ("u", "v", "d", "u0", "v0", "d0"))
    n = u.shape[0] - 2
    dt = np.float32(with_.dt)
    react(u0, v0, d0, with_)
    u += dt * u0
    v += dt * v0
    a = with_.share(with_.viscosity, n)
    diffuse(u0, u, VERTICAL, a)
    diffuse(v0, v, HORIZONTAL, a)
    project(u0, v0, u, v)
    advect(u, u0, u0, v0, VERTICAL, with_.dt)
    advect(v, v0, u0, v0, HORIZONTAL, with_.dt)
    project(u, v, u0, v0)
    d += dt * d0
    diffuse(d0, d, NONE, with_.share(with_.diffusion, n))
    advect(d, d0, u, v, NONE, with_.dt)
