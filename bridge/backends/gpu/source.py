"""From a plan to CUDA C++: one launch that runs every step on the grid points of a thread.

Between the catalogue and the compiler. The kernels' own headers are included as they are; what
is written here goes round them: struct Shared with its tables at fixed places, loads of the
inputs, a variable for every slot, the calls in the plan's order, stores of the wanted outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bridge.backends.gpu import architecture
from bridge.backends.gpu.layout import SharedLayout
from bridge.backends.gpu.placement import Access, Placement
from bridge.backends.gpu.policy import Policy, choose
from bridge.kernels import file
from bridge.kernels.cpu.generate_launchers import line_of
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Loop, Plan, Step

_MODULE = """\
// Written from the catalogue for {ns} species: {names}.
#define BRIDGE_ROWS {rows}
{shared}
#include "point.h"
#include "cuda/columns.h"
{includes}

namespace BRIDGE_NAMESPACE {{

using Real = Number<{points}>;

extern "C" {{ __constant__ Shared sharedData; }}

{kernels}
}}  // namespace BRIDGE_NAMESPACE
"""

_KERNEL = """\
struct Arguments_{name} {{
{members}
}};

extern "C" __global__ void __launch_bounds__({threads}, {blocks})
bridge_{name}(const Arguments_{name} arguments, const long long first, const int n) {{
{thread}
    const long long point = first + thread;
    [[maybe_unused]] const int step = {step};
    [[maybe_unused]] const Shared& shared = sharedData;
{body}
}}
"""

#: Elements of memory in C++.
_KINDS = {"float64": "double", "float32": "float", "int32": "int"}

#: What compilers call the text.
NAME = "bridge.cu"

# Behind a line that a compiler is told to take for one of a user's header: back to the text.
_BACK = f'#line 0 "{NAME}"'

#: Fewest threads of a block: they go together.
WARP = 32

# Loops over species in the headers that follow: unrolled, so that arrays of their length live in
# registers. The word is taken back before headers whose loops stay.
_UNROLL = '#define for _Pragma("unroll") for'
_KEEP = "#undef for"
_ROLL = '#define for _Pragma("unroll 4") for'


@dataclass(frozen=True)
class Entry:
    """One launch of a module.

    name: of the kernel; arguments: bound quantities in the order of its struct; columns: of each
    (a stride follows the address where more than one); scaled: those with a factor behind them;
    threads: of a block; points: of a block; tile: bytes of shared memory of a block; private:
    bytes of a thread's memory beside its registers; tables: whose descriptions' addresses end the
    struct.
    """

    name: str
    arguments: tuple[str, ...]
    columns: dict[str, int]
    scaled: frozenset[str]
    threads: int
    points: int
    tile: int
    private: int
    tables: tuple[str, ...] = ()

    def pack(
        self, addresses: Mapping[str, int], strides: Mapping[str, int], scales: Mapping[str, float]
    ) -> bytes:
        """The struct of arguments as the kernel takes it."""
        words = b""
        for name in self.arguments:
            words += np.uint64(addresses[name]).tobytes()
            if self.columns[name] > 1:
                words += np.int64(strides[name]).tobytes()
            if name in self.scaled:
                words += np.float64(scales[name]).tobytes()
        return words + b"".join(np.uint64(addresses[name]).tobytes() for name in self.tables)


@dataclass(frozen=True)
class Source:
    """CUDA C++ of some launches.

    text: what is compiled; entries: by the plans' names; headers: those outside the package
    (kernel packs), whose contents belong to the text.
    """

    text: str
    entries: dict[str, Entry] = field(default_factory=dict)
    headers: tuple[Path, ...] = ()


def generate(
    plans: Sequence[Plan],
    catalogue: Catalogue,
    layout: SharedLayout,
    access: Mapping[str, Access] | None = None,
    policy: Policy | None = None,
    arch: str = "sm_90",
) -> Source:
    """The launches of plans, all with one policy (that of the first if None) as far as the
    architecture has shared memory for it; access: to their quantities' memory (as declared
    if None)."""
    tensor = layout.on_tensors(arch)
    policy = policy or choose(plans[0], layout.ns, tensor)
    if not tensor:
        policy = replace(policy, tensor=False)
    limit = architecture.shared_memory(arch)
    writers = [
        _Writer(_fitting(plan, catalogue, layout, access or {}, policy, limit)) for plan in plans
    ]
    kernels = dict.fromkeys(name for plan in plans for name in plan.kernels())
    text = _MODULE.format(
        ns=layout.ns,
        points=policy.points,
        rows=policy.rows,
        names=", ".join(plan.name for plan in plans),
        shared=layout.declaration(),
        includes="\n".join(_includes(kernels, catalogue, layout, policy)),
        kernels="\n".join(
            _KERNEL.format(
                name=plan.name,
                threads=writer.placement.policy.threads,
                blocks=writer.placement.policy.blocks,
                thread=_thread(writer),
                step=_step(writer.placement.policy),
                members="\n".join(f"    {line}" for line in writer.members()),
                body="\n".join(f"    {line}" for line in writer.body()),
            )
            for plan, writer in zip(plans, writers, strict=True)
        ),
    )
    entries = {
        plan.name: Entry(
            f"bridge_{plan.name}",
            tuple(writer.bound),
            {name: writer.placement.columns(name) for name in writer.bound},
            frozenset(name for name in writer.bound if writer.placement.access(name).scaled),
            writer.placement.policy.threads,
            writer.placement.policy.threads * policy.points,
            writer.placement.tile,
            writer.placement.private_bytes * policy.points,
            plan.tables,
        )
        for plan, writer in zip(plans, writers, strict=True)
    }
    return Source(_numbered(text), entries, _foreign_headers(kernels, catalogue))


def _numbered(text: str) -> str:
    """The text with the number of the next line in every directive that leads back to it."""
    if _BACK not in text:
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.strip() == _BACK:
            lines[number - 1] = _BACK.replace("0", str(number + 1), 1)
    return "\n".join(lines)


def _foreign(header: Path) -> bool:
    return not header.resolve().is_relative_to(file("point.h").parent.resolve())


def _fitting(
    plan: Plan, catalogue: Catalogue, layout: SharedLayout, access: Mapping[str, Access],
    policy: Policy, limit: int,
) -> Placement:  # fmt: skip
    """Places of which a block takes at most `limit` bytes of shared memory: with fewer threads,
    at last without any."""
    placement = Placement(plan, catalogue, layout, access, policy)
    while placement.tile > limit and placement.policy.threads > WARP:
        fewer = replace(placement.policy, threads=max(placement.policy.threads // 2, WARP))
        placement = Placement(plan, catalogue, layout, access, fewer)
    if placement.tile > limit:
        none = replace(policy, tile_pairs=False, tile_all=False, tensor=False)
        placement = Placement(plan, catalogue, layout, access, none)
    return placement


def _thread(writer: _Writer) -> str:
    """Lines that number the thread. Where all threads of a block work together none may leave:
    those past the end do the last point again."""
    policy = writer.placement.policy
    number = f"blockIdx.x * {policy.threads * policy.points} + threadIdx.x"
    if writer.placement.together:
        return f"    const int own_thread = {number};\n" + (
            "    const int thread = own_thread < n ? own_thread : n - 1;"
        )
    return f"    const int thread = {number};\n    if (thread >= n) return;"


def _step(policy: Policy) -> str:
    """From a thread's first point to its second; none past the end."""
    if policy.points == 1:
        return "0"
    return f"thread + {policy.threads} < n ? {policy.threads} : 0"


