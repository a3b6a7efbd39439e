"""Pages that are made from sources are what the sources say; links in the pages resolve."""

from __future__ import annotations

import os
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


def test_generated_pages_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_files_that_the_architecture_names_are_there() -> None:
    """Where it says, or in a folder that the same paragraph, item or row names before."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = [ROOT / name for name in ("", "bridge", "bridge/backends", "bridge_port")]
    lacking = []
    for block in re.split(r"\n(?=\||\d+\. |\n)", text):
        folders = list(packages)
        for name in re.findall(r"`([\w./-]+(?:/|\.(?:py|h|c|cpp|f90|toml|yaml)))`", block):
            found = [folder / name for folder in folders if (folder / name).exists()]
            folders += [path if path.is_dir() else path.parent for path in found]
            if not found and name != "port.toml":  # of a pack
                lacking.append(name)
    assert not lacking


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lists_and_tables_are_drawn(page: Path) -> None:
    """As the site draws them: a blank line before each, nothing but text within an item, as many
    cells in each row."""
    text, before, columns, fenced = page.read_text(encoding="utf-8"), "", 0, False
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{page.name}:{number}: {line[:60]}"
        if line.lstrip().startswith("```"):
            fenced = not fenced
            assert page.parent == ROOT or line.startswith("```"), f"a listing in a list: {where}"
        elif not fenced:
            item, table = re.match(r"(?:[-*]|\d+\.) ", line), line.startswith("|")
            if item and before and not before.startswith(" "):
                assert re.match(r"(?:[-*]|\d+\.) ", before), f"no blank line before: {where}"
            cells = len(re.findall(r"(?<!\\)\|", line))
            if table and before.startswith("|"):
                assert cells == columns, f"{cells - 1} cells, not {columns - 1}: {where}"
            elif table:
                assert not before or before.startswith("<!--"), f"no blank line before: {where}"
            columns = cells
        before = line
    assert not fenced


def test_the_kernel_of_the_contributing_page_joins_the_catalogue(tmp_path: Path) -> None:
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
    assert f"| {new.number} | prandtlNumber | `eta`, `cp`, `lambda` | `prandtl` | 1 |" in table


def test_the_number_of_a_kernel_is_its_place_in_the_files(tmp_path: Path) -> None:
    (tmp_path / "f.h").touch()
    entry = '[[kernel]]\nname = "{}"\nheader = "f.h"\ninputs = ["a"]\noutputs = ["{}"]\n'
    quantities = "".join(f"[quantity.{name}]\nunit = '1'\n" for name in "abcd")
    files = tmp_path / "first.toml", tmp_path / "second.toml"
    files[0].write_text(quantities + entry.format("g", "b") + entry.format("f", "c"))
    files[1].write_text(entry.format("a_later_one", "d"))
    numbers = {k.name: k.number for k in Catalogue.load(files).kernels.values()}
    assert numbers == {"g": 1, "f": 2, "a_later_one": 3}


def numbers(text: str) -> set[int]:
    """Those of "1-5, 7, 9 to 11"."""
    found = set()
    for first, last in re.findall(r"(\d+)(?:(?:-| to )(\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return found


PHYSICS = sorted((ROOT / "docs" / "physics").glob("*.md"))


def test_tables_of_the_physics_hold_every_kernel_by_its_number() -> None:
    """A row for each; each fused kernel with its parts; the kernels of a composite."""
    catalogue = Catalogue.shipped()
    number = {name: kernel.number for name, kernel in catalogue.kernels.items()}
    page = "".join(p.read_text(encoding="utf-8") for p in PHYSICS)
    section = page.split("## 13. Kernels")[1].split("## 14. Composites")[0]
    table, _, fused = section.partition("<!-- kernels: end -->")
    rows = {name: int(n) for n, name in re.findall(r"^\| (\d+) \| (\w+) \|", table, re.M)}
    assert rows == number
    cells = re.findall(r"^\| (\d+) \w+ \| ([^|]*) \|", fused, re.M)
    parts = {int(n): numbers(cell) for n, cell in cells}
    assert parts == {
        kernel.number: {number[part] for part in kernel.fuses}
        for kernel in catalogue.kernels.values()
        if kernel.fuses
    }
    for n, name in re.findall(r"\b(\d+) ((?:prEOS|chung)\w+)", page):
        assert number[name] == int(n), name

    seen = 0
    for composite in catalogue.composites.values():
        row = re.search(rf"^\| (?:\w+, )?{composite.name}(?:, \w+)? \|.*", page, re.M)
        assert row, composite.name
        listed = row[0].split("|")[3].strip()
        if re.fullmatch(r"[\d, -]+", listed):
            run = [number[name] for name in catalogue.composite_plan(composite, 3).kernels()]
            done = [{n} | parts.get(n, set()) for n in run]
            assert numbers(listed) <= set[int]().union(*done), composite.name
            assert all(numbers(listed) & one for one in done), composite.name
            seen += 1
    assert seen >= 3


def test_numbers_in_the_text_of_the_physics_are_those_of_the_table() -> None:
    """Some of kernels 1 to 56 are named by number there: a kernel put between them moves them."""
    kernels = {k.number: name for name, k in Catalogue.shipped().kernels.items()}
    assert [kernels[number] for number in (1, 2, 18, 21)] == [
        *("prEOSCheckInput", "prEOSCleanMassFractions"),
        *("prEOSSelectRoot", "prEOSPressureDerivatives"),
    ]
    assert [kernels[number] for number in (23, 25, 39)] == [
        *("prEOSInternalEnergy", "prEOSGibbs", "prEOSTotalEnthalpy"),
    ]
    assert [kernels[number] for number in (54, 56)] == [
        *("chungTakahashiFactor", "chungStefanMaxwell"),
    ]


PROMISE = (
    "On a CPU the bits of a result depend on the instruction set and on the C library. They do "
    "not depend on which other outputs are bound. On a GPU a result has the same bits while the "
    "bound outputs, the table of launch policies and the architecture are the same"
)
TOLD = [
    ROOT / "README.md",
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "how-to").glob("*.md"),
    *PHYSICS,
]


@pytest.mark.parametrize("page", TOLD, ids=lambda page: page.name)
def test_pages_that_speak_of_bits_give_one_promise(page: Path) -> None:
    """In the same words, and nothing beside it that says more of what is bound."""
    text = " ".join(page.read_text(encoding="utf-8").split())
    if re.search(r"(same|last) bits?\b", text):
        assert PROMISE in text
    assert "All give the same bits" not in text


def test_the_promise_is_told_where_it_matters() -> None:
    pages = ("README.md", "docs/physics/kernels.md", "docs/how-to/run-on-a-gpu.md")
    for page in pages:
        assert PROMISE in " ".join((ROOT / page).read_text(encoding="utf-8").split()), page


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Every page is in the contents, every link and anchor is there; sources are named."""
    pytest.importorskip("material")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    reference = (tmp_path / "reference" / "python.html").read_text(encoding="utf-8")
    assert "bind_array" in reference and "mass fractions" in reference
    last = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))[-1]
    assert f"adr/{last.stem}.html" in (tmp_path / "index.html").read_text(encoding="utf-8")
    (page,) = (p for p in (tmp_path / "how-to").glob("port-a-loop.html"))
    assert "examples/loop_pack" in page.read_text(encoding="utf-8")


