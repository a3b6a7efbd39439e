"""do concurrent; forall as loops, where no element that an assignment reads is one that it
writes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

from bridge_port.refusal import Place, Refused
from bridge_port.syntax.associated import new_names, put_variables
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name
from bridge_port.syntax.statements import (
    Arm,
    Assignment,
    Continue,
    Do,
    If,
    PointerAssignment,
    Statement,
    Unread,
    walk,
)
from bridge_port.syntax.units import Declaration, TypeName, Unit, every


@dataclass
class Locality:
    """Variables of a turn's own: indices that the construct declares, local ones, and those that
    begin with what they have outside. What is shared or reduced needs no words here."""

    indices: list[str] = field(default_factory=list)
    local: list[str] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)


def concurrent_loops(
    node: Do, reader: ExpressionReader, place: Place, locality: Locality | None = None
) -> list[Statement]:
    """do concurrent (i = 1:n, j = 1:m, mask) as loops in loops; returns the innermost body."""
    reader.take("(")
    typed = reader.tokens[reader.at] == "integer"
    if typed:
        if locality is None:
            reader.refuse("an index")
        while reader.tokens[reader.at] not in ("::", ""):
            reader.at += 1
        reader.take("::")
    body: list[Statement] = node.body
    first = True
    mask: Expression | None = None
    while True:
        if reader.tokens[reader.at + 1] != "=":
            mask = reader.expression()
        else:
            if not first:
                inner = Do(place, body=[])
                body.append(inner)
                node, body = inner, inner.body
            first = False
            node.concurrent = True
            node.variable = reader.name()
            if typed and locality is not None:
                locality.indices.append(node.variable)
            reader.take("=")
            node.first = reader.expression()
            reader.take(":")
            node.last = reader.expression()
            if reader.tokens[reader.at] == ":":
                reader.at += 1
                node.step = reader.expression()
        if reader.tokens[reader.at] == ")":
            reader.at += 1
            break
        reader.take(",")
        if mask is not None:
            reader.refuse("nothing behind a mask")
    if first:
        reader.refuse("an index")
    if mask is not None:
        arm = Arm(mask, [], place)
        body.append(If(place, arms=[arm]))
        body = arm.body
    return body


def read_locality(reader: ExpressionReader, locality: Locality) -> None:
    """local(a, b) local_init(c) shared(d) default(none) reduce(+: e), up to the end."""
    while word := reader.tokens[reader.at]:
        if word not in ("local", "local_init", "shared", "default", "reduce"):
            reader.refuse("a locality")
        reader.at += 1
        reader.take("(")
        if word == "reduce":
            while reader.tokens[reader.at] not in (":", ""):
                reader.at += 1
            reader.take(":")
        names = [reader.name()]
        while reader.tokens[reader.at] == ",":
            reader.at += 1
            names.append(reader.name())
        reader.take(")")
        if word in ("local", "local_init"):
            (locality.local if word == "local" else locality.begun).extend(names)


def put_locality(unit: Unit, node: Do, body: list[Statement], locality: Locality) -> None:
    """Variables of a turn's own get names that the unit has not. body: the innermost one."""
    place = node.place
    taken = {d.name for d in unit.declarations}
    own = {*locality.indices, *locality.local, *locality.begun}
    names = new_names(own, taken)
    declared = []
    for name in sorted(own):
        if name in locality.indices:
            declared.append(Declaration(place, names[name], TypeName("integer")))
            continue
        found = [d for d in unit.declarations if d.name == name]
        if not any(d.type is not None for d in found) or any(d.attributes for d in found):
            raise Refused(place, f"local {name} of do concurrent",
                          "it is no plain variable that is declared here")  # fmt: skip
        declared += [replace(d, name=names[name], intent="", value=None) for d in found]
    put_variables(unit, names, [node], place)
    unit.declarations += declared
    body[:0] = [
        Assignment(place, target=Name(names[name]), value=Name(name)) for name in locality.begun
    ]


