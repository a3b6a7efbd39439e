"""Logical lines: what Fortran calls a statement, of free and of fixed form.

A line has its label taken off, continuation joined, comments put aside and case folded outside
strings. Comments, directives such as !$omp among them, are kept with the statement that follows,
those behind a statement with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bridge_port.refusal import Place
from bridge_port.source.ccomments import CComments
from bridge_port.source.fixedform import has_text_behind, join_fixed
from bridge_port.source.folders import Folders
from bridge_port.source.freeform import join_free
from bridge_port.source.joined import Joined
from bridge_port.source.physical import PhysicalLine, physical_lines, text_of

FIXED_SUFFIXES = (".f", ".for", ".ftn", ".f77")
FREE_SUFFIXES = (".f90", ".f95", ".f03", ".f08", ".f18")

_SPLIT = re.compile(r"""'[^']*'|"[^"]*"|;""")
_LABEL = re.compile(r"(\d{1,5})\s*(?=[a-z;]|$)")
_NOT_FIXED = re.compile(r"[ \d]{0,4}[abe-zABE-Z_]")
#: A line of fixed form has no & at its end, but behind column 72.
_GOES_ON = re.compile(r"(?![cCdD*!#])[^!'\"]*&[ \t]*(?:!.*)?$")


@dataclass(slots=True)
class Line:
    """A statement of the text; label: "" where there is none; comments: the lines before it, and
    behind it on its own lines, as written; fixed: blanks mean nothing in it; behind: how far its
    lines go that have text behind the last column, 0 of none."""

    place: Place
    label: str
    text: str
    comments: tuple[str, ...] = ()
    fixed: bool = False
    behind: int = 0

    def unread(self, why: str) -> str:
        """Why it cannot be read."""
        more = f"; text behind the last column is not read, --width {reads(self.behind)} reads it"
        return why + more if self.behind else why


def reads(length: int) -> int:
    """The width that compilers read lines of such a length with; 0 is all."""
    return 132 if length <= 132 else 0


def left_out(place: Place, width: int, fixed: bool | None) -> int:
    """The first line of a place of fixed form that has text behind the last column, or 0."""
    path = Path(place.file)
    if not (is_fixed(path) if fixed is None else fixed):
        return 0
    lines = text_of(path).split("\n")[place.line - 1 : place.last]
    found = (n for n, raw in enumerate(lines, place.line) if has_text_behind(raw, width))
    return next(found, 0)


def read(
    path: str | Path,
    *,
    fixed: bool | None = None,
    width: int = 72,
    folders: Iterable[str | Path] = (),
    defines: Sequence[str] = (),
) -> list[Line]:
    """The statements of a file and of what it includes. fixed: its form, None by its suffix or,
    where that does not say, by its text; width: of lines of fixed form; folders: of includes,
    and those inside where they are `Folders`; defines: NAME or NAME=VALUE of the preprocessor."""
    path = Path(path)
    if fixed is None:
        fixed = is_fixed(path)
    known = folders if isinstance(folders, Folders) else tuple(Path(one) for one in folders)
    physical = physical_lines(path, known, defines, fixed)
    joined = join_fixed(physical, width) if fixed else join_free(physical)
    return _statements(joined, fixed)


def is_fixed(path: Path) -> bool:
    """By suffix; a file of fixed form by its suffix that has letters before column 6, or lines
    that end with &, is not."""
    suffix = path.suffix.lower()
    if suffix in FREE_SUFFIXES:
        return False
    comments = CComments()  # of C, in files that are preprocessed
    lines = list(map(comments.without, text_of(path).split("\n")))
    if any(_NOT_FIXED.match(line) or ("&" in line and _GOES_ON.match(line[:72]))
           for line in lines):  # fmt: skip
        return False
    return suffix in FIXED_SUFFIXES or any(
        line[:1] in ("c", "C", "*") or re.match(r"     [^ 0!]\S*", line) for line in lines
    )


def _statements(joined: Iterable[Joined], fixed: bool) -> list[Line]:
    found: list[Line] = []
    for one in joined:
        text, label = one.text.strip(), one.label
        if not fixed and text[:1].isdigit():
            number = _LABEL.match(text)
            if number:
                label, text = number[1].lstrip("0"), text[number.end() :]
        comments = tuple(one.comments)
        place = Place(one.file, one.first, one.last)
        if ";" not in text:
            if text or label or comments:
                found.append(Line(place, label, text, comments, fixed, one.behind))
            continue
        for part in _parts(text):
            if part or label:
                found.append(Line(place, label, part, comments, fixed, one.behind))
                label, comments = "", ()
    return found


def _parts(text: str) -> list[str]:
    parts, begin = [], 0
    for mark in _SPLIT.finditer(text):
        if mark[0] == ";":
            parts.append(text[begin : mark.start()].strip())
            begin = mark.end()
    parts.append(text[begin:].strip())
    return parts


__all__ = ["Line", "PhysicalLine", "is_fixed", "read"]
