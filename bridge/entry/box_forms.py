"""Procedures of module bridge that move boxes of a bound array: an update, a pack, an unpack.

Part of fortran_forms.py, which writes them into bridge.f90. Each takes one box, a list of boxes,
or none for the whole array.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from build_entry import Prototype  # type: ignore[import-not-found]  # noqa: E402

UPDATES = ("frame_update_device_", "frame_update_host_")
BOXED = (*UPDATES, "frame_pack_", "frame_unpack_")
RANKS = (1, 2)


def box_forms(
    entry: Prototype, c_name: str, types: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Names of an entry's procedures, and their text; types: of arrays, with their names in module
    bridge_layouts."""
    names, texts = [], []
    for type_ in ("",) if entry.name in UPDATES else types:
        for rank in RANKS:
            name = "_".join(filter(None, (c_name[2:], types.get(type_, ""), str(rank))))
            names.append(name)
            if type_:
                texts += pack_of_rank(entry, c_name, name, rank, type_, types[type_])
            else:
                texts += update_of_rank(entry, c_name, name, rank)
    return names, texts


def boxes_of(rank: int) -> list[str]:
    """The declaration of an argument box: one box that may be left out, or a list of them."""
    declared = ["integer, intent(in), optional :: box(:)", "integer, intent(in) :: box(:, :)"]
    return ["    character(len=*), intent(in) :: set, name", f"    {declared[rank - 1]}"]


def given_boxes(rank: int) -> str:
    """The boxes as rank 2, and whether they are there."""
    return "as_list(box), present(box)" if rank == 1 else "box, .true."


def update_of_rank(entry: Prototype, c_name: str, name: str, rank: int) -> list[str]:
    """One procedure of frame_update_device or frame_update_host."""
    public = entry.name.removesuffix("_")
    return [
        f"  subroutine {name}(set, name, box, ierr)",
        *boxes_of(rank),
        "    integer, intent(out), optional :: ierr",
        f"    call update_any({c_name}, '{public}', set, name, &",
        f"        {given_boxes(rank)}, ierr)",
        f"  end subroutine {name}",
        "",
    ]


def pack_of_rank(
    entry: Prototype, c_name: str, name: str, rank: int, type_: str, code: str
) -> list[str]:
    """One procedure of frame_pack or frame_unpack."""
    public = entry.name.removesuffix("_")
    intent = "inout" if public == "frame_pack" else "in"
    return [
        f"  subroutine {name}(set, name, box, buffer, ierr)",
        *boxes_of(rank),
        f"    {type_}, intent({intent}), target :: buffer(:)",
        "    integer, intent(out), optional :: ierr",
        f"    call pack_any({c_name}_typed, '{public}', set, name, &",
        f"        {given_boxes(rank)}, type_{code}, c_loc(buffer), &",
        "        size(buffer, kind=c_int64_t), is_contiguous(buffer), ierr)",
        f"  end subroutine {name}",
        "",
    ]
