"""The tables of docs/accuracy.md hold: recomputed from the reference values that are kept with the
tests, so without CoolProp, and beside those of an independent transcription in docs/physics.md."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernels.measure import archive

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def accuracy() -> Iterator[Any]:
    """The program that writes the page."""
    spec = importlib.util.spec_from_file_location("accuracy", DOCS / "accuracy.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # a dataclass looks its module up
    import sys

    sys.modules["accuracy"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["accuracy"]


def rows(page: str, section: str) -> list[list[str]]:
    text = page.split(section)[1]
    lines = re.findall(r"^\|.*\|$", text, re.M)
    end = next((k for k, line in enumerate(lines[2:], 2) if line.startswith("| ---")), len(lines))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:end]]


def pairs(cells: list[str]) -> np.ndarray:
    """(columns, 2): mean and max."""
    return np.array([[float(x) for x in cell.split("/")] for cell in cells])


def anchors(accuracy: Any, species: str) -> Any:
    (key,) = (key for key in archive() if key.startswith(f"anchor_{species}/"))
    table = archive()[key]
    columns = dict(zip(("T", "P", "rho", "eta", "lambda", "cp", "cv", "c"), table.T, strict=False))
    return accuracy.States(columns.pop("T"), columns.pop("P"), columns)


@pytest.fixture(scope="module")
def page() -> dict[str, list[str]]:
    text = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    return {row[0]: row[1:] for row in rows(text, "<!-- deviations: begin -->") if "Tr" in row[0]}


def test_deviations_are_what_the_kernels_give(accuracy: Any, page: dict[str, list[str]]) -> None:
    seen = set()
    for species in accuracy.FLUIDS:
        for label, n, *cells in accuracy.deviation_rows(species, anchors(accuracy, species)):
            assert page[label][0] == n
            assert np.abs(pairs(page[label][1:]) - pairs(cells)).max() < 0.11, label
            seen.add(label)
    assert seen == set(page)


def test_liquid_oxygen(accuracy: Any) -> None:
    text = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    printed = {row[0]: row[1:] for row in rows(text, "<!-- lox: begin -->")}
    states = anchors(accuracy, "O2")
    at = states.P == 1e7
    part = accuracy.States(
        states.T[at], states.P[at], {q: v[at] for q, v in states.reference.items()}
    )
    common = [row for row in accuracy.lox_rows(part) if row[0] in printed]
    assert len(common) >= 5
    for T, *cells in common:
        for got, want in zip(cells, printed[T], strict=True):
            numbers = [[float(x) for x in re.split(r" [/=] ", cell)] for cell in (got, want)]
            one, other = numbers
            np.testing.assert_allclose(one, other, rtol=0.0, atol=0.11)


def test_two_computations_agree_within_the_rounding(page: dict[str, list[str]]) -> None:
    text = (DOCS / "physics.md").read_text(encoding="utf-8")
    other = rows(text, "### How far the model is from reality")
    short = {re.sub(r" \(.*\)", "", label): row for label, row in page.items()}
    common = 0
    for label, n, *cells in other:
        row = short.get(re.sub(r" \(.*\)", "", label).removeprefix("n-"))
        if row is None:
            assert label.startswith("H2"), label
            continue
        common += 1
        assert row[0] == n, label
        for mine, theirs in zip(row[1:], cells, strict=True):
            for a, b in zip(mine.split("/"), theirs.split("/"), strict=True):
                digit = 0.1 if "." in b else 1.0
                assert abs(float(a) - float(b)) <= 0.5 * digit + 0.0501, (label, mine, theirs)
    assert common == 11
