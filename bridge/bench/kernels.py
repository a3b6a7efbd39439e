"""`bridge bench kernels`: properties per point against the Fortran they replace, and Cantera.

The same random states for all (`states`): ours from views into views, the Fortran point by point
from arrays with a point's numbers side by side. Candidates take turns; times are medians of the
processor time of the one thread that works, ratios medians over the rounds. Several threads
are compared with one by the clock on the wall, each at its fastest: a thread that has to wait for
another program's makes all of them wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bridge.bench import models
from bridge.bench.canteraloop import CanteraLoop
from bridge.bench.cubicfit import fit
from bridge.bench.programs import SETS, ViewProgram, worst_difference
from bridge.bench.request import Request
from bridge.errors import BridgeError
from bridge.measuring.fortran import BUILDS, FortranPhysics, sources
from bridge.measuring.report import Report, Row
from bridge.measuring.states import States, random_states
from bridge.measuring.timing import Times, time_in_turns
from bridge.progress import each

#: States that the Fortran and the bridge must agree on before they are timed.
AGREEMENT = 1e-9
POINTS = 4096


def measure(request: Request) -> Report:
    """Rows `thermal-set` and `full-set`: ns per point, once for each reference; rows `state`,
    `option` and `phases`: once, against a state of T and P and the default options."""
    folder = sources(request.fortran_stub)
    physics = {name: FortranPhysics(name, folder) for name in BUILDS}
    report = Report("Properties per point, ns")
    table = _Table(report, request.threads)
    for ns in each(request.ns, "NS ="):
        states = random_states(ns, request.points or POINTS)
        for one in physics.values():
            one.use(states.species)
        for which in each(SETS, ""):
            table.add(ns, which, *_race(request, states, physics, which))
        for costs in (models.of_states, models.of_options, models.of_phases):
            table.add_costs(costs(request, states))
    report.summary = table.text()
    return report


def _race(
    request: Request, states: States, physics: dict[str, FortranPhysics], which: str
) -> tuple[Times, dict[str, Times], dict[str, int], str]:
    """Times of one thread, of threads against one by variant, states per call, and the ISA."""
    full = which == "full-set"
    variants = ("exact", "fitted") if full else ("exact",)
    ours = {v: ViewProgram(states, SETS[which], omega11=v, isa=request.isa) for v in variants}
    candidates: dict[str, Callable[[], object]] = {v: p.run for v, p in ours.items()}
    counts = dict.fromkeys((*ours, *physics), states.n)
    ours["exact"].run()
    for name, one in physics.items():
        sets = one.sets(states)
        candidates[name] = sets.run_full if full else sets.run_thermal
        candidates[name]()
        difference = worst_difference(ours["exact"], sets, full)
        if not difference < AGREEMENT:
            raise BridgeError(
                f"{name} and the bridge differ by {difference:.1e}: nothing is timed"
            )
    if request.cantera:
        cantera = CanteraLoop(states)
        if not cantera.missing:
            candidates["cantera"] = cantera.run_full if full else cantera.run_thermal
            counts["cantera"] = cantera.n
    times = time_in_turns(candidates, seconds=request.seconds)
    threaded: dict[str, Times] = {}
    for variant in variants if request.threads > 1 else ():
        many = ViewProgram(
            states, SETS[which], omega11=variant, threads=request.threads, isa=request.isa
        )
        pair = {"one": ours[variant].run, "many": many.run}
        threaded[variant] = time_in_turns(
            pair, seconds=request.seconds / 3, clock=time.perf_counter
        )
    return times, threaded, counts, ours["exact"].isa


class _Table:
    """Rows of the report, and the table that is printed."""

    def __init__(self, report: Report, threads: int) -> None:
        self._report = report
        self._threads = threads
        self._lines: dict[str, list[dict[str, object]]] = {which: [] for which in SETS}
        self._times: dict[str, dict[str, dict[int, float]]] = {which: {} for which in SETS}
        self._costs: dict[str, list[dict[str, object]]] = {}

    def add(
        self,
        ns: int,
        which: str,
        times: Times,
        threaded: dict[str, Times],
        counts: dict[str, int],
        isa: str,
    ) -> None:
        """Add the times of one comparison."""
        line: dict[str, object] = {"NS": ns}
        for name in times.rounds:
            value = 1e9 * times.median(name) / counts[name]
            self._times[which].setdefault(name, {})[ns] = value
            line[f"{name} ns"] = round(value, 1)
            if name not in threaded and name not in ("exact", "fitted"):
                params = {"ns": ns, "backend": name, "variant": "", "threads": 1}
                self._report.rows.append(Row(which, params, value, "ns/point"))
        for variant in ("exact", "fitted"):
            if variant not in times.rounds:
                continue
            params = {"ns": ns, "backend": "cpu", "variant": variant, "threads": 1, "isa": isa}
            value = 1e9 * times.median(variant) / counts[variant]
            for reference in times.rounds:
                if reference in ("exact", "fitted"):
                    continue
                ratio = times.ratio(variant, reference) * counts[variant] / counts[reference]
                self._report.rows.append(Row(which, params, value, "ns/point", reference, ratio))
                short = reference.removeprefix("fortran-")
                line[f"{variant}/{short}"] = round(ratio, 1)
            if variant in threaded:
                pair = threaded[variant]
                many = pair.fastest("many")
                ratio = pair.fastest("one") / many
                params = params | {"threads": self._threads}
                value = 1e9 * many / counts[variant]
                self._report.rows.append(
                    Row(which, params, value, "ns/point", "one thread", ratio)
                )
                line[f"{variant} {self._threads}/1"] = round(ratio, 2)
        self._lines[which].append(line)

    def add_costs(self, rows: list[Row]) -> None:
        """Add a line of costs: of the reference in ns, of the others as multiples of it."""
        self._report.rows += rows
        name, line = rows[0].name, {"NS": rows[0].params["ns"]}
        for row in rows:
            label = row.params[models.KEYS[name]]
            if row.ratio is None:
                line[f"{label} ns"] = round(row.value, 1)
            else:
                line[f"{label} x"] = round(row.ratio, 2)
        self._costs.setdefault(name, []).append(line)

    def text(self) -> str:
        """One table for each set, then the fits in the number of species; then costs."""
        from tabulate import tabulate

        parts = []
        for which, lines in self._lines.items():
            parts.append(f"{which}\n\n{tabulate(lines, 'keys')}")
            fits = []
            for name, by_ns in self._times[which].items():
                cubic = fit(list(by_ns), list(by_ns.values()))
                if cubic is not None:
                    fits.append(f"  {name:<14} {cubic}")
            if fits:
                parts.append("\n".join(["ns per point, cubic term real or noise:", *fits]))
        for name, lines in self._costs.items():
            parts.append(f"{COSTS[name]}\n\n{tabulate(lines, 'keys')}")
        return "\n\n".join(parts)


#: Headings of the tables of costs.
COSTS = {
    "state": "state from other quantities, times that of T and P",
    "option": "full-set with options, times the default",
    "phases": "liquid and vapour in equilibrium, times the thermal properties of one phase",
}
#: Names of what is compared and of sets of properties in the picture: those of the pages.
PEERS = {
    "fortran-O2": "legacy Fortran, -O2",
    "fortran-fast": "legacy Fortran, -O3 -march=native -ffast-math",
    "fortran-tuned": "hand-tuned Fortran, same flags",
    "cantera": "Cantera",
}
TITLES = {"thermal-set": "thermal properties", "full-set": "thermal and transport properties"}


def plot(report: Report, path: str) -> None:
    """Time per point over the number of species, ours and the references; needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(SETS), figsize=(11, 5), sharey=True, layout="constrained"
    )
    counts = sorted({row.params["ns"] for row in report.rows if row.name in SETS})
    for axis, which in zip(axes, SETS, strict=True):
        curves: dict[str, dict[int, float]] = {}
        for row in report.rows:
            if row.name == which and row.params["threads"] == 1:
                variant = row.params["variant"]
                backend = row.params["backend"]
                label = f"bridge, {variant}" if variant else PEERS.get(backend, backend)
                curves.setdefault(label, {})[row.params["ns"]] = row.value
        for label, points in curves.items():
            ours = label.startswith("bridge")
            axis.loglog(
                list(points),
                list(points.values()),
                "o-" if ours else "s--",
                label=label,
                linewidth=2 if ours else 1,
                markersize=4,
            )
        axis.set_title(TITLES.get(which, which), fontsize="medium")
        axis.set_xticks(counts, [str(ns) for ns in counts])
        axis.minorticks_off()
        axis.set_xlabel("species")
        axis.grid(True, which="major", alpha=0.25)
    axes[0].set_ylabel("ns per point")
    curves_of_all, labels = axes[-1].get_legend_handles_labels()
    figure.legend(curves_of_all, labels, loc="outside lower center", ncols=3, fontsize="small")
    figure.suptitle(f"One thread of {report.machine['processor']}", fontsize="medium")
    figure.savefig(path, dpi=150)
