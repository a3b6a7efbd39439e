"""Nested loops over species at every grid point: Part 2 of the talk on Kokkos in CASTLES.

The document's times are in its charts alone; its words stand beside the rungs.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bridge_gallery.rung import Arrays, Launch, Problem, Rung, ceil_div, source

NAME = "nested-loops"
TITLE = "Nested loops over species at every grid point (bandwidth-bound, one output of NS x NS)"
LESSON = (
    "What to learn: such a loop is limited by writing its output, so that everything else must "
    "come from registers: keep several values of the outer loop there (unroll and jam) and read "
    "each value of the inner loop once for all of them. Tiling for a cache, which helps a CPU, "
    "helps no GPU: a thread has a few doubles of it. Give a warp to a point where the species are "
    "the fastest index. In the bridge: kernels take a point each with the point as the fastest "
    "index of views, and the loops over pairs of species in its diffusion and mixing rules keep "
    "their rows in registers."
)
MISTAKES = (
    "its kernels write past the end where the number of points is no multiple of a block: here "
    "threads beyond the last point leave",
)
#: Species, points of the document, points that are checked: no multiple of a block.
SPECIES, POINTS, FEW = 64, 2048 * 120, 330
THREADS = 256
#: Shared memory of a block that leaves 4, 2 and 1 blocks of 256 threads of 8 on a processor, of
#: the 228 KiB that it has on an H100 or H200; each block costs 1 KiB more.
DUMMY = {"50": 56 * 1024 - 1024, "25": 113 * 1024 - 1024, "12.5": 227 * 1024 - 1024}


def text() -> str:
    """Of all kernels."""
    return source("nested_loops.cu")


def small() -> list[Problem]:
    """All rungs at few points."""
    return _problems(FEW)


def full() -> list[Problem]:
    """The document's size."""
    return _problems(POINTS)


def _problems(n: int) -> list[Problem]:
    """One for each order of the arrays."""
    return [_problem(n, "point"), _problem(n, "species")]


def _problem(n: int, fastest: str) -> Problem:
    rungs = _by_point(n) if fastest == "point" else _by_species(n)
    return Problem(
        f"{n} points, {SPECIES} species, the {fastest} is the fastest index",
        partial(_arrays, n, fastest),
        partial(_expected, fastest),
        tuple(rungs),
        moved=8 * (4 * SPECIES * n + SPECIES**2 * n),
        document="K40",
    )


def _arrays(n: int, fastest: str) -> Arrays:
    random = np.random.default_rng(0)
    shape = (SPECIES, n) if fastest == "point" else (n, SPECIES)
    some = random.random((4, SPECIES * min(n, 4096)))
    inputs = {
        name: np.resize(values, SPECIES * n).reshape(shape)
        for name, values in zip(("ax", "bx", "ay", "by"), some, strict=True)
    }
    whole = (SPECIES, SPECIES, n) if fastest == "point" else (n, SPECIES, SPECIES)
    outputs = ("output", "swapped") if n == FEW and fastest == "point" else ("output",)
    return inputs | {name: np.broadcast_to(np.zeros(1), whole) for name in outputs}


def _expected(fastest: str, arrays: Arrays) -> Arrays:
    ax, bx, ay, by = (arrays[name] for name in ("ax", "bx", "ay", "by"))
    if fastest == "point":
        found = ax[None] * ay[:, None] + bx[None] * by[:, None]
        return {"output": found, "swapped": found.transpose(1, 0, 2)}
    return {"output": ax[:, :, None] * ay[:, None] + bx[:, :, None] * by[:, None]}


def _rung(
    name: str, kernel: str, n: int, document: str = "", *, shared: int = 0, per_thread: int = 1,
    output: str = "output",
) -> Rung:  # fmt: skip
    """One launch of a thread for each `per_thread` points."""
    grid = (ceil_div(n, THREADS * per_thread), 1, 1)
    arguments = ("ax", "bx", "ay", "by", output, np.int32(n))
    launch = Launch(kernel, grid, (THREADS, 1, 1), arguments, shared)
    return Rung(name, (launch,), document=document, outputs=(output,), tolerance=1e-15)


