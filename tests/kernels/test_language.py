"""What a kernel may say, on every machine: each instruction set, one point on the host, and the
sources for a GPU on a stand-in. The kernels are those of examples/language_pack."""

from __future__ import annotations

import ctypes
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import docsprograms
import numpy as np
import pytest
from standin import StandIn

from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import run_plan
from bridge.backends.cuda import CudaBackend, cache, compiler
from bridge.backends.gpu.policy import POLICIES
from bridge.backends.host import library
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan import packbuild, packs
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.plan import Plan

ROOT = Path(__file__).resolve().parents[2]
PACK = ROOT / "examples" / "language_pack"
KERNELS = ["everyFunction", "everyInteger", "frictionVelocity", "limitedSlopes", "steepestSlope"]
FUNCTIONS = docsprograms.loaded("functions")
COLUMNS: list[str] = FUNCTIONS.columns()


class Backend:
    """Kernels of the pack on a backend."""

    def __init__(self, backend: Any, gpu: bool = False) -> None:
        self.backend, self.gpu = backend, gpu
        self.catalogue = Catalogue.load([shipped_file(), PACK / "catalogue.toml"])
        self.shared = SharedData(SpeciesData.load(["N2"]))

    def __call__(self, name: str, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        plan = self.catalogue.single(name, 1)
        return self.run(plan, inputs)

    def run(self, plan: Plan, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return run_plan(plan, inputs, self.shared, backend=self.backend, catalogue=self.catalogue)


class Scalar:
    """The same for one point after the other, in double and int."""

    gpu = False

    def __init__(self, folder: Path) -> None:
        self.catalogue = Catalogue.load([shipped_file(), PACK / "catalogue.toml"])
        text = ["#define BRIDGE_SCALAR"]
        text += [f'#include "{PACK / name}.h"' for name in KERNELS]
        for name in KERNELS:
            arguments = []
            for place, quantity in enumerate(self._names(name)):
                about = self.catalogue.quantity(quantity)
                kind = "int" if about.dtype == "int32" else "double"
                star = "*" if about.columns == "1" else ""
                arguments.append(f"{star}static_cast<{kind}*>(p[{place}])")
            # lvalues: a kernel takes its arrays by reference
            lines = [f"auto&& a{k} = {word};" for k, word in enumerate(arguments)]
            names = ", ".join(f"a{k}" for k in range(len(arguments)))
            text.append(
                f'extern "C" void run_{name}(void** p) {{ {" ".join(lines)} '
                f"bridge_point::{name}<double>(Shared(), {names}); }}"
            )
        source, target = folder / "scalar.cpp", folder / "scalar.so"
        source.write_text("\n".join(text))
        line = ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        line += [f"-I{compiler.include_folder()}", str(source), "-o", str(target), "-lm"]
        done = subprocess.run(line, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        self.library = ctypes.CDLL(str(target))

    def _names(self, name: str) -> tuple[str, ...]:
        kernel = self.catalogue.kernel(name)
        return (*kernel.inputs, *kernel.outputs)

    def __call__(self, name: str, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        n = len(next(iter(inputs.values())))
        arrays = {}
        for quantity in self._names(name):
            about = self.catalogue.quantity(quantity)
            shape = (n, self.catalogue.columns(quantity, 1))
            arrays[quantity] = np.zeros(shape, about.dtype)
            if quantity in inputs:
                arrays[quantity][:] = np.reshape(inputs[quantity], shape)
        function = getattr(self.library, f"run_{name}")
        for k in range(n):
            pointers = [array[k].ctypes.data for array in arrays.values()]
            function((ctypes.c_void_p * len(pointers))(*pointers))
        return {
            quantity: array[:, 0] if self.catalogue.quantity(quantity).columns == "1" else array
            for quantity, array in arrays.items()
        }


Machine = Backend | Scalar


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The pack, built and found for as long as these tests run."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("BRIDGE_PACKS", str(PACK))
        warnings = [done.warnings for done in packbuild.build([PACK])]
        assert not any(warnings), "what a kernel may say compiles without warnings"
        yield
    packs.forget()


@pytest.fixture(scope="module", params=[*library.available(), "scalar", "stand-in"])
def machine(
    request: pytest.FixtureRequest, built: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("machine")
    if request.param == "scalar":
        yield Scalar(folder)
    elif request.param == "stand-in":
        api: Any = StandIn()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cache, "compiled", api.compile)
            yield Backend(CudaBackend(api=api), gpu=True)
    else:
        yield Backend(CpuBackend(isa=request.param))


def values(machine: Machine, name: str, x: Any, y: Any = None) -> np.ndarray:
    """A column of everyFunction."""
    x = np.asarray(x, float)
    y = np.ones_like(x) if y is None else np.asarray(y, float)
    got = machine("everyFunction", language_x=x, language_y=y)["language_values"]
    return got[:, COLUMNS.index(name)]


def test_quotients_and_roots_of_zero_and_infinity(machine: Machine) -> None:
    numbers = np.array([2.0, -3.0, 0.0, -0.0, np.inf, -np.inf, np.nan])
    x, y = (side.ravel() for side in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        wanted = {"x / y": x / y, "sqrt(x)": np.sqrt(x)}
    for name, want in wanted.items():
        got = values(machine, name, x, y)
        np.testing.assert_allclose(got, want, rtol=1e-15, err_msg=name)
        there = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got[there]), np.signbit(want[there]), name)


# ---- how exact ----------------------------------------------------------------------------------


def test_every_function_is_measured() -> None:
    assert set(COLUMNS) == {*FUNCTIONS.FUNCTIONS, *FUNCTIONS.EXACT}


def of_the_page() -> list[list[str]]:
    """Cells of the table of functions, its head first."""
    page = (ROOT / "docs" / "reference" / "functions-of-kernels.md").read_text(encoding="utf-8")
    section = page.partition("<!-- functions: begin -->")[2].partition("<!-- functions: end")[0]
    rows = [row for row in section.splitlines() if row.startswith("|")]
    return [row.strip("| ").split(" | ") for row in rows if "---" not in row]


def test_at_most_four_ulp(machine: Machine, request: pytest.FixtureRequest) -> None:
    def call(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return machine("everyFunction", language_x=x, language_y=y)["language_values"]

    errors = FUNCTIONS.errors(call)
    assert {name: error for name, error in errors.items() if not error <= 4.0} == {}
    assert errors["mod(x, y)"] == 0.0
    assert errors["exp(x)"] > 0.3, "the reference is more exact than the function"

    head, *rows = of_the_page()
    # of a GPU, which has no parameter, the page has another machine's figures
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    column = FUNCTIONS.HEADS.get(parameters.get("machine", ""))
    if column is not None:
        printed = {row[0].strip("`"): float(row[head.index(column)]) for row in rows}
        own = {name: pytest.approx(printed[name], abs=0.0051) for name in FUNCTIONS.OWN}
        assert {name: errors[name] for name in own} == own


def test_the_page_has_every_function() -> None:
    _, *rows = of_the_page()
    assert [row[0].strip("`") for row in rows] == list(FUNCTIONS.FUNCTIONS)
    for row in rows:
        for cell in row[2:]:
            assert cell == FUNCTIONS.UNKNOWN or float(cell) <= 4.0, row


# ---- special values -----------------------------------------------------------------------------

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.5, -2.5, 1e300, -1e300])
NUMPY: dict[str, Callable[..., Any]] = {
    "sqrt(x)": np.sqrt, "cbrt(x)": np.cbrt, "exp(x)": np.exp, "exp2(x)": np.exp2,
    "expm1(x)": np.expm1, "log(x)": np.log, "log2(x)": np.log2, "log10(x)": np.log10,
    "log1p(x)": np.log1p, "asin(x)": np.arcsin, "acos(x)": np.arccos, "atan(x)": np.arctan,
    "sinh(x)": np.sinh, "cosh(x)": np.cosh, "tanh(x)": np.tanh, "erf(x)": np.vectorize(math.erf),
    "pow(x, 2)": np.square, "pow(x, 3)": lambda x: x * x * x, "abs(x)": np.abs,
    "floor(x)": np.floor, "ceil(x)": np.ceil, "aint(x)": np.trunc, "rint(x)": np.rint,
    "anint(x)": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}  # fmt: skip
NUMPY2: dict[str, Callable[..., Any]] = {
    "x / y": np.divide, "pow(x, y)": np.power, "atan2(y, x)": lambda x, y: np.arctan2(y, x),
    "mod(x, y)": np.fmod, "sign(x, y)": np.copysign, "min(x, y)": np.minimum,
    "max(x, y)": np.maximum,
}  # fmt: skip
#: Signs of these results' zeros are nobody's.
NO_SIGN = ("min(x, y)", "max(x, y)")


def _same(got: np.ndarray, want: np.ndarray, name: str, signs: bool = True) -> None:
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want), err_msg=name)
    np.testing.assert_allclose(got, want, rtol=2e-15, err_msg=name)
    solid = ~np.isnan(want)
    if signs:
        np.testing.assert_array_equal(np.signbit(got[solid]), np.signbit(want[solid]), name)


