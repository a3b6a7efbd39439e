"""Constants and tables from Fortran: the example's program, every form of the entries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hosts import build

pytestmark = pytest.mark.fortran

COUNTED = Path(__file__).parents[1] / "fortran" / "counted"


@pytest.mark.parametrize("with_compiler", ["gfortran", "flang"])
def test_the_fortran_program_of_the_example(
    heat: Path, built: Path, tmp_path: Path, with_compiler: str
) -> None:
    host = build(tmp_path, [heat / "solver.f90"], with_compiler=with_compiler)
    outcome = host.run(environment={"BRIDGE_PACKS": str(heat), "BRIDGE_CACHE": str(built)})
    assert outcome.status == 0, outcome.err
    for step in range(1, 5):
        assert float(outcome.words(f"step{step}")[-1]) <= 1e-14, outcome.out


#: label -> what given.f90 says after it: a temperature, or the status and parts of the message.
GIVEN: dict[str, tuple[float | int, ...] | tuple[int, str]] = {
    "early": (-4, "not initialised"),
    "value": (-4, "needs the constant 'heat_dt'"),
    "table": (-4, "needs the table 'heat_cp'"),
    "real4": (108.0,),
    "integer": (116.0,),
    "integer8": (108.0,),
    "logical": (104.0,),
    "arrays": (132.0,),
    "several": (104.0,),
    "filled": (0,),
    "set": (0,),
    "plain": (0,),
    "code": (-3,),
    "rank": (-3,),
    "include": (116.0,),
    "type": (-3, "value of 'heat_dt'"),
    "real": (-3, "value of 'heat_material'"),
    "large": (-3, "integers of 32 bits"),
    "empty": (-3, "argument n: got 0"),
    "length": (-3, "an array of 2 values"),
    "name": (-3, "argument constant: got 'heat_step'"),
    "whole": (-3, "value of 'heat_material': got 1.5"),
    "flag": (-3, "value of 'heat_limited': got 2.0, wanted 0 or 1"),
    "count": (-3, "argument values: got 2 values, wanted 1"),
    "columns": (-3, "an array of 2 values"),
    "none": (116.0,),
    "rank1": (-3, "wanted an array of rank 2"),
    "rank3": (-3, "wanted an array of rank 2"),
    "strided": (-3, "an array that is not contiguous"),
    "nothing": (-3, "argument sizes: got (0, 3)"),
    "pending": (-4, "frame_constant of 'heat_dt' came while advanceSolid is pending"),
    "waiting": (-4, "frame_constants came while advanceSolid is pending"),
    "filling": (-4, "frame_table of 'heat_cp' came while advanceSolid is pending"),
    "after": (116.0,),
    "again": (100.0,),
    "copied": (108.0,),
    "refilling": (-4, "frame_table of 'heat_cp' came while advanceSolid is pending"),
    "wider": (164.0,),
    "repeated": (-3, "value of 'heat_material': got 1.5"),
    "refused": (100.0,),
    "both": (-3, "argument values: got 2 values, wanted 1"),
}


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    [
        ("gfortran", ("-fcheck=all", "-std=f2018")),
        ("gfortran", ("-fdefault-real-8",)),
        ("flang", ("-O2",)),
    ],
)
def test_every_form_of_the_entries(
    heat: Path, built: Path, tmp_path: Path, with_compiler: str, flags: tuple[str, ...]
) -> None:
    source = Path(__file__).parent / "given.f90"
    host = build(tmp_path, [source], with_compiler=with_compiler, flags=flags)
    outcome = host.run(environment={"BRIDGE_PACKS": str(heat), "BRIDGE_CACHE": str(built)})
    assert outcome.status == 0, outcome.err
    for label, (number, *parts) in GIVEN.items():
        words = outcome.words(label)
        assert float(words[0]) == number, (label, words)
        assert all(str(part) in " ".join(words) for part in parts), (label, words)
    if with_compiler == "gfortran":
        environment = {"BRIDGE_PACKS": str(heat), "BRIDGE_CACHE": str(built), "BRIDGE_TIMERS": "-"}
        environment["PYTHONPATH"] = str(COUNTED)
        counted = host.run(environment=environment)
        before, after = (int(n) for n in re.findall(r"entered (\d+)", counted.out))
        assert after - before <= 4, "of 200 constants, tables and runs that come again"
        in_python = host.run(environment={**environment, "TEST_IN_PYTHON": "1"})
        assert counted.counted() == in_python.counted(), "C counts them as Python does"
        assert {"constant", "constants", "table"} <= {row[0] for row in counted.counted()}
