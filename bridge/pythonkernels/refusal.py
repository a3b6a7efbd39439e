"""What of a Python function does not become a kernel: where, what, why, and what to write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bridge.errors import BridgeError


@dataclass(frozen=True, order=True)
class Refusal:
    """construct: as Python calls it; change: what to write instead, or ""."""

    file: str
    line: int
    construct: str
    why: str
    change: str = ""

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}: {self.construct}: {self.why}"
        return f"{text}; {self.change}" if self.change else text


class Refused(BridgeError):
    """All that is refused of a file; nothing was written."""

    def __init__(self, refusals: Iterable[Refusal]) -> None:
        self.refusals = sorted(set(refusals))
        super().__init__("\n".join(map(str, self.refusals)))


class Construct(Exception):
    """Of one statement, whose place the translation knows; line: of a part of it."""

    def __init__(self, construct: str, why: str, change: str = "", line: int = 0) -> None:
        super().__init__(construct, why, change)
        self.construct, self.why, self.change, self.line = construct, why, change, line


class Follows(Exception):
    """What follows from something that was refused already."""
