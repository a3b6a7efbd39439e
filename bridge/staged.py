"""StagedLauncher: a plan whose kernels read neighbours, as stages on memory of the caller and of
the bridge.

Beside Launcher, which is one program. A stage's box is the interior grown by what later stages
read around their points; what lies between two stages lies in arrays of the bridge with such a
fringe.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from time import perf_counter_ns
from typing import Any, cast

from bridge.backends.base import Binding, Box, LoopingProgram, Program, RepeatingProgram
from bridge.backends.blocks import Blocks
from bridge.errors import ArgumentError
from bridge.launchers import Launcher
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan
from bridge.plan.stages import Stage, Temporary, split


class StagedLauncher(Launcher):
    """Goes over all points by itself: chunks have no meaning where points read each other."""

    _programs: tuple[tuple[Program, int], ...] = ()
    _memory: tuple[Any, ...] = ()

    def bind(
        self,
        bindings: Mapping[str, Binding],
        mode: str = "fused",
        further: Sequence[Mapping[str, Binding]] = (),
    ) -> None:
        """Prepare each stage's program; ArgumentError where an array's fringe is too small. One
        component goes through all stages, then the next."""
        self.points = min((binding.box.points for binding in bindings.values()), default=0)
        like = next(bindings[name] for name in self.plan.outputs)
        exact = [name for name in self.plan.outputs if _exact(bindings[name])]
        stages = split(self.plan, exact, like.box.extent)
        for stage in stages.stages:
            _check_fringe(self.name, stage, bindings)
        between = {}
        owners = []
        for name, temporary in stages.temporaries.items():
            between[name], owner = self._temporary(temporary, like)
            owners.append(owner)
        self._memory = tuple(owners)
        programs = []
        for component in (bindings, *further):
            memory = {**component, **between}
            for stage in stages.stages:
                used = (*stage.plan.inputs, *stage.plan.outputs)
                own = {name: memory[name].grown(stage.grown) for name in used}
                points = next(iter(own.values())).box.points
                programs.append((self._program_of(stage.plan, own), points))
        self._programs = tuple(programs)

    def _program_of(self, plan: Plan, bindings: Mapping[str, Binding]) -> Program:
        if plan.ordered:
            return self._backend.ordered_program(plan, bindings)
        return self._backend.program(plan, bindings)

    def _temporary(self, one: Temporary, like: Binding) -> tuple[Binding, Any]:
        """Memory of the bridge for the points of a box and the layers around it."""
        if like.blocks is not None:
            return self._temporary_blocks(one, like, like.blocks)
        widths = zip(like.box.extent, one.fringe.lower, one.fringe.upper, strict=True)
        nx, ny, nz = (n + low + high for n, low, high in widths)
        points = nx * ny * nz
        owner = self._backend.allocate(1, max(one.columns * points, 1), one.dtype)
        box = Box((nx, ny, nz), (1, nx, nx * ny), points)
        whole = Binding(
            self._backend.address(owner), box, one.columns, dtype=one.dtype, owner=owner,
            group=like.group,
        )  # fmt: skip
        return whole.part(one.fringe.lower, like.box.extent), owner

    def _temporary_blocks(
        self, one: Temporary, like: Binding, blocks: Blocks
    ) -> tuple[Binding, Any]:
        """The same for each of many blocks."""
        whole = Blocks.flat(blocks.grown(one.fringe).extent)
        owner = self._backend.allocate(1, max(one.columns * whole.points, 1), one.dtype)
        box = Box((whole.points, 1, 1), (1, 0, 0), whole.points)
        memory = Binding(
            self._backend.address(owner), box, one.columns, dtype=one.dtype, owner=owner,
            group=like.group, fringe=one.fringe,
        )  # fmt: skip
        return memory.at(whole.inner(one.fringe)), owner

    @property
    def bound(self) -> bool:
        return bool(self._programs)

    @property
    def loops(self) -> bool:
        return True

    def repeated(self, n: int) -> Callable[[], None] | None:
        if not all(hasattr(program, "repeated") for program, _ in self._programs):
            return None
        runs = [
            cast("RepeatingProgram", program).repeated(points)
            for program, points in self._programs
        ]
        timer = self.timer

        def again() -> None:
            start = perf_counter_ns()
            for run in runs:
                run()
            timer.add(perf_counter_ns() - start)

        return again

    def begin_all(self, points: int, n_grid_points: int, unchanged: Collection[str] = ()) -> None:
        """Set all stages going, one behind the other; a CPU has done them when this returns."""
        start = perf_counter_ns()
        for program, own_points in self._programs:
            if hasattr(program, "begin_box"):
                cast("LoopingProgram", program).begin_box(own_points, own_points)
            else:
                program.run(0, own_points)
        self.timer.add(perf_counter_ns() - start)

    def wait_all(self) -> int:
        """What `begin_all` set going has happened; 1, as nothing is cut."""
        for program, _ in self._programs:
            if hasattr(program, "wait_box"):
                looping = cast("LoopingProgram", program)
                looping.wait_box()
                self.timer.spend(*looping.spent())
        self.timer.chunks += 1
        return 1


def _exact(binding: Binding) -> bool:
    """Whether an array holds every bit of what is written to it."""
    return binding.scale == 1.0 and binding.dtype != "float32"


def _check_fringe(name: str, stage: Stage, bindings: Mapping[str, Binding]) -> None:
    """ArgumentError where a stage reads beyond an array of the caller."""
    plan = stage.plan
    for quantity, slot in plan.inputs.items():
        binding = bindings.get(quantity)
        if binding is None or binding.position or not any(binding.box.stride):
            continue
        if not binding.box.points:  # nothing is read around points that are none
            continue
        wanted = stage.grown + plan.around.get(slot, Fringe())
        for side, layers, there in wanted.missing(binding.fringe):
            raise ArgumentError(
                quantity,
                f"a fringe of {there} layers {side} of set '{binding.group}'",
                f"{layers}, as {name} reads it there ({wanted}): {layers - there} missing",
            )
