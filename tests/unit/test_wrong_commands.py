"""Wrong command lines of users: what is said, and that it is said before any work is done.

Each message names the argument, what came and what is wanted, and the near name where one is
near; the exit status is not 0; nothing is a traceback.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bridge import bridge_config, commandline
from bridge.cli import main
from bridge.errors import ArgumentError

SOURCE = """
subroutine air(p, t, rho)
  real(8), intent(in) :: p, t
  real(8), intent(out) :: rho
  rho = p / (287.0d0 * t)
end subroutine
"""

WRONG = {
    # a name of a command, of one of its own, of a ladder
    "prot air.f90::air -o p": "argument COMMAND: got 'prot', wanted one of info, .*mean port?",
    "bench kernel": "argument NAME: got 'kernel', wanted one of kernels, .*mean kernels?",
    "kernels biuld": "argument COMMAND: got 'biuld', wanted one of build, .*mean build?",
    "packs lst": "argument COMMAND: got 'lst', wanted one of list, build, write; .*mean list?",
    "species conver a.yaml": "argument COMMAND: got 'conver', .*; did you mean convert?",
    "gallery nbdy": "argument LADDER: got 'nbdy', .*; did you mean nbody?",
    "": "argument COMMAND: got nothing, it is required",
    "packs": "argument COMMAND: got nothing, it is required",
    "replay": "argument FILE: got nothing, it is required",
    "tune": "argument -o/--output: got nothing, it is required",
    # a name of an option, of another command's, a word too many
    "port air.f90::air --outpt p": "bridge port: there is no option --outpt; did .* --output?",
    "--versoin": "bridge: there is no option --versoin; did you mean --version?",
    "doctor --progam a.out": "bridge doctor: there is no option --progam; did .* --program?",
    "bench kernels --fortran_stub x": "no option --fortran_stub; did you mean --fortran-stub?",
    "gallery --bakend cpu nbody": "bridge gallery: there is no option --bakend; .* --backend?",
    "packs build --iso v3": "bridge packs build: there is no option --iso; did you mean --isa?",
    "bench latency --ns 4": "bench latency: there is no option --ns; the options are --json",
    "bench marshal --ranks=2": "bench marshal: there is no option --ranks",
    "species list my.yaml": "got 'my.yaml', wanted no further argument; the options are --file",
    "info now": "bridge info: got 'now', wanted no further argument",
    # a value
    "bench kernels --isa avx2": "argument --isa: got 'avx2', wanted one of v2, v3, v4",
    "bench many --backend gpu": "argument --backend: got 'gpu', wanted one of cpu, cuda",
    "bench kernels --points 1e6": "argument --points: got '1e6', wanted a whole number",
    "bench kernels --seconds 5s": "argument --seconds: got '5s', wanted a number",
    "bench kernels --ns four": "argument --ns: got 'four', wanted numbers such as 1,4,16",
    "bench kernels --ns=-4": "argument --ns: got -4, wanted 1 to 54",
    "bench kernels --ns 99": "argument --ns: got 99, wanted 1 to 54",
    "bench ranks --ranks 2,x": "argument --ranks: got '2,x', wanted numbers such as 1,4,16",
    "bench fluids --sizes 7": r"argument --sizes: got \(7,\), wanted even numbers",
    "advise eosThermalProperties --link 64GB/s": "--link: got '64GB/s', wanted a number",
    "advise eosThermalProperties --link=-3": "--link: got -3.0, wanted GB/s above 0",
    "advise eosThermalProp": "got 'eosThermalProp', wanted .* such as eosThermalProperties",
    "kernels build --ns 4": "argument --arch: got nothing, wanted GPU architectures",
    "kernels build --arch sm_90": "argument --ns: got nothing, wanted numbers of species",
    "kernels build --arch h100 --ns 4": "arch: got 'h100', wanted a name such as sm_90",
    "port air.f90::air -o p --fflags -O3": "--fflags: expected one .* is written --fflags='-O3'",
    "port air.f90::air -o p --fflag -O3": "--fflags: expected one .* is written --fflags='-O3'",
    "port air.f90::air -o p --value n": "argument --value: got 'n', wanted NAME=VALUE",
    "port air.f90::air -o p --shape t": "argument --shape: got 't', wanted NAME=VALUE",
    "port air.f90::air -o p -D 9X": "argument -D: got '9X', wanted NAME or NAME=VALUE",
    "species show O3X": "argument species: got 'O3X', wanted a name of the shipped table",
    "fingerprint --set backnd=cpu": "got 'backnd', wanted .*did you mean 'backend'?",
    # a file
    "port iar.f90::air -o p": "source: got iar.f90, wanted a file that is there; did .* air.f90?",
    "port folder::air -o p": r"argument source: got folder \(a folder\), wanted a file",
    "port binary.f90::air -o p": r"got binary.f90 \(not a text\), wanted a source file",
    "port air.f90::air -o air.f90": r"argument -o: got 'air.f90' \(a file\), wanted a folder",
    "port --survey nowhere": "argument --survey: got nowhere, wanted a file or a folder",
    "bench kernels --json no/a.json": r"--json: got 'no/a.json' \(there is no folder no\)",
    "bench kernels --json folder": r"argument --json: got 'folder' \(is a folder\), wanted a fi",
    "bench kernels --json air.f90/a": r"got 'air.f90/a' \(air.f90 is a file\), wanted a file",
    "bench kernels --plot a.gif": "--plot: got 'a.gif', wanted a file that ends in .png, .pdf",
    "gallery nbody --json no/a.json": "argument --json: got 'no/a.json' .* no folder no",
    "gallery nbody --chart no/a.png": "argument --chart: got 'no/a.png' .* no folder no",
    "advise eosThermalProperties --json no/a.json": "argument --json: got 'no/a.json' .*folder",
    "packs build --folder nowhere": "nowhere/catalogue.toml .No such file or directory., wanted",
    "plot nowhere.dat": "argument FILE: got 'nowhere.dat' .No such file or directory., wanted",
    "replay air.f90": "argument FILE: got 'air.f90' .*, wanted a file that a run with BRIDGE_VERI",
    "species convert air.f90 -o a.yaml": "argument mechanism: got air.f90, wanted",
    "fingerprint --diff air.f90 air.f90": "--diff: got air.f90, wanted a file with a line",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "air.f90").write_text(SOURCE)
    (tmp_path / "binary.f90").write_bytes(b"\x7fELF\2\1\1\0")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("line", WRONG)
def test_what_is_said(line: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin = time.monotonic()
    try:
        status = main(line.split())
    except SystemExit as end:
        status = int(end.code or 0)
    captured = capsys.readouterr()
    assert status and not captured.out
    found = [told for told in captured.err.splitlines() if told.startswith("bridge")]
    wanted = WRONG[line].replace("?", r"\?")
    assert any(re.search(wanted, told) for told in found), captured.err
    assert len(captured.err.splitlines()) <= 6, "a usage that nobody reads stands above"
    assert time.monotonic() - begin < 20.0
    assert {one.name for one in place.iterdir()} <= {"air.f90", "binary.f90", "folder", "cache"}


@pytest.mark.parametrize(
    ("variable", "value", "wanted"),
    [
        ("BRIDGE_BACKEND", "gpu", "got 'gpu', wanted one of auto, cpu, cuda"),
        ("BRIDGE_THREADS", "many", "got 'many', wanted a whole number from 1"),
        ("BRIDGE_THREADS", "-1", "got '-1', wanted a whole number from 1"),
        ("BRIDGE_CPU_ISA", "avx2", "got 'avx2', wanted one of"),
        ("BRIDGE_PACKS", "/nowhere", "/nowhere/catalogue.toml (No such file or directory)"),
    ],
)
def test_info_reads_the_environment_of_a_run(
    variable: str,
    value: str,
    wanted: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(variable, value)
    assert main(["info"]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"bridge: argument {variable}") and wanted in told


def test_info_tells_of_a_variable_that_nothing_reads(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BRIDGE_BACKND", "cpu")
    assert main(["info"]) == 0
    assert "BRIDGE_BACKND" in capsys.readouterr().err


def test_a_short_usage_stands_above_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["bundle"])
    usage, told, more = capsys.readouterr().err.splitlines()
    assert usage == "usage: bridge bundle [-h] DIR"
    assert told == "bridge bundle: argument DIR: got nothing, it is required"
    assert more == "`bridge bundle --help` has every option"


def test_bridge_config(capsys: pytest.CaptureFixture[str]) -> None:
    for words, wanted in (
        ([], "bridge-config: got nothing, wanted one or more of its options, such as --fflags"),
        (["--fflgas"], "bridge-config: there is no option --fflgas; did you mean --fflags?"),
        (["fflags"], "bridge-config: got 'fflags', wanted no further argument"),
    ):
        with pytest.raises(SystemExit, match="2"):
            bridge_config.main(words)
        captured = capsys.readouterr()
        assert wanted in captured.err and not captured.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(ArgumentError, match="no permission to write"):
        commandline.writable("--json", str(tmp_path / "a.json"))
    tmp_path.chmod(0o755)


def test_a_file_that_is_there_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    commandline.writable("--json", str(tmp_path / "a.json"))
    commandline.writable("--json", None)


def test_results_alone_are_on_stdout() -> None:
    """What a Frame says of itself stands between the rows otherwise, and in the file of `>`."""
    words = ["bench", "timers", "--points", "2048", "--seconds", "0.01"]
    command = [sys.executable, "-P", "-m", "bridge", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("What timers and a trace cost") and "bridge:" not in done.stdout