def test_special_arguments(machine: Machine) -> None:
    for name, function in NUMPY.items():
        gone = np.zeros(SPECIAL.size, bool)
        if machine.gpu and name == "sqrt(x)":  # NaN, as mathematics.h of the GPU says
            gone = np.isposinf(SPECIAL) | (np.signbit(SPECIAL) & (SPECIAL == 0.0))
        if machine.gpu and name in ("expm1(x)", "log1p(x)"):  # 0 there
            gone = np.signbit(SPECIAL) & (SPECIAL == 0.0)
        x = SPECIAL[~gone]
        with np.errstate(all="ignore"):
            _same(values(machine, name, x), function(x), name)


def test_circular_functions_of_infinity_and_nan(machine: Machine) -> None:
    x = np.array([np.inf, -np.inf, np.nan])
    for name in ("sin(x)", "cos(x)", "tan(x)", "sinpi(x)", "cospi(x)"):
        assert np.isnan(values(machine, name, x)).all(), name
    assert np.signbit(values(machine, "sin(x)", [-0.0])[0])
    assert np.signbit(values(machine, "tan(x)", [-0.0])[0])


def test_special_pairs(machine: Machine) -> None:
    x, y = (np.ravel(a) for a in np.meshgrid(SPECIAL, SPECIAL))
    for name, function in NUMPY2.items():
        if machine.gpu and name == "x / y":
            continue  # by 0 and by infinity: NaN, as mathematics.h of the GPU says
        with np.errstate(all="ignore"):
            _same(values(machine, name, x, y), function(x, y), name, name not in NO_SIGN)


