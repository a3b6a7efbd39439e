"""The same texts by NVRTC and the driver alone, without anything of the bridge: what its launcher
costs is the difference."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from statistics import median
from typing import Any

from bridge.backends.cuda.compiler import FLAGS
from bridge_gallery.graphicscard import REPEATS, GraphicsCard, full_text
from bridge_gallery.rung import Launch, Rung


def _done(result: tuple[Any, ...]) -> Any:
    """What a call of cuda-bindings returned, beside its status."""
    if int(result[0]):
        raise RuntimeError(str(result[0]))
    return result[1] if len(result) == 2 else result[1:]


@cache
def _compiled(text: str, words: tuple[str, ...]) -> bytes:
    """Machine code of a text, which several rungs have."""
    from cuda.bindings import nvrtc

    program = _done(nvrtc.nvrtcCreateProgram(text.encode(), b"rungs.cu", 0, [], []))
    _done(nvrtc.nvrtcCompileProgram(program, len(words), [word.encode() for word in words]))
    cubin = bytes(_done(nvrtc.nvrtcGetCUBINSize(program)))
    _done(nvrtc.nvrtcGetCUBIN(program, cubin))
    return cubin


class Bare:
    """A rung compiled by `nvrtcCompileProgram`, launched by `cuLaunchKernel`."""

    def __init__(self, card: GraphicsCard, text: str, rung: Rung) -> None:
        from cuda.bindings import driver, nvrtc

        self._driver = driver
        words = [f"-arch={card.device.arch}", "-default-device", *FLAGS, *rung.options]
        if rung.options and _done(nvrtc.nvrtcVersion()) >= (12, 9):
            words.append("--no-cache")  # which knows nothing of options
        self._cubin = _compiled(full_text(text, rung.definitions), tuple(words))
        self._module = _done(driver.cuModuleLoadData(self._cubin))
        self._stream = driver.CUstream(card.device.stream)
        self._calls = [self._call(card, launch) for launch in rung.kernels]

    def _call(self, card: GraphicsCard, launch: Launch) -> Callable[[], None]:
        driver, stream = self._driver, self._stream
        function = _done(driver.cuModuleGetFunction(self._module, launch.kernel.encode()))
        if launch.shared > 48 * 1024:
            most = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            _done(driver.cuFuncSetAttribute(function, most, launch.shared))
        if launch.shared:
            share = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
            _done(driver.cuFuncSetAttribute(function, share, 100))
        given, kept = card.parameters(launch)
        at, grid = ctypes.addressof(given), card.grid(launch)

        def call(keep: Any = (given, kept)) -> None:
            driver.cuLaunchKernel(function, *grid, *launch.block, launch.shared, stream, at, 0)

        return call

    def run(self) -> None:
        """The launches of the rung, one after the other."""
        for call in self._calls:
            call()


def in_turns(
    card: GraphicsCard, ours: Callable[[], None], bare: Callable[[], None], inner: int
) -> tuple[float, float]:
    """Seconds of both, taken in turns: ours, bare."""
    pairs = [
        [card.clock.seconds(work, repeats=1, inner=inner) for work in (ours, bare)]
        for _ in range(REPEATS)
    ]
    return median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
