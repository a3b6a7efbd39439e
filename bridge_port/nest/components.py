"""Components of derived types as arrays and scalars of a nest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from bridge_port.kernel import ElementArray, PointProcedure
from bridge_port.program.derivedtypes import extensions, target
from bridge_port.program.resolved import component_symbol, designated
from bridge_port.program.symbols import (
    DUMMY,
    LOCAL,
    PARAMETER,
    RESULT,
    SAVED,
    Scope,
    Symbol,
    Units,
)
from bridge_port.refusal import SOURCE, Place, Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Component,
    Expression,
    Keyword,
    Name,
    Number,
    Section,
    Unary,
)
from bridge_port.syntax.rewriting import Replace, mentions, names_of, replaced, rewrite, with_names
from bridge_port.syntax.statements import (
    Assignment,
    Call,
    Continue,
    Do,
    If,
    PointerAssignment,
    Select,
    Statement,
    walk,
)
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Declaration, Dimension, TypeName, Unit

# ---- The way to a component of a derived type: which variable stands at its end, and which
# array of a type has several elements on it
#
# `cells(i)%layer%t` in a loop over `i` is an element of an array over all elements of `cells`.

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
        array = designated(many[0], self.scope)
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
            symbol = designated(array, self.scope)
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
        if isinstance(e, Apply) and e.reference:
            return e.reference in self.changed or any(self.moves(one) for one in e.arguments)
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


# ---- Functions bound to a type that give one and the same number in a nest: `fuel%trunks()` -----
#
# The unit calls them before the nest, and gives the number. So it must not count whether, when or
# how often they are called: a function that only computes with the numbers of its object and its
# arguments, none of which the nest changes.

SHARED = frozenset({"pointer", "target"})


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
        symbol = designated(called.base, self.scope)
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
            (symbol := designated(e, self.scope)) is not None and symbol.attributes & SHARED
            for e in call.walk()
            if isinstance(e, Component)
        )
        return not (shared and self.seen)

    def _is_array(self, e: Expression) -> bool:
        symbol = designated(e, self.scope) if isinstance(e, Name | Component) else None
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
            return intrinsics.ends(e.reference) and scope.find(e.reference) is None
        if isinstance(e, Binary):
            return e.operator != "/"
        if isinstance(e, Component):
            found = designated(e, scope)
            return found is not None and not found.attributes & {"pointer", "class"}
        if isinstance(e, Name):
            known = scope.find(e.id)
            return intrinsics.ends(e.id) if known is None else (
                known.storage in (DUMMY, LOCAL, RESULT, PARAMETER)
                and not known.attributes & {"pointer", "optional"} and not known.optional
            )  # fmt: skip
        return True


# ---- A component of all elements of an array of a derived type, as an array of numbers ----------
#
# Fortran names it where the component is a scalar, `cells(:)%t`, or an element, `cells(:)%u(2)`.
# So a small array of each element is as many of those, which the generated module puts together.

#: Elements of a component, each of which is an argument of the module's calls.
MOST = 32


def element_array(
    scope: Scope, path: Expression, array: Expression, symbol: Symbol, place: Place
) -> ElementArray:
    """path: for all elements of the array; symbol: of the component at its end."""
    owner = designated(array, scope)
    assert owner is not None
    shape = []
    for low, high in symbol.scope.bounds(symbol) if symbol.dimensions is not None else ():
        assert low is not None and high is not None  # others are refused with their declaration
        shape.append((low, high))
    count = math.prod(high - low + 1 for low, high in shape)
    if not 1 <= count <= MOST:
        raise Refused(
            place, f"component {expression_text(path)}",
            f"it has {count} elements in each element of an array of a type, and {MOST} are the "
            "most that are copied", "copy it to an array of its own",
        )  # fmt: skip
    ranges = [range(low, high + 1) for low, high in reversed(shape)]
    parts: list[Expression] = [
        Apply(path, tuple(number(n) for n in reversed(one))) if shape else path
        for one in product(*ranges)
    ]
    return ElementArray(array, len(owner.dimensions or ()), tuple(shape), tuple(parts))


def element_dimensions(
    scope: Scope, array: Expression
) -> tuple[tuple[Dimension, ...], frozenset[str]]:
    """Of the array of a type, as the nest's unit may say them; with "allocatable" where only a run
    knows them."""
    symbol = designated(array, scope)
    assert symbol is not None
    dimensions = symbol.dimensions or ()
    bounds = symbol.scope.bounds(symbol)
    known = [(low, high) for low, high in bounds if low is not None and high is not None]
    if len(known) == len(bounds):
        return tuple(
            Dimension(None if low == 1 else number(low), number(high)) for low, high in known
        ), frozenset()
    if symbol.scope is scope and not symbol.attributes & {"pointer", "allocatable"}:
        return dimensions, frozenset()
    return tuple(Dimension(None, None, True) for _ in dimensions), frozenset({"allocatable"})


def number(n: int) -> Expression:
    return Number(str(n)) if n >= 0 else Unary("-", Number(str(-n)))


def element_notes(one: PointProcedure) -> Iterator[str]:
    """What a point procedure has copied."""
    views = {name: view.array for name, view in one.views.items()}
    uses = {(views.get(use.name, use.name), use.written) for use in one.arrays.values()}
    uses |= {(r.variable, True) for r in one.reductions}
    named = {name for s in walk(one.unit.body) for name in names_of(s)}
    named |= {e.id for view in one.views.values() for sub in view.subscripts if sub is not None
              for e in sub.walk() if isinstance(e, Name)}  # fmt: skip
    for name, its in one.elements.items():
        text = f"{name} is a component of all elements of {expression_text(its.array)}"
        if (name, True) in uses:
            yield f"{text}: copied before each run and back behind it"
        elif (name, False) in uses or name in named:
            yield f"{text}: copied before each run"


def check_memory(
    scope: Scope, elements: Mapping[str, ElementArray], names: Mapping[Expression, str],
    statements: Sequence[Statement],
) -> None:  # fmt: skip
    """Refused where a component that is copied may be the memory of another variable, and one of
    both is written: nothing can compare their addresses."""
    paths = {name: path for path, name in names.items()}
    written: set[str] = set()
    mentioned: dict[str, Place] = {}
    for s in walk(statements):
        if isinstance(s, Assignment):
            written.add(s.target.root)
        elif isinstance(s, Call):
            written |= {a.root for a in s.arguments}
        for name in names_of(s):
            mentioned.setdefault(name, s.place)
    for name in elements:
        mine = scope.find(name)
        for other in mentioned:
            symbol = scope.find(other)
            if other == name or symbol is None or mine is None or not {name, other} & written:
                continue
            if (symbol.type, symbol.kind) != (mine.type, mine.kind):
                continue
            if _may_share(mine, symbol, paths[name], paths.get(other)):
                text = expression_text(elements[name].parts[0])
                what = expression_text(paths[other]) if other in paths else other
                raise Refused(
                    mentioned[name], f"component {text}",
                    f"of an array of a type; it may be the memory of {what}, and the nest writes "
                    "one of them", "copy it to an array of its own",
                )  # fmt: skip


def _may_share(mine: Symbol, other: Symbol, path: Expression, its: Expression | None) -> bool:
    if not mine.attributes & SHARED or not other.attributes & SHARED:
        return False
    if "pointer" in other.attributes:
        return True
    if its is None:
        return other.storage == DUMMY
    # An object of a type lies in no other one of its type: components of two names are apart.
    assert isinstance(path, Component) and isinstance(its, Component)
    return path.name == its.name


#: Attributes of names that may be one memory with others.


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
        array = designated(value, scope)
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
            if isinstance(one, Apply) and intrinsics.asks_bounds(one.root):
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
            symbol = designated(path, self.scope)
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
    symbol = designated(array, scope)
    return len(symbol.dimensions or ()) if symbol is not None and symbol.type == "type" else 0


def _every(s: Statement) -> list[Expression]:
    return [e for x in s.expressions() for e in x.walk()]


def _scalar_pointer(place: Place, text: str) -> Refused:
    return Refused(place, f"{text}", "a pointer or allocatable scalar",
                   "copy its value to a variable before the nest")  # fmt: skip
