"""Programs of several components of the same arrays, run as one.

Beside `program`: a plan whose arrays have a component for each of its runs has a program for each.
The device works on them one after the other; the host waits for all of them together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bridge.backends.base import NativeCall, Spent
from bridge.backends.gpu.boxprogram import BoxProgram
from bridge.backends.gpu.program import GpuProgram
from bridge.errors import BridgeError


class ComponentPrograms:
    """What `CudaBackend.program` returns for more than one component."""

    def __init__(self, programs: Sequence[GpuProgram | BoxProgram]) -> None:
        self.programs = tuple(programs)
        self.plan = self.programs[0].plan

    def run(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 (0-based) of every binding."""
        for program in self.programs:
            program.run(first, n)

    def begin_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> None:
        """Set all points of all components going; the host works on until `wait_box`.

        What one of them brings is not known to the others, so nothing is kept for the next run:
        the latest run of the group is that of another component.
        """
        for program in self.programs:
            program.begin_box(points, chunk)

    def wait_box(self) -> int:
        """Results are in the caller's arrays; returns the number of chunks."""
        return sum(program.wait_box() for program in self.programs)

    def natives(self) -> list[NativeCall]:
        """Those of all, one behind the other, where each has one."""
        found = [program.natives() for program in self.programs]
        return [call for calls in found for call in calls] if all(found) else []

    def failure(self) -> BridgeError | None:
        """Of the first that failed."""
        found = (program.failure() for program in self.programs)
        return next((error for error in found if error is not None), None)

    def spent(self) -> Spent:
        """Of the latest run that was waited for."""
        spent = [program.spent() for program in self.programs]
        return Spent(sum(one.least for one in spent), sum(one.took for one in spent))
