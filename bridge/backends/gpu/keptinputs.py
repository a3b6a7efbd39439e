"""Inputs that stay on the device from run to run, because the caller says that they do not change.

Beside the pool of chunk buffers, for all points of an array. A kept input is used by every
run of its group that reads its array, and says which was the latest: a run that did not read the
array, or failed, may have met other contents.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from bridge import log
from bridge.backends.base import ITEMSIZES, Box
from bridge.backends.gpu.memory import Allocator
from bridge.errors import OutOfMemoryError


@dataclass(frozen=True)
class InputKey:
    """What a kept input is known by: the group that its array is bound in, the first and one past
    the last byte of the array, its shape, and the numbers as they lie on the device."""

    group: str
    begin: int
    end: int
    box: Box
    columns: int
    dtype: str
    factor: float


@dataclass
class KeptInput:
    """All points of an input on the device, points side by side; run: the latest of its group that
    went well and met what it holds, None before the first."""

    address: int
    points: int
    run: int | None = None


class KeptInputs:
    """All of them, of one device.

    generation: changes whenever one comes or goes; graphs made before do not hold after it.
    """

    def __init__(self, allocator: Allocator) -> None:
        self._allocator = allocator
        self._kept: dict[InputKey, KeptInput | None] = {}
        self._runs: dict[str, array[int]] = {}
        self.generation = 0

    def __len__(self) -> int:
        return len(self._kept)

    def next_run(self, group: str) -> int:
        """The number of a run of a group that begins now; its latest one has the number before."""
        runs = self.runs(group)
        runs[0] += 1
        return runs[0]

    def runs(self, group: str) -> array[int]:
        """How many runs of a group there were, for who counts them without Python."""
        return self._runs.setdefault(group, array("q", (0,)))

    def get(self, key: InputKey, name: str, wanted: bool) -> KeptInput | None:
        """The kept input of an array; made now where it is wanted and there is memory for it."""
        if key not in self._kept and wanted:
            self._kept[key] = self._make(key, name)
        return self._kept.get(key)

    def _make(self, key: InputKey, name: str) -> KeptInput | None:
        size = key.box.points * key.columns * ITEMSIZES[key.dtype]
        try:
            address = self._allocator.device(size, f"keeping '{name}'")
        except OutOfMemoryError as error:
            log.say(f"'{name}' is copied at every run: {error}")
            return None
        self.generation += 1
        return KeptInput(address, key.box.points)

    def drop(self, begin: int, end: int) -> None:
        """Forget what is kept of arrays in this memory; the device has finished with them."""
        for key, kept in list(self._kept.items()):
            if key.begin < end and begin < key.end:
                del self._kept[key]
                if kept is not None:
                    self._allocator.free(kept.address)
                    self.generation += 1
