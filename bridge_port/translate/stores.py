"""Values into variables: points that do not run keep what they have."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bridge_port.program.symbols import (
    COMMON,
    DUMMY,
    LOCAL,
    MODULE,
    PARAMETER,
    RESULT,
    SAVED,
    Symbol,
)
from bridge_port.syntax.expressions import Apply, Component, Expression, Name
from bridge_port.translate import (
    complexes,
    constants,
    designators,
    elements,
    expressions,
    operators,
)
from bridge_port.translate.body import LOCAL as IN_REGISTERS
from bridge_port.translate.body import Array, Body
from bridge_port.translate.flow import Flow
from bridge_port.translate.intents import path
from bridge_port.translate.reach import names_in_shapes
from bridge_port.translate.values import Value, as_point


@dataclass(frozen=True)
class Spot:
    """What is assigned to. origin: name of a variable that may yet be found to differ between
    points, "" where it does; kept: whether points that do not run the procedure keep what they
    have; result: whether points that have returned do."""

    text: str
    type: str
    vary: bool
    kept: bool
    origin: str = ""
    result: bool = False


def place_of(b: Body, symbol: Symbol) -> Spot:
    """Of a scalar variable."""
    name = symbol.name
    if name in b.counters:
        b.refuse(f"an assignment to {name}", "it is the variable of a loop that runs")
    if symbol.storage == PARAMETER:
        b.refuse(
            f"an assignment to the constant {name}",
            "a parameter keeps its value",
            "make it a variable",
        )
    if symbol.intent == "in":
        b.refuse(f"an assignment to {name}", "it is intent(in)")
    if symbol.storage == DUMMY and name in names_in_shapes(b.unit):
        b.refuse(f"an assignment to {name}", "it gives the shape of an array")
    if symbol.storage in (MODULE, COMMON, SAVED):
        if name not in b.port.private:
            b.port.outside.gives(symbol, b.place)
        found = constants.scalar(b, symbol)
        assert found is not None
        return Spot(found.text, symbol.type, True, True)
    if b.foreign(symbol):
        b.refuse(f"an assignment to {name}", "it belongs to the nest around the loops")
    v = expressions.variable(b, name)
    kept = symbol.storage == DUMMY
    return Spot(v.text, symbol.type, v.vary, kept, name, symbol.storage == RESULT)


def put(b: Body, spot: Spot, value: Value, flow: Flow, first: bool = False) -> None:
    """first: whether nothing is known of the variable before, so that it is declared here."""
    value = operators.converted(b, value, spot.type)
    if spot.type == "complex":
        value = as_point(value)
    vary = spot.vary
    gone = flow.mask not in ("", b.entry)  # points have left what runs here
    if not vary and (value.vary or flow.level > 0 or (gone and (spot.kept or spot.result))):
        b.makes_vary(spot.origin)
        vary = True
    if first:
        word = Body.type_of(Value("", spot.type, vary))
        b.out.put(f"{word} {spot.text} = {value.text};")
        return
    seen = flow.level > 0 or spot.kept or (spot.result and gone)
    chosen = vary and flow.mask and seen
    if chosen:
        b.out.put(f"{spot.text} = select({flow.mask}, {value.text}, {spot.text});")
    else:
        b.out.put(f"{spot.text} = {value.text};")


def scalar(b: Body, target: Expression, value: Value, flow: Flow) -> None:
    if isinstance(target, Name):
        symbol = b.symbol(target.id)
        if symbol.dimensions is not None:
            b.refuse(f"array {target.id}", "one value is assigned to it here")
        first = (
            symbol.storage == LOCAL
            and b.out.depth == 1
            and target.id not in b.declared_here
            and b.port.is_first(b.unit, b.place, target.id)
        )
        spot = place_of(b, symbol)
        if first:
            b.declared_here.add(target.id)
            put(b, spot, value, flow, first=True)
        else:
            put(b, spot, value, flow)
    elif isinstance(target, Component):
        put(b, part_of(b, target) or component(b, target), value, flow)
    elif isinstance(target, Apply):
        array = designators.find(b, target.base)
        if array is None:
            b.refuse(
                "an assignment to a function or an unknown array",
                "no array of this name is declared here",
                "declare it, or give the source of the module that does",
            )
        element(b, array, expressions.subscripts(b, target, array, ()), value, flow)
    else:
        b.refuse(
            "an assignment to an expression",
            "its left side is no variable",
            "assign to a variable or an element",
        )


def part_of(b: Body, target: Component) -> Spot | None:
    """z%re and z%im of a complex variable."""
    whole = complexes.of_variable(b, target)
    if whole is None:
        return None
    if not isinstance(whole, Name) or b.symbol(whole.id).dimensions is not None:
        b.refuse(f"an assignment to %{target.name} of an element", "it is no complex variable")
    spot = place_of(b, b.symbol(whole.id))
    return replace(spot, text=f"{spot.text}.{target.name}", type="real")


def component(b: Body, target: Component) -> Spot:
    found = designators.leaf(b, target)
    if found is None:
        b.refuse(f"an assignment to {path(target)}", "it is no number")
    symbol = found.object.symbol
    if found.host is not None:
        if found.host.name not in b.port.private:
            b.port.outside.gives(found.host, b.place)
        held = constants.scalar(b, found.host)
        assert held is not None
        return Spot(held.text, found.host.type, True, True)
    if symbol.intent == "in":
        b.refuse(f"an assignment to {path(target)}", "it is intent(in)")
    if found.part.number is not None:
        b.refuse(f"an assignment to {path(target)}", "it has one value, as --value says")
    return Spot(found.text, found.part.type, True, symbol.storage == DUMMY)


def outside(b: Body, array: Array) -> Array:
    """What is written; of an array of a module that of a point, where that may be."""
    symbol = array.outside
    if symbol is None or symbol.storage not in (MODULE, COMMON) or symbol.name in b.port.private:
        return array
    b.port.outside.gives(symbol, b.place)
    return replace(array, where=IN_REGISTERS, outside=None, kept=True, vary=True)


def element(b: Body, array: Array, places: tuple[Value, ...], value: Value, flow: Flow) -> None:
    """An element of an array; subscripts count from 0."""
    array = outside(b, array)
    if array.where != IN_REGISTERS or array.fixed:
        why = array.fixed or "it belongs to the host; points would see the values of others"
        b.refuse(f"an assignment to {array.spelled}", why)
    column = elements.offset(b, array, places)
    if not column.vary:
        spot = Spot(
            f"{array.text}[{column.text}]", array.type, array.vary, array.kept, array.origin
        )
        put(b, spot, value, flow)
        return
    value = operators.converted(b, value, array.type)
    if not array.vary:
        b.makes_vary(array.origin)
    mask = flow.mask if flow.level > 0 or array.kept else ""
    on = mask or "Mask<Real>(true)"
    size = elements.size(b, array).text
    text = as_point(value).text
    b.out.put(f"put<Real>({array.text}, {size}, {column.text}, {on}, {text});")
