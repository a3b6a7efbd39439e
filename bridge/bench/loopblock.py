"""One loop of `bridge bench loops` on one block with fringes: the Fortran's arrays and our own.

The loops are `bench/hostloops.f90` of the Fortran, and `bench/loops` beside it the same as a
kernel pack. Both sides begin with the same numbers; `check` compares what they make of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.cpu.backend import CpuBackend
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.fortran import compiled
from bridge.measuring.states import random_states
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan import packbuild, packs
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.request import Request
from bridge.settings import Settings
from bridge.tvproperties import TVProperties

FRINGE = 2
LOOPS = ("pointwise", "update", "flux", "jacobians")
ORDERS = ("last", "first")
#: How far results may be from the Fortran's, relative to the largest of an array.
AGREEMENT = 1e-12

_SOURCE, _PACK = "bench/hostloops.f90", "bench/loops"

Extent = tuple[int, int, int]


def flags(isa: str | None) -> tuple[str, ...]:
    """Of gfortran: this machine, or the instruction set that our kernels are held to."""
    return ("-O3", f"-march={'native' if isa is None else f'x86-64-{isa}'}")


@contextmanager
def loops_pack(folder: Path) -> Iterator[Catalogue]:
    """The pack of the loops, built if need be and the only one of BRIDGE_PACKS meanwhile."""
    pack = folder / _PACK
    if not (pack / packs.CATALOGUE).is_file():
        raise ArgumentError("fortran-stub", str(folder), f"a folder that holds {_PACK}")
    before = os.environ.get("BRIDGE_PACKS")
    os.environ["BRIDGE_PACKS"] = str(pack)
    try:
        for _ in packbuild.build([pack]):
            pass
        yield Catalogue.load([shipped_file(), pack / packs.CATALOGUE])
    finally:
        if before is None:
            del os.environ["BRIDGE_PACKS"]
        else:
            os.environ["BRIDGE_PACKS"] = before
        packs.forget()


class HostLoops:
    """The Fortran loops, built at some flags."""

    def __init__(self, folder: Path, catalogue: Catalogue, isa: str | None) -> None:
        if not (folder / _SOURCE).is_file():
            raise ArgumentError("fortran-stub", str(folder), f"a folder that holds {_SOURCE}")
        name = f"hostloops-{isa or 'native'}"
        arguments = {name: len(arrays_of(catalogue, name)) for name in LOOPS}
        self.ffi, self._lib = _load(
            compiled(name, folder, (_SOURCE,), flags(isa)), tuple(arguments.items())
        )

    def call(self, loop: str, order: str, arrays: Mapping[str, np.ndarray]) -> Callable[[], None]:
        """The loop over the interior of these arrays, which are (nx, ny, nz) or have a component
        axis."""
        function = getattr(self._lib, f"loop_{loop}_{order}")
        pointers = [self.ffi.cast("double*", a.ctypes.data) for a in arrays.values()]
        full = _full(next(iter(arrays.values())), order)
        kept = dict(arrays)

        def run() -> None:
            function(*full, FRINGE, *pointers)
            assert kept

        return run


def arrays_of(catalogue: Catalogue, loop: str) -> tuple[str, ...]:
    """Quantities of a loop in the order of the Fortran's arguments."""
    composite = catalogue.composite(loop)
    return tuple(dict.fromkeys((*composite.inputs, *composite.outputs)))


def bytes_per_point(catalogue: Catalogue, loop: str) -> int:
    """Of the arrays that a loop goes over."""
    return 8 * sum(catalogue.columns(name, 1) for name in arrays_of(catalogue, loop))


