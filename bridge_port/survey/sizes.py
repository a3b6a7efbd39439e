"""What sizes of arrays are taken as in a survey, where only a run knows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bridge_port.program.derivedtypes import HELD, at_end
from bridge_port.program.symbols import MODULE, Scope
from bridge_port.semantic.intrinsics import INQUIRY, is_a
from bridge_port.syntax.expressions import Apply, Expression, Name, Number, Section
from bridge_port.syntax.rewriting import with_names
from bridge_port.syntax.statements import Call, walk
from bridge_port.syntax.units import Declaration, Unit, ends
from bridge_port.translate.intents import path
from bridge_port.translate.unended import is_open

#: Of vectors.
LEVELS = 10
#: Of matrices.
SMALL = 4
#: How many elements more a work array has where that is too few.
MORE = 100
#: Of types in each other.
DEEPEST = 6
#: An extent, or the first and the last subscript.
Extent = int | tuple[int, int]


def sizes(
    scope: Scope, unit: Unit, levels: int, loops: bool = True
) -> tuple[dict[str, int], dict[str, list[Extent]]] | None:
    """Integers, arguments or of modules, that are the sizes of arrays, and the shapes of vectors
    that have none. Arrays with several such dimensions are matrices, taken as small, where at most
    two integers are in them and one is the size of vectors too. So are arrays of assumed shape
    of which a procedure without loops reads single elements: tables. Others are fields, and no
    column: None. loops: whether it has loops over points."""
    fixed: dict[str, int] = {}
    extents: dict[str, tuple[int | None, ...]] = {}
    vectors: set[str] = set()
    matrices: set[str] = set()
    unended: list[Declaration] = []
    small = False

    def is_size(name: str) -> bool:
        variable = name.partition("%")[0]
        found = scope.find(variable)
        return variable in unit.arguments or (found is not None and found.storage == MODULE)

    for declared in unit.declarations:
        open_, names = 0, set()
        if is_unended(scope, unit, declared):
            unended.append(declared)
        for dimension in declared.dimensions or ():
            said = [name for e in ends([dimension]) for name in designators(e)]
            held = {name for name in said if is_size(name)}
            names |= held
            open_ += bool(held) or dimension.upper is None
        if open_ > 1 and not loops and not names and is_table(unit, declared):
            small = True
        elif open_ > 1:
            if len(names) not in (1, 2) or open_ > 3:
                return None
            small = True
            matrices |= names
        elif open_:
            vectors |= names
        fixed |= {name: levels for name in names if is_integer(scope, name)}
        if open_ and not names and declared.name in unit.arguments:
            extents[declared.name] = scope.extents(scope.symbol(declared.name))
    beside = any(len(one.dimensions or ()) == 1 for one in unended)
    if matrices and (not (beside or matrices & vectors) or len(matrices) > 2):
        return None
    if small:
        levels = min(levels, SMALL)
        fixed = dict.fromkeys(fixed, levels)
    shapes: dict[str, list[Extent]] = {
        name: [levels if one is None else one for one in known] for name, known in extents.items()
    }
    for declared in unended:
        shapes[declared.name] = of_unended(scope, declared, fixed, levels)
    return fixed, {**shapes, **components(scope, unit, levels)}


def is_unended(scope: Scope, unit: Unit, declared: Declaration) -> bool:
    """Whether it is an argument without an end: x(*), x(1)."""
    own = declared.dimensions and declared.name in unit.arguments
    return bool(own) and is_open(scope.symbol(declared.name))


def of_unended(
    scope: Scope, declared: Declaration, fixed: Mapping[str, int], levels: int
) -> list[Extent]:
    """The shape that an argument without an end is taken to have."""
    by: dict[str, Expression] = {name: Number(str(n)) for name, n in fixed.items()}
    found: list[Extent] = []
    for one in (declared.dimensions or ())[:-1]:
        ends = (one.lower or Number("1"), one.upper or Number("1"))
        first, last = (scope.integer(with_names(e, by)) for e in ends)
        found.append(levels if first is None or last is None else last - first + 1)
    return [*found, levels]


def is_table(unit: Unit, declared: Declaration) -> bool:
    """Whether only single elements of an argument are read, and its sizes."""
    if declared.intent != "in" or declared.name not in unit.arguments:
        return False

    def alone(e: Expression) -> bool:
        if e == Name(declared.name):
            return False
        if isinstance(e, Apply) and e.reference:
            if is_a(e.reference, INQUIRY) and e.arguments[:1] == (Name(declared.name),):
                return all(map(alone, e.arguments[1:]))
            if e.reference == declared.name:
                plain = not any(isinstance(a, Section) for a in e.arguments)
                return plain and all(map(alone, e.arguments))
        return all(map(alone, e.parts()))

    return all(
        alone(e)
        for one in walk(unit.body)
        for e in (*one.expressions(), *(one.arguments if isinstance(one, Call) else ()))
    )


def is_integer(scope: Scope, name: str) -> bool:
    variable, *names = name.split("%")
    symbol = at_end(scope.symbol(variable), names)
    return symbol is not None and symbol.type == "integer" and symbol.dimensions is None


def designators(e: Expression) -> Iterator[str]:
    """Variables, and components by their paths."""
    if (place := path(e)) is not None and not isinstance(e, Apply):
        yield place
        return
    for part in e.parts():
        yield from designators(part)


def components(scope: Scope, unit: Unit, levels: int) -> dict[str, list[Extent]]:
    """Arrays in arguments that are pointers or allocatable, at any depth."""
    found: dict[str, list[Extent]] = {}
    firsts = scope.program.begins_elsewhere()

    def look(path: str, symbol: Any, within: tuple[object, ...]) -> None:
        if symbol.type != "type" or symbol.type_name == "*" or len(within) > DEEPEST:
            return
        derived = symbol.scope.derived_if_given(symbol.type_name)
        if derived is None or derived in within:
            return
        for one in derived.line:
            for declared in one.definition.components:
                component = derived.component(declared.name)
                name = f"{path}%{declared.name}"
                if component.dimensions is not None and component.attributes & HELD:
                    rank = len(component.dimensions)
                    _, known = firsts.get(declared.name, ("", (1,) * rank))
                    known = known if len(known) == rank else (0,) * rank
                    found[name] = [levels if n == 1 else (n or 0, levels) for n in known]
                look(name, component, (*within, derived))

    for dummy in unit.arguments:
        symbol = scope.find(dummy) if dummy != "*" else None
        if symbol is not None:
            look(dummy, symbol, ())
    return found