def test_remainders(machine: Machine) -> None:
    """mod as Fortran's: exact, with the sign of the first; modulo with that of the second."""
    random = np.random.default_rng(4)
    x = random.normal(0, 1e3, 500) * 10.0 ** random.uniform(-5, 12, 500)
    y = random.normal(0, 3, 500)
    x[:8], y[:8] = [6, -6, 6, -6, 7, -7, 7, -7], [3, 3, -3, -3, 2, 2, -2, -2]
    np.testing.assert_array_equal(values(machine, "mod(x, y)", x, y), np.fmod(x, y))
    np.testing.assert_array_equal(values(machine, "modulo(x, y)", x, y), np.mod(x, y))
    apart = values(machine, "mod(x, y)", [1e300, 5.0, 1e-320], [3.0, np.inf, 3.0])
    np.testing.assert_array_equal(apart, [math.fmod(1e300, 3.0), 5.0, 1e-320])


def test_halves_go_away_from_zero(machine: Machine) -> None:
    x = np.array(
        [0.5, 1.5, 2.5, -0.5, -2.5, 0.49999999999999994, 4503599627370497.0, 2.0**51 + 0.5]
    )
    want = [1.0, 2.0, 3.0, -1.0, -3.0, 0.0, 4503599627370497.0, 2.0**51 + 1]
    np.testing.assert_array_equal(values(machine, "anint(x)", x), want)


