"""`bridge doctor`: each problem provoked, with the line that mends it; and its parts on texts."""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hosts import TIME_LIMIT, compiler

from bridge.backends.cuda import devices, why_unusable
from bridge.backends.gpu.driver import Facts
from bridge.cli import main
from bridge.doctor import examination, folders, gpus, machine, mpisides, process
from bridge.doctor import host as doctor_host
from bridge.doctor.findings import Report, Section, written
from bridge.doctor.host import remedy_of
from bridge.plan import verified

CATALOGUE = """
[[kernel]]
name = "twice"
header = "twice.h"
inputs = ["T"]
outputs = ["twiceT"]
about = "two times T"

[quantity.twiceT]
unit = "K"
about = "two times T"
"""
HEADER = """// Two times T.
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real> BRIDGE_FN void twice(const Shared&, const Real& T, Real& twiceT) {
    twiceT = 2.0 * T;
}
}  // namespace BRIDGE_NAMESPACE
"""


def doctor(
    *words: str, before: tuple[str, ...] = (), status: int = 0, **environment: str
) -> dict[str, Any]:
    """The JSON of the command, run with this environment."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("BRIDGE_")}
    command = [*before, sys.executable, "-P", "-m", "bridge", "doctor", "--json", *words]
    done = subprocess.run(
        command, env=variables | environment, capture_output=True, text=True, timeout=TIME_LIMIT
    )
    assert done.returncode == status, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_frameworks_are_named_and_not_imported(tmp_path: Path) -> None:
    """With the CUDA that PyTorch was built for."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "torch" / "version.py").write_text("cuda: str = '13.0'\n")
    told = doctor(PYTHONPATH=str(tmp_path))
    (facts,) = [one["facts"] for one in told["sections"] if one["name"] == "Python"]
    assert "PyTorch (CUDA 13.0)" in facts["frameworks"]


def problems(told: dict[str, Any], section: str) -> list[dict[str, Any]]:
    [found] = [one for one in told["sections"] if one["name"] == section]
    return list(found["problems"])


