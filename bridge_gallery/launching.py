"""What a course on CUDA says of launches: divergence, constant memory, sizes of blocks, empty
kernels. Part of the ladder `course`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from bridge_gallery.rung import Arrays, Launch, Problem, Rung, ceil_div

THREADS = 256


def problems(n: int) -> list[Problem]:
    """Of n values each."""
    masked = [_masked(n // 4, share) for share in (2, 8, 32)]
    return [_divergence(n), *masked, _constants(n), _launches(n), _empty()]


def each(kernel: str, n: int, arguments: Sequence[str | np.generic], threads: int = THREADS,
          shared: int = 0, per: int = 1) -> Launch:  # fmt: skip
    """A thread for each value, or for `per` of them."""
    grid = (ceil_div(n, threads * per), 1, 1)
    return Launch(kernel, grid, (threads, 1, 1), (*arguments, np.int32(n)), shared)


def scanned(values: str, out: str, n: int) -> tuple[Launch, ...]:
    """An inclusive scan, from one array to another; totals of blocks go to "sums"."""
    blocks = ceil_div(n, 16 * THREADS)
    grid, block = (blocks, 1, 1), (THREADS, 1, 1)
    return (
        Launch("totals_of_blocks", grid, block, (values, "sums", np.int32(n))),
        Launch("scan_totals", (1, 1, 1), (1024, 1, 1), ("sums", np.int32(blocks))),
        Launch("scan_blocks", grid, block, (values, out, "sums", np.int32(n))),
    )


def _floats(n: int) -> Arrays:
    some = np.random.default_rng(4).random(min(n, 1 << 20)).astype("f4")
    a = np.resize(some, n)
    outputs = {name: np.zeros(n, "f4") for name in ("out", "apart")}
    return {"in": a, "b": a[::-1].copy(), "table": np.resize(some, 1024), **outputs}


def _divergence(n: int) -> Problem:
    def expected(arrays: Arrays) -> Arrays:
        one = other = arrays["in"].astype(float)
        for _ in range(64):
            one = one * 0.999 + 0.5
        for _ in range(32):
            other = 0.5 / (other + 1.5)
        thread = np.arange(n) % THREADS
        return {"out": np.where(thread >= 128, one, other),
                "apart": np.where(thread % 32 >= 16, one, other)}  # fmt: skip

    rungs = tuple(
        Rung(name, (each(kernel, n, ("in", output)),), outputs=(output,), tolerance=1e-5)
        for name, kernel, output in (
            ("whole warps go one way", "at_a_warp", "out"),
            ("half of each warp", "within_a_warp", "apart"),
        )
    )
    return Problem(f"divergence, {n} values", partial(_floats, n), expected, rungs, 8 * n)


def _masked(n: int, share: int) -> Problem:
    """Points that count, one of `share`, anywhere: as an iblank array has them."""

    def arrays() -> Arrays:
        some = np.random.default_rng(6)
        mask = (some.integers(0, share, n) == 0).astype("i4")
        room = {name: np.zeros(n, "i4") for name in ("list", "scan")}
        count, sums = np.zeros(1, "i4"), np.zeros(ceil_div(n, 512), "i4")
        x = np.resize(some.random(min(n, 1 << 20)), n)
        return {"mask": mask, "x": x, "y": np.zeros(n), **room, "count": count, "sums": sums}

    def expected(arrays: Arrays) -> Arrays:
        y = arrays["x"]
        for _ in range(256):
            y = y * 0.999 + 0.5
        return {"y": np.where(arrays["mask"] != 0, y, 0.0)}

    left = each("work_of_masked", n, ("mask", "x", "y"))
    listed = (
        *scanned("mask", "scan", n),
        each("list_by_scan", n, ("mask", "scan", "list", "count")),
    )
    worked = each("work_of_listed", n, ("list", "count", "x", "y"))
    rungs = (
        Rung("threads of other points leave", (left,), tolerance=1e-12),
        Rung("a list made before each run", (*listed, worked), tolerance=1e-12),
    )
    return Problem(f"1 point of {share} counts, of {n}, 512 operations each", arrays, expected,
                   rungs, operations=512 * (n // share))  # fmt: skip


def _constants(n: int) -> Problem:
    def expected(arrays: Arrays) -> Arrays:
        z, table = arrays["in"].astype(float), arrays["table"]
        alike = apart = np.zeros(n)
        lane = np.arange(n) % THREADS
        for k in range(64):
            alike, apart = alike * z + table[k], apart * z + table[(k + lane) & 63]
        return {"out": alike, "apart": apart}

    def rung(name: str, kernel: str, output: str, table: bool) -> Rung:
        given = ("in", "table", output) if table else ("in", output)
        constants = {} if table else {"coefficients": "table"}
        return Rung(name, (each(kernel, n, given),), constants=constants, outputs=(output,),
                    tolerance=1e-5)  # fmt: skip

    rungs = (
        rung("constant memory, all lanes alike", "constant_alike", "out", False),
        rung("constant memory, each lane its own", "constant_apart", "apart", False),
        rung("global memory, all lanes alike", "global_alike", "out", True),
        rung("global memory, each lane its own", "global_apart", "apart", True),
    )
    return Problem(f"64 coefficients, {n} values", partial(_floats, n), expected, rungs, 8 * n)


def _launches(n: int) -> Problem:
    def expected(arrays: Arrays) -> Arrays:
        return {"out": arrays["in"] + arrays["b"]}

    given = ("in", "b", "out")
    rungs = [
        Rung(f"blocks of {threads} threads", (each("add", n, given, threads),), outputs=("out",))
        for threads in (32, 64, 128, 256, 512, 1024)
    ]
    few = Launch("add_strided", (min(132 * 8, ceil_div(n, THREADS)), 1, 1), (THREADS, 1, 1),
                 (*given, np.int32(n)))  # fmt: skip
    rungs.append(Rung("1056 blocks that go through the array", (few,), outputs=("out",)))
    for name, kernel in (("x", "add_along_x"), ("y", "add_along_y")):
        block = Launch(kernel, (ceil_div(n, 256), 1, 1), (16, 16, 1), (*given, np.int32(n)))
        rungs.append(Rung(f"blocks of 16 x 16, {name} along memory", (block,), outputs=("out",)))
    for kept in (48, 100, 200):
        one = each("add", n, given, shared=kept * 1024)
        rungs.append(Rung(f"256 threads, {kept} KiB of shared memory", (one,), outputs=("out",)))
    if n % 4 == 0:
        rungs.append(Rung("16 bytes a load", (each("add_four", n // 4, given),), outputs=("out",)))
    return Problem(f"launches: sum of two vectors of {n} values", partial(_floats, n), expected,
                   tuple(rungs), 12 * n)  # fmt: skip


def _empty() -> Problem:
    """Launches of kernels that do nothing, between two events as all times of the gallery."""

    def arrays() -> Arrays:
        return {"out": np.zeros(1, "f4")}

    one = Launch("empty", (1, 1, 1), (32, 1, 1), ("out",))
    many = Launch("empty", (1056, 1, 1), (256, 1, 1), ("out",))
    rungs = (
        Rung("one", (one,)),
        Rung("one of 1056 blocks", (many,)),
        Rung("twenty in a row", 20 * (one,)),
    )
    return Problem("launches of an empty kernel", arrays, _zeros, rungs)


def _zeros(arrays: Arrays) -> Arrays:
    """What nothing leaves."""
    return {"out": np.zeros(1, "f4")}
