"""What of a plan happens in place: rows of the caller's arrays as rows of a block, and outputs
written where they belong.

Beside `program`, which puts the answers into the structs of the executor. Decided once for a plan
and its memory, so that a run costs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from bridge.backends.base import Binding
from bridge.backends.blocks import Blocks
from bridge.backends.cpu.work import nanoseconds
from bridge.kernels.cpu.generate_launchers import held
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Loop, Plan, Step

#: Nanoseconds that a value takes on its way into scratch or out of it.
COPIED = 0.4
#: Nanoseconds that a slot takes where a block of the executor begins.
BEGUN = 10.0


#: Nanoseconds that the search for points that count takes at each point, and that a value takes
#: from such a point into scratch or back.
SOUGHT, PICKED = 4.0, 1.0
#: A plan that gains only where fewer points of a hundred count never looks.
FEWEST = 25


def sparse(plan: Plan, ns: int) -> int:
    """Of a hundred points of a block of a masked set: where no more than these count, working on
    them apart from the others is sooner done than working on all; 0: never."""
    if plan.mask is None:
        return 0
    work, values = nanoseconds(plan, ns), _values(plan)
    most = int(100 * (work - SOUGHT) / (work + PICKED * values))
    return most if most >= FEWEST else 0


def in_rows(plan: Plan, row: int, width: int, ns: int) -> bool:
    """Whether a block takes rows of the box, which are padded to whole vectors and need no copy,
    or points packed across rows, which are copied and fill all vectors but the last.

    row: points of a row; width: of a vector.
    """
    padded = -(-row // width) * width
    return nanoseconds(plan, ns) * (padded - row) <= COPIED * _values(plan) * row


def blocks_in_rows(plan: Plan, points: np.ndarray, width: int, ns: int) -> bool:
    """`in_rows` for many blocks, each of which begins a block of the executor: points: of each
    along its rows and across them, (n, 3)."""
    row, across = points[:, 0], points[:, 1] * points[:, 2]
    all = int((row * across).sum())
    padded = int((-(-row // width) * width * across).sum())
    begun = BEGUN * len(plan.slots) * int((across > 0).sum())
    return nanoseconds(plan, ns) * (padded - all) + begun <= COPIED * _values(plan) * all


def _values(plan: Plan) -> int:
    """That a point has in the caller's arrays."""
    return sum(plan.slots[n].columns for n in (*plan.inputs.values(), *plan.outputs.values()))


def written_directly(plan: Plan, bindings: Mapping[str, Binding]) -> set[str]:
    """Outputs that kernels may write in place: whose old contents, or those of an input in the
    same memory, nobody reads once the new ones are written; none where points are masked."""
    if plan.mask is not None:
        return set()
    reads, writes = _reads(plan), _writes(plan)
    direct = set()
    for name, slot in plan.outputs.items():
        if slot not in writes:
            continue
        first, after_reads = writes[slot]
        rivals = [n for n in plan.inputs if may_overlap(bindings[n], bindings[name])]
        last = max((reads.get(plan.inputs[n], -1) for n in rivals), default=-1)
        if last < first or (last == first and after_reads):
            direct.add(name)
    return direct


def _steps(plan: Plan) -> Iterator[tuple[int, int, Step]]:
    """Each kernel with the first and the last position at which it may run: a loop's kernels run
    anywhere within it, and even a single one runs again."""
    position = 0
    for item in plan.steps:
        if isinstance(item, Loop):
            steps, last = item.steps, position + len(item.steps)
        else:
            steps, last = (item,), position
        for step in steps:
            yield position, last, step
        position = last + 1


def _reads(plan: Plan) -> dict[int, int]:
    """Slot -> the last position at which it is read."""
    kernels, last = Catalogue.installed().kernels, {}
    for _, end, step in _steps(plan):
        for slot in step.slots[: len(kernels[step.kernel].inputs)]:
            last[slot] = end
    return last


def _writes(plan: Plan) -> dict[int, tuple[int, bool]]:
    """Slot -> the first position at which it is written, and whether the kernel has read all of
    its inputs by then."""
    catalogue = Catalogue.installed()
    first: dict[int, tuple[int, bool]] = {}
    for begin, end, step in _steps(plan):
        kernel = catalogue.kernels[step.kernel]
        names = {"inputs": kernel.inputs}
        for slot, name in zip(step.slots[len(kernel.inputs) :], kernel.outputs, strict=True):
            columns = catalogue.quantity(name).columns
            after = begin == end and (columns == "1" or held(names, name, columns))
            first.setdefault(slot, (begin, after))
    return first


def may_overlap(a: Binding, b: Binding) -> bool:
    """Whether two arrays may have memory in common."""
    if a.blocks is not None and b.blocks is not None:
        return _blocks_may_overlap(a, b, a.blocks, b.blocks)
    (a_first, a_last), (b_first, b_last) = _ends(a), _ends(b)
    return a_first <= b_last and b_first <= a_last


def _blocks_may_overlap(a: Binding, b: Binding, one: Blocks, other: Blocks) -> bool:
    """Whether some block of one lies between the ends of some block of the other."""
    low, high = (a.address + a.itemsize * end for end in one.spans(a.columns))
    their_low, their_high = (b.address + b.itemsize * end for end in other.spans(b.columns))
    if not (len(low) and len(their_low)):
        return False
    order = np.argsort(their_low)
    # of those that begin before the end of one of mine, the furthest end
    before = np.searchsorted(their_low[order], high, side="right")
    furthest = np.maximum.accumulate(their_high[order])
    return bool(((before > 0) & (furthest[np.maximum(before - 1, 0)] >= low)).any())


def _ends(binding: Binding) -> tuple[int, int]:
    """Addresses of the first and the last element that a binding touches, for strides of any
    sign."""
    box = binding.box
    steps = [
        (n - 1) * step
        for n, step in zip(
            (*box.extent, binding.columns), (*box.stride, box.data_stride), strict=True
        )
    ]
    low = box.offset + sum(step for step in steps if step < 0)
    high = box.offset + sum(step for step in steps if step > 0)
    item = binding.itemsize
    return binding.address + item * low, binding.address + item * high
