"""Launches on boxes of device memory: NumPy must agree on every layout, and what lies beside the
box stays. On a stand-in here, on a GPU in tests/gpu/test_boxes.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernels import boxcases
from kernels.boxcases import AROUND, Extent, Field, gradient_of, gradient_plan, value
from kernels.cuda_cases import CATALOGUE, SPECIES, states

from bridge.backends.base import Binding, Box
from bridge.backends.gpu import boxgrid
from bridge.backends.gpu.boxprogram import BoxProgram
from bridge.backends.gpu.policy import Walk
from bridge.errors import ArgumentError
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan, Slot, Step

NONE = Fringe()


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return boxcases.write_pack(tmp_path_factory.mktemp("boxes") / "box_pack")


@pytest.fixture
def boxes(gpu: Any, pack: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The backend, which finds the pack."""
    monkeypatch.setenv("BRIDGE_PACKS", str(pack))
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    return gpu


def run(
    gpu: Any, plan: Plan, fields: dict[str, Field | Binding], times: int = 1, launches: int = 1
) -> BoxProgram:
    """A plan on fields, as a launch on a box."""
    bindings = {
        name: one.binding if isinstance(one, Field) else one for name, one in fields.items()
    }
    program = gpu.program(plan, bindings)
    assert isinstance(program, BoxProgram)
    for _ in range(times):
        points = next(iter(bindings.values())).box.points
        program.begin_box(points, 7)
        assert program.wait_box() == launches
    return program


def single(kernel: str, ns: int = 6) -> Plan:
    return Catalogue.installed().single(kernel, ns)


# ---- neighbours -----------------------------------------------------------------------------

