"""One loop of `bridge bench loops` on one block with fringes: the Fortran's arrays and our own.

The loops are `bench/hostloops.f90` of the Fortran, and `bench/loops` beside it the same as a
kernel pack. Both sides begin with the same numbers; `check` compares what they make of them. A
loop that ends in numbers (`sum`) has them as arrays of one element, by the names of reductions.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from bridge.backends.base import NativeCall
from bridge.backends.cpu.backend import CpuBackend
from bridge.backends.host.library import choose
from bridge.bench.hosted import Host, environment
from bridge.bound.reductions import Asked
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.fortran import compiled
from bridge.measuring.states import random_states
from bridge.plan import packbuild, packs
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.request import Request
from bridge.settings import Settings
from bridge.tvproperties import TVProperties

FRINGE = 2
LOOPS = (
    "pointwise", "scaling", "update", "flux", "jacobians", "neighbours", "fused", "sum", "jacobi4",
)  # fmt: skip
ORDERS = ("last", "first")
#: Loops on arrays of real(4).
SINGLE = ("jacobi4",)
#: Whether kernels compute in double, or as their originals do.
PROMOTED, ORIGINAL = "double", "original"
#: What is asked of the quantity that the composite of a loop makes, which is in no array then.
REDUCED: Mapping[str, tuple[str, ...]] = {"sum": ("sum", "min")}
#: How far results may be from the Fortran's, relative to the largest of an array.
AGREEMENT = {"float64": 1e-12, "float32": 1e-6}

#: The set that our arrays of a block are bound in.
SET = "block"
#: Bytes of a line of a cache.
LINE = 64

_SOURCE, _PACK = "bench/hostloops.f90", "bench/loops"

Extent = tuple[int, int, int]


def flags(isa: str | None) -> tuple[str, ...]:
    """Of gfortran: this machine, or the instruction set that our kernels are held to."""
    return ("-O3", f"-march={'native' if isa is None else f'x86-64-{isa}'}")


@contextmanager
def loops_pack(folder: Path, isa: str | None, precision: str = PROMOTED) -> Iterator[Catalogue]:
    """The pack of the loops, built for an instruction set if need be, None for the best, and the
    only one of BRIDGE_PACKS meanwhile; precision: of its kernels, see PRECISIONS."""
    pack = folder / _PACK
    if not (pack / packs.CATALOGUE).is_file():
        raise ArgumentError("fortran-stub", str(folder), f"a folder that holds {_PACK}")
    with tempfile.TemporaryDirectory(prefix="bridge-loops-") as copies:
        if precision == ORIGINAL:
            pack = shutil.copytree(pack, Path(copies) / "loops")
            catalogue = pack / packs.CATALOGUE
            catalogue.write_text(f'precision = "original"\n{catalogue.read_text()}')
        yield from _only(pack, isa)


def _only(pack: Path, isa: str | None) -> Iterator[Catalogue]:
    with environment(BRIDGE_PACKS=str(pack)):
        try:
            for _ in packbuild.build([pack], isas=[choose(isa).isa]):
                pass
            yield Catalogue.load([shipped_file(), pack / packs.CATALOGUE])
        finally:
            packs.forget()


class HostLoops:
    """The Fortran loops, built at some flags."""

    def __init__(self, folder: Path, catalogue: Catalogue, isa: str | None) -> None:
        if not (folder / _SOURCE).is_file():
            raise ArgumentError("fortran-stub", str(folder), f"a folder that holds {_SOURCE}")
        name = f"hostloops-{isa or 'native'}"
        arguments = {
            name: len(arrays_of(catalogue, name)) + len(REDUCED.get(name, ())) for name in LOOPS
        }
        self.ffi, self._lib = _load(
            compiled(name, folder, (_SOURCE,), flags(isa)), tuple(arguments.items())
        )

    def call(self, loop: str, order: str, arrays: Mapping[str, np.ndarray]) -> Callable[[], None]:
        """The loop over the interior of these arrays, which are (nx, ny, nz) or have a component
        axis; behind them its numbers."""
        function = getattr(self._lib, f"loop_{loop}_{order}")
        pointers = [self.ffi.cast("void*", a.ctypes.data) for a in arrays.values()]
        full = _full(next(iter(arrays.values())), order)
        kept = dict(arrays)

        def run() -> None:
            function(*full, FRINGE, *pointers)
            assert kept

        return run


def arrays_of(catalogue: Catalogue, loop: str) -> tuple[str, ...]:
    """Quantities of a loop in the order of the Fortran's arguments."""
    composite = catalogue.composite(loop)
    made = () if loop in REDUCED else composite.outputs
    return tuple(dict.fromkeys((*composite.inputs, *made)))


