"""What decides the bits of a run: versions, target, policies, sources, options, species data."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bridge import caches
from bridge.backends.base import Backend
from bridge.compiled.version import VERSION
from bridge.kernels import file
from bridge.physics.options import Options
from bridge.physics.species import SpeciesData
from bridge.plan import packs, replacements
from bridge.plan.catalogue import Catalogue

#: Digits of a digest that are shown: enough to tell apart, short enough to read.
DIGITS = 16


@dataclass(frozen=True)
class Run:
    """What a Frame runs: `species` and `options` as they are now; constants, tables: of packs, by
    name, values as they are now, or of tables a digest."""

    backend: Backend
    catalogue: Catalogue
    options: Options
    species: SpeciesData | None
    layout: tuple[str, ...]
    launch: str
    constants: Mapping[str, np.ndarray]
    tables: Mapping[str, str]


def of_machine(backend: Backend, catalogue: Catalogue) -> dict[str, str]:
    """What a rank has: the parts that ranks of one job share. Cheap: nothing is read again."""
    parts = {
        "version": VERSION,
        "backend": backend.name,
        "target": _target(backend),
    }
    policies = backend.describe().get("launch policy")
    if policies is not None:
        parts["policies"] = policies
    replaced = replacements.shown(catalogue)
    if replaced:
        parts["replaced"] = replaced
    for pack in packs.found():
        parts[f"pack {pack.name}"] = pack.digest[:DIGITS]
    return parts


def of_run(run: Run) -> dict[str, str]:
    """All parts, in the order of the text."""
    backend = run.backend
    described = backend.describe()
    parts = of_machine(backend, run.catalogue)
    parts["python"] = ".".join(map(str, sys.version_info[:3]))
    parts["numpy"] = np.__version__
    if "device" in described:
        parts["device"] = described["device"].partition(" at ")[0].partition(": ")[2]
        parts["cuda"] = described["versions"]
    parts["launch"] = run.launch
    parts["kernels"] = packs.shipped_digest()[:DIGITS]
    parts["catalogue"] = caches.sha256(file("catalogue.toml").read_bytes()).hex()[:DIGITS]
    parts["qlayout"] = " ".join(run.layout)
    for option in fields(Options):
        parts[f"option {option.name}"] = _spelled(getattr(run.options, option.name))
    parts["species"] = " ".join(run.species.names) if run.species is not None else "none"
    if run.species is not None:
        parts["constants"] = species_digest(run.species)
    for name, values in sorted(run.constants.items()):
        parts[f"constant {name}"] = " ".join(repr(one) for one in values.tolist())
    if run.tables:
        told = "".join(f"{name} {one}\n" for name, one in sorted(run.tables.items()))
        parts["tables"] = caches.sha256(told.encode()).hex()[:DIGITS]
    return parts


def species_digest(species: SpeciesData) -> str:
    """Of every constant of every species that a run reads, bit by bit."""
    contents = []
    for field in fields(SpeciesData):
        value = getattr(species, field.name)
        if field.name in ("names", "atomsW", "unchecked") or value is None:
            continue
        contents.append(f"{field.name} {value.shape}\n".encode())
        contents.append(np.ascontiguousarray(value, dtype="<f8").tobytes())
    return caches.sha256(b"".join(contents)).hex()[:DIGITS]


def _target(backend: Backend) -> str:
    """The instruction set, or the architecture of the GPU."""
    described = backend.describe()
    return described.get("target") or described.get("isa", "").partition(" ")[0] or backend.target


def _spelled(value: Any) -> str:
    """An option as `frame_set` takes it."""
    if isinstance(value, tuple):
        return " ".join(
            f"{one[0]}={','.join(map(repr, one[1]))}" if isinstance(one, tuple) else repr(one)
            for one in value
        ) or "none"  # fmt: skip
    return value if isinstance(value, str) else repr(value)
