"""What moving the flow solver (fortran_stub/flow) to the bridge changed: the page surgery.md.

    python docs/surgery.py            print the counts of lines and the walk of a step
    python docs/surgery.py --write    put them and the times of this machine into docs/surgery.md,
                                      and the picture into docs/pictures
    python docs/surgery.py --counts   put the counts and the walk alone into the page
    python docs/surgery.py --check    exit 1 where the page has other counts or another walk

Times are measured by --write alone and not compared. It builds the solver and its loops for two
and for six species; it needs the installed package, mpif90, a C++ compiler, perf and matplotlib.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS / "figures"), str(DOCS.parent / "fortran_stub")]

import surgerycounts  # noqa: E402
import surgerytimes  # noqa: E402
from compare import PARTS  # noqa: E402
from surgerycounts import FLOW, STAGES, Source  # noqa: E402
from surgerytimes import CASES, Measured  # noqa: E402
from surgerywalk import walk  # noqa: E402
from writing import filled, prose, table  # noqa: E402

PAGE, PICTURE = DOCS / "surgery.md", DOCS / "pictures" / "surgery.png"
#: Smallest share of a step that has a row in the profile.
LEAST = 0.02


# Counts


def files(sources: list[Source]) -> str:
    """A row for each file, those that the bridge changed most first."""
    numbers = range(1, len(STAGES) + 1)
    rows = [
        [f"`{one.name}`", str(one.lines), *(str(one.of(n) or "") for n in numbers),
         str(one.calls() or "")]
        for one in sorted(sources, key=lambda one: -sum(one.of(n) for n in numbers))
    ]  # fmt: skip
    totals = [sum(one.of(n) for one in sources) for n in numbers]
    calls = sum(one.calls() for one in sources)
    rows.append(["**all**", str(sum(one.lines for one in sources)), *map(str, totals), str(calls)])
    header = ["file", "lines", *(f"`{stage}`" for stage in STAGES), "bridge calls"]
    return table(header, rows)


def whole(sources: list[Source]) -> str:
    """The sums in words."""
    numbers = range(1, len(STAGES) + 1)
    every = sum(len((FLOW / one.name).read_text("utf-8").splitlines()) for one in sources)
    calling = [one for one in sources if one.calls()]
    untouched = [one for one in sources if not any(one.of(n) for n in numbers)]
    own = sum(one.of(n) for one in calling for n in numbers)
    new = sum(one.of(n) for one in sources for n in numbers)
    others = [one for one in sources if one not in calling and one not in untouched]
    loops = [one for one in sources if one.marks]
    pack = len(_python(FLOW / "make_pack.py"))
    return prose(
        "In sum:",
        f"""- **The solver:** {every} lines of Fortran in {len(sources)} files, without the legacy
        physics; {sum(one.lines for one in sources)} without blank lines and comments.""",
        f"""- **Of the bridge:** {new} of these, {own} of them in the
        {len(calling)} files that hold every bridge call
        ({", ".join(f"`{one.name}`" for one in calling)}), {sum(one.calls() for one in calling)}
        calls in all.""",
        f"""- **Elsewhere:** {new - own} lines in {len(others)} files
        ({", ".join(f"`{one.name}` {sum(one.of(n) for n in numbers)}" for one in others)}).""",
        f"""- **Unchanged:** {len(untouched)} files
        ({", ".join(f"`{one.name}`" for one in untouched)}). The loops of
        {" and ".join(f"`{one.name}`" for one in loops)} go through `bridge port` as they stand;
        their {sum(one.marks for one in loops)} comments `!$bridge begin` and `!$bridge end`, which
        name the loops, are counted as comments. `make_pack.py` beside them has {pack} lines of
        Python without comments.""",
    )


def _python(file: Path) -> list[str]:
    """Lines of a program without blank ones, comments and docstrings."""
    import ast

    tree = ast.parse(text := file.read_text(encoding="utf-8"))
    said: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            said.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return [
        line for n, line in enumerate(text.splitlines(), 1)
        if n not in said and line.strip() and not line.strip().startswith("#")
    ]  # fmt: skip


def counted() -> dict[str, str]:
    """The sections that no machine changes."""
    sources = surgerycounts.read()
    return {"files": files(sources), "whole": whole(sources), "walk": walk()}


# Times


def timed(found: Measured) -> dict[str, str]:
    return {
        "machine": _machine(),
        "stages": _stages(found),
        "profile": _profile(found),
        "loops": _loops(found),
    }


def _machine() -> str:
    from bridge.machine import processor

    return prose(
        f"""Measured on one of {os.cpu_count()} cores of an {processor()}, one rank, one thread,
        gfortran at `-O2 -ffp-contract=off`, the CPU backend."""
    )


def _stages(found: Measured) -> str:
    rows = []
    for case, runs in found.runs.items():
        first = runs["none"].parts["time_loop"]
        for stage, run in runs.items():
            each = [f"{run.parts[part]:.2f}" for part in ("time_loop", *PARTS)]
            rows.append(
                [f"`{case}.nml`", f"`{stage}`", *each, f"{first / run.parts['time_loop']:.1f}x"]
            )
    return table(["case", "`Offload`", "step / ms", *PARTS, "faster"], rows)


def _names() -> dict[str, str]:
    """Procedures of the solver and of the legacy physics as the sources write them."""
    import re

    files = [*FLOW.glob("*.f90"), *(FLOW.parent / "legacy").glob("*.f90")]
    texts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    head = r"^ *(?:[\w() ]+ )?(?:subroutine|function) (\w+)"
    return {
        name.lower(): name
        for line in texts.splitlines()
        if not line.lstrip().startswith(("!", "end "))
        for name in re.findall(head, line)
    }


def _profile(found: Measured) -> str:
    step = found.runs["jet"]["none"].parts["time_loop"]
    rows = surgerytimes.tree(found.samples["none"].chains, _names(), LEAST)
    return "\n".join(
        ["```text", "     ms  share", *(
            f"{row.share * step:7.2f}  {100 * row.share:4.1f}%  {'| ' * row.depth}{row.procedure}"
            for row in rows
        ), "```"]
    )  # fmt: skip


def _loops(found: Measured) -> str:
    """A row for each procedure that the bridge takes at some stage; ms and per cent of a step."""
    runs = found.runs["jet"]
    loops = [*surgerytimes.COMPOSITES, *surgerytimes.kernels()]
    columns: dict[str, list[str]] = {}
    for stage, run in runs.items():
        samples, step = found.samples[stage], run.parts["time_loop"]
        rest, cells = step, []
        for name in loops:
            theirs = surgerytimes.rows_of(run, name)
            ours = step * samples.share(name.lower())
            rest -= theirs + ours
            mark = "**" if theirs else ""
            cells.append(f"{mark}{_share(theirs + ours, step)}{mark}")
        for part in ("exchange", "boundaries"):
            rest -= run.parts[part]
            cells.append(_share(run.parts[part], step))
        columns[stage] = [*cells, _share(max(rest, 0.0), step), f"{step:.2f}"]
    titles = [*(f"`{name}`" for name in loops), "exchange", "boundaries", "all else", "step"]
    rows = [[title, *(column[n] for column in columns.values())] for n, title in enumerate(titles)]
    return table(["ms of a step", *(f"`{stage}`" for stage in columns)], rows)


def _share(time: float, step: float) -> str:
    return f"{time:.2f} ({100 * time / step:.0f} %)"


def draw(found: Measured, file: Path) -> None:
    """Bars of a step, a stage each, the parts on each other."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(CASES), figsize=(8.4, 3.6), layout="constrained")
    for axis, (case, runs) in zip(axes, found.runs.items(), strict=True):
        _bars(axis, {stage: run.parts for stage, run in runs.items()})
        axis.set_title(f"{case}.nml, {CASES[case][0]} species, 64 x 64 cells", fontsize=9)
    axes[0].set_ylabel("ms of a step")
    axes[0].legend(fontsize=8)
    figure.savefig(file, dpi=90)
    plt.close(figure)


