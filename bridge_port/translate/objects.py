"""Variables of derived types as wholes: passed to procedures, assigned."""

from __future__ import annotations

from collections.abc import Callable

from bridge_port.program.symbols import DUMMY, LOCAL, Symbol
from bridge_port.syntax.expressions import Apply, Component, Expression, Section
from bridge_port.syntax.units import Unit
from bridge_port.translate import (
    arrays,
    deferred,
    designators,
    elements,
    expressions,
    parts,
    stores,
)
from bridge_port.translate.body import (
    Array,
    Body,
    CallContext,
    Dim,
    Fixed,
    Object,
    Part,
    Passed,
    Path,
    Structure,
)
from bridge_port.translate.flow import Flow
from bridge_port.translate.intents import path
from bridge_port.translate.values import Value, as_point, integer

ALL = Section(None, None, None)


def is_object(b: Body, e: Expression) -> bool:
    """Whether a designator is of a derived type."""
    return designators.known(b, e) is not None


# ---- Arguments


def given(b: Body, callee: Unit, symbol: Symbol, actual: Expression, passed: Passed) -> None:
    """What the function has to know of an object that it gets."""
    what = f"argument {symbol.name} of {callee.name}"
    found = designators.known(b, actual)
    if found is None:
        b.refuse(what, "no variable of its derived type")
    derived, exact = found
    if symbol.type_name != "*":
        wanted = symbol.scope.derived(symbol.type_name, b.place)
        if wanted not in derived.line:
            b.refuse(what, "no variable of its derived type")
        if "class" not in symbol.attributes:
            derived, exact = wanted, True
    if "class" in symbol.attributes:
        passed.types.append((symbol.name, derived, exact))
    whole = designators.object_of(b, actual.whole)
    if whole is not None and whole.structure is not None and whole.structure.given:
        passed.parts[symbol.name] = whole.structure.given
    origin = b.origin(whole.symbol) if whole is not None else ""
    if whole is not None and origin:
        b.port.origins[id(callee), symbol.name] = "%".join((origin, *whole.path))
    held = None if isinstance(actual, Apply) else whole
    dims = held.structure.dims if held is not None and held.structure is not None else ()
    if len(dims) != len(symbol.dimensions or ()):
        b.refuse(what, "an array of a type of another rank")
    if any(d.deferred for d in symbol.dimensions or ()):
        shape: list[Fixed] = [Fixed(0, parts.number_of(d.extent)) for d in dims]
        passed.shapes[symbol.name] = tuple(shape)


def passed(
    b: Body,
    callee: Unit,
    symbol: Symbol,
    actual: Expression,
    named: frozenset[Path],
    after: list[Callable[[], None]],
    context: CallContext,
) -> str:
    """The text of an object for a function that names these components of it: the struct itself,
    or a copy where the function's is another one."""
    what = f"argument {symbol.name} of {callee.name}"
    writes = b.port.intents.writes(callee, symbol.name)
    found = designators.known(b, actual)
    assert found is not None
    derived = found[0]
    if "class" not in symbol.attributes:
        derived = symbol.scope.derived(symbol.type_name, b.place)
    given = dict(context.parts).get(symbol.name, ())
    wanted = parts.structure(b, derived, dims_of(b, symbol, context, what), given)
    whole = designators.object_of(b, actual.whole)
    if whole is not None:
        deferred.passed(b, whole, named)
    held = None if isinstance(actual, Apply) else whole
    root = held.symbol if held is not None else root_of(b, actual)
    if writes and (root.intent == "in" or (held is not None and held.structure is None)):
        why = "intent(in)" if root.intent == "in" else f"data of module {root.owner}"
        b.refuse(what, f"it is written, and {path(actual)} is {why}")
    if held is not None and held.structure is wanted:
        if held.symbol.storage == DUMMY:
            touched = b.touched.setdefault(held.symbol.name, set())
            touched |= {(*held.path, *one) for one in named}
        return held.text
    if wanted.dims:
        b.refuse(what, "an array of a type with other bounds, or of another type")
    return copied(b, symbol, actual, wanted, named, after if writes else None)


def root_of(b: Body, e: Expression) -> Symbol:
    return b.symbol(e.root)


