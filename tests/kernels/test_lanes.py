"""The number type of the CPU kernels: exact where IEEE says so, accurate, and lane by lane.

A small library over lanes.h is compiled for each instruction set this machine runs, and called
through ctypes on arrays.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from kernels.vectorlibrary import LANES, VectorLibrary, functions, place_changes_nothing

from bridge.backends.host import library
from bridge.kernels import file

HEADER = file("cpu/lanes.h")
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    np.inf,
    -np.inf,
    np.nan,
    5e-324,
    1e308,
    -1e308,
    np.finfo(float).max,
    800.0,
    -800.0,
]

UNARY = (
    "exp exp2 log log1p expm1 cbrt acos cos sin cospi sinpi sqrt floor ceil rint fabs negate"
).split()
#: For a part of the numbers only.
EVERY = [*UNARY, "exp2OfNegative"]
BINARY = "pow max min fmax fmin add subtract multiply divide less choose copysign".split()

SOURCE = """
#include "{header}"
using namespace BRIDGE_NAMESPACE;
static inline Lanes negate(Lanes a) {{ return -a; }}
static inline Lanes add(Lanes a, Lanes b) {{ return a + b; }}
static inline Lanes subtract(Lanes a, Lanes b) {{ return a - b; }}
static inline Lanes multiply(Lanes a, Lanes b) {{ return a * b; }}
static inline Lanes divide(Lanes a, Lanes b) {{ return a / b; }}
static inline Lanes less(Lanes a, Lanes b) {{
    return select((a < b) & !(a >= b), 1.0, select(a > b || a == b, 2.0, 3.0));
}}
static inline Lanes choose(Lanes a, Lanes b) {{ return select(isfinite(a) & !isnan(b), a, b); }}
{functions}
extern "C" void numbers(double a, double b, double* out) {{
    out[0] = max(a, b), out[1] = min(a, b), out[2] = fmax(a, b), out[3] = fmin(a, b);
}}
extern "C" void fused(const double* a, const double* b, const double* c, double* out) {{
    const Lanes x = loadLanes(a), y = loadLanes(b), z = loadLanes(c), held = x * y;
    Lanes more = z, less = z;
    more += x * y, less -= x * y;
    const Lanes results[] = {{x * y + z, z + x * y, x * y - z, z - x * y, -(x * y) + z, more, less,
                             x * y + y * z, x * y - y * z, held + z, x * y * z}};
    for (int k = 0; k < 11; ++k) store(out + k * BRIDGE_LANES, results[k]);
}}
extern "C" int truth(const double* a, int i) {{
    const LaneMask m = loadLanes(a) > 0.0;
    return (any(m) ? 1 : 0) + (all(m) ? 2 : 0) + (lane(loadLanes(a), i) > 0 ? 4 : 0);
}}
extern "C" void everywhere(double x, double* out) {{ store(out, Lanes(x)); }}
extern "C" void words(const int64_t* a, const double* x, int64_t* out) {{
    LaneBits word = loadBits(a);
    word |= select(loadLanes(x) > 0.0, LaneBits(8), LaneBits(0));
    word = select((word & 1) == LaneBits(1), word, word + 2);
    store(out, word);
}}
extern "C" void table(const double* values, const int64_t* index, double* out) {{
    store(out, lookup<100>(values, loadBits(index)));
}}
#ifdef BRIDGE_TABLE_ROWS
extern "C" void records(const double* values, const double* place, double* out) {{
    Lanes record[4];
    lookupRecord<4>(values, 24, loadLanes(place), record);
    for (int c = 0; c < 4; ++c) store(out + c * BRIDGE_LANES, record[c]);
}}
#endif
extern "C" void small_table(const double* values, const int64_t* index, double* out) {{
    store(out, lookup<24>(values, loadBits(index)));
}}
"""


@pytest.fixture(scope="session", params=library.available())
def machine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> VectorLibrary:
    isa, lanes = request.param, LANES[request.param]
    text = functions(EVERY, 1, "double", lanes)
    text += functions([*BINARY, "log1pOfQuotient"], 2, "double", lanes)
    source = SOURCE.format(header=HEADER, functions=text)
    return VectorLibrary(isa, source, tmp_path_factory.mktemp(isa), float, lanes)


def pi_times(function: Callable[..., Any]) -> Callable[..., Any]:
    """function(pi x) in extended precision; the period is taken off exactly first."""
    pi = np.longdouble(4) * np.arctan(np.longdouble(1))
    return lambda x: function(pi * (x - 2 * np.rint(x / 2)))


spread = np.random.default_rng(7)
RANGES: dict[str, tuple[np.ndarray, Callable[..., Any]]] = {
    "exp": (spread.uniform(-700, 700, 20000), np.exp),
    "exp2": (spread.uniform(-1000, 1000, 20000), np.exp2),
    "log": (10.0 ** spread.uniform(-300, 300, 20000), np.log),
    "log1p": (
        10.0 ** spread.uniform(-20, 10, 20000) * spread.choice([1, -1e-11], 20000),
        np.log1p,
    ),
    "expm1": (10.0 ** spread.uniform(-20, 2, 20000) * spread.choice([1, -1], 20000), np.expm1),
    "cbrt": (10.0 ** spread.uniform(-200, 200, 20000) * spread.choice([1, -1], 20000), np.cbrt),
    "acos": (spread.uniform(-1, 1, 20000), np.arccos),
    "cos": (spread.uniform(-7, 7, 20000), np.cos),
    "sin": (spread.uniform(-7, 7, 20000), np.sin),
}


@pytest.mark.parametrize("name", RANGES)
def test_accuracy_is_four_ulp(machine: VectorLibrary, name: str) -> None:
    x, function = RANGES[name]
    exact = function(x.astype(np.longdouble))
    error = np.abs(machine(name, x) - exact) / np.spacing(np.abs(exact.astype(np.float64)))
    assert error.max() <= 4.0


@pytest.mark.parametrize("name", ["cospi", "sinpi"])
def test_cospi_and_sinpi(machine: VectorLibrary, name: str) -> None:
    x = np.random.default_rng(8).uniform(-3, 3, 20000)
    exact = pi_times(np.cos if name == "cospi" else np.sin)(x.astype(np.longdouble))
    assert np.abs(machine(name, x) - exact).max() <= 6e-16
    assert machine("cospi", np.array([0.0, 1.0, 2.0, 1e6])).tolist() == [1.0, -1.0, 1.0, 1.0]


def test_pow(machine: VectorLibrary) -> None:
    random = np.random.default_rng(9)
    base, power = 10.0 ** random.uniform(-10, 10, 20000), random.uniform(-9, 9, 20000)
    exact = np.power(base.astype(np.longdouble), power.astype(np.longdouble))
    error = np.abs(machine("pow", base, power) - exact)
    assert (error / np.spacing(exact.astype(np.float64))).max() <= 4.0


EXACT: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "rint": np.rint, "fabs": np.abs,
    "negate": np.negative, "add": np.add, "subtract": np.subtract,
    "multiply": np.multiply, "divide": np.divide, "fmax": np.fmax, "fmin": np.fmin,
    "copysign": np.copysign,
    "less": lambda a, b: np.where(a < b, 1.0, np.where(a >= b, 2.0, 3.0)),
    "choose": lambda a, b: np.where(np.isfinite(a) & ~np.isnan(b), a, b),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_exact_operations_are_numpys(machine: VectorLibrary, name: str) -> None:
    random = np.random.default_rng(10)
    a = np.concatenate([np.repeat(SPECIAL, len(SPECIAL)), random.normal(0, 1e3, 997)])
    b = np.concatenate([np.tile(SPECIAL, len(SPECIAL)), random.normal(0, 1e3, 997)])
    with np.errstate(all="ignore"):
        if name in UNARY:
            got, expected = machine(name, a), EXACT[name](a)
        else:
            got, expected = machine(name, a, b), EXACT[name](a, b)
    np.testing.assert_array_equal(got, expected)
    if name not in ("fmax", "fmin"):  # the sign of the zero of fmax(0, -0) is anybody's
        solid = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(got[solid]), np.signbit(expected[solid]))


def test_extremes_are_those_of_plain_numbers(machine: VectorLibrary) -> None:
    """Of +0 and -0 the first one, as numbers.h has it for what all points share."""
    a, b = np.repeat(SPECIAL, len(SPECIAL)), np.tile(SPECIAL, len(SPECIAL))
    plain = np.empty((4, a.size))
    for k, (x, y) in enumerate(zip(a, b, strict=True)):
        four = (ctypes.c_double * 4)()
        machine.lib.numbers(ctypes.c_double(x), ctypes.c_double(y), four)
        plain[:, k] = four[:]
    for name, expected in zip(("max", "min", "fmax", "fmin"), plain, strict=True):
        got = machine(name, a, b)
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(
            np.signbit(got[~np.isnan(got)]), np.signbit(expected[~np.isnan(got)])
        )


def test_products_are_fused_where_the_expression_says_so(machine: VectorLibrary) -> None:
    random, lanes = np.random.default_rng(12), machine.lanes
    for _ in range(200):
        a, b, c = random.normal(0.0, 1.0, (3, lanes))
        out = np.empty((11, lanes))
        machine.lib.fused(*(ctypes.c_void_p(x.ctypes.data) for x in (a, b, c, out)))
        for k in range(lanes):
            x, y, z = float(a[k]), float(b[k]), float(c[k])

            def fma(x: float, y: float, z: float) -> float:
                if lanes == 2:
                    return x * y + z
                return float(Fraction(x) * Fraction(y) + Fraction(z))

            expected = [fma(x, y, z), fma(x, y, z), fma(x, y, -z), fma(-x, y, z), fma(-x, y, z),
                        fma(x, y, z), fma(-x, y, z), fma(x, y, y * z), fma(x, y, -(y * z)),
                        x * y + z, x * y * z]  # fmt: skip
            assert out[:, k].tolist() == expected


@pytest.mark.parametrize("name", [*RANGES, "sqrt"])
def test_special_values(machine: VectorLibrary, name: str) -> None:
    function = EXACT.get(name) or RANGES[name][1]
    x = np.array(SPECIAL)
    with np.errstate(all="ignore"):
        expected = function(x)
    if name in ("cos", "sin"):
        expected = np.where(np.abs(x) > 1e300, np.nan, expected)
        got = np.where(np.abs(x) > 1e300, np.nan, machine(name, x))
    else:
        got = machine(name, x)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    np.testing.assert_allclose(got, expected, rtol=1e-15, atol=0.0)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_a_lane_does_not_see_its_neighbours(machine: VectorLibrary, name: str) -> None:
    random = np.random.default_rng(11)
    values = RANGES[name][0][:400] if name in RANGES else random.uniform(-2, 2, 400)
    values = np.concatenate([values, SPECIAL])
    second = np.concatenate([random.uniform(-2, 2, 400), SPECIAL[::-1]])
    others = np.concatenate([SPECIAL, RANGES["expm1"][0][:50]])

    def call(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (machine(name, x, y) if name in BINARY else machine(name, x)).view(np.int64)

    place_changes_nothing(call, (values, second), others, machine.lanes, random)


def test_any_and_all(machine: VectorLibrary) -> None:
    for pattern in range(2**machine.lanes):
        bits = [(pattern >> i) & 1 for i in range(machine.lanes)]
        x = np.array(bits, dtype=float)
        for i, bit in enumerate(bits):
            expected = (any(bits)) + 2 * all(bits) + 4 * bit
            assert machine.lib.truth(x.ctypes.data_as(ctypes.c_void_p), i) == expected


@pytest.mark.parametrize("value", SPECIAL)
def test_a_double_fills_every_lane(machine: VectorLibrary, value: float) -> None:
    out = np.empty(machine.lanes)
    machine.lib.everywhere(ctypes.c_double(value), out.ctypes.data_as(ctypes.c_void_p))
    assert (out.view(np.int64) == np.array([value]).view(np.int64)).all()


def test_words_and_tables(machine: VectorLibrary) -> None:
    pointer = ctypes.c_void_p
    lanes = machine.lanes
    words = np.arange(lanes, dtype=np.int64)
    x = np.where(np.arange(lanes) % 3 == 0, 1.0, -1.0)
    out = np.empty(lanes, dtype=np.int64)
    machine.lib.words(*(v.ctypes.data_as(pointer) for v in (words, x, out)))
    flagged = words | np.where(x > 0, 8, 0)
    np.testing.assert_array_equal(out, np.where(flagged & 1, flagged, flagged + 2))
    table, got = np.random.default_rng(12).random(100), np.empty(lanes)
    index = np.array([99, 0, 7, 50, 3, 3, 98, 1][:lanes], dtype=np.int64)
    machine.lib.table(*(v.ctypes.data_as(pointer) for v in (table, index, got)))
    np.testing.assert_array_equal(got, table[index])
    for start in range(24):
        index = (start + 5 * np.arange(lanes)) % 24
        machine.lib.small_table(*(v.ctypes.data_as(pointer) for v in (table, index, got)))
        np.testing.assert_array_equal(got, table[index])


def test_exp2_of_negative_numbers(machine: VectorLibrary) -> None:
    """Within an ulp or two where it falls, next to nothing below, NaN for NaN."""
    x = np.concatenate([np.random.default_rng(12).uniform(-1015, 0, 20000), [0.0, -0.0]])
    got = machine("exp2OfNegative", x)
    assert np.abs(got / np.exp2(x.astype(np.longdouble)) - 1).max() <= 4 * np.finfo(float).eps
    far = machine("exp2OfNegative", np.array([-1021.0, -1e5, -np.inf, np.nan]))
    assert (far[:3] >= 0.0).all() and (far[:3] <= 2.0**-1019).all() and np.isnan(far[3])


def test_log1p_of_a_quotient(machine: VectorLibrary) -> None:
    """To 4 ulp from tiny quotients up to 5.6, past the places where its power of two changes."""
    random = np.random.default_rng(13)
    ratio = np.concatenate([10.0 ** random.uniform(-18, 0, 20000), random.uniform(0, 5.6, 20000)])
    y = 10.0 ** random.uniform(-6, 6, ratio.size)
    x = ratio * y
    got = machine("log1pOfQuotient", x, y)
    expected = np.log1p(x.astype(np.longdouble) / y.astype(np.longdouble))
    assert np.abs(got / expected - 1).max() <= 4 * np.finfo(float).eps
    assert np.isnan(
        machine("log1pOfQuotient", np.array([np.nan, 1.0]), np.array([1.0, np.nan]))
    ).all()


def test_records_of_a_table(machine: VectorLibrary) -> None:
    """The fraction is cut off; places beyond the ends, and a NaN, stay within the table."""
    if machine.lanes == 8:
        pytest.skip("columns in registers are faster there")
    pointer = ctypes.c_void_p
    table, got = np.random.default_rng(14).random((25, 4)), np.empty((4, machine.lanes))
    places = np.array([0.0, 0.999, 1.0, 7.5, 24.0, 24.9, 1e300, -3.0, np.inf, -np.inf, np.nan])
    for start in range(places.size):
        chosen = np.take(places, range(start, start + machine.lanes), mode="wrap")
        machine.lib.records(*(v.ctypes.data_as(pointer) for v in (table, chosen, got)))
        number = np.clip(np.nan_to_num(chosen, nan=0.0), 0.0, 24.0).astype(int)
        np.testing.assert_array_equal(got, table[number].T)
