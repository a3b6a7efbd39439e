"""Reporting: totals of what was verified; a line and a file where a difference is above the
limit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from bridge import log
from bridge.bound.pointsprogram import Values
from bridge.physics.options import Options
from bridge.plan.declarations import Composite
from bridge.plan.inputs import MASK
from bridge.plan.plan import Plan
from bridge.tvproperties import TVProperties
from bridge.verify import files
from bridge.verify.measure import Apart
from bridge.verify.table import Told, Total, of_set

#: Numbers of an input that a line shows.
SHOWN = 8


@dataclass(frozen=True)
class Case:
    """Points of one launch, run twice. inputs: with the places around each point; own: at the
    point itself; found, limits: by output; places: what a point is called, by its row."""

    set: str
    what: str
    call: int
    against: str
    plan: Plan
    inputs: Values
    own: Values
    got: Values
    reference: Values
    found: dict[str, Apart]
    limits: dict[str, float]
    single: Collection[str]
    places: Callable[[int], str]

    def above(self) -> np.ndarray:
        """Points where some output is above its limit."""
        every = [one.measure > self.limits[name] for name, one in self.found.items()]
        found: np.ndarray = np.logical_or.reduce(every)
        return found

    def shown(self, row: int) -> str:
        """The inputs of a point."""
        told = []
        for name, values in self.own.items():
            if name == MASK:
                continue
            numbers = [f"{one:.17g}" for one in values[row].tolist()]
            more = f" ... ({len(numbers)})" if len(numbers) > SHOWN else ""
            told.append(f"{name} = {' '.join(numbers[:SHOWN])}{more}")
        return ", ".join(told)


class Reporting:
    """Of one Verifier; path: beginning of the names of files."""

    def __init__(
        self, tv: TVProperties, path: Path, limit: float, rank: int,
        fingerprint: Callable[[], str],
    ) -> None:  # fmt: skip
        self._tv, self._impl = tv, tv.impl
        self._path = path
        self._limit = limit
        self._rank = rank
        self._fingerprint = fingerprint
        self._written: set[tuple[str, str, str]] = set()
        self.told = Told()

    def add(self, case: Case) -> None:
        for name, one in case.found.items():
            self._add(case, name, one)
        which = (case.set, case.what, case.against)
        if not case.above().any() or which in self._written:
            return
        self._written.add(which)
        path = self._path.with_name(f"{self._path.name}.{self._rank}.{len(self._written)}.json")
        self._say(case)
        try:
            files.write(path, self._contents(case))
        except OSError as error:
            reason = error.strerror or error
            log.say(f"warning: rank {self._rank}: {path} cannot be written: {reason}")
            return
        self.told.files.append(str(path))
        log.say(f"rank {self._rank}: written: 'bridge replay {path}' runs it alone")

    def _say(self, case: Case) -> None:
        """The worst point of the first case that was above the limit."""
        above = [n for n, one in case.found.items() if (one.measure > case.limits[n]).any()]
        name = max(above, key=lambda n: float(case.found[n].measure.max()))
        one = case.found[name]
        row = int(one.measure.argmax())
        component = int(one.component[row])
        of = f"{name}({component + 1})" if case.got[name].shape[1] > 1 else name
        others = ", ".join(other for other in above if other != name)
        log.say(
            f"warning: rank {self._rank}: {case.what} of {of_set(case.set)}, launch {case.call}: "
            f"{of} differs by {one.measure[row]:.3g} ({one.ulps:.6g} ULP) at {case.places(row)}: "
            f"{_number(case.got[name][row, component])} of {self._ran()}, "
            f"{_number(case.reference[name][row, component])} of {case.against}; "
            f"{int(case.above().sum())} of {len(one.measure)} points are above "
            f"{case.limits[name]:g}"
            + (f", there also {others}" if others else "")
            + f"; {case.shown(row)}"
        )

    def _add(self, case: Case, name: str, one: Apart) -> None:
        key = (case.set, case.what, name, case.against)
        total = self.told.totals.setdefault(key, Total())
        row = int(one.measure.argmax())
        measure = float(one.measure[row])
        if not total.at or measure > total.measure:
            total.at, total.inputs = case.places(row), case.shown(row)
            if case.got[name].shape[1] > 1:
                total.at += f" [{int(one.component[row]) + 1}]"
        total.measure = max(total.measure, measure)
        total.ulps = max(total.ulps, one.ulps)
        total.checks += 1
        total.points += len(one.measure)
        total.above += int((one.measure > case.limits[name]).sum())

    def _ran(self) -> str:
        return f"{self._impl.backend.name} {self._impl.backend.target}"

    def _contents(self, case: Case) -> dict[str, Any]:
        worst = np.max([np.where(one.measure > case.limits[name], one.measure, 0.0)
                        for name, one in case.found.items()], axis=0)  # fmt: skip
        rows = np.argsort(-worst, kind="stable")
        rows = rows[worst[rows] > 0.0][: files.MOST_POINTS]
        plan, impl = case.plan, self._impl
        which = impl.catalogue.runnable(plan.name)
        tables = {name: impl.tables.values()[name] for name in plan.tables}
        species = self._tv.species if impl.ns else None
        return {
            "ran": self._ran(),
            "against": case.against,
            "set": case.set,
            "what": case.what,
            "call": case.call,
            "rank": self._rank,
            "limit": self._limit,
            "fingerprint": self._fingerprint(),
            "plan": {
                "kind": "composite" if isinstance(which, Composite) else "kernel",
                "inputs": list(plan.inputs),
                "outputs": list(plan.outputs),
                "masked": plan.mask is not None,
                "kernels": plan.kernels(),
            },
            "ns": impl.ns,
            "species": files.of_species(species),
            "options": _options(self._tv.options),
            "tables": {
                name: {"shape": list(one.shape), "values": one.ravel("F").tolist()}
                for name, one in tables.items()
            },
            "packs": files.of_packs(plan.kernels()),
            "single": sorted(case.single),
            "points": [self._point(case, row) for row in rows.tolist()],
        }

    @staticmethod
    def _point(case: Case, row: int) -> dict[str, Any]:
        worst = max(case.found, key=lambda name: float(case.found[name].measure[row]))
        return {
            "at": case.places(row),
            "worst": worst,
            "difference": float(case.found[worst].measure[row]),
            "inputs": {name: values[row].tolist() for name, values in case.inputs.items()},
            "got": {name: values[row].tolist() for name, values in case.got.items()},
            "reference": {name: values[row].tolist() for name, values in case.reference.items()},
        }


def _number(value: Any) -> str:
    return f"{value.item():.17g}"


def _options(options: Options) -> Mapping[str, Any]:
    """Without the constants that they replace: the species have them."""
    return {field.name: getattr(options, field.name) for field in fields(Options)
            if field.name != "override"}  # fmt: skip
