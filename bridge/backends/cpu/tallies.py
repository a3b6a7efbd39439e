"""Which programs count the bits of their status words, and what they have counted so far.

Between CpuProgram, which runs one more step behind the kernel that makes the words, and
CpuBackend, which is asked for the numbers. kernels/cpu/tally.cpp counts, in every run: a look at
words that are in the cache anyway.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bridge.backends.host.library import Library
from bridge.plan.plan import Loop, Plan
from bridge.plan.selection import STATUS
from bridge.settings import BAD_BITS, status_bits

#: Bits of points that have no answer (docs/physics.md, section 3): few points have them.
COUNTED = status_bits(BAD_BITS)
#: Numbers of a library's tallies, by the name of a plan.
_numbers: dict[tuple[str, str], int] = {}


def place(plan: Plan) -> tuple[int, int] | None:
    """The slot of a plan's last status words, and the number of the step behind which they are
    there, counted as the executor does; None where there are none, or a loop makes them last."""
    slots = [number for number, slot in enumerate(plan.slots) if slot.name == STATUS]
    found: tuple[int, int] | None = None
    position = 0
    for item in plan.steps:
        if isinstance(item, Loop):
            if any({*slots} & {*step.slots[step.inputs :]} for step in item.steps):
                found = None  # behind the loop its memory may be another value's
            position += 1 + len(item.steps)
            continue
        position += 1
        for slot in item.slots[item.inputs :]:
            if slot in slots:
                found = slot, position
    return found


def number(library: Library, plan: Plan) -> int | None:
    """Of the tally of all plans of this name; None where a library has no more."""
    key = (library.isa, plan.name)
    mine = [one for isa, one in _numbers if isa == library.isa]
    if key not in _numbers and len(mine) >= int(library.lib.BRIDGE_TALLIES):
        return None
    return _numbers.setdefault(key, len(mine))


def counted(library: Library) -> Mapping[str, np.ndarray]:
    """Points by bit, (32,), of each plan that ran in this process, by name."""
    found = {}
    for (isa, name), one in _numbers.items():
        if isa == library.isa:
            tally = library.lib.bridge_cpu_tally(one)
            found[name] = np.array(library.ffi.unpack(tally, 32), np.int64)
    return found
