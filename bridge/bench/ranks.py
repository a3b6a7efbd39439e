"""`bridge bench ranks`: several ranks share a node's GPUs, with and without CUDA's multi-process
service, by the points of a chunk (MaxBlock), ranks and species.

One block of 128^3 points is divided among the ranks, each of them a process with arrays, a
backend and a core of its own; the figure is points per second of all together, from host arrays
to host arrays, and beside it that of the copies without a kernel. From it come the default chunk
of the CUDA backend, and what ranks on a GPU gain by the service. On more than one GPU: how the
points per second grow with GPUs, a rank's GPU being its number modulo the GPUs, or the GPU nearest
to its core.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.backends import open_backend
from bridge.backends.cuda import CudaBackend, why_unusable
from bridge.bench import gpus, mps, pictures
from bridge.bench.hostset import Extent, HostSet
from bridge.bench.limits import LinkAlone
from bridge.bench.rankpool import RankPool
from bridge.bench.request import Request
from bridge.errors import BridgeError
from bridge.measuring.report import Report, Row, progress
from bridge.measuring.states import DEFAULT_NS

COUNTS = (4, 16, 53)
RANKS = (1, 8, 16, 20)
CHUNKS = (2048, 4096, 8192, 12288, 32768, 131072)
#: Points along an edge of the block that the ranks divide.
EDGE = 128
#: The chunk and the ranks at which the service is to pay, and how much.
TALK_CHUNK, TALK_RANKS, TALK_GAIN = 8192, 8, 5.0
#: Ranks of each GPU where there are several, and what several GPUs are to reach.
PER_GPU, SCALING_CHUNKS, SCALING = 8, (32768, 131072), {2: 1.9, 4: 3.7}
#: Ways of a rank through its block: bound arrays, or the stripe calls of the talk.
STYLES = ("run", "stripes")
#: The copies of a run without its kernels.
COPIES = "copies"


@dataclass
class BlockRank:
    """One rank and its part of the block."""

    rank: int
    size: int
    backend: str
    devices: int
    policy: str

    def __post_init__(self) -> None:
        os.environ["OMPI_COMM_WORLD_LOCAL_RANK"] = str(self.rank)  # as a launcher would say
        self._backend = open_backend(
            self.backend, device_id=self.rank % self.devices, device_policy=self.policy, threads=1
        )
        if isinstance(self._backend, CudaBackend):
            # As the ranks' communicator would say.
            self._backend.device.sharers = self.size // self.devices
        self._set: HostSet | None = None
        self.points = 0

    def prepare(self, ns: int, extent: Extent) -> str:
        """Arrays of a number of species; says where they are worked on."""
        if self._set is not None:
            self._set.release()
            self._set = None
        self._set = HostSet(self._backend, ns, extent)
        self.points = self._set.points
        return self._backend.describe().get("device", "cpu")

    def choose(self, style: str, chunk: int) -> None:
        """What a turn is."""
        assert self._set is not None
        if style == COPIES:
            assert isinstance(self._backend, CudaBackend)
            self.work = LinkAlone(self._backend, self._set.plan, self._set.bindings).run
            return
        run = self._set.run if style == "run" else self._set.run_stripes
        self.work = lambda: run(chunk)

    def check(self) -> None:
        """The numbers of the last turn, against the CPU backend."""
        assert self._set is not None
        self._set.check()

    def close(self) -> None:
        self._backend.close()


@dataclass(frozen=True)
class Sweep:
    """What is measured; chunks: 0 stands for the whole block of a rank."""

    counts: Sequence[int] = COUNTS
    ranks: Sequence[int] = RANKS
    chunks: Sequence[int] = (*CHUNKS, 0)
    edge: int = EDGE
    backend: str = "cuda"
    seconds: float = 0.2


def measure(request: Request) -> Report:
    """The sweep on one GPU, then what several GPUs make of it."""
    backend = request.backend or "cuda"
    reason = why_unusable() if backend == "cuda" else None
    if reason is not None:
        raise BridgeError(f"no GPU for the ranks to share: {reason} (--backend cpu goes without)")
    sweep = Sweep(
        counts=COUNTS if request.ns == DEFAULT_NS else request.ns,
        ranks=request.ranks or RANKS,
        edge=EDGE if request.points is None else max(1, round(request.points ** (1 / 3))),
        backend=backend,
    )
    return measure_at(sweep, 0 if backend == "cpu" else len(gpus.names()))


def measure_at(sweep: Sweep, devices: int) -> Report:
    """All rows; devices: GPUs of this node."""
    report = Report("Ranks that share a node's GPUs, points per second of all together")
    report.machine |= {"backend": sweep.backend, **gpus.facts()}
    services = [False]
    if sweep.backend == "cuda" and mps.available():
        services.append(True)
    report.machine["service"] = "with and without" if len(services) > 1 else "not to be had here"
    cells = list(_sweep(sweep, services))
    for cell in cells:
        report.rows.append(cell.row())
    texts = [*_tables(sweep, cells), _best(cells)]
    texts.append(_gain(report, cells))
    if devices > 1:
        texts.append(_scaling(report, sweep, devices, services))
    report.summary = "\n\n".join(text for text in texts if text)
    return report


@dataclass(frozen=True)
class Cell:
    """One figure: points per second."""

    rate: float
    ns: int
    ranks: int
    chunk: int
    style: str
    service: bool
    devices: int = 1
    policy: str = "given"

    def params(self) -> dict[str, Any]:
        return {
            "ns": self.ns,
            "ranks": self.ranks,
            "chunk": self.chunk or "whole",
            "style": self.style,
            "mps": self.service,
            "gpus": self.devices,
            "policy": self.policy,
        }

    def row(self, reference: str | None = None, ratio: float | None = None) -> Row:
        return Row("ranks", self.params(), self.rate, "points/s", reference, ratio)


def _sweep(sweep: Sweep, services: Sequence[bool]) -> Iterator[Cell]:
    for service in services:
        for ranks in sweep.ranks:
            extent = divided(sweep.edge, ranks)
            yield from _pool(sweep, ranks, extent, sweep.chunks, service)


def _pool(
    sweep: Sweep,
    ranks: int,
    extent: Extent,
    chunks: Sequence[int],
    service: bool,
    devices: int = 1,
    policy: str = "given",
) -> Iterator[Cell]:
    """Every chunk and number of species with one set of processes."""
    with (
        mps.environment(service) as variables,
        RankPool(ranks, BlockRank, sweep.backend, devices, policy, environment=variables) as pool,
    ):
        for ns in sweep.counts:
            used = pool.each("prepare", ns, extent)
            if sweep.backend == "cuda" and len(set(used)) != devices:
                raise BridgeError(
                    f"{ranks} ranks by policy '{policy}' use {len(set(used))} GPUs, not {devices}"
                )
            turns = [
                (chunk, style)
                for chunk in chunks
                for style in (STYLES if chunk == TALK_CHUNK else STYLES[:1])
            ]
            if sweep.backend == "cuda":
                turns.insert(0, (0, COPIES))
            for chunk, style in turns:
                pool.each("choose", style, chunk or extent[0] * extent[1] * extent[2])
                rate = pool.work(sweep.seconds).rate
                cell = Cell(rate, ns, ranks, chunk, style, service, devices, policy)
                named = " ".join(f"{key}={value}" for key, value in cell.params().items())
                progress(f"{named}: {rate * 1e-6:.1f} million points/s")
                yield cell
            pool.each("check")


def divided(edge: int, ranks: int) -> Extent:
    """A rank's part of a cube: the longest axis is divided, by the largest factor first, rounded
    up, x last, as a solver would keep its rows long."""
    extent = [edge, edge, edge]
    for factor in sorted(_factors(ranks), reverse=True):
        axis = max((2, 1, 0), key=lambda a: extent[a])
        extent[axis] = -(-extent[axis] // factor)
    return extent[0], extent[1], extent[2]


def _factors(n: int) -> Iterator[int]:
    factor = 2
    while n > 1:
        while n % factor == 0:
            yield factor
            n //= factor
        factor += 1


# ---- what the sweep says -----------------------------------------------------------------------


def _tables(sweep: Sweep, cells: Sequence[Cell]) -> Iterator[str]:
    """Million points per second, chunks across, one table for each number of species."""
    from tabulate import tabulate

    chunks = sorted({cell.chunk for cell in cells}, key=lambda chunk: chunk or sys.maxsize)
    across = {str(chunk or "whole"): "" for chunk in chunks}
    for ns in sweep.counts:
        lines: dict[tuple[int, bool, str], dict[str, object]] = {}
        for cell in cells:
            if cell.ns == ns:
                key = (cell.ranks, cell.service, cell.style)
                line = lines.setdefault(
                    key,
                    {
                        "ranks": cell.ranks,
                        "MPS": "yes" if cell.service else "no",
                        "style": cell.style,
                        **across,
                    },
                )
                line[str(cell.chunk or "whole")] = f"{cell.rate * 1e-6:.1f}"
        yield f"NS = {ns}: million points per second by chunk\n" + tabulate(
            list(lines.values()), "keys"
        )


def best_chunk(cells: Sequence[Cell]) -> int:
    """The chunk that loses least: of every (ranks, NS, service) the share of the best rate that
    the chunk reaches, and of these the smallest is as large as can be."""
    worst: dict[int, float] = {}
    groups: dict[tuple[int, int, bool], dict[int, float]] = {}
    for cell in cells:
        if cell.style == "run":
            groups.setdefault((cell.ranks, cell.ns, cell.service), {})[cell.chunk] = cell.rate
    for rates in groups.values():
        best = max(rates.values())
        for chunk, rate in rates.items():
            worst[chunk] = min(worst.get(chunk, 1.0), rate / best)
    return max((chunk for chunk in worst if chunk), key=lambda chunk: worst[chunk])


def _best(cells: Sequence[Cell]) -> str:
    from tabulate import tabulate

    by_case: dict[tuple[int, int, bool], list[Cell]] = {}
    for cell in cells:
        if cell.style == "run":
            by_case.setdefault((cell.ns, cell.ranks, cell.service), []).append(cell)
    default = best_chunk(cells)
    lines = []
    for (ns, ranks, service), group in by_case.items():
        best = max(group, key=lambda cell: cell.rate)
        at = next(cell.rate for cell in group if cell.chunk == default)
        lines.append(
            {
                "NS": ns,
                "ranks": ranks,
                "MPS": "yes" if service else "no",
                "best chunk": best.chunk or "whole",
                "million points/s": round(best.rate * 1e-6, 1),
                f"with {default}": f"{100.0 * at / best.rate:.0f}%",
            }
        )
    return f"The chunk that loses least over all of them: {default}\n" + tabulate(lines, "keys")


def _gain(report: Report, cells: Sequence[Cell]) -> str:
    """What the service is worth at the chunk and ranks of the talk."""
    from tabulate import tabulate

    plain = {(c.ns, c.ranks, c.chunk, c.style): c.rate for c in cells if not c.service}
    lines = []
    for cell in cells:
        key = (cell.ns, cell.ranks, cell.chunk, cell.style)
        if not cell.service or cell.chunk != TALK_CHUNK or key not in plain:
            continue
        ratio = cell.rate / plain[key]
        report.rows.append(cell.row("the same without MPS", ratio))
        goal = f"{TALK_GAIN:.0f}x" if cell.ranks == TALK_RANKS else ""
        lines.append(
            {
                "NS": cell.ns,
                "ranks": cell.ranks,
                "style": cell.style,
                "with / without MPS": f"{ratio:.2f}",
                "goal": goal,
            }
        )
    return f"Chunks of {TALK_CHUNK} points\n" + tabulate(lines, "keys") if lines else ""


def _scaling(report: Report, sweep: Sweep, devices: int, services: Sequence[bool]) -> str:
    """Points per second of several GPUs over those of one; the ranks of each GPU and a rank's
    part of the block stay the same."""
    from tabulate import tabulate

    extent = divided(sweep.edge, PER_GPU)
    several = [number for number in SCALING if number <= devices]
    cases = [(1, "given"), *((number, "given") for number in several), (several[-1], "nearest")]
    lines = []
    for service in services:
        one: dict[tuple[int, int], float] = {}
        for used, policy in cases:
            ranks = PER_GPU * used
            copies: dict[int, float] = {}  # of all of them together, by species
            for cell in _pool(sweep, ranks, extent, SCALING_CHUNKS, service, used, policy):
                if cell.style == COPIES:
                    copies[cell.ns] = cell.rate
                if used == 1:
                    one[cell.ns, cell.chunk] = cell.rate
                    continue
                ratio = cell.rate / one[cell.ns, cell.chunk]
                report.rows.append(cell.row("one GPU", ratio))
                if cell.style == COPIES:
                    continue
                line: dict[str, object] = {
                    "NS": cell.ns,
                    "GPUs": used,
                    "ranks": ranks,
                    "policy": policy,
                    "chunk": cell.chunk,
                    "MPS": "yes" if service else "no",
                    "million points/s": round(cell.rate * 1e-6, 1),
                    "of one GPU": f"{ratio:.2f}",
                    "goal": SCALING[used],
                }
                if cell.ns in copies:
                    line["copies alone, of one GPU"] = f"{copies[cell.ns] / one[cell.ns, 0]:.2f}"
                    line["of copies alone"] = f"{100.0 * cell.rate / copies[cell.ns]:.0f}%"
                lines.append(line)
    return f"Several GPUs, {PER_GPU} ranks each\n" + tabulate(lines, "keys")


def plot(report: Report, path: str) -> None:
    """Points per second over the chunk, a panel for each number of species."""
    pictures.ranks(report, path)
