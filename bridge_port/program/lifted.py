"""A procedure inside another one as a procedure of its own: the variables of the unit around it
that it, or a procedure that it calls, names are its last arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bridge_port.program.captured import captured, with_arguments
from bridge_port.program.symbols import Symbol
from bridge_port.syntax.expressions import Expression, Number, Unary
from bridge_port.syntax.units import Dimension, Unit

if TYPE_CHECKING:
    from bridge_port.program.program import Program


def lifted(program: Program, unit: Unit) -> Unit:
    """The unit itself where it stands in no procedure, or names no variable of that."""
    around = unit.parent
    if around is None or around.kind not in ("subroutine", "function", "program"):
        return unit
    held = captured(program, around, unit)
    symbols = held.get(unit.name, {})
    if not symbols:
        return unit
    made = with_arguments(around, held)
    inner = next(one for one in made.units if one.name == unit.name)
    shapes = {inner.captured[name]: _shape(symbol) for name, symbol in symbols.items()}
    inner.declarations = [
        replace(one, dimensions=shapes[one.name]) if shapes.get(one.name) else one
        for one in inner.declarations
    ]
    return inner


def _shape(symbol: Symbol) -> tuple[Dimension, ...] | None:
    """Of an array whose bounds are constants: nobody passes it, so its declaration says them."""
    bounds = symbol.scope.bounds(symbol)
    if symbol.attributes & {"allocatable", "pointer"}:
        return None
    found = []
    for lower, upper in bounds:
        if lower is None or upper is None:
            return None
        found.append(Dimension(_number(lower), _number(upper)))
    return tuple(found)


def _number(value: int) -> Expression:
    return Number(str(value)) if value >= 0 else Unary("-", Number(str(-value)))