SHAPES: list[Extent] = [(5, 4, 3), (33, 9, 2), (1, 1, 1), (3, 40, 11), (130, 2, 17)]
LAYOUTS = [
    {}, {"layout": "first"}, {"beside": 3}, {"layout": "first", "beside": 4},
    {"dtype": "float32"}, {"scale": 0.125}, {"dtype": "float32", "scale": 4.0, "layout": "first"},
    {"dtype": "int32", "scale": 0.5},
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_neighbours_of_boxes(boxes: Any, shape: Extent) -> None:
    check_neighbours(boxes, shape, {}, {})


@pytest.mark.parametrize("given", LAYOUTS[1:])
def test_neighbours_of_layouts_and_types(boxes: Any, given: dict[str, Any]) -> None:
    check_neighbours(boxes, (9, 5, 4), given, {k: v for k, v in given.items() if k != "dtype"})


def check_neighbours(
    gpu: Any, shape: Extent, given: dict[str, Any], made: dict[str, Any], on_device: bool = True,
    launches: int = 1,
) -> None:  # fmt: skip
    """Inputs with their own fringes and outputs with others, a constant of the host, a pointwise
    kernel behind the one that reads neighbours."""
    wide = Fringe((3, 2, 1), (2, 1, 4))
    u = Field(gpu, shape, wide, 3, **given, seed=1, on_device=on_device)
    p = Field(gpu, shape, AROUND, 1, dtype=given.get("dtype", "float64"), seed=2)
    gradient = Field(gpu, shape, Fringe((0, 1, 0), (2, 0, 1)), 3, **made, seed=3)
    largest = Field(gpu, shape, NONE, 1, dtype="float32", seed=4, on_device=on_device)
    fields: dict[str, Field | Binding] = {
        "box_u": u, "box_p": p, "box_gradient": gradient, "box_largest": largest,
        "box_rdx": value(gpu, 0.75, shape),
    }  # fmt: skip
    if not on_device:
        for field in (u, largest):
            gpu.adopt(field.binding)
    run(gpu, gradient_plan(), fields, 2, launches)
    slopes, smooth = gradient_of(u, p, 0.75)
    np.testing.assert_allclose(gradient.results, slopes, rtol=1e-15, atol=1e-15)
    wanted = np.maximum(smooth, u.at()[..., 1]).astype("float32")
    np.testing.assert_allclose(largest.results[..., 0], wanted, rtol=1e-7)
    for field in (u, p, gradient, largest):
        field.assert_untouched_outside()
    if not on_device:
        for field in (u, largest):
            gpu.release(field.binding)


@pytest.mark.parametrize(
    "walk", [Walk(64, 1, 1), Walk(64, 2, 1), Walk(512, 3, 4), Walk(512, 99, 4)]
)
def test_tiles_of_any_size(boxes: Any, walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes.device, "walk", walk)
    check_neighbours(boxes, (21, 13, 7), {}, {})


def test_a_box_of_more_points_than_a_launch_has(
    boxes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boxgrid, "MOST_POINTS", 100)
    check_neighbours(boxes, (9, 5, 4), {}, {}, launches=2)


def test_strides_of_64_bits(boxes: Any) -> None:
    """An axis of one point may have any."""
    five = Field(boxes, (6, 5, 1), AROUND, 5, seed=1)
    box = five.binding.box
    far = boxcases.moved(five.binding, box=boxcases.moved(box, stride=(*box.stride[:2], 1 << 40)))
    program = run(boxes, single("boxReverse"), {"box_five": far})
    assert program._launch is not None and program._launch.form.wide
    np.testing.assert_array_equal(five.results, five.at()[..., ::-1])


def test_integer_neighbours(boxes: Any) -> None:
    shape = (6, 5, 4)
    n = Field(boxes, shape, Fringe((1, 1, 0), (0, 0, 0)), 1, dtype="int32", seed=1)
    m = Field(boxes, shape, Fringe((0, 0, 0), (0, 2, 1)), 2, dtype="int32", seed=2, layout="first")
    total = Field(boxes, shape, NONE, 1, dtype="float64", seed=3)
    twice = Field(boxes, shape, AROUND, 2, dtype="int32", seed=4)
    fields: dict[str, Any] = {"box_n": n, "box_m": m, "box_sum": total, "box_twice": twice}
    run(boxes, single("boxCount"), fields)
    np.testing.assert_array_equal(total.results, n.at() + n.at(j=-1))
    np.testing.assert_array_equal(twice.results, m.at() + m.at(k=1))
    twice.assert_untouched_outside()


@pytest.mark.parametrize("scaled", [1.0, 8.0])
def test_a_mask_leaves_points_alone(boxes: Any, scaled: float) -> None:
    shape = (7, 6, 5)
    u, p = (Field(boxes, shape, AROUND, n, seed=n) for n in (3, 1))
    gradient = Field(boxes, shape, AROUND, 3, scale=scaled, seed=5, layout="first")
    largest = Field(boxes, shape, NONE, 1, seed=6)
    mask = Field(boxes, shape, AROUND, 1, dtype="int32", seed=7)
    fields: dict[str, Any] = {
        "box_u": u, "box_p": p, "box_gradient": gradient, "box_largest": largest,
        "iblank": mask, "box_rdx": value(boxes, 2.0, shape),
    }  # fmt: skip
    values = mask.host
    values[...] = np.random.default_rng(1).integers(0, 2, values.shape)
    boxes.device.allocator.put(mask.address, values.ravel(order="K"))
    mask.before = mask.whole().copy()
    run(boxes, gradient_plan().masked("iblank"), fields)
    blank = mask.at()[..., 0] == 0
    assert 20 < blank.sum() < 190
    slopes, _ = gradient_of(u, p, 2.0)
    wanted = np.where(blank[..., None], gradient.at(), slopes)
    np.testing.assert_allclose(gradient.results, wanted, rtol=1e-15)
    np.testing.assert_array_equal(largest.results[blank], largest.at()[blank])
    gradient.assert_untouched_outside()


def test_a_value_may_have_two_places_and_an_input_another(boxes: Any) -> None:
    """A temporary and an array of the caller; what comes in from one goes out into the other."""
    shape = (8, 3, 5)
    u, p = (Field(boxes, shape, AROUND, n, seed=n) for n in (3, 1))
    first, second = (Field(boxes, shape, AROUND, 3, seed=5 + n) for n in range(2))
    largest, copy = Field(boxes, shape, NONE, 1, seed=8), Field(boxes, shape, AROUND, 3, seed=9)
    fields: dict[str, Any] = {
        "box_u": u, "box_p": p, "box_gradient": first, "gradient_too": second,
        "box_largest": largest, "u_too": copy, "box_rdx": value(boxes, 1.0, shape),
    }  # fmt: skip
    run(boxes, gradient_plan({"gradient_too": 3, "u_too": 0}), fields)
    slopes, _ = gradient_of(u, p, 1.0)
    for field in (first, second):
        np.testing.assert_allclose(field.results, slopes, rtol=1e-15)
    np.testing.assert_array_equal(copy.results, u.at())
    for field in (first, second, copy):
        field.assert_untouched_outside()


def test_a_plan_may_only_copy(boxes: Any) -> None:
    shape = (5, 2, 3)
    given, taken = Field(boxes, shape, AROUND, 3, seed=1), Field(boxes, shape, NONE, 3, seed=2)
    plan = Plan("copied", (Slot("box_u", 3, "float64"),), (), {"here": 0}, {"there": 0})
    run(boxes, plan, {"here": given, "there": taken})
    np.testing.assert_array_equal(taken.results, given.at())


# ---- pointwise ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "given"),
    [("boxUpdate", {}), ("boxUpdate", {"dtype": "float32", "scale": 4.0, "layout": "first"}),
     ("boxReverse", {}), ("boxReverse", {"layout": "first", "beside": 4})],
)  # fmt: skip
def test_an_array_in_place(boxes: Any, kernel: str, given: dict[str, Any]) -> None:
    """Columns may be mixed: a point is read to the end before it is written."""
    shape = (11, 5, 3)
    five = Field(boxes, shape, AROUND, 5, seed=1, **given)
    rate = Field(boxes, shape, NONE, 5, seed=2)
    fields: dict[str, Any] = {"box_five": five}
    if kernel == "boxUpdate":
        fields |= {"box_rate": rate, "box_rdx": value(boxes, 0.25, shape)}
    run(boxes, single(kernel), fields)
    old = five.at()
    wanted = old[..., ::-1] if kernel == "boxReverse" else old + 0.25 * rate.at()
    np.testing.assert_allclose(five.results, wanted, rtol=1e-6 if "dtype" in given else 1e-15)
    five.assert_untouched_outside()


