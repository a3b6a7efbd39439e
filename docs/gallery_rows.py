"""Write results/gallery-rows.md: every row of the source documents' tables and figures beside the
rung that answers it, or a sentence that says why there is none.

    python docs/gallery_rows.py            rewrite the page
    python docs/gallery_rows.py --check    exit 1 where it is out of date

Names of rungs and the documents' figures are those of the ladders; times are those of the run that
is kept in results/gallery-h200.json, and stay empty for rungs that came after it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
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
class Said:
    """A row that has a sentence; or, where no rung alone answers it, what does."""

    what: str
    figure: str
    sentence: str


Line = Here | Said
POINT, SPECIES = "245760 points, 64 species, the point", "245760 points, 64 species, the species"
COUNTED = "not measured; `bridge gallery nested-loops --sectors` counts it"
HITS = "not measured; `bridge gallery fluids --sectors` counts it"
SECTORS = "not measured; `bridge gallery memory --sectors` counts it"


def rungs(name: str, problem: str, before: str = "") -> Iterator[Here]:
    """A row for every rung of a problem that has a word or a figure of the document."""
    for one in ladder(name).full():
        if one.title.startswith(problem):
            for rung in one.rungs:
                if rung.document:
                    yield Here(before + rung.name, name, problem, rung.name)


def castles() -> list[Line]:
    """Talk: Kokkos in CASTLES, Part 1 (two Xeons of 10 cores, two K40). Figures of the files of
    docs/results that results/README.md lists."""
    return [
        Said("top-down profile of a process", "`preos` and `chung` take most of the run",
             "a profiler's times of the host go into `bridge port --survey --profile`; "
             "`BRIDGE_TIMERS` has the calls of the bridge, over ranks"),
        Said("share of the properties", "most of the time from 4 species on", "`bridge bench "
             "solver`, of a step in Fortran: 90 % at 1 species, 87 % at 6, 78 % at 16, 86 % at "
             "53"),
        Said("about 50 kernels, one for each subroutine", "50", "`bridge kernels` lists 71"),
        Said("time over the species, cubic fit of Peng-Robinson on a CPU", "a NS + b NS^2 + "
             "c NS^3, a chart", "`bridge bench kernels`, one thread, ns per point of thermal and "
             "transport properties: legacy Fortran 583 + 23.2 NS + 17.5 NS^2 + 0.001 NS^3, bridge "
             "50.8 + 4.92 NS + 0.540 NS^2 + 0.0076 NS^3; the cubic term of the Fortran is no "
             "larger than its error"),
        Said("speed-up of Peng-Robinson alone on a GPU, over the species", "a chart; less with "
             "more species", "`bridge bench offload` has it with transport, from host arrays to "
             "host arrays, an H200 over 16 cores: 28, 29, 46, 120, 451 times the legacy Fortran "
             "at 1, 4, 8, 16, 53 species, 16 to 39 times the hand-tuned one; more with more "
             "species; Peng-Robinson alone on a GPU is not measured"),
        Said("chunks of 8192 and 12288 points", "good on a K40", "`bridge bench ranks`: 37 to "
             "89 % of the best rate on an H200; chunks of 131072 have at least 90 %"),
        Said("blocks that change between steps", "chunks of one size", "the same, without a new "
             "allocation; many blocks in one set: `bridge bench many`, a regrid takes 25 to "
             "40 ms until its first results"),
        Said("fringes left out by the copy", "no figure", "bounds of `frame_bind` and of stripe "
             "calls ([how-to](../how-to/link-a-fortran-code.md))"),
        Said("GPU of a rank", "rank modulo GPUs; not the nearest", "the setting `device`: given, "
             "local-rank, nearest ([settings](../how-to/settings.md))"),
        Said("multi-process service (MPS)", "up to 3x of the whole, few species", "`bridge bench "
             "ranks`: stripe calls 1.2 to 1.8 times with 8 ranks, 1.7 to 2.3 times with 16; bound "
             "runs in chunks of 8192 within 2 %; `bridge bench solver`, the whole with 16 ranks: "
             "0.90, 0.97, 1.08, 0.91 times at 1, 6, 16, 53 species"),
        Said("the whole code, 40 ranks on 2 nodes", "2.5 to 3.0x", "`bridge bench solver`, 16 "
             "ranks, one H200: 8.4x at 1 species, 5.0x at 6, 6.2x at 16, 10.1x at 53; two nodes "
             "are not measured"),
        Said("the same source on the CPU", "as fast as the Fortran, by Intel's compiler",
             "`bridge bench kernels`, gcc, one thread with AVX-512: 9.0 to 18.5 times the legacy "
             "Fortran, 2.4 to 5.2 times the hand-tuned one; `bridge bench solver`, 16 ranks "
             "without a GPU: 4.4 to 7.2x of the whole"),
        Said("kernels with other code for a GPU", "2", "2 headers have a part for each: sums of "
             "the attraction, rows of Takahashi's table"),
        Said("the node as a whole: 20 cores, with 2 K40", "a chart", "`bridge bench solver`, ms "
             "per step of 16 cores in Fortran, of them with the bridge, with one H200: 243, 43, "
             "29 at 1 species; 547, 124, 109 at 6; 892, 168, 144 at 16; 1518, 211, 151 at 53. "
             "The solver with two GPUs is not measured; `bridge bench ranks`, properties alone: "
             "two have 1.67 times the rate of one at 4 species, 1.78 at 53"),
        Said("the node as a whole: Xeon Phi", "a chart", "not measured: there is no such machine"),
        Said("ranks and threads of a node", "on a Xeon Phi 256 ranks of one thread are best",
             "not measured; the solver above has a rank for each core"),
    ]  # fmt: skip


def nested_loops() -> list[Line]:
    """Talk: Kokkos in CASTLES, Part 2 (K40). Its charts have no numbers: its words stand here."""
    return [
        *rungs("nested-loops", POINT),
        Said("48 KiB of cache for 2048 threads", "3 doubles a thread", "the lesson of the page: a "
             "thread of an H200 has 14 (228 KiB for 2048 threads)"),
        Said("hit rates, tiled by 2", "0.85 %, 0.65 %", COUNTED),
        Said("hit rate and occupancy, tiled by 4 at 12.5 %", "75.8 %, 0.125", COUNTED),
        Said("hit rate, local arrays of 2", "100 %", COUNTED),
        *rungs("nested-loops", SPECIES),
        Said("hit rate, warp team", "95.39 %", COUNTED),
        Said("the hall of fame: all times", "a chart", "the chart of the ladder"),
        Said("Kokkos: naive and unroll and jam by 2", "slower: 38 registers, occupancy 75 %",
             "what an abstraction costs is the column launcher/bare, registers stand beside; the "
             "bridge is not written in Kokkos"),
        Said("Kokkos: warp team", "faster", "the same"),
    ]  # fmt: skip


def memory() -> list[Line]:
    """Blog post: advices for porting kernels (RTX 6000 Ada)."""
    sample1 = "sample 1, 134217728 points"
    return [
        *rungs("memory", sample1),
        Said("1: throughput of memory", "308.75 and 865 GB/s of 960", "GB/s and % of a copy of "
             "both rungs"),
        Said("1: written from L1 to L2", "9.14 GB", SECTORS),
        Said("1: reasons why warps wait", "a figure", "a profiler's own page: ncu shows it of "
             "`python -m bridge_gallery.sectors memory`"),
        Said("1: bytes used of a sector", "28.4 of 32", SECTORS),
        *rungs("memory", "sample 2"),
        *rungs("memory", "sample 3"),
        Said("3: bytes used of a sector", "4.0 of 32", SECTORS),
        Said("strided access, 4 of 8 sectors", "a quarter of the bandwidth", "half, by the two "
             "rows of sample 3; sectors are not measured"),
        Said("3: mesh elements along a Z-order curve", "20 % of a whole code", "not measured: the "
             "bridge's arrays are blocks with x along memory; a host with lists of points sorts "
             "them once ([`sort_by_key`](../how-to/primitives.md))"),
        *rungs("memory", "sample 4"),
        Said("4: registers and stack", "28 and 16 B; 24 and 0", "columns registers and stack"),
        Said("4: use of local memory", "a figure", "not measured; column local of `--sectors`"),
        Said("a latency of 50 to 100 multiply-adds a load", "50 to 100", "no rung: the figure is "
             "of other pages of its author; the limits of a run have bytes and operations"),
        Said("shared memory for neighbours", "no figure", "ladders nbody and transpose"),
        Here("3. occupancy, announced", "memory", "occupancy", "for 512 threads on a processor",
             "no figure"),
        Here("3. registers spilled", "memory", "occupancy", "for 1024 threads", "no figure"),
        Here("4. cheap arithmetic: a division", "memory", "cheap", "a division", "no figure"),
        Here("4. a product instead", "memory", "cheap", "a product with the inverse", "no figure"),
        Here("4. powers", "memory", "powers", "x * x * x", "no figure"),
        Here("5. divergence", "memory", "divergence", "lanes of a warp go different ways",
             "no figure"),
        Here("5. templates", "memory", "templates", "an option of the compiler", "no figure"),
        Said("CFD kernels of two codes", "20 to 50 % faster", "those kernels are not here; the "
             "bridge's own stand in `bridge bench offload`"),
    ]  # fmt: skip


def transpose() -> list[Line]:
    """NVIDIA's course on the memory of GPUs, GTC 2015 (K40, GB/s)."""
    sized = {"float": "8192 x 8192 of float", "double": "8192 x 8192 of double"}
    return [
        *(row for kind, title in sized.items() for row in rungs("transpose", title, kind + ", ")),
        Said("peaks: K40 single, double; a Xeon with both", "15, 5, 6, 3 operations a byte",
             "the line of limits: multiply-adds over the copy, 14 in single and 7 in double "
             "precision on an H200"),
        Said("operations of a matrix with a vector and with a matrix", "O(1), O(N) an access",
             "algebra: nothing to measure"),
        Said("loads under way", "56 planes", "an analogy; 5: several values a thread shows it"),
        Said("bandwidth by counters", "1.5 times too much", "bytes here are those that are "
             "needed, each element once; counters stand in `--sectors` alone"),
        Said("rank of the kernels in a profiler", "100 to 1", "the order of the times"),
        Said("transactions of a store, step 2", "32 for 4", "by arithmetic 4 or 8 bytes of 32 in "
             "column stores; not measured, `bridge gallery transpose --sectors` counts it"),
        Said("transactions of shared memory, step 3", "16 for 1", "step 4 against step 3: the "
             "column more"),
        Said("final: speedup of step 5 over step 1", "14.15, 7.27", "the rows above"),
    ]  # fmt: skip


