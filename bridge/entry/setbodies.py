"""Python bodies of the entries for sets of points: arrays bound to them, runs, reductions,
comparisons with a loop of the host, and data that stays on a device.

Beside `bodies`, which imports them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from _bridge_entry import ffi, lib

from bridge.bound.reductions import Asked, Reduced
from bridge.entry import runbodies
from bridge.entry.calls import entry, text
from bridge.errors import ArgumentError
from bridge.frame import frame
from bridge.memory.hostarrays import (
    SECTION,
    checked_count,
    checked_rank,
    element_type,
    host_blocks,
    host_table,
    host_triples,
    host_values,
)

# ---- Arrays and runs ---------------------------------------------------------------------------


@entry
def frame_bind(
    point_set: Any, name: Any, intent: Any, address: int, bounds: Any, scale: float
) -> None:
    where = ffi.unpack(bounds, 12)
    frame.tvproperties.bind(text(point_set), text(name), text(intent), address, where, scale)


@entry
def frame_bind_typed(
    point_set: Any, name: Any, intent: Any, kind: int, address: int, bounds: Any, scale: float
) -> None:
    section = kind > SECTION
    where, dtype = ffi.unpack(bounds, 12), element_type(kind - SECTION if section else kind)
    bind, names = frame.tvproperties.bind, (text(point_set), text(name), text(intent))
    bind(*names, address, where, scale, dtype=dtype, section=section)


@entry
def frame_bind_from(point_set: Any, name: Any, other: Any, shift: Any) -> None:
    where = ffi.unpack(shift, 3)
    frame.tvproperties.bind_from(text(point_set), text(name), text(other), where)


@entry
def frame_bind_blocks_typed(
    point_set: Any,
    name: Any,
    intent: Any,
    kind: int,
    address: int,
    blocks: int,
    bounds: Any,
    offsets: Any,
    scale: float,
) -> None:
    n = checked_count("nb", blocks)
    where = host_blocks(ffi.buffer(bounds, 48 * n), ffi.buffer(offsets, 8 * n)) if n else ([], [])
    bind, dtype = frame.tvproperties.bind_many, element_type(kind)
    bind(text(point_set), text(name), text(intent), address, *where, scale, dtype=dtype)


@entry
def frame_bind_blocks(
    point_set: Any,
    name: Any,
    intent: Any,
    address: int,
    blocks: int,
    bounds: Any,
    offsets: Any,
    scale: float,
) -> None:
    frame_bind_blocks_typed(point_set, name, intent, 1, address, blocks, bounds, offsets, scale)


@entry
def frame_unbind(point_set: Any, name: Any) -> None:
    frame.tvproperties.unbind(text(point_set), text(name))


@entry
def frame_run(point_set: Any, composite_name: Any) -> None:
    runbodies.do(point_set, composite_name)


@entry
def frame_run_several(point_sets: Any, composite_names: Any) -> None:
    runbodies.do_several(point_sets, composite_names)


@entry
def frame_run_begin(point_set: Any, composite_name: Any) -> None:
    runbodies.do(point_set, composite_name, begin=True)


def box_integers(boxes: Any, n: int) -> bytes:
    if n < 1:
        raise ArgumentError("nBoxes", n, "at least 1 box of six integers")
    return bytes(ffi.buffer(boxes, 24 * n))


@entry
def frame_run_box(point_set: Any, composite_name: Any, boxes: Any, n: int) -> None:
    runbodies.do(point_set, composite_name, box_integers(boxes, n))


@entry
def frame_run_colour(point_set: Any, kernel_name: Any, colour: int) -> None:
    runbodies.do(point_set, kernel_name, colour=colour)


@entry
def frame_run_begin_box(point_set: Any, composite_name: Any, boxes: Any, n: int) -> None:
    runbodies.do(point_set, composite_name, box_integers(boxes, n), begin=True)


@entry
def frame_wait(point_set: Any) -> None:
    frame.tvproperties.wait(text(point_set))


def put(
    found: list[list[Reduced]], values: int, address: int, place: Any,
    each: Callable[[Reduced], tuple[int, ...]],
) -> None:  # fmt: skip
    """Results into arrays of the caller; each: the integers of a place, None for none."""
    results = [one for some in found for one in some]
    if values != len(results):
        raise ArgumentError("nValues", values, f"{len(results)}, one for each value")
    value = ffi.cast("double*", address)
    for number, one in enumerate(results):
        value[number] = one.value
        if place:
            where = each(one)
            place[len(where) * number : len(where) * (number + 1)] = where


def in_one_block(one: Reduced) -> tuple[int, ...]:
    return one.place or 4 * (0,)


def with_block(one: Reduced) -> tuple[int, ...]:
    return (*one.place, one.block or 1) if one.place else 5 * (0,)


def with_rank(one: Reduced) -> tuple[int, ...]:
    return (*with_block(one), one.rank or 0) if one.place else 6 * (0,)


def one_asked(quantity: Any, operation: Any, component: int) -> list[Asked]:
    return [Asked(text(quantity), text(operation), runbodies.component_of(component))]


def reduce(
    asked: Sequence[Asked], key: tuple[Any, Any, Any, list[int]], values: int, address: int,
    place: Any, each: Callable[[Reduced], tuple[int, ...]], width: int,
) -> None:  # fmt: skip
    """Reductions into arrays of the caller, kept for the next time; key: set, quantities,
    operations and components as they came; width: integers of a place."""
    found = frame.tvproperties.reductions(text(key[0]), asked)
    put(found, values, address, place, each)
    runbodies.keep_reduction(*key, values, width if place else 0)


@entry
def frame_reduce(
    point_set: Any, quantity: Any, operation: Any, component: int, values: int, address: int,
    place: Any,
) -> None:  # fmt: skip
    if place:
        frame.tvproperties.refuse_blocks(text(point_set), "place", "frame_reduce_blocks")
    key = point_set, quantity, operation, [component]
    asked = one_asked(quantity, operation, component)
    reduce(asked, key, values, address, place, in_one_block, 4)


@entry
def frame_reduce_blocks(
    point_set: Any, quantity: Any, operation: Any, component: int, values: int, address: int,
    place: Any,
) -> None:  # fmt: skip
    key = point_set, quantity, operation, [component]
    asked = one_asked(quantity, operation, component)
    reduce(asked, key, values, address, place, with_block, 5)


@entry
def frame_reduce_several(
    point_set: Any, quantities: Any, operations: Any, components: Any, n: int, values: int,
    address: int, place: Any,
) -> None:  # fmt: skip
    listed = listed_components(components, n)
    asked = runbodies.asked_of(text(quantities), text(operations), listed)
    key = point_set, quantities, operations, listed
    reduce(asked, key, values, address, place, with_block, 5)


def listed_components(components: Any, n: int) -> list[int]:
    if n < 1:
        raise ArgumentError("n", n, "at least one reduction")
    return list(ffi.unpack(components, n)) if components else n * [0]


@entry
def frame_allreduce(
    point_set: Any, quantity: Any, operation: Any, component: int, values: int, address: int,
    place: Any,
) -> None:  # fmt: skip
    asked = one_asked(quantity, operation, component)
    found = frame.tvproperties.rank_reductions(text(point_set), asked)
    put(found, values, address, place, with_rank)


@entry
def frame_allreduce_several(
    point_set: Any, quantities: Any, operations: Any, components: Any, n: int, values: int,
    address: int, place: Any,
) -> None:  # fmt: skip
    listed = listed_components(components, n)
    asked = runbodies.asked_of(text(quantities), text(operations), listed)
    found = frame.tvproperties.rank_reductions(text(point_set), asked)
    put(found, values, address, place, with_rank)


@entry
def frame_position(point_set: Any, i: int, j: int, k: int) -> None:
    frame.tvproperties.position(text(point_set), i, j, k)


@entry
def frame_position_blocks(point_set: Any, blocks: int, ijk: Any) -> None:
    n = checked_count("nb", blocks)
    frame.tvproperties.position_blocks(text(point_set), host_triples(ffi.buffer(ijk, 12 * n)))


@entry
def frame_unchanged(point_set: Any, name: Any) -> None:
    frame.tvproperties.unchanged(text(point_set), text(name))


# ---- Beside a loop of the host -----------------------------------------------------------------


@entry
def frame_compare_begin(point_set: Any, composite_name: Any, share: float) -> None:
    frame.tvproperties.compare_begin(text(point_set), text(composite_name), share)


@entry
def frame_compare(point_set: Any, composite_name: Any, worst: int) -> None:
    found = frame.tvproperties.compare(text(point_set), text(composite_name))
    ffi.cast("double*", worst)[0] = found


@entry
def frame_compare_begin_sets(point_sets: Any, composite_names: Any, share: float) -> None:
    sets, names = text(point_sets).split(), text(composite_names).split()
    frame.tvproperties.compare_begin_sets(sets, names, share)


@entry
def frame_compare_numbers(
    point_set: Any, composite_name: Any, name: Any, n: int, original: int, bridge: int,
    scale: int, worst: int,
) -> None:  # fmt: skip
    if n < 1:
        raise ArgumentError("n", n, "at least 1")
    numbers = [ffi.unpack(ffi.cast("double*", one), n) for one in (original, bridge, scale)]
    found = frame.tvproperties.compare_numbers(
        text(point_set), text(composite_name), text(name), *numbers
    )
    ffi.cast("double*", worst)[0] = found


@entry
def frame_compare_without(point_set: Any, name: Any, in_place: int) -> None:
    frame.tvproperties.compare_without(text(point_set), text(name), bool(in_place))


@entry
def frame_record(point_set: Any, composite_name: Any, file: Any) -> None:
    frame.tvproperties.record(text(point_set), text(composite_name), text(file))


@entry
def frame_record_write() -> None:
    frame.tvproperties.record_write()


# ---- Arrays that stay where they are used ------------------------------------------------------


@entry
def frame_enter_data(point_set: Any, name: Any, clause: Any, layout: Any) -> None:
    frame.tvproperties.enter_data(text(point_set), text(name), text(clause), text(layout))


@entry
def frame_exit_data(point_set: Any, name: Any, clause: Any) -> None:
    frame.tvproperties.exit_data(text(point_set), text(name), text(clause))


def listed(boxes: Any, n: int) -> bytes | None:
    if n < 0 or (n and not boxes):
        raise ArgumentError("nBoxes", n, "0 for the whole array, or the number of boxes")
    return bytes(ffi.buffer(boxes, 24 * n)) if n else None


@entry
def frame_update_device(point_set: Any, name: Any, boxes: Any, n: int) -> None:
    move = frame.tvproperties.move_boxes
    which = listed(boxes, n)
    move("update_device", text(point_set), text(name), which)
    runbodies.keep_move("update_device", point_set, name, which)


@entry
def frame_update_host(point_set: Any, name: Any, boxes: Any, n: int) -> None:
    move = frame.tvproperties.move_boxes
    which = listed(boxes, n)
    move("update_host", text(point_set), text(name), which)
    runbodies.keep_move("update_host", point_set, name, which)


def buffer_boxes(
    call: str, point_set: Any, name: Any, boxes: Any, n: int, kind: int, address: int, size: int
) -> None:
    which, dtype = listed(boxes, n), element_type(kind)
    move = frame.tvproperties.buffer_boxes
    move(call, text(point_set), text(name), which, address, size, dtype)
    runbodies.keep_move(call, point_set, name, which)


@entry
def frame_pack(point_set: Any, name: Any, boxes: Any, n: int, address: int, size: int) -> None:
    buffer_boxes("pack", point_set, name, boxes, n, 1, address, size)


@entry
def frame_unpack(point_set: Any, name: Any, boxes: Any, n: int, address: int, size: int) -> None:
    buffer_boxes("unpack", point_set, name, boxes, n, 1, address, size)


@entry
def frame_pack_typed(
    point_set: Any, name: Any, boxes: Any, n: int, kind: int, address: int, size: int
) -> None:
    buffer_boxes("pack", point_set, name, boxes, n, kind, address, size)


@entry
def frame_unpack_typed(
    point_set: Any, name: Any, boxes: Any, n: int, kind: int, address: int, size: int
) -> None:
    buffer_boxes("unpack", point_set, name, boxes, n, kind, address, size)


@entry
def frame_device_address(point_set: Any, name: Any, address: Any) -> None:
    found = frame.tvproperties.device_address(text(point_set), text(name))
    address[0] = ffi.cast("void*", found)


@entry
def frame_exchange_plan(
    name: Any, sets: Any, arrays: Any, peers: Any, tags: Any, send_blocks: Any, send_boxes: Any,
    recv_blocks: Any, recv_boxes: Any, n: int,
) -> None:  # fmt: skip
    if n < 0:
        raise ArgumentError("n", n, "a number of lines")

    def integers(values: Any, *shape: int) -> np.ndarray:
        size = 4 * math.prod(shape)
        return np.frombuffer(ffi.buffer(values, size), np.int32).reshape(shape)

    frame.tvproperties.exchanges.plan(
        text(name), text(sets), text(arrays), integers(peers, n), integers(tags, n),
        integers(send_blocks, n), integers(send_boxes, n, 6), integers(recv_blocks, n),
        integers(recv_boxes, n, 6),
    )  # fmt: skip


@entry
def frame_sequence_begin(name: Any) -> None:
    frame.tvproperties.sequences.begin(text(name))
    lib.runs_pause(1)  # Python sees each call


@entry
def frame_sequence_end() -> None:
    name = frame.tvproperties.sequences.end()
    lib.runs_pause(0)
    runbodies.keep_sequence(name)


@entry
def frame_sequence_run(name: Any) -> None:
    frame.tvproperties.sequences.run(text(name))
    runbodies.keep_sequence(text(name))


@entry
def frame_exchange(name: Any) -> None:
    frame.tvproperties.exchanges.run(text(name))
    runbodies.keep_exchange(name)


@entry
def frame_exchange_begin(name: Any) -> None:
    frame.tvproperties.exchanges.begin(text(name))


@entry
def frame_exchange_wait(name: Any) -> None:
    frame.tvproperties.exchanges.wait(text(name))
    runbodies.keep_exchange(name)


@entry
def frame_constant(name: Any, value: int, kind: int, n: int) -> None:
    frame.tvproperties.constant(text(name), host_values(value, kind, n))
    runbodies.keep_constants(name, [text(name)], single=True)


@entry
def frame_allreduce_constant(sets: Any, quantity: Any, operation: Any, constant: Any) -> None:
    asked = text(sets), text(quantity), text(operation), text(constant)
    frame.tvproperties.allreduce_constant(*asked)
    runbodies.keep_reduced_constant(sets, *asked)


@entry
def frame_constant_value(constant: Any, value: int) -> None:
    found = frame.tvproperties.constant_value(text(constant))
    ffi.cast("double*", value)[0] = found
    runbodies.keep_constant_value(constant)


@entry
def frame_python(point_set: Any, function: Any, address: int, n: int, words: Any) -> None:
    if n < 0 or (n and not address):
        got, wanted = (n, "0 or more") if n < 0 else ("NULL", f"the address of {n} doubles")
        raise ArgumentError("nValues" if n < 0 else "values", got, wanted)
    values = ffi.unpack(ffi.cast("double*", address), n) if n else ()
    frame.tvproperties.python(text(point_set), text(function), values, text(words))


@entry
def frame_constants(names: Any, values: Any, n: int) -> None:
    numbers = ffi.unpack(ffi.cast("double*", values), n) if n > 0 else []
    frame.tvproperties.constants(text(names), numbers)
    runbodies.keep_constants(names, text(names).split(), single=False)


@entry
def frame_table(name: Any, values: int, sizes: Any, rank: int) -> None:
    dimensions = ffi.unpack(sizes, checked_rank(rank))
    frame.tvproperties.table(text(name), host_table(values, dimensions))
    runbodies.keep_table(name)