def test_some_points_of_a_box(boxes: Any) -> None:
    """Consecutive ones, as a host asks for them chunk by chunk."""
    five = Field(boxes, (5, 4, 3), AROUND, 5, seed=1)
    program = boxes.program(single("boxReverse"), {"box_five": five.binding})
    program.run(7, 30)
    inside = np.arange(60).reshape((5, 4, 3), order="F")
    turned = ((inside >= 7) & (inside < 37))[..., None]
    np.testing.assert_array_equal(five.results, np.where(turned, five.at()[..., ::-1], five.at()))
    five.assert_untouched_outside()


def test_another_output_in_place_of_an_input(boxes: Any) -> None:
    """Two names, one memory."""
    shape = (6, 7, 2)
    five = Field(boxes, shape, AROUND, 5, seed=1, layout="first")
    run(boxes, single("boxScale"), {"box_five": five, "box_rate": five.binding})
    old = five.at()
    np.testing.assert_allclose(five.results, old + np.roll(old, -1, -1), rtol=1e-15)


def test_a_later_kernel_reads_what_an_earlier_one_replaces(boxes: Any) -> None:
    """rate = f(five) lies in place of five, which the next kernel reads as it was."""
    shape = (9, 4, 3)
    five, out = Field(boxes, shape, AROUND, 5, seed=1), Field(boxes, shape, NONE, 5, seed=2)
    slots = tuple(Slot(name, 5, "float64") for name in ("box_five", "box_rate", "box_five"))
    steps = (Step("boxScale", (0, 1), inputs=1), Step("boxReverse", (0, 2), inputs=1))
    plan = Plan("later", slots, steps, {"five": 0}, {"rate": 1, "turned": 2})
    run(boxes, plan, {"five": five, "rate": five.binding, "turned": out})
    old = five.at()
    np.testing.assert_array_equal(out.results, old[..., ::-1])
    np.testing.assert_allclose(five.results, old + np.roll(old, -1, -1), rtol=1e-15)


def test_positions_tables_and_numbers_of_points(boxes: Any) -> None:
    shape = (5, 4, 3)
    n = Field(boxes, shape, AROUND, 1, dtype="int32", seed=1)
    n.host[...] = np.arange(n.host.size).reshape(n.host.shape) % 6
    boxes.device.allocator.put(n.address, n.host.ravel(order="K"))
    n.before = n.whole().copy()
    table = np.linspace(0.0, 0.5, 6)
    boxes.set_table("box_table", table)
    place = Field(boxes, shape, AROUND, 1, seed=2)
    fields: dict[str, Any] = {"box_n": n, "box_place": place}
    for axis, first in enumerate((3, -2, 7)):
        fields[f"position_{'ijk'[axis]}"] = Binding.along(axis, shape, first, "cells")
    run(boxes, single("boxPlace"), fields)
    i, j, k = np.meshgrid(*(np.arange(m) for m in shape), indexing="ij")
    wanted = (i + 3) + 100.0 * (j - 2) + 10000.0 * (k + 7) + table[n.at()[..., 0]]
    np.testing.assert_allclose(place.results[..., 0], wanted, rtol=1e-15)
    place.assert_untouched_outside()


