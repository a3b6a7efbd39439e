"""Residency: which memory of the caller has a copy where kernels run, and what moves between them.

Owned by TVImpl, which asks where a run finds its arrays; TVProperties calls what a caller may ask
for. With OpenACC's words and meaning: enter, exit, update, counted references. Where kernels read
the caller's memory (a CPU) all of it is bookkeeping, unless a shadow copy stands for a device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from bridge import log
from bridge.backends.base import Backend, Binding, Box
from bridge.errors import ArgumentError, StateError, known_start
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan
from bridge.plan.stages import reach
from bridge.resident.boxes import Listed, parts_of, pieces_of
from bridge.resident.copies import LAYOUTS, Resident, WholeArray
from bridge.resident.shadow import ShadowCopies
from bridge.resident.uses import Held, MovedBoxes, Touched, Used, refuse_read_only

ENTER, EXIT = ("copyin", "create"), ("copyout", "delete")


class Residency:
    """All resident memory of a Frame.

    backend: where kernels run; check: of a CPU, one of `settings.CHECKS`.
    """

    def __init__(self, backend: Backend, check: str = "off") -> None:
        self._backend = backend
        self._shadow: ShadowCopies | None = None
        self._copies = backend.device_copies
        if check != "off" and self._copies is None:
            self._copies = self._shadow = ShadowCopies()
        self._fringes = check == "fringes" and self._shadow is not None
        self._residents: list[Resident] = []

    # ---- entering and leaving ---------------------------------------------------------------

    def enter(self, set: str, array: Held, clause: str, layout: str) -> bool:
        """Give the memory of an array a copy, or count one more reference to it; whether it is
        a new one."""
        one_of("clause", clause, ENTER)
        one_of("layout", layout, LAYOUTS)
        whole = array.whole
        if not self._looked_at(array):
            return False
        label = f"'{array.name}' of set '{set}'"
        if whole.section:
            wanted = "an array bound whole, the part as its interior (SptX, EptX, ...)"
            raise ArgumentError("name", f"{label}, a section of a larger array", wanted)
        if whole.arrays is not None and layout == "device":
            wanted = "'host': copies of many blocks have the caller's order"
            raise ArgumentError("layout", f"'device' for {label}, which is many blocks", wanted)
        found = self._holding(label, whole.address, whole.end)
        if found is not None:
            if found.layout != layout:
                wanted = f"'{found.layout}', with which {found.label} entered this memory"
                raise ArgumentError("layout", repr(layout), wanted)
            found.located(array.binding, label)
            found.count += 1
            return False
        address = whole.address
        if self._copies is not None:
            first = Resident(whole, label, layout, 0).bytes_before(array.binding, label)
            address = self._copies.make(whole.address, whole.size, label, first)
        resident = Resident(whole, label, layout, address)
        try:
            if clause == "copyin":
                self._whole(resident, "bring")
            elif self._shadow is not None:
                self._shadow.nothing(address, whole.size, whole.dtype)
        except BaseException:
            if self._copies is not None:
                self._copies.drop(address, whole.address, whole.size)
            raise
        if self._fringes:
            from bridge.resident.fringes import Fills

            resident.fills = Fills(everything(whole))
            if clause == "copyin":
                resident.fills.fill(everything(whole), f"frame_enter_data of '{array.name}'")
        self._residents.append(resident)
        return True

    def leave(
        self, set: str, array: Held, clause: str, gone: Callable[[WholeArray], None]
    ) -> None:
        """Count one reference less; the last one copies out or not, and gives the copy back.
        gone: forgets what was made for the copy of this memory; nothing finds it any more, and it
        is still there."""
        one_of("clause", clause, EXIT)
        if not self._looked_at(array):
            return
        resident = self.of(f"frame_exit_data of '{array.name}'", set, array)
        if resident.count > 1:
            resident.count -= 1
            return
        if clause == "copyout" and resident.address != resident.whole.address:
            refuse_read_only(array.name, resident.whole)
            self._whole(resident, "fetch")
        self._residents.remove(resident)
        whole = resident.whole
        gone(whole)
        if self._copies is not None:
            self._copies.drop(resident.address, whole.address, whole.size)

    def _whole(self, resident: Resident, direction: str) -> None:
        """All elements, to the copy or from it."""
        if self._copies is None:
            return
        here = everything(resident.whole)
        there = resident.located(here, resident.label)
        moved = self._copies.between([here], [there])
        (moved.bring if direction == "bring" else moved.fetch)()

    # ---- what has a copy ----------------------------------------------------------------------

    def _looked_at(self, array: Held) -> bool:
        """Whether it has points, or none at present and memory that is resident. Else its address
        may be anything."""
        whole = array.whole
        return bool(array.binding.elements) or any(
            whole.size > 0 and one.holds(whole.address, whole.end) for one in self._residents
        )

    def of(self, call: str, set: str, array: Held) -> Resident:
        """The copy of an array's memory; StateError where it has none."""
        found = self._of_array(set, array)
        if found is None:
            known = ", ".join(one.label for one in self._residents) or "none"
            raise StateError(
                f"{call}: the array of set '{set}' is not resident (resident: {known}): call "
                "frame_enter_data first"
            )
        return found

    def _of_array(self, set: str, array: Held) -> Resident | None:
        whole = array.whole
        begin, end = array.binding.span if whole.section else (whole.address, whole.end)
        return self._holding(f"'{array.name}' of set '{set}'", begin, end)

    def _holding(self, label: str, begin: int, end: int) -> Resident | None:
        """What holds all of this memory; ArgumentError where something holds a part of it."""
        for one in self._residents:
            if one.holds(begin, end):
                return one
            if one.overlaps(begin, end):
                raise ArgumentError(
                    "name",
                    f"{label}, partially present: {one.label} holds a part of its memory",
                    "an array all of whose memory is resident, or none of it",
                )
        return None

    def located(self, binding: Binding, name: str) -> Binding:
        """The binding of the same box in the copy of its memory, or the binding itself."""
        resident = self._resident_of(binding, name)
        return binding if resident is None else resident.located(binding, name)

    def _resident_of(self, binding: Binding, name: str) -> Resident | None:
        if not self._residents or binding.position or not binding.elements:
            return None
        label = f"'{name}' of set '{binding.group}'"
        return self._holding(label, *binding.span)

    def all_located(self, bindings: Mapping[str, Binding]) -> dict[str, Binding]:
        """`located` of the bindings of a plan."""
        return {name: self.located(binding, name) for name, binding in bindings.items()}

    def touched(self, plan: Plan, bindings: Mapping[str, Binding]) -> Touched | None:
        """The resident arrays among the bindings of a plan; None where a run need not say what it
        does."""
        if self._copies is None or not self._residents:
            return None
        extent = next(bindings[name].box.extent for name in plan.outputs)
        around, _ = reach(plan, extent)
        inputs = self._used(
            {n: bindings[n].grown(around.get(slot, Fringe())) for n, slot in plan.inputs.items()}
        )
        outputs = self._used({name: bindings[name] for name in plan.outputs})
        if not inputs and not outputs:
            return None
        mask = next((name for name in plan.inputs if plan.inputs[name] == plan.mask), None)
        masked = None if mask is None else self.located(bindings[mask], mask)
        near = []
        if self._fringes:  # of what is read at any cell nobody knows which are read
            cells = {n for n, slot in plan.inputs.items() if around.get(slot, Fringe()).cells}
            near = [one for one in inputs if one.name not in cells and not one.here.section]
        return Touched(inputs, outputs, masked, self._shadow, near)

    def read(self, bindings: Mapping[str, Binding]) -> Touched | None:
        """The same for arrays that are read as they are."""
        used = self._used(bindings)
        return Touched(used, [], None, self._shadow) if used else None

    def write(self, bindings: Mapping[str, Binding]) -> Touched | None:
        """The same for arrays that are written as they are."""
        used = self._used(bindings)
        return Touched([], used, None, self._shadow) if used else None

    def _used(self, bindings: Mapping[str, Binding]) -> list[Used]:
        found = []
        for name, binding in bindings.items():
            resident = self._resident_of(binding, name)
            if resident is not None and resident.address != resident.whole.address:
                there = resident.located(binding, name)
                found.append(Used(name, binding, there, resident))
        return found

    # ---- moving boxes -------------------------------------------------------------------------

    def boxes(
        self, call: str, set: str, array: Held, which: Listed, updated: bool,
        block: int | None = None,
    ) -> MovedBoxes:  # fmt: skip
        """Boxes of an array; updated: for updates, which need it to be resident; block: of many
        blocks the one that the boxes are of, from 0."""
        binding, resident = array.binding, None
        arrays = array.whole.arrays
        if block is not None:
            binding, arrays = binding.block(block), None
        if array.whole.section:  # nobody knows where its fringe ends
            binding = replace(binding, fringe=Fringe())
        parts = [] if arrays is not None else parts_of(which, binding, array.name)
        if arrays is not None and binding.box.points:
            parts = pieces_of(arrays)
        if parts and not self._looked_at(array):
            if which is not None:
                raise ArgumentError("boxes", "points of an empty block", "no points")
            parts = []
        parts = [part for part in parts if part.elements]
        if parts:
            resident = self.of(call, set, array) if updated else self._of_array(set, array)
        there = parts
        if resident is not None:
            there = [resident.located(part, array.name) for part in parts]
        copied = None
        if updated and self._copies is not None:
            copied = self._copies.between(parts, there)
        lists = self._backend.boxes(there if arrays is None else [])
        if arrays is not None and parts:  # for who asks what is newer: as blocks
            parts = [arrays]
            there = [arrays if resident is None else resident.located(arrays, array.name)]
        return MovedBoxes(array, parts, resident, there, lists, copied, self._shadow)

    def address(self, set: str, array: Held) -> int:
        """Address of the array's first element in the copy."""
        call = f"frame_device_address of '{array.name}'"
        if not self._looked_at(array):
            return 0
        resident = self.of(call, set, array)
        if resident.layout == "device":
            raise ArgumentError(
                "name",
                f"{resident.label}, resident with layout 'device'",
                "an array that entered with layout 'host': its copy has the caller's order",
            )
        if self._copies is not None:
            self._copies.hand_out()
        return resident.address + array.binding.address - resident.whole.address

    # ---- failure and end ----------------------------------------------------------------------

    def newer(self) -> list[str]:
        """Arrays whose current values are in a copy alone."""
        return [one.label for one in self._residents if one.newer]

    def alone(self) -> str:
        """What to say of them after a failure of the device; "" where there are none."""
        names = ", ".join(self.newer())
        return f"; current values that were on the device alone: {names}" if names else ""

    def close(self) -> None:
        """Every copy goes, and nothing is copied out: the backend gives their memory back."""
        names = ", ".join(self.newer())
        if names:
            log.say(
                "warning: nothing is copied out at the end, and current values were on the device "
                f"alone: {names}; frame_exit_data(set, name, 'copyout') copies them"
            )
        self._residents.clear()
        if self._shadow is not None:
            self._shadow.clear()


def everything(whole: WholeArray) -> Binding:
    """All elements of an array, its points as one row."""
    points, components = whole.points, whole.components
    if whole.component_first:
        box = Box((points, 1, 1), (components, 1, 1), 1)
    else:
        box = Box.flat(points, points)
    return Binding(whole.address, box, components, dtype=whole.dtype)


def one_of(argument: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        start = known_start(value, known) if isinstance(value, str) else ""
        raise ArgumentError(argument, repr(value), f"one of {', '.join(known)}", start)
