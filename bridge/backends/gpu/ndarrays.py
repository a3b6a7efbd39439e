"""CuPy arrays on memory of the device, NumPy arrays on the host's; see `Backend.ndarray`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from bridge.backends.base import Binding
from bridge.backends.gpu.device import Device
from bridge.backends.host.ndarrays import layout, on_memory


class _Stream:
    """A stream of the driver, as other packages ask for one."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __cuda_stream__(self) -> tuple[int, int]:
        """Version of the protocol, the stream."""
        return 0, self._number


def cupy_stream(device: Device) -> Any:
    """The device's stream as CuPy's: before CuPy 14 that took its number."""
    import cupy

    made = getattr(cupy.cuda.Stream, "from_external", None)
    if made is None:
        return cupy.cuda.ExternalStream(device.stream, device.facts.index)
    return made(_Stream(device.stream))


class GpuNdarrays:
    """Of one device: what is asked of them goes on its stream, behind what runs."""

    def __init__(self, device: Device) -> None:
        self._device = device
        #: The device's stream, as other packages have it.
        self._cupy: Any = None
        self._torch: Any = None

    def on_memory(self, binding: Binding) -> Any:
        """See `Backend.ndarray`."""
        if not binding.elements or self._device.owner_of(binding.address) is None:
            return on_memory(binding)
        if not self._device.allocator.holds(binding.address):
            self._device.api.synchronize()  # whoever wrote it may have used another stream
        return self._on_device(binding)

    @contextmanager
    def working(self) -> Iterator[None]:
        """See `Backend.working`."""
        device = self._device
        with device.entered(), device.watched("a primitive on arrays", wait=True):
            device.follow_runs()
            device.settle_runs()  # arrays may be the host's
            with self._stream():
                yield
            device.api.stream_synchronize(device.stream)

    @contextmanager
    def lending(self, sync: str) -> Iterator[None]:
        """See `Backend.lending`."""
        device = self._device
        everything = sync == "device"
        with device.entered(), device.watched("Python of the user", wait=everything):
            device.follow_runs()
            device.settle_runs()  # arrays may be the host's
            if everything:
                device.api.synchronize()
            with self._stream(), self._stream_of_torch():
                yield
            if everything:
                device.api.synchronize()

    def _stream(self) -> Any:
        if self._cupy is None:
            self._cupy = cupy_stream(self._device)
        return self._cupy

    def _stream_of_torch(self) -> Any:
        """The same for PyTorch, where it is loaded and has met a GPU."""
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_available():
            return nullcontext()
        if self._torch is None:
            device = self._device
            self._torch = torch.cuda.ExternalStream(device.stream, device=device.facts.index)
        return torch.cuda.stream(self._torch)

    def _on_device(self, binding: Binding) -> Any:
        import cupy

        shape, strides = layout(binding)
        begin, end = binding.span
        index = self._device.facts.index
        memory = cupy.cuda.UnownedMemory(begin, end - begin, binding.owner, index)
        offset = binding.address + binding.itemsize * binding.box.offset - begin
        place = cupy.cuda.MemoryPointer(memory, offset)
        return cupy.ndarray(shape, binding.dtype, place, strides)
