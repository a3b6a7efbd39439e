"""A pack of kernels that read neighbours, and the same in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

CATALOGUE = """
[quantity.st_p]
unit = "1"
per_component = true
[quantity.st_u]
unit = "1"
columns = 3
[quantity.st_flag]
unit = "1"
type = "int32"
[quantity.st_marks]
unit = "1"
type = "int32"
columns = 2
[quantity.st_px]
unit = "1"
[quantity.st_lap]
unit = "1"
per_component = true
[quantity.st_corner]
unit = "1"
[quantity.st_div]
unit = "1"
[quantity.st_open]
unit = "1"
type = "int32"
[quantity.st_a]
unit = "1"
per_component = true
[quantity.st_b]
unit = "1"
per_component = true
[quantity.st_c]
unit = "1"
per_component = true
[quantity.st_rhs]
unit = "1"
columns = 3
[quantity.st_ghost]
unit = "1"
columns = 3
[constant.st_dt]
unit = "1"
value = 0.125

[[kernel]]
name = "stGradient"
header = "stencils.h"
inputs = ["st_p", "st_dt"]
outputs = ["st_px"]
reads = { st_p = { x = [-1, 1] } }
[[kernel]]
name = "stLaplacian"
header = "stencils.h"
inputs = ["st_p"]
outputs = ["st_lap"]
reads.st_p = { x = [-1, 1], y = [-1, 1], z = [-1, 1] }
[[kernel]]
name = "stCorner"
header = "stencils.h"
inputs = ["st_p"]
outputs = ["st_corner"]
reads.st_p = { x = [-2, 0], y = [0, 1], z = [-1, 2] }
[[kernel]]
name = "stDivergence"
header = "stencils.h"
inputs = ["st_u", "st_p"]
outputs = ["st_div"]
reads.st_u = { x = [-1, 1], y = [-1, 1], z = [-1, 1] }
[[kernel]]
name = "stOpen"
header = "stencils.h"
inputs = ["st_flag", "st_marks"]
outputs = ["st_open"]
reads.st_flag = { x = [-1, 1] }
reads.st_marks = { y = [-1, 1] }
[[kernel]]
name = "stRoot"
header = "points.h"
inputs = ["st_p"]
outputs = ["st_a"]
[[kernel]]
name = "stSmooth"
header = "stencils.h"
inputs = ["st_a"]
outputs = ["st_b"]
reads.st_a = { x = [-1, 1], y = [-1, 1] }
[[kernel]]
name = "stTwice"
header = "stencils.h"
inputs = ["st_b", "st_a"]
outputs = ["st_c"]
reads.st_b = { x = [-1, 1], z = [0, 1] }

[[kernel]]
name = "stForcing"
header = "stencils.h"
inputs = ["st_p"]
outputs = ["st_rhs"]
[[kernel]]
name = "stFluxX"
header = "stencils.h"
inputs = ["st_u", "st_rhs"]
outputs = ["st_rhs"]
reads.st_u = { x = [-1, 1] }
[[kernel]]
name = "stFluxY"
header = "stencils.h"
inputs = ["st_u", "st_rhs"]
outputs = ["st_rhs"]
reads.st_u = { y = [-1, 1] }
[[kernel]]
name = "stUpdate"
header = "points.h"
inputs = ["st_u", "st_rhs", "st_dt"]
outputs = ["st_u"]
[[kernel]]
name = "stInflow"
header = "stencils.h"
inputs = ["st_u"]
outputs = ["st_ghost"]
reads.st_u = { x = [0, 1] }
[[kernel]]
name = "stBend"
header = "stencils.h"
inputs = ["st_u"]
outputs = ["st_ghost"]
planned = false
reads.st_u = { x = [-1, 1] }

[quantity.st_ahead]
unit = "1"
[quantity.st_back]
unit = "1"
[[kernel]]
name = "stAhead"
header = "stencils.h"
inputs = ["st_p"]
outputs = ["st_ahead"]
reads.st_p = { x = [-1, 0] }
[[kernel]]
name = "stBack"
header = "stencils.h"
inputs = ["st_ahead"]
outputs = ["st_back"]
reads.st_ahead = { x = [0, 1] }

[[composite]]
name = "stSmoothed"
inputs = ["st_p"]
outputs = ["st_a", "st_b", "st_c", "st_lap"]
[[composite]]
name = "stStage"
inputs = ["st_p", "st_u"]
outputs = ["st_u", "st_rhs"]
steps = ["stForcing", "stFluxX", "stFluxY", "stUpdate"]
"""

#: More of the same, with quantities of the shipped catalogue.
PLACED = """
[quantity.st_place]
unit = "1"
[[kernel]]
name = "stPlace"
header = "points.h"
inputs = ["st_p", "position_i", "position_j", "position_k"]
outputs = ["st_place"]

