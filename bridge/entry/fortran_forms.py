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

from box_forms import BOXED, box_forms  # type: ignore[import-not-found]  # noqa: E402
from build_entry import (  # type: ignore[import-not-found]  # noqa: E402
    COMPOSITE,
    STRIPE,
    Argument,
    Prototype,
    prototypes,
)
from f77_forms import f77  # type: ignore[import-not-found]  # noqa: E402

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
    "const char*": "character(kind=c_char), intent(in) :: {}(*)",
    "char*": "character(kind=c_char), intent(out) :: {}(*)",
    "int*": "type(c_ptr), value :: {}",
    "void (*)(void)": "type(c_funptr), value :: {}",
}


def c_name(prototype: Prototype) -> str:
    """Name of an entry within the module: frame_run_ is c_run."""
    return "c_" + re.sub("^(frame|bridge)_(castles_|tvproperties_)?|_$", "", prototype.name)


def wrapped(statement: str, indent: int) -> str:
    """A statement in free form, in lines of at most 99 columns."""
    for unbroken in ("bind(c, name", " => ", " ::"):  # kept on one line
        statement = statement.replace(unbroken, unbroken.replace(" ", "\0"))
    lines, rest = [], " " * indent + statement
    while len(rest) > 99:
        cut = rest.rindex(" ", indent + 4, 98)
        lines.append(rest[:cut] + " &")
        rest = " " * (indent + 4) + rest[cut + 1 :]
    return "\n".join([*lines, rest]).replace("\0", " ")


def declarations(arguments: tuple[Argument, ...]) -> list[str]:
    """One statement for neighbours of the same type."""
    found = []

    def form(argument: Argument) -> str:
        text = MODULE_TYPES[argument.type]
        return text.replace(" ::", ", optional ::") if argument.name == "kij" else text

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


def code_names(header: str) -> list[str]:
    return [code.lower() for code in re.findall(r"#define (BRIDGE_\w+) -?\d", header)]


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
            if argument.name == "kij":
                value = "present(kij)"
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


# ---- Module bridge ------------------------------------------------------------------------------

RANKS = range(1, 5)
BOUND_RANKS = range(1, 8)
# Of bound arrays: the type in Fortran, its name in module bridge_layouts.
TYPES = {"real(c_double)": "float64", "real(c_float)": "float32", "integer(c_int)": "int32"}
# What a procedure of any rank hands on: address, extents, no holes.
DATA = "c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data)"


def generic(name: str, procedures: list[str]) -> list[str]:
    return [
        f"  interface {name}",
        wrapped(f"module procedure {', '.join(procedures)}", 4),
        f"  end interface {name}",
    ]


def stripe_of_rank(entry: Prototype, name: str, box: str, rank: int) -> list[str]:
    """One procedure of frame_castles_populateinputstripe or ...outputstripe."""
    intent = "in" if name == "input" else "inout"
    shape = ", ".join(":" * rank)
    public = entry.name.removesuffix("_")
    call = f"call stripe({c_name(entry)}, '{public}', name, {DATA}, {box}, stripestart, stripeend"
    return [
        wrapped(f"subroutine {name}_{rank}(name, data, {box}, stripestart, stripeend, ierr)", 2),
        "    character(len=*), intent(in) :: name",
        f"    real(c_double), intent({intent}), target :: data({shape})",
        f"    integer, intent(in), optional :: {box}",
        "    integer, intent(in), optional :: stripestart, stripeend",
        "    integer, intent(out), optional :: ierr",
        wrapped(f"{call}, ierr)", 4),
        f"  end subroutine {name}_{rank}",
        "",
    ]


