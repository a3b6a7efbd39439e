"""Messages of boxes of arrays of the device, by NCCL or MPI.

Beside `boxes`. kernels/gpu/exchange.h does it, for Python and for callers that are no Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from bridge.backends.base import Binding, Message, NativeCall
from bridge.backends.gpu.boxes import BY_KERNEL, Launch, grouped, side_by_side
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.nccl import Library, Nccl, spelled
from bridge.backends.host.exchange import HostExchange, size_of
from bridge.backends.transports import MPI_DEVICE, NCCL, STAGED, Offer, Transport, chosen
from bridge.compiled.order import ffi
from bridge.errors import ArgumentError, BridgeError, DeviceError, StateError
from bridge.mpi import Communicator, PointToPoint

#: What messages of the log call it, and its memory.
EXCHANGING, BUFFER = "exchanging boxes", "memory for exchanged boxes"
#: Ways of messages, for a report.
WAYS = {
    NCCL: "NCCL",
    MPI_DEVICE: "MPI from memory of the GPU",
    STAGED: "page-locked memory and MPI",
}


class GpuExchange(HostExchange):
    """Implements `backends.base.BoxExchange` for arrays of the device. By NCCL, whose communicator
    the device has then, nothing waits but the streams."""

    def __init__(
        self, device: Device, messages: Sequence[Message], kept: Message | None,
        mpi: PointToPoint | None, tag: int, patience: float, transport: Transport,
    ) -> None:  # fmt: skip
        self._device = device
        self._way = transport.way
        self.transport = WAYS[self._way] + (f" ({transport.why})" if transport.why else "")
        nccl = device.nccl if self._way == NCCL and messages else None
        self._nccl: Nccl | None = nccl
        self._key = "exchange", tag  # of its memory, which serves the next plan of its tag too
        self._events: list[int] = []
        super().__init__(device.packing, messages, kept, mpi, tag, patience)
        both = [*messages, *([] if kept is None else [kept])]
        sent, received = (
            {device.order.place(part.address) for one in both for part in getattr(one, which)}
            for which in ("sent", "received")
        )
        made = self._made
        made.order = device.order.made
        made.alone = None in sent | received
        reads, writes = ([place for place in one if place] for one in (sent, received))
        made.reads, made.writes = self._own("int64_t[]", reads), self._own("int64_t[]", writes)
        made.n_reads, made.n_writes = len(reads), len(writes)
        packed = [] if made.kept == ffi.NULL else [made.kept.near]
        if nccl is not None:
            made.nccl = nccl.made
            packed = [made.sends[k].near for k in range(made.n_sends)] + packed
            come = [made.receives[k].near for k in range(made.n_receives)]
            made.come = self._own("int64_t[]", come)
        made.packed, made.n_packed = self._own("int64_t[]", packed), len(packed)
        made.name = device.recent.number(EXCHANGING)

    def _message(self, parts: Sequence[Binding], peer: int, inward: bool) -> dict[str, Any]:
        size, pool = size_of(parts), self._device.pool
        key = (*self._key, peer, inward)
        if self._way != STAGED:
            memory = pool.device(key, max(size, 1), BUFFER)
            return self._in_memory(parts, peer, memory, size)
        memory = near = pool.staging(key).at_least(size)
        if size > BY_KERNEL:
            near = pool.device(key, size, BUFFER)
        return self._in_memory(parts, peer, memory, size) | {"near": near}

    def _kept(self, kept: Message) -> list[dict[str, Any]]:
        size = size_of(kept.sent)
        near = self._device.pool.device((*self._key, kept.peer), size, BUFFER)
        return [
            self._in_memory(parts, kept.peer, near, size) for parts in (kept.sent, kept.received)
        ]

    def _in_memory(
        self, parts: Sequence[Binding], peer: int, memory: int, size: int
    ) -> dict[str, Any]:
        """The launches of a message; those of its elements of each size are apart."""
        device, listed, at = self._device, [], 0
        for item, same in groupby(parts, key=lambda part: part.itemsize):
            for group in grouped(list(same)):
                launch = Launch(device, group, side_by_side(group), at // item)
                self._owners.append(launch)
                listed.append(launch.part(item))
                at += launch.size
        self._events.append(device.api.event())
        return {
            "memory": memory, "near": memory, "bytes": size, "peer": peer,
            "parts": self._own("bridge_boxes_part[]", listed), "n_parts": len(listed),
            "event": self._events[-1],
        }  # fmt: skip

    def begin(self) -> None:
        device = self._device
        with device.entered(), device.watched(EXCHANGING):
            if device.running is not None:
                device.follow_runs()
            super().begin()

    def wait(self) -> list[int]:
        """The lock of the device is free meanwhile: what comes takes it."""
        late = super().wait()
        if not late and self._device.handed_out:
            self._device.synchronize()
        return late

    def natives(self) -> tuple[NativeCall, NativeCall] | None:
        both = super().natives()
        if both is None:
            return None
        begin, wait = both
        lock, conditions = self._device.order.native_lock, tuple(self._device.conditions())
        messages = len(self._sends) + len(self._receives)
        captured = self._nccl is not None or not messages  # the host does not wait
        begin = begin._replace(lock=lock, conditions=conditions, captured=captured)
        return begin, wait._replace(captured=captured)

    def failure(self) -> BridgeError | None:
        found = super().failure()
        if found is not None:
            return found
        if self._nccl is not None and self._made.of_nccl and self._made.error:
            return self._nccl.failure(self._made.error)
        return self._device.failed_in_c(EXCHANGING, self._made.error)

    def close(self) -> None:
        device = self._device
        with device.entered():
            device.synchronize()
            for event in self._events:
                device.api.event_destroy(event)
        self._events = []


class ExchangeBesideRuns(HostExchange):
    """Of arrays that stay on the host, where runs on a GPU write them."""

    def __init__(self, device: Device, *arguments: Any) -> None:
        self._device = device
        super().__init__(device.packing, *arguments)

    def begin(self) -> None:
        with self._device.entered():
            self._device.settle_runs()
        super().begin()

    def wait(self) -> list[int]:
        with self._device.entered():
            self._device.settle_runs()
        return super().wait()

    def natives(self) -> None:
        """Runs are Python's to settle."""


