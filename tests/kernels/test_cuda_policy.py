"""Launch policies: their words, their choice by measurement on a stand-in device, its file."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest
from kernels import test_cuda_backend as cases
from standin import StandIn

import bridge
from bridge import cli, evaluation
from bridge.backends.cpu import CpuBackend
from bridge.backends.cuda import CudaBackend, cache, compiler, program, tuning
from bridge.backends.cuda.policy import LOCAL, POLICIES, TENSOR, TILE, candidates, choose, named
from bridge.errors import ArgumentError, DeviceError, OutOfMemoryError
from bridge.options import Options
from bridge.shared import SharedData
from bridge.species import SpeciesData

COMPOSITE = "eosThermalAndViscousProperties"


def test_words_are_read_back():
    for policy in (*POLICIES.values(), named("local threads=64 rows=6 points=2")):
        assert named(str(policy)) == policy
    assert str(named("tensor blocks=6")) == "tensor blocks=6"
    assert str(TENSOR) == "tensor"


@pytest.mark.parametrize(
    ("word", "wanted"),
    [("fast", "one of registers, "), ("local rows=0", "settings such as"), ("", "one of"),
     ("local unroll=1", "settings such as"), ("local rows", "settings such as")],
)  # fmt: skip
def test_a_wrong_word_is_refused(word, wanted):
    with pytest.raises(ArgumentError, match="BRIDGE_POLICY.*" + wanted):
        named(word)


def test_tensor_cores_are_for_many_species_and_fitted_integrals():
    plan = cases.plan_of(COMPOSITE, 53)
    assert choose(plan, 53, tensor=True) == TENSOR
    assert choose(plan, 53) == LOCAL
    search = cases.plan_of("prEOSCalcTFromHP", 16)
    assert candidates(search, 16, tensor=True) == [TILE]
    single = cases.CATALOGUE.single("chungMixtureDiffusionFused", 16)
    assert len(candidates(single, 16, tensor=True)) == 1


class Clocked(StandIn):
    """A stand-in whose launches take the time of their policy."""

    standin = False
    seconds: dict[int, float] = {}
    measured = 0

    def elapsed(self, begin, end):
        Clocked.measured += 1
        return 1.0 / Clocked.measured  # later candidates are faster


@pytest.fixture
def make(tmp_path, monkeypatch):
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path))
    monkeypatch.delenv("BRIDGE_POLICY", raising=False)
    monkeypatch.setattr(compiler, "find", lambda: type("Any", (), {"version": "any"}))
    monkeypatch.setattr("bridge.backends.cuda.tuning.POINTS", 256)
    monkeypatch.setattr(Clocked, "measured", 0)

    def make(**named):
        api = Clocked(tmp_path)
        monkeypatch.setattr(cache, "compiled", api.compile)
        return CudaBackend(api=api, **named)

    return make


def test_the_fastest_is_measured_once_and_kept(make, tmp_path, capsys):
    species = SpeciesData.load(cases.SPECIES)
    shared = SharedData(species, Options.parse({"omega11": "FITTED"}))
    plan, inputs = cases.plan_of(COMPOSITE), cases.states()
    first = make()
    got = cases.run(first, plan, inputs, shared)
    (file,) = tmp_path.glob("cuda/policy-*.json")
    known = json.loads(file.read_text())
    options = candidates(plan, cases.NS, tensor=True)
    assert [named(word) for word in known["seconds"]] == options
    assert named(known["policy"]) == options[-1]
    assert first.describe()["launch policy"] == f"measured, 1 kept in {tmp_path / 'cuda'}"
    cli._policies(first)
    assert re.search(rf"{COMPOSITE} +6 +rho .*{known['policy']} ", capsys.readouterr().out)

    measured = Clocked.measured
    again = cases.run(make(), plan, inputs, shared)
    assert Clocked.measured == measured
    with_condition = cases.CATALOGUE.plan(
        (*plan.outputs, "Pkappa"), ("T", "P", "Y"), cases.NS, name=plan.name
    )
    want = cases.run(CpuBackend(), with_condition, inputs, shared)
    for values in (got, again):
        values["Pkappa"] = want["Pkappa"]
        cases.same(values, want, inputs)


def test_a_candidate_that_fails_is_left_out(make, tmp_path, monkeypatch):
    backend, plan = make(), cases.plan_of(COMPOSITE)
    real = cache.compiled

    def compiled(text, arch, **named):
        if "__launch_bounds__(256" in text:
            raise compiler.CompileError("too large")
        return real(text, arch, **named)

    monkeypatch.setattr(cache, "compiled", compiled)
    shared = SharedData(SpeciesData.load(cases.SPECIES))
    cases.run(backend, plan, cases.states(), shared)
    (file,) = tmp_path.glob("cuda/policy-*.json")
    known = json.loads(file.read_text())
    whole = candidates(plan, cases.NS)
    assert {named(word) for word in known["seconds"]} == {p for p in whole if p.threads != 256}
    assert len(known["seconds"]) < len(whole)


def test_by_count_measures_nothing(make, tmp_path, monkeypatch):
    monkeypatch.setenv("BRIDGE_POLICY", "by-count")
    backend = make()
    cases.run(
        backend,
        cases.plan_of(COMPOSITE),
        cases.states(),
        SharedData(SpeciesData.load(cases.SPECIES)),
    )
    assert not list(tmp_path.glob("cuda/policy-*.json"))
    assert backend.describe()["launch policy"] == "by species count"


def test_one_call_is_not_worth_a_measurement(make, tmp_path, monkeypatch):
    opened = []

    def open_backend(name, **named):
        opened.append(named.pop("threads"))
        return make(**named)

    monkeypatch.setattr(evaluation, "open_backend", open_backend)
    evaluation._backend.cache_clear()
    try:
        bridge.evaluate("O2 N2", [300.0, 400.0], [1e5, 1e6], [[0.5, 0.5]] * 2, ("rho", "D_im"))
    finally:
        evaluation._backend.cache_clear()
    assert opened and not list(tmp_path.glob("cuda/policy-*.json"))


def test_a_forced_policy_is_not_measured(make, tmp_path, monkeypatch):
    monkeypatch.setenv("BRIDGE_POLICY", "local rows=2")
    backend = make()
    shared = SharedData(SpeciesData.load(cases.SPECIES))
    cases.run(backend, cases.plan_of(COMPOSITE), cases.states(), shared)
    assert not list(tmp_path.glob("cuda/policy-*.json"))
    assert backend.describe()["launch policy"] == "local rows=2"


# ---- the points that are measured -----------------------------------------------------------


@pytest.mark.parametrize("ns", [1, 4])
@pytest.mark.parametrize("fractions", ["Y", "Y_leading"])
def test_what_is_measured_are_sound_points(ns, fractions):
    """Every composite that has a choice, on the CPU: nothing fatal, nothing clipped."""
    shared = SharedData(SpeciesData.load(cases.SPECIES[:ns]))
    measured = set()
    for composite in cases.CATALOGUE.composites.values():
        given = [fractions if name == "Y" else name for name in composite.inputs]
        plan = cases.CATALOGUE.plan(composite.outputs, given, ns, name=composite.name)
        if len(candidates(plan, ns)) == 1:
            continue
        inputs = {}
        for name, values in tuning.inputs(plan, 64).items():
            slot = plan.slots[plan.inputs[name]]
            assert values.shape == (slot.columns, 64) and values.dtype == slot.dtype, name
            inputs[name] = values.T if cases.CATALOGUE.quantity(name).columns != "1" else values[0]
        outputs = cases.run(CpuBackend(), plan, inputs, shared)
        assert not (outputs["status"] & 0b11111).any(), composite.name
        for name in ("rho", "h", "eta", "lambda", "c"):
            assert np.isfinite(outputs.get(name, 0.0)).all(), (composite.name, name)
        measured.add(composite.name)
    assert {"eosThermalProperties", "chungCalcTransProp", "eosGammaJacobianProperties"} <= measured


def test_candidates_take_turns_and_the_quickest_launch_counts(choice, monkeypatch):
    """Other ranks disturb the first round; of the rest the second candidate is the fastest."""
    options = candidates(cases.plan_of(COMPOSITE), cases.NS)

    def elapsed(*_):
        Clocked.measured += 1
        turn, candidate = divmod(Clocked.measured - 1, len(options))
        return (
            (9.0 - candidate if turn == 0 else 2.0) if candidate != 1 else 9.0 - 8.0 * (turn > 0)
        )

    monkeypatch.setattr(Clocked, "elapsed", elapsed)
    assert choice() == options[1]
    assert Clocked.measured == tuning.LAUNCHES * len(options)


def test_points_of_a_measurement_fit_its_memory():
    few, many = (cases.plan_of(COMPOSITE, ns) for ns in (1, 53))
    assert tuning._points(few) == tuning.POINTS
    columns = sum(many.slots[k].columns for k in {*many.inputs.values(), *many.outputs.values()})
    assert tuning.BYTES * 0.99 < 8 * columns * tuning._points(many) <= tuning.BYTES
    values = tuning.inputs(few, 10_000)
    assert all(array.shape[1] == 10_000 and array.flags.c_contiguous for array in values.values())


def test_measuring_stays_within_its_memory(make, monkeypatch):
    """One species, of which Q has no mass fraction: an input without columns."""
    backend = make()
    put, sizes = backend.allocator.put, []

    def checked(address, values):
        sizes.append(backend.allocator._device.get(address, values.nbytes) - values.nbytes)
        put(address, values)

    monkeypatch.setattr(backend.allocator, "put", checked)
    plan = cases.CATALOGUE.plan(("rho", "c"), ("T", "P", "Y_leading"), 1, name=COMPOSITE)
    inputs = {"T": np.full(9, 300.0), "P": np.full(9, 1e6), "Y_leading": np.empty((9, 0))}
    cases.run(backend, plan, inputs, SharedData(SpeciesData.load(["O2"])))
    assert Clocked.measured and min(sizes) >= 0


# ---- what is kept, and what is not ----------------------------------------------------------


@pytest.fixture
def choice(make):
    """choice() -> the policy that a backend of its own chooses for a composite."""
    shared = SharedData(SpeciesData.load(cases.SPECIES))
    plan = cases.plan_of(COMPOSITE)

    def choice(backend=None):
        backend = backend or make()
        backend.set_shared(shared)
        return tuning.chosen(backend, plan, backend._shared)

    return choice


def kept(tmp_path):
    return sorted(tmp_path.glob("cuda/policy-*.json"))


def test_a_moment_without_memory_decides_for_this_process_alone(
    make, choice, tmp_path, monkeypatch
):
    def full(*_):
        Clocked.measured += 1
        raise OutOfMemoryError("full for a moment")

    first, backend = candidates(cases.plan_of(COMPOSITE), cases.NS)[0], make()
    with monkeypatch.context() as patch:
        patch.setattr(tuning, "_bindings", full)
        assert choice(backend) == first
        assert choice(backend) == first and Clocked.measured == 1
    assert not kept(tmp_path)
    assert choice() != first and kept(tmp_path)


def test_a_candidate_without_memory_is_not_out_for_good(choice, tmp_path, monkeypatch):
    real = program.CudaProgram

    def full(backend, *arguments):
        if backend.policy is not None and backend.policy.threads == 256:
            raise OutOfMemoryError("full for a moment")
        return real(backend, *arguments)

    monkeypatch.setattr(program, "CudaProgram", full)
    assert choice().threads != 256
    assert not kept(tmp_path)


def test_a_candidate_that_loses_the_device_ends_the_run_and_is_not_kept(
    make, choice, tmp_path, monkeypatch
):
    backend, plan = make(), cases.plan_of(COMPOSITE)
    launch, launched = backend.api.launch, []

    def lost(*_):
        raise backend.api.errors[0]("illegal address")

    def launches(*arguments):
        launched.append(arguments)
        if len(launched) > 1:  # the second candidate
            backend.api.stream_synchronize = backend.api.synchronize = lost
        launch(*arguments)

    backend.api.launch = launches
    second = candidates(plan, cases.NS)[1]
    with pytest.raises(DeviceError, match=f"'{second}' of {COMPOSITE} failed.*BRIDGE_POLICY"):
        choice(backend)
    assert not kept(tmp_path)
    with pytest.raises(DeviceError, match="the process must end"):
        backend.synchronize()


@pytest.mark.parametrize(
    "spoilt",
    [{"policy": "registers warps=4"}, {"policy": None}, {"seconds": {}}, {"device": None},
     {"seconds": {"pairs": float("nan")}, "policy": "pairs"}, "[]", "{", "\udcff"],
)  # fmt: skip
def test_what_cannot_be_understood_is_measured_anew(choice, tmp_path, spoilt, capsys):
    best = choice()
    (file,) = kept(tmp_path)
    whole = json.loads(file.read_text())
    if isinstance(spoilt, str):
        file.write_bytes(spoilt.encode(errors="surrogateescape"))
    else:
        known = {**whole, **spoilt}
        file.write_text(json.dumps({k: v for k, v in known.items() if v is not None}))
    assert tuning.found("stand-in") == []
    Clocked.measured = 0
    assert choice() == best and Clocked.measured
    assert json.loads(file.read_text())["policy"] == whole["policy"]


def test_other_candidates_are_another_choice(choice, tmp_path, monkeypatch):
    choice()
    monkeypatch.setattr(tuning, "candidates", lambda *_: [LOCAL, named("local threads=64")])
    assert choice().name == "local"
    assert len(kept(tmp_path)) == 2


def test_a_choice_that_cannot_be_kept_is_made_once_for_the_process(make, choice, tmp_path):
    (tmp_path / "cuda").touch()  # no folder can be made here
    backend = make()
    best = choice(backend)
    measured = Clocked.measured
    assert measured and choice(backend) == best and Clocked.measured == measured
    assert backend.describe()["launch policy"] == "measured when needed"


def test_a_choice_needs_no_compiler(make, choice, tmp_path, monkeypatch):
    def find():
        raise DeviceError("no compiler")

    backend = make()
    monkeypatch.setattr(compiler, "find", find)  # all candidates were compiled ahead
    assert choice(backend) == candidates(cases.plan_of(COMPOSITE), cases.NS)[-1]
    assert kept(tmp_path)
