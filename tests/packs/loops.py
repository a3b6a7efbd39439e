"""A pack that knows no species, and arrays of a box with fringes for it."""

from __future__ import annotations

from typing import Any

import numpy as np

CATALOGUE = """
[quantity.loop_u]
unit = "1"
columns = 3
[quantity.loop_rhs]
unit = "1"
columns = 3
[quantity.loop_speed]
unit = "m/s"
[quantity.loop_energy]
unit = "1"
[quantity.loop_gas]
unit = "J/(mol K)"
[quantity.loop_density]
unit = "kg/m3"
[quantity.loop_place]
unit = "1"
columns = 4
[quantity.loop_mixture]
unit = "kg/m3"
[quantity.loop_field]
unit = "1"
per_component = true
[quantity.loop_change]
unit = "1"
per_component = true
[quantity.loop_dt]
unit = "s"
[quantity.loop_half]
unit = "1"
[quantity.loop_square]
unit = "1"
per_component = true
[quantity.loop_weighted]
unit = "1"
per_component = true
[quantity.loop_mixed]
unit = "1"
per_component = true
[quantity.loop_level]
unit = "1"
type = "int32"
per_component = true
[constant.loop_gamma]
unit = "1"
value = 1.5
[table.loop_table]
unit = "1"
rank = 1

[[kernel]]
name = "loopSpeed"
header = "loops.h"
inputs = ["loop_u"]
outputs = ["loop_speed", "loop_energy"]
[[kernel]]
name = "loopStep"
header = "loops.h"
inputs = ["loop_u", "loop_rhs", "loop_gamma"]
outputs = ["loop_u"]
[[kernel]]
name = "loopFlag"
header = "loops.h"
inputs = ["loop_speed", "status"]
outputs = ["loop_gas", "status"]
[[kernel]]
name = "loopDensity"
header = "loops.h"
inputs = ["W"]
outputs = ["loop_mixture"]
[[kernel]]
name = "loopPlace"
header = "loops.h"
inputs = ["loop_speed", "position_i", "position_j", "position_k"]
outputs = ["loop_place"]
[[kernel]]
name = "loopBlank"
header = "loops.h"
inputs = ["iblank"]
outputs = ["loop_density"]
[[kernel]]
name = "loopAdvance"
header = "loops.h"
inputs = ["loop_field", "loop_change", "loop_dt", "loop_gamma"]
outputs = ["loop_field"]
[[kernel]]
name = "loopPlain"
header = "loops.h"
inputs = ["loop_field", "loop_change", "loop_gamma"]
outputs = ["loop_field"]
[[kernel]]
name = "loopHalf"
header = "loops.h"
inputs = ["loop_field"]
outputs = ["loop_half"]
[[kernel]]
name = "loopSquare"
header = "loops.h"
inputs = ["loop_field", "loop_half", "status"]
outputs = ["loop_square", "loop_level", "status"]
[[kernel]]
name = "loopWeighted"
header = "loops.h"
tables = ["loop_table"]
inputs = ["loop_change", "position_i", "position_j", "position_k"]
outputs = ["loop_weighted"]
[[kernel]]
name = "loopMixed"
header = "loops.h"
inputs = ["loop_change", "loop_rhs"]
outputs = ["loop_mixed"]

[[composite]]
name = "loopSquared"
inputs = ["loop_field"]
outputs = ["loop_half", "loop_square", "loop_level", "status"]
[[composite]]
name = "loopPlaced"
inputs = ["loop_u"]
outputs = ["loop_energy", "loop_place"]
[[composite]]
name = "loopAuxiliaries"
inputs = ["loop_u"]
outputs = ["loop_speed", "loop_energy"]
[[composite]]
name = "loopChecked"
inputs = ["loop_u"]
outputs = ["loop_speed", "loop_gas", "status"]
[[composite]]
name = "loopUpdate"
inputs = ["loop_u", "loop_rhs"]
outputs = ["loop_u"]
[[composite]]
name = "loopMixture"
inputs = ["Y"]
outputs = ["loop_mixture"]
[[composite]]
name = "loopPhysics"
inputs = ["cp", "cv"]
outputs = ["gamma"]
"""

