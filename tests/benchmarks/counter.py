"""What the pools of the tests do; in a module that their processes can import."""

from __future__ import annotations

import os
from typing import Any

from bridge.errors import BridgeError


class Counter:
    """A rank that counts its turns and can fail."""

    def __init__(self, rank: Any, size: Any, first: Any) -> None:
        self.rank, self.size, self.points, self.turns = rank, size, 10 * (rank + 1), first
        if first < 0:
            raise ValueError(f"rank {rank} does not begin at {first}")

    def work(self) -> None:
        self.turns += 1

    def told(self, number: Any) -> Any:
        return self.rank, self.size, self.turns + number, os.environ.get("BENCH_POOL")

    def core(self) -> Any:
        return sorted(os.sched_getaffinity(0))

    def fail(self, which: Any) -> None:
        if self.rank == which:
            raise ValueError("no more of this")

    def refuse(self) -> None:
        raise BridgeError("this rank may not")
