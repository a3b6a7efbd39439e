"""Arrays and sections as wholes: their elements, where they begin, their shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bridge_port.analysis.affine import Affine
from bridge_port.analysis.setting import Setting
from bridge_port.kernel import Beginning, Conforming
from bridge_port.nest.nest import values_of
from bridge_port.program.resolved import (
    ComplexPart,
    IntrinsicCall,
    Reference,
    Resolved,
    Triplet,
    Unknown,
    Values,
    Variable,
)
from bridge_port.program.symbols import COMMON, DUMMY, LOCAL, MODULE, RESULT, SAVED, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import Intrinsic, asks_bounds, of_integers
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Expression,
    Keyword,
    Name,
    Number,
    Section,
    Unary,
)
from bridge_port.syntax.rewriting import assigned, mentions, replaced, rewrite
from bridge_port.syntax.statements import (
    Assignment,
    Call,
    Do,
    PointerAssignment,
    Statement,
    Unread,
    Where,
    walk,
)
from bridge_port.syntax.statementtexts import memory_of
from bridge_port.syntax.text import expression_text

# ---- Arrays of which a nest does not ask where they begin: dimensions along which they stand as
# a whole alone, or with subscripts that count from the first one, `a(lbound(a, 1) + i -
# 1)`, as names of associate do. In the nest they may begin anywhere

#: (array, dimension from 1).
Dimensions = frozenset[tuple[str, int]]
WHOLE = Section(None, None, None)


def free_dimensions(setting: Setting, statements: Sequence[Statement]) -> Dimensions:
    """Of arrays whose bounds only a run knows."""
    found = _Found(setting)
    for s in walk(statements):
        for e in s.expressions():
            found.look(e)
    return frozenset(found.wholes - found.others)


def put_first_subscripts(statements: Sequence[Statement], free: Dimensions) -> Dimensions:
    """1 stands for lbound(a, n) of these. Those that it stood for."""
    done = set()

    def one(e: Expression) -> Expression | None:
        key = _asked(e)
        if key not in free:
            return None
        done.add(key)
        return Number("1")

    rewrite(statements, lambda e, _: replaced(e, one))
    return frozenset(done)


def lower_bound(array: str, dimension: int) -> Expression:
    return Apply(Name("lbound"), (Name(array), Number(str(dimension))))


def _asked(e: Expression) -> tuple[str, int] | None:
    """(a, n) of lbound(a, n)."""
    match e:
        case Apply(Name("lbound"), (Name(array), Number(digits))) if digits.isdigit():
            return array, int(digits)
    return None


class _Found:
    """wholes: dimensions that nobody asks the bounds of; others: those of which somebody does."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.wholes: set[tuple[str, int]] = set()
        self.others: set[tuple[str, int]] = set()

    def look(self, e: Expression) -> None:
        parts: Sequence[Expression] = tuple(e.parts())
        match e:
            case Apply(Name("lbound" | "ubound"), arguments):
                names = {name for a in arguments for name in a.names}
                self.others |= {(name, n) for name in names for n in range(1, 16)}
                return
            case Apply(Name(array), arguments) if own_bounds(self.setting, array):
                parts = [part for n, a in enumerate(arguments, 1)
                         for part in self._subscript(array, n, a)]  # fmt: skip
            case Name(array):
                rank = own_bounds(self.setting, array)
                self.wholes |= {(array, n) for n in range(1, rank + 1)}
        for part in parts:
            self.look(part)

    def _subscript(self, array: str, n: int, a: Expression) -> Iterator[Expression]:
        """What is left to be looked at of a subscript."""
        if a == WHOLE:
            self.wholes.add((array, n))
            return
        bounds = (a.lower, a.upper) if isinstance(a, Section) else (a,)
        relative = [self._from_first(array, n, one) for one in bounds if one is not None]
        known = [one.expression for one in relative if one is not None]
        if len(known) == len(relative):
            self.wholes.add((array, n))
            yield from known
            if isinstance(a, Section) and a.stride is not None:
                yield a.stride
            return
        self.others.add((array, n))
        yield a

    def _from_first(self, array: str, n: int, e: Expression) -> Affine | None:
        """How far an element lies from the first one; None where that is not what it says."""
        first = lower_bound(array, n)
        place = self.setting.affine(e)
        if dict(place.terms).get(first) != 1:
            return None
        rest = place - Affine(0, ((first, 1),))
        inside = (part for term, _ in rest.terms for part in term.walk())
        return None if any(part == first for part in inside) else rest