HEADER = """
#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class In>
BRIDGE_FN void loopSpeed(const Shared&, const In& u, Real& speed, Real& energy) {
    energy = 0.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    speed = sqrt(2.0 * energy);
}
template <class Real, class In, class Out>
BRIDGE_FN void loopStep(const Shared&, const In& u, const In& rhs, const Real& gamma, Out& next) {
    for (int m = 0; m < 3; ++m) next[m] = u[m] + gamma * rhs[m];
}
template <class Real>
BRIDGE_FN void loopFlag(const Shared& shared, const Real& speed, const Bits<Real>& status,
                        Real& gas, Bits<Real>& status_out) {
    gas = Real(shared.R);
    for (int i = 0; i < species(shared); ++i) gas = gas + shared.W[i];
    status_out = status | flag<Real>(speed > 1.0, 1 << 20);
}
template <class Real, class Out>
BRIDGE_FN void loopPlace(const Shared&, const Real& speed, const Bits<Real>& i,
                         const Bits<Real>& j, const Bits<Real>& k, Out& place) {
    place[0] = speed;
    place[1] = Real(i);
    place[2] = Real(j);
    place[3] = Real(k);
}
template <class Real>
BRIDGE_FN void loopBlank(const Shared&, const Bits<Real>& blank, Real& density) {
    density = Real(blank + Bits<Real>(1));
}
template <class Real>
BRIDGE_FN void loopAdvance(const Shared&, const Real& u, const Real& r, const Real& dt,
                           const Real& gamma, Real& next) {
    next = u + gamma * dt * r;
}
template <class Real>
BRIDGE_FN void loopPlain(const Shared&, const Real& u, const Real& r, const Real& gamma,
                         Real& next) {
    next = u + gamma * r;
}
template <class Real> BRIDGE_FN void loopHalf(const Shared&, const Real& u, Real& half) {
    half = 0.5 * u;
}
template <class Real>
BRIDGE_FN void loopSquare(const Shared&, const Real& u, const Real& half,
                          const Bits<Real>& status, Real& square, Bits<Real>& level,
                          Bits<Real>& status_out) {
    square = u * half;
    level = select(u > 0.0, 1, -1);
    status_out = status | flag<Real>(u > 1.0, 1 << 20);
}
template <class Real>
BRIDGE_FN void loopWeighted(const Shared&, const Table<Real, 1>& table, const Real& r,
                            const Bits<Real>& i, const Bits<Real>& j, const Bits<Real>& k,
                            Real& weighted) {
    weighted = r * Real(i) + table(j) + Real(k);
}
template <class Real, class In>
BRIDGE_FN void loopMixed(const Shared&, const Real& r, const In& rhs, Real& mixed) {
    mixed = r + rhs[0];
}
template <class Real> BRIDGE_FN void loopDensity(const Shared&, const Real& W, Real& density) {
    density = W;
}
}
"""

SHAPE, INTERIOR = (9, 5, 4), (slice(2, 7), slice(1, 5), slice(0, 4))
BOX: dict[str, Any] = dict(SptX=3, EptX=7, SptY=2, EptY=5, SptZ=1, EptZ=4)


def vector(seed: int = 1) -> np.ndarray:
    return np.asfortranarray(np.random.default_rng(seed).normal(size=(*SHAPE, 3)))


def scalar(value: float = -7.0) -> np.ndarray:
    return np.full(SHAPE, value, order="F")


def energy(u: np.ndarray) -> np.ndarray:
    value: np.ndarray = 0.5 * (u[INTERIOR] ** 2).sum(axis=-1)
    return value


def outside(array: np.ndarray) -> np.ndarray:
    """What of an array lies in its fringes."""
    kept = np.ones(SHAPE, dtype=bool)
    kept[INTERIOR] = False
    return array[kept]
