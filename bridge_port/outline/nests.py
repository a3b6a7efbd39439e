"""`outline`: a loop nest of a program unit becomes procedures of one point."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from bridge.plan.fringe import AXES
from bridge_port.kernel import PointProcedure
from bridge_port.outline.accesses import Accesses
from bridge_port.outline.afterwards import read_afterwards
from bridge_port.outline.arraystatements import put_loops
from bridge_port.outline.axes import Axes
from bridge_port.outline.calls import Effects
from bridge_port.outline.carried import Carried, put_line
from bridge_port.outline.conforming import check_shapes
from bridge_port.outline.definition import Definition
from bridge_port.outline.distribution import Distribution
from bridge_port.outline.elements import element_notes
from bridge_port.outline.hulls import put_hulls
from bridge_port.outline.indices import put_constants, put_indices, put_statement_functions
from bridge_port.outline.jumpsback import check_labels
from bridge_port.outline.leaves import Leaf, leaves_of
from bridge_port.outline.loops import find_axes
from bridge_port.outline.margins import check_margins
from bridge_port.outline.nest import Nest
from bridge_port.outline.ownfunctions import check_functions
from bridge_port.outline.paths import put_paths, put_pointers
from bridge_port.outline.presence import put_presence
from bridge_port.outline.procedures import Builder
from bridge_port.outline.region import Region, directives, region
from bridge_port.outline.setting import Setting
from bridge_port.outline.tablesubscripts import TableSubscripts
from bridge_port.outline.touched import touched
from bridge_port.outline.unread import refuse
from bridge_port.outline.unrolling import unroll
from bridge_port.outline.views import Irregular, Views, check_views, view_text
from bridge_port.program.symbols import Units
from bridge_port.refusal import Place, Refused, in_words_of_the_source
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.statements import Do, PointerAssignment, Statement, Unread, walk
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Unit

__all__ = ["directives", "outline"]


def outline(
    program: Units,
    unit: Unit,
    first_line: int = 0,
    last_line: int = 0,
    *,
    name: str,
    axes: Mapping[str, int | str] | None = None,
    private: frozenset[str] = frozenset(),
    constants: Mapping[str, int] | None = None,
    presence: Mapping[str, bool] | None = None,
) -> list[PointProcedure]:
    """The nest of these lines, in the order in which its procedures have to run; of the whole
    body where no lines are given.

    name: of the procedure, with numbers behind it where there are several; axes: variable of a
    loop -> 0, 1, 2 or x, y, z, for all loops over points, where the order of subscripts does not
    say it; private: scalars and arrays whose values nobody reads after the nest; constants:
    integers that have one value in every run; presence: of optional arguments of the unit, whether
    they are given. Refused by file and line.
    """
    made: dict[str, str] = {}
    with in_words_of_the_source(lambda: made):
        return _outlined(
            program, unit, first_line, last_line, name, axes, private, constants or {},
            presence or {}, made,
        )  # fmt: skip


def _outlined(
    program: Units, unit: Unit, first_line: int, last_line: int, name: str,
    axes: Mapping[str, int | str] | None, private: frozenset[str], constants: Mapping[str, int],
    presence: Mapping[str, bool], made: dict[str, str],
) -> list[PointProcedure]:  # fmt: skip
    """made: gets the names that stand for something else of the source."""
    found = region(unit, first_line, last_line)
    _check_unit(unit, found)
    check_functions(program.scope(unit), found.statements)
    statements = copy.deepcopy(found.statements)
    known = put_presence(program.scope(unit), unit, statements, found, presence)
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
    private = frozenset(own.get(one, one) for one in private)
    constants = {own.get(one, one): n for one, n in constants.items()}
    setting = Setting(program, unit, program.scope(unit), dict(constants))
    put_constants(statements, setting)
    looped = put_loops(setting, statements)
    unit = looped.unit
    setting = Setting(program, unit, program.scope(unit), dict(constants))
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
    given = None if axes is None else {v: _axis(a) for v, a in axes.items()}
    for variable in given or ():
        if all(loop.variable != variable for loop in views.loops):
            raise Refused(found.place, f"axis of {variable}", "no loop of the nest has it")
    while True:
        copied = copy.deepcopy(statements)
        views.put(copied)
        try:
            try:
                outlined = _procedures(nest.anew(), copied, given, found.place, name)
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
    from bridge.errors import ArgumentError

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
