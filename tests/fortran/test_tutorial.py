"""The README's program, and the first steps of the documentation: programs compile, commands run,
and print what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hosts import compiler
from packsbuilt import ISA

import bridge

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.fortran


def blocks(page: str, folder: Path) -> list[tuple[str, str]]:
    """Kind and text of a page's listings; the Fortran ones are written into the folder."""
    compiler("gfortran")
    found = re.findall(r"```(\w*)\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)
    for kind, text in found:
        if kind == "fortran":
            (folder / text.split()[1]).write_text(text)
    return found


def run(lines: str, folder: Path) -> str:
    """What commands print."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BRIDGE_")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    cache = {"BRIDGE_CACHE": str(folder / "cache"), "BRIDGE_BACKEND": "cpu",
             "BRIDGE_CPU_ISA": ISA}  # fmt: skip
    environment = {**kept, **cache, "PATH": path, "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        ["sh", "-e", "-c", lines], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_program_of_the_readme(tmp_path: Path) -> None:
    (build, *_) = (text for kind, text in blocks("README.md", tmp_path) if kind == "sh")
    environment, install, *lines = build.splitlines()
    assert environment.startswith("python3 -m venv") and install.startswith("pip install .")
    (told,) = re.findall(r"# (density .*)", build)
    out = run("\n".join(lines), tmp_path)
    assert told in out
    (density,) = re.findall(r"density +(\S+) kg/m3", out)
    state = bridge.evaluate("O2 CH4", T=300.0, P=10e6, Y=[0.5, 0.5], outputs=("rho",))
    assert float(density) == pytest.approx(float(state["rho"]), abs=1e-3)


def test_the_start_page_has_the_program_of_the_readme(tmp_path: Path) -> None:
    readme, page = blocks("README.md", tmp_path), blocks("docs/README.md", tmp_path)
    assert readme[0] in page
    _, build, python = (text for kind, text in page if kind == "sh")
    assert all(line in readme[1][1] for line in build.splitlines())
    assert "98.04" in run(python, tmp_path)


def test_first_steps(tmp_path: Path) -> None:
    listings = blocks("docs/tutorial.md", tmp_path)
    install, *commands = (text for kind, text in listings if kind == "sh")
    assert "pip install ." in install
    # The check for one instruction set: the port's own tests check the others.
    check = "--check packs/smooth"
    lines = "".join(commands).replace(check, f"{check} --isa {ISA}")
    out = run(lines, tmp_path)
    for told in (text for kind, text in listings if not kind):
        assert told.rstrip() in out
    (worst,) = re.findall(r"largest difference +(\S+)\n", out)
    assert float(worst) < 1e-14
    assert "1 BAD_T" in out and "run eosThermalProperties" in out
