"""Launches on many blocks: how their points are spread over threads, what crosses the link, which
memory is page-locked. On a stand-in here; what the launches compute is in tests/blocks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks.arena import SIZES, SOME, Arena
from kernels import boxcases
from kernels.test_cuda_boxgrid import divided

from bridge.backends.base import Binding, Box
from bridge.backends.cuda import cache, compiler, precompile
from bridge.backends.gpu import blockgrid, blockimages, boxgrid
from bridge.backends.gpu.blockgrid import Shapes
from bridge.backends.gpu.blocksource import BlockForm, BlockWriter
from bridge.backends.gpu.boxprogram import BoxProgram
from bridge.backends.gpu.boxsource import generate_box, policy_of
from bridge.backends.gpu.pagelocks import PageLocks
from bridge.backends.gpu.placement import Access
from bridge.backends.gpu.policy import REGISTERS, Walk
from bridge.errors import ArgumentError, DeviceError
from bridge.memory.blockbounds import BlockBounds
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

Adopt = Callable[[Iterable[Binding]], None]
EXTENT = np.array([n for n in SIZES if 0 not in n])

# ---- threads ------------------------------------------------------------------------------------


def launches(table: blockgrid.Table) -> list[tuple[blockgrid.BlockGrid, np.ndarray, np.ndarray]]:
    """Each with its rows of the table, and its starts or tiles, from the bytes of the device."""
    words, found = table.contents, []
    for grid in table.grids_at(0):
        rows, lies, order, same = grid.offsets
        assert order == same and rows % 16 == lies % 16 == order % 16 == 0
        count = (lies - rows) // 32
        blocks = words[rows:lies][: 32 * count].view(np.int32).reshape(-1, 8)
        found.append((grid, blocks, words[order:].view(np.int32)))
    return found


def cell(point: int, block: np.ndarray) -> tuple[int, int, int]:
    """As cuda/blocks.h does it."""
    first, nx, ny, *_ = block.tolist()
    factors, shifts = block[[4, 6]].view(np.uint32).tolist(), block[[5, 7]].tolist()
    assert [*zip(factors, shifts, strict=True)] == [boxgrid.divisor(nx), boxgrid.divisor(ny)]
    row = divided(point - first, nx)
    k = divided(row, ny)
    return point - first - row * nx, row - k * ny, k


@pytest.mark.parametrize("threads", [32, 256])
@pytest.mark.parametrize("parts", [1, 3])
def test_every_point_of_every_block_has_one_thread(threads: int, parts: int) -> None:
    every = sorted(
        (b, *at) for b, n in enumerate(EXTENT) for at in itertools.product(*map(range, n))
    )
    cuts = blockgrid.cut(EXTENT, parts)
    assert [a for a, _ in cuts[1:]] == [b for _, b in cuts[:-1]] and cuts[-1][1] == len(EXTENT)
    lies = np.zeros((len(EXTENT), 1, 5), np.int64)
    found = []
    for (begin, end), (grid, blocks, starts) in zip(
        cuts, launches(blockgrid.consecutive(EXTENT, lies, cuts, threads)), strict=True
    ):
        assert grid.blocks == -(-grid.points // threads)
        for point in range(grid.points):
            group = point // threads
            low, high = starts[group : group + 2]
            at = int(np.searchsorted(blocks[: end - begin, 0], point, side="right")) - 1
            assert low <= at <= high
            found.append((begin + at, *cell(point, blocks[at])))
    assert sorted(found) == every
    for planes in (None, 1, 3):
        found, many = [], blockgrid.tiled(EXTENT, lies, cuts, threads, 2, planes)
        for (begin, _), (grid, _, order) in zip(cuts, launches(many), strict=True):
            assert 32 <= grid.threads == 1 << sum(grid.bits) <= threads
            x, y = (1 << bits for bits in grid.bits)
            for block, i, j, k in order[: 4 * grid.blocks].reshape(-1, 4).tolist():
                nx, ny, nz = EXTENT[begin + block].tolist()
                spans = (i, min(i + x, nx)), (j, min(j + y, ny)), (k, min(k + grid.planes, nz))
                inside = itertools.product(*(range(*span) for span in spans))
                found += [(begin + block, *at) for at in inside]
        assert sorted(found) == every


def test_tiles_follow_the_blocks() -> None:
    """Small blocks leave no thread idle, and are spread over all processors."""
    lies = np.zeros((1000, 1, 5), np.int64)
    extent = np.full((1000, 3), 8)
    (grid,) = blockgrid.tiled(extent, lies, [(0, 1000)], 256, 132).grids_at(0)
    assert grid.bits == (3, 3) and grid.planes == 4 and grid.blocks == 2000
    (grid,) = blockgrid.tiled(extent * 16, lies, [(0, 1000)], 256, 132).grids_at(0)
    assert grid.bits == (5, 3) and grid.planes == 8


def test_divisors_of_many() -> None:
    by = np.array([1, 2, 3, 7, 8, 9, 1000, 65537, (1 << 30) + 1, (1 << 31) - 1])
    factors, shifts = blockgrid.divisors(by)
    assert [*zip(factors.tolist(), shifts.tolist(), strict=True)] == [
        boxgrid.divisor(n) for n in by.tolist()
    ]


def test_a_block_of_too_many_points_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxgrid, "MOST_POINTS", 599)
    with pytest.raises(ArgumentError, match="a block of 600 points"):
        blockgrid.cut(EXTENT)
    monkeypatch.setattr(boxgrid, "MOST_POINTS", 700)
    assert all(EXTENT[a:b].prod(axis=1).sum() <= 700 for a, b in blockgrid.cut(EXTENT))


# ---- shapes -------------------------------------------------------------------------------------


def binding(arena: Arena, first: int = 1, last: int | None = None, **changes: Any) -> Binding:
    """Some components of an arena."""
    bounds = BlockBounds.of(arena.bounds(first, last), arena.offsets)
    placed = bounds.place(arena.memory.ctypes.data, bounds.columns)
    dtype = str(arena.memory.dtype)
    return replace(placed, dtype=dtype, owner=arena.memory, group="blocks", **changes)


@pytest.mark.parametrize("first", [False, True])
def test_components_of_one_memory_share_a_shape(first: bool) -> None:
    """And arrays that are alike; others do not. Where each begins follows from its column."""
    arena, alike = Arena(SIZES, 5, first=first), Arena(SIZES, 5, first=first)
    other = Arena(SIZES, 5, first=not first)
    arrays = {"b": binding(arena, 2, 3), "a": binding(arena, 1, 1), "e": binding(arena, 5, 5),
              "alike": binding(alike, 4, 4), "other": binding(other)}  # fmt: skip
    shapes = Shapes(arrays)
    assert [shapes.number[name] for name in arrays] == [0, 0, 0, 0, 1]
    lies = shapes.lies
    for name, one in arrays.items():
        assert one.blocks is not None
        number = shapes.number[name]
        found = lies[:, number, 0] + shapes.column[name] * lies[:, number, 4] + shapes.shift[name]
        np.testing.assert_array_equal(found, one.blocks.rows.offset)
    if not first:
        assert [shapes.column[name] for name in arrays] == [0, -1, 3, 2, 0]
    pairs = {("b", "a"): False, ("b", "e"): False, ("b", "b"): True, ("b", "alike"): False}
    for (mine, yours), shared in pairs.items():
        assert shapes.share((mine, arrays[mine]), (yours, arrays[yours])) == shared
    reach = {"b": arrays["b"], "c": binding(arena, 3, 3), "same": arrays["other"]}
    shapes = Shapes(reach)
    assert shapes.share(("b", reach["b"]), ("c", reach["c"])), "columns 2..3 and 3"
    moved = replace(arrays["other"], address=arrays["b"].address)
    shapes = Shapes({"b": arrays["b"], "other": moved})
    assert shapes.share(("b", arrays["b"]), ("other", moved)), "nobody knows"


# ---- runs ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return boxcases.write_pack(tmp_path_factory.mktemp("boxes") / "box_pack")


@pytest.fixture
def boxes(gpu: Any, pack: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The backend, which finds the pack."""
    monkeypatch.setenv("BRIDGE_PACKS", str(pack))
    gpu.set_shared(SharedData(SpeciesData.load(["N2"])))
    return gpu


