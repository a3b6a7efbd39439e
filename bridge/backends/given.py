"""Constants as a call gave them, for who gives the same again without Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.backends.base import NativeCall
from bridge.backends.orderlibrary import function
from bridge.compiled.order import ffi


class Given:
    """values: of memory of the host, by their addresses; bring: has them brought to where kernels
    read them, None where that is their own place.

    made: the `bridge_given` of kernels/gpu/sequences.h.
    """

    def __init__(self, values: Sequence[tuple[int, bytes]], bring: NativeCall | None) -> None:
        self._bring = bring
        self._values = [ffi.new("char[]", value) for _, value in values]
        self._pieces = ffi.new("bridge_piece[]", [
            (to, int(ffi.cast("intptr_t", kept)), len(value))
            for (to, value), kept in zip(values, self._values, strict=True)
        ])  # fmt: skip
        by = (0, 0) if bring is None else (bring.function, bring.argument)
        self.made: Any = ffi.new("bridge_given*", (self._pieces, len(values), *by))

    def native(self) -> NativeCall:
        """Gives them again."""
        argument = int(ffi.cast("intptr_t", self.made))
        call = NativeCall(function("bridge_given_again"), argument, 0, 0, True, keeper=self)
        if self._bring is None:
            return call
        conditions, lock = self._bring.conditions, self._bring.lock
        return call._replace(conditions=conditions, lock=lock, captured=True)
