"""`bridge quantities`: what can be computed, found by the words that people use for it."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add(commands: Any) -> None:
    """The subcommand."""
    text = "quantities: symbol, unit, shape, meaning, which kernel makes it, what it needs"
    parser = commands.add_parser("quantities", help=text, description=text)
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="only those called so: density, viscosity, mu, speed of sound (default: all)",
    )
    parser.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Print a table; exit status 1 where nothing is called so."""
    from tabulate import tabulate

    from bridge.plan import columns, lookup, origins
    from bridge.plan.catalogue import Catalogue

    catalogue = Catalogue.installed()
    phrase = " ".join(given.words).strip()
    known = list(catalogue.quantities.values())
    found = lookup.named(phrase, known) if phrase else known
    if not found and len(words := phrase.replace(",", " ").split()) > 1:
        every = (quantity for word in words for quantity in lookup.named(word, known))
        found = list({quantity.name: quantity for quantity in every}.values())
    if not found and (found := lookup.near(phrase, known)):
        print(f"nothing is called {phrase!r}; these are near:", file=sys.stderr)
    if not found:
        wanted = catalogue.suggest(phrase)
        print(f"bridge: nothing is called {phrase!r}; wanted {wanted}", file=sys.stderr)
        return 1
    makers = (
        origins.Maker(
            kernel.name, kernel.inputs, kernel.outputs, bool(kernel.fuses) or not kernel.planned
        )
        for kernel in catalogue.kernels.values()
    )
    made = origins.origins(makers, catalogue.quantities)
    rows = []
    for quantity in found:
        origin = made[quantity.name]
        unit = "" if quantity.unit == "1" else quantity.unit
        word = quantity.columns
        shape = "(...)" if word == "1" else f"(..., {columns.shape(word)})"
        rows.append(
            (quantity.name, quantity.symbol, unit, shape, quantity.about,
             origin.kernel or "(given)", " ".join(origin.needs))
        )  # fmt: skip
    headers = ("name", "symbol", "unit", "shape", "meaning", "made by", "needs")
    widths = (None, None, None, None, 44, None, 24)
    print(tabulate(rows, headers, maxcolwidths=widths, disable_numparse=True))
    return 0
