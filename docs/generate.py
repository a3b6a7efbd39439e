"""Write what the documentation takes from the sources: the entry points and the kernel table.

    python docs/generate.py            rewrite entry-points.md, the table of
                                       physics/kernels.md, quantities.md, the tables of
                                       reference/port.md, the list of decisions adr/README.md
                                       and the texts of `pythonforms`
    python docs/generate.py --check    exit 1, naming the file, where one is out of date

Reads bridge/entry/bridge.h and bridge.f90, bridge/kernels/catalogue.toml, docs/constructs.toml,
the tables of bridge_port and the pages of docs/adr; needs the installed package.
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
MODULE = ROOT / "bridge" / "entry" / "bridge.f90"
CATALOGUE = ROOT / "bridge" / "kernels" / "catalogue.toml"

BEGIN, END = "<!-- kernels: begin -->", "<!-- kernels: end -->"
#: Pages that say how the calls of a section of bridge.h are used.
GUIDES = {
    "Stripes": ("Stripes", "link-a-fortran-code.md#stripes"),
    "Bound arrays": (
        *("Link a Fortran code", "link-a-fortran-code.md"),
        *("Arrays of other types and ranks", "other-arrays.md"),
        *("Many blocks", "many-blocks.md"),
        *("Reduce a field", "reduce.md"),
    ),
    "Beside a loop": ("Port a loop by hand", "port-a-loop.md#compare-inside-the-running-code"),
    "Lists of points": ("Work on lists of points", "primitives.md"),
    "Arrays that stay": ("Keep arrays on the GPU", "keep-arrays-on-the-gpu.md"),
    "Exchange of fringes": ("Exchange fringes", "exchange-fringes.md"),
    "Calls that come again in the same order": (
        "Do the calls of a stage in one",
        "record-a-sequence.md",
    ),  # fmt: skip
    "Constants and tables": ("Write a kernel pack", "write-a-kernel-pack.md"),
    "What runs": ("See what runs, and what it met", "trust.md"),
}


HEAD = """# Entry points

Made from `bridge/entry/bridge.h` and `bridge.f90` by `docs/generate.py`. What a failure does: [MPI
and failure](how-to/mpi-and-failure.md).

Below each C listing are the calls with `use bridge`. Arguments in brackets are optional: give them
by keyword. Strings need no NUL there, and arrays bring their sizes. What an array may be is in the
how-to page of the section.
"""


def entry_points(header: str, module: str) -> str:
    """The page of bridge.h: its conventions, status codes and prototypes with their comments, and
    the calls of module `bridge`."""
    forms = run_path(str(ROOT / "docs" / "fortranforms.py"))
    known = forms["calls"](module)
    lines = HEAD.split("\n")
    head, body = header.split("*/", 1)
    conventions = [text(paragraph) for paragraph in re.split(r"\n \*\n", head)[2:]]
    lines += [part for paragraph in conventions for part in (paragraph, "")]
    lines += ["## Status codes", "", "| value | name | meaning |", "| --- | --- | --- |"]
    for name, value, about in re.findall(r"#define (BRIDGE_\w+) (-?\d+) +/\* (.*?) \*/", body):
        lines.append(f"| {value} | `{name}` | {about} |")
    pieces = re.findall(r"/\* ---- (.*?) -+ \*/|/\* (.*?) \*/|^(\w[^;#{]*\);)", body, re.S | re.M)
    comment, listed = "", list[str]()
    for section, remark, prototype in pieces:
        if listed and not prototype:
            lines += ["```", *forms["listing"](known, listed)]
            listed = []
        if section:
            lines += ["", f"## {section}", *guides(section)]
        elif remark:
            comment = text(remark)
        elif prototype:
            if not listed:
                lines += ["", *([comment, ""] if comment else []), "```c"]
                comment = ""
            lines.append(prototype)
            listed.append(prototype)
    lines += ["```", *forms["listing"](known, listed)] if listed else []
    return "\n".join(lines) + "\n"


def guides(section: str) -> list[str]:
    """The links below the title of a section."""
    named = [links for title, links in GUIDES.items() if section.startswith(title)]
    pairs = [pair for links in named for pair in zip(links[::2], links[1::2], strict=True)]
    links = ", ".join(f"[{title}](how-to/{page})" for title, page in pairs)
    return ["", f"{links}."] if links else []


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
    rows = ["| # | kernel | inputs | outputs | cost |", "| --- | --- | --- | --- | --- |"]
    for number, kernel in enumerate(kernels, start=1):
        inputs, outputs = (
            ", ".join(f"`{q}`" for q in kernel[key]) for key in ("inputs", "outputs")
        )
        cost = kernel.get("cost", "1")
        rows.append(f"| {number} | {kernel['name']} | {inputs} | {outputs} | {cost} |")
    return "\n".join(rows)


QUANTITIES = """# Quantities

Made from `bridge/kernels/catalogue.toml` by `docs/generate.py`. `bridge quantities density` finds
them by the words that people use, those of kernel packs too, and names the kernel of each.

Units are SI but for a few. *Values* is how many a point has: several are the last axis of a result
of `bridge.evaluate`. *Needs* is what a caller gives; with `h` (J/kg) in place of `T`, the
temperature is solved for. Equations: [physics](physics.md), sections 3 to 13.

| name | symbol | unit | values | meaning | needs |
| --- | --- | --- | --- | --- | --- |
"""


def quantities(catalogue: dict[str, Any]) -> str:
    """The page of the quantities."""
    origins = run_path(str(ROOT / "bridge" / "plan" / "origins.py"))
    makers = [
        origins["Maker"](
            k["name"],
            tuple(k["inputs"]),
            tuple(k["outputs"]),
            "fuses" in k or not k.get("planned", True),
        )
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
            one["about"].replace("*", r"\*"), " ".join(origin.needs) if origin.kernel else "given",
        )  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    return QUANTITIES + "\n".join(rows) + "\n"


def decisions() -> str:
    """The list of docs/adr by number."""
    pages = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
    titles = [page.read_text(encoding="utf-8").split("\n", 1)[0][2:] for page in pages]
    listed = "\n".join(f"- [{t}]({page.name})" for t, page in zip(titles, pages, strict=True))
    return f"""# Decisions

Each page has one decision that others must keep: how it is, why, and what it costs. How the
parts work is told in the chapters of [design](../design). A number is given once, and numbers
of decisions that went into the chapters are missing.

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
        ROOT / "docs" / "entry-points.md": entry_points(
            HEADER.read_text(encoding="utf-8"), MODULE.read_text(encoding="utf-8")
        ),
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
