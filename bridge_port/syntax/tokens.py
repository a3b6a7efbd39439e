"""Tokens of a statement: strings, as the text has them; the last one is empty.

Their first character says what they are: a letter a name, a digit (or a point and a digit) a
number, a quote a string, else an operator. Blanks mean nothing in fixed form: "DO10I=1,N",
"CALLF(X)", "X = 1 000". A statement that cannot be read as it stands is read again without blanks,
its first words set apart.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""[a-z_][\w$]*(?:(?:(?<=_)|(?<=\b[bozx]))(?:'[^']*'|"[^"]*"))?"""
    r"""|(?:\d+\.(?![a-z]+\.)\d*|\.\d+|\d+)(?:[edq][+-]?\d+)?(?:_\w+)?"""
    r"""|'(?:[^']|'')*'|"(?:[^"]|"")*\""""
    r"""|\*\*|//|==|/=|<=|>=|=>|::|\(/|/\)"""
    r"""|\.(?:true|false)\._\w+|\.[a-z]+\.|\S"""
)
_WORDS = {
    ".eq.": "==", ".ne.": "/=", ".lt.": "<", ".le.": "<=", ".gt.": ">", ".ge.": ">=",
}  # fmt: skip


def tokens(text: str) -> list[str]:
    found = _TOKEN.findall(text)
    if "." in text:
        found = [_WORDS.get(token, token) for token in found]
    found.append("")
    return found


def is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"


def split(found: list[str], begin: int, end: int, mark: str = ",") -> list[tuple[int, int]]:
    """The stretches between marks that stand outside parentheses."""
    parts: list[tuple[int, int]] = []
    depth = 0
    at = begin
    for index in range(begin, end):
        token = found[index]
        if token in ("(", "[", "(/"):
            depth += 1
        elif token in (")", "]", "/)"):
            depth -= 1
        elif token == mark and depth == 0:
            parts.append((at, index))
            at = index + 1
    parts.append((at, end))
    return parts


def closing(found: list[str], at: int) -> int:
    """The index of the parenthesis that closes the one at an index, -1 where there is none."""
    depth = 0
    for index in range(at, len(found)):
        token = found[index]
        if token in ("(", "(/", "["):
            depth += 1
        elif token in (")", "/)", "]"):
            depth -= 1
            if depth == 0:
                return index
    return -1


_STRINGS = re.compile(r"""('[^']*'|"[^"]*")""")
_TYPES = r"doubleprecision|doublecomplex|(?:real|integer|logical|complex|character)"
_DO = re.compile(r"(do)(\d+)(,?)([a-z]\w*=.*,.*)$")
_DO_PLAIN = re.compile(r"(do)([a-z]\w*=[^=].*,.*)$")
_DO_WHILE = re.compile(r"(do)(\d*),?(while\(.*)$")
_FUNCTION = re.compile(rf"((?:{_TYPES})?(?:\*\d+|\([^()]*\))?)(function)([a-z]\w*\(.*)$")
_TYPED = re.compile(rf"((?:{_TYPES})(?:\*\d+|\*?\([^()]*\))?)(.*)$")
_GUARD = re.compile(r"(elseif|if)\(")
_SPREAD_WORDS = (
    "subroutine", "endsubroutine", "endfunction", "endprogram", "endmodule", "program", "module",
    "blockdata", "implicitnone", "implicit", "parameter", "dimension", "common", "equivalence",
    "external", "intrinsic", "namelist", "data", "save", "call", "goto", "return", "continue",
    "stop", "pause", "write", "read", "print", "format", "entry", "enddo", "endif", "else",
    "open", "close", "rewind", "backspace", "inquire", "assign", "include", "end",
)  # fmt: skip


def spread(text: str) -> str:
    """Without blanks outside strings, and with one behind each word of the beginning."""
    pieces = _STRINGS.split(text)
    pieces[::2] = [re.sub(r"\s+", "", piece) for piece in pieces[::2]]
    text = "".join(pieces)
    if found := _DO.match(text):
        return f"do {found[2]} {found[4]}"
    if found := _DO_PLAIN.match(text):
        return f"do {found[2]}"
    if found := _DO_WHILE.match(text):
        return f"do {found[2]} {found[3]}"
    if found := _GUARD.match(text):
        end = _end(text, found.end() - 1)
        if end > 0:
            rest = text[end:]
            return text[:end] + " " + (rest if rest == "then" or not rest else spread(rest))
    if "=" in text and re.match(r"[a-z]\w*(\([^=]*\))?=", text):
        return text
    if found := _FUNCTION.match(text):
        return f"{found[1]} {found[2]} {found[3]}"
    if found := _TYPED.match(text):
        return f"{found[1]} {found[2]}"
    for word in _SPREAD_WORDS:
        if text.startswith(word):
            return f"{word} {text[len(word) :]}"
    return text


def _end(text: str, at: int) -> int:
    """Behind the parenthesis that closes the one at an index."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth == 0:
            return index + 1
    return -1
