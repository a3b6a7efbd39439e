"""Tables of launch policies that a user gives, and that no run measures anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from kernels import cuda_cases as cases
from kernels.test_cuda_policy import COMPOSITE, table
from standin import StandIn

import bridge
from bridge.backends import open_backend
from bridge.backends.cuda import CudaBackend, cache, precompile
from bridge.backends.gpu import policytable
from bridge.backends.gpu.policy import (
    LOCAL,
    Policy,
    choose,
    named,
)
from bridge.backends.gpu.policytable import Row
from bridge.commands import info
from bridge.errors import ArgumentError
from bridge.evaluation import function, machines
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

# ---- a user's table -------------------------------------------------------------------------


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """mine(text or rows) -> the file, which BRIDGE_POLICY names."""

    def mine(rows: Any) -> Path:
        path = tmp_path / "mine.yaml"
        path.write_text(rows if isinstance(rows, str) else table(rows).text())
        monkeypatch.setenv("BRIDGE_POLICY", str(path))
        return path

    return mine


ROW = {"class": 9, "kind": "exact", "ns": 6, "policy": "local"}


@pytest.mark.parametrize(
    ("content", "named_so"),
    [
        ("[", "while parsing"),
        ("", "format None"),
        ({"format": 2}, "format 2"),
        ({"format": 1, "row": []}, "'row'"),
        ({"format": 1, "rows": {"a": 1}}, "rows of dict"),
        ({"format": 1, "rows": [ROW, 3]}, r"3 for rows\[1\]"),
        ({"format": 1, "rows": [ROW, ROW]}, r"rows\[1\].*class 9 exact ns 6 again"),
        ({**ROW, "class": "9"}, r"'9' for rows\[0\]\.class"),
        ({**ROW, "class": True}, r"True for rows\[0\]\.class"),
        ({**ROW, "ns": 0}, r"0 for rows\[0\]\.ns"),
        ({**ROW, "kind": "all"}, r"'all' for rows\[0\]\.kind.*one of thermal, transport"),
        ({**ROW, "policy": "fast"}, r"'fast' for rows\[0\]\.policy.*one of registers"),
        ({**ROW, "policy": 5}, r"5 for rows\[0\]\.policy"),
        ({"class": 9, "kind": "exact", "ns": 6}, r"nothing for rows\[0\]\.policy"),
        ({**ROW, "speed": 5}, r"5 for rows\[0\]\.speed.*class, kind, ns, policy"),
        ({**ROW, "nanoseconds": "few"}, r"'few' for rows\[0\]\.nanoseconds"),
    ],
)
def test_a_wrong_table_names_file_and_key(
    mine: Callable[..., Any], content: Any, named_so: str
) -> None:
    if isinstance(content, dict) and "class" in content:
        content = {"format": 1, "rows": [content]}
    path = mine(content if isinstance(content, str) else yaml.safe_dump(content))
    with pytest.raises(ArgumentError, match=named_so) as raised:
        api: Any = StandIn()
        CudaBackend(api=api)
    assert "BRIDGE_POLICY" in str(raised.value) and str(path) in str(raised.value)


def test_a_table_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_POLICY", str(tmp_path / "gone.yaml"))
    with pytest.raises(ArgumentError, match="BRIDGE_POLICY.*gone.yaml.*No such file"):
        policytable.current()
    monkeypatch.setenv("BRIDGE_POLICY", f"{tmp_path}/")
    with pytest.raises(ArgumentError, match="BRIDGE_POLICY.*Is a directory"):
        policytable.current()
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    monkeypatch.setenv("BRIDGE_POLICY", str(tmp_path / "bytes.yaml"))
    with pytest.raises(ArgumentError, match="BRIDGE_POLICY.*bytes.yaml"):
        policytable.current()


def test_a_wrong_table_is_an_error_under_auto_too(
    mine: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The GPU is there, so the run is not moved to the CPU in silence."""
    from bridge.backends.cuda import backend

    mine("format: 3")
    monkeypatch.setattr(bridge.backends.cuda, "why_unusable", lambda: None)
    monkeypatch.setattr(backend, "Api", lambda: StandIn())
    with pytest.raises(ArgumentError, match="BRIDGE_POLICY"):
        open_backend("auto")


def test_tables_that_decide_the_same_have_one_digest(mine: Callable[..., Any]) -> None:
    rows = {(9, "exact", 6): "local", (9, "fitted", 6): "tensor"}
    first = policytable.read(mine(rows))
    noted = policytable.merged(first, [((9, "exact", 6), Row(LOCAL, 3.0, "again"))])
    other = policytable.merged(first, [((9, "exact", 6), Row(named("local rows=2")))])
    assert first.digest() == noted.digest() != other.digest()
    assert len(other.rows) == 2 and other.digest() in other.describe("sm_90")


# ---- runs -----------------------------------------------------------------------------------


