"""Arguments that a procedure never names, of types that no kernel has."""

from __future__ import annotations

from collections.abc import Iterator

from bridge_port.program.symbols import Units
from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Keyword, Name
from bridge_port.syntax.units import Unit


def silent(program: Units, unit: Unit) -> frozenset[str]:
    """Objects, pointers, procedures, texts: the kernel does without them. What is intent(out) is
    changed though nothing names it: a derived type gets its initial values, an allocatable is
    deallocated."""
    return frozenset(_silent(program, unit))


def _silent(program: Units, unit: Unit) -> Iterator[str]:
    named = _named(unit)
    texts = [text for one in s.walk(unit.body) if isinstance(one, s.Unread)
             for text in (one.text, *one.inside)]  # fmt: skip
    for dummy in unit.arguments:
        if dummy in named or dummy == "*" or any(dummy in text for text in texts):
            continue
        try:
            symbol = program.scope(unit).symbol(dummy, unit.place)
        except Refused:
            yield dummy  # of a type that is not given, or a procedure
            continue
        if symbol.intent == "out" and (
            symbol.type == "type" or "allocatable" in symbol.attributes
        ):
            continue
        held = symbol.attributes & {"pointer", "allocatable", "external"}
        if held or symbol.type in ("complex", "character", "type"):
            yield dummy


def _named(unit: Unit) -> set[str]:
    """Names in statements, in shapes, in statement functions, in procedures inside."""
    found = set(names_in_shapes(unit))
    for statement in s.walk(unit.body):
        if isinstance(statement, s.Do):
            found.add(statement.variable)
        for e in statement.expressions():
            found |= e.names
        if isinstance(statement, s.Call) and isinstance(statement.procedure, Name):
            found.add(statement.procedure.id)
    for function in unit.statement_functions.values():
        found |= function.value.names
    for inner in unit.units:
        found |= _named(inner)
    return found


def names_in_shapes(unit: Unit) -> frozenset[str]:
    """Also those that say which dimension of an array is asked for, and those that are the step of
    a loop, where nothing changes them."""
    found = (_dimensions(unit) | _steps(unit)) & {
        d.name for d in unit.declarations if d.intent == "in"
    }
    for d in unit.declarations:
        for dimension in d.dimensions or ():
            for e in (dimension.lower, dimension.upper):
                if e is not None:
                    found |= e.names
    return frozenset(found)


#: What asks for the dimension that its second argument says.
_OF_BOUNDS = (Name("size"), Name("lbound"), Name("ubound"))


def _steps(unit: Unit) -> set[str]:
    loops = [one for one in s.walk(unit.body) if isinstance(one, s.Do)]
    return {one.step.id for one in loops if isinstance(one.step, Name)}


def _dimensions(unit: Unit) -> set[str]:
    """Variables that are the dimension of size, lbound, ubound."""
    found = set()
    for statement in s.walk(unit.body):
        for e in (part for one in statement.expressions() for part in one.walk()):
            if isinstance(e, Apply) and e.base in _OF_BOUNDS and len(e.arguments) > 1:
                second = e.arguments[1]
                along = second.value if isinstance(second, Keyword) else second
                if isinstance(along, Name):
                    found.add(along.id)
    return found
