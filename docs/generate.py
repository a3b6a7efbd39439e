"""Write what the documentation takes from the sources: the entry points and the kernel table.

    python docs/generate.py            rewrite entry-points.md, the table of
                                       physics/kernels.md, quantities.md, the tables of
                                       reference/port.md, the list of decisions adr/README.md
                                       and the texts of `pythonforms`
    python docs/generate.py --check    exit 1, naming the file, where one is out of date

Reads bridge/entry/bridge.h, bridge/kernels/catalogue.toml, docs/constructs.toml, the tables of
bridge_port and the pages of docs/adr; needs the installed package.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from runpy import run_path
from textwrap import fill
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "bridge" / "entry" / "bridge.h"
CATALOGUE = ROOT / "bridge" / "kernels" / "catalogue.toml"

BEGIN, END = "<!-- kernels: begin -->", "<!-- kernels: end -->"
# Kernels that stand outside the order of dependence: before everything, after everything.
FIRST, LAST = (
    ("completeMassFractions", "prEOSNewtonStart"),
    (*("prEOSGapDensity", "prEOSGapEnthalpy", "prEOSGapEntropy", "mergeStatus"),),
)
# What a caller brings, and what the temperature search makes for itself.
GIVEN = {"T", "P", "Y", "Y_leading", "h_target", "T0", "velocity", "Vref"}
SEARCH = {
    *("lo", "hi", "h_residual_lo", "h_residual_hi", "Z_lo", "Z_hi", "step", "stepOld", "done"),
    *("iterations", "status_newton"),
}


def entry_points(header: str) -> str:
    """The page of bridge.h: its conventions, status codes and prototypes with their comments."""
    lines = [
        "# Entry points",
        "",
        "Made from `bridge/entry/bridge.h` by `docs/generate.py`. How they are used:",
        "[link a Fortran code](how-to/link-a-fortran-code.md), "
        "[MPI and failure](how-to/mpi-and-failure.md).",
        "",
    ]
    head, body = header.split("*/", 1)
    conventions = [text(paragraph) for paragraph in re.split(r"\n \*\n", head)[2:]]
    lines += [part for paragraph in conventions for part in (paragraph, "")]
    lines += ["## Status codes", "", "| value | name | meaning |", "| --- | --- | --- |"]
    for name, value, about in re.findall(r"#define (BRIDGE_\w+) (-?\d+) +/\* (.*?) \*/", body):
        lines.append(f"| {value} | `{name}` | {about} |")
    pieces = re.findall(r"/\* ---- (.*?) -+ \*/|/\* (.*?) \*/|^(\w[^;#{]*\);)", body, re.S | re.M)
    comment, open_fence = "", False
    for section, remark, prototype in pieces:
        if open_fence and not prototype:
            lines.append("```")
            open_fence = False
        if section:
            lines += ["", f"## {section}"]
        elif remark:
            comment = text(remark)
        elif prototype:
            if not open_fence:
                lines += ["", *([comment, ""] if comment else []), "```c"]
                open_fence, comment = True, ""
            lines.append(prototype)
    lines += ["```"] if open_fence else []
    return "\n".join(lines) + "\n"


def text(comment: str) -> str:
    """A C comment without its stars, filled to the width of a page; names in code letters."""
    joined = " ".join(re.sub(r"^\s*(/\*|\*) ?", "", line) for line in comment.splitlines())
    marked = re.sub(r"`?(\b\w*_[\w<>]*(?:\.\w+)?(?:\(\))?)`?", r"`\1`", " ".join(joined.split()))
    if marked.count("*") > 1:  # products, not emphasis
        marked = marked.replace("*", r"\*")
    return fill(marked, 99, break_long_words=False, break_on_hyphens=False)


def kernel_table(catalogue: str) -> str:
    """The rows of section 13 of the physics: docs/physics/kernels.md."""
    kernels = tomllib.loads(catalogue)["kernel"]
    levels = level_of(kernels)
    rows = [
        "| # | kernel | inputs | outputs | cost | level |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for number, kernel in enumerate(kernels, start=1):
        inputs, outputs = (
            ", ".join(f"`{q}`" for q in kernel[key]) for key in ("inputs", "outputs")
        )
        name = kernel["name"]
        level = "-" if name in FIRST else "last" if name in LAST else levels[name]
        cost = kernel.get("cost", "1")
        rows.append(f"| {number} | {name} | {inputs} | {outputs} | {cost} | {level} |")
    return "\n".join(rows)


QUANTITIES = """# Quantities

