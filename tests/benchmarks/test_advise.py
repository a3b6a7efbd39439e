"""`bridge advise`: counts are exact, bounds are figures times counts, a verdict follows. How fast
this machine is, no test says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from standin import StandIn

import bridge
from bridge import machine
from bridge.advise import limits
from bridge.advise.advice import Advice, advise, arithmetic
from bridge.advise.counting import work
from bridge.backends.cuda import CudaBackend
from bridge.backends.host.library import choose
from bridge.cli import main
from bridge.errors import BridgeError
from bridge.machine import Figures, Gpu
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.timers import Timers, table

LOOPS = Path(__file__).parents[2] / "fortran_stub" / "bench" / "loops"

CATALOGUE = """
[constant.rate]
unit = "1"
value = 2.0
[quantity]
one = { unit = "1" }
two = { unit = "1" }
word = { unit = "1", type = "int32" }
three = { unit = "1", columns = "3" }
four = { unit = "1", columns = "4" }
[[kernel]]
name = "first"
header = "kernels.h"
inputs = ["one", "three", "rate"]
outputs = ["two", "word"]
[[kernel]]
name = "second"
header = "kernels.h"
inputs = ["two", "word", "four"]
outputs = ["four"]
[[composite]]
name = "both"
inputs = ["one", "three", "four"]
outputs = ["four"]
"""

KERNELS = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class In>
BRIDGE_FN void first(const Shared&, Real a, const In& b, Real rate, Real& two, Bits<Real>& word) {
    const Real twice = a * rate;            // 1 multiply
    two = twice + b[0];                     // 1 add: the product in the variable is rounded
    two += b[1] * rate - b[2];              // 1 multiply and 1 add, one instruction; 1 add
    two = two * 3.0;                        // 1 multiply
    word = select(a > 0.0, Bits<Real>(1), Bits<Real>(2));  // 1 comparison
}
template <class Real, class In, class Out>
BRIDGE_FN void second(const Shared&, Real two, Bits<Real> word, const In& four, Out& next) {
    const Real base = select(word == Bits<Real>(1), two + 1.0, two);        // 1 add, 1 choice
    for (int k = 0; k < 3; ++k) next[k] = sqrt(four[k]) / base + exp(two);  // 3 of each
    next[3] = pow(base, 3) + pow(base, 0.5)  // 2 multiplies, pow, add
              + max(base, two);              // add, 1 choice
}
}
"""

#: A machine whose figures are easy to compute with.
FIGURES = Figures(
    "node7", "2020-02-02", "Processor", 4, "v3", (1e10, 2e10), (1e11, 4e11),
    dict.fromkeys(limits.OPERATIONS, 0.25), dict.fromkeys(limits.OPERATIONS, 2.0),
)  # fmt: skip
GPU = Gpu("GPU", 5e10, 2.5e10, 2e12, 1e13)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "counted_pack"
    folder.mkdir()
    (folder / "catalogue.toml").write_text(CATALOGUE)
    (folder / "kernels.h").write_text(KERNELS)
    return folder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    yield tmp_path / "cache"


# ---- counts ---------------------------------------------------------------------------------


def test_operations_are_counted_as_written(pack: Path) -> None:
    catalogue = Catalogue.load([shipped_file(), pack / "catalogue.toml"])
    first = work(catalogue.single("first", 1), catalogue, 1, {})
    assert first.operations == {"add": 3, "multiply": 3, "fused": 1, "choose": 1}
    traffic = first.traffic  # a word has 4 bytes
    assert (traffic.read, traffic.written, traffic.fetched) == (8 * 4, 8 + 4, 8 + 4)
    assert first.columns == (4, 2)
    both = work(catalogue.composite_plan(catalogue.composite("both"), 1), catalogue, 1, {})
    assert both.operations == {
        "add": 3 + 1 + 3 + 2,
        "multiply": 3 + 2,
        "fused": 1,  # base**3 is a number, not a product
        "divide": 3,
        "sqrt": 3,
        "exp": 3,
        "pow": 1,
        "choose": 1 + 1 + 1,
    }
    # the constant is no array; `four` is read, so its lines are there when it is written
    traffic = both.traffic
    assert (traffic.read, traffic.written, traffic.fetched) == (8 * 8, 8 * 4, 0)
    assert both.columns == (8, 4) and both.between == 16 * 2


