"""Specification statements, definitions of types and interface blocks: what they say goes into
their unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bridge_port.refusal import Place, Refused, one_statement
from bridge_port.source.lines import Line
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.expressions import Expression, Name
from bridge_port.syntax.statementparser import assignment_at
from bridge_port.syntax.statements import Unread
from bridge_port.syntax.tokens import closing, is_name, split, spread, tokens
from bridge_port.syntax.typeparser import (
    TYPE_WORDS,
    Values,
    data_values,
    declarations,
    dimensions,
    entities,
    intent_of,
    type_name,
)
from bridge_port.syntax.units import (
    Binding,
    CommonMember,
    Data,
    Declaration,
    DerivedType,
    StatementFunction,
    TypeName,
    Unit,
    Use,
)
from bridge_port.syntax.unitstatement import unit_statement

#: First words of specification statements that do not begin with a type.
SPECIFICATIONS = frozenset(
    ("use", "implicit", "implicitnone", "parameter", "dimension", "common", "data", "save",
     "equivalence", "external", "intrinsic", "optional", "intent", "pointer", "allocatable",
     "target", "public", "private", "protected", "volatile", "asynchronous", "contiguous",
     "value", "import", "interface", "abstract", "procedure", "generic", "enum", "namelist",
     "entry", "sequence", "codimension", "bind", "include", "format", "structure", "record")
)  # fmt: skip

_ATTRIBUTE_STATEMENTS = frozenset(
    ("optional", "pointer", "allocatable", "target", "protected", "volatile", "asynchronous",
     "contiguous", "value")
)  # fmt: skip
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Specification:
    """Those of a unit."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self._shaped: set[str] = set()
        self._common_places: dict[str, int] = {}

    # ---- what comes in ----------------------------------------------------------------------
    def statement(
        self, line: Line, found: list[str], lines: Sequence[Line], at: int
    ) -> int | None:
        """Takes one and returns the index of the next line; None where it is no specification.
        One that cannot be read is kept as such."""
        if assignment_at(found) >= 0:
            return None
        try:
            with one_statement(line.place):
                return self._statement(line, found, lines, at)
        except Refused as refused:
            if line.fixed:
                try:
                    with one_statement(line.place):
                        return self._statement(line, tokens(spread(line.text)), lines, at)
                except Refused:
                    pass
            why = line.unread(refused.refusal.why or refused.refusal.construct)
            self.unread(line, found[0], why)
            return at

    def is_statement_function(self, found: list[str]) -> bool:
        """name(names) = ..., of a name that is no array. Where an array may come by use or from
        the host and nothing says that it is a function, it is an assignment."""
        name = found[0]
        if found[1] != "(" or not is_name(name) or self.unit.kind in ("module", "submodule"):
            return False
        end = closing(found, 1)
        if end < 0 or found[end + 1] != "=" or name in self._shaped:
            return False
        inside = found[2:end]
        if any(token != "," for token in inside[1::2]) or not all(map(is_name, inside[::2])):
            return False
        if any(one.name == name and one.type is not None for one in self.unit.declarations):
            return True
        unit: Unit | None = self.unit
        while unit is not None:
            if unit.uses or unit.implicit == {} or (unit is not self.unit and unit.declarations):
                return False
            unit = unit.parent
        return not self.unit.unread

    def statement_function(self, line: Line, found: list[str]) -> None:
        end = closing(found, 1)
        reader = ExpressionReader(found, line.place, end + 2)
        try:
            with one_statement(line.place):
                value = reader.expression()
                reader.end()
        except Refused as refused:
            self.unread(line, "statement function", refused.refusal.why)
            return
        names = tuple(found[2:end:2])
        self.unit.statement_functions[found[0]] = StatementFunction(names, value, line.place)

    def unread(self, line: Line, construct: str, why: str = "") -> None:
        self.unit.unread.append(
            Unread(
                line.place, line.label, line.comments,
                text=line.text, construct=construct, why=why,
            )
        )  # fmt: skip

    def _statement(
        self, line: Line, found: list[str], lines: Sequence[Line], at: int
    ) -> int | None:
        word = found[0]
        if word == "type" and found[1] != "(":
            if found[1] in (",", "::") or (is_name(found[1]) and not found[2]):
                return derived_type(self, line, found, lines, at)
            return None  # type is, type print
        if word in ("interface", "abstract", "enum", "structure"):
            return interface_block(self, line, found, lines, at)
        if word in TYPE_WORDS:
            if word == "class" and found[1] in ("is", "default"):
                return None
            declared, old = declarations(found, line.place, line.comments)
            self._declare(declared)
            for declaration, values in old:
                self._data((Name(declaration.name),), values, line)
            return at
        if word in _ATTRIBUTE_STATEMENTS:
            self._attribute(word, found, line)
            return at
        handler = _HANDLERS.get(word)
        if handler is None:
            self.unread(line, word)
        else:
            handler(self, line, found)
        return at

    # ---- declarations -----------------------------------------------------------------------
    def _declare(self, declared: Sequence[Declaration]) -> None:
        self.unit.declarations.extend(declared)
        for one in declared:
            if one.dimensions is not None:
                self._shaped.add(one.name)
            if "external" in one.attributes:
                self.unit.external.add(one.name)

    def _attribute(self, word: str, found: list[str], line: Line) -> None:
        reader = ExpressionReader(found, line.place, 1)
        if found[1] == "::":
            reader.at = 2
        declared, _ = entities(reader, None, frozenset((word,)), None, "", line.comments)
        self._declare(declared)

    def _dimension(self, line: Line, found: list[str]) -> None:
        reader = ExpressionReader(found, line.place, 1)
        if found[1] == "::":
            reader.at = 2
        declared, old = entities(reader, None, frozenset(), None, "", line.comments)
        self._declare(declared)
        for declaration, values in old:
            self._data((Name(declaration.name),), values, line)

    def _intent(self, line: Line, found: list[str]) -> None:
        reader = ExpressionReader(found, line.place, 1)
        intent = intent_of(reader)
        if found[reader.at] == "::":
            reader.at += 1
        declared, _ = entities(reader, None, frozenset(), None, intent, line.comments)
        self._declare(declared)

    def _external(self, line: Line, found: list[str]) -> None:
        names = _names(found, line)
        if found[0] == "external":
            self.unit.external.update(names)
        attributes = frozenset((found[0],))
        self._declare([Declaration(line.place, name, attributes=attributes) for name in names])

    def _procedure(self, line: Line, found: list[str]) -> None:
        """procedure(interface) :: names; what a pointer points to is not known."""
        end = closing(found, 1) if found[1] == "(" else -1
        marks = {"external"}
        if end > 0 and found[end + 1 : end + 3] == [",", "optional"]:
            marks.add("optional")
            end += 2
        at = end + 2 if end > 0 and found[end + 1] == "::" else end + 1
        if end < 0 or not is_name(found[at]):
            self.unread(line, "procedure")
            return
        names = _names(["", *found[at:]], line)
        self.unit.external.update(names)
        if closing(found, 1) == 3 and is_name(found[2]):
            self.unit.shaped_as |= dict.fromkeys(names, found[2])
        self._declare(
            [Declaration(line.place, name, attributes=frozenset(marks)) for name in names]
        )

    def _parameter(self, line: Line, found: list[str]) -> None:
        reader = ExpressionReader(found, line.place, 1)
        bare = found[1] != "("  # An old form without parentheses: its type is the value's.
        if bare:
            reader.refuse("'('")
        reader.take("(")
        while True:
            name = reader.name()
            reader.take("=")
            self.unit.parameters.append((name, reader.expression(), line.place))
            if found[reader.at] == ")":
                break
            reader.take(",")
        reader.at += 1
        reader.end()

    def _implicit(self, line: Line, found: list[str]) -> None:
        if found[0] == "implicitnone" or found[1] == "none":
            rest = found[2 if found[0] == "implicit" else 1 :]
            if not rest[0] or "type" in rest:
                self.unit.implicit = {}
            return
        reader = ExpressionReader(found, line.place, 1)
        rules: dict[str, TypeName] = {}
        while True:
            # real(8) (a-h): the last parentheses hold the letters.
            begin = reader.at
            end = next(stop for start, stop in split(found, begin, len(found) - 1) if stop > begin)
            opening = max(index for index in range(begin, end) if found[index] == "(")
            typed = ExpressionReader([*found[begin:opening], ""], line.place)
            declared = type_name(typed)
            typed.end()
            for first, last in split(found, opening + 1, end - 1):
                letters = found[first:last]
                low, high = letters[0], letters[-1]
                if len(low) != 1 or len(high) != 1 or len(letters) not in (1, 3):
                    reader.refuse("letters")
                for letter in _LETTERS[_LETTERS.index(low) : _LETTERS.index(high) + 1]:
                    rules[letter] = declared
            reader.at = end
            if not found[reader.at]:
                break
            reader.take(",")
        self.unit.implicit = {**(self.unit.implicit or {}), **rules}

    # ---- use, public, private ---------------------------------------------------------------
    def _use(self, line: Line, found: list[str]) -> None:
        self.unit.uses.append(use_statement(found, line.place))

    def _access(self, line: Line, found: list[str]) -> None:
        names = self.unit.public if found[0] == "public" else self.unit.private
        at = 2 if found[1] == "::" else 1
        if not found[at]:
            if found[0] == "private":
                self.unit.hides_all = True
            return
        for begin, end in split(found, at, len(found) - 1):
            names.add("".join(found[begin:end]))

    # ---- storage ----------------------------------------------------------------------------
    def _save(self, line: Line, found: list[str]) -> None:
        if not found[1]:
            self.unit.saves_all = True
            return
        at = 2 if found[1] == "::" else 1
        for begin, end in split(found, at, len(found) - 1):
            self.unit.saved.add("".join(found[begin:end]))

    def _common(self, line: Line, found: list[str]) -> None:
        reader = ExpressionReader(found, line.place, 1)
        block = ""
        while found[reader.at]:
            if found[reader.at] == "//":
                block = ""
                reader.at += 1
            elif found[reader.at] == "/":
                reader.at += 1
                block = ""
                if found[reader.at] != "/":
                    block = reader.name()
                reader.take("/")
            name = reader.name()
            if found[reader.at] == "(":
                shape = dimensions(reader)
                self._declare([Declaration(line.place, name, dimensions=shape)])
            place = self._common_places.get(block, 0)
            self._common_places[block] = place + 1
            self.unit.commons.append(CommonMember(block, name, place))
            if found[reader.at] == ",":
                reader.at += 1

    def _equivalence(self, line: Line, found: list[str]) -> None:
        reader = ExpressionReader(found, line.place, 1)
        while found[reader.at]:
            members = reader.arguments()
            self.unit.equivalences.append((members, line.place))
            if found[reader.at] == ",":
                reader.at += 1

    def _data_statement(self, line: Line, found: list[str]) -> None:
        reader = ExpressionReader(found, line.place, 1)
        sets: list[tuple[tuple[Expression, ...], Values]] = []
        while found[reader.at]:
            targets = [reader.primary()]
            while found[reader.at] == ",":
                reader.at += 1
                targets.append(reader.primary())
            reader.take("/")
            sets.append((tuple(targets), data_values(reader)))
            if found[reader.at] == ",":
                reader.at += 1
        for targets_of, values in sets:
            self._data(targets_of, values, line)

    def _data(self, targets: tuple[Expression, ...], values: Values, line: Line) -> None:
        self.unit.data.append(Data(targets, tuple(values), line.place))

    def _entry(self, line: Line, found: list[str]) -> None:
        self.unit.entries.append((found[1], line.place))
        self.unread(line, "entry")


