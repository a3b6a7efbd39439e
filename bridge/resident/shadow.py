"""Copies in the host's memory that stand for a device, to find updates that are missing.

Behind `residency` where BRIDGE_CHECK_RESIDENCY asks for it on the CPU. Runs work on the shadow
copy. What they write is stale in the caller's array, and filled with NaN there until it is
updated; what the caller has changed is stale in the shadow copy, and filled with NaN there when a
run reads it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bridge.backends.base import Binding

#: What stands for no value, by the type of elements.
_NOTHING = {"float64": np.nan, "float32": np.nan, "int32": np.iinfo(np.int32).min}
_BITS = {8: np.uint64, 4: np.uint32}


def elements(binding: Binding, dtype: Any = None) -> np.ndarray:
    """The memory of a box as an array (components, nk, nj, ni); dtype: its own if None."""
    begin, end = binding.span
    box, item = binding.box, binding.itemsize
    memory: Any = (ctypes.c_char * max(end - begin, 1)).from_address(begin)
    strides = tuple(item * step for step in (box.data_stride, *reversed(box.stride)))
    shape = (binding.columns, *reversed(box.extent))
    first = binding.address + box.offset * item - begin
    return np.ndarray(shape, dtype or binding.dtype, memory, first, strides)


def _bits(binding: Binding) -> np.ndarray:
    return elements(binding, _BITS[binding.itemsize])


@dataclass(frozen=True)
class _Shadow:
    """begin: of the caller's memory; values: the shadow copy; met: the caller's memory as it was
    when it was last in step with the copy."""

    begin: int
    values: Any
    met: np.ndarray


class ShadowCopies:
    """Implements `backends.base.DeviceCopies` in the host's memory."""

    def __init__(self) -> None:
        self._shadows: dict[int, _Shadow] = {}

    def make(self, host: int, size: int, what: str, first: int = 0) -> int:
        """A shadow copy of memory of the host."""
        import mmap

        values = mmap.mmap(-1, size)
        address = ctypes.addressof(ctypes.c_char.from_buffer(values))
        self._shadows[address] = _Shadow(host, values, _bytes(host, size).copy())
        return address

    def nothing(self, copy: int, size: int, dtype: str) -> None:
        """A copy has no values yet."""
        _bytes(copy, size).view(dtype)[:] = _NOTHING[dtype]

    def drop(self, copy: int, host: int, size: int) -> None:
        del self._shadows[copy]

    def clear(self) -> None:
        self._shadows.clear()

    def hand_out(self) -> None:
        """Runs are over when they return."""

    def between(self, here: Sequence[Binding], there: Sequence[Binding]) -> ShadowedBoxes:
        return ShadowedBoxes([(a, b, self._met(a)) for a, b in zip(here, there, strict=True)])

    def _met(self, here: Binding) -> Binding:
        """A box of the caller's memory as it was when it was last in step."""
        begin, _ = here.span
        for shadow in self._shadows.values():
            if shadow.begin <= begin < shadow.begin + shadow.met.size:
                moved = here.address - shadow.begin + shadow.met.ctypes.data
                return replace(here, address=moved)
        raise AssertionError("a box of memory without a shadow copy")

    def stale(self, here: Binding, there: Binding) -> list[tuple[int, int]]:
        """Fill with NaN, in the copy, what the caller has changed in a box since it was last in
        step. First and last index of it along i, j and k, from 0; nothing where nothing is."""
        met = self._met(here)
        changed = _bits(here) != _bits(met)
        if not changed.any():
            return []
        elements(there)[changed] = _NOTHING[there.dtype]
        _bits(met)[changed] = _bits(here)[changed]
        found = []
        for axis in (3, 2, 1):
            others = tuple(other for other in range(4) if other != axis)
            (places,) = np.nonzero(changed.any(axis=others))
            found.append((int(places[0]), int(places[-1])))
        return found

    def written(self, here: Binding, mask: Binding | None = None) -> None:
        """The copy has new values in a box: those of the caller are stale. mask: of points that
        are 0 in it, nothing is new."""
        if here.blocks is not None:
            masks = mask.each() if mask is not None else [None] * len(here.each())
            for block, blank in zip(here.each(), masks, strict=True):
                self.written(block, blank)
            return
        own, met = elements(here), elements(self._met(here))
        if mask is None:
            own[...] = met[...] = _NOTHING[here.dtype]
            return
        new = np.broadcast_to(elements(mask) != 0, own.shape)
        own[new] = met[new] = _NOTHING[here.dtype]


class ShadowedBoxes:
    """Boxes of the caller, of the shadow copy, and as they were when they were last in step."""

    def __init__(self, boxes: list[tuple[Binding, Binding, Binding]]) -> None:
        self._boxes = boxes

    def bring(self) -> None:
        """The caller's values into the copy."""
        for here, there, met in self._boxes:
            _bits(there)[...] = _bits(met)[...] = _bits(here)

    def fetch(self) -> None:
        """The copy's values into the caller's memory."""
        for here, there, met in self._boxes:
            _bits(here)[...] = _bits(met)[...] = _bits(there)

    def native(self, inward: bool) -> None:
        """See `CopiedBoxes`: Python alone has what is compared."""

    def failure(self) -> None:
        """See `CopiedBoxes`: it cannot fail."""


def _bytes(address: int, size: int) -> np.ndarray:
    memory: Any = (ctypes.c_char * size).from_address(address)
    array: np.ndarray = np.frombuffer(memory, np.uint8)
    return array
