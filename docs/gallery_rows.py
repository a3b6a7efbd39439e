"""Write results/gallery-rows.md: every row of the source documents' tables and figures beside the
rung that answers it, or a sentence that says why there is none.

    python docs/gallery_rows.py            rewrite the page
    python docs/gallery_rows.py --check    exit 1 where it is out of date

Names of rungs and the documents' figures are those of the ladders; times are those of the run that
is kept in results/gallery-h200.json, and stay empty for rungs that came after it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bridge_gallery.command import ladder

RESULTS = Path(__file__).parent / "results"
PAGE, MEASURED = RESULTS / "gallery-rows.md", RESULTS / "gallery-h200.json"


@dataclass(frozen=True)
class Here:
    """A row that a rung answers. what: of the document; problem: how its title begins; figure: of
    the document, that of the rung if None."""

    what: str
    ladder: str
    problem: str
    rung: str
    figure: str | None = None


@dataclass(frozen=True)
class Together:
    """Rows of the document that are one row of the page."""

    what: str
    rows: tuple[Here, ...]


@dataclass(frozen=True)
class Said:
    """A row that has a sentence; or, where no rung alone answers it, what does."""

    what: str
    figure: str
    sentence: str


Line = Here | Together | Said
POINT, SPECIES = "245760 points, 64 species, the point", "245760 points, 64 species, the species"
COUNTED = "counted"


def rungs(name: str, problem: str) -> Iterator[Here]:
    """A row for every rung of a problem that has a word or a figure of the document."""
    for one in ladder(name).full():
        if one.title.startswith(problem):
            for rung in one.rungs:
                if rung.document:
                    yield Here(rung.name, name, problem, rung.name, rung.document)


def together(rows: Iterable[Here]) -> Iterator[Line]:
    """Rows that follow each other, with one figure and names that differ in one number: one."""
    group: list[Here] = []
    for row in rows:
        if group and (row.figure != group[0].figure or not varied([*group, row])):
            yield one_of(group)
            group = []
        group.append(row)
    if group:
        yield one_of(group)


def one_of(group: list[Here]) -> Line:
    return group[0] if len(group) == 1 else Together(varied(group), tuple(group))


def varied(rows: list[Here]) -> str:
    """The name of all, with `2 / 4 / 8` for the number that differs; "" where more differs."""
    parts = [re.split(r"(\d+)", row.what) for row in rows]
    if len({len(part) for part in parts}) > 1:
        return ""
    columns = [list(dict.fromkeys(column)) for column in zip(*parts, strict=True)]
    several = [place for place, column in enumerate(columns) if len(column) > 1]
    if len(several) > 1 or any(place % 2 == 0 for place in several):
        return ""
    return "".join(" / ".join(column) for column in columns)


def castles() -> list[Line]:
    """Talk: Kokkos in CASTLES, Part 1 (two Xeons of 10 cores, two K40). Its figures are compared
    in results/README.md."""
    solver, kernels = "README.md#the-whole-solver", "README.md#the-demo-and-kernels-on-a-cpu"
    ranks = "README.md#ranks-that-share-a-gpu"
    return [
        Said("profile of a process", "`preos` and `chung` take most of the run",
             "`bridge port --survey --profile`; `BRIDGE_TIMERS` for calls of the bridge"),
        Said("share of the properties", "most of the time from 4 species on",
             f"[78 to 90 %]({solver})"),
        Said("kernels, one for each subroutine", "about 50", "`bridge kernels` lists 71"),
        Said("Peng-Robinson on a CPU, cubic fit over NS species", "a chart",
             "[thermal and transport properties]"
             f"({kernels}), one thread, ns per point: legacy Fortran 583 + 23.2 NS + 17.5 NS² + "
             "0.001 NS³, bridge 50.8 + 4.92 NS + 0.540 NS² + 0.0076 NS³"),
        Said("Peng-Robinson alone on a GPU, speed-up over the species", "a chart; less with more",
             "with transport [28 to 451 times](README.md#from-host-arrays-to-host-arrays), more "
             "with more; alone not measured"),
        Said("chunks of 8192 and 12288 points", "good on a K40",
             f"[37 to 89 % of the best rate]({ranks})"),
        Said("blocks that change between steps", "chunks of one size",
             "the same; [many blocks](../how-to/many-blocks.md) in a set"),
        Said("fringes left out by the copy", "",
             "[bounds](../how-to/link-a-fortran-code.md) of `frame_bind`"),
        Said("GPU of a rank", "rank modulo GPUs; not the nearest",
             "the setting [`device`](../how-to/settings.md)"),
        Said("multi-process service (MPS)", "up to 3x of the whole, few species",
             f"[stripe calls](README.md#ranks-that-share-a-gpu) up to 2.3 times, the [whole]"
             f"({solver}) 0.90 to 1.08 times"),
        Said("the whole code, 40 ranks on 2 nodes", "2.5 to 3.0x",
             f"16 ranks, one H200: [5.0 to 10.1x]({solver}); two nodes not measured"),
        Said("the same source on the CPU", "as fast as the Fortran, by Intel's compiler",
             f"gcc: [9.0 to 18.4 times]({kernels}); the [whole]({solver}) 4.4 to 7.2 times"),
        Said("kernels with other code for a GPU", "2",
             "2 headers: sums of the attraction, rows of Takahashi's table"),
        Said("the node as a whole: 20 cores, with 2 K40", "a chart",
             f"[16 cores, with one H200]({solver}); two GPUs not measured"),
        Said("the node as a whole: Xeon Phi", "a chart", "not measured"),
        Said("ranks and threads of a node", "on a Xeon Phi 256 ranks of one thread",
             "not measured; the solver has a rank for each core"),
    ]  # fmt: skip


def nested_loops() -> list[Line]:
    """Talk: Kokkos in CASTLES, Part 2 (K40). Its charts have no numbers: its words stand here."""
    return [
        *together(rungs("nested-loops", POINT)),
        Said("48 KiB of cache for 2048 threads", "3 doubles a thread", "14 on an H200"),
        Said("hit rates, tiled by 2", "0.85 %, 0.65 %", COUNTED),
        Said("hit rate and occupancy, tiled by 4 at 12.5 %", "75.8 %, 0.125", COUNTED),
        Said("hit rate, local arrays of 2", "100 %", COUNTED),
        *rungs("nested-loops", SPECIES),
        Said("hit rate, warp team", "95.39 %", COUNTED),
        Said("the hall of fame: all times", "a chart", "the chart of the ladder"),
        Said("Kokkos: naive and unroll and jam by 2", "slower: 38 registers, occupancy 75 %",
             "no Kokkos here; the column launcher/bare shows what an abstraction costs"),
        Said("Kokkos: warp team", "faster", "no Kokkos here"),
    ]  # fmt: skip


def memory() -> list[Line]:
    """Blog post: advices for porting kernels (RTX 6000 Ada)."""
    sample1 = "sample 1, 134217728 points"
    return [
        *rungs("memory", sample1),
        Said("1: throughput of memory", "308.75 and 865 GB/s of 960", "GB/s of both rungs"),
        Said("1: written from L1 to L2", "9.14 GB", COUNTED),
        Said("1: reasons why warps wait", "a chart",
             "`ncu` shows it of `python -m bridge_gallery.sectors memory`"),
        Said("1: bytes used of a sector", "28.4 of 32", COUNTED),
        *rungs("memory", "sample 2"),
        *rungs("memory", "sample 3"),
        Said("3: bytes used of a sector", "4.0 of 32", COUNTED),
        Said("strided access, 4 of 8 sectors", "a quarter of the bandwidth",
             "half, by the rows of sample 3"),
        Said("3: mesh elements along a Z-order curve", "20 % of a whole code",
             "not measured; a host sorts points with [`sort_by_key`](../how-to/primitives.md)"),
        *rungs("memory", "sample 4"),
        Said("4: registers and stack", "28 and 16 B; 24 and 0", "columns registers and stack"),
        Said("4: use of local memory", "a chart", COUNTED),
        Said("multiply-adds in the latency of a load", "50 to 100",
             "no rung; a run's limits have bytes and operations"),
        Said("shared memory for neighbours", "", "ladders nbody and transpose"),
        Here("3. occupancy, announced", "memory", "occupancy", "for 512 threads on a processor",
             ""),
        Here("3. registers spilled", "memory", "occupancy", "for 1024 threads", ""),
        Here("4. cheap arithmetic: a division", "memory", "cheap", "a division", ""),
        Here("4. a product instead", "memory", "cheap", "a product with the inverse", ""),
        Here("4. powers", "memory", "powers", "x * x * x", ""),
        Here("5. divergence", "memory", "divergence", "lanes of a warp go different ways", ""),
        Here("5. templates", "memory", "templates", "an option of the compiler", ""),
        Said("CFD kernels of two codes", "20 to 50 % faster", "not here"),
    ]  # fmt: skip


def transpose() -> list[Line]:
    """NVIDIA's course on the memory of GPUs, GTC 2015 (K40, GB/s)."""
    single, double = (rungs("transpose", f"8192 x 8192 of {kind}") for kind in ("float", "double"))
    return [
        *(Together(one.what, (one, two)) for one, two in zip(single, double, strict=True)),
        Said("peaks: K40 single, double; a Xeon with both", "15, 5, 6, 3 operations a byte",
             "H200: 14 in single precision, 7 in double"),
        Said("operations of a matrix with a vector and with a matrix", "O(1), O(N) an access",
             "algebra: nothing to measure"),
        Said("loads under way", "56 planes", "step 5 shows it"),
        Said("bandwidth by counters", "1.5 times too much",
             "bytes here are those needed, each element once"),
        Said("rank of the kernels in a profiler", "100 to 1", "the order of the times"),
        Said("transactions of a store, step 2", "32 for 4", COUNTED),
        Said("transactions of shared memory, step 3", "16 for 1", "step 4 against step 3"),
        Said("final: speedup of step 5 over step 1", "14.15, 7.27", "the rows above"),
    ]  # fmt: skip


