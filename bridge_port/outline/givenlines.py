"""Lines that a user gives of a file: which unit they are of, and without the end of that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.outline.region import last_line
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.statements import Continue, Return, Statement, walk
from bridge_port.syntax.units import Unit


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
