"""What only a GPU can show: agreement with the CPU to 1e-12, one answer whichever way a point
comes, memory that is page-locked, on the device or neither, steady loops that allocate nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from kernels import test_cuda_backend as cases
from kernels import test_cuda_kept_inputs as kept_inputs
from kernels.measure import gas

import bridge
from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.gpu.policy import POLICIES, named
from bridge.errors import ArgumentError, OutOfMemoryError
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

STANDIN = os.environ.get("BRIDGE_TEST_STANDIN") == "1"
real_gpu = pytest.mark.skipif(STANDIN, reason="a stand-in cannot show it")
CATALOGUE = Catalogue.shipped()
NAMES = SpeciesData.load(None).names


def species(ns, kij=False, **options):
    matrix = np.full((ns, ns), 0.02) - np.diag(np.full(ns, 0.02)) if kij else None
    return SharedData(SpeciesData.resolve(list(NAMES[:ns]), kij=matrix), Options.parse(options))


def states(n, ns):
    T, P, Y = gas(n, ns, T=(150.0, 3200.0))
    random = np.random.default_rng(3)
    return {
        "T": T, "P": P, "Y": Y, "velocity": random.normal(0.0, 100.0, (n, 3)),
        "Vref": np.full(n, 1.0), "T0": np.full(n, 300.0),
    }  # fmt: skip


# ---- numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize("kij", [False, True])
@pytest.mark.parametrize("ns", [1, 2, 4, 6, 9, 16, 24, 53])
@pytest.mark.parametrize(
    "name", ["eosThermalAndViscousProperties", "eosGammaJacobianProperties", "eosCalcRhoh0FromTP"]
)
def test_composites_agree_with_the_cpu(gpu, name, ns, kij):
    shared, inputs, plan = species(ns, kij), states(5000, ns), cases.plan_of(name, ns)
    with_condition = CATALOGUE.plan(
        (*plan.outputs, "Pkappa"), CATALOGUE.composite(name).inputs, ns, name=name
    )
    want = cases.run(CpuBackend(2), with_condition, inputs, shared)
    got = cases.run(gpu, plan, inputs, shared)
    got["Pkappa"] = want["Pkappa"]
    cases.same(got, want, inputs)


#: Policies with settings of each kind; those with many points per block only fit few species.
SETTINGS = [
    *POLICIES, "registers blocks=5", "local rows=2", "local points=2 threads=64",
    "tensor threads=32",
]  # fmt: skip


@pytest.mark.parametrize("omega11", ["EXACT", "FITTED"])
@pytest.mark.parametrize("policy", SETTINGS)
@pytest.mark.parametrize("ns", [4, 9, 17, 53])
def test_policies_agree(gpu, policy, ns, omega11):
    """The fit's points and those outside it, a last block that is not full."""
    if ns > 16 and policy.split()[0] in ("registers", "pairs", "tile"):
        pytest.skip("for few species")
    shared, inputs = species(ns, True, omega11=omega11), states(1001, ns)
    plan = cases.plan_of("eosThermalAndViscousProperties", ns)
    with_condition = CATALOGUE.plan((*plan.outputs, "Pkappa"), ("T", "P", "Y"), ns, name=plan.name)
    want = cases.run(CpuBackend(2), with_condition, inputs, shared)
    gpu.device.policy = named(policy)
    try:
        got = cases.run(gpu, plan, inputs, shared)
    finally:
        gpu.device.policy = None
    got["Pkappa"] = want["Pkappa"]
    cases.same(got, want, inputs)


@pytest.mark.parametrize("policy", ["registers", "pairs", "local", "tensor", "local points=2"])
def test_sanitized(gpu, policy):
    """Small enough for compute-sanitizer: `ci/gpu sanitize` runs this under each of its tools."""
    ns = 4 if policy == "registers" else 17
    shared, inputs = species(ns, True, omega11="FITTED"), states(300, ns)
    plan = cases.plan_of("eosThermalAndViscousProperties", ns)
    gpu.device.policy = named(policy)
    try:
        got = cases.run(gpu, plan, inputs, shared)
    finally:
        gpu.device.policy = None
    assert np.isfinite(got["D_im"]).all() and (got["eta"] > 0.0).all()


