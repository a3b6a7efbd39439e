"""The first steps of the documentation: its programs compile, its commands run, and print what the
page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hosts import compiler

from bridge.backends.host.library import choose

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.S)

pytestmark = pytest.mark.fortran


def test_first_steps(tmp_path: Path) -> None:
    compiler("gfortran")
    for kind, text in BLOCKS:
        if kind == "fortran":
            (tmp_path / text.split()[1]).write_text(text)
    install, *commands = (text for kind, text in BLOCKS if kind == "sh")
    assert "pip install ." in install
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BRIDGE_")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    cache = {"BRIDGE_CACHE": str(tmp_path / "cache"), "BRIDGE_BACKEND": "cpu"}
    environment = {**kept, **cache, "PATH": path, "OMP_NUM_THREADS": "2"}
    # The check for one instruction set: the port's own tests check the others.
    lines = "".join(commands).replace(
        "--check packs/smooth", f"--check packs/smooth --isa {choose().isa}"
    )
    done = subprocess.run(
        ["sh", "-e", "-c", lines], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for told in (text for kind, text in BLOCKS if not kind):
        assert told.rstrip() in done.stdout
    (worst,) = re.findall(r"largest difference +(\S+)\n", done.stdout)
    assert float(worst) < 1e-14
    assert "1 BAD_T" in done.stdout and "run eosThermalProperties" in done.stdout
