"""One element of an expression of arrays: what an array statement does at one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bridge_port.outline.affine import Affine
from bridge_port.outline.free import WHOLE, Dimensions, lower_bound
from bridge_port.outline.setting import Setting
from bridge_port.program.symbols import COMMON, MODULE, Symbol
from bridge_port.semantic.intrinsics import ELEMENTAL, find, is_a
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Expression,
    Keyword,
    Name,
    Number,
    Section,
    Text,
    Truth,
    Unary,
)
from bridge_port.syntax.rewriting import assigned, mentions
from bridge_port.syntax.statements import Call, Statement, walk


@dataclass(frozen=True)
class Whole:
    """An array with its subscripts; sections: numbers of those that are sections."""

    array: str
    symbol: Symbol
    subscripts: tuple[Expression, ...]
    sections: tuple[int, ...]


@dataclass(frozen=True)
class Range:
    """What a loop runs over. count: how many elements, None where it is not known."""

    low: Expression
    high: Expression
    count: int | None


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
        """Of an expression; None where it is not known."""
        whole = self.whole(e)
        if whole is not None:
            return len(whole.sections)
        match e:
            case Number() | Truth() | Text() | Name():
                return 0
            case Unary(_, operand):
                return self.rank(operand)
            case Binary(_, left, right):
                return self._joined([left, right])
            case Keyword(_, value):
                return self.rank(value)
            case Apply(Name(name), arguments):
                if self.setting.is_array(name):
                    return 0
                if self._elemental(name):
                    return self._joined(arguments)
                ranks = [self.rank(a) for a in arguments]
                if name in ("size", "lbound", "ubound") and len(arguments) == 2:
                    return 0
                if name == "spread" and len(ranks) == 3 and ranks[0] is not None:
                    return ranks[0] + 1
                if name == "transpose":
                    return 2
                if all(one == 0 for one in ranks) and self._scalar(name):
                    return 0
        return None

    def _joined(self, parts: Sequence[Expression]) -> int | None:
        ranks = [self.rank(one) for one in parts]
        return None if None in ranks else max((one or 0 for one in ranks), default=0)

    def _elemental(self, name: str) -> bool:
        if self.setting.find(name) is not None:
            return False
        unit = self.setting.callee(name)
        if unit is not None:
            return "elemental" in unit.prefixes and "impure" not in unit.prefixes
        return is_a(name, ELEMENTAL) and name not in self.setting.unit.external

    def _scalar(self, name: str) -> bool:
        """Whether a function gives one number."""
        if name in self.setting.unit.statement_functions:
            return True
        unit = self.setting.callee(name)
        if unit is None:
            one = find(name)
            return one is not None and (one.category == ELEMENTAL or one.of_type)
        result = self.setting.program.scope(unit).find(unit.result or unit.name)
        return result is not None and result.dimensions is None

    def extent(self, whole: Whole, n: int) -> Range | None:
        """Of the section of a dimension; None of strides, and of vectors of subscripts."""
        section = whole.subscripts[n]
        if not isinstance(section, Section) or not self._plain(section):
            return None
        low, high = self.ends(whole, n)
        if high is None:
            return None
        affine = self.setting.affine
        count = (affine(high) - affine(low)).constant
        return Range(low, high, None if count is None else count + 1)

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
        return extent is not None and extent.count is not None


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
