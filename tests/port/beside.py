"""A pack of kernels as a port makes them, and the loops that they stand for, in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bridge.tvproperties import TVProperties

CATALOGUE = """
[quantity.bs_u]
unit = "m/s"
columns = 2
[quantity.bs_q]
unit = "J"
[quantity.bs_r]
unit = "J"
columns = 2
[quantity.bs_flag]
unit = "1"
type = "int32"
[quantity.bs_line]
unit = "1"
[constant.bs_dt]
unit = "s"
value = 0.25

[[kernel]]
name = "bsStep"
header = "beside.h"
inputs = ["bs_u", "bs_q", "bs_dt"]
outputs = ["bs_r", "bs_q", "bs_flag"]
reads.bs_u = { x = [-1, 1], y = [0, 1] }
[[kernel]]
name = "bsForce"
header = "beside.h"
inputs = ["bs_u", "position_i"]
outputs = ["bs_r"]
reads.bs_u = { x = [-1, 0] }
planned = false
[[kernel]]
name = "bsMove"
header = "beside.h"
inputs = ["bs_u", "bs_r"]
outputs = ["bs_u"]
planned = false
[[kernel]]
name = "bsSweep"
header = "beside.h"
inputs = ["bs_line"]
outputs = ["bs_line"]
reads.bs_line = { x = [-1, 0] }
sweep = "x+"
[[composite]]
name = "bsUpdate"
inputs = ["bs_u"]
outputs = ["bs_u"]
steps = ["bsForce", "bsMove"]
"""

HEADER = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class Out>
BRIDGE_FN void bsStep(const Shared&, const Neighbours& u, const Real& q, const Real& dt, Out& r,
                      Real& next, Bits<Real>& flag) {
    for (int m = 0; m < 2; ++m)
        r[m] = dt * (u.at<1, 0, 0>()[m] - u.at<-1, 0, 0>()[m]) + q * u.at<0, 1, 0>()[m];
    next = q + dt * r[0];
    flag = select(r[1] > Real(0.0), Bits<Real>(1), Bits<Real>(0));
}
template <class Real, class Out>
BRIDGE_FN void bsForce(const Shared&, const Neighbours& u, const Bits<Real>& i, Out& r) {
    for (int m = 0; m < 2; ++m) r[m] = u.at<-1, 0, 0>()[m] + 0.5 * Real(i);
}
template <class Real, class In, class Force, class Out>
BRIDGE_FN void bsMove(const Shared&, const In& u, const Force& r, Out& next) {
    for (int m = 0; m < 2; ++m) next[m] = u[m] - 0.125 * r[m];
}
template <class Real>
BRIDGE_FN void bsSweep(const Shared&, const ScalarNeighbours& line, Real& next) {
    next = line.at<0, 0, 0>() + 0.5 * line.at<-1, 0, 0>();
}
}
"""

EXTENT = (13, 20, 5)


class Loops:
    """Arrays with fringes, bound to a set, and the loops of the host on them; scale: of bs_q;
    dtype: of bs_r."""

    def __init__(self, extent: Sequence[int] = EXTENT, seed: int = 3, dtype: str = "float64"):
        numbers = np.random.default_rng(seed)
        nx, ny, nz = self.extent = tuple(extent)
        self.u = np.asfortranarray(numbers.normal(size=(nx + 3, ny + 2, nz, 2)))
        self.q = np.asfortranarray(numbers.normal(size=(nx, ny, nz)))
        self.r = np.full((nx, ny, nz, 2), 7.0, dtype, order="F")
        self.flag = np.full((nx, ny, nz), 9, np.int32, order="F")
        self.line = np.asfortranarray(numbers.normal(size=(nx + 1, ny, nz)))
        self.mask = np.ones((nx, ny, nz), np.int32, order="F")

    def bind(self, tv: TVProperties, set: str = "cells", masked: bool = False) -> None:
        nx, ny, _ = self.extent
        tv.bind_array(
            set, "bs_u", "inout", self.u, SptX=3, EptX=nx + 2, SptY=2, EptY=ny + 1,
            SptData=1, EptData=2,
        )  # fmt: skip
        tv.bind_array(set, "bs_q", "inout", self.q, scale=1000.0)
        tv.bind_array(set, "bs_r", "out", self.r)
        tv.bind_array(set, "bs_flag", "out", self.flag)
        tv.bind_array(set, "bs_line", "inout", self.line, SptX=2, EptX=nx + 1)
        tv.position(set, 11, 1, 1)
        if masked:
            tv.bind_array(set, "iblank", "in", self.mask)

    def around(self, i: int, j: int) -> Any:
        """bs_u, moved by whole points."""
        nx, ny, _ = self.extent
        return self.u[2 + i : 2 + i + nx, 1 + j : 1 + j + ny]

    def step(self) -> None:
        q = 1000.0 * self.q[..., None]
        r = 0.25 * (self.around(1, 0) - self.around(-1, 0)) + q * self.around(0, 1)
        self.r[...] = r
        self.q[...] += 0.25 * r[..., 0] / 1000.0
        self.flag[...] = r[..., 1] > 0.0

    def update(self) -> None:
        i = 11 + np.arange(self.extent[0])
        force = self.around(-1, 0) + 0.5 * i[:, None, None, None]
        self.around(0, 0)[...] -= 0.125 * force

    def sweep(self) -> None:
        for i in range(1, self.extent[0] + 1):
            self.line[i] += 0.5 * self.line[i - 1]