def facts(told: dict[str, Any], section: str) -> dict[str, str]:
    [found] = [one for one in told["sections"] if one["name"] == section]
    return dict(found["facts"])


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A pack that bridge port might have written, neither built nor checked."""
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "catalogue.toml").write_text(CATALOGUE)
    (folder / "twice.h").write_text(HEADER)
    verified.write(folder, [verified.Ported.of(folder, "twice", "twice.h", [], "-O2")])
    return folder


def test_an_environment_that_is_well(tmp_path: Path) -> None:
    told = doctor(BRIDGE_CACHE=str(tmp_path))
    assert told["stops"] is False
    assert facts(told, "start from Fortran")["works"] == "yes"
    python = facts(told, "Python")
    assert python["prefix"] == sys.prefix
    assert python["chosen"].splitlines()[-1].endswith("is taken")
    assert "libpython" in Path(python["libpython"]).name
    assert facts(told, "cache")["folder"] == f"{tmp_path} (BRIDGE_CACHE)"
    assert facts(told, "processor")["kernels"].startswith("x86-64-v")
    assert "libgomp" in facts(told, "processor")["OpenMP"]
    for section in ("settings", "MPI", "processor", "GPUs", "cache", "packs"):
        assert problems(told, section) == []


def test_what_would_stop_a_run(pack: Path, tmp_path: Path) -> None:
    """A pack that is not built and not verified, a setting that is none, an instruction set that
    is none, in one run; with them a cache that takes nothing, a small limit of locked memory."""
    limited = ("sh", "-c", 'ulimit -l 32; exec "$0" "$@"')
    told = doctor(
        before=limited, status=1, BRIDGE_PACKS=str(pack), BRIDGE_CPU_ISA="v9",
        BRIDGE_ROOTPOLICY="MIDDLE", BRIDGE_THRAEDS="3", BRIDGE_CACHE="/proc/bridge",
    )  # fmt: skip
    assert told["stops"] is True
    [unverified] = problems(told, "packs")
    assert "twice (unverified: not checked)" in unverified["what"]
    assert unverified["remedy"] == f"bridge port --check {pack}"
    [isa] = problems(told, "processor")
    assert "argument BRIDGE_CPU_ISA: got 'v9'" in isa["what"]
    assert (isa["remedy"], isa["stops"]) == ("unset BRIDGE_CPU_ISA", True)
    option, unread = problems(told, "settings")
    assert (option["remedy"], option["stops"]) == ("unset BRIDGE_ROOTPOLICY", True)
    assert "did you mean BRIDGE_THREADS?" in unread["what"]
    assert (unread["remedy"], unread["stops"]) == ("unset BRIDGE_THRAEDS", False)
    [cache] = problems(told, "cache")
    assert "/proc takes no files" in cache["what"]
    assert cache["remedy"] == "export BRIDGE_CACHE=/a/folder/of/your/own"
    [locked] = problems(told, "locked memory")
    assert "may lock 32.0 KiB (ulimit -l)" in locked["what"]
    assert locked["remedy"].startswith("ulimit -l unlimited")


def test_a_pack_that_is_not_built(pack: Path, tmp_path: Path) -> None:
    told = doctor(status=1, BRIDGE_PACKS=str(pack), BRIDGE_CACHE=str(tmp_path / "none"))
    unbuilt, _ = problems(told, "packs")
    assert "is not built for x86-64-v" in unbuilt["what"]
    assert unbuilt["remedy"] == f"bridge packs build --folder {pack}"
    assert unbuilt["stops"]
    told = doctor(status=1, BRIDGE_PACKS=str(tmp_path / "nowhere"))
    [missing] = problems(told, "packs")
    assert (missing["stops"], "catalogue.toml" in missing["remedy"]) == (True, True)


def test_a_wrong_interpreter() -> None:
    told = doctor(status=1, BRIDGE_PYTHON="/nowhere/python3")
    assert facts(told, "start from Fortran")["works"] == "no"
    [start] = problems(told, "start from Fortran")
    assert "$BRIDGE_PYTHON, /nowhere/python3: does not exist" in start["what"]
    assert start["remedy"].startswith("unset BRIDGE_PYTHON, or name an interpreter")
    assert start["stops"]
    assert facts(told, "Python")["chosen"].startswith("by the command")


def package(folder: Path, name: str, text: str) -> str:
    """A folder for PYTHONPATH with a package that is of no use to this Python."""
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(text)
    return str(folder)


def test_packages_of_another_python(tmp_path: Path) -> None:
    """All sections are there, whatever cannot be imported."""
    whole = [one["name"] for one in doctor()["sections"]]
    place = package(tmp_path / "numpy", "numpy", "from numpy._core.other import x\n")
    told = doctor(status=1, PYTHONPATH=place)
    assert [one["name"] for one in told["sections"]] == whole
    named = f"NumPy comes from {place}, which $PYTHONPATH names: unset PYTHONPATH"
    for section in ("start from Fortran", "Python"):
        [problem] = problems(told, section)
        assert problem["what"].startswith(named) and problem["stops"]
        assert problem["remedy"] == "unset PYTHONPATH"
    assert facts(told, "processor") == {"not looked at": "see Python"}
    place = package(tmp_path / "yaml", "yaml", "from error import *\n")
    told = doctor(status=1, PYTHONPATH=place)
    assert facts(told, "start from Fortran")["works"] == "yes" and not problems(told, "processor")
    [problem] = problems(told, "Python")
    assert problem["what"].startswith(f"PyYAML comes from {place}, which $PYTHONPATH names")


def test_a_package_that_ends_the_process(tmp_path: Path) -> None:
    place = package(tmp_path, "numpy", "import os\nos._exit(3)\n")
    told = doctor(status=1, PYTHONPATH=place)
    assert facts(told, "start from Fortran")["works"] == "no"
    [problem] = problems(told, "Python")
    assert problem["what"] == "the rest could not be looked at: it ended with status 3"
    assert problem["remedy"] == "unset PYTHONPATH"


def test_other_commands_and_python_name_the_variable(tmp_path: Path) -> None:
    place = package(tmp_path, "numpy", "from numpy._core.other import x\n")
    environment = os.environ | {"PYTHONPATH": place}
    named = f"NumPy comes from {place}, which $PYTHONPATH names: unset PYTHONPATH"
    for words in (["-m", "bridge", "info"], ["-c", "import bridge; bridge.evaluate"]):
        command = [sys.executable, "-P", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith((f"bridge: {named}", f"ImportError: {named}"))
        assert done.stderr.count("\n") < 6


def test_a_library_of_another_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the doctor itself lacks something, it says that much."""

    def lacking() -> None:
        raise ImportError("no _posixsubprocess")

    monkeypatch.setattr(doctor_host, "examined", lacking)
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["doctor"]) == 1
    assert "STOPS A RUN: nothing can be looked at: " in out.getvalue()


