"""Loop nests: the bits of the executor for every kind of argument, layout, cut of rows and
instruction set; which memory gets one; nothing written but the interior."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hosts import compiler
from packsbuilt import built_once
from sharing import Once

from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.nests import NestProgram
from bridge.backends.cpu.program import CpuProgram
from bridge.backends.host import library
from bridge.launchers import Launcher
from bridge.measuring.states import random_states
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan import nests, packbuild, packs, uniform
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.stages import split
from bridge.timers import Timer

FRINGE = 2
COLUMNS = {"nm_a": 1, "nm_b": 1, "nm_q": 5, "nm_r": 5, "nm_wide": 9, "nm_many": 33}
WORDS = {"nm_flag": 1, "nm_two": 2, "nm_counts": 1}
CONSTANTS = {"nm_dt": (0.25,), "nm_pair": (0.5, 2.0), "nm_whole": (3,)}

CATALOGUE = (
    "".join(
        f'[quantity.{name}]\nunit = "1"\ncolumns = "{n}"\nabout = "of this test"\n'
        for name, n in COLUMNS.items()
    )
    + "".join(
        f'[quantity.{name}]\nunit = "1"\ntype = "int32"\ncolumns = "{n}"\nabout = "of this test"\n'
        for name, n in WORDS.items()
    )
    + """
