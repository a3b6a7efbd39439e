"""What ranks agree on while they open their backends: whether GPUs are used, and who shares one.

Between `open_backend` and the backends. Every rank of the communicator makes the same collective
calls, whatever it was asked for and whatever went wrong on it; only then may one of them raise or
take another backend. So none waits for a rank that has left.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bridge.errors import DeviceError, OutOfMemoryError


@dataclass(frozen=True)
class Opened:
    """How opening a GPU ended on one rank.

    wanted: "auto", "cpu" or "cuda"; host: name of the node; pci: of the GPU that was opened, ""
    for none; why: what kept it from being opened, "" for nothing; final: no other backend
    makes it good, because the GPU was asked for by name or the call itself is wrong.
    """

    wanted: str
    host: str
    pci: str = ""
    why: str = ""
    final: bool = False

    @classmethod
    def of(cls, wanted: str, pci: str, error: BaseException | None) -> Opened:
        """error: what opening raised."""
        host = os.uname().nodename
        if error is None:
            return cls(wanted, host, pci)
        final = wanted == "cuda" or not isinstance(error, DeviceError | OutOfMemoryError)
        return cls(wanted, host, "", str(error) or type(error).__name__, final)


@dataclass(frozen=True)
class Agreement:
    """How opening ended on every rank, in their order."""

    ranks: Sequence[Opened]

    @classmethod
    def reach(cls, mine: Opened, communicator: Any) -> Agreement:
        """Collective on the communicator; without one a rank agrees with itself."""
        return cls([mine] if communicator is None else communicator.allgather(mine))

    @property
    def failure(self) -> str:
        """Why every rank that was to have a GPU raises; "" where none does."""
        return self._first([one for one in self.ranks if one.final])

    @property
    def obstacle(self) -> str:
        """Why "auto" is the CPU on every rank; "" where it is the GPU."""
        return self._first([one for one in self.ranks if one.why])

    def _first(self, kept_from: Sequence[Opened]) -> str:
        """The first reason, with its rank unless it is everybody's."""
        if not kept_from:
            return ""
        one = kept_from[0]
        if all(other.why == one.why for other in self.ranks):
            return one.why
        return f"rank {self.ranks.index(one)} on {one.host}: {one.why}"

    def places(self) -> list[tuple[str, str]]:
        """(host, PCI id) of the GPU of every rank that keeps one."""
        return [
            (one.host, one.pci)
            for one in self.ranks
            if one.pci and (one.wanted == "cuda" or not self.obstacle)
        ]
