"""`bridge kernels`: the catalogue; GPU kernels built ahead, and what they take."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from bridge.commands.lists import Listed
from bridge.errors import ArgumentError


def add(commands: Any) -> None:
    """The subcommand, and those of its own."""
    text = "the catalogue: kernels, inputs, outputs, units"
    kernels = commands.add_parser(
        "kernels",
        help=text,
        description="List the kernels of the catalogue: inputs, outputs, cost. A COMMAND compiles "
        "them for GPUs. `bridge quantities WORD` says which kernel makes a quantity.",
    )
    kernels.add_argument(
        "--composites", action="store_true", help="list the composites, what frame_run calls"
    )
    # `bridge kernels --resources --arch ...` is an older form of `bridge kernels resources`
    kernels.add_argument("--resources", action="store_true", help=argparse.SUPPRESS)
    _options(kernels, {}, [])
    kernels.set_defaults(action=run, build=None, outputs=[], leading=False)
    actions = kernels.add_subparsers(metavar="COMMAND")
    text = "compile the GPU kernels ahead of a run; needs no GPU"
    build = actions.add_parser(
        "build",
        help=text,
        description="Compile the kernels for GPUs into the cache, ahead of a run: a run on a "
        "machine with such a GPU then compiles nothing. Needs no GPU.",
        epilog="example: bridge kernels build --arch sm_90 --ns 4,16 --option omega11=FITTED",
    )
    defaults = {"arch": "required", "ns": "required"}
    _options(build, defaults, argparse.SUPPRESS)  # else what stands before the word is forgotten
    build.add_argument(
        "--outputs",
        action=Listed,
        default=argparse.SUPPRESS,
        metavar="NAME",
        help="for frame_run with these outputs bound, as rho cp (default: for calls on views)",
    )
    build.add_argument(
        "--leading",
        action="store_true",
        default=argparse.SUPPRESS,
        help="for a Q that lacks the last mass fraction: nq = 4 + NS",
    )
    build.set_defaults(build="build")
    text = "what every GPU kernel takes: registers, memory; needs no GPU"
    resources = actions.add_parser(
        "resources",
        help=text,
        description="Compile every kernel for GPUs and list registers per thread, stack and "
        "spilled bytes. Needs no GPU. One architecture and one number of species take a minute.",
        epilog="example: bridge kernels resources --arch sm_90 --ns 4",
    )
    defaults = {"arch": "default: sm_80 sm_90 sm_100", "ns": "default: 1 4 16 53"}
    _options(resources, defaults, argparse.SUPPRESS)
    resources.set_defaults(resources=True)


def _options(parser: Any, defaults: Mapping[str, str], default: Any) -> None:
    """What decides the text of a GPU kernel; defaults: what the help says of some; default: of
    lists. Without defaults nothing is said: they are those of a COMMAND."""

    def add(name: str, help: str, **named: Any) -> None:
        parser.add_argument(name, help=help if defaults else argparse.SUPPRESS, **named)

    arch, ns = (defaults.get(name, "") for name in ("arch", "ns"))
    add("--arch", f"GPU architectures: sm_90, or sm_80,sm_90 ({arch})", action=Listed,
        metavar="ARCH", default=default)  # fmt: skip
    add("--ns", f"numbers of species: 4, or 4,16 ({ns})", action=Listed, convert=int,
        metavar="N", default=default)  # fmt: skip
    add("--kij", "with interaction coefficients k_ij between species", action="store_true",
        default=False if default == [] else default)  # fmt: skip
    add("--option", "physics options of the run: omega11=FITTED", nargs="+",
        metavar="NAME=VALUE", default=default)  # fmt: skip


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
