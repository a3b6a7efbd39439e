"""The CUDA backend on a stand-in device: the sources that NVRTC gets, compiled by g++, against the
CPU; kernels one by one and as graphs; what fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.cuda_cases import CATALOGUE, NS, SPECIES, N, plan_of, run, same, states
from standin import StandIn

import bridge
from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import bind
from bridge.backends.cuda import CudaBackend
from bridge.backends.gpu.launchsequence import GraphNode, schedule
from bridge.backends.gpu.policy import POLICIES
from bridge.errors import DeviceError, OutOfMemoryError
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

# ---- what is computed -----------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_composites_on_every_policy(gpu: Any, policy: str) -> None:
    gpu.device.policy = POLICIES[policy]
    shared, inputs = SharedData(SpeciesData.load(SPECIES)), states()
    plan = CATALOGUE.plan(
        (*CATALOGUE.composite("eosThermalAndViscousProperties").outputs, "Pkappa"),
        ("T", "P", "Y"),
        NS,
        name="everything",
    )
    same(run(gpu, plan, inputs, shared), run(CpuBackend(), plan, inputs, shared), inputs)


@pytest.mark.parametrize("name", ["eosGammaJacobianProperties", "eosCalcRhoh0FromTP"])
def test_composites_with_velocity(gpu: Any, name: str) -> None:
    shared, inputs = SharedData(SpeciesData.load(SPECIES)), states()
    plan = plan_of(name)
    same(run(gpu, plan, inputs, shared), run(CpuBackend(), plan, inputs, shared), inputs)


def test_temperature_from_enthalpy(gpu: Any) -> None:
    shared, inputs = SharedData(SpeciesData.load(SPECIES)), states()
    T, P, Y = (inputs[name] for name in ("T", "P", "Y"))
    inputs["h_target"] = bridge.evaluate(SPECIES, T, P, Y, ("h",), backend="cpu")["h"]
    inputs["h_target"][[3, 7]] = np.nan, 1e12
    plan = plan_of("prEOSCalcTFromHP")
    got, want = (run(b, plan, inputs, shared) for b in (gpu, CpuBackend()))
    assert np.isnan(got["T"][3]) and got["status"][7] != 0
    np.testing.assert_array_equal(got["status"], want["status"])
    sound = want["status"] == 0
    np.testing.assert_allclose(got["T"][sound], want["T"][sound], rtol=1e-11)


def test_fatal_points_and_neighbours(gpu: Any) -> None:
    shared, inputs = SharedData(SpeciesData.load(SPECIES)), states()
    plan = plan_of("eosThermalProperties")
    sound = run(gpu, plan, inputs, shared)
    inputs["T"][5], inputs["P"][9], inputs["Y"][12] = -1.0, np.nan, 0.0
    spoilt = run(gpu, plan, inputs, shared)
    want = run(CpuBackend(), plan, inputs, shared)
    np.testing.assert_array_equal(spoilt["status"], want["status"])
    rest = np.setdiff1d(np.arange(N), [5, 9, 12])
    np.testing.assert_array_equal(spoilt["rho"][rest], sound["rho"][rest])
    assert np.isnan(spoilt["rho"][[5, 9, 12]]).all()


@pytest.mark.parametrize("options", [
    {"prCross": "ABS", "thermoExtrap": "POLYNOMIAL"},
    {"chungDense": "PUBLISHED", "takaMode": "PAIRWISE", "massFraction": "MOLE_FORM"},
    {"rootPolicy": "SMALLEST", "omega22G": -6.435e-4},
    {"dilute": "KINETIC"},
    {"viscosity": "FRICTION", "override": "criticalViscosity=2e-5"},
])  # fmt: skip
def test_options(gpu: Any, options: dict[str, Any]) -> None:
    from bridge.physics.options import Options

    kij = np.full((NS, NS), 0.03)
    np.fill_diagonal(kij, 0.0)
    species = SpeciesData.resolve(SPECIES, kij=kij)
    shared, inputs = SharedData(species, Options.parse(options)), states(60)
    catalogue = CATALOGUE.with_options(Options.parse(options))
    plan = catalogue.composite_plan(catalogue.composite("eosThermalAndViscousProperties"), NS)
    same(run(gpu, plan, inputs, shared), run(CpuBackend(), plan, inputs, shared), inputs)


def test_many_species_have_tables_behind_pointers(gpu: Any) -> None:
    names = list(SpeciesData.load(None).names)[:53]
    shared, inputs = SharedData(SpeciesData.load(names)), states(20, 53)
    plan = plan_of("eosThermalAndViscousProperties", 53)
    gpu.set_shared(shared)
    assert gpu._shared.layout.pointers, "pair tables of 53 species do not fit constant memory"
    same(run(gpu, plan, inputs, shared), run(CpuBackend(), plan, inputs, shared), inputs)


def test_programs_keep_their_own_species(gpu: Any) -> None:
    plan, inputs = plan_of("eosRhohFromTPprop"), states(30)
    first = SharedData(SpeciesData.load(SPECIES))
    second = SharedData(SpeciesData.load(SPECIES[::-1]))
    programs, results = [], []
    for shared in (first, second):
        gpu.set_shared(shared)
        out = {name: np.zeros(30, CATALOGUE.quantity(name).dtype) for name in plan.outputs}
        arrays = {name: inputs[name] for name in plan.inputs} | out
        programs.append(gpu.program(plan, {name: bind(a) for name, a in arrays.items()}))
        results.append(out["rho"])
    for _ in range(2):
        for program, shared, rho in zip(programs, (first, second), results, strict=True):
            program.run(0, 30)
            want = run(CpuBackend(), plan, inputs, shared)["rho"]
            np.testing.assert_allclose(rho, want, rtol=1e-12)


def test_kernels_one_by_one_and_as_a_graph(gpu: Any) -> None:
    """The same numbers as the fused launch, bad points too; a graph from the second time on."""
    inputs, plan = states(64), plan_of("eosThermalAndViscousProperties")
    inputs["T"][5], inputs["P"][9], inputs["Y"][12] = -1.0, np.nan, 0.0
    shared = SharedData(SpeciesData.load(SPECIES))
    want = run(gpu, plan, inputs, shared)
    views = {
        name: gpu.allocate(CATALOGUE.columns(name, NS), 80, CATALOGUE.quantity(name).dtype)
        for name in (*plan.inputs, *plan.outputs)
    }
    bindings = {
        name: Binding(v.address, Box.flat(80, 80), v.shape[0], dtype=v.dtype.name, owner=v)
        for name, v in views.items()
    }
    for name in plan.inputs:
        gpu.pack(bind(np.asfortranarray(inputs[name])), 0, 64, views[name])
    kernels = [f"bridge_{name}" for name in plan.kernels()]
    recorded = {False: [kernels] * 3, True: [kernels, [*kernels, "graph"], ["graph"]]}
    for replay, expected in recorded.items():
        sequence = gpu.launch_sequence(plan, bindings, replay)
        for calls in expected:
            for name in plan.outputs:
                views[name][...] = 7
            gpu.device.api.calls.clear()
            sequence.run(0, 64)
            assert gpu.device.api.calls == calls
            for name in plan.outputs:
                out = np.zeros(want[name].shape, want[name].dtype, order="F")
                gpu.unpack(views[name], bind(out), 0, 64)
                np.testing.assert_allclose(out, want[name], rtol=1e-12, err_msg=name)


def test_a_graph_keeps_the_order_that_memory_asks_for() -> None:
    """Random readings and writings: whatever two steps share, the later follows the earlier."""
    random = np.random.default_rng(5)
    for _ in range(30):
        count, streams = int(random.integers(1, 30)), int(random.integers(1, 5))
        reads, writes = (
            [
                set(random.integers(0, 12, int(random.integers(0, 3))).tolist())
                for _ in range(count)
            ]
            for _ in range(2)
        )
        nodes = schedule(reads, writes, streams)
        before: list[set[int]] = []  # every step that precedes
        for step, node in enumerate(nodes):
            mine = {k for k in range(step) if nodes[k].stream == node.stream} | set(node.after)
            before.append(mine.union(*(before[k] for k in mine)))
            assert all(nodes[k].stream != node.stream for k in node.after)
            for k in range(step):
                if writes[k] & (reads[step] | writes[step]) or reads[k] & writes[step]:
                    assert k in before[step]
    assert schedule([set(), set()], [{1}, {2}], 2)[1] == GraphNode(1, ())


class Late(StandIn):
    """What a stream was asked to clear is cleared when somebody waits for the stream, as on a
    device that has other things to do first."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[tuple[int, int, int]] = []

    def clear(self, address: int, size: int, stream: int) -> None:
        self.waiting.append((address, size, stream))

    def stream_synchronize(self, stream: int) -> None:
        super().stream_synchronize(stream)
        for address, size, queued in self.waiting:
            if queued == stream:
                super().clear(address, size, stream)
        self.waiting = [one for one in self.waiting if one[2] != stream]


