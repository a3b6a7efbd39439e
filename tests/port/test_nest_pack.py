"""From loops to a pack that runs in their place: the arrays hold what the loops give."""

from __future__ import annotations

from pathlib import Path

import pytest
from port.nestpack import differences
from port.test_outline_same import FIXED, FREE, HERE

pytestmark = pytest.mark.fortran
NAMES = [case.unit for case in (*FREE, *FIXED)]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    folder = tmp_path_factory.mktemp("nestpack")
    return differences(folder, {HERE / "nests.f90": FREE, HERE / "nests.f": FIXED})


@pytest.mark.parametrize("name", NAMES)
def test_the_pack_gives_what_the_loops_give(name: str, found: dict[str, dict[str, float]]) -> None:
    # Columns are solved without pivoting: 1e-10 of numbers of order one.
    own = {k: v for k, v in found[name].items() if not k.isupper()}
    assert max(own.values()) < 1e-10, own


@pytest.mark.parametrize("name", NAMES)
def test_the_comparison_beside_the_loops(name: str, found: dict[str, dict[str, float]]) -> None:
    """Arrays and reductions, kernels that follow each other; and loops that did not run."""
    assert found[name]["COMPARED"] < 1e-10 < found[name]["MISSED"]


def test_all_ran(found: dict[str, dict[str, float]], tmp_path: Path) -> None:
    assert {*found} == {*NAMES}