def bytes_per_point(catalogue: Catalogue, loop: str) -> int:
    """Of the arrays that a loop goes over."""
    columns = sum(catalogue.columns(name, 1) for name in arrays_of(catalogue, loop))
    return (4 if loop in SINGLE else 8) * columns


class LoopBlock:
    """Arrays of one loop with `extent` interior points, ours and the Fortran's.

    order: of the components, "last" or "first".
    """

    def __init__(self, catalogue: Catalogue, loop: str, order: str, extent: Extent) -> None:
        self.loop, self.order, self.extent = loop, order, extent
        self.points = extent[0] * extent[1] * extent[2]
        self.catalogue = catalogue
        random = np.random.default_rng(1)
        dtype = "float32" if loop in SINGLE else "float64"
        self.ours = {
            name: _placed(_filled(random, name, catalogue.columns(name, 1), order, extent, dtype))
            for name in arrays_of(catalogue, loop)
        }
        asked = REDUCED.get(loop, ())
        self.numbers = _placed(np.zeros(len(asked)))
        self.ours |= {one: self.numbers[n : n + 1] for n, one in enumerate(asked)}
        self.theirs = {name: _placed(array) for name, array in self.ours.items()}

    def check(self) -> None:
        """BridgeError unless both sides hold the same numbers, fringes included."""
        for name, ours in self.ours.items():
            theirs = self.theirs[name]
            off = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
            if not off < AGREEMENT[str(ours.dtype)]:
                raise BridgeError(
                    f"{self.loop}, component {self.order}: {name} of the Fortran and of the "
                    f"bridge differ by {off:.1e}: nothing is timed"
                )


class LoopRun:
    """A loop on our arrays of a block, bound as a host binds them, until it is closed."""

    def __init__(self, block: LoopBlock, tv: TVProperties) -> None:
        self._block, self._tv = block, tv
        self._composite = block.catalogue.composite(block.loop)
        self._asked = REDUCED.get(block.loop, ())
        for name in arrays_of(block.catalogue, block.loop):
            self._bind(name, block.ours[name])

    def _bind(self, name: str, array: np.ndarray) -> None:
        inward = name in self._composite.inputs
        outward = name in self._composite.outputs
        intent = "inout" if inward and outward else "in" if inward else "out"
        bounds = [b for n in self._block.extent for b in (FRINGE + 1, FRINGE + n)]
        first = self._block.order == "first" and array.ndim == 4
        self._tv.bind_array(SET, name, intent, array, *bounds, component_first=first)

    def close(self) -> None:
        self._tv.unbind(SET, "*")

    def run(self, host: Host) -> Callable[[], None]:
        """The call of a compiled host: `frame_run`, or where a loop ends in numbers
        `frame_reduce_several`."""
        if not self._asked:
            return host.run(SET, self._block.loop)
        return host.reduce(SET, self._composite.outputs[0], self._asked, self._block.numbers)

    def run_of_python(self) -> Callable[[], object]:
        """The same call of a Python program."""
        if not self._asked:
            return partial(self._tv.run, SET, self._block.loop)
        return partial(self._tv.reduce_several, SET, self._reductions())

    def engine(self) -> Callable[[], None]:
        """The calls of the kernel library that `run` came to, which was done before."""
        if not self._asked:
            run = self._tv.plain_run(SET, self._block.loop, None, None)
            return _one_by_one(_runs([] if run is None else run.calls()))
        asked = self._reductions()
        reduction = self._tv.prepared_reduction(SET, asked)
        which = [Asked(*one) for one in asked]
        found = None if reduction is None else reduction.repeatable(self._tv.impl, which, 0)
        assert found is not None, f"only Python reduces {asked}, or nobody did"
        calls = _runs(found.calls)
        for operation, (one, _) in zip(self._asked, found.each, strict=True):
            calls.append(_reduction(one.native(), self._block.ours[operation]))
        return _one_by_one(calls)

    def _reductions(self) -> list[tuple[str, str]]:
        return [(self._composite.outputs[0], operation) for operation in self._asked]


