"""What every test may use: data, the backend under test (backends.py), tools that may be missing,
the mpirun line of this machine, folders that the processes of a session share."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import sharing

DATA = Path(__file__).parent / "data"

# Tests are about the installed package: the checkout they are started in is not on the path,
# not even with `python -m pytest`.
sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path(__file__).parents[1]]
os.environ["PYTHONSAFEPATH"] = "1"
os.environ.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")

pytest_plugins = ["backends"]  # imports the package: only now

if importlib.util.find_spec("hypothesis") is not None:
    import hypothesis

    # The same examples in each run and on each machine, however busy it is. `ci/fuzz properties`
    # takes the other profile, with seeds that it names.
    for name, same in (("same", True), ("seeds", False)):
        hypothesis.settings.register_profile(
            name, derandomize=same, database=None, deadline=None, print_blob=True,
            suppress_health_check=[hypothesis.HealthCheck.too_slow],
        )  # fmt: skip
    hypothesis.settings.load_profile("same")

#: The files that take longest begin first in a session of several processes: none ends alone.
LONGEST = [
    *("kernels/test_cuda_compile.py", "port/test_check.py", "port/test_legacy_pack.py"),
    *("fortran/test_hosts.py", "packs/test_nests.py", "flow/test_blocks.py"),
    *("port/test_translate.py", "port/test_nest_pack.py", "packs/test_build.py"),
    *("kernels/test_hip_compile.py", "install/test_install.py"),
    *("benchmarks/test_parallel.py", "port/test_elements.py", "port/test_random_fortran.py"),
    *("port/test_bits_by_place.py", "blocks/test_colours.py", "blocks/test_boxes_host.py"),
    *("port/test_port_page.py", "failure/test_together.py", "port/test_lists.py"),
    *("port/test_compare.py", "benchmarks/test_loops.py", "packs/test_port_page.py"),
    *("packs/test_records.py", "kernels/test_singles.py", "kernels/test_language.py"),
    *("port/test_called_nests.py", "port/test_speed.py", "port/test_units.py"),
]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        place = {str(Path(__file__).parent / file): n for n, file in enumerate(LONGEST)}
        items.sort(key=lambda item: place.get(str(item.path), len(place)))


@pytest.fixture(scope="session")
def reference() -> np.lib.npyio.NpzFile:
    """States and values computed by public libraries (docs/physics.md, reference values)."""
    file: np.lib.npyio.NpzFile = np.load(DATA / "reference_cases.npz")
    return file


@pytest.fixture(scope="session")
def mpirun() -> list[str]:
    """The beginning of an mpirun command line, skipped where there is none."""
    program = shutil.which("mpirun")
    if program is None:
        pytest.skip("no mpirun")
    words = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    if "Open MPI" not in words and "OpenRTE" not in words:  # MPICH and its relatives (ci/mpich)
        return [program, "-bind-to", "none"]
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return [program, *as_root, "--oversubscribe", "--bind-to", "none"]


@pytest.fixture(scope="session", autouse=True)
def _silent_progress() -> None:
    """What a command says while it works depends on how busy the machine is; test_progress.py
    looks at it."""
    from bridge import progress

    progress.AFTER = 3600.0


@pytest.fixture(scope="session", autouse=True)
def once(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, Callable[[Path], None]], Path]:
    """once(name, make) -> a folder that make(folder) fills: sharing.py."""
    sharing.base = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):  # a process of several, with a folder of its own
        sharing.base = sharing.base.parent
    elif shared := os.environ.get("BRIDGE_TEST_SHARED"):  # a session that a test has started
        sharing.base = Path(shared)
    return sharing.once


@pytest.fixture
def one_isa(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs and evaluations of a test take the instruction set that most packs are built for."""
    from packsbuilt import ISA

    from bridge.evaluation import function

    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
    function.forget()  # it keeps backends
    yield
    function.forget()