def test_a_new_view_is_cleared_before_it_is_filled() -> None:
    api: Any = Late()
    gpu = CudaBackend(api=api)
    view = gpu.allocate(2, 5, "float64")
    np.testing.assert_array_equal(view.get(), 0.0)
    view = gpu.allocate(2, 5, "float64")
    view[...] = 3.0
    gpu.synchronize()
    np.testing.assert_array_equal(view.get(), 3.0)


# ---- failures -------------------------------------------------------------------------------


def test_out_of_memory_says_what_helps(make: Callable[..., Any]) -> None:
    gpu = make(memory=1 << 20)
    with pytest.raises(OutOfMemoryError, match="asked for 4.6 MiB, .*lower MaxBlock"):
        gpu.allocate(6, 100_000, "float64")


def test_a_device_failure_names_the_launch_and_is_final(
    gpu: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, inputs, plan = (
        SharedData(SpeciesData.load(SPECIES)),
        states(8),
        plan_of("eosRhohFromTPprop"),
    )

    def broken(*_: Any) -> None:
        raise gpu.device.api.errors[0]("an illegal memory access was encountered")

    monkeypatch.setattr(gpu.device.api, "event_synchronize", broken)
    with pytest.raises(DeviceError, match="eosRhohFromTPprop failed on GPU 0 .*illegal memory"):
        run(gpu, plan, inputs, shared)
    gpu.allocate(1, 1, "float64")  # the device still answers
    monkeypatch.setattr(gpu.device.api, "synchronize", broken)
    with pytest.raises(DeviceError, match="eosRhohFromTPprop.*illegal memory access"):
        run(gpu, plan, inputs, shared)
    with pytest.raises(DeviceError, match="failed before"):
        gpu.allocate(1, 1, "float64")


def test_memory_is_given_back(make: Callable[..., Any]) -> None:
    gpu = make()
    shared, inputs, plan = (
        SharedData(SpeciesData.load(SPECIES)),
        states(8),
        plan_of("eosRhohFromTPprop"),
    )
    run(gpu, plan, inputs, shared)
    run(gpu, plan, inputs, shared, whole=3)
    gpu.close()
    assert gpu.device.api.used == 0 and not gpu.device.api.pinned and not gpu.device.api.locked
    assert not any(gpu.device.api.streams)
    gpu.close()  # once is enough