def test_the_shipped_physics_can_be_counted() -> None:
    """Searches, integers per point and tables; sums over pairs are between ns and ns squared."""
    catalogue = Catalogue.shipped()
    composite, counts = catalogue.composite("eosThermalAndViscousProperties"), []
    for ns in (8, 16):
        plan = catalogue.composite_plan(composite, ns, outputs=["eta", "D_im", "status"])
        counts.append(work(plan, catalogue, ns, {}).operations["multiply"])
    assert 2.0 < counts[1] / counts[0] < 4.0
    search = catalogue.composite_plan(catalogue.composite("prEOSCalcTFromHP"), 2)
    once = catalogue.composite_plan(catalogue.composite("eosRhohFromTPprop"), 2)
    times = [work(plan, catalogue, 2, {}).operations["divide"] for plan in (search, once)]
    assert times[0] > 3 * times[1]


def test_a_header_that_does_not_compile_shows_the_compilers_words(pack: Path) -> None:
    header = pack / "kernels.h"
    header.write_text(header.read_text().replace("twice + b[0]", "nothing_of_the_kind"))
    with pytest.raises(BridgeError, match=r"(?s)first cannot be counted.*nothing_of_the_kind"):
        advise("first", FIGURES, pack=pack)


# ---- bounds and verdicts --------------------------------------------------------------------


def bounds(advice: Advice) -> dict[str, tuple[float, float]]:
    return {b.name.partition(",")[0]: (b.one, b.every) for b in advice.bounds}


def test_bounds_are_bytes_and_operations_at_the_figures() -> None:
    advice = advise("pointwise", FIGURES, pack=LOOPS, link=2e10)
    # 5 columns in, 6 out and fetched: 136 bytes
    memory, loop, kernels, link = ((b.one, b.every) for b in advice.bounds)
    assert memory == pytest.approx((13.6, 6.8))
    counted = advice.work.operations
    assert counted["divide"] == 1 and counted["sqrt"] == 1
    steps = sum(counted.values()) - 2 * counted["fused"]
    assert loop == pytest.approx((2.0 * steps, 0.5 * steps))
    assert kernels == pytest.approx((0.25 * steps, 0.25 * steps / 4))
    assert link == pytest.approx((2.4, 2.4))  # 48 bytes back are more than 40 there
    # where the arrays fit the second cache
    few = advise("pointwise", FIGURES, pack=LOOPS, points=100)
    assert few.place == "cache" and few.bounds[0].one == pytest.approx(1.36)
    many = advise("pointwise", FIGURES, pack=LOOPS, points=10**7)
    assert many.place == "memory" and len(many.bounds) == 3
    assert "no GPU was looked at" in many.verdict


def test_a_gpu_that_is_there_has_bounds_of_its_own() -> None:
    advice = advise("update", replace(FIGURES, gpu=GPU), pack=LOOPS)
    assert advice.bounds[3].one == pytest.approx(88 / 50)
    assert advice.bounds[4].one == pytest.approx(128 / 2000)
    stated = advise("update", replace(FIGURES, gpu=GPU), pack=LOOPS, link=1e9)
    assert stated.bounds[3].one == pytest.approx(88) and "1 GB/s" in stated.bounds[3].name


