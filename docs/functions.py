"""How exact the functions of kernels are: reference/functions-of-kernels.md, in units in the last
place.

    python docs/functions.py               rewrite the section, for the processor of this machine
    python docs/functions.py --gpu FILE    measure the GPU of this machine into FILE: with
                                           docs/results/functions-gpu.json the table has it

Needs the installed package, a C++ compiler (for the GPU none) and mpmath, whose 120 bits stand for
the exact value. What is run is the kernel everyFunction of examples/language_pack, which calls
every function once, through the backends.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "figures"))

from writing import prose  # noqa: E402
from writing import table as cells_of  # noqa: E402

PAGE = DOCS / "reference" / "functions-of-kernels.md"
PACK = DOCS.parent / "examples" / "language_pack"
GPU = DOCS / "results" / "functions-gpu.json"
#: Instruction set -> head of its column.
HEADS = {"v2": "x86-64-v2", "v3": "AVX2", "v4": "AVX-512"}
UNKNOWN = "not measured on this machine"

#: Points of each function, and bits of the exact value; fixed.
N, BITS = 1500, 120


@dataclass(frozen=True)
class Measured:
    """arguments: x and y, (n,); exact: of two mpmath numbers; where: the range, for the table."""

    arguments: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]
    exact: Callable[[Any, Any], Any]
    where: str


def _signs(random: np.random.Generator) -> np.ndarray:
    return random.choice([-1.0, 1.0], N)


def spread(low: float, high: float, signs: bool = True) -> Callable[..., Any]:
    """Sizes spread evenly over the decades from 10^low to 10^high."""

    def draw(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        x = 10.0 ** random.uniform(low, high, N) * (_signs(random) if signs else 1.0)
        return x, np.ones(N)

    return draw


def even(low: float, high: float) -> Callable[..., Any]:
    """Half of the points evenly from low to high, half spread over the decades down to 1e-20."""

    def draw(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        small = 10.0 ** random.uniform(-20, 0, N) * max(abs(low), abs(high))
        small = np.clip(small * (_signs(random) if low < 0 else 1.0), low, high)
        return np.where(np.arange(N) % 2, random.uniform(low, high, N), small), np.ones(N)

    return draw


def near_one(low: float, high: float) -> Callable[..., Any]:
    """Half of the points spread over the decades, half close to 1, where a logarithm is small."""

    def draw(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        close = 1.0 + 10.0 ** random.uniform(-15, -0.5, N) * _signs(random)
        wide = 10.0 ** random.uniform(low, high, N)
        return np.where(np.arange(N) % 2, wide, close), np.ones(N)

    return draw


def above_minus_one(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    small = 10.0 ** random.uniform(-20, -0.001, N) * _signs(random)
    return np.where(np.arange(N) % 2, 10.0 ** random.uniform(-1, 300, N), small), np.ones(N)


def two(x: tuple[float, float], y: tuple[float, float], signs: str = "xy") -> Callable[..., Any]:
    """Both spread over decades; signs: which of them are negative in half of the points."""

    def draw(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        a, b = (10.0 ** random.uniform(*decades, N) for decades in (x, y))
        a = a * _signs(random) if "x" in signs else a
        return a, b * _signs(random) if "y" in signs else b

    return draw


def power(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = 10.0 ** random.uniform(-30, 30, N)
    near = 1.0 + 10.0 ** random.uniform(-8, -1, N) * _signs(random)
    x = np.where(np.arange(N) % 3 == 0, near, x)
    return x, random.uniform(-9.5, 9.5, N)


def _modulo(x: Any, y: Any) -> Any:
    return x - y * mpmath.floor(x / y)


def _mod(x: Any, y: Any) -> Any:
    size = abs(x) - abs(y) * mpmath.floor(abs(x) / abs(y))
    return size if x > 0 else -size


MP = mpmath.mp
FUNCTIONS = {
    "x / y": Measured(two((-140, 140), (-140, 140)), lambda x, y: x / y, "1e±140"),
    "sqrt(x)": Measured(spread(-300, 300, False), lambda x, _: MP.sqrt(x), "1e±300"),
    "cbrt(x)": Measured(
        spread(-300, 300), lambda x, _: MP.sign(x) * MP.cbrt(abs(x)), "±1e±300"
    ),
    "exp(x)": Measured(even(-700, 700), lambda x, _: MP.exp(x), "±700"),
    "exp2(x)": Measured(even(-1000, 1000), lambda x, _: MP.power(2, x), "±1000"),
    "expm1(x)": Measured(even(-700, 700), lambda x, _: MP.expm1(x), "±700"),
    "log(x)": Measured(near_one(-300, 300), lambda x, _: MP.log(x), "1e±300"),
    "log2(x)": Measured(near_one(-300, 300), lambda x, _: MP.log(x) / MP.ln2, "1e±300"),
    "log10(x)": Measured(near_one(-300, 300), lambda x, _: MP.log(x) / MP.ln10, "1e±300"),
    "log1p(x)": Measured(above_minus_one, lambda x, _: MP.log1p(x), "-0.998 to 1e300"),
    "pow(x, y)": Measured(power, lambda x, y: MP.power(x, y), "1e±30, y ±9.5"),
    "pow(x, 2)": Measured(spread(-140, 140), lambda x, _: x**2, "±1e±140"),
    "pow(x, 3)": Measured(spread(-90, 90), lambda x, _: x**3, "±1e±90"),
    "pow(x, 7)": Measured(spread(-40, 40), lambda x, _: x**7, "±1e±40"),
    "pow(x, -2)": Measured(spread(-140, 140), lambda x, _: 1 / x**2, "±1e±140"),
    "sin(x)": Measured(even(-1e4, 1e4), lambda x, _: MP.sin(x), "±1e4"),
    "cos(x)": Measured(even(-1e4, 1e4), lambda x, _: MP.cos(x), "±1e4"),
    "tan(x)": Measured(even(-1e4, 1e4), lambda x, _: MP.tan(x), "±1e4"),
    "asin(x)": Measured(even(-1, 1), lambda x, _: MP.asin(x), "±1"),
    "acos(x)": Measured(even(-1, 1), lambda x, _: MP.acos(x), "±1"),
    "atan(x)": Measured(spread(-20, 20), lambda x, _: MP.atan(x), "±1e±20"),
    "atan2(y, x)": Measured(
        two((-20, 20), (-20, 20)), lambda x, y: MP.atan2(y, x), "±1e±20 both"
    ),
    "sinpi(x)": Measured(even(-0.5, 0.5), lambda x, _: MP.sinpi(x), "±0.5"),
    "cospi(x)": Measured(even(-0.25, 0.25), lambda x, _: MP.cospi(x), "±0.25"),
    "sinh(x)": Measured(even(-700, 700), lambda x, _: MP.sinh(x), "±700"),
    "cosh(x)": Measured(even(-700, 700), lambda x, _: MP.cosh(x), "±700"),
    "tanh(x)": Measured(even(-20, 20), lambda x, _: MP.tanh(x), "±20"),
    "erf(x)": Measured(even(-6, 6), lambda x, _: MP.erf(x), "±6"),
    "mod(x, y)": Measured(two((-30, 30), (-30, 30)), _mod, "±1e±30 both"),
    "modulo(x, y)": Measured(two((-3, 9), (-3, 9)), _modulo, "±1e-3..9 both"),
}  # fmt: skip

#: Far beyond the ranges of the table: functions that have to take off multiples of their period.
BEYOND = {
    "sin(x)": (spread(4, 300), MP.sin),
    "cos(x)": (spread(4, 300), MP.cos),
    "tan(x)": (spread(4, 300), MP.tan),
    "sinpi(x)": (spread(-1, 15), MP.sinpi),
    "cospi(x)": (spread(-1, 15), MP.cospi),
}

#: Of the package itself, the same on every system; the others are of the C library.
OWN = ("x / y", "sqrt(x)", "cbrt(x)", "exp(x)", "exp2(x)", "expm1(x)", "log(x)", "log1p(x)",
       "pow(x, 2)", "pow(x, 3)", "pow(x, 7)", "pow(x, -2)", "tanh(x)")  # fmt: skip

#: Exact by their definition; tests compare them, and the table leaves them out.
EXACT = ("abs(x)", "sign(x, y)", "min(x, y)", "max(x, y)", "floor(x)", "ceil(x)", "aint(x)",
         "anint(x)", "rint(x)")  # fmt: skip


def columns() -> list[str]:
    """What the kernel's outputs are, in order: the expressions of its header."""
    text = (PACK / "everyFunction.h").read_text(encoding="utf-8")
    return re.findall(r"values\[\d+\] = (.+);", text)