# ---- One element of an expression of arrays: what an array statement does at one place ----------


@dataclass(frozen=True)
class Whole:
    """An array with its subscripts; sections: numbers of those that are sections."""

    array: str
    symbol: Symbol
    subscripts: tuple[Expression, ...]
    sections: tuple[int, ...]


@dataclass(frozen=True)
class Range:
    """What a loop runs over. count: how many elements, None where it is not known; species:
    whether their number is in that."""

    low: Expression
    high: Expression
    count: int | None
    species: bool = False


#: None in the place of components, which stay as sections.
Extent = Range | None


class Elements:
    """Of the statements of a nest. free: dimensions that may begin anywhere; firsts: dimensions
    whose first subscript is that of another array. Free ones that are not in it begin at 1."""

    def __init__(
        self, setting: Setting, statements: Sequence[Statement], free: Dimensions
    ) -> None:
        self.setting = setting
        self.free = free
        self.firsts: dict[tuple[str, int], Expression] = {}
        #: (array, dimension) -> the last subscript, of arrays of one shape the same, as the
        #: statements before say.
        self.ends_of: dict[tuple[str, int], Expression] = {}
        self._set = assigned(statements)
        self._given: set[str] | None = None

    # ---- shapes -------------------------------------------------------------------------------

    def whole(self, e: Expression) -> Whole | None:
        """Of a whole array or a section; None of an element, and of what is no array."""
        name = e.whole
        symbol = self.setting.find(name.id) if isinstance(name, Name) else None
        if symbol is None or not symbol.dimensions or not isinstance(name, Name):
            return None
        rank = len(symbol.dimensions)
        if not isinstance(e, Apply):
            return Whole(name.id, symbol, (WHOLE,) * rank, tuple(range(rank)))
        if len(e.arguments) != rank:
            return None
        sections = tuple(n for n, a in enumerate(e.arguments) if self.is_section(a))
        return Whole(name.id, symbol, e.arguments, sections) if sections else None

    def is_section(self, e: Expression) -> bool:
        """Of a subscript: a section, or a vector of subscripts."""
        return isinstance(e, Section) or self.rank(e) == 1

    def rank(self, e: Expression) -> int | None:
        """Of an expression; None where it is not known, or its elements are not."""
        one = self.setting.resolve(e)
        if isinstance(one, Unknown) and isinstance(e, Name):
            return 0  # a constant of a module of the language
        return one.rank if _by_elements(one) else None

    def extent(self, whole: Whole, n: int) -> Range | None:
        """Of the section of a dimension; None of strides, and of vectors of subscripts."""
        section = whole.subscripts[n]
        if not isinstance(section, Section) or not self._plain(section):
            return None
        low, high = self.ends(whole, n)
        if high is None:
            return None
        affine = self.setting.affine
        difference = affine(high) - affine(low)
        count = None if difference.constant is None else difference.constant + 1
        return Range(low, high, count, self.setting.of_species(difference))

    def _plain(self, section: Section) -> bool:
        return section.stride is None or self.setting.affine(section.stride).constant == 1

    def ends(self, whole: Whole, n: int) -> tuple[Expression, Expression | None]:
        """First and last subscript of a section, None where it has no end that is known."""
        section = whole.subscripts[n]
        assert isinstance(section, Section)
        low = section.lower if section.lower is not None else self._low(whole, n)
        return low, section.upper if section.upper is not None else self._high(whole, n)

    def _inner(self, symbol: Symbol) -> bool:
        """Whether names in its bounds are those of the nest."""
        return symbol.scope is self.setting.scope

    def _low(self, whole: Whole, n: int) -> Expression:
        symbol = whole.symbol
        assert symbol.dimensions is not None
        dimension = symbol.dimensions[n]
        if (first := self._first(whole, n)) is not None:
            return first
        if symbol.attributes & {"pointer", "allocatable"} and dimension.upper is None:
            return lower_bound(whole.array, n + 1)
        low = self.setting.bounds(symbol)[n][0]
        if low.constant is not None or self._inner(symbol):
            return low.expression
        return lower_bound(whole.array, n + 1)

    def _first(self, whole: Whole, n: int) -> Expression | None:
        """Where that is another subscript than its own one."""
        key = whole.array, n + 1
        return self.firsts.get(key, Number("1") if key in self.free else None)

    def _high(self, whole: Whole, n: int) -> Expression | None:
        known = self.ends_of.get((whole.array, n))
        if known is not None:
            return known
        symbol = whole.symbol
        assert symbol.dimensions is not None
        dimension = symbol.dimensions[n]
        if (whole.array, n + 1) in self.free:
            affine = self.setting.affine
            before = affine(self._low(whole, n)) - Affine(1)
            return (before + affine(_bound("size", whole.array, n))).expression
        if dimension.upper is None:
            # A section of assumed size has no end.
            return _bound("ubound", whole.array, n) if dimension.deferred else None
        high = self.setting.bounds(symbol)[n][1]
        if high is not None and high.constant is not None:
            return high.expression
        if not self._inner(symbol):
            return _bound("ubound", whole.array, n)
        # An extent is that of the beginning of the procedure.
        return None if self._changed(dimension.upper) else dimension.upper

    def _changed(self, e: Expression) -> bool:
        """Whether the procedure may give one of its names another value."""
        if self._given is None:
            body = self.setting.unit.body
            calls = [s for s in walk(body) if isinstance(s, Call)]
            passed = {a.root for s in calls for a in s.arguments}
            self._given = assigned(body) | passed
        return not e.names.isdisjoint(self._given)

    # ---- elements -----------------------------------------------------------------------------

    def of(
        self, e: Expression, shape: Sequence[Extent], variables: Sequence[str]
    ) -> Expression | None:
        """The element of an expression that belongs to the variables, sections of components in
        it; None where it is not understood."""
        rank = self.rank(e)
        if rank is None or rank not in (0, len(shape)):
            return None
        if rank == 0:
            return e
        whole = self.whole(e)
        if whole is not None:
            return self._element(whole, shape, variables)
        match e:
            case Unary(operator, operand):
                inner = self.of(operand, shape, variables)
                return None if inner is None else Unary(operator, inner)
            case Binary(operator, left, right):
                one, other = (self.of(p, shape, variables) for p in (left, right))
                return None if one is None or other is None else Binary(operator, one, other)
            case Keyword(name, value):
                inner = self.of(value, shape, variables)
                return None if inner is None else Keyword(name, inner)
            case Apply(Name("spread"), (source, dim, _)):
                return self._spread(source, dim, shape, variables)
            case Apply(Name("transpose"), (matrix,)):
                return self.of(matrix, tuple(reversed(shape)), tuple(reversed(variables)))
            case Apply(base, arguments):
                parts = [self.of(a, shape, variables) for a in arguments]
                kept = tuple(part for part in parts if part is not None)
                return Apply(base, kept) if len(kept) == len(parts) else None
        return None

    def _spread(
        self, source: Expression, dim: Expression, shape: Sequence[Extent],
        variables: Sequence[str],
    ) -> Expression | None:  # fmt: skip
        e = dim.value if isinstance(dim, Keyword) else dim
        number = self.setting.affine(e).constant
        if number is None or not 1 <= number <= len(shape) or isinstance(source, Keyword):
            return None
        rest = [n for n in range(len(shape)) if n != number - 1]
        if self.rank(source) == 0:
            return source
        return self.of(source, [shape[n] for n in rest], [variables[n] for n in rest])

    def _element(
        self, whole: Whole, shape: Sequence[Extent], variables: Sequence[str]
    ) -> Expression | None:
        subscripts = list(whole.subscripts)
        for n, extent, variable in zip(whole.sections, shape, variables, strict=True):
            section = subscripts[n]
            if extent is None:
                if not isinstance(section, Section) or not self._few(whole, n):
                    return None
                continue
            if not isinstance(section, Section):
                inner = self.of(section, [extent], [variable])
                if inner is None:
                    return None
                subscripts[n] = inner
                continue
            affine = self.setting.affine
            if not self._plain(section):
                first = self._backwards(whole, n)
                if first is None:
                    return None
                place = affine(first) + affine(extent.low) - Affine(0, ((Name(variable), 1),))
                subscripts[n] = place.expression
                continue
            low, _ = self.ends(whole, n)
            place = Affine(0, ((Name(variable), 1),)) + affine(low) - affine(extent.low)
            subscripts[n] = place.expression
            if section == WHOLE and not (affine(low) - affine(extent.low)).terms:
                high = extent.high
                moves = any(mentions(high, name) for name in self._set)
                if affine(low) == affine(extent.low) and not moves:
                    self.ends_of.setdefault((whole.array, n), high)
        return Apply(Name(whole.array), tuple(subscripts))

    def _backwards(self, whole: Whole, n: int) -> Expression | None:
        """The first subscript of a section whose stride is -1; None of others, and of one
        without both ends, which has no elements."""
        section = whole.subscripts[n]
        if not isinstance(section, Section) or section.stride is None or section.upper is None:
            return None
        return section.lower if self.setting.affine(section.stride).constant == -1 else None

    def _few(self, whole: Whole, n: int) -> bool:
        extent = self.extent(whole, n)
        return extent is not None and (extent.count is not None or extent.species)


