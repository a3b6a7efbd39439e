"""`bridge tune` on a stand-in device with a clock: what it measures, leaves out and writes."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernels import cuda_cases as cases
from standin import StandIn

import bridge.backends.cuda
from bridge import cli
from bridge.backends.cpu import CpuBackend
from bridge.backends.cuda import CudaBackend, cache, compiler, precompile, tuning
from bridge.backends.gpu import policytable
from bridge.backends.gpu.policy import LOCAL, Policy, candidates, named
from bridge.backends.gpu.policytable import Row, Table
from bridge.errors import ArgumentError, DeviceError, OutOfMemoryError
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

COMPOSITE = "eosThermalAndViscousProperties"
CHOICE = candidates(cases.plan_of(COMPOSITE, 2), 2)


def bounds(policy: Policy) -> str:
    return f"__launch_bounds__({policy.threads}, {policy.blocks})"


class Clocked(StandIn):
    """A stand-in whose launches take a time that can be told: here later ones are faster."""

    measured = 0

    def elapsed(self, begin: Any, end: Any) -> Any:
        Clocked.measured += 1
        return 1.0 / Clocked.measured


@pytest.fixture
def tune(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """tune(counts, ...) -> the table that is written to mine.yaml; tune.said, tune.backend."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BRIDGE_POLICY", raising=False)
    monkeypatch.setattr(tuning, "POINTS", 256)
    monkeypatch.setattr(Clocked, "measured", 0)
    api: Any = Clocked()
    monkeypatch.setattr(cache, "compiled", api.compile)
    monkeypatch.setattr(
        precompile, "_on_all_cores", lambda work, tasks: [work(one) for one in tasks]
    )

    class Tune:
        path = tmp_path / "mine.yaml"
        backend: Any = CudaBackend(api=api)

        def __init__(self) -> None:
            self.said: list[str] = []

        def __call__(self, *counts: Any, **named_arguments: Any) -> Table:
            return tuning.tune(
                self.path,
                counts,
                open_gpu=lambda: self.backend,
                say=self.said.append,
                **named_arguments,
            )

    return Tune()


