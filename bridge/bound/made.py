"""Quantities that no array of a set holds, made by kernels for reductions of them.

Between `reductions`, which asks for them, and TVImpl. On a CPU they are reduced as they are made,
piece by piece, and are nowhere else; where that cannot be, they are made into memory of the set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.backends.base import Binding, Box, MadeReduction, ReducingProgram
from bridge.backends.blocks import Blocks
from bridge.bound.components import count, runner_of
from bridge.bound.pointsets import PointSet
from bridge.bound.positions import position_bindings
from bridge.errors import ArgumentError, InconsistentError
from bridge.launchers import Launcher
from bridge.plan.plan import Plan
from bridge.plan.plans import Plans
from bridge.prepared import Prepared, PreparedRun
from bridge.tvimpl import TVImpl

#: Where outputs are that each thread has a piece of: no memory is there.
NOWHERE = 1 << 60


@dataclass(frozen=True)
class Pass:
    """Reductions that are done while the quantities are made. run: of `program`, which has their
    results."""

    run: PreparedRun
    program: ReducingProgram


@dataclass(frozen=True)
class Made:
    """Quantities by name. columns: of each; bindings: where they are, or of pieces how these lie,
    none without points; run: makes them whole, in `memory`; launcher: makes them in pieces; label:
    for messages."""

    columns: Mapping[str, int]
    bindings: Mapping[str, Binding] = field(default_factory=dict)
    run: PreparedRun | None = None
    memory: Any = None
    launcher: Launcher | None = None
    label: str = ""
    _passes: dict[tuple[MadeReduction, ...], Pass] = field(default_factory=dict)

    def first(self, name: str) -> int:
        """The number of its first column among those of all."""
        names = list(self.columns)
        return sum(self.columns[other] for other in names[: names.index(name)])

    def reducing(
        self, impl: TVImpl, mask: Binding | None, reductions: Sequence[MadeReduction], of: Prepared
    ) -> Pass:
        """The pass that does these reductions, of quantities that are made in pieces."""
        key, launcher = tuple(reductions), self.launcher
        assert launcher is not None, f"{list(self.columns)} are made whole"
        if key not in self._passes:
            (program,) = launcher.programs
            reducing = impl.backend.reducing(program, self.bindings, mask, reductions)
            name = " ".join(self.columns)
            run = impl.reducing_run(launcher, reducing, name, self.label, of)
            self._passes[key] = Pass(run, reducing)
        return self._passes[key]


class Makers:
    """Of all sets of a Frame; arguments as in `BoundSets`."""

    def __init__(self, impl: TVImpl, layout: tuple[str, ...], plans: Plans) -> None:
        self._impl, self._layout, self._plans = impl, layout, plans

    def make(
        self, point_set: PointSet, names: Sequence[str], maker: str, whole: bool,
        grows: Callable[[], None],
    ) -> Made:  # fmt: skip
        """What makes quantities of a set, of which no array holds one; maker: the composite or
        kernel that does, "" for any; whole: each has to be in memory. ArgumentError for a quantity
        that the set cannot give, or that what makes it also reads. grows: called before memory of
        the set that others make quantities in is given back."""
        catalogue, ns, arrays = self._impl.catalogue, self._impl.ns, point_set.arrays
        inputs, plans_of = self._making(point_set, names, maker)
        per_component = [name for name in names if catalogue.quantity(name).per_component]
        columns = {name: catalogue.columns(name, ns) for name in names}
        together: dict[int, list[str]] = {}  # by the number of components that are points
        for name in per_component:
            [plan] = plans_of([name])
            read = {one: inputs[one] for one in plan.inputs if one in inputs}
            what = f"a reduction of {name} on set '{point_set.name}'"
            columns[name] = count(read, catalogue, what)
            together.setdefault(columns[name], []).append(name)
        others = [name for name in names if name not in per_component]
        plans = [plan for some in (others, *together.values()) if some for plan in plans_of(some)]
        for name in names:
            if any(name in plan.inputs for plan in plans):  # memory is bound by name: one of each
                cause = f"it reads '{name}' of set '{point_set.name}' too, to give it a new value"
                remedy = f"run {maker}, then reduce the bound '{name}'"
                raise InconsistentError("quantity", f"'{maker}:{name}': {cause}", remedy)
        like = next(iter(arrays.values())).binding
        for plan in plans if like.box.points else ():
            self._impl.need_given(plan, point_set.not_bound(plan))
        for plan in plans:
            inputs |= position_bindings(plan.inputs, point_set.name, arrays, point_set.first)
        if not like.box.points:
            return Made(columns)
        label = f"reduction of {', '.join(names)} on set '{point_set.name}'"
        pieces = None if whole else self._pieces(plans, columns, per_component, like)
        if pieces is not None:
            launcher = runner_of(
                plans[0], inputs | pieces, self._impl, point_set.name, nowhere=pieces
            )
            if len(launcher.programs) == 1:
                return Made(columns, pieces, launcher=launcher, label=label)
        memory = self._room(point_set, sum(columns.values()), like, grows)
        placed = _placed(columns, memory)
        launchers = [runner_of(one, inputs | placed, self._impl, point_set.name) for one in plans]
        run = self._impl.prepared_run(launchers, " ".join(names), label, point_set.prepared)
        return Made(columns, placed, run, point_set.memory)

    def _making(
        self, point_set: PointSet, names: Sequence[str], maker: str
    ) -> tuple[dict[str, Binding], Callable[[Sequence[str]], list[Plan]]]:
        """What kernels may read, and the plans that make some of the quantities."""
        catalogue, ns = self._impl.catalogue, self._impl.ns
        constants = point_set.constants(self._impl.constants)
        if not maker:
            inputs = point_set.given(self._layout, ns) | constants
            return inputs, lambda some: self._plans.quantities(some, inputs, point_set.name)
        which = catalogue.runnable(maker)
        for name in names:
            if name not in which.outputs:
                wanted = f"what {which.name} makes: {', '.join(which.outputs)}"
                raise ArgumentError("quantity", f"'{maker}:{name}'", wanted)
        known = {*catalogue.constants, *catalogue.positions}
        inputs = point_set.matched_inputs(which, self._layout, ns, known) | constants
        given = [*inputs, *catalogue.positions]
        return inputs, lambda some: [self._plans.of(which, some, given)]

    def _pieces(
        self, plans: Sequence[Plan], columns: Mapping[str, int], per_component: Sequence[str],
        like: Binding,
    ) -> dict[str, Binding] | None:  # fmt: skip
        """How quantities lie that are made in pieces; None where points have an order, are those
        of many blocks or of components, where several plans make them, or the backend makes
        quantities whole."""
        if len(plans) > 1 or plans[0].ordered or like.blocks is not None:
            return None
        if any(columns[name] > 1 for name in per_component):
            return None
        apart = self._impl.backend.columns_apart(sum(columns.values()))
        return None if apart is None else _placed(columns, _flat(NOWHERE, like, apart, None))

    def _room(
        self, point_set: PointSet, columns: int, like: Binding, grows: Callable[[], None]
    ) -> Binding:
        """Memory of the bridge for all points of a set, side by side; its own, because threads of
        the host may each reduce a set."""
        backend, points = self._impl.backend, like.box.points
        if point_set.memory is None or point_set.memory.shape[1] < columns * points:
            grows()
            point_set.memory = None
            point_set.memory = backend.allocate(1, columns * points, "float64")
        memory = point_set.memory
        whole = _flat(backend.address(memory), like, points, memory)
        if like.blocks is None:
            return whole
        nowhere = Box((0, 1, 1), (1, 0, 0), 0)
        return replace(whole, box=nowhere).at(Blocks.flat(like.blocks.extent))


def _flat(address: int, like: Binding, apart: int, owner: Any) -> Binding:
    """Points side by side, columns so far apart: one column of them."""
    ni, nj, _ = like.box.extent
    box = Box(like.box.extent, (1, ni, ni * nj), apart)
    return Binding(address, box, 1, owner=owner, group=like.group)


def _placed(columns: Mapping[str, int], memory: Binding) -> dict[str, Binding]:
    """Quantities one behind the other, by names; columns: of each."""
    found, first = {}, 0
    for name, number in columns.items():
        found[name] = memory.columns_from(first, number)
        first += number
    return found