def _by_elements(one: Resolved) -> bool:
    """Whether an element of it is made of one of each array in it, or of each line of one."""
    match one:
        case Variable(around=None):
            return True
        case Variable() | Triplet() | Values() | ComplexPart():
            return False
        case IntrinsicCall(intrinsic=row) if asks_bounds(row.name):
            return len(one.parts) == 2
        case IntrinsicCall(intrinsic=Intrinsic(name="spread" | "transpose")):
            return True
        case Reference(elemental=False):
            return one.rank == 0 and all(
                part.rank == 0 and _by_elements(part) for part in one.parts
            )
    return all(map(_by_elements, one.parts))


def _bound(function: str, array: str, n: int) -> Expression:
    return Apply(Name(function), (Name(array), Number(str(n + 1))))


def own_bounds(setting: Setting, name: str) -> int:
    """The rank of an array that the nest is given, and whose bounds only a run knows; else 0."""
    symbol = setting.find(name)
    if symbol is None or not symbol.attributes & {"pointer", "allocatable"}:
        return 0
    if symbol.storage == COMMON or (symbol.storage == MODULE and "target" in symbol.attributes):
        return 0
    dimensions = symbol.dimensions or ()
    return len(dimensions) if all(d.upper is None for d in dimensions) else 0


# ---- Where arrays begin that stand beside each other as wholes, `old = tke`, and whose bounds
# only a run knows: their elements belong together from the first one on
#
# An array that is free begins where the other one does. Where both have subscripts elsewhere in
# the nest, they are taken to begin at the same one, which `bind` asks. Sections with a first
# subscript of their own say nothing of that: nothing is taken then.

