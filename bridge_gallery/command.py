"""`bridge gallery NAME`: ladders of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bridge.commandline import drawable, writable
from bridge.errors import ArgumentError

if TYPE_CHECKING:
    from bridge_gallery.graphicscard import GraphicsCard
    from bridge_gallery.rung import Ladder
    from bridge_gallery.running import Outcome

#: Name on the command line -> module of this folder.
LADDERS = {
    "nested-loops": "nestedloops",
    "transpose": "transpose",
    "memory": "memory",
    "course": "course",
    "nbody": "nbody",
    "fluids": "fluids",
}

#: The ladder whose page ends with errors.
FAULTS = "course"


HELP = "patterns of GPU programming, checked and measured on this machine"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The subcommand's options."""
    parser = commands.add_parser("gallery", help=HELP, description=HELP)
    parser.add_argument(
        "names", nargs="+", choices=(*LADDERS, "all"), metavar="LADDER",
        help=f"which: {', '.join(LADDERS)} or all",
    )  # fmt: skip
    parser.add_argument(
        "--backend", choices=("auto", "cpu", "cuda"), default="auto",
        help="cpu: small sizes, thread by thread, for correctness (default: a GPU if any)",
    )  # fmt: skip
    parser.add_argument("--check", action="store_true", help="check the rungs, time nothing")
    parser.add_argument(
        "--sectors", action="store_true",
        help="bytes used of each sector of memory, counted by Nsight Compute (ncu)",
    )  # fmt: skip
    parser.add_argument(
        "--size", type=int, metavar="N", help="fluids: cells along a side, even, 64 or more"
    )
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE as well")
    parser.add_argument("--chart", metavar="FILE.png", help="a chart of each as well")
    parser.set_defaults(action=run)


def ladder(name: str) -> Ladder:
    """Of this name on the command line."""
    return cast("Ladder", import_module(f"bridge_gallery.{LADDERS[name]}"))


def run(given: argparse.Namespace) -> int:
    """All that was asked for; returns the exit status."""
    from bridge.measuring.report import Report, progress
    from bridge_gallery import faults, results, sectors

    writable("--json", given.json)
    writable("--chart", given.chart)
    if given.chart is not None:
        drawable("--chart", given.chart)
    names: Sequence[str] = tuple(LADDERS) if "all" in given.names else given.names
    ladders = [_sized(ladder(name), given.size) for name in names]
    card = None
    if given.backend != "cpu":
        from bridge_gallery.graphicscard import open_card

        card = open_card()
        if card is None and given.backend == "cuda":
            raise ArgumentError("--backend", "cuda", "a machine with a usable GPU")
    if card is None:
        progress("no GPU is used: rungs are checked on the CPU at small sizes, nothing is timed")
        if given.chart:
            raise ArgumentError("--chart", given.chart, "a GPU: without times there is no chart")
    report = Report("Gallery")
    if card is not None:
        report.machine |= card.describe()
    print(", ".join(str(value) for value in report.machine.values()))
    for one in ladders:
        outcome = _outcome(one, card, given.check, given.size)
        print("\n" + "=" * 98 + "\n" + results.text(outcome))
        report.rows += results.rows(outcome)
        if outcome.ladder.NAME == FAULTS and card is not None:
            print("\n" + "\n".join(faults.told()))
        if given.sectors:
            found = sectors.counted(outcome.ladder) if card is not None else "no GPU, no sectors"
            print("\n" + sectors.table(found))
            report.rows += sectors.rows(outcome.ladder, found)
        # After each ladder: who stops a long run keeps what it has.
        if given.json:
            report.write(given.json)
        if given.chart:
            where = Path(given.chart)
            target = where.with_stem(f"{where.stem}-{outcome.ladder.NAME}")
            results.chart(
                results.rows(outcome),
                str(target if len(ladders) > 1 else where),
                report.machine["device"],
            )
    return 0


def _sized(one: Ladder, size: int | None) -> Ladder:
    """The ladder; ArgumentError where it is to have a size that it cannot have."""
    if size is not None and not hasattr(one, "at"):
        raise ArgumentError("--size", size, f"fluids alone, not {one.NAME}")
    if size is not None and (size < 64 or size % 2):
        raise ArgumentError("--size", size, "an even number, 64 or more")
    return one


def _outcome(
    one: Ladder, card: GraphicsCard | None, checked_only: bool, size: int | None = None
) -> Outcome:
    from bridge_gallery.emulation import Emulation
    from bridge_gallery.limits import measure
    from bridge_gallery.running import Outcome, check, timed

    outcome = Outcome(one, check(one, card or Emulation()))
    if card is not None and not checked_only:
        outcome.limits = measure(card)
        outcome.timed = timed(one, card, size)
        probe = getattr(one, "probe", None)  # not every ladder asks the device for more
        outcome.notes = probe(card) if probe else []
    return outcome
