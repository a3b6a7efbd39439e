"""Files with numbers that `bridge plot` draws: which form they have is seen from what they hold.

Four forms: fields that the flow solver writes (its OutputFile), recordings of `frame_record`,
NumPy's .npy and .npz, and the JSON of `bridge bench NAME --json FILE`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bridge.errors import ArgumentError

WANTED = (
    "fields of the flow solver (OutputFile), a recording of frame_record, .npy, .npz, or what "
    "`bridge bench NAME --json FILE` wrote"
)
_FIELDS = b"bridge-flow-fields"


@dataclass(frozen=True)
class Fields:
    """Arrays by name, of shape (nz, ny, nx) where `lengths` (m, along x, y, z) is given, else as
    they were saved."""

    arrays: Mapping[str, np.ndarray]
    title: str
    lengths: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Recording:
    """Sampled states of inputs by name: (samples, columns)."""

    states: Mapping[str, np.ndarray]
    title: str


@dataclass(frozen=True)
class Benchmark:
    """name: of `bridge bench NAME`; machine, rows: as they were written."""

    name: str
    machine: dict[str, Any]
    rows: list[dict[str, Any]]


def read(path: str) -> Fields | Recording | Benchmark:
    """What a file holds; ArgumentError where it is none of these forms, or is cut."""
    try:
        with open(path, "rb") as file:
            begin = file.read(len(_FIELDS))
        if begin == _FIELDS:
            return _solver(path)
        if begin[:6] == b"\x93NUMPY":
            name = Path(path).stem
            return Fields({name: _numbers(path, name, np.load(path))}, Path(path).name)
        if begin[:2] == b"PK":
            return _archive(path)
        if begin[:1] == b"{":
            return _benchmark(path)
    except ArgumentError:
        raise
    except OSError as error:
        got = f"{path!r} ({error.strerror or error})"
        raise ArgumentError("FILE", got, "a file that can be read") from None
    except (ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile) as error:
        got = f"{path!r} ({type(error).__name__}: {error})"
        raise ArgumentError("FILE", got, f"a whole file: {WANTED}") from None
    raise ArgumentError("FILE", f"{path!r}, which begins with {begin[:12]!r}", WANTED)


def _solver(path: str) -> Fields:
    raw = Path(path).read_bytes()
    lines = raw[:4096].decode("ascii").splitlines()
    header = {line.split()[0]: line.split()[1:] for line in lines[: lines.index("end")]}
    nx, ny, nz = (int(word) for word in header["cells"])
    names, offset = header["fields"], int(header["headerbytes"][0])
    wanted = offset + 8 * len(names) * nx * ny * nz
    if len(raw) != wanted:
        raise ArgumentError("FILE", f"{path!r} of {len(raw)} bytes", f"{wanted}, says its header")
    data = np.frombuffer(raw, "<f8", offset=offset).reshape(len(names), nz, ny, nx)
    written = dict(zip(names, data, strict=True))
    title = (
        f"{Path(path).name}: {nx} x {ny} x {nz} cells, step {header['step'][0]}, "
        f"{1e6 * float(header['time'][0]):.3g} µs"
    )
    x, y, z = (float(word) for word in header["lengths"])
    return Fields(_primitives(written) | written, title, (x, y, z))


def _primitives(written: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Density, velocity and mass fractions of the densities and momenta of a file."""
    species = {name[4:]: array for name, array in written.items() if name.startswith("rho_")}
    rho = np.add.reduce([*species.values()])
    found = {"rho": rho, "T": written["T"], "P": written["P"]}
    found |= {
        f"velocity_{axis}": written[f"rho{one}"] / rho
        for axis, one in zip("xyz", "uvw", strict=True)
    }
    return found | {f"Y_{name}": array / rho for name, array in species.items()}


def _archive(path: str) -> Fields | Recording:
    name = Path(path).name
    with np.load(path) as archive:
        held = {key: archive[key] for key in archive.files}
    if not {"composite", "set", "calls", "points"} <= held.keys():
        return Fields({key: _numbers(path, key, array) for key, array in held.items()}, name)
    states = {}
    for key, array in held.items():
        kind, _, quantity = key.partition("/")
        if kind == "input":
            around = held.get(f"offsets/{quantity}")
            if around is not None:  # the point itself alone
                array = array[:, int(np.flatnonzero((around == 0).all(axis=1))[0])]
            states[quantity] = array
    samples = len(held["place"])
    if not samples:
        raise ArgumentError("FILE", f"{path!r} without a point", "a recording of some points")
    title = (
        f"{name}: {held['composite']} on set '{held['set']}', {samples} of {held['points']} "
        f"points of {held['calls']} calls"
    )
    return Recording(states, title)


def _numbers(path: str, name: str, array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "biuf":
        got = f"{path!r}, whose '{name}' has the type {array.dtype}"
        raise ArgumentError("FILE", got, "arrays of real numbers")
    return array


def _benchmark(path: str) -> Benchmark:
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    if "bridge-replay" in found:
        wanted = f"`bridge replay {path}`, which shows it"
        raise ArgumentError("FILE", f"{path!r}, points that differ from a reference", wanted)
    if "traceEvents" in found:
        wanted = "ui.perfetto.dev or chrome://tracing, which show it"
        raise ArgumentError("FILE", f"{path!r}, a trace", wanted)
    machine, rows = found["machine"], found["rows"]
    words = str(machine["command"]).split()
    name = words[words.index("bench") + 1] if "bench" in words[:-1] else ""
    if not name:
        raise ArgumentError("FILE", f"{path!r} of {machine['command']!r}", WANTED)
    return Benchmark(name, machine, rows)
