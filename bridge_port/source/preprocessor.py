"""Lines of the C preprocessor: conditions, macros, includes.

What gfortran's own (traditional) preprocessor does with them; what it defines by itself is
defined here as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_DIRECTIVE = re.compile(r"#\s*([a-zA-Z]*)\s*(.*)$", re.S)
_NOTHING = re.compile(r"#\s*(\d.*|!.*)?$")
_DEFINE = re.compile(r"([A-Za-z_]\w*)(\(([^)]*)\))?\s*(.*)$", re.S)
_WORD = re.compile(r"""'[^'\n]*'|"[^"\n]*"|[A-Za-z_]\w*""")
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b")
_OPERATOR = re.compile(r"\s*(?:(\d+)|(&&|\|\||[=!<>]=|<<|>>|[-+*/%!~<>()&|^?:]))")
_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7,
    ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip

#: What gfortran defines by itself. Its version, "?", is not known: no text with it can be read.
_OWN = {
    **dict.fromkeys(("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__", "__VERSION__"), "?"),
    **dict.fromkeys(("__GFORTRAN__", "_LANGUAGE_FORTRAN", "_LP64", "__LP64__"), "1"),
    **{f"__GFC_INT_{n}__": "1" for n in (1, 2, 8, 16)},
    **{f"__GFC_REAL_{n}__": "1" for n in (10, 16)},
    "__SIZEOF_INT__": "4",
    "__SIZEOF_POINTER__": "8",
}
#: Parameters (None of a macro without parentheses) and text.
Macro = tuple[tuple[str, ...] | None, str]


class Preprocessor:
    """State over the lines of a file and of what it includes."""

    def __init__(self, defines: Sequence[str] = ()) -> None:
        self._macros: dict[str, Macro] = {name: (None, text) for name, text in _OWN.items()}
        self.at("", 0)
        self._given = len(self._macros)
        #: Of each open #if: does its arm count, did one before, did what is around it count.
        self._arms: list[tuple[bool, bool, bool]] = []
        for define in defines:
            name, _, value = define.removeprefix("-D").partition("=")
            self._macros[name.strip()] = (None, value if "=" in define else "1")

    @property
    def depth(self) -> int:
        return len(self._arms)

    @property
    def skips(self) -> bool:
        return bool(self._arms) and not self._arms[-1][0]

    @property
    def has_macros(self) -> bool:
        return len(self._macros) > self._given

    def at(self, file: str, line: int) -> None:
        """Where the next line stands. A path with quotes has no text in Fortran."""
        self._macros["__LINE__"] = (None, str(line))
        self._macros["__FILE__"] = (None, f'"{file}"')
        if set(file) & set("'\"\\"):
            del self._macros["__FILE__"]

    def close(self, depth: int) -> None:
        del self._arms[depth:]

    def directive(self, line: str) -> str | None:
        """ "" where it is done with, a file name that is to be included, None where it is not
        understood."""
        match = _DIRECTIVE.match(line)
        assert match is not None
        word, rest = match[1], re.sub(r"/\*.*?\*/", " ", match[2]).strip()
        if word in ("if", "ifdef", "ifndef"):
            if self.skips:
                self._arms.append((False, True, False))
                return ""
            taken = self._condition(word, rest)
            if taken is None:
                self._arms.append((False, True, True))
                return None
            self._arms.append((taken, taken, True))
            return ""
        if word in ("elif", "else", "endif") and self._arms:
            return self._next_arm(word, rest)
        if self.skips:
            return ""
        if word == "define" and (definition := _DEFINE.match(rest)):
            names = definition[3]
            parameters = None
            if definition[2] is not None:
                parameters = tuple(name.strip() for name in names.split(",") if name.strip())
            self._macros[definition[1]] = (parameters, definition[4].strip())
            return ""
        if word == "undef":
            self._macros.pop(rest.split()[0] if rest else "", None)
            return ""
        if word == "include":
            name = rest.strip()
            if len(name) > 2 and name[0] in '"<':
                return name[1:].rstrip('">')
            return None
        if word in ("pragma", "ident", "warning", "line"):
            return ""
        # Nothing, or the place in another file. `#:if` is a line of another preprocessor.
        return "" if not word and _NOTHING.match(line) else None

    def _next_arm(self, word: str, rest: str) -> str | None:
        counts, before, around = self._arms.pop()
        if word == "endif":
            return ""
        if word == "else":
            self._arms.append((around and not before, True, around))
            return ""
        taken: bool | None = False
        if around and not before:
            taken = self._condition("if", rest)
        if taken is None:
            self._arms.append((False, True, around))
            return None
        self._arms.append((taken, before or taken, around))
        return ""

    def _condition(self, word: str, rest: str) -> bool | None:
        if word != "if":
            name = rest.split()[0] if rest.split() else ""
            return (name in self._macros) == (word == "ifdef")
        text = _DEFINED.sub(lambda m: "1" if (m[1] or m[2]) in self._macros else "0", rest)
        text = self.expand(text)
        text = re.sub(r"[A-Za-z_]\w*\b(?!\s*\()", "0", _NUMBER.sub(_plain, text))
        value = _Condition(text).value()
        return None if value is None else bool(value)

    def expand(self, line: str) -> str:
        """With macros replaced, outside strings."""
        for _ in range(16):
            changed = self._expand_once(line)
            if changed == line:
                break
            line = changed
        return line

    def _expand_once(self, line: str) -> str:
        pieces: list[str] = []
        at = 0
        while found := _WORD.search(line, at):
            pieces.append(line[at : found.start()])
            at = found.end()
            macro = self._macros.get(found[0])
            if macro is None:
                pieces.append(found[0])
                continue
            parameters, text = macro
            if parameters is None:
                pieces.append(text)
                continue
            arguments, end = _arguments(line, at)
            if arguments is None or (len(arguments) != len(parameters) and parameters):
                pieces.append(found[0])
                continue
            at = end
            given = dict(zip(parameters, arguments, strict=False))
            words = re.split(r"([A-Za-z_]\w*)", text)
            text = "".join(given.get(word, word) for word in words)
            pieces.append(re.sub(r"\s*##\s*", "", text))
        pieces.append(line[at:])
        return "".join(pieces)


