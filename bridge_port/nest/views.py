"""Elements that lie at no fixed distance from the point: a(index(i)), a(n - i), a(i, 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from bridge_port.analysis.accesses import Access, Accesses
from bridge_port.analysis.affine import Affine
from bridge_port.analysis.delinearisation import counts
from bridge_port.analysis.effects import Effects
from bridge_port.analysis.setting import Setting
from bridge_port.kernel import View
from bridge_port.program.symbols import DUMMY, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import of_integers
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
from bridge_port.syntax.rewriting import replaced, rewrite_own
from bridge_port.syntax.statements import (
    Assignment,
    Cycle,
    Do,
    Exit,
    Goto,
    Return,
    Statement,
    walk,
)
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Dimension

# ---- Lists of points: `c = filter(fc)` and then `x(c, j) = x(c, j - 1) + dt*f(c)` ---------------
#
# An array that is written by a list is a view along the subscript of the list alone; its other
# subscripts stay, so that the points of a column keep their order. Two places of the list may name
# one element: then the order of the loop would count. So each run asks the list, and stops where
# it names an element twice (`output/copies.py`).
#
# Here is told what is no list of points. Where the loop has further arrays of its own, as in
# `x(column(p)) = x(column(p)) + y(p)`, many points give to one element, and where nothing else
# goes by the list it counts, `n(class(i)) = n(class(i)) + 1`: these are refused.


def list_terms(setting: Setting, subscript: Expression, variables: set[str]) -> list[Apply]:
    """Elements of arrays in a subscript that loops of these variables choose."""
    if isinstance(subscript, Section):
        return []
    return [
        term
        for term, _ in setting.affine(subscript).terms
        if setting.is_element(term)
        and any(isinstance(e, Name) and e.id in variables for e in term.walk())
    ]


def lists_points(
    terms: Sequence[Apply], loops: Sequence[Do], its: Sequence[Access], others: Sequence[Access]
) -> bool:
    """Whether what the loops write at these elements may be one place for each round. its: of the
    array that is written so; others: all places of other arrays."""
    if not any(access.reads for access in its) and _in_each_round(loops[0], its):
        return True
    if any(_alone(e, loop.variable, terms) for loop in loops for e in _expressions(loop)):
        return False
    around = {id(loop) for loop in loops}
    several = len({access.subscripts for access in its}) > 1
    return several or any(
        around <= {id(loop) for loop in other.loops}
        and any(e in terms for sub in other.subscripts or () for e in sub.walk())
        for other in others
    )


def _alone(e: Expression, variable: str, terms: Sequence[Apply]) -> bool:
    """Whether the variable stands outside of these terms."""
    if e in terms:
        return False
    return e == Name(variable) or any(_alone(part, variable, terms) for part in e.parts())


def _expressions(loop: Do) -> Iterator[Expression]:
    for s in walk(loop.body):
        yield from s.expressions()


def _in_each_round(loop: Do, its: Sequence[Access]) -> bool:
    """Whether assignments under no condition write all of these elements."""
    if any(isinstance(s, Cycle | Exit | Goto | Return) for s in walk(loop.body)):
        return False
    found: list[Expression] = []

    def look(body: Sequence[Statement]) -> None:
        for s in body:
            if isinstance(s, Do):
                look(s.body)
            elif isinstance(s, Assignment):
                found.append(s.target)

    look(loop.body)
    return all(access.node in found for access in its)


# ---- Whether elements that lie anywhere may be copied before or after the run of their leaf -----
#
# A read is copied before the run, a write after it, and leaves run one after the other. That
# gives what the nest gives, where a place and another one of the same array have no element in
# common, or have it in such rounds of the loops around both that the order stays.


@dataclass
class Order:
    """loops: of the region; changed: names that it gives a value; points: identities of the loops
    over points; numbers: of accesses by their identities, in the order of the text."""

    setting: Setting
    loops: Sequence[Do]
    changed: set[str]
    points: set[int]
    numbers: Mapping[int, int]

    def keeps(
        self, its: Sequence[Access], others: Sequence[Access],
        copied: Sequence[Expression | None],
    ) -> bool:  # fmt: skip
        """its: of one view; others: all other places of the same array; copied: subscripts of the
        view, None where all elements are copied."""
        return all(self._keeps(one, other, copied) for one in its for other in others)

    def _keeps(self, one: Access, other: Access, copied: Sequence[Expression | None]) -> bool:
        if not (one.writes or other.writes) or not self._shared(one, other):
            return True
        # What another place writes in the same run is not to be written over by the copy.
        both = one.writes and other.writes and self._points(one) == self._points(other)
        if self._never(one, other, copied if both else ()):
            return True
        if one.writes and other.writes:
            return self._in_other_run(one, other)
        writer, reader = (one, other) if one.writes else (other, one)
        return self._in_order(writer, reader)

    def _shared(self, one: Access, other: Access) -> list[Do]:
        others = {id(loop) for loop in other.loops}
        return [loop for loop in one.loops if id(loop) in others]

    def _number(self, access: Access) -> int:
        return self.numbers[id(access)]

    def _in_order(self, writer: Access, reader: Access) -> bool:
        """Whether a value that is read has been written in an earlier run, or will be in a later
        one, as the text has it."""
        later = False
        for loop in self._shared(writer, reader):
            steps = self._steps(loop, writer, reader)
            if steps is None or steps < 0:
                return False
            if steps > 0:
                later = True
                break
        before = self._number(reader) < self._number(writer)
        if before:
            return True
        return not later and self._points(writer) != self._points(reader)

    def _in_other_run(self, one: Access, other: Access) -> bool:
        """Whether only the same rounds of all loops around both have an element in common, and
        each place has a run of its own in them."""
        same = all(self._steps(loop, one, other) == 0 for loop in self._shared(one, other))
        return same and self._points(one) != self._points(other)

    def _points(self, access: Access) -> set[int]:
        """Loops over points around; where they differ, the places are in different runs."""
        return {id(loop) for loop in access.loops} & self.points

    def _steps(self, loop: Do, writer: Access, reader: Access) -> int | None:
        """How many rounds of the loop later than it is read an element is written, None where it
        is not known."""
        step = 1 if loop.step is None else self.setting.affine(loop.step).constant
        if step is None or not step or not loop.variable:
            return None
        for one, other in zip(writer.subscripts or (), reader.subscripts or (), strict=False):
            if isinstance(one, Section) or isinstance(other, Section):
                continue
            here, there = self.setting.affine(one), self.setting.affine(other)
            factor = here.factor(loop.variable)
            if not factor or there.factor(loop.variable) != factor:
                continue
            rest = here.without(loop.variable), there.without(loop.variable)
            if any(self._moves(r) for r in rest):
                continue
            distance = (rest[1] - rest[0]).constant
            if distance is not None and distance % factor == 0:
                return distance // factor * (1 if step > 0 else -1)
        return None

    def _moves(self, place: Affine) -> bool:
        """Whether it is not the same at all points."""
        names = self.changed | {loop.variable for loop in self.loops}
        return any(place.mentions(name) for name in names)

    def _never(self, one: Access, other: Access, copied: Sequence[Expression | None] = ()) -> bool:
        """Whether two places have no element in common, whatever those are of which all are
        copied."""
        if one.rank or other.rank:
            return False
        for n, (a, b) in enumerate(
            zip(one.subscripts or (), other.subscripts or (), strict=False)
        ):
            if n < len(copied) and copied[n] is None:
                continue
            if isinstance(a, Section) or isinstance(b, Section):
                continue
            if self._apart(a, b):
                return True
            first, second = self._ends(a, one), self._ends(b, other)
            if first is None or second is None:
                continue
            for low, high in ((first[0], second[1]), (second[0], first[1])):
                gap = (low - high).constant
                if gap is not None and gap > 0:
                    return True
        return False

    def _apart(self, one: Expression, other: Expression) -> bool:
        """Whether two subscripts differ for all values of the loops' variables, as 2*i and
        2*j - 1 do."""
        places = self.setting.affine(one), self.setting.affine(other)
        divisor = 0
        for loop in self.loops:
            for place in places:
                divisor = gcd(divisor, place.factor(loop.variable))
        rests = list(places)
        for loop in self.loops:
            rests = [rest.without(loop.variable) for rest in rests]
        if any(self._moves(rest) for rest in rests):
            return False
        gap = (rests[0] - rests[1]).constant
        return gap is not None and (gap % divisor != 0 if divisor else gap != 0)

    def _ends(self, e: Expression, access: Access) -> tuple[Affine, Affine] | None:
        """The least and the largest that a subscript is."""
        low = high = self.setting.affine(e)
        for loop in reversed(access.loops):
            if not (low.mentions(loop.variable) or high.mentions(loop.variable)):
                continue
            if loop.first is None or loop.last is None:
                return None
            step = 1 if loop.step is None else self.setting.affine(loop.step).constant
            if step not in (1, -1):
                return None
            first, last = self.setting.affine(loop.first), self.setting.affine(loop.last)
            if step < 0:
                first, last = last, first
            ends = []
            for value, down, up in ((low, first, last), (high, last, first)):
                factor = value.factor(loop.variable)
                rest = value.without(loop.variable)
                if rest.mentions(loop.variable):
                    return None
                ends.append(rest + (down if factor > 0 else up).times(factor))
            low, high = ends
        if self._moves(low) or self._moves(high):
            return None
        return low, high


WHOLE = Section(None, None, None)
#: What to change where elements at other places are read.
FRINGE = "fill a fringe before the loop"
GATHER = "gather the values before the loop, into an array of its points"


class Irregular(Refused):
    """A subscript that a view can stand for. access: of it; points: identities of the loops over
    points."""

    def __init__(
        self, access: Access, points: frozenset[int], construct: str, why: str, change: str = ""
    ) -> None:
        super().__init__(access.place, construct, why, change)
        self.access, self.points = access, points


@dataclass(frozen=True)
class _Key:
    """What one view stands for. subscripts: as in the nest, None for any; loops: numbers of the
    loops over points around, in the order of the text."""

    array: str
    subscripts: tuple[Expression | None, ...]
    loops: tuple[int, ...]

    def has(self, subscripts: Sequence[Expression] | None) -> bool:
        return subscripts is not None and all(
            mine is None or mine == its
            for mine, its in zip(self.subscripts, subscripts, strict=True)
        )


class Views:
    """Of a region. statements: before any view stands in them; they are not changed."""

    def __init__(
        self, setting: Setting, effects: Effects, statements: Sequence[Statement]
    ) -> None:
        self.setting, self.effects = setting, effects
        self.changed = effects.written(statements)
        self.loops = [s for s in walk(statements) if isinstance(s, Do)]
        self.numbers = {id(loop): n for n, loop in enumerate(self.loops)}
        self.accesses = list(Accesses(setting, effects).of(statements))
        self.order = {id(access): n for n, access in enumerate(self.accesses)}
        self.known: dict[_Key, str] = {}
        self.names = {
            name for s in walk(setting.unit.body) for e in s.expressions() for name in e.names
        } | {d.name for d in setting.unit.declarations}

    # ---- what the nest says -------------------------------------------------------------------

    def put(self, statements: Sequence[Statement]) -> None:
        """A fresh copy of the region with the views that are known."""
        if self.known:
            counter = iter(range(len(self.loops)))
            self._put(statements, (), counter)

    def _put(
        self, body: Sequence[Statement], around: tuple[int, ...], counter: Iterator[int]
    ) -> None:
        for s in body:
            inner = around
            if isinstance(s, Do):
                inner = (*around, next(counter))
            rewrite_own(s, lambda e, at=around: self._replaced(e, at))  # type: ignore[misc]
            for one in s.bodies():
                self._put(one, inner, counter)

    def _replaced(self, e: Expression, around: tuple[int, ...]) -> Expression:
        def view(one: Expression) -> Expression | None:
            if not isinstance(one, Apply):
                return None
            for key, name in self.known.items():
                if (
                    key.array == one.reference
                    and set(key.loops) <= set(around)
                    and key.has(one.arguments)
                ):
                    made = self.setting.views[name]
                    rest = [
                        sub
                        for sub, kept in zip(one.arguments, made.subscripts, strict=True)
                        if kept is None
                    ]
                    points = [Name(variable) for variable in made.variables]
                    return Apply(Name(name), (*points, *(replaced(r, view) for r in rest)))
            return None

        return replaced(e, view)

    def original(self, e: Expression) -> Expression:
        """With arrays again where views stand."""

        def array(one: Expression) -> Expression | None:
            if not isinstance(one, Apply):
                return None
            for key, name in self.known.items():
                if name == one.reference:
                    rest = iter(one.arguments[len(self.setting.views[name].variables) :])
                    kept = self.setting.views[name].subscripts
                    others = [replaced(next(rest), array) if sub is None else sub for sub in kept]
                    return Apply(Name(key.array), tuple(others))
            return None

        return replaced(e, array)

    # ---- a view -------------------------------------------------------------------------------

    def add(self, found: Irregular, statements: Sequence[Statement]) -> None:
        """A view for the subscript; the refusal itself where there can be none. statements: the
        copy of the region that it was found in."""
        access = found.access
        change = found.refusal.change
        if change in (FRINGE, GATHER) and self._written_at(access):
            change = (
                f"two points may have one element of {access.array}: write the value of each "
                "point to an array of the points, and take them from there in a loop of your own"
            )
        plain = Refused(found.refusal.place, found.refusal.construct, found.refusal.why, change)
        loops = [s for s in walk(statements) if isinstance(s, Do)]
        numbers = {id(loop): n for n, loop in enumerate(loops)}
        around = tuple(
            numbers[id(loop)]
            for loop in access.loops
            if id(loop) in found.points and id(loop) in numbers
        )
        node = self.original(access.node)
        if not isinstance(node, Apply) or not node.reference or not around:
            raise plain
        points = {id(self.loops[numbers[one]]) for one in found.points if one in numbers}
        key = _Key(node.reference, node.arguments, around)
        if key in self.known or access.array in self.setting.views:
            raise plain
        symbol = self.setting.variable(key.array, access.place)
        if symbol.type not in ("real", "integer", "logical"):
            raise plain
        for one, view in (self._anywhere(key), self._listed(node, around)):
            if one is not None and view is not None and self._keeps(one, view, points):
                name = self._named(key.array)
                self.known[one] = name
                self.setting.views[name] = view
                self.setting.symbols[name] = self._symbol(name, symbol, view)
                return
        raise plain

    def _written_at(self, access: Access) -> bool:
        """Whether the nest writes the array by these subscripts."""
        its = self.original(access.node)
        return any(a.writes and a.node == its for a in self.accesses)

    def _keeps(self, key: _Key, view: View, points: set[int]) -> bool:
        """Whether copies before and after the run give what the nest gives."""
        its = [a for a in self.accesses if self._is(a, key)]
        if not its or any(a.rank for a in its):
            return False
        others = [a for a in self.accesses if a.array == key.array and not self._is(a, key)]
        order = Order(self.setting, self.loops, self.changed, points, self.order)
        return order.keeps(its, others, view.subscripts)

    def _anywhere(self, key: _Key) -> tuple[_Key | None, View | None]:
        """Of the places with these subscripts alone."""
        loops = [self.loops[n] for n in key.loops]
        variables = tuple(loop.variable for loop in reversed(loops))
        kept = self._split(key.subscripts, variables)
        if kept is None or len(set(variables)) < len(variables) or len(loops) > 3:
            return None, None
        view = View(key.array, kept, variables)
        written = any(a.writes for a in self.accesses if self._is(a, key))
        return (None, None) if written and not self._single(view, loops) else (key, view)

    def _listed(self, node: Apply, around: Sequence[int]) -> tuple[_Key | None, View | None]:
        """Of all places of a list, whatever their other subscripts are."""
        every = {self.loops[n].variable for n in around}
        terms = [list_terms(self.setting, sub, every) for sub in node.arguments]
        chosen = tuple(
            sub if its else None for sub, its in zip(node.arguments, terms, strict=True)
        )
        named = {e.id for sub in chosen if sub is not None for e in sub.walk()
                 if isinstance(e, Name)}  # fmt: skip
        numbers = tuple(n for n in around if self.loops[n].variable in named)
        loops = [self.loops[n] for n in numbers]
        variables = tuple(loop.variable for loop in reversed(loops))
        key = _Key(node.reference, chosen, numbers)
        its = [a for a in self.accesses if self._is(a, key)]
        others = [a for a in self.accesses if a.array != key.array]
        if not numbers or len(set(variables)) < len(variables):
            return None, None
        if any(
            e == Name(v)
            for a in its
            for sub, kept in zip(a.subscripts or (), chosen, strict=True)
            if kept is None
            for e in sub.walk()
            for v in variables
        ):
            return None, None
        if self._split([sub for sub in chosen if sub is not None], variables) is None:
            return None, None
        flat = [term for some in terms for term in some]
        if not any(a.writes for a in its) or not lists_points(flat, loops, its, others):
            return None, None
        return key, View(key.array, chosen, variables, asked=True)

    def _is(self, access: Access, key: _Key) -> bool:
        around = {self.numbers[id(loop)] for loop in access.loops}
        return (
            access.array == key.array and key.has(access.subscripts) and set(key.loops) <= around
        )

    def _named(self, array: str) -> str:
        number = 1
        while f"{array}_at{number}" in self.names:
            number += 1
        self.names.add(f"{array}_at{number}")
        return f"{array}_at{number}"

    def _split(
        self, subscripts: Sequence[Expression | None], variables: Sequence[str]
    ) -> tuple[Expression | None, ...] | None:
        """Subscripts that the points decide, None in the place of those of components; None where
        one has both."""
        result: list[Expression | None] = []
        for subscript in subscripts:
            assert subscript is not None
            names = subscript.names
            of_points = names & set(variables)
            loops = {loop.variable for loop in self.loops}
            changing = names & (self.changed | loops) - set(variables)
            if isinstance(subscript, Section) or changing:
                if of_points:
                    return None
                result.append(None)
            elif not self._plain(subscript):
                return None
            else:
                result.append(subscript)
        return None if all(one is None for one in result) else tuple(result)

    def _plain(self, e: Expression) -> bool:
        """Whether the module can compute it: sums, products, elements, some functions."""
        match e:
            case Name(name):
                symbol = self.setting.find(name)
                return symbol is not None and symbol.type == "integer"
            case Number(text):
                return text.isdigit()
            case Unary("()" | "+" | "-", operand):
                return self._plain(operand)
            case Binary("+" | "-" | "*" | "/", left, right):
                return self._plain(left) and self._plain(right)
            case Apply(Name(name), arguments):
                if any(isinstance(a, Section | Keyword | Component) for a in arguments):
                    return False
                if not all(self._plain(a) for a in arguments):
                    return False
                symbol = self.setting.find(name)
                if symbol is not None and symbol.dimensions is not None:
                    return symbol.type == "integer"
                return of_integers(name) and self.setting.callee(name) is None
        return False

    def _symbol(self, name: str, symbol: Symbol, view: View) -> Symbol:
        points = tuple(Dimension(None, None, True) for _ in view.variables)
        rest = tuple(
            d
            for d, sub in zip(symbol.dimensions or (), view.subscripts, strict=True)
            if sub is None
        )
        return Symbol(
            name, symbol.type, symbol.kind, symbol.scope, symbol.place, dimensions=points + rest,
            storage=DUMMY, owner=symbol.owner,
        )  # fmt: skip

    # ---- what is the same as in the nest ------------------------------------------------------

    def _single(self, view: View, loops: Sequence[Do]) -> bool:
        """Whether no two points have the same element: each index stands alone in a subscript, or
        with others that count on (`delinearisation`)."""
        alone: set[str] = set()
        for sub in view.subscripts:
            if sub is None:
                continue
            place = self.setting.affine(sub)
            here = [v for v in view.variables if place.mentions(v)]
            if len(here) == 1 and place.factor(here[0]) and not self._hidden(place, here[0]):
                alone.add(here[0])
            elif here and counts(
                self.setting, sub, [loop for loop in loops if loop.variable in here]
            ):
                alone |= {*here}
        return alone == set(view.variables)

    def _hidden(self, place: Affine, variable: str) -> bool:
        return place.without(variable).mentions(variable)


def check_views(
    views: Mapping[str, View], fields: Mapping[str, object], own: set[str], written: set[str],
    place: Place,
) -> None:  # fmt: skip
    """Refused where a view is of an array that the points have for themselves."""
    for view in views.values():
        if view.array in own or view.array in written and view.array not in fields:
            raise Refused(
                place,
                f"array {view.array}",
                "a work array of a line or a point, whose elements are read in another order",
                "give it the dimensions of the points",
            )


def view_text(view: View) -> str:
    """a(i, index(j), :)"""
    subscripts = tuple(WHOLE if e is None else e for e in view.subscripts)
    return expression_text(Apply(Name(view.array), subscripts))
