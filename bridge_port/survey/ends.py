"""Optional arguments: a kernel holds for one choice of those that are given, and a survey looks at
both ends, all of them and none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from bridge_port.outline.presence import open_questions
from bridge_port.outline.region import region
from bridge_port.program.symbols import DUMMY
from bridge_port.refusal import Refusal, Refused
from bridge_port.survey.found import Found
from bridge_port.syntax.units import Unit

#: What a nest asks of its optional arguments.
ASKED = "--present "
#: Where nothing is left to do without them, the other end alone is a kernel.
_NOTHING = re.compile(r"it gives no result of a point|nothing is left of it")
#: What is no integer of the procedure without them.
_UNREAD = re.compile(r"fixed (\w+)")
Done = TypeVar("Done")
Said = Mapping[str, bool]


def optional_of(program: Any, unit: Unit) -> list[str]:
    """Of a procedure; an optional text is taken as not given in any case."""
    scope = program.scope(unit)
    names = [d for d in unit.arguments if d != "*"]
    found = [one for name in names if (one := scope.find(name)) is not None]
    return [one.name for one in found
            if one.storage == DUMMY and one.optional and one.type != "character"]  # fmt: skip


def without(
    found: Found, names: list[str], fixed: Mapping[str, int], shapes: Mapping[str, Any],
    attempt: Callable[[Found, Said, dict[str, int], dict[str, Any]], Refusal | None],
) -> Refusal | None:  # fmt: skip
    """Of what translates with all optional arguments: the reason against it without them. Found
    gets their names."""
    if not names:
        return None
    absent = dict.fromkeys(names, False)
    own = {n: value for n, value in fixed.items() if n.partition("%")[0] not in absent}
    own_shapes = {n: value for n, value in shapes.items() if n.partition("%")[0] not in absent}
    while True:
        refusal = attempt(replace(found), absent, own, own_shapes)
        unread = None if refusal is None else _UNREAD.fullmatch(refusal.construct)
        if unread is None or unread[1] not in own:
            break
        del own[unread[1]]
    if refusal is not None and not _NOTHING.search(refusal.why):
        return refusal
    found.optional = names
    return None


def both(
    program: Any, unit: Unit, lines: tuple[int, int], asks: Refusal,
    attempt: Callable[[Said], Done | Refusal],
) -> tuple[Done, list[str]] | Refusal:  # fmt: skip
    """Of a nest: what it is with all of them, and their names; asks: the refusal where nothing is
    said."""
    try:
        names = open_questions(program.scope(unit), unit, region(unit, *lines))
    except Refused:
        return asks
    done = attempt(dict.fromkeys(names, True))
    if isinstance(done, Refusal):
        return done
    other = attempt(dict.fromkeys(names, False))
    if isinstance(other, Refusal) and not _NOTHING.search(other.why):
        return other
    return done, names
