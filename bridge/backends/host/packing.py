"""Stripes of the caller's arrays into columns and back, by the threads of a kernel library."""

from __future__ import annotations

from typing import Any

from bridge.backends.base import Binding, NativeCopy
from bridge.backends.host import library, memory
from bridge.errors import ArgumentError


class Packing:
    """The marshalling functions of a kernel library.

    threads: OpenMP threads that a call uses; isa: of the library, see `library.choose`.
    """

    def __init__(self, threads: int = 1, isa: str | None = None) -> None:
        if threads < 1:
            raise ArgumentError("threads", threads, "at least 1")
        self.threads = threads
        self.library = library.choose(isa)
        self._ffi = self.library.ffi
        self._void = self._ffi.typeof("void*")
        self._pack = self.library.lib.bridge_cpu_pack
        self._unpack = self.library.lib.bridge_cpu_unpack

    def pack(self, source: Binding, first: int, n: int, target: Any) -> None:
        """Interior points first .. first+n-1 of a host array into rows [:, :n] of a view."""
        self._pack(self._struct(source), first, n, *self._columns(target), self.threads)

    def pack_at(
        self, source: Binding, first: int, n: int, address: int, stride: int, integer: bool
    ) -> None:
        """`pack` to columns that lie `stride` points apart from an address on."""
        pointer = self._ffi.cast(self._void, address)
        self._pack(self._struct(source), first, n, pointer, stride, integer, self.threads)

    def unpack(self, source: Any, target: Binding, first: int, n: int) -> None:
        """Rows [:, :n] of a view into interior points first .. first+n-1 of a host array."""
        self._unpack(self._struct(target), first, n, *self._columns(source), self.threads)

    def native(self, array: Binding, view: Any, inward: bool) -> NativeCopy:
        """`pack`, or else `unpack`, for callers that are no Python."""
        function = self.library.address("bridge_cpu_pack" if inward else "bridge_cpu_unpack")
        pointer, stride, integer = self._columns(view)
        struct, place = (
            int(self._ffi.cast("intptr_t", at)) for at in (self._struct(array), pointer)
        )
        return NativeCopy(function, struct, place, stride, integer, self.threads)

    def _struct(self, binding: Binding) -> Any:
        """The binding in C, kept with the binding: stripes of one array come again and again."""
        kept = binding.__dict__.get("_packing_struct")
        if kept is None:
            kept = self._ffi.new("bridge_array*")
            memory.fill_array(kept, self._ffi, binding)
            binding.__dict__["_packing_struct"] = kept
        return kept

    def _columns(self, array: Any) -> tuple[Any, int, bool]:
        """Address, elements from column to column, whether int32."""
        kept = getattr(array, "view_arguments", None)
        if kept is None:
            pointer = self._ffi.cast("void*", memory.address_of(array))
            integer = array.dtype == "int32"
            kept = (pointer, array.strides[0] // array.itemsize, integer)
            if isinstance(array, memory.HostArray):
                array.view_arguments = kept
        return kept
