"""Derive the other Fortran files: bridge_absent.f90 and bridge_f77.inc.

The first comes from bridge.f90, the second from bridge.h.

Run by hand after a change, ``python bridge/entry/fortran_forms.py``; both files are kept in the
source tree, because users read them, and a test holds them to what this script makes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from build_entry import Prototype, prototypes  # type: ignore[import-not-found]  # noqa: E402

HERE = Path(__file__).parent

ABSENT_HEAD = """\
! bridge_absent.f90: module `bridge` for a machine without Python or without the bridge.
!
! Compile it in place of bridge.f90 and link nothing: the solver builds and runs unchanged, and
! every call returns bridge_absent, frame_status() too. Derived from bridge.f90.
"""

ABSENT_MESSAGE = "this program was built with bridge_absent.f90: there is no bridge in it"


def absent(module: str) -> str:
    """The text of bridge_absent.f90."""
    start = module.index("  ! ---- The entries in libbridge.so")
    stop = module.index("  ! ---- End of the entries")
    declarations, rest = module[start:stop], module[stop:]
    head = module[module.index("module bridge") : start]
    stubs = ["", "  ! ---- What stands in for libbridge.so ".ljust(97, "-"), ""]
    opening = r"((?:subroutine|integer\(c_int\) function) (\w+)\(([^)]*)\))"
    pattern = rf"^    {opening}.*?\n(.*?)^    end .*?$"
    joined = re.sub(r" &\n\s+", " ", declarations)
    for match in re.finditer(pattern, joined, flags=re.M | re.S):
        stubs.append(stub(match[1], match[2], match[3], match[4]))
    for interface, name in re.findall(r"procedure\((\w+)\), .*? :: (\w+)", joined):
        stubs.append(stub_of(interface, name))
    stubs.append(ABSENT_TELL)
    body = rest[rest.index("contains") :].replace("end module bridge", "")
    unused = "! ---- Every entry is a stand-in at the end of this module\n\n"
    return ABSENT_HEAD + head + "  " + unused + body.rstrip() + "\n" + "\n".join(stubs)


def stub(opening: str, name: str, arguments: str, declarations: str) -> str:
    """A module procedure with the arguments of an interface body, that does nothing."""
    lines = [line[2:] for line in declarations.splitlines() if "import ::" not in line]
    names = [argument.strip() for argument in arguments.split(",") if argument.strip()]
    kind = "function" if "function" in opening else "subroutine"
    if kind == "function":
        work = [f"    {name} = bridge_absent"]
    elif name == "c_last_error":
        lines = ["    character(kind=c_char), intent(out) :: buffer(*)", *lines[1:]]
        work = [
            "    character(len=*), parameter :: message = &",
            f"        '{ABSENT_MESSAGE}'",
            "    integer :: i",
            "    buffer(:length) = ' '",
            "    do i = 1, min(int(length), len(message))",
            "      buffer(i) = message(i:i)",
            "    end do",
        ]
    elif "ierr" in names:
        work = ["    call tell_absent(ierr)"]
    else:
        work = []
    if len(f"  {opening} bind(c, name='')") > 99:
        cut = opening.rindex(",", 0, 90) + 1
        opening = f"{opening[:cut]} &\n     {opening[cut:]}"
    head = f"  {opening} bind(c, name='')"
    return "\n".join([head, *lines, *work, f"  end {kind} {name}", ""])


def stub_of(interface: str, name: str) -> str:
    """The same for a procedure declared by one of the two abstract interfaces."""
    if interface == "on_points":
        arguments = "points"
        lines = "      integer(c_int), value :: points\n"
    else:
        arguments = (
            "name, data, nx, ny, nz, sptx, eptx, spty, epty, sptz, eptz, &\n"
            "      sptdata, eptdata, stripestart, stripeend"
        )
        lines = (
            "      character(kind=c_char), intent(in) :: name(*)\n"
            "      type(c_ptr), value :: data\n"
            "      integer(c_int), value :: nx, ny, nz, sptx, eptx, spty, epty, sptz, eptz\n"
            "      integer(c_int), value :: sptdata, eptdata, stripestart, stripeend\n"
        )
    body = "\n".join(line[2:] for line in lines.splitlines())
    return f"  subroutine {name}({arguments}) bind(c, name='')\n{body}\n  end subroutine {name}\n"


ABSENT_TELL = """\
  subroutine tell_absent(ierr)
    type(c_ptr), intent(in) :: ierr
    integer(c_int), pointer :: status
    if (.not. c_associated(ierr)) return
    call c_f_pointer(ierr, status)
    status = bridge_absent
  end subroutine tell_absent

end module bridge
"""

F77_HEAD = """\
! bridge_f77.inc: interfaces of the entries for codes without modules; derived from bridge.h.
!
!     include 'bridge_f77.inc'     in the declarations of the calling subroutine
!
! Integers and the real `scale` pass by value without %VAL, arrays of any shape go by address, a
! trailing ierr may be left out. A string ends in char(0):
!
!     call frame_set('species'//char(0), 'O2 CH4'//char(0), ierr)
!
! Reads as fixed and as free source form.
"""

FORTRAN_TYPES = {
    "int": "integer(c_int), value :: {}",
    "double": "real(c_double), value :: {}",
    "double*": "type(*), dimension(*) :: {}",
    "const double*": "type(*), dimension(*), intent(in) :: {}",
    "const int*": "integer(c_int), intent(in) :: {}(*)",
    "const char*": "character(kind=c_char), intent(in) :: {}(*)",
    "char*": "character(kind=c_char), intent(out) :: {}(*)",
}


def declaration(type_: str, name: str) -> str:
    if name == "ierr":
        return "integer(c_int), intent(out), optional :: ierr"
    if name == "kij":
        return "type(*), dimension(*), intent(in), optional :: kij"
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


def derived() -> dict[str, str]:
    """File name -> text, from the sources beside this script."""
    return {
        "bridge_absent.f90": absent((HERE / "bridge.f90").read_text()),
        "bridge_f77.inc": f77((HERE / "bridge.h").read_text()),
    }


if __name__ == "__main__":
    for file, text in derived().items():
        (HERE / file).write_text(text)
