"""Array statements and reductions of whole arrays as the loops that they are (scalarisation)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from bridge_port.analysis.setting import Setting
from bridge_port.kernel import MAXIMUM, MINIMUM, SUM, Beginning, Conforming
from bridge_port.nest.pointloops import COMPONENTS, is_few
from bridge_port.nest.scalars import of_empty
from bridge_port.nest.wholearrays import (
    WHOLE,
    Elements,
    Extent,
    Whole,
    conforming,
    free_dimensions,
    put_first_subscripts,
    take_beginnings,
)
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import asks_array
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Expression,
    Keyword,
    Name,
    Number,
    Truth,
    Unary,
)
from bridge_port.syntax.rewriting import mentions
from bridge_port.syntax.statements import (
    Arm,
    Assignment,
    Continue,
    Do,
    If,
    PointerAssignment,
    Statement,
    Where,
    walk,
)
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Declaration, TypeName, Unit

# ---- Numbers of whole arrays, `s = sum(a)`, `s = max(s, maxval(a))`, as what loops add up -------

FUNCTIONS = frozenset({"sum", "maxval", "minval", "any", "all", "count", "dot_product"})
#: How a variable goes on from the value that it has.
_ONWARDS = {"sum": "+", "count": "+", "maxval": "max", "minval": "min"}


@dataclass(frozen=True)
class ArrayReduction:
    """name: of the function; target: the variable; value: the array; mask: of its elements; begun:
    whether the variable keeps the value that it has."""

    name: str
    target: Name
    value: Expression
    mask: Expression | None
    begun: bool

    def start(self, setting: Setting) -> Expression:
        """What no element changes."""
        if self.name in ("any", "all"):
            return Truth(self.name == "all")
        symbol = setting.scope.symbol(self.target.id)
        operation = {"maxval": MAXIMUM, "minval": MINIMUM}.get(self.name, SUM)
        return of_empty(operation, symbol.type, symbol.kind)

    def step(self, s: Assignment, element: Expression, mask: Expression | None) -> Statement:
        """What one element does."""
        made = self._step(s, element)
        return made if mask is None else If(s.place, arms=[Arm(mask, [made], s.place)])

    def _step(self, s: Assignment, element: Expression) -> Statement:
        target = self.target
        if self.name == "count":
            more = Assignment(s.place, target=target, value=Binary("+", target, Number("1")))
            return If(s.place, arms=[Arm(element, [more], s.place)])
        value: Expression
        if self.name == "sum":
            value = Binary("+", target, element)
        elif self.name in ("any", "all"):
            value = Binary(".or." if self.name == "any" else ".and.", target, element)
        else:
            value = Apply(Name(_ONWARDS[self.name]), (target, element))
        return Assignment(s.place, target=target, value=value)


def reduction(setting: Setting, s: Assignment) -> ArrayReduction | None:
    """What an assignment to a scalar is of a whole array; None of another one."""
    if not isinstance(s.target, Name):
        return None
    value, onwards = s.value, ""
    match value:
        case Binary("+", left, right) if left == s.target:
            value, onwards = right, "+"
        case Apply(Name("max" | "min" as name), (left, right)) if left == s.target:
            value, onwards = right, name
    if not isinstance(value, Apply) or value.reference not in FUNCTIONS:
        return None
    function, arguments = value.reference, list(value.arguments)
    if mentions(value, s.target.id):
        return None
    mask: Expression | None = None
    if function == "dot_product" and len(arguments) == 2:
        found = setting.scope.type_of(arguments[0])
        if found is None or found[0] not in ("real", "integer"):
            return None
        function, arguments = "sum", [Binary("*", arguments[0], arguments[1])]
    elif len(arguments) == 2 and isinstance(last := arguments[1], Keyword) and last.name == "mask":
        mask = last.value
        del arguments[1]
    if len(arguments) != 1 or isinstance(arguments[0], Keyword):
        return None
    if onwards and _ONWARDS.get(function) != onwards:
        return None
    if not _same_type(setting, function, s.target, arguments[0]):
        return None
    return ArrayReduction(function, s.target, arguments[0], mask, bool(onwards))


def _same_type(setting: Setting, function: str, target: Expression, value: Expression) -> bool:
    """Whether what is added up is added in the type of the result."""
    one, other = setting.scope.type_of(target), setting.scope.type_of(value)
    if function == "count":
        return bool(one and one[0] == "integer")
    return one is not None and one == other


# ---- Array statements along points become the loops that they are -------------------------------
#
# `a(:, j) = b(:, j - 1)` becomes a loop over the first subscript, whole arrays loops over all of
# them, `where` a loop with an if, `s = sum(a)` a loop that adds. Fortran computes the right side
# before it writes: where that reads elements of what is written, the loops run in the direction in
# which each of them is read before it is written, or the statement is refused (Allen and Kennedy
# 2001, chapter 13). Sections of few known elements are components of a point and stay.

_LETTERS = "ijklmno"


@dataclass(frozen=True)
class Looped:
    """unit: of the nest, or a copy that declares the variables of loops; firsts: of arrays and
    dimensions whose first subscript is another one now than that of the array; conforming:
    allocatable arrays that have to have the shape of what is assigned to them; beginnings: arrays
    that have to begin where others do."""

    unit: Unit
    firsts: dict[tuple[str, int], Expression] = field(default_factory=dict)
    conforming: tuple[Conforming, ...] = ()
    beginnings: tuple[Beginning, ...] = ()


def put_loops(setting: Setting, statements: list[Statement]) -> Looped:
    """In `statements` loops stand for array statements then."""
    found = _Loops(setting, statements)
    found.run(statements, ())
    free = found.free if found.declared else found.counted
    firsts = {key: found.elements.firsts.get(key, Number("1")) for key in free}
    place = statements[0].place
    made = [Declaration(place, name, TypeName("integer", 4)) for name in found.declared]
    unit = setting.unit
    if made:
        unit = replace(unit, declarations=[*unit.declarations, *made])
    return Looped(unit, firsts, tuple(found.conforming), tuple(found.beginnings))


def is_array_statement(setting: Setting, s: Statement) -> bool:
    """Whether loops would stand for it, outside of all loops."""
    one = [copy.deepcopy(s)]
    try:
        _Loops(setting, one).run(one, ())
    except Refused:
        return True
    return isinstance(one[-1], Do)


@dataclass
class _Loops:
    """declared: variables of loops, by their names; free, counted: dimensions that may begin
    anywhere, those with subscripts that count from the first one; conforming, beginnings: as
    Looped has them."""

    setting: Setting
    statements: Sequence[Statement]
    declared: dict[str, None] = field(default_factory=dict)
    conforming: dict[Conforming, None] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.free = free_dimensions(self.setting, self.statements)
        self.counted = put_first_subscripts(self.statements, self.free)
        self.elements = Elements(self.setting, self.statements, self.free)
        self.beginnings = take_beginnings(self.elements, self.statements)

    def run(self, body: list[Statement], around: tuple[Do, ...]) -> None:
        known = dict(self.elements.ends_of)  # what a body that may not run says, it says to itself
        n = 0
        while n < len(body):
            s = body[n]
            if s.label:
                self.elements.ends_of.clear()  # a jump may have left out what said so
            made = self._made(s, around)
            if made is None:
                inner = (*around, s) if isinstance(s, Do) else around
                for one in s.bodies():
                    self.run(one, inner)
                n += 1
                continue
            made[0].label, made[0].comments = s.label, s.comments
            body[n : n + 1] = made
            n += len(made)
        self.elements.ends_of = known

    def _made(self, s: Statement, around: tuple[Do, ...]) -> list[Statement] | None:
        if isinstance(s, PointerAssignment):
            return None
        if isinstance(s, Where):
            return self._where(s, around)
        if not isinstance(s, Assignment):
            return None
        if isinstance(s.target, Name) and not self.setting.is_array(s.target.id):
            return None if around else self._reduction(s)
        shape = self._shape(s.target, around)
        if shape is None:
            return None
        keeps = conforming(self.elements, s) if isinstance(s.target, Name) else None
        variables = self._variables(shape)
        target = self.elements.of(s.target, shape, variables)
        value = self.elements.of(s.value, shape, variables)
        if target is None or value is None:
            return None
        if keeps is not None:
            self.conforming[keeps] = None
        inner = Assignment(s.place, target=target, value=value)
        ways = self._ways(inner, target, [value], variables)
        return [self._looped([inner], shape, variables, ways, s.place)]

    # ---- where --------------------------------------------------------------------------------

    def _where(self, s: Where, around: tuple[Do, ...]) -> list[Statement] | None:
        """Its masks are those of the beginning: nothing but the own element may change."""
        first = next((one for one in walk([s]) if isinstance(one, Assignment)), None)
        shape = None if first is None else self._shape(first.target, around)
        if shape is None:
            return None
        variables = self._variables(shape)
        made = self._arms(s, shape, variables)
        if made is None:
            return None
        inside = list(walk([made]))
        written = {
            expression_text(one.target): one for one in inside if isinstance(one, Assignment)
        }
        for one in written.values():
            read = [
                e
                for other in inside
                for e in ([other.value] if isinstance(other, Assignment) else other.expressions())
            ]
            if any(self._ways(one, one.target, read, variables)):
                raise _both(s.place, _shown(one.target, variables))
        return [self._looped([made], shape, variables, [1] * len(variables), s.place)]

    def _arms(self, s: Where, shape: Sequence[Extent], variables: Sequence[str]) -> If | None:
        arms = []
        for arm in s.arms:
            condition = None
            if arm.condition is not None:
                condition = self.elements.of(arm.condition, shape, variables)
                if condition is None:
                    return None
            body: list[Statement] = []
            for one in arm.body:
                if isinstance(one, Continue):
                    body.append(one)
                    continue
                inner: Statement | None = None
                if isinstance(one, Where):
                    inner = self._arms(one, shape, variables)
                elif isinstance(one, Assignment):
                    target = self.elements.of(one.target, shape, variables)
                    value = self.elements.of(one.value, shape, variables)
                    if target is not None and value is not None:
                        inner = Assignment(
                            one.place, comments=one.comments, target=target, value=value
                        )
                if inner is None:
                    return None
                body.append(inner)
            arms.append(Arm(condition, body, arm.place, arm.comments))
        return If(s.place, arms=arms)

    # ---- reductions ---------------------------------------------------------------------------

    def _reduction(self, s: Assignment) -> list[Statement] | None:
        """A loop, behind what gives the variable its first value."""
        found = reduction(self.setting, s)
        shape = None if found is None else self._shape_of(found.value)
        if found is None or shape is None or any(one is None for one in shape):
            return None
        variables = self._variables(shape)
        element = self.elements.of(found.value, shape, variables)
        mask = None if found.mask is None else self.elements.of(found.mask, shape, variables)
        if element is None or (found.mask is not None and mask is None):
            return None
        inner = found.step(s, element, mask)
        loop = self._looped([inner], shape, variables, [1] * len(variables), s.place)
        if found.begun:
            return [loop]
        start = Assignment(s.place, target=s.target, value=found.start(self.setting))
        return [start, loop]

    def _shape_of(self, e: Expression) -> list[Extent] | None:
        """Of the first array in an expression that points go along."""
        for part in e.walk():
            if self.elements.rank(part) and self.elements.whole(part) is not None:
                shape = self._shape(part, ())
                if shape is not None:
                    return shape
        return None

    # ---- loops --------------------------------------------------------------------------------

    def _shape(self, e: Expression, around: tuple[Do, ...]) -> list[Extent] | None:
        """Of each section of an array what a loop runs over, None in the place of components;
        None where no section goes along points."""
        whole = self.elements.whole(e)
        if whole is None or not whole.sections:
            return None
        outside = all(self._few(loop) for loop in around)
        of_point = not outside and not any(
            mentions(sub, loop.variable) for sub in whole.subscripts for loop in around
        )
        shape: list[Extent] = []
        for n in whole.sections:
            extent = self.elements.extent(whole, n)
            if extent is None:
                return None
            count = extent.count
            component = count is not None and (count <= COMPONENTS or not outside)
            shape.append(None if component or extent.species else extent)
        points = sum(one is not None for one in shape)
        if not points or points > 3:
            return None
        if of_point and self._own(whole):
            return None
        return shape

    def _own(self, whole: Whole) -> bool:
        """Whether an array of a point is meant: all its extents are known."""
        symbol = self.setting.find(whole.array)
        return symbol is not None and None not in self.setting.extents(symbol)

    def _few(self, loop: Do) -> bool:
        if not loop.variable or loop.first is None or loop.last is None:
            return False
        return is_few(self.setting, loop.first, loop.last)

    def _variables(self, shape: Sequence[Extent]) -> list[str]:
        """A variable for each section; "" of components."""
        found, number = [], 0
        for one in shape:
            if one is None:
                found.append("")
                continue
            if number not in self.names:
                self.names[number] = self._fresh(_LETTERS[number])
            found.append(self.names[number])
            number += 1
        return found

    def _fresh(self, letter: str) -> str:
        taken = {d.name for d in self.setting.unit.declarations} | {*self.declared}
        for body in (self.setting.unit.body, self.statements):
            for s in walk(body):
                if isinstance(s, Do) and s.variable:
                    taken.add(s.variable)
                for e in s.expressions():
                    taken |= e.names
        name, number = letter, 0
        while name in taken or self.setting.scope.find(name) is not None:
            number += 1
            name = f"{letter}{number}"
        return name

    def _looped(
        self,
        body: list[Statement],
        shape: Sequence[Extent],
        variables: Sequence[str],
        ways: Sequence[int],
        place: Place,
    ) -> Do:
        for variable, extent, way in zip(variables, shape, ways, strict=True):
            if extent is None:
                continue
            self.declared[variable] = None
            first, last = extent.low, extent.high
            step = None
            if way < 0:
                first, last, step = last, first, Unary("-", Number("1"))
            body = [Do(place, body=body, variable=variable, first=first, last=last, step=step)]
        made = body[0]
        assert isinstance(made, Do)
        return made

    def _ways(
        self,
        s: Assignment,
        target: Expression,
        read: Sequence[Expression],
        variables: Sequence[str],
    ) -> list[int]:
        """The direction of each loop, 0 where nothing but the own element is read. Refused where
        no directions give what Fortran gives."""
        assert isinstance(target, Apply)
        offsets = []
        for e in read:
            if target.reference in self._wholes(e):
                raise _both(s.place, _shown(target, variables))
            for part in e.walk():
                if isinstance(part, Apply) and part.base == target.base:
                    offset = self._offset(target, part, variables)
                    if offset is None:
                        raise _both(s.place, _shown(target, variables))
                    if any(offset):
                        offsets.append(offset)
        if not offsets:
            return [0] * len(variables)
        for ways in product((1, -1), repeat=len(variables)):
            if all(_later(offset, ways) for offset in offsets):
                return list(ways)
        raise _both(s.place, _shown(target, variables))

    def _wholes(self, e: Expression) -> set[str]:
        """Names that stand alone: arrays as arguments, not those whose size is asked."""
        if isinstance(e, Apply) and e.reference:
            parts = e.arguments[1:] if asks_array(e.reference) else e.arguments
            return {name for part in parts for name in self._wholes(part)}
        if isinstance(e, Name):
            return {e.id}
        return {name for part in e.parts() for name in self._wholes(part)}

    def _offset(
        self, target: Apply, other: Apply, variables: Sequence[str]
    ) -> tuple[int, ...] | None:
        """By how much another element lies further than the one that is written, in rounds of
        each loop; zeros where both never are one; None where that is not known."""
        found: list[int | None] = [0] * len(variables)
        known = True
        for one, two in zip(target.arguments, other.arguments, strict=True):
            if one == two:
                continue
            if self.elements.is_section(one) or self.elements.is_section(two):
                known = False
                continue
            distance = (self.setting.affine(two) - self.setting.affine(one)).constant
            loop = next((n for n, v in enumerate(variables) if v and mentions(one, v)), None)
            if loop is not None:
                found[loop] = distance
            elif distance:
                return (0,) * len(variables)
            elif distance is None:
                known = False
        steps = tuple(one for one in found if one is not None)
        return steps if known and len(steps) == len(found) else None


def _later(offset: Sequence[int], ways: Sequence[int]) -> bool:
    """Whether what is read is written in a later round; the last loop is the outermost one."""
    for distance, way in zip(reversed(offset), reversed(ways), strict=True):
        if distance:
            return distance * way > 0
    return True


def _shown(target: Expression, variables: Sequence[str]) -> Expression:
    """Without the variables of loops that stand for the statement."""
    assert isinstance(target, Apply)
    own = [any(v and mentions(e, v) for v in variables) for e in target.arguments]
    return Apply(target.base, tuple(
        WHOLE if has else e for e, has in zip(target.arguments, own, strict=True)
    ))  # fmt: skip


def _both(place: Place, target: Expression) -> Refused:
    return Refused(
        place,
        f"array statement {expression_text(target)} = ...",
        "its right side reads elements of the array that it writes, "
        "and no order of the elements has them before they are written",
        "copy what is read to another array",
    )
