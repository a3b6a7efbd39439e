"""A GPU that is none: the backend's CUDA calls on host memory, its sources compiled by g++.

For machines without a GPU. Kernels are the very text that NVRTC gets, run thread after thread;
streams do at once what they are asked, memory is checked at every copy.
"""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import sharing
from bridge.compiled.order import ffi

from bridge.backends.cuda import compiler
from bridge.backends.gpu.boxes import Moves
from bridge.backends.gpu.driver import RAISED, Addresses, CalledBack, Facts
from bridge.backends.gpu.reduction import DeviceMeasure
from bridge.errors import OutOfMemoryError

_BEFORE = """\
#define __CUDACC__
#include <cmath>
#include <cstring>
#define __global__
#define __device__
#define __constant__
#define __shared__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
struct Index { int x; };
static Index threadIdx, blockIdx, blockDim;
template <class T> static inline T __ldg(const T* p) { return *p; }
static inline double __longlong_as_double(long long bits) {
    double x; std::memcpy(&x, &bits, 8); return x;
}
static inline long long __double_as_longlong(double x) {
    long long bits; std::memcpy(&bits, &x, 8); return bits;
}
static inline void atomicMax(long long* to, long long x) { if (x > *to) *to = x; }
static inline void atomicAdd(unsigned long long* to, unsigned long long x) { *to += x; }
static inline long long bits_of(double x) { long long b; std::memcpy(&b, &x, 8); return b; }
static inline int __double2hiint(double x) { return int(bits_of(x) >> 32); }
static inline int __double2loint(double x) { return int(bits_of(x)); }
static inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}
#define BRIDGE_ESTIMATES
namespace bridge_point {  // as coarse as the hardware's: the lower half of the number is missing
static inline double coarse(double x) { return __hiloint2double(__double2hiint(x), 0); }
static inline double estimateReciprocal(double x) { return coarse(1.0 / coarse(x)); }
static inline double estimateInverseRoot(double x) { return coarse(1.0 / std::sqrt(coarse(x))); }
static inline float estimateInverseCubeRoot(float x) { return std::pow(x, -1 / 3.f) * 1.000001f; }
}
static inline double __dmul_rn(double x, double y) { return x * y; }
static inline double __dadd_rn(double x, double y) { return x + y; }
static inline double cospi(double x) { return std::cos(3.141592653589793 * x); }
static inline double sinpi(double x) { return std::sin(3.141592653589793 * x); }
namespace bridge_point { double tile[1 << 20]; }
"""

_LAUNCH = """
extern "C" void launch_{name}(void** p, int blocks, int threads) {{
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
            {space}{name}({arguments});
}}
"""

_BOX_LAUNCH = """
extern "C" int size_{name}() {{ return sizeof(bridge_point::{struct}); }}
extern "C" int arrays_{name}() {{ return {arrays}; }}
extern "C" void launch_{name}(void** p, int blocks, int threads) {{
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
            bridge_point::{name}({arguments});
}}
"""

_BOX_KERNEL = re.compile(r"^box_(\w+)\(const Arguments_\1 arguments(.*)\) {$", re.M)
_KERNEL = re.compile(r"^bridge_(\w+)\(const Arguments_\1 arguments", re.M)
_SHAPES = ("float64_float64", "float64_int32", "int32_int32", "float32_float64", "int32_float64")
_KINDS = {"float64": "double", "float32": "float", "int32": "int"}


