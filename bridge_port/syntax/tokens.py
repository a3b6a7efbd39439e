"""Tokens of a statement: strings, as the text has them; the last one is empty.

Their first character says what they are: a letter a name, a digit (or a point and a digit) a
number, a quote a string, else an operator.
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
