"""`bridge replay FILE`: the points of a difference that a run wrote, once more, without its host.

The same kernels on the same inputs, on every instruction set of this machine and its GPU; what
each gives is held against what the run got, and against what its reference gave.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bridge.backends.base import Backend
from bridge.bound.pointsprogram import PointsProgram, Values, centre, reads_of
from bridge.errors import ArgumentError, BridgeError
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan import packs
from bridge.plan.catalogue import Catalogue
from bridge.plan.inputs import MASK
from bridge.plan.plan import Plan
from bridge.plan.plans import Plans
from bridge.verify import files
from bridge.verify.measure import Near, apart, change_of, limits, scales
from bridge.verify.table import of_set


def run(given: argparse.Namespace) -> int:
    """Status 1 where the difference is seen again."""
    kept = files.read(given.file)
    if given.packs:
        for name in _write_packs(kept, Path(given.packs)):
            print(f"bridge packs build --folder {name}")
        return 0
    with _packs(kept, given.on):
        return _replay(kept, given.on)


def _replay(kept: Mapping[str, Any], wanted: list[str] | None) -> int:
    from tabulate import tabulate

    catalogue = Catalogue.installed().with_options(Options.parse(kept["options"]))
    ns = int(kept["ns"])
    species = files.species_of(kept["species"])
    plan = _plan(kept, catalogue, ns, species)
    inputs, got, reference = _points(kept, plan)
    points = kept["points"]
    print(
        f"{kept['what']} of {of_set(kept['set'])}, launch {kept['call']} of rank {kept['rank']}: "
        f"{len(points)} points, {kept['ran']} held against {kept['against']}"
    )
    first = points[0]
    print(f"the worst of them: {first['worst']} at {first['at']}, by {first['difference']:.3g}")
    reads = reads_of(plan)
    own = {name: values[:, centre(reads[name])] for name, values in inputs.items()}
    sizes = scales({**own, **reference}, catalogue, species)
    limit, single = float(kept["limit"]), set(kept["single"])
    rows: list[tuple[str, ...]] = []
    again: list[str] = []
    absent: list[str] = []
    for target in wanted or ("v2", "v3", "v4", "cuda"):
        try:
            backend = _backend(target)
            columns = {name: values.shape[2] for name, values in inputs.items()}
            _prepare(backend, kept, species)
            program = PointsProgram(plan, backend, catalogue, len(points), columns)
            found = program.run(inputs)
        except BridgeError as error:
            absent.append(f"not run on {target}: {str(error).splitlines()[0]}")
            continue
        found = {name: found[name] for name in got}
        same = all(_equal(found[n], got[n], n in single) for n in got)
        near = Near(inputs, program.run, change_of(plan.singles))
        differs = apart(found, reference, sizes, limit, single, near)
        worst = max(differs, key=lambda name: float(differs[name].measure.max()))
        above = float(differs[worst].measure.max()) > limits(limit, worst in single)
        again += [target] if above else []
        rows.append((
            target, "seen again" if above else "not seen", worst,
            f"{differs[worst].measure.max():.3g}", "the run's" if same else "others",
        ))  # fmt: skip
        backend.close()
    print(tabulate(rows, ("on", "the difference", "property", "largest", "bits"),
                   disable_numparse=True))  # fmt: skip
    for line in absent:
        print(line)
    print(_values(points, again))
    return int(bool(again))


def _values(points: list[dict[str, Any]], again: list[str]) -> str:
    first = points[0]
    name = first["worst"]
    told = f"{name} at {first['at']}: {first['got'][name]} of the run, " \
           f"{first['reference'][name]} of the reference; seen again on "  # fmt: skip
    return told + (", ".join(again) or "none of them")


def _equal(one: np.ndarray, other: np.ndarray, single: bool) -> bool:
    if single:
        one, other = one.astype(np.float32), other.astype(np.float32)
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def _plan(
    kept: Mapping[str, Any], catalogue: Catalogue, ns: int, species: SpeciesData | None
) -> Plan:
    """The same as the run's; BridgeError where this package makes another one."""
    told = kept["plan"]
    which = catalogue.runnable(kept["what"])
    plans = Plans(catalogue, ns)
    plans.species = species
    names = [name for name in told["inputs"] if not (told["masked"] and name == MASK
                                                     and name not in which.inputs)]  # fmt: skip
    plan = plans.of(which, told["outputs"], names)
    if told["masked"]:
        plan = plan.masked(MASK)
    if plan.kernels() != told["kernels"]:
        raise BridgeError(
            f"{kept['what']} runs {', '.join(plan.kernels())} here, and ran "
            f"{', '.join(told['kernels'])} there: this package has another catalogue"
        )
    return plan


def _points(kept: Mapping[str, Any], plan: Plan) -> tuple[Values, Values, Values]:
    """Inputs, what the run got, what its reference gave."""
    slots = plan.slots
    points = kept["points"]

    def of(kind: str, names: Mapping[str, int]) -> Values:
        return {
            name: np.array([point[kind][name] for point in points],
                           "int32" if slots[slot].dtype == "int32" else "float64")
            for name, slot in names.items() if name in points[0][kind]
        }  # fmt: skip

    return of("inputs", plan.inputs), of("got", plan.outputs), of("reference", plan.outputs)


def _backend(target: str) -> Backend:
    if target == "cuda":
        from bridge.backends import open_backend

        return open_backend("cuda")
    from bridge.backends.cpu import CpuBackend

    return CpuBackend(1, target)


def _prepare(backend: Backend, kept: Mapping[str, Any], species: SpeciesData | None) -> None:
    options = Options.parse(kept["options"]) if species is not None else None
    backend.set_shared(SharedData(species or SpeciesData.none(), options))
    for name, one in kept["tables"].items():
        values = np.array(one["values"]).reshape(one["shape"], order="F")
        backend.set_table(name, np.asfortranarray(values))


# ---- packs ---------------------------------------------------------------------------------


@contextmanager
def _packs(kept: Mapping[str, Any], wanted: Sequence[str] | None) -> Iterator[None]:
    """Within this the packs of the file are found: those that are installed, where they are the
    same, else those in the file, built in a folder that goes away."""
    mine = {pack.name: pack.digest for pack in packs.found()}
    if all(mine.get(name) == one["digest"] for name, one in kept["packs"].items()):
        yield
        return
    from bridge.plan import packbuild

    before = os.environ.get("BRIDGE_PACKS")
    with tempfile.TemporaryDirectory(prefix="bridge-replay-") as folder:
        try:
            os.environ["BRIDGE_PACKS"] = ":".join(_write_packs(kept, Path(folder)))
            packs.forget()
            print("the packs of the file are built from its own sources")
            isas = [isa for isa in _isas() if wanted is None or isa in wanted]
            for done in packbuild.build(isas=isas):
                print(f"{done.pack.name} {done.isa}")
            yield
        finally:
            os.environ.pop("BRIDGE_PACKS")
            if before is not None:
                os.environ["BRIDGE_PACKS"] = before
            packs.forget()


def _isas() -> tuple[str, ...]:
    from bridge.backends.host.library import available

    return available()


def _write_packs(kept: Mapping[str, Any], folder: Path) -> list[str]:
    """Folders of the packs in a file; ArgumentError for a path that leads out of its pack."""
    found = []
    for name, one in kept["packs"].items():
        place = (folder / name).resolve()
        for path, text in one["files"].items():
            target = (place / path).resolve()
            if not target.is_relative_to(place) or place.parent != folder.resolve():
                raise ArgumentError("FILE", f"pack {name!r} with a file {path!r}", "its own files")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        found.append(str(place))
    return found
