"""A leaf as a procedure of one point: its body with dummies for elements, its declarations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge_port.kernel import ANY, SUM, Loop, PointProcedure, Reduction, Temporary, View
from bridge_port.outline.accesses import Accesses, strided
from bridge_port.outline.affine import Affine
from bridge_port.outline.assumedsize import check_ends
from bridge_port.outline.calledfields import check_fields
from bridge_port.outline.carried import Carried
from bridge_port.outline.definition import Definition
from bridge_port.outline.dummies import Dummies
from bridge_port.outline.leaves import Leaf, leave_by_return
from bridge_port.outline.loops import or_components
from bridge_port.outline.nest import Nest, check_bounds, components
from bridge_port.outline.recurrences import Recurrences, way
from bridge_port.outline.scalars import check_integers, contribute, reductions_of
from bridge_port.outline.uses import Uses
from bridge_port.outline.views import view_text
from bridge_port.program.symbols import DUMMY, LOCAL, RESULT, SAVED, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.statements import walk
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Declaration, Dimension, TypeName, Unit


class Builder:
    """Of one leaf."""

    def __init__(self, nest: Nest, leaf: Leaf, name: str) -> None:
        self.nest, self.leaf, self.name = nest, leaf, name
        self.setting, self.effects, self.axes = nest.setting, nest.effects, nest.axes
        self.own = nest.own.get(id(leaf), frozenset())
        self.body = leaf.wrapped()
        leave_by_return(self.body)
        self.variables = {loop.variable: nest.axes.loops[id(loop)] for loop in leaf.points}
        self.reductions: list[Reduction] = []
        self.declarations: list[Declaration] = []
        self.private: set[str] = set()
        self.positions: dict[str, int] = {}
        self.notes: list[str] = []
        self.names = {
            e.id
            for s in walk(self.body)
            for x in s.expressions()
            for e in x.walk()
            if isinstance(e, Name)
        } | {self.name}

    def procedure(self) -> PointProcedure:
        self._own_values()
        accesses = list(Accesses(self.setting, self.effects).of(self.body, self.leaf.points))
        check_fields(self.setting, self.body, [*self.variables])
        self.uses = Uses(
            self.axes,
            accesses,
            self.leaf.points,
            self.body,
            self.nest.promoted,
            self.own,
            self.names,
            self.nest.changed,
        )
        found = Recurrences(self.axes, self.uses.loops, self.uses.conflicts)
        sweep = found.sweep(self.leaf.components, accesses)
        check_ends(self.setting, self.effects, self.uses, self.body, self.leaf.points)
        dummies = Dummies(self.nest, self.leaf, self.uses, self.variables)
        dummies.rewrite(self.body)
        self.positions = dummies.positions
        loops = self._loops()
        unit = self._unit()
        temporaries = {
            dummy: self.nest.temporaries[use.name]
            for dummy, use in self.uses.arrays.items()
            if use.name in self.nest.temporaries
        }
        views = {
            use.name: self.setting.views[use.name]
            for use in self.uses.arrays.values()
            if use.name in self.setting.views
        }
        self._note(loops, sweep, temporaries, views)
        return PointProcedure(
            self.name,
            unit,
            self.leaf.place,
            loops,
            self.uses.arrays,
            self.uses.neighbours,
            sweep,
            tuple(self.reductions),
            self._scalars(unit),
            frozenset(self.private),
            self.positions,
            temporaries,
            views,
            tuple(self.notes),
            self._unseen(),
            touched={
                use.name: self.setting.touched[use.name]
                for use in self.uses.arrays.values()
                if use.name in self.setting.touched
            },
        )

    def _unseen(self) -> frozenset[str]:
        names = {use.name for use in self.uses.arrays.values()} - self.nest.temporaries.keys()
        own = {n for n in names if self.setting.variable(n, self.leaf.place).storage == LOCAL}
        return frozenset(own - self.nest.seen_later)

    # ---- what is written without points -------------------------------------------------------

    def _own_values(self) -> None:
        """Scalars and work arrays: local to the point, or reduced."""
        written = self.effects.written(self.body)
        for name in sorted(written):
            if name in self.variables:
                raise Refused(self._place_of(name), f"loop variable {name}", "the body changes it")
            if self.nest.is_field(name) and name not in self.own:
                continue
            symbol = self.setting.variable(name, self._place_of(name))
            followed = Definition(self.setting, self.effects, name, self.body)
            # if (e) flag = .true. reads nothing, but what is left counts.
            flag = not followed.whole and reductions_of(self.body, name) is not None
            if followed.exposed is None and not flag:
                self._local(name, symbol)
            else:
                self._reduction(name, symbol, followed.exposed or self._place_of(name))

    def _place_of(self, name: str) -> Place:
        for s in walk(self.body):
            if name in self.effects.written([s]):
                return s.place
        return self.leaf.place

    def _local(self, name: str, symbol: Symbol) -> None:
        place = self._place_of(name)
        what = "array" if symbol.dimensions is not None else "scalar"
        if name not in self.nest.private:
            if symbol.storage != LOCAL and not self._begins_anew(symbol):
                where = f"{symbol.storage} {symbol.owner}".strip()
                raise Refused(
                    place,
                    f"{what} {name}",
                    f"its last value is seen outside ({where})",
                    f"say --private {name} if nobody reads it",
                )
            if name in self.nest.seen_later:
                raise Refused(
                    place,
                    f"{what} {name}",
                    "its value is read after the loops",
                    f"say --private {name} if that value does not count",
                )
        dimensions = None
        if symbol.dimensions is not None:
            self.private.add(name)
            kept = [
                n for n, axis in enumerate(self.axes.dimensions.get(name, ())) if axis is not None
            ]
            dimensions = self._components(symbol, kept, place)
        elif name in self.nest.private:
            self.private.add(name)
        kind = self.setting.type_name(symbol, place)
        self.declarations.append(Declaration(place, name, kind, dimensions))

    def _begins_anew(self, symbol: Symbol) -> bool:
        """Whether a saved variable is written before it is read in each call of its unit."""
        if symbol.storage != SAVED:
            return False
        try:
            body = self.setting.unit.body
            followed = Definition(self.setting, self.effects, symbol.name, body)
        except Refused:
            return False
        return followed.exposed is None

    def _reduction(self, name: str, symbol: Symbol, exposed: Place) -> None:
        found = None if name in self.own else reductions_of(self.body, name)
        if found is None:
            why = "it carries a value from point to point, and is no sum, minimum, maximum or any"
            change = or_components(
                self.setting,
                "write it before it is read at each point, or make it an array of the points",
                self.leaf.points,
            )
            if symbol.dimensions is None:
                raise Carried(exposed, name, frozenset(self.variables), why, change)
            for access in Accesses(self.setting, self.effects).of(self.body):
                if access.array == name and access.writes and strided(self.setting, access):
                    section = expression_text(access.node)
                    why += f"; which elements {section} in line {access.place.line} sets is open"
                    change = f"set them in a loop, or {change}"
                    break
            raise Refused(exposed, f"array {name}", why, change)
        first = found[0][1]
        if (symbol.type == "logical") != (first.operation == ANY):
            raise Refused(exposed, f"scalar {name}", f"no reduction of a {symbol.type}")
        if symbol.type == "integer":
            check_integers(self.setting, name, found)
        kind = self.setting.type_name(symbol, exposed)
        if symbol.type == "integer" and first.operation == SUM and symbol.kind > 4:
            self.notes.append(f"{name}: contributions of a point have 32 bits")
        argument = f"{name}_{first.operation}"
        while argument in self.names:
            argument += "_"
        self.names.add(argument)
        dimensions = None
        if symbol.dimensions is not None:
            dimensions = self._components(symbol, [], exposed)
        contribute(
            self.body,
            found,
            name,
            argument,
            (symbol.type, symbol.kind),
            symbol.dimensions is not None,
        )
        initial = self.nest.initial.get((id(self.leaf), name))
        self.reductions.append(
            Reduction(name, argument, first.operation, first.place, first.negated, initial)
        )
        self.declarations.append(Declaration(exposed, argument, kind, dimensions, intent="out"))

    # ---- the unit -----------------------------------------------------------------------------

    def _components(
        self, symbol: Symbol, points: Sequence[int], place: Place
    ) -> tuple[Dimension, ...] | None:
        """Dimensions but those of points; None of a scalar."""
        return components(self.setting, symbol, points, place)

    def _unit(self) -> Unit:
        place = self.leaf.place
        arguments: list[str] = []
        declared: list[Declaration] = []
        array_of = {dummy: use.name for dummy, use in self.uses.arrays.items()}
        order = [d for d in dict.fromkeys(self.uses.dummies.values()) if d not in self.own]
        for dummy in order:
            neighbour = self.uses.neighbours.get(dummy)
            key = neighbour.array if neighbour else dummy
            use = self.uses.arrays[key]
            symbol = self.setting.variable(array_of[key], place)
            kept = [n for n, a in enumerate(self.axes.dimensions[use.name]) if a is not None]
            dimensions = self._components(symbol, kept, place)
            written = use.written and neighbour is None
            intent = self._intent(dummy, symbol, kept) if written else "in"
            arguments.append(dummy)
            kind = self.setting.type_name(symbol, place)
            declared.append(Declaration(place, dummy, kind, dimensions, intent=intent))
        for name in sorted(self.positions):
            arguments.append(name)
            declared.append(Declaration(place, name, TypeName("integer", 4), intent="in"))
        for reduction in self.reductions:
            arguments.append(reduction.argument)
        unit = Unit("subroutine", self.name, place, arguments, comments=self._comments())
        own = [d if d.intent else _at(d, place) for d in self.declarations]
        unit.declarations = declared + [_at(d, place) for d in own]
        unit.implicit = self.setting.unit.implicit
        unit.body = self.body
        unit.parent = self.setting.unit
        return unit

    def _comments(self) -> tuple[str, ...]:
        comments = [text for loop in self.leaf.points for text in loop.comments]
        return tuple(text for text in comments if "$bridge" not in text.lower())

    def _intent(self, dummy: str, symbol: Symbol, points: Sequence[int]) -> str:
        known = self.setting.touched.get(symbol.name, {})
        bounds: list[tuple[Affine, Affine | None]] = [
            (Affine(known[n][0]), Affine(known[n][1])) if n in known else b
            for n, b in enumerate(self.setting.bounds(symbol))
            if n not in points
        ]
        followed = Definition(self.setting, self.effects, dummy, self.body, bounds=bounds)
        return "out" if followed.exposed is None and followed.whole else "inout"

    def _loops(self) -> tuple[Loop, ...]:
        loops = []
        changed = self.effects.written(self.body) | {*self.variables} | self.nest.changed
        for loop in self.leaf.points:
            assert loop.first is not None and loop.last is not None
            check_bounds(self.setting, loop, changed)
            backwards = way(self.setting, loop) < 0
            first, last = (loop.last, loop.first) if backwards else (loop.first, loop.last)
            axis = self.axes.loops[id(loop)]
            loops.append(Loop(axis, loop.variable, first, last, loop.place))
        for axis, plane in self.uses.planes.items():
            at = plane.expression
            loops.append(Loop(axis, "", at, at, self.uses.plane_places[axis]))
        return tuple(sorted(loops, key=lambda one: one.axis))

    def _scalars(self, unit: Unit) -> tuple[str, ...]:
        here = {d.name for d in unit.declarations}
        found: list[str] = []
        for s in walk(self.body):
            for e in s.expressions():
                for part in e.walk():
                    if not isinstance(part, Name) or part.id in here or part.id in found:
                        continue
                    symbol = self.setting.scope.find(part.id)
                    if symbol is None or symbol.dimensions is not None:
                        continue
                    if symbol.storage in (LOCAL, DUMMY, SAVED, RESULT):
                        found.append(part.id)
        return tuple(found)

    def _note(
        self,
        loops: Sequence[Loop],
        sweep: str,
        temporaries: Mapping[str, Temporary],
        views: Mapping[str, View],
    ) -> None:
        have = {loop.axis for loop in loops}
        for dummy, use in self.uses.arrays.items():
            lacking = [one.variable for one in loops if one.axis not in use.axes and one.variable]
            if use.name in views:
                written = "scattered after" if use.written else "gathered before"
                view = view_text(views[use.name])
                asked = ", which stops where two points are one element"
                self.notes.append(
                    f"{use.name} is {view}, {written} each run by a copy"
                    + (asked if views[use.name].asked and use.written else "")
                )
                continue
            if lacking and use.axes:
                self.notes.append(f"{use.name} has the same values along {', '.join(lacking)}")
            if dummy != use.name:
                self.notes.append(f"{dummy} is {use.name} at another plane")
        for temporary in temporaries.values():
            if temporary.scalar:
                what = f"keeps {temporary.scalar} for the next point"
            else:
                what = (
                    "is a work array of a line: the ported nest has one of all points in its place"
                )
            self.notes.append(f"{temporary.name} {what}")
        if sweep:
            self.notes.append(f"points along {sweep[0]} follow each other ({sweep})")
        if self.positions and have:
            self.notes.append("positions: " + ", ".join(sorted(self.positions)))


def _at(one: Declaration, place: Place) -> Declaration:
    """All declarations stand at one place, in the order of the list."""
    return Declaration(
        place, one.name, one.type, one.dimensions, one.attributes, one.intent, one.value
    )
