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
#: Suffix of the functions of each kind of numbers.
_KINDS = {"": "c_double", "f": "c_float"}
#: Of the link: calls of these functions go to those of `mathematics`.
WRAPPED = tuple(
    f"-Wl,--wrap={name}{suffix}" for suffix in _KINDS for name in (*_ONE, *_TWO, "sincos")
)
#: Of the original once more, where it has real(4): how far these move its results.
PROMOTED = "-freal-4-real-8"


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
        "  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_float",
        "  implicit none",
        "  integer(c_int), save :: zz_nudge = 0",
        "contains",
        "  subroutine zz_set_nudge(n) bind(c, name='zz_set_nudge')",
        "    integer(c_int), value :: n",
        "    zz_nudge = n",
        "  end subroutine",
        "  integer function zz_digits(x)",
        "    real(c_double), intent(in) :: x",
        "    integer(c_int64_t) :: h",
        "    zz_digits = 0",
        "    if (zz_nudge == 0) return",
        "    h = ieor(transfer(x, h), ishft(int(zz_nudge, c_int64_t), 20))",
        "    h = ieor(h, ishft(h, 13))",
        "    h = ieor(h, ishft(h, -7))",
        "    h = ieor(h, ishft(h, 17))",
        "    h = modulo(h, 4_c_int64_t) - 2",
        "    if (h >= 0) h = h + 1",
        "    zz_digits = int(h)",
        "  end function",
    ]
    for suffix, kind in _KINDS.items():
        lines += _functions(suffix, kind)
    lines += ["end module zz_mathematics", ""]
    return "\n".join(lines)


def _functions(suffix: str, kind: str) -> list[str]:
    """Of one kind of numbers."""
    lines = [
        f"  real({kind}) function zz_moved{suffix}(x, y)",
        f"    real({kind}), intent(in) :: x, y",
        f"    zz_moved{suffix} = y * (1 + zz_digits(real(x, c_double)) * epsilon(y))",
        "  end function",
    ]
    for name in (*_ONE, *_TWO):
        words = "x, y" if name in _TWO else "x"
        lines += [
            f"  real({kind}) function zz_{name}{suffix}({words}) result(z) &",
            f"      bind(c, name='__wrap_{name}{suffix}')",
            f"    real({kind}), value :: {words}",
            "    interface",
            f"      real({kind}) function zz_real({words}) bind(c, name='__real_{name}{suffix}')",
            "        import",
            f"        real({kind}), value :: {words}",
            "      end function",
            "    end interface",
            f"    z = zz_moved{suffix}(x, zz_real({words}))",
            "  end function",
        ]
    return [
        *lines,
        f"  subroutine zz_sincos{suffix}(x, s, c) bind(c, name='__wrap_sincos{suffix}')",
        f"    real({kind}), value :: x",
        f"    real({kind}) :: s, c",
        "    interface",
        f"      subroutine zz_real(x, s, c) bind(c, name='__real_sincos{suffix}')",
        "        import",
        f"        real({kind}), value :: x",
        f"        real({kind}) :: s, c",
        "      end subroutine",
        "    end interface",
        "    call zz_real(x, s, c)",
        f"    s = zz_moved{suffix}(x, s)",
        f"    c = zz_moved{suffix}(-x, c)",
        "  end subroutine",
    ]