def course() -> list[Line]:
    """Course: parallel programming in CUDA (8800 GTX for scatter)."""
    scatter, scan = "scatter of", "inclusive scan"
    return [
        Said("kinds of memory and their latency", "1 to 100 cycles", "no rung measures a latency; "
             "constant, global, shared and local memory have rungs of their own in course, "
             "nbody, transpose and memory"),
        Here("constant memory", "course", "64 coefficients", "constant memory, all lanes alike",
             "a request is split by addresses"),
        Here("the same, other addresses", "course", "64 coefficients",
             "constant memory, each lane its own", "a request is split by addresses"),
        Said("texture memory", "spatial locality", "the ladder of the fluids"),
        Here("a block of threads in two dimensions, x first", "course", "launches: sum",
             "blocks of 16 x 16, x along memory", "no figure"),
        Here("the same against memory", "course", "launches: sum",
             "blocks of 16 x 16, y along memory", "no figure"),
        Here("execution configuration: threads", "course", "launches: sum",
             "blocks of 256 threads", "256"),
        Here("execution configuration: shared memory", "course", "launches: sum",
             "256 threads, 100 KiB of shared memory", "no figure"),
        Said("events", "elapsed time", "every time of the gallery lies between two events"),
        Here("a launch alone", "course", "launches of an empty", "one", "asynchronous"),
        Said("errors: the last error of a call", "a text", "the page of the ladder ends with the "
             "errors of a process of its own: one that is refused, one that stays (sticky)"),
        Here("divergence in whole warps", "course", "divergence", "whole warps go one way",
             "none"),
        Here("divergence in a warp", "course", "divergence", "half of each warp", "serialised"),
        Said("1000 values, blocks of 256", "1 warp of 32, 3 %", "counted, not measured: the last "
             "block of any size has one such warp"),
        Said("tiles of a matrix of 100 x 100", "350 of 2944, less than 12 %", "counted: 350 of "
             "2744, 13 %, which the page says; the bridge's own edges are masked lanes"),
        Said("map: differences of neighbours", "no figure", "a kernel of neighbours of the bridge "
             "([how-to](../how-to/write-block-kernels.md)), timed by `bridge bench stage`"),
        Here("an access pattern makes a difference", "course", scatter, "in order", "30 times"),
        Said("misses of the example, one pass and two", "62.5 %, 25 %", "worked out by hand for a "
             "cache of two lines; here: places within a part of the target"),
        Said("the cost model", "85 % right", "the page holds its times beside the measured ones"),
        *rungs("course", scatter),
        Said("scatter on CPUs", "2 to 7, 7 to 13 times slower", "no CPU of 2007 is here; "
             "`bridge bench offload` has the bridge's kernels on both"),
        Said("applications of scatter", "10 to 50 % faster", "the sort by splits of the ladder"),
        Here("gather", "course", "gather of", "random places", "random reads"),
        Here("reduction, even threads", "course", "sum of", "threads with an even number go on",
             "half of each warp waits"),
        Here("reduction, first threads", "course", "sum of", "the first threads go on", "better"),
        Here("privatisation: a sum for each thread, then a tree", "course", "sum of",
             "ours: few blocks, shuffles", "no figure"),
        Here("scan, n log n", "course", scan, "n log n additions", "10 times for 1024"),
        Here("scan, a tree", "course", scan, "a tree, down and up", "2 (n - 1) additions"),
        Said("the sausage", "39 inches left", "a test of `scan` in a few numbers would say no "
             "more than those that are there"),
        Here("split by counts, scan and scatter", "course", "split of", "flags, scan, scatter",
             "no figure"),
        Here("filter", "course", "even ones of", "flags, scan, scatter of what is kept",
             "no figure"),
        Said("counting sort", "O(n)", "a pass of the radix sort is one"),
        Here("parallel radix sort, step 2: tiles", "course", "tiles of 512",
             "radix sort of each in shared memory", "no figure"),
        Said("parallel radix sort, step 3: merges", "no figure", "the outline alone; a sort over "
             "all bits needs none, and CuPy's is seven times faster than ours"),
        Here("radix sort", "course", "sort of", "radix sort, 16 splits", "the fastest on a GPU"),
        Said("a kernel of a thread, against a CPU", "72.4, 36.7, 68.1 times slower", "no CPU of "
             "then is here; the row is the first of the next ladder"),
        *rungs("nbody", "1000 bodies"),
        Said("the same on C1.3 and C2.0 devices", "7781, 6495; 0.83, 0.96; 1.015, 1.016; 0.99, "
             "1.83; 0.55, 1.00; 3.7, 1.1; 1.07, 1.16; 1.38, 1.54; 1.03, 1.05; 1.01, 1.04; 1.00, "
             "1.18", "the rungs hold the figures of its newest device, a GTX 680"),
        Said("n threads against a CPU", "107.5, 176.7, 176.2", "the same"),
        *rungs("nbody", "131072 bodies"),
        Here("use_fast_math", "nbody", "131072 bodies", "all fast mathematics", "ftz suffices"),
        Said("absolute: C2050", "612 ms, 326.7 GFlop/s, 32 %", "% of the peak of every rung"),
        Said("final: GTX 480, GTX 680", "66 %, 54 % of the peak", "the same; ours below"),
        Here("ours", "nbody", "131072 bodies",
             "ours: 4 bodies a thread, 256 threads, unrolled 8 times, ftz", "no row"),
        Said("advancing the bodies", "0.1 % of the time", "no rung: it is unimportant there too"),
        Said("hybrid execution", "10 % on the CPU hardly pays", "the bridge's `backend` auto "
             "takes one of both for a run"),
    ]  # fmt: skip


