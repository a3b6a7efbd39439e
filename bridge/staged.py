"""StagedLauncher: a plan whose kernels read neighbours, as stages on memory of the caller and of
the bridge.

Beside Launcher, which is one program. A stage's box is the interior grown by what later stages
read around their points; what lies between two stages lies in arrays of the bridge with such a
fringe. So does, while a run lasts, an array of the host that a device goes on in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from bridge.backends.base import Binding, Box, LoopingProgram, Program, RepeatingProgram
from bridge.backends.blocks import Blocks
from bridge.errors import ArgumentError
from bridge.launchers import AllPoints, AtOnce, Launcher, Looping
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan, Slot
from bridge.plan.stages import Stage, Stages, Temporary, split
from bridge.timers import Timer


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
        self.bindings = (bindings, *further)
        like = next(bindings[name] for name in self.plan.outputs)
        exact = [name for name in self.plan.outputs if _exact(bindings[name])]
        stages = split(self.plan, exact, like.box.extent)
        for stage in stages.stages:
            _check_blocks(self.name, stage, like)
            _check_cells(self.name, stage, like)
            _check_fringe(self.name, stage, bindings)
        between = {}
        owners = []
        for name, temporary in stages.temporaries.items():
            between[name], owner = self._temporary(temporary, like)
            owners.append(owner)
        images = {}
        for name, around in _continued(stages).items():
            if like.box.points and not self._backend.holds(bindings[name]):
                image, owner = self._image(bindings[name], around)
                images[name] = image, around
                owners.append(owner)
        self._memory = tuple(owners)
        programs = []
        for component in (bindings, *further):
            memory = {**component, **between, **{name: one for name, (one, _) in images.items()}}
            for name, (image, around) in images.items():
                array = component[name].grown(around)
                programs.append(self._copy(name, array, image.grown(around)))
            for stage in stages.stages:
                used = (*stage.plan.inputs, *stage.plan.outputs)
                own = {name: memory[name].grown(stage.grown) for name in used}
                points = next(iter(own.values())).box.points
                programs.append((self._program_of(stage.plan, own), points))
            for name, (image, _) in images.items():
                programs.append(self._copy(name, image, component[name]))
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

    def _image(self, binding: Binding, around: Fringe) -> tuple[Binding, Any]:
        """Memory of the bridge in place of an array, with its elements and scale."""
        one = Temporary(-1, binding.columns, binding.dtype, around)
        image, owner = self._temporary(one, binding)
        return replace(image, scale=binding.scale), owner

    def _copy(self, name: str, source: Binding, target: Binding) -> tuple[Program, int]:
        """Elements of one box to another as they are: what a plan leaves keeps every bit."""
        kind = "int32" if source.dtype == "int32" else "float64"
        slots = (Slot(name, source.columns, kind),)
        plan = Plan(self.plan.name, slots, (), {"source": 0}, {"target": 0})
        raw = {"source": replace(source, scale=1.0), "target": replace(target, scale=1.0)}
        return self._backend.program(plan, raw), source.box.points

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
    def programs(self) -> Sequence[Program]:
        """The stages of all components, and copies between them."""
        return [program for program, _ in self._programs]

    def all_points(self, chunk: int, wait: Timer) -> AllPoints:
        """All stages, one behind the other: nothing is cut into chunks."""
        programs = self._programs
        if all(hasattr(one, "begin_box") for one, _ in programs):
            looping = [(cast("LoopingProgram", one), points) for one, points in programs]
            return Looping(looping, None, self.timer, wait)
        series = self._backend.series(self.programs)
        if series is not None:
            return AtOnce([(series, series.points)], self.timer)
        repeating = [(cast("RepeatingProgram", one), points) for one, points in programs]
        return AtOnce(repeating, self.timer)


def _continued(stages: Stages) -> dict[str, Fringe]:
    """Arrays of the caller in which stages with an order go on, and how far around the interior
    any stage finds values in them."""
    found = {
        name: Fringe()
        for stage in stages.stages
        if stage.plan.ordered
        for name in stage.plan.outputs
        if name in stage.plan.inputs and name not in stages.temporaries
    }
    for stage in stages.stages:
        for name, slot in stage.plan.inputs.items():
            if name in found:
                found[name] |= stage.grown + stage.plan.around.get(slot, Fringe())
    return found


def _exact(binding: Binding) -> bool:
    """Whether an array holds every bit of what is written to it."""
    return binding.scale == 1.0 and binding.dtype != "float32"


def _check_blocks(name: str, stage: Stage, like: Binding) -> None:
    """ArgumentError where points of many blocks would follow each other."""
    if stage.plan.ordered and like.blocks is not None:
        [kernel] = stage.plan.kernels()
        got = f"'{like.group}', which has many blocks, for {name}: {kernel} has colours or a sweep"
        raise ArgumentError("set", got, "sets of one block each")


def _check_cells(name: str, stage: Stage, like: Binding) -> None:
    """ArgumentError where cells of one of many blocks would be read: of which, nobody says."""
    cells = [name for name, slot in stage.plan.inputs.items()
             if stage.plan.around.get(slot, Fringe()).cells]  # fmt: skip
    if cells and like.blocks is not None:
        got = f"'{like.group}', which has many blocks, for {name}: {cells[0]} is read at any cell"
        raise ArgumentError("set", got, "sets of one block each")


def _check_fringe(name: str, stage: Stage, bindings: Mapping[str, Binding]) -> None:
    """ArgumentError where a stage reads beyond an array of the caller."""
    plan = stage.plan
    for quantity, slot in plan.inputs.items():
        binding = bindings.get(quantity)
        if binding is None or binding.position or not any(binding.box.stride):
            continue
        if not binding.box.points:  # nothing is read around points that are none
            continue
        if quantity in plan.cells_alone:
            continue
        wanted = stage.grown + plan.around.get(slot, Fringe())
        for side, layers, there in wanted.missing(binding.fringe):
            raise ArgumentError(
                quantity,
                f"a fringe of {there} layers {side} of set '{binding.group}'",
                f"{layers}, as {name} reads it there ({wanted}): {layers - there} missing",
            )
