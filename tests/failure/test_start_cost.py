"""What a start costs a rank: the modules it imports, each a few looks at a file system."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import Host

#: Parsers, and packages that only other commands or failures need. Some take as long as all else.
NOT_NEEDED = {
    *("yaml", "tomllib", "json", "cffi", "pycparser", "csv", "pickletools"),
    *("importlib.metadata", "importlib.resources", "importlib.util", "email", "zipfile"),
    *("subprocess", "tempfile", "shutil", "socket", "random", "mmap", "hashlib"),
    *("difflib", "shlex", "fractions", "decimal", "argparse", "unittest", "asyncio"),
    *("mpi4py", "cupy", "cuda", "matplotlib", "tabulate", "h5py"),
    *("bridge.cli", "bridge.bench", "bridge.port", "bridge.gallery", "bridge.convert"),
    *("bridge.advise", "bridge.evaluation", "bridge.backends.cuda", "bridge.backends.gpu"),
    *("bridge.plan.packbuild", "bridge.plan.counted"),
}
#: Modules of the package and of all but NumPy; NumPy's number is its own affair.
MOST_OF_BRIDGE, MOST_OF_PYTHON = 122, 150

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


def test_nothing_is_imported_that_a_run_does_not_use(imported: set[str]) -> None:
    assert "bridge.backends.cpu.program" in imported
    assert sorted(NOT_NEEDED & imported) == []


def test_the_number_of_modules_is_bounded(imported: set[str]) -> None:
    own = {name for name in imported if name.split(".")[0] == "bridge"}
    others = {name for name in imported - own if name.split(".")[0] != "numpy"}
    assert len(own) <= MOST_OF_BRIDGE
    assert len(others) <= MOST_OF_PYTHON, sorted(others)


def test_headers_of_kernels_are_not_looked_for_one_by_one(host: Host, tmp_path: Path) -> None:
    """A start under strace, where the machine has it: path look-ups, without those of NumPy."""
    import shutil

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
