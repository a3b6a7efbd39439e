// An explicit step of the conserved variables, in place.
//
// In   conserved (5), rate (5), stepPerVolume
// Out  conserved (5)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In, class InRate, class Out>
BRIDGE_FN void loopUpdate(const Shared&, const In& conserved, const InRate& rate, Real stepPerVolume,
                          Out& updated) {
    for (int m = 0; m < 5; ++m) updated[m] = conserved[m] + stepPerVolume * rate[m];
}

}  // namespace BRIDGE_NAMESPACE
