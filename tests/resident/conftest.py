"""Frames with a block of cells whose arrays may stay on the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from unit.blocks import FRINGES, SHAPE, SPECIES, block

import bridge
from bridge.tvproperties import TVProperties


class Cells:
    """Set 'cells' of a Frame: Q and what a composite makes of it, each with a fringe.

    apart: whether runs work on other memory than the caller's.
    """

    composite = "eosThermalAndViscousProperties"

    def __init__(self, frame: bridge.Frame, apart: bool, first: bool = False) -> None:
        self.frame = frame
        self.tv: TVProperties = frame.tvproperties
        self.apart = apart
        self.first = first
        self.Q, self.T, self.P, self.Y = block()
        self.whole = self.Q  # component last, whatever the array's order
        if first:
            self.Q = np.asfortranarray(np.moveaxis(self.Q, 3, 0))
            self.whole = np.moveaxis(self.Q, 0, 3)
        self.rho = np.full(SHAPE, -1.0, order="F")
        self.h_Yi = np.full((*SHAPE, 3), -1.0, order="F")
        self.status = np.full(SHAPE, -1, np.int32, order="F")
        self.bind()

    def bind(self) -> None:
        bind = self.tv.bind_array
        bind("cells", "Q", "in", self.Q, **FRINGES, component_first=self.first)
        bind("cells", "rho", "out", self.rho, **FRINGES)
        bind("cells", "h_Yi", "out", self.h_Yi, **FRINGES)
        bind("cells", "status", "out", self.status, **FRINGES)

    def run(self) -> None:
        self.tv.run("cells", self.composite)

    def expected(self, name: str) -> np.ndarray:
        """What a run gives, (nx, ny, nz) of the interior or with components."""
        inner = self.whole[2:7, 1:5, 0:3].reshape(60, -1, order="F")
        P, T, Y = inner[:, 0], inner[:, 4], inner[:, 5:]
        found = bridge.evaluate(SPECIES, T.copy(), P.copy(), Y.copy(), (name,), stability="off")[
            name
        ]
        return found.reshape((5, 4, 3, *found.shape[1:]), order="F")


@pytest.fixture(params=["as it is", "checked"])
def make_cells(request: pytest.FixtureRequest) -> Iterator[Callable[..., Cells]]:
    """Cells on the backend under test: as it is, and where that is the CPU with a shadow copy."""
    backend = request.getfixturevalue("backend")
    checked = request.param == "checked"
    if checked and backend != "cpu":
        pytest.skip("the shadow copy stands for a device")
    yield from frames_of(backend, checked)


@pytest.fixture
def make_checked() -> Iterator[Callable[..., Cells]]:
    """Cells on the CPU with a shadow copy."""
    yield from frames_of("cpu", True)


def frames_of(backend: str, checked: bool) -> Iterator[Callable[..., Cells]]:
    frames: list[bridge.Frame] = []

    def make(first: bool = False, chunk: int = 64, **settings: Any) -> Cells:
        frame = bridge.Frame()
        frame.set("backend", backend)
        frame.set("threads", "1")
        frame.set("species", " ".join(SPECIES))
        frame.set("check_residency", checked)
        for key, value in settings.items():
            frame.set(key, value)
        frame.initialize(0, chunk, 3, 8, 0)
        frames.append(frame)
        return Cells(frame, checked or backend == "cuda", first)

    yield make
    for frame in frames:
        if frame.initialized:
            frame.finalize()
