"""What a survey found of a procedure, and what a point of it moves and computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bridge_port.kernel import Kernel, PointProcedure, Quantity
from bridge_port.output.runs import runs
from bridge_port.refusal import Place, Refusal
from bridge_port.survey.counting import Counting
from bridge_port.survey.sizes import Extent


@dataclass
class Work:
    """Of one point. read, written, fetched: bytes of arrays, fetched of what is written without
    being read; operations: how many of each in the original; every: in the kernels, which compute
    all arms of conditions; kernels: of a nest, 0 of a procedure of one point; sweeps: of these;
    reductions: of these, with results beside arrays that a run stores; first: whether components
    lie before the points."""

    read: int = 0
    written: int = 0
    fetched: int = 0
    operations: dict[str, float] = field(default_factory=dict)
    every: dict[str, float] = field(default_factory=dict)
    kernels: int = 0
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


@dataclass(frozen=True)
class Made:
    """What translates. fixed: integers that have one value in it; optional: arguments that it was
    looked at with and without."""

    kernels: list[Kernel]
    work: Work
    fixed: dict[str, int] = field(default_factory=dict)
    optional: list[str] = field(default_factory=list)

    @property
    def outside(self) -> dict[str, str]:
        """What a user has to say of data of modules."""
        return {name: option for k in self.kernels for name, option in k.outside.items()}


#: Runs what may be refused, and gives the refusal.
Attempt = Callable[[Place, Callable[[], Made]], Made | Refusal]


def moved(kernels: Sequence[Kernel], axes: int, found: Work) -> None:
    """Bytes of one run, which has what its kernels hand to each other in the cache."""
    read: dict[str, Quantity] = {}
    written: dict[str, Quantity] = {}
    for k in kernels:
        moving = {q.name for q in (*k.inputs, *k.outputs) if _moves(k.procedure, q.argument, axes)}
        read |= {q.name: q for q in k.inputs if q.name in moving and q.name not in written}
        written |= {q.name: q for q in k.outputs if q.name in moving}
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
        if any(map(_stores, some)):
            found.reductions += sum(bool(k.procedure.reductions) for k in some)
    for kernel in kernels:
        procedure = kernel.procedure
        _add(counting.of(procedure.unit, fixed), found.operations)
        _add(every.of(procedure.unit, fixed), found.every)
        if procedure.loops:
            found.kernels += 1
            found.sweeps += bool(procedure.sweep)
            found.first |= any(lies_first(use.axes) for use in procedure.arrays.values())
    return found


def _stores(kernel: Kernel) -> bool:
    """Whether it writes an array that is no work array of the nest."""
    procedure = kernel.procedure
    return any(
        q.argument in procedure.arrays and q.argument not in procedure.temporaries
        for q in kernel.outputs
    )


def lies_first(axes: Sequence[int | None]) -> bool:
    """Whether a component lies before a point in memory."""
    return bool(axes) and axes[0] is None and any(axis is not None for axis in axes)


def _moves(procedure: PointProcedure, argument: str, axes: int) -> bool:
    use = procedure.arrays.get(argument)
    if not axes:
        return True
    return use is not None and len({axis for axis in use.axes if axis is not None}) >= axes


def _bytes(quantity: Quantity) -> int:
    size = int(quantity.kind)
    for extent in quantity.shape:
        size *= extent if isinstance(extent, int) else 1
    return size


def together(works: Sequence[Work]) -> Work:
    """All of them."""
    found = Work()
    for one in works:
        for name in ("read", "written", "fetched", "kernels", "sweeps", "reductions"):
            setattr(found, name, getattr(found, name) + getattr(one, name))
        found.first |= one.first
        _add(one.operations, found.operations)
        _add(one.every, found.every)
    return found


def _add(more: Mapping[str, float], operations: dict[str, float]) -> None:
    for name, count in more.items():
        operations[name] = operations.get(name, 0.0) + count


POINT, COLUMN, LOOPS, NESTS, PART, NONE, NOTHING = (
    "point", "column", "loops", "nests", "part", "no", "nothing"
)  # fmt: skip


@dataclass
class Nest:
    """A loop nest. lines: first and last; work: None where it is refused; fixed: integers that
    have one value in it; outside, optional: as of a procedure; call: of a nest that is a call,
    what is called; inside: whether the nests are those in that procedure, which is none as a
    whole; file: that its lines are of."""

    lines: tuple[int, int]
    work: Work | None = None
    kernels: int = 0
    refusal: Refusal | None = None
    fixed: dict[str, int] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)
    call: str = ""
    inside: bool = False
    optional: list[str] = field(default_factory=list)
    file: str = ""


@dataclass
class Found:
    """A procedure. file, line: of its statement; source: the file of the tree, which may include
    that one. how: point (a procedure of one point as it stands), column (of one point where
    the integers of fixed have one value), loops (its whole body is loops over points), nests (each
    of its nests is one), part (some are), no, or nothing (it does nothing, and is neither
    translated nor refused); io: whether it reads or writes files; refusal:
    first reason against it; also: the reason against the other way; column: against a column,
    where sizes were taken; initial: variables of modules that a user has to say keep their
    initial values; outside: options that he has to say of
    others, by their names; types: of its objects that he has to say; texts: of an argument, each
    of which is a kernel of its own; numbers: texts that come back as numbers; said: further
    options, of output and of ends of the run; procedures: for
    arguments and components that are procedures, of the sources; stand_in: of what is refused,
    whether it would translate with a procedure that the sources do not have; optional: arguments
    that it was looked at with and without, each choice a kernel of its own; body: first and last
    line of a body that is one nest; given: integers of it whose values the user says."""

    name: str
    path: str
    file: str
    line: int
    last: int
    kind: str
    io: bool
    how: str = NONE
    fixed: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, list[Extent]] = field(default_factory=dict)
    work: Work | None = None
    kernels: int = 0
    refusal: Refusal | None = None
    also: Refusal | None = None
    column: Refusal | None = None
    nests: list[Nest] = field(default_factory=list)
    initial: list[str] = field(default_factory=list)
    outside: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    procedures: dict[str, str] = field(default_factory=dict)
    stand_in: bool = False
    optional: list[str] = field(default_factory=list)
    source: str = ""
    body: tuple[int, int] = (0, 0)
    given: dict[str, int] = field(default_factory=dict)

    def reasons(self) -> list[Refusal]:
        """All that stands against it or a nest of it."""
        every = (self.refusal, self.also, self.column, *(nest.refusal for nest in self.nests))
        return list(dict.fromkeys(one for one in every if one is not None))

    @property
    def translates(self) -> bool:
        return self.how not in (NONE, PART, NOTHING)