def test_constants_have_their_place_on_the_device(boxes: Any) -> None:
    """New values arrive before the next launch; a value of the host is read at each run."""
    shape = (4, 3, 2)
    five, rate = (Field(boxes, shape, NONE, 5, seed=n) for n in range(2))
    block = np.array([9.0, 0.5])
    boxes.set_constants(block)
    constant = value(boxes, 0.0, shape)
    at = boxcases.moved(constant, address=block.ctypes.data + 8, owner=block)
    number = np.array([0.25])
    own = boxcases.moved(constant, address=number.ctypes.data, owner=number)
    sum_of_all = 0.0
    for binding, change in ((at, block[1:]), (own, number)):
        fields: dict[str, Any] = {"box_five": five, "box_rate": rate, "box_rdx": binding}
        program = run(boxes, single("boxUpdate"), fields)
        sum_of_all += change[0]
        change[0] = 2.0
        if binding is at:
            boxes.set_constants(block)
        program.run_box(24, 24)
        sum_of_all += 2.0
        wanted = five.at() + sum_of_all * rate.at()
        np.testing.assert_allclose(five.results, wanted, rtol=1e-14)


@pytest.mark.parametrize("layout", ["last", "first"])
def test_physics_on_a_box(boxes: Any, layout: str) -> None:
    """The package's own kernels, and a search for the temperature: as on views."""
    shape, n = (7, 5, 4), 140
    for name in ("eosRhohFromTPprop", "prEOSCalcTFromHP"):
        plan = CATALOGUE.composite_plan(CATALOGUE.composite(name), 6)
        inputs = states(n)
        fields: dict[str, Any] = {}
        views: dict[str, Any] = {}
        for quantity in (*plan.inputs, *plan.outputs):
            slot = plan.slots[plan.inputs.get(quantity, plan.outputs.get(quantity, -1))]
            field = Field(boxes, shape, AROUND, slot.columns, layout=layout, dtype=slot.dtype)
            if quantity in plan.inputs:
                given = inputs.get(quantity, np.full(n, 1e5)).reshape((*shape, -1), order="F")
                field.at(now=True)[...] = given
                boxes.device.allocator.put(field.address, field.host.ravel(order="K"))
            fields[quantity] = field
            view = boxes.allocate(slot.columns, n, slot.dtype)
            boxes.synchronize()
            if quantity in plan.inputs:
                flat = field.at(now=True).reshape(n, -1, order="F").T
                boxes.device.allocator.put(view.address, np.ascontiguousarray(flat))
            views[quantity] = view
        bound = {q: Binding(v.address, Box.flat(n, n), v.shape[0], dtype=v.dtype.name)
                 for q, v in views.items()}  # fmt: skip
        boxes.program(plan, bound).run(0, n)
        run(boxes, plan, fields)
        for quantity in plan.outputs:
            want = views[quantity].get().T.reshape((*shape, -1), order="F")
            np.testing.assert_allclose(fields[quantity].results, want, rtol=1e-11)
            fields[quantity].assert_untouched_outside()


# ---- what is refused, and what is empty ---------------------------------------------------------


def test_a_fringe_that_is_too_narrow_is_refused(boxes: Any) -> None:
    shape = (4, 4, 4)
    u = Field(boxes, shape, Fringe((1, 1, 1), (1, 0, 1)), 3)
    p = Field(boxes, shape, AROUND, 1)
    out = {n: Field(boxes, shape, NONE, c) for n, c in (("box_gradient", 3), ("box_largest", 1))}
    fields: dict[str, Any] = {"box_u": u, "box_p": p, "box_rdx": value(boxes, 1.0, shape), **out}
    with pytest.raises(ArgumentError, match="box_u: got 0 layers above y.*1 above y"):
        run(boxes, gradient_plan(), fields)


def test_boxes_that_differ_and_parts_are_refused(boxes: Any) -> None:
    u, p = Field(boxes, (4, 4, 4), AROUND, 3), Field(boxes, (4, 4, 3), AROUND, 1)
    out = {n: Field(boxes, (4, 4, 4), NONE, c)
           for n, c in (("box_gradient", 3), ("box_largest", 1))}  # fmt: skip
    fields: dict[str, Any] = {
        "box_u": u, "box_p": p, "box_rdx": value(boxes, 1.0, (4, 4, 4)), **out,
    }  # fmt: skip
    with pytest.raises(ArgumentError, match=r"box_p: got a box of \(4, 4, 3\)"):
        run(boxes, gradient_plan(), fields)
    fields["box_p"] = Field(boxes, (4, 4, 4), AROUND, 1)
    program = run(boxes, gradient_plan(), fields)
    with pytest.raises(ArgumentError, match="all 64 points: it reads neighbours"):
        program.run(3, 5)


