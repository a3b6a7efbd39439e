"""What the caller of `bridge bench` asks for."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.bench.states import DEFAULT_NS
from bridge.errors import ArgumentError


@dataclass(frozen=True)
class Request:
    """ns: numbers of species; points: states, or points of a block; threads of the last race;
    isa: of our kernels, None for the best; fortran_stub: folder of the Fortran, None for the
    package's; seconds: of each race; cantera: whether it takes part."""

    ns: tuple[int, ...] = DEFAULT_NS
    points: int | None = None
    threads: int = 2
    isa: str | None = None
    fortran_stub: str | None = None
    seconds: float = 3.0
    cantera: bool = True

    def __post_init__(self) -> None:
        if self.points is not None and self.points < 1:
            raise ArgumentError("points", self.points, "at least 1")
        if self.threads < 1:
            raise ArgumentError("threads", self.threads, "at least 1")


def parse_ns(text: str) -> tuple[int, ...]:
    """Numbers of species from "1,4,16"."""
    try:
        numbers = tuple(int(part) for part in text.replace(",", " ").split())
    except ValueError:
        numbers = ()
    if not numbers:
        raise ArgumentError("ns", repr(text), "numbers such as 1,4,16")
    return numbers
