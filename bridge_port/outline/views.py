"""Elements that lie at no fixed distance from the point: a(index(i)), a(n - i), a(i, 1).

An element whose subscripts the loops over points decide in another way than `i + c` becomes an
element of a view, an array of the points of the box. The generated module gathers its values from
the array before a run and scatters them into it after one. That is the same as the nest where what
is read has its old value, and where what is written is not touched by others in between; what
cannot be told is refused as before.

What needs a view is learned by trying: a step that meets such a subscript raises `Irregular`, a
view is made of it, and the outline begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bridge_port.kernel import View
from bridge_port.outline.accesses import Access, Accesses
from bridge_port.outline.affine import Affine
from bridge_port.outline.calls import Effects
from bridge_port.outline.lists import list_terms, lists_points
from bridge_port.outline.order import Order
from bridge_port.outline.radix import counts
from bridge_port.outline.setting import Setting
from bridge_port.program.symbols import DUMMY, Symbol
from bridge_port.refusal import Place, Refused
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
from bridge_port.syntax.statements import Do, Statement, walk
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Dimension

#: Functions of whole numbers that a subscript may call.
FUNCTIONS = frozenset({"mod", "modulo", "min", "max", "abs", "min0", "max0", "iabs"})
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
            if not isinstance(one, Apply) or not isinstance(one.base, Name):
                return None
            for key, name in self.known.items():
                if (
                    key.array == one.base.id
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
            if not isinstance(one, Apply) or not isinstance(one.base, Name):
                return None
            name = one.base.id
            for key, known in self.known.items():
                if known == name:
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
        if not isinstance(node, Apply) or not isinstance(node.base, Name) or not around:
            raise plain
        points = {id(self.loops[numbers[one]]) for one in found.points if one in numbers}
        key = _Key(node.base.id, node.arguments, around)
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
        assert isinstance(node.base, Name)
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
        key = _Key(node.base.id, chosen, numbers)
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
                return name in FUNCTIONS and self.setting.callee(name) is None
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
        with others that count on (`radix`)."""
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
