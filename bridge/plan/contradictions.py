"""Contradictions between declarations, found when catalogue files are read.

Each raises ArgumentError with the names and the files that contradict each other.
"""

from __future__ import annotations

import os
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from bridge.errors import ArgumentError, InconsistentError
from bridge.plan import selection
from bridge.plan.declarations import Composite, Declarations, Kernel, close_names
from bridge.plan.inputs import MASK, POSITIONS, begins_at_zero


def _files(folder: Path) -> set[str]:
    """Names of what lies in a folder: one look instead of one for each kernel."""
    return {entry.name for entry in os.scandir(folder)} if folder.is_dir() else set()


def check(declared: Declarations) -> None:
    """Headers, names, then what makes, rewrites and needs each quantity."""
    folders = {kernel.header.parent for kernel in declared.kernels.values()}
    present = {folder: _files(folder) for folder in folders}
    for kernel in declared.kernels.values():
        if kernel.header.name not in present[kernel.header.parent]:
            cause = f"{kernel.header}, which kernel {kernel.name} has, is missing"
            raise InconsistentError("header", cause, "write it, or take out the kernel")
    for name in declared.kernels.keys() & declared.composites.keys():
        files = f"{declared.kernels[name].file} and {declared.composites[name].file}"
        got = f"{name}, also a composite, in {files}"
        raise ArgumentError("kernel", got, "a name that can be launched")
    users: list[Kernel | Composite] = [*declared.kernels.values(), *declared.composites.values()]
    for user in users:
        for name in (*user.inputs, *user.outputs):
            if name not in declared.quantities:
                got = f"{name} in {user.name} of {user.file}"
                raise ArgumentError("quantity", got, declared.suggest(name))
        inputs = user.inputs if isinstance(user, Composite) else ()
        for name in declared.constants.keys() & {*inputs, *user.outputs}:
            got = f"{name} in {user.name} of {user.file}"
            raise ArgumentError("constant", got, "constants among inputs of kernels alone")
        for name in {*POSITIONS, MASK}.intersection(user.outputs):
            got = f"{name} in outputs of {user.name} of {user.file}"
            raise ArgumentError("quantity", got, "a name that is not reserved for inputs")
    for name in declared.tables.keys() & declared.quantities.keys():
        files = f"{declared.tables[name].file} and {declared.quantities[name].file}"
        raise ArgumentError("table", f"{name}, also a quantity, in {files}", "a name of its own")
    for kernel in declared.kernels.values():
        for name in kernel.tables:
            if name not in declared.tables:
                got = f"{name!r} in {kernel.name} of {kernel.file}"
                raise ArgumentError("tables", got, close_names("a table", name, declared.tables))
        _check_reads(kernel)
        _check_cells(declared, kernel)
        if kernel.given and kernel.given not in declared.quantities:
            got = f"{kernel.given!r} in {kernel.name} of {kernel.file}"
            raise ArgumentError("given", got, declared.suggest(kernel.given))
        named = [("fuses", name) for name in kernel.fuses]
        named += [("in_place_of", kernel.in_place_of)] if kernel.in_place_of else []
        for key, name in named:
            if name not in declared.kernels:
                got = f"{name!r} in {kernel.name} of {kernel.file}"
                raise ArgumentError(key, got, close_names("a kernel", str(name), declared.kernels))
    for composite in declared.composites.values():
        _check_steps(declared, composite)
    _check_makers(declared)
    _check_rewrites(declared)
    _check_cycles(declared)


def _check_reads(kernel: Kernel) -> None:
    """What is read around a point is an input, and no other point writes it meanwhile."""
    order, where = kernel.order, f"{kernel.name} of {kernel.file}"
    for name, reads in kernel.reads.items():
        if name not in kernel.inputs:
            got = f"{name!r} in {where}"
            raise ArgumentError("reads", got, f"one of its inputs: {', '.join(kernel.inputs)}")
        if name in kernel.outputs and order is None:
            got = f"{name!r}, which {where} also writes"
            wanted = "neighbours of a quantity that it does not write, or 'colours' or a 'sweep'"
            raise ArgumentError("reads", got, wanted)
        if name in kernel.outputs and order is not None:
            order.check_reads(name, reads, where)
    if order is not None and not order.private:
        if not any(name in kernel.outputs for name in kernel.reads):
            wanted = "'reads' of a quantity that is input and output"
            wanted += ", or 'private' numbers" if order.sweep else ""
            raise ArgumentError(order.key, f"{order} of {where}", wanted)


