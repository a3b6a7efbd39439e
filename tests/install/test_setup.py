"""When ci/setup installs the package again: after an edit, and not because Python ran."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ("bridge/frame.py", "bridge/entry/entry.c", "bridge_port/command.py",
         "bridge_gallery/command.py", "fortran_stub/flow.f90", "meson.build", "meson.options",
         "pyproject.toml", "README.md")  # fmt: skip
STAMP = ".venv/installed"
ALL = "v2,v3,v4"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """One that was installed a moment ago."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text\n")
        os.utime(tmp_path / name, (1000, 1000))
    (tmp_path / "ci").mkdir()
    shutil.copy(ROOT / "ci" / "setup", tmp_path / "ci" / "setup")
    (tmp_path / ".venv").mkdir()
    install(tmp_path, ALL)
    return tmp_path


def install(folder: Path, sets: str) -> None:
    shell(folder, f"{{ echo {sets}; package_files | sort; }} >{STAMP}")
    os.utime(folder / STAMP, (2000, 2000))


def shell(folder: Path, command: str) -> int:
    return subprocess.run(["bash", "-c", f". ci/setup; {command}"], cwd=folder).returncode


def current(folder: Path, sets: str = ALL) -> bool:
    return shell(folder, f"if current {STAMP} {sets}; then exit 0; else exit 7; fi") == 0


def test_what_is_installed_is_not_installed_again(checkout: Path) -> None:
    """A folder of bytecode changes the time of the folder that it lies in."""
    assert current(checkout)
    kept = checkout / "bridge" / "entry" / "__pycache__"
    kept.mkdir()
    (kept / "entry.cpython-311.pyc").write_bytes(b"bytecode")
    assert current(checkout)


def test_other_instruction_sets_are_installed(checkout: Path) -> None:
    """Kernels for all of them will do for whoever wants one; those for one, for none but it."""
    assert current(checkout, "v2") and current(checkout, "here")
    install(checkout, "here")
    assert current(checkout, "here")
    assert not current(checkout, "v2") and not current(checkout, ALL)


@pytest.mark.parametrize(
    ("wanted", "there"), [("mpi,plot", True), ("mpi", True), ("mpi,docs", False), ("plo", False)]
)
def test_extras_are_installed_once(checkout: Path, wanted: str, there: bool) -> None:
    """And again where one is new."""
    (checkout / ".venv" / "wanted-tests-mpi,plot-lock").touch()
    asked = "install_wanted() { exit 7; }; install_wanted_once tests "
    assert (shell(checkout, asked + wanted) == 0) == there


@pytest.mark.parametrize("edit", ["changed", "added", "older", "removed", "renamed", "no stamp"])
def test_an_edit_is_installed(checkout: Path, edit: str) -> None:
    frame = checkout / "bridge" / "frame.py"
    if edit == "changed":
        frame.write_text("another text\n")
    elif edit == "removed":
        frame.unlink()
    elif edit == "renamed":
        frame.rename(frame.with_name("frames.py"))
    elif edit == "no stamp":
        (checkout / STAMP).unlink()
    else:
        other = frame.with_name("other.py")
        other.write_text("text\n")
        if edit == "older":  # unpacked from an archive, or copied with its time
            os.utime(other, (1000, 1000))
    assert not current(checkout)
