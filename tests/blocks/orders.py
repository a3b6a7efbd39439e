"""A pack of kernels with colours and sweeps, and the same as loops in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from blocks.stencils import Block

SWEEPS = ("x+", "x-", "y+", "y-", "z+", "z-")
OMEGA = 1.25

_QUANTITIES = """
[quantity.{name}]
unit = "1"
columns = {columns}
"""

CATALOGUE = (
    "".join(
        _QUANTITIES.format(name=name, columns=columns)
        for name, columns in {
            "od_p": 1,
            "od_f": 1,
            "od_u": 3,
            "od_w": 1,
            "od_res": 1,
            "od_a": 1,
            "od_b": 1,
            "od_c": 1,
            "od_x": 1,
            "od_cp": 1,
            "od_r": 1,
            "od_wide": 9,
        }.items()
    ).replace("columns = 1\n", "")
    + """
[quantity.od_parity]
unit = "1"
type = "int32"
[constant.od_omega]
unit = "1"
value = 1.25
[constant.od_k]
unit = "1"
columns = 3
[table.od_t]
unit = "1"
rank = 1

[[kernel]]
name = "odRedBlack"
header = "orders.h"
inputs = ["od_p", "od_f", "od_omega"]
outputs = ["od_p"]
reads.od_p = { x = [-1, 1], y = [-1, 1], z = [-1, 1] }
colours = 2
[[kernel]]
name = "odVector"
header = "orders.h"
inputs = ["od_u", "od_f", "position_i"]
outputs = ["od_u", "od_parity"]
reads.od_u = { x = [-1, 1], y = [-1, 1] }
reads.od_f = { z = [0, 1] }
colours = 2
[[kernel]]
name = "odWide"
header = "orders.h"
inputs = ["od_wide"]
outputs = ["od_wide"]
reads.od_wide = { z = [-1, 1] }
colours = 2
[[kernel]]
name = "odResidual"
header = "orders.h"
inputs = ["od_p", "od_f"]
outputs = ["od_res"]
reads.od_p = { x = [-1, 1], y = [-1, 1], z = [-1, 1] }
[[kernel]]
name = "odStart"
header = "orders.h"
inputs = ["od_f"]
outputs = ["od_w"]
[[kernel]]
name = "odRelax"
header = "orders.h"
inputs = ["od_w"]
outputs = ["od_w"]
reads.od_w = { x = [-1, 1] }
colours = 2
[[kernel]]
name = "odSlope"
header = "orders.h"
inputs = ["od_w"]
outputs = ["od_res"]
reads.od_w = { x = [-1, 2] }
[[kernel]]
name = "odPenta"
header = "orders.h"
inputs = ["od_r", "od_f"]
outputs = ["od_r"]
reads.od_r = { y = [-2, 0] }
sweep = "y+"
[[kernel]]
name = "odClosed"
header = "orders.h"
inputs = ["od_r", "od_f"]
outputs = ["od_r"]
reads.od_r = { z = [0, 2] }
reads.od_f = { z = [-1, 0] }
sweep = "z-"
first = ["odClosedFirst", "odClosedSecond"]
last = "odClosedLast"
[[kernel]]
name = "odRunning"
header = "orders.h"
inputs = ["od_u"]
outputs = ["od_u", "od_res"]
reads.od_u = { x = [-1, 0] }
sweep = "x+"
private = 4

[[kernel]]
name = "odAffine"
header = "orders.h"
inputs = ["od_r", "od_u", "od_k"]
outputs = ["od_r"]
planned = false
reads.od_r = { y = [-1, 0] }
sweep = "y+"
[[kernel]]
name = "odLooked"
header = "orders.h"
inputs = ["od_r", "position_k"]
outputs = ["od_r"]
tables = ["od_t"]
planned = false
reads.od_r = { z = [0, 1] }
sweep = "z-"
first = "odLookedFirst"
private = 1
[[kernel]]
name = "odCarry"
header = "orders.h"
inputs = ["od_r", "od_w"]
outputs = ["od_r"]
planned = false
reads.od_r = { x = [-1, 0] }
sweep = "x+"
[[kernel]]
name = "odTwice"
header = "orders.h"
inputs = ["od_r"]
outputs = ["od_res"]
planned = false

