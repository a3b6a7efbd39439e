"""Run point_driver from Python: every property of the legacy Fortran as NumPy arrays.

    values = point_values("build/point/point_driver", ["O2", "CH4"], T, P, Y)
    values["rho"]        # (n,)
    values["h_Yi"]       # (n, 2)

Names are those of the bridge; status and nRoots come as integers. Used by tests and for studies
at states that the solver does not meet.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

SPECIES_FILE = Path(__file__).resolve().parent / "data" / "species.dat"
INTEGERS = ("status", "nRoots", "iterations")
#: Names that end so count species or pairs: always two-dimensional, also with one species.
PER_SPECIES = ("_i", "_i_T", "_i_TT", "Yi", "Yi_reduced", "rhoi", "D_im", "D0_ij")


def point_values(
    driver: str | Path,
    species: Sequence[str],
    T: np.ndarray,
    P: np.ndarray,
    Y: np.ndarray,
    *,
    kij: np.ndarray | None = None,
    flow: Sequence[float] | None = None,
) -> dict[str, np.ndarray]:
    """All properties at n states. T, P: (n,), Y: (n, ns), kij: (ns, ns), flow: ux uy uz Vref."""
    rows = np.column_stack((T, P, Y))
    return _run(driver, species, "states", rows, kij, flow)


def point_temperatures(
    driver: str | Path,
    species: Sequence[str],
    h: np.ndarray,
    P: np.ndarray,
    Y: np.ndarray,
    T0: np.ndarray,
    *,
    kij: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Temperature from enthalpy. h J/kg, T0 K: (n,); gives T, rho, iterations and status."""
    rows = np.column_stack((h, T0, P, Y))
    return _run(driver, species, "enthalpies", rows, kij, None)


def _run(
    driver: str | Path,
    species: Sequence[str],
    kind: str,
    rows: np.ndarray,
    kij: np.ndarray | None,
    flow: Sequence[float] | None,
) -> dict[str, np.ndarray]:
    lines = ["species " + " ".join(species)]
    if kij is not None:
        for i, j in np.argwhere(np.triu(kij, 1)):
            lines.append(f"kij {species[i]} {species[j]} {float(kij[i, j])!r}")
    if flow is not None:
        lines.append("flow " + " ".join(repr(float(value)) for value in flow))
    lines.append(f"{kind} {len(rows)}")
    lines += [" ".join(repr(float(value)) for value in row) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        given, wanted = Path(folder, "points.in"), Path(folder, "points.out")
        given.write_text("\n".join(lines) + "\n")
        command = [str(driver), str(SPECIES_FILE), str(given), str(wanted)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"point_driver: {done.stdout}{done.stderr}")
        return _read(wanted)


def _read(path: Path) -> dict[str, np.ndarray]:
    with path.open() as file:
        words = file.readline().split()[1:]
        table = np.loadtxt(file, ndmin=2)
    values: dict[str, np.ndarray] = {}
    start = 0
    for name, width in zip(words[::2], map(int, words[1::2]), strict=True):
        columns = table[:, start : start + width]
        start += width
        if name in INTEGERS:
            values[name] = columns[:, 0].astype(np.int32)
        elif width == 1 and name != "X" and not name.endswith(PER_SPECIES):
            values[name] = columns[:, 0]
        else:
            values[name] = columns
    return values
