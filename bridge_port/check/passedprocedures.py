"""Procedures that the original is given for its arguments and components that are procedures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bridge_port.syntax.units import Unit
from bridge_port.syntax.unittext import unit_lines


class PassedProcedures:
    """given: by argument, or by the path of a component. Each has a name of its own in the
    check, but one of no module."""

    def __init__(self, program: Any, given: Mapping[str, Unit]) -> None:
        self.program, self.given = program, given
        self._names = {word: f"zz_p{n}" for n, word in enumerate(given)}

    def __getitem__(self, word: str) -> str:
        unit = self.given[word]
        return self._names[word] if unit.parent is not None else unit.name

    def uses(self) -> list[str]:
        return [
            f"  use {unit.parent.name}, only: {self[word]} => {unit.name}"
            for word, unit in self.given.items()
            if unit.parent is not None
        ]

    def declarations(self) -> list[str]:
        """Interfaces of those that stand in no module, each once."""
        outside = {unit.name: unit for unit in self.given.values() if unit.parent is None}
        return [text for unit in outside.values() for text in interface(unit)]

    def pointers(self, dummy: str, local: str) -> list[str]:
        """Statements that set components of the variable for an argument."""
        return [
            f"{local}{word.removeprefix(dummy)} => {self[word]}"
            for word in self.given
            if word.startswith(f"{dummy}%")
        ]


def interface(unit: Unit) -> list[str]:
    """Of a procedure outside of modules."""
    return ["  interface", *unit_lines(replace(unit, body=[], units=[]), 4), "  end interface"]
