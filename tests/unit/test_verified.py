"""Verify mode and probes on every backend: a GPU is held against the CPU's kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from unit.blocks import FRINGES, NAMES, POINTS, SHAPE, block, run_stripes

import bridge
from bridge.backends.host import library

pytestmark = pytest.mark.usefixtures("backend")

Make = Callable[..., Any]
COMPOSITE = "eosThermalAndViscousProperties"


@pytest.fixture(autouse=True)
def two_instruction_sets() -> None:
    if len(library.available()) < 2:
        pytest.skip("this machine runs one instruction set alone")


def properties(frame: bridge.Frame, resident: bool) -> dict[str, np.ndarray]:
    tv = frame.tvproperties
    Q, *_ = block()
    found = run_stripes(tv, Q, NAMES, 13)
    found |= {"D": np.zeros((*SHAPE, 3), order="F"), "h0": np.zeros(SHAPE, order="F")}
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "D_im", "out", found["D"], **FRINGES)
    tv.bind_array("cells", "h", "out", found["h0"], **FRINGES, scale=1000.0)
    for name in ("Q", "D_im") if resident else ():
        tv.enter_data("cells", name, "copyin")
    for _ in range(2):
        tv.run("cells", COMPOSITE)
    for name in ("Q", "D_im") if resident else ():
        tv.exit_data("cells", name, "copyout")
    return found


@pytest.mark.parametrize("resident", [False, True])
def test_points_agree_and_keep_their_bits(make_frame: Make, resident: bool) -> None:
    """Arrays that stay on the device are looked at there."""
    plain = properties(make_frame(), resident)
    frame = make_frame(verify="all")
    watched = properties(frame, resident)
    for name, values in plain.items():
        np.testing.assert_array_equal(values, watched[name], err_msg=name)
    totals = frame._observers.verifier.told.totals
    assert {key[2] for key in totals if key[0] == "cells"} == {"D_im", "h"}
    assert all(one.points == 2 * POINTS for key, one in totals.items() if key[0] == "cells")
    assert all(one.above == 0 for one in totals.values()), totals


def test_a_probe_is_what_a_run_makes(make_frame: Make) -> None:
    frame = make_frame()
    tv = frame.tvproperties
    Q, *_ = block()
    rho = np.zeros(SHAPE, order="F")
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "rho", "out", rho, **FRINGES)
    tv.run("cells", COMPOSITE)
    found = frame.probe("cells", 4, 3, 2)
    np.testing.assert_allclose(found["rho"][0], rho[3, 2, 1], rtol=1e-12)
    assert {"a", "b", "Z"} <= {name for _, made in found.kernels for name in made}