def course() -> list[Line]:
    """Course: parallel programming in CUDA (8800 GTX for scatter)."""
    scatter, scan = "scatter of", "inclusive scan"
    return [
        Said("kinds of memory and their latency", "1 to 100 cycles",
             "latency is not measured; each kind of memory has rungs"),
        Here("constant memory", "course", "64 coefficients", "constant memory, all lanes alike",
             "a request is split by addresses"),
        Here("the same, other addresses", "course", "64 coefficients",
             "constant memory, each lane its own", "a request is split by addresses"),
        Said("texture memory", "spatial locality", "the ladder of the fluids"),
        Here("a block of threads in two dimensions, x first", "course", "launches: sum",
             "blocks of 16 x 16, x along memory", ""),
        Here("the same against memory", "course", "launches: sum",
             "blocks of 16 x 16, y along memory", ""),
        Here("execution configuration: threads", "course", "launches: sum",
             "blocks of 256 threads", "256"),
        Here("execution configuration: shared memory", "course", "launches: sum",
             "256 threads, 100 KiB of shared memory", ""),
        Said("events", "elapsed time", "every time of the gallery is between two events"),
        Here("a launch alone", "course", "launches of an empty", "one", "asynchronous"),
        Said("errors: the last error of a call", "a text", "the end of the ladder's page"),
        Here("divergence in whole warps", "course", "divergence", "whole warps go one way",
             "none"),
        Here("divergence in a warp", "course", "divergence", "half of each warp", "serialised"),
        Said("1000 values, blocks of 256", "1 warp of 32, 3 %", "arithmetic: the same"),
        Said("tiles of a matrix of 100 x 100", "350 of 2944, less than 12 %",
             "arithmetic: 350 of 2744, 13 %"),
        Said("map: differences of neighbours", "",
             "[a kernel of neighbours](../how-to/write-block-kernels.md), `bridge bench loops`"),
        Here("an access pattern makes a difference", "course", scatter, "in order", "30 times"),
        Said("misses of the example, one pass and two", "62.5 %, 25 %",
             "by hand for a cache of two lines"),
        Said("the cost model", "85 % right", "the page has its times beside the measured ones"),
        *rungs("course", scatter),
        Said("scatter on CPUs", "2 to 7, 7 to 13 times slower", "no CPU of 2007 is here"),
        Said("applications of scatter", "10 to 50 % faster", "the sort by splits"),
        Here("gather", "course", "gather of", "random places", "random reads"),
        Here("reduction, even threads", "course", "sum of", "threads with an even number go on",
             "half of each warp waits"),
        Here("reduction, first threads", "course", "sum of", "the first threads go on", "better"),
        Here("privatisation: a sum for each thread, then a tree", "course", "sum of",
             "ours: few blocks, shuffles", ""),
        Here("scan, n log n", "course", scan, "n log n additions", "10 times for 1024"),
        Here("scan, a tree", "course", scan, "a tree, down and up", "2 (n - 1) additions"),
        Said("the sausage", "39 inches left", "tests of `scan`"),
        Here("split by counts, scan and scatter", "course", "split of", "flags, scan, scatter",
             ""),
        Here("filter", "course", "even ones of", "flags, scan, scatter of what is kept", ""),
        Said("counting sort", "O(n)", "a pass of the radix sort"),
        Here("parallel radix sort, step 2: tiles", "course", "tiles of 512",
             "radix sort of each in shared memory", ""),
        Said("parallel radix sort, step 3: merges", "", "no rung: a sort of all bits needs none"),
        Here("radix sort", "course", "sort of", "radix sort, 16 splits", "the fastest on a GPU"),
        Said("a kernel of a thread, against a CPU", "72.4, 36.7, 68.1 times slower",
             "no CPU of then is here"),
    ]  # fmt: skip


