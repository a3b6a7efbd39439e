"""From loops to a pack that runs in their place: the arrays hold what the loops give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from port.nestpack import differences
from port.outlined import Case
from port.test_outline_same import FIXED, FREE, HERE

pytestmark = pytest.mark.fortran
#: Elements at other places are gathered and scattered by the generated modules.
VIEWS = [
    Case("gathered", {"nx": 9, "ny": 6, "nt": 11}),
    Case("mirrored", {"nx": 9, "ny": 6, "depth": 2}),
    Case("periodic", {"n1": 9, "n2": 6, "n3": 5}),
    Case("refined", {"n": 8, "m": 20}),
    Case("ahead", {"nx": 9, "ny": 6}),
    Case("between", {"nx": 9, "ny": 6, "nz": 5}),
    Case("edges", {"nx": 9, "ny": 6}),
    Case("packed", {"nx": 9, "ny": 6, "nz": 5, "depth": 3, "offset": 4}),
]
#: The same of places that a list names.
LISTS = [
    Case("soil", {"n": 9, "nc": 12, "nl": 6}),
    Case("places", {"n": 9, "m": 11}),
    Case("in_turn", {"n": 9, "m": 11, "nl": 5}),
    Case("none_there", {"n": 9, "m": 11}),
]
NOBODY = [Case("nobody", {"n": 0, "m": 3}, first={"most": "-3"})]
#: Kernels that run together, and kernels that do not.
RUNS = [
    Case("together", {"nx": 21, "ny": 6, "nz": 5, "mode": 1}),
    Case("apart", {"nx": 9, "ny": 6}),
    Case("lines", {"nx": 9, "ny": 6}),
]
#: Array statements, which are loops.
ARRAYS = [
    Case("updated", {"nx": 9, "ny": 6}),
    Case("moved", {"nx": 9, "ny": 6}),
    Case("chosen", {"nx": 9, "ny": 6}),
    Case("totals", {"nx": 9, "ny": 6}),
    Case("mixed", {"nx": 9, "ny": 6, "nz": 5, "mode": 2}),
    Case("coloured", {"nx": 9, "ny": 6, "colour": 0}),
    Case("triangle", {"nx": 9, "ny": 6}),
    Case("stencil", {"nx": 9, "ny": 6}),
    Case("sometimes", {"nx": 9, "ny": 6, "m": 4}),
    Case("turned", {"nx": 9}),
]
#: Whole allocatable arrays, from elsewhere than 1.
WHOLES = [
    Case("kept", {"nx": 9}, shapes={"a": "0:8", "old": "-3:5", "half": "9", "own": "2:10"}),
    Case("kept_planes", {"nx": 9, "ny": 6, "mode": 2},
         shapes={"plane": "9, 0:5", "turned": "-1:7, 6"}),
    Case("beside", {"n": 8, "low": -2},
         shapes={"a": "-2:6", "b": "-2:6", "c": "9", "f": "0:8", "g": "2:10"}),
    Case("counted", {"n": 8}, shapes={"a": "-3:4", "plane": "0:7, -1:4"}),
]  # fmt: skip
#: Components that only the subscripts tell.
TOUCHED = [
    Case("last_ones", {"nx": 9, "ny": 7}, shapes={"w": "0:10, -1:8, 0:7", "p": "9, 7"}),
    Case("first_ones", {"nx": 9, "ny": 7}, shapes={"q": "-1:2, 0:10, 7", "r": "9, 0:7"}),
    Case("all_written", {"nx": 9}, shapes={"w": "9, 0:3", "flux": "9, -1:2"}),
    Case("mirror", {"ny": 7, "ghosts": 2}, shapes={"w": "-2:9, 7, 0:6"}),
]
#: Tables of few elements.
TABLES = [
    Case("grouped", {"ng": 2}),
    Case("summed", {"ng": 2}),
    Case("thinned", {"na": 3}),
    Case("damped", {"na": 3}),
    Case("looked_up", {"nx": 9, "nz": 4}),
]
#: Scalars that a round leaves for the next one.
CARRIED = [
    Case("carries", {"nx": 9, "nz": 6}),
    Case("follows", {"n": 11, "m": 2}, first={"first": "0.3d0"}),
    Case("groups", {"ng": 3}),
    Case("under", {"n": 12, "m": 9}),
    Case("rows", {"n": 9, "m": 6, "none": -1}),
]
#: "updated" gathers what an earlier kernel of the nest has made.
SCATTERED = ("mirrored", "periodic", "refined", "between", "updated", "packed", "kept",
             "beside", "mirror", "summed", "looked_up")  # fmt: skip
#: What a caller leaves out is tried in test_presence.py.
GIVEN = [case for case in FREE if not case.presence]
NAMES = [case.unit for case in (
    *GIVEN, *FIXED, *VIEWS, *LISTS, *NOBODY, *RUNS, *ARRAYS, *WHOLES, *TOUCHED, *TABLES, *CARRIED,
)]  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    folder = tmp_path_factory.mktemp("nestpack")
    sources: dict[Path, Sequence[Case]] = {
        HERE / "nests.f90": GIVEN, HERE / "nests.f": FIXED, HERE / "views.f90": VIEWS,
        HERE / "lists.f90": [*LISTS, *NOBODY],
        HERE / "together.f90": RUNS, HERE / "arraystatements.f90": ARRAYS,
        HERE / "wholes.f90": WHOLES, HERE / "touched.f90": TOUCHED, HERE / "tables.f90": TABLES,
        HERE / "carried.f90": CARRIED,
    }  # fmt: skip
    return differences(folder, sources)


@pytest.mark.parametrize("name", NAMES)
def test_the_pack_gives_what_the_loops_give(name: str, found: dict[str, dict[str, float]]) -> None:
    # Columns are solved without pivoting: 1e-10 of numbers of order one.
    own = {k: v for k, v in found[name].items() if not k.isupper()}
    assert all(d < 1e-10 for d in own.values()), own


@pytest.mark.parametrize("name", NAMES)
def test_the_comparison_beside_the_loops(name: str, found: dict[str, dict[str, float]]) -> None:
    """Arrays and reductions, kernels that follow each other; and loops that did not run. Results
    that are scattered after a run, or made of what is gathered between two, are none that could
    be compared."""
    if name in SCATTERED or any(name == case.unit for case in LISTS):
        assert "COMPARED" not in found[name]
        return
    assert found[name]["COMPARED"] < 1e-10
    assert 1e-10 < found[name]["MISSED"] or name == "nobody"


def test_all_ran(found: dict[str, dict[str, float]], tmp_path: Path) -> None:
    assert {*found} == {*NAMES}


def test_two_points_of_a_list_that_are_one_element(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"twins.*: two points are one element of x\(list\(i"):
        differences(tmp_path, {HERE / "lists.f90": [Case("twins", {"n": 10})]})
