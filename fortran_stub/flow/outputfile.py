"""Read a file of fields that the flow solver has written (outputmodule.f90)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

FORMAT = "bridge-flow-fields 1"


@dataclass(frozen=True)
class Output:
    """fields: arrays (nx, ny, nz) by name; lengths in m; time in s; printed: by the program."""

    lengths: tuple[float, ...]
    step: int
    time: float
    fields: dict[str, np.ndarray]
    printed: str = ""

    def __getitem__(self, name: str) -> np.ndarray:
        found: np.ndarray = self.fields[name]
        return found

    @property
    def cells(self) -> tuple[int, ...]:
        """Their number along x, y, z."""
        return next(iter(self.fields.values())).shape

    def centres(self, direction: int) -> np.ndarray:
        """Coordinates of the cells, m."""
        n = self.cells[direction]
        return np.asarray((np.arange(n) + 0.5) * self.lengths[direction] / n)

    @property
    def species(self) -> list[str]:
        """The names of the densities of the species."""
        return [name for name in self.fields if name.startswith("rho_")]

    @property
    def rho(self) -> np.ndarray:
        return np.asarray(sum(self.fields[name] for name in self.species))

    def velocity(self, direction: int = 0) -> np.ndarray:
        return np.asarray(self.fields["rho" + "uvw"[direction]] / self.rho)


def read(path: str | Path) -> Output:
    """ValueError for a file that is none of the solver, or not whole."""
    raw = Path(path).read_bytes()
    first, _, rest = raw[:4096].decode("ascii", "replace").partition("\n")
    if first != FORMAT:
        raise ValueError(f"{path}: begins with {first[:40]!r}, not with {FORMAT!r}")
    words = {line.split()[0]: line.split()[1:] for line in rest.split("\nend\n")[0].splitlines()}
    shape = [int(n) for n in words["cells"]]
    names, begin = words["fields"], int(words["headerbytes"][0])
    if len(raw) != begin + 8 * len(names) * int(np.prod(shape)):
        raise ValueError(f"{path}: {len(raw)} bytes, not those of {len(names)} fields of {shape}")
    numbers = np.frombuffer(raw, offset=begin).reshape([len(names), *shape[::-1]])
    return Output(
        tuple(float(x) for x in words["lengths"]), int(words["step"][0]),
        float(words["time"][0]), {name: a.T for name, a in zip(names, numbers, strict=True)},
    )  # fmt: skip
