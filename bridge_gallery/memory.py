"""Small mistakes of ported kernels: the samples of a blog post of performance advices (CEA, 2025),
with their twins, and the advices that it announces without samples.

The document measured on an RTX 6000 Ada.
"""

from __future__ import annotations

import numpy as np

from bridge_gallery.rung import Arrays, Launch, Problem, Rung, ceil_div, source

NAME = "memory"
TITLE = "Advices for porting kernels: memory that is used twice, stacks, registers, branches"
LESSON = (
    "What to learn: keep sums and short arrays in registers, which needs sizes that the compiler "
    "knows and indices that it can resolve; let neighbouring threads read neighbouring addresses; "
    "look at registers, stack and spilled bytes of every kernel; take literals of the right "
    "precision and products instead of pow. In the bridge: the number of species and the options "
    "of a run are constants of the compiled kernel, `bridge kernels resources` lists stacks and "
    "spills of all kernels without a GPU, and whole powers in its kernels are products."
)
MISTAKES = (
    "sample 1 reads one value before and one behind its array: here the array has them",
    "the listing of sample 3 has two sums of rows, its figures are of a column and a row: here "
    "the names say which way the values lie",
)
#: Arguments of a kernel in front of the number of points: names of arrays, and numbers.
Given = tuple[str | np.generic, ...]
POINTS, FEW, TURNS = 1 << 27, 300, 10
SIDE, FEW_SIDE = 10000, 70
THREADS = 256


def text() -> str:
    """Of all kernels."""
    return source("memory.cu")


def small() -> list[Problem]:
    """All samples at few points."""
    return _problems(FEW, FEW_SIDE)


def full() -> list[Problem]:
    """The document's sizes; a quarter of them where it has none."""
    return _problems(POINTS, SIDE)


def _problems(n: int, side: int) -> list[Problem]:
    quarter = n if n == FEW else n // 4
    return [_sums(n), _components(n), _matrix(side), _indirect(n), _registers(quarter),
            _arithmetic(quarter), _powers(quarter), _branches(quarter),
            _option(quarter)]  # fmt: skip


def _values(n: int, kind: str = "f4", seed: int = 0) -> np.ndarray:
    """Random numbers in 0.5 .. 1.5: some, again and again."""
    some = 0.5 + np.random.default_rng(seed).random(min(n, 1 << 20))
    return np.resize(some.astype(kind), n)


def _rung(
    name: str, kernel: str, n: int, arguments: Given, document: str = "", tolerance: float = 1e-5
) -> Rung:
    return Rung(name, (_launch(kernel, n, arguments),), document=document, tolerance=tolerance)


def _launch(kernel: str, n: int, arguments: Given, parts: int = 1, per: int = 1) -> Launch:
    """A thread for each of n points, or `per` of them."""
    grid = (ceil_div(n * per, THREADS), parts, 1)
    return Launch(kernel, grid, (THREADS, 1, 1), (*arguments, np.int32(n)))


def _sums(n: int) -> Problem:
    def arrays() -> Arrays:
        return {"a": _values(n), "b": _values(n + 2, seed=1)}

    def expected(arrays: Arrays) -> Arrays:
        b = arrays["b"].astype(float)
        return {"a": arrays["a"] + TURNS * (b[:-2] + b[1:-1] + b[2:])}

    rungs = (
        _rung("1: the sum in memory", "sum_in_memory", n, ("a", "b"), "5.08"),
        _rung("1: the sum in a register", "sum_in_register", n, ("a", "b"), "1.81"),
    )
    return Problem(f"sample 1, {n} points", arrays, expected, rungs, 12 * n, document="ms")


def _components(n: int) -> Problem:
    def arrays() -> Arrays:
        return {"a": _values(3 * n).reshape(3, n), "b": _values(3 * n, seed=1).reshape(3, n)}

    def expected(arrays: Arrays) -> Arrays:
        return {"a": arrays["a"] + TURNS * arrays["b"].astype(float).sum(0)}

    three = np.int32(3)
    rungs = (
        _rung("2: components in memory", "components_in_memory", n, ("a", "b", three),
              "reference"),
        _rung("2: in arrays, dim at run time", "components_on_stack", n, ("a", "b", three),
              "slow at best"),
        _rung("2: in arrays, dim of the compiler", "components_of_3", n, ("a", "b"), "75 % less"),
    )  # fmt: skip
    return Problem(f"sample 2, {n} points, 3 components", arrays, expected, rungs, 36 * n,
                   document="time")  # fmt: skip


def _matrix(n: int) -> Problem:
    def arrays() -> Arrays:
        sums = {name: np.zeros(n, "f4") for name in ("down", "along")}
        return {"matrix": _values(n * n).reshape(n, n), **sums}

    def expected(arrays: Arrays) -> Arrays:
        whole = arrays["matrix"].astype(float)
        return {"down": whole.sum(1), "along": whole.sum(0)}

    def one(
        name: str, kernel: str, output: str, document: str = "", parts: int = 1, per: int = 1
    ) -> Rung:
        launch = _launch(kernel, n, ("matrix", output), parts, per)
        return Rung(name, (launch,), document=document, outputs=(output,), tolerance=1e-4)

    zero = _launch("clear", n, ("along",))
    parts = one("3: threads beside each other, 16 parts", "sum_of_row_in_parts", "along", parts=16)
    rungs = (
        one("3: a thread along what is contiguous", "sum_of_column", "down", "1.14"),
        one("3: threads beside each other", "sum_of_row", "along", "0.52"),
        one("3: a warp along what is contiguous", "sum_of_column_by_warp", "down", per=32),
        Rung(parts.name, (zero, *parts.launches), outputs=("along",), tolerance=1e-4),
    )
    return Problem(f"sample 3, {n} x {n}", arrays, expected, rungs, 4 * n * n, document="ms")