[[composite]]
name = "odSmoothed"
inputs = ["od_p", "od_f"]
outputs = ["od_p", "od_res"]
steps = ["odRedBlack", "odRedBlack", "odResidual"]
[[composite]]
name = "odRelaxed"
inputs = ["od_f"]
outputs = ["od_w", "od_res"]
steps = ["odStart", "odRelax", "odSlope"]
[[composite]]
name = "odSlopeOfOld"
inputs = ["od_f"]
outputs = ["od_w", "od_res"]
steps = ["odStart", "odSlope", "odRelax"]
[[composite]]
name = "odBetween"
inputs = ["od_f", "od_r"]
outputs = ["od_r", "od_res"]
steps = ["odStart", "odCarry", "odTwice"]
"""
)

HEADER = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real>
BRIDGE_FN void odRedBlack(const Shared&, const ScalarNeighbours& p, const Real& f,
                          const Real& omega, Real& next) {
    const Real around = p.at<1, 0, 0>() + p.at<-1, 0, 0>() + p.at<0, 1, 0>() + p.at<0, -1, 0>() +
                        p.at<0, 0, 1>() + p.at<0, 0, -1>();
    next = p.at<0, 0, 0>() + omega * ((around - f) / 6.0 - p.at<0, 0, 0>());
}
template <class Real, class Out>
BRIDGE_FN void odVector(const Shared&, const Neighbours& u, const ScalarNeighbours& f,
                        const Bits<Real>& i, Out& next, Bits<Real>& parity) {
    for (int m = 0; m < 3; ++m)
        next[m] = u.at<0, 0, 0>()[(m + 1) % 3] +
                  0.25 * (u.at<1, 0, 0>()[m] - u.at<0, -1, 0>()[m]) -
                  0.5 * (u.at<-1, 0, 0>()[m] + u.at<0, 1, 0>()[m]) + f.at<0, 0, 1>();
    parity = i % 2;
}
template <class Real, class Out>
BRIDGE_FN void odWide(const Shared&, const Neighbours& u, Out& next) {
    for (int m = 0; m < 9; ++m)
        next[m] = u.at<0, 0, -1>()[m] + 0.5 * u.at<0, 0, 1>()[8 - m] - 0.25 * u[8 - m];
}
template <class Real>
BRIDGE_FN void odResidual(const Shared&, const ScalarNeighbours& p, const Real& f, Real& res) {
    res = p.at<1, 0, 0>() + p.at<-1, 0, 0>() + p.at<0, 1, 0>() + p.at<0, -1, 0>() +
          p.at<0, 0, 1>() + p.at<0, 0, -1>() - 6.0 * p.at<0, 0, 0>() - f;
}
template <class Real> BRIDGE_FN void odStart(const Shared&, const Real& f, Real& w) {
    w = 2.0 * f;
}
template <class Real>
BRIDGE_FN void odRelax(const Shared&, const ScalarNeighbours& w, Real& next) {
    next = 0.5 * (w.at<-1, 0, 0>() + w.at<1, 0, 0>());
}
template <class Real>
BRIDGE_FN void odSlope(const Shared&, const ScalarNeighbours& w, Real& res) {
    res = w.at<2, 0, 0>() - w.at<-1, 0, 0>();
}
template <class Real>
BRIDGE_FN void odPenta(const Shared&, const ScalarNeighbours& r, const Real& f, Real& next) {
    next = r.at<0, 0, 0>() - 0.5 * f * r.at<0, -1, 0>() + 0.25 * r.at<0, -2, 0>();
}
template <class Real>
BRIDGE_FN void odClosed(const Shared&, const ScalarNeighbours& r, const ScalarNeighbours& f,
                        Real& next) {
    next = r.at<0, 0, 0>() - 0.5 * f.at<0, 0, -1>() * r.at<0, 0, 1>() + 0.25 * r.at<0, 0, 2>();
}
template <class Real>
BRIDGE_FN void odClosedFirst(const Shared&, const ScalarNeighbours& r, const ScalarNeighbours& f,
                             Real& next) {
    next = 3.0 * r.at<0, 0, 0>() + f.at<0, 0, 0>();
}
template <class Real>
BRIDGE_FN void odClosedSecond(const Shared&, const ScalarNeighbours& r,
                              const ScalarNeighbours& f, Real& next) {
    next = r.at<0, 0, 0>() - f.at<0, 0, 0>() * r.at<0, 0, 1>();
}
template <class Real>
BRIDGE_FN void odClosedLast(const Shared&, const ScalarNeighbours& r, const ScalarNeighbours& f,
                            Real& next) {
    next = 7.0 * r.at<0, 0, 0>() + f.at<0, 0, 0>() * r.at<0, 0, 1>();
}
template <class Real, class In, class Factors>
BRIDGE_FN void odAffine(const Shared&, const ScalarNeighbours& r, const In& u, const Factors& k,
                        Real& next) {
    next = u[0] * r.at<0, 0, 0>() + k[0] * r.at<0, -1, 0>() + u[1] * k[1] + k[2] * u[2];
}
template <class Real>
BRIDGE_FN void odLooked(const Shared&, const Table<Real, 1>& t, const ScalarNeighbours& r,
                        const Bits<Real>& k, Real& next, Private& line) {
    line[0] += t(k);
    next = r.at<0, 0, 0>() + 0.5 * r.at<0, 0, 1>() + line[0];
}
template <class Real>
BRIDGE_FN void odLookedFirst(const Shared&, const Table<Real, 1>& t, const ScalarNeighbours& r,
                             const Bits<Real>& k, Real& next, Private& line) {
    line[0] = t(k);
    next = 2.0 * r.at<0, 0, 0>();
}
template <class Real>
BRIDGE_FN void odCarry(const Shared&, const ScalarNeighbours& r, const Real& w, Real& next) {
    next = r.at<0, 0, 0>() + 0.5 * r.at<-1, 0, 0>() - w;
}
template <class Real> BRIDGE_FN void odTwice(const Shared&, const Real& r, Real& res) {
    res = 2.0 * r;
}
template <class Real, class Out>
BRIDGE_FN void odRunning(const Shared&, const Neighbours& u, Out& next, Real& res, Private& line) {
    for (int m = 0; m < 3; ++m) {
        line[m] = 0.5 * line[m] + u[m];
        next[m] = line[m] + 0.25 * u.at<-1, 0, 0>()[(m + 1) % 3];
    }
    line[3] += 1.0;
    res = line[3];
}
"""

