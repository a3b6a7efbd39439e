"""What both forms make of physical lines, and how text is cut at comments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_MARK = re.compile(r"""['"!]|(?<![\w$])(?<!\d\.)\d+[hH](?=.)""")
_QUOTE_OR_COMMENT = re.compile(r"""['"!]""")


@dataclass(slots=True)
class Joined:
    """Lines joined by continuation. A line of the preprocessor that is left begins with "#".
    behind: how far its lines go that have text behind the last column that counts, 0 of none."""

    file: str
    first: int
    last: int
    label: str = ""
    text: str = ""
    comments: list[str] = field(default_factory=list)
    behind: int = 0


def cut(text: str, quote: str, hollerith: bool = False) -> tuple[str, str, str]:
    """The text in lower case outside strings, the comment behind it, and the quote that is open
    at its end. quote: the one that is open at its start, or ""; a Hollerith constant becomes a
    string where that is asked for."""
    mark = _MARK if hollerith else _QUOTE_OR_COMMENT
    pieces: list[str] = []
    at = 0
    while True:
        if quote:
            end = text.find(quote, at)
            if end < 0:
                pieces.append(text[at:])
                return "".join(pieces), "", quote
            pieces.append(text[at : end + 1])
            at, quote = end + 1, ""
        found = mark.search(text, at)
        if found is None:
            pieces.append(text[at:].lower())
            return "".join(pieces), "", ""
        pieces.append(text[at : found.start()].lower())
        at = found.end()
        if found[0] == "!":
            return "".join(pieces), text[found.start() :].rstrip(), ""
        if found[0] in "'\"":
            quote = found[0]
            pieces.append(quote)
        else:
            length = int(found[0][:-1])
            pieces.append("'" + text[at : at + length].replace("'", "''") + "'")
            at += length
