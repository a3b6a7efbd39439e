"""Which arrays component first kernels work on where they lie, and by which wrappers.

Beside `program` and `inplace`. A kernel has wrappers for records where its quantities have a fixed
number of columns (kernels/cpu/generate_launchers.py); an array that any other kernel reads or
writes is staged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bridge.backends.base import Binding
from bridge.kernels.cpu.generate_launchers import of_records
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Loop, Plan, Step

#: Layouts of kernels/cpu/interface.h.
COLUMNS, RECORDS, EITHER = 0, 1, 2


def record_slots(plan: Plan, bindings: Mapping[str, Binding], direct: set[str]) -> dict[int, bool]:
    """Slots that kernels take from arrays as records, or write there as records, and whether one
    record follows the other.

    direct: outputs that are written in place at all.
    """
    candidates = {slot: name for name, slot in plan.inputs.items() if slot not in plan.around}
    candidates |= {slot: name for name, slot in plan.outputs.items() if name in direct}
    for step in _kernels(plan):
        fixed = _fixed(step) if _turns(plan, step, bindings) else []
        for slot in set(step.slots) - set(fixed) - set(plan.around):
            candidates.pop(slot, None)
    arrays = {slot: bindings[name] for slot, name in candidates.items()}
    return {slot: _along(a) == a.columns for slot, a in arrays.items() if _lies_so(a)}


def layout(step: Step, records: Mapping[int, bool]) -> int:
    """Of the arguments with a few columns of a kernel."""
    fixed = _fixed(step)
    if not any(slot in records for slot in fixed):
        return COLUMNS
    return RECORDS if all(records.get(slot) for slot in fixed) else EITHER


def _along(binding: Binding) -> int:
    """Elements from a point to the next."""
    box = binding.box
    steps = [step for step, n in zip(box.stride, box.extent, strict=True) if n > 1]
    return steps[0] if steps else binding.columns


def _lies_so(binding: Binding) -> bool:
    """Whether an array is one of records; of scaled ones and other types none is in place, nor of
    many blocks, whose rows may run along any axis."""
    box, columns = binding.box, binding.columns
    return (
        binding.dtype == "float64"
        and not binding.position
        and binding.blocks is None
        and binding.scale == 1.0
        and columns > 1
        and box.data_stride == 1
        and all(step >= columns for step, n in zip(box.stride, box.extent, strict=True) if n > 1)
    )


def _kernels(plan: Plan) -> Iterator[Step]:
    for item in plan.steps:
        yield from item.steps if isinstance(item, Loop) else (item,)


def _turns(plan: Plan, step: Step, bindings: Mapping[str, Binding]) -> bool:
    """Whether what a kernel reads around its points has one component or is records without gaps:
    its wrapper for records has no other reading."""
    names = {slot: name for name, slot in plan.inputs.items()}
    catalogue = Catalogue.installed()
    kernel = catalogue.kernels[step.kernel]
    for slot, name in zip(step.slots, kernel.inputs, strict=False):
        quantity = catalogue.quantity(name)
        if name in kernel.reads and of_records(quantity.columns, quantity.dtype):
            array = bindings.get(names.get(slot, ""))
            if array is None or not _lies_so(array) or _along(array) != array.columns:
                return False
    return True


def _fixed(step: Step) -> list[int]:
    """Slots of a kernel whose columns are known when it is compiled: few of them, of doubles; none
    of what it reads around its points (kernels/cpu/neighbours.h)."""
    catalogue = Catalogue.installed()
    kernel = catalogue.kernels[step.kernel]
    around = [name in kernel.reads for name in kernel.inputs] + [False] * len(kernel.outputs)
    quantities = [catalogue.quantity(name) for name in (*kernel.inputs, *kernel.outputs)]
    return [
        slot
        for slot, quantity, far in zip(step.slots, quantities, around, strict=True)
        if not far and of_records(quantity.columns, quantity.dtype)
    ]
