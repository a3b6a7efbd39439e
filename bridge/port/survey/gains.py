"""What a procedure may gain on a machine: the bounds of `bridge advise`, without a plan."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.advise.advice import Advice, bound
from bridge.advise.counting import Work as PlannedWork
from bridge.machine import Figures
from bridge.plan.plan import Traffic
from bridge.port.survey.units import Work


@dataclass(frozen=True)
class Gains:
    """At most how many times faster than a loop on single numbers, on all threads. cpu: the
    kernels on vectors; gpu: with the arrays there and back at every run; resident: with the arrays
    kept on the GPU; None: of a GPU that the figures do not have. place: what bounds the kernels on
    the CPU."""

    cpu: float
    gpu: float | None
    resident: float | None
    place: str

    @property
    def best(self) -> float:
        return max(one for one in (self.cpu, self.gpu, self.resident) if one is not None)


def gains(work: Work, figures: Figures, link: float | None = None) -> Gains | None:
    """None of what moves nothing and computes nothing. link: as `bridge advise` has it."""
    traffic = Traffic(work.read, work.written, work.fetched)
    planned = PlannedWork(traffic, (0, 0), 0, dict(work.operations))
    advice = Advice("", 1, None, "memory", planned, figures)
    bound(advice, link)
    memory, scalar, vector = (one.every for one in advice.bounds[:3])
    loop, ours = max(memory, scalar), max(memory, vector)
    if ours <= 0.0:
        return None
    over = advice.bounds[3].every if len(advice.bounds) > 3 else None
    kept = advice.bounds[4].every if len(advice.bounds) > 4 else None
    return Gains(
        loop / ours,
        None if over is None else loop / max(over, kept or 0.0, 1e-9),
        None if kept is None else loop / max(kept, 1e-9),
        "memory" if memory >= vector else "arithmetic",
    )