#: A dimension of an array, from 1.
Key = tuple[str, int]
#: What stands along one dimension of a statement.
Row = list[tuple[Whole, int]]


@dataclass
class _Class:
    """Dimensions that begin together. own: those whose first subscript only a run knows; fixed:
    first subscripts of others; sections: whether one of these is a section's."""

    own: dict[Key, Place] = field(default_factory=dict)
    free: set[Key] = field(default_factory=set)
    fixed: set[Expression] = field(default_factory=set)
    sections: bool = False

    def join(self, other: _Class) -> None:
        self.own |= other.own
        self.free |= other.free
        self.fixed |= other.fixed
        self.sections |= other.sections


def take_beginnings(elements: Elements, statements: Sequence[Statement]) -> list[Beginning]:
    """`elements` has the first subscripts then; what bind has to ask."""
    classes: dict[Key, _Class] = {}
    for place, row in _rows(elements, statements):
        here = _class_of(elements, place, row)
        for key in [*here.own, *here.free]:
            before = classes.get(key)
            if before is not None and before is not here:
                here.join(before)
        for key in [*here.own, *here.free]:
            classes[key] = here
    found = []
    for one in {id(c): c for c in classes.values()}.values():
        first = _first(one)
        if first is None:
            continue
        elements.firsts |= dict.fromkeys(one.free, first)
        for key, place in one.own.items():
            if first != lower_bound(*key):
                elements.firsts[key] = first
                found.append(Beginning(*key, first, place))
    return found


