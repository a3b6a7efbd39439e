"""What the survey says of a port, before it is timed."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.advise.limits import measure
from bridge.machine import Figures, keep, known
from bridge_port.request import Ported, Request
from bridge_port.speed.measured import KERNEL, Measured
from bridge_port.survey.clock import Clock
from bridge_port.survey.gains import expected
from bridge_port.survey.units import Looking


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
