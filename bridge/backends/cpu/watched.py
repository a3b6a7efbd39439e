"""What a CPU backend counts in a ledger: its memory, its programs and what it packs.

Beside `backend`, which does none of this where nobody asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.backends.base import ITEMSIZES, Binding
from bridge.timers.ledger import Ledger

if TYPE_CHECKING:
    from bridge.backends.cpu.backend import CpuBackend


def watch(backend: CpuBackend, ledger: Ledger) -> None:
    """Count what this backend does from now on."""
    own: Any = backend  # its methods are replaced on this object alone
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
    ledger.scratch = backend.library.lib.bridge_cpu_allocations
    ledger.making(backend, "program", "ordered_program")
