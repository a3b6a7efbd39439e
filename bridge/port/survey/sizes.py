"""What sizes of arrays are taken as in a survey, where only a run knows them."""

from __future__ import annotations

from typing import Any

from bridge.port.program.symbols import MODULE
from bridge.port.syntax.expressions import Name
from bridge.port.syntax.units import Unit
from bridge.port.translate.deferred import HELD

#: Of vectors.
LEVELS = 10
#: Of matrices.
SMALL = 4
#: Of types in each other.
DEEPEST = 6
#: An extent, or the first and the last subscript.
Extent = int | tuple[int, int]


def sizes(scope: Any, unit: Unit, levels: int) -> tuple[dict[str, int], dict[str, list[Extent]]]:
    """Integers, arguments or of modules, that are the sizes of arrays, and the shapes of vectors
    that have none. Arrays with several such dimensions are matrices, taken as small, where at most
    two integers are in them and one is the size of vectors too. Else these are fields, and no
    column: nothing."""
    fixed: dict[str, int] = {}
    shapes: dict[str, list[Extent]] = {}
    vectors: set[str] = set()
    matrices: set[str] = set()

    def is_size(name: str) -> bool:
        found = scope.find(name)
        return name in unit.arguments or (found is not None and found.storage == MODULE)

    for declared in unit.declarations:
        open_, names = 0, set()
        for dimension in declared.dimensions or ():
            ends = [e for e in (dimension.lower, dimension.upper) if e is not None]
            held = {part.id for e in ends for part in e.walk() if isinstance(part, Name)}
            held = {name for name in held if is_size(name)}
            names |= held
            open_ += bool(held) or dimension.upper is None
        if open_ > 1:
            if len(names) not in (1, 2) or open_ > 3:
                return {}, {}
            matrices |= names
        elif open_:
            vectors |= names
        fixed |= {name: levels for name in names if scope.symbol(name).type == "integer"}
        if open_ and not names and declared.name in unit.arguments:
            extents = scope.extents(scope.symbol(declared.name))
            shapes[declared.name] = [levels if one is None else one for one in extents]
    if matrices:
        if not matrices & vectors or len(matrices) > 2:
            return {}, {}
        levels = min(levels, SMALL)
        fixed = dict.fromkeys(fixed, levels)
    return fixed, {**shapes, **components(scope, unit, levels)}


def components(scope: Any, unit: Unit, levels: int) -> dict[str, list[Extent]]:
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
                    extent: Extent = (0, levels - 1) if declared.name in firsts else levels
                    found[name] = [extent] * len(component.dimensions)
                look(name, component, (*within, derived))

    for dummy in unit.arguments:
        symbol = scope.find(dummy) if dummy != "*" else None
        if symbol is not None:
            look(dummy, symbol, ())
    return found
