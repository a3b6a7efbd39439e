"""Expressions from tokens, by precedence."""

from __future__ import annotations

from typing import NoReturn

from bridge_port.refusal import NOWHERE, Place, Refused
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    ComplexNumber,
    Component,
    Expression,
    ImpliedDo,
    Keyword,
    Name,
    Number,
    Section,
    Text,
    Truth,
    Unary,
)
from bridge_port.syntax.tokens import closing, tokens

_LEVELS = {
    ".eqv.": 1, ".neqv.": 1, ".or.": 2, ".and.": 3, "==": 5, "/=": 5, "<": 5, "<=": 5, ">": 5,
    ">=": 5, "//": 6, "+": 7, "-": 7, "*": 8, "/": 8, "**": 9,
}  # fmt: skip
#: What converts the items of a constructor that names its type.
_CONVERSIONS = {"real": "real", "integer": "int", "logical": "logical"}


def expression(text: str, place: Place = NOWHERE) -> Expression:
    """Of a text in lower case; Refused where it is none."""
    reader = ExpressionReader(tokens(text), place)
    found = reader.expression()
    reader.end()
    return found


class ExpressionReader:
    """Reads from a place in tokens on; `at` is where it stands."""

    def __init__(self, found: list[str], place: Place, at: int = 0) -> None:
        self.tokens = found
        self.place = place
        self.at = at

    def refuse(self, wanted: str) -> NoReturn:
        token = self.tokens[self.at] if self.at < len(self.tokens) else ""
        got = repr(token) if token else "the end of the statement"
        raise Refused(self.place, "statement", f"cannot be read: {wanted} wanted, {got} found")

    def end(self) -> None:
        if self.tokens[self.at]:
            self.refuse("the end of the statement")

    def take(self, wanted: str) -> None:
        if self.tokens[self.at] != wanted:
            self.refuse(repr(wanted))
        self.at += 1

    def name(self) -> str:
        token = self.tokens[self.at]
        if not (token[:1].isalpha() or token[:1] == "_") or token[-1] in "'\"":
            self.refuse("a name")
        self.at += 1
        return token

    def expression(self, level: int = 0) -> Expression:
        token = self.tokens[self.at]
        left: Expression
        if token in ("-", "+"):
            self.at += 1
            left = Unary(token, self.expression(8 if level <= 8 else 9))
        elif token == ".not.":
            self.at += 1
            left = Unary(token, self.expression(4))
        elif _defined(token):
            self.at += 1
            left = Unary(token, self.expression(10))
        else:
            left = self.primary()
        while True:
            operator = self.tokens[self.at]
            here = _LEVELS.get(operator)
            if here is None:
                if not _defined(operator):
                    return left
                here = 0
            if here < level:
                return left
            self.at += 1
            left = Binary(operator, left, self.expression(9 if here == 9 else here + 1))

    def primary(self) -> Expression:
        token = self.tokens[self.at]
        first = token[:1]
        found: Expression
        if first.isalpha() or first == "_":
            if token[-1] in "'\"":
                self.at += 1
                return Text(token) if first in "bozx" else Text(_unquoted(token))
            self.at += 1
            found = Name(token)
        elif first.isdigit() or (first == "." and token[1:2].isdigit()):
            self.at += 1
            return Number(token)
        elif first and first in "'\"" and len(token) > 1:
            self.at += 1
            found = Text(_unquoted(token))
        elif token == "(":
            return self._parenthesised()
        elif token in ("(/", "["):
            return self._constructor()
        elif token.startswith((".true.", ".false.")):
            self.at += 1
            return Truth(token.startswith(".true."))
        else:
            self.refuse("an operand")
        while True:
            token = self.tokens[self.at]
            if token == "(":
                found = Apply(found, self.arguments())
            elif token == "%":
                self.at += 1
                found = Component(found, self.name())
            elif token == "[" and isinstance(found, Name | Apply | Component):
                self.refuse("no coindex")
            else:
                return found

    def designator(self) -> Expression:
        """A name and its components, up to the arguments of a call."""
        found: Expression = Name(self.name())
        while self.tokens[self.at] == "%" or (
            self.tokens[self.at] == "(" and self.tokens[closing(self.tokens, self.at) + 1] == "%"
        ):
            if self.tokens[self.at] == "(":
                found = Apply(found, self.arguments())
            self.take("%")
            found = Component(found, self.name())
        return found

    def arguments(self) -> tuple[Expression, ...]:
        """In parentheses, from the opening one on."""
        self.take("(")
        found: list[Expression] = []
        if self.tokens[self.at] == ")":
            self.at += 1
            return ()
        while True:
            found.append(self._argument())
            token = self.tokens[self.at]
            self.at += 1
            if token == ")":
                return tuple(found)
            if token != ",":
                self.at -= 1
                self.refuse("',' or ')'")

    def _argument(self) -> Expression:
        token = self.tokens[self.at]
        if self.tokens[self.at + 1] == "=" and token:
            name = self.name()
            self.at += 1
            return Keyword(name, self.expression())
        if token == "*" and self.tokens[self.at + 1].isdigit():
            self.refuse("no alternate return")
        lower = None
        if token not in (":", "::"):
            lower = self.expression()
            if self.tokens[self.at] not in (":", "::"):
                return lower
        upper = stride = None
        if self.tokens[self.at] == "::":
            self.at += 1
            stride = self.expression()
        else:
            self.at += 1
            if self.tokens[self.at] not in (",", ")", ":"):
                upper = self.expression()
            if self.tokens[self.at] == ":":
                self.at += 1
                stride = self.expression()
        return Section(lower, upper, stride)

    def _parenthesised(self) -> Expression:
        """(a), a complex constant, or an implied do."""
        self.at += 1
        items = [self.expression()]
        while self.tokens[self.at] == ",":
            self.at += 1
            if self.tokens[self.at + 1] == "=":
                return self._implied_do(items)
            items.append(self.expression())
        self.take(")")
        if len(items) == 1:
            return Unary("()", items[0])
        if len(items) == 2:
            return ComplexNumber(items[0], items[1])
        self.refuse("a complex constant of two parts")

    def _implied_do(self, items: list[Expression]) -> Expression:
        variable = self.name()
        self.take("=")
        bounds = [self.expression()]
        while self.tokens[self.at] == "," and len(bounds) < 3:
            self.at += 1
            bounds.append(self.expression())
        self.take(")")
        if len(bounds) < 2:
            self.refuse("two bounds")
        return ImpliedDo(tuple(items), variable, tuple(bounds))

    def _constructor(self) -> Expression:
        end = "/)" if self.tokens[self.at] == "(/" else "]"
        self.at += 1
        convert = self._type_of_items(end)
        items: list[Expression] = []
        while self.tokens[self.at] != end:
            items.append(_converted(self.expression(), convert))
            if self.tokens[self.at] == ",":
                self.at += 1
            elif self.tokens[self.at] != end:
                self.refuse(f"',' or '{end}'")
        self.at += 1
        return ArrayConstructor(tuple(items))

    def _type_of_items(self, end: str) -> tuple[str, Expression | None] | None:
        """[real(8) :: ...]: the function that converts to it, and its kind."""
        depth = 0
        for index in range(self.at, len(self.tokens)):
            token = self.tokens[index]
            depth += (token in ("(", "(/", "[")) - (token in (")", "/)", "]"))
            if depth < 0 or not token:
                return None
            if token == "::" and depth == 0:
                break
        base = self.tokens[self.at]
        if base == "double" and self.tokens[self.at + 1] == "precision":
            self.at += 3
            return "real", Number("8")
        if base == "character":
            # Of a length only what it cuts off is kept: a kernel has no characters.
            words = []
            while self.tokens[self.at] != "::":
                words.append(self.tokens[self.at])
                self.at += 1
            self.at += 1
            text = "".join(words).replace("len=", "")
            length = text.removeprefix("character").strip("(*)")
            return ("character", Number(length)) if length.isdigit() else None
        if base not in _CONVERSIONS:
            self.refuse("a constructor of real, integer or logical")
        self.at += 1
        kind: Expression | None = None
        if self.tokens[self.at] == "(":
            (argument,) = self.arguments() or (None,)
            kind = argument.value if isinstance(argument, Keyword) else argument
        elif self.tokens[self.at] == "*":
            self.at += 1
            kind = self.primary()
        self.take("::")
        if kind is None:
            kind = Apply(Name("kind"), (Number("1.0") if base == "real" else Number("1"),))
        return _CONVERSIONS[base], kind


def _converted(item: Expression, to: tuple[str, Expression | None] | None) -> Expression:
    if to is None:
        return item
    function, kind = to
    if isinstance(item, Text) and isinstance(kind, Number):
        return Text(item.value[: int(kind.text)])
    if function == "character":
        return item
    if isinstance(item, ImpliedDo):
        items = tuple(_converted(one, to) for one in item.items)
        return ImpliedDo(items, item.variable, item.bounds)
    return Apply(Name(function), (item,) if kind is None else (item, kind))


def _defined(token: str) -> bool:
    """An operator of the program's own."""
    return (
        len(token) > 2
        and token[0] == "."
        and token[-1] == "."
        and token not in _LEVELS
        and not token.startswith((".not.", ".true", ".false"))
    )


def _unquoted(token: str) -> str:
    quote = token[-1]
    return token[token.index(quote) + 1 : -1].replace(quote * 2, quote)
