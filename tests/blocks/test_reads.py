"""What a catalogue says of neighbours and steps, and what contradicts it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from blocks.stencils import CATALOGUE, HEADER, POINTS

import bridge
from bridge.plan import packbuild
from bridge.plan.catalogue import Catalogue


@pytest.mark.parametrize(
    "said, found",
    [
        ("{ x = [-1, 1] }", "{ x = [-2, 1] }"),
        ("{ x = [-3, 1] }", "{ x = [-2, 1] }"),
        ("{ x = [-2, 1], z = [0, 1] }", "{ x = [-2, 1] }"),
    ],
)
def test_reads_that_the_header_does_not_do_are_refused(
    said: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "catalogue.toml").write_text(f"""
[quantity.off_p]
unit = "1"
[quantity.off_q]
unit = "1"
[[kernel]]
name = "offKernel"
header = "off.h"
inputs = ["off_p"]
outputs = ["off_q"]
reads.off_p = {said}
""")
    (tmp_path / "off.h").write_text("""
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real>
BRIDGE_FN void offKernel(const Shared&, const ScalarNeighbours& p, Real& q) {
    q = p.at<1, 0, 0>();
    if (any(q < 0.0)) q = q + p.at<-2, 0, 0>();
}
}
""")
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(bridge.ArgumentError) as refused:
        list(packbuild.build([tmp_path]))
    text = str(refused.value)
    assert f"off_p = {said}" in text and "offKernel" in text
    assert f"{found}, which off.h reads" in text


@pytest.mark.parametrize(
    "line, words",
    [
        ("reads.st_rhs = { x = [-1, 1] }", "one of its inputs: st_p"),
        ("reads.st_p = { w = [-1, 1] }", "offsets of an axis like x"),
        ("reads.st_p = { x = [1, -1] }", "the lowest offset before the highest"),
        ("reads.st_p = { x = [-99, 0] }", "at most 16 points away"),
        ("reads = 3", "reads = {u = {x ="),
    ],
)
def test_reads_that_say_nothing(line: str, words: str, tmp_path: Path) -> None:
    text = CATALOGUE.replace("reads = { st_p = { x = [-1, 1] } }", line)
    (tmp_path / "stencils.h").write_text(HEADER)
    (tmp_path / "points.h").write_text(POINTS)
    (tmp_path / "catalogue.toml").write_text(text)
    with pytest.raises(bridge.ArgumentError, match=re.escape(words)):
        Catalogue.load([tmp_path / "catalogue.toml"])


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('"stForcing", "stFluxX"', '"stFluxX", "stForcing"', "st_rhs, which stFluxX of stStage"),
        ('"stFluxY", "stUpdate"', '"stFluxZ", "stUpdate"', "'stFluxZ' in stStage"),
        ('["st_u", "st_rhs"]\nsteps', '["st_u", "st_lap"]\nsteps', "what one of its steps makes"),
        ('["st_p", "st_u"]\noutputs', '["st_p", "st_u", "st_a"]\noutputs', "what one of its"),
    ],
)
def test_steps_that_contradict_each_other(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in CATALOGUE
    (tmp_path / "stencils.h").write_text(HEADER)
    (tmp_path / "points.h").write_text(POINTS)
    (tmp_path / "catalogue.toml").write_text(CATALOGUE.replace(old, new))
    with pytest.raises(bridge.ArgumentError, match=re.escape(words)):
        Catalogue.load([tmp_path / "catalogue.toml"])
