"""What runs and moves do to resident memory: what they read and write of it is noted,
and a read of what the host has changed is told."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from bridge import log
from bridge.backends.base import (
    Binding,
    BoxList,
    Condition,
    CopiedBoxes,
    NativeCall,
    address_of,
)
from bridge.errors import ArgumentError, BridgeError
from bridge.resident.copies import Resident, WholeArray
from bridge.resident.shadow import ShadowCopies


class Held(Protocol):
    """A bound array."""

    @property
    def name(self) -> str: ...
    @property
    def binding(self) -> Binding: ...
    @property
    def whole(self) -> WholeArray: ...


@dataclass
class Used:
    """A box of resident memory that a run reads or writes."""

    name: str
    here: Binding
    there: Binding
    resident: Resident
    #: Changes of what is newer in the copy, when this box was known to be, and when nothing of it
    #: was; as words, for who compares them without Python.
    _met: array[int] = field(default_factory=lambda: array("q", (-1,)))
    _same: array[int] = field(default_factory=lambda: array("q", (-1,)))

    def written(self) -> None:
        """It has its latest values in the copy alone."""
        if self._met != self.resident.changes:
            self.resident.written(self.here)
            self._met[0] = self.resident.changes[0]

    def moved(self) -> None:
        """The array has the values of the copy, or the copy those of the array."""
        if self._same != self.resident.changes:
            self.resident.fetched(self.here)
            self._same[0] = self.resident.changes[0]

    def filled(self, call: str, mask: Binding | None = None) -> None:
        """It has new values by a call; mask: of points that are 0 in it, nothing is new."""
        if self.resident.fills is not None:
            self.resident.fills.fill(self.here, call, self, mask)

    def condition(self, moved: bool = False) -> Condition:
        """Of a run, or else an update, that has nothing to note of it."""
        changes, met = self.resident.changes, self._same if moved else self._met
        return Condition(address_of(changes), address_of(met), (changes, met))


class Touched:
    """The resident arrays of a run: told before it begins and after it has ended."""

    def __init__(
        self, reads: list[Used], writes: list[Used], mask: Binding | None,
        shadow: ShadowCopies | None, near: Sequence[Used] = (),
    ) -> None:  # fmt: skip
        """near: those reads whose fringes are looked at."""
        self._reads = reads
        self._writes = writes
        self._mask = mask
        self._shadow = shadow
        self._near = near
        self._label = ""

    def before(self, label: str) -> None:
        """A run begins; label: what it is called."""
        if self._shadow is not None:
            for used in self._reads:
                warn_of_stale(self._shadow, used, label)
            for used in self._near:
                warn_of_unfilled(used, self._writes, label)
            self._label = label
        for used in self._writes:
            used.written()

    @property
    def quiet(self) -> bool:
        """Whether there is nothing to look at before a run and nothing to fill after it."""
        return self._shadow is None

    def conditions(self) -> list[Condition]:
        """Of a run that has nothing to note."""
        return [used.condition() for used in self._writes]

    def after(self) -> None:
        """It has written its outputs."""
        if self._shadow is not None:
            for used in self._writes:
                self._shadow.written(used.here, self._mask)
                used.filled(self._label, self._mask)


class MovedBoxes:
    """Boxes of a bound array, looked up once: moved as often as a caller asks for it."""

    def __init__(
        self, array: Held, parts: list[Binding], resident: Resident | None,
        there: list[Binding], lists: BoxList, copied: CopiedBoxes | None,
        shadow: ShadowCopies | None,
    ) -> None:  # fmt: skip
        self.elements = sum(part.elements for part in parts)
        self.dtype = array.binding.dtype
        self.bytes = self.elements * array.binding.itemsize
        #: Where the values are; whether no two of the boxes have a point in common.
        self.places = [place for place in there if place.elements]
        spans = [place.span for place in self.places]
        #: First and one past the last byte of what lies between their ends.
        self.span = min((a for a, _ in spans), default=0), max((b for _, b in spans), default=0)
        self.apart = False
        self._array = array
        self._used = []
        if resident is not None and resident.address != resident.whole.address:
            both = zip(parts, there, strict=True)
            self._used = [Used(array.name, here, moved, resident) for here, moved in both]
        self._lists = lists
        self._copied = copied
        self._shadow = shadow

    def natives(self, call: str) -> list[NativeCall] | None:
        """One of the entries' calls ("pack", ...) for callers that are no Python, none where there
        is nothing to move; None where only Python can do it. Asked once it was done."""
        if self._shadow is not None:
            return None
        updated = call.startswith("update")
        if updated and self._copied is None:
            return []
        inward, boxes = call in ("unpack", "update_device"), self._copied or self._lists
        made = boxes.native(inward)
        if made is None or call == "pack":
            return None if made is None else [made]
        conditions = (*made.conditions, *(used.condition(updated) for used in self._used))
        return [made._replace(conditions=conditions)]

    def failure(self) -> BridgeError | None:
        """Why such a call failed, if one did."""
        return (self._copied or self._lists).failure()

    def overlap(self, begin: int, end: int) -> bool:
        """Whether memory lies between the ends of the boxes, and so perhaps in one of them."""
        return begin < self.span[1] and self.span[0] < end

    def bring(self) -> None:
        """To the copy; nothing where there is none."""
        if self._copied is not None:
            self._copied.bring()
            for used in self._used:
                used.moved()
                if self._shadow is not None:
                    used.filled(f"frame_update_device of '{used.name}'")

    def fetch(self) -> None:
        """From the copy."""
        if self._copied is not None:
            refuse_read_only(self._array.name, self._array.whole)
            self._copied.fetch()
            for used in self._used:
                used.moved()

    def pack(self, buffer: int, label: str) -> None:
        """Into a buffer, from where the array's values are."""
        self.read(label)
        self._lists.pack(buffer)

    def unpack(self, buffer: int, label: str) -> None:
        """From a buffer, to where the array's values are."""
        self.refuse_read_only()
        self._lists.unpack(buffer)
        self.written(label)

    @property
    def quiet(self) -> bool:
        """Whether nobody has to see each read and write of them, but for `conditions`."""
        return self._shadow is None

    def conditions(self) -> list[Condition]:
        """Of a write that has nothing to note."""
        return [used.condition() for used in self._used]

    def read(self, label: str) -> None:
        """Somebody reads the values where they are; label: for messages."""
        if self._shadow is not None:
            for used in self._used:
                warn_of_stale(self._shadow, used, label)

    def written(self, label: str) -> None:
        """Somebody has written the values where they are; label: for messages."""
        for used in self._used:
            used.written()
            if self._shadow is not None:
                self._shadow.written(used.here)
                used.filled(label)

    def refuse_read_only(self) -> None:
        """ArgumentError where they are memory of the caller that cannot be written."""
        if not self._used:
            refuse_read_only(self._array.name, self._array.whole)


