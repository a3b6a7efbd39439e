"""Kernels of a nest that run together, and those that do not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packsbuilt import ISA, build_here
from port.nestpack import catalogue, kernels
from port.outlined import Case

import bridge
from bridge_port.kernel import Kernel
from bridge_port.output.module import module_text
from bridge_port.output.runs import run_names, runs
from bridge_port.program.program import Program
from bridge_port.survey.processes import Clock
from bridge_port.survey.units import Looking

FILE = Path(__file__).with_name("together.f90")
#: Each with one reason.
APART = Path(__file__).with_name("apart.f90")
SIZES = {"nx": 9, "ny": 6, "nz": 5, "mode": 1}


def numbers(unit: str, file: Path = FILE) -> list[list[int]]:
    """Of the kernels in each run, from 1."""
    made = kernels(Program([file]), Case(unit, SIZES))
    found = [[1 + made.index(k) for k in some] for some in runs(made)]
    names = run_names(made, unit)
    assert len(names) == len(found) == len(set(names))
    return found


@pytest.mark.parametrize(
    ("unit", "wanted"),
    [
        ("together", [[1, 2, 3, 4, 5]]),
        ("apart", [[1], [2], [3], [4], [5]]),
        ("lines", [[1], [2]]),
    ],
)
def test_which_kernels_run_together(unit: str, wanted: list[list[int]]) -> None:
    assert numbers(unit) == wanted


@pytest.mark.parametrize("unit", ["swept", "picked", "further", "planes"])
def test_one_reason_keeps_two_kernels_apart(unit: str) -> None:
    assert numbers(unit, APART) == [[1], [2]]


def test_a_kernel_runs_with_all_before_it_or_with_none() -> None:
    assert numbers("later", APART) == [[1, 2], [3]]


def test_the_module_runs_them_once() -> None:
    """One run and one call with all constants; the work line stays between the kernels, and what
    is compared and recorded is still kernel after kernel."""
    program = Program([FILE])
    made = kernels(program, Case("together", SIZES))
    text = module_text("together", program.find("together"), program, made)
    run = text[text.index("subroutine run_together") : text.index("end subroutine run_together")]
    assert run.count("call frame_run(") == 1
    assert run.count("call frame_constant") == 1 and "call frame_constants(" in run
    assert run.count("call frame_reduce_several('together_together'") == 1
    assert "call frame_reduce(" not in run
    bound = [line for line in text.splitlines() if "frame_bind('together_together'" in line]
    assert not any("line" in line for line in bound)
    assert sum("rhs" in line for line in bound) == 1
    assert text.count("call frame_record(") == len(made) == 5


def test_the_survey_counts_what_a_run_moves_once() -> None:
    program = Program([FILE])
    made = kernels(program, Case("together", SIZES))
    work = Looking(program, Clock()).work(made, 3)
    assert (work.kernels, len(runs(made))) == (5, 1)
    # u, f and w are read, rhs, w and the fields of two reductions written; rhs and the work line
    # come out of the cache.
    assert work.read == 8 * (3 + 3 + 1)
    assert work.written >= 8 * (3 + 1)
    assert len(runs(kernels(program, Case("apart", SIZES)))) == 5


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Kernel]]:
    folder = tmp_path_factory.mktemp("together")
    made = kernels(Program([FILE]), Case("together", SIZES))
    for k in made:
        (folder / k.header).write_text(k.text)
    (folder / "catalogue.toml").write_text(catalogue({"together": made}))
    build_here(folder, isas=[ISA])
    return folder, made


def test_a_run_of_all_gives_the_bits_of_one_after_the_other(
    pack: tuple[Path, list[Kernel]], backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where vectors end within a row; components last or first, which are turned in
    registers, of the points and of their neighbours. On a GPU, where one launch has them all, to
    rounding."""
    folder, made = pack
    monkeypatch.setenv("BRIDGE_PACKS", os.fspath(folder))
    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
    frame = bridge.Frame()
    frame.initialize(0, 4096, 0, 0)
    tv = frame.tvproperties
    extent = (21, 6, 5)
    quantities = {q.name: q for k in made for q in (*k.inputs, *k.outputs)}
    outputs = {q.name for k in made for q in k.outputs}
    spans: dict[str, Any] = {
        f"{what}{axis}": 1 + (1 if what == "Spt" else n)
        for axis, n in zip("XYZ", extent, strict=True)
        for what in ("Spt", "Ept")
    }

    def arrays(first: bool) -> dict[str, np.ndarray]:
        random, given = np.random.default_rng(5), {}
        for name, q in quantities.items():
            shape = [n + 2 for n in extent] + ([int(q.columns)] if q.columns != "1" else [])
            values = random.normal(size=shape)
            turned = first and len(shape) > 3
            given[name] = np.asfortranarray(np.moveaxis(values, 3, 0) if turned else values)
        return given

    tv.constants("together__dt together__mode", [0.3, 1.0])
    results = []
    for first in (False, True):
        for ran in ([k.name for k in made], ["together"]):
            mine, set_ = arrays(first), f"{first} {len(ran)}"
            for name, array in mine.items():
                intent, turned = "inout" if name in outputs else "in", first and array.ndim > 3
                tv.bind_array(set_, name, intent, array, component_first=turned, **spans)
            for one in ran:
                tv.run(set_, one)
            results.append({
                name: np.moveaxis(a, 0, 3) if first and a.ndim > 3 else a
                for name, a in mine.items()
            })  # fmt: skip
    frame.finalize()
    begun = arrays(False)
    for name in outputs:
        for other in results[1:]:
            rounding = 1e-13 if backend == "cuda" else 0.0
            np.testing.assert_allclose(other[name], results[0][name], rounding, rounding)
        assert (results[0][name] != begun[name]).any()
