"""How points of a box are spread over threads, and the bytes that a launch gets; kernels on boxes
compile for GPUs that are not here."""

from __future__ import annotations

import itertools
import math
import random
import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from blocks import orders
from kernels import boxcases

from bridge.backends.cuda import cache, compiler, precompile
from bridge.backends.gpu import boxgrid
from bridge.backends.gpu.boxgrid import Extent, Grid
from bridge.backends.gpu.boxorder import generate_ordered
from bridge.backends.gpu.boxsource import BoxSource, Form, generate_box, policy_of
from bridge.backends.gpu.placement import Access
from bridge.backends.gpu.policy import LOCAL, REGISTERS, Policy, Walk
from bridge.errors import DeviceError
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.stages import split


def divided(n: int, by: int) -> int:
    """As cuda/boxes.h does it, in 32 bits."""
    factor, shift = boxgrid.divisor(by)
    total = (n * factor >> 32) + n
    assert factor < 1 << 32 and total < 1 << 32
    return total >> shift


def test_products_stand_for_quotients() -> None:
    numbers = random.Random(1)
    sizes = [1, 2, 3, 7, 128, 130, 65535, 1 << 30, (1 << 31) - 1]
    sizes += [numbers.randrange(1, 1 << numbers.randrange(1, 32)) for _ in range(500)]
    for by in sizes:
        near = [m for k in (1, 2, 1000) for m in (k * by - 1, k * by) if m < 1 << 31]
        for n in [0, (1 << 31) - 1, *near, *(numbers.randrange(1 << 31) for _ in range(10))]:
            assert divided(n, by) == n // by, (n, by)


def points_of(grid: Grid, threads: int, walks: bool) -> list[Extent]:
    """Those of every thread, as the kernel finds them."""
    (nx, ny, nz), (sx, sy), found = grid.extent, grid.sizes, []
    for block, thread in itertools.product(range(grid.blocks), range(threads)):
        number = block if walks else block * threads + thread
        row = divided(number, sx)
        k = divided(row, sy)
        i, j = number - row * sx, row - k * sy
        if not walks:
            found += [(i, j, k)] if number < nx * ny * nz else []
            continue
        bits = grid.bits[0]
        i, j = (i << bits) + (thread & ((1 << bits) - 1)), (j << grid.bits[1]) + (thread >> bits)
        planes = range(k * grid.planes, min((k + 1) * grid.planes, nz))
        found += [(i, j, plane) for plane in planes if i < nx and j < ny]
    return found


@pytest.mark.parametrize("extent", [(1, 1, 1), (130, 3, 2), (3, 70, 5), (8, 8, 8), (1, 9, 33)])
def test_every_point_has_one_thread(extent: Extent) -> None:
    every = sorted(itertools.product(*map(range, extent)))
    for threads in (32, 256):
        assert sorted(points_of(boxgrid.consecutive(extent, threads), threads, False)) == every
        for planes in (None, 1, 3):
            grid = boxgrid.tiled(extent, threads, 2, planes)
            assert 32 <= grid.threads == 1 << sum(grid.bits) <= threads
            assert sorted(points_of(grid, grid.threads, True)) == every


