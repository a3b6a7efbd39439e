"""Copies on a device, on the stand-in driver: how boxes move, what does not fit, what fails."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
from resident.conftest import Cells, frames_of
from standin import StandIn
from unit.blocks import FRINGES, INTERIOR, SHAPE

import bridge.frame
from bridge.backends.cuda import CudaBackend, cache
from bridge.backends.gpu import boxes, crossings, residentcopies
from bridge.backends.orderlibrary import library
from bridge.errors import ArgumentError, BridgeError, OutOfMemoryError
from bridge.resident.boxes import listed

MakeCells = Callable[..., Cells]


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The driver under the frames of the test."""
    driver: Any = StandIn()
    monkeypatch.setattr(cache, "compiled", driver.compile)
    monkeypatch.setattr(bridge.frame, "open_backend", lambda *_, **named: CudaBackend(api=driver))
    return driver


@pytest.fixture
def make_cells(api: Any) -> Iterator[MakeCells]:
    yield from frames_of("cuda", False)


def counted(api: Any, action: Callable[..., object], *arguments: Any) -> dict[str, int]:
    """The driver's calls that an action makes, by kind."""
    api.calls.clear()
    action(*arguments)
    return {call: api.calls.count(call) for call in api.calls}


def test_a_whole_array_is_one_copy(make_cells: MakeCells, api: Any) -> None:
    tv = make_cells().tv
    assert counted(api, tv.enter_data, "cells", "Q", "copyin") == {"copy": 1}
    assert counted(api, tv.update_host, "cells", "Q") == {"copy": 1}
    assert counted(api, tv.exit_data, "cells", "Q", "copyout") == {"copy": 1}


