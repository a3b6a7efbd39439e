"""Originals against their kernels: one library of the Fortran, one of the headers, random points.

The Fortran is compiled with a driver for each procedure that loops over points; the headers for
lanes, for one point, and for a GPU's thread with two points. Points with NaN and extreme numbers
lie between the others, and lanes behind the last point hold what no procedure should see.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import standin

import bridge
from bridge.port.kernel import HostValue, Kernel, Quantity
from bridge.port.program.symbols import COMMON
from bridge.port.syntax.units import Unit

KERNELS = Path(bridge.__file__).parent / "kernels"
LANES = 4  # x86-64-v3
#: Relative difference that no rounding explains.
TOLERANCE = {False: 1e-11, True: 3e-6}  # with single precision
FORTRAN_TYPES = {"real": "real", "integer": "integer", "logical": "logical"}
#: What lanes behind the last point hold.
LEFTOVER = (np.nan, np.inf, -1e300, 0.0, 7.5e-310)
LEFTOVER_INTEGERS = (2147483647, -2147483648, 0, -1)


@dataclass
class Case:
    """A procedure and its kernel. ranges: of arguments by name, (0.5, 2) and (-3, 8) else."""

    unit: Unit
    kernel: Kernel
    program: Any
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    fixed: Mapping[str, int] = field(default_factory=dict)


@dataclass
class Difference:
    output: str
    point: int
    original: float
    kernel: float
    machine: str


# ---- Compiling


def open_modules(text: str) -> str:
    """A source whose modules hide nothing, so that a driver may call all of it."""
    text = re.sub(r"(?im)^(\s*)private\s*(::.*)?$", r"\1", text)
    return re.sub(r"(?i),\s*(private|protected)\b", "", text)


class Bench:
    """Libraries of some cases. setup: a statement of Fortran that fills the data of modules, uses
    in front of it; ns: number of species."""

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
        driver = folder / "driver.f90"
        driver.write_text(Driver(self.cases, ns, setup).text())
        run(["gfortran", "-w", "-ffree-line-length-none", *flags, "-fPIC", "-shared", "-o",
             "original.so", *copies, driver.name], folder)  # fmt: skip
        self.original = ctypes.CDLL(str(folder / "original.so"))
        self.machines = {name: self.compiled(name) for name in machines}
        if setup[1]:
            self.original.check_setup()

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
            flags = ["-march=x86-64-v3", f"-DBRIDGE_LANES={LANES}", "-DBRIDGE_NAMESPACE=bridge_v3"]
        run(["g++", "-std=c++17", "-O1", "-w", "-fno-math-errno", "-fno-trapping-math", "-fPIC",
             "-shared", *flags, f"-I{KERNELS}", f"-I{self.folder}", "-o", f"{machine}.so",
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
        count = 1
        for extent in q.shape:
            count *= {"ns": self.ns, "ns-1": self.ns - 1}.get(str(extent), 0) or int(extent)
        return count

    def run_original(
        self, case: Case, inputs: Mapping[str, np.ndarray[Any, Any]], points: int
    ) -> dict[str, np.ndarray[Any, Any]]:
        arguments: list[Any] = [ctypes.c_int(points)]
        kept = []
        outputs = {}
        for q in all_quantities(case.kernel):
            type = np.float64 if q.type == "real" else np.int32
            array = np.zeros((points, self.columns(q)), type)
            if q.name in inputs:
                array[:] = inputs[q.name].T.astype(type)
            kept.append(array)
            outputs[q.name] = array
            arguments.append(array.ctypes.data_as(ctypes.c_void_p))
        getattr(self.original, f"check_{case.kernel.name}")(*arguments)
        return {q.name: outputs[q.name].T for q in case.kernel.outputs}

    def host(self, value: HostValue) -> tuple[np.ndarray[Any, Any], list[int]]:
        """What the original's data hold now."""
        buffer = np.zeros(100000)
        sizes = np.ones(3, np.int64)
        getattr(self.original, f"fetch_{value.name}")(
            buffer.ctypes.data_as(ctypes.c_void_p), sizes.ctypes.data_as(ctypes.c_void_p)
        )
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
        found = []
        for machine in self.machines:
            results = self.run_kernel(case, mixed, points, machine)
            for q in case.kernel.outputs:
                for point in np.flatnonzero(~odd & stable):
                    for column in range(self.columns(q)):
                        a = expected[q.name][column, point]
                        b = results[q.name][column, point]
                        limit = 50 * spread[q.name][column, point]
                        limit += TOLERANCE[case.kernel.uses_single] * abs(a)
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
        return bool(np.isfinite(b))
    return not abs(a - b) <= limit + 1e-300


