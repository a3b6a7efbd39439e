"""From a plan to CUDA C++ on many blocks: one launch over the points of all of them.

Beside `boxsource`, which has one box: strides and offsets come from a table, by the block that a
thread works in, and not from the arguments.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridge.backends.gpu import boxgrid
from bridge.backends.gpu.boxsource import BoxWriter, Form
from bridge.backends.gpu.placement import Placement
from bridge.backends.gpu.policy import Walk


@dataclass(frozen=True)
class BlockForm(Form):
    """A `Form` whose strides are of each block.

    shifted: arrays that begin some columns behind their shape; apart: those that are written at
    another address than they are read, with the same shape.
    """

    shifted: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()


class BlockWriter(BoxWriter):
    """Lines of a kernel on many blocks."""

    header = "cuda/blocks.h"
    _form: BlockForm

    def __init__(self, placement: Placement, form: Form, walk: Walk) -> None:
        assert isinstance(form, BlockForm)
        super().__init__(placement, form, walk)

    # ---- the arguments ------------------------------------------------------------------------

    def fields(self) -> list[tuple[str, str, str]]:
        """What struct Arguments holds behind `Many`, see BoxEntry."""
        found = []
        for name in self.arrays():
            if name in self._form.shifted:
                found.append(("i", "column", name))
            if self.placement.access(name).scaled:
                found.append(("d", "scale", name))
        return [*found, *(("P", "address", table) for table in self._plan.tables)]

    def members(self) -> list[str]:
        """struct Arguments."""
        kinds = {"column": "int {}_column;", "scale": "double {}_scale;",
                 "address": "const TableData* {};"}  # fmt: skip
        return [
            "boxes::Many many;",
            *(kinds[what].format(name) for _, what, name in self.fields()),
        ]

    def targets(self) -> list[str]:
        return [name for name in self.arrays() if name in self._form.apart]

    def pointers(self) -> list[str]:
        """Arguments behind the struct, those that are written apart behind the others."""
        lines = []
        for name in self.arrays():
            written = name in self._plan.outputs and name not in self._form.apart
            alone = "" if self.placement.access(name).shared else " __restrict__"
            const = "" if written else "const "
            lines.append(f"{const}{self._element(name)}*{alone} {self.start(name)}")
        return [
            *lines,
            *(f"{self._element(name)}* __restrict__ to_{name}" for name in self.targets()),
        ]

    # ---- where a point lies -------------------------------------------------------------------

    def along(self, name: str) -> str:
        shape = self._form.shapes[name]
        if name not in self._form.shifted:
            return f"along_{shape}"
        return f"(along_{shape} + arguments.{name}_column * column_{shape})"

    def number(self, name: str) -> str:
        return self.along(name)

    def stride(self, name: str) -> str:
        return "0" if self.placement.access(name).constant else f"column_{self._form.shapes[name]}"

    def target(self, name: str) -> str:
        return f"to_{name} + {self.along(name)}" if name in self._form.apart else self.place(name)

    def steps(self, number: int) -> list[str]:
        return [
            f"step_{axis}_{number}" if step is None else str(step)
            for axis, step in zip("xyz", self._form.known[number], strict=True)
        ]

    # ---- lines --------------------------------------------------------------------------------

    def on_box(self) -> list[str]:
        """All of the kernel."""
        many, threads = "arguments.many", self.placement.policy.threads
        if self.over == boxgrid.POINTS:
            number = f"blockIdx.x * {threads} + threadIdx.x"
            lines = [f"const int thread = {number};", f"if (thread >= {many}.points) return;"]
            if self.placement.together:  # none may leave: those past the end do the last again
                last = f"own < {many}.points ? own : {many}.points - 1"
                lines = [f"const int own = {number};", f"const int thread = {last};"]
            lines += [
                f"const int block = boxes::blockOf(thread, blockIdx.x, {many});",
                f"const boxes::Cell cell = boxes::cellOf(thread, {many}.blocks[block]);",
            ]
            return [*lines, *self._lies("const "), *self.body()]
        shapes = range(len(self._form.known))
        turn = ", ".join(["++k", *(f"along_{n} += {self.steps(n)[2]}" for n in shapes)])
        return [
            f"const boxes::Tile tile = {many}.tiles[blockIdx.x];",
            "const int block = tile.block;",
            f"const int* const extent = {many}.blocks[block].extent;",
            f"const boxes::Cell cell = boxes::cellOf(tile, threadIdx.x, {many});",
            "if (cell.i >= extent[0] || cell.j >= extent[1]) return;",
            f"const int behind = cell.k + {many}.planes;",
            "const int end = behind < extent[2] ? behind : extent[2];",
            *self._lies(""),
            f"#pragma unroll {self._walk.unroll}",
            f"for (int k = cell.k; k < end; {turn}) {{",
            *(f"    {line}" for line in self.body()),
            "}",
        ]

    def _lies(self, const: str) -> list[str]:
        """How each shape lies in the block, and its element of the cell."""
        index = "long long" if self._form.wide else "int"
        known = self._form.known
        lines = [f"const boxes::Lie* const lies = arguments.many.lies + block * {len(known)};"]
        for n, steps in enumerate(known):
            for axis, step in zip("xyz", steps, strict=True):
                if step is None:
                    value = f"static_cast<{index}>(lies[{n}].{axis})"
                    lines.append(f"const {index} step_{axis}_{n} = {value};")
            far = f"boxes::distance(cell, {', '.join(self.steps(n))})"
            lines += [
                f"{const}long long along_{n} = lies[{n}].offset + {far};",
                f"[[maybe_unused]] const long long column_{n} = lies[{n}].column;",
            ]
        return lines
