"""What the tests of a GPU share: species, states, a backend that counts its copies, a process."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from backends import STANDIN
from hosts import TIME_LIMIT
from kernels.measure import gas

from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

real_gpu = pytest.mark.skipif(STANDIN, reason="a stand-in cannot show it")
CATALOGUE = Catalogue.shipped()
NAMES = SpeciesData.load(None).names


def species(ns: int, kij: bool = False, **options: Any) -> SharedData:
    matrix = np.full((ns, ns), 0.02) - np.diag(np.full(ns, 0.02)) if kij else None
    return SharedData(SpeciesData.resolve(list(NAMES[:ns]), kij=matrix), Options.parse(options))


def states(n: int, ns: int) -> dict[str, np.ndarray]:
    T, P, Y = gas(n, ns, T=(150.0, 3200.0))
    random = np.random.default_rng(3)
    return {
        "T": T, "P": P, "Y": Y, "velocity": random.normal(0.0, 100.0, (n, 3)),
        "Vref": np.full(n, 1.0), "T0": np.full(n, 300.0),
    }  # fmt: skip


class Counted:
    """A backend whose copies are counted by name in `api.calls`, as the stand-in counts them."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.api = backend.device.api
        if STANDIN:
            return
        self.api.calls = []
        for name in ("copy_async", "copy2d_async", "copy3d_async"):
            setattr(self.api, name, self._counted(name, getattr(type(self.api), name)))

    def _counted(self, name: Any, real: Any) -> Any:
        def call(*arguments: Any) -> Any:
            self.api.calls.append(name)
            return real(self.api, *arguments)

        return call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)


def python(text: Any, **variables: Any) -> Any:
    """A process of its own; variables of None are taken away."""
    environment = {**os.environ, **{k: v for k, v in variables.items() if v is not None}}
    for name in [name for name, value in variables.items() if value is None]:
        environment.pop(name, None)
    return subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        env=environment,
        timeout=TIME_LIMIT,
        check=False,
    )
