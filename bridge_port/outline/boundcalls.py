"""Functions bound to a type that give one and the same number in a nest: `fuel%trunks()`.

The unit calls them before the nest, and gives the number. So it must not count whether, when or
how often they are called: a function that only computes with the numbers of its object and its
arguments, none of which the nest changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.outline.ways import Ways
from bridge_port.program.derivedtypes import extensions, target
from bridge_port.program.symbols import DUMMY, LOCAL, PARAMETER, RESULT, Scope, Symbol, Units
from bridge_port.program.types import type_symbol
from bridge_port.syntax.expressions import Apply, Binary, Component, Expression, Name
from bridge_port.syntax.statements import Assignment, Call, Continue, If, Select, Statement, walk
from bridge_port.syntax.units import Unit

SHARED = frozenset({"pointer", "target"})
#: Intrinsic functions that end for all numbers.
_PLAIN = frozenset({"abs", "min", "max", "merge", "real", "dble", "int", "nint", "size"})


class BoundCalls:
    """Of the statements of a nest."""

    def __init__(self, program: Units, ways: Ways, statements: Sequence[Statement]) -> None:
        self.program, self.ways, self.scope = program, ways, ways.scope
        every = list(walk(statements))
        self.calls = any(isinstance(s, Call) for s in every)
        targets = [s.target for s in every if isinstance(s, Assignment)]
        self.written = {one.root for one in targets}
        #: Whether what is written may be memory that a pointer sees.
        self.seen = any(
            isinstance(part, Component) or (isinstance(part, Name) and self._is_shared(part.id))
            for one in targets
            for part in one.walk()
        )

    def _is_shared(self, name: str) -> bool:
        symbol = self.scope.find(name)
        return symbol is not None and bool(symbol.attributes & SHARED)

    def result(self, call: Apply) -> Symbol | None:
        """Of such a function; None of another one, and of a component."""
        assert isinstance(call.base, Component)
        units = list(self._procedures(call.base))
        results = [self._result(unit) if unit is not None else None for unit in units]
        if not results or results[0] is None or self.calls or not self._stays(call):
            return None
        first = results[0]
        same = all(
            one is not None and (one.type, one.kind) == (first.type, first.kind)
            for one in results
        )  # fmt: skip
        return first if same else None

    def _procedures(self, called: Component) -> Iterator[Unit | None]:
        """All that it may be; None of one whose source is not given."""
        symbol = type_symbol(called.base, self.scope)
        base = None
        if symbol is not None and symbol.type == "type":
            base = symbol.scope.derived_if_given(symbol.type_name)
        if symbol is None or base is None or base.component(called.name) is not None:
            return
        more = extensions(base) if "class" in symbol.attributes else ()
        for one in (base, *more):
            found = one.binding(called.name)
            generic = found is not None and bool(found[0].specifics)
            yield None if found is None or generic else target(*found)

    def _stays(self, call: Apply) -> bool:
        """Whether nothing that it may read changes in the nest."""
        assert isinstance(call.base, Component)
        given = (*call.arguments, call.base.base)
        if any(self.ways.moves(e) or self._is_array(e) for e in given):
            return False
        roots = {e.id for e in call.walk() if isinstance(e, Name)}
        if roots & (self.written | self.ways.changed):
            return False
        shared = any(self._is_shared(name) for name in roots) or any(
            (symbol := type_symbol(e, self.scope)) is not None and symbol.attributes & SHARED
            for e in call.walk()
            if isinstance(e, Component)
        )
        return not (shared and self.seen)

    def _is_array(self, e: Expression) -> bool:
        symbol = type_symbol(e, self.scope) if isinstance(e, Name | Component) else None
        return symbol is not None and symbol.dimensions is not None

    # ---- the function -------------------------------------------------------------------------

    def _result(self, unit: Unit) -> Symbol | None:
        scope = self.program.scope(unit)
        if unit.kind != "function" or unit.units or unit.entries or unit.unread:
            return None
        found: Symbol | None = scope.find(unit.result or unit.name)
        if found is None or found.dimensions is not None or found.attributes & SHARED:
            return None
        if found.type not in ("real", "integer", "logical"):
            return None
        return found if all(self._plain(s, scope) for s in walk(unit.body)) else None

    def _plain(self, s: Statement, scope: Scope) -> bool:
        if not isinstance(s, Assignment | If | Select | Continue):
            return False
        if isinstance(s, Assignment):
            own = scope.find(s.target.id) if isinstance(s.target, Name) else None
            if own is None or own.storage not in (LOCAL, RESULT) or own.attributes & SHARED:
                return False
        return all(self._computes(part, scope) for e in s.expressions() for part in e.walk())

    def _computes(self, e: Expression, scope: Scope) -> bool:
        """Whether a part of an expression ends, and reads its object and its arguments alone."""
        if isinstance(e, Apply):
            symbol = scope.find(e.base.id) if isinstance(e.base, Name) else None
            return isinstance(e.base, Name) and e.base.id in _PLAIN and symbol is None
        if isinstance(e, Binary):
            return e.operator != "/"
        if isinstance(e, Component):
            found = type_symbol(e, scope)
            return found is not None and not found.attributes & {"pointer", "class"}
        if isinstance(e, Name):
            known = scope.find(e.id)
            return (e.id in _PLAIN) if known is None else (
                known.storage in (DUMMY, LOCAL, RESULT, PARAMETER)
                and not known.attributes & {"pointer", "optional"} and not known.optional
            )  # fmt: skip
        return True
