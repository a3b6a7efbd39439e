"""Pages that are made from sources are what the sources say; links in the pages resolve."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from runpy import run_path

import pytest

from bridge.plan.catalogue import Catalogue

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md")])


def test_generated_pages_are_up_to_date():
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_kernel_of_the_contributing_page_joins_the_catalogue(tmp_path):
    """Its header and its entry as they are printed; no shipped kernel changes its number."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listings = {
        kind: textwrap.dedent(text)
        for kind, text in re.findall(r"^ +```(cpp|toml)\n(.*?)^ +```", page, re.S | re.M)
    }
    shutil.copytree(ROOT / "bridge" / "kernels", tmp_path / "kernels")
    file = tmp_path / "kernels" / "catalogue.toml"
    file.write_text(f"{file.read_text()}\n{listings['toml']}")
    (tmp_path / "kernels" / "transport" / "prandtlNumber.h").write_text(listings["cpp"])
    shipped, catalogue = Catalogue.shipped(), Catalogue.load([file])
    new = catalogue.kernel("prandtlNumber")
    assert new.number == 1 + max(kernel.number for kernel in shipped.kernels.values())
    assert {k.name: k.number for k in catalogue.kernels.values() if k is not new} == {
        k.name: k.number for k in shipped.kernels.values()
    }
    plan = catalogue.plan(["prandtl"], ["T", "P", "Y"], 3)
    assert "prandtlNumber" in plan.kernels()

    generate = run_path(str(ROOT / "docs" / "generate.py"))
    table = generate["kernel_table"](file.read_text())
    assert f"| {new.number} | prandtlNumber | `eta`, `cp`, `lambda` | `prandtl` | 1 | " in table


def test_a_kernel_without_a_number_takes_none_of_a_later_one(tmp_path):
    (tmp_path / "f.h").touch()
    entry = '[[kernel]]\nname = "{}"\nheader = "f.h"\ninputs = ["a"]\noutputs = ["{}"]\n'
    quantities = "".join(f"[quantity.{name}]\nunit = '1'\n" for name in "abcd")
    kernels = entry.format("f", "b") + entry.format("g", "c") + "number = 1\n"
    kernels += entry.format("h", "d")
    (tmp_path / "catalogue.toml").write_text(quantities + kernels)
    catalogue = Catalogue.load([tmp_path / "catalogue.toml"])
    assert {k.name: k.number for k in catalogue.kernels.values()} == {"f": 2, "g": 1, "h": 3}


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
