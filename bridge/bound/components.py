"""Components as points: a run of kernels on one-column quantities that arrays hold for several
components.

Between PointSet, which has matched the arrays, and TVImpl, which runs on them. A quantity that its
catalogue calls `per_component` has a value for each component of its array, and the run goes over
all of them. Every other input has one value for a cell, which all components get.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from bridge.backends.base import Binding
from bridge.errors import ArgumentError
from bridge.launchers import Launcher
from bridge.plan.declarations import Declarations
from bridge.plan.plan import Plan
from bridge.tvimpl import TVImpl

Bindings = dict[str, Binding]


@dataclass(frozen=True)
class Components:
    """How a plan runs on all components of its arrays.

    number: of components; each: memory of the runs, which may be fewer than components: where
    these are neighbours in all arrays they are points of longer rows, unless kernels read the
    neighbours of a point or have an order; shared: inputs that are the
    same for all components.
    """

    number: int
    each: tuple[Bindings, ...]
    shared: frozenset[str] = frozenset()

    def moved(self, plan: Plan, beside: Container[str]) -> int:
        """Bytes between the caller's arrays and the kernels for a cell; beside: inputs and
        outputs that are no arrays."""
        sizes = {name: b.itemsize for name, b in self.each[0].items() if name not in beside}
        own = {name: size for name, size in sizes.items() if name not in self.shared}
        return plan.traffic(sizes).moved + (self.number - 1) * plan.traffic(own).moved


def runner_of(
    plan: Plan, bindings: Mapping[str, Binding], impl: TVImpl, set: str, what: str = "run",
    nowhere: Iterable[str] = (),
) -> Launcher:  # fmt: skip
    """What runs a plan on all components of these arrays of a set; what: for its timer; nowhere:
    outputs that reach no memory, which its timer does not count."""
    catalogue = impl.catalogue
    located = impl.residency.all_located(bindings)
    runs = spread(plan, located, catalogue, f"{plan.name} on set '{set}'")
    cells = min((binding.box.points for binding in bindings.values()), default=0)
    moved = runs.moved(plan, (*catalogue.constants, *catalogue.positions, *nowhere))
    touched = impl.residency.touched(plan, bindings)
    return impl.make_runner(plan, runs.each, cells * moved, touched, what)


def count(bindings: Mapping[str, Binding], catalogue: Declarations, what: str) -> int:
    """How many components the arrays have whose components are points: all as many, else
    ArgumentError. 1 where there are none."""
    columns = {
        name: binding.columns
        for name, binding in bindings.items()
        if catalogue.quantity(name).per_component
    }
    first = next(iter(columns), "")
    for name, number in columns.items():
        if number != columns[first]:
            raise ArgumentError(
                name,
                f"{number} components in {what}",
                f"{columns[first]}, as '{first}' has: each is a point of the run",
            )
    return columns[first] if columns else 1


def spread(
    plan: Plan, bindings: Mapping[str, Binding], catalogue: Declarations, what: str
) -> Components:
    """The runs of a plan on these arrays; ArgumentError where their components differ or a
    quantity of the run cannot be one for each; what: the run, for messages."""
    used = {name: bindings[name] for name in dict.fromkeys((*plan.inputs, *plan.outputs))}
    number = count(used, catalogue, what)
    if number == 1:
        return Components(1, (used,))
    shared = {name for name in used if not catalogue.quantity(name).per_component}
    many = next(name for name in used if name not in shared)
    reason = f"a run over the {number} components of '{many}'"
    for name in used:
        if name not in shared:
            continue
        if plan.outputs.get(name, plan.inputs.get(name)) != plan.inputs.get(name):
            wanted = f"outputs of {reason} are per_component in their catalogue"
            raise ArgumentError(name, f"one value for each cell as an output of {what}", wanted)
        if used[name].columns > 1 and name not in catalogue.constants:
            wanted = f"one value for each cell or for each component in {reason}"
            raise ArgumentError(name, f"{used[name].columns} columns in {what}", wanted)
    apart = plan.around or plan.ordered or used[many].blocks is not None
    joined = None if apart else _joined(used, shared, number)
    if joined is not None:
        return Components(number, (joined,), frozenset(shared))
    each = (
        {name: b if name in shared else _component(b, c) for name, b in used.items()}
        for c in range(number)
    )
    return Components(number, tuple(each), frozenset(shared))


def _component(binding: Binding, number: int) -> Binding:
    """One component of an array, counted from 0."""
    return binding.columns_from(number, 1)


def _joined(used: Bindings, shared: set[str], number: int) -> Bindings | None:
    """All components as points of one box, where they follow each other along x or after z in all
    arrays (those of constants have strides of 0); None where they do not."""
    steps = {name: 0 if name in shared else b.box.data_stride for name, b in used.items()}
    boxes = {name: binding.box for name, binding in used.items()}
    ni, nj, nk = next(iter(boxes.values())).extent
    if all(box.stride[0] == number * steps[name] for name, box in boxes.items()):
        extent = (number * ni, nj, nk)
        boxes = {
            name: replace(box, stride=(steps[name], *box.stride[1:]))
            for name, box in boxes.items()
        }
    elif all(box.stride[2] * nk == steps[name] for name, box in boxes.items()):
        extent = (ni, nj, number * nk)
    else:
        return None
    return {
        name: replace(
            binding,
            box=replace(boxes[name], extent=extent),
            columns=binding.columns if name in shared else 1,
        )
        for name, binding in used.items()
    }
