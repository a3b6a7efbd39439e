"""Which kernels of a pack do the same to every component: `do m = 1, 5` around one statement.

Asked when a pack is built. Where components lie first, u(5, nx, ny, nz), a row of such a kernel
may be worked on as one long row of 5 nx numbers, without turning records in registers. The headers
run once with a number that knows what it was made of (kernels/cpu/traced.h): a kernel is uniform
if it makes each column of its outputs from the same column of its inputs, and all columns alike.
How its text says that is of no consequence: a loop, single lines, a function that it calls.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from bridge.plan.declarations import Constant, Declarations, Kernel
from bridge.plan.packs import kernels_folder

#: Columns that a traced number tells apart.
MOST_COLUMNS = 64
FLAGS = ("-std=c++17", "-O0", "-w")
#: Seconds for the compiler, and for the program.
TIMEOUT = 60.0

_SOURCE = """\
#define BRIDGE_TRACED
#define BRIDGE_NAMESPACE bridge_traced
#include "point.h"
{includes}
#include <cstdio>
using namespace bridge_traced;
static char nothingOfTheRun;
static const Shared& shared = reinterpret_cast<const Shared&>(nothingOfTheRun);
int main() {{
{calls}
}}
"""


def columns(
    kernels: Iterable[Kernel], catalogue: Declarations, command: Sequence[str]
) -> dict[str, int]:
    """The uniform ones among some kernels, by name, with the number of their columns; command: of
    a C++17 compiler. What is not surely uniform is left out: a kernel that looks at values of a
    point to find its way, all kernels of a header in which one looks at options of a run (it does
    not compile here), and what a kernel that ends the program has behind it. Never an error: all
    runs without these."""
    asked = [kernel for kernel in kernels if _columns_of(kernel, catalogue)]
    with tempfile.TemporaryDirectory(prefix="bridge-uniform-") as folder:
        while asked:
            refused = _compiled(asked, catalogue, Path(folder), command)
            if not refused:
                done = _ran([str(Path(folder) / "traced")])
                found = done.stdout.split() if done is not None else []
                return {
                    one.name: _columns_of(one, catalogue) for one in asked if one.name in found
                }
            wrong = {one.header for one in asked if str(one.header.resolve()) in refused}
            asked = [one for one in asked if wrong and one.header not in wrong]
    return {}


def _columns_of(kernel: Kernel, catalogue: Declarations) -> int:
    """How many columns all quantities of a kernel have that have several; 0 where the numbers
    differ, or it reads or makes more than rows of real components and what a point has once."""
    around = [catalogue.quantity(name) for name in kernel.reads]
    if kernel.tables or kernel.order is not None or any(one.dtype != "float64" for one in around):
        return 0
    if any(reads.cells for reads in kernel.reads.values()):
        return 0
    quantities = [catalogue.quantity(name) for name in (*kernel.inputs, *kernel.outputs)]
    several = [one for one in quantities if one.columns != "1"]
    numbers = {one.columns for one in several}
    single = any(catalogue.quantity(name).columns == "1" for name in kernel.outputs)
    known = len(numbers) == 1 and several[0].columns.isdigit()
    records = all(one.dtype == "float64" and not isinstance(one, Constant) for one in several)
    if single or not (known and records) or int(several[0].columns) > MOST_COLUMNS:
        return 0
    return int(several[0].columns)


def _compiled(
    asked: Sequence[Kernel], catalogue: Declarations, folder: Path, command: Sequence[str]
) -> str:
    """Make the program; what the compiler says where it refuses."""
    source, program = folder / "traced.cpp", folder / "traced"
    headers = dict.fromkeys(kernel.header.resolve() for kernel in asked)
    source.write_text(
        _SOURCE.format(
            includes="\n".join(f'#include "{header}"' for header in headers),
            calls="\n".join(_call(kernel, catalogue) for kernel in asked),
        ),
        encoding="utf-8",
    )
    line = [*command, *FLAGS, f"-I{kernels_folder()}", str(source), "-o", str(program)]
    done = _ran(line)
    if done is None:
        return "no compiler"
    return done.stderr or "refused" if done.returncode else ""


def _ran(line: list[str]) -> subprocess.CompletedProcess[str] | None:
    """None where it cannot be run, as where nothing in the folder may, or does not end."""
    try:
        return subprocess.run(
            line, capture_output=True, text=True, errors="replace", timeout=TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _call(kernel: Kernel, catalogue: Declarations) -> str:
    """C++ text that runs a kernel, and writes its name if it is uniform."""
    several = _columns_of(kernel, catalogue)
    lines, names = [], []
    for n, name in enumerate((*kernel.inputs, *kernel.outputs)):
        quantity = catalogue.quantity(name)
        names.append(f"a{n}")
        if n >= len(kernel.inputs):
            lines.append(f"TracedColumns<{several}> a{n};")
        elif name in kernel.reads:
            made = (
                f"ScalarNeighbours a{n}({n})"
                if quantity.columns == "1"
                else f"Neighbours a{n}({n}, {several})"
            )
            lines.append(f"const {made};")
        elif quantity.columns == "1":
            kind = "Traced" if quantity.dtype == "float64" else "TracedBits"
            lines.append(f"const {kind} a{n}(argument({n}));")
        else:
            lines.append(f"const TracedColumns<{several}> a{n}({n});")
    lines.append(f"{kernel.name}<Traced>({', '.join(('shared', *names))});")
    made = " && ".join(f"{name}.uniform()" for name in names[len(kernel.inputs) :])
    lines.append(f'if ({made}) std::puts("{kernel.name}"), std::fflush(stdout);')
    return "    {\n" + "".join(f"        {line}\n" for line in lines) + "    }"
