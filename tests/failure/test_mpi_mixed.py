"""Rule 4: an mpi4py that was built for another MPI than the host's is found out before it is
loaded, which would end in a crash; so is one that finds no MPI library."""

from __future__ import annotations

import importlib.machinery
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hosts import Host, build, compiler

from bridge import mpiabi

pytestmark = pytest.mark.mpi

HERE = Path(__file__).parent
SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]
# Library that the module needs, and a name that this library must then have.
LIBRARIES = {"MPICH": "libmpi.so.12", "Open MPI": "libmpi.so.40"}
REMEDY = "pip install --force-reinstall --no-cache-dir --no-binary mpi4py mpi4py"


@pytest.fixture(scope="module")
def mpi4py_for(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """mpi4py_for(family): a folder with an mpi4py for that MPI, and with such a library."""

    def make(family: str) -> Path:
        folder = tmp_path_factory.mktemp("mpi4py")
        package = folder / "mpi4py"
        package.mkdir()
        (package / "__init__.py").write_text("class rc:\n    pass\n")
        library = folder / LIBRARIES[family]
        source = folder / "libmpi.c"
        source.write_text("int MPI_Comm_dup(void) { return 0; }\nchar ompi_mpi_comm_world;\n")
        shared = [compiler("gcc"), "-shared", "-fPIC"]
        subprocess.run(
            [*shared, str(source), f"-Wl,-soname,{library.name}", "-o", str(library)], check=True
        )
        define = ["-DOPEN_MPI"] if family == "Open MPI" else []
        module = [*shared, *define, str(HERE / "fakempi4py.c"), str(library)]
        subprocess.run([*module, "-o", str(package / f"MPI{SUFFIX}")], check=True)
        return folder

    return make


@pytest.fixture(scope="module")
def mpich_host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A host whose MPI has the handles of MPICH."""
    folder = tmp_path_factory.mktemp("mpich")
    source = HERE / "fakempich.c"
    return build(folder, [source], with_compiler="gcc", module=None, flags=("-rdynamic",))


def test_an_mpi4py_for_mpich_in_an_open_mpi_host(
    mpi_host: Host, mpirun: list[str], mpi4py_for: Callable[[str], Path]
) -> None:
    if "Open MPI" not in subprocess.run([*mpirun, "-V"], capture_output=True, text=True).stdout:
        pytest.skip("mpirun is not Open MPI's")
    folder = mpi4py_for("MPICH")
    environment: dict[str, str | None] = {
        **{"PYTHONPATH": str(folder), "LD_LIBRARY_PATH": str(folder)},
        **{"BRIDGE_BACKEND": "cpu", "BRIDGE_SPECIES": "O2 CH4"},
    }
    outcome = mpi_host.run("agree", launcher=(*mpirun, "-n", "2"), environment=environment)
    assert outcome.status == 0, outcome.err
    for rank in range(2):
        status, *words = outcome.words(f"first{rank}:")
        message = " ".join(words)
        assert int(status) == -6
        assert f"{folder}/mpi4py/MPI{SUFFIX}) is built for MPICH (libmpi.so.12)" in message
        assert "the host runs Open MPI v" in message and REMEDY in message


def test_an_mpi4py_for_open_mpi_in_an_mpich_host(
    mpich_host: Host, mpi4py_for: Callable[[str], Path]
) -> None:
    folder = mpi4py_for("Open MPI")
    environment: dict[str, str | None] = {
        "PYTHONPATH": str(folder),
        "LD_LIBRARY_PATH": str(folder),
    }
    outcome = mpich_host.run(environment=environment)
    assert outcome.status == 0, outcome.out + outcome.err
    status, *words = outcome.words("world")
    message = " ".join(words)
    assert int(status) == -6
    assert "is built for Open MPI (libmpi.so.40), and the host runs MPICH 4.9.9: " in message
    assert REMEDY in message


def test_the_doctor_names_both(mpich_host: Host, mpi4py_for: Callable[[str], Path]) -> None:
    """Of the running process: its MPI, what mpi4py is built for, and what puts it right."""
    for family, number in (("Open MPI", 1), ("MPICH", 0)):
        folder = str(mpi4py_for(family))
        environment: dict[str, str | None] = {"PYTHONPATH": folder, "LD_LIBRARY_PATH": folder}
        outcome = mpich_host.run("doctor", environment=environment)
        assert outcome.status == 0, outcome.out + outcome.err
        told = json.loads((mpich_host.program.parent / "report.json").read_text())
        [section] = [one for one in told["sections"] if one["name"] == "MPI"]
        assert section["facts"]["host"] == "MPICH 4.9.9"
        assert section["facts"]["mpi4py"].startswith(f"built for {family} (libmpi.so.")
        assert told["stops"] == bool(number)
        words = [f"{one['what']}; {one['remedy']}" for one in section["problems"]]
        assert len(words) == number
        for said in words:
            assert "mpi4py is built for Open MPI (libmpi.so.40), the host runs MPICH 4.9.9" in said
            assert said.endswith(REMEDY)


def test_an_mpi4py_that_finds_no_library(
    mpich_host: Host, mpi4py_for: Callable[[str], Path]
) -> None:
    folder = mpi4py_for("MPICH")
    (folder / LIBRARIES["MPICH"]).unlink()
    outcome = mpich_host.run(environment={"PYTHONPATH": str(folder)})
    assert outcome.status == 0, outcome.out + outcome.err
    status, *words = outcome.words("world")
    assert int(status) == -6
    assert "libmpi.so.12: cannot open shared object file" in " ".join(words)
    assert REMEDY in " ".join(words)


def test_numbers_that_are_no_communicator_of_mpich(mpich_host: Host) -> None:
    """Refused without a word to the host's error handlers, which are as they were."""
    outcome = mpich_host.run()
    assert outcome.status == 0, outcome.out + outcome.err
    for label, got in (
        *(("nonsense", "no communicator"), ("type", "no communicator")),
        *(("null", "MPI_COMM_NULL"), ("freed", "no communicator")),
    ):
        status, *words = outcome.words(label)
        assert int(status) == -6
        assert " ".join(words).startswith(f"argument comm: got {got}")
    assert outcome.words("handlers") == ["54000000", "54000000"]


@pytest.mark.parametrize("python", ["", "/nowhere/python3"])
def test_what_is_no_communicator_is_not_aborted(mpich_host: Host, python: str) -> None:
    """Neither where Python is there nor where the failure comes before any check."""
    outcome = mpich_host.run("abort", environment={"BRIDGE_PYTHON": python})
    assert outcome.status == 2, outcome.out + outcome.err
    assert outcome.words("aborted") == ["44000000"]


def test_modules_are_read_without_being_loaded(
    mpi4py_for: Callable[[str], Path], tmp_path: Path
) -> None:
    for family, library in LIBRARIES.items():
        module = mpi4py_for(family) / "mpi4py" / f"MPI{SUFFIX}"
        assert mpiabi.built_for(module) == (family, [library])
    assert mpiabi.built_for(Path(sys.executable).resolve()) is None
    (tmp_path / "text").write_text("no module")
    (tmp_path / "cut").write_bytes(module.read_bytes()[:300])
    assert mpiabi.built_for(tmp_path / "text") is mpiabi.built_for(tmp_path / "cut") is None
    assert mpiabi.built_for(tmp_path / "nothing") is None


@pytest.mark.skipif(shutil.which("mpif90.mpich") is None, reason="no MPICH beside Open MPI")
def test_a_real_mpich_host(tmp_path: Path) -> None:
    """Its ranks agree; the mpi4py of Open MPI is refused; with its own it works."""
    pytest.importorskip("mpi4py._mpiabi", reason="an mpi4py for one MPI alone")
    # Wheels of mpi4py ask for the library by the name that all relatives of MPICH share.
    (library,) = [
        words.split()[2]
        for words in subprocess.run(
            ["ldd", _small(tmp_path)], capture_output=True, text=True
        ).stdout.splitlines()
        if "libmpich.so" in words or "libmpi.so.12" in words
    ]
    os.symlink(library, tmp_path / "libmpi.so.12")
    sources = [HERE / "parallel.f90", tmp_path / "abort.o"]
    subprocess.run(["mpicc.mpich", "-c", str(HERE / "abort.c"), "-o", str(sources[1])], check=True)
    host = build(tmp_path, sources, with_compiler="mpif90.mpich", flags=("-rdynamic",))
    common: dict[str, str | None] = {
        **{"BRIDGE_BACKEND": "cpu", "BRIDGE_SPECIES": "O2 CH4"},
        "LD_LIBRARY_PATH": str(tmp_path),
    }
    for only, status, reason in (
        ("MPI4PY_MPIABI=openmpi", -6, "is built for Open MPI (libmpi.so.40), MPI4PY_MPIABI="),
        ("TEST_NS=3", -3, "argument ns: got 3"),
        ("TEST_NS=2", 0, ""),
    ):
        ranks = ("sh", "-c", f'if [ $PMI_RANK = 1 ]; then export {only}; fi; exec "$0" "$@"')
        launcher = ("mpirun.mpich", "-n", "2", *ranks)
        outcome = host.run("agree", launcher=launcher, environment=common)
        assert outcome.status == 0, outcome.out + outcome.err
        for rank in range(2):
            got, *words = outcome.words(f"first{rank}:")
            assert (int(got), reason in " ".join(words)) == (status, True)
    outcome = host.run("bad-communicator", launcher=("mpirun.mpich", "-n", "2"))
    assert [outcome.words(label) for label in ("nonsense", "freed", "inter")] == [["-6"]] * 3


def _small(folder: Path) -> str:
    """A program that is linked to MPICH."""
    (folder / "small.c").write_text("int MPI_Init(); int main(void) { return MPI_Init(0, 0); }\n")
    program = str(folder / "small")
    subprocess.run(["mpicc.mpich", str(folder / "small.c"), "-o", program], check=True)
    return program
