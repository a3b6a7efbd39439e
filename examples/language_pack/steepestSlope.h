// The slope that an integer of each point names.
//
// In   slope (5), slope_steepest (2)
// Out  slope_most
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real, class In, class InWords>
BRIDGE_FN void steepestSlope(const Shared&, const In& slope, const InWords& steepest, Real& most) {
    most = 0.0;
    for (int c = 0; c < 5; ++c) most = select(steepest[0] == c, slope[c], most);
}

}  // namespace BRIDGE_NAMESPACE
