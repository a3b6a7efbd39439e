"""States for a check: random ones, recorded ones, extreme ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bridge.errors import ArgumentError
from bridge_port.check.original import HostData
from bridge_port.check.shim import columns
from bridge_port.kernel import Kernel, Quantity

Array = np.ndarray[Any, Any]
Range = tuple[float, float]
#: Of integers that nothing is known of, widest first: what reads out of bounds takes the next.
INTEGERS: tuple[Range, ...] = ((-3, 8), (0, 4), (1, 3), (1, 2), (1, 1))
#: What the lanes between ordinary points hold.
EXTREMES = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-310, 0.0, -1.0)


def parsed(words: Sequence[str]) -> dict[str, Range]:
    """Of --range NAME=LOW,HIGH."""
    found = {}
    for word in words:
        name, _, text = word.partition("=")
        try:
            low, high = (float(part) for part in text.split(","))
        except ValueError:
            raise ArgumentError("--range", repr(word), "NAME=LOW,HIGH") from None
        if not low <= high:
            raise ArgumentError("--range", repr(word), "LOW not above HIGH")
        found[name.lower()] = (low, high)
    return found


def names_of(q: Any) -> dict[str, None]:
    """In the catalogue, in Fortran, or of a component's variable."""
    argument = getattr(q, "argument", getattr(q, "variable", ""))
    names = (q.name, argument, argument.partition("%")[0])
    return {name.lower(): None for name in names if name}


def range_of(q: Any, ranges: Mapping[str, Range]) -> Range | None:
    """The first one that a name of it has."""
    return next((ranges[name] for name in names_of(q) if name in ranges), None)


def random_states(
    kernel: Kernel, ns: int, points: int, ranges: Mapping[str, Range], integers: Range, seed: int
) -> dict[str, Array]:
    """(points, columns) by quantity. Reals without a range: each point is of one kind, from
    modest numbers around 1 to mixed signs and several powers of ten."""
    random = np.random.default_rng(seed)
    kinds = random.choice(5, points, p=[0.4, 0.2, 0.15, 0.15, 0.1])
    found = {}
    for q in kernel.inputs:
        shape = (points, columns(q, ns))
        given = range_of(q, ranges)
        found[q.name] = column(random, q, shape, given, kinds, integers)
    return found


def column(
    random: np.random.Generator, q: Quantity, shape: tuple[int, int], given: Range | None,
    kinds: Array, integers: Range,
) -> Array:  # fmt: skip
    if q.type == "logical":
        return random.integers(0, 2, shape).astype(np.int32)
    if q.type == "integer":
        low, high = given or integers
        return random.integers(int(low), int(high) + 1, shape).astype(np.int32)
    if given is not None:
        values = spread(random, given, shape)
    else:
        sign = random.choice([-1.0, 1.0], shape)
        kind = kinds[:, None]
        values = random.uniform(0.5, 2.0, shape)
        values = np.where(kind == 1, 10.0 ** random.uniform(-4, 4, shape), values)
        values = np.where(kind == 2, random.uniform(-3.0, 3.0, shape), values)
        values = np.where(kind == 3, 10.0 ** random.uniform(-1, 2, shape), values)
        values = np.where(kind == 4, sign * 10.0 ** random.uniform(-3, 3, shape), values)
    return values.astype(np.float32).astype(np.float64) if q.kind == 4 else values


def spread(random: np.random.Generator, given: Range, shape: tuple[int, ...]) -> Array:
    """Uniform; half of them in the logarithm where the range has several powers of ten."""
    low, high = given
    values = random.uniform(low, high, shape)
    if low > 0 and high / low > 30:
        logs = np.exp(random.uniform(np.log(low), np.log(high), shape))
        values = np.where(random.random(shape) < 0.5, logs, values)
    return values


def host_values(
    kernel: Kernel, known: Mapping[str, HostData],
    ranges: Mapping[str, Range], seed: int, filled: bool = False,
) -> dict[str, Array]:  # fmt: skip
    """Values for data of modules: those with a range, and those that the original leaves zero
    unless it is `filled`."""
    random = np.random.default_rng(seed)
    found = {}
    for value in [*kernel.constants, *kernel.tables]:
        now, shape = known[value.name]
        given = range_of(value, ranges)
        if given is None and (filled or now.any()):
            continue
        if value.type == "real":
            new = spread(random, given or (0.5, 2.0), now.shape)
            if value.kind == 4:
                new = new.astype(np.float32).astype(float)
        elif value.type == "logical":
            new = random.integers(0, 2, now.shape).astype(float)
        else:
            low, high = given or (1, 2)
            new = random.integers(int(low), int(high) + 1, now.shape).astype(float)
        found[value.name] = new.reshape(shape, order="F") if shape else new
    return found