def bind_of_rank(box: str, rank: int, type_: str) -> list[str]:
    """One procedure of frame_bind."""
    shape = ", ".join(":" * rank)
    rest = f"{box}, component_first, scale, ierr)"
    name = f"bind_{TYPES[type_]}_{rank}"

    def element(moved: int) -> str:
        """One step from the first element along a dimension."""
        indices = ", ".join(f"{'ij'[d == moved]}({d})" for d in range(1, rank + 1))
        return f"c_loc(data({indices}))"

    return [
        wrapped(f"subroutine {name}(set, name, intent, data, {rest}", 2),
        "    character(len=*), intent(in) :: set, name, intent",
        f"    {type_}, pointer, intent(in) :: data({shape})",
        f"    integer, intent(in), optional :: {box}",
        "    logical, intent(in), optional :: component_first",
        "    real(c_double), intent(in), optional :: scale",
        "    integer, intent(out), optional :: ierr",
        f"    type(c_ptr) :: next({rank})",
        f"    integer(c_int64_t) :: i({rank}), j({rank})",
        "    next = c_loc(data)",
        "    if (has_holes(c_loc(data), shape(data, kind=c_int64_t), is_contiguous(data))) then",
        "      i = lbound(data, kind=c_int64_t)",
        "      j = min(i + 1, ubound(data, kind=c_int64_t))",
        *(f"      next({d}) = {element(d)}" for d in range(1, rank + 1)),
        "    end if",
        wrapped(
            f"call bind_any(set, name, intent, type_{TYPES[type_]}, c_loc(data), "
            f"shape(data, kind=c_int64_t), next, {rest}",
            4,
        ),
        f"  end subroutine {name}",
        "",
    ]


def bind_blocks_of_rank(rank: int, type_: str) -> list[str]:
    """One procedure of frame_bind_blocks."""
    name = f"bind_blocks_{TYPES[type_]}_{rank}"
    return [
        wrapped(
            f"subroutine {name}(set, name, intent, data, nb, bounds, offsets, scale, ierr)", 2
        ),
        "    character(len=*), intent(in) :: set, name, intent",
        f"    {type_}, pointer, intent(in) :: data({', '.join(':' * rank)})",
        "    integer, intent(in) :: nb, bounds(:, :)",
        "    integer(c_int64_t), intent(in) :: offsets(:)",
        "    real(c_double), intent(in), optional :: scale",
        "    integer, intent(out), optional :: ierr",
        wrapped(
            f"call bind_blocks_any(set, name, intent, type_{TYPES[type_]}, {DATA}, nb, bounds, "
            "offsets, scale, ierr)",
            4,
        ),
        f"  end subroutine {name}",
        "",
    ]


# Types of a value given to frame_constant -> the procedure that takes it, and how it is converted.
VALUES = {
    "real8": ("real(c_double)", "constant_real", "real({}, c_double)"),
    "real4": ("real(c_float)", "constant_real", "real({}, c_double)"),
    "integer4": ("integer(c_int32_t)", "constant_integer", "int({}, c_int64_t)"),
    "integer8": ("integer(c_int64_t)", "constant_integer", "int({}, c_int64_t)"),
    "logical": ("logical", "constant_logical", "merge(1_c_int, 0_c_int, {})"),
}


def constant_of(kind: str, rank: int) -> list[str]:
    """One procedure of frame_constant."""
    declared, call, value = VALUES[kind]
    converted = value.format("value") if rank else f"[{value.format('value')}]"
    return [
        f"  subroutine constant_{kind}_{rank}(name, value, ierr)",
        "    character(len=*), intent(in) :: name",
        f"    {declared}, intent(in) :: value{'(:)' if rank else ''}",
        "    integer, intent(out), optional :: ierr",
        f"    call {call}(name, {converted}, ierr)",
        f"  end subroutine constant_{kind}_{rank}",
        "",
    ]


def table_of_rank(rank: int) -> list[str]:
    """One procedure of frame_table."""
    return [
        f"  subroutine table_{rank}(name, array, ierr)",
        "    character(len=*), intent(in) :: name",
        f"    real(c_double), intent(in), target :: array({', '.join(':' * rank)})",
        "    integer, intent(out), optional :: ierr",
        wrapped(f"call table_any(name, {DATA.replace('data', 'array')}, ierr)", 4),
        f"  end subroutine table_{rank}",
        "",
    ]


