"""`bridge bench`: measurements, every comparison within one run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from bridge import log
from bridge.commandline import drawable, writable

#: Options by name, as argparse has them; {} is what the benchmark does without the option.
_OPTIONS: dict[str, dict[str, Any]] = {
    "--ns": {"metavar": "N,N,...", "help": "numbers of species, 1 to 54 (default: {})"},
    "--points": {"type": int, "metavar": "N", "help": "points of a call (default: {})"},
    "--threads": {
        "type": int,
        "default": 2,
        "metavar": "N",
        "help": "CPU threads that are compared with one (default: 2)",
    },
    "--isa": {
        "choices": ("v2", "v3", "v4"),
        "help": "instruction set of our kernels: v2 SSE4.2, v3 AVX2, v4 AVX-512 (default: the "
        "best that this CPU has)",
    },
    "--seconds": {
        "type": float,
        "default": 3.0,
        "metavar": "S",
        "help": "time of each comparison, s (default: 3)",
    },
    "--fortran-stub": {
        "metavar": "DIR",
        "help": "folder of the Fortran to compare with (default: that of the package)",
    },
    "--ranks": {"metavar": "N,N,...", "help": "processes at the same time (default: {})"},
    "--backend": {"choices": ("cpu", "cuda"), "help": "where our kernels run (default: {})"},
    "--policies": {"action": "store_true", "help": "time every launch policy of the GPU as well"},
    "--sizes": {
        "metavar": "N,N,...",
        "help": "cells along a side, or points of a row; even numbers (default: {})",
    },
    "--without-cantera": {"action": "store_true", "help": "leave Cantera out"},
    "--plot": {"metavar": "FILE.png", "help": "draw a picture as well; needs matplotlib"},
}
_NS = "1,2,4,8,16,32,53"
#: What can be measured, modules of bridge.bench: what that is, the options that it takes with
#: what it does without them, and an example.
_BENCHES: dict[str, tuple[str, dict[str, str], str]] = {
    "kernels": (
        "properties per point against the Fortran that they replace, and Cantera",
        {
            **{"--ns": _NS, "--points": "4096", "--threads": "", "--isa": "", "--seconds": ""},
            **{"--fortran-stub": "", "--without-cantera": "", "--plot": ""},
        },
        "--ns 4,16 --seconds 0.5",
    ),
    "blocks": (
        "from a 4-D array with fringes to another, properties in between",
        {"--ns": _NS, "--points": "8192", "--isa": "", "--seconds": "", "--fortran-stub": ""},
        "--ns 4 --seconds 1",
    ),
    "many": (
        "many small blocks in one memory against one block of as many points",
        {"--ns": _NS, "--points": "512000", "--isa": "", "--seconds": "", "--backend": "cpu"},
        "--ns 4 --seconds 1",
    ),
    "loops": (
        "a legacy code's own loops, in Fortran and through the bridge",
        {
            "--points": "once what fits the L2 cache, once twice the last cache",
            "--sizes": "22,64,128",
            **{"--threads": "", "--isa": "", "--seconds": "", "--fortran-stub": "", "--plot": ""},
        },
        "--sizes 64 --seconds 0.5 --threads 4",
    ),
    "marshal": (
        "arrays with fringes into views and back, against memcpy",
        {"--points": "393216", "--isa": "", "--seconds": ""},
        "--seconds 1",
    ),
    "latency": ("what one call of a compiled host costs, by kind of call", {}, ""),
    "start": ("what a rank costs from nothing to its first result", {}, ""),
    "evaluate": (
        "bridge.evaluate: one point, and many against the kernels alone",
        {"--points": "1000000", "--seconds": ""},
        "--points 100000 --seconds 1",
    ),
    "closures": (
        "kernels in Python against C++ by hand and NumPy, one thread",
        {"--points": "1000000", "--isa": "", "--seconds": ""},
        "--points 16384 --seconds 1",
    ),
    "offload": (
        "properties of a block in host memory by way of a GPU",
        {
            **{"--ns": "1,4,8,16,53", "--points": "2097152, a cube", "--fortran-stub": ""},
            **{"--policies": "", "--plot": ""},
        },
        "--ns 4 --json offload.json",
    ),
    "resident": (
        "launches on arrays that stay on a GPU",
        {"--points": "2097152, a cube", "--fortran-stub": "", "--policies": ""},
        "--json resident.json",
    ),
    "ranks": (
        "several ranks that share GPUs, with and without CUDA's multi-process service",
        {
            **{"--ns": "4,16,53", "--points": "2097152, a cube", "--ranks": "1,8,16,20"},
            **{"--backend": "cuda", "--plot": ""},
        },
        "--ns 4 --ranks 8,16",
    ),
    "timers": (
        "what timers, ledger, trace and verification cost a run",
        {"--ns": "4", "--points": "131072", "--seconds": "", "--backend": "cpu"},
        "--ns 4 --seconds 1",
    ),
    "solver": (
        "a jet of the flow solver under mpirun, with and without the bridge",
        {
            "--ns": "1,6,16",
            "--points": "its cases'",
            "--ranks": "one for each core, at most 16; one number",
            **{"--backend": "the CPU, and a GPU where there is one", "--fortran-stub": ""},
            "--plot": "",
        },
        "--ns 6 --ranks 2 --backend cpu",
    ),
    "exchange": (
        "fringes between ranks by frame_exchange, and by a program's own MPI",
        {
            **{"--sizes": "16,32,64", "--ranks": "1,2,4", "--backend": "the CPU"},
            "--fortran-stub": "",
        },
        "--sizes 16 --ranks 2,4",
    ),
    "fluids": (
        "stable fluids, the original and the stages of its move",
        {
            "--sizes": "128 to 8192",
            **{"--seconds": "", "--backend": "the CPU, and a GPU where there is one"},
            **{"--fortran-stub": "", "--plot": ""},
        },
        "--sizes 128,256 --seconds 0.5",
    ),
    "port": (
        "kernels that `bridge port` made, against their originals",
        {
            "--points": "4096, loop nests 262144",
            **{"--isa": "", "--seconds": "", "--backend": "both", "--fortran-stub": ""},
        },
        "packs/eos --seconds 1",
    ),
}
#: Those that are asked for nothing.
_PLAIN = ("latency", "start")


def add(commands: Any) -> None:
    """The subcommand, and one of its own for each benchmark."""
    bench = commands.add_parser(
        "bench",
        help="measure; every comparison within one run",
        description="Measure this machine. What is compared takes turns within one run, so that "
        "other programs slow all of it alike. `bridge bench NAME --help` has the options of one.",
    )
    names = bench.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, (about, own, example) in _BENCHES.items():
        parser = names.add_parser(
            name,
            help=about,
            description=f"Measure {about}. The table goes to stdout, progress to stderr.",
            epilog=f"example: {f'bridge bench {name} {example}'.strip()}",
        )
        parser.add_argument("--json", metavar="FILE", help="write the rows to FILE as well")
        for option, default in own.items():
            named = _OPTIONS[option]
            parser.add_argument(option, **(named | {"help": named["help"].format(default)}))
        if name == "port":  # another package, which the other benchmarks do without
            import_module("bridge_port.speed.options").options(parser)
        parser.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Measure, print, and write what is asked for."""
    asked = {"plot": None, **vars(given)}
    for option in ("json", "plot"):
        writable(f"--{option}", asked[option])
    if asked["plot"] is not None:
        drawable("--plot", asked["plot"])
    with log.silent():
        report, draw = _measured(given, asked)
    print(report.text())
    if given.json:
        report.write(given.json)
    if asked["plot"] is not None:
        draw(report, asked["plot"])
    return 0


def _measured(given: argparse.Namespace, asked: Mapping[str, Any]) -> tuple[Any, Any]:
    """The report of a benchmark, and what draws it."""

    from bridge.bench.request import Request, parse_ns, parse_numbers

    # single threads are compared: no library may bring its own
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    plain = ("points", "threads", "isa", "fortran_stub", "seconds", "backend", "policies", "json")
    wanted = {name: asked[name] for name in plain if name in asked}
    if asked.get("ns") is not None:
        wanted["ns"] = parse_ns(asked["ns"])
    for name in ("ranks", "sizes"):
        if asked.get(name) is not None:
            wanted[name] = parse_numbers(name, asked[name])
    request = Request(cantera=not asked.get("without_cantera"), **wanted)
    name = given.name
    bench = import_module(
        "bridge_port.speed.command" if name == "port" else f"bridge.bench.{name}"
    )
    if name in _PLAIN:
        report = bench.measure()
    else:
        report = bench.measure(given if name == "port" else request)
    return report, getattr(bench, "plot", None)
