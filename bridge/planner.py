"""From wanted outputs to an ordered list of kernels on slots: how a `Plan` is made.

Behind `catalogue`, before the backends. A plan reads versions: a kernel that rewrites a quantity
(prEOSCheckInput poisons T and P of fatal points, many add bits to the status word) gets a new
slot, and readers come after it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
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

#: Where the target lies in an enthalpy jump: the root of the nearer end, for all kernels; then
#: values of both ends together, which only kernels read whose results add up over the two.
NEARER, ROOT = "prEOSGapRoot", "prEOSSelectRoot"
MIXED = ("prEOSGapDensity", "prEOSGapEntropy", "prEOSGapEnthalpy")
ADDITIVE = ("prEOSInternalEnergy", "prEOSGibbs", "prEOSTotalEnthalpy")

#: What only the search makes.
SEARCHED = (
    *("iterations", "lo", "hi", "h_residual_lo", "h_residual_hi", "Z_lo", "Z_hi"),
    *("step", "stepOld", "done", "status_newton"),
)

#: What a caller gives first of all; a message names these and not what they could be made from.
POINT_INPUTS = ("T", "P", "Y", TARGET, "T0", "velocity", "Vref")


def ordinary(catalogue: Catalogue) -> list[Kernel]:
    """Kernels that a plan picks for what they make; those of the temperature search are not."""
    apart = (START, UPDATE, MERGE, NEARER, *MIXED)
    return [k for k in catalogue.kernels.values() if k.name not in apart]


def rewriters(catalogue: Catalogue, name: str, given: Iterable[str]) -> list[Kernel]:
    """Kernels that can give a quantity its new value from what is given. The input checks are
    none: what they put in the place of a fatal point is for the kernels after them."""
    kernels, given = ordinary(catalogue), frozenset(given)
    searched = {"T", *SEARCHED} if {TARGET, "T0"} <= given else set()
    reachable = _reachable(kernels, given | searched)
    found = [k for k in kernels if name in k.rewrites and STATUS not in k.makes]
    found = [k for k in found if reachable.issuperset(k.inputs)]
    parts = {part for kernel in found for part in kernel.fuses}
    return [kernel for kernel in found if kernel.name not in parts]


def plan(
    catalogue: Catalogue,
    outputs: tuple[str, ...],
    given: frozenset[str],
    ns: int,
    name: str,
    status: bool,
    rewrites: tuple[str, ...],
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
    if "T" not in given and TARGET in given and "T0" not in given:
        raise ArgumentError("inputs", ", ".join(sorted(given)), "also T0, the guess of T")
    if "T" not in given and {TARGET, "T0"} <= given and START in catalogue.kernels:
        _search(builder, outputs, status, seeds)
    else:
        for kernel in _select(catalogue, outputs, given, status, seeds):
            builder.add(kernel)
    return builder.finish(name, outputs, {STATUS, *new})


def single(catalogue: Catalogue, kernel: Kernel, ns: int) -> Plan:
    """See `Catalogue.single`."""
    builder = _Builder(catalogue, frozenset(kernel.inputs), ns)
    step = builder.add(kernel)
    outputs = dict(zip(kernel.outputs, step.slots[len(kernel.inputs) :], strict=True))
    return Plan(kernel.name, tuple(builder.slots), (step,), builder.inputs, outputs)


def _search(
    builder: _Builder, outputs: tuple[str, ...], status: bool, seeds: tuple[str, ...]
) -> None:
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
    known = builder.given | set(residual.makes)
    wanted = [name for name in (*residual.inputs, *update.inputs) if name not in known]
    # the check belongs before the loop, what it checks for inside: no kernel may do both
    apart = {k.name for k in ordinary(catalogue) if CHECK in k.fuses}
    body = _select(catalogue, wanted, builder.given, False, (CHECK,), apart)
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
    _evaluate(builder, outputs, status, caller, seeds, apart)
    if STATUS in outputs:
        builder.add(catalogue.kernels[MERGE])


def _evaluate(
    builder: _Builder,
    outputs: tuple[str, ...],
    status: bool,
    caller: frozenset[str] | set[str],
    seeds: tuple[str, ...],
    refused: Iterable[str],
) -> None:
    """Steps of the outputs at the T that was found, with those of an enthalpy jump among them.

    What the caller gives is not replaced there.
    """
    catalogue = builder.catalogue
    mixed = [catalogue.kernels[name] for name in MIXED]
    mixed = [kernel for kernel in mixed if caller.isdisjoint(kernel.rewrites)]
    # a kernel of MIXED replaces all that it rewrites, so all of it has to be there
    whole = [n for k in mixed if not set(outputs).isdisjoint(k.rewrites) for n in k.rewrites]
    chosen = _select(catalogue, (*outputs, *whole), builder.given, status, seeds, refused)
    additive: list[Kernel] = []
    summed: set[str] = set()
    for kernel in chosen:
        if kernel.name in ADDITIVE or not summed.isdisjoint(kernel.inputs):
            additive.append(kernel)
            summed.update(kernel.makes)
            continue
        builder.add(kernel)
        if kernel.name == ROOT and "Z" not in caller:
            builder.add(catalogue.kernels[NEARER])
    read = {*outputs, *(name for kernel in additive for name in kernel.inputs)}
    for kernel in mixed:
        if not read.isdisjoint(kernel.rewrites):
            builder.add(kernel)
    for kernel in additive:
        builder.add(kernel)


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


def _select(
    catalogue: Catalogue,
    wanted: Iterable[str],
    given: frozenset[str] | set[str],
    status: bool,
    seeds: tuple[str, ...] = (),
    refused: Iterable[str] = (),
) -> list[Kernel]:
    """The kernels that `wanted` needs beyond what is given, in dependency order.

    Which kernel makes a quantity follows from what is given and not from what else is wanted: so
    a result has the same bits whatever is asked for beside it. A fused kernel is taken for the
    ones it fuses; where a quantity that it does not store is wanted too, the kernel that stores
    it runs as well. seeds: kernels that run in any case; refused: kernels that do not.
    """
    kernels = ordinary(catalogue)
    reachable = _reachable(kernels, given)
    for name in wanted:
        if name not in reachable:
            _refuse(kernels, name, given, reachable)
    if status and STATUS not in given:
        seeds = (*seeds, *ALWAYS)
    starts = [k for k in kernels if k.name in seeds and reachable.issuperset(k.inputs)]
    checked = CHECK in (k.name for k in starts)
    if not checked:
        starts = [k for k in starts if k.name not in ALWAYS]
    refused = {*refused, *_unfit(kernels, given, checked)}
    allowed = [k for k in kernels if k.name not in refused]
    starts = _fused_starts(starts, allowed, reachable)
    return _ordered(_closure(wanted, starts, _makers(allowed, reachable), given), given)


def _closure(
    wanted: Iterable[str],
    starts: list[Kernel],
    makers: dict[str, Kernel],
    given: frozenset[str] | set[str],
) -> list[Kernel]:
    """`starts` and the makers of all that is wanted, and of what these read."""
    chosen = {kernel.name: kernel for kernel in starts}
    seen: set[str] = {STATUS, *given}
    open_names = [*wanted, *(name for k in starts for name in k.inputs)]
    while open_names:
        quantity = open_names.pop()
        if quantity in seen:
            continue
        seen.add(quantity)
        kernel = makers[quantity]
        if kernel.name not in chosen:
            chosen[kernel.name] = kernel
            open_names.extend(kernel.inputs)
    return list(chosen.values())


def _unfit(
    kernels: list[Kernel], given: frozenset[str] | set[str], checked: bool
) -> Iterator[str]:
    """Fused kernels that would check inputs where nobody asked for it, or pass over a quantity
    that the caller gives between the kernels it fuses."""
    for fused in kernels:
        parts = [kernel for kernel in kernels if kernel.name in fused.fuses]
        inside = {name for part in parts for name in part.outputs} - set(fused.outputs)
        if not inside.isdisjoint(given) or (CHECK in fused.fuses and not checked):
            yield fused.name


def _fused_starts(
    starts: list[Kernel], allowed: list[Kernel], reachable: set[str]
) -> list[Kernel]:
    """The kernels that run in any case, those that a fused input check stands for left out."""
    if CHECK in (k.name for k in starts):
        for fused in allowed:
            if CHECK in fused.fuses and reachable.issuperset(fused.inputs):
                return [fused, *(k for k in starts if k.name not in fused.fuses)]
    return starts


def _makers(kernels: list[Kernel], reachable: set[str]) -> dict[str, Kernel]:
    """For each quantity the kernel that makes it: a fused one before those it fuses."""
    makers: dict[str, Kernel] = {}
    for kernel in kernels:
        if reachable.issuperset(kernel.inputs):
            for name in kernel.makes:
                if name not in makers or makers[name].name in kernel.fuses:
                    makers[name] = kernel
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
    """Dependency order, else by number: the maker of a quantity before its readers, and what
    rewrites it before them too, but after those whose results it needs itself: they read the old
    value."""
    makers: dict[str, set[str]] = {kernel.name: set() for kernel in kernels}
    for kernel in kernels:
        made = set(kernel.makes) - given
        for other in kernels:
            if other is not kernel and made.intersection(other.inputs):
                makers[other.name].add(kernel.name)
    after = {name: set(before) for name, before in makers.items()}
    for kernel in kernels:
        needed = _ancestors(makers, kernel.name) if kernel.rewrites else set()
        for other in kernels:
            if not set(kernel.rewrites).isdisjoint({*other.inputs} - {*other.rewrites}):
                first, then = (other, kernel) if other.name in needed else (kernel, other)
                after[then.name].add(first.name)
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
    if len(order) < len(kernels):  # quantities need not themselves: the catalogue was checked
        stuck = ", ".join(name for name, before in after.items() if before)
        raise ArgumentError("outputs", f"{stuck}, each after another", "kernels in some order")
    return order


def _ancestors(makers: dict[str, set[str]], name: str) -> set[str]:
    """All kernels whose results a kernel needs."""
    found: set[str] = set()
    rest = set(makers[name])
    while rest:
        found |= rest
        rest = {before for kernel in rest for before in makers[kernel]} - found
    return found - {name}
