"""Memory of the CUDA backend on a stand-in device: page locks of arrays that share pages, several
threads, values at all points."""

from __future__ import annotations

from threading import Thread
from typing import Any

import numpy as np
import pytest
from kernels.cuda_cases import (
    CATALOGUE,
    NS,
    SPECIES,
    fringed,
    plan_of,
    states,
)
from standin import StandIn

from bridge.backends.base import Binding
from bridge.backends.gpu.memory import Allocator
from bridge.backends.gpu.pagelocks import PAGE, PageLocks
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

# ---- page locks -----------------------------------------------------------------------------


class Refusing(StandIn):
    """A system that locks no range longer than `most` bytes."""

    most = 1 << 60

    def lock(self, address: Any, size: Any) -> Any:
        return size <= self.most and super().lock(address, size)


@pytest.fixture
def api() -> Any:
    return Refusing()


def pages(first: int, end: int) -> tuple[int, int]:
    return first * PAGE + 8, end * PAGE - 8


A, B = pages(0, 3), pages(2, 6)  # they share page 2


def test_an_array_stays_locked_when_its_neighbours_pages_are_locked_anew(api: Any) -> None:
    """What was locked with it is unbound, and another array is bound there."""
    locks = PageLocks(api)
    assert locks.add(*A) and locks.add(*B)
    locks.remove(*B)
    assert locks.add(*pages(4, 5))
    assert locks.covers(*A) and locks.covers(*pages(4, 5))
    assert api.locked == {0: 3 * PAGE, 4 * PAGE: PAGE}
    locks.remove(*A)
    assert api.locked == {4 * PAGE: PAGE}
    locks.remove(*pages(4, 5))
    assert not api.locked


def test_what_was_locked_is_locked_again_where_the_system_refuses_more(api: Any) -> None:
    locks = PageLocks(api)
    assert locks.add(*A)
    api.most = 4 * PAGE
    generation = locks.generation
    assert not locks.add(*B)
    assert locks.covers(*A) and not locks.covers(*B)
    assert locks.generation != generation  # its pages were unlocked in between
    assert locks.add(*pages(5, 8)), "pages of an array that is not locked are nobody's"
    locks.remove(*B)
    assert locks.covers(*A) and locks.covers(*pages(5, 8))
    locks.remove(*A)
    locks.remove(*pages(5, 8))
    assert not api.locked


def test_an_array_bound_twice_is_locked_until_both_are_unbound(api: Any) -> None:
    locks = PageLocks(api)
    assert locks.add(*A) and locks.add(*A)
    locks.remove(*A)
    assert locks.covers(*A)
    locks.remove(*A)
    assert not api.locked


def test_memory_that_stays_is_not_locked_anew(api: Any) -> None:
    """Parts of it are bound and unbound; when it does not stay any more they are as all others."""
    locks = PageLocks(api)
    assert locks.add(*pages(0, 8), stays=True)
    generation = locks.generation
    for part in (A, B, pages(5, 8)):
        assert locks.add(*part)
        locks.remove(*part)
    locks.expect(*B)
    locks.settle()
    assert locks.generation == generation and api.locked == {0: 8 * PAGE}
    assert locks.add(*pages(7, 9)) and locks.generation != generation, "more than what stays"
    locks.remove(*pages(7, 9))
    locks.remove(*pages(0, 8), stays=True)
    assert locks.covers(*B)
    generation = locks.generation
    assert locks.add(*B) and locks.generation != generation
    locks.remove(*B)
    locks.remove(*B)
    assert not api.locked


def test_an_empty_range_locks_and_unlocks_nothing(api: Any) -> None:
    locks = PageLocks(api)
    assert locks.add(8, PAGE - 8)
    assert not locks.add(16, 16)
    locks.remove(16, 16)
    assert locks.covers(8, PAGE - 8)
    assert not locks.covers(16, 16)


def test_random_binds_and_unbinds_keep_what_is_bound_locked(api: Any) -> None:
    """Nothing that is bound loses its lock where the system refuses none, and where it refuses
    some, nothing is believed to be locked that is not."""
    random = np.random.default_rng(3)
    for most in (1 << 60, 5 * PAGE):
        api.most = most
        locks = PageLocks(api)
        bound: list[Any] = []
        for _ in range(3000):
            if bound and random.random() < 0.5:
                locks.remove(*bound.pop(random.integers(len(bound))))
            else:
                first, size = int(random.integers(40 * PAGE)), int(random.integers(1, 3 * PAGE))
                locks.add(first, first + size)
                bound.append((first, first + size))
            covered = [locks.covers(*one) for one in bound]
            assert most < 1 << 60 or all(covered)
            for (low, high), yes in zip(bound, covered, strict=True):
                inside = any(a <= low and high <= a + n for a, n in api.locked.items())
                assert yes == inside
        for one in bound:
            locks.remove(*one)
        assert not api.locked