[quantity.st_next_place]
unit = "1"
type = "int32"
[[kernel]]
name = "stNextPlace"
header = "stencils.h"
inputs = ["st_flag", "position_i", "position_k"]
outputs = ["st_next_place"]
reads.position_i = { x = [0, 1], z = [-1, 0] }
reads.position_k = { x = [0, 1], z = [-1, 0] }
"""

HEADER = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real>
BRIDGE_FN void stGradient(const Shared&, const ScalarNeighbours& p, const Real& dt, Real& px) {
    px = dt * (p.at<1, 0, 0>() - p.at<-1, 0, 0>());
}
template <class Real>
BRIDGE_FN void stLaplacian(const Shared&, const ScalarNeighbours& p, Real& lap) {
    lap = p.at<1, 0, 0>() + p.at<-1, 0, 0>() + p.at<0, 1, 0>() + p.at<0, -1, 0>() +
          p.at<0, 0, 1>() + p.at<0, 0, -1>() - 6.0 * p.at<0, 0, 0>();
}
template <class Real>
BRIDGE_FN void stCorner(const Shared&, const ScalarNeighbours& p, Real& corner) {
    corner = p.at<-2, 1, 2>() + 2.0 * p.at<0, 0, -1>() + 3.0 * p.at<-1, 1, 0>();
}
template <class Real>
BRIDGE_FN void stDivergence(const Shared&, const Neighbours& u, const Real& p, Real& div) {
    div = p * (u.at<1, 0, 0>()[0] - u.at<-1, 0, 0>()[0] + u.at<0, 1, 0>()[1] -
               u.at<0, -1, 0>()[1] + u.at<0, 0, 1>()[2] - u.at<0, 0, -1>()[2]) + u[1];
}
template <class Real>
BRIDGE_FN void stOpen(const Shared&, const ScalarIntegerNeighbours& flag,
                      const IntegerNeighbours& marks, Bits<Real>& open) {
    open = flag.at<1, 0, 0>() + flag.at<-1, 0, 0>() * 10 + marks.at<0, -1, 0>()[0] * 100 +
           marks.at<0, 1, 0>()[1] * 1000;
}
template <class Real>
BRIDGE_FN void stAhead(const Shared&, const ScalarNeighbours& p, Real& ahead) {
    ahead = p.at<0, 0, 0>() - p.at<-1, 0, 0>();
}
template <class Real>
BRIDGE_FN void stBack(const Shared&, const ScalarNeighbours& ahead, Real& back) {
    back = ahead.at<1, 0, 0>() - ahead.at<0, 0, 0>();
}
template <class Real>
BRIDGE_FN void stSmooth(const Shared&, const ScalarNeighbours& a, Real& b) {
    b = 0.25 * (a.at<1, 0, 0>() + a.at<-1, 0, 0>() + a.at<0, 1, 0>() + a.at<0, -1, 0>());
}
template <class Real>
BRIDGE_FN void stTwice(const Shared&, const ScalarNeighbours& b, const Real& a, Real& c) {
    c = b.at<1, 0, 0>() - b.at<-1, 0, 0>() + a * b.at<0, 0, 1>();
}
template <class Real, class Out>
BRIDGE_FN void stForcing(const Shared&, const Real& p, Out& rhs) {
    for (int m = 0; m < 3; ++m) rhs[m] = p * (m + 1.0);
}
template <class Real, class In, class Out>
BRIDGE_FN void stFluxX(const Shared&, const Neighbours& u, const In& rhs, Out& next) {
    for (int m = 0; m < 3; ++m)
        next[m] = rhs[m] - (u.at<1, 0, 0>()[m] - u.at<-1, 0, 0>()[m]);
}
template <class Real, class In, class Out>
BRIDGE_FN void stFluxY(const Shared&, const Neighbours& u, const In& rhs, Out& next) {
    for (int m = 0; m < 3; ++m)
        next[m] = rhs[m] - (u.at<0, 1, 0>()[m] - u.at<0, -1, 0>()[m]);
}
template <class Real>
BRIDGE_FN void stNextPlace(const Shared&, const Bits<Real>& flag, const ScalarIntegerNeighbours& i,
                           const ScalarIntegerNeighbours& k, Bits<Real>& place) {
    place = flag + i.at<1, 0, -1>() * 100 + k.at<1, 0, -1>();
}
template <class Real, class Out>
BRIDGE_FN void stInflow(const Shared&, const Neighbours& u, Out& ghost) {
    for (int m = 0; m < 3; ++m) ghost[m] = 2.0 * u.at<1, 0, 0>()[m] - m;
}
template <class Real, class Out>
BRIDGE_FN void stBend(const Shared&, const Neighbours& u, Out& ghost) {
    for (int m = 0; m < 3; ++m)
        ghost[m] = (u.at<1, 0, 0>()[m] - u[m]) - (u[m] - u.at<-1, 0, 0>()[m]);
}
}
"""

