"""Colours of a run: which points of a set a kernel with colours works on, and in which order.

A leaf that BoundSets asks. What a colour reads is of the other one, so a run on several boxes goes
over all of them for each colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.errors import ArgumentError, InconsistentError
from bridge.memory.hostarrays import integer
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.order import COLOURS
from bridge.plan.plan import Plan


def one_colour(colour: Any) -> int | None:
    """A colour as a caller gives it, None where it gives none; ArgumentError for no number."""
    if colour is None:
        return None
    if isinstance(colour, bool):  # 1 and True are the same to a dictionary
        raise ArgumentError("colour", repr(colour), f"{COLOURS[0]} or {COLOURS[1]}")
    return integer("colour", colour)


def colours_of(which: Composite | Kernel, colour: int | None, boxes: int) -> Sequence[int | None]:
    """What to run one after the other: colours, None for all points of a box at once; boxes: how
    many there are. ArgumentError for a colour that there is not."""
    order = which.order if isinstance(which, Kernel) else None
    coloured = order is not None and not order.sweep
    if colour is not None:
        if not coloured:
            wanted = "a kernel whose catalogue entry has 'colours'"
            raise ArgumentError("colour", f"{colour!r} of {which.name}", wanted)
        if colour not in COLOURS:
            raise ArgumentError("colour", repr(colour), f"{COLOURS[0]} or {COLOURS[1]}")
        return (colour,)
    return COLOURS if coloured and boxes > 1 else (None,)


def refuse_boxes(plan: Plan, boxes: int) -> None:
    """ArgumentError where a plan of several stages on several boxes has colours: those of one box
    would be over before the first one of the next."""
    coloured = [step for step in plan.every_step() if step.coloured]
    if boxes > 1 and len({step.order for step in coloured}) > 1:
        kernels = ", ".join(dict.fromkeys(step.kernel for step in coloured))
        cause = f"{plan.name} runs on {boxes} boxes, and its {kernels} has colours"
        raise InconsistentError("box", cause, "give one box, or run its kernels one by one")