def composite(entry: Prototype) -> list[str]:
    name = entry.name.removesuffix("_")
    return [
        f"  subroutine {name}(nactivepoints, ierr)",
        "    integer, intent(in) :: nactivepoints",
        "    integer, intent(out), optional :: ierr",
        f"    call {c_name(entry)}(narrow(nactivepoints))",
        "    call give(ierr, c_status())",
        f"  end subroutine {name}",
        "",
    ]


def module(header: str) -> str:
    """The text of bridge.f90 from its line MARK on."""
    contract = prototypes(header)
    # frame_initialize takes the communicator as a keyword, frame_bind an array of any type
    inside = {"frame_initialize_comm_", "frame_bind_typed_"}
    inside |= {"frame_run_box_", "frame_run_begin_box_"}
    inside |= {"frame_bind_blocks_typed_", "frame_reduce_blocks_"}
    inside |= {"frame_pack_typed_", "frame_unpack_typed_"}
    names = [e.name.removesuffix("_") for e in contract if e.name not in inside]
    # the bounds of the interior and of the components, as a stripe has them
    stripe = next(entry for entry in contract if STRIPE.match(entry.name))
    box = ", ".join(argument.name.lower() for argument in stripe.arguments[5:13])
    generics: list[str] = []
    bodies: list[str] = []
    for entry in contract:
        if match := STRIPE.match(entry.name):
            name = match[1] + "put"
            generics += generic(entry.name[:-1], [f"{name}_{rank}" for rank in RANKS])
            for rank in RANKS:
                bodies += stripe_of_rank(entry, name, box, rank)
        elif COMPOSITE.match(entry.name):
            bodies += composite(entry)
        elif entry.name == "frame_bind_":
            bound = [(rank, type_) for type_ in TYPES for rank in BOUND_RANKS]
            generics += generic("frame_bind", [f"bind_{TYPES[t]}_{rank}" for rank, t in bound])
            for rank, type_ in bound:
                bodies += bind_of_rank(box, rank, type_)
        elif entry.name == "frame_bind_blocks_":
            bound = [(rank, type_) for type_ in TYPES for rank in RANKS]
            name = "frame_bind_blocks"
            generics += generic(name, [f"bind_blocks_{TYPES[t]}_{rank}" for rank, t in bound])
            for rank, type_ in bound:
                bodies += bind_blocks_of_rank(rank, type_)
        elif entry.name in BOXED:
            procedures, texts = box_forms(entry, c_name(entry), TYPES)
            generics += generic(entry.name[:-1], procedures)
            bodies += texts
        elif entry.name == "frame_constant_":
            forms = [(kind, rank) for kind in VALUES for rank in (0, 1)]
            generics += generic("frame_constant", [f"constant_{k}_{rank}" for k, rank in forms])
            for kind, rank in forms:
                bodies += constant_of(kind, rank)
        elif entry.name == "frame_table_":
            generics += generic("frame_table", [f"table_{rank}" for rank in (1, 2, 3)])
            for rank in (1, 2, 3):
                bodies += table_of_rank(rank)
    lines = [
        MARK,
        "",
        "module bridge",
        "  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int32_t, &",
        "      c_int64_t, c_loc, c_ptr",
        "  use bridge_interfaces",
        "  use bridge_layouts",
        "  use bridge_procedures",
        "  implicit none",
        "  private",
        "",
        wrapped(f"public :: {', '.join(code_names(header))}", 2),
        *(f"  public :: {name}" for name in names),
        "",
        *generics,
        "",
        "contains",
        "",
        *bodies,
        "end module bridge",
        "",
    ]
    return "\n".join(lines)


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
        "bridge.f90": by_hand + module(header),
        "bridge_f77.inc": f77(header),
    }


if __name__ == "__main__":
    for file, text in derived().items():
        (HERE / file).write_text(text)