DEFAULTS = {"real": (0.5, 2.0), "integer": (-3, 8), "logical": (0, 1)}


def filled(type: str, columns: int, padded: int) -> np.ndarray[Any, Any]:
    """Memory with what is left of other blocks."""
    if type == "real":
        return np.resize(np.array(LEFTOVER), (columns, padded)).copy()
    return np.resize(np.array(LEFTOVER_INTEGERS, np.int64), (columns, padded)).copy()


def all_quantities(kernel: Kernel) -> list[Quantity]:
    """Each once."""
    found = {q.name: q for q in kernel.inputs}
    for q in kernel.outputs:
        found.setdefault(q.name, q)
    return list(found.values())


def run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"[:6000]


# ---- The driver in Fortran


class Driver:
    def __init__(self, cases: Sequence[Case], ns: int, setup: tuple[str, str]) -> None:
        self.cases, self.ns, self.setup = cases, ns, setup

    def text(self) -> str:
        parts = [self.procedure(case) for case in self.cases]
        seen: set[str] = set()
        for case in self.cases:
            for value in [*case.kernel.constants, *case.kernel.tables]:
                if value.name not in seen:
                    seen.add(value.name)
                    parts.append(self.fetch(case, value))
        if self.setup[1]:
            parts.append(
                "subroutine check_setup() bind(c, name='check_setup')\n"
                f"  {self.setup[0]}\n  {self.setup[1]}\nend subroutine check_setup\n"
            )
        return "\n".join(parts)

    def procedure(self, case: Case) -> str:
        unit, kernel = case.unit, case.kernel
        quantities = all_quantities(kernel)
        names = [f"q{n}" for n in range(len(quantities))]
        by = {q.argument: (name, q) for name, q in zip(names, quantities, strict=True)}
        scope = case.program.scope(unit)
        # Names of this text cannot be those of a module.
        head = [f"subroutine check_{kernel.name}(zz_n, {', '.join(names)}) bind(c)"]
        head.append(
            "  use, intrinsic :: iso_c_binding, only: zz_double => c_double, zz_int => c_int"
        )
        module = unit.parent if unit.parent is not None and unit.parent.kind == "module" else None
        if module is not None:
            types = {
                scope.symbol(d).type_name for d in unit.arguments if scope.symbol(d).type == "type"
            }
            only = ", ".join([f"zz_call => {unit.name}", *sorted(types)])
            head.append(f"  use {module.name}, only: {only}")
        head.append("  implicit none\n  integer(zz_int), value :: zz_n\n  integer :: zz_point")
        body: list[str] = []
        after: list[str] = []
        call = []
        for name, q in zip(names, quantities, strict=True):
            columns = self.columns(q)
            word = "real(zz_double)" if q.type == "real" else "integer(zz_int)"
            head.append(f"  {word} :: {name}({columns}, zz_n)")
        declared: set[str] = set()
        for dummy in unit.arguments:
            symbol = scope.symbol(dummy)
            local = f"zz_v_{dummy}"
            call.append(local)
            if dummy in case.fixed:
                head.append(f"  integer({symbol.kind}) :: {local}")
                body.append(f"{local} = {case.fixed[dummy]}")
                continue
            if symbol.type == "type":
                head.append(f"  type({symbol.type_name}) :: {local}")
                for argument, (name, q) in by.items():
                    if argument.startswith(f"{dummy}%"):
                        place = f"{local}%{argument.partition('%')[2]}"
                        self.moves(q, name, place, kernel, body, after)
                continue
            name, q = by[dummy]
            head.append(f"  {symbol.type}({symbol.kind}) :: {local}{self.shape(q)}")
            declared.add(dummy)
            # What an original without intents leaves alone keeps what it has.
            self.moves(q, name, local, kernel, body, after, "" if symbol.intent else "77")
        target = "zz_call" if module is not None else unit.name
        if unit.kind == "function":
            result = scope.symbol(unit.result)
            name, q = by[unit.result]
            head.append(f"  {result.type}({result.kind}) :: zz_result{self.shape(q)}")
            if module is None:
                head.append(f"  {result.type}({result.kind}), external :: {unit.name}")
            body.append(f"zz_result = {target}({', '.join(call)})")
            self.moves(q, name, "zz_result", kernel, [], after)
        else:
            body.append(f"call {target}({', '.join(call)})")
        lines = [
            *head,
            "  do zz_point = 1, zz_n",
            *[f"    {line}" for line in body + after],
            "  end do",
        ]
        return "\n".join([*lines, f"end subroutine check_{kernel.name}", ""])

    def moves(
        self,
        q: Quantity,
        name: str,
        local: str,
        kernel: Kernel,
        body: list[str],
        after: list[str],
        before: str = "",
    ) -> None:
        inputs = {x.name for x in kernel.inputs}
        outputs = {x.name for x in kernel.outputs}
        column = f"{name}(:, zz_point)" if q.shape else f"{name}(1, zz_point)"
        if q.shape:
            shape = ", ".join(str(n) for n in self.extents(q))
            inward = f"reshape({column}, [{shape}])"
            outward = "reshape({}, [" + str(self.columns(q)) + "])"
        else:
            inward, outward = column, "{}"
        if q.type == "logical":
            inward = inward.replace(column, f"({column} /= 0)")
            outward = f"merge(1, 0, {outward})"
        if q.name in inputs:
            body.append(f"{local} = {inward}")
        else:
            zero = ".false." if q.type == "logical" else before or "0"
            body.append(f"{local} = {zero}")
        if q.name in outputs:
            after.append(f"{column} = {outward.format(local)}")

    def extents(self, q: Quantity) -> list[int]:
        return [{"ns": self.ns, "ns-1": self.ns - 1}.get(str(n), 0) or int(n) for n in q.shape]

    def columns(self, q: Quantity) -> int:
        count = 1
        for extent in self.extents(q):
            count *= extent
        return count

    def shape(self, q: Quantity) -> str:
        return f"({', '.join(str(n) for n in self.extents(q))})" if q.shape else ""

    def fetch(self, case: Case, value: HostValue) -> str:
        variable = value.variable
        text = [f"subroutine fetch_{value.name}(zz_values, zz_sizes) bind(c)"]
        text.append("  use, intrinsic :: iso_c_binding, only: zz_double => c_double, "
                    "zz_long => c_long_long")  # fmt: skip
        declared = []
        if value.storage == COMMON:
            declared = self.common(case, value)
        else:
            text.append(f"  use {value.owner}, only: {variable}")
        text += ["  implicit none", *declared]
        text.append("  real(zz_double) :: zz_values(*)\n  integer(zz_long) :: zz_sizes(3)")
        kind = f"merge(1, 0, {variable})" if value.type == "logical" else variable
        if value.shape:
            for n in range(len(value.shape)):
                text.append(f"  zz_sizes({n + 1}) = size({variable}, {n + 1})")
            text.append(f"  zz_values(1:size({variable})) = reshape({kind}, [size({variable})])")
        else:
            text.append(f"  zz_values(1) = {kind}")
        return "\n".join([*text, f"end subroutine fetch_{value.name}", ""])

    def common(self, case: Case, value: HostValue) -> list[str]:
        for unit in [case.unit, *case.program.procedures.values()]:
            members = [m.name for m in unit.commons if m.block == value.owner]
            if value.variable in members:
                scope = case.program.scope(unit)
                break
        lines = []
        for member in members:
            symbol = scope.symbol(member)
            shape = ", ".join(str(n) for n in scope.extents(symbol))
            lines.append(
                f"  {symbol.type}({symbol.kind}) :: {member}{f'({shape})' if shape else ''}"
            )
        block = f"/{value.owner}/" if value.owner else "//"
        return [*lines, f"  common {block} {', '.join(members)}"]


