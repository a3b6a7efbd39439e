"""Recordings: ranges and real states of a composite's inputs, for the differential test of a port.

Beside BoundSets. Each `record` looks at the inputs of a composite as the arrays of a set hold them
now, before the host's own loop; `write` (at the end of the Frame, or when asked) makes one .npz of
each rank, `FILE.RANK.npz`. Values are what kernels get: scaled, of the catalogue's type. Points
where the set's iblank is 0 have no part in it. The arrays of the file:

    composite, set         text
    calls, points          calls of `record`; points that they have seen
    place                  (points, 5): of each sampled point the call, its position i, j, k and
                           its block (0 where the set has one)
    outputs                names of the outputs that were bound
    input/NAME             sampled states of a bound input: (points, columns), or where kernels
                           read around the point (points, offsets, columns)
    offsets/NAME           of the latter: (offsets, 3), along x, y, z from the point; (0, 0, 0) is
                           among them
    range/NAME             (columns, 2): smallest and largest value of all points seen (of the
                           interior), NaN apart; (NaN, NaN) where there was nothing else
    nan/NAME               (columns,): how many were NaN
    constant/NAME          (columns,): values of constants that no array gives

input/NAME is float64 or int32. The sample is that of the points (calls, places) with the smallest
pseudo-random numbers: at most `SAMPLES`, all points of all calls as likely, whatever ranks hold
them.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bridge import output
from bridge.backends.base import Binding
from bridge.bound.matching import Matched, Matching, refuse_short
from bridge.bound.pointsets import PointSet
from bridge.bound.samples import numbers
from bridge.bound.temporaries import blocks_of
from bridge.errors import ArgumentError, InconsistentError, StateError, UnwrittenError
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import MASK, POSITIONS
from bridge.plan.stages import reach
from bridge.resident.shadow import elements
from bridge.tvimpl import TVImpl

#: States that are kept.
SAMPLES = 512


@dataclass
class _Recording:
    """file: as it was asked for; reads: of each input how far around a point; numbers: the
    pseudo-random ones of the sampled points, to which the rows of `places` and `states` belong;
    ranges: NAME -> (columns, 2)."""

    file: Path
    reads: dict[str, Fringe]
    columns: dict[str, int]
    outputs: tuple[str, ...] = ()
    calls: int = 0
    points: int = 0
    numbers: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    places: np.ndarray = field(default_factory=lambda: np.empty((0, 5), np.int64))
    states: dict[str, np.ndarray] = field(default_factory=dict)
    ranges: dict[str, np.ndarray] = field(default_factory=dict)
    nans: dict[str, np.ndarray] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)


class Recordings:
    """Of all sets of a Frame. matching: what a run finds; rank: part of files' names."""

    def __init__(self, impl: TVImpl, matching: Matching, rank: int) -> None:
        self._impl = impl
        self._matching = matching
        self._rank = rank
        self._known: dict[tuple[str, str], _Recording] = {}

    def record(self, point_set: PointSet, which: Composite | Kernel, file: str) -> None:
        """Add the inputs as they are now."""
        points = point_set.points()
        matched = self._matching.of(point_set, which)
        recording = self._recording(point_set, which, matched, self._checked(file))
        recording.calls += 1
        recording.outputs = tuple(matched.plan.outputs)
        catalogue, held = self._impl.catalogue, self._impl.constants
        for name in matched.plan.inputs:
            if name in catalogue.constants and name not in recording.reads:
                constant = held.get(name)
                assert constant is not None or not points, f"{name} was required before"
                if constant is not None:
                    recording.constants[name] = np.array(constant.values)
        if points:
            with self._impl.timers["record"]:
                for block in range(_blocks(point_set)):
                    self._add(recording, point_set, matched, block)

    def write(self) -> list[Path]:
        """Write all files; returns their paths. UnwrittenError of the first that takes nothing,
        when the others are there."""
        written = []
        unwritten: UnwrittenError | None = None
        for (set, composite), one in self._known.items():
            arrays: dict[str, Any] = {
                "composite": composite, "set": set, "calls": one.calls, "points": one.points,
                "place": one.places, "outputs": np.array(one.outputs),
            }  # fmt: skip
            for name, reads in one.reads.items():
                arrays[f"input/{name}"] = one.states[name] if reads else one.states[name][:, 0]
                if reads:
                    arrays[f"offsets/{name}"] = _offsets(reads)
                ranges = one.ranges[name].copy()
                ranges[ranges[:, 0] > ranges[:, 1]] = np.nan
                arrays[f"range/{name}"] = ranges
                arrays[f"nan/{name}"] = one.nans[name]
            for name, values in one.constants.items():
                arrays[f"constant/{name}"] = values
            path, contents = self._path(one.file), io.BytesIO()
            np.savez_compressed(contents, **arrays)
            try:
                output.write_file(path, [contents.getvalue()])
            except OSError as error:
                unwritten = unwritten or UnwrittenError(path, error)
            else:
                written.append(path)
        if unwritten is not None:
            raise unwritten
        return written

    def clear(self) -> None:
        self._known.clear()

    # ---- one call ------------------------------------------------------------------------------

    def _recording(
        self, point_set: PointSet, which: Composite | Kernel, matched: Matched, file: Path
    ) -> _Recording:
        key, plan = (point_set.name, which.name), matched.plan
        around, _ = reach(plan, point_set.extent())
        not_bound = {*point_set.not_bound(plan)}
        catalogue = self._impl.catalogue
        told = {
            name: around.get(slot, Fringe())
            for name, slot in plan.inputs.items()
            if name != MASK and not (name in not_bound and name in catalogue.constants)
        }
        for name, reads in told.items():
            if reads.cells:
                cause = f"{which.name} reads '{name}' at any cell"
                raise InconsistentError(
                    "composite", cause, "record kernels that read neighbours at fixed offsets"
                )
        columns = {name: matched.inputs[name].columns for name in told}
        for name, reads in told.items() if point_set.points() else ():
            if not matched.inputs[name].position:
                refuse_short(plan, name, reads, matched.inputs[name])
        known = self._known.get(key)
        if known is None:
            for (set, name), other in self._known.items():
                if other.file == file:
                    cause = f"{str(file)!r} holds {name} of set '{set}'"
                    raise InconsistentError("file", cause, "give one of its own")
            known = self._known[key] = _Recording(file, told, columns)
            for name, reads in told.items():
                shape = (0, len(_offsets(reads)), columns[name])
                known.states[name] = np.empty(shape, catalogue.quantity(name).dtype)
                known.ranges[name] = np.tile([np.inf, -np.inf], (columns[name], 1))
                known.nans[name] = np.zeros(columns[name], np.int64)
            return known
        if known.file != file:
            before = f"{str(known.file)!r} in the calls before"
            cause = f"{str(file)!r} for {which.name} on set '{point_set.name}', and {before}"
            raise InconsistentError("file", cause, "give the same in all calls")
        if (known.reads, known.columns) != (told, columns):
            raise StateError(
                f"frame_record of {which.name} on set '{point_set.name}': its inputs are "
                f"{_listed(columns)} and were {_listed(known.columns)}"
            )
        return known

    def _checked(self, file: str) -> Path:
        """An absolute path without .npz, so that a host may change its folder."""
        path = Path(file).absolute()
        path = path.with_suffix("") if path.suffix == ".npz" else path
        if not file or not path.name or not path.parent.is_dir():
            raise ArgumentError("file", repr(file), "the name of a file in a folder that exists")
        return path

    def _path(self, file: Path) -> Path:
        return file.with_name(f"{file.name}.{self._rank}.npz")

    def _add(
        self, recording: _Recording, point_set: PointSet, matched: Matched, block: int
    ) -> None:
        """The points of the set, or of one of its blocks."""
        mask = matched.inputs[MASK] if matched.plan.mask is not None else None
        own = point_set.any_binding
        like = own if own.blocks is None else [*blocks_of(own)][block]
        nx, ny, nz = like.box.extent
        counts = np.ones((nz, ny, nx), bool)
        if mask is not None:
            counts = elements([*blocks_of(mask)][block])[0] != 0
        recording.points += int(counts.sum())
        k, j, i = np.nonzero(counts)
        if not len(i):
            return
        first = _first(point_set, block)
        number = block + 1 if point_set.of_blocks else 0
        place = (i + first[0], j + first[1], k + first[2])
        drawn = numbers(recording.calls, number, *place)
        kept = np.argsort(np.concatenate([recording.numbers, drawn]), kind="stable")[:SAMPLES]
        old, new = kept[kept < len(recording.numbers)], kept[kept >= len(recording.numbers)]
        new = new - len(recording.numbers)
        ijk = i[new], j[new], k[new]
        for name, reads in recording.reads.items():
            binding = matched.inputs[name]
            if binding.position:
                axis = POSITIONS.index(name)
                values: np.ndarray = place[axis]
                state: np.ndarray = (values[new][:, None] + _offsets(reads)[:, axis])[..., None]
                inside: np.ndarray = values[None, :]
            else:
                part = [*blocks_of(binding)][block]
                grown = [*blocks_of(binding.grown(reads))][block]
                state = _around(grown, reads, ijk) * _scale(binding)
                inside = elements(part)[:, counts] * _scale(binding)
            states = recording.states[name]
            recording.states[name] = np.concatenate([states[old], state.astype(states.dtype)])
            _widen(recording.ranges[name], recording.nans[name], inside)
        places = np.stack(
            [
                np.full(len(new), recording.calls),
                *(axis[new] for axis in place),
                np.full(len(new), number),
            ],
            axis=1,
        )
        recording.places = np.concatenate([recording.places[old], places])
        recording.numbers = np.concatenate([recording.numbers[old], drawn[new]])


