"""Which kernels make what is wanted, and in which order they run.

Between `catalogue`, which declares kernels, and `planner`, which gives them slots.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bridge.errors import ArgumentError, InconsistentError
from bridge.plan.declarations import Declarations, Kernel
from bridge.plan.inputs import POSITIONS

STATUS = "status"
CHECK = "prEOSCheckInput"
#: Kernels that every evaluation with a status word runs (docs/physics.md, section 3).
ALWAYS = (CHECK, "prEOSCleanMassFractions", "prEOSSelectRoot", "prEOSPressureDerivatives")

START, UPDATE, MERGE = "prEOSNewtonStart", "prEOSNewtonUpdate", "mergeStatus"


@dataclass(frozen=True)
class Iteration:
    """T by repeated evaluations at a given pressure (docs/physics.md, section 9): `UPDATE` closes
    in on the T at which `residual` is zero. in_jump: where the target lies in a jump, the kernels
    that mix what its two ends have."""

    target: str
    residual: str
    in_jump: tuple[str, ...]


#: By what is given with P and T0.
ITERATIONS = {
    one.target: one
    for one in (
        Iteration(
            "h_target",
            "prEOSEnthalpyResidual",
            ("prEOSGapDensity", "prEOSGapEntropy", "prEOSGapEnthalpy"),
        ),
        Iteration(
            "s_target",
            "prEOSEntropyResidual",
            ("prEOSGapDensity", "prEOSGapEntropy", "prEOSGapEnthalpyOfEntropy"),
        ),
    )
}

#: In a jump: the root of the nearer end, for all kernels; kernels whose results add up over the
#: two ends, which alone read the mixed values.
NEARER, ROOT = "prEOSGapRoot", "prEOSSelectRoot"
ADDITIVE = ("prEOSInternalEnergy", "prEOSGibbs", "prEOSTotalEnthalpy")

#: What only these searches make.
SEARCHED = (
    *("iterations", "lo", "hi", "h_residual_lo", "h_residual_hi", "Z_lo", "Z_hi"),
    *("step", "stepOld", "done", "status_newton"),
)

#: Where the density is given and T is not: the kernel that makes the state, by what is given
#: beside the density.
DENSITY = "rho_target"
AT_DENSITY = {"e_target": "prEOSTemperatureFromRhoE", "P": "prEOSTemperatureFromRhoP"}

#: What a caller gives first of all; a message names these and not what they could be made from.
POINT_INPUTS = (
    *("T", "P", "Y", "h_target", "s_target", DENSITY, "e_target", "T0", "velocity", "Vref"),
)


def ordinary(catalogue: Declarations) -> list[Kernel]:
    """Kernels that a plan picks for what they make: neither those of the temperature searches, nor
    those that are not planned, nor those of `steps` where another kernel makes the same."""
    jumps = (name for one in ITERATIONS.values() for name in one.in_jump)
    apart = {START, UPDATE, MERGE, NEARER, *jumps, *in_steps_alone(catalogue)}
    return [k for k in catalogue.kernels.values() if k.planned and k.name not in apart]


def in_steps_alone(catalogue: Declarations) -> set[str]:
    """Kernels that run in the steps of a composite, or by their own name, and are never picked:
    another kernel makes the same quantity, and neither stands for the other."""
    stepped = {name for c in catalogue.composites.values() for name in c.steps}
    kernels = catalogue.kernels
    found = set()
    for name in stepped & kernels.keys():
        for other in kernels.values():
            apart = other.name not in kernels[name].stands_for and name not in other.stands_for
            if other.name != name and apart and not {*kernels[name].makes}.isdisjoint(other.makes):
                found.add(name)
    return found


def at_density(catalogue: Declarations, given: Iterable[str]) -> Kernel | None:
    """The kernel that makes the state of a given density; None where it or T is given."""
    if DENSITY in given and "T" not in given:
        for beside, name in AT_DENSITY.items():
            if beside in given and name in catalogue.kernels:
                return catalogue.kernels[name]
    return None


def iteration(catalogue: Declarations, given: Iterable[str]) -> Iteration | None:
    """The search at a given pressure; None where T is given, or no target with its guess."""
    if "T" not in given and "T0" in given and START in catalogue.kernels:
        return next((one for target, one in ITERATIONS.items() if target in given), None)
    return None


def searched(catalogue: Declarations, given: Iterable[str]) -> set[str]:
    """What a search of the temperature makes of what is given."""
    kernel = at_density(catalogue, given)
    if kernel is not None:
        return set(kernel.makes)
    return set() if iteration(catalogue, given) is None else {"T", *SEARCHED}


def rewriters(catalogue: Declarations, name: str, given: Iterable[str]) -> list[Kernel]:
    """Kernels that can give a quantity its new value from what is given. The input checks are
    none: what they put in the place of a fatal point is for the kernels after them."""
    kernels, given = ordinary(catalogue), frozenset(given)
    reachable = _reachable(kernels, given | searched(catalogue, given))
    found = [k for k in kernels if name in k.rewrites and STATUS not in k.makes]
    found = [k for k in found if reachable.issuperset(k.inputs)]
    parts = {part for kernel in found for part in kernel.fuses}
    return [kernel for kernel in found if kernel.name not in parts]


def select(
    catalogue: Declarations,
    wanted: Iterable[str],
    given: frozenset[str] | set[str],
    status: bool,
    seeds: tuple[str, ...] = (),
    refused: Iterable[str] = (),
    beside: Iterable[str] = (),
) -> list[Kernel]:
    """The kernels that `wanted` needs beyond what is given, in dependency order.

    Which kernel makes a quantity follows from what is given and not from what else is wanted: so
    a result has the same bits whatever is asked for beside it. A fused kernel is taken for the
    ones it fuses; where a quantity that it does not store is wanted too, the kernel that stores
    it runs as well. seeds: kernels that run in any case; refused: kernels that do not; beside:
    what could be wanted too. A kernel that would then give a quantity a new value runs in any
    case: others read it.
    """
    others = {k.in_place_of: k for k in catalogue.kernels.values() if k.given in given}
    kernels = [others.get(k.name, k) for k in ordinary(catalogue)]
    reachable = _reachable(kernels, given)
    for name in wanted:
        if name not in reachable:
            _refuse_without_option(catalogue, name)
            _refuse(kernels, name, given, reachable)
    always = ALWAYS if status and STATUS not in given else ()
    starts = [k for k in kernels if k.name in (*seeds, *always) and reachable.issuperset(k.inputs)]
    checked = CHECK in (k.name for k in starts)
    if not checked:
        starts = [k for k in starts if k.name not in always]
    refused = {*refused, *_unfit(kernels, given, checked)}
    allowed = [k for k in kernels if k.name not in refused]
    starts = _fused_starts(starts, allowed, reachable)
    makers = _makers(allowed, reachable)
    candidates = _closure([*wanted, *reachable.intersection(beside)], starts, makers, given)
    starts += [k for k in candidates if k not in starts and set(k.rewrites) - {STATUS}]
    chosen = _closure(wanted, starts, makers, given)
    wide = {name for name, quantity in catalogue.quantities.items() if quantity.columns != "1"}
    return _ordered(chosen, given, wide)


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


def _refuse_without_option(catalogue: Declarations, name: str) -> None:
    """ArgumentError where kernels of options alone make a quantity."""
    kernels = [k for k in catalogue.kernels.values() if name in k.makes]
    options = sorted({"=".join(k.option) for k in kernels if k.option})
    if options and not any(kernel.planned for kernel in kernels):
        raise ArgumentError("outputs", repr(name), f"with it the option {' or '.join(options)}")


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
            missing["h_target" if quantity in SEARCHED else quantity] = None
        else:
            for part in maker.inputs:
                look(part)

    look(name)
    have = ", ".join(sorted({*given} - {*POSITIONS})) or "nothing"
    raise ArgumentError("outputs", f"{name!r} from {have}", f"also {', '.join(missing)}")


def _ordered(
    kernels: list[Kernel], given: frozenset[str] | set[str], wide: set[str]
) -> list[Kernel]:
    """Dependency order, else by number: the maker of a quantity before its readers, and what
    rewrites it before them too, but after those whose results it needs itself: they read the old
    value. What has a value per species is made just before it is read, so that few are live.
    """
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
    needs = {name: frozenset(before) for name, before in after.items()}
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
        raise InconsistentError(
            "outputs",
            f"the kernels {stuck} have no order: each needs another first",
            "run them one by one",
        )
    for kernel in reversed(order.copy()):
        if kernel.makes and wide.issuperset(kernel.outputs):
            readers = [other for other in order if kernel.name in needs[other.name]]
            if readers:
                order.remove(kernel)
                order.insert(order.index(readers[0]), kernel)
    return order


def _ancestors(makers: dict[str, set[str]], name: str) -> set[str]:
    """All kernels whose results a kernel needs."""
    found: set[str] = set()
    rest = set(makers[name])
    while rest:
        found |= rest
        rest = {before for kernel in rest for before in makers[kernel]} - found
    return found - {name}
