"""From wanted outputs to an ordered list of kernels on slots: how a `Plan` is made.

Behind `catalogue` and `selection`, before the backends. A plan reads versions: a kernel that
rewrites a quantity (prEOSCheckInput poisons T and P of fatal points, many add bits to the status
word) gets a new slot, and readers come after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from bridge.errors import ArgumentError, InconsistentError
from bridge.plan.declarations import Composite, Declarations, Kernel
from bridge.plan.inputs import POSITIONS
from bridge.plan.order import COLOURS, Order
from bridge.plan.plan import Loop, Plan, Slot, Step
from bridge.plan.selection import (
    ADDITIVE,
    CHECK,
    DENSITY,
    ITERATIONS,
    MERGE,
    NEARER,
    ROOT,
    START,
    STATUS,
    UPDATE,
    Iteration,
    at_density,
    iteration,
    ordinary,
    rewriters,
    select,
)

#: Most turns of the temperature search.
LIMIT = 80


def plan(
    catalogue: Declarations,
    outputs: tuple[str, ...],
    given: frozenset[str],
    ns: int,
    name: str,
    status: bool,
    rewrites: tuple[str, ...],
    beside: tuple[str, ...],
) -> Plan:
    """See `Catalogue.plan`."""
    for quantity in (*outputs, *sorted(given)):
        if quantity not in catalogue.quantities:
            which = "outputs" if quantity in outputs else "inputs"
            raise ArgumentError(which, repr(quantity), catalogue.suggest(quantity))
    builder = _Builder(catalogue, given, ns)
    status = status or STATUS in outputs
    new = [q for q in rewrites if q != STATUS]
    seeds = tuple(kernel.name for q in new for kernel in rewriters(catalogue, q, given))
    _refuse_half_a_state(given)
    state, search = at_density(catalogue, given), iteration(catalogue, given)
    if state is not None:
        _at_density(builder, state, outputs, seeds, beside)
    elif search is not None:
        _search(builder, search, outputs, status, seeds, beside)
    else:
        chosen = select(catalogue, outputs, given, status, seeds, beside=beside)
        if STATUS not in outputs and any(kernel.singles for kernel in chosen):
            # the check of T, P and Y computes in double, and these kernels do not read it
            chosen = select(catalogue, outputs, given, False, seeds, beside=beside)
        for kernel in chosen:
            builder.add(kernel)
    return builder.finish(name, outputs, {STATUS, *new})


def single(
    catalogue: Declarations,
    kernel: Kernel,
    ns: int,
    wanted: frozenset[str],
    given: frozenset[str],
    colour: int | None,
) -> Plan:
    """See `Catalogue.single`."""
    builder = _Builder(catalogue, given, ns)
    step = builder.add(kernel, COLOURS if colour is None else (colour,))
    made = zip(kernel.outputs, step.slots[len(kernel.inputs) :], strict=True)
    outputs = {name: slot for name, slot in made if name in wanted}
    return Plan(kernel.name, tuple(builder.slots), tuple(builder.steps), builder.inputs, outputs)


def in_order(
    catalogue: Declarations, composite: Composite, outputs: Collection[str], ns: int
) -> Plan:
    """Kernels in the order that a composite gives, as far as these outputs need them. Each reads
    what the ones before it made last."""
    given = frozenset((*composite.inputs, *catalogue.constants, *catalogue.positions))
    builder = _Builder(catalogue, given, ns)
    for name in composite.steps:
        kernel = catalogue.kernel(name)
        step = builder.add(kernel)
        builder.current |= zip(kernel.outputs, step.slots[step.inputs :], strict=True)
    results = {name: builder.current[name] for name in composite.outputs if name in outputs}
    needed = set(results.values())
    kept: list[Step] = []
    for step in reversed([step for step in builder.steps if isinstance(step, Step)]):
        if not needed.isdisjoint(step.slots[step.inputs :]):
            needed.update((*step.slots, *step.positions, *step.continues.values()))
            kept.append(step)
    inputs = {name: slot for name, slot in builder.inputs.items() if slot in needed}
    return Plan(composite.name, tuple(builder.slots), tuple(reversed(kept)), inputs, results)


def _refuse_half_a_state(given: frozenset[str]) -> None:
    """Of what T is to be found from."""
    targets = [name for name in (*ITERATIONS, DENSITY) if name in given]
    if "T" in given or not targets:
        return
    if len(targets) > 1:
        cause = f"{' and '.join(targets)} are given, and each decides the temperature"
        raise InconsistentError("inputs", cause, "give one of them")
    if "T0" not in given and not (DENSITY in given and "P" in given):
        raise ArgumentError("inputs", ", ".join(sorted(given)), "also T0, the guess of T")
    if DENSITY in given and not {"e_target", "P"} & given:
        wanted = "also e_target with T0, or P"
        raise ArgumentError("inputs", ", ".join(sorted(given)), wanted)
    if {DENSITY, "e_target", "P"} <= given:
        cause = "rho_target, e_target and P are given, and two of them decide the state"
        raise InconsistentError("inputs", cause, "leave out e_target or P")


def _at_density(
    builder: _Builder,
    state: Kernel,
    outputs: tuple[str, ...],
    seeds: tuple[str, ...],
    beside: tuple[str, ...],
) -> None:
    """Steps of the outputs at a density: the state, then what it decides. The cubic is not solved,
    and P stays as the state has it, whatever its sign."""
    catalogue, caller = builder.catalogue, builder.given
    missing = [name for name in state.inputs if name not in caller]
    for kernel in select(catalogue, missing, caller, False):
        builder.add(kernel)
    builder.add(state)
    builder.given = caller | set(state.outputs)
    seeds = (*seeds, "prEOSPressureDerivatives")  # NEAR_CRITICAL, whatever is asked for
    for kernel in select(catalogue, outputs, builder.given, False, seeds, beside=beside):
        builder.add(kernel)


def _search(
    builder: _Builder,
    search: Iteration,
    outputs: tuple[str, ...],
    status: bool,
    seeds: tuple[str, ...],
    beside: tuple[str, ...],
) -> None:
    """Steps that find T from the target, then those of the outputs at that T.

    What does not depend on T is computed once, before the loop. The input check there only
    poisons P; the loop keeps the T of the search, so that the check at the final T, which gives
    the status word, sees the caller's P and a T that is finite wherever the caller's inputs are.
    """
    catalogue, caller = builder.catalogue, builder.given
    start, update = catalogue.kernels[START], catalogue.kernels[UPDATE]
    residual = catalogue.kernels[search.residual]
    # the start looks whether the target is finite, whichever it is
    builder.current["h_target"] = builder.read(search.target)
    builder.add(start)
    state = {name: builder.current[name] for name in start.outputs}

    builder.given = caller | set(start.outputs)
    known = builder.given | set(residual.makes)
    wanted = [name for name in (*residual.inputs, *update.inputs) if name not in known]
    # the check belongs before the loop, what it checks for inside: no kernel may do both
    apart = {k.name for k in ordinary(catalogue) if CHECK in k.fuses}
    body = select(catalogue, wanted, builder.given, False, (CHECK,), apart)
    moving = {"T"}
    early: list[Kernel] = []
    late: list[Kernel] = []
    for kernel in body:
        depends = kernel.name != CHECK and not moving.isdisjoint(kernel.inputs)
        (late if depends else early).append(kernel)
        if depends:
            moving.update(kernel.makes)
    for kernel in early:
        builder.add(kernel)
        builder.current["T"] = state["T"]
    steady = {name for kernel in early for name in kernel.makes} - {STATUS}

    outer, builder.steps = builder.steps, []
    for kernel in (*late, residual):
        builder.add(kernel)
    slots = [builder.read(name) for name in update.inputs]
    slots += [state[name] for name in update.outputs]
    builder.steps.append(Step(UPDATE, tuple(slots), inputs=len(update.inputs)))
    body_steps = tuple(s for s in builder.steps if isinstance(s, Step))
    builder.steps = [*outer, Loop(body_steps, state["done"], LIMIT)]

    builder.given = caller | set(state) | steady | set(residual.makes)
    builder.forget((STATUS, *moving, "P"))
    builder.current |= state
    _evaluate(builder, search, outputs, status, caller, seeds, apart, beside)
    if STATUS in outputs:
        builder.add(catalogue.kernels[MERGE])


def _evaluate(
    builder: _Builder,
    search: Iteration,
    outputs: tuple[str, ...],
    status: bool,
    caller: frozenset[str] | set[str],
    seeds: tuple[str, ...],
    refused: Iterable[str],
    beside: tuple[str, ...],
) -> None:
    """Steps of the outputs at the T that was found, with those of a jump among them.

    What the caller gives is not replaced there.
    """
    catalogue = builder.catalogue
    mixed = [catalogue.kernels[name] for name in search.in_jump]
    mixed = [kernel for kernel in mixed if caller.isdisjoint(kernel.rewrites)]
    # a kernel of a jump replaces all that it rewrites, so all of it has to be there
    rewritten = [n for k in mixed if not set(outputs).isdisjoint(k.rewrites) for n in k.rewrites]
    chosen = select(
        catalogue, (*outputs, *rewritten), builder.given, status, seeds, refused, beside
    )
    additive: list[Kernel] = []
    summed: set[str] = set()
    for kernel in chosen:
        if kernel.name in ADDITIVE or not summed.isdisjoint(kernel.inputs):
            additive.append(kernel)
            summed.update(kernel.makes)
            continue
        builder.add(kernel)
        if kernel.name == ROOT and "Z_pr" not in caller:
            builder.add(catalogue.kernels[NEARER])
    read = {*outputs, *(name for kernel in additive for name in kernel.inputs)}
    for kernel in mixed:
        if not read.isdisjoint(kernel.rewrites):
            builder.add(kernel)
    for kernel in additive:
        builder.add(kernel)


class _Builder:
    """Slots and steps of a plan in the making; current: quantity -> slot of its latest version."""

    def __init__(self, catalogue: Declarations, given: frozenset[str], ns: int) -> None:
        self.catalogue = catalogue
        self.given: frozenset[str] | set[str] = given
        self.ns = ns
        self.slots: list[Slot] = []
        self.steps: list[Step | Loop] = []
        self.inputs: dict[str, int] = {}
        self.current: dict[str, int] = {}
        self._caller = given

    def new(self, name: str, zero: bool = False) -> int:
        columns = self.catalogue.columns(name, self.ns)
        self.slots.append(Slot(name, columns, self.catalogue.quantities[name].dtype, zero))
        return len(self.slots) - 1

    def read(self, name: str) -> int:
        """Slot of a quantity now; a status word that nothing starts begins at zero."""
        if name not in self.current:
            if name not in self._caller:
                self.current[name] = self.new(name, zero=True)
            elif name not in self.inputs:
                self.inputs[name] = self.new(name)
        return self.current.setdefault(name, self.inputs.get(name, -1))

    def add(self, kernel: Kernel, colours: Collection[int] = COLOURS) -> Step:
        """Run a kernel on the current versions; what is given stays as given. One with colours is
        a step for each: the second one goes on in what the first one wrote."""
        if kernel.order is None or kernel.order.sweep:
            return self._add(kernel, kernel.order)
        step = None
        for colour in colours:
            step = self._add(kernel, replace(kernel.order, colour=colour), step)
        assert step is not None
        return step

    def _add(self, kernel: Kernel, order: Order | None, before: Step | None = None) -> Step:
        """before: the step of the colour before this one."""
        slots = [self.read(name) for name in kernel.inputs]
        for name in kernel.outputs:
            slot = self.new(name)
            slots.append(slot)
            if name in kernel.inputs or name not in self.given:
                self.current[name] = slot
        reads = {slots[kernel.inputs.index(name)]: far for name, far in kernel.reads.items()}
        step = Step(
            kernel.name, tuple(slots), kernel.tables, len(kernel.inputs), reads,
            singles=kernel.singles,
        )  # fmt: skip
        cells = [slot for slot, far in reads.items() if far.cells]
        for slot in cells:
            name = self.slots[slot].name
            if self.inputs.get(name) != slot:
                cause = f"{kernel.name} reads '{name}' at any cell, and another kernel makes it"
                raise InconsistentError("reads", cause, "use two runs")
            for step in (one for one in self.steps if isinstance(one, Step)):
                if step.reads.get(slot, reads[slot]) != reads[slot]:
                    cause = f"{kernel.name} and {step.kernel} read '{name}' in different ways"
                    raise InconsistentError(
                        "reads", cause, f"use {reads[slot]} in both, or two runs"
                    )
        if cells:
            step = replace(step, positions=tuple(map(self._position, POSITIONS)))
        if order is not None:
            old = dict(zip(kernel.inputs, slots, strict=False))
            if before is not None:
                old |= zip(kernel.outputs, before.slots[before.inputs :], strict=True)
            made = zip(kernel.outputs, slots[step.inputs :], strict=True)
            continues = {slot: old[name] for name, slot in made if name in old}
            positions = () if order.sweep else tuple(map(self._position, POSITIONS))
            step = replace(step, order=order, continues=continues, positions=positions)
        self.steps.append(step)
        return step

    def _position(self, name: str) -> int:
        """Slot of a position, which is an input whether kernels read it or not."""
        if name not in self.inputs:
            self.slots.append(Slot(name, 1, "int32"))
            self.inputs[name] = len(self.slots) - 1
        return self.inputs[name]

    def forget(self, names: Iterable[str]) -> None:
        for name in names:
            self.current.pop(name, None)

    def finish(self, name: str, outputs: tuple[str, ...], rewritten: set[str]) -> Plan:
        """rewritten: what comes back with its new value though the caller gave it."""
        results = {}
        for output in outputs:
            given = output in self._caller and output not in rewritten
            results[output] = self._as_given(output) if given else self.read(output)
        return Plan(name, tuple(self.slots), tuple(self.steps), self.inputs, results)

    def _as_given(self, name: str) -> int:
        self.forget((name,))
        return self.read(name)