_THOMAS = """
[[kernel]]
name = "odForward{name}"
header = "orders.h"
inputs = ["od_a", "od_b", "od_c", "od_x"]
outputs = ["od_cp", "od_x"]
reads.od_x = {{ {axis} = {behind} }}
sweep = "{sweep}"
first = "odFirst{name}"
private = 1
[[kernel]]
name = "odBackward{name}"
header = "orders.h"
inputs = ["od_cp", "od_x"]
outputs = ["od_x"]
reads.od_x = {{ {axis} = {ahead} }}
sweep = "{back}"
first = "odEnd{name}"
[[composite]]
name = "odThomas{name}"
inputs = ["od_a", "od_b", "od_c", "od_x"]
outputs = ["od_x"]
steps = ["odForward{name}", "odBackward{name}"]
"""

_THOMAS_HEADER = """
template <class Real>
BRIDGE_FN void odForward{name}(const Shared&, const Real& a, const Real& b, const Real& c,
                               const ScalarNeighbours& x, Real& cp, Real& next, Private& line) {{
    const Real m = 1.0 / (b - a * line[0]);
    cp = c * m;
    line[0] = cp;
    next = (x.at<0, 0, 0>() - a * x.at<{behind}>()) * m;
}}
template <class Real>
BRIDGE_FN void odFirst{name}(const Shared&, const Real&, const Real& b, const Real& c,
                             const ScalarNeighbours& x, Real& cp, Real& next, Private& line) {{
    cp = c / b;
    line[0] = cp;
    next = x.at<0, 0, 0>() / b;
}}
template <class Real>
BRIDGE_FN void odBackward{name}(const Shared&, const Real& cp, const ScalarNeighbours& x,
                                Real& next) {{
    next = x.at<0, 0, 0>() - cp * x.at<{ahead}>();
}}
template <class Real>
BRIDGE_FN void odEnd{name}(const Shared&, const Real&, const ScalarNeighbours& x, Real& next) {{
    next = x.at<0, 0, 0>();
}}
"""

