// Velocity, pressure, temperature and viscosity of a cell.
//
// In   Q (5): density, momentum, energy per volume
// Out  found (6): u, v, w m/s, p Pa, T K, mu Pa s
#pragma once
#include "gas.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In, class Out>
BRIDGE_FN void properties(const Shared&, const In& Q, Out& found) {
    const Real perDensity = 1.0 / Q[0];
    const Real u = Q[1] * perDensity, v = Q[2] * perDensity, w = Q[3] * perDensity;
    const Real p = (flowGamma - 1.0) * (Q[4] - 0.5 * Q[0] * (u * u + v * v + w * w));
    const Real T = p * perDensity / flowR;
    found[0] = u;
    found[1] = v;
    found[2] = w;
    found[3] = p;
    found[4] = T;
    found[5] = 1.458e-6 * T * sqrt(T) / (T + 110.4);
}

}  // namespace BRIDGE_NAMESPACE
