"""Every construct that a kernel in Python may have, in small kernels: a pack that
test_python_kernels.py builds."""

from __future__ import annotations

import math
from math import exp as exponential
from types import SimpleNamespace
from typing import Any

import numpy as np

import bridge

model = SimpleNamespace(slope=1.75, turns=3, steep=True)
WEIGHTS = ((0.25, 0.5), (1.0, -2.0), (3.0, 0.125))
NAN = float("nan")


def scaled(factor: float) -> Any:
    """A kernel with a constant of a closure."""

    @bridge.kernel(outputs="c_scaled", inputs="c_x c_y")
    def scaledDifference(x: Any, y: Any) -> Any:
        return factor * (x - y) ** 2

    return scaledDifference


scaledDifference = scaled(0.375)


@bridge.kernel(outputs="c_branch", inputs="c_x c_y")
def branches(x: Any, y: Any) -> Any:
    """Branches in branches, with variables that some of them change."""
    a = x
    b = 0.5
    if x > 0.2:
        if y > 0.1:
            a = a + y
            b = 2 * a
        elif y < -0.5:
            a -= y
        else:
            b = x * y
            a *= b
    else:
        b += a
        if not (y > 0 or x < -0.5):
            c = a * b
            a = c - 1
    return a - b


@bridge.kernel(outputs="c_early", inputs="c_x c_y")
def early(x: Any, y: Any) -> Any:
    """Returns in branches."""
    if x < -0.5:
        return y
    z = x + y
    if z > 0.3:
        if y > x:
            return z * z
        z = z - 1
    elif y < 0:
        z = 3.0
    return z / 2


@bridge.kernel(outputs="c_first c_second", inputs="c_x c_y")
def swapped(x: Any, y: Any) -> Any:
    """Tuples, a swap in a loop and in a branch, chained assignments."""
    a, b = x, y
    for _ in range(model.turns):
        a, b = b, a + model.slope * b
    if a > b:
        a, b = b, a
    c = d = a - b
    c += 1
    return c * b, d


@bridge.kernel(outputs="c_argument", inputs="c_x c_y")
def changedArguments(x: Any, y: Any) -> Any:
    """Arguments that get other values; a loop in a branch; a name of C++."""
    if x < y:
        for n in range(2, 9, 3):
            x += n / (y + 4)
    double = x
    x = max(double, y, 0.1)
    y **= 2
    return x % (1 + y) + double


@bridge.kernel(outputs="c_masks", inputs="c_x c_y")
def masks(x: Any, y: Any) -> Any:
    """Truth values in variables, chosen, counted."""
    inside = -0.5 < x < y < 0.75
    far = (abs(x) > 0.5) & (abs(y) > 0.5) if model.steep else x > 0
    either = inside or far
    if y > 0:
        either = not either
    count = sum(v > 0.25 for v in (x, y, x * y, -x))
    return np.where(either, count, -count) + float(inside) + (2.0 if far else 0.0)


@bridge.kernel(outputs="c_functions", inputs="c_x c_y")
def functions(x: Any, y: Any) -> Any:
    """Functions under all their names."""
    a = exponential(x) + math.log1p(abs(y)) + np.cbrt(x) - math.tanh(y) + np.expm1(y)
    b = np.arctan2(y, x) + math.atan2(x, 2) + np.hypot(x, y) + np.sign(x) * np.heaviside(y, 0.5)
    c = np.clip(x, -0.3, 0.4) + np.minimum(x, y) + np.fmax(x, y) + np.copysign(x, y) + round(3 * x)
    d = int(9 * x) + math.floor(7 * y) + np.ceil(5 * x) + np.square(x - y) + np.reciprocal(x + 3)
    e = (x + 2) ** 1.5 + (y + 2) ** -0.5 + (x + 2) ** y + 2**x + x**5 + (x - 3) ** -3 + y**0
    return a + b + c + d + e + math.pi + np.e + pow(x + 2, 2.5) + math.fmod(x, 0.3)


@bridge.kernel(outputs="c_sorted c_mean", inputs="c_v", columns={"c_v": 4, "c_sorted": 4})
def ordered(v: Any) -> Any:
    """A sorting network on an array of the function; parts of arrays; several loops."""
    w = np.zeros(4)
    for i in range(4):
        w[i] = v[i]
    for turn in range(3):
        for i in range(3):
            low, high = min(w[i], w[i + 1]), max(w[i], w[i + 1])
            w[i], w[i + 1] = low, high
        w[turn] += 0.0
    middle = w[1:-1]
    return w, middle.sum() / len(middle) + w[-1]


