"""An original that stops at some points: the run goes on with the next point.

Its calls of the runtime library that end the run are led here when it is linked, and jump back to
the loop over points.
"""

from __future__ import annotations

from bridge_port.kernel import Kernel

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
