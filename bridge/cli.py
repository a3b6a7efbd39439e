"""The command `bridge`: what is installed, what kernels there are, what things cost."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from bridge.errors import BridgeError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; returns the exit status."""
    parser = argparse.ArgumentParser(prog="bridge", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    info = commands.add_parser("info", help="version, Python, backend, instruction set, threads")
    info.set_defaults(action=lambda _: _info())

    kernels = commands.add_parser("kernels", help="the catalogue: kernels, inputs, outputs, units")
    kernels.add_argument("--composites", action="store_true", help="the composites instead")
    kernels.set_defaults(action=lambda given: _kernels(given.composites))

    bench = commands.add_parser("bench", help="measure; every comparison within one run")
    bench.add_argument("name", choices=("latency",), help="what to measure")
    bench.add_argument("--json", metavar="FILE", help="write the rows to FILE as well")
    bench.set_defaults(action=lambda given: _bench(given.name, given.json))

    given = parser.parse_args(arguments)
    try:
        return given.action(given)
    except BrokenPipeError:  # a reader such as `head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BridgeError as error:
        print(f"bridge: {error}", file=sys.stderr)
        return 1


def _info() -> int:
    import platform

    import bridge
    from bridge import bridge_config, mpi
    from bridge.backends import open_backend
    from bridge.settings import resolve_threads

    backend = open_backend("auto", threads=resolve_threads(None, mpi.host_size()))
    facts = {
        "bridge": bridge.__version__,
        "python": f"{platform.python_version()} at {sys.executable}",
        "library": str(bridge_config.entry_file("libbridge.so")),
        **backend.describe(),
    }
    for name, value in facts.items():
        print(f"{name:<12} {value}")
    return 0


def _kernels(composites: bool) -> int:
    from tabulate import tabulate

    from bridge.catalogue import Catalogue

    catalogue = Catalogue.shipped()
    if composites:
        rows = [
            (c.name, " ".join(c.inputs), " ".join(c.outputs))
            for c in catalogue.composites.values()
        ]
        print(tabulate(rows, ("composite", "inputs", "outputs"), maxcolwidths=(None, 24, 60)))
        return 0
    kernels = [
        (k.number, k.name, " ".join(k.inputs), " ".join(k.outputs), k.cost)
        for k in catalogue.kernels.values()
    ]
    headers = ("#", "kernel", "inputs", "outputs", "cost")
    print(tabulate(kernels, headers, maxcolwidths=(None, None, 40, 40, None)))
    return 0


def _bench(name: str, json_file: str | None) -> int:
    from bridge.bench import latency
    from bridge.bench.report import Report

    report: Report = {"latency": latency.measure}[name]()
    print(report.text())
    if json_file:
        report.write(json_file)
    return 0