def host_text(text: str) -> str:
    """A CUDA source as C++ of the host, with a function that launches each of its kernels."""
    parts = [_BEFORE, text]
    for name in _KERNEL.findall(text):
        arguments = f"*(bridge_point::Arguments_{name}*)p[0], *(long long*)p[1], *(int*)p[2]"
        parts.append(
            _LAUNCH.format(name=f"bridge_{name}", space="bridge_point::", arguments=arguments)
        )
    for name, pointers in _BOX_KERNEL.findall(text):
        types = [one.rpartition(" ")[0] for one in pointers.split(", ")[1:]]
        given = [f"*(bridge_point::Arguments_{name}*)p[0]"]
        given += [f"*({kind}*)p[{n}]" for n, kind in enumerate(types, 1)]
        parts.append(
            _BOX_LAUNCH.format(
                name=f"box_{name}",
                struct=f"Arguments_{name}",
                arrays=len(types),
                arguments=", ".join(given),
            )  # fmt: skip
        )
    if "BRIDGE_SHAPE" in text:
        for kind in _SHAPES:
            far, near = (_KINDS[part] for part in kind.split("_"))
            arguments = (
                f"*({far}**)p[0], *(Box*)p[1], *({near}**)p[2], *(long long*)p[3], "
                "*(long long*)p[4], *(int*)p[5]"
            )
            for kernel in ("gather", "scatter"):
                parts.append(
                    _LAUNCH.format(name=f"{kernel}_{kind}", space="", arguments=arguments)
                )
        arguments = (
            "*(long long*)p[0], *(Box*)p[1], *(int**)p[2], *(long long*)p[3], *(long long*)p[4], "
            "*(int*)p[5]"
        )
        name = "gather_position_int32"
        parts.append(_LAUNCH.format(name=name, space="", arguments=arguments))
    for name in re.findall(r"^BRIDGE_REDUCTION\((\w+), \w+\)", text, re.M):
        far = {"float64": "double", "float32": "float", "int32": "int"}[name]
        arguments = (
            f"*(const {far}**)p[0], *(Box*)p[1], *(const int**)p[2], *(Partial**)p[3], "
            "*(long long*)p[4], *(long long*)p[5], *(int*)p[6]"
        )
        parts.append(_LAUNCH.format(name=f"reduce_{name}", space="", arguments=arguments))
        arguments += ", *(Measure*)p[7]"
        parts.append(_LAUNCH.format(name=f"measure_{name}", space="", arguments=arguments))
    if "BRIDGE_REDUCTION" in text:
        arguments = "*(const Partial**)p[0], *(Partial**)p[1], *(long long*)p[2], *(int*)p[3]"
        parts.append(_LAUNCH.format(name="reduce_groups", space="", arguments=arguments))
        arguments = (
            "*(Partial**)p[0], *(long long*)p[1], *(long long*)p[2], *(long long*)p[3], "
            "*(long long*)p[4], *(int*)p[5]"
        )
        parts.append(_LAUNCH.format(name="reduce_pairs", space="", arguments=arguments))
        arguments = (
            "*(const Partial**)p[0], *(double**)p[1], *(long long*)p[2], *(long long*)p[3], "
            "*(double*)p[4], *(int*)p[5], *(int*)p[6]"
        )
        parts.append(_LAUNCH.format(name="reduce_values", space="", arguments=arguments))
    for name in re.findall(r"^BRIDGE_CONSTANT\((\w+), \w+\)", text, re.M):
        values = (
            f"*(const {_KINDS[name]}**)p[0], *(Box*)p[1], *(const int**)p[2], *(long long**)p[3], "
            "*(long long*)p[4], *(long long*)p[5], "
        )
        arguments = values + "*(int*)p[6], *(Measure*)p[7]"
        parts.append(_LAUNCH.format(name=f"constant_first_{name}", space="", arguments=arguments))
        arguments = values + "*(bridge_grains**)p[6], *(int*)p[7]"
        parts.append(_LAUNCH.format(name=f"constant_parts_{name}", space="", arguments=arguments))
    if "BRIDGE_CONSTANT" in text:
        kernels = {
            "clear": "*(long long**)p[0], *(long long*)p[1], *(long long*)p[2]",
            "fold": "*(long long**)p[0], *(long long**)p[1], *(long long*)p[2], *(int*)p[3]",
            "grains": "*(long long**)p[0], *(bridge_grains**)p[1], *(long long*)p[2], "
            "*(long long*)p[3], *(int*)p[4]",
            "end": "*(long long**)p[0], *(bridge_grains**)p[1], *(long long*)p[2], *(int*)p[3], "
            "*(int*)p[4], *(double*)p[5], *(double**)p[6], *(double**)p[7]",
        }
        for name, arguments in kernels.items():
            parts.append(_LAUNCH.format(name=f"constant_{name}", space="", arguments=arguments))
    for size, element in {8: "double", 4: "int"}.items():
        if f"gather_blocks_{size}(" in text:
            arguments = (
                f"*(const {element}**)p[0], *(const Block**)p[1], *(int*)p[2], "
                f"*({element}**)p[3], *(long long*)p[4], *(int*)p[5]"
            )
            name = f"gather_blocks_{size}"
            parts.append(_LAUNCH.format(name=name, space="", arguments=arguments))
    if "carry_words(" in text:
        parts.append(_LAUNCH.format(name="carry_words", space="", arguments="*(Carried*)p[0]"))
    for size, word in {8: "long long", 4: "int"}.items():
        if f"move_boxes_{size}(" in text:
            arguments = f"*({word}**)p[0], *({word}**)p[1], *(Moves*)p[2], *(int*)p[3]"
            parts.append(_LAUNCH.format(name=f"move_boxes_{size}", space="", arguments=arguments))
    return "\n".join(parts)


