"""Bodies that attract each other: the ladder of a course on CUDA (after M. Burtscher's tutorial).

The document's speedups are of each step over the one before, on a GeForce GTX 680.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bridge_gallery.rung import Arrays, Launch, Problem, Rung, ceil_div, source

NAME = "nbody"
TITLE = "Forces of n bodies on each other (single precision, 20 operations a pair)"
LESSON = (
    "What to learn: with as much arithmetic as this, threads that all read the same body need no "
    "coalescing, and what counts is instructions a pair: the hardware's inverse root, no question "
    "inside the loop, several results of a thread for each value that is read. Memory is far from "
    "its limit. In the bridge: kernels of a real gas with many species are of this kind, and its "
    "launch policies (`bridge tune`) choose threads and registers for them; flags that loosen "
    "arithmetic are not among them, because results would depend on the compiler."
)
MISTAKES = (
    "its blocked kernel has barriers, and its step before asks around everything whether a thread "
    "has a body: a barrier must be reached by all threads of a block, and is here",
    "its rows 'if eliminated' rely on the softening: without one, a body divides by zero",
    "places of the last block behind the last body keep old values: here they have no mass",
)
FEW, ONE, MANY = 333, 1000, 131072
THREADS = 256
OUTPUTS = ("outx", "outy", "outz")
SOFTENING = np.float32(0.0025)
#: Name of the rung -> its kernel, the speedup in the document.
STEPS = {
    "an array for each component": ("scalar_arrays", "0.82"),
    "the instruction for an inverse root": ("inverse_root", "1.64"),
    "two loops instead of a question": ("two_loops", "1.00"),
    "blocks of bodies in shared memory": ("shared_blocks", "1.6"),
    "unrolled 8 times": ("unrolled_8", "1.07"),
    "without the question": ("without_if", "1.64"),
    "terms arranged for multiply-adds": ("fused", "1.06"),
    "unrolled 128 times": ("unrolled_128", "0.93"),
}
#: Threads, bodies of a thread, unrolling of ours.
OURS = ((256, 2, 32), (256, 4, 8))


def text() -> str:
    """Of all kernels."""
    return source("nbody.cu")


def small() -> list[Problem]:
    """All rungs with few bodies, no multiple of a block."""
    return [_problem(FEW, _records(FEW) + _arrays(FEW))]


def full() -> list[Problem]:
    """A thousand bodies for the first rungs, as many as fill a GPU for all others."""
    return [_problem(ONE, _records(ONE)), _problem(MANY, _records(MANY)[1:] + _arrays(MANY))]


def _problem(n: int, rungs: list[Rung]) -> Problem:
    return Problem(
        f"{n} bodies", partial(_bodies, n), _forces, tuple(rungs), operations=20 * n * n,
        document="GTX 680, times the step before", single_precision=True,
    )  # fmt: skip


def _bodies(n: int) -> Arrays:
    random = np.random.default_rng(5)
    place = random.normal(size=(3, n)).astype("f4")
    mass = random.uniform(0.5, 1.5, n).astype("f4") / np.float32(n)
    body = np.zeros((n, 10), "f4")
    body[:, 0], body[:, 1:4] = mass, place.T
    outputs = {name: np.zeros(n, "f4") for name in OUTPUTS}
    return {"body": body, "mass": mass, **dict(zip("xyz", place, strict=True)), **outputs}


def _forces(arrays: Arrays) -> Arrays:
    place = np.array([arrays[name] for name in "xyz"], float)
    apart = place[:, None, :] - place[:, :, None]
    scale = arrays["mass"] / ((apart**2).sum(0) + float(SOFTENING)) ** 1.5
    force = (apart * scale).sum(-1)
    whole = arrays["body"].copy()
    whole[:, 7:] = force.T
    return {"body": whole, **dict(zip(OUTPUTS, force, strict=True))}


def _records(n: int) -> list[Rung]:
    """Bodies as records."""
    arguments = (np.int32(n), "body", SOFTENING)
    one = Launch("one_thread", (1, 1, 1), (1, 1, 1), arguments)
    each = Launch("n_threads", (ceil_div(n, THREADS), 1, 1), (THREADS, 1, 1), arguments)
    return [
        Rung("one thread", (one,), document="1", outputs=("body",), tolerance=2e-5),
        Rung("a thread for each body", (each,), document="12150", outputs=("body",),
             tolerance=2e-5),
    ]  # fmt: skip


def _arrays(n: int) -> list[Rung]:
    """Bodies as arrays."""
    arguments = (np.int32(n), "mass", "x", "y", "z", *OUTPUTS, SOFTENING)

    def rung(
        name: str, kernel: str, threads: int = THREADS, bodies: int = 1, document: str = "",
        options: tuple[str, ...] = (),
    ) -> Rung:  # fmt: skip
        grid = (ceil_div(n, threads * bodies), 1, 1)
        launch = Launch(kernel, grid, (threads, 1, 1), arguments)
        return Rung(name, (launch,), options=options, document=document, outputs=OUTPUTS,
                    tolerance=2e-5)  # fmt: skip

    rungs = [rung(name, kernel, document=said) for name, (kernel, said) in STEPS.items()]
    grid, block = (ceil_div(n, THREADS), 1, 1), (THREADS, 1, 1)
    kept = {"kept": ("mass", "x", "y", "z", *OUTPUTS, np.int32(n), SOFTENING)}
    constant = Launch("constant_arguments", grid, block, (np.int32(0),))
    rungs.insert(1, Rung("arguments in constant memory", (constant,), constants=kept,
                         document="0.971", outputs=OUTPUTS, tolerance=2e-5))  # fmt: skip
    flags = ("--ftz=true",)
    rungs.append(rung("small numbers are zero (ftz)", "fused", document="1.15", options=flags))
    fast = ("--use_fast_math",)
    rungs.append(rung("all fast mathematics", "fused", options=fast))
    for threads, bodies, unroll in OURS:
        name = f"ours: {bodies} bodies a thread, {threads} threads, unrolled {unroll} times"
        kernel = f"several_{threads}_{bodies}_{unroll}"
        for options in ((), flags):
            ftz = ", ftz" if options else ""
            rungs.append(rung(name + ftz, kernel, threads, bodies, options=options))
    return rungs
