"""The functions of the headers of kernels/gpu."""

from __future__ import annotations

from functools import cache
from typing import Any

from bridge.compiled.order import ffi
from bridge.kernels import file


@cache
def library() -> Any:
    """All of them."""
    return ffi.dlopen(str(file("gpu/libbridge_order.so")))


def function(name: str) -> int:
    """The address of one, for callers that are no Python."""
    return int(ffi.cast("intptr_t", ffi.addressof(library(), name)))
