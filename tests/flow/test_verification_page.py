"""docs/verification.md has the figures of the proofs: all sections but those that take longer are
made again. `python docs/verification.py --check` makes all of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import docsprograms
import pytest
from flow.reading import Solve

DOCS = Path(__file__).resolve().parents[2] / "docs"
LONG = {"wave", "layer", "tube", "vortex", "bridge"}


@pytest.fixture(scope="module")
def verification() -> Any:
    """The program that writes the page."""
    return docsprograms.loaded("verification")


def page() -> str:
    return (DOCS / "verification.md").read_text(encoding="utf-8")


def sections() -> list[str]:
    return re.findall(r"<!-- (\w+): begin -->", page())


@pytest.mark.parametrize("name", [one for one in sections() if one not in LONG])
def test_a_section_is_what_the_program_makes(
    verification: Any, solve: Solve, tmp_path: Path, name: str
) -> None:
    section = verification.SECTIONS[name](verification.Programs(solve, lambda: None))
    assert verification.writing.same(
        page(), verification.writing.filled(page(), {name: section.text})
    )
    pytest.importorskip("matplotlib")
    verification.draw(tmp_path / "picture.png", section)
    assert (tmp_path / "picture.png").stat().st_size > 5000


def test_the_page_has_every_section_and_picture(verification: Any) -> None:
    assert sections() == list(verification.SECTIONS)
    pictures = re.findall(r"\(pictures/flow/(\w+)\.png\)", page())
    assert pictures == sections()
    assert {file.stem for file in verification.PICTURES.iterdir()} == set(pictures)


def test_figures_that_differ_are_seen(verification: Any) -> None:
    assert verification.writing.same("5.4e-04 (3.9)", "5.5e-04 (4.0)")
    assert not verification.writing.same("5.4e-04", "5.6e-04")
    assert not verification.writing.same("5.4e-04", "5.4e-05")
    assert not verification.writing.same("< 1e-11", "2.0e-11")