#: Kernels of the point alone, which every machine runs.
POINTS = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real> BRIDGE_FN void stRoot(const Shared&, const Real& p, Real& a) {
    a = sqrt(1.0 + p * p);
}
template <class Real, class In, class Rhs, class Out>
BRIDGE_FN void stUpdate(const Shared&, const In& u, const Rhs& rhs, const Real& dt, Out& next) {
    for (int m = 0; m < 3; ++m) next[m] = u[m] + dt * rhs[m];
}
template <class Real>
BRIDGE_FN void stPlace(const Shared&, const Real& p, const Bits<Real>& i, const Bits<Real>& j,
                       const Bits<Real>& k, Real& place) {
    place = p + Real(i) + 100.0 * Real(j) + 10000.0 * Real(k);
}
}
"""

#: Layers below and above along x, y, z.
Layers = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
WIDE: Layers = ((2, 1), (1, 2), (1, 2))


class Block:
    """Arrays of an interior with fringes, and what kernels give on it, in NumPy.

    extent: of the interior; layers: fringes; first: component first; dtype: of the elements.
    """

    def __init__(
        self, extent: tuple[int, int, int], layers: Layers = WIDE, first: bool = False,
        dtype: str = "float64", seed: int = 1,
    ) -> None:  # fmt: skip
        self.extent, self.layers, self.first, self.dtype = extent, layers, first, dtype
        self._random = np.random.default_rng(seed)
        self.shape = tuple(n + a + b for n, (a, b) in zip(extent, layers, strict=True))

    @property
    def box(self) -> dict[str, int]:
        """Bounds as `bind_array` takes them."""
        named: dict[str, int] = {}
        for axis, n, (low, _) in zip("XYZ", self.extent, self.layers, strict=True):
            named |= {f"Spt{axis}": low + 1, f"Ept{axis}": low + n}
        return named

    def array(
        self, columns: int = 0, value: float | None = None, dtype: str | None = None
    ) -> np.ndarray:
        """Random numbers, or one value; columns: 0 for an array of three dimensions."""
        shape = self.shape
        if columns:
            shape = (columns, *shape) if self.first else (*shape, columns)
        if value is not None:
            return np.full(shape, value, dtype=self.dtype, order="F")
        return np.asfortranarray(self._random.normal(size=shape).astype(dtype or self.dtype))

    def at(self, array: np.ndarray, *offset: int, grown: int = 0) -> np.ndarray:
        """The interior's neighbours in double precision, (nx, ny, nz) or (nx, ny, nz, columns)."""
        if array.ndim == 4 and self.first:
            array = np.moveaxis(array, 0, -1)
        where = tuple(
            slice(low + o - grown, low + o + n + grown)
            for n, (low, _), o in zip(self.extent, self.layers, offset or (0, 0, 0), strict=True)
        )
        found: np.ndarray = array[where]
        doubles: np.ndarray = found if found.dtype.kind == "i" else found.astype(np.float64)
        return doubles

    def outside(self, array: np.ndarray) -> np.ndarray:
        """What lies in the fringes."""
        kept = np.ones(self.shape, dtype=bool)
        kept[tuple(slice(low, low + n) for n, (low, _) in
                   zip(self.extent, self.layers, strict=True))] = False  # fmt: skip
        if array.ndim == 4 and self.first:
            array = np.moveaxis(array, 0, -1)
        return np.asarray(array[kept])


def laplacian(at: Callable[..., np.ndarray]) -> np.ndarray:
    around = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    total: np.ndarray = sum((at(*one) for one in around), np.zeros(1)) - 6.0 * at(0, 0, 0)
    return total


def divergence(at: Callable[..., np.ndarray], p: np.ndarray) -> np.ndarray:
    found: np.ndarray = (
        at(1, 0, 0)[..., 0] - at(-1, 0, 0)[..., 0] + at(0, 1, 0)[..., 1] - at(0, -1, 0)[..., 1]
        + at(0, 0, 1)[..., 2] - at(0, 0, -1)[..., 2]
    )  # fmt: skip
    return np.asarray(p * found + at(0, 0, 0)[..., 1])


def bind(
    tv: Any, block: Block, name: str, intent: str, array: np.ndarray, set: str = "cells",
    **more: Any,
) -> None:  # fmt: skip
    """Bind an array of a block to a set."""
    first = block.first and array.ndim == 4
    tv.bind_array(set, name, intent, array, component_first=first, **block.box, **more)
