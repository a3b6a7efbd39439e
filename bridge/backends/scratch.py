"""Offsets in memory of the values between a plan's kernels: those that never live at the same time
share memory.

Between a plan and any backend's program, which says what the memory is.
"""

from __future__ import annotations

from collections.abc import Iterator

from bridge.plan.plan import Loop, Plan


def lives(plan: Plan) -> list[tuple[int, int]]:
    """First and last step of each slot's life: inputs live from -1, outputs past the last step.

    What a loop shares with the steps around it lives through the loop: a later iteration runs on
    some vectors only and must not write over the finished ones.
    """
    uses: list[list[int]] = [[] for _ in plan.slots]
    loops: list[tuple[int, int]] = []
    position = 0
    for item in plan.steps:
        body = item.steps if isinstance(item, Loop) else (item,)
        if isinstance(item, Loop):
            loops.append((position, position + len(body) - 1))
            uses[item.done] += loops[-1]
        for step in body:
            for index in step.slots:
                uses[index].append(position)
            position += 1
    for index, slot in enumerate(plan.slots):
        if slot.zero or index in plan.inputs.values():
            uses[index].append(-1)
        if index in plan.outputs.values() or index == plan.mask:
            uses[index].append(position)
    lives = [(min(use), max(use)) if use else (0, -1) for use in uses]
    for begin, end in loops:
        for index, (first, last) in enumerate(lives):
            inside = any(begin <= use <= end for use in uses[index])
            if inside and (first < begin or last > end):
                lives[index] = (min(first, begin), max(last, end))
    return lives


def offsets(lengths: list[int], lives: list[tuple[int, int]]) -> tuple[list[int], int]:
    """Offsets in one allocation for values that live over given steps; those that never live at
    the same time share memory, so that a block's working set stays in the cache.

    lengths: of each value, in bytes; lives: (first step, last step) of each, (0, -1) for none.
    Returns offsets and the length of the allocation.
    """
    found = [0] * len(lengths)
    taken: list[tuple[int, int, int]] = []  # first and past the last byte, last step of its life
    total = 0
    for value in sorted(_living(lives), key=lambda v: (lives[v][0], -lengths[v])):
        begin, end = lives[value]
        taken = sorted(one for one in taken if one[2] >= begin)
        offset = 0
        for low, high, _ in taken:
            if low - offset >= lengths[value]:
                break
            offset = max(offset, high)
        found[value] = offset
        taken.append((offset, offset + lengths[value], end))
        total = max(total, offset + lengths[value])
    return found, total


def _living(lives: list[tuple[int, int]]) -> Iterator[int]:
    return (value for value, (begin, end) in enumerate(lives) if end >= begin)
