"""The way to a component of a derived type: which variable stands at its end, and which array of
a type has several elements on it.

`cells(i)%layer%t` in a loop over `i` is an element of an array over all elements of `cells`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge_port.program.symbols import Scope, Symbol
from bridge_port.program.types import component_symbol, type_symbol
from bridge_port.refusal import SOURCE, Place, Refused
from bridge_port.syntax.expressions import Apply, Component, Expression, Keyword, Name, Section
from bridge_port.syntax.statements import Assignment, Call, Do, Statement, walk
from bridge_port.syntax.text import expression_text

WHOLE = Section(None, None, None)
CHANGE = "copy it to an array of its own"


def steps(path: Component) -> list[tuple[Expression, tuple[Expression, ...] | None]]:
    """What holds the component, outermost first: each without its subscripts, and these."""
    found: list[tuple[Expression, tuple[Expression, ...] | None]] = []
    e: Expression = path
    while isinstance(e, Component):
        e = e.base
        subscripts = None
        if isinstance(e, Apply):
            subscripts, e = e.arguments, e.base
        found.append((e, subscripts))
    return found[::-1]


def of_all(e: Expression, array: Expression, rank: int) -> Expression:
    """The path for all elements of an array on it."""
    if e == array:
        return Apply(array, (WHOLE,) * rank)
    if isinstance(e, Apply):
        base = of_all(e.base, array, rank)
        return base if e.base == array else replace(e, base=base)
    return replace(e, base=of_all(e.base, array, rank)) if isinstance(e, Component) else e


class Ways:
    """Of the components in statements. changed: variables that get another value there, but for
    components of them; indices: where a component is an index on the way."""

    def __init__(self, scope: Scope, statements: Sequence[Statement]) -> None:
        self.scope, self.statements = scope, statements
        self.changed = self._changed(statements)
        self.indices: list[tuple[Place, str]] = []

    def symbol(self, path: Component, place: Place) -> Symbol:
        """Of the component at the end; Refused where the way to it is not one and the same, but
        for the elements of one array of a type."""
        many = self.many(path)
        base = path.base
        subscripts: tuple[Expression, ...] | None = None
        if isinstance(base, Apply):
            subscripts, base = base.arguments, base.base
        if isinstance(base, Name):
            owner = self.scope.find(base.id)
        elif isinstance(base, Component):
            owner = self.symbol(base, place)
        else:
            owner = None
        text = f"component {expression_text(path)}"
        if owner is None or owner.type != "type":
            what = expression_text(base)
            raise Refused(place, text, f"{what} is no variable of a derived type that is known",
                          f"say {SOURCE}")  # fmt: skip
        # Of a class the components of its declared type: refused where that is not known.
        owner.scope.derived(owner.type_name, place)
        for subscript in subscripts or () if base not in many else ():
            self.indices += [(place, text) for e in subscript.walk() if isinstance(e, Component)]
        if path.root in self.changed:
            raise Refused(place, text, f"{path.root} changes in the nest", CHANGE)
        found: Symbol | None = component_symbol(owner.scope, owner.type_name, path.name)
        if found is None and owner.scope.derived(owner.type_name).pointer(path.name) is not None:
            raise Refused(place, text, "a procedure component: what it points to is known at run "
                          "time alone", "port the procedure: --procedure says it")  # fmt: skip
        if found is None:
            raise Refused(place, text, f"type({owner.type_name}) has no such component, or it is "
                          "inherited or a procedure", "copy it to a variable")  # fmt: skip
        if many:
            self._check_elements(path, many, found, place)
        return found

    def _check_elements(
        self, path: Component, many: Sequence[Expression], found: Symbol, place: Place
    ) -> None:
        """Refused where all elements together have no such component that is one array."""
        text = f"component {expression_text(path)}"
        why = f"of an array of a type, {self._why(path, many[0])}"
        if len(many) > 1:
            raise Refused(place, text, f"{why}, and so does that of {expression_text(many[1])}",
                          CHANGE)  # fmt: skip
        array = type_symbol(many[0], self.scope)
        assert array is not None
        if "class" in array.attributes or _has_no_end(array):
            what = "it is of a class" if "class" in array.attributes else "it has no end (*)"
            raise Refused(place, text, f"{why}, and {what}", CHANGE)
        if found.attributes & {"pointer", "allocatable", "class"}:
            word = "a class" if "class" in found.attributes else "a pointer or allocatable"
            raise Refused(place, text, f"{why}, and {path.name} is {word} in each element",
                          self._outside_of(place) or CHANGE)  # fmt: skip

    def _outside_of(self, place: Place) -> str:
        """What to change where a call has an element of a type in the loop over them."""
        for s in walk(self.statements):
            if not isinstance(s, Call) or s.place != place or not isinstance(s.procedure, Name):
                continue
            name = s.procedure.id
            if self.scope.as_written(name) is None:
                raise Refused(place, f"call {name}", "its source is not given",
                              f"say {SOURCE}; or leave the call outside")  # fmt: skip
            return (f"leave the loop over the elements outside: port the call of {name} alone "
                    f"({place}), or the loops in it")  # fmt: skip
        return ""

    def _why(self, path: Component, array: Expression) -> str:
        given = dict(steps(path))[array]
        for subscript in given or ():
            for e in subscript.walk():
                if isinstance(e, Name) and e.id in self.changed:
                    return f"whose index {e.id} changes in the nest"
        return "of several elements of a type"

    # ---- elements -----------------------------------------------------------------------------

    def many(self, path: Component) -> list[Expression]:
        """Arrays of types on the way of which it has several elements."""
        found = []
        for array, subscripts in steps(path):
            symbol = type_symbol(array, self.scope)
            if symbol is None or symbol.type != "type" or symbol.dimensions is None:
                continue
            if subscripts is None or any(self.moves(one) for one in subscripts):
                found.append(array)
        return found

    def moves(self, e: Expression) -> bool:
        """Whether a subscript has several values."""
        if isinstance(e, Section):
            return True
        if isinstance(e, Name):
            symbol = self.scope.find(e.id)
            return e.id in self.changed or (symbol is not None and symbol.dimensions is not None)
        if isinstance(e, Apply) and isinstance(e.base, Name):
            return e.base.id in self.changed or any(self.moves(one) for one in e.arguments)
        return any(self.moves(part) for part in e.parts())

    def _changed(self, statements: Sequence[Statement]) -> set[str]:
        found: set[str] = set()
        for s in walk(statements):
            if isinstance(s, Do) and s.variable:
                found.add(s.variable)
            elif isinstance(s, Assignment):
                found |= _variable(s.target)
            elif isinstance(s, Call):
                for n, a in enumerate(s.arguments):
                    if not self._only_read(s, n, a):
                        found |= _variable(a.value if isinstance(a, Keyword) else a)
        return found

    def _only_read(self, call: Call, number: int, argument: Expression) -> bool:
        callee = call.procedure
        unit = self.scope.procedure(callee.id) if isinstance(callee, Name) else None
        if unit is None:
            return False
        dummy = argument.name if isinstance(argument, Keyword) else (
            unit.arguments[number] if number < len(unit.arguments) else "")  # fmt: skip
        return any(d.name == dummy and d.intent == "in" for d in unit.declarations)


def _variable(e: Expression) -> set[str]:
    """Its name, and that of an array of which it is an element; {} of a component."""
    return {e.whole.id} if isinstance(e.whole, Name) else set()


def _has_no_end(symbol: Symbol) -> bool:
    last = symbol.dimensions[-1] if symbol.dimensions else None
    return last is not None and last.upper is None and not last.deferred
