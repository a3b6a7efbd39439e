"""Comparisons and recordings from Fortran."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hosts import build, object_of
from packsbuilt import ISA

pytestmark = pytest.mark.fortran


def found_by(built: tuple[Path, Path]) -> dict[str, str]:
    """What a host finds the pack by."""
    folder, cache = built
    return {"BRIDGE_PACKS": str(folder), "BRIDGE_CACHE": str(cache), "BRIDGE_CPU_ISA": ISA}


@pytest.mark.parametrize(
    ("with_compiler", "flags"),
    [
        ("gfortran", ("-fcheck=all", "-O1")),
        ("gfortran", ("-fdefault-integer-8", "-O3")),
        ("flang", ("-O2",)),
    ],
)
def test_the_host(
    beside_built: tuple[Path, Path], tmp_path: Path, with_compiler: str, flags: tuple[str, ...]
) -> None:
    here = Path(__file__).parent
    wide = "-fdefault-integer-8" in flags  # codes without modules have integers of 32 bits
    sources = [here / "beside.f90"]
    if wide:
        (tmp_path / "fixed.f90").write_text("subroutine fixed(w)\nreal(8) :: w\nw = 0\nend\n")
        sources.append(tmp_path / "fixed.f90")
    else:
        sources.append(here / "beside_f77.f")
    host = build(tmp_path, sources, with_compiler=with_compiler, flags=flags)
    outcome = host.run(environment=found_by(beside_built))
    assert outcome.status == 0, outcome.err
    assert float(outcome.words("whole")[0]) <= 1e-14, outcome.out
    assert 0.0 <= float(outcome.words("fixed")[0]) <= 1e-14
    assert outcome.out.count("\nshare") == 1  # what is refused below
    assert outcome.words("begun") == ["0"] and outcome.words("written") == ["0"]
    assert float(outcome.words("wrong")[0]) == pytest.approx(1.0, abs=1e-3)
    assert "bsStep on set 'cells': 'bs_r' differs by" in outcome.out
    for label, words in (
        ("early", "-4 frame_compare of bsStep"),
        ("share", "-3 argument share: got 1.5"),
        ("order", "-3 argument share: got 0.5, wanted 1.0"),
        ("name", "-3 argument composite: got 'bsNothing'"),
        ("folder", "-3 argument file: got 'no/such/folder/states'"),
        ("late", "-4 the Frame is not initialised"),
    ):
        assert " ".join(outcome.words(label)).startswith(words), outcome.out
    assert outcome.words("kept") == ["-7."]
    assert "compared with the host's own loops, limit 1e-10" in outcome.out
    with np.load(tmp_path / "states.0.npz") as file:
        assert file["calls"] == 3 and file["input/bs_u"].shape == (512, 6, 2)
    assert wide or (tmp_path / "row.0.npz").is_file()


def test_from_c(beside_built: tuple[Path, Path], tmp_path: Path) -> None:
    """The prototypes of bridge.h, and a null pointer for the result."""
    source = tmp_path / "compare.c"
    source.write_text(
        """
#include <stdio.h>
#include "bridge.h"
double row[6] = {1, 2, 3, 4, 5, 6};
void in_c_(void) {
    const int box[12] = {6, 1, 1, 2, 6, 1, 1, 1, 1, 1, 1, 1};
    double worst = -1;
    int ierr;
    frame_bind_("row", "bs_line", "inout", row, box, 1.0, &ierr);
    frame_record_("row", "bsSweep", "row", &ierr);
    frame_compare_begin_("row", "bsSweep", 1.0, &ierr);
    for (int i = 1; i < 6; ++i) row[i] += 0.5 * row[i - 1];
    frame_compare_("row", "bsSweep", NULL, &ierr);
    printf("null %d\\n", ierr);
    frame_compare_("row", "bsSweep", &worst, &ierr);
    printf("worst %d %g\\n", ierr, worst);
    frame_record_write_(&ierr);
    printf("written %d\\n", ierr);
    fflush(stdout);
}
"""
    )
    program = tmp_path / "main.f90"
    program.write_text(
        "program main\nuse bridge\nexternal :: in_c\ncall frame_error_policy('return')\n"
        "call frame_initialize(0, 10, 0, 0, 0)\ncall in_c\ncall frame_finalize()\nend program\n"
    )
    include = Path(__file__).parents[2] / "bridge" / "entry"
    (tmp_path / "bridge.h").write_text((include / "bridge.h").read_text())
    host = build(tmp_path, [program, object_of(tmp_path, source)])
    outcome = host.run(environment=found_by(beside_built))
    assert outcome.status == 0, outcome.err
    assert outcome.words("null") == ["-3"]
    assert outcome.words("worst")[0] == "0" and float(outcome.words("worst")[1]) <= 1e-15
    assert outcome.words("written") == ["0"] and (tmp_path / "row.0.npz").is_file()
