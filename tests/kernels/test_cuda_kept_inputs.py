"""Inputs that stay on a stand-in device because the caller says that they do not change: by every
transfer, and after a run that failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.cuda_cases import CATALOGUE, NS, SPECIES, fringed
from standin import StandIn

from bridge.backends.base import Binding
from bridge.backends.gpu import chunks
from bridge.backends.gpu.program import GpuProgram
from bridge.errors import DeviceError
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData


def completing(
    gpu: Any, shape: tuple[int, int, int] = (7, 5, 4), fringe: int = 1, layout: str = "last"
) -> tuple[GpuProgram, np.ndarray, np.ndarray, dict[str, Binding]]:
    """A plan that completes mass fractions between bound fringe arrays: its program, the interiors
    of input and output, the bindings by name."""
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    _, source, leading = fringed(shape, ((fringe, fringe),) * 3, NS - 1, layout, 1)
    _, target, whole = fringed(shape, ((fringe, fringe),) * 3, NS, layout, 2)
    bindings = {"Y_leading": source, "Y": target}
    for binding in bindings.values():
        gpu.adopt(binding)
    return gpu.program(plan, bindings), leading, whole, bindings


@pytest.mark.parametrize("graphs", ["0", "1"])
@pytest.mark.parametrize("layout", ["last", "first"])
def test_inputs_that_have_not_changed_are_not_copied(
    gpu: Any, layout: str, graphs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept from the first saying on, used from the second; every run without it refreshes."""
    monkeypatch.setenv("BRIDGE_GRAPH", graphs)
    program, leading, whole, bindings = completing(gpu, layout=layout)
    copies = []
    for said in (1, 1, 1, 0, 1, 0, 0, 1):
        if not said:
            leading[...] = np.random.default_rng(7).random(leading.shape)
        whole[...] = -1.0
        gpu.device.api.calls.clear()
        chunks = program.run_box(140, 40, ("Y_leading",) if said else ())
        np.testing.assert_array_equal(whole[..., :-1], leading)
        copies.append(sum(call.startswith("copy") for call in gpu.device.api.calls))
    if graphs == "0":  # one copy of a chunk in, one out
        both, out = 2 * chunks, chunks
        assert copies == [both, out, out, both, out, both, both, out]
    for binding in bindings.values():
        gpu.release(binding)
    assert not len(gpu.device.kept_inputs)


def test_no_memory_to_keep_an_input(make: Callable[..., Any]) -> None:
    """It is copied at every run then, and the results are the same."""
    program, leading, whole, _ = completing(make(memory=40_000), (12, 10, 10), 0)
    for _ in range(3):
        leading[...] = np.random.default_rng(7).random(leading.shape)
        program.run_box(1200, 120, ("Y_leading",))
        np.testing.assert_array_equal(whole[..., :-1], leading)


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("said", [(1, 1, 1, 0, 1), (0, 1, 1, 0, 0, 1)])
def test_ordinary_memory_is_kept_too(
    gpu: Any, layout: str, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system locks nothing: the CPU packs what is kept. A second program of the same arrays
    finds it there at its first run."""
    monkeypatch.setattr(gpu.device.api, "lock", lambda *_: False)
    program, leading, whole, bindings = completing(gpu, layout=layout)
    copies = []

    def run(program: Any, said: Any) -> None:
        if not said:
            leading[...] = np.random.default_rng(7).random(leading.shape)
        whole[...] = -1.0
        gpu.device.api.calls.clear()
        chunks = program.run_box(140, 40, ("Y_leading",) if said else ())
        np.testing.assert_array_equal(whole[..., :-1], leading)
        copies.append(sum(call.startswith("copy") for call in gpu.device.api.calls) // chunks)

    for one in said:
        run(program, one)
    second = gpu.program(program.plan, bindings)
    for one in (True, False, True):
        run(second, one)
    assert copies[-4:] == [1, 1, 2, 1]  # out alone where the input is kept


@pytest.mark.parametrize("mode", ["issued", "recorded", "replayed"])
def test_a_kept_input_is_read_anew_after_a_run_that_failed(
    gpu: Any, mode: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept holds parts of two contents then: the next run that is told that the array has
    not changed since must not take it for the array."""
    monkeypatch.setenv("BRIDGE_GRAPH", "0" if mode == "issued" else "1")
    program, leading, whole, _ = completing(gpu)
    for said in [True, *([False] * (mode == "replayed"))]:  # the second of a kind is recorded
        program.run_box(140, 40, ("Y_leading",) if said else ())
    api, launched = gpu.device.api, []

    def second_launch_fails(*arguments: Any) -> None:
        launched.append(arguments)
        if len(launched) == 2:
            raise api.errors[0]("the second launch")
        StandIn.launch(api, *arguments)

    def half_a_graph(graph: Any, stream: Any) -> None:
        actions = api._graphs[graph]
        for action in actions[: len(actions) // 2]:
            action()
        raise api.errors[0]("half of the graph")

    leading[...] = np.random.default_rng(5).random(leading.shape)
    with monkeypatch.context() as patch:
        if mode == "replayed":
            patch.setattr(api, "graph_launch", half_a_graph)
        else:
            patch.setattr(api, "launch", second_launch_fails)
        with pytest.raises(DeviceError, match="the second launch|half of the graph"):
            program.run_box(140, 40)
    for said in (True, True, False, True):
        whole[...] = -1.0
        program.run_box(140, 40, ("Y_leading",) if said else ())
        np.testing.assert_array_equal(whole[..., :-1], leading)


def test_chunks_follow_what_moves_and_who_shares(
    gpu: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NS columns come out for NS-1 that go in; for none where they are kept; ranks that share the
    GPU cut evenly."""
    program, leading, whole, _ = completing(gpu)
    ratios = []

    def cut(extent: Any, chunk: Any, ratio: Any) -> Any:
        ratios.append(ratio)
        return chunks.cut(extent, chunk, ratio)

    monkeypatch.setattr("bridge.backends.gpu.program.cut", cut)
    program.run_box(140, 140)
    program.run_box(140, 140, ("Y_leading",))
    gpu.device.sharers = 2
    program.run_box(140, 140)
    assert ratios == [NS / (NS - 1), float("inf"), None]
    np.testing.assert_array_equal(whole[..., :-1], leading)