class NoError(Exception):
    """What the stand-in's calls would raise."""


class InC:
    """A driver in Python for callers in C: `addresses` and `error` of its own."""

    def addresses(self: Any) -> Addresses:
        self._called = called = CalledBack(self)
        word = ctypes.c_size_t

        def memory_type(found: int, _: int, address: int) -> None:
            here = 1 if self.device_of(address) is None else 2
            ctypes.c_uint.from_address(found).value = here

        return Addresses(
            push=called.address(lambda _context: None, word),
            pop=called.address(lambda _context: None, word),
            launch=called.launch,
            record=called.address(lambda *given: self.record(*given), word, word),
            wait=called.address(
                lambda stream, event, _: self.stream_wait(stream, event), word, word, ctypes.c_uint
            ),
            batch=0,
            copy=called.copy,
            copy_rows=called.copy_rows,
            synchronize=called.synchronize,
            settle=called.settle,
            attribute=called.address(memory_type, word, ctypes.c_int, word),
            graph=called.graph,
            context=0,
            keeper=called,
        )

    def error(self: Any, code: int) -> BaseException:
        assert code == RAISED and self._called.error is not None
        error: BaseException = self._called.error
        return error


class StandIn(InC):
    """Has the methods of `bridge.backends.cuda.api.Api`.

    folder: for compiled sources, without it that of all processes of the session; devices: how
    many there are; memory: bytes of each.
    """

    errors = (NoError,)

    def __init__(
        self, folder: Path | None = None, devices: int = 1, memory: int = 1 << 30
    ) -> None:
        self.folder = folder or sharing.folder("standin")
        self.count = devices
        self.memory = memory
        self.used = 0
        self.blocks: dict[int, Any] = {}
        self.pinned: dict[int, Any] = {}
        self.locked: dict[int, int] = {}
        self.locks: list[tuple[int, int]] = []
        self.foreign: dict[int, tuple[int, int]] = {}
        self.calls: list[str] = []
        self.streams: list[int] = []
        self.current = 0
        self.capturing: list[Any] | None = None
        self._functions: dict[int, Any] = {}
        self._graphs: dict[int, list[Any]] = {}
        self._box_sizes: dict[str, list[int]] = {}

    # ---- devices

    def devices(self) -> list[Facts]:
        return [
            Facts(k, "stand-in", f"0000:{k:02x}:00.0", f"GPU-{k}", "sm_90", self.memory, 1)
            for k in range(self.count)
        ]

    def driver(self) -> str:
        return "0"

    def versions(self) -> str:
        return "none"

    def use(self, index: int) -> None:
        self.current = index

    # ---- memory

    def malloc(self, size: int) -> int:
        if self.used + size > self.memory:
            raise OutOfMemoryError(
                f"asked for {size / 2**20:.1f} MiB, {(self.memory - self.used) / 2**20:.1f} of "
                f"{self.memory / 2**20:.1f} MiB are free on the GPU"
            )
        # pages of its own: no part of them is locked with an array of the host
        block = (ctypes.c_char * max(size, 1)).from_buffer(mmap.mmap(-1, max(size, 1)))
        ctypes.memset(block, 0xA5, size)
        address = ctypes.addressof(block)
        self.blocks[address] = block
        self.used += size
        return address

    def free(self, address: int) -> None:
        self.used -= len(self.blocks.pop(address))

    def clear(self, address: int, size: int, stream: int) -> None:
        self._device(address, size)
        ctypes.memset(address, 0, size)

    def host_malloc(self, size: int) -> int:
        """Pages of its own, as from CUDA: none of them is part of an array that is locked."""
        block = (ctypes.c_char * max(size, 1)).from_buffer(mmap.mmap(-1, max(size, 1)))
        self.pinned[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def host_free(self, address: int) -> None:
        del self.pinned[address]

    def lock(self, address: int, size: int) -> bool:
        for low, length in self.locked.items():
            assert address + size <= low or low + length <= address, "locked twice"
        self.locked[address] = size
        self.locks.append((address, size))
        return True

    def unlock(self, address: int) -> None:
        del self.locked[address]

    def device_of(self, address: int) -> int | None:
        for low, (size, device) in self.foreign.items():
            if low <= address < low + size:
                return device
        return 0 if self._in(self.blocks, address, 1) else None

    @staticmethod
    def _in(blocks: dict[int, Any], address: int, size: int) -> bool:
        return any(  # of a copy: another thread may allocate meanwhile
            low <= address and address + size <= low + len(block)
            for low, block in blocks.copy().items()
        )

    def _device(self, address: int, size: int) -> None:
        assert self._in(self.blocks, address, size), "outside the device's memory"

    def _either(self, address: int, size: int) -> None:
        """Asynchronous copies meet device memory or page-locked host memory, all of it."""
        locked = any(
            low <= address and address + size <= low + length
            for low, length in self.locked.items()
        )
        assert (
            locked or self._in(self.blocks, address, size) or self._in(self.pinned, address, size)
        ), "neither device memory nor page-locked"

    # ---- copies

    def copy(self, target: int, source: int, size: int) -> None:
        for address in (target, source):
            for low, length in self.locked.items():
                inside = low <= address and address + size <= low + length
                if not inside and address < low + length and low < address + size:
                    raise NoError("cudaErrorInvalidValue: page-locked in part")
        ctypes.memmove(target, source, size)

    def _do(self, what: str, action: Any) -> None:
        self.calls.append(what)
        if self.capturing is not None:
            self.capturing.append(action)
        else:
            action()

    def copy_async(self, target: int, source: int, size: int, stream: int) -> None:
        self._either(target, size)
        self._either(source, size)
        self._do("copy", lambda: ctypes.memmove(target, source, size))

    def copy2d_async(
        self,
        target: int,
        target_pitch: int,
        source: int,
        source_pitch: int,
        width: int,
        height: int,
        stream: int,
    ) -> None:
        assert target_pitch >= width and source_pitch >= width
        self._rows(
            "copy2d",
            [(target + k * target_pitch, source + k * source_pitch, width) for k in range(height)],
        )

    def copy3d_async(
        self,
        target: int,
        target_pitch: int,
        target_rows: int,
        source: int,
        source_pitch: int,
        source_rows: int,
        width: int,
        height: int,
        depth: int,
        stream: int,
    ) -> None:
        assert target_pitch >= width and source_pitch >= width
        assert target_rows >= height and source_rows >= height
        self._rows(
            "copy3d",
            [
                (
                    target + (s * target_rows + k) * target_pitch,
                    source + (s * source_rows + k) * source_pitch,
                    width,
                )
                for s in range(depth)
                for k in range(height)
            ],
        )

    def _rows(self, what: str, rows: list[tuple[int, int, int]]) -> None:
        for target, source, width in rows:
            self._either(target, width)
            self._either(source, width)
        self._do(what, lambda: [ctypes.memmove(*row) for row in rows])

    # ---- streams: everything happens at once

    def stream(self) -> int:
        self.streams.append(len(self.streams) + 1)
        return self.streams[-1]

    def stream_destroy(self, stream: int) -> None:
        self.stream_synchronize(stream)
        self.streams[stream - 1] = 0

    def stream_synchronize(self, stream: int) -> None:
        assert stream in self.streams, "a stream that is no more"

    def event(self, timing: bool = False) -> int:
        return 1

    def elapsed(self, begin: int, end: int) -> float:
        return 1.0

    def nothing(self, *arguments: int) -> None:
        pass

    def event_done(self, event: int) -> bool:
        return True

    stream_wait = synchronize = nothing
    event_destroy = record = record_in_graph = event_synchronize = nothing

    def begin_capture(self, stream: int) -> None:
        self.capturing = []

    def end_capture(self, stream: int) -> int:
        assert self.capturing is not None
        self._graphs[len(self._graphs) + 1] = self.capturing
        self.capturing = None
        return len(self._graphs)

    def graph_launch(self, graph: int, stream: int) -> None:
        self.calls.append("graph")
        for action in self._graphs[graph]:
            action()

    def graph_destroy(self, graph: int) -> None:
        del self._graphs[graph][:]

    # ---- code

    def compile(
        self,
        text: str,
        arch: str,
        headers: tuple[Path, ...] = (),
        driver: str = "",
        place: Path | None = None,
    ) -> Any:
        """What `cache.compiled` gives, for the host."""
        text = host_text(text)
        library = self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.so"
        if not library.exists():
            with tempfile.TemporaryDirectory(dir=self.folder) as own:
                self._compile(text, Path(own) / "kernels.so").replace(library)
        return compiler.Compiled(str(library).encode(), "")

    def _compile(self, text: str, library: Path) -> Path:
        source = library.with_suffix(".cpp")
        source.write_text(text)
        # types say which products are fused: bits do not depend on how it is optimised
        line = ["g++", "-std=c++17", "-O0", "-w", "-shared", "-fPIC", "-ffp-contract=off"]
        line += [f"-I{compiler.include_folder()}", str(source), "-o", str(library)]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        return library

    def load(self, cubin: bytes) -> Any:
        return ctypes.CDLL(cubin.decode())

    def function(self, module: Any, name: str, tile: int) -> tuple[int, Any]:
        function = getattr(module, f"launch_{name}")
        self._functions[len(self._functions) + 1] = (name, function)
        if name.startswith("box_"):
            struct, arrays = (getattr(module, f"{what}_{name}")() for what in ("size", "arrays"))
            self._box_sizes[name] = [struct, *[8] * arrays]
        return len(self._functions), function

    def symbol(self, module: Any, name: str) -> int:
        return ctypes.addressof(ctypes.c_char.in_dll(module, name))

    def launch(
        self, function: int, blocks: int, threads: int, tile: int, stream: int, parameters: int
    ) -> None:
        name, call = self._functions[function]
        if self.capturing is not None:  # a graph keeps the values of the arguments
            sizes = self._box_sizes.get(name) or _sizes(name)
            words = (ctypes.c_void_p * len(sizes)).from_address(parameters)
            kept = [
                ctypes.create_string_buffer(ctypes.string_at(word, size), size)
                for word, size in zip(words, sizes, strict=True)
            ]
            array = (ctypes.c_void_p * len(kept))(*map(ctypes.addressof, kept))
            self._do(name, lambda: (kept, call(array, blocks, threads)))
        else:
            self._do(name, lambda: call(ctypes.c_void_p(parameters), blocks, threads))


def _sizes(name: str) -> list[int]:
    """Bytes of each argument, more than enough for a struct of arguments."""
    if name == "carry_words":
        return [ffi.sizeof("bridge_carried")]
    if name.startswith("constant_first"):
        return [8, 64, 8, 8, 8, 8, 4, ctypes.sizeof(DeviceMeasure)]
    if name.startswith("constant_"):
        return {
            "clear": [8] * 3, "fold": [8, 8, 8, 4], "grains": [8, 8, 8, 8, 4],
            "end": [8, 8, 8, 4, 4, 8, 8, 8],
        }.get(name.removeprefix("constant_"), [8, 64, 8, 8, 8, 8, 8, 4])  # fmt: skip
    if name.startswith("move_boxes"):
        return [8, 8, ctypes.sizeof(Moves), 4]
    return [8, 64, 8, 8, 8, 4] if name.startswith(("gather", "scatter")) else [512, 8, 4]