# ---- integers -----------------------------------------------------------------------------------


def _quotient(a: int, b: int) -> int:
    return int(math.copysign(abs(a) // abs(b), a * b)) if a and b else 0


def _integers(a: int, b: int, x: float) -> list[int]:
    """What everyInteger gives, in Python's integers."""
    q, r = _quotient(a, b), a - _quotient(a, b) * b
    rest = _quotient(a + 7 - b, 3)
    last = int(math.fmod(rest, 10))
    half = int(math.copysign(math.floor(abs(x) + 0.5), x))
    third = a / 3.0 + x
    within, inside = max(min(a, 5), 0), max(min(a, 6), 0)
    return [
        a + b, a - b, int(math.fmod(a, 1000)) * int(math.fmod(b, 1000)), q, r, a % b, min(a, b),
        max(a, b), abs(a), abs(a) if b >= 0 else -abs(a), (a & b) | (a ^ 255), ~a, a >> 3,
        (b & 1023) << 5, -a if a < b else b, a if (a <= b) == (a > 7) or a != b else b,
        int(math.fmod(a, 100)) ** 3, int(x), half, math.floor(x),
        int(math.copysign(math.floor(abs(third) + 0.5), third)), a + 7 - b, rest, last | 16,
        within, within == 5, inside, inside != 6,
    ]  # fmt: skip


def test_integers(machine: Machine) -> None:
    random = np.random.default_rng(5)
    pair = random.integers(-(10**9), 10**9, (300, 2)).astype(np.int32)
    pair[:100] //= 10**6
    pair[100:120] = np.stack([np.arange(-10, 10), np.full(20, 3)], 1)
    pair[:, 1][pair[:, 1] == 0] = 5
    x = random.normal(0, 1e4, 300)
    x[:6] = [0.5, -0.5, 2.5, -2.5, 0.0, -1.0]
    got = machine("everyInteger", language_pair=pair, language_x=x)["language_integers"]
    assert got.dtype == np.int32
    want = [_integers(int(a), int(b), float(c)) for (a, b), c in zip(pair, x, strict=True)]
    np.testing.assert_array_equal(got, want)


def test_a_divisor_of_zero_stops_nothing(machine: Machine) -> None:
    if isinstance(machine, Scalar):
        pytest.skip("C++ itself: the host's own check of a header")
    pair = np.array([[7, 0], [7, 2]], np.int32)
    got = machine("everyInteger", language_pair=pair, language_x=np.zeros(2))["language_integers"]
    assert got[:, 3].tolist() == [0, 3] and got[:, 4].tolist() == [7, 1]


def test_numbers_beyond_the_integers_end_at_their_ends(machine: Machine) -> None:
    if isinstance(machine, Scalar):
        pytest.skip("undefined in C++, which is what runs there")
    if machine.gpu:
        pytest.skip("the conversion of the hardware")
    x = np.array([1e300, -1e300, np.inf, np.nan, 2147483647.7])
    pair = np.ones((5, 2), np.int32)
    got = machine("everyInteger", language_pair=pair, language_x=x)["language_integers"][:, 17]
    assert got.tolist() == [2**31 - 1, -(2**31), 2**31 - 1, -(2**31), 2**31 - 1]


# ---- iterations and small arrays ----------------------------------------------------------------


def wall(n: int = 203) -> dict[str, np.ndarray]:
    random = np.random.default_rng(6)
    return {
        "wall_velocity": 10.0 ** random.uniform(-3, 3, n),
        "wall_distance": 10.0 ** random.uniform(-4, 1, n),
        "wall_nu": 10.0 ** random.uniform(-6.5, -5, n),
    }


def test_an_iteration_that_each_point_leaves(machine: Machine) -> None:
    given = wall()
    given["wall_nu"][[3, 77]] = np.nan, -1.0
    got = machine("frictionVelocity", **given)
    friction, turns = got["wall_friction"], got["wall_turns"]
    good = np.delete(np.arange(len(turns)), [3, 77])
    assert np.isnan(friction[[3, 77]]).all()
    assert len(set(turns[good])) > 2 and turns[good].max() < 40 and turns[good].min() > 0
    u, y, nu = (given[f"wall_{name}"][good] for name in ("velocity", "distance", "nu"))
    law = friction[good] * (np.log(y * friction[good] / nu) / 0.41 + 5.2)
    np.testing.assert_allclose(law, u, rtol=1e-11)


@pytest.mark.parametrize("name", ["frictionVelocity", "everyFunction"])
def test_a_point_has_its_bits_wherever_it_stands(machine: Machine, name: str) -> None:
    if name == "frictionVelocity":
        given, key = wall(37), "wall_friction"
        given["wall_nu"][5] = np.nan
    else:
        random = np.random.default_rng(8)
        x = np.concatenate([random.normal(0, 3, 26), SPECIAL])
        given, key = {"language_x": x, "language_y": x[::-1].copy()}, "language_values"
    whole = machine(name, **given)[key]
    for first in (1, 2, 3, 7, 30):
        part = {quantity: array[first:].copy() for quantity, array in given.items()}
        got = machine(name, **part)[key]
        assert np.array_equal(got.view(np.int64), whole[first:].view(np.int64)), first
    order = np.random.default_rng(9).permutation(37)
    mixed = machine(name, **{quantity: array[order] for quantity, array in given.items()})[key]
    assert np.array_equal(mixed.view(np.int64), whole[order].view(np.int64))


def slopes(n: int = 101) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(7)
    left, right = random.normal(size=(2, n, 5))
    limited = np.where(left * right > 0, np.sign(left) * np.minimum(abs(left), abs(right)), 0.0)
    slope = 0.5 * limited + 0.25 * (left + right)
    most = np.abs(slope).argmax(1)
    words = np.stack([most, np.where(slope[:, 0] < 0, -1, 1)], 1)
    return left, right, slope, words


def test_small_arrays_and_updates_of_outputs(machine: Machine) -> None:
    left, right, slope, words = slopes()
    got = machine("limitedSlopes", slope_left=left, slope_right=right)
    np.testing.assert_allclose(got["slope"], slope, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(got["slope_steepest"], words)
    assert got["slope_steepest"].dtype == np.int32


def test_integers_between_kernels(machine: Machine) -> None:
    """Several per point: an input, an output, and a value that only kernels see."""
    left, right, slope, words = slopes()
    want = np.take_along_axis(slope, words[:, :1], 1)[:, 0]
    for kind in (np.int32, np.float64):  # integers may lie in an array of reals
        given = words.astype(kind)
        got = machine("steepestSlope", slope=slope, slope_steepest=given)["slope_most"]
        np.testing.assert_array_equal(got, want)
    if isinstance(machine, Scalar):
        return
    composite = machine.catalogue.composite("steepest")
    sides = {"slope_left": left, "slope_right": right}
    plan = machine.catalogue.composite_plan(composite, 1)
    policies = POLICIES.values() if machine.gpu else [None]
    for policy in policies:
        if policy is not None:
            machine.backend.device.policy = policy
        np.testing.assert_allclose(machine.run(plan, sides)["slope_most"], want, rtol=1e-14)
    if machine.gpu:
        machine.backend.device.policy = None


def test_no_integer_is_added_to_a_half(built: None) -> None:
    """n + 0.5 is an error of the compiler, not n."""
    text = """#include "launch.h"
    using namespace BRIDGE_NAMESPACE;
    auto f(WideBits n) { return n + %s; }"""
    for word, refused in (("1", False), ("0.5", True)):
        line = ["g++", "-std=c++17", "-fsyntax-only", "-march=x86-64-v3", "-xc++", "-"]
        line += ["-DBRIDGE_LANES=4", "-DBRIDGE_NAMESPACE=test"]
        folder = compiler.include_folder()
        line += [f"-I{folder}", f"-I{folder / 'cpu'}"]
        done = subprocess.run(line, input=text % word, capture_output=True, text=True)
        assert bool(done.returncode) == refused, done.stderr
        assert not refused or re.search("deleted function|ambiguous", done.stderr)
