"""Whole allocatable arrays that an array is assigned to: they keep their shape, which `bind` asks.

Fortran allocates such an array anew where the right side has another shape, or where it has no
memory. A kernel writes the memory that is bound. So the shape of the right side goes to `bind`,
which compares both and stops the run where they differ.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.kernel import Conforming
from bridge_port.outline.affine import Affine
from bridge_port.outline.arrayelements import Elements, Whole
from bridge_port.outline.free import WHOLE, lower_bound
from bridge_port.outline.nest import values_of
from bridge_port.outline.setting import Setting
from bridge_port.program.symbols import DUMMY, LOCAL, RESULT, SAVED, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Expression,
    Keyword,
    Name,
    Number,
    Section,
    Unary,
)
from bridge_port.syntax.statements import Assignment, Call, Do, Statement, Unread, walk
from bridge_port.syntax.statementtexts import memory_of
from bridge_port.syntax.text import expression_text

_GROWS = "it is allocatable, and as a whole it gets the shape of the right side"


def conforming(elements: Elements, s: Assignment) -> Conforming | None:
    """What `bind` has to compare of an assignment to a whole name; None where nothing can get
    another shape. Refused where the shape of the right side is not known in front of the loops."""
    assert isinstance(s.target, Name)
    symbol = elements.setting.find(s.target.id)
    if symbol is None or "allocatable" not in symbol.attributes or elements.rank(s.value) == 0:
        return None
    if _gets_memory_here(elements.setting, symbol):
        raise Refused(
            s.place,
            f"array {s.target.id}",
            f"{_GROWS}; no other statement gives it memory",
            "allocate it in front of the loops",
        )
    found = _shape(elements, s.value, len(symbol.dimensions or ()), s.target)
    if found is None:
        colons = ", ".join(":" for _ in symbol.dimensions or ())
        raise Refused(
            s.place,
            f"array {s.target.id}",
            f"{_GROWS}, which is not known here",
            f"write {s.target.id}({colons}) = ... where its shape stays",
        )
    other, extents = found
    return Conforming(s.target.id, other, extents, s.place) if extents else None


def check_shapes(found: Sequence[Conforming], statements: Sequence[Statement], changed: set[str]) \
        -> None:  # fmt: skip
    """Shapes that `bind` asks are those of the statement: nothing in the nest changes them."""
    loops = {s.variable for s in walk(statements) if isinstance(s, Do) and s.variable}
    for one in found:
        for e in one.extents:
            for name in sorted(values_of(e) & (changed | loops)):
                raise Refused(
                    one.place,
                    f"array {one.array}",
                    f"{_GROWS}: that of {expression_text(one.other)} depends on {name}, which "
                    "changes in the nest",
                    f"write {one.array}(...) = ... where its shape stays",
                )


def _gets_memory_here(setting: Setting, symbol: Symbol) -> bool:
    """Whether an array of the procedure has no memory but from the nest."""
    fresh = symbol.storage == DUMMY and symbol.intent == "out"
    if symbol.storage not in (LOCAL, RESULT, SAVED) and not fresh:
        return False
    return not any(_gives_memory(s, symbol.name) for s in walk(setting.unit.body))


def _gives_memory(s: Statement, name: str) -> bool:
    if isinstance(s, Call):
        return Name(name) in s.arguments
    if not isinstance(s, Unread) or s.construct != "allocate":
        return False
    whole = memory_of(s)
    listed = () if whole is None else whole.arguments
    return any(isinstance(one, Apply) and one.base == Name(name) for one in listed)


# ---- Shapes

#: Functions in extents.
_ASKED = frozenset(("size", "lbound", "ubound", "max", "min"))
#: What has a shape, and its extents; () of the array that is assigned itself.
_Shaped = tuple[Expression, tuple[Expression, ...]]


def _shape(
    elements: Elements, e: Expression, rank: int, target: Expression | None
) -> _Shaped | None:
    """Of a part of an expression that has all of its shape: the other parts have the same one.
    The array that is assigned comes first: it keeps what it has."""
    if elements.rank(e) != rank or not rank:
        return None
    if e == target:
        return e, ()
    whole = elements.whole(e)
    if whole is not None:
        extents = [_extent(elements, whole, n) for n in whole.sections]
        kept = tuple(one for one in extents if one is not None and _is_plain(one))
        return (e, kept) if len(kept) == len(extents) else None
    if isinstance(e, Apply) and e.base == Name("transpose"):
        inner = _shape(elements, e.arguments[0], rank, None)
        return None if inner is None else (e, tuple(reversed(inner[1])))
    found = [_shape(elements, part, rank, target) for part in _parts(e)]
    shapes = [one for one in found if one is not None]
    return next((one for one in shapes if not one[1]), shapes[0] if shapes else None)


def _is_plain(extent: Expression) -> bool:
    """Whether a module beside the nest can compute it: without functions and elements."""
    return all(
        isinstance(part.base, Name) and part.base.id in _ASKED
        for part in extent.walk()
        if isinstance(part, Apply)
    )


def _parts(e: Expression) -> tuple[Expression, ...]:
    """That have the shape of the whole expression, or no shape."""
    match e:
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return left, right
        case Keyword(_, value):
            return (value,)
        case Apply(Name("spread"), _):
            return ()
        case Apply(_, arguments):
            return arguments
    return ()


def _extent(elements: Elements, whole: Whole, n: int) -> Expression | None:
    section = whole.subscripts[n]
    extent = elements.setting.extents(whole.symbol)[n]
    if section == WHOLE:
        if extent is not None:
            return Number(str(max(extent, 0)))
        return Apply(Name("size"), (Name(whole.array), Number(str(n + 1))))
    if not isinstance(section, Section):
        return None
    affine = elements.setting.affine
    if section.stride is not None and affine(section.stride).constant != 1:
        return None
    low = section.lower or lower_bound(whole.array, n + 1)
    high = section.upper or Apply(Name("ubound"), (Name(whole.array), Number(str(n + 1))))
    count = affine(high) - affine(low) + Affine(1)
    if count.constant is not None:
        return Number(str(max(count.constant, 0)))
    return Apply(Name("max"), (Number("0"), count.expression))
