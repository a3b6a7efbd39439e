"""Arguments of a call: what is handed over, and what comes back behind it.

Fortran calls it sequence association: `call fill(n, w(k))` hands over the elements from w(k) on,
whatever their shape, and a dummy of assumed size, `x(*)`, has all of them. In a kernel such a
dummy is a window, a view on the memory of what is passed, so that two windows of one array are
what they are in Fortran. No subscript leaves the elements that are there. No argument that is
written is another one as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bridge_port.program.signatures import pairs
from bridge_port.program.symbols import Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import (
    Apply,
    Component,
    Expression,
    Name,
    Number,
    Section,
    Unary,
)
from bridge_port.syntax.rewriting import with_names
from bridge_port.syntax.units import Unit
from bridge_port.translate import (
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
    textstatements,
    transforms,
    unended,
)
from bridge_port.translate.assigned import same, variable
from bridge_port.translate.body import (
    LOCAL,
    Array,
    Body,
    Fixed,
    Hoisted,
    Passed,
    Window,
)
from bridge_port.translate.intents import path
from bridge_port.translate.reach import names_in_shapes
from bridge_port.translate.values import FLOATING, POINT_TYPES, Value, integer, minus, plus, times

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
        if isinstance(actual, Name) and actual.id in b.context.absent:
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
            letters = textstatements.passed(b, callee, symbol, actual)
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
    check(b, callee, bound, passed)
    complete(b, callee, passed)
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
    copied_in = is_lvalue(b, callee, actual, v)
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
        return of_whole(b, found)
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
        return of_element(b, found, column)
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
    return Window(found, column, distance, product(arrays.shape(b, actual)))


def copied(
    b: Body, callee: Unit, symbol: Symbol, actual: Expression, passed: Passed, writes: bool
) -> None:
    """A new array, and back if it is written."""
    if not arrays.rank(b, actual):
        b.refuse(f"argument {symbol.name} of {callee.name}", "one value is passed for an array")
    e = transforms.prepared(b, actual, "")
    extents = arrays.shape(b, e)
    room = told(b, symbol, product(extents), passed)
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


# ---- Windows


def told(b: Body, symbol: Symbol, room: Value | None, passed: Passed) -> str:
    """The room of a dummy that has no end: as a number, or behind the array as an argument."""
    if not unended.is_open(symbol):
        return ""
    assert room is not None
    known = b.fixed(room)
    if known is not None and known.a and len(symbol.dimensions or ()) > 1:
        known = None  # the number of species in a quotient
    passed.rooms[symbol.name] = known
    return f", {room.text}" if known is None else ""


def complete(b: Body, callee: Unit, passed: Passed) -> None:
    """The texts of windows, once all other arguments are known."""
    scope = b.port.program.scope(callee)
    for dummy, window in passed.windows.items():
        symbol = scope.symbol(dummy, callee.place)
        own = b.scope.find(window.array.origin)
        b.port.origins[id(callee), dummy] = b.origin(own) if own is not None else ""
        text = view(b, callee, symbol, window, passed)
        text += told(b, symbol, window.room, passed)
        passed.texts = [(d, text if d == dummy else old) for d, old in passed.texts]


def view(b: Body, callee: Unit, symbol: Symbol, window: Window, passed: Passed) -> str:
    """In C++: the array, a part of it, or one that no subscript of the callee leaves."""
    name, first, step = window.array.text, window.first, window.step
    inside = not window.sequence or fits(b, callee, symbol, window, passed.known)
    if first.vary:
        name, first = copied_window(b, callee, symbol, window, passed), integer(0)
    if not inside:
        assert window.room is not None
        return f"window({name}, {first.text}, {window.room.text})"
    if first.number == 0 and step.number == 1:
        return name
    step_text = "" if step.number == 1 else f", {step.text}"
    return f"part({name}, {first.text}{step_text})"


def fits(
    b: Body, callee: Unit, symbol: Symbol, window: Window, known: Mapping[str, Fixed]
) -> bool:
    """Whether all elements that the dummy declares are surely there; refused where they are
    surely not."""
    room = window.room
    if room is None or not isinstance(room.number, int):
        return unended.is_open(symbol) and len(symbol.dimensions or ()) == 1
    count = declared(b, callee, symbol, known)
    if unended.is_open(symbol):
        return count is not None and room.number % max(count, 1) == 0
    if count is not None and count > room.number:
        b.refuse(
            f"argument {symbol.name} of {callee.name}",
            f"it has {count} elements, and from there on {window.array.spelled} has {room.number}",
            "pass an array that is large enough, or declare the dummy smaller",
        )
    return count is not None


def declared(b: Body, callee: Unit, symbol: Symbol, known: Mapping[str, Fixed]) -> int | None:
    """How many elements a dummy has; of one without an end in the dimensions before the last."""
    by: dict[str, Expression] = {
        name: Number(str(n.b)) if n.b >= 0 else Unary("-", Number(str(-n.b)))
        for name, n in known.items()
        if not n.a
    }
    scope, count = b.port.program.scope(callee), 1
    dimensions = symbol.dimensions or ()
    for dimension in dimensions[:-1] if unended.is_open(symbol) else dimensions:
        if dimension.upper is None:
            return None
        upper = scope.constant(with_names(dimension.upper, by))
        lower: object = 1
        if dimension.lower is not None:
            lower = scope.constant(with_names(dimension.lower, by))
        if not isinstance(upper, int) or not isinstance(lower, int):
            return None
        count *= max(upper - lower + 1, 0)
    return count


def copied_window(b: Body, callee: Unit, symbol: Symbol, window: Window, passed: Passed) -> str:
    """A window that begins elsewhere at each point: a copy goes in, and comes back. Elements that
    a point does not have stay as they are."""
    array = window.array
    size, first = elements.size(b, array), b.constant("first", window.first)
    copy = elements.temporary(b, symbol.name, array.type, array.kind, (size,), True)

    def places(at: Value) -> str:
        return f"{array.text}, {size.text}, {plus(first, at).text}"

    with elements.each(b, (size,)) as (at,):
        b.out.put(f"{copy.text}[{at.text}] = element<Real>({places(at)});")
    if b.port.intents.writes(callee, symbol.name):

        def back() -> None:  # of points that do not run as well: nothing has changed theirs
            with elements.each(b, (size,)) as (at,):
                b.out.put(f"put<Real>({places(at)}, Mask<Real>(true), {copy.text}[{at.text}]);")

        passed.after.append(back)
    return copy.text


def of_whole(b: Body, array: Array) -> Window:
    room = elements.size(b, array) if all(d.extent is not None for d in array.dims) else None
    return Window(array, integer(0), integer(1), room)


def of_element(b: Body, array: Array, column: Value) -> Window:
    """What is there from an element on."""
    size = elements.size(b, array)
    room = size if column.vary else minus(size, column)
    return Window(array, column, integer(1), room, True)


def product(extents: Sequence[Value]) -> Value:
    total = integer(1)
    for one in extents:
        total = times(total, one)
    return total


# ---- Two names for one memory

#: A dummy, and what is passed for it.
Given = tuple[str, Expression]


def separate(b: Body, callee: Unit, one: Given, other: Given, passed: Passed) -> bool | None:
    """Whether two parts of one array may be passed though one is written: where they have no
    element in common, as far as the declarations of the dummies say. None where neither is a
    window, or one is no plain sequence of elements."""
    if one[0] not in passed.windows and other[0] not in passed.windows:
        return None
    both = {passed.windows[d].array.text for d in (one[0], other[0]) if d in passed.windows}
    first, second = (begin(b, given, passed) for given in (one, other))
    if len(both) > 1:
        return None  # components of two elements, as one array each
    if first is None or second is None:
        return None
    if first.vary or second.vary:
        return False  # copies
    difference = minus(second, first).number
    surely = [is_copied(b, callee, given, passed) for given in (one, other)]
    if not isinstance(difference, int):
        # Views: where they have an element in common at run time, Fortran forbids the call.
        return not any(surely)
    if difference < 0:
        one, difference = other, -difference
    count = length(b, callee, one[0], passed)
    if count is None:
        return difference > 0 and not any(surely)
    return count <= difference


def begin(b: Body, given: Given, passed: Passed) -> Value | None:
    """The column where it begins."""
    dummy, actual = given
    if dummy in passed.windows:
        window = passed.windows[dummy]
        return window.first if window.step.number == 1 else None
    if not isinstance(actual, Apply) or arrays.rank(b, actual):
        return None
    array = designators.find(b, actual.base)
    assert array is not None
    return elements.offset(b, array, expressions.subscripts(b, actual, array, ()))


def is_copied(b: Body, callee: Unit, given: Given, passed: Passed) -> bool:
    """Whether it is one element that comes back behind the call."""
    return given[0] not in passed.windows and b.port.intents.writes(callee, given[0])


def length(b: Body, callee: Unit, dummy: str, passed: Passed) -> int | None:
    """How many elements a dummy has."""
    if dummy not in passed.windows:
        return 1
    window = passed.windows[dummy]
    symbol = b.port.program.scope(callee).symbol(dummy, callee.place)
    if unended.is_open(symbol):
        return None
    count = declared(b, callee, symbol, passed.known)
    if count is None and not window.sequence and window.room is not None:
        known = window.room.number  # of a section, or a whole array
        count = known if isinstance(known, int) else None
    return count


def check(
    b: Body, callee: Unit, bound: list[tuple[str, Expression | None]], passed: Passed
) -> None:
    """No argument that is written is another one as well, nor moves the place of another one."""
    outside(b, callee, bound)
    seen: list[tuple[str, str, Expression, bool]] = []
    changed: set[str] = set()
    for dummy, actual in bound:
        place = path(actual) if actual is not None else None
        if (
            place is None
            or actual is None
            or (isinstance(actual, Apply) and designators.find(b, actual.base) is None)
        ):
            continue
        written = b.port.intents.writes(callee, dummy)
        changed |= {actual.id} if written and isinstance(actual, Name) else set()
        for other, its, e, writes in seen:
            if not (written or writes) or not (
                place == other or place.startswith(other + "%") or other.startswith(place + "%")
            ):
                continue
            disjoint = separate(b, callee, (its, e), (dummy, actual), passed)
            if disjoint is None and isinstance(e, Apply) and isinstance(actual, Apply):
                disjoint = apart(b, e, actual)
            if disjoint:
                continue
            b.refuse(
                f"call of {callee.name}", f"{place} is passed twice, and written",
                "pass a copy for what is read",
            )  # fmt: skip
        seen.append((place, dummy, actual, written))
    for place, _, actual, written in seen:
        parts = actual.arguments if written and isinstance(actual, Apply) else ()
        moved = {name for part in parts for name in changed if name in part.names}
        if moved:
            b.refuse(
                f"call of {callee.name}", f"it changes {min(moved)}, which is in a subscript of "
                f"{place}", "keep the subscript in another variable",
            )  # fmt: skip


def outside(b: Body, callee: Unit, bound: list[tuple[str, Expression | None]]) -> None:
    """No variable of a module that each point has for itself is passed to a procedure that names
    it as well, and one of both gives it a value."""
    mentioned = b.port.outside.mentioned(callee)
    for dummy, actual in bound if mentioned else ():
        symbol = b.scope.find(actual.root) if actual is not None else None
        place = path(actual) if actual is not None else None
        if symbol is None or place is None:
            continue
        tail = place.partition("%")[2]
        own = variable(symbol, f"{symbol.name}%{tail}" if tail else "")
        changed = b.port.outside.changed(callee)
        for one in mentioned:
            if own is not None and same(own, one) and (
                b.port.intents.writes(callee, dummy) or one in changed
            ):  # fmt: skip
                b.refuse(
                    f"call of {callee.name}", f"{place} is passed, {callee.name} names it as "
                    "well, and it gets a value", "pass a copy for what is read",
                )  # fmt: skip


def apart(b: Body, one: Apply, other: Apply) -> bool:
    """Whether two elements or sections of an array have nothing in common."""
    for x, y in zip(one.arguments, other.arguments, strict=False):
        if isinstance(x, Section) or isinstance(y, Section):
            continue
        i, j = expressions.value(b, x), expressions.value(b, y)
        if i.type == j.type == "integer" and i.linear[0] == j.linear[0] and i.linear != j.linear:
            return True
    return False


def is_lvalue(b: Body, callee: Unit, actual: Expression, v: Value) -> bool:
    """Whether what is no variable in Fortran is one in C++, which the callee may change."""
    base = actual.whole
    designator = isinstance(base, (Name, Component, Hoisted)) and (
        base is actual or designators.find(b, base) is not None
    )
    if designator or not v.vary or v.number is not None or re.search(r"[^\w.\[\]]", v.text):
        return False
    return any(b.port.intents.writes(callee, dummy) for dummy in callee.arguments if dummy != "*")
