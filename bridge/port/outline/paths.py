"""Components of derived types as arrays and scalars of a nest.

`chunk%tiles(tile)%field%u(j, k)` is an element of the array `chunk%tiles(tile)%field%u`, as long
as nothing on the way to it changes in the nest. Such a path gets a name and a declaration in a
copy of the unit; whoever calls the nest's procedures gives the path itself. Pointers, and what
pointers may point to, are seen outside of the unit: they count as its arguments there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.port.outline.calls import base_name
from bridge.port.outline.rewriting import mentions, replaced, rewrite, with_names
from bridge.port.program import intrinsics
from bridge.port.program.symbols import LOCAL, SAVED, Symbol
from bridge.port.program.types import component_symbol, type_symbol
from bridge.port.refusal import Place, Refused
from bridge.port.syntax.expressions import (
    Apply,
    Component,
    Expression,
    Keyword,
    Name,
    Number,
    Section,
    Unary,
)
from bridge.port.syntax.statements import (
    Assignment,
    Call,
    Do,
    PointerAssignment,
    Statement,
    walk,
)
from bridge.port.syntax.text import expression_text
from bridge.port.syntax.units import Declaration, Dimension, TypeName, Unit

#: Attributes of names that may be one memory with others.
SHARED = frozenset({"pointer", "target"})


@dataclass
class Paths:
    """unit: that of the nest, or a copy with further declarations; designators: of each name that
    stands for a path."""

    unit: Unit
    designators: dict[str, Expression] = field(default_factory=dict)


def put_paths(
    program: Any, unit: Unit, statements: Sequence[Statement], later: Sequence[Statement]
) -> Paths:
    """In `statements`, a copy of the nest's, names stand for paths then. later: what may run after
    them."""
    found = _Finder(program, unit, statements, later)
    return found.run()


def put_pointers(scope: Any, statements: list[Statement], later: Sequence[Statement]) -> None:
    """In the place of a local pointer that the first statements set to a whole array, that array:
    it has the same bounds."""
    while statements and isinstance(first := statements[0], PointerAssignment):
        target, value = first.target, first.value
        if not isinstance(target, Name) or not isinstance(value, Name | Component):
            return
        pointer = scope.find(target.id)
        array = type_symbol(value, scope)
        if pointer is None or pointer.storage != LOCAL or array is None:
            return
        ranks = [len(one.dimensions or ()) for one in (pointer, array)]
        again = any(isinstance(s, PointerAssignment) and
                    (s.target == target or base_name(s.target) == base_name(value))
                    for s in walk(statements[1:]))  # fmt: skip
        if not ranks[0] or ranks[0] != ranks[1] or again or first.label:
            return
        if any(e == target for s in walk(later) for e in _every(s)):
            raise Refused(
                first.place, f"pointer assignment of {target.id}",
                "the pointer is used after the nest", "leave the assignment outside of the nest",
            )  # fmt: skip
        del statements[0]
        values = {target.id: value}
        rewrite(statements, lambda e, s, values=values: with_names(e, values))  # type: ignore[misc]


class _Finder:
    def __init__(
        self,
        program: Any,
        unit: Unit,
        statements: Sequence[Statement],
        later: Sequence[Statement],
    ) -> None:
        self.program, self.unit, self.scope = program, unit, program.scope(unit)
        self.statements, self.later = statements, later
        self.names: dict[Expression, str] = {}
        self.declarations: list[Declaration] = []
        self.arguments: list[str] = []
        self.taken: set[str] = set()
        self.changed: set[str] = set()
        self.indices: list[tuple[Place, str]] = []

    def run(self) -> Paths:
        outside = self._outside()
        if not any(isinstance(e, Component) for s in walk(self.statements) for e in _every(s)):
            return Paths(self._copy(outside) if outside else self.unit)
        self.taken = {e.id for s in walk(self.statements) for e in _every(s)
                      if isinstance(e, Name)}  # fmt: skip
        self.changed = self._changed()
        rewrite(self.statements, lambda e, s: self._put(e, s.place))
        self._check_rest()
        self._mark_elements()
        unit = self._copy([*outside, *self.arguments])
        return Paths(unit, {name: path for path, name in self.names.items()})

    def _copy(self, arguments: Sequence[str]) -> Unit:
        unit = self.unit
        more = [name for name in dict.fromkeys(arguments) if name not in unit.arguments]
        return replace(
            unit,
            arguments=[*unit.arguments, *more],
            declarations=[*unit.declarations, *self.declarations],
            saved=unit.saved - set(more),
        )

    def _outside(self) -> list[str]:
        """Local pointers and targets."""
        found = []
        names = dict.fromkeys(e.id for s in walk(self.statements) for e in _every(s)
                              if isinstance(e, Name))  # fmt: skip
        for name in names:
            symbol = self.scope.find(name)
            if symbol is None or symbol.scope is not self.scope or symbol.type == "type":
                continue
            if symbol.storage in (LOCAL, SAVED) and symbol.attributes & SHARED:
                if "pointer" in symbol.attributes and symbol.dimensions is None:
                    place = next(s.place for s in walk(self.statements) for e in _every(s)
                                 if e == Name(name))  # fmt: skip
                    raise _scalar_pointer(place, name)
                found.append(name)
        return found

    # ---- one expression -----------------------------------------------------------------------

    def _put(self, e: Expression, place: Place) -> Expression:
        def put(one: Expression) -> Expression | None:
            if isinstance(one, Component):
                return Name(self._name(one, place))
            if isinstance(one, Apply) and isinstance(one.base, Component):
                name = self._name(one.base, place)
                if self._symbol(one.base, place).dimensions is None:
                    raise Refused(
                        place, f"{expression_text(one.base)}(...)", "a function of a type",
                        "call a procedure by its name",
                    )  # fmt: skip
                return Apply(Name(name), tuple(replaced(a, put) for a in one.arguments))
            return None

        return replaced(e, put)

    def _name(self, path: Component, place: Place) -> str:
        if path in self.names:
            return self.names[path]
        symbol = self._symbol(path, place)
        text = expression_text(path)
        if symbol.type not in ("real", "integer", "logical"):
            what = f"type({symbol.type_name})" if symbol.type == "type" else symbol.type
            raise Refused(place, f"{what} {text}", "a kernel has numbers and logicals")
        if symbol.dimensions is None and symbol.attributes & {"pointer", "allocatable"}:
            raise _scalar_pointer(place, text)
        name = self.names[path] = self._unique(path)
        self.taken.add(name)
        kind = TypeName(symbol.type, symbol.kind)
        attributes = symbol.attributes & {"pointer", "allocatable"}
        if self._points(path):
            attributes |= {"target"}
        root = self.scope.find(base_name(path))
        intent = "in" if root is not None and root.intent == "in" and not attributes else ""
        dimensions = self._dimensions(symbol, place, text)
        self.declarations.append(Declaration(place, name, kind, dimensions, attributes, intent))
        if not self._own(path, attributes):
            self.arguments.append(name)
        return name

    def _unique(self, path: Component) -> str:
        """The last names of the path, as many as it takes."""
        words: list[str] = []
        e: Expression = path
        while not isinstance(e, Name):
            if isinstance(e, Component):
                words.insert(0, e.name)
                if not self._is_taken("_".join(words)):
                    return "_".join(words)
            e = e.base  # type: ignore[attr-defined]
        stem = "_".join([e.id, *words])[:55]
        name, number = stem, 1
        while self._is_taken(name):
            number += 1
            name = f"{stem}_{number}"
        return name

    def _is_taken(self, name: str) -> bool:
        scope = self.scope
        return (
            name in self.taken or name in self.unit.arguments or len(name) > 60
            or scope.find(name) is not None or scope.procedure(name) is not None
            or bool(scope.generic(name)) or name in intrinsics.NAMES
        )  # fmt: skip

    def _dimensions(self, symbol: Symbol, place: Place, text: str) -> tuple[Dimension, ...] | None:
        if symbol.dimensions is None:
            return None
        if symbol.attributes & {"pointer", "allocatable"}:
            return tuple(Dimension(None, None, True) for _ in symbol.dimensions)
        found = []
        for low, high in symbol.scope.bounds(symbol):
            if low is None or high is None:
                raise Refused(place, f"array {text}", "its bounds are no constants")
            found.append(Dimension(None if low == 1 else _number(low), _number(high)))
        return tuple(found)

    # ---- the way to it ------------------------------------------------------------------------

    def _symbol(self, path: Component, place: Place) -> Symbol:
        """Of the component at the end; Refused where the way to it is not one and the same."""
        base = path.base
        subscripts: tuple[Expression, ...] | None = None
        if isinstance(base, Apply):
            subscripts, base = base.arguments, base.base
        if isinstance(base, Name):
            owner = self.scope.find(base.id)
        elif isinstance(base, Component):
            owner = self._symbol(base, place)
        else:
            owner = None
        text = f"component {expression_text(path)}"
        if owner is None or owner.type != "type":
            what = expression_text(base)
            raise Refused(place, text, f"{what} is no variable of a derived type that is known",
                          "give the file of its module")  # fmt: skip
        # Of a class the components of its declared type: refused where that is not known.
        owner.scope.derived(owner.type_name, place)
        if owner.dimensions is not None and subscripts is None:
            raise Refused(place, text, f"{expression_text(base)} is an array of a type",
                          "name one element, or copy it to an array of its own")  # fmt: skip
        for subscript in subscripts or ():
            self._invariant(subscript, text, place)
        if base_name(path) in self.changed:
            raise Refused(place, text, f"{base_name(path)} changes in the nest",
                          "copy it to an array of its own")  # fmt: skip
        found: Symbol | None = component_symbol(owner.scope, owner.type_name, path.name)
        derived = owner.scope.derived(owner.type_name)
        if found is None and derived.pointer(path.name) is not None:
            raise Refused(place, text, "a procedure component: what it points to is known at run "
                          "time alone", "port the procedure: --procedure says it")  # fmt: skip
        if found is None:
            raise Refused(place, text, f"type({owner.type_name}) has no such component, or it is "
                          "inherited or a procedure", "copy it to a variable")  # fmt: skip
        return found

    def _invariant(self, subscript: Expression, text: str, place: Place) -> None:
        if any(isinstance(e, Section) for e in subscript.walk()):
            raise Refused(place, text, "of several elements of a type",
                          "copy it to an array of its own")  # fmt: skip
        for e in subscript.walk():
            if isinstance(e, Component):
                self.indices.append((place, text))
            if isinstance(e, Name) and e.id in self.changed:
                raise Refused(
                    place, text,
                    f"of an array of a type, whose index {e.id} changes in the nest",
                    self._outside_of(place) or "copy it to an array of its own",
                )  # fmt: skip

    def _outside_of(self, place: Place) -> str:
        """What to change where a call has an element of a type in the loop over them."""
        for s in walk(self.statements):
            if not isinstance(s, Call) or s.place != place or not isinstance(s.procedure, Name):
                continue
            name = s.procedure.id
            if self.scope.as_written(name) is None:
                raise Refused(place, f"call {name}", "its source is not given",
                              "give its file, or leave the call outside")  # fmt: skip
            return (f"leave the loop over the elements outside: port the call of {name} alone "
                    f"({place}), or the loops in it")  # fmt: skip
        return ""

    def _own(self, path: Component, attributes: frozenset[str]) -> bool:
        """Whether it is memory of the unit alone that nobody sees after the nest."""
        root = self.scope.find(base_name(path))
        if root is None or root.storage != LOCAL or attributes:
            return False
        if root.attributes & {"pointer", "allocatable", "target"}:
            return False
        return not any(mentions(e, root.name) for s in walk(self.later) for e in _every(s))

    def _points(self, path: Component) -> bool:
        """Whether a pointer stands on the way, or the variable is a target."""
        e: Expression = path.base
        while not isinstance(e, Name):
            if isinstance(e, Component):
                symbol = self._symbol(e, self.unit.place)
                if symbol.attributes & {"pointer"}:
                    return True
            e = e.base  # type: ignore[attr-defined]
        root = self.scope.find(e.id)
        return root is not None and bool(root.attributes & SHARED)

    def _mark_elements(self) -> None:
        """The same component of two elements of an array of types: the elements may be one."""
        alike: dict[Expression, set[str]] = {}
        for path, name in self.names.items():
            alike.setdefault(_without_subscripts(path), set()).add(name)
        twice = {name for names in alike.values() if len(names) > 1 for name in names}
        for n, one in enumerate(self.declarations):
            if one.name in twice:
                self.declarations[n] = replace(one, attributes=one.attributes | {"target"})

    def _changed(self) -> set[str]:
        """Names of variables that may get another value, but for components of them."""
        found: set[str] = set()
        for s in walk(self.statements):
            if isinstance(s, Do) and s.variable:
                found.add(s.variable)
            elif isinstance(s, Assignment):
                target = s.target.base if isinstance(s.target, Apply) else s.target
                if isinstance(target, Name):
                    found.add(target.id)
            elif isinstance(s, Call):
                found |= {
                    name for n, a in enumerate(s.arguments)
                    if (name := _variable(a)) and not self._only_read(s, n, a)
                }  # fmt: skip
        return found

    def _only_read(self, call: Call, number: int, argument: Expression) -> bool:
        callee = call.procedure
        unit = self.scope.procedure(callee.id) if isinstance(callee, Name) else None
        if unit is None:
            return False
        dummy = argument.name if isinstance(argument, Keyword) else (
            unit.arguments[number] if number < len(unit.arguments) else "")  # fmt: skip
        return any(d.name == dummy and d.intent == "in" for d in unit.declarations)

    def _check_rest(self) -> None:
        """Variables of types as a whole would change, or read, what has another name now."""
        written = {base_name(s.target) for s in walk(self.statements) if isinstance(s, Assignment)}
        whole = {d.name for d in self.declarations if d.type and d.type.base == "integer"}
        for place, text in self.indices:
            if written & whole or any(isinstance(s, Call) for s in walk(self.statements)):
                raise Refused(place, text, "an index on the way is a component of a type, and the "
                              "nest may change it", "copy the index to a variable")  # fmt: skip
        roots = {base_name(path) for path in self.names}
        for s in walk(self.statements):
            for e in _every(s):
                if isinstance(e, Name) and e.id in roots:
                    raise Refused(
                        s.place, f"variable {e.id} of a derived type",
                        "the nest has it as a whole, and components of it",
                        "name its components",
                    )  # fmt: skip


def _without_subscripts(e: Expression) -> Expression:
    if isinstance(e, Apply):
        return _without_subscripts(e.base)
    return Component(_without_subscripts(e.base), e.name) if isinstance(e, Component) else e


def _variable(e: Expression) -> str:
    """Of an argument that is a variable, or an element of an array of numbers."""
    if isinstance(e, Keyword):
        return _variable(e.value)
    if isinstance(e, Apply):
        e = e.base
    return e.id if isinstance(e, Name) else ""


def _every(s: Statement) -> list[Expression]:
    return [e for x in s.expressions() for e in x.walk()]


def _scalar_pointer(place: Place, text: str) -> Refused:
    return Refused(place, f"{text}", "a pointer or allocatable scalar",
                   "copy its value to a variable before the nest")  # fmt: skip


def _number(n: int) -> Expression:
    return Number(str(n)) if n >= 0 else Unary("-", Number(str(-n)))
