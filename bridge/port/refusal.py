"""What is not translated: where, what, why, and what to change."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.errors import BridgeError


@dataclass(frozen=True, order=True)
class Place:
    """Lines of a file; last: of a statement that goes over several."""

    file: str
    line: int
    last: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


#: Where nothing is known of the place.
NOWHERE = Place("", 0)


@dataclass(frozen=True)
class Refusal:
    """construct: as Fortran calls it ("goto backwards to 20"); why: in a few words; change: what
    the user can do ("write it as do while"), or ""."""

    place: Place
    construct: str
    why: str = ""
    change: str = ""

    def __str__(self) -> str:
        text = f"{self.place}: {self.construct}"
        if self.why:
            text += f": {self.why}"
        return f"{text}; {self.change}" if self.change else text


class Refused(BridgeError):
    """Nothing is written on a doubt. others: refusals of the same source besides the first one,
    where they were asked for."""

    def __init__(self, place: Place, construct: str, why: str = "", change: str = "") -> None:
        self.refusal = Refusal(place, construct, why, change)
        self.others: list[Refusal] = []
        super().__init__(str(self.refusal))
