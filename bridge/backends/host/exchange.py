"""Messages of boxes of host arrays, by MPI; beside `boxes`. kernels/gpu/exchange.h does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.backends.base import Binding, Message, NativeCall
from bridge.backends.host.boxes import HostBoxes
from bridge.backends.host.packing import Packing
from bridge.backends.orderlibrary import function, library
from bridge.compiled.order import ffi
from bridge.errors import BridgeError, HostMpiError, StateError
from bridge.mpi import PointToPoint


class HostExchange:
    """Implements `backends.base.BoxExchange` for arrays of the host.

    messages: of other ranks; kept: what stays in this one; mpi: None where there are no others;
    tag: of its messages, which no other exchange has; patience: seconds
    until `wait` tells which ranks are late, 0 for never.
    """

    transport = "MPI"

    def __init__(
        self, packing: Packing, messages: Sequence[Message], kept: Message | None,
        mpi: PointToPoint | None, tag: int, patience: float,
    ) -> None:  # fmt: skip
        self._packing = packing
        self.sent = sum(size_of(one.sent) for one in messages)
        self.kept = 0 if kept is None else size_of(kept.sent)
        self._owners: list[Any] = []  # of what structs point to
        sends = [self._message(one.sent, one.peer, False) for one in messages if one.sent]
        receives = [
            self._message(one.received, one.peer, True) for one in messages if one.received
        ]
        self._sends = self._own("bridge_message[]", sends)
        self._receives = self._own("bridge_message[]", receives)
        address = packing.library.address
        made: Any = ffi.new("bridge_exchange*", {
            "sends": self._sends, "n_sends": len(sends),
            "receives": self._receives, "n_receives": len(receives),
            "pack": address("bridge_cpu_pack_boxes"), "unpack": address("bridge_cpu_unpack_boxes"),
            "patience": int(1e9 * patience) if patience else 1 << 62, "tag": tag,
        })  # fmt: skip
        if kept is not None and kept.sent:
            made.kept = self._own("bridge_message[]", self._kept(kept))
        if mpi is not None:
            n = len(sends) + len(receives)
            names = ("irecv", "isend", "testany", "testall", "communicator", "byte")
            handles: dict[str, int] = {name: getattr(mpi, name) for name in names}
            handles |= {"request": mpi.request, "undefined": mpi.undefined}
            made.mpi = self._own("bridge_mpi*", handles)
            made.requests = self._own("char[]", (n + 1) * mpi.request)
            made.statuses = self._own("char[]", (n + 1) * mpi.status)
        self._made = made

    def _own(self, kind: str, value: Any) -> Any:
        made = ffi.new(kind, value)
        self._owners.append(made)
        return made

    def _message(self, parts: Sequence[Binding], peer: int, inward: bool) -> dict[str, Any]:
        """A `bridge_message`."""
        size = size_of(parts)
        memory = self._own("char[]", max(size, 1))
        return self._in_memory(parts, peer, int(ffi.cast("intptr_t", memory)), size)

    def _kept(self, kept: Message) -> list[dict[str, Any]]:
        """As it goes and as it comes, by the same memory."""
        goes = self._message(kept.sent, kept.peer, False)
        return [goes, self._in_memory(kept.received, kept.peer, goes["memory"], goes["bytes"])]

    def _in_memory(
        self, parts: Sequence[Binding], peer: int, memory: int, size: int
    ) -> dict[str, Any]:
        boxes = HostBoxes(self._packing, parts)
        self._owners.append(boxes)
        listed = boxes.native(False).argument
        return {"memory": memory, "near": memory, "bytes": size, "list": listed, "peer": peer}

    @property
    def begun(self) -> bool:
        return bool(self._made.begun)

    def begin(self) -> None:
        """See `BoxExchange`."""
        self._checked(library().bridge_exchange_begin(self._made, self._packing.threads))

    def wait(self) -> list[int]:
        """See `BoxExchange`."""
        lib = library()
        error = lib.bridge_exchange_wait(self._made, self._packing.threads)
        if error == lib.BRIDGE_EXCHANGE_LATE and not self._made.of_mpi:
            late = [one.peer for one in self._receives if one.waiting]
            return late or [one.peer for one in self._sends]
        self._checked(error)
        return []

    def _checked(self, error: int) -> None:
        if error == library().BRIDGE_EXCHANGE_STATE and not self._made.of_mpi:
            raise StateError("it has begun already" if self.begun else "it has not begun")
        failed = self.failure() if error else None
        if failed is not None:
            raise failed

    def natives(self) -> tuple[NativeCall, NativeCall] | None:
        """See `BoxExchange`."""
        argument = int(ffi.cast("intptr_t", self._made))
        threads = self._packing.threads
        begin, wait = (function(f"bridge_exchange_{call}_again") for call in ("begin", "wait"))
        return (
            NativeCall(begin, argument, 0, threads, True),
            NativeCall(wait, argument, 0, threads, True),
        )

    def failure(self) -> BridgeError | None:
        """See `BoxExchange`."""
        if self._made.error and self._made.of_mpi:
            return HostMpiError(f"MPI answered with error {self._made.error}")
        return None

    def close(self) -> None:
        """See `BoxExchange`: memory goes with this object."""


def size_of(parts: Sequence[Binding]) -> int:
    """Bytes of a message."""
    return sum(part.elements * part.itemsize for part in parts)
