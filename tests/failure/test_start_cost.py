"""What a start costs a rank: the modules it imports, each a few looks at a file system."""

from __future__ import annotations

import _imp
import marshal
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hosts import Host

from bridge.cli import main

#: Parsers, and packages that only other commands or failures need. Some take as long as all else.
NOT_NEEDED = {
    *("yaml", "tomllib", "json", "cffi", "pycparser", "csv", "pickletools"),
    *("importlib.metadata", "importlib.resources", "importlib.util", "email", "zipfile"),
    *("subprocess", "tempfile", "shutil", "socket", "random", "mmap", "hashlib"),
    *("difflib", "shlex", "fractions", "decimal", "argparse", "unittest", "asyncio"),
    *("mpi4py", "cupy", "cuda", "matplotlib", "tabulate", "h5py"),
    *("bridge.cli", "bridge.bench", "bridge_port", "bridge_gallery", "bridge.convert"),
    *("bridge.advise", "bridge.evaluation", "bridge.backends.cuda", "bridge.backends.gpu"),
    *("bridge.plan.packbuild", "bridge.plan.counted"),
}
#: Modules of the package, and of all but NumPy and what it imports, which is its own affair.
MOST_OF_BRIDGE, MOST_OF_PYTHON = 132, 40

REPORT = """
import atexit, sys
atexit.register(lambda: print("modules", *sorted(sys.modules), flush=True))
"""


@pytest.fixture(scope="module")
def imported(host: Host, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the modules after a first result."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "sitecustomize.py").write_text(REPORT)
    environment = {"PYTHONPATH": str(folder), "BRIDGE_BACKEND": "cpu"}
    outcome = host.run("new-threads", environment=environment)
    assert outcome.status == 0, outcome.err
    return set(outcome.words("modules"))


@pytest.fixture(scope="module")
def of_numpy() -> set[str]:
    """What NumPy imports by itself; NumPy 1.26 takes random, and with it hashlib."""
    command = [sys.executable, "-P", "-c", "import numpy, sys; print(*sys.modules)"]
    return {*subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()}


def test_nothing_is_imported_that_a_run_does_not_use(
    imported: set[str], of_numpy: set[str]
) -> None:
    assert "bridge.backends.cpu.program" in imported
    assert sorted(NOT_NEEDED & imported - of_numpy) == []


def test_the_number_of_modules_is_bounded(imported: set[str], of_numpy: set[str]) -> None:
    own = {name for name in imported if name.split(".")[0].startswith("bridge")}
    others = {name for name in imported - own - of_numpy if name.split(".")[0] != "numpy"}
    assert len(own) <= MOST_OF_BRIDGE
    assert len(others) <= MOST_OF_PYTHON, sorted(others)


def test_no_text_is_parsed_and_headers_are_not_looked_for_one_by_one(
    host: Host, tmp_path: Path
) -> None:
    """A start under strace, where the machine has it."""
    if not (strace := shutil.which("strace")):
        pytest.skip("no strace on this machine")
    trace = tmp_path / "trace"
    launcher = (strace, "-f", "-qq", "-e", "trace=%file", "-o", str(trace))
    outcome = host.run("new-threads", launcher=launcher, environment={"BRIDGE_BACKEND": "cpu"})
    if not trace.exists() or outcome.status:
        pytest.skip(f"strace does not work here: {outcome.err}")
    lines = trace.read_text(errors="replace").splitlines()
    assert not [line for line in lines if "/kernels/eos/" in line and '.h"' in line]
    assert not [line for line in lines if ".yaml" in line or ".toml" in line]


# ---- Archives of modules ----------------------------------------------------------------------

LOADERS = """
import atexit, sys
def report():
    kinds = {}
    for name, module in list(sys.modules.items()):
        kinds.setdefault(type(getattr(module, "__loader__", None)).__name__, []).append(name)
    print("bundled", len(kinds.get("Bundled", [])), flush=True)
    print("files", *(n for n in kinds.get("SourceFileLoader", []) if "." in n), flush=True)
atexit.register(report)
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    command = [sys.executable, "-P", "-m", "bridge", "bundle", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"export BRIDGE_BUNDLE={folder / 'bridge.bundle'}" in done.stdout
    return folder / "bridge.bundle"


def test_a_run_imports_from_the_archive(host: Host, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LOADERS)
    environment = {
        "PYTHONPATH": str(tmp_path),
        "BRIDGE_BACKEND": "cpu",
        "BRIDGE_PYTHON": sys.executable,
        "BRIDGE_BUNDLE": str(archive),
    }
    outcome = host.run("work", environment=environment)
    assert outcome.status == 0, outcome.err
    assert int(outcome.words("bundled")[0]) > 180
    files = [name for name in outcome.words("files") if name.startswith(("numpy", "bridge"))]
    assert "nothing reads" not in outcome.out and not files


def boot(host: Host, bundle: Path) -> str:
    environment = {"BRIDGE_PYTHON": sys.executable, "BRIDGE_BUNDLE": str(bundle)}
    outcome = host.run("boot", environment=environment)
    assert outcome.status == 0, outcome.err
    status, *message = outcome.words("boot")
    assert int(status) == -2
    assert f"$BRIDGE_BUNDLE, {bundle}: " in " ".join(message)
    return " ".join(message)


def changed(archive: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """An archive with other facts."""
    contents = archive.read_bytes()
    magic, finder, facts, modules = marshal.loads(contents[16:])
    change(facts)
    body = marshal.dumps((magic, finder, facts, modules))
    target.write_bytes(contents[:8] + _imp.source_hash(0, body) + body)
    return target


def test_an_archive_that_is_damaged_is_refused(host: Host, archive: Path, tmp_path: Path) -> None:
    contents = bytearray(archive.read_bytes())
    (tmp_path / "cut").write_bytes(contents[: len(contents) // 2])
    contents[len(contents) // 2] ^= 1
    (tmp_path / "flipped").write_bytes(contents)
    for name in ("cut", "flipped"):
        assert "it is cut or altered" in boot(host, tmp_path / name)
    assert "No such file" in boot(host, tmp_path / "nowhere")


def test_an_archive_of_another_state_is_refused(host: Host, archive: Path, tmp_path: Path) -> None:
    def install(facts: dict[str, Any]) -> None:
        facts["stamps"] = [(path, time + 1) for path, time in facts["stamps"]]

    def move(facts: dict[str, Any]) -> None:
        facts["prefix"] = "/elsewhere"

    other = changed(archive, tmp_path / "installed", install)
    assert "packages were installed since it was made" in boot(host, other)
    other = changed(archive, tmp_path / "moved", move)
    assert "it was made in /elsewhere" in boot(host, other)


def test_a_folder_that_cannot_be_written_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("text")
    assert main(["bundle", str(tmp_path / "file")]) != 0
    assert "argument folder: got" in capsys.readouterr().err
