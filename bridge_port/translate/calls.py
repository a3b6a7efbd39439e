"""Calls of procedures whose source is given: functions of the header."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.program.signatures import pairs
from bridge_port.program.unknownnames import given_by
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import (
    Component,
    Expression,
    Keyword,
    Name,
)
from bridge_port.syntax.units import Unit
from bridge_port.translate import (
    arrays,
    bound,
    effects,
    elements,
    expressions,
    objects,
    rearranged,
    textstatements,
    transforms,
)
from bridge_port.translate.body import (
    Array,
    Body,
    CallContext,
    Function,
    Hoisted,
    Passed,
)
from bridge_port.translate.flow import Flow
from bridge_port.translate.intents import path
from bridge_port.translate.passing import At, hand_over
from bridge_port.translate.values import PRIMARY, Value


def check_statement_function(b: Body, name: str, arguments: Sequence[Expression]) -> None:
    """Its text stands where it is used: what it reads beside its arguments is not seen there."""
    function = b.unit.statement_functions[name]
    what = f"statement function {name}"
    if any(effects.changes(b, argument) for argument in arguments):
        b.refuse(what, "an argument of it is a function that changes variables")
    own = {part.id for part in function.value.walk() if isinstance(part, Name)}
    loops = {st.variable for st in s.walk(b.unit.body) if isinstance(st, s.Do)}
    for read in sorted(own - set(function.arguments)):
        given = read in b.unit.arguments and not b.symbol(read).intent
        if read in loops or (given and b.port.intents.intent(b.unit, read) == "out"):
            b.refuse(what, f"it reads {read}, which changes", f"make {read} an argument of it")


# ---- The three forms of a call


def statement(b: Body, st: s.Call, flow: Flow) -> None:
    callee, arguments = subroutine(b, st)
    if callee.kind != "subroutine":
        b.refuse(f"call of {callee.name}", f"it is a {callee.kind}")
    if textstatements.ran(b, callee, arguments, flow):
        return
    extents: tuple[Value, ...] = ()
    if bound.elemental(callee):
        extents = arrays.same_shape(b, [unnamed(a) for a in st.arguments])
    if extents and any(effects.changes(b, a) for a in arguments):
        b.refuse(f"call of {callee.name}", "an argument of it is a function that changes "
                 "variables, and would be called for each element")  # fmt: skip
    if extents:
        arguments = tuple(before_elements(b, callee, arguments, extents))
    with elements.each(b, extents) as at:
        passed = hand_over(b, callee, arguments, at)
        function = resolved(b, callee, passed, flow)
        b.out.put(f"{call_text(b, function, passed, flow)};")
        for after in passed.after:
            after()


def before_elements(
    b: Body, callee: Unit, arguments: Sequence[Expression], extents: tuple[Value, ...]
) -> list[Expression]:
    """Arguments of an elemental subroutine: what reads an array that it changes is computed before
    its first element is."""
    bound_to = [(d, unnamed(a)) for d, a in pairs(callee, arguments) if a is not None]
    changed = {a.root for d, a in bound_to if b.port.intents.writes(callee, d)}
    written = {id(a) for d, a in bound_to if b.port.intents.writes(callee, d)}

    def before(a: Expression) -> Expression:
        e = unnamed(a)
        if not any(name and name in e.names for name in changed):
            return a
        whole: Expression
        if id(e) in written:
            whole = transforms.settled(b, e, changed)
        elif arrays.rank(b, e):
            e = transforms.prepared(b, e, "")
            whole = Hoisted(rearranged.filled(b, "old", e, extents, lambda at: at))
        else:
            whole = Hoisted(b.constant("t", expressions.value(b, e)))
        return Keyword(a.name, whole) if isinstance(a, Keyword) else whole

    return [before(a) for a in arguments]


def subroutine(b: Body, st: s.Call) -> bound.Call:
    """What is called, and its arguments."""
    if isinstance(st.procedure, Component):
        found = bound.resolved(b, st.procedure, st.arguments)
        if found is None:
            b.refuse(f"call of {path(st.procedure)}", "it is no type-bound procedure")
        return found
    assert isinstance(st.procedure, Name)
    name = st.procedure.id
    callee = b.scope.procedure(name)
    if callee is None:
        why = "its source is not given"
        if name in b.unit.interfaces:
            why = "only its interface is given, not its source, or it stands for several"
        b.refuse(f"call of {name}", why, given_by(b.scope, name))
    return callee, st.arguments


def unnamed(e: Expression) -> Expression:
    return e.value if isinstance(e, Keyword) else e


def function(b: Body, callee: Unit, arguments: Sequence[Expression], at: At) -> Value:
    """A scalar function."""
    if callee.kind != "function":
        b.refuse(f"function {callee.name}", f"it is a {callee.kind}")
    known = textstatements.computed(b, callee, arguments)
    if known is not None:
        return known
    passed = hand_over(b, callee, arguments, at)
    found = resolved(b, callee, passed, b.flow)
    assert found.result is not None
    text = call_text(b, found, passed, b.flow)
    result = found.result
    v = Value(text, result.type, result.vary, PRIMARY, kind=result.kind)
    if passed.after or effects.changed(b, callee, arguments):
        v = b.constant(callee.name, v)
        for after in passed.after:
            after()
    return v


def array_function(b: Body, callee: Unit, arguments: Sequence[Expression]) -> Array:
    """A function whose result is an array: it is handed over as one more argument."""
    passed = hand_over(b, callee, arguments, ())
    found = resolved(b, callee, passed, b.flow)
    symbol = b.port.program.scope(callee).symbol(callee.result or callee.name, callee.place)
    if found.extents is None:
        b.refuse(f"function {callee.name}", "the shape of its result is not known here")
    extents = tuple(b.of_fixed(one) for one in found.extents)
    result = elements.temporary(b, callee.name, symbol.type, symbol.kind, extents, True)
    passed.texts.append(("", result.text))
    b.out.put(f"{call_text(b, found, passed, b.flow)};")
    for after in passed.after:
        after()
    return result


def resolved(b: Body, callee: Unit, passed: Passed, flow: Flow) -> Function:
    context = CallContext(
        bool(flow.mask),
        frozenset(passed.vary),
        frozenset(passed.absent),
        tuple(sorted(passed.known.items())),
        tuple(sorted(passed.shapes.items())),
        tuple(sorted(passed.rooms.items())),
        tuple(passed.types),
        tuple(sorted(passed.letters.items())),
        tuple(sorted(passed.parts.items())),
    )
    found = b.port.function(callee, context, b.place)
    b.calls(found.name)
    b.stopping |= b.port.reach.may_stop(callee)
    b.endless |= b.port.reach.uncounted(callee) and b.port.reach.nested()
    for dummy in found.vary:
        if dummy in passed.own:
            b.makes_vary(passed.own[dummy])
    for dummy, (symbol, actual) in passed.objects.items():
        if named := found.objects.get(dummy):
            text = objects.passed(b, callee, symbol, actual, named, passed.after, context)
            passed.texts = [(d, text if d == dummy else old) for d, old in passed.texts]
    b.uses_host |= found.host
    b.uses_shared |= found.shared
    return found


def call_text(b: Body, function: Function, passed: Passed, flow: Flow) -> str:
    first = []
    if function.shared:
        first.append("shared")
    if function.host:
        first.append("host")
    if function.masked:
        first.append(flow.mask)
    dropped = function.objects.keys() - {d for d, named in function.objects.items() if named}
    given = [text for dummy, text in passed.texts if dummy not in dropped]
    return f"{function.name}<Real>({', '.join(first + given)})"