Made from `bridge/kernels/catalogue.toml` by `docs/generate.py`. `bridge quantities density` finds
them by the words that people use, those of kernel packs among them.

All are SI but for the few whose unit says otherwise. *Values* is how many a point has: where these
are several, `bridge.evaluate` gives them one more axis, the last. *Made by* is the kernel, *needs*
is what a caller gives for it; with `h` (J/kg) in place of `T`, the temperature is solved for.
Equations: [physics](physics.md), sections 3 to 13.

| name | symbol | unit | values | meaning | made by | needs |
| --- | --- | --- | --- | --- | --- | --- |
"""


def quantities(catalogue: dict[str, Any]) -> str:
    """The page of the quantities."""
    origins = run_path(str(ROOT / "bridge" / "plan" / "origins.py"))
    makers = [
        origins["Maker"](k["name"], tuple(k["inputs"]), tuple(k["outputs"]), "fuses" in k)
        for k in catalogue["kernel"]
    ]
    made = origins["origins"](makers, catalogue["quantity"])
    rows = []
    for name, one in catalogue["quantity"].items():
        origin = made[name]
        shape = str(one.get("columns", "1")).replace("ns", "NS").replace("*", r"\*")
        unit = "" if one["unit"] == "1" else one["unit"]
        cells = (
            f"`{name}`", one.get("symbol", "").replace("*", r"\*"), unit, shape,
            one["about"].replace("*", r"\*"), origin.kernel or "given", " ".join(origin.needs),
        )  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    return QUANTITIES + "\n".join(rows) + "\n"


def level_of(kernels: list[dict[str, Any]]) -> dict[str, int]:
    """Earliest place of each kernel in the order of dependence, versions left out of account."""
    ready = {name: -1 for name in GIVEN | SEARCH | {"status"}}
    levels: dict[str, int] = {}
    rest = [k for k in kernels if k["name"] not in FIRST + LAST]
    while rest:
        now = [k for k in rest if set(k["inputs"]) <= ready.keys()]
        if not now:
            raise SystemExit(f"no order for {', '.join(k['name'] for k in rest)}")
        for kernel in now:
            levels[kernel["name"]] = 1 + max(ready[name] for name in kernel["inputs"])
        for kernel in now:
            for name in kernel["outputs"]:
                ready.setdefault(name, levels[kernel["name"]])
        rest = [k for k in rest if k not in now]
    return levels


def decisions() -> str:
    """The list of docs/adr by number."""
    pages = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
    titles = [page.read_text(encoding="utf-8").split("\n", 1)[0][2:] for page in pages]
    listed = "\n".join(f"- [{t}]({page.name})" for t, page in zip(titles, pages, strict=True))
    return f"""# Decisions

Each page has one decision that others must keep: how it is, why, and what it costs. How the
parts work is told in the chapters of [design](../design). A number is given once.

{listed}
"""


def generated() -> dict[Path, str]:
    """File -> what it should hold."""
    physics = ROOT / "docs" / "physics" / "kernels.md"
    before, _, tail = physics.read_text(encoding="utf-8").partition(BEGIN)
    after = tail.partition(END)[2]
    catalogue = CATALOGUE.read_text(encoding="utf-8")
    table, declared = kernel_table(catalogue), tomllib.loads(catalogue)
    python = run_path(str(ROOT / "docs" / "pythonforms.py"))
    port, ports = ROOT / "docs" / "reference" / "port.md", ROOT / "docs" / "portforms.py"
    return {
        ROOT / "docs" / "entry-points.md": entry_points(HEADER.read_text(encoding="utf-8")),
        physics: f"{before}{BEGIN}\n{table}\n{END}{after}",
        ROOT / "docs" / "quantities.md": quantities(declared),
        port: run_path(str(ports))["page"](port.read_text(encoding="utf-8")),
        ROOT / "docs" / "adr" / "README.md": decisions(),
        ROOT / "bridge" / "composites.py": python["composites"](declared),
        ROOT / "bridge" / "evaluation" / "attributes.py": python["attributes"](declared),
    }


def main() -> int:
    stale = 0
    for path, wanted in generated().items():
        if path.exists() and path.read_text(encoding="utf-8") == wanted:
            continue
        stale += 1
        if "--check" in sys.argv[1:]:
            print(f"{path.relative_to(ROOT)} is out of date: run python docs/generate.py")
        else:
            path.write_text(wanted, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
