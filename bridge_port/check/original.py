"""Runs of the original, point after point, in processes that may die or never end."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bridge_port.check.shim import Shim, columns, quantities
from bridge_port.check.wrapped import round_to

Array = np.ndarray[Any, Any]
#: What became of a point.
RAN, DIED, ENDLESS, SKIPPED, STOPPED = 0, 1, 2, 3, 4
#: FE_INVALID, of both kinds of processors that have the check.
_INVALID = 1


class HostData(NamedTuple):
    """A constant or a table as a run has it; shape: () of a number."""

    values: Array
    shape: tuple[int, ...]

    @property
    def array(self) -> Array:
        return self.values.reshape(self.shape, order="F") if self.shape else self.values


@dataclass
class Results:
    """outputs: (points, columns); state: of each point RAN, ...; said: by the first that died."""

    outputs: dict[str, Array]
    state: Array
    said: str = ""


def shared(shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros that a process and its children share."""
    size = max(1, int(np.prod(shape)) * np.dtype(dtype).itemsize)
    return np.frombuffer(mmap.mmap(-1, size), dtype, int(np.prod(shape))).reshape(shape)


class Original:
    """A library of `Shim`. host: values of data of modules, by name; what is not there keeps the
    value that the original gives it; setup: whether bridge_setup is called first."""

    def __init__(
        self, library: Path, shim: Shim, host: Mapping[str, Array], setup: bool = False
    ) -> None:
        self.library, self.shim, self.host, self.setup = library, shim, host, setup

    def run(
        self, inputs: Mapping[str, Array], limit: float, deaths: int = 60, direction: int = 0,
        mark: int = 0,
    ) -> Results:  # fmt: skip
        """limit: seconds for one point; deaths: how many points may die or not end before the
        rest is skipped; direction: of rounding, 0 to nearest; mark: of the shim."""
        points = next(iter(inputs.values())).shape[0] if inputs else 1
        arrays = self._arrays(inputs, points)
        at = shared((1,), np.int32)
        state = np.full(points, SKIPPED, np.int8)
        stopped = shared((points,), np.int8)
        said = ""
        first = 1
        while first <= points and deaths > 0:
            at[0] = mark
            ended, text = _forked(
                lambda first=first: self._rounded(
                    arrays, first, points, at, direction, stopped
                ), at, limit,
            )  # fmt: skip
            if ended == RAN:
                state[first - 1 :] = RAN
                break
            bad = max(int(at[0]), first)
            state[first - 1 : bad - 1] = RAN
            state[bad - 1] = ended
            said = said or text
            first, deaths = bad + 1, deaths - 1
        state[(state == RAN) & (stopped != 0)] = STOPPED
        if status := self.shim.kernel.status:
            arrays[status][:, 0] = state == STOPPED
        outputs = {q.name: arrays[q.name].copy() for q in self.shim.kernel.outputs}
        return Results(outputs, state, said)

    def makes_nan(self, inputs: Mapping[str, Array], points: Array, limit: float) -> Array:
        """At which of these points an operation of the original gives NaN, whatever becomes of
        it: each runs alone, and the processor is asked."""
        found = shared((len(points),), np.int8)
        some = {name: array[points] for name, array in inputs.items()}
        arrays = self._arrays(some, len(points))
        at, stopped = shared((1,), np.int32), shared((len(points),), np.int8)

        def run() -> None:
            library, processor = self._load(), ctypes.CDLL(None)
            for n in range(1, len(points) + 1):
                processor.feclearexcept(_INVALID)
                self._call(library, arrays, n, n, at, stopped)
                found[n - 1] = processor.fetestexcept(_INVALID) != 0

        ended, _ = _forked(run, at, limit)
        return found != 0 if ended == RAN else np.zeros(len(points), bool)

    def values(self) -> dict[str, HostData]:
        """Data of modules as a run has them: values and extents, by name."""
        known = [*self.shim.kernel.constants, *self.shim.kernel.tables]
        buffers = {v.name: shared((65536,), np.float64) for v in known}
        sizes = {v.name: shared((3,), np.int64) for v in known}

        def read() -> None:
            library = self._load()
            for v in known:
                _host(library, v.name, buffers[v.name], sizes[v.name], False)

        at = shared((1,), np.int32)
        ended, said = _forked(read, at, 20.0)
        if ended != RAN:
            from bridge.errors import BridgeError

            raise BridgeError(f"the data of the original cannot be read: {said}")
        found = {}
        for v in known:
            shape = tuple(int(n) for n in sizes[v.name][: len(v.shape)])
            count = int(np.prod(shape)) if shape else 1
            found[v.name] = HostData(buffers[v.name][:count].copy(), shape)
        return found

    def _load(self) -> ctypes.CDLL:
        library = ctypes.CDLL(str(self.library), os.RTLD_LAZY)
        library.zz_given()
        if self.setup:
            library.bridge_setup_()
        # Those that keep their values are asked for too: tables are allocated.
        for v in [*self.shim.kernel.constants, *self.shim.kernel.tables]:
            buffer = np.zeros(65536)
            values = self.host.get(v.name)
            if values is not None:
                buffer[: values.size] = values.ravel(order="F")
            _host(library, v.name, buffer, np.zeros(3, np.int64), values is not None)
        return library

    def _arrays(self, inputs: Mapping[str, Array], points: int) -> dict[str, Array]:
        """Of all quantities, those of the inputs filled."""
        arrays: dict[str, Array] = {}
        for q in quantities(self.shim.kernel):
            dtype = np.float64 if q.type == "real" else np.int32
            arrays[q.name] = shared((points, columns(q, self.shim.ns)), dtype)
            if q.name in inputs:
                arrays[q.name][...] = inputs[q.name]
        return arrays

    def _rounded(
        self, arrays: Mapping[str, Array], first: int, last: int, at: Array, direction: int,
        stopped: Array,
    ) -> None:  # fmt: skip
        library = self._load()
        round_to(direction, library)
        self._call(library, arrays, first, last, at, stopped)

    def _call(
        self, library: ctypes.CDLL, arrays: Mapping[str, Array], first: int, last: int, at: Array,
        stopped: Array,
    ) -> None:  # fmt: skip
        places = [a.ctypes.data_as(ctypes.c_void_p) for a in arrays.values()]
        run = library.zz_run
        if self.shim.kernel.status:
            places.append(stopped.ctypes.data_as(ctypes.c_void_p))
            run = library.zz_guarded
        run(ctypes.c_int(first), ctypes.c_int(last), at.ctypes.data_as(ctypes.c_void_p), *places)