def nbody() -> list[Line]:
    """The same course: bodies (GTX 680)."""
    return [
        *rungs("nbody", "1000 bodies"),
        Said("the same on C1.3 and C2.0 devices", "a table",
             "the rungs have the figures of the GTX 680"),
        Said("n threads against a CPU", "107.5, 176.7, 176.2", "no CPU of then is here"),
        *rungs("nbody", "131072 bodies"),
        Here("use_fast_math", "nbody", "131072 bodies", "all fast mathematics", "ftz suffices"),
        Said("absolute: C2050", "612 ms, 326.7 GFlop/s, 32 %", "% of the peak of every rung"),
        Said("final: GTX 480, GTX 680", "66 %, 54 % of the peak", "the same"),
        Here("ours", "nbody", "131072 bodies",
             "ours: 4 bodies a thread, 256 threads, unrolled 8 times, ftz", ""),
        Said("advancing the bodies", "0.1 % of the time", "no rung"),
        Said("hybrid execution", "10 % on the CPU hardly pays",
             "a run takes one of both (setting `backend`)"),
    ]  # fmt: skip


def stable_fluids() -> list[Line]:
    """Report of a laboratory on CUDA (RTX 2080 Ti, GTX 1060)."""

    def row(what: str, rung: str, figure: str | None = None, n: int = 4096) -> Here:
        return Here(what, "fluids", f"{n} x {n} ", rung, figure)

    labs = {128: "0.79x", 512: "1.47x", 2048: "1.57x", 4096: "5.65x", 8192: "6.84x"}
    speedups = tuple(row("", "stepburst", gain, n) for n, gain in labs.items())
    return [
        Said("hardware", "68 and 10 processors", "the first line of a run names the device"),
        Said("a step as clouds; diffuse, project, advect", "drawings",
             "`fluids/launches.py`: 331 launches a step"),
        row("reactburst", "reactburst", ""),
        row("threacburst", "threacburst", ""),
        row("stepburst", "stepburst"),
        Said("results of the migration", "a chart", "the chart of the ladder"),
        row("fullburst", "fullburst"),
        Said("launches that wait in the queue", "around 1024", "1022 on an H200"),
        row("streamburst, a stream for each launch", "streamburst, 32 streams"),
        row("streams by what depends on what", "streamburst, 3 streams", "a drawing"),
        row("graphburst", "graphburst, 3 streams"),
        row("a graph without streams", "fullburst as a graph", ""),
        Said("share of the half sweeps", "85 % of the time", "1200 of 1372 bytes of a step"),
        row("stepburst-tex", "textures (stepburst-tex)"),
        row("onekernel", "onekernel"),
        Said("onekernel, not syncing", "1.6", "no rung: its results are wrong"),
        row("occupancy API", "occupancy (stepburst-occupancy)", "needed to launch it"),
        Said("cache preference", "no gain", "no rung: without shared memory all of it is cache"),
        row("stepburst-shmem", "shared memory (stepburst-shmem)"),
        Said("hit rate of the half sweep", "40 %", COUNTED),
        Said("same, same0, neigh up, down, left, right", "write miss?, miss, hit, hit, miss, "
             "vectorized", COUNTED),
        Said("stepburst-shmem with same0", "no gain", "the next row"),
        row("onekernel-shmem", "onekernel-shmem"),
        row("stepburst-occupancy", "occupancy (stepburst-occupancy)"),
        row("stepburst-roae: vector loads", "roae: 16 bytes a load, aligned rows"),
        row("roae: unrolled loops", "roae: four rows a thread"),
        row("roae: flags of the compiler", "roae: all fast mathematics"),
        row("roae: a division less", "roae: product with the inverse", ""),
        row("roae: blocks of 8 x 8", "roae: blocks of 8 x 8"),
        row("roae: other blocks", "roae: blocks of 64 x 4", "many gave good results"),
        row("roae: `__stwt`", "roae: streaming stores"),
        row("roae: `__ldg`", "roae: __ldg", "0 %, 2 % on the GTX 1060"),
        Said("stepburst-shidden: found again", "2.21 to 100 %",
             "no rung: it reads undefined values"),
        Said("Thrust, CUB, ModernGPU", "words", "CuPy's (CUB) in the ladder `course`"),
        Said("CPU and GPU together", "not done", "a run takes one of both (setting `backend`)"),
        Said("Tensor and RT cores", "not done", "a sweep is no product of matrices"),
        Said("cuSOLVER", "not done", "another solver has another result"),
        row("loop skewing", "ours: 5 passes of 4 sweeps, a graph", "not done"),
        row("the same, 2 sweeps a pass", "ours: 10 passes of 2 sweeps, a graph", "not done"),
        row("the same, 5 sweeps a pass", "ours: 4 passes of 5 sweeps, a graph", "not done"),
        Said("the whole step at 4096, in ns per cell", "2.5 and 3.5",
             "0.60 (fullburst) to 0.16 (ours)"),
        Together("speed-up of lab4, N = 128 / 512 / 2048 / 4096 / 8192", speedups),
        Said("speed-up, lab1 to lab3", "1.05x to 20.0x",
             "of a CPU's program: not timed"),
        Said("speed-up, total", "18x to 940x",
             "over a program without optimisation: not timed"),
    ]  # fmt: skip


