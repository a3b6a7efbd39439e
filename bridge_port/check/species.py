"""The species of a checked run: how many, and which."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.errors import ArgumentError
from bridge.physics.speciestable import shipped_records
from bridge_port.check.states import Range

#: Where nobody says how many.
SPECIES = ("CH4", "O2", "H2O")


def number(variable: str, ranges: Mapping[str, Range]) -> int:
    """As --range says it of the variable, NAME or MODULE::NAME; else of SPECIES."""
    said = ranges.get(variable.lower().rpartition("::")[2])
    if said is None:
        return len(SPECIES)
    most = len(shipped_records())
    if not said[0] == said[1] == round(said[0]) or not 1 <= said[0] <= most:
        wanted = f"one number from 1 to {most}, the shipped species"
        raise ArgumentError("--range", f"{variable}={said[0]:g},{said[1]:g}", wanted)
    return int(said[0])


def names(ns: int) -> list[str]:
    """SPECIES, then others of the shipped table."""
    others = [name for name in shipped_records() if name not in SPECIES]
    return [*SPECIES, *others][:ns]
