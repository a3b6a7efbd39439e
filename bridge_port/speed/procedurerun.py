"""The original and the kernel in turns on the same points, in a process with the pack alone.

python -m bridge_port.speed.procedurerun FOLDER: job.json and inputs.npz there, as a check writes
them, and the library of the original; outputs.npz and times.json are written.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bridge.measuring.timing import time_in_turns
from bridge_port.check.kernelrun import bound, box, opened

Array = np.ndarray[Any, Any]
SET = "points"


def main(folder: Path) -> None:
    job, inputs, frame = opened(folder)
    tv = frame.tvproperties
    points = next(iter(inputs.values())).shape[0] if inputs else 1
    arrays, extent = bound(tv, job, inputs, 0, points, SET)
    both = [name for name in job["inputs"] if name in job["outputs"]]
    kept = {name: arrays[name].copy(order="F") for name in both}
    call, theirs = original(folder, job, points, inputs)

    def again() -> None:
        for name in both:
            np.copyto(arrays[name], kept[name])

    def first_again() -> None:
        for name in both:
            np.copyto(theirs[name], inputs[name])

    def run() -> None:
        tv.run(SET, job["kernel"])

    again()
    run()
    found = {
        name: box(arrays[name], extent).reshape((points, -1), order="F").copy()
        for name in job["outputs"]
    }
    np.savez(folder / "outputs.npz", allow_pickle=False, **found)
    (folder / "progress").write_text("times")
    clock = time.perf_counter if job["gpu"] else time.thread_time
    times: dict[str, dict[str, list[float]]] = {}

    def turns(way: str, before: Callable[[], None]) -> None:
        taken = time_in_turns(
            {"original": call, way: run}, seconds=job["seconds"], clock=clock,
            before={"original": first_again, way: before} if both else {},
        )  # fmt: skip
        times[way] = {key: list(map(float, rounds)) for key, rounds in taken.rounds.items()}
        (folder / "progress").write_text(way)

    turns("gpu" if job["gpu"] else "kernel", again)
    if job["gpu"]:
        # What is rewritten stays on the device: only the first run has the states' values.
        for name in job["quantities"]:
            tv.enter_data(SET, name, "copyin")
        turns("resident", lambda: None)
        for name in job["quantities"]:
            tv.exit_data(SET, name, "delete")
    (folder / "times.json").write_text(json.dumps(times))
    frame.finalize()


def original(
    folder: Path, job: dict[str, Any], points: int, inputs: dict[str, Array]
) -> tuple[Callable[[], object], dict[str, Array]]:
    """A call of it on all points, and its arrays (points, columns)."""
    library = ctypes.CDLL(str(folder / "original.so"), ctypes.RTLD_GLOBAL)
    library.zz_given()
    if job["setup"]:
        library.bridge_setup_()
    pointer = ctypes.c_void_p
    with np.load(folder / "host.npz") as data:
        for name in data.files:
            values, sizes = np.zeros(65536), np.zeros(3, np.int64)
            values[: data[name].size] = data[name].ravel(order="F")
            entry = getattr(library, f"zz_host_{name.lower()}")
            entry(values.ctypes.data_as(pointer), sizes.ctypes.data_as(pointer), ctypes.c_int(1))
    arrays: dict[str, Array] = {}
    for name, (width, type_) in job["quantities"].items():
        arrays[name] = np.zeros((points, width), np.float64 if type_ == "real" else np.int32)
        if name in job["inputs"]:
            arrays[name][...] = inputs[name]
    at = np.zeros(1, np.int32)
    places = [a.ctypes.data_as(pointer) for a in (at, *arrays.values())]

    def call() -> None:
        library.zz_run(ctypes.c_int(1), ctypes.c_int(points), *places)

    return call, arrays


if __name__ == "__main__":
    main(Path(sys.argv[1]))
