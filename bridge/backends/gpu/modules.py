"""Compiled sources on the device, and the per-run data in their constants."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from bridge.backends.gpu import marshal
from bridge.backends.gpu.driver import Driver
from bridge.backends.gpu.layout import SharedLayout, omega11_tiles
from bridge.backends.gpu.memory import Allocator

#: Machine code of a text and of headers outside the package, for this device.
Compiled = Callable[[str, tuple[Path, ...]], bytes]

_numbers = count(1)

#: Threads of a block of marshalling kernels.
MARSHAL_THREADS = 256


class DeviceShared:
    """Per-run data in the form of the device: bytes of struct Shared, long tables behind it.

    words: the struct, whose pointers are the addresses of tables; number: another one for each.
    """

    def __init__(
        self, layout: SharedLayout, words: np.ndarray, tables: list[int], allocator: Allocator
    ) -> None:
        self.layout = layout
        self.words = words
        self.number = next(_numbers)
        self._tables = tables
        self._allocator = allocator

    @classmethod
    def upload(cls, shared: Any, allocator: Allocator) -> DeviceShared:
        """Put the tables of a `physics.shared.SharedData` on the device."""
        fields = shared.fields()
        layout = SharedLayout.of(fields)
        if layout.has_tiles:
            fields = {**fields, "omega11Tiles": omega11_tiles(fields)}
        addresses: dict[str, int] = {}
        try:
            for name in layout.pointers:
                values = np.ascontiguousarray(fields[name], dtype=np.float64)
                addresses[name] = allocator.device(values.nbytes, f"table '{name}'")
                allocator.put(addresses[name], values)
        except BaseException:
            with suppress(Exception):  # the device failed
                for address in addresses.values():
                    allocator.free(address)
            raise
        words = layout.pack(fields, addresses)
        return cls(layout, words, list(addresses.values()), allocator)

    def __del__(self) -> None:
        try:
            for address in self._tables:
                self._allocator.free(address)
        except Exception:  # the device failed, or the process ends
            pass


@dataclass
class Loaded:
    """A compiled source on the device; functions: handle and keeper by name; shared: the per-run
    data that lie in its constants; installed: their number, for who compares it without Python."""

    module: Any
    constants: int
    functions: dict[str, tuple[int, Any]] = field(default_factory=dict)
    shared: DeviceShared | None = None
    installed: array[int] = field(default_factory=lambda: array("q", (0,)))


@dataclass(frozen=True)
class Plain:
    """A kernel whose text has nothing of a run in it; keeper: what keeps it on the device."""

    module: Any
    function: int
    keeper: Any


class Modules:
    """All sources that one device has loaded.

    compiled: the vendor's compiler; installations: counts how often a module got other per-run
    data.
    """

    def __init__(
        self, api: Driver, compiled: Compiled, allocator: Allocator,
        synchronize: Callable[[], None],
    ) -> None:  # fmt: skip
        self._api = api
        self._compiled = compiled
        self._allocator = allocator
        self._synchronize = synchronize
        self._loaded: dict[str, Loaded] = {}
        self._marshal_functions: dict[str, int] = {}
        self._marshal_module: Any = None
        self._plain: dict[tuple[bytes, str, int], Plain] = {}
        self.installations = 0

    def plain(self, cubin: bytes, name: str, tile: int) -> Plain:
        """A kernel of a source that stands for itself, without per-run data; tile: bytes of
        shared memory of a block that the launch gives."""
        key = (cubin, name, tile)
        if key not in self._plain:
            module = self._api.load(cubin)
            function, keeper = self._api.function(module, name, tile)
            self._plain[key] = Plain(module, function, keeper)
        return self._plain[key]

    def load(
        self, text: str, headers: tuple[Path, ...], name: str, tile: int
    ) -> tuple[Loaded, int]:
        """The compiled source on this device, loaded once, and its kernel of this name; tile:
        bytes of shared memory of a block."""
        loaded = self._loaded.get(text)
        if loaded is None:
            module = self._api.load(self._compiled(text, headers))
            constants = self._api.symbol(module, "sharedData")
            loaded = self._loaded[text] = Loaded(module, constants)
        if name not in loaded.functions:
            loaded.functions[name] = self._api.function(loaded.module, name, tile)
        return loaded, loaded.functions[name][0]

    def install(self, loaded: Loaded, shared: DeviceShared) -> None:
        """See that a module's constants are those of a program."""
        if loaded.shared is not shared:
            self.installations += 1
            self._synchronize()
            self._allocator.put(loaded.constants, shared.words)
            loaded.shared = shared
            loaded.installed[0] = shared.number

    def launch_marshal(self, name: str, threads: int, parameters: list[Any], stream: int) -> None:
        """Launch a marshalling kernel."""
        addresses = (ctypes.c_void_p * len(parameters))(*map(ctypes.addressof, parameters))
        function, blocks = self.marshal_function(name), -(-threads // MARSHAL_THREADS)
        self._api.launch(function, blocks, MARSHAL_THREADS, 0, stream, ctypes.addressof(addresses))

    def marshal_function(self, name: str) -> int:
        """Handle of a marshalling kernel."""
        function = self._marshal_functions.get(name)
        if function is None:
            if self._marshal_module is None:
                self._marshal_module = self._api.load(self._compiled(marshal.SOURCE, ()))
            function, _ = self._api.function(self._marshal_module, name, 0)
            self._marshal_functions[name] = function
        return function

    def clear(self) -> None:
        """Unload what no program holds."""
        self._loaded.clear()
        self._plain.clear()
