"""What stands in subscripts beside loop variables: index scalars put in, loops over neighbours
written out, places of tables.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

from bridge_port.analysis.accesses import Access
from bridge_port.analysis.affine import Affine
from bridge_port.analysis.effects import Effects
from bridge_port.analysis.setting import Setting
from bridge_port.program.symbols import LOCAL, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name, Number, Unary
from bridge_port.syntax.rewriting import (
    assigned,
    mentions,
    replaced,
    rewrite,
    rewrite_own,
    with_names,
)
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Assignment,
    Call,
    ComputedGoto,
    Cycle,
    Do,
    Exit,
    Goto,
    If,
    Select,
    Statement,
    Where,
    walk,
)

# ---- Index scalars and statement functions put in: what is left is subscripts of loop variables -


def put_constants(statements: Sequence[Statement], setting: Setting) -> None:
    """Names that the user gave a value become it."""
    for name in assigned(statements) & {*setting.constants}:
        raise Refused(statements[0].place, f"constant {name}", "the nest gives it another value")
    rewrite(statements, lambda e, s: setting.with_constants(e))


def put_statement_functions(statements: Sequence[Statement], setting: Setting) -> None:
    """Their value with the arguments stands for each of their uses."""
    functions = setting.unit.statement_functions

    def expanded(e: Expression) -> Expression | None:
        if isinstance(e, Apply) and e.reference in functions:
            function = functions[e.reference]
            if len(function.arguments) != len(e.arguments):
                return None
            values: dict[str, Expression] = {
                dummy: replaced(argument, expanded)
                for dummy, argument in zip(function.arguments, e.arguments, strict=True)
            }
            value = replaced(with_names(function.value, values), expanded)
            return _of_type(setting, e.reference, Unary("()", value))
        return None

    if functions:
        rewrite(statements, lambda e, s: replaced(e, expanded))


def _of_type(setting: Setting, name: str, value: Expression) -> Expression:
    """The value as the type of the statement function has it."""
    symbol = setting.variable(name, setting.unit.place)
    found = setting.scope.type_of(value)
    if found is not None and found[0] == symbol.type:
        return value
    word = {"integer": "int", "real": "dble" if symbol.kind == 8 else "real"}.get(symbol.type)
    return value if word is None else Apply(Name(word), (value,))


def put_indices(
    statements: list[Statement], setting: Setting, effects: Effects, seen_later: set[str]
) -> None:
    """`ip1 = i + 1` is put where ip1 is read, as long as neither of them changes; assignments that
    nothing reads any more go away."""
    candidates = _subscripts(statements, setting)
    put = _Put(setting, effects, candidates, _written(statements))
    put.run(statements, {})
    local = {
        name
        for name in put.done - seen_later
        if (symbol := setting.scope.find(name)) is not None and symbol.storage == LOCAL
    }
    if local:
        _drop(statements, local)


def _subscripts(statements: Sequence[Statement], setting: Setting) -> set[str]:
    """Scalars in subscripts that the statements give a value, and those they come from."""
    found: set[str] = set()
    for s in walk(statements):
        if isinstance(s, Do):
            found |= {name for e in s.expressions() for name in e.names}
        for e in s.expressions():
            for part in e.walk():
                if setting.is_element(part):
                    for subscript in part.arguments:
                        found |= subscript.names
    found &= assigned(statements)
    for s in reversed(list(walk(statements))):
        if isinstance(s, Assignment) and isinstance(s.target, Name) and s.target.id in found:
            found |= s.value.names
    return {name for name in found if not setting.is_array(name)}


def _written(statements: Sequence[Statement]) -> set[str]:
    """Scalars that are subscripts of what is written: where, has to be known."""
    return {
        a.id
        for s in walk(statements)
        if isinstance(s, Assignment) and isinstance(s.target, Apply)
        for a in s.target.arguments
        if isinstance(a, Name)
    }


def _sum(e: Expression, products: bool) -> bool:
    """Names, numbers, elements of arrays like extents(1), sums, and products of them."""
    match e:
        case Name() | Number():
            return True
        case Apply(Name(), arguments):
            return all(_sum(argument, False) for argument in arguments)
        case Unary("()" | "+" | "-", operand):
            return _sum(operand, products)
        case Binary("+" | "-", left, right):
            return _sum(left, products) and _sum(right, products)
        case Binary("*", left, right) if products:
            return _sum(left, True) and _sum(right, True)
    return False


class _Put:
    def __init__(
        self, setting: Setting, effects: Effects, candidates: set[str], written: set[str]
    ) -> None:
        """written: subscripts of what is written, which may be products."""
        self.setting, self.effects, self.candidates = setting, effects, candidates
        self.written = written
        self.done: set[str] = set()

    def run(self, body: Sequence[Statement], values: dict[str, Expression]) -> None:
        """values: what each index is at this place; changed."""
        for s in body:
            self._statement(s, values)

    def _statement(self, s: Statement, values: dict[str, Expression]) -> None:
        if s.label:
            # Control may come from elsewhere.
            values.clear()
        if isinstance(s, Do):
            for part in ("first", "last", "step", "condition"):
                e = getattr(s, part)
                if e is not None:
                    setattr(s, part, self._put(e, values))
            self._forget(values, self.effects.written([s]))
            self.run(s.body, dict(values))
            return
        if isinstance(s, Assignment) and isinstance(s.target, Name):
            s.value = self._put(s.value, values)
            name = s.target.id
            self._forget(values, {name})
            symbol = self.setting.scope.find(name)
            integer = symbol is None or (symbol.type == "integer" and symbol.dimensions is None)
            if (
                name in self.candidates
                and integer
                and (self.setting.type_of(s.value) or ("",))[0] == "integer"
                and _sum(s.value, name in self.written)
                and self._elements(s.value)
                and not mentions(s.value, name)
            ):
                values[name] = s.value
            return
        if isinstance(s, Call):
            # What it may change is not put in.
            self._forget(values, self.effects.written([s]))
        rewrite_own(s, lambda e: self._put(e, values))
        if isinstance(s, Assignment):
            self._forget(values, assigned([s]))
        if isinstance(s, If | Select):
            for inner in s.bodies():
                self.run(inner, dict(values))
            self._forget(values, self.effects.written([s]))

    def _elements(self, e: Expression) -> bool:
        """Whether all that looks like an element is one."""
        return all(self.setting.is_element(part) for part in e.walk() if isinstance(part, Apply))

    def _forget(self, values: dict[str, Expression], names: set[str]) -> None:
        for index in list(values):
            if index in names or any(mentions(values[index], name) for name in names):
                del values[index]

    def _put(self, e: Expression, values: dict[str, Expression]) -> Expression:
        found = e.names & {*values}
        self.done |= found
        return with_names(e, {name: values[name] for name in found})


def _drop(body: list[Statement], names: set[str]) -> None:
    """Assignments of indices that are read nowhere."""
    while True:
        read: set[str] = set()
        _reads(body, set(), read)
        dead = names - read
        if not _remove(body, dead):
            return


def _reads(body: Sequence[Statement], loops: set[str], read: set[str]) -> None:
    """Names that are read, but for those that a loop around gives a value."""
    for s in body:
        for e in _read(s):
            read |= {part.id for part in e.walk() if isinstance(part, Name)} - loops
        inner = loops | {s.variable} if isinstance(s, Do) and s.variable else loops
        for one in s.bodies():
            _reads(one, inner, read)


def _read(s: Statement) -> list[Expression]:
    if isinstance(s, Assignment) and isinstance(s.target, Name):
        return [s.value]
    return list(s.expressions())


def _remove(body: list[Statement], names: set[str]) -> bool:
    before = len(body)
    body[:] = [
        s
        for s in body
        if not (
            isinstance(s, Assignment)
            and isinstance(s.target, Name)
            and s.target.id in names
            and not s.label
        )
    ]
    removed = len(body) != before
    for s in body:
        for inner in s.bodies():
            removed = _remove(inner, names) or removed
    return removed


# ---- Loops over neighbours written out: `do n = j, j + 1` becomes its two rounds, and so does
# `do s = 1, 4` around `q(i + s - 3)`

#: Rounds of such a loop.
MOST = 8


def unroll(
    statements: list[Statement], setting: Setting, effects: Effects, seen_later: set[str]
) -> None:
    """Loops whose first and last round move with an index around them, a few rounds apart, or
    whose variable is added to such an index in a subscript. It is read nowhere else."""
    loops = [s for s in walk(statements) if isinstance(s, Do)]
    added = _added(statements, setting, ())
    for loop in reversed(loops):
        rounds = _rounds(loop, setting, id(loop) in added)
        if not rounds or loop.variable in seen_later or not _simple(loop, effects):
            continue
        alike = [one for one in walk(statements) if isinstance(one, Do)]
        alike = [one for one in alike if one.variable == loop.variable]
        inside = {id(s) for one in alike for s in walk(one.body)}
        others = [s for s in walk(statements) if id(s) not in inside]
        if any(_has(s, loop.variable) for s in others if s is not loop):
            continue
        _replace(statements, loop, [one for r in rounds for one in _round(loop, r)])


def _added(body: Sequence[Statement], setting: Setting, around: tuple[Do, ...]) -> set[int]:
    """Identities of loops whose variable stands in a subscript with that of a loop around."""
    found: set[int] = set()
    for s in body:
        for x in s.expressions():
            for e in x.walk():
                if setting.is_element(e):
                    for subscript in e.arguments:
                        found |= _together(setting.affine(subscript), around)
        inner = (*around, s) if isinstance(s, Do) and s.variable else around
        for one in s.bodies():
            found |= _added(one, setting, inner)
    return found


def _together(place: Affine, around: tuple[Do, ...]) -> set[int]:
    used = [loop for loop in around if abs(place.factor(loop.variable)) == 1]
    return {id(loop) for n, loop in enumerate(used) if n}


def _rounds(loop: Do, setting: Setting, added: bool) -> list[Expression]:
    """Values of the variable; [] of another loop."""
    if not loop.variable or loop.first is None or loop.last is None:
        return []
    if loop.step is not None and setting.affine(loop.step).constant != 1:
        return []
    first, last = setting.affine(loop.first), setting.affine(loop.last)
    number = (last - first).constant
    moves = first.constant is None or added
    if not moves or number is None or not 0 <= number < MOST:
        return []
    return [(first + Affine(n)).expression for n in range(number + 1)]


def _simple(loop: Do, effects: Effects) -> bool:
    moving = (Cycle, Exit, Goto, ComputedGoto, ArithmeticIf)
    if any(isinstance(s, moving) or s.label for s in walk(loop.body)):
        return False
    # What its bounds are made of stays as it is in all rounds.
    changed = effects.written(loop.body)
    bounds = [e for e in (loop.first, loop.last) if e is not None]
    return loop.variable not in changed and not any(
        mentions(e, name) for e in bounds for name in (*changed, loop.variable)
    )


def _has(s: Statement, name: str) -> bool:
    if isinstance(s, Do) and s.variable == name:
        return False  # a loop of its own
    return any(mentions(e, name) for e in s.expressions())


def _round(loop: Do, value: Expression) -> Sequence[Statement]:
    body = copy.deepcopy(loop.body)
    rewrite(body, lambda e, s: with_names(e, {loop.variable: value}))
    return body


def _replace(body: list[Statement], old: Statement, new: Sequence[Statement]) -> bool:
    for n, s in enumerate(body):
        if s is old:
            body[n : n + 1] = new
            return True
        if any(_replace(inner, old, new) for inner in s.bodies()):
            return True
    return False


# ---- Elements of tables that an array of the points names: `slope(class(i, k) + 1)` -------------
#
# A table has constant extents, and the nest does not write it. Where no copy of its elements can
# be made before a run, as `class` gets its values in the nest, the place becomes a scalar of the
# point:
#
#     place = class(i, k)
#     ... slope(place + 1) ...
#
# Then the table is one of the kernel.

#: What is set before a statement.
_Places = dict[Expression, str]


@dataclass
class TableSubscripts:
    """names: that are taken; known: the scalar of each place."""

    setting: Setting
    effects: Effects
    names: set[str]
    known: _Places = field(default_factory=dict)

    def put(self, statements: list[Statement], access: Access) -> bool:
        """Whether the places of this table are scalars now."""
        array = access.array
        symbol = self.setting.scope.find(array)
        if symbol is None or array in self.effects.written(statements):
            return False
        if None in self.setting.extents(symbol):
            return False
        return self._in(statements, array) > 0

    def _in(self, body: list[Statement], array: str) -> int:
        """How many statements have one now."""
        found = 0
        for s in list(body):
            for inner in s.bodies():
                found += self._in(inner, array)
            places: _Places = {}
            if isinstance(s, Assignment) and not s.label:
                s.value = self._without(s.value, array, places)
            elif isinstance(s, If) and not isinstance(s, Where) and not s.label:
                condition = s.arms[0].condition
                if condition is not None:
                    s.arms[0].condition = self._without(condition, array, places)
            at = next(n for n, one in enumerate(body) if one is s)
            body[at:at] = [
                Assignment(s.place, target=Name(name), value=place)
                for place, name in places.items()
            ]
            found += bool(places)
        return found

    def _without(self, e: Expression, array: str, places: _Places) -> Expression:
        def element(one: Expression) -> Expression | None:
            if isinstance(one, Apply) and one.base == Name(array):
                subscripts = [replaced(sub, place) for sub in one.arguments]
                return Apply(one.base, tuple(subscripts))
            return None

        def place(one: Expression) -> Expression | None:
            if not isinstance(one, Apply) or not one.reference:
                return None
            symbol = self.setting.find(one.reference)
            plain = symbol is not None and symbol.type == "integer" and symbol.kind == 4
            if symbol is None or not plain or symbol.dimensions is None:
                return None
            if not all(self._simple(sub) for sub in one.arguments):
                return None
            places[one] = self._name(one, symbol)
            return Name(places[one])

        return replaced(e, element)

    def _simple(self, e: Expression) -> bool:
        """Sums and products of numbers and scalars."""
        return all(
            isinstance(part, Number | Unary | Binary)
            or (isinstance(part, Name) and not self.setting.is_array(part.id))
            for part in e.walk()
        )

    def _name(self, place: Expression, symbol: Symbol) -> str:
        if place not in self.known:
            name = f"{symbol.name}_place"
            while name in self.names:
                name += "_"
            self.names.add(name)
            self.known[place] = name
            self.setting.symbols[name] = Symbol(
                name, "integer", 4, symbol.scope, symbol.place, storage=LOCAL
            )
        return self.known[place]
