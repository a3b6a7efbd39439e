"""Which neighbours the kernels of a pack really read, and whether the catalogue says so.

Asked when a pack is built. The headers run on a few points with a type of neighbours that records
the offsets; what a catalogue says too narrow would read past a fringe, too wide would ask for one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from bridge.errors import ArgumentError
from bridge.kernels.sharedstruct import SharedStruct
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.counted import CountedKernels, functions
from bridge.plan.declarations import Declarations, Kernel
from bridge.plan.fringe import Fringe

#: Points that headers run on: what they read may depend on values.
POINTS = 32

Offset = tuple[int, int, int]


def check(kernels: Iterable[Kernel], catalogue: Declarations, command: Sequence[str]) -> None:
    """ArgumentError where a kernel reads other neighbours than `reads` of its catalogue says;
    command: of a C++17 compiler."""
    asked = [kernel for kernel in kernels if kernel.reads]
    if not asked:
        return
    for kernel, by_function in zip(asked, recorded(asked, catalogue, command), strict=True):
        found = {name: set[Offset]().union(*(f[name] for f in by_function.values()))
                 for name in kernel.reads}  # fmt: skip
        if kernel.order is not None:
            where, written = f"{kernel.name} of {kernel.file}", {*kernel.outputs}
            for function, offsets in by_function.items():
                kernel.order.check_offsets(where, written, offsets, function)
        for name, said in kernel.reads.items():
            if said.cells:
                if not found[name]:
                    got = f'{name} = "{said}" in {kernel.name} of {kernel.file}'
                    wanted = f"a quantity that {kernel.header.name} reads by at(i, j, k)"
                    raise ArgumentError("reads", got, wanted)
                continue
            is_read = _around(found[name])
            if is_read != said:
                raise ArgumentError(
                    "reads",
                    f"{name} = {{ {said} }} in {kernel.name} of {kernel.file}",
                    f"{{ {is_read} }}, which {kernel.header.name} reads",
                )


def recorded(
    kernels: Sequence[Kernel], catalogue: Declarations, command: Sequence[str]
) -> list[dict[str, dict[str, set[Offset]]]]:
    """For each kernel and each of its functions the offsets at which it reads, for each quantity
    of its `reads`."""
    species = SpeciesData.resolve(["O2", "CH4"])
    shared = SharedStruct(SharedData(species).fields())
    random = np.random.default_rng(1)
    results: list[dict[str, dict[str, set[Offset]]]] = []
    with tempfile.TemporaryDirectory(prefix="bridge-offsets-") as folder:
        counted = CountedKernels(
            [kernel.name for kernel in kernels], catalogue, Path(folder), command
        )
        for kernel in kernels:
            results.append({})
            for function in functions(kernel):
                found: dict[str, set[Offset]] = {name: set() for name in kernel.reads}
                for _ in range(POINTS):
                    values = [
                        some(catalogue, name, len(species.names), random)
                        for name in (*kernel.inputs, *kernel.outputs)
                    ]
                    counted.call(kernel.name, shared.address, values, function)
                    for argument, i, j, k in counted.take_offsets():
                        found[kernel.inputs[argument]].add((i, j, k))
                results[-1][function] = found
    return results


def some(catalogue: Declarations, name: str, ns: int, random: np.random.Generator) -> np.ndarray:
    """Values that a quantity may have at a point."""
    columns = catalogue.columns(name, ns)
    if catalogue.quantity(name).dtype == "int32":
        return random.integers(0, 4, columns)
    return random.uniform(-1.5, 1.5, columns)


def _around(offsets: Iterable[Offset]) -> Fringe:
    """The layers that some offsets reach."""
    lower, upper = [0, 0, 0], [0, 0, 0]
    for offset in offsets:
        for axis, n in enumerate(offset):
            lower[axis], upper[axis] = max(lower[axis], -n), max(upper[axis], n)
    return Fringe((lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]))
