"""`bridge kernels`: the catalogue; GPU kernels built ahead, and what they take."""

from __future__ import annotations

import argparse
from typing import Any

from bridge.errors import ArgumentError


def add(commands: Any) -> None:
    """The subcommand."""
    kernels = commands.add_parser("kernels", help="the catalogue: kernels, inputs, outputs, units")
    kernels.add_argument("--composites", action="store_true", help="the composites instead")
    kernels.add_argument(
        "--resources", action="store_true", help="what every GPU kernel takes; needs no GPU"
    )
    kernels.add_argument(
        "build", nargs="?", choices=("build",), help="compile the GPU kernels; needs no GPU"
    )
    kernels.add_argument("--arch", nargs="+", default=[], help="GPU architectures: sm_90")
    kernels.add_argument("--ns", nargs="+", type=int, default=[], help="numbers of species")
    kernels.add_argument("--kij", action="store_true", help="with interaction coefficients")
    kernels.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="physics options of the run"
    )
    kernels.add_argument(
        "--outputs",
        nargs="+",
        default=[],
        metavar="NAME",
        help="build: for frame_run with these bound, instead of for calls on views",
    )
    kernels.add_argument(
        "--leading", action="store_true", help="build: Q lacks the last mass fraction"
    )
    kernels.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Print the catalogue, or build or measure GPU kernels."""
    from tabulate import tabulate

    from bridge.plan import replacements, verified
    from bridge.plan.catalogue import Catalogue

    if given.build or given.resources:
        from bridge.backends.cuda import precompile

        for ns in given.ns:
            if ns < 1:
                raise ArgumentError("ns", ns, "at least 1 species")
        options = dict(word.partition("=")[::2] for word in given.option)
        which = (given.arch, given.ns, options, given.kij)
        if given.build:
            print(precompile.build_report(*which, given.outputs, given.leading))
        else:
            print(precompile.resources_table(*which))
        return 0
    catalogue = Catalogue.installed()
    if given.composites:
        rows = [
            (c.name, " ".join(c.inputs), " ".join(c.outputs))
            for c in catalogue.composites.values()
        ]
        print(tabulate(rows, ("composite", "inputs", "outputs"), maxcolwidths=[None, 24, 60]))
        if replacements.shown(catalogue):
            print(f"\nreplaced: {replacements.shown(catalogue)}")
        return 0
    kernels = [
        (k.number, k.name, " ".join(k.inputs), " ".join(k.outputs), k.cost)
        for k in catalogue.kernels.values()
    ]
    headers = ("#", "kernel", "inputs", "outputs", "cost")
    widths = [None, None, 40, 40, None]  # a list: tabulate 0.9 takes no tuple
    print(tabulate(kernels, headers, maxcolwidths=widths))
    ported = verified.states()
    if ported:
        print("\n" + tabulate(ported.items(), ("ported kernel", "against its original")))
    return 0
