"""Functions of headers that are ported: within some units in the last place of mpmath's."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hosts import TIME_LIMIT

from bridge.kernels import file

LANES = 4  # x86-64-v3
#: Function -> (what it is, arguments, units in the last place).
CASES = {
    "asinh": (mpmath.asinh, np.concatenate([10.0 ** np.linspace(-12, 12, 49), [-0.79]]), 2.5),
    "acosh": (mpmath.acosh, 1.0 + 10.0 ** np.linspace(-12, 12, 49), 3.5),
    "atanh": (mpmath.atanh, np.concatenate([10.0 ** np.linspace(-12, -0.01, 49), [-0.999]]), 3.0),
    "erfc": (mpmath.erfc, np.linspace(-6.0, 26.0, 51), 4.0),
    "erfcScaled": (
        lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
        np.concatenate([np.linspace(-26.0, 6.0, 65), 10.0 ** np.linspace(-8, 8, 33)]),
        8.0,
    ),
    "gammaFunction": (mpmath.gamma, np.linspace(0.1, 100.0, 41), 6.0),
    "logGamma": (mpmath.loggamma, np.linspace(2.5, 100.0, 41), 6.0),
}
SPECIAL = {
    "erfcScaled": [(-30.0, np.inf), (np.inf, 0.0), (-np.inf, np.inf), (0.0, 1.0)],
    "fractionPart": [(0.0, 0.0), (6.0, 0.75), (-5e-324, -0.5), (np.inf, np.nan)],
    "besselJ0": [(0.0, 1.0)],
    "asinh": [(-np.inf, -np.inf), (0.0, 0.0)],
    "acosh": [(0.5, np.nan), (1.0, 0.0)],
    "atanh": [(1.0, np.inf), (1.5, np.nan)],
}


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("special")
    kernels = Path(file("fortran.h")).parent
    names = sorted(CASES.keys() | SPECIAL.keys())
    lines = [
        f'extern "C" void {name}_of(const double* x, double* y) '
        f"{{ store(y, {name}(loadLanes(x))); }}"
        for name in names
    ]
    source = folder / "special.cpp"
    source.write_text(
        '#include "fortran.h"\nusing namespace BRIDGE_NAMESPACE;\n' + "\n".join(lines)
    )
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-w", "-fno-math-errno", "-fPIC", "-shared",
         "-march=x86-64-v3", "-ffp-contract=off", f"-DBRIDGE_LANES={LANES}",
         "-DBRIDGE_NAMESPACE=bridge_v3",
         f"-I{kernels}", "-o", "special.so", source.name, "-lmvec", "-lm"],
        cwd=folder, check=True, timeout=TIME_LIMIT,
    )  # fmt: skip
    return ctypes.CDLL(str(folder / "special.so"))


def values(functions: ctypes.CDLL, name: str, x: list[float]) -> list[float]:
    found: list[float] = []
    for first in range(0, len(x), LANES):
        some = (list(x[first : first + LANES]) + [np.nan] * LANES)[:LANES]
        given, result = (ctypes.c_double * LANES)(*some), (ctypes.c_double * LANES)()
        getattr(functions, f"{name}_of")(given, result)
        found += list(result)
    return found[: len(x)]


@pytest.mark.parametrize("name", CASES)
def test_last_places(functions: ctypes.CDLL, name: str) -> None:
    exact, x, limit = CASES[name]
    with mpmath.workprec(120):
        for a, b in zip(x, values(functions, name, list(x)), strict=True):
            wanted = exact(mpmath.mpf(float(a)))
            unit = mpmath.mpf(float(np.spacing(abs(float(wanted)))))
            assert abs(mpmath.mpf(b) - wanted) <= limit * unit, (name, a, b)


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(functions: ctypes.CDLL, name: str) -> None:
    x, wanted = zip(*SPECIAL[name], strict=True)
    np.testing.assert_array_equal(values(functions, name, list(x)), wanted)
