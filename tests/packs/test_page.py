"""The how-to page shows what the example is: its listings are parts of the files, and they run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "write-a-kernel-pack.md").read_text(encoding="utf-8")
FILES = [
    path.read_text(encoding="utf-8")
    for path in (ROOT / "examples").glob("*_pack/*")
    if path.is_file()
]
LISTINGS = re.findall(r"```(fortran|cpp|toml)\n(.*?)```", PAGE, re.S)


@pytest.mark.parametrize("listing", [text for _, text in LISTINGS if "entry-points" not in text])
def test_listing(listing: str) -> None:
    assert any(listing in file for file in FILES)


def test_there_are_listings_of_every_kind() -> None:
    assert {kind for kind, _ in LISTINGS} == {"fortran", "cpp", "toml"}


def test_python_of_the_page(example: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    values = [float(word) for word in re.findall(r"\d\.\d+e-\d+", done.stdout)]
    # two laws of the same gas, a few per cent apart
    assert len(values) == 4
    assert values[:2] == pytest.approx(values[2:], rel=0.1) and values[:2] != values[2:]


def test_the_program_of_the_page_on_models() -> None:
    page = (ROOT / "docs" / "how-to" / "choose-a-model.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", page, re.S)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_update_without_species_of_the_page_for_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is printed, with nothing set."""
    monkeypatch.delenv("BRIDGE_PACKS", raising=False)
    page = (ROOT / "docs" / "how-to" / "from-python.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(# update.py\n.*?)```", page, re.S)
    (tmp_path / "update.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "update.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"\b\d\.\d\b", done.stdout) == ["1.1"] * 20


def test_the_page_on_kernels_in_python(tmp_path: Path) -> None:
    """Its files as they are printed, built and run by its commands."""
    page = (ROOT / "docs" / "how-to" / "kernels-in-python.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", page, re.S):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (commands,) = re.findall(r"```sh\n(.*?)```", page, re.S)
    run = f"set -e\n{commands}{sys.executable} run.py\n"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    own = {"BRIDGE_CACHE": str(tmp_path / "cache"), "PATH": path, "PYTHONPATH": str(tmp_path)}
    environment = {**os.environ, **own}
    done = subprocess.run(
        ["bash", "-c", run], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "closures_pack" / "eddyViscosity.h").exists()
