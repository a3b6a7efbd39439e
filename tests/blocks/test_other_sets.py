"""Sets that read arrays of other sets: faces between cells, cells between faces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bridge
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

NX, NY, NZ = 11, 4, 3
CELLS: dict[str, Any] = dict(SptX=2, EptX=NX + 1, SptY=1, EptY=NY, SptZ=1, EptZ=NZ)


def made(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Cells with a layer below and above x, and n + 1 faces."""
    cells = np.asfortranarray(np.random.default_rng(seed).normal(size=(NX + 2, NY, NZ)))
    return cells, np.full((NX + 1, NY, NZ), -7.0, order="F")


def test_faces_read_cells_and_cells_read_faces(tv: TVProperties) -> None:
    cells, faces = made()
    change = np.full((NX + 2, NY, NZ), -7.0, order="F")
    tv.bind_array("cells", "st_p", "in", cells, **CELLS)
    tv.bind_array("cells", "st_back", "out", change, **CELLS)
    tv.bind_array("faces", "st_ahead", "out", faces)
    tv.bind_from("faces", "st_p", "cells")
    tv.bind_from("cells", "st_ahead", "faces", shift=[0, 0, 0])
    tv.run("faces", "stAhead")
    np.testing.assert_allclose(faces, cells[1:] - cells[:-1], rtol=0, atol=1e-15)
    tv.run("cells", "stBack")
    np.testing.assert_allclose(change[1:-1], faces[1:] - faces[:-1], rtol=0, atol=1e-15)
    assert (change[[0, -1]] == -7.0).all()
    cells[...] = made(2)[0]
    tv.run("faces", "stAhead", box=[1, 3, 1, NY, 1, NZ])
    np.testing.assert_allclose(faces[:3], cells[1:4] - cells[:3], rtol=0, atol=1e-15)


def test_a_shift_places_the_set(tv: TVProperties) -> None:
    cells, _ = made()
    plane = np.full((1, NY, NZ), -7.0, order="F")
    tv.bind_array("cells", "st_p", "in", cells, **CELLS)
    tv.bind_array("plane", "st_ahead", "out", plane)
    for i in (0, 4, NX):
        tv.bind_from("plane", "st_p", "cells", shift=[i, 0, 0])
        tv.run("plane", "stAhead")
        np.testing.assert_allclose(plane[0], cells[i + 1] - cells[i], rtol=0, atol=1e-15)


def test_an_array_of_its_own_goes_before_that_of_another_set(tv: TVProperties) -> None:
    cells, faces = made()
    own, _ = made(5)
    tv.bind_array("cells", "st_p", "in", cells, **CELLS)
    tv.bind_array("faces", "st_ahead", "out", faces)
    tv.bind_from("faces", "st_p", "cells")
    tv.bind_array("faces", "st_p", "in", own, SptX=2, EptX=faces.shape[0] + 1)
    tv.run("faces", "stAhead")
    np.testing.assert_allclose(faces, own[1:] - own[:-1], rtol=0, atol=1e-15)


def test_what_is_bound_anew_there_holds_here(tv: TVProperties) -> None:
    cells, faces = made()
    tv.bind_array("cells", "st_p", "in", cells, **CELLS)
    tv.bind_array("faces", "st_ahead", "out", faces)
    tv.bind_from("faces", "st_p", "cells")
    tv.run("faces", "stAhead")
    other, _ = made(5)
    tv.bind_array("cells", "st_p", "in", other, **CELLS)
    tv.run("faces", "stAhead")
    np.testing.assert_allclose(faces, other[1:] - other[:-1], rtol=0, atol=1e-15)
    tv.unbind("cells", "*")
    with pytest.raises(bridge.StateError, match="'st_p' of set 'cells', which is not bound"):
        tv.run("faces", "stAhead")
    tv.bind_array("cells", "st_p", "in", cells, **CELLS)  # the set that faces read is still it
    tv.run("faces", "stAhead")
    np.testing.assert_allclose(faces, cells[1:] - cells[:-1], rtol=0, atol=1e-15)
    tv.unbind("faces", "st_p")
    with pytest.raises(bridge.StateError, match="stAhead on set 'faces' needs 'st_p'"):
        tv.run("faces", "stAhead")


@pytest.mark.parametrize(
    "words, argument, text",
    [
        (("faces", "st_p", "faces", (0, 0, 0)), "from", "another set"),
        (("faces", "st_u", "cells", (0, 0, 0)), "name", r"an array bound in set 'cells' \(st_p"),
        (("faces", "st_ahead", "cells", (0, 0, 0)), "name", "has bound itself"),
        (("faces", "st_p", "cells", (0, 0)), "shift", "3 integers, along x, y and z"),
        (("faces", "st_p", "cells", 1), "shift", "got 1, wanted 3 integers"),
        (("faces", "st_p", "cells", None), "shift", "got None, wanted 3 integers"),
        (("faces", "st_p", "nowhere", (0, 0, 0)), "set", "a set with bound arrays"),
    ],
)
def test_refusals(tv: TVProperties, words: tuple[str, str, str, Any], argument: str,
                  text: str) -> None:  # fmt: skip
    cells, faces = made()
    tv.bind_array("cells", "st_p", "in", cells, **CELLS)
    tv.bind_array("cells", "st_ahead", "out", cells.copy(order="F"), **CELLS)
    tv.bind_array("faces", "st_ahead", "out", faces)
    with pytest.raises(bridge.ArgumentError, match=text) as refused:
        tv.bind_from(*words)
    assert f"argument {argument}" in str(refused.value)


def test_a_shift_beyond_the_array_is_refused_with_the_distance(tv: TVProperties) -> None:
    cells, faces = made()
    tv.bind_array("cells", "st_p", "in", cells, **CELLS)
    tv.bind_array("faces", "st_ahead", "out", faces)
    tv.bind_from("faces", "st_p", "cells", shift=[3, 0, 0])
    with pytest.raises(bridge.ArgumentError, match="lies 3 above x"):
        tv.run("faces", "stAhead")
    tv.bind_from("faces", "st_p", "cells", shift=[-1, 0, 0])
    with pytest.raises(bridge.ArgumentError, match="fringe of 0 layers below x"):
        tv.run("faces", "stAhead")
    assert (faces == -7.0).all()
