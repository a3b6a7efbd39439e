"""A plan as a compiled kernel on the device, with the arguments of its next launch.

Between `source`, which writes it, and `program` and `pipeline`, which launch it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from bridge.backends.gpu.device import Device
from bridge.backends.gpu.modules import DeviceShared, Loaded
from bridge.backends.gpu.placement import Access
from bridge.backends.gpu.source import Entry, Source, generate
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Plan


class Launch:
    """What `compile` returns; shared: the per-run data of its program."""

    def __init__(
        self, device: Device, name: str, shared: DeviceShared, loaded: Loaded, function: int,
        entry: Entry,
    ) -> None:  # fmt: skip
        self._device = device
        self._name = name
        self._shared = shared
        self._loaded, self._function = loaded, function
        self.entry = entry
        self._threads, self._tile, self._points = entry.threads, entry.tile, entry.points
        self._tables = {name: device.host_data.table(name) for name in entry.tables}
        zeros = dict.fromkeys((*entry.arguments, *entry.tables), 0)
        self._arguments = ctypes.create_string_buffer(len(entry.pack(zeros, zeros, zeros)))
        self._first = ctypes.c_longlong()
        self._n = ctypes.c_int()
        self._parameters = (ctypes.c_void_p * 3)(
            ctypes.addressof(self._arguments),
            ctypes.addressof(self._first),
            ctypes.addressof(self._n),
        )
        self._parameters_at = ctypes.addressof(self._parameters)

    @classmethod
    def compile(
        cls, device: Device, plan: Plan, shared: DeviceShared, access: Mapping[str, Access],
        source: Source | None = None,
    ) -> Launch:  # fmt: skip
        """Generate, compile (or take from the cache) and load a plan.

        access: of bound quantities whose memory is not as declared; source: a text that has this
        plan among others, taken where there are no such quantities.
        """
        if source is None or access:
            policy = device.policy or device.table.policy(plan, shared.layout, device.arch)
            source = generate(
                [plan], Catalogue.installed(), shared.layout, access, policy, device.arch
            )
        entry = source.entries[plan.name]
        loaded, function = device.modules.load(source.text, source.headers, entry.name, entry.tile)
        return cls(device, plan.name, shared, loaded, function, entry)

    def set(
        self, addresses: Mapping[str, int], strides: Mapping[str, int], scales: Mapping[str, float]
    ) -> None:
        """The arguments of the launches that follow, by quantity: address of the first point,
        elements from column to column, factor."""
        words = self.entry.pack({**addresses, **self._tables}, strides, scales)
        ctypes.memmove(self._arguments, words, len(self._arguments))

    def install(self) -> None:
        """See that the module's constants are this program's."""
        self._device.modules.install(self._loaded, self._shared)

    def go(self, first: int, n: int, stream: int) -> None:
        """The kernel on points from `first` on, with the arguments that are set."""
        device = self._device
        if self._loaded.shared is not self._shared:
            device.modules.install(self._loaded, self._shared)
        self._first.value = first
        self._n.value = n
        device.recent.note(self._name)
        try:
            device.api.launch(self._function, -(-n // self._points), self._threads, self._tile,
                              stream, self._parameters_at)  # fmt: skip
        except device.api.errors as error:
            raise device.failure(self._name, error) from error
