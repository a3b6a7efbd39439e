"""A pack whose kernels read neighbours, arrays of many layouts for it, and what NumPy makes of
them: for launches on boxes, on a stand-in and on a GPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan, Slot, Step

CATALOGUE = (
    "".join(
        f"""
[quantity.{name}]
unit = "1"
columns = {columns}
type = "{kind}"
about = "of this test"
"""
        for name, columns, kind in (
            ("box_u", 3, "float64"),
            ("box_p", 1, "float64"),
            ("box_gradient", 3, "float64"),
            ("box_smooth", 1, "float64"),
            ("box_largest", 1, "float64"),
            ("box_five", 5, "float64"),
            ("box_rate", 5, "float64"),
            ("box_n", 1, "int32"),
            ("box_m", 2, "int32"),
            ("box_sum", 1, "int32"),
            ("box_twice", 2, "int32"),
            ("box_place", 1, "float64"),
        )
    )
    + """
[constant.box_rdx]
unit = "1/m"
value = 0.5
[table.box_table]
unit = "1"
rank = 1
"""
    + "".join(
        f"""
[[kernel]]
name = "{name}"
header = "boxes.h"
inputs = {inputs}
outputs = {outputs}
{more}
"""
        for name, inputs, outputs, more in (
            (
                "boxGradient",
                ["box_u", "box_p", "box_rdx"],
                ["box_gradient", "box_smooth"],
                "[kernel.reads]\n"
                "box_u = {x = [-1, 1], y = [-1, 1], z = [-1, 1]}\n"
                "box_p = {x = [-2, 2]}",
            ),
            ("boxLargest", ["box_smooth", "box_u"], ["box_largest"], ""),
            ("boxUpdate", ["box_five", "box_rate", "box_rdx"], ["box_five"], ""),
            ("boxReverse", ["box_five"], ["box_five"], ""),
            ("boxScale", ["box_five"], ["box_rate"], ""),
            (
                "boxCount",
                ["box_n", "box_m"],
                ["box_sum", "box_twice"],
                "[kernel.reads]\nbox_n = {y = [-1, 0]}\nbox_m = {z = [0, 1]}",
            ),
            (
                "boxPlace",
                ["position_i", "position_j", "position_k", "box_n"],
                ["box_place"],
                'tables = ["box_table"]',
            ),
        )
    )
)

HEADER = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class Out>
BRIDGE_FN void boxGradient(const Shared&, const Neighbours& u, const ScalarNeighbours& p,
                           const Real& rdx, Out& gradient, Real& smooth) {
    gradient[0] = rdx * (u.at<1, 0, 0>()[0] - u.at<-1, 0, 0>()[0]);
    gradient[1] = rdx * (u.at<0, 1, 0>()[1] - u.at<0, -1, 0>()[1]);
    gradient[2] = rdx * (u.at<0, 0, 1>()[2] - u.at<0, 0, -1>()[2]);
    smooth = 0.5 * p.at<0, 0, 0>() + 0.25 * (p.at<2, 0, 0>() + p.at<-2, 0, 0>());
}
template <class Real, class In>
BRIDGE_FN void boxLargest(const Shared&, const Real& smooth, const In& u, Real& largest) {
    largest = max(smooth, u[1]);
}
template <class Real, class In, class Rate, class Out>
BRIDGE_FN void boxUpdate(const Shared&, const In& u, const Rate& rate, const Real& dt, Out& next) {
    for (int m = 0; m < 5; ++m) next[m] = u[m] + dt * rate[m];
}
template <class Real, class In, class Out>
BRIDGE_FN void boxReverse(const Shared&, const In& u, Out& next) {
    for (int m = 0; m < 5; ++m) next[m] = u[4 - m];
}
template <class Real, class In, class Out>
BRIDGE_FN void boxScale(const Shared&, const In& u, Out& rate) {
    for (int m = 0; m < 5; ++m) rate[m] = u[m] + u[(m + 1) % 5];
}
template <class Real, class Out>
BRIDGE_FN void boxCount(const Shared&, const ScalarIntegerNeighbours& n,
                        const IntegerNeighbours& m, Bits<Real>& sum, Out& twice) {
    sum = n.at<0, 0, 0>() + n.at<0, -1, 0>();
    for (int c = 0; c < 2; ++c) twice[c] = m.at<0, 0, 0>()[c] + m.at<0, 0, 1>()[c];
}
template <class Real>
BRIDGE_FN void boxPlace(const Shared&, const Table<Real, 1>& table, const Bits<Real>& i,
                        const Bits<Real>& j, const Bits<Real>& k, const Bits<Real>& n,
                        Real& place) {
    place = Real(i) + 100.0 * Real(j) + 10000.0 * Real(k) + table(n);
}
}
"""

Extent = tuple[int, int, int]


def write_pack(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "catalogue.toml").write_text(CATALOGUE)
    (folder / "boxes.h").write_text(HEADER)
    return folder


def catalogue(folder: Path) -> Catalogue:
    return Catalogue.load([shipped_file(), folder / "catalogue.toml"])


