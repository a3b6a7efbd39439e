"""Which kernel library this machine runs, and how Python calls it.

The libraries lie beside kernels/cpu/interface.h and tally.h, the texts that cffi read when the
package was built (compiled). `BRIDGE_CPU_ISA` forces one of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bridge.compiled.interface import ffi
from bridge.compiled.version import INSTRUCTION_SETS
from bridge.errors import ArgumentError, BridgeError, DeviceError
from bridge.kernels import file
from bridge.plan import packs

#: Instruction sets, best first: AVX-512, AVX2 with FMA, and the x86-64-v2 baseline (SSE4.2).
ISAS = ("v4", "v3", "v2")


class Library:
    """One loaded kernel library.

    isa: "v2", "v3" or "v4"; ffi, lib: its cffi handles; lanes: doubles per
    register; width: points that kernels work on together.
    """

    def __init__(self, isa: str) -> None:
        self.isa = isa
        self.ffi: Any = ffi
        path = file(f"cpu/libbridge_cpu_{isa}.so")
        if not path.is_file():
            raise BridgeError(f"the kernel library {path} is missing: the package is incomplete")
        library = self.lib = opened(path)
        self.lanes = int(library.bridge_cpu_lanes())
        self.width = int(library.bridge_cpu_width())

    def supports(self, isa: str) -> bool:
        """Whether this machine runs the library of this instruction set."""
        return bool(self.lib.bridge_cpu_supports(isa.encode()))

    def kernel(self, name: str, arguments: int, lines: bool = False) -> Any:
        """Launch wrapper of a kernel, which must take this many arguments.

        lines: of one with colours or a sweep.

        A kernel pack's comes from the pack's own library; BridgeError where that is not built.
        """
        pack = packs.owner(name)
        library = self.lib if pack is None else pack_library(pack, self.isa)
        if lines:
            launch = library.bridge_cpu_line_kernel(name.encode())
        else:
            launch = library.bridge_cpu_kernel(name.encode())
        if not launch:
            raise ArgumentError("kernel", repr(name), "a kernel that the CPU library contains")
        built = library.bridge_cpu_kernel_arguments(name.encode())
        if built != arguments:
            again = "build the package again" if pack is None else f"run '{pack.command}'"
            raise BridgeError(
                f"kernel {name} has {arguments} arguments in the catalogue and {built} in "
                f"the kernel library: {again}"
            )
        return launch

    def nest(self, kernels: Sequence[str], name: str, layout: int) -> Any:
        """The nest of these kernels of one pack, by the name that plan/nests.py gives it and a
        layout of interface.h; None where there is none."""
        owners = {packs.owner(kernel) for kernel in kernels}
        pack = owners.pop()
        if owners or pack is None:
            return None
        try:
            found = pack_library(pack, self.isa).bridge_cpu_nest
        except self.ffi.error:  # built for a debugger, or its nests did not compile
            return None
        return found(name.encode(), layout) or None

    def address(self, function: str) -> int:
        """Of a function of interface.h, for callers that are no Python."""
        return int(self.ffi.cast("intptr_t", self.ffi.addressof(self.lib, function)))

    @property
    def allocations(self) -> int:
        """How often an executor thread allocated scratch since the library was loaded."""
        return int(self.lib.bridge_cpu_allocations()[0])


def opened(path: Path) -> Any:
    """A kernel library. It runs on the libgomp of the process, the host's own where it has one;
    a wheel brings one along for a machine without, which is opened only there."""
    try:
        return ffi.dlopen(str(path))
    except OSError as error:
        if LIBGOMP not in str(error):
            raise
        fallback = file(f"cpu/fallback/{LIBGOMP}")
        if not fallback.is_file():
            raise BridgeError(
                f"{path.name} needs {LIBGOMP}, which is not on this machine: install GCC's OpenMP "
                "library (Debian and Ubuntu: apt install libgomp1)"
            ) from None
    # Found by its name from then on. Nothing closes it: the threads that it starts stay.
    _kept.append(ffi.dlopen(str(fallback), ffi.RTLD_NOW | ffi.RTLD_GLOBAL))
    return ffi.dlopen(str(path))


#: GCC's OpenMP library, by the name that the loader knows it by.
LIBGOMP = "libgomp.so.1"
_kept: list[Any] = []


@cache
def load(isa: str) -> Library:
    """The library of an instruction set, loaded once."""
    return Library(isa)


@cache
def pack_library(pack: packs.Pack, isa: str) -> Any:
    """The library of a kernel pack, loaded once; BridgeError where it is not built or damaged."""
    path = pack.require(isa)
    try:
        return opened(path)
    except OSError as error:
        again = f"run '{pack.command}' on a machine like this one"
        raise BridgeError(f"kernel pack {pack.name} cannot be loaded ({error}): {again}") from None


@cache
def built() -> tuple[str, ...]:
    """Instruction sets that the package was built with, best first; BridgeError where the library
    of one of them is gone."""
    found = tuple(isa for isa in ISAS if isa in INSTRUCTION_SETS.split())
    for isa in found:
        path = file(f"cpu/libbridge_cpu_{isa}.so")
        if not path.is_file():
            raise BridgeError(f"{path} is gone: the package is incomplete, install it again")
    return found


@cache
def available() -> tuple[str, ...]:
    """Instruction sets that this machine runs and the package has a library for, best first."""
    any_of_them = load(built()[-1])
    return tuple(isa for isa in built() if any_of_them.supports(isa))


def choose(isa: str | None = None) -> Library:
    """The library asked for here or in BRIDGE_CPU_ISA, else the best this machine runs."""
    argument, wanted = "isa", isa
    if wanted is None:
        argument, wanted = "BRIDGE_CPU_ISA", os.environ.get("BRIDGE_CPU_ISA") or None
    if wanted is None:
        if not available():
            raise DeviceError(
                f"this CPU runs none of the package's kernel libraries: {', '.join(built())}"
            )
        return load(available()[0])
    if wanted not in available():
        whose = "this CPU" if built() == ISAS else "this CPU and this build of the package"
        raise ArgumentError(argument, repr(wanted), f"one of {', '.join(available())} ({whose})")
    return load(wanted)