@pytest.mark.parametrize("extent", [(1, 1, 1), (2, 5, 3), (130, 3, 2), (7, 8, 9), (1, 9, 33)])
def test_points_of_a_colour_have_one_thread(extent: Extent) -> None:
    """Every other point of a row, as ColourWriter finds them from a tile of half rows."""
    for odd, planes in itertools.product((0, 1), (None, 1, 3)):
        every = [p for p in itertools.product(*map(range, extent)) if sum(p) % 2 == odd]
        [(first, grid)] = boxgrid.grids(boxgrid.COLOUR, extent, 64, 2, planes)
        halves = replace(grid, extent=((extent[0] + 1) // 2, *extent[1:]))
        found = points_of(halves, grid.threads, True)
        assert len(found) <= (extent[0] + 1) // 2 * extent[1] * extent[2]
        found = [(2 * i + (odd + j + k) % 2, j, k) for i, j, k in found]
        assert sorted(p for p in found if p[0] < extent[0]) == every
        assert first == (0, 0, 0) and grid.extent == extent


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("extent", [(1, 1, 1), (5, 70, 3), (9, 2, 33)])
def test_every_line_has_one_thread(
    axis: str, extent: Extent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines are never cut, boxes of too many of them are."""
    number = "xyz".index(axis)
    across = [range(1) if n == number else range(m) for n, m in enumerate(extent)]
    for most in (1 << 30, 40):
        monkeypatch.setattr(boxgrid, "MOST_POINTS", most)
        found = []
        for first, grid in boxgrid.grids(axis, extent, 64, 2):
            assert grid.planes == extent[number] and grid.words[3] == math.prod(grid.extent)
            own = points_of(grid, 64, False)
            found += [tuple(map(sum, zip(first, point, strict=True))) for point in own]
        assert sorted(found) == sorted(itertools.product(*across))


def test_tiles_follow_the_box() -> None:
    """Rows of 32 where there are such; short rows leave few threads idle; small boxes are spread
    over all processors."""
    assert boxgrid.tiled((128, 128, 128), 256, 132).bits == (5, 3)
    assert boxgrid.tiled((8, 8, 8), 256, 132).bits == (3, 3)
    assert boxgrid.tiled((128, 3, 128), 256, 132).bits[1] <= 2
    assert boxgrid.tiled((256, 256, 256), 256, 132).planes == 8
    assert boxgrid.tiled((128, 128, 128), 256, 132).planes == 4
    assert boxgrid.tiled((32, 32, 32), 256, 132).planes == 1


def test_parts_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxgrid, "MOST_POINTS", 50)
    extent = (7, 20, 3)
    parts = list(boxgrid.parts(extent))
    assert all(math.prod(size) <= 50 for _, size in parts) and len(parts) > 8
    found = sorted(
        (i + a, j + b, k + c)
        for (a, b, c), (x, y, z) in parts
        for i, j, k in itertools.product(range(x), range(y), range(z))
    )
    assert found == sorted(itertools.product(*map(range, extent)))


# ---- the text ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return boxcases.catalogue(boxcases.write_pack(tmp_path_factory.mktemp("boxes") / "box_pack"))


def source(catalogue: Any, plan: Any, form: Form, walk: Walk, arch: str = "sm_90") -> BoxSource:
    where, policy = precompile.layout(4), policy_of(plan, catalogue, REGISTERS, walk)
    return generate_box(plan, catalogue, where, form, policy, walk, arch)


def gradient_form(dtype: str = "float64", unit: int = 1) -> Form:
    named = ("box_u", "box_p", "box_gradient", "box_largest")
    access = {name: Access(dtype, dtype != "float64") for name in named}
    access["box_rdx"] = Access("float64", constant=True)
    strides = {name: (unit, 130, 16900) for name in named}
    return Form.of(access, strides | {"box_p": (unit, 140, 19600)})


def test_arguments_are_the_kernels_bytes(catalogue: Any) -> None:
    """The struct member by member; arrays whose points lie alike share their strides."""
    entry = source(catalogue, boxcases.gradient_plan(), gradient_form("float32"), Walk()).entry
    grid = boxgrid.tiled((33, 9, 2), 256, 132)
    values: dict[tuple[str, str], float] = {
        ("shape y", "0"): 130, ("shape z", "0"): 16900, ("shape y", "1"): 140,
        ("shape z", "1"): 19600,
    }  # fmt: skip
    for number, name in enumerate(("box_u", "box_p", "box_gradient", "box_largest", "box_rdx")):
        values |= {("stride", name): 1000 + number, ("scale", name): 0.5 + number}
    words = entry.pack(grid, values)
    assert struct.unpack_from("6i", words) == (33, 9, 2, 594, *grid.sizes)
    assert struct.unpack_from("3i", words, 40) == (*grid.bits, grid.planes)
    assert struct.unpack_from("4i", words, 52) == (130, 16900, 140, 19600)
    behind = struct.unpack_from("=qddqdd", words, 72)  # 8 bytes each from the next multiple of 8
    assert behind == (1000, 0.5, 1.5, 1002, 2.5, 3.5) and len(words) == 72 + 48
    assert entry.arrays == ("box_u", "box_p", "box_rdx", "box_gradient", "box_largest")


def test_what_a_launch_writes_has_no_promise(catalogue: Any) -> None:
    """Where an input and an output share memory the compiler is told nothing of either."""
    plan = catalogue.single("boxUpdate", 4)
    access = {name: Access("float64") for name in ("box_five", "box_rate", "box_rdx")}
    access["box_five"] = Access("float64", shared=True)
    form = Form.of(access, dict.fromkeys(access, (5, 650, 65000)))
    text = source(catalogue, plan, form, Walk()).text
    assert "double* at_box_five" in text and "__restrict__ at_box_five" not in text
    assert "const double* __restrict__ at_box_rate" in text


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        compiler.find()
    except DeviceError as error:
        pytest.skip(str(error))
    return tmp_path_factory.mktemp("cuda")


@pytest.mark.parametrize("arch", precompile.ARCHITECTURES)
def test_no_spill_and_no_stack(catalogue: Any, place: Path, arch: str) -> None:
    """Neighbours become plain loads, whatever the memory holds: nothing of their objects is left
    in a thread's memory."""
    plan = boxcases.gradient_plan()
    for form in (gradient_form(), gradient_form("float32", 3)):
        one = source(catalogue, plan, form, Walk(), arch)
        (used,) = cache.compiled(one.text, arch, headers=one.headers, place=place).resources
        assert used.kernel == "box_boxed" and used.registers <= 80
        assert used.spill_stores == used.spill_loads == used.stack == 0


@pytest.fixture
def in_order(tmp_path: Path) -> Any:
    (tmp_path / "catalogue.toml").write_text(orders.CATALOGUE)
    (tmp_path / "orders.h").write_text(orders.HEADER)
    return Catalogue.load([shipped_file(), tmp_path / "catalogue.toml"])


def sources(catalogue: Any, kernel: str, first: bool, policy: Policy) -> list[BoxSource]:
    """The launches of a kernel with an order."""
    stages = split(catalogue.single(kernel, 4), (), (9, 9, 9)).stages
    found = []
    for plan in (stage.plan for stage in stages if stage.plan.ordered):
        access, strides = {}, {}
        for name in dict.fromkeys((*plan.inputs, *plan.outputs)):
            slot = plan.slots[plan.inputs.get(name, plan.outputs.get(name, -1))]
            position, both = name.startswith("position"), {*plan.inputs} & {*plan.outputs}
            access[name] = Access(
                slot.dtype, constant=name == "od_omega", position=position, shared=name in both
            )
            if position:
                i, j, k = (int(name[-1] == axis) for axis in "ijk")
                strides[name] = (i, j, k)
            elif name != "od_omega":
                strides[name] = (3, 390, 50700) if first else (1, 130, 16900)
        own = policy_of(plan, catalogue, policy, Walk())
        form, layout = Form.of(access, strides), precompile.layout(4)
        found.append(generate_ordered(plan, catalogue, layout, form, own, Walk()))
    return found


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(
    "kernel", ["odRedBlack", "odVector", "odClosed", "odRunning", "odForwardXUp", "odLooked"]
)
def test_colours_and_sweeps_compile(in_order: Any, place: Path, kernel: str, first: bool) -> None:
    """Colours, functions of the first and last points, what a line keeps, tables: in registers."""
    launches = sources(in_order, kernel, first, REGISTERS)
    assert len(launches) == (2 if kernel in ("odRedBlack", "odVector") else 1)
    for one in launches:
        (used,) = cache.compiled(one.text, "sm_90", headers=one.headers, place=place).resources
        assert used.kernel == f"box_{kernel}" and used.registers <= 64
        assert used.spill_stores == used.spill_loads == used.stack == 0


def test_a_line_has_one_array(in_order: Any, place: Path) -> None:
    """What it keeps from point to point lies behind the arrays of a point, as these lie in a
    thread's own memory: compilers have placed two of them over each other."""
    (one,) = sources(in_order, "odRunning", False, LOCAL)
    assert re.findall(r"Real (\w+)\[(\d+)\]", one.text) == [("own", "7")]
    assert "n = 3; n < 7;" in one.text and "{own + 3}" in one.text
    cache.compiled(one.text, "sm_90", headers=one.headers, place=place)
