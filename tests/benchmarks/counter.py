"""What the pools of the tests do; in a module that their processes can import."""

from __future__ import annotations

import os

from bridge.errors import BridgeError


class Counter:
    """A rank that counts its turns and can fail."""

    def __init__(self, rank, size, first):
        self.rank, self.size, self.points, self.turns = rank, size, 10 * (rank + 1), first
        if first < 0:
            raise ValueError(f"rank {rank} does not begin at {first}")

    def work(self):
        self.turns += 1

    def told(self, number):
        return self.rank, self.size, self.turns + number, os.environ.get("BENCH_POOL")

    def core(self):
        return sorted(os.sched_getaffinity(0))

    def fail(self, which):
        if self.rank == which:
            raise ValueError("no more of this")

    def refuse(self):
        raise BridgeError("this rank may not")