def _names(found: list[str], line: Line) -> list[str]:
    reader = ExpressionReader(found, line.place, 2 if found[1] == "::" else 1)
    names = [reader.name()]
    while found[reader.at]:
        reader.take(",")
        names.append(reader.name())
    return names


def _ignore(self: Specification, line: Line, found: list[str]) -> None:
    """Says nothing that a kernel would need."""


_HANDLERS: dict[str, Callable[[Specification, Line, list[str]], None]] = {
    "use": Specification._use,
    "implicit": Specification._implicit,
    "implicitnone": Specification._implicit,
    "parameter": Specification._parameter,
    "dimension": Specification._dimension,
    "intent": Specification._intent,
    "external": Specification._external,
    "procedure": Specification._procedure,
    "intrinsic": Specification._external,
    "public": Specification._access,
    "private": Specification._access,
    "save": Specification._save,
    "common": Specification._common,
    "equivalence": Specification._equivalence,
    "data": Specification._data_statement,
    "entry": Specification._entry,
    "import": _ignore,
    "sequence": _ignore,
}


# ---- Derived types: components, what a type extends, type-bound procedures -------------------


def derived_type(
    specification: Specification, line: Line, found: list[str], lines: Sequence[Line], at: int
) -> int:
    """A type definition from its first line on; returns the index of the line behind it."""
    unit = specification.unit
    made = _head(unit, line, found)
    unit.types[made.name] = made
    inner = Specification(Unit("type", made.name, line.place))
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


