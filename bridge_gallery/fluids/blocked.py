"""Ours: several sweeps in one pass over memory, sources, divergences and reductions inside the
passes, and the step as one graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bridge_gallery.fluids.launches import SETTINGS
from bridge_gallery.fluids.layouts import Rows
from bridge_gallery.fluids.reference import SWEEPS
from bridge_gallery.rung import Arguments, Launch, ceil_div

#: Sweeps of a pass -> warps of a processor that its registers leave. Two passes of ten sweeps want
#: more than the 255 registers of a thread: 1.9 KB spilled, twice the time of four passes of five.
WARPS = {2: 16, 4: 12, 5: 12}
#: Of an H100 or H200: how many rows a warp gets follows from it, the results do not.
_PROCESSORS, _WARPS_OF_BLOCK, _STRIP = 132, 2, 128
_LEAST_ROWS = 8
_ROWS_OF_THREAD = 4  # of kernels that go once through the cells

#: Bytes of a cell in a launch.
BYTES = {
    "decide": 0,
    "sweep_first": 8,
    "sweep_next": 12,
    "divergence": 12,
    "gradient": 20,
    "advect_velocity": 16,
    "gradient_and_density": 28,
}


@dataclass(frozen=True)
class Passes:
    """Makes the launches of a step; sweeps: of a pass; waves: how often the warps of a launch
    fill the device; rows: of a warp, where they are given; exact: with the roundings of the legacy
    program."""

    layout: Rows
    sweeps: int
    waves: int = 1
    rows: int = 0
    exact: bool = True

    @property
    def definitions(self) -> dict[str, object]:
        """Macros of the kernels."""
        exact: dict[str, object] = {"EXACT": 1} if self.exact else {}
        return {"SWEEPS": self.sweeps, "WARPS": WARPS[self.sweeps]} | exact

    @property
    def strips(self) -> int:
        halo = 4 * ceil_div(2 * self.sweeps, 4)
        return ceil_div(self.layout.n, _STRIP - 2 * halo)

    def height(self, layers: int) -> int:
        """Rows of a warp where the grid has so many layers; even."""
        if self.rows:
            return self.rows
        warps = _PROCESSORS * WARPS[self.sweeps] * self.waves
        chunks = max(1, warps // (layers * self.strips))
        return max(_LEAST_ROWS, 2 * ceil_div(self.layout.n, 2 * chunks))

    def _passes(
        self, base: int, rhs: Sequence[str], sets: Sequence[Sequence[str]], last: Sequence[str],
        keeps: bool,
    ) -> list[Launch]:  # fmt: skip
        """All sweeps of solves side by side, between two sets of arrays in turn and at the end
        into the last: a pass never writes what one of its own launch reads. base: the first
        unknown; keeps: the largest value, which the next reaction asks for."""
        n, layers, count = self.layout.n, len(rhs), SWEEPS // self.sweeps
        shares = (SETTINGS.share(SETTINGS.viscosity, n), SETTINGS.share(SETTINGS.diffusion, n))
        height = self.height(layers)
        warps = self.strips * ceil_div(n, height)
        grid, block = (ceil_div(warps, _WARPS_OF_BLOCK), 1, layers), (32 * _WARPS_OF_BLOCK, 1, 1)
        size = [np.int32(one) for one in (n, self.layout.pitch, height, base)]
        launches = []
        for k in range(count):
            source, target = sets[(k + 1) % 2], last if k == count - 1 else sets[k % 2]
            asked = keeps and k == count - 1
            most = "most" if asked else np.uint64(0)
            arrays = [
                three[layer if layer < layers else 0]
                for three in (rhs, source, target)
                for layer in range(3)
            ]
            given = (*size, *shares, "state", most, *arrays)
            writes = (*target, "most") if asked else tuple(target)
            kernel = "sweep_next" if k else "sweep_first"
            launches.append(Launch(kernel, grid, block, given, writes=writes))
        return launches

    def _cells(self, kernel: str, given: Arguments, writes: tuple[str, ...]) -> Launch:
        n = self.layout.n
        head = (np.int32(n), np.int32(self.layout.pitch))
        grid = (ceil_div(n, 32), ceil_div(n, 8 * _ROWS_OF_THREAD), 1)
        return Launch(kernel, grid, (32, 8, 1), (*head, *given), writes=writes)

    @staticmethod
    def _between(fields: str) -> list[list[str]]:
        return [[f"rows_{what}_{k}" for what in fields] for k in (0, 1)]

    def step(self) -> list[Launch]:
        """Reaction, velocity and density."""
        u, v, d, u0, v0, d0 = (f"rows_{one}" for one in ("u", "v", "d", "u0", "v0", "d0"))
        dt = np.float32(SETTINGS.dt)
        size = (np.int32(self.layout.n), np.int32(self.layout.pitch))
        given = (dt, np.float32(SETTINGS.force), np.float32(SETTINGS.source), "most", "state")
        return [
            Launch("decide", (1, 1, 1), (1024, 1, 1), (*size, *given, u, v, d),
                   writes=("most", "state", u, v, d)),
            *self._passes(0, (u, v, d), self._between("uvd"), (u0, v0, d0), True),
            self._cells("divergence", (u0, v0, v), (v,)),
            *self._passes(3, (v,), self._between("u"), (u,), False),
            self._cells("gradient", (u, u0, v0), (u0, v0)),
            self._cells("advect_velocity", (dt, u0, v0, u, v), (u, v)),
            self._cells("divergence", (u, v, v0), (v0,)),
            *self._passes(3, (v0,), self._between("u"), (u0,), True),
            self._cells("gradient_and_density", (dt, u0, u, v, d0, d), (u, v, d)),
        ]  # fmt: skip


def bytes_of(launches: list[Launch]) -> int:
    """Of a cell in these launches; a layer of a grid has arrays of its own."""
    return sum(BYTES[one.kernel] * one.grid[2] for one in launches)


def arrays(layout: Rows) -> dict[str, np.ndarray]:
    """What a step needs beside the fields."""
    between = {f"rows_{what}_{k}": layout.empty() for what in "uvd" for k in (0, 1)}
    return between | {"state": np.zeros(2, "f4")}
