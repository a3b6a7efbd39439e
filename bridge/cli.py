"""The command `bridge`: what is installed, what kernels there are, what things cost."""

from __future__ import annotations

import argparse
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
    kernels.add_argument("--resources", action="store_true",
                         help="registers, stack and spills of every GPU kernel; needs no GPU")  # fmt: skip
    kernels.add_argument("build", nargs="?", choices=("build",),
                         help="compile the GPU kernels into the cache, without a GPU")  # fmt: skip
    kernels.add_argument("--arch", nargs="+", help="GPU architectures, such as sm_90")
    kernels.add_argument("--ns", nargs="+", type=int, help="numbers of species")
    kernels.add_argument("--kij", action="store_true", help="with interaction coefficients")
    kernels.add_argument("--option", nargs="+", default=[], metavar="NAME=VALUE",
                         help="physics options of the run")  # fmt: skip
    kernels.set_defaults(action=_kernels)

    bench = commands.add_parser("bench", help="measure; every comparison within one run")
    bench.add_argument("name", choices=("latency",), help="what to measure")
    bench.add_argument("--json", metavar="FILE", help="write the rows to FILE as well")
    bench.set_defaults(action=lambda given: _bench(given.name, given.json))

    given = parser.parse_args(arguments)
    try:
        return given.action(given)
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


def _kernels(given: argparse.Namespace) -> int:
    from tabulate import tabulate

    from bridge.catalogue import Catalogue

    if given.build:
        return _build_kernels(given)
    if given.resources:
        return _kernel_resources(given)
    catalogue = Catalogue.shipped()
    if given.composites:
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


def _build_kernels(given: argparse.Namespace) -> int:
    from bridge.backends.cuda import ahead, cache
    from bridge.errors import ArgumentError

    if not given.arch or not given.ns:
        raise ArgumentError("build", "no --arch or no --ns", "both, such as --arch sm_90 --ns 6")
    options = dict(word.partition("=")[::2] for word in given.option)
    number = ahead.build(given.arch, given.ns, options=options, kij=given.kij)
    print(f"{number} sources compiled for {' '.join(given.arch)} in {cache.folder()}")
    return 0


def _kernel_resources(given: argparse.Namespace) -> int:
    from tabulate import tabulate

    from bridge.backends.cuda import ahead

    archs, counts = given.arch or ahead.ARCHITECTURES, given.ns or ahead.SPECIES_COUNTS
    table: dict[str, list[str]] = {}
    for build in ahead.resources(archs, counts, kij=(given.kij,)):
        used = build.resources
        text = f"{used.registers}"
        if used.stack or used.spill_stores or used.spill_loads:
            text += f" +{used.stack} B stack, {used.spill_stores + used.spill_loads} B spilled"
        table.setdefault(build.what, []).append(text)
    headers = ("registers per thread", *(f"{arch} NS={ns}" for arch in archs for ns in counts))
    print(tabulate([[what, *cells] for what, cells in table.items()], headers))
    return 0


def _bench(name: str, json_file: str | None) -> int:
    from bridge.bench import latency
    from bridge.bench.report import Report

    report: Report = {"latency": latency.measure}[name]()
    print(report.text())
    if json_file:
        report.write(json_file)
    return 0
