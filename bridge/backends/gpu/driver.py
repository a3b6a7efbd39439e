"""The calls of a vendor's driver that everything here makes; `cuda.api` has them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Facts:
    """One device: its number among the visible ones and what names it everywhere."""

    index: int
    name: str
    pci: str
    uuid: str
    arch: str
    memory: int
    processors: int


@dataclass(frozen=True)
class Addresses:
    """What callers that are no Python need of a driver: the addresses of its functions, and the
    context of a device. Each function returns 0, or what `Driver.error` takes.

    push, pop: make a context the current one of a thread, and the one before; launch, record,
    wait, copy, synchronize, settle: as `launch`, `record`, `stream_wait`, `copy_async`,
    `stream_synchronize` and `event_synchronize` of `Driver`; copy_rows: copies what `RowsCopied`
    says, on a stream; attribute: tells whose memory an address is; graph: launches what was
    captured on a stream; batch: writes several values by the device itself, 0 where it cannot;
    keeper: what keeps them.

    Where somebody counts what is asked for, the others but `counted` are what `bridge_driver` of
    order.h says; counted: the address of the words of a kernel.
    """

    push: int
    pop: int
    launch: int
    record: int
    wait: int
    batch: int
    copy: int
    copy_rows: int
    synchronize: int
    settle: int
    attribute: int
    graph: int
    context: int
    keeper: Any
    bare_launch: int = 0
    bare_copy: int = 0
    bare_copy_rows: int = 0
    bare_synchronize: int = 0
    bare_settle: int = 0
    timed_launch: int = 0
    timed_copy: int = 0
    timed_copy_rows: int = 0
    counted_in: int = 0
    counted_out: int = 0
    counted: Callable[[int], int] | None = None


class Side(ctypes.Structure):
    """One side of `RowsCopied`; x to level, host, array and reserved are zero."""

    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("x", "y", "z", "level")),
        ("type", ctypes.c_uint),
        *((name, ctypes.c_size_t) for name in ("host", "address", "array", "reserved")),
        ("pitch", ctypes.c_size_t),
        ("rows", ctypes.c_size_t),
    ]


class RowsCopied(ctypes.Structure):
    """What C asks of `Addresses.copy_rows`: CUDA_MEMCPY3D."""

    _fields_ = [
        ("source", Side),
        ("target", Side),
        *((name, ctypes.c_size_t) for name in ("width", "height", "depth")),
    ]

    def go(self, driver: Driver, stream: int) -> None:
        """Ask a driver in Python for it."""
        to, source = self.target, self.source
        if self.depth == 1:
            driver.copy2d_async(to.address, to.pitch, source.address, source.pitch,
                                self.width, self.height, stream)  # fmt: skip
        else:
            driver.copy3d_async(
                to.address, to.pitch, to.rows, source.address, source.pitch, source.rows,
                self.width, self.height, self.depth, stream,
            )  # fmt: skip


#: What functions of `CalledBack` answer where the driver has raised.
RAISED = 999


class CalledBack:
    """A driver in Python for callers in C.

    launch, copy, copy_rows, synchronize, settle, graph: addresses of functions for them; error:
    what the latest call has raised.
    """

    def __init__(self, driver: Driver) -> None:
        self.error: BaseException | None = None
        self._functions: list[Any] = []
        word = ctypes.c_size_t
        self.launch = self.launching(lambda *given: driver.launch(*given))
        self.copy = self.address(lambda *given: driver.copy_async(*given), *[word] * 4)
        self.copy_rows = self.copying_rows(lambda rows, stream: rows.go(driver, stream))
        self.synchronize = self.address(lambda stream: driver.stream_synchronize(stream), word)
        self.settle = self.address(lambda event: driver.event_synchronize(event), word)
        self.graph = self.address(lambda *given: driver.graph_launch(*given), word, word)

    def launching(self, body: Callable[[int, int, int, int, int, int], None]) -> int:
        """`address` of one that takes the arguments of `Driver.launch`."""

        def launch(
            function: int, blocks: int, _y: int, _z: int, threads: int, _ty: int, _tz: int,
            tile: int, stream: int, parameters: int, _extra: int,
        ) -> None:  # fmt: skip
            body(function, blocks, threads, tile, stream, parameters)

        number, word = ctypes.c_uint, ctypes.c_size_t
        return self.address(launch, word, *[number] * 7, *[word] * 3)

    def copying_rows(self, body: Callable[[RowsCopied, int], None]) -> int:
        """`address` of one that copies rows on a stream."""
        word = ctypes.c_size_t
        return self.address(
            lambda described, stream: body(RowsCopied.from_address(described), stream), word, word
        )

    def address(self, body: Callable[..., None], *kinds: Any) -> int:
        """Of a function that calls this one, with arguments of these types."""

        def called(*arguments: int | None) -> int:
            try:
                body(*(one or 0 for one in arguments))
            except BaseException as error:
                self.error = error
                return RAISED
            return 0

        self._functions.append(ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(called))
        return ctypes.cast(self._functions[-1], ctypes.c_void_p).value or 0


class Driver(Protocol):
    """A vendor's runtime in one process; `use` makes a device the current one of this thread."""

    def addresses(self) -> Addresses:
        """Of the device in use."""
        ...

    def error(self, code: int) -> BaseException:
        """What a function of `addresses` has answered, one of `errors`."""
        ...

    def versions(self) -> str: ...

    def use(self, index: int) -> None: ...

    def malloc(self, size: int) -> int:
        """Device memory; OutOfMemoryError with what is free."""
        ...

    def free(self, address: int) -> None: ...

    def clear(self, address: int, size: int, stream: int) -> None: ...

    def host_malloc(self, size: int) -> int: ...

    def host_free(self, address: int) -> None: ...

    def lock(self, address: int, size: int) -> bool:
        """Page-lock host memory; False where the system refuses."""
        ...

    def unlock(self, address: int) -> None: ...

    def device_of(self, address: int) -> int | None:
        """The device whose memory this is; None for host memory."""
        ...

    def copy(self, target: int, source: int, size: int) -> None:
        """Any direction; done when it returns."""
        ...

    def copy_async(self, target: int, source: int, size: int, stream: int) -> None: ...

    def copy2d_async(
        self, target: int, target_pitch: int, source: int, source_pitch: int,
        width: int, height: int, stream: int,
    ) -> None:  # fmt: skip
        """height rows of width bytes."""
        ...

    def copy3d_async(
        self, target: int, target_pitch: int, target_rows: int, source: int, source_pitch: int,
        source_rows: int, width: int, height: int, depth: int, stream: int,
    ) -> None:  # fmt: skip
        """depth slices of height rows of width bytes; a slice lies `rows` pitches further."""
        ...

    def stream(self) -> int: ...

    def stream_destroy(self, stream: int) -> None: ...

    def stream_wait(self, stream: int, event: int) -> None: ...

    def stream_synchronize(self, stream: int) -> None: ...

    def synchronize(self) -> None: ...

    def event(self, timing: bool = False) -> int: ...

    def event_destroy(self, event: int) -> None: ...

    def record(self, event: int, stream: int) -> None: ...

    def record_in_graph(self, event: int, stream: int) -> None:
        """`record` during a capture: the graph records the event whenever it runs."""
        ...

    def event_synchronize(self, event: int) -> None: ...

    def event_done(self, event: int) -> bool: ...

    def elapsed(self, begin: int, end: int) -> float:
        """Milliseconds between two timing events."""
        ...

    def begin_capture(self, stream: int) -> None: ...

    def end_capture(self, stream: int) -> int:
        """What was captured, ready to be launched."""
        ...

    def graph_launch(self, graph: int, stream: int) -> None: ...

    def graph_destroy(self, graph: int) -> None: ...

    def load(self, cubin: bytes) -> Any:
        """A module; it is unloaded when nothing holds it any more."""
        ...

    def function(self, module: Any, name: str, tile: int) -> tuple[int, Any]:
        """Handle of a kernel, and what keeps it alive; tile: bytes of shared memory per block."""
        ...

    def symbol(self, module: Any, name: str) -> int: ...

    def launch(
        self, function: int, blocks: int, threads: int, tile: int, stream: int, parameters: int
    ) -> None:
        """parameters: address of an array of addresses of the arguments."""
        ...

    def launch_grid(
        self, function: int, grid: tuple[int, int, int], block: tuple[int, int, int], tile: int,
        stream: int, parameters: int,
    ) -> None:  # fmt: skip
        """`launch` with up to three dimensions of blocks and of threads."""
        ...

    def launch_together(
        self, function: int, grid: tuple[int, int, int], block: tuple[int, int, int], tile: int,
        stream: int, parameters: int,
    ) -> None:  # fmt: skip
        """`launch_grid` of blocks that wait for each other: all of them are on the device at the
        same time, or it is refused."""
        ...

    @property
    def errors(self) -> tuple[type[BaseException], ...]:
        """What CUDA calls raise."""
        ...
