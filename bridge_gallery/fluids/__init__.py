"""Stable fluids, whole steps: the report of a course on parallel computing that moves such a
program to a GPU, and tries what might make it faster.

    reference    a step with NumPy
    layouts      where cells lie
    launches     a step in the document's kernels
    reactions    the reaction by the host or by a library
    blocked      ours: several sweeps in a pass
    rungs        all of them, with what the document says
    queue        how many launches wait for a device
"""

from __future__ import annotations

from bridge_gallery.fluids.queue import probe
from bridge_gallery.fluids.rungs import MANY, SIZE, SMALL, problem, small_problem
from bridge_gallery.rung import Problem, source

__all__ = ["LESSON", "MISTAKES", "NAME", "TITLE", "at", "full", "probe", "small", "text"]

NAME = "fluids"
TITLE = (
    "Stable fluids: a step of reaction, velocity and density, 100 sweeps of Gauss-Seidel in it\n"
    "(single precision; bytes: every launch reads and writes each value of its arrays once)"
)
LESSON = (
    "What to learn: keep every field on the device and let the device decide: copies of six "
    "fields take most of the time of the first stages, two sums that the host waits for half of "
    "what is left. Then a half sweep with a thread for each cell moves its bytes at half the "
    "speed of a copy, and more work for a thread pays: blocks as many as the device holds, which "
    "go through the rows; four rows a thread; most of all 16 bytes a load, which aligned rows "
    "allow. Textures, hints for loads and stores, a division less and streams change nothing; "
    "shared memory for one sweep and small blocks take twice the time; blocks that wait for each "
    "other cost what launches cost. The large gain is fewer passes over memory: several sweeps "
    "in one pass, in the registers of a warp that computes the edges of its strip once more, take "
    "three quarters of the bytes away. Bytes are no longer the limit then, and fewer operations "
    "pay: four sweeps a pass are best, since five do not fit into the registers and ten, which "
    "spilled 1.9 KB a thread, took longer than two. On small grids the number of launches counts: "
    "graphs, and fewer of them. In the bridge: resident arrays and one copy at the end, "
    "reductions that stay on the device, graphs of a run's kernels, and kernels of a composite "
    "that hand on values in registers; sweeps of colours run one launch each, so that a point "
    "has the same bits whatever surrounds it."
)
MISTAKES = (
    "its last corner has a minus sign, and one thread computes corners of border cells that other "
    "threads write: here they are made of the cells inside",
    "its fullburst leaves the reductions away, so that sources never come: here the device "
    "decides, and the host does not wait",
    "its streams have no events, so that launches may overtake what they depend on: here they "
    "wait",
    "its onekernel lets black cells begin while other blocks are still at red ones: here all "
    "blocks wait after each colour; without waiting at all (1.6 ns in the document) results "
    "are wrong, and there is no such rung",
    "stepburst-shidden reads shared memory of a launch before, which is undefined, and found 2 % "
    "of it on its own device: what it wanted is onekernel-shmem, which keeps the right-hand "
    "side in the shared memory of blocks that stay",
)


def text() -> str:
    """Of all kernels; with SWEEPS defined, those of passes instead of the document's."""
    parts = (source(f"fluids{name}.cu") for name in ("", "_blocked", "_variants"))
    base, blocked, variants = parts
    return f"{base}#ifdef SWEEPS\n{blocked}#else\n{variants}#endif\n"


def small() -> list[Problem]:
    """Few cells: a border that divides by nothing, with and without sources beside the one in the
    middle."""
    return [small_problem(*one) for one in SMALL]


def full() -> list[Problem]:
    """All rungs at the size of the document's figures, some of them at its other sizes."""
    return [problem(SIZE), *(problem(n, few=True) for n in MANY if n != SIZE)]


def at(size: int) -> list[Problem]:
    """All rungs at one size."""
    return [problem(size)]
