"""The start of eosFlashTPFrom on a set: what lnK_i, bound in and out, has from the run before."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import bridge

pytestmark = pytest.mark.usefixtures("backend")
SPECIES = ("N2", "C12H26")


def bound(frame: bridge.Frame) -> dict[str, np.ndarray]:
    """Two points of two phases, between them a gas; bound as a Fortran code does."""
    T, P = np.array([400.0, 900.0, 350.0]), np.full(3, 5e6)
    arrays = {"T": T, "P": P, "Y": np.array([[0.4, 0.6]] * 3, order="F")}
    results: dict[str, np.ndarray] = {
        "vapour_fraction": np.zeros(3),
        "flash_iterations": np.zeros(3, np.int32),
    }
    for name, array in arrays.items():
        frame.tvproperties.bind_array("cells", name, "in", array)
    for name, array in results.items():
        frame.tvproperties.bind_array("cells", name, "out", array)
    return arrays | results


def test_a_run_begins_where_the_last_one_ended(make_frame: Callable[..., bridge.Frame]) -> None:
    frame = make_frame(species=SPECIES)
    arrays, lnK = bound(frame), np.zeros((3, 2), order="F")
    frame.tvproperties.bind_array("cells", "lnK_i", "inout", lnK)
    turns, vapour = arrays["flash_iterations"], arrays["vapour_fraction"]
    frame.tvproperties.run("cells", "eosFlashTPFrom")
    first = vapour.copy()
    assert lnK.any(axis=1).tolist() == [True, False, True] and turns[0] > 1 and turns[2] > 1
    frame.tvproperties.run("cells", "eosFlashTPFrom")
    assert turns.tolist() == [1, 0, 1]
    np.testing.assert_allclose(vapour, first, rtol=1e-9)
    arrays["T"][:] = [900.0, 400.0, 350.5]
    frame.tvproperties.run("cells", "eosFlashTPFrom")
    assert lnK.any(axis=1).tolist() == [False, True, True]
    assert vapour[0] == 1.0 and vapour[1] == pytest.approx(first[0], rel=1e-9)


def test_a_set_without_a_start_is_refused(make_frame: Callable[..., bridge.Frame]) -> None:
    frame = make_frame(species=SPECIES)
    bound(frame)
    frame.tvproperties.run("cells", "eosFlashTP")
    frame.tvproperties.bind_array("cells", "lnK_i", "out", np.zeros((3, 2), order="F"))
    with pytest.raises(bridge.BridgeError, match="needs 'lnK0_i': bind it with intent"):
        frame.tvproperties.run("cells", "eosFlashTPFrom")