def test_an_empty_box(boxes: Any) -> None:
    names = {"box_n": 1, "box_m": 2, "box_sum": 1, "box_twice": 2}
    empty = {n: Field(boxes, (3, 0, 2), NONE, c, dtype="int32") for n, c in names.items()}
    program = boxes.program(single("boxCount"), {n: f.binding for n, f in empty.items()})
    program.begin_box(0, 100)
    assert isinstance(program, BoxProgram) and program.wait_box() == 0


def test_views_are_consecutive_points(boxes: Any) -> None:
    five = Field(boxes, (6, 1, 1), NONE, 5)
    views = {"box_five": boxcases.moved(five.binding, group="")}
    program = boxes.program(single("boxReverse"), views)
    assert not isinstance(program, BoxProgram)
    program.run(0, 6)
    np.testing.assert_array_equal(five.results, five.at()[..., ::-1])


# ---- arrays of the host ---------------------------------------------------------------------


@pytest.mark.parametrize("given", [{}, {"layout": "first"}, {"dtype": "float32", "scale": 2.0}])
def test_neighbours_of_host_arrays(boxes: Any, given: dict[str, Any]) -> None:
    """Page-locked ones and others, beside arrays of the device."""
    check_neighbours(boxes, (9, 5, 4), given, {}, on_device=False)


@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("given", [{}, {"layout": "first"}, {"beside": 2, "dtype": "float32"}])
def test_masked_outputs_of_the_host(boxes: Any, locked: bool, given: dict[str, Any]) -> None:
    shape = (6, 4, 5)
    fields: dict[str, Any] = {
        "box_u": Field(boxes, shape, AROUND, 3, on_device=False, seed=1, **given),
        "box_p": Field(boxes, shape, AROUND, 1, on_device=False, seed=2),
        "box_gradient": Field(boxes, shape, AROUND, 3, on_device=False, seed=3, **given),
        "box_largest": Field(boxes, shape, NONE, 1, on_device=False, seed=4),
        "iblank": Field(boxes, shape, AROUND, 1, on_device=False, dtype="int32", seed=5),
    }
    mask = fields["iblank"]
    mask.host[...] = np.random.default_rng(1).integers(0, 2, mask.host.shape)
    mask.before = mask.whole().copy()
    if locked:
        for field in fields.values():
            boxes.adopt(field.binding)
    run(boxes, gradient_plan().masked("iblank"),
        {**fields, "box_rdx": value(boxes, 1.0, shape)}, times=2)  # fmt: skip
    u, gradient = fields["box_u"], fields["box_gradient"]
    slopes, smooth = gradient_of(u, fields["box_p"], 1.0)
    blank = mask.at()[..., 0] == 0
    wanted = np.where(blank[..., None], gradient.at(), slopes)
    np.testing.assert_allclose(gradient.results, wanted, rtol=2e-7, atol=1e-7 if given else 0.0)
    wanted = np.where(blank, fields["box_largest"].at()[..., 0],
                      np.maximum(smooth, u.at()[..., 1]))  # fmt: skip
    np.testing.assert_allclose(fields["box_largest"].results[..., 0], wanted, rtol=1e-15)
    for field in fields.values():
        field.assert_untouched_outside()
        if locked:
            boxes.release(field.binding)


def test_several_sets_in_flight(boxes: Any) -> None:
    """A chunk loop of host arrays and two launches on boxes, begun before any is waited for."""
    shape = (8, 6, 4)
    host = {n: Field(boxes, shape, NONE, 5, on_device=False, seed=s)
            for s, n in enumerate(("box_five", "box_rate"))}  # fmt: skip
    for field in host.values():
        boxes.adopt(field.binding)
    programs = [boxes.program(single("boxScale"), {n: f.binding for n, f in host.items()})]
    fives = [Field(boxes, shape, AROUND, 5, seed=n) for n in range(2)]
    programs += [boxes.program(single("boxReverse"), {"box_five": f.binding}) for f in fives]
    for _ in range(2):
        for program in programs:
            program.begin_box(192, 50)
        assert [program.wait_box() for program in programs][1:] == [1, 1]
        for program in programs[1:]:  # launches on arrays of the device may go on until then
            program.wait()
        assert all(program.done() for program in programs)
    old = host["box_five"].at()
    np.testing.assert_allclose(host["box_rate"].results, old + np.roll(old, -1, -1), rtol=1e-15)
    for five in fives:
        np.testing.assert_array_equal(five.results, five.at())
    for field in host.values():
        boxes.release(field.binding)
