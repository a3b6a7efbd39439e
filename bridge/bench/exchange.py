"""`bridge bench exchange`: an exchange of fringes by `frame_exchange` beside one by the program's
own MPI with packed buffers, in turns within one program; both leave the same bits.

One block of ten components and fringes of three layers for each rank, in three directions. On a
GPU the array is resident, ranks take GPUs in turns, and the program's own exchange packs and
unpacks the array by `frame_pack` and `frame_unpack`.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from bridge.bench.processes import launcher, run
from bridge.bench.request import Request
from bridge.bench.solver import made_here
from bridge.errors import BridgeError
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report, Row, progress
from bridge.progress import waiting

#: Cells of a block along each direction.
SIZES = (16, 32, 64)
RANKS = (1, 2, 4)
#: Turns of both ways; exchanges of a turn, of all directions, by the cells.
TURNS, REPEATS = 15, {16: 100, 32: 30}
FEWEST = 10
#: What a report says of messages between ranks.
TRANSPORT = re.compile(r"MiB to [1-9]\d* ranks by (.+), [\d.]+ MiB within the rank$", re.M)
#: Of the program's own loops.
FLAGS = "-O3 -march=native"


def measure(request: Request) -> Report:
    """Rows of each number of ranks and size, microseconds of an exchange in all directions."""
    from tabulate import tabulate

    sizes, ranks = request.sizes or SIZES, request.ranks or RANKS
    backend = request.backend or "cpu"
    report = Report("An exchange of fringes in three directions, microseconds")
    report.machine |= {"flags": FLAGS, "mpirun": launcher()[1]}
    lines = []
    with tempfile.TemporaryDirectory(prefix="bridge-exchange-") as folder:
        program = compiled(sources(request.fortran_stub), Path(folder))
        for n in sizes:
            for number in ranks:
                own, ours, transport = turns(program, n, number, backend)
                params: dict[str, Any] = {"ranks": number, "cells": n, "backend": backend}
                if backend == "cuda":
                    params["transport"] = transport
                report.rows.append(Row("own MPI", params, own, "us"))
                report.rows.append(
                    Row("frame_exchange", params, ours, "us", "own MPI", own / ours)
                )
                line = {"cells": f"{n}^3", "ranks": number, "own MPI, us": f"{own:.1f}",
                        "frame_exchange, us": f"{ours:.1f}", "x": f"{own / ours:.2f}"}  # fmt: skip
                if backend == "cuda":
                    line["transport"] = transport
                lines.append(line)
    report.summary = tabulate(lines, "keys", numalign="right")
    return report


def compiled(stub: Path, folder: Path) -> Path:
    """The program, in a folder."""
    with waiting("compiling the exchange"):
        run([*made_here(stub, folder), f"FFLAGS={FLAGS}", "WARN=", "exchange"], os.environ)
    return folder / "exchange" / "exchangeturns"


class Turns(NamedTuple):
    """Microseconds of an exchange, the program's own and the bridge's, median of the turns;
    transport: of the bridge's messages to other ranks, "" for none."""

    own: float
    ours: float
    transport: str


def turns(program: Path, n: int, ranks: int, backend: str) -> Turns:
    """Measure both."""
    progress(f"{n} x {n} x {n} cells, {ranks} ranks")
    command = [*launcher()[0], "-n", str(ranks), str(program), str(n), str(TURNS)]
    command += [str(REPEATS.get(n, FEWEST)), str(int(backend == "cuda"))]
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    variables["BRIDGE_BACKEND"] = backend
    variables.setdefault("BRIDGE_DEVICE", "local-rank")
    with waiting(f"{ranks} ranks exchange"):
        said = run(command, variables, program.parent)
    line = next((one for one in said.splitlines() if one.startswith("exchange ")), "")
    words = line.split()
    if len(words) != 4 or words[3] != "T":
        raise BridgeError(f"the two exchanges leave other values:\n{said}")
    by = TRANSPORT.search(said)
    return Turns(float(words[1]), float(words[2]), "" if by is None else by[1])
