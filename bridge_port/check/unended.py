"""Dummies `x(1)` of old codes that have more elements, in originals whose bounds are checked.

They are declared `x(*)` there. What the kernel is compared with keeps its text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridge_port.kernel import Kernel
from bridge_port.refusal import Refused
from bridge_port.source.physical import text_of
from bridge_port.syntax.units import Unit, every
from bridge_port.translate.unended import is_open


def without_ends(program: Any, kernel: Kernel, texts: Mapping[str, str]) -> dict[str, str]:
    """texts: of files that are not compiled as they are; the same, and those with such dummies."""
    places = {(place.file, place.line) for place in kernel.places}
    found: dict[str, list[str]] = {}
    for unit in every(program.units):
        if (unit.place.file, unit.place.line) not in places:
            continue
        names = _ones(program, unit)
        for d in unit.declarations:
            file = d.place.file
            if d.name not in names or d.dimensions is None:
                continue
            if file not in found:
                text = texts[file] if file in texts else text_of(Path(file))
                found[file] = text.split("\n")
            pattern = re.compile(rf"(?i)(\b{d.name}\s*\((?:[^()]*,)?\s*)1(\s*\))")
            for at in range(d.place.line - 1, max(d.place.line, d.place.last)):
                found[file][at] = pattern.sub(r"\1*\2", found[file][at])
    return {**texts, **{file: "\n".join(lines) for file, lines in found.items()}}


def _ones(program: Any, unit: Unit) -> set[str]:
    """Dummies with an end that is none."""
    names = set()
    for name in unit.arguments:
        try:
            symbol = program.scope(unit).find(name)
        except Refused:
            continue
        if symbol is not None and is_open(symbol) and symbol.dimensions[-1].upper is not None:
            names.add(name)
    return names
