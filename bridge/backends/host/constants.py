"""Constants that are reductions of arrays; beside `reduction`. kernels/gpu/constants.h does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bridge.backends.base import (
    Binding,
    NativeCall,
    ReducedConstant,
    ReducedValues,
)
from bridge.backends.host.memory import fill_array
from bridge.backends.host.packing import Packing
from bridge.backends.host.reduction import GROUP, OPERATIONS
from bridge.backends.orderlibrary import function, library
from bridge.compiled.order import ffi
from bridge.errors import BridgeError, HostMpiError
from bridge.mpi import Allreduce

#: What MPI does not have to say twice.
LOST = "a reduction of constants over ranks: MPI_Allreduce failed"
#: A source: its function, argument, and what these point to.
Source = tuple[int, int, object]


class HostConstant:
    """Implements `backends.base.ConstantReduction`; sources: who has the values; values: the
    address of the `bridge_values` that brings the constant to a device, 0 for none."""

    def __init__(
        self, packing: Packing, asked: ReducedConstant, sources: Sequence[Source],
        ranks: Allreduce | None, values: int = 0,
    ) -> None:  # fmt: skip
        self._threads, self._asked = packing.threads, asked
        self._owners: list[Any] = [sources]
        listed = self._own("bridge_constant_source[]", [(one, to) for one, to, _ in sources])
        made: Any = ffi.new("bridge_constant*", {
            "sources": listed, "n_sources": len(sources), "kind": kind_of(asked),
            "measure": asked.measure.of, "root": asked.root, "none": asked.none,
            "value": ffi.cast("double*", asked.value), "check": asked.check,
            "values": ffi.cast("bridge_values*", values),
        })  # fmt: skip
        if ranks is not None:
            made.ranks = self._own("bridge_allreduce*", asdict(ranks))
        self._made = made
        self._room: list[Any] = []
        self.agree(0, asked.columns)

    def _own(self, kind: str, value: Any) -> Any:
        made = ffi.new(kind, value)
        self._owners.append(made)
        return made

    def agree(self, points: int, columns: int) -> None:
        """See `backends.base.ConstantReduction`."""
        made, words = self._made, 6 + 6 * columns
        self._room = [ffi.new("int64_t[]", words) for _ in range(2)]
        self._room.append(ffi.new("char[]", max(columns, 1) * library().BRIDGE_GRAINS))
        made.words, made.told, made.grains = self._room
        made.points, made.columns = points, columns

    @property
    def disagreed(self) -> bool:
        """See `backends.base.ConstantReduction`."""
        return bool(self._made.disagreed)

    @disagreed.setter
    def disagreed(self, disagreed: bool) -> None:
        self._made.disagreed = disagreed

    def go(self, fails: bool) -> bool:
        """See `backends.base.ConstantReduction`."""
        error = library().bridge_constant_go(self._made, fails, self._threads)
        if error == library().BRIDGE_CONSTANT_MPI:
            raise HostMpiError(LOST)
        return not error

    def native(self) -> NativeCall | None:
        """See `backends.base.ConstantReduction`."""
        argument = int(ffi.cast("intptr_t", self._made))
        several = self._made.ranks != ffi.NULL
        again = function("bridge_constant_again")
        return NativeCall(again, argument, several, self._threads, keeper=self)

    def failure(self) -> BaseException | None:
        """See `backends.base.ConstantReduction`."""
        return BridgeError("a reduction failed") if self._made.error else None


def kind_of(asked: ReducedConstant) -> int:
    """A number of constants.h."""
    lib = library()
    if asked.operation == "sum":
        return int(lib.BRIDGE_TOTAL if asked.summed else lib.BRIDGE_NUMBER)
    return int(lib.BRIDGE_LEAST if asked.operation == "min" else lib.BRIDGE_LARGEST)


def source_of(packing: Packing, values: ReducedValues, asked: ReducedConstant) -> Source:
    """Of an array of the host, or of what a program leaves."""
    library, binding = packing.library, values.binding
    new, columns = library.ffi.new, binding.columns
    made = new("bridge_constant_array*", {
        "operation": OPERATIONS[asked.operation], "measure": asked.measure.of,
        "added": asked.summed, "columns": columns,
    })  # fmt: skip
    kept: list[object] = [made, values]

    def array(of: Binding | None) -> Any:
        if of is None:
            return library.ffi.NULL
        found = new("bridge_array*")
        fill_array(found, library.ffi, of)
        kept.append(found)
        return found

    if values.program is not None:
        made.results = library.ffi.cast("bridge_partial*", values.program.results(values.number))
    else:
        groups = -(-binding.box.points // GROUP)
        made.source, made.mask = array(binding), array(values.mask)
        room = new("bridge_partial[]", groups * columns), new("bridge_partial[]", columns)
        made.partials, made.results = room
        kept.append(room)
        if asked.summed:
            alone = new("bridge_array[]", columns)
            for column, one in enumerate(alone):
                of = binding if columns == 1 else binding.columns_from(column, 1)
                fill_array(one, library.ffi, of)
                kept.append(of)
            made.column = alone
            kept.append(alone)
    address = library.address("bridge_cpu_constant_values")
    return address, int(library.ffi.cast("intptr_t", made)), kept


class HostPlace:
    """Implements `backends.base.ConstantPlace`; value: address of the constant's word."""

    def __init__(self, value: int, **device: Any) -> None:
        word = ffi.cast("double*", value)
        self._made = ffi.new("bridge_constant_place*", {"word": word, **device})
        self._found = ffi.new("double*")

    def get(self) -> float:
        """See `backends.base.ConstantPlace`."""
        self._checked(library().bridge_constant_value(self._made, self._found, 1))
        return float(self._found[0])

    def settle(self) -> None:
        """The host's word has it."""

    def _checked(self, error: int) -> None:
        assert not error, "a word of the host"

    def native(self) -> NativeCall:
        """See `backends.base.ConstantPlace`."""
        argument = int(ffi.cast("intptr_t", self._made))
        again = function("bridge_constant_value_again")
        return NativeCall(again, argument, 0, 1, keeper=self)
