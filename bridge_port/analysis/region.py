"""Which statements a port is of: lines of a file, lines between directives, a whole body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from bridge_port.refusal import NOWHERE, Place, Refused
from bridge_port.syntax.statements import (
    Arm,
    Case,
    Continue,
    Do,
    Guard,
    If,
    Return,
    Select,
    SelectType,
    Statement,
    walk,
)
from bridge_port.syntax.units import Unit

_Behind = Arm | Case | Guard

_DIRECTIVE = re.compile(r"^\s*[!c*]\$bridge\s+(begin|end)\b\s*(\w*)", re.IGNORECASE)


@dataclass
class Region:
    """statements: of one list, as they stand in the unit; around: what holds that list, outermost
    first; later: what may run after them, in the rest of their list, of the lists around and
    before them in loops around."""

    statements: list[Statement]
    around: list[Statement]
    later: list[Statement]
    place: Place


def region(unit: Unit, first: int, last: int) -> Region:
    """Of lines first to last; the whole body where both are 0."""
    if not first and not last:
        statements = list(unit.body)
        if statements and isinstance(statements[-1], Return):
            statements.pop()
        if not statements:
            raise Refused(unit.place, f"{unit.kind} {unit.name}", "it has no statements")
        return Region(statements, [], [], statements[0].place)
    found = _find(unit.body, first, last, unit.place.file, [])
    if found is None:
        raise Refused(
            Place(unit.place.file, first),
            f"lines {first}-{last}",
            f"no statement of {unit.name} begins there",
        )
    return found


def last_line(statement: Statement) -> int:
    """Of it and what is inside."""
    return max(max(s.place.line, s.place.last) for s in walk([statement]))


def _find(
    body: list[Statement], first: int, last: int, file: str, around: list[Statement]
) -> Region | None:
    chosen = [
        n for n, s in enumerate(body) if s.place.file == file and first <= s.place.line <= last
    ]
    chosen = [n for n in chosen if not (isinstance(body[n], Continue) and not body[n].label)]
    for number, s in enumerate(body):
        if number in chosen:
            continue
        for inner in s.bodies():
            found = _find(inner, first, last, file, [*around, s])
            if found is None:
                continue
            if chosen:
                raise Refused(
                    s.place,
                    f"lines {first}-{last}",
                    f"they begin or end within the statement of line {s.place.line}",
                    "give whole loops",
                )
            if isinstance(s, Do):
                if s.condition is not None:
                    found.later.append(If(s.place, arms=[Arm(s.condition, [], s.place)]))
                before = [one for one in inner if one not in found.statements]
                found.later += [one for one in before if one not in found.later]
            found.later += body[number + 1 :]
            return found
    if not chosen:
        return None
    statements = body[chosen[0] : chosen[-1] + 1]
    for s in statements:
        if s.place.file == file and last_line(s) > last:
            raise Refused(
                s.place,
                f"lines {first}-{last}",
                f"the statement of line {s.place.line} ends behind them, at line {last_line(s)}",
                "give whole loops",
            )
    return Region(
        list(statements), list(around), list(body[chosen[-1] + 1 :]), statements[0].place
    )


def directives(unit: Unit) -> dict[str, tuple[int, int]]:
    """The nests between `!$bridge begin name` and `!$bridge end`: name -> first and last line."""
    found: dict[str, tuple[int, int]] = {}
    _directives(unit.body, found)
    return found


def _directives(
    body: Sequence[Statement], found: dict[str, tuple[int, int]], behind: _Behind | None = None
) -> None:
    """behind: what ends the list and holds the comments before it."""
    open_: tuple[str, int] | None = None
    previous = 0

    def marked(comments: Sequence[str], place: Place) -> None:
        nonlocal open_
        for text in comments:
            match = _DIRECTIVE.match(text)
            if match is None:
                continue
            word, name = match[1].lower(), match[2].lower()
            if word == "begin":
                if open_ is not None:
                    raise Refused(place, f"!$bridge begin {name}", f"{open_[0]} has not ended")
                if not name or name in found:
                    why = "a nest of this name stands before it" if name else "it has no name"
                    raise Refused(place, f"!$bridge begin {name}".rstrip(), why)
                open_ = (name, place.line)
            elif open_ is None:
                raise Refused(
                    place, "!$bridge end", "no nest has begun in this list of statements"
                )
            else:
                found[open_[0]] = (open_[1], previous)
                open_ = None

    for s in body:
        marked(s.comments, s.place)
        for inner, comments in _lists(s):
            _directives(inner, found, comments)
        previous = last_line(s)
    if behind is not None:
        marked(behind.comments, behind.place)
    if open_ is not None:
        raise Refused(
            body[-1].place if body else behind.place if behind is not None else NOWHERE,
            f"!$bridge begin {open_[0]}",
            "no '!$bridge end' follows in this list of statements",
        )


def _lists(s: Statement) -> Iterator[tuple[list[Statement], _Behind | None]]:
    """The lists inside a statement, and the else or the case that ends each."""
    parts: Sequence[_Behind] = ()
    if isinstance(s, If):
        parts = s.arms
    elif isinstance(s, Select):
        parts = s.cases
    elif isinstance(s, SelectType):
        parts = s.guards
    if parts and not isinstance(parts[0], Arm):
        yield [], parts[0]
    if not parts:
        yield from ((inner, None) for inner in s.bodies())
    for part, following in zip_longest(parts, parts[1:]):
        yield part.body, following


# ---- Lines that a user gives of a file: which unit they are of, and without the end of that -----


def unit_of_lines(units: Sequence[Unit], main: str, first: int, last: int) -> tuple[Unit, int]:
    """units: of the file. The one with statements in these lines, and the last line without what
    ends it where no other statement follows."""
    own = {n: list(_statements(unit, first, last)) for n, unit in enumerate(units)}
    held = [n for n, found in own.items() if found]
    if not held:
        raise Refused(Place(main, first), f"lines {first}-{last}", "no statement begins there")
    spans = [
        (min(s.place.line for s in own[n]), max(map(last_line, own[n])), units[n]) for n in held
    ]
    begins = [u for u in units if _begins(u) and first <= u.place.line <= last]
    if len(held) > 1 or begins:
        one = begins[0] if begins else units[held[-1]]
        # A nest alone is given again, without what stands around it.
        lines = " or ".join(f"{a}-{b} of {unit.name or unit.kind}" for a, b, unit in spans)
        why = (
            f"{one.kind} {one.name} begins in them"
            if begins
            else "they hold statements of two procedures"
        )
        raise Refused(
            Place(main, one.place.line), f"lines {first}-{last}", why.rstrip(),
            f"give lines of loops alone: {lines}",
        )  # fmt: skip
    [(_, end, unit)] = spans
    ends = [u.contains for u in units] + [u.place.last for u in units]
    ends += [s.place.line for s in unit.body if isinstance(s, Return)]
    return unit, end if any(end < line <= last for line in ends) else last


def _begins(unit: Unit) -> bool:
    """Whether a statement says so: a program may have none."""
    return unit.kind != "program" or bool(unit.name)


def _statements(unit: Unit, first: int, last: int) -> Iterator[Statement]:
    """Those that begin in these lines, but for a return at their end. A continue without a label
    may hold comments at the line of an end."""
    body = [s for s in unit.body if not (isinstance(s, Continue) and not s.label)]
    inside = [s for s in body if s.place.file == unit.place.file and s.place.line <= last]
    if inside and isinstance(inside[-1], Return) and not inside[-1].label:
        last = inside[-1].place.line - 1
    for s in walk(unit.body):
        comments = isinstance(s, Continue) and not s.label
        if s.place.file == unit.place.file and first <= s.place.line <= last and not comments:
            yield s
