"""A stand-in of a GPU that does nothing before somebody waits for it.

Each stream keeps what it is asked, and an event that is waited for lets happen what it needs and
no more, the latest order that CUDA allows. A wait that is missing shows in the results.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from typing import Any

from standin import StandIn

from bridge.backends.gpu.boxes import Moves
from bridge.backends.gpu.reduction import DeviceMeasure

_REDUCE = {
    "reduce_groups": [8, 8, 8, 4],
    "reduce_pairs": [8, 8, 8, 8, 8, 4],
    "reduce_values": [8, 8, 8, 8, 8, 4, 4],
}


def _sizes(name: str) -> list[int]:
    """Bytes of each argument of a marshalling kernel, or of a launch on chunks."""
    if name.startswith("move_boxes"):
        return [8, 8, ctypes.sizeof(Moves), 4]
    if name == "carry_words":
        return [ctypes.sizeof(Moves)]
    if name.startswith("measure_"):
        return [8, 64, 8, 8, 8, 8, 4, ctypes.sizeof(DeviceMeasure)]
    if name.startswith("reduce_"):
        return _REDUCE.get(name, [8, 64, 8, 8, 8, 8, 4])
    return [8, 64, 8, 8, 8, 4] if name.startswith(("gather", "scatter")) else [512, 8, 4]


class LateStandIn(StandIn):
    """See above. waits: (stream, event) of each wait that a stream was given."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[tuple[int, int]] = []
        self._queues: dict[int, deque[Callable[[], None]]] = {}
        self._asked: dict[int, tuple[int, int]] = {}  # latest record of an event, and where
        self._done: dict[int, int] = {}
        self._on = 0

    # ---- what is asked ------------------------------------------------------------------------

    def _do(self, what: str, action: Any) -> None:
        self.calls.append(what)
        if self.capturing is not None:
            self.capturing.append(action)
        else:
            self._later(self._on, action)

    def _later(self, stream: int, action: Any) -> None:
        self._queues.setdefault(stream, deque()).append(action)

    def copy_async(self, target: int, source: int, size: int, stream: int) -> None:
        self._on = stream
        super().copy_async(target, source, size, stream)

    def copy2d_async(self, *arguments: int) -> None:
        self._on = arguments[-1]
        super().copy2d_async(*arguments)

    def copy3d_async(self, *arguments: int) -> None:
        self._on = arguments[-1]
        super().copy3d_async(*arguments)

    def clear(self, address: int, size: int, stream: int) -> None:
        self._device(address, size)
        self._later(stream, lambda: ctypes.memset(address, 0, size))

    def launch(
        self, function: int, blocks: int, threads: int, tile: int, stream: int, parameters: int
    ) -> None:
        self._on = stream
        name, call = self._functions[function]
        sizes = self._box_sizes.get(name) or _sizes(name)
        words = (ctypes.c_void_p * len(sizes)).from_address(parameters)
        kept = [
            ctypes.create_string_buffer(ctypes.string_at(word, size), size)
            for word, size in zip(words, sizes, strict=True)
        ]
        array = (ctypes.c_void_p * len(kept))(*map(ctypes.addressof, kept))
        self._do(name, lambda: (kept, call(array, blocks, threads)))

    def graph_launch(self, graph: int, stream: int) -> None:
        self.calls.append("graph")
        for action in self._graphs[graph]:
            self._later(stream, action)

    # ---- streams and events --------------------------------------------------------------------

    def event(self, timing: bool = False) -> int:
        self._done[len(self._done) + 1] = 0
        return len(self._done)

    def record(self, event: int, stream: int) -> None:  # type: ignore[override]
        if self.capturing is not None:
            return
        number = self._asked.get(event, (0, 0))[0] + 1
        self._asked[event] = number, stream

        def happened() -> None:
            self._done[event] = max(self._done[event], number)

        self._later(stream, happened)

    def stream_wait(self, stream: int, event: int) -> None:  # type: ignore[override]
        if self.capturing is None and event in self._asked:
            number, other = self._asked[event]
            self.waits.append((stream, event))
            self._later(stream, lambda: self._until(event, number, other))

    def _until(self, event: int, number: int, stream: int) -> None:
        while self._done[event] < number:
            self._queues[stream].popleft()()

    def event_synchronize(self, event: int) -> None:  # type: ignore[override]
        if event in self._asked:
            self._until(event, *self._asked[event])

    def event_done(self, event: int) -> bool:
        return self._done[event] >= self._asked.get(event, (0, 0))[0]

    def stream_synchronize(self, stream: int) -> None:
        super().stream_synchronize(stream)
        queue = self._queues.get(stream, deque())
        while queue:
            queue.popleft()()

    def synchronize(self) -> None:  # type: ignore[override]
        for stream in filter(None, self.streams):  # 0: that was destroyed
            self.stream_synchronize(stream)

    def free(self, address: int) -> None:
        self.synchronize()
        super().free(address)