[constant.nm_dt]
unit = "1"
value = 0.25
about = "of this test"
[constant.nm_pair]
unit = "1"
columns = "2"
value = [0.5, 2.0]
about = "of this test"
[constant.nm_whole]
unit = "1"
type = "int32"
value = 3
about = "of this test"
[table.nm_table]
unit = "1"
rank = 1
about = "of this test"
[[kernel]]
name = "nmFlux"
header = "kernels.h"
inputs = ["nm_q", "nm_a", "nm_r", "nm_dt"]
outputs = ["nm_r"]
reads = { nm_q = { x = [-1, 1] }, nm_a = { y = [-1, 0], z = [0, 1] }, nm_dt = { x = [-1, 0] } }
about = "of this test"
[[kernel]]
name = "nmStep"
header = "kernels.h"
inputs = ["nm_r", "nm_q", "nm_b", "nm_pair"]
outputs = ["nm_r"]
about = "of this test"
[[kernel]]
name = "nmPoint"
header = "kernels.h"
tables = ["nm_table"]
inputs = ["nm_q", "nm_flag", "nm_whole"]
outputs = ["nm_a", "nm_two", "nm_wide"]
about = "of this test"
[[kernel]]
name = "nmMany"
header = "kernels.h"
inputs = ["nm_wide", "nm_a"]
outputs = ["nm_many"]
about = "of this test"
[[kernel]]
name = "nmTurn"
header = "kernels.h"
inputs = ["nm_wide", "nm_a"]
outputs = ["nm_wide"]
about = "of this test"
[[kernel]]
name = "nmFlags"
header = "kernels.h"
inputs = ["nm_flag", "nm_two", "nm_b"]
outputs = ["nm_b", "nm_flag"]
reads = { nm_two = { y = [0, 1] } }
about = "of this test"
[[kernel]]
name = "nmFound"
header = "kernels.h"
inputs = ["nm_flag", "nm_b"]
outputs = ["nm_b", "nm_flag"]
about = "of this test"
[[kernel]]
name = "nmScale"
header = "kernels.h"
inputs = ["nm_q", "nm_a", "nm_flag", "nm_dt"]
outputs = ["nm_q"]
about = "of this test"
[[kernel]]
name = "nmAdd"
header = "kernels.h"
inputs = ["nm_r", "nm_q", "nm_b"]
outputs = ["nm_r"]
about = "of this test"
[[kernel]]
name = "nmSmooth"
header = "kernels.h"
inputs = ["nm_r", "nm_q", "nm_a"]
outputs = ["nm_r"]
reads = { nm_q = { x = [-1, 1], z = [0, 2] }, nm_a = { x = [0, 1] } }
about = "of this test"
[[composite]]
name = "nmAlike"
inputs = ["nm_q", "nm_a", "nm_flag", "nm_r", "nm_b"]
outputs = ["nm_r", "nm_q"]
steps = ["nmScale", "nmAdd"]
[[composite]]
name = "nmBoth"
inputs = ["nm_q", "nm_a", "nm_r", "nm_b"]
outputs = ["nm_r"]
steps = ["nmFlux", "nmStep"]
[[composite]]
name = "nmStages"
inputs = ["nm_q", "nm_flag", "nm_r", "nm_b"]
outputs = ["nm_r"]
steps = ["nmPoint", "nmFlux", "nmStep", "nmStep"]
[[composite]]
name = "nmChain"
inputs = ["nm_q", "nm_flag"]
outputs = ["nm_many"]
steps = ["nmPoint", "nmMany"]
"""
)

KERNELS = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class In, class Out>
BRIDGE_FN void nmFlux(const Shared&, const Neighbours& q, const ScalarNeighbours& a, const In& r,
                      const ScalarNeighbours& steps, Out& next) {
    const Real dt = 0.5 * (steps.at<-1, 0, 0>() + steps.at<0, 0, 0>());
    const auto west = q.at<-1, 0, 0>(), here = q.at<0, 0, 0>(), east = q.at<1, 0, 0>();
    const Real slope = a.at<0, -1, 0>() + 0.5 * a.at<0, 0, 0>() * a.at<0, 0, 1>();
    for (int m = 0; m < 5; ++m)
        next[m] = r[m] + dt * (east[m] - 2.0 * here[m] + west[4 - m]) / (2.0 + slope * slope);
}
template <class Real, class In, class Out>
BRIDGE_FN void nmStep(const Shared&, const In& r, const In& q, const Real& b, const In& pair,
                      Out& next) {
    for (int m = 0; m < 5; ++m) {
        next[m] = pair[0] * q[m] + exp(-pair[1] * b) * r[4 - m];
        next[m] += 0.1 * q[m];
    }
}
template <class Real, class In, class Two, class Nine>
BRIDGE_FN void nmPoint(const Shared&, const Table<Real, 1>& table, const In& q,
                       const Bits<Real>& flag, const Bits<Real>& whole, Real& a, Two& two,
                       Nine& wide) {
    a = sqrt(q[0]) / q[4] + table(flag & 3);
    two[0] = flag * whole;
    two[1] = select(q[1] > q[2], Bits<Real>(-7), flag - 1);
    for (int m = 0; m < 9; ++m) {
        wide[m] = q[m % 5] / (1.0 + m);
        wide[m] -= 0.1 * q[0];
    }
}
template <class Real, class In, class Out>
BRIDGE_FN void nmMany(const Shared&, const In& wide, const Real& a, Out& many) {
    for (int m = 0; m < 33; ++m) {
        many[m] = wide[m % 9] * a + 0.1 * m;
        many[m] += 0.1 * a;
    }
}
template <class Real, class In, class Out>
BRIDGE_FN void nmTurn(const Shared&, const In& wide, const Real& a, Out& next) {
    for (int m = 0; m < 9; ++m) next[m] = a * wide[8 - m] + 1.0;
}
template <class Real>
BRIDGE_FN void nmFlags(const Shared&, const Bits<Real>& flag, const IntegerNeighbours& two,
                       const Real& b, Real& next, Bits<Real>& out) {
    next = b + Real(two.at<0, 1, 0>()[1] + two.at<0, 0, 0>()[0]);
    out = flag + two.at<0, 0, 0>()[1];
}
template <class Real, class In, class Out>
BRIDGE_FN void nmScale(const Shared&, const In& q, const Real& a, const Bits<Real>& flag,
                       const Real& dt, Out& next) {
    for (int m = 0; m < 5; ++m) next[m] = q[m] * (a + dt) - Real(flag);
}
template <class Real, class In, class Out>
BRIDGE_FN void nmAdd(const Shared&, const In& r, const In& q, const Real& b, Out& next) {
    for (int m = 0; m < 5; ++m) {
        next[m] = r[m] + q[m] * sqrt(b);
        next[m] += 0.1 * q[m];
    }
}
template <class Real, class In, class Out>
BRIDGE_FN void nmSmooth(const Shared&, const In& r, const Neighbours& q, const ScalarNeighbours& a,
                        Out& next) {
    for (int m = 0; m < 5; ++m)
        next[m] = r[m] + a.at<1, 0, 0>() * (q.at<-1, 0, 0>()[m] - q[m] + q.at<1, 0, 2>()[m]);
}
static const double nmValues[9] = {0.5, 1.5, -2.0, 3.0, 0.25, 7.0, -1.0, 2.0, 4.0};
template <class Real>
BRIDGE_FN void nmFound(const Shared&, const Bits<Real>& flag, const Real& b, Real& next,
                       Bits<Real>& out) {
    next = b + lookup<9>(nmValues, flag);
    out = flag - 100000000;  // no place of the table
}
}
"""

