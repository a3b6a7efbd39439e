"""Pictures of the benchmarks of GPUs and ranks; need matplotlib."""

from __future__ import annotations

from itertools import product
from typing import Any

from bridge.bench.loopblock import ORIGINAL
from bridge.measuring.report import Report


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def _finish(figure: Any, report: Report, path: str, title: str, cores: str = "") -> None:
    """cores: those that were measured, where these are not all of the machine."""
    machine = report.machine
    device = str(machine.get("gpus", ""))
    cores = cores or f"{machine['cores']} cores"
    where = ", ".join(
        part
        for part in (
            device,
            f"{cores} of {machine['processor']}",
            machine["date"],
        )
        if part
    )
    figure.suptitle(f"{title}\n{where}", fontsize="medium")
    figure.tight_layout()
    figure.savefig(path, dpi=140)


def offload(report: Report, path: str) -> None:
    """Left: ns per point over the species. Right: the busier direction of the link."""
    pyplot = _pyplot()
    curves: dict[str, dict[int, float]] = {}
    of_one: dict[int, float] = {}
    of_both: dict[int, float] = {}
    for row in report.rows:
        ns = int(row.params.get("ns", 0))
        if row.name == "Fortran on all cores":
            label = f"{row.params['backend']}, {row.params['processes']} cores"
            curves.setdefault(label, {})[ns] = row.value
        elif row.name == "host to host":
            best = curves.setdefault("GPU, host array to host array", {})
            best[ns] = min(row.value, best.get(ns, row.value))
            of_both[ns] = max(100.0 * (row.ratio or 0.0), of_both.get(ns, 0.0))
        elif row.name == "resident set" and "policy" not in row.params:
            if row.params["omega11"] == "fitted":
                curves.setdefault("GPU, kernels alone", {})[ns] = row.value
        elif row.name.startswith("host to host, bytes") and row.ratio is not None:
            of_one[ns] = max(100.0 * row.ratio, of_one.get(ns, 0.0))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.8))
    for label, points in sorted(curves.items()):
        left.loglog(
            list(points), list(points.values()), "s--" if "cores" in label else "o-", label=label
        )
    counts = sorted({ns for points in curves.values() for ns in points})
    left.set_xticks(counts, [str(ns) for ns in counts])
    left.minorticks_off()
    left.set_xlabel("species")
    left.set_ylabel("ns per point")
    left.set_title("thermal + viscous set")
    left.grid(True, which="both", alpha=0.25)
    left.legend(fontsize="small")
    sides = (
        (of_one, "of strided copies of the busier direction alone", "tab:blue", -0.2),
        (of_both, "of the same copies, both directions, without kernels", "tab:orange", 0.2),
    )
    for shares, label, colour, side in sides:
        places = [number + side for number in range(len(shares))]
        bars = right.bar(places, list(shares.values()), 0.38, color=colour, label=label)
        right.bar_label(bars, fmt="%.0f%%", fontsize="small")
    right.set_xticks(range(len(of_one)), [str(ns) for ns in of_one])
    right.set_xlabel("species")
    right.set_ylabel("%")
    right.set_title("speed of the copies")
    right.set_ylim(0, 125)
    right.legend(fontsize="small", loc="upper left")
    _finish(figure, report, path, "Properties of a 128$^3$ block by way of a GPU")


def ranks(report: Report, path: str) -> None:
    """Points per second over the chunk; a panel for each number of species."""
    pyplot = _pyplot()
    rows = [row for row in report.rows if row.name == "ranks" and row.reference is None]
    rows = [row for row in rows if row.params["style"] == "run"]
    counts = sorted({row.params["ns"] for row in rows})
    figure, axes = pyplot.subplots(1, len(counts), figsize=(4.6 * len(counts), 4.6), squeeze=False)
    for axis, ns in zip(axes[0], counts, strict=True):
        curves: dict[tuple[int, bool], dict[str, float]] = {}
        for row in rows:
            if row.params["ns"] == ns:
                key = (row.params["ranks"], row.params["mps"])
                curves.setdefault(key, {})[str(row.params["chunk"])] = row.value * 1e-6
        for colour, number in enumerate(sorted({number for number, _ in curves})):
            for service in (False, True):
                points = curves.get((number, service))
                if points:
                    axis.plot(
                        list(points),
                        list(points.values()),
                        "o-" if service else "s--",
                        color=f"C{colour}",
                        label=f"{number} rank{'s' if number > 1 else ''}"
                        f"{', MPS' if service else ''}",
                    )
        axis.set_title(f"NS = {ns}")
        axis.set_xlabel("points of a chunk")
        axis.tick_params(axis="x", rotation=45)
        axis.set_ylim(bottom=0.0)
        axis.grid(True, alpha=0.25)
    axes[0][0].set_ylabel("million points per second, all ranks")
    axes[0][0].legend(fontsize="x-small", loc="upper left")
    _finish(figure, report, path, "Ranks that share a GPU")