def _bars(axis: Any, stages: dict[str, dict[str, float]]) -> None:
    low = [0.0] * len(stages)
    for part in PARTS:
        heights = [parts[part] for parts in stages.values()]
        axis.bar(list(stages), heights, bottom=low, label=part, width=0.6)
        low = [below + height for below, height in zip(low, heights, strict=True)]
    for n, parts in enumerate(stages.values()):
        axis.text(n, low[n], f"{parts['time_loop']:.1f}", ha="center", va="bottom", fontsize=8)
    axis.grid(axis="y", alpha=0.3)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python docs/surgery.py", description=__doc__.split("\n")[0]
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="measure, and write page and picture")
    mode.add_argument("--counts", action="store_true", help="write the counts and the walk alone")
    mode.add_argument("--check", action="store_true", help="compare the counts with the page")
    asked = parser.parse_args(arguments)
    parts = counted()
    if not (asked.write or asked.counts or asked.check):
        print("\n\n".join(parts.values()))
        return 0
    page = PAGE.read_text(encoding="utf-8")
    if asked.check:
        if page == filled(page, parts):
            return 0
        print("docs/surgery.md is out of date: run python docs/surgery.py --counts")
        return 1
    if asked.counts:
        PAGE.write_text(filled(page, parts), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = surgerytimes.measured(Path(folder))
    PAGE.write_text(filled(page, {**parts, **timed(found)}), encoding="utf-8")
    draw(found, PICTURE)
    print(f"wrote {PAGE.relative_to(DOCS.parent)} and {PICTURE.relative_to(DOCS.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