def _check_cells(declared: Declarations, kernel: Kernel) -> None:
    """What is read at any cell is an array, with one value of each component at a point; points
    that follow each other have no part in it."""
    where = f"{kernel.name} of {kernel.file}"
    for name, reads in kernel.reads.items():
        if not reads.cells:
            continue
        got = f'{name} = "{reads}" in {where}'
        if kernel.order is not None:
            wanted = f"offsets like x = [-1, 1] in a kernel with {kernel.order}"
            raise ArgumentError("reads", got, wanted)
        if name in (*POSITIONS, MASK):
            wanted = "an array of the host: positions follow from the point's own"
            raise ArgumentError("reads", got, wanted)
        if declared.quantities[name].per_component:
            wanted = "a quantity that is not per_component"
            raise ArgumentError("reads", got, wanted)


def _check_steps(declared: Declarations, composite: Composite) -> None:
    """The kernels that a composite names find what they read, and make what it gives."""
    where = f"{composite.name} of {composite.file}"
    made: set[str] = set()
    read: set[str] = set()
    for step in composite.steps:
        if step not in declared.kernels:
            wanted = close_names("a kernel", str(step), declared.kernels)
            raise ArgumentError("steps", f"{step!r} in {where}", wanted)
        kernel = declared.kernels[step]
        first = declared.kernels[composite.steps[0]]
        if kernel.singles != first.singles:
            one, other = sorted((kernel, first), key=lambda one: one.singles)
            got = f"{other.name}, in single precision, and {one.name}, in double, in {where}"
            raise ArgumentError("steps", got, "kernels of one precision")
        given = {*declared.constants, *POSITIONS, *made}
        for name in kernel.inputs:
            if name in given or (name not in composite.inputs and begins_at_zero(name)):
                continue
            if name not in composite.inputs:
                wanted = f"among inputs of {composite.name}, or made by a step before {step}"
                raise ArgumentError("steps", f"{name}, which {step} of {where} reads", wanted)
            read.add(name)
        made.update(kernel.outputs)
    if composite.steps:
        for name in composite.outputs:
            if name not in made:
                got = f"{name} in outputs of {where}"
                raise ArgumentError("steps", got, "what one of its steps makes")
        for name in composite.inputs:
            if name not in read:
                got = f"{name} in inputs of {where}"
                raise ArgumentError("steps", got, "what one of its steps reads")


def _check_makers(declared: Declarations) -> None:
    """One kernel makes a quantity, or one that fuses it: no order of files decides."""
    makers: dict[str, list[Kernel]] = {}
    for kernel in selection.ordinary(declared):
        for name in kernel.makes:
            for other in makers.setdefault(name, []):
                if kernel.name not in other.fuses and other.name not in kernel.fuses:
                    raise InconsistentError(
                        "outputs",
                        f"{other.name} of {other.file} and {kernel.name} of {kernel.file} both "
                        f"make {name}",
                        "list one in 'fuses' of the other, or say planned = false where a kernel "
                        "runs by its name alone",
                    )
            makers[name].append(kernel)


def _check_rewrites(declared: Declarations) -> None:
    """What a composite takes and gives back has one kernel that gives it its new value."""
    for composite in declared.composites.values():
        for name in () if composite.steps else composite.rewrites:
            given = {*composite.inputs, *declared.constants}
            found = selection.rewriters(declared, name, given)
            if name != selection.STATUS and len(found) != 1:
                kernels = " and ".join(f"{k.name} of {k.file}" for k in found)
                got = f"{name} in inputs and outputs of {composite.name} in {composite.file}"
                wanted = (
                    f"one kernel that gives it a new value, not {kernels}"
                    if found
                    else f"a kernel that takes and gives {name} and finds its other inputs"
                )
                raise ArgumentError("composite", got, wanted)


def _check_cycles(declared: Declarations) -> None:
    graph: dict[str, set[str]] = {}
    for kernel in selection.ordinary(declared):
        for name in kernel.makes:
            graph.setdefault(name, set()).update(set(kernel.inputs) - set(kernel.rewrites))
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cause = f"quantities need themselves: {' <- '.join(error.args[1])}"
        remedy = "say planned = false where a kernel runs by its name alone"
        raise InconsistentError("catalogue", cause, remedy) from None
