"""Inputs that stay on a stand-in device, whichever way their memory is reached."""

from __future__ import annotations

import numpy as np
import pytest
from kernels.test_cuda_backend import CATALOGUE, NS, SPECIES, folder, fringed, gpu, make  # noqa: F401

from bridge.shared import SharedData
from bridge.species import SpeciesData


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("said", [(1, 1, 1, 0, 1), (0, 1, 1, 0, 0, 1)])
def test_ordinary_memory_is_kept_too(gpu, layout, said, monkeypatch):  # noqa: F811
    """The system locks nothing: the CPU packs what goes into a store. A second program of the
    same arrays finds the store there at its first run."""
    monkeypatch.setattr(gpu.api, "lock", lambda *_: False)
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    _, source, leading = fringed((7, 5, 4), ((1, 1),) * 3, NS - 1, layout, 1)
    _, target, whole = fringed((7, 5, 4), ((1, 1),) * 3, NS, layout, 2)
    for binding in (source, target):
        gpu.adopt(binding)
    bindings = {"Y_leading": source, "Y": target}
    program, copies = gpu.program(plan, bindings), []

    def run(program, said):
        if not said:
            leading[...] = np.random.default_rng().random(leading.shape)
        whole[...] = -1.0
        gpu.api.calls.clear()
        chunks = program.run_box(140, 40, ("Y_leading",) if said else ())
        np.testing.assert_array_equal(whole[..., :-1], leading)
        copies.append(sum(call.startswith("copy") for call in gpu.api.calls) // chunks)

    for one in said:
        run(program, one)
    second = gpu.program(plan, bindings)
    for one in (True, False, True):
        run(second, one)
    assert copies[-4:] == [1, 1, 2, 1]  # out alone where the input is kept
