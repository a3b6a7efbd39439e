"""Quantities that are reduced as a run makes them, piece by piece in the memory of its threads.

Beside `program` and `nests`, whose programs make the pieces that kernels/cpu/reduce.cpp reduces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bridge import machine
from bridge.backends.base import Answer, Binding, MadeReduction, Partial
from bridge.backends.cpu.program import PointsProgram
from bridge.backends.host.library import Library
from bridge.backends.host.memory import fill_array
from bridge.backends.host.reduction import GROUP, OPERATIONS, HostRepeating, in_c

#: Elements of a line of a cache: columns lie an odd number of lines apart (`memory.allocate`).
LINE = 8


def columns_apart(columns: int) -> int:
    """Elements from one column of a piece to the next: whole groups, as many as fit an eighth of
    a core's second-level cache, one at least, and a line: what is read then stays near as well."""
    return max(machine.cache_size(2) // 8 // (8 * columns) // GROUP, 1) * GROUP + LINE


class ReducingProgram(PointsProgram):
    """A program whose outputs are reduced as they are made, and are nowhere else.

    program: makes them; outputs: their memory as it knows it, flat, columns `columns_apart`.
    """

    whole = True
    _needs = "a piece of its values"

    def __init__(
        self, library: Library, program: PointsProgram, outputs: Mapping[str, Binding],
        mask: Binding | None, reductions: Sequence[MadeReduction], threads: int,
    ) -> None:  # fmt: skip
        super().__init__(library, program.plan, threads)
        ffi = self._ffi
        made: Any = ffi.new("bridge_made*")
        setattr(made, program.kind, program.struct)
        made.outputs = self._kept(ffi.new("int32_t[]", [program.arrays[n] for n in outputs]))
        made.n_outputs, made.n_reductions = len(outputs), len(reductions)
        made.columns = sum(one.columns for one in outputs.values())
        like = next(iter(outputs.values())).box
        made.apart, made.piece = like.data_stride, like.data_stride - LINE
        if mask is not None:
            made.mask = self._kept(ffi.new("bridge_array*"))
            fill_array(made.mask, ffi, mask)
        self._results = [ffi.new("bridge_partial[]", one.columns) for one in reductions]
        groups = -(-like.points // GROUP)
        each = self._kept(ffi.new("bridge_made_reduction[]", len(reductions)))
        for struct, one, results in zip(each, reductions, self._results, strict=True):
            struct.operation, struct.measure = OPERATIONS[one.operation], one.measure
            struct.column, struct.columns = one.column, one.columns
            struct.partials = self._kept(ffi.new("bridge_partial[]", groups * one.columns))
            struct.results = results
        made.reductions = each
        self._keep += [program, dict(outputs), mask]
        self._reductions = reductions
        self._calls("bridge_cpu_make", made, like.points)

    def partials(self, number: int) -> list[Partial]:
        """The results of a reduction, one of each column, once it has run."""
        return [Partial(one.value, one.point) for one in self._results[number]]

    def results(self, number: int) -> int:
        """The address of these, `bridge_partial` of kernels/cpu/interface.h."""
        return int(self._ffi.cast("intptr_t", self._results[number]))

    def repeating(self, number: int, source: Binding, answer: Answer) -> HostRepeating:
        """The answer of a reduction for callers that are no Python, behind the run; source: its
        columns."""
        form = in_c(answer, self._reductions[number].operation, source)
        made = self._ffi.new(
            "bridge_reduction*", {"results": self._results[number], "answer": form}
        )
        return HostRepeating(self._library, made, self._threads, self, ())
