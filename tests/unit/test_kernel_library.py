"""Kernel libraries of the CPU that are there, and the OpenMP library that they run on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bridge.backends.host import library
from bridge.kernels import file

NAME, ABSENT = b"libgomp.so.1\0", b"libgomq.so.1\0"

CODE = """
import sys
from pathlib import Path
from bridge.backends.host import library
library.LIBGOMP = "libgomq.so.1"
library.file = lambda name: Path(sys.argv[2]) / name
opened = library.opened(Path(sys.argv[1]))
print(opened.bridge_cpu_lanes(), sum("libgomq" in line for line in open("/proc/self/maps")) > 0)
"""


SETS = """
import sys
from pathlib import Path
from bridge.backends.host import library
library.file = lambda name: Path(sys.argv[1]) / name
library.INSTRUCTION_SETS = sys.argv[2]
print(*library.available())
library.choose("v0")
"""


@pytest.mark.parametrize("isa", library.available())
def test_a_package_for_one_instruction_set(isa: str, tmp_path: Path) -> None:
    (tmp_path / "cpu").mkdir()
    name = f"cpu/libbridge_cpu_{isa}.so"
    (tmp_path / name).symlink_to(file(name))
    command = [sys.executable, "-P", "-c", SETS, str(tmp_path), isa]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == [isa]
    assert f"wanted one of {isa} (this CPU and this build of the package)" in done.stderr
    command[-1] = "v2 v3 v4"  # of which only one is there
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "" and "is gone: the package is incomplete" in done.stderr


@pytest.fixture
def without_libgomp(tmp_path: Path) -> Path:
    """A kernel library that asks for an OpenMP library which no machine has."""
    kernels = tmp_path / "kernels.so"
    contents = file("cpu/libbridge_cpu_v2.so").read_bytes()
    assert contents.count(NAME) == 1
    kernels.write_bytes(contents.replace(NAME, ABSENT))
    return kernels


def run(kernels: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-c", CODE, str(kernels), str(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_none_at_all(without_libgomp: Path, tmp_path: Path) -> None:
    done = run(without_libgomp, tmp_path)
    assert "kernels.so needs libgomq.so.1, which is not on this machine" in done.stderr
    assert "apt install libgomp1" in done.stderr


def test_the_one_that_came_along(without_libgomp: Path, tmp_path: Path) -> None:
    maps = "import bridge; from bridge.backends.host import library; library.load('v2')\n"
    maps += "print(*{line.split()[-1] for line in open('/proc/self/maps') if 'libgomp' in line})"
    command = [sys.executable, "-P", "-c", maps]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    contents = Path(done.stdout.split()[0]).read_bytes()
    (tmp_path / "cpu" / "fallback").mkdir(parents=True)
    (tmp_path / "cpu" / "fallback" / "libgomq.so.1").write_bytes(contents.replace(NAME, ABSENT))
    done = run(without_libgomp, tmp_path)
    assert done.stdout.split() == ["2", "True"], done.stderr
