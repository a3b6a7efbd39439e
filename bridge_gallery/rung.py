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


@dataclass(frozen=True)
class Texture:
    """An argument: an array of floats, read through a texture object."""

    name: str


#: Names of arrays, which stand for their addresses, and numbers.
Arguments = tuple[str | np.generic | Texture, ...]
#: What a `__constant__` symbol gets: the values of an array by its name, or a struct.
Contents = str | Arguments

#: In a grid: the number of processors of the device.
PROCESSORS = 0

#: Folder of the ladders' kernels.
KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel.

    grid: PROCESSORS in a place stands for their number; arguments: names of the problem's arrays,
    or numbers of NumPy's types; shared: bytes of shared memory of a block beside what the kernel
    declares; together: blocks wait for each other; writes: arrays among the arguments, for
    launches that may overtake each other.
    """

    kernel: str
    grid: Extent
    block: Extent
    arguments: Arguments
    shared: int = 0
    together: bool = False
    writes: tuple[str, ...] = ()

    @property
    def reads(self) -> set[str]:
        """Arrays of the arguments, of which a kernel may read those that it writes as well."""
        names = (one.name if isinstance(one, Texture) else one for one in self.arguments)
        return {one for one in names if isinstance(one, str)}


@dataclass(frozen=True)
class Call:
    """Work between launches: a library's, or the host's; work: with the arrays by name, of CuPy
    or of NumPy."""

    work: Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class Rung:
    """One way to solve a problem.

    launches: one after the other, with calls between them; streams: more than one: launches
    overtake others that they do not depend on; graph: launches between calls go to the device as
    one graph; library: what a library does instead, on a GPU's arrays by name; constants: by the
    `__constant__` symbols of the text, what fills them; definitions: macros of the text; options:
    of the compiler; document: what the source document says of it; remark: one line beside its
    figures; outputs: arrays it fills, if not all that the problem expects; tolerance: relative, of
    the largest value of an output; moved: bytes, where they are not the problem's.
    """

    name: str
    launches: tuple[Launch | Call, ...] = ()
    streams: int = 1
    graph: bool = False
    library: Callable[[Mapping[str, Any]], None] | None = None
    constants: Mapping[str, Contents] = field(default_factory=dict)
    definitions: Mapping[str, object] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    document: str = ""
    remark: str = ""
    outputs: tuple[str, ...] = ()
    tolerance: float = 0.0
    moved: int | None = None

    @property
    def kernels(self) -> list[Launch]:
        """The launches without the calls between them."""
        return [one for one in self.launches if isinstance(one, Launch)]

    def parts(self) -> list[list[Launch] | Call]:
        """Launches that follow each other, and the calls between them."""
        found: list[list[Launch] | Call] = []
        for one in self.launches:
            if isinstance(one, Call):
                found.append(one)
            elif found and isinstance(found[-1], list):
                found[-1].append(one)
            else:
                found.append([one])
        return found

    @property
    def plain(self) -> bool:
        """Whether a driver alone can do the same."""
        launches = all(isinstance(one, Launch) and not one.together for one in self.launches)
        return launches and bool(self.launches) and self.streams == 1 and not self.graph


@dataclass(frozen=True)
class Problem:
    """What all rungs of a table solve, at one size.

    arrays: makes them by name, with the values before a rung runs; expected: makes of these what
    outputs hold afterwards, with NumPy; moved: bytes that cannot be done without, each element
    once;
    operations: of floating-point numbers; document: where the source's own figures come from;
    cells: that a time is shared by; restored: whether rungs go on where the one before ended,
    so that each is timed from the first values.
    """

    title: str
    arrays: Callable[[], Arrays]
    expected: Callable[[Arrays], Arrays]
    rungs: tuple[Rung, ...]
    moved: int = 0
    operations: int = 0
    document: str = ""
    single_precision: bool = False
    cells: int = 0
    restored: bool = False


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


def words(
    arguments: Arguments, address: Callable[[str], int], texture: Callable[[str], int]
) -> list[bytes]:
    """Each argument as its bytes; address, texture: of an array."""

    def word(one: str | np.generic | Texture) -> bytes:
        if isinstance(one, Texture):
            return np.uint64(texture(one.name)).tobytes()
        return np.uint64(address(one)).tobytes() if isinstance(one, str) else one.tobytes()

    return [word(one) for one in arguments]


def ceil_div(n: int, size: int) -> int:
    """Blocks of `size` that cover n."""
    return -(-n // size)


def source(name: str) -> str:
    """Text of a file of `kernels/`."""
    return (KERNELS / name).read_text(encoding="utf-8")