@pytest.mark.parametrize("layout", ["last", "first", "part of first"])
@pytest.mark.parametrize("order", ["whole", "points"])
def test_a_program_notices_that_its_memory_is_no_longer_locked(
    gpu: Any, layout: str, order: Any
) -> None:
    """The CPU packs from then on: copy engines and kernels meet locked memory alone."""
    shared, inputs, plan = (
        SharedData(SpeciesData.load(SPECIES)),
        states(140),
        plan_of("eosRhohFromTPprop"),
    )
    gpu.set_shared(shared)
    side = "last" if layout == "last" else "first"
    bindings, views = {}, {}
    for seed, name in enumerate((*plan.inputs, *plan.outputs)):
        columns = CATALOGUE.columns(name, NS)
        width = 9 * columns if layout == "part of first" else columns
        _, whole, values = fringed((7, 5, 4), ((1, 1),) * 3, width, side, seed)
        views[name] = values[..., :columns]
        bindings[name] = Binding(whole.address, whole.box, columns, owner=whole.owner)
        if name in plan.inputs:
            views[name][...] = inputs[name].reshape((7, 5, 4, -1), order="F")
        gpu.adopt(bindings[name])

    def reached(low: Any, size: Any) -> None:
        assert any(a <= low and low + size <= a + n for a, n in gpu.device.api.locked.items())

    launch = gpu.device.modules.launch_marshal

    def watched(name: Any, threads: Any, parameters: Any, stream: Any) -> None:
        far = parameters[0].value
        if not gpu.device.allocator.holds(far):
            reached(far, 8)
        launch(name, threads, parameters, stream)

    gpu.device.modules.launch_marshal = watched  # what gathers and scatters
    program = gpu.program(plan, bindings)
    results = []

    def run() -> None:
        for name in plan.outputs:
            views[name][...] = -1.0
        if order == "whole":
            program.run_box(140, 40)
        else:
            program.run(0, 140)
        results.append({name: views[name].copy() for name in plan.outputs})

    run()
    lost, address = ("Y", "rho"), {b.address for b in bindings.values()}
    for name in lost:
        gpu.release(bindings[name])
    assert len(gpu.device.api.locked) == len(address) - len(lost)

    run()
    run()
    for name in plan.outputs:
        assert np.isfinite(results[0][name]).all() and (results[0][name] != -1.0).all()
        for again in results[1:]:
            np.testing.assert_allclose(again[name], results[0][name], rtol=1e-14)


# ---- threads --------------------------------------------------------------------------------


def test_an_address_is_looked_up_while_another_thread_allocates(gpu: Any) -> None:
    class Between(int):
        """An address; what another thread does comes while it is compared."""

        def __gt__(self, other: Any) -> Any:
            made.append(gpu.device.allocator.device(64, "what another thread needs"))
            return super().__gt__(other)

    made: list[int] = []
    for address, held in ((36, True), (48, False), (9, True)):
        gpu.device.allocator._spans = [(Between(8), 16), (Between(32), 40)]
        assert gpu.device.allocator.holds(address) == held
    assert len(made) >= 3
    assert all(map(gpu.device.allocator.holds, made))


def test_a_finalizer_gives_memory_back_while_other_memory_is_taken(api: Any) -> None:
    """The garbage collector runs wherever it likes, in the thread that keeps the list too."""
    allocator = Allocator(api)
    gone = allocator.device(64, "gone")

    class Collected(dict[int, int]):
        def copy(self) -> Collected:
            held = Collected(self)
            allocator.free(gone)
            return held

    allocator._device = Collected(allocator._device)
    found: list[int] = []
    thread = Thread(target=lambda: found.append(allocator.device(64, "new")), daemon=True)
    thread.start()
    thread.join(20.0)
    assert not thread.is_alive(), "it waits for itself"
    assert allocator.holds(found[0]) and not allocator.holds(gone)


def test_per_run_data_wait_for_what_another_thread_does(
    gpu: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Device memory is taken and given back by one thread at a time."""
    free, real = [], gpu.device.api.malloc

    def malloc(size: Any) -> Any:
        def look() -> None:
            with gpu.device.lock:
                pass

        thread = Thread(target=look)
        thread.start()
        thread.join(0.02)
        free.append(not thread.is_alive())
        return real(size)

    monkeypatch.setattr(gpu.device.api, "malloc", malloc)
    names = list(SpeciesData.load(None).names)[:53]
    gpu.set_shared(SharedData(SpeciesData.load(names)))
    assert free and not any(free)


# ---- values at all points -------------------------------------------------------------------


@pytest.mark.parametrize("value", [float("nan"), float("-nan"), -0.0, 300.0])
def test_a_value_at_all_points_is_put_there_once(gpu: Any, value: Any) -> None:
    gpu.device.pool.constant(0.0, "float64", 10)
    address = gpu.device.pool.constant(value, "float64", 10)
    found = np.empty(10)
    gpu.device.allocator.get(address, found)
    np.testing.assert_array_equal(found, np.full(10, value))
    assert np.array_equal(np.signbit(found), np.full(10, np.signbit(value)))
    count = gpu.allocations()
    for points in (10, 8):
        assert gpu.device.pool.constant(float(np.float64(value)), "float64", points) == address
    assert gpu.allocations() == count
