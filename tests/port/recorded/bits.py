"""Two headers of one kernel, run with `Real = double` on the same states: are results the same?

All bits are compared; a NaN is a NaN, whatever its sign, which depends on the order of operands.
Headers that read neighbours are not run: there `bridge port --check` tells.
"""

from __future__ import annotations

import ctypes
import json
import math
import multiprocessing
import re
import resource
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from port.machines import instances

import bridge

KERNELS = Path(bridge.__file__).parent / "kernels"
FLAGS = (
    "-std=c++17 -O1 -w -ffp-contract=off -fno-math-errno -fno-trapping-math -fPIC -shared "
    # What a kernel never sets is the same on both sides; past an array of its own it ends.
    "-ftrivial-auto-var-init=zero -fsanitize=bounds,integer-divide-by-zero "
    "-fsanitize-undefined-trap-on-error -DBRIDGE_SCALAR -DBRIDGE_NAMESPACE=bridge_one"
).split()
POINTS, SPECIES, SECONDS = 203, 3, 20
#: Reals and integers of a state: lowest and highest; a share of values that are odd.
STATES = (
    ((0.5, 2.0), (-3, 8), 0.0),
    ((0.5, 2.0), (1, 3), 0.0),
    ((-3.0, 3.0), (1, 1), 0.0),
    ((0.5, 2.0), (1, 3), 0.2),
)
ODD = (np.nan, np.inf, -np.inf, 1e300, -1e300, 0.0, -0.0)
SAME, DIFFERENT, UNKNOWN = "the same bits", "other bits", "not run"
#: Bytes of the outputs by name, or why there are none.
Result = dict[str, bytes] | str


def compared(
    name: str, texts: tuple[str, str], arguments: tuple[str, str], folder: Path
) -> tuple[str, str]:
    """SAME, DIFFERENT or UNKNOWN, and where or why. name: of the kernel; arguments: as the
    recorder writes them; folder: for what is compiled, empty."""
    if arguments[0] != arguments[1] or not arguments[0]:
        return UNKNOWN, "the arguments differ"
    if code(texts[0]) == code(texts[1]):
        return SAME, "comments alone differ"
    kernel = described(name, json.loads(arguments[0]))
    libraries = []
    for side, text in zip("ab", texts, strict=True):
        place = folder / side
        place.mkdir()
        try:
            libraries.append(compiled(kernel, text, place))
        except subprocess.CalledProcessError as error:
            return UNKNOWN, f"side {side} does not compile: {first_error(error.stderr)}"
    ran = 0
    for number, state in enumerate(STATES):
        a, b = (apart(kernel, library, state, number) for library in libraries)
        if isinstance(a, str) or isinstance(b, str):
            if a != b:
                ended = [one if isinstance(one, str) else "ends well" for one in (a, b)]
                return DIFFERENT, f"state {number}: {' and '.join(ended)}"
            continue
        ran += 1
        for output in a:
            if a[output] != b[output]:
                return DIFFERENT, f"state {number}: {output}"
    return (SAME, f"{ran} states") if ran else (UNKNOWN, "both end on every state")


def first_error(said: str) -> str:
    """Of what a compiler said."""
    errors = (line.partition("error: ")[2] for line in said.splitlines() if "error: " in line)
    return next(errors, said[:200])


def code(text: str) -> str:
    """A header without its comments."""
    return re.sub(r" *//.*", "", text)


def described(name: str, arguments: dict[str, list[Any]]) -> Any:
    """A kernel as machines.py asks for it."""

    def quantity(one: list[Any]) -> SimpleNamespace:
        own, type, kind, columns, rank = one
        return SimpleNamespace(name=own, type=type, kind=kind, columns=columns, shape=(1,) * rank)

    return SimpleNamespace(
        name=name, header=f"{name}.h",
        inputs=[quantity(one) for one in arguments["inputs"]],
        outputs=[quantity(one) for one in arguments["outputs"]],
        constants=[SimpleNamespace(name=n, type=t) for n, t, _ in arguments["constants"]],
        tables=[SimpleNamespace(name=n, type=t, shape=s) for n, t, s in arguments["tables"]],
    )  # fmt: skip


def compiled(kernel: Any, text: str, folder: Path) -> Path:
    (folder / kernel.header).write_text(text)
    (folder / "scalar.cpp").write_text(instances([kernel], "scalar"))
    library = folder / "scalar.so"
    command = ["g++", *FLAGS, f"-I{KERNELS}", f"-I{folder}", "-o", str(library),
               str(folder / "scalar.cpp"), "-lm"]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, text=True)
    return library


def apart(kernel: Any, library: Path, state: Any, seed: int) -> Result:
    """In a process of its own: a kernel may leave its arrays, or not end."""
    context: Any = multiprocessing.get_context("fork")
    end, other = context.Pipe(duplex=False)
    process = context.Process(target=_apart, args=(other, kernel, library, state, seed))
    process.start()
    other.close()
    try:
        found: Result = end.recv()
    except EOFError:
        found = ""
    process.join()
    return found or f"ends with {signal.Signals(-process.exitcode).name}"


def _apart(end: Any, kernel: Any, library: Path, state: Any, seed: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    end.send(results(kernel, ctypes.CDLL(str(library)), state, seed))


def results(kernel: Any, library: ctypes.CDLL, state: Any, seed: int) -> dict[str, bytes]:
    """Of one state, by output."""
    reals, integers, odd = state
    random = np.random.default_rng(seed)

    def values(type: str, columns: int) -> np.ndarray[Any, Any]:
        if type == "real":
            found: np.ndarray[Any, Any] = random.uniform(reals[0], reals[1], (columns, POINTS))
            chosen = random.random(found.shape) < odd
            found[chosen] = random.choice(ODD, found.shape)[chosen]
            return found
        low, high = (0, 1) if type == "logical" else integers
        return random.integers(low, high + 1, (columns, POINTS), dtype=np.int64)

    kept, tables = [], []
    for table in kernel.tables:
        sizes = np.array([n if n > 0 else 6 for n in table.shape], np.int64)
        data = values(table.type, 1 + max(int(sizes.prod()), 100000) // POINTS).astype(float)
        kept += [data, sizes]
        tables += [data.ctypes.data, sizes.ctypes.data]
    arrays = {q.name: values(q.type, columns(q.columns)) for q in kernel.inputs}
    given = [arrays[q.name] for q in kernel.inputs]
    for value in kernel.constants:
        one = values(value.type, 1)
        one[:] = one[0, 0]
        given.append(one)
    made = {
        q.name: np.zeros((columns(q.columns), POINTS), float if q.type == "real" else np.int64)
        for q in kernel.outputs
    }
    places = [array.ctypes.data for array in (*given, *made.values())]
    getattr(library, f"run_{kernel.name}")(
        ctypes.c_longlong(SPECIES), (ctypes.c_void_p * max(len(tables), 1))(*tables),
        (ctypes.c_void_p * len(places))(*places), ctypes.c_longlong(POINTS),
    )  # fmt: skip
    for array in made.values():
        if array.dtype == float:
            array[np.isnan(array)] = np.nan
    return {name: array.tobytes() for name, array in made.items()}


def columns(text: str) -> int:
    """Of a quantity, as the catalogue says it."""
    known = {"ns": SPECIES, "ns-1": SPECIES - 1}
    return math.prod(known[word] if word in known else int(word) for word in text.split("*"))
