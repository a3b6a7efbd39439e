"""A leaf as a procedure of one point: its body with dummies for elements, its declarations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge_port.analysis.accesses import Access, Accesses, strided
from bridge_port.analysis.affine import Affine
from bridge_port.analysis.exposed import Definition
from bridge_port.analysis.setting import Setting
from bridge_port.kernel import ANY, SUM, Loop, PointProcedure, Reduction, Temporary, View
from bridge_port.nest.leaves import Leaf, leave_by_return
from bridge_port.nest.nest import Nest, check_bounds, components
from bridge_port.nest.pointloops import COMPONENTS, or_components
from bridge_port.nest.scalarexpansion import Carried
from bridge_port.nest.scalars import check_integers, contribute, reductions_of
from bridge_port.nest.uses import Recurrences, Uses, check_ends, components_of, way
from bridge_port.nest.views import view_text
from bridge_port.program.symbols import COMMON, DUMMY, LOCAL, MODULE, RESULT, SAVED, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import asks_array
from bridge_port.syntax.expressions import Apply, Expression, Keyword, Name, Section
from bridge_port.syntax.rewriting import replaced, rewrite_own
from bridge_port.syntax.statements import Call, Statement, walk
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Declaration, Dimension, TypeName, Unit

# ---- Arrays of points that a called procedure reads itself: its kernel would hold them as
# tables


def check_fields(setting: Setting, body: Sequence[Statement], points: Sequence[str]) -> None:
    """Refused where a call gets the index of a point, and subscripts an array of a module or of
    COMMON that may be one of points: it may have other values in each run. points: variables of
    the loops over points."""
    for s in walk(body):
        calls = [(s.procedure, s.arguments)] if isinstance(s, Call) else []
        for e in s.expressions():
            calls += [(one.base, one.arguments) for one in e.walk() if isinstance(one, Apply)]
        for base, arguments in calls:
            if not isinstance(base, Name) or setting.is_array(base.id):
                continue
            unit = setting.callee(base.id)
            given = [v for v in points if any(_bare(setting, a, v) for a in arguments)]
            if unit is None or not given:
                continue
            found = _field(setting, unit, set())
            if found:
                raise Refused(
                    s.place,
                    f"call of {unit.name} with the index {given[0]}",
                    f"it reads array {found} itself, and another run may have other values in it",
                    f"pass what it reads of {found} as arguments",
                )


def _bare(setting: Setting, e: Expression, variable: str) -> bool:
    """Whether the variable stands in it outside of subscripts of arrays."""
    if isinstance(e, Name):
        return e.id == variable
    if setting.is_element(e):
        return False
    return any(_bare(setting, part, variable) for part in e.parts())


def _field(setting: Setting, unit: Unit, seen: set[int]) -> str:
    """The first array of a module or of COMMON, not small along each dimension, that the
    procedure or one that it calls subscripts."""
    if id(unit) in seen:
        return ""
    seen.add(id(unit))
    scope = setting.program.scope(unit)
    for s in walk(unit.body):
        names = [s.procedure] if isinstance(s, Call) else []
        for e in s.expressions():
            names += [one.base for one in e.walk() if isinstance(one, Apply)]
        for base in names:
            if not isinstance(base, Name):
                continue
            symbol = scope.find(base.id)
            if symbol is not None and symbol.dimensions is not None:
                small = all(n is not None and n <= COMPONENTS for n in scope.extents(symbol))
                if symbol.storage in (MODULE, COMMON) and not small:
                    return base.id
                continue
            callee = scope.procedure(base.id)
            found = _field(setting, callee, seen) if callee is not None else ""
            if found:
                return found
    return ""


# ---- Dummies in the place of elements of arrays of points, in the body of a leaf ----------------


class Dummies:
    """variables: of the loops over points, and their axes; positions: those of them that the body
    reads."""

    def __init__(self, nest: Nest, leaf: Leaf, uses: Uses, variables: Mapping[str, int]) -> None:
        self.nest, self.uses, self.variables = nest, uses, variables
        self.setting, self.effects, self.axes = nest.setting, nest.effects, nest.axes
        self.points = leaf.points
        self.positions: dict[str, int] = {}

    def rewrite(self, body: Sequence[Statement]) -> None:
        for s in walk(body):
            if isinstance(s, Call):
                s.arguments = tuple(
                    self._passed(a, self.effects.of(s, n).rank, s.place)
                    if self._field(a)
                    else self._put(a, s.place)
                    for n, a in enumerate(s.arguments)
                )
            else:
                rewrite_own(s, lambda e, at=s.place: self._put(e, at))  # type: ignore[misc]

    def _field(self, e: Expression) -> bool:
        if isinstance(e, Keyword):
            return self._field(e.value)
        base = e.whole
        return isinstance(base, Name) and self.nest.is_field(base.id)

    def _put(self, e: Expression, place: Place) -> Expression:
        def put(one: Expression) -> Expression | None:
            if isinstance(one, Name) and one.id in self.variables:
                self.positions[one.id] = self.variables[one.id]
                return one
            if not isinstance(one, Apply) or not one.reference:
                return None
            name = one.reference
            if self.nest.is_field(name):
                return self._element(one, place)
            if not self.setting.is_array(name):
                return self._function(one, name, place)
            return None

        return replaced(e, put)

    def _function(self, e: Apply, name: str, place: Place) -> Expression | None:
        if asks_array(name):
            if any(self._field(a) for a in e.arguments):
                raise Refused(
                    place,
                    f"function {name}",
                    "of an array of points",
                    "set a scalar before the loops",
                )
            return e
        unit = self.setting.callee(name)
        if unit is None or not any(self._field(a) for a in e.arguments):
            return None
        ranks = [self.effects.on(unit, dummy).rank for dummy in unit.arguments]
        return Apply(
            e.base,
            tuple(
                self._passed(a, ranks[n], place)
                if self._field(a) and n < len(ranks)
                else self._put(a, place)
                for n, a in enumerate(e.arguments)
            ),
        )

    def _element(self, e: Apply, place: Place) -> Expression:
        dummy, components = self._dummy(e, place)
        return (
            Apply(Name(dummy), tuple(self._put(c, place) for c in components))
            if components
            else Name(dummy)
        )

    def _dummy(self, e: Apply, place: Place) -> tuple[str, list[Expression]]:
        array = e.reference
        vector = self.uses.vector(Access(array, e, True, False, place, self.points))
        return self.uses.dummies[array, vector], components_of(e, self.axes.dimensions[array])

    def _passed(self, e: Expression, rank: int, place: Place) -> Expression:
        """An argument: the element, a section of its components, or where a sequence begins."""
        if isinstance(e, Keyword):
            return Keyword(e.name, self._passed(e.value, rank, place))
        if not isinstance(e, Apply) or not e.reference:
            raise Refused(
                place, f"array {getattr(e, 'id', '')} as a whole", "a point has one element of it"
            )
        dummy, components = self._dummy(e, place)
        sections = [c for c in components if isinstance(c, Section)]
        if sections and all(c == Section(None, None, None) for c in components):
            return Name(dummy)
        if rank and not sections:
            return self._sequence(e, dummy, components, rank, place)
        return self._element(e, place)

    def _sequence(
        self, e: Apply, dummy: str, components: Sequence[Expression], rank: int, place: Place
    ) -> Expression:
        """q(1, i, j, k) where the dummy is an array: all components, which stand in front."""
        array = e.reference
        axes = self.axes.dimensions[array]
        bounds = self.setting.bounds(self.setting.variable(array, place))[:rank]
        front = all(axis is None for axis in axes[:rank]) and len(components) >= rank
        if not front or any(
            self.setting.affine(c) != low
            for c, (low, _) in zip(components[:rank], bounds, strict=True)
        ):
            raise Refused(
                place,
                f"argument {array}",
                "the sequence that begins at this element goes along points",
                "pass a section of the components",
            )
        if len(components) == rank:
            return Name(dummy)
        whole = (Section(None, None, None),) * rank
        rest = tuple(self._put(c, place) for c in components[rank:])
        return Apply(Name(dummy), (*whole, *rest))


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
        self.uses = Uses(self.nest, accesses, self.leaf.points, self.body, self.own, self.names)
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