def _foreign_headers(kernels: Iterable[str], catalogue: Catalogue) -> tuple[Path, ...]:
    """Every header beside those of kernels that are not the package's: they may include it."""
    shipped = file("point.h").parent
    folders = {catalogue.kernel(name).file.parent for name in kernels}
    return tuple(
        header
        for folder in sorted(folders)
        if folder.resolve() != shipped.resolve()
        for header in sorted(folder.rglob("*.h"))
    )


def _includes(
    kernels: Iterable[str], catalogue: Catalogue, layout: SharedLayout, policy: Policy
) -> list[str]:
    """The headers. Those of kernels over pairs come first, before loops are unrolled; then those
    without loops over species, whose short arrays have to become registers."""
    shipped = file("point.h").parent
    kept: list[str] = []
    scalar: list[str] = []
    others: list[str] = []
    for name in kernels:
        kernel = catalogue.kernel(name)
        inside = kernel.header.is_relative_to(shipped)
        header = kernel.header.relative_to(shipped) if inside else kernel.header
        over_pairs = policy.over_pairs(kernel, bool(layout.constants["anyKij"]))
        group = kept if over_pairs else scalar if kernel.cost == "1" else others
        group.append(f'#include "{header}"')
    if policy.tensor:
        kept.append('#include "cuda/tensorDiffusion.h"')
    if policy.unroll:
        return [*kept, _UNROLL, *scalar, *others, _KEEP]
    return [*kept, _UNROLL, *scalar, _KEEP, _ROLL, *others, _KEEP]


