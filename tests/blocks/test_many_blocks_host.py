"""Sets of many blocks from Fortran."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import build

pytestmark = pytest.mark.fortran


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    [
        ("gfortran", ("-fcheck=all", "-std=f2018")),
        ("gfortran", ("-fdefault-integer-8", "-O3")),
        ("flang", ("-O2",)),
    ],
)
def test_many_blocks(
    stencils_built: tuple[Path, Path], tmp_path: Path, with_compiler: str, flags: tuple[str, ...]
) -> None:
    source = Path(__file__).parent / "many.f90"
    host = build(tmp_path, [source], with_compiler=with_compiler, flags=flags)
    folder, cache = stencils_built
    packs = {"BRIDGE_PACKS": str(folder), "BRIDGE_CACHE": str(cache)}
    outcome = host.run(environment=packs | {"BRIDGE_CHECK_RESIDENCY": "1"})
    assert outcome.status == 0, outcome.err
    for label, tolerance in (("laplacian", 1e-14), ("single", 1e-6), ("place", 1e-10)):
        assert float(outcome.words(label)[0]) <= tolerance, outcome.out
    assert outcome.words("maxloc") == ["50.00", "3", "2", "4", "1", "9"]
    assert outcome.words("max") == ["50.00"] and outcome.words("empty") == ["0"]
    for label, words in (
        ("four", "argument place: got one for set 'blocks', which has many blocks"),
        ("extent", "argument bounds: got an extent of 40, wanted at least 41"),
        ("negative", "argument nb: got -1, wanted 0 or more blocks"),
        ("beyond", "of block 8 of"),
        ("bounds", "argument SptX: got 0 of block 8"),
        ("mixed", "argument name: got an array of one block for 'st_b'"),
    ):
        said = outcome.words(label)
        assert said[0] == "-3" and words in " ".join(said), said
