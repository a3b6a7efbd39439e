"""Kernels that read neighbours, on each component of an array: no component reads another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

EXTENT, FRINGE, NC = (19, 5, 4), 2, 3


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("run", ["stSmoothed", "stLaplacian"])
def test_each_component_has_its_own_neighbours(tv: TVProperties, first: bool, run: str) -> None:
    """Stages, and what lies between them, as for an array of each component alone."""
    shape = tuple(n + 2 * FRINGE for n in EXTENT)
    values = np.random.default_rng(2).normal(size=(*shape, NC))
    spans: dict[str, Any] = {
        f"{what}{axis}": FRINGE + (1 if what == "Spt" else n)
        for axis, n in zip("XYZ", EXTENT, strict=True)
        for what in ("Spt", "Ept")
    }
    outputs = ("st_a", "st_b", "st_c", "st_lap") if run == "stSmoothed" else ("st_lap",)
    p = np.asfortranarray(np.moveaxis(values, 3, 0) if first else values)
    together = {name: np.full(p.shape, -7.0, order="F") for name in outputs}
    tv.bind_array("cells", "st_p", "in", p, component_first=first, **spans)
    for name, array in together.items():
        tv.bind_array("cells", name, "out", array, component_first=first, **spans)
    tv.run("cells", run)
    for c in range(NC):
        alone = {name: np.full(shape, -7.0, order="F") for name in outputs}
        tv.bind_array("one", "st_p", "in", np.asfortranarray(values[..., c]), **spans)
        for name, single in alone.items():
            tv.bind_array("one", name, "out", single, **spans)
        tv.run("one", run)
        for name, array in together.items():
            mine = array[c] if first else array[..., c]
            np.testing.assert_array_equal(mine, alone[name])
            assert (mine != -7.0).sum() == np.prod(EXTENT)
