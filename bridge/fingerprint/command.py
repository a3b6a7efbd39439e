"""`bridge fingerprint`: of what would run here, or what differs between two that were kept."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from bridge.errors import ArgumentError


def add(commands: Any) -> None:
    """The subcommand."""
    text = "what decides the bits of a run, and what differs between two runs"
    command = commands.add_parser("fingerprint", help=text, description=text)
    command.add_argument(
        "--diff", nargs=2, metavar=("A", "B"),
        help="files that hold a fingerprint (logs, restart files): what differs; status 1 if any",
    )  # fmt: skip
    command.add_argument(
        "--set", nargs="+", default=[], metavar="KEY=VALUE", help="settings, as of frame_set"
    )
    command.add_argument("-o", "--output", metavar="FILE", help="file to write (default: stdout)")
    command.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Status 1 where two fingerprints differ."""
    from bridge.fingerprint import lines

    if given.diff:
        first, second = given.diff
        kept = lines.read(first, "--diff"), lines.read(second, "--diff")
        told = lines.told(*kept, first, second)
        print(told or "no difference\n", end="")
        return int(bool(told))
    text = of_here([word.partition("=")[::2] for word in given.set])
    if given.output is None:
        sys.stdout.write(text)
        return 0
    try:
        Path(given.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArgumentError("--output", given.output, f"a place to write ({error})") from None
    return 0


def of_here(given: list[tuple[str, str]]) -> str:
    """The fingerprint of a Frame with these settings, and those of the environment."""
    from bridge.backends import open_backend
    from bridge.fingerprint import lines, parts
    from bridge.memory.constants import Constants
    from bridge.physics.species import SpeciesData
    from bridge.plan.catalogue import Catalogue
    from bridge.settings import Settings

    settings = Settings()
    for key, value in given:
        settings.set(key, value)
    options = settings.options()
    species = SpeciesData.named(settings.get("species"), settings.get("species_file"))
    catalogue = Catalogue.installed().with_options(options)
    catalogue = catalogue.with_constants(settings.constants())
    backend = open_backend(settings.backend(), threads=settings.threads(1))
    try:
        ns = len(species.names) if species is not None else 0
        constants = {name: one.values for name, one in
                     Constants(backend, catalogue, ns, 1).items() if one.filled}  # fmt: skip
        run = parts.Run(
            backend, catalogue, options,
            species.overridden(options.override) if species is not None else None,
            settings.qlayout(), settings.launch_mode(), constants, {},
        )  # fmt: skip
        return lines.text(parts.of_run(run))
    finally:
        backend.close()