@pytest.mark.parametrize(
    ("change", "link", "words"),
    [
        ({}, 1e9, ("Memory bound", "88 over the link", "stays on the CPU", "cannot gain")),
        ({}, 1e12, ("Memory bound", "a GPU may gain up to 73x")),
        ({"memory": (1e12, 1e12)}, 1e9, ("Arithmetic bound", "stays on the CPU", "up to 8x")),
        # a GPU that is faster than the loop, but not than the kernels here
        ({"memory": (2e12, 2e12)}, 1e11, ("Arithmetic bound", "stays on the CPU", "up to 8x")),
        ({"memory": (2e11, 2e11)}, 1e9, ("Bound by memory once it is on vectors", "up to 3.9x")),
    ],
)
def test_verdicts(change: dict[str, Any], link: float, words: list[str]) -> None:
    figures = replace(FIGURES, **change)
    verdict = advise("update", figures, pack=LOOPS, link=link).verdict
    for word in words:
        assert word in verdict, verdict


def test_arithmetic_of_operations_that_are_not_measured() -> None:
    cost = dict.fromkeys(limits.OPERATIONS, 1.0) | {"divide": 5.0, "pow": 50.0}
    assert arithmetic({"mod": 2.0, "pow": 1.0, "choose": 3.0}, cost) == 2 * 5 + 50 + 3
    assert arithmetic({"add": 4.0, "multiply": 3.0, "fused": 2.0}, cost) == 5.0


# ---- the machine ----------------------------------------------------------------------------


def test_figures_are_kept_and_read(cache: Path) -> None:
    assert machine.known("v3") is None
    figures = replace(FIGURES, gpu=GPU)
    file = machine.keep(figures)
    assert file.is_relative_to(cache) and machine.known("v3") == figures
    assert machine.known("v2") is None
    for text in ("", "{", '{"form": 1}', file.read_text().replace('"form": 1', '"form": 0')):
        file.write_text(text)
        assert machine.known("v3") is None
    assert [FIGURES.bandwidth(n) for n in (1, 2, 16)] == [1e10, 2e10, 2e10]


def test_the_command(
    cache: Path, pack: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = cache.parent / "advice.json"
    line = ["advise", "both", "--pack", str(pack), "--link", "25", "--json", str(file)]
    monkeypatch.setattr(limits, "MOST", 1 << 22)
    monkeypatch.setattr(limits, "TURN", 1e-4)
    assert main(line) == 0
    told = capsys.readouterr()
    assert "measuring this machine" in told.err and "kept in" in told.err
    assert "reads 64 B in 8 columns, writes 32 B in 4" in told.out and "25 GB/s" in told.out
    written = json.loads(file.read_text())
    figures = written["figures"]
    assert written["verdict"] in told.out and written["work"]["operations"]["sqrt"] == 3
    assert set(figures["vector"]) == set(figures["scalar"]) == set(limits.OPERATIONS)
    rates = [*figures["memory"], *figures["cache"], *figures["vector"].values()]
    assert all(0.0 < rate < 1e15 for rate in rates)
    monkeypatch.setattr("bridge.advise.limits.measure", lambda *_: 1 / 0)
    assert main(line) == 0
    assert "measuring" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("bothe",), "argument name: got 'bothe', wanted a composite or kernel of the catalogue"),
        (("first", "--outputs", "two"), "none: first is a kernel"),
        (("both", "--outputs", "two"), "an output of both"),
        (("both", "--points", "0"), "argument --points"),
        (("both", "--link", "-1"), "argument --link: got -1.0, wanted GB/s"),
        (("both", "--ns", "0"), "argument --ns"),
    ],
)
def test_what_it_refuses(
    cache: Path, pack: Path, capsys: pytest.CaptureFixture[str], words: list[str], wanted: str
) -> None:
    isa = choose().isa
    machine.keep(replace(FIGURES, isa=isa))
    assert main(["advise", *words, "--pack", str(pack)]) == 1
    (told,) = capsys.readouterr().err.splitlines()
    assert wanted in told


# ---- after the fact -------------------------------------------------------------------------