def test_no_run_measures_and_the_report_names_the_table(gpu, monkeypatch, tmp_path):
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path))
    monkeypatch.setattr(gpu.device.api, "elapsed", lambda *_: pytest.fail("a run measures"))
    shared, inputs = species(6), states(1000, 6)
    plan = CATALOGUE.plan(("rho", "D_im"), ("T", "P", "Y"), 6, name="unmeasured")
    cases.run(gpu, plan, inputs, shared)
    kernels = [*tmp_path.glob("cuda/*.kernel")]
    assert len(kernels) == (0 if STANDIN else 1) and not [*tmp_path.glob("cuda/policy*")]
    assert gpu.describe()["launch policy"] == gpu.device.table.describe(gpu.device.arch)


_BITS = """
import hashlib, numpy as np, bridge
from kernels.measure import gas
from bridge.physics.species import SpeciesData
for ns, omega11 in ((1, "EXACT"), (6, "FITTED"), (16, "FITTED"), (16, "EXACT"), (53, "FITTED")):
    names = list(SpeciesData.load(None).names[:ns])
    frame = bridge.Frame()
    frame.set("backend", "cuda"); frame.set("species", " ".join(names))
    frame.set("omega11", omega11)
    frame.initialize(0, 999, ns, 5 + ns)
    T, P, Y = gas(16 * 16 * 16, ns, T=(150.0, 3200.0))
    arrays = {"T": T.reshape((16, 16, 16), order="F"), "P": P.reshape((16, 16, 16), order="F"),
              "Y": Y.reshape((16, 16, 16, ns), order="F")}
    outputs = {"rho": 1, "cp": 1, "c": 1, "eta": 1, "lambda": 1, "D_im": ns}
    for name, array in arrays.items():
        arrays[name] = np.asfortranarray(array)
        frame.tvproperties.bind_array("cells", name, "in", arrays[name])
    for name, n in outputs.items():
        arrays[name] = np.zeros((16, 16, 16, n) if n > 1 else (16, 16, 16), order="F")
        frame.tvproperties.bind_array("cells", name, "out", arrays[name])
    frame.tvproperties.run("cells", "eosThermalAndViscousProperties")
    frame.finalize()
    for name in outputs:
        print("bits", ns, omega11, name, hashlib.sha256(arrays[name].tobytes()).hexdigest())
"""


@real_gpu
def test_the_same_outputs_have_the_same_bits_in_fresh_processes(tmp_path):
    """With cache folders of their own: nothing that one has measured or kept is the other's."""
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    told = [
        python(_BITS, BRIDGE_CACHE=str(tmp_path / str(k)), BRIDGE_POLICY=None, PYTHONPATH=(
            os.pathsep.join(filter(None, (tests, os.environ.get("PYTHONPATH"))))))
        for k in range(2)
    ]  # fmt: skip
    bits = [[line for line in one.stdout.splitlines() if line.startswith("bits")] for one in told]
    assert len(bits[0]) == 30, told[0].stderr[-2000:]
    assert bits[0] == bits[1]


_RHO = """
import numpy as np, bridge
got = bridge.evaluate("O2 CH4", [300.0, 200.0], 1e7, [0.5, 0.5], ("rho",), backend="cuda")
print("rho", *got["rho"])
"""