def _blocks(point_set: PointSet) -> int:
    blocks = point_set.any_binding.blocks
    return 1 if blocks is None else blocks.count


def _first(point_set: PointSet, block: int) -> list[int]:
    """Position of the first point of the set or of a block."""
    first = point_set.first
    if first is None:
        first = next(iter(point_set.arrays.values())).start
    rows: list[int] = np.asarray(first).reshape(-1, 3)[block].tolist()
    return rows


def _scale(binding: Binding) -> float | int:
    return 1 if binding.scale == 1.0 else binding.scale


def _offsets(reads: Fringe) -> np.ndarray:
    """Places around a point, x fastest, its own among them."""
    x, y, z = (range(-a, b + 1) for a, b in zip(reads.lower, reads.upper, strict=True))
    return np.array([(i, j, k) for k in z for j in y for i in x])


def _around(grown: Binding, reads: Fringe, ijk: tuple[np.ndarray, ...]) -> np.ndarray:
    """(points, offsets, columns) of a box with its layers."""
    i, j, k = (
        index[:, None] + _offsets(reads)[None, :, axis] + reads.lower[axis]
        for axis, index in enumerate(ijk)
    )
    found: np.ndarray = np.moveaxis(elements(grown)[:, k, j, i], 0, -1)
    return found


def _widen(ranges: np.ndarray, nans: np.ndarray, values: np.ndarray) -> None:
    """values: (columns, points)."""
    missing = np.isnan(values)
    nans += missing.sum(axis=1)
    ranges[:, 0] = np.minimum(ranges[:, 0], np.where(missing, np.inf, values).min(axis=1))
    ranges[:, 1] = np.maximum(ranges[:, 1], np.where(missing, -np.inf, values).max(axis=1))


def _listed(columns: dict[str, int]) -> str:
    return ", ".join(f"{name} ({number})" for name, number in columns.items())
