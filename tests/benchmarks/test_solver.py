"""`bridge bench solver`: its runs, its rows and its bound. How fast anything is, no test says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.test_bench import rows_of
from flow.building import ISA, STUB, built, loops
from sharing import Once

from bridge.bench import processes, solver, stepbytes
from bridge.bench.request import Request
from bridge.bench.solver import Shape, Times, Variant
from bridge.cli import main
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.report import Report

CPU = ["none", "properties, CPU", "step, CPU"]


@pytest.mark.mpi
@pytest.mark.fortran
def test_runs_on_the_cpu(
    once: Once, mpirun: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """With the program and the pack of the tests of the flow solver."""
    pytest.importorskip("matplotlib")
    program, environment = built(once, "flow"), loops(once)
    here = tmp_path / "flow" / "flow"
    here.parent.mkdir()
    here.symlink_to(program)
    pack, cache = (Path(environment[name]) for name in ("BRIDGE_PACKS", "BRIDGE_CACHE"))
    made = solver.Solver(STUB, here, {2: pack}, cache, 1)
    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
    case = tmp_path / "case.nml"  # layers of many cells
    text = (STUB / "cases" / "jet.nml").read_text().replace("Width = 2.5e-8", "Width = 1.0e-5")
    case.write_text(text)
    monkeypatch.setattr(solver, "CASES", {2: solver.Case(str(case), (8, 8, 8), 2)})
    monkeypatch.setattr(solver, "TURNS", 1)
    monkeypatch.setattr(solver, "built", lambda *_: made)
    out, picture = tmp_path / "rows.json", tmp_path / "rows.png"
    arguments = ["bench", "solver", "--backend", "cpu", "--ranks", "2", "--points", "512"]
    assert main([*arguments, "--ns", "2", "--json", str(out), "--plot", str(picture)]) == 0
    rows = rows_of(out)
    for part in ("step", "properties", "flow", "exchange"):
        found = [row for row in rows if row["name"] == part]
        assert [row["params"]["variant"] for row in found] == CPU
        assert [row["reference"] for row in found] == [None, "none", "none"]
        assert all(row["value"] > 0.0 for row in found)
    shares = [row["value"] for row in rows if row["name"] == "share of properties"]
    assert len(shares) == 3 and all(0.0 < share <= 100.0 for share in shares)
    (most,) = [row["value"] for row in rows if row["name"] == "most"]
    assert most == pytest.approx(1.0 / (1.0 - shares[0] / 100.0))
    turns = [row for row in rows if row["name"] == "one rank"]
    assert [row["reference"] for row in turns] == [None, "properties, CPU"]
    assert turns[1]["ratio"] == pytest.approx(turns[0]["value"] / turns[1]["value"])
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "One rank and thread" in capsys.readouterr().out


def test_what_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(solver, "run", lambda command, *_: called.append(command))
    stub = tmp_path / "stub"
    made = solver.built(stub, tmp_path, [6, 16], [Variant("none"), Variant("step", "cpu")], 0)
    assert called.pop(0)[-2:] == ["WARN=", "flow"]
    ported, compiled = called[::2], called[1::2]
    maker = str(stub / "flow" / "make_pack.py")
    assert [one[2:] for one in ported] == [[maker, str(made.packs[ns]), str(ns)] for ns in (6, 16)]
    assert [one[-4:] for one in compiled] == [["packs", "build", "--isa", "here"]] * 2
    called.clear()
    solver.built(stub, tmp_path, [6], [Variant("none"), Variant("step", "cuda")], 2)
    assert len(called) == 2  # no kernel for the CPU


def test_refuses_what_it_has_no_case_for() -> None:
    with pytest.raises(ArgumentError, match="1, 6, 16"):
        solver.measure(Request(ns=(7,)))
    with pytest.raises(ArgumentError, match="one number of ranks"):
        solver.measure(Request(ns=(1,), ranks=(1, 2)))
    with pytest.raises(ArgumentError, match="points.*8 x 8 x 8.*16 blocks"):
        solver.measure(Request(ns=(1,), ranks=(8,), points=8))


def test_blocks() -> None:
    assert solver.shape((128, 128, 64), 1).blocks == (1, 2, 1)
    assert solver.shape((8, 8, 8), 2).blocks == (1, 2, 2)
    assert solver.shape((128, 128, 128), 16).blocks == (2, 4, 4)
    assert solver.shape((128, 128, 128), 16).of_one_rank() == Shape((64, 64, 32), (1, 2, 1), 1)


def test_a_run_that_fails_says_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "echo out of luck; exit 3"
    monkeypatch.setattr(solver, "launcher", lambda: (["sh", "-c", said], ""))
    made = solver.Solver(STUB, tmp_path / "flow", {1: tmp_path}, tmp_path, 1)
    given = solver.shape((8, 8, 8), 1)
    with pytest.raises(BridgeError, match="ended with 3:\nout of luck"):
        solver.solve(made, 1, given, Variant("none"))
    monkeypatch.setattr(solver, "launcher", lambda: (["echo", "backend cpu"], ""))
    with pytest.raises(BridgeError, match="step, GPU: the run does not say `backend cuda`"):
        solver.solve(made, 1, given, Variant("step", "cuda"))
    with pytest.raises(BridgeError, match="the solver wrote no"):
        solver.solve(made, 1, given, Variant("step", "cpu"))


def test_timers(tmp_path: Path) -> None:
    file = tmp_path / "timers"
    totals = {"properties": 0.3, "flow": 0.1, "exchange": 0.04, "time_loop": 0.5}
    lines: list[dict[str, Any]] = [{"part": "run", "steps": 2}]
    lines += [{"part": name, "mean": 0.0, "max": total} for name, total in totals.items()]
    file.write_text("\n".join(map(json.dumps, lines)))
    assert solver.timed(file, 2) == Times(0.25, 0.15, 0.05, 0.02)
    with pytest.raises(BridgeError, match="2 steps, wanted 3"):
        solver.timed(file, 3)


def test_rows_of_a_gpu(tmp_path: Path) -> None:
    """Timers of the host say nothing of the parts of a step on a device; its bound does."""
    pytest.importorskip("matplotlib")
    slow = Times(0.1, 0.08, 0.01, 0.001)
    runs = {
        Variant("none"): slow,
        Variant("properties", "cuda", True): replace(slow, step=0.03, properties=0.01),
        Variant("step", "cuda"): replace(slow, step=0.005),
    }
    report = Report("")
    lines = solver._add(report, 6, solver.shape((128, 128, 128), 16), runs, 0.004)
    assert [line["variant"] for line in lines] == ["none", "properties, GPU, MPS", "step, GPU"]
    assert lines[1]["most x"] == "5.0" and lines[1]["properties x"] == "8.0"
    assert lines[2] | {"x": "20.00", "bound ms": "4.00", "% of the bound": "80"} == lines[2]
    assert "properties" not in lines[2] and "bound ms" not in lines[1]
    of_a_step = {row.name for row in report.rows if row.params["variant"] == "step, GPU"}
    assert of_a_step == {"step", "bound", "of the bound"}
    solver.plot(report, str(tmp_path / "rows.png"))
    assert (tmp_path / "rows.png").stat().st_size > 10000


@pytest.mark.mpi
@pytest.mark.fortran
def test_bytes_of_a_step(once: Once) -> None:
    """Of two species: words of kernels in a stage, of properties, and of a step; 4 bytes of a
    status, which is written and read."""
    pack = Path(loops(once)["BRIDGE_PACKS"])
    gradient, advection, viscous, add = 3 + 3, 5 + 5 + 2 + 6, 7 + 6 + 2 + 2 + 12, 12 + 6
    kernels = 3 * (gradient + advection + viscous + add) + (6 + 7) + (2 * 7 + 6 + 1)
    properties = (5 + 5 + 2) + (4 + 2 + 4)
    found = stepbytes.bytes_of_a_cell(pack, 2)
    assert found == 3 * (8 * (kernels + properties) + 2 * 4) + 8 * (2 * 7 + 6 + 4)


def test_components_that_a_kernel_reads() -> None:
    text = (
        "for (int s = 1; s <= 3; ++s) { x = q_im1[s + 4] + q[0] * prop[s]; y = q_jp2[2 +\n 6]; }"
    )
    assert stepbytes.read(text, "flow_q") == {0, 5, 6, 7, 8}
    assert stepbytes.read(text, "flow_prop") == {1, 2, 3}
    with pytest.raises(BridgeError, match="not understood: n - 1"):
        stepbytes.read("q[n - 1]", "flow_q")
    with pytest.raises(BridgeError, match="no component of flow_u"):
        stepbytes.read(text, "flow_u")


def test_a_program_that_is_run() -> None:
    assert processes.run(["echo", "well"], {}) == "well\n"
    with pytest.raises(BridgeError, match="false ended with 1"):
        processes.run(["false"], {})
