"""Division and functions of the GPU's numbers, on the host with estimates as coarse as the
hardware's: at most 4 ulp, and infinity and NaN where the kernels rely on them."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest
from standin import _BEFORE

from bridge.backends.cuda import compiler, precompile

NAMES = "quotient sqrt cbrt exp exp2 expm1 log log1p".split()
N = 20000

SOURCE = (
    _BEFORE
    + precompile.layout(1).declaration()
    + """
#include "point.h"
#include "cuda/columns.h"
using Real = bridge_point::Number<2>;
#define EACH(name, value) \\
    extern "C" void name##_all(const double* a, const double* b, double* out, int n) { \\
        for (int i = 0; i < n; i += 2) { \\
            const Real x = bridge_point::load<2>(a + i, 1), y = bridge_point::load<2>(b + i, 1); \\
            bridge_point::store(out + i, 1, Real(value)); \\
            (void)y; \\
        } \\
    }
EACH(quotient, x / y)
EACH(sqrt, sqrt(x)) EACH(cbrt, cbrt(x)) EACH(exp, exp(x)) EACH(exp2, exp2(x))
EACH(expm1, expm1(x)) EACH(log, log(x)) EACH(log1p, log1p(x))
"""
)


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Any:
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    folder = tmp_path_factory.mktemp("mathematics")
    (folder / "all.cpp").write_text(SOURCE)
    subprocess.run(
        [
            "g++",
            "-std=c++17",
            "-O1",
            "-w",
            "-shared",
            "-fPIC",
            f"-I{compiler.include_folder()}",
            str(folder / "all.cpp"),
            "-o",
            str(folder / "all.so"),
        ],
        check=True,
    )
    library = ctypes.CDLL(str(folder / "all.so"))

    def call(name: Any, a: Any, b: Any = None) -> Any:
        a = np.ascontiguousarray(a, float)
        b = a if b is None else np.ascontiguousarray(b, float)
        out = np.empty_like(a)
        pointer = ctypes.POINTER(ctypes.c_double)
        places = (array.ctypes.data_as(pointer) for array in (a, b, out))
        getattr(library, f"{name}_all")(*places, len(a))
        return out

    return call


def arguments(name: Any) -> Any:
    random = np.random.default_rng(5)
    wide = 10.0 ** random.uniform(-300.0, 300.0, N)
    near = 1.0 + random.normal(0.0, 1e-3, N)
    return {
        "sqrt": wide, "cbrt": wide * random.choice([-1.0, 1.0], N), "log": np.append(wide, near),
        "log1p": np.concatenate([wide, 10.0 ** random.uniform(-18.0, 1.0, N), near - 1.0,
                                 random.uniform(-0.999, 0.0, N)]),
        "exp": random.uniform(-700.0, 700.0, N), "exp2": random.uniform(-1000.0, 1000.0, N),
        "expm1": np.append(random.uniform(-50.0, 700.0, N),
                           10.0 ** random.uniform(-18.0, 0.0, N) * random.choice([-1.0, 1.0], N)),
    }[name]  # fmt: skip


@pytest.mark.parametrize("name", NAMES[1:])
def test_at_most_four_ulp(call: Any, name: Any) -> None:
    x = arguments(name)
    want = getattr(np, name)(x.astype(np.longdouble))
    error = np.abs(call(name, x) - want) / np.spacing(np.abs(want.astype(float)))
    assert error.max() <= 4.0, (name, float(x[error.argmax()]))
    assert error.max() > 0.2, "the reference is more exact than the function"


def test_quotients(call: Any) -> None:
    random = np.random.default_rng(6)
    a, b = (10.0 ** random.uniform(-150.0, 150.0, N) * random.choice([-1, 1], N) for _ in "ab")
    want = a.astype(np.longdouble) / b
    error = np.abs(call("quotient", a, b) - want) / np.spacing(np.abs(want.astype(float)))
    assert error.max() <= 2.0
    assert np.isnan(call("quotient", [1.0, np.nan], [np.nan, 1.0])).all()


def test_quotients_of_zero_and_infinity(call: Any) -> None:
    numbers = np.array([1.0, -3.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e300])
    a, b = (side.ravel() for side in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        want = a / b
    found = call("quotient", a, b)
    np.testing.assert_allclose(found, want, rtol=5e-16, atol=0.0)
    there = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(found[there]), np.signbit(want[there]))


def test_roots_of_zeros(call: Any) -> None:
    np.testing.assert_array_equal(np.signbit(call("sqrt", [-0.0, 0.0])), [True, False])


@pytest.mark.parametrize(
    ("name", "x", "want"),
    [
        ("sqrt", [0.0, -1.0, np.nan, 4.0], [0.0, np.nan, np.nan, 2.0]),
        ("sqrt", [np.inf, -np.inf], [np.inf, np.nan]),
        ("cbrt", [0.0, -8.0, np.nan, np.inf], [0.0, -2.0, np.nan, np.inf]),
        ("exp", [-1e6, 1e6, np.nan, -np.inf, np.inf, 0.0], [0.0, np.inf, np.nan, 0.0, np.inf, 1]),
        ("exp2", [-1e6, 1e6, np.nan, -np.inf, np.inf, 3.0], [0.0, np.inf, np.nan, 0, np.inf, 8.0]),
        ("expm1", [-1e6, 1e6, np.nan, -np.inf, np.inf, 0.0], [-1, np.inf, np.nan, -1, np.inf, 0]),
        ("log", [0.0, -1.0, np.nan, np.inf, 1.0, -np.inf], [-np.inf, np.nan, np.nan, np.inf, 0.0,
                                                            np.nan]),
        ("log1p", [-1.0, -2.0, np.nan, np.inf, 0.0, 0.0], [-np.inf, np.nan, np.nan, np.inf, 0, 0]),
    ],
)  # fmt: skip
def test_special_arguments(call: Any, name: Any, x: Any, want: Any) -> None:
    np.testing.assert_array_equal(call(name, x), want)
