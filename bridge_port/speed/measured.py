"""What was measured of one port."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bridge_port.survey.gains import Expected
from bridge_port.survey.work import Work

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
