"""Procedures inside others with the variables of those as arguments; copies of procedures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bridge_port.program.symbols import DUMMY, LOCAL, RESULT, SAVED, Symbol, Units
from bridge_port.program.unknownnames import implicit_host, mentioned_names
from bridge_port.refusal import Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax.expressions import Expression, Name, Number, Unary
from bridge_port.syntax.statements import Call, walk
from bridge_port.syntax.units import Declaration, Dimension, TypeName, Unit, ends

#: Of its variables, those that a procedure inside may see.
_SEEN = (LOCAL, DUMMY, RESULT, SAVED)
_KEPT = frozenset(("optional", "target", "pointer", "allocatable"))


def copied(unit: Unit, **changes: Any) -> Unit:
    """With lists of its own, and procedures inside that have it around them."""
    made = replace(
        unit, declarations=list(unit.declarations), aliases=dict(unit.aliases),
        captures=dict(unit.captures), language=set(unit.language), types=dict(unit.types),
        captured=dict(unit.captured),
    )  # fmt: skip
    made = replace(made, **changes)
    made.units = [copied(inner, parent=made) for inner in made.units]
    return made


def captured(program: Units, unit: Unit, only: Unit | None = None) -> dict[str, dict[str, Symbol]]:
    """Procedure inside -> name -> variable of the unit that it, or one that it calls, names. only:
    of this one, and of those that it calls."""
    inside = {inner.name: inner for inner in unit.units}
    found: dict[str, dict[str, Symbol]] = {}
    calls: dict[str, list[str]] = {}
    waiting = list(inside) if only is None else [only.name]
    while waiting:
        name = waiting.pop(0)
        if name in found:
            continue
        inner = inside[name]
        names = set(_names(inner))
        for one in names & unit.captures.keys():
            names |= set(unit.captures[one].values())
        found[name] = dict(_variables(program, unit, inner, names))
        calls[name] = sorted(names & inside.keys())  # the order of the arguments
        waiting += calls[name]
    again = True
    while again:
        again = False
        for name, called in calls.items():
            for other in called:
                more = {v: s for v, s in found[other].items() if v not in found[name]}
                found[name] |= more
                again |= bool(more)
    return {name: held for name, held in found.items() if held}


def _names(unit: Unit) -> Iterator[str]:
    """That stand anywhere in it, of procedures that it calls among them."""
    yield from mentioned_names(unit)
    for statement in walk(unit.body):
        if isinstance(statement, Call) and isinstance(statement.procedure, Name):
            yield statement.procedure.id
    for declared in unit.declarations:
        yield from (name for e in ends(declared.dimensions) for name in e.names)
    for function in unit.statement_functions.values():
        yield from function.value.names


def _variables(
    program: Units, unit: Unit, inner: Unit, names: set[str]
) -> Iterator[tuple[str, Symbol]]:
    around, scope = program.scope(unit), program.scope(inner)
    waiting, seen = sorted(names), set(names)
    while waiting:
        name = waiting.pop(0)
        symbol = scope.find(name)
        if symbol is None and scope.as_written(name) is None:
            if name in intrinsics.NAMES or implicit_host(scope, name) is not around:
                continue
            try:
                symbol = around.symbol(name, inner.place)
            except Refused:
                continue
        if symbol is None or symbol.scope is not around or symbol.storage not in _SEEN:
            continue
        if symbol.attributes & {"external", "intrinsic", "statement function"}:
            continue
        yield name, symbol
        lowers = [d.lower for d in symbol.dimensions or () if d.lower is not None]
        more = sorted({name for e in lowers for name in e.names} - seen)
        seen |= set(more)
        waiting += more


def declaration(symbol: Symbol, name: str) -> Declaration:
    """Of the argument that a variable becomes; of an array the shape is that of what is passed."""
    base = "class" if "class" in symbol.attributes else symbol.type
    length = "*" if base == "character" else None
    type_name = TypeName(base, symbol.kind or None, symbol.type_name, length)
    dimensions = symbol.dimensions and tuple(
        one if one.upper is None else Dimension(one.lower, None, True) for one in symbol.dimensions
    )
    return Declaration(
        symbol.place, name, type_name, dimensions, symbol.attributes & _KEPT,
        "in" if symbol.intent == "in" else "",
    )  # fmt: skip


def with_arguments(unit: Unit, held: dict[str, dict[str, Symbol]]) -> Unit:
    """A copy of the unit whose procedures inside have these variables as arguments; their calls
    are as they were."""
    made = copied(unit)
    for inner in made.units:
        symbols = held.get(inner.name, {})
        own = {d.name for d in inner.declarations} | set(inner.arguments) | {inner.result}
        for variable in symbols:
            name = variable
            while name in own:  # its own variable hides that one
                name += "_"
            inner.captured[variable] = name
        inner.arguments = [*inner.arguments, *inner.captured.values()]
        inner.declarations += [declaration(s, inner.captured[v]) for v, s in symbols.items()]
        inner.captures = {
            alias: {v: inner.captured[name] for v, name in names.items() if name in inner.captured}
            for alias, names in unit.captures.items()
        }
    return made


def procedure_arguments(unit: Unit) -> frozenset[str]:
    """Arguments that are procedures."""
    shaped = {d.name for d in unit.declarations if d.dimensions is not None}
    texts = {d.name for d in unit.declarations if d.type and d.type.base == "character"}
    called = set(unit.external) | unit.interfaces.keys()
    for statement in walk(unit.body):
        if isinstance(statement, Call) and isinstance(statement.procedure, Name):
            called.add(statement.procedure.id)
        for e in statement.expressions():
            called |= e.applied - texts
    return frozenset(set(unit.arguments) & called - shaped)


def lifted(program: Units, unit: Unit) -> Unit:
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
