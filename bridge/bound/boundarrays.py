"""Bound arrays as a caller names and runs on them: methods of TVProperties.

Between TVProperties, which has them, and BoundSets: addresses and NumPy arrays become arrays with
bounds, and rows of integers boxes and positions.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bridge.bound.boundsets import BoundSets
from bridge.bound.boxes import six_each
from bridge.bound.colours import one_colour
from bridge.bound.differences import Difference
from bridge.bound.operations import spelled
from bridge.bound.positions import first_position, first_positions
from bridge.bound.reductions import EACH, Asked, PreparedReduction, Reduced
from bridge.bound.statuscounts import BITS, SHOWN, name_of
from bridge.errors import ArgumentError
from bridge.memory.blockbounds import BlockBounds
from bridge.memory.hostarrays import block_array, integer, number, numpy_binding
from bridge.memory.marshal import Bounds, HostArray
from bridge.prepared import PreparedRun, PreparedSeveral
from bridge.tvimpl import TVImpl

#: A quantity, an operation, and a component: None for all together, "each", or its number from 1.
Reduction = tuple[str, str] | tuple[str, str, int | str | None]


class BoundArrays:
    """What TVProperties has for sets of bound arrays: binds, runs, reductions, comparisons."""

    _bound: BoundSets
    impl: TVImpl

    def bind(
        self,
        set: str,
        name: str,
        intent: str,
        address: int,
        bounds: Sequence[int],
        scale: float = 1.0,
        owner: Any = None,
        dtype: str = "float64",
        section: bool = False,
    ) -> None:
        """Name an array of a set of points; binding a name again replaces it.

        bounds: the twelve integers of `frame_bind_`; scale multiplies on the way in and divides
        on the way out; owner: kept alive until unbind; dtype: float64, float32 or int32, what the
        array's elements are; section: whether the bounds are those of a larger array, of which
        this is a part.
        """
        where = Bounds.from_twelve(list(bounds))
        array = HostArray(address, where, number("scale", scale), owner, dtype, section)
        self._bound.bind(set, name, intent, array)

    def bind_array(
        self,
        set: str,
        name: str,
        intent: str,
        data: np.ndarray,
        *bounds: int,
        scale: float = 1.0,
        component_first: bool = False,
        **named: int,
    ) -> None:
        """`bind` for a NumPy array of float64, float32 or int32 in Fortran order: (nx, ny, nz), or
        (nx, ny, nz, ...) of three to seven dimensions, whose last ones count components; (n,) and
        (n, components) are points in a row.

        bounds: SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData by position or by name;
        component_first: the array is (..., nx, ny, nz), in Fortran order as well.
        """
        if not isinstance(component_first, bool):
            raise ArgumentError("component_first", repr(component_first), "True or False")
        direction = "out" if intent in ("out", "inout") else "in"
        address, twelve = numpy_binding(data, bounds, named, direction, component_first)
        self.bind(set, name, intent, address, twelve, scale, data, str(data.dtype))

    def bind_many(
        self,
        set: str,
        name: str,
        intent: str,
        address: int,
        bounds: Any,
        offsets: Any,
        scale: float = 1.0,
        owner: Any = None,
        dtype: str = "float64",
    ) -> None:
        """`bind` for a set of many blocks in one memory; see `bind_blocks`."""
        blocks = BlockBounds.of(bounds, offsets)
        array = HostArray(address, blocks, number("scale", scale), owner, dtype)
        self._bound.bind(set, name, intent, array)

    def bind_blocks(
        self,
        set: str,
        name: str,
        intent: str,
        data: np.ndarray,
        bounds: Any,
        offsets: Any,
        scale: float = 1.0,
    ) -> None:
        """Name an array of a set of many blocks of any sizes, which lie in one NumPy array of
        float64, float32 or int32; binding a name again replaces all of them.

        bounds: (blocks, 12), the twelve integers of `bind` for each block, of which SptData,
        EptData and nData are the same for all; offsets: (blocks,), elements from the first one of
        `data`, in the order in which they lie in memory, to each block's own array. All arrays of
        the set have the same blocks: as many, with as many points each.
        """
        address = block_array(data, intent != "in")
        blocks = BlockBounds.of(bounds, offsets)
        blocks.check(data.itemsize)
        blocks.check_within(data.size)
        self.bind_many(set, name, intent, address, bounds, offsets, scale, data, str(data.dtype))

    def bind_from(
        self, set: str, name: str, from_set: str, shift: Sequence[int] = (0, 0, 0)
    ) -> None:
        """Let runs of a set read an array that is bound in another one, as faces read cells.

        shift: distance in points along x, y and z from the first interior point of `from_set` to
        the first one of `set`. Kernels may read neighbours as far as the other array goes. Its
        intent there does not matter. If `from_set` binds another array later, that one is read.
        """
        if not isinstance(shift, Sequence | np.ndarray) or len(shift) != 3:
            raise ArgumentError("shift", repr(shift), "3 integers, along x, y and z")
        i, j, k = (integer("shift", one) for one in shift)
        self._bound.bind_from(set, name, from_set, (i, j, k))

    def unbind(self, set: str, name: str) -> None:
        """Forget an array of a set, or with name "*" the whole set."""
        self._bound.unbind(set, name)

    def run(
        self,
        set: str,
        composite: str,
        box: Sequence[int] | bytes | None = None,
        colour: int | None = None,
    ) -> int:
        """Evaluate a composite, or one kernel by its name, on every interior point of a set;
        returns the number of chunks.

        box: a part of the interior, i1, i2, j1, j2, k1, k2, whose positions count from 1 at the
        first interior point; or the six integers of each of several boxes that share no point, or
        all of these as the bytes of C ints.
        colour: 1 or 2, of a kernel with colours: at these points alone, so that the host may
        exchange fringes before the other ones.

        Only bound outputs are computed. Other arrays of the set do not change. StateError if none
        of the outputs is bound.
        """
        boxes = None if box is None else six_each(box)
        return self._bound.runs.run(set, composite, boxes, one_colour(colour))

    def run_several(self, sets: Sequence[str], composites: Sequence[str]) -> int:
        """`run` of each composite on the set of its place, one after the other; returns the number
        of chunks of all.

        On a CPU kernels of packs go over all sets a few rows at a time where their arrays allow
        it, with the same results: what one leaves in the cache the next one finds there.
        ArgumentError, before anything runs, for names that nobody knows and for lists of
        different lengths. The first run that fails ends the call.
        """
        return self._bound.several_runs.run(sets, composites)

    def plain_several(
        self, sets: Sequence[str], composites: Sequence[str]
    ) -> PreparedSeveral | None:
        """What callers that are no Python may do again of a `run_several` that was done; None
        where Python has to see each."""
        return self._bound.several_runs.plain(sets, composites)

    def plain_run(
        self, set: str, composite: str, box: bytes | None, colour: int | None
    ) -> PreparedRun | None:
        """What callers that are no Python may do again of a `run` that was done; None where Python
        has to see each."""
        return self._bound.runs.plain(
            set, composite, None if box is None else six_each(box), colour
        )

    def run_begin(
        self,
        set: str,
        composite: str,
        box: Sequence[int] | bytes | None = None,
        colour: int | None = None,
    ) -> None:
        """Start a `run` and return. Until `wait` the caller must not use the interiors of the
        set's arrays, or with a box its points and the points that kernels read around them.

        The caller may use fringes, other arrays, views and other sets. Bad arguments raise here;
        a failure of the run raises here or in `wait`.
        """
        boxes = None if box is None else six_each(box)
        self._bound.runs.begin(set, composite, boxes, one_colour(colour))

    def wait(self, set: str) -> int:
        """Wait for the end of what `run_begin` started: then results are in the arrays. Returns
        the number of chunks."""
        return self._bound.runs.wait(set)

    def position(self, set: str, i: int, j: int, k: int) -> None:
        """Position of a set's first interior point, from which those of the others follow:
        what kernels read as position_i, position_j and position_k. Without it SptX, SptY and SptZ
        of the set's arrays."""
        self._bound.position(set, first_position(i, j, k))

    def position_blocks(self, set: str, ijk: Any) -> None:
        """`position` of each block's first interior point, (blocks, 3), for a set of many blocks.
        Without it SptX, SptY and SptZ of the blocks."""
        self._bound.position(set, first_positions(ijk))

    def reduce(
        self, set: str, quantity: str, operation: str, component: int | str | None = None
    ) -> Any:
        """One number of all interior points of a set: "sum", "min", "max", "minloc", "maxloc",
        "any" (whether a value is not zero), "count" (how many are not), "nan" (whether one is
        NaN), or the norms "l1", "l2" and "linf" of a quantity, in the catalogue's unit.

        A bound array, or a column of Q, is reduced as it is. Any other quantity is computed by
        kernels from arrays bound "in" or "inout", and is not stored; so is "work" as a composite
        or kernel "rhs" makes it, whatever the set binds: quantity "rhs:work". component: from 1;
        None for all together, "each" for a list with a result of each.

        Returns a float; a bool for "any" and "nan", an int for "count", 32 of them for "bits", how
        many integers have each bit, as of status; (float, (i, j, k,
        component)) for "minloc" and "maxloc", the first point with the value, in positions as SptX
        counts them, of many blocks (float, (i, j, k, component, block)), blocks from 1. A NaN
        makes a sum, norm, min or max NaN, and the first NaN is the place. Points where the set's
        iblank is 0 do not count. If no point counts: 0.0, inf (min), -inf (max), False, and
        None for the place. The bits do not depend on threads, chunks and layouts.
        """
        return self.reduce_several(set, [(quantity, operation, component)])[0]

    def reduction(
        self, set: str, quantity: str, operation: str, component: int | str | None = None
    ) -> list[Reduced]:
        """`reduce`, its results with the place of each, whatever the operation."""
        return self.reductions(set, [(quantity, operation, component)])[0]

    def reduce_several(self, set: str, asked: Sequence[Reduction]) -> list[Any]:
        """Several reductions of a set in one pass: of each what `reduce` gives. Every kernel that
        makes a quantity runs once for all of them.

        asked: (quantity, operation) or (quantity, operation, component) of each.
        """
        found = self.reductions(set, asked)
        return [_given(*one) for one in zip(found, asked, strict=True)]

    def reductions(self, set: str, asked: Sequence[Reduction]) -> list[list[Reduced]]:
        """`reduce_several`, the results with the place of each, whatever the operation."""
        return self._bound.reduce(set, [Asked(*one) for one in asked])

    def prepared_reduction(self, set: str, asked: Sequence[Reduction]) -> PreparedReduction | None:
        """What callers that are no Python may do again of `reductions` that were done; None where
        something has changed since."""
        return self._bound.prepared_reduction(set, [Asked(*one) for one in asked])

    def reduce_there(
        self, set: str, quantity: str, operation: str, component: int | str | None = None
    ) -> Any:
        """`reduce`, the values alone, left where the quantity lies: an array (k,) of CuPy on the
        device, of NumPy where it is the host's; k: 1, with "each" the number of components. The
        same bits as those of `reduce`; they are there when this returns."""
        return self._bound.reduce_there(set, quantity, operation, component)

    def allreduce(
        self, set: str, quantity: str, operation: str, component: int | str | None = None
    ) -> Any:
        """`reduce` over the points of all ranks of the Frame's communicator; collective.

        The result is the same on all ranks, and its bits are the same for every decomposition of
        the same points. "minloc" and "maxloc" give (float, place, rank), of equal values the place
        of the lowest rank. Where it fails on one rank, it fails on all. StateError in a program of
        several ranks whose Frame has no communicator.
        """
        return self.allreduce_several(set, [(quantity, operation, component)])[0]

    def allreduce_several(self, set: str, asked: Sequence[Reduction]) -> list[Any]:
        """`reduce_several` over ranks: of each what `allreduce` gives; the ranks speak to each
        other as often as for one."""
        found = self.rank_reductions(set, asked)
        return [_given(*one, ranks=True) for one in zip(found, asked, strict=True)]

    def rank_reduction(
        self, set: str, quantity: str, operation: str, component: int | str | None = None
    ) -> list[Reduced]:
        """`allreduce`, its results with the place and the rank of each."""
        return self.rank_reductions(set, [(quantity, operation, component)])[0]

    def rank_reductions(self, set: str, asked: Sequence[Reduction]) -> list[list[Reduced]]:
        """`allreduce_several`, its results with the place and the rank of each."""
        return self._bound.allreduce(set, [Asked(*one) for one in asked])

    def refuse_blocks(self, set: str, argument: str, instead: str) -> None:
        """ArgumentError for an argument that has no meaning in a set of many blocks."""
        self._bound.refuse_blocks(set, argument, instead)

    def unchanged(self, set: str, name: str) -> None:
        """Declare that this `in` array, or with "*" each of them, has the same contents as in the
        set's latest run. If that run read the array and the GPU has kept it, it is not copied
        again. The declaration holds for the next run alone, even if this is refused."""
        self._bound.unchanged(set, name)

    # ---- beside a loop of the host -----------------------------------------------------------

    # ---- status words ---------------------------------------------------------------------

    def status_counts(self, set: str) -> dict[str, int]:
        """Points of a set by bit of their status words, by name, those of its latest run: of every
        run with setting status_counts, else what lies in the bound array `status` now. Points
        where the set's iblank is 0 do not count."""
        counts = self.status_bits(set)
        return {name_of(bit): int(counts[bit]) for bit in range(BITS) if counts[bit]}

    def status_bits(self, set: str) -> np.ndarray:
        """The same as 32 numbers, bit 0 first."""
        return self._bound.status.counts(self._bound.idle_set(set, "frame_status_counts"))

    def status_points(self, set: str, bits: int | None = None, most: int = SHOWN) -> list[str]:
        """The first points of a set that have one of these bits (None: those of setting
        status_bits), a line each: where, bits, and inputs in SI."""
        chosen = self._bound.status.policy.bits if bits is None else integer("bits", bits)
        if integer("most", most) < 1:
            raise ArgumentError("most", most, "at least 1 point")
        point_set = self._bound.idle_set(set, "frame_status_points")
        return self._bound.status.first(point_set, chosen, most)

    def status_policy(self, action: str) -> None:
        """What a run does if points have a bit of the setting status_bits (none named: BAD_T,
        BAD_P, BAD_Y, BAD_RHO, NO_CONV): "continue", or "stop", which raises PointsError."""
        self._bound.refuse_while_pending("frame_status_policy")
        self._bound.status.choose(action)

    # ---- beside a loop of the host --------------------------------------------------------

    def compare_begin(self, set: str, composite: str, share: float = 1.0) -> None:
        """Run a composite or kernel on the present arrays of a set, before the host's own loop
        changes them. The outputs go to memory of the bridge; `compare` compares them.

        share: the share of the points to compute and compare, above 0.0 and up to 1.0. Below 1.0
        the points are boxes, chosen by a pseudo-random sequence from the number of the call and
        the points' positions. Below 1.0 ArgumentError for a set of many blocks and for kernels
        with colours or a sweep.
        """
        self._bound.compare_begin(set, composite, share)

    def compare(self, set: str, composite: str) -> float:
        """Compare the outputs of the host's loop with those of `compare_begin`. Returns the
        largest difference, relative to the largest magnitude of its component in the loop's
        values. NaN on one side alone, or another integer, is an infinite difference. StateError
        without a `compare_begin`."""
        return self._bound.compare(set, composite)

    def compare_begin_sets(
        self, sets: Sequence[str], composites: Sequence[str], share: float = 1.0
    ) -> None:
        """`compare_begin` of several sets, each with its composite or kernel, for one loop of the
        host. They run in this order, and a later one reads results of earlier ones. Then call
        `compare` for each. If one reads results of another, or has colours or a sweep, a share
        below 1.0 is a share of the calls: the other calls compare nothing."""
        self._bound.compare_begin_sets(sets, composites, share)

    def compare_numbers(
        self, set: str, composite: str, name: str, original: Sequence[float],
        bridge: Sequence[float], scale: Sequence[float],
    ) -> float:  # fmt: skip
        """Add numbers of the host's loop and of the bridge to the latest `compare`, under a name.
        Returns the largest difference relative to `scale`; with scale 0.0 the numbers are equal or
        infinitely different."""
        return self._bound.compare_numbers(set, composite, name, original, bridge, scale)

    def compare_without(self, set: str, name: str, in_place: bool = False) -> None:
        """Leave this output of a set, which the host's loop does not compute, out of comparisons.
        in_place: the host does not read it either, so a comparison writes it as a run does, and
        `reduce` can read it. A new bind of the array ends this."""
        self._bound.compare_without(set, name, in_place)

    def differences(self, set: str, composite: str) -> dict[str, Difference]:
        """Of each array in the latest `compare`."""
        return self._bound.comparisons.latest(set, self.impl.catalogue.runnable(composite).name)

    def record(self, set: str, composite: str, file: str) -> None:
        """Add the ranges and a sample of a composite's present inputs to a recording. It is
        written to FILE.RANK.npz at the end, or by `record_write`."""
        if not isinstance(file, str | os.PathLike):
            raise ArgumentError("file", repr(file), "the name of a file")
        self._bound.record(set, composite, os.fspath(file))

    def record_write(self) -> list[Path]:
        """Write the recordings as they are now; returns the paths."""
        return self._bound.recordings.write()


def _given(results: Sequence[Reduced], asked: Reduction, ranks: bool = False) -> Any:
    """Results of a reduction as a caller of Python has them; ranks: with the rank of a place."""
    _, operation, component = Asked(*asked)
    given: list[Any] = [spelled(operation, one.value) for one in results]
    if operation in ("minloc", "maxloc"):
        given = [(one.value, one.full_place, *[one.rank] * ranks) for one in results]
    return given if component == EACH or operation == "bits" else given[0]
