"""Which points run at a place of a procedure.

A region is what points can leave alone: the procedure (return), a loop (exit), a turn of a loop
(cycle), the statements before a label (goto). Regions lie in each other. A region that points
leave one by one has a gate, a variable with the mask of those still in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PROCEDURE, LOOP, TURN, LABEL = "procedure", "loop", "turn", "label"


@dataclass(eq=False)
class Region:
    """key: the same each time that the procedure is written; gate: name of its mask or "";
    entry: the mask that the gate began with; name: of the loop, or the label."""

    kind: str
    key: tuple[object, ...]
    name: str = ""
    gate: str = ""
    entry: str = ""


@dataclass(frozen=True)
class Flow:
    """mask: name of the mask of the points that run here, "" of all; level: number of the
    outermost region all of whose points run here (0: all that have not returned)."""

    mask: str = ""
    level: int = 0


@dataclass
class Regions:
    """stack: outermost first; left: regions that points left since somebody cleared it."""

    stack: list[Region] = field(default_factory=list)
    left: set[int] = field(default_factory=set)

    @property
    def inner(self) -> int:
        return len(self.stack)

    def gate(self) -> str:
        """The mask of the innermost region that has one."""
        return next((region.gate for region in reversed(self.stack) if region.gate), "")

    def is_gate(self, mask: str) -> bool:
        """Whether a mask is that gate, or what it began with: it has none but points of it."""
        for region in reversed(self.stack):
            if region.gate:
                return mask in (region.gate, region.entry)
        return False

    def find(self, kind: str, name: str = "") -> int | None:
        """The innermost one of a kind; name "" fits any."""
        for number in range(len(self.stack) - 1, -1, -1):
            region = self.stack[number]
            if region.kind == kind and (not name or region.name == name):
                return number
        return None


def negated(mask: str) -> str:
    """The other points. The mask is an operand: a name, a call, parentheses, or ! before one."""
    return mask[1:] if mask.startswith("!") else f"!{mask}"
