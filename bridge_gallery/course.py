"""Primitives of a course on CUDA: gather and scatter, reduction, scan, split, sort, and what the
course says of divergence, constant memory and launches.

The document has no times of its own but for multi-pass scatter: 16 passes are its best, on a
GeForce 8800 GTX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from bridge_gallery import launching
from bridge_gallery.launching import each, scanned
from bridge_gallery.rung import Arrays, Launch, Problem, Rung, ceil_div, source
from bridge_gallery.timing import Limits, Timed

NAME = "course"
TITLE = "Primitives on arrays: gather, scatter, reduce, scan, split, sort; launches"
LESSON = (
    "What to learn: an access pattern costs more than anything else, and passes over the data pay "
    "only where a part of the target fits the cache; keep the threads that go on beside each "
    "other; read 16 bytes at a time; and take a library's scan and sort. In the bridge: sums and "
    "extremes of bound arrays (`frame_reduce`) take an order that does not depend on the device, "
    "and the blocks of its launches have the sizes of its policy table."
)
MISTAKES = (
    "the barriers of its first scan are inside a loop whose length depends on the thread, which "
    "is undefined: here the loop is the same for all threads",
    "its second scan has two values a thread and writes one of them, and neither joins its "
    "blocks: here all are written, and scans of blocks are joined by a scan of their totals",
    "its sum reads past the end of the last block: here what is not there counts as zero",
    "its share of divergent warps, 350 of 2944, is 350 of 2744: 13 %, not less than 12",
)
COUNT, FEW, SORTED = 1 << 26, 3004, 1 << 24
#: Values of other scatters: 4 MB to 512.
OTHER_COUNTS = (1 << 20, 1 << 22, 1 << 24, 1 << 27)
PASSES = (2, 4, 8, 16, 32)
#: Bits of the keys that are sorted: all rungs know them.
BITS = 16


def text() -> str:
    """Of all kernels."""
    return source("course.cu")


def small() -> list[Problem]:
    """All rungs at few values, no multiple of a block."""
    return [*_problems(FEW, FEW, 5), _passes(FEW)]


def full() -> list[Problem]:
    """Arrays that no cache holds."""
    return [*_problems(COUNT, SORTED, BITS), *(_passes(n) for n in OTHER_COUNTS)]


def _problems(n: int, keys: int, bits: int) -> list[Problem]:
    return [_scatter(n), _gather(n), _reduce(n), _scan(n), _compacted(n), _split(n),
            _sorted_tiles(keys, bits), _sort(keys, bits), *launching.problems(n)]  # fmt: skip


# ---- gather and scatter ---------------------------------------------------------------------


def _permuted(n: int) -> Arrays:
    place = np.random.default_rng(1).permutation(n).astype("i4")
    room = np.broadcast_to(np.zeros(1, "i4"), (n,))
    arrays = {"in": np.arange(n, dtype="i4"), "place": place, "out": room, "ordered": room}
    for parts in PASSES:
        edges = np.array([n * k // parts for k in range(1, parts)])
        order = np.argsort(np.searchsorted(edges, place, "right"), kind="stable")
        arrays[f"within{parts}"] = place[order].astype("i4")
        arrays[f"out{parts}"] = room
    return arrays


def _scatter(n: int) -> Problem:
    def expected(arrays: Arrays) -> Arrays:
        out = np.empty(n, "i4")
        out[arrays["place"]] = arrays["in"]
        found = {"out": out, "ordered": arrays["in"]}
        for parts in PASSES:
            found[f"out{parts}"] = np.empty(n, "i4")
            found[f"out{parts}"][arrays[f"within{parts}"]] = arrays["in"]
        return found

    ordered = each("in_order", n, ("in", "place", "ordered"))
    rungs = [
        Rung("in order", (ordered,), outputs=("ordered",)),
        *_in_passes(n),
    ]
    for parts in PASSES:
        name, output = f"one pass, places within 1/{parts} of the target", f"out{parts}"
        launch = each("scatter", n, ("in", f"within{parts}", output))
        rungs.append(Rung(name, (launch,), outputs=(output,)))
    rungs.append(Rung("CuPy", library=_cupy_scatter, outputs=("out",)))
    return Problem(f"scatter of {n} values to random places", partial(_permuted, n), expected,
                   tuple(rungs), 12 * n, document="8800 GTX, times faster")  # fmt: skip


def _in_passes(n: int) -> list[Rung]:
    """One pass, and several, each for a part of the target."""
    given = ("in", "place", "out")
    rungs = [Rung("one pass", (each("scatter", n, given),), document="1", outputs=("out",))]
    for passes in PASSES:
        edges = [n * k // passes for k in range(passes + 1)]
        launches = tuple(
            each("scatter_pass", n, (*given, np.int32(first), np.int32(last)))
            for first, last in zip(edges, edges[1:], strict=False)
        )
        document = "2 to 4, the best" if passes == 16 else ""
        rungs.append(Rung(f"{passes} passes", launches, document=document, outputs=("out",)))
    return rungs


def _passes(n: int) -> Problem:
    """At other sizes; and passes of a library, which chooses the values of each by a mask."""

    def arrays() -> Arrays:
        place = np.random.default_rng(1).permutation(n).astype("i4")
        return {"in": np.arange(n, dtype="i4"), "place": place, "out": np.zeros(n, "i4")}

    def expected(arrays: Arrays) -> Arrays:
        out = np.empty(n, "i4")
        out[arrays["place"]] = arrays["in"]
        return {"out": out}

    rungs = (
        *_in_passes(n),
        Rung("CuPy", library=_cupy_scatter),
        Rung("CuPy, 8 passes by masks", library=_cupy_passes),
    )
    return Problem(f"passes of a scatter of {n} values", arrays, expected, rungs, 12 * n,
                   document="8800 GTX, times faster")  # fmt: skip


def _cupy_passes(arrays: Mapping[str, Any]) -> None:
    n, place, values, out = arrays["out"].size, arrays["place"], arrays["in"], arrays["out"]
    for part in range(8):
        here = (place >= n * part // 8) & (place < n * (part + 1) // 8)
        out[place[here]] = values[here]


def notes(timed: Sequence[Timed], limits: Limits) -> list[str]:
    """The course's cost model of multi-pass scatter beside what was measured: a pass reads values
    and places in order, and what it writes goes to places within one part of the target."""
    seconds = {one.rung.name: one.seconds for one in timed if one.problem.title.startswith("scat")}
    read = 8 * COUNT / limits.read
    lines = []
    for passes in PASSES:
        within = seconds[f"one pass, places within 1/{passes} of the target"]
        told, found = passes * read + within - read, seconds[f"{passes} passes"]
        lines.append(f"{passes} passes {1e3 * told:.2f} ms, measured {1e3 * found:.2f}")
    return [
        "The course's cost model, with bandwidths of this device: " + "; ".join(lines) + ".",
        "The best number of passes, on its GeForce 8800 GTX 16, is here: " + _best(timed) + ".",
    ]


def _best(timed: Sequence[Timed]) -> str:
    """Of each number of values."""
    whole: dict[int, dict[str, float]] = {}
    for one in timed:
        if "scatter of" in one.problem.title:
            whole.setdefault(one.problem.moved // 12, {})[one.rung.name] = one.seconds
    found = []
    for n, seconds in sorted(whole.items()):
        times = {k: seconds["one pass" if k == 1 else f"{k} passes"] for k in (1, *PASSES)}
        best = min(times, key=lambda k: times[k])
        gain = times[1] / times[best]
        found.append(f"{best} for {n} values ({gain:.2f} times faster than one pass)")
    return "; ".join(found)


def _gather(n: int) -> Problem:
    def expected(arrays: Arrays) -> Arrays:
        return {"out": arrays["in"][arrays["place"]]}

    rungs = (
        Rung("random places", (each("gather", n, ("in", "place", "out")),), outputs=("out",)),
        Rung("CuPy", library=_cupy_gather, outputs=("out",)),
    )
    return Problem(f"gather of {n} values from random places", partial(_permuted, n), expected,
                   rungs, 12 * n)  # fmt: skip


def _cupy_scatter(arrays: Mapping[str, Any]) -> None:
    arrays["out"][arrays["place"]] = arrays["in"]


def _cupy_gather(arrays: Mapping[str, Any]) -> None:
    arrays["in"].take(arrays["place"], out=arrays["out"])


# ---- reduction and scan -----------------------------------------------------------------------


def _numbers(n: int) -> Arrays:
    some = np.random.default_rng(2).integers(0, 4, min(n, 1 << 20)).astype("i4")
    blocks = ceil_div(n, 512)
    return {"in": np.resize(some, n), "out": np.zeros(n, "i4"), "total": np.zeros(1, "i4"),
            "sums": np.zeros(blocks, "i4"), "second": np.zeros(ceil_div(blocks, 512), "i4"),
            "third": np.zeros(512, "i4")}  # fmt: skip


def _reduce(n: int) -> Problem:
    def expected(arrays: Arrays) -> Arrays:
        return {"total": np.array([arrays["in"].sum(dtype="i4")], "i4")}

    def tree(kernel: str) -> tuple[Launch, ...]:
        """Sums of 512 values, until one is left."""
        launches, names, size = [], ["in", "sums", "second", "third"], n
        for source_name, target in zip(names, names[1:], strict=False):
            blocks = ceil_div(size, 512)
            to = target if blocks > 1 else "total"
            launches.append(each(kernel, size, (source_name, to), shared=4 * 512, per=2))
            size = blocks
            if blocks == 1:
                return tuple(launches)
        launches.append(each(kernel, size, (names[-1], "total"), shared=4 * 512, per=2))
        return tuple(launches)

    strided = (
        Launch("sum_strided", (min(512, ceil_div(n, 1024)), 1, 1), (512, 1, 1),
               ("in", "third", np.int32(n))),
        Launch("sum_strided", (1, 1, 1), (512, 1, 1),
               ("third", "total", np.int32(min(512, ceil_div(n, 1024))))),
    )  # fmt: skip
    rungs = (
        Rung("threads with an even number go on", tree("sum_even")),
        Rung("the first threads go on", tree("sum_first")),
        Rung("ours: few blocks, shuffles", strided),
        Rung("CuPy (CUB)", library=_cupy_sum),
    )
    return Problem(f"sum of {n} numbers", partial(_numbers, n), expected, rungs, 4 * n)


def _cupy_sum(arrays: Mapping[str, Any]) -> None:
    arrays["in"].sum(dtype="i4", out=arrays["total"][0])


def _joined(kernel: str, n: int, threads: int, per: int) -> tuple[Launch, ...]:
    """Scans of blocks, a scan of their totals, and both added."""
    size, blocks = threads * per, ceil_div(n, threads * per)
    shared = 4 * size
    return (
        Launch(
            kernel, (blocks, 1, 1), (threads, 1, 1), ("in", "out", "sums", np.int32(n)), shared
        ),
        Launch("scan_totals", (1, 1, 1), (1024, 1, 1), ("sums", np.int32(blocks))),
        each("add_before", n, ("out", "sums", np.int32(size))),
    )


def _scan(n: int) -> Problem:
    def expected(arrays: Arrays) -> Arrays:
        return {"out": np.cumsum(arrays["in"], dtype="i4")}

    rungs = (
        Rung("n log n additions", _joined("scan_every_step", n, 512, 1)),
        Rung("a tree, down and up", _joined("scan_tree", n, 512, 2)),
        Rung("ours: totals first, shuffles", scanned("in", "out", n)),
        Rung("CuPy (CUB)", library=_cupy_scan),
    )
    return Problem(f"inclusive scan of {n} numbers", partial(_numbers, n), expected, rungs, 8 * n)


def _cupy_scan(arrays: Mapping[str, Any]) -> None:
    arrays["in"].cumsum(dtype="i4", out=arrays["out"])


# ---- split and sort ---------------------------------------------------------------------------


def _keys(n: int, bits: int) -> Arrays:
    some = np.random.default_rng(3).integers(0, 1 << bits, n).astype("i4")
    room = {name: np.zeros(n, "i4") for name in ("out", "other", "flags", "scan")}
    return {"keys": some, "in": some, **room, "sums": np.zeros(ceil_div(n, 512), "i4")}


def _split_of(values: str, out: str, bit: int, n: int) -> tuple[Launch, ...]:
    """Flags, their scan, each value to its place."""
    return (
        each("flag_zeros", n, (values, "flags", np.int32(bit))),
        *scanned("flags", "scan", n),
        each("split_by_scan", n, (values, "scan", out, np.int32(bit))),
    )


def _compacted(n: int) -> Problem:
    """Values that are kept, side by side: as points of an iblank array."""

    def expected(arrays: Arrays) -> Arrays:
        kept = arrays["keys"][arrays["keys"] & 1 == 0]
        return {"out": np.concatenate((kept, np.zeros(n - len(kept), "i4")))}

    launches = (
        each("flag_zeros", n, ("keys", "flags", np.int32(0))),
        *scanned("flags", "scan", n),
        each("keep_by_scan", n, ("keys", "flags", "scan", "out")),
    )
    rungs = (
        Rung("flags, scan, scatter of what is kept", launches, outputs=("out",)),
        Rung("CuPy", library=_cupy_compacted, outputs=("out",)),
    )
    return Problem(f"even ones of {n} numbers", partial(_keys, n, 8), expected, rungs, 6 * n)


def _cupy_compacted(arrays: Mapping[str, Any]) -> None:
    keys = arrays["keys"]
    kept = keys[(keys & 1) == 0]
    arrays["out"][: kept.size] = kept


def _split(n: int) -> Problem:
    def expected(arrays: Arrays) -> Arrays:
        keys = arrays["keys"]
        return {"out": np.concatenate((keys[keys & 1 == 0], keys[keys & 1 == 1]))}

    rungs = (
        Rung("flags, scan, scatter", _split_of("keys", "out", 0, n), outputs=("out",)),
        Rung("CuPy", library=_cupy_split, outputs=("out",)),
    )
    return Problem(f"split of {n} numbers, even ones first", partial(_keys, n, 8), expected, rungs,
                   8 * n)  # fmt: skip


def _cupy_split(arrays: Mapping[str, Any]) -> None:
    import cupy

    keys = arrays["keys"]
    odd = (keys & 1).astype(bool)
    arrays["out"][...] = cupy.concatenate((keys[~odd], keys[odd]))


def _sorted_tiles(n: int, bits: int) -> Problem:
    """The course's second step of its sort, which then merges tiles by pairs."""

    def expected(arrays: Arrays) -> Arrays:
        keys = arrays["keys"]
        whole = np.concatenate((keys, np.full(-n % 512, 1 << bits, "i4"))).reshape(-1, 512)
        return {"out": np.sort(whole, axis=1).reshape(-1)[:n]}

    launch = each("sort_tile", n, ("keys", "out", np.int32(bits)), threads=512)
    rungs = (Rung("radix sort of each in shared memory", (launch,), outputs=("out",)),)
    return Problem(f"tiles of 512 of {n} numbers, each sorted", partial(_keys, n, bits), expected,
                   rungs, 8 * n)  # fmt: skip


def _sort(n: int, bits: int) -> Problem:
    def expected(arrays: Arrays) -> Arrays:
        return {"out": np.sort(arrays["keys"])}

    launches: list[Launch] = []
    source_name = "keys"
    for bit in range(bits):
        target = "out" if (bits - bit) % 2 else "other"
        launches += _split_of(source_name, target, bit, n)
        source_name = target
    rungs = (
        Rung(f"radix sort, {bits} splits", tuple(launches), outputs=("out",)),
        Rung("CuPy (CUB)", library=_cupy_sort, outputs=("out",)),
    )
    return Problem(f"sort of {n} numbers of {bits} bits", partial(_keys, n, bits), expected, rungs,
                   8 * n)  # fmt: skip


def _cupy_sort(arrays: Mapping[str, Any]) -> None:
    import cupy

    arrays["out"][...] = cupy.sort(arrays["keys"])
