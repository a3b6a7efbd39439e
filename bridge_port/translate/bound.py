"""Which procedure a call means: by its name, or by the name that the type of an object binds."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.program.derivedtypes import extensions, target, with_object
from bridge_port.program.saidprocedures import Pointed
from bridge_port.program.signatures import pairs
from bridge_port.program.symbols import Derived
from bridge_port.refusal import SOURCE, Refused
from bridge_port.syntax.expressions import Apply, Component, Expression, Keyword, Name
from bridge_port.syntax.statements import SelectType, Statement
from bridge_port.syntax.units import Binding, Unit
from bridge_port.translate import designators
from bridge_port.translate.body import Body
from bridge_port.translate.intents import path

Call = tuple[Unit, tuple[Expression, ...]]


def callee_of(b: Body, e: Apply) -> Call | None:
    """The function of a reference and its arguments, None of what is no function of the
    source."""
    if isinstance(e.base, Name):
        unit = b.scope.procedure(e.reference)
        return None if unit is None else (unit, e.arguments)
    if isinstance(e.base, Component):
        return resolved(b, e.base, e.arguments)
    return None


def resolved(b: Body, e: Component, arguments: Sequence[Expression]) -> Call | None:
    """The procedure that a type-bound name stands for, and its arguments, the object among them;
    None of a component. Refused where the object's type is not known well enough."""
    found = designators.known(b, e.base)
    if found is None:
        return None
    derived, exact = found
    if derived.component(e.name) is not None:
        return None
    what = f"call of {path(e) or e.name}"
    if derived.pointer(e.name) is not None:
        return pointed(b, what, e, arguments)
    try:
        bindings = [(one, one.binding(e.name)) for one in possible(derived, exact)]
        if all(one is None for _, one in bindings):
            unknown(b, what, derived)
        if any(one is not None and one[0].specifics for _, one in bindings):
            return generic(b, e, derived, exact, arguments)
        binding, callee = chosen(b, what, e, bindings)
        if not exact:
            b.port.note(f"calls of procedures that {derived.name} binds: no type that is given "
                        "extends it and binds others")  # fmt: skip
        return callee, with_object(callee, binding, e.base, arguments)
    except Refused as refused:
        if refused.refusal.place == b.place:
            raise
        b.refuse(what, f"{refused.refusal.construct} {refused.refusal.why}".strip())


def pointed(b: Body, what: str, e: Component, arguments: Sequence[Expression]) -> Call:
    """The procedure that the user says a component points to."""
    base = None if isinstance(e.base, Apply) else designators.object_of(b, e.base)
    given = base.structure.given if base is not None and base.structure is not None else ()
    found = dict(given).get((e.name,))
    if base is None or not isinstance(found, Pointed):
        origin = b.origin(base.symbol) if base is not None else ""
        word = "%".join((origin, *base.path, e.name)) if base is not None and origin else ""
        b.refuse(what, "a procedure component: what it points to is known at run time alone",
                 f"say which procedure it is, --procedure {word}=NAME" if word
                 else "call the procedure by its name")  # fmt: skip
    if base.symbol.intent == "out":
        b.refuse(what, f"{base.symbol.name} is intent(out): the component points to nothing there")
    if any(isinstance(a, Keyword) for a in arguments) and not found.same_names:
        b.refuse(what, f"it names arguments as the interface does; {found.unit.name} has other "
                 "names", "leave the names out")  # fmt: skip
    callee = b.port.program.closed(found.unit)
    return callee, with_object(callee, found.binding, e.base, arguments)


def guarded(b: Body, statement: SelectType) -> list[Statement]:
    """The statements of a select type that are meant: the type has to be known."""
    name = path(statement.subject) or ""
    found = designators.known(b, statement.subject)
    if found is None or not found[1]:
        b.refuse("select type", f"the type of {name} is known at run time alone",
                 f"say it, --type {name}=TYPE")  # fmt: skip
    line = found[0].line
    chosen: tuple[int, list[Statement]] = len(line) + 1, []
    for guard in statement.guards:
        of = b.scope.derived_if_given(guard.name) if guard.name else None
        if guard.name and of is None:
            b.place = guard.place
            b.refuse("select type", f"type({guard.name}) is not given", f"say {SOURCE}")
        if guard.of == "default":
            distance = len(line)
        elif of not in line or (guard.of == "type" and of is not line[0]):
            continue
        else:
            distance = line.index(of) if guard.of == "class" else -1
        if distance < chosen[0]:
            chosen = distance, guard.body
    return chosen[1]


