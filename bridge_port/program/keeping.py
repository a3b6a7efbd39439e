"""Whether variables of modules, and saved ones, keep their initial values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from bridge_port.program.derivedtypes import possible
from bridge_port.program.resolved import (
    BoundCall,
    Call,
    IntrinsicCall,
    Reference,
    resolve,
)
from bridge_port.program.symbols import MODULE, SAVED, Scope, Symbol, Units
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.values import Constant, Value, fitted
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Expression, Keyword, Name
from bridge_port.syntax.units import Unit, every

#: As a name among those that keep their initial values: all of them.
ALL = "*"


class World:
    """What runs have in common. initial: names of variables that keep their initial values
    although a statement assigns them; values: of module variables that have one value; relied_on:
    variables of modules that were taken to keep theirs, with whether the user has to say so;
    of_points: whether each point has a variable for itself."""

    def __init__(
        self,
        program: Units,
        initial: Iterable[str] = (),
        values: Mapping[str, int | str] | None = None,
    ) -> None:
        self.program = program
        self.initial = frozenset(initial)
        self.values = dict(values or {})
        self.relied_on: dict[str, bool] = {}
        self.read: set[str] = set()
        self.steps = 0
        self.depth = 0
        self.of_points: Callable[[Symbol], bool] = lambda _: False

    def kept(self, symbol: Symbol, place: Place) -> Constant:
        """A variable of a module, or a saved one, that keeps its initial value. Or Refused."""
        name = symbol.name
        if self.of_points(symbol):
            raise Refused(place, f"{symbol.type} {name}", "each point has a value of its own")
        if symbol.storage == MODULE and name in self.values:
            given = self.values[name]
            self.read.add(name)
            wanted = "character" if isinstance(given, str) else "integer"
            if symbol.type != wanted or symbol.dimensions is not None:
                raise Refused(place, f"{symbol.type} {name}", f"{given!r} is no value of it")
            value = Value(symbol.type, symbol.kind, given)
            length = symbol.scope.length(symbol) if wanted == "character" else None
            return Constant((), (value if length is None else fitted(value, length),))
        found: Constant | None = None
        if symbol.storage in (MODULE, SAVED) and "bind" not in symbol.attributes:
            found = symbol.scope.initial_constant(symbol)
        if found is None or None in found.values:
            raise Refused(
                place, f"{symbol.type} {name}",
                f"its value is not known when the kernel is built{owner_of(symbol)}",
                f"if it has one in every run, say --value {name}='...'",
            )  # fmt: skip
        said = ALL in self.initial or name in self.initial
        where = assigned_at(self.program, symbol)
        if where is not None and not said:
            raise Refused(
                place, f"{symbol.type} {name}", f"{where} may assign it{owner_of(symbol)}",
                f"if it keeps its initial value in every run, say --initial {name}",
            )  # fmt: skip
        if symbol.storage == MODULE:
            self.program.searched = True
            self.relied_on[name] = self.relied_on.get(name, False) or where is not None
        return found


def owner_of(symbol: Symbol) -> str:
    return f"; it belongs to module {symbol.owner}" if symbol.storage == MODULE else ""


def assigned_at(program: Units, symbol: Symbol) -> str | None:
    """The first place in the given sources that may give it another value, as a text."""
    if symbol.attributes & {"target", "pointer", "volatile", "allocatable"}:
        return f"a pointer (it is a {', '.join(sorted(symbol.attributes))})"
    units = every([symbol.scope.unit])
    # A survey has no list of all units.
    for unit in units if symbol.storage == SAVED else (*units, *every(program.units)):
        scope = program.scope(unit)
        for name in _local_names(scope, symbol):
            for place in _changes(scope, unit, name):
                return place
    return None


def _local_names(scope: Scope, symbol: Symbol) -> Iterator[str]:
    """Names under which a unit sees it."""
    names = {symbol.name}
    for use in scope.unit.uses:
        for local, remote in {**use.renames, **(use.names or {})}.items():
            if remote == symbol.name:
                names.add(local)
    for name in names:
        found = scope.find(name)
        if found is symbol or (
            found is not None
            and (found.name, found.owner, found.storage)
            == (symbol.name, symbol.owner, symbol.storage)
            and found.scope is symbol.scope
        ):
            yield name


def _changes(scope: Scope, unit: Unit, name: str) -> Iterator[str]:
    word = re.compile(rf"\b{re.escape(name)}\b")
    for pair, place in unit.equivalences:
        if any(isinstance(p, Name) and p.id == name for e in pair for p in e.walk()):
            yield f"equivalence ({place})"
    for unread in unit.unread:
        if word.search(unread.text):
            yield f"{unread.construct} ({unread.place})"
    for statement in s.walk(unit.body):
        where = f"{unit.name} ({statement.place})"
        if isinstance(statement, s.Unread):
            if any(word.search(line) for line in (statement.text, *statement.inside)):
                yield where
        elif isinstance(statement, s.Assignment):
            if statement.target.root == name or (
                isinstance(statement, s.PointerAssignment) and statement.value.root == name
            ):
                yield where
        elif isinstance(statement, s.Do) and statement.variable == name:
            yield where
        elif isinstance(statement, s.Call):
            callee = statement.procedure.id if isinstance(statement.procedure, Name) else ""
            if _passed(scope, callee, statement.arguments, name):
                yield where
        for e in statement.expressions():
            for part in e.walk():
                one = resolve(part, scope) if isinstance(part, Apply) else None
                if isinstance(one, Reference) and any(
                    _handed(scope, callee, arguments, name)
                    for callee, arguments in _callees(scope, one)
                ):
                    yield where


def _callees(scope: Scope, one: Reference) -> Iterator[tuple[Unit | None, tuple[Expression, ...]]]:
    """Functions that a reference may call; None of one that is not known."""
    if isinstance(one, Call):
        yield one.callee, one.arguments
    elif isinstance(one, BoundCall):
        found: list[tuple[Unit | None, tuple[Expression, ...]]] = []
        found += possible(scope, one.procedure, one.arguments)
        yield from found or [(None, one.arguments)]
    elif not isinstance(one, IntrinsicCall):
        yield None, one.arguments


def _passed(scope: Scope, callee: str, arguments: tuple[Expression, ...], name: str) -> bool:
    return _handed(scope, scope.procedure(callee) if callee else None, arguments, name)


def _handed(scope: Scope, unit: Unit | None, arguments: tuple[Expression, ...], name: str) -> bool:
    """Whether it is handed over where it may be given a value."""
    for number, actual in enumerate(arguments):
        dummy = None
        if isinstance(actual, Keyword):
            dummy, actual = actual.name, actual.value
        elif unit is not None and number < len(unit.arguments):
            dummy = unit.arguments[number]
        if actual.root != name:
            continue
        if unit is None or dummy is None or dummy not in unit.arguments:
            return True
        if scope.program.scope(unit).symbol(dummy).intent != "in":
            return True
    return False