def test_the_fastest_becomes_a_row_and_a_run_takes_it(
    tune: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tune(2, kinds=["thermal", "exact"])
    assert set(table.rows) == {(9, "exact", 2), (9, "thermal", 2)}
    row = table.rows[9, "exact", 2]
    assert row.policy == CHOICE[-1] and row.nanoseconds > 0.0
    assert row.note == f"stand-in, {COMPOSITE}, of {len(CHOICE)}"
    assert policytable.read(tune.path).text() == table.text() == tune.path.read_text()
    assert any(f"exact, 2 species: {CHOICE[-1]}; ns per point: " in line for line in tune.said)
    monkeypatch.setenv("BRIDGE_POLICY", str(tune.path))
    plan = cases.plan_of(COMPOSITE, 2)
    assert policytable.current().policy(plan, precompile.layout(2), "sm_90") == CHOICE[-1]


def test_candidates_take_turns_and_the_quickest_launch_counts(
    tune: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others disturb the first round; of the rest the second candidate is the fastest."""

    def elapsed(*_: Any) -> Any:
        Clocked.measured += 1
        turn, candidate = divmod(Clocked.measured - 1, len(CHOICE))
        return (
            (9.0 - candidate if turn == 0 else 2.0) if candidate != 1 else 9.0 - 8.0 * (turn > 0)
        )

    monkeypatch.setattr(Clocked, "elapsed", elapsed)
    assert tune(2, kinds=["exact"]).rows[9, "exact", 2].policy == CHOICE[1]
    assert Clocked.measured == tuning.LAUNCHES * len(CHOICE)


def test_rows_are_merged_into_a_table(tune: Any) -> None:
    before = Table(
        "",
        {
            (8, "exact", 2): Row(LOCAL, 1.0, "another class"),
            (9, "fitted", 2): Row(LOCAL, 2.0),
            (9, "exact", 2): Row(LOCAL, 3.0, "to be replaced"),
        },
    )
    tune.path.write_text(before.text())
    assert policytable.read(tune.path).rows
    after = tune(2, kinds=["exact"]).rows
    assert after[8, "exact", 2] == before.rows[8, "exact", 2]
    assert after[9, "fitted", 2] == before.rows[9, "fitted", 2]
    assert after[9, "exact", 2].policy == CHOICE[-1] and len(after) == 3


def test_a_candidate_that_the_compiler_refuses_is_left_out(
    tune: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = cache.compiled

    def compiled(text: Any, arch: str, **named_arguments: Any) -> Any:
        if bounds(CHOICE[-1]) in text and "#define BRIDGE_ROWS 4" in text:
            raise compiler.CompileError("too large\nnumbered text")
        return real(text, arch, **named_arguments)

    monkeypatch.setattr(cache, "compiled", compiled)
    row = tune(2, kinds=["exact"]).rows[9, "exact", 2]
    assert row.policy == CHOICE[-2] and row.note.endswith(f"of {len(CHOICE) - 1}")
    assert f"exact, 2 species: '{CHOICE[-1]}' is left out: too large" in tune.said


def test_a_candidate_without_memory_is_left_out(
    tune: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tune.backend.program

    def full(*arguments: Any) -> Any:
        if tune.backend.device.policy == CHOICE[-1]:
            raise OutOfMemoryError("asked for 9 MiB")
        return real(*arguments)

    monkeypatch.setattr(tune.backend, "program", full)
    assert tune(2, kinds=["exact"]).rows[9, "exact", 2].policy == CHOICE[-2]
    assert f"exact, 2 species: '{CHOICE[-1]}' is left out: asked for 9 MiB" in tune.said
    assert tune.backend.device.policy is None


def test_a_row_without_memory_is_no_row_and_the_others_are_found(
    tune: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tuning._bindings

    def full(device: Any, plan: Any, points: Any) -> Any:
        if plan.name == "eosThermalProperties":
            raise OutOfMemoryError("asked for 9 MiB")
        return real(device, plan, points)

    monkeypatch.setattr(tuning, "_bindings", full)
    assert set(tune(2, kinds=["thermal", "exact"]).rows) == {(9, "exact", 2)}
    assert "thermal, 2 species: no row, nothing could be timed" in tune.said


def test_a_candidate_that_loses_the_device_ends_the_command_and_rows_before_stay(
    tune: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = tune.backend.device.api
    launch = api.launch

    def lost(*_: Any) -> None:
        raise api.errors[0]("illegal address")

    def launches(*arguments: Any) -> None:
        if tune.path.exists():  # the row of the first kind is written
            api.stream_synchronize = api.synchronize = lost
        launch(*arguments)

    monkeypatch.setattr(api, "launch", launches, raising=False)
    first = candidates(cases.plan_of(COMPOSITE, 2), 2)[0]
    with pytest.raises(DeviceError, match=f"exact, 2 species: '{first}' failed.*GPU with it"):
        tune(2, kinds=["thermal", "exact"])
    assert set(policytable.read(tune.path).rows) == {(9, "thermal", 2)}


def test_a_composite_of_the_users_choice(tune: Any) -> None:
    """With outputs of the user's choice; its kind follows from its plan."""
    rows = tune(1, composite=COMPOSITE, outputs=["rho", "eta", "status"], kij=True).rows
    ((key, row),) = rows.items()
    assert key == (9, "transport", 1) and row.note.endswith(", kij")


def test_a_pack_has_a_row_of_its_own(tune: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_PACKS", str(Path(__file__).parents[2] / "examples/sutherland_pack"))
    rows = tune(2, composite="sutherlandGas").rows
    assert list(rows) == [(9, "pack", 2)] and rows[9, "pack", 2].policy in CHOICE


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"kinds": ["slow"]}, "--kinds: got 'slow', wanted some of thermal, transport"),
        ({"kinds": ["exact"], "composite": COMPOSITE}, "--kinds: got exact, wanted nothing"),
        ({"outputs": ["rho"]}, "--outputs: got rho"),
        ({"composite": "prEOSCalcTFromHP"}, "--composite: got prEOSCalcTFromHP.*search"),
        ({"composite": "nothing"}, "composite.*nothing"),
        ({"composite": COMPOSITE, "outputs": ["colour"]}, "colour"),
        ({"options": {"colour": "red"}}, "colour"),
        ({"options": {"omega11": "FITTED"}}, "--option: got omega11, wanted --kinds exact or"),
    ],
)
def test_what_is_refused(tune: Any, arguments: Any, complaint: Any) -> None:
    with pytest.raises(ArgumentError, match=complaint):
        tune(2, **arguments)
    assert not tune.path.exists() and Clocked.measured == 0


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_measured(
    tune: Any, tmp_path: Path
) -> None:
    for path, content in ((tmp_path / "gone" / "mine.yaml", None), (tmp_path / "no.yaml", "a: [")):
        if content:
            path.write_text(content)
        tune.path = path
        with pytest.raises(ArgumentError, match=f"--output.*{path}"):
            tune(2)
    assert Clocked.measured == 0 and tune.said == []


