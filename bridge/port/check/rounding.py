"""Another rounding of each operation of the original: what its own operations lose.

A result that is the small difference of large numbers inside of a procedure need not move when the
last digits of the inputs do. It moves when operations round in another direction, and when
functions of the mathematical library, which may keep to the nearest, are some last digits off, as
those of a kernel are.
"""

from __future__ import annotations

import ctypes
import platform

#: fesetround's numbers of: down, up, towards zero. None of another machine.
_MODES = {"x86_64": (0x400, 0x800, 0xC00), "aarch64": (0x800000, 0x400000, 0xC00000)}
DIRECTIONS: tuple[int, ...] = _MODES.get(platform.machine(), ())

_ONE = ("exp log log10 log2 exp2 log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh "
        "acosh atanh erf erfc tgamma lgamma cbrt").split()  # fmt: skip
_TWO = ("pow", "atan2")
#: Of the link: calls of these functions go to those of `mathematics`.
WRAPPED = tuple(f"-Wl,--wrap={name}" for name in (*_ONE, *_TWO, "sincos"))


def round_to(direction: int, library: ctypes.CDLL | None = None) -> None:
    """In this thread, from now on. library: with `mathematics`."""
    if direction:
        ctypes.CDLL(None).fesetround(ctypes.c_int(direction))
        if library is not None:
            library.zz_set_nudge(ctypes.c_int(direction))


def mathematics() -> str:
    """Fortran: the functions, their results up to two last digits off after zz_set_nudge."""
    lines = [
        "module zz_mathematics",
        "  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double",
        "  implicit none",
        "  integer(c_int), save :: zz_nudge = 0",
        "contains",
        "  subroutine zz_set_nudge(n) bind(c, name='zz_set_nudge')",
        "    integer(c_int), value :: n",
        "    zz_nudge = n",
        "  end subroutine",
        "  real(c_double) function zz_moved(x, y)",
        "    real(c_double), intent(in) :: x, y",
        "    integer(c_int64_t) :: h",
        "    zz_moved = y",
        "    if (zz_nudge == 0) return",
        "    h = ieor(transfer(x, h), ishft(int(zz_nudge, c_int64_t), 20))",
        "    h = ieor(h, ishft(h, 13))",
        "    h = ieor(h, ishft(h, -7))",
        "    h = ieor(h, ishft(h, 17))",
        "    h = modulo(h, 4_c_int64_t) - 2",
        "    if (h >= 0) h = h + 1",
        "    zz_moved = y * (1 + h * epsilon(y))",
        "  end function",
    ]
    for name in (*_ONE, *_TWO):
        words = "x, y" if name in _TWO else "x"
        lines += [
            f"  real(c_double) function zz_{name}({words}) result(z) &",
            f"      bind(c, name='__wrap_{name}')",
            f"    real(c_double), value :: {words}",
            "    interface",
            f"      real(c_double) function zz_real({words}) bind(c, name='__real_{name}')",
            "        import",
            f"        real(c_double), value :: {words}",
            "      end function",
            "    end interface",
            f"    z = zz_moved(x, zz_real({words}))",
            "  end function",
        ]
    lines += [
        "  subroutine zz_sincos(x, s, c) bind(c, name='__wrap_sincos')",
        "    real(c_double), value :: x",
        "    real(c_double) :: s, c",
        "    interface",
        "      subroutine zz_real(x, s, c) bind(c, name='__real_sincos')",
        "        import",
        "        real(c_double), value :: x",
        "        real(c_double) :: s, c",
        "      end subroutine",
        "    end interface",
        "    call zz_real(x, s, c)",
        "    s = zz_moved(x, s)",
        "    c = zz_moved(-x, c)",
        "  end subroutine",
        "end module zz_mathematics",
        "",
    ]
    return "\n".join(lines)
