"""Fields of the flow solver as a VTKHDF file, which ParaView and pyvista open:

    python fields.py FIELDS OUT.vtkhdf           (FIELDS: an OutputFile of the solver)

The solver itself calls `write` on its arrays with each PictureEvery steps (frame_python). A file
is an ImageData with cell data rho, velocity, Y_<species>, T, P, c, eta and status, in SI.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from outputfile import read

try:
    import h5py
except ImportError:
    raise ImportError("fields.py needs h5py: pip install h5py") from None

#: Arrays by name, (nx, ny, nz) or (nx, ny, nz, 3).
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Grid:
    """All cells of the flow along x, y, z; lengths in m; time in s."""

    cells: tuple[int, ...]
    lengths: tuple[float, ...]
    step: int
    time: float


class Picture:
    """An open file, whose arrays are made by the first piece."""

    def __init__(self, file: Any, grid: Grid) -> None:
        self._cells = grid.cells
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = (2, 0)
        root.attrs["Type"] = np.bytes_("ImageData")
        root.attrs["WholeExtent"] = [end for n in grid.cells for end in (0, n)]
        root.attrs["Origin"] = (0.0, 0.0, 0.0)
        root.attrs["Spacing"] = [x / n for x, n in zip(grid.lengths, grid.cells, strict=True)]
        root.attrs["Direction"] = np.eye(3).ravel()
        root.create_dataset("FieldData/TimeValue", data=[grid.time])
        root.create_dataset("FieldData/step", data=[grid.step])
        self._data = root.create_group("CellData")

    def put(self, offset: tuple[int, ...], name: str, array: np.ndarray) -> None:
        """A box of cells; offset: cells of the grid before it. VTK has z first, x last."""
        turned = array.transpose(2, 1, 0, *range(3, array.ndim))
        if name not in self._data:
            shape = (*self._cells[::-1], *array.shape[3:])
            self._data.create_dataset(name, shape=shape, dtype=array.dtype)
        box = zip(offset[::-1], turned.shape, strict=False)
        self._data[name][tuple(slice(first, first + n) for first, n in box)] = turned


@contextmanager
def picture(path: str | Path, grid: Grid) -> Iterator[Picture]:
    """A file that has its name as soon as it is whole."""
    path = Path(path)
    if path.suffix not in (".vtkhdf", ".hdf"):
        raise ValueError(f"a VTKHDF file must end in .vtkhdf or .hdf, got {path}")
    part = path.with_name(f"{path.name}.part")
    try:
        with h5py.File(part, "w") as file:
            yield Picture(file, grid)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def convert(source: str | Path, target: str | Path) -> None:
    """An OutputFile of the solver as a VTKHDF file."""
    output = read(source)
    rho = output.rho
    arrays = {"rho": rho, "velocity": np.stack([output.velocity(d) for d in range(3)], axis=-1)}
    arrays |= {f"Y_{name.removeprefix('rho_')}": output[name] / rho for name in output.species}
    arrays |= {name: output[name] for name in ("T", "P", "c", "eta")}
    arrays["status"] = output["status"].astype(np.int32)
    with picture(target, Grid(output.cells, output.lengths, output.step, output.time)) as file:
        for name, array in arrays.items():
            file.put((0, 0, 0), name, array)


#: Blocks of this rank that wait for its last one: their offsets and arrays.
waiting: list[tuple[tuple[int, ...], Arrays]] = []


def write(block: Any) -> None:
    """The fields of one block of the running solver. With the last block of each rank, rank 0
    writes those of all ranks, an array after the other.

    block.text: the file, which gets the step before its ending; block.values: step, time, lengths
    and cells of the grid, cells before this block, ranks, and 1 for the last block of the rank.
    """
    step, time, *rest = block.values
    lengths, cells, offset = (tuple(rest[n : n + 3]) for n in (0, 3, 6))
    ranks, last = rest[9:]
    waiting.append((whole(offset), on_host(block)))
    if not last:
        return
    pieces, waiting[:] = waiting[:], []
    if block.rank:
        send(block.comm, pieces)
        return
    path = Path(block.text)
    grid = Grid(whole(cells), lengths, int(step), time)
    with picture(path.with_stem(f"{path.stem}_{grid.step:06d}"), grid) as file:
        for place, arrays in pieces:
            for name, array in arrays.items():
                file.put(place, name, array)
        for rank in range(1, int(ranks)):
            while (piece := block.comm.recv(source=rank)) is not None:
                file.put(*piece)


def send(comm: Any, pieces: list[tuple[tuple[int, ...], Arrays]]) -> None:
    """To rank 0, which holds one array at a time."""
    for place, arrays in pieces:
        for name, array in arrays.items():
            comm.send((place, name, array), dest=0)
    comm.send(None, dest=0)


def on_host(block: Any) -> Arrays:
    """Copies of the arrays; those of a GPU are CuPy's, whose `get` copies them to NumPy."""
    names = {"rho_target": "rho", "velocity": "velocity"}
    names |= {name: name for name in ("Y", "T", "P", "c", "eta", "status")}
    arrays: Arrays = {}
    for name, called in names.items():
        array = block.read(name)
        array = array.get() if hasattr(array, "get") else array.copy()
        if name == "Y":
            arrays |= {f"Y_{s}": array[..., n] for n, s in enumerate(block.species.names)}
        else:
            arrays[called] = array
    return arrays


def whole(numbers: tuple[float, ...]) -> tuple[int, ...]:
    return tuple(int(n) for n in numbers)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        convert(*sys.argv[1:])
    except (OSError, ValueError) as error:
        sys.exit(f"fields.py: {error}")
