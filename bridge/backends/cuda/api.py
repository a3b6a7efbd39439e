"""The calls of CUDA that the backend makes: one place that knows their names.

`cupy.cuda.runtime` and `cupy.cuda.driver` make them, because each costs least there. CuPy has no
type for the parameters of a 3-D copy, nor names for attributes of a function: those are
cuda-bindings' (docs/design/gpu-order.md). Errors come out as the package's own. Imported only
where a GPU is asked for or may be there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bridge.backends.gpu.driver import Addresses, Facts
from bridge.errors import DeviceError, OutOfMemoryError

#: cudaHostRegisterPortable and cudaHostRegisterMapped, which CuPy does not name.
_REGISTER = 1 | 2


class CallError(RuntimeError):
    """A call through cuda-bindings failed; its status by CUDA's name."""


class Api:
    """CUDA for one process; `use` makes a device the current one of this thread."""

    def __init__(self) -> None:
        try:
            from cuda.bindings import driver as bindings
            from cupy.cuda import Module, driver, runtime
        except ImportError as error:
            raise DeviceError(
                f"the GPU needs CuPy and cuda-bindings ({error}): "
                "pip install 'fortran-bridge[cuda13]' (or [cuda12], as the driver asks)"
            ) from error
        self._runtime: Any = runtime
        self._driver: Any = driver
        self._bindings: Any = bindings
        self._module: Any = Module
        self._launch: Any = driver.launchKernel
        self._any: int = runtime.memcpyDefault

    @contextmanager
    def _named(self, what: str) -> Iterator[None]:
        try:
            yield
        except self.errors as error:
            raise DeviceError(f"{what}: {error}") from error

    @staticmethod
    def _succeeded(result: tuple[Any, ...]) -> None:
        """cuda-bindings returns a status where CuPy raises."""
        if result[0]:
            raise CallError(result[0].name)

    def addresses(self) -> Addresses:
        """The driver's own functions, of the library that this process has loaded."""
        library = ctypes.CDLL("libcuda.so.1")
        status, context = self._bindings.cuCtxGetCurrent()
        self._succeeded((status,))

        def address(name: str) -> int:
            return ctypes.cast(library[name], ctypes.c_void_p).value or 0

        return Addresses(
            push=address("cuCtxPushCurrent_v2"),
            pop=address("cuCtxPopCurrent_v2"),
            launch=address("cuLaunchKernel"),
            record=address("cuEventRecord"),
            wait=address("cuStreamWaitEvent"),
            batch=address("cuStreamBatchMemOp_v2") if self._writes_values() else 0,
            copy=address("cuMemcpyAsync"),
            copy_rows=address("cuMemcpy3DAsync_v2"),
            synchronize=address("cuStreamSynchronize"),
            settle=address("cuEventSynchronize"),
            attribute=address("cuPointerGetAttribute"),
            graph=address("cuGraphLaunch"),
            context=int(context),
            keeper=library,
        )

    def _writes_values(self) -> bool:
        """Whether the device in use writes 64-bit values in the order of a stream."""
        bindings = self._bindings
        status, device = bindings.cuCtxGetDevice()
        self._succeeded((status,))
        name = "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS"
        attribute = getattr(bindings.CUdevice_attribute, name)
        status, has = bindings.cuDeviceGetAttribute(attribute, device)
        self._succeeded((status,))
        return bool(has)

    def error(self, code: int) -> CallError:
        """What one of them has answered."""
        return CallError(self._bindings.CUresult(code).name)

    # ---- devices --------------------------------------------------------------------------

    def devices(self) -> list[Facts]:
        """The visible devices; DeviceError where the driver has none."""
        with self._named("no usable GPU"):
            count = self._runtime.getDeviceCount()
        return [self._facts(index) for index in range(count)]

    def _facts(self, index: int) -> Facts:
        with self._named(f"device {index}"):
            p = self._runtime.getDeviceProperties(index)
            pci = self._runtime.deviceGetPCIBusId(index)
        digits = self._uuid(index).hex()
        parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
        return Facts(
            index,
            p["name"].decode(),
            pci,
            "GPU-" + "-".join(parts),
            f"sm_{p['major']}{p['minor']}",
            int(p["totalGlobalMem"]),
            int(p["multiProcessorCount"]),
        )

    def _uuid(self, index: int) -> bytes:
        """By the driver: CuPy's properties end at the first byte that is zero."""
        bindings = self._bindings
        self._succeeded(bindings.cuInit(0))
        status, device = bindings.cuDeviceGet(index)
        self._succeeded((status,))
        status, uuid = bindings.cuDeviceGetUuid(device)
        self._succeeded((status,))
        return bytes(uuid.bytes)

    def driver(self) -> str:
        """Version of the driver, as CUDA counts."""
        return str(self._runtime.driverGetVersion())

    def versions(self) -> str:
        runtime = self._runtime
        return f"CUDA {runtime.runtimeGetVersion()}, driver {runtime.driverGetVersion()}"

    def use(self, index: int) -> None:
        self._runtime.setDevice(index)

    # ---- memory ---------------------------------------------------------------------------

    def malloc(self, size: int) -> int:
        """Device memory; OutOfMemoryError with what is free."""
        try:
            return int(self._runtime.malloc(max(size, 1)))
        except self._runtime.CUDARuntimeError as error:
            if "MemoryAllocation" not in str(error):
                raise DeviceError(f"allocation of {size} bytes: {error}") from error
            free, total = self._runtime.memGetInfo()
            raise OutOfMemoryError(
                f"asked for {size / 2**20:.1f} MiB, {free / 2**20:.1f} of "
                f"{total / 2**20:.1f} MiB are free on the GPU"
            ) from error

    def free(self, address: int) -> None:
        self._runtime.free(address)

    def clear(self, address: int, size: int, stream: int) -> None:
        self._runtime.memsetAsync(address, 0, size, stream)

    def host_malloc(self, size: int) -> int:
        with self._named(f"page-locked memory, {size} bytes"):
            return int(self._runtime.hostAlloc(max(size, 1), self._runtime.hostAllocPortable))

    def host_free(self, address: int) -> None:
        self._runtime.freeHost(address)

    def lock(self, address: int, size: int) -> bool:
        """Page-lock host memory; False where the system refuses."""
        try:
            self._runtime.hostRegister(address, size, _REGISTER)
        except self._runtime.CUDARuntimeError:
            return False
        return True

    def unlock(self, address: int) -> None:
        self._runtime.hostUnregister(address)

    def device_of(self, address: int) -> int | None:
        """The device whose memory this is; None for host memory."""
        try:
            found = self._runtime.pointerGetAttributes(address)
        except self._runtime.CUDARuntimeError:
            return None
        on_device = (self._runtime.memoryTypeDevice, self._runtime.memoryTypeManaged)
        return int(found.device) if found.type in on_device else None

    # ---- copies -----------------------------------------------------------------------------

    def copy(self, target: int, source: int, size: int) -> None:
        """Any direction; done when it returns."""
        self._runtime.memcpy(target, source, size, self._any)

    def copy_async(self, target: int, source: int, size: int, stream: int) -> None:
        self._runtime.memcpyAsync(target, source, size, self._any, stream)

    def copy2d_async(
        self, target: int, target_pitch: int, source: int, source_pitch: int,
        width: int, height: int, stream: int,
    ) -> None:  # fmt: skip
        """height rows of width bytes."""
        self._runtime.memcpy2DAsync(
            target, target_pitch, source, source_pitch, width, height, self._any, stream
        )

    def copy3d_async(
        self, target: int, target_pitch: int, target_rows: int, source: int, source_pitch: int,
        source_rows: int, width: int, height: int, depth: int, stream: int,
    ) -> None:  # fmt: skip
        """depth slices of height rows of width bytes; a slice lies `rows` pitches further."""
        copy = self._bindings.CUDA_MEMCPY3D()
        # Either side by its address alone, as cudaMemcpyDefault says it for the other copies.
        anywhere = self._bindings.CUmemorytype.CU_MEMORYTYPE_UNIFIED
        copy.srcMemoryType = copy.dstMemoryType = anywhere
        copy.srcDevice, copy.srcPitch, copy.srcHeight = source, source_pitch, source_rows
        copy.dstDevice, copy.dstPitch, copy.dstHeight = target, target_pitch, target_rows
        copy.WidthInBytes, copy.Height, copy.Depth = width, height, depth
        self._succeeded(self._bindings.cuMemcpy3DAsync(copy, stream))

    # ---- streams, events, graphs --------------------------------------------------------------

    def stream(self) -> int:
        return int(self._runtime.streamCreateWithFlags(self._runtime.streamNonBlocking))

    def stream_destroy(self, stream: int) -> None:
        self._runtime.streamDestroy(stream)

    def stream_wait(self, stream: int, event: int) -> None:
        self._runtime.streamWaitEvent(stream, event)

    def stream_synchronize(self, stream: int) -> None:
        self._runtime.streamSynchronize(stream)

    def synchronize(self) -> None:
        self._runtime.deviceSynchronize()

    def event(self, timing: bool = False) -> int:
        runtime = self._runtime
        flags = runtime.eventDefault if timing else runtime.eventDisableTiming
        return int(runtime.eventCreateWithFlags(flags))

    def event_destroy(self, event: int) -> None:
        self._runtime.eventDestroy(event)

    def record(self, event: int, stream: int) -> None:
        self._runtime.eventRecord(event, stream)

    def record_in_graph(self, event: int, stream: int) -> None:
        """`record` during a capture: the graph records the event whenever it runs."""
        external = self._bindings.CUevent_record_flags.CU_EVENT_RECORD_EXTERNAL
        self._succeeded(self._bindings.cuEventRecordWithFlags(event, stream, int(external)))

    def event_synchronize(self, event: int) -> None:
        self._runtime.eventSynchronize(event)

    def event_done(self, event: int) -> bool:
        return bool(self._runtime.eventQuery(event) == 0)

    def elapsed(self, begin: int, end: int) -> float:
        """Milliseconds between two timing events."""
        return float(self._runtime.eventElapsedTime(begin, end))

    def begin_capture(self, stream: int) -> None:
        self._runtime.streamBeginCapture(stream)

    def end_capture(self, stream: int) -> int:
        """What was captured, ready to be launched."""
        graph = self._runtime.streamEndCapture(stream)
        executable = int(self._runtime.graphInstantiate(graph))
        self._runtime.graphDestroy(graph)
        return executable

    def graph_launch(self, graph: int, stream: int) -> None:
        self._runtime.graphLaunch(graph, stream)

    def graph_destroy(self, graph: int) -> None:
        self._runtime.graphExecDestroy(graph)

    # ---- code -------------------------------------------------------------------------------

    def load(self, cubin: bytes) -> Any:
        """A module; it is unloaded when nothing holds it any more."""
        module = self._module()
        with self._named("loading compiled kernels"):
            module.load(cubin)
        return module

    def function(self, module: Any, name: str, tile: int) -> tuple[int, Any]:
        """Handle of a kernel, and what keeps it alive; tile: bytes of shared memory per block."""
        attribute = self._bindings.CUfunction_attribute
        set_attribute = self._bindings.cuFuncSetAttribute
        with self._named(f"kernel {name}"):
            function = module.get_function(name)
            if tile > 48 * 1024:
                most = attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                self._succeeded(set_attribute(function.ptr, most, tile))
            if tile:
                share = attribute.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
                self._succeeded(set_attribute(function.ptr, share, 100))
        return int(function.ptr), function

    def symbol(self, module: Any, name: str) -> int:
        return int(module.get_global_var(name))

    def launch(
        self, function: int, blocks: int, threads: int, tile: int, stream: int, parameters: int
    ) -> None:
        """parameters: address of an array of addresses of the arguments."""
        self._launch(function, blocks, 1, 1, threads, 1, 1, tile, stream, parameters, 0)

    def launch_grid(
        self, function: int, grid: tuple[int, int, int], block: tuple[int, int, int], tile: int,
        stream: int, parameters: int,
    ) -> None:  # fmt: skip
        self._launch(function, *grid, *block, tile, stream, parameters, 0)

    def launch_together(
        self, function: int, grid: tuple[int, int, int], block: tuple[int, int, int], tile: int,
        stream: int, parameters: int,
    ) -> None:  # fmt: skip
        launch = self._bindings.cuLaunchCooperativeKernel
        self._succeeded(launch(function, *grid, *block, tile, stream, parameters))

    @property
    def errors(self) -> tuple[type[BaseException], ...]:
        """What CUDA calls raise."""
        return (self._runtime.CUDARuntimeError, self._driver.CUDADriverError, CallError)
