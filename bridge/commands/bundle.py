"""`bridge bundle`: the modules of a run in one archive."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """The subcommand."""
    text = "the modules of a run in one archive"
    bundle = commands.add_parser("bundle", help=text, description=text)
    bundle.add_argument("folder", metavar="DIR", type=Path, help="where bridge.bundle is written")
    bundle.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Write the archive."""
    from bridge import bundle

    archive, modules = bundle.make(given.folder)
    print(f"{archive}: {modules} modules, {archive.stat().st_size / 1e6:.1f} MB")
    print(f"export BRIDGE_BUNDLE={archive.resolve()}")
    return 0
