"""Files of differences: all that it takes to see one again, alone, on another machine.

Written by a Verifier, read by `bridge replay`. One JSON object; numbers are written so that every
bit comes back (NaN and Infinity as Python's json has them). Its members:

    bridge-replay   1, the version of this format
    ran, against    what ran and what it was held against: "cpu v3", "cuda ...", "the host's loop"
    set, what, call, rank, limit
    fingerprint     of the run, text (`bridge fingerprint --diff` takes the file as well)
    plan            kind, inputs, outputs, masked, kernels: enough to make the same plan
    ns, species, options
    tables          NAME -> shape, values in Fortran's order
    packs           NAME -> digest, files (path -> text): those of the kernels that ran
    single          outputs that are real(4): by their arrays, or by their kernels
    points          at, worst, inputs (NAME -> places x columns), got, reference (NAME -> columns)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from bridge import output
from bridge.errors import ArgumentError
from bridge.physics.species import SpeciesData
from bridge.plan import packs

FORMAT = 1
#: Of points, the worst ones.
MOST_POINTS = 16


def write(path: Path, contents: Mapping[str, Any]) -> None:
    """OSError where it cannot be written."""
    output.write_file(path, [json.dumps({"bridge-replay": FORMAT, **contents}, indent=1)])


def read(path: str) -> dict[str, Any]:
    """ArgumentError where it is none."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        known = found["bridge-replay"]
        points = found["points"]
        assert points and all(isinstance(one["inputs"], dict) for one in points)
    except (OSError, ValueError, KeyError, TypeError, AssertionError) as error:
        got = f"{path!r} ({type(error).__name__}: {error})"
        raise ArgumentError("FILE", got, "a file that a run with BRIDGE_VERIFY wrote") from None
    if known != FORMAT:
        raise ArgumentError("FILE", f"{path!r} of format {known}", f"format {FORMAT}")
    return dict(found)


def of_species(species: SpeciesData | None) -> dict[str, Any] | None:
    if species is None or not species.names:
        return None
    values = {field.name: getattr(species, field.name) for field in fields(species)}
    return {name: one.tolist() if isinstance(one, np.ndarray) else one
            for name, one in values.items()}  # fmt: skip


def species_of(kept: Mapping[str, Any] | None) -> SpeciesData | None:
    if kept is None:
        return None
    values: dict[str, Any] = {
        name: one if one is None or name == "names" else np.array(one, float)
        for name, one in kept.items()
    }
    return SpeciesData(**{**values, "names": tuple(kept["names"])})


def of_packs(kernels: Iterable[str]) -> dict[str, Any]:
    """Of the packs of these kernels what their libraries are made of."""
    found = {pack.name: pack for name in kernels if (pack := packs.owner(name)) is not None}
    return {
        name: {"digest": pack.digest, "files": {
            str(path.relative_to(pack.folder)): path.read_text(encoding="utf-8", errors="replace")
            for path in packs.sources(pack.folder)}}
        for name, pack in found.items()
    }  # fmt: skip