def test_a_gpu_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is not there; or is shared."""
    if why_unusable() is not None:
        told = doctor(status=1, BRIDGE_BACKEND="cuda", BRIDGE_THRAEDS="3")
        [missing] = problems(told, "GPUs")
        assert missing["what"].startswith("backend cuda is asked for, and no GPU is usable: ")
        assert missing["stops"] and missing["remedy"]
    here = socket.gethostname()
    locks, facts_ = SimpleNamespace(size=3 << 20), SimpleNamespace(pci="0000:0A:00.0")
    device = SimpleNamespace(locks=locks, facts=facts_, sharers=2)
    described = {"device": "0: a GPU at 0000:0A:00.0, GPU-1"}
    backend = SimpleNamespace(device=device, describe=lambda: described)
    assert examination.place(backend) == (here, "0000:0A:00.0")
    for runs, number in ((False, 1), (True, 0)):
        monkeypatch.setattr(devices, "service_runs", lambda runs=runs: runs)
        section = gpus.section(backend, "auto", [(here, "0000:0A:00.0")] * 2 + [("other", "")])
        assert section.facts["this process"] == described["device"]
        assert (section.facts["page-locked"], section.facts["ranks on it"]) == ("3.0 MiB", "2")
        assert section.facts["ranks per GPU"] == f"2 on {here} 0000:0A:00.0"
        shared = [one for one in section.problems if "share a GPU" in one.what]
        assert [one.remedy.partition(" on the node")[0] for one in shared] == (
            ["nvidia-cuda-mps-control -d"] * number
        )


@pytest.mark.parametrize(
    ("places", "idle"),
    [((0, 0), "0000:11:00.0"), ((0, 1), None), ((0, 1, 0), None), ((1, 1, 1), "0000:01:00.0")],
)
def test_a_gpu_that_no_rank_has(
    monkeypatch: pytest.MonkeyPatch, places: tuple[int, ...], idle: str | None
) -> None:
    """While another one has several: ranks that see them in different orders."""
    pci = ["0000:01:00.0", "0000:11:00.0"]
    seen = [Facts(k, "a GPU", pci[k], f"GPU-{k}", "sm_90", 1 << 30, 132) for k in (1, 0)]
    api = SimpleNamespace(devices=lambda: seen, versions=lambda: "driver 13.0")
    monkeypatch.setattr("bridge.backends.cuda.why_unusable", lambda: None)
    monkeypatch.setattr("bridge.backends.cuda.api.Api", lambda: api)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    here = socket.gethostname()
    there = [("other", "0000:99:00.0")] * 3
    section = gpus.section(None, "auto", [(here, pci[k]) for k in places] + there)
    assert section.facts["CUDA_VISIBLE_DEVICES"] == "1,0"
    assert section.facts["device 1"].split(", ")[2] == pci[1]
    found = [one for one in section.problems if "CUDA_VISIBLE_DEVICES" in one.what]
    assert [f"none has {idle}, which this rank sees" in one.what for one in found] == (
        [True] if idle else []
    )
    assert all("same CUDA_VISIBLE_DEVICES" in one.remedy and not one.stops for one in found)


def test_remedies_of_a_start_that_fails() -> None:
    assert remedy_of("... - $PYTHONHOME, /x: holds no library") == "unset PYTHONHOME"
    assert remedy_of("... is limited to 5 kB (ulimit -v)") == "ulimit -v unlimited"
    assert "LD_LIBRARY_PATH" in remedy_of("libpython3.11.so.1.0: cannot open shared object file")
    assert "bridge-config --python" in remedy_of("no Python 3.11 that can import bridge was found")


def test_openmp_and_blas_loaded_twice(tmp_path: Path) -> None:
    """A library of the name of another runtime in the process."""
    source = tmp_path / "empty.c"
    source.write_text("int empty_;\n")
    for name in ("libiomp5.so", "libopenblas.so.0"):
        command = [compiler("gcc"), "-shared", "-fPIC", str(source), "-o", str(tmp_path / name)]
        subprocess.run(command, check=True)
    preload = f"{tmp_path}/libiomp5.so {tmp_path}/libopenblas.so.0"
    told = doctor(LD_PRELOAD=preload)
    openmp, blas = problems(told, "processor")
    assert openmp["what"].startswith("2 OpenMP runtimes are loaded: ")
    assert "libgomp" in openmp["what"] and f"{tmp_path}/libiomp5.so" in openmp["what"]
    assert openmp["remedy"].startswith("export MKL_THREADING_LAYER=GNU")
    assert blas["what"].startswith("2 BLAS runtimes are loaded: ")
    assert blas["remedy"].startswith("export OPENBLAS_NUM_THREADS=1")


def test_runtimes_of_a_process() -> None:
    maps = """\
