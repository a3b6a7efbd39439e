"""From a plan to CUDA C++ on a box: one launch that reads and writes arrays where they lie.

Beside `source`, whose launches read flat memory. A point's numbers i, j, k and an array's strides
give its place; kernels that read neighbours get arguments of cuda/neighbours.h for that.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from bridge.backends.gpu import architecture, boxgrid
from bridge.backends.gpu.layout import SharedLayout
from bridge.backends.gpu.placement import Access, Placement
from bridge.backends.gpu.policy import Policy, Walk
from bridge.backends.gpu.source import divisors, fitting, foreign_headers, includes, singles
from bridge.backends.gpu.writer import Writer, numbered
from bridge.errors import ArgumentError
from bridge.plan.catalogue import Catalogue
from bridge.plan.inputs import POSITIONS
from bridge.plan.plan import Plan, Step

_MODULE = """\
// Written from the catalogue for {ns} species: {name}, on a box.
#define BRIDGE_ROWS {rows}{divisors}{singles}
{shared}
#include "point.h"
#include "{header}"
{includes}

namespace BRIDGE_NAMESPACE {{

using Real = Numbers<1>;

extern "C" {{ __constant__ Shared sharedData; }}

struct Arguments_{name} {{
{members}
}};

extern "C" __global__ void __launch_bounds__({threads}, {blocks})
box_{name}(const Arguments_{name} arguments{pointers}) {{
    [[maybe_unused]] const Shared& shared = sharedData;
{body}
}}
}}  // namespace BRIDGE_NAMESPACE
"""

#: Elements of memory in cuda/neighbours.h.
_KINDS = {"float64": "boxes::kindDouble", "float32": "boxes::kindFloat", "int32": "boxes::kindInt"}

#: Strides along x, y, z.
Strides = tuple[int, int, int]


@dataclass(frozen=True)
class Form:
    """What the text of a launch says of its arrays.

    access: to their memory, by quantity; shapes: quantity -> number of its strides, which arrays
    share whose points lie alike (none where every point reads the same place); known: of each
    shape, the strides that the text has (0 and 1), None for arguments; wide: whether a stride
    needs 64 bits.
    """

    access: Mapping[str, Access]
    shapes: Mapping[str, int]
    known: tuple[tuple[int | None, int | None, int | None], ...]
    wide: bool = False

    @classmethod
    def of(cls, access: Mapping[str, Access], strides: Mapping[str, Strides]) -> Form:
        """strides: of the arrays that have some for each point."""
        numbers = shapes_of(strides)
        known = [[step if step in (0, 1) else None for step in shape] for shape in numbers]
        wide = any(abs(step) >= 1 << 31 for shape in numbers for step in shape)
        shapes = {name: numbers[shape] for name, shape in strides.items()}
        return cls(access, shapes, tuple((x, y, z) for x, y, z in known), wide)


def shapes_of(strides: Mapping[str, Strides]) -> dict[Strides, int]:
    """Every shape once, with its number."""
    return {shape: number for number, shape in enumerate(dict.fromkeys(strides.values()))}


class Words(Protocol):
    """What a struct of arguments begins with: how points are spread over threads."""

    @property
    def format(self) -> str: ...
    @property
    def words(self) -> list[int]: ...


@dataclass(frozen=True)
class BoxEntry:
    """The launch of a module.

    name: of the kernel; fields: members of its struct behind the grid, as (format of `struct`,
    what it is, whose); arrays: whose addresses are the arguments behind the struct; threads: of a
    block; tile: bytes of shared memory of a block; over: how points are taken (`boxgrid.grids`);
    targets: arrays that are written at another address, which are the last arguments.
    """

    name: str
    fields: tuple[tuple[str, str, str], ...]
    arrays: tuple[str, ...]
    threads: int
    tile: int
    over: str
    targets: tuple[str, ...] = ()

    def pack(self, grid: Words, values: Mapping[tuple[str, str], float]) -> bytes:
        """The struct of arguments; values: by what they are and whose."""
        form = "".join(kind for kind, _, _ in self.fields)
        members = [values[what, whose] for _, what, whose in self.fields]
        return struct.pack(f"@{grid.format}{form}0q", *grid.words, *members)


@dataclass(frozen=True)
class BoxSource:
    """CUDA C++ of one launch; headers: those outside the package, which belong to the text."""

    text: str
    entry: BoxEntry
    headers: tuple[Path, ...] = ()


def policy_of(plan: Plan, catalogue: Catalogue, chosen: Policy, walk: Walk) -> Policy:
    """The policy of a launch on a box, which has one point for each thread; chosen: that of the
    plan on views."""
    placed = [catalogue.kernel(name) for name in plan.kernels()]
    policy = replace(chosen, points=1)
    if plan.around:
        return replace(policy, threads=walk.threads, blocks=walk.blocks, tensor=False)
    if all(kernel.cost == "1" for kernel in placed):
        return replace(policy, threads=256, blocks=1)
    return policy


def generate_box(
    plan: Plan,
    catalogue: Catalogue,
    layout: SharedLayout,
    form: Form,
    policy: Policy,
    walk: Walk,
    arch: str = "sm_90",
    kind: type[BoxWriter] | None = None,
) -> BoxSource:
    """The launch of a plan on a box; policy: from `policy_of`; kind: of the writer, that of one
    box without an order if None."""
    shared = any(one.shared for one in form.access.values())
    if shared or not layout.on_tensors(arch):  # on tensor cores a point may be done twice
        policy = replace(policy, tensor=False)
    limit = architecture.shared_memory(arch)
    placement = fitting(plan, catalogue, layout, form.access, policy, limit)
    writer = (kind or BoxWriter)(placement, form, walk)
    policy = writer.placement.policy
    kernels = dict.fromkeys(plan.kernels())
    text = _MODULE.format(
        ns=layout.ns,
        name=plan.name,
        rows=policy.rows,
        divisors=divisors(kernels, catalogue),
        singles=singles(plan),
        shared=layout.declaration(),
        header=writer.header,
        includes="\n".join(includes(kernels, catalogue, layout, policy)),
        pointers="".join(f", {pointer}" for pointer in writer.pointers()),
        members="\n".join(f"    {line}" for line in writer.members()),
        threads=policy.threads,
        blocks=policy.blocks,
        body="\n".join(f"    {line}" for line in writer.on_box()),
    )
    entry = BoxEntry(
        f"box_{plan.name}", tuple(writer.fields()), tuple(writer.arrays()), policy.threads,
        writer.placement.tile, writer.over, tuple(writer.targets()),
    )  # fmt: skip
    return BoxSource(numbered(text), entry, foreign_headers(kernels, catalogue))


class BoxWriter(Writer):
    """Lines of a kernel on a box.

    over: how it takes the points, in tiles where it reads neighbours.
    """

    step = "0"
    plain = True
    header = "cuda/neighbours.h"

    def __init__(self, placement: Placement, form: Form, walk: Walk) -> None:
        super().__init__(placement)
        self._form = form
        self._walk = walk
        self.over = boxgrid.TILES if self._plan.around else boxgrid.POINTS
        self.leave = "continue" if self._plan.around else "return"
        self._check_neighbours()

    def _check_neighbours(self) -> None:
        """Neighbours are read where arrays lie."""
        for index in self._plan.around:
            name = self.placement.given.get(index)
            position = name is not None and self.placement.access(name).position
            if name is None or position:
                slot = self._plan.slots[index].name
                got = f"'{slot}', which {self._plan.name} {'' if position else 'makes and '}reads "
                wanted = "neighbours of an input that lies in memory"
                if position:
                    wanted += ": positions of neighbours follow from the point's own"
                raise ArgumentError("plan", f"{got}at neighbours", wanted)

    # ---- the arguments ------------------------------------------------------------------------

    def fields(self) -> list[tuple[str, str, str]]:
        """What struct Arguments holds behind the grid, see BoxEntry."""
        index = "q" if self._form.wide else "i"
        found = [
            (index, f"shape {axis}", str(number))
            for number, known in enumerate(self._form.known)
            for axis, step in zip("xyz", known, strict=True)
            if step is None
        ]
        for name in self.bound:
            if self.placement.access(name).position:
                found.append(("i", "first", name))
                continue
            if self.placement.columns(name) > 1:
                found.append(("q", "stride", name))
            if self.placement.access(name).scaled:
                found.append(("d", "scale", name))
            if self._of_cells(name):
                found += [
                    ("i", f"{end} {axis}", name) for end in ("low", "high") for axis in "xyz"
                ]
        return [*found, *(("P", "address", table) for table in self._plan.tables)]

    def _of_cells(self, name: str) -> bool:
        """Whether a quantity is read at any cell."""
        slot = self._plan.inputs.get(name)
        return slot in self._plan.around and bool(self._plan.around[slot].cells)

    def arrays(self) -> list[str]:
        """Quantities that lie in memory."""
        return [name for name in self.bound if not self.placement.access(name).position]

    def pointers(self) -> list[str]:
        """Arguments behind the struct. Compilers see there what is written by no other name, join
        loads of it and take them through the cache of what is read only."""
        lines = []
        for name in self.arrays():
            const = "" if name in self._plan.outputs else "const "
            alone = "" if self.placement.access(name).shared else " __restrict__"
            lines.append(f"{const}{self._element(name)}*{alone} {self.start(name)}")
        return lines

    def targets(self) -> list[str]:
        """Quantities that are written elsewhere than they are read."""
        return []

    def start(self, name: str) -> str:
        return f"at_{name}"

    def members(self) -> list[str]:
        """struct Arguments."""
        lines = ["boxes::Grid grid;"]
        for kind, what, name in self.fields():
            if what.startswith("shape"):
                lines.append(
                    f"{'long long' if kind == 'q' else 'int'} {self._stride(what, name)};"
                )
            elif what == "first":
                lines.append(f"int {name};")
            elif what[:-1] in ("low ", "high "):
                lines.append(f"int {name}_{what.replace(' ', '_')};")
            elif what == "address":
                lines.append(f"const TableData* {name};")
            else:
                lines.append(f"{'long long' if what == 'stride' else 'double'} {name}_{what};")
        return lines

    @staticmethod
    def _stride(what: str, number: str) -> str:
        return f"shape_{number}_{what[-1]}"

    def steps(self, number: int) -> list[str]:
        """The strides of a shape along x, y, z."""
        return [
            f"arguments.{self._stride(axis, str(number))}" if step is None else str(step)
            for axis, step in zip("xyz", self._form.known[number], strict=True)
        ]

    # ---- lines --------------------------------------------------------------------------------

    @property
    def shapes(self) -> range:
        """Numbers of the shapes of arrays."""
        return range(len(self._form.known))

    def distances(self) -> list[str]:
        """How far `cell` is from the first point, in elements, for each shape."""
        return [
            f"long long along_{n} = boxes::distance(cell, {', '.join(self.steps(n))});"
            for n in self.shapes
        ]

    def on_box(self) -> list[str]:
        """All of the kernel."""
        grid, threads = "arguments.grid", self.placement.policy.threads
        along = self.distances()
        if self.over == boxgrid.POINTS:
            number = f"blockIdx.x * {threads} + threadIdx.x"
            lines = [f"const int thread = {number};", f"if (thread >= {grid}.points) return;"]
            if self.placement.together:  # none may leave: those past the end do the last again
                last = f"own < {grid}.points ? own : {grid}.points - 1"
                lines = [f"const int own = {number};", f"const int thread = {last};"]
            lines.append(f"const boxes::Cell cell = boxes::cellOf(thread, {grid});")
            return [*lines, *(f"const {line}" for line in along), *self.body()]
        turn = ", ".join(["++k", *(f"along_{n} += {self.steps(n)[2]}" for n in self.shapes)])
        return [
            f"const boxes::Cell cell = boxes::tileOf(blockIdx.x, threadIdx.x, {grid});",
            f"if (cell.i >= {grid}.extent[0] || cell.j >= {grid}.extent[1]) return;",
            f"const int behind = cell.k + {grid}.planes;",
            f"const int end = behind < {grid}.extent[2] ? behind : {grid}.extent[2];",
            *along,
            f"#pragma unroll {self._walk.unroll}",
            f"for (int k = cell.k; k < end; {turn}) {{",
            *(f"    {line}" for line in self.body()),
            "}",
        ]

    def body(self) -> list[str]:
        lines = super().body()
        return [*(self._around(index) for index in self._plan.around), *lines]

    def along(self, name: str) -> str:
        """Elements from an array's start to column 0 of the thread's point."""
        return f"along_{self._form.shapes[name]}"

    def number(self, name: str) -> str:
        """The thread's position along an axis."""
        return f"arguments.{name} + {self.along(name)}"

    def place(self, name: str) -> str:
        return f"{self.start(name)} + {self.along(name)}"

    def _load(self, index: int, name: str) -> list[str]:
        if not self.placement.access(name).position:
            return super()._load(index, name)
        value = f"static_cast<int>({self.number(name)})"
        return [f"const Bits<Real> {self._variable(index)} = {value};"]

    def _around(self, index: int) -> str:
        """A quantity with its neighbours."""
        name, slot = self.placement.given[index], self._plan.slots[index]
        access, number = self.placement.access(name), self._form.shapes.get(name)
        steps = ["0", "0", "0"] if number is None else self.steps(number)
        cells = self._of_cells(name)
        kind = ("Integer" if slot.dtype == "int32" else "") + ("Cells" if cells else "Neighbours")
        if self.placement.kind(index) == "1":
            kind = f"Scalar{kind}"
        members = [
            self.start(name),
            "0" if number is None or cells else self.along(name),
            *steps,
            self.stride(name) if slot.columns > 1 else "0",
            _KINDS[access.dtype],
            "true" if access.scaled else "false",
            f"arguments.{name}_scale" if access.scaled else "1.0",
        ]
        values = "{" + ", ".join(members) + "}"
        if cells:
            ends = [
                [f"arguments.{name}_{end}_{axis}" for axis in "xyz"] for end in ("low", "high")
            ]
            for words in ([f"arguments.{position}" for position in POSITIONS], *ends):
                values += ", {" + ", ".join(words) + "}"
            values = "{" + values + "}"
        return f"const {kind} {self._variable(index)}_around = {{{values}}};"

    def argument(self, step: Step, place: int) -> str:
        named = super().argument(step, place)
        return (
            f"{named}_around" if place < step.inputs and step.slots[place] in step.reads else named
        )
