"""How much work a plan is on this machine, and so how many points a thread is worth starting for.

Beside `program`. A rule and no measurement: the same run gets the same threads every time.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Loop, Plan

#: Nanoseconds of work per thread. Threads that still spin from the region before start in 2
#: microseconds, threads that sleep in 20 to 100; so a region that wakes them is hardly slower
#: than one thread, and one that does not loses little by fewer.
WORTH = 30_000

#: Turns of a search that a point takes on average.
TURNS = 5

#: Nanoseconds per point of a kernel by its cost class, for N species; measured with AVX-512,
#: within a factor of two for 1 to 53 species.
NANOSECONDS: dict[str, Callable[[int], float]] = {
    "1": lambda n: 1.3,
    "N": lambda n: 1.0 + 0.3 * n,
    "k": lambda n: 1.0 + 0.3 * n + 0.06 * n * n,
    "N2": lambda n: 5.0 + 0.5 * n * n,
    "N3": lambda n: 5.0 + 0.5 * n * n + 0.1 * n**3,
}


def nanoseconds(plan: Plan, ns: int) -> float:
    """What a point of a plan takes on one thread, roughly."""
    kernels = Catalogue.installed().kernels
    total = 0.0
    for item in plan.steps:
        steps, turns = (item.steps, TURNS) if isinstance(item, Loop) else ((item,), 1)
        for step in steps:
            known = kernels.get(step.kernel)
            total += turns * NANOSECONDS[known.cost if known else "N"](ns)
    return total


def points_per_thread(plan: Plan, ns: int) -> int:
    """The fewest points that a thread is worth starting for."""
    return max(1, ceil(WORTH / max(nanoseconds(plan, ns), 1e-3)))
