"""The legacy Fortran on all cores at once: what a GPU has to beat is a whole node of it.

A process per core evaluates states of its own, point by point, as a rank of the solver does; the
figure is nanoseconds per point with all of them busy.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from bridge.bench.rankpool import RankPool
from bridge.measuring.fortran import FortranPhysics, build
from bridge.measuring.states import random_states

#: What a GPU is compared with: the legacy subroutines and their hand-tuned form, both at -O3
#: -march=native -ffast-math.
REFERENCES = ("fortran-fast", "fortran-tuned")


class FortranRank:
    """The point loops of one process."""

    def __init__(self, rank: int, size: int, libraries: dict[str, Path]) -> None:
        self._physics = {
            name: FortranPhysics(name, library.parent, library)
            for name, library in libraries.items()
        }
        self.points = 0

    def prepare(self, name: str, ns: int, points: int) -> None:
        """Turn to a reference and a number of species."""
        states = random_states(ns, points, kij=False)
        self._physics[name].use(states.species)
        self.points = points
        self.work = self._physics[name].sets(states).run_full


def all_cores(
    counts: Iterable[int], folder: Path, processes: int | None = None, seconds: float = 0.5
) -> dict[str, dict[int, float]]:
    """Reference -> number of species -> ns per point of the thermal and viscous set.

    folder: of the Fortran; processes: default one for each core; seconds: of each figure.
    """
    libraries = {name: build(name, folder) for name in REFERENCES}
    found: dict[str, dict[int, float]] = {name: {} for name in REFERENCES}
    size = processes or len(os.sched_getaffinity(0))
    with RankPool(size, FortranRank, libraries) as pool:
        for ns in counts:
            for name in REFERENCES:
                pool.each("prepare", name, ns, max(64, 8192 // ns))
                found[name][ns] = 1e9 / pool.work(seconds).rate
    return found
