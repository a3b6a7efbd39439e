"""Texts that a procedure may give back: which variables of its callers get them.

A call whose procedure is not known (bound to a type, generic, an argument) counts as one of each
procedure that it may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bridge_port.program.signatures import pairs
from bridge_port.program.symbols import DUMMY, Scope
from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Component, Expression, Keyword, Name
from bridge_port.syntax.units import Unit

#: A unit by its id, a variable of it (%name of a component), a procedure by its id, a dummy of it.
Back = tuple[int, str, int, str]


def passed_back(calls: Calls, units: Iterable[tuple[Unit, Scope]]) -> list[Back]:
    """Of the calls of these units."""
    return [back for unit, scope in units for back in calls.backs(unit, scope)]


def _calls(unit: Unit) -> Iterator[tuple[Expression, Sequence[Expression]]]:
    """What is called, or may be a function, and its arguments."""
    for one in s.walk(unit.body):
        if isinstance(one, s.Call):
            yield one.procedure, one.arguments
        for e in one.expressions():
            for part in e.walk():
                if isinstance(part, Apply):
                    yield part.base, part.arguments


class Calls:
    """Procedures by the names that calls may have for them."""

    def __init__(self, units: Sequence[tuple[Unit, Scope]]) -> None:
        self.units = units
        self.all = [unit for unit, _ in units if unit.kind in ("subroutine", "function")]
        self.of_name: dict[str, list[Unit]] = {}
        for unit in self.all:
            self.of_name.setdefault(unit.name, []).append(unit)
        self.bound: dict[str, set[str]] = {}
        self.pointers: set[str] = set()
        for unit, _ in units:
            for one in unit.types.values():
                self.pointers |= one.pointers.keys()
                for binding in one.bindings.values():
                    targets = self.bound.setdefault(binding.name, set())
                    targets |= {binding.target, *binding.specifics}
        for unit, _ in units:
            for one in unit.types.values():
                for binding in one.bindings.values():
                    for own in binding.specifics:
                        self.bound[binding.name] |= self.bound.get(own, set())

    def reached(self, entry: Unit | None) -> Sequence[tuple[Unit, Scope]]:
        """Units that an entry comes to, and those inside; all without one. All operators of the
        program count."""
        if entry is None:
            return self.units
        scopes = {id(unit): (unit, scope) for unit, scope in self.units}
        found: dict[int, tuple[Unit, Scope]] = {}
        waiting = [entry, *self._operators()]
        while waiting:
            unit = waiting.pop()
            if id(unit) in found or id(unit) not in scopes:
                continue
            found[id(unit)] = scopes[id(unit)]
            scope = scopes[id(unit)][1]
            waiting += [callee for e, _ in _calls(unit) for callee in self.callees(scope, e)]
            waiting += unit.units
        return list(found.values())

    def _operators(self) -> list[Unit]:
        return self._named({
            name for unit, _ in self.units for generic, names in unit.interfaces.items()
            if "(" in generic for name in names
        })  # fmt: skip

    def callees(self, scope: Scope, e: Expression) -> Sequence[Unit]:
        if isinstance(e, Component):
            if e.name in self.pointers:
                return self.all
            return self._named(self.bound.get(e.name, ()))
        if not isinstance(e, Name):
            return ()
        unit = scope.as_written(e.id)
        if unit is not None:
            return [unit, *self._named(scope.generic(e.id))]
        try:
            symbol = scope.find(e.id)
        except Refused:
            return self.all
        if symbol is not None and (
            symbol.dimensions is None
            and symbol.type != "character"
            and (symbol.storage == DUMMY or symbol.attributes & {"pointer", "external"})
        ):
            return self.all
        if symbol is None and e.id in scope.unit.arguments:
            return self.all
        return self._named(scope.generic(e.id))

    def _named(self, names: Iterable[str]) -> list[Unit]:
        return [unit for name in sorted(names) for unit in self.of_name.get(name, ())]

    def backs(self, unit: Unit, scope: Scope) -> Iterator[Back]:
        for e, arguments in _calls(unit):
            plain = isinstance(e, Name) and scope.as_written(e.id) is not None
            given = [a.value if isinstance(a, Keyword) else a for a in arguments]
            if not any(_designates(a, scope) for a in given):
                continue
            for callee in self.callees(scope, e):
                bound: list[tuple[str, Expression | None]] = []
                try:
                    bound = list(pairs(callee, arguments)) if plain else []
                except Refused:
                    pass
                if not bound:  # in whatever order
                    bound = [(dummy, a) for dummy in callee.arguments for a in given]
                for dummy, actual in bound:
                    if actual is None or not _designates(actual, scope):
                        continue
                    if _may_give(scope.program.scope(callee), dummy):
                        yield id(unit), base_of(actual), id(callee), dummy


def _may_give(scope: Scope, dummy: str) -> bool:
    """Whether a dummy may give a text back."""
    try:
        symbol = scope.find(dummy)
    except Refused:
        return True
    return symbol is None or (symbol.type == "character" and symbol.intent != "in")


def _designates(e: Expression, scope: Scope) -> bool:
    """Whether it is a variable of type character, or may be one."""
    while isinstance(e, Apply):
        e = e.base
    try:
        if isinstance(e, Component):
            found = scope.type_of(e)
            return found is None or found[0] == "character"
        symbol = scope.find(e.id) if isinstance(e, Name) else None
    except Refused:
        return True
    return symbol is not None and symbol.type == "character"


def base_of(e: Expression) -> str:
    """The variable of a designator, %name of a component; else ""."""
    while isinstance(e, Apply):
        e = e.base
    if isinstance(e, Component):
        return f"%{e.name}"
    return e.id if isinstance(e, Name) else ""