ADMINISTRATION = sorted(
    path for folder in ("admin", "spack") for path in (ROOT / "ci" / folder).glob("*.*")
)


@pytest.mark.parametrize("path", ADMINISTRATION, ids=lambda path: path.name)
def test_files_for_administrators(path: Path) -> None:
    """Settings and commands that they name are there; job scripts are scripts."""
    text = path.read_text(encoding="utf-8")
    settings = (ROOT / "docs" / "how-to" / "settings.md").read_text(encoding="utf-8")
    keys = set(re.findall(r"^\| `(\w+)`", settings, re.M))
    for name in re.findall(r"BRIDGE_(\w+)", text):
        assert f"BRIDGE_{name}" in settings or name.lower() in keys, name
    for command in re.findall(
        r"(?:^|[ ;])bridge (doctor|bundle|info|packs build|kernels build)", text
    ):
        subcommand = command.split()[0]
        assert subcommand in (ROOT / "bridge" / "cli.py").read_text(encoding="utf-8")
    if path.suffix == ".slurm":
        subprocess.run(["bash", "-n", str(path)], check=True)
    if path.suffix == ".py":
        compile(text, str(path), "exec")
    page = (ROOT / "docs" / "how-to" / "administer.md").read_text(encoding="utf-8")
    assert str(path.relative_to(ROOT)) in page


def test_listings_of_the_page_on_clusters_are_parts_of_the_job_scripts() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in ADMINISTRATION)
    page = (ROOT / "docs" / "how-to" / "clusters.md").read_text(encoding="utf-8")
    listings = re.findall(r"```sh\n(.*?)```", page, re.S)
    assert sum(listing in scripts for listing in listings) == 2