def dims_of(b: Body, symbol: Symbol, context: CallContext, what: str) -> tuple[Dim, ...]:
    """As the function sees them."""
    if symbol.dimensions is None:
        return ()
    shape = dict(context.shapes).get(symbol.name)
    dims = []
    for n, (lower, upper) in enumerate(symbol.scope.bounds(symbol)):
        extent = shape[n].b if shape is not None else None
        if lower is not None and upper is not None:
            extent = upper - lower + 1
        if lower is None or extent is None:
            b.refuse(what, "the shape of an array of a type is no constant")
        dims.append(Dim(integer(lower), integer(extent)))
    return tuple(dims)


def copied(
    b: Body,
    symbol: Symbol,
    actual: Expression,
    wanted: Structure,
    named: frozenset[Path],
    after: list[Callable[[], None]] | None,
) -> str:
    """A struct of its own; after: where what is written goes back."""
    name = b.names.unique(symbol.name)
    b.out.put(f"{wanted.text}<Real> {name};")
    flow = b.flow
    for leaf_path, text, part in wanted.leaves():
        if leaf_path not in named:
            continue
        to = Array(f"{name}.{text}", part.type, part.kind, part.dims)
        source = component_of(actual, leaf_path, part)
        with elements.each(b, extents_of(part)) as at:
            v = as_point(expressions.value(b, source, at))
            place = f"[{elements.offset(b, to, at).text}]" if part.dims else ""
            b.out.put(f"{to.text}{place} = {v.text};")
        if after is not None:
            after.append(lambda part=part, to=to, source=source: back(b, part, to, source, flow))  # type: ignore[misc]
    return name


def back(b: Body, part: Part, of: Array, to: Expression, flow: Flow) -> None:
    """A component of a copy into the variable."""
    with elements.each(b, extents_of(part)) as at:
        v = Value(of.text, part.type, True, kind=part.kind)
        if part.dims:
            v = elements.element(b, of, at)
        into(b, to, v, at, flow)


def into(b: Body, to: Expression, v: Value, at: tuple[Value, ...], flow: Flow) -> None:
    base = to.whole
    assert isinstance(base, Component)
    array = designators.array(b, base)
    if array is None:
        stores.put(b, stores.component(b, base), v, flow)
        return
    places = expressions.subscripts(b, to, array, at) if isinstance(to, Apply) else at
    stores.element(b, array, places, v, flow)


def component_of(e: Expression, names: Path, part: Part) -> Expression:
    """A component of a designator; part: as the type without that designator has it."""
    base, subscripts = (e.base, e.arguments) if isinstance(e, Apply) else (e, ())
    for name in names:
        base = Component(base, name)
    if not subscripts:
        return base
    return Apply(base, (ALL,) * len(part.dims) + subscripts)


def extents_of(part: Part) -> tuple[Value, ...]:
    return tuple(dim.extent for dim in part.dims if dim.extent is not None)


# ---- Assignments


def assigned(b: Body, target: Expression, value: Expression, flow: Flow) -> None:
    """All components of a variable of a derived type."""
    what = f"{path(target)} = {path(value) or 'a value'}"
    to, of = designators.known(b, target), designators.known(b, value)
    assert to is not None
    if of is None:
        b.refuse("a value of a derived type", "it is no variable", "assign its components")
    if of[0] is not to[0] or not of[1] or not to[1]:
        b.refuse(what, "of different types, or of a class")
    if b.port.overloaded(b.unit, "assignment(=)") or to[0].binding("assignment(=)"):
        b.refuse(what, "assignment may be one of the program's own")
    one = structure_of(b, target, what)
    deferred.assigned(b, one, what, root_of(b, target).storage == LOCAL)
    if structure_of(b, value, what) is not one:
        b.refuse(what, "of different bounds, or with other procedures in them")
    for names, _, part in one.leaves():
        if one.held(names) == "pointer":
            continue
        with elements.each(b, extents_of(part)) as at:
            v = expressions.value(b, component_of(value, names, part), at)
            into(b, component_of(target, names, part), v, at, flow)


def structure_of(b: Body, e: Expression, what: str) -> Structure:
    """Of a variable, a component or an element of an array of a type."""
    held = designators.object_of(b, e.whole)
    if held is None or held.structure is None:
        b.refuse(what, "a value of a derived type of the host: assign its components")
    if not isinstance(e, Apply):
        return plain(b, held)
    if any(isinstance(a, Section) or arrays.rank(b, a) for a in e.arguments):
        b.refuse(what, "sections of arrays of a type", "assign its components")
    return parts.structure(b, held.derived, (), held.structure.given)


def plain(b: Body, held: Object) -> Structure:
    assert held.structure is not None
    if held.derived is not held.structure.derived:
        return parts.structure(b, held.derived, held.structure.dims, held.structure.given)
    return held.structure
