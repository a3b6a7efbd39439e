"""`bridge bench`: measurements, every comparison within one run."""

from __future__ import annotations

import argparse
import os
from typing import Any

from bridge.errors import ArgumentError
from bridge.port.speed import options as portspeed

#: Options by name, as argparse has them.
_OPTIONS: dict[str, dict[str, Any]] = {
    "--ns": {"metavar": "N,N,...", "help": "numbers of species"},
    "--points": {"type": int, "metavar": "N", "help": "states or points"},
    "--threads": {"type": int, "default": 2, "help": "of the comparison with one thread"},
    "--isa": {"choices": ("v2", "v3", "v4"), "help": "instruction set of our kernels"},
    "--seconds": {"type": float, "default": 3.0, "help": "of each comparison"},
    "--fortran-stub": {"metavar": "DIR", "help": "the Fortran to compare with"},
    "--ranks": {"metavar": "N,N,...", "help": "processes at the same time"},
    "--backend": {"choices": ("cpu", "cuda"), "help": "instead of the one that there is"},
    "--policies": {"action": "store_true", "help": "every launch policy"},
    "--sizes": {"metavar": "N,N,...", "help": "cells along a side (128 to 8192)"},
    "--without-cantera": {"action": "store_true", "help": "leave Cantera out"},
    "--plot": {"metavar": "FILE.png", "help": "a picture as well"},
}
#: What can be measured, modules of bridge.bench: what that is, and the options that it takes.
_BENCHES = {
    "kernels": (
        "properties per point against the Fortran that they replace, and Cantera",
        "--ns --points --threads --isa --seconds --fortran-stub --without-cantera --plot",
    ),
    "blocks": (
        "from a 4-D array with fringes to another, properties in between",
        "--ns --points --isa --seconds --fortran-stub",
    ),
    "many": (
        "many small blocks in one memory against one block of as many points",
        "--ns --points --isa --seconds --backend",
    ),
    "loops": (
        "a legacy code's own loops, in Fortran and through the bridge",
        "--points --threads --isa --seconds --fortran-stub --plot",
    ),
    "marshal": (
        "arrays with fringes into views and back, against memcpy",
        "--points --isa --seconds",
    ),
    "latency": ("what one call of a compiled host costs, by kind of call", ""),
    "start": ("what a rank costs from nothing to its first result", ""),
    "evaluate": (
        "bridge.evaluate: one point, and many against the kernels alone",
        "--points --seconds",
    ),
    "offload": (
        "properties of a block in host memory by way of a GPU",
        "--ns --points --fortran-stub --policies --plot",
    ),
    "resident": (
        "launches on arrays that stay on a GPU",
        "--points --fortran-stub --policies",
    ),
    "ranks": (
        "several ranks that share GPUs, with and without CUDA's multi-process service",
        "--ns --points --ranks --backend --plot",
    ),
    "stage": (
        "a Runge-Kutta stage on arrays that stay on a GPU, over several ranks",
        "--points --ranks --backend --fortran-stub --plot",
    ),
    "timers": (
        "what timers, ledger, trace and verification cost a run",
        "--ns --points --seconds --backend",
    ),
    "solver": (
        "the whole mock solver under mpirun, with and without the bridge",
        "--ns --points --ranks --backend --fortran-stub --plot",
    ),
    "fluids": (
        "stable fluids, the original and the stages of its move",
        "--sizes --seconds --backend --fortran-stub --plot",
    ),
    "port": (
        "kernels that `bridge port` made, against their originals",
        "--points --isa --seconds --backend --fortran-stub",
    ),
}
#: Those that are asked for nothing.
_PLAIN = ("latency", "start")


def add(commands: Any) -> None:
    """The subcommand, and one of its own for each benchmark."""
    text = "measure; every comparison within one run"
    bench = commands.add_parser("bench", help=text, description=text)
    names = bench.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, (about, own) in _BENCHES.items():
        parser = names.add_parser(name, help=about, description=f"Measure {about}.")
        parser.add_argument("--json", metavar="FILE", help="write the rows to FILE as well")
        for option, named in _OPTIONS.items():
            # The options of the others are taken, as they always were, but not shown.
            shown = {} if option in own.split() else {"help": argparse.SUPPRESS}
            parser.add_argument(option, **(named | shown))
        portspeed.options(parser, shown=name == "port")
        parser.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Measure, print, and write what is asked for."""
    from importlib import import_module

    from bridge.bench.request import Request, parse_ns, parse_numbers
    from bridge.bench.states import DEFAULT_NS

    # single threads are compared: no library may bring its own
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    request = Request(
        ns=parse_ns(given.ns) if given.ns is not None else DEFAULT_NS,
        points=given.points,
        threads=given.threads,
        isa=given.isa,
        fortran_stub=given.fortran_stub,
        seconds=given.seconds,
        cantera=not given.without_cantera,
        ranks=parse_numbers("ranks", given.ranks) if given.ranks is not None else (),
        backend=given.backend,
        policies=given.policies,
        sizes=parse_numbers("sizes", given.sizes) if given.sizes is not None else (),
    )
    if given.packs and given.name != "port":
        raise ArgumentError("PACK", given.packs[0], "nothing: `bridge bench port` takes packs")
    where = "port.speed.command" if given.name == "port" else f"bench.{given.name}"
    bench = import_module(f"bridge.{where}")
    plot = getattr(bench, "plot", None)
    if given.plot and plot is None:
        raise ArgumentError("--plot", given.name, "a benchmark that draws a picture")
    if given.name in _PLAIN:
        report = bench.measure()
    else:
        report = bench.measure(given if given.name == "port" else request)
    print(report.text())
    if given.json:
        report.write(given.json)
    if given.plot and plot is not None:
        plot(report, given.plot)
    return 0