@pytest.fixture
def adopt(boxes: Any) -> Iterator[Adopt]:
    """adopt(bindings): until the end of the test."""
    held: list[Binding] = []

    def adopt(bindings: Iterable[Binding]) -> None:
        for one in bindings:
            boxes.adopt(one)
            held.append(one)

    yield adopt
    for one in held:
        boxes.release(one)


def start(gpu: Any, kernel: str, arrays: dict[str, Binding]) -> BoxProgram:
    program = gpu.program(Catalogue.installed().single(kernel, 1), arrays)
    assert isinstance(program, BoxProgram)
    return program


def run(program: BoxProgram) -> int:
    points = next(iter(program._bindings.values())).box.points
    program.begin_box(points, 7)
    return program.wait_box()


def constant(value: float, like: Binding) -> Binding:
    return like.everywhere(np.array([value]))


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("parts", [1, 5])
def test_a_memory_crosses_the_link_once(
    boxes: Any, first: bool, parts: int, adopt: Adopt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several inputs of one memory are one copy, in parts that no byte is in twice, whatever the
    order of blocks; results are in the interiors alone."""
    monkeypatch.setattr(blockimages, "SHORTEST", 2000 // parts)
    order = np.random.default_rng(5).permutation(len(SIZES))
    arena = Arena([SIZES[n] for n in order], 10, SOME, first)
    arrays = {"box_five": binding(arena, 1, 5), "box_rate": binding(arena, 6, 10)}
    old, outside = arena.all().copy(), arena.outside().copy()
    adopt(arrays.values())
    program = start(boxes, "boxUpdate", {**arrays, "box_rdx": constant(0.25, arrays["box_five"])})
    api, copied = boxes.device.api, []
    sent = api.copy_async

    def noted(target: int, source: int, size: int, stream: int) -> None:
        copied.append((source, size))
        sent(target, source, size, stream)

    monkeypatch.setattr(api, "copy_async", noted)
    launched = run(program)
    assert launched == 1 if parts == 1 else launched > 2
    ends = sorted(copied)
    begin, end = (f(one.span[n] for one in arrays.values()) for n, f in enumerate((min, max)))
    assert ends[0][0] == begin and sum(ends[-1]) == end
    assert all(sum(a) == b[0] for a, b in itertools.pairwise(ends))
    wanted = old.copy()
    wanted[:, :5] += 0.25 * old[:, 5:]
    np.testing.assert_allclose(arena.all(), wanted, rtol=1e-14)
    np.testing.assert_array_equal(arena.outside(), outside)
    run(program)  # what the first run left is what the second one meets
    wanted[:, :5] += 0.25 * old[:, 5:]
    np.testing.assert_allclose(arena.all(), wanted, rtol=1e-14)


def test_a_memory_of_which_little_is_read_is_not_copied(
    boxes: Any, adopt: Adopt, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena, out = Arena(SIZES, 60, first=True), Arena(SIZES, 5, value=-7.0)
    arrays = {"box_five": binding(arena, 31, 35), "box_rate": binding(out)}
    adopt(arrays.values())
    monkeypatch.setattr(boxes.device.api, "copy_async", None)  # asked of nobody
    run(start(boxes, "boxScale", arrays))
    five = arena.all()[:, 30:35]
    np.testing.assert_allclose(out.all(), five + np.roll(five, -1, -1), rtol=1e-15)
    assert (out.outside() == -7.0).all()


@pytest.mark.parametrize("refused", [False, True])
def test_the_cpu_packs_what_cannot_be_page_locked(
    boxes: Any, refused: bool, adopt: Adopt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neighbours, a mask, an array that is rewritten; the next run finds new values."""
    if refused:
        monkeypatch.setattr(boxes.device.api, "lock", lambda *_: False)
    n, m = Arena(SIZES, dtype="int32"), Arena(SIZES, 2, first=True, dtype="int32")
    total, twice = (
        Arena(SIZES, dtype="float64", value=-7.0),
        Arena(SIZES, 2, dtype="int32", value=-7),
    )
    blank = Arena(SIZES, dtype="int32", value=0)
    blank.memory[...] = np.random.default_rng(4).integers(0, 2, len(blank.memory))
    arrays = {"box_n": binding(n), "box_m": binding(m), "box_sum": binding(total),
              "box_twice": binding(twice), "iblank": binding(blank)}  # fmt: skip
    adopt(arrays.values())
    plan = Catalogue.installed().single("boxCount", 1).masked("iblank")
    program = boxes.program(plan, arrays)
    counts = blank.all()[:, 0] != 0
    for _ in range(2):
        run(program)
        assert program.on_host == refused
        sums = (n.all() + n.all(0, -1, 0))[:, 0]
        np.testing.assert_array_equal(total.all()[:, 0], np.where(counts, sums, -7))
        pairs = m.all() + m.all(0, 0, 1)
        np.testing.assert_array_equal(twice.all(), np.where(counts[:, None], pairs, -7))
        assert (total.outside() == -7.0).all() and (twice.outside() == -7).all()
        n.memory += 3
    five, dt = Arena(SIZES, 5), Arena(SIZES, 5, seed=2)
    arrays = {"box_five": binding(five), "box_rate": binding(dt)}
    old = five.all().copy()
    adopt(arrays.values())
    run(start(boxes, "boxUpdate", {**arrays, "box_rdx": constant(0.5, arrays["box_five"])}))
    np.testing.assert_allclose(five.all(), old + 0.5 * dt.all(), rtol=1e-14)


def test_another_output_in_place_of_an_input(boxes: Any) -> None:
    """On the device: a point is read to the end before it is written."""
    arena = Arena(SIZES, 5)
    view = boxes.allocate(1, arena.memory.size, "float64")
    boxes.synchronize()
    boxes.device.allocator.put(view.address, arena.memory)
    five = replace(binding(arena), address=view.address, owner=view)
    run(start(boxes, "boxScale", {"box_five": five, "box_rate": five}))
    old = arena.all().copy()
    arena.memory[...] = view.get()[0]
    np.testing.assert_allclose(arena.all(), old + np.roll(old, -1, -1), rtol=1e-15)


@pytest.mark.parametrize("refused", [False, True])
def test_neighbours_of_what_is_written(
    boxes: Any, refused: bool, adopt: Adopt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An image has the old values; memory that the CPU packs has one place for both."""
    if refused:
        monkeypatch.setattr(boxes.device.api, "lock", lambda *_: False)
    u, p = Arena(SIZES, 3), Arena(SIZES, layers=((2, 2), (0, 0), (0, 0)), seed=2)
    arrays = {"box_u": binding(u), "box_p": binding(p)}
    adopt(arrays.values())
    plan = replace(boxcases.gradient_plan(), outputs={"box_u": 3})
    program = boxes.program(plan, {**arrays, "box_rdx": constant(0.5, arrays["box_u"])})
    if refused:
        with pytest.raises(ArgumentError, match="box_u: got an array of the host that boxed wr"):
            run(program)
        return
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    wanted = [
        0.5 * (u.all(*at)[:, n] - u.all(*(-d for d in at))[:, n]) for n, at in enumerate(axes)
    ]
    outside = u.outside().copy()
    run(program)
    np.testing.assert_allclose(u.all(), np.stack(wanted, axis=1), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(u.outside(), outside)


def test_blocks_that_differ_and_parts_are_refused(boxes: Any) -> None:
    five, rate = Arena(SIZES, 5), Arena(SIZES[::-1], 5)
    arrays = {"box_five": binding(five), "box_rate": binding(rate)}
    with pytest.raises(ArgumentError, match="box_rate: got points in other blocks"):
        start(boxes, "boxScale", arrays)
    arrays["box_rate"] = binding(Arena(SIZES, 5))
    with pytest.raises(ArgumentError, match="they are those of many blocks"):
        start(boxes, "boxScale", arrays).run(3, 5)


def test_a_change_of_a_number_leaves_the_table(
    boxes: Any, adopt: Adopt, monkeypatch: pytest.MonkeyPatch
) -> None:
    five, rate = Arena(SIZES, 5), Arena(SIZES, 5, seed=2)
    arrays = {"box_five": binding(five), "box_rate": binding(rate)}
    adopt(arrays.values())
    number = np.array([0.5])
    program = start(
        boxes, "boxUpdate", {**arrays, "box_rdx": arrays["box_five"].everywhere(number)}
    )
    old = five.all().copy()
    run(program)
    number[0] = 0.25
    allocator, sizes = boxes.device.allocator, []
    put = allocator.put

    def noted(address: int, values: np.ndarray) -> None:
        sizes.append(values.nbytes)
        put(address, values)

    monkeypatch.setattr(allocator, "put", noted)
    run(program)
    np.testing.assert_allclose(five.all(), old + 0.75 * rate.all(), rtol=0, atol=1e-14)
    assert max(sizes, default=0) <= 8, "the number alone goes to the device"


# ---- page locks ---------------------------------------------------------------------------------


def test_arrays_of_one_memory_are_locked_once(boxes: Any) -> None:
    """At their first run, all together; bound again, their pages may be others and are locked
    anew, once."""
    api = boxes.device.api
    arena, out = Arena(SIZES * 20, 5, first=True), Arena(SIZES * 20, 5, value=0.0)
    for turn in (1, 2):
        fives = [binding(arena, n, n) for n in range(1, 6)]
        for one in fives:
            boxes.adopt(one)
        results = binding(out)
        boxes.adopt(results)
        assert not api.locked
        arrays = {"box_five": binding(arena), "box_rate": results}
        run(start(boxes, "boxScale", arrays))
        assert len(api.locked) <= 2 and len(api.locks) <= 2 * turn
        for one in (*fives, results):
            boxes.release(one)
        assert not api.locked


def test_what_is_expected_is_locked_when_it_is_needed(gpu: Any) -> None:
    locks = PageLocks(gpu.device.api)
    assert locks.add(0, 4096)
    locks.expect(4096, 9000)
    assert not locks.covers(4096, 9000) and locks.covers(0, 4096)
    locks.settle()
    assert locks.covers(4096, 9000)
    locks.expect(0, 100)  # perhaps other pages at the same place
    assert not locks.covers(0, 4096)
    locks.settle()
    assert locks.covers(0, 4096) and locks.covers(4096, 9000)
    locks.remove(4096, 9000)
    locks.remove(0, 100)
    locks.expect(8, 8)
    locks.settle()
    assert locks.covers(0, 4096) and not locks.covers(4096, 9000)
    locks.close()


# ---- the text -----------------------------------------------------------------------------------


@pytest.mark.parametrize("arch", precompile.ARCHITECTURES)
def test_no_spill_and_no_stack(
    pack: Path, tmp_path_factory: pytest.TempPathFactory, arch: str
) -> None:
    try:
        compiler.find()
    except DeviceError as error:
        pytest.skip(str(error))
    catalogue = boxcases.catalogue(pack)
    plan = boxcases.gradient_plan()
    named = ("box_u", "box_p", "box_gradient", "box_largest")
    access = {name: Access("float64") for name in named} | {
        "box_rdx": Access("float64", constant=True)
    }
    numbers = {"box_u": 0, "box_p": 0, "box_gradient": 1, "box_largest": 1}
    form = BlockForm(
        access, numbers, ((1, None, None),) * 2, False, frozenset({"box_p"}), frozenset()
    )
    where, policy = precompile.layout(4), policy_of(plan, catalogue, REGISTERS, Walk())
    one = generate_box(plan, catalogue, where, form, policy, Walk(), arch, BlockWriter)
    place = tmp_path_factory.mktemp("cuda")
    (used,) = cache.compiled(one.text, arch, headers=one.headers, place=place).resources
    assert used.kernel == "box_boxed" and used.registers <= 96
    assert used.spill_stores == used.spill_loads == used.stack == 0


def test_an_array_of_one_block_has_no_part(boxes: Any) -> None:
    five, rate = Arena(SIZES, 5), np.zeros((7, 1, 1, 5), order="F")
    flat = Binding(rate.ctypes.data, Box.flat(7, 7), 5, owner=rate, group="blocks")
    with pytest.raises(ArgumentError, match="box_rate"):
        start(boxes, "boxScale", {"box_five": binding(five), "box_rate": flat})
