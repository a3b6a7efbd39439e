"""Operations of a point, counted on the syntax tree in the classes of `bridge advise`.

Compiling a header with a number that counts, as `bridge advise` does, takes a second or more: too
long for a tree of thousands of procedures. What differs: the arms of a condition count half each
(the share that random points take is not known), a loop that points leave half of its turns, one
whose number of turns is not known counts once, and what a compiler folds is counted as written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from bridge_port.program.program import Program
from bridge_port.program.symbols import PARAMETER
from bridge_port.refusal import Refused
from bridge_port.semantic.intrinsics import REDUCTION, find
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Component,
    Expression,
    Keyword,
    Name,
    Number,
    Section,
    Unary,
)
from bridge_port.syntax.units import Unit

_COMPARE = frozenset(("==", "/=", "<", "<=", ">", ">="))
_PLAIN = {"+": "add", "-": "add", "*": "multiply", "/": "divide"}
#: Elements of an array of which a point chooses one by comparing.
SELECTED = 64
#: More turns of a loop, or elements of an array, are not believed.
MOST = 100000


class Counting:
    """Of one program; procedures are counted once each. every: as a kernel on vectors works: all
    arms of a condition, all elements where points choose one of an array."""

    def __init__(self, program: Program, every: bool = False) -> None:
        self.program, self.every = program, every
        self._known: dict[int, Mapping[str, float]] = {}

    def of(self, unit: Unit, fixed: Mapping[str, int] | None = None) -> Mapping[str, float]:
        """Of a call of it; fixed: values of its integers. Of a recursion nothing, which is refused
        elsewhere."""
        if fixed or id(unit) not in self._known:
            self._known[id(unit)] = {}
            counter = _Body(self, unit, fixed or {})
            counter.body(unit.body, 1.0)
            self._known[id(unit)] = counter.found
        return self._known[id(unit)]


class _Body:
    def __init__(self, counting: Counting, unit: Unit, fixed: Mapping[str, int]) -> None:
        self.counting, self.unit = counting, unit
        self.fixed = {name: Number(str(value)) for name, value in fixed.items()}
        self.scope = counting.program.scope(unit)
        self.uniform = {o.variable for o in s.walk(unit.body) if isinstance(o, s.Do)}
        self.found: defaultdict[str, float] = defaultdict(float)

    def body(self, statements: Sequence[s.Statement], times: float) -> None:
        for one in statements:
            if isinstance(one, s.If | s.Select):
                self._branches(one, times)
            elif isinstance(one, s.Do):
                for e in one.expressions():
                    self._expression(e, times)
                turns = self._turns(one)
                if turns > 1 and _left(one.body):
                    turns /= 2
                self.body(one.body, times * turns)
            elif isinstance(one, s.Assignment):
                size = times * self._size(one.target)
                self._subscripts(one.target, times)
                self._expression(one.value, size)
            elif isinstance(one, s.Call):
                for e in one.arguments:
                    self._expression(e, times)
                if isinstance(one.procedure, Name):
                    self._call(one.procedure.id, times)
            else:
                for e in one.expressions():
                    self._expression(e, times)

    def _branches(self, one: s.If | s.Select, times: float) -> None:
        for e in one.expressions():
            size = self._extent(e) if isinstance(one, s.Where) else 1.0
            self._expression(e, times * size)
        bodies = list(one.bodies())
        # Vectors run all arms of a condition; of single numbers one is run.
        share = 1.0 if self.counting.every else 1.0 / max(len(bodies), 2)
        for body in bodies:
            self.body(body, times * share)

    def _turns(self, loop: s.Do) -> float:
        if loop.first is None or loop.last is None:
            return 1.0
        first, last = self._constant(loop.first), self._constant(loop.last)
        step = 1 if loop.step is None else self._constant(loop.step)
        if first is None or last is None or not step:
            return 1.0
        return float(min(max((last - first + step) // step, 0), MOST))

    def _constant(self, e: Expression) -> int | None:
        try:
            found = self.scope.constant(self._with_fixed(e))
        except Refused:
            return None
        return int(found) if isinstance(found, int) else None

    def _with_fixed(self, e: Expression) -> Expression:
        if not self.fixed:
            return e
        if isinstance(e, Name):
            return self.fixed.get(e.id, e)
        if isinstance(e, Unary):
            return Unary(e.operator, self._with_fixed(e.operand))
        if isinstance(e, Binary):
            return Binary(e.operator, self._with_fixed(e.left), self._with_fixed(e.right))
        return e

    # ---- sizes of arrays ----------------------------------------------------------------------
    def _size(self, target: Expression) -> float:
        """Elements that an assignment gives a value."""
        return self._extent(target)

    def _extent(self, e: Expression) -> float:
        """Elements of an expression, 1 of what is not known."""
        if isinstance(e, Name):
            return self._whole(e.id)
        if isinstance(e, Apply):
            if not any(isinstance(a, Section) for a in e.arguments):
                return 1.0
            whole = self._extents(e.reference) if e.reference else ()
            size = 1.0
            for n, a in enumerate(e.arguments):
                if isinstance(a, Section):
                    size *= self._section(a, whole[n] if n < len(whole) else None)
            return size
        if isinstance(e, Unary):
            return self._extent(e.operand)
        if isinstance(e, Binary):
            return max(self._extent(e.left), self._extent(e.right))
        if isinstance(e, Component):
            return self._extent(e.base)
        if isinstance(e, ArrayConstructor):
            return float(max(len(e.items), 1))
        return 1.0

    def _section(self, a: Section, whole: int | None) -> float:
        first = 1 if a.lower is None else self._constant(a.lower)
        last = whole if a.upper is None else self._constant(a.upper)
        if first is None or last is None:
            return 1.0
        return float(min(max(last - first + 1, 1), MOST))

    def _extents(self, name: str) -> tuple[int | None, ...]:
        try:
            symbol = self.scope.find(name)
            return () if symbol is None else tuple(symbol.scope.extents(symbol))
        except Refused:
            return ()

    def _whole(self, name: str) -> float:
        size = 1.0
        for extent in self._extents(name):
            size *= 1 if extent is None else extent
        return max(1.0, min(size, MOST))

    # ---- operations ---------------------------------------------------------------------------
    def _subscripts(self, e: Expression, times: float) -> None:
        if isinstance(e, Apply):
            for a in e.arguments:
                self._expression(a, times)

    def _real(self, e: Expression) -> bool:
        """Whether a value is none that all points share; what is not known counts as real."""
        try:
            found = self.scope.type_of(e)
        except Refused:
            return True
        return found is None or found[0] in ("real", "complex")

    def _shared(self, e: Expression) -> bool:
        """Whether it is computed when the kernel is compiled."""
        if isinstance(e, Number):
            return True
        if isinstance(e, Name):
            try:
                symbol = self.scope.find(e.id)
            except Refused:
                return False
            return symbol is not None and symbol.storage == PARAMETER
        if isinstance(e, Unary | Binary):
            return all(self._shared(part) for part in e.parts())
        return False

    def _expression(self, e: Expression, times: float) -> None:
        if isinstance(e, Binary):
            self._binary(e, times)
        elif isinstance(e, Apply) and e.reference:
            self._apply(e.reference, e.arguments, times)
        else:
            for part in e.parts():
                self._expression(part, times)

    def _binary(self, e: Binary, times: float) -> None:
        self._expression(e.left, times)
        if e.operator != "**":
            self._expression(e.right, times)
        if self._shared(e) or not (self._real(e.left) or self._real(e.right)):
            return
        if e.operator in _COMPARE:
            self.found["choose"] += times
        elif e.operator in _PLAIN:
            self.found[_PLAIN[e.operator]] += times
            if e.operator in "+-" and (_product(e.left) or _product(e.right)):
                self.found["fused"] += times
        elif e.operator == "**":
            self._power(e, times)

    def _power(self, e: Binary, times: float) -> None:
        power = self._constant(e.right)
        if power is not None and abs(power) <= 64:
            products = max(abs(power).bit_length() + bin(abs(power)).count("1") - 2, 0)
            self.found["multiply"] += products * times
            if power < 0:
                self.found["divide"] += times
            return
        self._expression(e.right, times)
        self.found["sqrt" if _half(e.right) else "pow"] += times

    def _apply(self, name: str, arguments: Sequence[Expression], times: float) -> None:
        try:
            symbol = self.scope.find(name)
        except Refused:
            symbol = None
        plain = [a.value if isinstance(a, Keyword) else a for a in arguments]
        if symbol is not None and symbol.dimensions is not None:
            for a in plain:
                self._expression(a, times)
            if any(self._chosen(a) for a in plain):
                self.found["lookup"] += times
                if self.counting.every and self._whole(name) <= SELECTED:
                    self.found["choose"] += times * self._whole(name)
            return
        one = find(name)
        if one is not None and one.category == REDUCTION and one.cost and plain:
            size = times * max(self._extent(a) for a in plain)
            self._expression(plain[0], size)
            for operation in one.cost:
                self.found[operation] += size
            return
        for a in plain:
            self._expression(a, times)
        if one is not None and one.cost:
            if any(self._real(a) for a in plain):
                count = max(len(plain) - 1, 1) if one.cost == ("choose",) else 1
                self.found[one.cost[0]] += count * times
            return
        self._call(name, times)

    def _chosen(self, subscript: Expression) -> bool:
        """Whether each point has an element of its own."""
        for part in subscript.walk():
            if not isinstance(part, Name) or part.id in self.uniform or part.id in self.fixed:
                continue
            try:
                symbol = self.scope.find(part.id)
            except Refused:
                continue
            if symbol is not None and symbol.type == "integer" and symbol.storage != PARAMETER:
                return True
        return False

    def _call(self, name: str, times: float) -> None:
        function = self.unit.statement_functions.get(name)
        if function is not None:
            self._expression(function.value, times)
            return
        try:
            callee = self.scope.procedure(name)
        except Refused:
            return
        if callee is None or callee is self.unit:
            return
        for operation, count in self.counting.of(callee).items():
            self.found[operation] += count * times


def _left(body: Sequence[s.Statement]) -> bool:
    """Whether points leave a loop before its end."""
    return any(isinstance(one, s.Exit | s.Return | s.Goto) for one in s.walk(body))


def turns(
    program: Program, unit: Unit, first: Expression, last: Expression, values: Mapping[str, int]
) -> int | None:
    """Of a loop, where its integers have these values; None where that does not say it."""
    body = _Body(Counting(program), unit, values)
    low, high = body._constant(first), body._constant(last)
    return None if low is None or high is None else high - low + 1


def _product(e: Expression) -> bool:
    while isinstance(e, Unary) and e.operator in ("()", "-", "+"):
        e = e.operand
    return isinstance(e, Binary) and e.operator == "*"


def _half(e: Expression) -> bool:
    while isinstance(e, Unary) and e.operator == "()":
        e = e.operand
    if not isinstance(e, Number):
        return False
    try:
        return float(e.text.partition("_")[0].replace("d", "e").replace("q", "e")) == 0.5
    except ValueError:
        return False
