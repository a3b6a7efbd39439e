"""How many bytes bridge.h lets a call touch behind each pointer: fuzz tests give exactly these.

An entry point or argument that is new in bridge.h and has no length here makes the fuzz tests fail
by its name. None: the numbers of the call contradict each other or name nothing, so that it has
to be refused before the memory is touched.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ENTRY = Path(__file__).parents[2] / "bridge" / "entry"
LARGEST = (1 << 31) - 1
#: Bytes of an element of the codes of frame_bind_typed_ and of frame_constant_.
ELEMENT = {1: 8, 2: 4, 3: 4}
CONSTANT = {1: 8, 2: 4, 3: 4, 4: 8, 5: 4}
DIMENSIONS = 7

Arguments = Mapping[str, Any]
Length = Callable[[str, Arguments, int], int | None]


def entries() -> list[Any]:
    """Every prototype of bridge.h: result, name, arguments (type, name)."""
    name = "bridge_header_reader"
    specification = importlib.util.spec_from_file_location(name, ENTRY / "build_entry.py")
    assert specification is not None and specification.loader is not None
    reader: ModuleType = importlib.util.module_from_spec(specification)
    sys.modules[name] = reader
    specification.loader.exec_module(reader)
    return list(reader.prototypes((ENTRY / "bridge.h").read_text()))


def extents(bounds: list[int]) -> tuple[int, list[int]] | None:
    """Elements of the array that twelve integers describe, and the numbers of its interior's
    elements; None where the integers contradict each other. The rules are those of bridge.h."""
    n, data = bounds[0:3], bounds[9:12]
    first, last = bounds[3:9:2], bounds[4:9:2]
    columns = abs(data[2])
    empty = any(end < one for one, end in zip(first, last, strict=True))
    if min(n) < 0 or columns > LARGEST:
        return None
    if not empty and not 1 <= data[0] <= data[1] <= columns:
        return None
    for size, one, end in zip(n, first, last, strict=True):
        if not 1 <= one <= end <= size and not (empty and (size == 0 or end < one)):
            return None
    total = math.prod(n) * columns
    if total * 8 > 1 << 47:
        return None
    if empty or total > 1 << 20:  # a length is all that is asked for
        return total, []
    shape = (columns, *n) if data[2] < 0 else (*n, columns)
    number = np.arange(total).reshape(shape, order="F")
    inside = tuple(slice(one - 1, end) for one, end in zip(first, last, strict=True))
    parts = slice(data[0] - 1, data[1])
    chosen = number[(parts, *inside)] if data[2] < 0 else number[(*inside, parts)]
    return total, [int(n) for n in chosen.ravel()]


def twelve(a: Arguments) -> list[int]:
    """The bounds of a stripe call: its array has at least EptData components."""
    axes = [a[name] for name in ("SptX", "EptX", "SptY", "EptY", "SptZ", "EptZ")]
    return [a["nx"], a["ny"], a["nz"], *axes, a["SptData"], a["EptData"], max(a["EptData"], 1)]


def blocks(a: Arguments) -> list[list[int]]:
    values = [int(n) for n in a["bounds"]]
    return [values[i : i + 12] for i in range(0, len(values), 12)]


def _data(entry: str, a: Arguments, ns: int) -> int | None:
    code = a.get("type", 1)
    size = ELEMENT.get(code - 10 if code > 10 and "blocks" not in entry else code)
    if size is None:
        return None
    if "stripeStart" in a:
        found = extents(twelve(a))
        points = 0 if found is None else math.prod(_interior(twelve(a)))
        first, last = a["stripeStart"], a["stripeEnd"]
        if found is None or not 1 <= first <= last + 1 or last > points:
            return None
        return found[0] * size
    if "nb" in a:
        return _blocks(a, size)
    found = extents([int(n) for n in a["bounds"]])
    return None if found is None else found[0] * size


def _blocks(a: Arguments, size: int) -> int | None:
    """To the end of the furthest block; elements before `data` are nobody's."""
    if a["nb"] < 0 or min(a["offsets"], default=0) < 0:
        return None
    end = 0
    for bounds, offset in zip(blocks(a), a["offsets"], strict=True):
        found = extents(bounds)
        if found is None:
            return None
        end = max(end, (int(offset) + found[0]) * size)
    return end


