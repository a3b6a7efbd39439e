"""Agreement with the CPU to 1e-12, one answer whichever way a point comes, the same bits in fresh
processes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends import STANDIN
from gpu.cases import CATALOGUE, python, real_gpu, species, states
from kernels import cuda_cases as cases
from kernels.test_launch import SEARCH

from bridge.backends.cpu import CpuBackend
from bridge.backends.gpu.policy import POLICIES, named

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("kij", [False, True])
@pytest.mark.parametrize("ns", [1, 2, 4, 6, 9, 16, 24, 53])
@pytest.mark.parametrize(
    "name", ["eosThermalAndViscousProperties", "eosGammaJacobianProperties", "eosCalcRhoh0FromTP"]
)
def test_composites_agree_with_the_cpu(gpu: Any, name: Any, ns: int, kij: Any) -> None:
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
def test_policies_agree(gpu: Any, policy: str, ns: int, omega11: str) -> None:
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
def test_sanitized(gpu: Any, policy: str) -> None:
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


def test_no_run_measures_and_the_report_names_the_table(
    gpu: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
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
def test_the_same_outputs_have_the_same_bits_in_fresh_processes(tmp_path: Path) -> None:
    """With cache folders of their own: nothing that one has measured or kept is the other's."""
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    told = [
        python(
            _BITS,
            BRIDGE_CACHE=str(tmp_path / str(k)),
            BRIDGE_POLICY=None,
            PYTHONPATH=(os.pathsep.join(filter(None, (tests, os.environ.get("PYTHONPATH"))))),
        )
        for k in range(2)
    ]
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
def test_a_damaged_cache_is_made_again(tmp_path: Path, damage: str) -> None:
    """A driver that loads a kernel which was cut ends the process."""
    told = [python(_RHO, BRIDGE_CACHE=str(tmp_path))]
    assert told[0].stdout.startswith("rho "), told[0].stderr[-2000:]
    files = [*tmp_path.glob("cuda/*.kernel")]
    assert files
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(
            {"cut in half": whole[: len(whole) // 2], "zeros": bytes(len(whole)), "empty": b""}[
                damage
            ]
        )
    told += [
        python(f"import bridge.log; bridge.log.start(){_RHO}", BRIDGE_CACHE=str(tmp_path))
        for _ in range(2)
    ]
    assert [one.returncode for one in told] == [0, 0, 0], told[1].stderr[-2000:]
    assert told[1].stdout.count("its kernel is compiled again") == len(files)
    assert told[1].stdout.endswith(told[0].stdout) and told[2].stdout == told[0].stdout


@pytest.mark.parametrize("ns", [1, 4, 16, 53])
def test_temperature_from_enthalpy(gpu: Any, ns: int) -> None:
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
def test_a_point_does_not_know_its_place(gpu: Any, ns: int, omega11: str) -> None:
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


def test_every_kernel_by_its_name(gpu: Any) -> None:
    """Each kernel alone on the CPU's inputs, and all of them in turn on their own results."""
    ns, n = 6, 500
    # the constants of options too
    some = {"dilute": "KINETIC", "viscosity": "FRICTION", "override": "criticalViscosity=2e-5"}
    shared, values = species(ns, True, **some), dict(states(n, ns))
    for name, kernel in CATALOGUE.kernels.items():
        if name in (*SEARCH, "completeMassFractions"):
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
                # a search for a trial phase ends where its next step is short, not at its end
                assert error < (1e-4 if q == "trial_i" else 1e-9), f"{name} {q}: {error}"
        values |= want