def possible(derived: Derived, exact: bool) -> tuple[Derived, ...]:
    return (derived,) if exact else (derived, *extensions(derived))


def unknown(b: Body, what: str, derived: Derived) -> None:
    if derived.whole:
        b.refuse(what, f"type({derived.name}) binds no procedure of this name")
    last = derived.line[-1]
    b.refuse(what, f"type({last.definition.parent}), which {last.name} extends, is not given",
             f"say {SOURCE}")  # fmt: skip


def chosen(
    b: Body,
    what: str,
    e: Component,
    bindings: Sequence[tuple[Derived, tuple[Binding, Derived] | None]],
) -> tuple[Binding, Unit]:
    """The one that all types agree on."""
    units: dict[int, tuple[Unit, Binding]] = {}
    deferred = []
    for derived, found in bindings:
        if found is None:
            continue
        unit = target(*found)
        if unit is not None:
            units.setdefault(id(unit), (unit, found[0]))
        elif found[0].target:
            b.refuse(what, f"the source of {found[0].target} is not given",
                     f"say {SOURCE}")  # fmt: skip
        else:
            deferred.append(derived)
    if len(units) == 1 and not deferred:
        unit, binding = next(iter(units.values()))
        return binding, unit
    names = sorted({one.name for one, found in bindings if found is not None and target(*found)})
    object_ = path(e.base) or ""
    if not units:
        name = deferred[0].name
        b.refuse(what, f"it is deferred in type({name}), and no extension of it is given",
                 f"give an extension and say --type {object_}=TYPE")  # fmt: skip
    b.refuse(what, f"it depends on the type of {object_}, which may be {', '.join(names)}",
             f"say which one, --type {object_}={names[0]}")  # fmt: skip


def generic(
    b: Body, e: Component, derived: Derived, exact: bool, arguments: Sequence[Expression]
) -> Call:
    """The only specific one whose dummies are of the types, kinds and ranks of the arguments."""
    fitting = []
    for name in derived.specifics(e.name):
        found = resolved(b, Component(e.base, name), arguments)
        if found is not None and fits(b, *found):
            fitting.append(found)
    what = f"call of {path(e) or e.name}"
    if not exact and any(
        set(one.specifics(e.name)) != set(derived.specifics(e.name)) for one in extensions(derived)
    ):
        b.refuse(what, "an extension of the type adds to this generic name")
    if len(fitting) != 1:
        which = "several of them fit" if fitting else "none of them fits"
        names = ", ".join(derived.specifics(e.name))
        b.refuse(what, f"it is generic ({names}), and {which}", "call one of them by its name")
    return fitting[0]


def fits(b: Body, callee: Unit, arguments: Sequence[Expression]) -> bool:
    scope = b.port.program.scope(callee)
    try:
        bound = list(pairs(callee, arguments))
    except Refused:
        return False
    for dummy, actual in bound:
        symbol = scope.symbol(dummy, callee.place)
        if actual is None:
            if not symbol.optional:
                return False
            continue
        if symbol.type == "type":
            found = designators.known(b, actual)
            wanted = symbol.scope.derived_if_given(symbol.type_name)
            if found is None or wanted not in found[0].line:
                return False
            continue
        kind = b.scope.type_of(actual)
        if kind is None or kind != (symbol.type, symbol.kind):
            return False
        rank = b.rank(actual)
        if rank != len(symbol.dimensions or ()) and not (
            "elemental" in callee.prefixes and symbol.dimensions is None
        ):
            return False
    return True


def elemental(unit: Unit) -> bool:
    return "elemental" in unit.prefixes
