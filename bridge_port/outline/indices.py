"""Index scalars and statement functions put in: what is left is subscripts of loop variables."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.outline.calls import Effects
from bridge_port.outline.setting import Setting
from bridge_port.program.symbols import LOCAL
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
from bridge_port.syntax.statements import Assignment, Call, Do, If, Select, Statement, walk


def put_constants(statements: Sequence[Statement], setting: Setting) -> None:
    """Names that the user gave a value become it."""
    for name in assigned(statements) & {*setting.constants}:
        raise Refused(statements[0].place, f"constant {name}", "the nest gives it another value")
    rewrite(statements, lambda e, s: setting.with_constants(e))


def put_statement_functions(statements: Sequence[Statement], setting: Setting) -> None:
    """Their value with the arguments stands for each of their uses."""
    functions = setting.unit.statement_functions

    def expanded(e: Expression) -> Expression | None:
        if isinstance(e, Apply) and isinstance(e.base, Name) and e.base.id in functions:
            function = functions[e.base.id]
            if len(function.arguments) != len(e.arguments):
                return None
            values: dict[str, Expression] = {
                dummy: replaced(argument, expanded)
                for dummy, argument in zip(function.arguments, e.arguments, strict=True)
            }
            value = replaced(with_names(function.value, values), expanded)
            return _of_type(setting, e.base.id, Unary("()", value))
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
                if (
                    isinstance(part, Apply)
                    and isinstance(part.base, Name)
                    and setting.is_array(part.base.id)
                ):
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
        return all(
            isinstance(part.base, Name) and self.setting.is_array(part.base.id)
            for part in e.walk()
            if isinstance(part, Apply)
        )

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
