"""Windows on arrays: a dummy array that begins at an element of what is passed, or has no end.

Fortran calls it sequence association: `call fill(n, w(k))` hands over the elements from w(k) on,
whatever their shape, and a dummy of assumed size, `x(*)`, has all of them. In a kernel such a
dummy is a view on the memory of what is passed, so that two windows of one array are what they
are in Fortran. No subscript leaves the elements that are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge_port.program.symbols import Symbol
from bridge_port.syntax.expressions import Apply, Expression, Number, Unary
from bridge_port.syntax.rewriting import with_names
from bridge_port.syntax.units import Unit
from bridge_port.translate import arrays, designators, elements, expressions, unended
from bridge_port.translate.body import Array, Body, Fixed, Passed, Window
from bridge_port.translate.values import Value, integer, minus, plus, times

# ---- What is passed


def told(b: Body, symbol: Symbol, room: Value | None, passed: Passed) -> str:
    """The room of a dummy that has no end: as a number, or behind the array as an argument."""
    if not unended.is_open(symbol):
        return ""
    assert room is not None
    known = b.fixed(room)
    if known is not None and known[0] and len(symbol.dimensions or ()) > 1:
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
        name, first = copied(b, callee, symbol, window, passed), integer(0)
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
        name: Number(str(n)) if n >= 0 else Unary("-", Number(str(-n)))
        for name, (of_species, n) in known.items()
        if not of_species
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


def copied(b: Body, callee: Unit, symbol: Symbol, window: Window, passed: Passed) -> str:
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


# ---- Two windows of one array

#: A dummy, and what is passed for it.
Given = tuple[str, Expression]


def apart(b: Body, callee: Unit, one: Given, other: Given, passed: Passed) -> bool | None:
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
