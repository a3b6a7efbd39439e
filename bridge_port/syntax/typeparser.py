"""Type names, and the entities of a declaration."""

from __future__ import annotations

from bridge_port.refusal import Place
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.expressions import Expression, Number
from bridge_port.syntax.tokens import closing
from bridge_port.syntax.units import Declaration, Dimension, TypeName

#: Values of a slash list: how often, constant.
Values = list[tuple[Expression | None, Expression]]

#: First words of a type; those of numbers, whose "*" means bytes.
TYPE_WORDS = frozenset(
    ("real", "integer", "logical", "character", "complex", "double", "doubleprecision",
     "doublecomplex", "type", "class", "byte")
)  # fmt: skip

_PLAIN_ATTRIBUTES = frozenset(
    ("parameter", "save", "optional", "pointer", "allocatable", "target", "external", "intrinsic",
     "public", "private", "protected", "volatile", "asynchronous", "contiguous", "value",
     "device", "constant", "managed", "pinned", "shared")
)  # fmt: skip


def type_name(reader: ExpressionReader) -> TypeName:
    """From the word of the type on."""
    word = reader.name()
    if word == "double" and reader.tokens[reader.at] in ("precision", "complex"):
        word += reader.name()
    if word == "doubleprecision":
        return TypeName("real", 8)
    if word == "doublecomplex":
        return TypeName("complex", 8)
    if word == "byte":
        return TypeName("integer", 1)
    if word not in TYPE_WORDS or word == "double":
        reader.refuse("a type")
    if word in ("type", "class"):
        return _derived(reader, word)
    if word == "character":
        return _character(reader)
    if reader.tokens[reader.at] == "*":
        reader.at += 1
        size = reader.primary()
        if not isinstance(size, Number):
            reader.refuse("a number of bytes")
        return TypeName(word, int(size.text) // (2 if word == "complex" else 1))
    if reader.tokens[reader.at] == "(":
        reader.at += 1
        if reader.tokens[reader.at] == "kind" and reader.tokens[reader.at + 1] == "=":
            reader.at += 2
        kind = reader.expression()
        reader.take(")")
        return TypeName(word, kind)
    return TypeName(word)


def _derived(reader: ExpressionReader, word: str) -> TypeName:
    reader.take("(")
    if reader.tokens[reader.at] == "*":
        reader.at += 1
        name = "*"
    elif reader.tokens[reader.at] in TYPE_WORDS and reader.tokens[reader.at + 1] in ("(", ")"):
        inner = type_name(reader)
        reader.take(")")
        return inner
    else:
        name = reader.name()
    if reader.tokens[reader.at] == "(":
        reader.refuse("a type without parameters")
    reader.take(")")
    return TypeName(word, None, name)


def _character(reader: ExpressionReader) -> TypeName:
    length: Expression | str | None = None
    if reader.tokens[reader.at] == "*":
        length = _length(reader)
        # An old comma behind the length, character*8, name, is no attribute's.
        if reader.tokens[reader.at] == "," and "::" not in reader.tokens[reader.at :]:
            reader.at += 1
    elif reader.tokens[reader.at] == "(":
        length = _selector(reader)
    return TypeName("character", length=length)


def _selector(reader: ExpressionReader) -> Expression | str | None:
    """(8), (len=8, kind=1), (8, 1): the length."""
    reader.take("(")
    length: Expression | str | None = None
    first = True
    while True:
        word = "len" if first else "kind"
        if reader.tokens[reader.at + 1] == "=":
            word = reader.name()
            reader.take("=")
        value = _characters(reader)
        if word == "len":
            length = value
        first = False
        if reader.tokens[reader.at] == ")":
            reader.at += 1
            return length
        reader.take(",")


def _characters(reader: ExpressionReader) -> Expression | str:
    """How many: *, : or an expression."""
    token = reader.tokens[reader.at]
    if token in ("*", ":"):
        reader.at += 1
        return token
    return reader.expression()


def _length(reader: ExpressionReader) -> Expression | str:
    """*8 or *(*)."""
    reader.take("*")
    if reader.tokens[reader.at] == "(":
        reader.take("(")
        length = _characters(reader)
        reader.take(")")
        return length
    return reader.primary()


def dimensions(reader: ExpressionReader) -> tuple[Dimension, ...]:
    """From the opening parenthesis on."""
    reader.take("(")
    found: list[Dimension] = []
    while True:
        found.append(_dimension(reader))
        if reader.tokens[reader.at] == ")":
            reader.at += 1
            return tuple(found)
        reader.take(",")


def _dimension(reader: ExpressionReader) -> Dimension:
    token = reader.tokens[reader.at]
    if token == "*":
        reader.at += 1
        return Dimension(None, None)
    if token == ":":
        reader.at += 1
        return Dimension(None, None, True)
    if token == "..":
        reader.refuse("an array of known rank")
    first = reader.expression()
    if reader.tokens[reader.at] != ":":
        return Dimension(None, first)
    reader.at += 1
    if reader.tokens[reader.at] == "*":
        reader.at += 1
        return Dimension(first, None)
    if reader.tokens[reader.at] in (",", ")"):
        return Dimension(first, None, True)
    return Dimension(first, reader.expression())


def declarations(
    found: list[str], place: Place, comments: tuple[str, ...]
) -> tuple[list[Declaration], list[tuple[Declaration, Values]]]:
    """Of a statement that begins with a type; and the values of old forms, name /values/."""
    reader = ExpressionReader(found, place)
    declared = type_name(reader)
    attributes, shape, intent = attribute_list(reader)
    return entities(reader, declared, attributes, shape, intent, comments)


def attribute_list(
    reader: ExpressionReader,
) -> tuple[frozenset[str], tuple[Dimension, ...] | None, str]:
    """ ", parameter, dimension(3) ::", which may be absent."""
    attributes: set[str] = set()
    shape: tuple[Dimension, ...] | None = None
    intent = ""
    while reader.tokens[reader.at] == ",":
        reader.at += 1
        word = reader.name()
        if word == "dimension":
            shape = dimensions(reader)
        elif word == "intent":
            intent = intent_of(reader)
        elif word in _PLAIN_ATTRIBUTES:
            attributes.add(word)
        elif word in ("bind", "codimension", "len", "kind"):
            attributes.add(word)
            if reader.tokens[reader.at] == "(":
                reader.at = closing(reader.tokens, reader.at) + 1
        else:
            reader.at -= 1
            reader.refuse("an attribute")
    if reader.tokens[reader.at] == "::":
        reader.at += 1
    return frozenset(attributes), shape, intent


def intent_of(reader: ExpressionReader) -> str:
    reader.take("(")
    intent = reader.name()
    if intent == "in" and reader.tokens[reader.at] == "out":
        intent += reader.name()
    if intent not in ("in", "out", "inout"):
        reader.at -= 1
        reader.refuse("in, out or inout")
    reader.take(")")
    return intent


def entities(
    reader: ExpressionReader,
    declared: TypeName | None,
    attributes: frozenset[str],
    shape: tuple[Dimension, ...] | None,
    intent: str,
    comments: tuple[str, ...],
) -> tuple[list[Declaration], list[tuple[Declaration, Values]]]:
    """name(dimensions)*length = value, ..."""
    result: list[Declaration] = []
    old: list[tuple[Declaration, Values]] = []
    while True:
        name = reader.name()
        own, kind = shape, declared
        if reader.tokens[reader.at] == "(":
            own = dimensions(reader)
        if reader.tokens[reader.at] == "*" and declared is not None:
            kind = _entity_length(reader, declared)
            if reader.tokens[reader.at] == "(":
                own = dimensions(reader)
        if reader.tokens[reader.at] == "[":
            reader.refuse("no coarray")
        value: Expression | None = None
        marks = attributes
        token = reader.tokens[reader.at]
        if token in ("=", "=>"):
            reader.at += 1
            value = reader.expression()
            if token == "=>":
                marks = attributes | {"pointer"}
        declaration = Declaration(reader.place, name, kind, own, marks, intent, value, comments)
        result.append(declaration)
        if token == "/":
            reader.at += 1
            old.append((declaration, data_values(reader)))
        if not reader.tokens[reader.at]:
            return result, old
        reader.take(",")


def _entity_length(reader: ExpressionReader, declared: TypeName) -> TypeName:
    """real x*8: bytes of this one alone; of character a length."""
    if declared.base == "character":
        return TypeName("character", length=_length(reader))
    reader.at += 1
    size = reader.primary()
    if not isinstance(size, Number):
        reader.refuse("a number of bytes")
    return TypeName(declared.base, int(size.text) // (2 if declared.base == "complex" else 1))


def data_values(reader: ExpressionReader) -> Values:
    """Up to the slash that closes them: 3*0., 1, -2. as (how often, constant)."""
    found: Values = []
    while True:
        repeat: Expression | None = None
        value = _data_value(reader)
        if reader.tokens[reader.at] == "*":
            reader.at += 1
            repeat, value = value, _data_value(reader)
        found.append((repeat, value))
        if reader.tokens[reader.at] == "/":
            reader.at += 1
            return found
        if reader.tokens[reader.at] == "/)":
            reader.refuse("'/'")
        reader.take(",")


def _data_value(reader: ExpressionReader) -> Expression:
    """A constant; a "/" or "*" behind it belongs to the list."""
    return reader.expression(9) if reader.tokens[reader.at] in "+-" else reader.primary()