55d0-55d1 r-xp 00000000 08:01 12 /usr/bin/solver
7f00-7f01 r-xp 00000000 08:01 13 /usr/lib/libgomp.so.1.0.0
7f01-7f02 r--p 00000000 08:01 13 /usr/lib/libgomp.so.1.0.0
7f02-7f03 r-xp 00000000 08:01 14 /opt/llvm/lib/libomp.so.5 (deleted)
7f03-7f04 r-xp 00000000 08:01 15 /opt/mpi/lib/libmpi.so.40.30
7f04-7f05 r-xp 00000000 08:01 16 /opt/mpi/lib/libmpi_mpifh.so.40
7f05-7f06 rw-p 00000000 00:00 0 [heap]
"""
    files = process.mapped_files(maps)
    assert len(files) == 5
    found = process.runtimes(files)
    assert [file.name for file in found["OpenMP"]] == ["libgomp.so.1.0.0", "libomp.so.5"]
    assert [file.name for file in found["MPI"]] == ["libmpi.so.40.30"]
    section = Section("processor")
    machine.runtimes(section, files)
    [problem] = section.problems
    assert "gfortran -fopenmp" in problem.remedy


def test_traps_of_an_environment() -> None:
    """MXCSR and the x87 control word: an exception that one of them does not mask is armed."""

    def environment(control: int, mxcsr: int) -> bytes:
        return struct.pack("<H26xI", control, mxcsr)

    assert process.FloatingPoint.of(environment(0x37F, 0x1F80)) == process.FloatingPoint((), False)
    sse = process.FloatingPoint.of(environment(0x37F, 0x1F80 & ~(1 << 7) | 1 << 15))
    assert sse == process.FloatingPoint(("invalid",), True)
    assert process.FloatingPoint.of(environment(0x37B, 0x1F80)).traps == ("zero",)
    section = Section("processor")
    machine.floating_point(section, environment(0x37B, 0x1F80))
    assert section.problems == []  # no NaN raises it
    assert section.facts["traps"] == "zero"


def test_a_program_of_another_mpi_than_mpi4py(tmp_path: Path) -> None:
    """Without a start: the libraries that its file names."""
    source = tmp_path / "main.c"
    source.write_text("int MPI_Init(void); int main(void) { return MPI_Init(); }\n")
    library = tmp_path / "libmpi.so.12"
    (tmp_path / "mpi.c").write_text("int MPI_Init(void) { return 0; }\n")
    gcc = compiler("gcc")
    shared = [gcc, "-shared", "-fPIC", str(tmp_path / "mpi.c"), "-Wl,-soname,libmpi.so.12"]
    subprocess.run([*shared, "-o", str(library)], check=True)
    program = tmp_path / "solver"
    subprocess.run([gcc, str(source), str(library), "-o", str(program)], check=True)
    section = Section("MPI")
    assert mpisides._linked(section, program) == "MPICH"
    assert "MPICH (libmpi.so.12)" in section.facts["program"]
    assert mpisides._linked(section, source) is None
    assert section.problems[0].stops
    assert mpisides.mismatch("MPICH", ("Open MPI", [])) and not mpisides.mismatch("MPICH", None)
    if facts(doctor(), "MPI")["mpi4py"].startswith("built for Open MPI"):
        told = doctor("--program", str(program), status=1)
        [problem] = problems(told, "MPI")
        assert "mpi4py is built for Open MPI" in problem["what"]
        assert "the host runs MPICH" in problem["what"]
        assert "--no-binary mpi4py mpi4py" in problem["remedy"]


def test_a_python_without_mpi4py(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is wrong with a program of one process; one with MPI is told, and runs."""
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    section = Section("MPI")
    mpisides._mpi4py(section, None, "none in this process")
    assert (section.facts["mpi4py"], section.problems) == ("not installed", [])
    mpisides._mpi4py(section, "MPICH", "MPICH 4.0.2")
    [problem] = section.problems
    assert not problem.stops
    assert "this Python has no mpi4py" in problem.what


def test_folders_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path))
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "a.so").write_bytes(b"x" * 2048)
    found = folders.section()
    assert (found.problems, found.facts["built packs"]) == ([], "2.0 KiB in 1 files")
    (tmp_path / "packs").chmod(0o777)
    [problem] = folders.section().problems
    assert problem.remedy == f"chmod o-w {tmp_path / 'packs'}"
    if os.geteuid() == 0:
        os.chown(tmp_path / "packs", 12345, 12345)
        monkeypatch.setattr(os, "getuid", lambda: 54321)
        os.chown(tmp_path, 54321, 54321)
        [problem] = folders.section().problems
        assert "belongs to 12345" in problem.what and "BRIDGE_CACHE" in problem.remedy
    (tmp_path / "file").write_text("")
    assert folders.unwritable(tmp_path / "file") == "is no folder"


def test_a_report_is_the_same_again() -> None:
    section = Section("part", {"fact": "one\ntwo"})
    section.problem("it is wrong", "do this", stops=True)
    report = Report([section, Section("other")], rank=3)
    again = Report.from_json(json.loads(written([report], as_json=True)))
    assert again == report and again.stops
    text = written([report], as_json=False)
    assert "bridge doctor, rank 3" in text and "STOPS A RUN: it is wrong" in text
    assert text.endswith("1 problem, 1 of them would stop a run\n")
    assert "    mend: do this" in text.splitlines()
