"""Closures as CFD codes have them, each three times: `@bridge.kernel`, C++ by hand, NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import bridge
from bridge.pythonkernels.declaration import Kernel

_random = np.random.default_rng(11)
W1, b1 = _random.normal(size=(8, 4)), _random.normal(size=8)
W2 = _random.normal(size=8)


@bridge.kernel(outputs="p_mut", inputs="p_k p_omega p_rho")
def eddyViscosity(k: Any, omega: Any, rho: Any) -> Any:
    return rho * k / max(omega, 1e-10)


@bridge.kernel(outputs="p_cp", inputs="p_T")
def heatCapacity(T: Any) -> Any:
    cp = 3.28e0 + T * (1.48e-3 + T * (-7.6e-7 + T * (2.09e-10 - T * 2.17e-14)))
    return 8.314 * cp if T > 300 else 8.314 * 3.5


@bridge.kernel(outputs="p_slope", inputs="p_left p_right")
def vanLeer(left: Any, right: Any) -> Any:
    if left * right <= 0:
        return 0.0
    return 2 * left * right / (left + right)


@bridge.kernel(outputs="p_mu", inputs="p_T")
def sutherland(T: Any) -> Any:
    t = T / 273.15
    return 1.716e-5 * t**1.5 * (273.15 + 110.4) / (T + 110.4)


@bridge.kernel(outputs="p_rate", inputs="p_T")
def arrhenius(T: Any) -> Any:
    return 1.2e7 * np.sqrt(T) * np.exp(-6.3e4 / (8.314 * T))


@bridge.kernel(outputs="p_friction", inputs="p_u p_y p_nu")
def logLaw(u: Any, y: Any, nu: Any) -> Any:
    friction = np.sqrt(u * nu / y)
    for _ in range(8):
        profile = np.log(y * friction / nu) / 0.41 + 5.2
        step = (u - friction * profile) / (profile + 1 / 0.41)
        friction = max(friction + step, 0.1 * friction)
    return friction


@bridge.kernel(outputs="p_tau", inputs="p_x", columns={"p_x": 4})
def network(x: Any) -> Any:
    return W2 @ np.tanh(W1 @ x + b1)


def _heat_capacity(T: Any) -> Any:
    cp = 3.28e0 + T * (1.48e-3 + T * (-7.6e-7 + T * (2.09e-10 - T * 2.17e-14)))
    return np.where(T > 300, 8.314 * cp, 8.314 * 3.5)


def _van_leer(left: Any, right: Any) -> Any:
    product = left * right
    return np.where(product <= 0, 0.0, 2 * product / (left + right))


def _log_law(u: Any, y: Any, nu: Any) -> Any:
    friction = np.sqrt(u * nu / y)
    for _ in range(8):
        profile = np.log(y * friction / nu) / 0.41 + 5.2
        step = (u - friction * profile) / (profile + 1 / 0.41)
        friction = np.maximum(friction + step, 0.1 * friction)
    return friction


@dataclass(frozen=True)
class Closure:
    """kernel: in Python; hand: the body of the same kernel in C++, whose output is `out`; numpy:
    the same on whole arrays."""

    kernel: Kernel
    hand: str
    numpy: Callable[..., Any]

    def __str__(self) -> str:
        return self.kernel.name


CLOSURES = (
    Closure(
        eddyViscosity, "out = rho * k / max(omega, 1e-10);",
        lambda k, omega, rho: rho * k / np.maximum(omega, 1e-10),
    ),
    Closure(
        heatCapacity,
        """\
    const Real cp = 3.28 + T * (1.48e-3 + T * (-7.6e-7 + T * (2.09e-10 - T * 2.17e-14)));
    out = select(T > 300.0, 8.314 * cp, 8.314 * 3.5);""",
        _heat_capacity,
    ),
    Closure(
        vanLeer,
        """\
    const Real product = left * right;
    out = select(product <= 0.0, 0.0, 2.0 * product / (left + right));""",
        _van_leer,
    ),
    Closure(
        sutherland,
        """\
    const Real t = T / 273.15;
    out = 1.716e-5 * t * sqrt(t) * (273.15 + 110.4) / (T + 110.4);""",
        sutherland.function,
    ),
    Closure(
        arrhenius, "out = 1.2e7 * sqrt(T) * exp(-6.3e4 / (8.314 * T));", arrhenius.function
    ),
    Closure(
        logLaw,
        """\
    Real friction = sqrt(u * nu / y);
    for (int turn = 0; turn < 8; ++turn) {
        const Real profile = log(y * friction / nu) / 0.41 + 5.2;
        const Real step = (u - friction * profile) / (profile + 1.0 / 0.41);
        friction = max(friction + step, 0.1 * friction);
    }
    out = friction;""",
        _log_law,
    ),
    Closure(
        network,
        """\
    out = 0.0;
    for (int i = 0; i < 8; ++i) {
        Real sum = biases[i];
        for (int j = 0; j < 4; ++j) sum += weights[i][j] * x[j];
        out += last[i] * tanh(sum);
    }""",
        lambda x: np.tanh(x @ W1.T + b1) @ W2,
    ),
)  # fmt: skip
#: Random numbers between these, for quantities where -1 to 1 makes no sense.
RANGES = {"p_T": (250.0, 2000.0), "p_u": (1.0, 30.0), "p_y": (1e-4, 1e-2), "p_nu": (1e-6, 1e-4)}


def write_by_hand(folder: Path) -> None:
    """The pack of the C++ bodies in a new folder: kernel and quantities have the names of those in
    Python behind an h."""
    text = ['#pragma once\n#include "fortran.h"\nnamespace BRIDGE_NAMESPACE {']
    for name, values in (("weights", W1), ("biases", b1), ("last", W2)):
        sizes = "".join(f"[{n}]" for n in values.shape)
        text.append(f"BRIDGE_TABLE double {name}{sizes} = {_braces(values)};")
    quantities: dict[str, str] = {}
    kernels = []
    for closure in CLOSURES:
        kernel, arguments, templates = closure.kernel, [], ["class Real"]
        for python, quantity in zip(kernel.parameters, kernel.inputs, strict=True):
            kind = "In" if quantity in kernel.columns else "Real"
            templates += ["class In"] if kind == "In" else []
            arguments.append(f"const {kind}& {python}")
        text.append(
            f"template <{', '.join(templates)}> BRIDGE_FN void h{kernel.name}(const Shared&, "
            f"{', '.join(arguments)}, Real& out) {{\n{closure.hand}\n}}"
        )
        for quantity in (*kernel.inputs, *kernel.outputs):
            columns = f"columns = '{kernel.columns.get(quantity, 1)}'"
            quantities[quantity] = f"[quantity.h{quantity}]\nunit = '1'\n{columns}\n"
        inputs, outputs = ([f"h{one}" for one in q] for q in (kernel.inputs, kernel.outputs))
        kernels.append(
            f"[[kernel]]\nname = 'h{kernel.name}'\nheader = 'hand.h'\n"
            f"inputs = {inputs}\noutputs = {outputs}\n"
        )
    folder.mkdir()
    (folder / "catalogue.toml").write_text("".join([*quantities.values(), *kernels]))
    (folder / "hand.h").write_text("\n".join([*text, "}"]) + "\n")


def _braces(values: np.ndarray) -> str:
    if values.ndim > 1:
        return "{" + ", ".join(map(_braces, values)) + "}"
    return "{" + ", ".join(map(repr, values.tolist())) + "}"