def solver(report: Report, path: str) -> None:
    """The time of a step for each variant, properties and the rest, relative to the Fortran's; in
    one where timers of the host do not know the parts."""
    pyplot = _pyplot()
    times: dict[int, dict[str, dict[str, float]]] = {}
    ratios: dict[tuple[int, str], float | None] = {}
    for row in report.rows:
        if row.name in ("step", "properties"):
            ns, variant = row.params["ns"], row.params["variant"]
            times.setdefault(ns, {}).setdefault(variant, {})[row.name] = row.value
            if row.name == "step":
                ratios[ns, variant] = row.ratio
    figure, axes = pyplot.subplots(
        1, len(times), figsize=(4.6 * len(times), 4.6), squeeze=False, sharey=True
    )
    for axis, (ns, variants) in zip(axes[0], times.items(), strict=True):
        reference = next(iter(variants.values()))["step"]
        kinds: dict[str, list[float]] = {"properties": [], "everything else": [], "all": []}
        for part in variants.values():
            step, known = 100.0 * part["step"] / reference, part.get("properties")
            share = None if known is None else 100.0 * known / reference
            of = (0.0, 0.0, step) if share is None else (share, step - share, 0.0)
            for values, value in zip(kinds.values(), of, strict=True):
                values.append(value)
        names = [variant.replace(", ", ",\n") for variant in variants]
        under = [0.0] * len(names)
        for (label, values), colour in zip(
            kinds.items(), ("orange", "blue", "green"), strict=True
        ):
            bars = axis.bar(names, values, bottom=under, color=f"tab:{colour}", label=label)
            under = [low + value for low, value in zip(under, values, strict=True)]
        marks = [ratios[ns, variant] for variant in variants]
        axis.bar_label(bars, ["" if mark is None else f"{mark:.2f}x" for mark in marks])
        axis.set_title(f"NS = {ns}")
        axis.tick_params(axis="x", labelsize="x-small")
        axis.margins(y=0.1)
    axes[0][0].set_ylabel("% of the step of Fortran alone")
    axes[0][-1].legend(fontsize="small")
    ranks = next(row for row in report.rows if row.name == "step").params["ranks"]
    _finish(figure, report, path, f"The flow solver, {ranks} ranks, with and without the bridge")


def loops(report: Report, path: str) -> None:
    """Time of a run over the Fortran's, a bar for each length of rows, and a line in it for its C
    part; a panel for each place and order."""
    pyplot = _pyplot()
    ratios = {}
    singles = {row.name for row in report.rows if row.params.get("precision") == ORIGINAL}
    for row in report.rows:
        if row.reference == "fortran":
            name = row.name
            if name in singles:
                single = row.params["precision"] == ORIGINAL
                name += f"\nin {'real(4)' if single else 'double'}"
            place = (row.params[key] for key in ("place", "order", "row"))
            ratios[name, row.params["way"], *place] = 1.0 / (row.ratio or 1.0)
    names, _, places, orders, lengths = (
        list(dict.fromkeys(one)) for one in zip(*ratios, strict=True)
    )
    figure, axes = pyplot.subplots(
        len(places), len(orders), figsize=(6.6 * len(orders), 3.6 * len(places)), squeeze=False,
        sharey=True,
    )  # fmt: skip
    width = 0.84 / len(lengths)
    for (place, order), axis in zip(product(places, orders), axes.flat, strict=True):
        for number, length in enumerate(lengths):
            run, engine = (
                {
                    at + width * (number - (len(lengths) - 1) / 2): ratios[key]
                    for at, name in enumerate(names)
                    if (key := (name, way, place, order, length)) in ratios
                }
                for way in ("run", "engine")
            )
            bars = axis.bar(
                list(run), list(run.values()), 0.92 * width, color=f"C{number}",
                label=f"rows of {length} points",
            )  # fmt: skip
            for bar, ratio in zip(bars, run.values(), strict=True):  # below all other lines
                axis.annotate(
                    f"{ratio:.2f}", (bar.get_x() + 0.5 * bar.get_width(), 0.015),
                    xycoords=axis.get_xaxis_transform(), color="white", fontsize=6.5, rotation=90,
                    ha="center", va="bottom",
                )  # fmt: skip
            axis.hlines(
                list(engine.values()), [x - 0.4 * width for x in engine],
                [x + 0.4 * width for x in engine], color="black", linewidth=0.8,
                label=None if number else "its part in the kernel library",
            )  # fmt: skip
        axis.set_xticks(range(len(names)), names, fontsize="x-small")
        axis.axhline(1.0, color="black", linewidth=0.8, linestyle="--")
        axis.set_yscale("log", base=2)
        axis.yaxis.set_major_formatter("{x:g}")
        axis.set_title(f"{place}, component {order}", fontsize="medium")
        axis.set_ylim(0.4 * min(ratios.values()), 1.3 * max(ratios.values()))
        axis.margins(x=0.01)
    for axis in axes[:, 0]:
        axis.set_ylabel("time / time of the Fortran loop")
    axes[0][0].legend(fontsize="x-small", loc="upper left")
    _finish(figure, report, path, "Loops of a legacy code on one thread", "one core")


def fluids(report: Report, path: str) -> None:
    """ns per cell and step over the number of cells along a side."""
    pyplot = _pyplot()
    figure, axis = pyplot.subplots(figsize=(6.4, 4.6))
    series: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in report.rows:
        key = row.name, str(row.params["backend"])
        series.setdefault(key, []).append((row.params["n"], row.value))
    colours = {"none": "black", "cpu": "tab:blue", "cuda": "tab:green"}
    lines = {"fortran": "-", "reactburst": ":", "threacburst": "--", "stepburst": "-"}
    for (name, backend), points in series.items():
        label = name if backend == "none" else f"{name}, {backend}"
        axis.plot(*zip(*points, strict=True), lines[name], color=colours[backend], marker="o",
                  markersize=3, label=label)  # fmt: skip
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xlabel("cells along a side")
    axis.set_ylabel("ns per cell and step")
    axis.legend(fontsize="small")
    _finish(figure, report, path, "Stable fluids, moved stage by stage")
