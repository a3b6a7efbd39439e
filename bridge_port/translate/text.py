"""Lines of a C++ function, indented and broken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

WIDTH = 99


class Lines:
    """note: of the statement whose first line comes next."""

    def __init__(self, depth: int = 1) -> None:
        self.lines: list[str] = []
        self.depth = depth
        self.note = ""

    def put(self, text: str) -> None:
        note, self.note = self.note, ""
        self.lines += broken(text, self.depth, note)

    def comment(self, text: str) -> None:
        self.lines.append(("    " * self.depth + "// " + text).rstrip())

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        yield
        self.depth -= 1

    def directive(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)


def broken(text: str, depth: int, note: str = "") -> list[str]:
    """The text in lines of at most WIDTH columns, the note behind the first or above."""
    indent = "    " * depth
    behind = f"  // {note}" if note else ""
    if len(indent) + len(text) + len(behind) <= WIDTH:
        return [indent + text + behind]
    lines = [f"{indent}// {note}"] if note else []
    room = WIDTH - len(indent)
    while len(text) > room:
        places = [m.end() for m in re.finditer(r", | [-+*/&|?:=<>]+ |; ", text[:room])]
        places = [place for place in places if place > 24]
        if not places:
            break
        lines.append(indent + text[: places[-1]].rstrip())
        text = text[places[-1] :]
        indent = "    " * depth + "        "
        room = WIDTH - len(indent)
    return [*lines, indent + text]


def words(code: str) -> set[str]:
    """Names of C++ in a text."""
    return set(re.findall(r"[A-Za-z_]\w*", code))


def comment_lines(comments: Iterable[str]) -> Iterator[str]:
    """Without the marks of Fortran; directives of OpenMP and OpenACC stay as they are."""
    for comment in comments:
        text = comment.strip()
        if text[:1] in "!cC*" and text:
            text = text[1:] if not text[1:2] == "$" else text
        text = text.strip("\t ").rstrip("\\")
        if text.startswith("!") and not text.startswith("!$"):
            text = text.lstrip("! ")
        if text:
            yield text