def test_a_report_tells_the_share_of_the_limit_where_it_is_known(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for figures in (None, replace(FIGURES, isa=choose().isa, memory=(1e9, 1e9))):
        if figures is not None:
            machine.keep(figures)
        frame = bridge.Frame()
        for key, value in {"species": "N2", "backend": "cpu", "threads": "1"}.items():
            frame.set(key, value)
        frame.initialize(0, 100, 1, 0)
        for points in (300, 7):  # two sets, one name in the table
            arrays = [np.full((points, 1, 1), v, order="F") for v in (300.0, 1e5, 1.0, 0.0)]
            for name, array in zip(("T", "P", "Y", "rho"), arrays, strict=True):
                intent = "out" if name == "rho" else "in"
                frame.tvproperties.bind_array(f"set{points}", name, intent, array)
            frame.tvproperties.run(f"set{points}", "eosRhohFromTPprop")
            frame.tvproperties.run(f"set{points}", "eosRhohFromTPprop")
        counts = frame._observers.timers.snapshot()["run eosRhohFromTPprop"]
        assert counts[0] == 4 and counts[5] == 2 * 307 * 8 * (3 + 2)
        frame.report()
        frame.finalize()
        printed = capsys.readouterr().out
        assert ("memory limit 1 GB/s, of node7, 2020-02-02" in printed) == (figures is not None)
        assert ("% of the" in printed) == (figures is not None)
    (row,) = [line for line in printed.splitlines() if "run eosRhohFromTPprop" in line]
    assert float(row.split()[-1]) == pytest.approx(100.0 * counts[5] / counts[1], abs=0.6)


@pytest.mark.parametrize("whole", [False, True])
def test_a_reduction_moves_what_reaches_memory(whole: bool) -> None:
    """The inputs alone where what it makes is made in pieces; made whole, the values as well,
    which are fetched before they are written."""
    frame = bridge.Frame()
    for key, value in {"species": "N2", "backend": "cpu", "threads": "1"}.items():
        frame.set(key, value)
    frame.initialize(0, 100, 1, 0)
    tv, points = frame.tvproperties, 3000
    if whole:
        tv.impl.backend.columns_apart = lambda columns: None  # type: ignore[method-assign]
    for name, state in {"T": 300.0, "P": 1e5, "Y": 1.0}.items():
        tv.bind_array("cells", name, "in", np.full((points, 1, 1), state, order="F"))
    for _ in range(2):
        tv.reduce("cells", "rho", "sum")
    timers = frame._observers.timers.snapshot()
    frame.finalize()
    (counts,) = [counts for name, counts in timers.items() if name.startswith("run ")]
    assert counts[0] == 2 and counts[5] == 2 * points * 8 * (3 + (2 if whole else 0))


def test_timers_of_one_name_stand_in_one_row() -> None:
    timers = Timers()
    timers.moving("run", 80).add(1000)
    timers.moving("run", 80).add(3000)
    timers.moving("run", 8).add(500)
    timers["other"].add(100)
    assert timers.snapshot() == {
        "run": (3, 4500, 500, 3000, 0, 168, 0, 0),
        "other": (1, 100, 100, 100, 0, 0, 0, 0),
    }
    ranks = [timers.snapshot(), timers.snapshot()]
    last = [line.split()[-1] for line in table(ranks, "memory limit", 1e9).splitlines()[-2:]]
    assert last == ["4", "2.2"]  # 168 bytes in 4500 ns; what moves nothing has no share
    assert "memory" not in table(ranks) and os.linesep in table(ranks)


def test_figures_of_a_gpu_are_those_of_the_offload_benchmark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api: Any = StandIn()
    monkeypatch.setattr(limits, "CudaBackend", lambda: CudaBackend(api=api))
    monkeypatch.setattr("bridge.bench.limits.Limits._peak", lambda _: 6.0)
    gpu = limits._gpu()
    assert gpu.name == api.devices()[0].name and gpu.arithmetic == 3.0
    assert min(gpu.to, gpu.back, gpu.memory) > 0.0
