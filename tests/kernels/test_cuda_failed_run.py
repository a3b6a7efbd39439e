"""What a run leaves behind that failed half way, on a stand-in device."""

from __future__ import annotations

import numpy as np
import pytest
from kernels.test_cuda_backend import CATALOGUE, NS, SPECIES, folder, fringed, gpu, make  # noqa: F401
from standin import StandIn

from bridge.errors import DeviceError
from bridge.shared import SharedData
from bridge.species import SpeciesData


@pytest.mark.parametrize("way", ["issued", "recorded", "replayed"])
def test_a_kept_input_is_read_anew_after_a_run_that_failed(gpu, way, monkeypatch):  # noqa: F811
    """The store holds parts of two contents then: the next run that is told that the array has not
    changed since must not take it for the array."""
    monkeypatch.setenv("BRIDGE_GRAPH", "0" if way == "issued" else "1")
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    _, source, leading = fringed((7, 5, 4), ((1, 1),) * 3, NS - 1, "last", 1)
    _, target, whole = fringed((7, 5, 4), ((1, 1),) * 3, NS, "last", 2)
    for binding in (source, target):
        gpu.adopt(binding)
    program = gpu.program(plan, {"Y_leading": source, "Y": target})
    for said in [True, *([False] * (way == "replayed"))]:  # the second of a kind is recorded
        program.run_box(140, 40, ("Y_leading",) if said else ())
    api, launched = gpu.api, []

    def second_launch_fails(*arguments):
        launched.append(arguments)
        if len(launched) == 2:
            raise api.errors[0]("the second launch")
        StandIn.launch(api, *arguments)

    def half_a_graph(graph, stream):
        actions = api._graphs[graph]
        for action in actions[: len(actions) // 2]:
            action()
        raise api.errors[0]("half of the graph")

    leading[...] = np.random.default_rng(5).random(leading.shape)
    with monkeypatch.context() as patch:
        if way == "replayed":
            patch.setattr(api, "graph_launch", half_a_graph)
        else:
            patch.setattr(api, "launch", second_launch_fails)
        with pytest.raises(DeviceError, match="the second launch|half of the graph"):
            program.run_box(140, 40)
    for said in (True, True, False, True):
        whole[...] = -1.0
        program.run_box(140, 40, ("Y_leading",) if said else ())
        np.testing.assert_array_equal(whole[..., :-1], leading)
