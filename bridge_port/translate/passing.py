"""Arguments of a call: what is handed over, and what comes back behind it."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.program.signatures import pairs
from bridge_port.program.symbols import Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import (
    Apply,
    Component,
    Expression,
    Name,
    Section,
)
from bridge_port.syntax.units import Unit
from bridge_port.translate import (
    aliases,
    allocated,
    arrays,
    designators,
    effects,
    elements,
    expressions,
    lacking,
    objects,
    rearranged,
    stores,
    textcalls,
    transforms,
    unended,
    windows,
)
from bridge_port.translate.body import (
    LOCAL,
    Array,
    Body,
    Hoisted,
    Passed,
    Window,
)
from bridge_port.translate.intents import path
from bridge_port.translate.silent import names_in_shapes
from bridge_port.translate.values import FLOATING, POINT_TYPES, Value, integer, times

At = tuple[Value, ...]


# ---- One argument after the other


def hand_over(b: Body, callee: Unit, arguments: Sequence[Expression], at: At) -> Passed:
    passed = Passed()
    scope = b.port.program.scope(callee)
    sizes = names_in_shapes(callee)
    silent = b.port.silent(callee)
    try:
        bound = list(pairs(callee, arguments))
    except Refused as refused:
        b.refuse(refused.refusal.construct, refused.refusal.why)
    procedures = b.port.program.procedure_arguments(callee) - silent
    changed_names = effects.changed_names(b, callee, arguments)
    for dummy, actual in bound:
        if dummy == "*":
            b.refuse(f"call of {callee.name}", "an alternate return")
        if isinstance(actual, Name) and actual.id in b.way.absent:
            actual = None
        if dummy in procedures:
            if actual is not None or not optional(callee, dummy):
                given = b.scope.as_written(actual.id) if isinstance(actual, Name) else None
                if given is not None:
                    b.port.program.specialised(callee, {dummy: given})  # says why not
                b.refuse(f"argument {dummy} of {callee.name}",
                         "a procedure that is not known here")  # fmt: skip
            passed.absent.add(dummy)
            continue
        if dummy in silent:
            if actual is not None and effects.changes(b, actual):
                b.refuse(f"argument {dummy} of {callee.name}", "a function that changes variables")
            continue
        symbol: Symbol = scope.symbol(dummy, callee.place)
        if actual is None and not symbol.optional:
            b.refuse(f"call of {callee.name}", f"no argument for {dummy}")
        if symbol.optional and actual is not None:
            allocated.present(b, dummy, actual)
        if actual is not None and b.port.intents.writes(callee, dummy):
            actual = transforms.settled(b, actual, changed_names)
        if actual is None:
            passed.absent.add(dummy)
        elif symbol.type == "character":
            letters = textcalls.passed(b, callee, symbol, actual)
            if letters is not None:
                passed.letters[dummy] = letters
        elif symbol.type == "type":
            objects.given(b, callee, symbol, actual, passed)
            passed.objects[dummy] = symbol, actual
            passed.texts.append((dummy, ""))
        elif symbol.type not in POINT_TYPES:
            b.refuse(
                f"{symbol.type} argument {dummy} of {callee.name}",
                "functions of a header take numbers and logicals",
                "pass its numbers one by one",
            )
        elif symbol.dimensions is not None:
            array(b, callee, symbol, actual, passed)
        elif b.port.intents.writes(callee, dummy):
            changed(b, callee, symbol, actual, passed, at)
        else:
            read(b, callee, symbol, actual, passed, at, dummy in sizes)
    aliases.check(b, callee, bound, passed)
    windows.complete(b, callee, passed)
    return passed


def optional(unit: Unit, dummy: str) -> bool:
    return any(d.name == dummy and "optional" in d.attributes for d in unit.declarations)


def mismatch(b: Body, callee: Unit, symbol: Symbol, v: Value) -> None:
    if v.type != symbol.type:
        b.refuse(
            f"argument {symbol.name} of {callee.name}",
            f"a {v.type} value is passed for a {symbol.type}",
        )


def read(
    b: Body, callee: Unit, symbol: Symbol, actual: Expression, passed: Passed, at: At, sizes: bool
) -> None:
    """A scalar that the callee does not change."""
    v = expressions.value(b, actual, at if arrays.rank(b, actual) else ())
    mismatch(b, callee, symbol, v)
    if symbol.type == "integer" and sizes:
        known = b.fixed(v)
        if known is not None:
            passed.known[symbol.name] = known
            return
        b.port.origins[id(callee), symbol.name] = next(
            (name for name in lacking.integers_in(b, actual, False) if name not in b.port.fixed),
            "",
        )
    elif symbol.type == "integer" and isinstance(actual, Name):
        b.port.origins[id(callee), symbol.name] = b.origin(b.symbol(actual.id))
    if symbol.type not in FLOATING and v.vary:
        passed.vary.add(symbol.name)
    copied_in = aliases.is_lvalue(b, callee, actual, v)
    text = f"{b.type_of(v)}({v.text})" if copied_in else v.text
    passed.texts.append((symbol.name, text))


def changed(
    b: Body, callee: Unit, symbol: Symbol, actual: Expression, passed: Passed, at: At
) -> None:
    """A scalar that the callee may change: a variable by reference."""
    if isinstance(actual, Name) and not at and designators.find(b, actual) is None:
        spot = stores.place_of(b, b.symbol(actual.id))
        mismatch(b, callee, symbol, Value(spot.text, spot.type, spot.vary))
        if symbol.type not in FLOATING:
            if spot.vary:
                passed.vary.add(symbol.name)
            else:
                passed.own[symbol.name] = spot.origin
                if b.flow.level > 0:
                    b.makes_vary(spot.origin)
        passed.texts.append((symbol.name, spot.text))
        return
    if isinstance(actual, Component) and designators.array(b, actual) is None:
        spot = stores.component(b, actual)
        mismatch(b, callee, symbol, Value(spot.text, spot.type, True))
        if symbol.type not in FLOATING:
            passed.vary.add(symbol.name)
        passed.texts.append((symbol.name, spot.text))
        return
    by_copy(b, callee, symbol, actual, passed, at)


def by_copy(
    b: Body, callee: Unit, symbol: Symbol, actual: Expression, passed: Passed, at: At
) -> None:
    """An element, or a value that is no variable: a copy goes in, and comes back."""
    base = actual.whole
    found = designators.find(b, base)
    if found is None and symbol.intent:
        b.refuse(
            f"argument {symbol.name} of {callee.name}", "it is written, and what is passed is no "
            "variable",
        )  # fmt: skip
    v = expressions.value(b, actual, at if arrays.rank(b, actual) else ())
    mismatch(b, callee, symbol, v)
    name = b.names.unique(symbol.name)
    b.out.put(f"{POINT_TYPES[symbol.type]} {name} = {v.text};")
    if symbol.type not in FLOATING:
        passed.vary.add(symbol.name)
    passed.texts.append((symbol.name, name))
    if found is None:
        return
    array, flow = found, b.flow
    places = at
    if isinstance(actual, Apply):
        places = expressions.subscripts(b, actual, array, at)
    copy = Value(name, symbol.type, True)
    passed.after.append(lambda: stores.element(b, array, places, copy, flow))


# ---- Arrays


def array(b: Body, callee: Unit, symbol: Symbol, actual: Expression, passed: Passed) -> None:
    writes = b.port.intents.writes(callee, symbol.name)
    assert symbol.dimensions is not None
    if any(d.deferred for d in symbol.dimensions):
        extents = arrays.shape(b, actual)
        if len(extents) != len(symbol.dimensions):
            b.refuse(f"argument {symbol.name} of {callee.name}", "an array of another rank")
        known = [b.fixed(extent) for extent in extents]
        if any(one is None for one in known):
            b.refuse(
                f"argument {symbol.name} of {callee.name}",
                "the shape of what is passed is not known when the kernel is built",
            )
        passed.shapes[symbol.name] = tuple(one for one in known if one is not None)
    base = actual.whole
    found = designators.find(b, base)
    if found is not None and found.type != symbol.type:
        b.refuse(f"argument {symbol.name} of {callee.name}", f"an array of type {found.type}")
    if found is not None and writes:
        found = stores.outside(b, found)
    if found is not None and writes and (found.fixed or found.where != LOCAL):
        b.refuse(
            f"argument {symbol.name} of {callee.name}",
            f"it is written, and {path(actual)} is {found.fixed or 'data of the host'}",
        )
    if found is not None and found.where == LOCAL:
        if not found.vary:
            b.makes_vary(found.origin)
        window = in_place(b, found, actual, symbol)
        if window is not None:
            passed.texts.append((symbol.name, ""))
            passed.windows[symbol.name] = window
            return
    copied(b, callee, symbol, actual, passed, writes)


def in_place(b: Body, found: Array, actual: Expression, symbol: Symbol) -> Window | None:
    """The memory of the argument itself, where its elements have one distance."""
    if not isinstance(actual, Apply):
        if any(dim.extent is None for dim in found.dims) and unended.is_open(symbol):
            elements.size(b, found)  # refused: it says of which array the shape is to be said
        return windows.of_whole(b, found)
    if len(actual.arguments) != len(found.dims):
        b.refuse(
            f"{found.spelled} with {len(actual.arguments)} subscripts",
            f"it has {len(found.dims)} dimensions",
            "give one subscript or section for each",
        )
    sections = [k for k, a in enumerate(actual.arguments) if isinstance(a, Section)]
    if any(arrays.rank(b, a) for a in actual.arguments if not isinstance(a, Section)):
        return None
    whole = all(actual.arguments[k] == Section(None, None, None) for k in sections[:-1])
    if sections and (sections != list(range(len(sections))) or not whole) and len(sections) > 1:
        return None
    at = tuple(integer(0) for _ in sections)
    column = elements.offset(b, found, expressions.subscripts(b, actual, found, at))
    if not sections:
        return windows.of_element(b, found, column)
    if column.vary:
        return None
    distance = integer(1)
    if len(sections) == 1:
        section = actual.arguments[sections[0]]
        assert isinstance(section, Section)
        distance = integer(arrays.stride(b, section))
        for dim in found.dims[: sections[0]]:
            distance = times(distance, elements.extent(b, dim, found))
    else:
        last = actual.arguments[sections[-1]]
        assert isinstance(last, Section)
        if arrays.stride(b, last) != 1:
            return None
    return Window(found, column, distance, windows.product(arrays.shape(b, actual)))


def copied(
    b: Body, callee: Unit, symbol: Symbol, actual: Expression, passed: Passed, writes: bool
) -> None:
    """A new array, and back if it is written."""
    if not arrays.rank(b, actual):
        b.refuse(f"argument {symbol.name} of {callee.name}", "one value is passed for an array")
    e = transforms.prepared(b, actual, "")
    extents = arrays.shape(b, e)
    room = windows.told(b, symbol, windows.product(extents), passed)
    if isinstance(e, Hoisted) and isinstance(e.value, Array) and not writes:
        passed.texts.append((symbol.name, f"{e.value.text}{room}"))
        return
    copy = rearranged.filled(b, symbol.name, e, extents, lambda at: at)
    if copy.type != symbol.type:
        b.refuse(f"argument {symbol.name} of {callee.name}", f"an array of type {copy.type}")
    passed.texts.append((symbol.name, f"{copy.text}{room}"))
    if not writes:
        return
    base = actual.whole
    found = designators.find(b, base)
    if found is None:
        b.refuse(f"argument {symbol.name} of {callee.name}", "it is written, and is no variable")
    target, flow = found, b.flow

    def back() -> None:
        with elements.each(b, extents) as at:
            v = elements.element(b, copy, at)
            places = at
            if isinstance(actual, Apply):
                places = expressions.subscripts(b, actual, target, at)
            stores.element(b, target, places, v, flow)

    passed.after.append(back)