@real_gpu
@pytest.mark.parametrize("damage", ["cut in half", "zeros", "empty"])
def test_a_damaged_cache_is_made_again(tmp_path, damage):
    """A driver that loads a kernel which was cut ends the process."""
    told = [python(_RHO, BRIDGE_CACHE=str(tmp_path))]
    assert told[0].stdout.startswith("rho "), told[0].stderr[-2000:]
    files = [*tmp_path.glob("cuda/*.kernel")]
    assert files
    for file in files:
        whole = file.read_bytes()
        file.write_bytes({"cut in half": whole[: len(whole) // 2], "zeros": bytes(len(whole)),
                          "empty": b""}[damage])  # fmt: skip
    told += [python(f"import bridge.log; bridge.log.start(){_RHO}", BRIDGE_CACHE=str(tmp_path))
             for _ in range(2)]  # fmt: skip
    assert [one.returncode for one in told] == [0, 0, 0], told[1].stderr[-2000:]
    assert told[1].stdout.count("its kernel is compiled again") == len(files)
    assert told[1].stdout.endswith(told[0].stdout) and told[2].stdout == told[0].stdout


@pytest.mark.parametrize("ns", [1, 4, 16, 53])
def test_temperature_from_enthalpy(gpu, ns):
    shared, inputs = species(ns), states(4000, ns)
    plan = cases.plan_of("prEOSThermalProperties", ns)
    inputs["h_target"] = cases.run(CpuBackend(2), plan, inputs, shared)["h"]
    inputs["h_target"][[3, 7]] = np.nan, 1e12
    plan = cases.plan_of("prEOSCalcTFromHP", ns)
    got, want = (cases.run(b, plan, inputs, shared) for b in (gpu, CpuBackend(2)))
    np.testing.assert_array_equal(got["status"] & 7, want["status"] & 7)
    sound = want["status"] == 0
    assert (got["status"][sound] == 0).all()
    np.testing.assert_allclose(got["T"][sound], want["T"][sound], rtol=1e-9)


@pytest.mark.parametrize("omega11", ["EXACT", "FITTED"])
@pytest.mark.parametrize("ns", [4, 16, 53])
def test_a_point_does_not_know_its_place(gpu, ns, omega11):
    """To the last bit: on views and over the link, in any chunk, between any neighbours; also
    where the points of a warp share their sums over pairs."""
    shared, inputs = species(ns, True, omega11=omega11), states(3001, ns)
    plan = cases.plan_of("eosThermalAndViscousProperties", ns)
    whole = cases.run(gpu, plan, inputs, shared)
    for chunk in (64, 999, 4000):
        pieces = cases.run(gpu, plan, inputs, shared, whole=chunk)
        for name, values in whole.items():
            np.testing.assert_array_equal(pieces[name], values, err_msg=f"{name} {chunk}")
    order = np.random.default_rng(1).permutation(3001)[:1777]
    shuffled = {name: values[order] for name, values in inputs.items()}
    mixed = cases.run(gpu, plan, shuffled, shared)
    for name, values in whole.items():
        np.testing.assert_array_equal(mixed[name], values[order], err_msg=name)


def test_every_kernel_by_its_name(gpu):
    """Each kernel alone on the CPU's inputs, and all of them in turn on their own results."""
    ns, n = 6, 500
    shared, values = species(ns, True), dict(states(n, ns))
    for name, kernel in CATALOGUE.kernels.items():
        if name in ("prEOSNewtonStart", "prEOSEnthalpyResidual", "prEOSNewtonUpdate",
                    "mergeStatus", "completeMassFractions", "prEOSGapRoot", "prEOSGapDensity",
                    "prEOSGapEntropy", "prEOSGapEnthalpy"):  # fmt: skip
            continue
        plan = CATALOGUE.single(name, ns)
        values.setdefault("status", np.zeros(n, np.int32))
        given = {q: values[q] for q in kernel.inputs}
        want = cases.run(CpuBackend(2), plan, given, shared)
        got = cases.run(gpu, plan, given, shared)
        for q in want:
            if want[q].dtype == np.int32:
                np.testing.assert_array_equal(got[q], want[q], err_msg=f"{name} {q}")
            else:
                size = np.maximum(np.abs(want[q]), 1e-6 * np.nanmax(np.abs(want[q])))
                with np.errstate(invalid="ignore"):
                    error = np.nanmax(np.abs(got[q] - want[q]) / np.maximum(size, 1e-300))
                assert error < 1e-9, f"{name} {q}: {error}"
        values |= want


# ---- memory ---------------------------------------------------------------------------------


def test_device_pointers(gpu):
    """Arrays that the caller keeps on the device, with fringes and without: no copies."""
    cupy = pytest.importorskip("cupy")
    shared, plan, inputs = species(6), cases.plan_of("eosRhohFromTPprop", 6), states(5 * 6 * 7, 6)
    gpu.set_shared(shared)
    want = cases.run(CpuBackend(), plan, inputs, shared)
    for fringe in (0, 2):
        arrays, bindings = {}, {}
        for name in (*plan.inputs, *plan.outputs):
            columns = CATALOGUE.columns(name, 6)
            full = tuple(m + 2 * fringe for m in (5, 6, 7))
            host = np.full((*full, columns), -7.0, order="F")
            inner = tuple(slice(fringe, fringe + m) for m in (5, 6, 7))
            if name in plan.inputs:
                host[inner] = inputs[name].reshape((5, 6, 7, columns), order="F")
            arrays[name] = (cupy.asarray(host, order="F"), inner)
            x, y, z = 1, full[0], full[0] * full[1]
            box = Box((5, 6, 7), (x, y, z), full[0] * full[1] * full[2], fringe * (x + y + z))
            bindings[name] = Binding(arrays[name][0].data.ptr, box, columns)
        gpu.program(plan, bindings).run_box(210, 64)
        for name in plan.outputs:
            array, inner = arrays[name]
            got = cupy.asnumpy(array)
            np.testing.assert_allclose(
                got[inner].reshape(-1, order="F"), want[name], rtol=1e-12, err_msg=name
            )
            assert (got.sum() != 0) and (fringe == 0 or got[0, 0, 0, 0] == -7.0)


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("chunk", [3, 21, 40, 1000])
@pytest.mark.parametrize("fringe", [((2, 1), (1, 3), (2, 2)), ((0, 0), (0, 0), (0, 0))])
def test_boxes(gpu, layout, locked, chunk, fringe):
    """Fringe arrays in both orders, page-locked or not; as calls, captured and replayed."""
    shape = (7, 5, 4)
    gpu.set_shared(species(6))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], 6, status=False, name="complete")
    _, source, leading = cases.fringed(shape, fringe, 5, layout, 1)
    array, target, whole = cases.fringed(shape, fringe, 6, layout, 2)
    inner = tuple(slice(f[0], f[0] + n) for n, f in zip(shape, fringe, strict=True))
    outside = np.ones(array.shape, bool)
    outside[(slice(None), *inner) if layout == "first" else inner] = False
    before = array.copy()
    bound = [source, target] if locked else []
    for binding in bound:
        gpu.adopt(binding)
    program = gpu.program(plan, {"Y_leading": source, "Y": target})
    for _ in range(4):
        whole[...] = -1.0
        leading[...] = np.random.default_rng().random(leading.shape)
        program.run_box(140, chunk)
        np.testing.assert_array_equal(whole[..., :-1], leading)
        assert np.abs(whole.sum(-1) - 1.0).max() < 1e-15
        np.testing.assert_array_equal(array[outside], before[outside])
    for binding in bound:
        gpu.release(binding)


