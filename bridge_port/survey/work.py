"""What a point of a procedure or a nest moves and computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.output.runs import runs
from bridge_port.survey.counting import Counting


@dataclass
class Work:
    """Of one point. read, written, fetched: bytes of arrays, fetched of what is written without
    being read; operations: how many of each in the original; every: in the kernels, which compute
    all arms of conditions; kernels: of a nest, 0 of a procedure of one point; runs: of these, each
    a pass through the arrays; sweeps, reductions; first: whether components lie before the
    points."""

    read: int = 0
    written: int = 0
    fetched: int = 0
    operations: dict[str, float] = field(default_factory=dict)
    every: dict[str, float] = field(default_factory=dict)
    kernels: int = 0
    runs: int = 0
    sweeps: int = 0
    reductions: int = 0
    first: bool = False

    @property
    def computed(self) -> dict[str, float]:
        """By the kernels."""
        return self.every or self.operations

    @property
    def flops(self) -> float:
        return sum(
            count for name, count in self.operations.items() if name not in ("fused", "choose")
        )


def moved(kernels: Sequence[Kernel], axes: int, found: Work) -> None:
    """Bytes of one run, which has what its kernels hand to each other in the cache."""
    read: dict[str, Any] = {}
    written: dict[str, Any] = {}
    for k in kernels:
        moving = {q.name for q in (*k.inputs, *k.outputs) if _moves(k.procedure, q.argument, axes)}
        read |= {q.name: q for q in k.inputs if q.name in moving and q.name not in written}
        written |= {q.name: q for q in k.outputs if q.name in moving}
    found.runs += bool(kernels[0].procedure.loops)
    found.read += sum(_bytes(q) for q in read.values())
    found.written += sum(_bytes(q) for q in written.values())
    found.fetched += sum(_bytes(q) for name, q in written.items() if name not in read)


def of_kernels(
    kernels: Sequence[Kernel], axes: int, fixed: Mapping[str, int] | None, counting: Counting,
    every: Counting,
) -> Work:  # fmt: skip
    """Of all runs one after the other; an array that does not have all axes of the points is not
    moved for each of them. counting: of the original; every: of the kernels."""
    found = Work()
    for some in runs(kernels):
        moved(some, axes, found)
    for kernel in kernels:
        procedure = kernel.procedure
        for one, operations in ((counting, found.operations), (every, found.every)):
            for name, count in one.of(procedure.unit, fixed).items():
                operations[name] = operations.get(name, 0.0) + count
        if procedure.loops:
            found.kernels += 1
            found.sweeps += bool(procedure.sweep)
            found.reductions += len(procedure.reductions)
            found.first |= any(lies_first(use.axes) for use in procedure.arrays.values())
    return found


def lies_first(axes: Sequence[int | None]) -> bool:
    """Whether a component lies before a point in memory."""
    return bool(axes) and axes[0] is None and any(axis is not None for axis in axes)


def _moves(procedure: PointProcedure, argument: str, axes: int) -> bool:
    use = procedure.arrays.get(argument)
    if not axes:
        return True
    return use is not None and len({axis for axis in use.axes if axis is not None}) >= axes


def _bytes(quantity: Any) -> int:
    size = int(quantity.kind)
    for extent in quantity.shape:
        size *= extent if isinstance(extent, int) else 1
    return size


def together(works: Sequence[Work]) -> Work:
    found = Work()
    for one in works:
        found.read += one.read
        found.written += one.written
        found.fetched += one.fetched
        found.kernels += one.kernels
        found.runs += one.runs
        found.sweeps += one.sweeps
        found.reductions += one.reductions
        found.first |= one.first
        for own, other in ((found.operations, one.operations), (found.every, one.every)):
            for name, count in other.items():
                own[name] = own.get(name, 0.0) + count
    return found