def _plain(match: re.Match[str]) -> str:
    if match[1][:2] in ("0x", "0X"):
        return str(int(match[1], 16))
    octal = re.fullmatch("0[0-7]+", match[1])
    return str(int(match[1], 8 if octal else 10))


def _arguments(line: str, at: int) -> tuple[list[str] | None, int]:
    """Of a macro with parentheses, where they follow."""
    while at < len(line) and line[at] in " \t":
        at += 1
    if line[at : at + 1] != "(":
        return None, at
    depth, begin, arguments = 0, at + 1, []
    for place in range(at, len(line)):
        char = line[place]
        depth += (char == "(") - (char == ")")
        if (char == "," and depth == 1) or depth == 0:
            arguments.append(line[begin:place].strip())
            begin = place + 1
        if depth == 0:
            return arguments, place + 1
    return None, at


class _Condition:
    """An expression of integers."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] | None = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = _OPERATOR.match(text, at)
            if found is None:
                self._tokens = None
                return
            self._tokens.append(found[1] or found[2])
            at = found.end()
        self._tokens.append("")

    def value(self) -> int | None:
        if self._tokens is None:
            return None
        try:
            value = self._binary(1)
        except (KeyError, ValueError, ZeroDivisionError):
            return None
        return value if self._tokens == [""] else None

    def _take(self) -> str:
        assert self._tokens is not None
        return self._tokens.pop(0)

    def _binary(self, level: int) -> int:
        assert self._tokens is not None
        left = self._unary()
        while _PRECEDENCE.get(self._tokens[0], 0) >= level:
            operator = self._take()
            right = self._binary(_PRECEDENCE[operator] + 1)
            left = _apply(operator, left, right)
        return left

    def _unary(self) -> int:
        token = self._take()
        if token == "!":
            return int(not self._unary())
        if token in ("-", "+"):
            return -self._unary() if token == "-" else self._unary()
        if token == "(":
            value = self._binary(1)
            if self._take() != ")":
                raise ValueError
            return value
        return int(token)


def _apply(operator: str, left: int, right: int) -> int:
    if operator == "&&":
        return int(bool(left) and bool(right))
    if operator == "||":
        return int(bool(left) or bool(right))
    if operator in ("/", "%"):
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    plain = {
        "==": left == right, "!=": left != right, "<": left < right, ">": left > right,
        "<=": left <= right, ">=": left >= right, "+": left + right, "-": left - right,
        "*": left * right, "&": left & right, "|": left | right, "^": left ^ right,
    }  # fmt: skip
    return int(plain[operator])
