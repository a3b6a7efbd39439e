"""`bridge species`: species tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from bridge.commands import speciestables
from bridge.commands.lists import Listed
from bridge.errors import ArgumentError


def add(commands: Any) -> None:
    """The subcommand."""
    text = "species tables: what is in them, and tables made of mechanisms"
    parser = commands.add_parser("species", help=text, description=text)
    species = parser.add_subparsers(required=True, metavar="COMMAND")
    speciestables.add(species)
    text = "a species table from a Cantera YAML mechanism"
    converting = species.add_parser(
        "convert",
        help=text,
        description=text,
        epilog="example: bridge species convert gri30.yaml --species O2 CH4 -o table.yaml",
    )
    converting.add_argument("mechanism", metavar="mech.yaml", help="the mechanism")
    converting.add_argument("-o", "--output", metavar="FILE", help="where to (default: stdout)")
    converting.add_argument("--phase", metavar="NAME", help="phase (default: the first)")
    converting.add_argument(
        "--species", action=Listed, metavar="NAME", help="species (default: all)"
    )
    converting.add_argument(
        "--kij",
        action=Listed,
        metavar="A:B=K|FILE",
        default=(),
        help="interaction coefficients: pairs, or YAML files of {pair: [A, B], kij: K}",
    )
    converting.set_defaults(action=convert)


def convert(given: argparse.Namespace) -> int:
    """Print or write the species of a mechanism."""
    from bridge.convert import mechanism

    converted = mechanism.convert(given.mechanism, given.species, phase=given.phase, kij=given.kij)
    if given.output is None:
        print(converted.text(), end="")
    else:
        try:
            Path(given.output).write_text(converted.text(), encoding="utf-8")
        except OSError as error:
            raise ArgumentError("--output", given.output, f"a place to write ({error})") from None
    for note in converted.notes:
        print(note, file=sys.stderr)
    return 0