def test_the_command(
    tune: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = []

    def open_gpu(device: int) -> Any:
        opened.append(device)
        return tune.backend

    monkeypatch.setattr(bridge.backends.cuda, "CudaBackend", open_gpu)
    line = ["tune", "--ns", "1,2", "--kinds", "thermal", "--device", "3", "-o", str(tune.path)]
    assert cli.main(line) == 0
    told = capsys.readouterr().out
    assert f"{tune.path}: 2 rows; BRIDGE_POLICY={tune.path} takes them" in told
    assert opened == [3] and len(policytable.read(tune.path).rows) == 2
    with pytest.raises(SystemExit):
        cli.main(["tune", "--ns", "1"])
    assert "-o/--output" in capsys.readouterr().err


def test_a_compiler_that_dies_is_asked_again_where_a_candidate_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one that the system kills for its memory: the pool of processes is gone."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(precompile, "_refusal", signal.raise_signal)
    tasks: list[Any] = [signal.SIGKILL, signal.SIGKILL]
    assert precompile.compile_all(tasks) == [None, None]


# ---- the points that are measured -----------------------------------------------------------


@pytest.mark.parametrize("ns", [1, 4])
@pytest.mark.parametrize("fractions", ["Y", "Y_leading"])
def test_what_is_measured_are_sound_points(ns: int, fractions: Any) -> None:
    """Every composite that has a choice, on the CPU: nothing fatal, nothing clipped."""
    shared = SharedData(SpeciesData.load(cases.SPECIES[:ns]))
    measured = set()
    for composite in cases.CATALOGUE.composites.values():
        given = [fractions if name == "Y" else name for name in composite.inputs]
        plan = cases.CATALOGUE.composite_plan(composite, ns, inputs=given)
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


def test_points_of_a_measurement_fit_its_memory() -> None:
    few, many = (cases.plan_of(COMPOSITE, ns) for ns in (1, 53))
    assert tuning._points(few) == tuning.POINTS
    columns = sum(many.slots[k].columns for k in {*many.inputs.values(), *many.outputs.values()})
    assert tuning.BYTES * 0.99 < 8 * columns * tuning._points(many) <= tuning.BYTES
    values = tuning.inputs(few, 10_000)
    assert all(array.shape[1] == 10_000 and array.flags.c_contiguous for array in values.values())


def test_measuring_stays_within_its_memory(tune: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    allocator = tune.backend.device.allocator
    put, sizes = allocator.put, []

    def checked(address: Any, values: Any) -> None:
        sizes.append(allocator._device.get(address, values.nbytes) - values.nbytes)
        put(address, values)

    monkeypatch.setattr(allocator, "put", checked)
    tune(1, kinds=["thermal"])
    assert Clocked.measured and min(sizes) >= 0


def test_the_grid_has_a_kind_for_every_row() -> None:
    """What stands for a kind is looked up as that kind."""
    asked = [*tuning._questions((4,), (), None, (), None, False)]
    assert [one.kind for one in asked] == list(tuning.STANDS)
    for one in asked:
        found = one.candidates("sm_90")
        assert len(found) > 2 and len(set(found)) == len(found)
    (fitted,) = tuning._questions((16,), ("fitted",), None, (), None, False)
    assert named("tensor blocks=6") in fitted.candidates("sm_90")
    assert named("tensor blocks=6") not in fitted.candidates("sm_75")
