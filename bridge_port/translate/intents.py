"""What a procedure does to its arguments and to other variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.program.derivedtypes import possible
from bridge_port.program.resolved import BoundCall, Call, designated, resolve
from bridge_port.program.signatures import pairs
from bridge_port.program.symbols import Scope, Symbol, Units
from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Component, Expression, Name, Section
from bridge_port.syntax.units import Unit


class Intents:
    """Of all procedures of a program, found once for each."""

    def __init__(self, program: Units) -> None:
        self.program = program
        self.known: dict[int, frozenset[str]] = {}
        self.paths: dict[int, frozenset[str]] = {}

    def written(self, unit: Unit) -> frozenset[str]:
        """Names that statements of the unit may give a value."""
        if id(unit) not in self.known:
            self.known[id(unit)] = frozenset(one.partition("%")[0] for one in self._paths(unit))
        return self.known[id(unit)]

    def of_body(self, unit: Unit, body: Sequence[s.Statement]) -> frozenset[str]:
        """Names that these statements of the unit may give a value."""
        found = self._writes(self.program.scope(unit), body)
        return frozenset(one.partition("%")[0] for one in found)

    def how_often(self, unit: Unit, body: Sequence[s.Statement], name: str) -> int:
        """How many places in these statements may give a variable a value."""
        found = self._writes(self.program.scope(unit), body)
        return sum(one.partition("%")[0] == name for one in found)

    def _paths(self, unit: Unit) -> frozenset[str]:
        """The same, of objects the components: "m", "m%a"."""
        if id(unit) not in self.paths:
            self.paths[id(unit)] = frozenset()  # of a recursion, which is refused elsewhere
            found = self._writes(self.program.scope(unit), unit.body)
            self.paths[id(unit)] = frozenset(found)
        return self.paths[id(unit)]

    def writes_component(self, unit: Unit, place: str) -> bool:
        """Whether a component of a dummy that is inout, or what it stands in, may get another
        value."""
        return any(meet(place, one) for one in self._paths(unit))

    def _writes(self, scope: Scope, body: Sequence[s.Statement]) -> Iterator[str]:
        for statement in s.walk(body):
            if isinstance(statement, s.Assignment):
                place = designator(scope, statement.target)
                if place is not None:
                    yield place
                if isinstance(statement, s.PointerAssignment):
                    pointed = designator(scope, statement.value)  # which the pointer may change
                    if pointed is not None:
                        yield pointed
            elif isinstance(statement, s.Do) and statement.variable:
                yield statement.variable
            elif isinstance(statement, s.Call):
                yield from self._passed(scope, statement.procedure, statement.arguments)
            for e in statement.expressions():
                yield from self._by_functions(scope, e)

    def _by_functions(self, scope: Scope, e: Expression) -> Iterator[str]:
        for part in e.walk():
            if isinstance(part, Apply) and isinstance(resolve(part, scope), Call | BoundCall):
                yield from self._passed(scope, part.base, part.arguments, True)

    def _passed(
        self,
        scope: Scope,
        procedure: Expression,
        arguments: Sequence[Expression],
        read: bool = False,
    ) -> Iterator[str]:
        callees: list[tuple[Unit | None, Sequence[Expression]]] = []
        if isinstance(procedure, Name):
            callee = scope.procedure(procedure.id)
            callees += [(callee, arguments)] if callee is not None else []
        elif isinstance(procedure, Component):
            callees += possible(scope, procedure, arguments)
        if not callees and not read:
            base = [procedure.base] if isinstance(procedure, Component) else []
            callees.append((None, [*base, *arguments]))
        for callee, given in callees:
            bound: list[tuple[str | None, Expression | None]] = [(None, a) for a in given]
            if callee is not None:
                try:
                    bound = list(pairs(callee, given))
                except Refused:
                    if isinstance(procedure, Component):
                        continue  # another one of a generic name
                    raise
            for dummy, actual in bound:
                place = designator(scope, actual) if actual is not None else None
                if place is None:
                    continue
                if callee is None or dummy is None:
                    yield place
                elif self.writes(callee, dummy):
                    yield from self._within(callee, dummy, place)

    def _within(self, callee: Unit, dummy: str, place: str) -> Iterator[str]:
        """What a call writes of an argument: components of it that the callee names."""
        symbol = self.program.scope(callee).find(dummy)
        if symbol is None or symbol.type != "type" or symbol.intent == "out":
            yield place
            return
        for one in self._paths(callee):
            first, mark, rest = one.partition("%")
            if first == dummy:
                yield f"{place}{mark}{rest}"

    def changes(self, unit: Unit, symbol: Symbol) -> bool:
        """Whether a saved variable is written by the unit that has it, or by one inside of it."""
        owner: Unit = symbol.scope.unit
        return any(symbol.name in self.written(one) for one in [unit, owner, *owner.units])

    def writes(self, unit: Unit, dummy: str) -> bool:
        """Whether a dummy may come back with another value."""
        symbol = self.program.scope(unit).find(dummy)
        if symbol is not None and symbol.intent == "in":
            return False
        if symbol is not None and symbol.intent == "out" and symbol.type == "type":
            return True  # its components may have initial values, which come back
        return dummy in self.written(unit)

    def intent(self, unit: Unit, dummy: str) -> str:
        """in, out or inout, as declared or as the statements say. Out only where the first
        statement of the unit that names it gives all of it a value, whatever came before."""
        symbol = self.program.scope(unit).find(dummy)
        if symbol is not None and symbol.intent:
            return str(symbol.intent)
        if dummy not in self.written(unit):
            return "in"
        for statement in unit.body:
            if not mentions(statement, dummy):
                if any(isinstance(inner, LEAVES) for inner in s.walk([statement])):
                    break
                continue
            if isinstance(statement, s.Assignment) and dummy not in statement.value.names:
                whole = isinstance(statement.target, Name) or (
                    isinstance(statement.target, Apply)
                    and statement.target.reference
                    and all(a == Section(None, None, None) for a in statement.target.arguments)
                )
                return "out" if whole else "inout"
            break
        return "inout"


LEAVES = (s.Return, s.Goto, s.ComputedGoto, s.ArithmeticIf)


def mentions(statement: s.Statement, name: str) -> bool:
    """Also in statements inside."""
    for inner in s.walk([statement]):
        if isinstance(inner, s.Do) and inner.variable == name:
            return True
        if isinstance(inner, s.Call) and any(name in a.names for a in inner.arguments):
            return True
        if any(name in e.names for e in inner.expressions()):
            return True
    return False


def meet(one: str, other: str) -> bool:
    """Whether two designators may have a memory in common."""
    return one == other or one.startswith(other + "%") or other.startswith(one + "%")


def designator(scope: Scope, e: Expression) -> str | None:
    """A designator without subscripts, and without components that are the parent of a type: these
    have no memory of their own. Of one whose type is not known the variable alone."""
    words: list[str] = []
    known = True
    while not isinstance(e, Name):
        if isinstance(e, Component):
            symbol = designated(e, scope)
            known = known and symbol is not None
            if symbol is None or "parent" not in symbol.attributes:
                words.insert(0, e.name)
        elif not isinstance(e, Apply):
            return None
        e = e.base
    return "%".join((e.id, *words)) if known else e.id


def path(e: Expression) -> str | None:
    """A designator as a text without subscripts: "m", "m%a"."""
    if isinstance(e, Name):
        return e.id
    if isinstance(e, Apply):
        return path(e.base)
    if isinstance(e, Component):
        base = path(e.base)
        return None if base is None else f"{base}%{e.name}"
    return None
