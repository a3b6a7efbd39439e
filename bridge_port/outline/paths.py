"""Components of derived types as arrays and scalars of a nest.

`chunk%tiles(tile)%field%u(j, k)` is an element of the array `chunk%tiles(tile)%field%u`, as long
as nothing on the way to it changes in the nest. Such a path gets a name and a declaration in a
copy of the unit; whoever calls the nest's procedures gives the path itself. Pointers, and what
pointers may point to, are seen outside of the unit: they count as its arguments there.

`cells(i)%u(k)` in a loop over `i` is the element `u(k, i)` of an array of numbers: the components
of all elements, which do not follow each other in memory. The generated module copies them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bridge_port.kernel import ElementArray
from bridge_port.outline.boundcalls import BoundCalls
from bridge_port.outline.elements import check_memory, element_array, element_dimensions, number
from bridge_port.outline.ways import WHOLE, Ways, of_all, steps
from bridge_port.program.symbols import LOCAL, SAVED, Scope, Symbol, Units
from bridge_port.program.types import type_symbol
from bridge_port.refusal import Place, Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax.expressions import (
    Apply,
    Component,
    Expression,
    Name,
    Number,
)
from bridge_port.syntax.rewriting import Replace, mentions, replaced, rewrite, with_names
from bridge_port.syntax.statements import (
    Assignment,
    Call,
    PointerAssignment,
    Statement,
    walk,
)
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Declaration, Dimension, TypeName, Unit

#: Attributes of names that may be one memory with others.
SHARED = frozenset({"pointer", "target"})
_SIZES = (Name("size"), Name("lbound"), Name("ubound"))


@dataclass
class Paths:
    """unit: that of the nest, or a copy with further declarations; designators: of each name that
    stands for a path; elements: of each that stands for a component of all elements of an
    array."""

    unit: Unit
    designators: dict[str, Expression] = field(default_factory=dict)
    elements: dict[str, ElementArray] = field(default_factory=dict)


def put_paths(
    program: Units, unit: Unit, statements: Sequence[Statement], later: Sequence[Statement]
) -> Paths:
    """In `statements`, a copy of the nest's, names stand for paths then. later: what may run after
    them."""
    found = _Finder(program, unit, statements, later)
    return found.run()


def put_pointers(scope: Scope, statements: list[Statement], later: Sequence[Statement]) -> None:
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
                    (s.target == target or s.target.root == value.root)
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
        program: Units,
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
        self.ways = Ways(self.scope, statements)
        #: Paths for all elements of an array: that, and a path as the nest has it.
        self.gathered: dict[Expression, tuple[Expression, Component]] = {}
        self.elements: dict[str, ElementArray] = {}
        self.calls = BoundCalls(program, self.ways, statements)
        self.called: dict[Expression, str] = {}

    def run(self) -> Paths:
        outside = self._outside()
        if not any(isinstance(e, Component) for s in walk(self.statements) for e in _every(s)):
            return Paths(self._copy(outside) if outside else self.unit)
        self.taken = {e.id for s in walk(self.statements) for e in _every(s)
                      if isinstance(e, Name)}  # fmt: skip
        self.gathered = {
            of_all(e, many[0], _rank(many[0], self.scope)): (many[0], e)
            for s in walk(self.statements)
            for e in _every(s)
            if isinstance(e, Component) and (many := self.ways.many(e))
        }
        rewrite(self.statements, lambda e, s: self._put(e, s.place))
        self._check_rest()
        self._mark_elements()
        unit = self._copy([*outside, *self.arguments])
        check_memory(self.program.scope(unit), self.elements, self.names, self.statements)
        named = {name: path for path, name in (*self.names.items(), *self.called.items())}
        return Paths(unit, named, self.elements)

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
                return self._variable(one, None, place, put)
            if isinstance(one, Apply) and isinstance(one.base, Component):
                if (result := self.calls.result(one)) is not None:
                    return Name(self._called(one, one.base, result, place))
                return self._variable(one.base, one.arguments, place, put)
            if isinstance(one, Apply) and one.base in _SIZES:
                return self._size(one, place)
            return None

        return replaced(e, put)

    def _size(self, e: Apply, place: Place) -> Expression | None:
        """Of an array of a type: that of a component of its elements."""
        of, *rest = e.arguments or (None,)
        dimension = rest[0] if rest else Number("1")
        if not isinstance(dimension, Number) or not dimension.text.isdigit():
            return None
        for key, (array, path) in self.gathered.items():
            symbol = type_symbol(path, self.scope)
            if array != of or symbol is None or symbol.type not in ("real", "integer", "logical"):
                continue
            if rest or (e.base == Name("size") and _rank(array, self.scope) == 1):
                n = len(symbol.dimensions or ()) + int(dimension.text)
                return Apply(e.base, (Name(self._name(key, place, path)), number(n)))
        return None

    def _called(self, call: Apply, path: Component, result: Symbol, place: Place) -> str:
        """A name for the number that a function gives before the nest."""
        if call not in self.called:
            name = self.called[call] = self._unique(path)
            self.taken.add(name)
            kind = TypeName(result.type, result.kind)
            self.declarations.append(Declaration(place, name, kind, intent="in"))
            self.arguments.append(name)
        return self.called[call]

    def _variable(
        self, path: Component, subscripts: tuple[Expression, ...] | None, place: Place,
        put: Replace,
    ) -> Expression:  # fmt: skip
        """The name in its place; of a component of all elements with the subscripts of these."""
        key = self._of_elements(path)
        name = Name(self._name(path if key is None else key, place, path))
        symbol = self.ways.symbol(path, place)
        if subscripts is not None and symbol.dimensions is None:
            raise Refused(
                place, f"{expression_text(path)}(...)", "a function of a type",
                "call a procedure by its name",
            )  # fmt: skip
        inner = tuple(replaced(a, put) for a in subscripts or ())
        if key is None:
            return name if subscripts is None else Apply(name, inner)
        array = self.elements[name.id].array
        given = dict(steps(path))[array]
        if given is None:
            given = (WHOLE,) * _rank(array, self.scope)
        own = inner or (WHOLE,) * len(symbol.dimensions or ())
        return Apply(name, (*own, *(replaced(a, put) for a in given)))

    def _of_elements(self, path: Component) -> Expression | None:
        """The path for all elements of an array on the way, where the nest needs several."""
        for array, _ in steps(path):
            rank = _rank(array, self.scope)
            if rank and (found := of_all(path, array, rank)) in self.gathered:
                return found
        return None

    def _name(self, key: Expression, place: Place, path: Component) -> str:
        if key in self.names:
            return self.names[key]
        symbol = self.ways.symbol(path, place)
        text = expression_text(path)
        if symbol.type not in ("real", "integer", "logical"):
            what = f"type({symbol.type_name})" if symbol.type == "type" else symbol.type
            raise Refused(place, f"{what} {text}", "a kernel has numbers and logicals",
                          "leave it outside of the nest, or copy it to numbers")  # fmt: skip
        if symbol.dimensions is None and symbol.attributes & {"pointer", "allocatable"}:
            raise _scalar_pointer(place, text)
        name = self.names[key] = self._unique(path)
        self.taken.add(name)
        kind = TypeName(symbol.type, symbol.kind)
        attributes = symbol.attributes & {"pointer", "allocatable"}
        dimensions = self._dimensions(symbol, place, text)
        if key in self.gathered:
            array, moving = self.gathered[key]
            self.ways.symbol(moving, place)  # its refusals: this path may be that of one element
            self.elements[name] = element_array(self.scope, key, array, symbol, place)
            more, deferred = element_dimensions(self.scope, array)
            dimensions = (*(dimensions or ()), *more)
            attributes |= deferred
        if self._points(path):
            attributes |= {"target"}
        root = self.scope.find(path.root)
        intent = "in" if root is not None and root.intent == "in" and not attributes else ""
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
            found.append(Dimension(None if low == 1 else number(low), number(high)))
        return tuple(found)

    # ---- memory --------------------------------------------------------------------------------

    def _own(self, path: Component, attributes: frozenset[str]) -> bool:
        """Whether it is memory of the unit alone that nobody sees after the nest."""
        root = self.scope.find(path.root)
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
                symbol = self.ways.symbol(e, self.unit.place)
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

    def _check_rest(self) -> None:
        """Variables of types as a whole would change, or read, what has another name now."""
        written = {s.target.root for s in walk(self.statements) if isinstance(s, Assignment)}
        whole = {d.name for d in self.declarations if d.type and d.type.base == "integer"}
        for place, text in self.ways.indices:
            if written & whole or any(isinstance(s, Call) for s in walk(self.statements)):
                raise Refused(place, text, "an index on the way is a component of a type, and the "
                              "nest may change it", "copy the index to a variable")  # fmt: skip
        roots = {path.root for path in self.names}
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


def _rank(array: Expression, scope: Scope) -> int:
    """Of an array of a type, 0 of another variable."""
    symbol = type_symbol(array, scope)
    return len(symbol.dimensions or ()) if symbol is not None and symbol.type == "type" else 0


def _every(s: Statement) -> list[Expression]:
    return [e for x in s.expressions() for e in x.walk()]


def _scalar_pointer(place: Place, text: str) -> Refused:
    return Refused(place, f"{text}", "a pointer or allocatable scalar",
                   "copy its value to a variable before the nest")  # fmt: skip
