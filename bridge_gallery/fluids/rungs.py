"""The rungs of stable fluids, in the order of the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bridge_gallery.fluids import blocked, launches, reactions, reference
from bridge_gallery.fluids.blocked import Passes
from bridge_gallery.fluids.launches import SETTINGS, Solve, Steps, Work, half_sweeps, whole
from bridge_gallery.fluids.layouts import Halves, Rows
from bridge_gallery.rung import PROCESSORS, Arrays, Problem, Rung, Texture

SIZE = 4096
#: Cells along a side -> what the document gained over its CPU version before.
MANY = {128: "0.79x", 512: "1.47x", 1024: "", 2048: "1.57x", SIZE: "5.65x", 8192: "6.84x"}
#: Cells along a side, steps, kept rungs by the beginnings of their names: all of them, with a
#: source beside the one in the middle, no multiple of a tile; those that react in their own way, a
#: second time without sources; no source but the one in the middle; strips that touch no border.
SMALL = (
    (70, 1, ("",)),
    (66, 2, ("reactburst", "threacburst", "stepburst", "fullburst", "streamburst", "ours")),
    (64, 1, ("fullburst", "ours: 5")),
    (234, 1, ("ours: 4", "ours: 5")),
)
FIELDS = ("u", "v", "d")
TOLERANCE = 1e-5
#: Where a cell's value is rounded once instead of four times: advection by many cells next to a
#: source makes 1e-5 of a difference in the last digit of a velocity.
ROUNDED = 2e-4
#: As the legacy program computes; fused multiply-adds have other last digits.
EXACT = ("--fmad=false",)
_SHARED = 56  # values of a thread of 1024 in the shared memory of a processor


def problem(n: int, few: bool = False) -> Problem:
    """A step, timed; few: the rungs of the table over sizes."""
    return _problem(n, 1, few, partial(_empty, n, few))


def small_problem(n: int, steps: int, kept: tuple[str, ...]) -> Problem:
    """Some steps, checked."""
    made = _problem(n, steps, False, partial(_stirred, n))
    return replace(made, rungs=tuple(one for one in made.rungs if one.name.startswith(kept)))


def _problem(n: int, steps: int, few: bool, arrays: Any) -> Problem:
    rungs = _rungs(n, steps)
    document = "RTX 2080 Ti, ns per cell"
    if few:
        kept = ("stepburst", "fullburst", "fullburst as a graph",
                "ours: 10 passes of 2 sweeps, a graph", "ours: 5 passes of 4 sweeps, a graph",
                "ours: 5 passes of 4 sweeps, a graph, 64 rows")  # fmt: skip
        rungs = [one for one in rungs if one.name in kept]
        document = f"its gain over its CPU version: {MANY[n]}" if MANY.get(n) else ""
        rungs = [_without_word(one) for one in rungs]
    title = f"{n} x {n} cells, {steps} step{'s' if steps > 1 else ''}"
    return Problem(
        title, arrays, partial(_expected, n, steps), tuple(rungs), document=document,
        single_precision=True, cells=n * n * steps, restored=True,
    )  # fmt: skip


def _without_word(one: Rung) -> Rung:
    return replace(one, document="")


# ---- fields -----------------------------------------------------------------------------------


def _layouts(n: int) -> dict[str, Halves | Rows]:
    return {"": Halves.of_document(n), "aligned_": Halves.aligned(n), "rows_": Rows(n)}


def _beside() -> dict[str, np.ndarray]:
    return {"most": np.zeros(2, "f4"), "counter": np.zeros(1, "u4")}


def _empty(n: int, few: bool) -> Arrays:
    """As the legacy program begins."""
    found = _beside() | blocked.arrays(Rows(n))
    for before, layout in _layouts(n).items():
        if not (few and before == "aligned_"):
            found |= {f"{before}{one}{end}": layout.empty() for one in FIELDS for end in ("", "0")}
    return found


def _stirred(n: int) -> Arrays:
    """A flow with density in it, without sources yet."""
    y, x = (np.mgrid[0 : n + 2, 0 : n + 2] * (np.pi / (n + 1))).astype("f4")
    u, v = 0.3 * np.sin(x) ** 2 * np.sin(2 * y), -0.3 * np.sin(y) ** 2 * np.sin(2 * x)
    d = 20 * np.sin(3 * x) ** 2 * np.sin(2 * y) ** 2
    fields = {"u": u, "v": v, "d": d}
    found = _beside() | blocked.arrays(Rows(n))
    for before, layout in _layouts(n).items():
        for name, field in fields.items():
            found[before + name] = layout.packed(field.astype("f4"))
            found[f"{before}{name}0"] = layout.packed(np.zeros_like(field))
    return found


def _expected(n: int, steps: int, arrays: Arrays) -> Arrays:
    rows = Rows(n)
    inside = slice(rows.FIRST, rows.FIRST + n + 2)
    fields = {
        f"{name}{end}": np.array(arrays[f"rows_{name}{end}"][:, inside])
        for name in FIELDS
        for end in ("", "0")
    }
    for _ in range(steps):
        reference.step(fields, SETTINGS)
    return {
        before + name: layout.packed(fields[name])
        for before, layout in _layouts(n).items()
        for name in FIELDS
    }


# ---- rungs ------------------------------------------------------------------------------------


def _rung(name: str, work: Sequence[Work], n: int, steps: int, **about: Any) -> Rung:
    about.setdefault("options", EXACT)
    about.setdefault("outputs", FIELDS)
    per_cell = launches.bytes_of(work)
    about.setdefault("tolerance", TOLERANCE)
    return Rung(name, tuple(work) * steps, moved=per_cell * n * n * steps,
                **about)  # fmt: skip


def _rungs(n: int, steps: int) -> list[Rung]:
    layout = Halves.of_document(n)
    usual = Steps(layout, half_sweeps())
    make = partial(_rung, n=n, steps=steps)
    library, step = reactions.by_library(layout), usual.step()
    burst = [*usual.react(), *step]

    def varied(name: str, solve: Solve, document: str, **about: Any) -> Rung:
        made = Steps(layout, solve)
        return make(name, [*made.react(), *made.step()], document=document, **about)

    return [
        make("reactburst", [reactions.by_host(layout), *step],
             remark="six copies of a field and the reaction on the host"),
        make("threacburst", [reactions.by_library_and_copies(layout), *step],
             remark="six copies of a field"),
        make("stepburst", [library, *step], document="2.5", remark="the host waits for two sums"),
        make("fullburst", burst, document="not much faster", remark="the host never waits"),
        make("fullburst as a graph", burst, document="", graph=True),
        make("streamburst, 3 streams", burst, document="2 to 3", streams=3),
        make("streamburst, 32 streams", burst, document="2 to 3", streams=32),
        make("graphburst, 3 streams", [library, *step], document="no gain", streams=3,
             graph=True),
        varied("textures (stepburst-tex)",
               half_sweeps("lin_solve_texture", more=lambda x: (Texture(x),)), "no gain"),
        varied("onekernel", whole(), "3.5"),
        varied("shared memory (stepburst-shmem)", half_sweeps("lin_solve_shared"), "no gain"),
        varied("onekernel-shmem", whole("lin_solve_whole_shared", (32, 32), 1,
               _SHARED if n > 1000 else 2), "slower", remark="what fits of the right-hand side"),
        varied("occupancy (stepburst-occupancy)",
               half_sweeps(block=(64, 4), grid=(8, PROCESSORS, 1)), "slower"),
        *_evils(n, layout, varied, make),
        *_ours(n, steps),
    ]  # fmt: skip


def _evils(n: int, layout: Halves, varied: Any, make: Any) -> list[Rung]:
    """stepburst-roae, one item after the other."""
    aligned = Steps(Halves.aligned(n), half_sweeps("lin_solve_wide", (32, 4), (4, 1)), "aligned_")
    return [
        varied("roae: blocks of 8 x 8", half_sweeps(block=(8, 8)), "its choice"),
        varied("roae: blocks of 64 x 4", half_sweeps(block=(64, 4)), ""),
        varied("roae: __ldg", half_sweeps("lin_solve_ldg"), "0 %"),
        varied("roae: streaming stores", half_sweeps("lin_solve_streaming"), "0 %"),
        varied("roae: four rows a thread", half_sweeps("lin_solve_unrolled", (64, 4), (1, 4)),
               "0 %"),
        varied("roae: product with the inverse", half_sweeps("lin_solve_inverse"), "",
               tolerance=ROUNDED),
        varied("roae: all fast mathematics", half_sweeps(), "0 %", options=("--use_fast_math",),
               tolerance=ROUNDED),
        make("roae: 16 bytes a load, aligned rows", [*aligned.react(), *aligned.step()],
             document="not possible", tolerance=ROUNDED,
             outputs=tuple(f"aligned_{one}" for one in FIELDS)),
    ]  # fmt: skip


def _ours(n: int, steps: int) -> list[Rung]:
    def rung(end: str, made: Passes, **about: Any) -> Rung:
        work = made.step()
        name = f"ours: {reference.SWEEPS // made.sweeps} passes of {made.sweeps} sweeps{end}"
        moved = blocked.bytes_of(work) * n * n * steps
        options = EXACT if made.exact else ()
        about.setdefault("tolerance", TOLERANCE)
        return Rung(name, tuple(work) * steps, definitions=made.definitions, options=options,
                    outputs=tuple(f"rows_{one}" for one in FIELDS), moved=moved,
                    **about)  # fmt: skip

    rows = Rows(n)
    each = [Passes(rows, sweeps) for sweeps in blocked.WARPS]
    four = Passes(rows, 4)
    once = replace(four, rows=64, exact=False)
    if n in {size for size, *_ in SMALL}:  # each kernel once, with rows for several warps
        kept = [rung(", a graph", replace(one, rows=64), graph=True) for one in each]
        if n != SMALL[0][0]:
            return kept
        return [*kept, rung(", one rounding", once, tolerance=ROUNDED)]
    return [
        *(rung(", a graph", one, graph=True) for one in each),
        rung("", four),
        rung(", a graph, two waves", replace(four, waves=2), graph=True),
        rung(", a graph, 64 rows", replace(four, rows=64), graph=True),
        rung(", a graph, 64 rows, one rounding", once, graph=True, tolerance=ROUNDED,
             remark="isolated cells differ by more than 1e-5"),
    ]  # fmt: skip