def _host(library: ctypes.CDLL, name: str, values: Array, sizes: Array, set_: bool) -> None:
    pointer = ctypes.c_void_p
    entry = getattr(library, f"zz_host_{name.lower()}")
    entry(values.ctypes.data_as(pointer), sizes.ctypes.data_as(pointer), ctypes.c_int(set_))


def _forked(work: Any, at: Array, limit: float) -> tuple[int, str]:
    """Do it in a child; limit: seconds without a change of `at`."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            os.dup2(writing, 1)
            os.dup2(writing, 2)
            work()
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(97)
    os.close(writing)
    os.set_blocking(reading, False)
    said = b""
    seen, since = int(at[0]), time.monotonic()
    while True:
        try:
            while part := os.read(reading, 65536):
                said = (said + part)[:4000]
        except BlockingIOError:
            pass
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        now = int(at[0])
        if now != seen:
            seen, since = now, time.monotonic()
        if time.monotonic() - since > limit:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reading)
            return ENDLESS, f"no end within {limit:g} s"
        time.sleep(0.002)
    with open(reading, "rb", closefd=True) as rest:
        os.set_blocking(rest.fileno(), True)
        said += rest.read()
    if os.waitstatus_to_exitcode(status) == 0:
        return RAN, ""
    lines = [t.strip() for t in said.decode(errors="replace").splitlines() if t.strip()]
    told = [t for t in lines if "rror" in t] or lines or [f"status {status}"]
    return DIED, told[0]
