"""`bridge kernels`: the catalogue; GPU kernels built ahead, and what they take."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from bridge.commands.lists import Listed
from bridge.errors import ArgumentError


def add(commands: Any) -> None:
    """The subcommand, and those of its own."""
    text = "the catalogue: kernels, inputs, outputs, units"
    kernels = commands.add_parser("kernels", help=text, description=text)
    kernels.add_argument("--composites", action="store_true", help="the composites instead")
    kernels.add_argument(
        "--resources", action="store_true", help="what every GPU kernel takes; needs no GPU"
    )
    _options(kernels, "--resources: ", [])
    kernels.set_defaults(action=run, build=None, outputs=[], leading=False)
    actions = kernels.add_subparsers(metavar="COMMAND")
    text = "compile the GPU kernels; needs no GPU"
    build = actions.add_parser("build", help=text, description=text)
    _options(build, "", argparse.SUPPRESS)  # else what stands before the word would be forgotten
    build.add_argument(
        "--outputs",
        action=Listed,
        default=argparse.SUPPRESS,
        metavar="NAME",
        help="for frame_run with these bound, instead of for calls on views",
    )
    build.add_argument(
        "--leading",
        action="store_true",
        default=argparse.SUPPRESS,
        help="Q lacks the last mass fraction",
    )
    build.set_defaults(build="build")
    text = "what every GPU kernel takes: registers, memory; needs no GPU"
    resources = actions.add_parser("resources", help=text, description=text)
    _options(resources, "", argparse.SUPPRESS)
    resources.set_defaults(resources=True)


def _options(parser: Any, of: str, default: Any) -> None:
    """What decides the text of a GPU kernel; of: what takes them; default: of lists."""
    kij = False if default == [] else default
    add = partial(parser.add_argument, default=default)
    add("--arch", action=Listed, metavar="ARCH", help=f"{of}GPU architectures: sm_90")
    add("--ns", action=Listed, convert=int, metavar="N", help=f"{of}numbers of species")
    parser.add_argument(
        "--kij", action="store_true", default=kij, help=f"{of}with interaction coefficients"
    )
    add("--option", nargs="+", metavar="NAME=VALUE", help=f"{of}physics options of the run")


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