def test_columns_of_component_first_records_share_a_copy(gpu, monkeypatch):
    counted = Counted(gpu)
    if not STANDIN:
        launch = gpu.device.modules.launch_marshal
        monkeypatch.setattr(
            gpu.device.modules,
            "launch_marshal",
            lambda name, *rest: (gpu.device.api.calls.append(name), launch(name, *rest)),
        )
    cases.test_columns_of_component_first_records_share_a_copy(counted, False, monkeypatch)
    cases.test_columns_of_component_first_records_share_a_copy(counted, True, monkeypatch)


def test_an_array_freed_and_bound_again(gpu):
    """Three times of three: the same address, other pages."""
    shared, plan, inputs = species(2), cases.plan_of("eosRhohFromTPprop", 2), states(300_000, 2)
    first = None
    for _ in range(3):
        got = cases.run(gpu, plan, inputs, shared, whole=40_000)
        first = got if first is None else first
        np.testing.assert_array_equal(got["rho"], first["rho"])


def test_memory_of_ours_may_share_a_page_with_an_array_of_the_caller(gpu):
    cases.test_memory_of_ours_may_share_a_page_with_an_array_of_the_caller(gpu)


@real_gpu
def test_a_steady_loop_allocates_nothing(gpu):
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", "O2 CH4")
    frame.initialize(0, 512, 2, 7, 0)
    tv = frame.tvproperties
    random, n = np.random.default_rng(2), 512
    T = np.asfortranarray(random.uniform(200.0, 2000.0, (8, 8, 8)))
    P, Y = np.full_like(T, 7e6), np.full((8, 8, 8, 2), 0.5, order="F")
    rho = np.zeros_like(T)
    counts = []
    for points in (512, 100, 300, 512):
        for name, array in (("T", T), ("P", P), ("Y", Y)):
            tv.populate_input_stripe(name, array, stripeStart=1, stripeEnd=points)
        tv.eosRhohFromTPprop(points)
        tv.extract_output_stripe("rho", rho, stripeStart=1, stripeEnd=points)
        counts.append(tv.impl.backend.allocations())
    assert len(set(counts)) == 1
    want = bridge.evaluate(
        "O2 CH4", T.ravel("F"), np.full(n, 7e6), np.full((n, 2), 0.5), ("rho",), backend="cpu"
    )["rho"]
    np.testing.assert_allclose(rho.ravel("F"), want, rtol=1e-12)
    frame.finalize()


