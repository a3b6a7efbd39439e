"""From wanted outputs to an ordered list of kernels on slots: how a `Plan` is made.

Behind `catalogue`, before the backends. A plan reads versions: a kernel that rewrites a quantity
(prEOSCheckInput poisons T and P of fatal points, many add bits to the status word) gets a new
slot, and readers come after it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bridge.errors import ArgumentError
from bridge.plan import Loop, Plan, Slot, Step

if TYPE_CHECKING:
    from bridge.catalogue import Catalogue, Kernel

STATUS = "status"
CHECK = "prEOSCheckInput"
#: Kernels that every evaluation with a status word runs (docs/physics.md, section 3).
ALWAYS = (CHECK, "prEOSCleanMassFractions", "prEOSSelectRoot", "prEOSPressureDerivatives")

# Temperature from enthalpy (docs/physics.md, section 9): T is found by repeating `UPDATE`.
TARGET, START, UPDATE, MERGE = "h_target", "prEOSNewtonStart", "prEOSNewtonUpdate", "mergeStatus"
RESIDUAL = "prEOSEnthalpyResidual"
LIMIT = 80

#: What only the search makes.
SEARCHED = ("iterations", "lo", "hi", "step", "stepOld", "done", "status_newton")

#: What a caller gives first of all; a message names these and not what they could be made from.
POINT_INPUTS = ("T", "P", "Y", TARGET, "T0", "velocity", "Vref")


def ordinary(catalogue: Catalogue) -> list[Kernel]:
    """Kernels that a plan picks for what they make; those of the temperature search are not."""
    return [k for k in catalogue.kernels.values() if k.name not in (START, UPDATE, MERGE)]


def plan(
    catalogue: Catalogue,
    outputs: tuple[str, ...],
    given: frozenset[str],
    ns: int,
    name: str,
    status: bool,
) -> Plan:
    """See `Catalogue.plan`."""
    for quantity in (*outputs, *sorted(given)):
        if quantity not in catalogue.quantities:
            which = "outputs" if quantity in outputs else "inputs"
            raise ArgumentError(which, repr(quantity), catalogue.suggest(quantity))
    builder = _Builder(catalogue, given, ns)
    status = status or STATUS in outputs
    if "T" not in given and TARGET in given and "T0" not in given:
        raise ArgumentError("inputs", ", ".join(sorted(given)), "also T0, the guess of T")
    if "T" not in given and {TARGET, "T0"} <= given and START in catalogue.kernels:
        _search(builder, outputs, status)
    else:
        for kernel in _select(catalogue, outputs, given, status):
            builder.add(kernel)
    return builder.finish(name, outputs)


def single(catalogue: Catalogue, kernel: Kernel, ns: int) -> Plan:
    """See `Catalogue.single`."""
    builder = _Builder(catalogue, frozenset(kernel.inputs), ns)
    step = builder.add(kernel)
    outputs = dict(zip(kernel.outputs, step.slots[len(kernel.inputs) :], strict=True))
    return Plan(kernel.name, tuple(builder.slots), (step,), builder.inputs, outputs)


def _search(builder: _Builder, outputs: tuple[str, ...], status: bool) -> None:
    """Steps that find T from h_target, then those of the outputs at that T.

    What does not depend on T is computed once, before the loop. The input check there only
    poisons P; the loop keeps the T of the search, so that the check at the final T, which gives
    the status word, sees the caller's P and a T that is finite wherever the caller's inputs are.
    """
    catalogue, caller = builder.catalogue, builder.given
    start, update = catalogue.kernels[START], catalogue.kernels[UPDATE]
    residual = catalogue.kernels[RESIDUAL]
    builder.add(start)
    state = {name: builder.current[name] for name in start.outputs}

    builder.given = caller | set(start.outputs)
    wanted = [name for name in residual.inputs if name not in builder.given]
    # the check belongs before the loop, what it checks for inside: no kernel may do both
    apart = {k.name for k in ordinary(catalogue) if catalogue.kernels[CHECK].number in k.fuses}
    body = _select(catalogue, wanted, builder.given, False, seeds=(CHECK,), refused=apart)
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
    builder.steps.append(Step(UPDATE, tuple(slots)))
    body_steps = tuple(s for s in builder.steps if isinstance(s, Step))
    builder.steps = [*outer, Loop(body_steps, state["done"], LIMIT)]

    builder.given = caller | set(state) | steady | set(residual.makes)
    builder.forget((STATUS, *moving, "P"))
    builder.current |= state
    for kernel in _select(catalogue, outputs, builder.given, status, refused=apart):
        builder.add(kernel)
    if STATUS in outputs:
        builder.add(catalogue.kernels[MERGE])


class _Builder:
    """Slots and steps of a plan in the making; current: quantity -> slot of its latest version."""

    def __init__(self, catalogue: Catalogue, given: frozenset[str], ns: int) -> None:
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

    def add(self, kernel: Kernel) -> Step:
        """Run a kernel on the current versions; what is given stays as given."""
        slots = [self.read(name) for name in kernel.inputs]
        for name in kernel.outputs:
            slot = self.new(name)
            slots.append(slot)
            if name in kernel.inputs or name not in self.given:
                self.current[name] = slot
        step = Step(kernel.name, tuple(slots))
        self.steps.append(step)
        return step

    def forget(self, names: Iterable[str]) -> None:
        for name in names:
            self.current.pop(name, None)

    def finish(self, name: str, outputs: tuple[str, ...]) -> Plan:
        results = {}
        for output in outputs:
            rewritten = output in self._caller and output != STATUS
            results[output] = self._as_given(output) if rewritten else self.read(output)
        return Plan(name, tuple(self.slots), tuple(self.steps), self.inputs, results)

    def _as_given(self, name: str) -> int:
        self.forget((name,))
        return self.read(name)


def _select(
    catalogue: Catalogue,
    wanted: Iterable[str],
    given: frozenset[str] | set[str],
    status: bool,
    seeds: tuple[str, ...] = (),
    refused: Iterable[str] = (),
) -> list[Kernel]:
    """The kernels that `wanted` needs beyond what is given, in dependency order.

    A fused kernel is taken for the ones it fuses unless what it does not store is needed.
    seeds: kernels that run in any case; refused: kernels that do not.
    """
    kernels = ordinary(catalogue)
    reachable = _reachable(kernels, given)
    missing = [name for name in wanted if name not in reachable]
    if missing:
        _refuse(kernels, missing[0], given, reachable)
    if status and STATUS not in given:
        seeds = (*seeds, *ALWAYS)
    always = [k for k in kernels if k.name in seeds and reachable.issuperset(k.inputs)]
    if CHECK not in (k.name for k in always):
        always = []

    plain = [k for k in kernels if not k.fuses]
    touched = _closure(wanted, always, _makers(plain, reachable), given)[1]
    # no kernel is worth an input that its parts would not have needed here
    strange = (k.name for k in kernels if k.fuses and not touched.issuperset(k.inputs))
    refused = {*refused, *strange}
    while True:
        allowed = [k for k in kernels if k.name not in refused]
        starts = _fused_starts(always, allowed, reachable)
        chosen, touched = _closure(wanted, starts, _makers(allowed, reachable), given)
        bad = {
            k.name
            for k in chosen
            if k.fuses and not _bypassed(kernels, k).isdisjoint(touched | set(given) | set(wanted))
        }
        if not bad:
            return _ordered(chosen, given)
        refused |= bad


def _closure(
    wanted: Iterable[str],
    starts: list[Kernel],
    makers: dict[str, Kernel],
    given: frozenset[str] | set[str],
) -> tuple[list[Kernel], set[str]]:
    """`starts` and the makers of all that is wanted, and of what these read; with it, everything
    that is read or wanted."""
    chosen = {kernel.name: kernel for kernel in starts}
    touched: set[str] = {STATUS}
    open_names = [*wanted, *(name for k in starts for name in k.inputs)]
    while open_names:
        quantity = open_names.pop()
        if quantity in touched:
            continue
        touched.add(quantity)
        if quantity in given:
            continue
        kernel = makers[quantity]
        if kernel.name not in chosen:
            chosen[kernel.name] = kernel
            open_names.extend(kernel.inputs)
    return list(chosen.values()), touched


def _fused_starts(
    always: list[Kernel], allowed: list[Kernel], reachable: set[str]
) -> list[Kernel]:
    """The kernels that run in any case, those that a fused input check stands for left out."""
    check = next((k.number for k in always if k.name == CHECK), None)
    for fused in allowed:
        if check in fused.fuses and reachable.issuperset(fused.inputs):
            return [fused, *(k for k in always if k.number not in fused.fuses)]
    return always


def _bypassed(kernels: list[Kernel], fused: Kernel) -> set[str]:
    """What the kernels it fuses would have stored and it does not."""
    parts = [kernel for kernel in kernels if kernel.number in fused.fuses]
    return {name for part in parts for name in part.outputs} - set(fused.outputs)


def _makers(kernels: list[Kernel], reachable: set[str]) -> dict[str, Kernel]:
    """For each quantity the kernel that makes it: a fused one first, else the first declared."""
    makers: dict[str, Kernel] = {}
    for kernel in sorted(kernels, key=lambda k: not k.fuses):
        if reachable.issuperset(kernel.inputs):
            for name in kernel.makes:
                makers.setdefault(name, kernel)
    return makers


def _reachable(kernels: list[Kernel], given: frozenset[str] | set[str]) -> set[str]:
    """Everything that can be made; the status word always can, it starts at zero."""
    reachable = {*given, STATUS}
    rest = kernels
    while True:
        now = [kernel for kernel in rest if reachable.issuperset(kernel.inputs)]
        if not now:
            return reachable
        rest = [kernel for kernel in rest if kernel not in now]
        reachable.update(name for kernel in now for name in kernel.outputs)


def _refuse(
    kernels: list[Kernel], name: str, given: frozenset[str] | set[str], reachable: set[str]
) -> None:
    missing: dict[str, None] = {}
    seen: set[str] = set()

    def look(quantity: str) -> None:
        if quantity in reachable or quantity in seen:
            return
        seen.add(quantity)
        maker = next((k for k in kernels if quantity in k.makes), None)
        if maker is None or quantity in POINT_INPUTS:
            missing[TARGET if quantity in SEARCHED else quantity] = None
        else:
            for part in maker.inputs:
                look(part)

    look(name)
    have = ", ".join(sorted(given)) or "nothing"
    raise ArgumentError("outputs", f"{name!r} from {have}", f"also {', '.join(missing)}")


def _ordered(kernels: list[Kernel], given: frozenset[str] | set[str]) -> list[Kernel]:
    """Dependency order: maker, then rewriters, then readers of each quantity; else by number."""
    after: dict[str, set[str]] = {kernel.name: set() for kernel in kernels}
    for kernel in kernels:
        for other in kernels:
            if other is kernel:
                continue
            reads, rewrites = set(other.inputs), set(other.rewrites)
            made = set(kernel.makes) - given
            if reads & made or (reads - rewrites) & set(kernel.rewrites):
                after[other.name].add(kernel.name)
    by_name = {kernel.name: kernel for kernel in kernels}
    ready = [(by_name[name].number, name) for name, before in after.items() if not before]
    heapq.heapify(ready)
    order: list[Kernel] = []
    while ready:
        _, name = heapq.heappop(ready)
        order.append(by_name[name])
        for waiting, before in after.items():
            if name in before:
                before.remove(name)
                if not before:
                    heapq.heappush(ready, (by_name[waiting].number, waiting))
    assert len(order) == len(kernels), "the catalogue was checked for cycles"
    return order
