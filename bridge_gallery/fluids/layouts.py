"""Where the cells of a field lie: the document's halves of one colour each, and rows for passes of
several sweeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bridge_gallery.rung import ceil_div


@dataclass(frozen=True)
class Halves:
    """Red cells (x + y even), then black ones: cell (x, y) is number x / 2 of row y of its half.

    pitch: places of a row, n / 2 + 1 in the document.
    """

    n: int
    pitch: int

    @classmethod
    def of_document(cls, n: int) -> Halves:
        return cls(n, n // 2 + 1)

    @classmethod
    def aligned(cls, n: int) -> Halves:
        """Rows begin at a multiple of 128 bytes."""
        return cls(n, 32 * ceil_div(n // 2 + 1, 32))

    @property
    def shape(self) -> tuple[int, ...]:
        return (2, self.n + 2, self.pitch)

    def empty(self) -> np.ndarray:
        return np.broadcast_to(np.zeros(1, "f4"), self.shape)

    def packed(self, field: np.ndarray) -> np.ndarray:
        """A field (y, x) in this layout."""
        found = np.zeros(self.shape, "f4")
        width = self.n // 2 + 1
        for y in range(self.n + 2):
            found[y % 2, y, :width] = field[y, 0::2]
            found[1 - y % 2, y, :width] = field[y, 1::2]
        return found


@dataclass(frozen=True)
class Rows:
    """Row after row, column 1 at a multiple of 128 bytes, with room for the widest strip."""

    n: int

    FIRST = 31

    @property
    def pitch(self) -> int:
        return 32 * ceil_div(self.n + 160, 32)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n + 2, self.pitch)

    def empty(self) -> np.ndarray:
        return np.broadcast_to(np.zeros(1, "f4"), self.shape)

    def packed(self, field: np.ndarray) -> np.ndarray:
        """A field (y, x) in this layout."""
        found = np.zeros(self.shape, "f4")
        found[:, self.FIRST : self.FIRST + self.n + 2] = field
        return found
