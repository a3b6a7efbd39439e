"""Physical lines: those of a file, of what it includes, and of the arms that the preprocessor
takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bridge_port.source.ccomments import CComments
from bridge_port.source.folders import Folders, Included
from bridge_port.source.preprocessor import Preprocessor

#: File, number, text.
PhysicalLine = tuple[str, int, str]

_INCLUDE = re.compile(r"""[ \t]*\d*[ \t]*include[ \t]*(['"])([^'"]+)\1[ \t]*(?:!.*)?$""", re.I)
_ANY_INCLUDE = re.compile(r"""^[ \t]*#?[ \t]*include[ \t]*['"<]([^'">\n]+)""", re.I | re.M)
_HASH_LINE = re.compile(r"^[ \t]*#", re.M)
#: The same of fixed form, where a # in column 6 continues the line before.
_HASH_LINE_FIXED = re.compile(r"^(?! {5}#)[ \t]*#", re.M)


def text_of(path: Path) -> str:
    """In UTF-8 or, failing that, Latin-1; lines end with a line feed."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def included(text: str) -> list[str]:
    """Names of files that a text includes, under whatever condition."""
    return [match[1] for match in _ANY_INCLUDE.finditer(text)]


def physical_lines(
    path: Path, folders: Sequence[Path], defines: Sequence[str], fixed: bool = False
) -> Iterator[PhysicalLine]:
    """An include line of a file that is not found stays as it is."""
    return _lines(path, folders, Preprocessor(defines), (), _hash_line(fixed))


def _hash_line(fixed: bool) -> re.Pattern[str]:
    return _HASH_LINE_FIXED if fixed else _HASH_LINE


def _lines(
    path: Path,
    folders: Sequence[Path],
    preprocessor: Preprocessor,
    within: tuple[Path, ...],
    hash_line: re.Pattern[str],
) -> Iterator[PhysicalLine]:
    text = text_of(path)
    file = str(path)
    lines = text.split("\n")
    has_include = "include" in text or "INCLUDE" in text or "Include" in text
    preprocessed = hash_line.search(text) is not None
    macros = _has_macros(path, preprocessed) or bool(within)
    places = macros and ("__LINE__" in text or "__FILE__" in text)
    expands = macros and (preprocessor.has_macros or places)
    comments = CComments() if macros and "/*" in text else None
    if not has_include and not preprocessed and not expands and not comments:
        yield from ((file, number, line) for number, line in enumerate(lines, 1))
        return
    depth = preprocessor.depth
    for number, line in _whole(lines, comments, hash_line if preprocessed else None):
        if preprocessed and hash_line.match(line):
            wanted = preprocessor.directive(line.strip())
            if wanted == "":
                continue
            if wanted is not None:
                found = _find(wanted, path, folders, within)
                if found is not None:
                    _note(folders, Included(file, number, str(found), wanted, True))
                    yield from _lines(found, folders, preprocessor, (*within, path), hash_line)
                    continue
            yield file, number, line.strip()
            continue
        if preprocessor.skips:
            continue
        if has_include and (include := _INCLUDE.match(line)):
            found = _find(include[2].strip(), path, folders, within)
            if found is not None:
                name = include[2].strip()
                _note(folders, Included(file, number, str(found), name, False))
                yield from _unprocessed(found, folders, (*within, path))
                continue
        if macros and (preprocessor.has_macros or places):
            preprocessor.at(file, number)
            line = preprocessor.expand(line)
        yield file, number, line
    if comments and comments.inside:
        yield file, len(lines), "#: a comment /* without */"
    if preprocessor.depth > depth:
        yield file, len(lines), "#if without #endif"
        preprocessor.close(depth)


def _has_macros(path: Path, preprocessed: bool) -> bool:
    """Whether gfortran calls its preprocessor by itself, or needs it."""
    return preprocessed or path.suffix.isupper() or path.suffix[1:2] == "F"


def _whole(
    lines: Sequence[str], comments: CComments | None, hash_line: re.Pattern[str] | None
) -> Iterator[tuple[int, str]]:
    """Lines without comments of C, with the number of the first: what follows such a comment, and
    what a directive goes on with, belongs to the line where that began."""
    count = 0
    while count < len(lines):
        line = lines[count]
        count += 1
        number = count
        if comments:
            line = comments.without(line)
            while comments.inside and count < len(lines):
                line += comments.without(lines[count])
                count += 1
        if hash_line is not None and hash_line.match(line):
            while line.endswith("\\") and count < len(lines):
                line = line[:-1] + (comments.without(lines[count]) if comments else lines[count])
                count += 1
        yield number, line


def whole_directives(path: Path, text: str, fixed: bool = False) -> list[str]:
    """Lines of a file, as many as it has, with each directive of the preprocessor on one of them
    and without comments of C. Of such lines any may be taken out that is no directive."""
    hash_line = _hash_line(fixed)
    lines = text.split("\n")
    preprocessed = hash_line.search(text) is not None
    if not _has_macros(path, preprocessed):
        return lines
    found = [""] * len(lines)
    for number, line in _whole(lines, CComments(), hash_line):
        found[number - 1] = line
    return found


def _unprocessed(
    path: Path, folders: Sequence[Path], within: tuple[Path, ...]
) -> Iterator[PhysicalLine]:
    """Of a file that Fortran's own include names: the preprocessor has ended by then, so that
    macros mean nothing in it, and its own lines stay."""
    for number, line in enumerate(text_of(path).split("\n"), 1):
        found = None
        if include := _INCLUDE.match(line):
            name = include[2].strip()
            found = _find(name, path, folders, within)
        if found is not None:
            _note(folders, Included(str(path), number, str(found), name, False))
            yield from _unprocessed(found, folders, (*within, path))
        else:
            yield str(path), number, line


def _note(folders: Sequence[Path], one: Included) -> None:
    if isinstance(folders, Folders):
        folders.included[one] = None


def _find(name: str, path: Path, folders: Sequence[Path], within: tuple[Path, ...]) -> Path | None:
    for folder in (path.parent, *(outer.parent for outer in within), *folders):
        found = folder / name
        if found.is_file() and found != path and found not in within:
            return found
    below = folders.inside(name) if isinstance(folders, Folders) else None
    return None if below in (path, *within) else below