class _Writer:
    """Lines of one kernel."""

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self._plan = placement.plan
        self.bound = list(dict.fromkeys((*self._plan.inputs, *self._plan.outputs)))

    # ---- the caller's memory ------------------------------------------------------------

    def members(self) -> list[str]:
        """struct Arguments: address, stride of the columns, factor."""
        lines = []
        for name in self.bound:
            const = "" if name in self._plan.outputs else "const "
            lines.append(f"{const}{self._element(name)}* {name};")
            if self.placement.columns(name) > 1:
                lines.append(f"long long {name}_stride;")
            if self.placement.access(name).scaled:
                lines.append(f"double {name}_scale;")
        return [*lines, *(f"const TableData* {name};" for name in self._plan.tables)]

    def _element(self, name: str) -> str:
        """What the caller's memory of a quantity holds."""
        return _KINDS[self.placement.access(name).dtype]

    # ---- lines ------------------------------------------------------------------------------

    def body(self) -> list[str]:
        lines = ["extern __shared__ double tile[];"] if self.placement.tiled else []
        if self.placement.private_bytes:
            lines.append(f"Real own[{self.placement.private_bytes // 8}];")
        mask = self._plan.mask
        if mask is not None:  # first of all: most often a point that is masked has neighbours
            lines += self._declare(mask)
            if not self.placement.together:
                lines.append(f"if (!any({self._variable(mask)} != Bits<Real>(0))) return;")
        for index in range(len(self._plan.slots)):
            if index != mask:
                lines += self._declare(index)
        for index, name in self.placement.wanted.items():
            if self._plan.slots[index].zero:  # a status word that no kernel writes
                lines += self._store(index, name)
        for item in self._plan.steps:
            if isinstance(item, Loop):
                lines.append(f"for (int turn = 0; turn < {item.limit}; ++turn) {{")
                lines.append(f"    if (all({self._variable(item.done)} != Bits<Real>(0))) break;")
                for step in item.steps:
                    lines += [f"    {line}" for line in self._call(step)]
                lines.append("}")
                made = {index for step in item.steps for index in self.placement.outputs(step)}
                lines += self._stores(made, before=item)
            else:
                lines += self._call(item)
                lines += self._stores(set(self.placement.outputs(item)), before=item)
        return lines

    def _variable(self, index: int) -> str:
        return f"{self._plan.slots[index].name}_{index}"

    def _declare(self, index: int) -> list[str]:
        slot, variable = self._plan.slots[index], self._variable(index)
        kind = "Bits<Real>" if slot.dtype == "int32" else "Real"
        points = self.placement.policy.points
        if index in self.placement.given:
            return self._load(index, self.placement.given[index])
        if self.placement.kind(index) == "1":
            return [f"{kind} {variable} = 0;" if slot.zero else f"{kind} {variable};"]
        if index in self.placement.tiled:
            pitch = self.placement.policy.pitch
            place = f"tile + {self.placement.places[index] * pitch} + threadIdx.x"
            return [f"TileColumns<{points}, {pitch}> {variable} = {{{place}}};"]
        if index in self.placement.direct:
            name = self.placement.wanted[index]
            stride = f"arguments.{name}_stride" if slot.columns > 1 else "0"
            place = f"arguments.{name} + point, {stride}, step"
            if index in self.placement.words:
                element = self._element(name)
                return [f"OutWords<{points}, {element}> {variable} = {{{place}}};"]
            return [f"OutColumns<{points}> {variable} = {{{place}}};"]
        if index in self.placement.private:
            return [f"Real* const {variable} = own + {self.placement.places[index]};"]
        return [f"{kind} {variable}[{max(slot.columns, 1)}];"]

    def _load(self, index: int, name: str) -> list[str]:
        slot, variable = self._plan.slots[index], self._variable(index)
        access = self.placement.access(name)
        place, points = f"arguments.{name}", self.placement.policy.points
        own, step = (place, "0") if access.constant else (f"{place} + point", "step")
        if self.placement.kind(index) == "1":
            if slot.dtype == "int32":
                return [f"const Bits<Real> {variable} = loadWord<{points}>({own}, {step});"]
            factor = f" * {place}_scale" if access.scaled else ""
            return [f"const Real {variable} = load<{points}>({own}, {step}){factor};"]
        stride = f"{place}_stride" if slot.columns > 1 else "0"
        columns = f"{{{own}, {stride}, {step}}}"
        if index in self.placement.words:
            element = self._element(name)
            return [f"const WordColumns<{points}, {element}> {variable} = {columns};"]
        form = f"{points}" if access.dtype == "float64" else f"{points}, {self._element(name)}"
        if access.scaled:
            return [f"const ScaledColumns<{form}> {variable} = {{{columns}, {place}_scale}};"]
        return [f"const Columns<{form}> {variable} = {columns};"]

    def _stores(self, made: set[int], before: Step | Loop) -> list[str]:
        """Stores of wanted outputs that have their final value."""
        place = self._plan.steps.index(before)
        later: set[int] = set()
        for item in self._plan.steps[place + 1 :]:
            for step in item.steps if isinstance(item, Loop) else (item,):
                later.update(self.placement.outputs(step))
        lines = []
        for index, name in self.placement.wanted.items():
            if index in made and index not in later and index not in self.placement.direct:
                lines += self._store(index, name)
        return lines

    def _store(self, index: int, name: str) -> list[str]:
        slot, variable = self._plan.slots[index], self._variable(index)
        access = self.placement.access(name)
        place = f"arguments.{name}"
        where = "" if self._plan.mask is None else f"{self._variable(self._plan.mask)}, "
        scale = f", {place}_scale" if access.scaled else ""
        if self.placement.kind(index) == "1":
            return [f"store({where}{place} + point, step, {variable}{scale});"]
        kind = "Bits<Real>" if slot.dtype == "int32" else "Real"
        if slot.columns <= 1:
            value = f"{kind}({variable}[0]){scale}"
            return [f"store({where}{place} + point, step, {value});"] if slot.columns else []
        unroll = "" if self.placement.policy.unroll else " 4"
        return [
            f"#pragma unroll{unroll}",
            f"for (int i = 0; i < {slot.columns}; ++i) "
            f"store({where}{place} + point + i * {place}_stride, step, "
            f"{kind}({variable}[i]){scale});",
        ]

    def _table(self, name: str) -> str:
        rank, place = self.placement.catalogue.table(name).rank, f"arguments.{name}"
        return f"Table<Real, {rank}>({place}->data, {place}->size)"

    def _call(self, step: Step) -> list[str]:
        """One kernel; an input that the kernel also rewrites in place is handed over as a copy."""
        kernel = self.placement.catalogue.kernel(step.kernel)
        before, names = [], []
        outputs = self.placement.outputs(step)
        for place, index in enumerate(step.slots):
            variable = self._variable(index)
            if place < len(kernel.inputs) and index in outputs:
                before.append(f"const auto {variable}_in = {variable};")
                variable += "_in"
            names.append(variable)
        name = step.kernel
        if self.placement.on_tensors(step):
            name = name.replace("Fused", "Tensor")
        tables = [self._table(table) for table in step.tables]
        calls = [f"{name}<Real>({', '.join(['shared', *tables, *names])});"]
        if _foreign(kernel.header):  # an error of the call is one of the function's arguments
            calls = [line_of(kernel.header.resolve(), rf"\b{name}\s*\("), *calls, _BACK]
        return calls if not before else ["{", *(f"    {line}" for line in (*before, *calls)), "}"]
