"""Reductions of arrays on the host, by the threads of a kernel library; beside `packing`."""

from __future__ import annotations

from typing import Any

from bridge.backends.base import VALUE, Answer, Binding, Condition, Measure, NativeCall, Partial
from bridge.backends.host import memory
from bridge.backends.host.library import Library
from bridge.backends.host.packing import Packing

#: Operations by their numbers in kernels/cpu/interface.h.
OPERATIONS = {"sum": 0, "min": 1, "max": 2, "any": 3}
#: Points of a group and its partial results, as in kernels/cpu/interface.h.
GROUP, GROUP_LANES = 1024, 32


class HostReduction:
    """The reductions of the kernel library that `packing` has, with as many threads."""

    def __init__(self, packing: Packing) -> None:
        self._threads = packing.threads
        self._library = packing.library
        self._ffi = packing.library.ffi
        self._reduce = packing.library.lib.bridge_cpu_reduce
        self._combine = packing.library.lib.bridge_cpu_combine
        self._whole = self._ffi.new("bridge_measure*", VALUE)

    def reduce(
        self,
        source: Binding,
        operation: str,
        mask: Binding | None = None,
        measure: Measure = VALUE,
    ) -> list[Partial]:
        """See `Backend.reduce`."""
        array, partials, results = self._prepared(source)
        blanks = self._ffi.NULL if mask is None else self._array(mask)
        number, of = OPERATIONS[operation], self._measure(measure)
        self._reduce(array, blanks, number, of, partials, results, self._threads)
        return [Partial(result.value, result.point) for result in results]

    def repeating(
        self, source: Binding, operation: str, mask: Binding | None, measure: Measure,
        answer: Answer, conditions: tuple[Condition, ...] = (),
    ) -> HostRepeating:  # fmt: skip
        """See `Backend.repeating_reduction`; conditions: of the call."""
        ffi = self._ffi
        kept = source, mask, *self._prepared(source)
        _, _, array, partials, results = kept
        blanks = ffi.NULL if mask is None else self._array(mask)
        made = ffi.new("bridge_reduction*", {
            "source": array, "mask": blanks, "measure": measure, "partials": partials,
            "results": results, "answer": in_c(answer, operation, source),
        })  # fmt: skip
        return HostRepeating(self._library, made, self._threads, (kept, blanks), conditions)

    def results(self, columns: int) -> Any:
        """Room for as many of `bridge_partial`."""
        return self._ffi.new("bridge_partial[]", columns)

    def form(self, answer: dict[str, Any]) -> Any:
        """A `bridge_answer`, see `in_c`."""
        return self._ffi.new("bridge_answer*", answer)

    def _measure(self, measure: Measure) -> Any:
        return self._whole if measure == VALUE else self._ffi.new("bridge_measure*", measure)

    def combine(self, operation: str, groups: int, columns: int, partials: int) -> list[Partial]:
        """The results of columns from the partial results of groups, which lie at an address."""
        results = self._ffi.new("bridge_partial[]", columns)
        pointer = self._ffi.cast("bridge_partial*", partials)
        self._combine(OPERATIONS[operation], groups, columns, pointer, results)
        return [Partial(result.value, result.point) for result in results]

    def _prepared(self, source: Binding) -> tuple[Any, Any, Any]:
        """The array in C and memory for results, kept with the binding: a solver asks again."""
        kept: tuple[Any, Any, Any] | None = source.__dict__.get("_reduction")
        if kept is None:
            array = self._array(source)
            groups = -(-source.box.points // GROUP)
            partials = self._ffi.new("bridge_partial[]", groups * source.columns)
            kept = array, partials, self._ffi.new("bridge_partial[]", source.columns)
            source.__dict__["_reduction"] = kept
        return kept

    def _array(self, binding: Binding) -> Any:
        array = self._ffi.new("bridge_array*")
        memory.fill_array(array, self._ffi, binding)
        return array


def in_c(answer: Answer, operation: str, source: Binding) -> dict[str, Any]:
    """A `bridge_answer`."""
    ni, nj, _ = source.box.extent
    return {
        "operation": OPERATIONS[operation], "together": answer.together, "root": answer.root,
        "place": answer.place, "component": answer.component, "columns": source.columns,
        "ni": ni, "nj": nj, "first": answer.first, "empty": answer.empty,
    }  # fmt: skip


class HostRepeating:
    """A `RepeatingReduction` of memory of the host. made: the `bridge_reduction`; kept: what it
    points to."""

    def __init__(
        self, library: Library, made: Any, threads: int, kept: object,
        conditions: tuple[Condition, ...],
    ) -> None:  # fmt: skip
        self._library, self._made, self._threads, self._kept = library, made, threads, kept
        self._conditions = conditions

    def native(self) -> NativeCall:
        """See `RepeatingReduction`."""
        function = self._library.address("bridge_cpu_reduce_again")
        argument = int(self._library.ffi.cast("intptr_t", self._made))
        return NativeCall(
            function, argument, 0, self._threads, conditions=self._conditions, keeper=self
        )

    def failure(self) -> None:
        """It cannot fail."""
