"""`bridge bench`: measurements, every comparison within one run."""

from __future__ import annotations

import argparse
import os
from typing import Any

from bridge.errors import ArgumentError
from bridge.port.speed import options as portspeed

#: What can be measured, modules of bridge.bench; the first take no options.
_PLAIN = ("latency", "start")
_BENCHES = (
    "kernels",
    "blocks",
    "many",
    "loops",
    "marshal",
    *_PLAIN,
    "offload",
    "resident",
    "ranks",
    "stage",
    "timers",
    "solver",
    "fluids",
    "port",
)


def add(commands: Any) -> None:
    """The subcommand."""
    bench = commands.add_parser("bench", help="measure; every comparison within one run")
    bench.add_argument("name", choices=_BENCHES, help="what to measure")
    bench.add_argument("--json", metavar="FILE", help="write the rows to FILE as well")
    bench.add_argument("--plot", metavar="FILE.png", help="a picture as well")
    bench.add_argument("--ns", metavar="N,N,...", help="numbers of species")
    bench.add_argument("--points", type=int, metavar="N", help="states or points")
    bench.add_argument("--threads", type=int, default=2, help="of the comparison with one thread")
    bench.add_argument("--isa", choices=("v2", "v3", "v4"), help="instruction set of our kernels")
    bench.add_argument("--seconds", type=float, default=3.0, help="of each comparison")
    bench.add_argument("--fortran-stub", metavar="DIR", help="the Fortran to compare with")
    bench.add_argument("--ranks", metavar="N,N,...", help="processes at once (ranks, solver)")
    bench.add_argument(
        "--backend",
        choices=("cpu", "cuda"),
        help="instead of the GPU, or the one there is (ranks, solver); of many blocks",
    )
    bench.add_argument(
        "--policies", action="store_true", help="every launch policy (offload, resident)"
    )
    bench.add_argument(
        "--sizes", metavar="N,N,...", help="cells along a side (fluids: 128 to 8192)"
    )
    bench.add_argument("--without-cantera", action="store_true", help="leave Cantera out")
    portspeed.options(bench)
    bench.set_defaults(action=run)


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
