"""The names of `associate` put in, variables of `block` with names of their own: their bodies
become statements of what stands around them.

A name that stands for a variable is that variable, as long as nothing on the way to it changes in
the body; one that stands for an expression is the expression, as long as nothing that it is made
of changes. Where that is not certain the construct stays as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Component,
    Expression,
    Keyword,
    Name,
    Number,
    Section,
    Unary,
)
from bridge_port.syntax.meant import Meant, meet
from bridge_port.syntax.statements import (
    Arm,
    Assignment,
    Call,
    Case,
    Do,
    PointerAssignment,
    Statement,
    Unread,
    walk,
)
from bridge_port.syntax.statementtexts import memory_of
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Declaration, Dimension, Unit, ends

#: Are refused themselves, and give nothing a value.
_QUIET = frozenset({"write", "print", "stop", "error stop"})
_BOUNDS = frozenset({"lbound", "ubound", "associated", "allocated", "loc", "present"})


@dataclass
class _Body:
    """What a body does. changed: variables that get a value, those of which a component or an
    element does; unknown: whether a call or a statement that is not understood may change more;
    pointers: that are set, "" of components."""

    statements: Sequence[Statement]
    changed: set[str] = field(default_factory=set)
    unknown: bool = False
    pointers: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for s in walk(self.statements):
            if isinstance(s, Do):
                self.changed.add(s.variable)
            elif isinstance(s, PointerAssignment):
                # A component of another name may be one of the same variable.
                self.pointers.add(s.target.id if isinstance(s.target, Name) else "")
            elif isinstance(s, Assignment):
                self.changed.add(s.target.root)
            elif isinstance(s, Call):
                self.unknown = True
                self.changed |= {a.root for a in s.arguments}
            elif isinstance(s, Unread):
                self.unknown = True


def put_names(
    unit: Unit,
    pairs: Sequence[tuple[str, Expression]],
    statements: Sequence[Statement],
    place: Place,
    around: Meant,
) -> None:
    """Changes the statements; Refused where a name cannot be put in. around: what names of such
    constructs around this one stand for."""
    body = _Body(statements)
    own = {one for one, _ in pairs}
    meant = around.within(pairs, unit)
    body.changed = meant.parts(body.changed)
    of_memory: list[tuple[Unread, Apply]] = []
    for s in walk(statements):
        named = sorted(one for one in own if one in s.text) if isinstance(s, Unread) else []
        if isinstance(s, Unread) and s.construct not in _QUIET and named:
            if (memory := _memory(s, own)) is not None:
                of_memory.append((s, memory))
                continue
            why = f": {s.why}" if s.why else ""
            said = f"{s.construct} in line {s.place.line} is not understood{why}"
            raise Refused(place, "", f"{said}; write there what {named[0]} stands for")
    for one, selector in pairs:
        if any(isinstance(e, Name) and e.id in own for e in selector.walk()):
            raise Refused(place, f"associate name {one}", "a variable has the same name")
        _check(unit, one, selector, body, place, meant)
    _overlaps(unit, meant, statements)
    putting = _Putting(unit, dict(pairs), place, meant)
    for unread, memory in of_memory:
        put = [putting.put(a) for a in memory.arguments]
        unread.text = expression_text(Apply(memory.base, tuple(put)))
    putting.run(statements)


def _memory(one: Unread, own: set[str]) -> Apply | None:
    """An allocate or deallocate of variables that are no names of the construct: only the bounds
    name these. None of another statement."""
    if one.construct not in ("allocate", "deallocate"):
        return None
    found = memory_of(one)
    if found is None:
        return None
    for item in found.arguments:
        e = item.value if isinstance(item, Keyword) else item
        if isinstance(item, Keyword) and item.name == "errmsg":
            return None
        if not isinstance(item, Keyword):
            if not e.root or e.root in own:
                return None
    return found


def _overlaps(unit: Unit, meant: Meant, statements: Sequence[Statement]) -> None:
    """Notes assignments that read what they write under another name."""
    of = {one: e.root for one, e in meant.aliases.items() if meant.is_variable(e)}
    for s in walk(statements):
        if not isinstance(s, Assignment):
            continue
        target = s.target.root
        for e in s.value.walk():
            if (
                isinstance(e, Name)
                and e.id != target
                and of.get(e.id, e.id) == of.get(target, target)
            ):
                unit.overlaps.append((s.place, target, e.id))


def stand_ins(
    unit: Unit, pairs: Sequence[tuple[str, Expression]], place: Place
) -> list[Declaration]:
    """Of names that stand for arrays, so that a construct inside knows them."""
    found = []
    for name, selector in pairs:
        dimensions: tuple[Dimension, ...] | None = None
        attributes = frozenset({"pointer"})  # with bounds that are asked for
        if isinstance(selector, Apply) and _is_array(unit, selector.base):
            count = sum(isinstance(a, Section) for a in selector.arguments)
            dimensions = (Dimension(None, Number("1")),) * count
            attributes = frozenset()
        elif isinstance(selector, Component):
            dimensions = (Dimension(None, None, True),)
        elif isinstance(selector, Name):
            declared = [d for d in unit.declarations if d.name == selector.id]
            dimensions = next((d.dimensions for d in declared if d.dimensions is not None), None)
        if dimensions:
            found.append(Declaration(place, name, None, dimensions, attributes))
    return found


def renamed(
    unit: Unit, declarations: Sequence[Declaration], names: dict[str, str], place: Place
) -> list[Declaration]:
    """Of a block, under names of the unit."""
    putting = _Putting(unit, {old: Name(new) for old, new in names.items()}, place)

    def put(e: Expression | None) -> Expression | None:
        return None if e is None else putting.put(e)

    found = []
    for d in declarations:
        dimensions = d.dimensions and tuple(
            Dimension(put(one.lower), put(one.upper), one.deferred) for one in d.dimensions
        )
        assert d.type is not None
        kind = put(d.type.kind) if isinstance(d.type.kind, Expression) else d.type.kind
        found.append(replace(d, name=names[d.name], dimensions=dimensions, value=put(d.value),
                             type=replace(d.type, kind=kind)))  # fmt: skip
    return found


def fixed_variables(block: Unit, unit: Unit, place: Place) -> None:
    """Refused where a block declares anything but variables whose shapes are numbers."""
    other = (block.uses, block.types, block.commons, block.equivalences, block.data,
             block.interfaces, block.external, block.entries, block.unread, block.saved,
             block.parameters)  # fmt: skip
    if any(other) or block.saves_all:
        raise Refused(place, "block", "it declares more than variables")
    all_ = [*unit.declarations, *block.declarations]
    constants = {d.name for d in all_ if "parameter" in d.attributes}
    for d in block.declarations:
        names = {name for e in ends(d.dimensions) for name in e.names}
        constant = d.attributes == {"parameter"} and d.value is not None
        plain = not d.attributes and d.value is None
        if not (constant or plain) or d.type is None or names - constants:
            raise Refused(place, f"{d.name} of a block", "only variables of fixed size are read")
        if any(one.upper is None for one in d.dimensions or ()):
            raise Refused(place, f"{d.name} of a block", "only variables of fixed size are read")


def new_names(names: set[str], taken: set[str]) -> dict[str, str]:
    """For variables of a block, such as nothing of the unit has."""
    found = {}
    for name in sorted(names):
        number = 1
        while f"{name}_block{number}" in taken:
            number += 1
        found[name] = f"{name}_block{number}"
    return found


def put_variables(
    unit: Unit, names: dict[str, str], statements: Sequence[Statement], place: Place
) -> None:
    """Variables of a block get other names; Refused where a statement is not understood."""
    for s in walk(statements):
        if isinstance(s, Unread) and any(one in s.text for one in names):
            raise Refused(place, "block", f"{s.construct} in it is not understood")
        if isinstance(s, Do) and s.variable in names:
            s.variable = names[s.variable]
    _Putting(unit, {old: Name(new) for old, new in names.items()}, place).run(statements)


def _check(
    unit: Unit, name: str, selector: Expression, body: _Body, place: Place, meant: Meant
) -> None:
    """Whether it stands for the same from the first to the last statement."""
    what = f"associate name {name}"
    names: set[str] = set()
    read: set[str] = set()
    if meant.is_variable(selector):
        if body.pointers & {selector.root, ""}:
            raise Refused(place, what, "a pointer is set in the construct")
        e = selector
        while not isinstance(e, Name):
            if isinstance(e, Apply):
                names |= {n.id for a in e.arguments for n in a.walk() if isinstance(n, Name)}
                for a in e.arguments:
                    read |= meant.read(a)
            e = e.base  # type: ignore[attr-defined]
        sections = isinstance(selector, Apply) and any(
            isinstance(a, Section) for a in selector.arguments
        )
        if isinstance(selector, Apply) and not sections and not _is_array(unit, selector.base):
            raise Refused(place, what, "it stands for an element or a function: of what is not "
                          "declared here")  # fmt: skip
    else:
        functions = {name for name in selector.applied if not _is_array(unit, Name(name))}
        if functions - meant.functions:
            raise Refused(place, what, f"it has the value of {', '.join(sorted(functions))}")
        names = set(selector.names - functions)
        read = meant.read(selector)
        if name in body.changed:
            raise Refused(place, what, "an expression gets a value")
        attributes = {a for d in unit.declarations if d.name in names for a in d.attributes}
        if attributes & {"pointer", "target"}:
            raise Refused(place, what, "it has the value of a pointer")
    changed = meet(read, body.changed) - _constant(unit, meant)
    declared = {d.name for d in unit.declarations}
    if body.unknown:
        changed |= names - declared
    if changed:
        raise Refused(place, what, f"{', '.join(sorted(changed))} may change in the construct",
                      "set a variable before it")  # fmt: skip


def _constant(unit: Unit, meant: Meant) -> set[str]:
    """Names of the unit that nothing may give a value: arguments that are intent(in), but no
    objects, whose pointers lead to what may change, and no targets of pointers."""
    held = [d for d in unit.declarations if d.attributes & {"pointer", "target", "volatile"}]
    return {
        d.name for d in unit.declarations
        if d.intent == "in" and d.type is not None and d.type.base not in ("type", "class")
    } - {d.name for d in held} - set(meant.aliases)  # fmt: skip


def _is_array(unit: Unit, base: Expression) -> bool:
    """Whether base(...) is certainly an element or a section."""
    if isinstance(base, Component):
        return True
    return isinstance(base, Name) and any(
        d.name == base.id and d.dimensions is not None for d in unit.declarations
    )


class _Putting:
    """meant: of `associate`; names of blocks stand for other names."""

    def __init__(
        self, unit: Unit, selectors: dict[str, Expression], place: Place,
        meant: Meant | None = None,
    ) -> None:  # fmt: skip
        self.unit, self.selectors, self.place = unit, selectors, place
        self.meant = meant or Meant({}, frozenset())

    def run(self, statements: Sequence[Statement]) -> None:
        for s in walk(statements):
            for one in fields(s):
                value = getattr(s, one.name)
                if isinstance(value, Expression):
                    setattr(s, one.name, self.put(value))
                elif isinstance(value, tuple) and any(isinstance(v, Expression) for v in value):
                    setattr(s, one.name, tuple(self.put(v) for v in value))
                elif isinstance(value, list):
                    for item in value:
                        if isinstance(item, Arm) and item.condition is not None:
                            item.condition = self.put(item.condition)
                        elif isinstance(item, Case) and item.values is not None:
                            item.values = tuple(self.put(v) for v in item.values)

    def put(self, e: Expression) -> Expression:
        if isinstance(e, Name):
            found = self.selectors.get(e.id)
            if found is None:
                return e
            return found if self.meant.is_variable(found) else Unary("()", found)
        if isinstance(e, Apply) and e.reference:
            if e.reference in _BOUNDS and any(
                isinstance(a, Name) and a.id in self.selectors for a in e.arguments
            ):
                inner = e.arguments[0]
                found = self.selectors.get(inner.id) if isinstance(inner, Name) else None
                if found is None or isinstance(found, Apply) or not self.meant.is_variable(found):
                    raise Refused(self.place, f"{e.reference} of an associate name", "")
            found = self.selectors.get(e.reference)
            if isinstance(found, Apply):
                return self._element(found, [self.put(a) for a in e.arguments])
            if found is not None and not self.meant.is_variable(found):
                raise Refused(self.place, f"associate name {e.reference}", "of an expression")
        changes: dict[str, object] = {}
        for one in fields(e):  # type: ignore[arg-type]
            value = getattr(e, one.name)
            if isinstance(value, Expression):
                changes[one.name] = self.put(value)
            elif isinstance(value, tuple):
                changes[one.name] = tuple(
                    self.put(v) if isinstance(v, Expression) else v for v in value
                )
        if not changes:
            return e
        return type(e)(**{one.name: changes.get(one.name, getattr(e, one.name))
                          for one in fields(e)})  # type: ignore[arg-type]  # fmt: skip

    def _element(self, section: Apply, subscripts: list[Expression]) -> Expression:
        """Of a section: its subscripts count from 1."""
        left = list(subscripts)
        made: list[Expression] = []
        for n, one in enumerate(section.arguments):
            if not isinstance(one, Section):
                made.append(one)
                continue
            if one.stride is not None or not left or isinstance(left[0], Keyword):
                raise Refused(self.place, "associate", "a section with a stride")
            place = left.pop(0)
            if place == Section(None, None, None):
                made.append(one)
                continue
            first = one.lower or self._lower(section.base, n)
            if isinstance(place, Section):
                if place.stride is not None and None in (place.lower, place.upper):
                    raise Refused(self.place, "associate", "a section with a stride")
                lower = first if place.lower is None else _moved(place.lower, first)
                upper = one.upper if place.upper is None else _moved(place.upper, first)
                made.append(Section(lower, upper, place.stride))
            else:
                made.append(_moved(place, first))
        if left:
            raise Refused(self.place, "associate", "an element of an element")
        return Apply(section.base, tuple(made))

    def _lower(self, base: Expression, n: int) -> Expression:
        for d in self.unit.declarations:
            if isinstance(base, Name) and d.name == base.id and d.dimensions is not None:
                one = d.dimensions[n]
                if one.lower is not None:
                    return one.lower
                if one.upper is not None or not d.attributes & {"pointer", "allocatable"}:
                    return Number("1")
        return Apply(Name("lbound"), (base, Number(str(n + 1))))


def _moved(place: Expression, first: Expression) -> Expression:
    """A subscript that counts from 1 as one that counts from `first`."""
    if first == Number("1"):
        return place
    return Binary("-", Binary("+", first, place), Number("1"))
