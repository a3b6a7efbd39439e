"""Kernels in Python beside the same written by hand in C++, and beside NumPy: one core of this
machine.

    python docs/pythonkernels.py [POINTS [SECONDS]]

Candidates take turns; ratios are medians over the rounds. The figures of
docs/how-to/kernels-in-python.md.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bridge

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
def wall(u: Any, y: Any, nu: Any) -> Any:
    friction = np.sqrt(u * nu / y)
    for _ in range(8):
        profile = np.log(y * friction / nu) / 0.41 + 5.2
        step = (u - friction * profile) / (profile + 1 / 0.41)
        friction = max(friction + step, 0.1 * friction)
    return friction


@bridge.kernel(outputs="p_tau", inputs="p_x", columns={"p_x": 4})
def network(x: Any) -> Any:
    return W2 @ np.tanh(W1 @ x + b1)


#: By hand: arguments and body.
HANDS = {
    "eddyViscosity": "out = rho * k / max(omega, 1e-10);",
    "heatCapacity": """\
    const Real cp = 3.28 + T * (1.48e-3 + T * (-7.6e-7 + T * (2.09e-10 - T * 2.17e-14)));
    out = select(T > 300.0, 8.314 * cp, 8.314 * 3.5);""",
    "vanLeer": """\
    const Real product = left * right;
    out = select(product <= 0.0, 0.0, 2.0 * product / (left + right));""",
    "sutherland": """\
    const Real t = T / 273.15;
    out = 1.716e-5 * t * sqrt(t) * (273.15 + 110.4) / (T + 110.4);""",
    "arrhenius": "out = 1.2e7 * sqrt(T) * exp(-6.3e4 / (8.314 * T));",
    "wall": """\
    Real friction = sqrt(u * nu / y);
    for (int turn = 0; turn < 8; ++turn) {
        const Real profile = log(y * friction / nu) / 0.41 + 5.2;
        const Real step = (u - friction * profile) / (profile + 1.0 / 0.41);
        friction = max(friction + step, 0.1 * friction);
    }
    out = friction;""",
    "network": """\
    out = 0.0;
    for (int i = 0; i < 8; ++i) {
        Real sum = biases[i];
        for (int j = 0; j < 4; ++j) sum += weights[i][j] * x[j];
        out += last[i] * tanh(sum);
    }""",
}


def numpy_wall(u: Any, y: Any, nu: Any) -> Any:
    friction = np.sqrt(u * nu / y)
    for _ in range(8):
        profile = np.log(y * friction / nu) / 0.41 + 5.2
        step = (u - friction * profile) / (profile + 1 / 0.41)
        friction = np.maximum(friction + step, 0.1 * friction)
    return friction


def numpy_heat(T: Any) -> Any:
    cp = 3.28e0 + T * (1.48e-3 + T * (-7.6e-7 + T * (2.09e-10 - T * 2.17e-14)))
    return np.where(T > 300, 8.314 * cp, 8.314 * 3.5)


def numpy_vanleer(left: Any, right: Any) -> Any:
    product = left * right
    return np.where(product <= 0, 0.0, 2 * product / (left + right))


NUMPY: dict[str, Callable[..., Any]] = {
    "eddyViscosity": lambda k, omega, rho: rho * k / np.maximum(omega, 1e-10),
    "heatCapacity": numpy_heat,
    "vanLeer": numpy_vanleer,
    "sutherland": sutherland.function,
    "arrhenius": arrhenius.function,
    "wall": numpy_wall,
    "network": lambda x: np.tanh(x @ W1.T + b1) @ W2,
}
OURS = {
    one.name: one
    for one in (eddyViscosity, heatCapacity, vanLeer, sutherland, arrhenius, wall, network)
}


def _braces(values: np.ndarray) -> str:
    if values.ndim > 1:
        return "{" + ", ".join(map(_braces, values)) + "}"
    return "{" + ", ".join(map(repr, values.tolist())) + "}"


def by_hand(folder: Path) -> None:
    """The pack of HANDS, with quantities of the same names and an h before them."""
    catalogue, text = [], ['#pragma once\n#include "fortran.h"\nnamespace BRIDGE_NAMESPACE {']
    for name, values in (("weights", W1), ("biases", b1), ("last", W2)):
        sizes = "".join(f"[{n}]" for n in values.shape)
        text.append(f"BRIDGE_TABLE double {name}{sizes} = {_braces(values)};")
    declared = set()
    for name, kernel in OURS.items():
        arguments, templates = [], ["class Real"]
        for python, quantity in zip(kernel.parameters, kernel.inputs, strict=True):
            kind = "In" if quantity in kernel.columns else "Real"
            templates += ["class In"] if kind == "In" else []
            arguments.append(f"const {kind}& {python}")
        text.append(
            f"template <{', '.join(templates)}> BRIDGE_FN void hand_{name}(const Shared&, "
            f"{', '.join(arguments)}, Real& out) {{\n{HANDS[name]}\n}}"
        )
        for quantity in (*kernel.inputs, *kernel.outputs):
            if quantity not in declared:
                columns = f"columns = '{kernel.columns.get(quantity, 1)}'"
                catalogue.append(f"[quantity.h{quantity}]\nunit = '1'\n{columns}\n")
                declared.add(quantity)
    for name, kernel in OURS.items():
        inputs, outputs = ([f"h{one}" for one in q] for q in (kernel.inputs, kernel.outputs))
        catalogue.append(
            f"[[kernel]]\nname = 'hand_{name}'\nheader = 'hand.h'\n"
            f"inputs = {inputs}\noutputs = {outputs}\n"
        )
    (folder / "catalogue.toml").write_text("".join(catalogue))
    (folder / "hand.h").write_text("\n".join([*text, "}"]) + "\n")


def main(N: int, seconds: float) -> None:
    from bridge.backends.host.library import choose
    from bridge.measuring.timing import time_in_turns
    from bridge.plan import packbuild
    from bridge.pythonkernels import pack

    with tempfile.TemporaryDirectory() as place:
        hand = Path(place) / "hand"
        hand.mkdir()
        by_hand(hand)
        own = pack.write(Path(__file__), Path(place) / "own").folder
        os.environ |= {"BRIDGE_PACKS": f"{hand}:{own}", "BRIDGE_CACHE": place}
        for _ in packbuild.build([hand, own], isas=[choose().isa]):
            pass
        frame = bridge.Frame()
        for key, value in {"backend": "cpu", "threads": "1"}.items():
            frame.set(key, value)
        frame.initialize(0, 512, 0, 0)
        tv = frame.tvproperties
        print("| closure | ns per point | against C++ | faster than NumPy |")
        print("| --- | --- | --- | --- |")
        for name, kernel in OURS.items():
            arrays = []
            for before in ("", "h"):
                for quantity in (*kernel.inputs, *kernel.outputs):
                    shape = (N, 1, 1, *([4] if quantity in kernel.columns else []))
                    low, high = {"p_T": (250.0, 2000.0), "p_u": (1.0, 30.0), "p_y": (1e-4, 1e-2),
                                 "p_nu": (1e-6, 1e-4)}.get(quantity, (-1.0, 1.0))  # fmt: skip
                    values = np.random.default_rng(3).uniform(low, high, shape)
                    array = np.asfortranarray(values)
                    how = "out" if quantity in kernel.outputs else "in"
                    tv.bind_array(f"{before}{name}", f"{before}{quantity}", how, array)
                    arrays.append(array)
            half = len(arrays) // 2
            inputs = [np.ascontiguousarray(a[:, 0, 0]) for a in arrays[: half - 1]]
            hand_name = f"hand_{name}"
            candidates: dict[str, Callable[[], object]] = {
                "python": lambda n=name: tv.run(n, n),  # type: ignore[misc]
                "hand": lambda n=name, h=hand_name: tv.run(f"h{n}", h),  # type: ignore[misc]
                "numpy": lambda f=NUMPY[name], v=inputs: f(*v),  # type: ignore[misc]
            }
            for one in candidates.values():
                one()
            np.testing.assert_allclose(arrays[half - 1], arrays[-1], rtol=1e-11, atol=1e-13)
            np.testing.assert_allclose(arrays[-1][:, 0, 0], NUMPY[name](*inputs), rtol=1e-11,
                                       atol=1e-13)  # fmt: skip
            times = time_in_turns(candidates, seconds=seconds)
            against = times.ratio("hand", "python"), times.ratio("python", "numpy")
            each = times.median("python") / N * 1e9
            print(f"| {name} | {each:.2f} | {against[0]:.2f} | {against[1]:.1f} |", flush=True)
        frame.finalize()


if __name__ == "__main__":
    given = [*map(float, sys.argv[1:]), *(1e6, 2.0)[len(sys.argv) - 1 :]]
    main(int(given[0]), given[1])