# ---- The headers for one machine


def instances(kernels: Sequence[Kernel], machine: str) -> str:
    """A function for each kernel that loops over points of columns."""
    lines = [GPU if machine == "gpu" else ""]
    lines += [f'#include "{kernel.header}"' for kernel in kernels]
    lines.append(MACHINES[machine])
    for kernel in kernels:
        lines += instance(kernel)
    return "\n".join(lines + [""])


def instance(kernel: Kernel) -> list[str]:
    lines = [
        f'extern "C" void run_{kernel.name}(long long ns, void** tables, void** places, '
        "long long points) {",
        "  using namespace BRIDGE_NAMESPACE;",
        "  static Shared shared; shared.ns = ns;",
        "  for (long long p = 0; p < points; p += width) {",
    ]
    texts = ["shared"]
    for n, table in enumerate(kernel.tables):
        lines.append(
            f"    const Table<Value, {len(table.shape)}> t{n}((const double*)tables[{2 * n}], "
            f"(const long long*)tables[{2 * n + 1}]);"
        )
        texts.append(f"t{n}")
    place = 0
    inputs: list[tuple[str, bool]] = [(q.type, bool(q.shape)) for q in kernel.inputs]
    inputs += [(value.type, False) for value in kernel.constants]
    for type, array in inputs:
        word = "Value" if type == "real" else "Whole"
        access = f"In<{word}>{{places[{place}], points, p}}"
        lines.append(f"    const auto i{place} = {access}{'' if array else '[0]'};")
        texts.append(f"i{place}")
        place += 1
    after = []
    for q in kernel.outputs:
        word = "Value" if q.type == "real" else "Whole"
        count = f"Out<{word}> c{place}{{places[{place}], points, p}};"
        lines.append(f"    {count}")
        if q.shape:
            texts.append(f"c{place}")
        else:
            lines.append(f"    {word} o{place};")
            texts.append(f"o{place}")
            after.append(f"    c{place}[0] = o{place};")
        place += 1
    lines.append(f"    {kernel.name}<Value>({', '.join(texts)});")
    return [*lines, *after, "  }", "}"]