def several_threads(block: LoopBlock, isa: str, threads: int) -> TVProperties:
    """What a Frame of a Python program has, for runs of a block by several threads."""
    species = random_states(1, 1).species
    settings = Settings()
    settings.set("stability", "off")
    request = Request.of(settings, block.points, 1, 0, species, block.catalogue)
    return TVProperties(request, CpuBackend(threads, isa))


def _runs(parts: Iterable[Iterable[NativeCall]]) -> list[Callable[[], None]]:
    """As the entry for compiled hosts calls them."""
    ffi = cffi.FFI()
    found = []
    for one in (one for part in parts for one in part):
        function = ffi.cast("int (*)(void*, int64_t, int64_t, int)", one.function)
        argument = ffi.cast("void*", one.argument)
        found.append(_checked(function, argument, 0, one.points, one.threads))
    assert found, "only Python can do this run"
    return found


def _reduction(one: NativeCall, value: np.ndarray) -> Callable[[], None]:
    """The same of a reduction of one value."""
    ffi = cffi.FFI()
    function = ffi.cast("int (*)(void*, double*, int*, int)", one.function)
    argument, to = ffi.cast("void*", one.argument), ffi.cast("double*", value.ctypes.data)
    return _checked(function, argument, to, ffi.NULL, one.threads, kept=one.keeper)


def _checked(function: Any, *arguments: Any, kept: object = None) -> Callable[[], None]:
    """A call that returns 0; kept: what it works on."""

    def call() -> None:
        if function(*arguments):
            raise BridgeError("no memory for the scratch of a run")
        assert kept is kept

    return call


def _one_by_one(calls: Sequence[Callable[[], object]]) -> Callable[[], None]:
    def run() -> None:
        for call in calls:
            call()

    return run


def _full(array: np.ndarray, order: str) -> tuple[int, ...]:
    if array.ndim == 3:
        return tuple(array.shape)
    return tuple(array.shape[1:] if order == "first" else array.shape[:3])


def _filled(
    random: np.random.Generator, name: str, columns: int, order: str, extent: Extent, dtype: str
) -> np.ndarray:
    """A state that a gas may have: energies far above what moves."""
    full = tuple(n + 2 * FRINGE for n in extent)
    array = np.empty((*full, columns), dtype, order="F")
    for c in range(columns):
        array[..., c] = random.uniform(0.5, 1.5, full) * (1.0 + 0.1 * c)
    if columns == 5 and "rate" not in name and "flux" not in name:
        array[..., 4] += 20.0
    if columns == 1:
        return array[..., 0]
    return np.asfortranarray(np.moveaxis(array, 3, 0)) if order == "first" else array


def _placed(array: np.ndarray) -> np.ndarray:
    """A copy 16 bytes behind the start of a cache line, where `allocate` puts large arrays: times
    of loops that only move numbers depend on it by half."""
    memory = np.empty(array.nbytes + LINE, "uint8")
    copy: np.ndarray = np.ndarray(
        array.shape, array.dtype, memory, (16 - memory.ctypes.data) % LINE, order="F"
    )
    copy[...] = array
    return copy


@lru_cache(maxsize=4)
def _load(library: Path, arguments: tuple[tuple[str, int], ...]) -> tuple[cffi.FFI, Any]:
    ffi = cffi.FFI()
    for name, count in arguments:
        for order in ORDERS:
            pointers = ", ".join(["void*"] * count)
            ffi.cdef(f"void loop_{name}_{order}(int, int, int, int, {pointers});")
    return ffi, ffi.dlopen(str(library))
