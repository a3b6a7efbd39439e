// Rates times a number that is one for all points, in place.
//
// In   rate (5), dt
// Out  rate (5)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In, class Out>
BRIDGE_FN void loopScaling(const Shared&, const In& rate, const Real& dt, Out& scaled) {
    for (int m = 0; m < 5; ++m) scaled[m] = rate[m] * dt;
}

}  // namespace BRIDGE_NAMESPACE
