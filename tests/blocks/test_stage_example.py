"""The stage of a viscous gas: the example's program on several ranks, in place on the CPU, with
the check of residency, and with everything resident on a GPU; the legacy loops are its check."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hosts import Host, Outcome, build, counting

PACK = Path(__file__).parents[2] / "examples" / "stage_pack"

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]


@pytest.fixture(scope="module")
def stage(examples_built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Host, Path]:
    """The program, and a cache that holds the pack."""
    folder = tmp_path_factory.mktemp("stage")
    sources = [PACK / "flowloops.f90", PACK / "solver.f90"]
    return build(folder, sources, with_compiler="mpifort", flags=("-O2",)), examples_built


def words(
    stage: tuple[Host, Path], mpirun: list[str], ranks: int, further: int = 0, **environment: str
) -> Outcome:
    """What the program says of a few steps on blocks whose rows end within a vector; further:
    steps that follow."""
    host, cache = stage
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "CUDA_PATH") if name in os.environ}
    outcome = host.run(
        *("11", "7", "6", "3", str(further)),
        launcher=(*mpirun, "-n", str(ranks)),
        environment={
            **kept, "BRIDGE_PACKS": str(PACK), "BRIDGE_CACHE": str(cache), "OMP_NUM_THREADS": "1",
            **environment,
        },
    )  # fmt: skip
    assert outcome.status == 0, outcome.out + outcome.err
    assert "without frame_update_device" not in outcome.out, outcome.out
    assert float(outcome.words("largest")[1]) < 1e-12
    return outcome


def run(
    stage: tuple[Host, Path], mpirun: list[str], ranks: int, **environment: str
) -> dict[str, float]:
    """Its numbers."""
    outcome = words(stage, mpirun, ranks, 0, **environment)
    return {name: float(outcome.words(name)[0]) for name in ("energy", "rate")}


@pytest.mark.parametrize(("ranks", "check"), [(1, "0"), (2, "1"), (4, "0")])
def test_on_the_cpu(stage: tuple[Host, Path], mpirun: list[str], ranks: int, check: str) -> None:
    found = run(stage, mpirun, ranks, BRIDGE_BACKEND="cpu", BRIDGE_CHECK_RESIDENCY=check)
    assert found["energy"] > 0.0 and found["rate"] > 0.0


@pytest.mark.parametrize("kind", ["cpu", "stand-in"])
def test_repeated_steps_enter_python_never(
    stage: tuple[Host, Path],
    mpirun: list[str],
    kind: str,
) -> None:
    """Runs, begins, waits, constants, packs and unpacks, on everything resident."""
    backend = "cpu" if kind == "cpu" else "cuda"
    environment = counting(kind != "cpu", BRIDGE_BACKEND=backend)
    entered = [
        int(words(stage, mpirun, 1, further, **environment).words("entered")[0])
        for further in (1, 4)
    ]
    assert entered[0] == entered[1]


@pytest.mark.gpu
@pytest.mark.skipif(os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="needs a process's GPU")
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_on_a_gpu(stage: tuple[Host, Path], mpirun: list[str], ranks: int) -> None:
    here = run(stage, mpirun, ranks, BRIDGE_BACKEND="cpu")
    there = run(stage, mpirun, ranks, BRIDGE_BACKEND="cuda")
    assert there == pytest.approx(here, rel=1e-12)