_COLUMNS = """
template <class T> struct Place {
    char* at;
    void operator=(const T& x) const { save(at, x); }
};
template <class T> struct In {
    void* first;
    long long points, point;
    T operator[](int c) const { return load<T>((char*)first + 8 * (c * points + point)); }
};
template <class T> struct Out {
    void* first;
    long long points, point;
    Place<T> operator[](int c) const { return {(char*)first + 8 * (c * points + point)}; }
};
"""
# Two points of a thread, as a GPU's compiler sees them.
GPU = f"""{standin._BEFORE}
#include <stdint.h>
#include "point.h"
#include "cuda/number.h"
"""
MACHINES = {
    "gpu": """
namespace BRIDGE_NAMESPACE {
using Value = Number<2>;
using Whole = Word<2>;
constexpr int width = 2;
template <class T> T load(const char* p);
template <> Value load<Value>(const char* p) {
    Value x;
    for (int i = 0; i < 2; ++i) x.v[i] = ((const double*)p)[i];
    return x;
}
template <> Whole load<Whole>(const char* p) {
    Whole x;
    for (int i = 0; i < 2; ++i) x.v[i] = int(((const int64_t*)p)[i]);
    return x;
}
void save(char* p, const Value& x) {
    for (int i = 0; i < 2; ++i) ((double*)p)[i] = x.v[i];
}
void save(char* p, const Whole& x) {
    for (int i = 0; i < 2; ++i) ((int64_t*)p)[i] = x.v[i];
}
"""
    + _COLUMNS
    + "}\n",
    "lanes": """
namespace BRIDGE_NAMESPACE {
using Value = Lanes;
using Whole = LaneBits;
constexpr int width = BRIDGE_LANES;
template <class T> T load(const char* p);
template <> Lanes load<Lanes>(const char* p) { return loadLanes((const double*)p); }
template <> LaneBits load<LaneBits>(const char* p) { return loadBits((const int64_t*)p); }
void save(char* p, const Lanes& x) { store((double*)p, x); }
void save(char* p, const LaneBits& x) { store((int64_t*)p, x); }
"""
    + _COLUMNS
    + "}\n",
    "scalar": """
namespace BRIDGE_NAMESPACE {
using Value = double;
using Whole = int;
constexpr int width = 1;
template <class T> T load(const char* p);
template <> double load<double>(const char* p) { return *(const double*)p; }
template <> int load<int>(const char* p) { return int(*(const int64_t*)p); }
void save(char* p, double x) { *(double*)p = x; }
void save(char* p, int x) { *(int64_t*)p = x; }
"""
    + _COLUMNS
    + "}\n",
}