def test_records_are_transposed_on_the_device(
    make_cells: MakeCells, api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A component-first array with its component last on the device, in slabs of what fits."""
    cells = make_cells(True)
    tv = cells.tv
    cells.Q[...] = np.random.default_rng(1).random(cells.Q.shape)
    values = cells.Q.copy()
    enter = (tv.enter_data, "cells", "Q", "copyin", "device")
    assert counted(api, *enter) == {"copy": 1, "move_boxes_8": 1}
    tv.exit_data("cells", "Q", "delete")
    monkeypatch.setattr(boxes, "MOST_ELEMENTS", 500)  # 62 points of 216
    monkeypatch.setattr(residentcopies, "MOST_ELEMENTS", 500)
    assert counted(api, *enter) == {"copy": 4, "move_boxes_8": 4}
    cells.Q[...] = -1.0
    assert counted(api, tv.update_host, "cells", "Q") == {"copy": 4, "move_boxes_8": 4}
    np.testing.assert_array_equal(cells.Q, values)
    buffer = np.empty(216 * 8)
    assert counted(api, tv.pack, "cells", "Q", None, buffer)["move_boxes_8"] == 4
    np.testing.assert_array_equal(buffer, values.transpose(1, 2, 3, 0).ravel(order="F"))
    tv.unpack("cells", "Q", None, -buffer)
    tv.update_host("cells", "Q")
    np.testing.assert_array_equal(cells.Q, -values)


def test_boxes_by_rows_or_packed(
    make_cells: MakeCells, api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long rows go by the copy engines, those of an x-fringe by a kernel: many boxes at once."""
    cells = make_cells()
    tv = cells.tv
    tv.enter_data("cells", "Q", "copyin")
    fringe = (-1, 0, 1, 4, 1, 3)
    packed = {"copy": 1, "move_boxes_8": 1}
    assert counted(api, tv.update_host, "cells", "Q", fringe) == packed
    assert counted(api, tv.update_device, "cells", "Q", fringe) == packed
    shell = [fringe, (6, 7, 1, 4, 1, 3), (1, 5, 0, 0, 1, 3), (1, 5, 5, 5, 1, 3)]
    assert counted(api, tv.update_host, "cells", "Q", shell) == packed
    monkeypatch.setattr(residentcopies, "SHORTEST_ROW", 40)
    monkeypatch.setattr(residentcopies, "SMALLEST_BOX", 300)
    rows = (1, 5, 1, 4, 1, 3)  # rows of 40 bytes, a 3-D copy for each plane
    assert counted(api, tv.update_host, "cells", "Q", rows) == {"copy3d": 3}
    cells.Q[INTERIOR] += 1.0
    changed = cells.Q.copy()
    tv.update_device("cells", "Q", [rows, fringe])
    cells.Q[...] = 0.0
    tv.update_host("cells", "Q", [fringe, rows])
    np.testing.assert_array_equal(cells.Q[INTERIOR], changed[INTERIOR])
    assert np.count_nonzero(cells.Q[INTERIOR]) == 60 * 8


def test_one_launch_packs_many_boxes(make_cells: MakeCells, api: Any) -> None:
    cells = make_cells()
    tv = cells.tv
    cells.Q[...] = np.random.default_rng(1).random(cells.Q.shape)
    tv.enter_data("cells", "Q", "copyin")
    spans = ((1, 2), (3, 3), (4, 5)), ((1, 1), (2, 3), (4, 4)), ((1, 1), (2, 2), (3, 3))
    neighbours = [(*i, *j, *k) for i, j, k in product(*spans)][:26]
    buffer = np.empty(60 * 8)
    assert counted(api, tv.pack, "cells", "Q", neighbours, buffer) == {"move_boxes_8": 1}
    unpacked = {"move_boxes_8": 1, "copy": 1}
    for _ in range(crossings.SLOTS):
        assert counted(api, tv.unpack, "cells", "Q", neighbours, buffer) == unpacked
    made = api.blocks.keys() | api.pinned.keys()
    for _ in range(3):
        assert counted(api, tv.pack, "cells", "Q", neighbours, buffer)["move_boxes_8"] == 1
        assert counted(api, tv.unpack, "cells", "Q", neighbours, buffer)["move_boxes_8"] == 1
    later = api.blocks.keys() | api.pinned.keys()
    assert later == made, "a steady loop allocates nothing"
    more = neighbours * 3  # 78 boxes: launches of 32
    large = np.empty(3 * buffer.size)
    assert counted(api, tv.pack, "cells", "Q", more, large)["move_boxes_8"] == 3


def test_memory_that_cannot_be_locked_is_packed(
    make_cells: MakeCells, api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "lock", lambda *_: False)
    cells = make_cells(True)
    tv = cells.tv
    rho = cells.expected("rho")
    tv.enter_data("cells", "Q", "copyin", "device")
    tv.enter_data("cells", "rho", "create")
    cells.run()
    tv.exit_data("cells", "rho", "copyout")
    np.testing.assert_allclose(cells.rho[INTERIOR], rho, rtol=1e-12)


def test_buffers_on_the_device(make_cells: MakeCells, api: Any) -> None:
    cells = make_cells()
    tv, backend = cells.tv, cast("CudaBackend", cells.tv.impl.backend)
    box, size = (-1, 0, 1, 4, 1, 3), 2 * 4 * 3 * 8
    cells.Q[...] = np.random.default_rng(1).random(cells.Q.shape)
    expected = cells.Q[0:2, 1:5, 0:3].ravel(order="F")
    buffer = backend.allocate(1, size, "float64")
    tv.pack("cells", "Q", box, buffer)  # not resident: from the host's memory
    np.testing.assert_array_equal(buffer.get()[0], expected)
    tv.enter_data("cells", "Q", "copyin")
    buffer[...] = 0.0
    assert counted(api, tv.pack, "cells", "Q", box, buffer) == {"move_boxes_8": 1}
    np.testing.assert_array_equal(buffer.get()[0], expected)
    buffer[...] = 7.0
    assert counted(api, tv.unpack, "cells", "Q", box, buffer) == {"move_boxes_8": 1}
    tv.exit_data("cells", "Q", "copyout")
    assert (cells.Q[0:2, 1:5, 0:3] == 7.0).all() and np.count_nonzero(cells.Q == 7.0) == size
    buffer[...] = 8.0
    tv.unpack("cells", "Q", box, buffer)
    assert (cells.Q[0:2, 1:5, 0:3] == 8.0).all()
    api.foreign[buffer.address] = (buffer.nbytes, 1)
    backend.device.allocator._device.pop(buffer.address)
    backend.device.allocator._keep_spans()
    with pytest.raises(ArgumentError, match="buffer: got memory of GPU 1, wanted memory of the h"):
        tv.pack("cells", "Q", box, buffer)
    api.foreign.clear()


def test_callers_in_c_leave_buffers_of_the_device_to_python(make_cells: MakeCells) -> None:
    cells = make_cells()
    tv, backend = cells.tv, cast("CudaBackend", cells.tv.impl.backend)
    box, size = (-1, 0, 1, 4, 1, 3), 2 * 4 * 3 * 8
    cells.Q[...] = np.random.default_rng(1).random(cells.Q.shape)
    tv.enter_data("cells", "Q", "copyin")
    found, there = np.zeros(size), backend.allocate(1, size, "float64")
    tv.pack("cells", "Q", box, found)
    move = tv.prepared_move("pack", "cells", "Q", listed(box))
    assert move is not None
    (call,) = move.boxes.natives("pack") or []
    pointer = ctypes.c_void_p
    pack = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, ctypes.c_int)(call.function)
    expected, found[...] = found.copy(), 0.0
    there[...] = 0.0
    assert pack(call.argument, there.address, 1) == library().BRIDGE_NOT_DONE
    assert not there.get().any()
    assert pack(call.argument, found.ctypes.data, 1) == 0
    np.testing.assert_array_equal(found, expected)


