"""What the tests of the executor evaluate: states of a six-species mixture, plans, ISAs."""

from __future__ import annotations

import numpy as np

from bridge.backends.host import library
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Plan

CATALOGUE = Catalogue.shipped()
SPECIES = "O2 CH4 CO2 H2O CO N2".split()
SHARED = SharedData(SpeciesData.resolve(SPECIES))
ISAS = library.available()


def states(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    Y = random.random((n, 6)) ** 3
    return {
        "T": random.uniform(120.0, 2500.0, n),
        "P": random.uniform(1e5, 2e7, n),
        "Y": Y / Y.sum(axis=1, keepdims=True),
    }


def composite_plan(name: str) -> Plan:
    composite = CATALOGUE.composite(name)
    return CATALOGUE.plan(composite.outputs, composite.inputs, 6, name=name)
