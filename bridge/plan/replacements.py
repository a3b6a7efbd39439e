"""Composites that run what a pack has in their place: `[replace]` of its catalogue.

    [replace]
    eosThermalProperties = "legacyThermal"   # a kernel of the pack, or a composite with steps

    [replace.names]                          # its quantities that stand for those of another name
    legacy_T = "T"

    [replace.without]                        # outputs that it does not give, and no host may bind
    eosThermalProperties = ["W", "Z"]

Between the files, which have been read and checked, and `catalogue`, whose composites these are
from then on: every run and launch of eosThermalProperties is of legacyThermal, on what the host
calls T.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bridge.errors import ArgumentError, InconsistentError
from bridge.plan import planner
from bridge.plan.declarations import Composite, Declarations, Quantity, Replace, close_names
from bridge.plan.inputs import STAND_INS, begins_at_zero
from bridge.plan.plan import Plan, Slot, Step


def apply(declared: Declarations) -> None:
    """Put the replacements of all files in place; ArgumentError, with names and files, where one
    cannot be."""
    for one in declared.replacements:
        declared.replace(_replacing(declared, one))


def _replacing(declared: Declarations, one: Replace) -> Composite:
    where = f"[replace] of {one.file}"
    known = {c.name: c for c in declared.composites.values() if c.file != one.file}
    if one.composite not in known:
        wanted = close_names("a composite of another file", one.composite, known)
        raise ArgumentError("replace", f"{one.composite!r} in {where}", wanted)
    old = known[one.composite]
    if old.replaced is not None:
        cause = f"{old.replaced.file} and {one.file} both replace {old.name}"
        raise InconsistentError("replace", cause, "take one of them out")
    own = _own(declared, one)
    names = _checked_names(declared, one)
    inputs, outputs = (
        _renamed(some, names, f"{kind} of {one.by} in {where}")
        for kind, some in (("inputs", own.inputs), ("outputs", own.outputs))
    )
    unknown = [name for name in one.without if name not in old.outputs]
    if unknown:
        got = f"{', '.join(unknown)} in [replace.without] of {one.file}"
        raise ArgumentError("replace", got, f"outputs of {old.name}")
    missing = [name for name in old.outputs if name not in (*outputs, *one.without)]
    if missing:
        raise InconsistentError(
            "replace",
            f"{where}: {one.by} does not give {', '.join(missing)}, outputs of {old.name}",
            "[replace.names] says which of its own stand for them, [replace.without] that the "
            "host needs none of them",
        )
    kept = tuple(name for name in outputs if name in old.outputs)
    return Composite(old.name, inputs, kept, one.file, replaced=one)


def shown(declared: Declarations) -> str:
    """What runs in whose place, "" for nothing."""
    found = [c.replaced for c in declared.composites.values() if c.replaced is not None]
    return ", ".join(f"{one.composite} by {one.by} of {one.file.parent.name}" for one in found)


def _own(declared: Declarations, one: Replace) -> Composite:
    """What runs in its place, in its own names; constants and positions are no inputs."""
    where = f"{one.by!r} in [replace] of {one.file}"
    beside = {*declared.constants, *declared.positions}
    kernel, composite = declared.kernels.get(one.by), declared.composites.get(one.by)
    if kernel is not None and kernel.file == one.file:
        inputs = tuple(
            name
            for name in kernel.inputs
            if name not in beside and not (begins_at_zero(name) and name in kernel.outputs)
        )
        return Composite(one.by, inputs, kernel.outputs, one.file, (one.by,))
    if composite is None or composite.file != one.file:
        own = [k.name for k in declared.kernels.values() if k.file == one.file]
        wanted = f"a kernel or a composite of the same file ({', '.join(own) or 'none'})"
        raise ArgumentError("replace", where, wanted)
    if not composite.steps:
        cause = f"{where}: the composite {composite.name} has no steps"
        raise InconsistentError(
            "replace", cause, "give them: else shipped kernels might make its outputs"
        )
    return composite


def _checked_names(declared: Declarations, one: Replace) -> dict[str, str]:
    """[replace.names]; ArgumentError where quantities differ."""
    for name, other in one.names:
        where = f"{name} = {other!r} in [replace.names] of {one.file}"
        for quantity in (name, other):
            if quantity not in declared.quantities:
                raise ArgumentError("replace", where, declared.suggest(quantity))
        mine, theirs = declared.quantities[name], declared.quantities[other]
        for key in ("unit", "dtype", "per_component"):
            if getattr(mine, key) != getattr(theirs, key):
                raise _differs(where, mine, theirs, key)
        if mine.columns != theirs.columns and mine.columns.isdigit() == theirs.columns.isdigit():
            raise _differs(where, mine, theirs, "columns")
    return dict(one.names)


def _differs(where: str, mine: Quantity, theirs: Quantity, key: str) -> InconsistentError:
    own, other = getattr(mine, key), getattr(theirs, key)
    cause = f"{where}: {key} {own!r} of {mine.name} and {other!r} of {theirs.name}"
    return InconsistentError("replace", cause, "both have to be the same")


def _renamed(quantities: Iterable[str], names: dict[str, str], what: str) -> tuple[str, ...]:
    found = [names.get(name, name) for name in quantities]
    twice = {name for name in found if found.count(name) > 1}
    if twice:
        cause = f"{', '.join(sorted(twice))} twice among {what}"
        raise InconsistentError("replace", cause, "name one quantity for each")
    return tuple(found)


def plan(
    declared: Declarations, composite: Composite, outputs: frozenset[str],
    given: frozenset[str], ns: int,
) -> Plan:  # fmt: skip
    """The plan of what runs in a composite's place, in the names that the host knows."""
    one = composite.replaced
    assert one is not None
    own, names = _own(declared, one), dict(one.names)
    for name, other in one.names:
        if {name, other} & {*own.inputs, *own.outputs}:
            mine, theirs = declared.columns(name, ns), declared.columns(other, ns)
            if mine != theirs:
                cause = (
                    f"{mine} columns of {name} in place of {theirs} of {other} for {ns} species "
                    f"({one.by} of {one.file})"
                )
                raise InconsistentError("replace", cause, "both have to be the same")
    wanted = [name for name in own.outputs if names.get(name, name) in outputs]
    made = planner.in_order(declared, own, wanted, ns)
    slots = tuple(replace(slot, name=names.get(slot.name, slot.name)) for slot in made.slots)
    inputs, results = (
        {names.get(name, name): slot for name, slot in some.items()}
        for some in (made.inputs, made.outputs)
    )
    renamed = Plan(composite.name, slots, made.steps, inputs, results)
    for name, other in STAND_INS.items():
        if name in inputs and name not in given and other in given:
            renamed = _from_stand_in(declared, renamed, name, other, ns)
    return renamed


def _from_stand_in(declared: Declarations, plan: Plan, name: str, other: str, ns: int) -> Plan:
    """The same with a kernel before it that makes an input of what stands in for it."""
    [maker] = [k for k in declared.kernels.values() if k.inputs == (other,) and k.makes == (name,)]
    slots = (*plan.slots, Slot(other, declared.columns(other, ns), "float64"))
    if maker.singles != plan.singles:
        cause = (
            f"{plan.name} runs in single precision here, and does not take it in place of {name}"
        )
        raise InconsistentError(other, cause, f"bind {name}")
    first = Step(maker.name, (len(plan.slots), plan.inputs[name]), inputs=1, singles=maker.singles)
    inputs = {key: slot for key, slot in plan.inputs.items() if key != name}
    return replace(
        plan, slots=slots, steps=(first, *plan.steps), inputs={**inputs, other: len(plan.slots)}
    )
