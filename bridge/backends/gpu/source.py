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
from bridge.backends.gpu.writer import Writer, numbered
from bridge.kernels import file
from bridge.plan.catalogue import Catalogue
from bridge.plan.columns import several
from bridge.plan.plan import Plan

_MODULE = """\
// Written from the catalogue for {ns} species: {names}.
#define BRIDGE_ROWS {rows}{divisors}{singles}
{shared}
#include "point.h"
#include "cuda/neighbours.h"
{includes}

namespace BRIDGE_NAMESPACE {{

using Real = Numbers<{points}>;

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
        Writer(fitting(plan, catalogue, layout, access or {}, policy, limit)) for plan in plans
    ]
    kernels = dict.fromkeys(name for plan in plans for name in plan.kernels())
    text = _MODULE.format(
        ns=layout.ns,
        points=policy.points,
        rows=policy.rows,
        divisors=divisors(kernels, catalogue),
        singles=singles(plans[0]),
        names=", ".join(plan.name for plan in plans),
        shared=layout.declaration(),
        includes="\n".join(includes(kernels, catalogue, layout, policy)),
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
    return Source(numbered(text), entries, foreign_headers(kernels, catalogue))


def fitting(
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


def _thread(writer: Writer) -> str:
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


def foreign_headers(kernels: Iterable[str], catalogue: Catalogue) -> tuple[Path, ...]:
    """Every header beside those of kernels that are not the package's: they may include it."""
    shipped = file("point.h").parent
    folders = {catalogue.kernel(name).file.parent for name in kernels}
    return tuple(
        header
        for folder in sorted(folders)
        if folder.resolve() != shipped.resolve()
        for header in sorted(folder.rglob("*.h"))
    )


def divisors(kernels: Iterable[str], catalogue: Catalogue) -> str:
    """A line for cuda/mathematics.h where all kernels are the package's. They divide by numbers
    that are neither 0 nor infinite; others may divide by anything, as C and Fortran do."""
    foreign = foreign_headers(kernels, catalogue)
    return "" if foreign else "\n#define BRIDGE_NORMAL_DIVISORS"


def singles(plan: Plan) -> str:
    """A line where kernels compute in single precision."""
    return "\n#define BRIDGE_SINGLES" if plan.singles else ""


def includes(
    kernels: Iterable[str], catalogue: Catalogue, layout: SharedLayout, policy: Policy
) -> list[str]:
    """The headers. Those of kernels over pairs come first, before loops are unrolled; then those
    without loops over species, whose short arrays have to become registers. Those of kernels with
    several values of each species come last, behind what they share with others: no array of
    their plans becomes registers, and unrolled searches take minutes to compile."""
    shipped = file("point.h").parent
    kept: list[str] = []
    scalar: list[str] = []
    others: list[str] = []
    rolled: list[str] = []
    for name in kernels:
        kernel = catalogue.kernel(name)
        inside = kernel.header.is_relative_to(shipped)
        header = kernel.header.relative_to(shipped) if inside else kernel.header
        over_pairs = policy.over_pairs(kernel, bool(layout.constants["anyKij"]))
        if over_pairs:
            group = kept
        elif any(
            several(catalogue.quantity(q).columns) for q in (*kernel.inputs, *kernel.outputs)
        ):
            group = rolled
        else:
            group = scalar if kernel.cost == "1" else others
        group.append(f'#include "{header}"')
    if policy.tensor:
        kept.append('#include "cuda/tensorDiffusion.h"')
    if policy.unroll and not rolled:
        return [*kept, _UNROLL, *scalar, *others, _KEEP]
    return [*kept, _UNROLL, *scalar, _KEEP, _ROLL, *others, _KEEP, *rolled]
