"""What a run of a nest under test writes: all its variables, before and behind the nest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass
class Dump:
    """Of one run: variables before and behind the nest, by number; invalid: whether an operation
    of the nest gave NaN."""

    before: dict[int, Array]
    after: dict[int, Array]
    invalid: bool = False


def read(file: Path) -> list[Dump]:
    """What runtime.f90 wrote."""
    data = file.read_bytes()
    at, dumps = 0, []
    into: dict[int, Array] = {}
    types: Mapping[int, Any] = {8: np.float64, 4: np.float32, 1: np.int32}
    while at + 12 <= len(data):
        id_, kind, n = np.frombuffer(data, np.int32, 3, at)
        at += 12
        if id_ == -1:
            dumps.append(Dump({}, {}))
            into = dumps[-1].before
        elif id_ == -2:
            into = dumps[-1].after
            dumps[-1].invalid = n != 0
        else:
            dtype = np.dtype(types[int(kind)])
            values = np.frombuffer(data, dtype, int(n), at)
            at += int(n) * dtype.itemsize
            into[int(id_)] = values.astype(np.float64) if dtype == np.float32 else values
    return dumps


def same(a: Array, b: Array) -> Array:
    """Elements with the same bits."""
    whole = np.dtype(f"u{a.dtype.itemsize}")
    return np.asarray(a.view(whole) == b.view(whole))


def both_nan(a: Array, b: Array) -> Array:
    """The sign of a NaN that a point computes from one depends on the order of the operands."""
    return np.asarray((a != a) & (b != b))


def told(said: str) -> str:
    """The first error in what a program said, or its first lines."""
    lines = [text.strip() for text in said.splitlines() if text.strip()]
    first = next((n for n, text in enumerate(lines) if "error" in text.lower()), 0)
    return " / ".join(lines[first : first + 2])  # the reason stands behind it
