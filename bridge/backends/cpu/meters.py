"""Meters: what each kernel of a composite takes, by the blocks that the executor looks at.

Beside `watched`, which gives each program a meter where timers are on; kernels/cpu/meter.h says
which blocks are looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.backends.cpu.program import CpuProgram

if TYPE_CHECKING:
    from bridge.backends.cpu.nests import NestProgram

#: What is no kernel: gathering inputs, scattering outputs, and the loop over the kernels.
COPIES = "copies of a block, and the rest"


class Meters:
    """Of the programs of one backend; programs of the same kernels share one."""

    def __init__(self, ffi: Any) -> None:
        self._ffi = ffi
        # The second keeps the memory that the first points to.
        self._meters: dict[tuple[str, tuple[str, ...]], tuple[Any, Any]] = {}

    def watch(self, program: CpuProgram | NestProgram) -> None:
        """Look at some of its blocks from now on; one kernel alone has the time of the whole, and
        so have those of a nest, which works on each point with all of them."""
        if not isinstance(program, CpuProgram):
            return
        key = (program.plan.name, program.steps)
        if len(program.plan.kernels()) < 2:
            return
        if key not in self._meters:
            meter, steps = self._ffi.new("bridge_meter*"), self._ffi.new("int64_t[]", len(key[1]))
            meter.steps = steps
            self._meters[key] = meter, steps
        program.look(self._meters[key][0])

    def shares(self) -> dict[str, tuple[int, dict[str, float]]]:
        """Blocks that were looked at, and what part of their time each kernel had, by the name
        of the plan; those that no block of was looked at are not there."""
        blocks: dict[str, int] = {}
        wholes: dict[str, int] = {}
        spent: dict[str, dict[str, int]] = {}
        for (plan, names), (meter, steps) in self._meters.items():
            if not meter.blocks:
                continue
            blocks[plan] = blocks.get(plan, 0) + int(meter.blocks)
            wholes[plan] = wholes.get(plan, 0) + int(meter.whole)
            mine = spent.setdefault(plan, {})
            for name, took in zip(names, self._ffi.unpack(steps, len(names)), strict=True):
                if name:
                    mine[name] = mine.get(name, 0) + took
        found = {}
        for plan, mine in spent.items():
            mine[COPIES] = max(wholes[plan] - sum(mine.values()), 0)
            whole = sum(mine.values()) or 1
            found[plan] = blocks[plan], {name: took / whole for name, took in mine.items()}
        return found
