"""The figures of docs/accuracy.md hold: each section is made again where the packages are that it
compares with. The tables of pure fluids are also made from the reference values that are kept
with the tests or printed, so without CoolProp, and stand beside those of an independent
transcription, in tests/data/deviations.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import docsprograms
import numpy as np
import pytest
from kernels.measure import archive

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def accuracy() -> Any:
    """The program that writes the page."""
    return docsprograms.loaded("accuracy")


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
    return accuracy.purefluids.States(columns.pop("T"), columns.pop("P"), columns)


@pytest.fixture(scope="module")
def page() -> dict[str, list[str]]:
    text = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    return {row[0]: row[1:] for row in rows(text, "<!-- deviations: begin -->") if "Tr" in row[0]}


#: What a section may need and the package does not.
INDEPENDENT = {"CoolProp", "cantera", "teqp"}


def sections() -> list[str]:
    text = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    return re.findall(r"<!-- (\w+): begin -->", text)


@pytest.mark.parametrize("section", sections())
def test_a_section_is_what_the_program_makes(accuracy: Any, section: str) -> None:
    """Its sentences too. Last digits may differ: another processor rounds otherwise."""
    page = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    try:
        text = accuracy.SECTIONS[section]()
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in INDEPENDENT:
            raise
        pytest.skip(f"no {error.name}")
    assert accuracy.writing.same(page, accuracy.writing.filled(page, {section: text}))


def test_every_number_stands_in_a_section(accuracy: Any) -> None:
    """So the program makes it."""
    text = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    assert set(sections()) == set(accuracy.SECTIONS)
    rest = re.sub(r"<!-- (\w+): begin -->.*?<!-- \1: end -->", "", text, flags=re.S)
    rest = re.sub(r"`[^`]*`|\]\([^)]*\)", "", rest)
    # names such as H2O hold digits too
    assert not re.findall(r".*(?<![\w-])\d.*", rest)


def test_figures_that_differ_are_seen(accuracy: Any) -> None:
    assert accuracy.writing.same("1.8 to 3.7\ntimes", "1.8 to\n3.8 times")
    assert not accuracy.writing.same("1.8 to 3.7 times", "1.8 to 3.9 times")
    assert not accuracy.writing.same("1.8 to 3.7 times", "1.8 to 3.7 per cent")
    assert not accuracy.writing.same("0.55 to 1.37", "0.55 to 1.39")


@pytest.mark.parametrize("section, species, P", [("lox", "O2", 1e7), ("water", "H2O", 2.5e7)])
def test_ratios_follow_from_the_values_that_are_printed(
    accuracy: Any, section: str, species: str, P: float
) -> None:
    """Of the real fluid; so the columns of the model are checked without CoolProp."""
    text = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    printed = rows(text.partition(f"<!-- {section}: end -->")[0], f"<!-- {section}: begin -->")
    numbers = np.array([[[float(x) for x in re.split(r" [/=] ", cell)] for cell in row[1:5]]
                        for row in printed])  # fmt: skip
    T = np.array([float(row[0]) for row in printed])
    reference = {
        name: numbers[:, k, 1] / scale
        for k, (name, scale) in enumerate(
            (("rho", 1.0), ("c", 1.0), ("eta", 1e6), ("lambda", 1e3))
        )
    }
    states = accuracy.purefluids.States(T, np.full(len(T), P), reference)
    names = ("eta at true rho", "lambda at true rho")
    for want, got in zip(
        printed, accuracy.purefluids.ratio_rows(species, states, names), strict=True
    ):
        assert accuracy.writing.same(" ".join(want), " ".join(got[: len(want)]))


def test_deviations_are_what_the_kernels_give(accuracy: Any, page: dict[str, list[str]]) -> None:
    seen = set()
    for species in accuracy.purefluids.FLUIDS:
        for label, n, *cells in accuracy.purefluids.deviation_rows(
            species, anchors(accuracy, species)
        ):
            assert page[label][0] == n
            assert np.abs(pairs(page[label][1:]) - pairs(cells)).max() < 0.11, label
            seen.add(label)
    assert seen == set(page)


def test_liquid_oxygen(accuracy: Any) -> None:
    text = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    printed = {row[0]: row[1:] for row in rows(text, "<!-- lox: begin -->")}
    states = anchors(accuracy, "O2")
    part = accuracy.purefluids.at(states, states.P == 1e7)
    common = [row for row in accuracy.purefluids.ratio_rows("O2", part) if row[0] in printed]
    assert len(common) >= 5
    for T, *cells in common:
        for got, want in zip(cells, printed[T], strict=True):
            numbers = [[float(x) for x in re.split(r" [/=] ", cell)] for cell in (got, want)]
            one, other = numbers
            np.testing.assert_allclose(one, other, rtol=0.0, atol=0.11)


def test_two_computations_agree_within_the_rounding(page: dict[str, list[str]]) -> None:
    text = (DOCS.parent / "tests" / "data" / "deviations.md").read_text(encoding="utf-8")
    other = rows(text, "Deviations of the model")
    common = 0
    for label, n, *cells in other:
        row = page[label]
        common += 1
        assert row[0] == n, label
        for mine, theirs in zip(row[1:], cells, strict=True):
            for a, b in zip(mine.split("/"), theirs.split("/"), strict=True):
                digit = 0.1 if "." in b else 1.0
                assert abs(float(a) - float(b)) <= 0.5 * digit + 0.0501, (label, mine, theirs)
    assert common == 13
