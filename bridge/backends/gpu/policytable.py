"""Which launch policy a plan gets: read from a table, never measured by a run.

A policy decides the last bits of a result, so it follows from what a run asks for alone: kind of
plan, number of species, architecture, and the table. The package ships one, `bridge tune` writes
others. BRIDGE_POLICY names a user's table, or forces one policy for all plans.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bridge import yamlfiles
from bridge.backends.gpu import architecture
from bridge.backends.gpu.layout import SharedLayout
from bridge.backends.gpu.policy import Policy, choose, crowded, named, searches
from bridge.errors import ArgumentError
from bridge.kernels import file
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Plan

#: BRIDGE_POLICY for the rule of `policy.choose` alone, without a table.
BY_COUNT = "by-count"
#: Kinds of plans that a table has rows for, see `kind_of`.
KINDS = ("thermal", "transport", "exact", "fitted", "pack")
#: Kernels that go over pairs of species for their diffusion coefficients.
_DIFFUSION = frozenset(
    ("chungBinaryDiffusion", "chungMixtureDiffusion", "chungMixtureDiffusionFused",
     "chungStefanMaxwell")
)  # fmt: skip
#: How far a number of species may be from a row's that serves it.
FACTOR = 2

_HEAD = """\
# Launch policies of a GPU: written by `bridge tune`, named by BRIDGE_POLICY.
#
# class: architecture, the major number of the compute capability; kind: of plan (thermal;
# transport: viscosity and conductivity too; exact, fitted: diffusion too, by the option omega11;
# pack: any kernel of a pack); ns: number of species; policy: as BRIDGE_POLICY takes it.
# nanoseconds (per point) and note say how a row came about and decide nothing. What holds for
# plans and counts that are not listed: docs/how-to/run-on-a-gpu.md.
format: 1
rows:
"""
_NEEDED, _INFORMING = ("class", "kind", "ns", "policy"), ("nanoseconds", "note")

#: Architecture class, kind of plan, number of species.
Key = tuple[int, str, int]


@dataclass(frozen=True)
class Row:
    """A policy and how it was found; nanoseconds: per point, 0 where that is not known."""

    policy: Policy
    nanoseconds: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class Table:
    """rows by class, kind and count; name: for messages and the report; forced: the policy of all
    plans whatever the rows say."""

    name: str
    rows: Mapping[Key, Row] = field(default_factory=dict)
    forced: Policy | None = None

    def policy(self, plan: Plan, layout: SharedLayout, arch: str) -> Policy:
        """The policy of a plan. Single kernels and searches for temperature, whose launches have
        nothing to choose from, and what no row serves go by the number of species."""
        if self.forced is not None:
            return self.forced
        tensor = layout.on_tensors(arch)
        if len(plan.steps) > 1 and not (searches(plan) or crowded(plan, layout.ns)):
            found = self.nearest(kind_of(plan, layout), layout.ns, arch)
            if found is not None and (tensor or not found.policy.tensor):
                return found.policy
        return choose(plan, layout.ns, tensor)

    def of_kernels(self, plan: Plan, ns: int) -> Policy:
        """The policy of a plan's kernels where each is a launch of its own."""
        return self.forced or choose(plan, ns)

    def nearest(self, kind: str, ns: int, arch: str) -> Row | None:
        """The row that serves this number of species: of the next count up that is listed, if it
        is at most FACTOR times as large, else of the next one down within the same factor.

        Up comes first because a policy that suits many species holds few, but not the reverse.
        """
        rows = {n: row for (_, _, n), row in self._of_class(kind, arch).items()}
        up = [n for n in rows if ns <= n <= FACTOR * ns]
        down = [n for n in rows if n < ns <= FACTOR * n]
        if up:
            return rows[min(up)]
        return rows[max(down)] if down else None

    def served(self, arch: str) -> int | None:
        """The architecture class whose rows an architecture gets: its own, else the nearest one
        below that is listed, else the nearest one above; None for an empty table."""
        mine = architecture.capability(arch) // 10
        known = {one for one, _, _ in self.rows}
        below, above = [n for n in known if n <= mine], [n for n in known if n > mine]
        return max(below) if below else min(above) if above else None

    def listed(self, arch: str) -> dict[Key, Row]:
        """The rows that an architecture gets."""
        mine = self.served(arch)
        return {key: row for key, row in sorted(self.rows.items()) if key[0] == mine}

    def _of_class(self, kind: str, arch: str) -> dict[Key, Row]:
        return {key: row for key, row in self.listed(arch).items() if key[1] == kind}

    def digest(self) -> str:
        """Eight digits that two tables share which decide the same."""
        lines = [f"{key} {row.policy}\n" for key, row in sorted(self.rows.items())]
        return hashlib.sha256("".join(lines).encode()).hexdigest()[:8]

    def describe(self, arch: str) -> str:
        """For the report: which table, and whose rows of it."""
        if self.forced is not None:
            return str(self.forced)
        which = self.served(arch)
        if which is None:
            return self.name
        return f"{self.name} ({self.digest()}), class {which} for {arch}"

    def text(self) -> str:
        """The table as a file."""
        return _HEAD + "".join(
            f"- {{class: {key[0]}, kind: {key[1]}, ns: {key[2]}, policy: {row.policy}"
            + (f", nanoseconds: {row.nanoseconds:.3g}" if row.nanoseconds else "")
            + (f", note: {json.dumps(row.note)}" if row.note else "")
            + "}\n"
            for key, row in sorted(self.rows.items())
        )


