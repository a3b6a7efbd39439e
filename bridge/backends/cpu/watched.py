"""What a CPU backend counts in a ledger: its memory, its programs and what it packs.

Beside `backend`, which does none of this where nobody asks.
"""

from __future__ import annotations

from typing import Any

from bridge.backends.base import ITEMSIZES, Binding
from bridge.timers.ledger import Ledger


def watch(own: Any, ledger: Ledger) -> None:
    """Count what this CpuBackend does from now on: methods of this object alone are replaced."""
    allocate, pack, unpack, synchronize = (
        own.allocate, own.pack, own.unpack, own.synchronize,
    )  # fmt: skip

    def counted_allocate(columns: int, extent: int, dtype: str) -> Any:
        array = allocate(columns, extent, dtype)
        ledger.allocated(columns * extent * ITEMSIZES[dtype])
        return array

    def counted_pack(source: Binding, first: int, n: int, target: Any) -> None:
        pack(source, first, n, target)
        ledger.copied(n * source.columns * source.itemsize)

    def counted_unpack(source: Any, target: Binding, first: int, n: int) -> None:
        unpack(source, target, first, n)
        ledger.copied(n * target.columns * target.itemsize)

    def counted_synchronize() -> None:
        ledger.count("synchronisations")
        synchronize()

    own.allocate, own.pack, own.unpack = counted_allocate, counted_pack, counted_unpack
    own.synchronize = counted_synchronize
    ledger.scratch = own.library.lib.bridge_cpu_allocations
    ledger.making(own, "program", "ordered_program")
