"""What a port gains on the CPU, by kinds of what was measured, and at most on a GPU; why it may be
slower than its original.

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
#: Below it a port is slower.
EVEN = 0.9


@dataclass(frozen=True)
class Range:
    """From how many times to how many times faster than the original."""

    low: float
    high: float

    def at_most(self, limit: float) -> Range:
        return Range(min(self.low, limit), min(self.high, limit))

    def holds(self, factor: float) -> bool:
        """Whether it is one of these, to the digits of the text."""
        return float(_digits(self.low)) <= float(_digits(factor)) <= float(_digits(self.high))

    def text(self) -> str:
        low, high = _digits(self.low), _digits(self.high)
        return f"{high}x" if low == high else f"{low}-{high}x"


# What `bridge bench port` measured of ports of a kind, one thread with AVX-512, gfortran 12, boxes
# of 64^3 points: all but a tenth at each end, and all where there are less than ten, rounded
# outwards. docs/results/README.md has their medians and ends, "What the survey promises".
#: Where the original is on single numbers: procedures of one point, nests with functions that
#: have no instruction. What operations and bytes allow, 2 to 27 times, is a limit of it alone: the
#: order of those limits is not that of the ratios (rank correlation 0.3).
SINGLE = Range(2.0, 6.0)
#: Nests that a compiler vectorises as well. Medians with components before the points and behind
#: them are 0.99 and 0.98: no kinds of their own, and neighbours are none either.
LOOP = Range(0.8, 1.2)
#: Reductions by an array and a second pass, as they are beside arrays that a run stores; sweeps.
REDUCTION, SWEEP = Range(0.4, 1.3), Range(0.3, 0.35)


@dataclass(frozen=True)
class Gains:
    """Against the original as its compiler makes it, on all threads. cpu: the kernels on vectors;
    gpu: at most, with the arrays there and back at every run; resident: at most, with the arrays
    kept on the GPU; None: of a GPU that the figures do not have. place: what bounds the kernels on
    the CPU; slower: why they may be slower than the original on the CPU, none where that is not
    to be expected."""

    cpu: Range
    gpu: float | None
    resident: float | None
    place: str
    slower: tuple[str, ...] = ()

    @property
    def best(self) -> float:
        return max(one for one in (self.cpu.high, self.gpu, self.resident) if one is not None)


def gains(work: Work, figures: Figures, link: float | None = None) -> Gains | None:
    """None of what moves nothing and computes nothing. link: as `bridge advise` has it."""
    advice = _bounds(work, figures, link)
    memory, _, vector = (one.every for one in advice.bounds[:3])
    if max(memory, vector) <= 0.0:
        return None
    original = max(memory, _original(work, figures) / figures.cores)
    over = advice.bounds[3].every if len(advice.bounds) > 3 else None
    kept = advice.bounds[4].every if len(advice.bounds) > 4 else None
    return Gains(
        _expected(work, original / max(memory, vector)),
        None if over is None else original / max(over, kept or 0.0, 1e-9),
        None if kept is None else original / max(kept, 1e-9),
        "memory" if memory >= vector else "arithmetic",
        slower(work, figures),
    )


@dataclass(frozen=True)
class Expected:
    """Of one thread, its arrays in the cache. slower: as `Gains` has it."""

    range: Range
    slower: tuple[str, ...]

    def text(self) -> str:
        return self.range.text() + (" !" if self.slower else "")


def expected(work: Work, figures: Figures) -> Expected:
    return Expected(_in_cache(work, figures), slower(work, figures))


def on_single_numbers(work: Work) -> bool:
    """Whether the original runs on single numbers: a procedure of one point, or a nest with an
    operation that has no vector instruction."""
    used = {name for name, count in work.operations.items() if count}
    return not work.kernels or not used <= VECTORS


def arms(work: Work) -> bool:
    """Whether arms of conditions compute: a compiler may leave such a loop on single numbers."""
    return flops(work.computed) > flops(work.operations)


def slower(work: Work, figures: Figures) -> tuple[str, ...]:
    """Why the kernels may be slower than the original."""
    if _in_cache(work, figures).low >= EVEN:
        return ()
    words = []
    if not on_single_numbers(work):
        words.append(f"gfortran {'may vectorise' if arms(work) else 'vectorises'} such a loop")
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
    vector, cache = arithmetic(work.computed, figures.vector), _cache(work, figures)
    if max(vector, cache) < LITTLE * max(work.kernels, 1):
        words.append("little work: a run costs some 1 to 15 us, the end of a row a whole vector")
    return tuple(words) or ("its operations are as fast on single numbers",)


def flops(operations: dict[str, float]) -> float:
    return sum(count for name, count in operations.items() if name not in ("fused", "choose"))


def _expected(work: Work, most: float) -> Range:
    """Of its kinds, kernels of which take as long as each other in the original; most: what its
    operations and bytes allow, of an original on single numbers."""
    single, sweeps = SINGLE.at_most(most), work.sweeps
    reducing = min(work.reductions, work.kernels - sweeps)
    if not work.kernels:
        return single
    low = high = 0.0
    others = work.kernels - sweeps - reducing
    for kind, kernels in ((SWEEP, sweeps), (REDUCTION, reducing), (LOOP, others)):
        if on_single_numbers(work) and kind is LOOP:
            kind = single
        elif on_single_numbers(work) or arms(work):
            kind = Range(kind.low, max(kind.high, single.high))
        low, high = low + kernels / kind.low, high + kernels / kind.high
    return Range(work.kernels / low, work.kernels / high)


def _original(work: Work, figures: Figures) -> float:
    """Nanoseconds of a point on one thread, whatever its arrays take."""
    if on_single_numbers(work) or arms(work):
        call = 0.0 if work.kernels else CALL
        return call + arithmetic(work.operations, figures.scalar)
    return arithmetic(work.operations, figures.vector)


def _in_cache(work: Work, figures: Figures) -> Range:
    cache = max(_cache(work, figures), 1e-9)
    ours = max(cache, arithmetic(work.computed, figures.vector))
    return _expected(work, max(cache, _original(work, figures)) / ours)


def _cache(work: Work, figures: Figures) -> float:
    return 1e9 * (work.read + work.written + work.fetched) / figures.cache[0]


def _bounds(work: Work, figures: Figures, link: float | None) -> Advice:
    """Of the kernels."""
    traffic = Traffic(work.read, work.written, work.fetched)
    advice = Advice("", 1, None, "memory", PlannedWork(traffic, (0, 0), 0, work.computed), figures)
    bound(advice, link)
    return advice


def _digits(factor: float) -> str:
    return f"{factor:.0f}" if factor >= 9.5 else f"{factor:.2g}"
