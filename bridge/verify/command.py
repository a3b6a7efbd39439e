"""The subcommand `bridge replay`; what it does is imported when it is asked for."""

from __future__ import annotations

import argparse
from typing import Any


def add(commands: Any) -> None:
    """The subcommand."""
    text = "run the points that BRIDGE_VERIFY found different once more"
    command = commands.add_parser("replay", help=text, description=text)
    command.add_argument("file", metavar="FILE", help="a file that a run with BRIDGE_VERIFY wrote")
    command.add_argument(
        "--on", nargs="+", metavar="TARGET", choices=("v2", "v3", "v4", "cuda"),
        help="targets: v2, v3, v4, cuda (default: all that this machine has)",
    )  # fmt: skip
    command.add_argument(
        "--packs", metavar="DIR", help="write the packs of the file there, and nothing else"
    )
    command.set_defaults(action=_run)


def _run(given: argparse.Namespace) -> int:
    from bridge.verify import replay

    return replay.run(given)
