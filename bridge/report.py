"""Report: what `frame_report` prints of a run: devices, settings, timers, comparisons, status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bridge.bound import stability
from bridge.bound.compared import Key, Total
from bridge.bound.compared import table as comparisons_table
from bridge.bound.statuscounts import Totals, summary
from bridge.plan import verified
from bridge.timers import Counts, Timers, table
from bridge.tvproperties import TVProperties


class Part(NamedTuple):
    """Of one rank: its timers, comparisons with the host's own loops, counts of status, runs
    that had no points, and mixtures that would split."""

    timers: dict[str, Counts]
    compared: dict[Key, Total]
    met: Totals
    idle: Counter[tuple[str, str]]
    stability: stability.Seen


def of_rank(timers: Timers, tvproperties: TVProperties) -> Part:
    """What a rank tells the one that prints."""
    return Part(
        timers.snapshot(), tvproperties.compared(), tvproperties.met(),
        +tvproperties.without_points(), tvproperties.stability(),
    )  # fmt: skip


def blocks(
    parts: Sequence[Part], facts: Mapping[str, str], tvproperties: TVProperties,
    compare_limit: float,
) -> list[str]:  # fmt: skip
    """What is printed, in pieces; facts: of the run, a line each; compare_limit: a setting."""
    impl = tvproperties.impl
    backend, views = impl.backend, impl.views
    shown = {**facts, "views": f"{len(views.names())} in {views.allocations} allocations"}
    limit = backend.limit()
    if limit is not None:
        shown[limit.name] = limit.text
    lines = [f"{key:<12} {value}" for key, value in shown.items()]
    ported = verified.states(backend.target)
    of_packs = [*(f"{name}: {state}" for name, state in ported.items()), *backend.ways()]
    if of_packs:
        lines += ["", *of_packs]
    shares = () if limit is None else (limit.name, limit.bandwidth)
    lines += ["", table([part.timers for part in parts], *shares)]
    idle = sum((part.idle for part in parts), Counter())
    lines += [
        f"runs without points: {composite} on set '{set}': {runs}"
        for (set, composite), runs in idle.items()
    ]
    exchanges = tvproperties.exchange_lines()
    if exchanges:
        lines += ["", *exchanges]
    told = ["\n".join(lines)]
    compared = comparisons_table([part.compared for part in parts])
    if compared:
        told.append(f"\ncompared with the host's own loops, limit {compare_limit:g}\n{compared}")
    told.append("\n".join(summary([part.met for part in parts])))
    told.append("\n".join(stability.summary([part.stability for part in parts])))
    return told