class Field:
    """An array with fringes and random values: on the host and, where `gpu` says so, the device.

    whole: as NumPy (x, y, z, column), fringe included; columns: first and number of those that
    are bound, of `all` that the array has.
    """

    def __init__(
        self, gpu: Any, extent: Extent, fringe: Fringe, columns: int, *, layout: str = "last",
        dtype: str = "float64", scale: float = 1.0, beside: int = 0, on_device: bool = True,
        seed: int = 1,
    ) -> None:  # fmt: skip
        self._gpu = gpu
        random = np.random.default_rng(seed)
        full = [sum(n) for n in zip(extent, fringe.lower, fringe.upper, strict=True)]
        shape = (columns + beside, *full) if layout == "first" else (*full, columns + beside)
        values = random.integers(-50, 50, shape) if dtype == "int32" else random.random(shape)
        self.host = np.asfortranarray(values.astype(dtype))
        self._first = layout == "first"
        self._part = slice(beside // 2, beside // 2 + columns)
        self.scale, self.extent, self.fringe = scale, extent, fringe
        inner = tuple(slice(f, f + n) for f, n in zip(fringe.lower, extent, strict=True))
        whole = np.moveaxis(self.host, 0, -1) if self._first else self.host
        item = self.host.itemsize
        x, y, z, c = (step // item for step in whole.strides)
        offset = sum(s.start * step for s, step in zip(inner, (x, y, z), strict=True))
        offset += self._part.start * c
        self.address = self.host.ctypes.data
        self.owner: Any = self.host
        if on_device:
            self.owner = gpu.allocate(1, max(self.host.size, 1), dtype)
            self.address = self.owner.address
            gpu.synchronize()
            gpu.device.allocator.put(self.address, self.host.ravel(order="K"))
        self.on_device = on_device
        box = Box(extent, (x, y, z), c, offset)
        self.binding = Binding(
            self.address, box, columns, scale, dtype, self.owner, "cells", fringe=fringe
        )
        self.before = self.whole().copy()

    def whole(self) -> np.ndarray:
        """Everything that is there now, bound or not."""
        if self.on_device:
            self._gpu.synchronize()
            flat = np.empty(self.host.size, self.host.dtype)
            self._gpu.device.allocator.get(self.address, flat)
            self.host[...] = flat.reshape(self.host.shape, order="F")
        return np.moveaxis(self.host, 0, -1) if self._first else self.host

    def at(self, i: int = 0, j: int = 0, k: int = 0, now: bool = False) -> np.ndarray:
        """The quantity's values (x, y, z, column) at neighbours of all points, in its own unit:
        those before a run unless `now`."""
        values = self.whole() if now else self.before
        inner = tuple(
            slice(f + d, f + d + n)
            for f, n, d in zip(self.fringe.lower, self.extent, (i, j, k), strict=True)
        )
        part = values[(*inner, self._part)]
        result: np.ndarray = part.astype(np.float64) * self.scale if self.scale != 1.0 else part
        return result

    @property
    def results(self) -> np.ndarray:
        return self.at(now=True)

    def assert_untouched_outside(self) -> None:
        """Fringes and columns that are not bound."""
        after, inside = self.whole(), np.zeros(self.before.shape, bool)
        inner = tuple(slice(f, f + n) for f, n in zip(self.fringe.lower, self.extent, strict=True))
        inside[(*inner, self._part)] = True
        np.testing.assert_array_equal(after[~inside], self.before[~inside])


def gradient_of(u: Field, p: Field, rdx: float) -> tuple[np.ndarray, np.ndarray]:
    """What boxGradient makes."""
    gradient = np.stack(
        [
            rdx * (u.at(i=1)[..., 0].astype(float) - u.at(i=-1)[..., 0]),
            rdx * (u.at(j=1)[..., 1].astype(float) - u.at(j=-1)[..., 1]),
            rdx * (u.at(k=1)[..., 2].astype(float) - u.at(k=-1)[..., 2]),
        ],
        -1,
    )
    near = p.at()[..., 0].astype(float)
    smooth = 0.5 * near + 0.25 * (p.at(i=2)[..., 0].astype(float) + p.at(i=-2)[..., 0])
    return gradient, smooth


def gradient_plan(extra: dict[str, int] | None = None) -> Plan:
    """boxGradient, and boxLargest on what it makes and on the point's own u; extra: further
    outputs, by slot: 3 is the gradient, 4 smooth, 5 the largest."""
    slots = (
        Slot("box_u", 3, "float64"), Slot("box_p", 1, "float64"), Slot("box_rdx", 1, "float64"),
        Slot("box_gradient", 3, "float64"), Slot("box_smooth", 1, "float64"),
        Slot("box_largest", 1, "float64"),
    )  # fmt: skip
    reads = {0: Fringe((1, 1, 1), (1, 1, 1)), 1: Fringe((2, 0, 0), (2, 0, 0))}
    steps = (
        Step("boxGradient", (0, 1, 2, 3, 4), inputs=3, reads=reads),
        Step("boxLargest", (4, 0, 5), inputs=2),
    )
    outputs = {"box_gradient": 3, "box_largest": 5, **(extra or {})}
    return Plan("boxed", slots, steps, {"box_u": 0, "box_p": 1, "box_rdx": 2}, outputs)


AROUND = Fringe((2, 1, 1), (2, 1, 1))


def value(gpu: Any, number: float, extent: Extent) -> Binding:
    """A number of the host for all points."""
    array = np.array([number])
    return Binding(array.ctypes.data, Box(extent, (0, 0, 0), 0), 1, owner=array, group="cells")


Changed = TypeVar("Changed", Binding, Box)


def moved(one: Changed, **changes: Any) -> Changed:
    """A binding, or its box, somewhere else."""
    return replace(one, **changes)
