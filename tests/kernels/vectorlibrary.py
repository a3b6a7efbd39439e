"""A small library over a vector header of kernels/cpu, compiled for an instruction set of this
machine and called through ctypes on arrays."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from bridge.kernels import file

#: Doubles in a register.
LANES = {"v2": 2, "v3": 4, "v4": 8}

EACH = """
extern "C" void {name}_all(const {real}* a, const {real}* b, {real}* out, long n) {{
    (void)b;
    for (long i = 0; i < n; i += {lanes}) {store}(out + i, {name}({arguments}));
}}
"""


def functions(
    names: Iterable[str],
    arguments: int,
    real: str,
    lanes: int,
    memory: tuple[str, str] = ("loadLanes", "store"),
) -> str:
    """C++ that calls each of these, of one number or of two, along arrays.

    memory: what loads a number, and what stores one.
    """
    load, store = memory
    given = ", ".join(f"{load}({array} + i)" for array in "ab"[:arguments])
    return "".join(
        EACH.format(name=name, arguments=given, real=real, lanes=lanes, store=store)
        for name in names
    )


class VectorLibrary:
    """The compiled library of one instruction set.

    isa: what it is for; lib: its functions; lanes: numbers of a register; dtype: what they are.
    """

    def __init__(
        self,
        isa: str,
        source: str,
        folder: Path,
        dtype: type,
        lanes: int,
        flags: Sequence[str] = (),
    ) -> None:
        compiler = shutil.which("c++") or shutil.which("g++")
        if compiler is None:
            pytest.skip("no C++ compiler")
        self.isa, self.lanes, self.dtype = isa, lanes, dtype
        text, target = folder / "vector.cpp", folder / "vector.so"
        text.write_text(source)
        subprocess.run(
            [
                compiler,
                "-std=c++17",
                "-O2",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fPIC",
                "-shared",
                f"-march=x86-64-{isa}",
                "-fno-math-errno",
                "-fno-trapping-math",
                "-ffp-contract=off",
                f"-DBRIDGE_NAMESPACE=lanes_{isa}",
                f"-DBRIDGE_LANES={LANES[isa]}",
                *flags,
                f"-I{Path(file('point.h')).parent}",
                str(text),
                "-lmvec",
                "-lm",
                "-o",
                str(target),
            ],
            check=True,
        )
        self.lib = ctypes.CDLL(str(target))

    def call(self, name: str, *arrays: np.ndarray) -> int:
        """A function of addresses."""
        assert all(array.flags.c_contiguous for array in arrays)
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in arrays)
        return int(getattr(self.lib, name)(*pointers))

    def __call__(self, name: str, a: np.ndarray, b: np.ndarray | None = None) -> np.ndarray:
        """A function of `functions`, along arrays of any length."""
        n = -(-a.size // self.lanes) * self.lanes
        arrays: list[np.ndarray] = [
            np.resize(np.asarray(x, self.dtype), n) for x in (a, a if b is None else b)
        ]
        arrays.append(np.empty(n, self.dtype))
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in arrays)
        getattr(self.lib, f"{name}_all")(*pointers, ctypes.c_long(n))
        return arrays[-1][: a.size]


def place_changes_nothing(
    call: Callable[[np.ndarray, np.ndarray], np.ndarray],
    values: tuple[np.ndarray, np.ndarray],
    others: np.ndarray,
    lanes: int,
    random: np.random.Generator,
) -> None:
    """Each value alone among copies of itself, then among all kinds of others: the same bits."""
    first, second = values
    alone = call(np.repeat(first, lanes), np.repeat(second, lanes)).reshape(-1, lanes)
    assert (alone == alone[:, :1]).all(), "the place in the vector changes the bits"
    for place in range(lanes):
        x, y = random.choice(others, (2, first.size, lanes))
        x[:, place], y[:, place] = first, second
        got = call(x.ravel(), y.ravel()).reshape(-1, lanes)[:, place]
        np.testing.assert_array_equal(got, alone[:, 0])
