"""Regrids of the flow solver: cells go to other blocks and ranks, and no bit changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flow.stages import OPEN, STAGES, Stages, checksum
from hosts import counting

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]

#: Regrids until the cuts are where they were.
CYCLE = 3
FLAT: dict[str, Any] = {"Cells": (13, 9, 1), "Blocks": (2, 1, 1)}


@pytest.mark.parametrize("sides", [{}, OPEN], ids=["periodic", "open"])
@pytest.mark.parametrize("form", ["conserved", "primitive", "pressure"])
def test_same_bits_in_fortran(stages: Stages, form: str, sides: dict[str, Any]) -> None:
    values: dict[str, Any] = {"Steps": 5, **sides}
    if form == "pressure":
        values["Energy"] = form
    else:
        values["Update"] = form
    one = stages.checksum(absent=True, Blocks=(1, 1, 1), **values)
    for blocks, ranks in (((2, 1, 1), 1), ((3, 2, 1), 2), ((2, 2, 1), 4)):
        values |= {"Blocks": blocks, "RegridEvery": 1}
        outcome = stages.ended(absent=True, ranks=ranks, **values)
        sizes = [line.split()[-4:-1] for line in outcome.out.splitlines() if "first block" in line]
        assert len(sizes) == 4, "after each step but the last one"
        assert sizes[0] == sizes[3] and sizes[0] != sizes[1] != sizes[2] != sizes[0], sizes
        assert checksum(outcome) == one, blocks


@pytest.mark.parametrize(
    ("stage", "ranks"), [("properties", 2), ("fluxes", 4), ("step", 1), ("step", 2)]
)
def test_same_bits_by_the_bridge(stages: Stages, stage: str, ranks: int) -> None:
    values = {**OPEN, "Offload": stage, "Steps": 5, "Blocks": (2, 2, 1)}
    outcome = stages.ended(ranks=ranks, RegridEvery=1, **values)
    assert outcome.out.count("the first block has") == 4
    assert checksum(outcome) == stages.checksum(**values)


@pytest.mark.parametrize("stage", STAGES[1:])
def test_every_step_is_verified(stages: Stages, stage: str) -> None:
    """With a copy of resident arrays that stands for the device, on which runs work."""
    values = {**OPEN, "Offload": stage, "Properties": "verify", "Steps": 4, "Blocks": (2, 2, 1)}
    environment = {"BRIDGE_CHECK_RESIDENCY": "fringes"}
    outcome = stages.ended(ranks=2, RegridEvery=1, environment=environment, **values)
    assert "verify: passed, 4 steps" in outcome.out


def test_a_run_goes_on_from_its_file(stages: Stages) -> None:
    """Whose blocks were others."""
    values: dict[str, Any] = {"Offload": "step", **OPEN}
    whole, half, both = (stages.folder / name for name in ("whole", "half", "both"))
    stages.ended(Steps=4, OutputFile=whole, **values)
    values |= {"RegridEvery": 1, "Blocks": (2, 1, 1)}
    stages.ended(Steps=2, OutputFile=half, **values)
    stages.ended(Steps=4, RestartFile=half, OutputFile=both, **values)
    assert both.read_bytes() == whole.read_bytes() != half.read_bytes()


@pytest.mark.parametrize("kind", ["cpu", "stand-in"])
def test_nothing_is_allocated_or_locked_after_the_first_cycle(stages: Stages, kind: str) -> None:
    """Nor compiled on a GPU that is none; on a CPU all is compiled before a run."""
    file, compiled = stages.folder / "timers.json", stages.folder / "compiled"
    backend = "cpu" if kind == "cpu" else "cuda"
    more = {"BRIDGE_BACKEND": backend, "BRIDGE_TIMERS": str(file), "BRIDGE_STABILITY": "off"}
    environment = counting(kind != "cpu", **more)

    def memory(regrids: int) -> tuple[dict[str, list[int]], int]:
        """By call: allocations, their bytes, page locks; and the programs that were made."""
        values = {**FLAT, **OPEN, "Offload": "step", "RegridEvery": 1, "Steps": regrids + 1}
        outcome = stages.ended(environment=environment, **values)
        assert outcome.out.count("the first block has") == regrids
        counts = json.loads(file.read_text())["ranks"][0]["ledger"]
        fields = ("allocations", "allocated", "page_locks")
        allocated = {call: [one[field] for field in fields] for call, one in counts.items()}
        return allocated, sum(one["programs"] for one in counts.values())

    first, made = memory(CYCLE)
    compiled.mkdir()
    if kind != "cpu":
        for one in Path(environment["TEST_STANDIN"]).glob("*.so"):
            (compiled / one.name).symlink_to(one)
        environment["TEST_STANDIN"] = str(compiled)
    known = {one.name for one in compiled.glob("*.so")}
    third, more_made = memory(3 * CYCLE)
    assert first == third and sum(one[0] for one in first.values()) > 0
    assert more_made > made, "the arrays have changed"
    assert {one.name for one in compiled.glob("*.so")} == known
    assert bool(known) == (kind != "cpu")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"RegridEvery": -1}, "RegridEvery must not be negative, got -1"),
        ({"Blocks": (1, 1, 1)}, "RegridEvery: one block has no cut that could move"),
        (
            {"Blocks": (2, 1, 2)},
            "RegridEvery: a block of 3 cells would get fewer than the 3 of its fringe along z",
        ),
        (
            {"Blocks": (1, 3, 1), "Cells": (21, 13, 7)},
            "RegridEvery: a block of 4 cells would get fewer than the 3 of its fringe along y",
        ),
        ({"Blocks": (1, 4, 1)}, "Blocks: blocks thinner than their fringes"),
    ],
)
def test_what_cannot_work(stages: Stages, values: dict[str, Any], message: str) -> None:
    outcome = stages.run(absent=True, **{"RegridEvery": 2, "Steps": 1, **values})
    assert outcome.status != 0 and message in outcome.err, outcome.err