# ---- Blocks, use ----------------------------------------------------------------------------


def interface_block(
    specification: Specification, line: Line, found: list[str], lines: Sequence[Line], at: int
) -> int:
    """Of an interface block the names are kept, and the lines of what it declares."""
    unit = specification.unit
    word = "interface" if found[0] == "abstract" else found[0]
    generic = "".join(found[1:-1]) if found[0] == "interface" else ""
    specifics: list[str] = []
    inside: list[str] = []
    depth = begin = 0  # Of procedures that the block declares.
    while at < len(lines):
        inner = lines[at]
        found = tokens(inner.text)
        inside.append(inner.text)
        at += 1
        if found[0] == "end" + word or (found[0] == "end" and found[1] == word):
            break
        declared = None if depth else unit_statement(found, inner.place)
        if declared is not None and declared.kind in ("subroutine", "function"):
            depth, begin = depth + 1, at - 1
            specifics.append(declared.name)
            unit.interfaces.setdefault(declared.name, ())
        elif depth and (
            (found[0] == "end" and (not found[1] or found[1] in ("subroutine", "function")))
            or found[0] in ("endsubroutine", "endfunction")
        ):
            depth -= 1
            if word == "interface":
                unit.bodies.setdefault(specifics[-1], tuple(lines[begin:at]))
        elif "procedure" in found[:2]:
            first = found.index("procedure") + 1
            specifics.extend(token for token in found[first:-1] if is_name(token))
    else:
        specification.unread(line, f"{word} without end")
    if generic and word == "interface":
        before = unit.interfaces.get(generic, ())
        unit.interfaces[generic] = (*before, *specifics)
    elif word != "interface":
        specification.unread(line, word)
        unit.unread[-1].inside = tuple(inside)
    return at


def use_statement(found: list[str], place: Place) -> Use:
    reader = ExpressionReader(found, place, 1)
    if found[1] == ",":
        reader.at = 3  # intrinsic, non_intrinsic
    if found[reader.at] == "::":
        reader.at += 1
    module = reader.name()
    if not found[reader.at]:
        return Use(module, None, {}, place)
    reader.take(",")
    only = found[reader.at] == "only" and found[reader.at + 1] == ":"
    if only:
        reader.at += 2
    names: dict[str, str] = {}
    while found[reader.at]:
        local, remote = _rename(reader)
        names[local] = remote
        if found[reader.at]:
            reader.take(",")
    return Use(module, names, {}, place) if only else Use(module, None, names, place)


def _rename(reader: ExpressionReader) -> tuple[str, str]:
    found = reader.tokens
    if found[reader.at] in ("operator", "assignment") and found[reader.at + 1] in ("(", "(/"):
        begin = reader.at
        while found[reader.at] and found[reader.at] not in (")", "/)"):
            reader.at += 1
        reader.at += 1
        name = "".join(found[begin : reader.at])
        return name, name
    local = remote = reader.name()
    if found[reader.at] == "=>":
        reader.at += 1
        remote = reader.name()
    return local, remote
