"""Procedures of the sources in the place of arguments and components that are procedures, as the
user says; whether one may stand where an interface is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bridge_port.program import interfaces, signatures
from bridge_port.program.derivedtypes import at_end
from bridge_port.program.symbols import Derived, Scope, Symbol, Units
from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Expression, Name
from bridge_port.syntax.units import Binding, Unit, every


@dataclass(frozen=True, eq=False)
class Pointed:
    """What a component points to. binding: of that procedure, with its argument for the object;
    same_names: whether its arguments have the names of the interface."""

    unit: Unit
    binding: Binding
    same_names: bool


def with_procedures(
    program: Units, unit: Unit, said: Mapping[str, Unit]
) -> tuple[Unit, dict[str, Pointed]]:
    """A copy of a unit with these procedures for arguments, and what is left: procedures of
    components, by their paths. Refused where one does not fit."""
    dummies: dict[str, Unit] = {}
    components: dict[str, Pointed] = {}
    program.pointed.clear()
    for word, given in said.items():
        what = f"procedure {word}={given.name}"
        if given.parent is not None and given.parent.kind != "module":
            why = f"{given.name} stands inside {given.parent.name}, whose variables it may use"
            raise Refused(given.place, what, why, "say one of a module, or by itself")
        if given is unit:
            raise Refused(given.place, what, "a procedure that is its own argument")
        if "%" in word:
            owner, pointer = component(program, unit, word)
            wanted = interfaces.named(owner.scope, pointer.interface)
            if wanted is None:
                raise Refused(pointer.place, what, "its interface is not given",
                              "give the file with it")  # fmt: skip
            if pointer.target:
                why = f"{pointer.name} points to {pointer.target} in an object that is new"
                raise Refused(pointer.place, what, why, "pass the procedure as an argument")
            why = against(program, wanted, given)
            if not why:
                same = [one for one in components.values() if one.unit is given]
                found = Pointed(
                    given, _bound(pointer, wanted, given), given.arguments == wanted.arguments
                )
                if same and same[0].binding == found.binding:
                    found = same[0]
                components[word] = found
                key = id(owner.definition), pointer.name
                program.pointed.setdefault(key, []).append((given, found.binding))
        else:
            if word not in program.procedure_arguments(unit):
                raise Refused(unit.place, what, f"{unit.name} has no argument of this name that "
                              "is a procedure")  # fmt: skip
            why = passed(program, unit, word, given)
            dummies[word] = given
        if why:
            raise Refused(given.place, what, f"it does not fit: {why}")
    made = program.specialised(unit, dummies)[0] if dummies else unit
    return made, components


def _bound(pointer: Binding, wanted: Unit, given: Unit) -> Binding:
    """With the name that the object has in the procedure, if it is passed."""
    if pointer.passed is None:
        return pointer
    dummy = pointer.passed or wanted.arguments[0]
    return replace(pointer, passed=given.arguments[wanted.arguments.index(dummy)])


def component(program: Units, unit: Unit, word: str) -> tuple[Derived, Binding]:
    """A procedure component of an argument, and the type that has it."""
    dummy, *names = word.split("%")
    symbol = program.scope(unit).find(dummy) if dummy in unit.arguments else None
    last = names.pop()
    symbol = at_end(symbol, names)
    derived = None
    if symbol is not None and symbol.type == "type":
        derived = symbol.scope.derived_if_given(symbol.type_name)
    found = derived.pointer(last) if derived is not None else None
    if found is None:
        raise Refused(unit.place, f"procedure {word}", f"{unit.name} has no argument with such a "
                      "procedure component")  # fmt: skip
    return found[1], found[0]


#: Attributes of arguments that both have, or none.
_SAME = ("pointer", "allocatable", "optional", "value", "class", "target", "contiguous")
#: What a call needs an interface for.
_EXPLICIT = frozenset(("pointer", "allocatable", "optional", "value", "class", "target"))


def against(program: Units, wanted: Unit, given: Unit) -> str:
    """Why a procedure does not fit an interface, "" where it does."""
    if given.kind != wanted.kind:
        return f"{given.name} is a {given.kind}, a {wanted.kind} is wanted"
    if "elemental" in given.prefixes and given is not wanted:
        return f"{given.name} is elemental"
    if "pure" in wanted.prefixes and not {"pure", "simple"} & given.prefixes:
        return f"it has to be pure, and {given.name} is not"
    if len(given.arguments) != len(wanted.arguments):
        return (f"{given.name} has {len(given.arguments)} arguments, "
                f"{len(wanted.arguments)} are wanted")  # fmt: skip
    one, other = program.scope(wanted), program.scope(given)
    pairs_ = list(zip(wanted.arguments, given.arguments, strict=True))
    if given.kind == "function":
        pairs_.append((wanted.result or wanted.name, given.result or given.name))
    for name, own in pairs_:
        try:
            why = _differs(_symbol(one, name), _symbol(other, own))
        except Refused as refused:
            why = f"it is not known what it is: {refused.refusal.why}"
        if why:
            return f"{own} of {given.name}: {why}"
    return ""


def _symbol(scope: Scope, name: str) -> Symbol:
    if name == "*" or name in scope.program.procedure_arguments(scope.unit):
        raise Refused(scope.unit.place, name, "a procedure or an alternate return")
    return scope.symbol(name, scope.unit.place)


def _differs(wanted: Symbol, given: Symbol) -> str:
    if (wanted.type, wanted.kind) != (given.type, given.kind):
        return f"{_word(given)}, {_word(wanted)} is wanted"
    if wanted.type == "type" and "*" not in (wanted.type_name, given.type_name):
        types = [one.scope.derived_if_given(one.type_name) for one in (wanted, given)]
        if None in types or types[0] is not types[1]:
            return f"{_word(given)}, {_word(wanted)} is wanted"
    elif wanted.type_name != given.type_name:
        return f"{_word(given)}, {_word(wanted)} is wanted"
    if wanted.intent != given.intent:
        return f"intent({given.intent or 'none'}), intent({wanted.intent or 'none'}) is wanted"
    for word in _SAME:
        if (word in wanted.attributes) != (word in given.attributes):
            return f"it is {word}, or has to be" if word != "class" else "class(...) or type(...)"
    forms = [_form(one) for one in (wanted, given)]
    if forms[0] != forms[1]:
        return "its shape is declared in another way"
    return ""


def _word(one: Symbol) -> str:
    return f"type({one.type_name})" if one.type == "type" else f"{one.type}({one.kind})"


def _form(one: Symbol) -> list[tuple[bool, bool, int | None]]:
    """Of each dimension: whether its shape is assumed, its size, and its extent if it is known."""
    dimensions = one.dimensions or ()
    return [
        (d.deferred, d.upper is None, extent)
        for d, extent in zip(dimensions, one.scope.extents(one), strict=True)
    ]


# ---- Arguments without an interface


def passed(program: Units, unit: Unit, dummy: str, given: Unit) -> str:
    """Why a procedure cannot be an argument of a unit, "" where it can."""
    return _passed(program, unit, dummy, given, set())


def _passed(
    program: Units, unit: Unit, dummy: str, given: Unit, seen: set[tuple[int, str]]
) -> str:
    if (id(unit), dummy) in seen:
        return ""
    seen.add((id(unit), dummy))
    scope = program.scope(unit)
    wanted = interfaces.of_argument(scope, dummy)
    if wanted is not None:
        return against(program, wanted, given)
    inner = program.scope(given)
    for name in given.arguments:
        try:
            symbol = _symbol(inner, name)
        except Refused:
            return f"{name} of {given.name} is a procedure, or its type is not known"
        open_ = any(d.deferred for d in symbol.dimensions or ())
        if open_ or symbol.optional or symbol.attributes & _EXPLICIT or symbol.type == "type":
            return f"{name} of {given.name} asks for an interface, and {unit.name} has none"
    if "elemental" in given.prefixes:
        return f"{given.name} is elemental"
    if given.kind == "function" and (why := _result(scope, dummy, inner)):
        return why
    for one in (unit, *every(unit.units)):
        for why in _calls(program, one, dummy, given, seen):
            if why:
                return why
    return ""


def _result(scope: Scope, dummy: str, inner: Scope) -> str:
    own = inner.symbol(inner.unit.result or inner.unit.name, inner.unit.place)
    try:
        symbol = scope.symbol(dummy, scope.unit.place)
    except Refused:
        return f"the type of {dummy} is not known"
    if (symbol.type, symbol.kind) != (own.type, own.kind) or own.dimensions is not None:
        return f"{inner.unit.name} gives {_word(own)}, {_word(symbol)} is wanted"
    return ""


def _calls(
    program: Units, unit: Unit, dummy: str, given: Unit, seen: set[tuple[int, str]]
) -> Iterator[str]:
    """Of each call of a dummy, and of each call that hands it on."""
    scope = program.scope(unit)
    for statement in s.walk(unit.body):
        called: list[tuple[str, str, tuple[Expression, ...]]] = []
        if isinstance(statement, s.Call) and isinstance(statement.procedure, Name):
            called.append(("subroutine", statement.procedure.id, tuple(statement.arguments)))
        for e in statement.expressions():
            for part in e.walk():
                if isinstance(part, Apply) and part.reference:
                    called.append(("function", part.reference, tuple(part.arguments)))
        for kind, name, arguments in called:
            if name == dummy:
                yield _call(scope, kind, given, arguments)
                continue
            callee = scope.as_written(name)
            if callee is None:
                continue
            try:
                bound = list(signatures.pairs(callee, arguments))
            except Refused:
                continue
            for own, actual in bound:
                if actual == Name(dummy):
                    yield _passed(program, callee, own, given, seen)


def _call(scope: Scope, kind: str, given: Unit, arguments: tuple[Expression, ...]) -> str:
    if kind != given.kind:
        return f"{given.name} is a {given.kind}, a {kind} is called"
    if len(arguments) != len(given.arguments):
        return (f"{given.name} has {len(given.arguments)} arguments, "
                f"{len(arguments)} are given")  # fmt: skip
    inner = scope.program.scope(given)
    for name, actual in zip(given.arguments, arguments, strict=True):
        symbol = inner.symbol(name, given.place)
        found = signatures.of(actual, scope)
        if found is None:
            return f"{name} of {given.name}: the type of what is passed is not known"
        if (found.type, found.kind) != (symbol.type, symbol.kind):
            return f"{name} of {given.name}: {found.type}({found.kind}) is passed"
        if found.rank and symbol.dimensions is None:
            return f"{name} of {given.name}: an array is passed for a number"
    return ""
