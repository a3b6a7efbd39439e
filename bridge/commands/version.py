"""`bridge --version`: of the package, read from what the build wrote."""

from __future__ import annotations

import argparse


def add(parser: argparse.ArgumentParser) -> None:
    """The option."""
    from bridge.compiled.version import VERSION

    parser.add_argument("--version", action="version", version=f"bridge {VERSION}")
