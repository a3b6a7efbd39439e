"""CUDA C++ to machine code, with or without a GPU: NVRTC, else nvcc.

Behind `program` and `bridge kernels`. Both compilers take the same flags and say the same about
registers, spills and stack; no flag loosens arithmetic.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Protocol

from bridge.backends.gpu.writer import NAME
from bridge.errors import BridgeError, DeviceError
from bridge.kernels import file

# Loops and branches that a build for one species count or one option never reaches.
FLAGS = ("-std=c++17", "-Xptxas", "-v", "--diag-suppress=128,111")


class CompileError(BridgeError):
    """The compiler refused a source; the message holds its log and the numbered text."""


@dataclass(frozen=True)
class Resources:
    """What one kernel takes, with the functions that it calls: registers per thread; bytes of
    stack and of spilled registers."""

    kernel: str
    registers: int
    stack: int
    spill_stores: int
    spill_loads: int


@dataclass(frozen=True)
class Compiled:
    """cubin: machine code for one architecture; log: of the compiler."""

    cubin: bytes
    log: str

    @property
    def resources(self) -> list[Resources]:
        return read_resources(self.log)


class Compiler(Protocol):
    """version: part of the cache's key."""

    version: str

    def compile(self, text: str, arch: str, options: tuple[str, ...] = ()) -> Compiled:
        """Machine code for "sm_90" and its like; options: beside FLAGS. CompileError with log and
        numbered source."""
        ...


_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers(?:.* (\d+) bytes cumulative stack)?")
_OWN = re.compile(rf"{re.escape(NAME)}\(\d+\): (catastrophic )?error")


def read_resources(log: str) -> list[Resources]:
    """Resources of every kernel in what `ptxas -v` printed: functions that a kernel calls follow
    it."""
    found: list[Resources] = []
    kernel, stack = "", (0, 0, 0)
    for line in log.splitlines():
        if match := _ENTRY.search(line):
            kernel = match[1]
        elif match := _STACK.search(line):
            stack = (int(match[1]), int(match[2]), int(match[3]))
            if not kernel and found:
                last = found[-1]
                found[-1] = replace(
                    last,
                    spill_stores=last.spill_stores + stack[1],
                    spill_loads=last.spill_loads + stack[2],
                )
        elif kernel and (match := _REGISTERS.search(line)):
            own, stores, loads = stack
            deepest = max(own, int(match[2] or 0))
            found.append(Resources(kernel, int(match[1]), deepest, stores, loads))
            kernel = ""
    return found


def numbered(text: str) -> str:
    """Text with line numbers, for messages that name lines."""
    return "\n".join(f"{n:5d} {line}" for n, line in enumerate(text.splitlines(), 1))


def _refusal(compiler: str, arch: str, log: str, text: str) -> CompileError:
    """What a compiler said; with the text where it is the text that it complains of, and not a
    header that a user wrote."""
    about = f"{compiler} refused a kernel source for {arch}:\n{log}"
    return CompileError(f"{about}\n{numbered(text)}" if _OWN.search(log) else about)


def include_folder() -> Path:
    """Folder of the kernels' headers."""
    return file("point.h").parent


class Nvrtc:
    """NVRTC, called through its C interface."""

    def __init__(self, path: Path | str) -> None:
        # NVRTC opens its builtins by name alone: where the loader would not find them, the ones
        # that lie beside it are there already.
        for builtins in sorted(Path(path).parent.glob("libnvrtc-builtins.so.*[0-9]")):
            ctypes.CDLL(str(builtins))
        self._library = ctypes.CDLL(str(path))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"nvrtc {major.value}.{minor.value}"
        # Its own cache, from 12.9 on, gives no log of registers, and in 13.0 machine code of other
        # options. The bridge keeps what is compiled (`cache`).
        self._without_cache = ["--no-cache"] if (major.value, minor.value) >= (12, 9) else []

    def compile(self, text: str, arch: str, options: tuple[str, ...] = ()) -> Compiled:
        program = ctypes.c_void_p()
        self._call("nvrtcCreateProgram", ctypes.byref(program), text.encode(), NAME.encode(), 0,
                   None, None)  # fmt: skip
        try:
            # NVRTC 13.0 takes a generic lambda inside a device function for a host function.
            words = [f"-arch={arch}", f"-I{include_folder()}", "-default-device", *FLAGS, *options]
            words += self._without_cache
            c_options = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
            failed = self._library.nvrtcCompileProgram(program, len(words), c_options)
            log = self._read(program, "nvrtcGetProgramLog").rstrip(b"\0").decode()
            if failed:
                raise _refusal(self.version, arch, log, text)
            return Compiled(self._read(program, "nvrtcGetCUBIN"), log)
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    def _read(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._call(what, program, buffer)
        return buffer.raw

    def _call(self, function: str, *arguments: object) -> None:
        status = getattr(self._library, function)(*arguments)
        if status:
            raise BridgeError(f"{function} of {self.version} failed with {status}")


class Nvcc:
    """The compiler driver of a CUDA toolkit, where NVRTC is not installed."""

    def __init__(self, path: str) -> None:
        self._path = path
        text = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
        release = re.search(r"release ([\d.]+)", text.stdout)
        self.version = f"nvcc {release[1] if release else 'unknown'}"

    def compile(self, text: str, arch: str, options: tuple[str, ...] = ()) -> Compiled:
        with tempfile.TemporaryDirectory(prefix="bridge-nvcc-") as folder:
            source, cubin = Path(folder, NAME), Path(folder, "bridge.cubin")
            source.write_text(text, encoding="utf-8")
            words = [f"-arch={arch}", f"-I{include_folder()}", *FLAGS, *options]
            line = [self._path, "-cubin", *words]
            done = subprocess.run(
                [*line, "-o", str(cubin), str(source)], capture_output=True, text=True, check=False
            )
            log = done.stdout + done.stderr
            if done.returncode:
                raise _refusal(self.version, arch, log, text)
            return Compiled(cubin.read_bytes(), log)


@cache
def find() -> Compiler:
    """NVRTC of a wheel or of a toolkit, else nvcc; DeviceError where there is neither."""
    tried: list[str] = []
    for path in _nvrtc_libraries():
        try:
            return Nvrtc(path)
        except OSError as error:
            tried.append(str(error))
    nvcc = shutil.which("nvcc")
    if nvcc:
        return Nvcc(nvcc)
    raise DeviceError(
        "no compiler for GPU kernels: install the wheel nvidia-cuda-nvrtc (it comes with "
        "cupy-cuda13x[ctk]) or put a CUDA toolkit's nvcc on PATH"
        + "".join(f"\n  {line}" for line in tried)
    )


def version() -> str:
    """Of the compiler that is found; "" for none, as where all kernels were precompiled."""
    try:
        return find().version
    except DeviceError:
        return ""


def _nvrtc_libraries() -> Iterator[Path | str]:
    """Candidates: wheels of this environment, a toolkit named by the environment, the loader."""
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or []) if spec else []:
        yield from sorted(Path(place).glob("*/lib/libnvrtc.so.*[0-9]"), reverse=True)
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(variable):
            yield from sorted(Path(os.environ[variable]).glob("lib*/libnvrtc.so.*"), reverse=True)
    nvcc = shutil.which("nvcc")
    if nvcc:
        root = Path(nvcc).resolve().parent.parent
        yield from sorted(root.glob("lib*/libnvrtc.so.[0-9]*"))
    yield from ("libnvrtc.so.13", "libnvrtc.so.12")