def machine(name: str) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The kernel on an instruction set, or on "gpu": x, y (n,) -> (n, columns)."""
    from bridge.backends.cpu import CpuBackend
    from bridge.backends.cuda import CudaBackend

    return on(CudaBackend() if name == "gpu" else CpuBackend(isa=name))


def on(backend: Any) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The kernel on a backend. Its pack has to be among BRIDGE_PACKS, and built for a CPU."""
    from bridge.backends.cpu.single import run_plan
    from bridge.physics.shared import SharedData
    from bridge.physics.species import SpeciesData
    from bridge.plan.catalogue import Catalogue, shipped_file

    catalogue = Catalogue.load([shipped_file(), PACK / "catalogue.toml"])
    plan = catalogue.single("everyFunction", 1)
    shared = SharedData(SpeciesData.load(["N2"]))

    def call(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        given = {"language_x": x, "language_y": y}
        got = run_plan(plan, given, shared, backend=backend, catalogue=catalogue)
        return got["language_values"]

    return call


def points(name: str) -> tuple[np.ndarray, np.ndarray]:
    return FUNCTIONS[name].arguments(np.random.default_rng(sum(name.encode())))


def ulps(got: np.ndarray, exact: list[Any]) -> np.ndarray:
    """Errors in units in the last place of the double next to the exact value."""
    nearest = np.array([float(value) for value in exact])
    rest = np.array(
        [float(value - mpmath.mpf(near)) for value, near in zip(exact, nearest, strict=True)]
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        errors: np.ndarray = np.abs((got - nearest) - rest) / np.spacing(np.abs(nearest))
    return errors


@cache
def exact(name: str) -> list[Any]:
    """Values of a function at its points."""
    x, y = points(name)
    digits = 420 if name == "mod(x, y)" else BITS  # its quotient alone has 200 bits
    with mpmath.workprec(digits):
        return [
            FUNCTIONS[name].exact(mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(x, y, strict=True)
        ]


def errors(call: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> dict[str, float]:
    """The largest error of every function at its points."""
    found = {}
    for name in FUNCTIONS:
        got = call(*points(name))[:, columns().index(name)]
        with mpmath.workprec(420):
            error = ulps(got, exact(name))
        found[name] = float("inf") if np.isnan(error).any() else float(error.max())
    return found


def build() -> None:
    """The pack, found by this process, built where a compiler is needed."""
    os.environ["BRIDGE_PACKS"] = str(PACK)
    from bridge.plan import packbuild

    for _ in packbuild.build([PACK]):
        pass


def beyond(call: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> tuple[float, float]:
    """Beyond the ranges of the table: the largest error of sin, cos and tan in ulp, and the
    largest absolute error of sinpi and cospi."""
    worst, absolute = 0.0, 0.0
    for name, (arguments, exactly) in BEYOND.items():
        x, y = arguments(np.random.default_rng(sum(name.encode())))
        got = call(x, y)[:, columns().index(name)]
        with mpmath.workprec(BITS):
            exact = [exactly(mpmath.mpf(value)) for value in x]
            if name in ("sinpi(x)", "cospi(x)"):
                errors = [abs(float(a - b)) for a, b in zip(exact, got.tolist(), strict=True)]
                absolute = max(absolute, *errors)
            else:
                worst = max(worst, float(ulps(got, exact).max()))
    return worst, absolute


def section() -> str:
    """What stands between the marks of the page."""
    from bridge.backends.host import library

    calls = {isa: machine(isa) for isa in HEADS if isa in library.available()}
    far = [beyond(call) for call in calls.values()]
    worst, absolute = (max(values) for values in zip(*far, strict=True))
    return "\n\n".join(
        [
            prose(
                f"""The table gives the largest error of each function that a kernel may call
                ([what a kernel may say](../how-to/write-a-kernel-pack.md#what-a-kernel-may-say)),
                in units in the last place (ulp). The reference is mpmath with {BITS} bits, at {N}
                points of the range. A correctly rounded result has an error of at most 0.5."""
            ),
            table(calls),
            prose(
                f"""- The package has its own `exp exp2 expm1 log log1p cbrt tanh`, and its own
                division for AVX-512. The other functions come from libmvec of the installed C
                library, here {" ".join(platform.libc_ver())}.""",
                """- `pow` with an integer exponent multiplies, and its error grows with the
                exponent. With a real exponent it is libmvec's.""",
                f"""- Beyond the range of the table `sinpi` and `cospi` keep an absolute error of
                {absolute:.0e}. `sin`, `cos` and `tan` have at most {worst:.1f} ulp up to 1e300.
                This was measured on the processor alone.""",
                """Figures: `python docs/functions.py`; the last column
                `python docs/functions.py --gpu docs/results/functions-gpu.json`, on a machine with
                a GPU.""",
            ),
        ]
    )


def table(calls: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]]) -> str:
    """Rows of the page: function, range, the largest error on each machine."""
    measured = {isa: errors(call) for isa, call in calls.items()}
    gpu = "GPU"
    if GPU.is_file():
        kept = json.loads(GPU.read_text(encoding="utf-8"))
        measured["gpu"], gpu = kept["errors"], kept["device"]
    names = {**HEADS, "gpu": gpu}
    rows = []
    for name, about in FUNCTIONS.items():
        cells = [
            f"{measured[key][name]:.2f}" if name in measured.get(key, {}) else UNKNOWN
            for key in names
        ]
        rows.append([f"`{name}`", about.where, *cells])
    return cells_of(["function", "range", *names.values()], rows)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--gpu"] and len(arguments) == 2:
        os.environ["BRIDGE_PACKS"] = str(PACK)
        from bridge.backends.cuda import CudaBackend

        backend = CudaBackend()
        found = {name: round(error, 3) for name, error in errors(on(backend)).items()}
        text = json.dumps({"device": backend.device.facts.name, "errors": found}, indent=1)
        Path(arguments[1]).write_text(text + "\n", encoding="utf-8")
        print(text)
        return 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    build()
    page = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- functions: begin -->", "<!-- functions: end -->"
    before, _, rest = page.partition(begin)
    PAGE.write_text(
        f"{before}{begin}\n{section()}\n{end}{rest.partition(end)[2]}", encoding="utf-8"
    )
    print(f"wrote {PAGE.relative_to(DOCS.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
