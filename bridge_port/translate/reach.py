"""What the procedures of a kernel come to over all their calls: names, stops, loops without a
count; arguments that a procedure never names, of types that no kernel has."""

from __future__ import annotations

from collections.abc import Iterator

from bridge_port.program.symbols import Units
from bridge_port.refusal import Refused
from bridge_port.semantic.intrinsics import asks_bounds
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Keyword, Name
from bridge_port.syntax.units import Unit, ends


class Reach:
    """From the entry of one kernel."""

    def __init__(self, program: Units, entry: Unit) -> None:
        self.program = program
        self.entry = entry
        self._mentioned: dict[int, tuple[str, ...]] = {}
        self._may_stop: dict[int, bool] = {}
        self._uncounted: dict[int, bool] = {}
        self._nested: bool | None = None

    def procedures(self) -> Iterator[Unit]:
        """The entry, and what it calls."""
        return self._reached(self.entry, set())

    def _reached(self, unit: Unit, seen: set[int]) -> Iterator[Unit]:
        seen.add(id(unit))
        yield unit
        scope = self.program.scope(unit)
        called = {
            one.procedure.id for one in s.walk(unit.body)
            if isinstance(one, s.Call) and isinstance(one.procedure, Name)
        }  # fmt: skip
        for name in sorted(called | set(self.names_of(unit))):
            callee = scope.procedure(name)
            if callee is not None and id(callee) not in seen:
                yield from self._reached(callee, seen)

    def names_of(self, unit: Unit) -> tuple[str, ...]:
        """All names that a unit mentions, those of its declarations first."""
        if id(unit) not in self._mentioned:
            names: dict[str, None] = dict.fromkeys(unit.arguments)
            names.update(dict.fromkeys(d.name for d in unit.declarations))
            if unit.result:
                names[unit.result] = None
            for statement in s.walk(unit.body):
                if isinstance(statement, s.Do) and statement.variable:
                    names[statement.variable] = None
                for e in statement.expressions():
                    names.update(dict.fromkeys(p.id for p in e.walk() if isinstance(p, Name)))
            self._mentioned[id(unit)] = tuple(n for n in names if n.isidentifier())
        return self._mentioned[id(unit)]

    def may_stop(self, unit: Unit) -> bool:
        """Whether a point may get a status in it, or in what it calls."""
        if id(unit) not in self._may_stop:
            self._may_stop[id(unit)] = False  # of a recursion
            scope = self.program.scope(unit)
            called: dict[str, None] = {}  # in their order, in which one is refused
            found = False
            for statement in s.walk(unit.body):
                found |= isinstance(statement, s.Stop)
                if isinstance(statement, s.Call) and isinstance(statement.procedure, Name):
                    called[statement.procedure.id] = None
            called |= dict.fromkeys(self.names_of(unit))
            for name in called:
                callee = scope.procedure(name)
                found = found or (callee is not None and self.may_stop(callee))
            self._may_stop[id(unit)] = found
        return self._may_stop[id(unit)]

    def uncounted(self, unit: Unit) -> bool:
        """Whether there is a loop without a count in it, or in what it calls."""
        if id(unit) not in self._uncounted:
            self._uncounted[id(unit)] = False  # of a recursion
            own = any(isinstance(one, s.Do) and not one.variable for one in s.walk(unit.body))
            self._uncounted[id(unit)] = own or self._uncounted_in(unit, unit.body)
        return self._uncounted[id(unit)]

    def _uncounted_in(self, unit: Unit, body: list[s.Statement]) -> bool:
        """Whether statements call such a procedure."""
        scope = self.program.scope(unit)
        names = set()
        for one in s.walk(body):
            if isinstance(one, s.Call) and isinstance(one.procedure, Name):
                names.add(one.procedure.id)
            names |= {name for e in one.expressions() for name in e.names}
        callees = [scope.procedure(name) for name in sorted(names)]
        return any(one is not None and self.uncounted(one) for one in callees)

    def nested(self) -> bool:
        """Whether loops without a count stand in each other, over calls as well: then a point that
        leaves the inner one after its last turn must not begin it again."""
        if self._nested is None:
            self._nested = any(self._nests(unit) for unit in self.procedures())
        return self._nested

    def _nests(self, unit: Unit) -> bool:
        return any(
            any(isinstance(inner, s.Do) and not inner.variable for inner in s.walk(one.body))
            or self._uncounted_in(unit, one.body)
            for one in s.walk(unit.body)
            if isinstance(one, s.Do) and not one.variable
        )


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
        for e in ends(d.dimensions):
            found |= e.names
    return frozenset(found)


def _steps(unit: Unit) -> set[str]:
    loops = [one for one in s.walk(unit.body) if isinstance(one, s.Do)]
    return {one.step.id for one in loops if isinstance(one.step, Name)}


def _dimensions(unit: Unit) -> set[str]:
    """Variables that are the dimension of size, lbound, ubound."""
    found = set()
    for statement in s.walk(unit.body):
        for e in (part for one in statement.expressions() for part in one.walk()):
            if isinstance(e, Apply) and asks_bounds(e.root) and len(e.arguments) > 1:
                second = e.arguments[1]
                along = second.value if isinstance(second, Keyword) else second
                if isinstance(along, Name):
                    found.add(along.id)
    return found
