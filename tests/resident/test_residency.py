"""Arrays that stay where they are used: what enters, leaves, is updated, packed and run on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from resident.conftest import Cells
from unit.blocks import FRINGES, INTERIOR, SHAPE

import bridge
from bridge.errors import ArgumentError, StateError

pytestmark = pytest.mark.usefixtures("backend")

#: Positions of storage that the interior 1..n, as boxes number it, begins at, counted from 0.
ORIGIN = (2, 1, 0)

FIRST = [pytest.param(False, id="component last"), pytest.param(True, id="component first")]
LAYOUTS = ["host", "device"]


def storage(box: tuple[int, ...]) -> tuple[slice, ...]:
    """A box as a part of an array (nx, ny, nz, ...)."""
    return tuple(
        slice(first - 1 + origin, last + origin)
        for first, last, origin in zip(box[0::2], box[1::2], ORIGIN, strict=True)
    )


def flat(array: np.ndarray, *boxes: tuple[int, ...]) -> np.ndarray:
    """The buffer of these boxes: the component slowest, x fastest."""
    return np.concatenate([array[storage(box)].ravel(order="F") for box in boxes])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("first", FIRST)
def test_a_run_works_on_resident_arrays(
    make_cells: Callable[..., Cells], first: bool, layout: str
) -> None:
    cells = make_cells(first)
    tv = cells.tv
    rho, h = cells.expected("rho"), cells.expected("h_Yi")
    before = cells.rho.copy()
    tv.enter_data("cells", "Q", "copyin", layout)
    for name in ("rho", "h_Yi", "status"):
        tv.enter_data("cells", name, "copyin")
    for _ in range(3):
        cells.run()
    if cells.apart:
        assert not (cells.rho[INTERIOR] == rho).any(), "the host has no result yet"
    for name in ("rho", "h_Yi", "status"):
        tv.update_host("cells", name)
    np.testing.assert_allclose(cells.rho[INTERIOR], rho, rtol=1e-13)
    np.testing.assert_allclose(cells.h_Yi[INTERIOR], h, rtol=1e-13)
    np.testing.assert_array_equal(cells.status[INTERIOR], cells.expected("status"))
    outside = np.ones(SHAPE, bool)
    outside[INTERIOR] = False
    np.testing.assert_array_equal(cells.rho[outside], before[outside])
    # new values, of a box alone on the device
    cells.whole[..., 4] *= 1.25
    tv.update_device("cells", "Q", (1, 5, 1, 4, 1, 3))
    cells.run()
    tv.exit_data("cells", "rho", "copyout")
    np.testing.assert_allclose(cells.rho[INTERIOR], cells.expected("rho"), rtol=1e-13)
    assert np.abs(cells.rho[INTERIOR] / rho - 1).min() > 0.01
    np.testing.assert_array_equal(cells.rho[outside], before[outside])
    # where nothing is resident any more
    for name in ("Q", "h_Yi", "status"):
        tv.exit_data("cells", name, "delete")
    cells.rho[...] = -1.0
    cells.run()
    np.testing.assert_allclose(cells.rho[INTERIOR], cells.expected("rho"), rtol=1e-13)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize(
    "box",
    [
        (1, 5, 1, 4, 1, 3),
        (-1, 0, 1, 4, 1, 3),  # an x-fringe
        (6, 7, 1, 4, 1, 3),
        (-1, 7, 5, 5, 1, 4),
        (2, 2, 3, 3, 2, 2),
    ],
    ids=str,
)
def test_updates_of_boxes(
    make_cells: Callable[..., Cells], first: bool, layout: str, box: tuple[int, ...]
) -> None:
    cells = make_cells(first)
    if not cells.apart:
        pytest.skip("the array is nowhere else")
    tv, inside = cells.tv, storage(box)
    cells.whole[...] = np.random.default_rng(1).random(cells.whole.shape)
    tv.enter_data("cells", "Q", "copyin", layout)
    old = cells.whole.copy()
    cells.whole[...] = np.random.default_rng(2).random(cells.whole.shape)
    new = cells.whole.copy()
    tv.update_device("cells", "Q", box)
    tv.update_host("cells", "Q")
    expected = old.copy()
    expected[inside] = new[inside]
    np.testing.assert_array_equal(cells.whole, expected)
    cells.whole[...] = -1.0
    tv.update_host("cells", "Q", np.array([box, (1, 0, 1, 1, 1, 1)]))
    expected[...] = -1.0
    expected[inside] = np.where(True, new[inside], 0.0)
    np.testing.assert_array_equal(cells.whole, expected)


BOXES = [(-1, 0, 1, 4, 1, 3), (6, 7, 1, 4, 1, 3), (3, 2, 1, 1, 1, 1), (1, 5, 0, 0, 1, 3)]


@pytest.mark.parametrize("resident", ["not resident", *LAYOUTS])
@pytest.mark.parametrize("first", FIRST)
def test_boxes_of_a_buffer(make_cells: Callable[..., Cells], first: bool, resident: str) -> None:
    cells = make_cells(first)
    tv = cells.tv
    cells.whole[...] = np.random.default_rng(1).random(cells.whole.shape)
    values = cells.whole.copy()
    if resident != "not resident":
        tv.enter_data("cells", "Q", "copyin", resident)
    expected = flat(values, *BOXES)
    buffer = np.full(expected.size + 3, -1.0)
    assert tv.pack("cells", "Q", BOXES, buffer) == expected.size
    np.testing.assert_array_equal(buffer[:-3], expected)
    assert (buffer[-3:] == -1.0).all()
    assert tv.pack("cells", "Q", np.empty((0, 6), int), buffer) == 0
    everything = np.empty(values.size)
    tv.pack("cells", "Q", None, everything)
    np.testing.assert_array_equal(everything, values.ravel(order="F"))
    # back, into the opposite boxes, and several times
    for _ in range(3):
        new = np.random.default_rng(3).random(expected.size)
        tv.unpack("cells", "Q", BOXES, new)
        sent = new.copy()
        new[...] = 0.0  # it may be changed now
        tv.pack("cells", "Q", BOXES, buffer)
        np.testing.assert_array_equal(buffer[:-3], sent)
    if resident != "not resident":
        tv.exit_data("cells", "Q", "copyout")
    values[...] = values
    start = 0
    for box in BOXES:
        part = values[storage(box)]
        part[...] = sent[start : start + part.size].reshape(part.shape, order="F")
        start += part.size
    np.testing.assert_array_equal(cells.whole, values)


def test_many_boxes_of_integers(make_cells: Callable[..., Cells]) -> None:
    """More boxes than one launch has room for; elements of four bytes."""
    cells = make_cells()
    tv = cells.tv
    cells.status[...] = np.arange(cells.status.size).reshape(SHAPE, order="F")
    expected = cells.status.copy()
    tv.enter_data("cells", "status", "copyin")
    boxes = [(i, i, j, j, 1, k) for i in range(-1, 8) for j in range(0, 6) for k in (1, 4)]
    buffer = np.empty(sum(box[5] for box in boxes), np.int32)
    tv.pack("cells", "status", boxes, buffer)
    np.testing.assert_array_equal(buffer, flat(expected, *boxes))
    boxes = boxes[1::2]
    buffer = np.ascontiguousarray(buffer[: sum(box[5] for box in boxes)])
    tv.unpack("cells", "status", boxes, -flat(expected, *boxes))
    tv.exit_data("cells", "status", "copyout")
    np.testing.assert_array_equal(cells.status, -expected)


def test_references_are_counted(make_cells: Callable[..., Cells]) -> None:
    """The second enter moves nothing, the first exit neither; components of one array, bound in
    other sets, share its copy."""
    cells = make_cells()
    tv, residents = cells.tv, cells.tv.impl.residency._residents
    tv.bind_array("pressure", "P", "in", cells.Q, **FRINGES, SptData=1, EptData=1)
    tv.bind_array("pressure", "T", "inout", cells.Q, **FRINGES, SptData=5, EptData=5)
    tv.enter_data("cells", "Q", "copyin")
    tv.enter_data("pressure", "T", "create")
    tv.enter_data("pressure", "P", "copyin")
    assert [one.count for one in residents] == [3]
    old = cells.Q.copy()
    cells.Q[..., 4] += 1.0
    tv.enter_data("cells", "Q", "copyin")  # no copy
    tv.exit_data("pressure", "P", "copyout")  # no copy
    if cells.apart:
        tv.update_host("pressure", "T")
        np.testing.assert_array_equal(cells.Q, old)
    tv.unbind("pressure", "*")  # the memory stays resident
    tv.exit_data("cells", "Q", "delete")
    tv.exit_data("cells", "Q", "delete")
    assert [one.count for one in residents] == [1]
    tv.exit_data("cells", "Q", "delete")
    assert not residents
    with pytest.raises(StateError, match="frame_exit_data of 'Q': the array of set 'cells' is no"):
        tv.exit_data("cells", "Q", "delete")
    cells.run()


def test_a_second_binding_meets_the_same_copy(make_cells: Callable[..., Cells]) -> None:
    cells = make_cells()
    tv = cells.tv
    tv.enter_data("cells", "rho", "create")
    cells.run()
    cells.bind()  # the memory is resident, whatever it is called
    cells.run()
    if cells.apart:
        assert not (cells.rho[INTERIOR] == cells.expected("rho")).any()
    tv.unbind("cells", "rho")
    tv.bind_array("other", "rho", "out", cells.rho, **FRINGES)
    tv.exit_data("other", "rho", "copyout")
    np.testing.assert_allclose(cells.rho[INTERIOR], cells.expected("rho"), rtol=1e-13)


def test_a_part_of_resident_memory_is_partially_present(make_cells: Callable[..., Cells]) -> None:
    cells = make_cells()
    tv = cells.tv
    memory = np.zeros(2 * np.prod(SHAPE))
    half = memory[: memory.size // 2].reshape(SHAPE, order="F")
    shifted = memory[100 : 100 + half.size].reshape(SHAPE, order="F")
    inside = memory[: half.size // 2].reshape((9, 6, 2), order="F")
    tv.bind_array("a", "rho", "out", half)
    tv.bind_array("b", "rho", "out", shifted)
    tv.bind_array("c", "rho", "out", inside)
    tv.enter_data("a", "rho", "create")
    tv.enter_data("c", "rho", "create")  # all of it is present
    with pytest.raises(ArgumentError, match=r"'rho' of set 'b', partially present: 'rho' of set "):
        tv.enter_data("b", "rho", "create")
    with pytest.raises(ArgumentError, match="partially present"):
        tv.update_host("b", "rho")
    for name in ("T", "P"):
        tv.bind_array("b", name, "in", np.full(SHAPE, 300.0, order="F"))
    tv.bind_array("b", "Y", "in", np.full((*SHAPE, 3), 1 / 3, order="F"))
    with pytest.raises(ArgumentError, match="'rho' of set 'b', partially present"):
        tv.run("b", "eosThermalProperties")
    tv.exit_data("c", "rho", "delete")
    tv.exit_data("a", "rho", "delete")
    tv.enter_data("b", "rho", "create")


def test_reductions_of_resident_arrays(make_cells: Callable[..., Cells]) -> None:
    cells = make_cells()
    tv = cells.tv
    largest = tv.reduce("cells", "T", "max")
    tv.enter_data("cells", "Q", "copyin")
    tv.enter_data("cells", "rho", "create")
    cells.run()
    assert tv.reduce("cells", "T", "max") == largest
    expected = cells.expected("rho")
    assert tv.reduce("cells", "rho", "max") == pytest.approx(expected.max(), rel=1e-13)
    value, place = tv.reduce("cells", "rho", "minloc")
    where = np.unravel_index(expected.argmin(), expected.shape)
    assert place == (*(int(i) + o + 1 for i, o in zip(where, ORIGIN, strict=True)), 1)
    assert value == pytest.approx(expected.min(), rel=1e-13)
    assert tv.reduce("cells", "c", "min") > 0.0  # made from resident inputs


def test_reductions_with_a_resident_mask(make_cells: Callable[..., Cells]) -> None:
    cells = make_cells()
    tv = cells.tv
    rho = cells.expected("rho")
    active = np.zeros(SHAPE, np.int32, order="F")
    active[INTERIOR][1:3] = 1
    tv.bind_array("cells", "iblank", "in", active, **FRINGES)
    tv.enter_data("cells", "rho", "copyin")
    tv.enter_data("cells", "iblank", "copyin")
    cells.run()
    assert tv.reduce("cells", "rho", "max") == pytest.approx(rho[1:3].max(), rel=1e-13)
    tv.exit_data("cells", "rho", "copyout")  # the mask alone is resident
    assert tv.reduce("cells", "rho", "min") == pytest.approx(rho[1:3].min(), rel=1e-13)
    np.testing.assert_array_equal(cells.rho[INTERIOR][[0, 3, 4]], -1.0)


def test_addresses_on_the_device(make_cells: Callable[..., Cells]) -> None:
    cells = make_cells()
    tv = cells.tv
    with pytest.raises(StateError, match="frame_device_address of 'rho': the array of set"):
        tv.device_address("cells", "rho")
    tv.bind_array("heat", "h_Yi", "out", cells.h_Yi, **FRINGES)
    tv.enter_data("cells", "h_Yi", "copyin")
    tv.enter_data("cells", "Q", "copyin", "device")
    address = tv.device_address("cells", "h_Yi")
    assert address == tv.device_address("heat", "h_Yi")
    assert (address == cells.h_Yi.ctypes.data) == (not cells.apart)
    with pytest.raises(ArgumentError, match="resident with layout 'device'"):
        tv.device_address("cells", "Q")
    # the address is that of an array as well
    tv.bind("device", "rho", "out", address, [*SHAPE, *FRINGES.values(), 1, 1, 1])
    for name in ("T", "P"):
        tv.bind_array("device", name, "in", np.full(SHAPE, 500.0, order="F"), **FRINGES)
    tv.bind_array("device", "Y", "in", np.full((*SHAPE, 3), 1 / 3, order="F"), **FRINGES)
    tv.run("device", "eosThermalProperties")
    tv.update_host("cells", "h_Yi")
    assert (cells.h_Yi[INTERIOR][..., 0] > 0.0).all()
    assert (cells.h_Yi[..., 1:] == -1.0).all()


def test_what_is_refused(make_cells: Callable[..., Cells]) -> None:
    cells = make_cells()
    tv = cells.tv
    enter = tv.enter_data
    with pytest.raises(ArgumentError, match="argument clause: got 'copy', wanted one of copyin"):
        enter("cells", "Q", "copy")
    with pytest.raises(ArgumentError, match="argument layout: got 'soa', wanted one of host, dev"):
        enter("cells", "Q", "copyin", "soa")
    with pytest.raises(ArgumentError, match="argument name: got 'eta', wanted an array bound in"):
        enter("cells", "eta", "copyin")
    with pytest.raises(ArgumentError, match="argument clause: got 'copyin', wanted one of copyou"):
        tv.exit_data("cells", "Q", "copyin")
    with pytest.raises(StateError, match=r"update_device of 'Q': .*\(resident: none\): call"):
        tv.update_device("cells", "Q")
    enter("cells", "Q", "copyin")
    with pytest.raises(ArgumentError, match="layout: got 'device', wanted 'host', with which 'Q'"):
        enter("cells", "Q", "copyin", "device")
    update = tv.update_host
    with pytest.raises(ArgumentError, match=r"i1 = -2, i2 = 5 of box 2 of 'Q', wanted .* -1 to 7"):
        update("cells", "Q", [(1, 2, 1, 2, 1, 2), (-2, 5, 1, 2, 1, 2)])
    with pytest.raises(ArgumentError, match=r"k1 = 1, k2 = 5 of box 1 of 'Q', wanted .* 1 to 4"):
        update("cells", "Q", (1, 2, 1, 2, 1, 5))
    update("cells", "Q", (1, 2, 4, 2, 1, 9))  # ends before it begins: nothing is copied
    with pytest.raises(ArgumentError, match=r"boxes: got shape \(5,\)"):
        update("cells", "Q", (1, 2, 4, 2, 1))
    buffer = np.zeros(10)
    with pytest.raises(ArgumentError, match="nBuffer: got 10, wanted the 160 elements"):
        tv.pack("cells", "Q", (1, 5, 1, 4, 1, 1), buffer)
    with pytest.raises(ArgumentError, match="buffer: got float32, wanted float64, as the array"):
        tv.pack("cells", "Q", (1, 1, 1, 1, 1, 1), buffer.astype(np.float32))
    with pytest.raises(ArgumentError, match="buffer: got strides"):
        tv.pack("cells", "Q", (1, 1, 1, 1, 1, 1), np.zeros((8, 8))[::2, ::2])
    buffer.flags.writeable = False
    with pytest.raises(ArgumentError, match="buffer: got a read-only array"):
        tv.pack("cells", "Q", (1, 1, 1, 1, 1, 1), buffer)
    with pytest.raises(ArgumentError, match="buffer: got list"):
        tv.unpack("cells", "Q", (1, 1, 1, 1, 1, 1), [1.0])
    assert (buffer == 0.0).all()
    fixed = np.full(SHAPE, 300.0, order="F")
    fixed.flags.writeable = False
    tv.bind_array("fixed", "T", "in", fixed)
    enter("fixed", "T", "copyin")
    if cells.apart:
        with pytest.raises(ArgumentError, match="name: got 'T', a read-only array"):
            tv.update_host("fixed", "T")
        with pytest.raises(ArgumentError, match="name: got 'T', a read-only array"):
            tv.exit_data("fixed", "T", "copyout")
    tv.exit_data("fixed", "T", "delete")
    tv.run_begin("cells", "eosThermalProperties")
    with pytest.raises(StateError, match="frame_exit_data of 'Q' came while eosThermalProp"):
        tv.exit_data("cells", "Q", "delete")
    with pytest.raises(StateError, match="frame_enter_data of 'rho' came while"):
        enter("cells", "rho", "create")
    tv.wait("cells")


def test_a_section_is_not_entered(make_cells: Callable[..., Cells]) -> None:
    cells = make_cells()
    tv = cells.tv
    bounds = [9, 6, 2, 1, 4, 1, 3, 1, 2, 1, 1, 1]
    tv.bind("part", "rho", "out", cells.rho[1:, 1:].ctypes.data, bounds, section=True)
    with pytest.raises(
        ArgumentError, match="'rho' of set 'part', a section of a larger array, wa"
    ):
        tv.enter_data("part", "rho", "copyin")
    tv.enter_data("cells", "rho", "create")  # but it may lie in one that has entered
    buffer = np.arange(24.0)
    tv.unpack("part", "rho", (1, 4, 1, 3, 1, 2), buffer)
    with pytest.raises(ArgumentError, match="i1 = 0, i2 = 4"):
        tv.unpack("part", "rho", (0, 4, 1, 3, 1, 2), buffer)
    tv.update_host("part", "rho")  # its interior: nobody knows where its fringe ends
    np.testing.assert_array_equal(cells.rho[1:5, 1:4, 0:2].ravel(order="F"), buffer)


def test_an_empty_block(make_cells: Callable[..., Cells]) -> None:
    tv = make_cells().tv
    tv.bind("none", "T", "in", 0, [0, 4, 4, 1, 0, 1, 4, 1, 4, 1, 1, 1])
    tv.enter_data("none", "T", "copyin")
    tv.update_device("none", "T")
    tv.update_host("none", "T", (1, 0, 1, 4, 1, 4))
    assert tv.pack("none", "T", None, np.empty(0)) == 0
    assert tv.device_address("none", "T") == 0
    tv.exit_data("none", "T", "copyout")


def test_the_end_names_what_was_on_the_device_alone(
    make_cells: Callable[..., Cells], capsys: pytest.CaptureFixture[str]
) -> None:
    cells = make_cells()
    tv = cells.tv
    for name in ("Q", "rho", "h_Yi", "status"):
        tv.enter_data("cells", name, "copyin")
    cells.run()
    tv.update_host("cells", "h_Yi")
    tv.update_host("cells", "status", [(1, 5, 1, 2, 1, 3), (1, 5, 3, 4, 1, 3)])
    tv.update_host("cells", "status", (1, 5, 1, 4, 1, 3))
    tv.update_host("cells", "rho", (1, 5, 1, 4, 1, 2))
    cells.frame.finalize()
    lines = [line for line in capsys.readouterr().out.splitlines() if "warning" in line]
    if not cells.apart:
        assert not lines
        return
    (line,) = lines
    assert "nothing is copied out at the end" in line
    assert "were on the device alone: 'rho' of set 'cells'; frame_exit_data" in line
    frame = bridge.Frame()
    frame.set("backend", "cpu")
    frame.initialize(0, 8, 3, 8, 0)
    frame.finalize()
