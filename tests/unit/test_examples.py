"""The scripts of examples/python run, and draw something."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "python"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def test_one_table_has_all_examples() -> None:
    table = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    packs = FOLDER.parent.glob("*_pack")
    programs = (FOLDER.parent / "fortran").glob("*.f*")
    functions = (FOLDER.parent / "functions").glob("*.py")
    for one in (*SCRIPTS, *packs, *programs, *functions):
        assert f"]({one.relative_to(FOLDER.parent)}) |" in table, one


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_draws_its_picture(script: Path, tmp_path: Path) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    environment = {**os.environ, "MPLBACKEND": "Agg", "MPLCONFIGDIR": str(tmp_path)}
    command = [sys.executable, "-P", str(script), str(tmp_path / "picture.png")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    picture = plt.imread(tmp_path / "picture.png")
    assert picture.shape[0] > 200 and picture.std() > 0.02
    page = (FOLDER.parents[1] / "docs" / "examples.md").read_text(encoding="utf-8")
    assert f"```python\n{script.read_text(encoding='utf-8')}```\n" in page
    drawn = FOLDER.parents[1] / "docs" / "pictures" / "examples" / f"{script.stem}.png"
    assert f"(pictures/examples/{drawn.name})" in page
    assert plt.imread(drawn).shape == picture.shape