def _indirect(n: int) -> Problem:
    def arrays() -> Arrays:
        index = np.array([1, 2, 0], "i4")
        return {
            "a": _values(3 * n).reshape(3, n),
            "b": _values(3 * n, seed=1).reshape(3, n),
            "index": np.repeat(index[:, None], n, axis=1),
        }

    def expected(arrays: Arrays) -> Arrays:
        return {"a": arrays["a"] + TURNS * arrays["b"].astype(float).sum(0)}

    given = ("a", "b", "index")
    rungs = (
        _rung("4: an index of memory", "index_of_memory", n, given, "10.37"),
        _rung("4: by a switch", "index_by_switch", n, given, "6.98"),
        _rung("4: ours, by selects", "index_by_select", n, given),
    )
    return Problem(f"sample 4, {n} points, 3 components", arrays, expected, rungs, 48 * n,
                   document="ms")  # fmt: skip


def _registers(n: int) -> Problem:
    def arrays() -> Arrays:
        return {"out": np.zeros(n), "x": _values(n, "f8") - 0.5}

    def expected(arrays: Arrays) -> Arrays:
        z = arrays["x"]
        p = [z + k for k in range(48)]
        for _ in range(TURNS):
            for k in range(48):
                p[k] = p[k] * z + p[(k + 7) % 48] * 0.01
        return {"out": np.sum(p, axis=0)}

    given = ("out", "x")
    rungs = tuple(
        _rung(name, kernel, n, given, tolerance=1e-12)
        for name, kernel in {
            "48 values, no bounds": "registers_free",
            "for blocks of 256 threads": "registers_of_256",
            "for 512 threads on a processor": "registers_of_512",
            "for 1024 threads": "registers_of_1024",
            "for 2048 threads": "registers_of_2048",
        }.items()
    )
    return Problem(f"occupancy and launch bounds, {n} points", arrays, expected, rungs, 16 * n,
                   2 * 2 * 48 * TURNS * n)  # fmt: skip


def _arithmetic(n: int) -> Problem:
    def arrays() -> Arrays:
        return {"out": np.zeros(n, "f4"), "x": _values(n)}

    by = np.float32(1 / 0.3)

    def expected(arrays: Arrays) -> Arrays:
        value = arrays["x"].astype(float)
        for _ in range(TURNS):
            value = value * 0.3 + 1.0
        return {"out": value}

    given = ("out", "x", by)
    rungs = (
        _rung("a division", "divided", n, given),
        _rung("a product with the inverse", "multiplied", n, given),
        _rung("literals in double precision", "in_double", n, given),
        _rung("literals in single precision", "in_single", n, given),
    )
    return Problem(f"cheap arithmetic in float, {n} points", arrays, expected, rungs, 8 * n)


def _powers(n: int) -> Problem:
    def arrays() -> Arrays:
        return {"out": np.zeros(n), "x": np.minimum(_values(n, "f8"), 1.0)}

    def expected(arrays: Arrays) -> Arrays:
        value = arrays["x"]
        for _ in range(TURNS):
            value = value**3 * 0.5 + 0.5
        return {"out": value}

    given = ("out", "x", np.float64(3.0))
    rungs = (
        _rung("pow(x, 3)", "by_pow", n, given, tolerance=1e-12),
        _rung("x * x * x", "by_product", n, given, tolerance=1e-12),
    )
    return Problem(f"powers in double, {n} points", arrays, expected, rungs, 16 * n)


def _branches(n: int) -> Problem:
    sizes = {"list0": n - n // 2, "list1": n // 2}

    def arrays() -> Arrays:
        point = np.arange(n, dtype="i4")
        return {
            "out": np.zeros(n), "warped": np.zeros(n), "x": _values(n, "f8"),
            "lanes": point % 2, "warps": point // 32 % 2,
            "list0": point[::2].copy(), "list1": point[1::2].copy(),
        }  # fmt: skip

    def expected(arrays: Arrays) -> Arrays:
        one = other = arrays["x"]
        for _ in range(TURNS):
            one = one * one * 0.1 + np.sqrt(one + 1.0)
            other = 1.0 / (other * 0.2 + 1.5) + other * 0.3
        ways = {"out": "lanes", "warped": "warps"}
        return {name: np.where(arrays[by], one, other) for name, by in ways.items()}

    def branch(name: str, output: str, by: str) -> Rung:
        launch = _launch("branch", n, (output, "x", by))
        return Rung(name, (launch,), outputs=(output,), tolerance=1e-12)

    launches = tuple(
        _launch("listed", size, ("out", "x", name, np.int32(name == "list1")))
        for name, size in sizes.items()
    )
    rungs = (
        branch("lanes of a warp go different ways", "out", "lanes"),
        branch("warps go different ways", "warped", "warps"),
        Rung("lists of the points of each way", launches, outputs=("out",), tolerance=1e-12,
             remark="every second value of a sector is used"),
    )  # fmt: skip
    return Problem(f"divergence, {n} points, two ways", arrays, expected, rungs, 20 * n)


def _option(n: int) -> Problem:
    def arrays() -> Arrays:
        return {"out": np.zeros(n), "x": _values(n, "f8")}

    def expected(arrays: Arrays) -> Arrays:
        return {"out": TURNS * 8 * arrays["x"]}

    given = ("out", "x", np.int32(3))
    rungs = (
        _rung("an option read at run time", "option_at_run_time", n, given, tolerance=1e-12),
        _rung("an option of the compiler", "option_of_compiler", n, given, tolerance=1e-12),
    )
    return Problem(f"templates against branches, {n} points", arrays, expected, rungs, 16 * n)
