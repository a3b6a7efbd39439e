"""Bounds of a plan on this machine, and what follows from them.

A bound is the time that a point takes at least: its bytes at the bandwidth of memory, its
operations at the speed of the arithmetic, its arrays over the link to a GPU. Nothing is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bridge.advise.counting import Work, work
from bridge.errors import ArgumentError
from bridge.machine import Figures, cache_size
from bridge.physics.options import Options
from bridge.plan import packs
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.declarations import close_names
from bridge.plan.plan import Plan

#: Operations that are not measured, as the measured one that is nearest.
CHARGED = {"choose": "fused", "round": "fused", "lookup": "fused", "mod": "divide"}
#: Multiply-adds that an operation is on a GPU, roughly: it has no instruction for these.
ON_GPU = {"fused": 1, "divide": 10, "sqrt": 12}
ON_GPU_OTHERS = 25
#: Which an instruction gives, on twice as many numbers of single precision.
INSTRUCTIONS = ("fused", "divide", "sqrt")
#: Less than this is no gain: bounds are not times.
GAIN = 1.2


@dataclass(frozen=True)
class Bound:
    """Nanoseconds per point at least, on one thread and on all; threads do not matter to a GPU."""

    name: str
    one: float
    every: float


@dataclass
class Advice:
    """What `bridge advise` prints; bounds: in the order of the table."""

    name: str
    ns: int
    points: int | None
    place: str
    work: Work
    figures: Figures
    bounds: list[Bound] = field(default_factory=list)
    link: tuple[float, str] | None = None
    verdict: str = ""

    def bound(self, name: str) -> Bound:
        return next(bound for bound in self.bounds if bound.name == name)

    def json(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        from tabulate import tabulate

        w, t, f = self.work, self.work.traffic, self.figures
        species = "1 species" if self.ns == 1 else f"{self.ns} species"
        lines = [
            f"{self.name}, {species}, arrays in {self.place}; per point",
            f"reads {t.read} B in {w.columns[0]} columns, writes {t.written} B in {w.columns[1]}, "
            f"fetches {t.fetched} B before it writes them; kernels hand each other {w.between} B",
            f"operations: {_operations(w.operations)}",
            f"figures of {f.machine}, {f.date}: {f.processor}, {f.cores} cores, x86-64-{f.isa}",
            "",
            tabulate(
                [(b.name, b.one, b.every) for b in self.bounds],
                ("at least, ns per point", "one thread", f"{f.cores} threads"),
                floatfmt=".3g",
            ),
            "",
            self.verdict,
        ]
        return "\n".join(lines)


def advise(
    name: str,
    figures: Figures,
    *,
    pack: str | Path | None = None,
    ns: int = 1,
    points: int | None = None,
    outputs: Sequence[str] = (),
    link: float | None = None,
    options: Mapping[str, str] | None = None,
) -> Advice:
    """Advice on a composite, or on one kernel.

    pack: folder of a pack, which need not be built; points: of a run, to know where its arrays
    lie (None: in memory); outputs: that are bound, of a composite; link: bytes per second to a
    GPU, where this machine has none. ArgumentError for a name that is neither.
    """
    if points is not None and points < 1:
        raise ArgumentError("points", points, "at least 1")
    if link is not None and not 0.0 < link < float("inf"):
        raise ArgumentError("link", link, "bytes per second above 0")
    catalogue = Catalogue.installed()
    if pack is not None:
        folder = packs.Pack.read(Path(pack), "--pack")
        catalogue = Catalogue.load([shipped_file(), folder.catalogue])
    catalogue = catalogue.with_options(Options.parse(options))
    plan = plan_of(catalogue, name, ns, outputs)
    done = work(plan, catalogue, ns, options or {})
    lines = done.traffic.read + done.traffic.fetched  # bytes of cache that a point takes
    in_cache = points is not None and points * lines <= cache_size(2)
    advice = Advice(plan.name, ns, points, "cache" if in_cache else "memory", done, figures)
    bound(advice, link)
    advice.verdict = _verdict(advice)
    return advice


def plan_of(catalogue: Catalogue, name: str, ns: int, outputs: Sequence[str]) -> Plan:
    """Of a composite with these outputs bound (none: all), or of a kernel."""
    if name in catalogue.kernels and name not in catalogue.composites:
        if outputs:
            raise ArgumentError("outputs", " ".join(outputs), f"none: {name} is a kernel")
        return catalogue.single(name, ns)
    try:
        composite = catalogue.composite(name)
    except ArgumentError:
        names = [*catalogue.composites, *catalogue.kernels]
        wanted = close_names("a composite or kernel", name, names)
        raise ArgumentError("name", repr(name), wanted) from None
    for output in outputs:
        if output not in composite.outputs:
            wanted = close_names(f"an output of {composite.name}", output, composite.outputs)
            raise ArgumentError("outputs", repr(output), wanted)
    return catalogue.composite_plan(composite, ns, outputs=outputs or None)


# ---- bounds ------------------------------------------------------------------------------------


def arithmetic(
    operations: Mapping[str, float], cost: Mapping[str, float], singles: bool = False
) -> float:
    """Time of these operations one after the other; a product that is added at once is one with
    its sum. singles: twice as many in a register of what an instruction gives."""
    if singles:
        cost = {**cost, **{name: cost[name] / 2 for name in INSTRUCTIONS}}
    count = dict(operations)
    pairs = count.pop("fused", 0.0)
    total = (count.pop("add", 0.0) + count.pop("multiply", 0.0) - pairs) * cost["fused"]
    for name, times in count.items():
        total += times * cost[CHARGED.get(name, name)]
    return total


def bound(advice: Advice, link: float | None) -> None:
    """Fills its bounds."""
    w, t, f = advice.work, advice.work.traffic, advice.figures
    rates = f.cache if advice.place == "cache" else f.memory
    scalar = arithmetic(w.operations, f.scalar)
    vector = arithmetic(w.operations, f.vector, w.singles)
    advice.bounds = [
        Bound(advice.place, 1e9 * t.moved / rates[0], 1e9 * t.moved / rates[1]),
        Bound("arithmetic, a loop on single numbers", scalar, scalar / f.cores),
        Bound("arithmetic, the kernels on vectors", vector, vector / f.cores),
    ]
    gpu = f.gpu
    to, back = (gpu.to, gpu.back) if gpu is not None and link is None else (link, link)
    if to is None or back is None:
        return
    advice.link = to, gpu.name if gpu is not None and link is None else "as stated"
    over = 1e9 * max(t.read / to, t.written / back)
    advice.bounds.append(Bound(f"over the link to a GPU, {1e-9 * to:.3g} GB/s", over, over))
    if gpu is not None:
        cost = {name: float(ON_GPU.get(name, ON_GPU_OTHERS)) for name in f.vector}
        inside = 1e9 * max(
            (t.read + t.written) / gpu.memory,
            arithmetic(w.operations, cost, w.singles) / gpu.arithmetic,
        )
        advice.bounds.append(Bound(f"on the GPU, arrays kept there ({gpu.name})", inside, inside))


def _operations(counted: Mapping[str, float]) -> str:
    names = {"fused": "of them in one instruction", "choose": "compare or select"}
    words = [f"{names.get(name, name)} {count:.4g}" for name, count in counted.items()]
    return ", ".join(words) or "none"


# ---- the verdict -------------------------------------------------------------------------------


def _verdict(advice: Advice) -> str:
    """In a sentence: what bounds it, and where it belongs."""
    memory, single, vectors = (bound.every for bound in advice.bounds[:3])
    loop, ours = max(memory, single), max(memory, vectors)
    threads = advice.figures.cores
    every = "one thread" if threads == 1 else f"all {threads} threads"
    if memory >= single:
        words = [
            f"{advice.place.capitalize()} bound, the loop as it is and the bridge alike: at "
            f"least {memory:.3g} ns per point on {every} of this CPU"
        ]
    elif memory >= vectors:
        words = [
            f"Bound by {advice.place} once it is on vectors: at least {ours:.3g} ns per point on "
            f"{every} of this CPU, {loop:.3g} for a loop on single numbers"
        ]
    else:
        words = [
            f"Arithmetic bound: at least {ours:.3g} ns per point on {every} of this CPU, "
            f"{loop:.3g} for a loop on single numbers"
        ]
    gpu = None
    if len(advice.bounds) > 3:
        gpu = max(bound.every for bound in advice.bounds[3:])
        words.append(f"{gpu:.3g} by way of a GPU" if len(advice.bounds) > 4 else
                     f"{gpu:.3g} over the link")  # fmt: skip
    return f"{', '.join(words)}: {_belongs(loop, ours, gpu)}."


def _belongs(loop: float, ours: float, gpu: float | None) -> str:
    gain = loop / ours
    if gpu is not None and gpu * GAIN < ours:
        return f"a GPU may gain up to {loop / gpu:.2g}x, over the link at every run"
    stays = "stays on the CPU" if gpu is not None else "no GPU was looked at"
    if gain < GAIN:
        return f"{stays}, and a loop that its compiler has vectorised cannot gain here"
    return (
        f"{stays}, and may gain up to {gain:.2g}x over a loop that its compiler has not vectorised"
    )