def _interior(bounds: list[int]) -> list[int]:
    return [max(bounds[i + 1] - bounds[i] + 1, 0) for i in (3, 5, 7)]


def _times(size: int, *counts: str) -> Length:
    """size bytes for each of as many elements as the named arguments say."""

    def length(entry: str, a: Arguments, ns: int) -> int | None:
        numbers = [int(a[name]) for name in counts]
        return None if min(numbers, default=0) < 0 else size * math.prod(numbers)

    return length


def _place(entry: str, a: Arguments, ns: int) -> int | None:
    width = 6 if "allreduce" in entry else 4 if entry == "frame_reduce_" else 5
    return _times(4 * width, "nValues")(entry, a, ns)


def _constant(entry: str, a: Arguments, ns: int) -> int | None:
    size = CONSTANT.get(a["type"])
    return None if size is None else _times(size, "n")(entry, a, ns)


def _value(entry: str, a: Arguments, ns: int) -> int | None:
    if entry == "frame_constant_value_":
        return 8
    return (_constant if entry == "frame_constant_" else _times(8, "nValues"))(entry, a, ns)


def _buffer(entry: str, a: Arguments, ns: int) -> int | None:
    if "len" in a:
        return _times(1, "len")(entry, a, ns)
    size = ELEMENT.get(a.get("type", 1))
    return None if size is None else _times(size, "nBuffer")(entry, a, ns)


def _table(entry: str, a: Arguments, ns: int) -> int | None:
    sizes = [int(n) for n in a["sizes"]]
    if not 1 <= a["rank"] <= DIMENSIONS or min(sizes, default=0) < 1:
        return None
    return 8 * math.prod(sizes)


def _values(entry: str, a: Arguments, ns: int) -> int | None:
    if entry == "frame_table_":
        return _table(entry, a, ns)
    return _times(8, "n" if "n" in a else "nValues")(entry, a, ns)


def _species(columns: Callable[[int], int]) -> Length:
    return lambda entry, a, ns: 8 * columns(ns)


def _rank(entry: str, a: Arguments, ns: int) -> int | None:
    return 4 * a["rank"] if 0 <= a["rank"] <= DIMENSIONS else None


LENGTHS: dict[str, Length] = {
    "ierr": lambda *_: 4,
    "data": _data,
    "bounds": lambda entry, a, ns: _times(48, "nb")(entry, a, ns) if "nb" in a else 48,
    "offsets": _times(8, "nb"),
    "ijk": _times(12, "nb"),
    "shift": lambda *_: 12,
    "boxes": _times(24, "nBoxes"),
    "place": _place,
    "components": _times(4, "n"),
    "value": lambda *of: _value(*of),
    "values": _values,
    "sizes": _rank,
    "points": _times(4, "nPoints"),
    "nOn": lambda *_: 4,
    "counts": _times(8, "n"),
    "worst": lambda *_: 8,
    "original": _times(8, "n"),
    "bridge": _times(8, "n"),
    "scale": _times(8, "n"),
    "buffer": _buffer,
    "address": lambda *_: 8,
    **{name: _times(4, "n") for name in "peers tags sendBlocks recvBlocks".split()},
    **{name: _times(24, "n") for name in "sendBoxes recvBoxes".split()},
    **{name: _species(lambda ns: ns) for name in "W Tc Pc omega Vc dipole kappa".split()},
    "nasa7": _species(lambda ns: 17 * ns),
    "kij": _species(lambda ns: ns * ns),
}
#: Pointers that a call writes through, besides `data` of a stripe to the host.
WRITTEN = {
    "ierr",
    "place",
    "points",
    "nOn",
    "worst",
    "address",
    "buffer",
    "value",
    "values",
    "counts",
}
#: Entries of which such a pointer is only read: bridge.h has const there.


def written(entry: Any) -> set[str]:
    """Names of the pointers through which an entry may write."""
    names = {a.name for a in entry.arguments if a.type.endswith("*") and "const" not in a.type}
    return names & WRITTEN | ({"data"} if "outputstripe" in entry.name else set())


def unknown(entry: Any) -> list[str]:
    """Pointers of an entry of which nothing here says how long they are."""
    pointers = [a for a in entry.arguments if a.type.endswith("*") and a.type != "const char*"]
    return [f"{entry.name} {a.name}" for a in pointers if a.name not in LENGTHS]
