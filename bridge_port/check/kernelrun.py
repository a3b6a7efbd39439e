"""One kernel on given states through bound arrays: a process of its own, which may not end.

python -m bridge_port.check.kernelrun FOLDER: job.json and inputs.npz there; outputs.npz and
`progress` are written. Arrays have fringes that nothing may touch.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import bridge

Array = np.ndarray[Any, Any]
#: Below and above the box along x, y, z.
LOW, HIGH = (2, 1, 0), (1, 2, 1)
#: A NaN of no calculation, and an integer.
MARK = np.array([0x7FF800000BAD0BAD], np.uint64).view(np.float64)[0]
INTEGER_MARK = -1234567891


def main(folder: Path) -> None:
    job, inputs, frame = opened(folder)
    tv = frame.tvproperties
    outputs: dict[str, list[Array]] = {name: [] for name in job["outputs"]}
    touched: list[str] = []
    for number, (first, last) in enumerate(job["batches"]):
        (folder / "progress").write_text(str(number))
        found = _batch(tv, job, inputs, first, last, f"batch{number}", touched)
        for name, values in found.items():
            outputs[name].append(values)
    results = {name: np.concatenate(parts) for name, parts in outputs.items()}
    np.savez(folder / "outputs.npz", allow_pickle=False, **results)
    (folder / "touched.json").write_text(json.dumps(sorted(set(touched))))
    frame.finalize()


def opened(folder: Path) -> tuple[dict[str, Any], dict[str, Array], bridge.Frame]:
    """The job, its inputs, and a Frame that has its constants and tables."""
    job = json.loads((folder / "job.json").read_text())
    with np.load(folder / "inputs.npz") as data:
        inputs = {name: data[name] for name in data.files}
    frame = bridge.Frame()
    if job["species"]:
        frame.set("species", job["species"])
    ns = int(job["ns"])
    frame.initialize(0, int(job.get("chunk", 256)), ns, 5 + ns)
    tv = frame.tvproperties
    for name, value in job["constants"].items():
        tv.constant(name, value)
    for name, shape in job["tables"].items():
        tv.table(name, np.asfortranarray(inputs.pop(f"table/{name}").reshape(shape, order="F")))
    return job, inputs, frame


def _batch(
    tv: Any, job: dict[str, Any], inputs: dict[str, Array], first: int, last: int, set_: str,
    touched: list[str],
) -> dict[str, Array]:  # fmt: skip
    arrays, extent = bound(tv, job, inputs, first, last, set_)
    before = {name: array.copy(order="F") for name, array in arrays.items()}
    tv.run(set_, job["kernel"])
    found = {}
    for name, array in arrays.items():
        inside = box(array, extent).reshape((last - first, -1), order="F").copy()
        if name in job["outputs"]:
            found[name] = inside
            box(before[name], extent)[...] = box(array, extent)
        if before[name].tobytes("F") != array.tobytes("F"):
            touched.append(name)
    tv.unbind(set_, "*")
    return found


def bound(
    tv: Any, job: dict[str, Any], inputs: dict[str, Array], first: int, last: int, set_: str
) -> tuple[dict[str, Array], tuple[int, int, int]]:
    """Arrays with fringes that hold these points, bound; and the extent of their box."""
    points = last - first
    nx = next(n for n in range(min(points, 64), 0, -1) if points % n == 0)
    extent = (nx, points // nx, 1)
    arrays: dict[str, Array] = {}
    for name, (width, type_) in job["quantities"].items():
        shape = [n + low + up for n, low, up in zip(extent, LOW, HIGH, strict=True)]
        mark = MARK if type_ == "real" else INTEGER_MARK
        dtype = np.float64 if type_ == "real" else np.int32
        array = np.full((*shape, width), mark, dtype, order="F")
        if name in job["inputs"]:
            part = inputs[name][first:last].reshape((*extent, width), order="F")
            box(array, extent)[...] = part
        arrays[name] = array
        intent = "in" if name not in job["outputs"] else \
            "inout" if name in job["inputs"] else "out"  # fmt: skip
        bounds = {}
        for axis, letter in enumerate("XYZ"):
            bounds[f"Spt{letter}"] = LOW[axis] + 1
            bounds[f"Ept{letter}"] = LOW[axis] + extent[axis]
        tv.bind_array(set_, name, intent, array if width > 1 else array[..., 0], **bounds)
    return arrays, extent


def box(array: Array, extent: tuple[int, int, int]) -> Array:
    x, y, z = (slice(low, low + n) for low, n in zip(LOW, extent, strict=True))
    return array[x, y, z]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