NAMES = (
    *("nmFlux", "nmStep", "nmPoint", "nmMany", "nmFlags", "nmFound", "nmScale", "nmAdd"),
    *("nmSmooth", "nmBoth", "nmChain", "nmAlike"),
)
#: Rows shorter than a register of any machine, whole registers, ends of every length.
EXTENTS = [(3, 5, 2), (8, 3, 2), (21, 4, 3), (64, 2, 2), (203, 2, 1), (301, 2, 1)]
ISAS = pytest.mark.parametrize("isa", library.ISAS)


@dataclass(frozen=True)
class Layout:
    """How arrays lie: components first, but of those `last`; real(4), fringes, arrays that are
    spread along x, every so many points of a larger array, in another unit, with values that
    real(4) cannot hold; counting: so many of the points, by a mask."""

    first: bool = False
    last: tuple[str, ...] = ()
    single: bool = False
    fringe: int = FRINGE
    spread: tuple[str, ...] = ()
    every: int = 1
    scale: float = 1.0
    large: float = 1.0
    counting: float = 1.0


ROWS, RECORDS, SINGLES = Layout(), Layout(first=True), Layout(single=True)
SPREAD = replace(ROWS, spread=("nm_b", "nm_flag"))
MIXED = replace(RECORDS, last=("nm_q",))


@pytest.fixture(scope="module")
def catalogue(once: Once) -> Iterator[Catalogue]:
    yield from built(once, "nests", CATALOGUE)


@pytest.fixture
def singles(once: Once) -> Iterator[Catalogue]:
    """The same kernels in single precision."""
    yield from built(once, "nests_singles", f'precision = "original"\n{CATALOGUE}')


def built(once: Once, name: str, text: str) -> Iterator[Catalogue]:
    files = {"catalogue.toml": text, "kernels.h": KERNELS}
    folder, cache = built_once(once, name, files, isas=library.available())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(folder))
        patch.setenv("BRIDGE_CACHE", str(cache))
        yield Catalogue.load([shipped_file(), folder / "catalogue.toml"])


