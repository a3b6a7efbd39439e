"""Definitions of derived types: components, what a type extends, type-bound procedures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridge_port.refusal import Refused
from bridge_port.source.lines import Line
from bridge_port.syntax.statements import Unread
from bridge_port.syntax.tokens import closing, is_name, split, tokens
from bridge_port.syntax.typeparser import TYPE_WORDS
from bridge_port.syntax.units import Binding, Declaration, DerivedType, Unit

if TYPE_CHECKING:
    from bridge_port.syntax.specification import Specification


def derived_type(
    specification: Specification, line: Line, found: list[str], lines: Sequence[Line], at: int
) -> int:
    """A type definition from its first line on; returns the index of the line behind it."""
    unit = specification.unit
    made = _head(unit, line, found)
    unit.types[made.name] = made
    inner = type(specification)(Unit("type", made.name, line.place))
    bindings = _Bindings(made)
    behind = hides = False
    while at < len(lines):
        line = lines[at]
        found = tokens(line.text)
        at += 1
        if found[0] == "endtype" or (found[0] == "end" and found[1] == "type"):
            break
        if found[0] == "end" and found[1] != "=":
            made.unread.append(Unread(line.place, text=line.text, construct="type without end"))
            break
        if found[0] == "private" and not found[1]:
            bindings.private, hides = behind, hides or not behind
        elif found[0] in ("sequence", "") and not found[1]:
            continue
        elif found[0] == "contains" and not found[1]:
            behind = True
        elif behind:
            bindings.take(line, found)
        elif found[0] == "procedure" and found[1] in ("(", ","):
            _pointers(made, line, found, hides)
        elif found[0] in TYPE_WORDS:
            inner.statement(line, found, lines, at)
        else:
            made.unread.append(Unread(line.place, text=line.text, construct=found[0]))
    made.components = inner.unit.declarations
    if hides:
        for one in made.components:
            if "public" not in one.attributes:
                one.attributes |= {"private"}
    made.unread.extend(inner.unit.unread)
    return at


def _head(unit: Unit, line: Line, found: list[str]) -> DerivedType:
    """type, extends(parent), abstract :: name."""
    name = found[found.index("::") + 1] if "::" in found else found[1]
    made = DerivedType(name, line.place)
    if found[-2] == ")" and found[-2] != name:
        made.unread.append(Unread(line.place, text=line.text, construct="type with parameters"))
    marks = found[1 : found.index("::")] if "::" in found else []
    for begin, end in split(marks, 1, len(marks)) if marks else ():
        word = marks[begin] if begin < end else ""
        if word == "extends" and end - begin == 4:
            made.parent = marks[begin + 2]
        elif word == "abstract":
            made.abstract = True
        elif word == "private":
            unit.private.add(name)
        elif word == "public":
            unit.public.add(name)
        elif word != "bind":
            made.unread.append(Unread(line.place, text=line.text, construct=f"type, {word}"))
    return made


def _pointers(made: DerivedType, line: Line, found: list[str], hides: bool) -> None:
    """Procedure components; what they point to is known at run time alone."""
    begin = found.index("::") + 1 if "::" in found else 0
    at = closing(found, 1) + 1 if found[1] == "(" else 1
    interface = found[2] if at == 4 else ""
    private, dummy, _ = _marks(found, at, begin, hides)
    for first, last in split(found, begin, len(found) - 1):
        if first < last:
            name = found[first]
            target = found[first + 2] if found[first + 1] == "=>" else ""
            made.pointers[name] = Binding(
                name, line.place, "" if target == "null" else target, dummy, private, (), interface
            )


def _marks(
    found: list[str], at: int, begin: int, private: bool
) -> tuple[bool, str | None, set[str]]:
    """Of attributes between an interface and `::`: whether it is private, which dummy gets the
    object (None of nopass), the first words of others."""
    dummy: str | None = ""
    others = set()
    for first, last in split(found, at, begin - 1) if begin else ():
        words = found[first:last]
        if not words:
            continue
        if words[0] == "pass":
            dummy = words[2] if len(words) > 2 else ""
        elif words[0] == "nopass":
            dummy = None
        elif words[0] in ("public", "private"):
            private = words[0] == "private"
        else:
            others.add(words[0])
    return private, dummy, others


class _Bindings:
    """What stands behind contains. private: whether those that follow are."""

    def __init__(self, made: DerivedType) -> None:
        self.made, self.private = made, False

    def take(self, line: Line, found: list[str]) -> None:
        try:
            if found[0] == "procedure":
                self._procedure(line, found)
            elif found[0] == "generic":
                self._generic(line, found)
            elif found[0] == "final":
                begin = 2 if found[1] == "::" else 1
                self.made.finals += tuple(token for token in found[begin:-1] if token != ",")
            else:
                raise Refused(line.place, found[0])
        except (Refused, IndexError, ValueError):
            self.made.unread.append(Unread(line.place, text=line.text, construct=found[0]))

    def _procedure(self, line: Line, found: list[str]) -> None:
        """procedure(interface), attributes :: name => target, ..."""
        at = closing(found, 1) + 1 if found[1] == "(" else 1
        interface = found[2] if at == 4 else ""
        begin = found.index("::") + 1 if "::" in found else 0
        private, dummy, others = _marks(found, at, begin, self.private)
        if unknown := others - {"deferred", "non_overridable"}:
            raise Refused(line.place, min(unknown))
        for first, last in split(found, begin or at, len(found) - 1):
            words = found[first:last]
            if len(words) not in (1, 3) or not all(map(is_name, words[::2])):
                raise Refused(line.place, "procedure")
            target = "" if "deferred" in others else words[-1]
            self._add(Binding(words[0], line.place, target, dummy, private, (), interface))

    def _generic(self, line: Line, found: list[str]) -> None:
        """generic :: name => specifics; operators and assignment under their names."""
        arrow = found.index("=>")
        colons = found.index("::")
        name = "".join(found[colons + 1 : arrow])
        specifics = tuple(found[arrow + 1 : -1 : 2])
        private = "private" in found[1:colons] or (
            self.private and "public" not in found[1:colons]
        )
        before = self.made.bindings.get(name)
        if before is not None:
            specifics = (*before.specifics, *specifics)
        self._add(Binding(name, line.place, "", None, private, specifics))

    def _add(self, one: Binding) -> None:
        self.made.bindings[one.name] = one


def declared(made: DerivedType, name: str) -> Declaration | None:
    """A component of its own."""
    return next((one for one in made.components if one.name == name), None)
