"""What a ladder is made of: problems of one size, and rungs that solve them.

A ladder says nothing of where it runs: `running` takes it to a GPU or to the emulation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Extent = tuple[int, int, int]
Arrays = Mapping[str, np.ndarray]
#: Names of arrays, which stand for their addresses, and numbers.
Arguments = tuple[str | np.generic, ...]
#: What a `__constant__` symbol gets: the values of an array by its name, or a struct.
Contents = str | Arguments

#: Folder of the ladders' kernels.
KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel.

    arguments: names of the problem's arrays, or numbers of NumPy's types; shared: bytes of shared
    memory of a block beside what the kernel declares; together: blocks wait for each other.
    """

    kernel: str
    grid: Extent
    block: Extent
    arguments: Arguments
    shared: int = 0
    together: bool = False


@dataclass(frozen=True)
class Rung:
    """One way to solve a problem.

    launches: one after the other; library: what a library does instead, on a GPU's arrays by
    name; constants: by the `__constant__` symbols of the text, what fills them; definitions:
    macros of the text; options: of the compiler; document: what the source document says of it;
    remark: one line beside its figures; outputs: arrays it fills, if not all that the problem
    expects; tolerance: relative, of the largest value of an output; moved: bytes, where they are
    not the problem's.
    """

    name: str
    launches: tuple[Launch, ...] = ()
    library: Callable[[Mapping[str, Any]], None] | None = None
    constants: Mapping[str, Contents] = field(default_factory=dict)
    definitions: Mapping[str, object] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    document: str = ""
    remark: str = ""
    outputs: tuple[str, ...] = ()
    tolerance: float = 0.0
    moved: int | None = None


@dataclass(frozen=True)
class Problem:
    """What all rungs of a table solve, at one size.

    arrays: makes them by name, with the values before a rung runs; expected: makes of these what
    outputs hold afterwards, with NumPy; moved: bytes that cannot be done without, each element
    once;
    operations: of floating-point numbers; document: where the source's own figures come from.
    """

    title: str
    arrays: Callable[[], Arrays]
    expected: Callable[[Arrays], Arrays]
    rungs: tuple[Rung, ...]
    moved: int = 0
    operations: int = 0
    document: str = ""
    single_precision: bool = False


class Ladder(Protocol):
    """A module of this folder: one chapter of the gallery.

    NAME, TITLE: of the command line and of the page; LESSON: what to learn, and where the bridge
    uses it; MISTAKES: of the source document, and how they are mended here; text: CUDA C++ of all
    its kernels.
    """

    NAME: str
    TITLE: str
    LESSON: str
    MISTAKES: tuple[str, ...]

    def text(self) -> str: ...

    def small(self) -> list[Problem]:
        """Problems that check every rung in seconds, also thread by thread on a CPU."""
        ...

    def full(self) -> list[Problem]:
        """Problems of the size that is timed; their outputs need not be checked in full."""
        ...


def words(arguments: Arguments, address: Callable[[str], int]) -> list[bytes]:
    """Each argument as its bytes; address: of an array."""
    return [
        np.uint64(address(one)).tobytes() if isinstance(one, str) else one.tobytes()
        for one in arguments
    ]


def ceil_div(n: int, size: int) -> int:
    """Blocks of `size` that cover n."""
    return -(-n // size)


def source(name: str) -> str:
    """Text of a file of `kernels/`."""
    return (KERNELS / name).read_text(encoding="utf-8")
