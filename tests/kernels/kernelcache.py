"""A compiler that counts, for the tests of compiled kernels on disk."""

from __future__ import annotations

from bridge.backends.cuda import compiler
from bridge.backends.cuda.compiler import Compiled


class Compiler:
    """Counts its calls; version: as the cache's key wants it."""

    def __init__(self, version: str = "one 1") -> None:
        self.version, self.calls = version, 0

    def compile(self, text: str, arch: str, options: tuple[str, ...] = ()) -> Compiled:
        self.calls += 1
        return compiler.Compiled(f"{text} by {self.version}".encode(), "log")
