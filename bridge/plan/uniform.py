"""Which kernels of a pack do the same to every component: `do m = 1, 5` around one statement.

Asked when a pack is built. Where components lie first, u(5, nx, ny, nz), a row of such a kernel
may be worked on as one long row of 5 nx numbers, without turning records in registers. The headers
run once with a number that knows what it was made of (kernels/cpu/traced.h): a kernel is uniform
if it makes each column of its outputs from the same column of its inputs, and all columns alike.
How its text says that is of no consequence: a loop, single lines, a function that it calls.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock

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


class Processes:
    """Runs the compiler and the program, one after the other, until they are stopped; as a context
    they are stopped at its end."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: subprocess.Popen[str] | None = None
        self._stopped = False

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, line: list[str]) -> subprocess.CompletedProcess[str] | None:
        """None where it cannot be run, as where nothing in the folder may, does not end, or is
        stopped."""
        with self._lock:
            if self._stopped:
                return None
            try:
                # A session: a compiler has processes of its own, which hold its output open.
                process = subprocess.Popen(
                    line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                    errors="replace", start_new_session=True,
                )  # fmt: skip
            except OSError:
                return None
            self._running = process
        late = False
        with process:
            try:
                told = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                late = True
                self._end()
                told = process.communicate()
        with self._lock:
            self._running = None
            if late or self._stopped:
                return None
        return subprocess.CompletedProcess(line, process.returncode, *told)

    def stop(self) -> None:
        """End what runs; nothing is run any more."""
        with self._lock:
            self._stopped = True
        self._end()

    def _end(self) -> None:
        with self._lock:
            if self._running is not None and self._running.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._running.pid, signal.SIGKILL)


def columns(
    kernels: Iterable[Kernel],
    catalogue: Declarations,
    command: Sequence[str],
    processes: Processes | None = None,
) -> dict[str, int]:
    """The uniform ones among some kernels, by name, with the number of their columns; command: of
    a C++17 compiler; processes: by which another thread may stop the search. What is not surely
    uniform is left out: a kernel that looks at values of a point to find its way, all kernels of a
    header in which one looks at options of a run (it does not compile here), and what a kernel
    that ends the program has behind it. Never an error: all runs without these."""
    asked = [kernel for kernel in kernels if _columns_of(kernel, catalogue)]
    processes = processes or Processes()
    with tempfile.TemporaryDirectory(prefix="bridge-uniform-") as folder:
        while asked:
            refused = _compiled(asked, catalogue, Path(folder), command, processes)
            if not refused:
                done = processes.run([str(Path(folder) / "traced")])
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
    asked: Sequence[Kernel], catalogue: Declarations, folder: Path, command: Sequence[str],
    processes: Processes,
) -> str:  # fmt: skip
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
    done = processes.run(line)
    if done is None:
        return "no compiler"
    return done.stderr or "refused" if done.returncode else ""


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