class Timeless(StandIn):
    """A stand-in on which nothing can be timed."""

    def event(self, timing: bool = False) -> int:
        assert not timing, "a run measures"
        return super().event()

    def elapsed(self, begin: int, end: int) -> float:
        raise AssertionError("a run measures")


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """make() -> a backend on a device without a clock, and every text that it compiles."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BRIDGE_POLICY", raising=False)

    def make(**named_arguments: Any) -> Any:
        api: Any = Timeless()
        texts: list[str] = []

        def compiled(text: str, arch: str, **rest: Any) -> Any:
            texts.append(text)
            return api.compile(text, arch, **rest)

        monkeypatch.setattr(cache, "compiled", compiled)
        backend: Any = CudaBackend(api=api, **named_arguments)
        backend.texts = texts
        return backend

    return make


def bounds(policy: Policy) -> str:
    return f"__launch_bounds__({policy.threads}, {policy.blocks})"


@pytest.mark.parametrize("whole", [None, 64])
@pytest.mark.parametrize(
    ("name", "omega11"),
    [(COMPOSITE, "FITTED"), (COMPOSITE, "EXACT"), ("eosRhohFromTPprop", "EXACT")],
)
def test_no_run_measures(
    make: Callable[..., Any], tmp_path: Path, name: str, omega11: str, whole: int | None
) -> None:
    """One source for a composite, no event with a time, no file of locks or of policies."""
    shared = SharedData(SpeciesData.load(cases.SPECIES), Options.parse({"omega11": omega11}))
    plan, inputs, backend = cases.plan_of(name), cases.states(), make()
    cases.run(backend, plan, inputs, shared, whole=whole)
    mine = [text for text in backend.texts if f"bridge_{name}(" in text]
    assert len(mine) == 1
    layout = precompile.layout(cases.NS, {"omega11": omega11})
    assert bounds(policytable.shipped().policy(plan, layout, "sm_90")) in mine[0]
    assert not (tmp_path / "cache").exists()


def test_a_frame_on_a_gpu_measures_nothing(
    make: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bridge import frame as frames

    backend = make()
    monkeypatch.setattr(frames, "open_backend", lambda *_, **__: backend)
    frame = bridge.Frame()
    frame.set("species", "O2 CH4")
    frame.initialize(0, 64, 2, 7)
    Q = np.ones((4, 4, 4, 7), order="F")
    Q[..., 0], Q[..., 4], Q[..., 5:] = 1e6, 300.0, 0.5
    rho = np.zeros((4, 4, 4), order="F")
    for _ in range(3):
        frame.tvproperties.populate_input_stripe("Q", Q)
        frame.tvproperties.composite("eosRhohFromTPprop", 64)
        frame.tvproperties.bind_array("cells", "Q", "in", Q)
        frame.tvproperties.bind_array("cells", "rho", "out", rho)
        frame.tvproperties.run("cells", "eosRhohFromTPprop")
    frame.finalize()
    assert rho.min() > 0.0 and not (tmp_path / "cache").exists()


def test_evaluate_takes_the_same_table(
    make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = make()
    monkeypatch.setattr(machines, "open_backend", lambda *_, **__: backend)
    function.forget()
    try:
        state = [300.0, 400.0], [1e5, 1e6], [[0.5, 0.5]] * 2, ("rho", "D_im")
        bridge.evaluate("O2 N2", *state, options={"omega11": "FITTED"})
    finally:
        function.forget()
    row = policytable.shipped().nearest("fitted", 2, "sm_90")
    assert row is not None
    assert any(bounds(row.policy) in text for text in backend.texts)


def test_a_users_table_wins(
    make: Callable[..., Any], mine: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path = mine({(9, "exact", 6): "local threads=64 rows=2", (9, "thermal", 6): "tile"})
    backend, plan = make(), cases.plan_of(COMPOSITE)
    cases.run(backend, plan, cases.states(), SharedData(SpeciesData.load(cases.SPECIES)))
    (text,) = [text for text in backend.texts if f"bridge_{COMPOSITE}(" in text]
    assert "#define BRIDGE_ROWS 2\n" in text and bounds(named("local threads=64")) in text
    assert f"table {path} (" in backend.describe()["launch policy"]
    info.policies(backend)
    assert "local threads=64 rows=2" in capsys.readouterr().out


def test_a_policy_by_name_is_for_all_plans(
    make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in ("local rows=2", "tile"):
        monkeypatch.setenv("BRIDGE_POLICY", word)
        backend = make()
        plan = cases.plan_of(COMPOSITE)
        assert backend.device.table.policy(plan, precompile.layout(6), "sm_90") == named(word)
        assert backend.describe()["launch policy"] == word
    monkeypatch.setenv("BRIDGE_POLICY", "by-count")
    backend = make()
    assert backend.describe()["launch policy"] == "by species count"
    plan = cases.plan_of(COMPOSITE, 4)
    assert backend.device.table.policy(plan, precompile.layout(4), "sm_90") == choose(plan, 4)


_ASKED = """
import sys
from pathlib import Path
from bridge.backends.cuda import precompile
from bridge.backends.gpu import policytable
from bridge.plan.catalogue import Catalogue
catalogue, table = Catalogue.shipped(), policytable.current()
for ns in (1, 3, 6, 20, 53):
    for fitted in ("EXACT", "FITTED"):
        for composite in catalogue.composites.values():
            plan = catalogue.composite_plan(composite, ns)
            layout = precompile.layout(ns, {"omega11": fitted})
            print(ns, fitted, plan.name, table.policy(plan, layout, "sm_90"))
print(table.describe("sm_90"))
"""


def test_processes_with_one_table_agree(tmp_path: Path, mine: Callable[..., Any]) -> None:
    """Whatever their caches are and hold."""
    mine({(9, kind, 4): "local threads=64" for kind in policytable.KINDS})
    told = []
    for number in range(2):
        folder = tmp_path / str(number) / "cuda"
        folder.mkdir(parents=True)
        if number:  # what an earlier version would have kept of a measurement
            (folder / "policy-0123.json").write_text('{"policy": "tile", "device": "stand-in"}')
        done = subprocess.run(
            [sys.executable, "-c", _ASKED],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "BRIDGE_CACHE": str(folder.parent)},
        )
        told.append(done.stdout)
    assert told[0] == told[1] and "local threads=64" in told[0]