@real_gpu
def test_frames_follow_one_another(gpu):
    for _ in range(3):
        frame = bridge.Frame()
        frame.set("backend", "cuda")
        frame.set("species", "N2")
        frame.initialize(0, 64, 1, 6, 0)
        T = np.full((4, 4, 4), 300.0, order="F")
        P = np.full_like(T, 1e5)
        Y, rho = np.ones((4, 4, 4, 1), order="F"), np.zeros_like(T)
        tv = frame.tvproperties
        for name, intent, array in (
            ("T", "in", T), ("P", "in", P), ("Y", "in", Y), ("rho", "out", rho),
        ):  # fmt: skip
            tv.bind_array("cells", name, intent, array)
        tv.run("cells", "eosRhohFromTPprop")
        assert np.allclose(rho, rho[0, 0, 0]) and 1.1 < rho[0, 0, 0] < 1.2
        frame.finalize()


# ---- while the host works ---------------------------------------------------------------------


@real_gpu
def test_the_host_works_while_a_run_is_pending(gpu):
    """Begin returns while the device has work for long; what is done until then costs nothing."""
    ns, n = 16, 96
    names = list(NAMES[:ns])
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", " ".join(names))
    frame.initialize(0, 131072, ns, ns + 5, 0)
    tv = frame.tvproperties
    random = np.random.default_rng(1)
    shape = (n, n, n)
    T = np.asfortranarray(random.uniform(250.0, 2500.0, shape))
    P = np.full(shape, 1e7, order="F")
    Y = np.full((*shape, ns), 1.0 / ns, order="F")
    outputs = {"rho": np.zeros(shape, order="F"), "D_im": np.zeros((*shape, ns), order="F")}
    for name, array in {"T": T, "P": P, "Y": Y}.items():
        tv.bind_array("cells", name, "in", array)
    for name, array in outputs.items():
        tv.bind_array("cells", name, "out", array)
    composite = "eosThermalAndViscousProperties"
    for _ in range(3):
        tv.run("cells", composite)
    want = {name: array.copy() for name, array in outputs.items()}
    for _ in range(2):
        for array in outputs.values():
            array[...] = 0.0
        tv.run_begin("cells", composite)
        program = tv._bound._sets["cells"].runners[composite]._program
        turns = 0
        while not program.done():
            turns += 1
        assert turns > 10, "the run was over when begin returned"
        tv.wait("cells")
        for name, array in outputs.items():
            np.testing.assert_array_equal(array, want[name])
    frame.finalize()


