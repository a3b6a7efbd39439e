"""bridge_f77.inc: interfaces of the entries for codes without modules, in both source forms.

Part of fortran_forms.py, which writes the file.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from build_entry import Prototype, prototypes  # type: ignore[import-not-found]  # noqa: E402

F77_HEAD = """\
! bridge_f77.inc: interfaces of the entries for codes without modules; derived from bridge.h.
!
!     include 'bridge_f77.inc'     in the declarations of the calling subroutine
!
! Integers and single reals (`scale`, `share`) pass by value without %VAL, arrays of any shape go
! by address, a trailing ierr may be left out. A string ends in char(0):
!
!     call frame_set('species'//char(0), 'O2 CH4'//char(0), ierr)
!
! Reads as fixed and as free source form.
"""

FORTRAN_TYPES = {
    "int": "integer(c_int), value :: {}",
    "double": "real(c_double), value :: {}",
    "double*": "type(*), dimension(*) :: {}",
    "void*": "type(*), dimension(*) :: {}",
    "const double*": "type(*), dimension(*), intent(in) :: {}",
    "const void*": "type(*), dimension(*), intent(in) :: {}",
    "int*": "integer(c_int), intent(inout) :: {}(*)",
    "const int*": "integer(c_int), intent(in) :: {}(*)",
    "const int64_t*": "integer(c_int64_t), intent(in) :: {}(*)",
    "int64_t*": "integer(c_int64_t), intent(inout) :: {}(*)",
    "void**": "integer(c_intptr_t), intent(inout) :: {}",
    "const char*": "character(kind=c_char), intent(in) :: {}(*)",
    "char*": "character(kind=c_char), intent(out) :: {}(*)",
}


def declaration(type_: str, name: str) -> str:
    if name == "ierr":
        return "integer(c_int), intent(out), optional :: ierr"
    if name == "kij":
        return "type(*), dimension(*), intent(in), optional :: kij"
    if name == "place":
        return "integer(c_int), intent(out), optional :: place(*)"
    if name == "components":
        return "integer(c_int), intent(in), optional :: components(*)"
    if name == "nOn":
        return "integer(c_int), intent(out) :: nOn"
    if name == "worst":  # one number
        return "real(c_double), intent(out) :: worst"
    return FORTRAN_TYPES[type_].format(name)


def both_forms(statement: str) -> str:
    """A statement from column 7 on, continued by & in column 73 (free) and column 6 (fixed)."""
    lines, rest = [], "      " + statement
    while len(rest) > 72:
        cut = max(rest.rindex(mark, 8, 72) + 1 for mark in " (," if mark in rest[8:72])
        lines.append(rest[:cut].ljust(72) + "&")
        rest = "     &  " + rest[cut:]
    return "\n".join([*lines, rest])


def f77_interface(prototype: Prototype) -> str:
    name = prototype.name.removesuffix("_")
    names = ", ".join(argument.name for argument in prototype.arguments)
    kind = "subroutine" if prototype.result == "void" else "function"
    statements = [f'{kind} {name}({names}) bind(c, name="{prototype.name}")']
    statements.append("  use, intrinsic :: iso_c_binding")
    statements.append("  implicit none")
    statements += [f"  {declaration(a.type, a.name)}" for a in prototype.arguments]
    if kind == "function":
        statements.append(f"  integer(c_int) :: {name}")
    statements.append(f"end {kind} {name}")
    return "\n".join(both_forms("  " + statement) for statement in statements)


def f77(header: str) -> str:
    """The text of bridge_f77.inc."""
    interfaces = [f77_interface(prototype) for prototype in prototypes(header)]
    body = ["      interface", *interfaces, "      end interface", ""]
    return F77_HEAD + "\n".join(body)