DOCUMENTS = {
    "Talk on Kokkos in CASTLES, Part 1 (two Xeons of 10 cores, two K40)": castles,
    "Talk on Kokkos in CASTLES, Part 2 (`nested-loops`; K40)": nested_loops,
    "Blog post with advices for porting kernels (`memory`; RTX 6000 Ada)": memory,
    "NVIDIA's course on GPU memory, 2015 (`transpose`; K40, GB/s, float / double)": transpose,
    "Report: stable fluids on a GPU (`fluids`; RTX 2080 Ti, ns per cell and step)": stable_fluids,
    "Course on parallel programming (`course`; 8800 GTX)": course,
    "The same: bodies (`nbody`; GTX 680)": nbody,
}


def measured() -> dict[tuple[str, str, str], float]:
    """Milliseconds of the run that is kept, by ladder, problem and rung."""
    rows = json.loads(MEASURED.read_text(encoding="utf-8"))["rows"]
    return {
        (row["params"]["ladder"], row["params"]["problem"], row["name"]): row["value"]
        for row in rows
        if row["unit"] == "ms" and row["reference"] is None
    }


def line(row: Line, times: dict[tuple[str, str, str], float]) -> str:
    """Of the table; ValueError where the rung is none of the ladder's."""
    if isinstance(row, Said):
        return f"| {row.what} | {row.figure} | {row.sentence} | |"
    if isinstance(row, Here):
        return f"| {' | '.join((row.what, *answer(row, times)))} |"
    figures, names, shown = zip(*(answer(one, times) for one in row.rows), strict=True)
    once = (" / ".join(dict.fromkeys(cells)) for cells in (figures, names))
    return f"| {' | '.join((row.what, *once, ' / '.join(shown)))} |"