def may_be_c(tv: Any, name: str) -> bool:
    """Whether a caller in C updates the host by itself."""
    move = tv.prepared_move("update_host", "cells", name, None)
    assert move is not None
    (call,) = move.boxes.natives("update_host") or []
    word = ctypes.c_int64.from_address
    return all(word(one.now).value == word(one.then).value for one in call.conditions)


def test_callers_in_c_leave_updates_that_change_what_is_newer_to_python(
    make_cells: MakeCells,
) -> None:
    cells = make_cells()
    tv = cells.tv
    tv.enter_data("cells", "rho", "create")
    for _ in range(2):
        cells.run()
        tv.update_host("cells", "rho")
        assert may_be_c(tv, "rho") and tv.impl.residency.newer() == []
        cells.run()
        assert not may_be_c(tv, "rho")


def test_callers_in_c_leave_updates_to_python_where_page_locks_were_given_up(
    make_cells: MakeCells, api: Any
) -> None:
    """As a copy engine must not touch what is not locked any more."""
    cells = make_cells()
    tv = cells.tv
    tv.enter_data("cells", "Q", "copyin")
    tv.update_host("cells", "Q")
    assert may_be_c(tv, "Q")
    (locked,) = (one for one in api.locked if one <= cells.Q.ctypes.data < one + api.locked[one])
    backend = cast(CudaBackend, tv.impl.backend)
    backend.device.locks.add(locked, locked + api.locked[locked] + 4096)  # of a neighbour
    assert not may_be_c(tv, "Q")
    assert counted(api, tv.update_host, "cells", "Q") == {"copy": 1}
    assert may_be_c(tv, "Q")


@pytest.mark.parametrize("first", [False, True])
def test_the_interior_begins_a_line(make_cells: MakeCells, first: bool) -> None:
    """Whatever fringes the array has: sectors of the caches are written whole then."""
    cells = make_cells(first)
    cells.tv.enter_data("cells", "Q", "copyin")
    shape = np.shape(cells.Q)
    origin = np.ravel_multi_index((0, 2, 1, 0) if first else (2, 1, 0, 0), shape, order="F")
    assert (cells.tv.device_address("cells", "Q") + 8 * origin) % residentcopies.LINE == 0


def test_what_does_not_fit(make_cells: MakeCells, api: Any) -> None:
    cells = make_cells()
    tv = cells.tv
    tv.enter_data("cells", "Q", "copyin")
    api.memory = api.used + 1000
    locked = dict(api.locked)
    with pytest.raises(
        OutOfMemoryError,
        match=r"a copy of 'h_Yi' of set 'cells': asked for 0\.0 MiB, 0\.0 of .* MiB are free on "
        "the GPU: end the data of other arrays",
    ):
        tv.enter_data("cells", "h_Yi", "copyin")
    assert api.locked == locked
    api.memory = 1 << 30
    tv.enter_data("cells", "h_Yi", "copyin")
    used = api.used
    tv.exit_data("cells", "h_Yi", "delete")
    assert api.used == used - cells.h_Yi.nbytes - residentcopies.LINE
    address = tv.device_address("cells", "Q")
    tv.bind("there", "rho", "out", address, [*SHAPE, *FRINGES.values(), 1, 1, 1])
    with pytest.raises(
        ArgumentError, match="'rho' of set 'there', memory of a GPU, wanted memory"
    ):
        tv.enter_data("there", "rho", "copyin")


def test_after_a_failure_of_the_device(
    make_cells: MakeCells,
    api: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What was on the device alone is named, and what a run may have updated in part."""
    cells = make_cells()
    tv = cells.tv
    T, P = (np.full(SHAPE, value, order="F") for value in (300.0, 1e6))
    tv.bind_array("states", "T", "inout", T, **FRINGES)
    tv.bind_array("states", "P", "in", P, **FRINGES)
    tv.bind_array("states", "Y", "in", cells.h_Yi, **FRINGES)
    for name in ("rho", "status", "Q"):
        tv.enter_data("cells", name, "copyin")
    cells.run()
    tv.update_host("cells", "status", (1, 5, 1, 4, 1, 3))

    def broken(*_: Any) -> None:
        raise api.errors[0]("an illegal memory access was encountered")

    monkeypatch.setattr(api, "event_synchronize", broken)
    monkeypatch.setattr(api, "synchronize", broken)
    with pytest.raises(BridgeError) as raised:
        tv.run("states", "prEOSCheckInput")
    message = str(raised.value)
    assert "run of prEOSCheckInput on set 'states': failed, incomplete are T; " in message
    assert "do not run again: T may be partly updated; " in message
    alone = "current values that were on the device alone: 'rho' of set 'cells': prEOSCheckInput"
    assert alone in message
    with pytest.raises(BridgeError, match="failed before"):
        tv.update_host("cells", "rho")
    capsys.readouterr()
    monkeypatch.undo()
    cells.frame.finalize()
    assert "were on the device alone: 'rho' of set 'cells'" in capsys.readouterr().out
