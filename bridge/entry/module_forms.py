"""Module bridge: its generic interfaces, and the procedures that follow a pattern.

Part of fortran_forms.py, which writes them into bridge.f90: one procedure for each rank and type
of an array, one for each composite.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from box_forms import BOXED, box_forms  # type: ignore[import-not-found]  # noqa: E402
from build_entry import (  # type: ignore[import-not-found]  # noqa: E402
    COMPOSITE,
    STRIPE,
    Prototype,
    prototypes,
)
from fortran_text import c_name, code_names, wrapped  # type: ignore[import-not-found]  # noqa: E402

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
    """The text of module bridge."""
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
