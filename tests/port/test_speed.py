"""`bridge bench port`: both sides agree or nothing is timed, all rows are there. How fast, no test
says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bridge import cli
from bridge.errors import ArgumentError
from bridge.measuring.fortran import sources
from bridge.plan import verified
from bridge_port.request import of_words
from bridge_port.speed import shipped
from bridge_port.survey.gains import LOOP

pytestmark = pytest.mark.fortran
TINY = ("--isa", "v2", "--backend", "cpu", "--seconds", "0.01", "--points", "700")


def rows(file: Path) -> list[dict[str, Any]]:
    return list(json.loads(file.read_text())["rows"])


def test_rows_of_a_procedure_and_of_a_nest(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, pack = place / "rows.json", str(place / "own")
    words = ("bench", "port", pack, *TINY, "--json", str(out), "--kernel")
    assert cli.main([*words, "own_sound_speed", "own_smooth"]) == 0
    said = capsys.readouterr().out
    found = rows(out)
    ways = [(row["name"], row["params"]["way"], row["reference"]) for row in found]
    assert ways == [
        (name, way, reference)
        for name in ("own_sound_speed", "own_smooth")
        for way, reference in (("original (kernel)", None), ("kernel", "original"))
    ]
    assert all(row["value"] > 0 and row["unit"] == "ns/point" for row in found)
    point, nest = found[1]["params"], found[3]["params"]
    assert point["kind"] == "point" and point["points"] == 700
    assert nest["kind"].startswith("nest of flow.f90:") and nest["points"] > 300
    low, high = point["survey"]
    assert 0 < low <= high and nest["survey"] == [LOOP.low, LOOP.high]
    assert "gfortran vectorises" in nest["warned"]
    *_, timed, inside = said.splitlines()
    assert timed.startswith("2 timed, median ")
    assert re.fullmatch(r"[012] of 2 are in the range that the survey says", inside)
    # A benchmark verifies nothing.
    assert not any(one.verified for one in verified.read(place / "own"))


def test_what_differs_is_not_timed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = place / "own" / "own_sound_speed.h"
    text = header.read_text()
    assert "c = sqrt(" in text
    header.write_text(text.replace("c = sqrt(", "c = 1.01 * sqrt("))
    out = place / "rows.json"
    words = ("bench", "port", str(place / "own"), *TINY, "--json", str(out))
    assert cli.main([*words, "--kernel", "own_sound_speed"]) == 0
    said = capsys.readouterr().out
    assert "own_sound_speed: not timed: " in said and "differ" in said
    assert rows(out) == [] and "median" not in said


@pytest.mark.gpu
def test_rows_of_a_gpu(place: Path) -> None:
    out = place / "rows.json"
    words = ("bench", "port", str(place / "own"), "--backend", "cuda", "--seconds", "0.01")
    names = ("own_sound_speed", "own_smooth")
    assert cli.main([*words, "--json", str(out), "--kernel", *names]) == 0
    ways = [(row["name"], row["params"]["way"]) for row in rows(out) if row["reference"]]
    assert ways == [(name, way) for name in names for way in ("gpu", "resident")]


@pytest.mark.parametrize(
    ("words", "argument"),
    [
        (("bench", "port", "nowhere"), "PACK"),
        (("bench", "port", "--kernel", "none"), "--kernel"),
        (("bench", "port", "--points", "0"), "--points"),
        (("bench", "port", "--seconds", "0"), "--seconds"),
        (("bench", "port", "--setup", "nowhere.f90"), "--setup"),
        (("bench", "port", "--range", "t"), "--range"),
    ],
)
def test_refusals(
    words: tuple[str, ...], argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(list(words)) == 1
    assert f"argument {argument}:" in capsys.readouterr().err


def test_all_of_the_shipped_fortran_ports(tmp_path: Path) -> None:
    asked = shipped.requests(sources(None).resolve())
    names = [name for name, _ in asked]
    assert len(names) == len(set(names)) >= 30
    folders = shipped.write(tmp_path, None, ["weno_nest", "condensation_point", "forward_nest"])
    ((folder, setup),) = folders
    assert setup == [] and [one.name for one in verified.read(folder)] == [
        "condensation_point", "weno_nest", "forward_nest",
    ]  # fmt: skip
    with pytest.raises(ArgumentError, match="--kernel"):
        shipped.write(tmp_path, None, ["weno"])
    for _, words in asked:
        assert of_words(words, tmp_path).ported().kernels
