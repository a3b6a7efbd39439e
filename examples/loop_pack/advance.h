// An explicit step of a cell in place, from the fluxes through its two faces along x.
//
// In   conserved (5), low (5), high (5), dtdx s/m
// Out  conserved (5)
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In, class Low, class High, class Out>
BRIDGE_FN void advance(const Shared&, const In& conserved, const Low& low, const High& high,
                       const Real& dtdx, Out& next) {
    for (int m = 0; m < 5; ++m) next[m] = conserved[m] - dtdx * (high[m] - low[m]);
}

}  // namespace BRIDGE_NAMESPACE