def _first(one: _Class) -> Expression | None:
    """None where nothing can be taken, or nothing has to be."""
    if not one.own or one.sections or len(one.fixed) > 1:
        return None
    return next(iter(one.fixed), None) or lower_bound(*next(iter(one.own)))


def _class_of(elements: Elements, place: Place, row: Row) -> _Class:
    found = _Class()
    for whole, n in row:
        key = whole.array, n + 1
        section = whole.subscripts[n]
        if not isinstance(section, Section) or section.stride is not None:
            found.sections = True
            continue
        low, _ = elements.ends(whole, n)
        if section.lower is not None:
            found.sections = True
        elif key in elements.free:
            found.free.add(key)
        elif low == lower_bound(*key):
            found.own.setdefault(key, place)
        elif elements.setting.affine(low).constant is None:
            found.sections = True
        else:
            found.fixed.add(elements.setting.affine(low).expression)
    return found


# ---- Rows


def _rows(elements: Elements, statements: Sequence[Statement]) -> Iterator[tuple[Place, Row]]:
    for s in walk(statements):
        if isinstance(s, PointerAssignment):
            continue
        inside: list[list[Row]] = []
        if isinstance(s, Assignment):
            parts = [s.target, s.value]
        elif isinstance(s, Where):
            # Its masks and all in it have one shape.
            own = [x for x in walk([s]) if isinstance(x, Assignment)]
            parts = [arm.condition for x in walk([s]) if isinstance(x, Where) for arm in x.arms
                     if arm.condition is not None]  # fmt: skip
            parts += [e for x in own for e in (x.target, x.value)]
        else:
            continue
        inside.append(_joined([_of(elements, e, inside) for e in parts]))
        for rows in inside:
            for row in rows:
                yield s.place, row


def _of(elements: Elements, e: Expression, inside: list[list[Row]]) -> list[Row]:
    """What stands along each dimension of an expression; `inside` gets those of arrays in it that
    have a shape of their own."""
    whole = elements.whole(e)
    if whole is not None:
        return [[(whole, n)] for n in whole.sections]
    match e:
        case Unary(_, operand):
            return _of(elements, operand, inside)
        case Binary(_, left, right):
            return _joined([_of(elements, left, inside), _of(elements, right, inside)])
        case Keyword(_, value):
            return _of(elements, value, inside)
        case Apply(Name("transpose"), (matrix,)):
            return list(reversed(_of(elements, matrix, inside)))
        case Apply(base, arguments):
            rows = [_of(elements, a, inside) for a in arguments]
            if elements.rank(e) and base != Name("spread"):
                return _joined(rows)
            # A mask of a sum has the shape of what is added.
            inside.append(_joined(rows))
    return []


def _joined(parts: Sequence[list[Row]]) -> list[Row]:
    most = max((len(rows) for rows in parts), default=0)
    same = [rows for rows in parts if len(rows) == most]
    return [[one for rows in same for one in rows[n]] for n in range(most)]


# ---- Whole allocatable arrays that an array is assigned to: they keep their shape, which `bind`
# asks
#
# Fortran allocates such an array anew where the right side has another shape, or where it has no
# memory. A kernel writes the memory that is bound. So the shape of the right side goes to `bind`,
# which compares both and stops the run where they differ.

_GROWS = "it is allocatable, and as a whole it gets the shape of the right side"


def conforming(elements: Elements, s: Assignment) -> Conforming | None:
    """What `bind` has to compare of an assignment to a whole name; None where nothing can get
    another shape. Refused where the shape of the right side is not known in front of the loops."""
    assert isinstance(s.target, Name)
    symbol = elements.setting.find(s.target.id)
    if symbol is None or "allocatable" not in symbol.attributes or elements.rank(s.value) == 0:
        return None
    if _gets_memory_here(elements.setting, symbol):
        raise Refused(
            s.place,
            f"array {s.target.id}",
            f"{_GROWS}; no other statement gives it memory",
            "allocate it in front of the loops",
        )
    found = _shape(elements, s.value, len(symbol.dimensions or ()), s.target)
    if found is None:
        colons = ", ".join(":" for _ in symbol.dimensions or ())
        raise Refused(
            s.place,
            f"array {s.target.id}",
            f"{_GROWS}, which is not known here",
            f"write {s.target.id}({colons}) = ... where its shape stays",
        )
    other, extents = found
    return Conforming(s.target.id, other, extents, s.place) if extents else None


