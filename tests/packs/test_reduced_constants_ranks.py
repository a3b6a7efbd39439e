"""Constants that are reductions over ranks, again and again: no call enters Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hosts import Host, Outcome, build, counting

pytestmark = [pytest.mark.fortran, pytest.mark.mpi]

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("reducedconstants")
    return build(folder, [HERE / "reducedconstants.f90"], with_compiler="mpif90", flags=("-O1",))


@pytest.mark.parametrize(("ranks", "kind", "how"), [
    (1, "cpu", "alone"), (1, "stand-in", "alone"), (1, "stand-in", "ranks"),
    (2, "cpu", "others"), (4, "cpu", "ranks"), (2, "stand-in", "others"),
])  # fmt: skip
def test_loops_without_python(
    heat: Path, built: Path, host: Host, mpirun: list[str], ranks: int, kind: str, how: str
) -> None:
    pytest.importorskip("mpi4py")
    environment = counting(kind == "stand-in", BRIDGE_PACKS=str(heat), BRIDGE_CACHE=str(built))
    environment["BRIDGE_BACKEND"] = "cpu" if kind == "cpu" else "cuda"
    launcher = (*mpirun, "-n", str(ranks)) if ranks > 1 else ()
    found = host.run(how, launcher=launcher, environment=environment)
    assert found.status == 0, found.out + found.err
    check(found, ranks, kind, how)


def check(found: Outcome, ranks: int, kind: str, how: str) -> None:
    print(found.out)
    rows = re.findall(r"^wrong (\d+) +(\S+)", found.out, re.M)
    assert [wrong for wrong, _ in rows] == ["0"] * ranks, found.out
    assert len({value for _, value in rows}) == 1
    failed = re.findall(r"^failed (-?\d+) (-?\d+) (\d+) (.*)", found.out, re.M)
    assert [row[:3] for row in failed] == [("-3", "0", "0")] * ranks, found.out
    assert all("high" in row[3] for row in failed)
    assert sum("failed on rank 0" in row[3] for row in failed) == ranks - 1
    if ranks == 1:
        entered = [int(n) for n in re.findall(r"entered (\d+)", found.out)]
        inside = [
            after - before for before, after in zip(entered[::2], entered[1::2], strict=True)
        ]
        # the report alone, and on a GPU the two runs of host arrays
        assert inside[2:] == [1 if kind == "cpu" else 3] * 4
