"""`bridge tune`: a GPU's launch policies, measured."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from bridge.commands.lists import Listed


def add(commands: Any) -> None:
    """The subcommand."""
    text = "measure a GPU's launch policies for BRIDGE_POLICY"
    tune = commands.add_parser("tune", help=text, description=text)
    tune.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE.yaml",
        help="the table to write; rows that are not measured stay as they are",
    )
    tune.add_argument(
        "--ns", metavar="N,N,...", help="numbers of species (default: 1,2,4,8,16,32,53)"
    )
    tune.add_argument(
        "--kinds",
        action=Listed,
        default=[],
        metavar="KIND",
        help="kinds of plans: thermal, transport, exact, fitted (default: all)",
    )
    tune.add_argument(
        "--composite", metavar="NAME", help="measure a composite instead of the kinds"
    )
    tune.add_argument(
        "--outputs", action=Listed, default=[], metavar="NAME", help="outputs of the composite"
    )
    tune.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="physics options of the run"
    )
    tune.add_argument("--kij", action="store_true", help="with interaction coefficients")
    tune.add_argument(
        "--device", type=int, default=0, metavar="N", help="number of the GPU (default: 0)"
    )
    tune.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Measure policies and write them into a table."""
    from bridge.backends.cuda import CudaBackend, tuning
    from bridge.bench.request import parse_ns

    table = tuning.tune(
        Path(given.output),
        parse_ns(given.ns) if given.ns else tuning.COUNTS,
        kinds=given.kinds,
        composite=given.composite,
        outputs=given.outputs,
        options=dict(word.partition("=")[::2] for word in given.option),
        kij=given.kij,
        open_gpu=lambda: CudaBackend(given.device),
        say=partial(print, flush=True),
    )
    print(f"{given.output}: {len(table.rows)} rows; BRIDGE_POLICY={given.output} takes them")
    return 0