for _sweep in SWEEPS:
    _axis, _up = "xyz".index(_sweep[0]), _sweep[1] == "+"
    _name = f"{_sweep[0].upper()}{'Up' if _up else 'Down'}"
    _step = [0, 0, 0]
    _step[_axis] = -1 if _up else 1
    CATALOGUE += _THOMAS.format(
        name=_name, axis=_sweep[0], sweep=_sweep, back=_sweep[0] + ("-" if _up else "+"),
        behind="[-1, 0]" if _up else "[0, 1]", ahead="[0, 1]" if _up else "[-1, 0]",
    )  # fmt: skip
    HEADER += _THOMAS_HEADER.format(
        name=_name, behind=", ".join(map(str, _step)), ahead=", ".join(str(-n) for n in _step)
    )
HEADER += "}\n"

Point = tuple[int, int, int]


def points(block: Block) -> Iterator[Point]:
    """Indices of the interior's points in an array, x fastest."""
    (x, _), (y, _), (z, _) = block.layers
    nx, ny, nz = block.extent
    for k in range(z, z + nz):
        for j in range(y, y + ny):
            for i in range(x, x + nx):
                yield i, j, k


def coloured(
    block: Block, work: Callable[[int, int, int], None], first: Point | None = None,
    colours: tuple[int, ...] = (1, 2), where: Callable[[int, int, int], bool] | None = None,
) -> None:  # fmt: skip
    """Call `work` at the points of one colour after the other; first: position of the first
    point, that in the array if None."""
    low = tuple(below for below, _ in block.layers)
    shift = 0 if first is None else sum(first) - sum(low) - 3
    for colour in colours:
        for i, j, k in points(block):
            if (i + j + k + 3 + shift) % 2 == colour - 1 and (where is None or where(i, j, k)):
                work(i, j, k)


def red_black(p: np.ndarray, f: np.ndarray) -> Callable[[int, int, int], None]:
    """A point of odRedBlack."""

    def work(i: int, j: int, k: int) -> None:
        around = float(p[i + 1, j, k]) + p[i - 1, j, k] + p[i, j + 1, k] + p[i, j - 1, k]
        around += float(p[i, j, k + 1]) + p[i, j, k - 1]
        p[i, j, k] += OMEGA * ((around - f[i, j, k]) / 6.0 - p[i, j, k])

    return work


def rewriting(folder: Path, lines: str) -> Path:
    """A catalogue of a kernel that gives q_a a new value, and says these lines of itself."""
    (folder / "q.h").write_text("")
    text = '[quantity.q_a]\nunit = "1"\n[quantity.q_b]\nunit = "1"\n[[kernel]]\nname = "qK"\n'
    text += 'header = "q.h"\ninputs = ["q_a", "q_b"]\noutputs = ["q_a"]\n'
    (folder / "catalogue.toml").write_text(text + lines)
    return folder / "catalogue.toml"
