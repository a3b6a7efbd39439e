"""Runs on boxes from Fortran."""

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
def test_boxes(
    stencils_built: tuple[Path, Path], tmp_path: Path, with_compiler: str, flags: tuple[str, ...]
) -> None:
    source = Path(__file__).parent / "boxes.f90"
    host = build(tmp_path, [source], with_compiler=with_compiler, flags=flags)
    folder, cache = stencils_built
    outcome = host.run(environment={"BRIDGE_PACKS": str(folder), "BRIDGE_CACHE": str(cache)})
    assert outcome.status == 0, outcome.err
    for label in ("whole", "parts", "one", "row"):
        assert float(outcome.words(label)[0]) <= 1e-14, outcome.out
    for label, words in (
        ("four", "argument box: got 4 integers"),
        ("five", "argument box: got 5 integers"),
        ("beyond", "argument box: got i = 1 to 13"),
        ("none", "argument nBoxes: got 0"),
    ):
        said = outcome.words(label)
        assert said[0] == "-3" and words in " ".join(said), said