def own_indices(unit: Unit) -> None:
    """The variable around a do concurrent or a forall that has the name of an index keeps its
    value: where that is read behind the loops, or others may see it, the index gets another name.
    A unit in whose loops a statement is not understood that has the name is not ported."""
    plain = _plain(unit)
    for number, statement in enumerate(unit.body):
        loops = [one for one in walk([statement]) if isinstance(one, Do) and one.concurrent]
        if not loops:
            continue
        alone = isinstance(statement, Do) and statement.concurrent
        seen = _read_outside(unit.body[number + alone :], frozenset())
        for node in loops:
            if node.variable in seen or node.variable not in plain:
                index = node.variable
                names = new_names({index}, {d.name for d in unit.declarations})
                try:
                    put_variables(unit, names, [node], node.place)
                except Refused as refused:
                    why = f"{refused.refusal.why}, and {index} is seen outside of the loop"
                    unit.unread.append(
                        Unread(refused.refusal.place, text="", construct="do concurrent", why=why)
                    )
                (new,) = names.values()
                unit.declarations.append(Declaration(node.place, new, TypeName("integer")))


def _plain(unit: Unit) -> set[str]:
    """Variables that nobody sees but the statements of this unit."""
    if unit.saves_all:
        return set()
    declared = {d.name for d in unit.declarations if not d.attributes}
    inside = {
        n.id for inner in every(unit.units) for one in walk(inner.body)
        for e in one.expressions() for n in e.walk() if isinstance(n, Name)
    }  # fmt: skip
    common = {member.name for member in unit.commons}
    return declared - inside - common - unit.saved - {*unit.arguments, unit.name, unit.result}


def _read_outside(body: Sequence[Statement], inside: frozenset[str]) -> set[str]:
    """Names in statements that stand in no loop of their own."""
    found: set[str] = set()
    for one in body:
        for e in one.expressions():
            found |= {n.id for n in e.walk() if isinstance(n, Name)} - inside
        within = inside | {one.variable} if isinstance(one, Do) else inside
        for inner in one.bodies():
            found |= _read_outside(inner, within)
    return found


def forall_loops(
    found: list[str], at: int, body: Sequence[Statement], place: Place
) -> list[Statement]:
    """One nest of loops for each assignment: all its elements before those of the next one. The
    indices get names of their own where that counts, as those of do concurrent. at: of the
    parenthesis."""
    made: list[Statement] = []
    written = {s.target.root for s in body if isinstance(s, Assignment)}
    for s in body:
        if isinstance(s, Continue):
            made.append(s)
            continue
        if not isinstance(s, Assignment) or isinstance(s, PointerAssignment):
            raise Refused(place, "forall", "something other than an assignment is in it",
                          "write it as loops")  # fmt: skip
        node = Do(place, body=[])
        inner = concurrent_loops(node, ExpressionReader(found, place, at), place)
        inner.append(deepcopy(s))
        indices = {one.variable for one in walk([node]) if isinstance(one, Do)}
        for one in walk([node]):
            if isinstance(one, Assignment):
                continue
            parts = [part for e in one.expressions() for part in e.walk()]
            if written & {part.id for part in parts if isinstance(part, Name)}:
                raise Refused(place, "forall", "its bounds or its mask may change in it",
                              "write it as loops")  # fmt: skip
        _check(s, indices, place)
        made.append(node)
    return made


def _index(e: Expression, indices: set[str]) -> str:
    """The index that a subscript is, but for a number that is added, "" of none."""
    if isinstance(e, Name):
        return e.id if e.id in indices else ""
    if isinstance(e, Binary) and e.operator in ("+", "-"):
        for one, other in ((e.left, e.right), (e.right, e.left)):
            found = _index(one, indices)
            if found and not any(isinstance(n, Name) and n.id in indices for n in other.walk()):
                return found
    return ""


def _check(s: Assignment, indices: set[str], place: Place) -> None:
    """Elements that it writes are read at the same place alone, and each is written once."""
    root = s.target.root
    if not isinstance(s.target, Apply):
        raise Refused(place, "forall", f"{root} is no element")
    subscripts = {_index(a, indices) for a in s.target.arguments}
    if not indices <= subscripts:
        raise Refused(place, "forall", f"two assignments may be to one element of {root}",
                      "write it as loops")  # fmt: skip

    def reads(e: Expression) -> bool:
        if e == s.target:
            return False
        if isinstance(e, Name):
            return e.id == root
        return any(reads(part) for part in e.parts())

    if reads(s.value) or any(reads(a) for a in s.target.arguments):
        raise Refused(place, "forall", f"it reads other elements of {root} than it writes",
                      "write it as loops with a copy")  # fmt: skip
