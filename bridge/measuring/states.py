"""Random states that benchmarks evaluate: species, kij, T, P, Y, the same in every run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bridge.errors import ArgumentError
from bridge.physics.species import SpeciesData

#: Species of the smaller sets; larger ones take the shipped table in its order.
_FIRST = ("O2", "CH4", "CO2", "H2O", "CO", "N2", "H2", "OH")

#: Numbers of species of the published tables.
DEFAULT_NS = (1, 2, 4, 8, 16, 32, 53)


@dataclass(frozen=True)
class States:
    """n states of ns species: T K, P Pa (n,), Y (n, ns) C-ordered, summing to one."""

    species: SpeciesData
    T: np.ndarray
    P: np.ndarray
    Y: np.ndarray

    @property
    def n(self) -> int:
        return len(self.T)

    @property
    def ns(self) -> int:
        return len(self.species.names)


def check_ns(counts: Iterable[int]) -> None:
    """ArgumentError where there are not so many shipped species."""
    shipped = len(SpeciesData.load(None).names)
    for ns in counts:
        if not 1 <= ns <= shipped:
            raise ArgumentError("ns", ns, f"1 to {shipped}, the shipped species")


def random_states(ns: int, n: int, kij: bool = True) -> States:
    """T 200 to 3000 K, P 5 to 30 MPa, Y uniform on the simplex, kij up to 0.05 either way, or
    zero."""
    check_ns((ns,))
    names = list(SpeciesData.load(None).names)
    chosen = list(_FIRST[:ns]) if ns <= len(_FIRST) else names[:ns]
    random = np.random.default_rng(ns)
    pairs = np.triu(random.uniform(-0.05, 0.05, (ns, ns)), 1)
    return States(
        SpeciesData.resolve(chosen, kij=pairs + pairs.T if kij else None),
        random.uniform(200.0, 3000.0, n),
        random.uniform(5e6, 3e7, n),
        random.dirichlet(np.ones(ns), n),
    )
