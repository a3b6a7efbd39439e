"""Where a launch keeps its intermediates: registers, shared memory, local memory.

A choice of speed, and of the last bits: a compiler contracts the same formulas otherwise. Which
policy a run takes, `policytable` says. Scalars always live in registers. Arrays over species do as
long as every loop over them can be unrolled; a kernel that goes over pairs of species keeps its
loops, because 120 unrolled pairs leave the instruction cache, and has its arrays in shared
memory, one column per thread. A search keeps all of them there: unrolled, its iterations would
hold more than the registers there are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from bridge.errors import ArgumentError
from bridge.plan.catalogue import Catalogue
from bridge.plan.declarations import Kernel
from bridge.plan.plan import Loop, Plan


@dataclass(frozen=True)
class Policy:
    """threads: of a block; blocks: of a multiprocessor, for which registers have to suffice;
    points: of a thread; rows: species that a pair loop takes at a time; unroll: whether loops over
    species are unrolled fully (else by 4); tile_pairs: arrays of pair loops lie in shared
    memory; tile_all: all of them; tensor: fitted diffusion on the tensor cores."""

    name: str
    threads: int = 128
    blocks: int = 1
    points: int = 1
    rows: int = 1
    unroll: bool = True
    tile_pairs: bool = False
    tile_all: bool = False
    tensor: bool = False

    def over_pairs(self, kernel: Kernel, any_kij: bool) -> bool:
        """Whether the kernel keeps its loops and its arrays belong in shared memory."""
        quadratic = kernel.cost in ("N2", "N3") or (kernel.cost == "k" and any_kij)
        return self.tile_pairs and quadratic

    def __str__(self) -> str:
        """Name and what differs from the policy of that name."""
        plain = POLICIES[self.name]
        words = [
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if getattr(self, field.name) != getattr(plain, field.name)
        ]
        return " ".join([self.name, *words])

    @property
    def pitch(self) -> int:
        """Doubles from one column of shared memory to the next. Four more than there are points
        spread what the lanes of a tensor product read over all banks."""
        return self.threads * self.points + (4 if self.tensor else 0)

    def tiled(self, catalogue: Catalogue, kernel: Kernel) -> list[int]:
        """Places among such a kernel's arguments of arrays that it reads or writes many times."""
        used = list(kernel.inputs)
        if kernel.cost in ("N2", "N3") or self.unroll:
            used += kernel.outputs
        return [n for n, name in enumerate(used) if catalogue.quantity(name).columns == "ns"]


@dataclass(frozen=True)
class Walk:
    """How a launch on a box that reads neighbours goes through its tiles.

    threads: of a block at most, a power of 2; planes: of a tile, by the size of the box if None;
    blocks: of a multiprocessor, for which registers have to suffice; unroll: planes that the
    compiler takes together. More than one would save loads, but then the code of a point, and
    with it the last bit of its result, depend on its place in the tile: for measurements.
    """

    threads: int = 256
    planes: int | None = None
    blocks: int = 1
    unroll: int = 1


#: All in registers; pair loops kept; too many species for registers; sums over pairs on tensor
#: cores; a search.
REGISTERS = Policy("registers")
PAIRS = Policy("pairs", tile_pairs=True)
LOCAL = Policy("local", rows=4, unroll=False, tile_pairs=True)
TENSOR = Policy("tensor", unroll=False, tile_pairs=True, tensor=True)
TILE = Policy("tile", unroll=False, tile_pairs=True, tile_all=True)
POLICIES = {policy.name: policy for policy in (REGISTERS, PAIRS, LOCAL, TENSOR, TILE)}

#: Kernels that search by themselves, and those of many species that write more than others do.
SEARCHES = ("prEOSTemperatureFromRhoE",)
WRITERS = (*SEARCHES, "prEOSTemperatureFromRhoP")
#: Most species whose pair loops are unrolled, and whose other loops are.
FEW, SEVERAL = 4, 16


def choose(plan: Plan, ns: int, tensor: bool = False) -> Policy:
    """The policy by the number of species, where no table has a row; tensor: whether tensor cores
    can serve."""
    if ns <= FEW:
        return REGISTERS
    if searches(plan):
        return TILE if ns <= SEVERAL else replace(TILE, threads=64)
    if crowded(plan, ns):
        return TILE
    if ns <= SEVERAL:
        return PAIRS
    return TENSOR if tensor else LOCAL


def candidates(plan: Plan, ns: int, tensor: bool = False) -> list[Policy]:
    """What `bridge tune` measures, the policy of `choose` first. It is alone for single kernels,
    whose launches cost more than they compute, and for searches."""
    first = choose(plan, ns, tensor)
    if len(plan.steps) == 1 or searches(plan):
        return [first]
    if ns <= FEW:
        more = [replace(REGISTERS, blocks=4), replace(REGISTERS, blocks=5),
                replace(REGISTERS, blocks=6), replace(LOCAL, blocks=5),
                replace(LOCAL, points=2, threads=64)]  # fmt: skip
    elif ns <= SEVERAL:
        more = [PAIRS, replace(PAIRS, threads=256, blocks=2), replace(LOCAL, threads=256),
                replace(LOCAL, rows=1, blocks=5),
                replace(LOCAL, points=2, threads=64)]  # fmt: skip
    else:
        more = [LOCAL, replace(LOCAL, rows=6, threads=64), replace(LOCAL, rows=2),
                replace(LOCAL, rows=1, blocks=5), replace(LOCAL, threads=256)]  # fmt: skip
    if FEW < ns <= 2 * FEW:
        more.append(replace(REGISTERS, blocks=5))
    if tensor and ns > FEW:
        more += [TENSOR, replace(TENSOR, blocks=6), replace(TENSOR, threads=64)]
    return list(dict.fromkeys([first, *more]))


def searches(plan: Plan) -> bool:
    """Whether a plan looks for a temperature."""
    return any(isinstance(step, Loop) for step in plan.steps)


def crowded(plan: Plan, ns: int) -> bool:
    """Whether unrolled loops of a kernel that searches by itself would take more registers than
    there are: on an H100 they do for 16 species, and for 9 unrolled loops are faster. Launched
    alone, a kernel that writes much has none left for 53 species either."""
    names = {step.kernel for step in plan.every_step()}
    if ns > SEVERAL:
        return len(plan.steps) == 1 and not names.isdisjoint(WRITERS)
    if names == {"prEOSFlashPhases"} and ns > 2 * FEW + 1:  # alone: both compositions in registers
        return True
    return ns > 2 * FEW + 1 and not names.isdisjoint(SEARCHES)


def named(text: str) -> Policy:
    """The policy of a word such as "tensor" or "local threads=64 rows=6"; what `str` gives.

    Raises ArgumentError where there is none.
    """
    name, *settings = text.split() or [""]
    known = {field.name for field in fields(Policy) if field.type == "int"}
    values: dict[str, Any] = {}
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in known or not value.isdecimal() or not int(value):
            wanted = f"settings such as threads=64, of {', '.join(sorted(known))}"
            raise ArgumentError("BRIDGE_POLICY", repr(text), wanted)
        values[key] = int(value)
    if name not in POLICIES:
        raise ArgumentError("BRIDGE_POLICY", repr(text), f"one of {', '.join(POLICIES)}")
    return replace(POLICIES[name], **values)
