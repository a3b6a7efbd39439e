"""Originals against their kernels: one library of the Fortran, one of the headers, random points.

The Fortran is compiled with a driver for each procedure that loops over points; the headers for
lanes, for one point, and for a GPU's thread with two points. Points with NaN and extreme numbers
lie between the others, and lanes behind the last point hold what no procedure should see.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hosts import TIME_LIMIT
from port.drivers import Case, driver
from port.machines import instances

import bridge
from bridge_port.check.compiling import open_modules
from bridge_port.check.shim import columns, quantities
from bridge_port.kernel import HostValue, Quantity

KERNELS = Path(bridge.__file__).parent / "kernels"
LANES = 4  # x86-64-v3
#: Relative difference that no rounding explains.
TOLERANCE = {False: 1e-11, True: 3e-6}  # with single precision
#: What lanes behind the last point hold.
LEFTOVER = (np.nan, np.inf, -1e300, 0.0, 7.5e-310)
LEFTOVER_INTEGERS = (2147483647, -2147483648, 0, -1)


@dataclass
class Difference:
    output: str
    point: int
    original: float
    kernel: float
    machine: str


# ---- Compiling


class Bench:
    """Libraries of some cases. setup: a statement of Fortran that fills the data of modules, uses
    in front of it; ns: number of species."""

    optimised = "-O1"

    def __init__(
        self,
        folder: Path,
        files: Sequence[Path],
        cases: Sequence[Case],
        ns: int = 3,
        setup: tuple[str, str] = ("", ""),
        flags: Sequence[str] = ("-O1",),
        machines: Sequence[str] = ("lanes", "scalar", "gpu"),
    ) -> None:
        self.folder, self.cases, self.ns = folder, list(cases), ns
        folder.mkdir(parents=True, exist_ok=True)
        copies = []
        for file in files:
            copy = folder / file.name
            copy.write_text(open_modules(file.read_text("latin-1")), "latin-1")
            copies.append(copy.name)
        (folder / "driver.f90").write_text(driver(self.cases, ns, setup))
        run(["gfortran", "-w", "-ffree-line-length-none", *flags, "-fPIC", "-shared", "-o",
             "original.so", *copies, "driver.f90"], folder)  # fmt: skip
        self.original = ctypes.CDLL(str(folder / "original.so"))
        self.machines = {name: self.compiled(name) for name in machines}
        if setup[1]:
            self.original.zz_setup()

    def compiled(self, machine: str) -> ctypes.CDLL:
        for case in self.cases:
            (self.folder / case.kernel.header).write_text(case.kernel.text)
        source = self.folder / f"{machine}.cpp"
        source.write_text(instances([case.kernel for case in self.cases], machine))
        # One point alone ends where it reads past an array or divides by 0.
        flags = [
            "-DBRIDGE_SCALAR",
            "-DBRIDGE_NAMESPACE=bridge_one",
            "-fsanitize=bounds,integer-divide-by-zero",
            "-fsanitize-undefined-trap-on-error",
        ]
        if machine == "gpu":
            flags = ["-DBRIDGE_NAMESPACE=bridge_point"]
        if machine == "lanes":
            flags = ["-march=x86-64-v3", "-ffp-contract=off", f"-DBRIDGE_LANES={LANES}",
                     "-DBRIDGE_NAMESPACE=bridge_v3"]  # fmt: skip
        run(["g++", "-std=c++17", self.optimised, "-w", "-fno-math-errno", "-fno-trapping-math",
             "-fPIC", "-shared", *flags, f"-I{KERNELS}", f"-I{self.folder}", "-o", f"{machine}.so",
             source.name, "-lmvec", "-lm"], self.folder)  # fmt: skip
        return ctypes.CDLL(str(self.folder / f"{machine}.so"))

    # ---- Running

    def inputs(self, case: Case, points: int, seed: int) -> dict[str, np.ndarray[Any, Any]]:
        """By quantity; of shape (columns, points)."""
        random = np.random.default_rng(seed)
        found: dict[str, np.ndarray[Any, Any]] = {}
        for q in case.kernel.inputs:
            low, high = case.ranges.get(q.argument, DEFAULTS[q.type])
            shape = (self.columns(q), points)
            if q.type == "real":
                found[q.name] = random.uniform(low, high, shape)
                if q.kind == 4:
                    found[q.name] = found[q.name].astype(np.float32).astype(float)
            else:
                found[q.name] = random.integers(int(low), int(high) + 1, shape, dtype=np.int64)
        return found

    def columns(self, q: Quantity) -> int:
        return columns(q, self.ns)

    def run_original(
        self, case: Case, inputs: Mapping[str, np.ndarray[Any, Any]], points: int
    ) -> dict[str, np.ndarray[Any, Any]]:
        arguments: list[Any] = [
            ctypes.c_int(1),
            ctypes.c_int(points),
            ctypes.byref(ctypes.c_int()),
        ]
        kept = []
        outputs = {}
        for q in quantities(case.kernel):
            type = np.float64 if q.type == "real" else np.int32
            array = np.ones((points, self.columns(q)), type)  # what a kernel cannot know
            if q.name in inputs:
                array[:] = inputs[q.name].T.astype(type)
            kept.append(array)
            outputs[q.name] = array
            arguments.append(array.ctypes.data_as(ctypes.c_void_p))
        getattr(self.original, f"zz_run_{case.kernel.name}")(*arguments)
        return {q.name: outputs[q.name].T for q in case.kernel.outputs}

    def host(self, value: HostValue) -> tuple[np.ndarray[Any, Any], list[int]]:
        """What the original's data hold now."""
        buffer = np.zeros(100000)
        sizes = np.ones(3, np.int64)
        getattr(self.original, f"zz_host_{value.name.lower()}")(
            buffer.ctypes.data_as(ctypes.c_void_p), sizes.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_int(0),
        )  # fmt: skip
        return buffer, [int(n) for n in sizes]

    def run_kernel(
        self, case: Case, inputs: Mapping[str, np.ndarray[Any, Any]], points: int, machine: str
    ) -> dict[str, np.ndarray[Any, Any]]:
        padded = (points + LANES - 1) // LANES * LANES
        kept: list[Any] = []
        tables = []
        for value in case.kernel.tables:
            data, sizes = self.host(value)
            table = (ctypes.c_longlong * 3)(*sizes)
            kept += [data, table]
            tables += [data.ctypes.data, ctypes.addressof(table)]
        places = []
        for q in case.kernel.inputs:
            array = filled(q.type, self.columns(q), padded)
            array[:, :points] = inputs[q.name]
            kept.append(array)
            places.append(array.ctypes.data)
        for value in case.kernel.constants:
            data, _ = self.host(value)
            array = filled(value.type, 1, padded)
            array[:] = data[0]
            kept.append(array)
            places.append(array.ctypes.data)
        outputs = {}
        for q in case.kernel.outputs:
            array = filled(q.type, self.columns(q), padded)
            outputs[q.name] = array
            places.append(array.ctypes.data)
        vector = (ctypes.c_void_p * max(len(tables), 1))(*tables)
        pointers = (ctypes.c_void_p * len(places))(*places)
        getattr(self.machines[machine], f"run_{case.kernel.name}")(
            ctypes.c_longlong(self.ns), vector, pointers, ctypes.c_longlong(padded)
        )
        return {name: array[:, :points] for name, array in outputs.items()}

    # ---- Comparing

    def differences(self, case: Case, points: int = 203, seed: int = 1) -> list[Difference]:
        """Of points with modest inputs; others lie between them and are not compared."""
        inputs = self.inputs(case, points, seed)
        expected = self.run_original(case, inputs, points)
        spread, stable = self.conditioning(case, inputs, expected, points)
        random = np.random.default_rng(seed + 1)
        odd = random.random(points) < 0.15
        mixed = {name: array.copy() for name, array in inputs.items()}
        for q in case.kernel.inputs:
            if q.type == "real":
                mixed[q.name][:, odd] = random.choice(
                    [np.nan, np.inf, -np.inf, 1e300, -1e300, 0.0], (self.columns(q), odd.sum())
                )
        for q in case.kernel.inputs:
            if q.type == "logical":  # true is -1 for other compilers
                mixed[q.name] *= random.choice([1, -1], mixed[q.name].shape)
        found = []
        for machine in self.machines:
            results = self.run_kernel(case, mixed, points, machine)
            for q in case.kernel.outputs:
                for point in np.flatnonzero(~odd & stable):
                    for column in range(self.columns(q)):
                        a = expected[q.name][column, point]
                        b = results[q.name][column, point]
                        limit = 50 * spread[q.name][column, point]
                        limit += TOLERANCE[case.kernel.uses_single] * abs(float(a))
                        if differs(q.type, a, b, limit):
                            found.append(Difference(q.name, int(point), a, b, machine))
        return found

    def conditioning(
        self,
        case: Case,
        inputs: Mapping[str, np.ndarray[Any, Any]],
        expected: Mapping[str, np.ndarray[Any, Any]],
        points: int,
    ) -> tuple[dict[str, np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
        """How far results move with the last bits of the inputs, and where whole numbers stay."""
        random = np.random.default_rng(99)
        spread = {name: np.zeros(array.shape) for name, array in expected.items()}
        stable = np.ones(points, bool)
        bit = 6e-8 if case.kernel.uses_single else 2.2e-16
        for _ in range(4):
            moved = {}
            for q in case.kernel.inputs:
                array = inputs[q.name]
                if q.type == "real":
                    array = array * (1 + random.choice([-2.0, 0.0, 2.0], array.shape) * bit)
                moved[q.name] = array
            other = self.run_original(case, moved, points)
            for q in case.kernel.outputs:
                if q.type == "real":
                    with np.errstate(all="ignore"):
                        step = np.abs(other[q.name] - expected[q.name])
                    spread[q.name] = np.fmax(spread[q.name], step)
                else:
                    stable &= (other[q.name] == expected[q.name]).all(axis=0)
        return spread, stable


def differs(type: str, a: float, b: float, limit: float) -> bool:
    if type == "logical":
        return bool(a) != bool(b)
    if type == "integer":
        return a != b
    if not np.isfinite(a):
        return not (a == b or (np.isnan(a) and np.isnan(b)))
    return not abs(a - b) <= limit + 1e-300


DEFAULTS = {"real": (0.5, 2.0), "integer": (-3, 8), "logical": (0, 1)}


def filled(type: str, columns: int, padded: int) -> np.ndarray[Any, Any]:
    """Memory with what is left of other blocks."""
    if type == "real":
        return np.resize(np.array(LEFTOVER), (columns, padded)).copy()
    return np.resize(np.array(LEFTOVER_INTEGERS, np.int64), (columns, padded)).copy()


def run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIME_LIMIT)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"[:6000]
