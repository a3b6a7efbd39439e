"""What names of `associate` stand for: parts of variables, and expressions made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from bridge_port.syntax.expressions import Apply, Component, Expression, Name, Section
from bridge_port.syntax.units import Unit


@dataclass
class Meant:
    """What names stand for, those of constructs around it as well. A part of a variable is its
    name with the first component, as s%u. functions: of the language, whose results are made of
    their arguments alone."""

    aliases: Mapping[str, Expression]
    functions: Set[str]

    def within(self, pairs: Iterable[tuple[str, Expression]], unit: Unit) -> Meant:
        """With those of a construct in it. unit: whose names are no functions."""
        return Meant({**self.aliases, **dict(pairs)}, self.functions - _named(unit))

    def is_variable(self, e: Expression) -> bool:
        while isinstance(e, Component | Apply):
            if isinstance(e, Apply) and e.reference in self.functions:
                return any(isinstance(a, Section) for a in e.arguments)
            e = e.base
        return isinstance(e, Name)

    def parts(self, names: set[str]) -> set[str]:
        """With the parts of variables that these names stand for."""
        found = set(names)
        for name in names:
            while name in self.aliases and self.is_variable(self.aliases[name]):
                part = _part(self.aliases[name])
                if part in found:
                    break
                found.add(part)
                name = part.partition("%")[0] if "%" in part and part not in self.aliases else part
        return found

    def read(self, e: Expression) -> set[str]:
        """All parts of variables that an expression is made of."""
        found: set[str] = set()
        left = list(_parts(e))
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                root = name.partition("%")[0]
                if root in self.aliases:
                    left += _parts(self.aliases[root])
        return found


def _part(e: Expression) -> str:
    """Of a designator."""
    component = ""
    while isinstance(e, Apply | Component):
        if isinstance(e, Component):
            component = f"%{e.name}"
        e = e.base
    return f"{e.id}{component}" if isinstance(e, Name) else ""


def _parts(e: Expression) -> set[str]:
    found: set[str] = set()
    if isinstance(e, Name | Apply | Component):
        found.add(_part(e))
        while isinstance(e, Apply | Component):
            if isinstance(e, Apply):
                for a in e.arguments:
                    found |= _parts(a)
            e = e.base
        return found - {""}
    for inner in e.parts():
        found |= _parts(inner)
    return found


def meet(read: set[str], changed: set[str]) -> set[str]:
    """Names of what is read and may change."""
    found = set()
    for one in read:
        root = one.partition("%")[0]
        for other in changed:
            if other in (root, one) or (one == root and other.partition("%")[0] == root):
                found.add(root)
    return found


def _named(unit: Unit | None) -> set[str]:
    """What a unit and those around it have, or take from modules by name, that is no function of
    the language."""
    found: set[str] = set()
    while unit is not None:
        found |= {d.name for d in unit.declarations if d.dimensions is not None}
        found |= {*unit.external, *unit.interfaces, *unit.statement_functions}
        found |= {one.name for one in unit.units}
        for use in unit.uses:
            found |= {*use.renames, *(use.names or ())}
        unit = unit.parent
    return found
