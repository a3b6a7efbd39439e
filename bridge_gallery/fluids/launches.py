"""Launches of a step in the document's layout: one kernel for each cloud of its drawing.

Bytes are those of the scheme: every launch reads each value of its arrays once and writes each
once; a half sweep does so with half of the cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bridge_gallery.fluids.layouts import Halves
from bridge_gallery.fluids.reference import HORIZONTAL, NONE, SWEEPS, VERTICAL, Settings
from bridge_gallery.rung import PROCESSORS, Arguments, Call, Extent, Launch, ceil_div

SETTINGS = Settings()
Work = Launch | Call
#: Makes the launches of a solve: of x, with the right-hand side, boundary, a and c.
Solve = Callable[["Steps", str, str, int, np.float32, np.float32], list[Launch]]

#: Bytes of a cell in one launch of a kernel of the whole field, or of one colour.
BYTES = {
    "add_source": 12,
    "set_bnd": 0,
    "project_before": 8,
    "project_after": 10,
    "largest": 12,
    "react": 12,
    "forget_largest": 0,
    "lin_solve_whole": 12 * SWEEPS,
    "lin_solve_whole_shared": 12 * SWEEPS,
}


def bytes_of(launches: Sequence[Work]) -> int:
    """Of a cell in these launches; of a reaction by a library: its sums read, its zeros."""
    total = 0
    for one in launches:
        if isinstance(one, Call):
            total += 24
        elif one.kernel == "advect":  # its fields may be the flow that carries them
            total += 2 * len(one.reads)
        else:
            total += BYTES.get(one.kernel, 6)  # a half sweep
    return total


def half_sweeps(
    kernel: str = "lin_solve", block: tuple[int, int] = (16, 16), each: tuple[int, int] = (1, 1),
    grid: Extent | None = None, more: Callable[[str], Arguments] = lambda x: (),
) -> Solve:  # fmt: skip
    """A launch for each colour and one for the border, 20 times.

    each: cells of a thread in a row, and rows; more: arguments beside the usual.
    """

    def solve(
        steps: Steps, x: str, rhs: str, boundary: int, a: np.float32, c: np.float32
    ) -> list[Launch]:
        size = grid or steps.cover(block, each)
        given: Arguments = (a, c, rhs, x, *more(x))
        colours = [
            steps.launch(kernel, size, (*block, 1), (np.int32(colour), *given), (x,))
            for colour in (0, 1)
        ]
        return [*colours, steps.border(x, boundary)] * SWEEPS

    return solve


def whole(
    kernel: str = "lin_solve_whole", block: tuple[int, int] = (32, 8), per_processor: int = 4,
    places: int | None = None,
) -> Solve:  # fmt: skip
    """One launch whose blocks wait for each other; places: of a thread in shared memory."""

    def solve(
        steps: Steps, x: str, rhs: str, boundary: int, a: np.float32, c: np.float32
    ) -> list[Launch]:
        given: Arguments = (np.int32(boundary), a, c, rhs, x, "counter")
        shared = 0
        if places is not None:
            given, shared = (*given, np.int32(places)), 4 * places * block[0] * block[1]
        head = (np.int32(steps.layout.n), np.int32(steps.layout.pitch))
        grid = (per_processor, PROCESSORS, 1)
        return [
            Launch(kernel, grid, (*block, 1), (*head, *given), shared, True, (x, "counter"))
        ]  # fmt: skip

    return solve


@dataclass(frozen=True)
class Steps:
    """Makes the launches of a step; before: of the names of its arrays."""

    layout: Halves
    solve: Solve
    before: str = ""

    def launch(
        self, kernel: str, grid: Extent, block: Extent, given: Arguments, writes: tuple[str, ...]
    ) -> Launch:
        """Of a kernel that takes the size first."""
        head = (np.int32(self.layout.n), np.int32(self.layout.pitch))
        return Launch(kernel, grid, block, (*head, *given), writes=writes)

    def cover(self, block: tuple[int, int], each: tuple[int, int] = (1, 1)) -> Extent:
        """Blocks of the document: a row of a half and its border, all rows inside."""
        n = self.layout.n
        return (ceil_div(n // 2 + 1, block[0] * each[0]), max(1, ceil_div(n, block[1] * each[1])),
                1)  # fmt: skip

    def border(self, x: str, boundary: int) -> Launch:
        grid = (ceil_div(self.layout.n + 2, 16), 1, 1)
        return self.launch("set_bnd", grid, (16, 1, 1), (np.int32(boundary), x), (x,))

    def _colours(self, kernel: str, given: Arguments, writes: tuple[str, ...]) -> list[Launch]:
        grid = self.cover((16, 16))
        return [
            self.launch(kernel, grid, (16, 16, 1), (np.int32(colour), *given), writes)
            for colour in (0, 1)
        ]

    def _add_source(self, x: str, source: str) -> Launch:
        size = int(np.prod(self.layout.shape))
        given = (np.int32(size), np.float32(SETTINGS.dt), source, x)
        return Launch("add_source", (ceil_div(size, 256), 1, 1), (256, 1, 1), given, writes=(x,))

    def _diffuse(self, x: str, rhs: str, boundary: int, strength: float) -> list[Launch]:
        a = SETTINGS.share(strength, self.layout.n)
        return self.solve(self, x, rhs, boundary, a, np.float32(1) + np.float32(4) * a)

    def _project(self, u: str, v: str, p: str, div: str) -> list[Launch]:
        return [
            *self._colours("project_before", (u, v, p, div), (p, div)),
            self.border(div, NONE),
            self.border(p, NONE),
            *self.solve(self, p, div, NONE, np.float32(1), np.float32(4)),
            *self._colours("project_after", (p, u, v), (u, v)),
            self.border(u, VERTICAL),
            self.border(v, HORIZONTAL),
        ]

    def _advect(self, d: str, d0: str, u: str, v: str, boundary: int) -> list[Launch]:
        given = (np.float32(SETTINGS.dt), d0, u, v, d)
        return [*self._colours("advect", given, (d,)), self.border(d, boundary)]

    def step(self) -> list[Launch]:
        """Velocity and density."""
        u, v, d, u0, v0, d0 = (self.before + one for one in ("u", "v", "d", "u0", "v0", "d0"))
        return [
            self._add_source(u, u0),
            self._add_source(v, v0),
            *self._diffuse(u0, u, VERTICAL, SETTINGS.viscosity),
            *self._diffuse(v0, v, HORIZONTAL, SETTINGS.viscosity),
            *self._project(u0, v0, u, v),
            *self._advect(u, u0, u0, v0, VERTICAL),
            *self._advect(v, v0, u0, v0, HORIZONTAL),
            *self._project(u, v, u0, v0),
            self._add_source(d, d0),
            *self._diffuse(d0, d, NONE, SETTINGS.diffusion),
            *self._advect(d, d0, u, v, NONE),
        ]

    def react(self) -> list[Launch]:
        """The reaction, decided on the device."""
        fields = tuple(self.before + one for one in ("u0", "v0", "d0"))
        n = self.layout.n
        size = np.int32(np.prod(self.layout.shape))
        cells = (ceil_div(n + 2, 32), ceil_div(n + 2, 8), 1)
        strong = (np.float32(SETTINGS.force), np.float32(SETTINGS.source))
        given: Arguments = (*strong, "most", *fields)
        return [
            Launch("largest", (PROCESSORS, 1, 1), (1024, 1, 1), (size, *fields, "most"),
                   writes=("most",)),
            self.launch("react", cells, (32, 8, 1), given, fields),
            Launch("forget_largest", (1, 1, 1), (32, 1, 1), ("most",), writes=("most",)),
        ]  # fmt: skip
