"""`bridge advise`: what a loop can gain here, before it is ported."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bridge import progress
from bridge.commandline import writable
from bridge.commands.lists import Listed
from bridge.errors import ArgumentError


def add(commands: Any) -> None:
    """The subcommand."""
    text = "what a loop can gain here, before it is ported"
    advise = commands.add_parser("advise", help=text, description=text)
    advise.add_argument(
        "name", metavar="COMPOSITE|KERNEL", help="a name that `bridge kernels` lists"
    )
    advise.add_argument(
        "--pack", metavar="FOLDER", help="folder of its kernel pack, which need not be built"
    )
    advise.add_argument(
        "--ns", type=int, default=1, metavar="N", help="number of species (default: 1)"
    )
    advise.add_argument(
        "--points",
        type=int,
        metavar="N",
        help="points of a run: decides whether arrays are in memory or cache (default: memory)",
    )
    advise.add_argument(
        "--outputs",
        action=Listed,
        default=[],
        metavar="NAME",
        help="outputs that are bound (default: all)",
    )
    advise.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="physics options of the run"
    )
    advise.add_argument(
        "--link",
        type=float,
        metavar="GB/s",
        help="bandwidth of the link to a GPU, GB/s, if this machine has none",
    )
    advise.add_argument(
        "--isa",
        choices=("v2", "v3", "v4"),
        help="instruction set of the kernels (default: the best that this CPU has)",
    )
    advise.add_argument("--again", action="store_true", help="measure this machine again")
    advise.add_argument("--json", metavar="FILE", help="write the advice to FILE as well")
    advise.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Print what a loop can gain."""
    import json

    from bridge import machine
    from bridge.advise.advice import advise
    from bridge.advise.limits import measure
    from bridge.backends.host.library import choose
    from bridge.measuring.states import check_ns

    writable("--json", given.json)
    if given.link is not None and not 0.0 < given.link < float("inf"):
        raise ArgumentError("--link", given.link, "GB/s above 0")
    check_ns((given.ns,))
    figures = None if given.again else machine.known(choose(given.isa).isa)
    if figures is None:
        progress.say("measuring this machine, some seconds")
        with progress.waiting("measuring this machine"):
            figures = measure(given.isa)
        progress.say(f"kept in {machine.keep(figures)}")
    advice = advise(
        given.name,
        figures,
        pack=given.pack,
        ns=given.ns,
        points=given.points,
        outputs=given.outputs,
        link=None if given.link is None else 1e9 * given.link,
        options=dict(word.partition("=")[::2] for word in given.option),
    )
    print(advice.text())
    if given.json:
        try:
            Path(given.json).write_text(json.dumps(advice.json(), indent=1))
        except OSError as error:
            raise ArgumentError("--json", given.json, f"a place to write ({error})") from None
    return 0
