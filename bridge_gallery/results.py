"""What a ladder showed: its tables, its paragraph, its rows and its chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import Any

from bridge.measuring.report import Row
from bridge_gallery.running import Outcome
from bridge_gallery.timing import Limits, Timed

#: What bytes are held against.
COPY = "copy within the device"
#: What a time is shared by.
CELLS = "cells and steps"


def text(outcome: Outcome) -> str:
    """The page of one ladder."""
    from tabulate import tabulate

    ladder = outcome.ladder
    parts = [ladder.TITLE, ""]
    worst: dict[str, list[float]] = {}
    for one in outcome.checked:
        worst.setdefault(one.problem, []).append(one.difference)
    for problem, differences in worst.items():
        parts.append(
            f"checked against NumPy: {len(differences)} rungs, {problem}, "
            f"largest difference {max(differences):.2g}"
        )
    for title, rows in _tables(outcome).items():
        where = f" ({rows[0].problem.document})" if rows[0].problem.document else ""
        headers = ("rung", f"document{where}", "ms", "ns per cell", "GB/s", "% of a copy",
                   "% of the peak", "registers", "stack, spilled", "launcher/bare",
                   "")  # fmt: skip
        lines = [_line(one, outcome.limits) for one in rows]
        kept = [k for k in range(len(headers)) if any(line[k] not in ("", None) for line in lines)]
        shown = [[line[k] for k in kept] for line in lines]
        parts += ["", title, tabulate(shown, [headers[k] for k in kept], floatfmt=".4g")]
    if outcome.limits is not None:
        parts += ["", _limits(outcome.limits), *outcome.notes]
        notes = getattr(ladder, "notes", None)  # not every ladder has some
        parts += notes(outcome.timed, outcome.limits) if notes and outcome.timed else []
    if ladder.MISTAKES:
        parts += ["", "Mistakes of the document that are mended here:"]
        parts += [f"- {mistake}" for mistake in ladder.MISTAKES]
    return "\n".join([*parts, "", ladder.LESSON])


def _tables(outcome: Outcome) -> dict[str, list[Timed]]:
    tables: dict[str, list[Timed]] = {}
    for one in outcome.timed:
        tables.setdefault(one.problem.title, []).append(one)
    return tables


def _line(one: Timed, limits: Limits | None) -> tuple[Any, ...]:
    """Of one rung."""
    copy = f"{100 * one.rate / limits.copy:.0f}" if limits and one.moved else ""
    peak = ""
    if limits and one.problem.operations:
        most = limits.single if one.problem.single_precision else limits.double
        peak = f"{100 * one.problem.operations / one.seconds / most:.0f}"
    return (
        one.rung.name,
        one.rung.document,
        1e3 * one.seconds,
        "" if one.per_cell is None else f"{one.per_cell:.4g}",
        f"{1e-9 * one.rate:.0f}" if one.moved else "",
        copy,
        peak,
        "" if one.registers is None else one.registers,
        f"{one.stack}, {one.spilled}" if one.stack or one.spilled else "",
        "" if one.bare is None else f"{one.seconds / one.bare:.3f}",
        one.rung.remark,
    )


def _limits(limits: Limits) -> str:
    return (
        f"This device: copy {1e-9 * limits.copy:.0f} GB/s, read {1e-9 * limits.read:.0f}, "
        f"write {1e-9 * limits.write:.0f}; multiply-adds {1e-12 * limits.double:.1f} TFLOP/s "
        f"in double, {1e-12 * limits.single:.1f} in single precision"
    )


def rows(outcome: Outcome) -> list[Row]:
    """Of the JSON file: a time for each rung, its rate against a copy or the peak, and the
    launcher against a bare launch."""
    found, limits = [], outcome.limits
    for one in outcome.timed:
        params: dict[str, Any] = {
            "ladder": outcome.ladder.NAME,
            "problem": one.problem.title,
            "registers": one.registers,
            "stack": one.stack,
            "spilled": one.spilled,
        }
        if one.problem.cells:
            params["cells"] = one.problem.cells
        name = one.rung.name
        found.append(Row(name, params, 1e3 * one.seconds, "ms"))
        if one.per_cell is not None:
            found.append(Row(name, params, one.per_cell, "ns per cell", CELLS))
        if limits and one.moved:
            share = one.rate / limits.copy
            found.append(Row(name, params, 1e-9 * one.rate, "GB/s", COPY, share))
        if limits and one.problem.operations:
            single = one.problem.single_precision
            most = limits.single if single else limits.double
            rate = one.problem.operations / one.seconds
            of = "multiply-adds in " + ("single" if single else "double") + " precision"
            found.append(Row(name, params, 1e-12 * rate, "TFLOP/s", of, rate / most))
        if one.bare is not None:
            of = "NVRTC and a bare launch"
            found.append(Row(name, params, 1e3 * one.bare, "ms", of, one.seconds / one.bare))
    return found


def chart(rows: Sequence[Row], path: str, machine: str) -> None:
    """Bars for each rung of one ladder, a panel of them for each problem; of problems with the
    same rungs at several sizes the largest table alone, and lines over the sizes. Needs
    matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels: dict[str, _Panel] = {}
    for row in rows:
        panels.setdefault(row.params["problem"], _Panel()).take(row)
    sizes = {panel.cells: panel for panel in panels.values() if panel.cells}
    if len(sizes) > 1:
        most = max(sizes.values(), key=lambda panel: len(panel.per_cell))
        panels = {title: one for title, one in panels.items() if one is most or not one.cells}
    heights = [1.0 + 0.22 * len(panel.times) for panel in panels.values()]
    heights += [4.0] if len(sizes) > 1 else []
    figure, all_axes = pyplot.subplots(
        len(heights), 1, figsize=(9, sum(heights) + 0.6), height_ratios=heights, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for axes, (problem, panel) in zip(all_axes[:, 0], panels.items(), strict=False):
        panel.draw(axes, problem)
    if len(sizes) > 1:
        _draw_sizes(all_axes[-1, 0], sizes)
    # The model of the device; what else is known of it stands in the JSON.
    figure.suptitle(f"{rows[0].params['ladder']}: {machine.split(' at ')[0]}", fontsize="medium")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


@dataclass
class _Panel:
    """Figures of one problem by the names of its rungs; cells: of a problem that has some."""

    times: dict[str, float] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    per_cell: dict[str, float] = field(default_factory=dict)
    copy: float = 0.0
    cells: int = 0

    def take(self, row: Row) -> None:
        if row.reference == CELLS:
            self.per_cell[row.name] = row.value
            self.cells = row.params["cells"]
        elif row.reference is None:
            self.times[row.name] = row.value
        elif row.reference == COPY:
            self.rates[row.name] = row.value
            self.copy = row.value / (row.ratio or 1.0)

    def draw(self, axes: Any, problem: str) -> None:
        """A bar for each rung: time of a cell, else bytes of all rungs, else time."""
        by_rate = not self.per_cell and len(self.rates) == len(self.times)
        shown = self.per_cell or (self.rates if by_rate else self.times)
        axes.barh(range(len(shown)), list(shown.values()), color="#4878a8")
        axes.set_yticks(range(len(shown)), list(shown), fontsize=8)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        unit = "ns per cell and step" if self.per_cell else "ms"
        axes.set_xlabel("GB/s of bytes that are needed" if by_rate else unit, fontsize=8)
        axes.set_title(problem, fontsize="medium", loc="left")
        if by_rate:
            axes.axvline(self.copy, color="0.3", linestyle="--")
            axes.annotate("copy", (self.copy, 1.0), xycoords=("data", "axes fraction"),
                          ha="center", va="bottom", fontsize=8)  # fmt: skip
        elif max(shown.values()) > 10 * min(shown.values()):
            axes.set_xscale("log")
            axes.set_xlim(0.7 * min(shown.values()), 1.3 * max(shown.values()))
            _plain_numbers(axes.xaxis)


def _plain_numbers(axis: Any) -> None:
    """Of an axis of logarithms: 0.5, 1, 2 rather than powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _draw_sizes(axes: Any, sizes: Mapping[int, _Panel]) -> None:
    """A line for each rung that has several sizes, which are those of squares."""
    names = dict.fromkeys(name for panel in sizes.values() for name in panel.per_cell)
    shown = 0
    for name in names:
        points = sorted(
            (isqrt(cells), panel.per_cell[name])
            for cells, panel in sizes.items()
            if name in panel.per_cell
        )
        if len(points) > 1:
            shown += 1
            axes.plot(*zip(*points, strict=True), marker="osd^v*"[shown % 6], label=name)
    sides = sorted(isqrt(cells) for cells in sizes)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    _plain_numbers(axes.yaxis)
    axes.set_xticks(sides, [str(side) for side in sides], fontsize=8)
    axes.set_title("the same at other sizes", fontsize="medium", loc="left")
    axes.set_xlabel("cells along a side", fontsize=8)
    axes.set_ylabel("ns per cell and step", fontsize=8)
    axes.grid(color="0.9")
    axes.legend(fontsize=8)
