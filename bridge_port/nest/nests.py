"""`outline`: a loop nest of a program unit becomes procedures of one point."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bridge.errors import ArgumentError
from bridge.plan.fringe import AXES
from bridge_port.analysis.accesses import Access, Accesses, refuse
from bridge_port.analysis.affine import Affine
from bridge_port.analysis.effects import Effects
from bridge_port.analysis.exposed import Definition
from bridge_port.analysis.liveout import read_afterwards
from bridge_port.analysis.region import Region, region
from bridge_port.analysis.setting import Setting
from bridge_port.choices import NOTHING_SAID, Choices
from bridge_port.kernel import PointProcedure
from bridge_port.nest.arraystatements import put_loops
from bridge_port.nest.boundingbox import check_margins, put_hulls
from bridge_port.nest.components import element_notes, put_paths, put_pointers
from bridge_port.nest.fission import Distribution
from bridge_port.nest.leaves import Leaf, leaves_of
from bridge_port.nest.nest import Nest
from bridge_port.nest.pointloops import Axes, find_axes
from bridge_port.nest.presence import put_presence
from bridge_port.nest.procedures import Builder
from bridge_port.nest.scalarexpansion import Carried, put_line
from bridge_port.nest.subscripts import (
    TableSubscripts,
    put_constants,
    put_indices,
    put_statement_functions,
    unroll,
)
from bridge_port.nest.views import Irregular, Views, check_views, view_text
from bridge_port.nest.wholearrays import check_shapes
from bridge_port.program.symbols import Scope, Units
from bridge_port.refusal import NOWHERE, Place, Refused, in_words_of_the_source
from bridge_port.syntax.expressions import Expression, Name, Section
from bridge_port.syntax.statements import (
    ArithmeticIf,
    ComputedGoto,
    Do,
    Goto,
    PointerAssignment,
    Statement,
    Unread,
    walk,
)
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Unit

# ---- Labels that a statement goes back to -------------------------------------------------------


def check_labels(body: Sequence[Statement]) -> None:
    """Refused where a statement goes backwards: nothing can be followed there."""
    seen: set[str] = set()
    for s in walk(body):
        if s.label:
            seen.add(s.label)
        labels = (
            (s.target,)
            if isinstance(s, Goto)
            else (s.targets if isinstance(s, ComputedGoto | ArithmeticIf) else ())
        )
        for label in labels:
            if label in seen:
                raise Refused(
                    s.place or NOWHERE, f"goto backwards to {label}", "", "write it as do while"
                )


# ---- Functions of the program that have names of the language, which an outline looks into or
# puts in: `sum(a)` is a loop, `s = max(s, a(i))` a maximum of all points

#: What stands in nests.
_READ = frozenset(
    """sum maxval minval any all count dot_product max min amax1 dmax1 max0 amin1 dmin1 min0
    spread transpose merge size lbound ubound shape huge tiny mod modulo abs iabs allocated
    associated""".split()
)
#: What an outline writes.
_WRITTEN = ("max", "min", "int", "real", "dble", "size", "lbound", "ubound", "huge", "tiny")


def check_functions(scope: Scope, statements: Sequence[Statement]) -> None:
    """Refused where one of them is a procedure of the program."""
    for s in walk(statements):
        named = {name for e in s.expressions() for name in e.applied}
        for name in sorted(named & _READ):
            if _is_own(scope, name) or scope.specifics(name):
                raise _refused(s, name)
    for name in _WRITTEN:
        if statements and _is_own(scope, name):
            raise _refused(statements[0], name)


def _is_own(scope: Scope, name: str) -> bool:
    symbol = scope.find(name)
    if symbol is not None and symbol.dimensions is not None:
        return False
    return (
        scope.as_written(name) is not None
        or name in scope.unit.bodies
        or (symbol is not None and bool(symbol.attributes & {"external"}))
    )


def _refused(s: Statement, name: str) -> Refused:
    return Refused(
        s.place,
        f"function {name}",
        "a procedure of the program has the name of a function of the language that loops are "
        "made of",
        "give it another name",
    )


# ---- Components whose number only a run knows: those that the nest touches are those of the
# kernel
#
#     real(8), allocatable :: w(:, :, :, :)        p(i, j, k) = w(i, j, k, 5)*...
#
# Nothing in the declaration says how many components w has. The subscripts of the nest do: where
# each of them is a number, or runs over numbers, the array has these components in the kernel,
# from the first to the last. `bind` asks whether they are there. Components that stand in front
# of the points lie between two points in memory: there have to be as many as the kernel has.

#: First and last subscript.
Range = tuple[int, int]


def touched(
    setting: Setting,
    accesses: Sequence[Access],
    dimensions: dict[str, tuple[int | None, ...]],
) -> dict[str, dict[int, Range]]:
    """Of arrays with points, the range of each dimension of components that is declared as `:`;
    none of one with a subscript that is not known. dimensions: as Axes has them."""
    found: dict[str, dict[int, Range]] = {}
    accesses = [one for one in accesses if not any(_is_empty(setting, d) for d in one.loops)]
    unknown: set[tuple[str, int]] = set()
    for access in accesses:
        symbol = setting.find(access.array)
        declared = symbol.dimensions if symbol is not None else None
        for n, axis in enumerate(dimensions.get(access.array, ())):
            if axis is not None or declared is None or not declared[n].deferred:
                continue
            one = _range(setting, access, n)
            if one is None:
                unknown.add((access.array, n))
                continue
            its = found.setdefault(access.array, {})
            low, high = its.get(n, one)
            its[n] = min(low, one[0]), max(high, one[1])
    for array, n in unknown:
        found.get(array, {}).pop(n, None)
    return found


def _is_empty(setting: Setting, loop: Do) -> bool:
    """Whether a loop has no rounds."""
    if loop.first is None or loop.last is None or loop.step is not None:
        return False
    rounds = (setting.affine(loop.last) - setting.affine(loop.first)).constant
    return rounds is not None and rounds < 0


def _range(setting: Setting, access: Access, n: int) -> Range | None:
    """Of one subscript. An element that is passed to an array is the first of a sequence, whose
    end it does not say."""
    if access.subscripts is None:
        return None
    subscript = access.subscripts[n]
    if isinstance(subscript, Section):
        if subscript.lower is None or subscript.upper is None or subscript.stride is not None:
            return None
        ends = [_values(setting, e, access.loops) for e in (subscript.lower, subscript.upper)]
        if ends[0] is None or ends[1] is None or ends[0][0] > ends[1][1]:
            return None
        return ends[0][0], ends[1][1]
    if access.rank and not any(isinstance(one, Section) for one in access.subscripts):
        return None
    return _values(setting, subscript, access.loops)


def _values(setting: Setting, e: Expression, loops: Sequence[Do]) -> Range | None:
    """The numbers that an expression of indices of loops may have."""
    place: Affine = setting.affine(e)
    low = high = place.number
    for term, factor in place.terms:
        around = [one for one in loops if term == Name(one.variable)]
        if not around:
            return None
        loop = around[-1]
        assert loop.first is not None and loop.last is not None
        first, last = setting.affine(loop.first).constant, setting.affine(loop.last).constant
        if first is None or last is None:
            return None
        low += min(factor * first, factor * last)
        high += max(factor * first, factor * last)
    return low, high


def outline(
    program: Units,
    unit: Unit,
    first_line: int = 0,
    last_line: int = 0,
    *,
    name: str,
    said: Choices = NOTHING_SAID,
) -> list[PointProcedure]:
    """The nest of these lines, in the order in which its procedures have to run; of the whole
    body where no lines are given.

    name: of the procedure, with numbers behind it where there are several. Refused by file and
    line.
    """
    made: dict[str, str] = {}
    with in_words_of_the_source(lambda: made):
        return _outlined(program, unit, region(unit, first_line, last_line), name, said, made)


def _outlined(
    program: Units, unit: Unit, found: Region, name: str, said: Choices, made: dict[str, str]
) -> list[PointProcedure]:
    """made: gets the names that stand for something else of the source."""
    _check_unit(unit, found)
    check_functions(program.scope(unit), found.statements)
    statements = copy.deepcopy(found.statements)
    known = put_presence(program.scope(unit), unit, statements, found, said.presence)
    put_pointers(program.scope(unit), statements, found.later)
    for s in walk(statements):
        if isinstance(s, PointerAssignment):
            raise Refused(
                s.place, "pointer assignment", "two names for one memory",
                "only u => v before the loops is followed, v as a whole",
            )  # fmt: skip
        if isinstance(s, Unread):
            refuse(s)
    check_labels(statements)
    paths = put_paths(program, unit, statements, found.later)
    unit = paths.unit
    made |= {one: expression_text(e) for one, e in paths.designators.items()}
    own = {text: one for one, text in made.items()}
    private = frozenset(own.get(one, one) for one in map(str.lower, said.private))
    constants = {own.get(one, one): n for one, n in said.integers.items()}
    setting = Setting(program, unit, program.scope(unit), dict(constants), species=said.species)
    put_constants(statements, setting)
    looped = put_loops(setting, statements)
    unit = looped.unit
    setting = replace(setting, unit=unit, scope=program.scope(unit))
    put_statement_functions(statements, setting)
    effects = Effects(setting, Definition)
    seen_later = read_afterwards(setting, effects, found)
    unroll(statements, setting, effects, seen_later)
    put_indices(statements, setting, effects, seen_later)
    put_hulls(setting, statements)
    views = Views(setting, effects, statements)
    carried: list[Carried] = []
    places = TableSubscripts(setting, effects, views.names)
    nest = Nest(setting, effects, Axes(setting), private)
    nest.seen_later, nest.changed = seen_later, effects.written(statements)
    check_shapes(looped.conforming, statements, nest.changed)
    given = {v: _axis(a) for v, a in said.axes.items()}
    for variable in given:
        if all(loop.variable != variable for loop in views.loops):
            raise Refused(found.place, f"axis of {variable}", "no loop of the nest has it")
    while True:
        copied = copy.deepcopy(statements)
        views.put(copied)
        try:
            try:
                outlined = _procedures(nest.anew(), copied, given or None, found.place, name)
            finally:
                made |= {one: view_text(view) for one, view in setting.views.items()}
                made |= setting.lines
        except Irregular as one:
            irregular = one
        except Carried as one:
            carried.append(one)
            if not put_line(setting, effects, statements, one, found.around, views.names):
                raise carried[0] from None
            setting.views.clear()
            views = Views(setting, effects, statements)
            continue
        except Refused:
            if carried:
                raise carried[0] from None
            raise
        else:
            for procedure in outlined:
                procedure.named = _named(procedure, made)
                procedure.paths, procedure.firsts = paths.designators, looped.firsts
                procedure.conforming = looped.conforming
                procedure.beginnings = looped.beginnings
                procedure.presence = known
                procedure.elements = paths.elements
                procedure.notes = (*procedure.notes, *element_notes(procedure))
            return outlined
        try:
            views.add(irregular, copied)
        except Refused:
            if not places.put(statements, irregular.access):
                if carried:
                    raise carried[0] from None
                raise
            setting.views.clear()
            views = Views(setting, effects, statements)


def _named(procedure: PointProcedure, made: Mapping[str, str]) -> dict[str, str]:
    """What its dummies stand for."""
    arrays = {dummy: use.name for dummy, use in procedure.arrays.items()}
    named = {dummy: arrays[one.array] for dummy, one in procedure.neighbours.items()}
    named |= arrays | {one.argument: one.variable for one in procedure.reductions}
    return {one: made.get(name, name) for one, name in ({n: n for n in made} | named).items()}


def _procedures(
    nest: Nest,
    statements: list[Statement],
    given: Mapping[str, int] | None,
    place: Place,
    name: str,
) -> list[PointProcedure]:
    """Of a copy of the region, which is changed."""
    setting = nest.setting
    accesses = list(Accesses(setting, nest.effects).of(statements))
    loops = [s for s in walk(statements) if isinstance(s, Do)]
    nest.axes = find_axes(setting, accesses, loops, given)
    setting.touched = touched(setting, accesses, nest.axes.dimensions)
    check_margins(nest, statements, accesses)
    for loop in loops:
        if nest.axes.is_point(loop) and loop.variable in nest.seen_later - nest.private:
            raise Refused(
                loop.place,
                f"loop variable {loop.variable}",
                "its value is read after the loops",
                f"say --private {loop.variable} if that value does not count",
            )
    kept = Distribution(nest, leaves_of(statements, nest.axes)).run()
    if not kept:
        raise Refused(place, "nest", "it writes no array of points and reduces nothing")
    _check_indices(nest, kept, loops)
    own = {*nest.promoted, *(one for names in nest.own.values() for one in names)}
    check_views(setting.views, nest.axes.dimensions, own, nest.effects.written(statements), place)
    names = [name] if len(kept) == 1 else [f"{name}_{n}" for n, _ in enumerate(kept, 1)]
    return [Builder(nest, leaf, one).procedure() for leaf, one in zip(kept, names, strict=True)]


def _check_indices(nest: Nest, leaves: Sequence[Leaf], loops: Sequence[Do]) -> None:
    """What a loop over points leaves in its variable is the value of no point."""
    variables = {loop.variable for loop in loops if nest.axes.is_point(loop)}
    for leaf in leaves:
        own = {loop.variable for loop in (*leaf.points, *leaf.path) if isinstance(loop, Do)}
        for name in sorted(variables - own):
            read = Definition(nest.setting, nest.effects, name, leaf.wrapped()).exposed
            if read is not None:
                raise Refused(
                    read,
                    f"loop variable {name}",
                    "it is read outside of its loop over points",
                    "give the value that the loop leaves in it a name of its own",
                )


def _axis(axis: int | str) -> int:
    if axis in AXES:
        return AXES.index(axis)
    if axis in (0, 1, 2):
        return int(axis)
    raise ArgumentError("axes", repr(axis), "0, 1, 2 or x, y, z")


def _check_unit(unit: Unit, found: Region) -> None:
    names = {name for s in walk(found.statements) for e in s.expressions() for name in e.names}
    names |= {s.variable for s in walk(found.statements) if isinstance(s, Do)}
    for group, place in unit.equivalences:
        for member in group:
            for e in member.walk():
                if isinstance(e, Name) and e.id in names:
                    raise Refused(
                        place,
                        f"equivalence of {e.id}",
                        "two names for one memory",
                        "declare arrays of their own",
                    )
