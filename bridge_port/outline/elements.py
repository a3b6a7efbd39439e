"""A component of all elements of an array of a derived type, as an array of numbers.

Fortran names it where the component is a scalar, `cells(:)%t`, or an element, `cells(:)%u(2)`. So
a small array of each element is as many of those, which the generated module puts together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from bridge_port.kernel import ElementArray, PointProcedure
from bridge_port.program.symbols import DUMMY, Scope, Symbol
from bridge_port.program.types import type_symbol
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import (
    Apply,
    Component,
    Expression,
    Name,
    Number,
    Unary,
)
from bridge_port.syntax.rewriting import names_of
from bridge_port.syntax.statements import Assignment, Call, Statement, walk
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Dimension

#: Elements of a component, each of which is an argument of the module's calls.
MOST = 32
SHARED = frozenset({"pointer", "target"})


def element_array(
    scope: Scope, path: Expression, array: Expression, symbol: Symbol, place: Place
) -> ElementArray:
    """path: for all elements of the array; symbol: of the component at its end."""
    owner = type_symbol(array, scope)
    assert owner is not None
    shape = []
    for low, high in symbol.scope.bounds(symbol) if symbol.dimensions is not None else ():
        assert low is not None and high is not None  # others are refused with their declaration
        shape.append((low, high))
    count = math.prod(high - low + 1 for low, high in shape)
    if not 1 <= count <= MOST:
        raise Refused(
            place, f"component {expression_text(path)}",
            f"it has {count} elements in each element of an array of a type, and {MOST} are the "
            "most that are copied", "copy it to an array of its own",
        )  # fmt: skip
    ranges = [range(low, high + 1) for low, high in reversed(shape)]
    parts: list[Expression] = [
        Apply(path, tuple(number(n) for n in reversed(one))) if shape else path
        for one in product(*ranges)
    ]
    return ElementArray(array, len(owner.dimensions or ()), tuple(shape), tuple(parts))


def element_dimensions(
    scope: Scope, array: Expression
) -> tuple[tuple[Dimension, ...], frozenset[str]]:
    """Of the array of a type, as the nest's unit may say them; with "allocatable" where only a run
    knows them."""
    symbol = type_symbol(array, scope)
    assert symbol is not None
    dimensions = symbol.dimensions or ()
    bounds = symbol.scope.bounds(symbol)
    known = [(low, high) for low, high in bounds if low is not None and high is not None]
    if len(known) == len(bounds):
        return tuple(
            Dimension(None if low == 1 else number(low), number(high)) for low, high in known
        ), frozenset()
    if symbol.scope is scope and not symbol.attributes & {"pointer", "allocatable"}:
        return dimensions, frozenset()
    return tuple(Dimension(None, None, True) for _ in dimensions), frozenset({"allocatable"})


def number(n: int) -> Expression:
    return Number(str(n)) if n >= 0 else Unary("-", Number(str(-n)))


def element_notes(one: PointProcedure) -> Iterator[str]:
    """What a point procedure has copied."""
    views = {name: view.array for name, view in one.views.items()}
    uses = {(views.get(use.name, use.name), use.written) for use in one.arrays.values()}
    uses |= {(r.variable, True) for r in one.reductions}
    named = {name for s in walk(one.unit.body) for name in names_of(s)}
    named |= {e.id for view in one.views.values() for sub in view.subscripts if sub is not None
              for e in sub.walk() if isinstance(e, Name)}  # fmt: skip
    for name, its in one.elements.items():
        text = f"{name} is a component of all elements of {expression_text(its.array)}"
        if (name, True) in uses:
            yield f"{text}: copied before each run and back behind it"
        elif (name, False) in uses or name in named:
            yield f"{text}: copied before each run"


def check_memory(
    scope: Scope, elements: Mapping[str, ElementArray], names: Mapping[Expression, str],
    statements: Sequence[Statement],
) -> None:  # fmt: skip
    """Refused where a component that is copied may be the memory of another variable, and one of
    both is written: nothing can compare their addresses."""
    paths = {name: path for path, name in names.items()}
    written: set[str] = set()
    mentioned: dict[str, Place] = {}
    for s in walk(statements):
        if isinstance(s, Assignment):
            written.add(s.target.root)
        elif isinstance(s, Call):
            written |= {a.root for a in s.arguments}
        for name in names_of(s):
            mentioned.setdefault(name, s.place)
    for name in elements:
        mine = scope.find(name)
        for other in mentioned:
            symbol = scope.find(other)
            if other == name or symbol is None or mine is None or not {name, other} & written:
                continue
            if (symbol.type, symbol.kind) != (mine.type, mine.kind):
                continue
            if _may_share(mine, symbol, paths[name], paths.get(other)):
                text = expression_text(elements[name].parts[0])
                what = expression_text(paths[other]) if other in paths else other
                raise Refused(
                    mentioned[name], f"component {text}",
                    f"of an array of a type; it may be the memory of {what}, and the nest writes "
                    "one of them", "copy it to an array of its own",
                )  # fmt: skip


def _may_share(mine: Symbol, other: Symbol, path: Expression, its: Expression | None) -> bool:
    if not mine.attributes & SHARED or not other.attributes & SHARED:
        return False
    if "pointer" in other.attributes:
        return True
    if its is None:
        return other.storage == DUMMY
    # An object of a type lies in no other one of its type: components of two names are apart.
    assert isinstance(path, Component) and isinstance(its, Component)
    return path.name == its.name
