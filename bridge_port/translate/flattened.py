"""Components of elements of arrays of a type, as elements of arrays: a(i)%x(j) is a%x(j, i)."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.program.resolved import designated
from bridge_port.program.symbols import Scope
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Component,
    Expression,
    Keyword,
    Number,
    Section,
)
from bridge_port.syntax.rewriting import rebuilt, with_parts
from bridge_port.syntax.statements import Statement, walk

ALL = Section(None, None, None)


def flattened(body: list[Statement], scope: Scope) -> list[Statement]:
    """The same list where nothing has to change."""
    return [
        rebuilt(one, lambda e: expression(e, scope)) if _concerned([one]) else one for one in body
    ]


def _concerned(body: Sequence[Statement]) -> bool:
    return any(
        isinstance(part, Component) and _subscripted(part.base)
        for statement in walk(body)
        for e in statement.expressions()
        for part in e.walk()
    )


def _subscripted(e: Expression) -> bool:
    while isinstance(e, Component):
        e = e.base
    return isinstance(e, Apply)


def expression(e: Expression, scope: Scope) -> Expression:
    """Of a procedure that an element binds the element stays."""
    if isinstance(e, Apply) and (asked := _bounds(e, scope)) is not None:
        return asked
    if isinstance(e, Apply | Component) and (flat := _designator(e, scope)) is not None:
        return flat
    return with_parts(e, lambda part: expression(part, scope))


def _bounds(e: Apply, scope: Scope) -> Expression | None:
    """lbound and ubound of a whole component of an element: a section would begin at 1. Its own
    dimensions come first."""
    if e.reference not in ("lbound", "ubound"):
        return None
    if scope.find(e.reference) is not None or not e.arguments:
        return None
    array, rest = e.arguments[0], e.arguments[1:]
    if not isinstance(array, Component) or not _subscripted(array.base):
        return None
    symbol = designated(array, scope)
    flat = _designator(array, scope)
    if symbol is None or not symbol.dimensions or not isinstance(flat, Apply):
        return None
    if any(not isinstance(a, Keyword) or a.name == "dim" for a in rest):
        return Apply(e.base, (flat.base, *rest))
    ranks = range(1, len(symbol.dimensions) + 1)
    return ArrayConstructor(tuple(Apply(e.base, (flat.base, Number(str(n)))) for n in ranks))


def _designator(e: Apply | Component, scope: Scope) -> Expression | None:
    """None of what is no component behind subscripts, or no component that is known."""
    own: tuple[Expression, ...] | None = None
    chain: Expression = e
    if isinstance(chain, Apply):
        own, chain = chain.arguments, chain.base
    if not isinstance(chain, Component) or not _subscripted(chain.base):
        return None
    names: list[str] = []
    subscripts: list[tuple[Expression, ...]] = []
    while isinstance(chain, Component):
        symbol = designated(chain, scope)
        if symbol is None:
            return None
        rank = len(symbol.dimensions or ())
        given = own if own is not None else (ALL,) * rank
        if len(given) != rank:
            return None
        subscripts.append(given)
        names.append(chain.name)
        own, chain = None, chain.base
        if isinstance(chain, Apply):
            own, chain = chain.arguments, chain.base
    root = designated(chain, scope)
    if root is None or root.type != "type":
        return None
    rank = len(root.dimensions or ())
    subscripts.append(own if own is not None else (ALL,) * rank)
    flat = chain
    for name in reversed(names):
        flat = Component(flat, name)
    places = tuple(expression(one, scope) for level in subscripts for one in level)
    return Apply(flat, places) if places else flat
