"""Constants that are reductions of arrays of a device; beside `reduction`.

kernels/gpu/constants.h does it, for Python and for callers that are no Python.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bridge.backends.base import (
    VALUE,
    Binding,
    Box,
    Condition,
    Measure,
    NativeCall,
    ReducedConstant,
    ReducedValues,
    address_of,
)
from bridge.backends.gpu.constantsource import SLOT_STRIDE, SLOTS
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import DeviceArray
from bridge.backends.gpu.reduction import (
    DeviceMeasure,
    GpuReduction,
    Listed,
    beside,
    gathered,
    launch_of,
    placed,
    table_of,
)
from bridge.backends.host.constants import HostConstant, HostPlace, Source, kind_of, source_of
from bridge.backends.orderlibrary import function, library
from bridge.compiled.order import ffi

#: Points of a thread at least, and threads of a column at most: what fills the largest device.
POINTS, LANES = 16, 1 << 17
#: Of kernels/exact.h and kernels/cpu/interface.h.
NO_KEY, PARTS, SQUARE, NONZERO = -(1 << 63), 3, 2, 3
#: What messages call it.
REDUCING = "reduction to a constant"


class GpuConstants:
    """Of a device; reduction: of arrays wherever they are."""

    def __init__(self, device: Device, reduction: GpuReduction) -> None:
        self._device, self._reduction = device, reduction
        self._places: dict[int, DevicePlace] = {}

    def place(self, value: int) -> DevicePlace:
        """See `Backend.constant_place`."""
        found = self._places.get(value)
        if found is None:
            with self._device.entered():
                found = self._places[value] = DevicePlace(self._device, value)
        return found

    def reduction(
        self, values: Sequence[ReducedValues], asked: ReducedConstant, ranks: Any
    ) -> HostConstant:
        """See `Backend.constant_reduction`."""
        device = self._device
        with device.entered(), device.watched(REDUCING):
            there = [
                one for each in values for one in (each.binding, each.mask) if one is not None
            ]
            if there and all(device.order.place(one.address) for one in there):
                return DeviceConstant(device, values, asked, ranks, self.place(asked.value))
            if {device.owner_of(one.address) for one in there} <= {None}:
                sources = [source_of(device.packing, one, asked) for one in values]
                return ConstantBeside(device, asked, sources, ranks)
            sources = [AskedInPython(self._reduction, one, asked).source for one in values]
            return ConstantInPython(device, asked, sources, ranks)


class DevicePlace(HostPlace):
    """A constant of a device. number: of its word in the block; there: a page-locked word that
    has its value once the event has come."""

    def __init__(self, device: Device, value: int) -> None:
        self._device = device
        self.number = device.host_data.number(value)
        self.there, self.event = device.allocator.host(8), device.api.event()
        super().__init__(
            value, order=device.order.made, there=ffi.cast("int64_t*", self.there),
            event=self.event,
        )  # fmt: skip

    def _checked(self, error: int) -> None:
        failed = self._device.failed_in_c(REDUCING, error)
        if failed is not None:
            raise failed

    def settle(self) -> None:
        """See `HostPlace.settle`."""
        made: Any = self._made
        word = ffi.cast("int64_t*", made.word)
        if word[0] == library().BRIDGE_ON_DEVICE:
            value = self.get()
            with self._device.lock:
                if word[0] == library().BRIDGE_ON_DEVICE:
                    self._device.host_data.changed().settled(self.number, value)

    def native(self) -> NativeCall:
        """See `backends.base.ConstantPlace`."""
        return super().native()._replace(conditions=tuple(self._device.conditions()))


class ConstantBeside(HostConstant):
    """Of arrays of the host, for kernels of a device."""

    def __init__(
        self, device: Device, asked: ReducedConstant, sources: Sequence[Source], ranks: Any
    ) -> None:
        self._device = device
        super().__init__(device.packing, asked, sources, ranks, device.host_data.changed().address)

    def go(self, fails: bool) -> bool:
        """See `backends.base.ConstantReduction`."""
        with self._device.entered():
            if self._device.running is not None:
                self._device.follow_runs()
        return super().go(fails)

    def native(self) -> NativeCall | None:
        """See `backends.base.ConstantReduction`."""
        device, block = self._device, self._device.host_data.block
        then = array("q", block)
        same = Condition(address_of(block), address_of(then), (block, then))
        conditions, lock = (*device.conditions(), same), device.order.native_lock
        found = super().native()
        assert found is not None
        return found._replace(conditions=conditions, lock=lock)

    def failure(self) -> BaseException | None:
        """See `backends.base.ConstantReduction`."""
        return self._device.failed_in_c(REDUCING, self._made.error)


class ConstantInPython(ConstantBeside):
    """Of arrays of which some are on the device, and some are not."""

    def native(self) -> None:
        """See `backends.base.ConstantReduction`."""

    def failure(self) -> BaseException | None:
        """See `backends.base.ConstantReduction`."""
        raised = [one.error for _, _, one in self._owners[0] if one.error is not None]
        return raised[0] if raised else super().failure()


class AskedInPython:
    """A source of one of them. error: why it could not give its values."""

    def __init__(
        self, reduction: GpuReduction, values: ReducedValues, asked: ReducedConstant
    ) -> None:
        self._reduction, self._values, self._asked = reduction, values, asked
        self.error: BaseException | None = None
        self._called = ffi.callback("int(void*, int, void*, int64_t*, int)", self._give)

    @property
    def source(self) -> Source:
        """The function, without an argument."""
        called: Any = self._called
        return int(ffi.cast("intptr_t", called)), 0, self

    def _give(self, _: Any, step: int, grains: Any, words: Any, threads: int) -> int:
        self.error = None
        try:
            (self._parts if step else self._first)(grains, words)
        except BaseException as error:
            self.error = error
            return 1
        return 0

    def _reduced(self, of: Binding, operation: str, measure: Measure) -> Any:
        return self._reduction.reduce(of, operation, self._values.mask, measure)

    def _first(self, _: Any, words: Any) -> None:
        asked, binding = self._asked, self._values.binding
        if asked.operation == "sum" and not asked.summed:
            found = self._reduced(binding, "sum", asked.measure)
            words[0] += int(sum(one.value for one in found))
            return
        if asked.summed:
            each = [("max", 1.0, VALUE, 0), ("min", -1.0, VALUE, 1)]
        else:
            sign = -1.0 if asked.operation == "min" else 1.0
            each = [(asked.operation, sign, asked.measure, 0)]
        for operation, sign, measure, at in each:
            for column, one in enumerate(self._reduced(binding, operation, measure)):
                word = at + 2 * column if asked.summed else 0
                if one.point >= 0:
                    key = library().bridge_constant_key(sign * one.value)
                    words[word] = max(words[word], key)

    def _parts(self, grains: Any, words: Any) -> None:
        binding, of = self._values.binding, self._asked.measure
        for column in range(binding.columns):
            at = int(ffi.cast("intptr_t", grains)) + column * library().BRIDGE_GRAINS
            mine = np.frombuffer(ctypes.string_at(at, library().BRIDGE_GRAINS), GRAINS)[0]
            grain, last, shift = (mine[name] for name in ("grain", "last", "shift"))
            if not 0.0 < mine["measured"] < np.inf:
                continue
            halved = int(shift) // 2 if of.of == SQUARE else int(shift)
            one = binding if binding.columns == 1 else binding.columns_from(column, 1)
            one = replace(one, scale=one.scale * 2.0**-halved)
            for part in range(PARTS):
                measure = of._replace(part=part + 1, grains=tuple(grain.tolist()))
                [found] = self._reduced(one, "sum", measure)
                words[PARTS * column + part] += int(np.ldexp(found.value, -int(last[part])))


#: bridge_grains of kernels/exact.h.
GRAINS = np.dtype([("grain", "f8", 3), ("measured", "f8"), ("last", "i4", 3), ("shift", "i4")])


class DeviceConstant(ConstantBeside):
    """Of arrays of the device. One rank does not wait for it."""

    def __init__(
        self, device: Device, values: Sequence[ReducedValues], asked: ReducedConstant, ranks: Any,
        place: DevicePlace,
    ) -> None:  # fmt: skip
        lib = library()
        self._device, self._asked = device, asked
        self._kept: list[Any] = [values, place]  # what the structs point to
        columns, kind = asked.columns, kind_of(asked)
        words = 2 * columns if asked.summed else 1
        parts, slots = PARTS * columns, SLOTS * SLOT_STRIDE
        doubles = max(words, parts) * slots + words + parts
        size = 8 * doubles + columns * lib.BRIDGE_GRAINS
        # What is made anew after a bind finds it: each reduction of this constant begins with it.
        self._key = "reduced constant", place.number, size
        memory = device.pool.device(self._key, size, "memory of a constant")
        self._slots = ctypes.c_void_p(memory)
        first = memory + 8 * max(words, parts) * slots
        second, grains = first + 8 * words, first + 8 * (words + parts)
        self._words = ctypes.c_void_p(first), ctypes.c_void_p(second)
        self._grains, self._points = ctypes.c_void_p(grains), ctypes.c_longlong(0)
        self._reads: list[int] = []
        self._writes = [memory, device.host_data.block[0]]
        near = [self._near(one) for one in values]
        keys = asked.operation != "sum" or asked.summed
        listed = self._step(near, 0, words, keys)
        n_first, n_second = len(listed), 0
        if asked.summed:
            listed.append(self._made_grains())
            then = self._step(near, 1, parts, False)
            n_second = len(then)
            listed += then
        listed.append(self._end(kind, place))
        launches = [launch_of(device, *one, self._kept) for one in listed]
        struct: Any = ffi.new("bridge_constant_device*", {
            "order": device.order.made,
            "values": ffi.cast("bridge_values*", device.host_data.changed().address),
            "reads": self._keep("int64_t[]", self._reads), "n_reads": len(self._reads),
            "writes": self._keep("int64_t[]", self._writes), "n_writes": len(self._writes),
            "launches": self._keep("bridge_launch[]", launches), "n_first": n_first,
            "n_second": n_second, "words": [first, second], "n_words": [words, parts],
            "near": grains, "n_grains": columns * lib.BRIDGE_GRAINS, "keys": keys,
            "event": place.event, "place": place.number,
            "name": device.recent.number(REDUCING),
        })  # fmt: skip
        self._kept.append(struct)
        sources = []
        if ranks is not None:
            size = 8 * max(words, parts) + columns * lib.BRIDGE_GRAINS
            struct.staging = device.pool.staging(self._key).at_least(size)
            address = int(ffi.cast("intptr_t", struct))
            sources.append((function("bridge_constant_of_device"), address, self._kept))
        super().__init__(device, asked, sources, ranks)
        #: The `bridge_constant_device` of one rank; null where the host has a part in it.
        self.of_device = struct if ranks is None else ffi.NULL
        self._made.device = self.of_device

    def native(self) -> NativeCall | None:
        """See `backends.base.ConstantReduction`."""
        found = super().native()
        return None if found is None else found._replace(captured=self.of_device != ffi.NULL)

    def _keep(self, kind: str, value: Any) -> Any:
        made = ffi.new(kind, value)
        self._kept.append(made)
        return made

    def agree(self, points: int, columns: int) -> None:
        """See `backends.base.ConstantReduction`."""
        super().agree(points, columns)
        self._points.value = points

    def _own_memory(self, columns: int, points: int, dtype: str, what: str) -> DeviceArray:
        """Memory of its own, which it writes."""
        made = DeviceArray(
            self._device.allocator, columns, points, dtype, what, self._device.synchronize
        )
        self._writes.append(made.address)
        self._kept.append(made)
        return made

    def _near(self, values: ReducedValues) -> tuple[list[Listed], Binding, ctypes.c_void_p]:
        """What brings the values of a set and its mask side by side, where they do not lie so; the
        values, and the mask's address."""
        found: list[Listed] = []
        source, mask, near = values.binding, values.mask, ctypes.c_void_p(0)
        self._reads.append(self._device.order.place(source.address) or 0)
        if mask is not None:
            self._reads.append(self._device.order.place(mask.address) or 0)
            mask = self._flat(mask, found)
            words = self._own_memory(1, mask.box.points, "int32", "mask of a reduction")
            near = ctypes.c_void_p(words.address)
            found.append(gathered(mask, near))
        return found, self._flat(source, found), near

    def _flat(self, source: Binding, listed: list[Listed]) -> Binding:
        blocks, points = source.blocks, source.box.points
        if blocks is None or blocks.is_flat:
            return source
        table = table_of(blocks)
        rows = self._own_memory(1, table.size, "int64", "table of blocks")
        self._device.allocator.put(rows.address, table)
        near = self._own_memory(source.columns, points, source.dtype, "values of a reduction")
        listed.append(beside(source, rows.address, len(table), near.address))
        return replace(source, address=near.address, box=Box.flat(points, points), blocks=None)

    def _step(
        self, near: Sequence[tuple[list[Listed], Binding, ctypes.c_void_p]], step: int, words: int,
        keys: bool,
    ) -> list[Listed]:  # fmt: skip
        """What leaves the words of a step."""
        asked, size = self._asked, words * SLOTS
        numbers = [ctypes.c_longlong(one) for one in (size, NO_KEY if keys else 0)]
        found: list[Listed] = [("constant_clear", size, [self._slots, *numbers])]
        for before, source, mask in near:
            far, box = placed(source)
            points = source.box.points
            lanes = max(1, min(-(-points // POINTS), LANES))
            counts = ctypes.c_longlong(points), ctypes.c_longlong(lanes)
            arguments = [far, box, mask, self._slots, *counts]
            of = asked.measure.of
            if step:
                arguments += [self._grains, ctypes.c_int(of)]
            else:
                if asked.operation == "any" and of == VALUE.of:
                    of = NONZERO
                measure = DeviceMeasure(VALUE.of if asked.summed else of)
                arguments += [ctypes.c_int(kind_of(asked)), measure]
                found += before
            kernel = f"constant_{'parts' if step else 'first'}_{source.dtype}"
            found.append((kernel, lanes * source.columns, arguments))
        fold = [self._slots, self._words[step], ctypes.c_longlong(words), ctypes.c_int(keys)]
        return [*found, ("constant_fold", words, fold)]

    def _made_grains(self) -> Listed:
        columns = self._asked.columns
        arguments = [
            self._words[0], self._grains, ctypes.c_longlong(columns), self._points,
            ctypes.c_int(self._asked.measure.of),
        ]  # fmt: skip
        return "constant_grains", columns, arguments

    def _end(self, kind: int, place: DevicePlace) -> Listed:
        asked = self._asked
        there = self._device.host_data.constant(asked.value)
        arguments = [
            self._words[asked.summed], self._grains, ctypes.c_longlong(asked.columns),
            ctypes.c_int(kind), ctypes.c_int(asked.root), ctypes.c_double(asked.none),
            ctypes.c_void_p(there), ctypes.c_void_p(place.there),
        ]  # fmt: skip
        return "constant_end", 1, arguments