class Arrays:
    """Memory of one layout for the quantities of a plan, each with a value that no kernel makes
    around it."""

    def __init__(
        self, names: Mapping[str, int], extent: tuple[int, int, int], how: Layout
    ) -> None:
        self.memory: dict[str, np.ndarray] = {}
        self.bindings: dict[str, Binding] = {}
        random = np.random.default_rng(5)
        for name in names:
            if name in CONSTANTS:
                self._add_constant(name, extent)
                continue
            word, columns = name in WORDS, WORDS.get(name) or COLUMNS[name]
            dtype = "int32" if word else "float32" if how.single else "float64"
            full = tuple(how.every * (n + 2 * how.fringe) for n in extent)
            if name in how.spread:
                full = (1, *full[1:])
            first = how.first and columns > 1 and not word and name not in how.last
            shape = (columns, *full) if first else (*full, columns)
            values = (
                random.integers(0, 9, shape)
                if word
                else how.large * random.uniform(0.5, 1.5, shape)
            )
            if name == "nm_counts":
                values = (random.uniform(size=shape) < how.counting).astype(np.int64)
            array = np.asfortranarray(values.astype(dtype))
            steps = [step // array.itemsize for step in array.strides]
            across = steps.pop(0 if first else 3)
            if name in how.spread:
                steps[0] = 0
            offset = how.every * how.fringe * sum(steps)
            i, j, k = (how.every * step for step in steps)
            box = Box(extent, (i, j, k), across, offset)
            self.memory[name] = array
            scale = 1.0 if word else how.scale
            self.bindings[name] = Binding(
                array.ctypes.data, box, columns, scale=scale, dtype=dtype, owner=array
            )

    def _add_constant(self, name: str, extent: tuple[int, int, int]) -> None:
        values = np.array(CONSTANTS[name], "int32" if name == "nm_whole" else "float64")
        box = Box(extent, (0, 0, 0), 1)
        kind = str(values.dtype)
        self.bindings[name] = Binding(
            values.ctypes.data, box, len(values), dtype=kind, owner=values
        )

    def bytes(self) -> dict[str, bytes]:
        """Of everything, fringes too."""
        return {name: array.tobytes() for name, array in self.memory.items()}


class Case:
    """A kernel or composite on memory of one layout."""

    def __init__(self, catalogue: Catalogue, isa: str, name: str, threads: int = 1) -> None:
        if isa not in library.available():
            pytest.skip(f"this CPU does not run {isa}")
        if name in catalogue.composites:
            self.plan = catalogue.composite_plan(catalogue.composite(name), 1)
        else:
            self.plan = catalogue.single(name, 1)
        self.backend = CpuBackend(threads, isa)
        self.backend.set_shared(SharedData(random_states(1, 1).species, Options.parse({})))
        self.backend.set_table("nm_table", np.array([1.0, 2.5, -3.0, 0.125]))

    def arrays(self, extent: tuple[int, int, int], how: Layout) -> Arrays:
        return Arrays(self.plan.inputs | self.plan.outputs, extent, how)

    def check(self, extent: tuple[int, int, int], how: Layout, cuts: tuple[int, ...] = ()) -> None:
        """The nest leaves the bytes of the executor, in everything that is bound."""
        theirs, ours = self.arrays(extent, how), self.arrays(extent, how)
        points = extent[0] * extent[1] * extent[2]
        self.backend.executor(self.plan, theirs.bindings).run(0, points)
        nest = self.backend.program(self.plan, ours.bindings)
        assert isinstance(nest, NestProgram), (extent, how)
        for begin, end in zip((0, *cuts), (*cuts, points), strict=True):
            nest.run(begin, end - begin)
        assert ours.bytes() == theirs.bytes(), (extent, how, cuts)


def layouts(name: str) -> list[Layout]:
    """Those in which a plan has a nest."""
    turned = replace(RECORDS, single=True)
    found = [ROWS, RECORDS, SINGLES, SPREAD, MIXED, turned, replace(turned, scale=0.125)]
    found.append(replace(MIXED, every=5))  # points as far apart as records
    found += [replace(ROWS, scale=3.0), replace(RECORDS, every=2), replace(SINGLES, every=2)]
    found += [replace(ROWS, fringe=0), replace(SPREAD, single=True), replace(SINGLES, large=1e38)]
    if name in ("nmFlux", "nmFlags", "nmSmooth", "nmBoth"):
        found = [one for one in found if one.fringe]  # there is nothing around such an interior
    if name in ("nmFlags", "nmFound"):
        found = [one for one in found if "nm_flag" not in one.spread]  # it is written
    return found


@ISAS
@pytest.mark.parametrize("name", NAMES)
def test_nests_have_the_bits_of_the_executor(catalogue: Catalogue, isa: str, name: str) -> None:
    case = Case(catalogue, isa, name)
    extents = EXTENTS[1:] if name == "nmFound" else EXTENTS  # others are packed
    for extent, how in product(extents, layouts(name)):
        if how.every > 1 and extent[0] > 21:  # of arrays that are many times larger
            continue
        points = extent[0] * extent[1] * extent[2]
        case.check(extent, how)
        case.check(extent, how, (1, points // 3 + 1, points - 2))


@ISAS
@pytest.mark.parametrize("name", NAMES)
def test_nests_of_singles_have_the_bits_of_the_executor(
    singles: Catalogue, isa: str, name: str
) -> None:
    """Which has doubles between kernels; registers have twice as many points."""
    case = Case(singles, isa, name)
    for extent, how in product([(21, 4, 3), (203, 2, 1)], layouts(name)):
        if how.every > 1 and extent[0] > 21:
            continue
        points = extent[0] * extent[1] * extent[2]
        case.check(extent, how, (1, points // 3 + 1, points - 2))


@pytest.mark.parametrize("precision", ["", "-DBRIDGE_SINGLES"])
def test_the_header_has_nothing_that_other_compilers_refuse(precision: str) -> None:
    """gcc warns of it where it is asked to, and a pack's nests are compiled without warnings."""
    folder = packs.kernels_folder()
    line = [*packbuild.compiler(), "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Wnarrowing"]
    line += ["-Werror", "-fsyntax-only", *packs.TARGETS["v2"], "-DBRIDGE_NAMESPACE=own", "-"]
    line += ["-DBRIDGE_NEST", f"-I{folder}", f"-I{folder / 'cpu'}", *precision.split()]
    done = subprocess.run(line, input='#include "nest.h"\n', capture_output=True, text=True)
    assert not done.returncode, done.stderr


@pytest.mark.parametrize(
    ("precision", "names"), [("double", ("nmFlux", "nmStep")), ("original", ("nmFlux",))]
)
def test_clang_makes_the_bits_of_gcc(
    precision: str, names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of nests and of the executor: types say which products are fused, and no compiler."""
    commands = [compiler("g++"), compiler("clang++")]
    folder = tmp_path / "both"
    folder.mkdir()
    head, *kernels = CATALOGUE.partition("[[composite]]")[0].split("[[kernel]]\n")
    wanted = [one for one in kernels if one.split('"')[1] in names]
    text = "[[kernel]]\n".join([f'precision = "{precision}"\n{head}', *wanted])
    (folder / "catalogue.toml").write_text(text)
    (folder / "kernels.h").write_text(KERNELS)
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    isa = library.choose().isa
    found: list[list[dict[str, bytes]]] = []
    for number, command in enumerate(commands):
        monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / f"cache{number}"))
        (built,) = packbuild.build([folder], cxx=command, isas=[isa])
        assert built.warnings == ""
        own = Catalogue.load([shipped_file(), folder / "catalogue.toml"])
        found.append([])
        for name, how in product(names, (ROWS, RECORDS, SINGLES)):
            case, extent = Case(own, isa, name), (37, 4, 3)
            for make in (case.backend.program, case.backend.executor):
                arrays = case.arrays(extent, how)
                program = make(case.plan, arrays.bindings)
                assert isinstance(program, NestProgram) == (make == case.backend.program)
                before = arrays.bytes()
                program.run(0, 37 * 4 * 3)
                assert arrays.bytes() != before
                found[-1].append(arrays.bytes())
    assert found[0] == found[1]


def test_an_array_of_singles_is_read_where_it_lies(singles: Catalogue) -> None:
    """And one of doubles is copied; none is too large to become an infinity on the way in."""
    case = Case(singles, library.available()[0], "nmAdd")
    for how in (ROWS, SINGLES, RECORDS, replace(RECORDS, single=True)):
        told = way(case, {}, how)
        assert ("copied" in told) != how.single, told
    case.check((37, 3, 2), replace(ROWS, large=1e39))


def test_records_of_like_components_are_long_rows(catalogue: Catalogue, tmp_path: Path) -> None:
    """Of kernels that do the same to every component, alone and together, and of no others."""
    kernels = [kernel for kernel in catalogue.kernels.values() if kernel.name.startswith("nm")]
    alike = uniform.columns(kernels, catalogue, packbuild.compiler())
    assert alike == {"nmScale": 5, "nmAdd": 5, "nmSmooth": 5}
    plans = [Case(catalogue, "v2", name).plan for name in (*NAMES, "nmStages")]
    sources = [tmp_path / "nests0.cpp", tmp_path / "nests1.cpp"]
    nests.write(sources, "mine", plans, catalogue, alike)
    texts = [source.read_text().splitlines() for source in sources]
    assert all(any('{"nm' in line for line in text) for text in texts)
    table = [line for text in texts for line in text if '{"nm' in line]
    long = [line for line in table if "alike<NestLayout<BRIDGE_NEST_RECORDS>>" in line]
    assert sorted(line.split('"')[1].split()[0] for line in long) == [
        "nmAdd",
        "nmScale",
        "nmScale",
        "nmSmooth",
    ]
    assert len(table) == len(NAMES) + 1 and not any(line.count("alike<") > 1 for line in table)


@ISAS
def test_the_last_piece_of_a_row_has_a_register_of_points(catalogue: Catalogue, isa: str) -> None:
    """Of an array that is copied 48 KiB are a piece; behind them is one point."""
    case = Case(catalogue, isa, "nmStep")
    case.check((768 * case.backend.library.lanes + 1, 2, 1), SPREAD)


def test_a_stage_of_several_kernels_has_a_nest(catalogue: Catalogue) -> None:
    """The first makes what the second reads around its points, so that they are two runs."""
    case, extent = Case(catalogue, "v2", "nmStages"), (21, 3, 2)
    _, last = split(case.plan, ["nm_r"], extent).stages
    assert last.plan.kernels() == ["nmFlux", "nmStep", "nmStep"]
    arrays = Case(catalogue, "v2", "nmBoth").arrays(extent, ROWS).bindings
    slots = last.plan.inputs | last.plan.outputs
    bound = {name: arrays[last.plan.slots[slot].name] for name, slot in slots.items()}
    assert isinstance(case.backend.program(last.plan, bound), NestProgram)


def test_a_report_says_how_a_plan_runs_now(catalogue: Catalogue) -> None:
    case = Case(catalogue, "v2", "nmStep")
    bound = case.arrays((21, 3, 2), ROWS).bindings
    case.backend.program(case.plan, bound | {"nm_pair": replace(bound["nm_pair"], scale=2.0)})
    assert case.backend.ways() == ["nmStep: executor: the constant nm_pair is in another unit"]
    case.backend.program(case.plan, bound | {"nm_b": replace(bound["nm_b"], scale=2.0)})
    assert case.backend.ways() == ["nmStep: loop nest, in rows, nm_b copied"]
    case.backend.program(case.plan, bound)
    assert case.backend.ways() == ["nmStep: loop nest, in rows"]


@ISAS
@pytest.mark.parametrize("threads", [1, 2])
def test_a_host_that_flushes_to_zero_changes_no_bit(
    catalogue: Catalogue, isa: str, threads: int
) -> None:
    """Numbers below the least normal one are what they are without it."""
    case, extent = Case(catalogue, isa, "nmStep", threads), (64, 40, 30)
    found = []
    for flags in (0, 0x8040):  # FTZ and DAZ of MXCSR
        arrays = case.arrays(extent, ROWS)
        for name in ("nm_q", "nm_r"):
            arrays.memory[name][...] *= 1e-310
        program = case.backend.program(case.plan, arrays.bindings)
        assert isinstance(program, NestProgram)
        with control_word(flags):
            program.run(0, extent[0] * extent[1] * extent[2])
        found.append(arrays.memory["nm_r"].tobytes())
        inside = arrays.memory["nm_r"][2:-2, 2:-2, 2:-2]
        assert np.all((inside > 0.0) & (inside < np.finfo(float).tiny))
    assert found[0] == found[1]


@contextmanager
def control_word(flags: int) -> Iterator[None]:
    """These bits of this thread's MXCSR are set, and still are at the end."""
    libm = ctypes.CDLL("libm.so.6")
    before, now = (ctypes.c_uint32 * 8)(), (ctypes.c_uint32 * 8)()  # fenv_t; 7: MXCSR
    libm.fegetenv(before)
    ctypes.memmove(now, before, ctypes.sizeof(before))
    now[7] |= flags
    libm.fesetenv(now)
    try:
        yield
    finally:
        libm.fegetenv(now)
        libm.fesetenv(before)
    assert now[7] & flags == flags, "the host's control word was not given back"


#: Of a header that is compiled twice, without nests and with them.
NOT_INLINE = "#pragma once\nnamespace mine { double half() { return 0.5; } }\n" + KERNELS


def test_a_pack_whose_nests_do_not_link_is_built_without(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    head, *kernels = CATALOGUE.split("[[kernel]]\n")
    step = next(one for one in kernels if '"nmStep"' in one)
    (folder / "catalogue.toml").write_text(f"{head}[[kernel]]\n{step}")
    (folder / "kernels.h").write_text(NOT_INLINE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(folder))
        patch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
        (built,) = packbuild.build([folder], isas=["v2"])
        first, cause, remedy = built.warnings.splitlines()
        assert first.startswith("kernel pack plain: its loop nests do not compile")
        assert "multiple definition" in cause and "half" in cause and "inline" in remedy
        case = Case(Catalogue.load([shipped_file(), folder / "catalogue.toml"]), "v2", "nmStep")
        told = "executor: its pack has no nest for just these kernels"
        assert way(case, {}) == told


def test_all_points_are_one_chunk(catalogue: Catalogue) -> None:
    """However many a chunk has: it would only cost time."""
    case = Case(catalogue, "v2", "nmStep")
    arrays = case.arrays((21, 3, 2), ROWS)
    launcher = Launcher("nmStep", case.plan, case.backend, Timer("run"))
    launcher.bind(arrays.bindings)
    run = launcher.all_points(10, Timer("wait"))
    run.begin(())
    assert run.finish() == 1 and len(run.natives()) == 1


@pytest.mark.parametrize("name", ["nmStep", "nmScale"])
def test_threads_share_rows(catalogue: Catalogue, name: str) -> None:
    isa = library.available()[0]
    for threads, extent in product((2, 3), [(21, 80, 60), (100_000, 1, 1)]):
        Case(catalogue, isa, name, threads).check(extent, ROWS)
    case = Case(catalogue, isa, name, 2)
    for how in (RECORDS, SINGLES):
        case.check((21, 80, 60), how)
    case.plan = case.plan.masked("nm_counts")
    case.check((21, 80, 60), replace(ROWS, counting=0.5))


def way(case: Case, changed: Mapping[str, Binding], how: Layout = ROWS) -> str:
    """What a report says of a plan on memory that differs from that of a layout."""
    bindings = {**case.arrays((21, 3, 2), how).bindings, **changed}
    case.backend = CpuBackend(1, case.backend.target)
    case.backend.set_shared(SharedData(random_states(1, 1).species, Options.parse({})))
    case.backend.set_table("nm_table", np.zeros(4))
    made = case.backend.program(case.plan, bindings)
    (told,) = case.backend.ways()
    assert told.startswith(f"{case.plan.name}: ")
    told = told.removeprefix(f"{case.plan.name}: ")
    assert isinstance(made, NestProgram if told.startswith("loop nest") else CpuProgram)
    return told


def test_the_report_says_what_is_copied_and_why_there_is_no_nest(catalogue: Catalogue) -> None:
    case = Case(catalogue, "v2", "nmStep")
    bound = case.arrays((21, 3, 2), ROWS).bindings
    records = case.arrays((21, 3, 2), RECORDS).bindings
    singles = case.arrays((21, 3, 2), SINGLES).bindings
    b, q, r = bound["nm_b"], records["nm_q"], bound["nm_r"]
    assert way(case, {}) == "loop nest, in rows"
    assert way(case, {}, RECORDS) == "loop nest, component first"
    assert way(case, {}, SINGLES) == "loop nest, in rows, nm_r, nm_q, nm_b copied"
    for changed, copied in (
        ({"nm_b": singles["nm_b"]}, "nm_b"),
        ({"nm_b": replace(b, box=backwards(b.box))}, "nm_b"),
        ({"nm_b": replace(b, box=replace(b.box, stride=(0, *b.box.stride[1:])))}, "nm_b"),
        ({"nm_q": q}, "nm_q"),
        ({"nm_q": replace(q, box=wider(q.box))}, "nm_q"),
        ({"nm_q": r, "nm_r": r}, "nm_q"),
    ):
        assert way(case, changed) == f"loop nest, in rows, {copied} copied"
    pair = np.ones(2, "float32")
    single = replace(bound["nm_pair"], address=pair.ctypes.data, dtype="float32", owner=pair)
    for changed, why in (
        ({"nm_pair": single}, "the constant nm_pair is real(4)"),
        ({"nm_pair": replace(b, columns=2)}, "the constant nm_pair is an array here"),
        ({"nm_r": replace(r, box=replace(r.box, stride=(0, *r.box.stride[1:])))},
         "nm_r has one value for many points"),
    ):  # fmt: skip
        assert way(case, changed) == f"executor: {why}"


def backwards(box: Box) -> Box:
    (i, j, k), (nx, _, _) = box.stride, box.extent
    return replace(box, stride=(-i, j, k), offset=box.offset + (nx - 1) * i)


def wider(box: Box) -> Box:
    """Every other record of an array."""
    i, j, k = box.stride
    return replace(box, stride=(2 * i, 2 * j, 2 * k))


def test_an_output_in_the_place_of_another_input_is_read_first(catalogue: Catalogue) -> None:
    """The same memory under a second name, at the same points."""
    case = Case(catalogue, library.available()[0], "nmStep")
    found = []
    for make in (case.backend.executor, case.backend.program):
        arrays = case.arrays((21, 3, 2), ROWS)
        old = arrays.memory["nm_r"].copy()
        arrays.memory["nm_q"][...] = old
        arrays.bindings["nm_q"] = arrays.bindings["nm_r"]
        make(case.plan, arrays.bindings).run(0, 126)
        found.append(arrays.memory["nm_r"].tobytes())
        assert arrays.memory["nm_r"].tobytes() != old.tobytes()
    apart = case.arrays((21, 3, 2), ROWS)
    apart.memory["nm_q"][...] = apart.memory["nm_r"]
    case.backend.executor(case.plan, apart.bindings).run(0, 126)
    assert found == 2 * [apart.memory["nm_r"].tobytes()]


@ISAS
def test_many_components_in_the_place_of_an_input(catalogue: Catalogue, isa: str) -> None:
    """They are written one by one, when not all of the old ones are read: these are copied."""
    case, found = Case(catalogue, isa, "nmMany"), []
    for make in (case.backend.executor, case.backend.program):
        arrays = case.arrays((21, 3, 2), ROWS)
        many = arrays.bindings["nm_many"]
        arrays.bindings["nm_wide"] = replace(many, columns=9)
        make(case.plan, arrays.bindings).run(0, 126)
        found.append(arrays.memory["nm_many"].tobytes())
    assert found[0] == found[1]
    assert case.backend.ways() == ["nmMany: loop nest, in rows, nm_wide copied"]


@ISAS
def test_many_components_in_their_own_place_have_a_nest_where_they_are_copied(
    catalogue: Catalogue, isa: str
) -> None:
    """More than registers hold are written when not all of the old ones are read."""
    case = Case(catalogue, isa, "nmTurn")
    told = "executor: nm_wide is written before all of its old values are read"
    assert way(case, {}) == way(case, {}, RECORDS) == told
    case = Case(catalogue, isa, "nmTurn")
    for how in (SINGLES, replace(RECORDS, every=2), replace(ROWS, scale=3.0)):
        case.check((21, 3, 2), how)
        case.check((203, 2, 1), how, (50, 100))
    case.plan = case.plan.masked("nm_counts")
    case.check((203, 2, 1), replace(ROWS, counting=0.7))


@ISAS
@pytest.mark.parametrize("first", [True, False])
def test_quantities_side_by_side_in_one_array(catalogue: Catalogue, isa: str, first: bool) -> None:
    """What one kernel writes lies between what a later one reads, and shares nothing with it."""
    case, extent, found = Case(catalogue, isa, "nmAlike"), (203, 2, 1), []
    for make in (case.backend.executor, case.backend.program):
        bindings = case.arrays(extent, replace(ROWS, fringe=0)).bindings
        shape = (10, *extent) if first else (*extent, 10)
        both = np.asfortranarray(np.random.default_rng(7).uniform(0.5, 1.5, shape))
        steps = [step // 8 for step in both.strides]
        across = steps.pop(0 if first else 3)
        box = Box(extent, (steps[0], steps[1], steps[2]), 2 * across)
        for name, offset in (("nm_q", 0), ("nm_r", across)):
            place = replace(box, offset=offset)
            bindings[name] = Binding(both.ctypes.data, place, 5, owner=both)
        program = make(case.plan, bindings)
        program.run(0, 406)
        found.append(both.tobytes())
    assert isinstance(program, NestProgram) and found[0] == found[1]


@ISAS
@pytest.mark.parametrize("name", ["nmStep", "nmFlux", "nmScale", "nmAlike", "nmMany"])
@pytest.mark.parametrize("counting", [0.0, 0.05, 0.9, 1.0])
def test_points_that_do_not_count_keep_what_they_have(
    catalogue: Catalogue, isa: str, name: str, counting: float
) -> None:
    case = Case(catalogue, isa, name)
    case.plan, extents = case.plan.masked("nm_counts"), [(21, 4, 3), (203, 2, 1)]
    if name == "nmFlux":
        extents.append((3, 5, 2))  # others are packed
    for extent, how in product(extents, [ROWS, RECORDS, SINGLES, MIXED]):
        case.check(extent, replace(how, counting=counting))
        points = extent[0] * extent[1] * extent[2]
        case.check(extent, replace(how, counting=counting), (points // 3 + 1, points - 2))


def test_masks_that_are_the_executors(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is written; and where it pays to look for the points that count: here as if that
    cost nothing."""
    case = Case(catalogue, "v2", "nmPoint")
    case.plan = case.plan.masked("nm_flag")
    two = replace(case.arrays((21, 3, 2), ROWS).bindings["nm_two"], columns=1)
    told = "executor: nm_flag says which points count, and is written"
    assert way(case, {"nm_flag": two, "nm_two": replace(two, columns=2)}) == told
    case = Case(catalogue, "v2", "nmChain")
    case.plan = case.plan.masked("nm_counts")
    assert way(case, {}) == "loop nest, in rows, nm_many copied"
    monkeypatch.setattr("bridge.backends.cpu.inplace.SOUGHT", 0.0)
    monkeypatch.setattr("bridge.backends.cpu.inplace.FEWEST", 1)
    told = "nm_counts may leave so few points that these are worked on by themselves"
    assert way(case, {}) == f"executor: {told}"


def test_values_between_kernels_need_no_array(catalogue: Catalogue) -> None:
    case = Case(catalogue, "v2", "nmChain")
    assert {"nm_wide", "nm_a"}.isdisjoint(case.plan.outputs)
    assert way(case, {}) == "loop nest, in rows"


def test_short_rows_are_packed_where_that_pays(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if copies cost nothing."""
    monkeypatch.setattr("bridge.backends.cpu.inplace.COPIED", 0.0)
    assert way(Case(catalogue, "v2", "nmStep"), {}) == "executor: rows of 21 points are too short"