def test_unchanged_inputs_do_not_cross_the_link(gpu, monkeypatch):
    monkeypatch.setenv("BRIDGE_GRAPH", "0")
    kept_inputs.test_inputs_that_have_not_changed_are_not_copied(
        Counted(gpu), "last", "0", monkeypatch
    )


@real_gpu
def test_composites_on_resident_views_move_nothing(gpu):
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", "O2 CH4")
    frame.initialize(0, 512, 2, 7, 0)
    tv = frame.tvproperties
    T = np.full((8, 8, 8), 300.0, order="F")
    Y = np.full((8, 8, 8, 2), 0.5, order="F")
    for name, array in (("T", T), ("P", T * 3e4), ("Y", Y)):
        tv.populate_input_stripe(name, array)
    counted = Counted(tv.impl.backend)
    for _ in range(3):
        tv.eosThermalAndViscousProperties(512)
        tv.prEOSViscousFluxProperties(512)
        tv.launch("prEOSCheckInput", 512)
    assert counted.api.calls == []
    rho = np.zeros_like(T)
    tv.extract_output_stripe("rho", rho)
    assert counted.api.calls == ["copy_async"]
    want = bridge.evaluate("O2 CH4", 300.0, 9e6, [0.5, 0.5], ("rho",), backend="cpu")["rho"]
    np.testing.assert_allclose(rho, want[0], rtol=1e-12)
    frame.finalize()


class Counted:
    """A backend whose copies are counted by name in `api.calls`, as the stand-in counts them."""

    def __init__(self, backend):
        self._backend = backend
        self.api = backend.device.api
        if STANDIN:
            return
        self.api.calls = []
        for name in ("copy_async", "copy2d_async", "copy3d_async"):
            setattr(self.api, name, self._counted(name, getattr(type(self.api), name)))

    def _counted(self, name, real):
        def call(*arguments):
            self.api.calls.append(name)
            return real(self.api, *arguments)

        return call

    def __getattr__(self, name):
        return getattr(self._backend, name)


# ---- devices and what goes wrong ----------------------------------------------------------------


def test_kernels_one_by_one_and_as_a_graph(gpu):
    ns, n = 6, 3000
    shared, inputs = species(ns, True), states(n, ns)
    inputs["T"][5], inputs["P"][9], inputs["Y"][12] = -1.0, np.nan, 0.0
    plan = cases.plan_of("eosThermalAndViscousProperties", ns)
    want = cases.run(gpu, plan, inputs, shared)
    views, bindings = {}, {}
    for name in (*plan.inputs, *plan.outputs):
        view = gpu.allocate(CATALOGUE.columns(name, ns), n, CATALOGUE.quantity(name).dtype)
        views[name] = view
        bindings[name] = Binding(view.address, Box.flat(n, n), view.shape[0],
                                 dtype=view.dtype.name, owner=view)  # fmt: skip
        if name in plan.inputs:
            gpu.pack(cases.bind(np.asfortranarray(inputs[name])), 0, n, view)
    for replay in (False, True):
        sequence = gpu.launch_sequence(plan, bindings, replay)
        for _ in range(4):
            for name in plan.outputs:
                views[name][...] = 7
            sequence.run(0, n)
            for name in plan.outputs:
                out = np.zeros(want[name].shape, want[name].dtype, order="F")
                gpu.unpack(views[name], cases.bind(out), 0, n)
                np.testing.assert_allclose(out, want[name], rtol=1e-11, err_msg=name)


