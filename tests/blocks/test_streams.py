"""Runs of several sets in flight: on a stand-in that does nothing before somebody waits for it,
so that a stream that does not follow another one shows in the results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks import stages
from blocks.conftest import EXAMPLES
from blocks.stages import Block, constants, largest_rate, step
from latestandin import LateStandIn
from packsbuilt import ISA
from standin import InC

import bridge
import bridge.frame
from bridge.backends.cuda import CudaBackend, cache
from bridge.backends.gpu import boxes, crossings
from bridge.backends.gpu.memory import Allocator
from bridge.backends.gpu.order import MAIN, Order
from bridge.errors import BridgeError
from bridge.plan import packs
from bridge.tvproperties import TVProperties


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The driver under the frames of the test."""
    monkeypatch.setattr(crossings, "SLOTS", 2)  # fewer than blocks
    driver: Any = LateStandIn()
    monkeypatch.setenv("BRIDGE_PACKS", str(stages.PACK))
    monkeypatch.setattr(cache, "compiled", driver.compile)
    monkeypatch.setattr(bridge.frame, "open_backend", lambda *_, **named: CudaBackend(api=driver))
    return driver


@pytest.fixture
def tv(api: Any) -> Iterator[TVProperties]:
    frame = bridge.Frame()
    frame.initialize(0, 4096, 0, 0)
    constants(frame.tvproperties)
    yield frame.tvproperties
    frame.finalize()
    packs.forget()


def fields(tv: TVProperties, enter: bool) -> tuple[list[np.ndarray], float]:
    """Three blocks after three steps, and a rate of them."""
    blocks = [Block(tv, number) for number in range(3)]
    if enter:
        for block in blocks:
            block.enter()
    for _ in range(3):
        step(tv, blocks)
    rate = largest_rate(tv, blocks)
    if enter:
        for block in blocks:
            block.leave()
    return [block.Q for block in blocks], rate


@pytest.fixture(scope="module")
def expected(examples_built: Path) -> tuple[list[np.ndarray], float]:
    """The same on the CPU."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(stages.PACK))
        patch.setenv("BRIDGE_CACHE", str(examples_built))
        patch.setenv("BRIDGE_CPU_ISA", ISA)
        frame = bridge.Frame()
        frame.set("backend", "cpu")
        frame.initialize(0, 4096, 0, 0)
        constants(frame.tvproperties)
        found = fields(frame.tvproperties, False)
        frame.finalize()
        packs.forget()
    return found


@pytest.mark.parametrize("way", ["kernel", "copies", "page-locked"])
def test_stages_of_three_blocks(
    tv: TVProperties, api: Any, expected: Any, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Every order of streams that leaves something out gives other fields."""
    if way == "copies":
        monkeypatch.setattr(boxes, "BY_KERNEL", 0)
    if way == "page-locked":
        locks = tv.impl.backend.device.locks  # type: ignore[attr-defined]
        made = Block.__init__

        def lock(block: Block, *arguments: Any) -> None:
            made(block, *arguments)
            for buffer in (block.sent, block.received):
                locks.add(buffer.ctypes.data, buffer.ctypes.data + buffer.nbytes)

        monkeypatch.setattr(Block, "__init__", lock)
    found, rate = fields(tv, True)
    for mine, wanted in zip(found, expected[0], strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-12)
    assert rate == pytest.approx(expected[1], rel=1e-12)


@pytest.mark.parametrize("by_kernel", [0, 1 << 20])
def test_stages_on_each_backend(
    backend: str,
    expected: Any,
    examples_built: Path,
    monkeypatch: pytest.MonkeyPatch,
    by_kernel: int,
) -> None:
    monkeypatch.setenv("BRIDGE_PACKS", str(stages.PACK))
    monkeypatch.setenv("BRIDGE_CACHE", str(examples_built))
    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
    monkeypatch.setattr(boxes, "BY_KERNEL", by_kernel)
    frame = bridge.Frame()
    frame.set("backend", backend)
    frame.initialize(0, 4096, 0, 0)
    constants(frame.tvproperties)
    found, rate = fields(frame.tvproperties, True)
    frame.finalize()
    packs.forget()
    for mine, wanted in zip(found, expected[0], strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-12)
    assert rate == pytest.approx(expected[1], rel=1e-12)


def test_blocks_do_not_wait_for_each_other(tv: TVProperties, api: Any) -> None:
    """Runs and packs of a block are on a stream of its own; events are between constants and what
    reads them alone."""
    blocks = [Block(tv, number) for number in range(2)]
    for block in blocks:
        block.enter()
    for _ in range(2):
        step(tv, blocks)
    api.synchronize()
    api.waits.clear()
    for block in blocks:
        tv.run(block.set("cells"), "startStep")
        block.begin()
        tv.wait(block.set("cells"))
    assert api.waits == []
    device = tv.impl.backend.device  # type: ignore[attr-defined]
    queues = [len(api._queues.get(stream, ())) for stream in (device.stream, *device.streams)]
    assert sorted(queues) == [0, 0, 6, 6]
    blocks[1].pack()
    queues = [len(api._queues.get(stream, ())) for stream in (device.stream, *device.streams)]
    assert sorted(queues) == [0, 0, 0, 6], "a pack waits for its own block alone"
    for block in blocks:
        block.leave()


