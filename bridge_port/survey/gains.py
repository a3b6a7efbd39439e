"""What a procedure may gain on a machine: the bounds of `bridge advise`, without a plan, and why
its kernels may be slower than it.

The original of a procedure of one point is a call on single numbers. The original of a nest is a
loop that gfortran -O3 vectorises, if its operations have vector instructions: then the kernels,
which are loop nests too, have nothing to gain. They lose what a run costs, the ends of rows, and
what they do that the loop does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridge.advise.advice import Advice, arithmetic, bound
from bridge.advise.counting import Work as PlannedWork
from bridge.machine import Figures
from bridge.plan.plan import Traffic
from bridge_port.survey.found import Work

#: Operations that gfortran has in vectors without -ffast-math.
VECTORS = frozenset(("add", "multiply", "fused", "divide", "sqrt", "choose", "round"))
#: Nanoseconds of a call of a procedure; of a point of one kernel, below which a run of a thousand
#: points shows what a run costs.
CALL, LITTLE = 3.0, 2.0
#: The share of their bounds that kernels reach, the median of `bridge bench port`.
REACHED = 0.3
#: Below it a port is slower.
EVEN = 0.9


@dataclass(frozen=True)
class Gains:
    """At most how many times faster than the original as its compiler makes it, on all threads.
    cpu: the kernels on vectors; gpu: with the arrays there and back at every run; resident: with
    the arrays kept on the GPU; None: of a GPU that the figures do not have. place: what bounds
    the kernels on the CPU; slower: why they may be slower than the original on the CPU, none
    where that is not to be expected."""

    cpu: float
    gpu: float | None
    resident: float | None
    place: str
    slower: tuple[str, ...] = ()

    @property
    def best(self) -> float:
        return max(one for one in (self.cpu, self.gpu, self.resident) if one is not None)


def gains(work: Work, figures: Figures, link: float | None = None) -> Gains | None:
    """None of what moves nothing and computes nothing. link: as `bridge advise` has it."""
    advice = _bounds(work, figures, link)
    memory, scalar, vector = (one.every for one in advice.bounds[:3])
    loop = max(memory, _vectorised(work, figures) / figures.cores if simd(work) else scalar)
    ours = max(memory, vector)
    if ours <= 0.0:
        return None
    over = advice.bounds[3].every if len(advice.bounds) > 3 else None
    kept = advice.bounds[4].every if len(advice.bounds) > 4 else None
    return Gains(
        loop / ours,
        None if over is None else loop / max(over, kept or 0.0, 1e-9),
        None if kept is None else loop / max(kept, 1e-9),
        "memory" if memory >= vector else "arithmetic",
        slower(work, figures),
    )


@dataclass(frozen=True)
class Expected:
    """Of one thread. most: how many times faster than the original at most, its arrays in memory
    or in the cache; slower: as `Gains` has it."""

    most: float
    slower: tuple[str, ...]

    def text(self) -> str:
        return f"{self.most:.2g}x" + (" !" if self.slower else "")


def expected(work: Work, figures: Figures) -> Expected:
    memory, scalar, _ = (one.one for one in _bounds(work, figures, None).bounds[:3])
    cache = memory * figures.memory[0] / figures.cache[0]
    vector = arithmetic(work.computed, figures.vector)
    original = _vectorised(work, figures) if simd(work) else scalar
    if not work.kernels:
        original += CALL
    most = max(max(place, original) / max(place, vector, 1e-9) for place in (memory, cache))
    return Expected(most, slower(work, figures))


def simd(work: Work) -> bool:
    """Whether gfortran may vectorise the original: a nest whose operations have instructions."""
    used = {name for name, count in work.operations.items() if count}
    return bool(work.kernels) and used <= VECTORS


def slower(work: Work, figures: Figures) -> tuple[str, ...]:
    """Why the kernels may be slower than the original."""
    scalar = arithmetic(work.operations, figures.scalar)
    vector = arithmetic(work.computed, figures.vector)
    cache = 1e9 * (work.read + work.written + work.fetched) / figures.cache[0]
    words = []
    if simd(work):
        words.append("gfortran vectorises such a loop")
        original = max(_vectorised(work, figures), cache)
    else:
        original = scalar + (0.0 if work.kernels else CALL)
    ours = max(vector, cache) / REACHED
    if not words and original >= EVEN * ours:
        return ()
    if flops(work.computed) > 2.0 * max(flops(work.operations), 1.0):
        words.append("every point computes all arms of the conditions")
    if work.computed.get("lookup", 0.0):
        words.append("each point looks up elements of its own")
    if work.first:
        words.append("components lie before the points")
    if work.sweeps:
        words.append("a sweep copies its lines")
    if work.reductions:
        words.append("a reduction beside arrays is one more array and a second pass")
    if work.runs > 1:
        words.append(f"{work.runs} runs read and write the arrays one after the other")
    if max(vector, cache) < LITTLE * max(work.kernels, 1):
        words.append("little work: a run costs some 1 to 15 us, the end of a row a whole vector")
    return tuple(words) or ("its operations are as fast on single numbers",)


def flops(operations: dict[str, float]) -> float:
    return sum(count for name, count in operations.items() if name not in ("fused", "choose"))


def _vectorised(work: Work, figures: Figures) -> float:
    return arithmetic(work.operations, figures.vector)


def _bounds(work: Work, figures: Figures, link: float | None) -> Advice:
    """On vectors with all that the kernels compute, on single numbers with what the original
    does."""
    traffic = Traffic(work.read, work.written, work.fetched)
    done = []
    for operations in (work.operations, work.computed):
        planned = PlannedWork(traffic, (0, 0), 0, dict(operations))
        done.append(Advice("", 1, None, "memory", planned, figures))
        bound(done[-1], link)
    original, kernels = done
    kernels.bounds[1] = original.bounds[1]
    return kernels
