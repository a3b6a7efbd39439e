"""The benchmarks run and give rows of the right form. How fast anything is, no test says."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.backends.cuda import CudaBackend
from bridge.bench import closurekernels, cubicfit, kernels, many, resident
from bridge.bench.blocks import BoundBlock
from bridge.bench.programs import FULL, THERMAL, ViewProgram, worst_difference
from bridge.bench.request import Request, parse_ns
from bridge.cli import main
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.fortran import BUILDS, FortranPhysics, sources
from bridge.measuring.report import Report, Row
from bridge.measuring.states import States, random_states
from bridge.measuring.timing import time_in_turns
from bridge.physics.species import SpeciesData

FORTRAN = {"fortran-O2", "fortran-fast", "fortran-tuned"}

fortran = pytest.mark.fortran
needs_gfortran = pytest.mark.skipif(shutil.which("gfortran") is None, reason="no gfortran")


def rows_of(path: Path) -> list[dict[str, Any]]:
    content = json.loads(path.read_text())
    assert {"processor", "date", "cores"} <= set(content["machine"])
    for row in content["rows"]:
        assert set(row) == {"name", "params", "value", "unit", "reference", "ratio"}
        assert row["value"] > 0.0 and (row["ratio"] is None) == (row["reference"] is None)
    rows: list[dict[str, Any]] = content["rows"]
    return rows


# ---- the commands -----------------------------------------------------------------------


@fortran
@needs_gfortran
def test_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    out, picture = tmp_path / "rows.json", tmp_path / "rows.png"
    tiny = ["--points", "64", "--seconds", "0.01", "--ns", "1,2,3,4,5"]
    arguments = ["bench", "kernels", *tiny, "--json", str(out), "--plot", str(picture)]
    assert main([*arguments, "--without-cantera"]) == 0
    rows = rows_of(out)
    costs = [row for row in rows if row["name"] in ("state", "option", "phases")]
    assert {row["params"].get("from") for row in costs if row["name"] == "state"} == {
        *("T, P", "rho, e", "rho, e from 300 K", "rho, P", "h, P", "s, P")
    }
    assert {row["params"].get("option") for row in costs if row["name"] == "option"} == {
        *("default", "volumeShift", "dilute", "denseDiffusion", "cubic", "viscosity")
    }
    phases = [row["params"] for row in costs if row["name"] == "phases"]
    ways = ("", ", from the last", ", at rho, e")
    one_phase, two_phases = ({of + way for way in ways} for of in ("one phase", "two phases"))
    assert {one["of"] for one in phases} == {"thermal", "saturation", *one_phase, *two_phases}
    assert all(one["ns"] > 1 for one in phases if one["of"] in two_phases)
    rows = [row for row in rows if row not in costs]
    assert {row["name"] for row in rows} == {"thermal-set", "full-set"}
    ours = [row for row in rows if row["params"]["backend"] == "cpu"]
    for name, variants in (("thermal-set", {"exact"}), ("full-set", {"exact", "fitted"})):
        for ns in range(1, 6):
            mine = [r for r in ours if r["name"] == name and r["params"]["ns"] == ns]
            assert {r["params"]["variant"] for r in mine} == variants
            for variant in variants:
                of = [r for r in mine if r["params"]["variant"] == variant]
                single = {r["reference"] for r in of if r["params"]["threads"] == 1}
                assert single == FORTRAN
                assert {r["reference"] for r in of if r["params"]["threads"] == 2} == {
                    "one thread"
                }
    assert all(row["unit"] == "ns/point" and row["params"]["isa"] for row in ours)
    assert picture.read_bytes().startswith(b"\x89PNG")
    printed = capsys.readouterr().out
    assert "thermal-set" in printed and "NS^3" in printed and "noise" in printed


@fortran
@needs_gfortran
def test_blocks(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    tiny = ["--points", "512", "--seconds", "0.01", "--ns", "1,3", "--isa", "v2"]
    assert main(["bench", "blocks", *tiny, "--json", str(out)]) == 0
    rows = [row for row in rows_of(out) if row["params"]["backend"] == "cpu"]
    assert {row["name"] for row in rows} == {"array-to-array"}
    found = {(r["params"]["ns"], r["params"]["variant"], r["reference"]) for r in rows}
    assert found == set(itertools.product((1, 3), ("exact", "fitted"), FORTRAN))
    assert {row["params"]["isa"] for row in rows} == {"v2"}


def test_many(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    tiny = ["--points", "1536", "--seconds", "0.01", "--ns", "1", "--isa", "v2"]
    assert main(["bench", "many", *tiny, "--json", str(out)]) == 0
    found = {(r["name"], r["params"]["variant"], r["params"]["blocks"]) for r in rows_of(out)}
    assert found == set(
        itertools.product(("many-blocks", "one-block", "regrid"), ("last", "first"), (3,))
    )


@pytest.mark.gpu
def test_many_on_a_gpu(tmp_path: Path, cuda: CudaBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    api: Any = cuda.device.api
    monkeypatch.setattr(many, "open_backend", lambda _: CudaBackend(api=api))
    monkeypatch.setattr(many, "TOGETHER", 2)
    out = tmp_path / "rows.json"
    tiny = ["--points", "1536", "--seconds", "0.01", "--ns", "1", "--backend", "cuda"]
    assert main(["bench", "many", *tiny, "--json", str(out)]) == 0
    rows = rows_of(out)
    names = [f"{blocks}{where}" for blocks in ("many-blocks", "one-block")
             for where in ("", "-resident")]  # fmt: skip
    found = {(row["name"], row["params"]["variant"]) for row in rows}
    assert found == set(itertools.product((*names, "regrid"), ("last", "first")))
    for row in rows:
        kind, _, where = row["name"].partition("-blocks")
        assert row["reference"] == (f"one-block{where}" if kind == "many" else None)


def test_evaluate(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    tiny = ["--points", "2500", "--seconds", "0.01"]
    assert main(["bench", "evaluate", *tiny, "--json", str(out)]) == 0
    rows = rows_of(out)
    one = [row for row in rows if row["params"]["points"] == 1]
    assert len(one) == 4 and {row["reference"] for row in one} == {"50 us"}
    many = [row for row in rows if row["params"]["points"] == 2500]
    assert len(many) == 3 * 4 and {row["unit"] for row in many} == {"ns/point"}
    assert all(row["value"] > 0.0 for row in rows)


def test_closures(tmp_path: Path) -> None:
    """Kernels in Python; that all candidates have the same results, the benchmark looks itself."""
    out = tmp_path / "rows.json"
    tiny = ["--points", "2500", "--seconds", "0.01", "--isa", "v2"]
    assert main(["bench", "closures", *tiny, "--json", str(out)]) == 0
    rows = rows_of(out)
    names = [one.kernel.name for one in closurekernels.CLOSURES]
    found = {(row["name"], row["reference"]) for row in rows}
    assert found == set(itertools.product(names, ("C++ by hand", "NumPy")))
    assert {(row["unit"], row["params"]["isa"]) for row in rows} == {("ns/point", "v2")}


def test_marshal(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    arguments = ["bench", "marshal", "--points", "6144", "--seconds", "0.01"]
    assert main([*arguments, "--json", str(out)]) == 0
    rows = rows_of(out)
    found = {(r["name"], r["params"]["order"], r["reference"], r["unit"]) for r in rows}
    orders = ("component last", "component first")
    assert found == set(itertools.product(("pack", "unpack"), orders, ("memcpy",), ("GB/s",)))


def test_cantera_takes_part() -> None:
    pytest.importorskip("cantera")
    from bridge.bench.canteraloop import CanteraLoop

    loop = CanteraLoop(random_states(3, 8), 4)
    assert loop.n == 4 and not loop.missing
    loop.run_thermal()
    loop.run_full()


TAKE = {
    "--seconds": (
        "kernels",
        "blocks",
        "many",
        "loops",
        "marshal",
        "evaluate",
        "timers",
        "closures",
    ),
    "--points": ("kernels", "blocks", "many", "loops", "marshal", "offload", "ranks", "solver"),
    "--threads": ("kernels", "loops"),
    "--ns": ("kernels", "blocks", "many", "offload", "ranks", "solver", "timers"),
    "--ranks": ("ranks", "solver"),
}


@pytest.mark.parametrize(
    ("option", "value", "wanted"),
    [
        *(("--seconds", value, "a time above 0") for value in ("-1", "0", "nan", "inf")),
        *(("--points", value, "at least 1") for value in ("-8", "0")),
        *(("--threads", value, "at least 1") for value in ("-2", "0")),
        *(("--ns", value, "1 to 54, the shipped species") for value in ("4,0", "-1", "4,999")),
        *(("--ranks", value, "at least 1 each") for value in ("0", "2,-1")),
        *((option, "", "numbers such as 1,4,16") for option in ("--ns", "--ranks")),
    ],
)
def test_numbers_that_no_benchmark_takes(
    capsys: pytest.CaptureFixture[str], option: str, value: str, wanted: str
) -> None:
    for name in TAKE[option]:
        assert main(["bench", name, f"{option}={value}"]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"bridge: argument {option}: got ") and line.endswith(wanted)


@pytest.mark.parametrize("what", ["build", "--resources"])
def test_numbers_of_species_that_no_kernel_takes(
    capsys: pytest.CaptureFixture[str], what: str
) -> None:
    assert main(["kernels", what, "--arch", "sm_90", "--ns", "4", "-2"]) == 1
    assert capsys.readouterr().err == "bridge: argument --ns: got -2, wanted at least 1 species\n"


def test_bad_requests(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["bench", "kernels", "--ns", "1,many"]) == 1
    assert "--ns: got '1,many'" in capsys.readouterr().err
    assert main(["bench", "kernels", "--fortran-stub", str(tmp_path)]) == 1
    assert "pointloops.f90" in capsys.readouterr().err
    with pytest.raises(ArgumentError, match="points"):
        Request(points=0)
    assert parse_ns("1, 4 16") == (1, 4, 16)
    with pytest.raises(ArgumentError, match="1 to 54"):
        random_states(55, 1)


# ---- what is timed --------------------------------------------------------------------------


@fortran
@needs_gfortran
@pytest.mark.parametrize("ns", [1, 2, 9])
def test_all_candidates_have_the_same_answer(ns: int) -> None:
    """The legacy Fortran at both sets of flags, the tuned one, the bridge: the same properties."""
    states = random_states(ns, 200)
    states.Y[3, 0] -= 0.01  # negative where it is small, and a sum that is not one
    states.Y[4] *= 1.5
    ours = ViewProgram(states, FULL)
    ours.run()
    for name in BUILDS:
        physics = FortranPhysics(name, sources(None))
        physics.use(states.species)
        sets = physics.sets(states)
        sets.run_full()
        assert worst_difference(ours, sets, full=True) < 1e-11
        full = sets.thermal.copy()
        sets.run_thermal()
        np.testing.assert_allclose(sets.thermal, full, rtol=1e-13)


@fortran
@needs_gfortran
def test_candidates_that_disagree_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "AGREEMENT", 0.0)
    with pytest.raises(BridgeError, match="nothing is timed"):
        kernels.measure(Request(ns=(2,), points=16, seconds=0.01, cantera=False))


@fortran
@needs_gfortran
def test_tuned_fortran_poisons_fatal_points_alone() -> None:
    states = random_states(2, 6)
    states.T[1], states.P[2], states.Y[4] = -1.0, 0.0, 0.0
    physics = FortranPhysics("fortran-tuned", sources(None))
    physics.use(states.species)
    sets = physics.sets(states)
    sets.run_full()
    assert [status & 7 for status in sets.status] == [0, 1, 2, 0, 4, 0]
    fatal = (sets.status & 7) != 0
    assert (sets.eta[~fatal] > 0.0).all() and (sets.thermal[~fatal, 0] > 0.0).all()


@fortran
@needs_gfortran
def test_tuned_fortran_counts_the_roots_of_a_thin_gas() -> None:
    """Where a third cosine would count roots that are not there."""
    rng = np.random.default_rng(12)
    T = np.append(rng.uniform(200.0, 1500.0, 500), 598.3728)
    P = np.append(10.0 ** rng.uniform(-3.0, 4.0, 500), 2.7536)
    states = States(SpeciesData.load(["H2O"]), T, P, np.ones((501, 1)))
    physics = FortranPhysics("fortran-tuned", sources(None))
    physics.use(states.species)
    sets = physics.sets(states)
    sets.run_thermal()
    ours = bridge.evaluate("H2O", T, P, 1.0, ("rho",))
    np.testing.assert_array_equal(sets.status & 64, ours["status"] & 64)
    assert not sets.status[-1] & 64 and (sets.status[:-1] & 64).any()


def test_bound_block_leaves_fringes_alone() -> None:
    block = BoundBlock(random_states(2, 1024), "exact", None)
    block.run()
    fringe = np.ones(block.properties.shape[:3], dtype=bool)
    fringe[2:-2, 2:-2, 2:-2] = False
    assert (block.properties[fringe] == -1.0).all()
    assert (block.properties[~fringe][:, 0] > 0.0).all()


def test_views_and_blocks_agree() -> None:
    states = random_states(3, 512)
    views, block = ViewProgram(states, THERMAL), BoundBlock(states, "exact", None)
    views.run()
    block.run()
    rho = block.properties[2:-2, 2:-2, 2:-2, 0].reshape(-1)
    np.testing.assert_allclose(rho, views.results["rho"][0], rtol=1e-13)


# ---- timing, fits, reports ---------------------------------------------------------------


def test_a_race_takes_turns_and_counts_its_clock() -> None:
    now, calls = [0.0], []

    def candidate(name: str, cost: float) -> Callable[..., Any]:
        def run() -> None:
            calls.append(name)
            now[0] += cost

        return run

    pair = {"slow": candidate("slow", 3.0), "fast": candidate("fast", 1.0)}
    times = time_in_turns(pair, seconds=80.0, turn=0.0, clock=lambda: now[0])
    assert len(times.rounds["slow"]) == 10
    assert times.median("slow") == 3.0 and times.ratio("fast", "slow") == 3.0
    assert times.fastest("fast") == 1.0
    # after a warm and a measured call of each; a turn is an untimed call and a timed one
    assert calls[4:] == ["slow", "slow", "fast", "fast"] * 10
    short = time_in_turns(
        {"fast": candidate("fast", 1.0)}, seconds=0.0, turn=4.0, clock=lambda: now[0]
    )
    assert len(short.rounds["fast"]) == 5 and short.median("fast") == 1.0
    # what puts data back comes before each call, and its time does not count
    calls.clear()
    again = time_in_turns(
        {"fast": candidate("fast", 1.0)}, seconds=0.0, turn=2.0, clock=lambda: now[0],
        before={"fast": candidate("back", 7.0)},
    )  # fmt: skip
    assert again.median("fast") == 1.0 and calls == ["back", "fast"] * (2 + 5 * 3)


NS = [1, 2, 4, 8, 16, 32, 53]


def test_fit_finds_a_cubic_and_knows_noise() -> None:
    x = np.array(NS, dtype=float)
    found = cubicfit.fit(NS, list(20.0 + 3.0 * x + 0.5 * x**2 + 0.01 * x**3))
    assert found is not None
    assert found.coefficients == pytest.approx([20.0, 3.0, 0.5, 0.01], rel=1e-6)
    assert not found.noise and "real" in str(found)
    assert found.share == pytest.approx(0.01 * 53**3 / (20 + 159 + 0.5 * 53**2 + 0.01 * 53**3))
    jitter = 1.0 + 0.03 * np.array([1, -1, 1, -1, 1, -1, 1])
    square = cubicfit.fit(NS, list((20.0 + 3.0 * x + 0.5 * x**2) * jitter))
    assert square is not None
    assert square.noise and "noise" in str(square)
    assert cubicfit.fit(NS[:4], [1.0, 2.0, 3.0, 4.0]) is None


def test_report_prints_its_summary_or_its_rows() -> None:
    report = Report("Title", [Row("one", {"ns": 1}, 2.5, "ns", "other", 4.0)])
    assert "4.00" in report.text() and "ns=1" in report.text()
    report.summary = "a table"
    assert report.text().endswith("a table") and report.text().startswith("Title")


@pytest.mark.gpu
def test_resident_launches(cuda: CudaBackend) -> None:
    """Every kernel has a row for each order, and a share of a copy."""
    report = resident.measure_on(cuda, 12, sources(None))
    rates = [row for row in report.rows if row.unit == "GB/s"]
    assert [row.name for row in rates] == [name for name in resident.KERNELS for _ in range(2)]
    assert all(row.value > 0 and row.ratio is not None for row in rates)
    assert rates[0].params["bytes"] == 16 * 12**3 and "goal 85%" in report.summary
