"""What was measured of one port."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bridge.advise.limits import measure
from bridge.errors import BridgeError
from bridge.machine import Figures, keep, known
from bridge_port.check.machines import environment, timed
from bridge_port.check.procedures import Asked
from bridge_port.request import Ported, Request
from bridge_port.survey.found import Work
from bridge_port.survey.gains import Expected, expected
from bridge_port.survey.processes import Clock
from bridge_port.survey.units import Looking

#: Ways of a run beside the original.
KERNEL, GPU, RESIDENT = "kernel", "gpu", "resident"
ORIGINAL = "original"


@dataclass
class Measured:
    """seconds: of each turn, by way; points: of a run; failure: why nothing was timed; work: of a
    point, as the survey counts it; said: what the survey had expected of one thread."""

    name: str
    kind: str
    points: int = 0
    seconds: dict[str, list[float]] = field(default_factory=dict)
    note: str = ""
    failure: str = ""
    work: Work | None = None
    said: Expected | None = None

    def nanoseconds(self, way: str) -> float:
        """Of one point, the median."""
        return 1e9 * float(np.median(self.seconds[way])) / max(self.points, 1)

    def ratio(self, way: str) -> float:
        """How many times faster than the original of the same process: the median over turns."""
        of = self.seconds[f"{ORIGINAL} {way}"]
        return float(np.median(np.array(of) / np.array(self.seconds[way])))

    def add(self, way: str, original: list[float], own: list[float]) -> None:
        self.seconds[f"{ORIGINAL} {way}"], self.seconds[way] = original, own


class Said:
    """On the instruction set that is timed; targets: the first may be one."""

    def __init__(self, targets: Sequence[str]) -> None:
        self.isa = next((one for one in targets if one != "cuda"), "")
        self._figures: Figures | None = None

    def of(self, found: Measured, request: Request, ported: Ported) -> None:
        looking = Looking(ported.program, Clock())
        axes = max((len(k.procedure.loops) for k in ported.kernels), default=0)
        found.work = looking.work(ported.kernels, axes, request.values)
        if KERNEL in found.seconds and self.isa:
            found.said = expected(found.work, self.figures())

    def figures(self) -> Figures:
        if self._figures is None:
            self._figures = known(self.isa)
            if self._figures is None:
                self._figures = measure(self.isa)
                keep(self._figures)
        return self._figures


def run_in_turns(
    command: Sequence[str], place: Path, asked: Asked, target: str, seconds: float
) -> None:
    """Run what takes turns, on one thread; BridgeError where it does not come to its end."""
    around = environment(asked.folder, target) | {"OMP_NUM_THREADS": "1"}
    limit = max(asked.limit, 10 * seconds)
    status, said, _ = timed(command, place, around, limit)
    if status is None:
        raise BridgeError(f"it does not end within {limit:g} s")
    if status:
        last = [text for text in said.splitlines() if text.strip()][-3:]
        raise BridgeError(f"it ends with status {status}: {' / '.join(last)}")
