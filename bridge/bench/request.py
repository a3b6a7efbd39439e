"""What the caller of `bridge bench` asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bridge.errors import ArgumentError
from bridge.measuring.states import DEFAULT_NS, check_ns


@dataclass(frozen=True)
class Request:
    """ns: numbers of species; points: states, or points of a block; threads of the last
    comparison; isa: of our kernels, None for the best; fortran_stub: folder of the Fortran, None
    for the package's; seconds: of each comparison; cantera: whether it takes part; ranks:
    processes at the same time; backend: None for what the benchmark is about; policies: every
    launch policy of a GPU; sizes: cells along a side of a square; json: the file that a long
    benchmark writes after each comparison, for a run that is ended early."""

    ns: tuple[int, ...] = DEFAULT_NS
    points: int | None = None
    threads: int = 2
    isa: str | None = None
    fortran_stub: str | None = None
    seconds: float = 3.0
    cantera: bool = True
    ranks: tuple[int, ...] = ()
    backend: str | None = None
    policies: bool = False
    sizes: tuple[int, ...] = ()
    json: str | None = None

    def __post_init__(self) -> None:
        check_ns(self.ns)
        if not 0.0 < self.seconds < math.inf:
            raise ArgumentError("seconds", self.seconds, "a time above 0")
        if self.points is not None and self.points < 1:
            raise ArgumentError("points", self.points, "at least 1")
        if self.threads < 1:
            raise ArgumentError("threads", self.threads, "at least 1")
        if any(size < 2 or size % 2 for size in self.sizes):
            raise ArgumentError("sizes", self.sizes, "even numbers of cells, at least 2")
        if any(ranks < 1 for ranks in self.ranks):
            raise ArgumentError("ranks", self.ranks, "at least 1 each")


def parse_numbers(name: str, text: str) -> tuple[int, ...]:
    """Whole numbers from "1,4,16"; name: of the argument."""
    try:
        numbers = tuple(int(part) for part in text.replace(",", " ").split())
    except ValueError:
        numbers = ()
    if not numbers:
        raise ArgumentError(name, repr(text), "numbers such as 1,4,16")
    return numbers


def parse_ns(text: str) -> tuple[int, ...]:
    """Numbers of species from "1,4,16"."""
    return parse_numbers("ns", text)