def check_shapes(found: Sequence[Conforming], statements: Sequence[Statement], changed: set[str]) \
        -> None:  # fmt: skip
    """Shapes that `bind` asks are those of the statement: nothing in the nest changes them."""
    loops = {s.variable for s in walk(statements) if isinstance(s, Do) and s.variable}
    for one in found:
        for e in one.extents:
            for name in sorted(values_of(e) & (changed | loops)):
                raise Refused(
                    one.place,
                    f"array {one.array}",
                    f"{_GROWS}: that of {expression_text(one.other)} depends on {name}, which "
                    "changes in the nest",
                    f"write {one.array}(...) = ... where its shape stays",
                )


def _gets_memory_here(setting: Setting, symbol: Symbol) -> bool:
    """Whether an array of the procedure has no memory but from the nest."""
    fresh = symbol.storage == DUMMY and symbol.intent == "out"
    if symbol.storage not in (LOCAL, RESULT, SAVED) and not fresh:
        return False
    return not any(_gives_memory(s, symbol.name) for s in walk(setting.unit.body))


def _gives_memory(s: Statement, name: str) -> bool:
    if isinstance(s, Call):
        return Name(name) in s.arguments
    if not isinstance(s, Unread) or s.construct != "allocate":
        return False
    whole = memory_of(s)
    listed = () if whole is None else whole.arguments
    return any(isinstance(one, Apply) and one.base == Name(name) for one in listed)


# ---- Shapes

#: What has a shape, and its extents; () of the array that is assigned itself.
_Shaped = tuple[Expression, tuple[Expression, ...]]


def _shape(
    elements: Elements, e: Expression, rank: int, target: Expression | None
) -> _Shaped | None:
    """Of a part of an expression that has all of its shape: the other parts have the same one.
    The array that is assigned comes first: it keeps what it has."""
    if elements.rank(e) != rank or not rank:
        return None
    if e == target:
        return e, ()
    whole = elements.whole(e)
    if whole is not None:
        extents = [_extent(elements, whole, n) for n in whole.sections]
        kept = tuple(one for one in extents if one is not None and _is_plain(one))
        return (e, kept) if len(kept) == len(extents) else None
    if isinstance(e, Apply) and e.base == Name("transpose"):
        inner = _shape(elements, e.arguments[0], rank, None)
        return None if inner is None else (e, tuple(reversed(inner[1])))
    found = [_shape(elements, part, rank, target) for part in _parts(e)]
    shapes = [one for one in found if one is not None]
    return next((one for one in shapes if not one[1]), shapes[0] if shapes else None)


def _is_plain(extent: Expression) -> bool:
    """Whether a module beside the nest can compute it: without functions and elements."""
    return all(
        asks_bounds(part.reference) or of_integers(part.reference)
        for part in extent.walk()
        if isinstance(part, Apply)
    )


def _parts(e: Expression) -> tuple[Expression, ...]:
    """That have the shape of the whole expression, or no shape."""
    match e:
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return left, right
        case Keyword(_, value):
            return (value,)
        case Apply(Name("spread"), _):
            return ()
        case Apply(_, arguments):
            return arguments
    return ()


def _extent(elements: Elements, whole: Whole, n: int) -> Expression | None:
    section = whole.subscripts[n]
    extent = elements.setting.extents(whole.symbol)[n]
    if section == WHOLE:
        if extent is not None:
            return Number(str(max(extent, 0)))
        return Apply(Name("size"), (Name(whole.array), Number(str(n + 1))))
    if not isinstance(section, Section):
        return None
    affine = elements.setting.affine
    if section.stride is not None and affine(section.stride).constant != 1:
        return None
    low = section.lower or lower_bound(whole.array, n + 1)
    high = section.upper or Apply(Name("ubound"), (Name(whole.array), Number(str(n + 1))))
    count = affine(high) - affine(low) + Affine(1)
    if count.constant is not None:
        return Number(str(max(count.constant, 0)))
    return Apply(Name("max"), (Number("0"), count.expression))
