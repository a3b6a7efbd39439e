"""The CUDA backend on a stand-in device: the sources that NVRTC gets, compiled by g++, and every
transfer by which arrays reach them."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from kernels.measure import R, gas, worst
from standin import StandIn

import bridge
from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import bind
from bridge.backends.cuda import CudaBackend, cache
from bridge.backends.gpu.launchsequence import GraphNode, schedule
from bridge.backends.gpu.policy import POLICIES
from bridge.errors import ArgumentError, DeviceError, OutOfMemoryError
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

CATALOGUE = Catalogue.shipped()
SPECIES = "O2 CH4 CO2 H2O CO N2".split()
NS = len(SPECIES)
N = 150


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    return tmp_path_factory.mktemp("standin")


@pytest.fixture
def make(folder, monkeypatch):
    """CudaBackend on a stand-in; arguments are the stand-in's and the backend's."""

    def make(memory=1 << 30, devices=1, **named):
        api = StandIn(folder, devices, memory)
        monkeypatch.setattr(cache, "compiled", api.compile)
        return CudaBackend(api=api, **named)

    return make


@pytest.fixture
def gpu(make):
    return make()


def states(n=N, ns=NS):
    T, P, Y = gas(n, ns)
    random = np.random.default_rng(3)
    return {
        "T": T, "P": P, "Y": Y, "velocity": random.normal(0.0, 100.0, (n, 3)),
        "Vref": np.full(n, 1.0), "T0": np.full(n, 300.0),
    }  # fmt: skip


def run(backend, plan, inputs, shared, whole=None):
    """Outputs of a plan on host arrays (n, columns) in Fortran order."""
    backend.set_shared(shared)
    n = len(inputs[next(iter(plan.inputs))])
    arrays = {name: np.asfortranarray(inputs[name]) for name in plan.inputs}
    for name in plan.outputs:
        if name not in arrays:
            columns = CATALOGUE.columns(name, shared.fields()["ns"])
            quantity = CATALOGUE.quantity(name)
            shape = (n,) if quantity.columns == "1" else (n, columns)
            arrays[name] = np.zeros(shape, quantity.dtype, order="F")
    bindings = {name: bind(array) for name, array in arrays.items()}
    if whole is None:
        backend.program(plan, bindings).run(0, n)
    else:
        for binding in bindings.values():
            backend.adopt(binding)
        backend.program(plan, bindings).run_box(n, whole)
        for binding in bindings.values():
            backend.release(binding)
    return {name: arrays[name] for name in plan.outputs}


def same(got, want, inputs):
    """CPU and GPU agree to 1e-12 in the measure of kernels/measure.py."""
    T = inputs["T"] if "T" in inputs else want["T"]
    W = want.get("W", np.full(len(T), 0.02))
    rho = want.get("rho", np.ones(len(T)))
    scales = {"h": R * T / W, "h0": R * T / W, "rhoh0": rho * R * T / W, "h_p": 1 / rho,
              "h_Yi": (R * T / 0.002)[:, None], "rho_Yi": (rho * 15)[:, None],
              "h_Yi_reduced": (R * T / 0.002)[:, None]}  # fmt: skip
    for name in want:
        if want[name].dtype == np.int32:
            np.testing.assert_array_equal(got[name], want[name], err_msg=name)
        else:
            condition = want.get("Pkappa", 1.0)
            assert worst(got[name], want[name], scales.get(name, 0.0), condition) < 1e-12, name


def plan_of(name, ns=NS, outputs=None):
    composite = CATALOGUE.composite(name)
    return CATALOGUE.plan(outputs or composite.outputs, composite.inputs, ns, name=name)


# ---- what is computed -----------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_composites_on_every_policy(gpu, policy):
    gpu.device.policy = POLICIES[policy]
    shared, inputs = SharedData(SpeciesData.load(SPECIES)), states()
    plan = CATALOGUE.plan(
        (*CATALOGUE.composite("eosThermalAndViscousProperties").outputs, "Pkappa"),
        ("T", "P", "Y"), NS, name="everything",
    )  # fmt: skip
    same(run(gpu, plan, inputs, shared), run(CpuBackend(), plan, inputs, shared), inputs)


@pytest.mark.parametrize("name", ["eosGammaJacobianProperties", "eosCalcRhoh0FromTP"])
def test_composites_with_velocity(gpu, name):
    shared, inputs = SharedData(SpeciesData.load(SPECIES)), states()
    plan = plan_of(name)
    same(run(gpu, plan, inputs, shared), run(CpuBackend(), plan, inputs, shared), inputs)


def test_temperature_from_enthalpy(gpu):
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


def test_fatal_points_and_neighbours(gpu):
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
])  # fmt: skip
def test_options(gpu, options):
    from bridge.physics.options import Options

    kij = np.full((NS, NS), 0.03)
    np.fill_diagonal(kij, 0.0)
    species = SpeciesData.resolve(SPECIES, kij=kij)
    shared, inputs = SharedData(species, Options.parse(options)), states(60)
    plan = plan_of("eosThermalAndViscousProperties")
    same(run(gpu, plan, inputs, shared), run(CpuBackend(), plan, inputs, shared), inputs)


def test_many_species_have_tables_behind_pointers(gpu):
    names = list(SpeciesData.load(None).names)[:53]
    shared, inputs = SharedData(SpeciesData.load(names)), states(20, 53)
    plan = plan_of("eosThermalAndViscousProperties", 53)
    gpu.set_shared(shared)
    assert gpu._shared.layout.pointers, "pair tables of 53 species do not fit constant memory"
    same(run(gpu, plan, inputs, shared), run(CpuBackend(), plan, inputs, shared), inputs)


def test_programs_keep_their_own_species(gpu):
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


# ---- the caller's arrays --------------------------------------------------------------------


def on_pages(shape):
    """A Fortran-ordered array that shares no page with another, as large arrays do not."""
    size = int(np.prod(shape))
    memory = np.zeros(size + 1024)
    skip = -memory.ctypes.data % 4096 // 8
    return memory[skip : skip + size].reshape(shape, order="F")


def fringed(shape, fringe, columns, layout, seed):
    """A 4-D array with fringes, its binding, and the interior as NumPy sees it."""
    full = [n + sum(f) for n, f in zip(shape, fringe, strict=True)]
    random = np.random.default_rng(seed)
    first = layout == "first"
    array = on_pages((columns, *full) if first else (*full, columns))
    array[...] = random.random(array.shape)
    inner = tuple(slice(f[0], f[0] + n) for n, f in zip(shape, fringe, strict=True))
    view = np.moveaxis(array[(slice(None), *inner)], 0, -1) if first else array[inner]
    strides = [s // 8 for s in view.strides]
    offset = (view.__array_interface__["data"][0] - array.ctypes.data) // 8
    box = Box(tuple(shape), tuple(strides[:3]), strides[3], offset)
    return array, Binding(array.ctypes.data, box, columns, owner=array), view


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("fringe", [((2, 1), (1, 3), (2, 2)), ((0, 0), (0, 0), (0, 0))])
def test_an_input_without_columns_is_not_moved(gpu, layout, fringe):
    """One species, of which an array has all mass fractions but the last: none."""
    gpu.set_shared(SharedData(SpeciesData.load(["O2"])))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], 1, status=False, name="complete")
    _, source, _ = fringed((7, 5, 4), fringe, 5, layout, 1)
    end = source.box.offset + 5 * source.box.data_stride  # behind the last column of Q
    source = replace(source, box=replace(source.box, offset=end))
    _, target, whole = fringed((7, 5, 4), fringe, 1, layout, 2)
    gpu.adopt(target)
    program = gpu.program(plan, {"Y_leading": replace(source, columns=0), "Y": target})
    for _ in range(3):  # as calls, captured, replayed
        whole[...] = -1.0
        gpu.device.api.calls.clear()
        program.run_box(140, 40, ["Y_leading"])
        assert (whole == 1.0).all()
    assert gpu.device.api.calls[0] == "graph"


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("chunk", [3, 8, 21, 40, 100, 1000])
@pytest.mark.parametrize("fringe", [((2, 1), (1, 3), (2, 2)), ((0, 0), (0, 0), (0, 0))])
def test_a_run_reads_and_writes_boxes(gpu, layout, locked, chunk, fringe):
    """completeMassFractions on fringe arrays: NumPy must agree bit for bit, fringes stay."""
    shape = (7, 5, 4)
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    _, source, leading = fringed(shape, fringe, NS - 1, layout, 1)
    array, target, whole = fringed(shape, fringe, NS, layout, 2)
    before = array.copy()
    for binding in (source, target):
        if locked:
            gpu.adopt(binding)
    program = gpu.program(plan, {"Y_leading": source, "Y": target})
    for _ in range(3):  # as calls, captured, replayed
        whole[...] = -1.0
        leading[...] = np.random.default_rng().random(leading.shape)
        chunks = program.run_box(140, chunk)
        assert chunks >= -(-140 // chunk)
        np.testing.assert_array_equal(whole[..., :-1], leading)
        assert np.abs(whole.sum(-1) - 1.0).max() < 1e-15
    if any(sum(f) for f in fringe):
        outside = np.ones(array.shape, bool)
        inner = tuple(slice(f[0], f[0] + n) for n, f in zip(shape, fringe, strict=True))
        outside[(slice(None), *inner) if layout == "first" else inner] = False
        np.testing.assert_array_equal(array[outside], before[outside])
    assert ("graph" in gpu.device.api.calls) == locked


@pytest.mark.parametrize("wide", [False, True])
def test_columns_of_component_first_records_share_a_copy(gpu, wide, monkeypatch):
    """All inputs come in one copy of a chunk; where little of a record is bound, and where only a
    part of it is written, points are fetched and put one by one and the rest is left alone."""
    monkeypatch.setenv("BRIDGE_GRAPH", "0")
    shape, fringe = (7, 5, 4), ((1, 1),) * 3
    shared, inputs, plan = SharedData(SpeciesData.load(SPECIES)), states(140), plan_of(
        "eosRhohFromTPprop"
    )  # fmt: skip
    gpu.set_shared(shared)
    width = 60 if wide else 5 + NS
    array, whole, values = fringed(shape, fringe, width, "first", 1)
    results, records, found = fringed(shape, fringe, 7, "first", 2)
    before, outside = array.copy(), results.copy()
    bindings = {}
    for name, first in (("P", 0), ("T", 4), ("Y", 5)):
        columns = CATALOGUE.columns(name, NS)
        values[..., first : first + columns] = inputs[name].reshape((*shape, -1), order="F")
        box = replace(whole.box, offset=whole.box.offset + first)
        bindings[name] = Binding(whole.address, box, columns)
    before[...] = array
    for column, name in enumerate(plan.outputs, start=2):
        box = replace(records.box, offset=records.box.offset + column)
        bindings[name] = Binding(records.address, box, 1)
    for binding in (whole, records):
        gpu.adopt(binding)
    program = gpu.program(plan, bindings)
    want = run(CpuBackend(), plan, inputs, shared)
    gpu.set_shared(shared)
    for _ in range(2):
        gpu.device.api.calls.clear()
        chunks = program.run_box(140, 40)
        copies = sum(call.startswith("copy") for call in gpu.device.api.calls)
        gathers = sum(call.startswith("gather") for call in gpu.device.api.calls)
        assert (copies, gathers) == (0 if wide else chunks, 3 * chunks)
        for column, name in enumerate(plan.outputs, start=2):
            got = found[..., column].ravel(order="F")
            np.testing.assert_allclose(got, want[name], rtol=1e-12, err_msg=name)
            found[..., column] = outside[column, 1:-1, 1:-1, 1:-1]
        np.testing.assert_array_equal(results, outside)
        np.testing.assert_array_equal(array, before)


def test_units_and_integers_in_real_arrays(gpu):
    shape, none = (6, 5, 3), ((1, 1),) * 3
    inputs, plan = states(90), plan_of("eosRhohFromTPprop")
    shared = SharedData(SpeciesData.load(SPECIES))
    gpu.set_shared(shared)
    columns = {"T": 1, "P": 1, "Y": NS, "rho": 1, "h": 1, "status": 1}
    arrays = {name: fringed(shape, none, c, "last", c) for name, c in columns.items()}
    scales = {"T": 1 / 1.8, "P": 1e5, "Y": 1.0, "rho": 1000.0, "h": 2.0, "status": 1.0}
    for name in ("T", "P", "Y"):
        values = inputs[name].reshape((*shape, -1), order="F")
        arrays[name][2][...] = values / scales[name]
    bindings = {
        name: Binding(b.address, b.box, b.columns, scales[name], owner=a)
        for name, (a, b, _) in arrays.items()
    }
    for binding in bindings.values():
        gpu.adopt(binding)
    gpu.program(plan, bindings).run_box(90, 17)
    want = run(CpuBackend(), plan, inputs, shared)
    for name in ("rho", "h", "status"):
        got = arrays[name][2].reshape(-1, order="F") * scales[name]
        np.testing.assert_allclose(got, want[name], rtol=1e-11)


def test_device_memory_is_used_as_it_is(gpu):
    """Views, and arrays that the caller keeps on the device."""
    inputs, plan = states(64), plan_of("eosRhohFromTPprop")
    shared = SharedData(SpeciesData.load(SPECIES))
    gpu.set_shared(shared)
    views = {}
    for name in (*plan.inputs, *plan.outputs):
        columns = CATALOGUE.columns(name, NS)
        views[name] = gpu.allocate(columns, 80, CATALOGUE.quantity(name).dtype)
    for name in plan.inputs:
        gpu.pack(bind(np.asfortranarray(inputs[name])), 0, 64, views[name])
    bindings = {
        name: Binding(v.address, Box.flat(80, 80), v.shape[0], dtype=v.dtype.name, owner=v)
        for name, v in views.items()
    }
    gpu.device.api.calls.clear()
    program = gpu.program(plan, bindings)
    program.run(0, 40)
    program.run(40, 24)
    assert gpu.device.api.calls == ["bridge_eosRhohFromTPprop"] * 2
    want = run(CpuBackend(), plan, inputs, shared)

    def check():
        for name in plan.outputs:
            out = np.zeros(64, views[name].dtype)
            gpu.unpack(views[name], bind(out), 0, 64)
            np.testing.assert_allclose(out, want[name], rtol=1e-12)
            views[name][...] = 7

    check()
    for _ in range(3):  # the chunk loop: as calls, recorded, replayed
        gpu.device.api.calls.clear()
        assert program.run_box(64, 17) == 4
        assert not any(call.startswith("copy") for call in gpu.device.api.calls)
        check()


def test_kernels_one_by_one_and_as_a_graph(gpu):
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


def test_a_graph_keeps_the_order_that_memory_asks_for():
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
        before = []  # every step that precedes
        for step, node in enumerate(nodes):
            mine = {k for k in range(step) if nodes[k].stream == node.stream} | set(node.after)
            before.append(mine.union(*(before[k] for k in mine)))
            assert all(nodes[k].stream != node.stream for k in node.after)
            for k in range(step):
                if writes[k] & (reads[step] | writes[step]) or reads[k] & writes[step]:
                    assert k in before[step]
    assert schedule([set(), set()], [{1}, {2}], 2)[1] == GraphNode(1, ())


def test_memory_of_another_gpu_is_refused(make):
    gpu = make(devices=2)
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan, T = plan_of("eosRhohFromTPprop"), np.zeros(8)
    gpu.device.api.foreign[T.ctypes.data] = (T.nbytes, 1)
    arrays = {name: np.zeros((8, CATALOGUE.columns(name, NS)), order="F") for name in
              (*plan.inputs, *plan.outputs)} | {"T": T}  # fmt: skip
    program = gpu.program(plan, {name: bind(array) for name, array in arrays.items()})
    with pytest.raises(ArgumentError, match="argument T: got memory of GPU 1"):
        program.run(0, 8)


class Late(StandIn):
    """What a stream was asked to clear is cleared when somebody waits for the stream, as on a
    device that has other things to do first."""

    def __init__(self, folder):
        super().__init__(folder)
        self.waiting = []

    def clear(self, address, size, stream):
        self.waiting.append((address, size, stream))

    def stream_synchronize(self, stream):
        super().stream_synchronize(stream)
        for address, size, queued in self.waiting:
            if queued == stream:
                super().clear(address, size, stream)
        self.waiting = [one for one in self.waiting if one[2] != stream]


def test_a_new_view_is_cleared_before_it_is_filled(tmp_path):
    gpu = CudaBackend(api=Late(tmp_path))
    view = gpu.allocate(2, 5, "float64")
    np.testing.assert_array_equal(view.get(), 0.0)
    view = gpu.allocate(2, 5, "float64")
    view[...] = 3.0
    gpu.synchronize()
    np.testing.assert_array_equal(view.get(), 3.0)


# ---- page locks -----------------------------------------------------------------------------


def test_binding_again_locks_again(gpu):
    big = np.zeros(100_000)
    for _ in range(3):
        gpu.adopt(bind(big))
        gpu.release(bind(big))
    assert len(gpu.device.api.locks) == 3 and not gpu.device.api.locked
    assert gpu.device.api.locks[0][0] % 4096 == 0


def test_arrays_in_one_page_are_locked_together(gpu):
    """Both can be copied in one call each; the page goes with the last of them."""
    memory = on_pages((3000,))
    first, second = memory[:900], memory[900:2900]
    gpu.adopt(bind(first))
    gpu.adopt(bind(second))
    ((address, size),) = gpu.device.api.locked.items()
    assert address == memory.ctypes.data and size == 6 * 4096
    gpu.release(bind(first))
    assert len(gpu.device.api.locked) == 1
    gpu.adopt(bind(first))
    assert len(gpu.device.api.locked) == 1 and len(gpu.device.api.locks) == 3
    gpu.release(bind(second))
    gpu.release(bind(first))
    assert not gpu.device.api.locked


def test_memory_of_ours_may_share_a_page_with_an_array_of_the_caller(gpu):
    """The heap puts what the backend copies from beside small arrays: a page is locked whole."""
    names = list(SpeciesData.load(None).names)[:16]
    shared, inputs = SharedData(SpeciesData.load(names)), states(8, 16)
    plan = plan_of("eosRhohFromTPprop", 16)
    gpu.set_shared(shared)
    words = gpu._shared.words
    assert words.nbytes > 2 * 4096
    beside = bind(words[-1:])
    gpu.adopt(beside)
    arrays = {name: np.asfortranarray(inputs[name]) for name in plan.inputs}
    arrays |= {name: np.zeros(8, CATALOGUE.quantity(name).dtype) for name in plan.outputs}
    gpu.program(plan, {name: bind(array) for name, array in arrays.items()}).run(0, 8)
    gpu.release(beside)
    want = run(CpuBackend(), plan, inputs, shared)["rho"]
    np.testing.assert_allclose(arrays["rho"], want, rtol=1e-12)


def test_a_system_that_locks_nothing(gpu, monkeypatch):
    """The CPU packs instead, and the results are the same."""
    monkeypatch.setattr(gpu.device.api, "lock", lambda *_: False)
    shared, inputs, plan = SharedData(SpeciesData.load(SPECIES)), states(), plan_of(
        "eosThermalProperties"
    )  # fmt: skip
    want = run(gpu, plan, inputs, shared)
    got = run(gpu, plan, inputs, shared, whole=40)
    for name in want:
        np.testing.assert_array_equal(got[name], want[name])
    assert "graph" not in gpu.device.api.calls


# ---- failures -------------------------------------------------------------------------------


def test_out_of_memory_says_what_helps(make):
    gpu = make(memory=1 << 20)
    with pytest.raises(OutOfMemoryError, match="asked for 4.6 MiB, .*lower MaxBlock"):
        gpu.allocate(6, 100_000, "float64")


def test_a_device_failure_names_the_launch_and_is_final(gpu, monkeypatch):
    shared, inputs, plan = SharedData(SpeciesData.load(SPECIES)), states(8), plan_of(
        "eosRhohFromTPprop"
    )  # fmt: skip

    def broken(*_):
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


def test_memory_is_given_back(make):
    gpu = make()
    shared, inputs, plan = SharedData(SpeciesData.load(SPECIES)), states(8), plan_of(
        "eosRhohFromTPprop"
    )  # fmt: skip
    run(gpu, plan, inputs, shared)
    run(gpu, plan, inputs, shared, whole=3)
    gpu.close()
    assert gpu.device.api.used == 0 and not gpu.device.api.pinned and not gpu.device.api.locked
    assert not any(gpu.device.api.streams)
    gpu.close()  # once is enough
