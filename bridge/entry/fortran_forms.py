"""Write the Fortran texts that repeat bridge.h: interfaces, stand-ins, procedures of a pattern.

    python bridge/entry/fortran_forms.py

Run by hand after a change of bridge.h or of this script. The texts are kept in the source tree,
because users read them, and a test holds them to what this script makes:

- bridge_interfaces.f90: module bridge_interfaces, the entries in libbridge.so;
- bridge_absent.f90: the same module with stand-ins, for a program without libbridge.so;
- bridge.f90, from its line MARK on: module bridge. What is above the line is written by hand;
- bridge_f77.inc: interfaces for codes without modules.
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from build_entry import (  # type: ignore[import-not-found]  # noqa: E402
    Argument,
    Prototype,
    prototypes,
)
from f77_forms import f77  # type: ignore[import-not-found]  # noqa: E402
from fortran_text import c_name, code_names, wrapped  # type: ignore[import-not-found]  # noqa: E402
from module_forms import module  # type: ignore[import-not-found]  # noqa: E402

HERE = Path(__file__).parent
WRITTEN_BY = "written from bridge.h by fortran_forms.py (python bridge/entry/fortran_forms.py)"
MARK = "! From here on " + WRITTEN_BY
# What module bridge uses of internal.h.
INTERNAL = {"bridge_refuse_", "bridge_on_flush_"}

# ---- The module's side of the entries ---------------------------------------------------------

INTERFACES_HEAD = f"""\
! bridge_interfaces.f90: the entries in libbridge.so, as module `bridge` calls them;
! {WRITTEN_BY}.
!
! Compiled before bridge.f90. A program uses module `bridge`, not this one.
"""

ABSENT_HEAD = f"""\
! bridge_absent.f90: stand-ins for the entries in libbridge.so, for a machine without Python;
! {WRITTEN_BY}.
!
! Compile it in place of bridge_interfaces.f90, before bridge.f90, and link nothing: the solver
! builds and runs unchanged, and every call returns bridge_absent, frame_status() too.
"""

ABSENT_MESSAGE = "this program was built with bridge_absent.f90: there is no bridge in it"

MODULE_TYPES = {
    "int": "integer(c_int), value :: {}",
    "double": "real(c_double), value :: {}",
    "double*": "type(c_ptr), value :: {}",
    "void*": "type(c_ptr), value :: {}",
    "void**": "type(c_ptr), value :: {}",
    "const double*": "real(c_double), intent(in) :: {}(*)",
    "const void*": "type(c_ptr), value :: {}",
    "const int*": "integer(c_int), intent(in) :: {}(*)",
    "const int64_t*": "integer(c_int64_t), intent(in) :: {}(*)",
    "int64_t*": "type(c_ptr), value :: {}",
    "const char*": "character(kind=c_char), intent(in) :: {}(*)",
    "char*": "character(kind=c_char), intent(out) :: {}(*)",
    "int*": "type(c_ptr), value :: {}",
    "void (*)(void)": "type(c_funptr), value :: {}",
}

# Arrays that may be left out.
OPTIONAL = ("kij", "components")


def declarations(arguments: tuple[Argument, ...]) -> list[str]:
    """One statement for neighbours of the same type."""
    found = []

    def form(argument: Argument) -> str:
        text = MODULE_TYPES[argument.type]
        return text.replace(" ::", ", optional ::") if argument.name in OPTIONAL else text

    for text, group in groupby(arguments, key=form):
        kind, name = text.split(" :: ")
        found.append(f"{kind} :: " + ", ".join(name.format(a.name) for a in group))
    return found


def opening(prototype: Prototype, label: str) -> str:
    names = ", ".join(argument.name for argument in prototype.arguments)
    kind = "subroutine" if prototype.result == "void" else "integer(c_int) function"
    return f'{kind} {c_name(prototype)}({names}) bind(c, name="{label}")'


def closing(prototype: Prototype) -> str:
    kind = "subroutine" if prototype.result == "void" else "function"
    return f"end {kind} {c_name(prototype)}"


def firsts(entries: list[Prototype]) -> dict[Prototype, Prototype]:
    """Entry -> the first entry with the same result and arguments, perhaps itself."""
    seen: dict[tuple[str, tuple[Argument, ...]], Prototype] = {}
    return {entry: seen.setdefault((entry.result, entry.arguments), entry) for entry in entries}


def status_codes(header: str) -> list[str]:
    """The parameters bridge_ok ..., with the first part of their comments."""
    found = re.findall(r"#define BRIDGE_(\w+) (-?\d+) +/\* (.*?)(?::.*)? \*/", header)
    codes = [f"bridge_{name.lower()} = {value}, &" for name, value, _ in found]
    codes[-1] = codes[-1].removesuffix(", &")
    width = max(len(code) for code in codes)
    lines = [f"      {code:{width}}  ! {found[i][2]}" for i, code in enumerate(codes)]
    return ["  integer, parameter :: &", *lines]


def interfaces(header: str, entries: list[Prototype]) -> str:
    """The text of bridge_interfaces.f90."""
    lines = [
        "module bridge_interfaces",
        "  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, &",
        "      c_ptr",
        "  implicit none",
        "  private :: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr",
        "",
        *status_codes(header),
        "",
        "  interface",
    ]
    alike = []
    for entry, first in firsts(entries).items():
        if entry is first:
            lines.append(wrapped(opening(entry, entry.name), 4))
            lines.append("      import")
            lines += [wrapped(text, 6) for text in declarations(entry.arguments)]
            lines.append(f"    {closing(entry)}")
        else:
            shape = f'procedure({c_name(first)}), bind(c, name="{entry.name}")'
            alike.append(wrapped(f"{shape} :: {c_name(entry)}", 2))
    lines += ["  end interface", "", *alike, "end module bridge_interfaces", ""]
    return INTERFACES_HEAD + "\n".join(lines)


def stand_in(prototype: Prototype) -> list[str]:
    """A procedure with the arguments of an entry, which says that there is no bridge."""
    lines = [wrapped(opening(prototype, ""), 2)]
    lines += [wrapped(text, 4) for text in declarations(prototype.arguments)]
    if prototype.name == "frame_status_":
        lines.append(f"    {c_name(prototype)} = bridge_absent")
    elif prototype.name == "frame_last_error_":
        lines += [
            "    integer :: i",
            "    buffer(:len) = ' '",
            "    do i = 1, min(int(len), len_trim(message))",
            "      buffer(i) = message(i:i)",
            "    end do",
        ]
    else:
        # Named, so that no compiler warns of arguments without use.
        named = []
        for argument in prototype.body_arguments:
            value = argument.name
            if argument.name in OPTIONAL:
                value = f"present({argument.name})"
            elif MODULE_TYPES[argument.type].endswith("(*)"):
                value += "(1)"
            named.append(f"{argument.name}_ => {value}")
        if named:
            lines.append(wrapped(f"associate ({', '.join(named)})", 4))
            lines.append("    end associate")
        if prototype.body_arguments != prototype.arguments:
            lines.append("    call tell_absent(ierr)")
    return [*lines, f"  {closing(prototype)}", ""]


def absent(header: str, entries: list[Prototype]) -> str:
    """The text of bridge_absent.f90."""
    of = firsts(entries)
    lines = [
        "module bridge_stand_ins",
        "  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, &",
        "      c_funptr, c_int, c_int64_t, c_ptr",
        "  implicit none",
        "  private :: c_associated, c_char, c_double, c_f_pointer, c_funptr, c_int, c_int64_t, &",
        "      c_ptr",
        "",
        *status_codes(header),
        "",
        "  character(len=*), parameter, private :: message = &",
        f"      '{ABSENT_MESSAGE}'",
        "",
        "contains",
        "",
    ]
    for entry, first in of.items():
        if entry is first:
            lines += stand_in(entry)
    lines += [
        "  subroutine tell_absent(ierr)",
        "    type(c_ptr), intent(in) :: ierr",
        "    integer(c_int), pointer :: status",
        "    if (.not. c_associated(ierr)) return",
        "    call c_f_pointer(ierr, status)",
        "    status = bridge_absent",
        "  end subroutine tell_absent",
        "end module bridge_stand_ins",
        "",
        "! Entries with the same arguments have one stand-in.",
        "module bridge_interfaces",
        wrapped(f"use bridge_stand_ins, only: {', '.join(code_names(header))}", 2),
    ]
    for entry, first in of.items():
        names = c_name(first) if entry is first else f"{c_name(entry)} => {c_name(first)}"
        lines.append(wrapped(f"use bridge_stand_ins, only: {names}", 2))
    return ABSENT_HEAD + "\n".join([*lines, "end module bridge_interfaces", ""])


# ---- All texts ---------------------------------------------------------------------------------


def derived() -> dict[str, str]:
    """File name -> text, from bridge.h, internal.h and the hand-written part of bridge.f90."""
    header = (HERE / "bridge.h").read_text()
    internal = prototypes((HERE / "internal.h").read_text())
    entries = prototypes(header) + [entry for entry in internal if entry.name in INTERNAL]
    by_hand, mark, _ = (HERE / "bridge.f90").read_text().partition(MARK)
    if not mark:
        raise ValueError(f"bridge.f90 has no line {MARK!r}")
    return {
        "bridge_interfaces.f90": interfaces(header, entries),
        "bridge_absent.f90": absent(header, entries),
        "bridge.f90": f"{by_hand}{MARK}\n\n{module(header)}",
        "bridge_f77.inc": f77(header),
    }


if __name__ == "__main__":
    for file, text in derived().items():
        (HERE / file).write_text(text)
