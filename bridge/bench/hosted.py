"""This process as a compiled host: calls of libbridge.so, whose Frame is on one thread of the CPU.

Python is in the process already, and the library takes it as it is. From its second time on a run
does not enter Python, as in any compiled host.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import cffi
import numpy as np

from bridge.bridge_config import library_directory
from bridge.errors import BridgeError
from bridge.frame import frame
from bridge.tvproperties import TVProperties

#: Points of a launch at most: those of any block at once.
CHUNK = 1 << 30
_DECLARED = """
void frame_error_policy_(const char*, int*);
void frame_initialize_(int, int, int, int, int);
void frame_run_(const char*, const char*, int*);
void frame_reduce_several_(
    const char*, const char*, const char*, const int*, int, int, double*, int*, int*);
void frame_last_error_(char*, int);
void frame_finalize_(void);
int frame_status_(void);
"""


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Variables of the environment, which win over settings, as they were before afterwards."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def hosted(isa: str) -> Iterator[Host]:
    """A host whose kernels are of an instruction set, while it has its Frame."""
    chosen = {"BACKEND": "cpu", "THREADS": "1", "STABILITY": "off", "CPU_ISA": isa}
    with environment(**{f"BRIDGE_{name}": value for name, value in chosen.items()}):
        host = Host()
        try:
            yield host
        finally:
            host.close()


class Host:
    """Its Frame begins here; tv: what this Frame has, for binds."""

    def __init__(self) -> None:
        self._ffi = cffi.FFI()
        self._ffi.cdef(_DECLARED)
        self._library = _opened(self._ffi)
        self._policy(b"return")
        self._library.frame_initialize_(0, CHUNK, 0, 0, 0)
        if self._library.frame_status_():
            raise self._failure()
        self.tv: TVProperties = frame.tvproperties

    def run(self, set: str, composite: str) -> Callable[[], None]:
        """Its call of frame_run."""
        status, call = self._ffi.new("int*"), self._library.frame_run_
        names = self._text(set), self._text(composite)

        def run() -> None:
            call(*names, status)
            if status[0]:
                raise self._failure()

        return run

    def reduce(
        self, set: str, quantity: str, operations: Sequence[str], values: np.ndarray
    ) -> Callable[[], None]:
        """Its call of frame_reduce_several, whose results come to an array."""
        status, call = self._ffi.new("int*"), self._library.frame_reduce_several_
        n, null = len(operations), self._ffi.NULL
        quantities = self._text(" ".join(n * [quantity]))
        names = self._text(set), quantities, self._text(" ".join(operations))
        to = self._ffi.cast("double*", values.ctypes.data)

        def reduce() -> None:
            call(*names, null, n, n, to, null, status)
            if status[0]:
                raise self._failure()

        return reduce

    def close(self) -> None:
        """The end of the Frame."""
        self._library.frame_finalize_()
        self._policy(b"abort")

    def _policy(self, name: bytes) -> None:
        self._library.frame_error_policy_(name, self._ffi.new("int*"))

    def _text(self, name: str) -> object:
        return self._ffi.new("char[]", name.encode())

    def _failure(self) -> BridgeError:
        text = self._ffi.new("char[]", 4096)
        self._library.frame_last_error_(text, len(text))
        return BridgeError(bytes(self._ffi.buffer(text)).decode().strip())


def _opened(ffi: cffi.FFI) -> Any:
    return ffi.dlopen(str(library_directory() / "libbridge.so"))
