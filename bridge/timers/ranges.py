"""NVTX ranges: names that a profiler shows above launches and calls.

CuPy has the calls; where it is not installed there are none.
"""

from __future__ import annotations

from typing import Any


class Ranges:
    """push and pop of NVTX; ImportError where CuPy has none."""

    def __init__(self) -> None:
        from cupy.cuda import nvtx

        self._push: Any = nvtx.RangePush
        self.pop: Any = nvtx.RangePop

    def push(self, name: str) -> None:
        self._push(name)
