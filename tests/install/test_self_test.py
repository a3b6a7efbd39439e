"""`bridge-config --self-test`: what works, what a compiler gets wrong, what is not there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hosts import compiler

pytestmark = pytest.mark.fortran

PACKAGE = Path(__file__).parents[2] / "bridge"


def self_test(folder: Path, *options: str, **variables: str) -> tuple[int, list[str]]:
    """Its exit status, and its lines."""
    names = ("FC", "CC", "MPIFC", "MPIRUN", "FFLAGS", "FCFLAGS", "CFLAGS")
    environment = {k: v for k, v in os.environ.items() if k not in names}
    command = [sys.executable, "-P", "-m", "bridge.bridge_config", "--self-test", *options]
    done = subprocess.run(
        command, cwd=folder, env=environment | variables, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


def marked(lines: list[str], mark: str) -> list[str]:
    return [line[6:] for line in lines if line.startswith(mark)]


@pytest.mark.mpi
def test_a_compiler_and_an_mpi_that_work(tmp_path: Path, mpirun: list[str]) -> None:
    if shutil.which("mpif90") is None:
        pytest.skip("no mpif90")
    variables = {"FC": "gfortran -O1", "CC": compiler("gcc"), "MPIFC": "mpif90"}
    status, lines = self_test(tmp_path, **variables)
    assert (status, marked(lines, "FAIL"), marked(lines, "skip")) == (0, [], []), "\n".join(lines)
    passed = marked(lines, "pass")
    ends = [line.split(":")[0] for line in passed if line.endswith("goes to its end")]
    programs = ["conformance.f90", "include.f90", "style77.f", "absent.f90", "C", "ranks.f90"]
    assert ends == programs
    assert lines[0].startswith("Fortran: gfortran -O1: GNU Fortran")
    assert lines[-1] == f"bridge-config --self-test: {len(passed)} passed, 0 failed"
    assert list(tmp_path.iterdir()) == []


def test_with_flang(tmp_path: Path) -> None:
    status, lines = self_test(tmp_path, "--fc", compiler("flang"), "--mpifc", "none")
    assert (status, marked(lines, "FAIL")) == (0, []), "\n".join(lines)
    assert marked(lines, "skip") == ["MPI: not wanted"]
    assert "finalize, and initialize again" in marked(lines, "pass")


def test_a_compiler_that_gets_something_wrong(tmp_path: Path) -> None:
    """Arrays of real(4) are handed over as if they were integers: what uses them fails, and no
    check beside it."""
    wrapper = tmp_path / "wrong"
    wrapper.write_text(
        "#!/bin/bash\n"
        f"sed 's/type_float32 = 2, type_int32 = 3/type_float32 = 3, type_int32 = 3/' "
        f'"{PACKAGE}/entry/bridge.f90" >{tmp_path}/copy/bridge.f90\n'
        f'exec gfortran "${{@//*\\/entry\\/bridge.f90/{tmp_path}/copy/bridge.f90}}"\n'
    )
    wrapper.chmod(0o755)
    (tmp_path / "copy").mkdir()
    status, lines = self_test(tmp_path, "--fc", str(wrapper), "--mpifc", "none")
    assert status == 1
    assert marked(lines, "FAIL") == ["arrays of real(4) and integer, a scale"], "\n".join(lines)
    why = lines[lines.index("FAIL  arrays of real(4) and integer, a scale") + 1]
    assert "argument data of rho: got elements of int32 for a real quantity" in why


FAKE = """#!/bin/sh
while [ $# -gt 1 ]; do shift; done
case $1 in
  */conformance | */c_host)
    printf '#!/bin/sh\\necho T first\\necho F second "|" because\\nkill -SEGV $$\\n' >"$1" ;;
  */include) printf '#!/bin/sh\\necho T alone\\n' >"$1" ;;
  */style77) echo 'style77.f:3: no such statement' >&2; exit 1 ;;
  */absent) printf '#!/bin/sh\\necho end\\n' >"$1" ;;
esac
[ ! -e "$1" ] || chmod 755 "$1"
"""


def test_failures_are_told(tmp_path: Path) -> None:
    """A program that dies, one that does not get to its end, one that does not compile, an MPI
    that is not there."""
    (tmp_path / "fake").write_text(FAKE)
    (tmp_path / "fake").chmod(0o755)
    fake = str(tmp_path / "fake")
    status, lines = self_test(tmp_path, "--cc", "nowhere", "--mpifc", "none", FC=fake)
    assert status == 1
    text = "\n".join(lines)
    assert (
        "pass  first\nFAIL  second\n      because\nFAIL  conformance.f90: goes to its end" in text
    )
    assert "ended with signal SIGSEGV after 'second'" in text
    assert "FAIL  include.f90: goes to its end\n      ended with status 0 after 'alone'" in text
    assert "FAIL  compile and link style77.f\n" in text and "no such statement" in text
    assert "FAIL  C: compile and link" in text and "pass  absent.f90: goes to its end" in text
    passed, failed = marked(lines, "pass"), marked(lines, "FAIL")
    told = f"{len(passed)} passed, {len(failed)} failed, not looked at: MPI"
    assert len(failed) == 5 and lines[-1] == f"bridge-config --self-test: {told}"
    status, lines = self_test(tmp_path, "--fc", fake, "--cc", fake, MPIFC="no-mpi")
    assert "FAIL  MPI: compile and link ranks.f90" in lines


def test_every_procedure_of_the_module_is_called() -> None:
    """Of the composites one; each other public name of module bridge."""
    text = (PACKAGE / "entry" / "bridge.f90").read_text()
    module = text[text.index("\nmodule bridge\n") :]
    public = set(re.findall(r"^  public :: (frame_\w+)$", module, re.M))
    programs = [PACKAGE / "conformance" / name for name in ("common.f90", "conformance.f90")]
    called = set(re.findall(r"\bframe_\w+", "".join(file.read_text() for file in programs)))
    missing = {name for name in public - called if not name.startswith("frame_tvproperties_")}
    assert len(public) > 50 and missing == set()
    assert any(name.startswith("frame_tvproperties_") for name in called)
