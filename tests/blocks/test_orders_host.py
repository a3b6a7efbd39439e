"""Colours and sweeps from Fortran; headers that do not keep their order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hosts import build

import bridge
from bridge.plan import packbuild

KEPT = ("PYTHONPATH", "CUDA_PATH")
#: A program opens the GPU itself: no stand-in.
CUDA = [
    pytest.mark.gpu,
    pytest.mark.skipif(os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="a process's GPU"),
]


@pytest.mark.fortran
@pytest.mark.parametrize(
    ("with_compiler", "flags", "on"),
    [
        ("gfortran", ("-fcheck=all", "-std=f2018"), "cpu"),
        ("flang", ("-O2",), "cpu"),
        pytest.param("gfortran", ("-O3",), "cuda", marks=CUDA),
    ],
)
def test_colours_and_lines(
    orders_built: tuple[Path, Path], tmp_path: Path, with_compiler: str, flags: tuple[str, ...],
    on: str,
) -> None:  # fmt: skip
    source = Path(__file__).parent / "colours.f90"
    host = build(tmp_path, [source], with_compiler=with_compiler, flags=flags)
    folder, cache = orders_built
    settings = {name: os.environ[name] for name in KEPT if name in os.environ}
    settings |= {"BRIDGE_PACKS": str(folder), "BRIDGE_CACHE": str(cache), "BRIDGE_BACKEND": on}
    outcome = host.run(environment=settings)
    assert outcome.status == 0, outcome.err
    assert f"backend {on}" in outcome.out
    for label in ("colour1", "colour2", "lines"):
        assert float(outcome.words(label)[0]) <= 1e-13, outcome.out
    for label, words in (
        ("third", "argument colour: got 3, wanted 1 or 2"),
        ("uncoloured", "argument colour: got 1 of odThomasYUp"),
    ):
        said = outcome.words(label)
        assert said[0] == "-3" and words in " ".join(said), said


CATALOGUE = """
[quantity.bad_p]
unit = "1"
[quantity.bad_f]
unit = "1"
[[kernel]]
name = "badKernel"
header = "bad.h"
inputs = ["bad_p", "bad_f"]
outputs = ["bad_p"]
{lines}
"""

HEADER = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {{
template <class Real>
BRIDGE_FN void badKernel(const Shared&, const ScalarNeighbours& p, const {f}& f, Real& next) {{
    next = {value};
}}
template <class Real>
BRIDGE_FN void badEnd(const Shared&, const ScalarNeighbours& p, const {f}& f, Real& next) {{
    next = {end};
}}
}}
"""


@pytest.mark.parametrize(
    "lines, value, end, words",
    [
        ("colours = 2\nreads.bad_p = { x = [0, 1], y = [0, 1] }",
         "p.at<1, 0, 0>() + p.at<1, 1, 0>()", "0.0", "at (1, 1, 0) and writes it, wanted neigh"),
        ('sweep = "x+"\nlast = "badEnd"\nreads.bad_p = { x = [-1, 0] }\n'
         "reads.bad_f = { x = [0, 1] }",
         "p.at<-1, 0, 0>() + f.at<1, 0, 0>()", "p.at<-1, 0, 0>() + f.at<1, 0, 0>()",
         "last: got badEnd of badKernel"),
        ('sweep = "y-"\nfirst = "badEnd"\nreads.bad_p = { y = [0, 1] }',
         "p.at<0, 1, 0>()", "p.at<0, 1, 0>()", "first: got badEnd of badKernel"),
    ],
)  # fmt: skip
def test_headers_that_read_what_their_order_forbids(
    lines: str, value: str, end: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    f = "ScalarNeighbours" if "bad_f" in lines else "Real"
    (tmp_path / "catalogue.toml").write_text(CATALOGUE.format(lines=lines))
    (tmp_path / "bad.h").write_text(HEADER.format(value=value, end=end, f=f))
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(bridge.ArgumentError) as refused:
        list(packbuild.build([tmp_path]))
    assert words in str(refused.value)
