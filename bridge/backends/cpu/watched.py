"""What a CPU backend counts in a ledger, its memory and its programs, and what its kernels take.

Beside `backend`, which does none of this where nobody asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.backends.base import ITEMSIZES
from bridge.backends.cpu.meters import Meters

if TYPE_CHECKING:
    from bridge.timers.recorder import Recorder


def watch(own: Any, recorder: Recorder) -> None:
    """Look at what this CpuBackend does from now on: methods of this object alone are replaced."""
    ledger, allocate, synchronize = recorder.ledger, own.allocate, own.synchronize

    def counted_allocate(columns: int, extent: int, dtype: str) -> Any:
        array = allocate(columns, extent, dtype)
        ledger.allocated(columns * extent * ITEMSIZES[dtype])
        return array

    def counted_synchronize() -> None:
        ledger.count("synchronisations")
        synchronize()

    own.allocate, own.synchronize = counted_allocate, counted_synchronize
    ledger.stripes_are_copies = True
    counter = own.library.ffi.buffer(own.library.lib.bridge_cpu_allocations(), 8)
    ledger.scratch = memoryview(counter).cast("q")
    ledger.counts_in(own.library.address("bridge_cpu_allocations"), "allocations")
    if recorder.tables:
        make, meters = own.program, Meters(own.library.ffi)

        def metered(*arguments: Any, **named: Any) -> Any:
            program = make(*arguments, **named)
            meters.watch(program)
            return program

        own.program, recorder.shares = metered, meters.shares
    ledger.making(own, "program", "ordered_program")
