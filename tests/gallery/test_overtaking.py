"""Launches on several streams: what may overtake what, and that a dependency not told shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from bridge.errors import BridgeError
from bridge_gallery.emulation import Emulation
from bridge_gallery.overtaking import scheduled
from bridge_gallery.rung import Call, Launch, Problem, Rung
from bridge_gallery.running import check

ONE, FOUR = (1, 1, 1), (4, 1, 1)


def launch(kernel: str, *names: str, writes: tuple[str, ...]) -> Launch:
    return Launch(kernel, ONE, FOUR, names, writes=writes)


@dataclass
class Sums:
    """a and b each become one more, c their sum; told: what the first launch says it writes."""

    told: tuple[str, ...] = ("a",)
    NAME: str = "sums"
    TITLE: str = ""
    LESSON: str = ""
    MISTAKES: tuple[str, ...] = ()

    def text(self) -> str:
        return """
        extern "C" __global__ void more(float* x) { x[threadIdx.x] += 1; }
        extern "C" __global__ void sum(const float* a, const float* b, float* c) {
            c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
        }
        """

    def launches(self) -> tuple[Launch, ...]:
        return (
            launch("more", "a", writes=self.told),
            launch("more", "b", writes=("b",)),
            launch("sum", "b", "a", "c", writes=("c",)),
        )

    def small(self) -> list[Problem]:
        arrays = {name: np.full(4, value, "f4") for name, value in (("a", 1), ("b", 2), ("c", 0))}
        expected = {"a": np.full(4, 2.0), "b": np.full(4, 3.0), "c": np.full(4, 5.0)}
        rung = Rung("sums", self.launches(), streams=3)
        return [Problem("four", lambda: arrays, lambda _: expected, (rung,))]

    full = small


def test_launches_that_are_apart_get_streams_of_their_own() -> None:
    """The sum follows one of them on its stream, and waits for the other."""
    first, second, third = scheduled(Sums().launches(), 3)
    assert first.stream != second.stream and not first.after and not second.after
    assert {first.stream, second.stream} >= {third.stream}
    assert third.after == (0,) if third.stream == second.stream else third.after == (1,)


def test_streams_on_a_cpu() -> None:
    """In the last order that the events allow."""
    assert check(Sums(), Emulation())


def test_dependency_that_is_not_told_shows() -> None:
    """The sum overtakes the launch that it needs."""
    with pytest.raises(BridgeError, match=r"'sums': c\[0\] is 4.0, NumPy has 5.0"):
        check(Sums(told=()), Emulation())


def test_calls_part_launches() -> None:
    """What comes before a call is done when it runs, on whatever stream."""
    seen: list[float] = []
    one = Sums()
    (problem,) = one.small()
    call = Call(lambda arrays: seen.append(float(arrays["c"][0])))
    rung = Rung("sums", (*one.launches(), call), streams=3)
    machine = Emulation()
    machine.load(Problem("four", problem.arrays, problem.expected, (rung,)), problem.arrays())
    machine.prepare(one.text(), rung)()
    assert [type(part) for part in rung.parts()] == [list, Call] and seen == [5.0]
    assert not rung.plain and not problem.rungs[0].plain