def stable_fluids() -> list[Line]:
    """Report of a laboratory on CUDA (RTX 2080 Ti, GTX 1060)."""

    def row(what: str, rung: str, figure: str | None = None, n: int = 4096) -> Here:
        return Here(what, "fluids", f"{n} x {n} ", rung, figure)

    labs = {128: "0.79x", 512: "1.47x", 2048: "1.57x", 4096: "5.65x", 8192: "6.84x"}
    return [
        Said("hardware", "68 and 10 processors", "the first line of a run names the device"),
        Said("a step as clouds; diffuse, project, advect", "drawings", "`fluids/launches.py`: a "
             "launch for each cloud, 331 a step"),
        row("reactburst", "reactburst", "no figure"),
        row("threacburst", "threacburst", "no figure"),
        row("stepburst", "stepburst"),
        Said("results of the migration", "a chart", "the chart of the ladder"),
        row("fullburst", "fullburst"),
        Said("launches that wait in the queue", "around 1024", "the page's last line but the "
             "mistakes: launch 1022 behind a busy kernel waits on an H200"),
        row("streamburst, a stream for each launch", "streamburst, 32 streams"),
        row("streams by what depends on what", "streamburst, 3 streams", "a drawing"),
        row("graphburst", "graphburst, 3 streams"),
        row("a graph without streams", "fullburst as a graph", "no row"),
        Said("share of the half sweeps", "85 % of the time", "1200 of 1372 bytes of a step"),
        row("stepburst-tex", "textures (stepburst-tex)"),
        row("onekernel", "onekernel"),
        Said("onekernel, not syncing", "1.6", "no rung: its results are wrong, and others in "
             "each run"),
        row("occupancy API", "occupancy (stepburst-occupancy)", "needed to launch it"),
        Said("cache preference", "no gain", "no rung: a hint; a kernel without shared memory "
             "leaves all of it to the cache"),
        row("stepburst-shmem", "shared memory (stepburst-shmem)"),
        Said("hit rate of the half sweep", "40 %", HITS),
        Said("same, same0, neigh up, down, left, right", "write miss?, miss, hit, hit, miss, "
             "vectorized", HITS),
        Said("stepburst-shmem with same0", "no gain", "what stays over all sweeps is the next "
             "row; over one sweep nothing is read twice"),
        row("onekernel-shmem", "onekernel-shmem"),
        row("stepburst-occupancy", "occupancy (stepburst-occupancy)"),
        row("stepburst-roae: vector loads", "roae: 16 bytes a load, aligned rows"),
        row("roae: unrolled loops", "roae: four rows a thread"),
        row("roae: flags of the compiler", "roae: all fast mathematics"),
        row("roae: a division less", "roae: product with the inverse", "no row"),
        row("roae: blocks of 8 x 8", "roae: blocks of 8 x 8"),
        row("roae: other blocks", "roae: blocks of 64 x 4", "many gave good results"),
        row("roae: `__stwt`", "roae: streaming stores"),
        row("roae: `__ldg`", "roae: __ldg", "0 %, 2 % on the GTX 1060"),
        Said("stepburst-shidden: found again of N <= 64, 512, 2048", "100, 50, 50 % on the GTX "
             "1060; 100, 25, 2.21 % on the RTX 2080 Ti", "no rung: it reads what is undefined; "
             "what it wants is onekernel-shmem"),
        Said("Thrust, CUB, ModernGPU", "words", "stepburst has CuPy's sums, the ladder `course` "
             "its own reduce, scan and sort beside CuPy's (CUB)"),
        Said("CPU and GPU together", "not done", "the bridge's `backend` auto takes one of both "
             "for a run"),
        Said("Tensor and RT cores", "not done", "a sweep is no product of matrices; the bridge "
             "uses the former for sums over pairs of species"),
        Said("cuSOLVER", "not done", "another solver has another result"),
        row("loop skewing", "ours: 5 passes of 4 sweeps, a graph", "not done"),
        row("the same, 2 sweeps a pass", "ours: 10 passes of 2 sweeps, a graph", "not done"),
        row("the same, 5 sweeps a pass", "ours: 4 passes of 5 sweeps, a graph", "not done"),
        Said("the whole step at 4096, in ns per cell", "2.5 and 3.5", "a launch for each half "
             "sweep: 0.60 (fullburst), 0.50 with as many blocks as the device holds, 0.42 with "
             "loads of 16 bytes; several sweeps in a pass (ours): 0.23 to 0.16; the Fortran "
             "program through the bridge, kernels in double precision: 0.92 (`bridge bench "
             "fluids`)"),
        *(row(f"speed-up, N = {n}, lab4", "stepburst", gain, n) for n, gain in labs.items()),
        Said("speed-up, lab1 to lab3", "1.05x, 10.8x, 2.04x (128); 1.46x, 11.1x, 15.7x (512); "
             "1.69x, 11.4x, 20.0x (2048); 2.32x, 10.2x, 6.87x (4096); 2.27x, 9.85x, 6.14x (8192)",
             "steps of a CPU's program: flags, vectors, threads; the gallery times GPUs alone"),
        Said("speed-up, total", "18x, 375x, 608x, 916x, 940x", "over a program without "
             "optimisation: no such program is timed here"),
    ]  # fmt: skip


