"""Boxes of points larger than their loops: what a point outside does, and what it would read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.analysis.accesses import Access, Accesses
from bridge_port.analysis.affine import Affine
from bridge_port.analysis.exposed import Range, least
from bridge_port.analysis.setting import Setting
from bridge_port.nest.nest import Nest
from bridge_port.nest.pointloops import COMPONENTS
from bridge_port.nest.views import Irregular
from bridge_port.program.symbols import LOCAL
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name, Number, Unary
from bridge_port.syntax.rewriting import assigned, mentions, targets
from bridge_port.syntax.statements import (
    Arm,
    Assignment,
    Call,
    Cycle,
    Do,
    Exit,
    If,
    Return,
    Statement,
    walk,
)
from bridge_port.syntax.text import expression_text

# ---- Loops that leave points out become loops over all points of a box, with an if around the
# body
#
# `do i = 1 + shift, n, 2` visits every second point, `do i = j, n` those of a triangle. A box has
# no gaps and the same bounds everywhere: the loop goes over the least box that holds them, and
# the if chooses the points that the loop has. That is the same as long as a point that the if
# leaves out does nothing.


def put_hulls(setting: Setting, statements: Sequence[Statement]) -> None:
    """In the place of such loops, those over the box."""
    _Hulls(setting, statements).run(statements, ())


class _Hulls:
    def __init__(self, setting: Setting, statements: Sequence[Statement]) -> None:
        self.setting = setting
        self.changed = assigned(statements)
        self.passed = {
            e.id
            for s in walk(statements)
            if isinstance(s, Call)
            for a in s.arguments
            for e in a.walk()
            if isinstance(e, Name)
        }
        self.begins = self._begins(statements)
        self.values: dict[str, list[Expression]] = {}
        for s in walk(statements):
            if isinstance(s, Assignment) and isinstance(s.target, Name):
                self.values.setdefault(s.target.id, []).append(s.value)

    def _begins(self, statements: Sequence[Statement]) -> dict[str, int]:
        """The least value of variables of loops that go upwards from numbers."""
        found: dict[str, int] = {}
        others: set[str] = set()
        for s in walk(statements):
            if isinstance(s, Do) and s.variable:
                first = None if s.first is None else self.setting.affine(s.first).constant
                step = 1 if s.step is None else self.setting.affine(s.step).constant
                if first is None or step is None or step < 1:
                    others.add(s.variable)
                else:
                    found[s.variable] = min(first, found.get(s.variable, first))
            elif isinstance(s, Assignment) and isinstance(s.target, Name):
                others.add(s.target.id)
        return {n: low for n, low in found.items() if n not in others | self.passed}

    def run(self, body: Sequence[Statement], around: tuple[Do, ...]) -> None:
        for s in body:
            if isinstance(s, Do) and s.variable:
                self._put(s, around)
            inner = (*around, s) if isinstance(s, Do) else around
            for one in s.bodies():
                self.run(one, inner)

    def _put(self, loop: Do, around: tuple[Do, ...]) -> None:
        if loop.first is None or loop.last is None:
            return
        step = 1 if loop.step is None else self.setting.affine(loop.step).constant
        first, last = self.setting.affine(loop.first), self.setting.affine(loop.last)
        if not step or not self._subscripts(loop):
            return
        ends = (first, last) if step > 0 else (last, first)
        low, high = self._end(ends[0], around, -1), self._end(ends[1], around, 1)
        if low is None or high is None or (abs(step) == 1 and (low, high) == ends):
            return
        size = (high - low).constant
        if size is not None and size < COMPONENTS:
            return
        condition = self._condition(loop, step, (low, high) != ends)
        loop.body[:] = [If(loop.place, arms=[Arm(condition, list(loop.body), loop.place)])]
        if step > 0:
            loop.first, loop.last, loop.step = low.expression, high.expression, None
        else:
            loop.first, loop.last = high.expression, low.expression
            loop.step = Unary("-", Number("1"))

    def _subscripts(self, loop: Do) -> bool:
        """Whether its variable subscripts arrays: a loop over iterations is another matter."""
        for s in walk(loop.body):
            for x in s.expressions():
                for e in x.walk():
                    if self.setting.is_element(e) and any(
                        mentions(a, loop.variable) for a in e.arguments
                    ):
                        return True
        return False

    def _end(self, place: Affine, around: tuple[Do, ...], way: int) -> Affine | None:
        """The least (way -1) or the largest that a bound is in the nest; None where that is not
        known."""
        found = place
        for term, factor in place.terms:
            limits = self._range(term)
            if limits is not None:
                rest = Affine(found.number, tuple(t for t in found.terms if t[0] != term))
                found = rest + Affine(limits[factor * way > 0] * factor)
        for loop in reversed(around):
            if not found.mentions(loop.variable):
                continue
            factor = found.factor(loop.variable)
            rest = found.without(loop.variable)
            if not factor or rest.mentions(loop.variable) or loop.first is None:
                return None
            step = 1 if loop.step is None else self.setting.affine(loop.step).constant
            if not step or loop.last is None:
                return None
            low, high = (self.setting.affine(e) for e in (loop.first, loop.last))
            if step < 0:
                low, high = high, low
            found = rest + (high if factor * way > 0 else low).times(factor)
        for name in sorted(
            {e.id for t, _ in found.terms for e in t.walk() if isinstance(e, Name)}
        ):
            if name not in self.changed and name not in self.passed:
                continue
            limits = self._limits(name)
            factor = found.factor(name)
            rest = found.without(name)
            if limits is None or not factor or rest.mentions(name):
                return None
            found = rest + Affine(limits[factor * way > 0] * factor)
        return found

    def _limits(self, name: str) -> tuple[int, int] | None:
        """The least and the largest value that the nest gives a scalar. What it has before is none
        of them: it is set in the nest before the loop, or the nest is refused."""
        if name in self.passed or self.setting.is_array(name) or not self.values.get(name):
            return None
        found = []
        for value in self.values[name]:
            ends = self._range(value)
            if ends is None:
                return None
            found.append(ends)
        return min(low for low, _ in found), max(high for _, high in found)

    def _range(self, e: Expression) -> tuple[int, int] | None:
        known = self.setting.affine(e).constant
        if known is not None:
            return known, known
        if isinstance(e, Apply) and len(e.arguments) == 2:
            if e.reference in ("mod", "modulo", "iand") and self.setting.find(e.reference) is None:
                most = self.setting.affine(e.arguments[1]).constant
                if most is None or most < 1 or (e.reference == "iand" and most & (most + 1)):
                    return None
                if e.reference == "iand":
                    return 0, most
                # A negative one would make the box larger than the arrays may be.
                if e.reference == "mod" and not self._not_negative(e.arguments[0]):
                    return None
                return 0, most - 1
        return None

    def _not_negative(self, e: Expression) -> bool:
        """Of sums of numbers and of variables of loops that begin at a number."""
        place = self.setting.affine(e)
        least = place.number
        for term, factor in place.terms:
            if not isinstance(term, Name) or factor < 0 or term.id not in self.begins:
                return False
            least += factor * self.begins[term.id]
        return least >= 0

    def _condition(self, loop: Do, step: int, bounded: bool) -> Expression:
        """Whether the loop has the point."""
        assert loop.first is not None and loop.last is not None
        here = Name(loop.variable)
        first, last = (loop.first, loop.last) if step > 0 else (loop.last, loop.first)
        parts: list[Expression] = []
        if bounded:
            parts = [Binary(">=", here, first), Binary("<=", here, last)]
        if abs(step) > 1:
            start = (self.setting.affine(here) - self.setting.affine(loop.first)).times(
                1 if step > 0 else -1
            )
            distance = Apply(Name("mod"), (start.expression, Number(str(abs(step)))))
            parts.append(Binary("==", distance, Number("0")))
        condition = parts[0]
        for part in parts[1:]:
            condition = Binary(".and.", condition, part)
        return condition


# ---- Elements that a point of the box would have outside of their array -------------------------
#
# `if (i > 1) w = a(i - 1)` over i = 1, n asks first, and leaves a(0) alone. A kernel reads its
# neighbours at all points of the box and chooses then. Where the bounds of a loop and those of the
# array say that an element lies outside, the module gathers the elements that are there (`views`);
# where it cannot, the nest is refused. What all points read is left to the fringe of the array,
# which `bind_` asks for.


def check_margins(nest: Nest, statements: Sequence[Statement], accesses: Sequence[Access]) -> None:
    """accesses: of the statements."""
    own = Accesses(nest.setting, nest.effects).of(list(_unasked(statements)))
    surely = {(access.array, access.subscripts) for access in own}
    for access in accesses:
        fields = access.array in nest.axes.dimensions and access.subscripts is not None
        if fields and (access.array, access.subscripts) not in surely:
            _check(nest, access)


def _unasked(body: Sequence[Statement]) -> Iterator[Statement]:
    """Assignments and calls under no condition."""
    if targets(body) or any(isinstance(s, Return | Cycle | Exit) for s in walk(body)):
        return
    for s in body:
        if isinstance(s, Do):
            yield from _unasked(s.body)
        elif isinstance(s, Assignment | Call):
            yield s


def _check(nest: Nest, access: Access) -> None:
    setting = nest.setting
    symbol = setting.variable(access.array, access.place)
    own = symbol.storage == LOCAL and access.array in nest.changed  # may be the point's alone
    if own or access.array in setting.views or symbol.attributes & {"pointer", "allocatable"}:
        return
    ranges = _ranges(nest, access.loops)
    bounds = setting.bounds(symbol)
    for subscript, (low, high) in zip(access.subscripts or (), bounds, strict=False):
        if nest.axes.point(subscript, access) is None:
            continue
        place = setting.affine(subscript)
        for left in (place - low, *([] if high is None else [high - place])):
            most = least(left, ranges)
            if most is not None and most < 0:
                raise Irregular(
                    access,
                    frozenset(nest.axes.loops),
                    f"subscript {expression_text(subscript)} of {access.array}",
                    "it lies outside of the array at some points of the box, and a kernel reads "
                    "its neighbours before it asks a condition",
                    "give these points a loop of their own, without that element",
                )


def _ranges(nest: Nest, loops: Sequence[Do]) -> dict[str, Range]:
    """Of variables whose loops go by one."""
    found: dict[str, Range] = {}
    for loop in loops:
        if loop.first is None or loop.last is None:
            continue
        step = 1 if loop.step is None else nest.setting.affine(loop.step).constant
        first, last = (nest.setting.affine(e) for e in (loop.first, loop.last))
        if step in (1, -1):
            found[loop.variable] = Range(first, last) if step == 1 else Range(last, first)
    return found
