"""A nest under test calls what fills its variables: its unit is not pure, nor what calls it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bridge_port.syntax.units import Unit, every


def without_pure(units: Sequence[Unit], unit: Unit, lines: list[str]) -> None:
    """Heads of procedures. units: of the program; lines: of the file of the nest's unit."""
    file = unit.place.file
    inside = [
        u for u in every(units) if u.place.file == file and u.kind not in ("module", "submodule")
    ]
    types = [t for u in every(units) for t in u.types.values()]
    generics = [(name, s) for u in every(units) for name, s in u.interfaces.items()]
    names = {unit.name}
    found: list[Unit] = [unit]
    again = True
    while again:
        names |= {b.name for t in types for b in t.bindings.values()
                  if b.target in names or names & set(b.specifics)}  # fmt: skip
        names |= {name for name, specifics in generics if names & set(specifics)}
        word = re.compile(rf"(?i)\b({'|'.join(map(re.escape, sorted(names)))})\b")
        more = [u for u in inside if u not in found
                and any(word.search(t) for t in lines[u.place.line : u.place.last])]  # fmt: skip
        found += more
        names |= {u.name for u in more}
        again = bool(more)
    for one in found:
        head = one.place.line - 1
        lines[head] = re.sub(r"(?i)\bpure\b[ \t]*", "", lines[head])
        if one is unit:
            lines[head] = re.sub(r"(?i)\b(impure[ \t]+)?elemental\b[ \t]*", "", lines[head])
        elif not re.search(r"(?i)\bimpure\b", lines[head]):
            lines[head] = re.sub(r"(?i)\belemental\b", "impure elemental", lines[head])
