"""CuPy arrays on memory of the device, NumPy arrays on the host's; see `Backend.ndarray`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from bridge.backends.base import Binding
from bridge.backends.gpu.device import Device, Watched
from bridge.backends.host.ndarrays import layout, on_memory

#: What messages call the user's functions.
_LENT = "Python of the user"


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

    def lending(self, sync: str) -> Lending:
        """See `Backend.lending`."""
        return Lending(self._device, self, sync == "device")

    def _stream(self) -> Any:
        if self._cupy is None:
            self._cupy = cupy_stream(self._device)
        return self._cupy

    def _stream_of_torch(self) -> Any:
        """The same for PyTorch, to be entered once; None unless it is loaded and has met a GPU."""
        torch = sys.modules.get("torch")
        if torch is None or (self._torch is None and not torch.cuda.is_available()):
            return None
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


class Lending:
    """What `GpuNdarrays.lending` gives; everything: whether all of the device is idle before and
    after. Many functions are short: no generator, and no object for each call."""

    def __init__(self, device: Device, arrays: GpuNdarrays, everything: bool) -> None:
        self._device = device
        self._arrays = arrays
        self._everything = everything
        self._watched = Watched(device, _LENT, wait=everything)
        #: Streams of PyTorch that are to be left, None where it takes none.
        self._torch: list[Any] = []

    def __enter__(self) -> None:
        device = self._device
        device.entered().__enter__()
        try:
            device.note(_LENT)
            device.follow_runs()
            device.settle_runs()  # arrays may be the host's
            if self._everything:
                device.api.synchronize()
            self._enter_streams()
        except BaseException as error:
            self._left(error)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        try:
            try:
                if (torch := self._torch.pop()) is not None:
                    torch.__exit__(kind, error, trace)
            finally:
                self._arrays._stream().__exit__(kind, error, trace)
            if self._everything and error is None:
                self._device.api.synchronize()
        except BaseException as late:
            self._left(late)
            raise
        self._left(error)

    def _enter_streams(self) -> None:
        stream = self._arrays._stream()
        stream.__enter__()
        try:
            torch = self._arrays._stream_of_torch()
            if torch is not None:
                torch.__enter__()
        except BaseException:
            stream.__exit__(*sys.exc_info())
            raise
        self._torch.append(torch)

    def _left(self, error: BaseException | None) -> None:
        try:
            self._watched.__exit__(None, error, None)
        finally:
            self._device.lock.release()
