"""LauncherBase and Launcher: a name, its views, its timer, and one way to launch.

A Launcher stands for one named kernel, a CompositeLauncher for a composite of them; both turn
a plan and bindings into a program once and run it again and again.
"""

from __future__ import annotations

from collections.abc import Mapping

from bridge.backends.base import Backend, Binding, Program
from bridge.plan import Plan
from bridge.timers import Timer


class LauncherBase:
    """Common timing of every launch.

    name: what messages and the report call it; plan: what it runs.
    """

    def __init__(self, name: str, plan: Plan, backend: Backend, timer: Timer) -> None:
        self.name = name
        self.plan = plan
        self.timer = timer
        self._backend = backend
        self._program: Program | None = None

    def bind(self, bindings: Mapping[str, Binding]) -> None:
        """Prepare the program on this memory; what it was bound to before is dropped."""
        self._program = self._backend.program(self.plan, bindings)

    @property
    def bound(self) -> bool:
        return self._program is not None

    def launch(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 of the bound memory."""
        assert self._program is not None, f"{self.name} is launched before it is bound"
        with self.timer:
            self._program.run(first, n)

    def launch_all(self, points: int, chunk: int) -> int | None:
        """All points in chunks by the program itself, where it has a loop of its own (a GPU
        keeps several chunks under way); returns their number, None where it has none."""
        run_box = getattr(self._program, "run_box", None)
        if run_box is None:
            return None
        with self.timer:
            return run_box(points, chunk)


class Launcher(LauncherBase):
    """One named kernel on the current views."""


class CompositeLauncher(LauncherBase):
    """All kernels of a composite, in dependency order."""
