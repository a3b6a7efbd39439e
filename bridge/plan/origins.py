"""Which kernel makes a quantity, and what a caller has to give for it.

A text without imports of the package: `docs/generate.py` runs it on the catalogue's file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

#: What a caller gives, though a kernel may give it a new value, in the order of its listing.
GIVEN = (
    *("T", "P", "h_target", "s_target", "rho_target", "e_target", "T0", "Y", "velocity", "Vref"),
)


class Maker(NamedTuple):
    """A kernel: last: whether others make the same quantities, and are named before it: it does
    their work, or no plan picks it for what it makes."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    last: bool = False


class Origin(NamedTuple):
    """kernel: that makes a quantity, "" where it is given; needs: what that takes in the end."""

    kernel: str
    needs: tuple[str, ...]


def origins(kernels: Iterable[Maker], quantities: Iterable[str]) -> dict[str, Origin]:
    """Of each quantity; the first kernel that makes one counts."""
    makers: dict[str, Maker] = {}
    for kernel in sorted(kernels, key=lambda each: each.last):
        for name in kernel.outputs:
            if name not in kernel.inputs and name not in GIVEN:
                makers.setdefault(name, kernel)
    return {
        name: Origin(makers[name].name if name in makers else "", _needs(name, makers))
        for name in quantities
    }


def _needs(name: str, makers: dict[str, Maker]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    seen, rest = {name}, [name] if name in makers else []
    while rest:
        for needed in makers[rest.pop()].inputs:
            if needed in seen or needed.startswith("status"):  # words that begin at zero
                continue
            seen.add(needed)
            if needed in makers:
                rest.append(needed)
            else:
                found[needed] = None
    return tuple(sorted(found, key=lambda each: GIVEN.index(each) if each in GIVEN else 99))
