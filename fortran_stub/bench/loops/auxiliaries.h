// Velocity, pressure and speed of sound of the conserved variables of an ideal gas.
//
// In   conserved (5)
// Out  auxiliaries (6): 1/density, u, v, w, p, c
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In, class Out>
BRIDGE_FN void loopAuxiliaries(const Shared&, const In& conserved, Out& auxiliaries) {
    const Real inverse = 1.0 / conserved[0];
    const Real u = conserved[1] * inverse, v = conserved[2] * inverse, w = conserved[3] * inverse;
    const Real p = 0.4 * (conserved[4] - 0.5 * conserved[0] * (u * u + v * v + w * w));
    auxiliaries[0] = inverse;
    auxiliaries[1] = u;
    auxiliaries[2] = v;
    auxiliaries[3] = w;
    auxiliaries[4] = p;
    auxiliaries[5] = sqrt(1.4 * p * inverse);
}

}  // namespace BRIDGE_NAMESPACE
