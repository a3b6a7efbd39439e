// An explicit time step of a solid: T + dt q/cp(T), cp by straight lines between the temperatures
// of a table.
//
// Table  heat_cp (temperatures, 1 + materials): temperatures K, heat capacities J/(m3 K)
// In     T K, q W/m3, dt s, material, limited, bounds (2) K
// Out    T K
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class Bounds>
BRIDGE_FN void advanceHeat(const Shared&, const Table<Real, 2>& heat_cp, const Real& T,
                           const Real& q, const Real& dt, const Bits<Real>& material,
                           const Bits<Real>& limited, const Bounds& bounds, Real& T_out) {
    Bits<Real> below = 0;  // the last temperature of the table that is not above T
    for (int n = 1; n < heat_cp.size(0) - 1; ++n) below += select(T >= heat_cp(n, 0), 1, 0);
    const Real low = heat_cp(below, 0), high = heat_cp(below + 1, 0);
    const Real from = heat_cp(below, material), to = heat_cp(below + 1, material);
    const Real cp = from + (to - from) * ((T - low) / (high - low));
    const Real next = T + dt * q / cp;
    T_out = select(limited != 0, clamp<Real>(next, bounds[0], bounds[1]), next);
}

}  // namespace BRIDGE_NAMESPACE
