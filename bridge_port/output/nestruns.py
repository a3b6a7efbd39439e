"""The runs of a nest, each with its kernels and a set of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bridge_port.kernel import HostValue, Kernel
from bridge_port.output.bindings import Array, Bindings
from bridge_port.output.runs import run_names, runs


@dataclass(frozen=True)
class Run:
    """One run of a nest: name: of the kernel or the composite."""

    name: str
    set: str
    kernels: list[Kernel]
    bindings: list[Bindings]

    def arrays(self) -> list[tuple[Array, Bindings]]:
        """Each quantity once."""
        found: dict[str, tuple[Array, Bindings]] = {}
        for bindings in self.bindings:
            for one in bindings.arrays:
                found.setdefault(one.quantity.name, (one, bindings))
        return list(found.values())

    def intent(self, array: Array) -> str:
        """What all kernels do with it: out where the first of them fills it."""
        name = array.quantity.name
        every = [a.intent for b in self.bindings for a in b.arrays if a.quantity.name == name]
        if all(one == "in" for one in every):
            return "in"
        return "out" if every[0] == "out" else "inout"


def runs_of(
    name: str, kernels: Sequence[Kernel], sets: Sequence[str], bindings: Sequence[Bindings]
) -> list[Run]:
    """name: of the nest; sets, bindings: of the kernels. Kernels that run together have a further
    set of their own: what is compared and recorded is one kernel's."""
    found, first = [], 0
    for some, one in zip(runs(kernels), run_names(kernels, name), strict=True):
        here = slice(first, first + len(some))
        first += len(some)
        set_ = sets[here.start] if len(some) == 1 else f"{one}_together"
        found.append(Run(one, set_, some, list(bindings[here])))
    return found


def fresh(later: Sequence[Run], known: Collection[HostValue]) -> list[HostValue]:
    """Constants that the first of these runs and later ones read and that nobody has given: those
    that a run between does not reduce."""
    found: dict[HostValue, None] = {}
    reduced_between: set[str] = set()
    for run in later:
        for k in run.kernels:
            for value in k.constants:
                if value not in known and value.variable not in reduced_between:
                    found[value] = None
        reduced_between |= {r.variable for k in run.kernels for r in k.procedure.reductions}
    return list(found)
