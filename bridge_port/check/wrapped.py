"""Functions that calls of the original are led to when it is linked.

Those of mathematics give another rounding: a result that is the small difference of large numbers
inside of a procedure need not move when the last digits of the inputs do. It moves when operations
round in another direction, and when functions of the mathematical library, which may keep to the
nearest, are some last digits off, as those of a kernel are.

Calls that end the run jump back to the loop over points: the run goes on with the next one.
"""

from __future__ import annotations

import ctypes
import platform

from bridge_port.kernel import Kernel

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


#: Of gfortran's library.
_ENDS = (
    "_gfortran_stop_string", "_gfortran_stop_numeric", "_gfortran_error_stop_string",
    "_gfortran_error_stop_numeric", "_gfortran_exit_i4", "_gfortran_exit_i8", "_gfortran_abort",
)  # fmt: skip
#: Of the link.
STOP_OPTIONS = tuple(f"-Wl,--wrap={name}" for name in _ENDS)


def guard(kernel: Kernel, quantities: int) -> str:
    """C: zz_guarded, as zz_run with a mark for each point behind `at`."""
    arrays = [f"void *q{n}" for n in range(quantities)]
    names = [f"q{n}" for n in range(quantities)]
    lines = [
        f"/* {kernel.name} */",
        "#include <setjmp.h>",
        "#include <stdlib.h>",
        "static jmp_buf place;",
        "static volatile int inside;",
        "static void back(void) {",
        "    if (!inside) abort();",
        "    longjmp(place, 1);",
        "}",
        *(f"void __wrap_{name}(void) {{ back(); }}" for name in _ENDS),
        f"void zz_run({', '.join(['int', 'int', 'volatile int *', *['void *'] * quantities])});",
        f"void zz_guarded({', '.join(['int begin', 'int last', 'volatile int *at', *arrays])},",
        "                signed char *stopped) {",
        "    volatile int first = begin;",
        "    const int mark = *at; /* of the shim */",
        "    while (first <= last) {",
        "        if (setjmp(place) == 0) {",
        "            inside = 1;",
        "            *at = mark;",
        f"            zz_run({', '.join(['first', 'last', 'at', *names])});",
        "            break;",
        "        }",
        "        stopped[*at - 1] = 1;",
        "        first = *at + 1;",
        "    }",
        "    inside = 0;",
        "}",
        "",
    ]
    return "\n".join(lines)


def ends(names: tuple[str, ...]) -> str:
    """Fortran: subroutines whose source is not given, which end the run."""
    return "\n".join(f"subroutine {name}()\n  error stop\nend subroutine" for name in names)
