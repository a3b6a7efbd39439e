"""How long a run took on the device, and would have taken at the limits of link and memory.

Beside `pipeline`. Only where `bridge advise` has measured this GPU: else nothing is recorded. The
host's clock would not do: it works on while a run is pending.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridge.backends.base import ITEMSIZES, Spent
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.transfers import Constant, Kept, Transfer
from bridge.machine import Gpu


class Clock:
    """Of the runs of one loop; spent: of the latest run that was waited for."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._begin: int | None = None
        self._least = 0
        self.spent = Spent(0, 0)

    def begin(self, transfers: Iterable[Transfer], points: int, beside: int = 0) -> None:
        """A run begins now, behind what the device has to do before; beside: bytes of a point in
        the device's memory that no transfer has."""
        limits, api = self._device.limits, self._device.api
        self.spent = Spent(0, 0)
        if limits is None:
            return
        if self._begin is None:
            self._begin = api.event(timing=True)
        self._least = least(transfers, points, limits, beside)
        api.record(self._begin, self._device.stream)

    def end(self, events: Iterable[int]) -> None:
        """It has happened, and its parts at these events."""
        if self._begin is not None:
            took = max(self._device.api.elapsed(self._begin, event) for event in events)
            self.spent = Spent(self._least, max(1, round(1e6 * took)))

    def close(self) -> None:
        if self._begin is not None:
            self._device.api.event_destroy(self._begin)


def least(transfers: Iterable[Transfer], points: int, limits: Gpu, beside: int = 0) -> int:
    """Nanoseconds for so many points at least: both directions of the link work at the same time,
    and the memory of the device beside them."""
    inward, outward, inside = 0, 0, beside
    for transfer in transfers:
        if isinstance(transfer, Constant | Kept):
            continue
        near = transfer.binding.columns * ITEMSIZES[transfer.chunk_dtype]
        inside += near * (transfer.reads + transfer.writes)
        if transfer.moved:
            across = min(transfer.bytes, near)
            inward += across * (transfer.reads and not transfer.current)
            outward += across * transfer.writes
    seconds = max(inward / limits.to, outward / limits.back, inside / limits.memory)
    return round(1e9 * points * seconds)
