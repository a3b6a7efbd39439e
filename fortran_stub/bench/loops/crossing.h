// The time that the fastest wave takes through a cell of size 1.
//
// In   conserved (5)
// Out  crossing
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In>
BRIDGE_FN void loopCrossing(const Shared&, const In& conserved, Real& crossing) {
    const Real inverse = 1.0 / conserved[0];
    const Real u = conserved[1] * inverse, v = conserved[2] * inverse, w = conserved[3] * inverse;
    const Real p = 0.4 * (conserved[4] - 0.5 * conserved[0] * (u * u + v * v + w * w));
    crossing = 1.0 / (max(max(abs(u), abs(v)), abs(w)) + sqrt(1.4 * p * inverse));
}

}  // namespace BRIDGE_NAMESPACE
