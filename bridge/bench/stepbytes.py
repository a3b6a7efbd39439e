"""The bytes that a step of the flow solver cannot do without, where all of it is kernels on arrays
that stay on a device: each kernel's components once, however many neighbours it reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bridge.errors import BridgeError
from bridge.plan import packs
from bridge.plan.catalogue import Catalogue, shipped_file

#: Stages of a step of the scheme RK3.
STAGES = 3
#: Kernels of the pack that a stage runs, in three dimensions.
_OF_A_STAGE = (
    *("primitives", "update"),
    *(f"{name}{axis}" for name in ("gradient", "ad", "visc", "add") for axis in "xyz"),
)
_OF_A_STEP = ("keep", "step")
#: Of a reduction, which leaves one number of all cells.
_REDUCED = "flow_step_min"
#: What the solver binds of each composite of a stage: in, out.
_PROPERTIES = (
    ("rho_target", "e_target", "Y", "T0"),
    ("T", "P", "c", "cv", "p_rhoe", "p_rhoi", "status"),
    ("T", "P", "Y"),
    ("eta", "lambda", "D_im", "h_Yi"),
)


def bytes_of_a_cell(pack: Path, ns: int) -> float:
    """Of a cell and step, with the pack of make_pack.py for ns species in this folder."""
    catalogue = Catalogue.load([shipped_file(), pack / packs.CATALOGUE])

    def loops(names: Iterable[str]) -> int:
        return sum(_bytes(catalogue, pack, f"flow_{name}") for name in names)

    properties = sum(
        catalogue.columns(name, ns) * _size(catalogue, name)
        for names in _PROPERTIES
        for name in names
    )
    return STAGES * (loops(_OF_A_STAGE) + properties) + loops(_OF_A_STEP)


def _size(catalogue: Catalogue, quantity: str) -> int:
    """Bytes of a component."""
    return np.dtype(catalogue.quantity(quantity).dtype).itemsize


def _bytes(catalogue: Catalogue, pack: Path, name: str) -> int:
    """That a kernel of the pack reads and writes of a cell. It writes all of what it writes; what
    it reads alone is seen in its text."""
    kernel = catalogue.kernel(name)
    text = (pack / kernel.header).read_text()
    found = 0
    for one in kernel.inputs:
        if one in catalogue.constants:
            continue
        columns = catalogue.columns(one, 1)
        if one not in kernel.outputs and columns > 1:
            columns = len(read(text, one))
        found += columns * _size(catalogue, one)
    return found + sum(
        catalogue.columns(one, 1) * _size(catalogue, one)
        for one in kernel.outputs
        if one != _REDUCED
    )


def read(text: str, quantity: str) -> set[int]:
    """Components of a quantity that the text of a ported kernel reads, of all neighbours."""
    text = " ".join(text.split())  # a long expression has several lines
    name = quantity.removeprefix("flow_")
    loop = r"for \(int (\w+) = (\d+); \w+ <= (\d+); \+\+\w+\)"
    access = rf"\b{re.escape(name)}(?:_[ijk][mp]\d+)*\[([^\]]+)\]"
    loops: dict[str, range] = {}
    found: set[int] = set()
    for match in re.finditer(f"{loop}|{access}", text):
        variable, first, last, index = match.groups()
        if variable:
            loops[variable] = range(int(first), int(last) + 1)
            continue
        parts = re.fullmatch(r"(\w+)(?: ([+-]) (\d+))?", index)
        if parts is None or (not parts[1].isdigit() and parts[1] not in loops):
            raise BridgeError(f"a component of {quantity} that is not understood: {index}")
        shift = int((parts[2] or "+") + (parts[3] or "0"))
        over = [int(parts[1])] if parts[1].isdigit() else loops[parts[1]]
        found |= {value + shift for value in over}
    if not found:
        raise BridgeError(f"no component of {quantity} is read by a kernel that takes it")
    return found
