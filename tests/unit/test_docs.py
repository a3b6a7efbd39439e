"""Pages that are made from sources are what the sources say; links in the pages resolve."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md")])


def test_generated_pages_are_up_to_date():
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


PROMISE = (
    "CPU: the same bits whatever is bound, per instruction set. "
    "GPU: the same bits for the same outputs, table and architecture"
)
TOLD = [
    ROOT / "README.md",
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "how-to").glob("*.md"),
]


@pytest.mark.parametrize("page", TOLD, ids=lambda page: page.name)
def test_pages_that_speak_of_bits_give_one_promise(page):
    """In the same words, and nothing beside it that says more of what is bound."""
    text = " ".join(page.read_text(encoding="utf-8").split())
    if re.search(r"(same|last) bits?\b", text):
        assert PROMISE in text
    assert "All give the same bits" not in text


def test_the_promise_is_told_where_it_matters():
    pages = ("README.md", "docs/physics.md", "docs/how-to/run-on-a-gpu.md")
    for page in pages:
        assert PROMISE in " ".join((ROOT / page).read_text(encoding="utf-8").split()), page
