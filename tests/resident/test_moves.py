"""A Fortran program whose arrays stay where they are used: on the CPU, on the shadow copy that
stands for a device, on a GPU."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hosts import Host, build

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent
STYLES = [
    ("gfortran", ("-std=f2018", "-Wall", "-Werror", "-O3")),
    ("gfortran", ("-fcheck=all", "-fdefault-integer-8", "-fdefault-real-8")),
    ("flang", ("-O2",)),
]
MESSAGES = {
    "strided": "data of buffer: got an array that is not contiguous",
    "clause": "clause: got 'copy', wanted one of copyin, create",
    "layout": "layout: got 'soa', wanted one of host, device",
    "exit": "frame_exit_data of 'rho': the array of set 'cells' is not resident (resident: 'Q'",
    "update": "frame_update_host of 'rho': the array of set 'cells' is not resident",
    "five": "box: got a first extent of 3, wanted 6: i1, i2, j1, j2, k1, k2",
    "outside": "boxes: got i1 = -2, i2 = 2 of box 1 of 'Q', wanted positions from -1 to 10",
    "small": "nBuffer: got 3, wanted the 8 elements of the boxes",
    "single": "buffer: got float32, wanted float64, as the array of 'Q' has",
    "address": "frame_device_address of 'rho': the array of set 'cells' is not resident",
    "section": "'rho' of set 'part', a section of a larger array, wanted an array bound whole",
    "part": "'Q' of set 'part', a section of a larger array",
    "partially": "'rho' of set 'cells', partially present: 'rho' of set 'half' holds a part",
}


@pytest.fixture(scope="module", params=STYLES, ids=lambda style: " ".join(map(str, style[:1])))
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Host:
    with_compiler, flags = request.param
    folder = tmp_path_factory.mktemp("moves")
    return build(folder, [HERE / "moves.f90"], with_compiler=with_compiler, flags=flags)


@pytest.mark.parametrize(
    ("where", "environment"),
    [
        ("here", {"BRIDGE_BACKEND": "cpu"}),
        ("apart", {"BRIDGE_BACKEND": "cpu", "BRIDGE_CHECK_RESIDENCY": "1"}),
        pytest.param(
            "apart",
            {"BRIDGE_BACKEND": "cuda"},
            marks=[
                pytest.mark.gpu,
                pytest.mark.skipif(
                    os.environ.get("BRIDGE_TEST_STANDIN") == "1", reason="needs a process's GPU"
                ),
            ],
        ),
    ],
    ids=["cpu", "checked", "gpu"],
)
def test_arrays_that_stay(host: Host, where: str, environment: dict[str, str | None]) -> None:
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "CUDA_PATH") if name in os.environ}
    outcome = host.run(where, environment={**kept, **environment})
    assert outcome.status == 0, outcome.out + outcome.err
    checks = [line.split() for line in outcome.out.splitlines() if line[-2:] in (" T", " F")]
    assert [label for label, right in checks if right != "T"] == [], outcome.out
    assert len(checks) == 32
    for label, message in MESSAGES.items():
        status, *text = outcome.words(f"refused-{label}")
        assert int(status) < 0, label
        assert message in " ".join(text), label
    assert "warning" not in outcome.out
