"""What was measured: limits of the device, times of rungs."""

from __future__ import annotations

from dataclasses import dataclass

from bridge_gallery.rung import Problem, Rung


@dataclass(frozen=True)
class Limits:
    """Bytes per second of a copy within the device (read and written both count), of reading and
    of writing alone; operations per second of multiply-adds, which count two."""

    copy: float
    read: float
    write: float
    double: float
    single: float


@dataclass(frozen=True)
class Timed:
    """A rung on a full problem; bare: seconds without the bridge, None where it was not held
    against that; registers, stack, spilled: of its kernels, the most of them."""

    problem: Problem
    rung: Rung
    seconds: float
    bare: float | None = None
    registers: int | None = None
    stack: int = 0
    spilled: int = 0

    @property
    def moved(self) -> int:
        return self.problem.moved if self.rung.moved is None else self.rung.moved

    @property
    def per_cell(self) -> float | None:
        """Nanoseconds of a cell, where the problem has cells."""
        return 1e9 * self.seconds / self.problem.cells if self.problem.cells else None

    @property
    def rate(self) -> float:
        """Bytes per second that cannot be done without."""
        return self.moved / self.seconds
