"""Exchanges by NCCL on a device that does nothing before somebody waits for it: the host waits for
nothing, and what a stream does not follow shows in the values."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from latestandin import LateStandIn

import bridge
import bridge.frame
from bridge.backends.cuda import CudaBackend, cache
from bridge.backends.gpu.nccl import Library
from bridge.bound.exchanges import Exchanges
from bridge.mpi import PointToPoint, Ranks


class Mirror:
    """A communicator whose other rank does what this one does."""

    rank, size = 0, 2

    def agreed(self, error: BaseException | None, value: Any) -> list[Any]:
        if error is not None:
            raise error
        name, arrays, lines, offer = value
        there = [(1 - peer, *line) for peer, *line in lines]
        return [value, (name, arrays, there, replace(offer, gpu="GPU-other"))]

    def allgather(self, value: Any) -> list[Any]:
        return [value, value]

    def takes_device_memory(self) -> bool:
        return False

    def point_to_point(self) -> PointToPoint:
        """Nobody calls them."""
        return PointToPoint(0, 0, 0, 0, 0, 0, 8, 8, 0)


class Loopback:
    """NCCL: what goes to a rank comes back from it, once its stream is there."""

    def __init__(self, driver: LateStandIn) -> None:
        word, number = ctypes.c_size_t, ctypes.c_int
        arguments = word, word, number, number, word, word
        group = ctypes.CFUNCTYPE(number)
        one = ctypes.CFUNCTYPE(number, *arguments)
        self._driver = driver
        self._asked: list[tuple[str, int, int, int]] = []
        self._kept = {
            "send": one(lambda *given: self._ask("send", *given)),
            "recv": one(lambda *given: self._ask("recv", *given)),
            "group_start": group(lambda: 0),
            "group_end": group(self._end),
        }
        functions = {
            name: ctypes.cast(call, ctypes.c_void_p).value or 0
            for name, call in self._kept.items()
        }
        communicator = SimpleNamespace(comm=42, destroy=lambda: None)
        binding = SimpleNamespace(
            get_unique_id=lambda: (0,), NcclCommunicator=lambda *_: communicator
        )
        self.library = Library(binding, 22707, functions, ctypes.CDLL(None))

    def _ask(
        self, what: str, memory: int, size: int, _kind: int, _peer: int, handle: int, stream: int
    ) -> int:
        assert handle == 42
        self._asked.append((what, memory, size, stream))
        return 0

    def _end(self) -> int:
        (_, source, size, stream), (_, target, same, _) = sorted(self._asked, reverse=True)
        assert size == same
        self._asked.clear()
        self._driver._later(stream, lambda: ctypes.memmove(target, source, size))
        return 0


class Case:
    """A Frame of two ranks. arrays: of eight values, one of each set, all of them resident."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *sets: str) -> None:
        self.driver: Any = LateStandIn()
        driver, patch = self.driver, monkeypatch.setattr
        loopback = Loopback(driver)
        patch(cache, "compiled", driver.compile)
        patch(bridge.frame, "open_backend", lambda *_, **named: CudaBackend(api=driver))
        patch(Library, "loaded", lambda: loopback.library)
        self.frame = bridge.Frame()
        self.frame.initialize(0, 10, 0, 5)
        tv = self.frame.tvproperties
        self.arrays = {name: 10.0 * k + np.arange(1.0, 9.0) for k, name in enumerate(sets)}
        for name, array in self.arrays.items():
            tv.bind_array(name, "T", "inout", array)
            tv.enter_data(name, "T", "copyin")
        ranks: Any = Ranks(0, 2, Mirror())  # type: ignore[arg-type]
        self.exchanges = Exchanges(tv.impl, tv._bound, ranks, "nccl", 1.0)

    def plan(self, name: str, sets: str, peer: int, sent: range, received: range) -> Any:
        """A line from a box of the first set to one of the last; what moves it."""
        boxes = [[[one[0], one[-1], 1, 1, 1, 1]] for one in (sent, received)]
        last = len(sets.split())
        self.exchanges.plan(name, sets, "T", [peer], [0], [1], boxes[0], [last], boxes[1])
        made = self.exchanges._planned[name].made
        assert made is not None and made.boxes is not None
        return made.boxes

    def go(self, *names: str) -> None:
        """One exchange behind the other, and the host waits for none."""
        with pytest.MonkeyPatch.context() as patch:
            for name in ("event_synchronize", "stream_synchronize", "synchronize"):
                patch.setattr(self.driver, name, lambda *_: pytest.fail("the host waits"))
            for name in names:
                self.exchanges.begin(name)
                self.exchanges.wait(name)

    def values(self) -> list[list[float]]:
        """Of all arrays, once everything has happened."""
        tv = self.frame.tvproperties
        for name in self.arrays:
            tv.exit_data(name, "T", "copyout")
        self.frame.finalize()
        return [array.tolist() for array in self.arrays.values()]


ALL = range(1, 9)


@pytest.mark.parametrize("alone", [False, True])
def test_shifts_one_behind_the_other(monkeypatch: pytest.MonkeyPatch, alone: bool) -> None:
    """Each exchange sends what the one before has left; alone: as boxes of others' memory are."""
    case = Case(monkeypatch, "a")
    boxes = case.plan("shift", "a", 1, range(1, 8), range(2, 9))
    assert boxes.transport == "NCCL"
    if alone:
        boxes._made.alone = 1
    case.go(*["shift"] * 5)
    assert case.values() == [[1, 1, 1, 1, 1, 1, 2, 3]]


def test_what_is_sent_is_not_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message of the same exchange follows while the one before may still be under way."""
    case = Case(monkeypatch, "a", "b", "c", "d")
    case.plan("send", "a b", 1, ALL, ALL)
    case.plan("keep", "b c", 0, ALL, ALL)
    case.plan("change", "d a", 0, ALL, ALL)
    case.go("send", "keep", "change", "send")
    first, last = (10.0 * k + np.arange(1.0, 9.0) for k in (0, 3))
    assert case.values() == [one.tolist() for one in (last, last, first, last)]
