"""The page that ports a loop: its listings are parts of the example, its commands run, the ported
program agrees with the old loops."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hosts import compiler

ROOT = Path(__file__).parents[2]
PACK = ROOT / "examples" / "loop_pack"
PAGE = (ROOT / "docs" / "how-to" / "port-a-loop.md").read_text(encoding="utf-8")
FILES = [path.read_text(encoding="utf-8") for path in PACK.iterdir() if path.is_file()]
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.S)
LISTINGS = [text for kind, text in BLOCKS if kind in ("fortran", "cpp", "toml")]
COMMANDS = "".join(text for kind, text in BLOCKS if kind == "sh")

pytestmark = pytest.mark.fortran


@pytest.mark.parametrize("listing", LISTINGS)
def test_listing(listing: str) -> None:
    assert any(listing in file for file in FILES)


def shell(lines: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BRIDGE_", "CXX"))}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**kept, "PATH": path, "OMP_NUM_THREADS": "2", **more}
    return subprocess.run(
        ["sh", "-e", "-c", lines], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_commands_of_the_page(tmp_path: Path) -> None:
    """In their order, in a folder that has the examples."""
    compiler("gfortran")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = shell(COMMANDS, tmp_path, BRIDGE_CACHE=str(tmp_path / "cache"), BRIDGE_BACKEND="cpu")
    assert done.returncode == 0, done.stdout + done.stderr
    out = done.stdout
    (told,) = (text for kind, text in BLOCKS if not kind and "columns" in text)
    assert told in out, "what the page says of the bytes and operations of a face"
    assert out.count("over the link to a GPU, 25 GB/s") == 2
    (worst,) = re.findall(r"largest difference +(\S+)", out)
    assert 0.0 < float(worst) < 1e-13
    report = [line for line in out.splitlines() if "run gas" in line]
    assert [line.split()[2] for line in report] == ["gasFlux", "gasAdvance"]
    assert "memory limit" in out and all(float(line.split()[-1]) > 0.0 for line in report)
    assert [line.split()[3] for line in report] == ["10", "10"]


def test_a_port_that_is_wrong_is_found(tmp_path: Path) -> None:
    """The program of the page ends with a failure where the new loops differ from the old ones."""
    compiler("gfortran")
    (tmp_path / "examples").mkdir()
    pack = tmp_path / "examples" / "loop_pack"
    pack.mkdir()
    for path in PACK.iterdir():
        (pack / path.name).write_text(path.read_text())
    header = (pack / "advance.h").read_text()
    (pack / "advance.h").write_text(header.replace("high[m] - low[m]", "high[m] - 0.9 * low[m]"))
    lines = COMMANDS.replace("bridge advise", ": bridge advise")
    lines = lines.replace("bridge packs build", "bridge packs build --isa here")
    done = shell(lines, tmp_path, BRIDGE_CACHE=str(tmp_path / "cache"), BRIDGE_BACKEND="cpu")
    assert done.returncode != 0 and "the ported loops differ" in done.stderr


def test_the_legacy_program_stands_alone(tmp_path: Path) -> None:
    sources = [str(PACK / name) for name in ("gasloops.f90", "legacy.f90")]
    line = [compiler("gfortran"), "-O2", "-Wall", "-Wextra", "-Werror", *sources, "-o", "legacy"]
    subprocess.run(line, check=True, cwd=tmp_path)
    done = subprocess.run(["./legacy"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(done.stdout.split()[-1]) == pytest.approx(24 * 16 * 12 * 2.55e5, rel=1e-2)
