"""Random procedures and nests against gfortran. More of the same: `ci/fuzz programs`."""

from __future__ import annotations

from pathlib import Path

import pytest
from port.randomchecked import checked
from port.randomfortran import nests, procedures

pytestmark = pytest.mark.fortran


@pytest.mark.parametrize("seed", [1, 2])
def test_random_procedures(tmp_path: Path, seed: int) -> None:
    assert procedures(tmp_path, seed, 6)["same"] >= 4


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_nests(tmp_path: Path, seed: int) -> None:
    assert nests(tmp_path, seed, 20)["same"] >= 3


def test_random_nests_that_modules_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    assert checked(tmp_path, 4, 1)["same"] >= 1