def offer(
    device: Device, asked: str, boxes: Sequence[Binding], ranks: Communicator | None
) -> Offer:
    """See `Backend`."""
    there: bool | None = None
    if boxes:
        there = any(device.owner_of(part.address) is not None for part in boxes)
    if ranks is None or ranks.size == 1 or asked == STAGED:
        return Offer(asked, device.facts.uuid, there)
    version, why = "", device.no_nccl
    if not why:
        try:
            version = spelled(Library.loaded().version)
        except DeviceError as error:
            why = str(error)
    return Offer(asked, device.facts.uuid, there, version, why, ranks.takes_device_memory())


def joined(device: Device, ranks: Communicator) -> str:
    """The device has a communicator of NCCL then; or else why not, on all ranks alike. Collective;
    `against_nccl` has nothing against it."""
    if device.nccl is None and not device.no_nccl:
        try:
            device.nccl = Nccl.joined(ranks)
        except DeviceError as error:
            device.no_nccl = str(error)
    return device.no_nccl


def transport(device: Device, offers: Sequence[Offer], ranks: Communicator | None) -> Transport:
    """See `Backend`."""
    found = chosen(offers)
    why = joined(device, ranks) if found.way == NCCL and ranks is not None else ""
    return chosen([replace(one, no_nccl=why) for one in offers]) if why else found


def exchange(
    device: Device, messages: Sequence[Message], kept: Message | None, mpi: PointToPoint | None,
    tag: int, patience: float, transport: Transport,
) -> HostExchange:  # fmt: skip
    """Of arrays of which all are on the device, or none; ArgumentError where some are."""
    both = [*messages, *([] if kept is None else [kept])]
    parts = [part for one in both for part in (*one.sent, *one.received)]
    there = {device.owner_of(part.address) is not None for part in parts}
    if len(there) > 1:
        got = "arrays of which some are resident on the GPU, and some are not"
        raise ArgumentError("arrays", got, "all of them resident (frame_enter_data), or none")
    if True in there:
        return GpuExchange(device, messages, kept, mpi, tag, patience, transport)
    if transport.way == NCCL and messages:
        raise StateError(
            "frame_exchange: arrays were resident on the GPU when it was planned, and are not: "
            "call frame_exchange_plan again, on all ranks"
        )
    if False in there:
        return ExchangeBesideRuns(device, messages, kept, mpi, tag, patience)
    return HostExchange(device.packing, messages, kept, mpi, tag, patience)
