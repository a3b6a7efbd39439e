"""The command behind `bridge-config --self-test`: compile, run, count."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bridge import bridge_config, commandline
from bridge.conformance.session import Session
from bridge.conformance.tools import Tools
from bridge.evaluation.function import evaluate
from bridge.physics.species import SpeciesData

SPECIES = ["O2", "CH4"]
MODULES = ["bridge_interfaces.f90", "bridge.f90"]


def main(arguments: Sequence[str] | None = None) -> int:
    """A line for each check; returns 0 where none failed, else 1."""
    parser = commandline.Parser(
        prog="bridge-config --self-test",
        description="Compile and run programs that use every kind of entry point. FC, CC, MPIFC, "
        "MPIRUN, FCFLAGS (or FFLAGS), CFLAGS of the environment count where no option is given.",
    )
    parser.add_argument("--fc", help="Fortran compiler, with flags: 'ifx -O2'")
    parser.add_argument("--cc", help="C compiler")
    parser.add_argument("--mpifc", help="MPI's Fortran compiler; 'none': no MPI")
    parser.add_argument("--mpirun", help="what starts ranks, with options: 'srun --mpi=pmix'")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="build here, and leave it there")
    options = parser.parse_args(arguments)
    tools = Tools.found(options, os.environ)
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        return _test(tools, Session(options.keep.resolve()))
    with tempfile.TemporaryDirectory(prefix="bridge-self-test-") as folder:
        return _test(tools, Session(Path(folder)))


def _test(tools: Tools, session: Session) -> int:
    expected = _states(session.folder)
    flags = [*bridge_config.fflags(), *bridge_config.libs()]
    if not tools.fortran:
        session.wrong("a Fortran compiler", "none on PATH: name it with --fc or FC")
    else:
        _name("Fortran", tools.fortran)
        _fortran(session, tools.fortran, flags, expected)
    if not tools.c:
        session.skip("C", "no compiler on PATH: name it with --cc or CC")
    else:
        _name("C", tools.c)
        program = [str(session.folder / "c_host")]
        if session.compile("C: compile and link", [*tools.c, _ours("conformance.c"), *flags,
                                                   "-lm", "-o", *program]):  # fmt: skip
            session.run("C", [*program, expected])
    _mpi(session, tools, flags, expected)
    told = f"{session.passed} passed, {session.failed} failed"
    skipped = f", not looked at: {', '.join(session.skipped)}" if session.skipped else ""
    print(f"bridge-config --self-test: {told}{skipped}")
    return 1 if session.failed else 0


def _fortran(session: Session, compiler: list[str], flags: list[str], expected: str) -> None:
    """Module bridge, the interfaces without it, Fortran 77, the module of bridge_absent.f90."""
    folder = session.folder
    modules = all(
        session.compile(f"compile {name}", [*compiler, "-c", _entry(name), flags[0]])
        for name in MODULES
    )
    before = ["bridge_interfaces.o", "bridge.o", _ours("common.f90")]
    hosts = {"conformance.f90": before} if modules else {}
    for source, parts in {**hosts, "include.f90": [], "style77.f": []}.items():
        program = str(folder / Path(source).stem)
        command = [*compiler, *parts, _ours(source), *flags, "-o", program]
        if session.compile(f"compile and link {source}", command):
            session.run(source, [program, expected])
    alone = folder / "alone"
    alone.mkdir(exist_ok=True)
    sources = [_entry("bridge_absent.f90"), _entry("bridge.f90"), _ours("absent.f90")]
    program = str(alone / "absent")
    if session.compile("compile bridge_absent.f90", [*compiler, *sources, "-o", program], alone):
        session.run("absent.f90", [program])


def _mpi(session: Session, tools: Tools, flags: list[str], expected: str) -> None:
    """The modules are those of the Fortran compiler, where MPI's is the same one."""
    if tools.mpi_fortran[:1] == ["none"]:
        return session.skip("MPI", "not wanted")
    absent = (
        "name MPI's Fortran compiler with --mpifc or MPIFC, and what starts ranks with --mpirun"
    )
    if not tools.mpi_fortran or not tools.launcher:
        return (session.wrong if tools.asked else session.skip)("MPI", absent)
    if find_spec("mpi4py") is None:
        remedy = f"{sys.executable} -m pip install mpi4py"
        return session.skip("MPI", f"no mpi4py in this environment: {remedy}")
    _name("MPI Fortran", tools.mpi_fortran)
    folder = session.folder / "mpi"
    folder.mkdir(exist_ok=True)
    plain = Path(_ours("ranks.f90")).read_text()
    included = folder / "ranks_included.f90"
    included.write_text(
        plain.replace("  use mpi\n", "").replace(
            "  implicit none\n", "  implicit none\n  include 'mpif.h'\n", 1
        )
    )
    built = [f"-I{session.folder}", *(str(session.folder / f"{Path(name).stem}.o")
             for name in MODULES)]  # fmt: skip
    modules = [_entry(name) for name in MODULES]
    program = str(folder / "ranks")
    said = ""
    for source, ours in [
        (_ours("ranks.f90"), built), (_ours("ranks.f90"), modules), (str(included), modules)
    ]:  # fmt: skip
        sources = [*ours, source] if ours is modules else [source, *ours]
        said = session.refusal([*tools.mpi_fortran, *sources, *flags, "-o", program], folder)
        if not said:
            break
    label = "MPI: compile and link ranks.f90"
    if said:
        return session.wrong(label, said)
    session.right(label if source != str(included) else f"{label} with mpif.h")
    session.run("ranks.f90", [*tools.launcher, "-n", "2", program, expected])


def _states(folder: Path) -> str:
    """Writes what the programs read; the density that they have to find."""
    data = SpeciesData.load(SPECIES)
    columns = (data.W, data.Tc, data.Pc, data.omega, data.nasa7, data.Vc, data.dipole, data.kappa)
    numbers = [repr(float(x)) for column in columns for x in np.ravel(np.asarray(column))]
    (folder / "constants.txt").write_text("\n".join(numbers) + "\n")
    density = evaluate(SPECIES, T=[300.0], P=1.0e7, Y=[0.25, 0.75], outputs=("rho",),
                       backend="cpu")  # fmt: skip
    return repr(float(density["rho"][0]))


def _entry(name: str) -> str:
    return str(bridge_config.entry_file(name))


def _ours(name: str) -> str:
    return str(files("bridge.conformance").joinpath(name))


def _name(language: str, command: list[str]) -> None:
    """What the compiler calls itself."""
    said = ""
    if shutil.which(command[0]):
        for option in ("--version", "-V"):
            done = subprocess.run(
                [command[0], option], capture_output=True, text=True, errors="replace"
            )
            said = (done.stdout + done.stderr).strip()
            if done.returncode == 0 and said:
                break
    first = said.splitlines()[0].strip() if said else "not on PATH"
    print(f"{language}: {shlex.join(command)}: {first}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