def warn_of_stale(shadow: ShadowCopies, used: Used, label: str) -> None:
    """A line where the caller has changed what is read now, with the box of changed points, or the
    blocks that have some."""
    each = zip(used.here.each(), used.there.each(), strict=True)
    found = [shadow.stale(here, there) for here, there in each]
    if not any(found):
        return
    if used.here.blocks is not None:
        numbers = np.flatnonzero(used.here.blocks.sizes)[[bool(one) for one in found]] + 1
        others = f" and {len(numbers) - 1} others" if len(numbers) > 1 else ""
        where = f"in block {numbers[0]}{others}"
    else:
        axes = zip("ijk", found[0], used.here.fringe.lower, strict=True)
        box = ", ".join(f"{axis} = {a + 1 + low}..{b + 1 + low}" for axis, (a, b), low in axes)
        where = f"at {box} (positions as SptX counts them)"
    log.say(
        f"warning: {label} reads '{used.name}' in the memory of {used.resident.label}, which "
        f"the host has changed without frame_update_device: NaN stands on the device {where}"
    )


def warn_of_unfilled(used: Used, writes: Sequence[Used], label: str) -> None:
    """A line, the first time for each side, where a run reads layers of the fringe that are older
    than the interior, and does not write them itself."""
    fills = used.resident.fills
    if fills is None:
        return
    own = [one.here for one in writes if one.resident is used.resident]
    places, since = [], ""
    for one in fills.older(used.here, own):
        key = label, used.name, one.block, one.side
        if key in fills.told:
            continue
        fills.told.add(key)
        since = since or one.since
        axes = zip("ijk", one.positions, strict=True)
        box = ", ".join(f"{axis} = {a}..{b}" for axis, (a, b) in axes)
        places.append(box if one.block is None else f"{box} in block {one.block + 1}")
    if not places:
        return
    more = f" and {len(places) - 6} others" if len(places) > 6 else ""
    log.say(
        f"warning: {label} reads the fringe of '{used.name}' in the memory of "
        f"{used.resident.label} at {'; '.join(places[:6])}{more} (positions as SptX counts "
        f"them), which nothing has filled since {since} changed the interior"
    )


def refuse_read_only(name: str, whole: WholeArray) -> None:
    """ArgumentError where the caller's memory cannot be written."""
    flags = getattr(whole.owner, "flags", None)
    if flags is not None and not flags.writeable:
        raise ArgumentError("name", f"'{name}', a read-only array", "one that can be written")
