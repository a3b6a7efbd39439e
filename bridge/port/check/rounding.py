"""Directions of rounding: the original with other ones shows what its own operations lose.

A result that is the small difference of large numbers inside of a procedure need not move when the
last digits of the inputs do; it moves when each operation rounds another way.
"""

from __future__ import annotations

import ctypes
import platform

#: fesetround's numbers of: down, up, towards zero. None of another machine.
_MODES = {"x86_64": (0x400, 0x800, 0xC00), "aarch64": (0x800000, 0x400000, 0xC00000)}
DIRECTIONS: tuple[int, ...] = _MODES.get(platform.machine(), ())


def round_to(direction: int) -> None:
    """In this thread, from now on; libraries of the C library's mathematics follow."""
    if direction:
        ctypes.CDLL(None).fesetround(ctypes.c_int(direction))