def answer(row: Here, times: dict[tuple[str, str, str], float]) -> tuple[str, str, str]:
    """Figure of the document, name of the rung where it is not that of the row, milliseconds."""
    for problem in ladder(row.ladder).full():
        for rung in problem.rungs if problem.title.startswith(row.problem) else ():
            if rung.name == row.rung:
                figure = row.figure if row.figure is not None else rung.document
                time = times.get((row.ladder, problem.title, rung.name))
                name = "" if rung.name == row.what else rung.name
                return figure, name, "" if time is None else f"{time:.3g}"
    raise ValueError(f"{row.ladder} has no problem '{row.problem}' with a rung '{row.rung}'")


INTRODUCTION = """\
# Rows of the documents, and what answers them

Made by `docs/gallery_rows.py` from the [ladders](../performance-guide.md).

- *here*: the rung of the ladder, where its name is not that of the row; for rows without a time
  what answers them. *counted*: not measured; `bridge gallery LADDER --sectors` counts it.
- *ms*: of the H200 in [gallery-h200.json](gallery-h200.json)."""


def page() -> str:
    """The whole page."""
    times = measured()
    parts = [INTRODUCTION]
    for title, rows in DOCUMENTS.items():
        parts += [
            "",
            f"## {title}",
            "",
            "| row | document | here | ms |",
            "| --- | --- | --- | ---: |",
        ]
        parts += [line(row, times) for row in rows()]
    return "\n".join([*parts, ""])


def main(words: list[str]) -> int:
    """The exit status."""
    text = page()
    if words == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            print(f"{PAGE} is out of date: python docs/gallery_rows.py")
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