def test_memory_of_the_device_is_bound(gpu):
    """As OpenACC, OpenMP or CUDA Fortran would hand it over: found by its address, not copied."""
    cupy = pytest.importorskip("cupy")
    ns, shape, fringe = 3, (6, 5, 4), 2
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", " ".join(NAMES[:ns]))
    frame.initialize(0, 64, ns, ns + 5, 0)
    tv = frame.tvproperties
    backend = Counted(tv.impl.backend)
    inputs = states(120, ns)
    full = tuple(n + 2 * fringe for n in shape)
    inner = tuple(slice(fringe, fringe + n) for n in shape)
    arrays = {}
    for name, columns in {"T": 1, "P": 1, "Y": ns, "rho": 1}.items():
        host = np.full((*full, columns), -7.0, order="F")
        if name in inputs:
            host[inner] = inputs[name].reshape((*shape, columns), order="F")
        arrays[name] = cupy.asarray(host, order="F")
        bounds = [*full]
        for n in full:
            bounds += [fringe + 1, n - fringe]
        tv.bind("cells", name, "out" if name == "rho" else "in", arrays[name].data.ptr,
                [*bounds, 1, columns, columns])  # fmt: skip
    tv.run("cells", "eosRhohFromTPprop")
    assert backend.device.api.calls == []
    rho = cupy.asnumpy(arrays["rho"])
    want = bridge.evaluate(
        list(NAMES[:ns]), inputs["T"], inputs["P"], inputs["Y"], ("rho",), backend="cpu"
    )["rho"]
    np.testing.assert_allclose(rho[inner].ravel("F"), want, rtol=1e-12)
    assert np.count_nonzero(rho == -7.0) == rho.size - 120
    frame.finalize()


def test_too_much_memory_says_what_helps(gpu):
    with pytest.raises(OutOfMemoryError, match=r"asked for .* MiB, .* are free on the GPU: lower"):
        gpu.allocate(1, 1 << 40, "float64")
    gpu.allocate(1, 8, "float64")


_STICKY = """
import cupy, numpy as np, bridge
frame = bridge.Frame()
frame.set("backend", "cuda")
frame.set("species", "N2")
frame.initialize(0, 64, 1, 6, 0)
tv = frame.tvproperties
small = cupy.zeros(64)
far = [1 << 30, 1, 1, (1 << 30) - 63, 1 << 30, 1, 1, 1, 1, 1, 1, 1]  # 8 GiB behind it
for name in ("T", "P", "Y", "rho"):
    tv.bind("cells", name, "out" if name == "rho" else "in", small.data.ptr, far)
for _ in range(2):
    try:
        tv.run("cells", "eosRhohFromTPprop")
    except bridge.BridgeError as error:
        print(error.status, error)
frame.finalize()
"""


@real_gpu
def test_an_illegal_address_is_told_with_its_launch_and_stays(gpu):
    told = python(_STICKY)
    first, second = [line for line in told.stdout.splitlines() if line.startswith("-7")]
    assert "eosRhohFromTPprop failed on GPU 0" in first and "cudaError" in first
    assert "failed before and the process must end" in second


_CHOSEN = """
import os, bridge
from bridge.backends.cuda import CudaBackend
print("chosen", CudaBackend(0, os.environ["WANTED"]).device.facts.uuid)
"""


@real_gpu
def test_devices_by_uuid_and_what_is_visible(gpu):
    uuid = gpu.device.facts.uuid
    for visible, wanted in ((None, uuid), (uuid, "given"), (uuid, uuid[:12]), ("0", "nearest")):
        told = python(_CHOSEN, WANTED=wanted, CUDA_VISIBLE_DEVICES=visible)
        assert f"chosen {uuid}" in told.stdout, told.stderr[-2000:]
    told = python(_CHOSEN, WANTED="GPU-12345678", CUDA_VISIBLE_DEVICES=None)
    assert "argument device: got 'GPU-12345678'" in told.stderr and uuid in told.stderr
    told = python(_CHOSEN, WANTED="given", CUDA_VISIBLE_DEVICES="")
    assert "no usable GPU" in told.stderr or "shows none" in told.stderr


def python(text, **variables):
    """A process of its own; variables of None are taken away."""
    environment = {**os.environ, **{k: v for k, v in variables.items() if v is not None}}
    for name in [name for name, value in variables.items() if value is None]:
        environment.pop(name, None)
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, env=environment,
        timeout=120, check=False,
    )  # fmt: skip


@real_gpu
def test_a_device_that_is_not_there():
    frame = bridge.Frame()
    frame.set("backend", "cuda")
    frame.set("species", "N2")
    with pytest.raises(ArgumentError, match="device_id: got 999, wanted 0 to "):
        frame.initialize(999, 64, 1, 6, 0)
