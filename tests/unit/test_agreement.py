"""What ranks make of how opening a GPU ended on each of them, and of one that cannot be opened."""

from __future__ import annotations

from typing import Any

import pytest
from standin import NoError, StandIn

import bridge.backends.cuda
from bridge.backends import open_backend
from bridge.backends.agreement import Agreement, Opened
from bridge.backends.cuda import backend
from bridge.errors import ArgumentError, DeviceError, OutOfMemoryError

GOOD = Opened("auto", "node1", "0000:01:00.0")


def agreed(*ranks: Any) -> Agreement:
    class Communicator:
        def allgather(self, value: Opened) -> list[Opened]:
            return list(ranks)

    return Agreement.reach(ranks[0], Communicator())


def test_what_ends_every_rank_and_what_only_keeps_from_the_gpu() -> None:
    def of(wanted: str, error: Any) -> Opened:
        return Opened.of(wanted, "", error)

    missing, full = DeviceError("no driver"), OutOfMemoryError("full")
    assert not of("auto", missing).final and not of("auto", full).final
    assert of("cuda", missing).final and of("cuda", full).final
    assert of("auto", ArgumentError("device_id", 9, "0 to 3")).final
    assert of("auto", RuntimeError()).why == "RuntimeError" and of("auto", RuntimeError()).final


def test_every_rank_has_its_gpu() -> None:
    both = agreed(GOOD, Opened("cuda", "node2", "0000:02:00.0"))
    assert both.failure == both.obstacle == ""
    assert both.places() == [("node1", "0000:01:00.0"), ("node2", "0000:02:00.0")]


def test_the_rank_that_cannot_is_named_and_one_that_was_asked_by_name_keeps_its_gpu() -> None:
    one = agreed(GOOD, Opened("auto", "node2", why="no driver"), Opened("cuda", "node3", "pci"))
    assert one.failure == "" and one.obstacle == "rank 1 on node2: no driver"
    assert one.places() == [("node3", "pci")]


def test_a_reason_that_all_have_is_nobodys_own() -> None:
    without = agreed(
        Opened("auto", "node1", why="no driver"), Opened("auto", "2", why="no driver")
    )
    assert without.obstacle == "no driver"


def test_a_rank_that_was_told_to_use_the_cpu_stands_in_nobodys_way() -> None:
    assert agreed(Opened("cpu", "node1"), GOOD).places() == [("node1", "0000:01:00.0")]


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that shows a GPU and does not give it."""

    class Busy(StandIn):
        def use(self, index: int) -> None:
            raise NoError("cudaErrorDevicesUnavailable")

    monkeypatch.setattr(bridge.backends.cuda, "why_unusable", lambda: None)
    monkeypatch.setattr(backend, "Api", Busy)


def test_auto_falls_back_from_a_gpu_that_cannot_be_opened(busy: None) -> None:
    opened = open_backend("auto")
    assert opened.name == "cpu"
    assert opened.describe()["gpu"].startswith("none: GPU 0 (0000:00:00.0) cannot be opened: cuda")
    assert "gpu" not in open_backend("cpu").describe()


def test_cuda_says_which_gpu_cannot_be_opened(busy: None) -> None:
    with pytest.raises(DeviceError, match=r"GPU 0 \(.*\) cannot be opened: cudaErrorDevicesU"):
        open_backend("cuda")