def _by_point(n: int) -> list[Rung]:
    swapped = "swapped" if n == FEW else "output"
    rungs = [
        _rung("naive, not unrolled", "naive", n, "reference"),
        _rung("naive, y in registers by hand", "naive_hoisted", n, "no effect"),
        _rung("naive, as the compiler unrolls", "naive_unrolled", n, "slower"),
        _rung("naive, y faster in the output", "naive_y_faster", n, "slightly slower",
              output=swapped),
    ]  # fmt: skip
    words = {2: "worse than naive", 4: "worse than naive", 8: "worse than naive"}
    for tile, document in words.items():
        rungs.append(_rung(f"tiled by {tile}", f"tiled_{tile}", n, document))
    for share, size in DUMMY.items():
        for tile in (2, 4, 8):
            best = (tile, share) == (4, "12.5")
            document = "the one that gains" if best else "mostly worse than naive"
            rungs.append(
                _rung(f"tiled by {tile}, {share} % of the threads", f"tiled_{tile}", n, document,
                      shared=size)
            )  # fmt: skip
    for tile in (2, 4, 8):
        document = "fast" if tile == 2 else "slower"
        rungs.append(_rung(f"arrays of the thread, {tile}", f"local_{tile}", n, document))
    for by in (2, 4, 8, 16):
        rungs.append(_rung(f"unroll and jam by {by}", f"jam_{by}", n, "faster than naive"))
    for by in (2, 4, 8, 16):
        rungs.append(
            _rung(f"unroll and jam by {by}, y faster", f"jam_{by}_y", n, "slightly faster",
                  output=swapped)
        )  # fmt: skip
    rungs.append(_rung("ours: jam by 16, two points a thread", "streamed_16", n, per_thread=2))
    given = ("ax", "bx", "ay", "by", "output", np.int32(n))
    grid, kept = (ceil_div(n, 64), 1, 1), 2 * 8 * SPECIES * 64
    shared = Launch("shared_64_16_4", grid, (512, 1, 1), given, kept)
    rungs.append(Rung("ours: x of 64 points in shared memory, jam by 4", (shared,),
                      outputs=("output",), tolerance=1e-15))  # fmt: skip
    nothing = Launch("only_write", (ceil_div(n, 2 * THREADS), 1, 1), (THREADS, 1, 1),
                     ("output", np.int32(n)))  # fmt: skip
    alone = Rung("the output alone, zeros", (nothing,), moved=8 * SPECIES**2 * n)
    return rungs if n == FEW else [*rungs, alone]


def _by_species(n: int) -> list[Rung]:
    def rung(
        name: str, kernel: str, blocks: int, shared: int = 0, document: str = "",
        threads: int = THREADS,
    ) -> Rung:  # fmt: skip
        arguments = ("ax", "bx", "ay", "by", "output", np.int32(n))
        launch = Launch(kernel, (blocks, 1, 1), (threads, 1, 1), arguments, shared)
        return Rung(name, (launch,), document=document, outputs=("output",), tolerance=1e-15)

    teams, rows = ceil_div(32 * n, THREADS), 8 * SPECIES**2
    return [
        rung("a warp for each point", "warp_team", teams, document="best of all"),
        rung("a warp for each point, 16 bytes a store", "warp_rows", teams),
        rung("a block for each point", "block_8_cached", n),
        rung("a block for each point, past the caches", "block_8", n),
        rung("4 KiB in one piece by the copy engine", "bulk_8", n, rows),
        rung("2 KiB, which leave the cache first", "bulk_16_first", n, rows, threads=512),
        rung("ours: the same, inputs of 64 points ahead", "bulk_16_ahead", n, rows, threads=512),
    ]
