"""Where arrays begin that stand beside each other as wholes, `old = tke`, and whose bounds only a
run knows: their elements belong together from the first one on.

An array that is free begins where the other one does. Where both have subscripts elsewhere in the
nest, they are taken to begin at the same one, which `bind` asks. Sections with a first subscript
of their own say nothing of that: nothing is taken then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bridge_port.kernel import Beginning
from bridge_port.outline.arrayelements import Elements, Whole
from bridge_port.outline.free import lower_bound
from bridge_port.refusal import Place
from bridge_port.syntax.expressions import Apply, Binary, Expression, Keyword, Name, Section, Unary
from bridge_port.syntax.statements import Assignment, PointerAssignment, Statement, Where, walk

#: A dimension of an array, from 1.
Key = tuple[str, int]
#: What stands along one dimension of a statement.
Row = list[tuple[Whole, int]]


@dataclass
class _Class:
    """Dimensions that begin together. own: those whose first subscript only a run knows; fixed:
    first subscripts of others; sections: whether one of these is a section's."""

    own: dict[Key, Place] = field(default_factory=dict)
    free: set[Key] = field(default_factory=set)
    fixed: set[Expression] = field(default_factory=set)
    sections: bool = False

    def join(self, other: _Class) -> None:
        self.own |= other.own
        self.free |= other.free
        self.fixed |= other.fixed
        self.sections |= other.sections


def take_beginnings(elements: Elements, statements: Sequence[Statement]) -> list[Beginning]:
    """`elements` has the first subscripts then; what bind has to ask."""
    classes: dict[Key, _Class] = {}
    for place, row in _rows(elements, statements):
        here = _class_of(elements, place, row)
        for key in [*here.own, *here.free]:
            before = classes.get(key)
            if before is not None and before is not here:
                here.join(before)
        for key in [*here.own, *here.free]:
            classes[key] = here
    found = []
    for one in {id(c): c for c in classes.values()}.values():
        first = _first(one)
        if first is None:
            continue
        elements.firsts |= dict.fromkeys(one.free, first)
        for key, place in one.own.items():
            if first != lower_bound(*key):
                elements.firsts[key] = first
                found.append(Beginning(*key, first, place))
    return found


def _first(one: _Class) -> Expression | None:
    """None where nothing can be taken, or nothing has to be."""
    if not one.own or one.sections or len(one.fixed) > 1:
        return None
    return next(iter(one.fixed), None) or lower_bound(*next(iter(one.own)))


def _class_of(elements: Elements, place: Place, row: Row) -> _Class:
    found = _Class()
    for whole, n in row:
        key = whole.array, n + 1
        section = whole.subscripts[n]
        if not isinstance(section, Section) or section.stride is not None:
            found.sections = True
            continue
        low, _ = elements.ends(whole, n)
        if section.lower is not None:
            found.sections = True
        elif key in elements.free:
            found.free.add(key)
        elif low == lower_bound(*key):
            found.own.setdefault(key, place)
        elif elements.setting.affine(low).constant is None:
            found.sections = True
        else:
            found.fixed.add(elements.setting.affine(low).expression)
    return found


# ---- Rows


def _rows(elements: Elements, statements: Sequence[Statement]) -> Iterator[tuple[Place, Row]]:
    for s in walk(statements):
        if isinstance(s, PointerAssignment):
            continue
        inside: list[list[Row]] = []
        if isinstance(s, Assignment):
            parts = [s.target, s.value]
        elif isinstance(s, Where):
            # Its masks and all in it have one shape.
            own = [x for x in walk([s]) if isinstance(x, Assignment)]
            parts = [arm.condition for x in walk([s]) if isinstance(x, Where) for arm in x.arms
                     if arm.condition is not None]  # fmt: skip
            parts += [e for x in own for e in (x.target, x.value)]
        else:
            continue
        inside.append(_joined([_of(elements, e, inside) for e in parts]))
        for rows in inside:
            for row in rows:
                yield s.place, row


def _of(elements: Elements, e: Expression, inside: list[list[Row]]) -> list[Row]:
    """What stands along each dimension of an expression; `inside` gets those of arrays in it that
    have a shape of their own."""
    whole = elements.whole(e)
    if whole is not None:
        return [[(whole, n)] for n in whole.sections]
    match e:
        case Unary(_, operand):
            return _of(elements, operand, inside)
        case Binary(_, left, right):
            return _joined([_of(elements, left, inside), _of(elements, right, inside)])
        case Keyword(_, value):
            return _of(elements, value, inside)
        case Apply(Name("transpose"), (matrix,)):
            return list(reversed(_of(elements, matrix, inside)))
        case Apply(base, arguments):
            rows = [_of(elements, a, inside) for a in arguments]
            if elements.rank(e) and base != Name("spread"):
                return _joined(rows)
            # A mask of a sum has the shape of what is added.
            inside.append(_joined(rows))
    return []


def _joined(parts: Sequence[list[Row]]) -> list[Row]:
    most = max((len(rows) for rows in parts), default=0)
    same = [rows for rows in parts if len(rows) == most]
    return [[one for rows in same for one in rows[n]] for n in range(most)]
