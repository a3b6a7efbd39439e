"""What no test of the port has: the examples, fortran_stub, random programs of fixed seeds."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from port import randomchecked, randomnests, randomprocedures
from port.recorded.recorder import ROOT, recording

from bridge.errors import BridgeError
from bridge_port.program.program import Program, path
from bridge_port.refusal import Refused
from bridge_port.request import Request
from bridge_port.survey.survey import DEPTH
from bridge_port.survey.tree import files_of
from bridge_port.syntax.units import every

#: First seed of `ci/fuzz`, and how many it makes of each kind.
FIRST, PROCEDURES, NESTS, CHECKED = 1000, 6, 20, 4
DIRECTIVE = re.compile(r"^\s*!\$bridge begin (\w+)", re.M | re.I)
CALL = re.compile(r"^\s*call spread")


def record(folder: Path, place: Path, seeds: int) -> None:
    """place: for the random programs."""
    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(max(DEPTH, depth))
    try:
        with recording(folder):
            for file in files_of([ROOT / "examples", ROOT / "fortran_stub"]):
                everything(file)
            for file in programs(place, seeds):
                everything(file)
    finally:
        sys.setrecursionlimit(depth)


def programs(place: Path, seeds: int) -> Iterator[Path]:
    for seed in range(FIRST, FIRST + seeds):
        texts = {
            f"procedures{seed}.f90": randomprocedures.module(seed, PROCEDURES)[0],
            f"nests{seed}.f90": randomnests.procedures(seed, NESTS)[0],
        }
        checked = randomchecked.module(seed, CHECKED)[0]
        if seed % 2:
            texts[f"checked{seed}.f90"] = checked
        else:
            texts[f"checked{seed}.f"] = randomchecked.fixed(checked)
        for name, text in texts.items():
            file = place / name
            file.write_text(text)
            yield file


def everything(file: Path) -> None:
    """Each procedure, each loop nest that a refusal names, each nest with a directive."""
    try:
        units = Program([file]).units
    except BridgeError:
        return
    for unit in every(units):
        if unit.kind in ("subroutine", "function"):
            for first, last in ask(f"{file}::{path(unit)}", file):
                ask(f"{file}:{first}-{last}", file)
    text = file.read_text("latin-1")
    nests = [f"{file}@{name}" for name in DIRECTIVE.findall(text)]
    nests += [f"{file}:{n}" for n, line in enumerate(text.splitlines(), 1) if CALL.match(line)]
    for nest in nests:
        ask(nest, file)
        if file.name.startswith("checked"):
            for given in (True, False):
                ask(nest, file, {"extra": given, "more": given})


def ask(
    source: str, file: Path, presence: Mapping[str, bool] | None = None
) -> list[tuple[int, int]]:
    """Lines of the nests that can be ported instead."""
    try:
        Request(source, folders=(str(file.parent),), prefix="k_",
                presence=dict(presence or {})).ported(every=True)  # fmt: skip
    except Refused as refused:
        return refused.nests
    except BridgeError:
        pass
    return []
