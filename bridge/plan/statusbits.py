"""Which bits of the status word the kernels of a pack may set: the package has its own.

Asked when a pack is built. The headers run on a few points with an integer that knows the bits of
the branches that a point did not take (kernels/cpu/followed.h).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from bridge.errors import ArgumentError, BridgeError
from bridge.kernels.sharedstruct import SharedStruct
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.counted import CountedKernels, functions
from bridge.plan.declarations import Declarations, Kernel
from bridge.plan.offsets import POINTS, some
from bridge.plan.selection import STATUS
from bridge.settings import PACK_BITS, STATUS_BITS


def check(kernels: Iterable[Kernel], catalogue: Declarations, command: Sequence[str]) -> None:
    """ArgumentError where a kernel may set a bit that is not a pack's; command: of a C++17
    compiler. A kernel that plans choose instead of a shipped one sets the bits of that."""
    for kernel in kernels:
        instead_of = [catalogue.kernel(name) for name in kernel.stands_for]
        if STATUS not in kernel.outputs or any(STATUS in one.outputs for one in instead_of):
            continue
        bits = may_set(kernel, catalogue, command)
        wrong = [bit for bit in range(32) if bits >> bit & 1 and bit not in PACK_BITS]
        if wrong:
            names = ", ".join(
                f"{bit} ({STATUS_BITS[bit]})" if bit < len(STATUS_BITS) else str(bit)
                for bit in wrong
            )
            raise ArgumentError(
                "status",
                f"bit{'s' if wrong[1:] else ''} {names} of {kernel.name} of {kernel.file}",
                f"bits {PACK_BITS[0]} to {PACK_BITS[-1]}: those below are the package's",
            )


def may_set(kernel: Kernel, catalogue: Declarations, command: Sequence[str]) -> int:
    """The bits that a kernel's functions may set, none where its header does with its integers
    what cannot be followed."""
    species = SpeciesData.resolve(["O2", "CH4"])
    shared = SharedStruct(SharedData(species).fields())
    random = np.random.default_rng(1)
    bits = 0
    with tempfile.TemporaryDirectory(prefix="bridge-status-") as folder:
        try:
            counted = CountedKernels([kernel.name], catalogue, Path(folder), command, STATUS)
        except BridgeError:
            return 0
        for function in functions(kernel):
            for _ in range(POINTS):
                names = (*kernel.inputs, *kernel.outputs)
                values = [some(catalogue, name, len(species.names), random) for name in names]
                counted.call(kernel.name, shared.address, values, function)
                bits |= counted.may_have()
    return bits & 0xFFFFFFFF
