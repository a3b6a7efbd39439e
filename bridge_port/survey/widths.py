"""Files of fixed form whose lines go on behind the last column that is read: does a compiler read
more of them? Old codes number their lines there, in columns 73 to 80."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bridge_port.refusal import Refused
from bridge_port.source.fixedform import has_text_behind
from bridge_port.source.lines import is_fixed
from bridge_port.source.physical import text_of
from bridge_port.survey.survey import Options
from bridge_port.syntax.parser import parse
from bridge_port.syntax.statements import Unread, walk
from bridge_port.syntax.units import every

#: Files that are read with other widths, and the widths.
MOST, WIDTHS = 40, (132, 0)
#: The last column of numbered lines.
NUMBERED = 80


def widths(files: Iterable[str], given: Options) -> dict[int, list[str]]:
    """Width (0 for all columns) -> files of which it reads more, each under the first that reads
    most."""
    found: dict[int, list[str]] = {}
    tried = 0
    for file in files:
        try:
            lengths = _behind(Path(file), given)
            if lengths and tried < MOST:
                tried += 1
                if (width := _better(file, lengths, given)) is not None:
                    found.setdefault(width, []).append(file)
        except (Refused, OSError, RecursionError):
            continue  # a line of the report by itself
    return found


def _better(file: str, lengths: list[int], given: Options) -> int | None:
    """None where no other width reads more."""
    # A statement that is cut may be one as well: a sum without its last term.
    before = _unread(file, given) + (max(lengths) > NUMBERED)
    counts = [(_unread(file, replace(given, width=w)) + _cut(lengths, w), w) for w in WIDTHS]
    count, width = min(counts, key=lambda one: one[0])
    return width if count < before else None


def _behind(path: Path, given: Options) -> list[int]:
    """Lengths of the lines that go on."""
    if not given.width or not (is_fixed(path) if given.fixed_form is None else given.fixed_form):
        return []
    lines = text_of(path).split("\n")
    return [len(raw.rstrip()) for raw in lines if raw and has_text_behind(raw, given.width)]


def _cut(lengths: list[int], width: int) -> bool:
    return bool(width) and max(lengths) > width


def _unread(file: str, given: Options) -> int:
    """Statements that cannot be read."""
    units = parse(file, fixed=given.fixed_form, width=given.width, folders=given.folders,
                  defines=given.defines)  # fmt: skip
    inside = (s for unit in every(units) for s in walk(unit.body))
    return sum(isinstance(s, Unread) for s in inside) + sum(len(u.unread) for u in every(units))