def perturbed(
    kernel: Kernel, inputs: Mapping[str, Array], seed: int, single: bool
) -> dict[str, Array]:
    """Last bits of reals changed."""
    random = np.random.default_rng(seed)
    found = {}
    for q in kernel.inputs:
        array = inputs[q.name]
        if q.type == "real":
            bit = 6e-8 if q.kind == 4 or single else 2.2e-16
            array = array * (1 + random.choice([-2.0, -1.0, 1.0, 2.0], array.shape) * bit)
        found[q.name] = array
    return found


def extreme_states(
    kernel: Kernel, inputs: Mapping[str, Array], number: int, seed: int
) -> dict[str, Array]:
    """`number` ordinary points with one or all inputs replaced; the first ones are NaN alone."""
    random = np.random.default_rng(seed)
    reals = [q.name for q in kernel.inputs if q.type == "real"]
    found = {name: array[:number].copy() for name, array in inputs.items()}
    number = min(number, next(iter(found.values())).shape[0]) if found else 0
    for n in range(number):
        if n < len(EXTREMES):
            chosen, values = reals, [EXTREMES[n]]
        else:
            chosen = list(random.choice(reals, 1)) if reals else []
            values = list(random.choice(EXTREMES, 1))
        for name in chosen:
            found[name][n] = values[0]
    return found


def recorded(
    kernel: Kernel, files: Sequence[str], ns: int
) -> tuple[dict[str, Array], dict[str, Range], list[str]]:
    """States of the points, ranges, and what the files lack. Files of a composite that reads none
    of the kernel's inputs are left out."""
    parts: dict[str, list[Array]] = {q.name: [] for q in kernel.inputs}
    ranges: dict[str, Range] = {}
    lacking: set[str] = set()
    for file in files:
        arrays = _read(file)
        own: dict[str, Array] = {}
        for q in kernel.inputs:
            values = arrays.get(f"input/{q.name}")
            if values is None and (constant := arrays.get(f"constant/{q.name}")) is not None:
                points = int(arrays["place"].shape[0])
                values = np.broadcast_to(constant, (points, constant.size))
            if values is None or values.ndim != 2 or values.shape[1] != columns(q, ns):
                lacking.add(q.name)
                continue
            own[q.name] = values
            limits = arrays.get(f"range/{q.name}")
            if limits is not None and np.isfinite(limits).all():
                low, high = float(limits[:, 0].min()), float(limits[:, 1].max())
                before = ranges.get(q.name.lower(), (low, high))
                ranges[q.name.lower()] = min(low, before[0]), max(high, before[1])
        if len(own) == len(kernel.inputs):
            for name, values in own.items():
                parts[name].append(values)
    states = {name: np.concatenate(lists) for name, lists in parts.items() if lists}
    return (states if len(states) == len(parts) else {}), ranges, sorted(lacking)


@dataclass
class Recorded:
    """Of a variable of a nest. ranges: one, or of each component; first: these stand first."""

    ranges: list[Range]
    first: bool = False

    def add(self, other: Recorded) -> None:
        """What both have; without components where they have not the same."""
        if len(self.ranges) != len(other.ranges) or self.first != other.first:
            low, high = zip(*self.ranges, *other.ranges, strict=True)
            self.ranges, self.first = [(min(low), max(high))], False
            return
        pairs = zip(self.ranges, other.ranges, strict=True)
        self.ranges = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs]


def recorded_ranges(kernels: Sequence[Kernel], files: Sequence[str]) -> dict[str, Recorded]:
    """By variable of the nest. What kernels hand each other, and files of others, are left out."""
    found: dict[str, Recorded] = {}

    def add(variable: str, one: Recorded) -> None:
        if variable in found:
            found[variable].add(one)
        else:
            found[variable] = one

    for file in files:
        arrays = _read(file)
        seen: set[str] = set()
        for k in kernels:
            for q in k.inputs:
                use = k.procedure.arrays.get(q.argument)
                limits = arrays.get(f"range/{q.name}")
                if use is None or q.argument in k.procedure.temporaries or q.name in seen:
                    continue
                if limits is None or limits.ndim != 2 or not np.isfinite(limits).all():
                    continue
                seen.add(q.name)
                ranges = [(float(low), float(high)) for low, high in limits]
                add(use.name, Recorded(ranges, use.axes[0] is None))
            for value in k.constants:
                held = arrays.get(f"constant/{value.name}")
                if held is not None and held.size == 1 and value.name not in seen:
                    seen.add(value.name)
                    number = float(held.ravel()[0])
                    add(value.variable, Recorded([(number, number)]))
    return found


def _read(file: str) -> dict[str, Array]:
    """A file of frame_record."""
    if not Path(file).is_file():
        raise ArgumentError("--states", file, "a file that is there")
    try:
        with np.load(file, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except (OSError, ValueError) as error:
        raise ArgumentError("--states", f"{file} ({error})", "a file of frame_record") from None
