"""Which loops of a region are over points, and which axis each loop and each dimension is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bridge_port.analysis.accesses import Access, strided
from bridge_port.analysis.affine import Affine
from bridge_port.analysis.setting import Setting
from bridge_port.nest.views import FRINGE, GATHER, Irregular
from bridge_port.program.symbols import Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Apply, Expression, Name, Section
from bridge_port.syntax.statements import Assignment, Continue, Do, If, Statement, walk
from bridge_port.syntax.text import expression_text

# ---- Loops over points --------------------------------------------------------------------------
#
# A loop is over points where its variable subscripts arrays along dimensions that are not small;
# loops over components (few constant rounds, those of species, or a small dimension) stay in the
# body of a point.
# Where no loop is, a table is filled: the outer loops along what it writes are over points then.

#: A dimension of at most so many elements, and a loop of at most so many rounds, is one of
#: components unless the user says otherwise.
COMPONENTS = 16
#: Axes of points.
MOST = 3


def point_loops(
    setting: Setting,
    accesses: Sequence[Access],
    every: Sequence[Do],
    given: Mapping[str, int] | None,
) -> list[Do]:
    """Of a region with these accesses and loops; given: variable -> axis, from the user."""
    if given is not None:
        return [loop for loop in every if loop.variable in given]
    seen: dict[int, bool] = {}
    for access in accesses:
        symbol = setting.variable(access.array, access.place)
        for loop, small in _along(setting, access, _small(setting, symbol)):
            seen[id(loop)] = seen.get(id(loop), False) or small
    found = []
    for loop in every:
        if not loop.variable or loop.first is None or loop.last is None or id(loop) not in seen:
            continue
        if not seen[id(loop)] and not is_few(setting, loop.first, loop.last):
            found.append(loop)
    found = found or _of_tables(setting, accesses, every)
    # A scalar is kept in a line where its loop was one over points.
    return [
        loop for loop in every if id(loop) in {*map(id, found)} | _along_lines(setting, accesses)
    ]


def _along_lines(setting: Setting, accesses: Sequence[Access]) -> set[int]:
    its = [access for access in accesses if access.array in setting.lines]
    of_each = ((one, [False] * len(one.subscripts or ())) for one in its)
    return {id(loop) for one, small in of_each for loop, _ in _along(setting, one, small)}


def _small(setting: Setting, symbol: Symbol) -> list[bool]:
    """Of each dimension of an array, whether it is one of components by its extent."""
    found = []
    for low, high in setting.bounds(symbol):
        difference = None if high is None else high - low
        known = None if difference is None else difference.constant
        few = known is not None and known < COMPONENTS
        found.append(
            few or difference is not None and setting.of_species(difference, symbol.scope)
        )
    return found


def is_few(setting: Setting, first: Expression, last: Expression) -> bool:
    """Whether a loop has the rounds of one over components."""
    difference = setting.affine(last) - setting.affine(first)
    rounds = difference.constant
    return setting.of_species(difference) or rounds is not None and abs(rounds) < COMPONENTS


def _along(setting: Setting, access: Access, small: Sequence[bool]) -> Iterator[tuple[Do, bool]]:
    """The loops whose variables are in its subscripts, and whether these dimensions are small."""
    around = {loop.variable: loop for loop in access.loops}
    for subscript, one in zip(access.subscripts or (), small, strict=False):
        if isinstance(subscript, Section):
            continue
        for term, _ in setting.affine(subscript).terms:
            if isinstance(term, Name) and term.id in around:
                yield around[term.id], one


def is_small(setting: Setting, loop: Statement) -> bool:
    """Whether loops of few known rounds hold assignments alone: that is the work of one
    point, as the statements beside it, and no nest."""
    for one in walk([loop]):
        if isinstance(one, Do):
            if not one.variable or one.first is None or one.last is None:
                return False
            if not is_few(setting, one.first, one.last):
                return False
        elif not isinstance(one, Assignment | If | Continue):
            return False
    return True


def _of_tables(setting: Setting, accesses: Sequence[Access], every: Sequence[Do]) -> list[Do]:
    """Of a nest whose arrays have small dimensions alone along its loops: the outermost loops
    along what is written, and those that stand alone in them along the same arrays. None where
    all of it is the work of one point."""
    written: dict[int, set[str]] = {}
    for access in accesses:
        if access.writes:
            symbol = setting.variable(access.array, access.place)
            for loop, _ in _along(setting, access, _small(setting, symbol)):
                written.setdefault(id(loop), set()).add(access.array)
    inside = {id(one) for loop in every for one in walk(loop.body)}
    if all(is_small(setting, loop) for loop in every if id(loop) not in inside):
        return []
    found: list[Do] = []
    taken: set[int] = set()
    for loop in every:
        if id(loop) in taken or not written.get(id(loop)) or not _is_counted(loop):
            continue
        taken |= {id(one) for one in walk([loop])}
        chosen, arrays = [loop], written[id(loop)]
        while len(chosen) < MOST and (inner := _alone(chosen[-1])) is not None:
            if not arrays <= written.get(id(inner), set()) or not _is_counted(inner):
                break
            chosen.append(inner)
        found += chosen
    return found


def _is_counted(loop: Do) -> bool:
    return bool(loop.variable) and loop.first is not None and loop.last is not None


def _alone(loop: Do) -> Do | None:
    """What is all of its body."""
    body = [s for s in loop.body if not isinstance(s, Continue)]
    return body[0] if len(body) == 1 and isinstance(body[0], Do) else None


# ---- What is found: the loops over points, the axis of each, and of each dimension --------------

#: Of one subscript: the loop over points and the offset.
Point = tuple[Do, int]


@dataclass
class Axes:
    """loops: axis by identity of the loop; dimensions: of each array that is subscripted by
    points, the axis of each dimension, None for components."""

    setting: Setting
    loops: dict[int, int] = field(default_factory=dict)
    dimensions: dict[str, tuple[int | None, ...]] = field(default_factory=dict)

    def is_point(self, loop: object) -> bool:
        return id(loop) in self.loops

    def point(self, subscript: object, access: Access) -> Point | None:
        """Of a subscript var + c. None where no loop over points is in it; Refused where one is
        in another way."""
        return point_of(self.setting, subscript, access, self.loops)


def point_of(
    setting: Setting, subscript: object, access: Access, loops: Mapping[int, object]
) -> Point | None:
    """See Axes.point."""
    around = {loop.variable: loop for loop in access.loops if id(loop) in loops}
    if isinstance(subscript, Section):
        for part in subscript.parts():
            for e in part.walk():
                if isinstance(e, Name) and e.id in around:
                    raise _refused(access, subscript, loops, f"a section with the index {e.id}")
        return None
    place: Affine = setting.affine(subscript)  # type: ignore[arg-type]
    used = [name for name in around if place.mentions(name)]
    if not used:
        return None
    indirect = [
        t for t, _ in place.terms if isinstance(t, Apply) and not t.names.isdisjoint(around)
    ]
    for term in indirect:
        base = term.reference or "?"
        if base in ("mod", "modulo", "merge"):
            raise _refused(
                access,
                subscript,
                loops,
                "an index that wraps around",
                FRINGE,
            )
        raise _refused(
            access,
            subscript,
            loops,
            f"an indirect subscript by {base}",
            GATHER,
        )
    if len(used) > 1:
        raise _refused(
            access,
            subscript,
            loops,
            f"the indices {' and '.join(sorted(used))} in one subscript",
            "declare the array with a dimension for each",
        )
    name = used[0]
    if place.factor(name) != 1:
        why = (
            f"{name} has the factor {place.factor(name)}"
            if place.factor(name)
            else f"{name} is not added"
        )
        raise _refused(access, subscript, loops, why, "var, var + c and var - c are understood")
    rest = place.without(name)
    if rest.constant is None:
        what = expression_text(rest.expression)
        raise _refused(
            access,
            subscript,
            loops,
            f"its distance {what} is not a constant",
            "give the value with --value",
        )
    return around[name], rest.number


def _refused(
    access: Access, subscript: object, loops: Mapping[int, object], why: str, change: str = ""
) -> Irregular:
    text = expression_text(subscript)  # type: ignore[arg-type]
    construct = f"subscript {text} of {access.array}"
    return Irregular(access, frozenset(loops), construct, why, change)


# ---- Which axis each of them is, and each dimension ---------------------------------------------
#
# The first dimension of points of an array is x, the second y, the third z.


def find_axes(
    setting: Setting,
    accesses: Sequence[Access],
    every: Sequence[Do],
    given: Mapping[str, int] | None,
) -> Axes:
    """Of a region with these accesses and loops; given: variable -> axis, from the user."""
    points = point_loops(setting, accesses, every, given)
    if not points:
        place = every[0].place if every else accesses[0].place if accesses else None
        if place is None:
            raise Refused(setting.unit.place, "nest", "it has no loops and no arrays")
        why = "no variable of its loops subscripts an array along a dimension of points"
        change = "name the point loops with --axis"
        as_loops = "write it as loops over its points"
        if not every:
            for access in accesses:
                if what := strided(setting, access):
                    raise Refused(access.place, f"section {expression_text(access.node)}",
                                  f"{what} becomes no loop",
                                  as_loops if "negative" in what else "leave it out")  # fmt: skip
            why = "it has no loops, and this is no array statement that becomes loops"
            change = as_loops
        raise Refused(place, "nest", why, change)
    axes = Axes(setting)
    loops = {id(loop): loop for loop in points}
    space = _space(setting, accesses, loops)
    _order(setting, axes, accesses, loops, space, given)
    return axes


def _space(
    setting: Setting, accesses: Sequence[Access], loops: Mapping[int, Do]
) -> dict[str, list[bool]]:
    """Which dimensions of arrays are of points."""
    by_array: dict[str, list[Access]] = {}
    for access in accesses:
        by_array.setdefault(access.array, []).append(access)
    space: dict[str, list[bool]] = {}
    for array, its in by_array.items():
        symbol = setting.variable(array, its[0].place)
        rank = len(symbol.dimensions or ())
        found, sections = [False] * rank, [False] * rank
        for access in its:
            subscripts = access.subscripts
            if subscripts is None:
                sections = [True] * rank
                continue
            if len(subscripts) != rank:
                raise Refused(
                    access.place,
                    f"{array} with {len(subscripts)} subscripts",
                    f"it is declared with {rank}",
                )
            for n, subscript in enumerate(subscripts):
                if isinstance(subscript, Section):
                    sections[n] = True
                if point_of(setting, subscript, access, loops) is not None:
                    found[n] = True
        if not any(found):
            continue
        # A plane: constants along a dimension that is not small, while points have fewer axes.
        extents = setting.extents(symbol)
        for n, small in enumerate(_small(setting, symbol)):
            if symbol.dimensions is not None:
                known = extents[n] is not None or n == rank - 1 and symbol.dimensions[n].deferred
                small |= known and _counted(setting, its, n, loops)
            if not found[n] and not small and not sections[n] and sum(found) < 3:
                found[n] = True
        space[array] = found
    return space


def _counted(
    setting: Setting, accesses: Sequence[Access], n: int, loops: Mapping[int, Do]
) -> bool:
    """Whether a loop over components, which is none of these, runs over this dimension."""
    return any(
        setting.affine(access.subscripts[n]).mentions(loop.variable)
        for access in accesses
        if access.subscripts is not None and not isinstance(access.subscripts[n], Section)
        for loop in access.loops
        if id(loop) not in loops
    )


def _order(
    setting: Setting,
    axes: Axes,
    accesses: Sequence[Access],
    loops: Mapping[int, Do],
    space: Mapping[str, list[bool]],
    given: Mapping[str, int] | None,
) -> None:
    for array, found in space.items():
        if sum(found) > 3:
            most = max((a for a in accesses if a.array == array), key=lambda a: len(a.loops))
            raise Refused(
                most.place,
                f"array {array}",
                f"{sum(found)} of its dimensions are subscripted by loops over points",
                f"name three of them with --axis, or {asked_of(setting, most.loops[-1])}",
            )
    if given is not None:
        axes.loops = {n: given[loop.variable] for n, loop in loops.items()}
    else:
        _infer(setting, axes, accesses, loops, space)
    for array, found in space.items():
        axes.dimensions[array] = _dimensions(setting, axes, accesses, array, found)


def _infer(
    setting: Setting,
    axes: Axes,
    accesses: Sequence[Access],
    loops: Mapping[int, Do],
    space: Mapping[str, list[bool]],
) -> None:
    """Arrays of most dimensions first, of these what is written: they say most about the
    order."""
    unsettled: list[tuple[Access, list[Do | None]]] = []
    for access in sorted(accesses, key=lambda one: not one.writes):
        if access.array not in space or access.subscripts is None:
            continue
        if access.array in setting.views:
            # It has the order of the loops, whatever that is.
            continue
        row: list[Do | None] = []
        for n, subscript in enumerate(access.subscripts):
            if space[access.array][n]:
                found = point_of(setting, subscript, access, loops)
                row.append(None if found is None else found[0])
        unsettled.append((access, row))
    names = {loop.variable for loop in loops.values()}
    most = max((len(row) for _, row in unsettled), default=0)
    if most >= min(len(names), 3):
        for access, row in unsettled:
            if len(row) != most:
                continue
            for axis, loop in enumerate(row):
                if loop is None:
                    continue
                before = axes.loops.setdefault(id(loop), axis)
                if before != axis:
                    raise Irregular(
                        access,
                        frozenset(loops),
                        f"array {access.array}",
                        f"{loop.variable} subscripts dimension {axis + 1} of the points, "
                        f"and dimension {before + 1} in another array",
                        or_components(setting, "a transposition is no loop over points", [loop]),
                    )
    elif len(names) <= 3:
        order = _sorted_names(loops, [row for _, row in unsettled])
        axes.loops = {n: order.index(loop.variable) for n, loop in loops.items()}
    # Loops that no array of most dimensions has: by the axis of their name, else by what is free
    # beside them, the innermost loop first.
    for n, loop in reversed(list(loops.items())):
        if n in axes.loops:
            continue
        same = {
            axes.loops[m]
            for m, other in loops.items()
            if m in axes.loops and other.variable == loop.variable
        }
        if len(same) == 1:
            axes.loops[n] = same.pop()
            continue
        taken = {
            axes.loops[id(other)]
            for access in accesses
            for other in access.loops
            if loop in access.loops and id(other) in axes.loops
        }
        free = [axis for axis in range(3) if axis not in taken]
        if not free:
            raise Refused(
                loop.place,
                f"loop over {loop.variable}",
                "four loops over points",
                f"name three of them with --axis, or {asked_of(setting, loop)}",
            )
        axes.loops[n] = free[0]


def asked_of(setting: Setting, loop: Do) -> str:
    """What makes a loop one over components."""
    for bound in (loop.last, loop.first):
        for e in _given(setting, bound) if bound is not None else ():
            symbol = setting.find(e.id)
            if symbol is not None and symbol.type == "integer" and setting.known(e) is None:
                return f"give the number of components with --value {symbol.name}=N"
    return "give the number of components with --value"


def _given(setting: Setting, e: Expression) -> Iterator[Name]:
    """Names in an expression. To an element that is copied nobody can give a value."""
    if isinstance(e, Apply) and e.reference in setting.views:
        return
    if isinstance(e, Name):
        if e.id not in setting.views:
            yield e
        return
    for part in e.parts():
        yield from _given(setting, part)


def or_components(setting: Setting, change: str, loops: Sequence[Do]) -> str:
    """What to change, and what makes one of the loops one over components, innermost first."""
    for loop in reversed(loops):
        asked = asked_of(setting, loop)
        if asked.endswith("=N"):
            return f"{change}; if {loop.variable} goes over components, {asked}"
    return change


def _sorted_names(loops: Mapping[int, Do], rows: Sequence[Sequence[Do | None]]) -> list[str]:
    """Variables in the order of the dimensions that they subscript, inner loops first."""
    left = list(dict.fromkeys(loop.variable for loop in reversed(list(loops.values()))))
    before = {
        (a.variable, b.variable)
        for row in rows
        for n, a in enumerate(row)
        for b in row[n + 1 :]
        if a is not None and b is not None
    }
    order: list[str] = []
    while left:
        first = next(
            (v for v in left if not any((u, v) in before for u in left if u != v)), left[0]
        )
        left.remove(first)
        order.append(first)
    return order


def _dimensions(
    setting: Setting, axes: Axes, accesses: Sequence[Access], array: str, found: Sequence[bool]
) -> tuple[int | None, ...]:
    """The axis of each dimension; Refused where uses differ or the order is another one."""
    result: list[int | None] = [None] * len(found)
    place = None
    for access in accesses:
        if access.array != array or access.subscripts is None:
            continue
        place = place or access.place
        for n, subscript in enumerate(access.subscripts):
            at = axes.point(subscript, access) if found[n] else None
            if at is None:
                continue
            axis = axes.loops[id(at[0])]
            if result[n] is not None and result[n] != axis:
                raise Irregular(
                    access,
                    frozenset(axes.loops),
                    f"array {array}",
                    f"dimension {n + 1} is subscripted by loops of two axes",
                    or_components(setting, "name the axes of the loops with --axis", [at[0]]),
                )
            result[n] = axis
    assert place is not None
    planes = [n for n, is_space in enumerate(found) if is_space and result[n] is None]
    for n in planes:
        before = [a for a in result[:n] if a is not None]
        after = [a for a in result[n + 1 :] if a is not None]
        free = [
            a
            for a in range(3)
            if a not in before + after
            and (not before or a > max(before))
            and (not after or a < min(after))
        ]
        if not free:
            raise Refused(place, f"array {array}", f"no axis is left for its dimension {n + 1}")
        result[n] = free[0]
    order = [a for a in result if a is not None]
    if order != sorted(set(order)) and array not in axes.setting.views:
        raise Irregular(
            next(a for a in accesses if a.array == array and a.subscripts is not None),
            frozenset(axes.loops),
            f"array {array}",
            "its dimensions stand in another order than those of other arrays",
            "a transposition is no loop over points",
        )
    return tuple(result)
