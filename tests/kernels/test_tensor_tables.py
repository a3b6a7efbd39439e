"""The matrices of the tensor-core diffusion: what the lanes of a warp hold, multiplied as PTX
says, gives the sums over pairs of the packed tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bridge.backends.gpu.layout import SharedLayout, omega11_tiles
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

NAMES = SpeciesData.load(None).names


def _fields(ns: int, **options: Any) -> Any:
    return SharedData(SpeciesData.resolve(list(NAMES[:ns])), Options.parse(options)).fields()


def _matrices(tiles: Any) -> Any:
    """Coefficients by row and column, from the fragments of `mma.m16n8k8` with doubles: lane 4g+m
    holds rows g and g+8 of column m, then the same rows of column m+4 (PTX ISA)."""
    terms, columns, rows, lanes, held = tiles.shape
    assert (lanes, held) == (32, 4)
    matrices = np.full((terms, 16 * rows, 8 * columns), np.nan)
    for lane in range(lanes):
        group, member = divmod(lane, 4)
        for register in range(held):
            row = group + 8 * (register % 2)
            column = member + 4 * (register // 2)
            for i in range(rows):
                for j in range(columns):
                    matrices[:, 16 * i + row, 8 * j + column] = tiles[:, j, i, lane, register]
    return matrices


@pytest.mark.parametrize("ns", [2, 8, 16, 17, 53])
def test_the_tables_give_the_sums_over_pairs(ns: int) -> None:
    fields = _fields(ns, omega11="FITTED")
    fit = np.asarray(fields["omega11Fit"]).reshape(ns * (ns + 1) // 2, -1)
    random = np.random.default_rng(ns)
    place, X = random.uniform(-1.0, 1.0), random.random(ns) + 1e-12
    matrices = _matrices(omega11_tiles(fields))
    assert np.isfinite(matrices).all() and not matrices[:, ns:].any()
    padded = np.pad(X, (0, matrices.shape[2] - ns), constant_values=X[-1])
    sums = np.zeros(matrices.shape[1])
    for matrix in matrices:
        sums = sums * place + matrix @ padded
    for i in range(ns):
        want = 0.0
        for j in range(ns):
            if j == i:
                continue
            low, high = min(i, j), max(i, j)
            want += X[j] * np.polyval(fit[low * ns - low * (low + 1) // 2 + high], place)
        assert sums[i] == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "has"),
    [({}, False), ({"omega11": "FITTED"}, True),
     ({"omega11": "FITTED", "takaMode": "PAIRWISE"}, False),
     ({"omega11": "FITTED", "diffModel": "FULLER"}, False)],
)  # fmt: skip
def test_only_plain_fitted_sums_have_tables(options: Any, has: Any) -> None:
    fields = _fields(4, **options) | {"anyKij": 0}
    assert SharedLayout.of(fields).has_tiles is has