class LoopBlock:
    """Arrays of one loop with `extent` interior points, bound as a host would bind them.

    order: of the components, "last" or "first"; isa: of our kernels, None for the best of this
    machine.
    """

    def __init__(
        self, catalogue: Catalogue, loop: str, order: str, extent: Extent, isa: str | None
    ) -> None:
        self.loop, self.order, self.extent = loop, order, extent
        self.points = extent[0] * extent[1] * extent[2]
        self.isa = CpuBackend(1, isa).library.isa
        self._catalogue = catalogue
        self._composite = catalogue.composite(loop)
        random = np.random.default_rng(1)
        self.ours = {
            name: _filled(random, name, catalogue.columns(name, 1), order, extent)
            for name in arrays_of(catalogue, loop)
        }
        self.theirs = {name: array.copy(order="F") for name, array in self.ours.items()}

    def run(self, threads: int = 1) -> Callable[[], int]:
        """What `frame_run` of a host does."""
        species = random_states(1, 1).species
        settings = Settings()
        settings.set("stability", "off")
        request = Request.of(settings, self.points, 1, 0, species, self._catalogue)
        tv = TVProperties(request, CpuBackend(threads, self.isa))
        for name, array in self.ours.items():
            inward, outward = (
                name in names for names in (self._composite.inputs, self._composite.outputs)
            )
            intent = "inout" if inward and outward else "in" if inward else "out"
            bounds = [b for n in self.extent for b in (FRINGE + 1, FRINGE + n)]
            first = self.order == "first" and array.ndim == 4
            tv.bind_array("block", name, intent, array, *bounds, component_first=first)
        return lambda: tv.run("block", self.loop)

    def engine(self) -> Callable[[], None]:
        """The executor alone, one thread: what of a run is C."""
        backend = CpuBackend(1, self.isa)
        backend.set_shared(SharedData(random_states(1, 1).species, Options.parse({})))
        plan = self._catalogue.composite_plan(self._composite, 1)
        bindings = {name: self._binding(array) for name, array in self.ours.items()}
        return backend.program(plan, bindings).repeated(self.points)

    def _binding(self, array: np.ndarray) -> Binding:
        """As a bind makes it."""
        strides = [stride // 8 for stride in array.strides]
        columns, data_stride = 1, 1
        if array.ndim == 4:
            axis = 0 if self.order == "first" else 3
            columns, data_stride = array.shape[axis], strides.pop(axis)
        x, y, z = strides
        box = Box(self.extent, (x, y, z), data_stride, FRINGE * (x + y + z))
        return Binding(array.ctypes.data, box, columns, owner=array)

    def check(self) -> None:
        """BridgeError unless both sides hold the same numbers, fringes included."""
        for name, ours in self.ours.items():
            theirs = self.theirs[name]
            off = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
            if not off < AGREEMENT:
                raise BridgeError(
                    f"{self.loop}, component {self.order}: {name} of the Fortran and of the "
                    f"bridge differ by {off:.1e}: nothing is timed"
                )


def _full(array: np.ndarray, order: str) -> tuple[int, ...]:
    if array.ndim == 3:
        return tuple(array.shape)
    return tuple(array.shape[1:] if order == "first" else array.shape[:3])


def _filled(
    random: np.random.Generator, name: str, columns: int, order: str, extent: Extent
) -> np.ndarray:
    """A state that a gas may have: energies far above what moves."""
    full = tuple(n + 2 * FRINGE for n in extent)
    array = np.empty((*full, columns), order="F")
    for c in range(columns):
        array[..., c] = random.uniform(0.5, 1.5, full) * (1.0 + 0.1 * c)
    if columns == 5 and "rate" not in name and "flux" not in name:
        array[..., 4] += 20.0
    if columns == 1:
        return array[..., 0]
    return np.asfortranarray(np.moveaxis(array, 3, 0)) if order == "first" else array


@lru_cache(maxsize=4)
def _load(library: Path, arguments: tuple[tuple[str, int], ...]) -> tuple[cffi.FFI, Any]:
    ffi = cffi.FFI()
    for name, count in arguments:
        for order in ORDERS:
            pointers = ", ".join(["double*"] * count)
            ffi.cdef(f"void loop_{name}_{order}(int, int, int, int, {pointers});")
    return ffi, ffi.dlopen(str(library))