@bridge.kernel(outputs="c_matrix", inputs="c_v", columns={"c_v": 4, "c_matrix": 3})
def matrix(v: Any) -> Any:
    """Matrices and vectors, as NumPy has them."""
    weights = np.array(WEIGHTS)
    x = np.array([v[0] - v[1], v[2] * v[3]])
    x *= 0.5
    y = np.exp(-np.abs(weights @ x)) + 1.0
    y = y / np.sum(y)
    transposed = np.dot(weights.T, y)
    if v[0] > 0:
        y[1] += transposed[0]
    return [one * transposed[1] for one in y]


@bridge.kernel(outputs="c_lists", inputs="c_v", columns={"c_v": 4})
def lists(v: Any) -> Any:
    """Comprehensions, generators, enumerate, zip."""
    squares = [n * x**2 for n, x in enumerate(v)]
    total = sum(a * b for a, b in zip(squares, v, strict=True))
    pairs = sum(a * b for a in v for b in squares[:2])
    largest = max(abs(x) for x in v)
    positive = any(x > 0.9 for x in v)
    table = [[1.0, 2.0], [3.0, 4.0]]
    for n in range(2):
        table[n][1] += v[n]
    last = 0.0
    for x in reversed(v):
        last = 0.5 * last + x
    return total + pairs * largest + (1 if positive else 0) + table[1][1] * table[0][1] + last


@bridge.kernel(outputs="c_outlives", inputs="c_x c_v", columns={"c_v": 4})
def outlives(x: Any, v: Any) -> Any:
    """Variables of a loop that are read behind it, one that only a branch of it changes."""
    best = -math.inf
    place = 0.0
    for i in range(4):
        last = v[i] * x
        if last > best:
            best = last
            place = i
    return best + 10 * place + last


def bounded(x: Any, low: Any = -0.25, *, high: Any = 0.5) -> Any:
    if x < low:
        return low
    return high if x > high else x


def both(x: Any, y: Any) -> Any:
    if x > y:
        return x - y, y
    return 0.0, x


def norm(values: Any, power: int) -> Any:
    total = 0.0
    for one in values:
        total += abs(one) ** power
    return total ** (1 / power)


@bridge.kernel(outputs="c_helpers", inputs="c_x c_y c_v", columns={"c_v": 4})
def helpers(x: Any, y: Any, v: Any) -> Any:
    """Functions of functions: with defaults, of tuples, of arrays, of a kernel."""
    a, b = both(bounded(x), bounded(y, high=0.3))
    c = norm(v, 3) + norm((x, y), 2)
    for one in v:
        a, c = both(a + one, c)
    return a + b * c + early(x, y) + bounded(bounded(x, y), low=x * y)


@bridge.kernel(outputs="c_moles c_heaviest", inputs="Y c_T", columns={"c_moles": "ns"})
def moles(Y: Any, T: Any, *, c_mass: Any = 0.028) -> Any:
    """Loops over species."""
    total = Y.sum()
    amounts = np.zeros(len(Y))
    heaviest = 0.0
    for i, y in enumerate(Y):
        amounts[i] = y / (c_mass * (i + 1)) * T
        heaviest = max(heaviest, amounts[i])
    last = Y[-1] + Y[0]
    for i in range(1, len(Y)):
        last += Y[i] - Y[i - 1]
    return amounts / total, heaviest + last


STATES = {"c_state": "ns+4", "c_props": "3*ns + 6", "c_fluxes": "ns+4"}


@bridge.kernel(outputs="c_fluxes", inputs="c_state c_props", columns=STATES)
def fluxes(state: Any, props: Any) -> Any:
    """A vector of state: densities of species, momentum, energy; three lists of species behind
    six values."""
    ns = len(state) - 4
    found = np.zeros(len(state))
    speed = state[ns] / state[:-4].sum()
    for i in range(ns):
        found[i] = state[i] * speed + props[6 + i] + props[6 + 2 * ns + i] * props[5]
    for i in range(ns, ns + 4):
        found[i] = state[i] * speed + props[0]
    return found


@bridge.kernel(outputs="c_ranged", inputs="c_x")
def ranged(x: Any, *, c_range: Any = (-0.25, 0.5), c_weight: Any) -> Any:
    """A constant of two columns, one that the host gives, a NaN for some points."""
    low, high = c_range
    if x > 0.9:
        return NAN
    return c_weight * min(max(x, low), high) + c_range[1]


@bridge.kernel(
    outputs="c_parts c_average", inputs="c_v", columns={"c_v": 4, "c_parts": 4}
)  # fmt: skip
def parts(v: Any) -> Any:
    """Parts of an array that overlap, a mean, names that C++ does not have."""
    y = v * 2
    y[1:] += y[:-1]
    try_ = [1.0, v[1]]
    try_[0] = y.mean()
    μ, new = try_
    for i in range(3):
        j = 2 * i + 1
        μ += j / new if new > 0.5 else 0.25 * j
    return y, μ
