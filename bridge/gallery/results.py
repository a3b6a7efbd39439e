"""What a ladder showed: its tables, its paragraph, its rows and its chart."""

from __future__ import annotations

from typing import Any

from bridge.bench.report import Row
from bridge.gallery.running import Outcome
from bridge.gallery.timing import Limits, Timed


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
        headers = ("rung", f"document{where}", "ms", "GB/s", "% of a copy", "% of the peak",
                   "registers", "stack, spilled", "launcher/bare", "")  # fmt: skip
        lines = [_line(one, outcome.limits) for one in rows]
        kept = [k for k in range(len(headers)) if any(line[k] not in ("", None) for line in lines)]
        shown = [[line[k] for k in kept] for line in lines]
        parts += ["", title, tabulate(shown, [headers[k] for k in kept], floatfmt=".4g")]
    if outcome.limits is not None:
        parts += ["", _limits(outcome.limits)]
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
        name = one.rung.name
        found.append(Row(name, params, 1e3 * one.seconds, "ms"))
        if limits and one.moved:
            of = "copy within the device"
            found.append(Row(name, params, 1e-9 * one.rate, "GB/s", of, one.rate / limits.copy))
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


def chart(outcomes: list[Outcome], path: str, machine: str) -> None:
    """A row of bars for each rung of each table; needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    tables = [
        (outcome, title, rows) for outcome in outcomes for title, rows in _tables(outcome).items()
    ]
    if not tables:
        return
    heights = [1.2 + 0.24 * len(rows) for _, _, rows in tables]
    figure, all_axes = pyplot.subplots(
        len(tables), 1, figsize=(9, sum(heights) + 0.6), height_ratios=heights, squeeze=False
    )
    for axes, (outcome, title, rows) in zip(all_axes[:, 0], tables, strict=True):
        by_rate = bool(outcome.limits) and all(one.moved for one in rows)
        values = [1e-9 * one.rate if by_rate else 1e3 * one.seconds for one in rows]
        axes.barh(range(len(rows)), values, color="#4878a8")
        axes.set_yticks(range(len(rows)), [one.rung.name for one in rows], fontsize=8)
        axes.invert_yaxis()
        axes.set_xlabel("GB/s that cannot be done without" if by_rate else "ms")
        axes.set_title(f"{outcome.ladder.NAME}: {title}", fontsize="medium")
        if by_rate and outcome.limits is not None:
            axes.axvline(1e-9 * outcome.limits.copy, color="0.3", linestyle="--")
            axes.text(1e-9 * outcome.limits.copy, -0.8, "copy", ha="center", fontsize=8)
        if not by_rate and max(values) > 50 * min(values):
            axes.set_xscale("log")
    figure.suptitle(machine, fontsize="medium")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