DOCUMENTS = {
    "Talk on Kokkos in CASTLES, Part 1 (two Xeons of 10 cores, two K40)": castles,
    "Talk on Kokkos in CASTLES, Part 2 (`nested-loops`; K40)": nested_loops,
    "Blog post with advices for porting kernels (`memory`; RTX 6000 Ada)": memory,
    "NVIDIA's course on the memory of GPUs, 2015 (`transpose`; K40, GB/s)": transpose,
    "Report: stable fluids on a GPU (`fluids`; RTX 2080 Ti, ns per cell and step)": stable_fluids,
    "Course on parallel programming (`course`, `nbody`; 8800 GTX, GTX 680)": course,
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
    for problem in ladder(row.ladder).full():
        for rung in problem.rungs if problem.title.startswith(row.problem) else ():
            if rung.name == row.rung:
                figure = row.figure if row.figure is not None else rung.document
                time = times.get((row.ladder, problem.title, rung.name))
                shown = "" if time is None else f"{time:.3g}"
                here = f"`{row.ladder}`: {rung.name}"
                return f"| {row.what} | {figure} | {here} | {shown} |"
    raise ValueError(f"{row.ladder} has no problem '{row.problem}' with a rung '{row.rung}'")


def page() -> str:
    """The whole page."""
    times = measured()
    parts = [
        "# Rows of the documents, and what answers them",
        "",
        "Made by `docs/gallery_rows.py` from the [ladders](../performance-guide.md), which hold "
        "the documents' figures. ms: of the H200 in [gallery-h200.json](gallery-h200.json); empty "
        "for rungs that came after that run. Figures of other commands: [results](README.md).",
    ]
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
