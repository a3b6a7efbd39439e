"""On a CPU a result has the same bits whatever is asked for beside it, per instruction set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import bridge
from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.host import library
from bridge.measuring.states import States, random_states
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan.catalogue import Catalogue
from bridge.plan.declarations import Composite

N = 67
COMPOSITES = [
    composite
    for composite in Catalogue.shipped().composites.values()
    if composite.name
    in (
        *("eosThermalAndViscousProperties", "eosGammaJacobianProperties", "prEOSCalcTFromHP"),
        *("prEOSCalcTFromSP", "prEOSCalcTFromRhoP", "eosThermalFromRhoE"),
    )
]


def results(
    backend: CpuBackend, composite: Composite, states: States, outputs: Sequence[str]
) -> dict[str, np.ndarray]:
    """Some outputs of a composite at the states, from views into views."""
    catalogue, ns = Catalogue.shipped(), states.ns
    plan = catalogue.composite_plan(composite, ns, outputs=outputs)
    given = {
        "T": states.T, "P": states.P, "Y": states.Y.T, "T0": np.full(N, 400.0), "Vref": 30.0,
        "velocity": np.ones((3, N)), "h_target": np.linspace(-4e5, 6e5, N),
        "s_target": np.linspace(4e3, 9e3, N), "rho_target": np.linspace(1.0, 300.0, N),
        "e_target": np.linspace(-4e5, 6e5, N),
    }  # fmt: skip
    arrays = {}
    bindings: dict[str, Binding] = {}
    for name in {*plan.inputs, *plan.outputs}:
        dtype = catalogue.quantity(name).dtype
        array = backend.allocate(catalogue.columns(name, ns), N, dtype)
        if name in plan.inputs:
            array[...] = given[name]
        box = Box.flat(N, array.strides[0] // array.itemsize)
        bindings[name] = Binding(array.address, box, len(array), dtype=dtype, owner=array)
        arrays[name] = array
    backend.program(plan, bindings).run(0, N)
    return {name: np.array(arrays[name]) for name in outputs}


@pytest.mark.parametrize("isa", library.ISAS)
@pytest.mark.parametrize("ns", [1, 5])
@pytest.mark.parametrize("composite", COMPOSITES, ids=lambda c: c.name)
def test_each_output_alone_and_beside_all(isa: str, ns: int, composite: Composite) -> None:
    if isa not in library.available():
        pytest.skip(f"this CPU does not run {isa}")
    backend, states = CpuBackend(1, isa), random_states(ns, N)
    backend.set_shared(SharedData(states.species, Options()))
    together = results(backend, composite, states, composite.outputs)
    assert all(np.isfinite(array).any() for array in together.values())
    for name in composite.outputs:
        alone = results(backend, composite, states, [name])[name]
        if name == "status":  # the others are of the kernels that run
            alone, together[name] = alone & 0xFF, together[name] & 0xFF
        assert alone.tobytes() == together[name].tobytes(), name


def test_what_kernels_store_on_the_way_changes_nothing() -> None:
    species, T, P, Y = "O2 CH4 H2O", np.linspace(200.0, 900.0, N), 8e6, [0.7, 0.25, 0.05]
    inside = ("Yc", "u_i", "G_i", "cp0_i", "h0_i", "S_i", "E", "eta0", "D0_ij")
    wanted = ("rho", "h", "cp", "c", "eta", "lambda", "D_im", "h_Yi")
    alone = bridge.evaluate(species, T, P, Y, wanted, backend="cpu")
    beside = bridge.evaluate(species, T, P, Y, (*wanted, *inside), backend="cpu")
    for name in wanted:
        assert alone[name].tobytes() == beside[name].tobytes(), name
