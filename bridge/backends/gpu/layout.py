"""struct Shared on the device: the same members as kernels/shared.h, tables at fixed places.

Option flags and the species count are constants of the build, tables lie inside the struct
(constant memory, so that a formula reads them as operands) as long as they fit; larger ones,
pair tables of many species, stay behind pointers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bridge.backends.gpu import architecture
from bridge.kernels.sharedstruct import members

#: Bytes of constant memory that tables may take; the hardware has 64 KiB per module.
CONSTANT = 60 * 1024


@dataclass(frozen=True)
class SharedLayout:
    """Where each member lies.

    ns: species; constants: option flags and sizes that are built in; places: name -> (offset in
    bytes, doubles) of what lies inside; pointers: name -> offset of tables behind pointers;
    size: bytes of the struct.
    """

    ns: int
    constants: dict[str, int]
    places: dict[str, tuple[int, int]]
    pointers: dict[str, int]
    size: int
    order: tuple[tuple[str, str, int], ...] = field(repr=False, default=())

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> SharedLayout:
        """The layout for `bridge.physics.shared.SharedData.fields()`."""
        sizes = {
            member.name: int(np.size(fields[member.name]))
            for member in members()
            if member.kind == "pointer"
        }
        budget = CONSTANT - 8 * sum(max(member.length, 1) for member in members())
        inside: set[str] = set()
        for name in sorted(sizes, key=lambda name: sizes[name]):
            if 8 * sizes[name] <= budget:
                inside.add(name)
                budget -= 8 * sizes[name]
        constants, places, pointers = {}, {}, {}
        order = []
        offset = 0
        for member in members():
            kind, name, length = member.kind, member.name, member.length
            if kind == "int64_t":
                constants[name] = int(fields[name])
                continue
            if kind == "pointer" and name not in inside:
                pointers[name] = offset
                order.append(("pointer", name, 0))
                offset += 8
                continue
            length = sizes[name] if kind == "pointer" else length
            places[name] = (offset, max(length, 1))
            order.append(("double", name, length))
            offset += 8 * max(length, 1)
        if _has_tiles(constants):
            pointers["omega11Tiles"] = offset
            order.append(("pointer", "omega11Tiles", 0))
            offset += 8
        return cls(int(fields["ns"]), constants, places, pointers, offset, tuple(order))

    @property
    def has_tiles(self) -> bool:
        """Whether diffusion can take tensor cores where there are any."""
        return "omega11Tiles" in self.pointers

    def on_tensors(self, arch: str) -> bool:
        """Whether it does, on GPUs of an architecture."""
        return self.has_tiles and architecture.tensor_cores(arch)

    def declaration(self) -> str:
        """C++ text of the struct, with the macro that stands for kernels/shared.h."""
        lines = [f"#define BRIDGE_NS {self.ns}", "#define BRIDGE_SHARED_DECLARED"]
        lines.append("struct Shared {")
        lines += [
            f"    static constexpr long long {name} = {value};"
            for name, value in self.constants.items()
        ]
        for kind, name, length in self.order:
            if kind == "pointer":
                lines.append(f"    const double* {name};")
            else:
                lines.append(f"    double {name}[{length}];" if length else f"    double {name};")
        return "\n".join([*lines, "};"])

    def pack(self, fields: Mapping[str, Any], addresses: Mapping[str, int]) -> np.ndarray:
        """The struct's bytes; addresses: of the tables behind pointers, on the device."""
        words = np.zeros(self.size // 8, dtype=np.float64)
        for name, (offset, length) in self.places.items():
            values = np.asarray(fields[name], dtype=np.float64).ravel()
            words[offset // 8 : offset // 8 + length] = values
        for name, offset in self.pointers.items():
            words[offset // 8 : offset // 8 + 1].view(np.uint64)[0] = addresses[name]
        return words


# ---- matrices of tensor products ---------------------------------------------------------------


def _has_tiles(constants: Mapping[str, int]) -> bool:
    """Fitted collision integrals in sums over pairs that nothing else enters."""
    plain = not constants["diffModel"] and not constants["takaMode"]
    return bool(constants["omega11Fitted"]) and plain and constants["ns"] > 1


def omega11_tiles(fields: Mapping[str, Any]) -> np.ndarray:
    """The fit's coefficients as kernels/cuda/tensorDiffusion.h reads them: (terms, blocks of 8
    columns, blocks of 16 rows, 32 lanes, 4), zero on the diagonal and past the last species."""
    ns = int(fields["ns"])
    fit = np.asarray(fields["omega11Fit"], dtype=np.float64).reshape(ns * (ns + 1) // 2, -1)
    rows, columns = -(-ns // 16) * 16, -(-ns // 8) * 8
    square = np.zeros((fit.shape[1], rows, columns))
    i, j = np.triu_indices(ns)
    square[:, i, j] = square[:, j, i] = fit.T
    square[:, range(ns), range(ns)] = 0.0
    lane = np.arange(32)
    parts = square.reshape(-1, rows // 16, 16, columns // 8, 8).transpose(0, 3, 1, 2, 4)
    row, column = lane[:, None] // 4 + [0, 8, 0, 8], lane[:, None] % 4 + [0, 0, 4, 4]
    return np.ascontiguousarray(parts[..., row, column])
