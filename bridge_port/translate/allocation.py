"""Statements that give an allocatable variable its shape: allocate, an assignment to all of it.

The shape has to be known when the kernel is built, and to be the same wherever one is given. A
procedure may not read such an array where it has no memory, so that one array for all of a call
is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bridge_port.program.symbols import LOCAL
from bridge_port.semantic.intrinsics import asks_bounds, of_integers
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressionparser import expression
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Expression,
    Keyword,
    Name,
    Section,
    Unary,
)
from bridge_port.syntax.statementtexts import memory_of
from bridge_port.translate import allocated, arrays, designators, expressions, lacking, transforms
from bridge_port.translate.body import Body, Dim
from bridge_port.translate.values import Value, integer

# ---- Statements


def executed(b: Body, one: s.Statement) -> s.Assignment | bool:
    """Whether a statement is done by knowing a shape, or the size that it gives; or what is left
    of it to be done."""
    if isinstance(one, s.Assignment):
        return size(b, one)
    question = asked(b, one)
    if question is not None:
        name, there, inner = question
        if inner.construct == "deallocate" and there and freed(b, inner) == [name]:
            return True
        if inner.construct == "allocate" and not there:
            listed, stat = listed_in(b, inner)
            if stat is None and [item.base for item in listed] == [Name(name)]:
                shaped(b, listed[0], one)
                return True
        return False
    if not isinstance(one, s.Unread) or one.construct not in ("allocate", "deallocate"):
        return False
    if one.construct == "deallocate":
        return bool(freed(b, one))
    listed, stat = listed_in(b, one)
    if not listed:
        return False
    again = [item.base for item in listed if item.root in b.allocated]
    for item in listed:
        shaped(b, item, one)
    if stat is None:
        return True
    if again or not outermost(b, one):
        b.refuse("allocate", "its stat says whether an array has memory already", "leave stat out")
    return s.Assignment(one.place, target=stat, value=expression("0"))


def asked(b: Body, one: s.Statement) -> tuple[str, bool, s.Unread] | None:
    """if (allocated(x)) statement: the array, whether it is to be there, the statement."""
    if not isinstance(one, s.If) or isinstance(one, s.Where) or len(one.arms) != 1:
        return None
    arm = one.arms[0]
    e, there = arm.condition, True
    if isinstance(e, Unary) and e.operator == ".not.":
        e, there = e.operand, False
    if not isinstance(e, Apply) or e.base != Name("allocated") or len(e.arguments) != 1:
        return None
    body = [x for x in arm.body if not isinstance(x, s.Continue)]
    if (
        len(body) != 1
        or allocated.local(b, e.arguments[0]) is None
        or any(x.label for x in arm.body)
    ):
        return None
    inner = body[0]
    return (e.arguments[0].root, there, inner) if isinstance(inner, s.Unread) else None


def listed_in(b: Body, one: s.Unread) -> tuple[list[Apply], Expression | None]:
    """The arrays of an allocate and its stat; none where it is not of such arrays alone."""
    found, stat = [], None
    for item in _arguments(one):
        if isinstance(item, Keyword) and item.name == "stat":
            stat = item.value
        elif isinstance(item, Apply) and allocated.local(b, item.base) is not None:
            found.append(item)
        else:
            return [], None
    return found, stat


def freed(b: Body, one: s.Unread) -> list[str]:
    """The arrays of a deallocate."""
    found = list(_arguments(one))
    if not all(allocated.local(b, item) is not None for item in found):
        return []
    names = [item.root for item in found]
    for name in names:
        b.certain.discard(name)
    return names


def _arguments(one: s.Unread) -> Sequence[Expression]:
    whole = memory_of(one)
    return () if whole is None else whole.arguments


def shaped(b: Body, item: Apply, one: s.Statement) -> None:
    """allocate (x(2:n))."""
    found = []
    for bound in item.arguments:
        first: Expression | None = None
        last = bound
        if isinstance(bound, Section):
            if bound.upper is None or bound.stride is not None:
                b.refuse("allocate", f"the bounds of {item.root} cannot be read")
            first, last = bound.lower, bound.upper
        lower = known(b, item, first) if first else integer(1)
        upper = known(b, item, last)
        extent = int(upper.number or 0) - int(lower.number or 0) + 1
        found.append(Dim(lower, integer(max(extent, 0))))
    given(b, item.root, tuple(found), one)


def known(b: Body, item: Apply, e: Expression) -> Value:
    v = expressions.scalar(b, e)
    if not isinstance(v.number, int) or v.type != "integer":
        b.refuse(f"allocatable {item.root}",
                 f"its shape is not known when the kernel is built: {v.text} is in it",
                 lacking.asked(e, b))  # fmt: skip
    return integer(v.number)


def given(b: Body, name: str, found: tuple[Dim, ...], one: s.Statement) -> None:
    if any(extent <= 0 for _, extent in _numbers(found)):
        b.refuse(f"allocatable {name}", "it gets no elements here")
    before = b.allocated.setdefault(name, found)
    if _numbers(before) != _numbers(found):
        b.refuse(f"allocatable {name}", f"it gets the shape {_text(found)} here and "
                 f"{_text(before)} above", "make it two arrays")  # fmt: skip
    symbol = b.scope.find(name)
    assert symbol is not None and symbol.dimensions is not None
    if len(found) != len(symbol.dimensions):
        b.refuse(f"allocatable {name}", f"it has {len(symbol.dimensions)} dimensions")
    loops = (x for x in s.walk(b.unit.body) if isinstance(x, s.Do))
    if outermost(b, one) and not any(_frees(x, name) for d in loops for x in s.walk(d.body)):
        b.certain.add(name)


def whole(b: Body, one: s.Assignment) -> s.Assignment:
    """x = e: it gets the shape of an array."""
    name = one.target.root
    e = one.value
    if allocated.local(b, one.target) is None or not arrays.rank(b, e):
        return one
    if not isinstance(e, ArrayConstructor):
        e = transforms.prepared(b, e, name)
    shape = arrays.shape(b, e)
    if not all(isinstance(extent.number, int) for extent in shape):
        b.refuse(f"allocatable {name}", "as a whole it gets the shape of the right side, which is "
                 "not known when the kernel is built", f"{name}(:) = ...")  # fmt: skip
    lowers = [1] * len(shape)
    if not isinstance(e, ArrayConstructor) and (source := designators.find(b, e)) is not None:
        lowers = [int(n) if isinstance(n := dim.lower.number, int) else 0 for dim in source.dims]
    before = b.allocated.get(name)
    first = tuple(1 for _ in shape) if before is None else tuple(_first(d) for d in before)
    # Bounds stay where the shape does; those that it would get otherwise have to be the same.
    if tuple(lowers) != first and not (before and name in b.certain):
        b.refuse(f"allocatable {name}", "whether it gets the first subscripts of the right side "
                 "is known at run time alone", f"{name}(:) = ...")  # fmt: skip
    found = tuple(
        Dim(integer(low), integer(int(extent.number or 0)))
        for low, extent in zip(first, shape, strict=True)
    )
    given(b, name, found, one)
    return replace(one, value=e)


# ---- Sizes


def size(b: Body, one: s.Assignment) -> bool:
    """n = size(a): a number for all that follows, where no other statement gives n a value and the
    procedure has allocatable arrays."""
    if not isinstance(one.target, Name) or not outermost(b, one):
        return False
    name = one.target.id
    symbol = b.scope.find(name)
    if symbol is None or symbol.storage != LOCAL or symbol.scope is not b.scope:
        return False
    if (symbol.type, symbol.kind) != ("integer", 4) or symbol.dimensions is not None:
        return False
    if symbol.attributes or not any(allocated.local(b, Name(d.name)) for d in b.unit.declarations):
        return False
    if isinstance(one, s.PointerAssignment) or arrays.rank(b, one.value):
        return False
    others = [x for x in b.port.body_of(b.unit, b.context.absent) if x is not one]
    if name in b.port.intents.of_body(b.unit, others):
        return False
    unread = [x.text for x in s.walk(others) if isinstance(x, s.Unread)]
    if any(re.search(rf"\bstat\s*=\s*{name}\b", text, re.I) for text in unread):
        return False
    if any(isinstance(part, Apply) and not _sized(part) for part in one.value.walk()):
        return False
    v = expressions.scalar(b, one.value)
    if not isinstance(v.number, int) or v.type != "integer":
        return False
    b.counters[name] = integer(v.number)
    return True


def _sized(e: Apply) -> bool:
    return asks_bounds(e.reference) or of_integers(e.reference)


def outermost(b: Body, one: s.Statement) -> bool:
    """Whether every call comes to a statement, but for points that have returned."""
    body = b.port.body_of(b.unit, b.context.absent)
    if not any(one is x for x in body):
        return False
    return not any(isinstance(x, s.Goto | s.ComputedGoto | s.ArithmeticIf) for x in s.walk(body))


def _frees(one: s.Statement, name: str) -> bool:
    return (
        isinstance(one, s.Unread) and one.construct == "deallocate" and allocated.gives(one, name)
    )


def _first(dim: Dim) -> int:
    return int(dim.lower.number or 0)


def _numbers(found: Sequence[Dim]) -> list[tuple[int, int]]:
    return [(_first(dim), int(dim.extent.number or 0)) for dim in found if dim.extent is not None]


def _text(found: Sequence[Dim]) -> str:
    def words() -> Iterator[str]:
        for low, extent in _numbers(found):
            yield f"{low}:{low + extent - 1}" if low != 1 else str(extent)

    return f"({', '.join(words())})"
