"""States and Frames for the tests of the Python side."""

from __future__ import annotations

import numpy as np
import pytest

import bridge

SPECIES = ("O2", "CH4", "H2O")


def random_states(n: int, ns: int, seed: int = 1):
    """T, P, Y of n states, supercritical to hot: one root, no warning bits but extrapolation."""
    rng = np.random.default_rng(seed)
    T = rng.uniform(250.0, 2500.0, n)
    P = rng.uniform(5e6, 2e7, n)
    Y = rng.dirichlet(np.ones(ns), n)
    return T, P, Y


@pytest.fixture
def make_frame(request):
    """Frames on the backend under test, the CPU where a module names none, that are finalised at
    the end of the test."""
    name = request.getfixturevalue("backend") if "backend" in request.fixturenames else "cpu"
    frames = []

    def make(n_grid_points=64, species=SPECIES, nq=None, **settings):
        frame = bridge.Frame()
        frame.set("backend", name)
        frame.set("threads", "1")
        if species:
            frame.set("species", " ".join(species))
        for key, value in settings.items():
            frame.set(key, value)
        ns = len(species) if species else 3
        frame.initialize(0, n_grid_points, ns, 5 + ns if nq is None else nq, 0)
        frames.append(frame)
        return frame

    yield make
    for frame in frames:
        if frame.initialized:
            frame.finalize()
