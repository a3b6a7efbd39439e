"""The example of a reduction: a time step by the pack, and the page that shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hosts import build

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "reduce.md").read_text(encoding="utf-8")
LISTINGS = re.findall(r"```(?:fortran|cpp|toml)\n(.*?)```", PAGE, re.S)


@pytest.mark.fortran
@pytest.mark.parametrize("with_compiler", ["gfortran", "flang"])
def test_the_fortran_program_of_the_example(
    cfl: Path, built: Path, tmp_path: Path, with_compiler: str
) -> None:
    host = build(tmp_path, [cfl / "solver.f90"], with_compiler=with_compiler)
    outcome = host.run(environment={"BRIDGE_PACKS": str(cfl), "BRIDGE_CACHE": str(built)})
    assert outcome.status == 0, outcome.err
    assert float(outcome.words("difference")[0]) < 1e-13
    assert all(1 <= int(word) <= 20 for word in outcome.words("dt")[-3:])
    assert outcome.words("bad")[0] == "F"
    sums = [float(word) for word in outcome.words("bad")[-2:]]
    assert sum(sums) == pytest.approx(20**3, abs=0.01)


def test_the_page_shows_the_files() -> None:
    files = [path.read_text(encoding="utf-8") for path in ROOT.glob("examples/cfl_pack/*.*")]
    assert len(LISTINGS) >= 3
    for listing in LISTINGS:
        assert any(listing in file for file in files), listing
