"""Where a launch keeps its intermediates: registers, shared memory, local memory.

A choice of speed, never of results. Scalars always live in registers. Arrays over species do as
long as every loop over them can be unrolled; a kernel that goes over pairs of species keeps its
loops, because 120 unrolled pairs leave the instruction cache, and meets its arrays in shared
memory, one column per thread. A search keeps all of them there: unrolled, its turns would hold
more than the registers there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bridge.catalogue import Catalogue, Kernel
from bridge.plan import Loop, Plan


@dataclass(frozen=True)
class Policy:
    """threads: of a block; blocks: of a multiprocessor, for which registers have to suffice;
    points: of a thread; rows: species that a pair loop takes at a time; unroll: whether loops over
    species are unrolled fully (else by 4); tile_pairs: arrays that pair loops meet lie in shared
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

    @property
    def pitch(self) -> int:
        """Doubles from one column of shared memory to the next. Four more than there are points
        spread what the lanes of a tensor product read over all banks."""
        return self.threads * self.points + (4 if self.tensor else 0)

    def tiled(self, catalogue: Catalogue, kernel: Kernel) -> list[int]:
        """Places among such a kernel's arguments of arrays that it meets many times."""
        met = list(kernel.inputs)
        if kernel.cost in ("N2", "N3") or self.unroll:
            met += kernel.outputs
        return [n for n, name in enumerate(met) if catalogue.quantity(name).columns == "ns"]


#: By the number of species: all in registers; pair loops kept; too many for registers.
REGISTERS = Policy("registers")
PAIRS = Policy("pairs", tile_pairs=True)
LOCAL = Policy("local", unroll=False, tile_pairs=True)
TENSOR = Policy("tensor", unroll=False, tile_pairs=True, tensor=True)
TILE = Policy("tile", unroll=False, tile_pairs=True, tile_all=True)
POLICIES = {policy.name: policy for policy in (REGISTERS, PAIRS, LOCAL, TENSOR, TILE)}

#: Most species whose pair loops are unrolled, and whose other loops are.
FEW, SEVERAL = 4, 16


def choose(plan: Plan, ns: int) -> Policy:
    """The policy of a plan where nothing was measured."""
    if ns <= FEW:
        return REGISTERS
    if any(isinstance(step, Loop) for step in plan.steps):
        return TILE if ns <= SEVERAL else replace(TILE, threads=64)
    return PAIRS if ns <= SEVERAL else LOCAL