def test_constants_do_not_overtake_kernels_on_views(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels one by one, which nothing but a constant follows."""
    monkeypatch.setenv("BRIDGE_PACKS", str(EXAMPLES / "heat_pack"))
    packs.forget()
    n, found = 4, np.zeros((4, 1, 1), order="F")
    frame = bridge.Frame(species="N2", launch="stream")
    frame.initialize(0, n, 1, 0)
    tv = frame.tvproperties
    device = tv.impl.backend.device  # type: ignore[attr-defined]
    tv.table("heat_cp", np.array([[0.0, 1.0], [1000.0, 1.0]]))
    tv.constant("heat_dt", 8.0)
    tv.populate_input_stripe("heat_T", np.full((n, 1, 1), 100.0, order="F"))
    tv.populate_input_stripe("heat_source", np.ones((n, 1, 1), order="F"))
    for value in (16.0, 32.0, 64.0):
        tv.composite("advanceSolid", n)
        tv.constant("heat_dt", value)
        for stream in device.streams:  # as far as it may go
            api.stream_synchronize(stream)
    tv.extract_output_stripe("heat_T", found)
    assert (found == 100.0 + 8.0 + 16.0 + 32.0).all()
    frame.finalize()
    packs.forget()


class Recorded(InC):
    """Calls of a driver that Order makes."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int]] = []
        self.events = 0

    def event(self) -> int:
        self.events += 1
        return 100 * self.events

    def launch(self, *arguments: int) -> None:
        self.calls.append(("launch", arguments[4], arguments[0]))

    def record(self, event: int, stream: int) -> None:
        self.calls.append(("record", stream, event))

    def stream_wait(self, stream: int, event: int) -> None:
        self.calls.append(("wait", stream, event))

    def event_destroy(self, event: int) -> None:
        self.events -= 1

    def taken(self) -> list[tuple[str, int]]:
        """What was called since, on which stream."""
        found, self.calls = [call[:2] for call in self.calls], []
        return found


@pytest.fixture
def driver() -> Any:
    return Recorded()


@pytest.fixture
def order(driver: Any) -> Order:
    """Streams 10 (main), 11 and 12; 13 of copies."""
    return Order(driver, Allocator(driver), (10, 11, 12), 13)


def test_order_by_what_is_read_and_written(order: Order, driver: Any) -> None:
    a, b, c = 1000, 2000, 3000
    assert order.begin((a,), (b,)) == 1
    assert order.begin((), (c,)) == 2, "nothing in common"
    assert order.begin((a, b), (b,)) == 1, "after the run that wrote b"
    assert order.begin((a,), ()) == 2, "read before: no need, and this has been idle longer"
    assert driver.taken() == []
    assert order.begin((b, c), ()) == 1, "after both, on the stream of the later one"
    assert driver.taken() == [("record", 12), ("wait", 11)]
    order.begin((b, c), ())
    assert driver.taken() == [], "it has waited for that"
    assert order.begin((), (c,)) == 1, "behind those that read it"
    assert order.begin((c,), (), MAIN) == MAIN
    assert driver.taken() == [("record", 11), ("wait", 10)]


def test_copies_go_ahead(order: Order, driver: Any) -> None:
    array, near = 1000, 2000
    order.begin((), (array,))
    assert order.begin((), (near,), order.copies) == order.copies
    assert driver.taken() == [], "a copy to the device does not wait for runs on the array"
    assert order.begin((near,), (array,)) == 1, "the stream of the array"
    assert driver.taken() == [("record", 13), ("wait", 11)]
    order.begin((), (near,), order.copies)
    assert driver.taken() == [("record", 11), ("wait", 13)]


def test_work_that_does_not_say_what_it_does(order: Order, driver: Any) -> None:
    order.begin((), (1000,))
    order.begin((), (2000,))
    order.alone()
    assert sorted(driver.taken()) == [("record", 11), ("record", 12), ("wait", 10), ("wait", 10)]
    assert order.begin((3000,), (3000,)) == 1
    assert driver.taken() == [("record", 10), ("wait", 11)], "all that comes later follows it"
    order.begin((3000,), (3000,))
    assert driver.taken() == []
    order.begin((), (2000,))
    order.forget()
    order.begin((), (1000, 2000, 3000))
    driver.taken()
    order.forget()
    order.begin((1000,), (2000,))
    assert driver.taken() == [], "all has happened"
    order.close()
    assert driver.events == 0


def test_values_are_brought_before_the_next_work(order: Order, driver: Any) -> None:
    """After the work that reads them already, once, and at once where work need not begin."""
    block, words, known = 5000, np.arange(1, 5), np.zeros(4, np.int64)
    carrier, launched = 77, ("launch", 11)
    values = order.changed_words(0, words, known, block, carrier)
    assert order.begin((block,), (1000,)) == 1
    values.go()
    assert driver.taken() == [] and not known.any()
    words[0] = 7
    assert order.begin((block,), (2000,)) == 1 and driver.taken() == [launched]
    assert (known == words).all()
    words[1] = 8
    order.begin((block,), (1000,))
    assert driver.taken() == [], "nobody has said that one has changed"
    order.alone()
    driver.taken()
    values.go()
    assert driver.taken()[-1][0] == "launch" and (known == words).all()
    words[2] = 9
    order.begin((block,), (1000,))
    values.go()
    values.end()
    assert (known == words).all()
    words[3] = 10
    driver.taken()
    order.begin((block,), (1000,))
    assert driver.taken() == [] and (known != words).any()


def test_values_that_could_not_be_brought_come_later(order: Order, driver: Any) -> None:
    words, known = np.arange(1, 5), np.zeros(4, np.int64)
    order.changed_words(0, words, known, 5000, 77).go()
    real, driver.launch = driver.launch, failing
    with pytest.raises(BridgeError, match="no launch"):
        order.begin((5000,), (1000,))
    assert not known.any()
    driver.launch = real
    order.begin((5000,), (1000,))
    assert (known == words).all()


def failing(*_: int) -> None:
    raise BridgeError("no launch")