def kind_of(plan: Plan, layout: SharedLayout) -> str:
    """One of KINDS: what most of a plan's time depends on."""
    catalogue = Catalogue.installed()
    kernels = [catalogue.kernel(name) for name in plan.kernels()]
    shipped = file("point.h").parent
    if not all(kernel.header.is_relative_to(shipped) for kernel in kernels):
        return "pack"
    if any(kernel.name in _DIFFUSION for kernel in kernels):
        return "fitted" if layout.constants["omega11Fitted"] else "exact"
    transport = any(kernel.header.parent.name == "transport" for kernel in kernels)
    return "transport" if transport else "thermal"


# ---- where tables come from -------------------------------------------------------------------


def current() -> Table:
    """What BRIDGE_POLICY says, else the shipped table; ArgumentError where it says neither a
    policy nor a table that can be read."""
    given = os.environ.get("BRIDGE_POLICY", "").strip()
    if not given:
        return shipped()
    if given == BY_COUNT:
        return Table("by species count")
    if os.sep in given or given.lower().endswith((".yaml", ".yml")):
        return read(Path(given).expanduser(), f"table {given}")
    return Table("forced", forced=named(given))


@cache
def shipped() -> Table:
    """The table of the package."""
    from bridge.compiled.policies import CONTENT

    return _checked(CONTENT, Path("data/policies.yaml"), "shipped table", "BRIDGE_POLICY")


def read(path: Path, name: str = "", argument: str = "BRIDGE_POLICY") -> Table:
    """A table from its file; ArgumentError that names the file and the key that is wrong."""
    import yaml

    wanted = "a table as 'bridge tune' writes it"
    try:
        content = yamlfiles.load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(
            argument, str(path), f"{wanted}, in a readable file ({error})"
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        raise ArgumentError(argument, str(path), f"{wanted} ({error})") from None
    return _checked(content, path, name, argument)


def _checked(content: Any, path: Path, name: str, argument: str) -> Table:
    wanted = "a table as 'bridge tune' writes it"
    form = content.get("format") if isinstance(content, dict) else content
    if not isinstance(content, dict) or form != 1:
        raise ArgumentError(argument, f"{path} with format {form!r}", f"{wanted}, format 1")
    unknown = [str(key) for key in content if key not in ("format", "rows")]
    if unknown:
        raise ArgumentError(argument, f"'{unknown[0]}' in {path}", "format and rows alone")
    listed = content.get("rows") or []
    if not isinstance(listed, list):
        raise ArgumentError(argument, f"rows of {type(listed).__name__} in {path}", "a list")
    rows: dict[Key, Row] = {}
    for place, entry in enumerate(listed):
        key, row = _row(entry, argument, f"rows[{place}]", path)
        if key in rows:
            got = f"rows[{place}] in {path}, class {key[0]} {key[1]} ns {key[2]} again"
            raise ArgumentError(argument, got, "each class, kind and ns once")
        rows[key] = row
    return Table(name or f"table {path}", rows)


def _row(entry: Any, argument: str, where: str, path: Path) -> tuple[Key, Row]:
    def wrong(key: str, wanted: str) -> ArgumentError:
        got = repr(entry[key]) if key in entry else "nothing"
        return ArgumentError(argument, f"{got} for {where}.{key} in {path}", wanted)

    if not isinstance(entry, dict):
        raise ArgumentError(argument, f"{entry!r} for {where} in {path}", "keys and values")
    for key in entry:
        if key not in (*_NEEDED, *_INFORMING):
            raise wrong(key, f"keys out of {', '.join((*_NEEDED, *_INFORMING))}")
    for key in ("class", "ns"):
        value = entry.get(key)
        if type(value) is not int or value < 1:
            raise wrong(key, "a whole number from 1")
    if entry.get("kind") not in KINDS:
        raise wrong("kind", f"one of {', '.join(KINDS)}")
    nanoseconds = entry.get("nanoseconds", 0.0)
    if type(nanoseconds) not in (int, float) or not 0.0 <= nanoseconds < float("inf"):
        raise wrong("nanoseconds", "a number from 0")
    try:
        policy = named(entry["policy"])
    except (ArgumentError, KeyError, AttributeError) as error:
        policies = str(error).rpartition("wanted ")[2] if isinstance(error, ArgumentError) else ""
        raise wrong("policy", policies or "a policy such as local threads=64") from None
    key = (entry["class"], entry["kind"], entry["ns"])
    return key, Row(policy, float(nanoseconds), str(entry.get("note", "")))


def merged(table: Table, rows: Iterable[tuple[Key, Row]]) -> Table:
    """A table with these rows in the place of those of the same class, kind and count; all the
    others stay."""
    return Table(table.name, {**table.rows, **dict(rows)}, table.forced)
