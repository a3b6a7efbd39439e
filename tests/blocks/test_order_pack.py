"""The pack of the page's section on colours and sweeps does what the page says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks.conftest import EXAMPLES
from packsbuilt import ISA

import bridge
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")


@pytest.fixture
def tv(examples_built: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TVProperties]:
    """Of a Frame without species that has the pack."""
    monkeypatch.setenv("BRIDGE_PACKS", str(EXAMPLES / "order_pack"))
    monkeypatch.setenv("BRIDGE_CACHE", str(examples_built))
    monkeypatch.setenv("BRIDGE_CPU_ISA", ISA)
    frame = bridge.Frame()
    frame.initialize(0, 64, 0, 0)
    yield frame.tvproperties
    frame.finalize()


@pytest.mark.parametrize("stay", [False, True])
def test_lines_are_solved(tv: TVProperties, stay: bool) -> None:
    """The line solver of the page, along y, against NumPy."""
    random = np.random.default_rng(5)
    shape = (5, 7, 3)
    arrays = {
        name: np.asfortranarray(random.uniform(low, low + 1.0, shape))
        for name, low in {"lower": 0.0, "diagonal": 3.0, "upper": 0.0, "x": -0.5}.items()
    }
    right = arrays["x"].copy()
    for name, data in arrays.items():
        tv.bind_array("lines", name, "inout" if name == "x" else "in", data)
        if stay:
            tv.enter_data("lines", name, "copyin")
    tv.run("lines", "solveLines")
    if stay:
        tv.exit_data("lines", "x", "copyout")
    for i, k in np.ndindex(5, 3):
        lower, diagonal, upper = (arrays[n][i, :, k] for n in ("lower", "diagonal", "upper"))
        matrix = np.diag(diagonal) + np.diag(lower[1:], -1) + np.diag(upper[:-1], 1)
        wanted = np.linalg.solve(matrix, right[i, :, k])
        np.testing.assert_allclose(arrays["x"][i, :, k], wanted, rtol=1e-12, atol=1e-14)


def test_the_smoother_smooths(tv: TVProperties) -> None:
    """Points of a plane: red from the old values, black from the new red ones."""
    p = np.asfortranarray(np.random.default_rng(6).normal(size=(6, 5, 4)))
    wanted, source = p.copy(), np.full((6, 5, 4), 0.25, order="F")
    bounds = dict[str, Any](SptX=2, EptX=5, SptY=2, EptY=4, SptZ=2, EptZ=3)
    tv.bind_array("cells", "pressure", "inout", p, **bounds)
    tv.bind_array("cells", "source", "in", source, **bounds)
    tv.run("cells", "smooth")
    for red in (0, 1):
        for i, j, k in np.ndindex(4, 3, 2):
            if (i + j + k + 6) % 2 == red:  # SptX, SptY, SptZ are 2
                i, j, k = i + 1, j + 1, k + 1
                around = wanted[i + 1, j, k] + wanted[i - 1, j, k] + wanted[i, j + 1, k]
                around += wanted[i, j - 1, k] + wanted[i, j, k + 1] + wanted[i, j, k - 1]
                wanted[i, j, k] = (around - 0.25) / 6.0
    np.testing.assert_allclose(p, wanted, rtol=1e-13, atol=1e-14)
